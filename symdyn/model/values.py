"""The value of every quantity of a description: numbers, expressions and run-time slots over any scalar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symdyn.description.quantities.expression import FUNCTIONS, Expression
from symdyn.description.robot import Inertial, Number, Parameter, Placement, RobotDescription
from symdyn.errors import ModelError
from symdyn.model.drives import drive_numbers, drive_of
from symdyn.model.parameter_slots import ParameterSlots
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.floats import FloatAlgebra

_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")


class Values:
    """Evaluates quantities over an algebra, with run-time ones taken from the vector p.

    ``p`` is indexed by slot; without run-time parameters it may be empty.
    """

    def __init__(
        self, parameters: Sequence[Parameter], slots: ParameterSlots, algebra: Algebra, p: Sequence[Scalar]
    ) -> None:
        self._slots = slots
        self._p = p
        self._functions = {name: _bound(algebra, name) for name in FUNCTIONS}
        self._declared: dict[str, Any] = {}
        for parameter in parameters:  # expressions may use parameters declared before or after
            self._declared[parameter.name] = parameter
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
            declared: Parameter = self._declared[name]
            if declared.value is None and self._slots.index(name) is None:
                raise ModelError(f"parameter '{name}' has no value; give one, or mark it as run-time")
            self._known[name] = self.number(declared.value if declared.value is not None else 0.0, name)
        return self._known[name]

    def translation(self, placement: Placement, joint: str) -> list[Scalar]:
        """Translation of a placement; ``joint`` names its leaves and is empty where it has none."""
        return [
            self.number(value, f"{joint}.translation.{axis}" if joint else "")
            for value, axis in zip(placement.translation, "xyz", strict=True)
        ]

    def inertial(self, link: str, inertial: Inertial) -> tuple[Scalar, list[Scalar], list[Scalar]]:
        """Mass, centre of mass and moments of a link."""
        center = [
            self.number(value, f"{link}.com.{axis}")
            for value, axis in zip(inertial.placement.translation, "xyz", strict=True)
        ]
        moments = [
            self.number(value, f"{link}.inertia.{pair}") for value, pair in zip(inertial.moments, _MOMENTS, strict=True)
        ]
        return self.number(inertial.mass, f"{link}.mass"), center, moments

    def depends(self, numbers: Sequence[tuple[Number, str]]) -> bool:
        """Whether any of these (number, leaf) pairs needs a run-time parameter."""
        return any(name in self._slots.names for number, leaf in numbers for name in self._names(number, leaf))

    def _names(self, number: Number, leaf: str) -> Iterator[str]:
        yield leaf
        if isinstance(number, Expression):
            for name in number.names:
                yield name
                declared = self._declared.get(name)
                if declared is not None and isinstance(declared.value, Expression):
                    yield from self._names(declared.value, "")


def _bound(algebra: Algebra, name: str) -> Any:
    return lambda x: algebra.function(name, x)


def known_values(robot: RobotDescription, gravity: Sequence[float]) -> dict[str, float]:
    """The number that the file gives for each leaf, where it gives one without run-time parameters."""
    values = Values(robot.parameters, ParameterSlots(), FloatAlgebra(), ())
    known: dict[str, float] = {f"gravity.{axis}": value for axis, value in zip("xyz", gravity, strict=True)}

    def note(leaf: str, number: Number | None) -> None:
        try:
            if number is not None:
                known[leaf] = float(values.number(number))
        except ModelError:
            return  # rests on a run-time parameter without default: there is no number to tell

    for parameter in robot.parameters:
        note(parameter.name, parameter.value)
    for link in robot.links:
        if link.inertial is not None:
            note(f"{link.name}.mass", link.inertial.mass)
            _note_all(note, f"{link.name}.com", "xyz", link.inertial.placement.translation)
            _note_all(note, f"{link.name}.inertia", _MOMENTS, link.inertial.moments)
    for joint in robot.joints:
        _note_all(note, f"{joint.name}.translation", "xyz", joint.placement.translation)
        note(f"{joint.name}.damping", joint.losses.damping)
        note(f"{joint.name}.friction", joint.losses.friction)
        for name, number in drive_numbers(*drive_of(joint)).items():
            note(f"{joint.name}.{name}", number)
    return known


def _note_all(note: Any, stem: str, suffixes: Sequence[str], numbers: Sequence[Number]) -> None:
    for suffix, number in zip(suffixes, numbers, strict=True):
        note(f"{stem}.{suffix}", number)
