"""Reading a generated folder back: what is complete and untouched is accepted, everything else is refused."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from symdyn.errors import VerificationError
from symdyn.interface.manifest import FILE_NAME, ROBOT_FILE, Manifest
from symdyn.verify.harness.folder import read_folder


def manifest_of(texts: Mapping[str, str]) -> str:
    files = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    return Manifest("swing", "swing", "1", "c", "float64", (), ("swing.c",), files=files).to_json()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small generated folder."""
    import symdyn
    from symdyn.description.yaml.write import write_yaml

    texts = {ROBOT_FILE: write_yaml(symdyn.load_example("pendulum").description), "swing.c": "int swing;\n"}
    made = tmp_path / "swing"
    made.mkdir()
    for name, text in {**texts, FILE_NAME: manifest_of(texts)}.items():
        (made / name).write_bytes(text.encode())
    return made


def test_an_untouched_folder(folder: Path) -> None:
    (folder / "module.so").write_bytes(b"\x7fELF")
    found = read_folder(folder)
    assert found.manifest.robot == "swing"
    assert found.description.joints
    assert found.texts["swing.c"] == "int swing;\n"


def test_a_changed_file(folder: Path) -> None:
    assert read_folder(folder).changed == ()
    (folder / "swing.c").write_text("int swung;\n")
    assert read_folder(folder).changed == ("swing.c",)


@pytest.mark.parametrize("missing", [FILE_NAME, ROBOT_FILE, "swing.c"])
def test_a_missing_file(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(VerificationError, match=f"not a complete generated folder: {missing}: No such file"):
        read_folder(folder)


def test_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match="name the folder that 'symdyn generate' wrote"):
        read_folder(tmp_path / "nowhere")


def test_a_pipe_instead_of_a_file(folder: Path) -> None:
    (folder / "swing.c").unlink()
    os.mkfifo(folder / "swing.c")
    with pytest.raises(VerificationError, match=r"swing\.c: not a regular file"):
        read_folder(folder)


def test_a_path_that_cannot_be_one() -> None:
    with pytest.raises(VerificationError, match="embedded null byte") as caught:
        read_folder(Path("a\0b"))
    assert "\n" not in str(caught.value)


def test_a_manifest_that_lists_no_robot(folder: Path) -> None:
    (folder / FILE_NAME).write_text(manifest_of({}))
    with pytest.raises(VerificationError, match=r"manifest\.json lists no robot\.yaml"):
        read_folder(folder)


def test_binary_instead_of_text(folder: Path) -> None:
    (folder / "swing.c").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(VerificationError, match=r"swing\.c: not UTF-8"):
        read_folder(folder)


def test_a_robot_that_cannot_be_read(folder: Path) -> None:
    (folder / ROBOT_FILE).write_text("nonsense: [")
    texts = {"swing.c": "int swing;\n", ROBOT_FILE: "nonsense: ["}
    (folder / FILE_NAME).write_text(manifest_of(texts))
    with pytest.raises(VerificationError, match=r"swing/robot\.yaml cannot be read back"):
        read_folder(folder)


def test_a_manifest_of_another_kind(folder: Path) -> None:
    (folder / FILE_NAME).write_text("{}")
    with pytest.raises(VerificationError, match="not a manifest of symdyn"):
        read_folder(folder)
