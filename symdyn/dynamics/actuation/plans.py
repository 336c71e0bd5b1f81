"""Plans of lengths, volumes and the actuation matrix, and of functions that are given inputs in place of forces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.bulging import BULGING, BULGING_VOLUME, BulgingVariant, product_name
from symdyn.dynamics.actuation.steps import StrandVariant, slope_name
from symdyn.errors import InternalError, ModelError
from symdyn.model.model import Model
from symdyn.model.rod import Rod
from symdyn.plan.compose import clearing
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep, Visit, lane_spacing

_TABLE = "tendon_table"
RowsOf = Callable[[int, int, int], Access]
"""Where rows of an input's forces lie: ``(input, first row, rows)``."""


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
    for place, chamber in enumerate(chambers):
        bindings: dict[str, Binding] = {"q": rod_rows(model, chamber.rod, "q"), "volume": Access("V", place, 1)}
        visits[bool(chamber.table.products)].append(chamber_visit(model, place, bindings, rest=chamber.table.rest))
    kinds = ((False, steps.VOLUME), (True, BULGING_VOLUME))
    sweeps = [Sweep(made, tuple(visits[bulging])) for bulging, made in kinds if visits[bulging] or not bulging]
    return _plan(model, "chamber_volumes", sweeps, Field("V", FieldKind.OUTPUT, len(chambers)))


def actuation_matrix_plan(model: Model) -> Plan:
    """The plan of q -> B, (nv, na): tau = B u."""
    output = Field("B", FieldKind.OUTPUT, model.nv * len(model.actuator_inputs))
    return _plan(model, "actuation_matrix", column_sweeps(model, "B"), output)


