"""Every sentence that anyone reads. Pure.

What comes from outside (test names, paths) is shown as one printable, bounded line.
"""

from __future__ import annotations

from flaky_memory.model import ALL, EXIT, FILES, GREEN_BEFORE, NAMED, ONE, PARTS, SUMMARY
from flaky_memory.verdict import SHORTEST_ROW, UNLIKELY, WINDOW_DAYS, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

    from flaky_memory.model import Known, TestId
    from flaky_memory.verdict import Rate

MOST_NOTES = 10
LONGEST_ID = 200
_PREFIX = "flaky-memory: "
_INSTRUCTION = "It may be flaky rather than broken by this change: run it again before you change code for it."
_INSTRUCTION_MANY = (
    "They may be flaky rather than broken by this change: run them again before you change code for them."
)

# -- test ids


def printable(text: str, longest: int = LONGEST_ID) -> str:
    """Text of a stranger on one bounded line. What could be taken for something else than a name is
    put in quotes with its special characters escaped: control characters, marks that change the
    direction of writing, several sentences, more than `longest` characters."""
    if len(text) <= longest and text.isprintable() and not _reads_as_prose(text):
        return text
    cut = text[:longest] + ("\u2026" if len(text) > longest else "")
    shown = "".join(c if c.isprintable() and c not in '"\\' else _escaped(c) for c in cut)
    return '"' + shown + '"'


def _escaped(char: str) -> str:
    return {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}.get(char, f"\\u{ord(char):04x}")


def _reads_as_prose(text: str) -> bool:
    return any(end in text for end in (". ", "! ", "? ", "; ")) or "flaky-memory" in text


def display_id(test: TestId, ambiguous: bool = False) -> str:
    """`runner:name`; with its scope where two stored tests would read the same, and always with the
    file of a JavaScript test."""
    if test.scope is not None and (ambiguous or test.runner == "js"):
        return test.runner + ":" + printable(test.scope + _joint(test) + test.name)
    return test.runner + ":" + printable(test.name)


def _joint(test: TestId) -> str:
    return "." if test.runner == "go" else "::" if test.runner == "cargo" else " > "


def display_ids(tests: Iterable[TestId]) -> Dict[TestId, str]:
    """The shortest ids that tell all of these tests apart."""
    found = list(tests)
    seen: Set[Tuple[str, str]] = set()
    twice: Set[Tuple[str, str]] = set()
    for test in found:
        pair = (test.runner, test.name)
        (twice if pair in seen else seen).add(pair)
    return {t: display_id(t, (t.runner, t.name) in twice) for t in found}


def forms(test: TestId) -> Set[str]:
    """Every text by which a person can mean a test."""
    texts = {test.name, display_id(test), display_id(test, True), f"{test.runner}:{test.name}"}
    for joint in ("::", " > "):  # the bare name, without the file, class or titles around it
        bare = test.name.rpartition(joint)[2]
        texts |= {bare, f"{test.runner}:{bare}"}
    if test.scope is not None:
        texts |= {f"{test.runner}:{test.scope}{j}{test.name}" for j in (".", "::", " > ", " ")}
        texts.add(f"{test.scope}{_joint(test)}{test.name}")
    return texts


# -- notes


def _times(same_code: int) -> str:
    return "once" if same_code == 1 else f"{same_code} times"


def finding(shown: str, verdict: Verdict) -> str:
    return (
        f"{_PREFIX}{shown} failed {verdict.failed} of {verdict.runs} runs in the last {WINDOW_DAYS} days "
        f"and both passed and failed on the same code {_times(verdict.same_code)}"
    )


def findings(failing: Sequence[Tuple[str, Verdict]], passed: Sequence[Tuple[str, Verdict]] = ()) -> str:
    """What the person reads of tests that failed, and of tests that passed where they had failed: the
    findings, at most ten, the rest counted."""
    found = [*failing, *passed]
    lines = [
        finding(shown, verdict) + (f". {_row(verdict)}" if verdict.probably_real else "")
        for shown, verdict in found[:MOST_NOTES]
    ]
    return "\n".join([*lines, *_rest(found, "test" if passed else "failing test", _BOTH)])


