"""How values of the YAML format read, and how they are written.

Nothing here needs pydantic, which takes long to import: its types are asked for when a file is read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from typing import Annotated, Any

from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.number import is_number, read_number
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import along, flag, flow_key, listed, mapping, number, text
from symdyn.description.text.position import hint
from symdyn.description.text.validation import Path, kind_of, refusal
from symdyn.errors import DescriptionError

SCALAR: dict[str, Any] = {"type": ["number", "string"]}
"""The JSON Schema of a number or an expression."""
ABSENT = object()
"""What is read of a key without a value where that says nothing."""
NOT_FINITE = frozenset({"nan", "inf", "infinity"})


@dataclass(frozen=True, slots=True)
class Reads:
    """Marks a type for pydantic: ``read`` takes the text, list or mapping of the file, ``json`` is its JSON Schema."""

    read: Callable[[object], Any]
    json: Mapping[str, Any] = field(hash=False)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return dict(self.json)


@dataclass(frozen=True, slots=True)
class Then:
    """Marks a type for pydantic: ``check`` takes what was read, ``json`` adds to its JSON Schema."""

    check: Callable[[Any], Any]
    json: Mapping[str, Any] = field(hash=False)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(schema), **self.json}


@dataclass(frozen=True, slots=True)
class OrNothing:
    """Marks a mapping for pydantic: a key without a value says as much as one with an empty mapping."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(lambda own: {} if own is None else own, handler(source))


