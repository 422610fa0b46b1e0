"""What the words of the answers mean, written out once.

- A statistic over a zone weights every cell with a value by the ellipsoid (WGS84) area of its part inside the zone.
  Zone edges are straight lines in longitude and latitude. In the plane of longitude and authalic sine of latitude an
  area is an ellipsoid area, and a grid cell stays a rectangle: intersections are taken there, with edges cut fine.
- min and max over a zone are over the cells that have any part inside.
- A mean over the months of a climatological year weights by month length, February 28.2425 days (the Gregorian mean).
- A cell's mean over time is over the months that it has.
"""

import math

import numpy as np
import pyproj
import shapely
import shapely.geometry
from shapely import affinity

import sources

class Unfit(Exception):
    """A draw that makes no sound task; the generator takes another."""


GEOD = pyproj.Geod(ellps="WGS84")
MONTH_DAYS = np.array([31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])

# NOAA's boxes: west, south, east, north.
REGIONS = {"nino12": (270, -10, 280, 0), "nino3": (210, -5, 270, 5), "nino34": (190, -5, 240, 5),
           "nino4": (160, -5, 210, 5)}

_E2 = GEOD.es
_E = math.sqrt(_E2)


def _q(sin_phi):
    s = sin_phi
    return (1 - _E2) * (s / (1 - _E2 * s * s) - np.log((1 - _E * s) / (1 + _E * s)) / (2 * _E))


_QP = _q(1.0)
R2_KM2 = (GEOD.a / 1000) ** 2 * _QP / 2  # square of the authalic radius, km2


def authalic(lat):
    """Sine of the authalic latitude of a geographic latitude in degrees."""
    return _q(np.sin(np.radians(lat))) / _QP


def zone(z):
    """A zone as a shapely geometry: a country or region by name, a box (west, south, east, north), or a geometry."""
    if isinstance(z, str):
        z = REGIONS.get(z, z)
    if isinstance(z, str):
        return sources.countries()[z]
    if isinstance(z, (tuple, list)):
        west, south, east, north = z
        return shapely.geometry.box(west, south, east if east > west else east + 360, north)
    return z


def flat(geometry):
    """The geometry in (longitude in radians, authalic sine), its edges cut to at most 0.02 degrees first."""
    fine = shapely.segmentize(geometry, 0.02)
    return shapely.make_valid(shapely.transform(fine, lambda p: np.column_stack([np.radians(p[:, 0]), authalic(p[:, 1])])))


def edges(centres, low=None, high=None):
    c = np.asarray(centres, float)
    mid = (c[1:] + c[:-1]) / 2
    e = np.concatenate([[c[0] - (mid[0] - c[0])], mid, [c[-1] + (c[-1] - mid[-1])]])
    return np.clip(e, low, high) if low is not None else e


_WEIGHTS = {}


def weights(raster, z):
    """Area in km2 of the part of each cell inside the zone; of named zones and boxes computed once."""
    if not isinstance(z, (str, tuple)):
        return _weights(raster, z)
    key = (raster.lat.size, raster.lon.size, z)
    if key not in _WEIGHTS:
        _WEIGHTS[key] = _weights(raster, z)
    return _WEIGHTS[key]


def _weights(raster, z):
    """Area in km2 of the part of each cell (lat, lon) inside the zone; longitudes of any convention."""
    shape = zone(z)
    lon, lat = edges(raster.lon), edges(raster.lat, -90, 90)
    out = np.zeros((raster.lat.size, raster.lon.size))
    x, y = np.radians(lon), authalic(lat)
    for shift in (-720, -360, 0, 360, 720):
        moved = affinity.translate(shape, xoff=shift)
        west, south, east, north = moved.bounds
        cols = np.flatnonzero((lon[1:] > west) & (lon[:-1] < east))
        rows = np.flatnonzero((lat[1:] > south) & (lat[:-1] < north))
        if cols.size == 0 or rows.size == 0:
            continue
        plane = flat(moved)
        shapely.prepare(plane)
        r, c = (a.ravel() for a in np.meshgrid(rows, cols, indexing="ij"))
        cells = shapely.box(x[c], y[r], x[c + 1], y[r + 1])
        inside = shapely.contains_properly(plane, cells)
        area = np.where(inside, shapely.area(cells), 0.0)
        edge = shapely.intersects(plane, cells) & ~inside
        area[edge] = shapely.area(shapely.intersection(plane, cells[edge]))
        np.add.at(out, (r, c), area * R2_KM2)
    return out


def zonal_mean(raster, z):
    """Mean over the zone; for a raster with months an array of 12."""
    w = weights(raster, z)
    v = np.asarray(raster, float)
    ok = np.isfinite(v)
    total = np.where(ok, v, 0) * w
    return total.sum(axis=(-2, -1)) / (ok * w).sum(axis=(-2, -1))


def area_where(raster, z, test):
    """(area in km2 where the test holds, area of the cells with a value, area of all) inside the zone."""
    w = weights(raster, z)
    v = np.asarray(raster, float)
    ok = np.isfinite(v)
    return float((w * (ok & test(np.where(ok, v, 0)))).sum()), float((w * ok).sum()), float(w.sum())


def year_mean(raster):
    """Mean over the 12 months of a climatology at every cell, by month length, over the months that the cell has."""
    v = np.asarray(raster, float)
    ok = np.isfinite(v)
    days = MONTH_DAYS[:, None, None]
    with np.errstate(invalid="ignore"):
        mean = (np.where(ok, v, 0) * days).sum(axis=0) / (ok * days).sum(axis=0)
    return raster.isel(month=0).copy(data=mean)


def at_point(raster, lon, lat):
    """Values of the cell that the point is in."""
    d = (np.asarray(raster.lon) - lon + 180) % 360 - 180
    return np.asarray(raster, float)[..., int(np.abs(np.asarray(raster.lat) - lat).argmin()), int(np.abs(d).argmin())]


def distance_km(a, b):
    """Geodesic distance of two (lon, lat)."""
    return GEOD.inv(*a, *b)[2] / 1000


def area_km2(name):
    """Area of a country with geodesic edges."""
    return abs(GEOD.geometry_area_perimeter(_oriented(zone(name)))[0]) / 1e6


def _oriented(geometry):
    return shapely.geometry.MultiPolygon([shapely.geometry.polygon.orient(p) for p in geometry.geoms])


def circle(lon, lat, km, points=720):
    """The geodesic circle around a point as a polygon."""
    az = np.linspace(0, 360, points, endpoint=False)
    x, y, _ = GEOD.fwd(np.full(points, lon), np.full(points, lat), az, np.full(points, km * 1000))
    x = lon + (np.asarray(x) - lon + 180) % 360 - 180
    return shapely.geometry.Polygon(np.column_stack([x, y]))


def longest_run(flags):
    best = run = 0
    for f in flags:
        run = run + 1 if f else 0
        best = max(best, run)
    return best