def driven_plan(
    model: Model,
    plan: Plan,
    given: str,
    prescribed: Collection[int] = (),
    orders: int = 1,
    names: tuple[str, str] = ("u", "a"),
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
    """
    force, count = "driven_force" if prescribed else given, len(model.actuator_inputs)
    u, a = names
    sweeps = [clearing([Access(force, 0, orders * model.nv)])]
    for k in range(orders):
        sweeps += driving_sweeps(model, u, force, k * count, k * model.nv)
    own = [Field(u, FieldKind.INPUT, orders * count), *table_fields(model, sweeps)]
    if prescribed:
        own += [Field(a, FieldKind.INPUT, orders * model.nv), Field(force, FieldKind.STATE, orders * model.nv)]
        visits = []
        for place in range(orders * model.nv):
            held = place % model.nv in prescribed
            bindings: dict[str, Binding] = {
                "a" if held else "force": Access(a if held else force, place, 1),
                "given": Access(given, place, 1),
            }
            visits.append(Visit(-1, held, {}, bindings))
        sweeps.append(Sweep(steps.MERGE, tuple(visits), vector=True))
    kept = [replace(field, kind=FieldKind.STATE) if field.name == given else field for field in plan.fields]
    there = {field.name for field in kept}
    q, *added = ([field] if field.name not in there else [] for field in (Field("q", FieldKind.INPUT, model.nq), *own))
    fields = (*q, *kept, *(field for found in added for field in found))
    return replace(plan, fields=fields, sweeps=(*sweeps, *plan.sweeps))


def driving_sweeps(model: Model, u: str, force: str, number: int = 0, row: int = 0) -> list[Sweep]:
    """Sweeps that add what the inputs in the field ``u``, from ``number`` on, do to ``force``, from ``row`` on."""
    return list(_forces(model, lambda _, first, rows: Access(force, row + first, rows), u, number))


def column_sweeps(model: Model, matrix: str, without: Collection[str] = ()) -> list[Sweep]:
    """Sweeps that add the columns of B to a matrix (nv, na); ``without`` are kinds of inputs that are left out."""
    count = len(model.actuator_inputs)
    asked = [number for number, own in enumerate(model.actuator_inputs) if own.of not in without]

    def column(number: int, first: int, rows: int) -> Access:
        return Access(matrix, first * count + number, rows, count)

    return column_sweeps_to(model, column, asked)


def column_sweeps_to(model: Model, place: RowsOf, asked: Collection[int]) -> list[Sweep]:
    """Sweeps that add columns of B, those of the inputs ``asked``, to ``place(input, first row, rows)``."""
    return list(_forces(model, place, asked=asked))


def reached_rods(model: Model, number: int) -> list[int]:
    """The rods on which an input acts: none if it is a joint's, or nothing that they do changes the tendon's length."""
    own = model.actuator_inputs[number]
    match own.of:
        case "tendon":
            return [rod for rod, table in model.actuation.tendons[own.place].strands if table.entries]
        case "chamber":
            return [model.actuation.chambers[own.place].rod]
        case "rest":
            return [rod for rod in range(len(model.rods)) if own.place in rod_rows(model, rod, "v").places]
    return []


def _forces(
    model: Model,
    rows_of: RowsOf,
    u: str = "",
    start: int = 0,
    asked: Collection[int] | None = None,
) -> Iterator[Sweep]:
    """Sweeps that add forces of inputs ``u``, or of one unit of each, to ``rows_of(input, first row, rows)``."""
    visits: dict[str, list[Visit]] = {"joint": [], "rest": [], "tendon": [], "chamber": [], "bulging": []}
    for number, own in enumerate(model.actuator_inputs):
        if asked is not None and number not in asked:
            continue
        read: dict[str, Binding] = {"u": Access(u, start + number, 1)} if u else {}
        if own.of == "joint":
            bindings = {**read, "force": rows_of(number, own.place, 1)}
            visits["joint"].append(Visit(-1, "given" if u else "unit", {}, bindings))
        elif own.of == "rest":
            first, column = _stiffness_column(model, own.place)
            bindings = {**read, "force": rows_of(number, first, len(column))}
            slopes = {slope_name(place): entry for place, entry in enumerate(column)}
            visits["rest"].append(Visit(-1, len(column), slopes, bindings))
        elif own.of == "chamber":
            rows = rod_rows(model, model.actuation.chambers[own.place].rod, "v")
            bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
            bulging = bool(model.actuation.chambers[own.place].table.products)
            if bulging:
                bindings["q"] = rod_rows(model, model.actuation.chambers[own.place].rod, "q")
            visits["bulging" if bulging else "chamber"].append(chamber_visit(model, own.place, bindings))
        else:
            for strand, (rod, _) in enumerate(model.actuation.tendons[own.place].strands):
                rows = rod_rows(model, rod, "v")
                bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
                visits["tendon"].append(strand_visit(model, own.place, strand, bindings))
    for kind, made in (
        ("joint", steps.JOINT),
        ("rest", steps.REST),
        ("chamber", steps.CHAMBER),
        ("tendon", steps.STRAND),
        ("bulging", BULGING),
    ):
        if visits[kind]:
            yield Sweep(made, tuple(visits[kind]), vector=kind in ("joint", "tendon"))


def _stiffness_column(model: Model, row: int) -> tuple[int, tuple[float, ...]]:
    """The column of K that a row of a rod has: the first row where it is not zero, and entries from there on.

    Raises
    ------
    ModelError
        A stiffness that is known at run time alone.
    """
    for number, rod in enumerate(model.rods):
        rows = rod_rows(model, number, "v")
        if isinstance(rod, Rod) and row in rows.places:
            if "stiffness" in rod.matter.parts:
                raise ModelError(
                    f"soft link '{rod.link}' of robot '{model.name}' has a strain at rest among the actuators, and a "
                    "stiffness that is known at run time alone; give its modulus as a number, or take the strain from "
                    "the actuators"
                )
            column = rod.tables.stiffness[row - rows.offset]
            felt = [place for place, entry in enumerate(column) if entry != 0.0]
            return rows.offset + felt[0], column[felt[0] : felt[-1] + 1]
    raise InternalError(f"row {row} is not of a rod")


def strand_visit(model: Model, tendon: int, number: int, bindings: dict[str, Binding]) -> Visit:
    """A visit to all points of a tendon along a rod."""
    rod, table = model.actuation.tendons[tendon].strands[number]
    variant = StrandVariant(model.rods[rod].count, table.entries, table.rests)
    points = len(table.points)
    read: dict[str, Binding] = {
        "table": Access(f"{_TABLE}{tendon}_{number}", 0, variant.width, lane_spacing(points), 1),
        "q": rod_rows(model, rod, "q"),
    }
    return Visit(model.rods[rod].owner, variant, {}, read | bindings, points)


def chamber_visit(model: Model, place: int, bindings: dict[str, Binding], **constants: float) -> Visit:
    """A visit to a chamber, whose volume is linear in the coordinates or has products of them."""
    chamber = model.actuation.chambers[place]
    slopes = {slope_name(number): slope for number, slope in enumerate(chamber.table.slopes)}
    rod, products = model.rods[chamber.rod], chamber.table.products
    if products:
        factors = {product_name(number): factor for number, (_, factor) in enumerate(products)}
        variant = BulgingVariant(rod.count, tuple(key for key, _ in products))
        return Visit(rod.owner, variant, slopes | factors | constants, bindings)
    return Visit(rod.owner, rod.count, slopes | constants, bindings)


def rod_rows(model: Model, rod: int, field: str) -> Access:
    """The rows of a rod in fields like q or v."""
    own = model.rods[rod]
    joint = model.bodies[own.owner].joint
    return Access(field, joint.q_index if field == "q" else joint.v_index, own.count)


def table_fields(model: Model, sweeps: list[Sweep]) -> list[Field]:
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
    fields = [Field("q", FieldKind.INPUT, model.nq), *table_fields(model, sweeps), output]
    if model.slots.names:
        fields.append(Field("p", FieldKind.INPUT, len(model.slots.names)))
    return Plan(name, tuple(fields), tuple(sweeps), tuple(body.name for body in model.bodies), model.parent)
