"""Playwright Test: the list, line, dot, github, junit and json reporters.

https://playwright.dev/docs/test-reporters; the lines are printed by
packages/playwright/src/reporters/{base,list,line,dot,junit,json}.ts of
https://github.com/microsoft/playwright.

A mark tells how a test went, not whether that was expected: "✘" of test.fail() is right, and so
the closing lists ("2 failed", "1 flaky") decide. A project (browser) makes another test of the
same title, so it goes into the scope: "[chromium]/tests/a.spec.ts".
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines
from flaky_memory.runners.formats import JUnit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

    # project, file, line and column; titles
    Test = Tuple[Tuple[str, str, str], str]

PREFIX = "playwright"

# "  ✘   2 [chromium] › tests/a.spec.ts:4:3 › calc › adds (retry #1) (7ms)"
_RESULT = re.compile(r"  (✓|✘|ok|x )( +)(\d+) (\S.*?)(?: \(retry #\d+\))?(?: \(([\d.]+m?s|[\d.]+[mhd])\))?$")
# "[chromium] › tests/a.spec.ts:4:3 › calc › adds @smoke"
_TEST = re.compile(r"(?:\[([^\]]+)\] › )?(\S[^›]*?):(\d+:\d+) › (.+)$")
# "  1) tests/a.spec.ts:4:3 › calc › adds › a step ─────"
_HEADING = re.compile(r"  (\d+)\) (\S.*)$")
# "  2 failed", "  5 passed (1.9s)", "  2 did not run", "  1 error was not a part of any test, ..."
_COUNT = re.compile(r"  (\d+) (failed|flaky|interrupted|skipped|did not run|passed|errors? w)")
_RUNNING = re.compile(r"Running (\d+) tests? using \d+ workers?")
# " @smoke" after a title: tags are shown but are not part of it
_TAGS = re.compile(r"(?: @[^\s@]+)+$")


def read(text: str) -> Report:
    reader = _Reader()
    for line in lines(text):
        reader.feed(line)
    return reader.report(text)


class _Reader:
    def __init__(self) -> None:
        self._tally = Tally(PREFIX)
        self._junit = JUnit()
        self._blank = False  # the line before is empty
        self._start()

    def _start(self) -> None:
        self._total = 0
        self._shown: Dict[int, Optional[Tuple[Test, bool]]] = {}  # by the number of its line
        self._blocks: List[Tuple[Test, int]] = []  # failures in detail, with their attempts
        self._lists: Dict[str, List[Test]] = {}
        self._counts: Dict[str, int] = {}
        self._list = ""
        self._begun = False  # the closing lists were seen from their first line on

    def feed(self, line: str) -> None:
        self._take(line)
        self._blank = not line

    def _take(self, line: str) -> None:
        if self._junit.open or line.startswith(("<testsuite", "<testcase")):
            self._junit.feed(line)
        elif line.startswith("  "):
            self._indented(line)
        elif line.startswith("Running "):
            match = _RUNNING.match(line)
            if match:
                self._finish()
                self._total = int(match[1][:9])
        elif is_cut(line):
            self._list, self._total, self._begun = "", 0, False
        elif line.startswith("Error: No tests found"):
            self._tally.idle = True

    def _indented(self, line: str) -> None:
        if line.startswith("    "):
            self._deeper(line)
            return
        mark = line[2:4].rstrip()
        if mark in ("✓", "✘", "ok", "x"):
            self._result(line)
        elif line[2:3].isdigit():
            self._numbered(line)

    def _deeper(self, line: str) -> None:
        if self._list:
            test = _test(line[4:])
            if test and line[4] != " ":
                self._lists[self._list].append(test)
        elif line.startswith("    Retry #") and self._blocks:
            test, attempts = self._blocks[-1]
            self._blocks[-1] = (test, attempts + 1)

    def _result(self, line: str) -> None:
        match = _RESULT.match(line)
        test = _test(match[4]) if match else None
        if match is None or test is None:
            return
        if self._counts:
            self._finish()
        number = int(match[3][:9])
        width = len(str(self._total))
        if self._total and len(match[2]) + len(match[3]) - 1 < width + (len(match[1]) == 1):
            return  # a test's print: the numbers are aligned
        passed = match[1] in ("✓", "ok")
        self._shown[number] = None if number in self._shown else (test, passed)

    def _numbered(self, line: str) -> None:
        match = _COUNT.match(line)
        if match:
            self._count(match[2], int(match[1][:9]))
            return
        match = _HEADING.match(line)
        test = _test(match[2]) if match else None
        if test:
            if self._counts:
                self._finish()
            self._list = ""
            self._blocks.append((test, 1))

    def _count(self, word: str, number: int) -> None:
        if word in self._counts or ("passed" in self._counts and not word.startswith("error")):
            self._finish()
        # An empty line stands before the first; a line cut off may have told of failures.
        self._begun = self._begun or (self._blank and not self._counts)
        self._counts[word] = number
        self._list = word if word in ("failed", "flaky", "interrupted") else ""
        if self._list:
            self._lists[word] = []

    def _finish(self) -> None:
        """A run's end: what the lines say of each test in the light of the closing lists."""
        failed, flaky = set(self._lists.get("failed", ())), set(self._lists.get("flaky", ()))
        stopped = set(self._lists.get("interrupted", ()))
        for entry in self._shown.values():
            if entry is None or entry[0] in stopped:
                continue
            test, passed = entry
            if test not in flaky:
                passed = test not in failed and (passed or self._is_whole())
            self._add("line", test, passed)
        known = {test for entry in self._shown.values() if entry for test in entry[:1]} | failed | flaky
        for test, attempts in self._blocks:
            test = _without_step(test, known)
            if test not in stopped:
                self._add("block", test, False, attempts)
        for test in self._lists.get("failed", ()):
            self._add("list", test, False)
        for test in self._lists.get("flaky", ()):
            self._add("list", test, False)
            self._add("list", test, True)
        self._tally.end(self._summary())
        self._start()

    def _is_whole(self) -> bool:
        """True when the closing lists are there from their beginning to their end ("5 passed")."""
        listed = all(self._counts.get(word) == len(tests) for word, tests in self._lists.items())
        return self._begun and listed and "passed" in self._counts

    def _add(self, part: str, test: Test, passed: bool, runs: int = 1) -> None:
        (project, file, _), title = test
        scope = f"[{project}]/{file}" if project else file
        self._tally.add(part, title, scope, passed, runs)

    def _summary(self) -> str:
        counts = self._counts
        if any(word in counts for word in ("failed", "interrupted", "error w", "errors w")):
            return FAILED
        if counts.get("passed") or counts.get("flaky"):
            return PASSED if self._begun else NONE
        if counts.get("skipped"):
            self._tally.idle = True
        return NONE

    def report(self, text: str) -> Report:
        self._finish()
        self._xml()
        start = text.find('{\n  "config": {')
        if start >= 0:
            self._json(text, start)
        return self._tally.report()

    def _xml(self) -> None:
        cases, ours = self._junit.close(), False
        for case in cases:
            file, title = case.attributes.get("classname"), case.attributes.get("name")
            if not title or case.suites[-1:] != (file,) or "col" in case.attributes:
                continue
            ours = True
            if case.outcome != "skipped":
                self._tally.add("xml", title.replace(" › ", " > "), file, case.outcome == "passed")
        if ours:
            failed = any(s.get("failures", "").strip("0") or s.get("errors", "").strip("0") for s in self._junit.suites)
            self._tally.end(FAILED if failed else PASSED if self._tally.open else NONE)

    def _json(self, text: str, start: int) -> None:
        import json

        try:
            found, _ = json.JSONDecoder().raw_decode(text, start)
            stats = found["stats"]
            for suite in found["suites"]:
                self._json_suite(suite, ())
            self._tally.end(FAILED if stats["unexpected"] else PASSED if stats["expected"] else NONE)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return

    def _json_suite(self, suite: Dict[str, Any], path: Tuple[str, ...]) -> None:
        for spec in suite.get("specs", ()):
            title = " > ".join((*path, spec["title"])).replace(" › ", " > ")
            for test in spec["tests"]:
                project = test.get("projectName") or ""
                for result in test["results"]:
                    if result["status"] in ("passed", "failed", "timedOut"):
                        passed = result["status"] == test["expectedStatus"]
                        self._add("json", ((project, spec["file"], ""), title), passed)
        for inner in suite.get("suites", ()):
            self._json_suite(inner, (*path, inner["title"]))


def _test(text: str) -> Optional[Test]:
    """ "[chromium] › tests/a.spec.ts:4:3 › calc › adds @smoke ────"; lists pad with the line."""
    text = text.rstrip("─").rstrip()
    match = _TEST.match(text)
    if match is None:
        return None
    title = match[4] if " @" not in match[4] else _TAGS.sub("", match[4]) or match[4]
    return (match[1] or "", match[2], match[3]), title.replace(" › ", " > ")


def _without_step(test: Test, known: set[Test]) -> Test:
    """A failure's heading adds the step that failed to the test's name."""
    place, title = test
    while (place, title) not in known and " > " in title:
        title = title.rpartition(" > ")[0]
    return (place, title) if (place, title) in known else test
