"""Exact time derivatives: truths of order 0 along a trajectory, differentiated by their interpolating polynomial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpmath import mp

from symdyn.verify.base.dense import flat
from symdyn.verify.base.matrices import Real, vector
from symdyn.verify.oracle.exact import Exact, forwards, joined, summed
from symdyn.verify.oracle.force_terms import force_terms
from symdyn.verify.oracle.frame_motion import forward_kinematics
from symdyn.verify.oracle.mass_matrix import mass_rows
from symdyn.verify.oracle.partial_derivatives import floored, in_reals, perturbations
from symdyn.verify.oracle.pose import frame_places, robot_pose, velocity
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference
from symdyn.verify.oracle.trajectory import Trajectory


def inverse_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``tau`` and its derivatives, (r + 1, nv)."""
    forces = Trajectory(setting, inputs).derivatives(setting.order, setting.force)
    V, nv = vector(inputs["V"]), setting.tree.nv
    rates = [V[start : start + nv] for start in range(nv, len(V), nv)]
    return summed(flat(forces), flat(force_terms(setting, {**inputs, "v": V[:nv]}, rates)))


def inverse_dynamics_time_derivatives_partials(setting: Setting, inputs: Inputs) -> Exact:
    """``dtau_dq``, (r + 1, nv, nv), and ``dtau_dV``, (r + 1, r + 2, nv, nv), by central differences of the above.

    Errors of an entry are measured against the largest of its matrix at the least, after rows and columns are scaled as
    the roots of M's diagonal are.
    """
    exact, nv, order = in_reals(inputs), setting.tree.nv, setting.order
    M = mass_rows(robot_pose(setting, exact["q"], exact))
    roots = [mp.sqrt(M[row][row]) or mp.mpf(1) for row in range(nv)]

    def forces(state: dict[str, list[Real]]) -> list[Real]:
        return flat(Trajectory(setting, state).derivatives(order, setting.force))

    def columns(by: str) -> list[list[Real]]:
        changes = perturbations(setting, exact, by)
        return [central_difference(lambda h, at=change: forces(at(h)), step) for change, step in changes]  # type: ignore[misc]

    parts = []
    for found in (columns("q"), columns("V")):
        for k in range(order + 1):
            for start in range(0, len(found), nv):
                own = found[start : start + nv]
                matrix = [[column[k * nv + row] for column in own] for row in range(nv)]
                parts.append(floored(matrix, roots, roots))
    return joined(parts)


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
