"""Rows of the contact problem: their slopes J over v, gaps, and what the law of each adds to its velocity.

    c = J v+ + s,    s = (-u_t, max(gap / h, -v_out)) of a contact, with the velocity u of the surface,
                     s = max(gap / h, -v_out) of a joint's range,    0 of dry friction,    e / h or -w of a loop

Where a normal closes faster than v_impact and would be passed in this step, gap + h c- < 0, s is e c- with the
velocity c- = J v before: Newton's law at a predicted impact. Where impacts are solved one pair of bodies after another,
s is the usual one, and the solver is given c- and the share e of each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.description.collision import SEQUENTIAL
from symdyn.dynamics.contacts.runtime_slots import AT, AT_WIDTH, FRICTION, TouchedSet
from symdyn.dynamics.contacts.slots import GROUND, PlacedSlot, placed_slots, touch_sweep
from symdyn.dynamics.loops.constraint_set import OTHER, OWN, SIX, ConstraintSet
from symdyn.dynamics.loops.constraints import constraint_error_plan, constraint_jacobian_plan
from symdyn.dynamics.loops.pfaffian import velocity_sweep
from symdyn.dynamics.loops.station_jacobian import StationJacobian, slopes_of
from symdyn.dynamics.loops.whitened_jacobian import BEGIN
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.body_state import pose_sweep, state_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contact_layout import SLOT_ROWS, ContactLayout
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written, renamed, vanishing
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit

JACOBIAN, GAP, SHIFT, BOUND, COMPLIANCE = "J", "gap", "s", "bound", "compliance"
BEFORE, RESTITUTION = "c_before", "restitution"
"""Velocities of rows before a step, without loops and dry friction, and the share that each slot and range gives back:
of robots whose impacts are solved one after another."""
_APPROACH = "approach"
"""Velocities J v of rows that may give some of it back."""


@dataclass(frozen=True, slots=True)
class SlotPair:
    """A slot as its rows see it: a pair of places on two bodies."""

    slots: SlotSet = field(repr=False, compare=False)
    placed: PlacedSlot

    @property
    def first(self) -> int:
        """Its first row."""
        return len(SLOT_ROWS) * self.placed.number

    @property
    def rows(self) -> range:
        """Its rows."""
        return range(self.first, self.first + len(SLOT_ROWS))

    def body(self, end: str) -> int:
        """The body at an end."""
        return self.placed.load.body if end == OWN else self.placed.load.other

    def begun(self, number: int) -> Iterator[tuple[Access, int]]:
        """What a unit in one of its rows exerts on bodies, and these."""
        for end in (OWN, OTHER):
            yield Access(f"on_{end}", SIX * (self.first + number), SIX), self.body(end)

    @property
    def between(self) -> set[int]:
        """The bodies that move one place alone."""
        body, other = self.placed.load.body, self.placed.load.other
        return self.slots.path(body) ^ (self.slots.path(other) if other != GROUND else set())

    @property
    def carriers(self) -> set[int]:
        """The bodies that feel its rows."""
        return self.slots.path(self.placed.load.body) | self.slots.path(self.placed.load.other)


class SlotSet(ConstraintSet):
    """The slots of a robot in its tree, as rows of constraints between pairs of bodies."""

    def __init__(self, tree: TreePlan) -> None:
        self.tree, self.path = tree, tree.path
        self.slots = placed_slots(tree)
        self.pairs = [SlotPair(self, placed) for placed in self.slots]  # type: ignore[misc]
        self.couplings, self.velocities, self.coefficients = [], [], 0
        self.count = len(SLOT_ROWS) * len(self.slots)
        self.reaches = []


def contact_gaps_plan(model: Model) -> Plan:
    """The plan of q[, touching] -> gap (ns,), point (ns, 3), normal (ns, 3) of the slots of rigid contacts."""
    tree = TreePlan(model)
    touched, touched_set = touch_sweep(tree, placed_slots(tree), rows=False), TouchedSet(tree)
    outputs = [Field(name, FieldKind.OUTPUT, width * model.contacts.slot_count) for name, width in _SHOWN]
    sweeps = [pose_sweep(tree), *state_sweeps(tree, [touched]), touched, *touched_set.touch_sweeps(rows=False)]
    fields = (Field("q", FieldKind.INPUT, model.nq), *touched_set.fields(), *outputs)
    return plan_of("contact_gaps", tree, sweeps, fields, tree.parameter_sweeps())


_SHOWN = ((GAP, 1), ("point", 3), ("normal", 3))


def contact_jacobian_plan(model: Model) -> Plan:
    """The plan of q -> J, (m, nv), all rows of the contact problem."""
    return rows_plan(model, "contact_jacobian", law=False)


def rows_plan(model: Model, name: str, law: bool, fixed: bool = False) -> Plan:
    """The plan of q -> J, or with the ``law`` of q, v, h -> J, gap (ns + nl,), s, bound, compliance (m,) each.

    Slots that are filled at run time ask for the input ``touching`` (n, 10) and, ``fixed`` to bodies, for ``touch_at``.

    ``gap`` is that of slots, then of ranges of joints. ``bound`` is friction in rows of normals, and the largest
    impulse in rows of dry friction; ``compliance`` is in 1/kg. Where impacts are solved one after another, ``c_before``
    (m,) and ``restitution`` (ns + nl,) come last.
    """
    tree = TreePlan(model)
    slots, layout = SlotSet(tree), model.contact_layout
    touched, touched_set = touch_sweep(tree, slots.slots), TouchedSet(tree)
    slopes, filled = slopes_of(slots, JACOBIAN), StationJacobian(touched_set, JACOBIAN, "touched_wrench")
    acting = touched_set.touch_sweeps(fixed)
    sweeps = [pose_sweep(tree), *state_sweeps(tree, [touched, *acting]), touched, *slopes.sweeps()]
    fields = [Field("q", FieldKind.INPUT, model.nq), *slopes.fields()]
    if touched_set.pairs:
        sweeps += [*acting, *filled.sweeps()]
        at = [Field(AT, FieldKind.INPUT, AT_WIDTH * len(touched_set.pairs))] if fixed else []
        fields += [*touched_set.fields(), *at, *filled.fields()]
    sweeps.append(_units(layout, model.nv))
    fields.append(Field(JACOBIAN, FieldKind.OUTPUT, layout.count * model.nv))
    if layout.loop_names:
        jacobian = constraint_jacobian_plan(model)
        moved = renamed(jacobian.sweeps, {"A": JACOBIAN}, {"A": layout.loops * model.nv})
        kept = [item for item in jacobian.fields if item.name not in ("A", "q")]
        more, closing = kept_apart(kept, moved, "loops", ())
        fields, sweeps = [*fields, *more], [*sweeps, *closing]
    if law:
        more, added = _law(model, tree, slots, places_written(tree.rods.completed(sweeps), JACOBIAN))
        fields, sweeps = [*fields, *more], [*sweeps, *added]
    return plan_of(name, tree, sweeps, fields, tree.parameter_sweeps())


def _units(layout: ContactLayout, width: int) -> Sweep:
    """The rows of joints: an entry per row of v that moves them."""
    matrix = MatrixField(JACOBIAN, width)
    slopes = [limit.slopes for limit in layout.limits] + [joint.slopes for joint in layout.dry]
    entries = [
        (layout.first_limit + number, *slope) for number, slopes_of_row in enumerate(slopes) for slope in slopes_of_row
    ]
    return Sweep(
        BEGIN,
        tuple(
            Visit(-1, None, {}, {"exerted": Given((sign,)), "wrench": matrix.entry(row, column)})
            for row, column, sign in entries
        ),
    )


def supports(known: set[int], rows: int, width: int) -> dict[int, list[int]]:
    """Per row of J the columns that are not zero by structure, from the places of J that something writes."""
    columns: dict[int, list[int]] = {row: [] for row in range(rows)}
    for place in sorted(known):
        columns[place // width].append(place % width)
    return columns


@dataclass(frozen=True, slots=True)
class LawVariant:
    """What is structural of a row's law: whether it gives velocity back, whether its surface slips, what it follows.

    ``apart`` tells that impacts are solved apart from the law, by the velocity before and the share given back.
    """

    bounces: bool
    slips: bool = False
    led: int = 0
    """How many coordinates a joint follows."""
    apart: bool = False


def contact_law(variant: LawVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot: s, the friction in the row of the normal, and the compliance over h^2."""
    h = reads["h"][0]
    slip = reads["slip"] if variant.slips else (0.0, 0.0)
    before = [x + y for x, y in zip(reads["before"], (*slip, 0.0), strict=True)] if variant.apart else ()
    return {
        **({"c_before": before, "share": [constants["restitution"]]} if variant.apart else {}),
        "shift": [*slip, _shift(variant, algebra, constants, reads)],
        "bound": [0.0, 0.0, constants["friction"]],
        "compliance": [0.0, 0.0, constants["compliance"] / (h * h)],
    }


