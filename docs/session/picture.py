#!/usr/bin/env python3
"""Draws a session in a terminal as an SVG picture: docs/session/picture.py > docs/session/session.svg

Runs the commands below in the repository's root, with `peelback` from PATH. A test compares the picture with their output."""

import html
import pathlib
import subprocess

COMMANDS = [
    "peelback outline docs/demo/store.py",
    "peelback read-symbol docs/demo/store.py open_store",
    "peelback find-references docs/demo/store.py:open_store",
]
CHARS = 112
CHAR_WIDTH, LINE_HEIGHT, MARGIN, BAR = 8.0, 18, 16, 30


def shown_lines():
    """The commands and what they print: pairs of a colour and a line of at most CHARS characters."""
    root = pathlib.Path(__file__).resolve().parents[2]
    for number, command in enumerate(COMMANDS):
        if number:
            yield "#e6e6e6", ""
        yield "#7ee787", "$ " + command
        output = subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True, check=True).stdout
        for line in output.rstrip("\n").splitlines():
            yield "#e6e6e6", line if len(line) <= CHARS else line[: CHARS - 1] + "…"


def picture(lines):
    width = CHARS * CHAR_WIDTH + 2 * MARGIN
    height = BAR + len(lines) * LINE_HEIGHT + MARGIN
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="A session in a terminal">'
    yield f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#161b22"/>'
    for index, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{MARGIN + 4 + index * 18}" cy="{BAR / 2:g}" r="5" fill="{colour}"/>'
    yield '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.3" xml:space="preserve">'
    for number, (colour, line) in enumerate(lines):
        y = BAR + (number + 1) * LINE_HEIGHT - 4
        yield f'<text x="{MARGIN}" y="{y}" fill="{colour}">{html.escape(line, quote=False)}</text>'
    yield "</g>"
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(picture(list(shown_lines()))))
