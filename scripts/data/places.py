"""Populated places: the Natural Earth shapefile to CSV.

Position is the point of the shapefile; the latitude and longitude columns of
its table disagree with it in eleven rows, once by half the globe. Text is in
code page 1252; letters that were lost before (a "?" in the name of a division)
make that name empty.
"""

import csv
import re
import struct

from sources import BuildError, source

HEADER = ["name", "other_names", "country", "iso_a3", "admin", "latitude [degrees_north]", "longitude [degrees_east]",
          "population", "population_city", "capital", "kind"]

# Alternative names that are not names of the place.
WRONG_NAMES = {("Guangzhou", "Dongguan")}


def _table(path):
    data = path.read_bytes()
    count, header, width = struct.unpack("<IHH", data[4:12])
    fields, at = [], 32
    while data[at] != 0x0D:
        fields.append((data[at:at + 11].split(b"\0")[0].decode("ascii"), data[at + 16]))
        at += 32
    for i in range(count):
        row, at = {}, header + i * width + 1
        for name, size in fields:
            row[name] = data[at:at + size].strip(b" \0")
            at += size
        yield row


def _points(path):
    data = path.read_bytes()
    at = 100
    while at < len(data):
        size = struct.unpack(">I", data[at + 4:at + 8])[0] * 2
        kind, lon, lat = struct.unpack("<idd", data[at + 8:at + 28])
        if kind != 1:
            raise BuildError(f"places: a shape of type {kind} where points were expected")
        yield lon, lat
        at += 8 + size


def _text(raw):
    return raw.decode("cp1252").strip()


def _others(row, name):
    """Other names: in brackets, alternatives, without the notes in them."""
    found = []
    raw = [_text(row["namealt"])]
    if _text(row["featurecla"]) != "Scientific station":  # there it is the country that runs it
        raw.insert(0, _text(row["namepar"]))
    for cell in raw:
        for part in re.split(r"[|()]", cell):
            part = re.sub(r"^Formerly ", "", part.strip()).split(", ")[0].strip()
            if part and part != name and part not in found and "?" not in part and (name, part) not in WRONG_NAMES:
                found.append(part)
    return "|".join(found)


def _row(row, point, names):
    name = _text(row["name"])
    code = _text(row["adm0_a3"])
    code = {"SAH": "ESH", "ALD": "ALA"}.get(code, code)  # Natural Earth's own codes
    country = names.get(code) or {"KOS": "Kosovo", "SOL": "Somaliland", "CYN": "Northern Cyprus"}.get(code) \
        or _text(row["adm0name"])
    admin = _text(row["adm1name"])
    population = [str(int(row[c])) if int(row[c]) > 0 else "" for c in ("pop_max", "pop_min")]
    kind = _text(row["featurecla"])
    return [name, _others(row, name), country, code if code in names else "", "" if "?" in admin else admin,
            f"{point[1]:.5f}", f"{point[0]:.5f}", *population,
            "true" if kind in ("Admin-0 capital", "Admin-0 capital alt", "Admin-0 region capital") else "false", kind]


def places(path, names):
    """Write the places; names are the countries by alpha-3 code."""
    table, package = source("places_dbf")
    shape, _ = source("places_shp")
    records, points = list(_table(table)), list(_points(shape))
    if len(records) != len(points) or len(records) != 7322:
        raise BuildError(f"places: {len(records)} rows and {len(points)} points, expected 7322")
    rows = sorted(_row(r, p, names) for r, p in zip(records, points))
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows)
    column = lambda name, kind, unit, long_name, old: {
        "name": name, "aliases": [], "standard_name": kind, "long_name": long_name, "unit": unit, "source_name": old}
    return {
        "name": "natural_earth_places", "title": "Populated places, Natural Earth 1:10 million",
        "kind": "table", "aliases": ["places", "cities", "populated places", "towns"],
        "period": "", "frequency": "", "calendar": "", "region": "global", "resolution": "1:10 million",
        "licence": "public domain (Natural Earth)",
        "source": f"Natural Earth 2.0.0 populated places (simple) 1:10m; {package}",
        "cut": "25 of 36 columns; position from the shapes, five decimals; country named as in natural_earth_countries; "
               "population is pop_max (with the suburbs) and population_city pop_min, empty where not above 0; names of "
               "divisions with lost letters are empty",
        "synthetic": False, "file": "natural_earth_places.csv",
        "variables": [
            column("places", "", "1", "the places themselves, all columns", ""),
            column("name", "", "", "name", "name"), column("country", "", "", "country", "adm0name"),
            column("latitude", "latitude", "degrees_north", "latitude", "shape"),
            column("longitude", "longitude", "degrees_east", "longitude", "shape"),
            column("population", "", "1", "population with the suburbs", "pop_max")]}
