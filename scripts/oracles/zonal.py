"""Zonal statistics, by shapely in an equal-area plane.

in:  [{"lon_edges": [...], "lat_edges": [...] ascending, "values": [[...] south to north] with null for missing,
       "rings": [[[lon, lat], ...], ...] one polygon}, ...]
out: [{"mean", "min", "max", "std", "area", "cells", "valid", "above"}, ...]; "above" is the area in
     km2 of valid cells above "threshold", where a case has one; null where there is no valid cell

Weights are shapely's intersections in the plane of longitude and authalic sine, where an area is the ellipsoid's and a
cell stays a rectangle; sides are followed in steps of 0.05 degrees.
"""
import json
import sys

import numpy as np
import pyproj
import shapely

GEOD = pyproj.Geod(ellps="WGS84")
E2 = GEOD.es
E = np.sqrt(E2)


def authalic(lat):
    s = np.sin(np.radians(lat))
    return (GEOD.a / 1000) ** 2 * (1 - E2) / 2 * (s / (1 - E2 * s * s) + np.arctanh(E * s) / E)


def plane(points):
    return np.column_stack([np.radians(points[:, 0]), authalic(points[:, 1])])


def one(case):
    lon, lat = np.array(case["lon_edges"]), np.array(case["lat_edges"])
    values = np.array([[np.nan if v is None else v for v in row] for row in case["values"]], float)
    rings = case["rings"]
    shape = shapely.Polygon(rings[0], rings[1:])
    weight = np.zeros_like(values)
    y = authalic(lat)
    for shift in (-720, -360, 0, 360, 720):
        moved = shapely.transform(shape, lambda p: p + np.array([shift, 0.0]))
        if moved.bounds[2] <= lon[0] or moved.bounds[0] >= lon[-1]:
            continue
        flat = shapely.transform(shapely.segmentize(moved, 0.05), plane)
        shapely.prepare(flat)
        for r in np.flatnonzero((lat[1:] > moved.bounds[1]) & (lat[:-1] < moved.bounds[3])):
            cells = shapely.box(np.radians(lon[:-1]), y[r], np.radians(lon[1:]), y[r + 1])
            inside = shapely.contains_properly(flat, cells)
            edge = np.flatnonzero(shapely.intersects(flat, cells) & ~inside)
            weight[r, inside] += shapely.area(cells[inside])
            weight[r, edge] += shapely.area(shapely.intersection(flat, cells[edge]))
    total = shapely.area(shapely.box(np.radians(lon[:-1])[None, :], y[:-1, None], np.radians(lon[1:])[None, :], y[1:, None]))
    weight[weight < 1e-7 * total] = 0
    ok = np.isfinite(values) & (weight > 0)
    out = {"cells": int((weight > 0).sum()), "valid": int(ok.sum()), "area": float(weight.sum())}
    if "threshold" in case:
        out["above"] = float(weight[ok & (np.where(ok, values, 0) > case["threshold"])].sum())
        out["valid_area"] = float(weight[ok].sum())
    if ok.any():
        w, v = weight[ok], values[ok]
        mean = float((w * v).sum() / w.sum())
        out.update(mean=mean, min=float(v.min()), max=float(v.max()), std=float(np.sqrt((w * (v - mean) ** 2).sum() / w.sum())))
    return out


json.dump([one(c) for c in json.load(sys.stdin)], sys.stdout)
