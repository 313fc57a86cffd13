"""The status line: what it shows in a session, that the transcript is left to it, and how it is set up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flaky_memory import panel, sessions
from tests.people import MAIN, age, command, flip, run, session, slash, status_line

RED, GREEN, PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"
FLIP = f"{RED}flaky: go:TestFlip failed 2/3{PLAIN}\n"


def heartbeat(player, name: str = "s1") -> Path:
    return Path(sessions.path_of(str(player.repo / ".git" / "flaky-memory"), name) + ".shown")


def test_nothing_to_say(tmp_path: Path) -> None:
    player = session(tmp_path)
    assert status_line(player) == ""
    run(player, "TestFlip", False)
    assert status_line(player) == ""


def test_the_finding_goes_there_while_it_is_shown(tmp_path: Path) -> None:
    player = session(tmp_path)
    status_line(player)
    assert flip(player) == {"go:TestFlip": "2/3"}  # the model is told all the same
    assert player.lines == []
    assert status_line(player) == FLIP


def test_without_it_the_transcript_tells(tmp_path: Path) -> None:
    player = session(tmp_path)
    status_line(player, "another-session")
    flip(player)
    assert player.lines == [
        "flaky-memory: go:TestFlip failed 1 of 2 runs in the last 7 days and both passed and failed on the same code once",
        "flaky-memory: go:TestFlip failed 2 of 3 runs in the last 7 days and both passed and failed on the same code once"
    ]
    assert status_line(player, "another-session") == ""
    assert status_line(player) == FLIP  # one that is set up later knows of it


def test_a_heartbeat_of_long_ago_counts_no_more(tmp_path: Path) -> None:
    player = session(tmp_path)
    status_line(player)
    old = time.time() - sessions.FRESH - 5
    os.utime(heartbeat(player), (old, old))
    flip(player)
    assert len(player.lines) == 2
    status_line(player)
    run(player, "TestFlip", False)
    assert len(player.lines) == 2


def test_newest_first_with_the_latest_numbers(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player, "TestA")
    player.write({"new.go": "package app\n"})
    flip(player, "TestB")
    assert status_line(player).startswith(f"{RED}flaky: go:TestB failed 2/")
    run(player, "TestA", False)
    assert status_line(player).startswith(f"{RED}flaky: go:TestA failed 3/")


@pytest.mark.parametrize("how", ["by the next test command", "by the slash command"])
def test_a_closing_is_shown_for_a_while(tmp_path: Path, how: str) -> None:
    player = session(tmp_path)
    status_line(player)
    flip(player)
    age(player, 8 * 24 * 3600)
    if how == "by the next test command":
        run(player, "TestOther", True)
        assert player.lines == []
    else:
        assert slash(player, "").startswith("flaky-memory: no longer flaky\n")
    assert status_line(player) == f"{GREEN}no longer flaky: go:TestFlip{PLAIN}\n"
    path = str(heartbeat(player)).replace(".shown", "")
    text = Path(path).read_text()
    Path(path).write_text("".join(
        "\t".join(f if n != 2 else str(int(f) - 700) for n, f in enumerate(line.split("\t"))) for line in text.splitlines(True)
    ))  # fmt: skip
    assert status_line(player) == ""


@pytest.mark.parametrize("words", ["reset", "reset go:TestFlip"])
def test_a_reset_takes_it_away(tmp_path: Path, words: str) -> None:
    player = session(tmp_path)
    status_line(player)
    flip(player)
    slash(player, words)
    assert status_line(player) == ""


def test_subfolders_and_other_forms_of_the_payload(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    inner = player.repo / 'a "quoted" folder'
    inner.mkdir()
    for payload in (
        {"session_id": "s1", "cwd": str(inner)}, {"cwd": str(inner), "x": [1, {"y": None}], "session_id": "s1"},
    ):  # fmt: skip
        for indent in (None, 2):
            assert command(player, "statusline", data=json.dumps(payload, indent=indent).encode()).stdout == FLIP


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"session_id":1,"cwd":2}', b'{"session_id":"s1"}', b'{"session_id":"s1","cwd":"/no"}',
     b'{"session_id":"s1","cwd":"\\u0000"}', b'{"session_id":"s1","cwd":"\\q"}', b'{"session_id":"s1","cwd":"', b"x" * 100_000],
)  # fmt: skip
def test_anything_on_stdin_is_taken(tmp_path: Path, data: bytes) -> None:
    done = command(session(tmp_path), "statusline", data=data)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_session_id_names_no_path(tmp_path: Path) -> None:
    player = session(tmp_path)
    status_line(player, "../../../../evil")
    folder = player.repo / ".git" / "flaky-memory"
    assert [p.name for p in folder.iterdir()] == ["sessions"] and len(list((folder / "sessions").iterdir())) == 1


def test_damaged_session_files_show_nothing_wrong(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    path = Path(str(heartbeat(player)).replace(".shown", ""))
    path.write_bytes(path.read_bytes() + b"flaky\tk\t1\t\x1b[2J\n\xff\xff\nflaky\tk\tx\ty\nflaky\tkey")
    assert status_line(player) == FLIP


def test_files_of_old_sessions_are_removed(tmp_path: Path) -> None:
    player = session(tmp_path)
    status_line(player, "old")
    os.utime(heartbeat(player, "old"), (1, 1))
    flip(player)
    assert not heartbeat(player, "old").exists()


def test_one_short_line() -> None:
    many = panel.flaky([f"go:Test{n} failed 1/2" for n in range(30)])
    assert many.endswith(" more") and len(many) < 110
    assert many.startswith("flaky: go:Test0 failed 1/2, go:Test1 failed 1/2")
    assert len(panel.shortened("js:" + "x" * 500)) <= panel.LONGEST_ID + 1


# -- below a status line of one's own


def test_own_line_first_on_the_same_data(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    assert status_line(player, "s1", "--", "sh", "-c", "grep -o session_id; echo mine") == "session_id\nmine\n" + FLIP


def test_exit_status_of_the_own_line(tmp_path: Path) -> None:
    player = session(tmp_path)
    for argv, status in ((("sh", "-c", "exit 3"), 3), (("no-such-command",), 127)):
        assert command(player, "statusline", "--", *argv).returncode == status


# -- setting it up


def install(player, answer: bytes, **environ: str) -> subprocess.CompletedProcess[str]:
    return command(player, "statusline", "--install", data=answer, **environ)


def settings(player) -> Path:
    return Path(player.environ["HOME"]) / ".claude" / "settings.json"


@pytest.mark.parametrize("answer", [b"", b"n\n", b"\n", b"maybe\n"])
def test_nothing_is_written_without_a_yes(tmp_path: Path, answer: bytes) -> None:
    player = session(tmp_path)
    done = install(player, answer)
    assert done.returncode == 1 and done.stderr == "nothing was changed\n" and not settings(player).exists()
    assert '+   "statusLine": {' in done.stdout


def test_the_command_that_it_writes_works(tmp_path: Path) -> None:
    player = session(tmp_path)
    assert install(player, b"y\n").returncode == 0
    written = json.loads(settings(player).read_text())
    assert list(written) == ["statusLine"] and written["statusLine"]["type"] == "command"
    flip(player)
    payload = json.dumps({"session_id": "s1", "cwd": str(player.repo)}).encode()
    shell = ["sh", "-c", written["statusLine"]["command"]]
    assert subprocess.run(shell, input=payload, env=player.environ, capture_output=True).stdout.decode() == FLIP
    before = settings(player).read_bytes()
    assert "already shows" in install(player, b"y\n").stdout and settings(player).read_bytes() == before


def test_no_setting_is_lost(tmp_path: Path) -> None:
    player = session(tmp_path)
    own = {"model": "x", "hooks": {"Stop": []}, "statusLine": {"type": "command", "command": "echo 'it is' mine", "padding": 0}, "\u00e9": "\u20ac"}
    real = tmp_path / "dotfiles.json"
    real.write_text(json.dumps(own), encoding="utf-8")
    real.chmod(0o640)
    settings(player).parent.mkdir()
    settings(player).symlink_to(real)
    assert install(player, b"yes\n").returncode == 0
    assert settings(player).is_symlink() and real.stat().st_mode & 0o777 == 0o640
    written = json.loads(real.read_text(encoding="utf-8"))
    assert list(written) == list(own) and {**written, "statusLine": own["statusLine"]} == own
    assert written["statusLine"]["padding"] == 0
    done = subprocess.run(["sh", "-c", written["statusLine"]["command"]], input=b"{}", env=player.environ, capture_output=True)
    assert done.stdout == b"it is mine\n"


@pytest.mark.parametrize("text", ["{", "[]", "// comment\n{}"])
def test_settings_that_cannot_be_read_are_left(tmp_path: Path, text: str) -> None:
    player = session(tmp_path)
    settings(player).parent.mkdir()
    settings(player).write_text(text)
    done = install(player, b"y\n")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and settings(player).read_text() == text


def test_the_folder_that_the_client_is_told(tmp_path: Path) -> None:
    player = session(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    install(player, b"y\n", CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere" / "settings.json").exists() and not settings(player).exists()


# -- its cost


def test_it_imports_little(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    payload = json.dumps({"session_id": "s1", "cwd": str(player.repo)}).encode()
    argv = [sys.executable, "-I", "-S", "-X", "importtime", str(MAIN), "statusline"]
    done = subprocess.run(argv, input=payload, env=player.environ, capture_output=True, check=True)
    assert done.stdout.decode() == FLIP
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert not imported & {"json", "re", "subprocess", "collections", "threading", "flaky_memory.store", "flaky_memory.git"}
