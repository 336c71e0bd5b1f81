"""Identification as users ask for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symdyn.interface.keywords import names_keywords
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symdyn.analysis.identification.excitation import Excitation
    from symdyn.analysis.identification.records import Identification


@names_keywords
def identify(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    joints: Sequence[str] = ("viscous", "coulomb", "rotor"),
    deviations: ArrayLike | None = None,
    consistent: bool = False,
    prior: str = "entropic",
    prior_weight: float = 1.0,
    p: ArrayLike | None = None,
    lowpass: float | None = None,
    rate: float | None = None,
) -> Identification:
    """Inertial parameters, friction and rotors of a robot from measured torques.

    Base parameters are found by weighted least squares, with their covariance. Everything else in the file, such as
    joint springs, counts as known.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of its file. It has no closed loops and no soft links.
    q, v, a, tau
        Measured motion and generalised forces, one row per time, in order: (n, nq), and (n, nv) each. Quaternions are
        unit. Never filter tau alone: ``lowpass`` filters all that it depends on alike.
    joints
        What each joint with one coordinate adds to its links: ``"viscous"`` friction, ``"coulomb"`` friction (smoothed
        by the file's ``velocity_scale``), the inertia of its ``"rotor"``, a constant ``"offset"`` of its torque.
    deviations
        Standard deviation of the noise of each torque (nv,). By default the fit estimates it, row by row.
    consistent
        Whether to find all single parameters too. Each body then has values that some distribution of mass has. The
        file's bodies are the prior. It needs the extra ``identify``.
    prior
        How the distance from the file's bodies is measured. ``"entropic"`` is a divergence, which does not depend on
        units and frames. ``"frobenius"`` is the squared distance of pseudo-inertias.
    prior_weight
        The weight of the prior; the misfit of the fit is counted in standard deviations squared.
    p
        Run-time parameters (np,); their usual values by default.
    lowpass
        Cut-off frequency [Hz] of a filter without delay, of tau and of all that it is linear in. Of the filtered rows
        as many are used as the band has room for: every k-th, with k = rate / (2 lowpass). It should lie well above
        the frequencies of the motion. It needs SciPy.
    rate
        Rows per second [Hz], which come evenly; for ``lowpass``.

    Returns
    -------
    Base parameters with ``values``, ``deviations`` and ``covariance``; with ``consistent`` also ``parameters`` and
    ``robot()``. ``predict(q, v, a)`` gives torques.

    Raises
    ------
    RequestError
        Wrong shapes, a robot that cannot be identified in this way, or a motion that does not show some base
        parameters.
    SolverError
        No consistent parameters were found.

    Notes
    -----
    Deviations are widened where the residuals are not white, or larger than ``deviations``; ``residuals`` says by how
    much, and the text of the result too.

    Gautier & Khalil 1990 for base parameters; Wensing, Kim & Slotine 2018 for physical consistency; Lee, Wensing & Park
    2019 for the prior.
    """
    from symdyn.analysis.identification.identify import identify as identified

    return identified(robot, q, v, a, tau, joints, deviations, consistent, prior, prior_weight, p, lowpass, rate)


@names_keywords
def excitation(
    robot: Robot | str | os.PathLike[str],
    duration: float = 10.0,
    harmonics: int = 5,
    joints: Sequence[str] = ("viscous", "coulomb", "rotor"),
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    deviations: ArrayLike | None = None,
    starts: int = 1,
    steps: int = 60,
    p: ArrayLike | None = None,
    effort: ArrayLike | None = None,
) -> Excitation:
    """A periodic motion that shows a robot's base parameters well, for :func:`identify`.

    It begins and ends at rest, and maximises the determinant of the information matrix (D-optimality).

    Parameters
    ----------
    robot
        From :func:`load`, or the name of its file; of joints with one coordinate each.
    duration, harmonics
        Period [s], and how many multiples of its frequency the motion has.
    joints, p
        As for :func:`identify`.
    lower, upper, velocity, acceleration
        Bounds per row: (nv,) or one number. By default those of the file. If it has none: half a turn or 0.5 m to each
        side, 2 rad/s or 0.5 m/s, and 10 rad/s^2 or 5 m/s^2.
    deviations
        Standard deviation of the noise of each torque (nv,), all 1 by default.
    starts
        How many random starts are tried; the best result is taken. Starts are the same at each call.
    steps
        Steps of the optimiser per start.
    effort
        Largest torque or force per row: (nv,) or one number, ``inf`` for no bound. By default those of the file, where
        it has any. The torques are those of the file's numbers, with losses if the robot is loaded with them.

    Returns
    -------
    The motion: ``at(t)`` gives positions, velocities and accelerations. ``condition`` is the condition number of the
    equations.

    Raises
    ------
    RequestError
        A robot or bounds that do not fit, or SciPy is missing.
    SolverError
        No motion within the bounds shows all base parameters.
    """
    from symdyn.analysis.identification.excite import excite

    given = (duration, harmonics, joints, lower, upper, velocity, acceleration, deviations, starts, steps, p, effort)
    return excite(robot, *given)
