"""pytest: https://docs.pytest.org/en/stable/how-to/output.html; printed by _pytest/terminal.py.

Also the result lines of pytest-xdist, and the words that pytest-rerunfailures, pytest-retry, flaky
and pytest-subtests add. A test is named by its node id, in one of

    tests/test_a.py::test_x PASSED                    [ 50%]      (-v; with -s, text may stand between)
    [gw0] [ 50%] PASSED tests/test_a.py::test_x                   (-v with pytest-xdist)
    FAILED tests/test_a.py::test_x - AssertionError: ...          (short test summary info, -r)
            tests/test_a.py::test_x (fixtures used: cart).        (--setup-show)

What stands below the FAILURES, ERRORS and PASSES headings is text of the tests and names none.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple

    Verdict = Tuple[str, str]
    Words = Dict[str, Dict[str, int]]

PREFIX = "pytest"

# What a word says of its test: passed, failed, error in setup or teardown, a failed attempt that is
# repeated, a failed subtest, or nothing that counts.
_WORDS = {
    "PASSED": "P", "XPASS": "P", "FAILED": "F", "ERROR": "E", "RERUN": "R", "RETRY": "R",
    "SUBFAILED": "S", "SUBFAIL": "S", "SKIPPED": "", "XFAIL": "", "SUBPASSED": "", "SUBPASS": "",
    "SUBSKIPPED": "", "SUBSKIP": "", "SUBXFAIL": "", "SUBXPASS": "",
}  # fmt: skip
_ENDINGS = tuple(_WORDS)
_LETTERS = {".": "P", "F": "F", "E": "E", "X": "P", "R": "R"}

_FAILING = {"failed", "error", "errors"}
_RUNNING = {"passed", "xfailed", "xpassed", "rerun", "retried"} | _FAILING
_COUNTED = {"skipped", "deselected", "warning", "warnings"} | _RUNNING

_CAPTURED = ("FAILURES", "ERRORS", "PASSES", "XFAILURES", "XPASSES")
_LISTS = ("short test summary info", "rerun test summary info")
_OTHERS = ("warnings summary", "slowest ", "tests coverage", "the following tests were retried")

# Ends the lines of plugins that are read: an unmet threshold of pytest-cov, an attempt that flaky repeats.
_ASIDES = ("%", ").", *"0123456789")

# Begins lines that may stand among results without being printed by a test.
_BELONGING = (
    "E  ", ">", "!!!", "[gw", "collect", "        SETUP ", "        TEARDOWN ", "SKIPPED [",
    "XFAIL ", "ERROR ",
)  # fmt: skip

# The places of an output. HEAD is a text whose beginning nothing explains: -q, or cut by tail or grep.
_HEAD, _PROGRESS, _TEXT, _LIST, _OTHER = range(5)

# "[gw0] [ 14%] PASSED tests/test_a.py::test_x", "[gw1] SUBFAILED[cell] (x='1') tests/test_a.py::test_x"
_WORKER = re.compile(r"\[gw\d+\] (?:\[ *\d+(?:%|/\d+)\] )?([A-Z]+)([\[ (].*)$")
# "..F.s.                     [100%]", the row of -q
_ROW = re.compile(r"[.FEsxXRu,y-]* +\[ *\d+(?:%|/\d+)\]$")
# "test_flip failed (1 runs remaining out of 2).", in the report of the plugin flaky
_REMAINING = re.compile(r"(\S+) failed \(\d+ runs remaining out of \d+\)\.$")


def read(text: str) -> Report:
    """Read an output of pytest, whole or cut."""
    reader = _Reader()
    for line in lines(text):
        if line:
            reader.line(line)
    return reader.report()


class _Reader:
    """Follows the places of an output and collects, per run of pytest, which words stand by which test."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.ran = self.unfinished = False
        self._begin()

    def _begin(self) -> None:
        self.place = _HEAD
        self.header = self.broken = self.uncovered = self.cut = False
        self.width = 0
        self.shown: Words = {}
        self.listed: Words = {}
        self.started: set[str] = set()
        self.retried: Dict[str, int] = {}
        self.closing: Optional[Dict[str, int]] = None
        self.framed = False
        self.open: Optional[str] = None
        self.maybe = ""
        self._begin_head()

    def _begin_head(self) -> None:
        self.place = _HEAD
        self.head_shown: Words = {}
        self.head_listed: Words = {}
        self.dirty = False

    def line(self, line: str) -> None:
        """Take the next line."""
        first = line[:1]
        if first == "=" and line.endswith("=") and self._section(line):
            return
        if first == "." and is_cut(line):
            self._close_open()
            self._end_head()
            self._begin_head()
            self.cut, self.header = True, False
        elif first.isdigit() or first == "n":
            self._plain_closing(line)
        elif first == "!" and line.startswith("!!!") or line.startswith("INTERNALERROR>"):
            self.broken = True
        if self.place == _PROGRESS:
            self._progress(line)
        elif self.place == _LIST:
            self._list(line)
        elif self.place == _HEAD:
            self._head(line)
        if self.place != _TEXT and line.endswith(_ASIDES):
            self._asides(line)

    def _asides(self, line: str) -> None:
        if line.startswith(("FAIL Required test coverage of ", "ERROR: Coverage failure: ")):
            self.uncovered = True
        elif " runs remaining out of " in line:
            match = _REMAINING.match(line)
            if match:
                self.retried[match[1]] = self.retried.get(match[1], 0) + 1

    # Headings, "==== name ====".

    def _section(self, line: str) -> bool:
        core = line.strip("=").strip()
        if core == "test session starts":
            return self._session(len(line))
        if self.width and len(line) != self.width and not line.startswith("= "):
            return False  # pytest draws every heading as wide as the first
        if core in _CAPTURED:
            self._heading(len(line), _TEXT)
        elif core in _LISTS:
            self._heading(len(line), _LIST)
        elif core.startswith(_OTHERS) and self.place != _TEXT:
            self._heading(len(line), _OTHER)
        else:
            counts = _counts(core)
            if counts is None:
                return False
            self._closing(counts, True)
        return True

    def _session(self, width: int) -> bool:
        if self.place == _TEXT and self.closing is None:
            return False  # printed by a test that runs pytest itself
        self.end()
        self.header, self.width, self.place = True, width, _PROGRESS
        return True

    def _heading(self, width: int, place: int) -> None:
        if self.place == _HEAD and self.closing is not None:
            self.end()
        self._close_open()
        if self.place == _TEXT:
            self.closing = None  # what looked like the closing line was text of a test
        if self.place == _HEAD and not self.dirty:
            _add(self.shown, self.head_shown)
        self._begin_head()
        self.width, self.place = width, place

    # The closing line, "1 failed, 2 passed in 0.03s", in a frame unless -q.

    def _plain_closing(self, line: str) -> None:
        if not self.header and " in " in line:
            counts = _counts(line)
            if counts is not None:
                self._closing(counts, False)

    def _closing(self, counts: Dict[str, int], framed: bool) -> None:
        self._close_open()
        if self.place == _HEAD and self.closing is not None and self.framed == framed:
            self.end()
        self.closing, self.framed = counts, framed
        if self.place not in (_HEAD, _TEXT):
            self.end()

    # Lines of results.

    def _progress(self, line: str) -> None:
        verdict = _verdict(line)
        if self.open is None:
            if verdict:
                _note(self.shown, verdict)
                self.started.add(verdict[0])
            else:
                self._start(line)
        elif verdict:
            self._verdict_while_open(verdict, line.endswith("]"))
        else:
            self._text_while_open(line)

    def _start(self, line: str) -> None:
        name = _leading_id(line) if "::" in line else None
        if name:
            self.open, self.maybe = name, _glued(line[len(name) :])
            self.started.add(name)

    def _verdict_while_open(self, verdict: Verdict, progress: bool) -> None:
        if verdict[0] == self.open:
            self.open = None
        elif progress and not self.maybe and not self.started.issuperset(verdict[:1]):
            return  # printed by the open test: pytest -s shows no progress behind its own words
        self._close_open()
        _note(self.shown, verdict)
        self.started.add(verdict[0])

    def _text_while_open(self, line: str) -> None:
        word = _without_progress(line)
        if word in _WORDS and self.open is not None:
            _note(self.shown, (self.open, _WORDS[word]))
            self.open = None
        elif "::" in line and _leading_id(line):
            self._close_open()
            self._start(line)
        else:
            self.maybe = _glued(word) or self.maybe

    def _close_open(self) -> None:
        if self.open is not None and self.maybe:
            _note(self.shown, (self.open, self.maybe))
        self.open, self.maybe = None, ""

    def _list(self, line: str) -> None:
        form = _form(line)
        if form:
            _note(self.listed, form)

    def _head(self, line: str) -> None:
        verdict = form = None
        if "::" in line:
            verdict = _verdict(line)
            form = None if verdict else _form(line)
        row = not (verdict or form) and line.endswith("]") and _ROW.match(line)
        if (verdict or form or row) and self.closing is not None:
            self.end()
        if verdict:
            _note(self.head_shown, verdict)
            self.started.add(verdict[0])
        elif form:
            _note(self.head_listed, form)
        elif _is_heading(line):
            self._begin_head()
            self.place = _TEXT
        elif not row and self.closing is None and (self.head_shown or self.head_listed):
            self.dirty = self.dirty or not _belongs(line)

    # The end of a run.

    def end(self) -> None:
        """Close the run of pytest that was read last."""
        self._close_open()
        self._end_head()
        counts = self.closing
        if counts and not self.cut:
            self._weigh(counts)
        if self.header and self.started and not self.cut:
            self.listed = {name: words for name, words in self.listed.items() if name in self.started}
        self._add_retried()
        for name, words in _most(self.shown, self.listed).items():
            failed, passed = _runs(words)
            self.tally.add("run", name, None, False, failed)
            self.tally.add("run", name, None, True, passed)
        self.tally.end(self._summary(counts))
        self._begin()

    def _end_head(self) -> None:
        if not self.dirty or self.closing and _adds_up(self.head_listed, self.closing):
            _add(self.shown, self.head_shown)
            _add(self.listed, self.head_listed)
        self.head_shown, self.head_listed = {}, {}

    def _weigh(self, counts: Dict[str, int]) -> None:
        """Believe the closing line: more passes than it counts were printed by tests."""
        passes = sum(words.get("P", 0) for words in self.shown.values())
        if passes > counts.get("passed", 0) + counts.get("xpassed", 0):
            for words in self.shown.values():
                words.pop("P", None)
        if self.listed and _adds_up(self.listed, counts):
            for name, words in self.shown.items():
                if "F" not in self.listed.get(name, {}):
                    words.pop("F", None)

    def _add_retried(self) -> None:
        """The plugin flaky names the attempts that failed by the function's name alone."""
        for function, times in self.retried.items():
            names = {**self.shown, **self.listed}
            known = [name for name in names if name.partition("[")[0].endswith("::" + function)]
            if len(known) == 1:
                self.shown.setdefault(known[0], {})["R"] = times

    def _summary(self, counts: Optional[Dict[str, int]]) -> str:
        if counts is None:
            self.unfinished = self.unfinished or self.header or self.cut
            return NONE
        if not _RUNNING.intersection(counts):
            self.tally.idle = True
            return NONE
        self.ran = True
        if _FAILING.intersection(counts) or self.uncovered:
            return FAILED
        return NONE if self.broken else PASSED

    def report(self) -> Report:
        """Close what is open and sum up."""
        self.end()
        self.tally.idle = self.tally.idle and not self.ran
        report = self.tally.report()
        if self.unfinished and report.summary == PASSED:
            return report._replace(summary=NONE)  # of several runs the end of one is missing
        return report


