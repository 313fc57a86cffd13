"""The scenarios that tests.record plays with real runners: files, commands, and what is due after each.

A test that is to fail at times takes a letter from a file of turns beside the repository ("fpp": it fails once,
then passes twice; when none is left it passes). What is not said to be due must not be said.
"""

from __future__ import annotations

import re
from typing import Any, Optional

Step = dict[str, Any]

REAL = r"in a row on this code"
PASSED = r"passed on the same code on which it failed|passed on the same code on which they failed"
COMPANY = r"may depend on test order or shared state"
TOGETHER = r"failed together"
RERUN = r"(?m)^To run it again: "


def passes(command: str, **due: Any) -> Step:
    """A command that exits with 0."""
    return step(command, True, due)


def fails(command: str, **due: Any) -> Step:
    """A command that exits with another status."""
    return step(command, False, due)


def step(command: str, ends: bool, due: dict[str, Any]) -> Step:
    """One command. `notes` are the failing tests that the model is told of, `passed` those of which it is told
    that they passed where they had failed; `real` (failures, percentage), `company` (kind of the runs it failed
    in, and passed in), `together` (tests, cause) and `rerun` (the command or its pattern, "" for none) are what else
    is said."""
    kinds = ("notes", "passed", "real", "company", "together", "rerun")
    notes, passed, real, company, together, rerun = (due.pop(kind, None) for kind in kinds)
    says = [f"(?m)^flaky-memory: {re.escape(t)} {PASSED.partition('|')[0]}" for t in passed or ()]
    says += [_real(*real)] if real else []
    says += (
        [f"failed only in runs of {company[0]} and passed only in runs of {company[1]}, so it {COMPANY}"]
        if company
        else []
    )
    says += [f"(?m)^flaky-memory: {together[0]} tests {TOGETHER}, and .*: {together[1]}\\."] if together else []
    says += [f"{RERUN}{rerun.pattern if isinstance(rerun, re.Pattern) else re.escape(rerun)}$"] if rerun else []
    said = ((REAL, real), (PASSED, passed), (COMPANY, company), (TOGETHER, together))
    never = [pattern for pattern, due_here in said if not due_here] + ([RERUN] if rerun == "" else [])
    ids = [i.partition(" #")[0] for i in [*(notes or ()), *(passed or ())]]
    person = [f"(?m)^flaky-memory: {re.escape(i)} failed [0-9]+ of [0-9]+ runs" for i in ids]
    person += [REAL] if real else []
    person += [TOGETHER] if together else []
    never = never if says or notes else ["."]
    return {
        **due,
        "bash": command,
        "ends": ends,
        "notes": list(notes or ()),
        "says": says,
        "never": never,
        "person": person,
    }


def _real(times: int, share: str) -> str:
    return (
        f"It has failed {times} times {REAL}, which by its own history would happen by chance in {share} "
        "of cases, so treat it as broken by this change until it passes\\."
    )


def scenario(
    name: str, why: str, files: dict[str, str], *steps: Step, turns: Optional[str] = None, **more: Any
) -> Step:
    """One scenario; `outside` are files beside the repository, `turns` the usual one of them."""
    outside = {**({"turns": turns} if turns is not None else {}), **more.pop("outside", {})}
    return {"name": name, "why": why, "files": files, "steps": list(steps), "outside": outside, **more}


# -- small projects, one for each runner

PY_TURN = '''from pathlib import Path


def turn(name="turns"):
    """True, but for a test whose next letter is an f."""
    state = Path(__file__).resolve().parents[1] / name
    text = state.read_text() if state.exists() else ""
    if text:
        state.write_text(text[1:])
    return text[:1] != "f"
'''
PY = {
    "conftest.py": "",
    "pytest.ini": "[pytest]\n",
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
    "turns.py": PY_TURN,
    "code.py": "VERSION = 1\n",
}
PY_FLIP = PY | {
    "tests/test_flip.py": "from turns import turn\n\n\ndef test_flip():\n    assert turn()\n\n\ndef test_steady():\n    assert turn('turns2')\n",
    "tests/test_more.py": "def test_more():\n    assert 1 + 1 == 2\n",
}
PY_EDIT = {"code.py": "VERSION = 2\n"}
FLIP, STEADY = "pytest:tests/test_flip.py::test_flip", "pytest:tests/test_flip.py::test_steady"

GO_TURN = """package app

import "os"

// Turn is true, but for a test whose next letter is an f.
func Turn(name string) bool {
	text, _ := os.ReadFile("../" + name)
	if len(text) == 0 {
		return true
	}
	os.WriteFile("../"+name, text[1:], 0o644)
	return text[0] != 'f'
}
"""
GO = {
    "go.mod": "module example.com/app\n\ngo 1.19\n",
    "turn.go": GO_TURN,
    "code.go": "package app\n\nconst Version = 1\n",
}
GO_FLIP = GO | {
    "flip_test.go": 'package app\n\nimport "testing"\n\nfunc TestFlip(t *testing.T) {\n\tif !Turn("turns") {\n\t\tt.Fatal("flipped")\n\t}\n}\n\nfunc TestSteady(t *testing.T) {\n\tif Version == 0 {\n\t\tt.Fatal("no version")\n\t}\n}\n'
}
GO_EDIT = {"code.go": "package app\n\nconst Version = 2\n"}

JS_TURN = """const fs = require("fs");
const path = require("path");

exports.turn = (name = "turns") => {
  const state = path.join(__dirname, "..", name);
  const text = fs.existsSync(state) ? fs.readFileSync(state, "utf8") : "";
  if (text) fs.writeFileSync(state, text.slice(1));
  return text[0] !== "f";
};
"""
JEST = {
    ".gitignore": "node_modules/\n",
    "package.json": '{"name": "app", "scripts": {"test": "jest"}}\n',
    "turns.js": JS_TURN,
    "code.js": "exports.version = 1;\n",
}
JEST_FLIP = JEST | {
    "flip.test.js": 'const { turn } = require("./turns");\n\ndescribe("flip", () => {\n  test("flips", () => {\n    expect(turn()).toBe(true);\n  });\n\n  test("stays", () => {\n    expect(1).toBe(1);\n  });\n});\n'
}
JS_EDIT = {"code.js": "exports.version = 2;\n"}
JEST_ID = "js:flip.test.js > flip > flips"

