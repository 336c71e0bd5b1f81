"""Forces of contacts that let a robot move as required: in their cones, the least that passive rows need.

Passive rows p of v have no force of a joint. With B = J_p, columns of J by these rows, contacts that stand must give

    minimise |lambda|^2 / 2    subject to    B^T lambda = t_p,    lambda in K,    t = ID(q, v, a)

with the product K of friction cones, of {0} for slots that do not touch, and of lines for loops. It is solved in its
few multipliers mu, one per passive row: lambda = P(B mu), P being the projection on K, where

    B^T P(B mu) + e D (mu - c) = t_p

are Newton's equations of a convex function with a continuous gradient (Qi & Sun 1993). D = diag(B^T B) weighs rows
alike. e and c make it a proximal point method (Rockafellar 1976), so that there is a solution always: from c = 0, each
stage starts where the last one ended. e falls, but no further than |r|^2 / |t_p|^2 in the norm of 1/D lets it, with
what is missing, r = e D (mu - c): where cones cannot give t_p, mu would grow as 1/e. Steps and stages are fixed
numbers. A step that passes the minimum along its way goes to where the secant of slopes has it. What contacts cannot
give is left in tau: tau + J^T lambda = ID in all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, dot, scale, subtract
from symdyn.dynamics.contacts.rows import GAP, JACOBIAN, SlotSet, contact_jacobian_plan
from symdyn.dynamics.contacts.runtime_slots import FRICTION, TouchedSet
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.proximal import Factor
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.contact_solving import TOUCHING
from symdyn.model.contact_layout import SLOT_ROWS
from symdyn.model.contact_views import without_contacts
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

STANDING = 1e-3
"""Gap [m] up to which a slot stands."""
STAGES = ((3e-2, 9), (3e-3, 6), (3e-4, 6), (3e-5, 5), (3e-6, 4), (1e-6, 3))
"""Least e of each stage, and its Newton steps."""
MISSING = 3e-3
"""e is at least this times the share of t_p that contacts cannot give, or mu would run away as e falls."""
LEAST_SQUARE = 1e-9
"""Beside D, so that rows of v that no contact moves have a pivot."""
AWAY = 0.01
"""Part of its share of D that a slot has which does not stand."""
_PASSED = 0.3
"""Part of the slope at a step's start that its end may have, or the step is shortened."""
_TINY = 1e-30
"""Square of a tangential force that counts as none."""
_MULTIPLIERS, _SIZES, _LEFT, _SLOPES, _MOVE = "multipliers", "squares", "unbalanced", "balance_slopes", "newton_move"
_TRIAL, _TRIAL_LEFT, _PROXIMAL = "tried", "tried_unbalanced", "proximal"


@dataclass(frozen=True, slots=True)
class BearVariant:
    """What is structural of a set of rows: how many, 3 of a slot or 1 of a loop, columns of J, and passive ones."""

    rows: int
    columns: int
    passive: tuple[int, ...]
    output: str = ""


def _taken(variant: BearVariant, reads: Reads) -> list[Vector]:
    slopes = reads["slopes"]
    return [[slopes[row * variant.columns + column] for column in variant.passive] for row in range(variant.rows)]


