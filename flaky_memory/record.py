"""After a test command: reads the output, adds the run to the store, and answers with the notes."""

from __future__ import annotations

import os
import re
import stat

from flaky_memory import fingerprint, history, message, panel, runners, selection, sessions
from flaky_memory.model import NamedTuple, Outcome, Result, TestId
from flaky_memory.options import OPTIONS
from flaky_memory.repository import located, small_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Sequence, Tuple

    from flaky_memory.command import Command, Invocation
    from flaky_memory.history import Named, Observation, Selected
    from flaky_memory.model import Memory, Report
    from flaky_memory.payload import Call
    from flaky_memory.selection import Surroundings
    from flaky_memory.store import Store
    from flaky_memory.verdict import Verdict

LARGEST_OUTPUT = 16 << 20  # bytes: of a longer persisted output its two ends are read


class Place(NamedTuple):
    """The top level of the repository, where the command started, and the fingerprint of the tree."""

    top: str
    directory: str
    tree: str


def record(call: Call, meant: Command, store: Store, place: Place, now: float) -> Outcome:
    """Add one run to the store. Raises Unusable or OSError."""
    output = full_output(call)
    seen, problem = observe(meant, output, call.exit_zero, place, int(now))
    if seen is not None and not seen.named and all(s.green < 0 for s in seen.selected):
        problem = "nothing-named"
    if seen is None or problem:
        return Outcome(problem, closings_only(call, store, now))
    told = add(store, _with_cause(seen, output))
    again = (
        _rerun(call, meant, place, told.flaky, {n.id: n.target or n.place for n in seen.named}) if told.flaky else ""
    )
    return Outcome("one-cause" if told.together else "recorded", _answer(call, told, store, now, again))


def _rerun(
    call: Call, meant: Command, place: Place, flaky: Sequence[Tuple[TestId, str, Verdict]], places: Dict[TestId, str]
) -> str:
    """The command that runs the flaky tests of a note again, from where the session is now; "" where it
    cannot be built, or would prove nothing."""
    from flaky_memory import rerun

    tests = [t for t, _, _ in flaky[: message.MOST_NOTES]]
    if any(v.company.failed_in and not v.probably_real for _, _, v in flaky) or len(flaky) > len(tests):
        return ""
    own = [i for i in meant.invocations if i.runners is None or tests[0].runner in _prefixes(i.runners)]
    if not own or any(t.runner != tests[0].runner for t in tests):
        return ""
    if len({(i.tool, i.directory) for i in own}) > 1 or own[0].start is None:
        return ""
    started = located(place.directory, place.top, own[0].start.directory)
    around = surroundings(own[0], place)
    if own[0].tool == "maven" and "<modules>" in small_file(os.path.join(place.top, around.directory, "pom.xml")):
        return ""  # the modules without the test would fail, or one without any pass
    if not all(_is_plain(t) and _is_there(t, place.top) and not _goes_on(t, place.top) for t in tests):
        return ""
    if own[0].tool == "mix" and not all(_stands_alone(t, places.get(t, ""), place.top) for t in tests):
        return ""
    here = os.path.normpath(call.directory)
    ways = rerun.Ways(own[0], around, started or "", here, call.powershell, places)
    return rerun.command(tests, ways)


def _is_plain(test: TestId) -> bool:
    """False for a name that a note only shows in quotes, as it could be taken for something else."""
    return all(message.printable(text) == text for text in (test.name, test.scope or ""))


def _stands_alone(test: TestId, place: str, top: str) -> bool:
    """True where the line of a place is the beginning of one test of ExUnit, and not of a row of them, in a
    file with one module of tests: each module runs the test that is nearest to a line."""
    path, _, number = place.rpartition(":")
    lines = small_file(os.path.join(top, path)).splitlines() if path and number.isdigit() else []
    line = lines[int(number) - 1].strip() if 0 < int(number or 0) <= len(lines) else ""
    match = re.match(r'test "((?:[^"\\]|\\.)*)"', line)
    title = match[1].replace('\\"', '"') if match else ""
    name = test.name.rpartition(" (")[0]
    cases = sum("Case" in text for text in lines if text.lstrip().startswith("use "))
    if cases > 1 or re.search(r'\btest[ (]*"', line[match.end() :] if match else ""):
        return False  # or several tests on that line
    return bool(title) and "#{" not in title and (name == "test " + title or name.endswith(" " + title))


