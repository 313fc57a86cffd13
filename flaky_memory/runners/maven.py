"""Maven's Surefire and Failsafe, from 2.12 to 3.6: what they print on the console.

Surefire prints per class a line of counts and its failures in detail, then per module a list of
failures and the totals; passing tests are named only by `-Dsurefire.reportFormat=plain`.
The lines are made in maven-surefire-common/src/main/java/org/apache/maven/plugin/surefire/report/
ConsoleReporter.java, TestSetStats.java, DefaultReporterFactory.java (the list and its "Run 1:")
and SmartStackTraceParser.java (its entries), https://github.com/apache/maven-surefire; the lines
around them in https://github.com/apache/maven, ExecutionEventLogger.java.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

PREFIX = "maven"

# "Tests run: 4, Failures: 1, Errors: 1, Skipped: 1"; what follows tells a class from the totals
_COUNTS = re.compile(
    r"Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})(?:, Flakes: \d+)?"
)
# what follows "Time elapsed: " in a test's own line: "0.041 s <<< FAILURE!", "0 sec"
_ELAPSED = re.compile(r"[\d.,]+ s(ec)?(?: {1,2}<<< (FAILURE|ERROR)!)?$")
# "OrderTest$WhenFilled.isNotEmpty:33->check:9 expected", "SubTest>BaseTest.works:5", "ATest.b Expected"
_ENTRY = re.compile(r"([\w$]+)(?:>[\w$]+)?\.(?:([^:<>]*?):\d+(?=->| |$)|([^\s:<>]+))")
# "emptyShelf[1: room 5](com.acme.RoomTest): expected", the list's entries up to 2.12
_OLD_ENTRY = re.compile(r"\(([^\W\d][\w.$]*)\)(?:: |$)")

_LEVELS = ("INFO", "ERROR", "WARNING", "WARN")
_LISTS = ("Failures:", "Errors:", "Flakes:", "Failed tests: ", "Tests in error: ", "Flaked tests: ")
_IDLE = ("No tests to run", "Tests are skipped", "No tests were executed", "No tests matching pattern")
# What Maven prints only below a failed build.
_EPILOGUE = (
    "Failed to execute goal ",
    "To see the full stack trace of the errors",
    "[Help 1] http",
    "Re-run Maven using the -X switch",
    "After correcting the problems, you can resume",
)
# How the lines of Maven itself begin, all that _maven knows.
_MAVENS = ("---", "Scanning for projects", "Reactor ", "Using the Multi", "BUILD ", *_EPILOGUE, *_IDLE)
# Methods around tests, which the list names where they failed, and TestNG as if they were tests.
_FIXTURES = (
    " setup setupclass setupbeforeclass teardown teardownclass teardownafterclass beforeall afterall"
    " beforeeach aftereach beforeclass afterclass beforemethod aftermethod beforesuite aftersuite"
    " beforetest aftertest initializationerror "
)


class _Test:
    """One line that names a test; `loose` when the class is only that of the heading above."""

    __slots__ = ("name", "owner", "passed", "loose")

    def __init__(self, name: str, owner: str, passed: bool, loose: bool) -> None:
        self.name = name
        self.owner = owner
        self.passed = passed
        self.loose = loose

    @property
    def key(self) -> str:
        """How the list calls it: "OrderTest.addsTax"."""
        return _simple(self.owner) + "." + _base(self.name)


class _Block:
    """What one execution of Surefire, in one module, said."""

    def __init__(self, scope: Optional[str]) -> None:
        self.scope = scope
        self.tests: List[_Test] = []
        self.faults = 0  # failed classes: they name no test
        self.entries: Dict[Tuple[str, str], int] = {}
        self.groups: List[Tuple[_Test, List[int]]] = []
        self.failing: Optional[int] = None  # of the totals; None while they are not read
        self.placed = False  # the end of the build cannot tell its module
        self.continues = False  # may be the rest of the block before: the output was cut between

    @property
    def empty(self) -> bool:
        return not (self.tests or self.faults or self.entries or self.groups) and self.failing is None

    @property
    def failed(self) -> bool:
        return bool(self.failing or self.entries or any(not t.passed for t in self.tests))


class _Reader:
    """The state between the lines of one output."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.idle = False
        self.active = False
        self._start_run()
        self._forget()

    def _start_run(self) -> None:
        self.block = _Block(None)
        self.blocks: List[_Block] = []
        self.projects: List[str] = []  # that failed, from the end of the build
        self.tested: set[str] = set()  # modules in which Surefire started
        self.frames: Dict[str, str] = {}
        self.owners: Dict[str, str] = {}
        self.faulty: set[str] = set()  # classes that failed as a whole
        self.below: set[str] = set()  # methods that stand in the stack of a test that is another
        self.word = NONE
        self.closing = self.whole = self.reactor = self.parallel = False
        self.ran: Optional[int] = None
        self.skipped = False
        self.bare: Optional[bool] = None

    def _forget(self) -> None:
        """What the lines above said of the lines below no longer holds."""
        self.block.continues = False
        self.module: Optional[str] = None
        self.heading: Optional[str] = None
        self.running: Optional[str] = None
        self.left: Optional[List[int]] = None  # failed and passed tests still to come; None: unknown
        self.listing = False
        self.group: Optional[List[int]] = None
        self.last: Optional[_Test] = None
        self.test: Optional[str] = None  # as the list calls it; "" for a whole class

    def line(self, line: str) -> None:
        """Read one line."""
        if line.startswith("\tat "):
            self._frame(line)
            return
        if is_cut(line):
            self._cut()
            return
        level, text = _message(line)
        if not level:
            if self.bare is False:
                return
        elif text.startswith(_MAVENS):
            self._maven(text)
        self._surefire(level, text)

    def _cut(self) -> None:
        """The middle of the output is missing here: modules, totals and ends may be in it."""
        self._close_block()
        self._forget()
        self.block.continues = True
        for block in self.blocks:
            block.placed = True
        self.whole = False
        self.tested = set()

    # Maven's own lines

    def _maven(self, text: str) -> None:
        if text.startswith("---"):
            self._rule(text)
        elif text.startswith("Scanning for projects"):
            self._end_run()
            self._forget()
            self.whole = True
        elif text.startswith("Reactor "):
            self.reactor = True
        elif text.startswith("Using the MultiThreadedBuilder"):
            self.parallel = True
        elif text.startswith("BUILD "):
            self._close_block()
            self.word = {"BUILD SUCCESS": PASSED, "BUILD FAILURE": FAILED}.get(text.rstrip(), self.word)
            self.closing = True
        elif text.startswith(_EPILOGUE):
            self._epilogue(text)
        elif text.startswith(_IDLE):
            self.skipped = True

    def _rule(self, text: str) -> None:
        """A line of dashes with a module in it: "---< com.acme:web >---", "--- PLUGIN (ID) @ web ---"."""
        inner = text.strip("- ")
        if inner.startswith("<") and ":" in inner:
            self._close_block()
            self.block.continues = False
            self.module = inner.strip("<> ").rpartition(":")[2]
        elif " @ " in inner:
            module = inner.rpartition(" @ ")[2]
            if self.module is None and self.blocks and self.blocks[-1].scope is None:
                self.blocks[-1].scope = module  # the same module went on to another plugin
            self._close_block()
            self.module = module
            if "surefire" in inner or "failsafe" in inner:
                self.tested.add(module)
                self.block.continues = False

    def _epilogue(self, text: str) -> None:
        self._close_block()
        self.word = FAILED
        self.closing = True
        if any(said in text for said in _IDLE):
            self.skipped = True
        goal, _, rest = text.partition(" on project ")
        if rest and ("surefire" in goal or "failsafe" in goal):
            self.projects.append(rest.partition(":")[0])

    # Surefire's lines

    def _surefire(self, level: str, text: str) -> None:
        if text.startswith("Tests run: "):
            match = _COUNTS.match(text)
            if match:
                self._counts(level, text, match)
        elif text.startswith("Running ") or text == " T E S T S":
            self._open(level)
            self.block.continues = self.block.continues and text != " T E S T S"
            self.running = text[8:] if text.startswith("Running ") else None
            self._own(self.running)
            self.left = self.left or [0, 0]
        elif "Time elapsed: " in text:
            self._detail(level, text)
        elif text.startswith(_LISTS):
            self._list(level, text)
        elif self.listing:
            self._listed(text)

    def _open(self, level: str) -> None:
        """A line of a run in progress: after the end of one run, another has begun."""
        self.active = True
        if self.closing:
            self._end_run()
            self._forget()
        self.bare = not level
        self.listing, self.group, self.last, self.test = False, None, None, None

    def _counts(self, level: str, text: str, match: re.Match[str]) -> None:
        ran, failures, errors, skipped = (int(n) for n in match.groups())
        rest = text[match.end() :]
        if rest.startswith(", Time elapsed: "):
            self._open(level)
            owner = rest.partition("- in ")[2] or self.running
            self.heading = owner
            self._own(owner)
            self.left = [failures + errors, ran - failures - errors - skipped]
        elif not rest:
            self._open(level)
            self.ran = (self.ran or 0) + ran - skipped
            self.block.failing = failures + errors
            self._close_block()

    def _own(self, owner: Optional[str]) -> None:
        """Remember the package of a class, which the list leaves out."""
        if owner and " " not in owner:
            known = self.owners.setdefault(_simple(owner), owner)
            if known != owner:
                self.owners[_simple(owner)] = ""

    def _detail(self, level: str, text: str) -> None:
        """A test's own line: "[ERROR] com.acme.ATest.works -- Time elapsed: 0.1 s <<< FAILURE!"."""
        left, _, right = text.rpartition("Time elapsed: ")
        match = _ELAPSED.match(right)
        # Without Maven's level it is from before 2.20, which wrote "sec".
        if not match or not left.endswith(("  ", " -- ")) or not (level or match[1]):
            return
        passed = not match[2]
        if self.left is not None:
            if self.left[passed] < 1:
                return  # more than the class has: printed by a test
            self.left[passed] -= 1
        self._open(level)
        left, modern = (left[:-4], True) if left.endswith(" -- ") else (left.rstrip(), False)
        test = _test(left, modern, self.heading, passed)
        if test is None:
            self.block.faults += 1
            self.test = ""
            self.faulty.add(_simple(left))
            return
        self.block.tests.append(test)
        self.test = test.key
        self.last = test if test.loose else None
        self._own(None if test.loose else test.owner)

    def _frame(self, line: str) -> None:
        """A stack frame tells the package of a class, and the nested class of a test."""
        call = line[4:].partition("(")[0]
        if "/" in call or call.count(".") < 2:
            return
        owner, _, method = call.rpartition(".")
        key = _simple(owner) + "." + method
        if self.frames.setdefault(key, owner) != owner:
            self.frames[key] = ""
        if self.test is not None and key != self.test:
            self.below.add(key)
        last = self.last
        if last and method == _base(last.name) and (not last.owner or owner.startswith(last.owner + "$")):
            last.owner, self.last = owner, None

    # The list of failures

    def _list(self, level: str, text: str) -> None:
        if level or text.startswith(("Failed tests: ", "Tests in error: ", "Flaked tests: ")):
            self._open(level)
            self.listing = True
            rest = text.partition(":")[2]
            if rest.strip():
                self._listed("  " + rest.strip())

    def _listed(self, text: str) -> None:
        entry = text.lstrip()
        if text.startswith("  Run "):
            self._run(entry)
        elif text.startswith("  "):
            self.group = None
            self._entry(entry)
        elif text and " " not in text.partition("(")[0]:
            test = _group(text)
            self.group = None
            if test:
                self.group = [0, 0]
                self.block.groups.append((test, self.group))

    def _run(self, entry: str) -> None:
        """One of several runs of a test: "Run 1: ATest.works:5 message", "Run 2: PASS"."""
        number, _, outcome = entry.partition(": ")
        if number == "Run 1" and self.group and any(self.group):
            self.group = None  # of another test, whose name the log's level hid
        if self.group is not None:
            self.group[outcome == "PASS"] += 1
        elif outcome != "PASS":
            self._entry(outcome)

    def _entry(self, entry: str) -> None:
        match = _ENTRY.match(entry)
        if match:
            key = (match[1], (match[2] or match[3]).strip())
            self.block.entries[key] = self.block.entries.get(key, 0) + 1
            return
        match = _OLD_ENTRY.search(entry)
        if match and match.start():
            self.block.groups.append((_Test(entry[: match.start()], match[1], False, False), [1, 0]))

    # The ends

    def _close_block(self) -> None:
        self.listing, self.group, self.last = False, None, None
        if self.block.empty:
            self.heading = None
            return
        self.block.scope = self.module
        self.blocks.append(self.block)
        self.block = _Block(None)
        self.heading = None

    def _end_run(self) -> None:
        self._close_block()
        if self.parallel:
            self._merge()
        self._place()
        known: Dict[str, List[_Test]] = {}
        for block in self.blocks:
            if not block.continues:
                self.tally.end()
                known = {}
            self._settle(block, known)
        self.tally.end(self._summary())
        self.idle = self.idle or self._idle()
        self._start_run()

    def _idle(self) -> bool:
        """True when the build says, or shows from its start on, that it ran no test."""
        shown = self.word == PASSED and bool(self.whole or self.tested)
        return not self.ran and (self.skipped or self.ran == 0 or shown)

    def _summary(self) -> str:
        if self.word == FAILED or any(b.failing for b in self.blocks):
            return FAILED
        if self.ran:
            # Totals of one module are no word on a build of several.
            return self.word if self.reactor or self.word == PASSED else PASSED
        return NONE if self._idle() else self.word

    def _merge(self) -> None:
        """With mvn -T the lines of several modules stand between each other: make one block of them."""
        one = _Block(None)
        for block in self.blocks:
            one.tests += block.tests
            one.groups += block.groups
            one.faults += block.faults
            for key, runs in block.entries.items():
                one.entries[key] = one.entries.get(key, 0) + runs
            if block.failing is not None:
                one.failing = (one.failing or 0) + block.failing
        failed = set(self.projects)
        names = self.tested if any(t.passed for t in one.tests) or not failed else failed
        one.scope = next(iter(names)) if len(names) == 1 else None
        self.blocks = [] if one.empty else [one]

    def _place(self) -> None:
        """Give failing blocks that stand under no module the projects that the build's end names."""
        loose = [b for b in self.blocks if b.scope is None and b.failed and not b.placed]
        names = list(dict.fromkeys(self.projects))
        if len(names) > 1:
            known = {b.scope for b in self.blocks}
            names = [p for p in names if p not in known]
        if len(names) == len(loose) and not self.parallel:
            for block, name in zip(loose, names):
                block.scope = name

    def _settle(self, block: _Block, known: Dict[str, List[_Test]]) -> None:
        """Count the tests of a block, each under one name; `known` are those by what the list calls them."""
        self._refine(block)
        for test in block.tests:
            if test.owner and not _is_fixture(_base(test.name)):
                known.setdefault(test.key, []).append(test)
                self._add("detail", test, block.scope, [not test.passed, test.passed])
        for test, counts in block.groups:
            same = {t.name for t in known.get(test.key, ())}
            if test.name == _base(test.name) and len(same) == 1:
                test.name = same.pop()
            self._add("list", test, block.scope, counts)
        details = block.faults + sum(not t.passed for t in block.tests if t.owner)
        enough = details if block.failing is None else details >= block.failing
        for (owner, method), runs in () if enough else block.entries.items():
            key = owner + "." + method
            inner = key in self.below or owner in self.faulty
            if key not in known and not inner and _is_test(method):
                test = _Test(method, self._qualified(owner, method), False, False)
                self._add("list", test, block.scope, [runs, 0])

    def _add(self, part: str, test: _Test, scope: Optional[str], counts: List[int]) -> None:
        name = f"{test.name}({test.owner})"
        for outcome, runs in zip((False, True), counts):
            if runs:
                self.tally.add(part, name, scope, outcome, int(runs))

    def _refine(self, block: _Block) -> None:
        """Surefire 2.22 names JUnit 5 tests without class and counts nested ones under the outer:
        the list knows the class."""
        for test in block.tests:
            if not test.loose or "$" in test.owner:
                continue
            outer = _simple(test.owner)
            named = {o for o, m in block.entries if m == _base(test.name)}
            found = {o for o in named if not outer or o.startswith(outer + "$")}
            if len(found) == 1:
                owner = found.pop()
                package = test.owner.rpartition(".")[0]
                test.owner = f"{package}.{owner}" if package else self._qualified(owner, _base(test.name))

    def _qualified(self, owner: str, method: str) -> str:
        """A class of the list with its package, where other lines say it."""
        outer, dollar, inner = owner.partition("$")
        known = self.owners.get(owner) or self.frames.get(owner + "." + method)
        if not known and self.owners.get(outer):
            known = self.owners[outer] + dollar + inner
        return known or owner

    def report(self) -> Report:
        """Close what is open and sum up."""
        self._end_run()
        report = self.tally.report()
        return report._replace(idle=self.idle and not report.results and report.summary != PASSED)


