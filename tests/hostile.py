"""Lines that cost a pattern the most: every repeat of it, grown long, with an end that matches and one
that cannot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

try:
    from re import _constants as c  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # before Python 3.11
    import sre_constants as c
    import sre_parse as parser

_FILLERS = tuple(" a0.-_([>:\t")
_LONG = 50  # a repeat that goes on further than this is worth growing


def lines(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Lines of about `length` characters that match the pattern, or do so but for their end."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    fillers = [*_FILLERS, *(f for f in _literals(tree) if f not in _FILLERS)]
    for number in range(_count_repeats(tree)):
        seen = set()
        for filler in fillers:
            line = _Writer(number, filler, length).write(tree)
            if line not in seen and line:
                seen.add(line)
                yield line
                yield line + "\0"


def _is_repeat(op: Any) -> bool:
    return op in (c.MAX_REPEAT, c.MIN_REPEAT) or str(op) == "POSSESSIVE_REPEAT"


def _children(op: Any, value: Any) -> list[Any]:
    """The sequences inside an element."""
    if _is_repeat(op):
        return [value[2]]
    if op is c.SUBPATTERN:
        return [value[-1]]
    return list(value[1]) if op is c.BRANCH else []


def _count_repeats(tree: Any) -> int:
    found = 0
    for op, value in tree:
        found += _is_repeat(op) and value[1] > _LONG
        found += sum(_count_repeats(inner) for inner in _children(op, value))
    return found


def _literals(tree: Any) -> list[str]:
    """The longest runs of plain characters, such as " ... " and ") in "."""
    runs, run = [], ""
    for op, value in tree:
        if op is c.LITERAL:
            run += chr(value)
            continue
        runs, run = [*runs, run], ""
        for inner in _children(op, value):
            runs += _literals(inner)
    return [r for r in [*runs, run] if r]


class _Writer:
    """Writes one line: the repeat with a given number long, all else as short as it may be."""

    def __init__(self, target: int, filler: str, length: int) -> None:
        self.left, self.filler, self.length = target, filler, length

    def write(self, tree: Any) -> str:
        return "".join(self._element(op, value) for op, value in tree)

    def _element(self, op: Any, value: Any) -> str:
        if _is_repeat(op):
            return self._repeat(*value)
        if op is c.SUBPATTERN:
            return self.write(value[-1])
        if op is c.BRANCH:
            return [self.write(inner) for inner in value[1]][0]
        return self._one(op, value, "")

    def _repeat(self, least: int, most: int, inner: Any) -> str:
        grown = most > _LONG and self.left == 0
        self.left -= most > _LONG
        if not grown:
            short = self.write(inner)
            return short * max(least, min(1, most))
        if len(inner) == 1 and all(self._one(*inner[0], char) == char for char in self.filler):
            return self.filler * (self.length // len(self.filler))
        once = self.write(inner)
        return once * (self.length // len(once)) if once else ""

    def _one(self, op: Any, value: Any, wanted: str) -> str:
        """A character that the element takes: the wanted one if it does; "" for what takes none."""
        if op is c.LITERAL:
            return chr(value)
        if op not in (c.NOT_LITERAL, c.ANY, c.IN):
            return ""
        return next((f for f in [wanted, *_FILLERS, "\u00b5", "#", '"', "S"] if f and _takes(op, value, f)), "")


def _takes(op: Any, value: Any, char: str) -> bool:
    if op is c.ANY:
        return True
    if op is c.NOT_LITERAL:
        return ord(char) != value
    negated = value[0][0] is c.NEGATE
    return any(_in(kind, item, char) for kind, item in value if kind is not c.NEGATE) != negated


_CATEGORIES = {
    c.CATEGORY_DIGIT: str.isdigit, c.CATEGORY_SPACE: str.isspace, c.CATEGORY_WORD: lambda x: x.isalnum() or x == "_",
    c.CATEGORY_NOT_DIGIT: lambda x: not x.isdigit(), c.CATEGORY_NOT_SPACE: lambda x: not x.isspace(),
    c.CATEGORY_NOT_WORD: lambda x: not (x.isalnum() or x == "_"),
}  # fmt: skip


def _in(kind: Any, item: Any, char: str) -> bool:
    if kind is c.LITERAL:
        return ord(char) == item
    if kind is c.RANGE:
        return bool(item[0] <= ord(char) <= item[1])
    return bool(_CATEGORIES[item](char))
