"""The words of `/flaky-memory`, for the slash command and the command line alike."""

from __future__ import annotations

import time

from flaky_memory import history, listing, message, record, sessions
from flaky_memory.listing import Screen
from flaky_memory.model import EXIT, GREEN_BEFORE, NAMED, SUMMARY
from flaky_memory.repository import find_repository
from flaky_memory.store import Store, Unusable
from flaky_memory.verdict import WINDOW_DAYS, by_width, second_opinion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

    from flaky_memory.model import Known, Memory, TestId

    Answer = Tuple[int, str]

# Exit statuses, as for any command: done, "cannot", wrong use.
OK, CANNOT, WRONG_USE = 0, 1, 2

# In a terminal of 80 columns the client wraps an answer behind 70.
CLIENT = Screen(width=70, height=20, whole="/flaky-memory status --all")


def answer(arguments: str, directory: str, now: float) -> Answer:
    """(exit status, text) of what a person typed behind `/flaky-memory`. Raises nothing that a store
    can cause."""
    words = arguments.split(None, 1)
    verb, rest = (words[0] if words else "status"), (words[1].strip() if len(words) > 1 else "")
    if verb == "--all" and not rest:
        verb, rest = "status", verb
    if verb == "status" and rest == "--all":
        return perform("status", "", directory, now, CLIENT._replace(height=0))
    return perform(verb, rest, directory, now, CLIENT)


def perform(verb: str, rest: str, directory: str, now: float, screen: Screen) -> Answer:
    """One command; `rest` is a test in any form that means it, or "". As answer() in all else."""
    takes_test = verb in ("show", "reset")
    if verb not in _VERBS or (rest and not takes_test) or (verb == "show" and not rest):
        return WRONG_USE, message.USAGE
    repository = find_repository(directory)
    if repository is None:
        return CANNOT, message.NOT_A_REPOSITORY
    return guarded(lambda: _VERBS[verb](Store(repository.common), rest, now, screen))


def guarded(act: Callable[[], Answer]) -> Answer:
    """The answer of an act on a store, or why the store does not allow it."""
    try:
        return act()
    except Unusable as problem:
        return CANNOT, message.cannot(str(problem))
    except OSError as problem:
        return CANNOT, message.problem(str(problem))


def _switch_on(store: Store, rest: str, now: float, screen: Screen) -> Answer:
    store.enable(True)
    return OK, message.switched(True)


def _switch_off(store: Store, rest: str, now: float, screen: Screen) -> Answer:
    store.enable(False)
    return OK, message.switched(False)


# -- the list


def _status(store: Store, rest: str, now: float, screen: Screen) -> Answer:
    """The list, behind the closings that are due."""
    memory, closed = _settled(store, now)
    ids = message.shown_ids(memory.tests)
    rows = [listing.Row(ids[k.id], verdict, now - _last_failure(k)) for k, verdict in history.flaky_tests(memory)]
    text = listing.status(store.enabled, len(memory.tests), rows, screen)
    if closed:
        sessions.close(store.folder, closed, now)
        text = message.closings([shown for _, shown in closed]) + "\n" + text
    return OK, text


def _settled(store: Store, now: float) -> Tuple[Memory, List[Tuple[TestId, str]]]:
    """What is stored, and the closings that are due; none where the store cannot be written, since
    they would be given out again."""
    try:
        return record.settle(store, now)
    except OSError:
        return _current(store, now), []


def _current(store: Store, now: float) -> Memory:
    """What is stored, without what left the window."""
    memory = store.load()
    history.prune(memory, now)
    return memory


def _last_failure(known: Known) -> int:
    """When a test failed last, in seconds since the epoch."""
    return max((r.time for r in known.runs if not r.passed), default=0)


def status_document(store: Store, repository: str, now: float) -> Dict[str, Any]:
    """`status --json`. It announces no closing: nobody might read it. Raises Unusable."""
    memory = _current(store, now)
    ids = message.shown_ids(memory.tests)
    return {
        "enabled": store.enabled, "repository": repository, "window_days": WINDOW_DAYS, "seen": len(memory.tests),
        "tests": [
            {"id": ids[k.id], "runner": k.id.runner, "scope": k.id.scope, "name": k.id.name,
             "failed": v.failed, "runs": v.runs, "same_code": v.same_code}
            for k, v in history.flaky_tests(memory)
        ],
    }  # fmt: skip


