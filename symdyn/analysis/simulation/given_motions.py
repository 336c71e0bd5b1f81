"""Prescribed motions that users give: triples whose derivatives fit, and that agree with the start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.system import Motion, Prescribed
from symdyn.description.text.position import hint
from symdyn.dynamics.loops.underactuation import refuse_determined
from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers
from symdyn.model.coordinates import rate_rows
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

AGREES = 1e-6
"""Difference between a motion and a start that counts as none [m, rad, or these per second], and beside it relative
to the larger of both: as for loops at the start."""
_FITS = 1e-4
"""Difference between a derivative and its difference quotient, relative to the largest of both over all times."""
_ROUNDING = 64.0 * np.finfo(np.float64).eps
"""Rounding of a value that a difference quotient divides by its step, relative to the value."""
_LOOKS = 8
"""Times after the start at which triples are tried."""
_SHARE = (math.sqrt(5.0) - 1.0) / 2.0
"""Multiples of the golden ratio modulo 1 meet no period of a motion."""
_STEPS = (1e-3, 1e-4, 1e-5, 1e-6)
"""Half widths of central differences, relative to the span of the motion; one that fits is enough."""
_UNITS = ("", "/s")
_WORDS = ("position", "velocity", "acceleration")


def given_prescribed(
    robot: Robot,
    prescribed: Mapping[str, Motion] | None,
    start: float,
    end: float,
    jumps: Sequence[float] = (),
) -> dict[str, Prescribed]:
    """The prescribed joints by names of velocities.

    Parameters
    ----------
    robot
        The robot.
    prescribed
        Functions of t that give (position, velocity, acceleration).
    start, end
        First and last time [s].
    jumps
        Times at which a motion may jump or have a kink; differences are not taken across them.

    Raises
    ------
    RequestError
        An unknown name, a velocity that is no rate of a coordinate, a function that does not give three finite
        numbers, or a triple whose derivatives do not fit; joints of which some follow from others by loops.
    """
    rates = rate_rows(robot.model)
    if prescribed is not None and not isinstance(prescribed, Mapping):
        raise RequestError(f"prescribed: expected functions of t by names of velocities, got {prescribed!r}")
    found = {}
    for name, motion in (prescribed or {}).items():
        if name not in robot.velocity_names:
            raise RequestError(
                f"velocity '{name}' of robot '{robot.name}' does not exist{hint(name, robot.velocity_names)}"
            )
        if name not in rates:
            raise RequestError(f"velocity '{name}' is no rate of a coordinate, and cannot be prescribed")
        if not callable(motion):
            raise RequestError(f"prescribed '{name}': expected a function of t, got {motion!r}")
        law = checked_motion(name, motion)
        check_derivatives(name, law, start, end, jumps)
        found[name] = Prescribed(*rates[name], law)
    refuse_determined(robot.model, [own.v_row for own in found.values()])
    return found


def checked_motion(name: str, motion: Motion) -> Motion:
    """The motion, refusing what is not three finite numbers where it gives it."""

    def law(t: float) -> tuple[float, float, float]:
        given = motion(t)
        try:
            values = given_numbers(name, given)
        except RequestError:
            values = np.zeros(0)
        if values.shape != (3,) or not np.isfinite(values).all():
            raise RequestError(
                f"prescribed '{name}': the function of t must give (position, velocity, acceleration), three finite "
                f"numbers; got {given!r} at t = {t:.6g} s"
            )
        return float(values[0]), float(values[1]), float(values[2])

    return law


def check_derivatives(name: str, law: Motion, start: float, end: float, jumps: Sequence[float] = ()) -> None:
    """Refuse a triple (q, v, a) with v that is not q' or a that is not v'.

    Central differences are taken before and after the start and eight times; a side that crosses none of ``jumps`` and
    fits is enough, so that a kink at such a time does no harm.

    Raises
    ------
    RequestError
        The name, the time, and both numbers.
    """
    span = end - start
    times = [start, *(start + span * ((number * _SHARE) % 1.0) for number in range(1, _LOOKS + 1))]
    for place in (0, 1):
        sides = [_sides(law, place, t, start, end, jumps) for t in times]
        given = [law(t)[place + 1] for t in times]
        size = max(map(abs, given))
        worst, at = 0.0, (0.0, 0.0, 0.0)
        for own in sides:
            fits = [(abs(slope - told) - rounding, slope, told, t) for slope, told, t, rounding in own]
            if not fits:
                continue
            left, slope, told, t = min(fits)
            if left > _FITS * max(size, abs(slope)) and left > worst:
                worst, at = left, (t, told, slope)
        if worst > 0.0:
            t, told, slope = at
            raise RequestError(
                f"prescribed '{name}': the {_WORDS[place + 1]} {told:.6g} at t = {t:.6g} s is not the rate of the "
                f"{_WORDS[place]}, which changes by {slope:.6g} per second there; give (q, v, a) with v = dq/dt and a "
                "= dv/dt, and name times of kinks by jumps="
            )


def _sides(
    law: Motion, place: int, t: float, start: float, end: float, jumps: Sequence[float]
) -> list[tuple[float, float, float, float]]:
    """Difference quotient, derivative as given, time and rounding, on both sides of a time, for all steps."""
    found: list[tuple[float, float, float, float]] = []
    for share in _STEPS:
        h = share * (end - start)
        for middle in (t - h, t + h):
            before, after = middle - h, middle + h
            if before < start or after > end or any(before <= jump <= after for jump in jumps):
                continue
            if not before < middle < after:
                continue
            low, high = law(before)[place], law(after)[place]
            width = after - before
            rounding = _ROUNDING * (max(abs(low), abs(high)) / width)
            found.append(((high - low) / width, law(middle)[place + 1], middle, rounding))
    return found


def check_start(
    robot: Robot, prescribed: Mapping[str, Prescribed], start: float, q: Array | None, v: Array | None
) -> None:
    """Refuse a start that a user gave, and from which prescribed joints would jump.

    Raises
    ------
    RequestError
        The row with both numbers.
    """
    for name, own in prescribed.items():
        told = own.motion(start)
        for place, given, row in ((0, q, own.q_row), (1, v, own.v_row)):
            if given is None:
                continue
            allowed = AGREES * max(1.0, abs(told[place]), abs(float(given[row])))
            if not abs(given[row] - told[place]) <= allowed:
                what, word = ("q", "v")[place], _WORDS[place]
                unit = robot.coordinate_units[own.q_row] + _UNITS[place]
                raise RequestError(
                    f"prescribed '{name}' of robot '{robot.name}' begins at {word} {told[place]:.6g}, but {what} at "
                    f"the start has {given[row]:.6g} in row {row}, off by {abs(given[row] - told[place]):.3g} {unit}; "
                    f"leave {what} out, or begin where the motion does"
                )
