"""`run -- COMMAND`: the command as if it stood alone, and the finding behind its output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import write
from tests.people import MAIN, command, session

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and terminals of POSIX")
NOT_TESTS = "flaky-memory: not recorded: this command runs no tests that flaky-memory knows\n"
RUN = [sys.executable, "-I", "-S", str(MAIN), "run", "--"]

# A test that passes each second time; how often it ran stands outside of the repository.
FLIP = """
import os, unittest
class FlipTest(unittest.TestCase):
    def test_flip(self):
        with open(os.environ["TURNS"], "a+") as file:
            file.write("x")
            file.seek(0)
            self.assertEqual(len(file.read()) % 2, 0)
"""
UNITTEST = ("python3", "-m", "unittest", "test_flip")


def flipping(tmp_path: Path):
    player = session(tmp_path, {"test_flip.py": FLIP})
    player.environ.update(TURNS=str(tmp_path / "turns"), PYTHONDONTWRITEBYTECODE="1")
    return player


def started(player, *argv: str, **streams) -> subprocess.Popen:
    return subprocess.Popen([*RUN, *argv], cwd=player.repo, env=player.environ, **streams)


def wait_for(path: Path) -> None:
    ends = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < ends, f"{path} did not come"
        time.sleep(0.01)


# -- the loop


def test_finding_behind_the_output(tmp_path: Path) -> None:
    player = flipping(tmp_path)
    done = [command(player, "run", "--", *UNITTEST) for _ in range(3)]
    assert [d.returncode for d in done] == [1, 0, 1]
    assert "flaky-memory" not in done[0].stderr
    assert "test_flip failed 1 of 2 runs" in done[1].stderr
    assert done[2].stderr.endswith(
        "flaky-memory: unittest:test_flip.FlipTest.test_flip failed 2 of 3 runs in the last 7 days "
        "and both passed and failed on the same code once\n"
    )
    assert "AssertionError" in done[2].stderr


def test_words_with_blanks_and_shell_characters(tmp_path: Path) -> None:
    player = flipping(tmp_path)
    for expected in (1, 0, 1):
        done = command(player, "run", "--", "sh", "-c", "cd . && python3 -m unittest test_flip")
        assert done.returncode == expected
    assert "failed 2 of 3 runs" in done.stderr
    assert command(player, "run", "--", "printf", "%s|", "a b", "$HOME", "*").stdout == "a b|$HOME|*|"


def test_why_nothing_is_recorded(tmp_path: Path) -> None:
    player = flipping(tmp_path)
    assert command(player, "run", "--", "true").stderr == NOT_TESTS
    command(player, "off")
    assert command(player, "run", "--", *UNITTEST).stderr.endswith("flaky-memory: not recorded: recording is off\n")
    (player.repo / ".git").rename(tmp_path / "gone")
    assert command(player, "run", "--", *UNITTEST).stderr.endswith("flaky-memory: not recorded: not in a git repository\n")


def test_a_tree_that_changes_meanwhile(tmp_path: Path) -> None:
    player = flipping(tmp_path)
    write(player.repo, {"test_edit.py": "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        open('new.py', 'w').close()\n"})
    done = command(player, "run", "--", "python3", "-m", "unittest", "test_edit")
    assert done.stderr.endswith("flaky-memory: not recorded: the tree changed while the tests ran\n")


# -- passed through


def test_streams_and_status_are_the_commands_own(tmp_path: Path) -> None:
    player = session(tmp_path)
    done = command(player, "run", "--", "sh", "-c", "cat; echo out; echo err >&2; exit 7", data=b"in\0\xc3\xa9\n")
    assert (done.returncode, done.stdout, done.stderr) == (7, "in\0\u00e9\nout\n", "err\n" + NOT_TESTS)


def test_output_comes_at_once(tmp_path: Path) -> None:
    player = session(tmp_path)
    with started(player, "sh", "-c", "echo first; cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"first\n"  # while the command waits for its input
        process.stdin.close()
        assert process.wait(20) == 0


def test_long_output_is_passed_on_whole(tmp_path: Path) -> None:
    player = session(tmp_path)
    program = "import sys; [sys.stdout.buffer.write(b'%063d\\n' % n) for n in range(400_000)]"
    done = command(player, "run", "--", sys.executable, "-c", program)
    assert done.returncode == 0 and len(done.stdout) == 400_000 * 64 and done.stdout.endswith("399999\n")


def test_the_ends_of_a_long_output_are_read(tmp_path: Path) -> None:
    player = flipping(tmp_path)
    noise = "import sys; [sys.stderr.write('y' * 63 + chr(10)) for n in range(400_000)]"
    write(player.repo, {"test_flip.py": FLIP.replace("    def test_flip", f"    def test_flip(self):\n        {noise}\n        self.flip()\n    def flip")})
    done = [command(player, "run", "--", *UNITTEST) for _ in range(3)]
    assert "failed 2 of 3 runs" in done[2].stderr[-300:]


def test_not_found_and_not_executable(tmp_path: Path) -> None:
    player = session(tmp_path)
    write(player.repo, {"pytest": "no program"})
    for argv, status, said in (
        (["no-such-command"], 127, "no-such-command: command not found"), (["./pytest", "x"], 126, "./pytest: cannot be executed"),
    ):  # fmt: skip
        done = command(player, "run", "--", *argv)
        assert (done.returncode, done.stdout, done.stderr) == (status, "", f"flaky-memory: {said}\n")


def test_a_process_that_stays_behind_is_not_waited_for(tmp_path: Path) -> None:
    player = session(tmp_path)
    before = time.monotonic()
    done = command(player, "run", "--", "sh", "-c", "sleep 30 & echo $!")
    os.kill(int(done.stdout), signal.SIGKILL)
    assert time.monotonic() - before < 15


def room_of_a_pipe() -> int:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    room = 0
    try:
        while True:
            room += os.write(writer, b"x" * 1024)
    except BlockingIOError:
        return room
    finally:
        os.close(reader)
        os.close(writer)


def test_a_slow_reader_gets_everything(tmp_path: Path) -> None:
    player = session(tmp_path)
    size = room_of_a_pipe() * 3 // 2  # what does not fit is held by `run` when the command has ended
    with started(player, "sh", "-c", f"head -c {size} /dev/zero; : > {tmp_path / 'ended'}", stdout=subprocess.PIPE) as process:
        wait_for(tmp_path / "ended")
        time.sleep(0.6)  # longer than the grace for what stays behind
        assert len(process.stdout.read()) == size
        assert process.wait(20) == 0


# -- signals


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGSEGV])
def test_a_signal_that_ends_the_command_is_seen_outside(tmp_path: Path, number: int) -> None:
    assert command(session(tmp_path), "run", "--", "sh", "-c", f"kill -{int(number)} $$").returncode == -number


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_reaches_the_command(tmp_path: Path, number: int) -> None:
    player = session(tmp_path)
    ready = tmp_path / "ready"
    name = signal.Signals(number).name[3:]
    script = f"trap 'echo caught; exit 5' {name}; : > {ready}; while :; do sleep 0.05; done"
    with started(player, "sh", "-c", script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        wait_for(ready)
        process.send_signal(number)
        assert process.stdout.read() == b"caught\n"
        assert process.wait(20) == 5


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    player = session(tmp_path)
    argv = ["sh", "-c", 'trap "" TERM; exec "$@"', "sh", *RUN, "sh", "-c", "kill -TERM $$; echo survived"]
    done = subprocess.run(argv, cwd=player.repo, env=player.environ, capture_output=True, timeout=60)
    assert done.stdout == b"survived\n"


def test_a_reader_that_leaves_ends_the_command(tmp_path: Path) -> None:
    player = session(tmp_path)
    with started(player, "yes", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        assert process.wait(20) == -signal.SIGPIPE


def test_an_interrupted_run_is_not_recorded(tmp_path: Path) -> None:
    player = session(tmp_path, {"test_wait.py": (
        "import pathlib, signal, time, unittest\n"
        "class T(unittest.TestCase):\n"
        "    def test_a(self):\n"
        "        signal.signal(signal.SIGINT, lambda *a: self.fail())\n"
        f"        pathlib.Path({str(tmp_path / 'ready')!r}).touch()\n"
        "        time.sleep(60)\n"
    )})  # fmt: skip
    player.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    with started(player, "python3", "-m", "unittest", "test_wait", stderr=subprocess.PIPE, start_new_session=True) as process:
        wait_for(tmp_path / "ready")
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
        assert b"FAIL: test_a" in errors and b"flaky-memory" not in errors
        assert process.wait(20) == 1
    assert "0 tests have failed here" in command(player, "status").stdout
    assert not list((player.repo / ".git" / "flaky-memory" / "pending").iterdir())


# -- on a terminal


def on_terminal(player, *argv: str, **settings):
    from tests.terminal import Terminal

    return Terminal([*RUN, *argv], str(player.repo), player.environ, **settings)


def test_a_terminal_for_the_command(tmp_path: Path) -> None:
    terminal = on_terminal(session(tmp_path), "sh", "-c", r"test -t 0 -a -t 1 -a -t 2 && stty size <&1; printf 'a\nb\n'", columns=61, lines=17)
    assert terminal.finish() == 0
    assert terminal.screen.startswith("17 61\r\na\r\nb\r\nflaky-memory: not recorded")


def test_stderr_apart_from_a_terminal_on_stdout(tmp_path: Path) -> None:
    with (tmp_path / "errors").open("wb") as file:
        terminal = on_terminal(session(tmp_path), "sh", "-c", "test -t 1 && test ! -t 2 && echo out; echo err >&2", stderr=file.fileno())
        assert terminal.finish() == 0
    assert terminal.screen == "out\r\n"
    assert (tmp_path / "errors").read_text() == "err\n" + NOT_TESTS


def test_the_command_reads_the_keyboard(tmp_path: Path) -> None:
    terminal = on_terminal(session(tmp_path), "sh", "-c", "printf 'name? '; read name; echo hello $name")
    terminal.read_until("name? ")
    terminal.type("you\n")
    assert "hello you" in terminal.read_until("hello you")
    assert terminal.finish() == 0


CATCH = (
    "import os, signal, sys, time\n"
    "sys.argv[1:] and os.setsid()\n"
    "signal.signal(signal.SIGINT, lambda *a: print('caught', flush=True))\n"
    "print('ready', flush=True)\n"
    "input()\n"
    "time.sleep(0.3)\n"
    "print('end', flush=True)\n"
)


def test_ctrl_c_is_the_commands(tmp_path: Path) -> None:
    terminal = on_terminal(session(tmp_path), sys.executable, "-c", CATCH)
    terminal.read_until("ready")
    terminal.type("\x03")
    terminal.read_until("caught")
    terminal.type("\n")
    terminal.read_until("end")
    assert terminal.finish() == 0


def test_ctrl_c_is_not_sent_a_second_time(tmp_path: Path) -> None:
    terminal = on_terminal(session(tmp_path), sys.executable, "-c", CATCH, "leaves the terminal's processes")
    terminal.read_until("ready")
    terminal.type("\x03")
    terminal.read_until("^C")
    terminal.type("\n")
    terminal.read_until("end")
    assert terminal.finish() == 0 and "caught" not in terminal.screen


def test_ctrl_c_ends_both(tmp_path: Path) -> None:
    terminal = on_terminal(session(tmp_path), "sh", "-c", "echo ready; exec sleep 60")
    terminal.read_until("ready")
    terminal.type("\x03")
    assert terminal.finish() == -signal.SIGINT


def test_the_size_of_the_terminal_is_kept_up(tmp_path: Path) -> None:
    script = "echo ready; while test \"$(stty size <&2)\" != '30 100'; do sleep 0.05; done; echo resized"
    terminal = on_terminal(session(tmp_path), "sh", "-c", script)
    terminal.read_until("ready")
    terminal.resize(100, 30)
    terminal.read_until("resized")
    assert terminal.finish() == 0


def test_colours_are_passed_on_and_read_through(tmp_path: Path) -> None:
    player = flipping(tmp_path)
    script = "printf '\\033[31mred\\033[0m\\n'; python3 -m unittest test_flip"
    for _ in range(3):
        terminal = on_terminal(player, "sh", "-c", script)
        terminal.finish()
        assert "\x1b[31mred\x1b[0m" in terminal.screen
    assert "unittest:test_flip.FlipTest.test_flip failed 2 of 3 runs" in terminal.screen