# Counting words.


def _note(words: Words, verdict: Verdict) -> None:
    counts = words.setdefault(verdict[0], {})
    if verdict[1]:
        counts[verdict[1]] = counts.get(verdict[1], 0) + 1


def _add(words: Words, more: Words) -> None:
    for name, counts in more.items():
        into = words.setdefault(name, {})
        for word, times in counts.items():
            into[word] = into.get(word, 0) + times


def _most(shown: Words, listed: Words) -> Words:
    """A run stands in the result lines and in the list; the place that says more counts."""
    out: Words = {name: dict(words) for name, words in shown.items()}
    for name, words in listed.items():
        into = out.setdefault(name, {})
        for word, times in words.items():
            into[word] = max(into.get(word, 0), times)
    return out


def _runs(words: Dict[str, int]) -> Tuple[int, int]:
    """How many runs failed and passed: an error in teardown belongs to the run it ends, and failed
    subtests, whose test may count as passed, make one failed run."""
    failed = max(words.get("F", 0), words.get("E", 0), min(words.get("S", 0), 1))
    turned = failed - words.get("F", 0)
    return failed + words.get("R", 0), max(words.get("P", 0) - turned, 0)


def _adds_up(listed: Words, counts: Dict[str, int]) -> bool:
    """True when a list holds as many failures as the closing line counts."""
    failed = sum(words.get("F", 0) + words.get("S", 0) for words in listed.values())
    return failed == counts.get("failed", 0)


