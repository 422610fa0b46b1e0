"""The second implementation: one function per template, from a task's slots to its expected values.

A function gets the slots of a task as plain data (a number as a float, a period as (start, end) dates, a box as
(west, south, east, north)) and returns a value for every key of the answer contract. It follows the question, not
the gold.
"""

import numpy as np
import pandas as pd

import definitions as d
import evapotranspiration
import sources


def month_index(name):
    return sources.MONTHS.index(name)


def days(column, period):
    return sources.seattle().loc[period[0]:period[1], column]


def months(period):
    s = sources.el_nino()
    return s[(s.index >= pd.Period(period[0], "M")) & (s.index <= pd.Period(period[1], "M"))]


def sea_warmest_month(s):
    m = d.zonal_mean(sources.coads("sst"), s["place"])
    return {"hottest_month": sources.MONTHS[int(m.argmax())], "warmth_then": m.max()}


def hot_days(s):
    hot = days("temp_max", s["period"]) > s["threshold"]
    return {"hot_days": int(hot.sum()), "longest_spell": d.longest_run(hot)}


def mean_temperature(period):
    return (days("temp_max", period) + days("temp_min", period)) / 2


def heating_demand(s):
    return {"heating_need": np.maximum(s["base"] - mean_temperature(s["period"]), 0).sum()}


def growing_season(s):
    return {"warmth_collected": np.maximum(mean_temperature(s["period"]) - s["base"], 0).sum()}


def co2_rise(s):
    weeks = sources.co2().loc[s["period"][0]:s["period"][1]].dropna()
    years = (weeks.index - weeks.index[0]).days / 365.25
    return {"yearly_rise": np.polyfit(years, weeks.to_numpy(), 1)[0]}


def high_ground(s):
    above, known, _ = d.area_where(sources.etopo(), s["place"], lambda v: v > s["threshold"])
    return {"high_land": above, "part_of_country": above / known}


def storm_runoff(s):
    rain = days("precipitation", s["period"]).to_numpy()
    store = 25400 / s["curve"] - 254
    flow = np.where(rain > 0.2 * store, (rain - 0.2 * store) ** 2 / (rain + 0.8 * store), 0)
    return {"water_shed": flow.sum(), "days_with_flow": int((rain > 0.2 * store).sum())}


def wettest_month(s):
    sums = days("precipitation", s["period"]).resample("MS").sum()
    return {"wettest": sums.idxmax().strftime("%Y-%m"), "rain_then": sums.max()}


def sea_year_mean(s):
    return {"yearly_warmth": d.zonal_mean(d.year_mean(sources.coads("sst")), s["place"])}


def sea_of(month):
    return sources.coads("sst").isel(month=month_index(month))


def sea_contrast(s):
    sea = sea_of(s["month"])
    return {"warmer_by": d.zonal_mean(sea, s["warm"]) - d.zonal_mean(sea, s["cool"])}


def windiest_month(s):
    w = d.at_point(sources.coads("wind_speed"), *sources.city(s["place"]))
    return {"windiest": sources.MONTHS[int(w.argmax())], "strength_then": w.max()}


def height_contrast(s):
    return {"higher_by": d.zonal_mean(sources.etopo(), s["high"]) - d.zonal_mean(sources.etopo(), s["low"])}


def dry_spell(s):
    dry = days("precipitation", s["period"]) < s["threshold"]
    return {"dry_days": int(dry.sum()), "longest_dry_spell": d.longest_run(dry)}


def hot_tail(s):
    return {"level": np.percentile(days("temp_max", s["period"]), s["percent"])}


def turbine_year(s):
    """The curve is that of simulation.wind_power: cubic between cut-in and rated speed (see its documentation)."""
    v = days("wind", s["period"]).to_numpy()
    rise = (v ** 3 - s["cut_in"] ** 3) / (s["rated_speed"] ** 3 - s["cut_in"] ** 3)
    share = np.where(v < s["cut_in"], 0, np.where(v < s["rated_speed"], rise, np.where(v < s["cut_out"], 1, 0)))
    return {"energy_made": s["rated"] * 24 * share.sum(), "share_of_full_output": share.mean()}


def lawn_water(s):
    high, low = days("temp_max", s["period"]), days("temp_min", s["period"])
    _, latitude = sources.city(s["place"])
    et = evapotranspiration.reference(high, low, high.index.day_of_year, latitude, s["elevation"])
    return {"water_lost": et.sum(), "thirstiest_day": et.max()}


def co2_ahead(s):
    weeks = sources.co2().loc[s["period"][0]:s["period"][1]]
    yearly = weeks.groupby(weeks.index.year).mean()
    slope, start = np.polyfit(yearly.index, yearly.to_numpy(), 1)
    return {"concentration_ahead": start + slope * (yearly.index[-1] + s["steps"])}


def no_change_error(s):
    seen = months(s["target"]).to_numpy()[:int(s["steps"])]
    error = months(s["history"]).iloc[-1] - seen
    return {"typical_error": np.sqrt((error ** 2).mean()), "lean": error.mean()}


def usual_year_error(s):
    past, seen = months(s["history"]), months(s["target"])
    usual = past.groupby(past.index.month).mean()
    guess = np.array([usual[p.month] for p in seen.index])
    return {"typical_miss": np.abs(guess - seen).mean(), "agreement": np.corrcoef(guess, seen)[0, 1]}


def nearest_port(s):
    here = sources.city(s["place"])
    return {"shortest_way": min(d.distance_km(sources.city(p), here) for p in s["ports"])}


def thermocline(s):
    water = sources.levitus("sea_water_temperature")
    top, deep = (d.zonal_mean(water.sel(level=s[k]), s["box"]) for k in ("upper", "lower"))
    return {"cooling_with_depth": top - deep}


def el_nino_peak(s):
    normal = months(s["normal"])
    usual = normal.groupby(normal.index.month).mean()
    event = months(s["event"])
    excess = event - np.array([usual[p.month] for p in event.index])
    return {"worst_excess": excess.max(), "worst_month": str(excess.idxmax())}


def around_island(s):
    lon, lat = sources.city(s["place"])
    return {"water_around": d.zonal_mean(sea_of(s["month"]), d.circle(lon, lat, s["distance"]))}


def rough_sea(s):
    wind = sources.coads("wind_speed").isel(month=month_index(s["month"]))
    above, known, _ = d.area_where(wind, s["box"], lambda v: v > s["threshold"])
    return {"rough_water": above, "part_of_box": above / known}


def busiest_year(s):
    column = {"temperature_max": "temp_max", "precipitation": "precipitation"}[s["variable"]]
    return {"most_days": max(int((days(column, p) > s["threshold"]).sum()) for p in s["periods"])}


def sea_map(s):
    return {"caption_value": d.zonal_mean(sea_of(s["month"]), s["place"])}


BY_NAME = {f.__name__.replace("_", "-"): f for f in (
    sea_warmest_month, hot_days, heating_demand, growing_season, co2_rise, high_ground, storm_runoff, wettest_month,
    sea_year_mean, sea_contrast, windiest_month, height_contrast, dry_spell, hot_tail, turbine_year, lawn_water,
    co2_ahead, no_change_error, usual_year_error, nearest_port, thermocline, el_nino_peak, around_island, rough_sea,
    busiest_year, sea_map)}
