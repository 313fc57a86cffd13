"""What several runners print alike: TAP, JUnit XML on stdout, and outlines by indentation.

TAP 13 and 14 (https://testanything.org/tap-version-14-specification.html) as node --test, deno,
vitest, ava, mocha and node-tap write it, and JUnit XML
(https://github.com/testmoapp/junitxml) as text: never through an XML parser, for what stands in
an output is rarely a whole document.

Both are readers that take one line after the other (`feed`, which says whether the line
belonged to the format) and end with `close`. They say what is printed; which point or case is a
test, and what its name and scope are, each runner's module decides.
"""

from __future__ import annotations

import re

from flaky_memory.model import NamedTuple
from flaky_memory.runners.base import is_cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple

# "not ok 2 - divides evenly # time=6.22ms {": "not ", number, the rest.
_POINT = re.compile(r"(not )?ok (\d+)(?: - ?| |$)(.*)$")
# "    # Subtest: adds two numbers"
_SUBTEST = "# Subtest: "
# "1..12", "1..0 # no tests"
_PLAN = re.compile(r"1\.\.(\d+)(?: *#.*)?$")
# "# tests 15", "# pass  3", "# fail 0"; and in "# { total: 5, pass: 3 }" each "pass: 3"
_COUNT = re.compile(r"([a-z]+):? +(\d+)(?![\w.])")
# "location: '/work/app/test/calc.test.js:5:3'", "fileName: test/calc.test.js"
_DETAIL = re.compile(r"(type|location|failureType|duration_ms|fileName|error): *(\S.*)$")


class Point:
    """One test point ("ok 1 - title") with the points of its subtest.

    `above` names the subtests that enclose it as their headings said, for a point whose
    enclosing point never came (the output ends or was cut before it). `directive` is "SKIP",
    "TODO", "TORN" (see Tap) or "". `group` is true when it has or may have points of its own, `headed` when a
    heading announced it. `details` holds some keys of the YAML block below it (of duration_ms only that
    it is there), `said` the last plain comment before it.
    """

    __slots__ = (
        "title", "passed", "directive", "indent", "above", "children", "group", "headed", "details", "said",
    )  # fmt: skip

    def __init__(self, title: str, passed: bool, directive: str = "", indent: int = 0) -> None:
        self.title = title
        self.passed = passed
        self.directive = directive
        self.indent = indent
        self.above: Tuple[str, ...] = ()
        self.children = _CHILDLESS
        self.group = False
        self.headed = False
        self.details = _BARE
        self.said = ""

    def walk(self, path: Tuple[str, ...] = ()) -> Iterator[Tuple[Tuple[str, ...], Point]]:
        """This point and those below it, children first, each with the titles above it."""
        stack = [(path or self.above, self, False)]
        while stack:
            above, point, opened = stack.pop()
            if opened or not point.children:
                yield above, point
                continue
            stack.append((above, point, True))
            inner = above + (point.title,)
            stack.extend((inner, child, False) for child in reversed(point.children))


_CHILDLESS: List[Point] = []  # shared by all, for most points have none
_BARE: Dict[str, str] = {}
_TIMED: Dict[str, str] = {"duration_ms": ""}  # shared too: what most passed points have


