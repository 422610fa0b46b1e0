"""The second implementation of the templates of the suite `core`; what templates.py says of its functions holds here.

A function raises definitions.Unfit where a draw makes no sound task: a cell without values, a question that would be
answered by nothing at all, or one whose direction is the wrong way round.
"""

import numpy as np

import definitions as d
import evapotranspiration
import sources
from templates import days, mean_temperature, month_index, months

JULIAN = 365.2425  # days of a year, Gregorian mean


def needs(ok, why):
    if not ok:
        raise d.Unfit(why)


def peak(values, gap):
    """Index of the largest value, which must lead the next by the gap."""
    v = np.asarray(values, float)
    needs(np.isfinite(v).all(), "a value is missing")
    order = np.sort(v)
    needs(order[-1] - order[-2] > gap, "the largest is hardly larger than the next")
    return int(v.argmax())


def above(value, least):
    needs(np.isfinite(value) and value > least, "the difference is small, or the other way round")
    return value


def field(variable, month):
    return sources.coads(variable).isel(month=month_index(month))


def at_city(variable, place):
    v = d.at_point(sources.coads(variable), *sources.city(place))
    needs(np.isfinite(v).all(), f"no values at {place}")
    return v


def country(name):
    needs(name in sources.countries(), f"no outline of {name}")
    return name


# --- sea ------------------------------------------------------------------------------------------------------------


def coldest_bath(s):
    v = at_city("sst", s["place"])
    i = peak(-v, 0.02)
    return {"coldest_month": sources.MONTHS[i], "chill_then": v[i]}


def sticky_air(s):
    return {"moisture_held": d.zonal_mean(field("specific_humidity", s["month"]), s["box"])}


def pressure_swing(s):
    m = d.zonal_mean(sources.coads("sea_level_pressure"), s["box"])
    return {"pressure_swing": m.max() - m.min()}


def sea_minus_air(s):
    gap = d.zonal_mean(field("sst", s["month"]), s["box"]) - d.zonal_mean(field("air_temperature", s["month"]), s["box"])
    return {"warmer_than_air": above(gap, 0.1)}


def warm_pool_growth(s):
    early, late = (d.area_where(field("sst", s[k]), s["box"], lambda v: v > s["threshold"])[0] for k in ("early", "late"))
    return {"warm_water_gained": above(late - early, 20000)}


def trade_wind(s):
    v = d.zonal_mean(field("eastward_wind", s["month"]), s["box"])
    needs(abs(v) > 0.5, "next to no wind")
    return {"push_to_sunrise": v}


def best_harbour(s):
    sea = field("sst", s["month"])
    v = np.array([d.at_point(sea, *sources.city(p)) for p in s["places"]])
    return {"best_bath": v[peak(v, 0.05)]}


def sea_seasons(s):
    v = at_city("sst", s["place"])
    return {"seasonal_gap": above(v.max() - v.min(), 1)}


def saltier_water(s):
    salt = sources.levitus("salinity").sel(level=s["level"])
    return {"saltier_by": above(d.zonal_mean(salt, s["salty"]) - d.zonal_mean(salt, s["fresh"]), 0.2)}


def touched(raster, zone):
    """Values of the cells that have any part in the zone."""
    v = np.asarray(raster, float)
    return v[(d.weights(raster, zone) > 0) & np.isfinite(v)]


def saltiest_spot(s):
    v = touched(sources.levitus("salinity").sel(level=s["level"]), s["box"])
    return {"saltiest": v.max(), "salt_gap": above(v.max() - v.min(), 0.1)}


def cold_depths(s):
    water = sources.levitus("sea_water_temperature").sel(level=s["level"])
    cold, known, _ = d.area_where(water, s["box"], lambda v: v < s["threshold"])
    needs(0.03 < cold / known < 0.97, "all or nothing is cold")
    return {"cold_part": cold / known, "cold_water": cold}


