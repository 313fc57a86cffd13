"""What a command means: which parts run tests, where, whether their exit status arrives."""

from __future__ import annotations

import pytest

from flaky_memory import command, shell

RUNS = {
    "go test ./...": "go", "go -C sub test ./...": "go", "pytest": "pytest", "python -m pytest -q": "pytest",
    "python3.11 -m pytest x": "pytest", ".venv/bin/python -m pytest": "pytest", "venv\\\\Scripts\\\\python.exe -m pytest": "pytest",
    "python -X dev -W error -m pytest": "pytest", "coverage run -m pytest": "pytest", "python -m coverage run -m pytest -q": "pytest",
    "jest -t x": "jest", "npx jest": "jest", "npx --yes jest": "jest", "yarn jest": "jest", "node node_modules/jest/bin/jest.js": "jest",
    "npx react-scripts test": "react-scripts", "vitest": "vitest", "npx vitest run": "vitest", "pnpm vitest run": "vitest",
    "pnpm exec vitest": "vitest", "bunx vitest": "vitest", "bun test": "bun", "bun --cwd web test": "bun", "bun run test": "bun run",
    "cargo test": "cargo", "cargo +nightly test": "cargo", "cargo t": "cargo", "cargo nextest run": "nextest",
    "phpunit": "phpunit", "vendor/bin/phpunit": "phpunit", "php vendor/bin/phpunit": "phpunit", "./vendor/bin/phpunit tests": "phpunit",
    "npm test": "npm run", "npm t": "npm run", "npm run test": "npm run", "npm run test:unit -- -t x": "npm run",
    "pnpm test": "pnpm run", "pnpm -r test": "pnpm run", "pnpm --filter web test": "pnpm run", "yarn test": "yarn run",
    "yarn run test": "yarn run", "yarn workspace web test": "yarn run", "npm --prefix web test": "npm run",
    "deno test": "deno", "deno task test": "deno task", "rspec": "rspec", "bundle exec rspec": "rspec", "bin/rspec": "rspec",
    "make test": "make", "make -C web check": "make", "just test": "just", "rake test": "rake", "rake spec": "rake",
    "rails test": "rails", "bin/rails test": "rails", "ruby -Itest test/x_test.rb": "ruby", "bundle exec ruby -Ilib:test test/x_test.rb": "ruby",
    "mvn test": "maven", "mvn -B verify": "maven", "./mvnw -pl web -am test": "maven", "gradle test": "gradle",
    "./gradlew test": "gradle", "./gradlew :app:test --tests Foo": "gradle", "gradle check": "gradle", "gradle build": "gradle",
    "./gradlew testDebugUnitTest": "gradle", "dotnet test": "dotnet", "dotnet run --project App.Tests": "dotnet",
    "python -m unittest": "unittest", "python manage.py test": "python manage.py", "python tests/test_account.py": "python script",
    "node --test": "node", "node --import tsx --test": "node", "node test/user.test.js": "node script", "npx mocha": "mocha",
    "npx ava": "ava", "npx tap": "tap", "npx playwright test": "playwright", "mix test": "mix", "ctest": "ctest",
    "cd build && ctest --output-on-failure": "ctest", "cmake --build build --target test": "cmake", "tox": "tox", "nox -s tests": "nox",
    "composer test": "composer", "npx nx test web": "nx", "npx nx run-many -t test": "nx", "turbo test": "turbo", "turbo run test": "turbo",
    "./build/units_test --gtest_filter=a": "script", "./run_tests.sh": "script", "bash scripts/test.sh": "script",
    "cd x && pytest": "pytest", "FOO=1 BAR=2 pytest": "pytest", "env FOO=1 pytest": "pytest", "timeout -k 5 60s go test ./...": "go",
    "uv run pytest -q": "pytest", "uv run --with x pytest": "pytest", "uv run -m pytest": "pytest", "poetry run pytest": "pytest",
    "pipenv run pytest": "pytest", "conda run -n x pytest": "pytest", "xvfb-run -a npm test": "npm run", "time pytest": "pytest",
    "for i in 1 2 3; do pytest -q; done": "pytest", "(cd a && pytest)": "pytest", 'bash -c "cd a && pytest -q"': "pytest",
    "bash -lc 'pytest -q'": "pytest", "echo a\npytest": "pytest", "eval 'pytest -q'": "pytest", "bash <<'E'\npytest\nE": "pytest",
    "f() { pytest; }; f": "pytest", "if true; then pytest; fi": "pytest", "x=$(pytest)": "pytest", "echo `pytest`": "pytest",
    "pytest \\\n  -q": "pytest", "find . -name '*_test.py' | xargs pytest": "pytest", "! pytest": "pytest", "git diff && pytest": "pytest",
    "pytest-3 -q": "pytest", "./manage.py test app": "python manage.py", "python -m django test": "python manage.py",
    "hatch run test": "hatch", "hatch run pytest": "pytest", "pdm run test": "pdm", "mise run test": "mise",
    "bun run --filter '*' test": "bun run", "pnpm turbo run test --filter=web": "turbo", "npx jest@29 x": "jest",
    "nix develop -c pytest": "pytest", "sudo -u app pytest": "pytest", "npx c8 mocha": "mocha", "npx cross-env A=1 jest": "jest",
}  # fmt: skip

