"""``symdyn info``: what symdyn has understood of a robot, in the order in which its arrays are laid out."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, terminal

if TYPE_CHECKING:
    from symdyn.description.robot import Number, RobotDescription
    from symdyn.model.model import Body, Model, ModelJoint
    from symdyn.robot import Robot


def run(
    robot: options.RobotName,
    counts: Annotated[bool, typer.Option("--counts/--no-counts", help="Count inverse dynamics' operations.")] = True,
    floating_base: options.Floating = None,
    lock: options.Lock = None,
    runtime: options.Runtime = None,
    joint_losses: options.JointLosses = False,
    convention: options.Convention = None,
    gravity: options.Gravity = None,
    strict: options.Strict = False,
) -> None:
    """Show what was read. The tree, order and units of all arrays, limits, masses, operation counts."""
    load = options.load_options(floating_base, lock, runtime, joint_losses, convention, gravity, strict)
    loaded = options.load_robot(robot, load)
    _show_summary(loaded)
    _show_tree(loaded.description, loaded.model)
    _show_coordinates(loaded)
    _show_velocities(loaded)
    _show_couplings(loaded.model)
    _show_parameters(loaded.model)
    if counts:
        _show_counts(loaded)
    if loaded.warnings:
        terminal.title("read but not modelled, or doubtful")
        for warning in loaded.warnings:
            terminal.line(f"- {warning}")


def _show_summary(robot: Robot) -> None:
    model = robot.model
    terminal.table(
        ("robot", robot.name),
        (
            ("bodies", len(robot.body_names)),
            ("coordinates nq", robot.nq),
            ("velocities nv", robot.nv),
            ("total mass", _total_mass(robot.description)),
            ("gravity", "(" + ", ".join(_quantity(value) for value in model.gravity) + ") m/s^2, world frame"),
            ("convention", model.convention),
            ("joint losses", "included" if model.joint_losses else "left out"),
        ),
    )


def _total_mass(description: RobotDescription) -> str:
    masses = [link.inertial.mass for link in description.links if link.inertial is not None]
    known = sum(mass for mass in masses if isinstance(mass, float | int))
    open_masses = [mass for mass in masses if not isinstance(mass, float | int)]
    return f"{known:.6g} kg" + "".join(f" + {mass.text}" for mass in open_masses)


def _quantity(number: Number) -> str:
    return f"{number:.6g}" if isinstance(number, float | int) else number.text


def _show_tree(description: RobotDescription, model: Model) -> None:
    terminal.title("tree (a branch is indented, a chain is not)")
    ground = "" if model.bodies and model.bodies[0].name == description.root else f"{description.root} (fixed)"
    if ground:
        terminal.line(ground)
    for depth, body in _depths(model):
        joint = body.joint
        couple = "" if joint.mimic is None else f" = {joint.multiplier:g} {joint.mimic} + {joint.offset:g}"
        mass = " + ".join(_quantity(placed.inertial.mass) for placed in body.inertials) or "0"
        terminal.line(f"{'  ' * depth}{body.name}: {mass} kg, by {joint.joint} ({joint.kind.value}{couple})")


def _depths(model: Model) -> Iterator[tuple[int, Body]]:
    parents = model.parent
    children = [parents.count(index) for index in range(len(parents))]
    depth: list[int] = []
    for body, parent in zip(model.bodies, parents, strict=True):
        branches = children[parent] > 1 if parent >= 0 else True
        depth.append((depth[parent] if parent >= 0 else 0) + int(branches))
        yield depth[-1], body


def _show_coordinates(robot: Robot) -> None:
    terminal.title("coordinates q")
    limits = {
        row: joint.limits
        for joint in robot.model.independent_joints
        for row in range(joint.q_index, joint.q_index + len(joint.coordinates.q))
    }
    rows = []
    for row, (name, unit) in enumerate(zip(robot.coordinate_names, robot.coordinate_units, strict=True)):
        limit = limits[row]
        rows.append((row, name, unit, _bound(limit and limit.lower), _bound(limit and limit.upper)))
    terminal.table(("row", "name", "unit", "lower", "upper"), rows, numbers=(0, 3, 4))


def _show_velocities(robot: Robot) -> None:
    terminal.title("velocities v (accelerations and forces in the same order)")
    owner = {
        row: joint
        for joint in robot.model.independent_joints
        for row in range(joint.v_index, joint.v_index + len(joint.coordinates.v))
    }
    rows = []
    for row, (name, unit) in enumerate(zip(robot.velocity_names, robot.velocity_units, strict=True)):
        limit = owner[row].limits
        rows.append((row, name, unit, _bound(limit and limit.velocity), *_losses(owner[row])))
    terminal.table(("row", "name", "unit", "limit", "damping", "friction"), rows, numbers=(0, 3, 4, 5))


def _losses(joint: ModelJoint) -> tuple[str, str]:
    if joint.losses is None:
        return ("", "")
    return (_quantity(joint.losses.damping), _quantity(joint.losses.friction))


def _bound(value: float | None) -> str:
    return "" if value is None or not isfinite(value) else f"{value:.6g}"


def _show_couplings(model: Model) -> None:
    shared = [cluster for cluster in model.clusters if len(cluster.bodies) > 1]
    if not shared:
        return
    terminal.title("clusters (bodies that share coordinates)")
    names = [body.joint for body in model.bodies]
    for cluster in shared:
        terminal.line("- " + ", ".join(names[index].joint for index in cluster.bodies))
        for joint in (names[index] for index in cluster.bodies):
            if joint.mimic is not None:
                terminal.line(f"  {joint.joint} = {joint.multiplier:g} * {joint.mimic} + {joint.offset:g}")


def _show_parameters(model: Model) -> None:
    slots = model.slots
    if not slots.names:
        return
    terminal.title("run-time parameters p")
    rows = (
        (row, name, unit, "none" if default is None else f"{default:.6g}")
        for row, (name, unit, default) in enumerate(zip(slots.names, slots.units, slots.defaults, strict=True))
    )
    terminal.table(("row", "name", "unit", "default"), rows, numbers=(0, 3))


def _show_counts(robot: Robot) -> None:
    import symdyn.api
    from symdyn.tape.tape import operation_total

    from .counts import by_kind

    with terminal.working("counting operations"):
        (program,) = symdyn.api.programs(robot, ["inverse_dynamics"])
    counted = program.counts()
    terminal.title(f"inverse_dynamics: {operation_total(counted)} operations, {program.layout}")
    terminal.line(by_kind(counted))
