"""Rigid contacts in YAML, beside URDF, and on the ground: what is read, written, refused, and fitted to meshes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.robots.touching import PAIRS, TEXTS

import symdyn
from symdyn.description.collision import Collision, Shape
from symdyn.description.contact_pairs import slot_points
from symdyn.errors import DescriptionError, ModelError, SymdynWarning
from symdyn.robot.fitted_shapes import enclosing_sphere, hull_vertices

URDF = """
<robot name="cart">
  <link name="base">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="hood">
      <origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><geometry><box size="1 2 4"/></geometry>
    </collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="wheel">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision>
      <origin rpy="-1.5707963267948966 0 0"/><geometry><cylinder radius="0.3" length="0.2"/></geometry>
    </collision>
    {more}
  </link>
  <joint name="axle" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 1 0"/></joint>
</robot>
"""
BALL = """
name: ball
floating_base: true
links:
  ball: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, collision: {b: {sphere: 0.1}, c: {box: [1, 1, 1]}}}
  hand: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, collision: {b.x: {sphere: 0.1}}}
joints: {grip: {type: revolute, axis: [0, 1, 0], parent: ball, child: hand, limits: {lower: -1, upper: 1}}}
obstacles: {floor: {plane: {}}, pipe: {cylinder: {axis: [1, 0, 0], radius: 0.05, inside: true}}}
"""


def loaded(more: str) -> symdyn.Robot:
    return symdyn.loads(BALL + more, "yaml")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_what_is_written_is_read_as_the_same(name: str) -> None:
    first = symdyn.loads(TEXTS[name](), "yaml")
    second = symdyn.loads(first.to_yaml(), "yaml")
    assert second.to_yaml() == first.to_yaml()
    assert second.description.acting == first.description.acting
    assert second.description.contact == first.description.contact
    assert second.model.contact_layout.row_names == first.model.contact_layout.row_names


def test_rows_come_by_kind() -> None:
    layout = symdyn.loads(PAIRS, "yaml").model.contact_layout
    assert layout.row_names[:6] == ("feet[0].t1", "feet[0].t2", "feet[0].n", "feet[1].t1", "feet[1].t2", "feet[1].n")
    assert layout.row_names[-3:] == ("hip.lower", "hip.upper", "hip.friction")
    assert layout.kinds[-3:] == ("l", "l", "d") and layout.kinds[:3] == ("t", "t", "n")
    counts = {name: sum(slot.name == name for slot in layout.slots) for name in {slot.name for slot in layout.slots}}
    # feet: 7 balls; shins: 2 ends on plane and box each, 1 of round ones each, 2 inside the tube
    assert counts == {"feet": 7, "shins": 9, "wheel": 6, "shell": 9, "base": 8, "self": 2, "edge": 1, "spot": 1}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("contacts: {c: {of: ball, with: floors}}", "'floors' does not exist; did you mean 'floor'"),
        ("contacts: {c: {of: bal, with: floor}}", "'bal' does not exist; did you mean 'ball'"),
        ("contacts: {c: {of: ball.d, with: floor}}", "'ball.d' does not exist"),
        ("contacts: {c: {of: {link: ball, shape: d}, with: floor}}", "has no shape 'd' under collision"),
        ("contacts: {c: {of: ball.b, with: floor, stiffness: 1}}", "with stiffness it is a penalty against a surface"),
        ("contacts: {c: {of: ball.b, with: floor, damping: 1}}", "damping is of contacts by penalty"),
        ("contacts: {c: {of: ball, with: {plane: {}}}}", "stiffness is missing; give it, or write rigid: true"),
        ("contacts: {c: {of: ball, with: {plane: {}}, stiffness: 1, restitution: 1}}", "restitution is of rigid"),
        ("contacts: {c: {of: [ball.b], with: {plane: {}}, stiffness: 1}}", "of: a contact with stiffness is of one"),
        ("contacts: {c: {of: ball.b, with: floor, restitution: 2}}", "restitution is 2; it is from 0 to 1"),
        ("contacts: {c: {of: ball.b, with: floor, friction: -1}}", "friction is -1; it is at least 0"),
        ("contacts: {c: {of: ball.b, with: floor, from: 0.1}}", "from and to are of a contact all along a soft link"),
        ("contacts: {c: {of: ball.b, with: floor, radius: 0.1}}", "radius is of spheres along a soft link"),
        ("contacts: {c: {of: ball.c, with: pipe}}", "a box against a cylinder inside (ball.c, obstacle pipe) is not"),
        ("contacts: {c: {of: ball.b, with: pipe}}", "what is inside needs more than its own, 0.1 m"),
        ("contacts: {c: {of: ball.b, with: ball.c}}", "are on one link; they cannot move apart"),
        ("contact_options: {max_contacts: 0}", "contact_options.max_contacts is 0; it is at least 1"),
        ("contact_options: {tolerance: 0}", "contact_options.tolerance is 0; it is above 0"),
        ("contact_options: {most: 1}", "unknown key"),
        ("limits: {rigid: true, restitution: 2}", "limits.restitution is 2; it is from 0 to 1"),
        ("joint_friction: wet", "expected smooth or dry"),
    ],
)
def test_refusals(more: str, said: str) -> None:
    with pytest.raises(DescriptionError) as failure:
        loaded(more)
    assert said.replace("'", "") in str(failure.value).replace("'", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("radius: 0.01, friction: 0.2", "radius: 0.01, from: 0.1", "against soft links all of both are segments"),
        ("radius: 0.01, friction: 0.2", "radius: -1", "radius is -1 m; it is at least 0"),
        ("{skin: {sphere: 0.02}, rod", "{skin: {box: [1, 1, 1]}, rod", "a box against a capsule"),
    ],
)
def test_what_soft_links_cannot_touch(old: str, new: str, said: str) -> None:
    text = TEXTS["rods"]()
    assert old in text
    with pytest.raises(DescriptionError, match=said):
        symdyn.loads(text.replace(old, new), "yaml")


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("{sphere: 0}", "radius is 0 m; it is above 0"),
        ("{sphere: 1, box: [1, 1, 1]}", "expected one of sphere, capsule, box, cylinder, hull and mesh"),
        ("{sphere: }", "sphere has no value; give its numbers"),
        ("{capsule: [[0, 0, 0], [0, 0, 1]]}", "radius of the capsule is missing"),
        ("{capsule: [[0, 0, 0]], radius: 1}", "expected the two ends of its axis, got 1"),
        ("{capsule: [[0, 0, 0], [0, 0, 0]], radius: 1}", "both ends of the axis are one point"),
        ("{box: [1, 0, 1]}", "a box has edges above 0 m"),
        ("{hull: []}", "a hull has 1 to 32 vertices, got 0"),
        ("{sphere: 1, rpy: [0, 0, 1]}", "rpy and rotation turn a box"),
    ],
)
def test_shapes_that_cannot_be(shape: str, said: str) -> None:
    joint = "joints: {j: {type: prismatic, axis: [0, 0, 1], parent: a, child: b}}"
    text = f"name: r\nlinks:\n  a:\n  b: {{mass: 1, collision: {{s: {shape}}}}}\n{joint}"
    with pytest.raises(DescriptionError, match=said.replace("(", r"\(")):
        symdyn.loads(text, "yaml")


BALL_SHAPE, ROUND = Shape("sphere", radius=0.1), ("sphere", "capsule", "cylinder")
CELLS = {
    "sphere": {"plane": 1, "box": 1, "round": 1, "inside": 1},
    "capsule": {"plane": 2, "box": 2, "round": 1, "inside": 2},
    "box": {"plane": 8, "box": 0, "round": 0, "inside": 0},
    "cylinder": {"plane": 6, "box": 0, "round": 0, "inside": 0},
    "hull": {"plane": 1, "box": 1, "round": 1, "inside": 1},
}
"""Slots per pair of a moving shape and a surface, as the manual lists them; 0 is refused by name."""


@pytest.mark.parametrize("moving", CELLS)
def test_pairs_have_the_slots_of_the_manual(moving: str) -> None:
    for surface, count in CELLS[moving].items():
        kinds = ROUND if surface in ("round", "inside") else (surface,)
        for kind in kinds:
            against = replace(BALL_SHAPE, kind=kind, inside=surface == "inside")
            assert len(slot_points(replace(BALL_SHAPE, kind=moving), against)) == count, (moving, kind)


def test_surfaces_move_along_themselves() -> None:
    text = BALL.replace("floor: {plane: {}}", "floor: {plane: {}, velocity: [0, 0, 1]}")
    with pytest.raises(DescriptionError, match="has 1 m/s along the normal"):
        symdyn.loads(text, "yaml")


@pytest.mark.parametrize("ends", ["[]", "[[0, 0, 0]]", "[[0, 0, 0], [0, 0, 1], [0, 0, 2]]"])
def test_an_obstacle_that_is_a_capsule_has_two_ends(ends: str) -> None:
    text = BALL.replace("floor: {plane: {}}", f"floor: {{capsule: {{ends: {ends}, radius: 0.1}}}}")
    with pytest.raises(DescriptionError, match=r"capsule\.ends: expected the two ends of its axis, got \d"):
        symdyn.loads(text, "yaml")


def test_stops_and_rows_exclude_each_other() -> None:
    text = BALL.replace("limits: {lower: -1, upper: 1}", "limits: {lower: -1, upper: 1}, stops: {stiffness: 10}")
    with pytest.raises(DescriptionError, match=r"joint 'grip' has stops, and limits: .* keep one of the two"):
        symdyn.loads(text + "limits: {rigid: true}", "yaml")


def test_dry_friction_needs_losses() -> None:
    with pytest.raises(ModelError, match="add joint_losses=True"):
        loaded("joint_friction: dry")


def test_ranges_of_followers_leave_a_position() -> None:
    layout = symdyn.loads(TEXTS["followers"](), "yaml").model.contact_layout
    assert layout.row_names[-10:] == (
        *("lift.lower", "lift.upper", "both.lower", "both.upper", "close.lower", "close.upper", "open.lower"),
        *("both.friction", "close.friction", "open.friction"),
    )
    assert layout.left_out == ("joint 'none' follows others by 0, so its range is no row of the contact problem",)
    text = TEXTS["followers"]().replace("limits: {lower: -1, upper: 0.5}", "limits: {lower: 0.9, upper: 1.5}")
    with pytest.raises(ModelError, match=r"bounds open.lower and close.lower leave no position"):
        symdyn.loads(text, "yaml")


def test_what_nothing_moves_apart_is_refused() -> None:
    text = BALL.replace("floating_base: true\n", "") + "contacts: {c: {of: ball.b, with: floor}}"
    with pytest.raises(ModelError, match="nothing can move apart"):
        symdyn.loads(text, "yaml")


def test_a_dot_in_a_name_is_no_link() -> None:
    robot = loaded("contacts: {c: {of: hand.b.x, with: floor}}")
    assert robot.model.contacts.slots[0].contact.of[0].shape == "b.x"


def test_loading_tells_in_one_line_where_contacts_act(capsys: pytest.CaptureFixture[str]) -> None:
    loaded("contacts: {c: {of: ball.b, with: floor}}")
    printed = capsys.readouterr().err
    where = "functions named contact_.. and stance_forces alone"
    assert printed == f"<text>: 1 points of contact: rigid contacts act in {where}\n"


def test_collision_shapes_of_urdf() -> None:
    robot = symdyn.loads(URDF.format(more=""), "urdf", floating_base=True)
    hood, ball = robot.description.links[0].geometry
    (rim,) = robot.description.links[1].geometry
    assert isinstance(hood, Collision) and isinstance(ball, Collision) and isinstance(rim, Collision)
    assert (hood.name, ball.name, rim.name) == ("hood", "collision", "collision")
    assert hood.shape.size == (1.0, 2.0, 4.0) and hood.shape.points == ((0.0, 0.0, 1.0),)
    ends = np.array(rim.shape.points, dtype=float)
    assert np.allclose(ends, [[0, -0.1, 0], [0, 0.1, 0]], atol=1e-16) and rim.shape.radius == 0.3
    assert not robot.model.contact_layout and "collision" not in robot.to_yaml()


def test_all_shapes_against_the_ground() -> None:
    with pytest.warns(SymdynWarning, match="3 shapes may touch the plane z = 0 at 15 points"):
        robot = symdyn.loads(URDF.format(more=""), "urdf", floating_base=True, contacts="ground")
    assert len(robot.model.contacts.slots) == 8 + 1 + 6
    again = symdyn.loads(robot.to_yaml(), "yaml")
    assert again.model.contact_layout.row_names == robot.model.contact_layout.row_names
    with pytest.warns(SymdynWarning, match="1 shapes may touch"):  # the base stands still
        fixed = symdyn.loads(URDF.format(more=""), "urdf", contacts="ground")
    assert len(fixed.model.contacts.slots) == 6


def test_a_mesh_on_the_ground_is_eight_vertices_of_its_hull(tmp_path: Path) -> None:
    turn = 2.0 * np.pi * np.arange(12) / 12
    cloud = [f"v {np.cos(t)} {np.sin(t)} {z}" for z in (-0.1, 0.1) for t in turn.tolist()]
    faces = [f"f {k} {k % 12 + 1} {k + 12}" for k in range(1, 13)]
    package = tmp_path / "wheels"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    (package / "meshes" / "tip.obj").write_text("\n".join([*cloud, *faces]) + "\n")
    mesh = '<collision><geometry><mesh filename="package://wheels/meshes/tip.obj"/></geometry></collision>'
    (package / "urdf" / "car.urdf").write_text(URDF.format(more=mesh))
    with pytest.warns(SymdynWarning, match="4 shapes may touch"):
        robot = symdyn.load(package / "urdf" / "car.urdf", floating_base=True, contacts="ground")
    shapes = [slot.moving.kind for slot in robot.model.contacts.slots]
    assert shapes.count("hull") == 8 and len(shapes) == 8 + 1 + 6 + 8
    assert any("8 vertices leave out" in own for own in robot.warnings)
    (tmp_path / "elsewhere").mkdir()
    lost = (package / "urdf" / "car.urdf").rename(tmp_path / "elsewhere" / "car.urdf")
    with pytest.raises(DescriptionError, match=r"car.urdf: contacts='ground'.* is in none .* --package-path"):
        symdyn.load(lost, floating_base=True, contacts="ground")


def test_a_word_that_is_nearly_ground_is_no_file() -> None:
    with pytest.raises(DescriptionError, match="there is no file 'grond'; did you mean 'ground'"):
        symdyn.loads(URDF.format(more=""), "urdf", floating_base=True, contacts=Path("grond"))


def test_a_mesh_without_a_line_is_refused_with_both_remedies(tmp_path: Path) -> None:
    mesh = '<collision><geometry><mesh filename="tip.stl"/></geometry></collision>'
    side = tmp_path / "side.yaml"
    side.write_text("obstacles: {floor: {plane: {}}}\ncontacts: {c: {of: wheel, with: floor}}\n")
    with pytest.raises(DescriptionError, match=r"write collision: \{wheel: fit sphere\}, or \{wheel: \{hull: 16\}\}"):
        symdyn.loads(URDF.format(more=mesh), "urdf", floating_base=True, contacts=side)


SIDE = """
obstacles: {floor: {plane: {}}}
contacts: {c: {of: [wheel, base.hood], with: floor, friction: 0.7}}
"""


def test_a_file_beside_the_robot(tmp_path: Path) -> None:
    (tmp_path / "contacts.yaml").write_text(SIDE)
    robot = symdyn.loads(URDF.format(more=""), "urdf", floating_base=True, contacts=tmp_path / "contacts.yaml")
    assert len(robot.model.contacts.slots) == 6 + 8
    (tmp_path / "more.yaml").write_text(SIDE.replace("hood", "hod"))
    with pytest.raises(DescriptionError, match=r"more.yaml:3: contact 'c': with|more.yaml:3: contact 'c': of"):
        symdyn.loads(URDF.format(more=""), "urdf", floating_base=True, contacts=tmp_path / "more.yaml")


def test_shapes_are_fitted_to_meshes(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("scipy")
    trimesh.creation.icosphere(radius=22.0, subdivisions=3).export(tmp_path / "tip.stl")
    mesh = (
        '<collision name="tip"><origin xyz="0 0 -0.2" rpy="0 0 1"/><geometry>'
        '<mesh filename="tip.stl" scale="0.001 0.001 0.001"/></geometry></collision>'
    )
    said = "obstacles: {floor: {plane: {}}}\ncontacts: {c: {of: wheel.tip, with: floor}}\ncollision: {wheel: %s}\n"
    files = {name: tmp_path / f"{name}.yaml" for name in ("ball", "hull")}
    files["ball"].write_text(said % "fit sphere")
    files["hull"].write_text(said % "{hull: 16}")

    def shape(name: str) -> Collision:
        robot = symdyn.loads(
            URDF.format(more=mesh), "urdf", floating_base=True, contacts=files[name], package_paths=[tmp_path]
        )
        return robot.description.links[1].collision[0]

    ball = shape("ball").shape
    assert np.allclose(ball.points[0], (0.0, 0.0, -0.2), atol=1e-9)  # the file has single precision
    assert ball.radius == pytest.approx(0.022, abs=1e-9)
    with pytest.warns(SymdynWarning, match=r"16 vertices leave out [0-9.]+ mm"):
        hull = shape("hull").shape
    assert len(hull.points) == 16
    away = np.linalg.norm(np.array(hull.points, dtype=float) - (0, 0, -0.2), axis=1)
    assert np.allclose(away, 0.022, atol=1e-8)
    files["all"] = tmp_path / "all.yaml"
    files["all"].write_text("ground: true\nmeshes: {hull: 16}\ncollision: {base: {hood: {box: [1, 1, 1]}}}\n")
    with pytest.warns(SymdynWarning, match="3 shapes may touch the plane z = 0 at 30 points"):
        robot = symdyn.loads(
            URDF.format(more=mesh), "urdf", floating_base=True, contacts=files["all"], package_paths=[tmp_path]
        )
    rest = robot.description.links[1].collision
    assert rest[0].shape.points == hull.points and len(robot.model.contacts.slots) == 8 + 16 + 6
    with pytest.raises(DescriptionError, match="name its folder by package_paths"):
        symdyn.loads(URDF.format(more=mesh), "urdf", floating_base=True, contacts=files["ball"])


def test_the_smallest_sphere_is_the_smallest() -> None:
    rng = np.random.default_rng(2)
    for count in (1, 2, 3, 4, 5, 40):
        points = rng.normal(size=(count, 3))
        center, radius = enclosing_sphere([tuple(point) for point in points.tolist()])
        away = np.linalg.norm(points - center, axis=1)
        assert away.max() <= radius * (1 + 1e-12)
        # optimal: the centre is in the hull of the points on the sphere
        on = points[away >= radius * (1 - 1e-9)]
        weights, *_ = np.linalg.lstsq(np.vstack([on.T, np.ones(len(on))]), np.append(center, 1.0), rcond=None)
        assert (weights > -1e-9).all() and np.allclose(weights @ on, center, atol=1e-9)


def test_a_hull_of_all_vertices_loses_nothing() -> None:
    pytest.importorskip("scipy")
    cube = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
    kept, lost = hull_vertices([*cube, (0.5, 0.5, 0.5)], 16)
    assert sorted(kept) == sorted(cube) and lost == 0.0
    fewer, lost = hull_vertices(cube, 7)
    assert len(fewer) == 7 and lost == pytest.approx(1 / np.sqrt(3))  # the corner over the plane through its neighbours
