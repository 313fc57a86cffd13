"""Which tests a command line selects, and which of its settings could explain a flip. Pure.

A selection is a list of atoms, small strings; a test has atoms too, one for every way in which a
command line can surely mean it. A selection covers a test when they share an atom. So a selection
can be stored hashed, and what is not understood covers nothing but the same command.
"""

from __future__ import annotations

from flaky_memory import fingerprint
from flaky_memory.model import ALL, FILES, ONE, PARTS, NamedTuple
from flaky_memory.options import OPTIONS, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

    from flaky_memory.command import Invocation
    from flaky_memory.model import TestId
    from flaky_memory.shell import Word


class Surroundings(NamedTuple):
    """What `select` must know of the place where a runner starts, all but `top` relative to
    the repository's top: the directory ("" for the top), the project it belongs to, Go's module (its import path and
    directory), the folders that pytest and PHPUnit are configured to look in; and the top itself, absolute."""

    directory: str
    home: str = ""
    module: Tuple[str, str] = ("", "")
    testpaths: Tuple[str, ...] = ()
    top: str = ""


class Selection(NamedTuple):
    """What an invocation selects.

    `key` is the same for the same command (how much it prints left out), `base` also with other
    name filters; "" when something unknown adds to it. `where` are atoms of places, None when not
    understood; `what` atoms of names, None without a name filter, empty when it is not understood.
    `settings` belong to the fingerprint; `varying` when one of them changes from run to run; `width`
    says how much it takes in (model.ONE to ALL, 0 when that is not understood).
    """

    key: str
    base: str
    where: Optional[Tuple[str, ...]]
    what: Optional[Tuple[str, ...]]
    settings: Tuple[str, ...]
    varying: bool = False
    width: int = 0


# Variables that change how a run looks and not how it ends.
_HARMLESS_VARIABLES = frozenset((
    "CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM PYTHONUNBUFFERED "
    "PYTHONDONTWRITEBYTECODE PYTHONFAULTHANDLER RUST_BACKTRACE RUST_LIB_BACKTRACE "
    "CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN CARGO_TERM_VERBOSE CARGO_INCREMENTAL CLAUDECODE AI_AGENT "
    "DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO DOTNET_CLI_UI_LANGUAGE NPM_CONFIG_LOGLEVEL NPM_CONFIG_COLOR PAGER "
    "GIT_PAGER PY_COLORS COVERAGE_FILE XDEBUG_MODE PIP_DISABLE_PIP_VERSION_CHECK HUSKY NEXT_TELEMETRY_DISABLED "
    "DISABLE_OPENCOLLECTIVE ADBLOCK GOTRACEBACK NODE_NO_WARNINGS PYTEST_XDIST_AUTO_NUM_WORKERS"
).split())  # fmt: skip
# What has another value each time: then two runs of one command differ in a setting.
_UNSTEADY = ("$(", "`", "$RANDOM", "$SRANDOM", "${RANDOM", "$$", "$EPOCH", "$SECONDS")


def _is_harmless(name: str, value: str) -> bool:
    """True for a variable that changes nothing; jest and vitest set NODE_ENV to "test" by themselves."""
    return name in _HARMLESS_VARIABLES or (name, value) == ("NODE_ENV", "test")


class _Parsed:
    """A command line taken apart: name filters, other words, what is left of it for `key`. `kept` are the
    words of the settings and places as written, with whether they stand behind `--`; `foreign` is true with
    an option that is not listed, and `unclear` where it cannot be told whether a word is its value."""

    __slots__ = ("foreign", "kept", "leaving_out", "names", "options", "positionals", "settings", "unclear")

    def __init__(self) -> None:
        self.names: List[Tuple[str, str]] = []
        self.kept: List[Tuple[List[Word], bool]] = []
        self.positionals: List[Word] = []
        self.options: List[str] = []  # those that choose places, as written
        self.settings: List[str] = []
        self.leaving_out: List[str] = []
        self.foreign = self.unclear = False


def select(invocation: Invocation, around: Surroundings) -> Selection:
    """What an invocation selects, and its settings."""
    spec = OPTIONS.get(invocation.tool)
    settings = sorted(f"{n}={v}" for n, v in invocation.env.items() if not _is_harmless(n, v))
    if spec is None:
        texts = [w.text for w in invocation.args]
        told = [f"{n}{v}" for n, v in sorted(invocation.env.items()) if n == "packages "]
        settings += sorted(_told_settings(invocation.tool, texts))
        base = fingerprint.key(invocation.tool, around.directory, *texts, *told)
        width = ALL if all(_is_neutral(t) for t in texts) else 0
        selection = Selection(base, base, None, None, tuple(settings), width=width)
    else:
        parsed = parse(invocation, spec)
        settings += sorted(parsed.settings)
        selection = _selection(invocation, parsed, around, tuple(settings))
    if invocation.opaque:
        selection = selection._replace(key="", base="", where=None, width=0)
    varying = any(u in s for s in settings for u in _UNSTEADY) or (
        invocation.varying and any("$" in s for s in settings)
    )
    return selection._replace(varying=varying)


