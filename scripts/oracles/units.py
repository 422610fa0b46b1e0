"""Conversions by UDUNITS-2, through cf-units.

in:  [{"from": unit, "to": unit, "value": x}, ...]
out: [{"value": y} or {"error": text}, ...]
"""
import json
import sys

import cf_units


def convert(case):
    try:
        have, want = cf_units.Unit(case["from"]), cf_units.Unit(case["to"])
        return {"value": float(have.convert(float(case["value"]), want))}
    except ValueError as error:
        return {"error": str(error)}


def main():
    json.dump([convert(c) for c in json.load(sys.stdin)], sys.stdout)


main()
