"""Who may import what, how long functions are, and that the documents name what exists."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from flaky_memory import runners
from tests import corpus
from tests.conftest import ROOT, git
from tests.player import Player

PACKAGE = ROOT / "flaky_memory"
MODULES = sorted(PACKAGE.rglob("*.py"))
INPUT_OUTPUT = {"os", "subprocess", "time", "io", "socket", "threading", "_thread", "shutil", "datetime"}
SLOW = {"argparse", "dataclasses", "logging", "pathlib", "typing", "tempfile", "datetime"}
# What each module never imports, the table of the design.
NEVER = {
    "runners/*": {"os", "subprocess", "time", "flaky_memory.store", "flaky_memory.git"},
    **{n: INPUT_OUTPUT | {"flaky_memory.store", "flaky_memory.git"} for n in ("history", "verdict", "message", "model", "fingerprint", "selection", "options")},
    **{n: {"subprocess", "flaky_memory.store", "flaky_memory.git"} for n in ("shell", "command", "tools", "effects")},
    **{n: {"flaky_memory.runners", "flaky_memory.history", "flaky_memory.verdict"} for n in ("git", "store", "lock", "repository")},
}  # fmt: skip


def imported(path: Path) -> set[str]:
    """What a module imports at run time: not what stands under `if TYPE_CHECKING`."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for other in node.orelse:
                visit(other)
            return
        if isinstance(node, ast.Import):
            found.update(a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update({node.module, *(f"{node.module}.{a.name}" for a in node.names)})
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text()))
    return found


def name_of(path: Path) -> str:
    return "runners/*" if path.parent.name == "runners" else path.stem


@pytest.mark.parametrize("path", [p for p in MODULES if name_of(p) in NEVER and p.name != "__init__.py"], ids=lambda p: p.stem)
def test_never_imports(path: Path) -> None:
    assert imported(path) & NEVER[name_of(path)] == set()


@pytest.mark.parametrize("path", sorted((PACKAGE / "runners").glob("*.py")), ids=lambda p: p.stem)
def test_no_runner_imports_another(path: Path) -> None:
    others = {f"flaky_memory.runners.{row}" for row in runners.TABLE}
    assert imported(path) & others == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.stem)
def test_only_the_standard_library(path: Path) -> None:
    known = getattr(sys, "stdlib_module_names", None)
    if known is None:  # Python 3.9 has no list; the newest one checks
        return
    tops = {name.partition(".")[0] for name in imported(path)}
    assert tops <= set(known) | {"flaky_memory"}


def test_the_hooks_import_nothing_slow(tmp_path: Path) -> None:
    player = Player(tmp_path)
    top = player.repository("app", {"a.py": "1"})
    common = {"session_id": "s", "cwd": str(top), "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "pytest -q"}}
    after = {"error": "Exit code 1\nFAILED a.py::test_x - no\n1 failed in 0.1s"}
    for event in ({"hook_event_name": "PreToolUse"}, {"hook_event_name": "PostToolUseFailure", **after}):
        argv = [sys.executable, "-I", "-S", "-X", "importtime", str(PACKAGE / "__main__.py")]
        done = subprocess.run(argv, input=json.dumps({**common, **event}).encode(), capture_output=True, env=player.environ)
        names = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
        assert "flaky_memory.hook" in names
        assert names & SLOW == set()
    assert (top / ".git" / "flaky-memory" / "runs.json").exists()
    assert git(top, "status", "--short") == ""


def test_nine_functions_in_ten_are_short() -> None:
    sizes = [
        node.end_lineno - node.lineno + 1
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.end_lineno
    ]
    assert sum(size < 30 for size in sizes) >= 0.9 * len(sizes) > 100


@pytest.mark.parametrize("row", runners.TABLE)
def test_a_row_has_its_module_captures_and_line(row: str) -> None:
    prefix = runners.TABLE[row].prefix
    module = runners._module(row)
    assert prefix == module.PREFIX
    assert (ROOT / "tests" / "captures" / f"{prefix}.json").stat().st_size > 100
    assert f"`{prefix}:`" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.stem)
def test_the_oldest_python_reads_it(path: Path) -> None:
    """Hooks are silent on older ones, so the entry point keeps to what 3.6 reads."""
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 6) if path.name == "__main__.py" else (3, 9))


# -- CONTRIBUTING names what exists

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FENCED = re.findall(r"^ *```sh\n(.*?)^ *```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
SPANS = set(re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^ *```.*?^ *```$", "", CONTRIBUTING)))
# The runner of the example, which nobody has written.
EXAMPLE = {"flaky_memory/runners/spin.py", "tests/captures/spin.json"}


def defined() -> set[str]:
    """Every name that a function, class or assignment of the package or the tests gives, and every key of a case."""
    found = set(corpus.FIELDS)
    for path in [*MODULES, *(ROOT / "tests").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return found


def test_contributing_names_files_that_exist() -> None:
    named = {span for span in SPANS if re.fullmatch(r"[\w./-]+", span) and "/" in span}
    named |= set(re.findall(r"tests/\w+\.py", "".join(FENCED)))
    assert len(named) > 15
    assert {path for path in named if not (ROOT / path).exists()} == EXAMPLE


def test_contributing_names_things_that_exist() -> None:
    named = {match[1] for span in SPANS if (match := re.fullmatch(r"(\w+)(?:\([^()]*\))?(?: = .*)?", span))}
    assert {"Runner", "PREFIX", "TABLE", "_DIRECT", "OPTIONS"} <= named
    assert named - defined() == {"spin"}


def test_contributing_names_targets_and_variables_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    lines = [line for text in [*FENCED, *SPANS] for line in text.splitlines() if re.match(r"\s*(?:[A-Z_]+=\S+ )?make ", line)]
    assert len(lines) > 4
    for line in lines:
        words = shlex.split(line, comments=True)
        for word in words[words.index("make") + 1 :]:
            name, equals, _ = word.partition("=")
            assert (f"$({name})" in makefile) if equals else re.search(rf"^{name}:", makefile, re.MULTILINE), line
    fuzz = (ROOT / "tests" / "test_fuzz.py").read_text(encoding="utf-8")
    assert "FLAKY_MEMORY_FUZZ" in CONTRIBUTING and 'environ.get("FLAKY_MEMORY_FUZZ"' in fuzz