RUNS_NOTHING = (
    "ls tests", "grep pytest x", "grep -rn 'go test' .", "pip install pytest", "uv add --dev pytest", "npm install jest", "git commit -m 'fix go test'",
    "cat pytest.ini", "echo go test", "git diff tests", "git checkout -b test-branch", "git log --oneline | grep test", "which pytest",
    "man pytest", "vim tests/x", "tail -f test.log", "go build ./... && go vet ./...", "gradle build -x test", "npm run build", "make build",
    "docker build -t test .", "test -f x && echo y", "[ -f test ] && ls", "find . -name test_x", "cat <<'E'\nrun pytest\nE", "# pytest",
    "echo 'pytest; go test'", "jest --listTests", "vitest list", "pytest --collect-only", "pytest --version", "go test -list . ./...",
    "cargo test --no-run", "rspec --dry-run", "make -n test", "ctest -N", "npx playwright install", "npx playwright test --list",
    "python -c 'import pytest'", "python -m pip install pytest", "python -m http.server", "rm -rf tests/__pycache__", "cp a tests/b",
    "code tests/", "npm view jest", "cargo nextest list", "echo \"$(cat test.log)\"", "mvn compile", "dotnet build Tests", "npm run typecheck",
)  # fmt: skip

TRUSTED = (
    "pytest", "cd x && pytest", "pytest && echo ok", "a && pytest && b", "set -e; pytest; echo done", "(cd x; pytest)", "{ pytest; }",
    "timeout 60 pytest", "bash -c 'pytest'", "set -o pipefail; pytest | tail", "set -euo pipefail\npytest | tail\necho", "pytest || exit 1",
    "pytest || { echo no; exit 1; }", "pytest; exit $?", "pytest; rc=$?; echo x; exit $rc", "pytest | tee log; exit ${PIPESTATUS[0]}",
    "bash -eo pipefail -c 'pytest | tail; echo'", "for i in 1 2; do pytest; done", "source .venv/bin/activate && pytest -q", "echo x; pytest",
)  # fmt: skip

DISTRUSTED = {
    "pytest | tail -3": command.PIPE, "pytest 2>&1 | grep -v x | tail": command.PIPE, "pytest; echo $?": command.FOLLOWED,
    "pytest\necho done": command.FOLLOWED, "pytest || true": command.OR, "pytest && echo ok || echo no": command.OR, "true || pytest": command.OR,
    "pytest &": command.BACKGROUND, "if pytest; then echo y; fi": command.CONDITION, "while ! pytest; do sleep 1; done": command.NEGATED,
    "until pytest; do :; done": command.CONDITION, "x=$(pytest)": command.SUBSTITUTION, "echo `pytest`": command.SUBSTITUTION, "! pytest": command.NEGATED,
    "make -i test": command.KEEPS_GOING, "mvn -fn test": command.KEEPS_GOING, "npm run test --if-present": command.KEEPS_GOING,
    "while read f; do pytest $f; done < list": command.LOOP, "case x in a) pytest;; esac": command.CONDITION,
    "set -e; if pytest; then :; fi": command.CONDITION, "bash -c 'pytest; echo x'": command.FOLLOWED, "(pytest; echo x)": command.FOLLOWED,
}  # fmt: skip

# command: does something that may change the code stand before the last, after the first runner?
CHANGES = {
    "pytest": (False, False), "git status && pytest": (False, False), "ls; pytest; echo x | tee /dev/null": (False, False),
    "git stash -q && pytest": (True, False), "pytest; git stash pop": (False, True), "git stash; pytest; git stash pop": (True, True),
    "git checkout x; pytest": (True, False), "git switch x && pytest": (True, False), "git restore . && pytest": (True, False),
    "git reset --hard && pytest": (True, False), "git apply p && pytest": (True, False), "git stash list && pytest": (False, False),
    "git worktree list && pytest": (False, False), "sed -i s/a/b/ x && pytest": (True, False), "sed -n 1p x && pytest": (False, False),
    "perl -pi -e s/a/b/ x && pytest": (True, False), "cp a b && pytest": (True, False), "cp a /tmp/b && pytest": (False, False),
    "mv a b; pytest": (True, False), "rm -rf /tmp/x && pytest": (False, False), "rm x && pytest": (True, False), "patch < p && pytest": (True, False),
    "echo x > a.py && pytest": (True, False), "echo x > /tmp/a && pytest": (False, False), "pytest > out.txt": (False, False),
    "pytest 2>&1 | tee out.txt": (False, False), "cat > a.py <<'E'\nx\nE\npytest": (True, False), "cat x > $F; pytest": (True, False),
    "black . && pytest": (True, False), "black --check . && pytest": (False, False), "ruff check . && pytest": (False, False),
    "ruff check --fix . && pytest": (True, False), "npx prettier -w . && pytest": (True, False), "go generate ./... && go test": (True, False),
    "go vet ./... && go test ./...": (False, False), "npm ci && npm test": (True, False), "make build && make test": (True, False),
    "mypy . && pytest": (False, False), "pytest && sed -i s/a/b/ x && pytest": (True, True), "docker compose up -d && pytest": (False, False),
    "for i in 1 2; do pytest; sed -i s/a/b/ x; done": (True, True), "for i in 1 2; do pytest; echo $i; done": (False, False),
    "python gen.py && pytest": (True, False), "curl -s x | jq . ; pytest": (False, False), "curl -o f x && pytest": (True, False),
}  # fmt: skip

