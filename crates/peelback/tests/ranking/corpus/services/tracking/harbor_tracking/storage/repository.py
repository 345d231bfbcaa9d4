"""Parcels in SQLite."""

from __future__ import annotations

import base64
import pickle
import sqlite3
import time

from ..models import Parcel

_SCHEMA = """
CREATE TABLE IF NOT EXISTS parcel (
    tracking_no TEXT PRIMARY KEY,
    status      TEXT NOT NULL,
    city        TEXT NOT NULL,
    updated_at  INTEGER NOT NULL,
    body        BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS parcel_by_update ON parcel (updated_at, tracking_no);
"""


class ParcelRepository:
    def __init__(self, path: str, clock=time.time):
        self._db = sqlite3.connect(path)
        self._db.executescript(_SCHEMA)
        self._clock = clock

    def save(self, parcel: Parcel) -> None:
        self.save_all([parcel])

    def save_all(self, parcels: list[Parcel]) -> None:
        """All or nothing, in one transaction."""
        now = int(self._clock())
        rows = [
            (p.tracking_no, p.status.value, p.receiver.city, now, pickle.dumps(p)) for p in parcels
        ]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO parcel VALUES (?, ?, ?, ?, ?)", rows)

    def get(self, tracking_no: str) -> Parcel | None:
        row = self._db.execute(
            "SELECT body FROM parcel WHERE tracking_no = ?", (tracking_no.upper(),)
        ).fetchone()
        return pickle.loads(row[0]) if row else None

    def list_page(self, *, status: str | None = None, size: int = 50, cursor: str | None = None):
        """One page, oldest change first, and the cursor of the next page or None."""
        after = _decode_cursor(cursor) if cursor else -1
        sql = "SELECT body, updated_at FROM parcel WHERE updated_at > ?"
        arguments: list = [after]
        if status is not None:
            sql += " AND status = ?"
            arguments.append(status)
        sql += " ORDER BY updated_at, tracking_no LIMIT ?"
        arguments.append(size + 1)
        found = self._db.execute(sql, arguments).fetchall()
        page = found[:size]
        more = len(found) > size
        following = _encode_cursor(page[-1][1]) if more else None
        return [pickle.loads(body) for body, _ in page], following

    def count_by_status(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT status, count(*) FROM parcel GROUP BY status"))

    def purge_closed(self, older_than: int) -> int:
        """Forget what was delivered, returned or cancelled long ago."""
        with self._db:
            done = self._db.execute(
                "DELETE FROM parcel WHERE updated_at < ? "
                "AND status IN ('delivered', 'returned', 'cancelled')",
                (older_than,),
            )
        return done.rowcount


def _encode_cursor(position: int) -> str:
    return base64.urlsafe_b64encode(str(position).encode()).decode()


def _decode_cursor(cursor: str) -> int:
    try:
        return int(base64.urlsafe_b64decode(cursor))
    except ValueError:
        raise ValueError(f"bad cursor {cursor!r}") from None
