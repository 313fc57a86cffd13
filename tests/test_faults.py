"""What may be wrong around a hook: it says nothing, exits 0, harms nothing, and the reason is kept for `doctor`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from flaky_memory import command as reader
from flaky_memory import gate
from flaky_memory.store import Store
from tests.conftest import ROOT
from tests.people import command, flip, go_output, run, session
from tests.player import Player

PAYLOADS = json.loads((Path(__file__).parent / "payloads.json").read_text())
ARGV = [sys.executable, "-I", "-S", str(ROOT / "flaky_memory" / "__main__.py")]
posix = pytest.mark.skipif(os.name == "nt", reason="fifos, links and limits")


def hook(data: bytes, environ: dict[str, str] | None = None, argv: list[str] = ARGV, **more: Any) -> tuple[int, bytes, bytes, float]:
    """(exit status, stdout, stderr, seconds) of one start."""
    begun = time.monotonic()
    done = subprocess.run(argv, input=data, capture_output=True, env=environ, timeout=30, **more)
    return done.returncode, done.stdout, done.stderr, time.monotonic() - begun


def assert_silent(data: bytes, environ: dict[str, str] | None = None, argv: list[str] = ARGV, **more: Any) -> None:
    status, out, problem, took = hook(data, environ, argv, **more)
    assert (status, out, problem) == (0, b"", b"")
    assert took < 2


def store_of(player: Player) -> Store:
    return Store(str(player.repo / ".git"))


def event(player: Player, name: str = "PostToolUse", **changes: Any) -> dict[str, Any]:
    return {
        "session_id": "s1", "cwd": str(player.repo), "hook_event_name": name, "tool_name": "Bash", "tool_use_id": "t1",
        "tool_input": {"command": "go test ./..."}, "tool_response": {"stdout": "ok  \tx/y\t0.1s"}, **changes,
    }  # fmt: skip


# -- the store

RUNS = "runs.json"


def replaced(content: bytes) -> Callable[[Path], Any]:
    return lambda folder: (folder / RUNS).write_bytes(content)


def truncated(folder: Path) -> None:
    whole = (folder / RUNS).read_bytes()
    (folder / RUNS).write_bytes(whole[: len(whole) // 2])


def folder_instead(folder: Path) -> None:
    (folder / RUNS).unlink()
    (folder / RUNS).mkdir()
    (folder / RUNS / "precious").write_text("x")


def link_to_itself(folder: Path) -> None:
    (folder / RUNS).unlink()
    (folder / RUNS).symlink_to(RUNS)


def whole_folder_is_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("mine")


def everything_is_a_link(folder: Path) -> None:
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to("elsewhere")


def pending_is_a_file(folder: Path) -> None:
    shutil.rmtree(folder / "pending")
    (folder / "pending").write_text("mine")


# What is done to the store after a failure and a pass, what `doctor` is to find as the last decision (""
# where even that cannot be written), and whether recording goes on with a new file.
FAULTS: dict[str, tuple[Callable[[Path], Any], str, bool]] = {
    "truncated": (truncated, "recorded", True),
    "empty": (replaced(b""), "recorded", True),
    "other JSON": (replaced(b'{"name": "x"}'), "recorded", True),
    "binary": (replaced(b"\0\xff" * 1000), "recorded", True),
    "a folder": (folder_instead, "recorded", True),
    "newer": (replaced(b'{"version": 2, "runs": []}'), "newer-store", False),
    "not to be opened": (link_to_itself, "unreadable-store", False),
    "no folder": (whole_folder_is_a_file, "", False),
    "a link": (everything_is_a_link, "", False),
    "pending runs not to be kept": (pending_is_a_file, "unwritable", False),
}


def contents(folder: Path) -> dict[str, Any]:
    """All that lies in and beside a folder, but for what the hooks write for themselves."""
    found = {}
    for path in folder.parent.rglob("*"):
        if path.name not in ("decisions.log", "lock", "pending", "data") and path.parent.name not in ("pending", "data"):
            found[path.name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


@posix
@pytest.mark.parametrize("kind", FAULTS)
def test_a_store_that_cannot_be_used(kind: str, tmp_path: Path) -> None:
    spoil, decision, goes_on = FAULTS[kind]
    player = session(tmp_path)
    run(player, "TestA", False)
    run(player, "TestA", True)
    store = store_of(player)
    player.lines.clear()
    spoil(Path(store.folder))
    before = contents(Path(store.folder))
    assert run(player, "TestA", False) == {}  # the player raises for anything but silence and exit 0
    after = contents(Path(store.folder))
    if decision:
        assert store.decisions()[-1][1] == decision
    if goes_on:
        assert before[RUNS] in [after[name] for name in after if name.startswith("runs.json.damaged-")]
        assert any("kept as runs.json.damaged-" in line for line in player.lines)
        assert flip(player, "TestB") == {"go:TestB": "2/3"}
    else:
        assert after == before
        assert player.lines == []
    shown = command(player, "doctor")
    assert shown.stderr == ""
    reason = "runs.json.damaged-" if goes_on else "the store cannot be written" if decision == "unwritable" else "no  store "
    assert reason in shown.stdout


def limited(size: int) -> Callable[[], None]:
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@posix
@pytest.mark.parametrize("size", [0, 10, 100])
def test_a_disk_that_is_full(size: int, tmp_path: Path) -> None:
    """Stands in for it: no file may grow longer than so many bytes."""
    player = session(tmp_path)
    run(player, "TestA", False)
    run(player, "TestA", True)
    store = store_of(player)
    before = Path(store.path).read_bytes()
    started = player.start("go test ./...", {})
    output = go_output("FAIL TestA")
    ended = {**started, "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\n" + output}
    assert_silent(json.dumps(ended).encode(), player.environ, preexec_fn=limited(size))
    assert Path(store.path).read_bytes() == before
    assert not list(Path(store.folder).glob("*.new"))
    assert_silent(json.dumps({**started, "hook_event_name": "PreToolUse", "tool_use_id": "t9"}).encode(), player.environ, preexec_fn=limited(size))
    decided = store.decisions()
    assert len(decided) == 2 or decided[-1][1] == "unwritable"
    assert run(player, "TestA", False) == {"go:TestA": "2/3"}


@pytest.fixture
def mount() -> Iterator[Callable[..., None]]:
    """Mounts something on a folder, or skips the test where this user may not."""
    done: list[Path] = []

    def mount(path: Path, *options: str, source: str | Path = "none") -> None:
        if sys.platform != "linux" or subprocess.run(["mount", *options, source, path], capture_output=True).returncode:
            pytest.skip("nothing can be mounted here")
        done.append(path)

    yield mount
    for path in reversed(done):
        subprocess.run(["umount", path], capture_output=True)


def test_a_git_directory_that_is_read_only(mount: Callable[..., None], tmp_path: Path) -> None:
    player = session(tmp_path)
    run(player, "TestA", False)
    run(player, "TestA", True)
    git_dir, store = player.repo / ".git", store_of(player)
    player.lines.clear()
    before = contents(Path(store.folder))
    mount(git_dir, "--bind", source=git_dir)
    mount(git_dir, "-o", "remount,bind,ro")
    assert run(player, "TestA", False) == {}
    assert (contents(Path(store.folder)), player.lines) == (before, [])
    assert "no  store         cannot be written" in command(player, "doctor").stdout


def test_a_disk_that_is_really_full(mount: Callable[..., None], tmp_path: Path) -> None:
    player = session(tmp_path)
    store = store_of(player)
    os.mkdir(store.folder)
    mount(Path(store.folder), "-t", "tmpfs", "-o", "size=64k")
    run(player, "TestA", False)
    run(player, "TestA", True)
    before = Path(store.path).read_bytes()
    with pytest.raises(OSError), open(Path(store.folder) / "ballast", "wb") as file:
        file.write(b"x" * 100_000)
    assert run(player, "TestA", False) == {}
    assert Path(store.path).read_bytes() == before
    os.remove(Path(store.folder) / "ballast")
    assert run(player, "TestA", False) == {"go:TestA": "2/3"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_git_directory_that_may_not_be_written(tmp_path: Path) -> None:
    player = session(tmp_path)
    os.chmod(player.repo / ".git", 0o500)
    try:
        assert flip(player) == {}
        assert not os.path.exists(store_of(player).folder)
    finally:
        os.chmod(player.repo / ".git", 0o700)


def test_a_stale_lock_stops_nothing(tmp_path: Path) -> None:
    player = session(tmp_path)
    folder = Path(store_of(player).folder)
    folder.mkdir()
    (folder / "lock").write_text("4711")
    os.utime(folder / "lock", (1, 1))
    assert flip(player) == {"go:TestFlip": "2/3"}


@posix
def test_a_lock_that_is_held_for_ever_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    """Shorter than the timeout in hooks.json; the run is not recorded, and that is noted."""
    import fcntl

    player = session(tmp_path)
    run(player, "TestA", False)
    store = store_of(player)
    started = player.start("go test ./...", {})
    with open(Path(store.folder) / "lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ended = {**started, "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\n" + go_output("FAIL TestA")}
        status, out, problem, took = hook(json.dumps(ended).encode(), player.environ)
    assert (status, out, problem) == (0, b"", b"")
    assert took < gate.LONGEST
    assert store.decisions()[-1][1] == "busy"


# -- the payload

HUGE = "x" * 2_000_000
BROKEN: dict[str, bytes] = {
    "nothing": b"", "a line end": b"\n", "no JSON": b"hello pytest", "half": b'{"tool_input": {"command": "pytest',
    "no UTF-8": b'{"tool_input":{"command":"pytest \xff\xfe"}}', "NUL": b"\0" * 1000, "a list": b'[{"command": "pytest"}]',
    "a number": b"1e999", "null": b"null", "deep": b'{"command":"pytest","a":' + b"[" * 1_000_000,
    "UTF-16": '{"tool_input":{"command":"pytest"}}'.encode("utf-16"), "BOM": b'\xef\xbb\xbf{"tool_input":{"command":"pytest"}}',
    "2 MB of garbage": os.urandom(2_000_000), "2 MB of quotes": b'{"command":"' + b'\\"' * 1_000_000,
    "2 MB of backslashes": b'{"command":"pytest ' + b"\\" * 2_000_000 + b'"}',
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_input_that_is_no_event(kind: str, tmp_path: Path) -> None:
    assert_silent(BROKEN[kind], cwd=tmp_path)


FIELDS = ("session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_use_id", "tool_response", "error")


@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse", "PostToolUseFailure"])
def test_an_event_with_a_broken_field(name: str, tmp_path: Path) -> None:
    """Of each kind one through a real process; tests/test_payloads.py has the rest."""
    player = session(tmp_path)
    whole = event(player, name, error="Exit code 1\nx")
    for number, field in enumerate(FIELDS):
        broken = [{k: v for k, v in whole.items() if k != field}, {**whole, field: (None, 7, [], {}, True, "\ud800")[number % 6]}]
        for payload in broken:
            assert_silent(json.dumps(payload).encode(), player.environ)


@pytest.mark.parametrize("field", ["cwd", "tool_use_id", "session_id", "tool_name", "command", "stdout", "error", "extra"])
def test_an_event_with_a_huge_field(field: str, tmp_path: Path) -> None:
    player = session(tmp_path)
    for name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        payload = event(player, name, error="Exit code 1\nx")
        if field == "command":
            payload["tool_input"] = {"command": "go test " + HUGE}
        elif field == "stdout":
            payload["tool_response"] = {"stdout": HUGE}
        else:
            payload[field] = HUGE
        assert_silent(json.dumps(payload).encode(), player.environ)


SHAPES = ("pytest; ", "pytest\n", "cd a; pytest; ", "pytest | ", "(", "$(", "'a' ", '"', "`", "{ ", "if pytest; then ", "a=1 ", "xargs ")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_huge_command_is_read_in_time(shape: str) -> None:
    """As long as a shell takes one, of what costs the reading most."""
    text = "pytest " + shape * (120_000 // len(shape))
    payload = {**PAYLOADS["pre-tool-use"], "tool_input": {"command": text}, "cwd": "/"}
    assert_silent(json.dumps(payload).encode())


def test_a_command_that_starts_too_many_runners_is_not_read() -> None:
    assert reader.read("pytest; " * 100).runs_tests
    assert reader.read("pytest; " * 1000).reason == reader.UNREADABLE


def test_stdin_that_never_ends() -> None:
    with subprocess.Popen(ARGV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"tool_input":')
        process.stdin.flush()
        begun = time.monotonic()
        assert process.wait(10) == 0
        assert time.monotonic() - begun < 2
        assert (process.stdout and process.stdout.read(), process.stderr and process.stderr.read()) == (b"", b"")


def test_what_takes_too_long_is_given_up(tmp_path: Path) -> None:
    """The alarm ends even a pattern that runs away, and Windows' thread a loop."""
    slow = "import re; re.match('(a+)+$', 'a' * 60 + 'b')"
    for how, work in (("give_up_after", slow), ("_watch", "exec('while True: pass')")):
        if how == "give_up_after" and os.name == "nt":
            continue
        script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from flaky_memory import gate; gate.{how}(0.3); {work}"
        status, out, problem, took = hook(b"", argv=[sys.executable, "-I", "-S", "-c", script])
        assert (status, out, problem) == (0, b"", b"")
        assert 0.3 <= took < 2


