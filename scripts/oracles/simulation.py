"""What weather does, by refet, by the audit's FAO-56 module and by formulas written out with numpy.

in:  {"et": [{tmax, tmin, doy, latitude, elevation, wind, height}, ...], "runoff": [{rain, curve}, ...],
      "wind": [{speed, rated, cut_in, rated_speed, cut_out, hub, mast, roughness}, ...], "degrees": [{tmax, tmin, base, kind}, ...]}
out: the same names with lists of daily values; "refet" has ET0 by the library refet (ASCE's short reference, which
     differs from FAO-56 by constants: the solar constant and the emissivity's temperature scale)
"""
import json
import math
import pathlib
import sys

import numpy as np
import refet

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "audit"))
import evapotranspiration  # noqa: E402


def wind2(case):
    z = case["height"]
    return np.array(case["wind"]) * (1 if z == 2 else 4.87 / math.log(67.8 * z - 5.42))


def et(case):
    return evapotranspiration.reference(case["tmax"], case["tmin"], case["doy"], case["latitude"], case["elevation"], wind2(case)).tolist()


def by_refet(case):
    tmax, tmin, doy = (np.array(case[k], float) for k in ("tmax", "tmin", "doy"))
    ra = evapotranspiration.extraterrestrial(doy, case["latitude"])
    rs = np.minimum(0.16 * np.sqrt(tmax - tmin) * ra, (0.75 + 2e-5 * case["elevation"]) * ra)
    daily = refet.Daily(tmin=tmin, tmax=tmax, ea=evapotranspiration.saturation(tmin), rs=rs, uz=np.array(case["wind"]), zw=case["height"],
                        elev=case["elevation"], lat=case["latitude"], doy=doy, method="asce", rso_type="simple")
    return np.asarray(daily.eto()).tolist()


def runoff(case):
    """In inches, as the handbook has it: S = 1000/CN - 10."""
    rain = np.array(case["rain"]) / 25.4
    store = 1000 / case["curve"] - 10
    over = np.clip(rain - store / 5, 0, None)
    with np.errstate(invalid="ignore"):
        return np.where(over > 0, over ** 2 / (over + store), 0) * 25.4


def wind(case):
    u = np.array(case["speed"], float)
    if case["hub"]:
        u = u * np.log(case["hub"] / case["roughness"]) / np.log(case["mast"] / case["roughness"])
    low, full, stop = (case[k] for k in ("cut_in", "rated_speed", "cut_out"))
    part = (u ** 3 - low ** 3) / (full ** 3 - low ** 3)
    return (case["rated"] * np.select([u < low, u < full, u < stop], [0, part, 1], 0)).tolist()


def degrees(case):
    mean = (np.array(case["tmax"]) + np.array(case["tmin"])) / 2
    sign = -1 if case["kind"] == "heating" else 1
    return np.clip(sign * (mean - case["base"]), 0, None).tolist()


def main():
    q = json.load(sys.stdin)
    json.dump({"et": [et(c) for c in q["et"]], "refet": [by_refet(c) for c in q["et"]], "runoff": [runoff(c).tolist() for c in q["runoff"]],
               "wind": [wind(c) for c in q["wind"]], "degrees": [degrees(c) for c in q["degrees"]]}, sys.stdout)


main()
