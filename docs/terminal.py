#!/usr/bin/env python3
"""Draw docs/terminal.svg: what a person sees when a flaky test fails.

Usage: python3 docs/terminal.py           draw the picture from the recording in docs/terminal.txt
       python3 docs/terminal.py record    record it anew, then draw it

The recording is the screen of a real session: Claude Code with the plugin installed, in a new repository
with one flaky test, and then a shell in the same repository. Only the model is played, by the loopback
server of tests/e2e. Recording needs tmux, git, npm and python3; drawing needs the standard library only.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from html import escape
from typing import Iterator, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDING, PICTURE = ROOT / "docs" / "terminal.txt", ROOT / "docs" / "terminal.svg"
COLUMNS, LINES = 84, 40

# -- drawing

WIDTH, HEIGHT, SIZE = 8.4, 19, 14  # a character's width and height, and the size of the font, in pixels
MARGIN, BAR, RADIUS = 16, 30, 8  # around a window, its title bar, its corners
BACKGROUND, TITLE_BAR, TEXT, TITLE = "#1e2234", "#2a2f45", "#d5d9e8", "#9aa3c0"
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_BASIC = ("#45475a", "#ef5350", "#66bb6a", "#e5c07b", "#6c9ef8", "#c678dd", "#56b6c2", "#d5d9e8")
_BRIGHT = ("#7a84a8", "#ff7b78", "#8fd693", "#f0d59a", "#95b8fa", "#d89ce8", "#82cfd8", "#ffffff")
_SGR = re.compile("\x1b\\[([0-9;]*)m")


class Style(NamedTuple):
    """How a piece of text looks; None is the terminal's own colour."""

    colour: str | None = None
    behind: str | None = None
    bold: bool = False
    dim: bool = False


def indexed(number: int) -> str:
    """A colour of the 256 that terminals know: 16 named ones, a cube of 6 x 6 x 6, 24 greys."""
    if number < 16:
        return (*_BASIC, *_BRIGHT)[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#" + "".join(f"{steps[n]:02x}" for n in (number // 36, number // 6 % 6, number % 6))


def restyled(style: Style, codes: list[int]) -> Style:
    """A style after an SGR sequence (ECMA-48, 8.3.117), of which terminals use these."""
    while codes:
        code = codes.pop(0)
        if code in (38, 48) and codes[:1] == [5]:
            found = indexed(codes[1])
            style = style._replace(colour=found) if code == 38 else style._replace(behind=found)
            del codes[:2]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = style._replace(colour=_BASIC[code - 30] if code < 40 else _BRIGHT[code - 90])
        else:
            style = _PLAIN_CODES.get(code, lambda s: s)(style)
    return style


_PLAIN_CODES = {
    0: lambda s: Style(), 1: lambda s: s._replace(bold=True), 2: lambda s: s._replace(dim=True),
    22: lambda s: s._replace(bold=False, dim=False), 39: lambda s: s._replace(colour=None),
    49: lambda s: s._replace(behind=None), 7: lambda s: s._replace(behind=TEXT), 27: lambda s: s._replace(behind=None),
}  # fmt: skip


def pieces(lines: list[str]) -> Iterator[tuple[int, int, str, Style]]:
    """(line, column, text, style) of each piece of a screen. A style goes on into the next line."""
    style = Style()
    for number, line in enumerate(lines):
        column, at = 0, 0
        for code in [*_SGR.finditer(line), None]:
            text = line[at : code.start() if code else len(line)]
            if text:
                yield number, column, text, style
            column += len(text)
            if code:
                style, at = restyled(style, [int(n or 0) for n in code[1].split(";")]), code.end()


def window(title: str, lines: list[str], top: float) -> tuple[list[str], float]:
    """(the elements of a terminal window that begins at a height, the height where it ends)."""
    width, height = MARGIN * 2 + COLUMNS * WIDTH, BAR + MARGIN * 2 + len(lines) * HEIGHT
    shapes = [
        f'<rect x="0" y="{top:g}" width="{width:g}" height="{height:g}" rx="{RADIUS}" fill="{BACKGROUND}"/>',
        f'<path d="M0 {top + BAR:g}v-{BAR - RADIUS}a{RADIUS} {RADIUS} 0 0 1 {RADIUS} -{RADIUS}h{width - 2 * RADIUS:g}'
        f'a{RADIUS} {RADIUS} 0 0 1 {RADIUS} {RADIUS}v{BAR - RADIUS}z" fill="{TITLE_BAR}"/>',
        f'<text x="{width / 2:g}" y="{top + 20:g}" fill="{TITLE}" text-anchor="middle">{escape(title)}</text>',
    ]
    for line, column, text, style in pieces(lines):
        x, y = MARGIN + column * WIDTH, top + BAR + MARGIN + line * HEIGHT
        if style.behind:
            shapes.append(
                f'<rect x="{x:g}" y="{y:g}" width="{len(text) * WIDTH:g}" height="{HEIGHT}" fill="{style.behind}"/>'
            )
        if text.strip():
            shapes.append(_text(x, y + SIZE, text, style))
    return shapes, top + height


def _text(x: float, y: float, text: str, style: Style) -> str:
    """A piece of text whose width does not depend on the font that is found."""
    shown = text.strip().translate(_COMMON)
    x += (len(text) - len(text.lstrip())) * WIDTH
    extra = (' font-weight="bold"' if style.bold else "") + (' opacity="0.6"' if style.dim else "")
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{style.colour or TEXT}" textLength="{len(shown) * WIDTH:g}"'
        f' lengthAdjust="spacingAndGlyphs"{extra}>{escape(shown)}</text>'
    )


