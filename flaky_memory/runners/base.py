"""The Protocol that every runner module satisfies, and what the modules share."""

from __future__ import annotations

from flaky_memory.model import FAILED, NONE, PASSED, Report, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Optional, Protocol, Tuple

    class Runner(Protocol):
        """One runner's reader: a plain module with these names."""

        PREFIX: str

        def read(self, text: str) -> Report:
            """Text (decoded, colours stripped, LF line ends) in, what it says of tests out.

            Never raises, takes time linear in the text, and reads nothing but the text.
            """

    Key = Tuple[str, Optional[str]]

# A line that is longer is no result line; clipping it bounds what a pattern can be given.
LONGEST_LINE = 20_000
_CHUNK = 1 << 20
# Distinct tests of one outcome that are counted: names beyond them, in the order of the output, are left
# out, so that no output can fill the memory. Failures never make room for passes, nor passes for failures.
MOST_TESTS = 20_000


def lines(text: str) -> Iterator[str]:
    """The lines of a text without their ends, each at most LONGEST_LINE characters.

    Lazy and by chunks, so that 10 MB of output never stand in memory as a list of lines.
    """
    start = 0
    while start < len(text):
        end = text.find("\n", min(start + _CHUNK, len(text)))
        end = len(text) if end < 0 else end
        for line in text[start:end].split("\n"):
            yield line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE]
        start = end + 1


def is_cut(line: str) -> bool:
    """True for the line that stands where Claude Code cut the middle of an output away."""
    return line[:5] == "... [" and line.endswith(" characters truncated] ...")


class Tally:
    """Counts the runs of tests that one output shows.

    A runner prints one outcome up to three times: as a line when the test ends, with details
    later, and in a list at the end. Each such kind of place is a `part` of the run; the same
    outcome twice in one part is two runs, in two parts it is one. So a run counts, per test,
    as often as the part that shows it most often. `end` closes a run of the runner (one
    output may hold several); what follows starts afresh and is added up.
    """

    def __init__(self, runner: str) -> None:
        self.runner = runner
        self.idle = False
        self.unrun: set[str] = set()
        self.places: Dict[Key, str] = {}
        self.targets: Dict[Key, str] = {}
        self._twins: set[Key] = set()
        self._greens: Dict[Optional[str], int] = {}
        self._parts: Dict[str, Dict[Key, List[int]]] = {}
        self._done: Dict[Key, List[int]] = {}
        self._room = [MOST_TESTS, MOST_TESTS]  # for further tests that fail, that pass
        self._summaries: List[str] = []

    def add(self, part: str, name: str, scope: Optional[str], passed: bool, runs: int = 1) -> None:
        """Count `runs` outcomes of a test, shown in one part of the current run, unless it is one more
        than MOST_TESTS."""
        key, tests = (name, scope), self._parts.setdefault(part, {})
        counts = tests.get(key)
        if counts is None:
            if key not in self._done and not any(key in shown for shown in self._parts.values()):
                if not self._room[passed]:
                    return
                self._room[passed] -= 1
            counts = tests[key] = [0, 0]
        counts[passed] += runs

    def drop(self, name: str, scope: Optional[str], passed: bool) -> None:
        """Take back what the current run has said of one outcome of a test (an error in its
        teardown makes the pass before it part of a failed run)."""
        for part in self._parts.values():
            if (name, scope) in part:
                part[name, scope][passed] = 0

    def seen(self, name: str, scope: Optional[str], passed: bool) -> bool:
        """True when some part of the current run has this outcome of the test."""
        return any(part.get((name, scope), (0, 0))[passed] for part in self._parts.values())

    @property
    def open(self) -> bool:
        """True when the current run has named a test."""
        return bool(self._parts)

    def end(self, summary: str = NONE, scope: Optional[str] = None) -> None:
        """Close the current run with what the runner itself says of it, or of one scope of it."""
        if summary == PASSED:
            self._greens[scope] = self._greens.get(scope, 0) + 1
        merged: Dict[Key, List[int]] = {}
        for part in self._parts.values():
            self._twins.update(key for key, counts in part.items() if counts[0] and counts[1])
            for key, counts in part.items():
                most = merged.setdefault(key, [0, 0])
                most[0], most[1] = max(most[0], counts[0]), max(most[1], counts[1])
        for key, counts in _adopt_scopes(merged, self._parts.values()).items():
            total = self._done.setdefault(key, [0, 0])
            total[0], total[1] = total[0] + counts[0], total[1] + counts[1]
        if summary != NONE:
            self._summaries.append(summary)
        self._parts = {}

    def report(self) -> Report:
        """Close what is open and sum up; tests in the order in which the output names them."""
        self.end()
        results = tuple(Result(n, s, c[0], c[1]) for (n, s), c in self._done.items() if c[0] or c[1])
        said = self._summaries
        summary = FAILED if FAILED in said else PASSED if said else NONE
        places = tuple(self.places.items())
        unrun, twins, greens = frozenset(self.unrun), frozenset(self._twins), tuple(self._greens.items())
        targets = tuple(self.targets.items())
        return Report(self.runner, summary, results, self.idle, unrun, twins, places, greens, targets=targets)


def _adopt_scopes(merged: Dict[Key, List[int]], parts: Iterable[Dict[Key, List[int]]]) -> Dict[Key, List[int]]:
    """Give a test whose scope one part left out the scope that another part says, if only one does.
    Where one part has the name both with and without a scope, or the outcomes differ, they are two tests."""
    scopes: Dict[str, set[str]] = {}
    for name, scope in merged:
        if scope is not None and (name, None) in merged:
            scopes.setdefault(name, set()).add(scope)
    for part in parts if scopes else ():
        for name, scope in part:
            if scope is not None and (name, None) in part:
                scopes.pop(name, None)
    out: Dict[Key, List[int]] = {}
    for (name, scope), counts in merged.items():
        known = scopes.get(name, set())
        key = (name, scope)
        if scope is None and len(known) == 1:
            adopted = (name, next(iter(known)))
            key = adopted if _agree(counts, merged[adopted]) else key
        most = out.setdefault(key, [0, 0])
        most[0], most[1] = max(most[0], counts[0]), max(most[1], counts[1])
    return out


def _agree(one: List[int], other: List[int]) -> bool:
    """False when one only failed and the other only passed."""
    return any(a and b for a, b in zip(one, other))
