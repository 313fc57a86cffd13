"""The whole loop in the real Claude Code client."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, git, write
from tests.e2e.driver import Client, Session

INSTRUCTION = ". It may be flaky rather than broken by this change: run it again before you change code for it."


def told(test: str, rerun: str = "") -> list[str]:
    """What the model reads of a test that fails, passes and fails again."""
    passed = (
        f"flaky-memory: {test} passed on the same code on which it failed: "
        "no change of the code in between fixed it, so it may be flaky. Do not report it as fixed."
    )
    return [passed, finding(test) + INSTRUCTION + (f"\nTo run it again: {rerun}" if rerun else "")]


def notices(test: str) -> list[str]:
    """What the person reads of it."""
    return [
        "PostToolUse:Bash says: " + finding(test, 1, 2),
        "PostToolUseFailure:Bash says: " + finding(test),
    ]


def finding(test: str, failed: int = 2, runs: int = 3) -> str:
    return (
        f"flaky-memory: {test} failed {failed} of {runs} runs in the last 7 days "
        "and both passed and failed on the same code once"
    )


def status(repo: Path) -> dict[str, Any]:
    """What `status --json` says of a repository."""
    argv = [sys.executable, str(ROOT / "flaky_memory" / "__main__.py"), "status", "--json"]
    found: dict[str, Any] = json.loads(subprocess.run(argv, cwd=repo, capture_output=True, check=True).stdout)
    return found


def decisions(repo: Path) -> list[str]:
    """Why each test command in a repository was recorded or not, the oldest first."""
    log = repo / ".git" / "flaky-memory" / "decisions.log"
    return [json.loads(line)[1] for line in log.read_text().splitlines()]


def contexts(session: Session) -> list[list[str]]:
    return [r.contexts for r in session.results]


def test_go_fails_passes_fails(client: Client, go_repo: Path) -> None:
    session = client.session(go_repo, *["go test -count=1 ./..."] * 3, plugin=ROOT)
    assert [r.is_error for r in session.results] == [True, False, True], session
    assert contexts(session) == [[], [], told("go:TestFlip", "go test -count=1 -run '^TestFlip$' .")]
    assert session.notices == notices("go:TestFlip")


def test_pytest_fails_passes_fails(client: Client, python_repo: Path) -> None:
    session = client.session(python_repo, *["pytest -q test_flip.py"] * 3, plugin=ROOT)
    test = "pytest:test_flip.py::test_flip"
    assert contexts(session) == [[], [], told(test, "pytest 'test_flip.py::test_flip'")], session
    assert session.notices == notices(test)


def test_one_run_however_often_a_hook_is_delivered(client: Client, python_repo: Path) -> None:
    """The client cannot read a command with `${...}`, and starts the hook once for each filter."""
    session = client.session(python_repo, *["pytest -q ${NOTHING:-test_flip.py}"] * 3, plugin=ROOT)
    test = "pytest:test_flip.py::test_flip"
    assert contexts(session) == [[], [], told(test, "pytest 'test_flip.py::test_flip'")], session
    assert session.notices == notices(test)
    assert decisions(python_repo) == ["recorded", "recorded", "recorded"]


# -- where


def test_directory_moves_with_the_command(client: Client, python_repo: Path) -> None:
    """After `cd sub` the session stays in sub when the command passed, and PostToolUse says so."""
    calls = ["cd sub && pytest -q test_under.py", "cd sub && pytest -q test_under.py", "pytest -q test_under.py"]
    session = client.session(python_repo, *calls, plugin=ROOT)
    assert contexts(session) == [[], [], told("pytest:sub/test_under.py::test_flip", "pytest 'test_under.py::test_flip'")], session


def test_tests_of_another_repository(client: Client, python_repo: Path, go_repo: Path) -> None:
    """The client takes the session back to its own directory; the runs belong to where the tests are."""
    session = client.session(go_repo, *[f"cd {python_repo} && pytest -q test_flip.py"] * 3, plugin=ROOT)
    again = f"cd {python_repo} && pytest 'test_flip.py::test_flip'"
    assert contexts(session)[2] == told("pytest:test_flip.py::test_flip", again), session
    assert (status(python_repo)["seen"], status(go_repo)["seen"]) == (1, 0)


def test_session_moves_on_to_another_repository(client: Client, python_repo: Path, go_repo: Path) -> None:
    """PostToolUse then names the other repository, and the run still belongs to the first."""
    calls = ["pytest -q test_flip.py", f"pytest -q test_flip.py && cd {go_repo}", f"cd {python_repo} && pytest -q test_flip.py"]
    session = client.session(python_repo, *calls, plugin=ROOT, options=("--add-dir", str(go_repo)))
    assert decisions(python_repo) == ["recorded"] * 3, session
    again = f"cd {python_repo} && pytest 'test_flip.py::test_flip'"
    assert contexts(session)[2] == told("pytest:test_flip.py::test_flip", again), session


# -- what is not recorded


def test_background_and_timeout(client: Client, python_repo: Path) -> None:
    calls: list[dict[str, Any]] = [
        {"command": "pytest -q test_flip.py", "description": "b", "run_in_background": True},
        {"command": "pytest -q test_flip.py; sleep 20", "description": "t", "timeout": 2500},
    ]
    session = client.session(python_repo, *calls, plugin=ROOT)
    assert len(session.results) == 2, session
    assert decisions(python_repo) == ["in-background", "in-background"]
    assert status(python_repo)["seen"] == 0


def test_outside_git(client: Client, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    session = client.session(bare, "pytest -q -p no:cacheprovider", plugin=ROOT)
    assert contexts(session) == [[]]
    assert list(bare.iterdir()) == [], session


# -- the slash command


def test_slash_command_asks_no_model(client: Client, go_repo: Path) -> None:
    client.session(go_repo, *["go test -count=1 ./..."] * 3, plugin=ROOT)
    listed = client.session(go_repo, prompt="/flaky-memory", plugin=ROOT)
    assert listed.requests == 0
    assert listed.text.splitlines()[-1] .startswith("go:TestFlip · failed 2/3 · same code once"), listed
    unknown = client.session(go_repo, prompt="/flaky-memory reset go:TestX", plugin=ROOT)
    assert (unknown.requests, unknown.text.splitlines()[-1]) == (0, "no runs are stored for go:TestX")
    reset = client.session(go_repo, prompt="/flaky-memory reset go:TestFlip", plugin=ROOT)
    assert (reset.requests, reset.text.splitlines()[-1]) == (0, "forgot the runs of go:TestFlip")
    assert status(go_repo)["seen"] == 0


def test_slash_command_where_the_hook_does_not_exist(client: Client, go_repo: Path, tmp_path: Path) -> None:
    """The skill's own text then tells the model what to run."""
    plugin = clone_of_this(tmp_path)
    path = plugin / "hooks" / "hooks.json"
    document = json.loads(path.read_text())
    del document["hooks"]["UserPromptExpansion"]
    path.write_text(json.dumps(document))
    session = client.session(go_repo, prompt="/flaky-memory reset go:TestX", plugin=plugin)
    assert session.requests == 1
    assert f'python3 -I -S "{plugin}/flaky_memory/__main__.py" ARGUMENTS' in session.asked, session.asked
    assert "The arguments are: reset go:TestX" in session.asked


