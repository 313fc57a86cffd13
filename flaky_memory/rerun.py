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
    from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

    from flaky_memory.command import Invocation, Start
    from flaky_memory.model import TestId
    from flaky_memory.selection import Surroundings
    from flaky_memory.shell import Word

    # The words that choose some tests of one group, or None where they cannot be chosen safely.
    Words = Optional[List[str]]

LONGEST = 1_000  # characters
MOST_GROUPS = 3  # commands in one line


class Ways(NamedTuple):
    """What is known of a run: the invocation, the surroundings that its tests are named in, where its
    shell stood and where the session is now (absolute), whether that is PowerShell, and where the runner
    says that tests stand, or what part of the project they are in."""

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
    for test in _widest(invocation.tool, tests):
        groups.setdefault(_group(invocation.tool, test, ways), []).append(test)
    start = _start(invocation.start, ways)
    chosen = [build(own, ways) for own in groups.values()]
    if not start or len(chosen) > MOST_GROUPS or any(words is None for words in chosen):
        return ""
    line = start[0] + " && ".join(" ".join([start[1], *_arguments(words or [], *kept)]) for words in chosen)
    return line if _is_safe(line, ways) else ""


def _arguments(words: List[str], before: List[str], behind: List[str]) -> List[str]:
    """What stays as it was typed and what chooses the tests, each on its side of `--`, quoted."""
    if words and words[0].endswith(".rb") and not isinstance(words[0], _Chosen):
        before, words = [words[0], *before], words[1:]  # what stands before a script is the interpreter's
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
    if ways.started != ways.here and "\\" in ways.started + ways.here:
        return None  # a Windows path: how its shell quotes it is not known
    away = posixpath.relpath(ways.started, ways.here)
    away = ways.started if away.startswith("../") else away
    moved = "" if ways.started == ways.here else f"cd {shlex.quote(away)} && "
    typed = [w for w in texts if w not in assigned]
    return moved, " ".join([*assigned, *map(shlex.quote, _as_typed(typed))])


def _as_typed(texts: List[str]) -> List[str]:
    """A launcher's words; vitest watches files unless it is told to run."""
    return [*texts, "run"] if texts[-1].rpartition("/")[2].partition("@")[0] == "vitest" else texts


def _expands(text: str) -> bool:
    return "$" in text or "`" in text or text.startswith("~")


def _kept(invocation: Invocation) -> Optional[Tuple[List[str], List[str]]]:
    """The settings and places before and behind `--`; None where one is known to the shell alone."""
    spec = OPTIONS.get(invocation.tool)
    if spec is None or invocation.opaque:
        return None
    tool = invocation.tool
    parsed = selection.parse(invocation, spec, _STAYING.get(tool, frozenset()))
    if parsed.unclear or (parsed.foreign and tool in ("go", "gotestsum")):
        return None  # a word could be lost; and what Go does not know ends its own arguments
    groups = [(g, late) for g, late in parsed.kept if _option(g[0].text) not in _CHOSEN_ANEW.get(tool, ())]
    words = [w for group, _ in groups for w in group]
    if any(w.dynamic for w in words) or any(_is_unfit(w.text, tool) for w in invocation.args):
        return None
    before, behind = ([w.text for g, late in groups if late is side for w in g] for side in (False, True))
    return [*(["discover"] if _discovers(invocation) else []), *before], behind


def _is_unfit(text: str, tool: str) -> bool:
    """True for an option that makes a command line another thing than a run of tests, or one in another folder."""
    name = text.lstrip("-").partition("=")[0] if text[:1] == "-" else ""
    return name in ("args", "fuzz", "bench") or name in _MOVE.get(tool, ())


_MOVE = {
    "go": ("C",), "gotestsum": ("C", "packages", "raw-command", "rerun-fails", "watch"),
    "jest": ("rootDir", "roots", "projects"), "vitest": ("root", "r", "dir"), "bun": ("cwd",),
    "ctest": ("S", "D", "M", "T", "build-and-test", "U", "union"), "rspec": ("bisect",),
}  # fmt: skip


