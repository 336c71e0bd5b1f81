"""Motions and rests of a robot: what is public of simulation, steps with contacts, rollouts, statics and modes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from symdyn.interface.keywords import names_keywords
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from symdyn.analysis.control.rollouts import RobotRollout
    from symdyn.analysis.simulation.system import Motion
    from symdyn.analysis.simulation.trajectory import Trajectory
    from symdyn.analysis.statics.given import Inputs
    from symdyn.analysis.statics.mode_records import Modes
    from symdyn.analysis.statics.records import Equilibrium
    from symdyn.interface.contact_solving import ContactPartials, ContactStep


@names_keywords
def simulate(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike | Mapping[str, ArrayLike] | None = None,
    v: ArrayLike | Mapping[str, ArrayLike] | None = None,
    t: Any = 1.0,
    inputs: Any = None,
    method: str = "auto",
    rtol: float = 1e-6,
    atol: float = 1e-9,
    drive: str = "forces",
    hold: str = "zero",
    prescribed: Mapping[str, Motion] | None = None,
    p: ArrayLike | Callable[[float], ArrayLike] | None = None,
    events: Any = None,
    max_step: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    jumps: ArrayLike | None = None,
    effort_limits: str | None = None,
    h: float | None = None,
    sample_time: float | None = None,
    touching: Callable[[float, NDArray[np.float64], NDArray[np.float64]], ArrayLike] | None = None,
    servo: bool | ArrayLike | Mapping[str, ArrayLike] | None = None,
) -> Trajectory:
    """Integrate the motion of a robot by its compiled functions.

    Loops are kept closed: accelerations are those of constrained forward dynamics. In results loops are closed to
    rounding.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of its file.
    q, v
        Where the motion begins: (nq,), quaternions unit, and (nv,), or values by names of rows or joints, such as
        ``{"elbow": 0.5}``. By default the neutral position at rest; with loops the closed position near it. A free
        base that would begin within what it may touch begins above it.
    t
        The end time [s] of a motion from 0; or (start, end); or an array of at least three times of output. Without
        ``t`` the result has the state after each step.
    inputs
        The forces or inputs that act. None is zero, an array (n,) is constant, and a table is (times, rows) with rows
        (k, n). A function of (t, q, v) or of t alone gives (n,). A mapping has numbers, or functions of t, by names of
        rows; other rows are 0. An object may have ``derivatives(t, order)``, (order + 1, n), such as
        :class:`symdyn.PolynomialInputs`.
    method
        ``"dop853"``, ``"radau"`` or ``"bdf"`` of SciPy, ``"cvode"`` or ``"ida"`` of SUNDIALS, ``"generalised-alpha"``
        (of second order, for loops and stiff forces), or ``"taylor"`` (of any order, for high precision). ``"auto"`` is
        ``"dop853"``. If eigenvalues at the start show stiffness, it is ``"radau"``, or ``"cvode"``
        from 40 rows of state; ``reason`` of the result says why. Robots with rigid contacts, rigid limits or dry joints
        move by ``"contacts"``: steps of fixed length, of order 1, whose impulses obey the exact laws of Signorini and
        Coulomb. ``contacts`` of the result has impulses, states, gaps and points. Prescribed joints then have the mean
        velocity of each step, so that they reach their prescribed positions.
    rtol, atol
        Relative and absolute tolerance of the error of each step.
    drive
        What ``inputs`` are: ``"forces"``, generalised forces (nv,), or ``"actuators"``, inputs of the file's actuators
        (na,).
    hold
        ``"zero"``: a table's row is constant until the next time; ``"linear"``: rows are interpolated.
    prescribed
        Functions of t that give (position, velocity, acceleration), by names of velocities. These joints move in this
        way, whatever force that needs. If ``inputs`` are forces, their rows in it are not read. The three must be
        derivatives of each other, and agree with ``q`` and ``v`` where these are given.
    p
        Run-time parameters (np,), or a function of t that gives them, such as the force of a load. By default the
        values of the file.
    events
        Functions of (t, q, v): one, a list, or a mapping by name. The times at which a function changes its sign are
        recorded. If its attribute ``terminal`` is true, it ends the motion. With ``direction`` 1 or -1 only changes
        upwards or downwards count.
    max_step
        The longest step [s].
    progress
        Called with the time that has been integrated, and the whole time.
    jumps
        Times at which functions of time jump, or their derivatives do: ``inputs``, ``prescribed`` and ``p``. The solver
        begins anew there. Times of a table need not be given. Prescribed velocities may jump, positions may not; then
        impulses of the drives change the other velocities.
    effort_limits
        What becomes of inputs beyond the limits of effort of their joints: ``"clip"`` cuts them off there, ``"refuse"``
        ends the motion with an error. By default they act, and ``messages`` of the result has a line on the limits of
        position, velocity and effort that were passed: rows, first time and amount.
    h
        The length of a step of method ``"contacts"`` [s]; 1 ms by default. Between two times of output lie equal steps
        of at most h.
    sample_time
        Time [s] between samples of ``inputs``, a function of (t, q, v) such as ``module.mpc.controller(target)``. It is
        called once per sample, with the state there, and holds until the next; the solver begins anew there. One
        warning counts the samples of such a controller that end otherwise than ``DONE``.
    touching
        A function of (t, q, v), called before each step of method ``"contacts"``, that fills the slots of
        ``contact_options: {runtime_slots: n}``, (n, 10); see :func:`contact_step`. By default they are empty.
    servo
        True: servos keep the joints at the start. Coordinates by name, or (nq,), are a target to which servos lead the
        joints instead. The forces are added to ``inputs``, and those beyond limits of effort are cut off, unless
        ``effort_limits`` is ``"refuse"``. They are computed torques, so the gains of each joint follow from its
        inertia: errors are critically damped at 10 rad/s, and at 0.1 / h where steps or samples of h are longer than
        10 ms. A robot whose free base has rigid contacts is balanced by these, as ``stance_forces`` distributes them;
        otherwise a free base and links that bend move freely.

    Raises
    ------
    RequestError
        Before the first step: wrong shapes, numbers that are not finite, unknown methods, open loops, times that do not
        grow, prescribed motions that contradict the start or themselves, a missing package.
    SolverError
        The solver gave up, or an effort is beyond its limit and refused; ``partial`` of the error is the motion up to
        there.
    """
    from symdyn.analysis.simulation.simulate import simulate as simulated
    from symdyn.toolchain.optimal_control import sampled, warn_of_samples

    beside = (prescribed, p, events, max_step, progress, jumps, effort_limits)
    given = (robot, q, v, t, inputs, method, rtol, atol, drive, hold, *beside, h, sample_time, touching, servo)
    with sampled() as codes:
        try:
            return simulated(*given)
        finally:
            warn_of_samples(codes)


@names_keywords
def contact_step(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    h: float,
    guess: ArrayLike | None = None,
    p: ArrayLike | None = None,
    effort: str = "full",
    touching: ArrayLike | None = None,
) -> ContactStep:
    """Take one step with rigid contacts, limits, dry friction and loops, in NumPy and without a compiler.

    The stepper ``"contacts"`` of :func:`generate` and :func:`compile` is the same in C.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of its file.
    q, v, tau
        (nq,), quaternions unit, (nv,), and generalised forces (nv,), by default 0.
    h
        Length of the step [s].
    guess
        Impulses (m,) to start from, such as those of the step before; by default 0.
    p
        Run-time parameters (np,); by default the values of the file.
    effort
        ``"full"``, or ``"newton"`` without what follows where Newton's method fails.
    touching
        Slots that are filled at run time, (n, 10): numbers of bodies a and b among ``robot.body_names``, or b = -1 for
        the ground and a = -1 for an empty slot, the point [m] and the unit normal from b to a in the world, the gap
        [m], and the coefficient of friction; by default all are empty.

    Returns
    -------
    q_next (nq,), v_next (nv,), impulses (m,) [N s, N m s], the state of each contact, limit and dry joint, a report.

    Raises
    ------
    RequestError
        A robot without rigid contacts, arrays that do not fit.

    Equation: M (v_next - v) = h (tau - bias) + J^T lambda with lambda in K_mu perpendicular to c + (0, 0, mu |c_t|) in
    K_mu*, c = J v_next + s. Sources: de Saxce and Feng 1998; Alart and Curnier 1991.
    """
    from symdyn.analysis.simulation.contact_step import contact_step as stepped

    return stepped(as_robot(robot), q, v, tau, h, guess, p, effort, touching)


@names_keywords
def contact_step_partials(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    h: float,
    impulses: ArrayLike,
    state: ArrayLike,
    p: ArrayLike | None = None,
    touching: ArrayLike | None = None,
    by_length: bool = False,
) -> ContactPartials:
    """Differentiate a step with rigid contacts in NumPy, for the impulses and the state that :func:`contact_step` gave.

    At a switch it is the derivative of that state; ``report.margin`` is the distance to the next one. Where loops are
    closed once more after a step, that is not differentiated. In slots that are filled at run time, the point and the
    normal are fixed to body b.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of its file.
    q, v, tau, h, p, touching
        Inputs of that step: (nq,), (nv,), (nv,), a number, (np,), (n, 10).
    impulses, state
        Results of that step: (m,) and (k,).
    by_length
        Whether derivatives by the length h are wanted too, such as for steps that end at an event.

    Returns
    -------
    Derivatives of q_next, as moves along rows of v (nv,), of v_next (nv,) and of the impulses lambda (m,) by moves of q
    along rows of v, by v, tau and, where there are run-time parameters, p; with ``by_length`` by h, (n, 1) each.

    Raises
    ------
    RequestError
        A robot without rigid contacts, arrays that do not fit, slopes that are singular.

    Equation: the implicit function theorem on Mh (w - v) = h (tau - bias) + J^T lambda, c = J w + s and the law of each
    state. Source: Le Lidec et al., End-to-End and Highly-Efficient Differentiable Simulation for Robotics (2024).
    """
    from symdyn.analysis.simulation.contact_step import contact_step_partials as differentiated

    return differentiated(as_robot(robot), q, v, tau, h, impulses, state, p, touching, by_length)


@names_keywords
def rollout(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike,
    v: ArrayLike,
    u: ArrayLike,
    *,
    h: float,
    method: str = "semi_implicit_euler",
    p: ArrayLike | None = None,
    inputs: str = "forces",
    target: str = "c",
) -> RobotRollout:
    """Take one step after another with given inputs; the result has the gradient of any cost of its states.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`, or the name of its file.
    q, v
        (nq,), quaternions unit, and (nv,): the state before the first step.
    u
        (n, nv): generalised forces of each step, or (n, na), inputs of actuators.
    h
        Length of a step [s].
    method
        ``"semi_implicit_euler"``, ``"rk4"``, ``"implicit_euler"``, ``"implicit_midpoint"``, ``"sdirk2"``, or
        ``"contacts"`` for robots with rigid contacts, limits or dry joints.
    p
        Run-time parameters (np,); the file's values by default.
    inputs
        ``"forces"``, or ``"actuators"``.
    target
        ``"c"``, one call of C for all steps; ``"python"`` needs no compiler.

    Returns
    -------
    States (n + 1) with ``gradient`` and ``cost``; its ``code`` says how it ended.

    Raises
    ------
    RequestError
        Arrays that do not fit, a method that the robot does not take.

    Equation: x_(k+1) = step(x_k, u_k). Source: Hairer, Lubich & Wanner 2006, section I.1.
    """
    from symdyn.analysis.control.rollouts import rollout as rolled

    return rolled(as_robot(robot), q, v, u, h, method, p, inputs, target)


def equilibrium(
    robot: Robot | str | os.PathLike[str],
    u: Inputs = None,
    q0: ArrayLike | None = None,
    steps: int | str = "auto",
    **given: Any,
) -> Equilibrium:
    """Find a position at rest under inputs of actuators, or under generalised forces.

    Parameters are those of :func:`symdyn.statics.equilibrium`. ``symdyn.statics`` also has ``path``, which follows
    positions at rest while the load grows, and ``inverse_statics``.
    """
    from symdyn.analysis.statics.solve import equilibrium as found

    return found(robot, u, q0, steps, **given)


@names_keywords
def modes(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike | None = None,
    u: Inputs = None,
    *,
    hold: Iterable[str] = (),
    inputs: str | None = None,
    p: ArrayLike | None = None,
) -> Modes:
    """Find the natural modes of the whole robot about a position: frequencies, damping ratios, shapes, stability.

    Parameters are those of :func:`symdyn.statics.modes`.
    """
    from symdyn.analysis.statics.modes import modes as found

    return found(as_robot(robot), q, u, hold=hold, inputs=inputs, p=p)