VITEST = {
    ".gitignore": "node_modules/\n",
    "package.json": '{"name": "app", "scripts": {"test": "vitest run"}}\n',
    "turns.js": JS_TURN,
    "code.js": "exports.version = 1;\n",
}
VITEST_FLIP = VITEST | {
    "flip.test.mjs": 'import { expect, test } from "vitest";\nimport { turn } from "./turns.js";\n\ntest("flips", () => {\n  expect(turn()).toBe(true);\n});\n\ntest("stays", () => {\n  expect(1).toBe(1);\n});\n'
}
VITEST_ID = "js:flip.test.mjs > flips"

UNITTEST = {
    ".gitignore": "__pycache__/\n", "turns.py": PY_TURN, "code.py": "VERSION = 1\n", "tests/__init__.py": "",
    "tests/test_flip.py": "import unittest\n\nfrom turns import turn\n\n\nclass FlipTest(unittest.TestCase):\n    def test_flip(self):\n        self.assertTrue(turn())\n\n    def test_steady(self):\n        self.assertTrue(True)\n",
}  # fmt: skip
UNITTEST_ID = "unittest:tests.test_flip.FlipTest.test_flip"

RSPEC = {
    "turns.rb": "def turn(name = 'turns')\n  state = File.join(__dir__, '..', name)\n  text = File.exist?(state) ? File.read(state) : ''\n  File.write(state, text[1..]) unless text.empty?\n  text[0] != 'f'\nend\n",
    "code.rb": "VERSION = 1\n",
    "spec/flip_spec.rb": "require_relative '../turns'\n\nRSpec.describe 'Flip' do\n  it 'flips' do\n    expect(turn).to be true\n  end\n\n  it 'stays' do\n    expect(1).to eq 1\n  end\nend\n",
}
RSPEC_ID = "rspec:Flip flips"

CARGO = {
    "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = "app"\nversion = "0.1.0"\n',
    ".gitignore": "target/\n",
    "src/lib.rs": 'pub const VERSION: u32 = 1;\n\n#[cfg(test)]\nmod tests {\n    use std::fs;\n\n    fn turn() -> bool {\n        let text = fs::read_to_string("../turns").unwrap_or_default();\n        if !text.is_empty() {\n            fs::write("../turns", &text[1..]).unwrap();\n        }\n        !text.starts_with(\'f\')\n    }\n\n    #[test]\n    fn flips() {\n        assert!(turn());\n    }\n\n    #[test]\n    fn stays() {\n        assert_eq!(super::VERSION, super::VERSION);\n    }\n}\n',
}
CARGO_ID = "cargo:tests::flips"

# -- 1. probably real

PROBABLY_REAL = [
    scenario(
        "real-go",
        "failed 1 of 2 before: a row on new code says something from the fifth failure on, until a pass ends it",
        GO_FLIP,
        fails("go test ./..."),
        passes("go test -count=1 ./...", passed=["go:TestFlip"]),
        *(fails("go test ./...", notes=["go:TestFlip"], **({"write": GO_EDIT} if k == 1 else {})) for k in range(1, 5)),
        fails(
            "go test ./...", notes=["go:TestFlip"], real=(5, "about 3%"), rerun="go test -count=1 -run '^TestFlip$' ."
        ),
        fails("go test ./...", notes=["go:TestFlip"], real=(6, "about 2%")),
        passes("go test -count=1 ./...", passed=["go:TestFlip"]),
        fails("go test ./...", notes=["go:TestFlip #8/10"]),
        turns="fpffffffpf",
    ),
    scenario(
        "real-pytest",
        "failed 1 of 9 before: two failures in a row on new code already say something",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q", passed=[FLIP]),
        *(passes("pytest -q") for _ in range(7)),
        fails("pytest -q", notes=[FLIP], write=PY_EDIT),
        fails("pytest -q", notes=[FLIP], real=(2, "about 3%")),
        turns="fppppppppff",
    ),
    scenario(
        "real-jest",
        "failed 1 of 5 before: said at the third failure on new code, also when the command is narrowed meanwhile",
        JEST_FLIP,
        fails("npx jest"),
        passes("npx jest", passed=[JEST_ID]),
        *(passes("npx jest") for _ in range(3)),
        fails("npx jest", notes=[JEST_ID], write=JS_EDIT, git=[["commit", "-qam", "change"]]),
        fails("npx jest flip.test.js", notes=[JEST_ID]),
        fails("npx jest", notes=[JEST_ID], real=(3, "about 2%")),
        turns="fppppfff",
    ),
    scenario(
        "real-not-it-passed-here",
        "it passes at the fourth run on the new code: however often it fails then, it is flaky there",
        GO_FLIP,
        fails("go test ./..."),
        passes("go test -count=1 ./...", passed=["go:TestFlip"]),
        fails("go test ./...", notes=["go:TestFlip"], write=GO_EDIT),
        fails("go test ./...", notes=["go:TestFlip"]),
        fails("go test ./...", notes=["go:TestFlip"]),
        passes("go test -count=1 ./...", passed=["go:TestFlip"]),
        *(fails("go test ./...", notes=["go:TestFlip"]) for _ in range(6)),
        turns="fpfffpffffff",
    ),
    scenario(
        "real-not-it-usually-fails",
        "it failed 4 of 5 times before: five failures in a row are its habit",
        PY_FLIP,
        *(fails("pytest -q") for _ in range(4)),
        passes("pytest -q", passed=[FLIP]),
        *(fails("pytest -q", notes=[FLIP], **({"write": PY_EDIT} if k == 0 else {})) for k in range(5)),
        turns="ffffpfffff",
    ),
    scenario(
        "real-not-never-flaky",
        "a test that was never flaky breaks and stays broken: nothing is said at all",
        PY_FLIP,
        passes("pytest -q"),
        *(fails("pytest -q", **({"write": PY_EDIT} if k == 0 else {})) for k in range(5)),
        turns="pfffff",
    ),
    scenario(
        "real-by-its-own-history",
        "two flaky tests fail together twice: for one it is unlikely, the history of the other is not its own",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q", passed=[FLIP]),
        *(passes("pytest -q") for _ in range(6)),
        fails("pytest -q", notes=[STEADY]),
        fails("pytest -q", notes=[FLIP, STEADY], write=PY_EDIT),
        fails("pytest -q", notes=[FLIP, STEADY], real=(2, "about 4%")),
        turns="fppppppppff",
        outside={"turns2": "ppppppppfff"},
    ),
]

