"""The options that several verbs share, and how they become calls of the public API."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import typer

from symdyn.interface.targets import TARGETS, find_target

from . import terminal
from .named_values import named_values

if TYPE_CHECKING:
    from symdyn.interface.options import GenerateOptions
    from symdyn.robot.robot import Robot

Quiet = Annotated[bool, typer.Option("--quiet", help="Show no warnings and no progress, only results and errors.")]
RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="A robot file, or the name of a shipped example.")]
Floating = Annotated[
    bool | None,
    typer.Option("--floating-base/--fixed-base", help="Free or fix the root link; as in the file by default."),
]
Lock = Annotated[
    list[str] | None,
    typer.Option(
        "--lock",
        metavar="JOINT=VALUE",
        help="Hold a joint at a value (rad or m), instead of the file's; none: hold nothing. May be repeated, "
        "or with commas.",
    ),
]
Runtime = Annotated[
    list[str] | None,
    typer.Option(
        "--runtime",
        metavar="NAME",
        help="Make a parameter an input of the code, instead of the file's; none: no input. May be repeated.",
    ),
]
JointLosses = Annotated[
    bool | None,
    typer.Option(
        "--joint-losses/--no-joint-losses",
        help="Include the joints' damping and friction, or leave them out; as in the file by default.",
    ),
]
Convention = Annotated[
    Literal["pinocchio", "spatial", "mujoco"] | None,
    typer.Option("--convention", help="Coordinates: Pinocchio's, the spatial twist of the base, or MuJoCo's."),
]
Gravity = Annotated[
    tuple[float, float, float] | None,
    typer.Option("--gravity", metavar="X Y Z", help="Gravity in the world [m/s^2]; else the file's, or 0 0 -9.81."),
]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict/--no-strict",
        help="Refuse a file that gives any warning; or leave out of MJCF what symdyn does not model, with a warning.",
    ),
]
JointStops = Annotated[
    bool,
    typer.Option("--joint-stops", help="Put stops at the limits of joints that have none in the file: smooth springs."),
]
Repair = Annotated[
    bool,
    typer.Option(
        "--repair", help="Mend indefinite or missing inertias and mimics of unknown joints, each with a warning."
    ),
]
LoopsFile = Annotated[
    Path | None,
    typer.Option("--loops", metavar="FILE", help="A YAML file with closed loops, for a robot file without any."),
]
ContactsFile = Annotated[
    Path | None,
    typer.Option(
        "--contacts",
        metavar="FILE",
        help="A YAML file with rigid contacts; or ground: all shapes against z = 0; or file: pairs of an MJCF file.",
    ),
]
ProblemFile = Annotated[
    Path | None,
    typer.Option("--problem", metavar="FILE", help="A YAML file with an optimal-control problem, for costs."),
]
Parameter = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar="NAME=VALUE",
        help="A run-time parameter; by default the file's. May be repeated, or with commas.",
    ),
]
StartingSpeed = Annotated[
    list[str] | None,
    typer.Option("--v", metavar="NAME=VALUE", help="A velocity at the start, else 0. May be repeated, or with commas."),
]
CodeFolder = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Folder; generated/<name> by default, of --name or the robot."),
]
MeshFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--mesh-folder",
        metavar="FOLDER",
        help="A folder with meshes of a URDF: a package, a folder of packages, or the start of relative paths. "
        "Nothing outside is opened. May be repeated.",
    ),
]
Folders = Annotated[
    list[Path] | None,
    typer.Option("--folder", metavar="DIR", help="Where an MJCF file may read other files. May be repeated."),
]
Packages = Annotated[
    list[Path] | None,
    typer.Option(
        "--package-path",
        metavar="DIR",
        help="A ROS package or a folder of them, for $(find ..) of xacro and meshes at package://. May be repeated.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="NAME",
        help="Go on without elements and attributes of this name, or unknown keys, with a warning. May be repeated.",
    ),
]
Xacro = Annotated[
    list[str] | None,
    typer.Option(
        "--xacro",
        metavar="NAME:=VALUE",
        help="Let xacro expand the file, which executes its expressions; none: without arguments. May be repeated.",
    ),
]

_Functions = Annotated[
    list[str] | None,
    typer.Option(
        "--function",
        "-f",
        metavar="NAME",
        help="A function to generate, one of 'symdyn functions'; by default inverse_dynamics, or what the target "
        "needs. May be repeated, or with commas.",
    ),
]
_LANGUAGES = ", ".join(f"{target.name} ({target.title})" for target in TARGETS.values())
_Target = Annotated[str, typer.Option("--target", help=f"Language: {_LANGUAGES}.")]
_Layout = Annotated[
    Literal["auto", "unrolled", "split", "rolled", "split-lanes", "rolled-lanes"],
    typer.Option(
        "--layout",
        help="One line, pieces, or loops over bodies; the last two also with limbs side by side; auto chooses.",
    ),
]
_Dtype = Annotated[Literal["float64", "float32"], typer.Option("--dtype", help="Number type of the generated code.")]
_Order = Annotated[
    int,
    typer.Option("--order", min=0, help="Highest time derivative, for *_time_derivatives; other functions ignore it."),
]
_Steppers = Annotated[
    list[str] | None,
    typer.Option(
        "--stepper",
        metavar="METHOD",
        help="Add a stepper in C: rk4, dop853, taylor (with --order), generalised-alpha or contacts. May be repeated, "
        "or with commas.",
    ),
]
_Solvers = Annotated[
    list[str] | None,
    typer.Option(
        "--solver",
        metavar="NAME",
        help="Add a solver in C: statics, inverse_kinematics, soft_inverse_kinematics, differential_ik, or mpc for "
        "optimal control. May be repeated, or with commas.",
    ),
]
_Rollout = Annotated[
    Literal["semi_implicit_euler", "implicit_euler", "implicit_midpoint", "sdirk2", "rk4", "contacts"] | None,
    typer.Option(
        "--rollout",
        metavar="METHOD",
        help="Add rollouts in C: steps one after another, and the gradient of a sum of costs of states. By "
        "semi_implicit_euler, implicit_euler, implicit_midpoint, sdirk2, rk4 or contacts.",
    ),
]
_Effort = Annotated[
    Literal["full", "newton"] | None,
    typer.Option("--effort", help="How far the stepper contacts goes: full (default), or Newton's method alone."),
]
_Name = Annotated[
    str | None,
    typer.Option(
        "--name", metavar="IDENTIFIER", help="Name of C functions, files and the module; by default the robot's."
    ),
]
_Cpu = Annotated[
    Literal["native", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "cortex-m7"] | None,
    typer.Option(
        "--cpu",
        help="Processor that --layout auto chooses for; x86-64-v3 (AVX2) by default; native asks the compiler here.",
    ),
]
_Hessian = Annotated[bool, typer.Option("--hessian", help="Second derivatives too, for target casadi.")]
DECLARED: dict[str, Any] = {
    "functions": (_Functions, None),
    "target": (_Target, "c"),
    "layout": (_Layout, "auto"),
    "dtype": (_Dtype, "float64"),
    "order": (_Order, 0),
    "steppers": (_Steppers, None),
    "solvers": (_Solvers, None),
    "rollout": (_Rollout, None),
    "effort": (_Effort, None),
    "name": (_Name, None),
    "hessian": (_Hessian, False),
    "cpu": (_Cpu, None),
}
"""Fields of ``GenerateOptions`` of which the command line says more than their names, help and choices."""

NOTHING = "none"
"""What empties a list that the file holds; no joint's value and no parameter is spelt so."""


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
    loops: Path
    folders: list[Path]
    xacro_args: dict[str, str]
    joint_stops: bool
    package_paths: list[Path]
    ignore: list[str]
    contacts: Path | str


