"""What a Bash command means: which parts run tests, where, whether their exit status arrives, and
what else in it could change the code around them.

Reads the structure that `shell.py` gives; starts nothing and opens nothing. The gate of every hook
comes through here, so nothing is imported but `shell` and the table of tools.
"""

from __future__ import annotations

from flaky_memory import shell, tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set, Tuple

    from flaky_memory.shell import Compound, Node, Redirect, Sequence, Simple, Word
    from flaky_memory.tools import Found

# Why an exit status of 0 is not the runner's own; message.py has the sentences.
PIPE, FOLLOWED, OR, BACKGROUND, CONDITION = "pipe", "followed", "or", "background", "condition"
SUBSTITUTION, NEGATED, LOOP, KEEPS_GOING = "substitution", "negated", "loop", "keeps-going"
# Why a run is not recorded at all.
CHANGED_AROUND = "changed-around"
ELSEWHERE, NOWHERE, PRINTS_OTHER, UNREADABLE, NO_TESTS = (
    "elsewhere", "nowhere", "prints-other", "unreadable", "no-tests",
)  # fmt: skip

# Stands for the top level of the repository in a directory.
TOP = "//top"
_DEEPEST_CALLS = 8
# Characters. Linux hands no program a longer argument, and a shell gets its command as one (execve(2)).
LONGEST = 1 << 17
_MOST_INVOCATIONS = 200


class Invocation:
    """One runner started by a command.

    `tool` names the kind of command line, `runners` the rows of runners.TABLE that can read its
    output (None: the output decides), `args` what follows the tool's own words, `env` the
    assignments in force and, under names with a blank, what else was set (`"ulimit "`), `directory`
    where it starts (relative to the command's own, absolute, or under TOP; None when unknown),
    `distrust` why exit 0 of the command is not its own ("" when it is), `repeats` that a loop may run
    it several times, `turns` how often at most (0: unknown), `opaque`
    that something else adds arguments,
    `varying` that its arguments or settings name a loop's variable, `filters` the programs that its
    output goes through ("grep -v" for what only leaves lines out), `shares_failure` that an exit status
    other than 0 may be another program's, `start` the words before `args`, as typed.
    """

    __slots__ = (
        "args",
        "directory",
        "distrust",
        "env",
        "filters",
        "opaque",
        "repeats",
        "runners",
        "shares_failure",
        "start",
        "tool",
        "turns",
        "varying",
    )

    def __init__(self, found: Found, env: Dict[str, str], directory: Optional[str], distrust: str) -> None:
        self.tool = found.tool
        self.runners = found.runners
        self.args: List[Word] = found.args
        self.opaque = found.opaque
        self.env = env
        self.directory = directory
        self.distrust = distrust or (KEEPS_GOING if found.keeps_going else "")
        self.repeats = False
        self.turns = 1
        self.varying = False
        self.shares_failure = False
        self.filters: Tuple[str, ...] = ()
        self.start: Optional[Start] = None


class Start:
    """How a runner was started: the words before its arguments (wrappers included), the variables in
    force there (as in Invocation.env), and the shell's directory."""

    __slots__ = ("directory", "env", "words")

    def __init__(self, words: List[Word], env: Dict[str, str], directory: Optional[str]) -> None:
        self.words, self.env, self.directory = words, env, directory


class Command:
    """A whole command. `changes_before` and `changes_after` say that something which may change
    the code stands before the last or after the first runner; `reason` why it is not recorded
    (None when it is); `leftovers` the files that its runs write their output or reports to;
    `echoes` lines that the command itself prints; `makes_trees` that it makes a worktree or a clone."""

    __slots__ = ("changes_after", "changes_before", "echoes", "invocations", "leftovers", "makes_trees", "reason")

    def __init__(self) -> None:
        self.invocations: List[Invocation] = []
        self.changes_before = self.changes_after = False
        self.makes_trees = False
        self.reason: Optional[str] = None
        self.leftovers: Set[str] = set()
        self.echoes: Set[str] = set()

    @property
    def runs_tests(self) -> bool:
        return bool(self.invocations)

    @property
    def exit_trusted(self) -> bool:
        """True when exit 0 of the command means that every runner in it exited 0."""
        return bool(self.invocations) and not any(i.distrust for i in self.invocations)