def _option(word: str) -> str:
    """An option without its value: `--test=a`, `-papp`."""
    attached = word[:2] in ("-p", "-E") and word[:3] != "-pl"
    return word[:2] if attached else word.partition("=")[0]


def _typed(ways: Ways, options: FrozenSet[str]) -> List[str]:
    """Some of the options as they were typed."""
    spec = OPTIONS[ways.invocation.tool]
    kept = selection.parse(ways.invocation, spec, options).kept
    return [w.text for group, _ in kept if _option(group[0].text) in options for w in group]


_PACKAGES = frozenset("-p --package --workspace --all --exclude".split())
_MODULES = frozenset("-pl --projects -am --also-make".split())
# Options whose place is taken by those that choose the tests.
_CHOSEN_ANEW: Dict[str, FrozenSet[str]] = {
    "cargo": _PACKAGES.union("--lib --bin --bins --test --tests --example --examples --all-targets --doc".split()),
    "nextest": frozenset(("-E", "--filterset", "--filter-expr", "--partition")),
    "ctest": frozenset(("-E", "--exclude-regex", "-L", "-LE", "-I", "--tests-information")),
    "maven": _MODULES, "rspec": frozenset(("-P", "--pattern")),
    "jest": frozenset(("--testPathPattern", "--testPathPatterns", "--testPathIgnorePatterns", "--runTestsByPath")),
    "vitest": frozenset(("--exclude",)), "mocha": frozenset(("--ignore", "--exclude", "--spec")),
    "bun": frozenset(("--path-ignore-patterns",)), "deno": frozenset(("--ignore",)), "node": frozenset(("--test",)),
    "mix": frozenset("--only --include --exclude --stale --failed --partitions --name-pattern".split()),
}  # fmt: skip
# Options that change nothing of how tests end, but where files are written or what is fetched.
_OFFLINE = "--offline --locked --frozen --target-dir"
_STAYING: Dict[str, FrozenSet[str]] = {
    "cargo": frozenset((*_OFFLINE.split(), "-Z")), "nextest": frozenset(_OFFLINE.split()),
    "maven": frozenset(("-o", "--offline", "-nsu", "-C", "-c")),
    "gradle": frozenset((
        "--offline", "--daemon", "--no-daemon", "--parallel", "--no-parallel", "--max-workers",
        "--configuration-cache", "--no-configuration-cache",
    )),
    "dotnet": frozenset(("--no-build", "--no-restore", "-o", "--output")),
    "phpunit": frozenset(("--do-not-cache-result", "--cache-result-file", "--cache-directory", "--no-coverage")),
    "mix": frozenset(("--no-compile", "--no-deps-check")),
}  # fmt: skip


def _is_plain(word: Word) -> bool:
    """False for what a shell would replace by something else."""
    return not word.dynamic and not any(c in word.text for c in "*?[{")


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
    return _whole([_slashed(n) for n in dict.fromkeys(names)])


def _whole(patterns: Sequence[str], around: str = "") -> str:
    """A pattern that takes in what one of some patterns takes in as a whole."""
    either = patterns[0] if len(patterns) == 1 else "(" + "|".join(patterns) + ")"
    return f"^{around}{either}{around}$"


def _titles(tests: Sequence[TestId]) -> Optional[_Chosen]:
    """The pattern of the full titles of JavaScript tests: those around a test and its own, joined by blanks.
    What runners print of them leaves out blanks at their ends, and a title that holds the mark that they
    print between titles reads like two. A pattern that takes in nothing would look like a pass."""
    titles = [t.name.split(" > ") for t in tests]
    if not all(t.strip(" >") for parts in titles for t in parts) or any(t.name.endswith(" >") for t in tests):
        return None
    found = [selection.BETWEEN_TITLES.join(map(_slashed, parts)) for parts in titles]
    return _Chosen(_whole(list(dict.fromkeys(found)), selection.BLANKS))