def _is_there(test: TestId, top: str) -> bool:
    """False for a test whose id names a file that is not where it says."""
    paths = runners.PATHS.get(test.runner, "")
    path = test.scope if paths == "scope" else test.name.partition("::")[0]
    return not paths or path is None or os.path.isfile(os.path.join(top, path))


def _goes_on(test: TestId, top: str) -> bool:
    """True for a test of JavaScript of whose title the output may show only the first line."""
    if runners.PATHS.get(test.runner) != "scope" or test.scope is None:
        return False
    text = small_file(os.path.join(top, test.scope))
    starts = [quote + title for title in test.name.split(" > ") for quote in "'\"`"]
    return any(s + end in text for s in starts for end in ("\n", "\r\n", "\\n"))


def _with_cause(seen: Observation, output: str) -> Observation:
    """The same with what the output shows as the one cause of many failures."""
    failing = [n for n in seen.named if n.failed]
    if len(failing) < history.TOGETHER * history.TOGETHER_PART:
        return seen
    from flaky_memory import causes

    text = runners.plain(output)
    return seen._replace(cause=causes.common(text, [n.id for n in failing]), ran=causes.ran(text, len(failing)))


class Told(NamedTuple):
    """What a command brought, with the texts for people: the flaky tests that failed in it, the tests
    that are no longer flaky, the file that a damaged store went to ("" when it was whole), the tests that
    passed where they had failed, and how many failures have one cause, and which."""

    flaky: List[Tuple[TestId, str, Verdict]]
    closed: List[Tuple[TestId, str]]
    moved: str
    passed: Sequence[Tuple[TestId, str, Verdict]] = ()
    together: int = 0
    cause: str = ""


def add(store: Store, seen: Observation) -> Told:
    """Add what a command showed to the store. Raises Unusable or OSError."""

    def change(memory: Memory) -> Told:
        recorded = history.record(memory, seen)
        history.mark_told(memory, recorded, seen)
        found = [t for t, _ in [*recorded.flaky, *recorded.passed]]
        ids = message.display_ids(dict.fromkeys([*(k.id for k in memory.tests), *found, *recorded.closed]))
        return Told(
            [(t, ids[t], v) for t, v in recorded.flaky], [(t, ids[t]) for t in recorded.closed], memory.moved,
            [(t, ids[t], v) for t, v in recorded.passed], recorded.discounted, seen.cause,
        )  # fmt: skip

    return store.update(change)


def settle(store: Store, now: float) -> Tuple[Memory, List[Tuple[TestId, str]]]:
    """What is stored without what left the window, and the tests, with their ids, whose closing line is
    due: each is given out once, by whoever holds the lock. Raises Unusable or OSError."""
    memory = store.load()
    if not history.prune(memory, now):
        return memory, []

    def change(current: Memory) -> List[Tuple[TestId, str]]:
        known = [k.id for k in current.tests]
        closed = history.prune(current, now)
        ids = message.display_ids(known)
        return [(t, ids[t]) for t in closed]

    return memory, store.update(change)


def closings_only(call: Call, store: Store, now: float) -> Optional[Dict[str, Any]]:
    """A command that records nothing still closes what is no longer flaky."""
    return _answer(call, Told([], settle(store, now)[1], ""), store, now)


def _answer(call: Call, told: Told, store: Store, now: float, rerun: str = "") -> Optional[Dict[str, Any]]:
    """The hook's answer. While a status line is being shown in the session, it tells the person."""
    found = [*told.flaky, *told.passed]
    sessions.report(store.folder, call.session, [(t, panel.entry(i, v)) for t, i, v in found], now)
    sessions.close(store.folder, [(t, panel.shortened(i)) for t, i in told.closed], now)
    lines = []
    if not sessions.shown(store.folder, call.session, now):
        lines += [message.findings(_shown(told.flaky), _shown(told.passed))] if found else []
        lines += [message.closings([shown for _, shown in told.closed])] if told.closed else []
    lines += [message.together(told.together, told.cause)] if told.together else []
    lines += [message.moved_aside(told.moved)] if told.moved else []
    answer: Dict[str, Any] = {"systemMessage": "\n".join(lines)} if lines else {}
    context = _context(told, rerun)
    if context:
        answer["hookSpecificOutput"] = {"hookEventName": call.event, "additionalContext": context}
    return answer or None


