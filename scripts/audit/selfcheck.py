"""Compare the audit's own definitions with libraries that were written by others.

    python scripts/audit/selfcheck.py

Ellipsoid areas against pyproj, means over a zone against exactextract with the cells' areas as weights, reference
evapotranspiration against refet. Exits with 1 and a line for each comparison that is off.
"""

import sys

import numpy as np

import definitions as d
import evapotranspiration
import sources

LINES = []


def compare(what, got, want, rel):
    off = abs(got - want) / abs(want)
    LINES.append((off > rel, f"{what}: {got:.9g}, {want:.9g} by the library ({off:.1e}, at most {rel:.0e})"))


def areas():
    for name in ("Kenya", "Spain", "Mongolia", "Lesotho"):
        compare(f"area of {name}", d.weights(sources.etopo(), name).sum(), d.area_km2(name), 1e-4)


def means():
    import exactextract
    import shapely.geometry

    for name in ("Switzerland", "Ethiopia", "Lesotho", "Mexico"):
        shape = d.zone(name)
        relief = sources.etopo()
        lon, lat = d.edges(relief.lon), d.edges(relief.lat, -90, 90)
        cell = np.diff(d.authalic(lat))[:, None] * np.diff(np.radians(lon))[None, :]
        west = 360 if shape.bounds[0] < 20 else 0
        moved = shapely.affinity.translate(shape, xoff=west)
        extent = dict(xmin=lon[0], ymin=lat[0], xmax=lon[-1], ymax=lat[-1])
        source = lambda a: exactextract.raster.NumPyRasterSource(np.ascontiguousarray(np.asarray(a)[::-1]), **extent)
        feature = {"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(moved)}
        got = exactextract.exact_extract(source(relief), [feature], "weighted_mean", weights=source(cell))
        compare(f"mean height of {name}", d.zonal_mean(relief, name), got[0]["properties"]["weighted_mean"], 1e-4)


def grass():
    import refet

    days = sources.seattle().loc["2014-06-01":"2014-08-31"]
    _, latitude = sources.city("Seattle")
    high, low, doy = days["temp_max"].to_numpy(), days["temp_min"].to_numpy(), days.index.day_of_year.to_numpy()
    ra = evapotranspiration.extraterrestrial(doy, latitude)
    rs = np.minimum(0.16 * np.sqrt(high - low) * ra, (0.75 + 2e-5 * 112.5) * ra)
    ea = evapotranspiration.saturation(low)
    want = refet.Daily(tmin=low, tmax=high, ea=ea, rs=rs, uz=np.full(len(high), 2.0), zw=2, elev=112.5, lat=latitude, doy=doy,
                       method="asce", rso_type="simple").eto()
    got = evapotranspiration.reference(high, low, doy, latitude, 112.5)
    # refet takes the constants of ASCE, which are rounded otherwise than those of FAO-56 (4.901e-9, 0.000665 P).
    compare("evapotranspiration of a summer", got.sum(), want.sum(), 3e-3)


for check in (areas, means, grass):
    check()
for bad, line in LINES:
    print("OFF " if bad else "ok  ", line)
sys.exit(any(bad for bad, _ in LINES))
