"""What the documents say is so: commands, reasons, numbers, examples, links, and both languages alike."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import shutil
import subprocess
import xml.etree.ElementTree
from pathlib import Path
from typing import Iterable

import pytest

from flaky_memory import cli, command, explain, git, manual, message, slash
from flaky_memory.verdict import MOST_RUNS, WINDOW_DAYS, Rate, Verdict
from tests import people
from tests.conftest import ROOT

NAMES = ("README.md", "README.tr.md", "docs/verdicts.md", "CHANGELOG.md")
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in NAMES}
README, TURKISH, VERDICTS = (TEXTS[name] for name in NAMES[:3])

# -- Markdown, as far as these documents use it


def fenced(text: str) -> list[str]:
    return re.findall(r"^```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def indented(text: str) -> list[str]:
    """The examples of output: blocks that are indented by four, outside of lists."""
    found = re.findall(r"\n\n((?:(?:    .*)?\n)+?)(?=\n?[^ \n])", re.sub(r"(?ms)^```.*?^```$", "```", text))
    return [re.sub("(?m)^    ", "", block).rstrip("\n") for block in found if block.startswith("    ")]


def prose(text: str) -> str:
    """A document without its blocks of code."""
    return re.sub(r"(?m)^    .*$", "", re.sub(r"(?ms)^```.*?^```$", "", text))


def spans(text: str) -> list[str]:
    """Code within a line."""
    found = re.findall(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)", text)
    return [span.strip() if ticks == "``" else span for ticks, span in found]


def tables(text: str) -> list[list[list[str]]]:
    """The tables: rows of cells, the heading first."""
    found: list[list[list[str]]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not inside:
                found.append([])
            if set("".join(cells)) != {"-"}:
                found[-1].append(cells)
        inside = line.startswith("|")
    return found


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", prose(text))


# -- two languages


def outline(text: str) -> list[tuple[int, int, int]]:
    """Of each section: the level of its heading, its list items, and its tables."""
    parts = re.split(r"^(#+) .*$", prose(text), flags=re.MULTILINE)[1:]
    return [
        (len(level), len(re.findall(r"(?m)^- ", body)), len(tables(body))) for level, body in zip(parts[::2], parts[1::2])
    ]


def test_both_languages_have_the_same_sections() -> None:
    assert len(outline(README)) > 12
    assert outline(README) == outline(TURKISH)


def test_both_languages_have_the_same_commands_and_examples() -> None:
    assert len(fenced(README)) > 8 and len(indented(README)) > 1
    assert fenced(README) == fenced(TURKISH)
    assert indented(README) == indented(TURKISH)


def test_both_languages_have_the_same_tables() -> None:
    assert len(tables(README)) > 2
    for own, other in zip(tables(README), tables(TURKISH)):
        assert [len(row) for row in own] == [len(row) for row in other]
        assert [[spans(cell) for cell in row] for row in own] == [[spans(cell) for cell in row] for row in other]


def test_both_languages_name_the_same_code_and_files() -> None:
    assert sorted(spans(prose(README))) == sorted(spans(prose(TURKISH)))
    own, other = (sorted(set(links(text)) - {"README.md", "README.tr.md"}) for text in (README, TURKISH))
    assert own == other
    assert "README.tr.md" in links(README) and "README.md" in links(TURKISH)


# -- links and numbers


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    here = (ROOT / name).parent
    assert [link for link in links(TEXTS[name]) if "://" not in link and not (here / link).exists()] == []


def test_numbers_are_those_of_the_code() -> None:
    numbers = (f"{git.DEADLINE:g}", f"{git.MOST_FILES:,}", f"{git.LARGEST_DIFF >> 20} MiB", f"{git.LARGEST_TOTAL >> 20} MiB")
    for text in (README, VERDICTS):
        assert absent((*numbers, f"{WINDOW_DAYS} days", str(MOST_RUNS)), text) == []
    assert absent([n.translate(str.maketrans(",.", ".,")) for n in numbers], TURKISH) == []
    assert f"more than {git.MOST_REPOSITORIES} |" in VERDICTS


def absent(numbers: Iterable[str], text: str) -> list[str]:
    """Those of some numbers that do not stand in a text."""
    return [n for n in numbers if not re.search(rf"(?<![\d.,]){re.escape(n)}(?!\d)", text)]


# -- commands


_PROGRAM = re.compile(r"(?:^|\| )(?:python3 -m flaky_memory|(?:python3 \S+/__main__\.py|flaky-memory)(?= |$))")


def typed(text: str) -> list[list[str]]:
    """Every command of this program that a document names: the words behind its name."""
    blocks = [re.sub(r"(?m)\|\n\s+", "| ", block) for block in fenced(text) if not block.startswith("{")]
    found = []
    for piece in [*(line for block in blocks for line in block.splitlines()), *spans(prose(text))]:
        start = _PROGRAM.search(piece)
        if start and not piece.startswith("not recorded:"):
            found.append(shlex.split(piece[start.end() :], comments=True))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_commands_exist(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in typed(TEXTS[name]):
        if not words or words[:2] == ["statusline", "--"]:  # the status line itself is not the command line's
            continue
        try:
            cli._parser().parse_args(words)
        except SystemExit:
            pytest.fail(f"{name}: {' '.join(words)}: {capsys.readouterr().err}")


def test_options_exist() -> None:
    known = {flag for _, arguments in cli._COMMANDS.values() for flags, _ in arguments for flag in flags}
    sentences = re.sub(r"(?m)^\|.*$", "", prose(README))
    named = {span.partition(" ")[0] for span in spans(sentences) if span.startswith("--")}
    assert "--directory" in named
    assert named - known == {"--", "--help"}


def test_readme_names_every_command() -> None:
    assert {words[0] for words in typed(README) if words} == set(manual.PAGES)


@pytest.mark.parametrize("name", NAMES)
def test_slash_commands_exist(name: str, tmp_path: Path) -> None:
    for span in spans(prose(TEXTS[name])):
        if re.match("/flaky-memory( |$)", span):
            status, text = slash.answer(span[len("/flaky-memory") :], str(tmp_path), 0)
            assert (status, text) == (slash.CANNOT, message.NOT_A_REPOSITORY), span


@pytest.mark.parametrize("text", (README, VERDICTS), ids=("README.md", "docs/verdicts.md"))
def test_explain_says_what_the_examples_show(text: str, tmp_path: Path) -> None:
    (tmp_path / "flaky-memory").write_text(f'#!/bin/sh\nexec python3 -I -S {people.MAIN} "$@"\n')
    (tmp_path / "flaky-memory").chmod(0o755)
    (block,) = [b for b in fenced(text) if "flaky-memory explain" in b]
    argv = ["sh", "-c", f'PATH="{tmp_path}:$PATH"\n{block}']
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nrecorded\n" in done.stdout
    if text is VERDICTS:
        assert done.stdout.rstrip("\n") in indented(text)


def test_show_shows_what_the_example_shows(tmp_path: Path) -> None:
    player = people.session(tmp_path)
    people.flip(player)
    shown = people.command(player, "show", "go:TestFlip").stdout
    (example,) = [block for block in indented(README) if block.startswith("go:TestFlip ")]

    def steady(text: str) -> str:
        return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d|\b[0-9a-f]{8}\b", "...", text).rstrip("\n")

    assert steady(shown) == steady(example)


# -- the status line


def settings() -> list[str]:
    """The commands of the settings to paste."""
    return [json.loads(block)["statusLine"]["command"] for block in fenced(README) if block.startswith("{")]


def test_settings_to_paste_are_those_that_the_plugin_writes_and_show_the_line(tmp_path: Path) -> None:
    player = people.session(tmp_path)
    people.flip(player)
    home = Path(player.environ["HOME"])
    for version in ("0.0.9", "0.1.0"):  # the client keeps the older ones for a while
        own = home / ".claude" / "plugins" / "cache" / "flaky-memory" / "flaky-memory" / version
        shutil.copytree(ROOT / "flaky_memory", own / "flaky_memory", ignore=shutil.ignore_patterns("__pycache__"))
    argv = ["python3", str(own / "flaky_memory" / "__main__.py"), "statusline", "--install"]
    subprocess.run(argv, input=b"y\n", env=player.environ, stdout=subprocess.DEVNULL, check=True, timeout=60)
    written = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))["statusLine"]["command"]
    pasted = settings()[0]
    assert written == pasted.replace("~", str(home))
    payload = people.STATUS_LINE % ("s1", player.repo, player.repo)
    done = subprocess.run(["sh", "-c", pasted], input=payload.encode(), env=player.environ, capture_output=True, timeout=60)
    assert (done.stdout.decode(), done.stderr) == ("\x1b[31mflaky: go:TestFlip failed 2/3\x1b[0m\n", b"")


def test_line_of_your_own_is_put_behind_two_dashes() -> None:
    assert settings()[1:] == ["flaky-memory statusline -- ~/.claude/my-line.sh"]


# -- sentences


def test_note_is_the_one_that_is_given() -> None:
    note = message.note([("go:TestFlip", Verdict(2, 3, 1))], "go test -count=1 -run '^TestFlip$' ./queue")
    for text in (README, TURKISH):
        assert note in indented(text)


@pytest.mark.parametrize("name", NAMES)
def test_quoted_reasons_are_given(name: str) -> None:
    quoted = [s for s in spans(TEXTS[name].replace("\\|", "|")) if s.startswith(("not recorded:", "nothing to record"))]
    assert [q for q in quoted if q not in message.REASONS.values()] == []


def test_every_reason_is_explained() -> None:
    said = [row[0].strip("`") for table in tables(VERDICTS) for row in table[1:]]
    assert sorted(set(message.REASONS.values()) - {"recorded"}) == sorted(s for s in said if s in message.REASONS.values())


def rows(heading: str) -> list[list[str]]:
    """The rows of the table of verdicts.md whose heading begins so."""
    (table,) = [t for t in tables(VERDICTS) if t[0][0] == heading]
    return table[1:]


def test_exit_statuses_are_read_as_the_table_says() -> None:
    reasons = set()
    for cell, answer in rows("command"):
        meant = command.read(spans(cell)[0])
        quoted = spans(answer)
        assert meant.exit_trusted == answer.startswith("yes"), cell
        assert [message.DISTRUST[i.distrust] for i in meant.invocations if i.distrust and quoted] == quoted, cell
        reasons |= {i.distrust for i in meant.invocations}
    assert reasons == {*message.DISTRUST, ""}


def test_example_commands_are_not_recorded_for_that_reason(tmp_path: Path) -> None:
    played = 0
    for said, when in rows("they say"):
        for text in spans(when):
            answer = explain.document(text, "FAILED test_a.py::test_b - x\n1 failed in 0.1s\n", 1, str(tmp_path))
            if not answer["test_command"]:
                continue
            meant = command.read(text)
            around = meant.changes_before and meant.changes_after
            assert said.strip("`") == (message.REASONS["changed-around"] if around else answer["reason"]), text
            played += 1
    assert played > 6


def test_passes_come_from_where_the_table_says() -> None:
    said = [spans(cell)[0] for cell, _ in rows("`show` says")]
    assert said == list(message._SOURCES.values())


def test_second_opinions_are_quoted_as_they_are_given() -> None:
    real = message.note([("go:TestFlip", Verdict(6, 7, 1, 5, Rate(1, 2)))])
    passed = message.passed_note([("go:TestFlip", Verdict(1, 2, 1))])
    quoted = indented(VERDICTS)
    assert real.partition("once. ")[2] in quoted and passed in quoted


# -- the picture


def test_picture_is_drawn_from_its_recording() -> None:
    recording = (ROOT / "docs" / "terminal.txt").read_text(encoding="utf-8")
    picture = (ROOT / "docs" / "terminal.svg").read_text(encoding="utf-8")
    assert picture == runpy.run_path(str(ROOT / "docs" / "terminal.py"))["draw"](recording)
    xml.etree.ElementTree.fromstring(picture)


def test_recording_shows_what_is_said_today() -> None:
    recording = re.sub("\x1b\\[[0-9;]*m", "", (ROOT / "docs" / "terminal.txt").read_text(encoding="utf-8"))
    test, verdict = "unittest:test_sync.SyncTest.test_settles", Verdict(2, 3, 1)
    assert message.finding(test, verdict) in " ".join(recording.split())
    for line in (message.row(test, verdict), message.STRIP_HEADING, message.pass_sources([1])):
        assert line in recording
