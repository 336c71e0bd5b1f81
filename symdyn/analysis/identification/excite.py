"""Reading what is asked of an exciting motion."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.identification.columns import columns_of
from symdyn.analysis.identification.excitation import Bounds, Excitation, excitation
from symdyn.analysis.identification.fourier import Fourier
from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers, given_rows
from symdyn.interface.argument_words import given_names, given_positive, given_whole
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_parameters

Array = NDArray[np.float64]
_USUAL = {"rad": (np.pi, 2.0, 10.0), "m": (0.5, 0.5, 5.0)}
"""By the unit of a coordinate: reach, velocity and acceleration where nobody says."""


def excite(
    robot: Robot | str | os.PathLike[str],
    duration: float,
    harmonics: int,
    joints: Sequence[str],
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    deviations: ArrayLike | None,
    starts: int,
    steps: int,
    p: ArrayLike | None,
    effort: ArrayLike | None,
) -> Excitation:
    """See :func:`symdyn.excitation`."""
    robot = as_robot(robot)
    columns = columns_of(robot, given_names("joints", joints, "viscous"), given_parameters(robot.model, p))
    if len(columns.rows) != robot.nv or columns.p.size:
        raise RequestError(
            f"excitation is for joints of one coordinate each and no run-time parameters, which robot '{robot.name}' "
            "does not have alone; load it with runtime=[], or lock the others"
        )
    bounds = _bounds(robot, lower, upper, velocity, acceleration)
    bounds = replace(bounds, effort=_efforts(robot, effort))
    noise = _each(robot, "deviations", deviations, np.ones(robot.nv))
    if np.any(noise <= 0.0):
        raise RequestError(f"deviations of robot '{robot.name}' are one number above 0 per row of v")
    seeds = range(given_whole("starts", starts, 1))
    series = Fourier(given_positive("duration", duration), given_whole("harmonics", harmonics, 2))
    return excitation(columns, bounds, series, noise, seeds, given_whole("steps", steps, 1))


def _bounds(
    robot: Robot,
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
) -> Bounds:
    usual = np.array([_USUAL[unit] for unit in robot.coordinate_units]).T
    limits = robot.limits
    low = _each(robot, "lower", lower, np.where(np.isfinite(limits.lower), limits.lower, -usual[0]))
    high = _each(robot, "upper", upper, np.where(np.isfinite(limits.upper), limits.upper, usual[0]))
    fast = np.where(np.isfinite(limits.velocity) & (limits.velocity > 0.0), limits.velocity, usual[1])
    both = np.minimum(limits.acceleration, limits.deceleration)
    quick = np.where(np.isfinite(both) & (both > 0.0), both, usual[2])
    bounds = Bounds(
        low, high, _each(robot, "velocity", velocity, fast), _each(robot, "acceleration", acceleration, quick)
    )
    for row, name in enumerate(robot.velocity_names):
        if not bounds.lower[row] < bounds.upper[row]:
            low, high = bounds.lower[row], bounds.upper[row]
            raise RequestError(f"bounds of '{name}' leave no room: lower {low:g}, upper {high:g}")
        if bounds.velocity[row] <= 0.0 or bounds.acceleration[row] <= 0.0:
            raise RequestError(f"velocity and acceleration of '{name}' are bounds above 0")
    return bounds


def _efforts(robot: Robot, given: ArrayLike | None) -> Array:
    """The largest torque per row, infinite where there is no bound; by default those of the file."""
    if given is None:
        return np.where(robot.limits.effort > 0.0, robot.limits.effort, np.inf)
    values = given_numbers("effort", given)
    free = np.isposinf(values)
    found = np.where(free, np.inf, _each(robot, "effort", np.where(free, 1.0, values), values))
    if np.any(found <= 0.0):
        raise RequestError(f"effort of robot '{robot.name}' is a bound above 0 per row, or inf where there is none")
    return found


def _each(robot: Robot, what: str, given: ArrayLike | None, usual: Array) -> Array:
    """One finite number per row, from one number for all where one was given."""
    if given is None:
        return usual
    values = given_numbers(what, given)
    values = np.full(robot.nv, values) if values.ndim == 0 else values
    found = given_rows(what, f"robot '{robot.name}'", values, robot.nv)
    if found.ndim != 1:
        raise RequestError(f"{what} of robot '{robot.name}' is one number per row of v")
    return found
