"""The list of flaky tests and the evidence on one of them, laid out for a screen. Pure: the time and the
size of the screen come in as parameters, the words are message.py's."""

from __future__ import annotations

from flaky_memory import message
from flaky_memory.model import NamedTuple
from flaky_memory.verdict import by_width, second_opinion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Sequence, Tuple

    from flaky_memory.model import Known, Run
    from flaky_memory.verdict import Verdict


class Screen(NamedTuple):
    """Columns and lines (0: no limit), whether colours may be used, and how the list is asked for whole."""

    width: int = 0
    height: int = 0
    colours: bool = False
    whole: str = ""


_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_LONGEST_STRIP = 20  # runs on one line
_WIDEST = 100  # columns to lay out for where there is no screen


def _painter(screen: Screen) -> Callable[[str, str], str]:
    def paint(text: str, colour: str) -> str:
        return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if screen.colours else text

    return paint


class Row(NamedTuple):
    """One flaky test of the list; `age` is seconds since it failed last."""

    shown: str
    verdict: Verdict
    age: float


def status(enabled: bool, seen: int, rows: Sequence[Row], screen: Screen) -> str:
    """The list behind its heading: as many rows as the screen has room for, the rest counted."""
    paint = _painter(screen)
    lines = [paint(message.header(enabled, seen), "bold")]
    if not rows:
        return "\n".join([*lines, message.NONE_FLAKY])
    texts = _laid_out(rows, screen)
    room = screen.height - 3 if screen.height else 0  # the heading, the count of the rest, the next prompt
    kept = _fitting([height for _, height in texts], room) if room else len(texts)
    lines += [text for text, _ in texts[:kept]]
    if kept < len(texts):
        lines.append(paint(message.more(len(texts) - kept, screen.whole), "dim"))
    return "\n".join(lines)


def _fitting(heights: Sequence[int], room: int) -> int:
    """How many rows there is room for: at least one."""
    kept = 0
    for height in heights:
        room -= height
        if room < 0 and kept:
            break
        kept += 1
    return kept


def _laid_out(rows: Sequence[Row], screen: Screen) -> List[Tuple[str, int]]:
    """Each row with its height in lines. The times stand in one column, but behind a row that is longer
    than that column allows."""
    paint = _painter(screen)
    plain = [message.row(r.shown, r.verdict) for r in rows]
    ages = [message.ago(r.age) for r in rows]
    width = screen.width or _WIDEST
    room = width - 2 - max(len(a) for a in ages)
    column = 2 + max((len(p) for p in plain if len(p) <= room), default=0)
    texts = []
    for row, text, age in zip(rows, plain, ages):
        gap = " " * max(2, column - len(text))
        if len(text) > room and len(text) % width + 2 + len(age) > width:
            gap = "\n  "
        outcome = message.row_outcome(row.verdict)
        painted = paint(outcome, "red").join(text.rsplit(outcome, 1))
        height = -(-len(text) // width) + gap.count("\n")
        texts.append((painted + gap + paint(age, "dim"), height))
    return texts


# -- one test


def evidence(shown: str, known: Known, now: float, local: str, screen: Screen) -> str:
    """What is known of one test; `local` is the time of its last failure as people write it."""
    paint = _painter(screen)
    verdict = second_opinion(known.runs, latest_tree(known))
    lines = [paint(message.row(shown, verdict), "bold")]
    lines += message.where(known.id.scope, known.place)
    last = max((r.time for r in known.runs if not r.passed), default=0)
    lines += [message.last_failure(now - last, local), "", message.STRIP_HEADING]
    strips = _strips(known.runs, now, paint)
    numbers = _numbers(known, verdict)
    room = max(screen.height - len(lines) - len(numbers) - 4, 3) if screen.height else len(strips)
    if len(strips) > room:
        lines.append(paint("  " + message.older_trees(len(strips) - room), "dim"))
    lines += strips[-room:]
    passes = message.pass_sources([r.source for r in known.runs if r.passed])
    return "\n".join([*lines, "", passes, *numbers])


def latest_tree(known: Known) -> str:
    """The fingerprint of the code that a test ran on last."""
    return known.runs[-1].fingerprint if known.runs else ""


def _numbers(known: Known, verdict: Verdict) -> List[str]:
    """The numbers behind the sentences of notes, as far as there are any."""
    lines = []
    widths = by_width(known.runs)
    if len(widths) > 1:
        lines += message.numbers_of_company(widths)
    if verdict.row:
        lines += message.numbers_of_row(verdict)
    if known.cleared:
        lines.append(message.numbers_of_cleared(len(known.cleared)))
    return lines


def trees(runs: Sequence[Run]) -> List[Tuple[str, List[Run]]]:
    """The runs by the tree that they ran on, trees and runs from old to new."""
    found: Dict[str, List[Run]] = {}
    for run in sorted(runs, key=lambda r: r.time):
        found.setdefault(run.fingerprint, []).append(run)
    return list(found.items())


def letters(runs: Sequence[Run]) -> str:
    """P for a pass, F for a failure, in their order."""
    return "".join("P" if r.passed else "F" for r in runs)


def _strips(runs: Sequence[Run], now: float, paint: Callable[[str, str], str]) -> List[str]:
    by_tree = trees(runs)
    longest = min(max((len(r) for _, r in by_tree), default=0), _LONGEST_STRIP)
    lines = []
    for tree, own in by_tree:
        word = letters(own)
        pieces = [word[at : at + _LONGEST_STRIP] for at in range(0, len(word), _LONGEST_STRIP)]
        for at, piece in enumerate(pieces):
            strip = " ".join(paint(c, "green" if c == "P" else "red") for c in piece)
            pad = " " * (2 * (longest - len(piece)))
            head = tree[:8] if at == 0 else " " * 8
            tail = ""
            if at == len(pieces) - 1:
                tail = "  " + paint(message.ago(now - own[-1].time), "dim")
                tail += "  " + paint(message.BOTH, "yellow") if "P" in word and "F" in word else ""
            lines.append(f"  {head}  {strip}{pad}{tail}")
    return lines
