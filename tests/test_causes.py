"""Many failures with one cause: real outputs, and what must not be taken for one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flaky_memory import causes, message, runners
from flaky_memory.model import TestId
from tests.people import command
from tests.player import Player
from tests.test_rules import FILES, GREEN, RED

CASES = json.loads((Path(__file__).parent / "sessions" / "causes.json").read_text(encoding="utf-8"))


def test_there_are_cases_of_every_cause() -> None:
    assert {"", "refused", "space", "missing", "timeout"} == {c["cause"] for c in CASES}
    assert set(message.CAUSES) == {cause for _, cause in SHOWN.values()}


@pytest.mark.parametrize("case", CASES, ids=[c["case"] for c in CASES])
def test_recorded_output(case: dict[str, Any]) -> None:
    text = runners.plain(case["output"])
    assert causes.common(text, [TestId(*t) for t in case["tests"]]) == case["cause"]
    assert causes.ran(text, len(case["tests"])) == case["ran"]


# -- constructed ones

REFUSED = "ConnectionRefusedError: [Errno 111] Connection refused"


def names(count: int) -> list[TestId]:
    return [TestId("pytest", None, f"tests/test_a.py::test_{n}") for n in range(count)]


def blocks(*errors: str, source: str = "call()") -> str:
    """pytest's part on each failing test, one for each error."""
    return "".join(
        f"____ test_{n} ____\n\n    def test_{n}():\n>       {source}\nE       {error}\n\ntests/test_a.py:3: Error\n"
        for n, error in enumerate(errors)
    )


def summary(*reasons: str, passed: int = 0) -> str:
    lines = ["=========================== short test summary info ============================"]
    lines += [f"FAILED tests/test_a.py::test_{n}{' - ' * bool(r)}{r}" for n, r in enumerate(reasons)]
    return "\n".join([*lines, f"{len(reasons)} failed" + f", {passed} passed" * bool(passed) + " in 0.02s"])


def asserts(count: int) -> list[str]:
    return [f"assert {n} == 99" for n in range(count)]