def read(text: str, powershell: bool = False) -> Command:
    """What a command means. Never raises; a command that cannot be read runs no tests here."""
    command = Command()
    try:
        if len(text) > LONGEST:
            raise shell.Unreadable
        walk = _Walk(command)
        walk.sequence(shell.parse(text, "`" if powershell else "\\"), _Context(), "")
        for trap in walk.traps:
            walk.sequence(shell.parse(trap), _Context(), FOLLOWED)
    except (shell.Unreadable, RecursionError):
        command.invocations.clear()
        command.reason = UNREADABLE
        return command
    walk.conclude()
    return command


class _Context:
    """What the shell knows at one point: its directory, its exported variables, its options."""

    __slots__ = ("calls", "directory", "env", "errexit", "loop_names", "pipefail", "repeats", "turns")

    def __init__(self) -> None:
        self.directory: Optional[str] = "."
        self.env: Dict[str, str] = {}
        self.errexit = self.pipefail = self.repeats = False
        self.loop_names: Tuple[str, ...] = ()
        self.calls, self.turns = 0, 1

    def copy(self) -> _Context:
        twin = _Context()
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.env = dict(self.env)
        return twin


_TEST, _CHANGE, _OTHER, _WRITE = "test", "change", "other", "write"


class _Step:
    """One thing that a command does: a test, a program, or a redirection into a file. `known` counts
    the files that held a runner's output by then."""

    __slots__ = ("known", "name", "step", "texts")

    def __init__(self, step: str, name: str = "", texts: Optional[List[str]] = None, known: int = 0) -> None:
        self.step, self.name, self.texts, self.known = step, name, texts or [], known

    def kind(self, effects: Any) -> str:
        """_TEST, _CHANGE, or "" for what leaves the code as it is."""
        if self.step == _TEST:
            return _TEST
        if self.step == _WRITE:
            return "" if effects.outside(self.texts[0]) else _CHANGE
        return _CHANGE if effects.may_change(self.name, self.texts) else ""

    def prints_written(self, effects: Any, written: List[str]) -> bool:
        """True when it prints a file that holds the output of this command's own runs."""
        if self.step != _OTHER or self.name not in effects.PRINTERS:
            return False
        return any(f in written[: self.known] for f in effects.printed_files(self.name, self.texts))

    def prints_other(self, effects: Any, written: List[str]) -> bool:
        """True when it prints a file that may hold the output of another run."""
        if self.step == _OTHER and effects.fetches_output(self.name, self.texts):
            return True
        if self.step != _OTHER or self.name not in effects.PRINTERS:
            return False
        files = effects.printed_files(self.name, self.texts)
        return any(effects.looks_like_output(f) and f not in written[: self.known] for f in files)


