"""mix test (ExUnit), plain and --trace.

Format: https://github.com/elixir-lang/elixir/blob/main/lib/ex_unit/lib/ex_unit/cli_formatter.ex and
formatter.ex beside it.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import MOST_TESTS, Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

PREFIX = "mix"

# "  1) test show/1 shows 5 (TillTest)"
_ENTRY = re.compile(r"  (\d{1,8})\) (\S.* \([^\s()]+\))$")
# "  1) TillTest: failure on setup_all callback, all tests have been invalidated"
_INVALID = re.compile(r"  \d+\) (\S+): failure on setup_all callback")
# "     test/till_test.exs:19", the line below
_PLACE = re.compile(r"     (\S+\.exs?)(:\d+)$")
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
    reader.end_run(NONE)
    return reader.tally.report()


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.before = ""
        self.module: Optional[Tuple[str, str]] = None
        self.traced: Optional[str] = None
        self.passes: List[str] = []
        self.entry: Optional[re.Match[str]] = None
        self.failures: Dict[int, Tuple[str, str]] = {}

    def line(self, line: str) -> None:
        """Read one line."""
        entry, self.entry = self.entry, None
        if entry and line.startswith("     "):
            self.failure(entry, line)
        elif line.startswith("  * "):
            self.trace(line)
        elif line.startswith("  ") and line.endswith((")", "d")):
            self.heading(line)
        elif line.endswith("]") and not self.before:
            self.header(line)
        elif is_cut(line):
            self.module = self.traced = None
            self.passes = []
        else:
            self.closing(line)
        self.before = line

    def heading(self, line: str) -> None:
        """The first line of a numbered block stands below a blank line, or where grep has picked it."""
        if self.before in ("", "--") or self.before.startswith("     "):
            self.entry = _ENTRY.match(line)
            invalid = _INVALID.match(line)
            if invalid and self.module and invalid[1] == self.module[0]:
                self.passes, self.traced = [], None

    def failure(self, entry: re.Match[str], line: str) -> None:
        """The second line of a failure's block says where the test stands. A number that comes
        again replaces what stood there, for that was printed by a test."""
        match = _PLACE.match(line)
        if match:
            self.failures[int(entry[1])] = (entry[2], match[1])
            if len(self.tally.places) < MOST_TESTS:
                self.tally.places[entry[2], match[1]] = match[1] + match[2]
            if self.traced == entry[2]:
                self.traced = None

    def header(self, line: str) -> None:
        match = _MODULE.match(line)
        if match:
            self.end_module()
            self.module = (match[1], match[2])

    def trace(self, line: str) -> None:
        """--trace prints a test twice on one line, when it starts and when it ends; a failure reads
        like a pass until its block follows."""
        self.passed()
        match = _TRACE.match(line[line.rfind("  * ") :])
        if match and self.module:
            self.traced = f"{match[1]} ({self.module[0]})"

    def passed(self) -> None:
        """Something else has followed the traced test, so it did not fail."""
        if self.traced:
            self.passes.append(self.traced)
        self.traced = None

    def end_module(self) -> None:
        """No failure of the module's own setup has taken its passes back."""
        self.passed()
        for name in self.passes:
            if self.module:
                self.tally.add("trace", name, self.module[1], True)
        self.passes, self.module = [], None

    def closing(self, line: str) -> None:
        if line.startswith("Finished in "):
            self.end_module()
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
        self.tally.idle = self.tally.idle or not (failed or ran > 0)
        self.end_module()
        self.end_run(FAILED if failed else PASSED if ran > 0 else NONE)

    def end_run(self, summary: str) -> None:
        """Close a run; where it was cut short, the last traced test has no outcome yet."""
        self.traced = None
        self.end_module()
        for name, scope in self.failures.values():
            self.tally.add("block", name, scope, False)
        self.failures = {}
        self.tally.end(summary)
