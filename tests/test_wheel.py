"""The wheel holds every module and nothing else, and gives a command that works."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import flaky_memory
from flaky_memory import manual
from tests.conftest import ROOT

BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
MODULES = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "flaky_memory").rglob("*.py"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the tree, so that what a build leaves behind does not lie in it."""
    base = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, base / "copy", ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info"))
    argv = [sys.executable, "-c", BUILD, str(base)]
    done = subprocess.run(argv, cwd=base / "copy", capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = base.glob("*.whl")
    return built


def test_holds_every_module_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert MODULES
    assert sorted(n for n in names if ".dist-info/" not in n) == MODULES
    about = sorted(n.partition(".dist-info/")[2] for n in names if ".dist-info/" in n)
    assert about == ["METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt"]


def test_says_what_it_is(wheel: Path) -> None:
    assert wheel.name == f"flaky_memory-{flaky_memory.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("/METADATA")]
        about = email.message_from_bytes(archive.read(name))
    assert (about["Name"], about["Version"]) == ("flaky-memory", flaky_memory.__version__)
    assert (about["Requires-Python"], about.get_all("Requires-Dist")) == (">=3.9", None)
    assert str(about.get_payload()).startswith("# flaky-memory\n")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the wheel is installed to."""
    target = tmp_path_factory.mktemp("installed")
    argv = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps", "--target"]
    done = subprocess.run([*argv, str(target), str(wheel)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def flaky_memory_command(installed: Path, home: Path, *words: str, data: str = "") -> str:
    """What the installed command prints; its own folder alone is on the module path."""
    script = installed / ("Scripts" if os.name == "nt" else "bin") / "flaky-memory"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "CLAUDE", "PYTHON"))}
    environ = {**kept, "PYTHONPATH": str(installed), "HOME": str(home)}
    done = subprocess.run(
        [str(script), *words], cwd=home, env=environ, input=data, capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    return done.stdout + done.stderr


def test_command_knows_the_same_words(installed: Path, tmp_path: Path) -> None:
    assert flaky_memory_command(installed, tmp_path, "--version") == f"flaky-memory {flaky_memory.__version__}\n"
    listed = flaky_memory_command(installed, tmp_path, "--help")
    assert [word for word in manual.PAGES if f"\n    {word}" not in listed] == []


def test_command_does_the_main_job(installed: Path, tmp_path: Path) -> None:
    shown = flaky_memory_command(installed, tmp_path, "demo")
    assert "failed 2 of 3 runs in the last 7 days and both passed and failed on the same code once" in shown


def test_status_line_that_it_writes_starts_the_installed_program(installed: Path, tmp_path: Path) -> None:
    flaky_memory_command(installed, tmp_path, "statusline", "--install", data="y\n")
    written = (tmp_path / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert f"python3 -I -S {installed / 'flaky_memory' / '__main__.py'} statusline" in written
