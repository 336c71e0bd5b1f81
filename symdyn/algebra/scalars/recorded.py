"""Scalars that remember how they were made, so that one walk back gives the derivatives by all they rest on.

Where ``y = f(x)`` and the derivative of something by y is known, that by x is ``f'(x)^T`` of it (Griewank and Walther
2008, section 3.2). Values are scalars of any algebra, and so are the derivatives: nothing looks at a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.elementary_slopes import elementary_slope
from symdyn.algebra.scalars.layers import Layer, Layered, layer_above, lies_above
from symdyn.errors import InternalError

Share = Callable[[Scalar], Scalar]
"""The adjoint of an operand, from that of the result."""


class Log(list[Sequence[tuple[int, Share]]]):
    """The shares of operands, by place, of all that rests on variables of an algebra, and the algebra's layer."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.layer = layer


class Recorded(Layered):
    """A value that may rest on variables: then its ``place`` in the ``log`` is not negative.

    Parameters
    ----------
    log
        That of the algebra.
    value
        A scalar of the inner algebra.
    place
        Where its own shares are.
    """

    __slots__ = ("layer", "log", "place", "value")
    layer: Layer

    def __init__(self, log: Log, value: Scalar, place: int = -1) -> None:
        self.log, self.value, self.place, self.layer = log, value, place, log.layer

    def _beside(self, other: Any) -> bool:
        """Whether another operand is of the same layer."""
        return isinstance(other, Recorded) and other.layer is self.layer

    def made(self, value: Scalar, *terms: tuple[Recorded, Share]) -> Recorded:
        """A result with the operands that it has a derivative by, and their shares."""
        counting = [(operand.place, share) for operand, share in terms if operand.place >= 0]
        if not counting:
            return Recorded(self.log, value)
        self.log.append(counting)
        return Recorded(self.log, value, len(self.log) - 1)

    def __add__(self, other: Any) -> Any:
        if self._beside(other):
            return self.made(self.value + other.value, (self, _same), (other, _same))
        if lies_above(other, self.layer):
            return other.__radd__(self)
        return self.made(self.value + other, (self, _same))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __neg__(self) -> Recorded:
        return self.made(-self.value, (self, _negative))

    def __sub__(self, other: Any) -> Any:
        if self._beside(other):
            return self.made(self.value - other.value, (self, _same), (other, _negative))
        if lies_above(other, self.layer):
            return other.__rsub__(self)
        return self.made(self.value - other, (self, _same))

    def __rsub__(self, other: Any) -> Recorded:
        return self.made(other - self.value, (self, _negative))

    def __mul__(self, other: Any) -> Any:
        if self._beside(other):
            return self.made(self.value * other.value, (self, _times(other.value)), (other, _times(self.value)))
        if lies_above(other, self.layer):
            return other.__rmul__(self)
        return self.made(self.value * other, (self, _times(other)))

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        if not self._beside(other):
            if lies_above(other, self.layer):
                return other.__rtruediv__(self)
            return self.made(self.value / other, (self, lambda adjoint: adjoint / other))
        inverse, quotient = 1.0 / other.value, self.value / other.value
        return self.made(quotient, (self, _times(inverse)), (other, _times(-(quotient * inverse))))

    def __rtruediv__(self, other: Any) -> Recorded:
        inverse = 1.0 / self.value
        return self.made(other * inverse, (self, _times(-(other * inverse * inverse))))


class RecordingAlgebra:
    """Recorded scalars over those of another algebra (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    Only what recursions use is offered. Truth values have no derivative, and ``sign`` counts as flat.
    """

    def __init__(self, inner: Algebra) -> None:
        self._inner = inner
        self.layer = layer_above(inner)
        self._log = Log(self.layer)

    def constant(self, value: float) -> Recorded:
        """A number."""
        return Recorded(self._log, self._inner.constant(value))

    def is_own(self, x: Scalar) -> bool:
        """Whether a scalar is one of this algebra, not of a layer below and no plain number."""
        return isinstance(x, Recorded) and x.layer is self.layer

    def place(self, x: Scalar) -> int:
        """Where a scalar's shares are; negative if it rests on no variable."""
        return x.place if self.is_own(x) else -1

    def passive(self, value: Scalar) -> Scalar:
        """A scalar by which nothing is differentiated; a Python number stays one."""
        return value if isinstance(value, int | float) else Recorded(self._log, value)

    def variable(self, value: Scalar) -> Recorded:
        """A scalar by which results are differentiated."""
        self._log.append(())
        return Recorded(self._log, value, len(self._log) - 1)

    def adjoints(self, results: Iterable[tuple[Any, Scalar]]) -> dict[int, Scalar]:
        """The adjoints of scalars by their places, from results and theirs; absent where they are zero."""
        found: dict[int, Scalar] = {}
        for result, adjoint in results:
            if self.is_own(result) and result.place >= 0:
                found[result.place] = found[result.place] + adjoint if result.place in found else adjoint
        for place in range(len(self._log) - 1, -1, -1):
            if place in found:
                for operand, share in self._log[place]:
                    part = share(found[place])
                    if not _is_zero(part):
                        found[operand] = found[operand] + part if operand in found else part
        return found

    def sin_cos(self, x: Any) -> tuple[Recorded, Recorded]:
        """Sine and cosine."""
        at = self._recorded(x)
        sine, cosine = self._inner.sin_cos(at.value)
        return at.made(sine, (at, _times(cosine))), at.made(cosine, (at, _times(-sine)))

    def function(self, name: str, *arguments: Any) -> Recorded:
        """An elementary function by its tape code; the adjoint of ``max`` and ``min`` goes to what they give.

        Raises
        ------
        InternalError
            There is no rule for a function of that name.
        """
        at, *others = map(self._recorded, arguments)
        if others and name not in ("max", "min"):
            raise InternalError(f"function '{name}' has no derivative here; please report the robot that needs it")
        for other in others:
            first, second = (at, other) if name == "min" else (other, at)
            chosen = self.select(self.compare("less", first, second), at, other)
            return Recorded(self._log, self._inner.function(name, at.value, other.value), chosen.place)
        value = self._inner.function(name, at.value)
        if at.place < 0 or name == "sign":
            return Recorded(self._log, value)
        return at.made(value, (at, _times(elementary_slope(self._inner, name, at.value, value))))

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """Truth value of the values."""
        return self._inner.compare(code, self._recorded(left).value, self._recorded(right).value)

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """One of two; the adjoint goes to the chosen one."""
        if not self.is_own(if_true) and not self.is_own(if_false):
            return self._inner.select(condition, if_true, if_false)
        one, other, select = self._recorded(if_true), self._recorded(if_false), self._inner.select
        return one.made(
            select(condition, one.value, other.value),
            (one, lambda adjoint: select(condition, adjoint, 0.0)),
            (other, lambda adjoint: select(condition, 0.0, adjoint)),
        )

    def _recorded(self, x: Any) -> Recorded:
        return x if self.is_own(x) else Recorded(self._log, x)


def _same(adjoint: Scalar) -> Scalar:
    return adjoint


def _negative(adjoint: Scalar) -> Scalar:
    return -adjoint


def _times(slope: Scalar) -> Share:
    """The share of a factor; factors 0, 1 and -1 that are Python numbers cost nothing."""
    if isinstance(slope, int | float):
        if slope == 0:
            return lambda adjoint: 0.0
        if slope == 1:
            return _same
        if slope == -1:
            return _negative
    return lambda adjoint: adjoint * slope


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, int | float) and x == 0
