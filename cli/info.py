"""``symdyn info``: what symdyn has understood of a robot, in the order in which its arrays are laid out."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Annotated

import typer

from . import actuators, beams, contacts, drives, loops, options, rods, terminal, tree

if TYPE_CHECKING:
    from symdyn.model.model import Model
    from symdyn.robot.robot import Robot


def run(
    *,
    robot: options.RobotName,
    counts: Annotated[bool, typer.Option("--counts/--no-counts", help="Count inverse dynamics' operations.")] = True,
    base_parameters: Annotated[
        bool, typer.Option("--base-parameters", help="List which inertial parameters the joint forces can identify.")
    ] = False,
    latex: Annotated[
        list[str] | None,
        typer.Option("--latex", metavar="NAME", help="Print a function as LaTeX (small robots). May be repeated."),
    ] = None,
    load: options.Loading,
) -> None:
    """Show what was read. The tree, order and units of all arrays, limits, masses, operation counts."""
    loaded = load.load(robot)
    if latex:
        _show_latex(loaded, latex)
        return
    _show_summary(loaded)
    tree.show(loaded.description, loaded.model)
    _show_frames(loaded)
    beams.show(loaded.description)
    rods.show(loaded)
    _show_coordinates(loaded)
    _show_velocities(loaded)
    drives.show(loaded.model)
    actuators.show(loaded)
    loops.show(loaded)
    contacts.show(loaded)
    _show_couplings(loaded.model)
    _show_parameters(loaded.model)
    if counts:
        _show_counts(loaded)
    if base_parameters:
        _show_base_parameters(loaded)
    if loaded.warnings:
        terminal.title("read but not modelled, or doubtful")
        for warning in loaded.warnings:
            terminal.note(f"- {warning}", "  ")


def _show_summary(robot: Robot) -> None:
    model = robot.model
    free = robot.load_options()["floating_base"]
    terminal.table(
        ("robot", robot.name),
        (
            ("root link", f"{robot.description.root}, {'free' if free else 'fixed; --floating-base frees it'}"),
            ("bodies", len(robot.body_names)),
            ("coordinates nq", robot.nq),
            ("velocities nv", robot.nv),
            ("total mass", tree.total_mass(robot)),
            ("gravity", "(" + ", ".join(drives.quantity(value) for value in model.gravity) + ") m/s^2, world frame"),
            ("convention", model.convention),
            ("joint losses", "included" if model.joint_losses else "left out"),
        ),
    )


def _show_frames(robot: Robot) -> None:
    terminal.title("frames, in the order of poses and Jacobians; --frames chooses some")
    terminal.note(", ".join(robot.frame_names))


def _show_coordinates(robot: Robot) -> None:
    terminal.title("coordinates q")
    limits = robot.limits
    columns = (robot.coordinate_names, robot.coordinate_units, limits.lower, limits.upper)
    terminal.table(
        ("row", "name", "unit", "lower", "upper"),
        (
            (row, name, unit, _bound(lower), _bound(upper))
            for row, (name, unit, lower, upper) in enumerate(zip(*columns, strict=True))
        ),
        numbers=(0, 3, 4),
    )


def _show_velocities(robot: Robot) -> None:
    from symdyn.model.joints import FORCE_UNITS

    terminal.title("velocities v, with accelerations a and forces tau in the same order")
    limits = robot.limits
    losses = [
        ("", "") if joint.losses is None else (drives.loss(joint.losses.damping), drives.loss(joint.losses.friction))
        for joint in robot.model.independent_joints
        for _ in joint.coordinates.v
    ]
    bounds = (limits.velocity, limits.effort, limits.acceleration, limits.deceleration, limits.jerk)
    columns = (robot.velocity_names, robot.velocity_units, losses, *bounds)
    heads = ("max v", "max tau", "max a", "max -a", "max jerk")
    terminal.table(
        ("row", "name", "unit of v", "unit of tau", *heads, "damping", "friction"),
        (
            (row, name, unit, FORCE_UNITS[unit], *map(_bound, own), *lost)
            for row, (name, unit, lost, *own) in enumerate(zip(*columns, strict=True))
        ),
        numbers=(0, *range(4, 11)),
    )
    terminal.note(drives.smoothness(robot.model.independent_joints))


def _bound(value: float) -> str:
    return f"{value:.6g}" if isfinite(value) else ""


def _show_couplings(model: Model) -> None:
    from symdyn.model.contracted import contracted

    model = contracted(model)
    shared = [cluster for cluster in model.clusters if len(cluster.bodies) > 1]
    if not shared:
        return
    terminal.title("clusters (bodies that share coordinates)")
    names = [body.joint for body in model.bodies]
    for cluster in shared:
        terminal.note("- " + ", ".join(names[index].joint for index in cluster.bodies), "  ")
        for joint in (names[index] for index in cluster.bodies):
            if joint.leaders:
                numbers, gains = dict(joint.numbers), joint.kind.coordinate_map.multipliers
                terms = (f"{numbers[gain]:g} * {leader}" for gain, leader in zip(gains, joint.leaders, strict=True))
                terminal.line(f"  {joint.joint} = {' + '.join(terms)} + {numbers['offset']:g}")
                if joint.losses is not None:
                    lost = (drives.quantity(number) for number in (joint.losses.damping, joint.losses.friction))
                    terminal.line("  its own damping and friction: {}, {}".format(*lost))


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
    from symdyn.compiler.tape.tape import operation_total

    from .counts import by_kind

    with terminal.working("counting operations"):
        (program,) = symdyn.api.programs(robot, ["inverse_dynamics"])
    counted = program.counts()
    terminal.title(f"inverse_dynamics, {program.layout}: {terminal.counted(operation_total(counted), 'operation')}")
    terminal.note(by_kind(counted))


def _show_latex(robot: Robot, functions: list[str]) -> None:
    """Equations alone, so that they can go into a file; the numbering of rows is told in comments."""
    from symdyn.generation.closed_forms import latex_equations

    with terminal.working("finding closed forms"):
        equations = latex_equations(robot, functions)
    for row, (name, unit) in enumerate(zip(robot.model.coordinate_names, robot.model.coordinate_units, strict=True), 1):
        terminal.line(f"% q_{row}: {name} [{unit}]")
    for equation in equations:
        terminal.line(r"\begin{equation*}")
        terminal.line(equation)
        terminal.line(r"\end{equation*}")


def _show_base_parameters(robot: Robot) -> None:
    import symdyn.api
    from symdyn.functions.regressor import standard_parameter_names
    from symdyn.functions.regressor_sizes import regressor_sizes
    from symdyn.model.base_parameters import base_parameters

    names = standard_parameter_names(robot.model)
    recursion = symdyn.api.float_recursion(robot, "inverse_dynamics_regressor")
    with terminal.working("finding base parameters"):
        found = base_parameters(
            robot.model, names, lambda inputs: recursion(inputs)["Y"], sizes=regressor_sizes(robot.model)
        )
    terminal.title(f"base parameters: {len(found.base)} combinations of {len(names)} inertial parameters decide tau")
    terminal.line("m, h = m c and I of a body are about its frame's origin and in its axes")
    terminal.table(
        ("number", "what can be identified"),
        ((number, str(item)) for number, item in enumerate(found.base, 1)),
        numbers=(0,),
    )
    terminal.note(f"by themselves ({len(found.alone)}): {', '.join(found.alone) or 'none'}")
    terminal.note(f"not at all ({len(found.unidentifiable)}): {', '.join(found.unidentifiable) or 'none'}")