_BOTH = "both passed and failed on the same code"


def _rest(shown: Sequence[Any], what: str, did: str) -> List[str]:
    """The line that counts what is not listed, if anything is."""
    count = len(shown) - MOST_NOTES
    return [f"{_PREFIX}{count} more {what}{'' if count == 1 else 's'} {did}"] if count > 0 else []


def note(flaky: Sequence[Tuple[str, Verdict]], rerun: str = "") -> str:
    """What the model reads of failing tests: the findings, what to do, and, in a line of its own, the
    command that runs just these tests again ("": none is known). At most ten tests, the rest counted."""
    listed = flaky[:MOST_NOTES]
    special = [(shown, v) for shown, v in listed if v.probably_real or v.company.failed_in]
    usual = [(shown, v) for shown, v in listed if not (v.probably_real or v.company.failed_in)]
    lines = [
        f"{finding(shown, v)}. " + (_real(v) if v.probably_real else f"{_company(v)}. {_SAME_COMMAND}")
        for shown, v in special
    ]
    rest = _rest(flaky, "failing test", _BOTH + ".")
    if len(usual) == 1 and not rest:
        lines.append(f"{finding(*usual[0])}. {_INSTRUCTION}")
    else:
        lines += [f"{finding(shown, v)}." for shown, v in usual] + rest
        lines += [_INSTRUCTION_MANY] if usual else []
    return "\n".join([*lines, *([_RERUN + rerun] if rerun else [])])


_RERUN = "To run it again: "
_SAME_COMMAND = "Run the command that failed again before you change code for it."


def _row(verdict: Verdict) -> str:
    """How often a test failed in a row, and what its own history says of that."""
    return (
        f"It has failed {verdict.row} times in a row on this code, "
        f"which by its own history would happen by chance in {percent(verdict.chance)} of cases"
    )


def _real(verdict: Verdict) -> str:
    return f"{_row(verdict)}, so treat it as broken by this change until it passes."


def percent(share: float) -> str:
    """A share of one as people write a rough percentage."""
    if share < 0.001:
        return "less than 0.1%"
    return f"about {share:.0%}" if share >= 0.01 else f"about {share:.1%}"


KINDS: Dict[int, str] = {
    ONE: "chosen tests", FILES: "chosen files", PARTS: "whole folders or packages", ALL: "all tests",
}  # fmt: skip


def kinds(widths: Sequence[int]) -> str:
    """What runs of these widths (Run.width) are runs of."""
    return "runs of " + " or ".join(KINDS.get(w, "some tests") for w in widths)


def _company(verdict: Verdict) -> str:
    failed, passed = verdict.company
    alone = "running it alone" if max(failed) > max(passed) else "running more with it"
    return (
        f"On the same code it failed only in {kinds(failed)} and passed only in {kinds(passed)}, "
        f"so it may depend on test order or shared state, and {alone} proves nothing"
    )


# -- tests that passed where they had failed


def passed_note(passed: Sequence[Tuple[str, Verdict]]) -> str:
    """What the model reads of tests that passed on the same code on which they failed."""
    starts = [f"{_PREFIX}{shown} {_PASSED} it failed" for shown, _ in passed[:MOST_NOTES]]
    companies = [f" {_company(v)}." if v.company.failed_in else "" for _, v in passed]
    if len(passed) == 1:
        return f"{starts[0]}: {_UNFIXED}{companies[0]}"
    lines = [f"{start}.{company}" for start, company in zip(starts, companies)]
    rest = _rest(passed, "test", f"{_PASSED} {'it' if len(passed) == MOST_NOTES + 1 else 'they'} failed.")
    return "\n".join([*lines, *rest, _UNFIXED_MANY])


