"""Surefire's lines from 2.12 to 3.6, and what looks like them."""

from __future__ import annotations

import pytest

from flaky_memory.runners import maven

HEADING = "[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in com.acme.ATest\n"
OLD_HEADING = "Running com.acme.ATest\nTests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.09 sec <<< FAILURE!\n"
TOTALS = "[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0\n"
GOAL = "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project {}: There are test failures.\n"


def results(text: str) -> list[tuple]:
    return [tuple(r) for r in maven.read(text).results]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            HEADING + "[ERROR] com.acme.ATest.works -- Time elapsed: 0.04 s <<< FAILURE!\n",
            ("works(com.acme.ATest)", None, 1, 0), id="3.2 and later put -- before the time",
        ),
        pytest.param(
            "[ERROR] com.acme.ATest.works  Time elapsed: 1,204.5 s  <<< ERROR!\n",
            ("works(com.acme.ATest)", None, 1, 0), id="3.0 milestones, behind grep",
        ),
        pytest.param(
            HEADING + "[ERROR] com.acme.ATest.adds(int, int)[2] -- Time elapsed: 0.04 s <<< FAILURE!\n",
            ("adds(int, int)[2](com.acme.ATest)", None, 1, 0), id="parameters belong to the name",
        ),
        pytest.param(
            HEADING + "[ERROR] com.acme.ATest.usesInfo(TestInfo) -- Time elapsed: 0.04 s <<< FAILURE!\n",
            ("usesInfo(TestInfo)(com.acme.ATest)", None, 1, 0), id="one parameter is no class",
        ),
        pytest.param(
            HEADING + "[ERROR] com.acme.ATest.adds 1.5 and 2 -- Time elapsed: 0.04 s <<< FAILURE!\n",
            ("adds 1.5 and 2(com.acme.ATest)", None, 1, 0), id="a Kotlin name with blanks and a dot",
        ),
        pytest.param(
            "[ERROR] works(com.acme.ATest)  Time elapsed: 0.04 s  <<< ERROR!\n",
            ("works(com.acme.ATest)", None, 1, 0), id="2.22 with JUnit 4",
        ),
        pytest.param(
            HEADING.replace("--", "-") + "[ERROR] works{int}[2]  Time elapsed: 0.04 s  <<< ERROR!\n",
            ("works{int}[2](com.acme.ATest)", None, 1, 0), id="2.22 with JUnit 5 leaves the class to the heading",
        ),
        pytest.param(
            HEADING.replace("--", "-") + "[ERROR] works  Time elapsed: 0.04 s  <<< ERROR!\n"
            "java.lang.IllegalStateException\n\tat com.acme.ATest$Inner.works(ATest.java:4)\n",
            ("works(com.acme.ATest$Inner)", None, 1, 0), id="2.22 with a nested class: the stack knows it",
        ),
        pytest.param(
            HEADING.replace("--", "-") + "[ERROR] works  Time elapsed: 0.04 s  <<< ERROR!\n"
            "[ERROR] Errors: \n[ERROR]   ATest$Inner.works:4 » NullPointer\n",
            ("works(com.acme.ATest$Inner)", None, 1, 0), id="2.22 with a nested class: the list knows it",
        ),
        pytest.param(
            HEADING.replace("--", "-") + "[ERROR] works(TestInfo)  Time elapsed: 0.04 s  <<< ERROR!\n",
            ("works(TestInfo)(com.acme.ATest)", None, 1, 0), id="JUnit 5's first provider: a parameter is no class",
        ),
        pytest.param(
            HEADING.replace("com.acme.ATest", "Orders in stock") + "[ERROR] Orders in stock.one left -- Time elapsed: 0.1 s <<< FAILURE!\n",
            ("one left(Orders in stock)", None, 1, 0), id="a class under its phrase",
        ),
        pytest.param(
            OLD_HEADING + "rooms[1: (room) 5](com.acme.ATest)  Time elapsed: 0.001 sec  <<< FAILURE!\n",
            ("rooms[1: (room) 5](com.acme.ATest)", None, 1, 0), id="before 2.20 without levels",
        ),
        pytest.param(
            OLD_HEADING + "works(com.acme.ATest)  Time elapsed: 0.001 sec\n",
            ("works(com.acme.ATest)", None, 0, 1), id="the plain report names what passed",
        ),
        pytest.param(
            HEADING + "[ERROR] com.acme.ATest.works -- Time elapsed: 0.003 s\n",
            ("works(com.acme.ATest)", None, 0, 1), id="passed in a class that failed: level ERROR all the same",
        ),
        pytest.param(
            "12:30:01,123 [ERROR] com.acme.ATest.works -- Time elapsed: 0.04 s <<< FAILURE!\n",
            ("works(com.acme.ATest)", None, 1, 0), id="the logger shows the time",
        ),
        pytest.param(
            "[ERROR] Failures: \n[ERROR]   ATest.works:4->helper:9 » expected\n",
            ("works(ATest)", None, 1, 0), id="the list alone knows no package",
        ),
        pytest.param(
            "[ERROR] Failures: \n[ERROR]   SubTest>BaseTest.works:4 expected\n",
            ("works(SubTest)", None, 1, 0), id="an inherited test belongs to the class that ran",
        ),
        pytest.param(
            "[INFO] Running com.acme.ATest\n... [900 characters truncated] ...\n"
            "[ERROR] Errors: \n[ERROR]   ATest.works Expected exception: java.lang.Error: 12\n",
            ("works(com.acme.ATest)", None, 1, 0), id="a line above the cut says the package",
        ),
        pytest.param(
            "\tat com.acme.ATest.works(ATest.java:4)\n[ERROR] Errors: \n[ERROR]   ATest.works:4 no\n",
            ("works(com.acme.ATest)", None, 1, 0), id="a stack frame says the package",
        ),
        pytest.param(
            "Failed tests:   works[1: (a) b](com.acme.ATest): old\n\nTests run: 1, Failures: 1, Errors: 0, Skipped: 0\n",
            ("works[1: (a) b](com.acme.ATest)", None, 1, 0), id="2.12 lists the first failure beside its heading",
        ),
        pytest.param(
            "[WARNING] Flakes: \n[WARNING] com.acme.ATest.works\n[ERROR]   Run 1: ATest.works:4 no\n[INFO]   Run 2: PASS\n",
            ("works(com.acme.ATest)", None, 1, 1), id="each rerun is a run",
        ),
        pytest.param(
            "[ERROR] Failures: \n[ERROR] com.acme.ATest.works(com.acme.ATest)\n"
            "[ERROR]   Run 1: ATest.works:4 no\n[ERROR]   Run 2: ATest.works:4 no\n",
            ("works(com.acme.ATest)", None, 2, 0), id="2.22 says the class twice",
        ),
        pytest.param(
            "[INFO] --- surefire:3.2.5:test (default-test) @ web ---\n" + HEADING
            + "[ERROR] com.acme.ATest.works -- Time elapsed: 0.04 s <<< FAILURE!\n",
            ("works(com.acme.ATest)", "web", 1, 0), id="Maven 3.9 and 4 shorten the plugin's name",
        ),
        pytest.param(
            "[ERROR] Failures: \n[ERROR]   ATest.works:4 no\n" + GOAL.format("web"),
            ("works(ATest)", "web", 1, 0), id="the end of the build names the module",
        ),
    ],
)
def test_speaks(text: str, expected: tuple) -> None:
    assert results(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HEADING + "[ERROR] com.acme.ATest -- Time elapsed: 0.07 s <<< ERROR!\n", id="a class failed"),
        pytest.param(
            HEADING + "[ERROR] com.acme.ATest -- Time elapsed: 0.07 s <<< ERROR!\njava.lang.Error\n"
            "\tat com.acme.ATest.connect(ATest.java:9)\n[ERROR] Errors: \n[ERROR]   ATest.connect:9 no database\n" + TOTALS,
            id="the list calls a class by the method around its tests",
        ),
        pytest.param(
            HEADING + "[ERROR] com.acme.ATest -- Time elapsed: 0.07 s <<< ERROR!\n... [900 characters truncated] ...\n"
            "[ERROR] Errors: \n[ERROR]   ATest.connect:9 no database\n" + TOTALS,
            id="the same where its stack was cut away",
        ),
        pytest.param("[ERROR] Errors: \n[ERROR]   ATest.setUp:9 no database\n", id="setUp is no test"),
        pytest.param("[ERROR] Errors: \n[ERROR]   ATest.lambda$works$0:9 no\n", id="a lambda is no test"),
        pytest.param("[ERROR] Errors: \n[ERROR]   ATest.<init>:9 no\n", id="a constructor is no test"),
        pytest.param(
            "[ERROR] Errors: \n[ERROR] com.acme.ATest.null\n[ERROR]   Run 1: ATest.setUp:4 no\n", id="a class that ran again"
        ),
        pytest.param("[ERROR] initializationError(com.acme.ATest)  Time elapsed: 0 s  <<< ERROR!\n", id="cannot load"),
        pytest.param(
            "[INFO] Running com.acme.ATest\n[ERROR] com.acme.ATest.works -- Time elapsed: 0.1 s <<< FAILURE!\n",
            id="printed by a test: before the class's counts",
        ),
        pytest.param(
            "[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in com.acme.ATest\n"
            "[ERROR] com.acme.BTest.works -- Time elapsed: 0.1 s <<< FAILURE!\n",
            id="printed by a test: the class above had no failure",
        ),
        pytest.param(
            HEADING + "com.acme.ATest.works -- Time elapsed: 0.1 s <<< FAILURE!\n", id="not printed by Maven's logger"
        ),
        pytest.param(HEADING + "[ERROR] com.acme.ATest.works skipped\n", id="skipped in the plain report"),
        pytest.param("[WARNING] works  Time elapsed: 0.001 s  <<< SKIPPED!\n", id="skipped"),
        pytest.param("com.acme.ATest.works FAILED\nFailures: the order of yesterday\n  ATest.works:4 no\n", id="prose"),
        pytest.param(
            "[ERROR] Failures: \n... [900 characters truncated] ...\n[ERROR]   ATest.works:4 no\n", id="the list was cut away"
        ),
    ],
)
def test_stays_silent(text: str) -> None:
    assert results(text) == []


