"""node's test reporters: suites against tests, files, cancelled tests, prints and cuts."""

from __future__ import annotations

import pytest

from flaky_memory.runners import node


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in node.read(text).results}


def counts(tests, suites, passed, failed, cancelled=0):
    return (
        f"\u2139 tests {tests}\n\u2139 suites {suites}\n\u2139 pass {passed}\n\u2139 fail {failed}\n"
        f"\u2139 cancelled {cancelled}\n\u2139 skipped 0\n\u2139 todo 0\n\u2139 duration_ms 69.70\n"
    )


def listed(*entries):
    return "\n\u2716 failing tests:\n" + "".join(
        f"\ntest at {place}\n\u2716 {title}\n  {error}\n" for place, title, error in entries
    )


TREE = """\
\u25b6 calc
  \u2714 adds (0.5842ms)
  \u2716 divides (0.8768ms)
\u2716 calc (4.6046ms)
"""
SUITE = TREE + counts(2, 1, 1, 1) + listed(("test/a.test.js:5:3", "divides (0.8768ms)", "Error: x"))
WHOLE = {(None, "calc > adds"): (0, 1), ("test/a.test.js", "calc > divides"): (1, 0)}

SPEAKS = [
    ("a suite is no test, the list tells the file", SUITE, WHOLE),
    ("a test with subtests is one, as the counts show",
     TREE + counts(3, 0, 1, 2) + listed(("test/a.test.js:5:3", "divides (0.8768ms)", "Error: x")),
     {**WHOLE, (None, "calc"): (1, 0)}),
    ("a tool's step that a test printed", "\u25b6 calc\n\u2714 Built site\n  \u2714 adds (0.5842ms)\n\u2714 calc (4.6046ms)\n" + counts(1, 1, 1, 0),
     {(None, "calc > adds"): (0, 1)}),
    ("a promise that never settles cancels the suite around it",
     listed(("test/a.test.js:3:1", "slow (353.1658ms)",
             "'Promise resolution is still pending but the event loop has already resolved'"),
            ("test/a.test.js:5:3", "divides (0.8768ms)", "Error: x")), {("test/a.test.js", "divides"): (1, 0)}),
    ("a group by its error, where the list's head was cut away",
     "      at x\n\u2716 four (0.4910ms)\n  Error: boom\n      at x\n\u2716 after (0.7248ms)\n  '1 subtest failed'\n",
     {(None, "four"): (1, 0)}),
    ("two runs add up; the file of the failure is the test's",
     SUITE + TREE.replace("\u2716", "\u2714").replace("0.8768", "0.8111") + counts(2, 1, 2, 0),
     {(None, "calc > adds"): (0, 2), ("test/a.test.js", "calc > divides"): (1, 1)}),
    ("only the end of the list", "  }\n\ntest at test/a.test.js:5:3\n\u2716 divides (0.8768ms)\n  Error: x\n",
     {("test/a.test.js", "divides"): (1, 0)}),
    ("a title that ends like a time", "\u2714 took long (12.5ms) (0.1344ms)\n", {(None, "took long (12.5ms)"): (0, 1)}),
    ("node 18 closes groups with a triangle", "\u25b6 calc\n  \u2714 adds (0.5842ms)\n\u25b6 calc (4.6ms)\n\n"
     + counts(1, 1, 1, 0), {(None, "calc > adds"): (0, 1)}),
    ("node 20 shows the error in the tree",
     "\u2716 bad (0.8768ms)\n  Error: \u2714 fake (0.1234ms)\n  \u2714 fake (0.1234ms)\n\n\u2714 good (0.1111ms)\n",
     {(None, "bad"): (1, 0), (None, "good"): (0, 1)}),
    ("dot names failures, and groups whose failed test says it stands in a test",
     ".XXX\n\nFailed tests:\n\n\u2716 deep (0.8ms)\n  Error: x\n      at TestContext.<anonymous> (a.js:7:53)\n"
     "      at Test.run (node:internal/test_runner/test:1:1)\n      at TestContext.test (node:internal/test:3:20)\n"
     "      at TestContext.<anonymous> (a.js:7:13)\n\u2716 user (2.3ms)\n  '1 subtest failed'\n"
     "\u2716 suite (3.9ms)\n  '1 subtest failed'\n",
     {(None, "deep"): (1, 0), (None, "user"): (1, 0)}),
]

