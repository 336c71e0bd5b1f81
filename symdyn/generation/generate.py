"""Functions of a robot as users ask for them: written to a folder, built and loaded, or explained.

Options of functions are those of :class:`symdyn.interface.options.FunctionOptions`.

Further functions of a module's robot, made as those of the module were: derivatives, or the same over JAX.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from symdyn.errors import ModelError, VerificationError
from symdyn.generation.companions import Companions, companions_of_folder
from symdyn.generation.pipeline import built, generated
from symdyn.interface.argument_words import given_flag, given_path
from symdyn.interface.field_words import list_functions_by
from symdyn.interface.keywords import names_keywords, names_keywords_and
from symdyn.interface.options import FunctionOptions, GenerateOptions
from symdyn.interface.targets import FMU
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.warning import note

if TYPE_CHECKING:
    from symdyn.description.control.problem import OptimalControlProblem
    from symdyn.generation.report import Explanation
    from symdyn.toolchain.checked import InputRules
    from symdyn.toolchain.module import Module

    Problem = OptimalControlProblem | str | os.PathLike[str]


def _functions() -> Iterable[str]:
    """The names of the catalogue, which modules from the cache do without."""
    from symdyn.functions.catalogue import CATALOGUE

    return CATALOGUE


list_functions_by(_functions)


@names_keywords_and(FunctionOptions.__annotations__)
def generate(
    robot: Robot | str | os.PathLike[str],
    functions: Sequence[str],
    order: int = 0,
    out: str | os.PathLike[str] | None = None,
    target: str = "c",
    layout: str = "auto",
    dtype: str = "float64",
    steppers: Sequence[str] | None = None,
    solvers: Sequence[str] | None = None,
    rollout: str | None = None,
    name: str | None = None,
    hessian: bool = False,
    effort: str | None = None,
    problem: Problem | None = None,
    cpu: str | None = None,
    **asked: Unpack[FunctionOptions],
) -> Path:
    """Write the source of some functions of a robot.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of a file, which is loaded with its own options.
    functions
        Names from the catalogue, such as ``["inverse_dynamics"]``.
    order
        Highest time derivative, for the functions that have one; the others ignore it. Of order 0 they give the
        quantities alone, and a line on stderr says so.
    out
        Folder, made if needed; ``generated/<name>`` by default. Files of an earlier run are replaced. If you changed
        one, it is kept under another name, with a warning. Other files are never touched.
    target
        ``"c"`` (C, and Python beside it), ``"cpp"`` (the same with a header in C++), ``"python"`` (NumPy), ``"jax"``,
        ``"casadi"`` (C that CasADi opens, with derivatives), or ``"fmu"`` (a unit of FMI 3.0 around C).
    layout
        ``"unrolled"`` (one line), ``"split"`` (pieces), ``"rolled"`` (loops over bodies), ``"split-lanes"`` and
        ``"rolled-lanes"`` (these two with alike limbs side by side), or ``"auto"``, which chooses.
    dtype
        ``"float64"`` or ``"float32"``.
    steppers
        Methods that advance a state by a step, written as C beside the functions. Functions that a method calls are
        added. There are ``"rk4"``, ``"dop853"``, ``"taylor"`` (of order ``order``),
        ``"generalised-alpha"``, and ``"contacts"`` for robots with rigid contacts, rigid limits or dry joints.
    solvers
        Solvers written as C beside the functions; functions that a solver calls are added. ``"statics"`` finds a
        position at rest; prescribed rows, inputs of actuators and external wrenches are those of ``statics_residual``.
        ``"inverse_kinematics"`` finds a position at which frames meet targets, and ``"soft_inverse_kinematics"`` inputs
        with which the robot rests so. ``"differential_ik"`` finds velocities with which frames move as desired, within
        limits. ``"mpc"`` solves the optimal-control problem of ``problem`` or the robot's file.
    rollout
        A method: ``"semi_implicit_euler"``, ``"implicit_euler"``, ``"implicit_midpoint"``, ``"sdirk2"``, ``"rk4"`` or
        ``"contacts"``. Then ``rollout`` takes steps one after another in one call of C, and ``rollout_gradient`` gives
        the gradient of a sum of costs of their states, by the first state, by all inputs and by run-time parameters.
    name
        An identifier with which names of C functions, macros and files begin. It is also the name of the CMake target
        and of the Python module. By default the robot's name; characters that are not allowed become ``_x<hex>_``.
    hessian
        For target ``"casadi"``: whether second derivatives are written too.
    effort
        For the stepper ``"contacts"``: ``"full"`` (the default), or ``"newton"``, which leaves out what follows where
        Newton's method fails: fewer iterations in the worst case, and more steps that are not solved.
    problem
        An :class:`OptimalControlProblem`, or the name of its file, for functions of costs; by default the robot's own.
    cpu
        The processor that ``layout="auto"`` chooses for: ``"x86-64-v2"``, ``"x86-64-v3"`` (AVX2, the default),
        ``"x86-64-v4"`` (AVX-512), ``"aarch64"``, ``"cortex-m7"``, or ``"native"``, which is the one of these that the
        compiler of this machine finds. The manifest records it. It changes no other layout, and code of any layout runs
        on any processor.
    external_wrenches
        ``"body"`` or ``"world"`` adds the input f_ext to the functions that take it.
    prescribed
        For ``hybrid_dynamics``: names of the velocities whose acceleration is given. For the others the force is given.
        For the stepper ``"generalised-alpha"``: names of the velocities whose motion is given.
    factorization
        For ``coriolis_matrix``: ``"christoffel"`` (the default) or ``"lemma1"`` (Ali et al. 2026).
    formulation
        For time derivatives of inverse, forward and hybrid dynamics: ``"body"`` (the default), time series in body
        frames. ``"spatial"`` are the published recursions of Ali et al. (2026) in the world's frame, for comparison.
        They take five to eleven times the operations, and lose digits with the distance from the world's origin.
    inputs
        For forward and hybrid dynamics, their partials and time derivatives: ``"forces"`` (the default), or
        ``"actuators"``. They then take the inputs u of the file's ``actuators`` instead of generalised forces. Hybrid
        dynamics then also takes the accelerations a, and reads those of prescribed rows.
    unknown
        For hybrid dynamics by inputs of actuators: names of the unknown inputs, one per prescribed velocity. The output
        ``unknown`` has their values, beside w. B u is then the only force that acts, in prescribed rows too. Partials
        also give ``dunknown_dq``, .., and time derivatives ``Unknown``.
    weights
        For ``inverse_actuation``: the weight of each row of v in the sum of squares of the forces that actuators cannot
        give. They are positive numbers, by default all 1; or ``"input"``, which adds an input ``weights`` (nv,) after
        a.
    actuated
        For ``constrained_inverse_dynamics``: names of the velocities whose joints have a force.
    objective
        For ``constrained_inverse_dynamics``: ``"torque"`` minimises the joint forces, ``"force"`` the multipliers.
    stabilisation
        For constrained functions: the time [s] within which errors of closed loops decay.
    switched
        For constrained functions and impacts: names of the loops that can be switched off. The input ``active`` says
        which of them hold, 1 or 0 for each, in the order of the robot's file.
    restitution
        ``"none"`` (the default), or ``"input"``. This adds the input ``restitution`` to impacts: Newton's coefficient
        of restitution of each loop.
    frames
        For kinematics and Jacobians of frames: names of the frames that are computed, in this order; all by default.
        Bodies that no chosen frame depends on are not computed.
    tasks
        For errors of frames and inverse kinematics: names of frames whose pose has a target, by default all; or
        ``"tool:position"``, and ``"tool:axis"`` for its z axis.
    gradient
        ``"state"`` (the default), ``"parameters"``, which adds the output ``g_p`` (np,) to gradients: derivatives of
        the weighted sum by run-time parameters; or ``"step"``, which also adds ``g_h`` to those of steps and rollouts:
        that by the length of the step, and derivatives by it to ``contact_slopes``.
    step
        Method of :func:`step` and of its derivatives: ``"semi_implicit_euler"`` (the default), ``"rk4"``, or
        ``"implicit_euler"``, ``"implicit_midpoint"`` and ``"sdirk2"``, which take accelerations of the step besides.

    Returns
    -------
    The folder.
    """
    from symdyn.compiler.emit.names import identifier
    from symdyn.toolchain.folder import write_folder

    chosen = None if out is None else given_path("out", out)
    options = GenerateOptions.checked(
        functions,
        target=target,
        layout=layout,
        dtype=dtype,
        order=order,
        steppers=steppers,
        solvers=solvers,
        rollout=rollout,
        effort=effort,
        cpu=cpu,
        name=name,
        hessian=hessian,
        **asked,
    )
    _say_order(options)
    robot = _with_problem(as_robot(robot), problem)
    files = generated(robot, options)
    folder = chosen if chosen is not None else Path("generated") / (name or identifier(robot.name))
    write_folder(folder, files)
    if options.target == FMU.name:
        from symdyn.toolchain.fmu import pack

        pack(folder, binary=False)
    return folder


def _say_order(options: GenerateOptions) -> None:
    """Say of functions of time derivatives that order 0 has none: it is the default, and easily left so."""
    names = [name for name in options.functions if "time_derivatives" in name]
    if names and not options.order:
        note(
            f"order is 0, so {', '.join(names)} will have the quantities themselves and no time derivatives of them; "
            "give order=1 or more, on the command line --order 1"
        )


def _with_problem(robot: Robot, problem: Problem | None) -> Robot:
    return robot if problem is None else robot.with_control(problem)


@names_keywords_and(GenerateOptions.__annotations__)
def explain(
    robot: Robot | str | os.PathLike[str],
    functions: Sequence[str],
    order: int = 0,
    layout: str = "auto",
    target: str = "c",
    problem: Problem | None = None,
    cpu: str | None = None,
    **asked: Unpack[FunctionOptions],
) -> Explanation:
    """The choices that :func:`generate` makes for this robot with these options, and what they save; writes nothing.

    Returns
    -------
    For each body: which inertia is counted with the parent, and how far its frame slides [m], or why neither is done.
    For each function: the operations before and after each pass and without those choices, the layouts that were tried,
    the rule that chose one of them, and estimated sizes of machine code [bytes].
    """
    from symdyn.generation.report import explain_functions

    options = GenerateOptions.checked(
        functions,
        target=target,
        layout=layout,
        order=order,
        cpu=cpu,
        **asked,
    )
    return explain_functions(_with_problem(as_robot(robot), problem), options)


@names_keywords_and(FunctionOptions.__annotations__)
def compile(
    robot: Robot | str | os.PathLike[str],
    functions: Sequence[str],
    order: int = 0,
    target: str = "c",
    layout: str = "auto",
    dtype: str = "float64",
    lanes: bool = True,
    steppers: Sequence[str] | None = None,
    solvers: Sequence[str] | None = None,
    rollout: str | None = None,
    name: str | None = None,
    hessian: bool = False,
    check: bool = False,
    effort: str | None = None,
    problem: Problem | None = None,
    cpu: str | None = None,
    **asked: Unpack[FunctionOptions],
) -> Module:
    """Generate, build and load some functions; a second call with the same robot finds them in the cache.

    Parameters are those of :func:`generate`, and ``lanes``. The C of batches in SIMD lanes is compiled when a function
    is first called for many states, so that this call waits. Without ``lanes`` batches are computed state by state.
    ``target="python"`` needs no compiler. With ``target="casadi"`` ``module.casadi("inverse_dynamics")`` gives a
    function as a ``casadi.Function``. Large batches use threads, ``module.set_threads(n)`` of them, by default one per
    processor.

    With ``check=True`` the functions refuse inputs that are not finite, quaternions of q whose length differs from one
    by more than 1e-6, and rows of q, v and tau beyond the limits of their joints. Without it they read numbers as they
    are, and no check costs time. Functions for JAX and PyTorch are not checked.

    Returns
    -------
    A module with one callable attribute per function: ``module.inverse_dynamics(q, v, a)``.

    Raises
    ------
    ToolchainError
        No working compiler; the message says how to get one.
    """
    options = GenerateOptions.checked(
        functions,
        target=target,
        layout=layout,
        dtype=dtype,
        order=order,
        steppers=steppers,
        solvers=solvers,
        rollout=rollout,
        effort=effort,
        cpu=cpu,
        name=name,
        hessian=hessian,
        **asked,
    )

    checks, lanes = given_flag("check", check, refusal=ModelError), given_flag("lanes", lanes)
    _say_order(options)
    robot = _with_problem(as_robot(robot), problem)
    module = built(robot, options, lanes)[1]
    module.maker = Companions(lambda: robot, options, lanes)
    return _checked(module, robot) if checks else module


def _checked(module: Module, robot: Robot) -> Module:
    from symdyn.toolchain.checked import CheckedModule

    return CheckedModule(module, _input_rules(robot))


@names_keywords
def open(folder: str | os.PathLike[str], trust: bool = False, check: bool = False) -> Module:
    """The module of a folder that ``generate`` or ``symdyn compile`` wrote.

    This runs code of the folder, as importing it would. Before that, its files are compared with their recorded hashes.
    This shows whether files were changed, but not who made them. Open only what you would import.

    Parameters
    ----------
    folder
        The folder; it may have been renamed.
    trust
        Whether to run code even if the folder was changed since it was generated, or compiled for another processor;
        there is a warning then.
    check
        Whether its functions check their inputs, as :func:`compile` says; limits are those of the folder's robot.

    Returns
    -------
    The module that was compiled there for this Python, or else the folder's code in Python. Its ``repr`` says which,
    and ``path`` where it is. The module and its functions can be pickled, by the folder and the hash of its contents.

    Raises
    ------
    VerificationError
        There is no such folder, it is not symdyn's, it cannot be read, or it was changed; or its module was compiled
        for another processor, or before the folder was generated anew. None of its code was run.
    ToolchainError
        Its compiled module cannot be loaded here.
    """
    from symdyn.toolchain.opened import open_folder

    checks = given_flag("check", check, refusal=ModelError)
    place = given_path("folder", folder)
    module = open_folder(place, given_flag("trust", trust, refusal=ModelError))
    module.maker = companions = companions_of_folder(place, module.manifest)
    if not checks:
        return module
    if companions is None:
        raise VerificationError(f"'{place}' lacks the robot that it was made of, which tells limits; leave out check")
    return _checked(module, companions.robot)


def _input_rules(robot: Robot) -> InputRules:
    """Quaternions have length one; q, v and tau are within the limits of their joints, where these have any."""
    from symdyn.toolchain.checked import InputRules

    limits, model = robot.limits, robot.model
    quaternions = {
        joint.label: robot.coordinate_names[joint.q_rows.stop - 4 : joint.q_rows.stop]
        for joint in model.independent_joints
        if joint.kind.quaternion
    }
    bounds = {
        "q": dict(zip(robot.coordinate_names, zip(limits.lower, limits.upper, strict=True), strict=True)),
        "v": dict(zip(robot.velocity_names, zip(-limits.velocity, limits.velocity, strict=True), strict=True)),
        "tau": dict(zip(robot.velocity_names, zip(-limits.effort, limits.effort, strict=True), strict=True)),
    }
    return InputRules(quaternions, bounds)