def month_departure(s):
    m = d.zonal_mean(sources.coads("sst"), s["box"])
    gap = m[month_index(s["month"])] - np.average(m, weights=d.MONTH_DAYS)
    needs(abs(gap) > 0.3, "the month is like the year")
    return {"departure": gap}


def calm_months(s):
    n = int((at_city("wind_speed", s["place"]) < s["threshold"]).sum())
    needs(0 < n < 12, "all months or none")
    return {"calm_months": n}


def windier_port(s):
    one, two = (np.average(at_city("wind_speed", s[k]), weights=d.MONTH_DAYS) for k in ("windy", "calm"))
    return {"stronger_by": above(one - two, 0.3)}


def spread_of_seas(s):
    v = np.array([d.zonal_mean(field("sst", s["month"]), r) for r in s["regions"]])
    return {"spread_between": v.max() - v.min()}


def two_season_fishing(s):
    ring = d.circle(*sources.city(s["place"]), s["distance"])
    return {"gained_warmth": above(d.zonal_mean(field("sst", s["warm"]), ring) - d.zonal_mean(field("sst", s["cool"]), ring), 0.5)}


# --- land -----------------------------------------------------------------------------------------------------------


def flood_plain(s):
    low, known, _ = d.area_where(sources.etopo(), country(s["place"]), lambda v: v < s["threshold"])
    needs(0.01 < low / known < 0.99, "all or next to nothing is low")
    return {"drowned_land": low, "drowned_part": low / known}


def spread(raster, zone):
    """Population standard deviation over a zone, cells weighted by area."""
    w, v = d.weights(raster, zone), np.asarray(raster, float)
    ok = np.isfinite(v)
    w, v = w[ok], v[ok]
    mean = np.average(v, weights=w)
    return np.sqrt(np.average((v - mean) ** 2, weights=w))


def rugged_land(s):
    one, two = (spread(sources.etopo(), country(s[k])) for k in ("rugged", "even"))
    return {"more_rugged_by": above(one - two, 20)}


_SLOPES = []


def slopes():
    """Horn's (1981) slope of the relief in degrees; the grid goes round the globe, its first and last row have none."""
    if not _SLOPES:
        relief = sources.etopo()
        z, lat, lon = np.asarray(relief, float), np.asarray(relief.lat, float), np.asarray(relief.lon, float)
        phi = np.radians(lat)
        root = np.sqrt(1 - d.GEOD.es * np.sin(phi) ** 2)
        east = np.radians(lon[1] - lon[0]) * d.GEOD.a / root * np.cos(phi)  # metres of a column
        north = np.radians(lat[1] - lat[0]) * d.GEOD.a * (1 - d.GEOD.es) / root ** 3  # metres of a row
        e, w = np.roll(z, -1, axis=1), np.roll(z, 1, axis=1)
        up = lambda a: np.roll(a, -1, axis=0)
        down = lambda a: np.roll(a, 1, axis=0)
        gx = (up(e) + 2 * e + down(e) - up(w) - 2 * w - down(w)) / (8 * east[:, None])
        gy = (up(w) + 2 * up(z) + up(e) - down(w) - 2 * down(z) - down(e)) / (8 * north[:, None])
        out = np.degrees(np.arctan(np.hypot(gx, gy)))
        out[[0, -1]] = np.nan
        _SLOPES.append(relief.copy(data=out))
    return _SLOPES[0]


def steep_land(s):
    return {"steepness": d.zonal_mean(slopes(), country(s["place"]))}


def upland_shares(s):
    shares = []
    for k in ("upland", "other"):
        high, known, _ = d.area_where(sources.etopo(), country(s[k]), lambda v: v > s["threshold"])
        shares.append(high / known)
    return {"larger_part_by": above(shares[0] - shares[1], 0.03)}


def how_many_fit(s):
    return {"times_as_large": above(d.area_km2(country(s["large"])) / d.area_km2(country(s["small"])), 1.2)}


