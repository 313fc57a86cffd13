"""libtest behind cargo test: https://doc.rust-lang.org/rustc/tests/index.html#output-options.

Printed by library/test/src/formatters/{pretty,terse,json}.rs; cargo's own lines say whose they are:

    "     Running unittests src/lib.rs (target/debug/deps/app-71ce70495b798487)", "   Doc-tests app"

With --nocapture the text of a test stands between its name and its outcome, or between the lines
of others. So the counts of the result line, and the list of failures before it, are believed
over the lines of single tests.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

PREFIX = "cargo"

# "running 8 tests"
_RUNNING = re.compile(r"running (\d{1,9}) tests?$")
# "test result: FAILED. 4 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s"
_RESULT = re.compile(
    r"test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; "
)
# "app-71ce70495b798487", "app-71ce70495b798487.exe"
_HASH = re.compile(r"-[0-9a-f]{16}(?:\.exe|\.wasm)?$")
# "src/lib.rs - add (line 14)": the only names with blanks
_DOC_TEST = re.compile(r"\S+ - (?:\S+ )?\(line \d+\)$")

_SUFFIXES = (" - should panic", " - compile fail", " - compile", " - ignore")
_OUTCOMES = {"ok": "ok", "FAILED": "FAILED", "ignored": ""}
_FAILURES = ("error: test failed, to rerun pass ", "error: doctest failed, to rerun pass ")
# "error: test failed, to rerun pass `-p app --lib`", before 1.64 with other quotes
_AGAIN = re.compile(r"error: test failed, to rerun pass [`'](.{1,200})[`']$")
_EVENT = '{ "type": "'
_STATUSES = ("     Running ", "   Doc-tests ")


def read(text: str) -> Report:
    """Read an output of cargo test, whole or cut."""
    reader = _Reader()
    for line in lines(text):
        if line:
            reader.line(line)
            reader.first = False
    return reader.report()


class _Run:
    """What one test binary has said so far."""

    def __init__(self) -> None:
        self.expected: Optional[int] = None  # "running 8 tests"
        self.results: List[Tuple[str, bool]] = []
        self.glued: List[Tuple[str, bool]] = []  # behind printed text
        self.printed: set[int] = set()  # results in a block that a test printed
        self.block = 0
        self.open: Optional[str] = None  # its name is there, its outcome not yet
        self.maybe = ""
        self.weak: Optional[Tuple[int, str]] = None  # an outcome that may have been printed
        self.section = ""  # "failures:" or "successes:"
        self.details = False  # captured output was shown
        self.listing = False
        self.lists: Dict[str, List[str]] = {}
        self.json = False


class _Reader:
    """Collects the results of a test binary until its result line."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.scope: Optional[str] = None
        self.run = _Run()
        self.first = True
        self.evident = self.nextest = self.unfinished = self.ran = False
        self.counted: set[str] = set()  # failures before a cut, which the list behind it names again
        self.failed: List[Tuple[str, Optional[str]]] = []  # in the test binary that has just ended
        self.lost = False  # cargo's lines do not stand where they were printed

    def line(self, line: str) -> None:
        """Take the next line."""
        if line[0] == " ":
            self._indented(line)
        elif self.nextest:
            return
        elif _EVENT in line:
            self._event(line)
        elif line.startswith("error: "):
            self._error(line)
        elif line[0] == "." and is_cut(line):
            self._cut()
        elif not self.run.json and not self._heading(line):
            self._text(line)

    def _indented(self, line: str) -> None:
        if line.startswith(_STATUSES):
            self._status(line)
        elif line.startswith(" Nextest run "):
            self._finish(None)
            self.nextest = True
        elif self.run.listing and line[:4] == "    " and line[4:5] != " ":
            self.run.lists[self.run.section].append(line[4:])
        elif self.run.section == "":
            self._text(line)

    def _status(self, line: str) -> None:
        self._finish(None)
        self.nextest, self.evident, self.failed = False, True, []
        if line.startswith("   Doc-tests "):
            self.scope = "doc:" + line[13:].strip()
            return
        path = line.rstrip().rstrip(")").rpartition("(" if line.rstrip().endswith(")") else " ")[2]
        self.scope = _HASH.sub("", path.replace("\\", "/").rpartition("/")[2]) or None

    def _error(self, line: str) -> None:
        if line.startswith(_FAILURES) or line.endswith((" target failed:", " targets failed:")):
            self._finish(None, FAILED)
            self._target(_AGAIN.match(line))
        elif line.startswith("error: could not compile "):
            self.unfinished = True

    def _target(self, match: Optional[re.Match[str]]) -> None:
        """How cargo says that the test binary which has just failed is chosen."""
        if match:
            self.lost = self.lost or not self.failed
            self.tally.targets.update({test: match[1] for test in self.failed})
            self.failed = []

    def _cut(self) -> None:
        failed = {name for name, passed in self.run.results if not passed}
        self._finish(None)
        self.scope, self.counted, self.nextest, self.unfinished = None, failed, False, True

    # Lines that begin and end parts of a run.

    def _heading(self, line: str) -> bool:
        run = self.run
        if line in ("failures:", "successes:"):
            run.section, run.listing = line, True
            run.lists[line] = []
            return True
        run.listing = run.listing and not line.startswith("----")
        if line.startswith("---- ") and line.endswith(" ----"):
            if not run.section:
                self.run = run = _Run()  # the text begins among captured output
                run.section = "failures:"
            run.details = True
            return True
        if line.startswith("running "):
            return self._running(line)
        return line.startswith("test result: ") and self._result(line)

    def _running(self, line: str) -> bool:
        match = _RUNNING.match(line)
        if not match or self.run.expected is not None or self.run.section:
            return False
        self._finish(None)
        self.run.expected = int(match[1])
        self.evident = True
        return True

    def _result(self, line: str) -> bool:
        match = _RESULT.match(line)
        if not match:
            return False
        passed, failed, ignored, measured = (int(match[n]) for n in (2, 3, 4, 5))
        run = self.run
        total = passed + failed + ignored + measured
        listed = run.lists.get("failures:")
        if run.expected is not None and total != run.expected or listed and len(listed) != failed:
            self._reject()
            return True
        self.evident = True
        summary = FAILED if match[1] == "FAILED" else PASSED if passed or measured else NONE
        self.failed = [(_plain_name(name), self.scope) for name in listed or () if failed]
        self._finish((passed, failed), summary)
        if summary == NONE:
            self.tally.idle = True
        return True

    def _reject(self) -> None:
        """A result line that a test printed: so were the lines just before it."""
        run = self.run
        run.printed.update(range(run.block, len(run.results)))
        run.listing = False
        if not run.details:
            run.section = ""
            run.lists = {}

    # Lines of single tests.

    def _text(self, line: str) -> None:
        run = self.run
        if run.section:
            return
        if line.startswith("test "):
            if self._test(line):
                return
        elif line.endswith(" --- FAILED") and _is_name(line[:-11], run):
            run.results.append((_plain_name(line[:-11]), False))
            return
        outcome = _outcome(line)
        if outcome is not None:
            self._outcome_alone(outcome)
            return
        run.block = len(run.results)
        if line.endswith(("ok", "FAILED")):
            self._glued(line)

    def _test(self, line: str) -> bool:
        run = self.run
        name, found, rest = line[5:].partition(" ... ")
        if not found or not _is_name(name, run):
            return False
        self.evident = self.evident or self.first
        outcome = _outcome(rest)
        if run.open is not None and not run.maybe and outcome is not None:
            run.maybe = outcome  # printed: the open test must end first
            return True
        _close_open(run)
        if outcome is None:
            run.open, run.maybe, run.weak = _plain_name(name), _ending(rest), None
        elif outcome:
            run.results.append((_plain_name(name), outcome == "ok"))
        return True

    def _outcome_alone(self, outcome: str) -> None:
        """With one thread, an outcome on a line of its own ends the test that has printed."""
        run = self.run
        if run.open is None and run.weak is not None:
            at, run.open = run.weak
            del run.results[at:]
        if run.open is not None and outcome:
            run.results.append((run.open, outcome == "ok"))
        run.open, run.maybe, run.weak = None, "", None

    def _glued(self, line: str) -> None:
        run = self.run
        if run.open is not None:
            run.maybe = _ending(line)
            return
        name, found, rest = line[line.rfind("test ") + 5 :].partition(" ... ")
        outcome = _outcome(rest)
        if found and outcome and _is_name(name, run):
            run.glued.append((_plain_name(name), outcome == "ok"))

    # --format json

    def _event(self, line: str) -> None:
        import json

        try:
            event = json.loads(line[line.find(_EVENT) :])
        except (ValueError, RecursionError):
            return
        name, kind, said = event.get("name"), event.get("type"), event.get("event")
        self.evident = self.run.json = True
        if kind == "suite":
            self._suite(event)
        elif kind == "test" and isinstance(name, str) and said in ("ok", "failed"):
            self.run.results.append((name, said == "ok"))

    def _suite(self, event: Dict[str, Any]) -> None:
        said, passed = event.get("event"), event.get("passed")
        if said == "started":
            self._finish(None)
            self.run.json, self.run.expected = True, 1 if event.get("test_count") else 0
        elif said in ("ok", "failed"):
            summary = FAILED if said == "failed" else PASSED if passed else NONE
            self._finish(None, summary)
            self.unfinished = False
            if summary == NONE:
                self.tally.idle = True

    # The end of a run.

    def _finish(self, counts: Optional[Tuple[int, int]], summary: str = NONE) -> None:
        """Close the run of a test binary; counts are those of its result line."""
        run, self.run = self.run, _Run()
        if counts is not None:
            _close_open(run)
        if self.evident:
            self._count(run, counts)
        if summary == NONE and counts is None:
            self.unfinished = self.unfinished or bool(run.expected)
        else:
            self.ran = self.ran or summary != NONE
            self.counted = set()
            if counts is not None:
                self.unfinished = False
        if run.expected is not None and not (self.scope or "").startswith("doc:"):
            self.scope = None
        self.tally.end(summary)

    def _count(self, run: _Run, counts: Optional[Tuple[int, int]]) -> None:
        results = _believed(run, counts)
        failures, successes = run.lists.get("failures:"), run.lists.get("successes:", [])
        if counts and failures:
            names = {_plain_name(name) for name in failures}
            results = [(name, passed) for name, passed in results if passed or name in names]
            for name in names - self.counted:
                self.tally.add("list", name, self.scope, False)
        for name, passed in results:
            self.tally.add("line", name, self.scope, passed)
        if counts and len(successes) == counts[0]:
            for name in successes:
                self.tally.add("list", _plain_name(name), self.scope, True)

    def report(self) -> Report:
        """Close what is open and sum up."""
        self._finish(None)
        if self.lost:
            self.tally.targets.clear()
        report = self.tally.report()
        if self.unfinished and report.summary == PASSED:
            report = report._replace(summary=NONE)  # a test binary has no result line
        return report._replace(idle=report.idle and not self.ran)


