"""The scalars of symdyn's YAML as pydantic types: text becomes numbers, expressions, flags and joint types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from symdyn.description.load_settings import CONVENTIONS
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.number import is_number, read_number
from symdyn.description.robot import Attachment, JointKind, Number
from symdyn.description.text.position import hint
from symdyn.description.text.validation import kind_of
from symdyn.errors import DescriptionError

JOINT_TYPES = tuple(kind.value for kind in JointKind)
ATTACHMENTS = tuple(place.value for place in Attachment)
_WORDS = f"{', '.join(ATTACHMENTS[:-1])} or {ATTACHMENTS[-1]}"
NOT_FINITE = frozenset({"nan", "inf", "infinity"})
SCALAR: dict[str, Any] = {"type": ["number", "string"]}


def refusal(text: str) -> PydanticCustomError:
    """A finding in this project's words; ``validation.problem`` adds the place."""
    return PydanticCustomError("description", "{problem}", {"problem": text})


def quantity(value: object) -> Number:
    """A number or an expression over parameters."""
    if not isinstance(value, str):
        raise refusal(f"expected a number or an expression, got {kind_of(value)}")
    try:
        if is_number(value) or value.strip().lower().lstrip("+-.") in NOT_FINITE:
            return read_number(value)
        return Expression(value.strip())
    except (ValueError, DescriptionError) as failure:
        raise refusal(str(failure)) from failure


def _sequence(value: object, item: Callable[[object], Any], what: str) -> tuple[Any, Any, Any]:
    if not isinstance(value, list) or len(value) != 3:
        got = f"{len(value)} entries" if isinstance(value, list) else kind_of(value)
        raise refusal(f"expected a list of three {what}, got {got}")
    first, second, third = (item(entry) for entry in value)
    return first, second, third


def _vector(value: object) -> tuple[Number, Number, Number]:
    return _sequence(value, quantity, "numbers")


def _matrix(value: object) -> tuple[tuple[Number, Number, Number], ...]:
    return _sequence(value, _vector, "rows")


def _flag(value: object) -> bool:
    if value not in ("true", "false"):
        raise refusal(f"expected true or false, got {kind_of(value)}")
    return value == "true"


def _joint_type(value: object) -> JointKind:
    if value not in JOINT_TYPES:
        close = hint(value, JOINT_TYPES) if isinstance(value, str) else ""
        raise refusal(f"expected one of {', '.join(JOINT_TYPES)}, got {kind_of(value)}{close}")
    return JointKind(value)


def _attachment(value: object) -> Attachment:
    if value not in ATTACHMENTS:
        raise refusal(f"expected {_WORDS}, got {kind_of(value)}")
    return Attachment(value)


def _along(value: object) -> Attachment | float:
    if isinstance(value, str) and value in ATTACHMENTS:
        return Attachment(value)
    found = quantity(value) if isinstance(value, str) and is_number(value) else None
    if not isinstance(found, int | float):
        raise refusal(f"expected {_WORDS}, got {kind_of(value)}; on a soft link also a number of metres along the rod")
    return float(found)


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


def _name(value: object) -> str:
    if not isinstance(value, str):
        raise refusal(f"expected a name, got {kind_of(value)}")
    return value


def _quantities(value: object) -> tuple[Number, ...]:
    entries = value if isinstance(value, list) else [value]
    if not entries:
        raise refusal("expected a number, or one per coordinate, got an empty list")
    return tuple(quantity(entry) for entry in entries)


def _json(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(schema)


_TRIPLE = {"type": "array", "items": SCALAR, "minItems": 3, "maxItems": 3}
Quantity = Annotated[Number, PlainValidator(quantity), _json(SCALAR)]
Vector = Annotated[tuple[Number, Number, Number], PlainValidator(_vector), _json(_TRIPLE)]
Matrix = Annotated[
    tuple[tuple[Number, Number, Number], tuple[Number, Number, Number], tuple[Number, Number, Number]],
    PlainValidator(_matrix),
    _json({"type": "array", "items": _TRIPLE, "minItems": 3, "maxItems": 3}),
]
Flag = Annotated[bool, PlainValidator(_flag), _json({"type": "boolean"})]
JointType = Annotated[JointKind, PlainValidator(_joint_type), _json({"enum": list(JOINT_TYPES)})]
AttachedAt = Annotated[Attachment, PlainValidator(_attachment), _json({"enum": list(ATTACHMENTS)})]
FrameAt = Annotated[
    Attachment | float,
    PlainValidator(_along),
    _json({"anyOf": [{"enum": list(ATTACHMENTS)}, {"type": "number", "exclusiveMinimum": 0}]}),
]
Convention = Annotated[str, PlainValidator(one_of(CONVENTIONS)), _json({"enum": list(CONVENTIONS)})]
Name = Annotated[str, PlainValidator(_name), _json({"type": "string"})]
Quantities = Annotated[
    tuple[Number, ...],
    PlainValidator(_quantities),
    _json({"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 1}]}),
]
Format = Annotated[int, PlainValidator(_format), _json({"const": 1})]
