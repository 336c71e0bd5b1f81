"""What a URDF says beyond what is read: refused where it may change the equations, in any place and of any name."""

from __future__ import annotations

import random
import string

import pytest
from lxml import etree

from symdyn.description.read import read_text
from symdyn.description.urdf.undeclared import ATTRIBUTES, ELEMENTS, STRICT
from symdyn.errors import DescriptionError

BODY = '<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>'
ARM = f"""<robot name="arm">
<link name="base"/>
<link name="rod"><inertial><origin xyz="0 0 1"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/><dynamics damping="1"/></joint>
<link name="tip">{BODY}</link>
<joint name="bend" type="revolute"><parent link="rod"/><child link="tip"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/><mimic joint="turn"/></joint>
<link name="cross">{BODY}</link>
<joint name="twice" type="universal"><parent link="tip"/><child link="cross"/><axis xyz="0 1 0"/>
<axis2 xyz="0 0 1"/></joint>
<link name="nut">{BODY}</link>
<joint name="thread" type="screw"><parent link="cross"/><child link="nut"/><screw_thread_pitch value="0.01"/></joint>
</robot>"""


def changed(scope: str, attribute: str = "", element: str = "", text: str = "", number: int = 0) -> str:
    root = etree.fromstring(ARM)
    place = list(root.iter(scope))[number]
    if attribute:
        place.set(attribute, "0.5")
    if element:
        etree.SubElement(place, element).set("value", "0.5")
    if text:
        place.text = text
    return etree.tostring(root, encoding="unicode")


def names(seed: int, count: int) -> list[str]:
    """Words of letters, as exporters may invent them."""
    rng = random.Random(seed)
    return [
        "".join(rng.choices(string.ascii_lowercase + "_", k=rng.randint(5, 12))).strip("_") + "q" for _ in range(count)
    ]


def test_every_strict_place_occurs_in_the_file() -> None:
    assert {str(element.tag) for element in etree.fromstring(ARM).iter()} == {*STRICT, "robot", "link"}
    assert read_text(ARM, "urdf").warnings == ()


@pytest.mark.parametrize("scope", sorted(STRICT))
def test_no_unknown_word_is_dropped_where_equations_are_written(scope: str) -> None:
    for name in [*names(len(scope), 4), "stiffness", "rotor_inertia", "gear", "armature", "scale", "x1", "ratio"]:
        for added in ({"attribute": name}, {"element": name}):
            with pytest.raises(DescriptionError, match=rf"{name}.*(may change the equations|did you mean)") as raised:
                read_text(changed(scope, **added), "urdf")
            assert str(raised.value).isprintable()
            if name == "gear":
                found = read_text(changed(scope, **added), "urdf", ignore=[name])
                assert found.joints == read_text(ARM, "urdf").joints
                assert [told for told in found.warnings if name in told and "is left out, as asked" in told]
    with pytest.raises(DescriptionError, match=rf"text '0 0 8' in <{scope}> is unknown"):
        read_text(changed(scope, text="0 0 8"), "urdf")
    assert len(read_text(changed(scope, text="0 0 8"), "urdf", ignore=["stray-text"]).warnings) == 1


@pytest.mark.parametrize(
    "name",
    [
        *("loop_joint", "loop", "constraint", "rotor", "gearbox", "motor", "spring", "drake:linear_bushing_rpy"),
        *(
            "drake:ball_constraint",
            "drake:tendon_constraint",
            "drake:linear_spring_damper",
            "force_element",
            "coupling",
        ),
    ],
)
@pytest.mark.parametrize("scope", ["robot", "link", "joint"])
def test_loops_and_inertia_beside_links_are_refused(scope: str, name: str) -> None:
    text = ARM.replace(f"</{scope}>", f"<{name} value='1'/></{scope}>", 1)
    with pytest.raises(DescriptionError, match=rf"<{name}> in <{scope}> is unknown.* --ignore {name}") as raised:
        read_text(text, "urdf")
    assert ("--loops" in str(raised.value)) == any(word in name for word in ("loop", "constraint"))
    assert any(f"<{name}>" in told for told in read_text(text, "urdf", ignore=[name]).warnings)


