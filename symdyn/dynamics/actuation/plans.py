"""Plans of lengths, volumes and the actuation matrix, and of functions that are given inputs in place of forces."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.actuation_map import (
    chamber_visit,
    column_sweeps,
    driving_fields,
    driving_sweeps,
    points_visit,
    rod_rows,
    strand_visit,
    without_factors,
)
from symdyn.dynamics.actuation.bulging import BULGING_VOLUME
from symdyn.model.model import Model
from symdyn.plan.compose import clearing
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep, Visit


def tendon_lengths_plan(model: Model) -> Plan:
    """The plan of q -> l, (nt,), the lengths [m] of the tendons."""
    tendons = model.actuation.tendons
    visits = tuple(
        strand_visit(model, tendon, number, {"length": Access("l", tendon, 1)})
        for tendon in range(len(tendons))
        for number in range(len(tendons[tendon].strands))
    )
    sweeps = [Sweep(steps.LENGTH, visits, vector=True)]
    return _plan(model, "tendon_lengths", sweeps, Field("l", FieldKind.OUTPUT, len(tendons)))


def chamber_volumes_plan(model: Model) -> Plan:
    """The plan of q -> V, (nc,), the volumes [m^3] of the chambers."""
    chambers = model.actuation.chambers
    visits: dict[bool, list[Visit]] = {False: [], True: []}
    summed = []
    for place, chamber in enumerate(chambers):
        bindings: dict[str, Binding] = {"q": rod_rows(model, chamber.rod, "q"), "volume": Access("V", place, 1)}
        if chamber.table.following:
            summed.append(points_visit(model, place, {"length": Access("V", place, 1)}))
            continue
        visits[bool(chamber.table.products)].append(chamber_visit(model, place, bindings, rest=chamber.table.rest))
    kinds = ((False, steps.VOLUME), (True, BULGING_VOLUME))
    sweeps = [Sweep(made, tuple(visits[bulging])) for bulging, made in kinds if visits[bulging] or not bulging]
    sweeps += [Sweep(steps.LENGTH, tuple(summed), vector=True)] if summed else []
    return _plan(model, "chamber_volumes", sweeps, Field("V", FieldKind.OUTPUT, len(chambers)))


def actuation_matrix_plan(model: Model) -> Plan:
    """The plan of q -> B, (nv, na): tau = B u; of q, v -> B where gains depend on rates."""
    output = Field("B", FieldKind.OUTPUT, model.nv * len(model.actuator_inputs))
    plan = _plan(model, "actuation_matrix", column_sweeps(model, "B"), output)
    if not any(own.rated for own in model.actuator_inputs):
        return plan
    q, *others = plan.fields
    return replace(plan, fields=(q, Field("v", FieldKind.INPUT, model.nv), *others))


def driven_plan(
    model: Model,
    plan: Plan,
    given: str,
    prescribed: Collection[int] = (),
    orders: int = 1,
    names: tuple[str, str] = ("u", "a"),
    requested: Collection[int] | None = None,
) -> Plan:
    """A plan that takes inputs ``u`` (na,), and accelerations ``a`` (nv,) where some are prescribed, for ``given``.

    Parameters
    ----------
    model
        The robot; with several orders, one of which the actuation matrix is constant.
    plan
        What takes the field ``given`` (nv,) of forces, and of accelerations in prescribed rows.
    given
        Its name, none of ``names``.
    prescribed
        Rows of v whose acceleration is given.
    orders
        How many rows all of these have: the quantity and its derivatives by time.
    names
        Of u and a.
    requested
        Numbers of the inputs that are read; all if not said.
    """
    force, count = "driven_force" if prescribed else given, len(model.actuator_inputs)
    u, a = names
    sweeps = [clearing([Access(force, 0, orders * model.nv)])]
    for k in range(orders):
        made = driving_sweeps(model, u, force, k * count, k * model.nv, requested)
        sweeps += made if k == 0 else without_factors(model, made)
    own = [Field(u, FieldKind.INPUT, orders * count), *driving_fields(model, sweeps)]
    if prescribed:
        own += [Field(a, FieldKind.INPUT, orders * model.nv), Field(force, FieldKind.STATE, orders * model.nv)]
        visits = []
        for place in range(orders * model.nv):
            is_prescribed = place % model.nv in prescribed
            bindings: dict[str, Binding] = {
                "a" if is_prescribed else "force": Access(a if is_prescribed else force, place, 1),
                "given": Access(given, place, 1),
            }
            visits.append(Visit(-1, is_prescribed, {}, bindings))
        sweeps.append(Sweep(steps.MERGE, tuple(visits), vector=True))
    kept = [replace(field, kind=FieldKind.STATE) if field.name == given else field for field in plan.fields]
    there = {field.name for field in kept}
    q, *added = ([field] if field.name not in there else [] for field in (Field("q", FieldKind.INPUT, model.nq), *own))
    fields = (*q, *kept, *(field for found in added for field in found))
    return replace(plan, fields=fields, sweeps=(*sweeps, *plan.sweeps))


def _plan(model: Model, name: str, sweeps: list[Sweep], output: Field) -> Plan:
    fields = [Field("q", FieldKind.INPUT, model.nq), *driving_fields(model, sweeps), output]
    if model.slots.names:
        fields.append(Field("p", FieldKind.INPUT, len(model.slots.names)))
    return Plan(name, tuple(fields), tuple(sweeps), tuple(body.name for body in model.bodies), model.parent)
