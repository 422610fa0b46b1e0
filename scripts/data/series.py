"""The three time series, written as CSV with units in the header."""

import calendar
import csv
import datetime

from sources import BuildError, source


def _write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return len(rows)


def _check(name, text):
    """The source's own spelling of a number, or "" where it is missing."""
    text = text.strip()
    if text:
        try:
            float(text)
        except ValueError:
            raise BuildError(f"{name}: {text!r} is not a number") from None
    return text


def co2(path):
    """Weekly carbon dioxide at Mauna Loa; weeks without a measurement stay, empty."""
    src, package = source("co2")
    rows = []
    with open(src, encoding="utf-8") as f:
        for row in csv.DictReader(f):
            date = datetime.datetime.strptime(row["date"], "%Y%m%d").date()
            rows.append([date.isoformat(), _check("co2", row["co2"])])
    if any(datetime.date.fromisoformat(b[0]) - datetime.date.fromisoformat(a[0]) != datetime.timedelta(7)
           for a, b in zip(rows, rows[1:])):
        raise BuildError("co2: the weeks are not seven days apart")
    _write(path, ["time", "co2 [ppm]"], rows)
    missing = sum(not r[1] for r in rows)
    return {
        "name": "mauna_loa_co2", "title": "Weekly atmospheric carbon dioxide at Mauna Loa",
        "kind": "series", "aliases": ["co2", "mauna loa", "keeling curve", "carbon dioxide"],
        "period": f"{rows[0][0]}/{rows[-1][0]}", "frequency": "week", "calendar": "standard",
        "region": "Mauna Loa, Hawaii", "place": {"name": "Mauna Loa", "latitude": 19.5363, "longitude": -155.5765,
                                                 "elevation": 3397},
        "licence": "public domain",
        "source": f"C.D. Keeling and T.P. Whorf, Scripps Institution of Oceanography, by CDIAC 2004; {package}",
        "cut": f"nothing: {len(rows)} weeks, {missing} of them without a measurement (empty); dates written as ISO 8601",
        "synthetic": False, "file": "mauna_loa_co2.csv",
        "variables": [{
            "name": "co2", "aliases": ["carbon dioxide", "co2 concentration"],
            "standard_name": "mole_fraction_of_carbon_dioxide_in_air", "long_name": "carbon dioxide in dry air",
            "unit": "ppm", "source_name": "co2", "cell_methods": "time: mean"}]}


def el_nino(path):
    """Monthly sea surface temperature of the Nino 1+2 box, one row a month."""
    src, package = source("elnino")
    rows = []
    with open(src, encoding="utf-8") as f:
        for row in csv.DictReader(f):
            for number, month in enumerate(calendar.month_abbr[1:], 1):
                rows.append([f"{int(row['YEAR'])}-{number:02d}", _check("el_nino", row[month.upper()])])
    if rows != sorted(rows) or len(rows) != 732:
        raise BuildError("el_nino: the months are not those of 1950 to 2010")
    _write(path, ["time", "sst [degC]"], rows)
    return {
        "name": "el_nino_sst", "title": "Monthly sea surface temperature of the Nino 1+2 region",
        "kind": "series", "aliases": ["el nino", "elnino", "nino12 sst", "nino 1+2 sst"],
        "period": f"{rows[0][0]}/{rows[-1][0]}", "frequency": "month", "calendar": "standard",
        "region": "nino12: 10 S to 0, 90 W to 80 W", "place": {"name": "Nino 1+2 region"},
        "licence": "public domain",
        "source": f"NOAA Climate Prediction Center, ERSST.v3b, Nino 1+2; {package}",
        "cut": "nothing: 732 months; one row a month instead of one a year",
        "synthetic": False, "file": "el_nino_sst.csv",
        "variables": [{
            "name": "sst", "aliases": ["sea_surface_temperature", "sea temperature", "ocean temperature"],
            "standard_name": "sea_surface_temperature", "long_name": "sea surface temperature", "unit": "degC",
            "source_name": "JAN to DEC", "cell_methods": "time: mean"}]}


SEATTLE = [
    ("precipitation", "precipitation", "mm", "lwe_thickness_of_precipitation_amount", "precipitation of the day",
     "time: sum", ["rain", "rainfall", "prcp"]),
    ("temperature_max", "temp_max", "degC", "air_temperature", "highest air temperature of the day",
     "time: maximum", ["temp_max", "maximum temperature", "tmax", "high"]),
    ("temperature_min", "temp_min", "degC", "air_temperature", "lowest air temperature of the day",
     "time: minimum", ["temp_min", "minimum temperature", "tmin", "low"]),
    ("wind_speed", "wind", "m s-1", "wind_speed", "mean wind speed of the day", "time: mean", ["wind"]),
]


def seattle(path):
    """Daily weather at the Seattle-Tacoma airport, 2012 to 2015."""
    src, package = source("seattle")
    rows = []
    with open(src, encoding="utf-8") as f:
        for row in csv.DictReader(f):
            datetime.date.fromisoformat(row["date"])
            rows.append([row["date"]] + [_check("seattle", row[v[1]]) for v in SEATTLE])
    if len(rows) != 1461 or any(float(r[2]) < float(r[3]) for r in rows):
        raise BuildError("seattle: not four whole years, or a day whose maximum is below its minimum")
    _write(path, ["time"] + [f"{v[0]} [{v[2]}]" for v in SEATTLE], rows)
    return {
        "name": "seattle_weather", "title": "Daily weather at Seattle, 2012 to 2015",
        "kind": "series", "aliases": ["seattle", "seattle daily weather", "weather"],
        "period": f"{rows[0][0]}/{rows[-1][0]}", "frequency": "day", "calendar": "standard", "region": "Seattle",
        "place": {"name": "Seattle-Tacoma International Airport", "latitude": 47.4444, "longitude": -122.3138,
                  "elevation": 112.5},
        "licence": "public domain (NOAA, United States government)",
        "source": f"NOAA NCDC, Global Historical Climatology Network daily; {package}",
        "cut": "the column weather (words made up by the package); columns renamed; the package's notes call the wind "
               "km/h, but its converter divides GHCN's AWND, tenths of a metre per second, by ten: it is m s-1",
        "synthetic": False, "file": "seattle_weather.csv",
        "variables": [{
            "name": name, "aliases": aliases, "standard_name": standard, "long_name": long_name, "unit": unit,
            "source_name": old, "cell_methods": method}
            for name, old, unit, standard, long_name, method, aliases in SEATTLE]}
