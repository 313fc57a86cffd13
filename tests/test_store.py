"""The store: what it keeps, and that nothing which stands in its place is lost or followed."""

from __future__ import annotations

import copy
import json
import os
import re
import time
from pathlib import Path
from typing import Any, Callable

import pytest

from flaky_memory import history
from flaky_memory import store as stores
from flaky_memory.model import EXIT, NAMED, Green, Known, Memory, Run, TestId
from flaky_memory.store import Store, Unusable

NOW = time.time()
posix = pytest.mark.skipif(os.name == "nt", reason="fifos and links")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "git").mkdir()
    return Store(str(tmp_path / "git"))


def known(name: str, runs: int = 3, scope: str | None = None) -> Known:
    made = [Run(int(NOW) + n, f"{n % 2:016x}", bool(n % 2), NAMED) for n in range(runs)]
    test = Known(TestId("go", scope, name), made, "key base", "a_test.go:3", int(NOW))
    test.skipped = 2
    return test


GREEN = Green(int(NOW), "f" * 16, "key base", ["go", "js"], ["a1"], ["b2", "c3"], None)


def fill(store: Store, *names: str) -> bytes:
    """Store some tests; the bytes of the file."""

    def change(memory: Memory) -> None:
        memory.tests += [known(n) for n in names or ("TestA",)]
        memory.greens.append(GREEN)

    store.update(change)
    return Path(store.path).read_bytes()


def plain(memory: Memory) -> Any:
    return [[t.id, t.runs, t.selection, t.place, t.told, t.skipped] for t in memory.tests], memory.greens


def nothing(memory: Memory) -> None:
    pass


# -- what it keeps


def test_at_first_it_is_empty(store: Store) -> None:
    assert plain(store.load()) == ([], [])
    assert (store.size, store.enabled, store.decisions(), store.kept_aside()) == (0, True, [], [])
    assert not os.path.exists(store.folder)


def test_all_of_it_is_read_back(store: Store) -> None:
    odd = ["TestA", "", "a > b \u203a c", "\ud800", "\0\n\x1b[31m", "\u202e", '"\\', "x" * 10_000, "\U0001f600"]
    tests = [known(n, scope=s) for n in odd for s in (None, "", "p/q")]
    greens = [GREEN, GREEN._replace(runners=None, where=None, what=None, named=["d4"], skipped=3), GREEN._replace(what=[])]
    tests[0].runs = [Run(1, "0" * 16, True, EXIT), Run(2, "1" * 16, False, NAMED)]

    def change(memory: Memory) -> None:
        memory.tests, memory.greens = tests, greens

    store.update(change)
    assert plain(store.load()) == plain(Memory(tests, greens))
    assert store.size == len(Path(store.path).read_bytes())


def test_the_answer_of_a_change_is_handed_on(store: Store) -> None:
    assert store.update(lambda memory: len(memory.tests)) == 0


def test_a_change_that_fails_changes_nothing(store: Store) -> None:
    before = fill(store)

    def change(memory: Memory) -> None:
        memory.tests.clear()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.update(change)
    assert Path(store.path).read_bytes() == before
    assert sorted(os.listdir(store.folder)) == ["lock", "runs.json"]
    fill(store)  # and the lock is free


def test_leftovers_of_a_killed_writer_are_removed(store: Store) -> None:
    fill(store)
    folder = Path(store.folder)
    store.keep_data("/top", "a", "b")
    for name in ("runs.json.1.new", "runs.json.99999.new", "decisions.log.1.new", "data/x.1.new"):
        (folder / name).write_text("half")
        os.utime(folder / name, (1, 1))
    (folder / "data" / "y.2.new").write_text("being written")
    fill(store)
    left = {str(p.relative_to(folder)) for p in folder.rglob("*.new")}
    assert left == {os.path.join("data", "y.2.new")}


# -- what cannot be read

