"""TAP, JUnit XML and outlines: what they say, and what in them is a print or cut away."""

from __future__ import annotations

import pytest

from flaky_memory.runners import formats

CUT = "... [20012 characters truncated] ..."


def tap(text):
    reader = formats.Tap()
    for line in text.split("\n"):
        reader.feed(line)
    return reader.close()


def points(text):
    return [(" > ".join((*path, p.title)), p.passed, p.directive) for run in tap(text) for path, p in run.walk()]


NESTED = """\
TAP version 13
# Subtest: calc
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.7
      ...
    not ok 2 - divides
      ---
      error: |-
        ok 3 - in the text of an error
      ...
    1..2
not ok 1 - calc
1..1
# tests 3
"""

TAP = [
    ("children come before their parent", NESTED,
     [("calc > adds", True, ""), ("calc > divides", False, ""), ("calc", False, "")]),
    ("braces open before their children", "1..1\nnot ok 1 - f # time=1ms {\n    1..1\n    ok 1 - t # time=1ms\n}\n",
     [("f > t", True, ""), ("f", False, "")]),
    ("a block whose head was cut away belongs to no later point",
     "    ok 2 - t # time=1ms\n}\nnot ok 2 - f # time=0.00ms\nok 3 - g # time=1ms {\n    ok 1 - u # time=1ms\n}\n",
     [("t", True, ""), ("f", False, ""), ("g > u", True, ""), ("g", True, "")]),
    ("directives are no titles", "ok 1 - a # SKIP later\nnot ok 2 - b # TODO\nok 3 - c # time=1.2ms\n",
     [("a", True, "SKIP"), ("b", False, "TODO"), ("c", True, "")]),
    ("escapes", "ok 1 - issue \\#12 \\\\ x\n", [("issue #12 \\ x", True, "")]),
    ("a hash that directs nothing", "ok 1 - is C# good # or not\n", [("is C# good # or not", True, "")]),
    ("a print repeats a number", "TAP version 13\nok 1 - a\nok 1 - printed\nok 2 - b\n1..2\n",
     [("a", True, ""), ("b", True, "")]),
    ("filtered runs start again", "ok 1 - a\nok 1 - a\n", [("a", True, ""), ("a", True, "")]),
    ("no end: headings name what is above", "TAP version 13\n# Subtest: calc\n    # Subtest: adds\n    ok 1 - adds\n",
     [("calc > adds", True, "")]),
    ("headings before a cut hold no longer",
     f"# Subtest: calc\n    ok 1 - adds\n{CUT}\n    ok 2 - other\n", [("calc > adds", True, ""), ("other", True, "")]),
    ("passes filtered from failures find no wrong parent", "    ok 1 - a\n        ok 1 - b\nok 2 - c\n",
     [("a", True, ""), ("b", True, ""), ("c", True, "")]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in TAP], ids=[c[0] for c in TAP])
def test_tap_points(text, expected):
    assert points(text) == expected


@pytest.mark.parametrize("text", ["okay 1 - x", "ok then", "not ok - no number", "  1..x", "# SKIP", "}", "---"])
def test_tap_is_strict(text):
    assert points(text) == []


def test_tap_details_counts_and_runs():
    first, second = tap(NESTED + NESTED)
    assert first.counts == second.counts == {"tests": 3}
    assert first.plan == 1
    assert [p.details for _, p in first.walk()][0] == {"duration_ms": ""}


def junit(text):
    reader = formats.JUnit()
    for line in text.split("\n"):
        reader.feed(line)
    return [(case.suites, case.attributes["name"], case.outcome) for case in reader.close()]


SUITE = '<testsuites><testsuite name="s">\n'
JUNIT = [
    ("empty element passes", '<testcase name="a" time="0"/>', [("a", "passed")]),
    ("failure on the same line", '<testcase name="a"><failure>x</failure></testcase>', [("a", "failed")]),
    ("skipped below", '<testcase name="a">\n<skipped/>\n</testcase>', [("a", "skipped")]),
    ("a todo that fails is skipped", '<testcase name="a">\n<skipped type="todo"/>\n<failure>x</failure>\n</testcase>',
     [("a", "skipped")]),
    ("message over several lines", '<testcase name="a">\n<failure message="x\n\ny">z</failure>\n</testcase>',
     [("a", "failed")]),
    ("entities", '<testcase name="a &gt; &#x27;b&#39;"/>', [("a > 'b'", "passed")]),
    ("a print in CDATA is no case",
     '<testcase name="a"><system-out><![CDATA[x\n<testcase name="fake"/>\n]]></system-out></testcase>',
     [("a", "passed")]),
    ("a case without an end has not passed", '<testcase name="a">', []),
    ("a failed case without an end has failed", '<testcase name="a">\n<error>x', [("a", "failed")]),
    ("a cut inside a case", f'<testcase name="a">\n{CUT}\n</testcase>', []),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in JUNIT], ids=[c[0] for c in JUNIT])
def test_junit_cases(text, expected):
    assert [(name, outcome) for _, name, outcome in junit(SUITE + text)] == expected


def test_junit_suites_are_a_path():
    text = SUITE + '<testsuite name="t">\n<testcase name="a"/>\n</testsuite>\n<testcase name="b"/>'
    assert junit(text) == [(("s", "t"), "a", "passed"), (("s",), "b", "passed")]
