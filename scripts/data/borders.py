"""Countries: TopoJSON of world-atlas (Natural Earth 1:50m) to GeoJSON.

Every part and every hole is kept. TopoJSON holds its vertices on a grid of
0.0036 by 0.0017 degrees; four decimals write them to a fortieth of a step.
"""

import json

import antimeridian
from sources import BuildError, source

# Names that the source abbreviates or that have changed since, in full.
FULL_NAMES = {
    "Antigua and Barb.": "Antigua and Barbuda", "Ashmore and Cartier Is.": "Ashmore and Cartier Islands",
    "Bosnia and Herz.": "Bosnia and Herzegovina", "Br. Indian Ocean Ter.": "British Indian Ocean Territory",
    "British Virgin Is.": "British Virgin Islands", "Cayman Is.": "Cayman Islands",
    "Central African Rep.": "Central African Republic", "Congo": "Republic of the Congo",
    "Cook Is.": "Cook Islands", "Dem. Rep. Congo": "Democratic Republic of the Congo",
    "Dominican Rep.": "Dominican Republic", "Eq. Guinea": "Equatorial Guinea", "Faeroe Is.": "Faroe Islands",
    "Falkland Is.": "Falkland Islands", "Fr. Polynesia": "French Polynesia",
    "Fr. S. Antarctic Lands": "French Southern and Antarctic Lands",
    "Heard I. and McDonald Is.": "Heard Island and McDonald Islands",
    "Indian Ocean Ter.": "Australian Indian Ocean Territories", "Macedonia": "North Macedonia",
    "Marshall Is.": "Marshall Islands", "N. Cyprus": "Northern Cyprus",
    "N. Mariana Is.": "Northern Mariana Islands", "Pitcairn Is.": "Pitcairn Islands", "S. Sudan": "South Sudan",
    "S. Geo. and the Is.": "South Georgia and the South Sandwich Islands", "Solomon Is.": "Solomon Islands",
    "St-Barthélemy": "Saint Barthélemy", "St-Martin": "Saint Martin", "St. Kitts and Nevis": "Saint Kitts and Nevis",
    "St. Pierre and Miquelon": "Saint Pierre and Miquelon", "St. Vin. and Gren.": "Saint Vincent and the Grenadines",
    "São Tomé and Principe": "São Tomé and Príncipe", "Turks and Caicos Is.": "Turks and Caicos Islands",
    "U.S. Virgin Is.": "United States Virgin Islands", "Vatican": "Vatican City", "W. Sahara": "Western Sahara",
    "Wallis and Futuna Is.": "Wallis and Futuna", "eSwatini": "Eswatini", "Åland": "Åland Islands",
}

# ISO 3166-1 numeric code and alpha-3 code, of the countries that the source has.
ISO_CODES = """
004AFG 008ALB 010ATA 012DZA 016ASM 020AND 024AGO 028ATG 031AZE 032ARG 036AUS 040AUT 044BHS 048BHR 050BGD
051ARM 052BRB 056BEL 060BMU 064BTN 068BOL 070BIH 072BWA 076BRA 084BLZ 086IOT 090SLB 092VGB 096BRN 100BGR
104MMR 108BDI 112BLR 116KHM 120CMR 124CAN 132CPV 136CYM 140CAF 144LKA 148TCD 152CHL 156CHN 158TWN 170COL
174COM 178COG 180COD 184COK 188CRI 191HRV 192CUB 196CYP 203CZE 204BEN 208DNK 212DMA 214DOM 218ECU 222SLV
226GNQ 231ETH 232ERI 233EST 234FRO 238FLK 239SGS 242FJI 246FIN 248ALA 250FRA 258PYF 260ATF 262DJI 266GAB
268GEO 270GMB 275PSE 276DEU 288GHA 296KIR 300GRC 304GRL 308GRD 316GUM 320GTM 324GIN 328GUY 332HTI 334HMD
336VAT 340HND 344HKG 348HUN 352ISL 356IND 360IDN 364IRN 368IRQ 372IRL 376ISR 380ITA 384CIV 388JAM 392JPN
398KAZ 400JOR 404KEN 408PRK 410KOR 414KWT 417KGZ 418LAO 422LBN 426LSO 428LVA 430LBR 434LBY 438LIE 440LTU
442LUX 446MAC 450MDG 454MWI 458MYS 462MDV 466MLI 470MLT 478MRT 480MUS 484MEX 492MCO 496MNG 498MDA 499MNE
500MSR 504MAR 508MOZ 512OMN 516NAM 520NRU 524NPL 528NLD 531CUW 533ABW 534SXM 540NCL 548VUT 554NZL 558NIC
562NER 566NGA 570NIU 574NFK 578NOR 580MNP 583FSM 584MHL 585PLW 586PAK 591PAN 598PNG 600PRY 604PER 608PHL
612PCN 616POL 620PRT 624GNB 626TLS 630PRI 634QAT 642ROU 643RUS 646RWA 652BLM 654SHN 659KNA 660AIA 662LCA
663MAF 666SPM 670VCT 674SMR 678STP 682SAU 686SEN 688SRB 690SYC 694SLE 702SGP 703SVK 704VNM 705SVN 706SOM
710ZAF 716ZWE 724ESP 728SSD 729SDN 732ESH 740SUR 748SWZ 752SWE 756CHE 760SYR 762TJK 764THA 768TGO 776TON
780TTO 784ARE 788TUN 792TUR 795TKM 796TCA 800UGA 804UKR 807MKD 818EGY 826GBR 831GGY 832JEY 833IMN 834TZA
840USA 850VIR 854BFA 858URY 860UZB 862VEN 876WLF 882WSM 887YEM 894ZMB
"""
ALPHA3 = {word[:3]: word[3:] for word in ISO_CODES.split()}


