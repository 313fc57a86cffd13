"""AVA: the default reporter and --tap.

https://github.com/avajs/ava/blob/main/docs/01-writing-tests.md; the lines are printed by
lib/reporters/{default,tap}.js of https://github.com/avajs/ava, TAP through supertap.

With several files each title is preceded by its file's stem ("calc › divides evenly"), which is
the scope. A failure's line goes on with its error's message, and a test may print such a line
itself: the closing section, which shows each failure below its bare title, decides on both.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines
from flaky_memory.runners.formats import Tap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

    from flaky_memory.runners.formats import TapRun

PREFIX = "ava"

# "  ✘ [fail]: calc › divides evenly", "  ✔ [expected fail] calc › has a known bug", "  ✔ calc › logs"
_RESULT = re.compile(r"  ([✔√✘✖×]) (?:\[(expected fail|fail|unexpected pass)\]:? )?(\S.*)$")
# " (304ms)", " (1.2s)", " (1m 2.5s)": shown from 100 ms on
_TIME = re.compile(r" \((?:\d{3}ms|(?:\d+m )?[\d.]+s|\d+m)\)$")
# "  2 tests failed", "  6 tests passed", "  1 uncaught exception", "  2 hooks failed"
_COUNT = re.compile(
    r"  (\d+) (?:(tests?|hooks?|known failures?) ?(passed|failed|skipped|todo|remaining)?"
    r"|(uncaught exceptions?|unhandled rejections?))"
)
# "h › afterEach hook for three", "h › beforeEach.always hook for two", "before hook"
_HOOK = re.compile(r"(before|after)(Each)?(?:\.always)? hook(?: for (.+))?$")
# What the reporter itself says after the title of a failed test.
_MESSAGES = (
    " Error thrown in test",
    " Test finished without running any assertions",
    " Test was expected to fail, but succeeded, you should stop marking the test as failing",
    " Rejected promise returned by test",
    " Promise returned by test never resolved",
    " Test timeout exceeded",
)
_RULE = "  ─"


def read(text: str) -> Report:
    reader = _Reader()
    for line in lines(text):
        reader.feed(line)
    return reader.report()


class _Reader:
    def __init__(self) -> None:
        self._tally = Tally(PREFIX)
        self._tap = Tap()
        self._start()

    def _start(self) -> None:
        self._shown: List[Tuple[str, bool, bool]] = []  # text, passed, expected to fail
        self._titles: List[str] = []  # of the closing section
        self._counts: Dict[str, int] = {}
        self._begun = self._torn = False  # the counts are there from their first line on; they may go on
        self._rules = 0
        self._ruled = False  # the first rule was just read
        self._blank = 0
        self._title = ""

    def feed(self, line: str) -> None:
        if is_cut(line):
            self._torn = self._torn or (bool(self._counts) and not self._blank)
            self._title, self._blank = "", 0
        if not line.strip(" "):
            self._blank += 1
            return
        blank, self._blank = self._blank, 0
        if line[:2] != "  ":
            self._title = ""
            self._tap.feed(line)
        elif self._tap.feed(line):
            return
        elif line == _RULE:
            self._rule()
        elif line[2] != " ":
            self._line(line, blank)

    def _rule(self) -> None:
        """A rule ends the list of tests, and a second one the section of failures."""
        if self._counts:
            self._finish()
        self._rules += 1
        self._ruled = self._rules == 1

    def _line(self, line: str, blank: int) -> None:
        if line[2].isdigit():
            self._count(line, blank)
            return
        if line[2] in "✔√✘✖×" and (not self._rules or self._counts):
            match = _RESULT.match(line)
            if match and not line.startswith("  ✘ Couldn"):
                if self._counts:
                    self._finish()
                passed = match[1] in "✔√"
                if match[2] or passed:
                    self._shown.append((match[3], passed, match[2] == "expected fail"))
                    return
        if line.startswith("  ✘ Couldn"):
            self._tally.idle = True
        if self._title and blank == 1 and _is_detail(line):
            self._titles.append(self._title)
        self._title = line[2:] if blank >= 3 or (blank and self._ruled) else ""
        self._ruled = False

    def _count(self, line: str, blank: int) -> None:
        match = _COUNT.match(line)
        if match is None:
            return
        word = "error" if match[4] else f"{match[2].split()[0].rstrip('s')} {match[3] or ''}".strip()
        if word in self._counts:
            self._finish()
        self._begun = self._begun or (blank > 0 and not self._counts)
        self._counts[word] = int(match[1][:9])

    def _finish(self) -> None:
        """A run's end: which lines were results, and where their titles end."""
        several = self._several()
        listed = self._match_failures()
        torn: List[str] = []
        for text, passed, expected in self._shown:
            title = listed.get(text) if not passed else text if expected else _TIME.sub("", text)
            if title is not None and not _is_hook(title, several, torn):
                self._add("line", title, several, passed)
        for title in self._titles:
            if not _is_hook(title, several, []):
                self._add("section", title, several, False)
        for title in torn:
            name, scope = _name(title, several)
            self._tally.drop(name, scope, True)
            self._tally.add("hook", name, scope, False)
        self._end()
        self._start()

    def _several(self) -> bool:
        """True when titles are preceded by their files."""
        texts = [text for text, _, _ in self._shown] + self._titles
        return bool(texts) and all(" › " in text for text in texts)

    def _match_failures(self) -> Dict[str, Optional[str]]:
        """The failures' lines with their titles: the longest of the section that a line begins
        with; where the output ends before the section, the line without the known messages."""
        titles = sorted(self._titles, key=len, reverse=True)
        whole = self._rules > 1 or any(word.endswith(("passed", "failed")) for word in self._counts)
        known = set(titles)
        found: Dict[str, Optional[str]] = {}
        for text, passed, _ in self._shown:
            if passed:
                continue
            if text in known:
                found[text] = text
                continue
            found[text] = next((t for t in titles if text.startswith(t + " ")), None)
            if found[text] is None and not whole:
                ends = [text[: -len(m)] for m in _MESSAGES if text.endswith(m)]
                found[text] = ends[0] if ends else text
        return found

    def _add(self, part: str, title: str, several: bool, passed: bool) -> None:
        name, scope = _name(title, several)
        self._tally.add(part, name, scope, passed)

    def _end(self) -> None:
        counts = self._counts
        if any(word in counts for word in ("test failed", "hook failed", "error", "test remaining")):
            self._tally.end(FAILED)
        else:
            # "2 tests failed" stands above "1 known failure", and "1 uncaught exception" below all.
            ran = not self._torn and (counts.get("test passed") or (self._begun and counts.get("known")))
            self._tally.idle = self._tally.idle or bool(counts and not ran)
            self._tally.end(PASSED if ran else NONE)

    def report(self) -> Report:
        runs = [run for run in self._tap.close() if _is_ava(run)]
        marked = any(" › " in text and "ms)" not in text for text, _, _ in self._shown)
        if self._counts or self._titles or (marked and self._several() and not runs):
            self._finish()
        for run in runs:
            self._tap_run(run)
        return self._tally.report()

    def _tap_run(self, run: TapRun) -> None:
        points = [p for p in run.roots() if not _is_error(p.title)]
        ran = [p for p in points if p.passed] or points
        several = bool(ran) and all(" › " in p.title for p in ran)
        torn: List[str] = []
        failed = run.counts.get("fail", 0) > sum(1 for p in run.roots() if not p.passed and p.directive)
        for point in points:
            if point.directive or (several and " › " not in point.title):
                continue
            if not _is_hook(point.title, several, torn):
                self._add("tap", point.title, several, point.passed)
        for title in torn:
            name, scope = _name(title, several)
            self._tally.drop(name, scope, True)
            self._tally.add("hook", name, scope, False)
        passed = run.counts.get("pass") and "fail" in run.counts  # "# fail 3" follows "# pass 9"
        self._tally.end(FAILED if failed else PASSED if passed else NONE)