# -- tools that run other runners: what is not understood in their arguments may change how tests end

# Tools that are given environments or projects.
_CHOOSERS = frozenset(("tox", "nox", "hatch", "pdm", "mise", "nx", "turbo", "lerna", "moon", "rush", "wireit"))
# Tools that are given targets and variables.
_TARGETS = frozenset(("make", "ninja", "cmake", "meson", "just", "task", "mage", "poe", "rake", "invoke", "composer"))
_NEUTRAL_WORDS = frozenset(
    "test tests check verify spec specs unit unittest unittests all ci run py go js ts sh run-many affected "
    "-q -v -vv --quiet --verbose --skip-nx-cache --force --no-cache --stream --no-bail -t --target -- build".split()
)
_PACKAGE_SELECTORS = frozenset(("-w", "--workspace", "--workspaces", "-ws", "-r", "--recursive", "--filter", "-F"))
_GTEST = frozenset(("--gtest_filter", "--gtest_brief", "--gtest_color", "--gtest_output", "--gtest_repeat"))
_KNOWN_OPTIONS = _GTEST.union(*(o.harmless | o.names | o.leaving_out | o.places for o in OPTIONS.values()))
_KNOWN_VALUES = frozenset().union(*(o.values for o in OPTIONS.values()))
_KNOWN_FLAGS = frozenset().union(*(o.flags for o in OPTIONS.values()))


def _told_settings(tool: str, texts: List[str]) -> List[str]:
    """The settings among the arguments of a tool whose runner is not known."""
    if tool in _CHOOSERS:
        own = texts[: texts.index("--")] if "--" in texts else texts
        return [t for t in own if t not in _NEUTRAL_WORDS]
    if tool in _TARGETS:
        return [t for t in texts if _is_variable(t) or t[:1] != "-" and "=" not in t and not _is_neutral(t)]
    first = texts[:1] if tool.endswith(" run") or tool in ("script", "deno task") else []
    return [*(t for t in first if not _is_neutral(t.rpartition("/")[2])), *_unknown_options(texts)]


def _is_variable(text: str) -> bool:
    """`RACE=1` on the command line of make; `V=1` only prints more."""
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier() and name not in ("V", "VERBOSE") and name not in _HARMLESS_VARIABLES


def _is_neutral(target: str) -> bool:
    """`test`, `unit-tests`, `run_tests.sh`: a name that says nothing but that it tests."""
    words = target.lower().translate({ord(c): "-" for c in "_:./"}).split("-")
    return all(w in _NEUTRAL_WORDS for w in words)


def _unknown_options(texts: List[str]) -> List[str]:
    found, at = [], 0
    while at < len(texts):
        option, equals, _ = texts[at].partition("=")
        telling = option in _PACKAGE_SELECTORS or option not in _KNOWN_OPTIONS
        unlisted = option not in _KNOWN_OPTIONS | _KNOWN_FLAGS | _PACKAGE_SELECTORS
        takes = option in _KNOWN_VALUES or (unlisted and at + 1 < len(texts) and _may_be_value(texts[at + 1]))
        size = 2 if takes and not equals else 1
        if option[:1] == "-" and option != "--" and telling:
            found.append(" ".join(texts[at : at + size]))
        at += size if option[:1] == "-" else 1
    return found


def _selection(invocation: Invocation, parsed: _Parsed, around: Surroundings, settings: Tuple[str, ...]) -> Selection:
    tool = invocation.tool
    places = [w.text for w in parsed.positionals]
    what: Optional[Tuple[str, ...]] = None
    filters: List[str] = [f"{o}={v}" for o, v in parsed.names]
    if tool in ("cargo", "nextest"):
        filters, places = [*filters, *places], []
        exact = any(w.text == "--exact" for w in invocation.args)
        parsed.names += [("exact" if exact else "filter", w.text) for w in parsed.positionals]
    if parsed.names:
        what = _names(tool, parsed.names)
    if parsed.leaving_out:
        what = ()
    base = fingerprint.key(tool, around.directory, *parsed.options, "", *places)
    key = fingerprint.key(base, *filters, "", *parsed.leaving_out)
    where: Optional[Tuple[str, ...]] = None
    if not parsed.unclear and not any(w.dynamic or _is_glob(w, tool) for w in parsed.positionals):
        where = _WHERE.get(tool, _nowhere)(places, parsed, around)
    width = 0 if parsed.leaving_out or parsed.unclear or what == () else _width(tool, parsed, places, around)
    return Selection(key, base, where, what, settings, width=width)


