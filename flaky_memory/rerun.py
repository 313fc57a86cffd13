"""The command that runs some tests again, and nothing else. Pure.

It is built from the words that were typed, so that launcher, settings and variables stay as they were and
the run is one on the same code; only what chose the tests is put in anew, and what lets a runner answer
from a cache is switched off. Test names are hostile text: every word that holds one is quoted for a POSIX
shell, and where a command cannot be built safely there is none.
"""

from __future__ import annotations

import posixpath
import re
import shlex

from flaky_memory import selection
from flaky_memory.model import NamedTuple
from flaky_memory.options import OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Sequence, Tuple

    from flaky_memory.command import Invocation, Start
    from flaky_memory.model import TestId
    from flaky_memory.selection import Surroundings

    # The words that choose some tests of one group, or None where they cannot be chosen safely.
    Words = Optional[List[str]]

LONGEST = 1_000  # characters
MOST_GROUPS = 3  # commands in one line


class Ways(NamedTuple):
    """What is known of a run: the invocation, the surroundings that its tests are named in, where its
    shell stood and where the session is now (absolute), whether that is PowerShell, and where the runner
    says that tests stand."""

    invocation: Invocation
    around: Surroundings
    started: str
    here: str
    powershell: bool = False
    places: Dict[TestId, str] = {}


def command(tests: Sequence[TestId], ways: Ways) -> str:
    """One line for the shell that runs just these tests again, where the session is now; "" for none."""
    invocation = ways.invocation
    build = _BUILDERS.get(invocation.tool)
    kept = _kept(invocation)
    if build is None or kept is None or invocation.start is None or not all(map(_is_whole, tests)):
        return ""
    groups: Dict[str, List[TestId]] = {}
    for test in tests:
        groups.setdefault(_group(invocation.tool, test), []).append(test)
    start = _start(invocation.start, ways)
    chosen = [build(own, ways) for own in groups.values()]
    if not start or len(chosen) > MOST_GROUPS or any(words is None for words in chosen):
        return ""
    line = start[0] + " && ".join(" ".join([start[1], *_arguments(words or [], *kept)]) for words in chosen)
    return line if _is_safe(line, ways) else ""


def _arguments(words: List[str], before: List[str], behind: List[str]) -> List[str]:
    """What stays as it was typed and what chooses the tests, each on its side of `--`, quoted."""
    at = words.index("--") if "--" in words else len(words)
    tail = [*words[at + 1 :], *behind]
    return [*map(_quoted, [*before, *words[:at]]), *(["--", *map(_quoted, tail)] if tail else [])]


class _Chosen(str):
    """A word that chooses tests: it is quoted whatever it holds, so that nobody types it without."""

    __slots__ = ()


def _quoted(word: str) -> str:
    if not isinstance(word, _Chosen):
        return shlex.quote(word)
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _is_safe(line: str, ways: Ways) -> bool:
    """One short line of printable text. PowerShell joins and escapes in another way."""
    plain = not ways.powershell or not any(c in line for c in ("&&", '"\'"', "="))
    return len(line) <= LONGEST and line.isprintable() and plain


def _is_whole(test: TestId) -> bool:
    """False for a name that was too long to be kept whole."""
    return all("\u2026" not in text[-20:] for text in (test.name, test.scope or ""))


# -- what stays as it was typed


def _start(start: Start, ways: Ways) -> Optional[Tuple[str, str]]:
    """(how to get to where the runner was started, its variables and launcher)."""
    texts = [w.text for w in start.words]
    if not texts or not ways.started or any(w.dynamic for w in start.words):
        return None
    if any(" " in name or _expands(value) or not name.isidentifier() for name, value in start.env.items()):
        return None  # `ulimit`, `source` and their like, or what is only known in that shell
    assigned = [f"{name}={shlex.quote(value)}" for name, value in start.env.items()]
    away = posixpath.relpath(ways.started, ways.here)
    away = ways.started if away.startswith("../") else away
    moved = "" if ways.started == ways.here else f"cd {shlex.quote(away)} && "
    typed = [w for w in texts if w not in assigned]
    return moved, " ".join([*assigned, *map(shlex.quote, _as_typed(typed, start))])


def _as_typed(texts: List[str], start: Start) -> List[str]:
    """A launcher's words; vitest watches files unless it is told to run."""
    return [*texts, "run"] if texts[-1].rpartition("/")[2].partition("@")[0] == "vitest" else texts


def _expands(text: str) -> bool:
    return "$" in text or "`" in text or text.startswith("~")


def _kept(invocation: Invocation) -> Optional[Tuple[List[str], List[str]]]:
    """The settings and places before and behind `--`; None where one is known to the shell alone."""
    spec = OPTIONS.get(invocation.tool)
    if spec is None or invocation.opaque:
        return None
    parsed = selection.parse(invocation, spec)
    words = [w for group, _ in parsed.kept for w in group]
    if any(w.dynamic for w in words) or any(w.text.lstrip("-") in _NO_RERUN for w in words):
        return None
    before, behind = ([w.text for g, late in parsed.kept if late is side for w in g] for side in (False, True))
    return before, behind


