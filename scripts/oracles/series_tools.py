"""The tools data.* by numpy, scipy, pandas and xarray.

in:  [{"start": date, "freq": "D" or "MS", "values": [x or null, ...], "percent": p, "threshold": x}, ...]
out: one object a series:
     stats: mean (by length of step), std (population), sum, min, max, argmin, argmax (index), count
     percentile; events: {above|at_least|below|at_most: [count, longest run]}
     ols: [slope, p], theil_sen: [slope, p of Mann-Kendall]
     monthly, seasonal, yearly: {"mean"|"sum"|"min"|"max": [x or null, ...]}
     anomaly, standardized: [x or null, ...] against the same month (MS) or month and day (D)
"""
import json
import sys
import warnings

import numpy as np
import pandas as pd
import scipy.stats
import xarray as xr

warnings.filterwarnings("ignore")
YEAR = 365.2425


def clean(values):
    return [None if not np.isfinite(v) else float(v) for v in np.asarray(values, float)]


def run_lengths(flags):
    best = run = 0
    for f in flags:
        run = run + 1 if f else 0
        best = max(best, run)
    return [int(sum(flags)), best]


def mann_kendall(y):
    n = len(y)
    s = sum(np.sign(y[j] - y[i]) for i in range(n) for j in range(i + 1, n))
    _, ties = np.unique(y, return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - np.sum(ties * (ties - 1) * (2 * ties + 5))) / 18
    z = 0 if s == 0 else (s - np.sign(s)) / np.sqrt(variance)
    return 2 * scipy.stats.norm.sf(abs(z))


def one(case):
    v = np.array([np.nan if x is None else x for x in case["values"]], float)
    times = pd.date_range(case["start"], periods=len(v), freq=case["freq"])
    da = xr.DataArray(v, coords={"time": times}, dims="time")
    ok = np.isfinite(v)
    days = np.ones(len(v)) if case["freq"] == "D" else times.days_in_month.to_numpy().astype(float)
    mean = np.average(v[ok], weights=days[ok])
    out = {"stats": {
        "mean": mean, "std": float(np.sqrt(np.average((v[ok] - mean) ** 2, weights=days[ok]))), "sum": float(v[ok].sum()),
        "min": float(v[ok].min()), "max": float(v[ok].max()), "argmin": int(np.nanargmin(v)), "argmax": int(np.nanargmax(v)),
        "count": int(ok.sum())}}
    out["percentile"] = float(np.percentile(v[ok], case["percent"]))
    t = case["threshold"]
    with np.errstate(invalid="ignore"):
        out["events"] = {"above": run_lengths(v > t), "at_least": run_lengths(v >= t), "below": run_lengths(v < t), "at_most": run_lengths(v <= t)}
    x = (times - times[0]).days.to_numpy() / YEAR
    fit = scipy.stats.linregress(x[ok], v[ok])
    out["ols"] = [fit.slope, fit.pvalue]
    out["theil_sen"] = [scipy.stats.theilslopes(v[ok], x[ok])[0], mann_kendall(v[ok])]
    weight = xr.DataArray(np.where(ok, days, np.nan), coords=da.coords)
    for name, freq in (("monthly", "MS"), ("seasonal", "QS-DEC"), ("yearly", "YS")):
        r = da.resample(time=freq)
        means = (da * weight).resample(time=freq).sum(min_count=1) / weight.resample(time=freq).sum(min_count=1)
        out[name] = {"mean": clean(means), "sum": clean(r.sum(min_count=1)), "min": clean(r.min()), "max": clean(r.max())}
    key = da.time.dt.month if case["freq"] == "MS" else da.time.dt.strftime("%m-%d")
    groups = da.groupby(key.rename("key"))
    out["anomaly"] = clean(groups - groups.mean())
    std = da.groupby(key.rename("key")).std().sel(key=key)
    out["standardized"] = clean(xr.where(std.values > 1e-12, (groups - groups.mean()) / std.values, np.nan))
    return out


json.dump([one(c) for c in json.load(sys.stdin)], sys.stdout)
