"""The command that runs some tests again: what it is for each tool, that no name gets out of its word, and
that it runs the test."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flaky_memory import command, rerun, runners, selection, shell
from flaky_memory.model import TestId
from tests.rerun_rows import built

PACKAGE = {"package.json": '{"scripts": {"test": "jest --ci", "unit-test": "vitest", "both-test": "jest && mocha"}}'}
MODULE = {"go.mod": "module ex.com/app\n"}


def py(name: str) -> list[tuple[str, str | None, str, str]]:
    return [("pytest", None, name, "")]


def ut(name: str) -> list[tuple[str, str | None, str, str]]:
    return [("unittest", None, name, "")]


def go(*names: str, scope: str = "ex.com/app/q") -> list[tuple[str, str | None, str, str]]:
    return [("go", scope, name, "") for name in names]


def js(*names: str, scope: str | None = "web/a.test.js", runner: str = "js") -> list[tuple[str, str | None, str, str]]:
    return [(runner, scope, name, "") for name in names]


# id: (typed, tests, the command, more for `built`)
ROWS: dict[str, Any] = {
    "pytest": ("pytest -q", py("tests/test_a.py::test_x"), "pytest 'tests/test_a.py::test_x'", {}),
    "pytest-printing-goes": ("python -m pytest -x -vv --tb=short --cov=app -k a tests", py("tests/test_a.py::test_x"), "python -m pytest 'tests/test_a.py::test_x'", {}),
    "pytest-settings-stay": ("TZ=UTC uv run pytest -n 4 -p no:randomly -m 'not slow'", py("tests/test_a.py::T::test_x[a b]"), "TZ=UTC uv run pytest -n 4 -p no:randomly 'tests/test_a.py::T::test_x[a b]'", {}),
    "pytest-moved": ("cd api && pytest", py("api/tests/test_a.py::test_x"), "cd api && pytest 'tests/test_a.py::test_x'", {}),
    "pytest-from-elsewhere": ("pytest", py("api/test_a.py::test_x"), "cd api && pytest 'test_a.py::test_x'", {"cwd": "api", "here": "."}),
    "pytest-above": ("pytest ../tests", py("tests/test_a.py::test_x"), "pytest '../tests/test_a.py::test_x'", {"cwd": "api"}),
    "pytest-quote": ("pytest", py("tests/test_a.py::test_x[it's $(x)]"), "pytest 'tests/test_a.py::test_x[it'\"'\"'s $(x)]'", {}),
    "pytest-dash": ("pytest", py("-a_test.py::test_x"), "pytest './-a_test.py::test_x'", {}),
    "pytest-two": ("pytest", py("a_test.py::test_x") + py("b_test.py::test_y"), "pytest 'a_test.py::test_x' 'b_test.py::test_y'", {}),
    "pytest-bracket-in-a-path": ("pytest", py("tests/[a]_test.py::test_x"), "", {}),
    "pytest-no-file": ("pytest", py("tests/test_a.py::test_x"), "", {"files": {}}),
    "pytest-absolute": ("pytest", py("/tmp/test_a.py::test_x"), "", {}),
    "pytest-line-break": ("pytest", py("tests/test_a.py::test_x[a\nb]"), "", {}),
    "pytest-variable": ("pytest $ARGS", py("tests/test_a.py::test_x"), "pytest 'tests/test_a.py::test_x'", {}),
    "pytest-variable-of-a-setting": ("pytest -n $N", py("tests/test_a.py::test_x"), "", {}),
    "pytest-variable-in-the-environment": ("TZ=$X pytest", py("tests/test_a.py::test_x"), "", {}),
    "pytest-value-of-an-option": ("pytest -q --browser firefox tests", py("tests/test_a.py::test_x"), "pytest --browser firefox 'tests/test_a.py::test_x'", {}),
    "pytest-value-of-an-unknown-option": ("pytest -q --env staging tests", py("tests/test_a.py::test_x"), "", {}),
    "pytest-unknown-option": ("pytest -q tests --env=staging --flag", py("tests/test_a.py::test_x"), "pytest --env=staging --flag 'tests/test_a.py::test_x'", {}),
    "pytest-nix": ("nix develop -c pytest", py("tests/test_a.py::test_x"), "", {}),
    "pytest-xargs": ("ls | xargs pytest", py("tests/test_a.py::test_x"), "", {}),
    "pytest-too-long-a-name": ("pytest", py("tests/test_a.py::test_x[" + "a" * 380 + "\u20260123456789abcdef]"), "", {}),
    "unittest": ("python -m unittest -v", ut("tests.test_a.TestA.test_x"), "python -m unittest 'tests.test_a.TestA.test_x'", {}),
    "unittest-of-a-subtest": ("python3 -m unittest tests.test_a", ut("tests.test_a.TestA.test_x (i=1)"), "python3 -m unittest 'tests.test_a.TestA.test_x'", {}),
    "unittest-discover": ("python -m unittest discover", ut("tests.test_a.TestA.test_x"), "python -m unittest discover -v -k 't*ests.test_a.TestA.test_x'", {}),
    "unittest-discover-in-a-folder": ("python -m unittest discover -s tests -p '*_t.py' -q", ut("a_t.TestA.test_x"), "python -m unittest discover -s tests -p '*_t.py' -v -k 'a*_t.TestA.test_x'", {}),
    "unittest-discover-by-place": ("python -m unittest discover tests", ut("test_a.TestA.test_x"), "python -m unittest discover tests -v -k 't*est_a.TestA.test_x'", {}),
    "unittest-of-a-class": ("python -m unittest", ut("setUpClass (tests.test_a.TestA)"), "", {}),
    "unittest-hostile": ("python -m unittest", ut("tests.test_a.TestA.$(x)"), "", {}),
    "go": ("go test ./...", go("TestX"), "go test -count=1 -run '^TestX$' ./q", {"files": MODULE}),
    "go-settings-stay": ("GOFLAGS=-mod=mod go test -race -v -tags a -timeout 9s -count=5 ./...", go("TestX"), "GOFLAGS=-mod=mod go test -race -tags a -count=1 -run '^TestX$' ./q", {"files": MODULE}),
    "go-two": ("go test ./...", go("TestX", "TestY"), "go test -count=1 -run '^(TestX|TestY)$' ./q", {"files": MODULE}),
    "go-subtest": ("go test ./...", go("TestX/a_(b)/$c"), "go test -count=1 -run '^TestX$/^a_\\(b\\)$/^\\$c$' ./q", {"files": MODULE}),
    "go-test-and-its-subtest": ("go test ./...", go("TestX/a", "TestX"), "go test -count=1 -run '^TestX$' ./q", {"files": MODULE}),
    "go-two-packages": ("go test ./...", [*go("TestX"), *go("TestX", scope="ex.com/app")], "go test -count=1 -run '^TestX$' ./q && go test -count=1 -run '^TestX$' .", {"files": MODULE}),
    "go-four-packages": ("go test ./...", [t for s in "abcd" for t in go("TestX", scope="ex.com/app/" + s)], "", {"files": MODULE}),
    "go-no-module": ("go test ./...", go("TestX"), "go test -count=1 -run '^TestX$' ex.com/app/q", {}),
    "go-below": ("cd q && go test .", go("TestX"), "cd q && go test -count=1 -run '^TestX$' .", {"files": {**MODULE, "q/a.go": ""}}),
    "go-no-package": ("go test ./...", [("go", None, "TestX", "")], "", {"files": MODULE}),
    "go-of-files": ("go test a_test.go", go("TestX", scope="command-line-arguments"), "", {"files": MODULE}),
    "go-own-flag": ("go test ./... -db=my", go("TestX"), "", {"files": MODULE}),
    "go-value": ("go test -pgo off ./...", go("TestX"), "go test -pgo off -count=1 -run '^TestX$' ./q", {"files": MODULE}),
    "go-long-dashes": ("go test --race --tags a ./...", go("TestX"), "go test --race --tags a -count=1 -run '^TestX$' ./q", {"files": MODULE}),
    "go-moved": ("go test -C q .", go("TestX"), "", {"files": MODULE}),
    "go-fuzz": ("go test -fuzz=Fuzz ./q", go("FuzzX"), "", {"files": MODULE}),
    "go-args": ("go test ./q -args -x", go("TestX"), "", {"files": MODULE}),
    "gotestsum": ("gotestsum --format dots -- -race ./...", go("TestX"), "gotestsum -- -count=1 -run '^TestX$' ./q -race", {"files": MODULE}),
    "gotestsum-bare": ("gotestsum", go("TestX"), "gotestsum -- -count=1 -run '^TestX$' ./q", {"files": MODULE}),
    "gotestsum-of-packages": ("gotestsum --packages=./... --rerun-fails", go("TestX"), "", {"files": MODULE}),
    "jest": ("npx jest", js("sync > settles"), "npx jest --runTestsByPath web/a.test.js -t '^\\s*sync\\s+([>\u203a] )?settles\\s*$'", {}),
    "jest-of-a-script": ("cd web && npm test -- -i", js("x"), "cd web && npx jest --ci -i --runTestsByPath a.test.js -t '^\\s*x\\s*$'", {"files": {"web/" + k: v for k, v in {**PACKAGE, "a.test.js": ""}.items()}}),
    "jest-with-patterns": ("npx jest a -t x --testPathIgnorePatterns b --forceExit", js("x"), "npx jest --forceExit --runTestsByPath web/a.test.js -t '^\\s*x\\s*$'", {}),
    "jest-two": ("npx jest", js("x", "y"), "npx jest --runTestsByPath web/a.test.js -t '^\\s*(x|y)\\s*$'", {}),
    "jest-hostile": ("npx jest", js("a | b (c) `d` $e"), "npx jest --runTestsByPath web/a.test.js -t '^\\s*a \\| b \\(c\\) `d` \\$e\\s*$'", {}),
    "jest-no-file": ("npx jest", js("x", scope=None), "", {}),
    "jest-no-title": ("npx jest", js("a > "), "", {}),
    "jest-more-lines": ("npx jest", js("x"), "", {"files": {"web/a.test.js": "test('x\\n y', f)"}}),
    "jest-in-another-root": ("npx jest --rootDir web", js("x"), "", {}),
    "script-of-several": ("npm run both-test", js("x"), "", {"files": {**PACKAGE, "web/a.test.js": ""}}),
    "script-of-no-one": ("npm test", js("x"), "", {}),
    "vitest": ("npx vitest run --reporter=dot", js("x"), "npx vitest run web/a.test.js -t '^\\s*x\\s*$'", {}),
    "vitest-that-watches": ("npx vitest --pool=forks", js("x"), "npx vitest run --pool=forks web/a.test.js -t '^\\s*x\\s*$'", {}),
    "vitest-of-a-script": ("npm run unit-test", js("x"), "npx vitest run web/a.test.js -t '^\\s*x\\s*$'", {"files": {**PACKAGE, "web/a.test.js": ""}}),
    "vitest-in-another-root": ("npx vitest run --root web", js("x"), "", {}),
    "bun": ("bun test --timeout 9 a", js("x"), "bun test --timeout 9 ./web/a.test.js -t '^\\s*x\\s*$'", {}),
    "mocha": ("npx mocha -R dot --exit web/a.test.js", js("a > b", scope=None, runner="mocha"), "npx mocha --exit web/a.test.js --fail-zero -g '^\\s*a\\s+([>\u203a] )?b\\s*$'", {}),
    "mocha-with-a-file": ("npx mocha web", js("x", runner="mocha"), "npx mocha web/a.test.js --fail-zero -g '^\\s*x\\s*$'", {}),
    "mocha-variable": ("npx mocha $FILES", js("x", scope=None, runner="mocha"), "", {}),
    "node": ("node --test --test-reporter=tap web", js("a > b", runner="node"), "node --test --test-name-pattern '^\\s*(a > )?b\\s*$' web/a.test.js", {}),
    "node-script": ("node web/a.test.js", js("x", runner="node"), "node --test-name-pattern '^\\s*x\\s*$' web/a.test.js", {}),
    "node-glob-in-a-path": ("node --test", js("x", scope="web/[a].test.js", runner="node"), "", {}),
    "node-control-character": ("node --test", js("x\\ny", runner="node"), "", {}),
    "deno": ("deno test -A --no-check web", js("a/b > step", runner="deno"), "deno test -A --no-check --filter '/^\\s*a\\/b( > step)?\\s*$/' ./web/a.test.js", {}),
    "ava": ("npx ava --serial", js("-x > y", runner="ava"), "npx ava --serial web/a.test.js '--match=-x > y'", {}),
    "ava-star": ("npx ava", js("a * b", runner="ava"), "", {}),
    "ava-no-file": ("npx ava", js("x", scope="web", runner="ava"), "", {"files": {"web/a.test.js": ""}}),
    "another-tool": ("tox", py("tests/test_a.py::test_x"), "", {}),
}  # fmt: skip


@pytest.mark.parametrize("typed, tests, expected, more", list(ROWS.values()), ids=list(ROWS))
def test_command(typed: str, tests: Any, expected: str, more: dict[str, Any]) -> None:
    line = built(typed, tests, **more)
    assert line == expected
    for part, own in zip(line.split(" && ") if line else [], expected.split(" && ")):
        assert shlex.split(part) == shlex.split(own)
        assert [w for w in shlex.split(part) if "\n" in w] == []


# -- hostile names

TYPED = {
    "go": "go test ./...", "gotestsum": "gotestsum", "pytest": "pytest", "unittest": "python -m unittest", "jest": "npx jest",
    "vitest": "npx vitest run", "bun": "bun test", "mocha": "npx mocha", "node": "node --test", "node script": "node a.test.js",
    "deno": "deno test", "ava": "npx ava", "cargo": "cargo test", "nextest": "cargo nextest run", "phpunit": "vendor/bin/phpunit",
    "rspec": "rspec", "mix": "mix test", "ctest": "ctest", "dotnet": "dotnet test", "maven": "mvn test", "gradle": "gradle test",
    "ruby": "ruby -Itest test/a_test.rb", "minitest": "ruby -Itest test/a_test.rb",
}  # fmt: skip
_PIECES = st.sampled_from(["$(x)", "`x`", "'", '"', "\\", " ", "; x", "| x", "&& x", "& x", "> x", " > ", "\n", "-x", "--", "#", "!", "*", "{a,b}", "~", "::", "[a]", "(a)", "/", "${x}", "$x", "\u203a", "a", "TestX", "test_x"])  # fmt: skip
NAMES = st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=8).map("".join))


@pytest.mark.parametrize("tool", list(rerun._BUILDERS))
@settings(deadline=None, max_examples=150)
@given(name=NAMES, scope=st.one_of(st.none(), NAMES), place=st.one_of(st.just(""), NAMES))
def test_no_name_gets_out_of_its_word(tool: str, name: str, scope: str | None, place: str) -> None:
    invocation = command.read(TYPED[tool]).invocations[0]
    assert invocation.tool == tool and invocation.runners
    start = shlex.split(TYPED[tool])[0]
    for whole in (name, "tests/test_a.py::" + name, "tests.test_a.TestA." + name):
        test = TestId(runners.TABLE[invocation.runners[0]].prefix, scope, whole)
        ways = rerun.Ways(invocation, selection.Surroundings("", top="/top"), "/top", "/top", False, {test: place})
        line = rerun.command([test], ways)
        if line:
            assert line.isprintable() and len(line) <= rerun.LONGEST
            node = simple_command(line)
            assert [w.text for w in node.words] == shlex.split(line)
            assert node.words[0].text == start
            assert not any(w.dynamic or w.inner for w in node.words) and not node.redirects


def simple_command(line: str) -> shell.Simple:
    """The one command that a line is."""
    ((node, end),) = shell.parse(line).items
    assert isinstance(node, shell.Simple) and not end
    return node


@settings(deadline=None)
@given(names=st.lists(NAMES, min_size=1, max_size=3, unique=True))
def test_as_many_commands_as_files(names: list[str]) -> None:
    tests = [TestId("js", f"{at}.test.js", name) for at, name in enumerate(names)]
    invocation = command.read("npx jest").invocations[0]
    line = rerun.command(tests, rerun.Ways(invocation, selection.Surroundings("", top="/t"), "/t", "/t"))
    if line:
        ((node, _),) = shell.parse(line).items
        parts = [node.first, *(n for _, n in node.rest)] if isinstance(node, shell.AndOr) else [node]
        assert len(parts) == len(names) and all(isinstance(p, shell.Simple) for p in parts)


# -- run for real

PYTEST = """import os, pytest
def note(name):
    with open("ran.log", "a", encoding="utf-8") as log:
        log.write(name + "\\n")
    assert not os.path.exists("broken")
