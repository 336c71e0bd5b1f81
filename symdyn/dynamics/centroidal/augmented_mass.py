"""Constants of the centre of mass: what each joint carries, less what moves with its parent.

For every body the mass M of its subtree and the augmented first moment H about its origin, in aligned axes: its own,
plus M l of every joint on it, plus what these joints cannot move (along the axis of a turn; everything for a slide).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.rotations import ROUNDING
from symdyn.algebra.spatial.vectors import add, scale, times
from symdyn.errors import ModelError
from symdyn.model.bind import FIRST_MOMENT, TRANSLATION, baked_body, bind_body
from symdyn.model.model import Model
from symdyn.model.rod_matter import factor
from symdyn.model.values import Values
from symdyn.plan.plan import Access, Constant, Field, FieldKind, Mode, Port, Step, Sweep, Visit

MOMENT = ("M", "Hx", "Hy", "Hz")
"""Mass of the subtree [kg] and augmented first moment [kg m]; over the total mass where that is a number."""

_GROUND = -1

Shares = dict[int, list[Scalar]]
"""The constants of ``MOMENT`` per body, and for the ground (-1) the total mass and the moment that no joint moves."""


class AugmentedMass:
    """Augmented masses of a robot: numbers, or accesses to what the binding sweep computes from p.

    Links that are fixed to the ground do not count.

    Raises
    ------
    ModelError
        A robot whose moving links have no mass.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._baked = [baked_body(model, body) for body in model.bodies]
        runtime = {index for index, baked in enumerate(self._baked) if baked is None}
        runtime |= {index for index, body in enumerate(model.bodies) if body.rod and body.rod.matter.density}
        self.runtime = bool(runtime)
        """Whether the total mass, or what an ancestor of every body carries, rests on p."""
        self._rows: dict[int, int] = {}
        if runtime:
            for index in tuple(runtime):
                while index >= 0:
                    runtime.add(index)
                    index = model.bodies[index].parent
            self._rows = {index: row for row, index in enumerate(sorted(runtime | {_GROUND}))}
        known = [
            dict.fromkeys((*TRANSLATION, "m", *FIRST_MOMENT), 0.0) if baked is None else baked.values
            for baked in self._baked
        ]
        values = Values(model.parameters, model.slots, p=[0.0] * len(model.slots.names))
        numbers = {index: _without_noise(share) for index, share in _shares(model, known, values).items()}
        total = numbers[_GROUND][0]
        if not self.runtime:
            if total <= 0.0:
                raise ModelError(
                    f"robot '{model.name}' has no mass on a moving link, and so no centre of mass; give one of "
                    f"{', '.join(model.body_names)} an inertial"
                )
            numbers = {index: scale(1.0 / total, share) for index, share in numbers.items()}
        self._numbers = numbers
        self._total = None if self.runtime else float(total)

    def fields(self) -> list[Field]:
        """Fields of what :meth:`binding_sweeps` writes."""
        return [Field("masses", FieldKind.STATE, len(MOMENT), len(self._rows))] if self._rows else []

    def binding_sweeps(self) -> list[Sweep]:
        """The sweep that computes constants from p, where these rest on p."""
        if not self._rows:
            return []
        step = Step("bind_masses", self._bind_kernel, (Port("p", Mode.READ), Port("masses", Mode.WRITE)))
        bindings = {
            "p": Access("p", 0, len(self.model.slots.names)),
            "masses": Access("masses", 0, len(MOMENT) * len(self._rows)),
        }
        return [Sweep(step, (Visit(_GROUND, "masses", {}, bindings),))]

    def _bind_kernel(
        self, _: Any, algebra: Algebra, __: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
    ) -> Mapping[str, Sequence[Scalar]]:
        bodies = [
            bind_body(self.model, body, algebra, reads["p"]).values if baked is None else baked.values
            for body, baked in zip(self.model.bodies, self._baked, strict=True)
        ]
        shares = _shares(self.model, bodies, Values(self.model.parameters, self.model.slots, algebra, reads["p"]))
        total = shares[_GROUND][0]
        shares[_GROUND][0] = 1.0 / total
        return {"masses": [value for index in self._rows for value in shares[index]]}

    def constants(self, index: int) -> dict[str, Constant]:
        """The constants of ``MOMENT`` of a body."""
        if index not in self._rows:
            return dict(zip(MOMENT, self._numbers[index], strict=True))
        start = len(MOMENT) * self._rows[index]
        return {name: Access("masses", start + place, 1) for place, name in enumerate(MOMENT)}

    @property
    def total(self) -> float | None:
        """The mass that moments are divided by beforehand; None where they are not."""
        return self._total

    @property
    def has_ground_share(self) -> bool:
        """Whether part of the moment is moved by no joint."""
        return self.runtime or any(self._numbers[_GROUND][1:])

    def ground_share(self) -> dict[str, Constant]:
        """The constants of ``MOMENT`` of the ground but the first."""
        found = self.constants(_GROUND)
        return {name: found[name] for name in MOMENT[1:]}

    def inverse_mass(self) -> dict[str, Constant]:
        """One over the total mass, where it rests on p."""
        return {"inverse_mass": self.constants(_GROUND)[MOMENT[0]]}


def _shares(model: Model, bodies: Sequence[Mapping[str, Scalar]], values: Values) -> Shares:
    """Augmented masses from the leaves to the ground."""
    found: Shares = {
        index: [values["m"], *(values[name] for name in FIRST_MOMENT)] for index, values in enumerate(bodies)
    }
    found[_GROUND] = [0.0] * len(MOMENT)
    for body in model.bodies:
        if body.beam is not None and body.parent < 0:
            found[_GROUND] = add(found[_GROUND], body.beam.at_rest[: len(MOMENT)])
        if body.rod is not None and body.parent < 0:
            density = body.rod.matter.density
            mass = factor(density, values) * body.rod.mass if density else body.rod.mass
            found[_GROUND] = add(found[_GROUND], [mass, 0.0, 0.0, 0.0])
    for index in reversed(range(len(bodies))):
        body = model.bodies[index]
        mass, *moment = found[index]
        moves = body.joint.kind.moved_axes
        unmoved = [0.0 if moved else part for part, moved in zip(moment, moves, strict=True)]
        moment = [part if moved else 0.0 for part, moved in zip(moment, moves, strict=True)]
        found[index] = [mass, *moment]
        origin = [bodies[index][name] for name in TRANSLATION]
        given = [mass, *add(times(body.rotation, unmoved), scale(mass, origin))]
        found[body.parent] = add(found[body.parent], given)
    return found


def _without_noise(share: Sequence[float]) -> list[float]:
    floor = ROUNDING * max(map(abs, share[1:]))
    return [share[0], *(value if abs(value) > floor else 0.0 for value in share[1:])]
