"""Multipliers: what holds a robot's loops where forces and prescribed accelerations are given.

With half-solutions h_i of the rows (``half_solutions``), drives d of the free solution and D the pivots of the factor,

    S_ij = sum_k h_ik D_k h_jk = (A M^-1 A^T)_ij,    A a_free = -sum_k h_ik D_k d_k
    S lambda = -(A a_free + e'' + 2 e' / T + e / T^2),    d <- d - sum_i h_i lambda_i

over free rows k, so that one outward sweep gives accelerations (Kim 2012, eqs. 67 to 69 and 74 to 80). Rows may depend
on each other at some states. So S + E with E = 1e-9 diag(S) is factored in place of S, and

    (S + E) lambda_k+1 = b + E lambda_k

is solved three times (the proximal point method), which leaves the equations met where they can be, and of all such
multipliers about the least. No step rests on data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.dynamics.loops.half_solutions import HalfSolutions
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import Matrix, Vector, dot

PROXIMAL = 1e-9
"""Of the diagonal of S: what is added to it."""
CORRECTIONS = 2


@dataclass(frozen=True, slots=True)
class MultiplierVariant:
    """What is structural: per row of the loops its rows of the solution and their places in ``halves``.

    ``free`` tells which rows of the solution are free, ``stabilised`` that errors and their rates count.
    """

    halves: tuple[tuple[tuple[int, int], ...], ...]
    free: tuple[bool, ...]
    stabilised: bool


def weigh_pivot(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per free row: D, of which the factor keeps -1/D."""
    return {"weight": [-1.0 / reads["pivot"][0]]}


