"""Products of a step's contact problem: v_free, c_free, and G by J Mh^-1 or by a root of Mh^-1.

Each entry is a sum over stretches of those numbers that are not zero by structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.contacts.rows import JACOBIAN, SHIFT
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Mode, Port, Step, Sweep, Visit

V_FREE, DELASSUS, C_FREE, RESPONSE = "v_free", "delassus", "c_free", "response"
MOBILITY = "mobility"
"""The field of Mh^-1."""
WHITENED, SPREAD = "whitened", "spread"
PUSH, WHITE = "push", "white_push"
"""The impulses of explicit forces, and W^T times these."""


def products_of(columns: Mapping[int, Sequence[int]], nv: int, count: int) -> Iterator[Sweep]:
    """v_free = v + Mh^-1 push; J Mh^-1; G; c_free, by the columns of each row of J."""
    mobility, push_column = MatrixField(MOBILITY, nv), MatrixField(PUSH, 1)
    rows = range(nv)
    yield from product_sweeps(mobility, push_column, MatrixField(V_FREE, 1), rows, {0: list(rows)}, MatrixField("v", 1))
    slopes = Transposed(JACOBIAN, nv)
    yield from product_sweeps(mobility, slopes, Transposed(RESPONSE, nv), rows, columns)
    yield _delassus(columns, nv, count, RESPONSE)
    yield from product_sweeps(
        MatrixField(V_FREE, nv), slopes, MatrixField(C_FREE, count), [0], columns, MatrixField(SHIFT, count)
    )


def products_by_root(
    columns: Mapping[int, Sequence[int]], behind: Mapping[int, Sequence[int]], nv: int, count: int, coupled: bool
) -> Iterator[Sweep]:
    """The white push z = W^T push and v_free = v + W z; J W; G where ``coupled``; c_free.

    ``behind`` are the columns of each row of W^T.
    """
    slopes, spread = MatrixField(JACOBIAN, nv), MatrixField(SPREAD, nv)
    before = {row: [column for column in range(nv) if row in behind[column]] for row in range(nv)}
    push_row, white = MatrixField(PUSH, nv), MatrixField(WHITE, nv)
    yield _dots(
        (MatrixField(WHITE, nv).entry(0, column), None, _parts(push_row.row, 0, spread.row, column, behind[column]))
        for column in range(nv)
    )
    yield _dots(
        (Access(V_FREE, row, 1), Access("v", row, 1), _parts(white.row, 0, spread.column, row, before[row]))
        for row in range(nv)
    )
    shared = {
        (row, column): [k for k in columns[row] if k in behind[column]] for row in range(count) for column in range(nv)
    }
    white_rows = MatrixField(WHITENED, nv)
    yield _dots(
        (white_rows.entry(row, column), None, _parts(slopes.row, row, spread.row, column, both))
        for (row, column), both in shared.items()
        if both
    )
    if coupled:
        yield _delassus(
            {row: [column for column in range(nv) if shared[row, column]] for row in range(count)}, nv, count, WHITENED
        )
    yield from product_sweeps(
        MatrixField(V_FREE, nv),
        Transposed(JACOBIAN, nv),
        MatrixField(C_FREE, count),
        [0],
        columns,
        MatrixField(SHIFT, count),
    )


_Part = tuple[Access, Access]
_Stretch = Callable[[int, int, int], Access]


def _parts(left: _Stretch, row: int, right: _Stretch, right_row: int, numbers: Sequence[int]) -> list[_Part]:
    """Stretches of consecutive numbers of a row on the left, and of one on the right."""
    return [(left(row, *run), right(right_row, *run)) for run in _runs(numbers)]


def dot_parts(variant: tuple[int, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: a sum of products of stretches, with something before it or not."""
    parts, plus = variant
    total: Scalar = reads["plus"][0] if plus else 0.0
    for number in range(parts):
        for x, y in zip(reads[f"left{number}"], reads[f"right{number}"], strict=True):
            total = total + x * y
    return {"entry": [total]}


def _dots(entries: Iterable[tuple[Access, Access | None, list[_Part]]]) -> Sweep:
    """The sweep of independent sums of products: (place, what is before it, stretches)."""
    visits, most = [], 1
    for place, plus, parts in entries:
        most = max(most, len(parts))
        bindings: dict[str, Binding] = {"entry": place} if plus is None else {"entry": place, "plus": plus}
        for number, (left, right) in enumerate(parts):
            bindings |= {f"left{number}": left, f"right{number}": right}
        visits.append(Visit(-1, (len(parts), plus is not None), {}, bindings))
    names = ("plus", *(f"{name}{number}" for number in range(most) for name in ("left", "right")))
    ports = (*(Port(name, Mode.READ) for name in names), Port("entry", Mode.WRITE))
    return Sweep(Step("dot_parts", dot_parts, ports), tuple(visits), vector=True)


def couple(variant: tuple[int, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per pair of rows: their entry of G, in both triangles."""
    total: Scalar = 0.0
    count, mirrored = variant
    for number in range(count):
        for x, y in zip(reads[f"response{number}"], reads[f"slopes{number}"], strict=True):
            total = total + x * y
    return {"entry": [total], "mirror": [total]} if mirrored else {"entry": [total]}


def _delassus(columns: Mapping[int, Sequence[int]], nv: int, count: int, of: str) -> Sweep:
    """G as ``response`` J^T, or of ``whitened`` rows with themselves."""
    response, out = MatrixField(of, nv), MatrixField(DELASSUS, count)
    slopes = response if of == WHITENED else MatrixField(JACOBIAN, nv)
    visits, most = [], 1
    for row in range(count):
        runs = _runs(columns[row])
        most = max(most, len(runs))
        for other in range(row, count):
            bindings: dict[str, Binding] = {"entry": out.entry(other, row)}
            for number, (start, size) in enumerate(runs):
                bindings[f"response{number}"] = response.row(other, start, size)
                bindings[f"slopes{number}"] = slopes.row(row, start, size)
            if other != row:
                bindings["mirror"] = out.entry(row, other)
            visits.append(Visit(-1, (len(runs), other != row), {}, bindings))
    names = (f"{name}{number}" for number in range(most) for name in ("response", "slopes"))
    ports = (*(Port(name, Mode.READ) for name in names), Port("entry", Mode.WRITE), Port("mirror", Mode.WRITE))
    return Sweep(Step("couple_rows", couple, ports), tuple(visits), vector=True)


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """(start, count) of the stretches of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((number, 1))
    return runs
