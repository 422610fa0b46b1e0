#!/usr/bin/python3
"""Build the data sets of scenarios/data from their packages (`make data`).

    /usr/bin/python3 scripts/data/build.py            build, prove repeatable, install
    /usr/bin/python3 scripts/data/build.py --check    build, compare with what is there, change nothing

Needs Python 3.9 or later with numpy, netCDF4 and shapely (Debian:
python3-numpy, python3-netcdf4, python3-shapely), apt-get and dpkg-deb, and npm. Packages are fetched once into
the user's cache (XDG_CACHE_HOME, else ~/.cache; almanac/data-packages) and not
installed. The built files are committed, so that nobody needs any of this to
use Almanac.

The build is made twice and both results compared before anything is installed:
the same packages give the same bytes. Gazetteer files written by hand
(regions.yaml, aliases.yaml) stay where they are and are listed with their
hashes.

Exit code 0: built, or the check found no difference; 1: a difference; 2: it
could not be built, with the reason.
"""

import argparse
import filecmp
import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import borders
    import places
    import rasters
    import series
    from sources import BuildError
except ImportError as e:
    print(f"build.py: {e}: on Debian: apt-get install python3-numpy python3-netcdf4 python3-shapely", file=sys.stderr)
    sys.exit(2)

TARGET = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "data"
BY_HAND = {"regions": "regions.yaml", "aliases": "aliases.yaml"}


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def yaml(value, indent=0):
    """YAML of nested dicts and lists; strings as JSON writes them."""
    pad = "  " * indent
    if isinstance(value, dict):
        lines = []
        for key, item in value.items():
            if isinstance(item, dict) and item or isinstance(item, list) and item and isinstance(item[0], dict):
                lines.append(f"{pad}{key}:\n{yaml(item, indent + 1)}")
            else:
                lines.append(f"{pad}{key}: {json.dumps(item, ensure_ascii=False)}")
        return "\n".join(lines)
    return "\n".join(f"{pad}- {yaml(item, indent + 1).lstrip()}" for item in value)


def build(folder):
    """Write all files and the manifest into folder."""
    entries = [rasters.coads(folder / "coads_climatology.nc"), series.el_nino(folder / "el_nino_sst.csv"),
               rasters.etopo(folder / "etopo_relief.nc"), rasters.levitus(folder / "levitus_climatology.nc"),
               series.co2(folder / "mauna_loa_co2.csv")]
    entry, names = borders.countries(folder / "natural_earth_countries.geojson")
    entries += [entry, places.places(folder / "natural_earth_places.csv", names),
                series.seattle(folder / "seattle_weather.csv")]
    for entry in entries:
        path = folder / entry["file"]
        variables = entry.pop("variables")
        entry.update(bytes=path.stat().st_size, sha256=sha256(path), variables=variables)
    by_hand = {key: {"file": name, "sha256": sha256(TARGET / name)} for key, name in BY_HAND.items()}
    text = "# Made by scripts/data/build.py; do not edit.\n" + yaml({
        "schema": 1,
        "gazetteer": {"countries": "natural_earth_countries", "places": "natural_earth_places", **by_hand},
        "datasets": entries}) + "\n"
    (folder / "manifest.yaml").write_text(text, encoding="utf-8")


def differences(folder):
    """Names of the files in folder that are not the same in the target."""
    return [p.name for p in sorted(folder.iterdir())
            if not (TARGET / p.name).exists() or not filecmp.cmp(p, TARGET / p.name, shallow=False)]


def main():
    parser = argparse.ArgumentParser(description="build the data sets of scenarios/data")
    parser.add_argument("--check", action="store_true", help="compare only, change nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as temporary:
        first, second = pathlib.Path(temporary) / "first", pathlib.Path(temporary) / "second"
        for folder in (first, second):
            folder.mkdir()
            build(folder)
        unlike = [p.name for p in first.iterdir() if not filecmp.cmp(p, second / p.name, shallow=False)]
        if unlike:
            raise BuildError(f"two builds differ in {', '.join(unlike)}")
        changed = differences(first)
        for name in changed:
            print(f"differs: {name}")
            if not check:
                shutil.copyfile(first / name, TARGET / name)
        total = sum(p.stat().st_size for p in first.iterdir())
        print(f"{len(list(first.iterdir()))} files, {total / 1e6:.1f} MB, {len(changed)} changed")
    return 1 if check and changed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BuildError as e:
        print(f"build.py: {e}", file=sys.stderr)
        sys.exit(2)