# Options that make a command line another thing than a run of tests.
_NO_RERUN = frozenset(("args", "fuzz", "bench"))


# -- paths and patterns


def _local(path: str, around: Surroundings) -> str:
    """A path from the repository's top as the runner's directory has it."""
    return posixpath.relpath("/" + path, "/" + around.directory)


def _dotted(path: str, around: Surroundings) -> str:
    """The same, so that it can be taken for nothing but a path."""
    local = _local(path, around)
    return local if local.startswith("../") else "./" + local


_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}/]")


def _escaped(text: str) -> str:
    """A text for the regular expressions of Go, JavaScript, PCRE and CMake alike."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _anchored(names: Sequence[str]) -> str:
    patterns = [_escaped(n).replace("\\/", "/") for n in dict.fromkeys(names)]
    return f"^{patterns[0]}$" if len(patterns) == 1 else "^(" + "|".join(patterns) + ")$"


def _titles(tests: Sequence[TestId]) -> str:
    """The pattern of the full titles of JavaScript tests: those around a test and its own, joined by blanks."""
    return _anchored([" ".join(t.name.split(" > ")) for t in tests])


def _scope(test: TestId) -> str:
    """A test's scope without the project that is put before it."""
    return (test.scope or "").rpartition("//")[2]


def _file(test: TestId, around: Surroundings) -> str:
    """The file that a scope is, as its runner takes it; "" where it is not known or lies elsewhere."""
    path = test.scope or ""
    return "" if not path or path.startswith(("/", "..")) or ":" in path else _local(path, around)


# -- one function for each tool


def _go(tests: List[TestId], ways: Ways) -> Words:
    parts = tests[0].name.split("/")
    if not tests[0].scope:
        return None
    names = [t.name for t in tests]
    pattern = _anchored(names) if len(parts) == 1 else "/".join(f"^{_escaped(p)}$" for p in parts)
    return ["-count=1", "-run", _Chosen(pattern), _package(tests[0].scope, ways.around)]


def _package(scope: str, around: Surroundings) -> str:
    """A Go package as a path, where its module is known: that works from any folder of it."""
    module, home = around.module
    if not module or not (scope + "/").startswith(module + "/"):
        return scope
    path = _local(posixpath.join(home, scope[len(module) + 1 :]), around)
    return path if path.startswith("../") or path == "." else "./" + path


def _gotestsum(tests: List[TestId], ways: Ways) -> Words:
    words = _go(tests, ways)
    return None if words is None else ["--", *words]


def _pytest(tests: List[TestId], ways: Ways) -> Words:
    names = []
    for test in tests:
        path, colons, node = test.name.partition("::")
        if path.startswith(("/", "..")) or path[1:2] == ":":
            return None
        local = _local(path, ways.around)
        names.append(_Chosen(("./" if local.startswith("-") else "") + local + colons + node))
    return list(names)


def _unittest(tests: List[TestId], ways: Ways) -> Words:
    spec = OPTIONS["unittest"]
    names = [t.name.partition(" ")[0] for t in tests]
    whole = all(n.replace(".", "_").isidentifier() and n.count(".") >= 2 for n in names)
    moved = selection.parse(ways.invocation, spec).options  # then names begin in another folder
    return [_Chosen(n) for n in names] if whole and not moved else None


def _jest(tests: List[TestId], ways: Ways) -> Words:
    path = _file(tests[0], ways.around)
    if not path:
        return None
    plain = path.replace(".", "").replace("/", "").replace("-", "").replace("_", "").isalnum()
    return [*([path] if plain else ["--runTestsByPath", path]), "-t", _Chosen(_titles(tests))]


def _vitest(tests: List[TestId], ways: Ways) -> Words:
    path = _file(tests[0], ways.around)
    return [path, "-t", _Chosen(_titles(tests))] if path else None


def _bun(tests: List[TestId], ways: Ways) -> Words:
    path = _file(tests[0], ways.around)
    return [_dotted(tests[0].scope or "", ways.around), "-t", _Chosen(_titles(tests))] if path else None


def _mocha(tests: List[TestId], ways: Ways) -> Words:
    path = _file(tests[0], ways.around)
    return [path, "-g", _Chosen(_titles(tests))] if path else None


def _node(tests: List[TestId], ways: Ways) -> Words:
    path = _file(tests[0], ways.around)
    pattern = _anchored([t.name.split(" > ")[-1] for t in tests])
    return ["--test", "--test-name-pattern", _Chosen(pattern), path] if path else None


