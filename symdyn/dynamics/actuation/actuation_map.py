"""What inputs do to the forces of rows: sweeps that add them, columns of the actuation matrix, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.bulging import BULGING, BulgingVariant, product_name
from symdyn.dynamics.actuation.steps import StrandVariant, slope_name
from symdyn.dynamics.tree.rod_material import TreeMatter
from symdyn.dynamics.tree.station_rows import tabled
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, Sweep, Visit, lane_spacing

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import StrandTable

_TABLE, _POINTS = "tendon_table", "chamber_table"
RowsOf = Callable[[int, int, int], Access]
"""Where rows of an input's forces lie: ``(input, first row, rows)``."""


def driving_sweeps(
    model: Model,
    u: str,
    force: str,
    number: int = 0,
    row: int = 0,
    requested: Collection[int] | None = None,
    rates: bool = True,
) -> list[Sweep]:
    """Sweeps that add what the inputs in the field ``u``, from ``number`` on, do to ``force``, from ``row`` on.

    All inputs, or those ``requested``; of a robot at rest where ``rates`` do not count.
    """
    return list(_forces(model, lambda _, first, rows: Access(force, row + first, rows), u, number, requested, rates))


def without_factors(model: Model, sweeps: Iterable[Sweep]) -> list[Sweep]:
    """Sweeps but for those that find factors of stiffness, where others have found these."""
    known = [sweep.step.name for sweep in TreeMatter(model).sweeps()]
    return [sweep for sweep in sweeps if sweep.step.name not in known]


def column_sweeps(model: Model, matrix: str, without: Collection[str] = (), rates: bool = True) -> list[Sweep]:
    """Sweeps that add the columns of B to a matrix (nv, na); ``without`` are kinds of inputs that are left out.

    Those of a robot at rest where ``rates`` do not count.
    """
    count = len(model.actuator_inputs)
    requested = [number for number, own in enumerate(model.actuator_inputs) if own.of not in without]

    def column(number: int, first: int, rows: int) -> Access:
        return Access(matrix, first * count + number, rows, count)

    return column_sweeps_to(model, column, requested, rates)


def column_sweeps_to(model: Model, place: RowsOf, requested: Collection[int], rates: bool = True) -> list[Sweep]:
    """Sweeps that add columns of B, those of the inputs ``requested``, to ``place(input, first row, rows)``."""
    return list(_forces(model, place, requested=requested, rates=rates))


def reached_rows(model: Model, number: int) -> list[Access]:
    """Rows of v on which an input acts: blocks of rods, or single rows of joints.

    None of a rod where nothing that it does changes the tendon's length.
    """
    own, rods = model.actuator_inputs[number], list[int]()
    match own.of:
        case "tendon":
            rods = [rod for rod, table in model.actuation.tendons[own.place].strands if table.entries]
        case "chamber":
            rods = [model.actuation.chambers[own.place].rod]
        case "rest":
            rods = [model.stiffness_column(own.place)[0]]
    return [rod_rows(model, rod, "v") for rod in rods] + [Access("v", row, 1) for row in own.rows]


def _forces(
    model: Model,
    rows_of: RowsOf,
    u: str = "",
    start: int = 0,
    requested: Collection[int] | None = None,
    rates: bool = True,
) -> Iterator[Sweep]:
    """Sweeps that add forces of inputs ``u``, or of one unit of each, to ``rows_of(input, first row, rows)``.

    Those of a robot at rest where ``rates`` do not count.
    """
    kinds = ("joint", "law", "varied", "rest", "tendon", "chamber", "bulging")
    visits: dict[str, list[Visit]] = {kind: [] for kind in kinds}
    matter, binding = TreeMatter(model), list[Sweep]()
    for number, own in enumerate(model.actuator_inputs):
        if requested is not None and number not in requested:
            continue
        read: dict[str, Binding] = {"u": Access(u, start + number, 1)} if u else {}
        if own.of == "joint":
            bindings = {**read, "force": rows_of(number, own.place, 1)}
            visits["joint"].append(Visit(-1, "given" if u else "unit", {}, bindings))
        elif own.of == "law":
            for row, entry in own.column:
                bindings = {**read, "force": rows_of(number, row, 1)}
                visits["law"].append(Visit(-1, 1, {slope_name(0): entry}, bindings))
            for row, *slope in own.slopes:
                visits["varied"] += varied_visits(slope, {**read, "force": rows_of(number, row, 1)}, rates)
        elif own.of == "rest":
            rod, first, column = model.stiffness_column(own.place)
            bindings = {**read, "force": rows_of(number, first, len(column))}
            constants: dict[str, Constant] = {slope_name(place): entry for place, entry in enumerate(column)}
            factor = matter.factor(rod, "stiffness")
            if factor:
                constants["factor"], binding = factor, matter.sweeps()
            visits["rest"].append(Visit(-1, (len(column), factor is not None), constants, bindings))
        elif own.of == "chamber":
            rows = rod_rows(model, model.actuation.chambers[own.place].rod, "v")
            bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
            if model.actuation.chambers[own.place].table.following:
                visits["tendon"].append(points_visit(model, own.place, bindings))
                continue
            bulging = bool(model.actuation.chambers[own.place].table.products)
            if bulging:
                bindings["q"] = rod_rows(model, model.actuation.chambers[own.place].rod, "q")
            visits["bulging" if bulging else "chamber"].append(chamber_visit(model, own.place, bindings))
        else:
            for strand, (rod, _) in enumerate(model.actuation.tendons[own.place].strands):
                rows = rod_rows(model, rod, "v")
                bindings = {**read, "force": rows_of(number, rows.offset, rows.count)}
                visits["tendon"].append(strand_visit(model, own.place, strand, bindings))
    yield from binding
    for kind, made in (
        ("joint", steps.JOINT),
        ("law", steps.LAW),
        ("varied", steps.VARIED),
        ("rest", steps.REST),
        ("chamber", steps.CHAMBER),
        ("tendon", steps.STRAND),
        ("bulging", BULGING),
    ):
        if visits[kind]:
            yield Sweep(made, tuple(visits[kind]), vector=kind in ("joint", "law", "varied", "tendon"))


