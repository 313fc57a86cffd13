"""The tools that `command.py` knows: which programs start others, which run tests, which change code.

Tables and small functions over the words of one simple command. Pure, imports nothing at run time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Tuple

    from flaky_memory.shell import Redirect, Word


class Started:
    """The program that a simple command starts once wrappers are off (`timeout 60 npx jest`).

    `env` holds assignments that wrappers add and, under names with a blank, what else they change
    (`"uv run": "--python 3.9"`), `directory` where they go, `elsewhere` is true in a container or on
    another machine, `opaque` when a wrapper adds arguments, `distrust` says why a
    wrapper hides the status.
    """

    __slots__ = ("directory", "distrust", "elsewhere", "env", "opaque", "words")

    def __init__(self, words: List[Word]) -> None:
        self.words = words
        self.env: Dict[str, str] = {}
        self.directory = "."
        self.elsewhere = self.opaque = False
        self.distrust = ""


class Found:
    """A command line that runs tests: the tool, the rows of runners.TABLE that can read it (None:
    all), the arguments after the tool's own words, the directory that its options name, and `env`, what
    these options set (as in Started)."""

    __slots__ = ("args", "directory", "env", "keeps_going", "opaque", "runners", "tool")

    def __init__(self, tool: str, runners: Optional[Tuple[str, ...]], args: List[Word]) -> None:
        self.tool, self.runners, self.args = tool, runners, args
        self.directory = "."
        self.env: Dict[str, str] = {}
        self.keeps_going = self.opaque = False


def base_name(path: str) -> str:
    """The program's name: no folder, no Windows ending, no version after python."""
    name = path.replace("\\", "/").rpartition("/")[2]
    for ending in (".exe", ".cmd", ".bat", ".ps1"):
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    return "python" if name.startswith("python") and not name[6:].strip("0123456789.") else name


# -- wrappers

