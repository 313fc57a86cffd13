"""Records tests/sessions/second_opinion.json with real runners: `make sessions` calls this.

    python -m tests.record [NAME ...]

Each scenario of tests/scenarios.py becomes a git repository in a temporary folder, where its commands really
run, as an agent would run them (Bash, stdout and stderr merged, no terminal). What they print and their exit
statuses go into the session beside what is due. With names only these are recorded anew. It refuses a command
that did not end as the scenario says, or that changed the repository.

It needs go, cargo, node with npm, ruby with rspec, php with phpunit, mix, make and the pytest that runs with this
Python; the runners of npm, and a pytest with a plugin, are installed into .cache/sessions.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from tests.conftest import GIT_ENV, ROOT, git
from tests.player import Player
from tests.scenarios import SCENARIOS

FILE = ROOT / "tests" / "sessions" / "second_opinion.json"
CACHE = ROOT / ".cache" / "sessions"
NODE_PACKAGES = ("jest@30", "vitest@4", "mocha@11")
RETRYING = ("pytest>=9", "pytest-rerunfailures>=16")
# Of the settings of this machine the runners get only these.
KEPT = ("HOME", "PATH", "CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOCACHE")
FIXED = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "CARGO_INCREMENTAL": "0"}
# What a step says of its recording, and a reader of the sessions need not know.
OWN = ("ends", "shows", "outside")


class Wrong(Exception):
    """A recording that is not what its scenario tells."""


def node_modules() -> Path:
    """The folder of the runners of npm, installed where it is missing."""
    found = CACHE / "node_modules"
    if not found.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        argv = ["npm", "install", "--prefix", str(CACHE), "--no-audit", "--no-fund", "--no-save", *NODE_PACKAGES]
        subprocess.run(argv, check=True, timeout=600)
    return found


def retrying() -> Path:
    """The programs of an environment with pytest-rerunfailures, built where it is missing."""
    found = CACHE / "retrying" / "bin"
    if not (found / "pytest").exists():
        venv.create(found.parent, with_pip=True)
        subprocess.run([found / "python", "-m", "pip", "install", "--quiet", *RETRYING], check=True, timeout=600)
    return found


class Recorder:
    """One repository in a temporary folder; nothing of the plugin is started here."""

    def __init__(self, base: Path, scenario: dict[str, Any]) -> None:
        self.base, self.player = base, Player(base)
        self.repo = self.player.repository("app", scenario["files"])
        programs = str(Path(sys.executable).parent)
        (base / "node_modules").symlink_to(node_modules())
        if scenario.get("retrying"):
            programs = str(retrying())
        elsewhere = {k: os.environ[k] for k in KEPT if k in os.environ}
        self.environ = {**elsewhere, **FIXED, "PATH": os.pathsep.join([programs, str(base / "bin"), elsewhere["PATH"]])}
        self.player.write(scenario.get("outside", {}), base)
        for program in base.glob("bin/*"):
            program.chmod(0o755)

    def run(self, step: dict[str, Any]) -> dict[str, Any]:
        """The step with what its command printed and its exit status."""
        self.player.write(step.get("write", {}))
        self.player.write(step.get("outside", {}), self.base)
        for args in step.get("git", []):
            subprocess.run(["git", *args], cwd=self.repo, env=GIT_ENV, check=True, capture_output=True)
        before = git(self.repo, "status", "--porcelain")
        done = subprocess.run(
            ["bash", "-c", step["bash"]], cwd=self.repo / step.get("cwd", "."), env=self.environ, timeout=300,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        output = self.anywhere(done.stdout.decode("utf-8", "replace"))
        if git(self.repo, "status", "--porcelain") != before:
            raise Wrong(f"{step['bash']} changed the repository:\n{git(self.repo, 'status', '--porcelain')}\n{output}")
        if (done.returncode == 0) != step["ends"] or not re.search(step.get("shows", ""), output):
            raise Wrong(f"{step['bash']} ended with {done.returncode}:\n{output}")
        kept = {key: value for key, value in step.items() if key not in OWN}
        return {**kept, "exit": done.returncode, "output": output}

    def anywhere(self, output: str) -> str:
        """An output without the paths of this machine."""
        places = {
            str(self.base): "/src", str(CACHE): "/src", sys.prefix: "/src/.venv", sys.base_prefix: "/usr",
            str(Path.home()): "/home/dev", os.path.relpath(CACHE, self.repo): "..",
        }  # fmt: skip
        for path, name in places.items():
            output = output.replace(path, name)
        for path in (str(self.base), str(ROOT), str(Path.home()), "/.cache/"):
            if path in output:
                raise Wrong(f"{path} stands in:\n{output}")
        return output

    def left_over(self) -> list[str]:
        """The turns that no test has taken."""
        return [f"{p.name}: {p.read_text()}" for p in self.base.glob("turns*") if p.read_text()]


def record(scenario: dict[str, Any]) -> dict[str, Any]:
    """One session: its files, and its steps as they really ended. Raises Wrong."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder).resolve(), scenario)
        steps = [recorder.run(step) for step in scenario["steps"]]
        if recorder.left_over():
            raise Wrong(f"turns are left over: {recorder.left_over()}")
    return {key: scenario[key] for key in ("name", "why", "files")} | {"steps": steps}


def main(names: list[str]) -> int:
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
    found = {session["name"]: session for session in stored}
    unknown = set(names) - {s["name"] for s in SCENARIOS}
    if unknown:
        print(f"no such scenario: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    failed = 0
    for scenario in SCENARIOS:
        if names and scenario["name"] not in names:
            continue
        try:
            found[scenario["name"]] = record(scenario)
        except Wrong as problem:
            print(f"{scenario['name']}: {problem}", file=sys.stderr)
            failed += 1
    lines = [
        json.dumps(found[s["name"]], ensure_ascii=False, separators=(",", ":")) for s in SCENARIOS if s["name"] in found
    ]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{FILE.name}: {len(lines)} sessions, {FILE.stat().st_size // 1024} KiB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
