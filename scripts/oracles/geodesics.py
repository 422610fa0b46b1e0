"""Geodesics, areas and borders by pyproj.

in:  {"pairs": [[lat1, lon1, lat2, lon2], ...], "walks": [[lat, lon, azimuth, km], ...],
      "shapes": [[[lon, lat], ...], ...] rings}
out: {"pairs": [[km, azimuth], ...], "walks": [[lat, lon], ...], "shapes": [[km2, km], ...]}
A side that is straight in longitude and latitude is followed in steps of 0.02 degrees.
"""
import json
import sys

import numpy as np
import pyproj
import shapely

GEOD = pyproj.Geod(ellps="WGS84")


def pair(p):
    azimuth, _, metres = GEOD.inv(p[1], p[0], p[3], p[2])
    return [metres / 1000, azimuth]


def walk(w):
    lon, lat, _ = GEOD.fwd(w[1], w[0], w[2], w[3] * 1000)
    return [lat, lon]


def shape(ring):
    fine = np.array(shapely.segmentize(shapely.LinearRing(ring), 0.02).coords)
    area, length = GEOD.polygon_area_perimeter(fine[:-1, 0], fine[:-1, 1])
    return [abs(area) / 1e6, length / 1000]


doc = json.load(sys.stdin)
json.dump({k: [f(x) for x in doc[k]] for k, f in (("pairs", pair), ("walks", walk), ("shapes", shape))}, sys.stdout)