def _arcs(topology):
    """Delta-coded arcs as lists of [lon, lat]."""
    (sx, sy), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = []
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append([round(x * sx + tx, 4), round(y * sy + ty, 4)])
        arcs.append(points)
    return arcs


def _ring(numbers, arcs):
    """Join arcs to a ring; a negative number is an arc walked backwards."""
    points = []
    for n in numbers:
        arc = arcs[n] if n >= 0 else arcs[~n][::-1]
        points.extend(arc if not points else arc[1:])
    if points[0] != points[-1] or len(points) < 4:
        raise BuildError(f"countries: a ring of {len(points)} points is not closed")
    return points


def _area(ring):
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:])) / 2


def _polygons(rings, arcs):
    """The polygon, or its parts where it crosses the antimeridian.

    Outer rings are counter-clockwise and holes clockwise, as RFC 7946 has it.
    """
    joined = [_ring(numbers, arcs) for numbers in rings]
    if antimeridian.crosses(joined):
        return antimeridian.cut(joined)
    out = []
    for i, ring in enumerate(joined):
        area = _area(ring)
        if area != 0:
            out.append(ring if (area > 0) == (i == 0) else ring[::-1])
    return [out] if out else []


def _feature(geometry, arcs):
    short = geometry["properties"]["name"]
    code = geometry.get("id") or ""
    if short == "Ashmore and Cartier Is.":
        code = ""  # the source gives it Australia's
    if code and code not in ALPHA3:
        raise BuildError(f"countries: no alpha-3 code is known for {code}, {short}")
    parts = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
    polygons = [p for part in parts for p in _polygons(part, arcs)]
    shape = {"type": "MultiPolygon", "coordinates": polygons} if len(polygons) > 1 else \
            {"type": "Polygon", "coordinates": polygons[0]}
    name = FULL_NAMES.get(short, short)
    if "." in name:
        raise BuildError(f"countries: {name} is abbreviated")
    return {"type": "Feature", "id": ALPHA3.get(code) or name,
            "properties": {"name": name, "iso_a3": ALPHA3.get(code, ""), "iso_n3": code, "source_name": short},
            "geometry": shape}


def countries(path):
    """Write the outlines; return the manifest entry and names by alpha-3 code."""
    src, package = source("countries")
    topology = json.loads(src.read_text(encoding="utf-8"))
    arcs = _arcs(topology)
    features = [_feature(g, arcs) for g in topology["objects"]["countries"]["geometries"]]
    features.sort(key=lambda f: f["properties"]["name"])
    names = [f["properties"]["name"] for f in features]
    if len(set(names)) != len(names):
        raise BuildError("countries: two features of one name")
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write('{"type":"FeatureCollection","features":[\n')
        out.write(",\n".join(json.dumps(f, ensure_ascii=False, separators=(",", ":")) for f in features))
        out.write("\n]}\n")
    entry = {
        "name": "natural_earth_countries", "title": "Outlines of countries and territories, Natural Earth 1:50 million",
        "kind": "vector", "aliases": ["countries", "borders", "country borders", "world atlas"],
        "period": "", "frequency": "", "calendar": "", "region": "global", "resolution": "1:50 million",
        "licence": "public domain (Natural Earth); packaging ISC",
        "source": f"Natural Earth 4.1 Admin 0 countries 1:50m; {package}",
        "cut": f"nothing: {len(features)} features with all parts and holes (rings without area dropped); shapes that "
               "cross the antimeridian or hold the pole cut there; vertices to four decimals; names written in full, alpha-3 codes added from ISO 3166-1",
        "synthetic": False, "file": "natural_earth_countries.geojson",
        "variables": [{"name": "countries", "aliases": ["country", "borders", "boundaries"], "standard_name": "",
                       "long_name": "outlines of countries", "unit": "1", "source_name": "countries"}]}
    return entry, {f["properties"]["iso_a3"]: f["properties"]["name"] for f in features if f["properties"]["iso_a3"]}
