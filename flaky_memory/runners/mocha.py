"""mocha: spec and the reporters that end with its list of failures (dot, min, nyan, landing,
progress, list), and tap, xunit, json and json-stream.

https://mochajs.org/#reporters; the lines are printed by lib/reporters/{base,spec,list,tap,xunit,
json,json-stream}.js of https://github.com/mochajs/mocha.

A failure stands in the tree as "1) title" and again in the list at the end, where "1)" is
followed by the titles above it, each on a line of its own: the number ties the two together,
and the list knows the whole name.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines
from flaky_memory.runners.formats import JUnit, Tap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

PREFIX = "mocha"

# "    ✔ caps a value above the range (91ms)"; "✓" until version 9, "√" on Windows
_PASS = re.compile(r"( *)[✔✓√] (.+?)(?: \(\d+ms\))?$")
# "    2) keep their order"
_FAIL = re.compile(r"( *)(\d+)\) (\S.*)$")
# "  8 passing (105ms)", "  2 failing", "  2 pending"
_COUNT = re.compile(r"  (\d+) (passing|failing|pending)(?: \([\d.]+ ?[a-z]+\))?$")
# Names as other runners end or part them: "adds (0.58ms)" (node), "adds (5 ms)" (jest), "adds 5ms"
# (vitest), "calc › adds" (ava, playwright)
_FOREIGN = re.compile(r"\d\.\d+ms\)|\d ms\)$|\dms$| › ")
_FOREIGN_LINES = ("PASS ", "FAIL ", " RUN  v", "▶ ", "ℹ ", "bun test v", "Running ", "TAP version ")
_MARKS = "✔✓√0123456789"
_OUTSIDE = "Uncaught error outside test suite"


def read(text: str) -> Report:
    reader = _Reader()
    for line in lines(text):
        reader.feed(line)
    return reader.report(text)


class _Reader:
    def __init__(self) -> None:
        self._tally = Tally(PREFIX)
        self._tap = Tap()
        self._junit = JUnit()
        self._blank = 0
        self._detail: Optional[Tuple[int, List[str]]] = None  # a number and titles of the list
        self._elsewhere = False  # tests are named in a format that is no tree
        self._foreign = False  # a line of another runner was seen
        self._told = False  # a run has ended with counts or a list of failures
        self._start()

    def _start(self) -> None:
        """A run begins: its tree, then its counts, then its list of failures."""
        self._suites: List[Tuple[int, str]] = []
        self._passes: List[str] = []
        self._outermost: List[str] = []  # passes without any indent
        self._failures: Dict[int, str] = {}
        self._newest = 0  # number of the last failure in the tree
        self._listed: Dict[int, str] = {}
        self._head_number = 0  # of the last entry of the list
        self._count: Dict[str, int] = {}
        self._top_open = False
        self._torn = False  # the counts may go on in what was cut away: failures are the last
        self._rooted = False  # a failure stands as far out as other runners number theirs

    def feed(self, line: str) -> None:
        if is_cut(line):
            self._suites, self._top_open, self._detail = [], False, None
            self._torn = self._torn or (bool(self._count) and not self._blank)
        if self._junit.open:
            self._junit.feed(line)
            return
        if line.startswith(_FOREIGN_LINES):
            self._foreign = True
        if self._detail is not None and self._in_detail(line):
            return
        if not line:
            self._blank += 1
            self._top_open = False
            return
        blank, self._blank = self._blank, 0
        if "\r" in line:
            self._progress_line(line[line.rfind("\r") + 1 :])
        elif line[0] == " ":
            self._indented(line, blank)
        elif line[0] in "<on[#1T":
            self._other_format(line)
        elif line[0] in "✔✓√":
            self._tree_line(line, blank)

    def _other_format(self, line: str) -> None:
        if line.startswith('["') and line.endswith("]"):
            self._stream(line)
        elif not self._tap.feed(line):
            self._junit.feed(line)

    def _indented(self, line: str, blank: int) -> None:
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if indent == 2 and text[:1].isdigit() and self._head(line, text, blank):
            return
        if text[:1].isdigit() and self._counts(line):
            return
        if not self._in_list(blank):
            self._tree_line(line, blank)

    def _counts(self, line: str) -> bool:
        match = _COUNT.match(line)
        if match is None:
            return False
        number, word = int(match[1][:9]), match[2]
        if word == "passing":
            if self._unlisted():
                return True  # an error's text; the list is not at its end yet
            if "passing" in self._count:
                self._finish()
        if word == "passing" or "passing" in self._count or not self._listed:
            self._count.setdefault(word, number)
        return True

    def _unlisted(self) -> bool:
        """True while the list at the end still owes failures whose errors it shows."""
        return 0 < self._head_number < self._count.get("failing", 0)

    def _in_list(self, blank: int) -> bool:
        """True for the lines of errors; the next run's tree follows two empty lines, or comes
        at once where a filter left no errors."""
        if not self._head_number:
            return False
        return self._unlisted() or (bool(self._listed) and blank < 2)

    def _head(self, line: str, text: str, blank: int) -> bool:
        """ "  2) User": the head of an entry of the list, or a failure in the tree."""
        match = _FAIL.match(line)
        if match is None:
            return False
        number = int(match[2][:9])
        known = self._head_number
        expected = known + 1 if known or "passing" in self._count else number
        if number != expected:
            if blank < 2 or not known or self._unlisted():
                return bool(known or self._count)
            self._finish()
        self._detail = (number, [match[3]])
        return True

    def _in_detail(self, line: str) -> bool:
        """The titles of an entry stand one to a line, each two deeper, the last with a colon."""
        number, titles = self._detail or (0, [])
        text = line.lstrip(" ")
        if text and len(line) - len(text) == 5 + 2 * len(titles):
            titles.append(text)
            return True
        self._detail = None
        if self._count or len(titles) > 1:
            self._head_number = number
        if titles[-1].endswith(":") and (len(titles) > 1 or self._count or self._is_error(line)):
            titles[-1] = titles[-1][:-1]
            self._listed[number] = " > ".join(titles)
            self._head_number = number
        elif len(titles) > 1:
            self._failures.pop(number, None)  # a title with a line break
        elif not self._count and not self._listed:
            self._tree_line(f"  {number}) {titles[0]}", 0)
        return False

    def _is_error(self, line: str) -> bool:
        """True when a line after "  1) title:" can begin an error rather than go on with a tree."""
        return line.startswith("     ") or (not line and not self._failures and not self._passes)

    def _tree_line(self, line: str, blank: int) -> None:
        text = line.lstrip(" ")
        if text[:1] in _MARKS:
            match = _PASS.match(line)
            failed = None if match else _FAIL.match(line)
            if match or failed:
                self._outcome(len(line) - len(text), match, failed)
                return
        if line[0] == " " and not text.startswith("- "):
            self._suite(len(line) - len(text), text, blank)

    def _suite(self, indent: int, title: str, blank: int) -> None:
        """A suite's line stands two deeper than its parent's; an outermost one comes only after
        the empty line that ends the one before it. Anything else a test has printed."""
        if self._count and blank < 2:
            return
        if self._count:
            self._finish()
        if indent % 2 or (indent == 2 and self._top_open):
            return
        if indent > 2 and self._suites and not any(level == indent - 2 for level, _ in self._suites):
            return
        self._top_open = self._top_open or indent == 2
        while self._suites and self._suites[-1][0] >= indent:
            self._suites.pop()
        self._suites.append((indent, title))

    def _outcome(self, indent: int, passed: Optional[re.Match[str]], failed: Optional[re.Match[str]]) -> None:
        if self._count:
            self._finish()
        if passed and not indent:
            self._outermost.append(passed[2])
        if indent < 2 or (indent == 2 and self._top_open):
            return
        while self._suites and self._suites[-1][0] >= indent:
            self._suites.pop()
        if self._suites and self._suites[-1][0] != indent - 2:
            return
        path = [title for _, title in self._suites]
        if passed:
            self._passes.append(" > ".join([*path, passed[2]]))
        elif failed:
            self._failure(int(failed[2][:9]), " > ".join([*path, failed[3]]), indent)

    def _failure(self, number: int, name: str, indent: int) -> None:
        """Failures are numbered in order; another number was printed by a test."""
        if not self._failures or number == self._newest + 1:
            self._failures[number] = name
            self._newest = number
            self._rooted = self._rooted or indent == 2

    def _progress_line(self, line: str) -> None:
        """The list reporter: "    calc adds: " and, over it, "  ✔ calc adds: 0ms"."""
        passed = _PASS.match(line)
        failed = _FAIL.match(line)
        if passed:
            title, _, time = passed[2].rpartition(": ")
            if time.endswith("ms"):
                self._passes.append(title)
        elif failed:
            self._failure(int(failed[2][:9]), failed[3], 2)

    def _finish(self) -> None:
        """A run's end: a failure by its name in the list, else in the tree."""
        outermost = self._outermost
        if not (self._passes or self._failures) and len(outermost) == self._count.get("passing", len(outermost)):
            self._passes = outermost  # a filter took the indents away; elsewhere tests print such lines
        if not self._count and not self._listed and not self._is_tree():
            self._start()
            return
        self._told = self._told or bool(self._count or self._listed)
        for name in self._passes:
            self._tally.add("run", name, None, True)
        for number in sorted({*self._failures, *self._listed}):
            name = self._listed.get(number) or self._failures[number]
            if number <= self._count.get("failing", number) and not name.startswith(_OUTSIDE):
                self._tally.add("run", name, None, False)
        passing, failing = self._count.get("passing", 0), self._count.get("failing", 0)
        if self._count and not passing and not failing:
            self._tally.idle = True
        self._tally.end(FAILED if failing else PASSED if passing and not self._torn else NONE)
        self._start()

    def _is_tree(self) -> bool:
        """Marks alone, without counts, may be another runner's, or stand in an error's text."""
        if self._elsewhere or self._foreign or any(_FOREIGN.search(name) for name in self._passes):
            return False
        return bool(self._passes) or not self._rooted

    def _stream(self, line: str) -> None:
        """json-stream: ["pass",{"title":"adds","fullTitle":"calc adds","file":"..."}]."""
        import json

        try:
            event, data = json.loads(line)
        except (ValueError, TypeError, RecursionError):
            return
        if isinstance(data, dict) and event in ("pass", "fail"):
            self._add_json("stream", data, event == "pass")
        elif isinstance(data, dict) and event == "end":
            self._end_json(data)

    def _add_json(self, part: str, test: Dict[str, Any], passed: bool) -> None:
        name, scope = test.get("fullTitle"), test.get("file")
        if isinstance(name, str):
            self._elsewhere = True
            self._tally.add(part, name, scope if isinstance(scope, str) else None, passed)

    def _end_json(self, stats: Dict[str, Any]) -> None:
        failed, passed = stats.get("failures"), stats.get("passes")
        self._tally.idle = self._tally.idle or (failed == 0 and passed == 0)
        self._tally.end(FAILED if failed else PASSED if passed else NONE)

    def _json(self, text: str) -> None:
        """The json reporter: one object with "stats", "passes" and "failures"."""
        start = text.find('{\n  "stats": {')
        if start < 0:
            return
        import json

        try:
            found, _ = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        for key in ("passes", "failures"):
            tests = found.get(key)
            for test in tests if isinstance(tests, list) else ():
                if isinstance(test, dict):
                    self._add_json("json", test, key == "passes")
        if isinstance(found.get("stats"), dict):
            self._end_json(found["stats"])

    def report(self, text: str) -> Report:
        if self._detail is not None:
            self._in_detail("")
        self._json(text)
        runs = self._tap.close()
        self._elsewhere = self._elsewhere or bool(runs or self._junit.cases)
        self._finish()
        for run in runs:
            if not run.dashed and not run.grouped and not self._told:
                for _, point in run.walk():
                    if not point.directive:
                        self._tally.add("tap", point.title, None, point.passed)
                failed = run.counts.get("fail")  # "# fail 3" follows "# pass 9"
                passed = run.counts.get("pass") and failed is not None
                self._tally.end(FAILED if failed else PASSED if passed else NONE)
        self._xunit()
        if "Error: No test files found" in text:
            self._tally.idle = True
        return self._tally.report()

    def _xunit(self) -> None:
        cases, suites = self._junit.close(), self._junit.suites
        for case in cases:
            first = next(iter(case.attributes), "")
            if first != "classname" or case.outcome == "skipped":
                continue
            path = [case.attributes["classname"]] if case.attributes["classname"] else []
            name = " > ".join([*path, case.attributes.get("name", "")])
            self._tally.add("xml", name, case.attributes.get("file"), case.outcome == "passed")
        mine = [s for s in suites if "errors" in s and "timestamp" in s and "hostname" not in s]
        if mine:
            failed = any(s["errors"].strip("0") or s.get("failures", "").strip("0") for s in mine)
            self._tally.end(FAILED if failed else PASSED if self._tally.open else NONE)