# -- 2. just a flake


def flake(name: str, files: dict[str, str], command: str, test: str, edit: dict[str, str], again: str = "") -> Step:
    """Said at the first pass on a state of the code, not at the second, and anew on new code."""
    rerun = again or command  # which does not answer from a cache
    return scenario(
        f"flake-{name}",
        "fails and passes on one code: said once there, and once more on new code",
        files,
        fails(command),
        passes(rerun, passed=[test]),
        passes(rerun if again else command),
        fails(rerun, notes=[test]),
        passes(rerun),
        fails(command, notes=[test], write=edit),
        passes(rerun, passed=[test]),
        turns="fppfpfp",
    )


JUST_A_FLAKE = [
    flake("go", GO_FLIP, "go test ./...", "go:TestFlip", GO_EDIT, again="go test -count=1 ./..."),
    flake("pytest", PY_FLIP, "pytest -q", FLIP, PY_EDIT),
    flake("jest", JEST_FLIP, "npx jest", JEST_ID, JS_EDIT),
    flake("rspec", RSPEC, "rspec", RSPEC_ID, {"code.rb": "VERSION = 2\n"}),
    flake(
        "cargo",
        CARGO,
        "cargo test",
        CARGO_ID,
        {"README.md": "app\n", "src/lib.rs": CARGO["src/lib.rs"].replace("= 1;", "= 2;")},
    ),
    flake("unittest", UNITTEST, "python3 -m unittest", UNITTEST_ID, PY_EDIT),
    scenario(
        "flake-alone",
        "the failing test is run again alone, by its name, and passes",
        GO_FLIP,
        fails("go test ./..."),
        passes("go test -count=1 -run '^TestFlip$' -v .", passed=["go:TestFlip"]),
        turns="fp",
    ),
    scenario(
        "flake-vitest-retry",
        "vitest tries the failure again by itself and exits with 0: said once for this code",
        VITEST_FLIP,
        passes("npx vitest run --reporter=verbose --retry=1", passed=[VITEST_ID], shows="retry x1"),
        passes("npx vitest run --reporter=verbose --retry=1", shows="retry x1"),
        passes("npx vitest run --reporter=verbose --retry=1", passed=[VITEST_ID], shows="retry x1", write=JS_EDIT),
        turns="fpfpfp",
    ),
    scenario(
        "flake-pytest-reruns",
        "pytest-rerunfailures hides the failure: said once; a failure that stays is noted as usual",
        PY_FLIP,
        passes("pytest -v --reruns 1", passed=[FLIP], shows="RERUN"),
        passes("pytest -v --reruns 1"),
        passes("pytest -v --reruns 1", shows="RERUN"),
        fails("pytest -v --reruns 1", notes=[FLIP]),
        turns="fppfpff",
        retrying=True,
    ),
    scenario(
        "flake-two-tests",
        "two tests fail and then pass on the same code: both are told of in one note",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q", passed=[FLIP, STEADY]),
        turns="fp",
        outside={"turns2": "fp"},
    ),
    scenario(
        "flake-not-fixed",
        "an edit fixes the test: the pass is not on the same code",
        GO_FLIP,
        fails("go test ./..."),
        passes("go test ./...", write=GO_EDIT),
        turns="fp",
    ),
    scenario(
        "flake-not-on-other-code",
        "it passes on other code only, and the first code comes back: not flaky",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q", write=PY_EDIT),
        fails("pytest -q", git=[["checkout", "-q", "."]]),
        turns="fpf",
    ),
    scenario(
        "flake-not-another-test",
        "another test of the same file passes",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q tests/test_flip.py::test_steady"),
        passes("pytest -q tests/test_flip.py -k steady"),
        passes("pytest -q tests/test_more.py"),
        fails("pytest -q"),
        turns="ff",
    ),
    scenario(
        "flake-not-another-go-test",
        "-run takes in another test of the same package",
        GO_FLIP,
        fails("go test ./..."),
        passes("go test -count=1 -run TestSteady ./..."),
        turns="f",
    ),
    scenario(
        "flake-not-proven",
        "the output of the second run goes to a file behind which the exit status is another's",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q > ../out.txt; echo done"),
        turns="fp",
    ),
]

# -- 3. company

PY_POLLUTED = PY | {
    "code.py": "seen = []\nVERSION = 1\n",
    "tests/test_a.py": "import code\n\n\ndef test_adds():\n    code.seen.append(1)\n    assert code.seen\n",
    "tests/test_b.py": "import code\n\n\ndef test_starts_empty():\n    assert code.seen == []\n",
}
EMPTY = "pytest:tests/test_b.py::test_starts_empty"
ALONE = "pytest -q tests/test_b.py::test_starts_empty"
PY_LENT = PY_POLLUTED | {"tests/test_b.py": "import code\n\n\ndef test_finds_one():\n    assert code.seen\n"}
FINDS = "pytest:tests/test_b.py::test_finds_one"

JEST_LENT = JEST | {
    "user.test.js": 'let user;\n\ntest("makes a user", () => {\n  user = { name: "ann" };\n  expect(user.name).toBe("ann");\n});\n\ntest("renames the user", () => {\n  expect(user && user.name).toBe("ann");\n});\n'
}
RENAMES = "js:user.test.js > renames the user"