# Programs that start the program after their options: the options that take a value, and how many
# other words stand before the program.
_WRAPPERS: Dict[str, Tuple[Tuple[str, ...], int]] = {
    "env": (("-u", "-C", "--unset", "--chdir", "-S"), 0),
    "timeout": (("-k", "-s", "--kill-after", "--signal"), 1),
    "gtimeout": (("-k", "-s", "--kill-after", "--signal"), 1),
    "time": (("-f", "-o", "--format", "--output"), 0),
    "nice": (("-n", "--adjustment"), 0),
    "ionice": (("-c", "-n"), 0),
    "nohup": ((), 0), "setsid": ((), 0), "command": ((), 0), "exec": (("-a",), 0), "unbuffer": ((), 0),
    "stdbuf": (("-i", "-o", "-e"), 0), "chronic": ((), 0), "caffeinate": (("-t", "-w"), 0),
    "taskset": (("-c",), 1), "builtin": ((), 0),
    "xvfb-run": (("-s", "-n", "-e", "-f", "-p", "--server-args", "--server-num", "--error-file"), 0),
    "sudo": (("-u", "-g", "-C", "--user", "--group"), 0), "doas": (("-u",), 0),
    "npx": (("-p", "--package", "-c", "--call", "-w", "--workspace", "--prefix"), 0), "pnpx": (("--package",), 0),
    "bunx": (("-p", "--package"), 0),
    "uvx": (("--from", "--with", "-p", "--python", "--index-url"), 0),
    "cross-env": ((), 0), "cross-env-shell": ((), 0), "env-cmd": (("-f", "--file", "-e", "-r"), 0),
    "dotenv": (("-f", "--file", "-e", "-c"), 0), "dotenvx": (("-f", "-e"), 0),
    "nyc": (("--reporter", "-r", "--temp-dir", "--report-dir", "--include", "--exclude", "-x", "-n"), 0),
    "c8": (("--reporter", "-r", "--temp-directory", "--reports-dir", "--include", "--exclude", "-x", "-n"), 0),
    "spring": ((), 0), "catchsegv": ((), 0), "faketime": ((), 1), "rtk": ((), 0),
    "xargs": (("-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"), 0),
    "parallel": (("-j", "-N", "--jobs"), 0),
}  # fmt: skip
# Wrappers that are a program and a word of it: `uv run`, `bundle exec`.
_RUN_WORDS: Dict[str, Tuple[Tuple[str, ...], Tuple[str, ...]]] = {
    "uv": (("run",), ("--with", "--python", "-p", "--extra", "--group", "--only-group", "--no-group",
                      "--directory", "--project", "--package", "--env-file", "--with-requirements",
                      "--with-editable", "--index-url", "--no-extra")),
    "poetry": (("run",), ("-C", "--directory", "-P", "--project")),
    "pipenv": (("run",), ()), "pdm": (("run",), ("-p", "--project")), "rye": (("run",), ()),
    "hatch": (("run",), ("-e", "--env")), "pixi": (("run",), ("-e", "--environment", "--manifest-path")),
    "conda": (("run",), ("-n", "-p", "--name", "--prefix", "--cwd")),
    "mamba": (("run",), ("-n", "-p", "--name", "--prefix", "--cwd")),
    "micromamba": (("run",), ("-n", "-p", "--name", "--prefix", "--cwd")),
    "bundle": (("exec",), ("--gemfile",)), "mise": (("exec", "x"), ()), "asdf": (("exec",), ()),
    "npm": (("exec", "x"), ("-p", "--package", "-w", "--workspace", "--prefix")),
    "pnpm": (("exec", "dlx"), ("-C", "--dir", "--filter", "-F", "--package")),
    "yarn": (("exec", "dlx"), ("--cwd", "-p", "--package")),
    "bun": (("x",), ("--cwd",)), "volta": (("run",), ("--node", "--npm")),
    "nix": (("develop", "shell"), ("-c", "--command")), "direnv": (("exec",), ()),
    "doppler": (("run",), ("-p", "-c")), "op": (("run",), ("--env-file",)), "coverage": (("run",), (
        "--source", "--include", "--omit", "--rcfile", "--data-file", "--context", "--concurrency")),
    "dotenvx": (("run",), ("-f", "-e")), "devbox": (("run",), ()),
}  # fmt: skip
# Wrappers whose options, and the words before the program, change nothing of how tests end.
_NEUTRAL_WRAPPERS = frozenset((
    "timeout", "gtimeout", "time", "nice", "ionice", "nohup", "setsid", "command", "exec", "unbuffer", "stdbuf",
    "chronic", "caffeinate", "builtin", "nyc", "c8", "catchsegv", "rtk", "xargs", "parallel", "coverage", "cross-env",
    "cross-env-shell", "spring",
))  # fmt: skip
# Wrappers that change it without an option: another clock, display, user, environment.
_TELLING_WRAPPERS = frozenset((
    "faketime", "xvfb-run", "sudo", "doas", "taskset", "uvx", "env-cmd", "dotenv", "dotenvx", "doppler", "op", "direnv",
))  # fmt: skip
# Wrappers that bring packages, or a version of the language, which the same program without them may not have.
_ENVIRONMENTS = frozenset((
    "uv", "poetry", "pipenv", "pdm", "rye", "hatch", "pixi", "conda", "mamba", "micromamba", "bundle", "mise", "asdf",
    "volta", "nix", "nix-shell", "devbox",
))  # fmt: skip
_NEUTRAL_OPTIONS = frozenset((
    "-q", "--quiet", "-s", "--silent", "-v", "--verbose", "-y", "--yes", "--no", "--no-install", "--no-sync",
    "--frozen", "--locked", "--offline", "--no-progress", "--active", "--directory", "-C", "--cwd",
    "--prefix", "--dir", "--chdir", "--project-dir", "--no-capture-output", "--live-stream",
    "-m", "--", "--module", "--prefer-offline",
))  # fmt: skip
# Programs whose command runs on other files than the ones here.
_ELSEWHERE = (
    "docker", "docker-compose", "podman", "nerdctl", "kubectl", "oc", "ssh", "mosh", "vagrant", "lima", "limactl",
    "devcontainer", "gcloud", "heroku", "fly", "flyctl", "toolbox", "distrobox", "wsl", "act", "earthly", "sail",
    "ddev", "lando", "chroot", "systemd-nspawn", "multipass", "incus", "lxc", "gh",
)  # fmt: skip
_DIRECTORY_OPTIONS = (
    "-C", "--directory", "--cwd", "--prefix", "--dir", "--project-dir", "--test-dir", "--chdir",
)  # fmt: skip


def unwrap(words: List[Word]) -> Started:
    """The program behind wrappers, at most 20 deep."""
    started = Started(words)
    for _ in range(20):
        if not started.words:
            break
        name = base_name(started.words[0].text)
        if name in _ELSEWHERE:
            return _elsewhere(started)
        if name in ("python", "pytest", "py.test"):
            _tell_interpreter(started)
        if not _unwrap_once(started, name):
            break
    return started


def _tell_interpreter(started: Started) -> None:
    """`.venv/bin/pytest`, `python3.9 -m pytest`: which Python it is, when the path or the name says so."""
    path = started.words[0].text.replace("\\", "/")
    name = path.rpartition("/")[2]
    version = name[len("python") :] if name.startswith("python") else ""
    told = environment_of(path) or (version if "." in version.replace(".exe", "") else "")
    if told:
        started.env[PYTHON] = told


# The name under which the Python that tests run in is a setting.
PYTHON = "python "


def environment_of(path: str) -> str:
    """The folder of the environment that a program or an activation script stands in, "" for none."""
    folder = path.rpartition("/")[0]
    environment, _, last = folder.rpartition("/")
    if last not in ("bin", "Scripts"):
        return ""
    return (environment[2:] if environment.startswith("./") else environment) or "/"


