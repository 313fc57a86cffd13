"""The rules: what a run adds to what is known. Pure: time comes in as a parameter."""

from __future__ import annotations

from flaky_memory import fingerprint, selection
from flaky_memory.model import EXIT, FAILED, GREEN_BEFORE, NAMED, PASSED, SUMMARY, Green, Known, NamedTuple, Run, TestId
from flaky_memory.verdict import MOST_RUNS, WINDOW, Verdict, judge, second_opinion, within_window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

    from flaky_memory.command import Invocation
    from flaky_memory.model import Memory, Report
    from flaky_memory.selection import Selection, Surroundings

MOST_TESTS = 5_000
MOST_GREENS = 200
MOST_NAMED, MOST_NAMED_GREENS = 300, 20  # names in one remembered run, and such runs
MOST_STORED_RUNS = 60_000


class Named(NamedTuple):
    """A test that the output names: how many of its runs failed and passed, where the runner says it
    stands, whether the name is enough to be sure that a pass is this test's, whether the runner tried
    it again until it passed, how many passes of it the output proves without naming it, and the options
    that choose its part of the project."""

    id: TestId
    failed: int
    passed: int
    place: str = ""
    sure: bool = True
    recovered: bool = False
    unnamed: int = 0
    target: str = ""


class Selected(NamedTuple):
    """What one invocation selected: the id prefixes that its runner can have (None: any), the
    selection, where it started, how it is known to have passed (EXIT, SUMMARY; -1: it is not), and how
    many tests its summary calls skipped (-1: it does not say)."""

    runners: Optional[Tuple[str, ...]]
    selection: Selection
    around: Surroundings
    green: int
    skipped: int = -1


class Observation(NamedTuple):
    """One recorded command: when, on which code, what it selected and what its output named.
    `unrun` are (runner, scope) whose tests it reported as fine without running them; `cause` is what
    the output gives as the one cause of its failures (see causes.py), and `ran` how many tests it ran as
    far as that is known."""

    time: int
    fingerprint: str
    selected: Tuple[Selected, ...]
    named: Tuple[Named, ...]
    unrun: FrozenSet[Tuple[str, Optional[str]]] = frozenset()
    cause: str = ""
    ran: int = 0


class Recorded(NamedTuple):
    """What a command brought: the tests that failed in it and are flaky, the tests that were reported
    as flaky and no longer are, those that passed where they had failed, of which nobody was told yet, and
    how many failures it showed that are no evidence since they have one cause."""

    flaky: List[Tuple[TestId, Verdict]]
    closed: List[TestId]
    passed: List[Tuple[TestId, Verdict]]
    discounted: int = 0


# -- did an invocation pass?

# Runners whose output holds one statement for each package, crate or project: it speaks for the
# whole run only where nothing was cut out of it. For the first, the last line always tells.
_LAST_LINE_TELLS = frozenset(("go", "cargo"))
_SAID_IN_PARTS = frozenset(("dotnet", "mix"))
# Runners that say of failures or uncaught errors below what passed, and nothing where there are none.
_FAILURES_LAST = frozenset(("mocha", "ava"))


def green(invocation: Invocation, exit_zero: bool, reports: Sequence[Report], alone: bool) -> int:
    """How an invocation is known to have passed: EXIT, SUMMARY, or -1 when it is not.

    `reports` are those of its own runners, `alone` is true when no other invocation of the command
    shares them.
    """
    said = {PASSED if r.uncovered else r.summary for r in reports}
    if FAILED in said:
        return SUMMARY if alone and _some_turn_passed(invocation, reports) else -1
    if any(r.idle for r in reports):
        return -1
    if not invocation.distrust and exit_zero:
        return EXIT
    if not invocation.distrust and not invocation.shares_failure and not any(r.uncovered for r in reports):
        return -1
    return SUMMARY if alone and PASSED in said and _speaks_for_all(invocation, reports) else -1


