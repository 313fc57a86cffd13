"""`import FILE...`: what reports of CI say counts as runs on the clean tree of their commit.

A case of a report is counted only where its id is certain: the tool that wrote the report is known, and the
case names its test as that tool's own output does, which is how it is stored here.
"""

from __future__ import annotations

import datetime
import os
import re

from flaky_memory import command, git, history, junit, message, record, runners, selection, sessions, slash
from flaky_memory.model import NONE, NamedTuple, Report, Result
from flaky_memory.repository import find_repository, read_file, small_file
from flaky_memory.store import Store
from flaky_memory.verdict import WINDOW, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

    from flaky_memory.history import Named, Observation
    from flaky_memory.model import Memory, TestId
    from flaky_memory.repository import Repository

# Properties in which reports name the commit that they are of.
_COMMITS = ("git.commit", "git.commit.id", "git.sha", "commit", "commit.sha", "revision", "GITHUB_SHA", "CI_COMMIT_SHA")
# What starts each tool: that is how the ids of a report get the shape of those that hooks store.
_COMMANDS = {
    "go": "go test ./...", "pytest": "pytest", "vitest": "npx vitest run", "jest": "npx jest", "bun": "bun test",
    "phpunit": "phpunit", "maven": "mvn test", "gradle": "gradle test", "nextest": "cargo nextest run",
}  # fmt: skip


class Source(NamedTuple):
    """Where a report comes from: its file from the top of the repository ("" when it lies elsewhere), and
    where the tests were started, from the top too; `top` is absolute."""

    top: str
    file: str
    directory: str


class Test(NamedTuple):
    """A case that is certain: the row of runners.TABLE, name and scope as that runner prints them, and
    where the runner was started, from the top."""

    row: str
    name: str
    scope: Optional[str]
    directory: str


class Imported(NamedTuple):
    """One report: its file, when it was made, its commit, and its cases."""

    path: str
    time: int
    commit: str
    report: junit.Report


def add(files: Sequence[str], commit: Optional[str], directory: str, here: str, now: float) -> Tuple[int, str]:
    """Import all of some reports or, when one cannot be, none; (exit status, text)."""
    repository = find_repository(here)
    if repository is None:
        return slash.CANNOT, message.NOT_A_REPOSITORY
    store = Store(repository.common)
    directory = os.path.normpath(directory)
    outside = os.path.isabs(directory) or directory.startswith("..")
    if outside or not os.path.isdir(os.path.join(repository.top, directory)):
        return slash.WRONG_USE, message.wrong_use("flaky-memory import", message.NOT_BELOW)
    if not store.enabled:
        return slash.CANNOT, message.problem(message.switched(False))
    imported: List[Imported] = []
    for path in files:
        try:
            imported.append(_read(path, commit, now))
        except junit.Refused as problem:
            return slash.CANNOT, message.report_problem(path, str(problem))
        except OSError as problem:
            return slash.CANNOT, message.problem(str(problem))
    try:
        trees = _trees(repository, imported)
    except git.Unfingerprinted as problem:
        return slash.CANNOT, message.report_problem(files[0], str(problem))
    return slash.guarded(lambda: _add(store, repository.top, imported, trees, directory, now))


def _read(path: str, commit: Optional[str], now: float) -> Imported:
    """One report. Raises junit.Refused or OSError."""
    data = read_file(path, junit.LARGEST + 1)
    if data is None:
        raise junit.Refused("no-file")
    report = junit.read(data)
    own = next((report.properties[name] for name in _COMMITS if report.properties.get(name)), "")
    if not commit and not own:
        raise junit.Refused("no-commit")
    made = _made(report) or int(os.stat(path).st_mtime)
    return Imported(path, min(made, int(now)), commit or "HEAD " + own, report)


