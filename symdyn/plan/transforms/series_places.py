"""How time series lie in fields: the coefficients of each scalar side by side, or coefficient by coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor import Series, rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.errors import InternalError
from symdyn.plan.plan import Access, Binding, Field


@dataclass(frozen=True, slots=True)
class Form:
    """How a series lies in a field: ``size`` scalars, its coefficients, or its value and then those of its rate.

    The latter (``by_rate``) suits a quantity that was made by integrating, and of which readers want the rate: nothing
    is divided by its order and multiplied again.
    """

    size: int
    by_rate: bool = False

    def loaded(self, algebra: TaylorAlgebra, scalars: Sequence[Scalar]) -> Series:
        """The series from its scalars."""
        if self.by_rate and self.size > 1:
            return algebra.integral(Series(scalars[1:]), scalars[0])
        return Series(scalars)

    def stored(self, value: Scalar) -> list[Scalar]:
        """The scalars of a series or of what is constant in time.

        Raises
        ------
        InternalError
            The series is shorter than its field has room for.
        """
        if not isinstance(value, Series):
            return [value] + [0.0] * (self.size - 1)
        found = list(value.coefficients)
        if self.by_rate and self.size > 1:
            found = [value.leading, *rate(value).coefficients]
        if len(found) < self.size:
            raise InternalError(f"a series of {len(found)} coefficients where its readers need {self.size}")
        return found[: self.size]


class Layout:
    """Where the scalars of a lifted field lie, the coefficients of each side by side."""

    def __init__(self, plain: Field, forms: tuple[Form, ...]) -> None:
        assert len(forms) == plain.width, (plain.name, len(forms))
        self._width, self._lanes = plain.width, plain.lanes
        self._forms = forms
        self._starts = [0, *accumulate(form.size for form in forms)]
        self._known: dict[tuple[int, int, int], tuple[Form, ...]] = {}
        self.field = replace(plain, width=self._starts[-1])

    def forms(self, access: Access) -> tuple[Form, ...]:
        """The forms of the scalars of an access."""
        column, stride = access.offset // self._lanes % self._width, self._stride(access)
        key = (column, access.count, stride)
        if key not in self._known:
            places = range(column, column + access.count * stride, stride)
            self._known[key] = tuple([self._forms[place % self._width] for place in places])
        return self._known[key]

    def access(self, access: Access) -> Access:
        """Where the series of an access lie."""
        assert self._stride(access) == 1 or access.count == 1, access
        scalar, lane = divmod(access.offset, self._lanes)
        row, column = divmod(scalar, self._width)
        size = sum([form.size for form in self.forms(access)])
        start = (row * self._starts[-1] + self._starts[column]) * self._lanes + lane
        return Access(access.field, start, size, self._lanes, self._lane(access))

    def bindings(self, name: str, access: Access) -> dict[str, Binding]:
        """Where the series of an access lie, by port."""
        return {name: self.access(access)}

    def _stride(self, access: Access) -> int:
        """Scalars of a lane from one of the access to the next."""
        assert access.count == 1 or access.stride % self._lanes == 0, access
        return access.stride // self._lanes if access.count > 1 else 1

    def _lane(self, access: Access) -> int:
        """By how much the series of an access advance from lane to lane."""
        if self._lanes > 1 or not access.lane:
            return access.lane
        rows, rest = divmod(access.lane, self._width)
        alike = len(set(self._forms)) == 1
        assert alike or not rest, access  # or lanes would find series of unequal forms
        return access.lane * self._forms[0].size if alike else rows * self._starts[-1]


class Planes:
    """Where the scalars of a lifted field lie of which some ports take columns: coefficient by coefficient.

    A port is then as many as there are coefficients.
    """

    def __init__(self, plain: Field, order: int) -> None:
        self._size, self._count = plain.size, order + 1
        self.field = replace(plain, rows=plain.rows * self._count)

    def forms(self, access: Access) -> tuple[Form, ...]:
        """The forms of the scalars of an access."""
        return (Form(self._count),) * access.count

    def bindings(self, name: str, access: Access) -> dict[str, Binding]:
        """Where the series of an access lie, by port."""
        return {plane_port(name, k): replace(access, offset=access.offset + k * self._size) for k in range(self._count)}


def plane_port(name: str, k: int) -> str:
    """The port of coefficient k of a port whose series lie coefficient by coefficient."""
    return f"{name}@{k}"
