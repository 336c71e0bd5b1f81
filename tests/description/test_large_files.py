"""Files that hold too much are refused in one line before they take time and memory, by what they hold."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from symdyn.description.read import read_robot
from symdyn.description.urdf.xml_document import MAX_MARKS
from symdyn.description.yaml.document import MAX_NODES
from symdyn.errors import DescriptionError


@pytest.mark.parametrize(
    ("name", "entry"), [("many.urdf", "<x/>"), ("names.urdf", '<link name="b"/>'), ("comments.urdf", "<!---->")]
)
def test_an_xml_file_of_too_many_tags(tmp_path: Path, name: str, entry: str) -> None:
    file = tmp_path / name
    file.write_text('<robot name="r"><link name="a"/>' + entry * MAX_MARKS + "</robot>", encoding="ascii")
    before = time.process_time()
    with pytest.raises(DescriptionError, match=f"at most {MAX_MARKS} are read") as caught:
        read_robot(file)
    assert "\n" not in str(caught.value)
    # The tree alone would take longer; counting takes hundredths of a second.
    assert time.process_time() - before < 5.0


@pytest.mark.slow
def test_a_yaml_file_of_too_many_nodes(tmp_path: Path) -> None:
    file = tmp_path / "many.yaml"
    file.write_text("name: [" + "1," * (MAX_NODES + 10) + "1]\n", encoding="ascii")
    with pytest.raises(DescriptionError, match=f"many.yaml:1: more than {MAX_NODES} keys"):
        read_robot(file)


def test_nodes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdyn.description.yaml.document.MAX_NODES", 20)
    file = tmp_path / "many.yaml"
    file.write_text("name: r\nlinks:\n  a:\n" + "parameters: [" + "1, " * 30 + "1]\n", encoding="ascii")
    with pytest.raises(DescriptionError, match=r"many\.yaml:4: more than 20 keys"):
        read_robot(file)