def _slashed(text: str) -> str:
    """A text for a regular expression that does not stand between slashes."""
    return _escaped(text).replace("\\/", "/")


def _scope(test: TestId) -> str:
    """A test's scope without the project that is put before it."""
    return (test.scope or "").rpartition("//")[2]


def _file(test: TestId, ways: Ways) -> str:
    """The file that a scope is, as its runner takes it; "" where it is not known or lies elsewhere."""
    path = test.scope or ""
    if not path or path.startswith(("/", "..")) or ":" in path:
        return ""
    local = _local(path, ways.around)
    return "./" + local if local.startswith("-") else local


def _files(test: TestId, ways: Ways) -> List[str]:
    """The same; for a runner that does not tell the files of its tests those that were typed."""
    if test.scope is not None:
        return [f for f in [_file(test, ways)] if f]
    typed = selection.parse(ways.invocation, OPTIONS[ways.invocation.tool]).positionals
    return [""] if any(w.dynamic for w in typed) else [w.text for w in typed]


# -- one function for each tool


def _go(tests: List[TestId], ways: Ways) -> Words:
    scope = tests[0].scope or ""
    if not scope or scope.startswith("_") or scope == "command-line-arguments":
        return None  # files that belong to no package
    parts = tests[0].name.split("/")
    pattern = _anchored([t.name for t in tests]) if len(parts) == 1 else "/".join(f"^{_escaped(p)}$" for p in parts)
    return ["-count=1", "-run", _Chosen(pattern), _package(scope, ways.around)]


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
        if path.startswith(("/", "..")) or path[1:2] == ":" or "[" in path:
            return None  # a bracket would begin what pytest takes for parameters
        local = _local(path, ways.around)
        names.append(_Chosen(("./" if local.startswith("-") else "") + local + colons + node))
    return list(names)


def _unittest(tests: List[TestId], ways: Ways) -> Words:
    names = [t.name.partition(" ")[0] for t in tests]
    if not all(n.replace(".", "_").isidentifier() and n.count(".") >= 2 for n in names):
        return None
    parsed = selection.parse(ways.invocation, OPTIONS["unittest"])
    folders = [w.text for w in parsed.positionals if w.text != "discover"]
    if not _discovers(ways.invocation):
        return None if parsed.options or parsed.leaving_out else [_Chosen(n) for n in names]
    # The names begin in the folder that is searched. With a star a filter is one for whole names; -v names them.
    filters = [w for n in names for w in ("-k", _Chosen(f"{n[0]}*{n[1:]}"))]
    return [*folders, "-v", *filters]


def _discovers(invocation: Invocation) -> bool:
    return invocation.tool == "unittest" and [w.text for w in invocation.args[:1]] == ["discover"]


def _jest(tests: List[TestId], ways: Ways) -> Words:
    path, pattern = _file(tests[0], ways), _titles(tests)
    return ["--runTestsByPath", path, "-t", pattern] if path and pattern else None


def _vitest(tests: List[TestId], ways: Ways) -> Words:
    path, pattern = _file(tests[0], ways), _titles(tests)
    return [path, "-t", pattern] if path and pattern else None


def _bun(tests: List[TestId], ways: Ways) -> Words:
    path, pattern = _file(tests[0], ways), _titles(tests)
    return [_dotted(tests[0].scope or "", ways.around), "-t", pattern] if path and pattern else None


def _mocha(tests: List[TestId], ways: Ways) -> Words:
    files, pattern = _files(tests[0], ways), _titles(tests)
    return [*files, "--fail-zero", "-g", pattern] if pattern and all(files) and _is_known(tests[0], files) else None


def _is_known(test: TestId, files: Sequence[str]) -> bool:
    """False where a test's file is known and cannot be named."""
    return bool(files) or test.scope is None