def _made(report: junit.Report) -> int:
    """When the tests ran by the report's own word, in seconds since the epoch; 0 when it does not say.
    A time without a zone is one of CI, which runs in UTC."""
    for case in report.cases[:1]:
        for suite in case.suites[::-1]:
            try:
                moment = datetime.datetime.fromisoformat(suite.get("timestamp", "").replace("Z", "+00:00"))
                zoned = moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)
                return max(int(zoned.timestamp()), 0)
            except (ValueError, OverflowError):
                continue
    return 0


def _trees(repository: Repository, imported: Iterable[Imported]) -> Dict[str, str]:
    """The fingerprint for each commit that was named. Raises git.Unfingerprinted."""
    trees = {}
    for name in dict.fromkeys(i.commit for i in imported):
        asked, _, own = name.partition(" ")
        full, tree = git.clean_tree(repository, asked, os.environ)
        if own and own.lower() != full:
            raise git.Unfingerprinted("not-head")
        trees[name] = tree
    return trees


def _add(
    store: Store, top: str, imported: Sequence[Imported], trees: Dict[str, str], directory: str, now: float
) -> Tuple[int, str]:
    """Add the runs of the reports to the store. Raises Unusable or OSError."""
    observations: List[Observation] = []
    left_out = old = 0
    for one in imported:
        source = Source(top, _inside(top, one.path), "" if directory == "." else directory)
        tests, uncertain = identify(one.report.cases, source)
        left_out += uncertain
        if one.time > now - WINDOW:
            observations += _observed(tests, top, one.time, trees[one.commit])
        else:
            old += len(tests)
    told = store.update(lambda memory: _record(memory, observations, int(now)))
    sessions.close(store.folder, told.closed, now)
    runs = sum(n.failed + n.passed for seen in observations for n in seen.named)
    lines = [message.imported(runs, len(imported), left_out, old)]
    lines += [message.findings([(shown, verdict) for _, shown, verdict in told.flaky])] if told.flaky else []
    lines += [message.closings([shown for _, shown in told.closed])] if told.closed else []
    lines += [message.moved_aside(told.moved)] if told.moved else []
    return slash.OK, "\n".join(lines)


def _record(memory: Memory, observations: Sequence[Observation], now: int) -> record.Told:
    """Add what reports show to `memory`, in place. Failures come first: only a test that failed is stored,
    and then its passes in all reports count."""
    selections = {k.id: k.selection for k in memory.tests}
    fresh = [s._replace(named=tuple(n for n in s.named if not _is_known(memory, n, s))) for s in observations]
    closed: Dict[TestId, None] = {}
    for failing in (True, False):
        for seen in fresh:
            named = tuple(n for n in seen.named if bool(n.failed) is failing)
            if named:
                closed.update(dict.fromkeys(history.record(memory, seen._replace(named=named)).closed))
    failed = {n.id for seen in fresh for n in seen.named if n.failed and not n.recovered}
    flaky = []
    for known in memory.tests:
        known.selection = selections.get(known.id, known.selection)  # a report names no command
        verdict = judge(known.runs)
        if known.id in failed and verdict.flaky:
            known.told = now
            flaky.append((known.id, verdict))
    ids = message.display_ids(dict.fromkeys([*(k.id for k in memory.tests), *closed]))
    return record.Told([(t, ids[t], v) for t, v in flaky], [(t, ids[t]) for t in closed], memory.moved)


def _inside(top: str, path: str) -> str:
    """A file from the top of the repository; "" when it lies elsewhere."""
    full = os.path.realpath(path)
    real = os.path.realpath(top)
    return os.path.relpath(full, real).replace(os.sep, "/") if full.startswith(real + os.sep) else ""


def _is_known(memory: Memory, test: Named, seen: Observation) -> bool:
    """True when the run of a test is stored already: the report was imported before."""
    runs = (r for k in memory.tests if k.id == test.id for r in k.runs)
    outcome = not test.failed
    return any((r.time, r.fingerprint, r.passed) == (seen.time, seen.fingerprint, outcome) for r in runs)


