"""bun test: lines that name a test, lines that must not, and what its counts mean."""

from __future__ import annotations

import pytest

from flaky_memory.runners import bun

BANNER = "bun test v1.4.5 (a7733435c)\n"
CUT = "\n... [0 characters truncated] ...\n"


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in bun.read(text).results}


SPEAKS = [
    ("under its file", "\na.test.ts:\n(fail) x > y [0.04ms]\n", {("a.test.ts", "x > y"): (1, 0)}),
    ("in a GitHub Actions group", "::group::a.test.ts:\n(pass) y\n", {("a.test.ts", "y"): (0, 1)}),
    ("without its file", "(pass) y [1.20s]\n", {(None, "y"): (0, 1)}),
    ("coloured marks after the banner", BANNER + "\na.test.ts:\n\u2717 x\n", {("a.test.ts", "x"): (1, 0)}),
    ("a title that ends like a time", "(pass) takes [1.00ms] [0.02ms]\n", {(None, "takes [1.00ms]"): (0, 1)}),
    ("attempts before a pass failed", "(pass) x (attempt 3)\n", {(None, "x"): (2, 1)}),
    ("all attempts failed", "(fail) x (attempt 3) [0.01ms]\n", {(None, "x"): (3, 0)}),
    ("repetitions before a failure passed", "(fail) x (run 3)\n", {(None, "x"): (1, 2)}),
    ("repetitions that all passed", "(pass) x (run 3)\n", {(None, "x"): (0, 3)}),
    ("each file run twice", "\na.test.ts: (run #1)\n(pass) x\n\na.test.ts: (run #2)\n(fail) x\n",
     {("a.test.ts", "x"): (1, 1)}),
    ("failures listed once more", "\na.test.ts:\n(fail) x [1ms]\n\n1 tests failed:\n(fail) x [1ms]\n",
     {("a.test.ts", "x"): (1, 0)}),
    ("a repeated name that two files have",
     "\na.test.ts:\n(fail) x\n\nb.test.ts:\n(fail) x\n\n2 tests failed:\n(fail) x\n(fail) x\n",
     {("a.test.ts", "x"): (1, 0), ("b.test.ts", "x"): (1, 0)}),
    ("only the repeated list is left", "2 tests failed:\n(fail) x\n(fail) y\n",
     {(None, "x"): (1, 0), (None, "y"): (1, 0)}),
    ("a filter took the list's heading", "(fail) x [0.12ms]\n(pass) z [0.01ms]\n(fail) y [3.40ms]\n"
     "(fail) x [0.12ms]\n(fail) y [3.40ms]\n", {(None, "x"): (1, 0), (None, "y"): (1, 0), (None, "z"): (0, 1)}),
    ("two runs have other times", "(fail) x [0.12ms]\n(fail) x [0.13ms]\n", {(None, "x"): (2, 0)}),
    ("a filter may have left a file's name out", "a.test.ts:\n(fail) x [1ms]\n--\n(fail) y [1ms]\n",
     {("a.test.ts", "x"): (1, 0), (None, "y"): (1, 0)}),
    ("a timeout without a mark", "\na.test.ts:\n x > y [101.07ms]\n  ^ this test timed out after 100ms.\n",
     {("a.test.ts", "x > y"): (1, 0)}),
    ("the list's heading was cut away", "\na.test.ts:\n(fail) x [1ms]\n(pass) y [1ms]" + CUT
     + "(fail) x [1ms]\n", {("a.test.ts", "x"): (1, 0), ("a.test.ts", "y"): (0, 1)}),
    ("two runs that a filter left without banners", "(fail) x\n 0 pass\n 1 fail\n(pass) x\n 1 pass\n 0 fail\n",
     {(None, "x"): (1, 1)}),
]


@pytest.mark.parametrize(("text", "want"), [row[1:] for row in SPEAKS], ids=[row[0] for row in SPEAKS])
def test_speaks(text, want):
    assert found(text) == want


SILENT = [
    ("skipped and todo", "(skip) x\n(todo) y\n\u00bb z\n\u270e w\n"),
    ("a failed hook is no test", "(fail) db > (unnamed) [0.14ms]\n"),
    ("another tool's tick", "\u2713 34 modules transformed.\n"),
    ("a mark inside a line", "see (fail) x\n"),
    ("more passes printed than counted", BANNER + "\na.test.ts:\n(pass) fake\n\n 0 pass\n 0 fail\n"),
]


@pytest.mark.parametrize("text", [row[1] for row in SILENT], ids=[row[0] for row in SILENT])
def test_silent(text):
    assert found(text) == {}


def test_the_print_without_a_time_gives_way_to_the_counted_result():
    text = BANNER + "\na.test.ts:\n(pass) fake > print\n(pass) real [0.02ms]\n\n 1 pass\n 0 fail\n"
    assert found(text) == {("a.test.ts", "real"): (0, 1)}


def test_where_no_print_can_be_told_apart_no_pass_is_believed():
    text = BANNER + "\na.test.ts:\n(pass) fake [1ms]\n(pass) real [1ms]\n(fail) x [1ms]\n\n 1 pass\n 1 fail\n"
    assert found(text) == {("a.test.ts", "x"): (1, 0)}


def test_a_printed_file_name_is_no_header():
    text = BANNER + "\na.test.ts:\nreading\nb.test.ts:\n(pass) real [0.02ms]\n"
    assert found(text) == {("a.test.ts", "real"): (0, 1)}


SUMMARIES = [
    ("a seed above the counts", "\n --seed=23\n 1 pass\n 0 fail\nRan 1 test across 1 file. [9ms]\n", "passed", False),
    ("failed", " 9 pass\n 2 fail\nRan 11 tests across 3 files. [4.00ms]\n", "failed", False),
    ("passed", " 9 pass\n 0 fail\n", "passed", False),
    ("a file that does not load", " 0 pass\n 1 fail\n 1 error\n", "failed", False),
    ("bail leaves the counts out", "Ran 5 tests across 2 files. [4.00ms]\nBailed out after 1 failure\n", "failed", False),
    ("everything skipped", " 0 pass\n 3 skip\n 0 fail\n", "none", True),
    ("no file matches", BANNER + "The following filters did not match any test files:\n x\n", "none", True),
    ("no name matches", BANNER + '\nerror: regex "zzz" matched 0 tests. Searched 2 files\n', "none", True),
    ("of two runs one failed", " 1 pass\n 0 fail\n" + BANNER + "\n 0 pass\n 1 fail\n" + BANNER + "\n 1 pass\n 0 fail\n",
     "failed", False),
]


@pytest.mark.parametrize(("text", "summary", "idle"), [r[1:] for r in SUMMARIES], ids=[r[0] for r in SUMMARIES])
def test_summary(text, summary, idle):
    report = bun.read(text)
    assert (report.summary, report.idle) == (summary, idle)


def test_an_attempt_is_one_test_and_no_twins():
    assert bun.read("(pass) x (attempt 2)\n(fail) y (run 2)\n").twins == frozenset()
