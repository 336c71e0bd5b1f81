"""What the numbers of a URDF become."""

from __future__ import annotations

import math
import time

import pytest
from support.places import CORPUS

from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.read import read_robot
from symdyn.description.robot import IDENTITY, Inertial, JointKind, Limits, Losses, Mimic, Placement, RobotDescription
from symdyn.description.urdf.read import parse_urdf
from symdyn.errors import DescriptionError


def read(name: str) -> RobotDescription:
    return read_robot(CORPUS / f"{name}.urdf")


def test_every_value_arrives() -> None:
    robot = read("plain")
    foot, mast, boom = robot.links
    turn, lift = robot.joints
    assert (robot.name, robot.root, robot.gravity, robot.floating_base) == ("post", "foot", None, False)
    assert foot.inertial is None
    assert mast.inertial == Inertial(3.2, (0.17, 0.0, 0.0, 0.17, 0.0, 0.004), Placement((0.0, 0.0, 0.4), IDENTITY))
    assert boom.inertial is not None
    assert boom.inertial.moments == (0.002, 0.0001, 0.0, 0.024, 0.0, 0.025)
    assert boom.inertial.placement == Placement((0.25, 0.0, 0.0), rotation_from_rpy(0.1, -0.2, 0.3))
    assert turn.placement == Placement()
    assert (lift.kind, lift.parent, lift.child, lift.line) == (JointKind.REVOLUTE, "mast", "boom", 24)
    assert lift.placement == Placement((0.0, 0.0, 0.8), rotation_from_rpy(0.0, 0.5, 0.0))
    assert (turn.axis, lift.axis) == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    assert lift.limits == Limits(-1.0, 1.4, 2.0, 30.0)
    assert lift.losses == Losses()


def test_encodings_do_not_change_the_robot() -> None:
    plain = read("plain")
    assert read("utf16").links[2].inertial == plain.links[2].inertial
    assert read("default_namespace").joints == plain.joints
    assert [link.name for link in read("latin1_declared").links] == ["foot", "mast", "fl\u00e8che"]


def test_axis_is_x_by_default_and_scaled_otherwise() -> None:
    assert read("axis_default").joints[1].axis == (1.0, 0.0, 0.0)
    assert read("axis_long").joints[1].axis == (0.0, 1.0, 0.0)


def test_losses() -> None:
    assert read("losses").joints[1].losses == Losses(0.7, 0.2)


def test_limits_left_out() -> None:
    assert read("limit_missing").joints[1].limits is None
    assert read("limit_without_effort").joints[1].limits == Limits(-1.0, 1.4, 2.0, math.inf)
    assert read("limit_without_bounds").joints[1].limits == Limits(0.0, 0.0, 2.0, 30.0)
    assert read("continuous_bounded").joints[1].limits == Limits(velocity=2.0, effort=30.0)
    assert read("continuous").joints[1].limits is None


def test_what_a_fixed_joint_cannot_have_is_dropped() -> None:
    lift = read("axis_zero_on_fixed").joints[1]
    assert (lift.kind, lift.limits, lift.losses) == (JointKind.FIXED, None, Losses())


def test_mimic_chain_is_composed() -> None:
    turn, lift, grip = read("mimic_chain").joints
    assert turn.mimic is None
    assert lift.mimic == Mimic("turn", 2.0, 0.5)
    assert grip.mimic == Mimic("turn", 6.0, 3 * 0.5 + 0.25)


def test_noise_in_place_of_an_inertia_is_zero() -> None:
    inertial = read("inertia_noise").links[2].inertial
    assert inertial is not None
    assert inertial.moments == (0.0,) * 6


def test_odd_names_are_data() -> None:
    robot = read("names_odd")
    assert robot.name == "$(reboot)"
    assert robot.joints[1].name == '{{ 6*7 }}; rm -rf ~ " */ \u4e0a\u4e0b'


def chain(count: int, extra: str = "") -> bytes:
    parts = ['<robot name="chain"><link name="k0"/>']
    for index in range(1, count + 1):
        parts.append(
            f'<link name="k{index}"><inertial><mass value="1"/>'
            '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
            f'<joint name="c{index}" type="continuous"><parent link="k{index - 1}"/><child link="k{index}"/>'
            f"{extra.format(index - 1) if index > 1 else ''}</joint>"
        )
    return ("".join(parts) + "</robot>").encode()


def test_long_chain() -> None:
    robot = parse_urdf(chain(1500), "chain.urdf")
    assert (robot.root, robot.warnings) == ("k0", ())
    assert [joint.name for joint in robot.joints] == [f"c{index}" for index in range(1, 1501)]
    assert [link.name for link in robot.links] == [f"k{index}" for index in range(1501)]


def test_order_and_lines_are_those_of_the_file() -> None:
    text = b"""<robot name="r">
        <joint name="late" type="fixed"><child link="c"/><parent link="a"/></joint>
        <visual/><link name="a"/><material name="x"/>
        <joint name="early" type="fixed"><origin xyz="0 0 1"/><parent link="a"/><axis xyz="0 1 0"/><child link="b"/>
        </joint><link name="c"/><gazebo/><link name="b"/></robot>"""
    robot = parse_urdf(text, "mixed.urdf")
    assert [(link.name, link.line) for link in robot.links] == [("a", 3), ("c", 5), ("b", 5)]
    assert [(joint.name, joint.child, joint.line) for joint in robot.joints] == [("late", "c", 2), ("early", "b", 4)]