def _unwrap_once(started: Started, name: str) -> bool:
    rest = started.words[1:]
    if name in _RUN_WORDS and _after_run_word(started, name):
        return True
    if name == "python":
        return _python_module(started)
    if name not in _WRAPPERS or not rest:
        return False
    values, skipped = _WRAPPERS[name]
    if name in ("xargs", "parallel"):
        started.opaque, started.distrust = True, started.distrust or ("" if name == "xargs" else "keeps-going")
    if name == "npx" and _npx_call([w.text for w in rest]) is not None:
        return False
    after = _after_options(rest, values, started)
    _tell(started, name, name, rest[: len(rest) - len(after) + skipped], values)
    started.words = after[skipped:]
    if name in _FETCHERS:
        _take_version(started)
    _take_assignments(started)
    return bool(started.words)


_FETCHERS = ("npx", "pnpx", "bunx", "pnpm", "npm", "yarn", "bun")


def _take_version(started: Started) -> None:
    """`npx jest@29`: the program is jest, and 29 a setting."""
    name, at, version = started.words[0].text.partition("@") if started.words else ("", "", "")
    if name and at and base_name(name) in _DIRECT:
        started.env[name + " version"] = version
        started.words = [plain_word(name), *started.words[1:]]


def _tell(started: Started, name: str, title: str, words: List[Word], values: Tuple[str, ...]) -> None:
    """Keep what a wrapper's own words change, as a setting."""
    told = [] if name in _NEUTRAL_WRAPPERS else _telling_options(words, values)
    if told or name in _TELLING_WRAPPERS or name in _ENVIRONMENTS:
        started.env[title + " "] = " ".join([w.text for w in words] if name in _TELLING_WRAPPERS else told)


def _telling_options(words: List[Word], values: Tuple[str, ...]) -> List[str]:
    """The options among a wrapper's words that are more than neutral, with their values."""
    told, at = [], 0
    while at < len(words):
        name, equals, _ = words[at].text.partition("=")
        size = 2 if name in values and not equals else 1
        if name not in _NEUTRAL_OPTIONS:
            told += [w.text for w in words[at : at + size]]
        at += size
    return told


def _after_run_word(started: Started, name: str) -> bool:
    verbs, values = _RUN_WORDS[name]
    trial = Started([])
    words = started.words[1:]
    rest = _after_options(words, values, trial)
    if not rest or rest[0].text not in verbs:
        return False
    own, more = words[: len(words) - len(rest)], rest[1:]
    rest = _after_options(more, values, trial, module_ends=name in ("uv", "coverage"))
    own += more[: len(more) - len(rest)]
    if name in ("nix",) or not rest:
        return False
    if name in ("hatch", "pdm", "mise") and _is_test_name(rest[0].text) and base_name(rest[0].text) not in _DIRECT:
        return False  # a script of the project: `pdm run test`
    if rest[0].text == "-m":
        rest = rest[1:]
    elif name == "coverage":
        return False  # a script of the person's own
    if name == "direnv":
        rest = rest[1:]
    if name == "hatch" and ":" in rest[0].text:
        return False
    started.words, started.directory = rest, trial.directory
    _tell(started, name, name + " run", own, values)
    if name in _FETCHERS:
        _take_version(started)
    return True


def _python_module(started: Started) -> bool:
    """`python -m MODULE`, the interpreter's own options left out; coverage's `run -m` comes next."""
    rest = _after_options(started.words[1:], ("-W", "-X"), started, module_ends=True)
    if len(rest) < 2 or rest[0].text != "-m":
        return False
    started.env.update(_interpreter_options("python", started.words[1 : -len(rest)]))
    started.words = rest[1:]
    return True


# Interpreters: their options that take a value, and the starts of those that change nothing of how tests end.
_INTERPRETERS: Dict[str, Tuple[Tuple[str, ...], Tuple[str, ...]]] = {
    "python": (("-W", "-X"), ("-u", "-B", "-q")),
    "node": (("--import", "--require", "-r", "--loader", "--experimental-loader"),
             ("--no-warnings", "--enable-source-maps", "--trace-warnings")),
    "php": (("-d", "-c"), ("-d memory_limit", "-dmemory_limit", "-d xdebug.", "-dxdebug.", "-q")),
    "ruby": (("-I", "-r", "-C"), ("-I", "-w", "-W", "-r", "-e", "-S")),
}  # fmt: skip


def _interpreter_options(name: str, options: List[Word]) -> Dict[str, str]:
    """What an interpreter is told before the program that it runs, as a setting."""
    values, neutral = _INTERPRETERS[name]
    told, at = [], 0
    while at < len(options):
        size = 2 if options[at].text in values else 1
        text = " ".join(w.text for w in options[at : at + size])
        told += [] if text.startswith(neutral) else [text]
        at += size
    return {name + " options ": " ".join(told)} if told else {}


