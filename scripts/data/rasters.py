"""The three gridded data sets, written as NetCDF classic with CF attributes.

No field is re-gridded or moved: every cell keeps its place. Values are packed
as 16-bit integers where the step of the packing is below what the source
resolves; the step is stated in the manifest together with the largest change
that it made, which is measured here. Where 16 bits do not reach, values stay
32-bit floats, unchanged.
"""

import netCDF4
import numpy as np

from sources import BuildError, source

FILL = np.int16(-32768)

# name: (source name, standard name, long name, unit, step, offset, aliases).
# Steps of 1/512 and 1/1024 are exact in binary, so that every reader unpacks
# the same numbers, in single and in double precision.
COADS = {
    "sst": ("SST", "sea_surface_temperature", "sea surface temperature", "degC", 1 / 1024, 16.0,
            ["sea_surface_temperature", "sea temperature", "ocean temperature", "water temperature"]),
    "air_temperature": ("AIRT", "air_temperature", "air temperature over the sea", "degC", 1 / 512, 0.0,
                        ["airt", "marine air temperature"]),
    "specific_humidity": ("SPEH", "specific_humidity", "specific humidity", "g kg-1", 1 / 1024, 0.0,
                          ["speh", "humidity"]),
    "wind_speed": ("WSPD", "wind_speed", "wind speed", "m s-1", 1 / 1024, 0.0, ["wspd", "wind"]),
    "eastward_wind": ("UWND", "eastward_wind", "eastward wind", "m s-1", 1 / 1024, 0.0,
                      ["uwnd", "zonal wind"]),
    "northward_wind": ("VWND", "northward_wind", "northward wind", "m s-1", 1 / 1024, 0.0,
                       ["vwnd", "meridional wind"]),
    "sea_level_pressure": ("SLP", "air_pressure_at_mean_sea_level", "sea level pressure", "hPa", 1 / 512, 1000.0,
                           ["slp", "pressure", "mean sea level pressure"]),
}

LEVITUS = {
    "sea_water_temperature": ("TEMP", "sea_water_temperature", "sea water temperature, annual mean", "degC",
                              0.001, 0.0, ["temp", "ocean temperature", "temperature"]),
    "salinity": ("SALT", "sea_water_salinity", "salinity, annual mean", "1e-3", 0.001, 20.0,
                 ["salt", "sea_water_salinity"]),
}
LEVITUS_LEVELS = [0, 50, 100, 200, 400, 1000, 2000, 4000]


def _new(path, title, source_line):
    out = netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC")
    out.Conventions = "CF-1.8"
    out.title = title
    out.source = source_line
    return out


def _axis(out, name, values, attributes, edges=None):
    """A coordinate variable, with its bounds when edges are given."""
    out.createDimension(name, len(values))
    variable = out.createVariable(name, "f8", (name,))
    variable.setncatts(attributes)
    if edges is not None:
        if "bnds" not in out.dimensions:
            out.createDimension("bnds", 2)
        variable.bounds = name + "_bnds"
        bounds = out.createVariable(name + "_bnds", "f8", (name, "bnds"))
        bounds[:] = np.column_stack([edges[:-1], edges[1:]])
    variable[:] = values


def _lonlat(out, lon_edges, lat_edges):
    centre = lambda e: (e[:-1] + e[1:]) / 2
    _axis(out, "lat", centre(lat_edges), {
        "standard_name": "latitude", "long_name": "latitude", "units": "degrees_north", "axis": "Y"}, lat_edges)
    _axis(out, "lon", centre(lon_edges), {
        "standard_name": "longitude", "long_name": "longitude", "units": "degrees_east", "axis": "X"}, lon_edges)


