"""cargo nextest: https://nexte.st/docs/reporting/; printed by nextest-runner, reporter/displayer/imp.rs.

    "        PASS [   0.007s] (1/6) shop-core tests::starts"
    "  TRY 1 FAIL [   0.007s] (───) flip tests::flips"           an attempt that is repeated
    "     SIGABRT [   0.004s] (1/3) app tests::b_aborts"
    "     Summary [   0.031s] 3 tests run: 3 passed (2 flaky), 0 skipped"
    "   FLAKY 2/3 [   0.009s] (2/3) flip tests::flips"           below the summary: the attempts again

Versions before 0.9.100 leave "(1/6)" out. Captured output is indented by four columns, or stands
between "--- STDOUT: ... ---" lines in old versions; no such line looks like the above.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple

PREFIX = "cargo"

# What follows the twelve columns of the status: " [   0.007s] ( 1/16) shop-core tests::starts", in a
# stress run " [   0.466s] [1/2] (1/6) app tests::flip".
_REST = re.compile(r" \[[ >]*\d+\.\d+s\] (\[\d+(?:/\d+)?\] )?(?:\( *[^ )]+\) )?(\S+) (\S.*)$")
_COLUMNS = 12

_PASSES = {"PASS", "LEAK", "TIMEOUT-PASS", "TMPASS", "SLOW + LEAK", "SLOW+TMPASS"}
_FAILS = {"FAIL", "TIMEOUT", "ABORT", "LEAK-FAIL", "FAIL + LEAK"}
# Behind "TRY 1" other words than passes and these are failures: FAIL, TMT, SEGV, ABRT, "SIG 40".
_NO_ENDS = {"SLOW", "TRMNTG", "XFAIL", ""}


def read(text: str) -> Report:
    """Read an output of cargo nextest run, whole or cut."""
    reader = _Reader()
    for line in lines(text):
        if line[:1] == " ":
            reader.status(line)
        elif line:
            reader.other(line)
    return reader.report()


class _Reader:
    """Collects the attempts of each test; the list below the summary names some of them again."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.attempts: Dict[Tuple[str, str, Optional[str]], Dict[int, bool]] = {}
        self.summary = NONE
        self.listing = self.running = self.ran = False

    def status(self, line: str) -> None:
        """Take a line that begins with a blank."""
        if line.startswith(" Nextest run "):
            self._end()
            self.running = True
            return
        at = line.find(" [")
        if at < _COLUMNS or line[at - 1] == " ":
            return
        word = line[:at].lstrip()
        if word.rjust(_COLUMNS) != line[:at]:
            return
        if word == "Summary":
            self._summary(line)
            return
        said = _said(word)
        match = _REST.match(line, at) if said else None
        if said and match:
            self._count((match[3], match[2], match[1]), said)

    def _count(self, test: Tuple[str, str, Optional[str]], said: Tuple[int, bool]) -> None:
        attempts = self.attempts.setdefault(test, {})
        last, passed = said
        self.running = self.running or not self.listing
        if self.listing:  # "TRY 3 FAIL" and "FLAKY 3/4" stand for three attempts here
            attempts.update({n: False for n in range(1, last) if n not in attempts})
        attempts[last] = passed

    def _summary(self, line: str) -> None:
        said = line.partition("] ")[2].partition(": ")[2]
        if "passed" not in said:
            return
        if self.listing:
            self._end()
        self.listing, self.running = True, False
        if any(word in said for word in (" failed", " timed out")):
            self.summary = FAILED
        elif not said.startswith("0 passed"):
            self.summary = PASSED
        if self.summary == NONE:
            self.tally.idle = True
        else:
            self.ran = True

    def other(self, line: str) -> None:
        """Take a line that begins with something else."""
        if line.startswith("error: test run failed"):
            self.summary, self.ran, self.running = FAILED, True, False
        elif line.startswith("error: no tests to run"):
            self.tally.idle = True
        elif is_cut(line):
            self.running = True

    def _end(self) -> None:
        for (name, binary, _), attempts in self.attempts.items():
            for passed in attempts.values():
                self.tally.add("run", name, binary, passed)
        self.tally.end(self.summary)
        self.attempts, self.listing, self.summary = {}, False, NONE

    def report(self) -> Report:
        """Close what is open and sum up."""
        self._end()
        report = self.tally.report()
        if self.running and report.summary == PASSED:
            report = report._replace(summary=NONE)  # the last run has no end
        return report._replace(idle=report.idle and not self.ran)


def _said(word: str) -> Optional[Tuple[int, bool]]:
    """(which attempt, whether it passed) of the words of a status that ends an attempt, or None."""
    if word.startswith(("FLAKY ", "FLKY-FL ")):
        number = word.partition(" ")[2].partition("/")[0]
        return (int(number), True) if number.isdigit() and len(number) < 4 else None
    if word.startswith("TRY "):
        number, _, word = word[4:].partition(" ")
        if not number.isdigit() or len(number) > 3 or word in _NO_ENDS:
            return None
        return int(number), word in _PASSES
    if word in _PASSES or word in _FAILS or word.startswith(("SIG", "ABORT SIG ")):
        return 1, word in _PASSES
    return None
