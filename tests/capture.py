"""Adds what a real runner prints to tests/captures: `make captures` calls this.

    python -m tests.capture FAMILY CASE DIR COMMAND

Runs COMMAND in DIR as an agent would (Bash, stdout and stderr merged, no terminal) and writes the case
into tests/captures/FAMILY.json, in place of one of the same name. The tests in it are what the readers
make of the output so far: a draft. Correct it by hand from the sources of the tests, and fill in "tool"
and "note": a test fails as long as they are empty.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from flaky_memory import explain
from tests import corpus

HERE = "/work/app"  # stands in an output for the folder that the command ran in
USAGE = "usage: make captures FAMILY=go CASE=two-runs DIR=/path/to/project COMMAND='go test ./...'"


def capture(family: str, name: str, directory: str, command: str) -> corpus.Case:
    """One case, with a draft of its truth."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode in (126, 127):  # as shells say it
        sys.exit(f"the command cannot be run there: {command}")
    folder = str(Path(directory).resolve())
    output = done.stdout.decode("utf-8", "replace").replace(folder, HERE)
    read = explain.document(command, output, done.returncode, folder)
    tests = [{key: test[key] for key in ("runner", "name", "scope", "failed", "passed")} for test in read["tests"]]
    for test in tests:
        if test["runner"] == family:
            del test["runner"]
    return {
        "case": name, "runner": family, "tool": "", "command": command, "cwd": ".", "exit_code": done.returncode,
        "summary": read["summary"], "tests": tests, "note": "", "output": output,
    }  # fmt: skip


def add(found: corpus.Case, folder: Path = corpus.FOLDER) -> Path:
    """Put a case into its family's file, in place of one of the same name."""
    path = folder / f"{found['runner']}.json"
    cases = corpus.load(path) if path.exists() else []
    names = [case["case"] for case in cases]
    if found["case"] in names:
        cases[names.index(found["case"])] = found
    else:
        cases.append(found)
    corpus.save(path, cases)
    return path


def main(argv: list[str]) -> int:
    if len(argv) != 4 or not all(argv):
        print(USAGE, file=sys.stderr)
        return 2
    found = capture(*argv)
    path = add(found)
    print(f"{path.name}: {found['case']}: exit status {found['exit_code']}, summary {found['summary']}")
    for test in found["tests"]:
        print(f"  {test['name']} in {test['scope']}: failed {test['failed']}, passed {test['passed']}")
    print("This is a draft: correct the tests by hand, and fill in tool and note.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
