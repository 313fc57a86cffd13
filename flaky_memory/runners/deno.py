"""deno test: the pretty, dot, tap and junit reporters.

https://docs.deno.com/runtime/reference/cli/test/; the lines are printed by
cli/tools/test/reporters/{pretty,common,dot,tap,junit}.rs of https://github.com/denoland/deno.

Steps are named "test > step". Deno joins their names by " ... " in its lists of failures, and a
name may hold " ... " itself: the result lines of the same output settle which is which. With
--parallel each result is a line "./tests/calc_test.ts => test ... step ... ok (1ms)".
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines
from flaky_memory.runners.formats import JUnit, Outline, Point, Tap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

    from flaky_memory.runners.formats import TapRun

PREFIX = "deno"

# "  upper end ... FAILED (due to 1 failed step) (3ms)", "adds ... ok (463µs)"
_RESULT = re.compile(r"(\S.*) \.\.\. (ok|FAILED|ignored|cancelled)( \(due to [^()]*\))? \((\d+[\dµmsh]*)\)$")
# "ok | 1 passed | 0 failed | 4 filtered out (63ms)"
_SUMMARY = re.compile(r"(ok|FAILED) \| (\d+) passed( \(\d+ steps?\))? \| (\d+) failed")
# "running 5 tests from ./tests/calc_test.ts"
_RUNNING = re.compile(r"running (\d+) tests? from (.+)$")
# "1 test step failed.": the error of a test or step whose own code did not fail
_STEPS = re.compile(r"\d+ test steps? failed")


def read(text: str) -> Report:
    reader = _Reader()
    for line in lines(text):
        reader.feed(line)
    return reader.report()


class _Reader:
    def __init__(self) -> None:
        self._tally = Tally(PREFIX)
        self._tap = Tap()
        self._junit = JUnit()
        self._said: List[str] = []
        self._line = ""
        self._printing = False  # inside what a test has printed
        self._start()

    def _start(self) -> None:
        self._outline = Outline()
        self._scope: Optional[str] = None
        self._names: Dict[str, str] = {}  # as the lists join a name: as it is given
        self._errors: List[Tuple[str, str]] = []
        self._entries: List[Tuple[str, str]] = []  # of the list that stands at the end
        self._entry: Optional[Tuple[str, str]] = None
        self._listed: set[str] = set()  # the lines of that list
        self._listing = False
        self._in_errors = False

    def feed(self, line: str) -> None:
        if is_cut(line):
            self._cut(line)
        elif self._printing:
            self._printing = not line.endswith("output end -----")
        else:
            self._take(line)

    def _cut(self, line: str) -> None:
        """Lines are missing here: the state before holds no longer."""
        self._printing = self._listing = self._in_errors = False
        self._scope = self._entry = None
        self._outline.cut()
        self._tap.feed(line)
        self._junit.feed(line)

    def _take(self, line: str) -> None:
        if self._entry is not None:
            self._settle_entry(line)
        if self._tap.feed(line) or self._junit.feed(line):
            return
        if line.startswith("------- ") and line.endswith("output -------"):
            self._printing = True
        elif " ... retrying (attempt " in line:
            self._retry(line)
        elif line.endswith(")"):
            self._closing(line)
        elif line.endswith(" ..."):
            text = line[:-4].lstrip(" ")
            self._outline.heading(len(line) - 4 - len(text), text)
        elif line.startswith("running "):
            self._running(line)
        else:
            self._other(line)

    def _running(self, line: str) -> None:
        match = _RUNNING.match(line)
        if match:
            self._file_done()
            self._scope = match[2]

    def _retry(self, line: str) -> None:
        """ "flaky ... retrying (attempt 1 failed) (Uncaught Error: x)": --retry shows each attempt."""
        if not self._in_errors and line[:1] != " ":
            self._tally.add("line", line.partition(" ... retrying (attempt ")[0], self._scope, False)

    def _other(self, line: str) -> None:
        if line == "error: Test failed":
            self._said.append(FAILED)
        elif line.startswith("error: No test modules found"):
            self._tally.idle = True
        elif line in (" ERRORS ", " ERRORS"):
            self._in_errors = True
        elif line in (" FAILURES ", " FAILURES"):
            self._listing, self._in_errors = True, False
        elif " => " in line and line[:1] != " ":
            name, _, place = line.rpartition(" => ")
            file, _, at = place.rpartition(":")
            file, _, row = file.rpartition(":")
            if name and file and at.isdigit() and row.isdigit():
                self._entry, self._line = (name, file), line

    def _settle_entry(self, line: str) -> None:
        """ "name => file:1:2" stands above its error, and in the list at the end, where another
        or an empty line follows; in the middle of an error's text it is nothing."""
        entry, self._entry = self._entry, None
        if entry is None:
            return
        if line.startswith("error: "):
            self._errors.append(entry)
        elif not self._in_errors and (not line or " => " in line or line.endswith(" (uncaught error)")):
            if self._line not in self._listed:  # a filter leaves the errors' heads like another list
                self._entries.append(entry)
            self._listed.add(self._line)

    def _closing(self, line: str) -> None:
        """Lines that end with a duration: a result, or the run's summary."""
        if self._in_errors:
            return
        text = line.lstrip(" ")
        match = _RESULT.match(text)
        if match and _is_path(text) and " => " in match[1]:
            file, _, name = match[1].partition(" => ")
            if match[2] in ("ok", "FAILED"):
                self._tally.add("line", name.replace(" ... ", " > "), file, match[2] == "ok")
            return
        if match:
            point = Point(match[1], match[2] == "ok", "", len(line) - len(text))
            point.directive = "" if match[2] in ("ok", "FAILED") else "SKIP"
            self._outline.add(point)
            return
        match = _SUMMARY.match(line)
        if match:
            self._end(match[1], int(match[2][:9]), int(match[4][:9]), bool(match[3]))

    def _file_done(self) -> None:
        for path, point in self._outline.walk():
            name = " > ".join((*path, point.title))
            self._names[" ... ".join((*path, point.title))] = name
            if not point.directive and "\\n" not in name:  # an escaped line break: not its name
                self._tally.add("line", name, self._scope, point.passed)
        self._outline = Outline()

    def _add_lists(self, whole: bool) -> None:
        """The failures as the lists name them; without its end a list may be a text's excerpt."""
        self._file_done()
        for part, entries in (("errors", self._errors), ("list", self._entries)):
            if part == "errors" or whole or self._listing:
                for name, file in entries:
                    self._tally.add(part, self._names.get(name, name.replace(" ... ", " > ")), file, False)

    def _end(self, word: str, passed: int, failed: int, steps: bool) -> None:
        self._add_lists(whole=True)
        ran = bool(passed or failed or steps)
        self._tally.idle = self._tally.idle or (word == "ok" and not ran)
        self._tally.end(FAILED if word == "FAILED" else PASSED if ran else NONE)
        self._start()

    def report(self) -> Report:
        if self._entry is not None:
            self._settle_entry("")
        self._add_lists(whole=False)
        self._tally.end()
        for run in self._tap.close():
            if run.version == 14 and any(_is_path(point.said) for point in run.roots()):
                self._tap_run(run)
        self._xml()
        if self._said:
            self._tally.end(FAILED)
        return self._tally.report()

    def _tap_run(self, run: TapRun) -> None:
        for point in run.roots():
            scope = point.said if _is_path(point.said) else None
            for path, step in _steps(point):
                if not step.directive:
                    self._tally.add("tap", " > ".join((*path, step.title)), scope, step.passed)
        self._tally.end()

    def _xml(self) -> None:
        cases, ours = self._junit.close(), False
        for case in cases:
            if "line" in case.attributes and "col" in case.attributes:
                ours = True
                if case.outcome != "skipped":
                    scope = case.attributes.get("classname")
                    self._tally.add("xml", case.attributes.get("name", ""), scope, case.outcome == "passed")
        if ours and self._junit.suites:
            failed = any(s.get("failures", "").strip("0") for s in self._junit.suites)
            self._tally.end(FAILED if failed else PASSED if self._tally.open else NONE)


