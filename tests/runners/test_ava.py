"""AVA: stems, messages after titles, printed lines, hooks, and TAP."""

from __future__ import annotations

import pytest

from flaky_memory.runners import ava


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in ava.read(text).results}


RUN = """\

  - [skip] calc \u203a works with NaN
  \u2718 [fail]: other \u203a printed
  \u2714 calc \u203a adds
    \u2139 \u2718 [fail]: calc \u203a logged
  \u2718 [fail]: calc \u203a throws Error thrown in test
  \u2714 [expected fail] calc \u203a known bug
  \u2714 cart \u203a slow (304ms)
  \u2500

  calc \u203a throws

  Error thrown in test:

  Error: x



  not a title

    at x

  \u2500

  1 test failed
  1 known failure
  1 test skipped
"""
WHOLE = {("calc", "adds"): (0, 1), ("calc", "throws"): (1, 0), ("calc", "known bug"): (0, 1), ("cart", "slow"): (0, 1)}

SPEAKS = [
    ("several files: the stem is the scope", RUN, WHOLE),
    ("two runs add up", RUN + RUN, {key: (f * 2, p * 2) for key, (f, p) in WHOLE.items()}),
    ("one file: no stem", "\n  \u2714 adds\n  \u2714 a \u203a b\n  \u2500\n\n  2 tests passed\n",
     {(None, "adds"): (0, 1), (None, "a \u203a b"): (0, 1)}),
    ("head: known messages are no title", "\n  \u2718 [fail]: a \u203a x Error thrown in test\n  \u2714 a \u203a y\n",
     {("a", "x"): (1, 0), ("a", "y"): (0, 1)}),
    ("a failed afterEach fails its test", "\n  \u2714 h \u203a one\n  \u2718 [fail]: h \u203a afterEach hook for one Error thrown in test\n"
     "  \u2500\n\n  h \u203a afterEach hook for one\n\n  Error thrown in test:\n\n  \u2500\n\n  1 hook failed\n", {("h", "one"): (1, 0)}),
    ("tap", "TAP version 13\nok 1 - calc \u203a a # SKIP\nnot ok 2 - calc \u203a b # TODO\n  \u2718 [fail]: x \u203a printed\n"
     "ok 3 - calc \u203a adds\nnot ok 4 - calc \u203a bad\n  ---\n    name: E\n  ...\nnot ok 5 - Error: late\n"
     "not ok 6 - test/u.js exited with a non-zero exit code: 1\n\n1..4\n# tests 4\n# pass 1\n# fail 4\n",
     {("calc", "adds"): (0, 1), ("calc", "bad"): (1, 0)}),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in SPEAKS], ids=[c[0] for c in SPEAKS])
def test_names_tests(text, expected):
    assert found(text) == expected


SILENT = [
    ("files and processes", "\n  \u2718 No tests found in a.js, make sure to import \"ava\"\n  \u2718 a.js exited with a non-zero exit code: 1\n"),
    ("mocha", "\n\n  \u2714 top\n  calc\n    \u2714 adds\n\n\n  2 passing (9ms)\n"),
    ("node", "\u25b6 calc\n  \u2714 adds \u203a x (0.5842ms)\n"),
    ("vitest's TAP", "TAP version 13\n1..1\nok 1 - a.test.ts > calc \u203a adds # time=1.11ms\n"),
]


@pytest.mark.parametrize("text", [c[1] for c in SILENT], ids=[c[0] for c in SILENT])
def test_names_nothing(text):
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        (RUN, "failed", False),
        ("  6 tests passed\n  1 test todo\n", "passed", False),
        ("  2 tests passed\n  1 uncaught exception\n", "failed", False),
        ("  2 tests skipped\n", "none", True),
        ("\n  \u2718 Couldn\u2019t find any matching tests\n\n", "none", True),
        ("TAP version 13\nok 1 - adds\nnot ok 2 - b # TODO\n\n1..2\n# tests 1\n# pass 1\n# fail 1\n", "passed", False),
    ],
    ids=["failed", "passed", "uncaught exception", "skipped", "nothing matched", "tap counts todo as failed"],
)
def test_summary(text, summary, idle):
    report = ava.read(text)
    assert (report.summary, report.idle) == (summary, idle)