def test_detail_list_and_totals_are_one_run() -> None:
    text = HEADING + (
        "[ERROR] com.acme.ATest.adds(int)[1] -- Time elapsed: 0.04 s <<< FAILURE!\n"
        "[ERROR] com.acme.ATest.works -- Time elapsed: 0.04 s <<< ERROR!\n"
        "[ERROR] Failures: \n[ERROR]   ATest.adds:4 no\n[ERROR] Errors: \n[ERROR]   ATest.works:9 » Error\n"
    ) + TOTALS
    assert results(text) == [("adds(int)[1](com.acme.ATest)", None, 1, 0), ("works(com.acme.ATest)", None, 1, 0)]


def test_list_tells_what_the_cut_details_no_longer_say() -> None:
    text = (
        "[ERROR] com.acme.ATest.works -- Time elapsed: 0.04 s <<< ERROR!\njava.lang.Error\n"
        "\tat com.acme.ATest.prepare(ATest.java:3)\n"
        "[ERROR] Failures: \n[ERROR]   ATest.first:4 no\n[ERROR]   ATest.prepare:3 no\n" + TOTALS
    )
    assert results(text) == [("works(com.acme.ATest)", None, 1, 0), ("first(com.acme.ATest)", None, 1, 0)]


def test_details_before_a_cut_and_the_list_behind_it_are_one_run() -> None:
    text = (
        "[INFO] --- surefire:3.2.5:test (default-test) @ web ---\n" + HEADING
        + "[ERROR] com.acme.ATest.works -- Time elapsed: 0.04 s <<< ERROR!\n\n\n... [900 characters truncated] ...\n\n"
        "[ERROR] Failures: \n[ERROR]   ATest.first:4 no\n[ERROR]   ATest.works:3 no\n" + TOTALS + GOAL.format("web")
    )
    assert results(text) == [("works(com.acme.ATest)", "web", 1, 0), ("first(com.acme.ATest)", "web", 1, 0)]


