"""The public functions; with ``pipeline``, what knows the whole line from a robot file to a called function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from symdyn.analysis.identification.identification import excitation, identify
from symdyn.description.read import load_problem
from symdyn.generation.fmu import export_fmu
from symdyn.generation.generate import compile, explain, generate, open
from symdyn.generation.pipeline import build, cost, float_recursion, programs, sources, with_options
from symdyn.generation.symbolic_functions import symbolic
from symdyn.interface.argument_words import given_callable, given_path, given_whole
from symdyn.interface.keywords import names_keywords
from symdyn.interface.options import RequestOptions
from symdyn.robot.loading import as_robot, examples, from_description, load, load_example, loads
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    import sympy
    from numpy.typing import ArrayLike

    from symdyn.analysis.compare.comparison import Comparison
    from symdyn.analysis.control.plan import ControlPlan
    from symdyn.analysis.control.rollouts import RobotRollout
    from symdyn.analysis.inverse_kinematics.differential import DifferentialIK
    from symdyn.analysis.inverse_kinematics.soft import SoftInverseKinematics
    from symdyn.analysis.inverse_kinematics.solve import InverseKinematics
    from symdyn.analysis.simulation.system import Motion
    from symdyn.analysis.simulation.trajectory import Trajectory
    from symdyn.analysis.statics.given import Inputs
    from symdyn.analysis.statics.mode_records import Modes
    from symdyn.analysis.statics.records import Equilibrium
    from symdyn.interface.contact_solving import ContactPartials, ContactStep
    from symdyn.verify.harness.report import VerificationReport
    from symdyn.verify.harness.verify import Progress

__all__ = [
    "build",
    "closed_form",
    "compare",
    "compile",
    "contact_step",
    "contact_step_partials",
    "cost",
    "demo_measurements",
    "differential_ik",
    "equilibrium",
    "examples",
    "excitation",
    "explain",
    "export_fmu",
    "export_ocp",
    "float_recursion",
    "from_description",
    "generate",
    "identify",
    "inverse_kinematics",
    "load",
    "load_example",
    "load_problem",
    "loads",
    "modes",
    "open",
    "optimal_control",
    "play",
    "programs",
    "rollout",
    "simulate",
    "soft_inverse_kinematics",
    "sources",
    "symbolic",
    "trace",
    "verify",
    "with_options",
]


def _rendered(shown: object) -> str:
    """What notebooks show; pictures are imported when one is first shown."""
    from symdyn.analysis.view.notebook import html_of

    return html_of(shown)


Robot.render = staticmethod(_rendered)


def closed_form(
    robot: Robot | str | os.PathLike[str], function: str, **asked: Unpack[RequestOptions]
) -> sympy.Matrix | tuple[sympy.Matrix, ...]:
    """A function of the catalogue as a SymPy matrix in textbook form, for small robots.

    Symbols have the names of the inputs' rows, ``q_elbow``, ``v_elbow``, ``a_elbow``. Run-time parameters keep their
    names. An output with one axis is a column. One with three axes is its matrices, one below the other. A function
    with several outputs gives a tuple of matrices.

    Raises
    ------
    RequestError
        A robot too large for closed forms.
    """
    from symdyn.generation.closed_forms import closed_forms

    forms = closed_forms(as_robot(robot), function, **asked)
    return forms[0] if len(forms) == 1 else forms


def verify(
    folder: str | os.PathLike[str],
    states: int = 50,
    seed: int = 0,
    progress: Progress | None = None,
    trust: bool = False,
) -> VerificationReport:
    """Compare a generated folder with 50-digit arithmetic that shares no recursion with it.

    This runs code of the folder: its C, compiled here, and its Python. By default every file is first compared with
    what symdyn generates from the folder's ``robot.yaml``. If one byte differs, nothing is run.

    Identities between functions are checked on the compiled module too, if the folder has the functions for them:
    forward dynamics of inverse dynamics, M' - 2 C skew, the balance of energy.

    Parameters
    ----------
    folder
        What :func:`generate` wrote.
    states, seed
        Number of random states (special ones come on top), and the seed that draws them.
    progress
        Called with (states done, states in total).
    trust
        Run the folder's code even if its files differ, for somebody who has edited them.

    Returns
    -------
    The worst error of every evaluator of every function, in units of 2^-53 (2^-24 for float32).

    Raises
    ------
    VerificationError
        The folder is not a generated one, or differs from what its ``robot.yaml`` gives.
    """
    from symdyn.generation.verification import verify_folder
    from symdyn.model.load_options import checked_flag

    trust = checked_flag("trust", trust)
    seed = given_whole("seed", seed)
    if progress is not None:
        given_callable("progress", "done, total", progress)
    return verify_folder(given_path("folder", folder), given_whole("states", states, 1), seed, progress, trust)


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


def inverse_kinematics(
    robot: Robot | str | os.PathLike[str],
    goals: Mapping[str, ArrayLike],
    q0: ArrayLike | None = None,
    **given: Any,
) -> InverseKinematics:
    """Find a position at which frames meet their targets, within joint limits.

    Targets by task: ``"tool"`` has a pose, (4, 4) or (7,) of x, y, z [m] and a quaternion x, y, z, w;
    ``"tool:position"`` has (3,) [m], and ``"tool:axis"`` the direction (3,) of its z axis in the world. Searches
    start at q0, (nq,) or (starts, nq), by default in the middle of the limits and at random. Keywords: ``weights`` by
    task, ``limits``, ``tolerance``, ``max_iterations`` of each start, ``seed``, ``p`` and ``target``. A target that is
    not reached gives another ``code`` than ``DONE``, and the nearest position.
    """
    from symdyn.analysis.inverse_kinematics.solve import inverse_kinematics as found

    return found(robot, goals, q0, **given)


def differential_ik(
    robot: Robot | str | os.PathLike[str], goals: Mapping[str, ArrayLike], q: ArrayLike, h: float, **given: Any
) -> DifferentialIK:
    """Find velocities with which frames move as desired, within limits: a bounded quadratic program.

    Desired velocities by frame: ``"tool"`` has a twist (6,), linear; angular, world axes, and ``"tool:position"`` a
    velocity (3,). v minimises the weighted squares of J v - V_d, and damping |v - v_0|^2, so that the position after h
    is within its limits and loops close. Keywords: ``v_0``, ``weights`` by goal, ``damping``, ``limits``, ``p`` and
    ``target``.
    """
    from symdyn.analysis.inverse_kinematics.differential import differential_ik as found

    return found(robot, goals, q, h, **given)


def export_ocp(
    robot: Robot | str | os.PathLike[str],
    problem: Any = None,
    to: str = "casadi",
    out: str | os.PathLike[str] = "ocp",
    **given: Any,
) -> Path:
    """Write an optimal-control problem for CasADi with IPOPT, or for acados: a folder with a script, its path returned.

    Costs, steps, limits and start are those of :func:`optimal_control`. ``to`` is ``"casadi"`` or ``"acados"``.
    Keywords: ``q``, ``v``, ``targets``, ``u`` and ``p``.
    """
    from symdyn.analysis.control.export import export_ocp as written

    return written(robot, problem, to, out, **given)


def soft_inverse_kinematics(
    robot: Robot | str | os.PathLike[str], goals: Mapping[str, ArrayLike], u0: Inputs = None, **given: Any
) -> SoftInverseKinematics:
    """Find inputs of actuators, such as tensions, with which a robot rests so that frames meet their targets.

    Targets are those of :func:`inverse_kinematics`. The search moves inputs u from u0 on, within their bounds, and the
    robot is at rest at each step. Keywords: ``q0``, ``weights`` by task, ``bounds`` by input, ``tolerance``,
    ``max_iterations``, ``f_ext``, ``external_wrenches``, ``p`` and ``target``. A target that is not reached gives
    another ``code`` than ``DONE``, and the nearest rest.
    """
    from symdyn.analysis.inverse_kinematics.soft import soft_inverse_kinematics as found

    return found(robot, goals, u0, **given)


Robot.search_pose = staticmethod(inverse_kinematics)


def optimal_control(
    robot: Robot | str | os.PathLike[str],
    problem: Any = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    **given: Any,
) -> ControlPlan:
    """Find the motion of least cost within limits, and the inputs that lead along it.

    ``problem`` is an ``OptimalControlProblem``, or the name of a file with one, by default that of the robot. The
    motion begins at q, (nq,), and v, (nv,), by default at the problem's start. Keywords: ``targets``, rows (n,) or
    values by names such as ``{"reach": pose}``; ``u``, inputs (nu,) with which the search begins; ``iterations``, at
    most; ``p`` and ``target``. The plan's ``code`` says how the search ended.
    """
    from symdyn.analysis.control.solve import optimal_control as found

    return found(robot, problem, q, v, **given)


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

    The first state is q (nq,) and v (nv,). ``u`` has generalised forces of each step, (n, nv), or with
    ``inputs="actuators"`` inputs (n, na). A step is ``h`` seconds long, by the ``method`` ``"semi_implicit_euler"``,
    ``"implicit_euler"``, ``"implicit_midpoint"``, or ``"contacts"`` for robots with rigid contacts. ``p`` are run-time
    parameters (np,), by default the file's. ``target="python"`` needs no compiler. The ``code`` of the result says how
    it ended; arrays that do not fit raise a RequestError.

    Equation: x_(k+1) = step(x_k, u_k). Source: Hairer, Lubich & Wanner 2006, section I.1.
    """
    from symdyn.analysis.control.rollouts import rollout as rolled

    return rolled(as_robot(robot), q, v, u, h, method, p, inputs, target)


