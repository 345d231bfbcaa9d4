"""Trying again when a carrier's server has a bad moment."""

from __future__ import annotations

import logging
import random
import time
from dataclasses import dataclass, field

log = logging.getLogger(__name__)

RETRYABLE_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})


class TransientError(Exception):
    """A failure that may go away by itself."""

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None):
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class GaveUp(Exception):
    def __init__(self, attempts: int, last: Exception):
        super().__init__(f"gave up after {attempts} attempts: {last}")
        self.attempts = attempts
        self.last = last


@dataclass
class RetryPolicy:
    """Exponential backoff with full jitter.

    `base_delay` and `max_delay` are seconds and come from the `[retry]` table
    of the settings.
    """

    attempts: int = 5
    base_delay: float = 0.5
    max_delay: float = 60.0
    rng: random.Random = field(default_factory=random.Random)

    def delay_for(self, attempt: int, retry_after: float | None = None) -> float:
        """Seconds to wait before attempt number `attempt + 1`."""
        if retry_after is not None:
            return retry_after
        ceiling = min(self.max_delay, self.base_delay * 2 ** (attempt - 1))
        return self.rng.uniform(0, ceiling)

    def is_retryable(self, status: int) -> bool:
        return status in RETRYABLE_STATUS


def call_with_retries(func, policy: RetryPolicy, *, sleep=time.sleep):
    """Call `func` until it returns, raises for good, or the attempts are used up."""
    for attempt in range(1, policy.attempts + 1):
        try:
            return func()
        except TransientError as exc:
            if attempt == policy.attempts:
                raise GaveUp(attempt, exc) from exc
            pause = policy.delay_for(attempt, exc.retry_after)
            log.warning("%s; sleeping %.1fs before attempt %d", exc, pause, attempt + 1)
            sleep(pause)
    raise AssertionError("unreachable")
