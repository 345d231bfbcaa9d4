"""Layout of labels: wrapping of address lines, rows and stickers."""

import pytest

from harbor_tracking.labels.layout import STICKERS, LabelTooSmall, address_block, fit_rows, wrap_line
from harbor_tracking.models import Address


def test_long_address_line_is_wrapped_between_words():
    lines = wrap_line("12 Upper Saint Botolph Street West", 18)
    assert lines == ["12 Upper Saint", "Botolph Street", "West"]
    assert all(len(line) <= 18 for line in lines)


def test_short_line_stays_whole():
    assert wrap_line("1 Quay Road", 18) == ["1 Quay Road"]


def test_country_is_only_printed_on_labels_for_abroad():
    abroad = Address("Jan Nowak", "ul. Portowa 3", "80-288", "Gdansk", "PL")
    assert address_block(abroad, STICKERS["a6"])[-1] == "POLAND"
    at_home = Address("Ann Lee", "1 Quay Road", "BS1 6XN", "Bristol")
    assert address_block(at_home, STICKERS["a6"])[-1] == "BS1 6XN BRISTOL"


def test_blocks_get_blank_rows_between_them():
    assert fit_rows([["a"], ["b"]], STICKERS["satchel"]) == ["a", "", "", "b"]


def test_too_many_rows_for_the_sticker():
    with pytest.raises(LabelTooSmall, match="rows do not fit on satchel"):
        fit_rows([["x"] * 20], STICKERS["satchel"])
