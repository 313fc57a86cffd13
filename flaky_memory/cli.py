"""The command line. Fails loud: one clear line, exit status 2 for wrong use, 1 for "cannot"."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from flaky_memory import __version__, command, message, slash
from flaky_memory.repository import find_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional


def main(argv: List[str]) -> int:
    """Run one command; its exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    if not hasattr(options, "handler"):
        parser.print_usage(sys.stderr)
        return slash.WRONG_USE
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    status: int = options.handler(options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="flaky-memory", description="Remembers which tests passed and failed on exactly which code."
    )
    parser.add_argument("--version", action="version", version=f"flaky-memory {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND")

    def add(name: str, handler: Any, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(handler=handler)
        return sub

    status = add("status", _status, "list the flaky tests of this repository, most failures first")
    status.add_argument("--json", action="store_true", help="print one JSON object")
    reset = add("reset", _words, "forget the runs of this repository, or of one test")
    reset.add_argument("words", nargs="*", metavar="TEST", help="a test id, for example go:TestFlip")
    for verb, text in (("on", "record runs (the default)"), ("off", "record nothing; keeps the stored runs")):
        add(verb, _words, text).set_defaults(words=[])
    for sub in commands.choices.values():
        sub.set_defaults(verb=sub.prog.split()[-1])
    explain = add("explain", _explain, "say how a command and its output (on stdin) are read; records nothing")
    explain.add_argument("--command", required=True, help="the command as typed in Bash")
    explain.add_argument("--exit-code", type=int, default=0, help="its exit status (default: 0)")
    explain.add_argument("--cwd", default=".", help="where it ran (default: here)")
    explain.add_argument("--json", action="store_true", help="print one JSON object")
    add("demo", _demo, "run a flaky test three times in a throw-away repository and show the notes")
    return parser


def _print(text: str, status: int) -> int:
    print(text, file=sys.stderr if status else sys.stdout)
    return status


def _status(options: argparse.Namespace) -> int:
    if not options.json:
        return _words(argparse.Namespace(verb="status", words=[]))
    repository = find_repository(os.getcwd())
    if repository is None:
        return _print(message.NOT_A_REPOSITORY, slash.CANNOT)
    from flaky_memory.store import Store, Unusable

    try:
        document = slash.status_document(Store(repository.common), repository.top, time.time())
    except Unusable as problem:
        return _print("flaky-memory: " + message.reason(str(problem)), slash.CANNOT)
    return _print(json.dumps(document), slash.OK)


def _words(options: argparse.Namespace) -> int:
    status, text = slash.answer(" ".join([options.verb, *options.words]), os.getcwd(), time.time())
    return _print(text, status)


def _demo(options: argparse.Namespace) -> int:
    from flaky_memory import demo

    return demo.run()


# -- explain


def _explain(options: argparse.Namespace) -> int:
    output = sys.stdin.buffer.read().decode("utf-8", "replace")
    answer = explain(options.command, output, options.exit_code, os.path.abspath(options.cwd))
    return _print(json.dumps(answer) if options.json else _explained(answer), slash.OK)


def explain(text: str, output: str, exit_code: int, directory: str) -> Dict[str, Any]:
    """How one command and its output are read: the document of `explain --json`."""
    from flaky_memory import record, runners

    meant = command.read(text)
    top = find_repository(directory)
    place = record.Place(top.top if top else directory, directory, "")
    reports = record.read_output(meant, output) if meant.runs_tests else []
    named = []
    for report in reports:
        around = _surroundings(meant, report.runner, place)
        named += record.named_by(report, around, meant)
    ids = message.display_ids(n.id for n in named)
    reason = meant.reason
    if reason is None and meant.runs_tests:
        seen, problem = record.observe(meant, output, exit_code == 0, place, 0)
        reason = None if seen else problem
        if seen and not named and all(s.green < 0 for s in seen.selected):
            reason = "nothing-named"
    rows = record.rows_of(meant) if meant.runs_tests else []
    prefixes = [r.runner for r in reports] if rows is None else [runners.TABLE[r].prefix for r in rows]
    return {
        "test_command": meant.runs_tests, "runners": list(dict.fromkeys(prefixes)), "exit_trusted": meant.exit_trusted,
        "recorded": meant.runs_tests and reason is None,
        "reason": message.reason(reason) if reason else _distrust(meant),
        "summary": runners.summary(reports),
        "tests": [
            {"runner": n.id.runner, "scope": n.id.scope, "name": n.id.name, "id": ids[n.id], "failed": n.failed, "passed": n.passed}
            for n in named
        ],
    }  # fmt: skip


def _surroundings(meant: command.Command, runner: str, place: Any) -> Any:
    from flaky_memory import record, runners

    for invocation in meant.invocations:
        prefixes = [runners.TABLE[r].prefix for r in invocation.runners or ()]
        if invocation.runners is None or runner in prefixes:
            return record.surroundings(invocation, place)
    return record.surroundings(meant.invocations[0], place)


def _distrust(meant: command.Command) -> Optional[str]:
    """Why exit 0 proves nothing, in one sentence; None when it does."""
    codes = [i.distrust for i in meant.invocations if i.distrust]
    return f"exit 0 proves no pass: {message.DISTRUST[codes[0]]}" if codes else None


def _explained(answer: Dict[str, Any]) -> str:
    if not answer["test_command"]:
        return answer["reason"] or ""
    lines = [
        f"runs tests of: {', '.join(answer['runners']) or 'whatever the output shows'}",
        "recorded" if answer["recorded"] else answer["reason"],
        f"exit status: {'the own one of the tests' if answer['exit_trusted'] else answer['reason']}",
        f"the runner's own summary: {answer['summary']}",
    ]
    lines += [f"  {t['id']}: failed {t['failed']}, passed {t['passed']}" for t in answer["tests"]]
    return "\n".join(str(line) for line in lines)