# Folders that hold all tests of a project, by convention.
_ALL_TESTS = frozenset(("", ".", "...", "tests", "test", "spec", "specs", "__tests__", "src"))
# Words that choose no tests: tasks and phases of builds, and the verb of unittest.
_NO_PLACES = {"maven": ("clean", "test", "verify", "package", "install"), "unittest": ("discover",)}
_BUILD_TASKS = ("clean", "cleanTest", "test", "check", "build")


def _width(tool: str, parsed: _Parsed, places: List[str], around: Surroundings) -> int:
    """How much a command takes in, by what its names and places look like."""
    if parsed.names:
        return _width_of_names(tool, [value for _, value in parsed.names])
    if tool == "gradle":
        return ALL if all(p in _BUILD_TASKS for p in places) else PARTS
    kept = [p for p in places if p not in _NO_PLACES.get(tool, ())]
    if parsed.options and (tool in ("maven", "cargo", "nextest", "unittest") or not kept):
        return {"--test": FILES, "--lib": FILES, "--bin": FILES}.get(parsed.options[0].partition("=")[0], PARTS)
    if any(w.dynamic or _is_glob(w, tool) for w in parsed.positionals):
        return 0
    if not kept:
        return PARTS if tool in ("go", "gotestsum") else ALL
    widths = {_width_of_place(tool, p, around) for p in kept}
    return widths.pop() if len(widths) == 1 else 0


def _width_of_names(tool: str, values: List[str]) -> int:
    if not all(values):
        return 0  # --lf: how many failed last is not known
    whole_class = {"maven": lambda v: "#" not in v, "gradle": lambda v: v.rpartition(".")[2][:1].isupper()}.get(tool)
    return FILES if whole_class and any(map(whole_class, values)) else ONE


def _width_of_place(tool: str, place: str, around: Surroundings) -> int:
    path = place.replace("\\", "/").rstrip("/")
    path = path[2:] if path.startswith("./") else path
    last = path.rpartition("/")[2]
    if tool == "unittest":
        return FILES if last.endswith(".py") or not last.rpartition(".")[2].startswith("test") else 0
    if "::" in place or "[" in last or last.rpartition(":")[2].isdigit():
        return ONE
    if tool in ("jest", "vitest", "bun", "playwright") or ("." in last and last not in (".", "..", "...")):
        return FILES  # the first four take a part of a file's path
    return ALL if path in (*_ALL_TESTS, *around.testpaths) else PARTS


def _is_glob(word: Word, tool: str) -> bool:
    """True for a word that the shell or its tool may take for several; pytest takes each as it is."""
    if tool == "pytest" and word.quoted:
        return False
    return any(c in word.text for c in "*?{") and "..." not in word.text


def parse(invocation: Invocation, spec: Options, staying: FrozenSet[str] = frozenset()) -> _Parsed:
    """The arguments of an invocation, sorted by what they mean to its tool. The options `staying` are kept
    as settings are, although they change nothing."""
    parsed, words, at, behind = _Parsed(), invocation.args, 0, False
    go = invocation.tool in ("go", "gotestsum")
    while at < len(words):
        text, start = words[at].text, at
        at += 1
        if text == "--":
            behind = True
            continue
        if text[:1] != "-" or text == "-":
            if go and parsed.foreign:  # what go does not know ends its packages: the rest goes to the tests
                parsed.settings.append(text)
            else:
                parsed.positionals.append(words[at - 1])
            continue
        option, value, size = _option(words, start, spec, go)
        at = start + size
        if not _is_listed(option, spec, go):
            parsed.foreign, parsed.unclear = True, parsed.unclear or size > 1
        if _sort_option(parsed, spec, option, value, staying):
            parsed.kept.append((words[start:at], behind))
    return parsed