# Filters that leave results whole, and those that hand on some lines as they are.
KEEP_RESULTS = frozenset(("tee", "cat", "grep -v", "lines"))
_KEEP_LINES = frozenset(("tail", "head", "grep", "grep passes", "Select-Object", "Select-String", "select"))


def _some_turn_passed(invocation: Invocation, reports: Sequence[Report]) -> bool:
    """True when one turn of a loop was green as a whole, whatever the others were."""
    if not invocation.repeats or invocation.varying or not _speaks_for_all(invocation, reports):
        return False
    whole = [r for r in reports if r.runner not in _LAST_LINE_TELLS | _SAID_IN_PARTS]
    return invocation.runners is not None and any(dict(r.greens).get(None) for r in whole)


def _speaks_for_all(invocation: Invocation, reports: Sequence[Report]) -> bool:
    filters = set(invocation.filters) - KEEP_RESULTS
    if filters - _KEEP_LINES or (filters and any(r.torn for r in reports)):
        return False
    events = any(w.text.lstrip("-") == "json" for w in invocation.args)  # these end with the last package
    for report in reports:
        if report.runner in _LAST_LINE_TELLS and filters - (set() if events else {"tail"}):
            return False
        if report.runner in _SAID_IN_PARTS and filters:
            return False
        if report.runner in _FAILURES_LAST and filters - {"tail"}:
            return False
    return True


# -- recording


def record(memory: Memory, seen: Observation) -> Recorded:
    """Add what a command showed to `memory`, in place."""
    index = {known.id: known for known in memory.tests}
    named = {n.id: n for n in seen.named}
    failing = [n for n in seen.named if n.failed]
    discounted = len(failing) if fail_together(index, failing, seen) else 0
    failing = [] if discounted else failing
    for test in failing:
        known = index.get(test.id) or _first_failure(memory, index, test, seen)
        known.selection, known.place = _selection_of(test.id, seen), test.place or known.place
        known.skipped = max((s.skipped for s in _of_runner(test.id, seen)), default=-1)
        _add_named(known, test, seen)
    loosely = _loosely_named(memory, named)
    passed = []
    for known in memory.tests:
        test_named = named.get(known.id) or loosely.get(known.id)
        if test_named is not None and test_named.failed:
            continue
        if test_named is not None and _is_own_pass(known, test_named, seen):
            _add_named(known, test_named, seen)
            passed.append(known)
        elif _add_inferred(known, seen):
            passed.append(known)
    _remember_green(memory, seen)
    _remember_named(memory, index, seen)
    closed = prune(memory, seen.time)
    recovered = {n.id for n in failing if n.recovered and n.sure}
    flaky = [(n.id, second_opinion(index[n.id].runs, seen.fingerprint)) for n in failing if n.id not in recovered]
    flaky = [(test, verdict) for test, verdict in flaky if verdict.flaky]
    cleared = _cleared([*passed, *(index[t] for t in recovered)], seen.fingerprint)
    return Recorded(flaky, [t for t in closed if t not in named or not named[t].failed], cleared, discounted)


# Tests that fail together are looked at for one cause when they are this many, or this part of a run of
# as many.
TOGETHER, TOGETHER_PART = 10, 0.9


def fail_together(index: Dict[TestId, Known], failing: Sequence[Named], seen: Observation) -> bool:
    """True when many tests failed that do not usually, and the output shows one cause for it."""
    if not seen.cause:
        return False
    unusual = sum(not _usually_fails(index.get(n.id)) for n in failing)
    return unusual >= TOGETHER or (seen.ran >= TOGETHER and unusual >= TOGETHER_PART * seen.ran)


def _usually_fails(known: Optional[Known]) -> bool:
    return known is not None and 2 * sum(not r.passed for r in known.runs) > len(known.runs)


def _cleared(passed: Sequence[Known], tree: str) -> List[Tuple[TestId, Verdict]]:
    """The tests among those that just passed which had failed on the same code; each is given out once for
    each state of the code."""
    found = []
    for known in passed:
        if tree in known.cleared or not any(r[1] == tree and not r[2] for r in known.runs):
            continue
        found.append((known.id, second_opinion(known.runs, tree)))
    return found