GO_POLLUTED = GO | {
    "store/store.go": "package store\n\n// Items are what was stored.\nvar Items []string\n",
    "store/store_test.go": 'package store\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tItems = append(Items, "a")\n}\n\nfunc TestEmpty(t *testing.T) {\n\tif len(Items) != 0 {\n\t\tt.Fatal("not empty")\n\t}\n}\n',
}

COMPANY_MATTERS = [
    scenario(
        "company-pytest",
        "another test leaves something behind: it fails in the whole suite and passes alone; on new code that it fails "
        "in the whole suite again and again is no sign of a broken test",
        PY_POLLUTED,
        fails("pytest -q"),
        passes(ALONE, passed=[EMPTY]),
        fails("pytest -q", notes=[EMPTY], company=("all tests", "chosen tests"), rerun=""),
        passes(ALONE),
        fails("pytest -q", notes=[EMPTY], company=("all tests", "chosen tests"), rerun=""),
        *(
            fails("pytest -q", notes=[EMPTY], company=("all tests", "chosen tests"), **more)
            for more in ({"write": {"code.py": "seen = []\nVERSION = 2\n"}}, {}, {}, {}, {}, {})
        ),
    ),
    scenario(
        "company-pytest-lent",
        "the other way round: it needs what another test sets up, fails alone and passes in the whole suite",
        PY_LENT,
        passes("pytest -q"),
        fails("pytest -q tests/test_b.py::test_finds_one", notes=[FINDS]),
        fails(
            "pytest -q tests/test_b.py::test_finds_one", notes=[FINDS], company=("chosen tests", "all tests"), rerun=""
        ),
        passes("pytest -q", passed=[FINDS], company=("chosen tests", "all tests")),
        fails("pytest -q tests/test_b.py", notes=[FINDS], company=("chosen tests or chosen files", "all tests")),
    ),
    scenario(
        "company-jest",
        "inside one file: the second test needs the first, and -t leaves that out",
        JEST_LENT,
        passes("npx jest user.test.js"),
        fails('npx jest user.test.js -t "renames"', notes=[RENAMES]),
        fails(
            'npx jest user.test.js -t "renames"', notes=[RENAMES], company=("chosen tests", "chosen files"), rerun=""
        ),
    ),
    scenario(
        "company-go",
        "inside one package: a test before it leaves something behind, and -run leaves that out",
        GO_POLLUTED,
        fails("go test ./store"),
        passes("go test -count=1 -run '^TestEmpty$' ./store", passed=["go:TestEmpty"]),
        fails(
            "go test ./store", notes=["go:TestEmpty"], company=("whole folders or packages", "chosen tests"), rerun=""
        ),
    ),
    scenario(
        "company-not-it-passed-in-both",
        "it also passed once in the whole suite: an ordinary flaky test, run in two ways",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q tests/test_flip.py::test_flip", passed=[FLIP]),
        passes("pytest -q"),
        fails("pytest -q", notes=[FLIP]),
        passes("pytest -q tests/test_flip.py::test_flip"),
        fails("pytest -q", notes=[FLIP]),
        turns="fppfpf",
    ),
    scenario(
        "company-not-too-few",
        "one failure in the whole suite and one pass alone are what any flaky test shows",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q tests/test_flip.py::test_flip", passed=[FLIP]),
        turns="fp",
    ),
    scenario(
        "company-not-known",
        "how much runs by a pattern, or as what failed last, is not known",
        PY_POLLUTED,
        fails('pytest -q -k "not gone"'),
        passes(ALONE, passed=[EMPTY]),
        fails('pytest -q -k "not gone"', notes=[EMPTY]),
        fails('pytest -q -k "not gone"', notes=[EMPTY]),
    ),
    scenario(
        "company-not-known-make",
        "how much make runs is not known from here",
        PY_POLLUTED | {"Makefile": "test-api:\n\t@pytest -q\n\ncheck:\n\t@pytest -q tests/test_b.py\n"},
        fails("make test-api"),
        passes("make -s check # test", shows="1 passed"),
        fails("make test-api"),
        fails("make test-api"),
    ),
    scenario(
        "company-not-the-same-width",
        "it fails and passes in runs of one kind",
        PY_FLIP,
        fails("pytest -q tests/test_flip.py"),
        passes("pytest -q tests/test_flip.py", passed=[FLIP]),
        fails("pytest -q tests/test_flip.py", notes=[FLIP]),
        passes("pytest -q tests/test_flip.py"),
        fails("pytest -q tests/test_flip.py", notes=[FLIP]),
        turns="fpfpf",
    ),
]

# -- 4. not the tests


def py_calls(body: str, count: int = 12, head: str = "") -> dict[str, str]:
    """A project whose tests each call `work`, which does as `body` says while the file "down" is there."""
    work = f"from pathlib import Path\n\nDOWN = Path(__file__).resolve().parents[1] / 'down'\n{head}\n\ndef work(n):\n    if DOWN.exists():\n{body}\n    return n\n"
    tests = "".join(
        f"\n\ndef test_{n}():\n    assert work({n}) == {n}\n    assert turn('turns{n}')\n" for n in range(count)
    )
    return PY | {"work.py": work, "tests/test_work.py": f"from turns import turn\nfrom work import work\n{tests}"}


REFUSED = "        socket.socket().connect(('127.0.0.1', 1))"
PY_REFUSED = py_calls(REFUSED, head="import socket")
WORK = "pytest:tests/test_work.py::test_"

PY_FIXTURE = PY | {
    "conftest.py": "import socket\nfrom pathlib import Path\n\nimport pytest\n\n\n@pytest.fixture\ndef client():\n    if (Path(__file__).resolve().parents[1] / 'down').exists():\n        return socket.create_connection(('127.0.0.1', 1))\n    return None\n",
    "tests/test_work.py": "from turns import turn\n"
    + "".join(f"\n\ndef test_{n}(client):\n    assert turn('turns{n}')\n" for n in range(12)),
}

