"""The factor of S = A N A^T once, for as many right-hand sides as there are: see ``multipliers``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.forward_dynamics.block_elimination import LANES
from symdyn.dynamics.loops.constraint_activation import ACTIVE, Switches, all_switches, switches_of, with_ones
from symdyn.dynamics.loops.proximal import Factor, Guard
from symdyn.dynamics.loops.vanishing import factor_constants
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit


@dataclass(frozen=True, slots=True)
class FactorVariant:
    """What is structural: by rows of A the columns that are not zero, and which rows hold or not."""

    columns: tuple[tuple[int, ...], ...]
    switches: Switches


def factor_rows(variant: FactorVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the factor of S."""
    columns, count = variant.columns, len(variant.columns)
    width = len(reads["slopes"]) // count
    slopes, moved = ([reads[name][width * row : width * (row + 1)] for row in range(count)] for name in _READ)
    matrix = []
    for row, own in enumerate(columns):
        picked = [slopes[row][column] for column in own]
        matrix.append([dot(picked, [moved[other][column] for column in own]) for other in range(row + 1)])
    filled = with_ones(algebra, reads, variant.switches, matrix)
    return {"factor": Factor.of(filled, Guard(algebra, constants)).scalars()}


@dataclass(frozen=True, slots=True)
class SolvingVariant:
    """What is structural about a right-hand side: how many rows it has, and whether the sign is turned."""

    count: int
    negative: bool


def solve_rows(variant: SolvingVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per right-hand side: the solution, by the proximal point method."""
    found = Factor.loaded(reads["factor"], variant.count).solved_proximal(reads["right"])
    return {"found": [-x for x in found] if variant.negative else found}


_READ = ("slopes", "moved")
_FACTOR = Step(
    "factor_loops",
    factor_rows,
    (*(Port(name, Mode.READ) for name in (*_READ, ACTIVE)), Port("factor", Mode.WRITE)),
)
_SOLVE = Step(
    "solve_loops", solve_rows, (Port("factor", Mode.READ), Port("right", Mode.READ), Port("found", Mode.WRITE))
)


class FactoredRows:
    """The factor of the system of all rows of a robot's loops."""

    def __init__(self, model: Model) -> None:
        self._model, self.count = model, len(model.loop_row_names)
        count = self.count
        size = count * (count - 1) // 2 + 2 * count  # rows of L, 1 / D, and what was added to the diagonal
        self._factor = Access("loop_factor", 0, size)

    def fields(self) -> list[Field]:
        """Its state."""
        return [Field(self._factor.field, FieldKind.STATE, self._factor.count)] if self.count else []

    def sweep(self, slopes: MatrixField, moved: MatrixField, known: Collection[int], free: Collection[int]) -> Sweep:
        """The sweep that fills it from A and A N; ``known`` are places of A that are not zero, ``free`` rows of N."""
        width, rows = slopes.columns, range(self.count)
        columns = tuple(tuple(column for column in range(width) if row * width + column in known) for row in rows)
        bindings: dict[str, Binding] = {
            name: Access(matrix.field, 0, self.count * width)
            for name, matrix in zip(_READ, (slopes, moved), strict=True)
        }
        bindings |= {**all_switches(self._model), "factor": self._factor}
        variant = FactorVariant(columns, switches_of(self._model))
        if not self.count:
            return Sweep(_FACTOR, ())
        constants = factor_constants(self._model, rows, free)
        return Sweep(_FACTOR, (Visit(-1, variant, constants, bindings),))

    def solving(self, right: MatrixField, found: MatrixField, columns: Iterable[int], negative: bool = False) -> Sweep:
        """The sweep that solves for columns of a matrix, those that follow each other side by side."""
        variant = SolvingVariant(self.count, negative)
        visits = []
        for first, lanes in _side_by_side(sorted(columns)):
            matrices = {"right": right.column(first, 0, self.count), "found": found.column(first, 0, self.count)}
            beside = {port: replace(access, lane=1) if lanes > 1 else access for port, access in matrices.items()}
            visits.append(Visit(-1, variant, {}, {"factor": self._factor, **beside}, lanes))
        return Sweep(_SOLVE, tuple(visits) if self.count else (), vector=True)


def _side_by_side(columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first of columns that run in lanes, and how many there are."""
    rest = list(columns)
    while rest:
        lanes = LANES if rest[:LANES] == list(range(rest[0], rest[0] + LANES)) else 1
        yield rest[0], lanes
        del rest[:lanes]
