"""What every runner module promises, held for each row of the table: see base.Runner and CONTRIBUTING.md.

Nothing here knows a runner: the rows come from runners.TABLE, the outputs from the captures. What a
row cannot promise stands in a table with the reason, and a reason that no longer holds fails.
"""

from __future__ import annotations

import importlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flaky_memory import command, record, runners
from flaky_memory.model import NONE, PASSED, Report
from flaky_memory.runners import base
from tests import corpus, hostile

ROWS = list(runners.TABLE)
CASES = corpus.by_id()
CUT = "\n\n... [20012 characters truncated] ...\n\n"


def reader(row: str) -> Any:
    return importlib.import_module(f"flaky_memory.runners.{row}")


def prefixes(case: corpus.Case) -> set[str]:
    """The id prefixes of what a capture shows."""
    return {case["runner"], *(t.get("runner", case["runner"]) for t in case["tests"])}


def own_cases(row: str) -> dict[str, corpus.Case]:
    return {name: case for name, case in CASES.items() if runners.TABLE[row].prefix in prefixes(case)}


def texts(row: str) -> list[str]:
    """The captures of a row's prefix, as a reader is given them."""
    return [runners.plain(case["output"]) for case in own_cases(row).values()]


# -- the module


@pytest.mark.parametrize("row", ROWS)
def test_a_module_satisfies_the_protocol(row: str) -> None:
    module = reader(row)
    assert runners.TABLE[row].prefix == module.PREFIX
    report = module.read("")
    assert report == Report(module.PREFIX, NONE, ()), "an empty output says nothing"
    assert module.__doc__ and "https://" in module.__doc__, "where the form of the output is documented"


@pytest.mark.parametrize("row", ROWS)
def test_its_signs_stand_in_its_outputs(row: str) -> None:
    """Behind `npm test` only those rows read whose signs are there."""
    wanted = [case for case in own_cases(row).values() if reader(row).read(runners.plain(case["output"])).results]
    assert wanted
    plain = [runners.plain(case["output"]) for case in wanted]
    signed = [text for text in plain if any(sign in text for sign in runners.TABLE[row].signs)]
    assert len(signed) >= 0.9 * len(plain)


# -- other runners' outputs

@pytest.mark.parametrize("row", ROWS)
def test_another_runner_s_output_names_nothing(row: str) -> None:
    module = reader(row)
    for name, case in CASES.items():
        if module.PREFIX not in prefixes(case):
            report = module.read(runners.plain(case["output"]))
            assert (report.results, report.summary) == ((), NONE), name


@pytest.mark.parametrize("name", CASES)
def test_an_output_tells_whose_it_is(name: str) -> None:
    reports = runners.read(CASES[name]["output"], None)
    assert {report.runner for report in reports} <= prefixes(CASES[name])


def test_a_test_that_two_rows_read_stands_once() -> None:
    """Rows of one prefix may read the same lines, which are no further runs."""
    text = CASES["js/vitest-dot"]["output"] + CASES["js/bun-all-pass"]["output"]
    reports = [r for r in runners.read(text, None) if r.runner == "js"]
    named = [(r.name, r.scope) for report in reports for r in report.results]
    assert len(reports) > 1 and len(set(named)) == len(named)
    twice = {(r.name, r.failed, r.passed) for report in reports for r in report.results}
    assert ("calc > divides evenly", 1, 1) in twice, "failed in one run and passed in the other"


# -- how text arrives


@pytest.mark.parametrize("family", corpus.families())
def test_line_ends_and_colours_change_nothing(family: str) -> None:
    for case in corpus.families()[family]:
        output = runners.plain(case["output"])
        whole = runners.read(output, None)
        assert runners.read(output.replace("\n", "\r\n"), None) == whole
        coloured = re.sub(r"(?<=\S)(?=\S)", "\x1b[1;31m", output)
        assert runners.read(coloured + "\x1b[0m", None) == whole


