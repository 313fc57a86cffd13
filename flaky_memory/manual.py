"""What `--help` says: for each command one line, what it does, and examples."""

from __future__ import annotations

from flaky_memory.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Tuple


class Page(NamedTuple):
    """One command: its line in the list, its description, and examples with what they do."""

    line: str
    text: str
    examples: Tuple[Tuple[str, str], ...]


PROGRAM = """Remembers which tests passed and failed on exactly which code, and says so when a test fails that
did both on the same code in the last 7 days: it may be flaky rather than broken by the change."""

EXIT_STATUSES = """exit status:
  0  done
  1  cannot: not in a git repository, no such test, a store that cannot be used
  2  wrong use"""

PAGES: Dict[str, Page] = {
    "status": Page(
        "list the flaky tests of this repository",
        """Lists the flaky tests of this repository, the most failing first: how many of their runs in the last
7 days failed, on how many states of the code they both passed and failed, and when they failed last.
On a terminal the list is cut to its height.""",
        (("flaky-memory status", "the list"), ("flaky-memory status --json", "the same for programs")),
    ),
    "show": Page(
        "show what is known of one test",
        """Shows the evidence on one test: its runs from old to new, grouped by the state of the code that they
ran on, when it failed last, and where its passes are known from. TEST is an id as `status` shows it, or
any part of it that means one test, such as its bare name.""",
        (("flaky-memory show go:TestFlip", "the runs of one test"),
         ("flaky-memory show 'js:src/sync.test.js > sync > settles'", "an id with blanks")),
    ),
    "reset": Page(
        "forget the runs of this repository, or of one test",
        "Forgets the stored runs of one test, or of all tests of this repository when none is named.",
        (("flaky-memory reset go:TestFlip", "forget one test"), ("flaky-memory reset", "forget all")),
    ),
    "on": Page(
        "record runs (the default)", "Records the runs of tests in this repository again.",
        (("flaky-memory on", ""),),
    ),
    "off": Page(
        "record nothing; keeps the stored runs",
        "Records nothing in this repository until `on`. What is stored is kept, and `status` still lists it.",
        (("flaky-memory off", ""),),
    ),
    "run": Page(
        "run a test command and record it, in any terminal",
        """Runs a command as if it were typed alone: its input, output, colours, signals and exit status are its
own. When it runs tests, the run is recorded, and what is known of a test that failed is printed behind
its output, on stderr. A pipe or an `&&` belongs into `sh -c`.""",
        (("flaky-memory run -- pytest -x tests/test_sync.py", "run and record"),
         ("flaky-memory run -- sh -c 'cd api && go test ./...'", "a command of the shell")),
    ),
    "import": Page(
        "count the JUnit XML reports of CI runs",
        """Reads JUnit XML reports and counts what they say as runs on the clean tree of a commit: the one given
with --commit, or the one that a report names when that is HEAD. Read are the reports of pytest, go
(go-junit-report, gotestsum), vitest, bun, jest-junit, PHPUnit, Surefire and Gradle. A test whose id
cannot be told for certain is left out and counted. Importing a report again changes nothing.""",
        (("flaky-memory import --commit HEAD report.xml", "a report of this commit"),
         ("flaky-memory import --commit 4f1d3a9 ci/*.xml", "reports of an earlier one")),
    ),
    "explain": Page(
        "say how a command and its output are read",
        """Reads a command's output on stdin and says what would be recorded of it, and why not. Records
nothing.""",
        (("flaky-memory explain --command 'go test ./... | tail' < output.txt", "would this count?"),),
    ),
    "doctor": Page(
        "check that everything is in place",
        """Checks Python, git, the plugin's hooks, this repository and its store, and lists the last ten decisions
of the hooks with their reasons. Commands are never shown: none are stored. The exit status is 0 when all
is well, else 1.""",
        (("flaky-memory doctor", ""),),
    ),
    "demo": Page(
        "show the main job in a throw-away repository",
        "Runs a flaky test three times in a throw-away repository, prints the notes, and cleans up.",
        (("flaky-memory demo", ""),),
    ),
    "statusline": Page(
        "print the line for Claude Code's status line",
        """Reads the JSON that Claude Code gives to a status line on stdin, and prints one short line when tests were
reported in that session: the flaky ones in red, those that no longer are in green for ten minutes. While
it is shown, the findings go there and not into the conversation. A status line of your own goes behind
`--`: it gets the same JSON, and its output comes first. --install writes that to your settings, after
showing the change and asking.""",
        (("flaky-memory statusline --install", "set it up"),
         ("flaky-memory statusline -- ~/.claude/my-line.sh", "below a line of your own")),
    ),
}  # fmt: skip

USAGE = "usage: flaky-memory " + " | ".join(
    {"show": "show TEST", "reset": "reset [TEST]", "run": "run -- COMMAND", "import": "import FILE..."}.get(n, n)
    for n in PAGES
)


def epilog(name: str) -> str:
    """The end of a command's help: examples and exit statuses."""
    lines = ["examples:"]
    for command, effect in PAGES[name].examples:
        lines.append("  " + command + (f"\n      {effect}" if effect else ""))
    statuses = EXIT_STATUSES if name != "run" else "exit status:\n  the command's own; 127 when it is not found"
    return "\n".join([*lines, "", statuses])
