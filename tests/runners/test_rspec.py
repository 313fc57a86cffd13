"""RSpec's line shapes: what must speak and what must stay silent."""

import json

import pytest

from flaky_memory.model import FAILED, NONE, PASSED
from flaky_memory.runners import rspec

FINISHED = "\nFinished in 0.01 seconds (files took 0.07 seconds to load)\n"


def results(text):
    return {(r.name, r.scope): (r.failed, r.passed) for r in rspec.read(text).results}


def failure(number, name):
    return f"\n  {number}) {name}\n     Failure/Error: expect(1).to eq 2\n\n       expected: 2\n            got: 1\n     # ./spec/a_spec.rb:4:in `block'\n"


def closed(counts, *reruns):
    return FINISHED + counts + "\n" + ("\nFailed examples:\n\n" + "".join(r + "\n" for r in reruns) + "\n" if reruns else "\n")


TREE = "\nAcct\n  opens\n  closes (FAILED - 1)\n  waits (PENDING: not yet)\n  #take\n    lowers\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "F.\n\nFailures:\n" + failure(1, "Acct closes") + closed("2 examples, 1 failure", "rspec ./spec/a_spec.rb:4 # Acct closes"),
            {("Acct closes", "./spec/a_spec.rb"): (1, 0)},
            id="details and list are one run",
        ),
        pytest.param("\nFailures:\n" + failure(12, "Acct closes"), {("Acct closes", None): (1, 0)}, id="head cut the list off"),
        pytest.param(
            closed("2 examples, 2 failures", "rspec './spec/a_spec.rb[1:2:1]' # a # b", "rspec ./spec/b_spec.rb:3 # a # b"),
            {("a # b", "./spec/a_spec.rb"): (1, 0), ("a # b", "./spec/b_spec.rb"): (1, 0)},
            id="one description in two files",
        ),
        pytest.param(
            "\nFailures:\n" + failure(1, "a") + failure(2, "a") + closed("2 examples, 2 failures", "rspec ./spec/a_spec.rb:1 # a", "rspec ./spec/b_spec.rb:1 # a"),
            {("a", "./spec/a_spec.rb"): (1, 0), ("a", "./spec/b_spec.rb"): (1, 0)},
            id="details of one description in two files",
        ),
        pytest.param(
            "rspec ./spec/a_spec.rb:1 # a\n1 example, 1 failure\nrspec ./spec/a_spec.rb:1 # a\n",
            {("a", "./spec/a_spec.rb"): (2, 0)},
            id="grep in a loop adds up",
        ),
        pytest.param(
            TREE + closed("4 examples, 1 failure, 1 pending", "rspec ./spec/a_spec.rb:4 # Acct closes"),
            {("Acct closes", "./spec/a_spec.rb"): (1, 0), ("Acct opens", None): (0, 1), ("Acct#take lowers", None): (0, 1)},
            id="the documentation tree",
        ),
        pytest.param(
            "\nAcct\n  .pipe\n    opens\n    closes (FAILED - 1)\n\nFailures:\n" + failure(1, "Acct .pipe closes") + closed("2 examples, 1 failure"),
            {("Acct .pipe closes", None): (1, 0), ("Acct .pipe opens", None): (0, 1)},
            id="a failure tells how group and method are joined",
        ),
        pytest.param(TREE, {("Acct closes", None): (1, 0), ("Acct opens", None): (0, 1)}, id="head: the last line may be a group"),
        pytest.param(
            "\nAcct\nhello\n  opens\n" + closed("1 example, 0 failures"), {("Acct opens", None): (0, 1)}, id="a print below the group"
        ),
        pytest.param(
            "\nAcct\n  has words\nover two lines (FAILED - 1)\n\nFailures:\n\n  1) Acct has words\nover two lines\n     Failure/Error: no\n"
            + closed("1 example, 1 failure", "rspec ./spec/a_spec.rb:1 # Acct has words\nover two lines"),
            {("Acct has words\nover two lines", "./spec/a_spec.rb"): (1, 0)},
            id="a description of two lines",
        ),
        pytest.param(
            "\nFailures:\n\n  1) Acct waits FIXED\n     Expected pending 'why' to fail. No error was raised.\n" + closed("1 example, 1 failure"),
            {("Acct waits", None): (1, 0)},
            id="a pending example that passed",
        ),
        pytest.param("./spec/a_spec.rb:18:takes nothing: really\n", {("takes nothing: really", "./spec/a_spec.rb"): (1, 0)}, id="failures formatter"),
        pytest.param(
            "\nAcct\nRSpec::Retry: 2nd try ./spec/a_spec.rb:3\n  opens\n" + closed("1 example, 0 failures"),
            {("Acct opens", "./spec/a_spec.rb"): (1, 1)},
            id="a retry that passed",
        ),
        pytest.param(
            "F\n\nFailures:\n" + failure(1, "Acct opens") + closed("1 example, 1 failure", "rspec ./spec/a_spec.rb:4 # Acct opens")
            + "Run options: include {:last_run_status=>\"failed\"}\n\nAcct\n  opens\n" + closed("1 example, 0 failures"),
            {("Acct opens", "./spec/a_spec.rb"): (1, 1)},
            id="the file of a failure is the file of the later pass",
        ),
        pytest.param(
            json.dumps({
                "version": "3.12.0",
                "examples": [
                    {"full_description": "a", "status": "passed", "file_path": "./spec/a_spec.rb"},
                    {"full_description": "b", "status": "pending", "file_path": "./spec/a_spec.rb"},
                    {"full_description": "c" * 30000, "status": "failed", "file_path": "./spec/a_spec.rb"},
                ],
                "summary": {"example_count": 3, "failure_count": 1, "pending_count": 1},
            }, separators=(",", ":")) + "\n",
            {("a", "./spec/a_spec.rb"): (0, 1), ("c" * 30000, "./spec/a_spec.rb"): (1, 0)},
            id="JSON on one line, however long",
        ),
    ],
)
def test_speaks(text, expected):
    assert results(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\nPending: (Failures listed here are expected and do not affect your suite's status)\n" + failure(1, "Acct waits"), id="pending examples"),
        pytest.param("Changes not staged:\n  (use git add)\n\nOther:\n  thing\n\n", id="a tree of something else"),
        pytest.param("FAIL test/a.test.js\n  calc\n    ✓ adds\n    ✕ divides\n", id="a tree of another runner"),
        pytest.param("\nAcct\n  opens\n  noise\n" + closed("1 example, 0 failures"), id="a tree that is larger than the run"),
        pytest.param("opens\n  it\n" + closed("4 examples, 0 failures"), id="tail cut the tree's groups off"),
        pytest.param(
            "\nTop 1 slowest examples (0.01 seconds, 63.4% of total time):\n  Acct opens\n    0.008 seconds ./spec/a_spec.rb:38\n" + closed("3 examples, 0 failures"),
            id="profile",
        ),
        pytest.param("\nArray\n  example at ./spec/a_spec.rb:6 (FAILED - 1)\n", id="an example without a name"),
        pytest.param("./spec/a_spec.rb:12:in `block (2 levels)'\n", id="a stack trace"),
        pytest.param("hello\n./spec/a_spec.rb:12:foo\nbye\n", id="a place in a log"),
    ],
)
def test_stays_silent(text):
    assert results(text) == {}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        pytest.param(closed("1 example, 0 failures"), PASSED, False, id="passed"),
        pytest.param(closed("3 examples, 1 failure, 1 pending"), FAILED, False, id="failed"),
        pytest.param(closed("0 examples, 0 failures, 1 error occurred outside of examples"), FAILED, False, id="load error"),
        pytest.param(closed("0 examples, 0 failures"), NONE, True, id="nothing matched"),
        pytest.param(closed("2 examples, 0 failures, 2 pending"), NONE, True, id="all pending"),
        pytest.param("3 examples, 1 failure\n" + closed("1 example, 0 failures"), PASSED, False, id="a print of a test"),
        pytest.param(closed("1 example, 1 failure") + closed("1 example, 0 failures"), FAILED, False, id="one of two failed"),
        pytest.param("noise\n  3 examples, 0 failures\n3 examples, 0 failures\n", NONE, False, id="only prints"),
        pytest.param("16 runs, 6 failures\n", NONE, False, id="another runner"),
    ],
)
def test_summary(text, summary, idle):
    report = rspec.read(text)
    assert (report.summary, report.idle) == (summary, idle)


def test_an_error_in_an_after_hook_is_no_part_of_the_tree():
    text = "\nhooks\n  after\n    is fine\n    \nAn error occurred in an `after(:context)` hook.\nFailure/Error: raise 'no'\n\nRuntimeError:\n  no\n# ./spec/h_spec.rb:10:in `block'\n  around\n    opens\n"
    assert results(text + closed("2 examples, 0 failures, 1 error occurred outside of examples")) == {
        ("hooks after is fine", None): (0, 1),
        ("hooks around opens", None): (0, 1),
    }


def test_headings_above_a_cut_do_not_hold_below_it():
    text = "\nFailures:\n" + failure(1, "a") + "\n... [20012 characters truncated] ...\n" + failure(7, "pending?")
    assert results(text) == {("a", None): (1, 0)}