DOCUMENT: dict[str, Any] = {
    "version": 1, "trees": ["a" * 16, "b" * 16],
    "tests": [{"id": ["go", "p", "TestA"], "runs": [int(NOW), 0, -1, int(NOW), 0, 0], "selection": "k b", "place": "",
               "told": 0, "skipped": -1}],
    "greens": [{"time": int(NOW), "tree": 1, "selection": "k b", "runners": ["go"], "where": ["a"], "what": None,
                "named": None, "skipped": -1}],
}  # fmt: skip
WHOLE = json.dumps(DOCUMENT).encode()
DAMAGED: dict[str, bytes] = {
    "empty": b"", "truncated": WHOLE[:-20], "binary": b"\0\xff\xfe" * 100, "text": b"hello", "list": b"[]", "null": b"null",
    "number": b"1e999", "other JSON": b'{"name": "x", "version": "1.0.0"}', "no tests": b'{"version": 1, "trees": [], "greens": []}',
    "deep": b"[" * 100_000, "other text behind it": WHOLE + b"x", "UTF-16": WHOLE.decode().encode("utf-16")[:-1],
    "no such tree": WHOLE.replace(b'"tree": 1', b'"tree": 7'), "too long": WHOLE + b" " * stores.LARGEST_STORE,
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGED)
def test_what_is_damaged_is_moved_aside_whole(kind: str, store: Store) -> None:
    fill(store)
    Path(store.path).write_bytes(DAMAGED[kind])
    with pytest.raises(Unusable, match="^damaged$"):
        store.load()
    assert Path(store.path).read_bytes() == DAMAGED[kind]
    moved = store.update(lambda memory: (plain(memory), memory.moved))
    assert moved == (([], []), store.kept_aside()[0])
    assert (Path(store.folder) / moved[1]).read_bytes() == DAMAGED[kind]
    fill(store, "TestB")
    assert [t.id.name for t in store.load().tests] == ["TestB"]


def test_several_damaged_files_are_all_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores.time, "time", lambda: NOW)
    fill(store)
    for n in range(3):
        Path(store.path).write_text(f"damage {n}")
        store.update(nothing)
    texts = {(Path(store.folder) / name).read_text() for name in store.kept_aside()}
    assert texts == {"damage 0", "damage 1", "damage 2"}


def test_every_truncation_is_seen(store: Store) -> None:
    whole = fill(store)
    for length in range(len(whole)):
        Path(store.path).write_bytes(whole[:length])
        with pytest.raises(Unusable, match="^damaged$"):
            store.load()


def changed(document: Any) -> list[Any]:
    """A document with each of its values replaced by one of another kind, or left out."""
    found = []
    places = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in list(places):
        for other in (None, True, -1, 10**400, 1e999, float("nan"), "x", [], {}, [1], {"a": 1}):
            twin = copy.copy(document)
            twin[key] = other
            found.append(twin)
        for inner in changed(value):
            twin = copy.copy(document)
            twin[key] = inner
            found.append(twin)
        twin = copy.copy(document)
        del twin[key]
        found.append(twin)
    return found


def test_no_value_that_somebody_put_there_is_trusted(store: Store) -> None:
    """What loads can be judged, added to, pruned and written; anything else is damage."""
    fill(store)
    named = tuple(history.Named(TestId("go", "p", name), 1, 0) for name in ("TestA", "TestB"))
    loaded = 0
    for document in changed(DOCUMENT):
        Path(store.path).write_text(json.dumps(document))
        try:
            memory = store.load()
        except Unusable as problem:
            assert str(problem) in ("damaged", "newer-store")
            continue
        loaded += 1
        history.flaky_tests(memory)
        history.prune(memory, NOW)
        stores._decode(stores._encode(memory))
        history.record(memory, history.Observation(int(NOW), "c" * 16, (), named))
        for past in memory.greens:
            assert all(isinstance(t, (list, type(None))) for t in (past.runners, past.where, past.what, past.named))
    assert loaded > 50


@pytest.mark.parametrize("version", [2, 99, 10**30])
def test_a_newer_store_is_left_alone(version: int, store: Store) -> None:
    fill(store)
    newer = json.dumps({"version": version, "other": "things"}).encode()
    Path(store.path).write_bytes(newer)
    for use in (store.load, lambda: store.update(nothing)):
        with pytest.raises(Unusable, match="^newer-store$"):
            use()
    assert Path(store.path).read_bytes() == newer
    assert store.kept_aside() == []


def test_a_folder_in_its_place_is_moved_aside(store: Store) -> None:
    fill(store)
    os.remove(store.path)
    os.mkdir(store.path)
    (Path(store.path) / "precious").write_text("x")
    with pytest.raises(Unusable, match="^damaged$"):
        store.load()
    fill(store)
    assert (Path(store.folder) / store.kept_aside()[0] / "precious").read_text() == "x"
    assert len(store.load().tests) == 1