DIRECTORIES = {
    "pytest": ".", "cd a && pytest": "a", "cd a && cd b && pytest": "a/b", "(cd a); pytest": ".", "cd a; cd ..; pytest": "a/..",
    "pushd a && pytest": "a", "cd /x && pytest": "/x", "make -C web test": "web", "npm --prefix web test": "web", "cd a && npm --prefix b test": "a/b",
    'cd "$(git rev-parse --show-toplevel)" && pytest': command.TOP, 'cd "$X" && pytest': None, "cd - && pytest": None, "cd ~ && pytest": None,
    "uv run --directory api pytest": "api", "poetry -C api run pytest": "api", "bash -c 'cd a && pytest'": "a", "env -C a pytest": "a",
    "gradle -p app test": "app", "mvn -f app/pom.xml test": "app", "cd a | cat; pytest": ".", "cd $PWD/a && pytest": None,
}  # fmt: skip

UNRECORDED = {
    "docker compose run --rm web pytest -q": command.ELSEWHERE, "docker exec -it c npm test": command.ELSEWHERE,
    "ssh host 'cd x && pytest'": command.ELSEWHERE, "kubectl exec pod -- go test ./...": command.ELSEWHERE, "pytest & wait": command.BACKGROUND,
    "cat old.log; pytest": command.PRINTS_OTHER, "tail -5 /tmp/run.txt; pytest": command.PRINTS_OTHER, "cat out.log; pytest > out.log": command.PRINTS_OTHER,
    "cd $X && pytest": command.NOWHERE, "git stash; pytest; git stash pop": command.CHANGED_AROUND, "pytest 'x": command.UNREADABLE, "ls": command.NO_TESTS,
}  # fmt: skip

RECORDED = ("pytest > out.log 2>&1; tail -30 out.log", "pytest | tee o.txt; grep FAILED o.txt", "cat app.py; pytest", "grep -n x test.py && pytest")


@pytest.mark.parametrize("text", RUNS)
def test_runs_tests(text: str) -> None:
    assert [i.tool for i in command.read(text).invocations] == [RUNS[text]]


@pytest.mark.parametrize("text", RUNS_NOTHING)
def test_runs_no_tests(text: str) -> None:
    meant = command.read(text)
    assert not meant.runs_tests
    assert meant.reason == command.NO_TESTS


@pytest.mark.parametrize("text", TRUSTED)
def test_exit_status_arrives(text: str) -> None:
    assert command.read(text).exit_trusted


@pytest.mark.parametrize("text", DISTRUSTED)
def test_exit_status_is_hidden(text: str) -> None:
    assert [i.distrust for i in command.read(text).invocations] == [DISTRUSTED[text]]


@pytest.mark.parametrize("text", CHANGES)
def test_changes_around(text: str) -> None:
    meant = command.read(text)
    assert (meant.changes_before, meant.changes_after) == CHANGES[text]


@pytest.mark.parametrize("text", DIRECTORIES)
def test_directory(text: str) -> None:
    assert [i.directory for i in command.read(text).invocations] == [DIRECTORIES[text]]


@pytest.mark.parametrize("text", UNRECORDED)
def test_not_recorded(text: str) -> None:
    assert command.read(text).reason == UNRECORDED[text]


@pytest.mark.parametrize("text", RECORDED)
def test_recorded(text: str) -> None:
    assert command.read(text).reason is None


def test_leftovers_are_what_the_runs_write() -> None:
    meant = command.read("cd a && pytest --junitxml=r.xml --html h.html > out.txt | tee b.txt")
    assert {"a/r.xml", "a/h.html", "a/out.txt", "a/b.txt"} <= meant.leftovers


@pytest.mark.parametrize("text", ["(" * 500 + "pytest", "$(" * 300 + "pytest", "`" * 999, "if " * 300, "'" * 99, "<<E\n" * 200, "a" * 10**6 + " pytest"])
def test_hostile_text_is_read_or_refused(text: str) -> None:
    command.read(text)


@pytest.mark.parametrize("text", ["a 'b c' \"d $e\" f\\ g", "x=1 y=$(z) w", "a | b && c || d; e & f", "{ a; }", "if a; then b; else c; fi"])
def test_parse_reads_all(text: str) -> None:
    assert shell.parse(text).items


@pytest.mark.parametrize("text", ["a 'b", 'a "b', "a $(b", "a `b", "(a", "for x in a; do b", "a )", "if a; then b", "| a", "a &&"])
def test_parse_refuses(text: str) -> None:
    with pytest.raises(shell.Unreadable):
        shell.parse(text)
