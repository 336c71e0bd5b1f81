"""From measured motions to parameters: reading what is given, the fit, and the consistent set."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.identification.columns import columns_of
from symdyn.analysis.identification.consistent import PRIORS, consistent
from symdyn.analysis.identification.fit import fitted
from symdyn.analysis.identification.lowpass import given_lowpass
from symdyn.analysis.identification.records import Identification
from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_rows
from symdyn.interface.argument_words import given_choice, given_flag, given_names, given_positive
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_coordinates, given_parameters, given_rates

Array = NDArray[np.float64]


def identify(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    joints: Sequence[str],
    deviations: ArrayLike | None,
    consistent_set: bool,
    prior: str,
    prior_weight: float,
    p: ArrayLike | None,
    lowpass: float | None,
    rate: float | None,
) -> Identification:
    """See :func:`symdyn.identify`."""
    robot = as_robot(robot)
    owner = f"robot '{robot.name}'"
    columns = columns_of(robot, given_names("joints", joints, "viscous"), given_parameters(robot.model, p))
    position = given_coordinates(robot.model, "q", q)
    velocity, acceleration = given_rates(robot.model, "v", v), given_rates(robot.model, "a", a)
    torque = given_rows("tau", owner, tau, robot.nv)
    given_choice("prior", prior, PRIORS)
    counts = {value.shape[:-1] for value in (position, velocity, acceleration, torque)}
    if len(counts) != 1 or len(next(iter(counts))) != 1:
        raise RequestError(
            f"q, v, a and tau of {owner} are one row per time, all of the same number; got {sorted(counts)}"
        )
    weight, single = given_positive("prior_weight", prior_weight), given_flag("consistent", consistent_set)
    noise = None if deviations is None else given_rows("deviations", owner, deviations, robot.nv)
    if noise is not None and not (noise.ndim == 1 and (noise > 0.0).all()):
        raise RequestError(f"deviations of {owner} are one number above 0 per row of v")
    chosen = given_lowpass(lowpass, rate, len(torque))
    fit = fitted(columns, position, velocity, acceleration, torque, noise, chosen)
    expected = fit.shares @ columns.known
    values = expected + fit.moved
    found = Identification(columns, fit.base, values, fit.covariance, expected, fit.noise, fit.condition, fit.residuals)
    return replace(found, standard=consistent(columns, fit, prior, weight)) if single else found
