"""Slopes of a step with rigid contacts, from which the implicit function theorem makes its derivatives.

With the velocity w after the step, in axes at its start, and impulses lambda the step solves

    Mh (w - v) = h (tau - bias) - h^2 K v + J^T lambda,    Mh = M + h D + h^2 K
    c = J w + s,    with each row's law for its c and lambda

Moves of q, v and p at fixed w and lambda change the two sides of the first by the ``dimpulse``, c by ``dc``. By
a = (w - v) / h beside what bodies have that move straight, the first reads h ID(q, v, a) = h tau + J^T lambda, but for
D and K: so slopes are those of inverse dynamics at a, of J^T lambda and J w along moves, and of D and K.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.actuation.actuation_map import column_sweeps, driving_fields
from symdyn.dynamics.actuation.input_slopes import left_over, slope_sweeps
from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.contacts.at_fixed_end import (
    EXERTED,
    STIFF,
    C,
    columns_of,
    kernel_step,
    rows_at_end,
    stiff_at_end,
)
from symdyn.dynamics.contacts.plane_slopes import PlaneFields, on_planes, plane_sweeps
from symdyn.dynamics.contacts.problem import (
    NEEDED,
    contact_problem_plan,
    impacts_of,
    straight_sweeps,
)
from symdyn.dynamics.contacts.products import SPREAD, V_FREE, WHITENED
from symdyn.dynamics.contacts.rows import BEFORE, BOUND, COMPLIANCE, JACOBIAN, RESTITUTION, SHIFT, supports
from symdyn.dynamics.contacts.runtime_slots import AT, AT_WIDTH, TouchedSet, fixed_places_plan
from symdyn.dynamics.contacts.step_ends import END_FIELDS, LENGTH_FIELDS, ends_sweep, length_sweep
from symdyn.dynamics.equations.problem import System, inner_rows
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.partials.inverse_dynamics import (
    PartialFields,
    inverse_dynamics_partials_sweeps,
)
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.contracted_view import Made
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.contact_solving import TOUCHING
from symdyn.model.contact_views import with_dry_friction, without_contacts
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep, Visit
from symdyn.plan.transforms.tangent import tangent_sweeps

END = "v_end"
_B = "B"
_KNOWN = {"gap": "base_gap"} | {
    name: f"base_rows_{name}" for name in ("point", "normal", "pose", "orientation", "stand")
}
"""Fields of the contact problem that slopes of slots on planes read."""
LENGTHS = ("dimpulse_dh", "dc_dh", "dbound_dh", *LENGTH_FIELDS)
"""Outputs by the length of the step."""
_MASS, _MOTION, _WHITE, _STRAIGHT = "mass_of_step", "accelerated", "white_impulses", "kept_straight"


def contact_slopes_plan(model: Model, external: str = "", actuated: bool = False, length: bool = False) -> Plan:
    """The plan of q, v, tau, h, lambda[, touching][, f_ext][, p] -> what derivatives of a step are made of.

    With Mh^-1 = W W^T these are W^T (nv, nv), J W (m, nv), c, bound and compliance (m,), dimpulse_dq and dimpulse_dv,
    (nv, nv), dc_dq and dc_dv (m, nv), with parameters dimpulse_dp (nv, np), dc_dp and dbound_dp (m, np), and where
    joints are no scalars the blocks of :mod:`symdyn.dynamics.contacts.step_ends`. Where inputs u of actuators are given
    in place of tau, ``actuated``, B (nv, nu) with tau = B u follows compliance, and slopes have those of B u. With
    ``length`` there are slopes by h too: dimpulse_dh (nv,), dc_dh and dbound_dh (m,), end_by_h and turned_by_h (nv,).
    Where impacts are solved one after another, slopes of c leave out what compliance adds, and those of velocities
    before the step follow, dc_before_dq and dc_before_dv (m, nv), with parameters dc_before_dp, drestitution_dp
    (ns + nl, np) and dcompliance_dp (m, np).

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    plan = _Slopes(model, external, actuated, length).plan()
    return wanted(driven_plan(model, plan, "tau") if actuated else plan)