class Outline:
    """Builds the tree of points whose nesting a runner shows by indentation: a subtest's
    heading, if it has one, comes before its points, and its own point after them.

    The middle of the lines may be filtered away (`| grep ok`): then a point must not take
    those above it for its own when they belong to another whose line is gone. So it does only
    when its heading was seen, or nothing else can have stood between, or, in an output that
    shows no heading at all, when failures are not what was filtered away.
    """

    def __init__(self) -> None:
        self.points: List[Point] = []
        self._pending: List[Point] = []
        self._headings: List[Tuple[int, str]] = []
        self._headed = False
        self._failed = False
        self._guessed = False

    @property
    def empty(self) -> bool:
        return not self._pending and not self.points

    def heading(self, indent: int, title: str) -> None:
        """A line announces a subtest."""
        self._headed = True
        self._forget(indent)
        self._headings.append((indent, title))
        while self._pending and self._pending[-1].indent > indent:
            self.points.append(self._pending.pop())  # of a subtest whose own line is missing

    def is_open(self, indent: int, title: str) -> bool:
        """True when the innermost heading is this one."""
        return bool(self._headings) and self._headings[-1] == (indent, title)

    def add(self, point: Point) -> bool:
        """A point's own line. False when another subtest is open where it stands, as happens
        with a line that a test itself has printed: then it is left out."""
        indent, headings = point.indent, self._headings
        open_here = [title for level, title in headings if level == indent]
        if open_here and open_here[0] != point.title:
            return False
        self._forget(indent)
        point.above = tuple(title for _, title in headings)
        self._failed = self._failed or not point.passed
        point.headed = bool(open_here)
        self._adopt(point, point.headed)
        self._pending.append(point)
        return True

    def _forget(self, indent: int) -> None:
        while self._headings and self._headings[-1][0] >= indent:
            self._headings.pop()

    def _adopt(self, point: Point, headed: bool) -> None:
        pending, keep = self._pending, len(self._pending)
        while keep and pending[keep - 1].indent > point.indent:
            keep -= 1
        if keep == len(pending):
            return
        unseen = not self._headed and (self._failed or not point.passed)
        point.group = True
        if headed or keep == 0 or unseen:
            if not headed and not unseen:
                self._guessed = True
            point.children = pending[keep:]
            del pending[keep:]

    def cut(self) -> None:
        """Lines are missing here: what is open stays as it stands."""
        self.points += self._pending
        self._pending, self._headings = [], []

    def roots(self) -> List[Point]:
        """The points that no other has taken for its own."""
        roots = self.points + self._pending
        if not self._guessed or self._headed or self._failed:
            return roots
        flat: List[Point] = []  # only passes and no heading at all: filtered, so nothing is sure
        for root in roots:
            flat += [point for _, point in root.walk()]
        for point in flat:
            point.children = _CHILDLESS
        return flat

    def walk(self) -> Iterator[Tuple[Tuple[str, ...], Point]]:
        """Every point with the titles above it, children first."""
        for point in self.roots():
            yield from point.walk()


