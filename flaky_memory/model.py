"""The named tuples that travel between the modules.

The hooks start for every test command, and importing `typing` would cost them a quarter of a
bare interpreter's start. So `NamedTuple` comes from `typing` for the type checker and from
`collections` at run time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, FrozenSet, List, Optional, Tuple
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple

    class _NamedTupleMeta(type):
        """Turns an annotated class body into a named tuple, as typing.NamedTuple does."""

        def __new__(mcs, name, bases, body):
            if not bases:
                return super().__new__(mcs, name, bases, body)
            fields = list(body.get("__annotations__", ()))
            made = namedtuple(name, fields, defaults=[body[f] for f in fields if f in body])
            for key, value in body.items():
                if key not in fields and key not in ("__annotations__", "__qualname__"):
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_NamedTupleMeta):
        pass


PASSED, FAILED, NONE = "passed", "failed", "none"


class TestId(NamedTuple):
    """What makes two tests two: the id prefix, what tells two tests of one name apart, the name."""

    runner: str
    scope: Optional[str]
    name: str


class Result(NamedTuple):
    """How many runs of one test an output shows failing and passing."""

    name: str
    scope: Optional[str]
    failed: int
    passed: int


class Report(NamedTuple):
    """What one runner says in one output.

    `summary` is the runner's own word on its whole run: PASSED, FAILED, or NONE where it says
    none or ran nothing. `idle` is true when it says that nothing ran (no tests, nothing
    collected, everything cached). `unrun` names scopes whose tests it did not run although it
    reports them as fine (cached, up to date). `twins` are (name, scope) that both passed and failed in
    one run; `places` say where a test stands (`./spec/a_spec.rb:3`) where the runner takes that as an
    argument; `greens` how many runs it calls passed, of the whole (None) or of a scope; `partial`
    that it left tests out; `skipped` how many tests its closing lines call skipped, -1 without such lines;
    `torn` that its closing lines may be cut, so that they do not speak of all that ran; `uncovered`
    that it says too little of the code is covered, which alone makes it exit non-zero; `targets` the options
    that the runner says to choose a test's part of the project with (`-p app --lib`).
    """

    runner: str
    summary: str
    results: Tuple[Result, ...]
    idle: bool = False
    unrun: FrozenSet[str] = frozenset()
    twins: FrozenSet[Tuple[str, Optional[str]]] = frozenset()
    places: Tuple[Tuple[Tuple[str, Optional[str]], str], ...] = ()
    greens: Tuple[Tuple[Optional[str], int], ...] = ()
    partial: bool = False
    skipped: int = -1
    uncovered: bool = False
    torn: bool = False
    targets: Tuple[Tuple[Tuple[str, Optional[str]], str], ...] = ()


class Run(NamedTuple):
    """One execution of one test: seconds since the epoch, the fingerprint of the code, how it ended,
    for a pass, how that is known (NAMED, or inferred from a green run: EXIT, SUMMARY), and how much
    the command ran with it (ONE to ALL; 0 when that is not known)."""

    time: int
    fingerprint: str
    passed: bool
    source: int
    width: int = 0


# Run.source
NAMED, EXIT, SUMMARY, GREEN_BEFORE = 0, 1, 2, 3
# Run.width: tests chosen by name, files, folders or packages, all tests of a project.
ONE, FILES, PARTS, ALL = 1, 2, 3, 4


class Known:
    """What is stored of one test that failed in the window.

    `selection` is the key of the command that it failed under last, `place` where the runner says
    it stands (`spec/a_spec.rb:3`), `told` when the person was told that it is flaky (0: never),
    `skipped` how many tests that run skipped (-1: unknown), `cleared` the fingerprints on which the
    model was told that it passed where it had failed.
    """

    __slots__ = ("cleared", "id", "place", "runs", "selection", "skipped", "told")

    def __init__(self, id: TestId, runs: List[Run], selection: str, place: str = "", told: int = 0) -> None:
        self.id, self.runs, self.selection, self.place, self.told = id, runs, selection, place, told
        self.skipped = -1
        self.cleared: Tuple[str, ...] = ()


class Green(NamedTuple):
    """A run without a failure: when, on which code, the key of its command, and what it selected
    (hashed; see selection.Selection; `runners` are id prefixes, None for any). `named` are hashed ids
    of tests that passed in a run that was not green; `skipped` as in history.Selected; `width` as in Run."""

    time: int
    fingerprint: str
    selection: str
    runners: Optional[List[str]]
    where: Optional[List[str]]
    what: Optional[List[str]]
    named: Optional[List[str]] = None
    skipped: int = -1
    width: int = 0


class Memory:
    """All that is stored of one repository. `moved` names the file that a damaged store went to."""

    __slots__ = ("greens", "moved", "tests")

    def __init__(self, tests: List[Known], greens: List[Green], moved: str = "") -> None:
        self.tests, self.greens, self.moved = tests, greens, moved


class Outcome(NamedTuple):
    """What an event of a call came to: a key of message.REASONS ("" when there is nothing to decide
    yet), and the hook's answer (None for silence)."""

    decision: str
    answer: Optional[Dict[str, Any]] = None
