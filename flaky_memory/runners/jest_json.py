"""The JSON that jest --json and vitest --reporter=json print, read without holding it whole.

jest: https://jestjs.io/docs/configuration#testresultsprocessor-string (formatTestResults in
packages/jest-test-result); vitest writes the same shape
(https://vitest.dev/guide/reporters#json-reporter). It is one line that may be megabytes long, and
what reaches us may lack its middle. So the objects of the single tests are decoded one by one
where they stand, and a file's name is taken from behind its tests. A quote inside a JSON string
has a backslash before it, so no string can look like one of these keys.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

# '{"numTotalTestSuites":8', '{\n  "numFailedTestSuites": 1'
_START = re.compile(r'\{\s*"num(?:Total|Failed)TestSuites"\s*:')
# '{"ancestorTitles":', '"name":"', '"success":', '"numTotalTests":'
_KEY = re.compile(r'\{\s*"ancestorTitles"\s*:|"(name|success|numTotalTests|numFailedTestSuites)"\s*:\s*')

# A cut breaks one value; a text that breaks many is no such document, and each may be long.
_BROKEN = 20


class Document(NamedTuple):
    """One document: its results (name, absolute file or None, failed runs, passed runs), the
    runner's own word, whether it ran nothing, and whether jest wrote it."""

    results: List[Tuple[str, Optional[str], int, int]]
    summary: str
    idle: bool
    by_jest: bool


def starts(line: str, before: str) -> bool:
    """True for the line on which a document begins (`before` is the line above it)."""
    if line.startswith('{"num'):
        return True
    return before == "{" and line.lstrip().startswith('"num')


def documents(text: str) -> Iterator[Document]:
    """The documents that stand in a text, in order."""
    if '"ancestorTitles"' not in text and '"numTotalTests"' not in text:
        return
    begins = [match.start() for match in _START.finditer(text)] or [0]
    for start, end in zip(begins, begins[1:] + [len(text)]):
        yield _document(text, start, end)


def by_last_part(files: Iterable[Optional[str]]) -> Dict[str, List[str]]:
    """The files that a run's listing names, by their last part, for `as_listed`."""
    found: Dict[str, List[str]] = {}
    for file in dict.fromkeys(files):
        if file:
            found.setdefault(file.rsplit("/", 1)[-1], []).append(file)
    return found


def as_listed(path: Optional[str], files: Dict[str, List[str]]) -> Optional[str]:
    """An absolute path in the form in which the run's listing has it, or as it is."""
    for file in files.get(path.rsplit("/", 1)[-1], ()) if path else ():
        if path == file or str(path).endswith("/" + file):
            return file
    return path


def _document(text: str, start: int, end: int) -> Document:
    import json

    decode = json.JSONDecoder().raw_decode
    results: List[Tuple[str, Optional[str], int, int]] = []
    pending: List[Tuple[str, int, int]] = []
    top: Dict[str, Any] = {}
    by_jest, at, broken = False, start, 0
    while broken < _BROKEN:
        match = _KEY.search(text, at, end)
        if match is None:
            break
        at = match.end()
        try:
            value, at = decode(text, match.start() if match[1] is None else at)
        except (ValueError, RecursionError):
            broken += 1
            continue
        if match[1] is None:
            by_jest = by_jest or "invocations" in value or "numPassingAsserts" in value
            pending += _outcomes(value)
        elif match[1] == "name":
            results += [(name, str(value), failed, passed) for name, failed, passed in pending]
            pending = []
        else:
            top.setdefault(match[1], value)
    results += [(name, None, failed, passed) for name, failed, passed in pending]
    by_jest = by_jest or '"numRuntimeErrorTestSuites"' in text[start : min(end, start + 2000)]
    return Document(results, *_word(top, results), by_jest)


def _outcomes(test: Dict[str, Any]) -> Iterator[Tuple[str, int, int]]:
    """One test's name, failed and passed runs; nothing where it was skipped."""
    above, status = test.get("ancestorTitles"), test.get("status")
    if status not in ("passed", "failed") or not isinstance(above, list):
        return
    name = " > ".join(str(title) for title in [*above, test.get("title")] if title)
    tries = test.get("invocations")
    again = min(tries, 1000) - 1 if isinstance(tries, int) and tries > 1 else 0
    yield name, again + (status == "failed"), int(status == "passed")


def _word(top: Dict[str, Any], results: List[Tuple[str, Optional[str], int, int]]) -> Tuple[str, bool]:
    """The runner's own word on the run, and whether nothing ran."""
    success = top.get("success")
    if success is False and (results or top.get("numFailedTestSuites")):
        return FAILED, False
    if success is True and results:
        return PASSED, False
    return NONE, not results and "numTotalTests" in top
