"""The options of the tools that `selection.py` understands, as their documentation lists them."""

from __future__ import annotations

from flaky_memory.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, FrozenSet


class Options(NamedTuple):
    """The options of one tool: those that take a value, those that change only what is printed or
    where reports go, those that filter by name, those that leave tests out or choose them in a way
    that is not understood here. All others are settings."""

    values: FrozenSet[str]
    harmless: FrozenSet[str]
    names: FrozenSet[str]
    leaving_out: FrozenSet[str]


def _options(values: str, harmless: str, names: str, leaving_out: str) -> Options:
    return Options(*(frozenset(t.split()) for t in (values, harmless, names, leaving_out)))


_JAVASCRIPT_HARMLESS = (
    "--verbose --silent --color --colors --no-color --no-colors --coverage --no-coverage --bail -b "
    "--reporters --reporter --forceExit --detectOpenHandles --passWithNoTests --outputFile --json --run "
    "--no-cache --noStackTrace --logHeapUsage --coverage-reporter --coverage-dir --coverageReporters "
    "--coverageDirectory --expand -e --watch=false --watchAll=false --no-watch --useStderr --notify "
    "--hideSkippedTests --slowTestThreshold --only-failures --dots --rerun-each --retry --collectCoverage "
    "--coverage.enabled --cov --printConsoleTrace"
)