def _close_open(run: _Run) -> None:
    if run.open is not None and run.maybe:
        run.weak = (len(run.results), run.open)
        run.results.append((run.open, run.maybe == "ok"))
    run.open, run.maybe = None, ""


def _certain(run: _Run) -> List[Tuple[str, bool]]:
    """The results of a run without a result line that no printed text can be."""
    end = run.weak[0] if run.weak else len(run.results)
    kept = [result for n, result in enumerate(run.results[:end]) if n not in run.printed]
    both = set(kept)
    return [(name, passed) for name, passed in kept if (name, not passed) not in both]


def _believed(run: _Run, counts: Optional[Tuple[int, int]]) -> List[Tuple[str, bool]]:
    """The results of single tests, as far as the counts of the result line bear them out."""
    if run.json:
        return run.results
    if counts is None:
        return _certain(run)
    if run.expected is None and run.lists.get("failures:") and not run.details:
        return []  # the text begins among captured output, whose lines cannot be told from results
    out: List[Tuple[str, bool]] = []
    for outcome, count in ((True, counts[0]), (False, counts[1])):
        those = [result for result in run.results if result[1] is outcome]
        if len(those) > count:
            those = [r for n, r in enumerate(run.results) if r[1] is outcome and n not in run.printed]
        elif len(those) < count:
            glued = [result for result in run.glued if result[1] is outcome]
            those = those + glued if len(those) + len(glued) == count else those
        if len(those) <= count:
            out += those
    return out


def _outcome(text: str) -> Optional[str]:
    """ "ok", "FAILED" or "" (ignored) of the text behind a name; None for any other text."""
    text = text.rstrip()
    if text.endswith("s>"):  # "ok <0.012s>", of --report-time
        text = text.rpartition(" <")[0]
    if text.startswith(("ignored, ", "bench: ")):
        return ""
    return _OUTCOMES.get(text)


def _ending(text: str) -> str:
    """The outcome at the end of printed text, "loading ok"."""
    text = text.rstrip()
    return "ok" if text.endswith("ok") else "FAILED" if text.endswith("FAILED") else ""


def _plain_name(name: str) -> str:
    """A name without what libtest says of the kind of test, "tests::a - should panic"."""
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            return name[: -len(suffix)]
    return name


def _is_name(name: str, run: _Run) -> bool:
    """True for what can be the name of a test: with other blanks only below "running 3 tests"."""
    name = _plain_name(name)
    return bool(name) and (" " not in name or run.expected is not None or bool(_DOC_TEST.match(name)))
