"""The commands that run tests again, for the runners of Rust, PHP, Ruby, Elixir, CMake, .NET and Java.

What each command runs was seen with the real runners; here it is only that it stays what it is.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from flaky_memory import command, history, record
from flaky_memory.model import Memory
from flaky_memory.runners import cargo, mix, nextest
from tests.rerun_rows import built

Test = "tuple[str, str | None, str, str]"


def c(name: str, target: str, scope: str | None = "app") -> Test:
    return "cargo", scope, name, target


def p(name: str) -> Test:
    return "phpunit", None, name, ""


def r(place: str, name: str = "A b") -> Test:
    return "rspec", "./" + place.partition(":")[0].partition("[")[0], name, place


def m(name: str) -> Test:
    return "minitest", None, name, ""


def x(name: str, line: int, file: str = "test/a_test.exs") -> Test:
    return "mix", file, name, f"{file}:{line}"


def t(name: str) -> Test:
    return "ctest", "build//", name, ""


def d(name: str) -> Test:
    return "dotnet", None, name, ""


def j(name: str, scope: str = "web") -> Test:
    return "maven", scope, name, ""


def g(name: str, scope: str | None = ":test") -> Test:
    return "gradle", scope, name, ""


MIX = {
    "mix.exs": "",
    "test/a_test.exs": """defmodule ATest do
  use ExUnit.Case
  test "adds \\"x\\" $HOME `id` (y)", %{} do
  end
  describe "d" do
    for i <- 1..2 do
      test "row #{i}" do
      end
    end
    test "-x" do
    end
  end