def _pack(out, name, dimensions, raw, source_fill, spec, cell_methods=None):
    """Write one packed variable; return the manifest's line on the packing."""
    _, standard, long_name, unit, step, offset, _ = spec
    if step is None:
        return _keep(out, name, dimensions, raw, source_fill, spec)
    missing = raw == source_fill
    if not np.isfinite(raw).all():
        raise BuildError(f"{name}: values that are not finite in the source")
    packed = np.rint((raw.astype("f8") - offset) / step)
    packed[missing] = FILL
    valid = packed[~missing]
    if valid.min() <= -32768 or valid.max() > 32767:
        raise BuildError(f"{name}: the packing does not hold {raw[~missing].min()} to {raw[~missing].max()}")
    change = np.abs(valid * step + offset - raw[~missing].astype("f8")).max()
    variable = out.createVariable(name, "i2", dimensions, fill_value=FILL)
    attributes = {"long_name": long_name, "units": unit, "scale_factor": step}
    if standard:
        attributes["standard_name"] = standard
    if offset:
        attributes["add_offset"] = offset
    if cell_methods:
        attributes["cell_methods"] = cell_methods
    variable.set_auto_maskandscale(False)
    variable.setncatts(attributes)
    variable[:] = packed.astype("i2")
    return f"int16, step {step:.6g} {unit}; largest change {change:.2g} {unit}"


def _keep(out, name, dimensions, raw, source_fill, spec):
    """Write one variable as it is; return the manifest's line on it."""
    if raw.dtype != np.dtype("f4") or (raw == source_fill).any():
        raise BuildError(f"{name}: expected 32-bit floats without missing values")
    variable = out.createVariable(name, "f4", dimensions)
    variable.setncatts({"standard_name": spec[1], "long_name": spec[2], "units": spec[3]})
    variable[:] = raw
    return "float32, as in the source"


def _open(key):
    path, package = source(key)
    dataset = netCDF4.Dataset(path)
    dataset.set_auto_maskandscale(False)
    return dataset, package


def _describe(name, spec, packing, **more):
    source_name, standard, long_name, unit, _, _, aliases = spec
    return {"name": name, "aliases": aliases, "standard_name": standard, "long_name": long_name, "unit": unit,
            "source_name": source_name, "packing": packing, **more}


def coads(path):
    """Twelve months of the marine climatology, 2 degrees."""
    src, package = _open("coads")
    lon, lat = src["COADSX"][:], src["COADSY"][:]
    if not (np.array_equal(lon, np.arange(21, 380, 2)) and np.array_equal(lat, np.arange(-89, 90, 2))):
        raise BuildError("coads: the grid is not the one that was looked at")
    out = _new(path, "COADS monthly climatology 1946-1989", package)
    out.createDimension("bnds", 2)
    day = lambda year, month: (np.datetime64(f"{year + month // 12}-{month % 12 + 1:02d}-01")
                               - np.datetime64("1946-01-01")).astype(int)
    middle = [(day(1967, m) + day(1967, m + 1)) / 2 for m in range(12)]
    _axis(out, "time", middle, {
        "standard_name": "time", "long_name": "month of a climatological year", "axis": "T",
        "units": "days since 1946-01-01 00:00:00", "calendar": "standard", "climatology": "climatology_bounds"})
    bounds = out.createVariable("climatology_bounds", "f8", ("time", "bnds"))
    bounds[:] = [[day(1946, m), day(1989, m + 1)] for m in range(12)]
    _lonlat(out, np.arange(20.0, 381, 2), np.arange(-90.0, 91, 2))
    variables = []
    for name, spec in COADS.items():
        raw = src[spec[0]]
        packing = _pack(out, name, ("time", "lat", "lon"), raw[:], raw._FillValue, spec,
                        "time: mean within years time: mean over years")
        variables.append(_describe(name, spec, packing, cell_methods="time: mean"))
    out.close()
    return {
        "name": "coads_climatology", "title": "COADS monthly climatology of the sea surface and the air over it",
        "kind": "raster", "aliases": ["coads", "marine climatology", "ocean climatology"],
        "period": "climatology of 1946-1989", "frequency": "climatological_month", "calendar": "standard",
        "region": "global oceans", "resolution": "2 degrees",
        "licence": "public domain (NOAA, United States government; Ferret licence)",
        "source": f"NOAA/PMEL, COADS ship reports averaged over 1946-1989; {package}",
        "cut": "nothing: 12 months, all 7 variables, all cells; variables renamed, times written as a CF climatology, "
               "MB as hPa; columns stay in the source's order, 20 to 380 degrees east",
        "synthetic": False, "file": "coads_climatology.nc", "variables": variables}


