"""PHPUnit's line shapes: what must speak and what must stay silent."""

import pytest

from flaky_memory.model import FAILED, NONE, PASSED
from flaky_memory.runners import phpunit

BANNER = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n"
TIME = "\nTime: 00:00.002, Memory: 6.00 MB\n\n"


def results(text):
    return {r.name: (r.failed, r.passed) for r in phpunit.read(text).results}


def entry(number, name, message="Failed asserting that false is true."):
    return f"{number}) {name}\n{message}\n\n/app/tests/ATest.php:9\n"


ONE_FAILURE = BANNER + "F  1 / 1 (100%)\n" + TIME + "There was 1 failure:\n\n" + entry(1, "A\\BTest::testC")
CLOSED = "\nFAILURES!\nTests: 1, Assertions: 1, Failures: 1.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(ONE_FAILURE + CLOSED, {"A\\BTest::testC": (1, 0)}, id="a list with heading"),
        pytest.param(ONE_FAILURE, {"A\\BTest::testC": (1, 0)}, id="head cut the closing lines off"),
        pytest.param((ONE_FAILURE + CLOSED) * 2, {"A\\BTest::testC": (2, 0)}, id="a shell loop adds up"),
        pytest.param(
            BANNER + TIME + "There were 3 failures:\n\n" + "\n".join(entry(i, "T::testX") for i in (1, 2, 3)),
            {"T::testX": (3, 0)},
            id="--repeat lists one name three times",
        ),
        pytest.param(
            BANNER + TIME + "There was 1 failure:\n\n" + entry(1, "T::testX with data set \"k \"(x)\" z\" ('a' (b')"),
            {'T::testX with data set "k "(x)" z"': (1, 0)},
            id="arguments are dropped behind a key with quotes",
        ),
        pytest.param(
            BANNER + TIME + "There was 1 failure:\n\n" + entry(1, "T::testX with data set \"k\" ('a\" (b', 2)"),
            {'T::testX with data set "k"': (1, 0)},
            id="an argument that looks like the end of the key",
        ),
        pytest.param(
            BANNER + TIME + "There was 1 failure:\n\n" + entry(1, "T::testX with data set #12 (1, ')')"),
            {"T::testX with data set #12": (1, 0)},
            id="a numbered data set",
        ),
        pytest.param(
            "+'0.3'\n\n/app/tests/ATest.php:3\n\n" + entry(6, "T::testX") + "\n--\n\nThere was 1 risky test:\n\n"
            "1) T::testNothing\nThis test did not perform any assertions\n\n/app/tests/ATest.php:9\n\n"
            "ERRORS!\nTests: 15, Assertions: 11, Errors: 1, Failures: 6, Risky: 1.\n",
            {"T::testX": (1, 0)},
            id="tail: the counts tell which list has six entries",
        ),
        pytest.param(
            "1) T::testA\n1) T::testB\n2) T::testC\n1) T::testD\nTests: 9, Assertions: 9, Errors: 1, Failures: 2, Risky: 1.\n",
            {"T::testA": (1, 0), "T::testB": (1, 0), "T::testC": (1, 0)},
            id="grep: lists in their order, the risky one last",
        ),
        pytest.param(
            BANNER + "Cart (A\\Cart)\n ✔ Adds up [0.12 ms]\n ✘ Is full\n   │\n   │ no\n   │\n\n" + TIME +
            "Summary of non-successful tests:\n\nCart (A\\Cart)\n ✘ Is full\n   │\n   │ no\n   │\n",
            {"A\\Cart::Adds up": (0, 1), "A\\Cart::Is full": (1, 0)},
            id="TestDox prints failures twice",
        ),
        pytest.param(BANNER + "Cart\n ✔ Adds up\nnoise\n ✔ Ends\n", {"Cart::Adds up": (0, 1), "Cart::Ends": (0, 1)}, id="TestDox: a class without namespace, and a print"),
        pytest.param(" ✘ Is full\n ✘ Is full\n", {"Is full": (1, 0)}, id="TestDox grepped: the second is the summary's"),
        pytest.param(
            "##teamcity[testStarted name='testA with data set \"|'|]\"' locationHint='php_qn:///a/T.php::\\N\\T::testA' flowId='1']\n"
            "noise##teamcity[testFailed name='testA with data set \"|'|]\"' message='no' details=' /a/T.php:4|n ' flowId='1']\n"
            "##teamcity[testFinished name='testA with data set \"|'|]\"' duration='0' flowId='1']\n",
            {"N\\T::testA with data set \"']\"": (1, 0)},
            id="TeamCity with escapes and behind a print",
        ),
        pytest.param(
            '<testcase name="testA" class="N\\T" classname="N.T" file="/a/T.php" line="4" assertions="1" time="0.1"/>\n'
            '<testcase name="testB" class="N\\T" classname="N.T" file="/a/T.php" line="5" assertions="1" time="0.1">\n'
            '<failure type="X">N\\T::testB\n</failure>\n</testcase>\n',
            {"N\\T::testA": (0, 1), "N\\T::testB": (1, 0)},
            id="JUnit XML on stdout",
        ),
        pytest.param(
            "Test Passed (N\\T::testA#3)\nTest Finished (N\\T::testA#3)\nTest Failed (N\\T::testB#few)\nno\nTest Finished (N\\T::testB#few)\n",
            {"N\\T::testA with data set #3": (0, 1), 'N\\T::testB with data set "few"': (1, 0)},
            id="event log: data sets by their keys",
        ),
        pytest.param("Test Passed (T::testA)\nTest Errored (T::testA)\nTest Finished (T::testA)\n", {"T::testA": (1, 0)}, id="event log: an error in teardown"),
        pytest.param("\n--- FAILURE: N\\T::testA with data set #0 (1)\nno\n\nFAILURES (2 tests, 2 assertions, 1 failure)\n", {"N\\T::testA with data set #0": (1, 0)}, id="compact printer"),
    ],
)
def test_speaks(text, expected):
    assert results(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BANNER + TIME + "There was 1 risky test:\n\n" + entry(1, "T::testA"), id="risky"),
        pytest.param(BANNER + TIME + "There was 1 skipped test:\n\n" + entry(1, "T::testA"), id="skipped"),
        pytest.param(BANNER + TIME + "There was 1 PHPUnit error:\n\n" + entry(1, "T::testA"), id="an invalid data provider"),
        pytest.param(BANNER + TIME + "There was 1 error:\n\n" + entry(1, "Error"), id="an entry without a name"),
        pytest.param("Test 'T::testA' started\nTest 'T::testA' ended\n", id="--debug of PHPUnit 9 says no outcome"),
        pytest.param(" ↩ Tax is later\n ∅ Vouchers\n ☢ Nothing\n", id="TestDox: not run, or risky"),
        pytest.param("  ✔ adds up\n✔ adds up\n", id="marks of other runners"),
        pytest.param("1 test triggered 1 deprecation:\n\n1) /a/T.php:43\nold\n\nTriggered by:\n\n* T::testA\n  /a/T.php:41\n", id="triggered by"),
        pytest.param(
            "##teamcity[testStarted name='a' locationHint='php_qn:///a/T.php::\\T::a']\n##teamcity[testFailed name='a' message='no assertions' details=' ']\n"
            "##teamcity[testFinished name='a']\n",
            id="TeamCity: risky is a failure without a trace",
        ),
        pytest.param("##teamcity[testStarted name='test_a' locationHint='python</a>']\n##teamcity[testFinished name='test_a']\n", id="TeamCity of another runner"),
    ],
)
def test_stays_silent(text):
    assert results(text) == {}


