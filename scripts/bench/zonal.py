"""Times of the peers for a zonal mean: a global field of 1 degree over a country.

Prints JSON: {country: {"exactextract": ns, "rasterstats": ns}}, the best of several rounds, arrays and shapes already
in memory. exactextract weights cells by a second array of areas; rasterstats counts cells by their centres.
"""
import json
import pathlib
import sys
import time
import warnings

import numpy as np
import rasterio.transform
import rasterstats
from exactextract import exact_extract
from exactextract.raster import NumPyRasterSource

warnings.filterwarnings("ignore")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def best(f, rounds=7):
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        f()
        times.append(time.perf_counter_ns() - start)
    return min(times)


def main():
    names = sys.argv[1:] or ["Kenya", "Brazil", "Russia"]
    shapes = json.loads((ROOT / "scenarios/data/natural_earth_countries.geojson").read_text())["features"]
    values = np.sin(np.arange(64800.0)).reshape(180, 360)
    area = np.repeat(np.cos(np.radians(np.arange(-89.5, 90)))[:, None], 360, axis=1)
    extent = dict(xmin=-180, xmax=180, ymin=-90, ymax=90)
    raster = NumPyRasterSource(values, **extent)
    weights = NumPyRasterSource(area, **extent)
    transform = rasterio.transform.from_bounds(-180, -90, 180, 90, 360, 180)
    out = {}
    for name in names:
        feature = next(f for f in shapes if f["properties"]["name"] == name)
        out[name] = {
            "exactextract": best(lambda: exact_extract(raster, feature, ["weighted_mean"], weights=weights)),
            "rasterstats": best(lambda: rasterstats.zonal_stats(feature, values, affine=transform, stats=["mean"], nodata=-9e9)),
        }
    json.dump(out, sys.stdout)


main()
