"""Derivatives of plans by differences with forty digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpmath import mp

from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

STEP = mp.mpf(10) ** -14
Inputs = Mapping[str, Sequence[Any]]


def derivative(robot: Robot, made: Plan, inputs: Inputs, by: str, row: int) -> dict[str, list[Any]]:
    """What all outputs of a plan do along a row of v, or along the body-frame move of q, with forty digits."""

    def at(step: Any) -> dict[str, list[Any]]:
        moved = {name: list(values) for name, values in inputs.items()}
        if by == "q":
            for joint in robot.model.independent_joints:
                if joint.v_rows.start <= row < joint.v_rows.stop:
                    own = moved["q"][joint.q_rows]
                    rates = joint.kind.rates(MpmathAlgebra(), own)
                    column = row - joint.v_rows.start
                    moved["q"][joint.q_rows] = [x + step * rate[column] for x, rate in zip(own, rates, strict=True)]
        else:
            moved[by][row] += step
        return run_plan(made, MpmathAlgebra(), moved)

    ahead, behind = at(STEP), at(-STEP)
    return {name: [(x - y) / (2 * STEP) for x, y in zip(ahead[name], behind[name], strict=True)] for name in ahead}


def exactly(robot: Robot, inputs: Inputs) -> dict[str, list[Any]]:
    """With forty digits, quaternions of length 1: closed forms of partials rest on that."""
    found = {name: [mp.mpf(x) for x in values] for name, values in inputs.items()}
    for joint in robot.model.independent_joints:
        if joint.kind.quaternion:
            rows = slice(joint.q_rows.stop - 4, joint.q_rows.stop)
            length = mp.sqrt(mp.fsum(x * x for x in found["q"][rows]))
            found["q"][rows] = [x / length for x in found["q"][rows]]
    return found
