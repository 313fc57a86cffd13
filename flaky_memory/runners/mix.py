"""mix test (ExUnit), plain and --trace.

Format: https://github.com/elixir-lang/elixir/blob/main/lib/ex_unit/lib/ex_unit/cli_formatter.ex and
formatter.ex beside it.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Tuple

PREFIX = "mix"

# "  1) test show/1 shows 5 (TillTest)"
_ENTRY = re.compile(r"  \d+\) (\S.* \([^\s()]+\))$")
# "     test/till_test.exs:19", the line below
_PLACE = re.compile(r"     (\S+\.exs?):\d+$")
# "TillTest [test/till_test.exs]" above the tests of a module, with --trace
_MODULE = re.compile(r"(\S+) \[(\S+\.exs?)\]$")
# "  * test bad amount (2.5ms) [L#25]"
_TRACE = re.compile(r"  \* (\S.*) \(\d+(?:\.\d+)?m?s\) \[L#\d+\]$")

_RAN = ("test", "tests", "doctest", "doctests", "property", "properties", "feature", "features")
_RED = ("failure", "failures", "invalid")
_UNRUN = ("skipped", "excluded")
_IDLE = ("There are no tests to run", "No stale tests", "All non-excluded tests have already")


def read(text: str) -> Report:
    """What an output of mix test says."""
    reader = _Reader()
    for line in lines(text):
        reader.line(line)
    return reader.tally.report()


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.module: Optional[Tuple[str, str]] = None
        self.traced: Optional[str] = None
        self.entry: Optional[str] = None

    def line(self, line: str) -> None:
        """Read one line."""
        entry, self.entry = self.entry, None
        if entry and line.startswith("     "):
            self.failure(entry, line)
        elif line.startswith("  * "):
            self.trace(line)
        elif line.startswith("  ") and line.endswith(")"):
            match = _ENTRY.match(line)
            self.entry = match[1] if match else None
        elif line.endswith("]"):
            match = _MODULE.match(line)
            if match:
                self.passed()
                self.module = (match[1], match[2])
        elif is_cut(line):
            self.module = self.traced = None
        else:
            self.closing(line)

    def failure(self, name: str, line: str) -> None:
        """The numbered block of a failure, whose second line says where the test stands."""
        match = _PLACE.match(line)
        if match:
            self.tally.add("block", name, match[1], False)
            if self.traced == name:
                self.traced = None

    def trace(self, line: str) -> None:
        """--trace prints a test twice on one line, when it starts and when it ends; a failure reads
        like a pass until its block follows."""
        self.passed()
        match = _TRACE.match(line[line.rfind("  * ") :])
        if match and self.module:
            self.traced = f"{match[1]} ({self.module[0]})"

    def passed(self) -> None:
        """Something else has followed the traced test, so it did not fail."""
        if self.traced and self.module:
            self.tally.add("trace", self.traced, self.module[1], True)
        self.traced = None

    def closing(self, line: str) -> None:
        if line.startswith("Finished in "):
            self.passed()
        elif line.startswith(_IDLE):
            self.tally.idle = True
        elif line[:1].isdigit() and " failure" in line and len(line) < 200:
            self.summary(line)

    def summary(self, line: str) -> None:
        """ "2 doctests, 8 tests, 5 failures, 1 skipped"."""
        kinds = ran = failed = 0
        for part in line.split(", "):
            number, _, word = part.partition(" ")
            if not number.isdigit() or word not in (*_RAN, *_RED, *_UNRUN):
                return
            count = int(number[:9])
            kinds += word in _RAN
            ran += count if word in _RAN else -count if word in _UNRUN else 0
            failed += count if word in _RED else 0
        if not kinds:
            return
        self.passed()
        self.tally.idle = self.tally.idle or not (failed or ran > 0)
        self.tally.end(FAILED if failed else PASSED if ran > 0 else NONE)
        self.module = None
