"""`doctor`: what it looks at, what it advises, and that it tells nothing of commands."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from flaky_memory import __version__
from tests.people import command, flip, run, session, status_line


def doctor(player, **environ: str) -> tuple[int, dict[str, str], str]:
    """(exit status, the marks by the names of the checks, all that it printed)."""
    done = command(player, "doctor", **environ)
    assert done.stderr == ""
    marks = re.findall(r"^(ok|no|--)  (\S(?:.*?\S)??)  ", done.stdout, re.M)
    return done.returncode, {name: mark for mark, name in marks}, done.stdout


def settings(player, document: object, name: str = ".claude/settings.json") -> None:
    path = Path(player.environ["HOME"]) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def test_all_is_well_where_hooks_ran(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    status, marks, text = doctor(player)
    assert status == 0
    assert {n for n, m in marks.items() if m == "ok"} == {
        "flaky-memory", "Python", "python3", "git", "hooks", "repository", "recording", "store",
    }  # fmt: skip
    assert "they have run in this repository" in text and str(player.repo) in text
    assert re.search(r"store         \d\.\d KiB, 1 test that failed", text)
    assert text.endswith("\n\nthe last decisions:\n" + "  just now   recorded\n" * 3)


def test_runs_of_another_terminal_are_no_sign_of_the_hooks(tmp_path: Path) -> None:
    player = session(tmp_path)
    command(player, "run", "--", "go", "test", "./...")
    status, marks, text = doctor(player)
    assert (status, marks["hooks"]) == (1, "no")
    assert "no hook has run here" in text and "the last decisions:" in text


def test_the_plugin_by_the_settings_of_the_client(tmp_path: Path) -> None:
    player = session(tmp_path)
    status, marks, text = doctor(player)
    assert (status, marks["hooks"]) == (1, "no") and "Claude Code does not know the plugin" in text
    settings(player, {"enabledPlugins": {"flaky-memory@some-market": True, "other@x": False}})
    status, marks, text = doctor(player)
    assert (status, marks["hooks"]) == (0, "ok")
    assert f"registered by the plugin flaky-memory@some-market, version {__version__}\n" in text
    assert "no test command has been seen here yet" in text
    entry = {"scope": "user", "installPath": "/x", "version": "0.0.9"}
    settings(player, {"version": 2, "plugins": {"flaky-memory@some-market": [entry]}}, ".claude/plugins/installed_plugins.json")
    assert "version 0.0.9 (this program is another version)" in doctor(player)[2]
    settings(player, {"enabledPlugins": {"flaky-memory@some-market": False}})
    status, marks, text = doctor(player)
    assert (status, marks["hooks"]) == (1, "no") and "is disabled" in text


def test_the_plugin_by_the_settings_of_the_project(tmp_path: Path) -> None:
    player = session(tmp_path)
    player.write({".claude/settings.json": json.dumps({"enabledPlugins": {"flaky-memory@m": True}})})
    assert doctor(player)[:2][0] == 0


def test_settings_of_any_shape(tmp_path: Path) -> None:
    player = session(tmp_path)
    for document in ([], {"enabledPlugins": [1]}, {"enabledPlugins": {"flaky-memory@m": "yes"}}, {"statusLine": "x"}):
        settings(player, document)
        settings(player, {"plugins": {"flaky-memory@m": {"a": 1}}}, ".claude/plugins/installed_plugins.json")
        assert doctor(player)[1]["hooks"] == "no"


def test_off(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    command(player, "off")
    status, marks, text = doctor(player)
    assert (status, marks["recording"]) == (1, "no") and "`flaky-memory on` records again" in text


def test_outside_git(tmp_path: Path) -> None:
    player = session(tmp_path)
    (player.repo / ".git").rename(tmp_path / "gone")
    status, marks, text = doctor(player)
    assert (status, marks["repository"]) == (1, "no") and "not in a git repository: no runs are recorded here" in text


def test_no_git_and_no_python3(tmp_path: Path) -> None:
    player = session(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    status, marks, text = doctor(player, PATH=str(empty))
    assert (status, marks["git"], marks["python3"]) == (1, "no", "no")
    assert "install git, or put it on PATH" in text
    (empty / "python3").write_text("#!/bin/sh\necho 3.8.18\n")
    (empty / "python3").chmod(0o755)
    status, marks, text = doctor(player, PATH=str(empty))
    assert marks["python3"] == "no" and "3.8.18\n" in text and "put Python 3.9 or newer on PATH" in text


@pytest.mark.parametrize(
    ("content", "said"),
    [("[", "the stored runs cannot be read"), ('{"version": 99}', "the stored runs were written by a newer version")],
)
def test_a_store_that_cannot_be_used(tmp_path: Path, content: str, said: str) -> None:
    player = session(tmp_path)
    flip(player)
    path = player.repo / ".git" / "flaky-memory" / "runs.json"
    path.write_text(content)
    status, marks, text = doctor(player)
    assert (status, marks["store"]) == (1, "no") and said in text
    assert path.read_text() == content


def test_a_fault_of_the_latest_run(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    (player.repo / ".git" / "flaky-memory" / "runs.json").write_text('{"version": 99}')
    run(player, "TestFlip", False)
    status, marks, text = doctor(player)
    assert marks["latest run"] == "no" and "newer version" in text


def test_damaged_files_that_were_kept(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    (player.repo / ".git" / "flaky-memory" / "runs.json").write_text("[")
    run(player, "TestFlip", False)
    status, marks, text = doctor(player)
    assert (status, marks["kept aside"]) == (0, "--") and "runs.json.damaged-" in text


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    folder = player.repo / ".git" / "flaky-memory"
    folder.chmod(0o500)
    status, marks, text = doctor(player)
    folder.chmod(0o700)
    assert (status, marks["store"]) == (1, "no") and "cannot be written" in text


def test_the_last_ten_decisions_with_their_reasons_and_no_command(tmp_path: Path) -> None:
    player = session(tmp_path)
    secret = "TOKEN=s3cret-word"
    for _ in range(8):
        run(player, "TestFlip", True)
    player.bash(f"{secret} go test ./...", "--- FAIL: TestX (0.00s)\nFAIL\n", 1, during={"code.go": "x"})
    player.bash(f"{secret} go test ./...", "", 0, how="background")
    player.bash(f"{secret} ssh host go test ./...", "FAIL", 1)
    with (player.repo / ".git" / "flaky-memory" / "decisions.log").open("a") as file:
        file.write(json.dumps([1, "fault", f"ValueError: {secret} go test", True]) + "\n")
    text = doctor(player)[2]
    decisions = text[text.index("the last decisions") :].splitlines()[1:]
    assert len(decisions) == 10
    assert [line.split("ago")[-1].replace("just now", "").strip() for line in decisions[-4:]] == [
        "not recorded: the tree changed while the tests ran",
        "not recorded: the run was sent to the background",
        "not recorded: the tests run in a container or on another machine, on code that is not here",
        "not recorded: an error in flaky-memory itself (ValueError)",
    ]
    assert "s3cret" not in text and "go test" not in text


def test_the_status_line(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    status, marks, text = doctor(player)
    assert (status, marks["status line"]) == (0, "--")
    lines = text[text.index("status line") :].partition("\n\n")[0].splitlines()[1:]
    pasted = json.loads("\n".join(lines))
    settings(player, pasted)
    status, marks, text = doctor(player)
    assert (status, marks["status line"]) == (0, "ok")
    assert status_line(player) != ""
