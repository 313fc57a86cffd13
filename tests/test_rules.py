"""The rules of what a run proves: sessions that must speak and sessions that must stay silent.

A session is a list of steps: ("write", files), ("git", args...) or (command, output, exit[, more]). It
speaks when its last call's note names the test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import git
from tests.player import Player

TEST = "pytest:tests/test_a.py::test_x"
FILES = {
    "app.py": "a = 1\n", "tests/test_a.py": "def test_x(): pass\ndef test_y(): pass\n", "tests/test_b.py": "def test_x(): pass\n",
    ".gitignore": ".env*\nnode_modules/\n__pycache__/\n", "web/a.test.js": "", "sub/tests/test_a.py": "",
}  # fmt: skip


def red(*tests: str, passed: int = 2) -> str:
    """pytest -q with failures."""
    lines = [f"FAILED {t} - assert False" for t in tests or ("tests/test_a.py::test_x",)]
    head = "=========================== short test summary info ============================"
    return "\n".join(["F..   [100%]", head, *lines, f"{len(lines)} failed, {passed} passed in 0.02s"])


def green(passed: int = 3, extra: str = "") -> str:
    return f"...   [100%]\n{passed} passed{extra} in 0.01s"


RED, GREEN = ("pytest -q", red(), 1), ("pytest -q", green(), 0)
GO_RED = ("go test ./...", "--- FAIL: TestX (0.00s)\n    x_test.go:3: no\nFAIL\nFAIL\texample.com/app/q\t0.002s\nFAIL", 1)
GO_FILES = {"go.mod": "module example.com/app\n", "q/q_test.go": "package q\n", "r/r_test.go": "package r\n"}
JEST_RED = (
    "npx jest",
    "FAIL web/a.test.js\n  \u25cf sync \u203a settles\n\n    expect(received).toBe(expected)\n\nTest Suites: 1 failed, 1 total\n"
    "Tests:       1 failed, 2 passed, 3 total\nSnapshots:   0 total\nTime:        0.3 s\nRan all test suites.",
    1,
)
JEST_GREEN = "PASS web/a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\nSnapshots:   0 total\nTime:        0.3 s"


def edit(text: str, path: str = "app.py") -> tuple[str, dict[str, str]]:
    return ("write", {path: text})


def again(command: str, output: str = "", exit: int = 0, **more: Any) -> list[Any]:
    """A failure, one more command on the same code, and the failure again."""
    return [RED, (command, output, exit, more), RED]


SPEAK: dict[str, list[Any]] = {
    "rerun": [RED, GREEN, RED],
    "green-first": [GREEN, RED],
    "exit-0-behind-and": again("pytest -q > /dev/null && echo ok", "ok"),
    "exit-0-with-errexit": again("set -e; pytest -q >/dev/null; echo ok", "ok"),
    "exit-0-with-pipefail": again("set -o pipefail; pytest -q | grep -c xyz; true; pytest -q >/dev/null", ""),
    "exit-handed-on": again("pytest -q >/dev/null; rc=$?; echo done; exit $rc", "done"),
    "or-exit-1": again("pytest -q >/dev/null || exit 1", ""),
    "timeout": again("timeout 60 pytest -q", green()),
    "subshell": again("(cd tests && pytest -q >/dev/null)", ""),
    "bash-c": again("bash -c 'pytest -q' ", green()),
    "skips-as-many-as-before": [("pytest -q", red().replace("2 passed", "2 passed, 1 skipped"), 1), ("pytest -q", green(3, ", 1 skipped"), 0), ("pytest -q", red().replace("2 passed", "2 passed, 1 skipped"), 1)],
    "another-program-fails-afterwards": again("pytest -q && mypy app.py", green() + "\napp.py:1: error: no", 1),
    "summary-behind-tail": again("pytest -q 2>&1 | tail -1", "3 passed in 0.01s"),
    "summary-behind-or-true": again("pytest -q || true", green()),
    "summary-behind-echo": again("pytest -q; echo exit=$?", green() + "\nexit=0"),
    "node-id": again("pytest -q tests/test_a.py::test_x", green(1)),
    "file": again("pytest -q tests/test_a.py", green(2)),
    "folder": again("pytest -q tests/", green()),
    "keyword": again("pytest -q -k test_x", green(2, ", 1 deselected")),
    "last-failed": again("pytest -q --lf", green(1)),
    "verbose-names-it": again("pytest -v tests/test_a.py -k 'x or z'", "tests/test_a.py::test_x PASSED  [100%]\n\n====== 1 passed in 0.01s ======"),
    "python-m": again("python -m pytest -q", green()),
    "uv": [("uv run pytest -q", red(), 1), ("uv run python -m pytest", green(), 0), ("uv run pytest -q", red(), 1)],
    "below": again("cd tests && pytest -q test_a.py", green(2)),
    "harmless-variables": again("CI=1 PYTHONUNBUFFERED=1 NO_COLOR=1 pytest -q", green()),
    "harmless-options": again("pytest -vv -x --tb=short -p no:cacheprovider -q".replace(" -p no:cacheprovider", ""), green()),
    "loop": [("for i in 1 2 3; do pytest -q; done", "\n".join([red(), green(), red()]), 1)],
    "loop-of-go": [("for i in 1 2; do go test -count=1 ./q; done", GO_RED[1] + "\nok  \texample.com/app/q\t0.002s", 0)],
    "go-count-without-names": [("go test -count=4 ./...", GO_RED[1], 1)],
    "report-file": [
        ("pytest -q --junitxml=out/r.xml", red(), 1, {"during": {"out/r.xml": "1"}}),
        ("pytest -q --junitxml=out/r.xml", green(), 0, {"during": {"out/r.xml": "2"}}), RED,
    ],
    "output-file-in-the-tree": [
        ("pytest -q > out.txt 2>&1; cat out.txt", red(), 0, {"during": {"out.txt": "1"}}),
        ("pytest -q > out.txt 2>&1; cat out.txt", green(), 0, {"during": {"out.txt": "2"}}),
        ("pytest -q > out.txt 2>&1; cat out.txt", red(), 0, {"during": {"out.txt": "1"}}),
    ],
    "coverage-data": [(*RED, {"during": {".coverage": "a"}}), (*GREEN, {"during": {".coverage": "b", "htmlcov/i.html": ""}}), RED],
    "log-left": [(*RED, {"during": {"logs/test.log": "a"}}), (*GREEN, {"during": {"logs/test.log": "b"}}), RED],
    "unknown-file-left": [(*RED, {"during": {"results.dat": "a"}}), (*GREEN, {"during": {"results.dat": "b", "out/x.csv": "1"}}), RED],
    "database-left": [(*RED, {"during": {"test.db": "a"}}), (*GREEN, {"during": {"test.db": "b"}}), RED],
    "snapshot-left": [(*RED, {"during": {"__snapshots__/a.snap": "a"}}), GREEN, RED],
    "sed-before-belongs-to-the-tree-afterwards": [
        ("sed -i 's/1/2/' app.py && pytest -q", red(), 1, {"during": {"app.py": "a = 2\n"}}), GREEN, RED,
    ],
    "stash-then-later-pop": [
        edit("a = 2\n"), ("git stash -q && pytest -q", red(), 1, {"during": {"app.py": "a = 1\n"}}), GREEN, RED,
    ],
    "go-exit": [GO_RED, ("go test ./...", "ok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-run": [GO_RED, ("go test -run '^TestX$' ./q", "ok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-run-alternatives": [GO_RED, ("go test -run 'TestY|TestX' ./...", "ok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-package-from-inside": [GO_RED, ("cd q && go test", "PASS\nok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-behind-tail": [GO_RED, ("go test ./... 2>&1 | tail -3", "ok  \texample.com/app/q\t0.002s\nok  \texample.com/app/r\t0.002s", 0), GO_RED],
    "jest-name": [JEST_RED, ("npx jest -t 'settles'", JEST_GREEN, 0), JEST_RED],
    "jest-file": [JEST_RED, ("npx jest web/a.test.js", JEST_GREEN, 0), JEST_RED],
    "jest-pattern": [JEST_RED, ("npx jest a.test", JEST_GREEN, 0), JEST_RED],
    "npm-test-same-command": [("npm test", JEST_RED[1], 1), ("npm test", "whatever", 0), ("npm test", JEST_RED[1], 1)],
    "npm-test-then-jest": [("npm test", JEST_RED[1], 1), ("npx jest web/a.test.js", JEST_GREEN, 0), ("npm test", JEST_RED[1], 1)],
    "known-flaky-fails-on-new-code": [RED, GREEN, edit("a = 5\n"), RED],
    "untracked-file-unchanged": [("write", {"tests/test_new.py": "x"}), RED, GREEN, RED],
    "same-setting": [("TZ=UTC pytest -q", red(), 1), ("TZ=UTC pytest -q", green(), 0), ("TZ=UTC pytest -q", red(), 1)],
    "mypy-between": again("mypy app.py; pytest -q", green()),
    "git-status-around": again("git status --short && pytest -q; git log -1 | head -1", green()),
    "docker-services-around": again("docker compose up -d db && pytest -q", green()),
    "powershell": again("pytest -q", green(), tool="PowerShell"),
    "while-read-in-a-script": again("bash <<'E'\nset -e\npytest -q\nE", green()),
}  # fmt: skip

SILENT: dict[str, list[Any]] = {
    "change-between": [RED, edit("a = 2\n"), GREEN, edit("a = 3\n"), RED],
    "tail-hides": again("pytest -q 2>&1 | tail -1", "1 failed, 2 passed in 0.02s"),
    "grep-exits-0": again("pytest -q | grep -c failed", "1"),
    "grep-quiet": again("pytest -q | grep -q passed", ""),
    "or-true": again("pytest -q >/dev/null 2>&1 || true", ""),
    "followed": again("pytest -q >/dev/null; echo done", "done"),
    "condition": again("if pytest -q >/dev/null; then echo ok; else echo no; fi", "no"),
    "negated": again("! pytest -q > /dev/null", ""),
    "substitution": again("out=$(pytest -q); echo done", "done"),
    "background": again("pytest -q > /dev/null &", ""),
    "while": again("while ! pytest -q >/dev/null; do sleep 1; break; done", ""),
    "not-found": again("pytest -q", "bash: pytest: command not found", 127),
    "not-found-hidden": again("pytest -q || true", "bash: pytest: command not found"),
    "nothing-collected": again("pytest -q tests/none.py || true", "no tests ran in 0.01s"),
    "crash-hidden": again("pytest -q 2>&1 | tail -2", "ImportError: no module named x"),
    "other-keyword": again("pytest -q -k steady", green(1, ", 2 deselected")),
    "marker": again("pytest -q -m 'not slow'", green(2, ", 1 deselected")),
    "deselected": again("pytest -q --deselect tests/test_a.py::test_x", green(2, ", 1 deselected")),
    "ignored": again("pytest -q --ignore=tests/test_a.py", green(2)),
    "skipped": again("pytest -q", green(2, ", 1 skipped")),
    "skipped-before": [("pytest -q", green(2, ", 1 skipped"), 0), RED],
    "configured-deselection": again("pytest -q tests", green(2, ", 1 deselected")),
    "other-file": again("pytest -q tests/test_b.py", green(1)),
    "other-test": again("pytest -q tests/test_a.py::test_y", green(1)),
    "other-project-same-path": again("cd sub && pytest -q", green(1)),
    "same-name-in-another-file": again("pytest -v tests/test_b.py", "tests/test_b.py::test_x PASSED [100%]\n\n===== 1 passed in 0.01s ===="),
    "passed-says-the-summary-but-the-runner-failed": again("pytest -q", green(), 1),
    "collect-only": again("pytest --collect-only -q", "tests/test_a.py::test_x\n\n1 test collected in 0.01s"),
    "setting": [RED, ("TZ=Asia/Tokyo pytest -q", green(), 0), RED],
    "exported-setting": [RED, ("export MODE=fast && pytest -q", green(), 0), RED],
    "env-program": [RED, ("env MODE=fast pytest -q", green(), 0), RED],
    "parallel": [("pytest -q -n 4", red(), 1), GREEN, ("pytest -q -n 4", red(), 1)],
    "seed": [("pytest -q -p randomly --randomly-seed=3", red(), 1), GREEN, ("pytest -q -p randomly --randomly-seed=3", red(), 1)],
    "seed-from-loop": [("for i in 1 2 3; do SEED=$i pytest -q; done", "\n".join([red(), green(), red()]), 1)],
    "random-seed": [("SEED=$RANDOM pytest -q", red(), 1), ("SEED=$RANDOM pytest -q", green(), 0), ("SEED=$RANDOM pytest -q", red(), 1)],
    "stash-and-pop": [edit("a = 2\n"), *again("git stash -q && pytest -q; git stash pop -q", green())],
    "sabotage-and-restore": again("sed -i 's/1/2/' app.py; pytest -q; git checkout app.py", red()),
    "copy-and-back": again("cp app.py /tmp/app.bak && echo 'a = 9' > app.py && pytest -q; cp /tmp/app.bak app.py", green()),
    "heredoc-and-restore": again("cat > app.py <<'E'\na = 7\nE\npytest -q; git restore app.py", green()),
    "worktree-of-another-commit": again("git stash; pytest -q; git stash apply", green()),
    "edited-meanwhile": [RED, (*GREEN, {"during": {"app.py": "a = 3\n"}}), edit("a = 1\n"), RED],
    "new-source-file-meanwhile": [RED, (*GREEN, {"during": {"tests/helper.py": "x"}}), ("write", {"tests/helper.py": None}), RED],
    "fixture-edited": [
        ("write", {"tests/expected.csv": "1"}), RED, ("write", {"tests/expected.csv": "2"}), GREEN, ("write", {"tests/expected.csv": "3"}), RED,
    ],
    "fixture-written-by-the-command": [
        ("echo 1 > fixture.dat && pytest -q", red(), 1, {"during": {"fixture.dat": "1"}}),
        ("echo 2 > fixture.dat && pytest -q", green(), 0, {"during": {"fixture.dat": "2"}}),
        ("echo 1 > fixture.dat && pytest -q", red(), 1, {"during": {"fixture.dat": "1"}}),
    ],
    "source-file-written-by-the-run": [(*RED, {"during": {"gen.py": "1"}}), ("write", {"gen.py": None}), GREEN, (*RED, {"during": {"gen.py": "1"}})],
    "env-file": [RED, ("write", {".env": "K=1\n"}), GREEN, ("write", {".env": None}), RED],
    "env-file-of-the-tests-folder": [
        ("cd tests && pytest -q test_a.py", red("test_a.py::test_x"), 1), ("write", {"tests/.env.test": "K=1\n"}),
        ("cd tests && pytest -q test_a.py", green(), 0), ("write", {"tests/.env.test": None}),
        ("cd tests && pytest -q test_a.py", red("test_a.py::test_x"), 1),
    ],
    "env-file-of-a-folder-that-is-named": [
        ("pytest -q sub/tests/", red("sub/tests/test_a.py::test_x"), 1), ("write", {"sub/.env": "K=1\n"}),
        ("pytest -q sub/tests/", green(), 0), ("write", {"sub/.env": None}),
        ("pytest -q sub/tests/", red("sub/tests/test_a.py::test_x"), 1),
    ],
    "packages-installed": [
        JEST_RED, ("write", {"node_modules/.package-lock.json": "{}"}), ("npx jest", JEST_GREEN, 0),
        ("write", {"node_modules/.package-lock.json": "{ }"}), JEST_RED,
    ],
    "python-packages-installed": [
        RED, ("write", {".venv/pyvenv.cfg": "", ".venv/lib/python3.11/site-packages/x-1.dist-info/RECORD": ""}), GREEN,
        ("write", {".venv/lib/python3.11/site-packages/x-1.dist-info": None}), RED,
    ],
    "untracked-test-file-edited": [
        ("write", {"tests/test_new.py": "1"}), ("pytest -q", red("tests/test_new.py::test_n"), 1),
        ("write", {"tests/test_new.py": "2"}), GREEN, ("write", {"tests/test_new.py": "3"}),
        ("pytest -q", red("tests/test_new.py::test_n"), 1),
    ],
    "untracked-file-in-a-package-named-reports": [
        ("write", {"reports/x.py": "1"}), RED, ("write", {"reports/x.py": "2"}), GREEN, ("write", {"reports/x.py": "3"}), RED,
    ],
    "new-file": [RED, edit("a = 1\n", "new.py"), GREEN, ("write", {"new.py": None}), RED],
    "docker": again("docker compose run --rm web pytest -q", green()),
    "ssh": again("ssh box 'cd app && pytest -q'", green()),
    "unknown-directory": again('cd "$DIR" && pytest -q', green()),
    "another-runs-log": again("cat old.log; pytest -q || true", green()),
    "echoed-result": [GREEN, ("pytest -q; echo 'FAILED tests/test_a.py::test_x - pytest'; false", green() + "\nFAILED tests/test_a.py::test_x - pytest", 1)],
    "reruns-until-green": [("pytest -v --reruns 2", "tests/test_a.py::test_x RERUN [ 50%]\ntests/test_a.py::test_x PASSED [100%]\n\n===== 1 passed, 1 rerun in 0.01s =====", 0)],
    "two-invocations-one-green": [
        ("pytest -q tests/test_b.py; pytest -q tests/test_a.py", green() + "\n" + red(), 1),
        ("pytest -q tests/test_b.py", green(1), 0),
        ("pytest -q tests/test_b.py; pytest -q tests/test_a.py", green() + "\n" + red(), 1),
    ],
    "xargs": again("git ls-files '*_b.py' | xargs pytest -q", green(1)),
    "glob": again("pytest -q tests/test_b*.py", green(1)),
    "go-cached": [GO_RED, ("go test ./...", "ok  \texample.com/app/q\t(cached)\nok  \texample.com/app/r\t0.1s", 0), GO_RED],
    "loop-of-go-other-package-green": [
        ("for i in 1 2; do go test -count=1 ./...; done", "\n".join(["ok  \texample.com/app/r\t0.002s", GO_RED[1]] * 2), 1)
    ],
    "go-count-all-fail": [("go test -count=2 ./...", GO_RED[1].replace("--- FAIL: TestX (0.00s)", "--- FAIL: TestX (0.00s)\n--- FAIL: TestX (0.00s)"), 1)],
    "go-race": [GO_RED, ("go test -race ./...", "ok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-tags": [("go test -tags=x ./...", GO_RED[1], 1), ("go test ./...", "ok  \texample.com/app/q\t0.002s", 0), ("go test -tags=x ./...", GO_RED[1], 1)],
    "go-other-package": [GO_RED, ("go test ./r", "ok  \texample.com/app/r\t0.002s", 0), GO_RED],
    "go-other-test": [GO_RED, ("go test -run TestY ./...", "ok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-skip": [GO_RED, ("go test -skip TestX ./...", "ok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-grep-ok": [GO_RED, ("go test ./... | grep ok", "ok  \texample.com/app/r\t0.002s", 0), GO_RED],
    "go-no-tests-to-run": [GO_RED, ("go test -run 'TestX$' ./r ./q", "ok  \texample.com/app/q\t0.002s [no tests to run]\nok  \texample.com/app/r\t0.1s [no tests to run]", 0), GO_RED],
    "go-list": [GO_RED, ("go test -list . ./...", "TestX\nok  \texample.com/app/q\t0.002s", 0), GO_RED],
    "go-unscoped-names": [("go test -v ./... | grep -- '---'", "--- FAIL: TestX (0.00s)\n--- PASS: TestX (0.00s)", 0)],
    "jest-other-name": [JEST_RED, ("npx jest -t 'starts'", JEST_GREEN, 0), JEST_RED],
    "jest-other-file": [JEST_RED, ("npx jest b.test.js", "PASS b.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total", 0), JEST_RED],
    "jest-bands": [("npx jest -i", JEST_RED[1], 1), ("npx jest", JEST_GREEN, 0), ("npx jest -i", JEST_RED[1], 1)],
    "turbo-cache": [("turbo test", JEST_RED[1], 1), ("turbo test", "web:test: cache hit, replaying logs\n" + JEST_GREEN, 0), ("turbo test", JEST_RED[1], 1)],
    "passes-under-no-fail": [("make -i test", red(), 0), ("make -i test", "", 0), ("make -i test", red(), 0)],
    "branch-switch": again("git checkout -q other && pytest -q; git checkout -q -", green()),
}  # fmt: skip


# -- who is it: sessions of several projects, tools and retries

UNIT_RED = f"F.\n{'=' * 70}\nFAIL: test_x (test_a.TestA.test_x)\n{'-' * 70}\nTraceback (most recent call last):\nAssertionError\n\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)"
UNIT_GREEN = "..\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK"
PHP_RED = "PHPUnit 9.6.0\n\nF.\n\nThere was 1 failure:\n\n1) App\\ATest::testX\nFailed asserting that false is true.\n\n/app/tests/ATest.php:9\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1."
PHP_GREEN = "PHPUnit 9.6.0\n\n..                       2 / 2 (100%)\n\nTime: 00:00.004, Memory: 4.00 MB\n\nOK (2 tests, 2 assertions)"
CARGO_RED = (
    "     Running unittests src/lib.rs (target/debug/deps/app-71ce70495b798487)\n\nrunning 1 test\ntest tests::x ... FAILED\n\nfailures:\n\n"
    "failures:\n    tests::x\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`"
)
CARGO_GREEN = (
    "     Running unittests src/lib.rs (target/debug/deps/app-71ce70495b798487)\n\nrunning 1 test\ntest tests::x ... ok\n\n"
    "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
)
PROJECTS = {
    "php/a/composer.json": "{}", "php/b/composer.json": "{}", "unit/a/test_a.py": "", "unit/b/test_a.py": "",
    "js/a/x.test.js": "", "js/b/x.test.js": "", "Cargo.lock": "", "rs/Cargo.lock": "",
}  # fmt: skip


def jest_in(folder: str, red: bool) -> tuple[str, str, int]:
    name = "x.test.js"
    if red:
        return (f"cd {folder} && npx jest", JEST_RED[1].replace("web/a.test.js", name), 1)
    return (f"cd {folder} && npx jest --verbose", f"PASS {name}\n  sync\n    \u2713 settles (2 ms)\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total", 0)


SPEAK.update({
    "unittest": [("python -m unittest", UNIT_RED, 1), ("python -m unittest", UNIT_GREEN, 0), ("python -m unittest", UNIT_RED, 1)],
    "unittest-one-test": [("python -m unittest", UNIT_RED, 1), ("python -m unittest test_a.TestA.test_x", UNIT_GREEN, 0), ("python -m unittest", UNIT_RED, 1)],
    "phpunit-filter": [("vendor/bin/phpunit", PHP_RED, 1), ("vendor/bin/phpunit --filter testX", PHP_GREEN, 0), ("vendor/bin/phpunit", PHP_RED, 1)],
    "phpunit-filter-class-and-method": [("phpunit", PHP_RED, 1), ("phpunit --filter 'ATest::testX$'", PHP_GREEN, 0), ("phpunit", PHP_RED, 1)],
    "cargo-one-test": [("cargo test", CARGO_RED, 101), ("cargo test tests::x", CARGO_GREEN, 0), ("cargo test", CARGO_RED, 101)],
    "cargo-exact": [("cargo test", CARGO_RED, 101), ("cargo test -- --exact tests::x --nocapture", CARGO_GREEN, 0), ("cargo test", CARGO_RED, 101)],
    "jest-in-a-package-from-the-root": [jest_in("js/a", True), ("npx jest js/a/x.test.js", JEST_GREEN.replace("web/a", "js/a/x"), 0), jest_in("js/a", True)],
    "retried-by-vitest-then-red": [
        ("npx vitest run --retry=1", " RUN  v3.0.0 /app\n\n \u2713 a.test.js > sync > settles 5ms (retry x1)\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)", 0),
        ("npx vitest run", " RUN  v3.0.0 /app\n\n \u276f a.test.js (1 test | 1 failed) 5ms\n   \u00d7 sync > settles 5ms\n\n FAIL  a.test.js > sync > settles\nError: no\n\n Test Files  1 failed (1)\n      Tests  1 failed (1)", 1),
    ],
    "passed-by-name-in-a-red-run": [
        ("pytest -v", "tests/test_a.py::test_x PASSED [ 50%]\ntests/test_b.py::test_x FAILED [100%]\n\n=== short test summary info ===\nFAILED tests/test_b.py::test_x - no\n=== 1 failed, 1 passed in 0.01s ===", 1),
        RED,
    ],
})  # fmt: skip

SILENT.update({
    "unittest-of-another-project": [("cd unit/a && python -m unittest", UNIT_RED, 1), ("cd unit/b && python -m unittest", UNIT_GREEN, 0), ("cd unit/a && python -m unittest", UNIT_RED, 1)],
    "phpunit-of-another-project": [("cd php/a && phpunit", PHP_RED, 1), ("cd php/b && phpunit", PHP_GREEN, 0), ("cd php/a && phpunit", PHP_RED, 1)],
    "phpunit-names-of-another-project": [("cd php/a && phpunit", PHP_RED, 1), ("cd php/b && phpunit", PHP_RED, 1), ("cd php/b && phpunit --filter testX", PHP_GREEN, 0), ("cd php/a && phpunit", PHP_RED, 1)],
    "phpunit-other-filter": [("phpunit", PHP_RED, 1), ("phpunit --filter testY", PHP_GREEN, 0), ("phpunit", PHP_RED, 1)],
    "phpunit-group": [("phpunit", PHP_RED, 1), ("phpunit --group fast", PHP_GREEN, 0), ("phpunit", PHP_RED, 1)],
    "cargo-release": [("cargo test --release", CARGO_RED, 101), ("cargo test", CARGO_GREEN, 0), ("cargo test --release", CARGO_RED, 101)],
    "cargo-features": [("cargo test --features x", CARGO_RED, 101), ("cargo test", CARGO_GREEN, 0), ("cargo test --features x", CARGO_RED, 101)],
    "cargo-other-test": [("cargo test", CARGO_RED, 101), ("cargo test tests::y", CARGO_GREEN.replace("::x", "::y"), 0), ("cargo test", CARGO_RED, 101)],
    "cargo-of-another-project": [("cargo test", CARGO_RED, 101), ("cd rs && cargo test", CARGO_GREEN, 0), ("cargo test", CARGO_RED, 101)],
    "jest-of-another-package": [jest_in("js/a", True), jest_in("js/b", False), jest_in("js/a", True)],
    "pytest-class": [
        ("pytest -v", "tests/test_a.py::TestA::test_x FAILED [ 50%]\ntests/test_a.py::TestB::test_x PASSED [100%]\n\n=== short test summary info ===\nFAILED tests/test_a.py::TestA::test_x - no\n=== 1 failed, 1 passed in 0.01s ===", 1),
    ] * 2,
    "mocha-same-title-in-two-files": [
        ("npx mocha", "\n\n  sync\n    1) settles\n\n  sync\n    \u2714 settles\n\n\n  1 passing (5ms)\n  1 failing\n\n  1) sync\n       settles:\n     Error: no\n      at Context.<anonymous> (test/a.js:3:9)\n", 1),
    ] * 2,
})  # fmt: skip


def last_notes(steps: list[Any], base: Path) -> dict[str, str]:
    player = Player(base)
    player.repository("app", {**FILES, **GO_FILES, **PROJECTS})
    notes: dict[str, str] = {}
    for step in steps:
        if step[0] == "write":
            player.write(step[1])
        elif step[0] == "git":
            git(player.repo, *step[1:])
        else:
            command, output, exit, *more = step
            notes = player.bash(command, output, exit, **(more[0] if more else {}))
    return notes


@pytest.mark.parametrize("name", SPEAK)
def test_must_speak(name: str, tmp_path: Path) -> None:
    assert last_notes(SPEAK[name], tmp_path)


@pytest.mark.parametrize("name", SILENT)
def test_must_stay_silent(name: str, tmp_path: Path) -> None:
    assert last_notes(SILENT[name], tmp_path) == {}