# -- one test


def _show(store: Store, rest: str, now: float, screen: Screen) -> Answer:
    memory = _current(store, now)
    known, problem = find_test(memory, rest, parts=True)
    if known is None:
        return CANNOT, problem
    local = time.strftime("%Y-%m-%d %H:%M", time.localtime(_last_failure(known)))
    return OK, listing.evidence(message.shown_ids(memory.tests)[known.id], known, now, local, screen)


_SOURCE_NAMES = {NAMED: "named", EXIT: "exit", SUMMARY: "summary", GREEN_BEFORE: "before"}


def show_document(store: Store, text: str, now: float) -> Tuple[Optional[Dict[str, Any]], str]:
    """(`show --json`, "") or (None, why it is no single test). Raises Unusable."""
    memory = _current(store, now)
    known, problem = find_test(memory, text, parts=True)
    if known is None:
        return None, problem
    verdict = second_opinion(known.runs, listing.latest_tree(known))
    passes = [_SOURCE_NAMES[r.source] for r in known.runs if r.passed and r.source in _SOURCE_NAMES]
    return {
        "id": message.shown_ids(memory.tests)[known.id], "runner": known.id.runner, "scope": known.id.scope,
        "name": known.id.name, "place": known.place, "failed": verdict.failed, "runs": verdict.runs,
        "same_code": verdict.same_code, "last_failure": _last_failure(known),
        "trees": [
            {"tree": tree, "runs": listing.letters(own), "first": own[0].time, "last": own[-1].time}
            for tree, own in listing.trees(known.runs)
        ],
        "passes": {name: passes.count(name) for name in _SOURCE_NAMES.values()},
        "in_a_row": {"failed": verdict.row, "other_failed": verdict.other.failed,
                     "other_runs": verdict.other.runs,
                     "chance": round(verdict.chance, 6) if verdict.row else None,
                     "probably_real": verdict.probably_real},
        "widths": {message.KINDS.get(w, ""): list(rate) for w, rate in by_width(known.runs).items()},
        "cleared": len(known.cleared),
    }, ""  # fmt: skip


def find_test(memory: Memory, text: str, parts: bool = False) -> Tuple[Optional[Known], str]:
    """The one test that a text means, or why there is none. With `parts` a part that only one test has
    means that test."""
    shown = message.shown_ids(memory.tests)
    for form in dict.fromkeys((text, text.strip(), _unquoted(text.strip()))):
        found = [k for k in memory.tests if form in message.forms(k.id)]
        exact = [k for k in found if form == shown[k.id]]
        found = exact if len(exact) == 1 else found
        if len(found) == 1:
            return found[0], ""
        if found:
            return None, message.ambiguous_test(form, sorted(message.display_id(k.id, True) for k in found))
    part = _unquoted(text.strip()).lower()
    similar = [k for k in memory.tests if part and part in f"{k.id.scope or ''} {k.id.name}".lower()]
    if parts and len(similar) == 1:
        return similar[0], ""
    return None, message.unknown_test(text.strip(), sorted(shown[k.id] for k in similar))


def _unquoted(text: str) -> str:
    """A text without the quotes that a person put around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`" else text


# -- forgetting


def _reset(store: Store, rest: str, now: float, screen: Screen) -> Answer:
    """Forget all runs, or those of one test, without a closing line."""

    def change(memory: Memory) -> Tuple[int, str, str, Optional[List[TestId]]]:
        if not rest:
            count = len(memory.tests)
            memory.tests, memory.greens = [], []
            return OK, message.forgotten(None, count), memory.moved, None
        found, problem = find_test(memory, rest)
        if found is None:
            return CANNOT, problem, memory.moved, []
        shown = message.shown_ids(memory.tests)[found.id]
        history.forget(memory, [found.id])
        return OK, message.forgotten(shown, 1), memory.moved, [found.id]

    status, text, moved, gone = store.update(change)
    sessions.forget(store.folder, gone, now)
    return status, message.moved_aside(moved) + "\n" + text if moved else text


_VERBS: Dict[str, Callable[[Store, str, float, Screen], Answer]] = {
    "status": _status, "show": _show, "reset": _reset, "on": _switch_on, "off": _switch_off,
}  # fmt: skip
