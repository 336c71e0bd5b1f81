"""What steppers, solvers and targets take beside the functions that are asked for, and what files tell of the robot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symdyn.errors import RequestError
from symdyn.interface.contact_solving import NUMBERS
from symdyn.interface.options import GenerateOptions
from symdyn.interface.targets import find_target
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from symdyn.compiler.tape.program import Program
    from symdyn.interface.optimal_control import ControlSettings
    from symdyn.interface.solving import Solving
    from symdyn.interface.state_space import StateSpace
    from symdyn.interface.stepping import ContactSets, Stepping


def stepping_of(robot: Robot, options: GenerateOptions) -> Stepping | None:
    """What the steppers that are asked for are made of; None where there are none."""
    from symdyn.dynamics.loops.vanishing import crowded_rows
    from symdyn.interface.stepping import Stepping
    from symdyn.model.coordinates import coordinate_rows

    if not options.stepping:
        return None
    added = tuple(name for name in _by_steppers(robot, options) if name not in options.functions)
    held = _prescribed(robot, options)
    rows, looped = coordinate_rows(robot.model), bool(robot.model.loops)
    crowded, contacts = bool(crowded_rows(robot.model)), _contacts(robot, options)
    return Stepping(options.stepping, rows, looped, added, held, _least(robot), robot.model.touches, crowded, contacts)


def _least(robot: Robot) -> tuple[float, ...]:
    """Squared lengths of slopes below which rows of loops vanish, 0 for rows that never do."""
    from symdyn.dynamics.loops.vanishing import least_of_rows

    least = least_of_rows(robot.model, dict.fromkeys(range(robot.nv), 1.0))
    return tuple(least.get(row, 0.0) for row in range(len(robot.model.loop_row_names)))


def _contacts(robot: Robot, options: GenerateOptions) -> ContactSets | None:
    """Sets of rigid contacts, for the stepper that takes them.

    Raises
    ------
    RequestError
        An effort of other steppers.
    """
    from symdyn.interface.stepping import CONTACTS

    if CONTACTS in options.stepping:
        return contact_sets(robot, options.dtype, options.effort or "full")
    if options.effort is not None:
        raise RequestError(f"effort is of the stepper '{CONTACTS}'; leave it out")
    return None


def contact_sets(robot: Robot, dtype: str = "float64", effort: str = "full") -> ContactSets:
    """Sets of the contact problem of a robot, and what a step allows of their residual."""
    from symdyn.description.collision import SEQUENTIAL
    from symdyn.interface.stepping import ContactSets, Impacting

    layout = robot.model.contact_layout
    limits, dry = (row.name for row in layout.limits), (row.name for row in layout.dry)
    names = (*layout.slot_names, *limits, *dry, *layout.loop_names)
    numbers, own = NUMBERS[dtype], layout.options
    tolerance = max(own.tolerance, numbers.tolerance if dtype == "float32" else 0.0)
    counts = layout.slot_count, len(layout.limits), len(layout.dry), len(layout.loop_names)
    impacting = Impacting(robot.model.contact_pairs, own.impact_velocity) if own.impacts == SEQUENTIAL else None
    return ContactSets(*counts, names, own.max_contacts, tolerance * weight(robot), effort, impacting)


def weight(robot: Robot) -> float:
    """Mass of all links times gravity [N], with run-time parameters at their defaults; 9.81 m/s^2 without gravity."""
    from symdyn.model.values import FLOATS, Values

    description, model = robot.description, robot.model
    values = Values(description.parameters, model.slots, FLOATS, model.slots.defaults)
    rigid = (values.number(link.inertial.mass, f"{link.name}.mass") for link in description.links if link.inertial)
    flexible = [link.flexible for link in description.links if link.flexible is not None]
    mass = sum(map(float, rigid)) + sum(rod.mass for rod in model.rods)
    if flexible:
        from symdyn.shapes.beam import beam_integrals  # it imports SymPy, which takes longer than all else here

        mass += sum(beam_integrals(link).mass for link in flexible)
    return (mass or 1.0) * (math.hypot(*model.gravity) or 9.81)


def _prescribed(robot: Robot, options: GenerateOptions) -> tuple[tuple[int, int], ...]:
    """Rows of q and v whose motion steppers are given.

    Raises
    ------
    RequestError
        A method that takes none, or a row of v that is no rate of a coordinate, or that follows from others by loops.
    """
    from symdyn.dynamics.loops.underactuation import refuse_determined
    from symdyn.interface.stepping import FOLLOWING
    from symdyn.model.coordinates import rate_rows

    names = options.prescribed or ()
    if not names:
        return ()
    for method in options.stepping:
        if method not in FOLLOWING:
            raise RequestError(
                f"stepper '{method}' takes no prescribed velocities; take {', '.join(FOLLOWING)}, or leave "
                "prescribed out"
            )
    places = rate_rows(robot.model)
    for name in names:
        if name not in places:
            raise RequestError(
                f"prescribed '{name}' of robot '{robot.name}': steppers take rows of v that are the rate of a "
                f"coordinate, one of {', '.join(places)}"
            )
    found = tuple(places[name] for name in names)
    refuse_determined(robot.model, [row for _, row in found])
    return found


def _by_steppers(robot: Robot, options: GenerateOptions) -> tuple[str, ...]:
    """The functions that steppers call, each once.

    Raises
    ------
    RequestError
        A stepper that follows gaps of contacts with stiffness, of a robot that has rigid contacts too.
    """
    from symdyn.interface.stepping import CONTACT_FUNCTION, CONTACTS, called

    others = [method for method in options.steppers or () if method != CONTACTS]
    if others and robot.model.touches and robot.model.contacts.slots:
        raise RequestError(
            f"stepper '{others[0]}' follows gaps of contacts with stiffness by {CONTACT_FUNCTION}, which is of the "
            f"rigid contacts that robot '{robot.name}' has too; take the stepper '{CONTACTS}', in which both act, or "
            "give all contacts a stiffness"
        )
    names = [
        name for method in options.stepping for name in called(method, bool(robot.model.loops), robot.model.touches)
    ]
    return tuple(dict.fromkeys(names))


def solving_of(robot: Robot, options: GenerateOptions) -> Solving | None:
    """What the solvers that are asked for are made of; None where there are none."""
    from symdyn.functions.request import Request
    from symdyn.interface.solving import Solving, with_called_solvers
    from symdyn.model.coordinates import coordinate_rows

    if not options.solving:
        return None
    said = {"prescribed": options.prescribed} if options.prescribed else {}
    rows, looped = coordinate_rows(robot.model), bool(robot.model.loops)
    added = tuple(name for name in _by_solvers(robot, options) if name not in options.functions)
    prescribed = Request.of(robot.model, said).prescribed
    control = _control_of(robot, options)
    return Solving(
        with_called_solvers(options.solving), rows, prescribed, looped, added, control, options.rollout or ""
    )


def _by_solvers(robot: Robot, options: GenerateOptions) -> tuple[str, ...]:
    """The functions that solvers call."""
    from symdyn.interface.rollouts import called_by_rollouts
    from symdyn.interface.solving import called_by_solvers, with_called_solvers

    solvers = with_called_solvers(options.solvers or ())
    called = called_by_solvers(solvers, bool(robot.model.loops), _control_of(robot, options))
    return (*called, *(called_by_rollouts(options.rollout) if options.rollout else ()))


def _control_of(robot: Robot, options: GenerateOptions) -> ControlSettings | None:
    """The robot's problem, where its solver is asked for."""
    from symdyn.interface.optimal_control import MPC

    if MPC not in (options.solvers or ()):
        return None
    from symdyn.dynamics.control.settings import control_settings

    return control_settings(robot.model)


