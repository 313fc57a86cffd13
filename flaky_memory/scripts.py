"""What the scripts of a project run: `npm test` is the command that package.json names so.

Only a script that starts one runner is taken for it; any other stays what it is, a command of which
nothing more is known.
"""

from __future__ import annotations

import json
import os

from flaky_memory import command, tools
from flaky_memory.repository import small_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

    from flaky_memory.command import Command, Invocation, Start
    from flaky_memory.shell import Word

# The tool of an invocation -> the file and the key in it that hold its scripts.
_FILES: Dict[str, Tuple[str, str]] = {
    "npm run": ("package.json", "scripts"), "pnpm run": ("package.json", "scripts"),
    "yarn run": ("package.json", "scripts"), "bun run": ("package.json", "scripts"),
    "deno task": ("deno.json", "tasks"), "composer": ("composer.json", "scripts"),
}  # fmt: skip


def expand(meant: Command, directories: List[Optional[str]]) -> None:
    """Put the runner that a script starts in its place; `directories` are where the invocations start, absolute."""
    for at, directory in enumerate(directories):
        found = _started(meant.invocations[at], directory)
        if found is not None:
            meant.invocations[at] = found


def _started(outer: Invocation, directory: Optional[str]) -> Optional[Invocation]:
    """The runner that a script starts, with what stands around the script."""
    file, key = _FILES.get(outer.tool, ("", ""))
    if not file or directory is None or "packages " in outer.env or outer.opaque:
        return None
    text = _script(os.path.join(directory, file), key, outer.args[0].text if outer.args else "")
    inside = command.read(text).invocations if text else []
    if len(inside) != 1 or inside[0].tool in _FILES or inside[0].directory != ".":
        return None
    inner = inside[0]
    inner.args = [*inner.args, *_passed_on(outer)]
    inner.env = {**outer.env, **inner.env}
    inner.directory, inner.repeats, inner.turns = outer.directory, outer.repeats, outer.turns
    inner.distrust = outer.distrust or inner.distrust
    inner.filters += outer.filters
    inner.varying = inner.varying or outer.varying
    inner.shares_failure = inner.shares_failure or outer.shares_failure
    inner.start = _as_if_typed(outer.start, inner.start, file, outer.directory)
    return inner


def _as_if_typed(
    outer: Optional[Start], inner: Optional[Start], file: str, directory: Optional[str]
) -> Optional[Start]:
    """How the runner of a script is started without the script; None where that is not known."""
    if outer is None or inner is None:
        return None
    return command.Start(_typed(inner.words, file), {**outer.env, **inner.env}, directory)


def _typed(words: List[Word], file: str) -> List[Word]:
    """What is typed to start a program that a script finds in its project's own folder of programs."""
    first = words[0].text if words else ""
    if "/" in first or first in ("node", "npx", "bun", "bunx", "deno", "php", "composer"):
        return words
    if file == "package.json":
        return [tools.plain_word("npx"), *words]
    return [tools.plain_word("vendor/bin/" + first), *words[1:]] if file == "composer.json" else words


def _script(path: str, key: str, name: str) -> str:
    """A script's text, "" where there is none of that name."""
    try:
        scripts = json.loads(small_file(path) or "{}").get(key)
        text = scripts.get(name) if isinstance(scripts, dict) else None
    except (ValueError, AttributeError, RecursionError):
        return ""
    if isinstance(text, list) and len(text) == 1:  # composer.json
        text = text[0]
    return text if isinstance(text, str) else ""


def _passed_on(outer: Invocation) -> List[Word]:
    """The arguments that a script gets: npm keeps those before `--` to itself."""
    rest = outer.args[1:]
    texts = [w.text for w in rest]
    if "--" in texts:
        at = texts.index("--")
        return rest[at + 1 :] if outer.tool == "npm run" else rest[:at] + rest[at + 1 :]
    return [w for w in rest if outer.tool != "npm run" or w.text[:1] != "-"]
