"""The contact problem of one step: what the velocities would be without contact, and how impulses change them.

    Mh = M(q) + h D + h^2 K,    v_free = v + Mh^-1 (h (tau - bias(q, v)) - h^2 K v)
    G = J Mh^-1 J^T,    c_free = J v_free + s,    so that c = c_free + G lambda,    v+ = v_free + Mh^-1 J^T lambda

Components of v_free have the axes at the start of the step: a body without joints above it moves straight in them.
D and K are the symmetric parts of the slopes of losses and of what is elastic: stiff forces are implicit, all others
and gyroscopic terms explicit. Mh is factored along the branches as M is; a spring between branches joins these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, cross
from symdyn.description.collision import SEQUENTIAL
from symdyn.dynamics.contacts.products import (
    C_FREE,
    DELASSUS,
    MOBILITY,
    PUSH,
    RESPONSE,
    SPREAD,
    V_FREE,
    WHITE,
    WHITENED,
    products_by_root,
    products_of,
)
from symdyn.dynamics.contacts.rows import (
    BEFORE,
    BOUND,
    COMPLIANCE,
    GAP,
    JACOBIAN,
    RESTITUTION,
    SHIFT,
    rows_plan,
    supports,
)
from symdyn.dynamics.contacts.runtime_slots import TouchedSet
from symdyn.dynamics.elements.shares import damping_forces_plan, elastic_forces_plan
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.inverse import mass_matrix_inverse_sweeps, mass_matrix_root_sweeps
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.contracted_view import weighing_sweeps
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.contact_solving import FEW_ROWS
from symdyn.interface.stepping import Rates
from symdyn.model.contact_views import with_dry_friction, without_contacts
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written, vanishing
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

NEEDED = "needed"
"""The field of the bias: forces that the motion straight on needs."""
_STRAIGHT = "straight_on"
ELASTIC, LOSSY = "slope_elastic", "slope_lossy"
PUBLIC = (V_FREE, DELASSUS, C_FREE)
_FACTORS = (C_FREE, WHITENED, SPREAD, GAP, BOUND, COMPLIANCE)


def system_of(model: Model) -> tuple[str, ...]:
    """What a solver of the problem needs."""
    return (*PUBLIC, RESPONSE, GAP, BOUND, COMPLIANCE, *impacts_of(model))


def factors_of(model: Model) -> tuple[str, ...]:
    """The same by a root of Mh^-1, so that of many rows a solver makes G of those alone that touch."""
    few = [DELASSUS] if model.contact_layout.count <= FEW_ROWS else []
    return (V_FREE, *few, *_FACTORS, *impacts_of(model))


def impacts_of(model: Model) -> tuple[str, ...]:
    """What a solver needs besides where impacts are solved one pair of bodies after another."""
    return (BEFORE, RESTITUTION) if model.contact_layout.options.impacts == SEQUENTIAL else ()


def contact_problem_plan(model: Model, external: str = "", outputs: Sequence[str] = PUBLIC) -> Plan:
    """The plan of q, v, tau, h[, touching][, f_ext][, p] -> v_free (nv,), delassus (m, m), c_free (m,), or others.

    ``response`` is J Mh^-1, (m, nv). With Mh^-1 = W W^T, ``whitened`` is J W, (m, nv), and ``spread`` W^T, (nv, nv).
    ``gap`` (ns + nl,), ``bound`` (m,), ``compliance`` (m,) are those of :func:`rows_plan`, and so are ``c_before`` (m,)
    and ``restitution`` (ns + nl,).

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    bare = without_contacts(with_dry_friction(model))
    tree = TreePlan(bare, external)
    refuse_jumps(tree)
    count, nv = model.contact_layout.count, model.nv
    rows = rows_plan(model, "contact_rows", law=True)
    linked = {name: name for name in (JACOBIAN, GAP, SHIFT, BOUND, COMPLIANCE, *impacts_of(model))}
    fields, sweeps = kept_apart(rows.fields, rows.sweeps, "rows", (), linked)
    for made in (_bias(bare, external), stiff_slopes(tree, bare)):
        fields, sweeps = [*fields, *made[0]], [*sweeps, *made[1]]
    sweeps.append(_pushes(nv))
    stiff = _stiffening(sweeps, nv)
    by_root, coupled = WHITENED in outputs, DELASSUS in outputs
    target, made_by = (SPREAD, mass_matrix_root_sweeps) if by_root else (MOBILITY, mass_matrix_inverse_sweeps)
    weighed, mobile = weighing_sweeps(
        tree, lambda seen: made_by(seen, range(nv), target, stiff), "weight", {target: target}
    )
    fields, sweeps = [*fields, *weighed], [*sweeps, *mobile]
    jacobian_columns = supports(places_written(sweeps, JACOBIAN), count, nv)
    sweeps += (
        products_by_root(jacobian_columns, supports(places_written(mobile, SPREAD), nv, nv), nv, count, coupled)
        if by_root
        else products_of(jacobian_columns, nv, count)
    )
    sizes = {
        V_FREE: nv,
        DELASSUS: count * count,
        C_FREE: count,
        RESPONSE: count * nv,
        WHITENED: count * nv,
        SPREAD: nv * nv,
        GAP: model.contacts.slot_count + len(model.contacts.limits),
        BOUND: count,
        COMPLIANCE: count,
        JACOBIAN: count * nv,
        MOBILITY: nv * nv,
        SHIFT: count,
        BEFORE: count,
        RESTITUTION: model.contacts.slot_count + len(model.contacts.limits),
    }
    unused = {BEFORE, RESTITUTION}.difference(impacts_of(model))
    sizes = {name: size for name, size in sizes.items() if name not in unused}
    state = {ELASTIC: nv * nv, LOSSY: nv * nv, _STRAIGHT: nv}
    given = {"q": model.nq, "v": nv, "tau": nv, "h": 1}
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in given.items()),
        *TouchedSet(tree).fields(),
        *(item for item in fields if item.kind is not FieldKind.INPUT),
        *(Field(name, FieldKind.STATE, size, sparse=True) for name, size in state.items()),
        *(Field(name, FieldKind.STATE, size) for name, size in ((PUSH, nv), (NEEDED, nv), (WHITE, nv))),
        *(
            Field(name, FieldKind.OUTPUT if name in outputs else FieldKind.STATE, size, sparse=name not in outputs)
            for name, size in sizes.items()
        ),
    ]
    plan = plan_of("contact_problem", tree, sweeps, [*fields, *tree.fields()])
    in_order = {item.name: item for item in plan.fields}
    last = [in_order.pop(name) for name in outputs]
    return replace(plan, fields=(*in_order.values(), *last))


