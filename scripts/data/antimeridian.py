"""Cut polygons at the antimeridian, as RFC 7946 asks.

world-atlas stitches shapes together over the antimeridian and round the pole:
an edge from 180 to -180 degrees is a step of nothing on the sphere, and of the
whole map for a program that works in the plane.
"""

from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.polygon import orient


def crosses(rings):
    """Whether an edge spans more than half of the globe."""
    return any(abs(a[0] - b[0]) > 180 for ring in rings for a, b in zip(ring, ring[1:]))


def _unwrapped(ring):
    """The ring with longitudes carried on past 180 degrees instead of jumping."""
    out, turn = [tuple(ring[0])], 0
    for a, b in zip(ring, ring[1:]):
        if b[0] - a[0] > 180:
            turn -= 360
        elif b[0] - a[0] < -180:
            turn += 360
        out.append((b[0] + turn, b[1]))
    return out


def _closed(ring):
    """A ring round the pole, closed along the bottom (or top) of the map.

    It is turned to begin where it crosses the antimeridian, so that the added
    sides lie on it.
    """
    ring = ring[:-1]
    start = min(range(len(ring)), key=lambda i: (ring[i][0] + 180) % 360)
    ring = _unwrapped([(((x + 180) % 360) - 180, y) for x, y in ring[start:] + ring[:start + 1]])
    pole = -90.0 if ring[0][1] < 0 else 90.0
    return ring + [(ring[-1][0], pole), (ring[0][0], pole), ring[0]]


def cut(rings):
    """Polygons (lists of rings) that stay within -180 to 180 degrees."""
    unwrapped = [_unwrapped(r) for r in rings]
    if any(abs(r[0][0] - r[-1][0]) > 180 for r in unwrapped):
        # Round the pole: the circle of points at the pole itself is no coast.
        coast = [r for r in unwrapped if abs(r[0][0] - r[-1][0]) > 180 and min(abs(p[1]) for p in r) < 89.9]
        holes = [r for r in unwrapped if abs(r[0][0] - r[-1][0]) <= 180]
        unwrapped = [_closed(coast[0])] + holes
    shape = Polygon(unwrapped[0], unwrapped[1:])
    west, _, east, _ = shape.bounds
    parts = []
    for turn in range(int((west + 180) // 360), int((east + 180) // 360) + 1):
        piece = shape.intersection(box(-180 + 360 * turn, -90, 180 + 360 * turn, 90))
        pieces = piece.geoms if hasattr(piece, "geoms") else [piece]
        parts += [_shifted(p, -360 * turn) for p in pieces if isinstance(p, Polygon) and p.area > 1e-9]
    parts = sorted(MultiPolygon(parts).normalize().geoms, key=lambda p: p.bounds)
    return [[[list(c) for c in r.coords] for r in (p.exterior, *p.interiors)] for p in map(orient, parts)]


def _shifted(polygon, by):
    move = lambda ring: [(round(x + by, 4), round(y, 4)) for x, y in ring.coords]
    return Polygon(move(polygon.exterior), [move(r) for r in polygon.interiors])
