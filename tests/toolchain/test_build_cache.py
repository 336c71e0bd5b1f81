"""The cache: private, shared by processes, healed where damaged."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symdyn.errors import ToolchainError
from symdyn.interface import processor
from symdyn.toolchain import cache


def put(address: str, content: bytes = b"code", name: str = "module.so") -> cache.Entry:
    with cache.build_folder() as folder:
        (folder / name).write_bytes(content)
        return cache.publish(
            address, folder / name, seconds=1.5, kind="extension", text_bytes=len(content), manifest="{}"
        )


def test_what_is_put_in_is_found(empty_cache: Path) -> None:
    assert cache.lookup("a" * 64) is None
    entry = put("a" * 64)
    assert entry.path.read_bytes() == b"code"
    assert cache.lookup("a" * 64) == entry
    assert (entry.seconds, entry.kind, entry.text_bytes) == (1.5, "extension", 4)
    assert not any((empty_cache / "builds").iterdir())


def test_only_the_owner_may_enter(empty_cache: Path) -> None:
    previous = os.umask(0)
    try:
        put("a" * 64)
    finally:
        os.umask(previous)
    for folder in (empty_cache, empty_cache / "entries", empty_cache / "entries" / ("a" * 64)):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("inner", ["", "entries"])
@pytest.mark.parametrize(
    ("mode", "who"),
    [(0o777, "every user"), (0o1777, "every user"), (0o770, "everyone in group"), (0o2775, "everyone in group")],
)
def test_a_folder_that_others_may_write_is_refused(empty_cache: Path, inner: str, mode: int, who: str) -> None:
    put("a" * 64)
    (empty_cache / inner).chmod(mode)
    with pytest.raises(ToolchainError, match=rf"writable by {who}.*chmod 700.*SYMDYN_CACHE_DIR"):
        cache.lookup("a" * 64)
    (empty_cache / inner).chmod(0o755)
    assert cache.lookup("a" * 64) is not None


@pytest.mark.parametrize("name", ["~nobody_here/cache", "~nobody_here", "x" * 300, "half\udcff"])
def test_a_path_that_leads_nowhere(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDYN_CACHE_DIR", name)
    if name.startswith("half"):  # a name that is no text in any encoding, yet one that the file system takes
        monkeypatch.setattr(Path, "mkdir", lambda *_, **__: (_ for _ in ()).throw(ValueError("odd path")))
    with pytest.raises(ToolchainError, match=r"SYMDYN_CACHE_DIR") as caught:
        cache.root()
    assert "\n" not in str(caught.value)


def test_without_a_home_or_a_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(self: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", unknown)
    with pytest.raises(ToolchainError, match="which leads nowhere"):
        cache.root()
    monkeypatch.undo()
    monkeypatch.setenv("SYMDYN_CACHE_DIR", "relative")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ToolchainError, match=r"\$SYMDYN_CACHE_DIR is 'relative', which leads nowhere"):
        cache.root()


def test_a_folder_of_another_user_is_refused(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("a" * 64)
    monkeypatch.setattr(os, "geteuid", lambda: empty_cache.stat().st_uid + 1)
    with pytest.raises(ToolchainError, match=r"belongs to user \d+, expected \d+.*SYMDYN_CACHE_DIR"):
        cache.lookup("a" * 64)


def test_a_folder_that_cannot_be_written_is_refused(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty_cache.mkdir()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ToolchainError, match="not writable"):
        cache.root()


def test_a_file_in_the_way_is_refused(empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.root()
    (empty_cache / "entries").write_text("")
    with pytest.raises(ToolchainError, match="cannot use cache folder"):
        cache.lookup("a" * 64)
    monkeypatch.setenv("SYMDYN_CACHE_DIR", str(empty_cache / "entries" / "below"))
    with pytest.raises(ToolchainError, match=r"cannot use cache folder.*SYMDYN_CACHE_DIR"):
        cache.root()


def test_without_the_variable_it_is_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYMDYN_CACHE_DIR")
    monkeypatch.setattr(cache.platformdirs, "user_cache_path", lambda name: tmp_path / "home" / name)
    assert cache.root() == tmp_path / "home" / "symdyn"


def test_the_key_depends_on_every_part_and_their_borders() -> None:
    keys = {cache.key(parts) for parts in (["a", "b"], ["ab"], ["b", "a"], ["a", "b", ""], ["a"])}
    assert len(keys) == 5
    assert all(len(key) == 64 for key in keys)
    assert cache.key(["a", "b"]) == cache.key(("a", "b"))
    assert len(cache.key(["\udc80"])) == 64


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: entry.path.write_bytes(b"evil"),
        lambda entry: entry.path.unlink(),
        lambda entry: (entry.path.parent / "record.json").write_text("{"),
        lambda entry: (entry.path.parent / "record.json").write_text("{}"),
        lambda entry: (entry.path.parent / "record.json").write_bytes(b"\xff"),
        lambda entry: (entry.path.parent / "record.json").write_text("[" * 100_000),
        lambda entry: (entry.path.parent / "record.json").write_text("9" * 10_000),
        *(
            lambda entry, change=change: (entry.path.parent / "record.json").write_text(
                json.dumps(json.loads((entry.path.parent / "record.json").read_text()) | change)
            )
            for change in ({"file": 3}, {"sha256": None}, {"seconds": "1"}, {"kind": []}, {"text_bytes": 1.5}, {"x": 1})
        ),
        lambda entry: (entry.path.parent / "record.json").unlink(),
    ],
)
def test_a_damaged_entry_counts_as_absent_and_is_replaced(empty_cache: Path, damage: Callable[[Any], Any]) -> None:
    damage(put("a" * 64))
    assert cache.lookup("a" * 64) is None
    assert put("a" * 64, b"new").path.read_bytes() == b"new"
    assert cache.lookup("a" * 64) is not None
    assert not any((empty_cache / "builds").iterdir())


def test_a_record_cannot_point_out_of_its_entry(empty_cache: Path) -> None:
    entry = put("a" * 64)
    outside = empty_cache / "outside.so"
    outside.write_bytes(b"code")
    record = entry.path.parent / "record.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"file": "../../outside.so"}))
    assert cache.lookup("a" * 64) is None


def test_the_first_of_two_builders_wins(empty_cache: Path) -> None:
    first = put("a" * 64, b"first")
    assert put("a" * 64, b"second") == first
    assert first.path.read_bytes() == b"first"
    assert not any((empty_cache / "builds").iterdir())


def test_an_entry_that_cannot_be_replaced(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("a" * 64).path.write_bytes(b"evil")
    monkeypatch.setattr(cache, "discard", lambda folder: None)
    with pytest.raises(ToolchainError, match="could not be replaced; remove it by hand"):
        put("a" * 64)


def test_a_full_disk(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with cache.build_folder() as folder:
        (folder / "module.so").write_bytes(b"code")
        monkeypatch.setattr(Path, "write_text", full)
        with pytest.raises(ToolchainError, match=r"cannot write to the cache.*No space left.*SYMDYN_CACHE_DIR"):
            cache.publish("a" * 64, folder / "module.so", seconds=0, kind="ctypes", text_bytes=0, manifest="")


def test_no_room_for_a_build(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.place("builds")

    def full(self: Path, **_: Any) -> None:
        if self.parent.name == "builds":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(ToolchainError, match=r"cannot write to the cache.*No space left"), cache.build_folder():
        raise AssertionError


def test_failed_builds_are_kept_once(empty_cache: Path) -> None:
    for text in ("first", "second"):
        with cache.build_folder() as folder:
            (folder / "robot.c").write_text(text)
            kept = cache.keep_failed("b" * 64, folder)
        assert (kept / "robot.c").read_text() == text
    assert len(list((empty_cache / "failed").iterdir())) == 1


def test_a_failed_build_stays_where_it_is_if_it_cannot_be_moved(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError("busy")

    with cache.build_folder() as folder:
        monkeypatch.setattr(Path, "rename", refuse)
        assert cache.keep_failed("b" * 64, folder) == folder


def test_clear_removes_what_is_symdyns_only(empty_cache: Path, tmp_path: Path) -> None:
    put("a" * 64)
    (empty_cache / "notes.txt").write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("")
    (empty_cache / "zig").symlink_to(tmp_path / "elsewhere")
    cache.clear()
    assert [path.name for path in empty_cache.iterdir()] == ["notes.txt"]
    assert (tmp_path / "elsewhere" / "file").exists()
    assert cache.lookup("a" * 64) is None
    cache.clear()


def test_cpu_features_name_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def describe(text: str | None) -> str:
        def read(self: Path, **_: Any) -> str:
            if text is None:
                raise FileNotFoundError(self)
            return text

        monkeypatch.setattr(Path, "read_text", read)
        return processor.cpu_features()

    with_features = describe("processor : 0\nflags\t\t: fpu avx2 avx\n\nprocessor : 1\nflags : other\n")
    assert with_features.endswith(" avx avx2 fpu")
    assert describe("Features : asimd fp\n").endswith(" asimd fp")
    asked = describe(None)
    assert describe("processor : 0\n") == asked
    assert asked not in (with_features, "")
    # archspec was asked: the kind comes first, then what the processor itself says that it has
    assert asked.split()[1] == processor.microarchitecture()
