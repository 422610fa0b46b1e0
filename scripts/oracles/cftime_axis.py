"""Time axes by cftime.

in:  [{"units": text, "calendar": name, "values": [x, ...]}, ...]
out: [{"times": [[year, month, day, hour, minute, second, microsecond], ...],
       "back": [x, ...], "day_of_year": [n, ...]}, ...]
"""
import json
import sys

import cftime


def decode(case):
    dates = cftime.num2date(case["values"], case["units"], calendar=case["calendar"])
    back = cftime.date2num(dates, case["units"], calendar=case["calendar"])
    return {
        "times": [[d.year, d.month, d.day, d.hour, d.minute, d.second, d.microsecond] for d in dates],
        "back": [float(x) for x in back],
        "day_of_year": [int(d.dayofyr) for d in dates],
    }


def main():
    json.dump([decode(c) for c in json.load(sys.stdin)], sys.stdout)


main()
