"""vitest 1 to 4 with its reporters: https://vitest.dev/guide/reporters.

The lines are printed by packages/vitest/src/node/reporters (base.ts, verbose.ts, basic.ts, tree.ts,
tap.ts, junit.ts, json.ts, github-actions.ts) and its failures by node/printError.ts
(https://github.com/vitest-dev/vitest). What a reporter says of a test differs: "verbose" gives file,
describes and title; "default" lists the tests of a failing file below it, since version 4 by their
bare titles; all repeat the failures in full under "FAIL".
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners import formats, jest_json
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Optional, Tuple, TypeVar

    _T = TypeVar("_T")

PREFIX = "js"

_PASSED, _FAILED, _OTHER = "\u2713\u221a", "\u00d7\u2717\u276f", "\u2193\u25a1\u00b7-"
_MARKS = _PASSED + _FAILED + _OTHER
# "test/calc.test.ts (7 tests | 1 failed) 9ms", in version 1 with two blanks before the bracket
_FILE_LINE = re.compile(r"([^>]*?\.\w+) +\((\d{1,6}) tests?\b")
# what may stand behind a title: " 7ms", "  421ms", " (retry x1)", " (repeat x2)", " 35 MB heap used"
_TIME = re.compile(r"(\d{1,9})ms$")
_AGAIN = re.compile(r"\((retry|repeat) x(\d{1,4})\)$")
# "queue (6)": a describe of the tree reporter
_SUITE = re.compile(r"\(\d+\)$")
# "::error file=/app/test/a.test.ts,title=test/a.test.ts > calc > adds,line=6,column=50::..."
_ANNOTATION = re.compile(r"::error file=[^,:]*,(?:[^:]*?,)?title=([^:,]+)")
# What the dot reporter prints for each test.
_DOTS = "\u00b7x-*"
_COUNTS = (" Test Files  ", "      Tests  ", "     Errors  ", "Type Errors  ")
# vitest 1 and 2 write a time into the verbose list only from this many milliseconds on.
_SLOW = 300


def read(text: str) -> Report:
    """What vitest says in an output."""
    reader, before = _Reader(text), "-"
    for line in lines(text):
        if line or before:  # several empty lines say what one says
            reader.line(line)
        before = line
    return reader.report()


class _Mark:
    """One line of a listing: what it names, and what stands behind the name."""

    __slots__ = (
        "file",
        "name",
        "time",
        "outcome",
        "failed",
        "passed",
        "depth",
        "whole",
        "flat",
        "echo",
        "after_print",
    )

    def __init__(self, file: Optional[str], rest: str, mark: str) -> None:
        rest, again, times = _tries(rest)
        self.file = file
        self.name, self.time = _untimed(rest)
        # None for a test that did not run.
        self.outcome = True if mark in _PASSED else False if mark in _FAILED else None
        self.failed, self.passed = _runs(self.outcome, again, times)
        self.depth, self.whole, self.flat = 0, True, False
        # The hash of the line, and the piece of output after a captured print that it stands in.
        self.echo = self.after_print = 0

    def timed(self) -> str:
        """The name as it is where what looks like a time belongs to the title."""
        return self.name if self.time is None else f"{self.name} {self.time}ms"


class _Reader:
    def __init__(self, text: str) -> None:
        self.tally = Tally(PREFIX)
        self.documents: Iterator[jest_json.Document] = jest_json.documents(text)
        self.tap = _tap(text)
        self.junit = formats.JUnit() if "<testcase" in text and 'name="vitest tests"' in text else None
        # A filter leaves no blank lines, and no captured prints either.
        self.filtered = "\n\n" not in text
        self.loose = True
        self.before = ""
        self.idle = self.sure = False
        self._fresh()

    def _fresh(self) -> None:
        self.banner = self.zone = self.captured = False
        # Counts the pieces of captured prints that ended with an empty line.
        self.prints = 0
        self.after_print = 0
        self.files_listed = self.dots = self.in_full = False
        self.echoes: set[int] = set()
        self.suites: set[Tuple[str, str]] = set()
        self.file: Optional[str] = None
        self.passing = False
        self.expected = 0
        self.titles: List[Optional[str]] = []
        self.heading = ""
        self.marks: List[_Mark] = []
        self.fails: Dict[Tuple[str, str], int] = {}
        self.block: Dict[Tuple[str, str], int] = {}
        self.said: Dict[str, str] = {}
        self.wrong = False
        self.annotated: List[Tuple[str, str]] = []

    def line(self, line: str) -> None:
        """Take the next line."""
        if self.tap is not None:
            self.tap.feed(line)
        if self.junit is not None:
            self.junit.feed("<failure>" if line.lstrip().startswith("<failure ") else line)
            if self.junit.open:
                return
        if not line:
            self._blank()
            return
        if self.captured and not is_cut(line):
            pass
        elif line[0] == " ":
            self._indented(line)
        else:
            self._flush(line)
        self.before = line

    def _blank(self) -> None:
        if self.captured or self.after_print:
            self.prints += 1
            self.after_print = self.prints
        self.captured = self.loose = False
        self.block = {}

    def _indented(self, line: str) -> None:
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if text[:1] in _MARKS and text[1:2] == " ":
            rest = text[2:].strip()
            if self.heading and not self.filtered:
                self.echoes.add(hash(line))
            elif indent == 1:
                self._top(rest, text[0], line)
            elif indent % 2 and indent > 1:
                self._listed(rest, text[0], (indent - 3) // 2, line)
        elif line.startswith(" FAIL "):
            self._fail(line[6:].strip())
        elif line.startswith((" RUN  v", " DEV  v")):
            self.end()
            self.banner = self.sure = True
        elif line.startswith(_COUNTS):
            self._counts(line)
        elif text[:1] != "\u2192":
            self._foreign(line)

    def _foreign(self, line: str) -> None:
        self.loose = self.loose and self.filtered
        if jest_json.starts(line, self.before):
            self._document()

    def _top(self, rest: str, mark: str, line: str) -> None:
        """A file, or a test of a flat list."""
        if self.said:
            self.end()
        found = _FILE_LINE.match(rest[:2000])
        if found:
            self.file, self.expected = _file(found[1]), int(found[2])
            self.zone, self.titles, self.passing = self.file is not None, [], mark in _PASSED
            self.sure = self.sure or self.zone
            self.files_listed = self.files_listed or self.zone and self.expected > 0
            return
        target = _target(rest)
        if target:
            self._add(_Mark(target[0], target[1], mark), line, flat=True)

    def _add(self, mark: _Mark, line: str, flat: bool) -> None:
        mark.echo, mark.flat, mark.after_print = hash(line), flat, self.after_print
        self.sure = True
        self.marks.append(mark)

    def _listed(self, rest: str, mark: str, depth: int, line: str) -> None:
        """A test, or a describe, below its file."""
        if not (self.zone or self.loose or self.filtered):
            return
        if self.said:
            self.end()
        if self.file and rest.startswith(self.file + " > "):  # vitest 1
            rest = rest[len(self.file) + 3 :]
        elif mark == "\u276f" and not _SUITE.search(rest[-12:]):
            return
        if _SUITE.search(rest[-12:]):
            self._describe(rest[: rest.rfind("(")].rstrip(), depth)
            return
        found = _Mark(self.file, rest, mark)
        if not self.zone and found.time is None and not self.sure:
            return
        self._place(found, depth)
        self._add(found, line, flat=False)

    def _describe(self, title: str, depth: int) -> None:
        del self.titles[depth:]
        self.titles += [None] * (depth - len(self.titles)) + [title]

    def _place(self, found: _Mark, depth: int) -> None:
        found.depth = depth
        above = self.titles[:depth]
        if len(above) == depth and None not in above:
            found.name = " > ".join([*(t for t in above if t), found.name])
        else:
            found.whole = False
        slow = found.time is not None and found.time >= _SLOW
        if self.filtered and self.passing and not self.titles and not (found.outcome and slow):
            # Below a passing file stand its slow tests only: another file's line was filtered away.
            self.file = found.file = None

    def _fail(self, rest: str) -> None:
        """A failed test or describe in full, above its error; several that share it stand together."""
        if self.said:
            self.end()
        target = _target(rest)
        printed = self.banner and not self.heading and not self.filtered
        if target is None or printed:
            return
        if self.heading == "Suites":
            self.suites.add(target)
            return
        self.sure, self.zone = True, False
        self.block[target] = self.block.get(target, 0) + 1
        self.fails[target] = max(self.fails.get(target, 0), self.block[target])

    def _flush(self, line: str) -> None:
        """Read a line that is not indented."""
        first = line[0]
        if first == "\u23af":
            self._heading(line)
        elif "std" in line[:200] and line.lstrip(_DOTS).startswith(("stdout | ", "stderr | ")):
            self.captured, self.zone = True, False
            self.dots = self.dots or first in _DOTS
        elif first in _DOTS and not line.strip(_DOTS) and ("\u00b7" in line or "x" in line):
            self.dots = True
        elif is_cut(line):
            self._cut()
        elif line.startswith("::error "):
            self._annotation(line[:1000])
        elif line.startswith("ERROR: Coverage for ") and "threshold" in line:
            self.wrong = True
        elif line.startswith("No test files found"):
            self.idle = True
        elif line.startswith("Type Errors  "):
            self._counts(line)
        else:
            self._foreign(line)

    def _cut(self) -> None:
        self.banner = self.zone = self.captured = False
        self.heading, self.file, self.titles, self.loose = "", None, [], True

    def _heading(self, line: str) -> None:
        self.zone = False
        if " Failed Tests " in line:
            if self.said:
                self.end()
            if not self.filtered:
                self.fails = {}  # what stood before were describes and files
            self.heading = "Tests"
        elif " Failed Suites " in line:
            self.heading = "Suites"
        elif " Unhandled " in line:
            self.heading, self.wrong = "Unhandled", True

    def _annotation(self, line: str) -> None:
        match = _ANNOTATION.match(line)
        title = match[1].replace("%3A", ":").replace("%2C", ",").replace("%25", "%") if match else ""
        target = _target(title[title.find("] ") + 2 :] if title.startswith("[") else title)
        if target:
            self.sure = True
            self.annotated.append(target)

    def _counts(self, line: str) -> None:
        word, _, rest = line.strip().partition("  ")
        if not rest.rstrip().endswith((")", "no tests", "error", "errors")):
            return
        if word in self.said or (word == "Test Files" and self.said):
            self.end()
        self.said[word] = rest.strip()
        self.sure, self.zone, self.loose = True, False, False

    def _document(self) -> None:
        for document in self.documents:
            self._take(document)
            break

    def _take(self, document: jest_json.Document) -> None:
        if document.by_jest or not (document.results or document.summary != NONE or document.idle):
            return
        self.sure, self.idle = True, self.idle or document.idle
        self.in_full = self.in_full or bool(document.results)
        files = jest_json.by_last_part(mark.file for mark in self.marks)
        for name, path, failed, passed in document.results:
            scope = jest_json.as_listed(path, files)
            self.tally.add("json tries" if passed else "json", name, scope, False, failed)
            self.tally.add("json", name, scope, True, passed)
        if not self.said and document.summary != NONE:
            self.said["json"] = document.summary

    def end(self) -> None:
        """Close a run: settle what its parts name, and hand it on."""
        self._believe()
        self._name()
        if self.filtered:
            self._sift()
        for mark in self.marks:
            if self.in_full and not mark.whole:
                continue  # the document beside the listing has the name in full
            if mark.failed:
                part = "tries" if mark.passed else "mark"
                self.tally.add(part, mark.name, mark.file, False, mark.failed)
            if mark.passed:
                self.tally.add("mark", mark.name, mark.file, True, mark.passed)
        describes = _around((m.file, m.name) for m in self.marks) if self.fails or self.annotated else set()
        for (file, name), times in self.fails.items():
            if (file, name) not in describes:
                self.tally.add("fail", name, file, False, times)
        for target in dict.fromkeys(self.annotated):
            if target not in describes and target not in self.suites:
                self.tally.add("annotation", target[1], target[0], False)
        self.tally.end(self._summary())
        self._fresh()

    def _name(self) -> None:
        """Decide whose time is part of the title, and give bare titles their whole names."""
        old = any(m.flat and m.time is None and m.outcome is not None for m in self.marks)
        for mark in self.marks:
            if mark.time is None:
                continue
            if mark.flat and old and mark.time < _SLOW or (mark.file, mark.timed()) in self.fails:
                mark.name, mark.time = mark.timed(), None
        if self.fails and not all(mark.whole for mark in self.marks):
            self._name_bare()

    def _sift(self) -> None:
        """Settle what a filter (`| grep`) has taken the headings and files from: describes whose hooks failed
        stand before the failed tests, and no listing has them; a listed failure may be in a FAIL line's file."""
        failed = [mark for mark in self.marks if mark.outcome is False]
        stated = _number(self.said.get("Tests", ""), " failed")
        if failed:
            listed = {mark.name for mark in failed} | {mark.timed() for mark in failed}
            self.fails = {t: n for t, n in self.fails.items() if _ends(t[1]) & listed}
        elif 0 < stated < len(self.fails):
            self.fails = dict(list(self.fails.items())[-stated:])
        files: Dict[str, List[str]] = {}
        for file, name in self.fails:
            files.setdefault(name, []).append(file)
        often = _times(mark.name for mark in failed if mark.file is None)
        for mark in failed:
            if mark.file is None and often[mark.name] == len(files.get(mark.name, ())) == 1:
                mark.file = files[mark.name][0]

    def _believe(self) -> None:
        """Leave out what looks like a result and was printed by a test or is part of a message."""
        flat = not (self.files_listed or self.dots)  # only the verbose reporter writes flat lists
        self.marks = [m for m in self.marks if m.echo not in self.echoes and (flat or not m.flat)]
        stated = self.said.get("Tests", "")
        for outcome, word, other in ((True, " passed", " expected fail"), (False, " failed", "-")):
            named = [m.after_print for m in self.marks if m.outcome is outcome]
            surplus = len(named) - _number(stated, word) - _number(stated, other)
            if stated and surplus > 0:
                # Of the pieces that follow a print, one may make up the whole difference.
                piece = next((p for p, times in _times(named).items() if p and times == surplus), None)
                self.marks = [
                    m
                    for m in self.marks
                    if m.outcome is not outcome or not m.after_print or piece is not None and m.after_print != piece
                ]

    def _name_bare(self) -> None:
        """Give a failed test that is listed by its bare title the name that its failure block has."""
        by_title: Dict[Tuple[Optional[str], str], List[str]] = {}
        for file, name in self.fails:
            for end in _ends(name):
                by_title.setdefault((file, end), []).append(name)
        for mark in self.marks:
            if mark.whole or mark.outcome is not False:
                continue
            names = by_title.get((mark.file, mark.timed())) or by_title.get((mark.file, mark.name)) or []
            fitting = [n for n in names if n.count(" > ") == mark.depth] or names
            if fitting:
                mark.name = fitting[0]
                names.remove(fitting[0])

    def _summary(self) -> str:
        said = self.said
        errors = [said[w] for w in ("Errors", "Type Errors") if w in said and said[w] != "no errors"]
        if self.wrong or errors or FAILED in said.values() or any(" failed" in s for s in said.values()):
            return FAILED
        if not said:
            return NONE
        if " passed" in said.get("Tests", said.get("Test Files", "")) or PASSED in said.values():
            return PASSED
        self.idle = True
        return NONE

    def report(self) -> Report:
        """Close what is open and sum up."""
        for document in self.documents:
            self._take(document)
        suites = _add_junit(self.junit, self.tally) if self.junit else []
        if suites and not self.said:
            self.said["junit"] = suites.pop(0)
        self.end()
        for said in suites:
            self.tally.end(said)
        if self.tap is not None:
            _add_tap(self.tap, self.tally)
        report = self.tally.report()
        if not (self.sure or self.idle or self.tap or self.junit):
            return Report(PREFIX, NONE, ())
        return report._replace(idle=self.idle and not report.results and report.summary == NONE)


