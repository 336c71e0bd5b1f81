"""The public functions; with ``pipeline``, what knows the whole line from a robot file to a called function."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from symdyn.analysis.goals import (
    differential_ik,
    export_ocp,
    inverse_kinematics,
    optimal_control,
    soft_inverse_kinematics,
)
from symdyn.analysis.identification.identification import excitation, identify
from symdyn.analysis.motions import contact_step, contact_step_partials, equilibrium, modes, rollout, simulate
from symdyn.description.read import load_problem
from symdyn.errors import ModelError
from symdyn.generation.fmu import export_fmu
from symdyn.generation.generate import compile, explain, generate, open
from symdyn.generation.pipeline import build, cost, float_recursion, programs, sources, with_options
from symdyn.generation.symbolic_functions import symbolic
from symdyn.interface.argument_words import given_callable, given_flag, given_path, given_whole
from symdyn.interface.keywords import names_keywords, names_keywords_and
from symdyn.interface.options import RequestOptions
from symdyn.robot.loading import as_robot, examples, from_description, load, load_example, loads
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    import sympy
    from numpy.typing import ArrayLike

    from symdyn.analysis.compare.comparison import Comparison
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


@names_keywords_and(RequestOptions.__annotations__)
def closed_form(
    robot: Robot | str | os.PathLike[str], function: str, **asked: Unpack[RequestOptions]
) -> sympy.Matrix | tuple[sympy.Matrix, ...]:
    """A function of the catalogue as a SymPy matrix in textbook form, for small robots.

    Symbols have the names of the inputs' rows, ``q_elbow``, ``v_elbow``, ``a_elbow``. Run-time parameters keep their
    names. An output with one axis is a column. One with three axes is its matrices, one below the other. A function
    with several outputs gives a tuple of matrices. Keywords are those of :func:`symbolic`.

    Raises
    ------
    RequestError
        A robot too large for closed forms.
    """
    from symdyn.generation.closed_forms import closed_forms

    forms = closed_forms(as_robot(robot), function, **asked)
    return forms[0] if len(forms) == 1 else forms


@names_keywords
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

    trust = given_flag("trust", trust, refusal=ModelError)
    seed = given_whole("seed", seed)
    if progress is not None:
        given_callable("progress", "done, total", progress)
    return verify_folder(given_path("folder", folder), given_whole("states", states, 1), seed, progress, trust)


Robot.search_pose = staticmethod(inverse_kinematics)


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
    servo: bool = False,
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
    servo
        Whether joints have servos, as those of :func:`simulate`, that a tick and the key S switch. Inputs are forces.

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

    return played(as_robot(robot), path, q, v, method, step, mesh_folders, progress, servo)


Robot.write_page = staticmethod(play)


@names_keywords
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
        ``"inverse_dynamics"`` or ``"forward_dynamics"``, also with ``_partials``, ``_adjoint``, ``_weighted_hessian``;
        ``"mass_matrix"`` or ``"mass_matrix_inverse"``.
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
