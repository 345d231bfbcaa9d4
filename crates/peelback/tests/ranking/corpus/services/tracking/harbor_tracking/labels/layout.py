"""Where the text goes on a label.

All widths are counted in characters of the monospaced label font, which is
close enough for the four sizes of sticker we print on.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..models import Address

COUNTRY_NAMES = {"GB": "UNITED KINGDOM", "DE": "GERMANY", "PL": "POLAND", "PT": "PORTUGAL"}


@dataclass(frozen=True)
class StickerSize:
    name: str
    width_mm: float
    height_mm: float
    columns: int
    rows: int


STICKERS = {
    "a6": StickerSize("a6", 105, 148, 38, 30),
    "4x6": StickerSize("4x6", 101.6, 152.4, 36, 31),
    "small": StickerSize("small", 62, 100, 22, 18),
    "satchel": StickerSize("satchel", 50, 75, 18, 12),
}


class LabelTooSmall(ValueError):
    pass


def wrap_line(text: str, columns: int) -> list[str]:
    """Break a line between words so that no piece is wider than the sticker."""
    words = text.split()
    lines: list[str] = []
    current = ""
    while words:
        candidate = f"{current} {words[0]}".strip()
        if len(candidate) <= columns:
            current = candidate
            words.pop(0)
        else:
            lines.append(current)
            current = ""
    if current:
        lines.append(current)
    return lines


def address_block(address: Address, size: StickerSize, *, domestic: str = "GB") -> list[str]:
    """The lines of the address, the country last and only for parcels abroad."""
    lines = wrap_line(address.recipient.upper(), size.columns)
    lines += wrap_line(address.street, size.columns)
    lines += wrap_line(f"{address.postcode} {address.city.upper()}", size.columns)
    if address.country != domestic:
        lines.append(COUNTRY_NAMES.get(address.country, address.country))
    return lines


def fit_rows(blocks: list[list[str]], size: StickerSize) -> list[str]:
    """Stack the blocks with blank rows between them, as many as there is room for."""
    needed = sum(len(block) for block in blocks)
    spare = size.rows - needed
    if spare < 0:
        raise LabelTooSmall(f"{needed} rows do not fit on {size.name} ({size.rows} rows)")
    gap = min(2, spare // max(1, len(blocks) - 1))
    rows: list[str] = []
    for index, block in enumerate(blocks):
        if index:
            rows.extend([""] * gap)
        rows.extend(block)
    return rows
