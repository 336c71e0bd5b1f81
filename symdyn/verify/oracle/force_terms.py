"""The sizes of the terms that forces of motion are sums of.

A joint's force may be small where the mass terms of the coordinates that bend cancel those of the joint, in any state
and not only in rare ones. Errors are measured against ``sum |M_ij| |a_j| + sum |C_ij| |v_j|`` at the least, every entry
with the terms that it is itself a sum of. Forces of rigid robots are measured against themselves, and their derivatives
by a parameter against those of the sizes: the torque of a mass in line with its joint vanishes in every state, and
what cancels in it grows with the square of the speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mpmath import mp

from symdyn.verify.base.matrices import Real, length, vector
from symdyn.verify.oracle.coriolis import coriolis_matrix
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.truth import DIGITS


def force_terms(setting: Setting, inputs: Inputs, rates: Sequence[Sequence[Real]]) -> list[list[Real]]:
    """Per row of ``rates`` (accelerations and their derivatives, (r + 1, nv)) the sizes of the terms of tau, (nv,).

    The velocity terms are those of order 0.
    """
    nv = setting.tree.nv
    if not setting.tree.bends:
        return [[mp.mpf(0)] * nv for _ in rates]
    return _motion_terms(setting, inputs, rates)


def load_terms(setting: Setting, inputs: Inputs, a: Sequence[Real]) -> list[Real]:
    """The sizes of the terms of tau (nv,) of any robot, with the weight of its links."""
    with mp.workdps(DIGITS):
        (found,) = _motion_terms(setting, inputs, [vector(a)])
        return [x + y for x, y in zip(found, weight_terms(setting, inputs), strict=True)]


def weight_terms(setting: Setting, inputs: Inputs) -> list[Real]:
    """The sizes of the terms of what holds the weight of the robot's links (nv,)."""
    pose, found = robot_pose(setting, vector(inputs["q"]), inputs), [mp.mpf(0)] * setting.tree.nv
    g = length(setting.gravity(setting.quantities(inputs)))
    for link in pose.heavy:
        for row, part in pose.columns(link.name, link.center).items():
            found[row] += link.mass * g * length(part.linear)
    return found


def _motion_terms(setting: Setting, inputs: Inputs, rates: Sequence[Sequence[Real]]) -> list[list[Real]]:
    nv = setting.tree.nv
    sizes = mass_terms(robot_pose(setting, vector(inputs["q"]), inputs))[1]
    found = [[mp.fdot(row, map(abs, own)) for row in sizes] for own in rates]
    v = vector(inputs["v"][:nv])
    swept = coriolis_matrix(replace(setting, factorization="christoffel"), {**inputs, "v": v}).scales
    found[0] = [size + mp.fdot(swept[row * nv : (row + 1) * nv], map(abs, v)) for row, size in enumerate(found[0])]
    return found
