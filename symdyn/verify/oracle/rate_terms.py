"""Exact parts of the rate of joint forces: the mass matrix, and what motion, weight and wrenches add to M v''."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mpmath import mp

from symdyn.verify.base.matrices import Real, subtract, vector
from symdyn.verify.oracle.exact import Exact, forwards, joined, summed
from symdyn.verify.oracle.mass_matrix import mass_matrix, mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.trajectory import Trajectory
from symdyn.verify.oracle.world_quantities import gravity


def inverse_dynamics_rate_terms(setting: Setting, inputs: Inputs) -> Exact:
    """``M``, and the rates along ``v + a t`` of the forces of motion, of weight and of external wrenches.

    Errors are measured against the sizes of the terms: weight that turns, and momenta that turn and grow, may have a
    rate that no joint feels. A trajectory turns as fast as it leaves its first state.
    """
    nv, free = setting.tree.nv, replace(setting, external="")
    v, a = vector(inputs["v"]), vector(inputs["a"])
    along = Trajectory(setting, {**inputs, "V": [*v, *a, *[mp.mpf(0)] * nv]})

    def parts(state: Mapping[str, Sequence[Any]]) -> list[Real]:
        unloaded, weight = free.force(state), gravity(free, state).values
        loaded = subtract(setting.force(state), unloaded) if setting.external else []
        return [*subtract(unloaded, weight), *weight, *loaded]

    rates, speed = along.derivatives(1, parts)[1], along.swiftness
    sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))[1]
    pushed = [speed * mp.fdot(row, [abs(x) + speed * abs(y) for x, y in zip(a, v, strict=True)]) for row in sizes]
    weighed = [speed * size for size in gravity(free, inputs).scales]
    found = [mass_matrix(setting, inputs), summed(rates[:nv], pushed), summed(rates[nv : 2 * nv], weighed)]
    if setting.external:
        found.append(forwards(rates[2 * nv :]))
    return joined(found)