def test_long_chain_of_mimics() -> None:
    robot = parse_urdf(chain(1500, '<mimic joint="c{}" multiplier="-1" offset="1"/>'), "chain.urdf")
    assert robot.joints[-1].mimic == Mimic("c1", -1.0, 1.0)
    assert robot.joints[-2].mimic == Mimic("c1", 1.0, 0.0)


def test_long_cycle_is_named_briefly() -> None:
    back = b'<joint name="back" type="fixed"><parent link="k1500"/><child link="k0"/></joint></robot>'
    with pytest.raises(DescriptionError, match=r"joint 'back' closes a cycle of links, .* -> \.\.\. -> ") as refusal:
        parse_urdf(chain(1500).replace(b"</robot>", back), "chain.urdf")
    assert len(str(refusal.value)) < 300


def test_many_roots_are_named_briefly() -> None:
    lost = "".join(f'<link name="lost{index}"/>' for index in range(9))
    with pytest.raises(DescriptionError, match=r"10 links are no joint's child .*, \.\.\.\)"):
        parse_urdf(f'<robot name="r"><link name="a"/>{lost}</robot>'.encode(), "lost.urdf")


def test_deep_nesting_is_refused() -> None:
    deep = b"<robot><link name='a'>" + b"<visual>" * 5000 + b"</visual>" * 5000 + b"</link></robot>"
    with pytest.raises(DescriptionError, match="not well-formed XML"):
        parse_urdf(deep, "deep.urdf")


def test_billion_laughs_are_refused_at_once() -> None:
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 10))
    start = time.perf_counter()
    with pytest.raises(DescriptionError, match="DOCTYPE declaration is refused"):
        parse_urdf(f"<!DOCTYPE robot [{entities}]><robot>&a9;</robot>".encode(), "laughs.urdf")
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    "prolog",
    [
        "",
        " \n",
        "<!---->",
        "<?xml version='1.0'?>\n<!-- <robot> -->\n<?target data?>",
        "\ufeff",
        "\ufeff\ufeff",
        "<!--> x -->",
        "<?x> y?>",
    ],
)
def test_doctype_is_found_behind_any_prolog(prolog: str) -> None:
    with pytest.raises(DescriptionError, match="DOCTYPE declaration is refused"):
        parse_urdf(f"{prolog}<!DOCTYPE robot><robot/>".encode(), "hidden.urdf")


@pytest.mark.parametrize("start", ["<!-- open", "<?open", "<robot", "   "])
def test_unfinished_prolog_is_malformed(start: str) -> None:
    with pytest.raises(DescriptionError, match="not well-formed XML"):
        parse_urdf(start.encode(), "open.urdf")


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16-le"])
def test_other_encodings_are_refused_by_name(encoding: str) -> None:
    with pytest.raises(DescriptionError, match=r"UTF-32|UTF-16"):
        parse_urdf('<robot name="r"/>'.encode(encoding), "wide.urdf")


def test_unknown_encoding_is_refused_by_name() -> None:
    with pytest.raises(DescriptionError, match="encoding 'klingon' is not read"):
        parse_urdf(b"<?xml version='1.0' encoding='klingon'?><robot/>", "k.urdf")


def test_foreign_attribute_of_another_namespace_is_reported() -> None:
    text = b'<robot name="r" xmlns:x="http://x.org" x:schema="s"><link name="a"/></robot>'
    assert parse_urdf(text, "r.urdf").warnings == ("line 1: robot: unknown attribute 'x:schema' of <robot> ignored",)


def test_xacro_command_quotes_the_file_name() -> None:
    text = b'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="x"/></robot>'
    with pytest.raises(DescriptionError, match=r"expand it first: xacro 'my arm.urdf.xacro' > 'my arm.urdf'"):
        parse_urdf(text, "my arm.urdf.xacro")


def test_unbound_xacro_prefix_is_recognised() -> None:
    with pytest.raises(
        DescriptionError, match=r"^arm\.xacro:1: the prefix 'xacro:' is xacro.* > arm\.urdf; or let symdyn run xacro"
    ):
        parse_urdf(b'<robot name="r"><xacro:include filename="x"/></robot>', "arm.xacro")


def test_massless_finger_that_follows_one_with_mass_is_no_leaf() -> None:
    text = chain(1).replace(
        b"</robot>",
        b'<link name="tip"/><joint name="tip" type="continuous"><parent link="k0"/><child link="tip"/>'
        b'<mimic joint="c1"/></joint></robot>',
    )
    assert parse_urdf(text, "fingers.urdf").warnings == ()


def test_only_the_outermost_massless_link_is_named() -> None:
    text = b"""<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="ab" type="continuous"><parent link="a"/><child link="b"/></joint>
        <joint name="bc" type="continuous"><parent link="b"/><child link="c"/></joint></robot>"""
    (warning,) = parse_urdf(text, "r.urdf").warnings
    assert warning.startswith("line 1: link 'c' is a massless leaf")


def test_limits_of_a_continuous_joint_may_be_complete_or_not() -> None:
    text = chain(1, "").replace(b'<child link="k1"/>', b'<child link="k1"/><limit effort="3"/>')
    assert parse_urdf(text, "r.urdf").joints[0].limits == Limits(effort=3.0)


def test_very_long_tags_are_not_compared() -> None:
    tag = "l" + "i" * 1000 + "nk"
    (warning,) = parse_urdf(f'<robot name="r"><link name="a"/><{tag}/></robot>'.encode(), "r.urdf").warnings
    assert "unknown element" in warning
