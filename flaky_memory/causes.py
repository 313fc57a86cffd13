"""Whether many failures in one output have one cause outside the tests. Pure."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern
    from typing import Dict, List, Sequence, Tuple

    from flaky_memory.model import TestId

# What an output says of each cause (keys of message.CAUSES), in the words of operating systems, languages
# and runners.
_SIGNS: Dict[str, Pattern[str]] = {
    "refused": re.compile(
        r"connection refused|ECONNREFUSED|actively refused|connection reset by peer|ECONNRESET"
        r"|could not connect to (?:server|the server|\S+:)|can't connect to",
        re.IGNORECASE,
    ),
    "space": re.compile(
        r"no space left on device|ENOSPC|not enough space on the disk|disk quota exceeded", re.IGNORECASE
    ),
    "missing": re.compile(
        r"ModuleNotFoundError|no module named|cannot find (?:module|package)|MODULE_NOT_FOUND|module not found"
        r"|could not (?:find|resolve) (?:module|package)|command not found|cannot load such file"
        r"|executable file not found|NoClassDefFoundError|ClassNotFoundException|spawn \S+ ENOENT"
        r"|failed to (?:resolve|load) import",
        re.IGNORECASE,
    ),
    "timeout": re.compile(
        r"timed out|time-?out (?:of|exceeded|error|expired)|TimeoutE(?:rror|xception|xpired)|ETIMEDOUT|exceeded timeout"
        r"|deadline exceeded",
        re.IGNORECASE,
    ),
}
MOST_LOOKED_AT = 40  # failing tests
MOST_PLACES = 20  # of one name in the output
LONGEST_PART = 20_000  # characters of one test's part of the output
FEWEST, PART = 3, 0.8  # parts that must show the cause, and their share of those that show anything


def common(text: str, tests: Sequence[TestId]) -> str:
    """The one cause that an output (without colours) gives for nearly all of the tests that failed in it,
    as a key of message.CAUSES; "" for none.

    Runners print a test's name around what they say of it, so each test's part is the text from one of its
    names to the next name; a part that says nothing (a list of names) does not count.
    """
    likely = [(key, sign) for key, sign in _SIGNS.items() if sign.search(text)]
    if not likely:
        return ""
    parts = _parts(text, [_own_name(t.name) for t in tests[:MOST_LOOKED_AT]])
    telling = [pieces for pieces in parts if pieces]
    for key, sign in likely:
        shown = sum(any(sign.search(p) for p in pieces) for pieces in telling)
        if shown >= max(FEWEST, PART * len(telling)):
            return key
    return ""


def _own_name(name: str) -> str:
    """The part of a name that every runner prints where it tells of the test."""
    bare = name.rpartition(" > ")[2].partition(" with data set ")[0]
    bare = bare.rpartition("::")[2] or bare
    return bare.partition("(")[0].rpartition("/")[2] or bare


def _parts(text: str, names: List[str]) -> List[List[str]]:
    """For each name the pieces of the text that begin with it and say more than a name."""
    marks = sorted(((at, -len(name), number) for number, name in enumerate(names) for at in _places(text, name)))
    found: List[List[str]] = [[] for _ in names]
    for (at, _, number), following in zip(marks, [*marks[1:], (len(text), 0, 0)]):
        piece = text[at : min(following[0], at + LONGEST_PART)]
        if any(line.strip() for line in piece.split("\n")[1:-1]):
            found[number].append(piece)
    return found


def _places(text: str, name: str) -> List[int]:
    places: List[int] = []
    at = text.find(name) if name else -1
    while at >= 0 and len(places) < MOST_PLACES:
        places.append(at)
        at = text.find(name, at + len(name))
    return places


# How runners count the tests of a run: all of them, or those that passed.
_TOTALS: Tuple[Pattern[str], ...] = tuple(map(re.compile, (
    r"\b(\d{1,9}) total\b", r"\bRan (\d{1,9}) tests\b", r"\bTests(?: run)?: (\d{1,9}),", r"\b(\d{1,9}) examples?,",
    r"\b(\d{1,9}) tests completed\b", r"\b[Tt]otal(?: tests)?: (\d{1,9})\b", r"\bout of (\d{1,9})\b",
    r"# tests (\d{1,9})\b", r"\b(\d{1,9}) runs?, \d", r"\b(\d{1,9}) tests?, \d",
)))  # fmt: skip
_PASSED = re.compile(r"\b(\d{1,9}) pass(?:ed|ing)?\b")


def ran(text: str, failed: int) -> int:
    """How many tests ran, by the runner's own count where it gives one: at least those that failed."""
    tail = text[-4_000:]
    totals = [int(n) for pattern in _TOTALS for n in pattern.findall(tail)]
    passed = [int(n) for n in _PASSED.findall(tail)]
    return max([failed, *totals, failed + max(passed, default=0)])