@dataclass(frozen=True, slots=True)
class Common:
    """What every verb is told."""

    quiet: Quiet = False

    def apply(self) -> None:
        """Silence the terminal, which stays silent where the program was told so before the verb."""
        if self.quiet:
            terminal.silence(True)


@dataclass(frozen=True, slots=True)
class Loading:
    """What a verb is told of loading its robot."""

    floating_base: Floating = None
    lock: Lock = None
    runtime: Runtime = None
    joint_losses: JointLosses = None
    convention: Convention = None
    gravity: Gravity = None
    strict: Strict = None
    repair: Repair = False
    loops: LoopsFile = None
    folders: Folders = None
    xacro: Xacro = None
    joint_stops: JointStops = False
    packages: Packages = None
    ignore: Ignore = None
    contacts: ContactsFile = None
    problem: ProblemFile = None

    def options(self) -> LoadOptions:
        """The options of ``load`` that were given.

        Raises
        ------
        RequestError
            ``--lock`` without ``=``, with no number after it, or twice for one joint; ``--xacro`` without ``:=``.
        """
        found: LoadOptions = {}
        if self.floating_base is not None:
            found["floating_base"] = self.floating_base
        if self.lock:
            found["locked_joints"] = _locked_joints(self.lock)
        if self.runtime:
            found["runtime"] = [] if self.runtime == [NOTHING] else self.runtime
        if self.joint_losses is not None:
            found["joint_losses"] = self.joint_losses
        if self.convention is not None:
            found["convention"] = self.convention
        if self.gravity is not None:
            found["gravity"] = self.gravity
        if self.strict is not None:
            found["strict"] = self.strict
        if self.repair:
            found["repair"] = True
        if self.loops is not None:
            found["loops"] = self.loops
        if self.folders:
            found["folders"] = self.folders
        if self.xacro:
            found["xacro_args"] = _xacro_args(self.xacro)
        if self.joint_stops:
            found["joint_stops"] = True
        if self.packages:
            found["package_paths"] = self.packages
        if self.ignore:
            found["ignore"] = self.ignore
        if self.contacts is not None:
            found["contacts"] = str(self.contacts) if str(self.contacts) in ("ground", "file") else self.contacts
        return found

    def load(self, name: str) -> Robot:
        """The robot of a file, or a shipped example where no such file exists.

        Raises
        ------
        SymdynError
            Neither a file nor an example, or a robot that cannot be loaded.
        """
        robot = load_robot(name, self.options())
        return robot if self.problem is None else robot.with_control(self.problem)