def _context(told: Told, rerun: str) -> str:
    """What the model reads; "" for nothing."""
    texts = [message.together_note(told.together, told.cause)] if told.together else []
    texts += [message.note(_shown(told.flaky), rerun)] if told.flaky else []
    texts += [message.passed_note(_shown(told.passed))] if told.passed else []
    return "\n".join(texts)


def _shown(tests: Sequence[Tuple[TestId, str, Verdict]]) -> List[Tuple[str, Verdict]]:
    return [(shown, verdict) for _, shown, verdict in tests]


# -- the output


def full_output(call: Call) -> str:
    """The output of a call; of a long one the file that holds all of it, or its two ends."""
    if call.path is not None:
        try:
            return runners.without_escapes(_read_ends(call.path))  # at once: two copies of it are many
        except OSError:
            pass
    return call.output + cut(0) if call.torn else call.output


def cut(left_out: int) -> str:
    return f"\n\n... [{left_out}{runners.CUT}\n\n"


def _read_ends(path: str) -> str:
    """A regular file's text; of a file that is too long its two ends. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise OSError("not a regular file")
        if info.st_size <= LARGEST_OUTPUT:
            return file.read(LARGEST_OUTPUT).decode("utf-8", "replace")
        head = file.read(LARGEST_OUTPUT // 2)
        file.seek(info.st_size - LARGEST_OUTPUT // 2)
        tail = file.read(LARGEST_OUTPUT // 2)
    return head.decode("utf-8", "replace") + cut(info.st_size - LARGEST_OUTPUT) + tail.decode("utf-8", "replace")


def rows_of(meant: Command) -> Optional[List[str]]:
    """The rows of runners.TABLE that the command's runners can have; None when the output decides."""
    rows: List[str] = []
    for invocation in meant.invocations:
        if invocation.runners is None:
            return None
        rows += invocation.runners
    return list(dict.fromkeys(rows))


def read_output(meant: Command, output: str) -> List[Report]:
    """What the runners say in an output, without the lines that the command itself prints."""
    if meant.echoes and any(e and e in output for e in meant.echoes):
        output = "\n".join(line for line in output.split("\n") if line not in meant.echoes)
    rows = rows_of(meant)
    return runners.read(output, rows, certain=rows is not None and len(rows) <= len(meant.invocations))


# -- the observation


def observe(meant: Command, output: str, exit_zero: bool, place: Place, now: int) -> Tuple[Optional[Observation], str]:
    """(what a command showed, "") or (None, why it is not recorded)."""
    if runners.replayed(output):
        return None, "cached"
    _expand(meant, place)
    reports = read_output(meant, output)
    if not reports and runners.nothing_done(output):
        return None, "cached"
    selected = [_selected(i, meant, exit_zero, reports, place) for i in meant.invocations]
    if any(s.selection.varying for s in selected):
        return None, "varying"
    settings = sorted({t for s in selected for t in s.selection.settings})
    tree = fingerprint.fingerprint([place.tree.encode(), *(s.encode("utf-8", "surrogatepass") for s in settings)])
    named: List[Named] = []
    unrun = set()
    for report in reports:
        own = [s for s in selected if s.runners is None or report.runner in s.runners]
        if not own:
            continue
        around = own[0].around
        if _told_by_place(report) and any(s.around[:2] != around[:2] for s in own):
            return None, "several-places"
        named += named_by(report, around, meant, own)
        unrun |= {(report.runner, _scope(report.runner, u, around)) for u in report.unrun}
    return history.Observation(
        now, tree if settings else place.tree, tuple(selected), tuple(named), frozenset(unrun)
    ), ""


def _expand(meant: Command, place: Place) -> None:
    """Look what the scripts run that the command names."""
    if any(i.tool not in OPTIONS for i in meant.invocations):
        from flaky_memory import scripts

        scripts.expand(meant, [located(place.directory, place.top, i.directory) for i in meant.invocations])


