"""Forces of a walker that stands, against dense least squares with Pinocchio's Jacobians and inverse dynamics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn import api

pinocchio = pytest.importorskip("pinocchio")
pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
WALKER = Path(__file__).resolve().parents[2] / "examples" / "ground" / "walker.urdf"
FEET = ("front_left", "front_right", "rear_left", "rear_right")


def test_a_walker_that_stands() -> None:
    """Where no cone is met, forces are the shortest solution of the base's six equations, in the world's axes."""
    robot = symdyn.load(WALKER, floating_base=True, contacts="ground")
    run, gaps = (api.float_recursion(robot, name) for name in ("stance_forces", "contact_gaps"))
    model = pinocchio.buildModelFromUrdf(str(WALKER), pinocchio.JointModelFreeFlyer())
    data, rng = model.createData(), np.random.default_rng(4)
    names, order = robot.velocity_names[6:], list(model.names)[2:]
    q = robot.neutral()
    q[2] -= min(gaps({"q": q.tolist()})["gap"])
    points = np.array(gaps({"q": q.tolist()})["point"]).reshape(-1, 3)
    order_of_rows = [names.index(name) for name in order]
    there = np.concatenate([q[:7], q[7:][order_of_rows]])
    pinocchio.computeJointJacobians(model, data, there)
    pinocchio.updateFramePlacements(model, data)
    for _ in range(5):
        v, a = 0.1 * rng.normal(size=18), 0.3 * rng.normal(size=18)
        result = run({"q": q.tolist(), "v": v.tolist(), "a": a.tolist()})
        forces = np.array(result["lambda"]).reshape(-1, 3)
        bearing = np.flatnonzero(forces[:, 2])
        moved = [np.concatenate([x[:6], x[6:][order_of_rows]]) for x in (v, a)]
        required = pinocchio.rnea(model, data, there, *moved)
        blocks = []
        for slot in bearing:
            places = [data.oMf[model.getFrameId(f"{foot}_shank")].act(np.array([0.0, 0.0, -0.22])) for foot in FEET]
            foot = FEET[int(np.argmin([np.linalg.norm(points[slot] - place) for place in places]))]
            frame = model.getFrameId(f"{foot}_shank")
            J = pinocchio.getFrameJacobian(model, data, frame, pinocchio.LOCAL_WORLD_ALIGNED)
            arm = points[slot] - data.oMf[frame].translation
            blocks.append(J[:3] + np.cross(J[3:].T, arm).T)
        rows = np.vstack(blocks)
        least, *_ = np.linalg.lstsq(rows[:, :6].T, required[:6], rcond=None)
        assert len(bearing) == len(FEET)
        assert np.abs(forces[bearing].ravel() - least).max() < 1e-9
        tau = required - rows.T @ least
        assert np.abs(np.array(result["tau"])[6:][order_of_rows] - tau[6:]).max() < 1e-9
