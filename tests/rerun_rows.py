"""Builds the command that runs some tests again as a note does it, on files that are made for it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from flaky_memory import command, record, runners
from flaky_memory.model import TestId
from flaky_memory.payload import Call
from flaky_memory.verdict import Verdict


def built(
    typed: str,
    tests: list[tuple[str, str | None, str, str]],
    cwd: str = "",
    files: dict[str, str] | None = None,
    here: str = "",
) -> str:
    """The command, "" where it is left out. `cwd` is where the session was when `typed` was started, `here`
    where it is now ("" for the same, "." for the top), both below the top. Without `files` there are those
    that the tests name."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(os.path.realpath(folder))
        for path, text in (_named_files(tests) if files is None else files).items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text, encoding="utf-8")
        for path in (cwd, here):
            (top / path).mkdir(parents=True, exist_ok=True)
        return _rerun(typed, tests, top, cwd, here)


def _rerun(typed: str, tests: list[tuple[str, str | None, str, str]], top: Path, cwd: str, here: str) -> str:
    meant = command.read(typed)
    place = record.Place(str(top), os.path.normpath(top / cwd), "")
    record._expand(meant, place)
    now = os.path.normpath(top / (here or cwd))
    call = Call("PostToolUseFailure", "toolu_1", "s1", now, typed, False)
    ids = [TestId(runner, scope, name) for runner, scope, name, _ in tests]
    flaky = [(t, str(t), Verdict(2, 3, 1)) for t in ids]
    return record._rerun(call, meant, place, flaky, {t: at for t, (_, _, _, at) in zip(ids, tests)})


def _named_files(tests: list[tuple[str, str | None, str, str]]) -> dict[str, str]:
    """The files that the tests' ids and places name, empty."""
    found: list[str] = []
    for runner, scope, name, place in tests:
        paths = runners.PATHS.get(runner, "")
        found += [scope] if paths == "scope" and scope else [name.partition("::")[0]] if paths == "name" else []
        found += [place.rpartition(":")[0] or place] if place else []
    return {f: "" for f in found if f and not f.startswith(("/", ".."))}
