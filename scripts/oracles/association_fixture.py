#!/usr/bin/python3
"""Writes eval/stats/testdata/association.json: correlations, agreement and logistic regressions by scipy and statsmodels,
and figures over repeats by exact fractions.

Run, with the oracles' Python (make oracles):
      python scripts/oracles/association_fixture.py > eval/stats/testdata/association.json
"""
import itertools
import json
import sys
from fractions import Fraction

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa


def table(a, b):
    labels = sorted(set(a) | set(b))
    return np.array([[sum(1 for x, y in zip(a, b) if (x, y) == (r, c)) for c in labels] for r in labels])


def over_subsets(solved, k):
    """pass@k and pass^k by going through all choices of k repeats."""
    subsets = list(itertools.combinations(solved, k))
    return (Fraction(sum(any(s) for s in subsets), len(subsets)), Fraction(sum(all(s) for s in subsets), len(subsets)))


def main():
    rng = np.random.default_rng(11)
    out = {"scipy": scipy.__version__, "statsmodels": statsmodels.__version__}

    out["correlation"] = []
    for n, step in ((3, 0), (12, 0), (40, 4)):
        x = rng.normal(size=n).round(3)
        y = (x + rng.normal(size=n)).round(3)
        if step:  # ties
            x, y = (x * step).round() / step, (y * step).round() / step
        out["correlation"].append({"x": x.tolist(), "y": y.tolist(), "pearson": float(stats.pearsonr(x, y).statistic),
                                   "spearman": float(stats.spearmanr(x, y).statistic)})

    out["kappa"] = []
    for n, share in ((10, 0.7), (50, 0.8), (200, 0.3)):
        a = rng.integers(0, 3, n)
        b = np.where(rng.random(n) < share, a, rng.integers(0, 3, n))
        r = cohens_kappa(table(a.tolist(), b.tolist()))
        out["kappa"].append({"a": [str(x) for x in a], "b": [str(x) for x in b], "kappa": float(r.kappa),
                             "lo": float(r.kappa_low), "hi": float(r.kappa_upp)})

    out["logistic"] = []
    for n, columns in ((40, 1), (120, 3), (300, 5)):
        x = rng.normal(size=(n, columns)).round(3)
        z = x @ np.linspace(1.2, -0.6, columns) + 0.3
        y = rng.random(n) < 1 / (1 + np.exp(-z))
        fit = sm.Logit(y.astype(float), sm.add_constant(x)).fit(disp=0, tol=1e-14, maxiter=200)
        p = fit.predict(sm.add_constant(x))
        auc = stats.mannwhitneyu(p[y], p[~y]).statistic / (y.sum() * (~y).sum())
        out["logistic"].append({"rows": x.tolist(), "outcome": y.tolist(), "coefficients": fit.params.tolist(),
                                "mcfadden": float(fit.prsquared), "auc": float(auc)})

    out["repeats"] = []
    for n in (5, 6, 9):
        tries = [[bool(b) for b in rng.random(n) < p] for p in (0.1, 0.4, 0.5, 0.9)]
        for k in (1, 2, 3, 5):
            pairs = [over_subsets(t, k) for t in tries]
            out["repeats"].append({"tries": tries, "k": k, "pass": float(sum(p for p, _ in pairs) / len(pairs)),
                                   "all": float(sum(a for _, a in pairs) / len(pairs)),
                                   "plug_in": sum(any(t[:k]) for t in tries) / len(tries)})
    json.dump(out, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
