"""The inputs of actuators that a motion needs: the least squares of tau - B u, and what they leave.

An input of a joint is the force of its row. Tendons, chambers and strains at rest of one or several rods, all that act
on rows in common, are found together from their columns B (m, n) of the actuation matrix. There may be more of them
than they move, or fewer, and their columns may become dependent as the robot moves, as those of tendons on either side
of a straight rod are. So u = B^+ tau, with the pseudo-inverse: of all u that leave the least |tau - B u| the least.
With weights W of the rows it is the least of |D (tau - B u)|, D = sqrt(W): all that is said holds of D B and D tau.

Rotations of pairs of columns make W = B V, with columns that are perpendicular and V orthogonal (one-sided Jacobi,
Hestenes 1958); B^+ = V diag(1 / |w|^2) W^T. There is a fixed number of rounds, which converge as squares do. No
condition is squared, and nothing is chosen by pivots. A column that is shorter than 1e-13 of all together is what
rounding has left, and does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.plans import column_sweeps_to, reached_rods, rod_rows, table_fields
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Kernel, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import dot

_LEAST = 1e-13
"""Of the size of all columns: how long a turned column is that counts."""
_CORRECTIONS = 2
"""Times that the inputs are found, the first included: the second makes good what rounding did to the first."""


@dataclass(frozen=True, slots=True)
class LeastVariant:
    """Inputs that are found together: how many, and on how many ``rows`` they act."""

    rows: int
    count: int


def begin(variant: LeastVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per group: columns of B, by ``roots`` of weights where there are some, each with one of the unit matrix."""
    turned: list[Scalar] = []
    for number, column in enumerate(_split(reads["columns"], variant.rows)):
        turned += [*_weighed(column, reads), *(float(place == number) for place in range(variant.count))]
    return {"turned": turned}


