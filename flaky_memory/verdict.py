"""What is known of a test's runs -> flaky or not, really broken or not, in numbers. Pure: time comes in
as a parameter."""

from __future__ import annotations

from flaky_memory.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, List, Sequence, Tuple

    from flaky_memory.model import Run

WINDOW_DAYS = 7
WINDOW = WINDOW_DAYS * 24 * 3600  # seconds
MOST_RUNS = 50  # of one test
# A row of failures that chance would bring more seldom than this is taken for a broken test.
UNLIKELY = 0.05
SHORTEST_ROW = 2  # failures


class Rate(NamedTuple):
    """`failed` of `runs` runs failed."""

    failed: int
    runs: int

    @property
    def smoothed(self) -> float:
        """The rate of failures by the rule of succession (Laplace): never 0 or 1, however few runs."""
        return (self.failed + 1) / (self.runs + 2)


class Company(NamedTuple):
    """The widths (Run.width) of the runs that a test failed in and of those that it passed in, where all
    of the one are wider than all of the other; both empty where it is not so."""

    failed_in: Tuple[int, ...] = ()
    passed_in: Tuple[int, ...] = ()


class Verdict(NamedTuple):
    """`failed` of `runs` runs failed; on `same_code` fingerprints the test did both. Of the code at hand:
    the last `row` runs failed and none passed there, while elsewhere it failed at the rate `other`; and
    the `company` that its outcome depends on."""

    failed: int
    runs: int
    same_code: int
    row: int = 0
    other: Rate = Rate(0, 0)
    company: Company = Company()

    @property
    def flaky(self) -> bool:
        return self.same_code > 0

    @property
    def chance(self) -> float:
        """How likely so many failures in a row are for a test that fails as often as this one did."""
        return self.other.smoothed**self.row

    @property
    def probably_real(self) -> bool:
        """True when a known flaky test has failed more often in a row than its own history explains."""
        return self.flaky and self.row >= SHORTEST_ROW and self.chance < UNLIKELY


def within_window(runs: Iterable[Run], now: float) -> List[Run]:
    """The runs of the window, at most MOST_RUNS, the newest last. A time in the future (a clock
    that was set back) counts as now."""
    recent = [r for r in runs if r.time > now - WINDOW]
    return sorted(recent, key=lambda r: r.time)[-MOST_RUNS:]


def judge(runs: Iterable[Run]) -> Verdict:
    """Sum up the runs of one test, without a word on the code at hand."""
    outcomes: Dict[str, int] = {}
    failed = total = 0
    for run in runs:
        total += 1
        failed += not run.passed
        outcomes[run.fingerprint] = outcomes.get(run.fingerprint, 0) | (2 if run.passed else 1)
    return Verdict(failed, total, sum(o == 3 for o in outcomes.values()))


def second_opinion(runs: Sequence[Run], tree: str) -> Verdict:
    """The verdict on a test that failed on the code with the fingerprint `tree`."""
    verdict = judge(runs)
    if not verdict.flaky:
        return verdict
    here = [r for r in runs if r.fingerprint == tree]
    mixed = _mixed([r for r in runs if r.fingerprint != tree])
    if any(r.passed for r in here):
        return verdict._replace(company=_company([*mixed, *here]))
    elsewhere = [r for r in runs if r.fingerprint != tree]
    company = Company()
    if min(sum(r.passed for r in mixed), sum(not r.passed for r in mixed)) >= _ENOUGH:
        company = _company([*mixed, *here])
    if company.failed_in:  # then only the runs of that company say how often it fails in it
        elsewhere = [r for r in elsewhere if r.width in company.failed_in]
    other = Rate(sum(not r.passed for r in elsewhere), len(elsewhere))
    return verdict._replace(row=len(here), other=other, company=company)


# Failures and passes on other code from which to say that company matters on this code too.
_ENOUGH = 2
# One failure in a run of all tests and one pass alone are what any flaky test shows when it is run again.
_FEWEST_IN_COMPANY = 3


def by_width(runs: Sequence[Run]) -> Dict[int, Rate]:
    """How often a test failed in runs of each width, on the trees that saw both outcomes."""
    mixed = _mixed(runs)
    found = {}
    for width in sorted({r.width for r in mixed}):
        own = [r for r in mixed if r.width == width]
        found[width] = Rate(sum(not r.passed for r in own), len(own))
    return found


def _mixed(runs: Sequence[Run]) -> List[Run]:
    """The runs on the trees that saw both outcomes."""
    passed = {r.fingerprint for r in runs if r.passed}
    both = {r.fingerprint for r in runs if not r.passed} & passed
    return [r for r in runs if r.fingerprint in both]


def _company(runs: Sequence[Run]) -> Company:
    """Whether the width alone tells the failures among some runs from the passes."""
    failed, passed = ({r.width for r in runs if r.passed is outcome} for outcome in (False, True))
    if not failed or not passed or 0 in failed | passed or len(runs) < _FEWEST_IN_COMPANY:
        return Company()
    if min(failed) > max(passed) or max(failed) < min(passed):
        return Company(tuple(sorted(failed)), tuple(sorted(passed)))
    return Company()
