"""The table of the README: its numbers are the run's, and a run that may not stand there is refused."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parents[1]


def load():
    loader = importlib.machinery.SourceFileLoader("readme_table", str(SCRIPTS / "readme-table"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("readme_table", loader))
    loader.exec_module(module)
    return module


def setup(name, model, success, tokens):
    return {"name": name, "model": model, "episodes": 4, "harness_errors": 0, "success": success,
            "correctness_rate": {"mean": 0.625, "lo": -0.0125, "hi": 1}, "bound": {"mean": None, "reason": "no_fields"},
            "tokens": {"mean": tokens}}


RUN = {"status": "complete", "commit": "0123456789abcdef", "created": "2026-01-02T03:04:05Z", "seed": 7, "repeats": 1,
       "host": {"os": "linux", "arch": "amd64", "cpus": 2, "cpu": "Some CPU"}, "suite": {"name": "demo"},
       "models": [{"name": "ollama:m", "digest": "d" * 64, "quantisation": "Q4_K_M"}], "command": ["almanac", "compare"]}
RESULTS = {"suite": {"tasks": 4}, "episodes": [{"template": "a"}, {"template": "b"}, {"template": "a"}],
           "setups": [setup("search", None, {"mean": 1, "lo": None, "hi": None}, 0),
                      setup("squad", "ollama:m", {"mean": 0.5, "lo": 0.25, "hi": 0.75}, 1234.6)]}
TIMINGS = {"setups": [{"name": "search", "model": None, "working_s": {"p50": 0.034}},
                      {"name": "squad", "model": "ollama:m", "working_s": {"p50": 12.34}}]}


class Table(unittest.TestCase):
    def setUp(self):
        self.module = load()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.readme = self.folder / "README.md"
        self.readme.write_text(f"# Name\n\n{self.module.BEGIN}\n{self.module.END}\n\nEnd.\n", encoding="utf-8")

    def write(self, run=RUN):
        for name, content in (("run", run), ("results", RESULTS), ("timings", TIMINGS)):
            (self.folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        (self.folder / "report.md").write_text("# Almanac: demo\n\nNeither is\nbetter.\n\n## Setups\n", encoding="utf-8")

    def run_script(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = self.module.main([str(self.folder), "--readme", str(self.readme)])
        return code, said.getvalue(), self.readme.read_text(encoding="utf-8")

    def test_numbers_are_the_runs(self):
        self.write()
        code, said, text = self.run_script()
        self.assertEqual((code, said), (0, ""))
        self.assertIn("| `search` | 100.0 | 62.5 [−1.2 to 100.0] | – | 0 | 0.03 | 4 |", text)
        self.assertIn("| `squad` | 50.0 [25.0 to 75.0] | 62.5 [−1.2 to 100.0] | – | 1,235 | 12.3 | 4 |", text)
        for part in ("Neither is better.", "2026-01-02", "Some CPU, 2 cores, linux/amd64", "commit 0123456789ab.",
                     "4 tasks of 2 templates", "`ollama:m` (Q4_K_M, dddddddddddd)", "seed 7"):
            self.assertIn(part, text)
        self.assertTrue(text.startswith("# Name\n") and text.endswith("\nEnd.\n"))

    def test_again_gives_the_same_file(self):
        self.write()
        first = self.run_script()[2]
        self.assertEqual(self.run_script()[2], first)

    def test_refuses(self):
        for change, want in (({"status": "interrupted"}, "is interrupted, not complete"), ({"commit": ""}, "names no commit"),
                             ({"commit": "0123+changes"}, "changes that are in no commit")):
            with self.subTest(want):
                self.write(RUN | change)
                code, said, text = self.run_script()
                self.assertEqual(code, 1)
                self.assertIn(want, said)
                self.assertNotIn("verdict\n", text)

    def test_wants_its_place(self):
        self.write()
        self.readme.write_text("# Name\n", encoding="utf-8")
        code, said, text = self.run_script()
        self.assertEqual((code, text), (1, "# Name\n"))
        self.assertIn("has not one place", said)

    def test_the_readme_has_the_place(self):
        text = (SCRIPTS.parent / "README.md").read_text(encoding="utf-8")
        self.assertEqual((text.count(self.module.BEGIN), text.count(self.module.END)), (1, 1))


if __name__ == "__main__":
    unittest.main()
