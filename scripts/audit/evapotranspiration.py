"""FAO-56 reference evapotranspiration of grass from daily maximum and minimum temperature alone.

What is not measured is estimated as Allen et al. (1998), FAO Irrigation and Drainage Paper 56, say:
- dew point = minimum temperature (equation 48), saturation vapour pressure equations 11 and 12;
- radiation by Hargreaves with the interior coefficient: Rs = 0.16 sqrt(Tmax - Tmin) Ra (equation 50), not above the
  clear-sky radiation Rso = (0.75 + 2e-5 z) Ra (equation 37);
- wind at 2 m = 2 m/s; soil heat flux 0; albedo 0.23.
"""

import numpy as np


def extraterrestrial(day_of_year, latitude):
    """Ra in MJ m-2 day-1, equation 21."""
    j, phi = np.asarray(day_of_year, float), np.radians(latitude)
    dr = 1 + 0.033 * np.cos(2 * np.pi * j / 365)
    delta = 0.409 * np.sin(2 * np.pi * j / 365 - 1.39)
    ws = np.arccos(np.clip(-np.tan(phi) * np.tan(delta), -1, 1))
    return 24 * 60 / np.pi * 0.0820 * dr * (ws * np.sin(phi) * np.sin(delta) + np.cos(phi) * np.cos(delta) * np.sin(ws))


def saturation(t):
    """Saturation vapour pressure in kPa, equation 11."""
    return 0.6108 * np.exp(17.27 * t / (t + 237.3))


def reference(tmax, tmin, day_of_year, latitude, elevation, wind=2.0):
    """ET0 in mm day-1, equation 6. Arrays of degC; wind in m s-1 at 2 m."""
    tmax, tmin = np.asarray(tmax, float), np.asarray(tmin, float)
    mean = (tmax + tmin) / 2
    ra = extraterrestrial(day_of_year, latitude)
    rso = (0.75 + 2e-5 * elevation) * ra
    rs = np.minimum(0.16 * np.sqrt(np.maximum(tmax - tmin, 0)) * ra, rso)
    ea = saturation(tmin)
    es = (saturation(tmax) + saturation(tmin)) / 2
    sigma = 4.903e-9
    cloud = np.clip(1.35 * rs / rso - 0.35, 0.05, 1)
    rnl = sigma * ((tmax + 273.16) ** 4 + (tmin + 273.16) ** 4) / 2 * (0.34 - 0.14 * np.sqrt(ea)) * cloud
    rn = 0.77 * rs - rnl
    delta = 4098 * saturation(mean) / (mean + 237.3) ** 2
    gamma = 0.665e-3 * 101.3 * ((293 - 0.0065 * elevation) / 293) ** 5.26
    return (0.408 * delta * rn + gamma * 900 / (mean + 273) * wind * (es - ea)) / (delta + gamma * (1 + 0.34 * wind))