def add_squares(variant: BearVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per set: what it adds to D."""
    sizes = [dot(column, column) for column in zip(*_taken(variant, reads), strict=True)]
    if variant.rows == 1:
        return {"sizes": sizes}
    return {"sizes": scale(algebra.select(_far(algebra, reads), AWAY, 1.0), sizes)}


def _far(algebra: Algebra, reads: Reads) -> Scalar:
    return algebra.compare("less", STANDING, reads["gap"][0])


def bear(variant: BearVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per set: its forces P(B mu) and what they give to passive rows, with slopes, or to all rows of tau."""
    B, mu = _taken(variant, reads), reads["multipliers"]
    wanted = [dot(row, mu) for row in B]
    force, slopes = _projected(algebra, constants, reads, wanted) if variant.rows > 1 else (wanted, [[1.0]])
    if variant.output == "forces":
        width, entries = variant.columns, reads["slopes"]
        columns = [[entries[row * width + column] for row in range(variant.rows)] for column in range(width)]
        return {"lambda": force, "tau": [-1.0 * dot(column, force) for column in columns]}
    written: dict[str, Sequence[Scalar]] = {"left": [dot(column, force) for column in zip(*B, strict=True)]}
    if variant.output == "slopes":
        across = [[dot(row, column) for column in zip(*B, strict=True)] for row in slopes]
        before, moved = list(zip(*B, strict=True)), list(zip(*across, strict=True))
        written["slopes_left"] = [dot(before[row], moved[other]) for row in range(len(mu)) for other in range(row + 1)]
    return written


def _projected(
    algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads, wanted: Vector
) -> tuple[list[Scalar], Matrix]:
    """The projection on a slot's cone of friction f, and its slopes: inside, on the cone, at its apex or off."""
    f = reads["friction"][0] if "friction" in reads else constants["friction"]
    x, y, n = wanted
    squared = x * x + y * y
    leans = algebra.compare("less", _TINY, squared)
    root = algebra.function("sqrt", algebra.select(leans, squared, 1.0))
    length = algebra.select(leans, root, 0.0)
    slides = algebra.compare("less", f * n, length)
    pulled = algebra.compare("less", f * length, -1.0 * n)
    far = _far(algebra, reads)
    share = 1.0 / (1.0 + f * f)
    borne, e = (f * length + n) * share, (x / root, y / root)
    grows = [f * share * e[0], f * share * e[1], share]
    turning = f * borne / root
    cone = [f * borne * e[0], f * borne * e[1], borne]
    on_cone = [
        [f * e[i] * grows[j] + (turning * (float(i == j) - e[i] * e[j]) if j < len(e) else 0.0) for j in range(3)]
        for i in range(len(e))
    ]
    on_cone.append(grows)

    def chosen(inside: Scalar, on: Scalar) -> Scalar:
        kept = algebra.select(pulled, 0.0, algebra.select(slides, on, inside))
        return algebra.select(far, 0.0, kept)

    force = [chosen(component, on) for component, on in zip(wanted, cone, strict=True)]
    return force, [[chosen(float(i == j), on_cone[i][j]) for j in range(3)] for i in range(3)]


def begin_multipliers(count: int, _: Algebra, __: Mapping[str, Scalar], ___: Reads) -> Writes:
    """Step: mu = 0, D without what sets add, and the first e."""
    return {"multipliers": [0.0] * count, "sizes": [LEAST_SQUARE] * count, "proximal": [STAGES[0][0]]}


def begin_step(passive: tuple[int, ...], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: e D (mu - c) - t_p and its slopes, to which sets add."""
    left, weights = _without_sets(passive, reads, reads["multipliers"])
    slopes = [weight if row == other else 0.0 for row, weight in enumerate(weights) for other in range(row + 1)]
    return {"left": left, "slopes_left": slopes}


def _without_sets(passive: tuple[int, ...], reads: Reads, mu: Vector) -> tuple[list[Scalar], list[Scalar]]:
    weights = scale(reads["proximal"][0], reads["sizes"])
    away = subtract(mu, reads["center"])
    left = [
        weight * reached - reads["required"][row] for weight, reached, row in zip(weights, away, passive, strict=True)
    ]
    return left, list(weights)


def try_step(passive: tuple[int, ...], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: Newton's change of mu, and what is left at its end without what sets add."""
    rest = iter(reads["slopes_left"])
    factor = Factor.of([[next(rest) for _ in range(row + 1)] for row in range(len(passive))])
    move = scale(-1.0, factor.solved(reads["left"]))
    tried = add(reads["multipliers"], move)
    return {"move": move, "tried": tried, "tried_left": _without_sets(passive, reads, tried)[0]}


def end_step(_: None, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: mu after the change, or after the part of it that the secant of slopes along it tells."""
    move = reads["move"]
    start, end = dot(reads["left"], move), dot(reads["tried_left"], move)
    passed = algebra.compare("less", -_PASSED * start, end)
    part = algebra.select(passed, start / algebra.select(passed, start - end, 1.0), 1.0)
    return {"next": add(reads["multipliers"], scale(part, move))}


def end_stage(passive: tuple[int, ...], algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: e of the next stage."""
    e, sizes = reads["proximal"][0], reads["sizes"]
    away = subtract(reads["multipliers"], reads["center"])
    missing = e * e * dot([size * x for size, x in zip(sizes, away, strict=True)], away)
    required = [reads["required"][row] for row in passive]
    whole = dot([x / size for size, x in zip(sizes, required, strict=True)], required)
    loaded = algebra.compare("less", _TINY, whole)
    share = algebra.select(loaded, missing / algebra.select(loaded, whole, 1.0), 0.0)
    return {"next": [algebra.function("max", constants["least"], MISSING * share)]}


def _step(name: str, kernel: object, reads: Sequence[str], writes: Sequence[str], adds: Sequence[str] = ()) -> Step:
    ports = [Port(name, Mode.READ) for name in reads]
    ports += [Port(name, Mode.WRITE) for name in writes] + [Port(name, Mode.ADD) for name in adds]
    return Step(name, kernel, tuple(ports))  # type: ignore[arg-type]


_SQUARES = _step("add_squares", add_squares, ("slopes", "gap"), (), ("sizes",))
_BEAR = _step("bear", bear, ("slopes", "gap", "multipliers", "friction"), ("lambda",), ("left", "slopes_left", "tau"))
_ZERO = _step("begin_multipliers", begin_multipliers, (), ("multipliers", "sizes", "proximal"))
_GIVEN = ("multipliers", "center", "sizes", "required", "proximal")
_BEGIN = _step("begin_step", begin_step, _GIVEN, ("left", "slopes_left"))
_TRY = _step("try_step", try_step, (*_GIVEN, "left", "slopes_left"), ("move", "tried", "tried_left"))
_END = _step("end_step", end_step, ("multipliers", "left", "move", "tried_left"), ("next",))
_NEXT = _step("end_stage", end_stage, _GIVEN, ("next",))


def stance_forces_plan(model: Model, actuated: Sequence[int], external: str = "") -> Plan:
    """The plan of q, v, a[, f_ext][, p] -> tau (nv,), lambda (m,).

    Parameters
    ----------
    model
        The robot.
    actuated
        Rows of v that have forces.
    external
        Axes of f_ext: body, world, or empty.
    """
    bare, count = without_contacts(model), model.contact_layout.count
    required, rows = inverse_dynamics_plan(bare, external), contact_jacobian_plan(model)
    fields, sweeps = kept_apart(required.fields, required.sweeps, "needed", (), {"tau": "tau"})
    passive = tuple(row for row in range(model.nv) if row not in set(actuated))
    sharing = _Sharing(model, passive)
    made = [*rows.sweeps, *(sharing.sweeps() if passive else ())]
    kept = [*rows.fields, *(sharing.fields() if passive else ())]
    linked = {JACOBIAN: JACOBIAN, "tau": "tau", "lambda": "lambda"}
    more, added = kept_apart(kept, made, "rows", (), linked)
    given = {"q": model.nq, "v": model.nv, "a": model.nv}
    known_inputs = {*given, TOUCHING}
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in given.items()),
        *TouchedSet(TreePlan(model)).fields(),
        *(item for item in (*fields, *more) if item.name not in known_inputs),
        Field(JACOBIAN, FieldKind.STATE, count * model.nv, sparse=True),
        Field("tau", FieldKind.OUTPUT, model.nv),
        Field("lambda", FieldKind.OUTPUT, count),
    ]
    known = {field.name: field for field in fields}
    tree = TreePlan(bare, external)
    return plan_of("stance_forces", tree, [*sweeps, *added], [*known.values(), *tree.fields()])


class _Sharing:
    """Sweeps that find forces of sets from J, gaps and tau."""

    def __init__(self, model: Model, passive: tuple[int, ...]) -> None:
        self.nv, self.passive, self.count = model.nv, passive, len(passive)
        self.layout = model.contact_layout
        tree = TreePlan(model)
        self.slots, self.touched = SlotSet(tree).slots, TouchedSet(tree)
        self.steps = sum(number for _, number in STAGES)

    def fields(self) -> Iterator[Field]:
        """What they keep."""
        sizes = {_SIZES: 1, _LEFT: 1, _MOVE: 1, _TRIAL: 1, _TRIAL_LEFT: 1, _MULTIPLIERS: self.steps + 1}
        yield from (Field(name, FieldKind.STATE, number * self.count) for name, number in sizes.items())
        yield Field(_PROXIMAL, FieldKind.STATE, len(STAGES))
        yield Field(_SLOPES, FieldKind.STATE, self.count * (self.count + 1) // 2)

    def sweeps(self) -> Iterator[Sweep]:
        """All of them."""
        sizes = self._all(_SIZES)
        yield Sweep(
            _ZERO,
            (
                Visit(
                    -1,
                    self.count,
                    {},
                    {"multipliers": self._at(0), "sizes": sizes, "proximal": Access(_PROXIMAL, 0, 1)},
                ),
            ),
        )
        yield Sweep(_SQUARES, tuple(self._sets("squares", {"sizes": sizes})))
        step, center = 0, self._at(0)
        for stage, (_, number) in enumerate(STAGES):
            for _ in range(number):
                yield from self._newton(step, self._given(step, center, stage))
                step += 1
            if stage + 1 < len(STAGES):
                ends = {**self._given(step, center, stage), "next": Access(_PROXIMAL, stage + 1, 1)}
                yield Sweep(_NEXT, (Visit(-1, self.passive, {"least": STAGES[stage + 1][0]}, ends),))
            center = self._at(step)
        yield Sweep(_BEAR, tuple(self._sets("forces", {"multipliers": center, "tau": Access("tau", 0, self.nv)})))

    def _given(self, step: int, center: Access, stage: int) -> dict[str, Binding]:
        """What the equations of a stage take, at the multipliers after so many steps."""
        return {
            "multipliers": self._at(step),
            "center": center,
            "sizes": self._all(_SIZES),
            "required": Access("tau", 0, self.nv),
            "proximal": Access(_PROXIMAL, stage, 1),
        }

    def _newton(self, step: int, stage: dict[str, Binding]) -> Iterator[Sweep]:
        left, tried_left = self._all(_LEFT), self._all(_TRIAL_LEFT)
        slopes = Access(_SLOPES, 0, self.count * (self.count + 1) // 2)
        given: dict[str, Binding] = {**stage, "left": left, "slopes_left": slopes}
        yield Sweep(_BEGIN, (Visit(-1, self.passive, {}, given),))
        at_start: dict[str, Binding] = {"multipliers": self._at(step), "left": left, "slopes_left": slopes}
        yield Sweep(_BEAR, tuple(self._sets("slopes", at_start)))
        move, tried = self._all(_MOVE), self._all(_TRIAL)
        bindings: dict[str, Binding] = {"move": move, "tried": tried, "tried_left": tried_left}
        yield Sweep(_TRY, (Visit(-1, self.passive, {}, {**given, **bindings}),))
        yield Sweep(_BEAR, tuple(self._sets("", {"multipliers": tried, "left": tried_left})))
        ends: dict[str, Binding] = {"multipliers": self._at(step), "left": left, "next": self._at(step + 1)}
        yield Sweep(_END, (Visit(-1, None, {}, {**ends, "move": move, "tried_left": tried_left}),))

    def _sets(self, output: str, bindings: Mapping[str, Binding]) -> Iterator[Visit]:
        for placed in self.slots:
            row, rows = len(SLOT_ROWS) * placed.number, len(SLOT_ROWS)
            of_set: dict[str, Binding] = {"slopes": self._slopes(row, rows), "gap": Access(GAP, placed.number, 1)}
            constants = {"friction": placed.load.constants["friction"]}
            yield self._set(output, row, rows, {**bindings, **of_set}, constants)
        for pair in self.touched.touched:
            bearing: dict[str, Binding] = {"slopes": self._slopes(pair.first, len(SLOT_ROWS))}
            bearing |= {"gap": Access(GAP, pair.number, 1), "friction": Access(FRICTION, pair.place, 1)}
            yield self._set(output, pair.first, len(SLOT_ROWS), {**bindings, **bearing}, {})
        for row in range(self.layout.loops, self.layout.count):
            yield self._set(output, row, 1, {**bindings, "slopes": self._slopes(row, 1)}, {})

    def _set(
        self, output: str, row: int, rows: int, bindings: dict[str, Binding], constants: dict[str, Constant]
    ) -> Visit:
        variant = BearVariant(rows, self.nv, self.passive, output)
        if output == "squares":
            return Visit(-1, variant, {}, {port: place for port, place in bindings.items() if port != "friction"})
        last = {"lambda": Access("lambda", row, rows)} if output == "forces" else {}
        return Visit(-1, variant, constants, {**bindings, **last})

    def _slopes(self, row: int, rows: int) -> Access:
        return Access(JACOBIAN, row * self.nv, rows * self.nv)

    def _at(self, step: int) -> Access:
        return Access(_MULTIPLIERS, step * self.count, self.count)

    def _all(self, field: str) -> Access:
        return Access(field, 0, self.count)
