"""The options that several verbs share, and how they become calls of the public API."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import typer

if TYPE_CHECKING:
    from symdyn.robot import Robot

RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="A robot file, or the name of a shipped example.")]
Floating = Annotated[
    bool | None,
    typer.Option("--floating-base/--fixed-base", help="Free or fix the root link; follows the file by default."),
]
Lock = Annotated[
    list[str] | None,
    typer.Option(
        "--lock",
        metavar="JOINT=VALUE",
        help="Hold a joint at a value (rad or m), in place of the file's; none: hold nothing. May be repeated.",
    ),
]
Runtime = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        metavar="NAME",
        help="Make a parameter an input of the code, in place of those of the file; none: no input. May be repeated.",
    ),
]
JointLosses = Annotated[
    bool | None,
    typer.Option(
        "--joint-losses/--no-joint-losses",
        help="Include the joints' damping and friction, or leave them out; follows the file by default.",
    ),
]
Convention = Annotated[
    Literal["pinocchio", "spatial"] | None,
    typer.Option("--convention", help="Base velocity: (linear; angular) in the base frame, or the spatial twist."),
]
Gravity = Annotated[
    tuple[float, float, float] | None,
    typer.Option("--gravity", metavar="X Y Z", help="Gravity in the world frame [m/s^2]; the file's, or 0 0 -9.81."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse a robot file that gives any warning.")]
Repair = Annotated[
    bool,
    typer.Option(
        "--repair", help="Mend indefinite or missing inertias and mimics of unknown joints, each with a warning."
    ),
]

Functions = Annotated[
    list[str] | None,
    typer.Option("--function", "-f", metavar="NAME", help="A function to generate. May be repeated."),
]
Order = Annotated[
    int,
    typer.Option("--order", min=0, help="Highest time derivative, for *_time_derivatives; other functions ignore it."),
]
Layout = Annotated[
    Literal["auto", "unrolled", "split", "rolled", "split-lanes", "rolled-lanes"],
    typer.Option(
        "--layout",
        help="One line, pieces, or loops over bodies; pieces or loops with alike limbs side by side; or the fastest.",
    ),
]
Dtype = Annotated[Literal["float64", "float32"], typer.Option("--dtype", help="Number type of the generated code.")]
ExternalWrenches = Annotated[
    Literal["body", "world"] | None,
    typer.Option("--external-wrenches", help="Take a wrench per body, in body or world axes."),
]
Prescribed = Annotated[
    list[str] | None,
    typer.Option("--prescribed", help="Velocity whose acceleration is given, for hybrid_dynamics; repeatable."),
]
Factorization = Annotated[
    Literal["christoffel", "lemma1"] | None,
    typer.Option("--factorization", help="Which coriolis_matrix."),
]
Formulation = Annotated[
    Literal["body", "spatial"] | None,
    typer.Option("--formulation", help="Time derivatives in body frames, or by the published spatial recursion."),
]

NOTHING = "none"
"""What empties a list that the file holds; no joint's value and no parameter is spelt so."""

DEFAULT_FUNCTIONS = ("inverse_dynamics",)


class LoadOptions(TypedDict, total=False):
    """Keyword arguments of :func:`symdyn.load`; what the user did not say is left to its defaults."""

    floating_base: bool
    locked_joints: dict[str, float]
    runtime: list[str]
    joint_losses: bool
    convention: str
    gravity: tuple[float, float, float]
    strict: bool
    repair: bool


def load_options(
    floating_base: bool | None,
    lock: list[str] | None,
    runtime: list[str] | None,
    joint_losses: bool | None,
    convention: str | None,
    gravity: tuple[float, float, float] | None,
    strict: bool,
    repair: bool,
) -> LoadOptions:
    """The options of ``load`` that were given.

    Raises
    ------
    RequestError
        ``--lock`` without ``=``, with no number after it, or twice for one joint.
    """
    options: LoadOptions = {}
    if floating_base is not None:
        options["floating_base"] = floating_base
    if lock:
        options["locked_joints"] = _locked_joints(lock)
    if runtime:
        options["runtime"] = [] if runtime == [NOTHING] else runtime
    if joint_losses is not None:
        options["joint_losses"] = joint_losses
    if convention is not None:
        options["convention"] = convention
    if gravity is not None:
        options["gravity"] = gravity
    if strict:
        options["strict"] = True
    if repair:
        options["repair"] = True
    return options


def _locked_joints(texts: list[str]) -> dict[str, float]:
    from symdyn.errors import RequestError

    locked: dict[str, float] = {}
    if texts == [NOTHING]:
        return locked
    for text in texts:
        # The last '=' parts them: a joint's name may hold one, a number cannot.
        joint, separator, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if not separator or not joint or value != value or abs(value) == float("inf"):
            raise RequestError(f"--lock {text}: expected JOINT=VALUE with a finite number, such as elbow=0.5")
        if joint in locked:
            raise RequestError(f"--lock {text}: joint '{joint}' is locked twice; give it one value")
        locked[joint] = value
    return locked


def load_robot(name: str, options: LoadOptions) -> Robot:
    """Load a file, or a shipped example where no such file exists.

    Raises
    ------
    SymdynError
        Neither a file nor an example, or a robot that cannot be loaded.
    """
    import symdyn

    if not Path(name).is_file() and name in symdyn.examples():
        return symdyn.load_example(name, **_as_any(options))
    if not Path(name).exists() and Path(name).name == name and not Path(name).suffix:
        from symdyn.errors import RequestError

        known = ", ".join(symdyn.examples())
        raise RequestError(f"'{name}' is neither a file nor a shipped robot; shipped are: {known}")
    return symdyn.load(name, **options)


def check_folder(option: str, path: Path) -> None:
    """Refuse before the work, not after it, a file that could not be written."""
    from symdyn.errors import RequestError

    if path.is_dir() or not path.absolute().parent.is_dir():
        raise RequestError(f"{option} {path}: expected the name of a file in a folder that exists")


def _as_any(options: LoadOptions) -> dict[str, Any]:
    return {**options}
