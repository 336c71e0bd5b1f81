"""The scalars of symdyn's YAML as pydantic types: text becomes numbers, expressions, flags and joint types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from symdyn.description.forms import SCALAR, TRIPLE, flag_of, name_of, quantity, three, vector
from symdyn.description.load_settings import CONVENTIONS
from symdyn.description.robot import Number
from symdyn.description.text.validation import kind_of, refusal


def _matrix(value: object) -> tuple[tuple[Number, Number, Number], ...]:
    return three(value, vector, "rows")


def _format(value: object) -> int:
    if value != "1":
        raise refusal(f"this version reads format 1, got {kind_of(value)}; update symdyn")
    return 1


def one_of(words: Sequence[str]) -> Callable[[object], str]:
    """What reads one of some words."""

    def read(value: object) -> str:
        if value not in words:
            raise refusal(f"expected {' or '.join(words)}, got {kind_of(value)}")
        return str(value)

    return read


def _quantities(value: object) -> tuple[Number, ...]:
    entries = value if isinstance(value, list) else [value]
    if not entries:
        raise refusal("expected a number, or one per coordinate, got an empty list")
    return tuple(quantity(entry) for entry in entries)


def _json(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(schema)


Quantity = Annotated[Number, PlainValidator(quantity), _json(SCALAR)]
Vector = Annotated[tuple[Number, Number, Number], PlainValidator(vector), _json(TRIPLE)]
Matrix = Annotated[
    tuple[tuple[Number, Number, Number], tuple[Number, Number, Number], tuple[Number, Number, Number]],
    PlainValidator(_matrix),
    _json({"type": "array", "items": TRIPLE, "minItems": 3, "maxItems": 3}),
]
Flag = Annotated[bool, PlainValidator(flag_of), _json({"type": "boolean"})]
Convention = Annotated[str, PlainValidator(one_of(CONVENTIONS)), _json({"enum": list(CONVENTIONS)})]
Name = Annotated[str, PlainValidator(name_of), _json({"type": "string"})]
Quantities = Annotated[
    tuple[Number, ...],
    PlainValidator(_quantities),
    _json({"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 1}]}),
]
Format = Annotated[int, PlainValidator(_format), _json({"const": 1})]