def _node(tests: List[TestId], ways: Ways) -> Words:
    """Node's patterns are for the titles of single tests, in newer versions for the joined ones too."""
    path = _file(tests[0], ways)
    ends = [t.name.rpartition(" > ")[2] for t in tests]
    others = [t for t in ways.places if t not in tests and t.scope in (None, tests[0].scope)]
    if not path or any(c in path for c in "[]{}*?()!") or not all(e.strip(" >") for e in ends):
        return None
    if any(_ESCAPE.search(t.name) for t in tests) or any(o.name.rpartition(" > ")[2] in ends for o in others):
        return None
    pattern = _whole([_nested(t.name.split(" > ")) for t in tests], selection.BLANKS)
    own = ["--test"] if ways.invocation.tool == "node" else []
    return [*own, "--test-name-pattern", _Chosen(pattern), path]


_ESCAPE = re.compile(r"\\[a-z0-9]")  # what node prints for control characters


def _nested(titles: Sequence[str]) -> str:
    """A pattern for the last title, and for a title that reads like several."""
    pattern = ""
    for title in titles[:-1]:
        pattern = f"({pattern}{_slashed(title)} > )?"
    return pattern + _slashed(titles[-1])


def _deno(tests: List[TestId], ways: Ways) -> Words:
    """The filter sees whole tests, not their steps; a title may read like a test and its step."""
    path, patterns = _file(tests[0], ways), []
    if not path or any(c in path for c in "[]{}*?()!") or not all(t.name.strip(" >") for t in tests):
        return None
    for test in tests:
        pattern = ""
        for title in reversed(test.name.split(" > ")):
            pattern = _escaped(title) + pattern
            pattern = f"( > {pattern})?"
        patterns.append(pattern[len("( > ") : -len(")?")])
    chosen = _whole(list(dict.fromkeys(patterns)), selection.BLANKS)
    return ["--filter", _Chosen(f"/{chosen}/"), path if path.startswith(".") else "./" + path]


def _ava(tests: List[TestId], ways: Ways) -> Words:
    files = _files(tests[0], ways)
    if not all(files) or not _is_known(tests[0], files) or any(c in f for f in files for c in "[]{}?()!"):
        return None
    if any(t.name.startswith("!") or "*" in t.name or "\\" in t.name for t in tests):
        return None
    return [*files, *(_Chosen("--match=" + t.name) for t in tests)]


def _rust_names(tests: List[TestId], ways: Ways) -> List[str]:
    """The names of Rust tests; none where another crate or target has a test of such a name."""
    named = {t.name for t in tests}
    twins = {t for t in ways.places if t.name in named} - set(tests)
    plain = all(n.replace("::", "_").isidentifier() for n in named)
    return list(dict.fromkeys(t.name for t in tests)) if plain and not twins else []


# How cargo says that a part of a project is chosen: "-p app --lib", "--test integration".
_CARGO_TARGET = re.compile(r"(?:-p ([\w.@:/#+-]+) )?(?:(--lib)|(--(?:bin|test|example)) ([\w-]+))$")
_RUST_NAME = re.compile(r"(?:r#)?\w+(?:::(?:r#)?\w+)*$")


def _cargo(tests: List[TestId], ways: Ways) -> Words:
    """A name alone may be a test of several binaries, so each is chosen as cargo's last line says. Doc tests
    are left out: rustdoc takes their names apart at blanks."""
    match = _CARGO_TARGET.match(ways.places.get(tests[0], ""))
    if not match or not all(_RUST_NAME.match(t.name) for t in tests):
        return None
    package, library, kind, name = match.groups()
    named = _scope(tests[0]) or tests[0].scope or ""
    if kind and named and name.replace("-", "_") != named:
        return None
    packages = ["-p", package] if package else _typed(ways, _PACKAGES)
    chosen = [*packages, *([library] if library else [kind, name])]
    typed = _typed(ways, _CHOSEN_ANEW["cargo"])
    same = sorted(typed) == sorted(chosen)
    if not named and not same:
        return None  # with -q no binary is named, and a pass of another command would not be this test's
    quiet = [] if named else ["-q"]
    chosen = typed if same else chosen  # in the typed order it is the same command
    return [*quiet, *chosen, "--", "--exact", *(_Chosen(t.name) for t in tests)]


