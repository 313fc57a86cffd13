"""JUnit XML reports, as many tools write them: which test cases they name and how those ended.

There is no one format; https://github.com/testmoapp/junitxml and the schema of Surefire describe what is
common. A report is a stranger's text: what a document type could bring in (entities, other files) is
refused, as are a file too large and elements nested too deep. Pure but for the parser: bytes in.
"""

from __future__ import annotations

from xml.parsers import expat

from flaky_memory.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Tuple

LARGEST = 32 << 20  # bytes
DEEPEST = 64  # elements inside each other
MOST_CASES = 200_000

# What stands in a test case and says how it ended. Surefire's reruns: `flakyFailure` and `flakyError` for
# each failure of a test that then passed, `rerunFailure` and `rerunError` for each further failure of one
# that never did (https://maven.apache.org/surefire/maven-surefire-plugin/examples/rerun-failing-tests.html).
_FAILED = ("failure", "error")
_FAILED_BEFORE = ("flakyFailure", "flakyError")
_FAILED_AGAIN = ("rerunFailure", "rerunError")
_NOT_RUN = ("skipped", "disabled", "ignored")


class Refused(Exception):
    """The report was not read; the text is a key of message.REPORT_PROBLEMS."""


class Case(NamedTuple):
    """A test case: its attributes, the attributes of the suites around it (the outermost first), how many
    of its runs failed and passed, and the properties of those suites."""

    attributes: Dict[str, str]
    suites: Tuple[Dict[str, str], ...]
    failed: int
    passed: int
    properties: Dict[str, str]


class Report(NamedTuple):
    """The cases that ran, and all properties of the report."""

    cases: List[Case]
    properties: Dict[str, str]


def read(data: bytes) -> Report:
    """The cases of a report. Raises Refused."""
    if len(data) > LARGEST:
        raise Refused("large")
    return _Reader().read(data)


def _parser() -> expat.XMLParserType:
    """A parser that refuses document types: they bring in entities and other files."""

    def refuse(*declaration: Any) -> Any:
        raise Refused("doctype")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    return parser


def project_name(pom: bytes) -> str:
    """What a Maven project calls itself in its pom.xml: its name, else its artifactId; "" when that
    cannot be told (https://maven.apache.org/pom.html)."""
    path: List[str] = []
    found: Dict[str, str] = {}

    def text(data: str) -> None:
        if len(path) == 2 and path[1] in ("name", "artifactId"):
            found[path[1]] = found.get(path[1], "") + data

    parser = _parser()
    parser.StartElementHandler = lambda name, attributes: path.append(name)
    parser.EndElementHandler = lambda name: path.pop() and None
    parser.CharacterDataHandler = text
    try:
        parser.Parse(pom, True)
    except (expat.ExpatError, Refused):
        return ""
    name = (found.get("name") or found.get("artifactId", "")).strip()
    return "" if "$" in name else name


class _Reader:
    """Follows the elements of one report."""

    def __init__(self) -> None:
        self.parser = _parser()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.is_junit = False
        self.elements: List[str] = []
        self.suites: List[Dict[str, str]] = []
        self.properties: List[Dict[str, str]] = [{}]  # of the report, and of each open suite
        self.case: Dict[str, str] = {}
        self.ends: List[str] = []
        self.cases: List[Case] = []

    def read(self, data: bytes) -> Report:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError:
            raise Refused("no-xml") from None
        if not self.is_junit:
            raise Refused("no-junit")
        return Report(self.cases, self.properties[0])

    def start(self, name: str, attributes: Dict[str, str]) -> None:
        if len(self.elements) >= DEEPEST:
            raise Refused("deep")
        parent = self.elements[-1] if self.elements else ""
        self.elements.append(name)
        if name in ("testsuite", "testsuites"):
            self.is_junit = True
            self.suites.append(attributes)
            self.properties.append(dict(self.properties[-1]))
        elif name == "testcase":
            self.case, self.ends = attributes, []
        elif name == "property" and parent == "properties" and "testcase" not in self.elements:
            known, value = attributes.get("name", ""), attributes.get("value", "")
            self.properties[-1][known] = self.properties[0][known] = value
        elif parent == "testcase":
            self.ends.append(name)

    def end(self, name: str) -> None:
        self.elements.pop()
        if name in ("testsuite", "testsuites"):
            self.suites.pop()
            self.properties.pop()
        elif name == "testcase":
            self.close()

    def close(self) -> None:
        if len(self.cases) >= MOST_CASES:
            raise Refused("large")
        failed, passed = _outcome(self.ends, self.case.get("status", ""))
        if failed or passed:
            self.cases.append(Case(self.case, tuple(self.suites), failed, passed, self.properties[-1]))


def _outcome(ends: List[str], status: str) -> Tuple[int, int]:
    """(failed, passed) runs of a case, by what stands in it."""
    count = {name: ends.count(name) for name in set(ends)}
    if any(count.get(n) for n in _NOT_RUN) or status in ("notrun", "skipped", "disabled"):
        return 0, 0
    before = sum(count.get(n, 0) for n in _FAILED_BEFORE)
    if any(count.get(n) for n in _FAILED):  # a failure and an error of its teardown are one run
        return 1 + sum(count.get(n, 0) for n in _FAILED_AGAIN), 0
    return before, 1
