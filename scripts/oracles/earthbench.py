"""Writes eval/earthbench/testdata/mutations.json.gz: made-up Earth-Bench runs with what the published evaluators say.

    python3 scripts/oracles/earthbench.py FOLDER

FOLDER holds Earth-Agent's step_by_step.py and end_to_end.py, which are not part of this project. Every case is a small
gold and a run that differs from it by random changes; `text` members are the files as they would stand on the disk. The
evaluators score positions 188 onward only, so that many empty items are put before the gold, and taken off in the test
in the same way. Left out are cases that the evaluators stop on, and those where true stands against 1, which Python
holds for equal and JSON does not.
"""
import contextlib
import gzip
import io
import json
import os
import random
import sys
import tempfile

CASES = 500
SEED = 20261201
PADDING = 188
NAMES = ["get_filelist", "mean", "MSCN", "band_ratio", "é_tool", "e\u0301_tool", "", "Mean", "计算"]
KEYS = ["x", "y", "file_list", "path", "été", "k" * 40]
ANSWERS = [
    "<Answer>A<Answer>", "<answer>b</ANSWER>", "<Answer>C</Answer>", "<Answer>d<Answer>", "<Answer>G<Answer>", "<Answer>AB<Answer>",
    "<Answer>B.About (550, 550)<Answer>", "<Answer> A <Answer>", "<Answer>0.408<Answer>", "FAIL", "it FAILED", "fail", "", "   ",
    "The answer is B.", "A or B, then C", "é A", "éA", "Aé", "A_", "_A", "A1", "1A", "A-B", "(F)", "²A", "A²", "ⅧA", "A\u0301", "\u0301A",
    "<Answer>A</Answer> but <Answer>B<Answer>", "<Answer>A<Answer> and <Answer>B<Answer>", "</Answer>E<Answer>", "<An\u017fwer>e<An\u017fwer>",
    "<Answer>f", "<ANSWER>F<answer>", "a b c", "Answer: E", "E", "G", "<Answer>\nA<Answer>", "<Answer>A<Answer", "中A文", "中 A 文", "A\u200bB",
    "Ａ", "<Answer>Ａ<Answer>", "<Answer><Answer>A<Answer>", "x<Answer>B</answer>x FA IL", "D\n", "\u0660D", "D\u0660", "😀C😀", "C\x1cD",
]


def value(r, depth=0):
    pick = r.randrange(12 if depth < 3 else 8)
    if pick == 0:
        return r.choice([0, 1, -1, 7, 2**53, 2**53 + 1, 10**30, -(10**30)])
    if pick == 1:
        return r.choice([0.0, 1.0, -1.0, 7.0, 0.1, 1e300, 5e-324, 2.0**53, 1e30, -0.0])
    if pick == 2:
        return None
    if pick == 3:
        return r.choice(["", "a", "é", "e\u0301", "benchmark/data/question1/A b.tif", "\ud83d\ude00", "\ud800", "line\nbreak", "/", "true", "1"])
    if pick == 4:
        return r.choice([True, False])
    if pick == 5:
        return r.choice([float("inf"), float("-inf"), float("nan")])
    if pick in (6, 7):
        return r.choice([2, 3.5, "b"])
    if pick in (8, 9):
        return [value(r, depth + 1) for _ in range(r.randrange(4))]
    return {r.choice(KEYS): value(r, depth + 1) for _ in range(r.randrange(4))}


def call(r):
    c = {"name": r.choice(NAMES), "input": {k: value(r) for k in r.sample(KEYS, r.randrange(4))}}
    if r.random() < 0.05:
        c["input"] = r.choice([None, "", '{"x": 1}', [], 3, "raw text"])
    if r.random() < 0.05:
        c.pop(r.choice(["name", "input"]))
    elif r.random() < 0.05:
        c["name"] = None
    return c


def changed(r, v):
    """A value that may be equal to v in another form, or not."""
    if isinstance(v, bool):
        return r.choice([v, not v, "true"])
    if isinstance(v, int):
        return r.choice([v, v + 1, str(v)] + ([float(v)] if abs(v) < 10**300 else []))
    if isinstance(v, float):
        whole = v == v and abs(v) != float("inf") and v == int(v)
        return r.choice([v, v * (1 + 2**-52), -v] + ([int(v)] if whole else []))
    if isinstance(v, list):
        v = [changed(r, x) if r.random() < 0.2 else x for x in v]
        if r.random() < 0.2:
            r.shuffle(v)
        return v
    if isinstance(v, dict):
        keys = list(v)
        r.shuffle(keys)
        out = {k: changed(r, v[k]) if r.random() < 0.2 else v[k] for k in keys}
        if r.random() < 0.1:
            out[r.choice(KEYS)] = value(r)
        return out
    return v


def calls_of(r, gold):
    calls = [dict(c) for c in gold]
    for c in calls:
        if r.random() < 0.3 and "input" in c:
            c["input"] = changed(r, c["input"])
    for _ in range(r.randrange(3)):
        what = r.randrange(5)
        if what == 0 and calls:
            calls.pop(r.randrange(len(calls)))
        elif what == 1:
            calls.insert(r.randrange(len(calls) + 1), call(r))
        elif what == 2:
            r.shuffle(calls)
        elif what == 3 and calls:
            calls[r.randrange(len(calls))] = call(r)
        elif calls:
            calls.append(dict(r.choice(calls)))
    return calls


