"""The captures: outputs of real test runs with the truth about them, packed in tests/captures.

A family's file is one JSON list, one case on each line:

    case       its name, unique in the file
    runner     the id prefix of its tests
    tool       the tool and its version
    command    as typed in Bash
    cwd        where it ran, from the top of the repository
    exit_code  of the command
    summary    what the runner itself says of the whole run: "passed", "failed" or "none"
    tests      {"name", "scope", "failed", "passed"} of every test that the output names with an outcome;
               the counts are runs; "runner" where it is another than the case's
    note       what is special about it
    output     what the command printed, stdout and stderr merged
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "captures"
FIELDS = ("case", "runner", "tool", "command", "cwd", "exit_code", "summary", "tests", "note", "output")

Case = dict[str, Any]
Key = tuple[str, str, "str | None"]
Counts = tuple[int, int]


@functools.cache
def families() -> dict[str, list[Case]]:
    """The cases of every family's file."""
    return {path.stem: load(path) for path in sorted(FOLDER.glob("*.json"))}


def load(path: Path) -> list[Case]:
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def save(path: Path, cases: list[Case]) -> None:
    """Write a family's file, one case on each line."""
    rows = [json.dumps({field: case[field] for field in FIELDS}) for case in cases]
    path.write_bytes(("[\n" + ",\n".join(rows) + "\n]\n").encode())


def by_id() -> dict[str, Case]:
    """Every case under "family/name"."""
    return {f"{family}/{case['case']}": case for family, cases in families().items() for case in cases}


# -- judging an answer


def judge(case: Case, answer: dict[str, Any]) -> list[str]:
    """How an answer of `explain` differs from the truth, a line each. A scope that the truth leaves
    open may be any; one that the truth has must be there."""
    want = {(t.get("runner", case["runner"]), t["name"], t.get("scope")): _counts(t) for t in case["tests"]}
    got = {(t["runner"], t["name"], t["scope"]): _counts(t) for t in answer["tests"]}
    wrong, left = [], dict(got)
    for key, counts in want.items():
        hit = next((g for g in left if _same(key, g)), None)
        if hit is None:
            wrong.append(f"not read: {key} {counts}")
        elif left.pop(hit) != counts:
            wrong.append(f"counted {got[hit]} for {counts}: {key}")
    wrong += [f"made up: {key} {counts}" for key, counts in left.items()]
    if answer["summary"] != case["summary"]:
        wrong.append(f"summary read as {answer['summary']}, is {case['summary']}")
    return wrong


def _counts(test: dict[str, Any]) -> Counts:
    return test.get("failed", 0), test.get("passed", 0)


def _same(want: Key, got: Key) -> bool:
    runner, name, scope = want
    named = got[1] == name or (runner == "pytest" and _same_path(name, got[1]))
    return got[0] == runner and named and (scope is None or _same_path(scope, got[2]))


def _same_path(printed: str, answered: str | None) -> bool:
    """A path as the runner printed it, or the same from the top of the repository."""
    if answered is None:
        return False
    a, b = _normal(printed), _normal(answered)
    return a == b or b.endswith("/" + a.lstrip("./"))


def _normal(path: str) -> str:
    return os.path.normpath(path) if "/" in path or path.startswith(".") else path