GO_REFUSED = GO | {
    "work.go": 'package app\n\nimport (\n\t"net"\n\t"os"\n)\n\n// Work needs a server.\nfunc Work() error {\n\tif _, err := os.Stat("../down"); err != nil {\n\t\treturn nil\n\t}\n\t_, err := net.Dial("tcp", "127.0.0.1:1")\n\treturn err\n}\n',
    "work_test.go": 'package app\n\nimport "testing"\n'
    + "".join(
        f'\nfunc TestWork{n}(t *testing.T) {{\n\tif err := Work(); err != nil {{\n\t\tt.Fatal(err)\n\t}}\n\tif !Turn("turns{n}") {{\n\t\tt.Fatal("flipped")\n\t}}\n}}\n'
        for n in range(12)
    ),
}
GO_SUBTESTS = GO_REFUSED | {
    "work_test.go": 'package app\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc TestWork(t *testing.T) {\n\tfor n := 0; n < 12; n++ {\n\t\tt.Run(fmt.Sprintf("case%d", n), func(t *testing.T) {\n\t\t\tif err := Work(); err != nil {\n\t\t\t\tt.Fatal(err)\n\t\t\t}\n\t\t\tif !Turn(fmt.Sprintf("turns%d", n)) {\n\t\t\t\tt.Fatal("flipped")\n\t\t\t}\n\t\t})\n\t}\n}\n'
}

JEST_MISSING = JEST | {
    "work.test.js": 'const { turn } = require("./turns");\n\nconst load = () => require("../client");\n'
    + "".join(
        f'\ntest("works {n}", () => {{\n  expect(load().ask({n})).toBe({n});\n  expect(turn("turns{n}")).toBe(true);\n}});\n'
        for n in range(9)
    )
    + '\ntest("adds", () => {\n  expect(1 + 1).toBe(2);\n});\n'
}
CLIENT = "exports.ask = (n) => n;\n"

UNITTEST_FULL = UNITTEST | {
    "tests/test_flip.py": "import unittest\nfrom pathlib import Path\n\nfrom turns import turn\n\nDOWN = Path(__file__).resolve().parents[2] / 'down'\n\n\ndef save(text):\n    with open('/dev/full' if DOWN.exists() else '/dev/null', 'w') as file:\n        file.write(text)\n\n\nclass SaveTest(unittest.TestCase):\n"
    + "\n".join(
        f"    def test_save_{n}(self):\n        save('{n}')\n        self.assertTrue(turn('turns{n}'))\n"
        for n in range(12)
    )
}

VITEST_SLOW = VITEST | {
    "slow.test.mjs": 'import { existsSync } from "node:fs";\nimport { expect, test } from "vitest";\nimport { turn } from "./turns.js";\n\nconst answer = () => (existsSync("../down") ? new Promise(() => {}) : Promise.resolve(1));\n'
    + "".join(
        f'\ntest("answers {n}", async () => {{\n  expect(await answer()).toBe(1);\n  expect(turn("turns{n}")).toBe(true);\n}}, 30);\n'
        for n in range(12)
    )
}

TALK = "print('connection refused, trying again')"
PY_FAILING = PY | {
    "tests/test_work.py": "from turns import turn\n"
    + "".join(
        f"\n\ndef test_{n}():\n    {TALK if n in (3, 7) else 'pass'}\n    assert turn('turns{n}')\n    assert turn('down{n}')\n"
        for n in range(12)
    ),
}


HALVES = {k: v for k, v in PY_REFUSED.items() if k != "tests/test_work.py"} | {
    f"tests/test_{part}.py": "from work import work\n"
    + "".join(f"\n\ndef test_{part}{n}():\n    assert work({n}) == {n}\n" for n in range(5))
    for part in "ab"
}


def one_cause(
    name: str, why: str, files: dict[str, str], command: str, test: str, together: tuple[int, str], again: str = "",
    edit: Optional[dict[str, str]] = None, gone: Optional[dict[str, Any]] = None, there: Optional[dict[str, Any]] = None,
    runs: int = 2,
) -> Step:  # fmt: skip
    """The tests are called `test` with their number for {}. The one with 0 is flaky before everything fails for
    one cause. When that is gone, those failures are no evidence: the pass is none on code that a test failed on,
    7 fails for the first time, and 5, on new code, as a test of which nothing is known. `runs` are those of 7 by then (an output may name passes)."""
    gone, there = gone or {"down": None}, there or {"down": "x"}
    return scenario(
        name,
        why,
        files,
        fails(command, outside=gone),
        passes(again or command, passed=[test.format(0)]),
        fails(command, together=together, outside=there),
        passes(again or command, outside=gone),
        fails(command, notes=[f"{test.format(7)} #1/{runs}"]),
        fails(command, write=edit or PY_EDIT),
        outside={"turns0": "fpppp", "turns7": "pppfp", "turns5": "ppppf"},
    )


NOT_THE_TESTS = [
    one_cause(
        "together-pytest",
        "12 tests of pytest are refused by one port",
        PY_REFUSED,
        "pytest -q",
        WORK + "{}",
        (12, "connections were refused"),
    ),
    one_cause(
        "together-pytest-fixture",
        "a fixture of 12 tests is refused, with tracebacks longer than the client hands on",
        PY_FIXTURE,
        "pytest -q",
        WORK + "{}",
        (12, "connections were refused"),
    ),
    one_cause(
        "together-go",
        "12 tests of Go are refused by one port",
        GO_REFUSED,
        "go test ./...",
        "go:TestWork{}",
        (12, "connections were refused"),
        "go test -count=1 ./...",
        GO_EDIT,
    ),
    one_cause(
        "together-jest",
        "9 of 10 tests cannot load one module",
        JEST_MISSING,
        "npx jest",
        "js:work.test.js > works {}",
        (9, "a module or a command was not found"),
        edit=JS_EDIT,
        gone={"client.js": CLIENT},
        there={"client.js": None},
        runs=3,
    ),
    one_cause(
        "together-unittest",
        "12 tests write to a full disk",
        UNITTEST_FULL,
        "python3 -m unittest",
        "unittest:tests.test_flip.SaveTest.test_save_{}",
        (12, "no space is left on the device"),
    ),
    one_cause(
        "together-vitest",
        "12 tests run into their timeout",
        VITEST_SLOW,
        "npx vitest run",
        "js:slow.test.mjs > answers {}",
        (12, "something timed out"),
        edit=JS_EDIT,
        runs=3,
    ),
    one_cause(
        "together-pytest-short",
        "the same with the closing lines alone",
        PY_REFUSED,
        "pytest -q --tb=no",
        WORK + "{}",
        (12, "connections were refused"),
    ),
    one_cause(
        "together-pytest-line",
        "the same with one line for each failure",
        PY_REFUSED,
        "pytest -q --tb=line",
        WORK + "{}",
        (12, "connections were refused"),
    ),
    one_cause(
        "together-pytest-tail",
        "the same behind tail, which leaves the closing lines",
        PY_REFUSED,
        "set -o pipefail; pytest -q 2>&1 | tail -n 20",
        WORK + "{}",
        (12, "connections were refused"),
    ),
]