def read(text: str) -> Report:
    """What Surefire and Failsafe say in an output of mvn."""
    reader = _Reader()
    for line in lines(text):
        reader.line(line)
    return reader.report()


def _message(line: str) -> Tuple[str, str]:
    """A line's level and text; the level is empty where Maven's logger did not print the line."""
    if line[:1].isdigit():  # the logger's time, or grep -n
        line = line[max(line.find("[", 0, 40), 0) :]
    if line.startswith("["):
        level, _, text = line[1:].partition("] ")
        if level in _LEVELS:
            return level, text
        if line[1:-1] in _LEVELS:
            return line[1:-1], ""
    return "", line


def _simple(owner: str) -> str:
    return owner.rpartition(".")[2]


def _base(name: str) -> str:
    """A test's method, without its parameters and its place in a row of invocations."""
    for i, char in enumerate(name):
        if char in "([{":
            return name[:i].rstrip()
    return name


def _head(text: str) -> str:
    """What stands before the first space or bracket: a class has none."""
    for i, char in enumerate(text):
        if char in " ([{":
            return text[:i]
    return text


def _is_fixture(method: str) -> bool:
    return f" {method.lower()} " in _FIXTURES


def _is_test(method: str) -> bool:
    return "<" not in method and not method.startswith("lambda$") and not _is_fixture(method)