def _bias(model: Model, external: str) -> tuple[list[Field], list[Sweep]]:
    """Inverse dynamics at accelerations by which bodies without joints above them move straight in fixed axes.

    v_free then has components in the axes at the start of the step.
    """
    plan, straight = inverse_dynamics_plan(model, external), straight_sweeps(model, _STRAIGHT)
    if not straight:
        fields, sweeps = vanishing(plan.fields, plan.sweeps, ("a",))
        return kept_apart(fields, sweeps, "bias", (), {"tau": NEEDED})
    fields, sweeps = kept_apart(plan.fields, plan.sweeps, "bias", (), {"tau": NEEDED, "a": _STRAIGHT})
    return fields, [*straight, *sweeps]


def keep_straight(rates: Rates, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per free or planar joint: rates of v while its body moves straight, -omega x v in axes that turn."""
    v = reads["v"]
    if rates is Rates.PLANAR:
        return {"a": [v[2] * v[1], -1.0 * v[2] * v[0], 0.0]}
    if rates is Rates.FREE:
        return {"a": [*cross(v[:3], v[3:]), 0.0, 0.0, 0.0]}
    return {"a": [0.0, 0.0, 0.0, *cross(add(v[3:], cross(v[:3], reads["q"])), v[:3])]}


_KEEP_STRAIGHT = Step(
    "keep_straight", keep_straight, (Port("q", Mode.READ), Port("v", Mode.READ), Port("a", Mode.WRITE))
)


def straight_sweeps(model: Model, target: str) -> list[Sweep]:
    """The sweep that fills rates of v of bodies that move straight, where there are any."""
    visits = []
    for joint in model.independent_joints:
        rates, rows = joint.kind.coordinate_rates, joint.v_rows
        if rates not in (Rates.FREE, Rates.FREE_SPATIAL, Rates.PLANAR):
            continue
        count = rows.stop - rows.start
        bindings: dict[str, Binding] = {
            "q": Access("q", joint.q_rows.start, 3),
            "v": Access("v", rows.start, count),
            "a": Access(target, rows.start, count),
        }
        visits.append(Visit(-1, rates, {}, bindings))
    return [Sweep(_KEEP_STRAIGHT, tuple(visits))] if visits else []


def stiff_slopes(tree: TreePlan, model: Model) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps of the slopes of elastic forces by moves of q, and of losses by v."""
    fields, sweeps = list[Field](), list[Sweep]()
    parts: tuple[tuple[Callable[[Model], Plan], str, str], ...] = (
        (elastic_forces_plan, "q", ELASTIC),
        (damping_forces_plan, "v", LOSSY),
    )
    for make, by, target in parts:
        plan = make(model)
        if not places_written(plan.sweeps, "tau"):
            continue
        made = along_sweeps(tree, moments_apart(tree.rods, plan), by, {"tau": target}, {}, label=target)
        fields, sweeps = [*fields, *made[0]], [*sweeps, *made[1]]
    return fields, sweeps


def push(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v: the impulse of the forces that are explicit."""
    return {"push": [reads["h"][0] * (reads["tau"][0] - reads["needed"][0])]}


def stiffen(mirrored: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per pair of rows: h D + h^2 K beside M, and -h^2 K v beside the impulses."""
    h = reads["h"][0]
    elastic, lossy = (_even(reads, name, mirrored) for name in ("elastic", "lossy"))
    writes: dict[str, Sequence[Scalar]] = {}
    entry: Scalar = 0.0
    if lossy is not None:
        entry = h * lossy
    if elastic is not None:
        squared = h * h * elastic
        entry = entry + squared
        writes["push"] = [-1.0 * squared * reads["v_column"][0]]
        if mirrored:
            writes["mirror_push"] = [-1.0 * squared * reads["v_row"][0]]
    writes["entry"] = [entry]
    if mirrored:
        writes["mirror"] = [entry]
    return writes


def _even(reads: Reads, name: str, mirrored: bool) -> Scalar | None:
    """The symmetric part of an entry of a matrix of which one or both mirrored entries are known."""
    slopes = [reads[port][0] for port in (name, f"{name}_mirror") if port in reads]
    if not slopes:
        return None
    return 0.5 * sum(slopes[1:], slopes[0]) if mirrored else slopes[0]


_PUSHED = Step(
    "contact_push", push, (*(Port(name, Mode.READ) for name in ("h", "tau", "needed")), Port("push", Mode.WRITE))
)
_STIFFEN = Step(
    "stiffen",
    stiffen,
    (
        *(Port(name, Mode.READ) for name in ("h", "elastic", "elastic_mirror", "lossy", "lossy_mirror")),
        *(Port(name, Mode.READ) for name in ("v_column", "v_row")),
        *(Port(name, Mode.ADD) for name in ("entry", "mirror", "push", "mirror_push")),
    ),
)


def _pushes(nv: int) -> Sweep:
    visits = (
        Visit(
            -1,
            None,
            {},
            {
                "h": Access("h", 0, 1),
                "tau": Access("tau", row, 1),
                "needed": Access(NEEDED, row, 1),
                "push": Access(PUSH, row, 1),
            },
        )
        for row in range(nv)
    )
    return Sweep(_PUSHED, tuple(visits), vector=True)


def _stiffening(filled: Sequence[Sweep], nv: int) -> list[Sweep]:
    """The sweep that adds what is stiff to M and to the impulses, where there is any."""
    known = {"elastic": places_written(filled, ELASTIC), "lossy": places_written(filled, LOSSY)}
    fields = {"elastic": ELASTIC, "lossy": LOSSY}
    pairs = sorted({tuple(sorted(divmod(place, nv), reverse=True)) for places in known.values() for place in places})
    visits = []
    for row, column in pairs:
        bindings: dict[str, Binding] = {"h": Access("h", 0, 1), "entry": Access("M", row * nv + column, 1)}
        for name, places in known.items():
            ends = ((name, row * nv + column), (f"{name}_mirror", column * nv + row))
            for port, place in ends if row != column else ends[:1]:
                if place in places:
                    bindings[port] = Access(fields[name], place, 1)
        stiff = any(port.startswith("elastic") for port in bindings)
        if stiff:
            bindings |= {"v_column": Access("v", column, 1), "push": Access(PUSH, row, 1)}
        if row != column:
            bindings |= {"mirror": Access("M", column * nv + row, 1)}
            if stiff:
                bindings |= {"v_row": Access("v", row, 1), "mirror_push": Access(PUSH, column, 1)}
        visits.append(Visit(-1, row != column, {}, bindings))
    return [Sweep(_STIFFEN, tuple(visits))] if visits else []