NOT_THE_TESTS += [
    scenario(
        "together-go-subtests",
        "12 subtests of Go are refused by one port, and so fails the test around them",
        GO_SUBTESTS,
        fails("go test ./...", outside={"down": None}),
        passes("go test -count=1 ./...", passed=["go:TestWork", "go:TestWork/case0"]),
        fails("go test ./...", together=(13, "connections were refused"), outside={"down": "x"}),
        fails("go test ./...", together=(13, "connections were refused")),
        passes("go test -count=1 ./...", outside={"down": None}),
        outside={"turns0": "fpp"},
    ),
    scenario(
        "together-not-assertions",
        "12 assertions fail at once: no cause is shown (two of them print of one), and the one that is known to be flaky is named as usual",
        PY_FAILING,
        fails("pytest -q"),
        passes("pytest -q", passed=[WORK + "0"]),
        fails("pytest -q", notes=[WORK + "0"], write=PY_EDIT),
        outside={"turns0": "fpf", **{f"down{n}": "ppf" if n else "pf" for n in range(12)}},
    ),
    scenario(
        "together-not-three",
        "only 3 tests are refused: the rules are the usual ones",
        py_calls(REFUSED, 3, "import socket"),
        passes("pytest -q"),
        fails("pytest -q", notes=[WORK + "0", WORK + "1", WORK + "2"], outside={"down": "x"}),
        passes("pytest -q", passed=[WORK + "0", WORK + "1", WORK + "2"], outside={"down": None}),
    ),
    scenario(
        "together-not-nine-of-twelve",
        "9 of 12 tests are refused: fewer than ten, and fewer than nine in ten",
        py_calls(REFUSED, 9, "import socket")
        | {"tests/test_more.py": "".join(f"def test_{n}():\n    assert {n} + 1 > {n}\n\n\n" for n in range(3))},
        fails("pytest -q", outside={"down": "x"}),
        passes("pytest -q", passed=[WORK + str(n) for n in range(9)], outside={"down": None}),
    ),
    scenario(
        "together-not-what-always-fails",
        "10 tests that always fail for one cause: they are no news",
        HALVES,
        fails("pytest -q tests/test_a.py", outside={"down": "x"}),
        fails("pytest -q tests/test_b.py"),
        fails("pytest -q"),
    ),
    scenario(
        "together-not-one-cause",
        "12 tests fail, 4 of them refused and 8 by assertions",
        PY_FAILING
        | {
            "work.py": PY_REFUSED["work.py"],
            "tests/test_work.py": "from turns import turn\nfrom work import work\n"
            + "".join(
                f"\n\ndef test_{n}():\n    {'work(1)' if n > 7 else 'pass'}\n    assert turn('turns{n}')\n"
                for n in range(12)
            ),
        },
        fails("pytest -q", outside={"down": "x"}),
        passes("pytest -q", passed=[WORK + str(n) for n in range(10)], outside={"down": None}),
        outside={f"turns{n}": "fp" for n in range(8)},
    ),
]

# -- 5. to run it again


def again(
    name: str, why: str, files: dict[str, str], command: str, test: str, rerun: str, shows: str = "", more: str = "",
    like: Optional[str] = None,
) -> Step:  # fmt: skip
    """The note ends with a command; that is then run, and is a run of this one test on the same code. `like` is a
    pattern of what the note may say where more than one command does it ("": nothing is looked for)."""
    said = rerun if like is None else re.compile(like) if like else None
    return scenario(
        f"again-{name}",
        why,
        files,
        fails(command),
        passes(more or command, passed=[test]),
        fails(command, notes=[f"{test} #2/3"], rerun=said),
        fails(rerun, notes=[f"{test} #3/4"], rerun=said, shows=shows),
        passes(rerun),
        turns="fpffp",
    )


def below(folder: str, files: dict[str, str]) -> dict[str, str]:
    """A project one folder deeper, whose turns still lie beside the repository."""
    return {
        f"{folder}/{name}": text.replace("parents[1]", "parents[2]")
        .replace('"../', '"../../')
        .replace('"..", ', '"..", "..", ')
        for name, text in files.items()
    }