_PASSED = "passed on the same code on which"
_UNFIXED = "no change of the code in between fixed it, so it may be flaky. Do not report it as fixed."
_UNFIXED_MANY = "No change of the code in between fixed them, so they may be flaky. Do not report them as fixed."

# -- failures that have one cause

CAUSES: Dict[str, str] = {
    "refused": "connections were refused", "unresolved": "a host name could not be resolved",
    "space": "no space is left on the device",
    "missing": "a module or a command was not found", "timeout": "something timed out",
}  # fmt: skip


def together(count: int, cause: str) -> str:
    """What the person reads of many failures with one cause (a key of CAUSES)."""
    return (
        f"{_PREFIX}{count} tests failed together, and the output shows one cause for nearly all of them: "
        f"{CAUSES[cause]}. None of them is called flaky for that, and these failures are not counted"
    )


def together_note(count: int, cause: str) -> str:
    """What the model reads of the same."""
    return f"{together(count, cause)}. {_CAUSE_FIRST}"


_CAUSE_FIRST = "Look at that cause before you look at the tests one by one."


def closings(closed: Sequence[str]) -> str:
    """What the person reads of tests that were reported and are no longer flaky."""
    lines = [
        f"{shown} is no longer flaky: "
        f"nothing in the last {WINDOW_DAYS} days has it passing and failing on the same code"
        for shown in closed[:MOST_NOTES]
    ]
    if len(closed) > MOST_NOTES:
        lines.append(f"{len(closed) - MOST_NOTES} more tests are no longer flaky")
    return "\n".join([_PREFIX + "no longer flaky", *lines])


def moved_aside(name: str) -> str:
    return f"{_PREFIX}the stored runs could not be read; they are kept as {printable(name)} and recording starts over"


# -- reasons


REASONS: Dict[str, str] = {
    "recorded": "recorded",
    "no-tests": "not recorded: this command runs no tests that flaky-memory knows",
    "elsewhere": "not recorded: the tests run in a container or on another machine, on code that is not here",
    "nowhere": "not recorded: where the tests run is only known while the command runs",
    "prints-other": "not recorded: the command also prints a file that may hold the output of another run",
    "unreadable": "not recorded: the command could not be read as shell",
    "background": "not recorded: the command puts the tests in the background",
    "in-background": "not recorded: the run was sent to the background",
    "interrupted": "not recorded: the run was interrupted",
    "no-output": "not recorded: the client sent no output",
    "changed-meanwhile": "not recorded: the tree changed while the tests ran",
    "changed-around": "not recorded: the command changes the code before and after the tests",
    "varying": "not recorded: a setting of the tests changes from run to run",
    "several-places": "not recorded: the command runs tests in several directories, and their output does not tell "
    "which",
    "no-repository": "not recorded: not in a git repository",
    "no-git": "not recorded: git was not found on PATH",
    "git-failed": "not recorded: git could not tell the state of the tree",
    "too-slow": "not recorded: reading the tree took too long",
    "large-diff": "not recorded: the uncommitted changes are larger than 4 MiB",
    "many-files": "not recorded: there are too many untracked files",
    "large-files": "not recorded: the untracked files are too large",
    "unreadable-file": "not recorded: an untracked file cannot be read",
    "too-many-repositories": "not recorded: there are too many submodules or nested repositories",
    "off": "not recorded: recording is off",
    "one-cause": "not counted: many tests failed together, and the output shows one cause for it",
    "nothing-named": "nothing to record: the output names no test and proves no pass",
    "damaged": "not recorded: the stored runs cannot be read; the next recorded run moves them aside",
    "newer-store": "not recorded: the stored runs were written by a newer version of flaky-memory",
    "unreadable-store": "not recorded: the stored runs cannot be opened",
    "busy": "not recorded: another process held the lock for too long",
    "unwritable": "not recorded: the store cannot be written",
    "fault": "not recorded: an error in flaky-memory itself",
    "cached": "not recorded: the results come from a cache",
}

