"""Pixels of pictures, by rasterio's PNG reader and numpy.

in:  {"maps": [{png, lon_edges, lat_edges, values}, ...], "lines": [{png, days, values}, ...]}; png is base64, values [lat][lon]
     south to north, null is missing
out: {"maps": [share of the frame's pixels that have another colour than their cell, ...],
      "lines": [largest distance in pixels between the line's middle and the interpolated values, ...]}
The frame of a map starts at (70, 50), and 120 pixels to its right and 40 below it are left; that of a line is 90 to 850
by 60 to 370 pixels and spans the values and 4 % of their range on both sides.
"""
import base64
import json
import sys

import numpy as np
from rasterio.io import MemoryFile

# viridis at nine places, from matplotlib's table.
VIRIDIS = np.array([[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]])


def pixels(png):
    with MemoryFile(base64.b64decode(png)) as memory, memory.open() as image:
        return np.moveaxis(image.read()[:3], 0, -1).astype(int)


def different(case):
    picture = pixels(case["png"])[50:-40, 70:-120]
    height, width = picture.shape[:2]
    values = np.array([[np.nan if v is None else v for v in row] for row in case["values"]], float)
    lon, lat = np.array(case["lon_edges"]), np.array(case["lat_edges"])
    x = lon[0] + (np.arange(width) + 0.5) / width * (lon[-1] - lon[0])
    y = lat[-1] - (np.arange(height) + 0.5) / height * (lat[-1] - lat[0])
    shown = values[np.digitize(y, lat) - 1][:, np.digitize(x, lon) - 1]
    share = (shown - np.nanmin(values)) / (np.nanmax(values) - np.nanmin(values))
    want = np.stack([np.interp(share, np.linspace(0, 1, 9), VIRIDIS[:, k]) for k in range(3)], axis=-1)
    want[np.isnan(shown)] = 190
    return float((np.abs(picture - want).max(axis=-1) > 1).mean())


def farthest(case):
    picture = pixels(case["png"])
    days, values = np.array(case["days"], float), np.array(case["values"], float)
    low, high = values.min(), values.max()
    room = 0.04 * (high - low)
    blue = np.clip((picture[:, :, 2] - picture[:, :, 0]) / 129, 0, 1)[60:370]
    worst = 0
    for column in range(100, 841, 7):
        weight = blue[:, column]
        middle = (weight * (np.arange(310) + 0.5)).sum() / weight.sum()
        value = np.interp((column + 0.5 - 90) / 760, days / days[-1], values)
        worst = max(worst, abs(middle - (high + room - value) / (high - low + 2 * room) * 310))
    return float(worst)


def main():
    q = json.load(sys.stdin)
    json.dump({"maps": [different(c) for c in q["maps"]], "lines": [farthest(c) for c in q["lines"]]}, sys.stdout)


main()
