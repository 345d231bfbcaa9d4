"""Limits on how often one API key may call us."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass


@dataclass
class _Window:
    started: float
    used: int = 0


class RateLimiter:
    """Fixed windows, one per key.

    The window of a key begins with its first call, so that not every client
    is let in again at the same full minute.
    """

    def __init__(self, limit: int, period: float = 60.0, clock=time.monotonic):
        if limit < 1:
            raise ValueError("limit must be at least 1")
        self.limit = limit
        self.period = period
        self._clock = clock
        self._windows: dict[str, _Window] = {}
        self._lock = threading.Lock()

    def allow(self, key: str, cost: int = 1) -> bool:
        with self._lock:
            window = self._current(key)
            if window.used + cost > self.limit:
                return False
            window.used += cost
            return True

    def remaining(self, key: str) -> int:
        with self._lock:
            return self.limit - self._current(key).used

    def seconds_until_reset(self, key: str) -> int:
        """Rounded up, so that a client that waits this long is let in."""
        with self._lock:
            window = self._current(key)
            return math.ceil(window.started + self.period - self._clock())

    def headers(self, key: str) -> dict[str, str]:
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining(key)),
            "RateLimit-Reset": str(self.seconds_until_reset(key)),
        }

    def forget_idle(self) -> int:
        """Drop the windows that are over; called by the housekeeping thread."""
        with self._lock:
            now = self._clock()
            stale = [k for k, w in self._windows.items() if now - w.started >= self.period]
            for key in stale:
                del self._windows[key]
            return len(stale)

    def _current(self, key: str) -> _Window:
        now = self._clock()
        window = self._windows.get(key)
        if window is None or now - window.started >= self.period:
            window = self._windows[key] = _Window(now)
        return window