class _Walk:
    """Goes through a command in the order in which the shell would run it."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.order: List[_Step] = []
        self.written: List[str] = []  # files that hold what a runner printed
        self.capturing = False  # a runner's output is what the current redirection takes
        self.loops: List[Tuple[int, int]] = []  # spans of `order`
        self.functions: Dict[str, Node] = {}
        self.reasons: List[str] = []
        self.traps: List[str] = []  # what runs when the shell ends

    def conclude(self) -> None:
        """Sum up, once it is known that the command runs tests."""
        command = self.command
        if not command.invocations:
            command.reason = NO_TESTS
            return
        from flaky_memory import effects

        for invocation in command.invocations:
            paths = effects.report_paths(invocation.args)
            command.leftovers.update(_join(invocation.directory, p) or p for p in paths)
        command.makes_trees = any(s.name == "git" and {"worktree", "clone"} & set(s.texts) for s in self.order)
        kinds = [step.kind(effects) for step in self.order]
        tests = [at for at, kind in enumerate(kinds) if kind == _TEST]
        changes = self.changes(kinds)
        command.changes_before = any(at < tests[-1] for at in changes)
        command.changes_after = any(at > tests[0] for at in changes)
        for step in self.order:
            if step.prints_written(effects, self.written):
                for invocation in command.invocations:
                    invocation.filters += (_filter_kind(step.name, step.texts),)
        if any(step.prints_other(effects, self.written) for step in self.order):
            self.reasons.append(PRINTS_OTHER)
        if any(i.directory is None for i in command.invocations):
            self.reasons.append(NOWHERE)
        if command.changes_before and command.changes_after:
            self.reasons.append(CHANGED_AROUND)
        command.reason = self.reasons[0] if self.reasons else None

    def changes(self, kinds: List[str]) -> List[int]:
        """Where the code may change. In a loop a change stands before and after the loop's tests."""
        found = [at for at, kind in enumerate(kinds) if kind == _CHANGE]
        for first, last in self.loops:
            turn = kinds[first:last]
            if _TEST in turn and _CHANGE in turn:
                found += [first - 1, last]
        return found

    # -- structure

    def sequence(self, sequence: Sequence, context: _Context, distrust: str) -> None:
        items = sequence.items
        for at, (node, end) in enumerate(items):
            if end == "&":
                self.background(node, context)
            elif at == len(items) - 1:
                self.node(node, context, distrust)
            elif context.errexit and isinstance(node, shell.AndOr):
                self.and_or(node, context, distrust, FOLLOWED)  # only the last of a list ends the shell
            elif context.errexit:
                self.node(node, context, distrust)
            else:
                handed_on = _hands_on_status(node, items[at + 1][0], items[-1][0], at + 2 == len(items))
                self.node(node, context, distrust if handed_on else distrust or FOLLOWED)

    def background(self, node: Node, context: _Context) -> None:
        before = len(self.command.invocations)
        self.node(node, context.copy(), BACKGROUND)
        if len(self.command.invocations) > before:
            self.reasons.append(BACKGROUND)

    def node(self, node: Node, context: _Context, distrust: str) -> None:
        if isinstance(node, shell.Simple):
            self.simple(node, context, distrust)
        elif isinstance(node, shell.Pipeline):
            self.pipeline(node, context, distrust)
        elif isinstance(node, shell.AndOr):
            self.and_or(node, context, distrust)
        else:
            self.compound(node, context, distrust)

    def and_or(self, node: shell.AndOr, context: _Context, distrust: str, earlier: str = "") -> None:
        """`earlier` is why the status of all parts but the last one does not arrive."""
        before = len(self.command.invocations)
        parts = [("", node.first), *node.rest]
        for at, (op, part) in enumerate(parts):
            hidden = op == "||" or any(o == "||" and not _always_fails(n) for o, n in parts[at + 1 :])
            last = at + 1 == len(parts)
            self.node(part, context, distrust or (OR if hidden else "" if last else earlier))
            if not last:
                for invocation in self.command.invocations[before:]:
                    invocation.shares_failure = True

    def pipeline(self, node: shell.Pipeline, context: _Context, distrust: str) -> None:
        if node.negated:
            distrust = NEGATED
        before, capturing = len(self.command.invocations), self.capturing
        for at, stage in enumerate(node.stages):
            first = len(self.command.invocations)
            last = at == len(node.stages) - 1
            hidden = not (last or context.pipefail or getattr(node, "status_of_first", False))
            inner = context.copy() if len(node.stages) > 1 else context
            self.capturing = capturing or len(self.command.invocations) > before
            self.node(stage, inner, distrust or (PIPE if hidden else ""))
            self.filter(first, node.stages[at + 1 :])
        self.capturing = capturing

    def filter(self, first: int, later: List[Node]) -> None:
        """Tell the runners of one stage what their output goes through; a stage may hold pipelines."""
        names = tuple(_filter_name(s) for s in later)
        for invocation in self.command.invocations[first:]:
            invocation.filters += names

    def compound(self, node: Compound, context: _Context, distrust: str) -> None:
        before = len(self.command.invocations)
        if node.kind == "function":
            self.functions[node.words[0].text if node.words else ""] = node.bodies[0].items[0][0]
            return
        walk: Callable[[Compound, _Context, str], None] = {
            "group": self.group, "subshell": self.group, "for": self.loop, "while": self.loop, "until": self.loop,
        }.get(node.kind, self.branches)  # fmt: skip
        walk(node, context, distrust)
        self.redirections(node.redirects, context, len(self.command.invocations) > before)

    def group(self, node: Compound, context: _Context, distrust: str) -> None:
        self.sequence(node.bodies[0], context.copy() if node.kind == "subshell" else context, distrust)

    def branches(self, node: Compound, context: _Context, distrust: str) -> None:
        errexit, context.errexit = context.errexit, False
        for part in node.conditions:
            self.sequence(part, context, CONDITION)
        context.errexit = errexit
        for part in node.bodies:
            self.sequence(part, context.copy(), CONDITION)

    def loop(self, node: Compound, context: _Context, distrust: str) -> None:
        start = len(self.order)
        inner = context.copy()
        inner.repeats, inner.turns = True, context.turns * _turns(node)
        inner.loop_names = (*context.loop_names, *_texts(node.words[:1]), *_read_names(node))
        for part in node.conditions:
            self.sequence(part, inner, CONDITION)
        # The status of a loop is its last turn's; a list that may be empty may have no turn.
        turns = node.kind == "for" and len(node.words) != 2 and "$@" not in [w.text for w in node.words]
        for part in node.bodies:
            self.sequence(part, inner, distrust if turns else LOOP)
        self.loops.append((start, len(self.order)))

    # -- one command

    def simple(self, node: Simple, context: _Context, distrust: str) -> None:
        for word in [*node.words, *(w for _, w in node.assigns)]:
            for inner in word.inner:
                self.sequence(inner, context.copy(), SUBSTITUTION)
        before = len(self.command.invocations)
        if node.words:
            self.words(node, context, distrust)
        for redirect in node.redirects if _texts(node.words[:1]) == ["cat"] else ():
            self.command.echoes.update(redirect.body.split("\n"))
        capturing = self.capturing or len(self.command.invocations) > before
        self.redirections(node.redirects, context, capturing)

    def words(self, node: Simple, context: _Context, distrust: str) -> None:
        name = node.words[0].text
        if name in self.functions and context.calls < _DEEPEST_CALLS:
            context.calls += 1
            self.node(self.functions[name], context, distrust)
        elif name == "trap":
            self.traps += [w.text for w in node.words[1:2] if w.text[:1] != "-"]
        elif name in _BUILTINS:
            _BUILTINS[name](context, node.words[1:])
        else:
            own = {n: w.text for n, w in node.assigns}
            self.external(tools.unwrap(node.words), node, own, context, distrust)

    def external(
        self, started: tools.Started, node: Simple, own: Dict[str, str], context: _Context, distrust: str
    ) -> None:
        """A program: a shell with a script of its own, a runner, or anything else."""
        env = {**context.env, **own, **started.env}
        directory = _join(context.directory, started.directory)
        script = tools.script_of(started.words, node.redirects)
        if script is not None and not started.elsewhere:
            inner = context.copy()
            inner.env, inner.directory = {**env, **tools.brought(started.words)}, directory
            inner.errexit = inner.pipefail = False
            _set(inner, started.words[1:])
            return self.sequence(shell.parse(script), inner, distrust)
        found = tools.find(started.words)
        if found is None:
            return self.other(started.words, context)
        if started.elsewhere:
            self.reasons.append(ELSEWHERE)
        found.opaque = found.opaque or started.opaque
        env.update(found.env)
        hidden = distrust or started.distrust
        invocation = Invocation(found, env, _join(directory, found.directory), hidden)
        invocation.repeats, invocation.turns = context.repeats, context.turns
        typed = len(node.words) - len(found.args)
        if not found.opaque and _texts(node.words[typed:]) == _texts(found.args):
            invocation.start = Start(node.words[:typed], {**context.env, **own}, context.directory)
        invocation.varying = any(_mentions(t, context.loop_names) for t in [*env.values(), *_texts(found.args)])
        if invocation.varying and not invocation.distrust:
            invocation.distrust = LOOP  # only the last turn's status arrives, and each turn runs others
        self.command.invocations.append(invocation)
        if len(self.command.invocations) > _MOST_INVOCATIONS:
            raise shell.Unreadable
        self.order.append(_Step(_TEST))
        return None

    def other(self, words: List[Word], context: _Context) -> None:
        """A program that runs no tests: what it does is only looked at in the end."""
        name = tools.base_name(words[0].text) if words else ""
        texts = _texts(words[1:])
        if name == "tee":
            self.into([t for t in texts if t[:1] != "-"], context, self.capturing)
        elif name in ("echo", "printf"):
            self.command.echoes.update(texts)
            self.command.echoes.add(" ".join(texts))
        elif name in _CHOOSERS:
            _choose(context, name, texts)
        elif name in _INSTALLERS and any(t in ("install", "add", "sync", "remove", "uninstall") for t in texts[:2]):
            context.env["installs "] = " ".join([name, *texts])
        elif name.startswith("$env:"):
            _powershell_variable(context, name, texts)
        self.order.append(_Step(_OTHER, name, texts, len(self.written)))

    def redirections(self, redirects: List[Redirect], context: _Context, capturing: bool) -> None:
        for redirect in redirects:
            if redirect.op not in (">", ">>", ">|", "&>", "&>>", "<>"):
                continue
            unknown = redirect.target.dynamic and not capturing
            self.into(["$" if unknown else redirect.target.text], context, capturing)

    def into(self, paths: List[str], context: _Context, capturing: bool) -> None:
        """Files that something is written to: the output of a runner, or anything else."""
        if not capturing:
            self.order += [_Step(_WRITE, "", [path]) for path in paths]
            return
        self.written += paths
        self.command.leftovers.update(p for p in (_join(context.directory, path) for path in paths) if p)


