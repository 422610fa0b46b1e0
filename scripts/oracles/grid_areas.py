"""Areas of longitude-latitude cells on WGS84, by pyproj's geodesics.

in:  [[west, south, east, north], ...] in degrees
out: [km2, ...]
A parallel is no geodesic, so each is followed in steps of 1/400 of the
width of the cell.
"""
import json
import sys

import numpy
import pyproj


def area(box):
    west, south, east, north = box
    lons = numpy.linspace(west, east, 401)
    ring_lon = numpy.concatenate([lons, lons[::-1]])
    ring_lat = numpy.concatenate([numpy.full(401, south), numpy.full(401, north)])
    square_metres, _ = pyproj.Geod(ellps="WGS84").polygon_area_perimeter(ring_lon, ring_lat)
    return abs(square_metres) / 1e6


def main():
    json.dump([area(box) for box in json.load(sys.stdin)], sys.stdout)


main()
