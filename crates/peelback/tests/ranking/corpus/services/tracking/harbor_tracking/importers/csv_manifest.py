"""Manifests: the CSV files in which shippers announce their parcels."""

from __future__ import annotations

import csv
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Iterator

from ..models import Address, Dimensions, Parcel, ServiceLevel

REQUIRED = (
    "tracking_no", "recipient", "street", "postcode", "city", "country",
    "length_cm", "width_cm", "height_cm", "weight_kg",
)


class ManifestError(Exception):
    """Something is wrong with the file; `line` is counted as an editor does."""

    def __init__(self, message: str, line: int):
        super().__init__(f"line {line}: {message}")
        self.line = line


class ManifestReader:
    def __init__(self, path: str | Path, sender: Address | None = None):
        self._path = Path(path)
        self._sender = sender or Address("Harbor Depot", "1 Quay Road", "BS1 6XN", "Bristol")

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Line number and cells of every row; shippers use commas or semicolons."""
        with self._path.open(newline="", encoding="utf-8") as handle:
            first = handle.readline()
            delimiter = ";" if first.count(";") > first.count(",") else ","
            names = [cell.strip().lower() for cell in next(csv.reader([first], delimiter=delimiter))]
            missing = [name for name in REQUIRED if name not in names]
            if missing:
                raise ManifestError(f"missing column {missing[0]}", 1)
            reader = csv.reader(handle, delimiter=delimiter)
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield reader.line_num + 1, dict(zip(names, (cell.strip() for cell in cells)))

    def parcels(self) -> Iterator[Parcel]:
        seen: dict[str, int] = {}
        for line, row in self.rows():
            number = row["tracking_no"].upper()
            if number in seen:
                raise ManifestError(f"{number} was already announced in line {seen[number]}", line)
            seen[number] = line
            yield self._parcel(number, row, line)

    def _parcel(self, number: str, row: dict[str, str], line: int) -> Parcel:
        receiver = Address(
            row["recipient"], row["street"], row["postcode"], row["city"], row["country"].upper()
        )
        sizes = [
            self._number(row[name], name, line)
            for name in ("length_cm", "width_cm", "height_cm", "weight_kg")
        ]
        try:
            service = ServiceLevel(row.get("service") or "standard")
        except ValueError:
            raise ManifestError(f"unknown service {row['service']!r}", line) from None
        return Parcel(number, self._sender, receiver, Dimensions(*sizes), service)

    @staticmethod
    def _number(text: str, name: str, line: int) -> Decimal:
        """Decimal comma or point, both are in use."""
        try:
            value = Decimal(text.replace(",", "."))
        except InvalidOperation:
            raise ManifestError(f"{name} is not a number: {text!r}", line) from None
        if value <= 0:
            raise ManifestError(f"{name} must be positive", line)
        return value