def _nextest(tests: List[TestId], ways: Ways) -> Words:
    binaries = [_scope(t) or t.scope or "" for t in tests]
    plain = all(b.translate({ord(c): "_" for c in "-:/."}).isidentifier() for b in binaries)
    if not plain or not all(_RUST_NAME.match(t.name) for t in tests):
        return None
    terms = [f"binary_id(={b}) & test(={t.name})" for b, t in zip(binaries, tests)]
    if len(terms) == 1:
        return ["-E", _Chosen(terms[0])]
    return ["--no-fail-fast", "-E", _Chosen(" + ".join(f"({t})" for t in terms))]


# "App\\CartTest::testAdds", with the name of a data set that has no quotes in it. Without a class that is called
# a test, and a method in small letters, it may be what --testdox makes of them.
_PHPUNIT_NAME = re.compile(r"(?:\w+\\)*\w*Test(?:s|Case)?::[a-z_]\w*(?: with data set (?:#\d+|\"[^\"\\]+\"))?$")


def _phpunit(tests: List[TestId], ways: Ways) -> Words:
    parsed = selection.parse(ways.invocation, OPTIONS["phpunit"])
    told = any(w.text.startswith("--testdox") for w in ways.invocation.args)
    if told or not all(map(_is_plain, parsed.positionals)) or not all(_PHPUNIT_NAME.match(t.name) for t in tests):
        return None
    patterns = [_escaped(t.name) for t in tests]
    joined = patterns[0] if len(patterns) == 1 else "(" + "|".join(patterns) + ")"
    return ["--filter", _Chosen(f"/^{joined}$/"), *(w.text for w in parsed.positionals)]


def _rspec(tests: List[TestId], ways: Ways) -> Words:
    places = [ways.places.get(t, "") for t in tests]
    if not all(places) or any(p.startswith(("/", "..")) for p in places):
        return None
    return [_Chosen(_dotted(p, ways.around)) for p in places]


def _minitest(tests: List[TestId], ways: Ways) -> Words:
    """One file by its path; -v since passes are not named without it."""
    files = selection.parse(ways.invocation, OPTIONS["ruby"]).positionals
    names = [t.name for t in tests]
    one = len(files) == 1 and _is_plain(files[0]) and files[0].text.endswith(".rb")
    if not one or not all("#test_" in n for n in names):
        return None
    patterns = [_escaped(n).replace("#", "\\#") for n in dict.fromkeys(names)]
    return [files[0].text, "-v", "-n", _Chosen("/\\A(?:" + "|".join(patterns) + ")\\z/")]


def _mix(tests: List[TestId], ways: Ways) -> Words:
    """By file and line, where no other test stands on that line."""
    places = [ways.places.get(t, "") for t in tests]
    if not all(p.rpartition(":")[2].isdigit() for p in places) or not all(t.name.startswith("test ") for t in tests):
        return None
    return [_Chosen(_local(p, ways.around)) for p in places]


def _ctest(tests: List[TestId], ways: Ways) -> Words:
    return ["-R", _Chosen(_anchored([t.name for t in tests]))]


def _dotnet(tests: List[TestId], ways: Ways) -> Words:
    """Names of at least a namespace, a class and a method: shorter ones may be what a test is called elsewhere."""
    names = [t.name for t in tests]
    plain = all(n.replace(".", "_").replace("+", "_").isidentifier() and n.count(".") > 1 for n in names)
    start = ways.invocation.start
    if not plain or not start or start.words[-1].text != "test":
        return None
    projects = selection.parse(ways.invocation, OPTIONS["dotnet"]).positionals
    if not all(map(_is_plain, projects)):
        return None
    return [*(w.text for w in projects), "--filter", _Chosen("|".join(f"FullyQualifiedName={n}" for n in names))]


