"""Plans of lengths, volumes and the actuation matrix, and of functions that are given inputs in place of forces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.steps import StrandVariant, slope_name
from symdyn.model.model import Model
from symdyn.plan.compose import clearing
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep, Visit, lane_spacing

_TABLE = "tendon_table"


def tendon_lengths_plan(model: Model) -> Plan:
    """The plan of q -> l, (nt,), the lengths [m] of the tendons."""
    tendons = model.actuation.tendons
    visits = tuple(
        _strand(model, tendon, number, {"length": Access("l", tendon, 1)})
        for tendon in range(len(tendons))
        for number in range(len(tendons[tendon].strands))
    )
    sweeps = [Sweep(steps.LENGTH, visits, vector=True)]
    return _plan(model, "tendon_lengths", sweeps, Field("l", FieldKind.OUTPUT, len(tendons)))


def chamber_volumes_plan(model: Model) -> Plan:
    """The plan of q -> V, (nc,), the volumes [m^3] of the chambers."""
    chambers = model.actuation.chambers
    visits = []
    for place, chamber in enumerate(chambers):
        bindings: dict[str, Binding] = {"q": _rows(model, chamber.rod, "q"), "volume": Access("V", place, 1)}
        visits.append(_chamber(model, place, bindings, rest=chamber.table.rest))
    sweeps = [Sweep(steps.VOLUME, tuple(visits))]
    return _plan(model, "chamber_volumes", sweeps, Field("V", FieldKind.OUTPUT, len(chambers)))


def actuation_matrix_plan(model: Model) -> Plan:
    """The plan of q -> B, (nv, na): tau = B u."""
    count = len(model.actuator_inputs)

    def column(number: int, first: int, rows: int) -> Access:
        return Access("B", first * count + number, rows, count)

    made = list(_forces(model, column, given=False))
    return _plan(model, "actuation_matrix", made, Field("B", FieldKind.OUTPUT, model.nv * count))


def driven_plan(model: Model, plan: Plan, given: str, prescribed: Collection[int] = ()) -> Plan:
    """A plan that takes inputs ``u`` (na,), and accelerations ``a`` (nv,) where some are prescribed, for ``given``.

    Parameters
    ----------
    model
        The robot.
    plan
        What takes the field ``given`` (nv,) of forces, and of accelerations in prescribed rows.
    given
        Its name, neither ``u`` nor ``a`` where rows are prescribed.
    prescribed
        Rows of v whose acceleration is given.
    """
    force = "driven_force" if prescribed else given

    def rows_of(number: int, first: int, rows: int) -> Access:
        return Access(force, first, rows)

    sweeps = [clearing([Access(force, 0, model.nv)]), *_forces(model, rows_of, given=True)]
    own = [Field("u", FieldKind.INPUT, len(model.actuator_inputs)), *_tables(model, sweeps)]
    if prescribed:
        own += [Field("a", FieldKind.INPUT, model.nv), Field(force, FieldKind.STATE, model.nv)]
        visits = []
        for row in range(model.nv):
            source = "a" if row in prescribed else "force"
            read = Access("a" if row in prescribed else force, row, 1)
            bindings: dict[str, Binding] = {source: read, "given": Access(given, row, 1)}
            visits.append(Visit(-1, row in prescribed, {}, bindings))
        sweeps.append(Sweep(steps.MERGE, tuple(visits), vector=True))
    kept = [replace(field, kind=FieldKind.STATE) if field.name == given else field for field in plan.fields]
    q = [] if any(field.name == "q" for field in kept) else [Field("q", FieldKind.INPUT, model.nq)]
    return replace(plan, fields=(*q, *kept, *own), sweeps=(*sweeps, *plan.sweeps))


def _forces(model: Model, rows_of: Callable[[int, int, int], Access], given: bool) -> Iterator[Sweep]:
    """Sweeps that add forces of inputs, or of one unit of each, to ``rows_of(input, first row, rows)``."""
    visits: dict[str, list[Visit]] = {"joint": [], "tendon": [], "chamber": []}
    for number, own in enumerate(model.actuator_inputs):
        read: dict[str, Binding] = {"u": Access("u", number, 1)} if given else {}
        if own.of == "joint":
            bindings = {**read, "force": rows_of(number, own.place, 1)}
            visits["joint"].append(Visit(-1, "given" if given else "unit", {}, bindings))
        elif own.of == "chamber":
            rows = _rows(model, model.actuation.chambers[own.place].rod, "v")
            bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
            visits["chamber"].append(_chamber(model, own.place, bindings))
        else:
            for strand, (rod, _) in enumerate(model.actuation.tendons[own.place].strands):
                rows = _rows(model, rod, "v")
                bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
                visits["tendon"].append(_strand(model, own.place, strand, bindings))
    for kind, made in (("joint", steps.JOINT), ("chamber", steps.CHAMBER), ("tendon", steps.STRAND)):
        if visits[kind]:
            yield Sweep(made, tuple(visits[kind]), vector=kind != "chamber")


def _strand(model: Model, tendon: int, number: int, bindings: dict[str, Binding]) -> Visit:
    """A visit to all points of a tendon along a rod."""
    rod, table = model.actuation.tendons[tendon].strands[number]
    variant = StrandVariant(model.rods[rod].count, table.entries, table.rests)
    points = len(table.points)
    read: dict[str, Binding] = {
        "table": Access(f"{_TABLE}{tendon}_{number}", 0, variant.width, lane_spacing(points), 1),
        "q": _rows(model, rod, "q"),
    }
    return Visit(model.rods[rod].strains, variant, {}, read | bindings, points)


def _chamber(model: Model, place: int, bindings: dict[str, Binding], **constants: float) -> Visit:
    chamber = model.actuation.chambers[place]
    slopes = {slope_name(number): slope for number, slope in enumerate(chamber.table.slopes)}
    rod = model.rods[chamber.rod]
    return Visit(rod.strains, rod.count, slopes | constants, bindings)


def _rows(model: Model, rod: int, field: str) -> Access:
    own = model.rods[rod]
    joint = model.bodies[own.strains].joint
    return Access(field, joint.q_index if field == "q" else joint.v_index, own.count)


def _tables(model: Model, sweeps: list[Sweep]) -> list[Field]:
    """Tables of the tendons that sweeps visit."""
    asked = {
        place.field
        for sweep in sweeps
        for visit in sweep.visits
        for place in visit.bindings.values()
        if isinstance(place, Access)
    }
    found = []
    for tendon, own in enumerate(model.actuation.tendons):
        for number, (_, table) in enumerate(own.strands):
            name, points = f"{_TABLE}{tendon}_{number}", table.points
            lanes = lane_spacing(len(points))
            columns = zip(*(points[min(lane, len(points) - 1)] for lane in range(lanes)), strict=True)
            values = tuple(value for column in columns for value in column)
            if name in asked:
                found.append(Field(name, FieldKind.TABLE, len(values) // lanes, values=values, lanes=lanes))
    return found


def _plan(model: Model, name: str, sweeps: list[Sweep], output: Field) -> Plan:
    fields = [Field("q", FieldKind.INPUT, model.nq), *_tables(model, sweeps), output]
    if model.slots.names:
        fields.append(Field("p", FieldKind.INPUT, len(model.slots.names)))
    return Plan(name, tuple(fields), tuple(sweeps), tuple(body.name for body in model.bodies), model.parent)
