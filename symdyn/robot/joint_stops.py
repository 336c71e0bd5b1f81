"""Stops for the joints of a robot whose file gives limits and no stops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.description.loads import Stop
from symdyn.description.robot import Joint, Limits, RobotDescription
from symdyn.errors import ModelError
from symdyn.model.bodies import ModelJoint
from symdyn.model.model import Model

BOUNCE = 0.02
"""How long a joint is beyond its limit [s], if it comes back by the stop's spring alone: half a period."""
SHARE = 0.01
"""Width of a stop, of the range of its joint; where there is one limit alone, in rad or m."""
DAMPED = 0.5
"""Damping of that motion, of what would let it creep: a joint comes back with a sixth of its speed."""
_DIGITS = 3
_LOOKS = 8


def with_joint_stops(description: RobotDescription, model: Model) -> RobotDescription:
    """The description with stops at all limits of joints that move and have none.

    The width w is 1 % of the joint's range. The stiffness is the larger of I (pi / T)^2 and E / w: I is the largest
    inertia along the joint at the neutral position and at eight others, T = 20 ms. Under the limit of effort E the
    joint then rests 1.5 w beyond its limit. The damping is half the critical one. Numbers are rounded to three digits.

    Parameters
    ----------
    description
        A checked description.
    model
        Its model.

    Raises
    ------
    ModelError
        A joint moves no inertia and has no limit of effort, or masses have no value.
    """
    inertias = _inertias(model)
    place = description.source or description.name
    joints = tuple(_stopped(joint, inertias, place) for joint in description.joints)
    return replace(description, joints=joints)


def _stopped(joint: Joint, inertias: Mapping[str, float], place: str) -> Joint:
    limits = joint.limits or Limits()
    bounds = Stop(0.0).bounds(limits.lower, limits.upper)
    present = any(isinstance(load, Stop) for load in joint.loads)
    if joint.name not in inertias or not bounds or present or limits.lower > limits.upper:
        return joint
    span = limits.upper - limits.lower
    width = _rounded(SHARE * (span if 0.0 < span < math.inf else 1.0))
    effort = limits.effort if 0.0 < limits.effort < math.inf else 0.0
    inertia = inertias[joint.name]
    if math.isnan(inertia):
        raise ModelError(
            f"{place}: joint_stops: the inertia at joint '{joint.name}' rests on a run-time parameter without a value; "
            "give it a value in the file, or give the joint stops: {stiffness, damping} there"
        )
    stiffness = _rounded(max(inertia * (math.pi / BOUNCE) ** 2, effort / width))
    if not stiffness > 0.0:
        raise ModelError(
            f"{place}: joint_stops: joint '{joint.name}' moves no inertia and has no limit of effort, so that nothing "
            "tells how stiff its stops are; give it stops: {stiffness, damping} in the file"
        )
    damping = _rounded(2.0 * DAMPED * math.sqrt(stiffness * max(inertia, 0.0)))
    return replace(joint, loads=(*joint.loads, Stop(stiffness, damping, width)))


def _inertias(model: Model) -> dict[str, float]:
    """The largest inertia along each joint of one coordinate at some positions, by its name."""
    import numpy as np

    from symdyn.dynamics.loops.redundancy import float_values
    from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
    from symdyn.model.coordinates import neutral, random_configuration

    known = [math.nan if value is None else value for value in model.slots.defaults]
    plan, rng = mass_matrix_plan(model), np.random.default_rng(0)
    looks = [neutral(model), *(random_configuration(model, rng) for _ in range(_LOOKS))]
    masses = np.array([float_values(plan, q.tolist(), known) for q in looks]).reshape(len(looks), model.nv, model.nv)
    mass = np.max(np.diagonal(masses, axis1=1, axis2=2), axis=0).tolist()
    found: dict[str, float] = {}
    for body in model.bodies:
        joint = body.joint
        if joint.elastic is None and not joint.inner and (joint.leaders or len(joint.coordinates.q) == 1):
            found[joint.joint] = _along(joint, mass)
    return found


def _along(joint: ModelJoint, mass: Sequence[float]) -> float:
    """The inertia along a joint's own coordinate, that of its first leader where it follows."""
    if not joint.leaders:
        return mass[joint.v_index]
    gains = [number for name, number in joint.numbers if name.startswith("multiplier")]
    row, gain = next(((row, gain) for row, gain in zip(joint.v_places, gains, strict=True) if gain), (0, math.inf))
    return mass[row] / (gain * gain)


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