def _option(words: Sequence[Word], at: int, spec: Options, go: bool) -> Tuple[str, str, int]:
    """(an option, its value, how many words they are). The word behind an option that is not listed may be
    its value: it is taken for that, so that two commands that differ in it differ in a setting."""
    option, equals, value = words[at].text.partition("=")
    if go:
        option = "-" + option.lstrip("-").replace("test.", "", 1) if option[1:] else option
    if equals:
        return option, value, 1
    if go and option == "-args":
        return option, " ".join(w.text for w in words[at + 1 :]), len(words) - at
    if option not in spec.values and not go and _has_value_attached(option, spec):
        return option[:2], option[2:], 1
    following = words[at + 1].text if at + 1 < len(words) else None
    taken = option in spec.values or (following and not _is_listed(option, spec, go) and _may_be_value(following))
    return (option, following, 2) if taken and following is not None else (option, "", 1)


def _may_be_value(text: str) -> bool:
    return text[:1] not in ("-", "")


def _is_listed(option: str, spec: Options, go: bool) -> bool:
    """True for an option of which it is known whether it takes a value; also by its form: `-qx`, `-Dname`,
    `-p:name`, `--no-cache`."""
    attached = option[:2] in ("-D", "-P") and len(option) > 2 or ":" in option or option.startswith("--no-")
    return spec.knows(option) or (not go and (attached or _only_prints(option, spec)))


def _has_value_attached(option: str, spec: Options) -> bool:
    """`-n4`, `-rA`."""
    return len(option) > 2 and option[:2] != "--" and option[:2] in spec.values and option not in spec.harmless


def _sort_option(parsed: _Parsed, spec: Options, option: str, value: str, staying: FrozenSet[str]) -> bool:
    """True for an option that stays when other tests are chosen."""
    written = f"{option}={value}" if value else option
    harmless = spec.harmless - staying
    if option in spec.leaving_out:
        parsed.leaving_out.append(written)
        return option not in _CHOOSING
    if option in spec.names:
        parsed.names.append((option, value))
        return False
    if option in spec.places:
        parsed.options.append(written)
    elif option not in harmless and written not in harmless and not _only_prints(option, spec):
        parsed.settings.append(written)
    else:
        return option in _NEEDED
    return True


# Options without which a runner may not end, or not begin.
_NEEDED = frozenset((
    "--exit --forceExit --test-force-exit --no-check --cached-only --no-lock --locked --offline --frozen -o "
    "--target-dir"
).split())  # fmt: skip
# Options by which a tool chooses its tests by itself: they do not go with chosen ones.
_CHOOSING = frozenset((
    "--shard --test-shard --changed --changedSince -o --onlyChanged --lastCommit --onlyFailures -f --filter "
    "--last-failed --only-changed --failed --stale --rerun-failed -rf --resume-from --partitions --testmon --picked "
    "--sw --stepwise --splits --group --only-failures --next-failure --findRelatedTests --test-only -n --deselect "
    "--ignore --ignore-glob -m -E --filterset --filter-expr --partition"
).split())  # fmt: skip


def _only_prints(option: str, spec: Options) -> bool:
    """Short flags written together: `-qx`, `-rA`, `-fd`."""
    if option.startswith("--") or len(option) < 3 or option[:2] not in spec.harmless:
        return False
    if option in spec.values or option in spec.flags:
        return False  # one option: `-overlay`
    return option[:2] in spec.values or all("-" + c in spec.harmless for c in option[1:])


# -- names

_REGEX = frozenset("\\^$*+?()[]{}|")
_PLAIN_IN = {"rspec": frozenset("[]"), "maven": frozenset("$"), "gradle": frozenset("$")}


def _names(tool: str, names: List[Tuple[str, str]]) -> Tuple[str, ...]:
    """The atoms of name filters; none when one of them is no plain name."""
    atoms: List[str] = []
    for option, value in names:
        if option in ("--lf", "--last-failed"):
            atoms.append("last failed")
            continue
        found = _plain_names(tool, value)
        if not found:
            return ()
        atoms.extend("name:" + n for n in found)
        if _takes_parts(tool, option, value):
            atoms.extend("part:" + (n.lower() if tool == "pytest" else n) for n in found)
    return tuple(atoms) if len(names) == 1 or tool in ("cargo", "nextest", "rspec", "unittest", "gradle") else ()


# Tools whose name filters take in every test that has the text somewhere in its name.
_TAKE_PARTS = frozenset(
    "pytest go gotestsum jest vitest bun mocha node deno phpunit cargo nextest rspec playwright tap".split()
)


def _takes_parts(tool: str, option: str, value: str) -> bool:
    anchored = value[:1] == "^" or value[-1:] == "$" or "exact" in option
    return tool in _TAKE_PARTS and not anchored or tool == "dotnet" and "~" in value


