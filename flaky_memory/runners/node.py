"""node --test and test files run by node: the spec, tap, dot and junit reporters.

https://nodejs.org/api/test.html#test-reporters; the lines are printed by
lib/internal/test_runner/reporter/{spec,tap,dot,junit}.js of https://github.com/nodejs/node.

describe() makes a suite, which is no test, and test() with subtests makes a test, but the spec
and dot reporters print both alike. `_Kinds` tells them apart by the run's closing counts and by
the stacks of failures, and where nothing tells, the group is not named.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report, Result
from flaky_memory.runners.base import is_cut, lines
from flaky_memory.runners.formats import JUnit, Outline, Point, Tap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple

    from flaky_memory.runners.formats import Case, TapRun

    # run, name, scope, passed
    Outcome = Tuple[int, str, Optional[str], bool]
    # a point, the titles above it, the group it stands in
    Place = Tuple[Point, Tuple[str, ...], Optional[Point]]

PREFIX = "node"

# "  ✔ adds two numbers (0.58ms)", "✖ known (0.25ms) # fix it", in node 18 "▶ calc (4.2ms)"
_RESULT = re.compile(r"([✔✖﹣⚠▶]) (.+) \((\d+\.\d+ms)\)(?: # (.*))?$")
_MARKS = ("✔ ", "✖ ", "﹣ ", "⚠ ", "▶ ")
# "'2 subtests failed'": the error of a group whose own code did not fail
_SUBTESTS = re.compile(r"'\d+ subtests? failed'$")
_CANCELLED = tuple(
    quote + text
    for text in ("test did not finish before its parent", "Promise resolution is still pending but the event loop")
    for quote in ("'", "")
)
_SOURCES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx")
_COUNTED = ("tests", "suites", "pass", "fail", "cancelled", "skipped", "todo")


def read(text: str) -> Report:
    reader = _Reader()
    for line in lines(text):
        reader.feed(line)
    return reader.report()


class _Entry:
    """One failure of the list at the end: its file, title, time, and what its error tells."""

    __slots__ = ("file", "title", "time", "todo", "first", "inner", "parent")

    def __init__(self, file: Optional[str], title: str, time: str, todo: bool) -> None:
        self.file, self.title, self.time, self.todo = file, title, time, todo
        self.first = ""
        self.inner = -1  # how many test() callbacks its stack is inside of
        self.parent = ""  # "suite" or "test" once a frame of the test runner says so

    def feed(self, text: str) -> None:
        """A line of its error."""
        if not self.first:
            self.first = text
        frame = text[3:].removeprefix("async ") if text.startswith("at ") else ""
        if frame.startswith("TestContext.test (node:"):
            self.parent = self.parent or "test"
        elif frame.startswith("TestContext."):
            self.inner += 1
        elif frame.startswith("SuiteContext."):
            self.parent = self.parent or "own"
        elif frame.startswith(("Suite.run (", "Suite.processPendingSubtests (", "Suite.runHook (")):
            self.parent = self.parent or "suite"
        elif frame.startswith(("Test.processPendingSubtests (", "Suite.postRun (")):
            self.parent = self.parent or "unknown"

    @property
    def cancelled(self) -> bool:
        return self.first.startswith(_CANCELLED)

    @property
    def group(self) -> bool:
        return bool(_SUBTESTS.match(self.first))

    @property
    def tests_around(self) -> int:
        """How many of the groups around it are tests, as far as its stack reaches."""
        return max(self.inner, 1 if self.parent == "test" else 0)


class _Run:
    """What the spec or dot reporter says of one run."""

    def __init__(self) -> None:
        self.outline = Outline()
        self.counts: Dict[str, int] = {}
        self.entries: List[_Entry] = []
        self.times: Dict[int, str] = {}
        self.firsts: List[Point] = []
        self.failed: set[Tuple[str, str]] = set()
        self.listed = False
        self.said = NONE

    @property
    def empty(self) -> bool:
        return self.outline.empty and not self.counts and not self.entries and self.said == NONE


class _Reader:
    def __init__(self) -> None:
        self._tap = Tap()
        self._junit = JUnit()
        self._junit_counts: Dict[str, int] = {}
        self._runs: List[_Run] = []
        self._run = _Run()
        self._outcomes: List[Outcome] = []
        self._number = 0
        self._summaries: List[str] = []
        self._idle = False
        self._file: Optional[str] = None
        self._details = -1  # inside an error that is indented deeper than this
        self._first = False  # at its first line
        self._last: Optional[_Entry] = None
        self._failed: Optional[Point] = None  # the last failure of the tree
        self._fresh = True  # nothing was read since the output's start or a cut

    def feed(self, line: str) -> None:
        if is_cut(line):
            self._run.outline.cut()
            self._details, self._last, self._file, self._run.listed = -1, None, None, False
            self._fresh = True
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if self._details >= 0 and self._in_details(line, text, indent):
            return
        if ("<" in line or self._junit.open) and self._junit_line(line):
            return
        if self._tap.feed(line):
            return
        if text.startswith(_MARKS):
            self._mark(text, indent)
        elif line.startswith("ℹ "):
            self._info(line[2:])
        elif line.startswith("test at "):
            self._file, self._run.listed = line[8:].rsplit(":", 2)[0], True
        elif line.startswith("Failed tests:"):
            self._run.listed, self._run.said = True, FAILED
        elif line.startswith("Could not find '"):
            self._idle = True

    def _junit_line(self, line: str) -> bool:
        words = line.split(None, 4) if line.startswith("\t<!-- ") else ()
        if len(words) == 4 and words[1] in _COUNTED and words[2].isdigit():
            self._junit_counts[words[1]] = int(words[2][:9])
            return True
        return self._junit.feed(line)

    def _in_details(self, line: str, text: str, indent: int) -> bool:
        """The error below a failed test is indented; an empty line without indent ends it."""
        first, self._first = self._first, False
        if line and indent > self._details and not (first and _RESULT.match(text)):
            if self._last is not None:
                self._last.feed(text)
            elif first and self._failed is not None and _SUBTESTS.match(text):
                self._failed.group = True  # also where the points below it were cut away
            return True
        self._details = -1
        return not line

    def _mark(self, text: str, indent: int) -> None:
        match = _RESULT.match(text)
        if match is None:
            self._unfinished(text, indent)
            return
        mark, title, time, note = match.groups()
        run = self._run
        known = (title, time) in run.failed  # times have six decimals
        listed = run.listed and (known or self._file or run.said == FAILED)
        if indent == 0 and mark in "✖⚠" and (listed or (known and run.counts)):
            self._last = _Entry(self._file, title, time, mark == "⚠" or note is not None)
            run.entries.append(self._last)
            self._file, self._details, self._first = None, 0, True
            return
        if run.listed or "duration_ms" in run.counts:
            self._next_run()
        self._point(mark, title, time, note, indent)

    def _unfinished(self, text: str, indent: int) -> None:
        """A mark without a time: a heading, a failure of which nothing ran, a title's first line. A "✔ done"
        is a tool's own step that a test has printed."""
        if text.startswith("▶ "):
            self._fresh = False
            if self._run.listed or "duration_ms" in self._run.counts:
                self._next_run()
            self._run.outline.heading(indent, text[2:])
        elif text.startswith("✖ failing tests:"):
            self._run.listed = True
        elif text.startswith("✖ "):
            self._file, self._last, self._details = None, None, indent
            if not self._run.listed:
                self._run.outline.add(Point(text[2:], False, "SKIP", indent))

    def _point(self, mark: str, title: str, time: str, note: Optional[str], indent: int) -> None:
        skipped = mark in "﹣⚠" or note is not None
        point = Point(title, mark != "✖", "SKIP" if skipped else "", indent)
        if len(time) - time.index(".") < 6:
            point.said = "short"
        if not self._run.outline.add(point):
            return
        if mark == "▶":
            point.passed = all(c.passed or c.directive for c in point.children)
        self._run.times[id(point)] = time
        if self._fresh:
            self._run.firsts.append(point)
            self._fresh = False
        if mark == "✖":
            # Node 20 prints the error here, later ones only in the list at the end.
            self._last, self._details, self._first, self._failed = None, indent, True, point
            self._run.failed.add((title, time))

    def _info(self, text: str) -> None:
        word, _, number = text.partition(" ")
        run = self._run
        if word == "duration_ms":
            run.counts[word] = 0
        elif word in _COUNTED and number.isdigit():
            if "duration_ms" in run.counts:
                self._next_run()
                run = self._run
            run.counts[word] = int(number[:9])
        elif "coverage does not meet threshold" in text:
            run.said = FAILED

    def _next_run(self) -> None:
        if not self._run.empty:
            self._spec_run(self._run)
        self._run = _Run()
        self._file = self._last = None
        self._details = -1

    def report(self) -> Report:
        self._next_run()
        told = bool(self._outcomes or self._junit_counts)
        for tap_run in self._tap.close():
            if _is_node(tap_run, told):
                self._tap_run(tap_run)
        cases = self._junit.close()
        if self._junit_counts:
            self._junit_run(cases)
        return self._sum_up()

    def _spec_run(self, run: _Run) -> None:
        places = list(_places(run.outline))
        entries = _match(run, places)
        kinds = _Kinds(places, run.counts)
        for point, entry in entries.values():
            kinds.learn(point, entry)
        kinds.settle(run.firsts)
        for point, path, _ in places:
            known = entries.get(id(point))
            if known is None or not known[1].cancelled:
                self._add(point, path, known[1].file if known else None, kinds)
        matched = {id(entry) for _, entry in entries.values()}
        self._add_entries([e for e in run.entries if id(e) not in matched])
        listed = any(not e.todo for e in run.entries)
        self._end(run.counts, FAILED if run.said == FAILED and (listed or run.counts) else NONE)

    def _add(self, point: Point, path: Tuple[str, ...], scope: Optional[str], kinds: _Kinds) -> None:
        if point.directive or not kinds.is_test(point) or _is_file(point.title, path):
            return
        if path and _is_file(path[0], ()) and (path[0].startswith("/") or path[0][1:3] == ":\\"):
            scope, path = path[0], path[1:]  # node 18 nests each file's tests under its name
        name = " > ".join(path + (point.title,))
        self._outcomes.append((self._number, name, scope, point.passed))

    def _add_entries(self, entries: List[_Entry]) -> None:
        """Failures that only the list names. A group follows the last of its failed children,
        whose stack tells whether it is a test."""
        around = 0
        for entry in entries:
            known = around > 0
            around = around - 1 if entry.group else entry.tests_around
            if entry.todo or entry.cancelled or entry.parent == "own" or _is_file(entry.title, ()):
                continue
            if known or not entry.group:
                self._outcomes.append((self._number, entry.title, entry.file, False))

    def _tap_run(self, run: TapRun) -> None:
        places = list(_places(run))
        kinds = _Kinds(places, run.counts)
        kinds.settle([])
        for point, path, _ in places:
            if point.details.get("failureType") == "cancelledByParent":
                continue
            scope = None if point.passed else point.details.get("location")
            self._add(point, path, scope.rsplit(":", 2)[0] if scope else None, kinds)
        self._end(run.counts, NONE)

    def _junit_run(self, cases: List[Case]) -> None:
        for case in cases:
            name = case.attributes.get("name", "").replace("&quot;", '"')  # node escapes quotes twice
            cancelled = case.message.startswith(_CANCELLED)
            if case.outcome == "skipped" or cancelled or not name or _is_file(name, case.suites):
                continue
            path = " > ".join(case.suites + (name,))
            self._outcomes.append((self._number, path, case.attributes.get("file"), case.outcome == "passed"))
        self._end(self._junit_counts, NONE)

    def _end(self, counts: Dict[str, int], said: str) -> None:
        """Close a run with what its counts say."""
        ran = any(number == self._number for number, _, _, _ in self._outcomes[-1:])
        if counts.get("fail") or counts.get("cancelled"):
            said = FAILED
        elif counts.get("pass") and said == NONE and _is_whole(counts):
            said = PASSED if ran else NONE
        if "pass" in counts and not ran and said == NONE and not counts.get("todo"):
            self._idle = True
        self._summaries.append(said)
        self._number += 1

    def _sum_up(self) -> Report:
        """Give a test whose passes come without a file the one file that its failures name, if
        no run of the output holds two tests of that name."""
        files: Dict[str, set[str]] = {}
        often: set[str] = set()
        seen: set[Tuple[int, str]] = set()
        for number, name, scope, _ in self._outcomes:
            if (number, name) in seen:
                often.add(name)
            seen.add((number, name))
            if scope is not None:
                files.setdefault(name, set()).add(scope)
        counts: Dict[Tuple[str, Optional[str]], List[int]] = {}
        for _, name, scope, passed in self._outcomes:
            known = files.get(name, set())
            if scope is None and len(known) == 1 and name not in often:
                scope = next(iter(known))
            counts.setdefault((name, scope), [0, 0])[passed] += 1
        return self._report(counts)

    def _report(self, counts: Dict[Tuple[str, Optional[str]], List[int]]) -> Report:
        results = tuple(Result(name, scope, n[0], n[1]) for (name, scope), n in counts.items())
        said = self._summaries
        summary = FAILED if FAILED in said else PASSED if PASSED in said else NONE
        failed = {outcome[:3] for outcome in self._outcomes if not outcome[3]}
        both = {outcome[:3] for outcome in self._outcomes if outcome[3]} & failed if failed else set()
        twins = frozenset((name, scope) for _, name, scope in both)
        greens = ((None, said.count(PASSED)),) if PASSED in said else ()
        return Report(PREFIX, summary, results, self._idle and not results, twins=twins, greens=greens)


