"""The composition root of the hooks: routes an event, and fails silent and safe.

Answers one JSON object on stdout or nothing; always exits 0. What went wrong is kept for `doctor`.
"""

from __future__ import annotations

import gc
import json
import os
import time

from flaky_memory import command, fingerprint, gate, git, payload
from flaky_memory.model import Outcome
from flaky_memory.repository import find_repository, located
from flaky_memory.store import Store, Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

    from flaky_memory.command import Command, Invocation
    from flaky_memory.payload import Call, Expansion
    from flaky_memory.repository import Repository


def run(data: bytes, environ: Mapping[str, str]) -> int:
    """Handle one event. Never raises; always 0."""
    gc.disable()  # the process ends before garbage matters, and a look for it costs a third of a large store
    try:
        event = json.loads(data.decode("utf-8", "replace"))
        answer = handle(event, environ, time.time()) if isinstance(event, dict) else None
        if answer is not None:
            gate.write(json.dumps(answer).encode("ascii") + b"\n")
    except Exception:
        return 0  # a hook that fails must not be felt; faults with a repository are logged in handle()
    return 0


def handle(event: Dict[str, Any], environ: Mapping[str, str], now: float) -> Optional[Dict[str, Any]]:
    """The answer to one event, None for silence."""
    if event.get("hook_event_name") == "UserPromptExpansion":
        expansion = payload.read_expansion(event)
        return _expanded(expansion, now) if expansion else None
    call = payload.read_call(event)
    return follow(call, environ, now).answer if call else None


def follow(call: Call, environ: Mapping[str, str], now: float) -> Outcome:
    """What an event of a call comes to. The decision on a call that ended is logged here."""
    meant = command.read(call.command, call.powershell)
    if not meant.runs_tests:
        return Outcome(command.NO_TESTS)
    store, detail = None, ""
    try:
        place = _place(call.directory, meant)
        if call.event == "PreToolUse":
            store = Store(place[0].common) if place else None
            return Outcome(_before(call, meant, place, environ, now))
        store, pending = _take(call, place, environ)
        if store is None or pending is None:
            return Outcome("")  # nothing was kept, or another delivery of this event took it
        outcome = _after(call, meant, store, pending, environ, now)
    except Exception as problem:
        outcome, detail = Outcome(_problem_code(problem)), type(problem).__name__  # its text may hold a command's
    if store is not None:
        store.log(outcome.decision, now, detail, by_client=bool(call.session))
    return outcome


def _problem_code(problem: Exception) -> str:
    from flaky_memory.lock import Busy

    if isinstance(problem, Unusable):
        return str(problem)
    return "busy" if isinstance(problem, Busy) else "unwritable" if isinstance(problem, OSError) else "fault"


# -- where


def _place(session_directory: str, meant: Command) -> Optional[Tuple[Repository, List[str]]]:
    """The repository that the tests belong to, and the directories whose settings count: where the
    tests start and what they are given. None when that is no repository, or more than one."""
    own = find_repository(session_directory)
    top = own.top if own else None
    found = [located(session_directory, top, i.directory) for i in meant.invocations]
    directories = sorted({d for d in found if d is not None})
    repositories = {find_repository(d) or (None if meant.makes_trees else _within(own, d)) for d in directories}
    if len(repositories) != 1 or None in repositories:
        return None
    repository = repositories.pop()
    if repository is None:
        return None
    places = {p for d, i in zip(found, meant.invocations) if d is not None for p in _named_places(d, i)}
    return repository, sorted({*directories, *places})


def _within(own: Optional[Repository], directory: str) -> Optional[Repository]:
    """The session's repository for a directory in it that the command makes first (`mkdir build && cd build`)."""
    return own if own and directory.startswith(own.top + os.sep) and not os.path.exists(directory) else None


def _named_places(directory: str, invocation: Invocation) -> List[str]:
    """The folders of the files that a runner is given: their settings count too."""
    paths = [w.text.partition("::")[0] for w in invocation.args if "/" in w.text and w.text[:1] not in "-/"]
    return [os.path.dirname(os.path.normpath(os.path.join(directory, p, "x"))) for p in paths[:20]]