def test_a_quoted_report_in_a_message_names_no_test():
    quoted = "the old report said:\n\n2) T::testGone\nFailed asserting that false is true.\n\nOK (5 tests, 5 assertions)"
    text = BANNER + TIME + "There were 2 failures:\n\n" + entry(1, "T::testA", quoted) + "\n" + entry(2, "T::testB")
    report = phpunit.read(text + "\nFAILURES!\nTests: 2, Assertions: 2, Failures: 2.\n")
    assert {r.name for r in report.results} == {"T::testA", "T::testB"}
    assert report.summary == FAILED


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        pytest.param(BANNER + ".\n" + TIME + "OK (1 test, 1 assertion)\n", PASSED, False, id="ok"),
        pytest.param(BANNER + "..FAILURES!\nTests: 1, Assertions: 1, Failures: 1.\n.\n" + TIME + "OK (3 tests, 3 assertions)\n", PASSED, False, id="a print in the middle"),
        pytest.param(BANNER + TIME + "OK, but there were issues!\nTests: 2, Assertions: 2, Deprecations: 1.\n", PASSED, False, id="issues"),
        pytest.param(BANNER + TIME + "OK, but incomplete, skipped, or risky tests!\nTests: 2, Assertions: 0, Skipped: 1, Incomplete: 1.\n", NONE, True, id="all skipped"),
        pytest.param(BANNER + "No tests executed!\n", NONE, True, id="no tests"),
        pytest.param("Tests: 15, Assertions: 11, Errors: 1.\n", FAILED, False, id="only the counts"),
        pytest.param("OK (1 test, 1 assertion)\nFAILURES!\nTests: 1, Assertions: 1, Failures: 1.\nOK (1 test, 1 assertion)\n", FAILED, False, id="one of three failed"),
        pytest.param("OK (4 tests, 4 assertions, 1 skipped)\n", PASSED, False, id="compact"),
        pytest.param("Tests:       1 failed, 2 passed, 3 total\nOK (skipped=1)\n", NONE, False, id="other runners"),
    ],
)
def test_summary(text, summary, idle):
    report = phpunit.read(text)
    assert (report.summary, report.idle) == (summary, idle)


def test_a_quoted_entry_is_not_believed_where_the_list_has_no_end():
    text = BANNER + TIME + "There were 2 failures:\n\n" + entry(1, "T::testA", "the old report said:\n\n2) T::testGone")
    assert results(text) == {"T::testA": (1, 0)}


def test_testdox_below_a_cut_may_be_the_summary():
    text = BANNER + "Cart (A\\Cart)\n ✘ Is full\n\n... [20012 characters truncated] ...\n\nCart (A\\Cart)\n ✘ Is full\n"
    assert results(text) == {"A\\Cart::Is full": (1, 0)}


def test_a_cut_ends_the_list_above_it():
    text = BANNER + TIME + "There was 1 failure:\n\n" + entry(1, "T::testA") + "\n\n... [20012 characters truncated] ...\n\n"
    text += entry(2, "T::testRisky", "This test did not perform any assertions") + "\nERRORS!\nTests: 9, Assertions: 9, Failures: 1, Risky: 2.\n"
    assert results(text) == {"T::testA": (1, 0)}
