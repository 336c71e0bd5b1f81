"""The value of a description's numbers and expressions at run-time parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpmath import mp

from symdyn.description.quantities.expression import SMOOTH_FUNCTIONS, Expression
from symdyn.description.robot import Number, RobotDescription
from symdyn.errors import ModelError
from symdyn.verify.base.matrices import Real, Vector


class Quantities:
    """The value of a description's numbers and expressions in mpmath, run-time parameters included.

    ``given`` maps declared parameters, or single quantities such as ``forearm.mass``, ``forearm.com.x``,
    ``forearm.inertia.xy``, ``elbow.translation.z``, ``elbow.damping``, ``elbow.friction``, ``elbow.armature`` and
    ``gravity.z``, to values that replace the file's.
    """

    def __init__(self, description: RobotDescription, given: Mapping[str, Any]) -> None:
        self._declared = {parameter.name: parameter for parameter in description.parameters}
        self.given = {name: mp.mpf(value) for name, value in given.items()}
        self._functions = {**{name: getattr(mp, name) for name in SMOOTH_FUNCTIONS}, "abs": abs}

    def __call__(self, number: Number, leaf: str) -> Real:
        """The value given for ``leaf``, else the number's or expression's own."""
        if leaf in self.given:
            return self.given[leaf]
        return self.with_names(number, {})

    def with_names(self, number: Number, more: Mapping[str, Real]) -> Real:
        """The value of a number or of an expression over parameters and ``more``."""
        if not isinstance(number, Expression):
            return mp.mpf(number)
        values = {name: more[name] if name in more else self._parameter(name) for name in number.names}
        return mp.mpf(number.evaluate(values, self._functions))

    def all(self, numbers: Sequence[Number], stem: str, suffixes: Sequence[str]) -> Vector:
        """Several quantities with names ``stem.suffix``."""
        return [self(number, f"{stem}.{suffix}") for number, suffix in zip(numbers, suffixes, strict=True)]

    def _parameter(self, name: str) -> Real:
        declared = self._declared.get(name)
        if name not in self.given and (declared is None or declared.value is None):
            raise ModelError(f"parameter '{name}' has no value; give one in parameters")
        return self(declared.value if declared is not None and declared.value is not None else 0.0, name)
