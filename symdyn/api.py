"""The public functions; with ``pipeline``, what knows the whole line from a robot file to a called function."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from symdyn.errors import RequestError
from symdyn.loading import examples, from_description, load, load_example
from symdyn.options import FunctionOptions, GenerateOptions, RequestOptions
from symdyn.pipeline import (
    build,
    built,
    chosen_model,
    cost,
    float_recursion,
    generated,
    programs,
    sources,
    with_options,
)
from symdyn.robot import Robot

if TYPE_CHECKING:
    import casadi
    import sympy

    from symdyn.compare.comparison import Comparison
    from symdyn.report import Explanation
    from symdyn.toolchain.module import Module
    from symdyn.verify.harness.report import VerificationReport
    from symdyn.verify.harness.verify import Progress

__all__ = [
    "build",
    "closed_form",
    "compare",
    "compile",
    "cost",
    "demo_measurements",
    "examples",
    "explain",
    "float_recursion",
    "from_description",
    "generate",
    "load",
    "load_example",
    "programs",
    "sources",
    "symbolic",
    "trace",
    "verify",
    "with_options",
]


def generate(
    robot: Robot,
    functions: Sequence[str],
    order: int = 0,
    out: str | os.PathLike[str] | None = None,
    target: str = "c",
    layout: str = "auto",
    dtype: str = "float64",
    **asked: Unpack[FunctionOptions],
) -> Path:
    """Write the source of some functions of a robot.

    Parameters
    ----------
    robot
        From :func:`load`.
    functions
        Names from the catalogue, such as ``["inverse_dynamics"]``.
    order
        Highest time derivative, for the functions that have one; the others ignore it.
    out
        Folder, made if needed. Files that an earlier run wrote are replaced; those that were changed since are kept
        under another name, with a warning; those of somebody else are never touched. Default ``generated/<robot>``.
    target
        ``"c"`` (C, and Python beside it), ``"python"`` (NumPy) or ``"jax"``.
    layout
        ``"unrolled"``, ``"split"``, ``"rolled"`` or ``"auto"``.
    dtype
        ``"float64"`` or ``"float32"``.
    external_wrenches
        ``"body"`` or ``"world"`` adds the input f_ext to the functions that take it.
    prescribed
        For ``hybrid_dynamics``: names of the velocities whose acceleration is given; the forces of the others are.
    factorization
        For ``coriolis_matrix``: ``"christoffel"`` (the default) or ``"lemma1"`` (Ali et al. 2026).
    formulation
        For time derivatives of inverse, forward and hybrid dynamics: ``"body"`` (the default), time series in body
        frames, or ``"spatial"``, the published recursions of Ali et al. (2026) in the world's frame, for comparison:
        they take five to eleven times the operations, and lose digits with the distance from the world's origin.

    Returns
    -------
    The folder.
    """
    from symdyn.emit.names import identifier
    from symdyn.toolchain.folder import write_folder

    options = GenerateOptions.checked(
        functions,
        target=target,
        layout=layout,
        dtype=dtype,
        order=order,
        **asked,
    )
    files = generated(robot, options)
    try:
        folder = Path(out) if out is not None else Path("generated") / identifier(robot.name)
    except TypeError as failure:
        raise RequestError(f"out is a path, got {out!r}") from failure
    write_folder(folder, files)
    return folder


def explain(
    robot: Robot,
    functions: Sequence[str],
    order: int = 0,
    layout: str = "auto",
    target: str = "c",
    **asked: Unpack[FunctionOptions],
) -> Explanation:
    """The choices that :func:`generate` makes for this robot with these options, and what they save; writes nothing.

    Returns
    -------
    Per body, which inertia is counted with the parent and how far its frame slid [m], or why they stay; per function,
    the operations before and after each pass and without those choices, the layouts that were tried, the rule that
    chose one of them, and estimated sizes of machine code [bytes].
    """
    from symdyn.report import explain_functions

    options = GenerateOptions.checked(
        functions,
        target=target,
        layout=layout,
        order=order,
        **asked,
    )
    return explain_functions(robot, options)


def compile(
    robot: Robot,
    functions: Sequence[str],
    order: int = 0,
    target: str = "c",
    layout: str = "auto",
    dtype: str = "float64",
    lanes: bool = True,
    **asked: Unpack[FunctionOptions],
) -> Module:
    """Generate, build and load some functions; a second call with the same robot finds them in the cache.

    Parameters are those of :func:`generate`, and ``lanes``: without it the C of batches in SIMD lanes is not compiled,
    which halves the time of the build, and batches are computed state by state. ``target="python"`` needs no compiler.
    Large batches use threads, ``module.set_threads(n)`` of them, by default one per processor.

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
        **asked,
    )
    return built(robot, options, lanes)[1]