def test_modules_named_at_the_end_in_their_order() -> None:
    block = "[ERROR] Failures: \n[ERROR]   ATest.works:4 no\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n"
    text = block + block.replace("ATest", "BTest") + GOAL.format("core") + GOAL.format("web")
    assert results(text) == [("works(ATest)", "core", 1, 0), ("works(BTest)", "web", 1, 0)]


def test_two_quiet_runs_add_up() -> None:
    run = "[ERROR] Failures: \n[ERROR]   ATest.works:4 no\n" + GOAL.format("web")
    assert results(run + run) == [("works(ATest)", "web", 2, 0)]


def test_a_failed_module_behind_a_cut_is_not_that_of_the_tests_before_it() -> None:
    text = "[ERROR] Failures: \n[ERROR]   ATest.works:4 no\n" + TOTALS + "... [900 characters truncated] ...\n" + GOAL.format("web")
    assert results(text) == [("works(ATest)", None, 1, 0)]


def test_old_list_of_another_row_than_the_detail() -> None:
    text = (
        "rooms[2: b](com.acme.ATest)  Time elapsed: 0 sec\n\nResults :\n\n"
        "Failed tests:   rooms[1: a](com.acme.ATest): no\n\nTests run: 3, Failures: 1, Errors: 0, Skipped: 0\n"
    )
    assert results(text) == [("rooms[2: b](com.acme.ATest)", None, 0, 1), ("rooms[1: a](com.acme.ATest)", None, 1, 0)]


