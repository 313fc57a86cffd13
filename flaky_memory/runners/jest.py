"""jest: https://jestjs.io/docs/cli.

The lines come from packages/jest-reporters/src (VerboseReporter, DefaultReporter, getResultHeader,
GitHubActionsReporter, SummaryReporter) and packages/jest-message-util (https://github.com/jestjs/jest):
a header for each file, the listing of its tests up to a blank line (with --verbose or one file
only), then a block for each failure under "● describe › test". With more than 20 files all
failing files are printed once more at the end.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners import jest_json
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple

PREFIX = "js"

# "FAIL test/a.test.js", " PASS  unit  test/b.test.js (5.01 s, 80 MB heap size)", or "(80 MB heap size)"; with the
# github-actions reporter "::group::PASS test/a.test.js (62 ms)"
_HEADER = re.compile(r"(?:::group::| {0,2})(PASS|FAIL) +(\S.*?)(?: \([\d.]+ (?:m?s|MB)[^()]*\))?$")
# the time behind a title: "(5 ms)", "(1.2 s)", before jest 26 "(5ms)"
_TIME = re.compile(r"\([\d.]+( ?)[m\u00b5\u03bcn]?s\)$")
# "::error file=/app/test/a.test.js,line=1,title=User › greets::expect..."
_ANNOTATION = re.compile(r"::error file=([^,:]+),[^:]*?\btitle=([^:,]+)::")
_PASSED, _FAILED = "\u2713\u221a", "\u2715\u00d7"
_MARKS = _PASSED + _FAILED
_SKIPPED = "\u25cb\u270e"
_BULLET = "  \u25cf "
_NO_TEST = ("Console", "Test suite failed to run")
_IDLE = (
    "No tests found, exiting with code ",
    "No tests found related to files changed",
    "No failed test found",
)
# what a workflow command writes for these characters in a property
_ESCAPES = (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%"))


def read(text: str) -> Report:
    """What jest says in an output."""
    reader, before = _Reader(text), "-"
    for line in lines(text):
        if line or before:  # several empty lines say what one says
            reader.line(line)
        before = line
    return reader.report()


class _Reader:
    def __init__(self, text: str) -> None:
        self.tally = Tally(PREFIX)
        self.documents: Iterator[jest_json.Document] = jest_json.documents(text)
        # Without any header the text was filtered: its marks stand without their files.
        self.headed = '"numTotalTests"' in text or any("\n" + w in text or text.startswith(w) for w in _HEADS)
        self.filtered = "\n\n" not in text
        self.before = ""
        self.idle = False
        # A header, its counts, a time as jest writes it: what no other runner prints.
        self.sure = self.headed
        self.marks = self.others = 0
        self.bulleted = False
        # True while the lines can be the rest of a listing whose header was cut away.
        self.loose = True
        self._fresh()

    def _fresh(self) -> None:
        self.scope: Optional[str] = None
        self.failing: Optional[bool] = None
        self.zone, self.base = False, 2
        self.titles: List[Optional[str]] = []
        self.part = "bullet"
        self.said: Dict[str, str] = {}
        self.threshold = False
        # (file, name with every separator alike) -> name as the listing has it
        self.names: Dict[Tuple[Optional[str], str], str] = {}
        self.listed: set[Optional[str]] = set()
        self.bare: List[Tuple[Optional[str], str]] = []
        self.held: List[Tuple[str, bool, bool]] = []
        self.retries: Dict[str, int] = {}
        self.retried: List[Tuple[Optional[str], str, int]] = []
        self.last_retried = ""
        self.annotated: List[Tuple[str, str]] = []

    def line(self, line: str) -> None:
        """Take the next line."""
        self.others += 1
        if not line:
            self._blank()
        elif line.startswith("  ") and not line.startswith(_HEADS):
            self._indented(line)
        elif line[0] in "FP :TRJNS.{":
            self._flush(line)
        else:
            self._foreign()
        self.before = line

    def _foreign(self) -> None:
        """Another's line ends a listing, unless the text was filtered."""
        if not self.filtered:
            self.loose = self.zone = False
            self.held = []

    def _blank(self) -> None:
        self._release()
        self.zone = self.loose = False

    def _indented(self, line: str) -> None:
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        first = text[:1]
        if first in _MARKS or first in _SKIPPED:
            if indent % 2 == 0 and text[1:2] == " ":
                self._mark(text, first, (indent - self.base) // 2)
        elif line.startswith(_BULLET):
            self.zone = False
            self._bullet(line[len(_BULLET) :].rstrip())
        elif (self.zone or self.loose) and indent % 2 == 0 and indent >= self.base:
            self._heading(text.rstrip(), (indent - self.base) // 2)
        elif jest_json.starts(line, self.before):
            self._document()

    def _heading(self, title: str, level: int) -> None:
        if self.zone and level > len(self.titles) or self.loose and title.startswith("console."):
            self.zone = self.loose = False  # not a describe, but what a test has printed
            return
        del self.titles[level:]
        self.titles += [None] * (level - len(self.titles)) + [title]

    def _mark(self, text: str, first: str, level: int) -> None:
        if not (self.zone or self.loose or not self.headed):
            return
        self.marks += 1
        if self.said:
            self.end()
        if first in _SKIPPED or level < 0:
            return
        title, spaced = _untimed(text[2:].strip())
        self.sure = self.sure or spaced
        above = self.titles[:level]
        whole = len(above) == level and None not in above
        name = " > ".join([t for t in above if t] + [title]) if whole else title
        self.held.append((name, first in _PASSED, whole))
        if self.zone or not self.headed:
            self._release()

    def _release(self) -> None:
        """Count the marks that wait for what follows them: a print can stand before a header."""
        for name, passed, whole in self.held:
            self.names[self.scope, name.replace(" \u203a ", " > ")] = name
            if whole or passed:
                self.tally.add("mark", name, self.scope, passed)
            else:
                self.bare.append((self.scope, name))
            if whole and self.zone:
                self.listed.add(self.scope)
        self.held = []

    def _bullet(self, title: str) -> None:
        if self.failing is False or title.startswith((" ",) + _NO_TEST):
            return
        if self.said:
            self.end()
        key = title.replace(" \u203a ", " > ")
        name = self.names.get((self.scope, key))
        if name is None and self.scope in self.listed and self.scope is not None:
            return  # an error of a describe, no test
        self.bulleted = self.bulleted or key != title
        self.sure = self.sure or self.bulleted
        for i, (scope, bare) in enumerate(self.bare):
            if scope == self.scope and (key == bare or key.endswith(" > " + bare)):
                del self.bare[i]
                name = None
                break
        name = name or key
        self.names[self.scope, key] = name
        self.marks += 1
        self.tally.add(self.part, name, self.scope, False)

    def _flush(self, line: str) -> None:
        """Read a line that is not indented: a header, a statement or a print."""
        match = _HEADER.match(line[:2000]) if "PASS" in line[:14] or "FAIL" in line[:14] else None
        path = _path(match[2]) if match else None
        if match and path:
            self._header(line, match[1] == "FAIL", path)
        elif line.startswith("::"):
            self._workflow(line)
        elif is_cut(line):
            self._cut()
        elif line.startswith((" LOGGING RETRY ERRORS ", " RETRY ")):
            self._retry(line)
        elif line.startswith(("Test Suites:", "Tests:", "Jest: ")):
            self._counts(line)
        elif line.startswith("Summary of all failing tests"):
            self.part = "again"
        elif line.startswith(_IDLE):
            self.idle = True
        elif jest_json.starts(line, self.before):
            self._document()
        else:
            self._foreign()

    def _header(self, line: str, failed: bool, path: str) -> None:
        if self.filtered:
            self._release()
        self.held = []  # printed by a test of this file
        if self.said:
            self.end()
        self.scope, self.failing = path, failed
        self.base = 4 if line.startswith("  ") else 2
        self.zone, self.loose, self.titles = True, False, []
        self.retried += [(path, title, times) for title, times in self.retries.items()]
        self.retries = {}

    def _workflow(self, line: str) -> None:
        """Commands of the github-actions reporter: "::group::  describe", "::endgroup::", "::error"."""
        if line.startswith("::group::Errors thrown in "):
            self.scope, self.failing, self.zone = line[26:].rstrip(), True, False
        elif line.startswith("::group::  ") and self.zone:
            self.base = 2
            text = line[9:].lstrip(" ")
            self._heading(text.rstrip(), (len(line) - 9 - len(text) - 2) // 2)
        elif line.startswith("::endgroup::"):
            self.base = 4
        elif line.startswith("::error "):
            self._foreign()
            match = _ANNOTATION.match(line[:1000])
            if match:
                self.annotated.append((_unescape(match[1]), _unescape(match[2])))

    def _cut(self) -> None:
        self._release()
        self.scope = self.failing = None
        self.last_retried = ""
        self.zone, self.titles, self.part = False, [], self.part + " after a cut"
        self.loose = True

    def _retry(self, line: str) -> None:
        if self.said:
            self.end()
        if line.startswith(" LOGGING"):
            self.last_retried = line[len(" LOGGING RETRY ERRORS ") :].strip()
        elif self.last_retried:
            self.retries[self.last_retried] = self.retries.get(self.last_retried, 0) + 1

    def _counts(self, line: str) -> None:
        if line.startswith("Jest: "):
            self.threshold = self.threshold or "threshold" in line
            return
        word, _, rest = line.partition(":")
        if not rest.rstrip().endswith(" total"):
            return
        self._release()
        if word in self.said or "Tests" in self.said:
            self.end()
        self.sure, self.zone = True, False
        self.said[word] = rest

    def _document(self) -> None:
        for document in self.documents:
            self._take(document)
            break

    def _take(self, document: jest_json.Document) -> None:
        if not document.by_jest:
            return
        self.held = []
        self.sure, self.idle = True, self.idle or document.idle
        files = jest_json.by_last_part(scope for scope, _ in self.names)
        for name, path, failed, passed in document.results:
            scope = jest_json.as_listed(path, files)
            self.tally.add("json tries" if passed else "json", name, scope, False, failed)
            self.tally.add("json", name, scope, True, passed)
        if not self.said and document.summary != NONE:
            self.said["json"] = document.summary

    def end(self) -> None:
        """Close a run with what jest says of it."""
        self._release()
        for scope, name in self.bare:
            self.tally.add("mark", name, scope, False)
        self._settle_retries()
        files = jest_json.by_last_part(scope for scope, _ in self.names) if self.annotated else {}
        for path, title in self.annotated:
            name = title.replace(" \u203a ", " > ")
            scope = jest_json.as_listed(path, files)
            if title not in _NO_TEST and (scope, name) not in self.names:
                self.tally.add("annotation", name, scope, False)
        self.tally.end(self._summary() if self.sure else NONE)
        self._fresh()

    def _settle_retries(self) -> None:
        """Count the attempts that " RETRY 1" blocks show: their titles are joined by blanks only."""
        self.retried += [(None, title, times) for title, times in self.retries.items()]
        if not self.retried:
            return
        joined = {(scope, name.replace(" > ", " ")): name for (scope, _), name in self.names.items()}
        for scope, title, times in self.retried:
            name = joined.get((scope, title.replace(" > ", " ")))
            if name is not None:
                failed = self.tally.seen(name, scope, False)
                part = "mark" if scope in self.listed else "bullet"
                self.tally.add(part if failed else "tries", name, scope, False, times)

    def _summary(self) -> str:
        said = " ".join(self.said.values())
        if self.threshold or " failed" in said or said == FAILED:
            return FAILED
        if not self.said:
            return NONE
        if " passed" in self.said.get("Tests", self.said.get("Test Suites", "")) or said == PASSED:
            return PASSED
        self.idle = True
        return NONE

    def report(self) -> Report:
        """Close what is open and sum up."""
        for document in self.documents:
            self._take(document)
        self.end()
        report = self.tally.report()
        # Marks alone are jest's where a filter left little else; in other texts tests print them.
        few = not self.headed and report.summary == NONE and self.marks * 2 < self.others
        if not (self.sure or self.idle) or few and not self.bulleted:
            return Report(PREFIX, NONE, (), self.idle)
        return report._replace(idle=self.idle and not report.results and report.summary == NONE)


_HEADS = ("FAIL ", "PASS ", " FAIL ", " PASS ", "  FAIL ", "::group::PASS ")


def _path(rest: str) -> Optional[str]:
    """The file in what follows PASS or FAIL, behind the project's name; None if there is none."""
    words = rest.split()
    last = words[-1]
    if " > " in rest or "." not in last.rsplit("/", 1)[-1] or not last[-1].isalnum():
        return None
    for i, word in enumerate(words):
        if "/" in word and word[0] != "@":
            return " ".join(words[i:])
    return last


def _untimed(title: str) -> Tuple[str, bool]:
    """A title without its time, and whether the time is written as jest writes it since 26."""
    start = title.rfind(" (")
    match = _TIME.match(title, start + 1) if start >= 0 else None
    return (title[:start].rstrip(), bool(match[1])) if match else (title, False)


def _unescape(text: str) -> str:
    """A property of a workflow command ("::error title=a%2C b::") as it was."""
    for escape, character in _ESCAPES:
        text = text.replace(escape, character)
    return text