def _read_names(node: Compound) -> List[str]:
    """The variables of `while read -r name`."""
    commands = [n for part in node.conditions for n, _ in part.items if isinstance(n, shell.Simple)]
    return [t for n in commands if _texts(n.words[:1]) == ["read"] for t in _texts(n.words[1:]) if t[:1] != "-"]


def _turns(node: Compound) -> int:
    """How many turns a `for` loop has at most; 0 when its text does not tell."""
    if node.kind != "for" or len(node.words) < 3:
        return 0
    total = 0
    for word in node.words[2:]:
        turns = _items(word)
        if not turns:
            return 0
        total += turns
    return total


def _items(word: Word) -> int:
    """The items that a word of a loop's list stands for: `3`, `{1..5}`, `$(seq 5)`; 0 when unknown."""
    text = word.text
    if text.startswith("$(seq ") and text.endswith(")"):
        first, last = ["1", *text[len("$(seq ") : -1].split()][-2:]
    elif text[:1] == "{" and text[-1:] == "}" and text.count("..") == 1:
        first, _, last = text[1:-1].partition("..")
    else:
        return 0 if word.dynamic or any(c in text for c in "*?[{") else 1
    return max(0, int(last) - int(first) + 1) if (first + last).isdigit() and len(first + last) < 12 else 0


