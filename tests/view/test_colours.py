"""Colours of files: of materials of URDF, of meshes with their materials, kept by ``convert`` and drawn."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.page import shown
from symdyn.errors import DescriptionError

URDF = """
<robot name="painted">
  <material name="steel"><color rgba="0.5 0.25 0 1"/></material>
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry><material name="steel"/></visual>
    <visual><geometry><sphere radius="0.3"/></geometry><material name="glass"><color rgba="0 0 1 0.4"/></material>
    </visual>
    <visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="two.obj" scale="1 1 -1"/></geometry></visual>
    <visual><geometry><cylinder radius="0.1" length="1"/></geometry><material name="glass"/></visual>
    <visual><geometry><cylinder radius="0.1" length="1"/></geometry><material name=""><color rgba="2 x 0 1"/></material>
    </visual></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>
"""
OBJ = """mtllib two.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
usemtl red
f 1 3 2
f 1 2 4
usemtl clear
f 1 4 3
f 2 3 4
"""
MTL = """newmtl red
Ka 0 0 0
Kd 1 0 0
map_Kd /etc/passwd
newmtl clear
Kd 0 1 0
d 0.5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "two.obj").write_text(OBJ)
    (tmp_path / "two.mtl").write_text(MTL)
    return tmp_path


def drawn(robot: symdyn.Robot, folder: Path) -> list[tuple[str, tuple[int, int, int], float]]:
    scene = scene_of(robot, robot.neutral(), mesh_folders=[folder])
    assert [own["colour"] for own in shown(scene)["solids"]] == [list(own.colour) for own in scene.solids]
    return [(own.name, own.colour, own.opacity) for own in scene.solids]


def test_colours_of_urdf_and_of_meshes_are_drawn_and_kept_by_convert(folder: Path) -> None:
    robot = symdyn.loads(URDF, "urdf")
    found = drawn(robot, folder)
    assert found[0] == ("base/visual_0", (128, 64, 0), 1.0)
    assert found[1] == ("base/visual_1", (0, 0, 255), 0.4)
    assert found[3:] == [
        ("arm/visual_0", (0, 255, 0), 0.5),
        ("arm/visual_1", (255, 0, 0), 1.0),
        ("arm/visual_2", (0, 0, 255), 0.4),  # named on another link
        ("arm/visual_3", found[6][1], 1.0),  # no colour: that of the link
    ]
    assert found[2][1] != found[6][1], "links without colour differ"
    text = robot.to_yaml(looks=True)
    assert "colour: [0.5, 0.25, 0.0]" in text and "colour: [0.0, 0.0, 1.0, 0.4]" in text
    again = symdyn.loads(text, "yaml")
    assert [own.visuals for own in again.description.links] == [own.visuals for own in robot.description.links]
    assert drawn(again, folder) == found


