"""The smoke comparison's checks: a run folder that is right passes, and each way of being wrong is named."""

import copy
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parents[1]


def load():
    loader = importlib.machinery.SourceFileLoader("smoke", str(SCRIPTS / "smoke"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("smoke", loader))
    loader.exec_module(module)
    return module


def right(smoke):
    """results.json of a run of two tasks, as the command line's documentation shows it."""
    rate = {"mean": 0.5, "lo": 0.1, "hi": 0.9}
    setups, episodes = [], []
    for name in smoke.SETUPS:
        tokens = 0 if name in smoke.WITHOUT_MODEL else 100
        model = None if name in smoke.WITHOUT_MODEL else "ollama:qwen2.5-coder:0.5b"
        setups.append({
            "name": name, "model": model, "episodes": 2, "harness_errors": 0, "success": rate, "correctness_rate": rate,
            "hit_at_tol": rate, "num_score": rate, "tool_use_score": rate, "bound": {"mean": None, "lo": None, "hi": None},
            "tokens": {"mean": tokens / 2, "total": tokens, "prompt": tokens * 9 // 10, "completion": tokens // 10,
                       "thinking": None, "by_role": {}},
            "tokens_per_success": None, "model_calls": 2, "native_calls": 0, "repaired_calls": 0, "tool_calls": 3,
            "failures": {}})
        episodes += [{
            "id": f"{name}.{task}.0", "setup": name, "model": model, "task": task, "repeat": 0, "seed": 1, "success": 0,
            "correctness_rate": 0.5, "wording": "question", "answer": {}, "declined": False, "tokens": 50,
            "failures": []} for task in ("a", "b")]
    return {"schema": 1, "suite": {"name": "demo", "hash": "ff", "tasks": 2}, "models": ["m"], "setups": setups,
            "paired": [], "changed_by_model": 0.5, "episodes": episodes}


class Checks(unittest.TestCase):
    def setUp(self):
        self.smoke = load()
        self.results = right(self.smoke)
        self.lines = []
        for e in self.results["episodes"]:
            for kind in ("episode_start", "episode_end"):
                self.lines.append({"seq": len(self.lines) + 1, "episode": e["id"], "type": kind})

    def problems(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file in self.smoke.FILES:
                (folder / file).write_text("x", encoding="utf-8")
            (folder / "results.json").write_text(json.dumps(self.results), encoding="utf-8")
            (folder / "events.jsonl").write_text("".join(json.dumps(x) + "\n" for x in self.lines), encoding="utf-8")
            self.smoke.problems.clear()
            self.smoke.check(folder)
            return list(self.smoke.problems)

    def named(self, text):
        found = self.problems()
        self.assertTrue(any(text in p for p in found), f"no problem with {text!r} in {found}")

    def test_right(self):
        self.assertEqual(self.problems(), [])

    def test_every_documented_key_is_wanted(self):
        whole = self.results
        for kind, at in (("", lambda r: r), ("suite", lambda r: r["suite"]), ("setups", lambda r: r["setups"][2]),
                         ("tokens", lambda r: r["setups"][2]["tokens"]), ("episodes", lambda r: r["episodes"][3])):
            for key in self.smoke.KEYS[kind]:
                self.results = copy.deepcopy(whole)
                del at(self.results)[key]
                with self.subTest(kind=kind, key=key):
                    self.assertNotEqual(self.problems(), [])

    def test_setup_missing(self):
        del self.results["setups"][1]
        self.named("setups are")

    def test_harness_error(self):
        self.results["setups"][0]["harness_errors"] = 1
        self.named("harness errors")

    def test_model_setup_without_tokens(self):
        self.results["setups"][3]["tokens"].update(mean=0, total=0, prompt=0, completion=0)
        self.named("single uses a model, yet has no tokens")

    def test_search_with_tokens(self):
        self.results["setups"][1]["tokens"].update(total=7, prompt=7)
        self.named("search uses no model, yet has 7 tokens")

    def test_tokens_do_not_add_up(self):
        self.results["setups"][0]["tokens"]["prompt"] += 1
        self.named("sum to 101")

    def test_interval_out_of_order(self):
        self.results["setups"][0]["success"]["lo"] = 0.7
        self.named("not in order")

    def test_not_a_fraction(self):
        self.results["setups"][0]["success"] = {"mean": 50, "lo": 10, "hi": 90}
        self.named("not a fraction")

    def test_not_a_number(self):
        self.results["changed_by_model"] = float("nan")
        self.named("NaN")

    def test_episode_without_end(self):
        self.lines = [x for x in self.lines if x["seq"] != 4]
        self.named("episodes ended")

    def test_episode_counted_twice(self):
        self.lines.append({"seq": 99, "episode": "none.a.0", "type": "episode_end"})
        self.named("episodes ended")

    def test_log_out_of_order(self):
        self.lines[5]["seq"] = 2
        self.named("follows")


class Oracles(unittest.TestCase):
    def test_refuses_a_python_that_is_no_environment(self):
        done = subprocess.run([SCRIPTS / "install-oracles", "/usr/bin/python3.11"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, "/bin/python" in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
