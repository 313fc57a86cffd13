"""The command line. Fails loud: one clear line on stderr, exit status 2 for wrong use, 1 for "cannot"."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time

from flaky_memory import __version__, listing, manual, message, slash
from flaky_memory.repository import find_repository
from flaky_memory.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple

    from flaky_memory.repository import Repository

    Handler = Callable[[argparse.Namespace], int]

INTERRUPTED = 130  # 128 + SIGINT, as shells count


def main(argv: List[str]) -> int:
    """Run one command; its exit status."""
    try:
        options = _parser().parse_args(argv)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        handler: Handler = options.handler
        status = handler(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # `status | head`: nobody reads the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return slash.OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as problem:
        return _print(message.problem(str(problem)), slash.CANNOT)


class _Parser(argparse.ArgumentParser):
    """Wrong use is one line on stderr."""

    def error(self, text: str) -> NoReturn:
        wordless = self.prog == "flaky-memory" and not text.startswith("unrecognized arguments")
        self.exit(slash.WRONG_USE, (manual.USAGE if wordless else message.wrong_use(self.prog, text)) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="flaky-memory", usage="flaky-memory COMMAND ...", description=manual.PROGRAM,
        epilog="flaky-memory COMMAND --help says more of one command, with examples.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"flaky-memory {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="verb", required=True)
    for name, page in manual.PAGES.items():
        sub = commands.add_parser(
            name, prog="flaky-memory " + name, help=page.line, description=page.text, epilog=manual.epilog(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        handler, arguments = _COMMANDS[name]
        sub.set_defaults(handler=handler)
        for flags, settings in arguments:
            sub.add_argument(*flags, **settings)
    return parser


def _print(text: str, status: int) -> int:
    print(text, file=sys.stderr if status else sys.stdout)
    return status


def _screen() -> listing.Screen:
    """The terminal on stdout; no limits and no colours where stdout is none."""
    if not sys.stdout.isatty():
        return listing.Screen()
    size = shutil.get_terminal_size()
    colours = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return listing.Screen(size.columns, size.lines, colours, "flaky-memory status --all")


# -- the words of the slash command


def _words(options: argparse.Namespace) -> int:
    rest = " ".join(getattr(options, "words", []))
    return _perform(options.verb, rest, _screen())


def _perform(verb: str, rest: str, screen: listing.Screen) -> int:
    status, text = slash.perform(verb, rest, os.getcwd(), time.time(), screen)
    return _print(text, status)


def _status(options: argparse.Namespace) -> int:
    if options.json:
        return _document(lambda store, r: (slash.status_document(store, r.top, time.time()), ""))
    screen = _screen()
    return _perform("status", "", screen._replace(height=0) if options.all else screen)


def _show(options: argparse.Namespace) -> int:
    if not options.json:
        return _words(options)
    return _document(lambda store, r: slash.show_document(store, " ".join(options.words), time.time()))


def _document(make: Callable[[Store, Repository], Tuple[Optional[Dict[str, Any]], str]]) -> int:
    """Print a JSON document on this repository, or why there is none."""
    repository = find_repository(os.getcwd())
    if repository is None:
        return _print(message.NOT_A_REPOSITORY, slash.CANNOT)

    def act() -> Tuple[int, str]:
        document, problem = make(Store(repository.common), repository)
        return (slash.OK, json.dumps(document)) if document is not None else (slash.CANNOT, problem)

    status, text = slash.guarded(act)
    return _print(text, status)


# -- the other commands; each module is imported only when it is asked for


def _explain(options: argparse.Namespace) -> int:
    from flaky_memory import explain

    output = sys.stdin.buffer.read().decode("utf-8", "replace")
    answer = explain.document(options.command, output, options.exit_code, os.path.abspath(options.cwd))
    return _print(json.dumps(answer) if options.json else explain.text(answer), slash.OK)


def _run(options: argparse.Namespace) -> int:
    from flaky_memory import run

    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        return _print(message.wrong_use("flaky-memory run", message.NO_COMMAND), slash.WRONG_USE)
    return run.run(words)


def _import(options: argparse.Namespace) -> int:
    from flaky_memory import reports

    status, text = reports.add(options.files, options.commit, options.directory, os.getcwd(), time.time())
    return _print(text, status)


def _doctor(options: argparse.Namespace) -> int:
    from flaky_memory import doctor

    return doctor.run(_screen())


def _demo(options: argparse.Namespace) -> int:
    from flaky_memory import demo

    return demo.run()


def _statusline(options: argparse.Namespace) -> int:
    from flaky_memory import settings

    return settings.install()


def _option(*flags: str, **settings: Any) -> Tuple[Tuple[str, ...], Dict[str, Any]]:
    """The arguments of one add_argument() call."""
    return flags, settings


_JSON = _option("--json", action="store_true", help="print one JSON object")
_COMMANDS: Dict[str, Tuple[Handler, Tuple[Tuple[Tuple[str, ...], Dict[str, Any]], ...]]] = {
    "status": (_status, (_option("--all", action="store_true", help="all tests, also beyond the screen"), _JSON)),
    "show": (_show, (_option("words", nargs="+", metavar="TEST", help="a test id, for example go:TestFlip"), _JSON)),
    "reset": (_words, (_option("words", nargs="*", metavar="TEST", help="a test id, for example go:TestFlip"),)),
    "on": (_words, ()),
    "off": (_words, ()),
    "run": (_run, (
        _option("words", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the command and its arguments"),
    )),
    "import": (_import, (
        _option("files", nargs="+", metavar="FILE", help="a JUnit XML report"),
        _option("--commit", metavar="SHA",
                help="the commit that was tested (default: the report's own, if that is HEAD)"),
        _option("--directory", default="", metavar="DIR",
                help="where the tests were started, from the top of the repository (default: the top)"),
    )),
    "explain": (_explain, (
        _option("--command", required=True, help="the command as typed in Bash"),
        _option("--exit-code", type=int, default=0, metavar="N", help="its exit status (default: 0)"),
        _option("--cwd", default=".", metavar="DIR", help="where it ran (default: here)"),
        _JSON,
    )),
    "doctor": (_doctor, ()),
    "demo": (_demo, ()),
    "statusline": (_statusline, (
        _option("--install", action="store_true", required=True, help="write the settings, after asking"),
    )),
}  # fmt: skip
