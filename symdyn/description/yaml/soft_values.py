"""Values of the key ``soft`` of a link: numbers within bounds, names of bases, expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from symdyn.description.forms import SCALAR, along_of, quantity
from symdyn.description.mapped import expression_of
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.placement import Number
from symdyn.description.soft import (
    MAGNUS_ORDERS,
    MOST_FUNCTIONS,
    MOST_STATIONS,
    MOST_SUBSTEPS,
    SECTION_LAWS,
    StrainBasis,
)
from symdyn.description.text.position import hint
from symdyn.description.text.validation import kind_of, refusal

CONSTANT = "constant"
"""A basis of the file alone: the first function of Legendre's."""
BY_DEGREE = (
    *(basis.value for basis in (StrainBasis.LEGENDRE, StrainBasis.MONOMIAL, StrainBasis.CHEBYSHEV)),
    CONSTANT,
    StrainBasis.FOURIER.value,
)
"""Bases that a degree completes; they may stand for all strains at once."""
BASES = (*BY_DEGREE, *(b.value for b in StrainBasis if b.value not in BY_DEGREE and b is not StrainBasis.EXPRESSIONS))
"""Those that ``basis`` of a strain may name; ``functions`` gives the others."""


@dataclass(frozen=True, slots=True)
class _Whole:
    """Reads whole numbers between bounds."""

    what: str
    least: int
    most: int

    def __call__(self, value: object) -> int:
        digits = value.strip() if isinstance(value, str) else ""
        if not (digits.isascii() and digits.isdigit() and self.least <= int(digits[:9]) <= self.most):
            raise refusal(f"expected {self.what} from {self.least} to {self.most}, got {kind_of(value)}")
        return int(digits)

    @property
    def json(self) -> dict[str, Any]:
        """Its JSON Schema."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


def _one_of(value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        close = hint(value, known) if isinstance(value, str) else ""
        raise refusal(f"expected one of {', '.join(known)}, got {kind_of(value)}{close}")
    return str(value)


def _basis(value: object) -> str:
    if value == StrainBasis.EXPRESSIONS.value:
        raise refusal("give such functions under 'functions', and leave basis out")
    return _one_of(value, BASES)


def _common_basis(value: object) -> str:
    if value in BASES and value not in BY_DEGREE:
        raise refusal(f"{value} needs more than a degree; name it under each strain, with the keys that it needs")
    return _one_of(value, BY_DEGREE)


def _magnus(value: object) -> int:
    orders = tuple(map(str, MAGNUS_ORDERS))
    if value not in orders:
        raise refusal(f"expected {', '.join(orders[:-1])} or {orders[-1]}, got {kind_of(value)}")
    return int(str(value))


def _around(value: object) -> MapExpression:
    return expression_of(value, "x and phi")


def _angles(value: object) -> tuple[Number, Number]:
    if not isinstance(value, list) or len(value) != 2:
        raise refusal(f"expected two angles, got {kind_of(value)}")
    return quantity(value[0]), quantity(value[1])


DEGREE = _Whole("a degree", 0, MOST_FUNCTIONS - 1)
_PIECES = _Whole("a number of pieces", 1, MOST_FUNCTIONS)
_STATIONS = _Whole("a number of stations per piece", 1, MOST_STATIONS)
_SUBSTEPS = _Whole("a number of substeps", 1, MOST_SUBSTEPS)

Along = Annotated[BeamExpression, PlainValidator(along_of), WithJsonSchema(SCALAR)]
Degree = Annotated[int, PlainValidator(DEGREE), WithJsonSchema(DEGREE.json)]
Pieces = Annotated[int, PlainValidator(_PIECES), WithJsonSchema(_PIECES.json)]
Stations = Annotated[int, PlainValidator(_STATIONS), WithJsonSchema(_STATIONS.json)]
Substeps = Annotated[int, PlainValidator(_SUBSTEPS), WithJsonSchema(_SUBSTEPS.json)]
Magnus = Annotated[int, PlainValidator(_magnus), WithJsonSchema({"enum": list(MAGNUS_ORDERS)})]
BasisName = Annotated[str, PlainValidator(_basis), WithJsonSchema({"enum": list(BASES)})]
CommonBasis = Annotated[str, PlainValidator(_common_basis), WithJsonSchema({"enum": list(BY_DEGREE)})]
Around = Annotated[MapExpression, PlainValidator(_around), WithJsonSchema(SCALAR)]
Angles = Annotated[
    tuple[Number, Number],
    PlainValidator(_angles),
    WithJsonSchema({"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}),
]
LawName = Annotated[
    str, PlainValidator(lambda value: _one_of(value, SECTION_LAWS)), WithJsonSchema({"enum": list(SECTION_LAWS)})
]