def border_km(name):
    rings = [r for p in d.zone(country(name)).geoms for r in (p.exterior, *p.interiors)]
    return sum(d.GEOD.geometry_length(r) for r in rings) / 1000


def longer_border(s):
    return {"longer_by": above(border_km(s["longer"]) - border_km(s["shorter"]), 100)}


def city_surroundings(s):
    return {"height_around": d.zonal_mean(sources.etopo(), d.circle(*sources.city(s["place"]), s["distance"]))}


def way_down(s):
    top, foot = (float(d.at_point(sources.etopo(), *sources.city(s[k]))) for k in ("upper", "lower"))
    return {"way_down": above(top - foot, 50)}


def shallow_sea(s):
    deep, top = (d.area_where(sources.etopo(), s["box"], lambda v, k=k: v > s[k])[0] for k in ("deep", "top"))
    return {"shallow_ground": above(deep - top, 2000)}


def nearest_km(name, people):
    """Distance to the nearest other place with that many people."""
    lon, lat = sources.city(name)
    table = sources.places()
    table = table[table["pop_max"] >= people]
    n = len(table)
    km = d.GEOD.inv(np.full(n, lon), np.full(n, lat), table["longitude"].to_numpy(), table["latitude"].to_numpy())[2] / 1000
    own = (table["name"] == name).to_numpy() & (km < 30) | (km < 1e-6)
    return km[~own].min()


def remote_town(s):
    return {"farther_by": above(nearest_km(s["remote"], s["people"]) - nearest_km(s["near"], s["people"]), 10)}


def round_trip(s):
    a, b, c = (sources.city(s[k]) for k in ("first", "second", "third"))
    return {"trip_length": d.distance_km(a, b) + d.distance_km(b, c) + d.distance_km(c, a)}


def people_of(name):
    table = sources.places()
    return float(table[(table["name"] == name) | (table["nameascii"] == name)]["pop_max"].max())


def people_together(s):
    return {"people_together": sum(people_of(c) for c in s["cities"])}


def loftiest_country(s):
    v = np.array([float(d.zonal_mean(sources.etopo(), country(c))) for c in s["countries"]])
    return {"loftiest": v.max(), "lead": v.max() - v.min()}


def deepest_trench(s):
    return {"lowest_ground": touched(sources.etopo(), s["box"]).min()}


# --- weather of Seattle ---------------------------------------------------------------------------------------------


def frost_nights(s):
    low = days("temp_min", s["period"])
    n = int((low < s["threshold"]).sum())
    needs(n > 2, "hardly any frost")
    return {"frosty_nights": n, "bitterest": low.min()}


def day_and_night(s):
    return {"day_night_gap": days("temp_max", s["period"]).mean() - days("temp_min", s["period"]).mean()}


def rain_share(s):
    return {"part_of_rain": days("precipitation", s["part"]).sum() / days("precipitation", s["whole"]).sum()}


def cooling(period, base):
    return np.maximum(mean_temperature(period) - base, 0).sum()


def apart(s, one, two):
    needs(s[one][1] < s[two][0], "the periods overlap or are in the wrong order")


def cooling_change(s):
    apart(s, "earlier", "later")
    return {"more_cooling": above(cooling(s["later"], s["base"]) - cooling(s["earlier"], s["base"]), 20)}


def runoff(period, curve):
    rain, store = days("precipitation", period).to_numpy(), 25400 / curve - 254
    return np.where(rain > 0.2 * store, (rain - 0.2 * store) ** 2 / (rain + 0.8 * store), 0).sum()


def paved_over(s):
    return {"extra_water": above(runoff(s["period"], s["paved"]) - runoff(s["period"], s["green"]), 3)}


def mill_energy(wind, s):
    rise = (wind ** 3 - s["cut_in"] ** 3) / (s["rated_speed"] ** 3 - s["cut_in"] ** 3)
    share = np.where(wind < s["cut_in"], 0, np.where(wind < s["rated_speed"], rise, np.where(wind < s["cut_out"], 1, 0)))
    return s["rated"] * 24 * share.sum()


