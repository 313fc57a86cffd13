"""go test, plain, -v and -json: https://pkg.go.dev/cmd/go#hdr-Test_packages and cmd/test2json.

The result lines are printed by testing/testing.go (`report`), the package lines by
cmd/go/internal/test/test.go, the events by cmd/internal/test2json.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

    Results = List[Tuple[str, bool, bool]]

    class Held(NamedTuple):
        """A package line that a test may have printed: how many results stood before it."""

        before: int
        word: str
        package: str
        rest: str

else:
    from collections import namedtuple

    Held = namedtuple("Held", "before word package rest")

PREFIX = "go"

# "--- FAIL: TestX/sub (0.00s)"; a name holds no blank, go test writes "_" for it.
_RESULT = re.compile(r"--- (FAIL|PASS|SKIP): (\S+) \(\d+\.\d+s\)$")
_MARKS = ("--- FAIL: ", "--- PASS: ", "--- SKIP: ")
# "=== RUN   TestX", "=== CONT  TestX", "=== NAME  TestX"
_RUN = re.compile(r"=== (RUN|PAUSE|CONT|NAME) +(\S+)$")
# "ok  \tpkg\t0.01s", "FAIL\tpkg\t0.01s", "FAIL\tpkg [build failed]",
# "ok  \tpkg\t(cached)", "?   \tpkg\t[no test files]"
_PACKAGE = re.compile(r"(ok  |FAIL|\?   )\t([^\s\[]+)[\t ](\d+\.\d+s|\(cached\)|\[\w[\w ]+\])(.*)$")
_PACKAGES = ("ok  \t", "FAIL\t", "?   \t")
# What the test binary prints before its end, so that a package line behind it is go's own.
_ENDS = ("panic: ", "fatal error: ", "exit status ", "signal: ", "coverage: ", "*** Test killed")
_NO_TESTS = "[no tests to run]"


def read(text: str) -> Report:
    """Read an output of go test, whole or cut."""
    reader = _Reader()
    for line in lines(text):
        if line:
            reader.line(line)
    return reader.report()


class _Reader:
    """Collects results until a package line says whose they are."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.events = _Events(self.tally)
        self.first = True
        self.evident = False
        self.idle = self.ran = False
        self.ended = True  # no test has run since the last package line
        self.held: List[Held] = []
        self._begin()

    def _begin(self) -> None:
        self.results: Results = []  # name, passed, before any RUN line
        self.known: set[str] = set()
        self.open: set[str] = set()
        self.held_open: set[str] = set()
        self.stack: List[Tuple[int, str]] = []
        self.whole: Optional[bool] = None  # the segment's first line is its first RUN line
        self.said = False
        self.bare = NONE

    def line(self, line: str) -> None:
        """Take the next line."""
        if line[0] == "{":
            self.events.line(line)
        elif line.startswith("=== "):
            self._run(line)
        elif line.startswith(_PACKAGES):
            self._package(line)
        elif "--- " in line:
            self._result(line)
        elif line in ("FAIL", "PASS"):
            self.bare = FAILED if line == "FAIL" else PASSED
            self.said = self.evident = True
        elif line.startswith(_ENDS):
            self.said = True
        elif line[0] == "." and is_cut(line):
            self._flush()
            self.events.cut()
            self.ended = False
        elif line[0] in "gn":
            self._remark(line)
        self.first = False

    def _remark(self, line: str) -> None:
        if line == "no packages to test":
            self.idle = True
        elif self.first and line.startswith("go: "):
            self.evident = True

    def _run(self, line: str) -> None:
        match = _RUN.match(line)
        if match:
            self.evident = True
            if self.whole is None:
                self.whole = match[1] == "RUN"
            self.known.update(_with_parents(match[2]))
            self.ended = False
            if match[1] == "RUN" and "/" not in match[2]:
                self.open.add(match[2])
                self.said = False

    def _result(self, line: str) -> None:
        at = line.rfind("--- ")
        match = _RESULT.match(line, at)
        if not match:
            return
        name, indent = match[2], at
        if line[:at].strip(" "):  # what the test printed last had no line end
            if line[0] in " \t" or "/" in name or not (name in self.open or not self.known):
                return
            indent = 0
        elif not self._fits(name, indent):
            return
        self._accept(name, indent, match[1])

    def _fits(self, name: str, indent: int) -> bool:
        """True when an indented result is a subtest of the result that it stands below."""
        while self.stack and self.stack[-1][0] >= indent:
            self.stack.pop()
        if self.stack:
            return name.startswith(self.stack[-1][1] + "/")
        return indent == 0 or ("/" in name and self.whole is not True)

    def _accept(self, name: str, indent: int, word: str) -> None:
        if self.whole is None:
            self.whole = False
        if self.first:
            self.evident = True
        if name in self.held_open and name not in self.open:
            self.open |= self.held_open  # it still ran: the package lines since then were printed by it
            self.held, self.held_open = [], set()
        self.open.discard(name)
        self.stack.append((indent, name))
        if indent == 0:
            self.said = False
        self.ended = False
        if word != "SKIP":
            self.results.append((name, word == "PASS", not self.known and not self.whole))

    def _package(self, line: str) -> None:
        match = _PACKAGE.match(line)
        if not match:
            return
        self.evident = self.ended = True
        word, package, rest = match[1].strip(), match[2], match[3] + match[4]
        if rest.startswith("["):
            self._untested(word)
        elif self._doubtful(word):
            self.held.append(Held(len(self.results), word, package, rest))
            self.held_open |= self.open
            self.open = set()
        else:
            self._resolve(self.said and word == "FAIL")
            self._close(word, package, rest)

    def _untested(self, word: str) -> None:
        """A package without tests, or one that could not be built."""
        if not self.open and not self.held:
            self._flush()
        if word == "FAIL":
            self.ran = True
            self.tally.end(FAILED)
        else:
            self.idle = True

    def _doubtful(self, word: str) -> bool:
        """True when tests are still running, or failed without the test binary saying FAIL at its end."""
        if self.said:
            return False
        return bool(self.open) or word == "FAIL" and any(not passed for _, passed, _ in self.results)

    def _resolve(self, certain: bool) -> None:
        """Decide on the doubtful package lines before a certain one, or before the end."""
        held, self.held = self.held, []
        kept = self.results
        done = 0
        certain = certain and not any(passed for _, passed, _ in kept)  # passes stand there with -v only
        for line in held:
            self.results = kept[done : line.before]
            done = line.before
            verbose = any(name in self.known for name, _, _ in self.results)
            if certain and not verbose and done < len(kept):
                self.results = []  # printed by a test of the package that ends with certainty
            else:
                self._close(line.word, line.package, line.rest, False)
        self.results = kept[done:]

    def _close(self, word: str, package: str, rest: str, fresh: bool = True) -> None:
        if rest.startswith("(cached)"):
            self.tally.unrun.add(package)
            self.idle = True
            self.results = []
        elif word == "ok" and any(not passed for _, passed in self._believed()):
            self._count(None)  # of a package whose own line is missing
        self._count(package)
        if _NO_TESTS in rest:
            self.idle = True
            self.tally.unrun.add(package)
            self.tally.end()
        else:
            self.ran = self.ran or not rest.startswith("(cached)")
            self.tally.end(PASSED if word == "ok" else FAILED, package)
        if fresh:
            self._begin()

    def _believed(self) -> Iterable[Tuple[str, bool]]:
        """The results of the segment; with -v only those of tests that it says to run."""
        verbose = any(name in self.known for name, _, _ in self.results)
        return [(n, passed) for n, passed, early in self.results if not verbose or n in self.known or early]

    def _count(self, package: Optional[str]) -> None:
        for name, passed in self._believed():
            self.tally.add("line", name, package, passed)
        self.results = []

    def _flush(self) -> None:
        """Count what no package line has closed."""
        self._resolve(False)
        said = self.bare if self.bare == FAILED or self.results else NONE
        if self.evident:
            self._count(None)
        self.tally.end(said)
        self.ended = self.ended or said != NONE
        self._begin()

    def report(self) -> Report:
        """Close what is open and sum up."""
        self._flush()
        self.events.end()
        report = self.tally.report()
        if report.summary == PASSED and not (self.ended and self.events.ended):
            report = report._replace(summary=NONE)  # the end of the last package is missing
        ran = self.ran or self.events.ran or bool(report.results)
        return report._replace(idle=(self.idle or self.events.idle) and not ran and report.summary != FAILED)


