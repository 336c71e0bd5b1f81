"""Solve S X = Y for a square matrix of no symmetry: Householder's reflections, which need no choice of pivots.

With v of column k below the diagonal, v_k = x_k + sign(x_k) |x| and beta = 1 / (|x| (|x| + |x_k|)),

    H = 1 - beta v v^T,    H x = -sign(x_k) |x| e_k

The product of all H takes S to an upper triangle, whatever S is, without growth of errors (Golub & Van Loan 2013,
section 5.2). Columns of S are visited one by one, so that kernels are as long as two matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit

_REFLECTORS, _TRIANGLE, _FACTORS = "reflectors", "triangle", "reflector_factors"


def reflect_column(k: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per column k: what the reflections before it make of it, its own one, and its part of the triangle."""
    column = _reflected(k, reads, list(reads["column"]))
    below = column[k:]
    size = algebra.function("sqrt", dot(below, below))
    negative = algebra.compare("less", below[0], 0.0)
    signed = algebra.select(negative, -1.0 * size, size)
    head = below[0] + signed
    return {
        "triangle": [*column[:k], -1.0 * signed],
        "reflector": [head, *below[1:]],
        "factor": [1.0 / (signed * head)],
    }


def solve_column(count: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per right-hand side: all reflections, then the triangle from below."""
    right = _reflected(count, reads, list(reads["right"]))
    found: list[Scalar] = [0.0] * count
    for k in reversed(range(count)):
        left = right[k]
        for j in range(k + 1, count):
            left = left - reads[f"triangle_{j}"][k] * found[j]
        found[k] = left / reads[f"triangle_{k}"][k]
    return {"found": found}


def solve_transposed_column(count: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per right-hand side of S^T x = y: the transposed triangle, then all reflections, the last one first."""
    found = list(reads["right"])
    for k in range(count):
        column = reads[f"triangle_{k}"]
        left = found[k]
        for i in range(k):
            left = left - column[i] * found[i]
        found[k] = left / column[k]
    return {"found": _reflected(count, reads, found, reverse=True)}


def _reflected(count: int, reads: Reads, column: list[Scalar], reverse: bool = False) -> list[Scalar]:
    for k in reversed(range(count)) if reverse else range(count):
        reflector = reads[f"reflector_{k}"]
        share = reads[f"factor_{k}"][0] * dot(reflector, column[k:])
        column[k:] = [x - share * own for x, own in zip(column[k:], reflector, strict=True)]
    return column


class OrthogonalFactor:
    """Fields and sweeps that factor a matrix (n, n), and that solve with it."""

    def __init__(self, matrix: MatrixField) -> None:
        self.matrix, self.count = matrix, matrix.columns

    def fields(self) -> list[Field]:
        """The fields of the factor."""
        n = self.count
        sizes = {_REFLECTORS: n * n, _TRIANGLE: n * n, _FACTORS: n}
        return [Field(name, FieldKind.STATE, size) for name, size in sizes.items()]

    def factoring(self) -> list[Sweep]:
        """The sweeps that factor, a column each."""
        names, sweeps = ("triangle", "reflector", "factor"), []
        for k in range(self.count):
            ports = [*self._ports(k), Port("column", Mode.READ), *(Port(name, Mode.WRITE) for name in names)]
            bindings: dict[str, Binding] = {
                **self._earlier(k),
                "column": self.matrix.column(k, 0, self.count),
                "triangle": self._triangle(k),
                "reflector": self._reflector(k),
                "factor": Access(_FACTORS, k, 1),
            }
            step = Step("reflect_column", reflect_column, tuple(ports))
            sweeps.append(Sweep(step, (Visit(-1, k, {}, bindings),)))
        return sweeps

    def solving(
        self, right: MatrixField, found: MatrixField, columns: Sequence[int], transposed: bool = False
    ) -> Sweep:
        """The sweep that solves for columns of ``right``, with S or its transpose."""
        n = self.count
        ports = [
            *self._ports(n),
            *(Port(f"triangle_{k}", Mode.READ) for k in range(n)),
            Port("right", Mode.READ),
            Port("found", Mode.WRITE),
        ]
        shared: dict[str, Binding] = {**self._earlier(n), **{f"triangle_{k}": self._triangle(k) for k in range(n)}}
        visits = (
            Visit(-1, n, {}, {**shared, "right": right.column(column, 0, n), "found": found.column(column, 0, n)})
            for column in columns
        )
        kernel = solve_transposed_column if transposed else solve_column
        return Sweep(Step(kernel.__name__, kernel, tuple(ports)), tuple(visits), vector=True)

    def _ports(self, count: int) -> list[Port]:
        names = [f"{name}_{k}" for k in range(count) for name in ("reflector", "factor")]
        return [Port(name, Mode.READ) for name in names]

    def _earlier(self, count: int) -> dict[str, Binding]:
        found: dict[str, Binding] = {f"reflector_{k}": self._reflector(k) for k in range(count)}
        return found | {f"factor_{k}": Access(_FACTORS, k, 1) for k in range(count)}

    def _reflector(self, k: int) -> Access:
        return Access(_REFLECTORS, k * self.count + k, self.count - k)

    def _triangle(self, k: int) -> Access:
        return Access(_TRIANGLE, k * self.count, k + 1)
