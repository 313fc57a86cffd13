"""What the plugin says of itself agrees with what it is: manifests, icon, skill, README, Makefile."""

from __future__ import annotations

import itertools
import json
import re
import runpy
import struct
import zlib
from typing import Any

import flaky_memory
from flaky_memory import message, runners
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SKILL = (ROOT / "skills" / "flaky-memory" / "SKILL.md").read_text(encoding="utf-8")


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / ".claude-plugin" / name).read_text(encoding="utf-8"))
    return found


def test_manifest_and_package_have_one_version() -> None:
    assert document("plugin.json")["version"] == flaky_memory.__version__
    assert f"\n## [{flaky_memory.__version__}] - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_marketplace_offers_this_folder() -> None:
    (entry,) = document("marketplace.json")["plugins"]
    assert (entry["name"], entry["source"]) == (document("plugin.json")["name"], "./")
    assert entry["description"] == document("plugin.json")["description"]


def test_licence_is_the_one_that_is_named() -> None:
    assert document("plugin.json")["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def pixels(data: bytes) -> bytes:
    """The unpacked image data of a PNG file."""
    found, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            found += data[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompress(found)


def test_icon_is_the_one_that_the_script_draws() -> None:
    stored = (ROOT / ".claude-plugin" / "icon.png").read_bytes()
    width, height = struct.unpack(">II", stored[16:24])
    assert width == height >= 512
    pixel, row = runpy.run_path(str(ROOT / "docs" / "icon.py"))["pixel"], 1 + 4 * width
    found = pixels(stored)
    for x, y in itertools.product(range(0, width, 15), repeat=2):
        at = y * row + 1 + 4 * x
        assert tuple(found[at : at + 4]) == pixel(x + 0.5, y + 0.5), (x, y)


def test_skill_answers_to_its_bare_name_and_hints_at_its_words() -> None:
    assert "\nname: flaky-memory\n" in SKILL
    assert f'argument-hint: "{message.USAGE.partition("/flaky-memory ")[2]}"' in SKILL


def test_readme_has_every_runner() -> None:
    named = set(re.findall(r"^\| `(\w+):` \|", README, re.MULTILINE))
    assert named == {entry.prefix for entry in runners.TABLE.values()}


def test_readme_names_files_and_targets_that_exist() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
    targets = re.findall(r"^make ((?:[a-z0-9]+ ?)+)", README, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "test" in [line.strip() for line in targets]
    assert [t for line in targets for t in line.split() if f"\n{t}:" not in makefile] == []


def test_ci_runs_both_commands_of_the_readme_last() -> None:
    first_block = re.search(r"```sh\n(.*?)```", README, re.DOTALL)
    assert first_block
    commands = [line.partition("#")[0].strip() for line in first_block[1].splitlines()]
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines[-2:] == [f"step {command}" for command in commands]
