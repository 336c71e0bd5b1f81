"""Parameters of a YAML file, resolved: constants become numbers, what depends on run time stays an expression."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from symdyn.description.quantities.expression import CONSTANTS, FUNCTIONS, Expression
from symdyn.description.quantities.number import SMALLEST
from symdyn.description.robot import Number, Parameter
from symdyn.description.text.position import hint, shown
from symdyn.errors import DescriptionError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class Scope:
    """What expressions of one file may refer to."""

    constants: Mapping[str, float] = field(default_factory=dict)
    open: AbstractSet[str] = frozenset()
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
        if 0.0 < abs(value) < SMALLEST:
            raise DescriptionError(
                f"expression {shown(quantity.text)} is {value:g}, nearer to zero than {SMALLEST:g}; write 0, or check "
                "the unit"
            )
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
                "fixed when code is generated; only masses, moments, translations, losses, rotors and springs may be "
                "left open"
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


def resolve(
    declared: Mapping[str, Parameter],
    keep_open: Collection[str],
    at: Callable[[str], AbstractContextManager[None]],
) -> tuple[tuple[Parameter, ...], Scope]:
    """Parameters with constants folded, each after those that it uses, otherwise in the order of the file.

    Parameters
    ----------
    declared
        Parameters as the file gives them, by name.
    keep_open
        Constants that expressions shall go on referring to.
    at
        Context that says where the parameter of a name stands when it is refused.

    Raises
    ------
    DescriptionError
        An unknown name, a circle, or a run-time default that is not constant.
    """
    constants: dict[str, float] = {}
    open_names: set[str] = set()
    scope = Scope(constants, open_names)
    ordered: list[Parameter] = []
    for parameter in _by_use(declared, at):
        value = parameter.value
        with at(parameter.name):
            if value is not None:
                value = scope.number(value) if parameter.runtime else scope.fold(value)
        if parameter.runtime or isinstance(value, Expression) or parameter.name in keep_open:
            open_names.add(parameter.name)
        elif value is not None:
            constants[parameter.name] = value
        ordered.append(Parameter(parameter.name, value, parameter.unit, parameter.runtime))
    return tuple(ordered), scope


def _by_use(
    declared: Mapping[str, Parameter], at: Callable[[str], AbstractContextManager[None]]
) -> tuple[Parameter, ...]:
    """Depth-first order by use, with an own stack so that long chains cannot exhaust Python's."""
    ordered: dict[str, Parameter] = {}
    for name in declared:
        path = {name: None}
        while path:
            current = declared[next(reversed(path))]
            missing = next((used for used in _uses(current) if used in declared and used not in ordered), None)
            if missing is None:
                ordered[current.name] = current
                path.popitem()
            elif missing in path:
                names = list(path)
                circle = " -> ".join(shown(member) for member in (*names[names.index(missing) :], missing))
                with at(missing):
                    raise DescriptionError(f"is defined by itself in a circle, {circle}; give one of them a number")
            else:
                path[missing] = None
    return tuple(ordered.values())


def _uses(parameter: Parameter) -> tuple[str, ...]:
    return parameter.value.names if isinstance(parameter.value, Expression) else ()
