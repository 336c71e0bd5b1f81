"""Costs of optimal-control problems: values, gradients and Hessians of weighted squares of residuals.

With the residual r of a term, its diagonal matrix W and s = r^T W r, a term is ``c rho(s)``, where c is its weight,
times the length of a step on the path. It has

    gradient  c f J^T W r,    Gauss-Newton Hessian  c f J^T W J >= 0,    J = dr/dx,  f = 2 rho'(s)

rho = s / 2 and f = 1, or with Huber's threshold d, rho = d sqrt(s) - d^2 / 2 and f = d / sqrt(s) from s = d^2 on. J is
by moves of q along rows of v. Of frames it has the columns of rows that move them alone, and of differences of rows a
block per joint, which is the unit matrix where coordinates are rates.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import Dual, DualAlgebra
from symdyn.algebra.spatial.vectors import dot, scale, subtract
from symdyn.dynamics.control.cost_terms import COORDINATES, INPUTS, TARGETS, VELOCITIES, Term, Terms, Weighing
from symdyn.dynamics.control.residuals import frame_errors
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit


def _difference(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per term: how far rows are from their references."""
    return {"e": subtract(reads["rows"], reads["target"])}


def _coordinate_error(
    own: tuple[JointModel, bool, bool], algebra: Algebra, _: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step per joint: ``q (-) q_ref``, and its changes along rows of v where these are not its own.

    Quaternions of references that are given at run time may have any length.
    """
    kind, sloped, given = own
    target = list(reads["target"])
    if given and kind.quaternion:
        target[-4:] = scale(1.0 / algebra.function("sqrt", dot(target[-4:], target[-4:])), target[-4:])
    found: dict[str, Sequence[Scalar]] = {"e": kind.rows_between(algebra, target, reads["q"])}
    if sloped:
        moves = kind.rates(algebra, reads["q"])
        q = [Dual(entry, dict(enumerate(row))) for entry, row in zip(reads["q"], moves, strict=True)]
        ends = kind.rows_between(DualAlgebra(algebra), target, q)
        found["slopes"] = [entry.slope(column) for entry in ends for column in range(len(moves[0]))]
    return found


def _weigh(own: tuple[float, float | None, bool], algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per term: what it adds to the cost, and the weights of its rows in gradient and Hessian."""
    factor, huber, sloped = own
    e, W = reads["e"], reads["diagonal"]
    weighed = [weight * entry for weight, entry in zip(W, e, strict=True)]
    s, c = dot(weighed, e), reads["weight"][0] * factor
    if huber is None:
        value, scaled = 0.5 * s, c
    else:
        square = huber * huber
        root = algebra.function("sqrt", algebra.function("max", s, algebra.constant(square)))
        inner = algebra.function("min", s, algebra.constant(square))
        value, scaled = huber * root - square + 0.5 * inner, c * (huber / root)
    found: dict[str, Sequence[Scalar]] = {"l": [c * value]}
    if sloped:
        found |= {"pull": [scaled * entry for entry in weighed], "stiff": [scaled * weight for weight in W]}
    return found


def _column(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual and row of v that moves its frame: an entry of the gradient, and a column of W J."""
    column = reads["column"]
    stiff = [weight * entry for weight, entry in zip(reads["stiff"], column, strict=True)]
    return {"gradient": [dot(reads["pull"], column)], "scaled": stiff}


def _entry(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual and pair of rows: an entry of J^T W J, above the diagonal and below."""
    return {"entry": [dot(reads["scaled"], reads["column"])]}


def _pair(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    found = [dot(reads["scaled"], reads["column"])]
    return {"entry": found, "other": found}


def _own_rows(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual that changes as its rows do."""
    return {"gradient": reads["pull"], "diagonal": reads["stiff"]}


def _block_row(own: tuple[int, int], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of a joint whose residual turns: its entry of the gradient, and its row of J^T W J."""
    row, size = own
    slopes, stiff = reads["slopes"], reads["stiff"]
    columns = [slopes[place::size] for place in range(size)]
    mine = [weight * entry for weight, entry in zip(stiff, columns[row], strict=True)]
    return {"gradient": [dot(reads["pull"], columns[row])], "row": [dot(mine, column) for column in columns]}


def _step(name: str, kernel: object, read: str, write: str = "", add: str = "") -> Step:
    modes = ((Mode.READ, read), (Mode.WRITE, write), (Mode.ADD, add))
    return Step(name, kernel, tuple(Port(port, mode) for mode, ports in modes for port in ports.split()))  # type: ignore[arg-type]


_DIFFERENCE = _step("row_difference", _difference, "rows target", "e")
_COORDINATE = _step("coordinate_error", _coordinate_error, "q target", "e slopes")
_WEIGH = _step("weigh_residual", _weigh, "e diagonal weight", "pull stiff", "l")
_COLUMN = _step("cost_column", _column, "pull stiff column", "scaled", "gradient")
_ENTRY = _step("cost_entry", _entry, "scaled column", "", "entry")
_PAIR = _step("cost_pair", _pair, "scaled column", "", "entry other")
_OWN = _step("cost_of_rows", _own_rows, "pull stiff", "", "gradient diagonal")
_BLOCK = _step("cost_of_joint", _block_row, "slopes pull stiff", "", "gradient row")
_FIELDS = {COORDINATES: "q", VELOCITIES: "v", INPUTS: "given"}


@dataclass(frozen=True, slots=True)
class _Placed:
    """A term with the first of its rows, and how it counts."""

    term: Term
    first: int
    weighing: Weighing

    @property
    def rows(self) -> int:
        return len(self.term.rows)

    def part(self, field: str, start: int = 0, count: int | None = None) -> Access:
        """Some of its rows in a field with a row per row of residuals."""
        return Access(field, self.first + start, self.rows - start if count is None else count)


def cost_plan(model: Model, terms: Terms, name: str, given: str, end: bool = False, slopes: bool = True) -> Plan:
    """The plan of a cost, and with ``slopes`` of its gradient and its Hessian.

    Parameters
    ----------
    model
        The robot as it is described, with the frames of the terms.
    terms
        Those of the problem.
    name
        Of the plan.
    given
        Name of the input with what drives the robot, which is no input of costs at the end.
    end
        Whether it is the cost at the end, and not that of a step.
    slopes
        Whether derivatives are found.
    """
    placed = list(_in_order(terms, end))
    work = _Work(model, placed, given, slopes)
    nv, nu, size = model.nv, len(terms.inputs), sum(own.rows for own in placed)
    fields = {"q": Field("q", FieldKind.INPUT, model.nq), "v": Field("v", FieldKind.INPUT, nv)}
    fields |= {} if end else {given: Field(given, FieldKind.INPUT, nu)}
    fields |= {TARGETS: Field(TARGETS, FieldKind.INPUT, len(terms.given))} if terms.given else {}
    states = {"e": size, "pull": size, "stiff": size, "de_dq": size * nv, "scaled": size * nv, "turns": work.turns}
    fields |= {own: Field(own, FieldKind.STATE, max(width, 1), sparse=True) for own, width in states.items()}
    fields |= {own: Field(own, FieldKind.OUTPUT, width) for own, width in output_sizes(nv, nu, end, slopes).items()}
    found = {field.name: field for field in work.fields} | fields
    bodies = tuple(body.name for body in model.bodies)
    return wanted(Plan(name, tuple(found.values()), tuple(work.sweeps), bodies, model.parent))


def output_sizes(nv: int, nu: int, end: bool, slopes: bool) -> dict[str, int]:
    """Scalars of each output."""
    if not slopes:
        return {"l": 1}
    found = {
        "l": 1,
        "l_q": nv,
        "l_v": nv,
        "l_u": nu,
        "l_qq": nv * nv,
        "l_qv": nv * nv,
        "l_vv": nv * nv,
        "l_uu": nu * nu,
    }
    return {name: size for name, size in found.items() if not (end and "u" in name)}


def _in_order(terms: Terms, end: bool) -> Sequence[_Placed]:
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

    def __init__(self, model: Model, placed: Sequence[_Placed], given: str, slopes: bool) -> None:
        self._model, self._given, self._slopes = model, given, slopes
        self.fields: tuple[Field, ...] = ()
        self.sweeps: list[Sweep] = []
        self.turns = 0
        self._turned: list[tuple[_Placed, int, int, int]] = []
        of_frames = [own for own in placed if own.term.residual is not None]
        moving: tuple[tuple[int, ...], ...] = ()
        if of_frames:
            residuals = [own.term.residual for own in of_frames if own.term.residual is not None]
            errors = frame_errors(model, residuals, [own.term.target for own in of_frames], slopes)
            self.fields, moving = errors.fields, errors.moving
            self.sweeps += errors.sweeps
        others = [own for own in placed if own.term.residual is None]
        plain = [own for own in others if own.term.part != COORDINATES]
        self._add(_DIFFERENCE, [self._difference(own) for own in plain])
        self._add(_COORDINATE, [visit for own in others if own.term.part == COORDINATES for visit in self._joints(own)])
        self._add(_WEIGH, [self._weighed(own) for own in placed])
        if slopes:
            self._of_frames(of_frames, moving)
            self._of_rows(others)

    def _add(self, step: Step, visits: Sequence[Visit]) -> None:
        if visits:
            self.sweeps.append(Sweep(step, tuple(visits)))

    def _difference(self, own: _Placed) -> Visit:
        field = self._given if own.term.part == INPUTS else own.term.part
        return Visit(-1, None, {}, {"rows": Access(field, 0, own.rows), "target": own.term.target, "e": own.part("e")})

    def _joints(self, own: _Placed) -> Sequence[Visit]:
        found = []
        for joint in self._model.independent_joints:
            rows, count, moved = joint.q_index, len(joint.coordinates.q), len(joint.coordinates.v)
            turns = self._slopes and not joint.kind.commutes
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

    def _weighed(self, own: _Placed) -> Visit:
        weighing = own.weighing
        variant: Hashable = (weighing.factor, own.term.cost.huber, self._slopes)
        bindings: dict[str, Binding] = {"e": own.part("e"), "diagonal": weighing.diagonal, "weight": weighing.weight}
        bindings["l"] = Access("l", 0, 1)
        if self._slopes:
            bindings |= {"pull": own.part("pull"), "stiff": own.part("stiff")}
        return Visit(-1, variant, {}, bindings)

    def _of_frames(self, placed: Sequence[_Placed], moving: Sequence[Sequence[int]]) -> None:
        nv, columns, entries, pairs = self._model.nv, list[Visit](), list[Visit](), list[Visit]()
        for own, rows in zip(placed, moving, strict=True):

            def column(field: str, row: int, own: _Placed = own) -> Access:
                return Access(field, nv * own.first + row, own.rows, nv)

            for place, row in enumerate(rows):
                bindings: dict[str, Binding] = {"pull": own.part("pull"), "stiff": own.part("stiff")}
                bindings |= {"column": column("de_dq", row), "scaled": column("scaled", row)}
                columns.append(Visit(-1, None, {}, {**bindings, "gradient": Access("l_q", row, 1)}))
                for other in rows[: place + 1]:
                    pair: dict[str, Binding] = {"scaled": column("scaled", row), "column": column("de_dq", other)}
                    pair["entry"] = Access("l_qq", nv * row + other, 1)
                    if row == other:
                        entries.append(Visit(-1, None, {}, pair))
                    else:
                        pairs.append(Visit(-1, None, {}, {**pair, "other": Access("l_qq", nv * other + row, 1)}))
        self._add(_COLUMN, columns)
        self._add(_ENTRY, entries)
        self._add(_PAIR, pairs)

    def _of_rows(self, placed: Sequence[_Placed]) -> None:
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
                bindings["diagonal"] = Access(f"l_{part}{part}", (whole + 1) * start, count, whole + 1)
                own_rows.append(Visit(-1, None, {}, bindings))
        for own, start, count, place in self._turned:
            for row in range(count):
                seen: dict[str, Binding] = {"slopes": Access("turns", place, count * count)}
                seen |= {name: own.part(name, start, count) for name in ("pull", "stiff")}
                seen["gradient"] = Access("l_q", start + row, 1)
                seen["row"] = Access("l_qq", nv * (start + row) + start, count)
                blocks.append(Visit(-1, (row, count), {}, seen))
        self._add(_OWN, own_rows)
        self._add(_BLOCK, blocks)


def _cut(target: Binding, first: int, count: int) -> Binding:
    """A part of a reference."""
    if isinstance(target, Given):
        return Given(target.values[first : first + count])
    return Access(target.field, target.offset + first, count)