# Shapes of lines.


def _counts(core: str) -> Optional[Dict[str, int]]:
    """{"failed": 1, "passed": 2} of "1 failed, 2 passed in 0.03s"; None for any other text."""
    items, found, duration = core.rpartition(" in ")
    if not found or not duration[:1].isdigit() or "s" not in duration:
        return None
    if items == "no tests ran" or items.endswith(("tests collected", "test collected", "deselected)")):
        return {"collected": 0}
    counts = {}
    for item in items.split(", "):
        number, _, word = item.partition(" ")
        if not (number.isdigit() and word and word.replace(" ", "").isalpha()):
            return None
        counts[word] = int(number) if len(number) < 10 else 0
    return counts if _COUNTED.intersection(counts) else None


def _without_progress(line: str) -> str:
    """A result line without "[ 50%]", "[ 1/11]" or, in the style "times", "286.6us" at its end."""
    text = line.rstrip()
    if text.endswith("]"):
        start = text.rfind("[")
        done = text[start + 1 : -1].strip()
        if done and done.replace("/", "").rstrip("%").isdigit():
            return text[:start].rstrip()
    elif text.endswith("s"):
        head, _, time = text.rpartition(" ")
        if time[0].isdigit():
            return head.rstrip()
    return text


def _verdict(line: str) -> Optional[Verdict]:
    """(node id, what its word says) of a whole result line, or None."""
    if "::" not in line:
        return None
    if line.startswith("[gw"):
        return _worker_verdict(line)
    if line.startswith("        "):
        return _setup_show(_without_progress(line).strip())
    text = _without_progress(line)
    name, _, word = text.rpartition(" ")
    if word in _WORDS:
        name = name.rstrip()
        if word.startswith("SUB"):  # "tests/test_a.py::test_x [cell] (x=1) SUBFAIL"
            name = _leading_id(name + " ") or ""
        return (name, _WORDS[word]) if _is_id(name) else None
    return _verdict_with_reason(text)


