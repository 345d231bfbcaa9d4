"""Retries: backoff, jitter, max_delay, Retry-After and giving up."""

import random

import pytest

from harbor_tracking.net.retry import GaveUp, RetryPolicy, TransientError, call_with_retries


def policy(**kwargs):
    return RetryPolicy(rng=random.Random(7), **kwargs)


def test_delay_never_exceeds_max_delay():
    retry = policy(base_delay=1.0, max_delay=4.0)
    assert all(retry.delay_for(attempt) <= 4.0 for attempt in range(1, 30))


def test_retry_after_of_the_carrier_is_honoured():
    assert policy().delay_for(1, retry_after=7) == 7


def test_sleeps_between_attempts_and_returns():
    answers = [TransientError("503"), TransientError("503"), "ok"]
    slept = []

    def flaky():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert call_with_retries(flaky, policy(attempts=3), sleep=slept.append) == "ok"
    assert len(slept) == 2


def test_gives_up_after_the_last_attempt():
    def broken():
        raise TransientError("carrier maintenance")

    with pytest.raises(GaveUp, match="gave up after 2 attempts: carrier maintenance"):
        call_with_retries(broken, policy(attempts=2), sleep=lambda _: None)


def test_status_that_is_worth_another_attempt():
    assert policy().is_retryable(503)
    assert not policy().is_retryable(404)