class _Kinds:
    """Which points are tests and which suites. A suite stands only in suites."""

    def __init__(self, places: List[Place], counts: Dict[str, int]) -> None:
        self._places = places
        self._counts = counts
        self._parents = {id(point): parent for point, _, parent in places}
        self._tests: set[int] = set()
        self._suites: set[int] = set()
        self._unsure: set[int] = set()
        for point, _, _ in places:
            if point.details.get("type") == "suite":
                self._suites.add(id(point))
            elif not point.group or "duration_ms" in point.details:
                self._tests.add(id(point))

    def is_test(self, point: Point) -> bool:
        return id(point) in self._tests and id(point) not in self._unsure

    def learn(self, point: Point, entry: _Entry) -> None:
        """What the stack of a failure tells of the groups around it."""
        if entry.parent == "own":
            self._suites.add(id(point))
            self._tests.discard(id(point))
        above = self._parents[id(point)]
        for _ in range(entry.tests_around):
            if above is not None:
                self._tests.add(id(above))
                above = self._parents[id(above)]
        if entry.parent == "suite" and entry.tests_around == 0 and above is not None:
            self._suites.add(id(above))

    def settle(self, firsts: List[Point]) -> None:
        """Decide on the groups that are still open by the run's closing counts."""
        self._spread()
        if "pass" in self._counts and "fail" in self._counts:
            self._count()
            self._spread()
            # The first line may be the end of a group whose points were cut away.
            self._unsure = {id(p) for p in firsts if not p.group and self._hidden(p.passed)}
            # More shown than ran: a test has printed such a line, without node's six decimals.
            if self._missing(True) < 0:
                self._unsure.update(id(p) for p, _, _ in self._places if p.passed and p.said == "short")

    def _count(self) -> None:
        unknown = [p for p, _, _ in self._places if self._is_open(p)]
        missing = [self._missing(False), self._missing(True)]
        if not self._counts.get("suites", 1):
            self._tests.update(id(p) for p in unknown)
            return
        groups = sum(1 for p, _, _ in self._places if p.group)
        known = sum(1 for p, _, _ in self._places if p.group and id(p) in self._tests)
        whole = groups == self._counts.get("suites", -1) + missing[0] + missing[1] + known
        for passed in (False, True):
            same = [id(p) for p in unknown if p.passed == passed]
            if missing[passed] <= 0:
                self._suites.update(same)
            elif whole and missing[passed] == len(same):
                self._tests.update(same)

    def _is_open(self, point: Point) -> bool:
        return not point.directive and id(point) not in self._tests and id(point) not in self._suites

    def _missing(self, passed: bool) -> int:
        """How many more tests of one outcome ran than are known to be shown."""
        shown = sum(1 for p, _, _ in self._places if p.passed == passed and id(p) in self._tests and not p.directive)
        return self._counts["pass" if passed else "fail"] - shown

    def _hidden(self, passed: bool) -> bool:
        """True when more tests of one outcome ran than all that is shown can be."""
        unknown = sum(1 for p, _, _ in self._places if p.passed == passed and self._is_open(p))
        return self._missing(passed) > unknown

    def _spread(self) -> None:
        for point, _, parent in self._places:  # children come first
            if parent is not None and point.group and id(point) in self._suites:
                self._suites.add(id(parent))
        for point, _, parent in reversed(self._places):
            if parent is not None and point.group and id(parent) in self._tests and self._is_open(point):
                self._tests.add(id(point))


