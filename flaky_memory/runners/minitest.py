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
    reader.end_run(NONE, None)
    return reader.tally.report()


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.running: Optional[str] = None
        self.heading: Optional[re.Match[str]] = None
        self.numbered: Dict[int, Optional[str]] = {}

    def line(self, line: str) -> None:
        """Read one line."""
        heading, self.heading = self.heading, None
        if heading:
            self.detail(heading, line)
        elif line.endswith(":"):
            self.heading = _HEADING.match(line)
        elif "#test_" in line and " = " in line:
            self.verbose(line)
        elif line[-4:-1] == " = ":
            self.ended(line)
        elif line.endswith(" skips"):
            self.close(line)
        elif is_cut(line):
            self.running = None

    def detail(self, heading: re.Match[str], line: str) -> None:
        """The line below "1) Failure:" names the test. A number that comes again replaces what
        stood there, for that was a message's."""
        match = _NAME.match(line)
        if not match:
            return
        name = match[1] if heading[2] != "Skipped" else None
        if heading[1]:
            self.numbered[int(heading[1])] = name
        elif name:
            self.tally.add("detail", name, None, False)

    def verbose(self, line: str) -> None:
        """The name is printed when the test starts, the rest when it ends."""
        name, _, rest = line.partition(" = ")
        if line[-4:-1] == " = " and _END.match(line):
            name = line[: line.rfind(" = ", 0, -4)] if rest.count(" = ") == 1 else name
            self.running = name
            self.ended(line)
        else:
            self.running = name

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
        idle = not failed and runs <= skips
        self.tally.idle = self.tally.idle or idle
        self.end_run(FAILED if failed else NONE if idle else PASSED, failed + skips)

    def end_run(self, summary: str, details: Optional[int]) -> None:
        """Close a run; it has no more numbered details than its last line says."""
        for number, name in self.numbered.items():
            if name and (details is None or number <= details):
                self.tally.add("detail", name, None, False)
        self.tally.end(summary)
        self.numbered = {}
        self.running = None
