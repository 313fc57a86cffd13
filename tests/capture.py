"""Adds what a real runner prints to tests/captures: `make captures` calls this.

    python -m tests.capture FAMILY CASE DIR COMMAND

Runs COMMAND in DIR as an agent would (Bash, stdout and stderr merged, no terminal) and writes the case
into tests/captures/FAMILY.json. The tests in it are what the readers make of the output so far: a draft,
to be corrected by hand from the sources of the tests before it is committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from flaky_memory import explain

CAPTURES = Path(__file__).parent / "captures"


def capture(family: str, case: str, directory: str, command: str) -> dict[str, Any]:
    """One case, with a draft of its truth."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output = done.stdout.decode("utf-8", "surrogateescape").replace(str(Path(directory).resolve()), "/src/app")
    read = explain.document(command, output.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), done.returncode, directory)
    tests = [{k: t[k] for k in ("runner", "name", "scope", "failed", "passed")} for t in read["tests"]]
    return {
        "case": case, "runner": family, "tool": "", "command": command, "cwd": ".", "exit_code": done.returncode,
        "summary": read["summary"], "tests": tests, "note": "", "output": output,
    }  # fmt: skip


def add(family: str, found: dict[str, Any]) -> Path:
    """Put a case into its family's file, in place of one of the same name; one case a line."""
    path = CAPTURES / f"{family}.json"
    cases = json.loads(path.read_text()) if path.exists() else []
    cases = sorted([c for c in cases if c["case"] != found["case"]] + [found], key=lambda c: str(c["case"]))
    path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
    return path


def main(argv: list[str]) -> int:
    if len(argv) != 4:
        print("usage: make captures FAMILY=go CASE=two-runs DIR=/path/to/project COMMAND='go test ./...'", file=sys.stderr)
        return 2
    family, case, directory, command = argv
    found = capture(family, case, directory, command)
    path = add(family, found)
    print(f"{path.name}: {case}: exit status {found['exit_code']}, summary {found['summary']}")
    for test in found["tests"]:
        print(f"  {test['runner']}:{test['name']} in {test['scope']}: failed {test['failed']}, passed {test['passed']}")
    print("Correct the tests, the tool and the note by hand: they are a draft.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
