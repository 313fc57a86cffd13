"""CTest.

Format: https://gitlab.kitware.com/cmake/cmake/-/blob/master/Source/CTest/cmCTestRunTest.cxx (a test's line)
and cmCTestTestHandler.cxx (the closing lines).
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Set, Tuple

PREFIX = "ctest"

# " 2/11 Test  #2: calc.sub ........................***Failed    0.00 sec"; a repeat has no " 2/11"
_RESULT = re.compile(r" *(\d+/\d+ +| +)Test +#(\d+): (\S.*?) \.{3,} *(\S.*)$")
# "      Start  2: calc.sub"
_START = re.compile(r" +Start +(\d+): (\S.*)$")
# "\t  7 - calc.crash (Subprocess aborted)", from CMake 3.29 on with labels behind
_LISTED = re.compile(r"\t *(\d+) - (\S.*) \(([A-Za-z_ ]+)\)(?: {2,}[^()]*)?$")
# "50% tests passed, 5 tests failed out of 10", CMake 4 "..., 5 tests failed out of 10"
_SUMMARY = re.compile(r"\d+% tests passed, (\d+) tests? failed out of (\d+)$")

_UNRUN = ("Not Run", "Disabled", "Skipped", "BAD_COMMAND")


def read(text: str) -> Report:
    """What an output of CTest says."""
    reader = _Reader()
    for line in lines(text):
        reader.line(line)
    reader.end_run()
    return reader.tally.report()


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.start()

    def start(self) -> None:
        """Forget everything about the run before."""
        self.summary: Optional[str] = None
        self.started: Optional[Set[Tuple[str, str]]] = None
        self.passed = self.skipped = 0

    def line(self, line: str) -> None:
        """Read one line."""
        if line[:1] in " 0123456789":
            self.result(line)
        elif line.startswith("\t"):
            self.listed(line)
        elif line.startswith("Test project "):
            self.end_run()
        elif line.startswith("No tests were found!!!"):
            self.tally.idle = True
        elif line == "Errors while running CTest":
            self.summary = FAILED
        elif is_cut(line):
            self.started = None

    def result(self, line: str) -> None:
        if " Start " in line[:40]:
            match = _START.match(line)
            if match:
                self.begin()
                self.started = self.started or set()
                self.started.add((match[1], match[2]))
        elif "Test " in line[:40]:
            self.outcome(_RESULT.match(line))
        elif "% tests passed, " in line[:24]:
            self.counts(_SUMMARY.match(line))

    def begin(self) -> None:
        """A test's line below the closing lines belongs to another run."""
        if self.summary is not None:
            self.end_run()

    def outcome(self, match: Optional[re.Match[str]]) -> None:
        """A test's line, unless its output quotes one: that of a test which was not started."""
        if not match or (self.started is not None and (match[2], match[3]) not in self.started):
            return
        self.begin()
        status = match[4]
        if status.startswith("Passed "):
            self.passed += 1
            self.tally.add("line", match[3], None, True)
        elif "***Skipped" in status or "***Not Run" in status:
            self.skipped += 1
        elif "***" in status:
            self.tally.add("line", match[3], None, False)

    def listed(self, line: str) -> None:
        match = _LISTED.match(line)
        if match and match[3] not in _UNRUN:
            self.tally.add("list", match[2], None, False)

    def counts(self, match: Optional[re.Match[str]]) -> None:
        if not match:
            return
        self.begin()
        failed, total = int(match[1][:9]), int(match[2][:9])
        idle = not failed and (not total or (self.skipped >= total and not self.passed))
        self.tally.idle = self.tally.idle or idle
        self.summary = FAILED if failed else NONE if idle else PASSED

    def end_run(self) -> None:
        self.tally.end(self.summary or NONE)
        self.start()
