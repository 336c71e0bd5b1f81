"""Writing a generated folder: whole files, nothing left over, nothing outside."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from symdyn.emit.source import SourceFile
from symdyn.errors import InternalError, RequestError
from symdyn.toolchain.folder import write_folder


def files(toy: Any, *dropped: str) -> list[SourceFile]:
    kept = [source for source in toy.sources if source.path not in dropped]
    names = tuple(name for name in toy.manifest.sources if name not in dropped)
    manifest = dataclasses.replace(toy.manifest, sources=names)
    return [SourceFile("manifest.json", manifest.to_json()), *kept, SourceFile("python/toy_arm.py", "é\n")]


def test_files_are_written_below_the_folder(toy: Any, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "down"
    write_folder(folder, files(toy))
    for file in files(toy):
        assert (folder / file.path).read_bytes() == file.text.encode()
    assert len([path for path in folder.rglob("*") if path.is_file()]) == len(files(toy))


def test_what_an_earlier_run_wrote_and_this_one_does_not_is_removed(toy: Any, tmp_path: Path) -> None:
    write_folder(tmp_path, files(toy))
    (tmp_path / "notes.c").write_text("mine")
    write_folder(tmp_path, files(toy, "toy_arm_scaled.c"))
    assert not (tmp_path / "toy_arm_scaled.c").exists()
    assert (tmp_path / "toy_arm_products.c").exists()
    assert (tmp_path / "notes.c").exists()


def test_an_earlier_manifest_cannot_have_files_elsewhere_removed(toy: Any, tmp_path: Path) -> None:
    victim = tmp_path / "victim.c"
    victim.write_text("mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    manifest = dataclasses.replace(toy.manifest, sources=("../victim.c",), header=str(victim))
    (folder / "manifest.json").write_text(manifest.to_json())
    write_folder(folder, files(toy))
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("path", ["../evil.c", "/evil.c", "a/../../evil.c"])
def test_paths_out_of_the_folder_are_our_fault(tmp_path: Path, path: str) -> None:
    with pytest.raises(InternalError, match="would leave its folder"):
        write_folder(tmp_path / "folder", [SourceFile(path, "")])


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError, match="cannot write to the output folder"):
        write_folder(tmp_path / "file", [SourceFile("a.c", "")])


def test_a_file_that_cannot_be_written_leaves_no_remains(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("a file where the folder should be")
    with pytest.raises(RequestError, match="cannot write to the output folder"):
        write_folder(tmp_path, [SourceFile("python/a.py", "")])
    assert [path.name for path in tmp_path.iterdir()] == ["python"]


def test_files_of_someone_else_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine too")
    with pytest.raises(RequestError, match=r"was not made by symdyn and holds README.md, which would be overwritten"):
        write_folder(tmp_path, [SourceFile("a.c", ""), SourceFile("README.md", "")])
    assert {path.name for path in tmp_path.iterdir()} == {"README.md", "notes.txt"}
    write_folder(tmp_path, [SourceFile("a.c", "")])
    assert (tmp_path / "a.c").exists() and (tmp_path / "README.md").read_text() == "mine"