def with_called(robot: Robot, options: GenerateOptions) -> GenerateOptions:
    """The options with what steppers and solvers call, and what the target takes, beside what is asked for.

    Raises
    ------
    RequestError
        Steppers or solvers, and loops that are switched at run time; a taylor stepper of order 0; a search for a rest
        of a robot that statics does not take; inverse kinematics without tasks.
    """
    from symdyn.functions.catalogue import CATALOGUE
    from symdyn.interface.optimal_control import MPC
    from symdyn.interface.solving import INVERSE_KINEMATICS, SOFT_INVERSE_KINEMATICS, STATICS
    from symdyn.interface.stepping import CONTACT_FUNCTION, TAYLOR
    from symdyn.robot.standing import check_rests

    for kind in ("steppers", "solvers", "rollout"):
        if getattr(options, kind) and options.switched:
            raise RequestError(f"{kind} hold all closed loops; leave switched out, or {kind}")
    if TAYLOR in options.stepping and options.order < 1:
        raise RequestError(
            "a taylor stepper needs the derivatives of accelerations: give an order of at least 1 "
            "(8 suits tolerances of 1e-6, 13 of 1e-10)"
        )
    soft = SOFT_INVERSE_KINEMATICS in (options.solvers or ())
    if soft or STATICS in (options.solvers or ()):
        check_rests(robot.model)
    if soft:
        options = _driven(robot, options)
    if (soft or INVERSE_KINEMATICS in (options.solvers or ())) and not options.tasks:
        raise RequestError(
            f"the solver '{SOFT_INVERSE_KINEMATICS if soft else INVERSE_KINEMATICS}' needs tasks=[...], frames whose "
            "pose has a target, such as 'tool', or 'tool:position', 'tool:axis'; robot "
            f"'{robot.name}' has frames {', '.join(robot.frame_names)}"
        )
    if MPC in (options.solvers or ()) and robot.model.control is not None:
        options = replace(options, inputs=robot.model.control.inputs)
    if options.rollout is not None:
        options = _rolled(robot, options)
    called = (*_by_steppers(robot, options), *_by_solvers(robot, options))
    if MPC in (options.solvers or ()) and robot.model.control is not None:
        stepped = any("step" in CATALOGUE[name].takes for name in (*options.functions, *called) if name in CATALOGUE)
        options = replace(options, step=robot.model.control.horizon.method if stepped else None)
    target = find_target(options.target)
    events = (CONTACT_FUNCTION,) if target.tells_events and robot.model.touches else ()
    return replace(
        options, functions=tuple(dict.fromkeys((*options.functions, *called, *target.beside(options), *events)))
    )


