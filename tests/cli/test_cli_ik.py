"""``symdyn ik``: its table, the ways to write a pose, and its refusals."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn.cli.main import main

pytestmark = pytest.mark.needs_cc
ARM = ["ik", "seven_dof_arm", "--frame", "tool"]


def positions(capsys: pytest.CaptureFixture[str]) -> list[float]:
    lines = (line.split() for line in capsys.readouterr().out.splitlines())
    return [float(line[1]) for line in lines if line[0].startswith("joint_")]


def test_angles_and_quaternions_mean_the_same_pose(capsys: pytest.CaptureFixture[str]) -> None:
    angles = np.array([2.8, 0.3, -0.4])
    turns = [np.exp(0.5j * angle) for angle in angles]
    (sr, cr), (sp, cp), (sy, cy) = ((turn.imag, turn.real) for turn in turns)
    quaternion = (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )
    found = []
    for turn in (angles, quaternion):
        assert main([*ARM, "--pose", " ".join(map(repr, map(float, (0.4, 0.1, 0.5, *turn))))]) == 0
        found.append(positions(capsys))
    assert len(found[0]) == 7 and found[0] == pytest.approx(found[1], abs=1e-7)
    module = symdyn.compile(symdyn.load_example("seven_dof_arm"), ["forward_kinematics"], frames=["tool"])
    X = module.forward_kinematics(found[0])[0]
    assert X[:3, 3] == pytest.approx([0.4, 0.1, 0.5], abs=1e-7)
    assert np.arctan2(X[2, 1], X[2, 2]) == pytest.approx(angles[0], abs=1e-7)
    assert np.arcsin(-X[2, 0]) == pytest.approx(angles[1], abs=1e-7)
    assert np.arctan2(X[1, 0], X[0, 0]) == pytest.approx(angles[2], abs=1e-7)


def test_a_place_and_an_axis(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARM, "--position", "0.4, 0.1, 0.5", "--axis", "0 0 -1", "--start", "joint_4=-1.5"]) == 0
    assert len(positions(capsys)) == 7


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--position", "4 0 0"], "frame 'tool' does not reach the target from 20 starts"),
        (["--position", "4 0 0", "--axis", "1 0 0"], " m and "),
        (["--position", "4 0 0"], "the nearest position, joint_1="),
        ([], "--pose, --position or --axis tells where the frame is to be; give one"),
        (["--pose", "1 2 3"], "--pose '1 2 3': expected 6 or 7 numbers, x y z and then roll pitch yaw"),
        (["--axis", "up"], "--axis 'up': expected 3 numbers"),
    ],
)
def test_refusals(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARM, *words]) == 2
    assert said in capsys.readouterr().err


def test_angles_in_degrees_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    main([*ARM, "--pose", "0.4 0.1 0.5 180 0 0"])
    assert "--pose has the angle 180, more than a turn: angles are in radians, 180 degrees are 3.14159" in " ".join(
        capsys.readouterr().err.split()
    )
