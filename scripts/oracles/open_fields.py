"""Selections from the shipped fields by xarray.

in:  [{"file": name, "variable": v, "west", "south", "east", "north", "month": 1..12 or 0, "level": m or null}, ...]
out: [{"count", "sum", "shape": [lat, lon]}, ...] of the cells whose centres lie in the box; months summed when 0
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import xarray as xr

warnings.filterwarnings("ignore")
ROOT = pathlib.Path(__file__).resolve().parents[2] / "scenarios/data"


def one(case):
    with xr.open_dataset(ROOT / case["file"], decode_times=False) as ds:
        a = ds[case["variable"]].load().astype(float)
    names = {}
    for d in a.dims:
        units = ds[d].attrs.get("units", "")
        if "north" in units:
            names[d] = "lat"
        elif "east" in units:
            names[d] = "lon"
        elif "since" in units:
            names[d] = "time"
        else:
            names[d] = "level"
    a = a.rename(names).sortby("lat")
    if case["level"] is not None:
        a = a.sel(level=case["level"])
    if case["month"] and "time" in a.dims:
        a = a.isel(time=case["month"] - 1)
    a = a.sel(lat=slice(case["south"], case["north"]))
    width = (case["east"] - case["west"]) % 360
    a = a.isel(lon=np.flatnonzero((a.lon.values - case["west"]) % 360 <= width))
    v = a.values
    ok = np.isfinite(v)
    return {"count": int(ok.sum()), "sum": float(v[ok].sum()), "shape": [a.sizes["lat"], a.sizes["lon"]]}


json.dump([one(c) for c in json.load(sys.stdin)], sys.stdout)