def test_what_is_done_in_time_is_not_given_up(tmp_path: Path) -> None:
    for how in ("give_up_after", "_watch"):
        script = (
            f"import sys, time; sys.path.insert(0, {str(ROOT)!r}); from flaky_memory import gate; gate.{how}(0.1); "
            f"gate.{how}(0); time.sleep(0.4); print('done')"
        )
        assert hook(b"", argv=[sys.executable, "-I", "-S", "-c", script])[:3] == (0, f"done{os.linesep}".encode(), b"")


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr", "all"])
@posix
def test_without_a_stream(closed: str, tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    started = player.start("go test ./...", {})
    data = json.dumps({**started, "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\n" + go_output("FAIL TestFlip")})
    ends = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-", "all": "<&- >&- 2>&-"}[closed]
    status, _, problem, _ = hook(data.encode(), player.environ, ["sh", "-c", f'exec "$@" {ends}', "sh", *ARGV])
    assert (status, problem) == (0, b"")


@posix
def test_a_client_that_has_gone(tmp_path: Path) -> None:
    player = session(tmp_path)
    flip(player)
    started = player.start("go test ./...", {})
    data = json.dumps({**started, "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\n" + go_output("FAIL TestFlip")})
    with subprocess.Popen(ARGV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=player.environ) as process:
        assert process.stdout is not None
        process.stdout.close()
        problem = process.communicate(data.encode())[1]
        assert (process.returncode, problem) == (0, b"")
    assert store_of(player).decisions()[-1][1] == "recorded"


# -- the surroundings


@pytest.mark.parametrize(
    "environ",
    [{"PYTHONIOENCODING": "cp949"}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "tlh_KX.UTF-8"}, {"LANG": ""}, {"PYTHONUTF8": "0"}],
    ids=str,
)
def test_the_answer_is_json_in_any_encoding(environ: dict[str, str], tmp_path: Path) -> None:
    player = Player(tmp_path, environ=environ)
    player.repository("app", {"go.mod": "module example.com/app\n"})
    name = "TestF/\u043f\u0440\u0438\u0432\u0435\u0442_\U0001f600_\uac00"
    assert flip(player, name) == {f"go:{name}": "2/3"}


