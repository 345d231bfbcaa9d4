"""The sorting hubs and where they are."""

from __future__ import annotations

import math
from dataclasses import dataclass

EARTH_RADIUS_KM = 6371.0


@dataclass(frozen=True)
class Hub:
    code: str
    name: str
    lat: float
    lon: float
    country: str
    accepts_oversize: bool = False


def great_circle_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Haversine distance between two points given in degrees."""
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    d_phi = phi2 - phi1
    d_lambda = math.radians(lon2 - lon1)
    a = math.sin(d_phi / 2) ** 2 + math.cos(phi1) * math.cos(phi2) * math.sin(d_lambda / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(a))


class HubRegistry:
    """All hubs, by code and by place."""

    def __init__(self, hubs: list[Hub]):
        self._by_code = {hub.code: hub for hub in hubs}

    def __len__(self) -> int:
        return len(self._by_code)

    def get(self, code: str) -> Hub:
        try:
            return self._by_code[code]
        except KeyError:
            known = ", ".join(sorted(self._by_code)[:5])
            raise LookupError(f"no hub {code!r} (known hubs start with {known})") from None

    def nearest(self, lat: float, lon: float, *, oversize: bool = False) -> Hub:
        """The closest hub as the crow flies, if needed one with a big ramp."""
        candidates = [
            hub for hub in self._by_code.values() if hub.accepts_oversize or not oversize
        ]
        if not candidates:
            raise LookupError("no hub takes oversize parcels")
        return min(candidates, key=lambda hub: great_circle_km(lat, lon, hub.lat, hub.lon))

    def within(self, lat: float, lon: float, radius_km: float) -> list[Hub]:
        found = [
            (great_circle_km(lat, lon, hub.lat, hub.lon), hub.code)
            for hub in self._by_code.values()
        ]
        return [self._by_code[code] for far, code in sorted(found) if far <= radius_km]