def _without_property(value: str) -> str:
    """A filter of dotnet without what it compares: `Name=`, `FullyQualifiedName~`."""
    for name in ("FullyQualifiedName", "DisplayName", "Name", "ClassName"):
        for sign in "~=":
            value = value[len(name) + 1 :] if value.startswith(name + sign) else value
    return value


def _plain_names(tool: str, value: str) -> List[str]:
    """The names that a filter lists, anchors taken off: `^(TestA|TestB)$`, `Class#method`."""
    if tool == "ava":  # whole titles, in which a star stands for anything
        return [" ".join(value.split(" > "))] if value[:1] != "!" and "*" not in value else []
    whole = _whole_phpunit_names(value) if tool == "phpunit" else []
    if whole:
        return whole
    if tool in ("go", "gotestsum"):
        value = "/".join(_unanchored(p) for p in value.split("/"))
    elif tool == "phpunit":
        value = _unanchored(value.strip("/")).replace("\\\\", "\\").replace("::", "\0").lstrip("\\")
        short, separator, method = value.rpartition("\0")
        value = short.rpartition("\\")[2] + "::" + method if separator else method.rpartition("\\")[2]
    elif tool == "dotnet":
        value = _without_property(value)
    elif tool == "gradle":
        value = ".".join(value.lstrip("*.").split(".")[-2:])
    elif tool not in ("rspec", "cargo", "nextest", "maven", "unittest", "pytest"):
        value = _unanchored(_without_marks(value, tool))
    if tool in _TAKE_PATTERNS:
        return _literals(value)
    return _alternatives(tool, value)


def _alternatives(tool: str, value: str) -> List[str]:
    """The plain names of a list, none where one of them is a pattern; `Class#a+b` are two."""
    alternatives = value.split({"maven": ",", "pytest": " or "}.get(tool, "|"))
    if tool == "maven":
        alternatives = [c + h + m for a in alternatives for c, h, ms in [a.partition("#")] for m in ms.split("+")]
    if any(not a or _REGEX & set(a) - _PLAIN_IN.get(tool, frozenset()) for a in alternatives):
        return []
    if tool == "pytest" and any(not a.replace("_", "a").isalnum() for a in alternatives):
        return []
    return alternatives


# Tools whose name filters are regular expressions in which a character is taken as it is behind a backslash.
_TAKE_PATTERNS = frozenset("go gotestsum jest vitest bun mocha node deno playwright tap ctest".split())
# What may stand between two titles, where an output leaves open whether they are one, and around them (see rerun.py).
BETWEEN_TITLES, BLANKS = "\\s+([>\u203a] )?", "\\s*"


def _without_marks(pattern: str, tool: str) -> str:
    """A pattern without what may stand between titles, and deno's without its slashes."""
    slashed = tool == "deno" and len(pattern) > 2 and pattern[0] == pattern[-1] == "/"
    bare = pattern[1:-1] if slashed else pattern
    if bare.startswith("^" + BLANKS) and bare.endswith(BLANKS + "$"):
        bare = f"^{bare[1 + len(BLANKS) : -1 - len(BLANKS)]}$"
    if tool == "node" and bare.startswith("^(") and " > )?" in bare:
        bare = "^" + bare.rpartition(" > )?")[2]
    if tool == "deno" and bare.endswith(")?$") and "( > " in bare:
        bare = bare.partition("( > ")[0] + "$"
    return bare.replace(BETWEEN_TITLES, " ")


def _literals(pattern: str) -> List[str]:
    """The texts that a pattern takes in; none where it is more than some texts."""
    found, at = [""], 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and not pattern[at + 1 : at + 2].isalnum():
            at += 1
            found[-1] += pattern[at : at + 1]
        elif char == "|":
            found.append("")
        elif char in _REGEX:
            return []
        else:
            found[-1] += char
        at += 1
    return found if all(found) else []


def _whole_phpunit_names(value: str) -> List[str]:
    """The names of an anchored filter for tests with their classes and data sets, `/^(App\\\\ATest::a|...)$/`;
    none for any other."""
    if not (value.startswith("/^") and value.endswith("$/") and "::" in value):
        return []
    inner = value[2:-2]
    return _literals(inner[1:-1] if inner.startswith("(") and inner.endswith(")") else inner)


def _unanchored(pattern: str) -> str:
    pattern = pattern[1:] if pattern.startswith("^") else pattern
    pattern = pattern[:-1] if pattern.endswith("$") and not pattern.endswith("\\$") else pattern
    groups = pattern.count("(") - pattern.count("\\(")
    return pattern[1:-1] if pattern.startswith("(") and pattern.endswith(")") and groups == 1 else pattern


