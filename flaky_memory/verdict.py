"""What is known of a test's runs -> flaky or not, in numbers. Pure: time comes in as a parameter."""

from __future__ import annotations

from flaky_memory.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, List

    from flaky_memory.model import Run

WINDOW_DAYS = 7
WINDOW = WINDOW_DAYS * 24 * 3600  # seconds
MOST_RUNS = 50  # of one test


class Verdict(NamedTuple):
    """`failed` of `runs` runs failed; on `same_code` fingerprints the test did both."""

    failed: int
    runs: int
    same_code: int

    @property
    def flaky(self) -> bool:
        return self.same_code > 0


def within_window(runs: Iterable[Run], now: float) -> List[Run]:
    """The runs of the window, at most MOST_RUNS, the newest last. A time in the future (a clock
    that was set back) counts as now."""
    recent = [r for r in runs if r.time > now - WINDOW]
    return sorted(recent, key=lambda r: r.time)[-MOST_RUNS:]


def judge(runs: Iterable[Run]) -> Verdict:
    """Sum up the runs of one test."""
    outcomes: Dict[str, int] = {}
    failed = total = 0
    for run in runs:
        total += 1
        failed += not run.passed
        outcomes[run.fingerprint] = outcomes.get(run.fingerprint, 0) | (2 if run.passed else 1)
    return Verdict(failed, total, sum(o == 3 for o in outcomes.values()))
