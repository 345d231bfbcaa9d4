"""Who may do what: roles, actions and the reach of a depot."""

from __future__ import annotations

from dataclasses import dataclass, field

# A trailing star grants every action below the prefix.
ROLE_GRANTS = {
    "viewer": ["parcel.read", "hub.read"],
    "driver": ["parcel.read", "parcel.scan", "route.read"],
    "dispatcher": ["parcel.*", "route.*", "hub.read"],
    "depot_manager": ["parcel.*", "route.*", "hub.*", "staff.read"],
    "admin": ["*"],
}

# These are only granted inside the depots a person is assigned to.
LOCAL_ACTIONS = ("parcel.scan", "parcel.cancel", "hub.close", "staff.read")


class Forbidden(Exception):
    def __init__(self, principal: str, action: str, depot: str | None):
        where = f" at {depot}" if depot else ""
        super().__init__(f"{principal} may not {action}{where}")
        self.action = action


@dataclass(frozen=True)
class Principal:
    name: str
    roles: tuple[str, ...]
    depots: frozenset[str] = field(default_factory=frozenset)


def _grants(pattern: str, action: str) -> bool:
    if pattern == "*":
        return True
    if pattern.endswith(".*"):
        return action.startswith(pattern[:-1])
    return pattern == action


class PermissionPolicy:
    def __init__(self, grants=None):
        self._grants = grants if grants is not None else ROLE_GRANTS

    def allows(self, who: Principal, action: str, depot: str | None = None) -> bool:
        granted = any(
            _grants(pattern, action)
            for role in who.roles
            for pattern in self._grants.get(role, ())
        )
        if not granted:
            return False
        if action in LOCAL_ACTIONS and "admin" not in who.roles:
            return depot is not None and depot in who.depots
        return True

    def enforce(self, who: Principal, action: str, depot: str | None = None) -> None:
        """Like `allows`, but raises, for use at the top of a request handler."""
        if not self.allows(who, action, depot):
            raise Forbidden(who.name, action, depot)
