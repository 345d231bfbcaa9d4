"""Server-side sessions behind the bearer tokens.

Tokens are short-lived; the session is what lets the web app get the next one.
Closing a session therefore logs a browser or a handheld out within minutes.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

IDLE_SECONDS = 12 * 3600
ABSOLUTE_SECONDS = 30 * 86400
MAX_PER_USER = 8


@dataclass
class Session:
    id: str
    user: str
    device: str
    opened_at: float
    seen_at: float
    closed: bool = False


class SessionStore:
    def __init__(self, clock=time.time):
        self._clock = clock
        self._sessions: dict[str, Session] = {}

    def open(self, user: str, device: str) -> Session:
        """Start a session; the longest idle one makes room if there are too many."""
        now = self._clock()
        mine = [s for s in self._sessions.values() if s.user == user and self._usable(s)]
        if len(mine) >= MAX_PER_USER:
            min(mine, key=lambda s: s.seen_at).closed = True
        session = Session(secrets.token_urlsafe(18), user, device, now, now)
        self._sessions[session.id] = session
        return session

    def touch(self, session_id: str) -> Session | None:
        session = self._sessions.get(session_id)
        if session is None or not self._usable(session):
            return None
        session.seen_at = self._clock()
        return session

    def close(self, session_id: str) -> None:
        session = self._sessions.get(session_id)
        if session is not None:
            session.closed = True

    def close_all(self, user: str, *, keep: str | None = None) -> int:
        """Sign a user out on every device, e.g. after a change of password."""
        count = 0
        for session in self._sessions.values():
            if session.user == user and session.id != keep and not session.closed:
                session.closed = True
                count += 1
        return count

    def sweep(self) -> int:
        dead = [key for key, session in self._sessions.items() if not self._usable(session)]
        for key in dead:
            del self._sessions[key]
        return len(dead)

    def _usable(self, session: Session) -> bool:
        now = self._clock()
        if session.closed:
            return False
        return now - session.seen_at < IDLE_SECONDS and now - session.opened_at < ABSOLUTE_SECONDS
