"""What `repair` mends, that each mending is said and recorded, and that without it the refusal offers it."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.robots.flexible import beam
from support.robots.small import X, described, joint, massive

import symdyn
from symdyn.description.checks.check import check
from symdyn.description.flexible import Direction
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.physical_inertia import nearest_physical
from symdyn.description.robot import Attachment, Inertial, JointKind, Link, Parameter, Placement, RobotDescription
from symdyn.description.urdf.read import parse_urdf
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

INDEFINITE = (-3.5e-8, 0.0, 0.0, 3.5e-8, 0.0, 9.1e-8)
OFFER = r"or load with repair=True \(on the command line --repair\), which "
URDF = """<robot name="hand">
  <link name="palm"/>
  <link name="thumb"><inertial><mass value="0.1"/><origin xyz="0 0 0.02" rpy="0.1 0.2 0.3"/>
    <inertia ixx="1" ixy="2" ixz="0" iyy="1" iyz="0.5" izz="1"/></inertial></link>
  <link name="nail"><inertial><mass value="0.01"/><origin xyz="0.01 0 0"/></inertial></link>
  <joint name="thumb_joint" type="continuous"><parent link="palm"/><child link="thumb"/></joint>
  <joint name="nail_joint" type="continuous"><parent link="thumb"/><child link="nail"/>
    <mimic joint="tumb_joint" multiplier="2"/></joint>
