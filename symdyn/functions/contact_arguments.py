"""Arguments of functions of rigid contacts: rows of contacts, ranges of joints, dry friction and loops, with units."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.dynamics.contacts.problem import impacts_of
from symdyn.dynamics.contacts.step_ends import END_FIELDS, block_rows
from symdyn.functions import arguments
from symdyn.functions.units import move, per, quotient
from symdyn.interface.contact_solving import TOUCHED_BODIES, TOUCHING, TOUCHING_COLUMNS
from symdyn.interface.signature import Argument
from symdyn.model.model import Model


def joint_units(model: Model) -> list[str]:
    """Units of the velocities of rows of joints."""
    layout = model.contact_layout
    rows = [*(row.velocity for row in layout.limits), *(row.velocity for row in layout.dry)]
    return [model.velocity_units[row] for row in rows]


def row_units(model: Model) -> tuple[str, ...]:
    """Units of the velocities of rows."""
    layout = model.contact_layout
    joints = joint_units(model)
    return (*("m/s",) * layout.first_limit, *joints, *(f"{unit}/s" for unit in model.loop_row_units))


def slopes(model: Model, name: str, description: str) -> Argument:
    """A matrix of rates of rows per velocity."""
    names = (model.contact_layout.row_names, model.velocity_names)
    units = tuple(quotient(row, column) for row in row_units(model) for column in model.velocity_units)
    return Argument(name, (len(names[0]), model.nv), names, units, description)


def jacobian(model: Model) -> Argument:
    """J."""
    return slopes(model, "J", "velocities of the rows of contacts, ranges, dry friction and loops per velocity")


def free_velocities(model: Model) -> Argument:
    """v_free."""
    return Argument(
        "v_free", (model.nv,), (model.velocity_names,), model.velocity_units, "velocities after a step without contact"
    )


def impulse_units(model: Model) -> tuple[str, ...]:
    """Units of impulses in rows."""
    layout = model.contact_layout
    joints = joint_units(model)
    turning = [unit == "rad/s" for unit in joints] + [unit != "m" for unit in model.loop_row_units]
    return (*("N s",) * layout.first_limit, *("N m s" if turns else "N s" for turns in turning))


def delassus(model: Model) -> Argument:
    """G."""
    names, impulses = model.contact_layout.row_names, impulse_units(model)
    units = tuple(quotient(row, column) for row in row_units(model) for column in impulses)
    return Argument("delassus", (len(names),) * 2, (names, names), units, "velocity of each row per impulse of another")


def per_row(model: Model, name: str, units: tuple[str, ...], description: str) -> Argument:
    """An argument with a number per row."""
    names = model.contact_layout.row_names
    return Argument(name, (len(names),), (names,), units, description)


def free_rows(model: Model) -> Argument:
    """c_free."""
    return per_row(model, "c_free", row_units(model), "velocities of the rows without impulses, with what is asked")


def response(model: Model) -> Argument:
    """J Mh^-1."""
    layout = model.contact_layout
    names = (layout.row_names, model.velocity_names)
    units = tuple(quotient(column, row) for row in impulse_units(model) for column in model.velocity_units)
    return Argument(
        "response", (len(names[0]), model.nv), names, units, "what an impulse in a row adds to each velocity"
    )


def whitened(model: Model) -> Argument:
    """J W with Mh^-1 = W W^T."""
    names = (model.contact_layout.row_names, model.velocity_names)
    units = tuple(unit for unit in row_units(model) for _ in model.velocity_names)
    said = "rows per whitened impulse: J W with Mh^-1 = W W^T, in units of rows per root of an energy"
    return Argument("whitened", (len(names[0]), model.nv), names, units, said)


def spread(model: Model) -> Argument:
    """W^T."""
    units = tuple(unit for _ in model.velocity_names for unit in model.velocity_units)
    said = "W^T: what a whitened impulse adds to each velocity, in units of velocities per root of an energy"
    return Argument("spread", (model.nv, model.nv), (model.velocity_names,) * 2, units, said)


def solver_gap(model: Model) -> Argument:
    """Gaps of slots and of ranges."""
    layout = model.contact_layout
    names = (*layout.slot_names, *(row.name for row in layout.limits))
    joints = ("rad" if model.velocity_units[row.velocity] == "rad/s" else "m" for row in layout.limits)
    units = (*("m",) * layout.slot_count, *joints)
    return Argument("gap", (len(names),), (names,), units, "distance of each slot, then of each joint to its bound")


def bound(model: Model) -> Argument:
    """Friction and largest impulses."""
    layout = model.contact_layout
    rest = impulse_units(model)[layout.first_limit :]
    units = (*("",) * layout.first_limit, *rest)
    return per_row(model, "bound", units, "friction in rows n of contacts, largest impulse in rows of dry friction")


def compliance(model: Model) -> Argument:
    """Compliance over h^2."""
    units = tuple(quotient(row, impulse) for row, impulse in zip(row_units(model), impulse_units(model), strict=True))
    return per_row(model, "compliance", units, "velocity per impulse that contacts themselves give way by")


def before(model: Model) -> Argument:
    """Velocities of rows before the step."""
    said = "velocities of the rows of contacts and ranges before the step, against their surfaces"
    return per_row(model, "c_before", row_units(model), said)


def restitution(model: Model) -> Argument:
    """Shares that slots and ranges give back."""
    layout = model.contact_layout
    names = (*layout.slot_names, *(row.name for row in layout.limits))
    said = "share of an approach that each slot gives back, then each range"
    return Argument("restitution", (len(names),), (names,), ("",) * len(names), said)


def for_impacts(model: Model) -> tuple[arguments.Maker, ...]:
    """What impacts in turn need besides."""
    return (before, restitution) if impacts_of(model) else ()


def touching(model: Model) -> tuple[Argument, ...]:
    """The input of slots that are filled at run time, where there are some."""
    layout = model.contacts
    if not layout.runtime:
        return ()
    names = layout.slot_names[len(layout.slots) :]
    units = ("", "", "m", "m", "m", "", "", "", "m", "")
    said = (
        f"body a, body b (numbers of body_names from 0 to {len(model.body_names) - 1}; b = -1: ground, a = -1: empty), "
        "point, unit normal from b to a, in the world, gap, friction"
    )
    shape = layout.runtime, len(TOUCHING_COLUMNS)
    return (Argument(TOUCHING, shape, (names, TOUCHING_COLUMNS), units * layout.runtime, said),)


def touched_bodies(model: Model) -> dict[str, tuple[str, ...]]:
    """The option that tells which bodies the numbers in ``touching`` are."""
    return {TOUCHED_BODIES: model.body_names} if model.contacts.runtime else {}


def given_impulses(model: Model) -> Argument:
    """The input lambda."""
    return Argument(
        "lambda", (model.contact_layout.count,), (model.contact_layout.row_names,), impulse_units(model), "impulses"
    )


def reached_rows(model: Model) -> Argument:
    """C after the step."""
    return per_row(model, "c", row_units(model), "velocities of the rows after the step, with what is asked")


def slope_outputs(model: Model) -> Iterator[Argument]:
    """Derivatives of impulses in the coordinates, of the velocities of rows and, by parameters, of bounds."""
    momenta = tuple("N s" if unit == "m/s" else "N m s" for unit in model.velocity_units)
    moves = tuple(map(move, model.velocity_units))
    by = {"q": (model.velocity_names, moves), "v": (model.velocity_names, model.velocity_units)}
    if model.slots.names:
        by["p"] = (model.slots.names, model.slots.units)
    rows, bounds = model.contact_layout.row_names, bound(model).element_units
    parts = [("impulse", model.velocity_names, momenta), ("c", rows, row_units(model)), ("bound", rows, bounds)]
    for of, names, units in parts:
        for x, (columns, widths) in by.items():
            if of == "bound" and x != "p":
                continue
            made = tuple(per(row, column) for row in units for column in widths)
            text = f"derivatives of {of} by {x}, where v after the step and impulses stay"
            yield Argument(f"d{of}_d{x}", (len(names), len(columns)), (names, columns), made, text)
    parts = [("c_before", rows, row_units(model))] if impacts_of(model) else []
    if impacts_of(model) and "p" in by:
        parts += [(own.name, own.rows[0], own.element_units) for own in (restitution(model), compliance(model))]
    for of, names, units in parts:
        for x, (columns, widths) in by.items():
            if of == "c_before" or x == "p":
                made = tuple(per(row, column) for row in units for column in widths)
                text = f"derivatives of {of} by {x}"
                yield Argument(f"d{of}_d{x}", (len(names), len(columns)), (names, columns), made, text)


def length_outputs(model: Model) -> Iterator[Argument]:
    """Derivatives by the length of the step."""
    momenta = tuple("N s" if unit == "m/s" else "N m s" for unit in model.velocity_units)
    moves, rows = tuple(map(move, model.velocity_units)), model.contact_layout.row_names
    velocities, said = model.velocity_names, "by h, where v after the step and impulses stay"
    parts = (
        ("dimpulse_dh", velocities, momenta, f"derivatives of impulse {said}"),
        ("dc_dh", rows, row_units(model), f"derivatives of c {said}"),
        ("dbound_dh", rows, bound(model).element_units, f"derivatives of bound {said}"),
        ("end_by_h", velocities, moves, f"moves of q_next {said}"),
        ("turned_by_h", velocities, model.velocity_units, f"v_next in axes at the end {said}"),
    )
    for name, names, units, text in parts:
        yield Argument(name, (len(names),), (names,), tuple(per(unit, "s") for unit in units), text)


def ends(model: Model) -> Iterator[Argument]:
    """Blocks of the joints that are no scalars."""
    moves = tuple(map(move, model.velocity_units))
    for name in END_FIELDS if block_rows(model) else ():
        of, by = (model.velocity_units if name.startswith("turned") else moves), name.split("_")[-1]
        columns = moves if by == "q" else model.velocity_units
        units = tuple(per(row, column) for row in of for column in columns)
        text = f"blocks of joints with several rows: {name.split('_')[0]} state by {by}"
        yield Argument(name, (model.nv, model.nv), (model.velocity_names,) * 2, units, text)
