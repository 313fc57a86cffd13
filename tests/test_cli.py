"""The command line: what it prints where, its exit statuses, and how it looks on a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flaky_memory import __version__, manual
from tests.conftest import git
from tests.people import MAIN, command, flip, run, session

OUTSIDE = "not in a git repository: no runs are recorded here\n"


def on_terminal(player, *argv: str, columns: int = 80, lines: int = 24, **environ: str) -> str:
    terminal = pytest.importorskip("tests.terminal")  # Windows has none
    keep = {k: v for k, v in player.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    screen = terminal.Terminal(
        [sys.executable, "-I", "-S", str(MAIN), *argv], str(player.repo), {**keep, "TERM": "xterm", **environ}, columns, lines
    )
    assert screen.finish() == 0
    return screen.screen.replace("\r\n", "\n")


# -- json


def test_status_json(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player, "TestA")
    player.write({"new.go": "package app\n"})
    run(player, "TestA", False)
    flip(player, "TestB")
    document = json.loads(command(player, "status", "--json").stdout)
    assert [t.pop("id") for t in document["tests"]] == ["go:TestA", "go:TestB"]
    assert document == {
        "enabled": True, "repository": str(player.repo), "window_days": 7, "seen": 2,
        "tests": [
            {"runner": "go", "scope": "example.com/app", "name": "TestA", "failed": 3, "runs": 5, "same_code": 2},
            {"runner": "go", "scope": "example.com/app", "name": "TestB", "failed": 2, "runs": 4, "same_code": 1},
        ],
    }  # fmt: skip


def test_status_json_where_nothing_ran(tmp_path: Path) -> None:
    player = session(tmp_path)
    command(player, "off")
    document = json.loads(command(player, "status", "--json").stdout)
    assert document == {"enabled": False, "repository": str(player.repo), "window_days": 7, "seen": 0, "tests": []}


def test_show_json(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    document = json.loads(command(player, "show", "--json", "TestFlip").stdout)
    (tree,) = document.pop("trees")
    assert tree["runs"] == "FPF" and tree["first"] <= tree["last"] == document.pop("last_failure")
    assert document == {
        "id": "go:TestFlip", "runner": "go", "scope": "example.com/app", "name": "TestFlip", "place": "", "failed": 2,
        "runs": 3, "same_code": 1, "passes": {"named": 1, "exit": 0, "summary": 0, "before": 0},
        "in_a_row": {"failed": 0, "other_failed": 0, "other_runs": 0, "chance": None, "probably_real": False},
        "widths": {"all tests": [2, 3]}, "cleared": 1,
    }  # fmt: skip


def test_explain_json_records_nothing(tmp_path: Path) -> None:
    player = session(tmp_path)
    argv = ("explain", "--json", "--command", "go test ./... | tail", "--exit-code", "0")
    document = json.loads(command(player, *argv, data=b"--- FAIL: TestX (0.00s)\nFAIL\nFAIL\texample.com/app\t0.01s\nFAIL\n").stdout)
    assert document == {
        "test_command": True, "runners": ["go"], "exit_trusted": False, "recorded": True,
        "reason": "exit 0 proves no pass: a pipe hides the exit status of the tests", "summary": "failed",
        "tests": [{"runner": "go", "scope": "example.com/app", "name": "TestX", "id": "go:TestX", "failed": 1, "passed": 0}],
    }  # fmt: skip
    assert not (player.repo / ".git" / "flaky-memory").exists()


@pytest.mark.parametrize(
    ("typed", "output", "said"),
    [
        ("echo go test", b"", "not recorded: this command runs no tests that flaky-memory knows\n"),
        ("ssh host go test", b"", "not recorded: the tests run in a container or on another machine, on code that is not here"),
        ("go test ./... || true", b"ok  \tx\t0.1s\n", "exit status: exit 0 proves no pass: `||` hides the exit status"),
        ("go test ./...", b"ok  \tx\t0.1s\n", "recorded\nexit status: the tests' own\nthe runner's own summary: passed\n"),
    ],
)
def test_explain_for_people(tmp_path: Path, typed: str, output: bytes, said: str) -> None:
    assert said in command(session(tmp_path), "explain", "--command", typed, data=output).stdout


# -- wrong use and what cannot be


@pytest.mark.parametrize(
    "argv",
    [["bogus"], ["status", "bogus"], ["on", "x"], ["show"], ["explain"], ["run"], ["run", "--"], ["import"], ["statusline", "x"],
     ["explain", "--command", "x", "--exit-code", "no"], ["--bogus"]],
)  # fmt: skip
def test_wrong_use_is_one_line(tmp_path: Path, argv: list[str]) -> None:
    done = command(session(tmp_path), *argv)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and ("usage: " in done.stderr or "--help says more" in done.stderr)


def test_wrong_use_names_the_wrong_word(tmp_path: Path) -> None:
    assert "--jsn" in command(session(tmp_path), "status", "--jsn").stderr


@pytest.mark.parametrize("argv", [["status"], ["status", "--json"], ["show", "x"], ["reset"], ["on"], ["off"], ["import", "x"]])
def test_outside_git(tmp_path: Path, argv: list[str]) -> None:
    player = session(tmp_path)
    (player.repo / ".git").rename(tmp_path / "gone")
    done = command(player, *argv)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", OUTSIDE)


def test_no_such_test(tmp_path: Path) -> None:
    player = session(tmp_path)
    for argv in (["reset", "x"], ["show", "x"], ["show", "x", "--json"]):
        done = command(player, *argv)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", "no runs are stored for x\n")


def test_an_id_with_blanks_as_one_word_and_as_many(tmp_path: Path) -> None:
    player = session(tmp_path, {"package.json": "{}"})
    shown = "js:src/sync.test.js > sync > settles  twice"
    output = "FAIL src/sync.test.js\n  sync\n    \u2715 settles  twice (3 ms)\n\nTests:       1 failed, 1 total\n"
    player.bash("npx jest", output, 1)
    assert command(player, "show", shown).stdout.startswith(shown)
    assert command(player, "reset", *shown.split(" ")).stdout == f"forgot the runs of {shown}\n"


def test_a_store_that_cannot_be_written_is_still_listed(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    folder = player.repo / ".git" / "flaky-memory"
    (folder / "lock").unlink()
    (folder / "lock").mkdir()
    assert "go:TestFlip" in command(player, "status").stdout
    done = command(player, "reset")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1


def test_the_reader_of_the_list_may_leave(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    reader, writer = os.pipe()
    os.close(reader)
    argv = [sys.executable, "-I", "-S", str(MAIN), "status"]
    done = subprocess.run(argv, cwd=player.repo, env=player.environ, stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert done.stderr == b""


# -- help


def test_help_of_the_program_names_every_command(tmp_path: Path) -> None:
    text = command(session(tmp_path), "--help").stdout
    assert all(f"    {name}" in text for name in manual.PAGES)


@pytest.mark.parametrize("name", manual.PAGES)
def test_help_of_every_command(tmp_path: Path, name: str) -> None:
    done = command(session(tmp_path), name, "--help", COLUMNS="80")
    assert done.returncode == 0 and done.stdout.startswith(f"usage: flaky-memory {name}")
    assert f"\nexamples:\n  flaky-memory {name}" in done.stdout
    assert "exit status:" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110


def test_version(tmp_path: Path) -> None:
    assert command(session(tmp_path), "--version").stdout == f"flaky-memory {__version__}\n"


# -- on a terminal


def test_no_arguments_on_a_terminal_are_the_list(tmp_path: Path) -> None:
    assert "no test is known to be flaky" in on_terminal(session(tmp_path))


def test_colours_on_a_terminal_only(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    assert "\x1b[31mfailed 2/3\x1b[0m" in on_terminal(player, "status")
    assert "\x1b[32mP\x1b[0m" in on_terminal(player, "show", "TestFlip")
    for text in (
        on_terminal(player, "status", NO_COLOR="1"), on_terminal(player, "status", TERM="dumb"), command(player, "status").stdout,
    ):  # fmt: skip
        assert "\x1b" not in text and "go:TestFlip \u00b7 failed 2/3 \u00b7 same code once  just now\n" in text


def test_no_more_than_the_terminal_has_room_for(tmp_path: Path) -> None:
    player = session(tmp_path)
    for passed in (False, True, False):
        word, end = ("PASS", "ok  ") if passed else ("FAIL", "FAIL")
        output = "".join(f"--- {word}: Test{'Long' * 12}{n} (0.00s)\n" for n in range(20))
        player.bash("go test -v ./...", f"{output}{end}\texample.com/app\t0.1s\n", 1 - passed)
    assert len(command(player, "status").stdout.splitlines()) == 21
    text = on_terminal(player, "status", NO_COLOR="1", columns=60, lines=12)
    height = sum(-(-len(line) // 60) for line in text.splitlines())
    assert height < 12 and text.splitlines()[-1].endswith("more: flaky-memory status --all")
    assert len(on_terminal(player, "status", "--all", columns=200, lines=12).splitlines()) == 21


def test_worktrees_share_what_is_known(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    git(player.repo, "worktree", "add", "-q", str(tmp_path / "other"))
    player.repo = tmp_path / "other"
    assert "go:TestFlip" in command(player, "status").stdout
