"""An exact result, and the size of the terms that it is the sum of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symdyn.verify.base.matrices import Real
from symdyn.verify.oracle.setting import Inputs, Setting


@dataclass(frozen=True, slots=True)
class Exact:
    """Rows of all outputs of a function, in the order of its Signature, to fifty digits.

    ``scales`` holds, per row, what its error is measured against: the row's own size for most functions; the size of
    the terms that it is a sum of where these may cancel in every state; for what comes out of a linear solve, the size
    that its rows reach when every coefficient and every right-hand side enters by its absolute value (see
    :func:`symdyn.verify.base.dense.solution_scales`).

    ``terms`` gives, where it is known, the sizes of the terms of each row. They take longer than the rows themselves,
    so they are asked for only where an error is too large for ``scales``.
    """

    values: list[Real]
    scales: list[Real]
    terms: Callable[[], list[Real]] | None = None


def forwards(values: Sequence[Real]) -> Exact:
    """A result that is measured against its own size."""
    return Exact(list(values), [abs(value) for value in values])


def summed(values: Sequence[Real], terms: Sequence[Real]) -> Exact:
    """A result that is measured against the sizes of the terms that it is a sum of, and in which they may cancel."""
    return Exact(list(values), [max(abs(value), size) for value, size in zip(values, terms, strict=True)])


def joined(parts: Sequence[Exact]) -> Exact:
    """Several outputs, one after the other."""
    return Exact([value for part in parts for value in part.values], [scale for part in parts for scale in part.scales])


TruthFunction = Callable[[Setting, Inputs], Exact]
