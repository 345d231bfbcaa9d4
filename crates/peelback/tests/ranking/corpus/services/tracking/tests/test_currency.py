"""Money: minor units, exchange rates, rounding, yen and dinars."""

from decimal import Decimal

import pytest

from harbor_tracking.currency import Money, RateTable, UnknownRate, convert, split_evenly

TABLE = RateTable("EUR", {"GBP": Decimal("0.86"), "PLN": Decimal("4.31"), "JPY": Decimal("160")})


def test_convert_uses_the_exchange_rate_of_the_day():
    assert convert(Money(1000, "EUR"), "PLN", TABLE) == Money(4310, "PLN")


def test_convert_across_the_base_currency():
    assert convert(Money(860, "GBP"), "EUR", TABLE) == Money(1000, "EUR")


def test_yen_has_no_minor_unit():
    assert Money.from_major("1500", "JPY") == Money(1500, "JPY")
    assert str(Money(1500, "JPY")) == "1500 JPY"


def test_half_a_penny_goes_to_the_even_one():
    assert Money.from_major("0.125", "GBP").minor == 12
    assert Money.from_major("0.135", "GBP").minor == 14


def test_unknown_currency_has_no_rate():
    with pytest.raises(UnknownRate, match="no exchange rate from EUR to XXX"):
        convert(Money(1, "EUR"), "XXX", TABLE)


def test_split_keeps_every_penny():
    shares = split_evenly(Money(100, "GBP"), 3)
    assert [share.minor for share in shares] == [34, 33, 33]
