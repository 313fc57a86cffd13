"""Temporary: explain only."""
import json
import sys

from flaky_memory import runners

WORDS = [("nextest", "nextest"), ("cargo", "cargo"), ("pytest", "pytest"), ("vitest", "vitest"), ("jest", "jest"), ("bun test", "bun"),
         ("phpunit", "phpunit"), ("deno", "deno"), ("dotnet", "dotnet"), ("rspec", "rspec"), ("mvn", "maven"), ("gradle", "gradle"),
         ("unittest", "unittest"), ("mocha", "mocha"), ("node --test", "node"), ("playwright", "playwright"), (" ava", "ava"), (" tap", "tap"),
         ("ruby -I", "minitest"), ("mix test", "mix"), ("ctest", "ctest"), ("_test", "gtest"), ("go test", "go")]


def main(argv):
    command = argv[argv.index("--command") + 1]
    names = next(([n] for w, n in WORDS if w in command), None)
    if "npm test" in command or "rake" in command or "make " in command:
        names = None
    reports = runners.read(sys.stdin.buffer.read().decode("utf-8", "replace"), names)
    tests = [{"runner": r.runner, "scope": t.scope, "name": t.name, "failed": t.failed, "passed": t.passed}
             for r in reports for t in r.results]
    print(json.dumps({"summary": runners.summary(reports), "tests": tests}))
    return 0