def asked(options: GenerateOptions) -> dict[str, Any]:
    """Keywords of ``symdyn.generate`` for what a verb was told."""
    given = {item.name: getattr(options, item.name) for item in fields(options)}
    return {**given, "functions": list(options.functions or find_target(options.target).functions)}


def _locked_joints(texts: list[str]) -> dict[str, float]:
    return {} if texts == [NOTHING] else named_values("--lock", texts, "JOINT=VALUE")


def _xacro_args(texts: list[str]) -> dict[str, str]:
    from symdyn.errors import RequestError

    found: dict[str, str] = {}
    for text in [] if texts == [NOTHING] else texts:
        name, separator, value = text.partition(":=")
        if not separator or not name or name in found:
            raise RequestError(f"--xacro {text}: expected NAME:=VALUE, each name once, or --xacro none")
        found[name] = value
    return found


def load_robot(name: str, options: LoadOptions) -> Robot:
    """Load a file, or a shipped example where no such file exists.

    Raises
    ------
    SymdynError
        Neither a file nor an example, or a robot that cannot be loaded.
    """
    import symdyn
    from symdyn.robot.shipped.catalogue import PAPER_NAMES

    if not Path(name).is_file() and (name in symdyn.examples() or name in PAPER_NAMES):
        return symdyn.load_example(name, **_as_any(options))
    if not Path(name).exists() and Path(name).name == name and not Path(name).suffix:
        from symdyn.description.text.position import hint
        from symdyn.errors import RequestError

        shipped = symdyn.examples()
        listed = ", ".join(shipped)
        raise RequestError(
            f"'{name}' is neither a file nor a shipped robot; shipped are: {listed}{hint(name, shipped)}"
        )
    return symdyn.load(name, **options)


def _as_any(options: LoadOptions) -> dict[str, Any]:
    return {**options}
