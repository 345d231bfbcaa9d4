"""From an address to a point on the map."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from .cache import LruTtlCache
from .models import Address

log = logging.getLogger(__name__)

_GB_POSTCODE = re.compile(r"^([A-Z]{1,2}\d[A-Z\d]?)(\d[A-Z]{2})$")
_PL_POSTCODE = re.compile(r"^(\d{2})(\d{3})$")


@dataclass(frozen=True)
class Point:
    lat: float
    lon: float
    accuracy: str = "street"


class AddressNotFound(LookupError):
    pass


def normalise_postcode(postcode: str, country: str) -> str:
    """Upper case, one blank or dash where the country wants one.

    Postcodes that do not fit the pattern of their country are returned
    squeezed but otherwise as they are, so that the provider may try its luck.
    """
    squeezed = re.sub(r"[\s-]+", "", postcode).upper()
    if country == "GB" and (match := _GB_POSTCODE.match(squeezed)):
        return f"{match.group(1)} {match.group(2)}"
    if country == "PL" and (match := _PL_POSTCODE.match(squeezed)):
        return f"{match.group(1)}-{match.group(2)}"
    return squeezed


class Geocoder:
    """Asks the providers in turn and remembers what they said."""

    def __init__(self, providers, *, cache_ttl: float = 86400, capacity: int = 20_000):
        self._providers = list(providers)
        self._cache = LruTtlCache(capacity, ttl=cache_ttl)

    def locate(self, address: Address) -> Point:
        postcode = normalise_postcode(address.postcode, address.country)
        key = (address.country, postcode, address.street.casefold())
        point = self._cache.get_or_load(key, lambda: self._ask(address, postcode))
        if point is None:
            raise AddressNotFound(address.one_line())
        return point

    def _ask(self, address: Address, postcode: str) -> Point | None:
        """First the whole address, then only the middle of the postcode area."""
        for provider in self._providers:
            found = provider.search(address.street, postcode, address.country)
            if found:
                return Point(found[0], found[1])
        for provider in self._providers:
            found = provider.search("", postcode, address.country)
            if found:
                log.info("only the postcode of %s is known", address.one_line())
                return Point(found[0], found[1], accuracy="postcode")
        return None