@posix
def test_a_fifo_in_its_place_hangs_nobody(store: Store) -> None:
    fill(store)
    for name in ("runs.json", "decisions.log"):
        path = os.path.join(store.folder, name)
        if os.path.exists(path):
            os.remove(path)
        os.mkfifo(path)
    with pytest.raises(Unusable, match="^damaged$"):
        store.load()
    store.log("recorded", NOW)
    assert store.decisions() == []
    assert os.path.exists(os.path.join(store.folder, "decisions.log"))


@posix
def test_what_cannot_be_opened_is_left_alone(store: Store) -> None:
    fill(store)
    os.remove(store.path)
    os.symlink("runs.json", store.path)  # a link to itself
    for use in (store.load, lambda: store.update(nothing)):
        with pytest.raises(Unusable, match="^unreadable-store$"):
            use()
    assert os.readlink(store.path) == "runs.json"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_left_alone(store: Store) -> None:
    before = fill(store)
    os.chmod(store.path, 0)
    with pytest.raises(Unusable, match="^unreadable-store$"):
        store.update(nothing)
    os.chmod(store.path, 0o600)
    assert Path(store.path).read_bytes() == before


# -- links, which could lead out of the repository


@posix
def test_no_link_is_written_through(store: Store, tmp_path: Path) -> None:
    fill(store)
    for name in ("runs.json", "decisions.log"):
        (tmp_path / name).write_text("mine")
    for name in ("runs.json", "decisions.log", "off"):
        path = Path(store.folder, name)
        path.unlink(missing_ok=True)
        path.symlink_to(tmp_path / name)
    assert not store.enabled
    store.enable(False)
    store.enable(True)
    assert store.enabled
    store.log("recorded", NOW)
    store.update(nothing)
    assert {p.name: p.read_text() for p in tmp_path.iterdir() if p.is_file()} == {"runs.json": "mine", "decisions.log": "mine"}


@posix
@pytest.mark.parametrize("place", [".", "pending", "data"])
def test_no_folder_elsewhere_is_written_to_or_swept(place: str, store: Store, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if place != ".":
        os.mkdir(store.folder)
    os.symlink(elsewhere, os.path.normpath(os.path.join(store.folder, place)))
    (elsewhere / "mine.new").write_text("mine")
    os.utime(elsewhere / "mine.new", (1, 1))
    before = {p.name: p.read_text() for p in elsewhere.iterdir()}
    uses: list[Callable[[], Any]] = [
        lambda: store.update(nothing), lambda: store.claim_pending("t1"), lambda: store.put_pending("t1", {}),
        lambda: store.take_pending("t1"), lambda: store.sweep_pending(NOW), lambda: store.keep_data("/top", "a", "b"),
        lambda: store.log("recorded", NOW), lambda: store.enable(False),
    ]  # fmt: skip
    for use in uses:
        try:
            use()
        except OSError:
            continue
    assert {p.name: p.read_text() for p in elsewhere.iterdir()} == before


# -- pending runs


def test_of_several_deliveries_one_starts_and_one_ends_a_call(store: Store) -> None:
    assert [store.claim_pending("t1") for _ in range(3)] == [True, False, False]
    store.put_pending("t1", {"tree": "x"})
    assert [store.take_pending("t1") for _ in range(3)] == [{"tree": "x"}, None, None]
    assert os.listdir(os.path.join(store.folder, "pending")) == []


@pytest.mark.parametrize("other", ["t2", "", "T1", "t1 ", "t1.json"])
def test_calls_are_told_apart(other: str, store: Store) -> None:
    store.claim_pending("t1")
    store.put_pending("t1", {"tree": "x"})
    assert store.take_pending(other) is None
    assert store.take_pending("t1") == {"tree": "x"}


@pytest.mark.parametrize(
    "call", ["../../../x", "/etc/x", "a/b", "..", ".", "a\0b", "\ud800", "x" * 1_000_000, "CON", "a\nb", "~", "\u202e"]
)
def test_no_id_of_a_call_names_a_file(call: str, store: Store, tmp_path: Path) -> None:
    assert store.claim_pending(call)
    store.put_pending(call, {"tree": "x"})
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(files) == 1
    assert files[0].parent == Path(store.folder, "pending")
    assert re.fullmatch(r"[0-9a-f]{16}\.json", files[0].name)
    assert store.take_pending(call) == {"tree": "x"}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000], ids=lambda c: repr(c[:6]))
