"""`doctor`: is everything in place and recording? For people; never shows a command's text."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time

from flaky_memory import __version__, git, message, settings, slash
from flaky_memory.model import NamedTuple
from flaky_memory.repository import find_repository
from flaky_memory.store import Store, Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Mapping, Optional

    from flaky_memory.listing import Screen
    from flaky_memory.repository import Repository

DECISIONS = 10
PATIENCE = 5  # seconds for another program to tell its version
# The decisions that are no fault of the command's.
_FAULTS = ("damaged", "newer-store", "unreadable-store", "busy", "unwritable", "fault")


class Check(NamedTuple):
    """One line: what was looked at, whether that is as it should be (None: neither), what was found, and
    what to do about it."""

    name: str
    well: Optional[bool]
    found: str
    advice: str = ""


def run(screen: Screen) -> int:
    """Print the checks and the latest decisions; 0 when all is well, else 1."""
    repository = find_repository(os.getcwd())
    store = Store(repository.common) if repository else None
    decisions = store.decisions()[-DECISIONS:] if store else []
    checks = [Check(message.PROGRAM, True, __version__), _python(), _hook_python(os.environ), _git(os.environ)]
    checks += [_plugin(os.environ, repository, any(by_client for *_, by_client in decisions)), _repository(repository)]
    checks += _stored(store) if store else []
    checks += _latest(decisions)
    checks.append(_panel(os.environ))
    well = all(c.well is not False for c in checks)
    lines = [message.check(*c, screen.colours) for c in checks]
    now = time.time()
    if store:
        lines += ["", message.decisions([(now - at, code, _shown(code, detail)) for at, code, detail, _ in decisions])]
    print("\n".join(lines))
    return slash.OK if well else slash.CANNOT


def _shown(code: str, detail: str) -> str:
    """The part of a logged detail that cannot hold anything of a command: of a fault only its kind."""
    return detail.partition(":")[0] if code == "fault" else detail


def _python() -> Check:
    return Check("Python", True, f"{platform.python_version()} ({sys.executable})")


def _hook_python(environ: Mapping[str, str]) -> Check:
    """The hooks start `python3`, whatever this program was started by."""
    if os.name == "nt":
        return Check("python3", None, "not looked for on Windows")
    found = _output(["python3", "-I", "-S", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"], environ)
    if found is None:
        return Check("python3", False, message.NO_PYTHON3, message.ADVICE_PYTHON3)
    version = tuple(int(n) for n in found.split(".") if n.isdigit())
    return Check("python3", version >= (3, 9), found, "" if version >= (3, 9) else message.ADVICE_PYTHON3)


def _output(argv: List[str], environ: Mapping[str, str]) -> Optional[str]:
    """What a program prints of itself, None when it cannot be asked."""
    try:
        done = subprocess.run(argv, capture_output=True, timeout=PATIENCE, env=dict(environ), cwd=os.sep)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _git(environ: Mapping[str, str]) -> Check:
    path = git.find_git(environ)
    found = _output([path, "--version"], environ) if path else None
    if path is None or found is None:
        return Check("git", False, message.NO_GIT, message.ADVICE_GIT)
    return Check("git", True, f"{found.replace('git version ', '')} ({path})")


def _plugin(environ: Mapping[str, str], repository: Optional[Repository], hooked: bool) -> Check:
    """Registered with the client? That they have run here proves it as well as its settings do."""
    plugin = settings.find_plugin(environ, repository.top if repository else None)
    if plugin.disabled and not plugin.enabled:
        return Check("hooks", False, message.plugin_disabled(plugin.disabled[0]), message.ADVICE_ENABLE)
    if plugin.enabled:
        version = plugin.version or __version__
        return Check("hooks", True, message.plugin_enabled(plugin.enabled[0], version, version != __version__))
    if hooked:
        return Check("hooks", True, message.HOOKS_SEEN)
    return Check("hooks", False, message.NO_HOOKS, message.ADVICE_INSTALL)


def _repository(repository: Optional[Repository]) -> Check:
    if repository is None:
        return Check("repository", False, message.NOT_A_REPOSITORY)
    return Check("repository", True, message.printable(repository.top))


def _stored(store: Store) -> List[Check]:
    on = store.enabled
    checks = [Check("recording", on, message.switched(on), "" if on else message.ADVICE_ON)]
    try:
        memory = store.load()
        well, found, advice = True, message.stored(store.size, len(memory.tests)), ""
    except Unusable as problem:
        well, found, advice = False, message.cannot(str(problem)), message.ADVICE_STORE
    if well and not _writable(store.folder):
        well, found, advice = False, message.UNWRITABLE, ""
    checks.append(Check("store", well, found, advice))
    kept = store.kept_aside()
    if kept:
        checks.append(Check("kept aside", None, ", ".join(message.printable(name) for name in kept)))
    return checks


def _latest(decisions: List[List[Any]]) -> List[Check]:
    """A check that fails when the latest test command met a fault."""
    if not decisions or decisions[-1][1] not in _FAULTS:
        return []
    _, code, detail, _ = decisions[-1]
    return [Check("latest run", False, message.reason(code, _shown(code, detail)))]


def _writable(folder: str) -> bool:
    """True when the store's folder can be written to, or be made."""
    here = folder if os.path.isdir(folder) else os.path.dirname(folder)
    return not os.path.islink(folder) and os.access(here, os.W_OK | os.X_OK)


def _panel(environ: Mapping[str, str]) -> Check:
    path = os.path.join(settings.folder(environ), "settings.json")
    try:
        document = settings.read(path)
    except (OSError, settings.Unreadable):
        return Check("status line", None, message.unreadable_settings(path))
    if settings.shows_panel(document):
        return Check("status line", True, message.panel_is_set(path))
    return Check("status line", None, message.NO_PANEL, settings.snippet(document))
