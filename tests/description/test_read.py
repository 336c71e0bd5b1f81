"""Files as they lie on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import CORPUS

from symdyn.description import read as reading
from symdyn.description.read import read_robot, read_text
from symdyn.errors import DescriptionError


def test_content_decides_before_the_suffix(tmp_path: Path) -> None:
    disguised = tmp_path / "robot.yaml"
    disguised.write_bytes((CORPUS / "plain.urdf").read_bytes())
    assert read_robot(disguised).name == "post"
    bare = tmp_path / "robot"
    bare.write_bytes((CORPUS / "utf16.urdf").read_bytes())
    assert read_robot(str(bare)).name == "post"


def test_suffix_decides_where_content_is_no_xml(tmp_path: Path) -> None:
    text = tmp_path / "robot.URDF"
    text.write_text("name: derrick\n")
    with pytest.raises(DescriptionError, match="not well-formed XML"):
        read_robot(text)


@pytest.mark.parametrize(
    ("root", "way"),
    [("mujoco", "format='mjcf'"), ("mujocoinclude", "the model that includes it"), ("sdf", "convert it to URDF")],
)
def test_another_format_than_asked_for_is_named(root: str, way: str) -> None:
    with pytest.raises(DescriptionError, match=rf"root element <{root}> this is .*{way}"):
        read_text(f"<{root}/>", "urdf")


def test_missing_file() -> None:
    with pytest.raises(DescriptionError, match=r"^gone\.urdf: no such file"):
        read_robot("some/where/gone.urdf")


def test_folders_and_devices_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="not a regular file"):
        read_robot(tmp_path)
    with pytest.raises(DescriptionError, match=r"^null: not a regular file"):
        read_robot(os.devnull)


def test_names_that_no_file_can_have() -> None:
    with pytest.raises(DescriptionError, match=r"^a\?b\.urdf: "):
        read_robot("a\0b.urdf")


def test_a_name_too_long_for_the_system() -> None:
    with pytest.raises(DescriptionError, match=r"cannot be read: .+"):
        read_robot("x" * 5000)


def test_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 100)
    with pytest.raises(DescriptionError, match="larger than 0 MiB"):
        read_robot(CORPUS / "plain.urdf")


def test_control_characters_of_a_file_name_stay_out_of_messages(tmp_path: Path) -> None:
    path = tmp_path / "a\nb.urdf"
    path.write_text("<robot name='r'><link name='a'/></robot>")
    assert read_robot(path).source == "a?b.urdf"


def test_reading_loads_its_parsers_only_when_used() -> None:
    # The room stays light for programs that never read a file.
    heavy = ("lxml", "pydantic", "ruamel", "numpy")
    script = f"import sys, symdyn.description.read; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
