"""Gradle's lines from 4 to 9, and what looks like them."""

from __future__ import annotations

import pytest

from flaky_memory.runners import gradle

TASK = "> Task :test FAILED\n\n"
FAILURE = (
    "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:test'.\n"
    "> There were failing tests. See the report at: file:///x\n\nBUILD FAILED in 1s\n"
)


def results(text: str) -> list[tuple]:
    return [tuple(r) for r in gradle.read(text).results]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(TASK + "ATest > works() FAILED\n", ("ATest > works()", ":test", 1, 0), id="failed"),
        pytest.param(TASK + "ATest > works() PASSED\n", ("ATest > works()", ":test", 0, 1), id="passed"),
        pytest.param(
            TASK + "ATest > deep > it (FAILED) PASSED\n", ("ATest > deep > it (FAILED)", ":test", 0, 1), id="the last word counts"
        ),
        pytest.param(":app:test\n\na.ATest > works FAILED\n", ("a.ATest > works", ":app:test", 1, 0), id="up to 4.6"),
        pytest.param(
            ":app:testWARNING: A terminally deprecated method\n\na.ATest > works PASSED\n",
            ("a.ATest > works", ":app:test", 0, 1), id="the process speaks on the task's line",
        ),
        pytest.param(
            ":testOpenJDK 64-Bit Server VM warning: Sharing\na.ATest > works FAILED\n",
            ("a.ATest > works", ":test", 1, 0), id="so does the virtual machine",
        ),
        pytest.param(
            "Gradle Test Run :it > Gradle Test Executor 7 > a.ATest > works FAILED\n",
            ("a.ATest > works", ":it", 1, 0), id="the finest granularity: executors are numbered anew each time",
        ),
        pytest.param(
            TASK + "Gradle suite > Gradle test > a.ATest > works[0](2, true) FAILED\n",
            ("Gradle suite > Gradle test > a.ATest > works[0](2, true)", ":test", 1, 0), id="TestNG",
        ),
        pytest.param(
            "a.ATest > works FAILED\n\n1 test completed, 1 failed\n:app:test FAILED\n" + FAILURE.replace(":app:", ":lib:"),
            ("a.ATest > works", ":app:test", 1, 0), id="up to 4.6 a task that failed is named below its results, too",
        ),
        pytest.param("ATest > works() FAILED\n" + FAILURE, ("ATest > works()", ":app:test", 1, 0), id="the end names the task"),
        pytest.param(
            TASK + "... [900 characters truncated] ...\nATest > works() FAILED\n", ("ATest > works()", None, 1, 0), id="cut"
        ),
        pytest.param(
            TASK + "ATest > works() FAILED\n    java.lang.Error\n\nATest > works() PASSED\n",
            ("ATest > works()", ":test", 1, 1), id="the retry plugin prints each attempt",
        ),
    ],
)
def test_speaks(text: str, expected: tuple) -> None:
    assert results(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ATest > works() SKIPPED\n", id="skipped"),
        pytest.param("ATest > works() STANDARD_OUT\n    BTest > fails FAILED\n", id="what a test prints is indented"),
        pytest.param("ATest > works FAILED last week\n", id="prose"),
        pytest.param("> Task :test FAILED\n:compileJava FAILED\n", id="tasks"),
        pytest.param("ATest > initializationError FAILED\n", id="a class failed"),
        pytest.param("ATest > classMethod FAILED\n", id="a class failed, JUnit 4"),
        pytest.param("Gradle Test Run :test > Gradle Test Executor 1 FAILED\n", id="a process failed"),
        pytest.param("outer > inner ... FAILED\n", id="another runner's steps"),
    ],
)
def test_stays_silent(text: str) -> None:
    assert results(text) == []


def test_end_names_no_task_where_two_failed() -> None:
    text = "ATest > works() FAILED\n" + FAILURE + FAILURE.replace(":app:", ":lib:")
    assert results(text.replace("BUILD FAILED in 1s\n", "")) == [("ATest > works()", None, 1, 0)]


@pytest.mark.parametrize(
    ("text", "summary", "idle", "unrun"),
    [
        pytest.param("> Task :test\n\nBUILD SUCCESSFUL in 1m 3s\n", "passed", False, set(), id="passed"),
        pytest.param(
            "BUILD SUCCESSFUL in 2s\n3 actionable tasks: 1 executed, 2 up-to-date\n", "passed", False, set(), id="tail, passed"
        ),
        pytest.param(
            "BUILD SUCCESSFUL in 2s\n3 actionable tasks: 1 from cache, 2 up-to-date\n", "none", True, set(), id="tail, cached"
        ),
        pytest.param("> Task :test UP-TO-DATE\nBUILD SUCCESSFUL in 1s\n", "none", True, {":test"}, id="up to date"),
        pytest.param(":a:test NO-SOURCE\nBUILD SUCCESSFUL in 1s\n", "none", True, {":a:test"}, id="no source"),
        pytest.param(
            "> Task :a:test FROM-CACHE\n> Task :b:test\nBUILD SUCCESSFUL in 1s\n", "passed", False, {":a:test"}, id="one cached"
        ),
        pytest.param("> Task :compileTestJava UP-TO-DATE\n> Task :test\nBUILD SUCCESSFUL\n", "passed", False, set(), id="compiled"),
        pytest.param(FAILURE, "failed", False, set(), id="failed"),
        pytest.param("Execution failed for task ':test'.\n", "failed", False, set(), id="grep"),
        pytest.param("7 tests completed, 3 failed\n", "failed", False, set(), id="grep for counts"),
        pytest.param("> Task :test FAILED\n", "failed", False, set(), id="head"),
        pytest.param("4 tests completed, 1 failed\nBUILD SUCCESSFUL in 1s\n", "passed", False, set(), id="passed when retried"),
        pytest.param(
            "4 tests completed, 1 failed\nThere were failing tests. See the report at: x\nBUILD SUCCESSFUL in 1s\n",
            "failed", False, set(), id="failures that the build ignores",
        ),
        pytest.param("BUILD FAILED in a former life\n    BUILD FAILED in 1s\n", "none", False, set(), id="prose"),
        pytest.param(
            ":test\nExecution failed for task ':test'.\n> No tests found for given includes: [X](--tests filter)\nBUILD FAILED in 1s\n"
            "1 actionable task: 1 executed\n",
            "failed", True, set(), id="no test of that name",
        ),
        pytest.param(
            ":test FAILED\nBUILD FAILED in 1s\n3 actionable tasks: 3 executed\n:test\nBUILD SUCCESSFUL in 1s\n",
            "failed", False, set(), id="two runs",
        ),
    ],
)
def test_summary(text: str, summary: str, idle: bool, unrun: set[str]) -> None:
    report = gradle.read(text)
    assert (report.summary, report.idle, report.unrun) == (summary, idle, unrun)


def test_two_runs_add_up() -> None:
    run = ":test\n\nATest > works FAILED\n\n1 test completed, 1 failed\n:test FAILED\n\nBUILD FAILED in 1s\n"
    assert results(run + run) == [("ATest > works", ":test", 2, 0)]
