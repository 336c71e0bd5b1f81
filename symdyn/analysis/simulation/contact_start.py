"""Where robots with rigid contacts start: not within what they stand on, unless someone says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.generation.pipeline import array_recursion
from symdyn.interface.contact_solving import TOUCHING
from symdyn.interface.stepping import Rates
from symdyn.model.coordinates import coordinate_rows
from symdyn.model.values import Values
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_parameters, given_touching

Array = NDArray[np.float64]
_FREE = (Rates.FREE, Rates.FREE_SPATIAL, Rates.FREE_MUJOCO)
_CLOSED, _SLANTED = 1e-12, 0.05
"""Depth that is rounding [m], and least slope by which a lift opens a gap."""
_LIFTS = 20


def lifted(robot: Robot, q: Array, p: Array) -> tuple[Array, float]:
    """The position (nq,) with a free base moved against gravity until no contact is deep, and how far that is [m].

    Nothing moves where loops may hold the base, nor where that opens no gap: 0 then.
    """
    free = _free_rows(robot)
    values = Values(robot.model.parameters, robot.model.slots, p=p.tolist())
    gravity = np.array([values.number(part) for part in robot.model.gravity], dtype=np.float64)
    if free is None or robot.constraints or not robot.model.contact_layout.slots or not gravity.any():
        return q, 0.0
    up, moved = -gravity / np.linalg.norm(gravity), q.copy()
    gaps, filled = array_recursion(robot, "contact_gaps"), given_touching(robot.model, None)
    beside = {"p": p[None], **({TOUCHING: filled[0][None]} if filled else {})}
    before, height = -np.inf, 0.0
    for _ in range(_LIFTS):
        gap, _, normal = (np.asarray(array) for array in gaps({"q": moved[None], **beside}).values())
        worst = int(np.argmin(gap[0]))
        depth = -float(gap[0, worst])
        if depth <= _CLOSED:
            return (moved, height) if height else (q, 0.0)
        if -depth <= before:
            break
        before = -depth
        rise = depth / max(float(normal[0].reshape(-1, 3)[worst] @ up), _SLANTED)
        moved[free : free + 3] += rise * up
        height += rise
    return q, 0.0


def leaves_place_open(robot: Robot, q: Any) -> bool:
    """Whether a start says nothing of where a free base is: None, or numbers by name without one of its place."""
    if not isinstance(q, Mapping):
        return q is None
    free = _free_rows(robot)
    rows = () if free is None else robot.coordinate_names[free : free + 3]
    return not set(q) & {*rows, *(name.rpartition(".")[0] for name in rows)}


def settled(robot: Robot, q: Array, named: Mapping[str, Any]) -> Array:
    """Where a motion from q (nq,) begins: loops closed, rows by name kept, a free base without a place lifted."""
    if robot.constraints:
        return np.asarray(robot.close(q, list(named)))
    return lifted(robot, q, given_parameters(robot.model, None))[0] if leaves_place_open(robot, named) else q


def _free_rows(robot: Robot) -> int | None:
    """The first row of q of a free base."""
    return next((joint.q for joint in coordinate_rows(robot.model) if joint.rates in _FREE), None)