end
""",
}
TWO = {"test/a_test.exs": 'defmodule A do\n  use ExUnit.Case\n  test "x" do\n  end\nend\ndefmodule B do\n  use ExUnit.Case\nend\n'}
REACTOR = {"pom.xml": "<project><modules><module>web</module></modules></project>", "web/pom.xml": "<project/>"}

# (id, what was typed, the failing tests, the command, the files, the session's directory)
ROWS = [
    ("cargo lib", "cargo test", [c("tests::a", "--lib")], "cargo test --lib -- --exact 'tests::a'"),
    ("cargo settings stay", "RUST_BACKTRACE=1 cargo +nightly test --locked --offline --features x -v -- --nocapture --test-threads=1", [c("tests::a", "--lib"), c("tests::b", "--lib")], "RUST_BACKTRACE=1 cargo +nightly test --locked --offline --features x --lib -- --exact 'tests::a' 'tests::b' --test-threads=1"),
    ("cargo workspace", "cargo test --workspace --exclude slow --no-fail-fast", [c("tests::a", "-p app --lib"), c("whole", "-p app --test deep-er", "deep_er"), c("b::c", "-p other-lib --lib", "other_lib")], "cargo test -p app --lib -- --exact 'tests::a' && cargo test -p app --test deep-er -- --exact 'whole' && cargo test -p other-lib --lib -- --exact 'b::c'"),
    ("phpunit glob", "phpunit tests/*Test.php", [p("ATest::testX")], ""),
    ("cargo four binaries", "cargo test", [c("a", "--lib"), c("a", "--test a", "a"), c("a", "--test b", "b"), c("a", "--test c", "c")], ""),
    ("cargo typed package", "cargo test -p app --tests name_filter", [c("whole", "--test it", "it")], "cargo test -p app --test it -- --exact 'whole'"),
    ("cargo attached package", "cargo test -papp -pother --lib", [c("a", "-p app --lib")], "cargo test -p app --lib -- --exact 'a'"),
    ("cargo bin", "cargo t --all-targets", [c("tests::a", "--bin my-tool", "my_tool")], "cargo t --bin my-tool -- --exact 'tests::a'"),
    ("cargo other binary", "cargo test", [c("tests::a", "--test it", "app")], ""),
    ("cargo same command", "cargo test --lib -p app -q", [c("a", "-p app --lib", None)], "cargo test -q --lib -p app -- --exact 'a'"),
    ("cargo quiet", "cargo test -q", [c("a", "--lib", None)], ""),
    ("cargo raw name", "cargo test", [c("r#match::größe", "--lib")], "cargo test --lib -- --exact 'r#match::größe'"),
    ("cargo no target", "cargo test --lib", [c("tests::a", "")], ""),
    ("cargo doc", "cargo test", [c("src/lib.rs - add (line 4)", "--doc", "doc:app")], ""),
    ("cargo doc target", "cargo test", [c("tests::a", "--doc")], ""),
    ("cargo name with blanks", "cargo test", [c("case a::$(id)", "--lib")], ""),
    ("cargo option as name", "cargo test", [c("--ignored", "--lib")], ""),
    ("cargo target with a blank", "cargo test", [c("a", "--lib --all-features")], ""),
    ("cargo folder", "cd app && cargo test --manifest-path ./Cargo.toml", [c("a", "--lib")], "cd app && cargo test --manifest-path ./Cargo.toml --lib -- --exact 'a'"),
    ("nextest", "cargo nextest run --workspace --no-fail-fast --retries 2", [c("tests::a", "", "app::bin/tool")], "cargo nextest run --workspace -E 'binary_id(=app::bin/tool) & test(=tests::a)'"),
    ("nextest two", "cargo nextest run -E 'test(x)' --partition count:1/2 --profile ci", [c("tests::a", "", "app"), c("whole", "", "app::it")], "cargo nextest run --profile ci --no-fail-fast -E '(binary_id(=app) & test(=tests::a)) + (binary_id(=app::it) & test(=whole))'"),
    ("nextest project", "cargo nextest run", [c("a", "", "sub//other-lib")], "cargo nextest run -E 'binary_id(=other-lib) & test(=a)'"),
    ("nextest no binary", "cargo nextest run", [c("a", "", None)], ""),
    ("nextest odd name", "cargo nextest run", [c("a) + all(", "", "app")], ""),
    ("phpunit", "phpunit", [p("App\\ATest::testX")], r"phpunit --filter '/^App\\ATest::testX$/'"),
    ("phpunit settings stay", "APP_ENV=x php -d memory_limit=1G vendor/bin/phpunit -c x.xml --colors=never --filter y tests/A", [p("App\\ATest::testX"), p("App\\ATest::größer_als")], r"APP_ENV=x php -d memory_limit=1G vendor/bin/phpunit -c x.xml --filter '/^(App\\ATest::testX|App\\ATest::größer_als)$/' tests/A"),
    ("phpunit data set", "phpunit", [p('ATest::testX with data set "it\'s $HOME `id` (x)/[y] #1|"')], r"""phpunit --filter '/^ATest::testX with data set "it'"'"'s \$HOME `id` \(x\)\/\[y\] #1\|"$/'"""),
    ("phpunit data set number", "phpunit --testsuite unit", [p("ATest::testX with data set #12")], "phpunit --testsuite unit --filter '/^ATest::testX with data set #12$/'"),
    ("phpunit torn data set", "phpunit", [p('ATest::testX with data set "new')], ""),
    ("phpunit quotes", "phpunit", [p('ATest::testX with data set "a "b" c"')], ""),
    ("phpunit testdox", "phpunit --testdox", [p("App\\ATest::testX")], ""),
    ("phpunit testdox of the configuration", "phpunit", [p("App\\A::Adds")], ""),
    ("phpunit sentence", "phpunit", [p("App\\ATest::Adds up")], ""),
    ("paratest", "paratest", [p("App\\ATest::testX")], ""),
    ("rspec", "bundle exec rspec --order rand:3 -fd -e x", [r("spec/a_spec.rb:3"), r("spec/b_spec.rb[1:2:1]", "C")], "bundle exec rspec --order rand:3 './spec/a_spec.rb:3' './spec/b_spec.rb[1:2:1]'"),
    ("rspec folder", "cd spec && rspec -I . --tag ~slow a_spec.rb", [r("spec/-a_spec.rb:3")], "cd spec && rspec -I . --tag '~slow' './-a_spec.rb:3'"),
    ("rspec no place", "rspec", [("rspec", "./spec/a_spec.rb", "A b", "")], ""),
    ("rspec pattern", "rspec -P 'spec/sub/*_spec.rb' --fail-fast", [r("spec/sub/a_spec.rb:3")], "rspec './spec/sub/a_spec.rb:3'"),
    ("rake spec", "rake spec", [r("spec/a_spec.rb:3")], ""),
    ("minitest", "ruby -Itest test/a_test.rb", [m("ATest#test_x")], r"ruby -Itest test/a_test.rb -v -n '/\A(?:ATest\#test_x)\z/'"),
    ("minitest settings stay", "TZ=UTC bundle exec ruby -w -Itest test/a_test.rb -v --seed 3 -n /y/", [m("ATest#test_x"), m("a b::c#test_0001_it's $HOME `id` (x)/[y]")], r"""TZ=UTC bundle exec ruby -w -Itest test/a_test.rb --seed 3 -v -n '/\A(?:ATest\#test_x|a b::c\#test_0001_it'"'"'s \$HOME `id` \(x\)\/\[y\])\z/'"""),
    ("minitest two files", "ruby -Itest test/a_test.rb test/b_test.rb", [m("ATest#test_x")], ""),
    ("minitest glob", "ruby -Itest test/*_test.rb", [m("ATest#test_x")], ""),
    ("rake test", "rake test", [m("ATest#test_x")], ""),
    ("mix", "MIX_ENV=test mix test --seed 0 --trace --only slow", [x('test adds "x" $HOME `id` (y) (ATest)', 3)], "MIX_ENV=test mix test --seed 0 'test/a_test.exs:3'", MIX),
    ("mix two", "mix test", [x('test adds "x" $HOME `id` (y) (ATest)', 3), x("test d -x (ATest)", 10)], "mix test 'test/a_test.exs:3' && mix test 'test/a_test.exs:10'", MIX),
    ("mix row", "mix test", [x("test d row 1 (ATest)", 7)], "", MIX),
    ("mix other line", "mix test", [x("test d -x (ATest)", 4)], "", MIX),
    ("mix two modules", "mix test", [x("test x (A)", 3)], "", TWO),
    ("mix two on a line", "mix test", [x("test x (A)", 3)], "", {"test/a_test.exs": 'defmodule A do\n  use ExUnit.Case\n  test "x", do: f(); test "y", do: f()\nend\n'}),
    ("mix one line", "mix test", [x("test x (A)", 3)], "mix test 'test/a_test.exs:3'", {"test/a_test.exs": 'defmodule A do\n  use ExUnit.Case\n  test "x", do: f("test y")\nend\n'}),
    ("mix doctest", "mix test", [x("doctest A.b/1 (1) (ATest)", 3)], "", MIX),
    ("mix umbrella", "mix test", [x("test x (A)", 3)], "", {"apps/a/" + f: s for f, s in MIX.items()}),
    ("ctest", "ctest --test-dir build --output-on-failure -j4 -L slow -E x --repeat until-pass:3", [t("a.b"), t("-x 'q' $HOME `id` (y)/[z]|")], r"""ctest --test-dir build -j4 -R '^(a\.b|-x '"'"'q'"'"' \$HOME `id` \(y\)/\[z\]\|)$'"""),
    ("ctest folder", "cd build && CTEST_X=1 ctest --rerun-failed -C Debug", [("ctest", "build//", "größe", "")], "cd build && CTEST_X=1 ctest -C Debug -R '^größe$'"),
    ("ctest union", "ctest --test-dir build -I 1,2 -U -R a", [t("a")], ""),
    ("ctest script", "ctest -S x.cmake", [t("a")], ""),
    ("dotnet", "dotnet test App.sln --no-build -c Release --logger 'console;verbosity=normal' --filter A", [d("App.Tests.ATest.X"), d("App.Tests.Outer+ATest.X_y")], "dotnet test --no-build -c Release App.sln --filter 'FullyQualifiedName=App.Tests.ATest.X|FullyQualifiedName=App.Tests.Outer+ATest.X_y'"),
    ("dotnet row", "dotnet test", [d("App.Tests.ATest.X(a: 1)")], ""),
    ("dotnet display name", "dotnet test", [d("Tank.Fills")], ""),
    ("dotnet run", "dotnet run --project App.Tests", [d("App.Tests.ATest.X")], ""),
    ("maven", "mvn -o -B -q clean test -Dx=1 -Dtest=Old", [j("works(com.acme.ATest)"), j("also(com.acme.ATest)"), j("works(com.acme.BTest$Inner)")], "mvn -o -Dx=1 clean test '-Dtest=com.acme.ATest#works+also,com.acme.BTest$Inner#works'"),
    ("maven modules", "./mvnw -B -fae verify -T 2", [j("works(com.acme.ATest)")], "", REACTOR),
    ("maven typed module", "mvn test -pl web -am", [j("works(com.acme.ATest)")], "", REACTOR),
    ("maven upstream module", "mvn test -pl web -am", [j("works(com.acme.ATest)", "core")], "", REACTOR),
    ("maven two modules", "mvn test", [j("same(com.acme.ATest)", "core"), j("same(com.acme.ATest)")], "", REACTOR),
    ("maven inside a module", "mvn test", [j("works(com.acme.ATest)")], "mvn test '-Dtest=com.acme.ATest#works'", REACTOR, "web"),
    ("maven parameters", "mvn test", [j("rows(int)[1](com.acme.ATest)")], ""),
    ("maven integration test", "mvn verify", [j("works(com.acme.AIT)")], ""),
    ("maven other goals", "mvn jacoco:prepare-agent test", [j("works(com.acme.ATest)")], ""),
    ("maven failures ignored", "mvn -fn test", [j("größe$x(com.acme.ATest)")], "mvn test '-Dtest=com.acme.ATest#größe$x'"),
    ("gradle", "TZ=UTC ./gradlew --offline test --info --continue -Dx=1 --tests '*Old'", [g("com.acme.ATest > works"), g("com.acme.ATest$Inner > works()")], "TZ=UTC ./gradlew --offline -Dx=1 --no-build-cache :cleanTest :test --tests 'com.acme.ATest.works' --tests 'com.acme.ATest$Inner.works'"),
    ("gradle projects", "gradle check --build-cache --rerun-tasks", [g("com.acme.ATest > works", ":lib:test"), g("BTest > works()", "x//:app:integrationTest")], "gradle --no-build-cache :lib:cleanTest :lib:test --tests 'com.acme.ATest.works' && gradle --no-build-cache :app:cleanIntegrationTest :app:integrationTest --tests 'BTest.works'"),
    ("gradle display name", "gradle test", [g("ATest > works")], ""),
    ("gradle blanks", "gradle test", [g("com.acme.ATest > it works")], ""),
    ("gradle parameters", "gradle test", [g("com.acme.ATest > row[1]")], ""),
    ("gradle nested", "gradle test", [g("ATest > Inner > works()")], ""),
    ("gradle no task", "gradle test", [g("com.acme.ATest > works", None)], ""),
    ("gtest", "./build/units_test --gtest_filter=A.*", [("gtest", None, "A.b", "")], ""),
    ("variable of the shell", "X=$Y phpunit", [p("ATest::testX")], ""),
    ("two tools", "phpunit && rspec", [p("ATest::testX")], "phpunit --filter '/^ATest::testX$/'"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_command(row: tuple) -> None:
    _, typed, tests, expected, *rest = row
    files, cwd = (rest + [None, ""][len(rest) :])[:2]
    assert built(typed, tests, cwd, files) == expected


WORDS = [
    ("phpunit data set", ["phpunit", "--filter", r"""/^ATest::testX with data set "it's \$HOME `id` \(x\)\/\[y\] #1\|"$/"""]),
    ("rspec folder", ["cd", "spec", "&&", "rspec", "-I", ".", "--tag", "~slow", "./-a_spec.rb:3"]),
    ("ctest", ["ctest", "--test-dir", "build", "-j4", "-R", r"^(a\.b|-x 'q' \$HOME `id` \(y\)/\[z\]\|)$"]),
    ("maven failures ignored", ["mvn", "test", "-Dtest=com.acme.ATest#größe$x"]),
    ("nextest", ["cargo", "nextest", "run", "--workspace", "-E", "binary_id(=app::bin/tool) & test(=tests::a)"]),
]


@pytest.mark.parametrize(("name", "words"), WORDS, ids=[name for name, _ in WORDS])
def test_words(name: str, words: list[str]) -> None:
    """A shell makes of the command just these words."""
    assert [shlex.split(row[3]) for row in ROWS if row[0] == name] == [words]


# -- what the runners say of where their tests are

RUNNING = "     Running unittests src/{}.rs (target/debug/deps/{}-1130527e7d1b16ad)\n"
FAILING = """
running 1 test
test {0} ... FAILED

