"""PHPUnit: default printer, TestDox, TeamCity, JUnit XML, event log and compact printer.

Formats: https://github.com/sebastianbergmann/phpunit, up to 9 src/TextUI/DefaultResultPrinter.php and
src/Util/TestDox/CliTestDoxPrinter.php, from 10 on src/TextUI/Output/ (Default, TestDox, Compact and
SummaryPrinter.php), src/Logging/TeamCity/TeamCityLogger.php, JUnit/JunitXmlLogger.php, EventLogger.php.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

PREFIX = "phpunit"

# "There were 3 failures:", "2 tests triggered 3 warnings:"
_HEADING = re.compile(r"(?:There (?:was|were)|\d+ tests? triggered) (\d+) (.+):$")
# "2) App\CartTest::testAdds with data set #1 (5, true)"; also the nameless "1) Error"
_ENTRY = re.compile(r"(\d+)\) (\S.*)$")
# "App\CartTest::testAdds with data set "few" (5, true)"
_NAME = re.compile(r"[^\s:(),'\"/]+::[^\s:(),'\"/]+(?: with data set .+)?$")
# "Tests: 15, Assertions: 11, Errors: 1, PHPUnit Warnings: 2." and "OK (1 test, 1 assertion)"
_COUNT = re.compile(r"([A-Z][\w ]*): (\d+)")
_OK = re.compile(r"(OK|ERRORS|FAILURES) \((\d+) tests?, \d+ assertions?(.*)\)$")
# " ✘ Adds up [0.12 ms]"
_MARK = re.compile(r" ([✔✘]) (\S.*?)(?: \[[\d.]+ ms\])?$")
# "Cart (App\Tests\Cart)"
_CLASS = re.compile(r"\S.* \(([^\s()]+\\[^\s()]+)\)$")
# These three are compiled when they are first needed, for few outputs hold their lines.
# "Test Passed (App\CartTest::testAdds#few)"
_EVENT = r"Test (Passed|Failed|Errored|Finished|Preparation Started) \((\S+::.+)\)$"
# name='testAdds' in a ##teamcity message, with its escapes |' || |n |[ |]
_ATTRIBUTE = r" (name|details|locationHint)='((?:[^'|]|\|.)*)'"
# <testcase name="testAdds" class="App\CartTest" classname="App.CartTest" file="/app/CartTest.php" ...
_TESTCASE = r'<testcase name="([^"]*)" (?:file="[^"]*" line="\d+" )?class="([^"]*)"'

_WORDS = {
    "FAILURES!": FAILED,
    "ERRORS!": FAILED,
    "WARNINGS!": FAILED,
    "DEPRECATIONS!": FAILED,
    "NOTICES!": FAILED,
    "OK, but incomplete, skipped, or risky tests!": PASSED,
    "OK, but there are issues!": PASSED,
    "OK, but there were issues!": PASSED,
    "OK, but some tests have issues!": PASSED,
    "OK, but some tests were skipped!": PASSED,
}
# No run prints more lists; the bound keeps hostile text from taking more than linear time.
_MOST_LISTS = 50
_RED = ("Errors", "Failures")
_ORDER = ("Errors", "Warnings", "Failures", "Risky", "Incomplete", "Skipped")
_KINDS = {"error": "Errors", "errors": "Errors", "failure": "Failures", "failures": "Failures"}
_ENTITIES = (("&quot;", '"'), ("&#039;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def read(text: str) -> Report:
    """What an output of PHPUnit says."""
    reader = _Reader()
    for line in lines(text):
        reader.line(line)
    reader.end_run()
    return reader.tally.report()


class _List:
    """One numbered list of tests: what it holds (None where its heading was cut away)."""

    def __init__(self, kind: Optional[str], size: Optional[int]) -> None:
        self.kind = kind
        self.size = size
        self.asserts = False
        self.entries: Dict[int, Tuple[str, bool]] = {}

    @property
    def last(self) -> int:
        return max(self.entries, default=0)

    def put(self, number: int, name: str, sure: bool) -> None:
        """Take an entry; one in doubt (in the middle of a message?) gives way to a sure one."""
        if self.size is not None and number > self.size:
            return
        known = self.entries.get(number)
        if known is None or (sure and not known[1]):
            self.entries[number] = (name, sure)


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.suite = ""
        self.before = ""  # the line before this one
        self.gap = True  # is the line before that one blank?
        self.solid = ""  # the last line before this one that is not blank
        self.start()

    def start(self) -> None:
        """Forget everything about the run before."""
        self.lists: List[_List] = []
        self.banner = self.timed = False
        self.word: Optional[str] = None
        self.counts: Dict[str, int] = {}
        self.part = "testdox"
        self.current: Optional[Tuple[str, Optional[bool]]] = None
        self.case: Optional[Tuple[str, Optional[bool]]] = None

    def line(self, line: str) -> None:
        """Read one line."""
        if line:
            self.dispatch(line)
            self.solid = line
        self.gap, self.before = not self.before, line

    def dispatch(self, line: str) -> None:
        """Hand a line to the reader of its kind."""
        first = line[0]
        if first.isdigit() or line.startswith("There w"):
            self.numbered(line)
        elif first == " ":
            self.mark(line)
        elif first in "OFEWDNTS":
            self.verdict(line)
        elif line.startswith("--- "):
            self.compact(line)
        elif is_cut(line):
            self.cut()
        elif " by Sebastian Bergmann" in line:
            self.end_run()
            self.banner = True
        if "Failed asserting that" in line and self.lists:
            self.lists[-1].asserts = True
        self.embedded(line)

    def embedded(self, line: str) -> None:
        """Read what may stand behind other text on a line."""
        if "##teamcity[test" in line:
            self.teamcity(line[line.find("##teamcity[test") + 11 :])
        elif "<" in line:
            self.junit(line)
        elif "[x] " in line:
            head, _, title = line.partition("[x] ")
            if head.strip() == "" or head.endswith("%) "):
                self.add_title(title, True)
        elif line.endswith(")"):
            match = _CLASS.match(line)
            if match and not self.before:
                self.suite = match[1]

    def cut(self) -> None:
        """What was known of the run's middle no longer holds."""
        self.suite, self.part = "", "testdox below a cut"
        self.current = self.case = None
        self.banner = False
        self.open_list(None, None)

    # The numbered lists.

    def numbered(self, line: str) -> None:
        match = _HEADING.match(line)
        if match:
            self.heading(match[2], int(match[1]) if len(match[1]) < 9 else 0)
            return
        match = _ENTRY.match(line)
        if not match or len(match[1]) > 8:
            return
        number, title = int(match[1]), match[2]
        if self.before not in ("", "--") and not self.is_entry(self.before) and not self.fresh():
            return
        sure = self.fresh() or self.solid == "--" or _ends_entry(self.solid) or self.is_entry(self.solid)
        if not self.lists or self.lists[-1].kind is None and number == 1 and self.lists[-1].entries and sure:
            self.open_list(None, None)
        self.lists[-1].put(number, _trim(title), sure)

    def fresh(self) -> bool:
        """True right below a heading, or where the text starts or goes on after a cut."""
        return not self.solid or is_cut(self.solid) or bool(_HEADING.match(self.solid))

    def is_entry(self, line: str) -> bool:
        match = _ENTRY.match(line)
        return bool(match and _NAME.match(match[2])) or line in _WORDS or line.startswith("Tests: ")

    def heading(self, kind: str, size: int) -> None:
        """A list's heading stands behind the time, behind `--`, or directly behind grepped lines;
        elsewhere it is part of a message."""
        inside = self.lists and self.lists[-1].entries
        if inside and self.solid != "--" and self.before is not self.solid:
            return
        self.open_list(_KINDS.get(kind, kind), size)

    def open_list(self, kind: Optional[str], size: Optional[int]) -> None:
        self.lists.append(_List(kind, size))
        if len(self.lists) > _MOST_LISTS:
            self.end_run()
            self.lists.append(_List(kind, size))

    # The closing lines.

    def verdict(self, line: str) -> None:
        if line in _WORDS:
            if self.word and not self.banner:
                self.end_run()
            self.word, self.counts = _WORDS[line], {}
        elif line.startswith("Tests: ") and ", Assertions: " in line and line.endswith("."):
            self.sums({name: int(n[:9]) for name, n in _COUNT.findall(line)})
        elif line.startswith("Time: "):
            self.timed = True
        elif line == "No tests executed!":
            self.tally.idle = True
        elif line.startswith("Test "):
            self.event(line)
        elif line.startswith(("Summary of non-successful", "Summary of tests with")):
            self.part = "testdox summary"
        else:
            self.compact_verdict(line)

    def sums(self, counts: Dict[str, int]) -> None:
        """The line of counts closes a run, if it is not one that a test printed or quoted."""
        if self.word is None and self.solid not in _WORDS:
            self.word = FAILED if any(k in counts for k in _RED) else NONE if "Warnings" in counts else PASSED
        self.counts = counts
        unrun = counts.get("Skipped", 0) + counts.get("Incomplete", 0)
        if self.word == PASSED and counts.get("Tests", 0) <= unrun:
            self.word, self.tally.idle = NONE, True
        if self.is_last(counts):
            self.end_run()

    def is_last(self, counts: Dict[str, int]) -> bool:
        if self.banner and not self.timed:
            return False
        headed = [x for x in self.lists if x.size and x.kind in _RED]
        return all(counts.get(x.kind or "", 0) == x.size for x in headed)

    def compact_verdict(self, line: str) -> None:
        """ "OK (4 tests, 4 assertions)"; the compact printer adds "1 skipped" and has FAILURES (...)."""
        match = _OK.match(line)
        if not match or match[1] == "OK" and any(x.kind in _RED for x in self.lists):
            return
        self.word = PASSED if match[1] == "OK" else FAILED
        if not self.banner or self.timed or match[1] != "OK":
            self.end_run()

    def end_run(self) -> None:
        """Close a run with the last verdict that it gave."""
        self.settle_test()
        for entries in self.failing_lists():
            for name, sure in entries.entries.values():
                if _NAME.match(name) and (sure or self.counts):
                    self.tally.add("list", name, None, False)
        self.tally.end(self.word or NONE)
        self.start()

    def failing_lists(self) -> List[_List]:
        """The lists of errors and failures; those without a heading are told by the counts, from the end."""
        found: List[_List] = []
        end = len(_ORDER)
        lists = [x for x in self.lists if x.entries or x.kind]
        for one in reversed(lists):
            kind = one.kind
            if kind is None:
                end, kind = self.guess(one, end, len(lists) == 1)
            elif kind in _RED:
                end = _ORDER.index(kind)
            if kind in _RED:
                found.append(one)
        return found[::-1]

    def guess(self, one: _List, end: int, alone: bool) -> Tuple[int, Optional[str]]:
        """Which list before `end` has as many entries as this one's last number."""
        if not self.counts:
            return end, "Failures" if (one.asserts or alone) and self.word != PASSED else None
        fits = [i for i in range(end) if self.counts.get(_ORDER[i]) == one.last]
        if one.asserts:
            fits = [i for i in fits if _ORDER[i] in _RED]
        if not fits:
            return end, None
        # Incomplete and skipped tests are listed only on demand, so they are the last guess.
        listed = [i for i in fits if i < 4]
        return (listed[-1], _ORDER[listed[-1]]) if listed else (fits[-1], _ORDER[fits[-1]])

    # Other printers.

    def mark(self, line: str) -> None:
        """A line of TestDox, " ✔ Adds up"; a failure stands in a summary once more."""
        match = _MARK.match(line) if line[1:2] in ("✔", "✘") else None
        if match:
            if self.gap and self.plain_class(self.before):
                self.suite = self.before
            self.add_title(match[2], match[1] == "✔")

    def plain_class(self, line: str) -> bool:
        """True for the heading of a class without a namespace, "Cart"."""
        return line[:1].isalpha() and line.replace(" ", "").isalnum() and len(line) < 200

    def add_title(self, title: str, passed: bool) -> None:
        name = f"{self.suite}::{title}" if self.suite else title
        if not self.suite and not passed and self.tally.seen(name, None, False):
            return  # grepped: this is its second place, in the summary
        self.tally.add(self.part, name, None, passed)

    def compact(self, line: str) -> None:
        """ "--- FAILURE: App\\CartTest::testAdds" of the compact printer."""
        kind, _, title = line[4:].partition(": ")
        name = _trim(title)
        if kind in ("FAILURE", "ERROR") and _NAME.match(name):
            self.tally.add("compact", name, None, False)

    def event(self, line: str) -> None:
        """A line of the event log (--debug)."""
        match = re.match(_EVENT, line)
        if not match:
            return
        what, name = match[1], _with_data_set(match[2])
        if what in ("Passed", "Failed", "Errored"):
            failed = self.current is not None and self.current[0] == name and self.current[1] is False
            self.current = (name, what == "Passed" and not failed)
        else:
            self.settle_test()

    def settle_test(self) -> None:
        """Count the test of the event log that has come to its end."""
        if self.current and self.current[1] is not None:
            self.tally.add("event", self.current[0], None, self.current[1])
        self.current = None

    def teamcity(self, message: str) -> None:
        """testStarted, then testFailed or testIgnored or nothing, then testFinished."""
        kind = message[: message.find(" ")]
        values = {key: _unescape(value) for key, value in re.findall(_ATTRIBUTE, message)}
        name = values.get("name", "")
        if kind == "testStarted":
            place = values.get("locationHint", "")
            suite = place.rpartition("::\\")[2].partition("::")[0]
            self.case = (f"{suite}::{name}", True) if place.startswith("php_qn://") and suite else None
        elif self.case and self.case[0].endswith("::" + name):
            if kind == "testFinished":
                self.settle_case("teamcity")
            elif kind == "testFailed" and values.get("details", "").strip():
                self.case = (self.case[0], False)
            else:
                # Ignored, or risky: PHPUnit prints that as a failure without a stack trace.
                self.case = (self.case[0], None)

    def settle_case(self, part: str) -> None:
        if self.case and self.case[1] is not None:
            self.tally.add(part, self.case[0], None, self.case[1])
        self.case = None

    def junit(self, line: str) -> None:
        """The JUnit XML of --log-junit php://stdout."""
        text = line.lstrip()
        if text.startswith("<testcase name="):
            match = re.match(_TESTCASE, text)
            self.case = (_xml(f"{match[2]}::{match[1]}"), True) if match and '.php"' in text else None
            if text.endswith("/>"):
                self.settle_case("junit")
        elif self.case and text.startswith(("<failure", "<error", "<skipped", "<warning")):
            red = text.startswith(("<failure", "<error")) and "RiskyTest" not in text
            self.case = (self.case[0], False if red else None)
        elif self.case and text.startswith("</testcase>"):
            self.settle_case("junit")