def _selected(
    invocation: Invocation, meant: Command, exit_zero: bool, reports: Sequence[Report], place: Place
) -> Selected:
    prefixes = None
    if invocation.runners is not None:
        prefixes = _prefixes(invocation.runners)
    own = [r for r in reports if prefixes is None or r.runner in prefixes]
    others = [i for i in meant.invocations if i is not invocation]
    alone = not any(_shares(i, invocation) for i in others)
    around = surroundings(invocation, place)
    picked = selection.select(invocation, around)
    skipped = max((r.skipped for r in own), default=-1) if not repeats(invocation) else -1
    if picked.what is None and any(r.partial for r in own):
        picked = picked._replace(what=(), base="")
    return history.Selected(prefixes, picked, around, history.green(invocation, exit_zero, own, alone), skipped)


def _shares(one: Invocation, other: Invocation) -> bool:
    return one.runners is None or other.runners is None or bool(set(one.runners) & set(other.runners))


def surroundings(invocation: Invocation, place: Place) -> Surroundings:
    """Where a runner starts, as the selection needs it."""
    full = located(place.directory, place.top, invocation.directory) or place.directory
    inside = "" if full == place.top else os.path.relpath(full, place.top).replace(os.sep, "/")
    rows = invocation.runners or ()
    project = next((runners.TABLE[r].project for r in rows if runners.TABLE[r].project), ())
    home = inside if project == (".",) else nearest(place.top, inside, project) or ""
    module = _go_module(place.top, inside) if "go" in rows else ("", "")
    paths = _testpaths(place.top, inside) if "pytest" in rows else ()
    paths = _phpunit_folders(place.top, inside) if "phpunit" in rows else paths
    return selection.Surroundings(inside, home, module, paths, place.top)


def nearest(top: str, inside: str, names: Sequence[str]) -> Optional[str]:
    """The nearest directory, from `inside` up to the top, that holds one of some files; the outermost
    where the names begin with "^"."""
    found = None
    while names:
        if any(os.path.isfile(os.path.join(top, inside, n.lstrip("^"))) for n in names):
            found = inside
            if names[0][0] != "^":
                break
        if not inside:
            break
        inside = inside.rpartition("/")[0]
    return found


def _go_module(top: str, inside: str) -> Tuple[str, str]:
    """The import path and directory of the Go module (https://go.dev/ref/mod#go-mod-file)."""
    home = nearest(top, inside, ("go.mod",))
    if home is None:
        return "", ""
    for line in small_file(os.path.join(top, home, "go.mod")).splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == "module":
            return words[1].strip('"'), home
    return "", ""


def _testpaths(top: str, inside: str) -> Tuple[str, ...]:
    """pytest's `testpaths`: where it looks when it is started in its root without arguments."""
    for name in ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        text = small_file(os.path.join(top, inside, name))
        at = text.find("\ntestpaths")
        if at < 0:
            continue
        value = text[at + 1 :].partition("=")[2]
        closed = value.partition("]")[0] if value.lstrip().startswith("[") else _indented(value)
        return tuple(closed.translate({ord(c): " " for c in "[]\"',"}).split())
    return ()


def _phpunit_folders(top: str, inside: str) -> Tuple[str, ...]:
    """The folders of PHPUnit's test suites; none where a default suite or a group leaves some out."""
    for name in ("phpunit.xml", "phpunit.dist.xml", "phpunit.xml.dist"):
        text = small_file(os.path.join(top, inside, name))
        if text:
            suites = text.partition("<testsuites")[2].partition("</testsuites>")[0]
            pieces = [p.partition(">")[2].partition("<")[0].strip() for p in suites.split("<directory")[1:]]
            whole = not any(w in text for w in ("defaultTestSuite=", "<groups>", "<exclude>"))
            return tuple(p for p in pieces if p) if whole else ()
    return ()


def _indented(value: str) -> str:
    first, *rest = value.split("\n")
    kept = [first]
    for line in rest:
        if not line[:1].isspace():
            break
        kept.append(line)
    return "\n".join(kept)


