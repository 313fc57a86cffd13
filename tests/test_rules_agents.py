"""More sessions as coding agents type them, by the same rules: those that must speak, those that must not.

They are played in this process, which is ten times as fast; test_rules.py holds the hooks themselves.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flaky_memory import hook
from tests import corpus
from tests.conftest import git
from tests.player import Player
from tests.test_rules import (
    CARGO_GREEN,
    CARGO_RED,
    FILES,
    GO_FILES,
    GO_RED,
    GREEN,
    JEST_GREEN,
    JEST_RED,
    PROJECTS,
    RED,
    UNIT_GREEN,
    UNIT_RED,
    again,
    edit,
    green,
    jest_in,
    red,
)  # fmt: skip

X = "tests/test_a.py::test_x"
GO_GREEN = "ok  \texample.com/app/q\t0.002s"


class Inside(Player):
    """A player whose hooks run in this process, one second apart."""

    now = 1_800_000_000.0

    def fire(self, event: str, payload: dict[str, Any]) -> list[str]:
        if not any(self.matching(event, payload)):
            return []
        self.now += 1
        answer = hook.handle({**payload, "hook_event_name": event}, self.environ, self.now) or {}
        context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        return [context] if context else []


def verbose(*rows: str) -> str:
    """pytest -v with lines such as "path::test PASSED"."""
    failed = [r.split()[0] for r in rows if r.endswith("FAILED")]
    lists = ["=== short test summary info ===", *(f"FAILED {t} - no" for t in failed)] if failed else [""]
    counts = [f"{n} {w}" for n, w in ((len(failed), "failed"), (len(rows) - len(failed), "passed")) if n]
    return "\n".join([*(r + " [ 50%]" for r in rows), *lists, f"===== {', '.join(counts)} in 0.01s ====="])


V_RED, V_GREEN = verbose(X + " FAILED"), verbose(X + " PASSED")


def go_verbose(ok: bool) -> str:
    word, end = ("PASS", f"PASS\n{GO_GREEN}") if ok else ("FAIL", "FAIL\nFAIL\texample.com/app/q\t0.002s\nFAIL")
    return f"=== RUN   TestX\n--- {word}: TestX (0.00s)\n{end}"


VITEST_RED = (
    " RUN  v3.0.0 /app\n\n \u276f src/a.test.js (2 tests | 1 failed) 5ms\n   \u00d7 sync > settles 5ms\n\n FAIL  src/a.test.js > sync > settles\n"
    "Error: no\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)"
)
VITEST_GREEN = " RUN  v3.0.0 /app\n\n \u2713 src/a.test.js (2 tests) 5ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)"
VITEST_ONE = VITEST_GREEN.replace("2 passed (2)", "1 passed | 1 skipped (2)")
VITEST_OTHER = VITEST_GREEN.replace("a.test", "b.test")


def between(first: str, second: str, bad: str, good: str, **more: Any) -> list[Any]:
    """A failing command, another one that is green, and the first again."""
    return [(first, bad, 1, more), (second, good, 0, more), (first, bad, 1, more)]


def same(command: str, bad: str, good: str) -> list[Any]:
    return between(command, command, bad, good)


def script(text: str) -> tuple[str, dict[str, str]]:
    return ("write", {"package.json": json.dumps({"scripts": {"test": text}})})


def file_between(path: str, first: str | None, second: str, run: Any = RED, passing: Any = GREEN) -> list[Any]:
    """A file that is written between the runs explains the flip."""
    return [("write", {path: first}), run, ("write", {path: second}), passing, ("write", {path: first}), run]


JEST_PASSING = ("npx jest", JEST_GREEN, 0)
UNCOVERED = "FAIL Required test coverage of 90% not reached. Total coverage: 80.00%\n"
JEST_UNCOVERED = '\nJest: "global" coverage threshold for statements (90%) not met: 50%'
ONE_PACKAGE = jest_in("js/b", False)[1].replace("x.test.js", "web/a.test.js")
OTHER_BINARY = CARGO_GREEN.replace("src/lib.rs (target/debug/deps/app", "src/main.rs (target/debug/deps/bin").replace("::x", "::y")

SPEAK: dict[str, list[Any]] = {
    # several runs in one command
    "twice": [("pytest -q tests/test_a.py; pytest -q tests/test_a.py", red() + "\n" + green(), 0)],
    "three-times-with-and": [("pytest -q && pytest -q && pytest -q", "\n".join([green(), green(), red()]), 1)],
    "go-twice": [("go test -count=1 ./q && go test -count=1 ./q", GO_GREEN + "\n" + GO_RED[1], 1)],
    "retried-by-hand": [("pytest -q || pytest -q --lf", red() + "\n" + green(1), 0), RED],
    "loop-over-a-range": [("for i in {1..3}; do pytest -q; done", "\n".join([red(), green(), green()]), 0)],
    "loop-over-seq": [("for i in $(seq 1 3); do echo \"run $i\"; pytest -q 2>&1 | tail -5; done", "\n".join(["run 1", red(), "run 2", green(), "run 3", green()]), 0)],
    "loop-until-red": [("for i in 1 2 3; do pytest -q || break; done", green() + "\n" + red(), 0)],
    "until": [("until ! pytest -q; do :; done", "\n".join([green(), green(), red()]), 0)],
    "counting-loop": [("for ((i=0;i<3;i++)); do pytest -q; done", "\n".join([green(), red(), green()]), 0)],
    "loop-of-summaries": [RED, ("for i in 1 2 3; do pytest -q tests/test_a.py 2>&1 | tail -1; done", "1 failed, 1 passed in 0.02s\n2 passed in 0.01s\n2 passed in 0.01s", 0), RED],
    "loop-of-npm": [("for i in 1 2 3; do npm test; done", "\n".join([VITEST_RED, VITEST_GREEN, VITEST_GREEN]), 0)],
    "loop-of-make": [("for i in 1 2 3; do make test; done", "\n".join([red(), green(), red()]), 2)],
    # selections
    "keyword-in-a-name": again("pytest -q -k x", green(2, ", 1 deselected")),
    "keyword-or": again("pytest -q -k 'x or nothing'", green(2, ", 1 deselected")),
    "go-part-of-a-name": [GO_RED, ("go test -count=1 -run X ./q", GO_GREEN, 0), GO_RED],
    "stepwise": same("pytest -q --sw", red(), green()),
    "name-filter-counts-the-rest-as-skipped": between("npx vitest run", "npx vitest run -t settles", VITEST_RED, VITEST_ONE),
    # scripts
    "script-then-wider": [script("vitest run"), *between("npx vitest run src/a.test.js", "npm test", VITEST_RED, "> vitest run\n" + VITEST_GREEN)],
    "script-with-a-file": [script("vitest run"), *between("npm test", "npm test -- src/a.test.js", VITEST_RED, VITEST_GREEN)],
    "script-with-a-name": [script("vitest run"), *between("npm test", "npm test -- -t settles", VITEST_RED, VITEST_ONE)],
    "pnpm-with-a-file": [script("vitest run"), *between("pnpm test", "pnpm test src/a.test.js", VITEST_RED, VITEST_GREEN)],
    "script-says-what-is-so-anyway": [script("NODE_ENV=test vitest run"), *between("npm test", "npx vitest run src/a.test.js", VITEST_RED, VITEST_GREEN)],
    "same-package": same("pnpm --filter web test", VITEST_RED, VITEST_GREEN),
    "prefix-behind-tail": between("npm --prefix js/a test", "npm --prefix js/a test 2>&1 | tail -8", VITEST_RED, VITEST_GREEN),
    "prefix-or-cd": between("npm --prefix js/a test", "cd js/a && npm test", VITEST_RED, VITEST_GREEN),
    "same-version": same("npx vitest@3 run", VITEST_RED, VITEST_GREEN),
    "dlx": same("pnpm dlx vitest run", VITEST_RED, VITEST_GREEN),
    # environments
    "poetry": same("poetry run pytest -q", red(), green()),
    "nix": between("nix develop -c pytest -q", "nix develop --command pytest", red(), green()),
    "one-environment": between(".venv/bin/pytest -q", ".venv/bin/python -m pytest -q", red(), green()),
    "activated-or-by-path": between("source .venv/bin/activate && pytest -q", ".venv/bin/python3 -m pytest -q", red(), green()),
    "timeout-and-env": again("timeout 120 env PYTHONUNBUFFERED=1 pytest -q", green()),
    # exit statuses and outputs
    "too-little-covered": again("pytest -q --cov=app --cov-fail-under=90", f"...  [100%]\n{UNCOVERED}3 passed in 0.01s", 1),
    "jest-too-little-covered": [JEST_RED, ("npx jest --coverage", JEST_GREEN + JEST_UNCOVERED, 1), JEST_RED],
    "long-green": [RED, ("pytest -v", "".join(f"tests/test_a.py::test_p[{i}] PASSED [ 1%]\n" for i in range(2000)) + V_GREEN, 0), RED],
    "long-red": [("pytest -v", "".join(f"tests/test_a.py::test_p[{i}] PASSED [ 1%]\n" for i in range(300)) + V_RED, 1), GREEN, RED],
    "timed-group": again("{ time pytest -q; } 2>&1 | tail -5", green() + "\n\nreal 0m1s\nuser 0m1s\nsys 0m1s"),
    "detached": [("git", "checkout", "-q", "--detach"), RED, GREEN, RED],
}  # fmt: skip

SILENT: dict[str, list[Any]] = {
    # several runs in one command that are not alike
    "two-settings": [("pytest -v; MODE=fast pytest -v", V_RED + "\n" + V_GREEN, 0)] * 2 + [("pytest -v", V_RED, 1)],
    "race-and-plain": [("go test -v ./... ; go test -v -race ./...", go_verbose(True) + "\n" + go_verbose(False), 1)] * 2 + [("go test -v -race ./...", go_verbose(False), 1)],
    "two-folders": [("(cd sub && pytest -v); pytest -v", V_RED + "\n" + V_GREEN, 0)] * 2 + [("cd sub && pytest -v", V_RED, 1)],
    "two-projects": [("cd unit/a && python -m unittest; cd ../b && python -m unittest", UNIT_RED + "\n" + UNIT_GREEN, 0)] * 2 + [("cd unit/a && python -m unittest", UNIT_RED, 1)],
    "two-packages": [("(cd js/a && npx jest --verbose); (cd js/b && npx jest --verbose)", jest_in("js/a", True)[1] + "\n" + jest_in("js/b", False)[1], 0)] * 2 + [jest_in("js/a", True)],
    "all-packages": [("pnpm -r test", jest_in("js/a", True)[1] + "\n" + jest_in("js/b", False)[1], 1)] * 3,
    "all-environments": [("tox", V_RED + "\n" + V_GREEN, 1)] * 3,
    "two-binaries": [("for i in 1 2; do cargo test --no-fail-fast; done", f"{OTHER_BINARY}\n{CARGO_RED}\n" * 2, 101)] * 2,
    "two-packages-of-a-script": [("for i in 1 2; do npm test; done", f"{VITEST_OTHER}\n{VITEST_RED}\n" * 2, 1)] * 2,
    "loop-of-another-file": [RED, ("for i in 1 2; do pytest -q tests/test_b.py 2>&1 | tail -1; done", "1 passed in 0.01s\n1 failed in 0.01s", 0), RED],
    "loop-over-files": [
        ("for f in tests/test_a.py tests/test_b.py; do pytest -q $f; done", red() + "\n" + green(1), 0),
        ("for f in tests/test_a.py tests/test_b.py; do pytest -q $f >/dev/null; done", "", 0),
        ("for f in tests/test_a.py tests/test_b.py; do pytest -q $f; done", red() + "\n" + green(1), 0),
    ],
    # environments
    "tox-environment": between("tox -e py39", "tox -e py312", V_RED, V_GREEN),
    "make-variable": between("make test ARGS=-race", "make test", go_verbose(False), go_verbose(True)),
    "make-target": between("make test-race", "make test", go_verbose(False), go_verbose(True)),
    "npm-workspace": between("npm test -w a", "npm test -w b", JEST_RED[1], ONE_PACKAGE),
    "pnpm-filter": between("pnpm --filter a test", "pnpm --filter b test", JEST_RED[1], ONE_PACKAGE),
    "yarn-workspace": between("yarn workspace a test", "yarn workspace b test", JEST_RED[1], ONE_PACKAGE),
    "nx-project": between("npx nx test a", "npx nx test b", JEST_RED[1], ONE_PACKAGE),
    "environment-of-poetry": again("poetry run pytest -q", green()),
    "environment-of-uv": between("uv run pytest -q", "pytest -q", red(), green()),
    "environment-of-hatch": again("hatch run pytest -q", green()),
    "environment-of-nix": again("nix develop -c pytest -q", green()),
    "environment-of-nix-shell": again("nix-shell --run 'pytest -q'", green()),
    "other-environment-of-nix": between("nix develop .#a -c pytest -q", "nix develop .#b -c pytest -q", red(), green()),
    "uv-environment-file": again("uv run --env-file .env.test pytest -q", green()),
    "uv-python": between("uv run --python 3.9 pytest -q", "uv run --python 3.12 pytest -q", red(), green()),
    "dotenv": between("npx jest", "npx dotenv -e .env.test -- jest", JEST_RED[1], JEST_GREEN),
    "sourced-settings": again("set -a; source .env.test; set +a; pytest -q", green()),
    "sourced-script": again(". ./env.sh && pytest -q", green()),
    "unset": again("unset DATABASE_URL; pytest -q", green()),
    "env-unset": again("env -u DATABASE_URL pytest -q", green()),
    "env-empty": again("env -i PATH=$PATH pytest -q", green()),
    "exported-file": again("export $(cat .env.test | xargs) && pytest -q", green()),
    "another-clock": between("faketime '2024-02-29' pytest -q", "pytest -q", red(), green()),
    "display": between("npx jest", "xvfb-run -a npx jest", JEST_RED[1], JEST_GREEN),
    "python-version": between("python3.9 -m pytest -q", "python3.12 -m pytest -q", red(), green()),
    "environment-by-path": again(".venv/bin/pytest -q", green()),
    "activated": again("source .venv/bin/activate && pytest -q", green()),
    "limit": between("ulimit -n 32 && pytest -q", "pytest -q", red(), green()),
    "node-version": between("nvm use 18 && npx vitest run", "nvm use 20 && npx vitest run", VITEST_RED, VITEST_GREEN),
    "conda-environment": between("conda run -n py39 pytest -q", "conda run -n py312 pytest -q", red(), green()),
    "toolchain": between("cargo +nightly test", "cargo test", CARGO_RED, CARGO_GREEN),
    "runner-version": between("npx vitest@2 run", "npx vitest@3 run", VITEST_RED, VITEST_GREEN),
    "powershell-variable": between("pytest -q", "$env:MODE='fast'; pytest -q", red(), green(), tool="PowerShell"),
    "snapshots-are-not-written": [("npx jest --ci", JEST_RED[1], 1), (*JEST_PASSING, {"during": {"web/__snapshots__/a.snap": "x"}}), ("npx jest --ci", JEST_RED[1], 1)],
    "snapshots-updated": [JEST_RED, ("npx jest -u", JEST_GREEN, 0, {"during": {"web/__snapshots__/a.snap": "x"}}), JEST_RED],
    # installed packages and settings
    "package-without-a-description": file_between(".venv/lib/python3.11/site-packages/dep-2.dist-info/METADATA", None, "x"),
    "package-itself": file_between(".venv/lib/python3.11/site-packages/dep/__init__.py", "1", "2"),
    "package-without-a-stamp": file_between("node_modules/dep/package.json", '{"version":"1"}', '{"version":"2"}', JEST_RED, JEST_PASSING),
    "settings-of-a-workspace": file_between("packages/web/.env", None, "A=1", ("npm test", JEST_RED[1], 1), ("npm test", JEST_GREEN, 0)),
    # scripts
    "script-with-another-file": [script("vitest run"), *between("npm test", "npm test -- src/b.test.js", VITEST_RED, VITEST_OTHER)],
    "script-with-another-name": [script("vitest run"), *between("npm test", "npm test -- -t steady", VITEST_RED, VITEST_ONE)],
    "script-swallows-failures": [script("vitest run || true"), ("npm test", VITEST_RED, 0), ("npm test >/dev/null && echo ok", "ok", 0), ("npm test", VITEST_RED, 0)],
    "script-with-a-setting": [script("TZ=Asia/Tokyo vitest run"), *between("npm test", "npx vitest run", VITEST_RED, VITEST_GREEN)],
    "script-edited": [script("vitest run"), ("npm test", VITEST_RED, 1), script("vitest run src/b.test.js"), ("npm test", VITEST_OTHER, 0), script("vitest run"), ("npm test", VITEST_RED, 1)],
    "script-shard": between("npm test", "npm test -- --shard=2/2", VITEST_RED, VITEST_GREEN),
    "nothing-to-do": between("make test", "make test", red(), "make: Nothing to be done for 'test'."),
    "no-rule": between("make test", "make test || true", red(), "make: *** No rule to make target 'test'.  Stop."),
    "no-script": between("npm test", "npm test || true", VITEST_RED, 'npm ERR! Missing script: "test"'),
    # exit statuses and outputs
    "errexit-spares-lists": again("set -e; pytest -q >/dev/null && echo ok; echo done", "done"),
    "too-little-covered-and-red": again("pytest -q --cov=app --cov-fail-under=90", f"{UNCOVERED}1 failed, 2 passed in 0.01s", 1),
    "fetched-output": [GREEN, ("gh run view 12 --log-failed | tail -3; pytest -q", red() + "\n" + green(), 0)],
    "containers-output": [GREEN, ("docker logs app | tail; pytest -q", red() + "\n" + green(), 0)],
    "printed-here-document": again("cat <<'E'\n3 passed in 0.01s\nE\npytest -q > /dev/null || true", "3 passed in 0.01s"),
    "cargo-exact-name-of-no-test": between("cargo test", "cargo test -- --exact x", CARGO_RED, CARGO_GREEN.replace("1 test\ntest tests::x ... ok", "0 tests").replace("1 passed", "0 passed")),
    # other code
    "sed-options-together": again("sed -Ei 's/1/2/' app.py && pytest -q; git checkout app.py", green()),
    "tee-writes": again("tee app.py <<'E'\na = 9\nE\npytest -q; git checkout app.py", green()),
    "perl-edits": again("perl -0pi -e 's/1/2/' app.py; pytest -q; git checkout -- app.py", green()),
    "python-edits": again("python3 - <<'E'\nopen('app.py','w').write('x')\nE\npytest -q; git checkout -- app.py", green()),
    "bisect": [("git bisect run pytest -q", red() + "\n" + green(), 0)] * 2,
    "rebase": [("git rebase -x 'pytest -q' main", red() + "\n" + green(), 0)] * 2,
    "reset-between": [edit("a = 2\n"), RED, ("git", "checkout", "-q", "app.py"), GREEN, edit("a = 2\n"), RED],
}  # fmt: skip


# -- the other runners, with outputs of real runs

PAIRS = {
    "deno": ("deno/deno-pair1-a", "deno/deno-pair2-b"), "maven": ("maven/pair1-fail", "maven/pair1-pass"),
    "gradle": ("gradle/pair1-fail", "gradle/pair1-pass"), "dotnet": ("dotnet/pair1-fail", "dotnet/pair1-pass"),
    "phpunit": ("phpunit/pair1-fail", "phpunit/pair1-pass"), "bun": ("js/bun-pair2-a", "js/bun-pair2-b"),
    "jest": ("js/jest-pair1-a", "js/jest-pair3-b"), "vitest": ("js/vitest-pair1-a", "js/vitest-pair3-b"),
    "mocha": ("mocha/mocha-pair2-a", "mocha/mocha-pair2-b"), "ctest": ("ctest/pair1-fail", "ctest/pair1-pass"),
    "gtest": ("gtest/pair1-fail", "gtest/pair1-pass"), "node": ("node/node-pair1-a", "node/node-20-all-pass-tap"),
}  # fmt: skip
RSPEC_RED = (
    "F.\n\nFailures:\n\n  1) Sync settles\n     Failure/Error: expect(1).to eq 2\n     # ./spec/sync_spec.rb:3:in `block'\n\n"
    "Finished in 0.01 seconds (files took 0.1 seconds to load)\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/sync_spec.rb:2 # Sync settles"
)
RSPEC_ID = RSPEC_RED.replace("rspec ./spec/sync_spec.rb:2", "rspec './spec/sync_spec.rb[1:1]'")
RSPEC_GREEN = "..\n\nFinished in 0.00365 seconds (files took 0.06413 seconds to load)\n2 examples, 0 failures"
MIX_GREEN = "Running ExUnit with seed: 1, max_cases: 4\n\n....\nFinished in 0.03 seconds (0.00s async, 0.03s sync)\n1 doctest, 3 tests, 0 failures"
PHPUNIT_XML = '<phpunit><testsuites><testsuite name="u"><directory>tests</directory></testsuite></testsuites></phpunit>'


def output(case: str) -> str:
    return str(corpus.by_id()[case]["output"])


def pair(runner: str, first: str, second: str, good: str = "", **replaced: str) -> list[Any]:
    """A failing run of a capture between which another command is green."""
    bad, passing = (output(c) for c in PAIRS[runner])
    for old, new in replaced.items():
        passing = passing.replace(old, new)
    return between(first, second, bad, good or passing)


def rspec(first: str, second: str, bad: str = RSPEC_RED, good: str = RSPEC_GREEN) -> list[Any]:
    return between(first, second, bad, good)


def mix(second: str, first: str = "mix test") -> list[Any]:
    return between(first, second, output("mix/default"), MIX_GREEN)


def go(second: str, good: str = GO_GREEN) -> list[Any]:
    return [GO_RED, (second, good, 0), GO_RED]


def leaving(command: str, bad: str, good: str, *names: str) -> list[Any]:
    """Runs that leave files behind, with another content each time."""
    turns = ((bad, 1), (good, 0), (bad, 1))
    return [(command, text, code, {"during": {n: str(at) for n in names}}) for at, (text, code) in enumerate(turns)]


BUILD = ("write", {"build/CMakeCache.txt": ""})
SPEAK.update({
    "rspec-line": rspec("bundle exec rspec", "bundle exec rspec spec/sync_spec.rb:2"),
    "rspec-id": rspec("bundle exec rspec", "bundle exec rspec 'spec/sync_spec.rb[1:1]'", RSPEC_ID),
    "rspec-example": rspec("rspec", "rspec -e settles"),
    "rspec-folder": rspec("bundle exec rspec spec/sync_spec.rb", "bundle exec rspec spec"),
    "deno-filter": pair("deno", "deno test -A", "deno test -A --filter drains"),
    "maven-class": pair("maven", "mvn -q test", "mvn -q test -Dtest=MeterTest"),
    "maven-method": pair("maven", "mvn test", "mvn test -Dtest='MeterTest#readsAtLeastTwo'"),
    "maven-module": pair("maven", "mvn test", "mvn -pl meter test"),
    "gradle-method": pair("gradle", "./gradlew test", "./gradlew test --tests 'com.acme.meter.MeterTest.isWarm'"),
    "gradle-again": pair("gradle", "./gradlew test", "./gradlew cleanTest test"),
    "dotnet-filter": pair("dotnet", "dotnet test", "dotnet test --filter FullyQualifiedName~MeterTests"),
    "phpunit-part-of-a-name": pair("phpunit", "vendor/bin/phpunit", "vendor/bin/phpunit --filter IsWarm"),
    "phpunit-wider": pair("phpunit", "phpunit tests/SyncTest.php", "phpunit tests"),
    "phpunit-configured-folder": [("write", {"phpunit.xml": PHPUNIT_XML}), *pair("phpunit", "vendor/bin/phpunit tests/Unit/SyncTest.php", "vendor/bin/phpunit")],
    "php-memory": pair("phpunit", "php -d memory_limit=-1 vendor/bin/phpunit", "vendor/bin/phpunit"),
    "bun-file": pair("bun", "bun test", "bun test pool"),
    "jest-suite-name": pair("jest", "npx jest", "npx jest -t 'worker pool'"),
    "vitest-word": pair("vitest", "npx vitest run", "npx vitest run -t drains"),
    "mocha-grep": pair("mocha", "npx mocha", "npx mocha -g 'drains the queue'"),
    "ctest-inside": [BUILD, *pair("ctest", "ctest --test-dir build", "cd build && ctest -R flaky")],
    "ctest-folder-to-come": pair("ctest", "mkdir -p build && cd build && cmake .. && make && ctest", "mkdir -p build && cd build && cmake .. && make && ctest"),
    "gtest-filter": pair("gtest", "./build/units_test", "./build/units_test --gtest_filter='Warm.*'"),
    "mix-file": mix("mix test test/till_test.exs"),
    "cargo-lib": between("cargo test", "cargo test --lib", CARGO_RED, CARGO_GREEN),
    "go-import-path": go("go test example.com/app/q"),
    "go-count-fewer-failures": [("go test -count=10 -run TestX ./q", "--- FAIL: TestX (0.00s)\n    x_test.go:3: no\n" * 3 + "FAIL\nFAIL\texample.com/app/q\t0.002s\nFAIL", 1)],
    "unittest-verbose": between("python3 -m unittest discover", "python3 -m unittest -v test_a", UNIT_RED, "test_x (test_a.TestA.test_x) ... ok\n\n" + UNIT_GREEN[3:]),
    "python-unbuffered": between("python -u -m pytest -q", "python -m pytest -q", red(), green()),
    # pytest's own forms
    "one-parameter": between("pytest -q", "pytest -q 'tests/test_a.py::test_p[1-a b]'", red("tests/test_a.py::test_p[1-a b]"), green(1)),
    "all-parameters": between("pytest -q", "pytest -q tests/test_a.py::test_p", red("tests/test_a.py::test_p[1]"), green(3)),
    "class-by-keyword": between("pytest -q", "pytest -q -k TestA", red("tests/test_a.py::TestA::test_x"), green(3, ", 1 deselected")),
    "copies-of-a-test": [("pytest --count=3 -v", verbose(*(f"tests/test_a.py::test_x[{i}-3] {w}" for i, w in ((1, "PASSED"), (2, "FAILED"), (3, "PASSED")))), 1)],
    "copies-of-a-parameter": [("pytest --count 2 -v", verbose("tests/test_a.py::test_x[a-1-2] PASSED", "tests/test_a.py::test_x[a-2-2] FAILED"), 1)],
    "found-by-flake-finder": again("pytest --flake-finder --flake-runs=3 tests/test_a.py -q", green(6)),
    "log-then-rest": again("pytest -q > /tmp/o.log 2>&1; echo \"exit=$?\"; tail -3 /tmp/o.log", "exit=0\n" + green()),
    # what runs leave behind
    "maven-leaves": leaving("mvn test", output(PAIRS["maven"][0]), output(PAIRS["maven"][1]), "target/surefire-reports/TEST-x.xml", "target/generated-sources/A.java"),
    "dotnet-leaves": leaving("dotnet test", output(PAIRS["dotnet"][0]), output(PAIRS["dotnet"][1]), "obj/Debug/A.AssemblyInfo.cs", "bin/Debug/net8.0/A.dll"),
    "cargo-leaves": leaving("cargo test", CARGO_RED, CARGO_GREEN, "target/debug/build/app-1/out/gen.rs"),
    "gradle-leaves": leaving("./gradlew test", output(PAIRS["gradle"][0]), output(PAIRS["gradle"][1]), "build/reports/tests/js/report.js", "build/test-results/test/TEST-x.xml"),
    "jest-leaves": leaving("npx jest --coverage", JEST_RED[1], JEST_GREEN, "coverage/lcov-report/sorter.js", "coverage/lcov.info"),
    "pytest-leaves": leaving("pytest -q --cov --cov-report=xml:cov/x.xml", red(), green(), "cov/x.xml", ".coverage", ".hypothesis/examples/x/y"),
    "rspec-leaves": leaving("rspec --out r.txt", RSPEC_RED, RSPEC_GREEN, "spec/examples.txt", "r.txt"),
    # trees
    "worktree-at-the-same-commit": [RED, ("git", "worktree", "add", "-q", "../wt", "HEAD"), ("cd ../wt && pytest -q", green(), 0), RED],
    "edited-and-taken-back": [RED, edit("a = 2\n"), edit("a = 1\n"), GREEN, RED],
    "branch-at-the-same-commit": [RED, ("git", "checkout", "-q", "-b", "feature"), GREEN, RED],
    "stashed-in-another-call": [edit("a = 2\n"), ("git", "stash", "-q"), RED, GREEN, RED],
    "powershell-selects": between("pytest -q", "pytest -q 2>&1 | Select-Object -Last 5", red(), green(), tool="PowerShell"),
})  # fmt: skip

SILENT.update({
    "rspec-other-line": rspec("rspec", "rspec spec/sync_spec.rb:9"),
    "rspec-other-id": rspec("rspec", "rspec 'spec/sync_spec.rb[1:2]'", RSPEC_ID),
    "rspec-seed": rspec("rspec --seed 12", "rspec --seed 99"),
    "rspec-tag": rspec("rspec", "rspec --tag ~slow"),
    "rspec-pending": rspec("rspec", "rspec", good=RSPEC_GREEN + ", 1 pending"),
    "rspec-does-not-load": rspec("rspec", "rspec 2>&1 | tail -3", good="0 examples, 0 failures, 1 error occurred outside of examples"),
    "deno-permissions": pair("deno", "deno test", "deno test -A"),
    "deno-none": pair("deno", "deno test -A", "deno test -A --filter x", output("deno/deno-filter-none")),
    "maven-other-class": pair("maven", "mvn test", "mvn test -Dtest=OtherTest", MeterTest="OtherTest"),
    "maven-profile": pair("maven", "mvn test -Pslow", "mvn test"),
    "gradle-up-to-date": pair("gradle", "./gradlew test", "./gradlew test", output("gradle/up-to-date")),
    "gradle-from-cache": pair("gradle", "./gradlew test", "./gradlew test", output("gradle/from-cache")),
    "gradle-property": pair("gradle", "./gradlew test -Drate=9", "./gradlew test"),
    "dotnet-configuration": pair("dotnet", "dotnet test -c Release", "dotnet test"),
    "dotnet-framework": pair("dotnet", "dotnet test -f net8.0", "dotnet test -f net9.0"),
    "dotnet-none": pair("dotnet", "dotnet test", "dotnet test --filter FullyQualifiedName~Barrel", output("dotnet/filter-none")),
    "phpunit-suite": pair("phpunit", "vendor/bin/phpunit", "vendor/bin/phpunit --testsuite unit"),
    "phpunit-other-folder": pair("phpunit", "phpunit tests/Unit/SyncTest.php", "phpunit tests/Feature"),
    "phpunit-default-suite": [("write", {"phpunit.xml": PHPUNIT_XML.replace("<phpunit>", '<phpunit defaultTestSuite="fast">')}), *pair("phpunit", "phpunit tests/SyncTest.php", "phpunit")],
    "php-setting": pair("phpunit", "php -d precision=1 vendor/bin/phpunit", "vendor/bin/phpunit"),
    "vitest-project": pair("vitest", "npx vitest run --project a", "npx vitest run --project b", drains="drops"),
    "vitest-changed": pair("vitest", "npx vitest run", "npx vitest run --changed", drains="drops"),
    "jest-related": pair("jest", "npx jest", "npx jest --findRelatedTests src/x.js", JEST_GREEN),
    "jest-none": pair("jest", "npx jest", "npx jest --passWithNoTests nothing", "No tests found, exiting with code 0"),
    "node-other-name": pair("node", "node --test", "node --test --test-name-pattern=other"),
    "node-other-file": pair("node", "node --test", "node --test test/other.test.js"),
    "ctest-other": [BUILD, *pair("ctest", "ctest --test-dir build", "ctest --test-dir build -R add", flaky="add")],
    "ctest-other-build": pair("ctest", "ctest --test-dir build-asan", "ctest --test-dir build"),
    "gtest-other-build": pair("gtest", "./build-asan/units_test", "./build/units_test"),
    "mix-only": between("mix test", "mix test --only slow", output("mix/default"), output("mix/pass-only-slow")),
    "mix-other-line": mix("mix test test/till_test.exs:99"),
    "mix-stale": mix("mix test --stale"),
    "mix-environment": mix("mix test", "MIX_ENV=ci mix test"),
    "unittest-optimised": between("python3 -O -m unittest", "python3 -m unittest", UNIT_RED, UNIT_GREEN),
    "python-development-mode": between("python -X dev -m pytest -q", "python -m pytest -q", red(), green()),
    "django-settings": between("python manage.py test --settings=a.b", "python manage.py test", UNIT_RED, UNIT_GREEN),
    "cargo-threads": between("cargo test", "cargo test -- --test-threads=1", CARGO_RED, CARGO_GREEN),
    "cargo-doc": between("cargo test", "cargo test --doc", CARGO_RED, CARGO_GREEN.replace("tests::x", "src/lib.rs - add (line 3)")),
    "go-short": go("go test -short ./..."),
    "go-shuffle": between("go test -shuffle=on ./...", "go test ./...", GO_RED[1], GO_GREEN),
    "go-platform": go("GOARCH=386 go test ./..."),
    "go-other-module": go("go -C tools test ./..."),
    "go-cached-behind-tail": go("go test ./... | tail -2", "ok  \texample.com/app/q\t(cached)"),
    "copies-of-two-parameters": [("pytest --count 1 -v", verbose("tests/test_a.py::test_x[a-1-1] FAILED", "tests/test_a.py::test_x[b-1-1] PASSED"), 1)] * 2,
    # trees and files
    "trap-takes-it-back": [edit("a = 2\n"), *again("git stash; trap 'git stash pop' EXIT; pytest -q", green())],
    "stash-in-a-script": [edit("a = 2\n"), *again("git stash\npytest -q\ngit stash pop", green())],
    "diff-taken-back": [edit("a = 2\n"), *again("git diff > /tmp/p.diff && git apply -R /tmp/p.diff && pytest -q; git apply /tmp/p.diff", green())],
    "moved-away": again("mv conftest.py /tmp/ && pytest -q; mv /tmp/conftest.py .", green()),
    "worktree-made-inside": again("git worktree add -q .wt HEAD~0 && cd .wt && pytest -q", green()),
    "stash-in-another-call": [edit("a = 2\n"), RED, ("git", "stash", "-q"), GREEN, ("git", "stash", "pop", "-q"), RED],
    "amended": [edit("a = 2\n"), ("git", "commit", "-qam", "x"), RED, edit("a = 3\n"), ("git", "commit", "-q", "--amend", "-am", "y"), GREEN, edit("a = 4\n"), RED],
    "installs-a-package": again("pip install -q foo && pytest -q", green()),
    "nested-environment-file": file_between("config/.env.test", "1", "2"),
    "new-core-module": file_between("app/core.py", "1", "2"),
    "new-junit-helper": file_between("tests/junit_helpers.py", "1", "2"),
    "expected-results": file_between("tests/expected_results.json", "1", "2"),
    "sample-log": file_between("tests/data/sample.log", "1", "2"),
})  # fmt: skip


# -- what is left of an output behind filters, and parts of tests


def filtered(command: str, seen: str) -> list[Any]:
    """A failing pytest, one whose output goes through filters, and the failing one again."""
    return again(command, seen)


def subtests(a: bool, b: bool | None) -> str:
    """go test -v of a test with two subtests; None: the filter leaves the second one out."""
    words = {True: "PASS", False: "FAIL"}
    whole = words[a and b is not False]
    lines = [f"--- {whole}: TestT (0.00s)", f"    --- {words[a]}: TestT/a (0.00s)"]
    lines += [] if b is None else [f"    --- {words[b]}: TestT/b (0.00s)"]
    end = ["PASS", GO_GREEN] if whole == "PASS" else ["FAIL", "FAIL\texample.com/app/q\t0.002s", "FAIL"]
    return "\n".join([*lines, *end])


SUBTESTS_RED = ("go test -v ./q", subtests(False, True), 1)
SUBTEST_B = subtests(True, None).replace("TestT/a", "TestT/b")
JEST_CLOSING = "Tests:       2 passed, 2 total\nSnapshots:   0 total\nTime:        0.3 s\nRan all test suites."
SPEAK.update({
    "go-subtest": [SUBTESTS_RED, ("go test -v -run 'TestT/a$' ./q", subtests(True, None), 0), SUBTESTS_RED],
    "go-test-with-all-subtests": [SUBTESTS_RED, ("go test -v -run TestT ./q", subtests(True, True), 0), SUBTESTS_RED],
    "npm-prefix-behind": between("npm test --prefix js/a", "npm --prefix js/a test", VITEST_RED, VITEST_GREEN),
    "vitest-last-lines": between("npx vitest run", "npx vitest run 2>&1 | tail -6", VITEST_RED, "\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n   Start at  22:08:42"),
    "jest-both-closings": [JEST_RED, ("npx jest 2>&1 | grep -E '^Test'", "Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total", 0), JEST_RED],
    "grep-for-the-summary": filtered("pytest -q 2>&1 | grep -E 'passed|failed'", "3 passed in 0.01s"),
    "grep-in-the-log": filtered("pytest -q > /tmp/o.log 2>&1; grep -E 'passed|failed' /tmp/o.log", "3 passed in 0.01s"),
    "lines-by-sed": filtered("pytest -q 2>&1 | sed -n '1,20p'", green()),
    "colours-taken-off": filtered("pytest -q 2>&1 | sed 's/\\x1b\\[[0-9;]*m//g'", green()),
    "marks-of-both-kinds": [JEST_RED, ("npx jest -t settles 2>&1 | grep -E '\u2713|\u2715'", "    \u2713 settles (2 ms)", 0), JEST_RED, ("npx jest 2>&1 | grep -E '\u2713|\u2715'", "    \u2713 settles (2 ms)", 0), JEST_RED],
    "packages-without-tests-left-out": go("go test ./... | grep -v 'no test files' | tail -5"),
})  # fmt: skip

SILENT.update({
    "go-other-subtest": [SUBTESTS_RED, ("go test -v -run 'TestT/b' ./q", SUBTEST_B, 0), SUBTESTS_RED],
    "go-subtest-skipped": [SUBTESTS_RED, ("go test -v -skip 'TestT/a' ./q", SUBTEST_B, 0), SUBTESTS_RED],
    "go-module-behind-the-verb": go("go test -C tools ./..."),
    "npm-other-prefix": between("npm test --prefix js/a", "npm test --prefix js/b", jest_in("js/a", True)[1], jest_in("js/b", False)[1]),
    "bun-other-folder": pair("bun", "bun test --cwd a", "bun test --cwd b"),
    "grep-cuts": filtered("pytest -q | grep -oE '[0-9]+ passed'", "2 passed"),
    "awk-prints-fields": filtered("pytest -q | awk '{print $3, $4}'", "2 passed"),
    "cut-prints-fields": filtered("pytest -q | tail -1 | cut -d, -f2", " 2 passed in 0.02s"),
    "sed-replaces": filtered("pytest -q | tail -1 | sed 's/.*, //'", "2 passed in 0.02s"),
    "grep-cuts-the-log": filtered("pytest -q > /tmp/o.log; grep -o '[0-9]* passed.*' /tmp/o.log", "2 passed in 0.02s"),
    "counted": filtered("pytest -q | grep passed | wc -l", "1"),
    "mocha-passing-only": pair("mocha", "npx mocha", "npx mocha | grep passing", "  2 passing (5ms)"),
    "playwright-last-line": between("npx playwright test", "npx playwright test | tail -1", output("playwright/playwright-list-several"), "  2 passed (1.9s)"),
    "vitest-without-files": between("npx vitest run", "npx vitest run 2>&1 | grep 'Tests '", VITEST_RED, "      Tests  2 passed (2)"),
    "jest-without-suites": [JEST_RED, ("npx jest 2>&1 | tail -4", JEST_CLOSING, 0), JEST_RED],
    "maven-without-end": pair("maven", "mvn test", "mvn test | grep 'Tests run' | tail -1", "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0"),
    "go-failures-left-out": go("go test ./... 2>&1 | grep -v FAIL", "ok  \texample.com/app/r\t0.1s"),
    "go-passes-only": go("go test -v ./... 2>&1 | grep -- '--- PASS' | head", "--- PASS: TestX (0.00s)"),
})  # fmt: skip


# -- options that nobody knows: the word behind them may be their value, or a file

SPEAK.update({
    "same-value-of-an-unknown-option": between("pytest -q --env staging", "pytest --env staging", red(), green()),
    "known-flag-and-a-file": [RED, ("pytest -q -p no:randomly", green(), 0), ("pytest -q -p no:randomly tests/test_a.py", red(), 1)],
    "doctests-in-a-folder": between("pytest -q --doctest-modules", "pytest --doctest-modules tests", red(), green()),
    "race-and-a-package": between("go test -race ./...", "go test -race ./q", GO_RED[1], GO_GREEN),
    "negated-option-and-a-file": between("npx vitest run --no-fun src/a.test.js", "npx vitest run --no-fun src", VITEST_RED, VITEST_GREEN),
    "colours-and-a-file": pair("phpunit", "phpunit --colors tests/SyncTest.php", "phpunit --colors tests"),
    "config-of-jest": same("npx jest -c a.js", JEST_RED[1], JEST_GREEN),
})  # fmt: skip

SILENT.update({
    "gems-of-the-bundle": between("rspec", "bundle exec rspec", RSPEC_RED, RSPEC_GREEN),
    "value-of-an-unknown-option": between("pytest -q --env staging", "pytest -q --env live", red(), green()),
    "value-before-a-folder": between("pytest -q --env staging tests", "pytest -q --env live tests", red(), green()),
    "browser": between("pytest -q --browser chromium", "pytest -q --browser firefox", red(), green()),
    "other-plugin": between("pytest -q -p pa", "pytest -q -p pb", red(), green()),
    "width-of-the-screen": again("COLUMNS=40 pytest -q", green()),
    "terminal": again("TERM=dumb pytest -q", green()),
    "go-own-flag": between("go test -db my", "go test -db pg", GO_RED[1], GO_GREEN),
    "go-own-flag-behind-packages": between("go test ./... -db my", "go test ./... -db pg", GO_RED[1], GO_GREEN),
    "go-own-flag-before-packages": between("go test ./q -db=my", "go test -db=my ./q", GO_RED[1], GO_GREEN),
    "go-args": between("go test ./... -args -db my", "go test ./... -args -db pg", GO_RED[1], GO_GREEN),
    "go-overlay": between("go test -overlay a.json ./...", "go test -overlay b.json ./...", GO_RED[1], GO_GREEN),
    "jest-runner": between("npx jest --testRunner a", "npx jest --testRunner b", JEST_RED[1], JEST_GREEN),
    "unknown-option-of-a-script": between("npm test -- --foo a", "npm test -- --foo b", JEST_RED[1], JEST_GREEN),
    "cargo-own-option": between("cargo test -- --unknown a", "cargo test -- --unknown b", CARGO_RED, CARGO_GREEN),
    "colours-and-another-file": pair("phpunit", "phpunit --colors tests", "phpunit --colors tests/OtherTest.php"),
})  # fmt: skip


# -- loops, and what stands between two runs of one command

SPEAK.update({
    "own-script-of-hatch": same("hatch run test", red(), green()),
    "django": same("./manage.py test", UNIT_RED, UNIT_GREEN),
    "loop-until-green": [("for i in 1 2 3; do pytest -q tests/test_a.py && break; done", red() + "\n" + green(), 0), RED],
    "loop-with-a-report-each": [("for i in 1 2; do pytest -q --junitxml=/tmp/r$i.xml; done", red() + "\n" + green(), 0)],
    "loop-of-last-lines-of-go": [GO_RED, ("for i in 1 2 3; do go test -count=1 -run TestX ./q; done", f"{GO_GREEN}\n{GO_GREEN}\n{GO_GREEN}", 0), GO_RED],
    "status-of-a-subshell": again("(pytest -q > /tmp/l 2>&1); rc=$?; tail -2 /tmp/l; exit $rc", green()),
    "one-of-two-flaky": [("pytest -q", red(X, "tests/test_a.py::test_y"), 1), GREEN, ("pytest -q", red("tests/test_a.py::test_y"), 1)],
})  # fmt: skip

SILENT.update({
    "loop-over-seeds": [("for s in 1 2 3; do pytest -q -p randomly --randomly-seed=$s; done", "\n".join([red(), green(), green()]), 0)] * 2,
    "loop-over-settings": [("for m in fast slow; do MODE=$m pytest -v; done", V_RED + "\n" + V_GREEN, 0)] * 2 + [("pytest -v", V_RED, 1)],
    "loop-over-pythons": [("for v in 3.9 3.12; do python$v -m pytest -v; done", V_RED + "\n" + V_GREEN, 0)] * 2,
    "loop-over-folders": [("for d in a b; do (cd $d && pytest -v); done", V_RED + "\n" + V_GREEN, 0)] * 2,
    "loop-over-branches": [("for b in main dev; do git checkout -q $b && pytest -v; done", V_RED + "\n" + V_GREEN, 0)] * 2,
    "loop-over-tests": [("for t in test_x test_y; do pytest -q tests/test_a.py::$t; done", red() + "\n" + green(1), 0)] * 2,
    "loop-over-flags": [("for f in '' -race; do go test -v $f ./q; done", go_verbose(True) + "\n" + go_verbose(False), 1)] * 2,
    "loop-over-read-names": [("git ls-files 'tests/*.py' | while read -r f; do pytest -q $f; done", red() + "\n" + green(1), 0)] * 2,
    "mended-between": [("pytest -v; python fix.py; pytest -v", V_RED + "\n" + V_GREEN, 0, {"during": {"app.py": "a = 2\n"}}), ("pytest -v", V_RED, 1)],
    "setting-written-between": [("pytest -q; echo A=1 > .env; pytest -q", red() + "\n" + green(), 0, {"during": {".env": "A=1\n"}}), RED],
    "installed-between": [("pytest -v; pip install -q x; pytest -v", V_RED + "\n" + V_GREEN, 0), ("pytest -v", V_RED, 1)],
})  # fmt: skip


def last_notes(steps: list[Any], base: Path) -> dict[str, str]:
    player = Inside(base)
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