# The client's corner is missing in many fonts; this one looks the same.
_COMMON = {ord("\u23bf"): "\u2514"}


def draw(recording: str) -> str:
    """The picture of a recording: windows, each behind a line `## title`."""
    shapes, top = [], 0.0
    for part in re.split("^## ", recording, flags=re.MULTILINE)[1:]:
        title, _, screen = part.partition("\n")
        found, bottom = window(title, screen.rstrip("\n").split("\n"), top)
        shapes += found
        top = bottom + MARGIN
    width, height = MARGIN * 2 + COLUMNS * WIDTH, top - MARGIN
    label = "Claude Code runs a flaky test three times and says so; flaky-memory show lists its runs"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img"'
        f' aria-label="{label}" font-family="{FONT}" font-size="{SIZE}" xml:space="preserve">',
        *shapes, "</svg>", "",
    ])  # fmt: skip


# -- recording

COMMAND = "python3 -m unittest test_sync"
# Passes each second time, by a file beside the repository: its code stays the same.
TEST = '''\
import pathlib
import unittest

TURN = pathlib.Path(__file__).resolve().parent.parent / "turn"


class SyncTest(unittest.TestCase):
    def test_settles(self):
        turn = int(TURN.read_text()) + 1
        TURN.write_text(str(turn))
        self.assertEqual(turn % 2, 0, "the reply came too late")
'''
KEY = "sk-ant-dummy-key-of-the-recording"
DEADLINE = 60  # seconds for a text to come to the screen


class Terminal:
    """A terminal in tmux, with a server of its own."""

    def __init__(self, base: pathlib.Path, environ: dict[str, str], argv: list[str]) -> None:
        self.tmux = ["tmux", "-S", str(base / f"socket-{argv[0].rpartition('/')[2]}"), "-f", os.devnull]
        self.environ = environ
        size = ["-x", str(COLUMNS), "-y", str(LINES)]
        self.call("new-session", "-d", *size, "-c", str(base / "app"), *argv)

    def call(self, *words: str) -> str:
        done = subprocess.run([*self.tmux, *words], env=self.environ, capture_output=True, text=True, check=True)
        return done.stdout

    def type(self, text: str) -> None:
        self.call("send-keys", "-l", text)
        self.call("send-keys", "Enter")

    def wait_for(self, pattern: str) -> None:
        ends = time.monotonic() + DEADLINE
        while not re.search(pattern, self.call("capture-pane", "-p"), re.MULTILINE):
            if time.monotonic() > ends:
                sys.exit(f"{pattern!r} did not come:\n{self.call('capture-pane', '-p')}")
            time.sleep(0.1)

    def screen(self) -> list[str]:
        """The lines on the screen, with their colours."""
        return self.call("capture-pane", "-p", "-e").split("\n")