def _after_options(
    words: List[Word], values: Tuple[str, ...], started: Started, module_ends: bool = False
) -> List[Word]:
    """The words after a wrapper's options; a directory that they name is kept in `started`."""
    at = 0
    while at < len(words):
        text = words[at].text
        name, equals, value = text.partition("=")
        if text == "--":
            return words[at + 1 :]
        if text[:1] != "-" or text == "-" or (module_ends and text == "-m"):
            break
        takes = name in values and not equals
        if name in _DIRECTORY_OPTIONS and name in values or (name == "-C" and takes):
            started.directory = value if equals else words[at + 1].text if at + 1 < len(words) else "."
        at += 2 if takes else 1
    return words[at:]


def _take_assignments(started: Started) -> None:
    while started.words and "=" in started.words[0].text and started.words[0].text[:1] not in ("-", "=", "/", "."):
        name, _, value = started.words[0].text.partition("=")
        started.env[name] = value
        started.words = started.words[1:]


def _elsewhere(started: Started) -> Started:
    """Whether tests are run there is told by the first word on that starts a known tool."""
    words = started.words
    for at in range(1, len(words)):
        if words[at].text[:1] == "-":
            continue
        inner = unwrap(words[at:]) if base_name(words[at].text) not in _ELSEWHERE else Started([])
        text = words[at].text
        if " " in text and any(name in text for name in ("test", "spec", "jest", "phpunit", "tox", "mocha")):
            inner = Started([plain_word("pytest")])  # `ssh host 'cd app && pytest'`: some test command
        if inner.words and find(inner.words):
            inner.elsewhere = True
            return inner
    started.elsewhere = True
    return started


def plain_word(text: str) -> Word:
    from flaky_memory.shell import Word

    word = Word()
    word.text = text
    return word


# -- scripts

_SHELLS = ("bash", "sh", "zsh", "dash", "ksh", "ash")


def script_of(words: List[Word], redirects: List[Redirect]) -> Optional[str]:
    """The script that a shell is given on its command line or in a here-document; None if none is."""
    name = base_name(words[0].text) if words else ""
    texts = [w.text for w in words[1:]]
    if name == "eval":
        return " ".join(texts)
    if name == "npx":
        return _npx_call(texts)
    if name == "nix-shell" and "--run" in texts[:-1]:
        return texts[texts.index("--run") + 1]
    if name == "nix" and any(o in texts[:-1] for o in ("-c", "--command")):
        return " ".join(texts[next(i for i, t in enumerate(texts) if t in ("-c", "--command")) + 1 :])
    if name not in _SHELLS:
        return None
    at = 0
    while at < len(texts) and texts[at][:1] in ("-", "+"):
        if "c" in texts[at][1:] and texts[at][:2] != "--":
            rest = [t for t in texts[at + 1 :] if t[:1] != "-"]
            return rest[0] if rest else None
        at += 2 if texts[at].endswith("o") else 1
    bodies = [r.body for r in redirects if r.op in ("<<", "<<-")]
    return bodies[-1] if bodies and at >= len(texts) else None


def _npx_call(texts: List[str]) -> Optional[str]:
    """The script of `npx -c SCRIPT`; a `-c` behind the program that npx starts is that program's."""
    at = 0
    while at < len(texts) and texts[at][:1] == "-" and texts[at] != "--":
        if texts[at] in ("-c", "--call"):
            return texts[at + 1] if at + 1 < len(texts) else None
        at += 2 if texts[at] in _WRAPPERS["npx"][0] else 1
    return None


def brought(words: List[Word]) -> Dict[str, str]:
    """What a program that is given a script brings for it, as a setting: `nix develop .#ci -c SCRIPT`."""
    name = base_name(words[0].text)
    texts = [w.text for w in words[1:]]
    end = next((at for at, text in enumerate(texts) if text in ("-c", "--command", "--run")), len(texts))
    return {name + " ": " ".join(texts[:end])} if name in _ENVIRONMENTS else {}


# -- runners

# Programs that run tests by themselves, and the rows that read them.
_DIRECT: Dict[str, Tuple[str, ...]] = {
    "pytest": ("pytest",), "py.test": ("pytest",), "pytest-3": ("pytest",), "unittest": ("unittest",),
    "jest": ("jest",),
    "vitest": ("vitest",), "mocha": ("mocha",), "_mocha": ("mocha",), "ava": ("ava",), "tap": ("tap",),
    "rspec": ("rspec",), "phpunit": ("phpunit",), "ctest": ("ctest",), "gotestsum": ("go",),
    "paratest": ("phpunit",), "cargo-nextest": ("nextest",),
}  # fmt: skip
# Options after which a tool only lists, builds or explains.
_NO_RUN: Dict[str, Tuple[str, ...]] = {
    "pytest": ("--collect-only", "--co", "--fixtures", "--markers", "--setup-plan", "--fixtures-per-test"),
    "jest": ("--listTests", "--showConfig", "--init", "--clearCache"),
    "go": ("-c", "-list", "-n"), "cargo": ("--no-run", "--list"), "nextest": ("--no-run",),
    "rspec": ("--dry-run", "--init", "--bisect"), "ctest": ("-N", "--show-only"), "playwright": ("--list",),
    "dotnet": ("--list-tests", "-t"), "phpunit": ("--list-tests", "--list-suites", "--list-groups"),
    "mocha": ("--dry-run",), "make": ("-n", "--dry-run", "--just-print"), "gradle": ("--dry-run", "-m"),
    "just": ("--list", "-l", "--dry-run", "-n", "--show"), "tox": ("-l", "--listenvs", "--notest"),
    "nox": ("-l", "--list"), "vitest": (), "unittest": (),
}  # fmt: skip
_NEVER_RUN = ("--help", "--version", "-version")