VALUES = ["plain", "it's", "$(touch pwned)", "`touch pwned`", "(a) [b] {c}", "a::b", "x > y;z", "-k", "back\\\\slash", "\u65e5\u672c"]
@pytest.mark.parametrize("value", VALUES, ids=lambda v: v)
def test_value(value): note("test_value[" + value + "]")
def test_value_of_another(): note("test_value_of_another")
class TestA:
    def test_value(self): note("TestA::test_value")
"""
UNITTEST = """import os, unittest
class TestA(unittest.TestCase):
    def test_x(self): self.note()
    def test_xy(self): self.note()
    def note(self):
        with open("ran.log", "a") as log:
            log.write(self._testMethodName + "\\n")
        self.assertFalse(os.path.exists("broken"))
class MyTestA(unittest.TestCase):
    def test_x(self): open("ran.log", "a").write("another\\n")
"""
GO = """package q
import ("os"; "testing")
func note(t *testing.T) {
	log, _ := os.OpenFile("../ran.log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0644)
	log.WriteString(t.Name() + "\\n")
	log.Close()
	if _, err := os.Stat("../broken"); err == nil { t.Fail() }
}
func TestX(t *testing.T) { note(t) }
func TestXY(t *testing.T) { note(t) }
func TestTable(t *testing.T) {
	for _, name := range []string{"a", "a b", "it's $(x)", "c/b", "(c) [d]|e", "*"} { t.Run(name, note) }
}
"""


def runs(line: str, top: Path, broken: bool) -> tuple[int, list[str]]:
    """Run a command in Bash: its exit status, and the tests that wrote their names."""
    (top / "ran.log").unlink(missing_ok=True)
    (top / "broken").touch() if broken else (top / "broken").unlink(missing_ok=True)
    environ = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    environ.pop("PYTEST_ADDOPTS", None)
    environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(["bash", "-c", line], cwd=top, env=environ, capture_output=True, timeout=300)
    ran = (top / "ran.log").read_text(encoding="utf-8").splitlines() if (top / "ran.log").exists() else []
    return done.returncode, ran


def check(typed: str, test: tuple[str, str | None, str, str], files: dict[str, str], top: Path, name: str) -> None:
    """The command that is built runs the named test alone, and ends as the test does."""
    for path, text in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text, encoding="utf-8")
    line = built(typed, [test], files=files)
    failed, ran = runs(line, top, True)
    assert failed != 0 and ran == [name]
    assert runs(line, top, False) == (0, [name])
    assert runs(line, top, False) == (0, [name])  # and no cache answers for it
    assert not (top / "pwned").exists()


@pytest.fixture
def bash() -> None:
    if os.name == "nt" or not shutil.which("bash"):
        pytest.skip("needs Bash")


VALUES = ["plain", "it's", "$(touch pwned)", "`touch pwned`", "(a) [b] {c}", "a::b", "x > y;z", "-k"]


@pytest.mark.parametrize("name", [*(f"test_value[{v}]" for v in VALUES), "test_value_of_another", "TestA::test_value"])
def test_pytest_for_real(name: str, tmp_path: Path, bash: None) -> None:
    files = {"my tests/test_a.py": PYTEST, "pytest.ini": "[pytest]\n"}
    check("python -m pytest -q", ("pytest", None, "my tests/test_a.py::" + name, ""), files, tmp_path, name)


@pytest.mark.parametrize("typed", ["python -m unittest", "python -m unittest discover -v", "python -m unittest discover tests", "python -m unittest discover -s tests -t ."])  # fmt: skip
@pytest.mark.parametrize("name", ["test_x", "test_xy"])
def test_unittest_for_real(typed: str, name: str, tmp_path: Path, bash: None) -> None:
    files = {"tests/test_a.py": UNITTEST, "tests/__init__.py": ""}
    folder = "" if typed.endswith(" tests") else "tests."
    check(typed, ("unittest", None, f"{folder}test_a.TestA.{name}", ""), files, tmp_path, name)


@pytest.mark.parametrize("name", ["TestX", "TestTable/a", "TestTable/a_b", "TestTable/it's_$(x)", "TestTable/c/b", "TestTable/(c)_[d]|e", "TestTable/*"])  # fmt: skip
def test_go_for_real(name: str, tmp_path: Path, bash: None) -> None:
    if not shutil.which("go"):
        pytest.skip("needs Go")
    files = {"go.mod": "module ex.com/app\n\ngo 1.18\n", "q/q_test.go": GO}
    check("go test ./...", ("go", "ex.com/app/q", name, ""), files, tmp_path, name)
