"""Sending events to the URLs our customers have registered."""

from __future__ import annotations

import logging
import time
from collections import deque
from dataclasses import dataclass, field

from ..serializers import dumps
from ..vendor import minihttp
from .signing import sign_payload

log = logging.getLogger(__name__)

# Waits between deliveries of one event: after the last one it is parked.
REDELIVERY_STEPS = (10, 60, 600, 3600, 6 * 3600)
DISABLE_AFTER_FAILURES = 50


@dataclass
class Endpoint:
    url: str
    secret: str
    events: frozenset[str]
    failures: int = 0
    disabled: bool = False


@dataclass
class Delivery:
    endpoint: Endpoint
    event: str
    payload: dict
    tries: int = 0
    not_before: float = 0.0


@dataclass
class WebhookDispatcher:
    endpoints: list[Endpoint] = field(default_factory=list)
    clock: object = time.time
    pending: deque = field(default_factory=deque)
    parked: list = field(default_factory=list)

    def publish(self, event: str, payload: dict) -> int:
        """Queue one event for every endpoint that wants it."""
        count = 0
        for endpoint in self.endpoints:
            if not endpoint.disabled and event in endpoint.events:
                self.pending.append(Delivery(endpoint, event, payload))
                count += 1
        return count

    def run_once(self) -> None:
        now = self.clock()
        for _ in range(len(self.pending)):
            delivery = self.pending.popleft()
            if delivery.not_before > now:
                self.pending.append(delivery)
                continue
            if self._deliver(delivery):
                delivery.endpoint.failures = 0
            else:
                self._reschedule(delivery, now)

    def _deliver(self, delivery: Delivery) -> bool:
        stamp = str(int(self.clock()))
        body = dumps({"event": delivery.event, "data": delivery.payload})
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Harbor-Timestamp": stamp,
            "Harbor-Signature": sign_payload(delivery.endpoint.secret, stamp, body),
        }
        try:
            reply = minihttp.request(
                "POST", delivery.endpoint.url, body=body.encode("utf-8"), headers=headers, timeout=5
            )
        except minihttp.ConnectionFailed as exc:
            log.info("webhook %s unreachable: %s", delivery.endpoint.url, exc)
            return False
        if reply.status == 410:
            delivery.endpoint.disabled = True
        return reply.status < 300

    def _reschedule(self, delivery: Delivery, now: float) -> None:
        endpoint = delivery.endpoint
        endpoint.failures += 1
        if endpoint.failures >= DISABLE_AFTER_FAILURES:
            endpoint.disabled = True
        if endpoint.disabled or delivery.tries >= len(REDELIVERY_STEPS):
            self.parked.append(delivery)
            return
        delivery.not_before = now + REDELIVERY_STEPS[delivery.tries]
        delivery.tries += 1
        self.pending.append(delivery)