def symbolic(robot: Robot, function: str, **asked: Unpack[RequestOptions]) -> casadi.Function:
    """A function of the catalogue as a casadi.Function of column vectors, for optimal control.

    Keywords are those of :func:`generate` that change what the function means.
    """
    from symdyn.functions.catalogue import requests
    from symdyn.plan.run import run_plan
    from symdyn.scalars.casadi_sx import CasadiAlgebra, casadi_function

    ((entry, request),) = requests(robot.model, [function], **asked)
    model = chosen_model(robot, entry, request)
    signature = entry.signature(model, request)
    algebra = CasadiAlgebra()
    inputs = {argument.name: algebra.symbols(argument.name, argument.size) for argument in signature.inputs}
    outputs = run_plan(entry.plan(model, request), algebra, inputs)
    return casadi_function(
        function,
        list(inputs),
        list(inputs.values()),
        list(outputs),
        [(outputs[argument.name], argument.shape) for argument in signature.outputs],
    )


def closed_form(
    robot: Robot, function: str, **asked: Unpack[RequestOptions]
) -> sympy.Matrix | tuple[sympy.Matrix, ...]:
    """A function of the catalogue as a SymPy matrix in textbook form, for small robots.

    Symbols are named as the inputs' rows, ``q_elbow``, ``v_elbow``, ``a_elbow``, and run-time parameters as they are.
    One axis of an output gives a column, more than two axes one matrix below the other. A function of several outputs
    gives a tuple of matrices.

    Raises
    ------
    RequestError
        A robot too large for closed forms.
    """
    from symdyn.closed_forms import closed_forms

    forms = closed_forms(robot, function, **asked)
    return forms[0] if len(forms) == 1 else forms


def verify(
    folder: str | os.PathLike[str],
    states: int = 50,
    seed: int = 0,
    progress: Progress | None = None,
    trust: bool = False,
) -> VerificationReport:
    """Compare a generated folder with 50-digit arithmetic that shares no recursion with it.

    This runs code of the folder: its C, compiled here, and its Python. By default every file is compared first with
    what symdyn generates from the folder's ``robot.yaml``, and of a folder that differs in one byte nothing is run.

    Where the folder holds the functions for it, identities between them are checked on the compiled module too, such
    as forward dynamics of inverse dynamics, M' - 2 C skew, and the balance of energy.

    Parameters
    ----------
    folder
        What :func:`generate` wrote.
    states, seed
        Number of random states (special ones come on top), and the seed that draws them.
    progress
        Called with (states done, states in all).
    trust
        Run the folder's code also where its files differ, for somebody who has edited them.

    Returns
    -------
    The worst error of every evaluator of every function, in units of 2^-53 (2^-24 for float32).

    Raises
    ------
    VerificationError
        The folder is not a generated one, or differs from what its ``robot.yaml`` gives.
    """
    from symdyn.verification import verify_folder

    return verify_folder(Path(folder), states, seed, progress, trust)


def trace(robot: Robot, name: str) -> list[tuple[str, str]]:
    """Follow a coordinate or a quantity such as ``"forearm.mass"`` through every room, as (room, text)."""
    from symdyn.provenance import trace_name

    return [(station.room, station.text) for station in trace_name(robot, name)]


def compare(
    robot: Robot,
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
        From :func:`load`.
    function
        ``"inverse_dynamics"`` or ``"forward_dynamics"``, or one of these with ``_partials``.
    orders
        Orders of time derivatives; without, the function itself.
    against
        Names of rivals; all that fit by default.
    budget_s
        Seconds that each rival has at each order. Each point is measured in a process of its own, so that a script that
        calls this needs ``if __name__ == "__main__":``.
    progress
        Told what is done now, how many steps are done, and of how many.

    Returns
    -------
    Operations, code size, times and errors of every contestant at every order.

    Raises
    ------
    RequestError
        A function, rival or order that cannot be compared.
    """
    from symdyn.compare.comparison import compare as compare_contestants

    return compare_contestants(robot, function, orders, against, budget_s, progress)


def demo_measurements(robot: Robot) -> dict[str, dict[str, float | None]]:
    """What inverse dynamics of a robot costs on this machine, beside CasADi's own C; see :func:`compare`."""
    from symdyn.compare.demonstration import measure_inverse_dynamics

    return measure_inverse_dynamics(robot)
