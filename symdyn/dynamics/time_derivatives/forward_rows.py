"""The rows of forward dynamics over time series: what is given and found at each order, as coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.dynamics.time_derivatives.forward_steps import COEFFICIENT, DERIVATIVE, INTEGRATED, KEPT, OPEN
from symdyn.dynamics.time_derivatives.series_coordinates import SERIES
from symdyn.model.model import Model
from symdyn.plan import Access, Step, Sweep, Visit
from symdyn.transforms.stepwise_kernels import coefficient_of

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

    def __init__(self, model: Model, free: frozenset[int], given: str, found: str, external: bool) -> None:
        self.free = free
        self._model, self._given, self._found, self._external = model, given, found, external
        self._bodies = model.velocity_bodies
        self._prescribed = [row for row in range(model.nv) if row not in free]

    def inputs(self, k: int) -> list[Sweep]:
        """What is given at order k, and the velocities that follow from lower orders."""
        count = self._model.nv
        a, v = SERIES["a"], SERIES["v"]
        sweeps = [_scaled(self._given, GIVEN, self._bodies, k)]
        if self._external:
            sweeps.append(_scaled("f_ext", SERIES["f_ext"], self._model.wrench_bodies, k))
        sweeps.append(
            self._each(
                KEPT, None, [(coefficient_of(GIVEN, k), row, coefficient_of(a, k), row) for row in self._prescribed]
            )
        )
        for field, power in ((a, k), (v, k + 1)):
            places = [(coefficient_of(field, power), row) for row in sorted(self.free & self._partly_prescribed())]
            visits = [Visit(self._bodies[place[1]], None, {}, {"unknown": Access(*place, 1)}) for place in places]
            sweeps.append(Sweep(OPEN, tuple(visits)))
        integrals = [(row, k) for row in range(count) if k == 0 or row in self.free]
        integrals += [(row, k + 1) for row in self._prescribed]
        for power in (k, k + 1):
            rate = coefficient_of(a, power - 1) if power else "v"
            pairs = [(rate, row, coefficient_of(v, power), row) for row, own in integrals if own == power]
            sweeps.append(self._each(INTEGRATED, power, pairs))
        return [sweep for sweep in sweeps if sweep.visits]

    def derivatives(self, k: int) -> Sweep:
        """Order k of the output from what is found."""
        count = self._model.nv
        return Sweep(
            DERIVATIVE,
            tuple(
                Visit(
                    self._bodies[row],
                    k,
                    {},
                    {"coefficient": Access(FOUND, row, 1), "derivative": Access(self._found, k * count + row, 1)},
                )
                for row in range(count)
            ),
        )

    def accelerations(self, k: int) -> Sweep:
        """What is found of accelerations becomes coefficient k of the trajectory."""
        a = coefficient_of(SERIES["a"], k)
        return self._each(KEPT, None, [(FOUND, row, a, row) for row in sorted(self.free)])

    def _each(self, step: Step, variant: Any, pairs: Sequence[tuple[str, int, str, int]]) -> Sweep:
        """A step per row of v: from (field, row) to (field, row)."""
        source, target = (port.name for port in step.ports)
        visits = [
            Visit(self._bodies[row], variant, {}, {source: Access(field, row, 1), target: Access(into, there, 1)})
            for field, row, into, there in pairs
        ]
        return Sweep(step, tuple(visits))

    def _partly_prescribed(self) -> set[int]:
        """Rows of joints that have both free and prescribed ones: these are read together."""
        found: set[int] = set()
        for joint in self._model.independent_joints:
            rows = set(range(joint.v_index, joint.v_index + len(joint.coordinates.v)))
            found |= rows if rows & self.free and rows - self.free else set()
        return found


def _scaled(field: str, series: str, bodies: Sequence[int], k: int) -> Sweep:
    count = len(bodies)
    visits = [
        Visit(
            body,
            k,
            {},
            {
                "derivative": Access(field, k * count + place, 1),
                "coefficient": Access(coefficient_of(series, k), place, 1),
            },
        )
        for place, body in enumerate(bodies)
    ]
    return Sweep(COEFFICIENT, tuple(visits))