def test_what_is_no_pending_run_is_none(content: bytes, store: Store) -> None:
    store.claim_pending("t1")
    Path(store._pending("t1")).write_bytes(content)
    assert store.take_pending("t1") is None
    assert os.listdir(os.path.join(store.folder, "pending")) == []


def test_calls_that_never_ended_are_swept(store: Store) -> None:
    for call, age in (("old", stores.PENDING_AGE + 60), ("new", stores.PENDING_AGE - 60)):
        store.claim_pending(call)
        os.utime(store._pending(call), (NOW - age, NOW - age))
    store.sweep_pending(NOW)
    assert (os.path.exists(store._pending("old")), os.path.exists(store._pending("new"))) == (False, True)


def test_of_a_crowd_the_latest_stay(store: Store) -> None:
    calls = [f"t{n}" for n in range(stores.MOST_PENDING + 30)]
    for number, call in enumerate(calls):
        store.claim_pending(call)
        os.utime(store._pending(call), (NOW - 1000 + number,) * 2)
    store.sweep_pending(NOW)
    left = [c for c in calls if os.path.exists(store._pending(c))]
    assert left == calls[30:]


# -- data files


def test_what_runs_left_is_kept_for_each_tree(store: Store) -> None:
    assert store.data_left("/a") == ("", "")
    store.keep_data("/a", "1" * 16, "2" * 16)
    store.keep_data("/b", "3" * 16, "")
    assert store.data_left("/a") == ("1" * 16, "2" * 16)
    assert store.data_left("/b") == ("3" * 16, "")


# -- decisions


def test_the_latest_decisions_are_kept(store: Store) -> None:
    for n in range(300):
        store.log("recorded" if n % 2 else "too-slow", NOW + n, "x" * 1000)
    found = store.decisions()
    assert [d[0] for d in found][-1] == int(NOW) + 299
    assert 10 <= len(found) <= stores.KEPT_DECISIONS
    assert {d[1] for d in found} == {"recorded", "too-slow"}
    assert max(len(d[2]) for d in found) == 400
    assert os.stat(os.path.join(store.folder, "decisions.log")).st_size < 2 * stores.LONGEST_LOG


def test_what_is_no_decision_is_left_out(store: Store) -> None:
    store.log("recorded", NOW)
    with open(os.path.join(store.folder, "decisions.log"), "ab") as file:
        file.write(b'\xff\n{}\n[]\n[1,2]\n[1,"x","y"]\n["x","y","z",true]\n' + b"[" * 10_000 + b"\n")
    store.log("off", NOW)
    assert [d[1] for d in store.decisions()] == ["recorded", "off"]


# -- Windows, where a file that is open cannot be replaced


def test_a_busy_file_is_tried_again() -> None:
    answers: list[Any] = [PermissionError(), PermissionError(), 7]

    def action() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return int(answer)

    assert stores._patiently(action, 5) == 7


def test_a_file_that_stays_busy_is_given_up() -> None:
    tried = []

    def action() -> None:
        tried.append(1)
        raise PermissionError

    with pytest.raises(PermissionError):
        stores._patiently(action, 5)
    assert len(tried) == 5


def test_other_errors_are_not_tried_again() -> None:
    tried = []

    def action() -> None:
        tried.append(1)
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        stores._patiently(action, 5)
    assert len(tried) == 1


# -- bounds


@pytest.mark.parametrize("char", ["x", "\u20ac", "\U0001f600"])
def test_it_stays_below_3_mb_whatever_is_put_in(char: str, store: Store) -> None:
    """The latest tests stay."""
    def change(memory: Memory) -> None:
        for n in range(5_000):
            test = known(f"{n:05d}" + char * 395, runs=12, scope=char * 400)
            test.runs = [r._replace(time=int(NOW) + n) for r in test.runs]
            memory.tests.append(test)

    store.update(change)
    kept = sorted(int(t.id.name[:5]) for t in store.load().tests)
    assert store.size < 3_000_000
    assert kept == list(range(5_000 - len(kept), 5_000))
    assert len(kept) * len(json.dumps(char * 800)) > 1_000_000