class _Slopes(System):
    """The step's velocities, and the slopes."""

    def __init__(self, model: Model, external: str, actuated: bool, length: bool) -> None:
        super().__init__()
        self.model, self.external, self.actuated, self.length = model, external, actuated, length
        self.bare = without_contacts(with_dry_friction(model))
        self.tree, self.moved = TreePlan(self.bare, external), TreePlan(model)
        self.touched = TouchedSet(self.moved)
        self.nv, self.rows = model.nv, model.contact_layout.count
        self.widths = {"q": self.nv, "v": self.nv, "p": len(model.slots.names)}

    def plan(self) -> Plan:
        """The whole."""
        self.solve()
        self.fix()
        self.move()
        parts = {"q": self.by_state("q"), "v": self.by_state("v")}
        if self.widths["p"]:
            parts["p"] = self.by_state("p")
        for by, part in parts.items():
            self.sweeps.append(self.summed(by, part))
        if self.actuated:
            columns = column_sweeps(self.model, _B)
            self.take((driving_fields(self.model, columns, self.fields), columns))
        ends = ends_sweep(self.model, END)
        self.sweeps += ends
        if self.length:
            self.by_length()
            self.sweeps.append(length_sweep(self.model, END))
        given = {"q": self.model.nq, "v": self.nv, "tau": self.nv, "h": 1, "lambda": self.rows}
        outputs, known = self.outputs(bool(ends)), {*given, TOUCHING}
        fields = [
            *(Field(name, FieldKind.INPUT, size) for name, size in given.items()),
            *self.touched.fields(),
            *(item for item in self.fields if item.kind is not FieldKind.INPUT or item.name not in known),
            *(Field(name, FieldKind.OUTPUT, size) for name, size in outputs.items()),
        ]
        plan = plan_of("contact_slopes", self.tree, self.sweeps, [*fields, *self.tree.fields()])
        in_order = {item.name: item for item in plan.fields}
        last = [in_order.pop(name) for name in outputs]
        return replace(plan, fields=(*in_order.values(), *last))

    def outputs(self, ends: bool) -> dict[str, int]:
        """Sizes of the outputs, in order."""
        nv, rows, p = self.nv, self.rows, self.widths["p"]
        sizes = {SPREAD: nv * nv, WHITENED: rows * nv, C: rows, BOUND: rows, COMPLIANCE: rows}
        if self.actuated:
            sizes[_B] = nv * len(self.model.actuator_inputs)
        sizes |= {"dimpulse_dq": nv * nv, "dimpulse_dv": nv * nv, "dc_dq": rows * nv, "dc_dv": rows * nv}
        if p:
            sizes |= {"dimpulse_dp": nv * p, "dc_dp": rows * p, "dbound_dp": rows * p}
        if impacts_of(self.model):
            limited = self.model.contacts.slot_count + len(self.model.contacts.limits)
            sizes |= {f"d{BEFORE}_dq": rows * nv, f"d{BEFORE}_dv": rows * nv}
            if p:
                sizes |= {f"d{BEFORE}_dp": rows * p, f"d{RESTITUTION}_dp": limited * p, f"d{COMPLIANCE}_dp": rows * p}
        sizes |= dict.fromkeys(END_FIELDS, nv * nv) if ends else {}
        return sizes | (dict(zip(LENGTHS, (nv, rows, rows, nv, nv), strict=True)) if self.length else {})

    def solve(self) -> None:
        """Add the contact problem and w: v_free and what the impulses add to it."""
        requested = (V_FREE, SPREAD, WHITENED, JACOBIAN, SHIFT, BOUND, COMPLIANCE)
        base = wanted(contact_problem_plan(self.model, self.external, requested))
        names = {name: name for name in (*requested, NEEDED)}
        self.take(kept_apart(base.fields, base.sweeps, "base", (), names))
        nv, rows = self.nv, self.rows
        for name in (V_FREE, NEEDED, _WHITE, END):
            self.state(name, 1, nv)
        self.state(JACOBIAN, rows, nv)
        self.state(SHIFT, 1, rows)
        self.support = supports(places_written(self.sweeps, JACOBIAN), rows, nv)
        self.acting = columns_of(self.support)
        pressed = columns_of(supports(places_written(self.sweeps, WHITENED), rows, nv))
        behind = columns_of(supports(places_written(self.sweeps, SPREAD), nv, nv))
        given, white, end = (MatrixField(name, size) for name, size in (("lambda", rows), (_WHITE, nv), (END, nv)))
        self.sweeps += product_sweeps(given, MatrixField(WHITENED, nv), white, [0], pressed)
        behind = {column: [row for row in acting if row in pressed] for column, acting in behind.items()}
        self.sweeps += product_sweeps(white, MatrixField(SPREAD, nv), end, [0], behind, MatrixField(V_FREE, nv))
        self.sweeps += product_sweeps(
            MatrixField(END, nv),
            Transposed(JACOBIAN, nv),
            MatrixField(C, rows),
            [0],
            self.support,
            MatrixField(SHIFT, rows),
        )

    def fix(self) -> None:
        """Add where points and normals of slots that are filled at run time are fixed to bodies."""
        if not self.touched.pairs:
            return
        plan = wanted(fixed_places_plan(self.model))
        self.state(AT, 1, AT_WIDTH * len(self.touched.pairs))
        self.take(kept_apart(plan.fields, plan.sweeps, "fixed", (), {AT: AT}))

    def move(self) -> None:
        """Add the acceleration of the step, with that of bodies which move straight."""
        self.state(_MOTION, 1, self.nv)
        straight = straight_sweeps(self.bare, _STRAIGHT)
        if straight:
            self.state(_STRAIGHT, 1, self.nv)
        written = places_written(straight, _STRAIGHT)
        visits = []
        for row in range(self.nv):
            bindings: dict[str, Binding] = {"h": Access("h", 0, 1)}
            bindings |= {name: Access(field, row, 1) for name, field in (("v", "v"), ("end", END), ("motion", _MOTION))}
            if row in written:
                bindings["straight"] = Access(_STRAIGHT, row, 1)
            visits.append(Visit(-1, None, {}, bindings))
        self.sweeps += [*straight, Sweep(_MOVE, tuple(visits))]

    def by_state(self, by: str) -> dict[str, str]:
        """Add slopes by q, v or p of all that acts: fields by what they are."""
        nv, width = self.nv, self.widths[by]
        parts = {part: self.state(f"{part}_by_{by}", nv, width).field for part in ("needed", EXERTED, STIFF)}
        if by == "q":
            for name in ("needed_by_v", _MASS):
                self.state(name, nv, nv)
            matrices = PartialFields("needed_by_q", "needed_by_v", _MASS)
            self.take(inverse_dynamics_partials_sweeps(self.tree, matrices, _MOTION))
            if self.actuated:
                less = slope_sweeps(self.model, {row: row for row in range(nv)}, "needed_by_q", "u", "needed_by_v")
                self.take((driving_fields(self.model, less, self.fields), less))
        elif by == "p":
            plan = inverse_dynamics_plan(self.bare, self.external)
            plan = left_over(self.bare, range(nv), plan) if self.actuated else plan
            self.take(tangent_sweeps(plan, "p", {"tau": parts["needed"]}, {"a": _MOTION}))
        outputs = {EXERTED: parts[EXERTED], C: f"dc_d{by}"} | ({BOUND: "dbound_dp"} if by == "p" else {})
        if impacts_of(self.model):
            before = (BEFORE, RESTITUTION, COMPLIANCE) if by == "p" else (BEFORE,)
            outputs |= {name: f"d{name}_d{by}" for name in before}
        linked = {"w": END, "y": "lambda", AT: AT}
        apart = {} if by == "p" else {placed.number: placed for placed in on_planes(self.moved)}
        self.take(self.along(self.moved, rows_at_end(self.model, self.support, apart), by, outputs, linked))
        if by == "q":
            places = PlaneFields(_KNOWN, "lambda", END, "dc_dq", parts[EXERTED])
            self.take(plane_sweeps(self.moved, list(apart.values()), places))
        stiff = stiff_at_end(self.tree, self.bare)
        if stiff is not None:
            self.take(self.along(self.tree, stiff, by, {STIFF: parts[STIFF]}, {"w": END}))
        if by in "qv":
            self.take(self.straight_by(by, parts))
        return parts

    def by_length(self) -> None:
        """Add slopes by h: of what is explicit, tau - bias, of stiff forces, of c and of bounds."""
        outputs, linked = {C: LENGTHS[1], BOUND: LENGTHS[2]}, {"w": END, "y": "lambda", AT: AT}
        self.take(self.along(self.moved, rows_at_end(self.model, self.support, ()), "h", outputs, linked))
        stiff, slopes = stiff_at_end(self.tree, self.bare), self.state(f"{STIFF}_by_h", self.nv, 1)
        if stiff is not None:
            self.take(self.along(self.tree, stiff, "h", {STIFF: slopes.field}, {"w": END}))
        written, visits = places_written(self.sweeps, slopes.field), list[Visit]()
        for row in range(self.nv):
            names = {"tau": "tau", "needed": NEEDED, **({STIFF: slopes.field} if row in written else {})}
            read: dict[str, Binding] = {name: Access(field, row, 1) for name, field in names.items()}
            visits.append(Visit(-1, None, {}, {**read, "entry": Access(LENGTHS[0], row, 1)}))
        self.sweeps.append(Sweep(_LENGTHEN, tuple(visits), vector=True))

    def along(self, tree: TreePlan, plan: Plan, by: str, outputs: Mapping[str, str], linked: Mapping[str, str]) -> Made:
        """Slopes of a plan."""
        return along_sweeps(tree, moments_apart(tree.rods, plan), by, outputs, linked, label=f"_{plan.name}")

    def straight_by(self, by: str, parts: dict[str, str]) -> Made:
        """Slopes of what M is multiplied by where bodies move straight, times M."""
        straight = straight_sweeps(self.bare, _STRAIGHT)
        if not straight:
            return [], []
        nv = self.nv
        fields = (
            Field("q", FieldKind.INPUT, self.model.nq),
            Field("v", FieldKind.INPUT, nv),
            Field(_STRAIGHT, FieldKind.OUTPUT, nv),
        )
        plan = Plan("turning", fields, tuple(straight), self.tree_bodies, self.bare.parent)
        slopes = MatrixField(f"straight_by_{by}", nv)
        made = along_sweeps(self.tree, plan, by, {_STRAIGHT: slopes.field}, {}, label="_turning")
        columns = {c: k for c, k in inner_rows(made[1], slopes, range(nv)).items() if k}
        if not columns:
            return [], []
        self.state(slopes.field, nv, nv)
        parts["rolled"] = self.state(f"rolled_by_{by}", nv, nv).field
        mass = MatrixField(_MASS, nv)
        products = product_sweeps(mass, slopes, MatrixField(parts["rolled"], nv), range(nv), columns)
        return made[0], [*made[1], *products]

    @property
    def tree_bodies(self) -> tuple[str, ...]:
        """Names of the bodies of plans."""
        return tuple(body.name for body in self.bare.bodies)

    def summed(self, by: str, parts: Mapping[str, str]) -> Sweep:
        """The sweep over all entries of dimpulse that are not zero by structure."""
        fields = dict(parts) | ({_MASS: _MASS} if by == "v" else {})
        written = {name: places_written(self.sweeps, field) for name, field in fields.items()}
        visits = []
        for place in sorted(set[int]().union(*written.values())):
            read: dict[str, Binding] = {
                name: Access(fields[name], place, 1) for name in fields if place in written[name]
            }
            target = Access(f"dimpulse_d{by}", place, 1)
            visits.append(Visit(-1, None, {}, {"h": Access("h", 0, 1), **read, "entry": target}))
        return Sweep(_SUM, tuple(visits), vector=True)


def accelerate(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v: its acceleration in the step."""
    acceleration = (reads["end"][0] - reads["v"][0]) / reads["h"][0]
    return {"motion": [acceleration + reads["straight"][0] if "straight" in reads else acceleration]}


def sum_impulses(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: how impulses move."""
    h, total = reads["h"][0], 0.0
    for name in (_MASS, EXERTED):
        if name in reads:
            total = total + reads[name][0]
    for name in ("needed", "rolled"):
        if name in reads:
            total = total - h * reads[name][0]
    return {"entry": [total - reads[STIFF][0] if STIFF in reads else total]}


def lengthen(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v: how its impulse moves by h."""
    explicit = reads["tau"][0] - reads["needed"][0]
    return {"entry": [explicit - reads[STIFF][0] if STIFF in reads else explicit]}


_MOVE = kernel_step("accelerate", accelerate, ("h", "v", "end", "straight"), ("motion",))
_LENGTHEN = kernel_step("lengthen", lengthen, ("tau", "needed", STIFF), ("entry",))
_SUM = kernel_step("sum_impulses", sum_impulses, ("h", _MASS, EXERTED, "needed", "rolled", STIFF), ("entry",))
