"""Robots from files, from descriptions made in Python, and from the shipped ones."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from symdyn.errors import ArgumentError, DescriptionError, ModelError, RequestError
from symdyn.interface.argument_words import given_flag
from symdyn.interface.keywords import names_keywords, names_keywords_and
from symdyn.interface.options import refuse_unknown
from symdyn.interface.uncollected import uncollected
from symdyn.robot.reading import recalled, said_beside, touching, unread
from symdyn.robot.robot import Robot
from symdyn.warning import note, warn

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription


@names_keywords
def load(
    path: str | os.PathLike[str],
    floating_base: bool | None = None,
    locked_joints: Mapping[str, float | Sequence[float]] | None = None,
    runtime: Sequence[str] | None = None,
    joint_losses: bool | None = None,
    convention: str | None = None,
    gravity: Sequence[float] | None = None,
    strict: bool | None = None,
    repair: bool = False,
    loops: str | os.PathLike[str] | None = None,
    folders: Sequence[str | os.PathLike[str]] = (),
    xacro_args: Mapping[str, str] | None = None,
    joint_stops: bool = False,
    package_paths: Sequence[str | os.PathLike[str]] = (),
    ignore: Sequence[str] = (),
    contacts: str | os.PathLike[str] | None = None,
) -> Robot:
    """Read a robot file.

    symdyn's YAML may itself contain options of loading: ``load``, ``floating_base`` and ``gravity``. They hold for each
    option that is None here. An option that is given replaces that of the file.

    Parameters
    ----------
    path
        URDF, MJCF or symdyn YAML; the content says which.
    floating_base
        True frees the root link by the implicit joint ``root`` on SE(3). If the file does not say, False.
    locked_joints
        Joints to freeze, with their coordinate [rad or m] (a sequence for joints with several); ``{}`` frees all.
    runtime
        Quantities that become the input p of every function, such as ``"forearm.mass"``; ``symdyn info`` lists them.
    joint_losses
        Include the file's damping and friction in tau; by default they are left out.
    convention
        ``"pinocchio"``, the default, ``"spatial"`` (right-invariant base twist, omega first, about the world's
        origin), or ``"mujoco"`` (quaternions w x y z, linear velocities of free bodies in the world's axes).
    gravity
        In the world frame [m/s^2]; by default the file's own, or else 9.81 along -z.
    strict
        True refuses what would otherwise be a warning. False is for MJCF: it leaves out forces and motions that symdyn
        does not model, such as those of a fluid, with a warning each. By default they are refused.
    repair
        Mend what would otherwise be refused. An indefinite inertia becomes the nearest physical one: the second-moment
        matrix without its negative eigenvalues. A link without ``<inertia>`` becomes a point mass. A joint that mimics
        an unknown joint moves independently. Each repair is in ``robot.warnings`` and in ``robot.yaml``.
    loops
        A YAML file with closed loops, and frames for them, for a robot whose own file has none.
    folders
        Folders from which an MJCF file may read included files and meshes, besides its own folder.
    xacro_args
        Arguments by name with which xacro first expands the file; ``{}`` for none. **Xacro executes expressions of the
        file**, in a process of its own, and opens the files that it names. By default xacro is refused.
    joint_stops
        Put stops at the limits of joints that have none in the file: smooth springs with dampers, which act beyond the
        limits only. Their numbers follow from inertias and limits of effort, and are in ``robot.to_yaml()``.
    package_paths
        Folders of ROS packages, or folders that hold them. There xacro finds ``$(find package)`` without ROS, and
        viewers and contacts find meshes at ``package://package/..``. Contacts also look into the package that holds
        the file, if a folder above the file has the package's name, and into the file's own folder.
    ignore
        Names of elements and attributes of URDF and MJCF, or of unknown keys of YAML, to go on without, such as
        ``["loop_joint"]``. Each gives a warning. By default what is unknown is refused if it may change the equations.
    contacts
        A YAML file with rigid contacts, obstacles and shapes for them, for a robot whose own file has none; or
        ``"ground"``, all shapes for collisions against the plane z = 0, with friction 0.8, where eight vertices of its
        hull stand for a mesh; or ``"file"``, the pairs of
        geoms that MuJoCo would let touch in an MJCF file, with their friction. They act in functions named
        ``contact_..`` and in ``stance_forces`` alone.

    Returns
    -------
    The robot. ``robot.warnings`` lists what was read and not modelled; one warning sums it up.

    Raises
    ------
    RequestError
        The text of a file was given instead of its name; :func:`loads` takes texts. A folder that does not exist.
    DescriptionError
        The file cannot be read as a robot.
    ModelError
        An option does not fit the robot.
    """
    from symdyn.description.read import unread_robot

    _refuse_example(path)
    beside = said_beside(loops, folders, xacro_args, package_paths, ignore)
    own, runtime = unread(partial(unread_robot, path, **beside), strict, repair, runtime)
    options = (floating_base, locked_joints, runtime, joint_losses, convention, gravity, beside["package_paths"])
    if contacts is None:
        return _finish(own.read, own.said, strict, *options, joint_stops=joint_stops)
    description = touching(own.read(), contacts, floating_base, runtime, beside, strict, path)
    return _finish(lambda: description, None, strict, *options, joint_stops=joint_stops)


def _refuse_example(path: str | os.PathLike[str]) -> None:
    from symdyn.robot.shipped.catalogue import SHIPPED

    if isinstance(path, str) and path in SHIPPED and not Path(path).exists():
        raise DescriptionError(f"{path}: no such file; the shipped robot is symdyn.load_example('{path}')")


class LoadWords(TypedDict, total=False):
    """Options of :func:`load`."""

    floating_base: bool | None
    locked_joints: Mapping[str, float | Sequence[float]] | None
    runtime: Sequence[str] | None
    joint_losses: bool | None
    convention: str | None
    gravity: Sequence[float] | None
    strict: bool | None
    repair: bool
    loops: str | os.PathLike[str] | None
    folders: Sequence[str | os.PathLike[str]]
    xacro_args: Mapping[str, str] | None
    joint_stops: bool
    package_paths: Sequence[str | os.PathLike[str]]
    ignore: Sequence[str]
    contacts: str | os.PathLike[str] | None


@names_keywords_and(LoadWords.__annotations__)
def loads(text: str, format: str, **options: Unpack[LoadWords]) -> Robot:
    """Read a robot from the text of a file; ``format`` is ``"urdf"``, ``"yaml"`` or ``"mjcf"``.

    Options are as for :func:`load`. A text has no folder, so MJCF reads other files only from ``folders``.

    Raises
    ------
    RequestError
        An unknown format, or no text.
    DescriptionError, ModelError
        As for :func:`load`; messages call the text ``<text>``.
    """
    from symdyn.description.read import unread_text

    strict, repair = options.pop("strict", None), options.pop("repair", False)
    lists = (options.pop("package_paths", ()), options.pop("ignore", ()))
    beside = said_beside(
        options.pop("loops", None), options.pop("folders", ()), options.pop("xacro_args", None), *lists
    )
    read = partial(unread_text, text, format, **beside)
    own, runtime = unread(read, strict, repair, options.pop("runtime", None))
    contacts, stops = options.pop("contacts", None), options.get("joint_stops", False)
    told = (options.get("joint_losses"), options.get("convention"), options.get("gravity"), beside["package_paths"])
    free = (options.get("floating_base"), options.get("locked_joints"))
    if contacts is None:
        return _finish(own.read, own.said, strict, *free, runtime, *told, joint_stops=stops)
    description = touching(own.read(), contacts, options.get("floating_base"), runtime, beside, strict)
    return _finish(lambda: description, None, strict, *free, runtime, *told, joint_stops=stops)


def as_robot(robot: Robot | str | os.PathLike[str]) -> Robot:
    """A robot, or that of a file with its own options.

    Raises
    ------
    RequestError
        Neither a robot nor the name of a file.
    """
    if isinstance(robot, Robot):
        return robot
    if isinstance(robot, str | os.PathLike):
        return load(robot)
    raise ArgumentError(f"expected a robot of symdyn.load, or the name of its file, got {type(robot).__name__}")


@names_keywords
def from_description(
    description: RobotDescription,
    floating_base: bool | None = None,
    locked_joints: Mapping[str, float | Sequence[float]] | None = None,
    runtime: Sequence[str] | None = None,
    joint_losses: bool | None = None,
    convention: str | None = None,
    gravity: Sequence[float] | None = None,
    strict: bool = False,
    repair: bool = False,
    joint_stops: bool = False,
) -> Robot:
    """A robot from a description made in Python; options as for :func:`load`."""
    from symdyn.description.checks.check import check
    from symdyn.description.robot import RobotDescription

    if not isinstance(description, RobotDescription):
        raise ArgumentError(f"expected a RobotDescription, got {type(description).__name__}")
    strict, repair = given_flag("strict", strict, refusal=ModelError), given_flag("repair", repair, refusal=ModelError)
    description = check(description, repair=repair)
    if strict and description.warnings:
        raise DescriptionError(f"{description.name}: {description.warnings[0]} (strict)")
    options = (floating_base, locked_joints, runtime, joint_losses, convention, gravity, ())
    return _finish(lambda: description, None, strict, *options, joint_stops=joint_stops)


def _finish(
    describe: Callable[[], RobotDescription],
    said: Sequence[bytes] | None,
    strict: bool | None,
    *options: Any,
    joint_stops: bool,
) -> Robot:
    from symdyn.interface.distribution import foreign_namesake

    if (namesake := foreign_namesake()) is not None:
        warn(namesake)
    make = partial(_made, describe, joint_stops)
    with uncollected():  # and not as a decorator, whose frame would be the line that warnings name
        if said is None:
            robot = make(*options)
        else:
            from symdyn.robot.deferred import recalled_robot

            robot = recalled_robot([*said, repr(joint_stops).encode()], options, make)
    if strict and robot.warnings:
        raise DescriptionError(f"{robot._label}: {robot.warnings[0]} (strict)")
    if robot.warnings:
        warn(f"{robot._label}: {robot.warning_summary}")
    if robot.contact_note:
        note(f"{robot._label}: {robot.contact_note}")
    return robot


def _made(describe: Callable[[], RobotDescription], joint_stops: bool, *options: Any) -> Robot:
    description = describe()
    robot = robot_of(description, *options)
    if not given_flag("joint_stops", joint_stops, refusal=ModelError):
        return robot
    from symdyn.robot.joint_stops import with_joint_stops

    return robot_of(with_joint_stops(description, robot.model), *options)


def robot_of(
    description: RobotDescription,
    floating_base: bool | None = None,
    locked_joints: Mapping[str, float | Sequence[float]] | None = None,
    runtime: Sequence[str] | None = None,
    joint_losses: bool | None = None,
    convention: str | None = None,
    gravity: Sequence[float] | None = None,
    mesh_folders: Sequence[Path] = (),
) -> Robot:
    """The robot of a checked description, without a warning; options as for :func:`load`.

    Raises
    ------
    ModelError
        An option does not fit the robot; the message starts with its file.
    """
    from symdyn.model.load_options import checked_options
    from symdyn.robot.built_model import built_model

    own = description.load
    try:
        options = checked_options(
            floating_base,
            _own_locks(description, convention) if locked_joints is None else locked_joints,
            own.runtime if runtime is None else runtime,
            own.joint_losses if joint_losses is None else joint_losses,
            own.convention if convention is None else convention,
            gravity,
        )
    except ModelError as failure:
        raise ModelError(f"{description.source or description.name}: {failure}") from None
    build = partial(built_model, description, options)
    # Importing SymPy and integrating shapes takes longer than all the rest of the first load of a process.
    slow = any(link.deforms for link in description.links) and "sympy" not in sys.modules
    settled, model = recalled([b"model", repr((description, options)).encode()], build) if slow else build()
    return Robot(settled, options, model, mesh_folders)


def _own_locks(description: RobotDescription, convention: str | None) -> Mapping[str, float | Sequence[float]]:
    """What a file locks, with coordinates in the convention asked for."""
    own = description.load
    locked = dict(own.locked_joints)
    if not locked or convention is None or convention == own.convention:
        return locked
    from symdyn.model.lock import in_convention

    return in_convention(description.joints, locked, own.convention, convention)


@names_keywords
def examples() -> dict[str, str]:
    """Names of the shipped robots, with one line on each."""
    from symdyn.robot.shipped.catalogue import SHIPPED

    return dict(SHIPPED)


_OF_FILES = ("folders", "xacro_args", "package_paths", "ignore", "contacts")
"""Options of :func:`load` that mean something only where a file is read."""
_SIZES = ("bodies_per_branch", "branches")
"""Options of the robot that is made as large as one likes."""


@names_keywords_and((*LoadWords.__annotations__, *_SIZES))
def load_example(name: str, **options: Any) -> Robot:
    """A shipped robot by its name or that of its paper, such as variable_radius_arm; options as for :func:`load`.

    ``aerial_tree`` also takes ``bodies_per_branch`` and ``branches``.

    Raises
    ------
    RequestError
        An unknown name.
    """
    from symdyn.description.read import read_loops
    from symdyn.description.text.position import hint
    from symdyn.robot.shipped.catalogue import PAPER_NAMES, SHIPPED, example_path, tree_description

    if not isinstance(name, str):
        raise ArgumentError(f"expected the name of a shipped robot, got {name!r}")
    name = PAPER_NAMES.get(name, name)
    if name not in SHIPPED:
        raise RequestError(f"example '{name}' is not shipped; there are {', '.join(SHIPPED)}{hint(name, SHIPPED)}")
    sizes = _SIZES if name == "aerial_tree" else ()
    refuse_unknown(options, (*LoadWords.__annotations__, *sizes))
    if name == "aerial_tree":
        size = {key: options.pop(key) for key in sizes if key in options}
        for word in _OF_FILES:
            if options.pop(word, None):
                raise RequestError(f"{word} is for files, and {name} is made without one; leave it out")
        loops, tree = options.pop("loops", None), tree_description(**size)
        return from_description(tree if loops is None else read_loops(tree, loops), **options)
    with example_path(name) as path:
        return load(path, **options)
