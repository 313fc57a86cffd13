"""How one command and its output are read, for people and for checks; records nothing."""

from __future__ import annotations

from flaky_memory import command, message, record, runners
from flaky_memory.repository import find_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional

    from flaky_memory.command import Command
    from flaky_memory.history import Named
    from flaky_memory.model import Report
    from flaky_memory.selection import Surroundings


def document(text: str, output: str, exit_code: int, directory: str) -> Dict[str, Any]:
    """What `explain --json` prints. `summary` is the runner's own word on its whole run ("passed",
    "failed", "none"); `failed` and `passed` count the runs of a test that the output shows."""
    meant = command.read(text)
    repository = find_repository(directory)
    place = record.Place(repository.top if repository else directory, directory, "")
    reports = record.read_output(meant, output) if meant.runs_tests else []
    named = [n for r in reports for n in record.named_by(r, _surroundings(meant, r.runner, place), meant)]
    reason = meant.reason or _unrecorded(meant, output, exit_code, place, named)
    ids = message.display_ids(n.id for n in named)
    return {
        "test_command": meant.runs_tests, "runners": _prefixes(meant, reports), "exit_trusted": meant.exit_trusted,
        "recorded": meant.runs_tests and reason is None,
        "reason": message.reason(reason) if reason else _distrust(meant),
        "summary": runners.summary(reports),
        "tests": [
            {"runner": n.id.runner, "scope": n.id.scope, "name": n.id.name, "id": ids[n.id],
             "failed": n.failed, "passed": n.passed}
            for n in named
        ],
    }  # fmt: skip


def _prefixes(meant: Command, reports: List[Report]) -> List[str]:
    """The id prefixes that the command's tests can have, as far as command or output say it."""
    rows = record.rows_of(meant) if meant.runs_tests else []
    prefixes = [r.runner for r in reports] if rows is None else [runners.TABLE[r].prefix for r in rows]
    return list(dict.fromkeys(prefixes))


def _surroundings(meant: Command, runner: str, place: record.Place) -> Surroundings:
    """Where the invocation that a report belongs to starts."""
    for invocation in meant.invocations:
        if invocation.runners is None or runner in [runners.TABLE[r].prefix for r in invocation.runners]:
            return record.surroundings(invocation, place)
    return record.surroundings(meant.invocations[0], place)


def _unrecorded(meant: Command, output: str, exit_code: int, place: record.Place, named: List[Named]) -> Optional[str]:
    """Why a run that ended so would not be recorded (a key of message.REASONS); None when it would."""
    seen, problem = record.observe(meant, output, exit_code == 0, place, 0)
    if seen is None:
        return problem
    return "nothing-named" if not named and all(s.green < 0 for s in seen.selected) else None


def _distrust(meant: Command) -> Optional[str]:
    """Why exit 0 proves nothing, in one sentence; None when it does."""
    codes = [i.distrust for i in meant.invocations if i.distrust]
    return message.distrust(codes[0]) if codes else None


def text(answer: Dict[str, Any]) -> str:
    """The same for people."""
    return message.explained(answer) if answer["test_command"] else str(answer["reason"] or "")
