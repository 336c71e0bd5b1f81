"""Time derivatives of hybrid dynamics whose prescribed accelerations come from inputs that are looked for.

The unknown inputs are series that are found on the way, as accelerations are. With normalised coefficients, order k is

    M(q_0) a_k - B(q_0)_U u_Uk = (B_K u_K)_k + sum over j < k of (B_(k-j))_U u_Uj - b_k

in which B to order k follows from q to order k, known once order k - 2 of the accelerations is. So hybrid dynamics with
u_Uk = 0 goes first, and S, which rests on q_0 alone (``input_inversion``), is inverted once for all orders.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.actuation_map import column_sweeps_to, driving_fields, without_factors
from symdyn.dynamics.equations.input_inversion import ANSWER, DIFFERENCE, INVERT, refuse_singular_inputs
from symdyn.dynamics.equations.input_orders import DRIVING, DrivenRows
from symdyn.dynamics.equations.order_rows import FOUND, GIVEN
from symdyn.dynamics.equations.order_steps import DERIVATIVE, KEPT
from symdyn.dynamics.kinematics.series_coordinates import scalar_sweep
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.model.model import Model
from symdyn.plan.compose import places_written, renamed
from symdyn.plan.plan import Access, Field, FieldKind, Sweep, Visit
from symdyn.plan.transforms.order_by_order import Stepwise
from symdyn.plan.transforms.stepwise_kernels import coefficient_of

_COLUMNS, _SYSTEM, _INVERSE = "unknown_columns", "unknown_system", "unknown_inverse"
_NEEDED, _INPUTS = "unknown_forces", "unknown_inputs"
OUTPUT = "Unknown"
"""The output of inputs found, with their derivatives."""


class FoundInputRows(DrivenRows):
    """The rows of v, some of whose inputs are found with them.

    Parameters
    ----------
    model
        The robot.
    prescribed
        Rows of v whose acceleration is given.
    unknown
        Numbers of the inputs that are looked for, as many.
    given, found
        Names of the inputs and of the accelerations that are given, and of the output of w.
    external
        Whether wrenches f_ext are given too.

    Raises
    ------
    ModelError
        Inputs that cannot give what is prescribed.
    """

    def __init__(
        self,
        model: Model,
        prescribed: Collection[int],
        unknown: Sequence[int],
        given: tuple[str, str],
        found: str,
        external: bool,
    ) -> None:
        free = frozenset(range(model.nv)) - set(prescribed)
        super().__init__(model, free, given, found, external)
        self._unknown, place_of = unknown, {number: place for place, number in enumerate(unknown)}
        self._columns = column_sweeps_to(
            model, lambda number, row, rows: Access(_COLUMNS, place_of[number] * model.nv + row, rows), unknown
        )
        written = places_written(self._columns, _COLUMNS)
        refuse_singular_inputs(model, free, self._prescribed, unknown, written)
        self._rests, self._answers = (
            [f"{kind}_of_unknown{j}" for j in place_of.values()] for kind in ("rest", "response")
        )

    def fields(self, orders: int) -> list[Field]:
        """Inputs, columns of B, and what solves for inputs."""
        nv, count = self._model.nv, len(self._unknown)
        return [
            *super().fields(orders),
            *driving_fields(self._model, self._columns),
            *(Field(name, FieldKind.STATE, nv, sparse=True) for name in (*self._rests, *self._answers)),
            Field(_COLUMNS, FieldKind.STATE, nv, count, sparse=True),
            *(Field(name, FieldKind.STATE, count**2) for name in (_SYSTEM, _INVERSE)),
            *(Field(name, FieldKind.STATE, count) for name in (_NEEDED, _INPUTS)),
            Field(OUTPUT, FieldKind.OUTPUT, orders * count),
        ]

    def series(self) -> dict[str, Stepwise]:
        """How the inputs that are looked for are carried."""
        return {DRIVING: Stepwise(unknown=frozenset(self._unknown))}

    def once(self, solve: Sequence[Sweep]) -> list[Sweep]:
        """How forces of prescribed rows follow unknown inputs, inverted."""
        nv, count = self._model.nv, len(self._unknown)
        taken = [
            steps.copy_visit(Access(_COLUMNS, j * nv + row, 1), Access(rest, row, 1))
            for j, rest in enumerate(self._rests)
            for row in sorted(self.free)
        ]
        entries = [
            _difference((_COLUMNS, j * nv + row), (self._answers[j], row), (_SYSTEM, i * count + j))
            for i, row in enumerate(self._prescribed)
            for j in range(count)
        ]
        whole = {"system": Access(_SYSTEM, 0, count**2), "inverse": Access(_INVERSE, 0, count**2)}
        return [
            *without_factors(self._model, self._columns),
            Sweep(steps.COPY, tuple(taken), vector=True),
            *(
                sweep
                for rest, found in zip(self._rests, self._answers, strict=True)
                for sweep in renamed(solve, {"rest": rest, FOUND: found})
            ),
            Sweep(DIFFERENCE, tuple(entries), vector=True),
            Sweep(INVERT, (Visit(-1, count, {}, {**whole}),)),
        ]

    def between(self, k: int) -> list[Sweep]:
        """Order k of the inputs, and what they add."""
        nv, count = self._model.nv, len(self._unknown)
        prescribed_rows = enumerate(self._prescribed)
        needed = [
            _difference((FOUND, row), (coefficient_of(GIVEN, k), row), (_NEEDED, i)) for i, row in prescribed_rows
        ]
        inverse, right = MatrixField(_INVERSE, count), MatrixField(_NEEDED, 1)
        solved = product_sweeps(inverse, right, MatrixField(_INPUTS, 1), range(count), {0: range(count)})
        added = [
            Visit(-1, nv, {}, {"input": own, "response": Access(answer, 0, nv), "w": Access(FOUND, 0, nv)})
            for (own, _), answer in zip(self._places("", 0), self._answers, strict=True)
        ]
        written = scalar_sweep(DERIVATIVE, k, [-1] * count, self._places(OUTPUT, k * count))
        return [Sweep(DIFFERENCE, tuple(needed), vector=True), *solved, Sweep(ANSWER, tuple(added)), written]

    def accelerations(self, k: int) -> Sweep:
        """What is found of accelerations and of inputs becomes coefficient k."""
        moved, driving = super().accelerations(k), coefficient_of(DRIVING, k)
        places = [(Access(_INPUTS, j, 1), Access(driving, number, 1)) for j, number in enumerate(self._unknown)]
        found = scalar_sweep(KEPT, None, [-1] * len(places), places)
        return replace(moved, visits=(*moved.visits, *found.visits))

    def _taken(self, k: int) -> Sweep:
        taken = super()._taken(k)
        known = (visit for number, visit in enumerate(taken.visits) if number not in self._unknown)
        return replace(taken, visits=tuple(known))

    def _places(self, field: str, first: int) -> list[tuple[Access, Access]]:
        """The inputs found, and places in another field from ``first`` on."""
        return [(Access(_INPUTS, j, 1), Access(field, first + j, 1)) for j in range(len(self._unknown))]


def _difference(own: tuple[str, int], other: tuple[str, int], left: tuple[str, int]) -> Visit:
    """The difference of two scalars, each a field and a place."""
    ports = (("own", own), ("other", other), ("left", left))
    return Visit(-1, None, {}, {port: Access(field, place, 1) for port, (field, place) in ports})