_EARLY = frozenset(("clean", "validate", "compile", "test-compile", "test"))
_PHASES = _EARLY.union(("package", "integration-test", "verify", "install", "deploy"))


def _maven(tests: List[TestId], ways: Ways) -> Words:
    goals = selection.parse(ways.invocation, OPTIONS["maven"]).positionals
    if any(w.dynamic or w.text not in _PHASES for w in goals):
        return None
    chosen: Dict[str, List[str]] = {}
    for test in tests:
        method, _, rest = test.name.rpartition("(")
        full = rest.rstrip(")")
        if not _is_java(method) or not _is_java(full) or _is_integration(full):
            return None
        chosen.setdefault(full, []).append(method)
    texts = [w.text for w in goals]
    tasks = texts if _EARLY.issuperset(texts) else ["test"]
    names = ",".join(f"{full}#{'+'.join(methods)}" for full, methods in chosen.items())
    return [*_typed(ways, _MODULES), *tasks, _Chosen(f"-Dtest={names}")]


def _is_java(name: str) -> bool:
    return all(p.replace("$", "_").isidentifier() for p in name.split("."))


def _is_integration(full: str) -> bool:
    """True for what Failsafe runs, in a later phase."""
    short = full.rpartition(".")[2].partition("$")[0]
    return short.startswith("IT") or short.endswith(("IT", "ITCase"))


def _gradle(tests: List[TestId], ways: Ways) -> Words:
    task = _scope(tests[0]) or tests[0].scope or ""
    head, colon, name = task.rpartition(":")
    if not name:
        return None
    words = ["--no-build-cache", f"{head}{colon}clean{name[:1].upper()}{name[1:]}", task]
    for test in tests:
        full, _, title = test.name.partition(" > ")
        method = title[:-2] if title.endswith("()") else title
        shown = method == title and "." not in full  # JUnit 5 names classes by their last part: that is a display name
        if shown or not method.replace("$", "_").isidentifier() or not _is_java(full):
            return None
        words += ["--tests", _Chosen(f"{full}.{method}")]
    return words


_BUILDERS: Dict[str, Callable[[List[TestId], Ways], Words]] = {
    "go": _go, "gotestsum": _gotestsum, "pytest": _pytest, "unittest": _unittest, "jest": _jest, "vitest": _vitest,
    "bun": _bun, "mocha": _mocha, "node": _node, "node script": _node, "deno": _deno, "ava": _ava, "cargo": _cargo,
    "nextest": _nextest, "phpunit": _phpunit, "rspec": _rspec, "mix": _mix, "ctest": _ctest, "dotnet": _dotnet,
    "maven": _maven, "gradle": _gradle, "ruby": _minitest,
}  # fmt: skip

# Tools that take their tests from one file, package, module or task at a time.
_BY_SCOPE = frozenset((
    "go", "gotestsum", "jest", "vitest", "bun", "mocha", "node", "node script", "deno", "ava", "gradle", "maven",
))  # fmt: skip


def _widest(tool: str, tests: Sequence[TestId]) -> Sequence[TestId]:
    """The same without the subtests of Go's tests that are among them: these run with their test."""
    if tool not in ("go", "gotestsum"):
        return tests
    return [t for t in tests if not any(t.scope == o.scope and t.name.startswith(o.name + "/") for o in tests)]


def _group(tool: str, test: TestId, ways: Ways) -> str:
    """Tests of one group go into one command: those of one scope, but each of Go's subtests is its own, and
    so is each test of mix, which takes one line of one file."""
    if tool in ("cargo", "mix"):
        return ways.places.get(test, "")
    if tool not in _BY_SCOPE:
        return ""
    return f"{test.scope}\0{test.name}" if tool in ("go", "gotestsum") and "/" in test.name else test.scope or ""