def _is_path(said: str) -> bool:
    """The tap reporter writes "# ./tests/calc_test.ts" above the tests of a file."""
    return said.startswith(("./", "../", "/", "file:"))


def _steps(test: Point) -> List[Tuple[Tuple[str, ...], Point]]:
    """A test and its steps with the names above them. The tap reporter writes steps of all depths
    in one row, each after its own: only "2 test steps failed." tells of a failed one that the
    last two failures are its own, and of the passes before it nothing tells whose they are."""
    above: Dict[int, Tuple[str, ...]] = {id(step): (test.title,) for step in test.children}
    failed: List[Point] = []
    unsure: set[int] = set()
    for at, step in enumerate(test.children):
        message = step.details.get("json", "")[12:40]
        if not step.passed and _STEPS.match(message):
            own = failed[-int(message.split()[0][:9]) :]
            del failed[len(failed) - len(own) :]
            unsure.update(id(s) for s in test.children[:at] if s.passed)
            _put_below(step, own, test.children[:at], above)
        if not step.passed:
            failed.append(step)
    known = [(above[id(s)], s) for s in test.children if id(s) not in unsure]
    return [*known, (test.above, test)]


def _put_below(step: Point, own: List[Point], before: List[Point], above: Dict[int, Tuple[str, ...]]) -> None:
    """Move failed steps, and what is already below them, under the step that they failed."""
    names = {above[id(s)] + (s.title,) for s in own}
    for other in before:
        inside = any(above[id(other)][: len(name)] == name for name in names)
        if other in own or inside:
            above[id(other)] = (above[id(other)][0], step.title, *above[id(other)][1:])
