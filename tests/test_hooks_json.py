"""hooks.json: every command that runs tests starts the program, other commands start nothing.

The client tries a filter on each part of a command, on `cd x`, then on `npx jest`; a word with a star on
both sides is a contains-test there as it is on the whole, which is what is tried here. tests/e2e holds
this table against the client itself.
"""

from __future__ import annotations

import fnmatch
import json
import re
from typing import Any

import pytest

from flaky_memory import command, gate
from tests.conftest import ROOT

EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
TOOLS = ("Bash", "PowerShell")

RUN_TESTS = (
    "go test ./...", "pytest", "python -m pytest", "python3 -m pytest -q", "python3.12 -m pytest", ".venv/bin/pytest",
    ".venv/bin/python -m pytest", "jest", "npx jest", "npx vitest run", "bun test", "bun run test", "cargo test",
    "cargo nextest run", "phpunit", "vendor/bin/phpunit", "npm test", "npm run test", "pnpm test", "pnpm run test",
    "yarn test", "yarn run test", "deno test", "rspec", "bundle exec rspec spec/a_spec.rb", "make test", "mvn test",
    "mvn -q verify", "mvn clean install", "mvn package", "./mvnw test", "gradle test", "gradle check", "gradle build",
    "./gradlew test", "./gradlew :app:test", "./gradlew integrationTest", "dotnet test", "python -m unittest",
    "npx mocha", "node --test", "npx playwright test", "npx ava", "npx tap", "rake test", "rake spec", "rails test",
    "ruby -Itest test/a_test.rb", "mix test", "ctest", "make check", "make -C build check", "just test", "tox", "tox -e py",
    "nox", "nox -s tests", "composer test", "npm run test:unit", "npx nx test", "turbo test", "npx turbo run test",
    "cmake --build . --target check", "uvx nox", "python -m tox",
)  # fmt: skip
AROUND = (
    "cd x && {}", "CI=1 {}", "timeout 60 {}", "xvfb-run {}", "uv run {}", "poetry run {}", "echo a\n{}", "({})", "{{ {}; }}",
    "for i in 1 2 3; do {} || break; done", 'bash -c "{}"', "sh -lc 'cd x && {}'", "{} 2>&1 | tail -5", "{} > /tmp/out",
    "set -o pipefail; {} | tee log", "time {}",
)  # fmt: skip
RUN_NONE = (
    "ls", "ls -la src", "pwd", "cat README.md", "cat src/main.rs", "echo hello", "head -50 app.py", "grep -rn foo src",
    "find . -name '*.py'", "find . -name '*.java'", "sed -n 1,20p a.c", "wc -l a", "mkdir -p build", "rm -rf dist", "cp a b",
    "git status", "git diff", "git log --oneline -5", "git add -A", "git commit -m 'Fix the parser'", "git push", "git pull",
    "git checkout main", "git checkout -b fix", "git switch main", "git restore a.py", "git stash", "git rebase main",
    "npm install", "npm ci", "npm run dev", "npm run build", "npm run lint", "npx tsc --noEmit", "npx eslint .", "node app.js",
    "pip install requests", "pip install -e .", "python3 app.py", "python manage.py migrate", "ruff check .", "mypy .",
    "go build ./...", "go vet ./...", "cargo build", "cargo check", "cargo clippy", "make", "make build", "make install",
    "make clean", "cmake --build build", "docker build .", "docker compose up -d", "docker restart app", "kubectl get pods",
    "curl -s http://127.0.0.1:8000/", "java -jar app.jar", "javac Main.java", "dotnet build", "bundle install",
    "terraform plan", "brew install jq", "apt-get install -y git", "ps aux", "kill 1", "which python3", "sleep 1", "date",
)  # fmt: skip


def hooks(event: str) -> list[dict[str, Any]]:
    """The groups of an event in hooks.json."""
    groups: list[dict[str, Any]] = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"][event]
    return groups


def filters(event: str, tool: str) -> list[str]:
    """The patterns of the filters that a tool's calls must pass one of."""
    found = []
    for group in hooks(event):
        if re.fullmatch(group["matcher"], tool):
            for hook in group["hooks"]:
                kind, pattern = re.fullmatch(r"(\w+)\((.*)\)", hook["if"]).groups()  # type: ignore[union-attr]
                assert kind == tool
                found.append(pattern)
    return found


PATTERNS = filters("PreToolUse", "Bash")


def passed(text: str) -> list[str]:
    """The filters that a command passes."""
    return [p for p in PATTERNS if fnmatch.fnmatchcase(text, p)]


def event(text: str) -> bytes:
    return json.dumps({"tool_name": "Bash", "tool_input": {"command": text}}).encode()


@pytest.mark.parametrize("text", RUN_TESTS)
def test_passes_a_filter_and_the_gate(text: str) -> None:
    assert command.read(text).runs_tests
    assert passed(text)
    assert gate.may_matter(event(text))


@pytest.mark.parametrize("around", AROUND)
def test_passes_a_filter_and_the_gate_inside_other_commands(around: str) -> None:
    for text in RUN_TESTS:
        whole = around.format(text)
        assert command.read(whole).runs_tests, whole
        assert passed(whole), whole
        assert gate.may_matter(event(whole)), whole


@pytest.mark.parametrize("text", RUN_NONE)
def test_starts_nothing(text: str) -> None:
    assert passed(text) == []
    assert not command.read(text).runs_tests


def test_few_entries_start_for_one_command() -> None:
    """Each entry that matches is a process; all of them start where the client cannot read a command."""
    assert max(len(passed(text)) for text in RUN_TESTS) <= 2
    assert len(PATTERNS) <= 12


def test_gate_and_filters_have_the_same_words() -> None:
    words = [pattern.strip("*").rpartition("*")[2] for pattern in PATTERNS]
    assert [word.encode() for word in words] == list(gate.HINTS)


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("tool", TOOLS)
def test_every_event_and_tool_has_the_same_filters(name: str, tool: str) -> None:
    assert filters(name, tool) == PATTERNS


def test_every_entry_is_isolated_and_bounded() -> None:
    """Exec form (no shell, no quoting), no module of the user's, and an end."""
    expected = ["-I", "-S", "${CLAUDE_PLUGIN_ROOT}/flaky_memory/__main__.py"]
    entries = [hook for name in (*EVENTS, "UserPromptExpansion") for group in hooks(name) for hook in group["hooks"]]
    assert {(h["type"], h["command"], tuple(h["args"])) for h in entries} == {("command", "python3", tuple(expected))}
    assert all(h["timeout"] in (15, 30) for h in entries)


def test_the_slash_command_has_no_filter() -> None:
    (group,) = hooks("UserPromptExpansion")
    assert group["matcher"] == "flaky-memory:flaky-memory"
    assert [hook.get("if") for hook in group["hooks"]] == [None]
