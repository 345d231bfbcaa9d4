"""Finding the way of a parcel through the network of hubs."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass

from .hubs import HubRegistry


class NoRoute(Exception):
    """There is no chain of legs between the two hubs."""


@dataclass(frozen=True)
class Leg:
    origin: str
    target: str
    hours: float
    price_minor: int
    mode: str = "road"


@dataclass(frozen=True)
class Route:
    legs: tuple[Leg, ...]

    @property
    def hours(self) -> float:
        return sum(leg.hours for leg in self.legs)

    @property
    def price_minor(self) -> int:
        return sum(leg.price_minor for leg in self.legs)


class RoutePlanner:
    # What one hour on the road is worth when weighed against the price.
    MINOR_PER_HOUR = 35
    HANDLING_HOURS = 1.5

    def __init__(self, hubs: HubRegistry, legs: list[Leg]):
        self._hubs = hubs
        self._out: dict[str, list[Leg]] = defaultdict(list)
        for leg in legs:
            self._out[leg.origin].append(leg)

    def weight_of(self, leg: Leg, hurry: float) -> float:
        """Blend of money and time; hurry is 0 for economy and 1 for express."""
        hours = leg.hours + self.HANDLING_HOURS
        return (1.0 - hurry) * leg.price_minor + (0.2 + hurry) * hours * self.MINOR_PER_HOUR

    def plan(self, origin: str, target: str, *, hurry: float = 0.5, avoid=frozenset()) -> Route:
        """Dijkstra over the legs, closed hubs left out."""
        self._hubs.get(origin)
        self._hubs.get(target)
        best = {origin: 0.0}
        came_by: dict[str, Leg] = {}
        heap = [(0.0, origin)]
        while heap:
            cost, here = heapq.heappop(heap)
            if here == target:
                return self._unwind(came_by, origin, target)
            if cost > best[here]:
                continue
            for leg in self._out[here]:
                if leg.target in avoid:
                    continue
                total = cost + self.weight_of(leg, hurry)
                if total < best.get(leg.target, float("inf")):
                    best[leg.target] = total
                    came_by[leg.target] = leg
                    heapq.heappush(heap, (total, leg.target))
        raise NoRoute(f"{origin} and {target} are not connected")

    def _unwind(self, came_by: dict[str, Leg], origin: str, target: str) -> Route:
        legs = []
        here = target
        while here != origin:
            leg = came_by[here]
            legs.append(leg)
            here = leg.origin
        return Route(tuple(reversed(legs)))