class TapRun(Outline):
    """One TAP stream: its points, and the numbers in its plan and closing comments."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Dict[str, int] = {}
        self.plan: Optional[int] = None
        self.version = 0
        self.bailed = False
        self.dashed = False  # "ok 1 - title"; mocha writes "ok 1 title"
        self.grouped = False  # some point is a subtest
        self.timed = False  # "ok 1 - title # time=1.11ms"

    @property
    def empty(self) -> bool:
        return super().empty and not self.counts and not self.version and self.plan is None


class Tap:
    """Reads TAP line by line; `close` gives the streams that one output holds."""

    def __init__(self) -> None:
        self.runs: List[TapRun] = []
        self._start()

    def _start(self) -> None:
        self.run = TapRun()
        self._braces: List[Point] = []
        self._numbers: Dict[int, int] = {}
        self._last: Optional[Point] = None
        self._yaml = -1
        self._points = self._blocks = 0  # since the beginning or a cut
        self._followed = False  # a line that stands outside of blocks came after the last point
        self._said: Dict[int, str] = {}
        self._furnished = False
        self._ended = False

    def feed(self, line: str) -> bool:
        """Take one line; True when it belongs to TAP."""
        if not line:
            return False
        if line[0] == "." and is_cut(line):
            self.cut()
            return False
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if self._yaml >= 0 and self._in_yaml(text, indent):
            return True
        first = text[:1]
        if first == "o" or first == "n":
            return self._point(line, text)
        if first == "#":
            return self._comment(text, indent)
        if first == "}":
            return text.rstrip() == "}" and self._brace(indent)
        if first == "-":
            return text == "---" and self._open_yaml(indent)
        return first in "1TB" and self._furniture(text, indent)

    def _tear(self) -> None:
        """The lines end here: whether the last point is a test or a suite stands in its block, where all
        points have one. Without it the point counts as nothing."""
        last = self._last
        if last is None or self._followed or "location" in last.details or "json" in last.details:
            return
        if self._yaml >= 0 or (last.details is _BARE and 0 < self._blocks == self._points - 1):
            last.directive = last.directive or "TORN"

    def cut(self) -> None:
        """Lines are missing here: the state before holds no longer."""
        self._tear()
        self._points = self._blocks = 0
        self.run.cut()
        self._numbers, self._said, self._braces = {}, {}, []
        self._yaml, self._last = -1, None

    def close(self) -> List[TapRun]:
        """No line follows: all streams, without those that hold nothing."""
        self._tear()
        self._next_run()
        return self.runs

    def _next_run(self) -> None:
        while self._braces:
            self._close_brace()
        if not self.run.empty:
            self.runs.append(self.run)
        self._start()

    def _in_yaml(self, text: str, indent: int) -> bool:
        if text == "..." and indent == self._yaml:
            self._yaml = -1
            return True
        if indent < self._yaml and text.startswith(("ok ", "not ok ", _SUBTEST)):
            self._yaml = -1  # its end was filtered away
            return False
        if self._last is None:
            return True
        match = _DETAIL.match(text)
        if match or text.startswith("{"):
            key, value = (match[1], match[2].strip("'\"")) if match else ("json", text)
            self._add_detail(self._last, key, value)
        return True

    def _add_detail(self, point: Point, key: str, value: str) -> None:
        if key == "duration_ms":
            value = ""
            if point.details is _BARE:
                point.details = _TIMED
        if point.details is _BARE or (point.details is _TIMED and key not in _TIMED):
            point.details = dict(point.details)
        point.details.setdefault(key, value)

    def _open_yaml(self, indent: int) -> bool:
        if self._last is None or indent <= self._last.indent:
            return False
        self._yaml, self._furnished = indent, True
        self._blocks += 1
        return True

    def _furniture(self, text: str, indent: int) -> bool:
        if text.startswith("TAP version 1"):
            if indent == 0:
                if not self.run.empty:
                    self._next_run()
                self.run.version, self._furnished = 14 if text.startswith("TAP version 14") else 13, True
            return True
        if text.startswith("Bail out!"):
            self.run.bailed = True
            return True
        match = _PLAN.match(text) if text.startswith("1..") else None
        if match is None:
            return False
        self._furnished = self._followed = True
        if indent == 0:
            self._ended = self._ended or self._numbers.get(0) is not None
            self.run.plan = int(match[1][:9])
        return True

    def _comment(self, text: str, indent: int) -> bool:
        if text.startswith(_SUBTEST):
            if indent == 0 and self._ended:
                self._next_run()
            self._furnished = self.run.grouped = True
            self._deeper(indent)
            self.run.heading(indent, split_directive(text[len(_SUBTEST) :].rstrip())[0])
            return True
        self._said[indent], self._followed = text[2:], True
        if indent == 0 and not self.run.empty:
            self._count(text[2:])
        return True

    def _count(self, text: str) -> None:
        pairs = _COUNT.findall(text[:200])
        for word, number in pairs if text.startswith("{") else pairs[:1]:
            if text.startswith(("{", word)):
                self.run.counts[word] = int(number[:9])
                self._ended = True

    def _deeper(self, indent: int) -> None:
        """A heading or a point at this indent ends what was deeper."""
        for deeper in [n for n in self._numbers if n > indent]:
            del self._numbers[deeper]

    def _point(self, line: str, text: str) -> bool:
        match = _POINT.match(text) if text.startswith(("ok ", "not ok ")) else None
        if match is None:
            return False
        indent, number, rest = len(line) - len(text), int(match[2][:9]), match[3].rstrip()
        braced = rest.endswith(" {")
        title, directive = split_directive(rest[:-2].rstrip() if braced else rest)
        if not self._in_order(indent, number, title):
            return True
        self.run.dashed = self.run.dashed or text.startswith(" - ", match.end(2))
        self.run.timed = self.run.timed or "# time=" in rest
        self._deeper(indent)
        self._numbers[indent] = number
        while self._braces and self._braces[-1].indent >= indent:
            self._close_brace()
        point = Point(title, not match[1], directive, indent)
        point.said = self._said.get(indent, "")
        self._last, self._followed = point, False
        self._points += 1
        if braced:
            point.group = self._furnished = True
            self.run.heading(indent, title)
            self._braces.append(point)
        else:
            self.run.add(point)
        return True

    def _in_order(self, indent: int, number: int, title: str) -> bool:
        """Points count upwards; one that does not begins another stream or is a test's print."""
        if number > self._numbers.get(indent, 0) or self.run.is_open(indent, title):
            return True
        if indent or (self._furnished and not self._ended):
            return not self._furnished
        self._next_run()
        return True

    def _close_brace(self) -> None:
        """The point of a block in braces counts from its end, like one that has a heading."""
        self.run.add(self._braces.pop())

    def _brace(self, indent: int) -> bool:
        if not any(b.indent == indent for b in self._braces):
            if self.run.dashed and not self._braces:
                self.run.cut()  # the head of this block was cut away: what it held has no name
            return False
        while self._braces and self._braces[-1].indent >= indent:
            self._close_brace()
        return True