def _leftovers(meant: Command, repository: Repository, session_directory: str) -> Set[str]:
    """The files that the command's runs write, relative to the top."""
    found = set()
    for path in meant.leftovers:
        full = os.path.normpath(os.path.join(session_directory, path))
        if full.startswith(repository.top + os.sep):
            found.add(full[len(repository.top) + 1 :])
    return found


# -- before


def _before(
    call: Call, meant: Command, place: Optional[Tuple[Repository, List[str]]], environ: Mapping[str, str], now: float
) -> str:
    """Keep the state of the tree for the call's end; "" or why it was not kept."""
    if place is None:
        return "no-repository"
    repository, directories = place
    store = Store(repository.common)
    if not store.enabled:
        return "off"
    store.sweep_pending(now)
    if not store.claim_pending(call.id):
        return ""
    state = {"directory": call.directory, "problem": meant.reason or ""}
    if not meant.reason:
        leftovers = _leftovers(meant, repository, call.directory)
        tree, state["problem"] = git.tree_state(repository, directories, leftovers, environ)
        if tree:
            state.update(code=tree.code, data=tree.data, edited=_edited(store, repository.top, tree.data))
    store.put_pending(call.id, state)
    return ""


def _edited(store: Store, top: str, data: str) -> str:
    """The fingerprint of the untracked data files as somebody last edited them. What differs from
    what the last run left was edited; what a run leaves is its own."""
    left, edited = store.data_left(top)
    if data != left:
        edited = data
        store.keep_data(top, data, edited)
    return edited


# -- after


def _take(
    call: Call, place: Optional[Tuple[Repository, List[str]]], environ: Mapping[str, str]
) -> Tuple[Optional[Store], Optional[Dict[str, Any]]]:
    """What PreToolUse kept for this call. The session's directory may have moved with the command,
    even to another repository, so those of where it is now and of where it began are asked too."""
    folders = [call.directory, environ.get("CLAUDE_PROJECT_DIR", "")]
    repositories = [place[0] if place else None, *(find_repository(f) for f in folders if f)]
    for common in dict.fromkeys(r.common for r in repositories if r):
        store = Store(common)
        pending = store.take_pending(call.id)
        if pending is not None:
            return store, pending
    return None, None


def _after(
    call: Call, meant: Command, store: Store, pending: Dict[str, Any], environ: Mapping[str, str], now: float
) -> Outcome:
    directory = pending.get("directory")
    place = _place(directory, meant) if isinstance(directory, str) else None
    problem = call.skipped or str(pending.get("problem") or "")
    if not problem and (place is None or not store.enabled):
        problem = "off" if place else "no-repository"
    if not problem and place is not None and Store(place[0].common).folder != store.folder:
        problem = command.NOWHERE  # the command made a repository there
    tree = ""
    if not problem and place is not None and isinstance(directory, str):
        leftovers = _leftovers(meant, place[0], directory)
        after, problem = git.tree_state(place[0], place[1], leftovers, environ)
        if after:
            problem = _changed(meant, pending, after)
            tree = _tree(store, place[0].top, meant, pending, after)
    from flaky_memory import record

    if problem or place is None or not isinstance(directory, str):
        return Outcome(problem or "git-failed", record.closings_only(call, store, now))
    return record.record(call, meant, store, record.Place(place[0].top, directory, tree), now)


def _changed(meant: Command, before: Dict[str, Any], after: git.Tree) -> str:
    """Why the run belongs to neither tree: "" when it belongs to the tree afterwards."""
    return "" if meant.changes_before or before.get("code") == after.code else "changed-meanwhile"


def _tree(store: Store, top: str, meant: Command, before: Dict[str, Any], after: git.Tree) -> str:
    """The fingerprint of what the run ran on. Data files that the command changed before its tests
    are edits like any other."""
    edited = str(before.get("edited") or "")
    if meant.changes_before and after.data != before.get("data"):
        edited = after.data
    if (after.data, edited) != store.data_left(top):
        store.keep_data(top, after.data, edited)
    return fingerprint.fingerprint([after.code.encode(), edited.encode()]) if edited else after.code


# -- the slash command


def _expanded(expansion: Expansion, now: float) -> Dict[str, Any]:
    from flaky_memory import slash

    return {
        "decision": "block",
        "reason": slash.answer(expansion.arguments, expansion.directory, now)[1],
        "hookSpecificOutput": {"hookEventName": "UserPromptExpansion", "suppressOriginalPrompt": True},
    }
