"""cargo test: libtest's lines, and the text of tests that --nocapture mixes with them."""

from __future__ import annotations

import pytest

from flaky_memory.runners import cargo

LIB = "     Running unittests src/lib.rs (target/debug/deps/app-71ce70495b798487)\n\n"
CUT = "\n... [20012 characters truncated] ...\n\n"


def ran(count: int) -> str:
    return f"running {count} test{'s' * (count != 1)}\n"


def result(passed: int, failed: int, ignored: int = 0) -> str:
    word = "FAILED" if failed else "ok"
    return (
        f"\ntest result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; "
        "0 filtered out; finished in 0.00s\n\n"
    )


def failures(*names: str) -> str:
    details = "".join(f"---- {name} stdout ----\nassertion failed\n\n" for name in names)
    return "\nfailures:\n\n" + details + "\nfailures:\n" + "".join(f"    {name}\n" for name in names)


def found(text: str) -> dict[tuple[str, str | None], tuple[int, int]]:
    return {(r.name, r.scope): (r.failed, r.passed) for r in cargo.read(text).results}


FAKE = "test fake::a ... FAILED\ntest fake::b ... ok\nfailures:\n    fake::a\n" + result(0, 9).rstrip() + "\n"

SPEAK = {
    "unit tests": (
        LIB + ran(2) + "test a ... ok\ntest b ... FAILED\n" + failures("b") + result(1, 1),
        {("a", "app"): (0, 1), ("b", "app"): (1, 0)},
    ),
    "old cargo": (
        "     Running target/debug/deps/app_cli-71ce70495b798487\n" + ran(1) + "test a ... ok\n" + result(1, 0),
        {("a", "app_cli"): (0, 1)},
    ),
    "should panic": (
        LIB + ran(1) + "test a - should panic ... FAILED\n" + failures("a") + result(0, 1),
        {("a", "app"): (1, 0)},
    ),
    "doc tests, in two runs": (
        "   Doc-tests app\n\n" + ran(1) + "test src/lib.rs - add (line 14) ... ok\n" + result(1, 0)
        + ran(1) + "test src/lib.rs - add (line 27) - compile fail ... ok\n" + result(1, 0),
        {
            ("src/lib.rs - add (line 14)", "doc:app"): (0, 1),
            ("src/lib.rs - add (line 27)", "doc:app"): (0, 1),
        },
    ),
    "report-time": (LIB + ran(1) + "test a ... ok <0.012s>\n" + result(1, 0), {("a", "app"): (0, 1)}),
    "quiet": (ran(2) + ".\nb --- FAILED\n" + failures("b") + result(1, 1), {("b", None): (1, 0)}),
    "old quiet": (ran(2) + ".F\n" + failures("b") + result(1, 1), {("b", None): (1, 0)}),
    "quiet show-output": (
        ran(2) + "..\nsuccesses:\n\n---- a stdout ----\nx\n\n\nsuccesses:\n    a\n    b\n" + result(2, 0),
        {("a", None): (0, 1), ("b", None): (0, 1)},
    ),
    "grep": ("test a ... FAILED\n" + result(4, 1), {("a", None): (1, 0)}),
    "loop": (2 * (LIB + ran(1) + "test a ... ok\n" + result(1, 0)), {("a", "app"): (0, 2)}),
    "crash keeps what had ended": (
        LIB + ran(2) + "test a ... FAILED\nerror: test failed, to rerun pass `--lib`\n",
        {("a", "app"): (1, 0)},
    ),
    "the list behind a cut": (
        LIB + ran(2) + "test a ... FAILED\n" + CUT + "failures:\n    a\n    b\n" + result(0, 2),
        {("a", "app"): (1, 0), ("b", None): (1, 0)},
    ),
    "events": (
        LIB + '{ "type": "suite", "event": "started", "test_count": 2 }\n'
        '{ "type": "test", "event": "failed", "name": "a", "stdout": "test fake::a ... ok\\n" }\n'
        'printed { "type": "test", "name": "b", "event": "ok" }\n'
        '{ "type": "suite", "event": "failed", "passed": 1, "failed": 1 }\n',
        {("a", "app"): (1, 0), ("b", "app"): (0, 1)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "want"), SPEAK.values(), ids=SPEAK)
def test_names(text: str, want: dict[tuple[str, str | None], tuple[int, int]]) -> None:
    assert found(text) == want


REAL = {("a", "app"): (1, 0), ("b", "app"): (0, 1)}
PRINTED = {
    "captured": "test a ... FAILED\ntest b ... ok\n" + failures("a").replace("assertion failed\n", FAKE, 1),
    "one thread": "test a ... " + FAKE + "FAILED\ntest b ... loading ok\n" + failures("a"),
    "one thread, outcome alone": "test a ... \nworking\nFAILED\ntest b ... step 1 ... ok\nok\n" + failures("a"),
    "one thread, a result line of another": "test a ... \ntest b ... FAILED\nFAILED\ntest b ... ok\n" + failures("a"),
    "threads": FAKE + "printed\ntest b ... FAILED\ntest b ... ok\ntest a ... FAILED\n" + failures("a"),
    "threads, text before a result": "1 2 3 test b ... ok\ntest a ... FAILED\n" + failures("a"),
}


@pytest.mark.parametrize("body", PRINTED.values(), ids=PRINTED)
def test_what_tests_print_is_no_result(body: str) -> None:
    report = cargo.read(LIB + ran(2) + body + result(1, 1))
    assert {(r.name, r.scope): (r.failed, r.passed) for r in report.results} == REAL
    assert report.summary == "failed"


SILENT = {
    "ignored": LIB + ran(1) + "test a ... ignored, takes a minute\n" + result(0, 0, 1),
    "listed only": "a: test\n\n1 test, 0 benchmarks\n",
    "captured, its heading cut off": "test fake::a ... FAILED\n---- a stdout ----\n",
    "nextest shows libtest's lines": " Nextest run ID 0\nrunning 1 test\ntest a ... ok\n" + result(1, 0),
    "text of another runner": "12 passing\ntest fake::a ... FAILED\n",
    "title with blanks": "test that adding works ... ok\n",
    "more passes than counted": LIB + ran(1) + "test ui/a.rs ... ok\ntest ui/b.rs ... ok\n" + result(1, 0),
    "started": LIB + ran(1) + "test a ... \n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_names_nothing(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(result(3, 0), "passed", id="passed"),
        pytest.param(result(3, 0) + result(1, 2), "failed", id="one of two binaries"),
        pytest.param("error: test failed, to rerun pass `--lib`\n", "failed", id="tail -1"),
        pytest.param("error: 2 targets failed:\n    `--lib`\n", "failed", id="list of targets"),
        pytest.param(ran(0) + result(0, 0), "none", id="no tests"),
        pytest.param("error: could not compile `app` (lib test) due to 1 previous error\n", "none", id="compile error"),
        pytest.param(ran(1) + ".\n" + result(1, 0) + ran(2) + "..", "none", id="the second has no end"),
        pytest.param(ran(2) + result(0, 9) + "..\n" + result(2, 0), "passed", id="printed result line"),
    ],
)
def test_summary(text: str, want: str) -> None:
    assert cargo.read(text).summary == want


def test_idle() -> None:
    nothing = ran(0) + result(0, 0)
    assert cargo.read(nothing).idle
    assert not cargo.read(nothing + ran(1) + ".\n" + result(1, 0)).idle