@pytest.mark.parametrize(
    ("scope", "inside", "refused"),
    [
        ("link", "<gravity>1</gravity>", False),
        ("link", "<gravity>0</gravity>", True),
        ("link", "<kinematic>true</kinematic>", True),
        ("joint", '<joint_properties damping="0.0" friction=".0"/>', False),
        ("joint", '<joint_properties damping="0.1" friction="0"/>', True),
        ("joint", '<joint_properties><damping value="0.1"/></joint_properties>', True),
        ("joint", '<safety_controller k_velocity="3"/>', False),
        (
            "robot",
            "<transmission name='t'><actuator name='m'><mechanicalReduction>3</mechanicalReduction></actuator>"
            "</transmission>",
            False,
        ),
        (
            "robot",
            "<transmission name='t'><actuator name='m'><rotorInertia>3</rotorInertia></actuator></transmission>",
            True,
        ),
        ("robot", "<transmission name='t'><joint name='turn' armature='1'/></transmission>", True),
        ("robot", "<gazebo><joint name='loop'/></gazebo><ros2_control/><sensor/><collision_group/>", False),
        ("link", "<force_torque_sensor/>", False),
    ],
)
def test_neighbours_are_judged_by_what_they_hold(scope: str, inside: str, refused: bool) -> None:
    text = ARM.replace(f"</{scope}>", f"{inside}</{scope}>", 1)
    if refused:
        with pytest.raises(DescriptionError, match="may change the equations"):
            read_text(text, "urdf")
        return
    found = read_text(text, "urdf")
    assert found.joints == read_text(ARM, "urdf").joints
    assert found.warnings


IN_GAZEBO = {
    "<gravity>0</gravity>": "<gravity> 0 in <gazebo> of 'rod' changes motions in Gazebo alone; it is not read",
    "<turnGravityOff>true</turnGravityOff>": "<turnGravityOff> true",
    "<springStiffness>3.5</springStiffness>": "<springStiffness> 3.5",
    "<dampingFactor>0.1</dampingFactor>": "<dampingFactor> 0.1",
    "<joint name='loop' type='ball'/>": "<joint> in <gazebo>",
    "<gravity>1</gravity><springStiffness>0.0</springStiffness><mu1>1</mu1>": "",
    "<implicitSpringDamper>1</implicitSpringDamper><preserveFixedJoint>true</preserveFixedJoint>": "",
    "<plugin name='p'><gravity>0</gravity></plugin>": "",
}


@pytest.mark.parametrize("inside", IN_GAZEBO)
def test_what_changes_motions_in_gazebo_is_told_by_name(inside: str) -> None:
    found = read_text(ARM.replace("</robot>", f"<gazebo reference='rod'>{inside}</gazebo></robot>"), "urdf")
    told = [warning for warning in found.warnings if "in Gazebo alone" in warning]
    assert len(told) == bool(IN_GAZEBO[inside])
    assert all(IN_GAZEBO[inside] in warning for warning in told)


def test_attributes_in_use_that_nobody_reads_stay_one_line() -> None:
    said = {("axis", "rpy"): "0 0 0", ("dynamics", "K"): "7000"}
    for scope, known in ATTRIBUTES.items():
        for name in known:
            text = changed(scope, attribute=name).replace(f'{name}="0.5"', f'{name}="{said.get((scope, name), 7)}"')
            (told,) = read_text(text, "urdf").warnings
            assert f"unknown attribute '{name}' of <{scope}> ignored" in told
    with pytest.raises(DescriptionError, match="'rpy' of <axis> is unknown"):
        read_text(changed("axis", attribute="rpy"), "urdf")
    assert "joint_properties" in ELEMENTS["joint"]


def test_a_scale_of_bullet_is_told_by_its_value() -> None:
    text = ARM.replace('<link name="rod">', '<link name="rod"><contact><inertia_scaling value="3.0"/></contact>')
    assert any("<inertia_scaling> 3.0 is Bullet's alone" in told for told in read_text(text, "urdf").warnings)
    assert len(read_text(text.replace("3.0", "1.0"), "urdf").warnings) == 1


def test_what_is_left_out_may_also_be_known() -> None:
    found = read_text(ARM, "urdf", ignore=["mimic", "damping"])
    assert all(joint.mimic is None and joint.losses.damping == 0.0 for joint in found.joints)
    assert found.warnings == (
        "line 6: attribute 'damping' is left out, as asked",
        "line 9: element <mimic> is left out, as asked",
    )