def varied_visits(slope: Sequence[float | int], bindings: dict[str, Binding], rates: bool = True) -> Iterator[Visit]:
    """The visit to what an actuator's gain gains by a row of q and by one of v; none where nothing of both counts."""
    q, by, stiffness, damping = slope
    constants: dict[str, Constant] = {}
    read = dict(bindings)
    if stiffness:
        constants["stiffness"], read["q"] = stiffness, Access("q", int(q), 1)
    if damping and rates:
        constants["damping"], read["v"] = damping, Access("v", int(by), 1)
    if constants:
        yield Visit(-1, tuple(constants), constants, read)


def strand_visit(model: Model, tendon: int, number: int, bindings: dict[str, Binding]) -> Visit:
    """A visit to all points of a tendon along a rod."""
    rod, table = model.actuation.tendons[tendon].strands[number]
    return _visit(model, rod, table, f"{_TABLE}{tendon}_{number}", bindings)


def points_visit(model: Model, chamber: int, bindings: dict[str, Binding]) -> Visit:
    """A visit to all points of a chamber of which the volume is summed."""
    own = model.actuation.chambers[chamber]
    assert own.table.following is not None
    return _visit(model, own.rod, own.table.following, f"{_POINTS}{chamber}", bindings)


def _visit(model: Model, rod: int, table: StrandTable, name: str, bindings: dict[str, Binding]) -> Visit:
    rows, points = rod_rows(model, rod, "q"), len(table.points)
    variant = StrandVariant(rows.count, table.entries, table.rests, table.following)
    read: dict[str, Binding] = {"table": Access(name, 0, variant.width, lane_spacing(points), 1), "q": rows}
    return Visit(_owner(model, rod), variant, {}, read | bindings, points)


def chamber_visit(model: Model, place: int, bindings: dict[str, Binding], **constants: float) -> Visit:
    """A visit to a chamber, whose volume is linear in the coordinates or has products of them."""
    chamber = model.actuation.chambers[place]
    slopes = {slope_name(number): slope for number, slope in enumerate(chamber.table.slopes)}
    owner, products = _owner(model, chamber.rod), chamber.table.products
    count = rod_rows(model, chamber.rod, "q").count
    if products:
        factors = {product_name(number): factor for number, (_, factor) in enumerate(products)}
        variant = BulgingVariant(count, tuple(key for key, _ in products))
        return Visit(owner, variant, slopes | factors | constants, bindings)
    return Visit(owner, count, slopes | constants, bindings)


def rod_rows(model: Model, rod: int, field: str) -> Access:
    """The rows of a rod in fields like q or v."""
    joint = model.rod_joints[rod]
    rows = joint.q_rows if field == "q" else joint.v_rows
    return Access(field, rows.start, rows.stop - rows.start)


def _owner(model: Model, rod: int) -> int:
    """The body that has these rows."""
    return model.velocity_bodies[rod_rows(model, rod, "v").offset]


def driving_fields(model: Model, sweeps: list[Sweep], known: Iterable[Field] = ()) -> list[Field]:
    """Tables of tendons and factors of stiffness that sweeps use, but for fields that are ``known``."""
    requested = {
        place.field
        for sweep in sweeps
        for visit in sweep.visits
        for place in (*visit.bindings.values(), *visit.constants.values())
        if isinstance(place, Access)
    } - {field.name for field in known}
    found = [field for field in TreeMatter(model).fields() if field.name in requested]
    tables = {
        f"{_TABLE}{tendon}_{number}": table
        for tendon, own in enumerate(model.actuation.tendons)
        for number, (_, table) in enumerate(own.strands)
    }
    chambers = enumerate(model.actuation.chambers)
    tables |= {f"{_POINTS}{place}": own.table.following for place, own in chambers if own.table.following}
    return [*found, *(tabled(name, table.points) for name, table in tables.items() if name in requested)]
