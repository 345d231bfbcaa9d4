"""Signed bearer tokens for the API.

A token is `<claims>.<mac>`: the claims are JSON in URL-safe base64, the mac
is HMAC-SHA256 over them with the newest signing key. Old keys stay valid for
checking until they are dropped from the settings.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

DEFAULT_LIFETIME = 15 * 60
LEEWAY = 30


class InvalidToken(Exception):
    """The bearer token is malformed, forged or out of date."""


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class TokenIssuer:
    def __init__(self, keys: list[bytes], *, clock=time.time):
        if not keys:
            raise ValueError("at least one signing key is needed")
        self._keys = keys
        self._clock = clock

    def issue(self, subject: str, roles: list[str], *, session_id: str, lifetime: int = DEFAULT_LIFETIME) -> str:
        now = int(self._clock())
        claims = {
            "sub": subject,
            "roles": sorted(roles),
            "sid": session_id,
            "iat": now,
            "exp": now + lifetime,
        }
        body = _b64(json.dumps(claims, separators=(",", ":")).encode("utf-8"))
        return f"{body}.{self._mac(body, self._keys[0])}"

    def verify(self, token: str) -> dict:
        """Return the claims, or raise InvalidToken with the reason."""
        body, dot, mac = token.partition(".")
        if not dot:
            raise InvalidToken("not a token")
        if not any(hmac.compare_digest(mac, self._mac(body, key)) for key in self._keys):
            raise InvalidToken("signature does not match any active key")
        try:
            claims = json.loads(_unb64(body))
        except ValueError as exc:
            raise InvalidToken("claims cannot be read") from exc
        now = self._clock()
        if claims["exp"] + LEEWAY < now:
            raise InvalidToken("token has expired")
        if claims["iat"] - LEEWAY > now:
            raise InvalidToken("token was issued in the future")
        return claims

    @staticmethod
    def _mac(body: str, key: bytes) -> str:
        return _b64(hmac.new(key, body.encode("ascii"), hashlib.sha256).digest())
