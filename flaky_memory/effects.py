"""What the rest of a command that runs tests does to the code and to the output.

Only needed once a command is known to run tests, so the gate never imports it. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Tuple

    from flaky_memory.shell import Word


def report_paths(args: List[Word]) -> List[str]:
    """The files that report options of the runners name: `--junitxml=report.xml`, `-coverprofile c.out`."""
    paths, texts = [], [w.text for w in args]
    for at, text in enumerate(texts):
        name, equals, value = text.partition("=")
        if name.lstrip("-") not in _REPORT_OPTIONS or not name.startswith("-"):
            continue
        if not equals:
            value = texts[at + 1] if at + 1 < len(texts) else ""
        paths.append(value.rpartition(":")[2])
    return [p for p in paths if p and p[:1] != "-"]


_REPORT_OPTIONS = (
    "junitxml", "junit-xml", "html", "json-report-file", "report-log", "resultlog", "coverprofile", "cpuprofile",
    "memprofile", "blockprofile", "mutexprofile", "trace", "outputFile", "output-file", "log-junit", "log-teamcity",
    "testdox-html", "testdox-text", "coverage-html", "coverage-clover", "coverage-xml", "coverage-text", "cov-report",
    "out", "o", "output", "output-junit", "jsonfile", "junitfile", "junit-path", "coverageDirectory", "log-file",
    "reporter-option", "reporter-options", "test-reporter-destination", "results-directory", "gtest_output",
)  # fmt: skip

# -- other programs

PRINTERS = (
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "tac",
    "nl",
    "bat",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "sed",
    "awk",
    "type",
)
_PATTERN_FIRST = ("grep", "egrep", "fgrep", "rg", "sed", "awk")


_TEMPORARY = "/tmp/"  # noqa: S108 (a path to recognise, nothing is written there)


def printed_files(name: str, texts: List[str]) -> List[str]:
    """The files that a printing program is given."""
    files = [t for t in texts if t[:1] != "-" and not t.isdigit()]
    return files[1:] if name in _PATTERN_FIRST else files


# Programs that fetch what another machine, container or run printed, after one of these words.
_FETCHERS: Dict[str, Tuple[str, ...]] = {
    "gh": ("run",), "glab": ("ci", "job", "pipeline"), "docker": ("logs",), "podman": ("logs",),
    "docker-compose": ("logs",), "kubectl": ("logs",), "oc": ("logs",), "journalctl": ("",), "heroku": ("logs",),
}  # fmt: skip


def fetches_output(name: str, texts: List[str]) -> bool:
    """True for a program that prints what ran elsewhere."""
    words = [t for t in texts if t[:1] != "-"]
    words = words[1:] if words[:1] == ["compose"] else words
    return any((words or [""])[0].startswith(w) for w in _FETCHERS.get(name, ()))


def looks_like_output(path: str) -> bool:
    """True for a file that may well hold the output of an earlier run."""
    return path.endswith((".log", ".txt", ".out", ".output")) or (path.startswith(_TEMPORARY) and "." not in path[5:])


def outside(path: str) -> bool:
    """True for a target that is surely not in a working tree."""
    return path.startswith(("/dev/", _TEMPORARY, "/var/", "/private/", "/proc/")) or path in ("1", "2", "-")


# Programs that leave the code as it is, whatever their arguments.
_QUIET = frozenset(
    (
        "echo printf cat head tail less more tac nl bat grep egrep fgrep rg ag ls ll tree pwd true false test "
        "[ wc sort uniq cut tr date sleep which type whoami env printenv read source . diff cmp comm stat "
        "file du df free seq expr basename dirname realpath readlink tput clear history jobs uname id "
        "hostname ps kill pkill pgrep killall lsof wait exit return break continue mkdir rmdir jq man bc "
        "nproc ulimit umask time column fold paste xxd od hexdump strings sha256sum md5sum shasum docker "
        "docker-compose podman kubectl ssh ping nc redis-cli psql mysql systemctl service open say tee xargs "
        "yes mypy pyright pylint flake8 shellcheck tokei cloc gh timeout lsb_release sw_vers nvm fnm pyenv "
        "rbenv rustup sdk uptime top tmux osascript exec local declare "
    ).split()
)
# Programs that leave it as it is unless one of these arguments stands there.
_QUIET_UNLESS: Dict[str, Tuple[str, ...]] = {
    "sed": ("--in-place",), "awk": ("-i",), "perl": ("-i", "-pi", "-p", "-e"),
    "find": ("-delete", "-exec", "-execdir"),
    "yq": ("-i", "--inplace"), "curl": ("-o", "-O", "--output", "--remote-name"), "eslint": ("--fix",),
    "ruff": ("format", "--fix"), "black": ("",), "tsc": ("",),
}  # fmt: skip
# Programs that leave it as it is after these words.
_QUIET_VERBS: Dict[str, Tuple[str, ...]] = {
    "git": ("status", "log", "diff", "show", "rev-parse", "branch", "ls-files", "describe", "blame", "remote", "fetch",
            "grep", "cat-file", "rev-list", "shortlog", "reflog", "config", "ls-tree",
            "merge-base", "version", "name-rev"),
    "go": ("build", "vet", "env", "version", "list", "doc", "clean"),
    "cargo": ("build", "check", "clippy", "version", "tree", "metadata", "b", "c", "doc"),
    "pip": ("list", "show", "freeze", "check"), "npm": ("ls", "list", "view", "root", "prefix", "config", "outdated"),
    "tsc": ("--noEmit",), "black": ("--check",), "python": ("--version", "-V"), "node": ("--version", "-v"),
    "rustc": ("--version",), "java": ("-version", "--version"), "ruby": ("--version", "-v"), "php": ("-v", "--version"),
}  # fmt: skip


def may_change(name: str, texts: List[str]) -> bool:
    """True for a program that may change the code: all but the ones known not to."""
    if name == "git" and texts[:1] == ["-C"]:
        texts = texts[2:]
    if name == "git" and texts[:2] in (["stash", "list"], ["stash", "show"], ["worktree", "list"]):
        return False
    if name in _QUIET_VERBS and any(t in _QUIET_VERBS[name] for t in texts[:1]):
        return False
    if name in ("sed", "gsed") and any(_in_place(t) for t in texts):
        return True
    if name in _QUIET_UNLESS:
        return any(t.startswith(o) for t in texts for o in _QUIET_UNLESS[name])
    if name in ("rm", "cp", "mv", "touch", "chmod", "ln", "install", "rsync", "dd"):
        return _touches_tree(name, [t for t in texts if t[:1] != "-"])
    return name not in _QUIET and name not in _QUIET_VERBS or name in _QUIET_VERBS


def _in_place(option: str) -> bool:
    """`-i`, `-i.bak`, `-Ei`, `-n -i`: sed's short options written together."""
    return option[:1] == "-" and option[1:2] != "-" and "i" in option[1:].partition("e")[0]


def _touches_tree(name: str, paths: List[str]) -> bool:
    """A copy changes its target, the others everything they name."""
    changed = paths[-1:] if name in ("cp", "rsync", "install", "ln") else paths
    return not changed or not all(outside(p) for p in changed)