def _observed(tests: Dict[Test, Tuple[int, int]], top: str, at: int, tree: str) -> Iterable[Observation]:
    """What the tests of a report show, for each tool and place where it was started."""
    for row, directory in dict.fromkeys((t.row, t.directory) for t in tests):
        meant = command.read(_COMMANDS[row])
        place = record.Place(top, os.path.join(top, directory) if directory else top, tree)
        around = record.surroundings(meant.invocations[0], place)
        prefix = runners.TABLE[row].prefix
        results = [
            Result(t.name, t.scope, failed, passed)
            for t, (failed, passed) in tests.items() if (t.row, t.directory) == (row, directory)
        ]  # fmt: skip
        named = record.named_by(Report(prefix, NONE, tuple(results)), around, meant)
        if row == "go":  # it tries no test again by itself
            named = [n._replace(recovered=False) for n in named]
        unknown = history.Selected((prefix,), selection.Selection("", "", None, (), ()), around, -1)
        yield history.Observation(at, tree, (unknown,), tuple(named))


# -- which test is a case?


def identify(cases: Sequence[junit.Case], source: Source) -> Tuple[Dict[Test, Tuple[int, int]], int]:
    """(the failed and passed runs of each test, how many cases are left out)."""
    found: Dict[Test, List[junit.Case]] = {}
    left_out = 0
    for case in cases:
        test = _identify(case, source)
        if test is None:
            left_out += 1
        else:
            found.setdefault(test, []).append(case)
    outcomes = {}
    for test, own in found.items():
        failed, passed = sum(c.failed for c in own), sum(c.passed for c in own)
        if len(own) == 1 or test.row == "go":  # -count and -cpu repeat a test
            outcomes[test] = (failed, passed)
        elif test.row == "pytest":  # an error of its teardown stands apart
            outcomes[test] = (1, 0) if failed else (0, 1)
        else:
            left_out += len(own)
    return outcomes, left_out


def _identify(case: junit.Case, source: Source) -> Optional[Test]:
    suites = [s.get("name", "") for s in case.suites]
    outer = suites[0] if suites else ""
    inner = case.suites[-1] if case.suites else {}
    if "go.version" in case.properties:
        return _go(case, inner, source)
    if outer in _BY_OUTER_SUITE:
        return _BY_OUTER_SUITE[outer](case, inner, source)
    if any(s.get("name") == "pytest" for s in case.suites):
        return _pytest(case, inner, source)
    if "surefire" in " ".join(inner.values()):
        return _surefire(case, inner, source)
    if "/test-results/" in source.file:
        return _gradle(case, inner, source)
    if case.attributes.get("class") and "assertions" in case.attributes:
        return _phpunit(case, inner, source)
    return None


