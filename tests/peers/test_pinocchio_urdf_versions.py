"""URDF 1.1 and 1.2 beside Pinocchio, whose urdfdom reads both: quaternions, planar joints, versions."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio
import pytest

import symdyn
from symdyn import api

pytestmark = pytest.mark.peers


def chain(rng: np.random.Generator, version: str, kinds: tuple[str, ...]) -> str:
    """A chain whose origins have random quaternions, not all of length one."""
    links = ['<link name="l0"/>']
    joints = []
    for number, kind in enumerate(kinds, 1):
        quats = [" ".join(map(str, rng.normal(size=4))) for _ in range(2)]
        place = [" ".join(map(str, rng.normal(size=3))) for _ in range(3)]
        a, b, c = rng.uniform(0.5, 1.0, 3)
        links.append(
            f'<link name="l{number}"><inertial><origin xyz="{place[0]}" quat_xyzw="{quats[0]}"/><mass value="{a}"/>'
            f'<inertia ixx="{a}" ixy="0.01" ixz="0.02" iyy="{b}" iyz="-0.01" izz="{c}"/></inertial></link>'
        )
        joints.append(
            f'<joint name="j{number}" type="{kind}"><parent link="l{number - 1}"/><child link="l{number}"/>'
            f'<origin xyz="{place[1]}" quat_xyzw="{quats[1]}"/>'
            f'<axis xyz="{"0 0 1" if kind == "planar" else place[2]}"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="chain" version="{version}">{"".join(links + joints)}</robot>'


def circled(q: np.ndarray, kinds: tuple[str, ...]) -> np.ndarray:
    """Pinocchio's q, in which angles without bounds are a cosine and a sine."""
    rows, given = [], iter(q)
    for kind in kinds:
        rows += [next(given) for _ in range({"planar": 2, "fixed": 0, "continuous": 0}.get(kind, 1))]
        if kind in ("planar", "continuous"):
            angle = next(given)
            rows += [np.cos(angle), np.sin(angle)]
    return np.array(rows)


@pytest.mark.parametrize("version", ["1.1", "1.2"])
@pytest.mark.parametrize(
    "kinds", [("revolute", "prismatic", "fixed", "continuous"), ("planar", "revolute")], ids=["chain", "planar"]
)
def test_forces_are_pinocchios(version: str, kinds: tuple[str, ...]) -> None:
    rng = np.random.default_rng(len(kinds))
    for _ in range(3):
        text = chain(rng, version, kinds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", symdyn.SymdynWarning)
            robot = symdyn.loads(text, "urdf")
        model = pinocchio.buildModelFromXML(text)
        q, v, a = robot.random_state(3)[0], rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        expected = pinocchio.rnea(model, model.createData(), circled(q, kinds), v, a)
        found = np.array(api.float_recursion(robot, "inverse_dynamics")({"q": q, "v": v, "a": a})["tau"])
        # rounding of two recursions over four bodies
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_what_urdfdom_refuses_is_refused() -> None:
    text = chain(np.random.default_rng(1), "1.2", ("revolute",))
    links, joint = text.split("<joint")
    twice = joint.replace("quat_xyzw=", 'rpy="0 0 0" quat_xyzw=')
    for broken in (
        f"{links}<joint{twice}",
        text.replace('lower="-1"', ""),
        text.replace('effort="1"', 'effort="1" jerk="-1"'),
        text.replace('effort="1"', 'effort="1" acceleration="x"'),
    ):
        with pytest.raises(ValueError, match="valid URDF"):
            pinocchio.buildModelFromXML(broken)
        with pytest.raises(symdyn.SymdynError):
            symdyn.loads(broken, "urdf")
