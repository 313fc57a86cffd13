"""The person's settings of Claude Code: is the plugin enabled, and the status line to add to them.

https://code.claude.com/docs/en/settings and, for the files below plugins/, what version 2.1.332 writes.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile

from flaky_memory import message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional

PLUGIN = "flaky-memory"
LARGEST_SETTINGS = 4 << 20


class Unreadable(Exception):
    """A settings file is there and holds no JSON object; it was left as it is."""


def folder(environ: Mapping[str, str]) -> str:
    """Where the client keeps the person's settings and plugins."""
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")


def read(path: str) -> Dict[str, Any]:
    """A settings file, empty when there is none. Raises Unreadable or OSError."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            document = json.loads(file.read(LARGEST_SETTINGS) or "{}")
    except FileNotFoundError:
        return {}
    except ValueError:
        raise Unreadable(path) from None
    if not isinstance(document, dict):
        raise Unreadable(path)
    return document


# -- the plugin


class Installed:
    """The plugin as the client knows it: its ids (`flaky-memory@MARKETPLACE`) that are enabled or
    disabled in some settings, and the folder and version of what is installed."""

    def __init__(self) -> None:
        self.enabled: List[str] = []
        self.disabled: List[str] = []
        self.path = self.version = ""


def find_plugin(environ: Mapping[str, str], project: Optional[str]) -> Installed:
    """What the settings of the person and of the project (its top level) say. Never raises."""
    found = Installed()
    places = [folder(environ)] + ([os.path.join(project, ".claude")] if project else [])
    for place in places:
        for name in ("settings.json", "settings.local.json"):
            for plugin, on in _plugins(_read_quietly(os.path.join(place, name)).get("enabledPlugins")).items():
                (found.enabled if on is True else found.disabled).append(plugin)
    installed = _read_quietly(os.path.join(folder(environ), "plugins", "installed_plugins.json"))
    for entries in _plugins(installed.get("plugins")).values():
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict):
                found.path, found.version = str(entry.get("installPath", "")), str(entry.get("version", ""))
    return found


def _read_quietly(path: str) -> Dict[str, Any]:
    try:
        return read(path)
    except (OSError, Unreadable):
        return {}


def _plugins(table: Any) -> Dict[str, Any]:
    """The entries of this plugin in a table whose keys are `plugin@marketplace`."""
    if not isinstance(table, dict):
        return {}
    return {str(k): v for k, v in table.items() if str(k).partition("@")[0] == PLUGIN}


# -- the status line


def program() -> str:
    """The shell words that start this program. The client keeps each version of a plugin in a folder of
    its own, so there the newest one is looked for at each start."""
    main = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
    versions = os.path.dirname(os.path.dirname(os.path.dirname(main)))
    if os.name == "nt" or os.path.basename(versions) != PLUGIN or "/plugins/cache/" not in main:
        return f"python3 -I -S {shlex.quote(main)}"
    pattern = shlex.quote(versions) + "/*/flaky_memory/__main__.py"
    return f'for f in {pattern}; do :; done; exec python3 -I -S "$f"'


def status_line(existing: Any) -> Dict[str, Any]:
    """The setting to write. A command that was there is kept and comes first."""
    command = program() + " statusline"
    kept = existing if isinstance(existing, dict) else {}
    own = kept.get("command")
    if isinstance(own, str) and own.strip():
        command += " -- sh -c " + shlex.quote(own)
    return {**kept, "type": "command", "command": command}


def snippet(document: Dict[str, Any]) -> str:
    """What to paste into settings.json for the status line."""
    return _as_json(status_line(document.get("statusLine")))


def shows_panel(document: Dict[str, Any]) -> bool:
    """True when the status line of some settings is this program's, or starts it."""
    line = document.get("statusLine")
    text = str(line.get("command", "")) if isinstance(line, dict) else ""
    return "statusline" in text and ("flaky_memory" in text or "flaky-memory" in text)


def install() -> int:
    """`statusline --install`: show the change, ask, write it; the exit status."""
    path = os.path.join(folder(os.environ), "settings.json")
    try:
        document = read(path)
        if shows_panel(document):
            print(message.panel_is_set(path))
            return 0
        changed = {**document, "statusLine": status_line(document.get("statusLine"))}
        print(message.panel_change(path, _as_json(document.get("statusLine")), _as_json(changed["statusLine"])))
        if not _agreed():
            print(message.NOTHING_CHANGED, file=sys.stderr)
            return 1
        write(path, json.dumps(changed, indent=2, ensure_ascii=not _is_text(changed)) + "\n")
    except Unreadable:
        print(message.unreadable_settings(path), file=sys.stderr)
        return 1
    except OSError as problem:
        print(message.problem(str(problem)), file=sys.stderr)
        return 1
    print(message.panel_set(path))
    return 0


def _as_json(setting: Any) -> str:
    return json.dumps({"statusLine": setting}, indent=2, ensure_ascii=False) if setting is not None else ""


def _is_text(document: Dict[str, Any]) -> bool:
    """False where a setting holds half a character, which only an escape can write."""
    try:
        return bool(json.dumps(document, ensure_ascii=False).encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _agreed() -> bool:
    print(message.WRITE_IT, end="", flush=True)
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print()
    return answer.strip().lower() in ("y", "yes")


def write(path: str, text: str) -> None:
    """Replace a file by a new one with its mode; a link stays a link. Raises OSError."""
    real = os.path.realpath(path)
    os.makedirs(os.path.dirname(real), exist_ok=True)
    descriptor, new = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".settings-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        if os.path.exists(real):
            os.chmod(new, os.stat(real).st_mode & 0o7777)
        os.replace(new, real)
    except OSError:
        os.remove(new)
        raise
