"""Plans of lengths, volumes and the actuation matrix, and of functions that are given inputs in place of forces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.steps import StrandVariant, slope_name
from symdyn.dynamics.tree.tree_matter import TreeMatter
from symdyn.errors import InternalError
from symdyn.model.model import Model
from symdyn.model.rod import Rod
from symdyn.plan.compose import clearing
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Plan, Sweep, Visit, lane_spacing

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
    visits = []
    for place, chamber in enumerate(chambers):
        bindings: dict[str, Binding] = {"q": rod_rows(model, chamber.rod, "q"), "volume": Access("V", place, 1)}
        visits.append(_chamber(model, place, bindings, rest=chamber.table.rest))
    sweeps = [Sweep(steps.VOLUME, tuple(visits))]
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
    asked: Collection[int] | None = None,
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
    asked
        Numbers of the inputs that are read; all if not said.
    """
    force, count = "driven_force" if prescribed else given, len(model.actuator_inputs)
    u, a = names
    sweeps = [clearing([Access(force, 0, orders * model.nv)])]
    for k in range(orders):
        made = driving_sweeps(model, u, force, k * count, k * model.nv, asked)
        sweeps += made if k == 0 else without_factors(model, made)
    own = [Field(u, FieldKind.INPUT, orders * count), *driving_fields(model, sweeps)]
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


def driving_sweeps(
    model: Model, u: str, force: str, number: int = 0, row: int = 0, asked: Collection[int] | None = None
) -> list[Sweep]:
    """Sweeps that add what the inputs in the field ``u``, from ``number`` on, do to ``force``, from ``row`` on.

    All inputs, or those ``asked`` for.
    """
    return list(_forces(model, lambda _, first, rows: Access(force, row + first, rows), u, number, asked))


def without_factors(model: Model, sweeps: Iterable[Sweep]) -> list[Sweep]:
    """Sweeps but for those that find factors of stiffness, where others have found these."""
    known = [sweep.step.name for sweep in TreeMatter(model).sweeps()]
    return [sweep for sweep in sweeps if sweep.step.name not in known]


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
    visits: dict[str, list[Visit]] = {"joint": [], "rest": [], "tendon": [], "chamber": []}
    matter, binding = TreeMatter(model), list[Sweep]()
    for number, own in enumerate(model.actuator_inputs):
        if asked is not None and number not in asked:
            continue
        read: dict[str, Binding] = {"u": Access(u, start + number, 1)} if u else {}
        if own.of == "joint":
            bindings = {**read, "force": rows_of(number, own.place, 1)}
            visits["joint"].append(Visit(-1, "given" if u else "unit", {}, bindings))
        elif own.of == "rest":
            rod, first, column = _stiffness_column(model, own.place)
            bindings = {**read, "force": rows_of(number, first, len(column))}
            constants: dict[str, Constant] = {slope_name(place): entry for place, entry in enumerate(column)}
            factor = matter.factor(rod, "stiffness")
            if factor:
                constants["factor"], binding = factor, matter.sweeps()
            visits["rest"].append(Visit(-1, (len(column), factor is not None), constants, bindings))
        elif own.of == "chamber":
            rows = rod_rows(model, model.actuation.chambers[own.place].rod, "v")
            bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
            visits["chamber"].append(_chamber(model, own.place, bindings))
        else:
            for strand, (rod, _) in enumerate(model.actuation.tendons[own.place].strands):
                rows = rod_rows(model, rod, "v")
                bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
                visits["tendon"].append(strand_visit(model, own.place, strand, bindings))
    yield from binding
    for kind, made in (
        ("joint", steps.JOINT),
        ("rest", steps.REST),
        ("chamber", steps.CHAMBER),
        ("tendon", steps.STRAND),
    ):
        if visits[kind]:
            yield Sweep(made, tuple(visits[kind]), vector=kind in ("joint", "tendon"))


def _stiffness_column(model: Model, row: int) -> tuple[int, int, tuple[float, ...]]:
    """The column of K that a row of a rod has: its rod, the first row where it is not zero, and entries from there on.

    They are to be multiplied with the rod's factor of stiffness, where it has one.
    """
    for number, rod in enumerate(model.rods):
        rows = rod_rows(model, number, "v")
        if isinstance(rod, Rod) and row in rows.places:
            column = rod.tables.stiffness[row - rows.offset]
            felt = [place for place, entry in enumerate(column) if entry != 0.0]
            return number, rows.offset + felt[0], column[felt[0] : felt[-1] + 1]
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


def _chamber(model: Model, place: int, bindings: dict[str, Binding], **constants: float) -> Visit:
    chamber = model.actuation.chambers[place]
    slopes = {slope_name(number): slope for number, slope in enumerate(chamber.table.slopes)}
    rod = model.rods[chamber.rod]
    return Visit(rod.owner, rod.count, slopes | constants, bindings)


def rod_rows(model: Model, rod: int, field: str) -> Access:
    """The rows of a rod in fields like q or v."""
    own = model.rods[rod]
    joint = model.bodies[own.owner].joint
    return Access(field, joint.q_index if field == "q" else joint.v_index, own.count)


def driving_fields(model: Model, sweeps: list[Sweep], known: Iterable[Field] = ()) -> list[Field]:
    """Tables of tendons and factors of stiffness that sweeps use, but for fields that are ``known``."""
    asked = {
        place.field
        for sweep in sweeps
        for visit in sweep.visits
        for place in (*visit.bindings.values(), *visit.constants.values())
        if isinstance(place, Access)
    } - {field.name for field in known}
    found = [field for field in TreeMatter(model).fields() if field.name in asked]
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
    fields = [Field("q", FieldKind.INPUT, model.nq), *driving_fields(model, sweeps), output]
    if model.slots.names:
        fields.append(Field("p", FieldKind.INPUT, len(model.slots.names)))
    return Plan(name, tuple(fields), tuple(sweeps), tuple(body.name for body in model.bodies), model.parent)
