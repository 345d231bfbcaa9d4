"""The cache: least recently used, ttl, expiry and loading on a miss."""

from harbor_tracking.cache import LruTtlCache


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_entry_expires_after_its_ttl():
    clock = Clock()
    cache = LruTtlCache(4, ttl=10, clock=clock)
    cache.put("a", 1)
    clock.now = 9.9
    assert cache.get("a") == 1
    clock.now = 10.0
    assert cache.get("a") is None


def test_least_recently_used_entry_is_pushed_out():
    cache = LruTtlCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert cache.get("b") is None
    assert cache.get("a") == 1


def test_loader_is_called_once_while_the_entry_is_fresh():
    calls = []
    cache = LruTtlCache(2, ttl=60)
    for _ in range(3):
        cache.get_or_load("k", lambda: calls.append(1) or "v")
    assert len(calls) == 1


def test_without_ttl_entries_never_expire():
    clock = Clock()
    cache = LruTtlCache(2, clock=clock)
    cache.put("a", 1)
    clock.now = 1e9
    assert cache.get("a") == 1
