"use strict";
(function () {
  // A link to a trace opens it.
  function open() {
    var id = decodeURIComponent(location.hash.slice(1)), at = id && document.getElementById(id);
    if (!at) { return; }
    for (var e = at; e; e = e.parentElement) { if (e.tagName === "DETAILS") { e.open = true; } }
    at.scrollIntoView();
  }
  addEventListener("hashchange", open);
  open();

  // Columns of tables marked so are sorted by their heads.
  function key(cell) {
    var text = cell ? cell.textContent.trim() : "", n = parseFloat(text.replace(/[\u202f\s]/g, "").replace("\u2212", "-"));
    return isNaN(n) ? text : n;
  }
  function sort(table, column, button) {
    var head = button.parentElement, down = head.getAttribute("aria-sort") !== "descending";
    table.querySelectorAll("thead th").forEach(function (th) { th.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    var body = table.tBodies[0], rows = Array.from(body.rows);
    rows.sort(function (a, b) {
      var x = key(a.cells[column]), y = key(b.cells[column]);
      if (typeof x !== typeof y) { return typeof x === "number" ? -1 : 1; }
      var c = typeof x === "number" ? x - y : x.localeCompare(y);
      return down ? -c : c;
    });
    rows.forEach(function (r) { body.appendChild(r); });
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    table.querySelectorAll("thead th").forEach(function (th, column) {
      if (!th.textContent.trim() || th.querySelector("svg")) { return; }
      var button = document.createElement("button");
      button.type = "button";
      while (th.firstChild) { button.appendChild(th.firstChild); }
      th.appendChild(button);
      button.addEventListener("click", function () { sort(table, column, button); });
    });
  });

  // The list of tasks is filtered by their names, or to those where setups differ.
  var list = document.getElementById("every-task"), place = document.getElementById("task-filter");
  if (!list || !place) { return; }
  var label = document.createElement("label"), input = document.createElement("input");
  label.textContent = "Find a task ";
  input.type = "search";
  label.appendChild(input);
  var label2 = document.createElement("label"), differ = document.createElement("input");
  differ.type = "checkbox";
  label2.appendChild(differ);
  label2.appendChild(document.createTextNode(" only where setups differ"));
  place.appendChild(label);
  place.appendChild(label2);
  var rows = list.querySelectorAll(".task-row"), traces = document.querySelectorAll("#traces .task");
  function filter() {
    var want = input.value.trim().toLowerCase();
    function show(e) { e.hidden = (want && e.dataset.task.toLowerCase().indexOf(want) < 0) || (differ.checked && !e.dataset.differ); }
    rows.forEach(show);
    traces.forEach(show);
  }
  input.addEventListener("input", filter);
  differ.addEventListener("change", filter);
})();
