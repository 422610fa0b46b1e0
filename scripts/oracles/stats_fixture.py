#!/usr/bin/python3
"""Writes eval/stats/testdata/oracle.json: what scipy and statsmodels give for seeded inputs.

Run:  apt-get install python3-scipy python3-statsmodels
      /usr/bin/python3 scripts/oracles/stats_fixture.py > eval/stats/testdata/oracle.json

The Go tests of eval/stats compare their own results with this file. Newcombe's paired interval has no function in
either library; it is written out here from the paper (Statistics in Medicine 17, 1998, pp. 2635-2650, method 10).
"""
import json
import math
import sys

import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


def newcombe(both, first, second, neither):
    n = both + first + second + neither
    z = stats.norm.ppf(0.975)

    def wilson(p):
        root = math.sqrt(z * z + 4 * n * p * (1 - p))
        return (2 * n * p + z * z - z * root) / (2 * (n + z * z)), (2 * n * p + z * z + z * root) / (2 * (n + z * z))

    p1, p2 = (both + first) / n, (both + second) / n
    (l1, u1), (l2, u2) = wilson(p1), wilson(p2)
    product = (both + first) * (second + neither) * (both + second) * (first + neither)
    phi = 0.0
    if product > 0:
        numerator = both * neither - first * second
        if numerator > 0:
            numerator = max(numerator - n / 2, 0)
        phi = numerator / math.sqrt(product)
    lower = (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    upper = (p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u1 - p1) + (u1 - p1) ** 2
    return [p1 - p2 - math.sqrt(lower), p1 - p2 + math.sqrt(upper)]


def main():
    rng = np.random.default_rng(7)
    out = {"scipy": scipy.__version__, "statsmodels": statsmodels.__version__}

    out["student"] = []
    for n in (2, 5, 12, 49):
        x = rng.random(n).round(6)
        lo, hi = stats.t.interval(0.95, n - 1, loc=x.mean(), scale=stats.sem(x))
        out["student"].append({"x": x.tolist(), "lo": lo, "hi": hi})

    out["bca"] = []
    for n, power in ((60, 1), (80, 3)):
        x = (rng.random(n) ** power).round(6)
        ci = stats.bootstrap((x,), np.mean, n_resamples=200_000, method="BCa", random_state=1, batch=2000)
        out["bca"].append({"x": x.tolist(), "lo": ci.confidence_interval.low, "hi": ci.confidence_interval.high,
                           "se": ci.standard_error})

    out["sign_flip"] = []
    for n in (4, 8, 13):
        d = rng.normal(0.3, 0.5, n).round(3)
        r = stats.permutation_test((d, np.zeros(n)), lambda a, b: np.sum(a - b), permutation_type="samples",
                                   vectorized=False, n_resamples=np.inf, alternative="two-sided")
        out["sign_flip"].append({"d": d.tolist(), "p": r.pvalue})

    out["wilson"] = []
    for k, n in ((0, 8), (8, 8), (1, 1), (3, 20), (17, 40)):
        lo, hi = proportion_confint(k, n, method="wilson")
        out["wilson"].append({"k": k, "n": n, "lo": lo, "hi": hi})

    out["mcnemar"] = []
    for first, second in ((0, 0), (6, 0), (8, 0), (9, 2), (3, 3), (1, 20)):
        p = mcnemar([[5, first], [second, 4]], exact=True).pvalue if first + second else 1.0
        out["mcnemar"].append({"first": first, "second": second, "p": float(p)})

    out["holm"] = []
    for p in ([0.01, 0.04, 0.03, 0.005], [0.5, 0.9], [0.02, 0.02, 0.2]):
        out["holm"].append({"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()})

    out["newcombe"] = []
    for cells in ((20, 12, 2, 16), (8, 0, 0, 0), (0, 8, 0, 0), (3, 0, 0, 5), (10, 3, 4, 9)):
        lo, hi = newcombe(*cells)
        out["newcombe"].append({"cells": list(cells), "lo": lo, "hi": hi})

    json.dump(out, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