def _name(title: str, several: bool) -> Tuple[str, Optional[str]]:
    if not several:
        return title, None
    scope, _, name = title.partition(" › ")
    return name, scope


def _is_hook(title: str, several: bool, torn: List[str]) -> bool:
    """Hooks are no tests; the test after which one failed has failed with it."""
    name, scope = _name(title, several)
    match = _HOOK.match(name)
    if match is None:
        return False
    if match[1] == "after" and match[3]:
        torn.append(f"{scope} › {match[3]}" if scope else match[3])
    return True


def _is_detail(line: str) -> bool:
    """The line below a title of the closing section: where it failed, or what was thrown."""
    place, _, row = line.strip().rpartition(":")
    if (place and row.isdigit()) or line.endswith(":"):
        return True
    return line.startswith(("  Error", "  Test ", "  Promise ", "  Rejected "))


def _is_error(title: str) -> bool:
    """Points that are no tests: a file's exit, or an uncaught exception by its message."""
    word = title.partition(" ")[0]
    return (
        word.endswith("Error:")
        or "exited with a non-zero exit code" in title
        or title.startswith(("No tests found in ", "Couldn’t find any ", "Failed to exit when running "))
    )


def _is_ava(run: TapRun) -> bool:
    if not run.dashed or run.grouped or run.version == 14:
        return False
    if run.timed or any("duration_ms" in p.details for p in run.roots()):
        return False  # vitest, node
    return "tests" in run.counts or any(" › " in p.title for p in run.roots())
