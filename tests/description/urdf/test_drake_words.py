"""Drake's joints and rotors, beside the same robots in YAML."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from symdyn.description.read import read_text
from symdyn.description.robot import Actuator, Joint, JointKind, Limits
from symdyn.errors import DescriptionError

HEAD = '<robot name="r" xmlns:drake="http://drake.mit.edu">'


def robot(joint: str, tag: str = "drake:joint", more: str = "", head: str = HEAD) -> str:
    kind, _, inside = joint.partition("|")
    return f"""{head}<link name="a"/><link name="b"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<{tag} name="j" type="{kind}"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>{inside}</{tag}>
{more}</robot>"""


def yaml(joint: str) -> str:
    return f"""name: r
links:
  a:
  b: {{mass: 2, com: [0.1, 0.2, 0.3], inertia: {{xx: 0.1, xy: 0.01, yy: 0.2, zz: 0.25}}}}
joints:
  j: {{parent: a, child: b, translation: [0, 0, 1], rpy: [0.1, 0.2, 0.3], {joint}}}
"""


def joint_of(text: str, format: str = "urdf") -> Joint:
    return replace(read_text(text, format).joints[0], line=None)


SAME = [
    ("ball", "type: spherical"),
    ('ball|<dynamics damping="0.4"/><axis xyz="0 0 1"/>', "type: spherical, losses: {damping: 0.4}"),
    ("universal", "type: universal, axis: [1, 0, 0], second_axis: [0, 1, 0]"),
    (
        'planar|<axis xyz="0 0 2"/><dynamics damping="0.3 0.3 0.3"/>',
        "type: planar, axis: [0, 0, 1], losses: {damping: 0.3}",
    ),
    (
        'screw|<axis xyz="0 0 1"/><drake:screw_thread_pitch value="0.02"/>',
        f"type: helical, axis: [0, 0, 1], pitch: {0.02 / math.tau!r}",
    ),
]


@pytest.mark.parametrize(("drake", "said"), SAME)
def test_joints_of_drake_are_those_of_yaml(drake: str, said: str) -> None:
    expected = joint_of(yaml(said), "yaml")
    for head in (HEAD, '<robot name="r">'):  # Drake does not ask that its prefix be declared
        for tag in ("drake:joint", "joint"):
            assert joint_of(robot(drake, tag, head=head)) == expected


def test_words_of_other_readers() -> None:
    assert joint_of(robot("spherical", "joint")) == joint_of(yaml("type: spherical"), "yaml")
    found = joint_of(robot('universal|<axis xyz="0 0 1"/><axis2 xyz="0 -3 0"/>', "joint"))
    assert found == joint_of(yaml("type: universal, axis: [0, 0, 1], second_axis: [0, -1, 0]"), "yaml")


REFUSED = [
    ("curvilinear", "type 'curvilinear' is not a joint type"),
    ('universal|<axis xyz="0 0 1"/>', "a universal joint turns about x and then y of its frame unless both"),
    ('universal|<axis xyz="0 0 1"/><axis2 xyz="0 1 1"/>', "<axis2> is not at right angles to <axis>"),
    ('universal|<axis2 xyz="0 0 0"/>', "<axis2> is not at right angles"),
    ('revolute|<axis2 xyz="0 0 1"/>', "<axis2> means nothing on a revolute joint"),
    ("screw", '<drake:screw_thread_pitch value=".."/> is missing'),
    ('fixed|<drake:screw_thread_pitch value="1"/>', "means nothing on a fixed joint"),
    ('planar|<dynamics damping="1 2 3"/>', "'damping' of <dynamics>: 1 2 3 differ"),
    ('planar|<dynamics damping="1 2 x"/>', "'damping' of <dynamics>: expected a decimal number"),
    ('revolute|<limit drake:acceleration="1" acceleration="1"/>', "has acceleration and drake:acceleration; keep one"),
    ("screw|<drake:initial_tangent/>", "<drake:initial_tangent> in <joint> is unknown"),
]


@pytest.mark.parametrize(("joint", "words"), REFUSED)
def test_what_such_a_joint_cannot_be_is_refused(joint: str, words: str) -> None:
    with pytest.raises(DescriptionError) as raised:
        read_text(robot(joint), "urdf")
    assert words in str(raised.value)


HINGE = 'revolute|<limit lower="-1" upper="1" effort="5" velocity="5"/>'


def motor(*rotors: str, kind: str = "SimpleTransmission", joint: str = "j") -> str:
    return "".join(
        f"<transmission name='t'><type>{kind}</type><joint name='{joint}'/><actuator name='m'>{rotor}</actuator>"
        "</transmission>"
        for rotor in rotors
    )


def rotor(inertia: str = "", ratio: str = "") -> str:
    found = f'<drake:rotor_inertia value="{inertia}"/>' if inertia else ""
    return found + (f'<drake:gear_ratio value="{ratio}"/>' if ratio else "")


def test_rotors_of_drake_are_those_of_yaml() -> None:
    said = "type: revolute, axis: [1, 0, 0], limits: {lower: -1, upper: 1, effort: 5, velocity: 5}, actuator: "
    expected = joint_of(yaml(said + "{rotor_inertia: 3.0e-4, gear_ratio: 50}"), "yaml")
    assert joint_of(robot(HINGE, "joint", motor(rotor("3e-4", "50")))) == expected
    assert joint_of(robot(HINGE, "joint", motor(rotor("3e-4")))).actuator == Actuator(3e-4)
    both = joint_of(robot(HINGE, "joint", motor(rotor("3e-4", "50"), rotor("1e-3", "10")))).actuator
    assert both == Actuator(armature=3e-4 * 50**2 + 1e-3 * 10**2)
    assert joint_of(robot(HINGE, "joint", motor(rotor("", "50")))).actuator is None


@pytest.mark.parametrize(
    ("hinge", "more", "words"),
    [
        (HINGE, motor(rotor("1"), kind="DifferentialTransmission"), "and not a SimpleTransmission"),
        (HINGE.replace('"5"', '"0"', 1), motor(rotor("1")), "the joint's limit of effort is 0"),
        ("fixed", motor(rotor("1")), "the joint is fixed"),
        (HINGE, motor(rotor("", "9")), "has a gear ratio and no rotor inertia, and adds none"),
    ],
)
def test_rotors_that_drake_leaves_out_are_told(hinge: str, more: str, words: str) -> None:
    found = read_text(robot(hinge, "joint", more), "urdf")
    assert found.joints[0].actuator is None
    assert any(words in told for told in found.warnings)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (motor(rotor("-1")), "<drake:rotor_inertia>: 'value' is -1; it is at least 0"),
        (motor(rotor("x")), "<drake:rotor_inertia>: 'value': expected a decimal number"),
        (motor("<drake:gear_ratio/>"), "<drake:gear_ratio>: 'value': expected a decimal number"),
        (motor(rotor("1") + rotor("2")), "actuator 'm' has a second <drake:rotor_inertia>; keep one"),
        (
            motor(rotor("1"), joint="jj"),
            "actuator 'm': no joint is called as its transmission says, 'jj'; did you mean",
        ),
        (
            f"<transmission><joint name='j'>{rotor('1')}</joint></transmission>",
            "<drake:rotor_inertia> in <transmission>",
        ),
        (f"<transmission>{rotor('1')}</transmission>", "<drake:rotor_inertia> in <transmission> is unknown"),
    ],
)
def test_rotors_that_cannot_be_are_refused(more: str, words: str) -> None:
    with pytest.raises(DescriptionError) as raised:
        read_text(robot(HINGE, "joint", more), "urdf")
    assert words in str(raised.value)


def test_an_acceleration_of_drake_is_a_limit() -> None:
    for head in (HEAD, '<robot name="r">'):
        found = joint_of(robot(HINGE.replace("<limit ", '<limit drake:acceleration="3" '), "joint", head=head))
        assert found.limits == Limits(-1.0, 1.0, 5.0, 5.0, 3.0, 3.0)
    assert joint_of(robot(HINGE, "joint")).kind is JointKind.REVOLUTE