PY_NAMES = PY | {
    "tests/test_names.py": "import pytest\n\nfrom turns import turn\n\n\n@pytest.mark.parametrize('text', ['it\\'s $HOME, `id` and \"x\"', 'plain'])\ndef test_text(text):\n    assert text == 'plain' or turn()\n"
}
JEST_NAMES = JEST | {
    "names.test.js": 'const { turn } = require("./turns");\n\ndescribe("a (b) [c]", () => {\n  test("it\'s $HOME, `id` and \\"x\\" + 1?", () => {\n    expect(turn()).toBe(true);\n  });\n\n  test("plain", () => {});\n});\n'
}
JEST_HOSTILE = 'js:names.test.js > a (b) [c] > it\'s $HOME, `id` and "x" + 1?'
MOCHA = {
    "package.json": '{"name": "app", "scripts": {"test": "mocha"}}\n', "turns.js": JS_TURN,
    "test/flip.js": 'const assert = require("assert");\nconst { turn } = require("../turns");\n\ndescribe("Flip", () => {\n  it("flips", () => {\n    assert(turn());\n  });\n\n  it("stays", () => {});\n});\n',
}  # fmt: skip
NODE = {
    "package.json": '{"name": "app"}\n', "turns.js": JS_TURN,
    "flip.test.js": 'const assert = require("node:assert");\nconst { test } = require("node:test");\nconst { turn } = require("./turns");\n\ntest("flips", () => {\n  assert(turn());\n});\n\ntest("stays", () => {});\n',
}  # fmt: skip
PHP = {
    ".gitignore": ".phpunit.result.cache\n", "phpunit.xml": '<phpunit><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>\n',
    "tests/FlipTest.php": "<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nclass FlipTest extends TestCase\n{\n    private function turn(): bool\n    {\n        $text = file_get_contents(__DIR__ . '/../../turns');\n        file_put_contents(__DIR__ . '/../../turns', substr($text, 1));\n        return ($text[0] ?? 'p') !== 'f';\n    }\n\n    public function testFlips(): void\n    {\n        $this->assertTrue($this->turn());\n    }\n\n    public function testFlipsNever(): void\n    {\n        $this->assertTrue(true);\n    }\n}\n",
}  # fmt: skip
MIX = {
    ".gitignore": "_build/\n", "mix.exs": "defmodule App.MixProject do\n  use Mix.Project\n\n  def project, do: [app: :app, version: \"0.1.0\"]\nend\n",
    "test/test_helper.exs": "ExUnit.start()\n",
    "test/flip_test.exs": 'defmodule FlipTest do\n  use ExUnit.Case\n\n  defp turn do\n    text = File.read!("../turns")\n    File.write!("../turns", String.slice(text, 1..-1))\n    not String.starts_with?(text, "f")\n  end\n\n  test "flips" do\n    assert turn()\n  end\n\n  test "stays" do\n    assert true\n  end\nend\n',
}  # fmt: skip
GO_NAMES = GO | {
    "flip_test.go": 'package app\n\nimport "testing"\n\nfunc TestNames(t *testing.T) {\n\tfor _, name := range []string{"it\'s $HOME", "broken"} {\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tif name == "broken" {\n\t\t\t\tt.Fatal("broken")\n\t\t\t}\n\t\t\tif name[0] == \'i\' && !Turn("turns") {\n\t\t\t\tt.Fatal("flipped")\n\t\t\t}\n\t\t})\n\t}\n}\n'
}
QUOTED = 'tests/test_names.py::test_text[it\'s $HOME, `id` and "x"]'
API_FLIP = "pytest:api/tests/test_flip.py::test_flip"
GO_SUBTEST = "go:TestNames/it's_$HOME"
GO_RERUN = "go test -count=1 -run '^TestNames$/^it'\"'\"'s_\\$HOME$' ."
HOSTILE_RERUN = r"""npx jest (--runTestsByPath )?names\.test\.js -t '\^.*a \\\(b\\\) \\\[c\\\].*it'"'"'s \\\$HOME, `id` and "x" \\\+ 1\\\?.*\$'"""
# Stands in for docker: runs the words behind the service, here.
DOCKER = '#!/bin/sh\nshift 3\nexec "$@"\n'

