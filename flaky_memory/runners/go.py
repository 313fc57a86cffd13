"""go test, plain, -v and -json: https://pkg.go.dev/cmd/go#hdr-Test_packages and cmd/test2json."""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple

PREFIX = "go"

# "    --- FAIL: TestX/sub (0.00s)"; the name may itself hold " (0.00s)".
_RESULT = re.compile(r" *--- (FAIL|PASS): (\S.*) \(\d+\.\d+s\)$")
# "ok  \tpkg\t0.01s", "FAIL\tpkg\t0.01s", "FAIL\tpkg [build failed]", "ok  \tpkg\t(cached)"
_PACKAGE = re.compile(r"(ok  |FAIL|---|\?   )\t(\S+)(.*)$")


def read(text: str) -> Report:
    tally = Tally(PREFIX)
    pending: List[Tuple[str, bool]] = []
    for line in lines(text):
        if is_cut(line):
            _settle(tally, pending, None)
        match = _RESULT.match(line)
        if match:
            pending.append((match[2], match[1] == "PASS"))
            continue
        match = _PACKAGE.match(line)
        if match:
            _settle(tally, pending, match[2])
            tally.end({"ok  ": PASSED, "FAIL": FAILED}.get(match[1], "none"))
    _settle(tally, pending, None)
    return tally.report()


def _settle(tally: Tally, pending: List[Tuple[str, bool]], package: str | None) -> None:
    for name, passed in pending:
        tally.add("line", name, package, passed)
    pending.clear()