def _places(outline: Outline) -> Iterator[Place]:
    """Every point with the titles above it and the group it stands in, children first."""
    stack: List[Tuple[Point, Tuple[str, ...], Optional[Point], bool]]
    for root in outline.roots():
        stack = [(root, root.above, None, False)]
        while stack:
            point, path, parent, opened = stack.pop()
            if opened or not point.children:
                yield point, path, parent
                continue
            stack.append((point, path, parent, True))
            inner = path + (point.title,)
            stack.extend((child, inner, point, False) for child in reversed(point.children))


def _match(run: _Run, places: List[Place]) -> Dict[int, Tuple[Point, _Entry]]:
    """The entries of the closing list beside the points that they repeat: both lines carry the
    same title and time."""
    waiting: Dict[Tuple[str, str], List[_Entry]] = {}
    for entry in run.entries:
        waiting.setdefault((entry.title, entry.time), []).append(entry)
    found: Dict[int, Tuple[Point, _Entry]] = {}
    for point, _, _ in places:
        if not point.passed or point.directive:
            entries = waiting.get((point.title, run.times.get(id(point), "")))
            if entries:
                found[id(point)] = (point, entries.pop(0))
    return found


def _is_file(title: str, path: Tuple[str, ...]) -> bool:
    """A file stands as a test for itself where it did not load, ended early or has no tests;
    node 18 also nests the tests of each file, by its absolute path, under it."""
    if path or not title.endswith(_SOURCES):
        return False
    return " " not in title or title.startswith("/") or title[1:3] == ":\\"


def _is_whole(counts: Dict[str, int]) -> bool:
    """True unless the output ends within the closing counts, which begin with "tests" and "pass" and go
    on with "fail" and "cancelled"; a filter may have left some of them out."""
    return "fail" in counts and ("cancelled" in counts or "tests" not in counts)


def _is_node(run: TapRun, told: bool) -> bool:
    """Other runners print TAP too, and so may tests: node gives every point a duration and counts
    what it cancelled; bare points (`| grep ok`) count where nothing else tells (`told`)."""
    if "cancelled" in run.counts:
        return True
    if run.version or run.plan is not None or "tests" in run.counts:
        return any("duration_ms" in point.details for _, point in run.walk())
    return not told