def test_a_reflected_mesh_of_two_colours_is_whole(folder: Path) -> None:
    robot = symdyn.loads(URDF, "urdf")
    pieces = [own for own in scene_of(robot, robot.neutral(), mesh_folders=[folder]).solids if own.frame == "arm"][:2]
    corners = np.concatenate([own.vertices[own.faces] for own in pieces])
    volume = np.einsum("ki,ki->k", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
    assert volume == pytest.approx(1.0 / 6.0, rel=1e-6)


def test_a_colour_of_the_robot_counts_for_a_whole_mesh(folder: Path) -> None:
    text = URDF.replace('two.obj" scale="1 1 -1"/></geometry>', 'two.obj"/></geometry><material name="steel"/>')
    found = drawn(symdyn.loads(text, "urdf"), folder)
    assert [own[1:] for own in found[3:5]] == [((128, 64, 0), 1.0)] * 2


def _surface(name: str, colour: str, faces: str) -> tuple[str, str, str, str]:
    """Effect, material, triangles and binding of one colour of a COLLADA file."""
    return (
        f'<effect id="{name}-e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>{colour}</color></diffuse>'
        "</lambert></technique></profile_COMMON></effect>",
        f'<material id="{name}"><instance_effect url="#{name}-e"/></material>',
        f'<triangles count="2" material="{name}-m"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p>'
        "</triangles>",
        f'<instance_material symbol="{name}-m" target="#{name}"/>',
    )


def dae() -> str:
    """The tetrahedron with two faces in red and two in a pale blue, one unit below where its node puts it."""
    effects, materials, triangles, bound = zip(
        _surface("red", "1 0 0 1", "0 2 1 0 1 3"), _surface("blue", "0.2 0.4 1 1", "0 3 2 1 2 3"), strict=True
    )
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>
    <unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset><library_effects>{"".join(effects)}</library_effects>
    <library_materials>{"".join(materials)}</library_materials><library_geometries><geometry id="g"><mesh>
    <source id="s"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>
    <accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
    <param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{"".join(triangles)}</mesh></geometry>
    </library_geometries><library_visual_scenes><visual_scene id="w"><node id="n"><translate>0 0 1</translate>
    <instance_geometry url="#g"><bind_material><technique_common>{"".join(bound)}</technique_common></bind_material>
    </instance_geometry></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def stl(head: bytes, words: Sequence[int]) -> bytes:
    """The tetrahedron with a word of 16 bits after each of its four faces."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    rows = [
        struct.pack("<12fH", 0, 0, 0, *corners[face].ravel(), word) for face, word in zip(faces, words, strict=True)
    ]
    return head.ljust(80, b" ") + struct.pack("<I", len(rows)) + b"".join(rows)


def test_colours_of_the_materials_of_collada(tmp_path: Path) -> None:
    (tmp_path / "two.dae").write_text(dae())
    robot = symdyn.loads(URDF.replace("two.obj", "two.dae").replace('scale="1 1 -1"', ""), "urdf")
    found = drawn(robot, tmp_path)
    assert [own[1:] for own in found[3:5]] == [((51, 102, 255), 1.0), ((255, 0, 0), 1.0)]
    pieces = scene_of(robot, robot.neutral(), mesh_folders=[tmp_path]).solids[3:5]
    assert [len(piece.faces) for piece in pieces] == [2, 2]
    assert min(piece.vertices[:, 2].min() for piece in pieces) == pytest.approx(1.0)


WHOLE = b"made COLOR=" + bytes([0, 51, 255, 255])
RED_LAST, RED_FIRST, OFF = 31 << 10 | 1 << 15, 31, 0
"""Red in the words of VisCAM and of Magics, and a face of VisCAM without a colour of its own."""


@pytest.mark.parametrize(
    ("head", "words", "colours"),
    [
        (b"plain", [OFF] * 4, [None]),
        (b"solid no text", [RED_LAST, RED_LAST, OFF, OFF], [None, (255, 0, 0)]),
        (WHOLE, [RED_FIRST, RED_FIRST, 1 << 15, 1 << 15], [(0, 51, 255), (255, 0, 0)]),
    ],
)
def test_colours_of_binary_stl(
    head: bytes, words: list[int], colours: list[tuple[int, int, int] | None], tmp_path: Path
) -> None:
    (tmp_path / "two.stl").write_bytes(stl(head, words))
    robot = symdyn.loads(URDF.replace("two.obj", "two.stl"), "urdf")
    found = drawn(robot, tmp_path)
    plain = found[-1][1]  # of a shape without a colour
    assert [own[1] for own in found[3:-2]] == [plain if colour is None else colour for colour in colours]


@pytest.mark.parametrize("address", ["../two.mtl", "/etc/passwd", "sub/two.mtl", "link.mtl", "two.txt"])
def test_materials_elsewhere_are_not_opened(address: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import symdyn.robot.meshes as meshes

    inner = folder / "inner"
    inner.mkdir()
    (inner / "link.mtl").symlink_to(folder / "two.mtl")
    (inner / "two.obj").write_text(OBJ.replace("two.mtl", address))
    opened, read = [], meshes.read_regular

    def watched(path: Path, most: int) -> bytes:
        opened.append(Path(path).name)
        return read(path, most)

    monkeypatch.setattr(meshes, "read_regular", watched)
    found = drawn(symdyn.loads(URDF, "urdf"), inner)
    assert opened == ["two.obj"] and len(found) == 6


def test_colours_that_are_none_are_refused_in_yaml() -> None:
    text = symdyn.loads(URDF, "urdf").to_yaml(looks=True)
    for wrong in ("[0.5, 0.25]", "[0.5, 0.25, 1.5]"):
        with pytest.raises(DescriptionError, match="colour: expected 3 or 4 numbers from 0 to 1"):
            symdyn.loads(text.replace("[0.5, 0.25, 0.0]", wrong), "yaml")