def find(words: List[Word]) -> Optional[Found]:
    """The tests that an unwrapped simple command runs, or None."""
    if not words:
        return None
    name = base_name(words[0].text)
    args = words[1:]
    if name in _DIRECT:
        found: Optional[Found] = _direct(name, args)
    elif name in _TOOLS:
        found = _TOOLS[name](args)
    else:
        found = _by_path(words)
    if found is None or _only_lists(found):
        return None
    if name in _INTERPRETERS and found.tool != "node":
        found.env.update(_interpreter_options(name, _split(args, _INTERPRETERS[name][0])[0]))
    return found


def _only_lists(found: Found) -> bool:
    options = (*_NEVER_RUN, *_NO_RUN.get(found.tool, ()))
    before_rest = [w.text for w in found.args]
    if "--" in before_rest and found.tool not in ("cargo", "nextest"):
        before_rest = before_rest[: before_rest.index("--")]
    return any(t.partition("=")[0] in options for t in before_rest)


_ALIASES = {"py.test": "pytest", "pytest-3": "pytest", "_mocha": "mocha", "cargo-nextest": "nextest"}


def _direct(name: str, args: List[Word]) -> Optional[Found]:
    first = args[0].text if args else ""
    if name in ("vitest", "tap", "mocha") and first in ("list", "bench", "init", "version", "config"):
        return None
    if name == "vitest" and first in ("run", "watch", "dev", "related"):
        found = Found("vitest", _DIRECT[name], args[1:])
        found.opaque = first == "related"
        return found
    tool = _ALIASES.get(name, name)
    found = Found(tool, _DIRECT[name], args)
    if name == "ctest":
        found.directory = _value_of("--test-dir", args) or "."
    return found


def _value_of(option: str, args: List[Word]) -> str:
    texts = [w.text for w in args]
    attached = [t.partition("=")[2] for t in texts if t.startswith(option + "=")]
    return attached[0] if attached else texts[texts.index(option) + 1] if option in texts[:-1] else ""


def _without(option: str, args: List[Word]) -> List[Word]:
    """The words without an option and its value."""
    at = next(i for i, w in enumerate(args) if w.text.partition("=")[0] == option)
    return args[:at] + args[at + (1 if "=" in args[at].text else 2) :]


def _split(args: List[Word], values: Tuple[str, ...]) -> Tuple[List[Word], List[Word], str]:
    """(options, from the first other word on, the directory that the options name)."""
    started = Started([])
    rest = _after_options(args, values, started)
    return args[: len(args) - len(rest)], rest, started.directory


def _verb_tool(
    tool: str, row: str, verbs: Tuple[str, ...], values: Tuple[str, ...] = ("-C",)
) -> Callable[[List[Word]], Optional[Found]]:
    """`go test`, `deno test`, `mix test`: a program with a verb that runs tests."""

    def find_verb(args: List[Word]) -> Optional[Found]:
        _, rest, directory = _split(args, values)
        if not rest or rest[0].text not in verbs:
            return None
        found = Found(tool, (row,), rest[1:])
        found.directory = _value_of("-C", rest) or directory if tool == "go" else directory
        return found

    return find_verb


def _cargo(args: List[Word]) -> Optional[Found]:
    toolchain = [a.text for a in args[:1] if a.text.startswith("+")]
    _, rest, directory = _split(args[len(toolchain) :], ("-C", "--config", "-Z", "--color"))
    verb = rest[0].text if rest else ""
    if verb == "nextest" and len(rest) > 1 and rest[1].text in ("run", "r"):
        found = Found("nextest", ("nextest",), rest[2:])
    elif verb in ("test", "t"):
        found = Found("cargo", ("cargo",), rest[1:])
    elif verb in ("llvm-cov", "tarpaulin", "careful", "hack", "make", "xtask") and _has_test_word(rest[1:]):
        found = Found("cargo " + verb, ("cargo", "nextest"), rest[1:])
    else:
        return None
    found.directory = directory
    found.env = {"toolchain ": toolchain[0]} if toolchain else {}
    return found


def _deno(args: List[Word]) -> Optional[Found]:
    if [w.text for w in args[:1]] == ["task"] and _has_test_word(args[1:2]):
        return Found("deno task", None, args[1:])
    return _verb_tool("deno", "deno", ("test",))(args)