TAP = """\
TAP version 13
# Subtest: calc
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.7
      ...
    # Subtest: divides
    not ok 2 - divides
      ---
      duration_ms: 1.2
      location: '/app/a.test.js:5:3'
      failureType: 'testCodeFailure'
      ...
    1..2
not ok 1 - calc
  ---
  duration_ms: 4.2
  type: 'suite'
  location: '/app/a.test.js:3:1'
  ...
1..1
# tests 2
# suites 1
# pass 1
# fail 1
# cancelled 0
"""
JUNIT = """\
<testsuites>
	<testsuite name="calc" tests="2" failures="1">
		<testcase name="adds" time="0.1" classname="calc" file="/app/a.test.js"/>
		<testcase name="late" time="0.1" classname="calc" file="/app/a.test.js" failure="x">
			<failure type="cancelledByParent" message="test did not finish before its parent and was cancelled">
			</failure>
		</testcase>
	</testsuite>
	<!-- pass 1 -->
	<!-- fail 0 -->
	<!-- cancelled 1 -->
</testsuites>
"""
SPEAKS += [
    ("tap: the YAML below tells a suite and the file", TAP,
     {(None, "calc > adds"): (0, 1), ("/app/a.test.js", "calc > divides"): (1, 0)}),
    ("junit: a cancelled test has no verdict", JUNIT, {("/app/a.test.js", "calc > adds"): (0, 1)}),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in SPEAKS], ids=[c[0] for c in SPEAKS])
def test_names_tests(text, expected):
    assert found(text) == expected


SILENT = [
    ("a file that did not load", "\u2716 test/broken.test.js (33.6201ms)\n" + counts(1, 0, 0, 1)),
    ("skipped and todo", "\ufe63 a (0.0858ms) # SKIP\n\u2714 b (0.1079ms) # TODO\n\u26a0 c (1.3016ms) # fix it\n"),
    ("cancelled before it ran", "\u2716 one\n" + listed(("a.js:1:1", "one", "'test did not finish before its parent'"))),
    ("mocha's slow test", "    \u2714 caps a value (91ms)\n"),
    ("a group of which nothing tells what it is", "\u25b6 user\n  \ufe63 a (0.0858ms) # SKIP\n\u2714 user (4.1890ms)\n"),
    ("another runner's TAP", "TAP version 13\n1..1\nok 1 - a.test.ts > adds # time=1.11ms\n"),
]


@pytest.mark.parametrize("text", [c[1] for c in SILENT], ids=[c[0] for c in SILENT])
def test_names_nothing(text):
    assert found(text) == {}


def test_same_titles_in_two_files_stay_apart():
    tree = "\u2714 saves (0.6525ms)\n\u2716 saves (1.3378ms)\n"
    text = tree + counts(2, 0, 1, 1) + listed(("test/b.test.js:4:3", "saves (1.3378ms)", "Error: x"))
    assert found(text) == {(None, "saves"): (0, 1), ("test/b.test.js", "saves"): (1, 0)}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        (SUITE, "failed", False),
        ("\u2714 a (0.5842ms)\n" + counts(1, 0, 1, 0), "passed", False),
        ("\u2714 test/a.test.js (94.1592ms)\n" + counts(1, 0, 1, 0), "none", True),
        (counts(0, 0, 0, 0), "none", True),
        ("test at a.js:5:3\n\u2716 divides (0.8768ms)\n  Error: x\n", "none", False),
        ("\u2716 never\n" + counts(1, 0, 0, 0, cancelled=1), "failed", False),
    ],
    ids=["failed", "passed", "only files without tests", "no tests", "counts cut away", "cancelled only"],
)
def test_summary(text, summary, idle):
    report = node.read(text)
    assert (report.summary, report.idle) == (summary, idle)


def test_a_pass_and_a_failure_of_one_name_in_one_run_are_two_tests():
    tree = "\u2714 saves (0.6525ms)\n\u2716 saves (1.3378ms)\n"
    assert node.read(tree + counts(2, 0, 1, 1)).twins == {("saves", None)}
    assert node.read("\u2714 a (0.6525ms)\n" + counts(1, 0, 1, 0) + "\u2716 a (1.3378ms)\n").twins == frozenset()


def test_green_runs_are_counted():
    assert node.read(("\u2714 a (0.6525ms)\n" + counts(1, 0, 1, 0)) * 2 + SUITE).greens == ((None, 2),)
