"""Settings of the service.

They are read from a TOML file; `${NAME}` and `${NAME:-default}` in texts are
replaced by environment variables, and `HARBOR_<SECTION>_<KEY>` overrides a
single value.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from .vendor import tinytoml

_VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)(?::-([^}]*))?\}")


class ConfigError(Exception):
    """The settings cannot be used; the message says which key is to blame."""


@dataclass
class Settings:
    retry: dict = field(default_factory=dict)
    geocode: dict = field(default_factory=dict)
    carriers: dict = field(default_factory=dict)
    limits: dict = field(default_factory=dict)
    database: dict = field(default_factory=dict)


def _expand_env(value, env, where: str = ""):
    if isinstance(value, dict):
        return {key: _expand_env(item, env, f"{where}.{key}") for key, item in value.items()}
    if not isinstance(value, str):
        return value

    def substitute(match: re.Match) -> str:
        name, default = match.groups()
        if name in env:
            return env[name]
        if default is not None:
            return default
        raise ConfigError(f"{where.lstrip('.')}: environment variable {name} is not set")

    return _VARIABLE.sub(substitute, value)


def _override(raw: dict, env) -> None:
    """Let HARBOR_RETRY_ATTEMPTS=3 win over what the file says."""
    for name, text in env.items():
        if not name.startswith("HARBOR_"):
            continue
        section, _, key = name[len("HARBOR_"):].lower().partition("_")
        if section in raw and isinstance(raw[section], dict) and key:
            raw[section][key] = tinytoml.parse_scalar(text)


def load_settings(path: str | Path, env=None) -> Settings:
    env = os.environ if env is None else env
    try:
        raw = tinytoml.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no settings file at {path}") from None
    except tinytoml.TomlError as exc:
        raise ConfigError(f"{path}: {exc}") from exc
    _override(raw, env)
    expanded = _expand_env(raw, env)
    unknown = set(expanded) - set(Settings.__dataclass_fields__)
    if unknown:
        raise ConfigError(f"unknown section {sorted(unknown)[0]!r} in {path}")
    return Settings(**expanded)
