"""The options of the tools that `selection.py` understands, as their documentation lists them."""

from __future__ import annotations

from flaky_memory.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, FrozenSet


class Options(NamedTuple):
    """The options of one tool: those that take a value, those that change only what is printed or
    where reports go, those that filter by name, those that leave tests out or choose them in a way
    that is not understood here, those that choose places, and `flags`, settings that take no value.
    All others are settings, of which it is not known whether the next word is their value."""

    values: FrozenSet[str]
    harmless: FrozenSet[str]
    names: FrozenSet[str]
    leaving_out: FrozenSet[str]
    places: FrozenSet[str]
    flags: FrozenSet[str]

    def knows(self, option: str) -> bool:
        """True for an option that is listed; False for one that may take the next word, or not."""
        return any(option in listed for listed in self)


def _options(
    values: str, harmless: str, names: str, leaving_out: str, *, places: str = "", flags: str = ""
) -> Options:
    return Options(*(frozenset(t.split()) for t in (values, harmless, names, leaving_out, places, flags)))


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
        "--numprocesses --cache-show --asyncio-mode --flake-runs --flake-minutes "
        "--alluredir --assert --base-url --browser --browser-channel --code-highlight --cov-context "
        "--cov-precision --dc --debug --device --doctest-glob --doctest-report --driver --durations-path --group "
        "--splits --splitting-algorithm --hypothesis-profile --hypothesis-seed --hypothesis-verbosity "
        "--junit-prefix --last-failed-no-failures --lfnf --liveserver --log-auto-indent --log-cli-date-format "
        "--log-cli-format --log-date-format --log-disable --log-file-date-format --log-file-format "
        "--log-file-level --log-file-mode --log-format --max-warnings --max-worker-restart --maxschedchunk "
        "--metadata --mypy-config-file --output --pastebin --pdbcls --px --pythonwarnings --random-order-bucket "
        "--record-mode --report-chars --rerun-except --rsyncdir --rsyncignore --screenshot --session-timeout "
        "--slowmo --testmon-env --testrunuid --tracing --tx --video",
        "-q -qq -qqq -v -vv -vvv --quiet --verbose --verbosity -x --exitfirst --maxfail --tb --durations "
        "--durations-min --junitxml --junit-xml --cov --cov-report --cov-config --cov-fail-under --no-cov "
        "--cov-append --cov-branch --color --capture -s --html --self-contained-html --reruns --reruns-delay "
        "--only-rerun --count --no-header --no-summary -r --show-capture -l --showlocals --log-level "
        "--log-cli-level --log-file --ff --failed-first --nf --new-first --strict-markers --strict-config "
        "--cache-clear --report-log --instafail --full-trace -ra --rP --basetemp --show-fixtures-per-test "
        "--sw-skip --no-cov-on-fail --force-sugar --setup-show --flake-finder --flake-runs",
        "-k --lf --last-failed",
        "-m --deselect --ignore --ignore-glob --sw --stepwise --pyargs --testmon --picked --splits --group",
        flags=(
            "-d -f --asyncio-debug --benchmark-disable --benchmark-enable --benchmark-only --benchmark-skip "
            "--block-network --collect-in-virtualenv --continue-on-collection-errors --create-db "
            "--disable-plugin-autoload --disable-pytest-warnings --disable-recording --disable-socket "
            "--disable-warnings --doctest-continue-on-failure --doctest-ignore-import-errors --doctest-modules "
            "--fail-on-flaky --headed --hypothesis-explain --hypothesis-show-statistics --keep-duplicates "
            "--looponfail --migrations --mypy --no-migrations --no-showlocals --no-testmon --noconftest "
            "--nomigrations --pdb --random-order --randomly-dont-reorganize --randomly-dont-reset-seed --reuse-db "
            "--runslow --runxfail --setup-only --snapshot-update --stepwise-reset --stepwise-skip --strict "
            "--sw-reset --testmon-noselect --trace --xfail-tb"
        ),
    ),
    "go": _options(
        "-run -skip -count -timeout -parallel -p -cpu -tags -coverprofile -covermode -coverpkg -shuffle "
        "-bench -benchtime -exec -mod -modfile -ldflags -gcflags -asmflags -vet -fuzz -fuzztime -outputdir "
        "-cpuprofile -memprofile -o -C -blockprofile -mutexprofile -trace -overlay -pkgdir -toolexec "
        "-buildmode -compiler "
        "-blockprofilerate -fuzzminimizetime -installsuffix -list -memprofilerate -mutexprofilefraction -pgo",
        "-v -count -timeout -json -cover -coverprofile -covermode -coverpkg -failfast -outputdir -cpuprofile "
        "-memprofile -blockprofile -mutexprofile -trace -x -o -C -test.v -benchmem",
        "-run",
        "-skip -fuzz -bench",
        flags=(
            "-a -artifacts -asan -buildvcs -fullpath -i -linkshared -modcacherw -msan -n -race -short -trimpath "
            "-work"
        ),
    ),
    "jest": _options(
        "-t --testNamePattern --testPathPattern --testPathPatterns --testPathIgnorePatterns -c --config --env "
        "--maxWorkers -w --reporters --coverageReporters --coverageDirectory --outputFile --shard --seed "
        "--testTimeout --rootDir --selectProjects --ignoreProjects --changedSince --testEnvironment --roots "
        "--projects --collectCoverageFrom --setupFiles --slowTestThreshold --maxConcurrency "
        "--cacheDirectory --coveragePathIgnorePatterns --coverageProvider --coverageThreshold --globalSetup "
        "--globalTeardown --globals --haste --moduleDirectories --moduleFileExtensions --moduleNameMapper "
        "--modulePathIgnorePatterns --modulePaths --notifyMode --openHandlesTimeout --prettierPath --preset "
        "--resolver --runner --setupFilesAfterEnv --snapshotSerializers --testEnvironmentOptions "
        "--testFailureExitCode --testMatch --testRegex --testResultsProcessor --testRunner --testSequencer "
        "--transform --transformIgnorePatterns --unmockedModulePathPatterns --watchPathIgnorePatterns "
        "--workerGracefulExitTimeout --workerIdleMemoryLimit",
        _JAVASCRIPT_HARMLESS + " --collectCoverageFrom",
        "-t --testNamePattern",
        "--testPathIgnorePatterns --shard --selectProjects --ignoreProjects --changedSince -o --onlyChanged "
        "--findRelatedTests --lastCommit --onlyFailures -f --filter --runTestsByPath=false",
        places="--testPathPattern --testPathPatterns --runTestsByPath",
        flags=(
            "-i -u --automock --cache --changedFilesWithAncestor --ci --clearMocks --debug --detectLeaks "
            "--errorOnDeprecated --injectGlobals --no-watchman --randomize --resetMocks --resetModules "
            "--restoreMocks --runInBand --showSeed --skipFilter --testLocationInResults --updateSnapshot "
            "--waitForUnhandledRejections --watch --watchAll --watchman --workerThreads"
        ),
    ),
    "vitest": _options(
        "-t --testNamePattern -c --config --reporter --outputFile --environment --pool --maxWorkers "
        "--minWorkers --shard --project --root -r --dir --testTimeout --hookTimeout --sequence.seed --exclude "
        "--mode --maxConcurrency --retry --coverage.reporter --bail --changed --silent --typecheck.tsconfig "
        "--slowTestThreshold --color "
        "--attachmentsDir --browser --configLoader --coverage.exclude --coverage.include --coverage.provider "
        "--coverage.reportsDirectory --coverage.thresholds.branches --coverage.thresholds.functions "
        "--coverage.thresholds.lines --coverage.thresholds.statements --diff --environmentOptions --sequence "
        "--sequence.hooks --teardownTimeout --vmMemoryLimit --workspace",
        _JAVASCRIPT_HARMLESS + " --coverage.reporter --coverage.provider --no-isolate=false --ui=false",
        "-t --testNamePattern",
        "--shard --project --exclude --changed --related --dir",
        flags=(
            "-u --allowOnly --clearScreen --coverage.all --coverage.clean --coverage.thresholds.autoUpdate "
            "--dangerouslyIgnoreUnhandledErrors --disableConsoleIntercept --dom --expandSnapshotDiff "
            "--fileParallelism --globals --isolate --no-file-parallelism --no-fileParallelism --no-isolate "
            "--no-threads --standalone --threads --typecheck --typecheck.only --ui --update -w --watch"
        ),
    ),
    "bun": _options(
        "-t --test-name-pattern --timeout --rerun-each --preload -r --coverage-reporter --coverage-dir --seed "
        "--reporter --reporter-outfile --retry --max-concurrency -c --config --env-file --cwd "
        "--path-ignore-patterns "
        "--conditions --define -d --dots-width --inspect --loader -l --shard --timings --tsconfig-override",
        _JAVASCRIPT_HARMLESS + " --reporter-outfile",
        "-t --test-name-pattern",
        "--path-ignore-patterns --changed --shard",
        flags="-u --concurrent --parallel --isolate --only --randomize --smol --todo --update-snapshots --watch",
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
        places=(
            "-p --package --workspace --all --lib --bin --bins --test --tests --doc --example --examples "
            "--all-targets --bench --benches --manifest-path"
        ),
        flags=(
            "-r --release --all-features --no-default-features --ignore-rust-version --shuffle --unit-graph"
        ),
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
        places=(
            "-p --package --workspace --all --lib --bin --bins --test --tests --doc --example --examples "
            "--all-targets --bench --benches --manifest-path"
        ),
        flags=(
            "-r --release --all-features --no-default-features --ignore-rust-version --unit-graph --no-input-handler "
            "--ignore-default-filter"
        ),
    ),
    "phpunit": _options(
        "--filter --testsuite --group --exclude-group --exclude-testsuite --exclude-filter -c --configuration "
        "--bootstrap --log-junit --log-teamcity --coverage-html --coverage-clover "
        "--coverage-xml --order-by --random-order-seed --printer --repeat --cache-directory "
        "--cache-result-file --include-path -d --prepend --test-suffix --covers --uses --columns "
        "--testdox-html --testdox-text --stop-on "
        "--coverage-cache --coverage-cobertura --coverage-crap4j --coverage-filter --coverage-php "
        "--default-time-limit --extension --extensions --testdox-xml --processes --runner --passthru -p",
        "-v --verbose --debug --testdox --colors --no-progress --no-results --no-output --stop-on-failure "
        "--stop-on-error --stop-on-defect --stop-on-warning --teamcity --no-coverage --log-junit "
        "--log-teamcity --coverage-html --coverage-clover --coverage-text --coverage-xml --columns "
        "--display-warnings --display-deprecations --display-notices --display-errors --display-skipped "
        "--display-incomplete --display-all-issues --stderr --no-logging --cache-result --do-not-cache-result "
        "--cache-directory --cache-result-file --no-interaction --testdox-html --testdox-text "
        "--disallow-test-output --repeat --testdox-summary --reverse-list --no-colors",
        "--filter",
        "--testsuite --group --exclude-group --exclude-testsuite --exclude-filter --covers --uses",
        flags=(
            "--disable-coverage-ignore --disallow-resource-usage --disallow-todo-tests --dont-report-useless-tests "
            "--enforce-time-limit --fail-on-deprecation --fail-on-empty-test-suite --fail-on-incomplete "
            "--fail-on-notice --fail-on-risky --fail-on-skipped --fail-on-warning --globals-backup --ignore-baseline "
            "--no-configuration --no-extensions --path-coverage --process-isolation --static-backup "
            "--stop-on-incomplete --stop-on-risky --stop-on-skipped --strict-coverage --strict-global-state "
            "--functional"
        ),
    ),
    "rspec": _options(
        "-e --example -E --example-matches -t --tag -f --format -o --out -r --require -I --order --seed -P "
        "--pattern --exclude-pattern -O --options --default-path --failure-exit-code --next-failure --profile "
        "--deprecation-out --drb-port --error-exit-code",
        "-f --format -o --out -fd -fp -c --color --colour --no-color --force-color --force-colour --no-colour "
        "-b --backtrace --profile -p --fail-fast --no-fail-fast -w=false --failure-exit-code --no-profile "
        "--deprecation-out",
        "-e --example",
        "-t --tag -E --example-matches -P --pattern --exclude-pattern --only-failures --next-failure -n",
        flags="-w --warnings --force -X --drb --no-drb --only-pending",
    ),
    "maven": _options(
        "-pl --projects -P --activate-profiles -f --file -s --settings -T --threads -rf --resume-from -l --log-file "
        "-t --toolchains -gs --global-settings -gt --global-toolchains -b --builder --color",
        "-B --batch-mode -q --quiet -X --debug -e --errors -ntp --no-transfer-progress -o --offline -U -fae "
        "-ff -V -am --also-make -fn --fail-never --fail-at-end -Dstyle.color -Dsurefire.useFile "
        "-Dsurefire.reportFormat -Dsurefire.rerunFailingTestsCount -DfailIfNoTests "
        "-Dsurefire.failIfNoSpecifiedTests -DtrimStackTrace -Dsurefire.trimStackTrace -Dsurefire.printSummary "
        "-l --log-file -Dmaven.test.failure.ignore -C -c -nsu",
        "-Dtest",
        "-Dgroups -DexcludedGroups -rf --resume-from -Dsurefire.excludes -Dsurefire.includes -DskipTests -Dit.test",
        places="-pl --projects",
        flags=(
            "-N --non-recursive -amd --also-make-dependents --update-snapshots -llr --strict-checksums"
        ),
    ),
    "gradle": _options(
        "--tests -x --exclude-task -p --project-dir -b -c -I --init-script -g --gradle-user-home "
        "--max-workers --console --warning-mode --build-cache=x --priority "
        "--project-cache-dir --include-build --settings-file --write-verification-metadata -F "
        "--dependency-verification",
        "-q --quiet -i --info -d --debug -s --stacktrace -S --full-stacktrace --continue --console "
        "--warning-mode --scan --no-scan --daemon --no-daemon --parallel --no-parallel --build-cache "
        "--no-build-cache --rerun-tasks --offline --configuration-cache --no-configuration-cache --profile "
        "--fail-fast --rerun --warn -w --configure-on-demand --no-watch-fs --watch-fs clean cleanTest "
        "--max-workers --priority",
        "--tests",
        "-x --exclude-task",
        places="-p --project-dir",
        flags=(
            "-a -t -u --no-rebuild --continuous --refresh-dependencies --refresh-keys --no-configure-on-demand "
            "--write-locks --isolated-projects"
        ),
    ),
    "unittest": _options(
        "-k -s --start-directory -p --pattern -t --top-level-directory --durations",
        "-v --verbose -q --quiet -f --failfast -b --buffer -c --catch --locals --durations",
        "-k",
        "-p --pattern",
        places="-s --start-directory -t --top-level-directory",
    ),
    "mocha": _options(
        "-g --grep -f --fgrep -R --reporter -O --reporter-option --reporter-options -r --require --config "
        "--timeout -t --ui -u --ignore --exclude --retries --slow -s --extension --spec --file --package -j "
        "--jobs --opts "
        "--node-option -n --watch-files --watch-ignore",
        "-R --reporter -O --reporter-option --reporter-options -b --bail -c --color --colors -C --no-color "
        "--no-colors --full-trace --diff --no-diff --inline-diffs --exit --slow -s --retries --no-exit --fail-zero",
        "-g --grep -f --fgrep",
        "-i --invert --ignore --exclude --spec --file",
        flags=(
            "-A -S --allow-uncaught --async-only --check-leaks --delay --dry-run --fail-hook-affected-tests "
            "--forbid-only --forbid-pending --no-parallel --parallel -p --pass-on-failing-test-suite "
            "--posix-exit-codes --recursive --sort -w --watch"
        ),
    ),
    "node": _options(
        "--test-name-pattern --test-skip-pattern --test-reporter --test-reporter-destination "
        "--test-concurrency --test-shard --test-timeout --import --require -r --loader --experimental-loader "
        "--env-file --conditions -C "
        "--allow-fs-read --allow-fs-write --cpu-prof-dir --diagnostic-dir --disable-proto --disable-warning "
        "--dns-result-order --env-file-if-exists --experimental-default-type --icu-data-dir --input-type "
        "--max-http-header-size --openssl-config --redirect-warnings --report-dir --test-coverage-branches "
        "--test-coverage-functions --test-coverage-lines --test-global-setup --test-isolation --title "
        "--trace-require-module --unhandled-rejections --v8-pool-size --watch-path",
        "--test --test-reporter --test-reporter-destination --experimental-test-coverage --enable-source-maps "
        "--no-warnings --trace-warnings --test-force-exit --test-coverage-include --test-coverage-exclude",
        "--test-name-pattern",
        "--test-skip-pattern --test-shard --test-only",
        flags=(
            "--allow-addons --allow-child-process --allow-wasi --allow-worker --enable-fips "
            "--experimental-default-config-file --experimental-permission --experimental-strip-types "
            "--experimental-test-isolation --experimental-test-module-mocks --experimental-test-snapshots "
            "--experimental-transform-types --experimental-vm-modules --expose-gc --frozen-intrinsics --no-addons "
            "--no-deprecation --no-experimental-fetch --no-experimental-strip-types --no-strip-types "
            "--openssl-legacy-provider --pending-deprecation --permission --preserve-symlinks "
            "--preserve-symlinks-main --test-randomize --test-update-snapshots --throw-deprecation "
            "--trace-deprecation --trace-exit --trace-uncaught --watch"
        ),
    ),
    "deno": _options(
        "--filter --reporter --junit-path --config -c --import-map --lock --seed --cert --location --repeats "
        "--conditions --coverage-threshold --ext --inspect-publish-uid "
        "--minimum-dependency-age -L --log-level",
        "--reporter --junit-path --coverage --quiet -q --no-check --check --trace-leaks --fail-fast "
        "--cached-only --no-lock --frozen --clean --coverage-raw-data-only --hide-stacktraces",
        "--filter",
        "--ignore --permit-no-files",
        flags=(
            "-A --allow-all -E --allow-env -F --allow-ffi -I --allow-import -N --allow-net -P -R --allow-read "
            "--allow-run -S --allow-sys -W --allow-write --deny-env --deny-ffi --deny-import --deny-net --deny-read "
            "--deny-run --deny-sys --deny-write -r --reload --doc --no-config --no-npm --no-prompt --no-remote "
            "--no-run --parallel -p --sanitize-ops --sanitize-resources --shuffle --trace-ops -u --update-snapshots "
            "--unsafely-ignore-certificate-errors --unstable --vendor --node-modules-dir --v8-flags --inspect "
            "--inspect-brk --inspect-wait --watch --no-clear-screen --env-file --frozen-lockfile"
        ),
    ),
    "dotnet": _options(
        "--filter -c --configuration -f --framework -r --runtime -l --logger -v --verbosity -s --settings -o "
        "--output --results-directory --collect -a --arch --os -p --property --diag --project --solution "
        "-e --environment --test-adapter-path --blame-crash-dump-type --blame-hang-timeout "
        "--blame-hang-dump-type --artifacts-path",
        "-l --logger -v --verbosity --nologo --results-directory --collect --no-build --no-restore --blame "
        "--diag --blame-hang --blame-crash --tl -tl --tl:on --tl:off -tl:off --interactive --output -v:q -v:n "
        "-v:m",
        "--filter",
        "",
        flags=(
            "--self-contained --sc --no-self-contained --use-current-runtime --disable-build-servers "
            "--no-dependencies"
        ),
    ),
    "playwright": _options(
        "-g --grep --grep-invert -c --config --project --reporter --retries --repeat-each --workers -j "
        "--shard --timeout --output --trace --max-failures --global-timeout --tsconfig --update-snapshots "
        "--add-reporter --browser --last-failed-file --test-list --test-list-invert --ui-host --ui-port "
        "--update-source-method -G",
        "--reporter --retries --repeat-each --output --trace -x --max-failures --quiet --pass-with-no-tests --list=no",
        "-g --grep",
        "--grep-invert -G --shard --project --last-failed --only-changed --test-list --test-list-invert",
        flags=(
            "-u --debug --fail-on-flaky-tests --forbid-only --fully-parallel --headed --ignore-snapshots --no-deps "
            "--ui"
        ),
    ),
    "ava": _options(
        "-m --match --timeout -t -c --concurrency --config --node-arguments -T",
        "-v --verbose --tap -t --fail-fast --color --no-color --no-worker-threads=x",
        "-m --match",
        "",
        flags="-s --serial -u --update-snapshots -w --watch --no-worker-threads",
    ),
    "tap": _options(
        "-g --grep -R --reporter -t --timeout -j --jobs --before --after --node-arg --coverage-report -b --bail "
        "--branches --coverage-exclude --exclude --files --functions --include --lines --output-dir "
        "--output-file -d -f -o --plugin --reporter-arg -r --reporter-file -s --save --statements --test-arg "
        "--test-env --tsconfig --serial",
        "-R --reporter --disable-coverage --allow-incomplete-coverage --allow-empty-coverage "
        "--coverage-report --no-color -c --color -b --bail --show-full-coverage --no-coverage --coverage-map "
        "-C",
        "-g --grep",
        "-i --invert --changed -n --only -O",
        flags=(
            "-B -F -I --browser --comments --diag --fail-only --fail-skip --fail-todo --no-bail --no-browser "
            "--no-diag --no-invert --passes --save-fixture -S --shuffle --snapshot --type-strip-only --typecheck"
        ),
    ),
    "ruby": _options(
        "-n --name -s --seed -e --exclude -i --include "
        "-I -r -j --jobs",
        "-v --verbose -p --pride --no-plugins -f --fail-fast -q -d --defer-output -b --backtrace -c --color",
        "-n --name -i --include",
        "-e --exclude -x",
        flags="-w --warnings --no-warnings",
    ),
    "mix": _options(
        "--only --exclude --include --seed --max-failures --max-cases --timeout --formatter --partitions "
        "--exit-status --slowest --slowest-modules --repeat-until-failure --warnings-as-errors=x "
        "--name-pattern "
        "--profile-require --slowest-modules",
        "--trace --color --no-color --slowest --slowest-modules --max-failures --formatter --cover "
        "--export-coverage --no-compile --no-deps-check --raise --force --listen-on-stdin --preload-modules "
        "--repeat-until-failure",
        "",
        "--only --exclude --include --partitions --failed --stale --name-pattern",
        flags=(
            "--no-archives-check --no-elixir-version-check --no-start --no-stop --no-all-warnings "
            "--no-optional-deps --dry-run --all-warnings"
        ),
    ),
    "ctest": _options(
        "-R --tests-regex -E --exclude-regex -L -LE -j --parallel --test-dir --timeout -I --repeat -C "
        "--build-config -O --output-log --output-junit --stop-time --preset --resource-spec-file -T -D -M -S "
        "--max-width --repeat-until-fail --test-output-size-failed --test-output-size-passed "
        "--test-output-truncation -FA -FC -FS --fixture-exclude-any --fixture-exclude-setup "
        "--fixture-exclude-cleanup --build-config --test-load --resource-spec "
        "--interactive-debug-mode --tests-information",
        "-V -VV --verbose --extra-verbose --output-on-failure --no-tests --output-junit -Q --quiet -O "
        "--output-log --progress --repeat --stop-on-failure --test-output-size-passed "
        "--test-output-size-failed --no-compress-output",
        "-R --tests-regex",
        "-E --exclude-regex -L -LE -I --rerun-failed --preset",
        places="--test-dir",
        flags=(
            "-F -U --debug --no-label-summary --no-subproject-summary --overwrite --schedule-random --print-labels "
            "-N"
        ),
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