</robot>
"""


def matrix(moments: Sequence[float]) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = moments
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def second_moments(tensor: np.ndarray) -> np.ndarray:
    return 0.5 * np.trace(tensor) * np.eye(3) - tensor


def antenna(mass: float, base: Link | None = None, **more: object) -> RobotDescription:
    """A speck of a link with an indefinite inertia, fixed to another."""
    speck = massive("antenna", mass, (0.0, 0.0, 0.0), INDEFINITE)
    joints = [
        joint("wheel", JointKind.REVOLUTE, "ground", "base"),
        joint("mount", JointKind.FIXED, "base", "antenna", (0.2, 0.1, 0.3), turned=((0, -1, 0), (1, 0, 0), (0, 0, 1))),
    ]
    return described([Link("ground"), base or massive("base"), speck], joints, **more)


def test_a_speck_on_a_sound_body_is_warned_of_and_used_as_it_is() -> None:
    found = check(antenna(1e-6))
    assert found.links == antenna(1e-6).links and found.repairs == ()
    (warning,) = found.warnings
    assert "link 'antenna': inertia is not positive semi-definite: its eigenvalues are -3.5e-08" in warning
    assert "it is used, because the body of 2 links that it is part of is sound" in warning
    assert check(antenna(1e-6), repair=True) == found


def test_the_whole_body_is_judged_about_its_own_centre_of_mass() -> None:
    """A point of 1 g, 0.374 m away, has 1e-4 kg m^2 about every axis across: two of them make a body sound, one not."""
    point = massive("base", 1e-3, (0.0, 0.0, 0.0), (0.0,) * 6)
    with pytest.raises(DescriptionError, match=r"link 'antenna': .* -3\.5e-08, .*, and with the links fixed to it -"):
        check(antenna(1e-12, point))
    assert len(check(antenna(1e-3, point)).warnings) == 1
    far = replace(antenna(1e-12, point), source="")
    third = massive("mast", 1e-3, (0.0, 0.4, 0.0), (0.0,) * 6)
    links, joints = (*far.links, third), (*far.joints, joint("stay", JointKind.FIXED, "antenna", "mast"))
    assert len(check(replace(far, links=links, joints=joints)).warnings) == 1


@pytest.mark.parametrize("kind", [kind for kind in JointKind if kind is not JointKind.FIXED])
def test_links_on_moving_joints_are_judged_alone(kind: JointKind) -> None:
    robot = antenna(1e-6)
    moving = replace(robot.joints[1], kind=kind)
    with pytest.raises(DescriptionError, match=f"link 'antenna': inertia is not positive semi-definite.*{OFFER}takes"):
        check(replace(robot, joints=(robot.joints[0], moving)))


def test_what_hangs_on_a_bent_tip_is_no_part_of_the_hub() -> None:
    arm = replace(massive("base"), flexible=beam(1.0, 1.0, 20.0, ((Direction.BEND_Y, 1),)))
    robot = antenna(1e-6, arm)
    with pytest.raises(DescriptionError, match="link 'antenna': inertia is not positive"):
        check(robot)
    at_root = replace(robot.joints[1], at=Attachment.ROOT)
    assert len(check(replace(robot, joints=(robot.joints[0], at_root))).warnings) == 1


def test_a_body_that_waits_for_a_parameter_is_judged_link_by_link() -> None:
    load = massive("base", Expression("load"))
    with pytest.raises(DescriptionError, match="link 'antenna': inertia is not positive"):
        check(antenna(1e-6, load, parameters=(Parameter("load", None, runtime=True),)))
    assert len(check(antenna(1e-6, load, parameters=(Parameter("load", 2.0, runtime=True),))).warnings) == 1


def test_moments_that_are_expressions_are_not_replaced_by_numbers() -> None:
    moments = (Expression("J"), *INDEFINITE[1:])
    robot = antenna(1e-6, parameters=(Parameter("J", -1.0, runtime=True),))
    robot = replace(robot, links=(*robot.links[:2], massive("antenna", 1e-6, moments=moments)))
    with pytest.raises(DescriptionError, match=r"check the signs and the products of inertia$"):
        check(robot, repair=True)


def test_the_nearest_physical_inertia_is_a_projection() -> None:
    """Feasible, and no feasible one is nearer: the residual is normal to the cone (Moreau)."""
    rng = np.random.default_rng(5)
    for scale in (1e-8, 1.0, 1e6):
        for _ in range(20):
            given = rng.standard_normal(6) * scale
            mended = nearest_physical(tuple(given.tolist()))
            kept, lost = second_moments(matrix(mended)), second_moments(matrix(mended)) - second_moments(matrix(given))
            assert np.linalg.eigvalsh(kept)[0] > -1e-12 * scale  # physical: the triangle inequality holds
            assert np.linalg.eigvalsh(lost)[0] > -1e-12 * scale
            assert abs(np.sum(kept * lost)) < 1e-12 * scale**2
            again = nearest_physical(mended)
            assert np.allclose(again, mended, rtol=0, atol=1e-14 * scale)
    sound = (0.03, 0.002, -0.001, 0.04, 0.003, 0.05)
    assert np.allclose(nearest_physical(sound), sound, rtol=0, atol=1e-16)


def test_each_repair_is_made_said_and_recorded() -> None:
    found = parse_urdf(URDF.encode(), "hand.urdf", repair=True)
    thumb, nail = (link.inertial for link in found.links[1:])
    assert thumb is not None and nail is not None
    assert thumb.moments == nearest_physical((1.0, 2.0, 0.0, 1.0, 0.5, 1.0))
    assert (thumb.mass, thumb.placement.translation) == (0.1, (0.0, 0.0, 0.02))
    assert nail == Inertial(0.01, (0.0,) * 6, Placement((0.01, 0.0, 0.0)))
    assert found.joints[1].mimic is None
    expected = [
        "link 'nail' has no <inertia>; it is",
        "link 'thumb': inertia is not",
        "joint 'nail_joint' mimicked the",
    ]
    assert [repair.startswith(words) for repair, words in zip(found.repairs, expected, strict=True)] == [True] * 3
    assert [repair for repair in found.repairs if repair not in found.warnings] == []
    assert check(found) == found
    again = parse_yaml(write_yaml(found).encode(), "robot.yaml")
    assert (again.repairs, again.joints[1].mimic) == (found.repairs, None)
    assert [link.inertial for link in again.links] == [link.inertial for link in found.links]
    assert not any("repair" in warning or "nearest" in warning for warning in again.warnings)


@pytest.mark.parametrize(
    ("mended", "words"),
    [
        ("", rf"hand\.urdf:5: link 'nail': <inertia> in <inertial> is missing; write it, {OFFER}takes a point mass"),
        (
            "inertia",
            rf"hand\.urdf:3: link 'thumb': inertia is not .*of inertia, {OFFER}takes the nearest physical inertia",
        ),
        (
            "tensor",
            rf"hand\.urdf:7: joint 'nail_joint' mimics the unknown joint 'tumb_joint'; declare it, {OFFER}frees",
        ),
    ],
)
def test_each_refusal_offers_the_repair(mended: str, words: str) -> None:
    text = URDF
    if mended:
        text = text.replace('<origin xyz="0.01 0 0"/>', '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>')
    if mended == "tensor":
        text = text.replace('ixy="2"', 'ixy="0"')
    with pytest.raises(DescriptionError, match=words) as refused:
        parse_urdf(text.encode(), "hand.urdf")
    assert "\n" not in str(refused.value)


def test_the_robot_of_a_generated_folder_is_the_mended_one(tmp_path: Path) -> None:
    file = tmp_path / "hand.urdf"
    file.write_text(URDF)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        robot = symdyn.load(file, repair=True)
    (summary,) = [str(warning.message) for warning in told]
    assert "mended: 3 elements" in summary
    said = robot.warnings
    assert len(robot.description.repairs) == 3 and [r for r in robot.description.repairs if r not in said] == []
    folder = symdyn.generate(robot, ["inverse_dynamics"], out=tmp_path / "out", target="python")
    assert "repaired:\n  - " in (folder / "robot.yaml").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = symdyn.load(folder / "robot.yaml")
    assert again.description.repairs == robot.description.repairs
    assert again.velocity_names == robot.velocity_names == ("thumb_joint", "nail_joint")


def test_a_description_made_in_python_is_mended_too() -> None:
    robot = described(
        [Link("g"), massive("b", 1.0, moments=INDEFINITE)], [joint("j", JointKind.REVOLUTE, "g", "b", axis=X)]
    )
    with pytest.warns(symdyn.SymdynWarning, match="nearest physical inertia is taken"):
        assert symdyn.from_description(robot, repair=True).nv == 1
    with pytest.raises(DescriptionError, match=r"nearest physical inertia is taken \(strict\)"):
        symdyn.from_description(robot, repair=True, strict=True)


def test_repair_leaves_a_sound_robot_alone() -> None:
    for name, repair in itertools.product(("seven_dof_arm", "aerial_manipulator"), (False, True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert symdyn.load_example(name, repair=repair).description == symdyn.load_example(name).description
