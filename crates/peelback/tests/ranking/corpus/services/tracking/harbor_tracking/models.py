"""Plain data types shared by the whole tracking service."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import Enum

# Divisor of the road carriers: cubic centimetres per kilogram.
VOLUMETRIC_DIVISOR = 5000


class ParcelStatus(str, Enum):
    ANNOUNCED = "announced"
    LABELLED = "labelled"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    RETURNED = "returned"
    CANCELLED = "cancelled"


class ServiceLevel(str, Enum):
    ECONOMY = "economy"
    STANDARD = "standard"
    EXPRESS = "express"


@dataclass(frozen=True)
class Address:
    recipient: str
    street: str
    postcode: str
    city: str
    country: str = "GB"

    def one_line(self) -> str:
        return f"{self.recipient}, {self.street}, {self.postcode} {self.city}, {self.country}"


@dataclass(frozen=True)
class ScanEvent:
    """One beep of a handheld or one line of a carrier's feed."""

    tracking_no: str
    status: ParcelStatus
    hub: str
    at: datetime
    source: str = "handheld"


@dataclass
class Dimensions:
    length_cm: Decimal | float
    width_cm: Decimal | float
    height_cm: Decimal | float
    weight_kg: Decimal | float

    def chargeable_weight(self) -> float:
        """The larger of the real and the volumetric weight."""
        volume = float(self.length_cm) * float(self.width_cm) * float(self.height_cm)
        return max(float(self.weight_kg), volume / VOLUMETRIC_DIVISOR)


@dataclass
class Parcel:
    tracking_no: str
    sender: Address
    receiver: Address
    dimensions: Dimensions
    service: ServiceLevel = ServiceLevel.STANDARD
    status: ParcelStatus = ParcelStatus.ANNOUNCED
    accepted_at: datetime | None = None
    delivered_at: datetime | None = None
    scans: list[ScanEvent] = field(default_factory=list)

    def last_scan(self) -> ScanEvent | None:
        if not self.scans:
            return None
        return max(self.scans, key=lambda scan: scan.at)

    def is_open(self) -> bool:
        """Whether anything can still happen to this parcel."""
        return self.status not in (
            ParcelStatus.DELIVERED,
            ParcelStatus.RETURNED,
            ParcelStatus.CANCELLED,
        )
