"""The words of `/flaky-memory`, for the slash command and the command line alike."""

from __future__ import annotations

from flaky_memory import history, message
from flaky_memory.repository import find_repository
from flaky_memory.store import Store, Unusable
from flaky_memory.verdict import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional, Tuple

    from flaky_memory.model import Known, Memory

# Exit statuses, as for any command: done, "cannot", wrong use.
OK, CANNOT, WRONG_USE = 0, 1, 2


def answer(arguments: str, directory: str, now: float) -> Tuple[int, str]:
    """(exit status, what to print) of one command. Raises nothing that a store can cause."""
    words = arguments.split(None, 1)
    verb, rest = (words[0] if words else "status"), (words[1].strip() if len(words) > 1 else "")
    if verb not in ("status", "reset", "on", "off", "show") or (rest and verb in ("status", "on", "off")):
        return WRONG_USE, message.USAGE
    if verb == "show" and not rest:
        return WRONG_USE, message.USAGE
    repository = find_repository(directory)
    if repository is None:
        return CANNOT, message.NOT_A_REPOSITORY
    store = Store(repository.common)
    try:
        if verb in ("on", "off"):
            store.enable(verb == "on")
            return OK, message.switched(verb == "on")
        if verb == "reset":
            return reset(store, rest)
        return status(store, now)
    except Unusable as problem:
        return CANNOT, "flaky-memory: " + message.reason(str(problem))
    except OSError as problem:
        return CANNOT, f"flaky-memory: {problem}"


def status(store: Store, now: float) -> Tuple[int, str]:
    """The list, behind the closings that are due."""
    memory, closed = settled(store, now)
    ids = message.shown_ids(memory.tests)
    rows = [(ids[known.id], verdict) for known, verdict in history.flaky_tests(memory)]
    text = message.status(store.enabled, len(memory.tests), rows)
    if closed:
        text = message.closings([message.display_id(t) for t in closed]) + "\n" + text
    return OK, text


def settled(store: Store, now: float) -> Tuple[Memory, List]:  # type: ignore[type-arg]
    """What is stored, without what left the window, and the tests that are no longer flaky."""
    memory = store.load()
    closed = history.prune(memory, now)
    if closed:
        store.update(lambda m: history.prune(m, now))
    return memory, closed


def reset(store: Store, text: str) -> Tuple[int, str]:
    """Forget all runs, or those of one test in any form that means it."""
    if not text:
        def forget_all(memory: Memory) -> int:
            count = len(memory.tests)
            memory.tests, memory.greens = [], []
            return count

        return OK, message.forgotten(None, store.update(forget_all))

    def forget_one(memory: Memory) -> Tuple[int, str]:
        found, problem = find_test(memory, text)
        if found is None:
            return CANNOT, problem
        shown = message.shown_ids(memory.tests)[found.id]
        history.forget(memory, [found.id])
        return OK, message.forgotten(shown, 1)

    return store.update(forget_one)


def find_test(memory: Memory, text: str) -> Tuple[Optional[Known], str]:
    """The one test that a text means, or why there is none."""
    text = text.strip().strip("\"'`")
    found = [k for k in memory.tests if text in message.forms(k.id)]
    exact = [k for k in found if text == message.shown_ids(memory.tests)[k.id]]
    found = exact if len(exact) == 1 else found
    if len(found) == 1:
        return found[0], ""
    if not found:
        return None, message.unknown_test(text)
    return None, message.ambiguous_test(text, sorted(message.display_id(k.id, True) for k in found))


def status_document(store: Store, repository: str, now: float) -> dict:  # type: ignore[type-arg]
    """`status --json`; see the README for its fields."""
    memory, _ = settled(store, now)
    ids = message.shown_ids(memory.tests)
    from flaky_memory.verdict import WINDOW_DAYS

    return {
        "enabled": store.enabled, "repository": repository, "window_days": WINDOW_DAYS, "seen": len(memory.tests),
        "tests": [
            {"id": ids[k.id], "runner": k.id.runner, "scope": k.id.scope, "name": k.id.name,
             "failed": v.failed, "runs": v.runs, "same_code": v.same_code}
            for k in memory.tests for v in [judge(k.runs)] if v.flaky
        ],
    }  # fmt: skip