def _tries(rest: str) -> Tuple[str, str, int]:
    """A listing's text without "(retry x2)" and heap use; which of retry and repeat, how often."""
    if rest.endswith(" MB heap used"):
        rest = rest[:-13].rstrip("0123456789").rstrip()
    start = rest.rfind(" (")
    match = _AGAIN.match(rest, start + 1) if start >= 0 else None
    return (rest[:start].rstrip(), match[1], int(match[2])) if match else (rest, "", 0)


def _untimed(name: str) -> Tuple[str, Optional[int]]:
    """A name without the time behind it, and the time."""
    start = name.rfind(" ")
    match = _TIME.match(name, start + 1) if start >= 0 else None
    return (name[:start].rstrip(), int(match[1])) if match else (name, None)


def _runs(outcome: Optional[bool], again: str, times: int) -> Tuple[int, int]:
    """Failed and passed runs of a test: a retry follows a failure, a repetition does not tell."""
    if outcome is None:
        return 0, 0
    if again == "retry":
        return times + (not outcome), int(outcome)
    return (0, 1 + times) if outcome else (1, 0)


def _file(part: str) -> Optional[str]:
    """A file behind its project: "|api| api/a.test.ts", coloured " api  api/a.test.ts"."""
    part = part.strip()
    if part.startswith("|"):
        part = part[part.find("|", 1) + 1 :]
    part = part.rsplit("  ", 1)[-1].strip()
    if part.startswith("TS "):
        part = part[3:].lstrip()
    dot = part.rfind(".")
    return part if dot > 0 and part[dot + 1 :].isalnum() and "|" not in part else None


