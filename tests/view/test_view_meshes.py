"""Shapes of URDF files: where meshes are looked for and where never, and what is drawn of them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

import symdyn
from symdyn.analysis.view.build import scene_of
from symdyn.cli.main import main
from symdyn.errors import RequestError, SymdynWarning
from symdyn.robot.meshes import MeshFolders

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def urdf(geometry: str, origin: str = "") -> str:
    return (
        "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        f"<visual>{origin}<geometry>{geometry}</geometry></visual></link>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/></joint></robot>"
    )


def mesh(address: str, scale: str = "1 1 1") -> symdyn.Robot:
    origin = "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/>"
    return symdyn.loads(urdf(f"<mesh filename='{address}' scale='{scale}'/>", origin), format="urdf")


def stl() -> bytes:
    rows = [struct.pack("<12fH", 0, 0, 0, *CORNERS[list(face)].ravel(), 0) for face in FACES]
    return bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def obj() -> bytes:
    lines = ["mtllib ../../secret.mtl", *(f"v {x} {y} {z}" for x, y, z in CORNERS)]
    lines += ["f " + " ".join(str(one + 1) for one in face) for face in FACES]
    return "\n".join(lines).encode()


def dae() -> bytes:
    """The same in millimetres."""
    numbers = " ".join(f"{1000 * x:g}" for x in CORNERS.ravel())
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>
    <unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
    <source id="s"><float_array id="a" count="12">{numbers}</float_array><technique_common>
    <accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
    <param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#s"/></vertices><triangles count="4">
    <input semantic="VERTEX" source="#v" offset="0"/><p>{" ".join(str(n) for face in FACES for n in face)}</p>
    </triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="w"><node id="n">
    <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#w"/></scene></COLLADA>""".encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package ``tool`` with three meshes, and a file beside it that nobody may see."""
    package = tmp_path / "tool"
    (package / "meshes").mkdir(parents=True)
    for kind, data in (("stl", stl()), ("obj", obj()), ("dae", dae())):
        (package / "meshes" / f"part.{kind}").write_bytes(data)
    (tmp_path / "secret.stl").write_bytes(stl())
    return package


@pytest.mark.parametrize("kind", ["stl", "obj", "dae"])
def test_meshes_stand_where_the_file_puts_them(kind: str, folder: Path) -> None:
    robot = mesh(f"package://tool/meshes/part.{kind}", "0.5 0.5 -0.5")
    for place in (folder, folder.parent):
        (own,) = scene_of(robot, robot.neutral(), mesh_folders=[place]).solids
        scaled = CORNERS * [0.5, 0.5, -0.5]
        expected = np.stack([-scaled[:, 1], scaled[:, 0], scaled[:, 2] + 1.0], axis=-1)  # a quarter turn about z
        found = np.unique(np.round(own.vertices, 7), axis=0)  # STL and DAE hold single precision
        np.testing.assert_allclose(found, np.unique(np.round(expected, 7), axis=0), atol=1e-6)
        corners = own.vertices[own.faces]
        volume = np.einsum("ki,ki->k", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
        assert volume == pytest.approx(0.125, rel=1e-6), "faces look outwards although it is reflected"
    relative = mesh(f"meshes/part.{kind}")
    assert len(scene_of(relative, relative.neutral(), mesh_folders=[folder]).solids) == 1


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("../secret.stl", "'..'"),
        ("package://tool/../../secret.stl", "'..'"),
        ("meshes/../../secret.stl", "'..'"),
        ("/etc/passwd.stl", "only package:// and relative"),
        ("package:///etc/passwd.stl", "only package:// and relative"),
        ("file:///etc/passwd.stl", "only package:// and relative"),
        ("http://example.org/part.stl", "only package:// and relative"),
        ("C:/part.stl", "only package:// and relative"),
        ("..\\secret.stl", "'..'"),
        ("meshes/link.stl", "symbolic link"),
        ("meshes/up/secret.stl", "symbolic link"),
    ],
)
def test_nothing_outside_the_folders_is_opened(
    address: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "meshes" / "link.stl").symlink_to(folder.parent / "secret.stl")
    (folder / "meshes" / "up").symlink_to(folder.parent, target_is_directory=True)
    robot = mesh(address)
    with pytest.raises(RequestError, match="mesh") as refused:
        scene_of(robot, robot.neutral(), mesh_folders=[folder])
    assert said in str(refused.value)
    file = folder / "robot.urdf"
    file.write_text(urdf(f"<mesh filename='{address}'/>"))
    picture = str(folder / "a.png")
    assert main(["view", str(file), "--mesh-folder", str(folder), "--picture", picture]) == 2
    error = capsys.readouterr().err
    assert error.count("error:") == 1 and error.count("\n") == 1 and not Path(picture).exists()


@pytest.mark.parametrize(
    ("address", "data", "said"),
    [
        ("meshes/none.stl", None, "in none of the mesh folders"),
        ("meshes/part.ply", b"ply", "read are .stl"),
        ("meshes/part.stl", b"solid nothing", "no faces|cannot be read"),
        (
            "meshes/part.dae",
            b"<!DOCTYPE a [<!ENTITY b SYSTEM '/etc/passwd'>]>" + b"<COLLADA>&b;</COLLADA>",
            "document type",
        ),
    ],
)
def test_a_mesh_that_cannot_be_shown_is_a_capsule(address: str, data: bytes | None, said: str, folder: Path) -> None:
    if data is not None:
        (folder / address).write_bytes(data)
    robot = mesh(address)
    with pytest.warns(SymdynWarning, match=said) as told:
        scene = scene_of(robot, robot.neutral(), mesh_folders=[folder])
    assert len(told) == 1
    assert [own.name for own in scene.solids] == ["arm/inertia"]


def test_without_a_folder_no_mesh_is_looked_for() -> None:
    robot = mesh("/etc/passwd.stl")
    assert [own.name for own in scene_of(robot, robot.neutral()).solids] == ["arm/inertia"]


@pytest.mark.parametrize(
    ("geometry", "extent"),
    [
        ("<box size='1 2 3'/>", (1, 2, 3)),
        ("<cylinder radius='0.5' length='2'/>", (1, 1, 2)),
        ("<sphere radius='0.5'/>", (1, 1, 1)),
    ],
)
def test_plain_shapes_are_drawn(geometry: str, extent: tuple[float, ...]) -> None:
    robot = symdyn.loads(urdf(geometry), format="urdf")
    (own,) = scene_of(robot, robot.neutral()).solids
    np.testing.assert_allclose(np.ptp(own.vertices, axis=0), extent, rtol=0.03)  # rounds have corners


@pytest.mark.parametrize("geometry", ["<box size='1 2'/>", "<sphere radius='-1'/>", "<mesh/>", ""])
def test_a_shape_that_is_wrong_refuses_no_robot(geometry: str) -> None:
    robot = symdyn.loads(urdf(geometry), format="urdf")
    with pytest.warns(SymdynWarning, match="link 'arm'"):
        scene_of(robot, robot.neutral(), mesh_folders=["."])


def test_large_meshes_are_made_coarser_and_keep_their_form(tmp_path: Path) -> None:
    trimesh.creation.icosphere(subdivisions=5, radius=0.5).export(tmp_path / "ball.stl")
    robot = mesh("ball.stl")
    (own,) = scene_of(robot, robot.neutral(), mesh_folders=[tmp_path]).solids
    assert 4000 < len(own.faces) <= 20000
    away = np.linalg.norm(own.vertices - [0.0, 0.0, 1.0], axis=1)
    np.testing.assert_allclose(away, 0.5, atol=1e-6)


def test_a_folder_that_the_address_names_holds_what_comes_after_it(tmp_path: Path) -> None:
    package = tmp_path / "hound_description"
    (package / "meshes").mkdir(parents=True)
    trimesh.creation.box().export(package / "meshes/leg.stl")
    address = "package://data/robots/hound_description/meshes/leg.stl"
    assert MeshFolders([package]).find(address) == (package / "meshes/leg.stl").resolve()
    assert MeshFolders([tmp_path]).find(address) is None  # another robot's meshes may have the same names
    said = MeshFolders([tmp_path]).missing(address)
    assert f"('{tmp_path}')" in said and "holds 'data', or is named 'data' or 'robots' or 'hound_description'" in said