@pytest.mark.parametrize("missing", ["HOME", "PATH", "LC_ALL", "everything"])
def test_without_a_variable(missing: str, tmp_path: Path) -> None:
    player = session(tmp_path)
    if missing == "everything":
        player.environ = {k: v for k, v in player.environ.items() if os.name == "nt" and k.upper() == "SYSTEMROOT"}
    else:
        player.environ.pop(missing, None)
    found = flip(player)
    if missing in ("PATH", "everything"):
        assert (found, store_of(player).decisions()[-1][1]) == ({}, "no-git")
    else:
        assert found == {"go:TestFlip": "2/3"}


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    player = session(tmp_path)
    for name in ("PreToolUse", "PostToolUse"):
        assert_silent(json.dumps(event(player, name, cwd=str(tmp_path / "gone"))).encode(), player.environ)


@posix
def test_the_directory_of_the_process_is_gone(tmp_path: Path) -> None:
    player = session(tmp_path)
    (tmp_path / "gone").mkdir()
    script = f'cd {tmp_path}/gone && rmdir {tmp_path}/gone && exec "$@"'
    for cwd in (str(player.repo), "", "relative"):
        data = json.dumps(event(player, "PreToolUse", cwd=cwd)).encode()
        assert_silent(data, player.environ, ["sh", "-c", script, "sh", *ARGV])
        (tmp_path / "gone").mkdir(exist_ok=True)