def _target(rest: str) -> Optional[Tuple[str, str]]:
    """File and name of "test/calc.test.ts > calc > adds"; None where no test is meant."""
    part, found, name = rest.partition(" > ")
    file = _file(part) if found else None
    return (file, name.strip()) if file else None


def _times(found: Iterable[_T]) -> Dict[_T, int]:
    """How often each of some values stands among them."""
    times: Dict[_T, int] = {}
    for one in found:
        times[one] = times.get(one, 0) + 1
    return times


def _number(counts: str, word: str) -> int:
    """How many "1 failed | 4 passed (7)" gives for a word."""
    digits = counts.partition(word)[0].rsplit(" ", 1)[-1] if word in counts else ""
    return int(digits[:9]) if digits.isdecimal() else 0


def _ends(name: str) -> set[str]:
    """The name, and what is left of it without its outer describes."""
    parts = name.split(" > ")
    return {" > ".join(parts[i:]) for i in range(min(len(parts), 50))}


def _around(tests: Iterable[Tuple[Optional[str], str]]) -> set[Tuple[Optional[str], str]]:
    """The describes around tests (their file and name), whose own failures are no test's."""
    found = set()
    for file, name in tests:
        parts = name.split(" > ")
        for i in range(1, min(len(parts), 50)):
            found.add((file, " > ".join(parts[:i])))
    return found


