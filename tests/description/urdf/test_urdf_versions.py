"""URDF 1.1 and 1.2: quaternions and capsules, limits of acceleration, deceleration and jerk."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symdyn.description.read import read_text
from symdyn.description.robot import Limits, RobotDescription
from symdyn.description.urdf.read import parse_urdf
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

FULL = 'lower="-1" upper="1" effort="9" velocity="8"'


def arm(
    origin: str = "",
    version: str = "1.1",
    limit: str = FULL,
    kind: str = "revolute",
    look: str = "",
    inertial: str = "",
) -> str:
    told = f'version="{version}"' if version else ""
    return f"""<robot name="arm" {told}>
  <link name="base"/>
  <link name="rod"><inertial><origin {inertial}/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>{look}</link>
  <joint name="turn" type="{kind}"><parent link="base"/><child link="rod"/>
    <origin xyz="0 0 1" {origin}/><axis xyz="0 0 1"/><limit {limit}/></joint>
</robot>"""


def read(*told: str, **more: str) -> RobotDescription:
    return parse_urdf(arm(*told, **more).encode(), "arm.urdf")


def test_a_quaternion_is_the_rotation_that_angles_are() -> None:
    quarter = 'quat_xyzw="0 0.7071067811865476 0 0.7071067811865476"'
    assert read(quarter).joints == read('rpy="0 1.5707963267948966 0"').joints
    assert read(inertial=quarter).links == read(inertial='rpy="0 1.5707963267948966 0"').links
    assert read('quat_xyzw="0 0 0 -1"', version="1.2").joints == read(version="1.2").joints


def test_random_quaternions_turn_vectors_as_hamiltons_product_does() -> None:
    rng = np.random.default_rng(5)
    for scale in (1.0, 3.0, 1e-200, 1e200):
        x, y, z, w = (quat := rng.normal(size=4))
        found = np.array(
            read(f'quat_xyzw="{" ".join(map(repr, map(float, scale * quat)))}"').joints[0].placement.rotation
        )
        v, axis = rng.normal(size=3), np.array([x, y, z])
        turned = (2.0 * np.dot(axis, v) * axis + (w * w - axis @ axis) * v + 2.0 * w * np.cross(axis, v)) / (
            quat @ quat
        )
        np.testing.assert_allclose(found @ v, turned, rtol=0, atol=1e-14)  # rounding of a dozen products of size 1


@pytest.mark.parametrize(
    ("origin", "version", "words"),
    [
        ('quat_xyzw="0 1 0 1"', "", "'quat_xyzw' of <origin> is of URDF 1.1, and the file is of version 1.0"),
        ('quat_xyzw="0 1 0 1"', "1.0", "of URDF 1.1, .* --ignore quat_xyzw"),
        ('quat_xyzw="0 1 0 1" rpy="0 0 0"', "1.1", "<origin> has both 'rpy' and 'quat_xyzw'; keep one"),
        ('quat_xyzw="0 0 0 0"', "1.1", "'quat_xyzw' of <origin> is 0 0 0 0"),
        ('quat_xyzw="0 1 0"', "1.1", "'quat_xyzw' of <origin>: expected four numbers parted by spaces"),
        ('quat_xyzw="0 1 0 nan"', "1.1", "'quat_xyzw' of <origin>: expected a finite number"),
        ('quat="0 1 0 1"', "1.1", "'quat' of <origin>"),
    ],
)
def test_quaternions_that_mean_nothing_are_refused(origin: str, version: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^arm.urdf:[56]: joint 'turn': .*{words}"):
        read(origin, version)
    if not origin.startswith('quat="'):  # of which the element's own line is told
        with pytest.raises(DescriptionError, match=rf"^arm.urdf:3: link 'rod': .*{words}"):
            read(version=version, inertial=origin)


def test_a_quaternion_of_another_length_is_told() -> None:
    (told,) = read('quat_xyzw="0 0 0 2"').warnings
    assert told == "line 5: joint 'turn': 'quat_xyzw' of <origin> has length 2; it is scaled to 1"
    assert read('quat_xyzw="0 0 0.7071068 0.7071068"').warnings == ()


def test_one_may_go_on_without_a_quaternion_of_an_old_file() -> None:
    found = read_text(arm('quat_xyzw="0 1 0 1"', ""), "urdf", ignore=["quat_xyzw"])
    assert found.joints[0].placement == read().joints[0].placement
    assert found.warnings == ("line 6: attribute 'quat_xyzw' is left out, as asked",)


@pytest.mark.parametrize(("version", "read_as"), [("1.3", "1.3"), ("2.0", "2.0"), ("1", "1.0"), ("1.0~a", "1.0")])
def test_unknown_versions_are_told(version: str, read_as: str) -> None:
    (told,) = read(version=version).warnings
    assert told == f"line 1: <robot> has version '{version}'; known are 1.0 to 1.2, and it is read as {read_as}"


def test_higher_limits_are_read_in_every_version() -> None:
    more = f'{FULL} acceleration="7" deceleration="6" jerk="5"'
    for version in ("", "1.0", "1.2"):
        assert read(version=version, limit=more).joints[0].limits == Limits(-1.0, 1.0, 8.0, 9.0, 7.0, 6.0, 5.0)
    assert read(limit=f'{FULL} acceleration="7"').joints[0].limits == Limits(-1.0, 1.0, 8.0, 9.0, 7.0, 7.0)
    bounds = read(limit='lower="-1" upper="1" jerk="5"', kind="continuous").joints[0].limits
    assert bounds == Limits(jerk=5.0)


def test_the_limits_of_urdf_1_2_are_written_and_read_back() -> None:
    for more in ('acceleration="7"', 'acceleration="7" deceleration="6" jerk="5"', 'jerk="0"', 'deceleration="3"'):
        found = read(version="1.2", limit=f"{FULL} {more}")
        assert read_text(write_yaml(found), "yaml").joints[0].limits == found.joints[0].limits


def test_from_version_1_2_bounds_are_required_and_efforts_are_not() -> None:
    found = read(version="1.2", limit='lower="-1" upper="1"')
    assert (found.joints[0].limits, found.warnings) == (Limits(-1.0, 1.0), ())
    assert len(read(limit='lower="-1" upper="1"').warnings) == 1
    for limit, absent in (('lower="-1"', "upper"), ('effort="1"', "lower and upper")):
        with pytest.raises(DescriptionError, match=f"<limit> lacks {absent}, which URDF 1.2 requires"):
            read(version="1.2", limit=limit)
    assert read(version="1.2", limit='effort="1"', kind="continuous").joints[0].limits == Limits(effort=1.0)


@pytest.mark.parametrize("name", ["acceleration", "deceleration", "jerk"])
def test_negative_limits_of_derivatives_are_refused(name: str) -> None:
    with pytest.raises(DescriptionError, match=f"joint 'turn': the limit of {name} is -1; it is at least 0"):
        read(limit=f'{FULL} {name}="-1"')
    with pytest.raises(DescriptionError, match=f"'{name}' of <limit>: expected a decimal number"):
        read(limit=f'{FULL} {name}="x"')


def test_capsules_and_quaternions_are_looks() -> None:
    look = (
        '<visual><origin xyz="1 2 3" quat_xyzw="{}"/><geometry><capsule radius="0.1" length="0.6"/></geometry></visual>'
    )
    rod, low, high = read(look=look.format("0.7071067811865476 0 0 0.7071067811865476")).links[1].visuals
    assert (rod.shape, rod.size) == ("cylinder", (0.1, 0.6))
    assert rod.placement.rotation == ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    assert [end.shape for end in (low, high)] == ["sphere", "sphere"]
    assert [end.placement.translation for end in (low, high)] == [(1.0, 2.3, 3.0), (1.0, 1.7, 3.0)]
    assert math.isclose(low.size[0], 0.1)
    for odd in (look.format("0 0 0 0"), look.format("0 0 0 1").replace("xyz=", 'rpy="0 0 0" xyz=')):
        assert "'quat_xyzw' 0 0 0 0, or 'rpy' too" in read(look=odd).links[1].visuals[0].fault
    assert "above 0" in read(look=look.format("0 0 0 1").replace("0.6", "-1")).links[1].visuals[0].fault