def _bun(args: List[Word]) -> Optional[Found]:
    _, rest, directory = _split(args, ("--cwd",))
    if not rest:
        return None
    if rest[0].text == "test":
        found: Optional[Found] = Found("bun", ("bun",), rest[1:])
    elif rest[0].text == "run" and len(rest) > 1:
        options, words, deeper = _split(rest[1:], _PACKAGE_VALUES)
        found, directory = _script("bun", words), deeper if deeper != "." else directory
        told = _telling_options(options, _PACKAGE_VALUES)
        if found and told:
            found.env["packages "] = " ".join(told)
    else:
        found = find(rest) if base_name(rest[0].text) in _DIRECT else None
    if found:
        found.directory = directory
    return found


_PACKAGE_VALUES = ("-C", "--dir", "--prefix", "--cwd", "-w", "--workspace", "--filter", "-F", "--loglevel", "--use")


def _package_manager(name: str) -> Callable[[List[Word]], Optional[Found]]:
    def find_script(args: List[Word]) -> Optional[Found]:
        options, rest, directory = _split(args, _PACKAGE_VALUES)
        if name == "yarn" and rest and rest[0].text in ("workspace", "workspaces"):
            inner = rest[1:] if len(rest) > 1 and rest[1].text == "foreach" else rest
            after = _after_options(
                inner[2 if rest[0].text == "workspace" else 1 :], ("--include", "--exclude"), Started([])
            )
            after = after[1:] if after and after[0].text in ("foreach", "run") else after
            options, rest = [*options, *rest[: len(rest) - len(after)]], after
        if name == "npm" and _value_of("--prefix", rest):
            directory, rest = _value_of("--prefix", rest), _without("--prefix", rest)
        if not rest:
            return None
        verb = rest[0].text
        if verb in ("run", "run-script"):
            more, rest, deeper = _split(rest[1:], _PACKAGE_VALUES)
            options, directory = [*options, *more], deeper if deeper != "." else directory
            found = _script(name, rest)
        elif verb in ("test", "t", "tst", "it", "install-test"):
            found = _script(name, [plain_word("test"), *rest[1:]])
        elif name == "npm":
            return None
        else:
            found = find(rest) if base_name(verb) in _DIRECT or verb in _TOOLS else _script(name, rest)
        if found:
            found.directory = directory
            found.keeps_going = any(w.text in ("--if-present", "--no-bail") for w in [*options, *found.args])
            told = _telling_options(options, _PACKAGE_VALUES)
            found.env.update({"packages ": " ".join(told)} if told else {})
        return found

    return find_script


def _script(manager: str, words: List[Word]) -> Optional[Found]:
    """A script of package.json whose name says that it tests."""
    if not words or not _is_test_name(words[0].text):
        return None
    return Found(manager + " run", None, words)


def _is_test_name(text: str) -> bool:
    """`test`, `test:unit`, `unit-tests`, `spec`, `check`: a target that runs tests by its name."""
    name = text.lower().replace("_", "-").replace(":", "-").replace(".", "-").replace("/", "-")
    parts = name.split("-")
    return any(
        p
        in (
            "test",
            "tests",
            "spec",
            "specs",
            "check",
            "verify",
            "unittest",
            "unittests",
            "testall",
            "vitest",
            "jest",
            "pytest",
            "mocha",
            "phpunit",
            "nextest",
            "e2e",
            "ci",
            "validate",
        )
        for p in parts
    )


def _has_test_word(words: List[Word]) -> bool:
    return any(_is_test_name(w.text) for w in words if w.text[:1] != "-")


def _targets(
    tool: str, values: Tuple[str, ...], runners: Optional[Tuple[str, ...]] = None
) -> Callable[[List[Word]], Optional[Found]]:
    """`make test`, `just test`, `rake spec`: a program that is given targets."""

    def find_target(args: List[Word]) -> Optional[Found]:
        started = Started([])
        texts, at = [], 0
        while at < len(args):
            text = args[at].text
            if text in values:
                if text in _DIRECTORY_OPTIONS and at + 1 < len(args):
                    started.directory = args[at + 1].text
                at += 2
                continue
            if text[:1] != "-" and "=" not in text:
                texts.append(args[at])
            at += 1
        if not _has_test_word(texts):
            return None
        found = Found(tool, runners, args)
        found.directory = started.directory
        found.keeps_going = tool == "make" and any(w.text in ("-i", "--ignore-errors") for w in args)
        return found

    return find_target


def _maven(args: List[Word]) -> Optional[Found]:
    texts = [w.text for w in args]
    phases = ("test", "verify", "package", "install", "integration-test", "deploy")
    if not any(t in phases or t.startswith(("surefire:", "failsafe:")) or ":test" in t for t in texts):
        return None
    found = Found("maven", ("maven",), args)
    ignored = (
        "-fn",
        "--fail-never",
        "-Dmaven.test.failure.ignore",
        "-Dmaven.test.failure.ignore=true",
        "-DtestFailureIgnore=true",
    )
    found.keeps_going = any(t in ignored for t in texts)
    if any(t in texts for t in ("-f", "--file")):
        at = texts.index("-f") if "-f" in texts else texts.index("--file")
        path = texts[at + 1] if at + 1 < len(texts) else "."
        found.directory = (path.rpartition("/")[0] or ".") if path.endswith(".xml") else path
    return found


