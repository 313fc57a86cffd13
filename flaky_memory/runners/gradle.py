"""Gradle's test task, from 4 to 9: a result is a line "Class > test FAILED" under its task's line.

The lines of results come from AbstractTestLogger.java in platforms/jvm/testing-base, those of tasks
from LoggingTaskExecutionListener / GroupedTaskOutput ("> Task :test", up to 4.6 ":test"), the end
from BuildResultLogger.java, https://github.com/gradle/gradle. Which results are named is up to
https://docs.gradle.org/current/dsl/org.gradle.api.tasks.testing.logging.TestLogging.html:
by default only the failed ones. The test-retry plugin prints each attempt the same way.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional, Tuple

PREFIX = "gradle"

# "> Task :app:test FAILED", ":app:test UP-TO-DATE"; up to 4.6 what the test's process says follows
# at once: ":app:testWARNING: A terminally deprecated method", ":testOpenJDK 64-Bit Server VM warning"
_TASK = re.compile(
    r"(?:> Task )?(:[\w.:-]*?[\w-])(?: (FAILED|UP-TO-DATE|FROM-CACHE|NO-SOURCE|SKIPPED))?"
    r"(?:$|(?=WARNING: |OpenJDK |Java HotSpot|Picked up ))"
)
# "BUILD FAILED in 1m 3s", before Gradle 4 without the time
_BUILD = re.compile(r"BUILD (SUCCESSFUL|FAILED)(?: in [\dhms ]+)?$")

# Names under which Gradle reports a class or a process that failed as a whole.
_FAULTS = ("initializationError", "classMethod", "executionError", "failed to execute tests")


class _Reader:
    """The state between the lines of one output."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.idle = False
        self._start_run()

    def _start_run(self) -> None:
        self.task: Optional[str] = None
        self.results: List[Tuple[str, bool]] = []  # of the task whose lines these are
        self.loose: List[List[Tuple[str, bool]]] = []  # results that stand under no task's line
        self.ran = False
        self.tasks: set[str] = set()
        self.unrun: set[str] = set()
        self.broken: List[str] = []
        self.failing = ""  # the task whose failure is being told
        self.word = NONE
        self.faulty = self.ignored = self.nothing = self.over = False

    def line(self, line: str) -> None:
        """Read one line."""
        if line.endswith((" FAILED", " PASSED")) and " > " in line and line[0] not in " \t>:":
            self._result(line[:-7].rstrip(), line.endswith(" PASSED"))
        elif line.startswith((":", "> Task :")):
            self._task_line(line)
        elif line.startswith("BUILD "):
            match = _BUILD.match(line)
            if match:
                self.word = PASSED if match[1] == "SUCCESSFUL" else FAILED
                self.over = True
        elif is_cut(line):
            self._close_task()
            self.task = None
        else:
            self._build(line)

    def _resume(self) -> None:
        """A line of a build in progress: after the end of one, another has begun."""
        if self.over:
            self._end_run()

    def _task_line(self, line: str) -> None:
        match = _TASK.match(line)
        if not match:
            return
        self._resume()
        task, outcome = match[1], match[2]
        # Up to 4.6 the line of a task that failed stands below its results.
        if task != self.task and not (self.task is None and outcome == "FAILED" and line[0] == ":"):
            self._close_task()
        self.task = task
        if not _is_test_task(task):
            return
        self.tasks.add(task)
        if outcome == "FAILED":
            self.faulty = True
        elif outcome:
            self.unrun.add(task)
        else:
            self.ran = True

    def _result(self, name: str, passed: bool) -> None:
        if name.endswith(" ..."):
            return  # deno's steps
        self._resume()
        self.ran = True
        head, _, rest = name.partition(" > ")
        if head.startswith("Gradle Test Run :"):
            self._close_task()
            self.task = head[len("Gradle Test Run ") :]
            head, _, rest = rest.partition(" > ")
        if head.startswith("Gradle Test Executor "):
            name = rest
        if " > " in name and name.rpartition(" > ")[2] not in _FAULTS:
            self.results.append((name, passed))

    def _build(self, line: str) -> None:
        """The lines around tasks and results."""
        if line.startswith("Execution failed for task '"):
            self._resume_failure()
            self.failing = line.split("'")[1]
        elif line.startswith("> There were failing tests"):
            self.broken.append(self.failing)
        elif line.startswith("There were failing tests"):
            self.ignored = True  # as a warning, with ignoreFailures
        elif line.startswith("FAILURE: Build "):
            self._resume_failure()
        elif " tests completed, " in line or line.startswith("1 test completed, "):
            self.faulty = self.faulty or self.word == NONE
            self.ran = True
        elif " actionable task" in line and self.over:
            cached = " from cache" in line and not self.tasks  # the test task may be one of those
            self.nothing = self.nothing or cached or " executed" not in line
        elif line.startswith("> No tests found for given includes"):
            self.nothing = True
            self.ran = self.tally.open or bool(self.results)

    def _resume_failure(self) -> None:
        self._resume()
        self._close_task()
        self.word = FAILED

    def _close_task(self) -> None:
        if self.task is None:
            if self.results:
                self.loose.append(self.results)
        else:
            self._count(self.results, self.task)
        self.results = []

    def _count(self, results: List[Tuple[str, bool]], task: Optional[str]) -> None:
        for name, passed in results:
            self.tally.add("line", name, task, passed)

    def _end_run(self) -> None:
        self._close_task()
        self._place()
        idle = not self.ran and (self.nothing or bool(self.tasks and self.tasks <= self.unrun))
        self.idle = self.idle or idle
        self.tally.unrun |= self.unrun
        self.tally.end(self._summary(idle))
        self._start_run()

    def _summary(self, idle: bool) -> str:
        if self.word == PASSED and not self.ignored:
            return NONE if idle else PASSED
        return FAILED if self.word == FAILED or self.faulty or self.ignored else NONE

    def _place(self) -> None:
        """Give results that stand under no task the one task that failed, if one of them did."""
        names = {t for t in self.broken if t and t not in self.tasks}
        failed = [results for results in self.loose if not all(passed for _, passed in results)]
        for results in self.loose:
            only = len(names) == 1 and len(failed) == 1 and results is failed[0]
            self._count(results, next(iter(names)) if only else None)

    def report(self) -> Report:
        """Close what is open and sum up."""
        self._end_run()
        report = self.tally.report()
        return report._replace(idle=self.idle and not report.results and report.summary != PASSED)


def read(text: str) -> Report:
    """What the test tasks say in an output of gradle."""
    reader = _Reader()
    for line in lines(text):
        if line:
            reader.line(line)
    return reader.report()


def _is_test_task(task: str) -> bool:
    """True for ":test", ":app:integrationTest", ":app:testDebugUnitTest"; not for ":compileTestJava"."""
    name = task.rpartition(":")[2]
    tail = name.endswith(("Test", "Tests")) and not name.startswith(("clean", "compile", "process", "pre"))
    return tail or name in ("test", "tests")
