"""What a generated function takes and gives: names, shapes, units; it reaches every back end and the module intact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

Option = str | tuple[str, ...]
"""What was asked for in one word, or in several names, which may hold any characters."""

PARAMETERS = "p"
"""The input that holds run-time parameters: in C's batch call one vector for all states."""

SWITCHES = "active"
"""The input that switches loops on and off: 1 or 0."""

HELD_ROWS = "rows of loops"
"""The option that names the rows of the loops' errors where no argument has them."""

HELD_INPUTS = "not differentiated"
"""The option that names the inputs by which a function has no derivatives."""

ROLES = ("jac_adj1_", "jac_", "adj1_")
"""What stands before the name of a function in those of its derivatives, as CasADi looks for them."""


def role_of(function: str) -> str:
    """The role that the name of a derivative begins with; empty for functions of the catalogue."""
    return next((role for role in ROLES if function.startswith(role)), "")


def option_names(options: Mapping[str, Option], name: str) -> tuple[str, ...]:
    """The names that an option holds, such as ``prescribed``; none where it was not asked for."""
    value = options.get(name, ())
    return (value,) if isinstance(value, str) else tuple(value)


def option_word(options: Mapping[str, Option], name: str, default: str) -> str:
    """The word of an option such as ``factorization``."""
    value = options.get(name, default)
    return value if isinstance(value, str) else default


@dataclass(frozen=True, slots=True)
class Argument:
    """One input or output array.

    ``rows`` has one tuple of element names per axis. ``units`` has one unit per element in row-major order, or a single
    unit for all elements. Names are those of the robot's file, unchanged.
    """

    name: str
    shape: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    units: tuple[str, ...]
    description: str

    def __post_init__(self) -> None:
        assert tuple(len(names) for names in self.rows) == self.shape, (self.name, self.shape)
        assert len(self.units) in (1, self.size), (self.name, len(self.units), self.size)

    @property
    def size(self) -> int:
        """Number of scalars."""
        return prod(self.shape)

    @property
    def element_names(self) -> tuple[str, ...]:
        """Name of each scalar in row-major order; axes are joined by a comma."""
        names: list[str] = [""]
        for axis in self.rows:
            names = [f"{left},{right}" if left else right for left in names for right in axis]
        return tuple(names)

    @property
    def element_units(self) -> tuple[str, ...]:
        """Unit of each scalar in row-major order."""
        return self.units if len(self.units) == self.size else self.units * self.size

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the manifest."""
        return {
            "name": self.name,
            "shape": list(self.shape),
            "rows": [list(names) for names in self.rows],
            "units": list(self.units),
            "description": self.description,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Argument:
        """Inverse of :meth:`to_dict`."""
        return cls(
            data["name"],
            tuple(data["shape"]),
            tuple(tuple(names) for names in data["rows"]),
            tuple(data["units"]),
            data["description"],
        )


@dataclass(frozen=True, slots=True)
class Signature:
    """A function of one robot: its arguments in the order in which C and Python take them.

    ``options`` holds what changed the function's meaning (convention, external wrenches, joint losses), for headers
    and manifests.
    """

    robot: str
    function: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    description: str
    options: Mapping[str, Option] = field(default_factory=dict)

    def input(self, name: str) -> Argument:
        """The input of that name."""
        return next(argument for argument in self.inputs if argument.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the manifest."""
        return {
            "robot": self.robot,
            "function": self.function,
            "inputs": [argument.to_dict() for argument in self.inputs],
            "outputs": [argument.to_dict() for argument in self.outputs],
            "description": self.description,
            "options": {name: value if isinstance(value, str) else list(value) for name, value in self.options.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Signature:
        """Inverse of :meth:`to_dict`."""
        return cls(
            data["robot"],
            data["function"],
            tuple(Argument.from_dict(item) for item in data["inputs"]),
            tuple(Argument.from_dict(item) for item in data["outputs"]),
            data["description"],
            {name: value if isinstance(value, str) else tuple(value) for name, value in data["options"].items()},
        )