def _ends_entry(line: str) -> bool:
    """True for a line that can close an entry: the last of a stack trace."""
    place, _, number = line.rpartition(":")
    return (number.isdigit() and ("/" in place or "\\" in place)) or line.endswith("{main}")


def _trim(title: str) -> str:
    """A test's title without the arguments of its data set, '... with data set "few" (5, true)'."""
    title = title.rstrip()
    head, found, data = title.partition(" with data set ")
    if not found:
        return title
    if data.startswith("#"):
        return head + found + data.partition(" ")[0]
    end = data.rfind('" (')
    for _ in range(8):
        # A quotation mark and a parenthesis inside of an argument stand between single quotes.
        before = data.rfind('" (', 0, end) if end > 0 else -1
        if before < 1 or data.count("'", end) % 2 == 0:
            break
        end = before
    return head + found + (data[: end + 1] if end > 0 else data)


def _with_data_set(name: str) -> str:
    """The event log's "C::m#few" as the other printers write it."""
    name, found, key = name.partition("#")
    if not found:
        return name
    return name + " with data set " + (f"#{key}" if key.isdigit() else f'"{key}"')


def _unescape(value: str) -> str:
    for escaped, plain in (("||", "\0"), ("|n", "\n"), ("|r", "\r"), ("|", ""), ("\0", "|")):
        value = value.replace(escaped, plain)
    return value


def _xml(value: str) -> str:
    for entity, plain in _ENTITIES:
        value = value.replace(entity, plain)
    return value
