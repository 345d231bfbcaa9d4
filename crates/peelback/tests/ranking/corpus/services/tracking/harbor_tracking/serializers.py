"""From our data types to the JSON of the public API."""

from __future__ import annotations

import dataclasses
import json
from datetime import date, datetime, timezone
from enum import Enum

from .models import Parcel, ScanEvent
from .promises import has_missed_promise, promised_moment
from .status import progress_fraction

API_VERSION = 3


def encode_value(value):
    """Hook of the JSON encoder for everything it does not know by itself."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError("naive datetime in an API answer")
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"cannot put {type(value).__name__} into an API answer")


def dumps(payload) -> str:
    return json.dumps(payload, default=encode_value, ensure_ascii=False, separators=(",", ":"))


class ScanSerializer:
    def to_dict(self, scan: ScanEvent) -> dict:
        return {"status": scan.status, "hub": scan.hub, "at": scan.at}


class ParcelSerializer:
    """The parcel as customers see it; office-only fields stay out."""

    def __init__(self, *, with_scans: bool = False, mask_receiver: bool = False):
        self._with_scans = with_scans
        self._mask_receiver = mask_receiver

    def to_dict(self, parcel: Parcel) -> dict:
        out = {
            "v": API_VERSION,
            "tracking_no": parcel.tracking_no,
            "status": parcel.status,
            "progress": progress_fraction(parcel.status),
            "service": parcel.service,
            "dimensions": parcel.dimensions,
            "promised": promised_moment(parcel),
            "overdue": has_missed_promise(parcel),
            "receiver": self._receiver(parcel),
        }
        if self._with_scans:
            scans = ScanSerializer()
            out["scans"] = [scans.to_dict(scan) for scan in sorted(parcel.scans, key=lambda s: s.at)]
        return out

    def _receiver(self, parcel: Parcel) -> dict:
        """On the public tracking page only the town is shown."""
        address = parcel.receiver
        if self._mask_receiver:
            return {"city": address.city, "country": address.country}
        return dataclasses.asdict(address)