def _gradle(args: List[Word]) -> Optional[Found]:
    started = Started([])
    texts, at = [], 0
    while at < len(args):
        text = args[at].text
        if text in ("-p", "--project-dir") and at + 1 < len(args):
            started.directory = args[at + 1].text
        if text in ("-p", "--project-dir", "-x", "--exclude-task", "--tests", "-b", "-c", "-I", "-g"):
            at += 2
            continue
        if text[:1] != "-":
            texts.append(text.rpartition(":")[2])
        at += 1
    if not any("test" in t.lower() or t in ("check", "build", "buildNeeded") for t in texts):
        return None
    if not any("test" in t.lower() for t in texts) and "test" in [w.text for w in args if w.text not in texts]:
        return None  # build -x test
    found = Found("gradle", ("gradle",), args)
    found.directory = started.directory
    return found


def _node(args: List[Word]) -> Optional[Found]:
    options, rest, _ = _split(
        args, ("--import", "--require", "-r", "--loader", "--experimental-loader", "-e", "--eval", "-p")
    )
    texts = [w.text for w in options]
    if any(t == "--test" or t.startswith("--test-") for t in texts):
        return Found("node", ("node",), args)
    if not rest or any(t in ("-e", "--eval", "-p", "--print", "--check", "-c") for t in texts):
        return None
    path = rest[0].text.replace("\\", "/")
    name = path.rpartition("/")[2].partition(".")[0]
    if "node_modules/" in path and name in _DIRECT:
        return _direct(name, rest[1:])
    file_name = path.rpartition("/")[2]
    if (
        ".test." in file_name
        or ".spec." in file_name
        or _is_test_name(file_name.partition(".")[0])
        or "/test/" in "/" + path
    ):
        return Found("node script", ("node", "tap", "mocha"), rest)
    return None


def _python(args: List[Word]) -> Optional[Found]:
    """A script: Django's `manage.py test`, `setup.py test`, a test file, a runner's own file."""
    _, rest, _ = _split(args, ("-W", "-X", "-c"))
    if not rest or any(w.text == "-c" for w in args[: len(args) - len(rest)]):
        return None
    name = base_name(rest[0].text)
    if name in ("pytest", "py.test"):
        return _direct(name, rest[1:])
    if name in ("manage.py", "setup.py", "runtests.py"):
        wanted = name == "runtests.py" or (len(rest) > 1 and rest[1].text == "test")
        return Found("python " + name, ("unittest", "pytest"), rest[1:]) if wanted else None
    if name.endswith(".py") and (name.startswith("test_") or name[:-3].endswith(("_test", "_tests"))):
        return Found("python script", ("unittest", "pytest"), rest)
    if "::" in rest[0].text:
        return None
    return (
        Found("python script", ("unittest", "pytest"), rest)
        if name in ("tests.py", "test.py", "run_tests.py")
        else None
    )


def _django(args: List[Word]) -> Optional[Found]:
    """`./manage.py test`, `django-admin test`, `python -m django test`."""
    wanted = [w.text for w in args[:1]] == ["test"]
    return Found("python manage.py", ("unittest", "pytest"), args[1:]) if wanted else None


def _ruby(args: List[Word]) -> Optional[Found]:
    _, rest, _ = _split(args, ("-I", "-r", "-e", "-C"))
    if any(w.text == "-e" for w in args) and not any("test" in w.text for w in args if w.text.startswith(("-I", "-e"))):
        return None
    if any(w.text in ("-S",) for w in args) and rest:
        return find(rest)
    files = [w.text for w in rest] or [w.text for w in args if w.text.startswith("-e")]
    tests = any(w.text.startswith("-I") and ("test" in w.text or "spec" in w.text) for w in args)
    if files and (tests or files[0].endswith(("_test.rb", "_spec.rb")) or "/test_" in "/" + files[0]):
        return Found("ruby", ("minitest",), rest)
    return None


def _php(args: List[Word]) -> Optional[Found]:
    _, rest, _ = _split(args, ("-d", "-c"))
    if not rest:
        return None
    name = base_name(rest[0].text)
    if name in ("phpunit", "phpunit.phar", "paratest"):
        return Found("phpunit", ("phpunit",), rest[1:])
    if name in ("artisan",) and len(rest) > 1 and rest[1].text == "test":
        return Found("artisan", ("phpunit",), rest[2:])
    return find(rest) if name in ("composer", "composer.phar") else None


def _dotnet(args: List[Word]) -> Optional[Found]:
    if not args or args[0].text not in ("test", "vstest", "run"):
        return None
    if args[0].text == "run" and not _runs_test_project(args[1:]):
        return None
    return Found("dotnet", ("dotnet",), args[1:])