@dataclass(frozen=True, slots=True)
class Filled:
    """Marks a list or a mapping for pydantic: it is not empty."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {**handler(source), "min_length": 1}


@dataclass(frozen=True, slots=True)
class Short:
    """Marks a type for pydantic: ``read`` takes the short form of a value, and gives None for the long one."""

    read: Callable[[object], Any]
    json: Mapping[str, Any] = field(hash=False)
    long: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        def read(value: object, inner: Callable[[object], Any]) -> Any:
            return inner(value) if (short := self.read(value)) is None else short

        return core_schema.no_info_wrap_validator_function(read, handler.generate_schema(self.long))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [dict(self.json), handler(schema)]}


@dataclass(frozen=True, slots=True)
class Form:
    """How values stand in a file.

    Parameters
    ----------
    type
        What pydantic reads, without knowing the rest of the file; it takes what makes a type of a family.
    make
        The record's value of that at a path, by a reader that knows the rest of the file, such as ``YamlValues``.
    write
        The text of a value. Of a place it matters which links deform: their names come second.
    """

    type: Callable[[Callable[[Any], Any]], Any]
    make: Callable[[Any, Any, Path], Any]
    write: Callable[[Any, Collection[str]], str]


@dataclass(frozen=True, slots=True)
class Scalar(Form):
    """The form of what is read at once, with what reads it and its JSON Schema."""

    read: Callable[[object], Any]
    json: Mapping[str, Any]


def scalar(
    read: Callable[[object], Any],
    json: Mapping[str, Any],
    write: Callable[[Any], str],
    make: Callable[[Any, Any, Path], Any] = lambda raw, given, path: raw,
) -> Scalar:
    """The form of what is read at once, and written without regard to the robot."""
    marked = Annotated[Any, Reads(read, json)]
    return Scalar(lambda of: marked, make, lambda value, deforming: write(value), read, json)


def choice(words: Collection[str], into: Callable[[str], Any] = str, among: str = "") -> Scalar:
    """One of some words, which ``into`` makes a value of; ``among`` is what messages say of them, if not the usual."""
    known = tuple(words)
    expected = among or (" or ".join(known) if len(known) == 2 else f"one of {', '.join(known)}")

    def read(value: object) -> Any:
        if value not in known:
            close = hint(value, known) if isinstance(value, str) else ""
            raise refusal(f"expected {expected}, got {kind_of(value)}{close}")
        return str(value)

    return scalar(read, {"enum": list(known)}, _word, lambda raw, given, path: into(raw))


def word_of(kind: Any) -> str:
    """The word for a kind."""
    return str(kind.value if isinstance(kind, Enum) else kind)


def _word(value: Any) -> str:
    return text(word_of(value))


def each(form: Form, count: int = 0, words: str = "", block: bool = False) -> Form:
    """A list of values; of ``count`` if that is not 0, which ``words`` tell what they are; ``block``: a line each."""

    def counted(found: list[Any]) -> list[Any]:
        if len(found) != count:
            raise refusal(f"expected {words}, got {len(found)}")
        return found

    def make(raw: list[Any], given: Any, path: Path) -> tuple[Any, ...]:
        return tuple(form.make(own, given, (*path, place)) for place, own in enumerate(raw))

    def write(values: tuple[Any, ...], deforming: Collection[str]) -> str:
        texts = [form.write(value, deforming) for value in values]
        return "".join(f"\n  - {own}" for own in texts) if block else f"[{', '.join(texts)}]"

    lengths = Then(counted, {"minItems": count, "maxItems": count})

    def type_of(of: Callable[[Any], Any]) -> Any:
        plain = list[form.type(of)]  # type: ignore[valid-type, misc]
        return Annotated[plain, lengths] if count else plain

    return Form(type_of, make, write)


def or_absent(form: Form) -> Form:
    """A value, or a key without one, which says as much as one that is left out."""
    read = Then(lambda own: ABSENT if own is None else own, {})
    return replace(form, type=lambda of: Annotated[form.type(of) | None, read])


def said_by(mapping: Any) -> dict[str, Any]:
    """What a mapping of a file says; a key without a value may say nothing."""
    return {name: value for name in mapping.model_fields_set if (value := getattr(mapping, name)) is not ABSENT}


def shortened(short: Scalar, long: Form) -> Form:
    """A mapping, or what a short form reads in its place: values are those of either."""

    def read(value: object) -> Any:
        return None if isinstance(value, dict) else short.read(value)

    def make(raw: Any, given: Any, path: Path) -> Any:
        return (long if hasattr(raw, "model_fields_set") else short).make(raw, given, path)

    return Form(lambda of: Annotated[Any, Short(read, short.json, long.type(of))], make, short.write)


def filled(form: Form) -> Form:
    """A list or a mapping that is not empty."""
    return replace(form, type=lambda of: Annotated[form.type(of), Filled()])


def or_nothing(form: Form) -> Form:
    """A mapping, or a key without a value, which says as much as one with an empty mapping."""
    return replace(form, type=lambda of: Annotated[form.type(of), OrNothing()])


def whole(what: str, least: int, most: int) -> Scalar:
    """A whole number between bounds; ``what`` is what messages call it."""

    def read(value: object) -> int:
        digits = value.strip() if isinstance(value, str) else ""
        if not (digits.isascii() and digits.isdigit() and least <= int(digits[:9]) <= most):
            raise refusal(f"expected {what} from {least} to {most}, got {kind_of(value)}")
        return int(digits)

    return scalar(read, {"type": "integer", "minimum": least, "maximum": most}, str)


def named(form: Form) -> Form:
    """A mapping of names to values, which the record has as pairs."""

    def make(raw: Mapping[str, Any], given: Any, path: Path) -> tuple[tuple[str, Any], ...]:
        return tuple((name, form.make(own, given, (*path, name))) for name, own in raw.items())

    def write(values: tuple[tuple[str, Any], ...], deforming: Collection[str]) -> str:
        return mapping({flow_key(name): form.write(value, deforming) for name, value in values})

    return Form(lambda of: dict[str, form.type(of)], make, write)  # type: ignore[misc]


def quantity(value: object) -> Number:
    """A number or an expression over parameters."""
    if not isinstance(value, str):
        raise refusal(f"expected a number or an expression, got {kind_of(value)}")
    try:
        if is_number(value) or value.strip().lower().lstrip("+-.") in NOT_FINITE:
            return read_number(value)
        return Expression(value.strip())
    except (ValueError, DescriptionError) as failure:
        raise refusal(str(failure)) from None


def three(value: object, item: Callable[[object], Any], what: str) -> tuple[Any, Any, Any]:
    """A list of three."""
    if not isinstance(value, list) or len(value) != 3:
        got = f"{len(value)} entries" if isinstance(value, list) else kind_of(value)
        angles = "; angles are given by rpy: [roll, pitch, yaw]" if what == "rows" else ""
        raise refusal(f"expected a list of three {what}, got {got}{angles}")
    first, second, third = (item(entry) for entry in value)
    return first, second, third


def vector(value: object) -> tuple[Number, Number, Number]:
    """Three numbers or expressions."""
    return three(value, quantity, "numbers")


def matrix_of(value: object) -> tuple[tuple[Number, Number, Number], ...]:
    """Three rows of three."""
    return three(value, vector, "rows")


def flag_of(value: object) -> bool:
    """True or false."""
    if value not in ("true", "false"):
        raise refusal(f"expected true or false, got {kind_of(value)}")
    return value == "true"


def text_of(value: object) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise refusal(f"expected text, got {kind_of(value)}")
    return value


def name_of(value: object) -> str:
    """A name."""
    if not isinstance(value, str):
        raise refusal(f"expected a name, got {kind_of(value)}")
    return value


@cache
def _entries(read: Callable[[object], Any]) -> Callable[[object], list[Any]]:
    from pydantic import TypeAdapter

    return TypeAdapter(list[Annotated[Any, Reads(read, {})]]).validate_python


def entries(value: object, read: Callable[[object], Any]) -> list[Any]:
    """The entries of a list, each refused at its own place."""
    return _entries(read)(value)


TRIPLE = {"type": "array", "items": SCALAR, "minItems": 3, "maxItems": 3}
FLAG = scalar(flag_of, {"type": "boolean"}, flag)
TEXT = scalar(text_of, {"type": "string"}, text)
NAME = scalar(name_of, {"type": "string"}, text)
FOLDED = scalar(quantity, SCALAR, number, lambda raw, given, path: given.fold(raw, path))
"""A number or an expression over run-time parameters."""
CONSTANT = scalar(quantity, SCALAR, number, lambda raw, given, path: given.number(raw, path))
"""A number, which an expression over constants may give."""
VECTOR = scalar(vector, TRIPLE, listed, lambda raw, given, path: given.vector(raw, path))
"""Three of these."""
CONSTANTS = scalar(vector, TRIPLE, listed, lambda raw, given, path: given.numbers(raw, path))
"""Three numbers, which expressions over constants may give."""
DIRECTION = scalar(vector, TRIPLE, listed, lambda raw, given, path: given.direction(raw, path, any_length=True))
"""A unit vector, from one of any length."""


def along_of(value: object, wanted: str = "a number or an expression in x") -> BeamExpression:
    """A quantity along the centre line; ``wanted`` is what to say of anything else."""
    if not isinstance(value, str):
        taper = (
            "; a taper is, for example, 0.02 - 0.01*x, with x in metres from the root"
            if isinstance(value, list)
            else ""
        )
        raise refusal(f"expected {wanted}, got {kind_of(value)}{taper}")
    if is_number(value) or value.strip().lower().lstrip("+-.") in NOT_FINITE:
        return BeamExpression(repr(quantity(value)))
    try:
        return BeamExpression(value.strip())
    except DescriptionError as failure:
        raise refusal(str(failure)) from None


def expression_of(value: object, names: str) -> MapExpression:
    """A number or an expression, as it stands in a file; ``names`` says in a refusal which names it may hold."""
    if not isinstance(value, str):
        raise refusal(f"expected a number or an expression in {names}, got {kind_of(value)}")
    if is_number(value) or value.strip().lower().lstrip("+-.") in NOT_FINITE:
        return MapExpression(repr(quantity(value)))
    try:
        return MapExpression(value.strip())
    except DescriptionError as failure:
        raise refusal(str(failure)) from None


ALONG = scalar(along_of, SCALAR, along, lambda raw, given, path: given.bound(raw, path).text)
"""An expression in x, as plain text that was checked."""
FIXED = scalar(quantity, SCALAR, number, lambda raw, given, path: given.fixed(raw, path))
"""A number of a slender body, which is known when code is generated."""
POINT = scalar(vector, TRIPLE, listed, lambda raw, given, path: tuple(given.fixed(own, path) for own in raw))
"""Three of these."""
