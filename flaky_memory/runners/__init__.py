"""The table of runners, and the one way to have an output read by them.

Adding a runner: a module in this folder that satisfies `base.Runner`, a row here, the command
forms in `command.py`, and a capture in tests/captures. CONTRIBUTING.md walks through it.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Tuple

    from flaky_memory.model import Report, Result
    from flaky_memory.runners.base import Runner


class Entry(NamedTuple):
    """One runner.

    `signs`: one of them stands in its output whenever it has run behind a command that does not say
    which runner it starts (`npm test`). `paths`: which part of a test holds a file as seen from where
    the runner started ("name", "scope" or ""). `project`: files whose folder is the project, for
    runners whose names may repeat in another project of the repository ("." for the folder that the
    runner started in, "^" before a name for the outermost such folder).
    """

    prefix: str
    signs: Tuple[str, ...]
    paths: str = ""
    project: Tuple[str, ...] = ()


TABLE: Dict[str, Entry] = {
    "go": Entry("go", ("--- FAIL: ", "--- PASS: ", "ok  \t", "FAIL\t", "\t[no test files]", '"Action":"')),
    "pytest": Entry(
        "pytest",
        ("test session starts", " passed", " failed", " error", "FAILED ", "ERROR ", "no tests ran in "),
        paths="name",
    ),
    "jest": Entry(
        "js",
        (
            "Tests:  ",
            "Test Suites:",
            "FAIL ",
            "PASS ",
            "\u2715 ",
            '"numRuntimeErrorTestSuites"',
        ),
        paths="scope",
    ),
    "vitest": Entry(
        "js",
        (
            " Test Files ",
            " RUN  v",
            "      Tests  ",
            " FAIL  ",
            "\u00d7 ",
            "# time=",
            'name="vitest tests"',
            '"numTotalTestSuites"',
        ),
        paths="scope",
    ),
    "bun": Entry("js", ("bun test v", "(fail) ", "(pass) ", " expect() calls"), paths="scope"),
    "cargo": Entry(
        "cargo",
        (
            "test result: ",
            " ... FAILED",
            " ... ok",
            " --- FAILED",
            '"type": "test"',
            "error: test failed, to rerun",
        ),
        project=("Cargo.lock",),
    ),
    "nextest": Entry("cargo", ("Nextest run", "     Summary [", "error: test run failed"), project=("Cargo.lock",)),
    "phpunit": Entry(
        "phpunit",
        ("PHPUnit ", " assertion", "Assertions: ", "FAILURES!", "ERRORS!", "##teamcity["),
        project=("composer.json", "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"),
    ),
    "deno": Entry(
        "deno",
        (
            " from ./",
            " passed | ",
            " => ./",
            " ... ok (",
            " ... FAILED (",
            "error: Test failed",
            "error: No test modules found",
        ),
        paths="scope",
    ),
    "dotnet": Entry(
        "dotnet",
        (
            "Test Run ",
            "Starting test execution",
            "VSTest",
            "Passed!  - ",
            "Failed!  - ",
            "Skipped! - ",
            "Total tests: ",
            "Test summary: total: ",
            "Test run summary: ",
            "  succeeded: ",
            "xUnit.net",
            "TEST EXECUTION SUMMARY",
            "error TESTERROR",
        ),
    ),
    "rspec": Entry("rspec", (" examples, ", " example, ", "rspec ./", "rspec './", '"examples":[')),
    "maven": Entry(
        "maven",
        (
            "Tests run: ",
            "T E S T S",
            "<<< FAILURE!",
            "<<< ERROR!",
            "[INFO] BUILD ",
            "Tests are skipped.",
            "[ERROR] Failed to execute goal ",
            "[ERROR] [Help 1] ",
        ),
        project=("^pom.xml",),
    ),
    "gradle": Entry(
        "gradle",
        (
            "> Task :",
            "BUILD FAILED in ",
            "BUILD SUCCESSFUL in ",
            " actionable task",
            " tests completed, ",
            "Execution failed for task ':",
        ),
        project=("settings.gradle", "settings.gradle.kts"),
    ),
    "unittest": Entry(
        "unittest",
        (
            " tests in ",
            " test in ",
            "FAIL: ",
            "ERROR: ",
            "FAILED (",
            " ... ok",
            " ... FAIL",
            " ... ERROR",
        ),
        project=(".",),
    ),
    "mocha": Entry(
        "mocha",
        (
            " passing (",
            " failing",
            "at Context.",
            "Mocha Tests",
            "# pass ",
            '"fullTitle"',
            "Error: No test files found",
        ),
        paths="scope",
    ),
    "node": Entry(
        "node",
        (
            "duration_ms",
            "\u2139 tests ",
            "\u25b6 ",
            "failing tests:",
            "Failed tests:",
            "test at ",
            "<!-- cancelled ",
        ),
        paths="scope",
    ),
    "playwright": Entry(
        "playwright",
        (
            " using ",
            " \u203a ",
            "Error: No tests found",
            '"expectedStatus"',
        ),
        paths="scope",
    ),
    "ava": Entry(
        "ava",
        (
            " tests passed",
            " test passed",
            " tests failed",
            " test failed",
            " \u203a ",
            "# pass ",
            "find any matching tests",
        ),
        paths="scope",
    ),
    "tap": Entry("tap", ("TAP version 14", "# { total:", "Asserts:", "TAP Tests"), paths="scope"),
    "minitest": Entry("minitest", (" runs, ", "#test_")),
    "mix": Entry("mix", (" tests, ", " test, ", " doctest", " (test)", "no tests to run", "No stale test")),
    "ctest": Entry(
        "ctest", ("Test project ", "% tests passed", "tests FAILED", " CTest", " Test  #", "Test #"), project=(".",)
    ),
    "gtest": Entry("gtest", ("[==========]", "[  FAILED  ]", "[       OK ]", "[  PASSED  ]", " FAILED TEST")),
}

# ECMA-48 control sequences, and the operating-system commands that set titles and links.
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78cM])")


def plain(text: str) -> str:
    """A runner's output as the modules expect it: no colours, LF line ends."""
    text = without_escapes(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return _without_torn_lines(text) if CUT in text else text


def without_escapes(text: str) -> str:
    """By pieces that end with a line: a substitution holds a list of all that stands between its matches."""
    if "\x1b" not in text:
        return text
    pieces, start = [], 0
    while start < len(text):
        end = text.find("\n", start + (1 << 18))
        end = end if end >= 0 else len(text)
        pieces.append(_ESCAPES.sub("", text[start:end]))
        start = end
    return "".join(pieces)


CUT = " characters truncated] ..."


def _without_torn_lines(text: str) -> str:
    """The output around the places where Claude Code cut it, without the line that each cut tore on
    either side: half a line can read as a result that never was."""
    before, *rest = _CUT_LINE.split(text)
    pieces = [before]
    for piece in rest:
        pieces[-1] = pieces[-1].rpartition("\n")[0]
        pieces.append(piece.partition("\n")[2])
    return f"\n... [0{CUT}\n".join(pieces)


# "\n\n... [20012 characters truncated] ...\n\n"
_CUT_LINE = re.compile(r"\n\n\.\.\. \[\d{1,12} characters truncated\] \.\.\.(?:\n\n|\n?$)")


# Which part of a test's id holds a path, by id prefix.
PATHS: Dict[str, str] = {entry.prefix: entry.paths for entry in TABLE.values() if entry.paths}


def read(text: str, names: Optional[Sequence[str]], certain: bool = True) -> List[Report]:
    """What the named runners (rows of TABLE) say in an output, in the order of their names.

    With None, or when it is not `certain` that each of them has run, the command does not tell which
    runner it starts: every runner whose signs stand in the text reads, and only those that found
    something answer.
    """
    text = plain(text)
    asked = TABLE if names is None else names
    if names is None or not certain:
        asked = [n for n in asked if any(s in text for s in TABLE[n].signs)]
    reports = _each_once([_settled(_module(name).read(text), name, text) for name in asked])
    if names is not None and certain:
        return reports
    return [r for r in reports if r.results or r.summary != NONE or r.idle or r.unrun]


def _each_once(reports: List[Report]) -> List[Report]:
    """The reports with every test in the first that names it: two rows of one prefix may read the same
    lines, so of their counts the larger holds."""
    if len({r.runner for r in reports}) == len(reports):
        return reports
    first: Dict[Tuple[str, str, Optional[str]], Result] = {}
    for report in reports:
        for result in report.results:
            key = (report.runner, result.name, result.scope)
            known = first.get(key, result)
            first[key] = known._replace(
                failed=max(known.failed, result.failed), passed=max(known.passed, result.passed)
            )
    once = []
    for report in reports:
        keys = [(report.runner, r.name, r.scope) for r in report.results]
        once.append(report._replace(results=tuple(first.pop(k) for k in keys if k in first)))
    return once


def _settled(report: Report, name: str, text: str) -> Report:
    """A report with what only the whole text tells."""
    twins = report.twins
    if twins and (report.runner not in _TITLES or _RETRIED.search(text)):
        twins = frozenset()
    skipped = -1 if report.summary == NONE else sum(int(n) for n in _SKIPPED.findall(text[-_SUMMARY_SIZE:]))
    uncovered = "overage" in text and _is_uncovered(report, text)
    partial = name == "pytest" and " deselected" in text
    first, last = _CLOSINGS.get(name, ("", ""))
    torn = last not in text and first in text
    return report._replace(twins=twins, partial=partial, skipped=skipped, uncovered=uncovered, torn=torn)


# A closing line that speaks of tests, and the one that speaks of the files or projects that they are in: where
# only the first is shown, a file that did not load is hidden.
_CLOSINGS = {
    "jest": ("Tests:", "Test Suites:"), "vitest": ("Tests  ", "Test Files "), "maven": ("Tests run:", "BUILD SUCCESS"),
}  # fmt: skip


def _is_uncovered(report: Report, text: str) -> bool:
    """True when a run says that too little is covered, and of no failure."""
    failures = any(r.failed for r in report.results) or bool(_FAILURES.search(text[-_SUMMARY_SIZE:]))
    return not failures and bool(_UNCOVERED.search(text))


_FAILURES = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|failures?|errors?|failing|fail)\b|\b(?:fail|failed|failures|errors):? +[1-9]"
)
# pytest-cov, jest, vitest, c8, node, simplecov and mix on a coverage below the one that is asked for.
_UNCOVERED = re.compile(
    r"[Cc]overage [^\n]{0,100}(?:not reached|not met|not meet|is less than fail-under|is below the expected minimum)"
)