def _deno(tests: List[TestId], ways: Ways) -> Words:
    path = _file(tests[0], ways.around)
    names = [t.name.split(" > ")[0] for t in tests]  # the filter sees whole tests, not their steps
    pattern = _anchored([n.replace("/", "\0") for n in names]).replace("\0", "\\/")
    return ["--filter", _Chosen(f"/{pattern}/"), _dotted(tests[0].scope or "", ways.around)] if path else None


def _ava(tests: List[TestId], ways: Ways) -> Words:
    path = _file(tests[0], ways.around)
    if not path or any(t.name.startswith("!") or "*" in t.name for t in tests):
        return None
    return [path, *(_Chosen("--match=" + " ".join(t.name.split(" > "))) for t in tests)]


def _cargo(tests: List[TestId], ways: Ways) -> Words:
    names = [t.name for t in tests]
    if not all(n.replace("::", "_").isidentifier() for n in names):
        return None
    return ["--", "--exact", *map(_Chosen, names)]


def _nextest(tests: List[TestId], ways: Ways) -> Words:
    names = [t.name for t in tests]
    if not all(n.replace("::", "_").isidentifier() for n in names):
        return None
    return ["-E", _Chosen(" + ".join(f"test(={n})" for n in names))]


def _phpunit(tests: List[TestId], ways: Ways) -> Words:
    patterns = [_escaped(t.name.partition(" with data set ")[0]) for t in tests]
    if any(" with data set " in t.name for t in tests):
        return None
    joined = patterns[0] if len(patterns) == 1 else "(" + "|".join(patterns) + ")"
    return ["--filter", _Chosen(f"/^{joined}$/")]


def _rspec(tests: List[TestId], ways: Ways) -> Words:
    places = [ways.places.get(t, "") for t in tests]
    if not all(places) or any(p.startswith(("/", "..")) for p in places):
        return None
    return [_Chosen(_dotted(p, ways.around)) for p in places]


def _mix(tests: List[TestId], ways: Ways) -> Words:
    places = [ways.places.get(t, "") for t in tests]
    return [_Chosen(_local(p, ways.around)) for p in places] if all(places) else None


def _ctest(tests: List[TestId], ways: Ways) -> Words:
    return ["-R", _Chosen(_anchored([t.name for t in tests]))]


def _dotnet(tests: List[TestId], ways: Ways) -> Words:
    names = [t.name for t in tests]
    if not all(n.replace(".", "_").replace("+", "_").isidentifier() and "." in n for n in names):
        return None
    projects = [w.text for w in selection.parse(ways.invocation, OPTIONS["dotnet"]).positionals]
    return [*projects, "--filter", _Chosen("|".join(f"FullyQualifiedName={n}" for n in names))]


def _maven(tests: List[TestId], ways: Ways) -> Words:
    chosen: Dict[str, List[str]] = {}
    for test in tests:
        method, _, rest = test.name.rpartition("(")
        full = rest.rstrip(")")
        if not method.isidentifier() or not full.replace(".", "_").replace("$", "_").isidentifier():
            return None
        chosen.setdefault(full, []).append(method)
    names = ",".join(f"{full}#{'+'.join(methods)}" for full, methods in chosen.items())
    found = [] if not tests[0].scope else ["-Dsurefire.failIfNoSpecifiedTests=false"]
    return ["test", _Chosen(f"-Dtest={names}"), *found]


def _gradle(tests: List[TestId], ways: Ways) -> Words:
    task = _scope(tests[0]) or "test"
    head, colon, name = task.rpartition(":")
    words = [f"{head}{colon}clean{name[:1].upper()}{name[1:]}", task]
    for test in tests:
        full, _, method = test.name.partition(" > ")
        method = method[:-2] if method.endswith("()") else method
        if not method.isidentifier() or not full.replace(".", "_").replace("$", "_").isidentifier():
            return None
        words += ["--tests", _Chosen(f"{full}.{method}")]
    return words


_BUILDERS: Dict[str, Callable[[List[TestId], Ways], Words]] = {
    "go": _go, "gotestsum": _gotestsum, "pytest": _pytest, "unittest": _unittest, "jest": _jest, "vitest": _vitest,
    "bun": _bun, "mocha": _mocha, "node": _node, "node script": _node, "deno": _deno, "ava": _ava, "cargo": _cargo,
    "nextest": _nextest, "phpunit": _phpunit, "rspec": _rspec, "mix": _mix, "ctest": _ctest, "dotnet": _dotnet,
    "maven": _maven, "gradle": _gradle,
}  # fmt: skip

# Tools that take their tests from one file, package or task at a time.
_BY_SCOPE = frozenset((
    "go", "gotestsum", "jest", "vitest", "bun", "mocha", "node", "node script", "deno", "ava", "gradle",
))  # fmt: skip


def _group(tool: str, test: TestId) -> str:
    """Tests of one group go into one command: those of one scope, but each of Go's subtests is its own."""
    if tool not in _BY_SCOPE:
        return ""
    return f"{test.scope}\0{test.name}" if tool in ("go", "gotestsum") and "/" in test.name else test.scope or ""
