"""Costs of optimal-control problems: values, gradients and Hessians of weighted squares of residuals.

With the residual r of a term, its diagonal matrix W and s = r^T W r, a term is ``c rho(s)``, where c is its weight,
times the length of a step on the path. It has

    gradient  c f J^T W r,    Gauss-Newton Hessian  c f J^T W J >= 0,    J = dr/dx,  f = 2 rho'(s)

rho = s / 2 and f = 1, or with Huber's threshold d, rho = d sqrt(s) - d^2 / 2 and f = d / sqrt(s) from s = d^2 on. J is
by moves of q along rows of v. Of frames it has the columns of rows that move them alone, and of differences of rows a
block per joint, which is the unit matrix where coordinates are rates.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import prod

from symdyn.description.control.costs import EXACT
from symdyn.dynamics.control.cost_steps import (
    ADD,
    BEGIN,
    BLOCK,
    COLUMN,
    COORDINATE,
    DIFFERENCE,
    ENTRY,
    EVEN,
    OF_RATE,
    OWN,
    PAIR,
    RATE,
    WEIGH,
)
from symdyn.dynamics.control.cost_terms import COORDINATES, INPUTS, RATES, TARGETS, VELOCITIES, Term, Terms, Weighing
from symdyn.dynamics.control.residuals import frame_errors
from symdyn.dynamics.control.state_residuals import QUANTITIES, quantity_sweeps
from symdyn.dynamics.equations.residual_gradient import gradient_plan
from symdyn.dynamics.equations.residual_hessian import POSES_VARIED
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.optimal_control import BEFORE
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import begun_alike, kept_apart, outputs_as_state, places_written, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Plan, Step, Sweep, Visit

BY_PARAMETERS = "l_p"
"""The output of the gradient by run-time parameters."""
_SEED = "seed"
Column = tuple[str, int, Access, Access]
"""Letter and row of what moves a residual, its column of slopes, and where this times weights is kept."""


class Slopes(Enum):
    """What is found beside a cost."""

    NONE = "none"
    GRADIENT = "gradient"
    HESSIAN = "hessian"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A term with the first of its rows, and how it counts."""

    term: Term
    first: int
    weighing: Weighing

    @property
    def rows(self) -> int:
        return len(self.term.rows)

    @property
    def exact(self) -> bool:
        """Whether second derivatives differ from Gauss and Newton's."""
        linear = self.term.part in (VELOCITIES, INPUTS, RATES) and self.term.cost.huber is None
        return self.term.cost.hessian == EXACT and not linear

    def part(self, field: str, start: int = 0, count: int | None = None) -> Access:
        """Some of its rows in a field with a row per row of residuals."""
        return Access(field, self.first + start, self.rows - start if count is None else count)


