"""The value of every quantity of a description: numbers, expressions and run-time slots over any scalar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.inertia import Inertia, from_center_of_mass
from symdyn.algebra.spatial.rotations import IDENTITY, General, turned_symmetric
from symdyn.algebra.spatial.vectors import Matrix, add, product, times
from symdyn.description.quantities.expression import FUNCTIONS, Expression
from symdyn.description.robot import Inertial, Number, Parameter, Placement, RobotDescription
from symdyn.errors import ModelError
from symdyn.model.parameter_names import Way, inertial_numbers, placement_numbers, robot_leaves
from symdyn.model.parameter_slots import ParameterSlots

FLOATS = FloatAlgebra()
NO_SLOTS = ParameterSlots()


class Values:
    """Evaluates quantities over an algebra, with run-time ones taken from the vector p.

    ``p`` is indexed by slot; without run-time parameters it may be empty.
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        slots: ParameterSlots = NO_SLOTS,
        algebra: Algebra = FLOATS,
        p: Sequence[Scalar] = (),
    ) -> None:
        self._slots = slots
        self._p = p
        self._functions = functions_of(algebra)
        # expressions may use parameters declared before or after
        self._declared = {parameter.name: parameter for parameter in parameters}
        self._known: dict[str, Scalar] = {}

    def number(self, number: Number, leaf: str = "") -> Scalar:
        """The value of a number or expression, or of the run-time slot named ``leaf``."""
        slot = self._slots.index(leaf) if leaf else None
        if slot is not None:
            return self._p[slot]
        if isinstance(number, Expression):
            names = {name: self.parameter(name) for name in number.names}
            return number.evaluate(names, self._functions)
        return float(number)

    def parameter(self, name: str) -> Scalar:
        """The value of a declared parameter."""
        if name not in self._known:
            if name not in self._declared:
                raise ModelError(f"parameter '{name}' is not declared; add it under 'parameters'")
            declared = self._declared[name]
            if declared.value is None and self._slots.index(name) is None:
                raise ModelError(f"parameter '{name}' has no value; give one, or mark it as run-time")
            self._known[name] = self.number(declared.value if declared.value is not None else 0.0, name)
        return self._known[name]

    def numbers(self, numbers: Mapping[str, Number], owner: str) -> dict[str, Scalar]:
        """Values by name; ``owner`` is the link or joint that names their leaves, empty where they have none."""
        return {name: self.number(number, owner and f"{owner}.{name}") for name, number in numbers.items()}

    def translation(self, placement: Placement, joint: str) -> list[Scalar]:
        """Translation of a placement; ``joint`` names its leaves and is empty where it has none."""
        return list(self.numbers(placement_numbers(placement), joint).values())

    def composed(self, way: Way) -> tuple[Matrix, list[Scalar]]:
        """Rotation and translation of a chain of placements."""
        rotation: Matrix = IDENTITY
        translation: list[Scalar] = [0.0, 0.0, 0.0]
        for step, joint in way:
            translation = add(translation, times(rotation, self.translation(step, joint)))
            rotation = product(rotation, step.rotation)
        return rotation, translation

    def inertia(self, link: str, inertial: Inertial) -> Inertia:
        """Inertia of a link, about its own frame."""
        mass, *rest = self.numbers(inertial_numbers(inertial), link).values()
        moments = turned_symmetric(General(inertial.placement.rotation), rest[3:])
        return from_center_of_mass(mass, rest[:3], moments)

    def depends(self, numbers: Mapping[str, Number], owner: str) -> bool:
        """Whether any of these needs a run-time parameter."""
        return any(
            used in self._slots.names
            for name, number in numbers.items()
            for used in self._names(number, owner and f"{owner}.{name}")
        )

    def way_depends(self, way: Way) -> bool:
        """Whether any translation of a chain of placements needs a run-time parameter."""
        return any(self.depends(placement_numbers(step), joint) for step, joint in way)

    def _names(self, number: Number, leaf: str) -> Iterator[str]:
        yield leaf
        if isinstance(number, Expression):
            for name in number.names:
                yield name
                declared = self._declared.get(name)
                if declared is not None and isinstance(declared.value, Expression):
                    yield from self._names(declared.value, "")


def functions_of(algebra: Algebra) -> dict[str, Callable[[Any], Any]]:
    """The functions that expressions may call, over an algebra."""
    return {name: partial(algebra.function, name) for name in FUNCTIONS}


def known_values(robot: RobotDescription, gravity: Sequence[float]) -> dict[str, float]:
    """The number that the file gives for each leaf, where it gives one without run-time parameters."""
    values, known = Values(robot.parameters), {}
    for name, (number, _) in robot_leaves(robot, gravity).items():
        # what rests on a run-time parameter without default has no number to tell
        with suppress(ModelError):
            if number is not None:
                known[name] = float(values.number(number))
    return known
