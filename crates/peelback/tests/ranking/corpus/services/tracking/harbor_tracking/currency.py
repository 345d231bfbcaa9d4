"""Amounts of money in minor units, and how to get from one currency to another."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

# Digits after the point; everything that is not listed has two.
_EXPONENTS = {"JPY": 0, "KRW": 0, "ISK": 0, "CLP": 0, "KWD": 3, "BHD": 3, "TND": 3}


class UnknownRate(LookupError):
    def __init__(self, source: str, target: str):
        super().__init__(f"no exchange rate from {source} to {target}")


def exponent_of(currency: str) -> int:
    return _EXPONENTS.get(currency, 2)


@dataclass(frozen=True, order=True)
class Money:
    minor: int
    currency: str

    @classmethod
    def from_major(cls, amount: Decimal | str, currency: str) -> "Money":
        scaled = Decimal(amount).scaleb(exponent_of(currency))
        return cls(int(scaled.to_integral_value(ROUND_HALF_EVEN)), currency)

    def to_major(self) -> Decimal:
        return Decimal(self.minor).scaleb(-exponent_of(self.currency))

    def __add__(self, other: "Money") -> "Money":
        if self.currency != other.currency:
            raise ValueError(f"cannot add {other.currency} to {self.currency}")
        return Money(self.minor + other.minor, self.currency)

    def __str__(self) -> str:
        return f"{self.to_major()} {self.currency}"


class RateTable:
    """Rates of the day against one base currency."""

    def __init__(self, base: str, rates: dict[str, Decimal]):
        self.base = base
        self._rates = {**rates, base: Decimal(1)}

    def rate(self, source: str, target: str) -> Decimal:
        try:
            return self._rates[target] / self._rates[source]
        except KeyError:
            raise UnknownRate(source, target) from None


def convert(amount: Money, target: str, table: RateTable) -> Money:
    """Exchange an amount; halves go to the even minor unit, as our bank does it."""
    if amount.currency == target:
        return amount
    exchanged = Decimal(amount.minor) * table.rate(amount.currency, target)
    return Money(int(exchanged.to_integral_value(ROUND_HALF_EVEN)), target)


def split_evenly(amount: Money, parts: int) -> list[Money]:
    """Share an amount without losing a penny; the first ones get the rest."""
    each, rest = divmod(amount.minor, parts)
    return [Money(each + (1 if i < rest else 0), amount.currency) for i in range(parts)]
