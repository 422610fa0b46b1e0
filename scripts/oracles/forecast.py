"""Forecasts of series by numpy, pandas and statsmodels.

in:  [{method, start, frequency, values, steps, season, smoothing}, ...]; values may hold null; frequency is a pandas
     alias (MS, D, YS); smoothing is [alpha, beta, gamma] or null
out: [{forecast, times, sse, found, given}, ...]; for holt_winters sse and found, the smoothing, are those of statsmodels' own
     search, forecast is with them and given with the smoothing handed in; null is a step that has no forecast
"""
import json
import sys
import warnings

import numpy as np
import pandas as pd
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from statsmodels.tsa.holtwinters import ExponentialSmoothing


def holt_winters(y, case):
    """The smoothing by holtwinters.ExponentialSmoothing, the forecasts by ETSModel.

    The forecast of the former (statsmodels 0.15.0, model.py line 1289) leaves out the last update of the season; ETS(A,A,A)
    is the same model in error form, with beta there for alpha times beta here.
    """
    m = case["season"]
    slope = (y[m:2 * m].mean() - y[:m].mean()) / m
    level = y[:m].mean() - slope * (m + 1) / 2
    season = y[:m] - (level + slope * np.arange(1, m + 1))
    start = {"initial_level": level, "initial_trend": slope, "initial_seasonal": season}
    model = ExponentialSmoothing(y, trend="add", seasonal="add", seasonal_periods=m, initialization_method="known", **start)
    ets = ETSModel(y, error="add", trend="add", seasonal="add", seasonal_periods=m, initialization_method="known", **start)

    def ahead(alpha, beta, gamma):
        return ets.smooth(np.array([alpha, alpha * beta, gamma])).forecast(case["steps"]).tolist()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = model.fit(optimized=True)
        found = [float(best.params["smoothing_" + k]) for k in ("level", "trend", "seasonal")]
        return {"forecast": ahead(*found), "sse": float(best.sse), "given": ahead(*case["smoothing"]), "found": found}


def answer(case):
    y = np.array([np.nan if v is None else v for v in case["values"]], float)
    times = pd.date_range(case["start"], periods=len(y) + case["steps"], freq=case["frequency"])
    past, future = times[:len(y)], times[len(y):]
    if case["method"] == "holt_winters":
        out = holt_winters(y, case)
    elif case["method"] == "trend_forecast":
        ok = np.isfinite(y)
        line = np.polynomial.Polynomial.fit((past - past[0]).days[ok], y[ok], 1)
        out = {"forecast": line((future - past[0]).days.to_numpy()).tolist()}
    elif case["method"] == "persistence":
        out = {"forecast": [float(pd.Series(y).ffill().iloc[-1])] * case["steps"]}
    else:
        key = {"MS": lambda t: t.strftime("%m"), "D": lambda t: t.strftime("%m-%d"), "YS": lambda t: t.strftime("all")}[case["frequency"]]
        usual = pd.Series(y).groupby(key(past)).mean()
        out = {"forecast": [None if np.isnan(v) else v for v in usual.reindex(key(future))]}
    return out | {"times": [str(t.date()) for t in future]}


json.dump([answer(c) for c in json.load(sys.stdin)], sys.stdout)
