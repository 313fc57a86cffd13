"""node-tap: raw TAP, and its base, terse, min, dot and junit reporters.

https://node-tap.org/; the lines are printed by src/reporter of https://github.com/tapjs/tapjs.

Every assertion is a test point here, and so is every file: the tests are what t.test() opens
between the two. The drawing reporters name only failures, each with its last assertion:
"✖ calc > divides evenly > half of seven".
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines
from flaky_memory.runners.formats import JUnit, Tap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple

    from flaky_memory.runners.formats import TapRun

PREFIX = "tap"

# " FAIL  test/calc.test.js 1 failed 1 todo 1 skip of 4 64ms"
_FILE = re.compile(r" (FAIL|PASS|SKIP|TODO|RUNS)  (\S.*?) (?:\d+ (?:OK|failed|todo|skip)\b.*|(?:\d+ms)?)$")
# "✖ calc > div > two test/a.test.js:2:100": while it draws, the place stands in the same line
_PLACE = re.compile(r" \S+:\d+:\d+$")
# "Asserts:  2 pass  1 fail  1 skip  1 todo  3 of 5 complete"
_ASSERTS = re.compile(r"Asserts: +(\d+) pass +(\d+) fail")
# "Suites:   1 pass  0 fail  1 of 2 complete"
_SUITES = re.compile(r"Suites: .* (\d+) of (\d+) complete$")
_SOURCES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx")


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
        self._start()

    def _start(self) -> None:
        self._file: Optional[str] = None
        self._bad = False
        self._failed: Dict[Tuple[str, Optional[str]], None] = {}
        self._drawn: Optional[Tuple[int, int]] = None
        self._waiting = False  # for suites that have not ended

    def feed(self, line: str) -> None:
        if is_cut(line):
            self._file = None
        if self._junit.open or line.startswith("<testsuite"):
            self._junit.feed(line)
        elif line.startswith("✖ "):
            self._failure(line[2:])
        elif line.startswith(" ") and line[1:5] in ("FAIL", "PASS", "SKIP", "TODO", "RUNS"):
            match = _FILE.match(line)
            self._file = match[2] if match else None
            self._bad = self._bad or (match is not None and match[1] == "FAIL")
        elif line.startswith("Asserts: "):
            match = _ASSERTS.match(line)
            if match:
                self._asserts(int(match[1][:9]), int(match[2][:9]))
        elif line.startswith("Suites: "):
            match = _SUITES.match(line)
            self._waiting = match is not None and match[1] != match[2]
        elif line.startswith("# { total: ") and self._drawn is not None:
            self._end(line)
        else:
            self._tap.feed(line)

    def _failure(self, text: str) -> None:
        """The same failure is drawn again and again: it is one."""
        if self._file is None and self._drawn is None:
            return
        path = _PLACE.sub("", text).split(" > ")
        if len(path) > 1:
            self._failed[" > ".join(path[:-1]), self._file] = None

    def _asserts(self, passed: int, failed: int) -> None:
        if self._drawn is not None and passed + failed < sum(self._drawn):
            self._end("")  # it counts from nothing: another run
        self._drawn = (passed, failed)

    def _end(self, counts: str) -> None:
        """The end of a run of a drawing reporter: "# { total: 5, pass: 2, fail: 1 }"."""
        passed, failed = self._drawn or (0, 0)
        for name, file in self._failed:
            self._tally.add("drawn", name, file, False)
        if failed or self._bad or "fail: " in counts:
            self._tally.end(FAILED)
        else:
            passing = (passed and not self._waiting) or "pass: " in counts
            self._tally.end(PASSED if passing else NONE)
        self._start()

    def report(self) -> Report:
        if self._drawn is not None or self._failed:
            self._end("")
        for run in self._tap.close():
            if run.version == 14 or "total" in run.counts or (run.timed and run.grouped):
                self._tap_run(run)
        self._junit.close()
        if any(suite.get("name") == "TAP Tests" for suite in self._junit.suites):
            self._xml()
        return self._tally.report()

    def _tap_run(self, run: TapRun) -> None:
        if any(p.said.startswith(("./", "../")) for p in run.roots()):
            return  # deno names the file in a comment
        for path, point in run.walk():
            if point.directive or not (point.group or point.headed):
                continue
            scope: Optional[str] = point.details.get("fileName")
            titles: Tuple[str, ...] = (*path, point.title)
            if titles[0].endswith(_SOURCES):
                scope, titles = titles[0], titles[1:]
            if titles:
                self._tally.add("tap", " > ".join(titles), scope, point.passed)
        counts = run.counts
        self._tally.end(FAILED if counts.get("fail") else PASSED if counts.get("pass") else NONE)
        self._tally.idle = self._tally.idle or counts.get("total") == 0

    def _xml(self) -> None:
        """Its test cases are assertions: a test has passed when all in it have."""
        tests: Dict[Tuple[Tuple[str, ...], str], bool] = {}
        for case in self._junit.cases:
            if case.outcome == "skipped":
                continue
            path = case.suites[1:]
            for end in range(1, len(path) + 1):
                key = (path[:end], case.suites[0])
                tests[key] = tests.get(key, True) and case.outcome == "passed"
        for (path, file), passed in tests.items():
            self._tally.add("xml", " > ".join(path), file, passed)
        failed = any(case.outcome == "failed" for case in self._junit.cases)
        self._tally.end(FAILED if failed else PASSED if tests else NONE)
