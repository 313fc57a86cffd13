"""bun test: https://bun.sh/docs/cli/test.

The lines are printed by src/cli/test_command.zig (https://github.com/oven-sh/bun): "(pass)" and
"(fail)", or with colours a tick and a cross, then the describes and the title, how often the test
was tried, and its time unless that was too short. A file's name stands alone above its results.
With more than 20 tests all failures are listed once more at the end. Under a coding agent bun
leaves the passed ones out.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import MOST_TESTS, Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

    # Name, file, whether it passed, its runs; whether the line has a time, whether it stands in the
    # list of failures at the end, and whether these runs came before the one that the line tells of.
    Entry = Tuple[str, Optional[str], bool, int, bool, bool, bool]

PREFIX = "js"

# "(pass) " and "(fail) " without colours, the others with them.
_MARKS = {"(pass) ": True, "(fail) ": False, "\u2713 ": True, "\u2717 ": False}
_SKIPPED = ("(skip) ", "(todo) ", "\u00bb ", "\u270e ")
# "calc > adds (attempt 2) [0.04ms]", "rep (run 3)", "slow [1.20s]"; matched from its last bracket.
_TIME = re.compile(r"\[\d+(?:\.\d+)?m?s\]$")
_TRIED = re.compile(r"\((attempt|run) (\d{1,6})\)$")
# "test/calc.test.ts:", "::group::test/calc.test.ts:", "test/calc.test.ts: (run #2)"
_FILE = re.compile(r"(?:::group::)?(\S[^:]*\.\w+):(?: \(run #\d+\))?$")
# " 9 pass", "2 fail" (without the blank in GitHub Actions), " 1 error"
_COUNT = re.compile(r" ?(\d{1,9}) (pass|fail|skip|todo|errors?|filtered out|snapshots?)$")
_IDLE = (
    "The following filters did not match any test files",
    "No tests found!",
    "error: 0 test files matching",
)


def read(text: str) -> Report:
    """What `bun test` says in an output."""
    reader, before = _Reader(), "-"
    for line in lines(text):
        if line or before:  # several empty lines say what one says
            reader.line(line)
        before = line
    reader.end()
    return reader.report()


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.banner = False
        self.idle = False
        self._fresh()

    def _fresh(self) -> None:
        self.file: Optional[str] = None
        self.entries: List[Entry] = []
        self.counts: Dict[str, int] = {}
        self.bailed = False
        self.again = False
        # The lines of the failures among the entries, by the entry's number.
        self.failures: List[Tuple[int, str]] = []
        self.before = ""
        # True where the line before is bun's own: a print can only follow a print's line.
        self.own = True

    def line(self, line: str) -> None:
        """Take the next line."""
        if not line:
            self.own = True
            return
        first = line[0]
        if first in "(\u2713\u2717\u00bb\u270e" and self._result(line):
            self.own = True
        else:
            self.own = self._other(line, first)
        self.before = line

    def _result(self, line: str) -> bool:
        if line.startswith(_SKIPPED):
            return True
        blank = line.find(" ") + 1
        passed = _MARKS.get(line[:blank])
        if passed is None:
            return False
        name, word, runs, timed = _split(line[blank:].strip())
        if line[0] != "(" and not self.banner and not timed:
            return False  # other tools tick off their steps too
        if self.counts:
            self.end()
        if name and not name.endswith("(unnamed)"):  # a hook of a describe
            if not passed and not self.file:
                self.failures.append((len(self.entries), line))
            self._add(name, passed, word, runs, timed)
        return True

    def _add(self, name: str, passed: bool, word: str, runs: int, timed: bool) -> None:
        if len(self.entries) > 4 * MOST_TESTS:
            return
        # Attempts before a pass failed, repetitions before a failure passed.
        differ = runs > 1 and passed != (word == "run")
        self.entries.append((name, self.file, passed, 1 if differ else runs, timed, self.again, False))
        if differ:
            self.entries.append((name, self.file, not passed, runs - 1, timed, self.again, True))

    def _other(self, line: str, first: str) -> bool:
        """Read what is not a result; True for a line of bun's own."""
        if is_cut(line):
            # The list of failures at the end may have begun in the part that is missing.
            self.file, self.again = None, True
            return True
        if line == "--":  # grep's mark for lines left out, a file's name may be among them
            self.file = None
        if first in " 0123456789":
            return self._number(line) or line.startswith(" --seed=")
        if line.startswith("bun test v"):
            self.end()
            self.banner = True
            return True
        if line.endswith((":", ")")) and self.own and self._header(line):
            return True
        return self._statement(line)

    def _header(self, line: str) -> bool:
        match = _FILE.match(line)
        if match and not line.startswith("error"):
            if self.counts:
                self.end()
            self.file, self.again = match[1], False
        return bool(match)

    def _number(self, line: str) -> bool:
        if line.endswith((" tests failed:", " test failed:")):
            self.again, self.file = True, None
            return True
        if line.startswith("  ^ this test timed out after "):
            self._timeout(self.before)
            return True
        match = _COUNT.match(line) if self.own and len(line) < 40 else None
        if match:
            word = match[2].rstrip("s") if match[2] != "pass" else "pass"
            if word in self.counts:
                self.end()
            self.counts[word] = int(match[1])
        return bool(match)

    def _timeout(self, before: str) -> None:
        """Version 1.2 under a coding agent writes " slow > times out [101.07ms]", without a mark."""
        name, _, _, timed = _split(before.strip())
        if timed and before[0] == " " and name:
            self._add(name, False, "", 1, True)

    def _statement(self, line: str) -> bool:
        if line.startswith("Ran ") and " across " in line:
            self.counts.setdefault("ran", 0)
            return True
        if line.startswith("Bailed out after "):
            self.bailed = True
        elif line.startswith(_IDLE) or (line.startswith("error: regex ") and " matched 0 tests" in line):
            self.idle = True
        return line.startswith("::")

    def end(self) -> None:
        """Close a run: hand its results on, and its summary."""
        self._drop_repeated()
        for entry in self._believed(self._once()):
            part = "tries" if entry[6] else "line"
            self.tally.add(part, entry[0], entry[1], entry[2], entry[3])
        failed = self.counts.get("fail", 0) or self.counts.get("error", 0) or self.bailed
        ran = self.counts.get("pass", 0)
        if "pass" in self.counts and not (failed or ran):
            self.idle = True
        # " 3 fail" follows " 9 pass": without that line the end is missing.
        self.tally.end(FAILED if failed else PASSED if ran and "fail" in self.counts else NONE)
        self._fresh()

    def _drop_repeated(self) -> None:
        """Where a filter left no heading above the list of failures, it repeats the lines before it, times
        and all, and is the last that names tests."""
        half = len(self.failures) // 2
        first, again = self.failures[:half], self.failures[half:]
        if not half or self.again or [text for _, text in first] != [text for _, text in again]:
            return
        if again[0][0] + half == len(self.entries) and any(self.entries[i][4] for i, _ in again):
            del self.entries[-half:]

    def _once(self) -> List[Entry]:
        """The run's results without what its list of failures repeats."""
        seen: Dict[Tuple[str, bool], int] = {}
        out = []
        for entry in self.entries:
            key = entry[0], entry[2]
            if not entry[5]:
                seen[key] = seen.get(key, 0) + 1
                out.append(entry)
            elif seen.get(key):
                seen[key] -= 1
            else:
                out.append(entry)
        return out

    def _believed(self, entries: List[Entry]) -> List[Entry]:
        """Where more results are named than counted, tests have printed some: those without a time if
        that makes the numbers agree; otherwise no result of that outcome can be trusted."""
        for passed, word in ((True, "pass"), (False, "fail")):
            named = [e for e in entries if e[2] == passed and not e[6]]  # bun counts last runs only
            stated = self.counts.get(word)
            if stated is None or len(named) <= stated:
                continue
            timed = [e for e in named if e[4]]
            keep = set(timed) if len(timed) == stated else set()
            entries = [e for e in entries if e[2] != passed or e[6] or e in keep]
        return entries

    def report(self) -> Report:
        report = self.tally.report()
        idle = self.idle and not report.results and report.summary == NONE
        return report._replace(idle=idle)


def _split(rest: str) -> Tuple[str, str, int, bool]:
    """Name, "attempt" or "run" or "", how many, and whether there is a time."""
    start = rest.rfind(" [")
    timed = start >= 0 and bool(_TIME.match(rest, start + 1))
    if timed:
        rest = rest[:start].rstrip()
    start = rest.rfind(" (")
    match = _TRIED.match(rest, start + 1) if start >= 0 else None
    if match is None:
        return rest, "", 1, timed
    return rest[:start].rstrip(), match[1], max(1, int(match[2])), timed