def _test(text: str, modern: bool, heading: Optional[str], passed: bool) -> Optional[_Test]:
    """The test that a line names, or None for a class that failed as a whole."""
    if heading and text in (heading, _simple(heading)):
        return None
    if heading and text.startswith(heading + "."):
        return _Test(text[len(heading) + 1 :], heading, passed, False)
    if heading and text.endswith("(" + heading + ")"):
        return _Test(text[: -len(heading) - 2], heading, passed, False)
    head = _head(text)
    owner, _, method = head.rpartition(".")
    if owner:
        if head == text and method[:1].isupper() and not _simple(owner)[:1].isupper():
            return None
        return _Test(method + text[len(head) :], owner, passed, False)
    if modern:
        return None
    name, paren, owner = text.rpartition("(")
    if paren and text.endswith(")") and ("." in owner or owner != ")" and "." not in (heading or "")):
        return _Test(name, owner[:-1], passed, False)
    return _Test(name if text.endswith("()") else text, heading or "", passed, True)


def _group(text: str) -> Optional[_Test]:
    """The test above its "Run 1:": "com.acme.ATest.works", up to 2.22 with "(com.acme.ATest)" behind."""
    head = _head(text)
    owner, _, method = head.rpartition(".")
    if not owner or method == "null":
        return None  # "com.acme.ATest.null": the class failed as a whole
    rest = text[len(head) :]
    if rest.endswith("(" + owner + ")"):
        rest = rest[: -len(owner) - 2]
    return _Test(method + rest, owner, False, False)