def mark_told(memory: Memory, recorded: Recorded, seen: Observation) -> None:
    """Keep, in place, what people and models are told of what a command brought."""
    flaky, cleared = ({test for test, _ in found} for found in (recorded.flaky, recorded.passed))
    for known in memory.tests if flaky or cleared else ():
        if known.id in flaky or known.id in cleared:
            known.told = seen.time
        if known.id in cleared:
            trees = {r.fingerprint for r in known.runs}
            known.cleared = (*(t for t in known.cleared if t in trees), seen.fingerprint)


def _add_named(known: Known, test: Named, seen: Observation) -> None:
    passed = test.passed if test.sure or not test.failed else 0
    for count, outcome, source in ((test.failed, False, NAMED), (passed, True, NAMED), (test.unnamed, True, SUMMARY)):
        run = Run(seen.time, seen.fingerprint, outcome, source, _width(known.id, seen))
        known.runs += [run] * min(count, MOST_RUNS)
    known.runs = known.runs[-MOST_RUNS:]


def _is_own_pass(known: Known, test: Named, seen: Observation) -> bool:
    """A pass of a test whose name is not enough counts only under the command that it failed under."""
    return test.sure or _selection_of(known.id, seen) == known.selection


def _loosely_named(memory: Memory, named: Dict[TestId, Named]) -> Dict[TestId, Named]:
    """Stored tests that an output names without their scope or their outer titles: the only stored
    test that the name can mean, named once, and passed. Such a pass is never sure."""
    short: Dict[Tuple[str, str], List[Named]] = {}
    for test in named.values():
        short.setdefault(_short(test.id), []).append(test)
    found: Dict[TestId, Named] = {}
    candidates: Dict[Tuple[str, str], List[TestId]] = {}
    for known in memory.tests:
        candidates.setdefault(_short(known.id), []).append(known.id)
    for name, tests in candidates.items():
        given = short.get(name, [])
        once = len(tests) == 1 and len(given) == 1 and (given[0].passed, given[0].failed) == (1, 0)
        if once and _can_mean(given[0].id, tests[0]):
            found[tests[0]] = given[0]._replace(sure=False)
    return found


def _short(test: TestId) -> Tuple[str, str]:
    return test.runner, test.name.rpartition(" > ")[2].replace(" .", ".").replace(" #", "#")


def _can_mean(given: TestId, stored: TestId) -> bool:
    """True when a printed id leaves out a part of the stored one, and says nothing else."""
    if given.scope not in (None, stored.scope) or given == stored:
        return False
    plain = given.name.replace(" .", ".").replace(" #", "#")
    whole = stored.name.replace(" .", ".").replace(" #", "#")
    return whole == plain or whole.endswith(" > " + plain)


def _first_failure(memory: Memory, index: Dict[TestId, Known], test: Named, seen: Observation) -> Known:
    """Begin to store a test, with the passes that green runs of before prove."""
    known = Known(test.id, [], "", test.place)
    known.selection = _selection_of(test.id, seen)
    atoms: List[List[str]] = []
    hashed = _hashed(_whole(test.id))
    skipped = max((s.skipped for s in _of_runner(test.id, seen)), default=-1)
    for past in memory.greens:
        if past.runners is None or test.id.runner in past.runners:
            if not atoms:
                atoms = _hashed_atoms(test, seen)
            if _skips_more(past.skipped, skipped, test.id, past.what):
                continue
            if hashed in (past.named or ()) or _green_covers(past, known.selection, atoms):
                known.runs.append(Run(past.time, past.fingerprint, True, GREEN_BEFORE, past.width))
    memory.tests.append(known)
    index[test.id] = known
    return known


def _hashed_atoms(test: Named, seen: Observation) -> List[List[str]]:
    around = _around_of(test.id, seen)
    where = selection.where_atoms(test.id, test.place, around) if around else []
    return [[_hashed(a) for a in where], [_hashed(a) for a in selection.what_atoms(test.id)]]