def run_key(r, n):
    return r.choice([str(n), f"question{n}", f"question{n}", str(n), f"Question{n}" if r.random() < 0.1 else str(n)])


def case(r):
    n = r.randrange(1, 7)
    gold, calls, answers = [], [], []
    for i in range(n):
        key = f"question{i + 1}"
        item = {"question_index": key, "tool_calls": [call(r) for _ in range(r.choice([0, 1, 2, 3, 3, 4, 6]))],
                "final_answer": r.choice(["A", "B", "C", "D", " A ", "b", None, "0.408", "A\n", "E", "F"])}
        for field in ("tool_calls", "final_answer"):
            if r.random() < 0.03:
                item.pop(field)
        gold.append(item)
        for _ in range(r.choice([0, 1, 1, 1, 1, 1, 2])):
            p = {"question_index": run_key(r, i + 1), "tool_calls": calls_of(r, item.get("tool_calls", []))}
            if r.random() < 0.03:
                p.pop("tool_calls")
            calls.insert(r.randrange(len(calls) + 1), p)
        for _ in range(r.choice([0, 1, 1, 1, 1, 1, 2])):
            a = {"question_id": run_key(r, i + 1), "original_answer": "x"}
            for field in ("final_answer", "polished_answer"):
                if r.random() < 0.8:
                    a[field] = r.choice(ANSWERS + [None, 0, False, [], {}] if r.random() < 0.3 else ANSWERS)
            answers.insert(r.randrange(len(answers) + 1), a)
    if r.random() < 0.1:
        gold.append(dict(r.choice(gold), final_answer="D"))
    if r.random() < 0.2:
        calls.append({"question_index": "999", "tool_calls": [call(r)]})
        answers.append({"question_id": "nobody", "final_answer": "A"})
    return gold, calls, answers


def equal(a, b):
    """JSON equality: as Python's inside of lists and objects (where NaN, of which its reader makes one, is itself), but true
    is not 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return type(a) is type(b) and a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a is b or a == b


def text_of(r, v):
    return json.dumps(v, ensure_ascii=r.random() < 0.5 or any(0xD800 <= ord(c) < 0xE000 for c in json.dumps(v, ensure_ascii=False)),
                      indent=r.choice([None, None, 2]))


def main():
    sys.path.insert(0, sys.argv[1])
    import end_to_end
    import step_by_step

    r = random.Random(SEED)
    padding = [{"question_index": f"padding{i}", "tool_calls": [], "final_answer": "A"} for i in range(PADDING)]
    out, stopped, bools = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while len(out) < CASES:
            gold, calls, answers = case(r)
            texts = {"gold": text_of(r, gold), "calls": text_of(r, calls), "answers": text_of(r, answers)}
            again = {k: json.loads(t) for k, t in texts.items()}
            by_key = {i["question_index"]: i.get("tool_calls", []) for i in again["gold"]}
            pairs = [(p.get("input"), g.get("input")) for i in again["calls"] for p, g in
                     zip(i.get("tool_calls", []), by_key.get("question" + i["question_index"].replace("question", ""), []))]
            if any(([a] == [b]) != equal(a, b) for a, b in pairs):
                bools += 1
                continue
            again["gold"] = padding + again["gold"]
            path = {k: os.path.join(folder, k + ".json") for k in texts}
            for k in texts:
                with open(path[k], "w", encoding="utf-8") as f:
                    json.dump(again[k], f)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    steps = step_by_step.run_step_by_step_evaluation(path["calls"], path["gold"])
                    end = end_to_end.run_end_to_end_evaluation(path["gold"], path["answers"], path["calls"])
            except (AttributeError, TypeError, KeyError, ValueError):
                stopped += 1
                continue
            out.append(dict(texts, expected=expected(steps, end)))
    target = os.path.join(os.path.dirname(__file__), "../../eval/earthbench/testdata/mutations.json.gz")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as z:
        z.write(json.dumps({"padding": PADDING, "cases": out}, allow_nan=False).encode())
    print(f"{len(out)} cases; left out: the evaluators stopped on {stopped}, {bools} with true against a number")


def finite(x):
    return None if x == float("inf") else x


def expected(steps, end):
    items = {}
    for key, s in steps["individual_results"].items():
        items[key] = {"any_order": s["contains_all_tool_calls_any_order"]["score"], "in_order": s["contains_all_tool_calls_in_order"]["score"],
                      "exact_match": s["trajectory_step_wise_score"]["score"], "parameters": s["parameter_accuracy"]["score"]}
    for d in end["efficiency"]["detailed_results"]:
        if d["status"] != "missing":
            items[d["question_index"]]["efficiency"] = finite(d["efficiency"])
    for d in end["accuracy"]["detailed_results"]:
        if d["status"] != "missing":
            items.setdefault(d["question_index"], {}).update(answer=d["predicted"], correct=d["correct"])
    summary = steps["summary"]["metrics_summary"]
    n = steps["summary"]["evaluated_questions"]
    means = {ours: summary[theirs]["average_score"] if n else None for ours, theirs in (
        ("any_order", "contains_all_tool_calls_any_order"), ("in_order", "contains_all_tool_calls_in_order"),
        ("exact_match", "trajectory_step_wise_score"), ("parameters", "parameter_accuracy"))}
    means["efficiency"] = finite(end["efficiency"]["average_efficiency"]) if n else None
    means["correct"] = end["accuracy"]["accuracy"] if end["accuracy"]["evaluated_questions"] else None
    return {"items": items, "means": means}


main()