# -- the package


def test_validates_for_the_directory(client: Client) -> None:
    done = client.command("plugin", "validate", ".", "--profile", "directory", "--strict", cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [line for line in done.stdout.splitlines() if line.startswith(("\u2718", "\u26a0"))], done.stdout


def test_installs_from_a_clone(client: Client, python_repo: Path, tmp_path: Path) -> None:
    """The commands of the README, in the order in which it gives them."""
    clone_of_this(tmp_path)
    for arguments in (("marketplace", "add", "./flaky-memory"), ("install", "flaky-memory@flaky-memory")):
        done = client.command("plugin", *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    session = client.session(python_repo, *["pytest -q test_flip.py"] * 3)
    assert contexts(session)[2] == told("pytest:test_flip.py::test_flip", "pytest 'test_flip.py::test_flip'"), session
    listed = client.session(python_repo, prompt="/flaky-memory")
    assert listed.requests == 0
    assert listed.text.splitlines()[-1].startswith("pytest:test_flip.py::test_flip · failed 2/3 · same code once"), listed
    removed = client.command("plugin", "uninstall", "flaky-memory@flaky-memory", cwd=tmp_path)
    assert removed.returncode == 0, removed.stdout + removed.stderr
    unknown = client.session(python_repo, prompt="/flaky-memory")
    assert (unknown.requests, "flaky_memory/__main__.py" in unknown.asked) == (1, False), unknown  # typed text, no more


def clone_of_this(tmp_path: Path) -> Path:
    """A clone of the working tree as it is, with what is not committed yet."""
    source, clone = tmp_path / "source", tmp_path / "flaky-memory"
    names = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    write(source, {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()})
    git(source, "init", "-q")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "all")
    git(tmp_path, "clone", "-q", str(source), str(clone))
    return clone