RUN_AGAIN = [
    again(
        "go",
        "Go, by its package",
        GO_FLIP,
        "go test ./...",
        "go:TestFlip",
        "go test -count=1 -run '^TestFlip$' .",
        more="go test -count=1 ./...",
    ),
    again(
        "go-race",
        "a setting stays",
        GO_FLIP,
        "go test -race ./...",
        "go:TestFlip",
        "go test -race -count=1 -run '^TestFlip$' .",
        more="go test -race -count=1 ./...",
    ),
    again(
        "pytest",
        "pytest, by its node id",
        PY_FLIP,
        "pytest -q",
        FLIP,
        "pytest 'tests/test_flip.py::test_flip'",
        "1 failed in",
    ),
    again(
        "pytest-settings",
        "variables and options that change how tests run stay",
        PY_FLIP,
        "MODE=fast python3 -m pytest -q -p no:randomly",
        FLIP,
        "MODE=fast python3 -m pytest -p no:randomly 'tests/test_flip.py::test_flip'",
        "1 failed in",
    ),
    again(
        "pytest-subfolder",
        "cd stays",
        below("api", PY_FLIP),
        "cd api && pytest -q",
        "pytest:api/tests/test_flip.py::test_flip",
        "cd api && pytest 'tests/test_flip.py::test_flip'",
        "1 failed in",
    ),
    again(
        "unittest",
        "unittest, by its dotted name",
        UNITTEST,
        "python3 -m unittest",
        UNITTEST_ID,
        "python3 -m unittest 'tests.test_flip.FlipTest.test_flip'",
        "Ran 1 test ",
    ),
    again(
        "jest",
        "jest, by file and title",
        JEST_FLIP,
        "npx jest",
        JEST_ID,
        "npx jest flip.test.js -t '^flip flips$'",
        "1 skipped",
        like=r"npx jest (--runTestsByPath )?flip\.test\.js -t '\^.*flip.*flips.*\$'",
    ),
    again(
        "jest-name",
        "a title with quotes, $, backticks and what means something in a pattern",
        JEST_NAMES,
        "npx jest",
        JEST_HOSTILE,
        "npx jest names.test.js -t '^a \\(b\\) \\[c\\] it'\"'\"'s \\$HOME, `id` and \"x\" \\+ 1\\?$'",
        "1 skipped",
        like=HOSTILE_RERUN,
    ),
    again(
        "vitest",
        "vitest, by file and title",
        VITEST_FLIP,
        "npx vitest run",
        VITEST_ID,
        "npx vitest run flip.test.mjs -t '^flips$'",
        "1 skipped",
        like=r"npx vitest run flip\.test\.mjs -t '\^.*flips.*\$'",
    ),
    again(
        "mocha",
        "mocha, by file and title",
        MOCHA,
        "npx mocha",
        "mocha:Flip > flips",
        "npx mocha test/flip.js -g '^Flip flips$'",
        "0 passing",
        like="",
    ),
    again(
        "node",
        "node --test, by file and title",
        NODE,
        "node --test",
        "node:flips",
        "node --test --test-name-pattern '^flips$' flip.test.js",
        "# pass 0",
        like="",
    ),
    again(
        "cargo",
        "cargo, by its path",
        CARGO,
        "cargo test",
        CARGO_ID,
        "cargo test --lib -- --exact 'tests::flips'",
        "1 filtered out",
    ),
    again(
        "rspec",
        "rspec, by its place",
        RSPEC,
        "rspec",
        RSPEC_ID,
        "rspec './spec/flip_spec.rb:4'",
        "1 example, 1 failure",
    ),
    again(
        "phpunit",
        "PHPUnit, by class and method",
        PHP,
        "phpunit",
        "phpunit:FlipTest::testFlips",
        "phpunit --filter '/^FlipTest::testFlips$/'",
        "Tests: 1,",
    ),
    again(
        "mix",
        "mix, by its place",
        MIX,
        "mix test",
        "mix:test flips (FlipTest)",
        "mix test 'test/flip_test.exs:10'",
        "1 excluded",
        like="",
    ),
    again(
        "pytest-parameter",
        "a parameter with quotes, a $ and backticks",
        PY_NAMES,
        "pytest -q",
        f"pytest:{QUOTED}",
        "pytest '" + QUOTED.replace("'", "'\"'\"'") + "'",
        "1 failed in",
    ),
    scenario(
        "again-from-a-subfolder",
        "the session stands in a subfolder, and the command starts there",
        below("api", PY_FLIP),
        fails("pytest -q", cwd="api"),
        passes("pytest -q", cwd="api", passed=[API_FLIP]),
        fails("cd api && pytest -q", notes=[API_FLIP], rerun="cd api && pytest 'tests/test_flip.py::test_flip'"),
        fails("pytest -q", cwd="api", notes=[API_FLIP], rerun="pytest 'tests/test_flip.py::test_flip'"),
        turns="fpff",
    ),
    scenario(
        "again-go-subtest",
        "a subtest with a quote and a $; another one is broken, and with it the test around them: a run of one part of it is no pass of the whole",
        GO_NAMES,
        fails("go test -v ./..."),
        fails("go test -v ./...", passed=[GO_SUBTEST]),
        fails("go test -v ./...", notes=[GO_SUBTEST], rerun=GO_RERUN),
        passes(GO_RERUN),
        fails(GO_RERUN, notes=[GO_SUBTEST], rerun=GO_RERUN, shows="FAIL: TestNames/it"),
        turns="fpfpf",
    ),
    scenario(
        "again-go-subtest-and-test",
        "a subtest and so the test around it are flaky: the one command for the test runs both",
        GO_REFUSED | {"work_test.go": GO_SUBTESTS["work_test.go"]},
        fails("go test ./..."),
        passes("go test -count=1 ./...", passed=["go:TestWork", "go:TestWork/case3"]),
        fails(
            "go test ./...",
            notes=["go:TestWork", "go:TestWork/case3"],
            rerun=re.compile(r"go test -count=1 -run '\^TestWork\$' \..*"),
        ),
        outside={"turns3": "fpf"},
    ),
    scenario(
        "again-several",
        "several tests of one note are run again by one command",
        PY_FLIP,
        fails("pytest -q"),
        passes("pytest -q", passed=[FLIP, STEADY]),
        fails(
            "pytest -q",
            notes=[FLIP, STEADY],
            rerun="pytest 'tests/test_flip.py::test_flip' 'tests/test_flip.py::test_steady'",
        ),
        fails(
            "pytest 'tests/test_flip.py::test_flip' 'tests/test_flip.py::test_steady'",
            notes=[FLIP + " #3/4", STEADY + " #3/4"],
            shows="2 failed in",
        ),
        turns="fpff",
        outside={"turns2": "fpff"},
    ),
    scenario(
        "again-behind-tail",
        "what only shortens the output of the first run is left out of the command",
        PY_FLIP,
        fails("set -o pipefail; pytest -q 2>&1 | tail -n 5"),
        passes("set -o pipefail; pytest -q 2>&1 | tail -n 5", passed=[FLIP]),
        fails(
            "set -o pipefail; pytest -q 2>&1 | tail -n 5", notes=[FLIP], rerun="pytest 'tests/test_flip.py::test_flip'"
        ),
        turns="fpf",
    ),
    scenario(
        "again-npm",
        "what a script of npm starts is run again by way of npx: it need not be on the PATH",
        JEST_FLIP,
        fails("npm test"),
        passes("npm test", passed=[JEST_ID]),
        fails(
            "npm test",
            notes=[JEST_ID],
            rerun=re.compile(r"npx jest (--runTestsByPath )?flip\.test\.js -t '\^.*flip.*flips.*\$'"),
        ),
        turns="fpf",
    ),
    scenario(
        "again-not-make",
        "what make starts cannot be given a test",
        PY_FLIP | {"Makefile": "test:\n\t@pytest -q\n"},
        fails("make test"),
        passes("make test", passed=[FLIP]),
        fails("make test", notes=[FLIP], rerun=""),
        turns="fpf",
    ),
    scenario(
        "again-not-in-a-container",
        "what runs in a container is not recorded, however it ends",
        PY_FLIP,
        fails("docker compose exec web pytest -q"),
        passes("docker compose exec web pytest -q"),
        fails("docker compose exec web pytest -q"),
        turns="fpf",
        outside={"bin/docker": DOCKER},
    ),
]

SCENARIOS = [*PROBABLY_REAL, *JUST_A_FLAKE, *COMPANY_MATTERS, *NOT_THE_TESTS, *RUN_AGAIN]
