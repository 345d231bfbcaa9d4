"""Writing labels as PDF without a PDF library.

A label is one page with one font and a handful of lines, so the few objects
that a file needs are put together by hand.
"""

from __future__ import annotations

from ..models import Parcel
from .layout import STICKERS, StickerSize, address_block, fit_rows

POINTS_PER_MM = 72 / 25.4
FONT_SIZE = 9
LEADING = 11


def _escape(text: str) -> bytes:
    raw = text.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


class LabelDocument:
    """Collects pages and writes the file with its cross-reference table."""

    def __init__(self, size: StickerSize):
        self.size = size
        self._pages: list[bytes] = []

    def media_box(self) -> tuple[int, int]:
        """Width and height of the sheet in points."""
        width = round(self.size.width_mm * POINTS_PER_MM)
        height = round(self.size.height_mm * POINTS_PER_MM)
        return width, height

    def add_page(self, rows: list[str]) -> None:
        _, height = self.media_box()
        parts = [b"BT", b"/F1 %d Tf" % FONT_SIZE, b"%d TL" % LEADING, b"12 %d Td" % (height - 20)]
        for row in rows:
            parts.append(b"(" + _escape(row) + b") Tj T*")
        parts.append(b"ET")
        self._pages.append(b"\n".join(parts))

    def to_bytes(self) -> bytes:
        width, height = self.media_box()
        kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(self._pages)))
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Kids [{kids}] /Count {len(self._pages)} >>".encode(),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        ]
        for index, stream in enumerate(self._pages):
            objects.append(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] "
                f"/Contents {5 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>".encode()
            )
            objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        out = bytearray(b"%PDF-1.4\n")
        offsets = []
        for number, body in enumerate(objects, start=1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        for offset in offsets:
            out += b"%010d 00000 n \n" % offset
        out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
        return bytes(out)


def render_labels(parcels: list[Parcel], sticker: str = "a6") -> bytes:
    size = STICKERS[sticker]
    document = LabelDocument(size)
    for parcel in parcels:
        blocks = [
            ["FROM"] + address_block(parcel.sender, size),
            ["TO"] + address_block(parcel.receiver, size),
            [parcel.tracking_no, parcel.service.value.upper()],
        ]
        document.add_page(fit_rows(blocks, size))
    return document.to_bytes()