failures:

---- {0} stdout ----
{1}

failures:
    {0}

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

"""
AGAIN = "error: test failed, to rerun pass `{}`\n"


def test_cargo_says_which_binary() -> None:
    text = RUNNING.format("lib", "app") + FAILING.format("a", "") + AGAIN.format("-p app --lib")
    text += RUNNING.format("bin/b", "b") + FAILING.format("a", "") + AGAIN.format("-p app --bin b")
    assert dict(cargo.read(text).targets) == {("a", "app"): "-p app --lib", ("a", "b"): "-p app --bin b"}


def test_cargo_with_quiet_output() -> None:
    text = FAILING.format("a", "") + AGAIN.format("--lib")
    assert dict(cargo.read(text).targets) == {("a", None): "--lib"}


def test_cargo_in_another_order() -> None:
    """stdout before stderr: which line belongs to which binary is not known."""
    lines = AGAIN.format("--lib") + AGAIN.format("--bin b")
    assert cargo.read(FAILING.format("a", "") + FAILING.format("b", "") + lines).targets == ()


def test_cargo_printed_by_a_test() -> None:
    text = FAILING.format("a", AGAIN.format("--bin x").strip()) + AGAIN.format("--lib")
    assert dict(cargo.read(text).targets).get(("a", None)) in (None, "--lib")


def test_mix_says_the_line() -> None:
    text = "\n\n  1) test x (ATest)\n     test/a_test.exs:19\n     flag\n\n\nFinished in 0.1 seconds\n1 test, 1 failure\n"
    assert dict(mix.read(text).places) == {("test x (ATest)", "test/a_test.exs"): "test/a_test.exs:19"}


def test_nextest_counts_with_blanks() -> None:
    text = "        FAIL [   0.179s] ( 1/14) app tests::works\n"
    assert [(x.name, x.scope) for x in nextest.read(text).results] == [("tests::works", "app")]


# -- what a command that was built says when it passes

PHPUNIT = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n"
PHPUNIT_RED = PHPUNIT + "E\n\nThere was 1 error:\n\n1) {}\nRuntimeException: flag\n\n/x.php:1\n\nERRORS!\nTests: 1, Assertions: 0, Errors: 1.\n"
PHPUNIT_GREEN = PHPUNIT + ".  1 / 1 (100%)\n\nTime: 00:00.002, Memory: 6.00 MB\n\nOK (1 test, 1 assertion)\n"


def _observed(typed: str, output: str, passed: bool, top: Path, time: int) -> history.Observation:
    seen, problem = record.observe(command.read(typed), output, passed, record.Place(str(top), str(top), "tree"), time)
    assert seen and not problem
    return seen


@pytest.mark.parametrize("name", [r"App\ATest::testX", r'App\ATest::testX with data set "a (b)"'])
def test_pass_of_one_class(name: str, tmp_path: Path) -> None:
    """The pass is of the class that the filter names, and not of one that is called alike elsewhere."""
    typed = built("phpunit", [p(name)])
    memory = Memory([], [])
    for time, test in enumerate((name, "Other\\" + name), 1):
        history.record(memory, _observed("phpunit", PHPUNIT_RED.format(test), False, tmp_path, time))
    red = memory.tests[0].runs[0].fingerprint
    history.record(memory, _observed(typed, PHPUNIT_GREEN, True, tmp_path, 3))
    runs = {known.id.name: [r.passed for r in known.runs if r.fingerprint == red] for known in memory.tests}
    assert runs == {name: [False, True], "Other\\" + name: [False]}


MAVEN_RED = """[INFO] Running com.acme.ATest
[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in com.acme.ATest
[ERROR] com.acme.ATest$Inner.works -- Time elapsed: 0 s <<< FAILURE!
[ERROR] Failures:
[ERROR]   ATest$Inner.works:5 flag
[INFO]
[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0
[INFO] BUILD FAILURE
"""
MAVEN_GREEN = "[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n"


def test_pass_of_a_nested_class(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project/>")
    memory = Memory([], [])
    history.record(memory, _observed("mvn verify", MAVEN_RED, False, tmp_path, 1))
    assert [known.id.name for known in memory.tests] == ["works(com.acme.ATest$Inner)"]
    typed = built("mvn verify", [("maven", None, "works(com.acme.ATest$Inner)", ""), j("also(com.acme.ATest)")])
    history.record(memory, _observed(typed, MAVEN_GREEN, True, tmp_path, 2))
    assert [run.passed for run in memory.tests[0].runs] == [False, True]