def _driven(robot: Robot, options: GenerateOptions) -> GenerateOptions:
    """The options of a search for inputs of actuators.

    Raises
    ------
    RequestError
        A robot without actuators, or prescribed rows.
    """
    from symdyn.interface.solving import SOFT_INVERSE_KINEMATICS

    if not robot.model.actuator_inputs:
        raise RequestError(
            f"the solver '{SOFT_INVERSE_KINEMATICS}' needs actuators, and robot '{robot.name}' has none; list some in "
            "its file, or take inverse_kinematics"
        )
    if options.prescribed:
        raise RequestError(f"the solver '{SOFT_INVERSE_KINEMATICS}' moves all rows of v; leave prescribed out")
    return replace(options, inputs="actuators")


def _rolled(robot: Robot, options: GenerateOptions) -> GenerateOptions:
    """The options with those of the steps of rollouts.

    Raises
    ------
    RequestError
        Other steps are asked for beside.
    """
    from symdyn.interface.optimal_control import MPC
    from symdyn.interface.rollouts import BY_LENGTH
    from symdyn.interface.stepping import CONTACTS
    from symdyn.robot.state_checks import check_not_filled

    if options.rollout == CONTACTS:
        check_not_filled(robot.model, "rollouts")
        return options
    control = robot.model.control
    others = {options.step, control.horizon.method if MPC in options.solving and control is not None else None}
    if not others <= {None, options.rollout}:
        raise RequestError(f"rollouts of '{options.rollout}' take no other steps beside; leave step= or mpc out")
    gradient = options.gradient
    if robot.model.slots.names and gradient != BY_LENGTH:
        gradient = "parameters"
    return replace(options, step=options.rollout, gradient=gradient)


def state_space(robot: Robot) -> StateSpace:
    """The robot's state, at its neutral position or, with loops, the closed one near it."""
    from symdyn.description.loops import MET
    from symdyn.interface.state_space import StateSpace
    from symdyn.model.coordinates import coordinate_rows

    start = robot.close(robot.neutral(), tolerance=MET) if robot.model.loops else robot.neutral()
    slots = robot.model.slots
    return StateSpace(
        robot.coordinate_names,
        robot.velocity_names,
        coordinate_rows(robot.model),
        tuple(map(float, start)),
        slots.names,
        slots.defaults,
    )


def frames_shown(robot: Robot, programs: Sequence[Program]) -> tuple[str, ...]:
    """The frames of which functions have rows: those that were chosen, or all; none where no function shows frames."""
    from symdyn.functions.catalogue import CATALOGUE
    from symdyn.interface.signature import option_names

    signatures = [program.signature for program in programs]
    shown = [own for own in signatures if own.function in CATALOGUE and "frames" in CATALOGUE[own.function].takes]
    return next((option_names(own.options, "frames") or robot.frame_names for own in shown), ())
