"""A small in-process cache: least recently used goes first, entries age out."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Hashable


@dataclass
class _Entry:
    value: Any
    stored_at: float
    ttl: float | None


class LruTtlCache:
    """Safe to share between threads.

    `ttl` is in seconds; `None` keeps entries until they are pushed out by
    newer ones.
    """

    def __init__(self, capacity: int, ttl: float | None = None, clock=time.monotonic):
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self._capacity = capacity
        self._ttl = ttl
        self._clock = clock
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = threading.RLock()
        self.hits = 0
        self.misses = 0

    def get(self, key: Hashable, default=None):
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or not self._is_fresh(entry):
                self._entries.pop(key, None)
                self.misses += 1
                return default
            self._entries.move_to_end(key)
            self.hits += 1
            return entry.value

    def put(self, key: Hashable, value, ttl: float | None = None) -> None:
        with self._lock:
            chosen = self._ttl if ttl is None else ttl
            self._entries[key] = _Entry(value, self._clock(), chosen)
            self._entries.move_to_end(key)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def get_or_load(self, key: Hashable, load: Callable[[], Any]):
        """Like `get`, but a miss is filled by calling `load`."""
        missing = object()
        value = self.get(key, missing)
        if value is missing:
            value = load()
            self.put(key, value)
        return value

    def invalidate(self, key: Hashable) -> None:
        with self._lock:
            self._entries.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()

    def _is_fresh(self, entry: _Entry) -> bool:
        if not entry.ttl:
            return True
        return self._clock() - entry.stored_at < entry.ttl