def taller_mast(s):
    wind = days("wind", s["period"]).to_numpy()
    up = np.log(s["hub"] / s["roughness"]) / np.log(s["mast"] / s["roughness"])
    return {"energy_gained": above(mill_energy(wind * up, s) - mill_energy(wind, s), 100)}


def grass(s):
    high, low = days("temp_max", s["period"]), days("temp_min", s["period"])
    _, latitude = sources.city(s["place"])
    return evapotranspiration.reference(high, low, high.index.day_of_year, latitude, s["elevation"]).sum()


def thirsty_lawn(s):
    return {"water_short": above(grass(s) - days("precipitation", s["period"]).sum(), 20)}


def water_balance(s):
    left = days("precipitation", s["period"]).sum() - runoff(s["period"], s["curve"]) - grass(s)
    needs(abs(left) > 10 and runoff(s["period"], s["curve"]) > 1, "the parts hardly matter")
    return {"left_in_soil": left}


def rain_per_wet_day(s):
    rain = days("precipitation", s["period"])
    n = int((rain >= s["threshold"]).sum())
    needs(n > 2, "hardly any wet day")
    return {"rain_per_wet_day": rain.sum() / n}


def hot_tail_change(s):
    apart(s, "earlier", "later")
    one, two = (np.percentile(days("temp_max", s[k]), s["percent"]) for k in ("earlier", "later"))
    return {"rise_of_tail": above(two - one, 0.3)}


def windless_days(s):
    part = (days("wind", s["period"]) < s["threshold"]).mean()
    needs(0.05 < part < 0.95, "all days or none")
    return {"calm_part": part}


def hottest_month_ashore(s):
    column = {"temperature_max": "temp_max", "temperature_min": "temp_min"}[s["variable"]]
    monthly = days(column, s["period"]).resample("MS").mean()
    i = peak(monthly, 0.1)
    return {"hottest": monthly.index[i].strftime("%Y-%m"), "heat_then": monthly.iloc[i]}


def ripening_lost(s):
    return {"warmth_lost": above(cooling(s["period"], s["low"]) - cooling(s["period"], s["high"]), 50)}


def wettest_day(period):
    rain = days("precipitation", period)
    i = peak(rain, 0.5)
    return rain.iloc[i], rain.index[i].strftime("%Y-%m-%d")


def rain_chart(s):
    amount, date = wettest_day(s["period"])
    return {"wettest_amount": amount, "wettest_date": date}


def record_in_fahrenheit(s):
    high = days("temp_max", s["period"])
    i = peak(high, 0.3)
    return {"record_heat": high.iloc[i] * 9 / 5 + 32, "record_date": high.index[i].strftime("%Y-%m-%d")}


# --- sea off Peru ---------------------------------------------------------------------------------------------------


def month_weights(series):
    return series.index.days_in_month.to_numpy()


def weighted_mean(series):
    return np.average(series, weights=month_weights(series))


def decade_shift(s):
    apart(s, "earlier", "later")
    gap = weighted_mean(months(s["later"])) - weighted_mean(months(s["earlier"]))
    needs(abs(gap) > 0.1, "next to no shift")
    return {"shift": gap}


def normals(period):
    normal = months(period)
    by_month = normal.groupby(normal.index.month)
    return by_month.mean(), by_month.std(ddof=0)


def excess(event, normal):
    usual, _ = normals(normal)
    series = months(event)
    return series - np.array([usual[p.month] for p in series.index])


def odd_months(s):
    gap = excess(s["event"], s["normal"]) - s["threshold"]
    n = int((gap > 0).sum())
    needs(2 < n < 22 and np.abs(gap).min() > 1e-3, "all months, hardly one, or one on the limit")
    return {"odd_months": n}


def drift_off_peru(s):
    series = months(s["period"])
    start = series.index.to_timestamp()
    middle = start + (series.index.to_timestamp(how="end") - start) / 2
    years = (middle - middle[0]).total_seconds().to_numpy() / 86400 / JULIAN
    change = np.polyfit(years, series.to_numpy(), 1)[0] * years[-1]
    needs(abs(change) > 0.2, "next to no change")
    return {"drift": change}


