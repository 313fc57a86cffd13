"""Python's unittest, plain and -v; also what runs on it, such as Django's test command.

Printed by Lib/unittest/runner.py: https://github.com/python/cpython/blob/main/Lib/unittest/runner.py

    "test_x (tests.test_a.ATest.test_x) ... ok"    (-v; before 3.11 "test_x (tests.test_a.ATest) ... ok")
    "FAIL: test_x (tests.test_a.ATest.test_x)"     below a rule of "=", above its traceback
    "Ran 7 tests in 0.001s", "FAILED (failures=2, errors=1, skipped=1)"

The outcomes go to stderr. What tests print to stdout comes wherever its buffer is flushed, often
behind the closing line, so nothing counts there that no later closing line covers.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional, Tuple

    Entry = Tuple[Optional[str], str]

PREFIX = "unittest"

# "test_x (tests.test_a.ATest.test_x)", "test_x (tests.test_a.ATest)"
_TEST = re.compile(r"(\w[\w.]*) \(([\w.<>]+)\)")
# "Ran 7 tests in 0.001s"
_RAN = re.compile(r"Ran (\d{1,9}) tests? in \d+\.\d+s$")
# "OK", "FAILED (failures=2, errors=1, skipped=1)", "NO TESTS RAN"
_CLOSING = re.compile(r"(OK|FAILED|NO TESTS RAN)(?: \(([a-z ]+=\d+(?:, [a-z ]+=\d+)*)\))?$")
# "..sEFF.", the row without -v
_ROW = re.compile(r"[.sEFxu]+$")

_HEADINGS = ("FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ")
_FIXTURES = {"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"}
_OUTCOMES = {
    "ok": "passed", "FAIL": "failed", "ERROR": "failed", "unexpected success": "failed",
    "expected failure": "none", "skipped": "none",
}  # fmt: skip

# The places of an output: result lines, a heading next, a traceback, behind "Ran", behind the end.
_PROGRESS, _HEADING, _TEXT, _RAN_LINE, _DONE = range(5)


def read(text: str) -> Report:
    """Read an output of unittest, whole or cut."""
    reader = _Reader()
    for line in lines(text):
        if line:
            reader.line(line)
            reader.first = False
    return reader.report()


class _Reader:
    """Follows the places of an output and collects the outcomes of one run."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.first = True
        self.evident = False  # the text begins with a line of unittest, or a closing line came
        self.pure = True  # it holds nothing else, as behind grep
        self.closed = self.ran = self.unfinished = self.behind_cut = False
        self._begin(_PROGRESS)

    def _begin(self, place: int) -> None:
        self.place = place
        self.entries: List[Entry] = []  # test (None: a module that cannot load), outcome
        self.headed: List[str] = []
        self.loose: List[str] = []  # headings without a rule above
        self.candidate: Optional[str] = None  # the last of them, as long as the rule below may come
        self.left = 0
        self.open: Optional[str] = None
        self.maybe = ""
        self.weak: Optional[Tuple[int, Optional[str]]] = None  # an outcome that may have been printed
        self.described: Optional[str] = None  # a test whose docstring comes on the next line
        self.sub = False
        self.rule = self.behind_text = False
        self.count = -1
        self.safe: Optional[int] = None  # how many results stand before a cut

    def line(self, line: str) -> None:
        """Take the next line."""
        rule, self.rule = self.rule, line.startswith("-" * 70) and not line.strip("-")
        self.left -= 1
        if line.startswith("=" * 70) and not line.strip("="):
            self._close_open()
            self.place, self.pure = _HEADING, False
        elif self.place == _HEADING:
            self._heading(line)
        elif rule and self.candidate and self.left > 0 and not line.startswith("Ran "):
            self.headed.append(self.candidate)  # "FAIL: ...", its rule above is cut off
            self.candidate, self.place = None, _TEXT
        elif line.startswith("Ran ") and self._ran(line, rule):
            return
        elif self.place == _RAN_LINE:
            self._closing(line)
        elif line[0] == "." and is_cut(line):
            self._cut()
        elif self.place != _TEXT and not self.rule:
            self._progress(line)

    def _cut(self) -> None:
        self._close_open()
        entries, headed = self.entries, self.headed
        self._begin(_PROGRESS)
        self.entries, self.headed, self.safe = entries, headed, len(entries)
        self.evident = self.unfinished = self.behind_cut = True
        self.pure = False

    # Headings and the closing lines.

    def _heading(self, line: str) -> None:
        self.place = _TEXT
        if line.startswith(_HEADINGS):
            name = _name(_TEST.match(line, line.find(": ") + 2))
            if name:
                self.headed.append(name)

    def _ran(self, line: str, rule: bool) -> bool:
        match = _RAN.match(line)
        if not match or not (rule or self.place == _PROGRESS and self.pure):
            return False
        self._close_open()
        self.place, self.count = _RAN_LINE, int(match[1])
        return True

    def _closing(self, line: str) -> None:
        match = _CLOSING.match(line)
        if match:
            self._end(match[1], match[2] or "")
        else:
            self.place = _PROGRESS

    def _end(self, word: str, details: str) -> None:
        skipped = details.partition("skipped=")[2].partition(",")[0]
        nothing = self.count >= 0 and self.count == int(skipped[:9] or 0) or word == "NO TESTS RAN"
        self._count()
        self.evident = True
        if nothing and word != "FAILED":
            self.tally.idle = True
            self.tally.end()
        else:
            self.ran = True
            self.tally.end(FAILED if word == "FAILED" else PASSED)
        self.closed, self.unfinished = True, False
        self._begin(_DONE)

    # Result lines of -v.

    def _progress(self, line: str) -> None:
        if line.startswith(_HEADINGS) and self.open is None:
            self._loose_heading(line)
        elif self.described is not None and " ... " in line:
            name, self.described = self.described, None
            self._outcome_of(name, line.partition(" ... ")[2], self.sub)
        else:
            self.described = None
            match = _TEST.match(line, 2 if line.startswith("  ") else 0)
            if match is None or not self._result(match, line):
                self._other(line)
                self.behind_cut = False
                return
        self.behind_cut = False
        if self.first:
            self.evident = True

    def _loose_heading(self, line: str) -> None:
        name = _name(_TEST.match(line, line.find(": ") + 2))
        self.candidate, self.left = name, 4
        if name:
            self.loose.append(name)

    def _result(self, match: re.Match[str], line: str) -> bool:
        name, rest = _name(match), line[match.end() :]
        self.sub = line.startswith("  ")
        if self.sub:  # a subtest: "  test_x (tests.test_a.ATest.test_x) [cell] (x=1) ... FAIL"
            outcome = _outcome(rest.rpartition(" ... ")[2])
            if outcome is not None:
                self._outcome_of(name, rest.rpartition(" ... ")[2], True)
            else:
                self.described = name or ""
            return True
        if not rest:
            self.described = name or ""
        elif rest.startswith(" ... "):
            self._outcome_of(name or "", rest[5:], False)
        else:
            return False
        return True

    def _outcome_of(self, name: Optional[str], rest: str, sub: bool) -> None:
        outcome = _outcome(rest)
        if sub:
            if outcome == "failed":
                self.maybe = "failed"
            return
        if self.open is not None and not self.maybe and outcome is not None:
            self.maybe = outcome  # printed: the open test must end first
            return
        self._close_open()
        if outcome is not None:
            self._note(name, outcome)
            return
        self.open, self.maybe, self.weak = name or "", _ending(rest), None
        inner = _TEST.match(rest)
        if inner:  # before 3.11 nothing ends the line of a test whose subtests failed
            self.weak = (len(self.entries), self.open)
            self.open, self.maybe = None, ""
            self._result(inner, rest)

    def _note(self, name: Optional[str], outcome: str) -> None:
        self.entries.append((name or None, outcome))

    def _close_open(self) -> None:
        if self.open is not None and self.maybe:
            self.weak = (len(self.entries), self.open)
            self._note(self.open, self.maybe)
        self.open, self.maybe = None, ""

    def _other(self, line: str) -> None:
        outcome = _outcome(line)
        if outcome is not None:
            self._outcome_alone(line, outcome)
        elif self.open is not None:
            self.maybe = _ending(line) or self.maybe
        elif self.place == _PROGRESS and self.pure and not self.closed and self._bare_closing(line):
            return
        elif not _ROW.match(line):
            self.pure = False
            self.behind_text = self.behind_text or self.behind_cut

    def _outcome_alone(self, line: str, outcome: str) -> None:
        """The outcome of a test that has printed; "ERROR" also of a teardown or a class."""
        if self.open is None and self.weak is not None and line != "ERROR":
            at, self.open = self.weak
            del self.entries[at:]
        if self.open is not None:
            self._note(self.open, outcome)
        self.open, self.maybe, self.weak = None, "", None

    def _bare_closing(self, line: str) -> bool:
        match = _CLOSING.match(line)
        if match and (match[2] or self.first):
            self._end(match[1], match[2] or "")
            self.closed = False
            self._begin(_PROGRESS)
            return True
        return False

    # The end of a run.

    def _count(self) -> None:
        """Count the run, as far as the number of tests that it says to have run bears it out."""
        for name, outcome in self._believed():
            if name and outcome != "none":
                self.tally.add("line", name, None, outcome == "passed")
        loose = self.loose if self.pure and not self.headed else []
        for name in dict.fromkeys(self.headed + loose):
            self.tally.add("heading", name, None, False)
            self.tally.drop(name, None, True)

    def _believed(self) -> List[Entry]:
        entries = list(dict.fromkeys(self.entries))  # a test whose teardown fails too has two lines
        if self.count < 0:
            return [] if self.behind_text else entries
        if self.closed and self.count:
            entries = entries[-self.count :]  # before them stands what the last run printed at its end
        seen = {name for name, _ in entries if name}.union(self.headed)
        seen_all = len(seen) + sum(name is None for name, _ in entries)
        if seen_all > self.count or seen_all < self.count and (self.behind_text or self.closed or not self.evident):
            return []
        return entries

    def report(self) -> Report:
        """Close what is open and sum up."""
        self._close_open()
        if self.evident and not self.closed:
            self.unfinished = self.unfinished or bool(self.entries)
            if self.safe is not None:  # behind a cut without a closing line stand prints only
                self.entries, self.behind_text = self.entries[: self.safe], False
            self._count()
        elif self.headed:
            self.entries = []
            self._count()
        report = self.tally.report()
        if self.unfinished and report.summary == PASSED:
            report = report._replace(summary=NONE)
        return report._replace(idle=report.idle and not self.ran)


def _name(match: Optional[re.Match[str]]) -> Optional[str]:
    """module.Class.method of "method (module.Class.method)" or "method (module.Class)"; None for what
    is no test: fixtures of classes and modules, modules that cannot load."""
    if match is None or match[1] in _FIXTURES or "._FailedTest" in match[2]:
        return None
    return match[2] if match[2].endswith("." + match[1]) else match[2] + "." + match[1]


def _outcome(text: str) -> Optional[str]:
    """What the text behind "... " says of its test; None for printed text."""
    text = text.rstrip()
    if text.startswith(("skipped '", 'skipped "')):
        return "none"
    return _OUTCOMES.get(text)


def _ending(text: str) -> str:
    """The outcome at the end of printed text, "loading... FAIL"."""
    text = text.rstrip()
    if text.endswith(("expected failure", "unexpected success")):
        return "none" if text.endswith("expected failure") else "failed"
    return "passed" if text.endswith("ok") else "failed" if text.endswith(("FAIL", "ERROR")) else ""
