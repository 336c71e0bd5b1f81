"""One document out of a file and what it includes: which files are read, and from where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from symdyn.description.mjcf.document import Document, document_of
from symdyn.errors import DescriptionError


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def read(folder: Path, text: str, *folders: Path) -> Document:
    return document_of(text.encode(), "robot.xml", folder, folders)


def model(inside: str) -> str:
    return f"<mujoco>\n{inside}\n</mujoco>"


def test_included_elements_stand_where_the_include_stood(tmp_path: Path) -> None:
    put(
        tmp_path, parts__arm_dot_xml="<mujocoinclude>\n\n<body name='arm'/>\n<include file='hand.xml'/></mujocoinclude>"
    )
    put(tmp_path, hand_dot_xml="<mujoco><body name='hand'/></mujoco>")
    found = read(tmp_path, model("<worldbody><body name='a'/><include file='parts/arm.xml'/><geom/></worldbody>"))
    root = etree.fromstring(found.xml)
    assert [element.get("name", element.tag) for element in root[0]] == ["a", "arm", "hand", "geom"]
    assert found.origins[3] == ("arm.xml", 3, "body")
    assert found.origins[4][0] == "hand.xml"
    assert [element.sourceline for element in root.iter()] == list(range(1, len(found.origins) + 1))
    assert found.line("body", "a") == 2
    assert found.line("body", "arm") is None  # it is in another file


def test_meshes_come_along_under_plain_names(tmp_path: Path) -> None:
    put(tmp_path, stl__hull_dot_stl="solid", stl__deep__b_dot_obj="v")
    found = read(
        tmp_path,
        model(
            "<compiler meshdir='stl'/><asset><mesh file='hull.stl'/><mesh name='m' file='deep/b.obj'/>"
            "<mesh name='again' file='hull.stl'/><texture file='sky.png'/><material name='x' texture='t'/></asset>"
        ),
    )
    root = etree.fromstring(found.xml)
    assert found.files == {"file0.stl": b"solid", "file1.obj": b"v"}
    assert [(mesh.get("name"), mesh.get("file")) for mesh in root.iter("mesh")] == [
        ("hull", "file0.stl"),
        ("m", "file1.obj"),
        ("again", "file0.stl"),
    ]
    assert found.meshes == {"hull": "stl/hull.stl", "m": "stl/deep/b.obj", "again": "stl/hull.stl"}
    assert root.find("asset/texture") is None
    assert "texture" not in root.find("asset/material").attrib
    assert not root.find("compiler").attrib


def test_strippath_drops_folders_of_addresses(tmp_path: Path) -> None:
    put(tmp_path, hull_dot_stl="solid")
    found = read(
        tmp_path, model("<compiler strippath='true'/><asset><mesh file='C:\\\\cad\\\\..\\\\hull.stl'/></asset>")
    )
    assert found.meshes == {"hull": "hull.stl"}


@pytest.mark.parametrize("address", ["../secret.xml", "../other/../secret.xml", "{outside}/secret.xml", "link.xml"])
def test_nothing_outside_is_read_unless_its_folder_is_named(tmp_path: Path, address: str) -> None:
    outside, own = tmp_path, tmp_path / "own"
    put(outside, secret_dot_xml="<mujoco><worldbody/></mujoco>", own__robot_dot_xml="", other__a_dot_txt="")
    (own / "link.xml").symlink_to(outside / "secret.xml")
    text = model(f"<include file='{address.format(outside=outside)}'/>")
    with pytest.raises(
        DescriptionError, match=r"^robot.xml:2: <include>: file .* lies outside the folder of the model"
    ):
        read(own, text)
    assert b"worldbody" in read(own, text, outside).xml


REFUSED = [
    ("<include file='a.xml'/><include file='a.xml'/>", "robot.xml:2: <include>: file 'a.xml' is included twice"),
    ("<include file='loop.xml'/>", "loop.xml:1: <include>: file 'loop.xml' is included twice"),
    ("<include file='none.xml'/>", "robot.xml:2: <include>: file 'none.xml': no such file in the folder"),
    ("<include file='.'/>", "robot.xml:2: <include>: file '.': no such file"),
    ("<include/>", "robot.xml:2: <include>: expected the attribute 'file'"),
    ("<include file='a.xml'><geom/></include>", "expected the attribute 'file' and nothing inside"),
    ("<include file='arm.urdf'/>", "file 'arm.urdf' has the root <robot>, expected <mujocoinclude>"),
    ("<include file='bad.xml'/>", "bad.xml:1: not well-formed XML"),
    ("<include file='doctype.xml'/>", "doctype.xml:1: a DOCTYPE declaration is refused"),
    (
        "<asset><mesh name='m' file='a.stl'/></asset><body><geom mesh='m'/></body>",
        "robot.xml:2: <mesh> 'm': file 'a.stl': no such file",
    ),
    ("<asset><model name='m' file='b.xml'/></asset>", "<model> 'm': file 'b.xml': no such file in the folder"),
    ("<extension><plugin plugin='x'/></extension>", "<extension>: plugins are programs, and none is run"),
    ("<worldbody><flexcomp file='a.obj'/></worldbody>", "<flexcomp>: 'file' names a file; only meshes and height"),
    ("<asset><mesh fileback='a.obj'/></asset>", "<mesh>: 'fileback' names a file"),
    ("<replicate count='100000'><geom/></replicate>", "robot.xml:2: <replicate> makes 100000 elements or more"),
    ("<replicate count='200'><replicate count='500'><geom/></replicate></replicate>", "<replicate> makes 100000"),
    ("<replicate count='90'><body>" + 1200 * "<geom/>" + "</body></replicate>", "<replicate> makes 100000"),
    ("<body><flexcomp type='grid' count='100 100 10'/></body>", "<flexcomp> makes 100000 elements or more"),
    (f"<replicate count='{9**400}'><geom/></replicate>", "<replicate> makes 100000 elements or more"),
]


@pytest.mark.parametrize(("inside", "words"), REFUSED)
def test_refusals_name_the_element(tmp_path: Path, inside: str, words: str) -> None:
    put(tmp_path, a_dot_xml="<mujoco/>", loop_dot_xml="<mujoco><include file='loop.xml'/></mujoco>", bad_dot_xml="<a")
    put(tmp_path, arm_dot_urdf="<robot/>", doctype_dot_xml="<!DOCTYPE a><mujoco/>")
    with pytest.raises(DescriptionError, match=re.escape(words)):
        read(tmp_path, model(inside))


def test_included_text_is_bounded_as_the_robot_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdyn.description.mjcf.document.MAX_BYTES", 20)
    put(tmp_path, large_dot_xml="<mujocoinclude><body/></mujocoinclude>", small_dot_xml="<mujocoinclude/>")
    assert read(tmp_path, model("<include file='small.xml'/>")).xml
    with pytest.raises(DescriptionError, match=r"robot.xml:2: <include>: file 'large.xml' is larger than"):
        read(tmp_path, model("<include file='large.xml'/>"))


def test_a_text_has_no_folder() -> None:
    with pytest.raises(DescriptionError, match="a text has no folder to read it from"):
        document_of(model("<include file='a.xml'/>").encode(), "<text>", None, ())


def test_a_part_of_a_model_is_no_robot() -> None:
    with pytest.raises(DescriptionError, match="<mujocoinclude> is a part of a model"):
        document_of(b"<mujocoinclude/>", "a.xml", None, ())


def test_folders_beside_the_own_are_read_by_two_points(tmp_path: Path) -> None:
    put(tmp_path, robot__meshes__hull_dot_stl="solid", robot__xml__robot_dot_xml="", other__hull_dot_stl="no")
    own = tmp_path / "robot" / "xml"
    text = model("<compiler meshdir='../meshes'/><asset><mesh file='{}'/></asset>")
    assert read(own, text.format("hull.stl")).files == {"file0.stl": b"solid"}
    for outside in ("../../other/hull.stl", f"{tmp_path}/robot/meshes/hull.stl", "link.stl"):
        (own / "link.stl").unlink(missing_ok=True)
        (own / "link.stl").symlink_to(tmp_path / "robot" / "meshes" / "hull.stl")
        with pytest.raises(DescriptionError, match="lies outside the folder of the model"):
            read(own, text.format(outside).replace("../meshes", "." if outside == "link.stl" else "../meshes"))


WRITTEN = "<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom mesh='hull'/></body>"
ASSETS = "<asset><mesh file='a/hull.stl'/><hfield name='ground' file='g.png' size='1 1 1 1'/></asset>"


def test_a_missing_mesh_is_replaced_where_masses_are_written(tmp_path: Path) -> None:
    found = read(tmp_path, model(f"{ASSETS}<worldbody><geom mesh='hull'/>{WRITTEN}<body/></worldbody>"))
    root = etree.fromstring(found.xml)
    assert root.find("asset/mesh").get("name") == "hull"
    assert "file" not in root.find("asset/mesh").attrib
    assert "file" not in root.find("asset/hfield").attrib
    assert found.warnings == [
        "line 2: mesh 'hull': no file 'a/hull.stl'; no mass depends on it",
        "line 2: hfield 'ground': no file 'g.png'; no mass depends on it",
    ]
    assert found.meshes == {}


@pytest.mark.parametrize(
    "inside",
    [
        f"<worldbody>{WRITTEN}<body><geom mesh='hull'/></body></worldbody>",
        f"<worldbody>{WRITTEN.replace('</body>', '<body><frame><geom/></frame></body></body>')}</worldbody>",
        f"<compiler inertiafromgeom='true'/><worldbody>{WRITTEN}</worldbody>",
    ],
)
def test_a_missing_mesh_that_has_mass_is_refused(tmp_path: Path, inside: str) -> None:
    with pytest.raises(DescriptionError, match=r"<mesh> 'hull': file 'a/hull.stl': no such file"):
        read(tmp_path, model(ASSETS + inside))


def test_an_outer_file_is_refused_although_masses_are_written(tmp_path: Path) -> None:
    put(tmp_path, secret_dot_stl="", own__robot_dot_xml="")
    with pytest.raises(DescriptionError, match="lies outside the folder of the model"):
        read(
            tmp_path / "own", model(f"{ASSETS.replace('a/hull.stl', '../secret.stl')}<worldbody>{WRITTEN}</worldbody>")
        )


def test_end_tags_behind_the_end_are_told_by_file(tmp_path: Path) -> None:
    put(tmp_path, part_dot_xml="<mujocoinclude/>\n</body>")
    found = read(tmp_path, model("<include file='part.xml'/>") + "</mujoco>")
    assert found.warnings == [
        "line 3: '</mujoco>' stands behind the end of the root element and is left out",
        "part.xml: line 1: '</body>' stands behind the end of the root element and is left out",
    ]


ATTACHING = "<asset><model name='arm' file='parts/arm.xml'/></asset><worldbody>{}</worldbody>"


def test_attached_models_come_along_with_their_files(tmp_path: Path) -> None:
    """Addresses in an attached model start from its own folder."""
    put(
        tmp_path,
        parts__stl__hull_dot_stl="solid",
        parts__link_dot_xml="<mujocoinclude><body name='b'/></mujocoinclude>",
    )
    inside = "<compiler meshdir='stl'/><asset><mesh file='hull.stl'/></asset><worldbody><include file='link.xml'/>"
    put(tmp_path, parts__arm_dot_xml=model(f"{inside}</worldbody>"))
    found = read(tmp_path, model(ATTACHING.format("<attach model='arm' prefix='l'/><attach model='arm' prefix='r'/>")))
    assert list(found.files) == ["file0.stl", "file1.xml"]
    brought = etree.fromstring(found.files["file1.xml"])
    assert brought.find("asset/mesh").get("file") == "file0.stl"
    assert brought.find("worldbody/body").get("name") == "b"
    assert etree.fromstring(found.xml).find("asset/model").get("file") == "file1.xml"
    assert b"symdyn_origin" not in found.files["file1.xml"]


def test_models_that_attach_themselves_are_refused(tmp_path: Path) -> None:
    put(tmp_path, parts__arm_dot_xml=model("<asset><model name='hand' file='hand.xml'/></asset>"))
    put(tmp_path, parts__hand_dot_xml=model("<asset><model name='arm' file='arm.xml'/></asset>"))
    with pytest.raises(DescriptionError, match=r"hand.xml:2: <model> 'arm': file 'arm.xml' attaches itself"):
        read(tmp_path, model(ATTACHING.format("")))


def test_models_that_are_attached_too_often_are_refused(tmp_path: Path) -> None:
    """A model of twenty that holds twenty of one that holds twenty."""
    for number, name in enumerate(("a", "b", "c", "d")):
        inner = chr(ord(name) + 1)
        attached = f"<attach model='m' prefix='{name}'/>" * 20 if number < 3 else "<body/>" * 20
        asset = f"<asset><model name='m' file='{inner}.xml'/></asset>" if number < 3 else ""
        put(tmp_path, **{f"{name}_dot_xml": model(f"{asset}<worldbody>{attached}</worldbody>")})
    with pytest.raises(DescriptionError, match="<attach> makes 100000 elements or more"):
        read(tmp_path, (tmp_path / "a.xml").read_text())
    put(tmp_path, c_dot_xml=model("<worldbody><body/></worldbody>"))
    assert len(read(tmp_path, (tmp_path / "a.xml").read_text()).files) == 2


def test_an_attached_model_may_not_lie_elsewhere(tmp_path: Path) -> None:
    put(tmp_path, own__robot_dot_xml="", secret_dot_xml="<mujoco/>", own__parts__arm_dot_xml="")
    with pytest.raises(DescriptionError, match="lies outside the folder of the model"):
        read(tmp_path / "own", model("<asset><model name='m' file='../secret.xml'/></asset>"))