def interpreters(*versions: str) -> list[Any]:
    found = sorted(Path("~/.pyenv/versions").expanduser().glob("*/bin/python3"))
    chosen = [p for v in versions for p in found if p.parts[-3].startswith(v + ".")]
    return [pytest.param(str(p), id=p.parts[-3]) for p in chosen] or [pytest.param("", marks=pytest.mark.skip("none here"))]


@pytest.mark.parametrize("python", interpreters("3.6", "3.7", "3.8"))
def test_an_interpreter_that_is_too_old_is_silent(python: str, tmp_path: Path) -> None:
    player = session(tmp_path)
    argv = [python, *ARGV[1:]]
    for name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        assert_silent(json.dumps(event(player, name, error="Exit code 1\nx")).encode(), player.environ, argv)
    assert_silent(json.dumps({**PAYLOADS["user-prompt-expansion"], "cwd": str(player.repo)}).encode(), player.environ, argv)
    assert not os.path.exists(store_of(player).folder)
    status, out, problem, _ = hook(b"", player.environ, [*argv, "status"])
    assert (status, out, problem) == (1, b"", b"flaky-memory needs Python 3.9 or newer\n")


@pytest.mark.parametrize("python", interpreters("3.9", "3.10", "3.11", "3.12", "3.13", "3.14"))
def test_every_interpreter_that_is_new_enough_works(python: str, tmp_path: Path) -> None:
    player = session(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(python)
    hooks = player.matching
    player.matching = lambda e, p: ([python, *argv[1:]] for argv in hooks(e, p))  # type: ignore[method-assign]
    assert flip(player) == {"go:TestFlip": "2/3"}


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP] if os.name != "nt" else [])
def test_a_hook_that_is_ended_leaves_the_store_as_it_was(number: int, tmp_path: Path) -> None:
    player = session(tmp_path)
    run(player, "TestA", False)
    before = Path(store_of(player).path).read_bytes()
    started = player.start("go test ./...", {})
    with subprocess.Popen(ARGV, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=player.environ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps({**started, "hook_event_name": "PostToolUse"}).encode())
        process.stdin.flush()
        process.send_signal(number)
        process.wait(10)
    assert Path(store_of(player).path).read_bytes() == before
    assert run(player, "TestA", True) == {}
