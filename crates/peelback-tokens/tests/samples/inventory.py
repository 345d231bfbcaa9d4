"""Keeps count of what stands on the shelves."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Final, TypeVar

T = TypeVar("T", bound="Shelf")
SKU_PATTERN: Final = re.compile(r"^[A-Z]{3}-\d{4,6}(?:/\w+)?$")


@dataclasses.dataclass(slots=True, frozen=True)
class Item:
    sku: str
    quantity: int = 0
    price_cents: int | None = None

    def __post_init__(self) -> None:
        if not SKU_PATTERN.match(self.sku):
            raise ValueError(f"not a stock keeping unit: {self.sku!r}")


class Shelf:
    def __init__(self, *items: Item, max_weight_kg: float = 120.5) -> None:
        self._items = {item.sku: item for item in items}
        self.max_weight_kg = max_weight_kg

    def __iter__(self) -> Iterator[Item]:
        yield from sorted(self._items.values(), key=lambda item: (-item.quantity, item.sku))

    async def restock(self, sku: str, by: int) -> Item:
        old = self._items.get(sku) or Item(sku)
        self._items[sku] = new = dataclasses.replace(old, quantity=old.quantity + by)
        return new
