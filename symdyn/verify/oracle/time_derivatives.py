"""Exact time derivatives: truths of order 0 along a trajectory, differentiated by their interpolating polynomial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.verify.base.dense import flat
from symdyn.verify.base.matrices import Real, vector
from symdyn.verify.oracle.exact import Exact, forwards, joined, summed
from symdyn.verify.oracle.force_terms import force_terms
from symdyn.verify.oracle.frame_motion import forward_kinematics
from symdyn.verify.oracle.pose import frame_places, robot_pose, velocity
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.trajectory import Trajectory


def inverse_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``tau`` and its derivatives, (r + 1, nv)."""
    forces = Trajectory(setting, inputs).derivatives(setting.order, setting.force)
    V, nv = vector(inputs["V"]), setting.tree.nv
    rates = [V[start : start + nv] for start in range(nv, len(V), nv)]
    return summed(flat(forces), flat(force_terms(setting, {**inputs, "v": V[:nv]}, rates)))


def forward_kinematics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """Poses of all frames, and their velocities in world axes with derivatives, (r + 1, nframes, 6)."""

    def twists(state: Mapping[str, Sequence[Any]]) -> list[Real]:
        found: list[Real] = []
        for link, _, origin in frame_places(pose := robot_pose(setting, state["q"], state)):
            moving = velocity(pose.columns(link, origin), state["v"])
            found += [*moving.linear, *moving.angular]
        return found

    moved = Trajectory(setting, inputs).derivatives(setting.order, twists)
    return joined([forward_kinematics(setting, inputs), forwards(flat(moved))])
