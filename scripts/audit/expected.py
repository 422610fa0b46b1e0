"""Compute the expected values of a suite's tasks from the raw source files.

    python scripts/audit/expected.py [--suite DIR] [--json] [--write] [--drafts]

Without a flag every field is printed. --json prints one document {task: {key: value}} and nothing else, which is
what `almanac tasks audit` reads. --drafts leaves tasks out that make no sense (`almanac tasks generate`). --write stores the values as the tasks' `expected`, and changes no other line.
"""

import argparse
import datetime
import json
import math
import pathlib
import re
import sys

import numpy as np
import yaml

import core_templates
import definitions
import templates

BY_NAME = {**templates.BY_NAME, **core_templates.BY_NAME}
HERE = pathlib.Path(__file__).resolve().parent


def plain(slot):
    """A slot as plain data: see the head of templates.py."""
    if isinstance(slot, list):
        return [plain(x) for x in slot]
    if not isinstance(slot, dict):
        return float(slot) if isinstance(slot, (int, float)) else str(slot)
    if "value" in slot:
        return str(slot["value"])
    if "number" in slot:
        return float(slot["number"])
    if "start" in slot:
        return tuple(str(datetime.date.fromisoformat(str(slot[k]))) for k in ("start", "end"))
    return tuple(float(slot[k]) for k in ("west", "south", "east", "north"))


def tasks(folder):
    """(file, task) of every task of the suite, with the file's keys filled in; an included suite's tasks too."""
    suite = yaml.safe_load((folder / "suite.yaml").read_text())
    if include := suite.get("include"):
        for file, task in tasks(folder.parent / include["from"]):
            if "tasks" not in include or task["id"] in [name.split("/")[-1] for name in include["tasks"]]:
                yield file, task
    for file in sorted(folder.glob("*.yaml")):
        if file.name == "suite.yaml":
            continue
        head = yaml.safe_load(file.read_text())
        for task in head.pop("tasks", [{}]):
            slots = {**head.get("slots", {}), **task.get("slots", {})}
            yield file, {**head, **task, "slots": {k: plain(v) for k, v in slots.items()}}


def stored(value):
    """A value as the file holds it: twelve significant digits, far below any tolerance."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    if not math.isfinite(value):
        raise SystemExit(f"audit: a value is not finite: {value}")
    return float(f"{value:.12g}")


def compute(task):
    """{key: value} of a task; {} for one to decline."""
    if task.get("decline"):
        return {}
    if task["template"] not in BY_NAME:
        raise SystemExit(f"audit: no second implementation of template {task['template']} (task {task['id']})")
    got = BY_NAME[task["template"]](task["slots"])
    keys = [field["key"] for field in task["answer"]]
    if sorted(got) != sorted(keys):
        raise SystemExit(f"audit: {task['id']}: the contract has {keys}, computed were {sorted(got)}")
    return {k: stored(got[k]) for k in keys}


def write(file, task, values):
    """Put the line `expected:` into the task's block of the file, in place of the old one."""
    lines = file.read_text().splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if re.match(rf"\s*(- )?id: {re.escape(task['id'])}\s*$", line))
    indent = " " * (len(lines[start]) - len(lines[start].lstrip(" -")))
    end = next((i for i in range(start + 1, len(lines))
                if lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) < len(indent)), len(lines))
    entry = indent + "expected: {" + ", ".join(f"{k}: {json.dumps(v)}" for k, v in values.items()) + "}\n"
    block = [line for line in lines[start + 1:end] if not line.startswith(indent + "expected:")]
    file.write_text("".join(lines[:start + 1] + [entry] + block + lines[end:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--suite", type=pathlib.Path, default=HERE.parents[1] / "scenarios/suites/starter")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--drafts", action="store_true")
    args = parser.parse_args()
    found = []
    for file, task in tasks(args.suite):
        try:
            found.append((file, task, compute(task)))
        except definitions.Unfit as why:
            if not args.drafts:
                raise SystemExit(f"audit: {task['id']} is no sound task: {why}")
    if args.json:
        json.dump({task["id"]: values for _, task, values in found}, sys.stdout, indent=1, sort_keys=True)
        print()
        return
    for file, task, values in found:
        if args.write and values:
            write(file, task, values)
        for key, value in values.items():
            print(f"{task['split']}/{task['id']}  {key} = {value}")


if __name__ == "__main__":
    main()
