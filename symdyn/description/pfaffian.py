"""Constraints on velocities alone, A(q) v = c(q): wheels that roll, blades that do not slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from symdyn.description.loops import Holding
from symdyn.description.quantities.expression import CONSTANTS, FUNCTIONS, Expression
from symdyn.description.quantities.placement import Number

UNITS = ("m", "rad")
"""Of what a row of A v is the rate."""
RESERVED = frozenset({*FUNCTIONS, *CONSTANTS})
"""Names that mean something else in expressions."""
_PARAMETER = "parameter."


@dataclass(frozen=True, slots=True)
class Pfaffian(Holding):
    """Rows of A(q) v = c(q), which hold velocities and no positions.

    Each of ``rows`` gives entries of A by names of rows of v; ``equals`` are the entries of c, nothing for zeros. They
    are numbers, or expressions over parameters and the names in ``coordinates``, each of which stands for the row of q
    after it. ``fixed`` are names of those that locked joints hold. ``unit`` is m where A v is in m/s, else rad.
    """

    key = "loops"
    word = "loop"
    words = "a constraint on velocities"
    title = "constraints on velocities"
    kind: ClassVar[str] = "pfaffian"
    name: str
    rows: tuple[tuple[tuple[str, Number], ...], ...]
    coordinates: tuple[tuple[str, str], ...] = ()
    equals: tuple[Number, ...] = ()
    unit: str = UNITS[0]
    line: int | None = field(default=None, compare=False)
    source: str = ""
    fixed: tuple[tuple[str, float], ...] = ()

    @property
    def right(self) -> tuple[Number, ...]:
        """The entries of c, one for each row."""
        return self.equals or (0.0,) * len(self.rows)

    @property
    def row_names(self) -> tuple[str, ...]:
        """What follows the loop's name in those of its rows; nothing where there is one."""
        return tuple(map(str, range(len(self.rows)))) if len(self.rows) > 1 else ("",)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All entries that are expressions."""
        entries = (*(entry for row in self.rows for _, entry in row), *self.right)
        return tuple(entry for entry in entries if isinstance(entry, Expression))

    @property
    def numbers(self) -> dict[str, Number]:
        """The parameters that its expressions use, and the coordinates of locked joints among them."""
        coordinates = {name for name, _ in self.coordinates}
        fixed: dict[str, Number] = dict(self.fixed)
        used = dict.fromkeys(name for own in self.expressions for name in own.names)
        return {_PARAMETER + name: fixed.get(name, Expression(name)) for name in used if name not in coordinates}

    def units(self, slides: bool) -> dict[str, str]:
        """None: its parameters have names of their own."""
        return {}


def parameters_of(constants: Mapping[str, Any]) -> dict[str, Any]:
    """What names of parameters stand for in expressions, from the constants of a load with such numbers."""
    return {name.removeprefix(_PARAMETER): own for name, own in constants.items() if name.startswith(_PARAMETER)}
