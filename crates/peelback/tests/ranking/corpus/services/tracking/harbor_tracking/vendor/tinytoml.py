"""tinytoml 1.2: the part of TOML that configuration files need.

Vendored; please do not edit here. Known: tables, strings, integers, floats,
booleans and arrays on one line. Unknown: dates, arrays of tables.
"""

import re

_KEY = re.compile(r"^([A-Za-z0-9_-]+)\s*=\s*(.+)$")
_TABLE = re.compile(r"^\[([A-Za-z0-9_.-]+)\]$")


class TomlError(ValueError):
    pass


def _strip_comment(line):
    quoted = False
    for index, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif char == "#" and not quoted:
            return line[:index]
    return line


def _split_items(text):
    """Cut the inside of an array at the commas that are not in quotes."""
    items, current, quoted = [], "", False
    for char in text:
        if char == '"':
            quoted = not quoted
        if char == "," and not quoted:
            items.append(current)
            current = ""
        else:
            current += char
    if current.strip():
        items.append(current)
    return items


def parse_scalar(text):
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [parse_scalar(item) for item in _split_items(text[1:-1])]
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text.replace("_", ""))
        except ValueError:
            continue
    return text


def loads(text):
    root = {}
    table = root
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _strip_comment(raw).strip()
        if not line:
            continue
        match = _TABLE.match(line)
        if match:
            table = root
            for part in match.group(1).split("."):
                table = table.setdefault(part, {})
            continue
        match = _KEY.match(line)
        if not match:
            raise TomlError("line %d: expected key = value" % number)
        table[match.group(1)] = parse_scalar(match.group(2))
    return root