def _verdict_with_reason(text: str) -> Optional[Verdict]:
    """The result lines that say more: "id XPASS (fixed?)", "id SUBFAILED[cell] (x=1)"."""
    for word in ("SUBFAILED", "SUBPASSED", "XPASS", "XFAIL", "SKIPPED"):
        at = text.find(" " + word)
        if at > 0 and text[at + 1 + len(word)] in " [(" and _is_id(text[:at].rstrip()):
            return text[:at].rstrip(), _WORDS[word]
    return None


def _worker_verdict(line: str) -> Optional[Verdict]:
    match = _WORKER.match(line.rstrip())
    if not match or match[1] not in _WORDS:
        return None
    name = match[2][1:]
    if match[1].startswith("SUB"):
        name = _id_after_description(match[2])
    return (name, _WORDS[match[1]]) if _is_id(name) else None


def _setup_show(text: str) -> Optional[Verdict]:
    name, found, rest = text.partition(" (fixtures used: ")
    if found:
        said = rest.rpartition(")")[2].strip()
    else:
        name, _, said = text.rpartition(" ")
        if not name and text.endswith("."):
            name, said = text[:-1], "."
    letter = _LETTERS.get(said) or _WORDS.get(said)
    return (name, letter) if letter and _is_id(name) else None


def _form(line: str) -> Optional[Verdict]:
    """(node id, what its word says) of a line of the short summary, or None."""
    if "::" not in line:
        return None
    word, _, rest = line.partition(" ")
    if _WORDS.get(word):
        name = _id_before_message(rest)
    elif word.startswith("SUBFAILED") and "::" in rest:
        word, name = "SUBFAILED", _id_before_message(_id_after_description(rest))
    elif line[:1] in ("[", "(") and " SUBFAIL " in line:
        word, name = "SUBFAIL", _id_before_message(line.rpartition(" SUBFAIL ")[2])
    else:
        return None
    return (name, _WORDS[word]) if _is_id(name) else None