DISTRUST: Dict[str, str] = {
    "pipe": "a pipe hides the exit status of the tests",
    "followed": "another command after the tests decides the exit status",
    "or": "`||` hides the exit status of the tests",
    "background": "the tests run in the background",
    "condition": "the tests stand in a condition or a branch",
    "substitution": "the tests run in a command substitution",
    "negated": "`!` turns the exit status around",
    "loop": "the loop may run the tests any number of times",
    "keeps-going": "the tool is told to exit 0 whatever fails",
}


def distrust(code: str) -> str:
    return f"exit 0 proves no pass: {DISTRUST[code]}"


def explained(answer: Dict[str, Any]) -> str:
    """The document of `explain --json`, of a command that runs tests, for people."""
    trusted = answer["exit_trusted"]
    hidden = answer["reason"] if answer["recorded"] else "not the tests' own"
    lines = [
        f"runs tests of: {', '.join(answer['runners']) or 'whatever the output shows'}",
        "recorded" if answer["recorded"] else answer["reason"],
        "exit status: " + ("the tests' own" if trusted else str(hidden)),
        f"the runner's own summary: {answer['summary']}",
    ]
    lines += [f"  {t['id']}: failed {t['failed']}, passed {t['passed']}" for t in answer["tests"]]
    return "\n".join(str(line) for line in lines)


NO_COMMAND = "no command to run"


def wrong_use(program: str, text: str) -> str:
    return f"{program}: {text} ({program} --help says more)"


NOT_A_REPOSITORY = "not in a git repository: no runs are recorded here"
USAGE = "usage: /flaky-memory [status | show TEST | reset [TEST] | on | off]"


def reason(code: Optional[str], detail: str = "") -> str:
    text = REASONS.get(code or "", code or "")
    return f"{text} ({printable(detail)})" if detail else text


def cannot(code: str) -> str:
    """Why the stored runs cannot be used, for a person who asked for them."""
    text = reason(code)
    return _PREFIX + (text[len(_NOT) :] if text.startswith(_NOT) else text)


_NOT = "not recorded: "

# -- the list


def header(enabled: bool, seen: int) -> str:
    tests = "1 test has" if seen == 1 else f"{seen} tests have"
    return f"flaky-memory is {'on' if enabled else 'off'}: {tests} failed here in the last {WINDOW_DAYS} days"


NONE_FLAKY = "no test is known to be flaky"


def row(shown: str, verdict: Verdict) -> str:
    return f"{shown} \u00b7 {row_outcome(verdict)} \u00b7 same code {_times(verdict.same_code)}"


def row_outcome(verdict: Verdict) -> str:
    return f"failed {verdict.failed}/{verdict.runs}"


def more(count: int, whole: str) -> str:
    return f"{count} more: {whole}"


def ago(seconds: float) -> str:
    """How long something is past, in one unit."""
    for name, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {name} ago"
    return "just now"


# -- one test

STRIP_HEADING = "runs from old to new (P passed, F failed), by the code they ran on:"
BOTH = "both"
_SOURCES = {
    NAMED: "named by the output",
    EXIT: "inferred from exit status 0 of a run that covers it",
    SUMMARY: "inferred from the summary of a run that covers it",
    GREEN_BEFORE: "from a run before its first failure",
}


def where(scope: Optional[str], place: str) -> List[str]:
    """Where a test stands, as far as that is known; no line or one."""
    parts = [printable(text) for text in (scope, place) if text]
    return ["in " + ", ".join(parts)] if parts else []


def last_failure(age: float, local: str) -> str:
    return f"last failure: {ago(age)} ({local})"


def older_trees(count: int) -> str:
    return f"(older: runs on {count} more state{'' if count == 1 else 's'} of the code)"


def pass_sources(sources: Sequence[int]) -> str:
    """Where the passes of a test came from; `sources` are Run.source."""
    counts = [f"{sources.count(s)} {text}" for s, text in _SOURCES.items() if s in sources]
    if len(counts) > 1:
        return "\n  ".join(["passes:", *counts])
    return "passes: " + (counts[0] if counts else "none")


