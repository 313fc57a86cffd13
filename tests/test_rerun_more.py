"""The command that runs failed tests again: Rust, PHP, Ruby, Elixir, CMake, the JVM and .NET."""

from __future__ import annotations

import shlex

import pytest

from tests.rerun_rows import built

Test = "tuple[str, str | None, str, str]"
PHP = "Acme\\Tests\\MeterTest::"


def cargo(name: str, scope: str = "app") -> Test:
    return ("cargo", scope, name, "")


def php(name: str) -> Test:
    return ("phpunit", None, PHP + name, "")


def maven(name: str) -> Test:
    return ("maven", "tank", name, "")


# What was typed, the tests, the command ("" where it is left out) and the words that it must be.
ROWS: dict[str, tuple[str, list[Test], str, list[str]]] = {
    "cargo": ("cargo test", [cargo("tests::flips")], "cargo test -- --exact 'tests::flips'", ["--exact", "tests::flips"]),
    "cargo-places-and-settings-stay": (
        "cargo +nightly test -p util --features x -v some_filter -- --nocapture --test-threads=1", [cargo("tests::flips")],
        "cargo +nightly test -p util --features x -- --exact 'tests::flips' --test-threads=1", ["--test-threads=1"],
    ),
    "cargo-without-the-network": (
        "cargo test --offline", [cargo("a::b")], "cargo test --offline -- --exact 'a::b'", ["--offline", "a::b"],
    ),
    "cargo-several": (
        "cargo test", [cargo("tests::a"), cargo("tests::b")], "cargo test -- --exact 'tests::a' 'tests::b'", ["tests::a", "tests::b"],
    ),
    "cargo-documentation": ("cargo test", [cargo("src/lib.rs - add (line 14)")], "", []),
    "nextest": (
        "cargo nextest run -E 'test(x)' --partition count:1/2 -P ci", [cargo("tests::flips")],
        "cargo nextest run -P ci -E 'test(=tests::flips)'", ["test(=tests::flips)"],
    ),
    "phpunit": (
        "vendor/bin/phpunit", [php("testFlips")], "vendor/bin/phpunit --filter '/^Acme\\\\Tests\\\\MeterTest::testFlips$/'",
        ["/^Acme\\\\Tests\\\\MeterTest::testFlips$/"],
    ),
    "phpunit-with-a-folder": (
        "phpunit --testsuite unit tests", [php("testFlips")],
        "phpunit --testsuite unit --filter '/^Acme\\\\Tests\\\\MeterTest::testFlips$/' tests", ["tests"],
    ),
    "phpunit-data": (
        "phpunit", [php('testRows with data set "it\'s $x (1)"')],
        "phpunit --filter '/^Acme\\\\Tests\\\\MeterTest::testRows with data set \"it'\"'\"'s \\$x \\(1\\)\"$/'",
        ["/^Acme\\\\Tests\\\\MeterTest::testRows with data set \"it's \\$x \\(1\\)\"$/"],
    ),
    "phpunit-several": (
        "phpunit", [php("testA"), php("testB with data set #1")],
        "phpunit --filter '/^(Acme\\\\Tests\\\\MeterTest::testA|Acme\\\\Tests\\\\MeterTest::testB with data set #1)$/'",
        ["/^(Acme\\\\Tests\\\\MeterTest::testA|Acme\\\\Tests\\\\MeterTest::testB with data set #1)$/"],
    ),
    "phpunit-testdox": ("phpunit --testdox", [("phpunit", None, "Acme\\Meter\\Meter::Flips", "")], "", []),
    "phpunit-data-that-is-cut": ("phpunit", [php('testRows with data set "a" (1, 2)')], "", []),
    "rspec": (
        "bundle exec rspec", [("rspec", "./spec/a_spec.rb", "Meter flips", "spec/a_spec.rb:4")],
        "bundle exec rspec './spec/a_spec.rb:4'", ["./spec/a_spec.rb:4"],
    ),
    "rspec-in-a-loop": (
        "rspec spec", [("rspec", "./spec/a_spec.rb", "Meter loops a", "spec/a_spec.rb[1:3]")], "rspec './spec/a_spec.rb[1:3]'",
        ["./spec/a_spec.rb[1:3]"],
    ),
    "rspec-without-a-place": ("rspec -f failures", [("rspec", "./spec/a_spec.rb", "flips", "")], "", []),
    "mix": ("mix test", [("mix", "test/m_test.exs", "test flips (MTest)", "test/m_test.exs:7")], "mix test 'test/m_test.exs:7'", ["test/m_test.exs:7"]),
    "ctest": (
        "cd build && ctest --output-on-failure", [("ctest", "build//", "calc.sub", "")], "cd build && ctest -R '^calc\\.sub$'",
        ["^calc\\.sub$"],
    ),
    "ctest-in-a-folder": (
        "ctest --test-dir build -R calc", [("ctest", "build//", "calc.sub", "")], "ctest --test-dir build -R '^calc\\.sub$'",
        ["^calc\\.sub$"],
    ),
    "maven": ("mvn -B -o test", [maven("drains(com.acme.TankTest)")], "mvn -o test '-Dtest=com.acme.TankTest#drains'", ["-o", "test"]),
    "maven-nested": (
        "./mvnw verify -Pci", [maven("deep(com.acme.TankTest$Inner)")], "./mvnw -Pci test '-Dtest=com.acme.TankTest$Inner#deep'",
        ["-Dtest=com.acme.TankTest$Inner#deep"],
    ),
    "maven-several": (
        "mvn test", [maven("a(com.acme.TankTest)"), maven("b(com.acme.TankTest)"), maven("c(com.acme.B)")],
        "mvn test '-Dtest=com.acme.TankTest#a+b,com.acme.B#c'", ["-Dtest=com.acme.TankTest#a+b,com.acme.B#c"],
    ),
    "maven-parameter": ("mvn test", [maven("adds(int, int)[2](com.acme.TankTest)")], "", []),
    "maven-integration": ("mvn verify", [maven("drains(com.acme.TankIT)")], "", []),
    "gradle": (
        "./gradlew check --info", [("gradle", ":app:test", "com.acme.TankTest > drains()", "")],
        "./gradlew --no-build-cache :app:cleanTest :app:test --tests 'com.acme.TankTest.drains'", ["com.acme.TankTest.drains"],
    ),
    "gradle-display-name": ("gradle test", [("gradle", ":test", "LiftTest > a full lift", "")], "", []),
    "dotnet": (
        "dotnet test -c Release src/App.Tests", [("dotnet", None, "App.Tests.T.Flips", "")],
        "dotnet test -c Release src/App.Tests --filter 'FullyQualifiedName=App.Tests.T.Flips'", ["FullyQualifiedName=App.Tests.T.Flips"],
    ),
    "dotnet-parameters": ("dotnet test", [("dotnet", None, "App.Tests.T.Adds(a: 1)", "")], "", []),
    "dotnet-display-name": ("dotnet test", [("dotnet", None, "OpensSlowly", "")], "", []),
    "make": ("make test", [cargo("tests::flips")], "", []),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_command(name: str) -> None:
    typed, tests, line, words = ROWS[name]
    assert built(typed, tests) == line
    assert [w for w in words if w not in shlex.split(line)] == []


def test_a_name_of_two_crates_is_left_out() -> None:
    """The one that is meant may not even run, when the other one fails first."""
    from flaky_memory import command, rerun
    from flaky_memory.model import TestId
    from flaky_memory.selection import Surroundings

    mine, other = TestId("cargo", "app", "tests::it_works"), TestId("cargo", "util", "tests::it_works")
    for places, line in (({mine: ""}, "cargo test -- --exact 'tests::it_works'"), ({mine: "", other: ""}, "")):
        ways = rerun.Ways(command.read("cargo test").invocations[0], Surroundings(""), "/app", "/app", False, places)
        assert rerun.command([mine], ways) == line


def test_modules_of_maven_are_left_out() -> None:
    """Those that do not have the test would fail."""
    pom = "<project><modules><module>tank</module></modules></project>"
    assert built("mvn test", [maven("drains(com.acme.TankTest)")], files={"pom.xml": pom}) == ""
