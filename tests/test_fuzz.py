"""Random commands and outputs through what `explain` uses: whatever they are, it answers, and in its form.

Commands are made of pieces of real ones and of shell syntax, outputs of pieces of captures, cuts and
control characters. The choice is the same in every run; FLAKY_MEMORY_FUZZ=20000 tries that many.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flaky_memory import command, explain, message, runners
from flaky_memory.model import FAILED, NONE, PASSED
from tests import corpus

TRIES = int(os.environ.get("FLAKY_MEMORY_FUZZ", "300"))
BOUNDED = settings(
    derandomize=True, database=None, deadline=None, max_examples=TRIES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip
CASES = list(corpus.by_id().values())
PREFIXES = {entry.prefix for entry in runners.TABLE.values()}

WORDS = sorted({word for case in CASES for word in case["command"].split()})
SYNTAX = tuple(
    "; && || | & ( ) { } ! $( ` ' \" \\ \n # $ ${ $(( << <<- <<'E' < > >> 2>&1 &> |& = == [[ ]] [ if then else elif fi "
    "for do done while until case esac in function time exit set -e -o pipefail cd .. /tmp - -- -C -c bash sh eval env "
    "X=1 PATH= sudo timeout 9 xargs ssh docker npx uv run make test \0 \r \t \ufffd \udcff".split(" ")
)
WHOLE = st.sampled_from([case["command"] for case in CASES])
COMMANDS = st.one_of(
    WHOLE,
    st.lists(st.sampled_from([*WORDS, *SYNTAX]), max_size=25).map(" ".join),
    st.lists(st.one_of(WHOLE, st.sampled_from(SYNTAX)), max_size=6).map(" ".join),
    st.text(max_size=60),
)

LINES = sorted({line for case in CASES for line in case["output"].splitlines(keepends=True)})
NOISE = st.one_of(
    st.sampled_from(["\n", "\r\n", "\r", "\n\n... [20012 characters truncated] ...\n\n", "\x1b[31m", "\x1b[0m", "\x1b]0;", "\0"]),
    st.sampled_from(["\udcff", "\ufffd", "\u202e", "\u2028", "flaky-memory: ", "1" * 30, "{" * 3000, "<" * 50, " " * 300]),
    st.text(max_size=12),
)


@st.composite
def outputs(draw: st.DrawFn) -> str:
    """A capture or lines of several, with pieces taken out and noise put in."""
    text = draw(st.one_of(
        st.sampled_from([case["output"] for case in CASES]),
        st.lists(st.sampled_from(LINES), max_size=40).map("".join),
        st.tuples(st.sampled_from(CASES), st.sampled_from(CASES)).map(lambda two: two[0]["output"] + two[1]["output"]),
    ))  # fmt: skip
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.one_of(st.just(start), st.integers(start, min(len(text), start + 200))))
        text = text[:start] + draw(NOISE) + text[end:]
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("fuzz"))


def check(answer: dict[str, Any]) -> None:
    """The form that `explain --json` promises."""
    assert set(answer) == {"test_command", "runners", "exit_trusted", "recorded", "reason", "summary", "tests"}
    json.loads(json.dumps(answer))
    assert {type(answer[key]) for key in ("test_command", "exit_trusted", "recorded")} == {bool}
    assert answer["summary"] in (PASSED, FAILED, NONE) and set(answer["runners"]) <= PREFIXES
    assert answer["recorded"] or answer["reason"], "what is not recorded has a reason"
    assert answer["reason"] is None or (answer["reason"].isprintable() and len(answer["reason"]) < 500)
    for test in answer["tests"]:
        assert set(test) == {"runner", "scope", "name", "id", "failed", "passed"}
        assert test["runner"] in PREFIXES and isinstance(test["name"], str) and len(test["name"]) <= 400
        assert test["scope"] is None or isinstance(test["scope"], str)
        assert test["failed"] >= 0 and test["passed"] >= 0 and test["failed"] + test["passed"]
        assert test["id"].isprintable() and len(test["id"]) <= 20 + 8 * message.LONGEST_ID
    ids = [(t["runner"], t["scope"], t["name"]) for t in answer["tests"]]
    assert len(set(ids)) == len(ids), "a test stands there once"


@BOUNDED
@given(text=COMMANDS, output=outputs(), exit_code=st.sampled_from([0, 1, 2, 137]))
def test_any_command_and_output_are_answered(folder: str, text: str, output: str, exit_code: int) -> None:
    answer = explain.document(text, output, exit_code, folder)
    check(answer)
    explain.text(answer)


@BOUNDED
@given(case=st.sampled_from(CASES), output=outputs())
def test_any_output_of_a_test_command_is_answered(folder: str, case: corpus.Case, output: str) -> None:
    check(explain.document(case["command"], output, case["exit_code"], folder))


@BOUNDED
@given(output=outputs())
def test_any_output_that_no_command_explains_is_answered(folder: str, output: str) -> None:
    check(explain.document("make test", output, 1, folder))


@BOUNDED
@given(text=COMMANDS)
def test_any_command_is_read_the_same_twice(text: str) -> None:
    first, again = command.read(text), command.read(text)
    command.read(text, powershell=True)
    assert (first.runs_tests, first.reason, first.exit_trusted) == (again.runs_tests, again.reason, again.exit_trusted)