def numbers_of_row(verdict: Verdict) -> List[str]:
    """What stands behind "it has failed N times in a row on this code"."""
    failed, runs = verdict.other
    rate = verdict.other.smoothed
    return [
        f"on the code of its last run: failed {verdict.row} in a row, never passed",
        f"on other code: failed {failed} of {runs}, a rate of ({failed} + 1) / ({runs} + 2) = {rate:.1%}",
        f"  so many in a row by chance: {rate:.1%} ^ {verdict.row} = {verdict.chance:.1%} "
        f"(taken for broken below {UNLIKELY:.0%}, from {SHORTEST_ROW} in a row)",
    ]


def numbers_of_company(widths: Mapping[int, Rate]) -> List[str]:
    """What stands behind "it failed only in runs of ..."; the keys are Run.width."""
    lines = ["on code that it passed and failed on:"]
    return lines + [f"  {kinds([w])}: failed {rate.failed} of {rate.runs}" for w, rate in widths.items()]


def numbers_of_cleared(count: int) -> str:
    states = "1 state" if count == 1 else f"{count} states"
    return f"told that it passed where it had failed: on {states} of the code"


# -- the settings of the status line

WRITE_IT = "write it? [y/N] "
NOTHING_CHANGED = "nothing was changed"


def panel_is_set(path: str) -> str:
    return f"the status line in {printable(path)} already shows flaky-memory"


def panel_change(path: str, old: str, new: str) -> str:
    """The change of a settings file, line by line."""
    lines = [f"in {printable(path)}:"]
    lines += ["- " + line for line in old.splitlines()] + ["+ " + line for line in new.splitlines()]
    return "\n".join(lines)


def panel_set(path: str) -> str:
    return f"written to {printable(path)}; new sessions show it"


def unreadable_settings(path: str) -> str:
    return f"{_PREFIX}{printable(path)} holds no JSON object; nothing was changed"


# -- doctor

PROGRAM = "flaky-memory"
NO_PYTHON3 = "not found on PATH"
ADVICE_PYTHON3 = "the hooks start python3: put Python 3.9 or newer on PATH under that name"
ADVICE_GIT = "install git, or put it on PATH"
ADVICE_ENABLE = "enable it with /plugin in Claude Code"
NO_HOOKS = "Claude Code does not know the plugin, and no hook has run here"
ADVICE_INSTALL = "install it as the README says, or use `flaky-memory run -- COMMAND`"
HOOKS_SEEN = "they have run in this repository"
ADVICE_ON = "`flaky-memory on` records again"
ADVICE_STORE = "if nobody needs it, remove the folder flaky-memory in the git directory"
UNWRITABLE = "cannot be written"
NO_PANEL = "not set (optional): `flaky-memory statusline --install` sets it, or paste into settings.json"
_MARKS = {True: ("ok", "32"), False: ("no", "31"), None: ("--", "2")}


def check(name: str, well: Optional[bool], found: str, advice: str, colours: bool) -> str:
    """One line of `doctor`, with its advice below it."""
    mark, colour = _MARKS[well]
    mark = f"\x1b[{colour}m{mark}\x1b[0m" if colours else mark
    lines = [f"{mark}  {name:<14}{found}", *(" " * 18 + line for line in advice.splitlines())]
    return "\n".join(lines)


def plugin_enabled(plugin: str, version: str, other: bool) -> str:
    text = f"registered by the plugin {_plugin(plugin)}, version {printable(version)}"
    return text + (" (this program is another version)" if other else "")


def plugin_disabled(plugin: str) -> str:
    return f"the plugin {_plugin(plugin)} is disabled"


def _plugin(plugin: str) -> str:
    """A plugin's id, of which the part behind the @ is a stranger's."""
    name, _, market = plugin.partition("@")
    return f"{name}@{printable(market)}"


def stored(size: int, tests: int) -> str:
    return f"{size / 1024:.1f} KiB, {tests} test{'' if tests == 1 else 's'} that failed"


