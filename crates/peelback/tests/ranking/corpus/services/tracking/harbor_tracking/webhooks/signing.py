"""Signatures by which a receiver knows that a webhook is really from us.

The header reads `v1=<hex>`, where the hex is HMAC-SHA256 over the timestamp,
a dot and the body of the request. Receivers should refuse timestamps that
are more than five minutes away from their own clock.
"""

from __future__ import annotations

import hashlib
import hmac
import time

SCHEME = "v1"
TOLERANCE_SECONDS = 300


class BadSignature(Exception):
    pass


def sign_payload(secret: str, timestamp: str, body: str) -> str:
    """The value of the Harbor-Signature header for one delivery."""
    message = f"{timestamp}.{body}".encode("ascii", "replace")
    digest = hmac.new(secret.encode("utf-8"), message, hashlib.sha256).hexdigest()
    return f"{SCHEME}={digest}"


def verify_signature(secret: str, timestamp: str, body: bytes, header: str, *, now: float | None = None) -> None:
    """Check a delivery the way our client libraries do it.

    Raises BadSignature if the timestamp is too old or too far ahead, if the
    scheme is unknown or if the digest does not match.
    """
    try:
        age = (time.time() if now is None else now) - int(timestamp)
    except ValueError:
        raise BadSignature(f"timestamp {timestamp!r} is not a number") from None
    if abs(age) > TOLERANCE_SECONDS:
        raise BadSignature(f"timestamp is {age:.0f}s off")

    schemes = dict(part.strip().split("=", 1) for part in header.split(",") if "=" in part)
    if SCHEME not in schemes:
        raise BadSignature("no signature with a known scheme")
    expected = sign_payload(secret, timestamp, body.decode("utf-8"))
    if not hmac.compare_digest(expected, f"{SCHEME}={schemes[SCHEME]}"):
        raise BadSignature("signature mismatch")


def rotate_secret(old: str, fresh: str, timestamp: str, body: str) -> str:
    """During a rotation both signatures are sent, the new one first."""
    return ",".join(sign_payload(secret, timestamp, body) for secret in (fresh, old))
