"""Scores by the library scores, checks by cf-units, shapely and pandas.

in:  {"scores": [{forecast: {label: value}, observed: {label: value}, unit_forecast, unit_observed}, ...],
      "ranges": [{value, unit, low, high, bounds_unit}, ...], "units": [[a, b], ...], "same": [{a, b, tolerance}, ...],
      "regions": [{grid: [w, s, e, n], zone: [w, s, e, n]}, ...],
      "periods": [{start, frequency, values, from, to}, ...], "empty": [[value, ...], ...]}; null is missing
out: the same names: [{rmse, mae, bias, correlation, count} or null], and lists of truth values
"""
import json
import sys

import cf_units
import numpy as np
import pandas as pd
import scores.continuous
import shapely
import xarray as xr


def convert(v, a, b):
    return cf_units.Unit(a).convert(v, cf_units.Unit(b))


def score(case):
    both = pd.DataFrame({"f": pd.Series(case["forecast"], dtype=float), "o": pd.Series(case["observed"], dtype=float)}).dropna()
    if both.empty:
        return None
    f = xr.DataArray(convert(both["f"].to_numpy(), case["unit_forecast"], case["unit_observed"]), dims="t")
    o = xr.DataArray(both["o"].to_numpy(), dims="t")
    c = scores.continuous
    r = float(c.correlation.pearsonr(f, o)) if len(both) > 1 and both["f"].nunique() > 1 and both["o"].nunique() > 1 else None
    return {"rmse": float(c.rmse(f, o)), "mae": float(c.mae(f, o)), "bias": float(c.additive_bias(f, o)), "correlation": r, "count": len(both)}


def in_range(c):
    low, high = (convert(float(c[k]), c["bounds_unit"], c["unit"]) for k in ("low", "high"))
    return bool(low <= c["value"] <= high)


def covers_region(c):
    """With the field's cells all known: less than a thousandth of the zone's area outside, on the sphere's lat axis."""
    def on_sphere(box):
        west, south, east, north = box
        return shapely.box(west, np.sin(np.radians(south)), east, np.sin(np.radians(north)))
    grid, zone = on_sphere(c["grid"]), on_sphere(c["zone"])
    return bool(zone.difference(grid).area <= 1e-3 * zone.area)


def covers_period(c):
    s = pd.Series([np.nan if v is None else v for v in c["values"]], pd.date_range(c["start"], periods=len(c["values"]), freq=c["frequency"]), dtype=float)
    wanted = pd.period_range(c["from"], c["to"], freq={"MS": "M", "D": "D"}[c["frequency"]]).to_timestamp()
    return bool(s.reindex(wanted).notna().all())


def main():
    q = json.load(sys.stdin)
    json.dump({
        "scores": [score(c) for c in q["scores"]],
        "ranges": [in_range(c) for c in q["ranges"]],
        "units": [cf_units.Unit(a) == cf_units.Unit(b) for a, b in q["units"]],
        "same": [bool(np.isclose(c["a"], c["b"], rtol=0, atol=c["tolerance"] * max(abs(c["a"]), abs(c["b"])))) for c in q["same"]],
        "regions": [covers_region(c) for c in q["regions"]],
        "periods": [covers_period(c) for c in q["periods"]],
        "empty": [pd.Series(v, dtype=float).notna().any().item() for v in q["empty"]],
    }, sys.stdout)


main()