def _id_after_description(text: str) -> str:
    """The part of "(x='1') tests/test_a.py::test_x - ..." that begins with the node id."""
    return text[text.rfind(" ", 0, max(text.find("::"), 0)) + 1 :]


def _id_before_message(text: str) -> str:
    """The node id of "id - message"; a parameter in the id may itself hold " - " and brackets."""
    plain = text.partition(" - ")[0]
    if "[" not in plain:
        return plain.rstrip()
    depth, end = 0, -1
    for at, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == "]" and text[at + 1 : at + 4] in ("", " - "):
            end = at if end < 0 else end
            if depth == 0:
                return text[: at + 1]
    return text[: end + 1] if end >= 0 else plain


def _leading_id(line: str) -> Optional[str]:
    """The node id at the beginning of a line that goes on with a blank, or None."""
    name = line.partition(" ")[0]
    if "[" in name and not name.endswith("]"):
        end = line.find("] ")
        name = line[: end + 1] if end > 0 else name
    return name if len(name) < len(line) and _is_id(name) else None


def _is_id(name: str) -> bool:
    """True for "path/file.ext::name", with blanks in the parameter only."""
    path, _, test = name.partition("::")
    if not test or " " in path or "." not in path.rpartition("/")[2]:
        return False
    function = test.partition("[")[0]
    return bool(function) and not (" " in function and path.endswith(".py"))


def _glued(text: str) -> str:
    """What the word at the end of a text says: "loading...PASSED"; "" without one."""
    if text.endswith(_ENDINGS):
        for word, says in _WORDS.items():
            if text.endswith(word) and not text.endswith("SUB" + word):
                return says
    return ""


def _is_heading(line: str) -> bool:
    """True for "____ test_x ____" and "---- Captured stdout call ----"."""
    if line.startswith("___"):
        return line.endswith("___") and " " in line
    return line.startswith("---") and " Captured " in line and line.endswith("---")


def _belongs(line: str) -> bool:
    """True for a line that may stand among results without being printed by a test."""
    if line.endswith("%]") or line.startswith(_BELONGING):
        return True
    return _leading_id(line) is not None