def _hashed(atom: str) -> str:
    return fingerprint.digest(atom.encode("utf-8", "surrogatepass"))[:8].hex()


def _green_covers(past: Green, failing: str, atoms: List[List[str]]) -> bool:
    if past.selection and _key(past.selection) == _key(failing):
        return True
    if past.what is not None and not any(a in past.what for a in atoms[1]):
        return False
    if _base(past.selection) and _base(past.selection) == _base(failing):
        return True
    return past.where is not None and any(a in past.where for a in atoms[0])


# A stored selection is "key base"; either may be missing.


def _key(stored: str) -> str:
    return stored.partition(" ")[0]


def _base(stored: str) -> str:
    return stored.partition(" ")[2]


def _of_runner(test: TestId, seen: Observation) -> List[Selected]:
    return [s for s in seen.selected if s.runners is None or test.runner in s.runners]


def _selection_of(test: TestId, seen: Observation) -> str:
    """The selection that a test failed under: of several invocations, only all of them together."""
    own = _of_runner(test, seen)
    if len(own) == 1:
        return f"{own[0].selection.key} {own[0].selection.base}"
    keys = [s.selection.key for s in own]
    return fingerprint.key(*keys) + " " if keys and all(keys) else " "


def _width(test: TestId, seen: Observation) -> int:
    """How much ran with a test; 0 where invocations of several widths may have run it."""
    widths = {s.selection.width for s in _of_runner(test, seen)}
    return widths.pop() if len(widths) == 1 else 0


def _around_of(test: TestId, seen: Observation) -> Optional[Surroundings]:
    own = _of_runner(test, seen)
    return own[0].around if own else None


def _add_inferred(known: Known, seen: Observation) -> bool:
    """A run without a failure is a pass for each failing test that its selection covers; true when it
    covers this one."""
    if (known.id.runner, known.id.scope) in seen.unrun or (known.id.runner, None) in seen.unrun:
        return False
    own = _of_runner(known.id, seen)
    greens = [s for s in own if s.green >= 0]
    source = max((s.green for s in greens if covers(s, known)), default=-1)
    if source < 0 and own and len(greens) == len(own) > 1 and _selection_of(known.id, seen) == known.selection != " ":
        source = greens[0].green
    if source >= 0:
        known.runs.append(Run(seen.time, seen.fingerprint, True, source, _width(known.id, seen)))
        known.runs = known.runs[-MOST_RUNS:]
    return source >= 0


def covers(selected: Selected, known: Known) -> bool:
    """True when an invocation surely ran a test: the same command as it failed under, the same with
    another name filter that takes it in, or a selection that names its place."""
    chosen = selected.selection
    if _skips_more(selected.skipped, known.skipped, known.id, chosen.what):
        return False
    if chosen.key and chosen.key == _key(known.selection):
        return True
    if chosen.what is not None and not _takes_in(chosen.what, known):
        return False
    if chosen.base and chosen.base == _base(known.selection):
        return True
    if chosen.where is None:
        return False
    where = set(chosen.where)
    return any(a in where for a in selection.where_atoms(known.id, known.place, selected.around))


def _skips_more(green: int, failing: int, test: TestId, what: Optional[Sequence[str]]) -> bool:
    """True when a green run skipped tests that a failing run did not: it may have skipped the failing one.
    Runners of JavaScript count as skipped what a name filter leaves out."""
    return green > failing >= 0 and not (what and test.runner in ("js", "node", "tap"))


def _takes_in(what: Tuple[str, ...], known: Known) -> bool:
    if "last failed" in what:
        return bool(known.runs) and not known.runs[-1].passed
    return bool(what) and any(a in what for a in selection.what_atoms(known.id))