@pytest.mark.parametrize("row", ROWS)
def test_a_long_line_is_survived(row: str) -> None:
    for text in texts(row)[:5]:
        longest = max(text.split("\n"), key=len)
        for line in ("x" * 1_000_000, " " * 1_000_000, longest * (1_000_000 // max(1, len(longest)))):
            report = reader(row).read(f"{text}\n{line}\n{text}")
            assert report.runner == runners.TABLE[row].prefix


@pytest.mark.parametrize("row", ROWS)
def test_what_is_no_text_is_survived(row: str) -> None:
    """Invalid UTF-8 comes as U+FFFD from a file, and as lone surrogates from JSON."""
    for text in texts(row):
        for bad in ("\ufffd", "\udcff", "\ud800", "\0", "\x85", "\u2028"):
            torn = re.sub(r"(?<=\w)(?=[\w.]{3}\b)", bad, text)
            report = reader(row).read(torn)
            assert report.runner == runners.TABLE[row].prefix
            for result in report.results:
                assert result.failed >= 0 and result.passed >= 0 and result.failed + result.passed


def test_lines_have_a_bound() -> None:
    assert list(base.lines("a\n" + "b" * 99_999 + "\nc")) == ["a", "b" * base.LONGEST_LINE, "c"]


def test_tests_have_a_bound() -> None:
    """Names fill no memory, and passes leave no failure out."""
    tally = base.Tally("go")
    for part in ("line", "list"):
        for number in range(base.MOST_TESTS + 9):
            tally.add(part, f"pass{number}", None, True)
            tally.add(part, f"fail{number}", None, False)
    tally.add("line", "fail1", None, False)
    results = tally.report().results
    assert sum(r.failed > 0 for r in results) == sum(r.passed > 0 for r in results) == base.MOST_TESTS
    assert [r.failed for r in results if r.name == "fail1"] == [2], "a test that is counted stays counted"


# -- time and memory: always one size against another, never against a clock


def seconds(read: Callable[[str], Report], text: str) -> float:
    """The processor time that a reading takes."""
    start = time.process_time()
    read(text)
    return time.process_time() - start


def patterns(row: str) -> set[re.Pattern[str]]:
    """The regular expressions of a row's module, and of the shared modules that it imports."""
    module = reader(row)
    names = set(re.findall(r"flaky_memory\.runners(?: import|\.)\s?(\w+)", Path(module.__file__).read_text())) - {"base"}
    modules = [module, *(reader(name) for name in names)]
    return {value for m in modules for value in vars(m).values() if isinstance(value, re.Pattern)}


@pytest.mark.parametrize("row", ROWS)
def test_time_is_linear_in_the_length_of_a_line(row: str) -> None:
    """A line of 19,000 characters against 100 lines of 190: a quadratic pattern takes 100 times as long."""
    read = reader(row).read
    for pattern in patterns(row):
        for long, short in zip(hostile.lines(pattern, 19_000), hostile.lines(pattern, 190)):
            lines = (short + "\n") * 100
            assert any(seconds(read, long) < 30 * seconds(read, lines) for _ in range(3)), (pattern.pattern, short)


def telling_lines(row: str) -> Iterator[str]:
    """A line of each shape without which some capture of the row would be read otherwise."""
    read, seen = reader(row).read, set()
    for text in texts(row):
        rows, whole = text.split("\n"), reader(row).read(text)
        for at, line in enumerate(rows):
            shape = re.sub(r"\w+", "0", line)
            if line.strip() and shape not in seen:
                seen.add(shape)
                if read("\n".join(rows[:at] + rows[at + 1 :])) != whole:
                    yield line


def counted(line: str) -> Iterator[Callable[[int], str]]:
    """The line many times over: with another number in it each time, and with another name."""
    number, word = re.search(r"\d+", line), re.search(r"[A-Za-z]{4,}(?=[^A-Za-z]*\w{0,3}\W*$)", line)
    for place, end in ((number and number.start(), number and number.end()), (word and word.end(), word and word.end())):
        if place is not None:
            yield lambda count, head=line[:place], tail=line[end:]: "".join(f"{head}{n}{tail}\n" for n in range(1, count + 1))


@pytest.mark.parametrize("row", ROWS)
def test_time_is_linear_in_the_number_of_lines(row: str) -> None:
    """4000 such lines against 250: a loop over all that came before takes up to 256 times as long."""
    read = reader(row).read
    for line in telling_lines(row):
        for many in counted(line):
            few, all_of_them = many(250), many(4000)
            assert any(seconds(read, all_of_them) < 60 * seconds(read, few) for _ in range(3)), line


# -- cuts

# What a torn capture may show that the whole does not: its reason, and the outcome that it concerns.
_PRINTED = "printed by a test as its runner prints results: only the lines that are gone contradict it"
_SUITE = "the closing line of a suite, whose opening line or count is gone, is one of a test"
TORN = {
    "ava/ava-all-pass": ("fail", _PRINTED),
    "ava/ava-several": ("fail", _PRINTED),
    "cargo/noise-nocapture": ("pass", _PRINTED),
    "cargo/noise-nocapture-pass": ("pass", _PRINTED),
    "deno/deno-output-in-steps": ("fail", _PRINTED),
    "deno/deno-tap": ("fail pass", "steps of all depths stand in one row: the last line tells whose they are"),
    "deno/deno-titles": ("fail", "a title holds ' ... ': the lines that are gone tell it from a test and its step"),
    "go/cached-v": ("pass", "the last line says (cached)"),
    "go/noise-json": ("fail", _PRINTED),
    "gtest/brief": ("fail", _PRINTED),
    "maven/full-colour-batch": ("fail", "an old Surefire names the nested class in a stack trace only"),
    "maven/setup-error-class": ("fail", "the lines that are gone tell a class's set-up from a test"),
    "mocha/mocha-grep-marks": ("fail", "the list of failures, without its heading, is a tree"),
    "node/node-20-name-pattern": ("pass", _SUITE),
    "node/node-22-dot": ("fail", _SUITE),
    "phpunit/tricky-messages": ("fail", _PRINTED),
    "playwright/playwright-all-pass": ("fail", "the closing lists tell that a failure was expected"),
    "playwright/playwright-ci-dot": ("fail", "the closing lists tell a test from its step"),
    "playwright/playwright-list-several": ("fail", "the closing lists tell that a failure was expected"),
    "rspec/odd-names-doc": ("fail", "an example's line break: the list of failures tells what is its name"),
    "rspec/only-failures": ("pass", "the list of failures tells how the descriptions are joined"),
    "rspec/pair2-fail": ("fail pass", "the list of failures tells how the descriptions are joined"),
    "unittest/noise-buffer": ("fail pass", _PRINTED),
    "unittest/noise-pass-plain": ("fail pass", _PRINTED),
    "unittest/noise-v": ("fail pass", _PRINTED),
}


class Shown:
    """How often an output shows each test failing and passing."""

    def __init__(self, reports: list[Report]) -> None:
        self.failed: Counter[tuple[str, str, str | None]] = Counter()
        self.passed: Counter[tuple[str, str, str | None]] = Counter()
        for report in reports:
            for result in report.results:
                key = report.runner, result.name, result.scope
                self.failed[key] += result.failed
                self.passed[key] += result.passed

    def beyond(self, whole: Shown) -> Iterator[str]:
        """What is shown here and not, or not as often, in the whole."""
        for word, mine, most in (("fail", self.failed, whole.failed), ("pass", self.passed, whole.passed)):
            for key, count in mine.items():
                if count > most[key] and count > sum(n for other, n in most.items() if _may_be(key, other)):
                    yield f"{word} {key}"


def _may_be(torn: tuple[str, str, str | None], whole: tuple[str, str, str | None]) -> bool:
    """True when a test's id may have lost what the missing lines say of it: its scope, the titles
    around it, a parameterised test's arguments; or, that a closing line is a suite's."""
    (runner, name, scope), (other, full, place) = torn, whole
    if runner != other or scope not in (None, place):
        return False
    if runner == "maven":
        method, _, owner = name.rpartition("(")
        return re.match(r"\w+", full) == re.match(r"\w+", method) or full.endswith((owner, "." + owner))
    outer_gone = full.endswith(name) and full[-len(name) - 1 : -len(name)] in ("", " ", ":", ".")
    return outer_gone or full.startswith(name + " > ")


def torn(output: str) -> Iterator[tuple[str, str]]:
    """An output cut at every line: as by head, as by tail, and as the client cuts its middle out."""
    rows = output.splitlines(keepends=True)
    for at in range(0, len(rows) + 1, 1 + len(rows) // 150):
        head, tail = "".join(rows[:at]), "".join(rows[at:])
        yield "head", head
        yield "tail", tail
        yield "middle", head[:-7] + CUT + tail[40:]


# What is left may prove a pass that the whole does not.
LEFT = {
    "maven/skip-tests": "BUILD SUCCESS without the line that tests were skipped; -DskipTests selects nothing",
}
NOWHERE = record.Place("/nowhere", "/nowhere", "")


def proves_a_pass(meant: command.Command, text: str) -> bool:
    """True when a run that ended so, its own exit status unknown, is remembered as passed."""
    seen, _ = record.observe(meant, text, False, NOWHERE, 0)
    return seen is not None and any(selected.green >= 0 for selected in seen.selected)


@pytest.mark.parametrize("name", CASES)
def test_a_torn_output_shows_no_more_than_the_whole(name: str) -> None:
    """No test beyond those of the whole, no outcome more often, and no pass out of a missing end."""
    case = CASES[name]
    meant = command.read(case["command"])
    cut = {how: command.read(f"({case['command']}\n) | {how} -n 9") for how in ("head", "tail")}
    whole = Shown(record.read_output(meant, case["output"]))
    beyond, passes = set(), set()
    for how, text in torn(case["output"]):
        reports = record.read_output(meant, text)
        beyond.update(f"{how}: {what}" for what in Shown(reports).beyond(whole))
        if case["summary"] != PASSED and PASSED in {report.summary for report in reports}:
            passes.update([how] if proves_a_pass(cut.get(how, meant), text) else [])
    assert {line.split()[1] for line in beyond} == set(TORN.get(name, ("", ""))[0].split()), sorted(beyond)[:5]
    assert bool(passes) == (name in LEFT), passes