# "1 skipped", "2 pending", "3 todo" in a runner's closing lines.
_SKIPPED = re.compile(r"\b(\d{1,6}) (?:skipped|pending|todo|ignored|disabled)\b")
_SUMMARY_SIZE = 2_000  # characters


# A title may stand twice in one file, or in two files of which the output names neither: then a pass
# and a failure in one run are two tests, unless the runner says that it tried again.
_TITLES = frozenset(("js", "mocha", "node", "tap", "ava"))
_RETRIED = re.compile(r"\((?:retry x|repeat x|attempt |run )\d|\bRETRY \d|[Rr]etry #?\d")
# Runners whose tests are only told apart by a scope that the output may leave out.
_NEED_SCOPE = frozenset(("go", "cargo", "gradle", *_TITLES))


def is_sure(report: Report, result: Result) -> bool:
    """True when a name in an output surely means one test only."""
    if result.scope is None and report.runner in _NEED_SCOPE:
        return False
    return (result.name, result.scope) not in report.twins


# Task runners that print an earlier run's output again.
_REPLAYED = re.compile(
    r"cache hit, (?:replaying|suppressing)|\[(?:local|remote) cache\]|existing outputs match the cache|>>> FULL TURBO"
    r"|Nx read the output from the cache"
)


def replayed(text: str) -> bool:
    """True when a task runner (turbo, nx) says that it printed the output of an earlier run."""
    return "cache" in text and bool(_REPLAYED.search(text)) or ">>> FULL TURBO" in text


# Build tools that find nothing to do.
_NOTHING_DONE = re.compile(
    r"Nothing to be done for |' is up to date\.|\" is up to date|ninja: no work to do|Already fresh"
)


def nothing_done(text: str) -> bool:
    """True when a build tool (make, task, ninja, wireit) says that it ran nothing."""
    return bool(_NOTHING_DONE.search(text))


def _module(name: str) -> Runner:
    """A row's module, imported only when it is needed."""
    module: Runner = __import__("flaky_memory.runners." + name, fromlist=["read"])
    return module


def summary(reports: Sequence[Report]) -> str:
    """The word of several reports together: FAILED if any failed, else PASSED if any passed."""
    said = {r.summary for r in reports}
    return FAILED if FAILED in said else PASSED if PASSED in said else NONE