def _remember_green(memory: Memory, seen: Observation) -> None:
    """Keep, hashed, which selections were green on which code: a first failure there is no surprise."""
    failed = any(n.failed for n in seen.named)
    for chosen in seen.selected:
        picked = chosen.selection
        if chosen.green < 0 or failed or seen.unrun or not picked.key or "last failed" in (picked.what or ()):
            continue
        stored = f"{picked.key} {picked.base}"
        new = Green(
            seen.time,
            seen.fingerprint,
            stored,
            _listed(chosen.runners),
            _hash_all(picked.where),
            _hash_all(picked.what),
            None,
            chosen.skipped,
            picked.width,
        )
        memory.greens = [g for g in memory.greens if (g.fingerprint, g.selection) != (new.fingerprint, stored)]
        memory.greens.append(new)


def _remember_named(memory: Memory, index: Dict[TestId, Known], seen: Observation) -> None:
    """Keep, hashed, a few names of tests that passed where no selection was green."""
    if all(s.green >= 0 and s.selection.where is not None for s in seen.selected):
        return
    passed = [n.id for n in seen.named if n.passed and n.sure and not n.failed and n.id not in index]
    if not passed or len(passed) > MOST_NAMED:
        return
    names = sorted(_hashed(_whole(t)) for t in passed)
    runners = sorted({t.runner for t in passed})
    memory.greens = [g for g in memory.greens if g.fingerprint != seen.fingerprint or g.named != names]
    memory.greens.append(Green(seen.time, seen.fingerprint, "", runners, None, [], names))
    keeping = [g for g in memory.greens if g.named]
    for extra in keeping[:-MOST_NAMED_GREENS]:
        memory.greens.remove(extra)


def _whole(test: TestId) -> str:
    return f"{test.runner}\0{test.scope or ''}\0{test.name}"


def _listed(texts: Optional[Sequence[str]]) -> Optional[List[str]]:
    return None if texts is None else list(texts)


def _hash_all(atoms: Optional[Sequence[str]]) -> Optional[List[str]]:
    return None if atoms is None else [_hashed(a) for a in atoms]


# -- forgetting


def prune(memory: Memory, now: float) -> List[TestId]:
    """Drop what left the window or the bounds, in place; the tests that were told of as flaky and
    no longer are, once each."""
    closed, kept = [], []
    for known in memory.tests:
        known.runs = within_window(known.runs, now)
        if known.told and not judge(known.runs).flaky:
            known.told = 0
            closed.append(known.id)
        if any(not r.passed for r in known.runs):
            kept.append(known)
    memory.tests = _newest(kept)
    memory.greens = [g for g in memory.greens if g.time > now - WINDOW][-MOST_GREENS:]
    return closed


def _newest(tests: List[Known]) -> List[Known]:
    """The tests that fit the bounds on their number and the number of all runs."""
    if len(tests) <= MOST_TESTS and sum(len(t.runs) for t in tests) <= MOST_STORED_RUNS:
        return tests
    kept, runs = [], 0
    for known in sorted(tests, key=lambda t: t.runs[-1].time, reverse=True)[:MOST_TESTS]:
        runs += len(known.runs)
        if runs > MOST_STORED_RUNS:
            break
        kept.append(known)
    return kept


def forget(memory: Memory, tests: Sequence[TestId]) -> None:
    """Forget all of these tests, and the green runs, which could bring back what was forgotten."""
    gone = set(tests)
    memory.tests = [t for t in memory.tests if t.id not in gone]
    memory.greens = []


def flaky_tests(memory: Memory) -> List[Tuple[Known, Verdict]]:
    """The flaky tests, the most failing first."""
    judged = [(known, judge(known.runs)) for known in memory.tests]
    flaky = [(known, verdict) for known, verdict in judged if verdict.flaky]
    return sorted(flaky, key=lambda kv: (-kv[1].failed, kv[0].id.runner, kv[0].id.name, kv[0].id.scope or ""))


# The sources of a pass, in the order of how directly it was seen.
SOURCES = (NAMED, EXIT, SUMMARY, GREEN_BEFORE)