def _runs_test_project(args: List[Word]) -> bool:
    """`dotnet run --project App.Tests`: xunit v3 and other test projects are programs."""
    names = [w.text.partition("=")[2] or w.text for w in args[:4]]
    return any(_is_test_name(n.rstrip("/").replace("\\", "/").rpartition("/")[2]) for n in names if n[:1] != "-")


def _playwright(args: List[Word]) -> Optional[Found]:
    return Found("playwright", ("playwright",), args[1:]) if args and args[0].text == "test" else None


def _wrapper(
    tool: str, verbs: Tuple[str, ...] = (), runners: Optional[Tuple[str, ...]] = None
) -> Callable[[List[Word]], Optional[Found]]:
    """A tool that runs other runners (`tox`, `turbo test`): with verbs, only after one of them."""

    def find_verb(args: List[Word]) -> Optional[Found]:
        words = [w for w in args if w.text[:1] != "-"]
        texts = [w.text for w in words]
        if verbs and not any(_is_test_name(t) or t in verbs for t in texts[:1]):
            return None
        if verbs and texts[0] in verbs and texts[0] not in ("test", "affected:test") and not _named_test(args):
            return None
        found = Found(tool, runners, args)
        found.keeps_going = any(w.text in ("--no-bail", "--nxBail=false", "--continue=always") for w in args)
        return found

    return find_verb


def _named_test(args: List[Word]) -> bool:
    return any(
        _is_test_name(p)
        for w in args
        for p in w.text.replace("=", " ").replace(",", " ").split()[-1:] + w.text.split(":")[1:]
    )


def _by_path(words: List[Word]) -> Optional[Found]:
    """A program of the repository: `./run_tests.sh`, `bin/test`, `./build/units_test`."""
    path = words[0].text
    if base_name(path) == "manage.py":
        return _django(words[1:])
    if "/" not in path:
        if base_name(path) in _SHELLS:
            files = [w for w in words[1:] if w.text[:1] not in ("-", "+")]
            if files and _is_test_name(files[0].text.rpartition("/")[2].partition(".")[0]):
                return Found("script", None, files)
        return None
    if _is_test_name(path.rpartition("/")[2].partition(".")[0]) or any(w.text.startswith("--gtest_") for w in words):
        return Found("script", None, words)
    return None


_TOOLS: Dict[str, Callable[[List[Word]], Optional[Found]]] = {
    "go": _verb_tool("go", "go", ("test",)), "cargo": _cargo, "deno": _deno, "bun": _bun,
    "npm": _package_manager("npm"), "pnpm": _package_manager("pnpm"), "yarn": _package_manager("yarn"),
    "mix": _verb_tool("mix", "mix", ("test",)), "playwright": _playwright, "dotnet": _dotnet,
    "make": _targets("make", ("-C", "-f", "-j", "-o", "-W", "--directory", "--file")),
    "gmake": _targets("make", ("-C", "-f", "-j", "--directory", "--file")),
    "ninja": _targets("ninja", ("-C", "-f", "-j")), "cmake": _targets("cmake", ("--build", "-j", "--config")),
    "meson": _targets("meson", ("-C",)), "just": _targets("just", ("-f", "--justfile", "-d")),
    "task": _targets("task", ("-d", "-t")), "mage": _targets("mage", ("-d",)), "poe": _targets("poe", ("-C",)),
    "rake": _targets("rake", ("-f", "-j", "-C"), ("minitest", "rspec")), "invoke": _targets("invoke", ("-c",)),
    "inv": _targets("invoke", ("-c",)), "rails": _targets("rails", (), ("minitest", "rspec")),
    "composer": _targets("composer", ("-d", "--working-dir"), ("phpunit",)),
    "mvn": _maven, "mvnw": _maven, "mvnd": _maven, "gradle": _gradle, "gradlew": _gradle,
    "node": _node, "tsx": _node, "ts-node": _node, "python": _python, "py": _python, "ruby": _ruby, "php": _php,
    "django": _django, "django-admin": _django, "mise": _wrapper("mise", ("run",)), "tox": _wrapper("tox"),
    "nox": _wrapper("nox"), "hatch": _wrapper("hatch", ("test", "run")),
    "nx": _wrapper("nx", ("test", "run", "run-many", "affected", "affected:test")),
    "turbo": _wrapper("turbo", ("test", "run")), "lerna": _wrapper("lerna", ("test", "run")),
    "moon": _wrapper("moon", ("run",)), "rush": _wrapper("rush", ("test",)), "wireit": _wrapper("wireit", ("test",)),
    "pdm": _wrapper("pdm", ("test", "run")), "react-scripts": _wrapper("react-scripts", ("test",), ("jest",)),
    "craco": _wrapper("craco", ("test",), ("jest",)),
    "vue-cli-service": _wrapper("vue", ("test:unit",), ("jest", "mocha")),
    "wp-scripts": _wrapper("wp-scripts", ("test-unit-js",), ("jest",)), "trial": _wrapper("trial", (), ("unittest",)),
}  # fmt: skip