def _go(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    """go-junit-report, gotestsum: the suite is the package."""
    name, package = case.attributes.get("name", ""), suite.get("name", "")
    certain = name.startswith(("Test", "Example", "Fuzz")) and package
    return Test("go", name, package, source.directory) if certain else None


def _pytest(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    """_pytest/junitxml.py: the class name is the node id with dots, of which the file is the first part."""
    name, parts = case.attributes.get("name", ""), case.attributes.get("classname", "").split(".")
    root = os.path.join(source.top, source.directory)
    files = [n for n in range(1, len(parts) + 1) if os.path.isfile(os.path.join(root, "/".join(parts[:n]) + ".py"))]
    if len(files) != 1 or not name or any(c in part for part in parts for c in "/\\\0"):
        return None
    node = "::".join(["/".join(parts[: files[0]]) + ".py", *parts[files[0] :], name])
    return Test("pytest", node, None, source.directory)


def _vitest(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    name, file = case.attributes.get("name", ""), case.attributes.get("classname", "")
    certain = name and file and file == suite.get("name")
    return Test("vitest", name, file, source.directory) if certain else None


def _bun(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    """The file is the outer suite, and each describe a suite in it."""
    file, titles = case.attributes.get("file", ""), [s.get("name", "") for s in case.suites[1:]]
    if not file or titles[:1] != [file]:
        return None
    return Test("bun", " > ".join([*titles[1:], case.attributes.get("name", "")]), file, source.directory)


def _jest(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    """jest-junit, where its templates keep the titles apart (https://github.com/jest-community/jest-junit):
    by default it joins them by blanks, and they cannot be told apart again."""
    name, titles = case.attributes.get("name", ""), case.attributes.get("classname", "")
    file = case.attributes.get("file") or suite.get("file", "")
    apart = " \u203a " in titles or titles == suite.get("name")
    if not file or not name or not apart or name.startswith(titles):
        return None
    return Test("jest", " > ".join([*titles.split(" \u203a "), name]), file, source.directory)


def _nextest(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    name, binary = case.attributes.get("name", ""), case.attributes.get("classname", "")
    return Test("nextest", name, binary, source.directory) if name and binary else None


_DATA_SET = re.compile(r"\w+(?: with data set (?:#\d+|\"[^\"]*\"))?")


def _phpunit(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    """src/Logging/JUnit/JunitXmlLogger.php; older ones append the arguments of a data set."""
    match = _DATA_SET.match(case.attributes.get("name", ""))
    rest = case.attributes["name"][match.end() :] if match else "?"
    if match is None or (rest and not rest.startswith(" (")):
        return None
    return Test("phpunit", f"{case.attributes['class']}::{match[0]}", None, source.directory)


_METHOD = re.compile(r"[\w$]+(?:\([^()]*\)|\{[^{}]*\})?(?:\[\d+\])?$")


def _surefire(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    """MODULE/target/surefire-reports/TEST-CLASS.xml, where MODULE's pom says what Maven calls it."""
    name, owner = case.attributes.get("name", ""), case.attributes.get("classname", "")
    module, found, _ = ("/" + source.file).rpartition("/target/")
    pom = small_file(os.path.join(source.top, module.lstrip("/"), "pom.xml")) if found else ""
    called = junit.project_name(pom.encode("utf-8", "surrogateescape"))
    if not called or not owner or not _METHOD.match(name):
        return None
    return Test("maven", f"{name}({owner})", called, module.lstrip("/"))


def _gradle(case: junit.Case, suite: Dict[str, str], source: Source) -> Optional[Test]:
    """PROJECT/build/test-results/TASK/TEST-CLASS.xml. Gradle 5 and later print the simple class name."""
    match = re.fullmatch(r"(?:(.*)/)?build/test-results/(\w+)/TEST-[^/]*\.xml", source.file)
    name, owner = case.attributes.get("name", ""), case.attributes.get("classname", "")
    if match is None or "$" in owner or not re.fullmatch(r"\w+(\(\))?", name):
        return None
    project = match[1] or ""
    root = record.nearest(source.top, project, ("settings.gradle", "settings.gradle.kts"))
    if root is None or not _is_modern(small_file(os.path.join(source.top, root, _WRAPPER))):
        return None
    parts = project[len(root) :].strip("/").split("/")
    return Test("gradle", f"{owner.rpartition('.')[2]} > {name}", ":".join(["", *filter(None, parts), match[2]]), root)


_WRAPPER = "gradle/wrapper/gradle-wrapper.properties"


def _is_modern(wrapper: str) -> bool:
    found = re.search(r"gradle-(\d{1,3})\.", wrapper)
    return found is not None and int(found[1]) >= 5


_BY_OUTER_SUITE: Dict[str, Callable[[junit.Case, Dict[str, str], Source], Optional[Test]]] = {
    "vitest tests": _vitest, "bun test": _bun, "jest tests": _jest, "nextest-run": _nextest,
    "pytest tests": _pytest,
}  # fmt: skip
