"""Minitest, also below rake and Rails.

Formats: https://github.com/minitest/minitest/blob/master/lib/minitest.rb (ProgressReporter, SummaryReporter)
and https://github.com/rails/rails/blob/main/railties/lib/rails/test_unit/reporter.rb (failures at once).
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Optional

PREFIX = "minitest"

# "  2) Error:" and Rails' "Error:"
_HEADING = re.compile(r"(?:  ?(\d{1,8})\) )?(Failure|Error|Skipped):$")
# "PriceTest#test_with_tax [test/price_test.rb:13]:", "PriceTest#test_raises:"
_NAME = re.compile(r"(\S.*#test_.+?)(?: \[[^\[\]]*:\d+\])?:$")
# "PriceTest#test_raises = 0.00 s = E"; what a test prints may stand in its middle
_END = re.compile(r"(?:^|.* = |.*[^\d.])\d+\.\d\d s = ([.FES])$")
# "8 runs, 7 assertions, 4 failures, 1 errors, 1 skips"
_SUMMARY = re.compile(r"(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips$")


def read(text: str) -> Report:
    """What an output of Minitest says."""
    reader = _Reader()
    for line in lines(text):
        reader.line(line)
    reader.end_run(NONE)
    return reader.tally.report()


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.running: Optional[str] = None
        self.heading: Optional[re.Match[str]] = None
        self.numbered: Dict[int, Optional[str]] = {}
        self.progress = False  # between "# Running:" and "Finished in": what is printed is the tests'

    def line(self, line: str) -> None:
        """Read one line."""
        heading, self.heading = self.heading, None
        if heading:
            self.detail(heading, line)
        elif line.endswith(":"):
            self.open(line)
        elif "#test_" in line and " = " in line:
            self.verbose(line)
        elif line[-4:-1] == " = ":
            self.ended(line)
        elif line.endswith(" skips"):
            self.close(line)
        elif line.startswith("Finished in ") or is_cut(line):
            self.running, self.progress = None, False

    def open(self, line: str) -> None:
        """A heading, "  1) Failure:" at the end of the run or Rails' "Failure:" in its middle."""
        self.progress = self.progress or line == "# Running:"
        match = _HEADING.match(line)
        if match and not self.running and not (match[1] and self.progress):
            self.heading = match

    def detail(self, heading: re.Match[str], line: str) -> None:
        """The line below "1) Failure:" names the test. The last number again replaces what stood
        there, for that was part of a message; so is a number below the last."""
        match = _NAME.match(line) if line.endswith(":") else None
        if not match:
            return
        name = match[1] if heading[2] != "Skipped" else None
        if heading[1]:
            if int(heading[1]) >= max(self.numbered, default=0):
                self.numbered[int(heading[1])] = name
        elif name:
            self.tally.add("detail", name, None, False)

    def verbose(self, line: str) -> None:
        """The name is printed when the test starts, the rest when it ends. Only names of the spec
        style may hold " = "."""
        name, _, _ = line.partition(" = ")
        done = line[-4:-1] == " = " and _END.match(line)
        if done and name.partition("#test_")[2][:4].isdigit():
            name = line[: line.rfind(" = ", 0, -4)]
        self.running = name
        if done:
            self.ended(line)

    def ended(self, line: str) -> None:
        match = _END.match(line) if self.running else None
        if match and self.running:
            if match[1] != "S":
                self.tally.add("line", self.running, None, match[1] == ".")
            self.running = None

    def close(self, line: str) -> None:
        match = _SUMMARY.match(line)
        if not match:
            return
        runs, failures, errors, skips = (int(n[:9]) for n in match.groups())
        failed = failures + errors
        if max(self.numbered, default=0) not in (0, failed, failed + skips):
            return  # a message's
        idle = not failed and runs <= skips
        self.tally.idle = self.tally.idle or idle
        self.end_run(FAILED if failed else NONE if idle else PASSED)

    def end_run(self, summary: str) -> None:
        """Close a run."""
        for name in self.numbered.values():
            if name:
                self.tally.add("detail", name, None, False)
        self.tally.end(summary)
        self.numbered = {}
        self.running, self.progress = None, False
