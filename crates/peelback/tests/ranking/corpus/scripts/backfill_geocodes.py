"""Locate the receivers of all open parcels once, to warm the geocode cache.

    python3 scripts/backfill_geocodes.py tracking.db
"""

import sys
import time

from harbor_tracking.geocode import AddressNotFound, Geocoder
from harbor_tracking.storage.repository import ParcelRepository

PAUSE = 0.2


class OfflineProvider:
    """Middle points of postcode areas from a text file, no network needed."""

    def __init__(self, path="postcodes.txt"):
        self._points = {}
        with open(path, encoding="utf-8") as handle:
            for line in handle:
                country, postcode, lat, lon = line.rstrip("\n").split("\t")
                self._points[country, postcode] = (float(lat), float(lon))

    def search(self, street, postcode, country):
        return None if street else self._points.get((country, postcode))


def main(database):
    repository = ParcelRepository(database)
    geocoder = Geocoder([OfflineProvider()])
    cursor, found, missing = None, 0, 0
    while True:
        page, cursor = repository.list_page(size=200, cursor=cursor)
        for parcel in page:
            try:
                geocoder.locate(parcel.receiver)
                found += 1
            except AddressNotFound as exc:
                print("not found:", exc)
                missing += 1
            time.sleep(PAUSE)
        if cursor is None:
            break
    print(f"{found} located, {missing} missing")


if __name__ == "__main__":
    main(sys.argv[1])