def turn(variant: LeastVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per pair of columns: turned in their plane, so that they are perpendicular."""
    first, second = reads["first"], reads["second"]
    own, other = first[: variant.rows], second[: variant.rows]
    twice = 2.0 * dot(own, other)
    excess = dot(own, own) - dot(other, other)
    size = algebra.function("abs", excess) + algebra.function("sqrt", excess * excess + twice * twice)
    slope = twice / algebra.select(algebra.compare("less", 0.0, size), size, 1.0)
    slope = algebra.select(algebra.compare("less", excess, 0.0), -slope, slope)
    cosine = 1.0 / algebra.function("sqrt", 1.0 + slope * slope)
    sine = slope * cosine
    return {
        "new_first": [cosine * x + sine * y for x, y in zip(first, second, strict=True)],
        "new_second": [cosine * y - sine * x for x, y in zip(first, second, strict=True)],
    }


def weigh(variant: LeastVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per group: 1 / |w|^2 of each turned column, and 0 where rounding has made it."""
    columns = (own[: variant.rows] for own in _split(reads["turned"], variant.rows + variant.count))
    squares = [dot(column, column) for column in columns]
    total: Scalar = 0.0
    for square in squares:
        total = total + square
    weights = []
    for square in squares:
        counts = algebra.compare("less", _LEAST**2 * total, square)
        weights.append(algebra.select(counts, 1.0 / algebra.select(counts, square, 1.0), 0.0))
    return {"weights": weights}


def correct(variant: LeastVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per group: what the forces that are left over add to the inputs, and what these take off them."""
    change: list[Scalar] = [0.0] * variant.count
    left = _weighed(reads["left"], reads)
    for own, weight in zip(_split(reads["turned"], variant.rows + variant.count), reads["weights"], strict=True):
        share = weight * dot(own[: variant.rows], left)
        change = [entry + share * along for entry, along in zip(change, own[variant.rows :], strict=True)]
    columns = _split(reads["columns"], variant.rows)
    taken = [-dot([column[row] for column in columns], change) for row in range(variant.rows)]
    return {"inputs": change, "taken": taken}


def root(_: None, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: the root of its weight."""
    return {"root": [algebra.function("sqrt", reads["weight"][0])]}


def _weighed(rows: Sequence[Scalar], reads: Reads) -> Sequence[Scalar]:
    roots = reads.get("roots")
    return rows if roots is None else [own * row for own, row in zip(roots, rows, strict=True)]


def _split(entries: Sequence[Scalar], size: int) -> list[Sequence[Scalar]]:
    return [entries[start : start + size] for start in range(0, len(entries), size)]


def _step(name: str, kernel: Kernel, read: tuple[str, ...], written: tuple[str, ...], mode: Mode) -> Step:
    return Step(name, kernel, (*(Port(port, Mode.READ) for port in read), *(Port(port, mode) for port in written)))


_BEGIN = _step("begin_turning", begin, ("columns", "roots"), ("turned",), Mode.WRITE)
_TURN = _step("turn_columns", turn, ("first", "second"), ("new_first", "new_second"), Mode.WRITE)
_WEIGH = _step("weigh_columns", weigh, ("turned",), ("weights",), Mode.WRITE)
_CORRECT = _step(
    "find_inputs", correct, ("columns", "turned", "weights", "left", "roots"), ("inputs", "taken"), Mode.ADD
)


_ROOT = _step("root_of_weight", root, ("weight",), ("root",), Mode.WRITE)


@dataclass(frozen=True, slots=True)
class _Group:
    """Inputs that act on rows in common: their numbers, and the rows of the rods that they reach."""

    name: str
    numbers: tuple[int, ...]
    rows: tuple[Access, ...]
    weights: tuple[float, ...] | str
    """Of the rows of v, or ``input`` if these are given at run time; nothing where all count the same."""

    @property
    def variant(self) -> LeastVariant:
        return LeastVariant(sum(own.count for own in self.rows), len(self.numbers))

    def column(self, number: int, first: int, rows: int) -> Access:
        """Where rows of an input's column lie in the columns of the group."""
        start = self.numbers.index(number) * self.variant.rows
        for own in self.rows:
            if first in own.places:
                break
            start += own.count
        return Access(f"columns{self.name}", start + first - own.offset, rows)

    def fields(self) -> list[Field]:
        m, n = self.variant.rows, self.variant.count
        sizes = {"columns": m * n, "turned": n * (m + n), "weights": n, "left": m, "inputs": n}
        if self.rooted():
            sizes["roots"] = m
        return [Field(name + self.name, FieldKind.STATE, size, sparse=True) for name, size in sizes.items()]

    def taken(self) -> list[Visit]:
        """Visits that take the forces of its rows."""
        return [_copy(Access("tau", own.offset, own.count), left) for own, left in self._left()]

    def given(self) -> list[Visit]:
        """Visits that give what is found and what is left."""
        found = [
            _copy(Access(f"inputs{self.name}", place, 1), Access("u", number, 1))
            for place, number in enumerate(self.numbers)
        ]
        return [*found, *(_copy(left, Access("residual", own.offset, own.count)) for own, left in self._left())]

    def turning(self) -> list[Visit]:
        """Visits that turn columns, pair after pair and round after round."""
        m, n = self.variant.rows, self.variant.count
        rounds = 1 if n == 2 else 5 + (n - 1).bit_length()
        columns = [Access(f"turned{self.name}", place * (m + n), m + n) for place in range(n)]
        return [
            Visit(-1, self.variant, {}, {"first": a, "second": b, "new_first": a, "new_second": b})
            for _ in range(rounds)
            for a, b in combinations(columns, 2)
        ]

    def visit(self, *ports: str, **others: str) -> Visit:
        """A visit with ports named as its fields, and ``others`` that are not."""
        whole = {field.name: Access(field.name, 0, field.size) for field in self.fields()}
        named = dict.fromkeys(ports) | others
        bindings: dict[str, Binding] = {port: whole[(field or port) + self.name] for port, field in named.items()}
        return Visit(-1, self.variant, {}, bindings)

    def weighed(self, visit: Visit) -> Visit:
        """A visit that reads the roots of its weights, where there are some."""
        if not self.weights:
            return visit
        own: Binding = Access(f"roots{self.name}", 0, self.variant.rows)
        if isinstance(self.weights, tuple):
            own = Given(tuple(sqrt(self.weights[row]) for rows in self.rows for row in rows.places))
        return replace(visit, bindings={**visit.bindings, "roots": own})

    def rooted(self) -> list[Visit]:
        """Visits that take the roots of weights given at run time."""
        if not isinstance(self.weights, str) or not self.weights:
            return []
        places = [row for rows in self.rows for row in rows.places]
        return [
            Visit(-1, None, {}, {"weight": Access("weights", row, 1), "root": Access(f"roots{self.name}", place, 1)})
            for place, row in enumerate(places)
        ]

    def _left(self) -> Iterator[tuple[Access, Access]]:
        start = 0
        for own in self.rows:
            yield own, Access(f"left{self.name}", start, own.count)
            start += own.count


def inverse_actuation_plan(model: Model, external: str = "", weights: tuple[float, ...] | str = "") -> Plan:
    """The plan of (q, v, a[, weights][, f_ext][, p]) -> u (na,), residual (nv,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext: body, world, or empty.
    weights
        Of squared errors in rows of v; ``input`` if they are given at run time, nothing if all count the same.
    """
    moving, groups = inverse_dynamics_plan(model, external), list(_groups(model, weights))
    group_of = {number: group for group in groups for number in group.numbers}
    columns = column_sweeps_to(model, lambda number, *rows: group_of[number].column(number, *rows), group_of)
    direct = {own.place: number for number, own in enumerate(model.actuator_inputs) if own.of == "joint"}
    held = {row for group in groups for own in group.rows for row in own.places} | set(direct)
    given = [visit for group in groups for visit in group.given()]
    given += [_copy(Access("tau", row, 1), Access("u", number, 1)) for row, number in direct.items()]
    given += [_copy(Access("tau", row, 1), Access("residual", row, 1)) for row in range(model.nv) if row not in held]
    finding = [
        group.weighed(group.visit("columns", "turned", "weights", "left", "inputs", taken="left"))
        for group in groups
        for _ in range(_CORRECTIONS)
    ]
    made = [
        *columns,
        Sweep(steps.COPY, tuple(visit for group in groups for visit in group.taken())),
        Sweep(_ROOT, tuple(visit for group in groups for visit in group.rooted()), vector=True),
        Sweep(_BEGIN, tuple(group.weighed(group.visit("columns", "turned")) for group in groups)),
        Sweep(_TURN, tuple(visit for group in groups for visit in group.turning())),
        Sweep(_WEIGH, tuple(group.visit("turned", "weights") for group in groups)),
        Sweep(_CORRECT, tuple(finding)),
        Sweep(steps.COPY, tuple(given)),
    ]
    given_weights = [Field("weights", FieldKind.INPUT, model.nv)] if isinstance(weights, str) and weights else []
    fields = [
        *(field for field in moving.fields if field.name != "tau"),
        *given_weights,
        Field("tau", FieldKind.STATE, model.nv, sparse=True),
        *table_fields(model, columns),
        *(field for group in groups for field in group.fields()),
        Field("u", FieldKind.OUTPUT, len(model.actuator_inputs)),
        Field("residual", FieldKind.OUTPUT, model.nv),
    ]
    sweeps = [*moving.sweeps, *(sweep for sweep in made if sweep.visits)]
    return replace(moving, name="inverse_actuation", fields=tuple(fields), sweeps=tuple(sweeps))


def _copy(source: Access, column: Access) -> Visit:
    return Visit(-1, None, {}, {"source": source, "column": column})


def _groups(model: Model, weights: tuple[float, ...] | str) -> Iterator[_Group]:
    """Inputs of rods, together where rods in common are reached; those that can do nothing are left out."""
    sets: list[tuple[set[int], set[int]]] = []
    for number in range(len(model.actuator_inputs)):
        rods, numbers = set(reached_rods(model, number)), {number}
        if not rods:
            continue
        for other in [known for known in sets if known[1] & rods]:
            sets.remove(other)
            numbers |= other[0]
            rods |= other[1]
        sets.append((numbers, rods))
    for place, (numbers, rods) in enumerate(sets):
        rows = tuple(rod_rows(model, rod, "v") for rod in sorted(rods))
        yield _Group(str(place), tuple(sorted(numbers)), rows, weights)