class _Package:
    """What the events of one package have said so far."""

    def __init__(self, whole: bool) -> None:
        self.whole = whole  # its first events are there, so each test has a "run" event
        self.known: set[str] = set()
        self.events: List[Tuple[str, bool]] = []
        self.lines: List[Tuple[str, bool]] = []
        self.cached = self.empty = False

    def believed(self, results: List[Tuple[str, bool]]) -> List[Tuple[str, bool]]:
        """The results without those of tests that have not begun, which a test printed."""
        return [(name, passed) for name, passed in results if not self.whole or name in self.known]

    def forget_beginning(self) -> None:
        """From here on a result may be one of a test whose beginning is missing."""
        self.events, self.lines = self.believed(self.events), self.believed(self.lines)
        self.whole = False


class _Events:
    """go test -json: one event a line, those of several packages interleaved."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.packages: Dict[Optional[str], _Package] = {}
        self.ran = self.idle = self.behind_cut = False
        self.ended = True

    def line(self, line: str) -> None:
        """Take a line that begins with a brace."""
        if '"Action":"output"' in line and not _tells(line) or '"Action":"' not in line:
            return
        import json

        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(event, dict) and all(isinstance(event.get(k, ""), str) for k in _TEXTS):
            self._event(event)

    def _event(self, event: Dict[str, Any]) -> None:
        action, name, key = event["Action"], event.get("Test"), event.get("Package")
        if key is None:
            return  # what the build says
        package = self.packages.get(key)
        if package is None:
            whole = action == "start" or action == "run" and not self.behind_cut
            package = self.packages[key] = _Package(whole)
            self.ended = False
        if action == "run" and name:
            package.known.update(_with_parents(name))
        elif action == "output":
            self._output(package, name, event.get("Output", "").rstrip())
        elif action in ("pass", "fail", "skip"):
            if not name:
                self._close(key, action)
            elif action != "skip":
                package.events.append((name, action == "pass"))

    def _output(self, package: _Package, name: Optional[str], output: str) -> None:
        if name:
            match = _RESULT.match(output, max(output.rfind("--- "), 0))
            if match and match[2] == name and match[1] != "SKIP":
                package.lines.append((name, match[1] == "PASS"))
        elif output.startswith(_PACKAGES):
            package.cached = package.cached or "\t(cached)" in output
            package.empty = package.empty or _NO_TESTS in output or "[no test files]" in output

    def _close(self, key: Optional[str], action: str) -> None:
        package = self.packages.pop(key)
        self.ended = not self.packages
        if package.cached or package.empty or action == "skip":
            self.idle = True
            if key:
                self.tally.unrun.add(key)
        else:
            self.ran = True
            self._count(key, package)
        said = {"pass": PASSED, "fail": FAILED}.get(action, NONE)
        self.tally.end(NONE if package.empty and said == PASSED else said, key)

    def _count(self, key: Optional[str], package: _Package) -> None:
        for part, results in (("event", package.events), ("line", package.lines)):
            for name, passed in package.believed(results):
                self.tally.add(part, name, key, passed)

    def cut(self) -> None:
        """The middle of the output is gone: no package is known from its beginning any more."""
        for package in self.packages.values():
            package.forget_beginning()
        self.behind_cut, self.ended = True, False

    def end(self) -> None:
        """Count what no package event has closed."""
        for key, package in self.packages.items():
            if not package.cached:
                self._count(key, package)
            self.tally.end()
        self.packages = {}


# The values of an event that are read.
_TEXTS = ("Action", "Test", "Package", "Output")


def _tells(line: str) -> bool:
    """True for an event whose output may say a result, or that a package ran nothing."""
    return "--- " in line or "(cached)" in line or "[no test" in line


def _with_parents(name: str) -> Iterable[str]:
    """TestX/a/b, TestX/a and TestX: a parent runs as long as its subtests."""
    parts = name.split("/") if len(name) < 1000 else [name]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]