def decisions(found: Sequence[Tuple[float, str, str]]) -> str:
    """The latest decisions: how long ago, a key of REASONS, a detail."""
    if not found:
        return "no test command has been seen here yet"
    rows = [f"  {ago(age):<11}{reason(code, detail)}" for age, code, detail in found]
    return "\n".join(["the last decisions:", *rows])


# -- run


def unrecorded(code: str) -> str:
    return _PREFIX + reason(code)


def cannot_run(name: str, missing: bool) -> str:
    return f"{_PREFIX}{printable(name)}: " + ("command not found" if missing else "cannot be executed")


# -- import

_REPORT_PROBLEMS = {
    "no-file": "is no regular file",
    "large": "is larger than 32 MiB, or has more cases than can be read",
    "deep": "has elements nested too deep",
    "doctype": "declares a document type, which reports have no use for",
    "no-xml": "is no well-formed XML",
    "no-junit": "holds no test suite",
    "no-commit": "does not name its commit: say --commit SHA",
    "not-head": "is of another commit than HEAD: say --commit SHA to import it all the same",
    "no-such-commit": "cannot be imported: there is no such commit here",
}
NOT_BELOW = "--directory is no folder below the top of the repository"


def report_problem(path: str, code: str) -> str:
    return f"{_PREFIX}{printable(path)} " + (_REPORT_PROBLEMS.get(code) or "cannot be imported: " + reason(code))


def imported(runs: int, reports: int, left_out: int, old: int) -> str:
    """What an import brought: runs counted, reports read, cases that were not counted and why."""
    text = f"read {runs} run{'' if runs == 1 else 's'} in {reports} report{'' if reports == 1 else 's'}"
    text += f"; left out {left_out} whose test cannot be told for certain" if left_out else ""
    return text + (f"; left out {old} older than {WINDOW_DAYS} days" if old else "")


# -- what commands did


def forgotten(shown: Optional[str], count: int) -> str:
    if shown is not None:
        return f"forgot the runs of {shown}"
    return f"forgot the runs of {count} test{'' if count == 1 else 's'}"


def switched(on: bool) -> str:
    return "recording is on" if on else "recording is off; the stored runs are kept"


def unknown_test(text: str, similar: Sequence[str]) -> str:
    return f"no runs are stored for {printable(text)}" + ("; similar:" + _indented(similar) if similar else "")


def ambiguous_test(text: str, ids: Sequence[str]) -> str:
    return f"{printable(text)} could mean:" + _indented(ids)


def _indented(ids: Sequence[str]) -> str:
    rest = [f"({len(ids) - MOST_NOTES} more)"] if len(ids) > MOST_NOTES else []
    return "".join("\n  " + text for text in [*ids[:MOST_NOTES], *rest])


def problem(text: str) -> str:
    """What kept a command from being done, on one line."""
    return _PREFIX + printable(text)


def shown_ids(tests: Sequence[Known]) -> Dict[TestId, str]:
    return display_ids(known.id for known in tests)


# -- the demo

NO_GIT = "git was not found on PATH"
NO_NOTE = "the third run gave no note"


def demo_intro(repository: str, command: str, runs: int) -> str:
    return (
        f"A throw-away repository with one flaky test: {repository}\n"
        f"As Claude would in Bash, run `{command}` there {runs} times. The code stays the same.\n"
    )


def demo_run(command: str, status: int) -> str:
    return f"$ {command}\n  {'failed' if status else 'passed'}, exit status {status}"


def demo_notes(note: str, line: str) -> str:
    indented = note.replace("\n", "\n  ")
    return f"\nWith the last result, Claude reads:\n\n  {indented}\n\nYou read:\n\n  {line}"


def demo_list(listed: str) -> str:
    indented = "\n".join("  " + line for line in listed.split("\n"))
    return f"\n/flaky-memory then lists it:\n\n{indented}\n\nThe repository and its runs are removed again."


def demo_failed(why: str) -> str:
    return f"{_PREFIX}the demo could not be shown: {printable(why)}"
