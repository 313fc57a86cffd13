"""When to stop running a test again: what the numbers say, and in which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flaky_memory import message
from flaky_memory.model import ALL, FILES, NAMED, ONE, PARTS, Run
from flaky_memory.verdict import Company, Rate, Verdict, by_width, judge, second_opinion
from tests import simulation
from tests.conftest import ROOT
from tests.people import command
from tests.player import Player
from tests.test_rules import FILES as PROJECT
from tests.test_rules import GO_FILES, GO_RED, GREEN, JEST_GREEN, JEST_RED, RED, edit, green, red

TEST = "pytest:tests/test_a.py::test_x"


def runs(story: str, width: int = ALL) -> list[Run]:
    """Runs of a test: P and F on one state of the code, a blank before the next; a digit sets the width."""
    made, tree = [], 0
    for char in story:
        if char.isdigit():
            width = int(char)
        elif char == " ":
            tree += 1
        else:
            made.append(Run(len(made), f"{tree:016x}", char == "P", NAMED, width))
    return made


def opinion(story: str) -> Verdict:
    """The verdict on the code of the last run."""
    made = runs(story)
    return second_opinion(made, made[-1].fingerprint)


# -- probably real

REAL: dict[str, tuple[str, int, float]] = {
    "half-the-time": ("FP FFFFF", 5, 0.5**5),
    "half-the-time-and-more": ("FP FFFFFFF", 7, 0.5**7),
    "rarely": ("FPPPPPPP FF", 2, 0.2**2),
    "the-others-on-many-states": ("FP P P P P P P FF", 2, 0.2**2),
    "once-in-fifty": ("FP" + "P" * 46 + " FF", 2, (2 / 50) ** 2),
}  # fmt: skip
USUAL: dict[str, str] = {
    "first-failure": "FPPPPPPP F", "first-failure-of-one-in-fifty": "FP" + "P" * 46 + " F", "one-too-few": "FP FFFF",
    "fails-as-a-rule": "FFFFFP FFFFF", "passed-there-first": "FP PFFFFFFFF", "passed-there-in-between": "FP FFFFFPFFF",
    "only-this-code": "FPFFFFFFFF", "never-flaky": "FFFFFFFF", "never-flaky-but-passed-elsewhere": "P P P P P P P FFFF",
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_probably_real(name: str) -> None:
    story, row, chance = REAL[name]
    verdict = opinion(story)
    assert (verdict.probably_real, verdict.row) == (True, row)
    assert verdict.chance == pytest.approx(chance)


@pytest.mark.parametrize("name", USUAL)
def test_not_yet_or_never_probably_real(name: str) -> None:
    assert not opinion(USUAL[name]).probably_real


# -- company

COMPANY: dict[str, tuple[str, Company]] = {
    "wide-fails-alone-passes": ("4F1P4F", Company((ALL,), (ONE,))),
    "alone-first": ("1P4FF", Company((ALL,), (ONE,))),
    "alone-fails-wide-passes": ("1F4PP", Company((ONE,), (ALL,))),
    "files": ("2F1P4F", Company((FILES, ALL), (ONE,))),
    "two-states": ("4F1P4F 4F1P", Company((ALL,), (ONE,))),
    "a-state-with-one-outcome": ("1F 4F1P4F", Company((ALL,), (ONE,))),
    "new-code-and-much-seen-before": ("4FF1PP 4F", Company((ALL,), (ONE,))),
}  # fmt: skip
ALONE: dict[str, str] = {
    "one-of-each": "4F1P", "same-width": "4F4P4F", "passed-wide-too": "4F1P4P4F", "failed-alone-too": "4F1P1F",
    "unknown-width": "4F0P4F", "passed-wide-on-another-state": "4F4P 4F1P4F", "new-code-and-little-seen-before": "4F1P4F 4F",
    "new-code-fails-alone": "4FF1PP 1F", "never-flaky": "4FFF",
}  # fmt: skip


@pytest.mark.parametrize("name", COMPANY)
def test_company(name: str) -> None:
    story, company = COMPANY[name]
    assert opinion(story).company == company


@pytest.mark.parametrize("name", ALONE)
def test_no_company(name: str) -> None:
    assert opinion(ALONE[name]).company == Company()


def test_in_company_only_the_runs_of_that_company_count() -> None:
    """Five failures in runs of all tests mean little to a test that always fails in them."""
    verdict = opinion("4FF1PPPP 4FFFFF")
    assert verdict.other == Rate(2, 2)
    assert not verdict.probably_real


def test_outcomes_by_width() -> None:
    assert by_width(runs("4F1P4F 4P")) == {ONE: Rate(0, 1), ALL: Rate(2, 2)}
    assert by_width(runs("4F 4P")) == {}


def test_the_plain_verdict_says_nothing_of_the_code_at_hand() -> None:
    assert judge(runs("FP FFFFF")) == Verdict(6, 7, 1)


# -- the sentences

FINDING = "flaky-memory: go:TestFlip failed 6 of 7 runs in the last 7 days and both passed and failed on the same code once"
PLAIN = Verdict(6, 7, 1)
BROKEN = Verdict(6, 7, 1, 5, Rate(1, 2))
TOGETHER = Verdict(6, 7, 1, company=Company((ALL,), (ONE,)))
APART = Verdict(6, 7, 1, company=Company((ONE, FILES), (PARTS,)))
IN_COMPANY = (
    "On the same code it failed only in runs of all tests and passed only in runs of chosen tests, "
    "so it may depend on test order or shared state, and running it alone proves nothing."
)
IN_A_ROW = (
    "It has failed 5 times in a row on this code, which by its own history would happen by chance in about 3% of cases"
)
NOTES: dict[str, tuple[str, str]] = {
    "usual": (
        message.note([("go:TestFlip", PLAIN)]),
        f"{FINDING}. It may be flaky rather than broken by this change: run it again before you change code for it.",
    ),
    "probably real": (
        message.note([("go:TestFlip", BROKEN)], "go test"),
        f"{FINDING}. {IN_A_ROW}, so treat it as broken by this change until it passes.\nTo run it again: go test",
    ),
    "what the person reads of it": (message.findings([("go:TestFlip", BROKEN)]), f"{FINDING}. {IN_A_ROW}"),
    "company": (
        message.note([("go:TestFlip", TOGETHER)]),
        f"{FINDING}. {IN_COMPANY} Run the command that failed again before you change code for it.",
    ),
    "company, the other way round": (
        message.note([("go:TestFlip", APART)]),
        f"{FINDING}. On the same code it failed only in runs of chosen tests or chosen files and passed only in runs of whole "
        "folders or packages, so it may depend on test order or shared state, and running more with it proves nothing. "
        "Run the command that failed again before you change code for it.",
    ),
    "several": (
        message.note([("go:A", PLAIN), ("go:B", BROKEN), ("go:C", PLAIN)], "go test"),
        "\n".join([
            f"{FINDING.replace('TestFlip', 'B')}. {IN_A_ROW}, so treat it as broken by this change until it passes.",
            FINDING.replace("TestFlip", "A") + ".", FINDING.replace("TestFlip", "C") + ".",
            "They may be flaky rather than broken by this change: run them again before you change code for them.",
            "To run it again: go test",
        ]),
    ),
    "passed": (
        message.passed_note([("go:TestFlip", PLAIN)]),
        "flaky-memory: go:TestFlip passed on the same code on which it failed: no change of the code in between fixed it, "
        "so it may be flaky. Do not report it as fixed.",
    ),
    "passed alone": (
        message.passed_note([("go:TestFlip", TOGETHER)]),
        "flaky-memory: go:TestFlip passed on the same code on which it failed: no change of the code in between fixed it, "
        f"so it may be flaky. Do not report it as fixed. {IN_COMPANY}",
    ),
    "several passed": (
        message.passed_note([("go:A", PLAIN), ("go:B", TOGETHER)]),
        "flaky-memory: go:A passed on the same code on which it failed.\n"
        f"flaky-memory: go:B passed on the same code on which it failed. {IN_COMPANY}\n"
        "No change of the code in between fixed them, so they may be flaky. Do not report them as fixed.",
    ),
    "one cause": (
        message.together_note(12, "refused"),
        "flaky-memory: 12 tests failed together, and the output shows one cause for nearly all of them: connections were "
        "refused. None of them is called flaky for that, and these failures are not counted. "
        "Look at that cause before you look at the tests one by one.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTES)
def test_sentence(name: str) -> None:
    said, expected = NOTES[name]
    assert said == expected


def test_many_tests_are_counted() -> None:
    many = [(f"go:T{n}", PLAIN) for n in range(14)]
    assert "4 more failing tests both passed and failed on the same code." in message.note(many).split("flaky-memory: ")[11]
    assert "flaky-memory: 4 more tests passed on the same code on which they failed.\n" in message.passed_note(many)
    assert "flaky-memory: 1 more failing test both passed and failed on the same code." in message.note(many[:11])
    assert "flaky-memory: 1 more test passed on the same code on which it failed.\n" in message.passed_note(many[:11])
    assert message.findings(many[:3], many[3:]).endswith("\nflaky-memory: 4 more tests both passed and failed on the same code")


@pytest.mark.parametrize("name", NOTES)
def test_no_sentence_asks_to_weaken_a_test(name: str) -> None:
    said = NOTES[name][0].lower()
    assert not any(word in said for word in ("skip", "retry", "retries", "xfail", "disable", "ignore", "delete", "mark"))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0499, "about 5%"), (0.03, "about 3%"), (0.0099, "about 1.0%"), (0.004, "about 0.4%"), (0.0004, "less than 0.1%")],
)
def test_percentages(share: float, text: str) -> None:
    assert message.percent(share) == text


# -- through the hooks


def notes(steps: list[Any], tmp_path: Path) -> list[str]:
    """What the model is told, command by command."""
    player = Player(tmp_path)
    player.repository("app", {**PROJECT, **GO_FILES})
    told = []
    for step in steps:
        if step[0] == "write":
            player.write(step[1])
        else:
            command, output, code = step[:3]
            told.append("\n".join(player.finish(player.start(command, {}), output, code, {})))
    return told


PASSED = f"flaky-memory: {TEST} passed on the same code on which it failed"
ONE_GREEN = ("pytest -q tests/test_a.py::test_x", green(1), 0)
ONE_RED = ("pytest -q tests/test_a.py::test_x", red(passed=0), 1)
RECOVERED = (
    "pytest -v --reruns 1 tests/test_a.py",
    "tests/test_a.py::test_x RERUN [ 50%]\ntests/test_a.py::test_x PASSED [ 50%]\n\n===== 1 passed, 1 rerun in 0.02s =====",
    0,
)
NAMED_RED = ("pytest -v", "tests/test_a.py::test_x FAILED [100%]\n\n" + red(), 1)

# Each: the steps, and what the last command's note must, or must not, hold.
SPEAK: dict[str, tuple[list[Any], str]] = {
    "real-at-the-fifth": ([RED, GREEN, edit("b = 1\n"), *[RED] * 5], "It has failed 5 times in a row on this code"),
    "real-at-the-second": ([RED, *[GREEN] * 7, edit("b = 1\n"), RED, RED], "in about 4% of cases, so treat it as broken by"),
    "real-and-how-to-run-it": ([RED, GREEN, edit("b = 1\n"), *[RED] * 5], f"To run it again: pytest '{TEST[7:]}'"),
    "real-on-the-second-new-code": (
        [RED, GREEN, edit("b = 1\n"), RED, GREEN, edit("b = 2\n"), *[RED] * 5], "It has failed 5 times in a row on this code",
    ),
    "passed": ([RED, GREEN], PASSED),
    "passed-alone": ([RED, ONE_GREEN], PASSED),
    "passed-behind-a-pipe": ([RED, ("pytest -q | tail -1", "3 passed in 0.01s", 0)], PASSED),
    "passed-on-new-code-again": ([RED, GREEN, edit("b = 1\n"), RED, GREEN], PASSED),
    "passed-in-a-loop-then-alone": (
        [("for i in 1 2; do pytest -q; done", red() + "\n" + green(), 0), GREEN], PASSED,
    ),
    "recovered": ([RECOVERED], PASSED),
    "recovered-on-known-code": ([RED, RECOVERED], PASSED),
    "company": ([RED, ONE_GREEN, RED], "failed only in runs of all tests and passed only in runs of chosen tests"),
    "company-of-a-file": (
        [("pytest -q tests/test_a.py", red(), 1), ONE_GREEN, ("pytest -q tests/test_a.py", red(), 1)],
        "failed only in runs of chosen files and passed only in runs of chosen tests",
    ),
    "company-when-it-passes": ([RED, RED, ONE_GREEN], "and running it alone proves nothing"),
    "company-the-other-way-round": ([ONE_RED, GREEN, ONE_RED], "failed only in runs of chosen tests and passed only in runs of all"),
    "company-go": (
        [GO_RED, ("go test -run '^TestX$' ./q", "ok  \texample.com/app/q\t0.002s", 0), GO_RED], "may depend on test order",
    ),
    "company-jest": (
        [JEST_RED, ("npx jest web/a.test.js -t settles", JEST_GREEN, 0), JEST_RED], "may depend on test order or shared state",
    ),
}  # fmt: skip
SILENT: dict[str, tuple[list[Any], str]] = {
    "usual-before": ([RED, GREEN, edit("b = 1\n"), *[RED] * 4], "in a row"),
    "usual-after-a-pass-there": ([RED, GREEN, edit("b = 1\n"), *[RED] * 3, GREEN, *[RED] * 6], "in a row"),
    "usual-for-what-fails-as-a-rule": ([*[RED] * 5, GREEN, edit("b = 1\n"), *[RED] * 5], "in a row"),
    "nothing-for-a-test-that-was-never-flaky": ([*[GREEN] * 5, edit("b = 1\n"), *[RED] * 9], "flaky-memory"),
    "passed-is-told-once": ([RED, GREEN, GREEN], "flaky-memory"),
    "passed-is-told-once-for-each-code": ([RED, GREEN, RED, GREEN], "flaky-memory"),
    "fixed-by-a-change": ([RED, edit("b = 1\n"), GREEN], "flaky-memory"),
    "fixed-before-it-was-flaky-elsewhere": ([RED, GREEN, edit("b = 1\n"), RED, edit("b = 2\n"), GREEN], "passed on"),
    "another-test-passed": ([RED, ("pytest -q tests/test_b.py", green(1), 0)], "flaky-memory"),
    "nothing-proves-the-pass": ([RED, ("pytest -q | grep -c passed", "1", 0)], "flaky-memory"),
    "no-company-in-one-width": ([RED, GREEN, RED], "may depend"),
    "no-company-when-it-passed-in-both": ([RED, ONE_GREEN, GREEN, RED], "may depend"),
    "no-company-after-one-of-each": ([RED, ONE_GREEN], "may depend"),
    "no-company-of-unknown-commands": (
        [("make test FAST=1", red(), 2), ("make test", green(), 0), ("make test FAST=1", red(), 2)], "may depend",
    ),
    "no-command-in-company": ([RED, ONE_GREEN, RED], "To run it again"),
}  # fmt: skip


@pytest.mark.parametrize("name", SPEAK)
def test_must_speak(name: str, tmp_path: Path) -> None:
    steps, text = SPEAK[name]
    assert text in notes(steps, tmp_path)[-1]


@pytest.mark.parametrize("name", SILENT)
def test_must_stay_silent(name: str, tmp_path: Path) -> None:
    steps, text = SILENT[name]
    assert text not in notes(steps, tmp_path)[-1]


def test_the_person_reads_the_finding_of_a_passing_test(tmp_path: Path) -> None:
    player = Player(tmp_path)
    player.repository("app", PROJECT)
    for step in (RED, GREEN, GREEN):
        player.bash(*step)
    assert player.lines == [
        f"flaky-memory: {TEST} failed 1 of 2 runs in the last 7 days and both passed and failed on the same code once"
    ]


def test_show_has_the_numbers_of_a_row(tmp_path: Path) -> None:
    player = Player(tmp_path)
    player.repository("app", PROJECT)
    for step in (RED, GREEN, *[RED] * 2):
        player.bash(*step)
        player.write({"app.py": "b = 1\n"} if step is GREEN else {})
    assert command(player, "show", "test_x").stdout.splitlines()[-4:] == [
        "on the code of its last run: failed 2 in a row, never passed",
        "on other code: failed 1 of 2, a rate of (1 + 1) / (2 + 2) = 50.0%",
        "  so many in a row by chance: 50.0% ^ 2 = 25.0% (taken for broken below 5%, from 2 in a row)",
        "told that it passed where it had failed: on 1 state of the code",
    ]
    document = json.loads(command(player, "show", "--json", "test_x").stdout)["in_a_row"]
    assert document == {"failed": 2, "other_failed": 1, "other_runs": 2, "chance": 0.25, "probably_real": False}


def test_show_has_the_numbers_of_company(tmp_path: Path) -> None:
    player = Player(tmp_path)
    player.repository("app", PROJECT)
    for step in (RED, ONE_GREEN, RED):
        player.bash(*step)
    assert command(player, "show", "test_x").stdout.splitlines()[-4:-1] == [
        "on code that it passed and failed on:",
        "  runs of chosen tests: failed 0 of 1",
        "  runs of all tests: failed 2 of 2",
    ]


# -- how long, and how often wrong


@pytest.mark.parametrize("rate", simulation.RATES)
def test_simulation(rate: float) -> None:
    """The table in docs/verdicts.md, and the bounds that it must hold."""
    tally = simulation.simulate(rate)
    assert tally.wrong <= 0.05 * tally.flakes
    assert tally.wrong <= 0.05 * (tally.wrong + len(tally.needed))
    assert tally.after_pass == 0
    row = "| " + " | ".join(simulation.row(rate, tally)) + " |"
    assert row in (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8").splitlines()