def _filter_name(node: Node) -> str:
    if not isinstance(node, shell.Simple) or not node.words:
        return "?"
    return _filter_kind(tools.base_name(node.words[0].text), _texts(node.words[1:]))


def _filter_kind(name: str, texts: List[str]) -> str:
    """A filter's name; "grep -v" for what only leaves lines out that are no results, "grep passes" for what may
    leave out the failures alone, "lines" for what hands lines on as they are, "grep -o" for what changes them."""
    short = "".join(t[1:] for t in texts if t[:1] == "-" and t[1:2] != "-")
    if name in _GREPS:
        if "o" in short or "c" in short or "--only-matching" in texts or "--count" in texts:
            return "grep -o"
        pattern = " ".join(texts).lower()
        failures, passes = (any(w in pattern for w in words) for words in (_FAILURE_WORDS, _PASS_WORDS))
        if "v" in short:
            return "grep -v" if "no test" in pattern or not (failures or passes) else "grep passes"
        return "grep passes" if passes and not failures else "grep"
    if name == "sed":
        script = " ".join(t for t in texts if t[:1] != "-").rstrip(";")
        colours = any(w in script.lower() for w in ("x1b", "033", "\x1b", "e["))
        return "lines" if colours or (short == "n" and script.endswith("p") and "s/" not in script) else "sed"
    return "lines" if name in ("ansi2txt", "col", "ts", "less", "more", "nl", "Out-String", "Out-Host") else name