SHOWN: dict[str, tuple[str, str]] = {
    "all": (blocks(*[REFUSED] * 12), "refused"),
    "most": (blocks(*[REFUSED] * 11, "assert 3 == 4"), "refused"),
    "in-the-summary-alone": (summary(*[REFUSED] * 12), "refused"),
    "in-a-summary-that-is-cut-later": (summary(*["ConnectionRefusedError: [Errno 1..."] * 12), "refused"),
    "one-error-for-a-row-of-names": (
        "\n".join(f" FAIL  a.test.js > test_{n}" for n in range(12)) + "\nError: connect ECONNREFUSED 127.0.0.1:1\n\n", "refused",
    ),
    "windows": (blocks(*["OSError: [WinError 10061] the target machine actively refused it"] * 12), "refused"),
    "go-deadline": (blocks(*["context deadline exceeded"] * 12), "timeout"),
    "gnu-sh": (blocks(*["AssertionError: sh: 1: protoc: not found"] * 12), "missing"),
    "java-class": (blocks(*["java.lang.NoClassDefFoundError: org/x/Y"] * 12), "missing"),
    "node-host": (blocks(*["Error: getaddrinfo ENOTFOUND db.invalid"] * 12), "unresolved"),
    "go-host": (blocks(*["dial tcp: lookup db.invalid: no such host"] * 12), "unresolved"),
    "ruby-timeout": (blocks(*["Timeout::Error: execution expired"] * 12), "timeout"),
    "go-json": ("".join(
        f'{{"Action":"{action}","Package":"a/b","Test":"test_{n}"{more}}}\n' for n in range(12)
        for action, more in (("run", ""), ("output", ',"Output":"    a_test.go:3: dial tcp: connection refused\\n"'), ("fail", ""))
    ), "refused"),
    "an-assertion-s-own-message": (blocks(*["AssertionError: server log: connection refused"] * 12), "refused"),
    "where-of-an-assertion": (blocks(*[
        "assert 127 == 0\nE        +  where 127 = CompletedProcess(args='protoc', stderr='sh: 1: protoc: not found').returncode"
    ] * 12), "missing"),
    "no-error-was-expected": (blocks(*["expected no error, but dial tcp 127.0.0.1:1: connection refused"] * 12), "refused"),
    "an-unexpected-error": (blocks(*["Received unexpected error:\nE       dial tcp 127.0.0.1:1: connection refused"] * 12), "refused"),
    "below-a-traceback": ("".join(
        f'ERROR: test_{n} (a.T.test_{n})\n------\nTraceback (most recent call last):\n  File "a.py", line 3, in test_{n}\n'
        f"    call()\n{REFUSED}\n\n" for n in range(12)
    ), "refused"),
    "below-rspec-s-source": ("".join(
        f"  {n}) A test_{n}\n     Failure/Error: call\n\n     Errno::ECONNREFUSED:\n       Connection refused\n     # ./a.rb:3\n\n"
        for n in range(12)
    ), "refused"),
    "disk": (blocks(*["write /tmp/x: no space left on device"] * 12), "space"),
}  # fmt: skip
# Errors that tests wanted to see, in the words of several runners.
WANTED: dict[str, str] = {
    "pytest-raises": "Failed: DID NOT RAISE <class 'TimeoutError'>",
    "pytest-match": "AssertionError: Regex pattern did not match.\nE        Regex: 'connection refused'\nE        Input: 'boom'",
    "pytest-match-8": "AssertionError: Regex pattern did not match.\nE         Expected regex: 'timed out'\nE         Actual message: 'boom'",
    "pytest-compare": "AssertionError: assert 'boom' == 'connection refused'\nE         \nE         - connection refused\nE         + boom",
    "unittest-raises": "AssertionError: ConnectionRefusedError not raised by connect",
    "unittest-compare": "AssertionError: 'boom' != 'connection refused'\nE       - boom\nE       + connection refused",
    "jest-throw": "expect(received).toThrow(expected)\nE       Expected substring: \"timed out\"\nE       Received message: \"boom\"",
    "vitest-throw": "AssertionError: expected [Function] to throw error including 'ECONNREFUSED' but got 'boom'",
    "jest-difference": "- Expected  - 1\nE       + Received  + 1\nE       -   \"code\": \"ECONNREFUSED\",\nE       +   \"code\": \"EBOOM\",",
    "node-rejects": "AssertionError [ERR_ASSERTION]: Missing expected rejection (ETIMEDOUT).",
    "go-want": "a_test.go:9: err = <nil>, want connection refused",
    "rust-matches": "assertion failed: matches!(error.kind(), ErrorKind::ConnectionRefused)",
    "rust-equal": "assertion `left == right` failed\nE         left: \"boom\"\nE        right: \"connection refused\"",
    "php-exception": 'Failed asserting that exception of type "TimeoutException" is thrown.',
    "php-difference": "--- Expected\nE       +++ Actual\nE       -'connection refused'\nE       +'boom'",
    "ruby-raise": "expected Errno::ECONNREFUSED but nothing was raised",
    "java-throws": "AssertionFailedError: Expected java.util.concurrent.TimeoutException to be thrown, but nothing was thrown.",
    "dotnet-throws": "Assert.Throws() Failure: No exception was thrown\nE       Expected: typeof(System.TimeoutException)",
}  # fmt: skip
NOT_SHOWN: dict[str, str] = {
    "assertions": blocks(*asserts(12)),
    "one-of-them": blocks(*asserts(11), REFUSED),
    "half-of-them": blocks(*asserts(6), *[REFUSED] * 6),
    "two-causes": blocks(*[REFUSED] * 6, *["TimeoutError: timed out"] * 6),
    "a-log-line-before": "warning: connection refused\n" + blocks(*asserts(12)),
    "a-log-line-behind": blocks(*asserts(12)) + summary(*asserts(12)) + "\ncoverage: upload failed: connection refused\n",
    "a-log-line-behind-names": summary(*[""] * 12) + "\nupload failed: connection refused\n",
    "names-that-say-it": "\n".join(f"____ test_{n} ____\nE   assert {n} == 99\nretries when ECONNREFUSED" for n in range(2)),
    "source-that-says-it": blocks(*asserts(12), source="raise TimeoutExpired(cmd, timeout)"),
    "a-code-frame-that-says-it": "".join(
        f"  \u25cf test_{n}\n\n    expected 1\n\n    > {n} |   await retry('ECONNREFUSED')\n      {n + 1} | }})\n" for n in range(12)
    ),
    "a-vitest-frame-that-says-it": "".join(
        f" FAIL  a.test.js > test_{n}\nAssertionError: boom\n  {n}|   await retry('ECONNREFUSED')\n   |   ^\n" for n in range(12)
    ),
    "a-traceback-that-says-it": "".join(
        f'FAIL: test_{n} (a.T.test_{n})\n------\nTraceback (most recent call last):\n  File "a.py", line 3, in test_{n}\n'
        "    with self.assertRaises(TimeoutError):\n         ^^^^^\nAssertionError: boom\n\n" for n in range(12)
    ),
    "rspec-source-that-says-it": "".join(
        f"  {n}) A test_{n}\n     Failure/Error:\n       retry(\n         Errno::ECONNREFUSED)\n\n     boom\n     # ./a.rb:3\n\n" for n in range(12)
    ),
    "in-the-few-that-a-cut-left": blocks(*[REFUSED] * 4) + "\n\n... [20012 characters truncated] ...\n\n" + summary(*[""] * 12),
    "cut-reasons-of-most": summary(*["AssertionError: the order of ..."] * 9, *["TimeoutError: the order of ..."] * 3),
    "no-word-on-most": "".join(
        f"--- FAIL: test_{n} (0.00s)\n" + "    a_test.go:9: request timed out\n" * (n > 8) for n in range(12)
    ),
    **{f"wanted-{name}": blocks(*[error] * 12) for name, error in WANTED.items()},
    "wanted-in-the-summary": summary(*["Failed: DID NOT RAISE <class 'TimeoutError'>"] * 12),
    "wanted-and-one-that-happened": summary(*["Failed: DID NOT RAISE <class 'TimeoutError'>"] * 11, "TimeoutError: timed out"),
    "cut-reasons": summary(*["assert..."] * 12),
    "nothing": "", "names-alone": summary(*[""] * 12),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_one_cause(name: str) -> None:
    text, cause = SHOWN[name]
    assert causes.common(runners.plain(text), names(12)) == cause


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_no_one_cause(name: str) -> None:
    assert causes.common(runners.plain(NOT_SHOWN[name]), names(12)) == ""


def test_names_that_are_parts_of_others_or_of_everything() -> None:
    tests = [TestId("js", "a.js", name) for name in ("a", "e", "works", "works > works", "", "test_1", "test_11", "test_1")]
    assert causes.common(blocks(*asserts(12)), tests) == ""


def test_what_is_looked_at_is_bounded() -> None:
    """However long an output is, and however often it has a name."""
    text = ("____ test_0 ____\n" + "connection refused\n" * 1_000 + "____ test_1 ____\n") * 300
    looked_at = sum(len(piece) for pieces in causes._parts(text, ["test_0", "test_1"] * 2) for piece in pieces)
    assert 0 < looked_at <= 4 * causes.MOST_PLACES * causes.LONGEST_PART < len(text)


# -- what comes of it


def session(tmp_path: Path) -> Player:
    player = Player(tmp_path)
    tests = "".join(f"def test_{n}(): pass\n" for n in range(20))
    player.repository("app", {**FILES, "tests/test_a.py": tests})
    return player


def told(player: Player, count: int, error: str = REFUSED, passed: int = 0) -> str:
    """What the model is told when so many tests fail."""
    output = blocks(*[error] * count) + summary(*[error] * count, passed=passed)
    return "\n".join(player.finish(player.start("pytest -q", {}), output, 1, {}))


def stored(player: Player) -> int:
    return int(json.loads(command(player, "status", "--json").stdout)["seen"])


@pytest.mark.parametrize(("count", "passed"), [(10, 0), (12, 90), (9, 1)], ids=["ten", "ten-of-many", "nine-of-ten"])
def test_they_are_told_once_and_do_not_count(count: int, passed: int, tmp_path: Path) -> None:
    player = session(tmp_path)
    assert told(player, count, passed=passed) == message.together_note(count, "refused")
    assert player.lines == [message.together(count, "refused")]
    assert stored(player) == 0
    player.lines.clear()
    assert player.bash("pytest -q", "20 passed in 0.02s", 0) == {} and player.lines == []
    assert told(player, 1, "assert 1 == 2") != ""  # the green run counts, as any does


@pytest.mark.parametrize(
    ("count", "passed", "error"),
    [(9, 0, REFUSED), (9, 2, REFUSED), (12, 0, "assert 1 == 99"), (3, 0, REFUSED)],
    ids=["nine", "nine-of-eleven", "assertions", "three"],
)
def test_they_count_as_any_others(count: int, passed: int, error: str, tmp_path: Path) -> None:
    player = session(tmp_path)
    assert told(player, count, error, passed) == ""
    assert stored(player) == count


def test_a_flaky_test_among_them_is_not_named(tmp_path: Path) -> None:
    player = session(tmp_path)
    for text, code in ((summary("assert 0"), 1), ("20 passed in 0.02s", 0)):
        player.bash("pytest -q", text, code)
    assert "test_0" not in told(player, 12)
    assert "test_0 failed 2 of 3 runs" in told(player, 1)


def test_what_fails_as_a_rule_does_not_make_ten(tmp_path: Path) -> None:
    player = session(tmp_path)
    told(player, 5, "assert 1 == 99")
    told(player, 5, "assert 1 == 99")
    assert told(player, 12) == ""
    assert stored(player) == 12


def test_passes_in_the_same_output_count(tmp_path: Path) -> None:
    player = session(tmp_path)
    player.bash("pytest -q", summary("assert 0"), 1)
    failed = [f"FAILED tests/test_a.py::test_{n} - {REFUSED}" for n in range(1, 13)]
    head = "=========================== short test summary info ============================"
    end = "12 failed, 1 passed in 0.02s"
    begin = "collected 13 items\n\ntests/test_a.py::test_0 PASSED                  [  5%]\n\n" + "=" * 35 + " FAILURES " + "=" * 35
    output = "\n".join([begin, blocks(*[REFUSED] * 13), head, *failed, f"======= {end} ======="])
    text = "\n".join(player.finish(player.start("pytest -v", {}), output, 1, {}))
    assert message.together_note(12, "refused") in text
    assert "test_0 passed on the same code on which it failed" in text


def test_doctor_says_why_nothing_was_counted(tmp_path: Path) -> None:
    player = session(tmp_path)
    told(player, 12)
    assert message.REASONS["one-cause"] in command(player, "doctor").stdout


def test_the_usual_rules_hold_besides(tmp_path: Path) -> None:
    player = session(tmp_path)
    player.bash(*RED)
    player.bash(*GREEN)
    assert player.bash(*RED) == {"pytest:tests/test_a.py::test_x": "2/3"}
