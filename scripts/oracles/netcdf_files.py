"""NetCDF files by libnetcdf (netCDF4-python, ncgen) and xarray.

in:  [{"path": file} or {"base64": bytes} or {"cdl": text, "kind": ncgen -k kind}, ...],
     each with "variables": [name, ...] (empty: all) and "xarray": true for decoded coordinates
out: [{"base64": bytes of a made file, "format": name, "attributes": {...},
       "variables": {name: {"shape": [...], "values": [x or null, ...], "attributes": {...}}},
       "times": [iso, ...]}, ...]
Values are masked and unpacked; text is a list of strings.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

import netCDF4
import numpy
import xarray


def plain(value):
    if isinstance(value, str):
        return value
    return [float(x) for x in numpy.atleast_1d(value)]


def values_of(variable):
    if variable.dtype == "S1":
        data = variable[:]
        return ["".join(row) for row in netCDF4.chartostring(data).reshape(-1, 1)] if data.ndim else [str(data)]
    data = numpy.ma.masked_invalid(numpy.ma.asarray(variable[...])).astype("f8")
    return [None if x is numpy.ma.masked else float(x) for x in data.reshape(-1)]


def read(path, names, with_xarray):
    reply = {}
    with netCDF4.Dataset(path) as dataset:
        reply["format"] = dataset.data_model
        reply["attributes"] = {n: plain(dataset.getncattr(n)) for n in dataset.ncattrs()}
        reply["variables"] = {}
        for name in names or dataset.variables:
            variable = dataset[name]
            reply["variables"][name] = {
                "shape": [int(n) for n in variable.shape],
                "values": values_of(variable),
                "attributes": {n: plain(variable.getncattr(n)) for n in variable.ncattrs()},
            }
    if with_xarray:
        with xarray.open_dataset(path, use_cftime=True) as dataset:
            reply["times"] = [t.isoformat() for t in dataset["time"].values] if "time" in dataset else []
    return reply


def answer(case, folder):
    path = case.get("path") or os.path.join(folder, "file.nc")
    made = None
    if "cdl" in case:
        cdl = os.path.join(folder, "file.cdl")
        with open(cdl, "w") as out:
            out.write(case["cdl"])
        subprocess.run(["ncgen", "-k", case["kind"], "-o", path, cdl], check=True)
        with open(path, "rb") as file:
            made = base64.b64encode(file.read()).decode()
    elif "base64" in case:
        with open(path, "wb") as out:
            out.write(base64.b64decode(case["base64"]))
        subprocess.run(["ncdump", "-h", path], check=True, stdout=subprocess.DEVNULL)
    reply = read(path, case.get("variables"), case.get("xarray"))
    reply["base64"] = made
    return reply


def main():
    replies = []
    for case in json.load(sys.stdin):
        with tempfile.TemporaryDirectory() as folder:
            replies.append(answer(case, folder))
    json.dump(replies, sys.stdout)


main()