_FAILURE_WORDS = ("fail", "err", "not ok", "\u2717", "\u2715", "\u00d7", "\u2716", "[0-9]+\\)")
_PASS_WORDS = ("ok", "pass", "\u2713", "\u2714", "\u221a")
_GREPS = ("grep", "egrep", "fgrep", "rg", "ag")


def _texts(words: List[Word]) -> List[str]:
    return [w.text for w in words]


def _mentions(text: str, names: Tuple[str, ...]) -> bool:
    return any("$" + name in text or "${" + name in text for name in names)


def _always_fails(node: Node) -> bool:
    """True for `exit 1`, `false`, and a group that ends so: `test || exit 1` hides nothing."""
    if isinstance(node, shell.Compound) and node.kind in ("group", "subshell") and node.bodies[0].items:
        return _always_fails(node.bodies[0].items[-1][0])
    if not isinstance(node, shell.Simple):
        return False
    words = _texts(node.words)
    return words == ["false"] or (len(words) == 2 and words[0] in ("exit", "return") and words[1].strip("0") != "")


def _hands_on_status(node: Node, first: Node, last: Node, same: bool) -> bool:
    """True when what follows, from its first to its last command, only hands the status on: `exit $?`,
    `rc=$?; ...; exit $rc`. `same`: it is one command."""
    if not isinstance(last, shell.Simple) or _texts(last.words)[:1] not in (["exit"], ["return"]):
        return False
    status = _texts(last.words)[1:]
    if isinstance(node, shell.Pipeline) and status == ["${PIPESTATUS[0]}"] and same:
        return len(node.stages) == 2 and _mark_first(node)
    if same:
        return status in (["$?"], [])
    if isinstance(first, shell.Simple) and first.assigns and not first.words:
        name, value = first.assigns[-1]
        return value.text == "$?" and status in (["$" + name], ["${" + name + "}"])
    return False


def _mark_first(node: shell.Pipeline) -> bool:
    """`a | b; exit ${PIPESTATUS[0]}` is as good as pipefail for `a`."""
    node.status_of_first = True
    return True


def _join(directory: Optional[str], path: Optional[str]) -> Optional[str]:
    """A path seen from a directory; None when either is not known."""
    if directory is None or path is None:
        return None
    if path.startswith(("/", TOP)) or path[1:3] in (":\\", ":/"):
        return path
    if path.startswith("~") or "$" in path or "`" in path:
        return None
    return path if directory == "." else directory if path in (".", "") else directory + "/" + path


