"""Random commands and outputs, made of pieces of real ones: `explain` never raises and keeps its form."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from flaky_memory import explain, message

CASES = [c for p in sorted((Path(__file__).parent / "captures").glob("*.json")) for c in json.loads(p.read_text())]
WORDS = sorted({w for c in CASES for w in c["command"].split()})
SYNTAX = ["&&", "||", ";", "|", "&", "\n", "(", ")", "{", "}", "if", "then", "fi", "for", "do", "done", "$(", "`", "'", '"', "<<E", ">", "2>&1", "!", "\\"]
LINES = [line for c in CASES for line in c["output"].split("\n")[:40]]
NOISE = ["\x1b[31m", "\x00", "\r", "\u202e", "\ud800", "\ufffd", "... [12 characters truncated] ...", "", " " * 300, "x" * 3000]

commands = st.lists(st.sampled_from(WORDS) | st.sampled_from(SYNTAX) | st.text(max_size=6), max_size=12).map(" ".join)
outputs = st.lists(st.sampled_from(LINES) | st.sampled_from(NOISE) | st.text(max_size=12), max_size=60).map("\n".join)


def check(command: str, output: str, exit_code: int) -> None:
    answer = explain.document(command, output, exit_code, "/")
    json.dumps(answer)
    assert set(answer) >= {"test_command", "runners", "exit_trusted", "recorded", "reason", "summary", "tests"}
    assert answer["summary"] in ("passed", "failed", "none")
    for test in answer["tests"]:
        assert test["failed"] >= 0 and test["passed"] >= 0 and test["failed"] + test["passed"] > 0
        assert test["id"].isprintable()
        assert len(test["id"]) < 8 * message.LONGEST_ID


@seed(20261130)
@settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(commands, outputs, st.sampled_from([0, 1, 2, 101, 127]))
def test_any_command_and_output(command: str, output: str, exit_code: int) -> None:
    check(command, output, exit_code)


@seed(20261130)
@settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(CASES), st.data())
def test_a_real_command_with_a_torn_output(case: dict, data: st.DataObject) -> None:
    lines = case["output"].split("\n")
    kept = data.draw(st.lists(st.sampled_from(lines) | st.sampled_from(NOISE), max_size=60))
    check(case["command"], "\n".join(kept), case["exit_code"])