def _tap(text: str) -> Optional[formats.Tap]:
    """A TAP reader where the text is vitest's TAP: times, and no comments as others write them."""
    if "# time=" not in text or "# Subtest" in text or "TAP version 14" in text:
        return None
    return formats.Tap()


def _add_tap(tap: formats.Tap, tally: Tally) -> None:
    for run in tap.close():
        for above, point in run.walk():
            if point.group or point.directive:
                continue
            if above and _file(above[0]):
                tally.add("tap", " > ".join([*above[1:], point.title]), above[0], point.passed)
            elif point.indent:
                tally.add("tap", point.title, None, point.passed)
            elif _target(point.title):
                file, _, name = point.title.partition(" > ")
                tally.add("tap", name, file, point.passed)
        tally.end()


def _add_junit(junit: formats.JUnit, tally: Tally) -> List[str]:
    """Count a document's cases (a listing beside it shows the same runs); what its suites say."""
    cases = [(c.attributes.get("classname"), c.attributes.get("name", ""), c.outcome) for c in junit.close()]
    describes = _around((file, name) for file, name, _ in cases)
    for file, name, outcome in cases:
        if name and outcome != "skipped" and name != file and (file, name) not in describes:
            tally.add("junit", name, file, outcome == "passed")
    said = []
    for suite in junit.suites:
        if suite.get("name") == "vitest tests":
            failed = suite.get("failures", "0") != "0" or suite.get("errors", "0") != "0"
            said.append(FAILED if failed else PASSED if tally.open else NONE)
    return said