def record() -> str:
    """Play the session and take its screens."""
    sys.path.insert(0, str(ROOT))
    from tests.e2e.driver import install

    client = str(install())
    with tempfile.TemporaryDirectory(prefix="flaky-memory-picture-") as folder:
        base = pathlib.Path(os.path.realpath(folder))
        environ = _prepare(base, client)
        session = _claude(base, environ, client)
        shell = _shell(base, environ)
    return "".join(f"## {title}\n" + "\n".join(lines) + "\n" for title, lines in (session, shell))


def _prepare(base: pathlib.Path, client: str) -> dict[str, str]:
    """A repository with one flaky test, and a home with the plugin installed; its environment."""
    app, home, binaries = base / "app", base / "home", base / "bin"
    for made in (app, home, binaries):
        made.mkdir()
    (app / "test_sync.py").write_text(TEST)
    (base / "turn").write_text("0")
    (binaries / "flaky-memory").write_text(f'#!/bin/sh\nexec python3 {ROOT}/flaky_memory/__main__.py "$@"\n')
    (binaries / "flaky-memory").chmod(0o755)
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    settings = {
        "hasCompletedOnboarding": True, "theme": "dark", "projects": {str(app): trusted},
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
    }  # fmt: skip
    (home / ".claude.json").write_text(json.dumps(settings))
    environ = {
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8", "IS_SANDBOX": "1", "ANTHROPIC_API_KEY": KEY, "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "PYTHONDONTWRITEBYTECODE": "1", "PS1": "$ ",
    }  # fmt: skip
    own = ("-c", "user.name=n", "-c", "user.email=n@example.com")
    for words in (["init", "-q"], ["add", "-A"], [*own, "commit", "-q", "-m", "A flaky test"]):
        subprocess.run(["git", *words], cwd=app, env=environ, check=True)
    for words in (["marketplace", "add", str(ROOT)], ["install", "flaky-memory@flaky-memory"]):
        subprocess.run([client, "plugin", *words], cwd=app, env=environ, check=True, capture_output=True)
    return environ


def _claude(base: pathlib.Path, environ: dict[str, str], client: str) -> tuple[str, list[str]]:
    """The conversation: what is asked, and what comes of it."""
    from tests.e2e.driver import Model

    with Model("Bash", [{"command": COMMAND, "description": "Run the test"}] * 3) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        argv = [client, "--allowedTools", "Bash", "--permission-mode", "default"]
        terminal = Terminal(base, {**environ, "ANTHROPIC_BASE_URL": model.url}, argv)
        terminal.wait_for("^❯")
        terminal.type("run the sync test three times")
        terminal.wait_for("^✻ .* done ")
        lines = terminal.screen()
        terminal.call("kill-server")
        model.shutdown()
    asked = next(n for n, line in enumerate(lines) if "run the sync test" in line)
    ended = next(n for n, line in enumerate(lines) if "✻" in line)
    return "Claude Code", _without_gaps(lines[asked:ended])


def _shell(base: pathlib.Path, environ: dict[str, str]) -> tuple[str, list[str]]:
    """A shell in the same repository."""
    terminal = Terminal(base, environ, ["bash", "--norc"])
    terminal.wait_for(r"^\$")
    terminal.type("flaky-memory show test_settles")
    terminal.wait_for(r"^passes:[^$]*\n\$")
    lines = terminal.screen()
    terminal.call("kill-server")
    return "any terminal", _without_gaps(lines)[:-1]


def _without_gaps(lines: list[str]) -> list[str]:
    """A screen without the empty lines at its end."""
    while lines and not _SGR.sub("", lines[-1]).strip():
        lines = lines[:-1]
    return lines


def main() -> int:
    if sys.argv[1:] == ["record"]:
        if not shutil.which("tmux"):
            sys.exit("tmux is not on PATH")
        RECORDING.write_text(record(), encoding="utf-8")
    PICTURE.write_text(draw(RECORDING.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
