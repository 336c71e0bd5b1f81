"""Positions beyond the limits of joints, in words: of joints that are locked, of starts, and of what users give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from symdyn.description.load_settings import Lock
from symdyn.description.robot import Joint, Limits
from symdyn.description.text.position import shown
from symdyn.model.joints.described import joint_chain
from symdyn.model.model import Model

_ROUNDING = 1e-6
"""By what a position may be beyond its limit because of its decimals, relative to the limit where that is above 1."""
_NAMED = 2
"""Rows that are named; further ones are counted, so that one line tells all."""
_ANGLE = "rad"


def beyond_limits(model: Model, q: Sequence[float]) -> str:
    """Which rows of a position (nq,) are beyond the limits of their joints; empty where none is."""
    joints = (joint for joint in model.independent_joints if len(joint.coordinates.q) == 1)
    return _told((joint.label, q[joint.q_index], joint.coordinates.q_units[0], joint.limits) for joint in joints)


def locked_beyond_limits(joints: Iterable[Joint], locked: Mapping[str, Lock]) -> str:
    """Which joints are locked beyond their limits; empty where none is."""
    return _told(_locks(joints, locked))


def _locks(joints: Iterable[Joint], locked: Mapping[str, Lock]) -> Iterator[tuple[str, float, str, Limits | None]]:
    for joint in joints:
        value, chain = locked.get(joint.name), joint_chain(joint)
        if isinstance(value, Sequence):
            value = value[0] if len(value) == 1 else None
        if value is not None and len(chain) == 1 and len(units := chain[0].model.coordinates.q_units) == 1:
            yield joint.name, float(value), units[0], joint.limits


def _told(rows: Iterable[tuple[str, float, str, Limits | None]]) -> str:
    said, turned = list[str](), False
    for name, value, unit, limits in rows:
        if limits is None:
            continue
        for word, edge, excess in (
            ("below", limits.lower, limits.lower - value),
            ("above", limits.upper, value - limits.upper),
        ):
            if excess > _ROUNDING * max(1.0, abs(edge)):
                said.append(f"{shown(name)} at {value:.6g} {unit} is {word} {edge:.6g} {unit}")
                turned = turned or (unit == _ANGLE and abs(value) > math.tau)
    more = [f"{len(said) - _NAMED} more"] if len(said) > _NAMED else []
    degrees = " (angles are in radians: 30 degrees are 0.5236)" if turned else ""
    return f"{'; '.join([*said[:_NAMED], *more])}{degrees}" if said else ""