def test_parallel_modules_interleave() -> None:
    detail = "[ERROR] com.acme.ATest.works -- Time elapsed: 0.1 s <<< FAILURE!\n"
    heading = HEADING.replace("Errors: 1", "Errors: 0")
    listed = "[ERROR] Failures: \n[ERROR]   ATest.works:4 no\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n"
    text = (
        "[INFO] Using the MultiThreadedBuilder implementation with a thread count of 2\n"
        "[INFO] --- surefire:3.2.5:test (default-test) @ core ---\n[INFO] --- surefire:3.2.5:test (default-test) @ web ---\n"
        + heading + detail + heading + detail + listed + listed
    )
    assert results(text) == [("works(com.acme.ATest)", None, 2, 0)]


SCAN = "[INFO] Scanning for projects...\n"
TOTALS_OK = "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n"


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        pytest.param(SCAN + TOTALS_OK + "[INFO] BUILD SUCCESS\n", "passed", False, id="whole build"),
        pytest.param("[INFO] BUILD SUCCESS\n", "passed", False, id="tail"),
        pytest.param(
            SCAN + "... [900 characters truncated] ...\n[INFO] BUILD SUCCESS\n", "passed", False, id="the totals were cut away"
        ),
        pytest.param(TOTALS_OK, "passed", False, id="grep keeps the totals"),
        pytest.param("[INFO] Reactor Build Order:\n" + TOTALS_OK, "none", False, id="one module of several"),
        pytest.param(TOTALS, "failed", False, id="totals of a failed run"),
        pytest.param(HEADING, "none", False, id="a class is not the run: it may be run again"),
        pytest.param(TOTALS + "[INFO] BUILD SUCCESS\n", "failed", False, id="failures that the build ignores"),
        pytest.param(
            "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n[INFO] BUILD SUCCESS\n",
            "passed", False, id="flakes do not fail the build",
        ),
        pytest.param("[INFO] BUILD FAILURE\n", "failed", False, id="build failure"),
        pytest.param("[ERROR] [Help 1] http://cwiki.apache.org/MojoFailureException\n", "failed", False, id="its last line"),
        pytest.param("[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS\n", "none", True, id="-DskipTests"),
        pytest.param("[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n", "none", True, id="no tests"),
        pytest.param(SCAN + "[INFO] BUILD SUCCESS\n", "none", True, id="a whole build without tests"),
        pytest.param(
            "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2\n[INFO] BUILD SUCCESS\n", "none", True, id="all skipped"
        ),
        pytest.param(
            GOAL.format("web").replace("There are test failures", "No tests matching pattern X were executed!"),
            "failed", True, id="no test of that name",
        ),
        pytest.param("Tests run: 3,  Failures: 1\n", "none", False, id="JUnit's own text"),
        pytest.param(
            SCAN + "[INFO]  T E S T S\nTests run: 1, Failures: 1, Errors: 0, Skipped: 0\n" + TOTALS_OK + "[INFO] BUILD SUCCESS\n",
            "passed", False, id="totals printed by a test",
        ),
    ],
)
def test_summary(text: str, summary: str, idle: bool) -> None:
    report = maven.read(text)
    assert (report.summary, report.idle) == (summary, idle)
