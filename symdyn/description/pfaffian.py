"""Constraints on velocities alone, A(q) v = c(q): wheels that roll, blades that do not slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

from symdyn.description.declared import Family, Key
from symdyn.description.forms import FOLDED, NAME, choice, each, named, scalar
from symdyn.description.loops import Coupling, Holding, Loop, LoopKind
from symdyn.description.quantities.expression import CONSTANTS, FUNCTIONS, Expression
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import flow_key, mapping, text
from symdyn.description.text.validation import kind_of, refusal

UNITS = ("m", "rad")
"""Of what a row of A v is the rate."""
RESERVED = frozenset({*FUNCTIONS, *CONSTANTS})
"""Names that mean something else in expressions."""
_PARAMETER = "parameter."


def _coordinates(value: object) -> tuple[tuple[str, str], ...]:
    pairs = dict.fromkeys(value) if isinstance(value, list) and all(isinstance(own, str) for own in value) else value
    if not isinstance(pairs, dict) or not all(isinstance(own, str | None) for own in pairs.values()):
        raise refusal(f"expected a list of names, or a mapping of names to names, got {kind_of(value)}")
    if isinstance(value, list) and len(pairs) < len(value):
        raise refusal(f"a name is there twice: {', '.join(value)}; keep one")
    return tuple((str(name), str(name if own is None else own)) for name, own in pairs.items())


_NAMES = {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object"}]}
_COORDINATES = scalar(_coordinates, _NAMES, lambda value: mapping({flow_key(name): text(row) for name, row in value}))
_ENTRY = replace(FOLDED, make=lambda raw, given, path: given.fold_open(raw, path))
"""Names that are neither parameters nor coordinates are refused with the whole loop in sight."""


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
    kind: ClassVar[Annotated[str, Key(NAME, "`pfaffian`")]] = "pfaffian"
    name: str
    rows: Annotated[
        tuple[tuple[tuple[str, Number], ...], ...],
        Key(
            each(named(_ENTRY)),
            "per row of A its entries that are not 0, by names of rows of v, numbers or expressions",
            needed="give a list of mappings, such as [{x: sin(yaw), y: -cos(yaw)}]",
        ),
    ]
    coordinates: Annotated[
        tuple[tuple[str, str], ...],
        Key(_COORDINATES, "names of rows of q that expressions use, or other names for them"),
    ] = ()
    equals: Annotated[
        tuple[Number, ...], Key(each(_ENTRY), "the entries of A v, one for each row; zeros if left out")
    ] = ()
    unit: Annotated[str, Key(choice(UNITS), "`m` where A v is in m/s, `rad` where it is in rad/s")] = UNITS[0]
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


LOOPS = Family(
    "loop",
    ((Loop, tuple(kind.value for kind in LoopKind)), (Coupling, (Coupling.kind,)), (Pfaffian, (Pfaffian.kind,))),
    "kind",
)
"""All that the key ``loops`` may hold."""