def etopo(path):
    """Relief of land and sea floor, 20 minutes."""
    src, package = _open("etopo")
    raw = src["ROSE"][:]
    if raw.shape != (540, 1081) or not np.array_equal(raw[:, 0], raw[:, -1]):
        raise BuildError("etopo: the grid is not the one that was looked at")
    spec = ("ROSE", "height_above_mean_sea_level", "height of the land and the sea floor above mean sea level", "m",
            None, 0.0, ["relief", "height", "altitude", "topography", "bathymetry", "terrain"])
    out = _new(path, "ETOPO5 relief averaged to 20 minutes", package)
    _lonlat(out, 20 + np.arange(1081) / 3, -90 + np.arange(541) / 3)
    packing = _pack(out, "elevation", ("lat", "lon"), raw[:, :-1], src["ROSE"]._FillValue, spec)
    out.close()
    return {
        "name": "etopo_relief", "title": "ETOPO relief of the Earth, land and sea floor",
        "kind": "raster", "aliases": ["etopo", "etopo20", "relief", "topography", "elevation", "dem"],
        "period": "", "frequency": "", "calendar": "", "region": "global", "resolution": "20 minutes (1/3 degree)",
        "licence": "public domain (NOAA, United States government; Ferret licence)",
        "source": f"NOAA/NGDC ETOPO5, averaged to 20 minutes by NOAA/PMEL; {package}",
        "cut": "the 1081st column, a copy of the first; thirds of a degree written exactly (the source's drift by "
               "4e-5 degrees); columns stay in the source's order, 20 to 380 degrees east",
        "synthetic": False, "file": "etopo_relief.nc",
        "variables": [_describe("elevation", spec, packing)]}


def levitus(path):
    """Annual mean temperature and salinity of the sea at some depths, 1 degree."""
    src, package = _open("levitus")
    depth = src["ZAXLEVITR"][:]
    rows = [int(np.flatnonzero(depth == level)[0]) for level in LEVITUS_LEVELS]
    if src["XAXLEVITR"][0] != 20.5 or src["YAXLEVITR"][0] != -89.5:
        raise BuildError("levitus: the grid is not the one that was looked at")
    out = _new(path, "Levitus (1982) annual climatology of temperature and salinity", package)
    _axis(out, "depth", depth[rows], {
        "standard_name": "depth", "long_name": "depth", "units": "m", "positive": "down", "axis": "Z"})
    _lonlat(out, np.arange(20.0, 381, 1), np.arange(-90.0, 91, 1))
    variables = []
    for name, spec in LEVITUS.items():
        raw = src[spec[0]]
        packing = _pack(out, name, ("depth", "lat", "lon"), raw[rows], raw._FillValue, spec)
        variables.append(_describe(name, spec, packing, levels=LEVITUS_LEVELS, level_unit="m"))
    out.close()
    return {
        "name": "levitus_climatology", "title": "Levitus annual climatology of ocean temperature and salinity",
        "kind": "raster", "aliases": ["levitus", "ocean temperature and salinity", "world ocean atlas"],
        "period": "", "frequency": "", "calendar": "", "region": "global oceans", "resolution": "1 degree",
        "licence": "public domain (NOAA, United States government; Ferret licence)",
        "source": f"S. Levitus, Climatological Atlas of the World Ocean, NOAA 1982; {package}",
        "cut": f"levels {', '.join(map(str, LEVITUS_LEVELS))} m of the source's 20 (0 to 5000 m); the source resolves "
               "0.001, which is kept; columns stay in the source's order, 20 to 380 degrees east",
        "synthetic": False, "file": "levitus_climatology.nc", "variables": variables}
