"""The real client, and repositories with a test whose outcome depends on something beside the code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import git, write
from tests.e2e import driver

GO_MOD = "module example.com/app\n\ngo 1.18\n"
GO_TEST = """\
package app

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestFlip(t *testing.T) {
	text, _ := os.ReadFile("../turn")
	turn, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	os.WriteFile("../turn", []byte(strconv.Itoa(turn+1)), 0o644)
	if turn%2 == 0 {
		t.Fatal("the reply came too late")
	}
}
"""
PYTHON_TEST = """\
import pathlib

TURN = pathlib.Path(__file__).resolve().parents[DEPTH] / "turn"


def test_flip():
    turn = int(TURN.read_text())
    TURN.write_text(str(turn + 1))
    assert turn % 2 == 1, "the reply came too late"
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("e2e")


@pytest.fixture(scope="session")
def executable() -> Path:
    """The pinned client. Where it cannot be had the tests fail; they are never skipped."""
    try:
        return driver.install()
    except driver.Unavailable as problem:
        pytest.fail(str(problem))


@pytest.fixture
def client(executable: Path, tmp_path: Path) -> driver.Client:
    """The client in a new home; its Bash finds the pytest that runs these tests, and a warm Go cache."""
    environ = {
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
        "GOCACHE": str(driver.cache() / "go-build"), "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local",
    }  # fmt: skip
    return driver.Client(executable, tmp_path / "home", environ)


def commit(top: Path, files: dict[str, str | bytes]) -> Path:
    """A repository with these files in one commit, and the turn of its flaky test beside it."""
    top.mkdir(parents=True)
    git(top, "init", "-q")
    write(top, {".gitignore": "__pycache__/\n.pytest_cache/\n", **files})
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "start")
    (top.parent / "turn").write_text("0")
    return top


@pytest.fixture
def go_repo(tmp_path: Path) -> Path:
    return commit(tmp_path / "go" / "app", {"go.mod": GO_MOD, "flip_test.go": GO_TEST})


@pytest.fixture
def python_repo(tmp_path: Path) -> Path:
    """A flaky test at the top, and the same in `sub`."""
    files: dict[str, str | bytes] = {
        "test_flip.py": PYTHON_TEST.replace("DEPTH", "1"), "sub/test_under.py": PYTHON_TEST.replace("DEPTH", "2"),
    }  # fmt: skip
    return commit(tmp_path / "python" / "app", files)
