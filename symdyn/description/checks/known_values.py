"""Numbers that quantities have before run time."""

from __future__ import annotations

from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Number, RobotDescription
from symdyn.errors import DescriptionError


def known_values(description: RobotDescription) -> dict[str, float]:
    """Parameters that have a value now: constants, and run-time parameters at their defaults."""
    values: dict[str, float] = {}
    for parameter in description.parameters:
        if parameter.value is not None:
            value = value_of(parameter.value, values, f"{description.source}: parameter '{parameter.name}'")
            if value is not None:
                values[parameter.name] = value
    return values


def value_of(quantity: Number, values: dict[str, float], place: str) -> float | None:
    """Value of a quantity, or None where it depends on a parameter that has none yet.

    Raises
    ------
    DescriptionError
        The expression has no finite value; the message begins with ``place``.
    """
    if not isinstance(quantity, Expression):
        return quantity
    if not values.keys() >= set(quantity.names):
        return None
    try:
        return float(quantity.evaluate(values))
    except DescriptionError as failure:
        raise DescriptionError(f"{place}: {failure}") from None
