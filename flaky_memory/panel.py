"""The words of the status line. Pure. Apart from message.py, whose imports the status line cannot afford."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from flaky_memory.verdict import Verdict

LONGEST, LONGEST_ID = 76, 52  # characters


def entry(shown: str, verdict: Verdict) -> str:
    """A finding in the few words that there is room for."""
    return f"{shortened(shown)} failed {verdict.failed}/{verdict.runs}"


def shortened(shown: str) -> str:
    """A test id without its middle where it is too long."""
    half = LONGEST_ID // 2
    return shown if len(shown) <= LONGEST_ID else shown[:half] + "\u2026" + shown[-half:]


def flaky(entries: Sequence[str]) -> str:
    return "flaky: " + _listed(entries)


def closed(entries: Sequence[str]) -> str:
    return "no longer flaky: " + _listed(entries)


def _listed(texts: Sequence[str]) -> str:
    """As many as make a short line, the rest counted."""
    count, length = 0, 0
    while count < len(texts) and (not count or length + len(texts[count]) <= LONGEST):
        length += len(texts[count])
        count += 1
    more = f" +{len(texts) - count} more" if count < len(texts) else ""
    return ", ".join(texts[:count]) + more
