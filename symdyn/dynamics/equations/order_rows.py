"""The rows of forward dynamics over time series: what is given and found at each order, as coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.dynamics.equations.order_steps import COEFFICIENT, DERIVATIVE, INTEGRATED, KEPT, OPEN
from symdyn.dynamics.kinematics.series_coordinates import SERIES, scalar_sweep
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Step, Sweep
from symdyn.plan.transforms.order_by_order import Stepwise
from symdyn.plan.transforms.stepwise_kernels import coefficient_of

GIVEN, FOUND = "given", "found"
"""Fields (nv,): what is given, as coefficients; and what is found at the order at hand."""


class Rows:
    """Sweeps over the rows of v.

    Parameters
    ----------
    model
        The robot.
    free
        Rows whose force is given; the acceleration of the others is.
    given, found
        Names of the input and of the output, (r + 1, nv).
    external
        Whether wrenches f_ext are given too, (r + 1, nbodies, 6).
    """

    by_motion = False
    """Whether forces follow the motion that is found, so that they are made order by order too."""

    def __init__(self, model: Model, free: frozenset[int], given: str, found: str, external: bool) -> None:
        self.free = free
        self._model, self._given, self._found, self._external = model, given, found, external
        self._bodies = model.velocity_bodies
        self._prescribed = [row for row in range(model.nv) if row not in free]

    def inputs(self, k: int) -> list[Sweep]:
        """What is given at order k, and the velocities that follow from lower orders."""
        a, v = SERIES["a"], SERIES["v"]
        opened = sorted(self.free & self._partly_prescribed())
        sweeps = [
            self._taken(k),
            *([scaled_sweep("f_ext", SERIES["f_ext"], self._model.wrench_bodies, k)] if self._external else []),
            self._held(k),
            *(
                self._each(OPEN, None, [(row, coefficient_of(*field)) for row in opened])
                for field in ((a, k), (v, k + 1))
            ),
        ]
        first = range(self._model.nv) if k == 0 else sorted(self.free)
        for power, found in ((k, first), (k + 1, self._prescribed)):
            rate = coefficient_of(a, power - 1) if power else "v"
            integrals = [(row, rate, coefficient_of(v, power)) for row in found]
            sweeps.append(self._each(INTEGRATED, power, integrals))
        return [sweep for sweep in sweeps if sweep.visits]

    def fields(self, orders: int) -> list[Field]:
        """What is given, row by row of ``orders`` of them, and tables."""
        return [Field(self._given, FieldKind.INPUT, orders * self._model.nv)]

    def states(self) -> list[Field]:
        """State of which each order has a coefficient, beside :data:`GIVEN`."""
        return []

    def forces(self) -> list[Sweep]:
        """Sweeps of plain scalars that make :data:`GIVEN` from q and these, where it is not given itself."""
        return []

    def series(self) -> dict[str, Stepwise]:
        """How these are carried from order to order."""
        return {field.name: Stepwise() for field in self.states()}

    def once(self, solve: Sequence[Sweep]) -> list[Sweep]:
        """What else is made at t = 0, once the factor is: ``solve`` takes forces ``rest`` to :data:`FOUND`."""
        return []

    def between(self, k: int) -> list[Sweep]:
        """What follows at order k from what plain forces give, before it counts as found."""
        return []

    def _taken(self, k: int) -> Sweep:
        """What is given at order k becomes coefficient k."""
        return scaled_sweep(self._given, GIVEN, self._bodies, k)

    def _held(self, k: int) -> Sweep:
        """Order k of the accelerations that are given."""
        a = coefficient_of(SERIES["a"], k)
        return self._each(KEPT, None, [(row, coefficient_of(GIVEN, k), a) for row in self._prescribed])

    def derivatives(self, k: int) -> Sweep:
        """Order k of the output from what is found."""
        count = self._model.nv
        places = ((Access(FOUND, row, 1), Access(self._found, k * count + row, 1)) for row in range(count))
        return scalar_sweep(DERIVATIVE, k, self._bodies, places)

    def accelerations(self, k: int) -> Sweep:
        """What is found of accelerations becomes coefficient k of the trajectory."""
        a = coefficient_of(SERIES["a"], k)
        return self._each(KEPT, None, [(row, FOUND, a) for row in sorted(self.free)])

    def _each(self, per_row: Step, variant: Any, found: Sequence[tuple[int, *tuple[str, ...]]]) -> Sweep:
        """A step per row of v: a row, and the fields in which it lies."""
        places = (tuple(Access(field, row, 1) for field in fields) for row, *fields in found)
        return scalar_sweep(per_row, variant, (self._bodies[row] for row, *_ in found), places)

    def _partly_prescribed(self) -> set[int]:
        """Rows of joints that have both free and prescribed ones: these are read together."""
        joints = (
            set(range(joint.v_index, joint.v_index + len(joint.coordinates.v)))
            for joint in self._model.independent_joints
        )
        return {row for own in joints if own & self.free and own - self.free for row in own}


def scaled_sweep(field: str, series: str, bodies: Sequence[int], k: int) -> Sweep:
    """A sweep that makes coefficient k of a series from row k of derivatives; ``bodies`` say whose a scalar is."""
    count, coefficient = len(bodies), coefficient_of(series, k)
    places = ((Access(field, k * count + row, 1), Access(coefficient, row, 1)) for row in range(count))
    return scalar_sweep(COEFFICIENT, k, bodies, places)