# -- places of a command line


def _path(around: Surroundings, text: str) -> Optional[str]:
    """A path argument from the repository's top; None when it leaves it or is absolute."""
    if text.startswith(("/", "~")) or text[1:3] in (":\\", ":/"):
        return None
    parts: List[str] = [p for p in around.directory.split("/") if p]
    for part in text.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _paths(around: Surroundings, texts: Sequence[str]) -> Optional[Tuple[str, ...]]:
    found = [_path(around, t) for t in texts]
    return None if None in found else tuple(f"path:{p}" for p in found)


def _where_pytest(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    if not places:
        return _paths(around, around.testpaths or ("",))
    found = []
    for place in places:
        path, colons, node = place.partition("::")
        joined = _path(around, path)
        if joined is None:
            return None
        found.append(f"path:{joined}{colons}{node}")
    return tuple(found)


def _where_go(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    atoms = []
    for place in places or ["."]:
        tree = place == "..." or place.endswith("/...")
        plain = place[:-3].rstrip("/") if tree else place
        if place.endswith(".go") or (tree and "..." in plain):
            return None
        if place.startswith("."):
            path = _path(around, plain or ".")
            if path is None:
                return None
            atoms.append(("tree:" if tree else "package:") + path)
        else:
            atoms.append(("import tree:" if tree else "import:") + plain)
    return tuple(atoms)


def _where_expression(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    """jest, playwright: regular expressions that a file's path must match, but where they are told to be paths."""
    plain = any(o.partition("=")[0] == "--runTestsByPath" for o in parsed.options)
    if not plain and any(_REGEX & set(p) for p in [*places, *parsed.options]):
        return None
    return _where_pattern(places, parsed, around)


def _where_pattern(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    """vitest, bun: words that a file's path must contain."""
    places = [*places, *(o.partition("=")[2] for o in parsed.options if o.startswith("--testPathPattern"))]
    if not places:
        return _paths(around, ("",))
    clean = [p.replace("\\", "/").strip("/") for p in places]
    return tuple("pattern:" + (c[2:] if c.startswith("./") else c) for c in clean if c and not c.startswith(".."))


def _where_paths(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    """rspec, mocha, node, deno, ava, tap, mix: files and folders."""
    return _paths(around, places or ("",))


def _where_explicit(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    """mocha, node, ava, tap: without files they take the ones that their configuration names."""
    return _paths(around, places) if places else None


def _where_cargo(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    atoms = []
    for option in parsed.options:
        name, _, value = option.partition("=")
        if name in ("--workspace", "--all"):
            atoms.append("all:" + around.home)
        elif name in ("-p", "--package") and len(parsed.options) == 1:
            atoms.append("crate:" + value.replace("-", "_"))
        elif name == "--test":
            atoms.append("target:" + value)
        else:
            return None
    return tuple(atoms) or None


def _where_phpunit(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    """Files also mean the class that they are named after; without any, the configured folders count."""
    chosen = places or list(around.testpaths)
    atoms = list(_paths(around, chosen) or ())
    for place in chosen:
        folder, _, name = place.replace("\\", "/").rpartition("/")
        if name.endswith(".php"):
            atoms += [f"class:{name[:-4]} in {folder.rpartition('/')[2].lower()}", f"class:{name[:-4]}"]
    return tuple(atoms) or None


def _where_maven(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    modules = [o.partition("=")[2] for o in parsed.options if o.startswith(("-pl=", "--projects="))]
    if modules:
        names = [m for group in modules for m in group.split(",")]
        return tuple("module:" + n.strip(":").rpartition("/")[2] for n in names) if "!" not in "".join(names) else None
    return ("all:" + around.home,) if around.directory == around.home else None


def _where_gradle(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    tasks = [p for p in places if p not in ("clean", "cleanTest")]
    if around.directory != around.home:
        return None
    return tuple("task:" + ("test" if t in ("check", "build") else t) for t in tasks) or None


def _where_unittest(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    if parsed.options or "discover" in places:
        return None
    if not places:
        return ("all:" + around.home,)
    return tuple("module:" + (p[:-3].replace("/", ".") if p.endswith(".py") else p) for p in places)


def _nowhere(places: List[str], parsed: _Parsed, around: Surroundings) -> Optional[Tuple[str, ...]]:
    return None


_WHERE: Dict[str, Callable[[List[str], _Parsed, Surroundings], Optional[Tuple[str, ...]]]] = {
    "pytest": _where_pytest, "go": _where_go, "gotestsum": _where_go, "jest": _where_expression,
    "vitest": _where_pattern, "bun": _where_pattern, "playwright": _where_expression, "rspec": _where_paths,
    "deno": _where_paths, "mix": _where_paths, "mocha": _where_explicit, "node": _where_explicit,
    "ava": _where_explicit, "tap": _where_explicit, "cargo": _where_cargo, "nextest": _where_cargo,
    "phpunit": _where_phpunit, "maven": _where_maven, "gradle": _where_gradle, "unittest": _where_unittest,
}  # fmt: skip

# -- atoms of a test


def only_file(selection: Selection, ending: str) -> str:
    """The file that a selection consists of, from the repository's top; "" when it is any other."""
    paths = [a.partition(":")[2] for a in selection.where or () if a.startswith("path:")]
    return paths[0] if len(paths) == 1 and paths[0].endswith(ending) else ""


def where_atoms(test: TestId, place: str, around: Surroundings) -> List[str]:
    """Every way in which a command line can name the place of a test, the widest first."""
    return _TEST_WHERE.get(test.runner, _test_in_file)(test, place, around)


def what_atoms(test: TestId) -> List[str]:
    """Every name filter that surely takes a test in."""
    pieces = _TEST_WHAT.get(test.runner, _title_pieces)(test.name)
    parts = _TEST_PARTS.get(test.runner, _titles)(test.name)
    return ["name:" + p for p in pieces] + ["part:" + p for text in parts for p in _word_runs(text)]


_MOST_WORDS = 12


def _word_runs(text: str) -> List[str]:
    """Every part of a name from the start of a word to the end of one: of TestSyncNow also SyncNow."""
    starts, ends = [], []
    for at, char in enumerate(text):
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if char.isalnum() and (not before.isalnum() or (char.isupper() and not before.isupper())):
            starts.append(at)
        if char.isalnum() and (not after.isalnum() or (after.isupper() and not char.isupper())):
            ends.append(at + 1)
    return [text[a:b] for a in starts[:_MOST_WORDS] for b in ends[:_MOST_WORDS] if a < b]


def _titles(name: str) -> List[str]:
    return [" ".join(name.split(" > "))]


def _pytest_parts(name: str) -> List[str]:
    path, _, node = name.lower().partition("::")
    return [path.rpartition("/")[2], *node.partition("[")[0].split("::")]


def _go_parts(name: str) -> List[str]:
    return [name.partition("/")[0]]


def _phpunit_parts(name: str) -> List[str]:
    return [name.partition(" with data set ")[0].rpartition("\\")[2]]


def _whole_name(name: str) -> List[str]:
    return [name]


_TEST_PARTS: Dict[str, Callable[[str], List[str]]] = {
    "pytest": _pytest_parts, "go": _go_parts, "phpunit": _phpunit_parts, "cargo": _whole_name, "rspec": _whole_name,
    "dotnet": _whole_name,
}  # fmt: skip


def _ancestors(path: str) -> List[str]:
    parts = path.split("/")
    return ["path:", *("path:" + "/".join(parts[: n + 1]) for n in range(len(parts)))]


def _test_pytest(test: TestId, place: str, around: Surroundings) -> List[str]:
    path, _, node = test.name.partition("::")
    atoms = _ancestors(path)
    bare, bracket, _ = node.partition("[")
    names = bare.split("::") if bare else []
    atoms += [f"path:{path}::" + "::".join(names[: n + 1]) for n in range(len(names))]
    return [*atoms, f"path:{test.name}"] if bracket else atoms


def _test_go(test: TestId, place: str, around: Surroundings) -> List[str]:
    if test.scope is None:
        return []
    parts = test.scope.split("/")
    atoms = ["import:" + test.scope]
    atoms += ["import tree:" + "/".join(parts[: n + 1]) for n in range(len(parts))]
    module, folder = around.module
    if module and (test.scope + "/").startswith(module + "/"):
        inside = [p for p in (folder + "/" + test.scope[len(module) :]).split("/") if p]
        atoms += ["tree:" + "/".join(inside[:n]) for n in range(len(inside) + 1)]
        atoms.append("package:" + "/".join(inside))
    return atoms


def _test_in_file(test: TestId, place: str, around: Surroundings) -> List[str]:
    if test.scope is None:
        return []
    path = test.scope[2:] if test.scope.startswith("./") else test.scope
    atoms = _ancestors(path)
    if place:
        atoms.append("path:" + (place[2:] if place.startswith("./") else place))
    parts = path.split("/")
    for first in range(len(parts)):
        for last in range(first, len(parts)):
            piece = "/".join(parts[first : last + 1])
            atoms.append("pattern:" + piece)
            if last == len(parts) - 1:
                while "." in piece.rpartition("/")[2].strip("."):
                    piece = piece.rpartition(".")[0]
                    atoms.append("pattern:" + piece)
    return atoms


def _home_of(test: TestId) -> Tuple[str, str]:
    """(project, scope) of a test whose project was put before its scope; see `with_home`."""
    home, separator, scope = (test.scope or "").partition("//")
    return (home, scope) if separator else ("", test.scope or "")


def with_home(home: str, scope: Optional[str]) -> Optional[str]:
    """A scope that also tells apart two projects in one repository."""
    return f"{home}//{scope or ''}" if home else scope


def _test_cargo(test: TestId, place: str, around: Surroundings) -> List[str]:
    home, scope = _home_of(test)
    target = scope.rpartition("::")[2] or scope
    return ["all:" + home, "crate:" + scope.partition("::")[0].replace("-", "_"), "target:" + target]


def _test_phpunit(test: TestId, place: str, around: Surroundings) -> List[str]:
    namespace, _, short = test.name.partition("::")[0].rpartition("\\")
    named = f"class:{short} in {namespace.rpartition(chr(92))[2].lower()}" if namespace else f"class:{short}"
    return [*(_ancestors(place) if place else ()), named]


def _test_maven(test: TestId, place: str, around: Surroundings) -> List[str]:
    home, scope = _home_of(test)
    return ["all:" + home, *(["module:" + scope] if scope else [])]


def _test_gradle(test: TestId, place: str, around: Surroundings) -> List[str]:
    _, scope = _home_of(test)
    return ["task:" + scope, "task:" + scope.rpartition(":")[2]] if scope else []


def _test_unittest(test: TestId, place: str, around: Surroundings) -> List[str]:
    home, _ = _home_of(test)
    parts = test.name.partition(" ")[0].split(".")
    return (
        ["all:" + home, *("module:" + ".".join(parts[: n + 1]) for n in range(len(parts)))]
        if home == around.home
        else []
    )


_TEST_WHERE: Dict[str, Callable[[TestId, str, Surroundings], List[str]]] = {
    "pytest": _test_pytest, "go": _test_go, "cargo": _test_cargo, "phpunit": _test_phpunit,
    "maven": _test_maven, "gradle": _test_gradle, "unittest": _test_unittest,
}  # fmt: skip


def _title_pieces(name: str) -> List[str]:
    """js and its kin filter by a text that the titles, joined by blanks, contain."""
    titles = name.split(" > ")
    return [" ".join(titles[a:b]) for a in range(len(titles)) for b in range(a + 1, len(titles) + 1)]


def _dotted_pieces(separator: str) -> Callable[[str], List[str]]:
    def pieces(name: str) -> List[str]:
        parts = name.split(separator)[:12]
        return [separator.join(parts[a:b]) for a in range(len(parts)) for b in range(a + 1, len(parts) + 1)]

    return pieces


def _pytest_names(name: str) -> List[str]:
    return name.partition("::")[2].partition("[")[0].split("::")


def _go_names(name: str) -> List[str]:
    parts = name.split("/")
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def _phpunit_names(name: str) -> List[str]:
    full, _, case = name.partition("::")
    method = case.partition(" with data set ")[0]
    short = full.rpartition("\\")[2]
    return [method, short, f"{short}::{method}", name, f"{full}::{method}"]


def _maven_names(name: str) -> List[str]:
    method, _, rest = name.rpartition("(")
    full = rest.rstrip(")")
    method = method.partition("[")[0].partition("(")[0].partition("{")[0]
    short = full.rpartition(".")[2]
    return [full, short, f"{full}#{method}", f"{short}#{method}"]


def _gradle_names(name: str) -> List[str]:
    full, _, method = name.partition(" > ")
    short = full.rpartition(".")[2]
    return [short, f"{short}.{method.rstrip('()')}", full]


def _dotnet_names(name: str) -> List[str]:
    return _dotted_pieces(".")(name.partition("(")[0])


def _rspec_names(name: str) -> List[str]:
    words = name.split(" ")
    return [" ".join(words[: n + 1]) for n in range(min(len(words), 40))]


_TEST_WHAT: Dict[str, Callable[[str], List[str]]] = {
    "pytest": _pytest_names, "go": _go_names, "cargo": _dotted_pieces("::"), "phpunit": _phpunit_names,
    "maven": _maven_names, "gradle": _gradle_names, "dotnet": _dotnet_names, "rspec": _rspec_names,
    "unittest": _dotted_pieces("."),
}  # fmt: skip
