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
        r"connection ?refused|ECONNREFUSED|actively refused|connection ?reset|ECONNRESET"
        r"|could not connect to (?:server|the server)|can't connect to|failed to connect to",
        re.IGNORECASE,
    ),
    "unresolved": re.compile(
        r"could not resolve host|name or service not known|temporary failure in name resolution|no such host"
        r"|nodename nor servname|\bENOTFOUND|\bEAI_AGAIN|getaddrinfo failed|UnknownHostException",
        re.IGNORECASE,
    ),
    "space": re.compile(
        r"no space left on device|ENOSPC|not enough space on the disk|disk quota exceeded|StorageFull", re.IGNORECASE
    ),
    "missing": re.compile(
        r"ModuleNotFound|no module named|cannot find (?:module|package)|MODULE_NOT_FOUND|module not found"
        r"|could not (?:find|resolve) (?:module|package)|command not found|\bsh: \d+: \S{1,80}: not found"
        r"|cannot load such file|executable file not found|NoClassDefFoundError|ClassNotFoundException"
        r"|spawn \S{1,80} ENOENT|uv_spawn|failed to (?:resolve|load) import|exit status 127"
        r"|no such file or directory: '[\w-]{1,80}'|No such file or directory - [\w-]{1,80}$",
        re.IGNORECASE | re.MULTILINE,
    ),
    "timeout": re.compile(
        r"timed out|time-?out (?:of|exceeded|error|expired|after)|Timeout(?:Error|Exception|Expired)|ETIMEDOUT"
        r"|exceeded timeout|deadline exceeded|execution expired",
        re.IGNORECASE,
    ),
}
MOST_LOOKED_AT = 20  # failing tests
MOST_PLACES = 6  # of one name in the output
LONGEST_PART = 4_000  # characters of what stands behind a name
PART = 0.8  # the share of the tests that must show the cause


def common(text: str, tests: Sequence[TestId]) -> str:
    """The one cause that an output (without colours) gives for nearly all of the tests that failed in it,
    as a key of message.CAUSES; "" for none.

    Runners print a test's name around what they say of it, so each test's part is the text from one of its
    names to the next name. A test of which the output says nothing has not shown the cause.
    """
    parts = _parts(text, [_own_name(t.name) for t in tests[:MOST_LOOKED_AT]])
    for key, sign in _SIGNS.items():
        shown = sum(any(sign.search(p) for p in pieces) for pieces in parts)
        if shown >= PART * len(parts):
            return key
    return ""


def _own_name(name: str) -> str:
    """The part of a name that every runner prints where it tells of the test."""
    bare = name.rpartition(" > ")[2].partition(" with data set ")[0]
    bare = bare.rpartition("::")[2] or bare
    return bare.partition("(")[0].rpartition("/")[2] or bare


def _parts(text: str, names: List[str]) -> List[List[str]]:
    """For each name what the output says behind it, in pieces; those that say nothing are left out. Where
    names stand in a row with one error behind the last of them, it is that of all which have no other."""
    found: List[List[str]] = [[] for _ in names]
    shared: List[List[str]] = [[] for _ in names]
    row: List[int] = []
    marks = _marks(text, names)
    for (_, end, number), following in zip(marks, [*marks[1:], (len(text), 0, 0)]):
        piece = text[end : min(following[0], end + LONGEST_PART)]
        said = _message(piece)
        if said:
            found[number].append(_happened(said))
            for earlier in row if _ERROR.match(said) else ():
                shared[earlier].append(_happened(said))
        row = [*row, number] if not said and piece.count("\n") == 1 else []
    return [own or others for own, others in zip(found, shared)]


def _marks(text: str, names: List[str]) -> List[Tuple[int, int, int]]:
    """(start, end, number) of each place of a name in a text that is no code and not part of a longer name."""
    marks: List[Tuple[int, int, int]] = []
    for at, length, number in sorted((at, -len(name), n) for n, name in enumerate(names) for at in _places(text, name)):
        line = text.rfind("\n", 0, at) + 1
        if (not marks or at >= marks[-1][1]) and not _SOURCE.match(text, line):
            marks.append((at, at - length, number))
    return marks


_ERROR = re.compile(r"\w{0,40}(?:Error|Exception)\b")
# What a line that only names a test has behind the name: nothing, or how long it took.
_REASON = re.compile(r"(?: - |: |\u00bb )\S")
# Lines of source code around an error: `> 12 |   await connect()`; below a place in Python's traceback; rspec's.
_SOURCE = re.compile(
    r"^[ >]{0,20}\d{1,6} ?\|.*\n?|^ {2,20}File \"[^\"\n]{1,400}\", line \d.*\n(?:    .*\n){0,20}"
    r"|^ {2,20}Failure/Error:.*\n(?:[^\S\n]*\S.*\n){0,20}",
    re.MULTILINE,
)


def _message(piece: str) -> str:
    """What a piece says of a failure, without the code that runners print around it."""
    first, *lines = _SOURCE.sub("", piece).split("\n")
    lines = [line for line in lines[:-1] if line.strip()]
    errors = [line for line in lines if line.startswith("E  ")]  # pytest's marks of what is no code
    lines = errors or lines
    return "\n".join([first, *lines] if _gives_reason(first) else lines)


# Words of an assertion about an error: it did not come, or its text was compared. That "connection refused"
# stands there says what a test wanted to see, not what happened to it.
_EXPECTATION = re.compile(
    r"\bassert\b|[!=]=|\b[Ee]xpected\b(?! no\b| nil\b)|\bwant(?:ed)?\b|DID NOT RAISE|\bnot raised\b"
    r"|\bassertion failed:|[Dd]idn't raise|\b[Ff]ailed asserting\b|\bto (?:throw|raise)\b"
    r"|\b(?:Regex|Input|Actual|Received|[Gg]ot|left|right)(?: \w{1,20})?:"
)
_DIFFERENCE = re.compile(r"(?:E  )?\s*[-+](?!\s+(?:where|and) )")


def _happened(said: str) -> str:
    """What a message says without its lines of assertions about errors."""
    first, *lines = said.split("\n")
    kept = [first, *(line for line in lines if not _DIFFERENCE.match(line))]
    return "\n".join(line for line in kept if not _EXPECTATION.search(line))


def _gives_reason(line: str) -> bool:
    """True for a reason behind a name; pytest cuts it to the width of the screen, often before it says anything."""
    if not _REASON.search(line):
        return False
    return not line.rstrip().endswith("...") or any(sign.search(line) for sign in _SIGNS.values())


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