def _cd(context: _Context, words: List[Word]) -> None:
    plain = [w for w in words if w.text[:1] != "-" or w.text == "-"]
    text = plain[0].text if plain else "~"
    if text.strip("\"' ") in ("$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`"):
        context.directory = TOP
    elif text in ("$PWD", "${PWD}"):
        return
    else:
        context.directory = _join(context.directory, None if text == "-" else text)


def _export(context: _Context, words: List[Word]) -> None:
    for word in words:
        name, equals, value = word.text.partition("=")
        if word.inner and not (equals and name.isidentifier()):
            context.env["export " + word.text] = ""  # `export $(cat .env)`
        elif equals:
            context.env[name] = value


def _unset(context: _Context, words: List[Word]) -> None:
    for name in _texts(words):
        if name[:1] != "-":
            context.env.pop(name, None)
            context.env["unset " + name] = ""


def _powershell_variable(context: _Context, name: str, texts: List[str]) -> None:
    """`$env:TZ = "UTC"`, with or without blanks."""
    name, _, value = " ".join([name, *texts]).partition("=")
    context.env[name[len("$env:") :].strip()] = value.strip()


def _source(context: _Context, words: List[Word]) -> None:
    """What a sourced file sets is not known, but which file it was."""
    path = words[0].text if words else ""
    environment = tools.environment_of(path) if "activate" in path else ""
    if environment:
        context.env[tools.PYTHON] = environment
    else:
        context.env["source " + path] = ""


def _choose(context: _Context, name: str, texts: List[str]) -> None:
    """`ulimit -n 64`, `nvm use 18`, `conda activate x`: what it sets belongs to the settings."""
    if name in ("ulimit", "umask") or any(t in _CHOOSING for t in texts[:2]):
        context.env[name + " "] = " ".join(texts)


# Programs that install packages where no stamp in the tree may tell.
_INSTALLERS = frozenset((
    "pip", "pip3", "uv", "pipx", "conda", "mamba", "micromamba", "gem", "apt", "apt-get", "brew", "apk", "dnf", "yum",
    "pecl", "cpanm", "luarocks",
))  # fmt: skip
_CHOOSERS = frozenset((
    "ulimit", "umask", "nvm", "fnm", "pyenv", "rbenv", "nodenv", "conda", "mamba", "micromamba", "sdk", "asdf",
    "mise", "rustup", "module", "jenv", "goenv", "rvm",
))  # fmt: skip
_CHOOSING = ("use", "shell", "local", "global", "activate", "default", "override", "load", "set", "env")


def _set(context: _Context, words: List[Word]) -> None:
    """`set -e`, `set -o pipefail`, `set -euo pipefail`, and the same options of a shell."""
    texts = _texts(words)
    for at, text in enumerate(texts):
        if text[:1] not in ("-", "+") or text[:2] in ("--", "-c") and text != "-c":
            continue
        on = text[0] == "-"
        if "e" in text[1:]:
            context.errexit = on
        if text.endswith("o") and texts[at + 1 : at + 2] == ["pipefail"]:
            context.pipefail = on
        if text.endswith("o") and texts[at + 1 : at + 2] == ["errexit"]:
            context.errexit = on
        if "c" in text[1:]:
            return


def _nothing(context: _Context, words: List[Word]) -> None:
    """Commands that change neither the code nor what this module knows of the shell."""


_BUILTINS: Dict[str, Callable[[_Context, List[Word]], None]] = {
    "cd": _cd, "pushd": _cd, "export": _export, "declare": _nothing, "local": _nothing, "unset": _unset,
    "set": _set, "shopt": _nothing, "true": _nothing, ":": _nothing, "wait": _nothing,
    "source": _source, ".": _source,
}  # fmt: skip
