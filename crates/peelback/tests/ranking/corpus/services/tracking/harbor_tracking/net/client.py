"""HTTP client for the interfaces of the carriers."""

from __future__ import annotations

import json
import logging

from ..vendor import minihttp
from .retry import RetryPolicy, TransientError, call_with_retries

log = logging.getLogger(__name__)


class CarrierError(Exception):
    """The carrier understood us and said no."""

    def __init__(self, carrier: str, status: int, body: str):
        super().__init__(f"{carrier} answered {status}: {body[:200]}")
        self.status = status


class CarrierClient:
    def __init__(self, name: str, endpoints: list[str], policy: RetryPolicy, *, timeout: float = 10.0):
        if not endpoints:
            raise ValueError(f"carrier {name} has no endpoints")
        self.name = name
        self._endpoints = endpoints
        self._policy = policy
        self._timeout = timeout
        self._turn = 0

    def track(self, tracking_no: str) -> list[dict]:
        """The raw scan lines the carrier has for one parcel."""
        answer = self._call("GET", f"/v2/track/{tracking_no}")
        return answer.get("events", [])

    def book(self, shipment: dict) -> str:
        answer = self._call("POST", "/v2/shipments", shipment)
        return answer["shipment_id"]

    def void_label(self, shipment_id: str) -> None:
        self._call("DELETE", f"/v2/shipments/{shipment_id}/label")

    def _call(self, method: str, path: str, payload: dict | None = None) -> dict:
        return call_with_retries(lambda: self._send(method, path, payload), self._policy)

    def _send(self, method: str, path: str, payload: dict | None) -> dict:
        url = self._next_endpoint() + path
        body = json.dumps(payload).encode("utf-8") if payload is not None else None
        try:
            reply = minihttp.request(method, url, body=body, timeout=self._timeout)
        except minihttp.ConnectionFailed as exc:
            raise TransientError(f"{self.name}: {exc}") from exc
        if self._policy.is_retryable(reply.status):
            hint = reply.headers.get("retry-after", "")
            raise TransientError(
                f"{self.name} answered {reply.status}",
                status=reply.status,
                retry_after=float(hint) if hint.isdigit() else None,
            )
        if reply.status >= 400:
            raise CarrierError(self.name, reply.status, reply.text)
        return json.loads(reply.text or "{}")

    def _next_endpoint(self) -> str:
        """Round robin over the endpoints, so that a dead one costs one attempt."""
        endpoint = self._endpoints[self._turn % len(self._endpoints)]
        self._turn += 1
        return endpoint.rstrip("/")
