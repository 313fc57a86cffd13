"""mocha: the tree, the list of failures, prints that look like either, and other reporters."""

from __future__ import annotations

import pytest

from flaky_memory.runners import mocha


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in mocha.read(text).results}


TREE = """\


  \u2714 runs at top level
  calc
    \u2714 adds
    1) divides
    clamp
      \u2714 slow (91ms)
      - pending

  Cart
    \u2714 holds


  4 passing (105ms)
  1 pending
  1 failing

"""
LIST = """\
  1) calc
       divides:

      AssertionError [ERR_ASSERTION]: x
      + expected - actual

      at Context.<anonymous> (test/calc.test.js:5:45)



"""
WHOLE = {(None, "runs at top level"): (0, 1), (None, "calc > adds"): (0, 1), (None, "calc > divides"): (1, 0),
         (None, "calc > clamp > slow"): (0, 1), (None, "Cart > holds"): (0, 1)}

SPEAKS = [
    ("tree and list are one run", TREE + LIST, WHOLE),
    ("two runs add up", (TREE + LIST) * 2, {key: (f * 2, p * 2) for key, (f, p) in WHOLE.items()}),
    ("the list alone", "\n" + LIST, {(None, "calc > divides"): (1, 0)}),
    ("dot: only the list names tests", "\n\n  ..!..\n\n  4 passing (5ms)\n  1 failing\n\n" + LIST,
     {(None, "calc > divides"): (1, 0)}),
    ("a describe that ends with a colon", "  0 passing (5ms)\n  1 failing\n\n  1) calc:\n       divides:\n     Error: x\n",
     {(None, "calc: > divides"): (1, 0)}),
    ("filtered marks lose their describes; heads of the list are no tests",
     "    \u2714 adds\n    1) divides\n  1 passing (1ms)\n  1 failing\n  1) calc\n      at Context.<anonymous> (a.js:5:45)\n",
     {(None, "adds"): (0, 1), (None, "divides"): (1, 0)}),
    ("a step that a test printed without indent", "\n\n  calc\n\u2714 built site\n    \u2714 adds\n\n\n  1 passing (1ms)\n",
     {(None, "calc > adds"): (0, 1)}),
    ("such a step before dots", "\n\n  .\u2714 built\n\u2714 built site\n..\n\n  3 passing (1ms)\n  1 failing\n\n" + LIST,
     {(None, "calc > divides"): (1, 0)}),
    ("a filter took the indents", "\u2714 adds\n\u2714 divides\n", {(None, "adds"): (0, 1), (None, "divides"): (0, 1)}),
    ("a print is no describe", "\n\n  calc\n  connecting\n    \u2714 adds\n\n\n  1 passing (1ms)\n",
     {(None, "calc > adds"): (0, 1)}),
    ("a printed mark stands where no test can",
     "\n\n  calc\n  \u2714 fake\n    \u2714 adds\n    7) fake\n    1) bad\n\n\n  1 passing (1ms)\n  1 failing\n\n"
     "  1) calc\n       bad:\n     Error: x\n", {(None, "calc > adds"): (0, 1), (None, "calc > bad"): (1, 0)}),
    ("an error's text that looks like the list", "  0 passing (5ms)\n  2 failing\n\n  1) calc\n       a:\n     Error: \n"
     "  1) x\n       fake:\n  9 passing (1ms)\n\n  2) calc\n       b:\n     Error: y\n",
     {(None, "calc > a"): (1, 0), (None, "calc > b"): (1, 0)}),
    ("hooks by the name that mocha gives", '\n\n  db\n    1) "before all" hook for "reads"\n\n\n  0 passing (1ms)\n'
     '  1 failing\n\n  1) db\n       "before all" hook for "reads":\n     Error: x\n',
     {(None, 'db > "before all" hook for "reads"'): (1, 0)}),
    ("list reporter", "    calc adds: \r  \u2714 calc adds: 0ms\n    calc divides: \r  1) calc divides\n\n  1 passing (9ms)\n"
     "  1 failing\n\n" + LIST, {(None, "calc adds"): (0, 1), (None, "calc > divides"): (1, 0)}),
    ("tap", "ok 1 calc adds\nnot ok 2 calc bad\n  Error: x\n    1) x\nok 3 calc p # SKIP -\n# tests 2\n# pass 1\n# fail 1\n1..3\n",
     {(None, "calc adds"): (0, 1), (None, "calc bad"): (1, 0)}),
    ("xunit", '<testsuite name="Mocha Tests" tests="2" failures="0" errors="1" skipped="0" timestamp="x" time="0">\n'
     '<testcase classname="calc" name="adds" file="a.js" time="0"/>\n<testcase classname="" name="bad" file="a.js" time="0">'
     "<failure>x\n    \u2714 fake</failure></testcase>\n</testsuite>\n",
     {("a.js", "calc > adds"): (0, 1), ("a.js", "bad"): (1, 0)}),
    ("json", '{\n  "stats": {\n    "passes": 1,\n    "failures": 0\n  },\n  "passes": [\n    {"fullTitle": "calc adds", '
     '"file": "a.js"}\n  ],\n  "failures": []\n}\n', {("a.js", "calc adds"): (0, 1)}),
    ("json-stream", '["pass",{"title":"adds","fullTitle":"calc adds","file":"a.js"}]\n["end",{"passes":1,"failures":0}]\n',
     {("a.js", "calc adds"): (0, 1)}),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in SPEAKS], ids=[c[0] for c in SPEAKS])
def test_names_tests(text, expected):
    assert found(text) == expected


SILENT = [
    ("node's spec reporter", "\u25b6 calc\n  \u2714 adds (0.5842ms)\n\u2714 calc (4.6046ms)\n"),
    ("jest's listing", "PASS a.test.js\n  calc\n    \u2713 adds (5 ms)\n    \u2713 adds more\n"),
    ("ava", "\n  \u2714 cart \u203a is empty\n  \u2714 calc \u203a adds\n"),
    ("rspec's and mix's numbers", "  1) fails\n     Failure/Error: x\n"),
    ("minitest", "\n  1) Failure:\nFlipTest#test_flips [flip_test.rb:5]:\nx\n"),
    ("another runner's TAP", "TAP version 13\nok 1 - calc adds\n# tests 1\n# pass 1\n# fail 0\n"),
    ("outside of any test", "  0 passing (1ms)\n  1 failing\n\n  1) Uncaught error outside test suite:\n     Error: x\n"),
]


@pytest.mark.parametrize("text", [c[1] for c in SILENT], ids=[c[0] for c in SILENT])
def test_names_nothing(text):
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        (TREE + LIST, "failed", False),
        ("\n\n  3 passing (3ms)\n\n", "passed", False),
        ("\n\n  0 passing (1ms)\n\n", "none", True),
        ("\n\n  0 passing (1ms)\n  2 pending\n\n", "none", True),
        ("Error: No test files found\n", "none", True),
        ("\n" + LIST, "none", False),
    ],
    ids=["failed", "passed", "nothing matched", "all pending", "no files", "counts cut away"],
)
def test_summary(text, summary, idle):
    report = mocha.read(text)
    assert (report.summary, report.idle) == (summary, idle)