def cost_plan(
    model: Model,
    terms: Terms,
    name: str,
    given: str,
    end: bool = False,
    slopes: Slopes = Slopes.HESSIAN,
    parameters: bool = False,
    kept: bool = False,
) -> Plan:
    """The plan of a cost, its gradient and its Hessian.

    Parameters
    ----------
    model
        The robot as it is described.
    terms
        Those of the problem.
    name
        Of the plan.
    given
        Name of the input with what drives the robot, which is no input of costs at the end.
    end
        Whether it is the cost at the end, and not that of a step.
    slopes
        Which derivatives are found.
    parameters
        Whether there is the gradient by run-time parameters, too.
    kept
        Whether each body has a place of its own, as walks back need.
    """
    model, placed = lossless(model), _in_order(terms, end)
    work = _Work(model, terms, placed, given, slopes, kept)
    nv, nu, size = model.nv, len(terms.inputs), sum(own.rows for own in placed)
    fields = {"q": Field("q", FieldKind.INPUT, model.nq), "v": Field("v", FieldKind.INPUT, nv)}
    fields |= {} if end else {given: Field(given, FieldKind.INPUT, nu)}
    fields |= {BEFORE: Field(BEFORE, FieldKind.INPUT, nu)} if terms.rated and not end else {}
    fields |= {TARGETS: Field(TARGETS, FieldKind.INPUT, len(terms.given))} if terms.given else {}
    states = {"e": size, "pull": size, "stiff": size, "de_dq": size * nv, "scaled": size * nv, "turns": work.turns}
    fields |= {own: Field(own, FieldKind.STATE, max(width, 1), sparse=True) for own, width in states.items()}
    sizes = {"q": nv, "v": nv, "u": nu, "b": nu}
    fields |= {
        own: Field(own, FieldKind.OUTPUT, prod(sizes[letter] for letter in own[2:]))
        for own in output_names(terms.rated, end, slopes)
    }
    if slopes is Slopes.HESSIAN:
        work.exact(name, end, sizes)
    if parameters:
        fields[BY_PARAMETERS] = Field(BY_PARAMETERS, FieldKind.OUTPUT, len(model.slots.names))
        work.by_parameters(name, end)
    found = {field.name: field for field in work.fields} | fields
    bodies = tuple(body.name for body in model.bodies)
    return begun_alike(wanted(Plan(name, tuple(found.values()), tuple(work.sweeps), bodies, model.parent)))


def output_names(rated: bool, end: bool, slopes: Slopes = Slopes.HESSIAN) -> tuple[str, ...]:
    """Names of outputs: the cost, and derivatives by q, v, u, and b, the inputs of the step before."""
    letters = ("q", "v") if end else ("q", "v", "u", "b") if rated else ("q", "v", "u")
    pairs = [pair for pair in ("qq", "qv", "vv", "uu", "ub", "bb") if set(pair) <= set(letters)]
    found = {Slopes.NONE: [], Slopes.GRADIENT: [*letters], Slopes.HESSIAN: [*letters, *pairs]}[slopes]
    return ("l", *(f"l_{own}" for own in found))


def _in_order(terms: Terms, end: bool) -> list[_Placed]:
    """The terms that count, those of frames first."""
    counting = [(term, own) for term in terms.terms if (own := term.end if end else term.path) is not None]
    counting.sort(key=lambda own: own[0].residual is None)
    found, first = list[_Placed](), 0
    for term, own in counting:
        found.append(_Placed(term, first, own))
        first += len(term.rows)
    return found