OPTIONS: Dict[str, Options] = {
    "pytest": _options(
        "-k -m -n -p -o -c -W --deselect --ignore --ignore-glob --maxfail --tb --durations --durations-min "
        "--junitxml --junit-xml --rootdir --cov --cov-report --cov-config --cov-fail-under --color --capture "
        "--log-level --log-cli-level --log-file --html --timeout --timeout-method --reruns --reruns-delay "
        "--only-rerun --count --dist --maxprocesses --randomly-seed --random-order-seed --ds --import-mode "
        "--basetemp --confcutdir --show-capture -r --override-ini --config-file --report-log --verbosity "
        "--numprocesses --cache-show --asyncio-mode --flake-runs --flake-minutes",
        "-q -qq -qqq -v -vv -vvv --quiet --verbose --verbosity -x --exitfirst --maxfail --tb --durations "
        "--durations-min --junitxml --junit-xml --cov --cov-report --cov-config --cov-fail-under --no-cov "
        "--cov-append --cov-branch --color --capture -s --html --self-contained-html --reruns --reruns-delay "
        "--only-rerun --count --no-header --no-summary -r --show-capture -l --showlocals --log-level "
        "--log-cli-level --log-file --ff --failed-first --nf --new-first --strict-markers --strict-config "
        "--cache-clear --report-log --instafail --full-trace -ra --rP --basetemp --show-fixtures-per-test "
        "--sw-skip --no-cov-on-fail --force-sugar --setup-show --flake-finder --flake-runs",
        "-k --lf --last-failed",
        "-m --deselect --ignore --ignore-glob --sw --stepwise --pyargs --testmon --picked --splits --group",
    ),
    "go": _options(
        "-run -skip -count -timeout -parallel -p -cpu -tags -coverprofile -covermode -coverpkg -shuffle "
        "-bench -benchtime -exec -mod -modfile -ldflags -gcflags -asmflags -vet -fuzz -fuzztime -outputdir "
        "-cpuprofile -memprofile -o -C -blockprofile -mutexprofile -trace -overlay -pkgdir -toolexec "
        "-buildmode -compiler",
        "-v -count -timeout -json -cover -coverprofile -covermode -coverpkg -failfast -outputdir -cpuprofile "
        "-memprofile -blockprofile -mutexprofile -trace -x -o -C -test.v -benchmem",
        "-run -test.run",
        "-skip -fuzz -bench -args",
    ),
    "jest": _options(
        "-t --testNamePattern --testPathPattern --testPathPatterns --testPathIgnorePatterns -c --config --env "
        "--maxWorkers -w --reporters --coverageReporters --coverageDirectory --outputFile --shard --seed "
        "--testTimeout --rootDir --selectProjects --ignoreProjects --changedSince --testEnvironment --roots "
        "--projects --collectCoverageFrom --setupFiles --slowTestThreshold --maxConcurrency",
        _JAVASCRIPT_HARMLESS + " --collectCoverageFrom",
        "-t --testNamePattern",
        "--testPathIgnorePatterns --shard --selectProjects --ignoreProjects --changedSince -o --onlyChanged "
        "--findRelatedTests --lastCommit --onlyFailures -f --filter --runTestsByPath=false",
    ),
    "vitest": _options(
        "-t --testNamePattern -c --config --reporter --outputFile --environment --pool --maxWorkers "
        "--minWorkers --shard --project --root -r --dir --testTimeout --hookTimeout --sequence.seed --exclude "
        "--mode --maxConcurrency --retry --coverage.reporter --bail --changed --silent --typecheck.tsconfig "
        "--slowTestThreshold --color",
        _JAVASCRIPT_HARMLESS + " --coverage.reporter --coverage.provider --no-isolate=false --ui=false",
        "-t --testNamePattern",
        "--shard --project --exclude --changed --related --dir",
    ),
    "bun": _options(
        "-t --test-name-pattern --timeout --rerun-each --preload -r --coverage-reporter --coverage-dir --seed "
        "--reporter --reporter-outfile --bail --retry --max-concurrency -c --config --env-file --cwd "
        "--path-ignore-patterns",
        _JAVASCRIPT_HARMLESS + " --reporter-outfile",
        "-t --test-name-pattern",
        "--path-ignore-patterns --changed",
    ),
    "cargo": _options(
        "-p --package --exclude --test --bin --example --bench --features -F --target --profile "
        "--manifest-path -j --jobs --target-dir --color --config -Z --message-format --skip --test-threads "
        "--format --report-time --shuffle-seed --logfile --lockfile-path",
        "-q --quiet -v --verbose -vv --color --no-fail-fast --message-format --nocapture --no-capture "
        "--show-output --format --report-time --logfile --locked --offline --frozen --keep-going --timings "
        "--exact --target-dir -Z --future-incompat-report",
        "",
        "--skip --ignored --include-ignored --exclude",
    ),
    "nextest": _options(
        "-p --package --exclude --test --bin --example --features -F --target --cargo-profile --manifest-path "
        "-j -P --profile --test-threads --target-dir --color -E --filterset --filter-expr --retries "
        "--partition --run-ignored --skip --status-level --final-status-level --failure-output "
        "--success-output --message-format --build-jobs --config-file",
        "-v --verbose --color --no-fail-fast --fail-fast --ff --nff --status-level --final-status-level "
        "--failure-output --success-output --no-capture --nocapture --show-progress --hide-progress-bar "
        "--retries --message-format --locked --offline --frozen --no-tests --max-fail --cargo-quiet "
        "--target-dir --exact",
        "",
        "-E --filterset --filter-expr --partition --run-ignored --skip --exclude",
    ),
    "phpunit": _options(
        "--filter --testsuite --group --exclude-group --exclude-testsuite --exclude-filter -c --configuration "
        "--bootstrap --log-junit --log-teamcity --coverage-html --coverage-clover --coverage-text "
        "--coverage-xml --order-by --random-order-seed --printer --repeat --cache-directory "
        "--cache-result-file --include-path -d --prepend --test-suffix --covers --uses --colors --columns "
        "--testdox-html --testdox-text --stop-on",
        "-v --verbose --debug --testdox --colors --no-progress --no-results --no-output --stop-on-failure "
        "--stop-on-error --stop-on-defect --stop-on-warning --teamcity --no-coverage --log-junit "
        "--log-teamcity --coverage-html --coverage-clover --coverage-text --coverage-xml --columns "
        "--display-warnings --display-deprecations --display-notices --display-errors --display-skipped "
        "--display-incomplete --display-all-issues --stderr --no-logging --cache-result --do-not-cache-result "
        "--cache-directory --cache-result-file --no-interaction --testdox-html --testdox-text "
        "--disallow-test-output --repeat --testdox-summary --reverse-list --no-colors",
        "--filter",
        "--testsuite --group --exclude-group --exclude-testsuite --exclude-filter --covers --uses",
    ),
    "rspec": _options(
        "-e --example -E --example-matches -t --tag -f --format -o --out -r --require -I --order --seed -P "
        "--pattern --exclude-pattern -O --options --default-path --failure-exit-code --next-failure --profile",
        "-f --format -o --out -fd -fp -c --color --colour --no-color --force-color --force-colour --no-colour "
        "-b --backtrace --profile -p --fail-fast --no-fail-fast -w=false --failure-exit-code --no-profile "
        "--deprecation-out",
        "-e --example",
        "-t --tag -E --example-matches -P --pattern --exclude-pattern --only-failures --next-failure -n",
    ),
    "maven": _options(
        "-pl --projects -P --activate-profiles -f --file -s --settings -T --threads -rf --resume-from -l --log-file",
        "-B --batch-mode -q --quiet -X --debug -e --errors -ntp --no-transfer-progress -o --offline -U -fae "
        "-ff -V -am --also-make -fn --fail-never --fail-at-end -Dstyle.color -Dsurefire.useFile "
        "-Dsurefire.reportFormat -Dsurefire.rerunFailingTestsCount -DfailIfNoTests "
        "-Dsurefire.failIfNoSpecifiedTests -DtrimStackTrace -Dsurefire.trimStackTrace -Dsurefire.printSummary "
        "-l --log-file -Dmaven.test.failure.ignore -C -c -nsu",
        "-Dtest",
        "-Dgroups -DexcludedGroups -rf --resume-from -Dsurefire.excludes -Dsurefire.includes -DskipTests -Dit.test",
    ),
    "gradle": _options(
        "--tests -x --exclude-task -p --project-dir -b -c -I --init-script -g --gradle-user-home "
        "--max-workers --console --warning-mode --build-cache=x --priority",
        "-q --quiet -i --info -d --debug -s --stacktrace -S --full-stacktrace --continue --console "
        "--warning-mode --scan --no-scan --daemon --no-daemon --parallel --no-parallel --build-cache "
        "--no-build-cache --rerun-tasks --offline --configuration-cache --no-configuration-cache --profile "
        "--fail-fast --rerun --warn -w --configure-on-demand --no-watch-fs --watch-fs clean cleanTest "
        "--max-workers --priority",
        "--tests",
        "-x --exclude-task",
    ),
    "unittest": _options(
        "-k -s --start-directory -p --pattern -t --top-level-directory --durations",
        "-v --verbose -q --quiet -f --failfast -b --buffer -c --catch --locals --durations",
        "-k",
        "-p --pattern",
    ),
    "mocha": _options(
        "-g --grep -f --fgrep -R --reporter -O --reporter-option --reporter-options -r --require --config "
        "--timeout -t --ui -u --ignore --exclude --retries --slow -s --extension --spec --file --package -j "
        "--jobs --opts",
        "-R --reporter -O --reporter-option --reporter-options -b --bail -c --color --colors -C --no-color "
        "--no-colors --full-trace --diff --no-diff --inline-diffs --exit --slow -s --retries --no-exit --fail-zero",
        "-g --grep -f --fgrep",
        "-i --invert --ignore --exclude --spec --file",
    ),
    "node": _options(
        "--test-name-pattern --test-skip-pattern --test-reporter --test-reporter-destination "
        "--test-concurrency --test-shard --test-timeout --import --require -r --loader --experimental-loader "
        "--env-file --conditions -C",
        "--test --test-reporter --test-reporter-destination --experimental-test-coverage --enable-source-maps "
        "--no-warnings --trace-warnings --test-force-exit --test-coverage-include --test-coverage-exclude",
        "--test-name-pattern",
        "--test-skip-pattern --test-shard --test-only",
    ),
    "deno": _options(
        "--filter --reporter --junit-path --coverage --config -c --import-map --lock --seed --env-file "
        "--ignore --cert --location --fail-fast=x --repeats",
        "--reporter --junit-path --coverage --quiet -q --no-check --check --trace-leaks --fail-fast "
        "--cached-only --no-lock --frozen --clean --coverage-raw-data-only --hide-stacktraces",
        "--filter",
        "--ignore --permit-no-files",
    ),
    "dotnet": _options(
        "--filter -c --configuration -f --framework -r --runtime -l --logger -v --verbosity -s --settings -o "
        "--output --results-directory --collect -a --arch --os -p --property --diag --project --solution",
        "-l --logger -v --verbosity --nologo --results-directory --collect --no-build --no-restore --blame "
        "--diag --blame-hang --blame-crash --tl -tl --tl:on --tl:off -tl:off --interactive --output -v:q -v:n "
        "-v:m",
        "--filter",
        "",
    ),
    "playwright": _options(
        "-g --grep --grep-invert -c --config --project --reporter --retries --repeat-each --workers -j "
        "--shard --timeout --output --trace --max-failures --global-timeout --tsconfig --update-snapshots",
        "--reporter --retries --repeat-each --output --trace -x --max-failures --quiet --pass-with-no-tests --list=no",
        "-g --grep",
        "--grep-invert --shard --project --last-failed --only-changed",
    ),
    "ava": _options(
        "-m --match --timeout -t -c --concurrency --config --node-arguments -T",
        "-v --verbose --tap -t --fail-fast --color --no-color --no-worker-threads=x",
        "-m --match",
        "",
    ),
    "tap": _options(
        "-g --grep -R --reporter -t --timeout -j --jobs --before --after --node-arg --coverage-report -b --bail",
        "-R --reporter --disable-coverage --allow-incomplete-coverage --allow-empty-coverage "
        "--coverage-report --no-color -c --color -b --bail --show-full-coverage --no-coverage --coverage-map "
        "-C",
        "-g --grep",
        "-i --invert --changed -n --only -O",
    ),
    "ruby": _options(
        "-n --name -s --seed -e --exclude -i --include",
        "-v --verbose -p --pride --no-plugins -f --fail-fast -q -d --defer-output -b --backtrace -c --color",
        "-n --name -i --include",
        "-e --exclude -x",
    ),
    "mix": _options(
        "--only --exclude --include --seed --max-failures --max-cases --timeout --formatter --partitions "
        "--exit-status --slowest --slowest-modules --repeat-until-failure --warnings-as-errors=x "
        "--name-pattern",
        "--trace --color --no-color --slowest --slowest-modules --max-failures --formatter --cover "
        "--export-coverage --no-compile --no-deps-check --raise --force --listen-on-stdin --preload-modules "
        "--repeat-until-failure",
        "",
        "--only --exclude --include --partitions --failed --stale --name-pattern",
    ),
    "ctest": _options(
        "-R --tests-regex -E --exclude-regex -L -LE -j --parallel --test-dir --timeout -I --repeat -C "
        "--build-config -O --output-log --output-junit --stop-time --preset --resource-spec-file -T -D -M -S",
        "-V -VV --verbose --extra-verbose --output-on-failure --no-tests --output-junit -Q --quiet -O "
        "--output-log --progress --repeat --stop-on-failure --test-output-size-passed "
        "--test-output-size-failed --no-compress-output",
        "-R --tests-regex",
        "-E --exclude-regex -L -LE -I --rerun-failed --preset",
    ),
}
_GOTESTSUM = (
    "-format -f -junitfile -jsonfile -jsonfile-timing-events -hide-summary -no-summary -no-color -format-icons "
    "-format-hide-empty-pkg -junitfile-testsuite-name -junitfile-testcase-classname -max-fails"
)
OPTIONS["gotestsum"] = OPTIONS["go"]._replace(
    values=OPTIONS["go"].values.union(_GOTESTSUM.split()) - {"-no-color", "-format-hide-empty-pkg"},
    harmless=OPTIONS["go"].harmless.union(_GOTESTSUM.split()),
)
OPTIONS["node script"] = OPTIONS["node"]