@names_keywords
def play(
    robot: Robot | str | os.PathLike[str],
    path: str | os.PathLike[str],
    q: ArrayLike | Mapping[str, float] | None = None,
    v: ArrayLike | Mapping[str, float] | None = None,
    *,
    method: str | None = None,
    step: float | None = None,
    mesh_folders: Sequence[str | os.PathLike[str]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write one HTML page in which the robot moves: its own C, compiled to WebAssembly, with no server and no network.

    The page has sliders and keys for forces, actuators, gravity and run-time parameters. The mouse pulls bodies by a
    spring. Steps are those of the emitted stepper in float64, so a motion has the bits of the C that is compiled
    without fused multiply-adds, unless the robot needs tanh, exp or pow.

    Parameters
    ----------
    path
        The page to write, an ``.html``.
    q, v
        Where the motion begins: (nq,) and (nv,), or numbers by the names of rows. Others are neutral and 0, and loops
        are closed.
    method
        ``"rk4"``, ``"generalised-alpha"`` or ``"contacts"``; by default the one that suits the robot.
    step
        Length of a step [s]; by default 1 ms for ``rk4`` and 2 ms for others.
    mesh_folders
        Where meshes of the file are looked for, before the robot's own folders.
    progress
        Called with (commands done, commands in all) while C is compiled.

    Returns
    -------
    The path of the page.

    Raises
    ------
    RequestError
        Another ending, a method or step that there is not, or a state of another shape.
    ToolchainError
        ziglang is not installed.
    """
    from symdyn.analysis.view.play import play as played

    return played(as_robot(robot), path, q, v, method, step, mesh_folders, progress)


Robot.write_page = staticmethod(play)


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


def trace(robot: Robot | str | os.PathLike[str], name: str) -> list[tuple[str, str]]:
    """Follow a coordinate or a quantity such as ``"forearm.mass"`` through every part of symdyn, as (part, text)."""
    from symdyn.generation.provenance import trace_name

    return [(station.room, station.text) for station in trace_name(as_robot(robot), name)]


@names_keywords
def compare(
    robot: Robot | str | os.PathLike[str],
    function: str,
    orders: Sequence[int] | None = None,
    against: Sequence[str] | None = None,
    budget_s: float = 60.0,
    progress: Callable[[str, int, int], None] | None = None,
) -> Comparison:
    """Measure a function as symdyn makes it, and as automatic differentiation and other rivals do.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of its file.
    function
        ``"inverse_dynamics"`` or ``"forward_dynamics"``, or one of these with ``_partials``.
    orders
        Orders of time derivatives; by default the function itself.
    against
        Names of rivals; all that fit by default.
    budget_s
        Seconds that each rival has at each order. Each point is measured in a process of its own, so a script that
        calls this needs ``if __name__ == "__main__":``.
    progress
        Called with what is done now, how many steps are done, and the number of all steps.

    Returns
    -------
    Operations, code size, times and errors of every contestant at every order.

    Raises
    ------
    RequestError
        A function, rival or order that cannot be compared.
    """
    from symdyn.analysis.compare.comparison import compare as compare_contestants

    return compare_contestants(as_robot(robot), function, orders, against, budget_s, progress)


def demo_measurements(robot: Robot) -> dict[str, dict[str, float | None]]:
    """What inverse dynamics of a robot costs on this machine, beside CasADi's own C; see :func:`compare`."""
    from symdyn.analysis.compare.demonstration import measure_inverse_dynamics

    return measure_inverse_dynamics(as_robot(robot))


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

    return stepped(as_robot(robot), q, v, tau, h, guess, p, effort)


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
) -> ContactPartials:
    """Differentiate a step with rigid contacts in NumPy, for the impulses and the state that :func:`contact_step` gave.

    At a switch it is the derivative of that state; ``report.margin`` tells how far the next one is. Where loops are
    closed once more after a step, that is not differentiated.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of its file.
    q, v, tau, h, p
        What the step was given; (nq,), (nv,), (nv,), a number, (np,).
    impulses, state
        What it found: (m,) and (k,).

    Returns
    -------
    Derivatives of q_next, as moves along rows of v (nv,), of v_next (nv,) and of the impulses lambda (m,) by moves of q
    along rows of v, by v, tau and, where there are run-time parameters, p.

    Raises
    ------
    RequestError
        A robot without rigid contacts, arrays that do not fit, slopes that are singular.

    Equation: the implicit function theorem on Mh (w - v) = h (tau - bias) + J^T lambda, c = J w + s and the law of each
    state. Source: Le Lidec et al., End-to-End and Highly-Efficient Differentiable Simulation for Robotics (2024).
    """
    from symdyn.analysis.simulation.contact_step import contact_step_partials as differentiated

    return differentiated(as_robot(robot), q, v, tau, h, impulses, state, p)


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
        ``"dop853"``. Where eigenvalues at the start tell that fast moves die soon, it is ``"radau"``, or ``"cvode"``
        from 40 rows of state; ``reason`` of the result says why. Robots with rigid contacts, rigid limits or dry joints
        move by ``"contacts"``: steps of fixed length, of order 1, whose impulses obey the exact laws of Signorini and
        Coulomb. ``contacts`` of the result has impulses, states, gaps and points. Prescribed joints then have the mean
        velocity of each step, which leads them to where they are told to be.
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
        called once per sample, with the state there, and holds until the next; the solver begins anew there.

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

    beside = (prescribed, p, events, max_step, progress, jumps, effort_limits)
    return simulated(robot, q, v, t, inputs, method, rtol, atol, drive, hold, *beside, h, sample_time)
