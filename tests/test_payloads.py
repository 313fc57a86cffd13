"""What the client sends: the real payloads as they are read, and every way in which they may be broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flaky_memory import gate
from flaky_memory.payload import CLIENT_LIMIT, Call, read_call, read_expansion

PAYLOADS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "payloads.json").read_text())
EVENTS = {name: p for name, p in PAYLOADS.items() if "hook_event_name" in p}
CALLS = {name: p for name, p in EVENTS.items() if p.get("tool_name") == "Bash"}


def test_there_are_payloads() -> None:
    assert len(CALLS) >= 7
    assert len(EVENTS) > len(CALLS)


def read(name: str, **changes: Any) -> Call:
    call = read_call({**PAYLOADS[name], **changes})
    assert call is not None
    return call


# -- the real ones


def test_before_a_call() -> None:
    call = read("pre-tool-use")
    assert (call.event, call.id, call.directory) == ("PreToolUse", "toolu_1796070232675_0", "/src/app")
    assert (call.command, call.powershell) == ("echo hello; echo err >&2", False)
    assert call.session == "89c1c11b-21c5-4dd3-b0a2-58efa949456c"


def test_exit_0_brings_both_streams_in_one() -> None:
    call = read("post-tool-use")
    assert (call.output, call.exit_zero, call.skipped, call.torn) == ("hello\nerr", True, "", False)
    assert call.id == read("pre-tool-use").id


def test_another_exit_status_stands_before_the_output() -> None:
    call = read("post-tool-use-failure")
    assert (call.output, call.exit_zero, call.skipped, call.torn) == ("out\nbad", False, "", False)


def test_a_long_output_is_in_a_file() -> None:
    call = read("post-tool-use-long-output")
    assert len(call.output) == CLIENT_LIMIT
    assert call.torn
    assert call.path == PAYLOADS["post-tool-use-long-output"]["tool_response"]["persistedOutputPath"]


def test_a_long_output_of_a_failure_lacks_its_middle_and_its_end() -> None:
    call = read("post-tool-use-failure-long-output")
    assert "characters truncated] ..." in call.output
    assert call.torn
    assert call.path is None


@pytest.mark.parametrize("name", ["post-tool-use-background", "post-tool-use-timed-out"])
def test_a_run_in_the_background_is_skipped(name: str) -> None:
    assert read(name).skipped == "in-background"


def test_the_slash_command() -> None:
    found = read_expansion(PAYLOADS["user-prompt-expansion"])
    assert found is not None
    assert (found.arguments, found.directory) == ("reset go:TestX", "/src/app")


def test_powershell_is_a_shell_too() -> None:
    assert read("pre-tool-use", tool_name="PowerShell").powershell


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"tool_response": "1 passed"}, {"output": "1 passed", "skipped": ""}),
        ({"tool_response": {"stdout": "out", "stderr": "err"}}, {"output": "out\nerr", "skipped": ""}),
        ({"tool_response": {"stdout": "", "stderr": "err"}}, {"output": "err"}),
        ({"tool_response": {"stdout": "x", "interrupted": True}}, {"skipped": "interrupted"}),
        ({"tool_response": None}, {"skipped": "no-output"}),
        ({"tool_response": {"stdout": "x", "persistedOutputPath": "a\0b"}}, {"path": None}),
        ({"tool_input": {"command": "x", "run_in_background": True}}, {"skipped": "in-background"}),
        ({"tool_response": {"stdout": "x", "backgroundTaskId": "b1"}}, {"skipped": "in-background"}),
        ({"tool_response": {"stdout": "x", "timedOutAfterMs": 2000}}, {"skipped": "in-background"}),
    ],
    ids=["text", "two streams", "only stderr", "interrupted", "nothing", "path with NUL", "asked for", "moved there", "timed out"],
)
def test_other_shapes_of_success(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    call = read("post-tool-use", **changes)
    assert {field: getattr(call, field) for field in expected} == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"error": "Exit code 137\nKilled"}, {"output": "Killed", "skipped": ""}),
        ({"error": "Exit code -1\nx"}, {"output": "x"}),
        ({"error": "Exit code 1"}, {"output": ""}),
        ({"error": "1 failed"}, {"output": "1 failed"}),
        ({"error": "Exit code of the tests\n1 failed"}, {"output": "Exit code of the tests\n1 failed"}),
        ({"error": "Exit code 1\nx", "is_interrupt": True}, {"skipped": "interrupted"}),
        ({"error": None}, {"skipped": "no-output"}),
    ],
    ids=["a signal", "negative", "no output", "no status", "words like it", "interrupted", "nothing"],
)
def test_other_shapes_of_failure(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    call = read("post-tool-use-failure", **changes)
    assert {field: getattr(call, field) for field in expected} == expected


# -- broken ones

OTHERS: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, "", "x", "\0", "\ud800", [], ["x"], {}, {"x": 1})


def broken(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """A payload with each of its fields, at both levels, missing or of another kind."""
    found = []
    for key, value in payload.items():
        found.append({k: v for k, v in payload.items() if k != key})
        found += [{**payload, key: other} for other in OTHERS]
        if isinstance(value, dict):
            found += [{**payload, key: inner} for inner in broken(value)]
    return found


@pytest.mark.parametrize("name", EVENTS)
def test_no_broken_payload_raises(name: str) -> None:
    seen = 0
    for payload in broken(EVENTS[name]):
        call, expansion = read_call(payload), read_expansion(payload)
        gate.may_matter(json.dumps(payload).encode())
        seen += 1
        for field in call or ():
            assert isinstance(field, (str, bool, type(None)))
        for field in expansion or ():
            assert isinstance(field, str)
    assert seen > 100


@pytest.mark.parametrize("field", ["tool_input", "tool_use_id", "cwd", "hook_event_name", "tool_name"])
def test_without_what_a_call_needs_there_is_none(field: str) -> None:
    for other in (None, 1, [], {}):
        assert read_call({**PAYLOADS["post-tool-use"], field: other}) is None
    assert read_call({k: v for k, v in PAYLOADS["post-tool-use"].items() if k != field}) is None


def test_a_directory_with_nul_is_none() -> None:
    assert read_call({**PAYLOADS["pre-tool-use"], "cwd": "/a\0b"}) is None


# -- the gate, which reads the same bytes without the json module


def matters(command: str, **changes: Any) -> bool:
    event = {**PAYLOADS["pre-tool-use"], "tool_input": {"command": command, "description": "run the tests"}, **changes}
    forms = [json.dumps(event, ensure_ascii=a, separators=s).encode() for a in (True, False) for s in (None, (",", ":"))]
    answers = {gate.may_matter(form) for form in forms}
    assert len(answers) == 1
    return answers.pop()


@pytest.mark.parametrize(
    "command",
    [
        "pytest", "cd a && pytest -q", 'pytest -k "a or b"', "pytest -k \"it's \\\"x\\\"\"", "echo '\\\\' ; pytest", "npm test",
        "pytest\n", "\tpytest", "pytest -k '\u00e9\U0001f600'", "bash -c \"pytest -k 'x'\"", "echo '\"command\"'; go test ./...",
    ],
)  # fmt: skip
def test_the_gate_lets_tests_through(command: str) -> None:
    assert matters(command)


@pytest.mark.parametrize(
    "command",
    ["ls", "grep -rn pytest .", "echo pytest", "git log --grep 'go test'", "cat tests/test_a.py", "x" * 200_000, "pytest " + "x" * 200_000],
    ids=lambda c: c[:20],
)
def test_the_gate_stops_the_rest(command: str) -> None:
    assert not matters(command)


def test_a_test_in_the_description_does_not_matter() -> None:
    assert not matters("ls", tool_input={"description": "pytest", "command": "ls"})
    assert not matters("ls", cwd="/home/pytest")


@pytest.mark.parametrize("data", [b"", b"{", b"null", b'"command"', b'"command":', b'"command": 1, "pytest": 2'])
def test_what_is_no_call_does_not_matter(data: bytes) -> None:
    assert not gate.may_matter(data)


@pytest.mark.parametrize("data", [b'"command":"pytest', b'"command": "pytest \\q"', b'"command": "pytest \xff"'])
def test_what_is_almost_json_is_left_to_the_reader(data: bytes) -> None:
    gate.may_matter(data)
    assert gate.may_matter(b'"command": "pytest \\q"')


def test_the_slash_command_matters() -> None:
    assert gate.may_matter(json.dumps(PAYLOADS["user-prompt-expansion"]).encode())
