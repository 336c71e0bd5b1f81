"""The same robot with axes of joints turned round, each with its coordinate."""

from __future__ import annotations

import random
from dataclasses import replace

from support.invariance.by_rows import ByRows
from support.robots.kinds import ONE_COORDINATE
from symdyn import api
from symdyn.description.loops import Coupling
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Joint, Limits, Mimic, Spring
from symdyn.robot.robot import Robot


def reversed_axes(robot: Robot, rng: random.Random) -> ByRows | None:
    """About half of the axes of joints with one coordinate; None where there are none, or rows of expressions."""
    description = robot.description
    single = [own.name for own in description.joints if own.kind in ONE_COORDINATE]
    if not single or any(isinstance(own, Pfaffian) for own in description.acting) or robot.runtime_parameters:
        return None
    turned = {name for name in single if rng.random() < 0.5} or {single[0]}

    def sign(name: str) -> float:
        return -1.0 if name.removeprefix("rate of ").removesuffix(".motor") in turned else 1.0

    changed = replace(
        description,
        joints=tuple(_reversed(own, turned) for own in description.joints),
        acting=tuple(
            replace(own, terms=tuple((name, sign(name) * factor) for name, factor in own.terms))
            if isinstance(own, Coupling)
            else own
            for own in description.acting
        ),
    )
    options = dict(robot.load_options())
    options["locked_joints"] = {
        name: sign(name) * value if isinstance(value, float) else value
        for name, value in options["locked_joints"].items()
    }
    return ByRows(robot, api.from_description(changed, **options), sign=sign)


def _reversed(joint: Joint, turned: set[str]) -> Joint:
    own = -1.0 if joint.name in turned else 1.0
    mimic = joint.mimic
    if mimic is not None:
        terms = [(name, own * (-1.0 if name in turned else 1.0) * factor) for name, factor in mimic.terms]
        mimic = Mimic(terms[0][0], terms[0][1], own * mimic.offset, tuple(terms[1:]))
    if own > 0.0:
        return replace(joint, mimic=mimic)
    limits = joint.limits
    if limits is not None:
        limits = replace(limits, lower=-limits.upper, upper=-limits.lower)
    assert isinstance(limits, Limits | None)
    x, y, z = joint.axis
    loads = tuple(
        replace(load, rest=Expression(f"-({load.rest.text})") if isinstance(load.rest, Expression) else -load.rest)
        if isinstance(load, Spring)
        else load
        for load in joint.loads
    )
    return replace(joint, axis=(-x, -y, -z), limits=limits, mimic=mimic, loads=loads)