def split_directive(rest: str) -> Tuple[str, str]:
    """The title of a test point and its directive: "SKIP", "TODO" or "" (a time is none).

    "works with NaN # SKIP", "issue \\#12 # TODO later", "fast # time=1.11ms"
    """
    directive, at = "", rest.find("#")
    while at >= 0:
        word = rest[at + 1 : at + 8].lstrip()[:4].upper()
        if word in ("SKIP", "TODO", "TIME") and (at == 0 or rest[at - 1] == " "):
            directive = "" if word == "TIME" else word
            rest = rest[:at].rstrip()
            break
        at = rest.find("#", at + 1)
    if "\\" in rest:
        rest = rest.replace("\\\\", "\0").replace("\\#", "#").replace("\0", "\\")
    return rest, directive


class Case(NamedTuple):
    """One <testcase>: its attributes (unescaped), the names of the suites around it, its
    outcome "passed", "failed" or "skipped", and the message of its failure."""

    attributes: Dict[str, str]
    suites: Tuple[str, ...]
    outcome: str
    message: str = ""


# "<testcase name="adds" time="0">", "</testsuite>"; and "<failure message="x">", "<skipped/>", whose
# attributes may go on over several lines
_TAG = re.compile(
    r"<(/?)(testsuites?|testcase)((?:\s+[\w:.-]+=\"[^\"]*\")*)\s*(/?)>"
    r"|<(failure|error|skipped)\b(?: type=\"[^\"]*\")?(?: message=\"([^\"]*)\")?"
)
# ' name="a &gt; b"'
_ATTRIBUTE = re.compile(r"\s([\w:.-]+)=\"([^\"]*)\"")
# "&gt;", "&#x3C;", "&#39;"
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def unescape(text: str) -> str:
    """XML text without its character references."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _NAMED[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    return chr(code) if code < 0x110000 else match[0]


class JUnit:
    """Reads JUnit XML line by line; `cases` are the test cases that ended, `suites` the
    attributes of the outermost suite elements in order."""

    def __init__(self) -> None:
        self.cases: List[Case] = []
        self.suites: List[Dict[str, str]] = []
        self._open: List[str] = []
        self._case: Optional[Dict[str, str]] = None
        self._outcome = "passed"
        self._message = ""
        self._cdata = False

    @property
    def open(self) -> bool:
        """True inside a document."""
        return bool(self._open or self._cdata) or self._case is not None

    def feed(self, line: str) -> bool:
        """Take one line; True when it belongs to the document."""
        if line[:1] == "." and is_cut(line):
            self.cut()
            return False
        if self._cdata:
            end = line.rfind("]]>")
            self._cdata = end < 0
            if end >= 0:
                self.feed(line[end + 3 :])
            return True
        if "<" in line:
            start = line.find("<![CDATA[")
            for match in _TAG.finditer(line if start < 0 else line[:start]):
                self._tag(match)
            if start >= 0:
                return self._skip_cdata(line, start)
        return self.open or "<testsuite" in line

    def _skip_cdata(self, line: str, start: int) -> bool:
        end = line.rfind("]]>")
        self._cdata = end < start
        if end > start:
            for match in _TAG.finditer(line, end):
                self._tag(match)
        return True

    def cut(self) -> None:
        """Lines are missing here: the state before holds no longer."""
        self._open, self._case, self._cdata = [], None, False

    def close(self) -> List[Case]:
        """No line follows: all cases; one that is still open counts if it has failed."""
        if self._case is not None and self._outcome == "failed":
            self._end_case()
        self._case = None
        return self.cases

    def _tag(self, match: re.Match[str]) -> None:
        ends, tag, attributes, empty = bool(match[1]), match[2], match[3], bool(match[4])
        if tag == "testcase":
            self._testcase(ends, attributes, empty)
        elif tag:
            self._suite(tag, ends, attributes, empty)
        elif self._case is not None:
            # node gives a todo that fails both elements
            self._outcome = "skipped" if "skipped" in (match[5], self._outcome) else "failed"
            self._message = self._message or unescape(match[6] or "")

    def _testcase(self, ends: bool, attributes: str, empty: bool) -> None:
        if ends:
            if self._case is not None:
                self._end_case()
            return
        self._case, self._outcome, self._message = _attributes(attributes), "passed", ""
        if empty:
            self._end_case()

    def _suite(self, tag: str, ends: bool, attributes: str, empty: bool) -> None:
        self._case = None
        if ends:
            if self._open:
                self._open.pop()
            return
        found = _attributes(attributes)
        if not self._open:
            self.suites.append(found)
        if not empty:
            self._open.append("" if tag == "testsuites" else found.get("name", ""))

    def _end_case(self) -> None:
        if self._case is not None:
            suites = tuple(name for name in self._open if name)
            self.cases.append(Case(self._case, suites, self._outcome, self._message))
        self._case = None


def _attributes(text: str) -> Dict[str, str]:
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(text)}
