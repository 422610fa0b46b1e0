"""The raw source files, read with Python libraries only.

Nothing here reads a file that Almanac made: the audit has to notice when the catalog cut, flipped, scaled or
labelled something wrongly. The files come from the same packages as the catalog's: Debian `ferret-datasets` and
`libmagics++-data`, npm `world-atlas` and `vega-datasets`, PyPI `statsmodels`. `make data` unpacks them into the
cache; ALMANAC_SOURCES names another folder.
"""

import functools
import json
import os
import pathlib
import struct

import numpy as np
import pandas as pd
import shapely
import shapely.geometry
import xarray as xr

ETOPO = "etopo20.cdf"
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December"]


def root():
    default = pathlib.Path.home() / ".cache/almanac/data-build/x"
    return pathlib.Path(os.environ.get("ALMANAC_SOURCES", default))


def find(name):
    """The source file of that name, wherever its package was unpacked."""
    hits = sorted(root().rglob(name))
    if not hits:
        raise SystemExit(f"audit: no source file {name} under {root()}: run `make data`, or set ALMANAC_SOURCES")
    return hits[0]


COADS = {"sst": "SST", "air_temperature": "AIRT", "specific_humidity": "SPEH", "wind_speed": "WSPD",
         "eastward_wind": "UWND", "northward_wind": "VWND", "sea_level_pressure": "SLP"}


@functools.cache
def coads(variable):
    """One variable of the COADS climatology as (month 0..11, latitude, longitude), longitudes 21 … 379."""
    with xr.open_dataset(find("coads_climatology.cdf"), decode_times=False) as ds:
        a = ds[COADS[variable]].load()
    return a.rename({"TIME": "month", "COADSY": "lat", "COADSX": "lon"}).assign_coords(month=np.arange(12)).astype(float)


@functools.cache
def etopo():
    """Relief in metres. The file repeats its first column at the end (longitude + 360): the copy is dropped."""
    with xr.open_dataset(find(ETOPO), decode_times=False) as ds:
        a = ds["ROSE"].load()
    y, x = a.dims
    a = a.rename({y: "lat", x: "lon"}).astype(float)
    if a.lon[-1] - a.lon[0] >= 360 - 1e-3:  # thirds of a degree in single precision
        a = a.isel(lon=slice(0, -1))
    return a


@functools.cache
def levitus(variable):
    """One variable of the Levitus climatology as (level in metres, latitude, longitude)."""
    name = {"sea_water_temperature": "TEMP", "salinity": "SALT"}[variable]
    with xr.open_dataset(find("levitus_climatology.cdf"), decode_times=False) as ds:
        a = ds[name].load()
    return a.rename({"ZAXLEVITR": "level", "YAXLEVITR": "lat", "XAXLEVITR": "lon"}).astype(float)


@functools.cache
def seattle():
    """Daily weather of Seattle, 2012 to 2015, by date."""
    return pd.read_csv(find("seattle-weather.csv"), parse_dates=["date"]).set_index("date")


@functools.cache
def el_nino():
    """Monthly sea surface temperature of the Niño 1+2 box, 1950 to 2010, by month."""
    import statsmodels.api as sm

    wide = sm.datasets.elnino.load_pandas().data.set_index("YEAR")
    index = [pd.Period(year=int(y), month=m + 1, freq="M") for y in wide.index for m in range(12)]
    return pd.Series(wide.to_numpy().ravel(), index=pd.PeriodIndex(index))


@functools.cache
def co2():
    """Weekly CO2 of Mauna Loa by the date of each week's Saturday, 1958 to 2001; NaN where a week was not measured."""
    import statsmodels.api as sm

    return sm.datasets.co2.load_pandas().data["co2"]


@functools.cache
def countries():
    """Outlines of countries by name, from the TopoJSON of world-atlas at 1:50 million."""
    topo = json.loads(find("countries-50m.json").read_text())
    sx, sy = topo["transform"]["scale"]
    tx, ty = topo["transform"]["translate"]

    arcs = []
    for arc in topo["arcs"]:
        steps = np.cumsum(np.array(arc), axis=0)
        arcs.append(steps * [sx, sy] + [tx, ty])

    def ring(refs):
        points = []
        for r in refs:
            a = arcs[r] if r >= 0 else arcs[~r][::-1]
            points.extend(a if not points else a[1:])
        return points

    out = {}
    for g in topo["objects"]["countries"]["geometries"]:
        if g["type"] == "Polygon":
            polygons = [g["arcs"]]
        elif g["type"] == "MultiPolygon":
            polygons = g["arcs"]
        else:
            continue
        shapes = [shapely.geometry.Polygon(ring(p[0]), [ring(h) for h in p[1:]]) for p in polygons]
        out[g["properties"]["name"]] = shapely.geometry.MultiPolygon(shapes)
    return out


@functools.cache
def places():
    """Populated places: a row each with name, country, latitude, longitude, population, from the shapefile's table."""
    raw = find("ne_10m_populated_places_simple.dbf").read_bytes()
    count, head, size = struct.unpack("<xxxxIHH", raw[:12])
    columns, at = [], 32
    while raw[at] != 0x0D:
        name = raw[at:at + 11].split(b"\0")[0].decode("ascii").lower()
        columns.append((name, raw[at + 16]))
        at += 32
    rows = []
    for i in range(count):
        record, offset, row = raw[head + i * size:head + (i + 1) * size], 1, {}
        for name, width in columns:
            row[name] = record[offset:offset + width].decode("utf-8", "replace").strip()
            offset += width
        rows.append(row)
    frame = pd.DataFrame(rows)
    for name in ("latitude", "longitude", "pop_max"):
        frame[name] = pd.to_numeric(frame[name], errors="coerce")
    return frame


def city(name):
    """(longitude, latitude) of the most populous place of that name, plain or ASCII spelling."""
    table = places()
    hits = table[(table["name"] == name) | (table["nameascii"] == name)].sort_values("pop_max", ascending=False)
    if hits.empty:
        raise KeyError(f"no populated place {name!r}")
    return float(hits.iloc[0]["longitude"]), float(hits.iloc[0]["latitude"])