def _scope(runner: str, scope: Optional[str], around: Surroundings) -> Optional[str]:
    """A scope as it is stored: files from the repository's top, others behind their project."""
    if runners.PATHS.get(runner) == "scope" and scope is not None:
        return rooted(scope, around.directory, around.top)
    return selection.with_home(around.home, scope)


def _told_by_place(report: Report) -> bool:
    """True when the names in an output mean something only from where the runner started."""
    named = bool(report.results or report.unrun)
    return named and (
        report.runner in runners.PATHS or any(e.project for e in runners.TABLE.values() if e.prefix == report.runner)
    )


def named_by(report: Report, around: Surroundings, meant: Command, selected: Sequence[Selected] = ()) -> List[Named]:
    """The tests of one report as they are stored; `selected` is what its runner's invocations select."""
    own = [i for i in meant.invocations if i.runners is None or report.runner in _prefixes(i.runners)]
    alike = len(own) == 1 or bool(selected) and all(_alike(s, selected[0]) for s in selected[1:])
    again = any(repeats(i) for i in own) or (alike and len(own) > 1)
    filtered = bool(selected) and any("grep passes" in i.filters for i in own)
    # Several runs that are not alike, or the ones that some tool starts: the same name may be two tests.
    differ = not alike or any(map(_turns_differ, own, selected))
    mixed = differ or (not again and any(i.tool not in OPTIONS for i in own))
    places, greens, targets = dict(report.places), dict(report.greens), dict(report.targets)
    only = selection.only_file(selected[0].selection, ".php") if len(selected) == 1 else ""
    found = []
    for result in _merged(report, own) if selected else report.results:
        name, scope = _bounded(result.name), _scope(report.runner, _bounded(result.scope or "") or None, around)
        if runners.PATHS.get(report.runner) == "name":
            name = rooted(name, around.directory)
        place = places.get((result.name, result.scope), "")[:_LONGEST_NAME]
        counts = result.failed and not differ
        sure = runners.is_sure(report, result) and not _is_partial(result, report, own)
        if filtered and not runners.is_sure(report, result) and not result.failed:
            continue  # what the name leaves open may stand in the lines that were taken out
        unnamed = max(0, _unnamed_passes(result, own, greens, report) - result.passed) if counts else 0
        found.append(
            history.Named(
                TestId(report.runner, scope, name),
                result.failed,
                result.passed,
                rooted(place, around.directory) if place else only,
                sure and not (mixed and result.failed and result.passed),
                bool(result.failed and result.passed and not again),
                unnamed,
                targets.get((result.name, result.scope), ""),
            )
        )
    return found


def _is_partial(result: Result, report: Report, own: Sequence[Invocation]) -> bool:
    """True for a test with parts of which a name filter may have left some out: its pass is theirs."""
    separator = {"go": "/", "node": " > ", "tap": " > ", "deno": " > "}.get(report.runner, "")
    if not separator or not any(_filters_parts(i) for i in own):
        return False
    return any(r.name.startswith(result.name + separator) for r in report.results)


def _filters_parts(invocation: Invocation) -> bool:
    texts = [w.text for w in invocation.args]
    if "go" in (invocation.runners or ()):
        return any("/" in _value(invocation, o) for o in ("-run", "-skip", "--run", "--skip"))
    return any(t.startswith(_PART_FILTERS) for t in texts)


_PART_FILTERS = ("--test-name-pattern", "--test-skip-pattern", "--test-only", "-g", "--grep", "-t")


def _turns_differ(invocation: Invocation, selected: Selected) -> bool:
    """True for a loop whose variable stands where it chooses tests or how they run, not in a report's name."""
    picked = selected.selection
    return invocation.varying and (picked.where is None or picked.what == ())


def _merged(report: Report, own: Sequence[Invocation]) -> Sequence[Result]:
    """The results of a report; those of pytest-repeat's copies of a test (`test_x[2-3]`) added up."""
    counts = [_value(i, "--count") for i in own]
    if report.runner != "pytest" or len(counts) != 1 or not counts[0].isdigit():
        return report.results
    ending = f"-{counts[0]}]"
    found: Dict[str, Tuple[int, int]] = {}
    for result in report.results:
        name = _without_copy(result.name, ending)
        failed, passed = found.get(name, (0, 0))
        found[name] = (failed + result.failed, passed + result.passed)
    return [Result(name, None, failed, passed) for name, (failed, passed) in found.items()]


