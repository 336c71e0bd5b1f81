"""Parameters of a YAML file, resolved: constants become numbers, what depends on run time stays an expression."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from symdyn.description.expression import CONSTANTS, FUNCTIONS, Expression
from symdyn.description.position import hint, shown
from symdyn.description.robot import Number, Parameter
from symdyn.errors import DescriptionError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions of one file may refer to."""

    constants: Mapping[str, float] = field(default_factory=dict)
    open: frozenset[str] = frozenset()
    """Run-time parameters and all that depends on them."""

    def fold(self, quantity: Number) -> Number:
        """The quantity as a number where no run-time parameter is involved, else as it is.

        Raises
        ------
        DescriptionError
            An unknown name, or no finite value.
        """
        if not isinstance(quantity, Expression):
            return quantity
        names = quantity.names
        for name in names:
            if name not in self.constants and name not in self.open:
                raise DescriptionError(
                    f"expression {shown(quantity.text)}: unknown name {shown(name)}; declare it under 'parameters'"
                    f"{hint(name, (*self.constants, *self.open))}"
                )
        if any(name in self.open for name in names):
            return quantity
        value = float(quantity.evaluate(self.constants))
        if not math.isfinite(value):
            raise DescriptionError(f"expression {shown(quantity.text)} has no finite value: it is {value}")
        return value

    def number(self, quantity: Number) -> float:
        """The quantity as a number.

        Raises
        ------
        DescriptionError
            As for :meth:`fold`, or the quantity depends on a run-time parameter.
        """
        folded = self.fold(quantity)
        if isinstance(folded, Expression):
            late = next(name for name in folded.names if name in self.open)
            raise DescriptionError(
                f"expression {shown(folded.text)} depends on the run-time parameter {shown(late)}, but this value is "
                "fixed when code is generated; only masses, moments, translations and losses may be left open"
            )
        return folded


def check_parameter_name(name: str) -> None:
    """Raise a DescriptionError unless an expression can use ``name``."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise DescriptionError(
            f"{shown(name)} cannot stand in an expression; use letters, digits and _ (at most 100), no digit first"
        )
    if name in FUNCTIONS or name in CONSTANTS:
        raise DescriptionError(f"{shown(name)} already means something in expressions; choose another name")


def resolve(declared: Mapping[str, Parameter]) -> tuple[tuple[Parameter, ...], Scope]:
    """Parameters with constants folded, each after those that it uses, otherwise in the order of the file.

    Raises
    ------
    DescriptionError
        An unknown name, a circle, a run-time default that is not constant; the message names the parameter.
    """
    constants: dict[str, float] = {}
    open_names: set[str] = set()
    ordered: list[Parameter] = []
    for parameter in _by_use(declared):
        scope = Scope(constants, frozenset(open_names))
        value = parameter.value
        try:
            if value is not None:
                value = scope.number(value) if parameter.runtime else scope.fold(value)
        except DescriptionError as failure:
            raise DescriptionError(f"parameter {shown(parameter.name)}: {failure}") from failure
        if parameter.runtime or isinstance(value, Expression):
            open_names.add(parameter.name)
        elif value is not None:
            constants[parameter.name] = value
        ordered.append(Parameter(parameter.name, value, parameter.unit, parameter.runtime))
    return tuple(ordered), Scope(constants, frozenset(open_names))


def _by_use(declared: Mapping[str, Parameter]) -> list[Parameter]:
    """Depth-first order by use, with an own stack so that long chains cannot exhaust Python's."""
    ordered: dict[str, Parameter] = {}
    for name in declared:
        path: list[str] = [name]
        while path:
            current = declared[path[-1]]
            missing = [used for used in _uses(current) if used in declared and used not in ordered]
            if not missing:
                ordered[current.name] = current
                path.pop()
            elif missing[0] in path:
                circle = [*path[path.index(missing[0]) :], missing[0]]
                raise DescriptionError(
                    f"parameters are defined by each other in a circle, {' -> '.join(shown(name) for name in circle)}; "
                    "give one of them a number"
                )
            else:
                path.append(missing[0])
    return list(ordered.values())


def _uses(parameter: Parameter) -> tuple[str, ...]:
    return parameter.value.names if isinstance(parameter.value, Expression) else ()