def touch_law(variant: LawVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot that is filled at run time: as of a contact that gives nothing back and does not give way."""
    apart = {"c_before": reads["before"], "share": [0.0]} if variant.apart else {}
    shift = [0.0, 0.0, _shift(variant, algebra, constants, reads)]
    return {**apart, "shift": shift, "bound": [0.0, 0.0, reads["friction"][0]], "compliance": [0.0] * len(SLOT_ROWS)}


def limit_law(variant: LawVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per bound of a joint's range: its gap, and s."""
    position = constants["offset"] if variant.led else reads["q"][0]
    for number in range(variant.led):
        position = position + constants[f"gain{number}"] * reads[f"q{number}"][0]
    gap = constants["sign"] * (position - constants["range"])
    shift = _shift(variant, algebra, constants, {**reads, "gap": [gap]})
    apart = {"c_before": reads["before"], "share": [constants["restitution"]]} if variant.apart else {}
    return {**apart, "limit_gap": [gap], "shift": [shift], "bound": [0.0], "compliance": [0.0]}


def _shift(variant: LawVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Scalar:
    h, gap = reads["h"][0], reads["gap"][0]
    usual = algebra.function("max", gap / h, -1.0 * constants["exit_velocity"])
    if not variant.bounces:
        return usual
    approach, share = reads["approach"][0], constants["restitution"]
    fast = algebra.compare("less", approach, -1.0 * constants["impact_velocity"])
    passes = algebra.compare("less", gap + h * approach, 0.0)
    given = algebra.select(algebra.compare("less", 0.0, share), share * approach, usual)
    return algebra.select(fast, algebra.select(passes, given, usual), usual)


def dry_law(_: None, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of dry friction: its largest impulse."""
    return {"shift": [0.0], "bound": [reads["h"][0] * constants["friction"]], "compliance": [0.0]}


def loop_law(factor: float | None, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of a loop: its error over h, or a factor times what a row of velocities asks."""
    error = reads["error"][0]
    return {"shift": [error / reads["h"][0] if factor is None else factor * error], "bound": [0.0], "compliance": [0.0]}


_WRITTEN = tuple(Port(name, Mode.WRITE) for name in ("shift", "bound", "compliance"))
_APART = (Port("before", Mode.READ), *(Port(name, Mode.WRITE) for name in ("c_before", "share")))
_READ = tuple(Port(name, Mode.READ) for name in ("h", "gap", "approach", "slip"))
_TOUCHED = Step(
    "touch_law", touch_law, (*(Port(name, Mode.READ) for name in ("h", "gap", "friction")), *_WRITTEN, *_APART)
)
_CONTACT = Step("contact_law", contact_law, (*_READ, *_WRITTEN, *_APART))


def _limit_step(layout: ContactLayout) -> Step:
    led = range(max((len(limit.led) for limit in layout.limits), default=0))
    names = ("h", "q", *(f"q{number}" for number in led), "approach")
    ports = (*(Port(name, Mode.READ) for name in names), Port("limit_gap", Mode.WRITE), *_WRITTEN, *_APART)
    return Step("limit_law", limit_law, ports)


_DRY = Step("dry_law", dry_law, (Port("h", Mode.READ), *_WRITTEN))
_LOOP = Step("loop_law", loop_law, (Port("h", Mode.READ), Port("error", Mode.READ), *_WRITTEN))
_H: Mapping[str, Binding] = {"h": Access("h", 0, 1)}


def _at(row: int, count: int = 1) -> dict[str, Binding]:
    fields = {"shift": SHIFT, "bound": BOUND, "compliance": COMPLIANCE}
    return {port: Access(name, row, count) for port, name in fields.items()}


def _law(model: Model, tree: TreePlan, slots: SlotSet, known: set[int]) -> tuple[list[Field], list[Sweep]]:
    layout = model.contact_layout
    count, limited = layout.count, layout.slot_count + len(layout.limits)
    options = layout.options
    apart = options.impacts == SEQUENTIAL
    bouncing = [] if apart else list(_bouncing(slots, layout))
    columns_of = supports(known, count, model.nv)
    approach = product_sweeps(
        MatrixField("v", model.nv),
        Transposed(JACOBIAN, model.nv),
        MatrixField(_APPROACH, count),
        [0],
        {row: columns_of[row] for row in (range(layout.first_dry) if apart else bouncing)},
    )

    def of_impacts(row: int, width: int, number: int) -> dict[str, Binding]:
        if not apart:
            return {}
        shared = Access(RESTITUTION, number, 1)
        return {"before": Access(_APPROACH, row, width), "c_before": Access(BEFORE, row, width), "share": shared}

    shared: dict[str, Constant] = {"exit_velocity": options.exit_velocity}
    impact: dict[str, Constant] = {"impact_velocity": options.impact_velocity}
    visits, filled, ranges, dry = (list[Visit]() for _ in range(4))
    for placed in slots.slots:
        row = layout.normal(placed.number)
        variant = LawVariant(row in bouncing, any(speed != 0.0 for speed in placed.slot.velocity), apart=apart)
        names = ("friction", "compliance", *(("restitution",) if variant.bounces or apart else ()))
        constants: dict[str, Constant] = {name: placed.load.constants[name] for name in names}
        bindings = {**_H, GAP: Access(GAP, placed.number, 1), **_at(row - 2, len(SLOT_ROWS))}
        bindings |= of_impacts(row - 2, len(SLOT_ROWS), placed.number)
        if variant.slips:
            bindings["slip"] = Access("slip", 2 * placed.number, 2)
        visits.append(_visit(variant, constants | shared, impact, bindings, row))
    for pair in TouchedSet(tree).touched:
        bindings = {**_H, GAP: Access(GAP, pair.number, 1), **_at(pair.first, len(SLOT_ROWS))}
        bindings |= of_impacts(pair.first, len(SLOT_ROWS), pair.number)
        bindings["friction"] = Access(FRICTION, pair.place, 1)
        filled.append(Visit(-1, LawVariant(False, apart=apart), dict(shared), bindings))
    for number, limit in enumerate(layout.limits):
        row = layout.first_limit + number
        place = layout.slot_count + number
        bindings = {**_H, "limit_gap": Access(GAP, place, 1), **_at(row), **of_impacts(row, 1, place)}
        numbers: dict[str, Constant] = {"sign": limit.sign, "range": limit.bound, **shared}
        for which, led in enumerate(limit.led):
            numbers |= {f"gain{which}": led.gain, "offset": limit.offset}
            bindings[f"q{which}"] = Access("q", led.q, 1)
        if not limit.led:
            bindings["q"] = Access("q", limit.q, 1)
        if row in bouncing or apart:
            numbers["restitution"] = layout.limit_restitution
        variant = LawVariant(row in bouncing, led=len(limit.led), apart=apart)
        ranges.append(_visit(variant, numbers, impact, bindings, row))
    for number, rubbing in enumerate(layout.dry):
        constants = tree.constants(rubbing.body, ("friction",))
        dry.append(Visit(-1, None, constants, {**_H, **_at(layout.first_dry + number)}))
    fields, closing = _loops(model)
    fields += [
        Field("v", FieldKind.INPUT, model.nv),
        Field("h", FieldKind.INPUT, 1),
        Field(_APPROACH, FieldKind.STATE, max(count, 1)),
        Field(GAP, FieldKind.OUTPUT, limited),
        *(Field(name, FieldKind.OUTPUT, count) for name in (SHIFT, BOUND, COMPLIANCE)),
        *([Field(BEFORE, FieldKind.OUTPUT, count), Field(RESTITUTION, FieldKind.OUTPUT, limited)] if apart else []),
    ]
    contacts = (Sweep(_CONTACT, tuple(visits)), Sweep(_TOUCHED, tuple(filled)))
    made = (*contacts, Sweep(_limit_step(layout), tuple(ranges)), Sweep(_DRY, tuple(dry)))
    return fields, [sweep for sweep in (*approach, *made, *closing) if sweep.visits]


def _visit(
    variant: LawVariant,
    constants: dict[str, Constant],
    impact: Mapping[str, Constant],
    bindings: dict[str, Binding],
    row: int,
) -> Visit:
    if variant.bounces:
        return Visit(-1, variant, {**constants, **impact}, {**bindings, "approach": Access(_APPROACH, row, 1)})
    return Visit(-1, variant, constants, bindings)


def _bouncing(slots: SlotSet, layout: ContactLayout) -> Iterator[int]:
    """Rows that may give velocity back."""
    for placed in slots.slots:
        if placed.load.constants["restitution"] != 0.0:
            yield layout.normal(placed.number)
    if layout.limit_restitution != 0.0:
        yield from range(layout.first_limit, layout.first_dry)


def _loops(model: Model) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps of s in rows of loops."""
    if not model.contact_layout.loop_names:
        return [], []
    first, error, prefix = model.contact_layout.loops, "loop_error", "loop_target"
    plan = constraint_error_plan(model)
    fields, sweeps = kept_apart(plan.fields, plan.sweeps, "closing", (), {"e": error})
    constraints = ConstraintSet(TreePlan(model))
    rolling = {constraint.row for constraint in constraints.velocities}
    if rolling:
        asking = velocity_sweep(constraints.velocities, "acceleration")
        more = [
            Field("rate", FieldKind.STATE, constraints.count),
            Field("acceleration", FieldKind.STATE, constraints.count),
        ]
        left, still = vanishing(more, [asking], ("v",))
        made, loop_sweeps = kept_apart(left, still, prefix, ())
        fields, sweeps = [*fields, *made], [*sweeps, *loop_sweeps]
    visits = []
    for row in range(constraints.count):
        # half of w at rest, which is -c for A v = c
        at: Binding = Access(f"{prefix}_rate", row, 1) if row in rolling else Access(error, row, 1)
        visits.append(Visit(-1, 2.0 if row in rolling else None, {}, {**_H, "error": at, **_at(first + row)}))
    fields = [field for field in fields if field.name not in ("q", "v")]
    fields.append(Field(error, FieldKind.STATE, constraints.count, sparse=True))
    return fields, [*sweeps, Sweep(_LOOP, tuple(visits))]
