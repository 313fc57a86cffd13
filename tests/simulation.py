"""How long until the right sentence, and how often a wrong one: flaky tests of known failure rates, of which
half are then really broken, played through the rules. `make simulation` prints the table.

One case: a test that fails at a known rate is run on several states of the code, and again after each
failure, until it is known to be flaky. Then the code changes: in half of the cases the change breaks the
test for good, in the others it goes on as before. An agent runs it, and again as long as it fails, until it
passes or the note says that it is probably broken; after a pass the agent goes on running it on that code.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from flaky_memory import history
from flaky_memory.model import Memory, TestId
from flaky_memory.selection import Selection, Surroundings
from flaky_memory.verdict import Verdict

RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
CASES = 2_000  # of each rate, half of them broken
MOST_RERUNS = 60
AFTERWARDS = 8  # runs on the code on which it passed
START = 1_800_000_000
TEST = TestId("go", "example.com/app", "TestFlip")
SELECTED = history.Selected(("go",), Selection("k", "b", ("tree:",), None, ()), Surroundings(""), -1)


@dataclass
class Tally:
    """What came of the cases of one rate."""

    flakes: int = 0  # changes that broke nothing
    failed: int = 0  # those on which the test failed at least once
    wrong: int = 0  # those on which it was called probably broken
    after_pass: int = 0  # the same after it had passed on that code
    needed: list[int] = field(default_factory=list)  # runs of a broken test until it was called so
    missed: int = 0  # broken tests that never were


class Story:
    """One test's life: each run goes through the rules as a hook would send it."""

    def __init__(self, rate: float, chance: random.Random) -> None:
        self.memory, self.rate, self.chance = Memory([], []), rate, chance
        self.time, self.tree = START, 0

    def run(self, broken: bool = False) -> tuple[bool, Verdict | None]:
        """(whether it passed, the verdict of the note if there is one)."""
        self.time += 60
        passed = not broken and self.chance.random() >= self.rate
        named = history.Named(TEST, int(not passed), int(passed))
        seen = history.Observation(self.time, f"{self.tree:016x}", (SELECTED,), (named,))
        recorded = history.record(self.memory, seen)
        return passed, recorded.flaky[0][1] if recorded.flaky else None

    def known(self) -> bool:
        return bool(history.flaky_tests(self.memory))

    def past(self) -> None:
        """Runs on older code, and again after a failure, until the test is known to be flaky and has some history."""
        most = self.chance.randrange(5, 60)
        runs = 0
        while runs < most or not self.known():
            self.tree += 1
            for _ in range(self.chance.randrange(1, 4)):
                passed, _ = self.run()
                runs += 1
                while not passed:
                    passed, _ = self.run()
                    runs += 1


def case(rate: float, broken: bool, chance: random.Random, tally: Tally) -> None:
    """One change of the code, and the runs that an agent does on it."""
    story = Story(rate, chance)
    story.past()
    story.tree += 1
    tally.flakes += not broken
    for number in range(1, MOST_RERUNS + 1):
        passed, verdict = story.run(broken)
        tally.failed += not passed and number == 1 and not broken
        if passed:
            break
        if verdict is not None and verdict.probably_real:
            if broken:
                tally.needed.append(number)
            else:
                tally.wrong += 1
            return
    if broken:
        tally.missed += 1
        return
    for _ in range(AFTERWARDS):
        _, verdict = story.run()
        tally.after_pass += verdict is not None and verdict.probably_real


def simulate(rate: float, cases: int = CASES, seed: int = 1) -> Tally:
    """All cases of one rate."""
    chance, tally = random.Random(f"{seed} {rate}"), Tally()
    for number in range(cases):
        case(rate, number % 2 == 0, chance, tally)
    return tally


def row(rate: float, tally: Tally) -> list[str]:
    """One line of the table."""
    needed = sorted(tally.needed)
    said = len(needed) + tally.wrong
    return [
        f"{rate:.0%}", str(needed[len(needed) // 2]), str(needed[len(needed) * 9 // 10]), str(tally.missed),
        f"{tally.wrong / tally.flakes:.1%}", f"{tally.wrong / max(tally.failed, 1):.1%}", f"{tally.wrong / said:.1%}",
        str(tally.after_pass),
    ]  # fmt: skip


HEADINGS = (
    "failure rate", "runs until it is said (median)", "nine in ten within", "never said",
    "wrongly said, of changes that broke nothing", "of those on which it failed at first", "wrong among those said",
    "said after a pass on that code",
)  # fmt: skip


def table(tallies: dict[float, Tally]) -> str:
    """The table as Markdown."""
    rows = [list(HEADINGS), ["---:"] * len(HEADINGS), *(row(rate, tally) for rate, tally in tallies.items())]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


if __name__ == "__main__":
    print(table({rate: simulate(rate) for rate in RATES}))