def find_multipliers(variant: MultiplierVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the multipliers, and what they change of the drives."""
    halves, weighed, matrix = _delassus(variant, reads)
    drives = reads["drives"]
    right: list[Scalar] = []
    for row, own in enumerate(weighed):
        wanted = -reads["acceleration"][row]
        if variant.stabilised:
            wanted = wanted - constants["rate"] * reads["rate"][row] - constants["stiffness"] * reads["error"][row]
        right.append(wanted + _product(own, dict(enumerate(drives))))
    found = solve_proximal(matrix, right)
    changes: list[Scalar] = [0.0] * len(drives)
    for half, multiplier in zip(halves, found, strict=True):
        for row, x in half.items():
            changes[row] = changes[row] - x * multiplier
    return {"lambda": found, "change": changes}


def find_inertia(variant: MultiplierVariant, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: S, both triangles, and its inverse."""
    _, _, matrix = _delassus(variant, reads)
    count = len(matrix)
    columns = [solve_proximal(matrix, [float(row == column) for row in range(count)]) for column in range(count)]
    return {
        "delassus": [matrix[max(row, other)][min(row, other)] for row in range(count) for other in range(count)],
        "inertia": [columns[min(row, other)][max(row, other)] for row in range(count) for other in range(count)],
    }


def _delassus(
    variant: MultiplierVariant, reads: Reads
) -> tuple[list[dict[int, Scalar]], list[dict[int, Scalar]], list[list[Scalar]]]:
    """Half-solutions by rows of the solution, the same times D, and the lower triangle of S."""
    weights = reads.get("weights", ())
    halves = [{row: reads["halves"][place] for row, place in half} for half in variant.halves]
    weighed = [{row: weights[row] * x for row, x in half.items() if variant.free[row]} for half in halves]
    matrix = [[_product(own, halves[other]) for other in range(row + 1)] for row, own in enumerate(weighed)]
    return halves, weighed, matrix


def solve_proximal(matrix: Matrix, right: Vector) -> list[Scalar]:
    """The solution of a symmetric semidefinite system of which the lower triangle is given; see the file's head."""
    factor = Factor.of(matrix)
    found = factor.solved(right)
    for _ in range(CORRECTIONS):
        found = factor.solved([x + PROXIMAL * row[-1] * own for x, row, own in zip(right, matrix, found, strict=True)])
    return found


@dataclass(frozen=True, slots=True)
class Factor:
    """L D L^T of a symmetric matrix with a little more on its diagonal: rows of L below that of ones, and 1 / D."""

    lower: Matrix
    inverse: Vector

    @classmethod
    def of(cls, matrix: Matrix) -> Factor:
        """That of a matrix of which the lower triangle is given."""
        lower: list[list[Scalar]] = []
        inverse: list[Scalar] = []
        for row, entries in enumerate(matrix):
            scaled: list[Scalar] = []  # L D of this row
            for other in range(row):
                scaled.append(entries[other] - dot(scaled, lower[other]) if other else entries[other])
            own = [x * d for x, d in zip(scaled, inverse, strict=True)]
            pivot = (1.0 + PROXIMAL) * entries[row]
            inverse.append(1.0 / (pivot - dot(scaled, own) if row else pivot))
            lower.append(own)
        return cls(lower, inverse)

    def solved(self, right: Vector) -> list[Scalar]:
        """The solution for a right-hand side."""
        found: list[Scalar] = []
        for row, x in enumerate(right):
            found.append(x - dot(self.lower[row], found) if row else x)
        found = [x * d for x, d in zip(found, self.inverse, strict=True)]
        for row in reversed(range(len(found))):
            for other in range(row):
                found[other] = found[other] - self.lower[row][other] * found[row]
        return found


def _product(weighed: Mapping[int, Scalar], other: Mapping[int, Scalar]) -> Scalar:
    shared = [row for row in weighed if row in other]
    return dot([weighed[row] for row in shared], [other[row] for row in shared]) if shared else 0.0


_WEIGH = Step("weigh_pivot", weigh_pivot, (Port("pivot", Mode.READ), Port("weight", Mode.WRITE)))
_FIND = Step(
    "find_multipliers",
    find_multipliers,
    (
        *(Port(name, Mode.READ) for name in ("halves", "weights", "drives", "acceleration", "rate", "error")),
        Port("lambda", Mode.WRITE),
        Port("change", Mode.WRITE),
    ),
)


_INERTIA = Step(
    "find_inertia",
    find_inertia,
    (
        *(Port(name, Mode.READ) for name in ("halves", "weights")),
        *(Port(name, Mode.WRITE) for name in ("delassus", "inertia")),
    ),
)


def _add(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"total": list(reads["change"])}


_ADD = Step("add_change", _add, (Port("change", Mode.READ), Port("total", Mode.ADD)))


def multiplier_sweeps(
    solutions: HalfSolutions, multipliers: str, found: str, stabilisation: float | None
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that find the multipliers and correct the drives, between both halves of the solution.

    Parameters
    ----------
    solutions
        The half-solutions.
    multipliers
        Field of what is found, one per row of the loops.
    found
        Field (nv,) of forces of prescribed rows before which nothing is free.
    stabilisation
        The time T [s] in which errors vanish; None leaves them.

    Returns
    -------
    State fields, and the sweeps, which read ``drive``, ``acceleration`` and, stabilised, ``rate`` and ``error``.
    """
    elimination, held, count = solutions.elimination, solutions.held, solutions.held.tree.model.nv
    asked = stabilisation is not None
    totals = {
        place.drive + number: Access("drive", place.drive + number, 1) if place.responds else Access(found, row, 1)
        for place in elimination.places
        for number, row in enumerate(place.rows)
    }
    names = ("acceleration", *(("rate", "error") if asked else ()))
    bindings: dict[str, Binding] = {name: Access(name, 0, held.count) for name in names}
    bindings |= {"drives": Access("drive", 0, count), "lambda": Access(multipliers, 0, held.count)}
    constants = {} if stabilisation is None else {"rate": 2.0 / stabilisation, "stiffness": stabilisation**-2}
    weigh, find = _finding(solutions, _FIND, bindings | {"change": Access("drive_change", 0, count)}, constants, asked)
    fields = [Field(name, FieldKind.STATE, count, sparse=True) for name in ("weights", "drive_change")]
    added = tuple(
        Visit(-1, None, {}, {"change": Access("drive_change", row, 1), "total": totals[row]})
        for row in _touched(solutions)
    )
    sweeps = (weigh, find, Sweep(_ADD, added, vector=True))
    return fields, [sweep for sweep in sweeps if sweep.visits]


def inertia_sweeps(solutions: HalfSolutions) -> tuple[list[Field], list[Sweep]]:
    """State fields, and sweeps that fill ``delassus`` and ``inertia``, (m, m), from half-solutions."""
    size = solutions.held.count**2
    bindings: dict[str, Binding] = {name: Access(name, 0, size) for name in ("delassus", "inertia")}
    fields = [Field("weights", FieldKind.STATE, solutions.held.tree.model.nv, sparse=True)]
    return fields, [sweep for sweep in _finding(solutions, _INERTIA, bindings, {}, False) if sweep.visits]


def _touched(solutions: HalfSolutions) -> list[int]:
    """Rows of the solution that some loop moves."""
    return sorted({row for half in solutions.halves for row in half.places})


def _finding(
    solutions: HalfSolutions, step: Step, bindings: Mapping[str, Binding], constants: Mapping[str, float], asked: bool
) -> tuple[Sweep, Sweep]:
    """The sweep that fills ``weights`` from the factor, and a step that takes these and the half-solutions."""
    elimination, count = solutions.elimination, solutions.held.tree.model.nv
    pivots = {
        place.drive + number: elimination.pivot(place, number)
        for place in elimination.places
        for number, free in enumerate(place.free)
        if free
    }
    weights = tuple(
        Visit(-1, None, {}, {"pivot": pivots[row], "weight": Access("weights", row, 1)})
        for row in _touched(solutions)
        if row in pivots
    )
    halves = tuple(tuple(half.places.items()) for half in solutions.halves)
    variant = MultiplierVariant(halves, tuple(row in pivots for row in range(count)), asked)
    given: dict[str, Binding] = {"halves": Access("halves", 0, max(sum(map(len, halves)), 1))}
    given |= {"weights": Access("weights", 0, count)} if weights else {}
    return Sweep(_WEIGH, weights, vector=True), Sweep(step, (Visit(-1, variant, constants, {**given, **bindings}),))
