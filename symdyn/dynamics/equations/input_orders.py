"""Time derivatives of forward and hybrid dynamics whose forces come from inputs of actuators, tau = B(q) u.

Without tendons B is constant, and each derivative of tau is B times that of u. With tendons, B moves with the q that
is found on the way: order k of B u needs q to order k, which is known once order k - 2 of the accelerations is.
"""

from __future__ import annotations

from symdyn.dynamics.actuation.actuation_map import driving_fields, driving_sweeps, without_factors
from symdyn.dynamics.equations.order_rows import GIVEN, Rows, scaled_sweep
from symdyn.dynamics.equations.order_steps import COEFFICIENT
from symdyn.dynamics.kinematics.series_coordinates import SERIES, scalar_sweep
from symdyn.model.model import Model
from symdyn.plan.compose import clearing, renamed
from symdyn.plan.plan import Access, Field, FieldKind, Sweep
from symdyn.plan.transforms.stepwise_kernels import coefficient_of

DRIVING = "driving"
"""Field of the inputs, as coefficients."""


class DrivenRows(Rows):
    """The rows of v, whose forces are made of inputs and of q; ``given`` are inputs, and prescribed accelerations."""

    by_motion = True

    def __init__(self, model: Model, free: frozenset[int], given: tuple[str, str], found: str, external: bool) -> None:
        super().__init__(model, free, given[0], found, external)
        self._accelerations = given[1]
        self._driving = without_factors(model, driving_sweeps(model, DRIVING, GIVEN))

    def fields(self, orders: int) -> list[Field]:
        """Inputs, and accelerations of prescribed rows."""
        sizes = [(self._given, len(self._model.actuator_inputs))]
        if self._prescribed:
            sizes.append((self._accelerations, self._model.nv))
        inputs = [Field(name, FieldKind.INPUT, orders * size) for name, size in sizes]
        return [*inputs, *driving_fields(self._model, self._driving)]

    def states(self) -> list[Field]:
        """The inputs' coefficients."""
        return [Field(DRIVING, FieldKind.STATE, len(self._model.actuator_inputs))]

    def forces(self) -> list[Sweep]:
        """B u, from the places where q is."""
        cleared = clearing([Access(GIVEN, 0, self._model.nv)])
        return [cleared, *renamed(self._driving, {name: SERIES[name] for name in "qv"})]

    def _taken(self, k: int) -> Sweep:
        return scaled_sweep(self._given, DRIVING, [-1] * len(self._model.actuator_inputs), k)

    def _held(self, k: int) -> Sweep:
        field, a = self._accelerations, coefficient_of(SERIES["a"], k)
        places = ((Access(field, k * self._model.nv + row, 1), Access(a, row, 1)) for row in self._prescribed)
        return scalar_sweep(COEFFICIENT, k, (self._bodies[row] for row in self._prescribed), places)