class _Work:
    """The sweeps."""

    def __init__(
        self, model: Model, terms: Terms, placed: Sequence[_Placed], given: str, slopes: Slopes, kept: bool
    ) -> None:
        self._kept = kept
        self._model, self._terms, self._given, self._slopes = model, terms, given, slopes
        self._placed = placed
        self.fields: list[Field] = []
        self.sweeps: list[Sweep] = []
        self.turns = 0
        self._turned: list[tuple[_Placed, int, int, int]] = []
        sloped = slopes is not Slopes.NONE
        columns = [*self._frames(sloped), *self._quantities(sloped)]
        parts = [own for own in placed if own.term.part]
        self._add(DIFFERENCE, [self._difference(own) for own in placed if own.term.part in (VELOCITIES, INPUTS)])
        self._add(RATE, [self._rate(own) for own in parts if own.term.part == RATES])
        self._add(COORDINATE, [visit for own in parts if own.term.part == COORDINATES for visit in self._joints(own)])
        self._add(WEIGH, [self._weighed(own, sloped) for own in placed])
        if sloped:
            self._of_columns(columns)
            self._of_rows([own for own in parts if own.term.part != RATES])
            self._add(OF_RATE, [self._of_rate(own) for own in parts if own.term.part == RATES])

    def exact(self, name: str, end: bool, sizes: Mapping[str, int]) -> None:
        """Add second derivatives that are exact: tangents of the gradient of those terms, found in reverse."""
        chosen = tuple(own.term for own in self._placed if own.exact)
        if not chosen:
            return
        inputs = {"q": "q", "v": "v", "u": self._given, "b": BEFORE}
        parts = {term.part for term in chosen}
        driven = tuple(letter for letter in "ub" if letter in parts or "b" in parts)
        tree = TreePlan(self._model, kept=True, derivatives=POSES_VARIED)
        others = tuple(inputs[letter] for letter in driven)
        gradient = self._gradient(f"{name}_gradient", tree, chosen, end, others)
        adds, evens = list[Visit](), list[Visit]()
        for output in output_names(self._terms.rated, end):
            first, second = output[2:3], output[3:]
            if not second or not {first, second} <= {"q", "v", *driven}:
                continue
            rows, columns = sizes[first], sizes[second]
            block = f"varied_{first}{second}"
            jacobian = {f"g_{inputs[first]}": block}
            fields, sweeps = along_sweeps(tree, gradient, inputs[second], jacobian, {}, f"_{first}{second}")
            self.fields += [*fields, Field(block, FieldKind.STATE, rows * columns, sparse=True)]
            self.sweeps += sweeps
            if first == second and first in ("q", "v"):
                evens += self._evened(block, output)
                continue
            adds += [
                Visit(-1, None, {}, {"more": Access(block, own, columns), "row": Access(output, own, columns)})
                for own in (columns * row for row in range(rows))
            ]
        self._add(EVEN, evens)
        self._add(ADD, adds)

    def by_parameters(self, name: str, end: bool) -> None:
        """Add the gradient by run-time parameters of the terms that rest on them, found in reverse."""
        chosen = tuple(own.term for own in self._placed if not own.term.part)
        if not chosen:
            return
        plan = self._gradient(f"{name}_by_parameters", TreePlan(self._model, kept=True), chosen, end, ("p",))
        states = outputs_as_state(plan.fields)
        fields, sweeps = kept_apart(states, plan.sweeps, "by_p", (), {_SEED: _SEED, "g_p": BY_PARAMETERS})
        self.fields += fields
        self.sweeps += sweeps

    def _gradient(self, name: str, tree: TreePlan, terms: tuple[Term, ...], end: bool, others: tuple[str, ...]) -> Plan:
        """The plan of the gradient of some terms, by q, v and other inputs; it begins at a seed of 1."""
        own = replace(self._terms, terms=terms)
        value = cost_plan(self._model, own, f"{name}_value", self._given, end, Slopes.NONE, kept=True)
        if all(field.name != _SEED for field in self.fields):
            self.fields.append(Field(_SEED, FieldKind.STATE, 1))
            self._add(BEGIN, [Visit(-1, None, {}, {"seed": Access(_SEED, 0, 1)})])
        return gradient_plan(name, tree, value, {"l": _SEED}, others)

    def _evened(self, block: str, output: str) -> Iterator[Visit]:
        """Second derivatives in the mean of both orders, which differ within a joint that turns in several ways."""
        nv = self._model.nv
        for joint in self._model.independent_joints:
            first = joint.v_index
            for row in range(first, first + len(joint.coordinates.v)):
                for column in range(row + 1):
                    below, above = (Access(block, nv * a + b, 1) for a, b in ((row, column), (column, row)))
                    found: dict[str, Binding] = {"entry": Access(output, nv * row + column, 1), "below": below}
                    found |= {"above": above if column >= first else below}
                    found |= {} if row == column else {"other": Access(output, nv * column + row, 1)}
                    yield Visit(-1, row != column, {}, found)

    def _add(self, step: Step, visits: Sequence[Visit]) -> None:
        if visits:
            self.sweeps.append(Sweep(step, tuple(visits)))

    def _frames(self, sloped: bool) -> Sequence[tuple[_Placed, list[Column]]]:
        """Errors of frames, and their columns."""
        placed = [own for own in self._placed if own.term.residual is not None]
        if not placed:
            return []
        nv, residuals = self._model.nv, [own.term.residual for own in placed if own.term.residual is not None]
        shown = replace(self._model, frames=tuple(self._model.frames[number] for number in self._terms.frames))
        errors = frame_errors(shown, residuals, [own.term.target for own in placed], sloped)
        self.fields += errors.fields
        self.sweeps += errors.sweeps

        def column(own: _Placed, field: str, row: int) -> Access:
            return Access(field, nv * own.first + row, own.rows, nv)

        return [
            (own, [("q", row, column(own, "de_dq", row), column(own, "scaled", row)) for row in rows])
            for own, rows in zip(placed, errors.moving, strict=True)
        ]

    def _quantities(self, sloped: bool) -> Sequence[tuple[_Placed, list[Column]]]:
        """Differences of quantities of the state from references, and their columns."""
        model, nv, found, visits = self._model, self._model.nv, list[tuple[_Placed, list[Column]]](), list[Visit]()
        for number, own in enumerate(own for own in self._placed if own.term.quantity):
            frame = own.term.frame
            shown = replace(model, frames=(model.frames[frame],)) if frame >= 0 else model
            plan, value = QUANTITIES[own.term.quantity].plan(shown, self._kept), f"quantity_{number}"
            slopes = {by: f"slope_{by}_{number}" for by in ("q", "v")} if sloped else {}
            fields, sweeps = quantity_sweeps(shown, plan, f"_{number}", value, slopes)
            self.fields += [*fields, Field(value, FieldKind.STATE, own.rows, sparse=True)]
            self.sweeps += sweeps
            columns: list[Column] = []
            for by, name in slopes.items():
                kept = f"scaled_{by}_{number}"
                self.fields += [Field(each, FieldKind.STATE, own.rows * nv, sparse=True) for each in (name, kept)]
                moving = sorted({place % nv for place in places_written(sweeps, name)})
                columns += [
                    (by, row, Access(name, row, own.rows, nv), Access(kept, row, own.rows, nv)) for row in moving
                ]
            found.append((own, columns))
            rows = Access(value, 0, own.rows)
            visits.append(Visit(-1, None, {}, {"rows": rows, "target": own.term.target, "e": own.part("e")}))
        self._add(DIFFERENCE, visits)
        return found

    def _difference(self, own: _Placed) -> Visit:
        field = self._given if own.term.part == INPUTS else own.term.part
        return Visit(-1, None, {}, {"rows": Access(field, 0, own.rows), "target": own.term.target, "e": own.part("e")})

    def _rate(self, own: _Placed) -> Visit:
        both = {"rows": Access(self._given, 0, own.rows), "before": Access(BEFORE, 0, own.rows)}
        return Visit(-1, self._terms.step, {}, {**both, "e": own.part("e")})

    def _of_rate(self, own: _Placed) -> Visit:
        bindings: dict[str, Binding] = {"pull": own.part("pull"), "stiff": own.part("stiff")}
        bindings |= {letter: Access(f"l_{letter}", 0, own.rows) for letter in ("u", "b")}
        if self._curved(own):
            pairs = ("uu", "bb", "ub")
            bindings |= {pair: Access(f"l_{pair}", 0, own.rows, own.rows + 1) for pair in pairs}
        return Visit(-1, (self._terms.step, self._curved(own)), {}, bindings)

    def _curved(self, own: _Placed) -> bool:
        """Whether Gauss and Newton's Hessian of it is found."""
        return self._slopes is Slopes.HESSIAN and not own.exact

    def _joints(self, own: _Placed) -> Sequence[Visit]:
        found = []
        for joint in self._model.independent_joints:
            rows, count, moved = joint.q_index, len(joint.coordinates.q), len(joint.coordinates.v)
            turns = self._slopes is not Slopes.NONE and not joint.kind.commutes
            bindings: dict[str, Binding] = {
                "q": Access("q", rows, count),
                "target": _cut(own.term.target, rows, count),
                "e": own.part("e", joint.v_index, moved),
            }
            if turns:
                bindings["slopes"] = Access("turns", self.turns, moved * moved)
                self._turned.append((own, joint.v_index, moved, self.turns))
                self.turns += moved * moved
            found.append(Visit(-1, (joint.kind, turns, isinstance(own.term.target, Access)), {}, bindings))
        return found

    def _weighed(self, own: _Placed, sloped: bool) -> Visit:
        weighing = own.weighing
        variant: Hashable = (weighing.factor, own.term.cost.huber, sloped)
        bindings: dict[str, Binding] = {"e": own.part("e"), "diagonal": weighing.diagonal, "weight": weighing.weight}
        bindings["l"] = Access("l", 0, 1)
        if sloped:
            bindings |= {"pull": own.part("pull"), "stiff": own.part("stiff")}
        return Visit(-1, variant, {}, bindings)

    def _of_columns(self, found: Sequence[tuple[_Placed, list[Column]]]) -> None:
        """Gradients and products of columns."""
        sizes, columns, entries, pairs = self._model.nv, list[Visit](), list[Visit](), list[Visit]()
        for own, moving in found:
            for place, (letter, row, column, scaled) in enumerate(moving):
                bindings: dict[str, Binding] = {"pull": own.part("pull"), "stiff": own.part("stiff")}
                bindings |= {"column": column, "scaled": scaled, "gradient": Access(f"l_{letter}", row, 1)}
                columns.append(Visit(-1, None, {}, bindings))
                for second, other, beside, _ in moving[: place + 1] if self._curved(own) else ():
                    pair: dict[str, Binding] = {"scaled": scaled, "column": beside}
                    first = Access(f"l_{second}{letter}", sizes * other + row, 1)
                    if second == letter and row != other:
                        mirrored = Access(first.field, sizes * row + other, 1)
                        pairs.append(Visit(-1, None, {}, {**pair, "entry": mirrored, "other": first}))
                    else:
                        entries.append(Visit(-1, None, {}, {**pair, "entry": first}))
        self._add(COLUMN, columns)
        self._add(ENTRY, entries)
        self._add(PAIR, pairs)

    def _of_rows(self, placed: Sequence[_Placed]) -> None:
        """Those of residuals that change as their own rows do, or as those of a joint."""
        nv, own_rows, blocks = self._model.nv, list[Visit](), list[Visit]()
        turned = {(own.first, row) for own, row, _, _ in self._turned}
        for own in placed:
            part, whole = own.term.part, own.rows
            spans = [(0, whole)]
            if part == COORDINATES:
                joints = [(joint.v_index, len(joint.coordinates.v)) for joint in self._model.independent_joints]
                spans = [span for span in joints if (own.first, span[0]) not in turned]
            for start, count in spans:
                bindings: dict[str, Binding] = {"pull": own.part("pull", start, count)}
                bindings |= {"stiff": own.part("stiff", start, count), "gradient": Access(f"l_{part}", start, count)}
                if self._curved(own):
                    bindings["diagonal"] = Access(f"l_{part}{part}", (whole + 1) * start, count, whole + 1)
                own_rows.append(Visit(-1, self._curved(own), {}, bindings))
        for own, start, count, place in self._turned:
            for row in range(count):
                seen: dict[str, Binding] = {"slopes": Access("turns", place, count * count)}
                seen |= {name: own.part(name, start, count) for name in ("pull", "stiff")}
                seen["gradient"] = Access("l_q", start + row, 1)
                if self._curved(own):
                    seen["row"] = Access("l_qq", nv * (start + row) + start, count)
                blocks.append(Visit(-1, (row, count, self._curved(own)), {}, seen))
        self._add(OWN, own_rows)
        self._add(BLOCK, blocks)


def _cut(target: Binding, first: int, count: int) -> Binding:
    """A part of a reference."""
    if isinstance(target, Given):
        return Given(target.values[first : first + count])
    return Access(target.field, target.offset + first, count)