def _without_copy(name: str, ending: str) -> str:
    """`test_x[2-3]` -> `test_x`, `test_x[a-2-3]` -> `test_x[a]`."""
    if not name.endswith(ending):
        return name
    head = name[: -len(ending)].rstrip("0123456789")
    return head[:-1] + ("]" if head[-1:] == "-" else "") if head[-1:] in ("[", "-") else name


def _value(invocation: Invocation, option: str) -> str:
    """The value of an option, "" without it."""
    texts = [w.text for w in invocation.args]
    attached = [t[len(option) + 1 :] for t in texts if t.startswith(option + "=")]
    return (attached or [texts[at + 1] for at, t in enumerate(texts[:-1]) if t == option] or [""])[-1]


def _prefixes(rows: Sequence[str]) -> Tuple[str, ...]:
    return tuple(dict.fromkeys(runners.TABLE[r].prefix for r in rows))


def _unnamed_passes(result: Result, own: Sequence[Invocation], greens: Dict[Optional[str], int], report: Report) -> int:
    """How often a failing test passed without being named: in the green turns of a shell loop, in the
    green ones of several equal runs, and in the rest of `go test -count=N`."""
    if own[0].repeats or len(own) > 1:
        turns = sum(i.turns for i in own) if all(i.turns for i in own) else 0
        green = greens.get(result.scope if report.runner == "go" else None, 0)
        if not turns:
            return green if report.runner not in _SAID_IN_PARTS and own[0].runners is not None else 0
        return max(0, min(green, turns - result.failed))
    return max(0, _go_count(own[0]) - result.failed) if report.runner == "go" and not result.passed else 0


# Runners that close every crate, project or application of one run.
_SAID_IN_PARTS = ("cargo", "dotnet", "mix")


def _alike(one: Selected, other: Selected) -> bool:
    """True for two invocations that run the same tests in the same way, the second perhaps only those
    that failed in the first (`pytest || pytest --lf`)."""
    if one.around != other.around or one.selection.settings != other.selection.settings:
        return False
    if one.selection.key and one.selection.key == other.selection.key:
        return True
    again = (None, ("last failed",))
    equal = one.selection.base and one.selection.base == other.selection.base
    return bool(equal) and one.selection.what in again and other.selection.what in again


def _go_count(invocation: Invocation) -> int:
    """The N of `go test -count=N`, 0 where a failure may end the run early."""
    if invocation.tool != "go" or any(w.text.lstrip("-") == "failfast" for w in invocation.args):
        return 0
    texts = [w.text for w in invocation.args]
    counts = [t.partition("=")[2] for t in texts if t.startswith(("-count=", "--count="))]
    counts += [texts[at + 1] for at, t in enumerate(texts[:-1]) if t in ("-count", "--count")]
    return int(counts[-1]) if counts and counts[-1].isdigit() and len(counts[-1]) < 4 else 0


def _bounded(text: str) -> str:
    """A name that fits into the store, and is no other test's: names of parameters may be long and alike."""
    kept = _LONGEST_NAME - 17
    return text if len(text) <= _LONGEST_NAME else f"{text[:kept]}\u2026{fingerprint.key(text)}"


_LONGEST_NAME = 400
# Options by which a runner is told to run each test several times.
_COUNTS = ("-count", "--count", "--rerun-each", "--repeat-each", "--repeat", "--flake-finder", "--repeats", "-cpu")


def repeats(invocation: Invocation) -> bool:
    """True when the command repeats its tests: then each outcome is one of several equal runs. A
    runner that repeats a failure by itself means the last outcome."""
    return invocation.repeats or any(w.text.partition("=")[0] in _COUNTS for w in invocation.args)


def rooted(path: str, inside: str, top: str = "") -> str:
    """A path that a runner printed in a directory, from the repository's top."""
    if top and path.startswith(top + "/"):
        return path[len(top) + 1 :]
    if path.startswith("/") or path[1:3] in (":\\", ":/"):
        return path
    head, node = path.partition("::")[0], path.partition("::")[1:]
    parts = inside.split("/") if inside else []
    for part in head.replace("\\", "/").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) + "".join(node)
