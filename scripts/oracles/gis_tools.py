"""The tools gis.* by numpy, shapely and pyproj.

in:  {"terrain": [{"lon": [...], "lat": [...], "values": [[...] south to north]}, ...],
      "widen": [{"ring": [[lon, lat], ...], "km": d}, ...], "circle": [[lat, lon, km], ...],
      "nearest": [[lat, lon, min_population], ...]}
out: {"terrain": [{"slope", "aspect", "hillshade": [[...]] of the inner cells}, ...], "widen": [km2, ...],
      "circle": [[[lon, lat] every 90 degrees], ...], "nearest": [[name, km], ...]}
Slopes: Horn's weights by convolution with distances from pyproj; shapes are widened in an azimuthal equidistant plane.
"""
import csv
import json
import pathlib
import sys

import numpy as np
import pyproj
import scipy.ndimage
import shapely

GEOD = pyproj.Geod(ellps="WGS84")
PLACES = pathlib.Path(__file__).resolve().parents[2] / "scenarios/data/natural_earth_places.csv"


def terrain(case):
    z = np.array(case["values"], float)
    lon, lat = np.array(case["lon"]), np.array(case["lat"])
    tiny = 1e-4  # degrees: length of a degree by a short geodesic
    dx = np.array([GEOD.inv(0, p, tiny, p)[2] / tiny for p in lat])[:, None] * (lon[1] - lon[0])
    dy = np.array([GEOD.inv(0, p - tiny / 2, 0, p + tiny / 2)[2] / tiny for p in lat])[:, None] * (lat[1] - lat[0])
    east = scipy.ndimage.correlate(z, np.outer([1, 2, 1], [-1, 0, 1])) / 8 / dx
    north = scipy.ndimage.correlate(z, np.outer([-1, 0, 1], [1, 2, 1])) / 8 / dy
    slope = np.arctan(np.hypot(east, north))
    aspect = np.degrees(np.arctan2(-east, -north)) % 360
    zenith, azimuth = np.radians(45), np.radians(315)
    shade = np.cos(zenith) * np.cos(slope) + np.sin(zenith) * np.sin(slope) * np.cos(azimuth - np.radians(aspect))
    inner = (slice(1, -1), slice(1, -1))
    return {"slope": np.degrees(slope)[inner].tolist(), "aspect": aspect[inner].tolist(), "hillshade": np.maximum(shade, 0)[inner].tolist()}


def widen(case):
    shape = shapely.segmentize(shapely.Polygon(case["ring"]), 0.05)
    c = shape.centroid
    there = pyproj.Transformer.from_crs("EPSG:4326", f"+proj=aeqd +lat_0={c.y} +lon_0={c.x} +datum=WGS84", always_xy=True)
    plane = shapely.transform(shape, lambda p: np.column_stack(there.transform(p[:, 0], p[:, 1])))
    wide = plane.buffer(case["km"] * 1000, quad_segs=64)
    back = shapely.transform(wide, lambda p: np.column_stack(there.transform(p[:, 0], p[:, 1], direction="INVERSE")))
    return abs(GEOD.geometry_area_perimeter(shapely.geometry.polygon.orient(back))[0]) / 1e6


def circle(c):
    return [list(GEOD.fwd(c[1], c[0], a, c[2] * 1000)[:2]) for a in (0, 90, 180, 270)]


def nearest(cases):
    with open(PLACES, encoding="utf-8") as f:
        rows = list(csv.reader(f))
    head = [h.split(" (")[0].split(" [")[0] for h in rows[0]]
    at = {n: head.index(n) for n in ("name", "latitude", "longitude", "population")}
    rows = rows[1:]
    lat = np.array([float(r[at["latitude"]]) for r in rows])
    lon = np.array([float(r[at["longitude"]]) for r in rows])
    population = np.array([float(r[at["population"]] or -1) for r in rows])
    out = []
    for y, x, least in cases:
        km = GEOD.inv(np.full(len(rows), x), np.full(len(rows), y), lon, lat)[2] / 1000
        km[population < least] = np.inf
        i = int(np.argmin(km))
        out.append([rows[i][at["name"]], float(km[i])])
    return out


doc = json.load(sys.stdin)
json.dump({"terrain": [terrain(c) for c in doc["terrain"]], "widen": [widen(c) for c in doc["widen"]],
           "circle": [circle(c) for c in doc["circle"]], "nearest": nearest(doc["nearest"])}, sys.stdout)