def forecast_duel(s):
    past, seen = months(s["history"]), months(s["target"])
    usual, _ = normals(s["history"])
    rmse = lambda guess: np.sqrt(((np.asarray(guess) - seen.to_numpy()) ** 2).mean())
    gap = rmse(np.full(len(seen), past.iloc[-1])) - rmse([usual[p.month] for p in seen.index])
    needs(abs(gap) > 0.05, "both do alike")
    return {"worse_by": gap}


def steadier_sea(s):
    def sigma(period):
        series = months(period)
        return np.sqrt(np.average((series - weighted_mean(series)) ** 2, weights=month_weights(series)))

    return {"more_restless_by": above(sigma(s["restless"]) - sigma(s["steady"]), 0.03)}


def freak_month(s):
    _, sigma = normals(s["normal"])
    odd = excess(s["event"], s["normal"])
    z = odd / np.array([sigma[p.month] for p in odd.index])
    i = peak(z, 0.02)
    needs(z.iloc[i] > 1, "nothing unusual")
    return {"freak_month": str(z.index[i]), "sigmas_above": z.iloc[i]}


# --- air of Mauna Loa -----------------------------------------------------------------------------------------------


def weeks(period):
    return sources.co2().loc[period[0]:period[1]]


def breathing_planet(s):
    air = weeks(s["year"])
    monthly = air.groupby(air.index.month).mean()
    needs(len(monthly) == 12 and monthly.notna().all(), "a month was not measured")
    return {"breath": monthly.max() - monthly.min()}


def weeks_above(s):
    air = weeks(s["period"]).dropna()
    n = int((air > s["threshold"]).sum())
    needs(5 < n < len(air) - 5, "all weeks or hardly one")
    return {"weeks_beyond": n}


def slope(period):
    air = weeks(period).dropna()
    return np.polyfit((air.index - air.index[0]).days / JULIAN, air.to_numpy(), 1)[0]


def faster_rise(s):
    apart(s, "earlier", "later")
    return {"faster_by": above(slope(s["later"]) - slope(s["earlier"]), 0.05)}


def thicker_air(s):
    apart(s, "earlier", "later")
    one, two = (weeks(s[k]).mean() for k in ("earlier", "later"))
    return {"rise_fraction": above((two - one) / one, 0.01)}


def line_put_to_test(s):
    yearly = lambda period: weeks(period).groupby(weeks(period).index.year).mean()
    past, seen = yearly(s["history"]), yearly(s["target"])
    line, start = np.polyfit(past.index, past.to_numpy(), 1)
    error = start + line * seen.index.to_numpy() - seen.to_numpy()
    return {"typical_gap": np.sqrt((error ** 2).mean()), "leaning": error.mean()}


BY_NAME = {f.__name__.replace("_", "-"): f for f in (
    coldest_bath, sticky_air, pressure_swing, sea_minus_air, warm_pool_growth, trade_wind, best_harbour, sea_seasons,
    saltier_water, saltiest_spot, cold_depths, month_departure, calm_months, windier_port, spread_of_seas,
    two_season_fishing, flood_plain, rugged_land, steep_land, upland_shares, how_many_fit, longer_border,
    city_surroundings, way_down, shallow_sea, remote_town, round_trip, people_together, loftiest_country, deepest_trench,
    frost_nights, day_and_night, rain_share, cooling_change, paved_over, taller_mast, thirsty_lawn, water_balance,
    rain_per_wet_day, hot_tail_change, windless_days, hottest_month_ashore, ripening_lost, rain_chart,
    record_in_fahrenheit, decade_shift, odd_months, drift_off_peru, forecast_duel, steadier_sea, freak_month,
    breathing_planet, weeks_above, faster_rise, thicker_air, line_put_to_test)}
