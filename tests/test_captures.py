"""Every capture is read as its truth says, by what `explain` uses."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from flaky_memory import explain
from tests import capture, corpus
from tests.conftest import git, write

CASES = corpus.by_id()
# Captures whose truth does not follow from the output, or is not what the rules in corpus.py say.
WRONG_TRUTH = {
    "deno/deno-tap": "steps of all depths stand in one row: to which step a pass belongs is not printed",
    "gradle/two-runs": "two runs, the first failed: together they failed, the truth has the last one's word",
    "rspec/only-failures": "two runs, the first failed: together they failed, the truth has the last one's word",
    "rspec/pair2-pass": "the printed tree is the same for the descriptions 'Meter .pipe' and 'Meter.pipe'",
    "rspec/pair3-pass": "the printed tree is the same for the descriptions 'Meter .pipe' and 'Meter.pipe'",
    "js/jest-expand-color-grep": "the filters left jest's closing counts in: it says that it failed",
    "pytest/pipe-head20": "its last line names a failed test that the truth leaves out",
}


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty repository with every directory that a capture ran in."""
    folder = tmp_path_factory.mktemp("captures")
    git(folder, "init", "-q")
    for case in CASES.values():
        (folder / case["cwd"]).mkdir(parents=True, exist_ok=True)
    return folder


def _parameters() -> list[Any]:
    marks = {i: pytest.mark.xfail(strict=True, reason=reason) for i, reason in WRONG_TRUTH.items()}
    return [pytest.param(case, id=name, marks=marks.get(name, ())) for name, case in CASES.items()]


@pytest.mark.parametrize("case", _parameters())
def test_a_capture_is_read_as_its_truth_says(case: corpus.Case, top: Path) -> None:
    directory = os.path.normpath(top / case["cwd"])
    answer = explain.document(case["command"], case["output"], case["exit_code"], directory)
    assert corpus.judge(case, answer) == []


def test_the_corpus_is_whole() -> None:
    """No family's file is empty, or everything above would pass without having read anything."""
    assert len(corpus.families()) >= 20
    assert [family for family, cases in corpus.families().items() if not cases] == []
    assert len(CASES) == sum(map(len, corpus.families().values())), "a case's name stands twice in one file"
    assert [name for name in WRONG_TRUTH if name not in CASES] == []
    drafts = [name for name, case in CASES.items() if not (case["tool"] and case["note"])]
    assert drafts == [], "`make captures` leaves tool and note to whoever corrects the draft of the truth"


@pytest.mark.parametrize("family", corpus.families())
def test_a_family_file_has_the_form_that_captures_are_written_in(family: str, tmp_path: Path) -> None:
    corpus.save(tmp_path / "again.json", corpus.families()[family])
    assert (tmp_path / "again.json").read_bytes() == (corpus.FOLDER / f"{family}.json").read_bytes()


def test_a_capture_is_added_as_a_draft(tmp_path: Path) -> None:
    """`make captures` runs the real tool, here pytest."""
    project, family = tmp_path / "app", tmp_path / "pytest.json"
    write(project, {"test_a.py": "def test_x(): assert 0\ndef test_y(): print(__file__)\n"})
    corpus.save(family, [CASES["pytest/q-fail"], CASES["pytest/q-pass"]])
    for name, options in (("new", "-q -rA"), ("q-fail", "-q"), ("new", "-v")):
        command = f"{shlex.quote(sys.executable)} -m pytest -p no:cacheprovider --rootdir=. {options}"
        found = capture.capture("pytest", name, str(project), command)
        assert capture.add(found, tmp_path) == family
    cases = corpus.load(family)
    assert [case["case"] for case in cases] == ["q-fail", "q-pass", "new"]
    assert (cases[2]["exit_code"], cases[2]["summary"], cases[2]["tool"]) == (1, "failed", "")
    assert str(project) not in cases[2]["output"]
    assert [(t["name"], t["failed"], t["passed"]) for t in cases[2]["tests"]] == [("test_a.py::test_x", 1, 0), ("test_a.py::test_y", 0, 1)]


def test_the_judge_sees_what_is_wrong() -> None:
    case = {"runner": "go", "summary": "failed", "tests": [{"name": "TestA", "scope": "p", "failed": 1, "passed": 0}]}
    right = {"runner": "go", "name": "TestA", "scope": "p", "failed": 1, "passed": 0}

    def wrong(*tests: dict[str, Any], summary: str = "failed") -> list[str]:
        return [line.partition(" ")[0] for line in corpus.judge(case, {"summary": summary, "tests": list(tests)})]

    assert wrong(right) == []
    assert wrong() == ["not"]
    assert wrong({**right, "passed": 1}) == ["counted"]
    assert wrong({**right, "scope": None}) == ["not", "made"]
    assert wrong({**right, "scope": "q"}) == ["not", "made"]
    assert wrong(right, {**right, "name": "TestB"}) == ["made"]
    assert wrong(right, summary="none") == ["summary"]
