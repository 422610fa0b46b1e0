"""Zonal means by exactextract with the ellipsoid areas of the cells as weights.

in:  like zonal.py
out: [{"mean", "min", "max"}, ...], null without a valid cell
exactextract's coverage is a share in degrees: within a cell it knows no ellipsoid. Cells of a degree or less make the
difference smaller than a part in 10^4.
"""
import json
import sys
import warnings

import numpy as np
from exactextract import exact_extract
from exactextract.raster import NumPyRasterSource
import pyproj

warnings.filterwarnings("ignore")
GEOD = pyproj.Geod(ellps="WGS84")
E2 = GEOD.es
E = np.sqrt(E2)


def authalic(lat):
    s = np.sin(np.radians(lat))
    return s / (1 - E2 * s * s) + np.arctanh(E * s) / E


def one(case):
    lon, lat = case["lon_edges"], np.array(case["lat_edges"])
    values = np.array([[np.nan if v is None else v for v in row] for row in case["values"]], float)
    area = np.repeat(np.diff(authalic(lat))[:, None], values.shape[1], axis=1)
    extent = dict(xmin=lon[0], xmax=lon[-1], ymin=lat[0], ymax=lat[-1])
    raster = NumPyRasterSource(values[::-1], **extent, srs_wkt=None)
    weights = NumPyRasterSource(area[::-1].copy(), **extent, srs_wkt=None)
    feature = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": case["rings"]}}
    out = exact_extract(raster, feature, ["weighted_mean", "min", "max"], weights=weights)[0]["properties"]
    clean = {k: (None if v is None or not np.isfinite(v) else float(v)) for k, v in out.items()}
    return {"mean": clean["weighted_mean"], "min": clean["min"], "max": clean["max"]}


json.dump([one(c) for c in json.load(sys.stdin)], sys.stdout)
