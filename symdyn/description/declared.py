"""Records of the YAML format, each key declared once: what it is, how it reads and is written, and which kinds have it.

A record is a frozen dataclass whose fields are annotated with a :class:`Key`. From that follow the reader and its
refusals (``yaml.declared_schema``), the line of YAML, the JSON Schema, run-time numbers with their units, and the
manual's table. Nothing here needs pydantic, which takes long to import: its types are asked for when a file is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from functools import cache
from typing import Annotated, Any, ClassVar, Protocol, get_args, get_origin, get_type_hints

from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.number import is_number, read_number
from symdyn.description.quantities.placement import Number, Vector3
from symdyn.description.quantities.written import flag, flow_key, listed, mapping, number, text
from symdyn.description.text.position import hint
from symdyn.description.text.validation import Path, kind_of, refusal
from symdyn.errors import DescriptionError

SCALAR: dict[str, Any] = {"type": ["number", "string"]}
"""The JSON Schema of a number or an expression."""
NOT_FINITE = frozenset({"nan", "inf", "infinity"})


class Given(Protocol):
    """What the rest of a file says, for values that depend on it; each method takes what was read and its path."""

    def fold(self, quantity: Number, path: Path) -> Number:
        """A quantity, as a number where no run-time parameter is involved."""

    def number(self, quantity: Number, path: Path) -> float:
        """A constant."""

    def vector(self, vector: Vector3, path: Path) -> Vector3:
        """Three quantities, folded."""

    def direction(self, vector: Vector3, path: Path, any_length: bool = False) -> tuple[float, float, float]:
        """A vector of constants scaled to length one."""


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
        What pydantic reads, without knowing the rest of the file; it takes what makes a type of a :class:`Family`.
    make
        The record's value of that, by what the file says elsewhere, at a path.
    write
        The text of a value. Of a place it matters which links deform: their names come second.
    """

    type: Callable[[Callable[[Family], Any]], Any]
    make: Callable[[Any, Any, Path], Any]
    write: Callable[[Any, Collection[str]], str]


def scalar(
    read: Callable[[object], Any],
    json: Mapping[str, Any],
    write: Callable[[Any], str],
    make: Callable[[Any, Any, Path], Any] = lambda raw, given, path: raw,
) -> Form:
    """The form of what is read at once, and written without regard to the robot."""
    return Form(lambda of: Annotated[Any, Reads(read, json)], make, lambda value, deforming: write(value))


def choice(words: Collection[str], into: Callable[[str], Any] = str) -> Form:
    """One of some words, which ``into`` makes a value of."""
    known = tuple(words)

    def read(value: object) -> Any:
        if value not in known:
            close = hint(value, known) if isinstance(value, str) else ""
            among = " or ".join(known) if len(known) == 2 else f"one of {', '.join(known)}"
            raise refusal(f"expected {among}, got {kind_of(value)}{close}")
        return str(value)

    return scalar(read, {"enum": list(known)}, _word, lambda raw, given, path: into(raw))


def _word(value: Any) -> str:
    return text(value.value if isinstance(value, Enum) else value)


def each(form: Form, count: int = 0, words: str = "") -> Form:
    """A list of values; of ``count`` if that is not 0, which ``words`` tell what they are."""

    def counted(found: list[Any]) -> list[Any]:
        if count and len(found) != count:
            raise refusal(f"expected {words}, got {len(found)}")
        return found

    def make(raw: list[Any], given: Any, path: Path) -> tuple[Any, ...]:
        return tuple(form.make(own, given, (*path, place)) for place, own in enumerate(raw))

    def write(values: tuple[Any, ...], deforming: Collection[str]) -> str:
        return f"[{', '.join(form.write(value, deforming) for value in values)}]"

    lengths = {"minItems": count, "maxItems": count} if count else {}
    return Form(lambda of: Annotated[list[form.type(of)], Then(counted, lengths)], make, write)  # type: ignore[misc]


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
        raise refusal(str(failure)) from failure


def three(value: object, item: Callable[[object], Any], what: str) -> tuple[Any, Any, Any]:
    """A list of three."""
    if not isinstance(value, list) or len(value) != 3:
        got = f"{len(value)} entries" if isinstance(value, list) else kind_of(value)
        raise refusal(f"expected a list of three {what}, got {got}")
    first, second, third = (item(entry) for entry in value)
    return first, second, third


def vector(value: object) -> tuple[Number, Number, Number]:
    """Three numbers or expressions."""
    return three(value, quantity, "numbers")


def flag_of(value: object) -> bool:
    """True or false."""
    if value not in ("true", "false"):
        raise refusal(f"expected true or false, got {kind_of(value)}")
    return value == "true"


def name_of(value: object) -> str:
    """A name."""
    if not isinstance(value, str):
        raise refusal(f"expected a name, got {kind_of(value)}")
    return value


TRIPLE = {"type": "array", "items": SCALAR, "minItems": 3, "maxItems": 3}
FLAG = scalar(flag_of, {"type": "boolean"}, flag)
NAME = scalar(name_of, {"type": "string"}, text)
FOLDED = scalar(quantity, SCALAR, number, lambda raw, given, path: given.fold(raw, path))
"""A number or an expression over run-time parameters."""
CONSTANT = scalar(quantity, SCALAR, number, lambda raw, given, path: given.number(raw, path))
"""A number, which an expression over constants may give."""
VECTOR = scalar(vector, TRIPLE, listed, lambda raw, given, path: given.vector(raw, path))
"""Three of these."""
DIRECTION = scalar(vector, TRIPLE, listed, lambda raw, given, path: given.direction(raw, path, any_length=True))
"""A unit vector, from one of any length."""


@dataclass(frozen=True, slots=True)
class Other:
    """A second key for a field: its form makes all of the value, and writes nothing where it cannot say it."""

    name: str
    form: Form
    doc: str
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a record, in the annotation of its field.

    Parameters
    ----------
    form
        How its values stand in files.
    doc
        What it means.
    only
        The kinds that have it, all if none are named.
    needed
        What to do where it is missing, if it may not be; such keys are written always.
    by
        The kinds that need it, all if none are named.
    unit
        Of its number, which may then be a run-time parameter.
    others
        Keys that stand for the same, in this order where the record is written.
    always
        Whether it is written even with its default.
    name
        What files call it, if not as the field is called.
    """

    form: Form
    doc: str
    only: tuple[str, ...] = ()
    needed: str = ""
    by: tuple[str, ...] = ()
    unit: str = ""
    others: tuple[Other, ...] = ()
    always: bool = False
    name: str = ""

    def of(self, kind: str) -> bool:
        """Whether a kind has it."""
        return not self.only or kind in self.only


@dataclass(frozen=True, slots=True)
class Declared:
    """A key of a record beside its field; ``default`` is MISSING where it has none, or where it is no field."""

    field: str
    key: Key
    default: Any
    settable: bool

    @property
    def name(self) -> str:
        """What files call it."""
        return self.key.name or self.field

    def needs(self, kind: str) -> bool:
        """Whether a kind cannot be without it."""
        required = bool(self.key.needed) or self.default is MISSING
        return required and self.key.of(kind) and (not self.key.by or kind in self.key.by)

    @property
    def bare(self) -> bool:
        """Whether all kinds that have it need it, in no other way and without a remedy."""
        return self.default is MISSING and not (self.key.needed or self.key.others)

    def written(self, value: Any, kind: str, deforming: Collection[str]) -> dict[str, str]:
        """The key and its text, where that says more than nothing."""
        if not self.key.of(kind) or (value == self.default and not (self.key.always or self.needs(kind))):
            return {}
        for other in self.key.others:
            if (not other.only or kind in other.only) and (said := other.form.write(value, deforming)):
                return {other.name: said}
        return {self.name: self.key.form.write(value, deforming)}


def keys(record: Any) -> tuple[Declared, ...]:
    """The keys of a record, in the order of its annotations."""
    return _keys(record)


@cache
def _keys(record: Any) -> tuple[Declared, ...]:
    found, own = [], {each.name: each for each in fields(record)}
    for name, hinted in get_type_hints(record, include_extras=True).items():
        inner = get_args(hinted)[0] if get_origin(hinted) is ClassVar else hinted
        for key in (part for part in getattr(inner, "__metadata__", ()) if isinstance(part, Key)):
            item = own.get(name)
            made = MISSING if item is None or item.default_factory is MISSING else item.default_factory()
            default = made if item is None or made is not MISSING else item.default
            found.append(Declared(name, key, default, item is not None))
    return tuple(found)


def numbers(record: Any, kind: str = "") -> dict[str, Number]:
    """The numbers of a record that may be run-time parameters."""
    return {own.name: getattr(record, own.field) for own in keys(type(record)) if own.key.unit and own.key.of(kind)}


def units(record: Any, kind: str = "") -> dict[str, str]:
    """The units of these numbers."""
    return {own.name: own.key.unit for own in keys(type(record)) if own.key.unit and own.key.of(kind)}


@dataclass(frozen=True, slots=True)
class Family:
    """Records that a mapping of the file may be: ``kinds`` are the words of the key ``selector`` for each of them.

    ``word`` is what messages call any of them. Without a selector there is one record, of one kind at most.
    """

    word: str
    kinds: tuple[tuple[type, tuple[str, ...]], ...]
    selector: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """All kinds, or one without a name."""
        return tuple(word for _, words in self.kinds for word in words) or ("",)

    def record(self, kind: str) -> type:
        """The record of a kind."""
        return next(record for record, words in self.kinds if kind in words or not words)

    def called(self, kind: str) -> str:
        """What messages call a kind: a record of one kind alone goes by that."""
        alone = any(words == (kind,) for _, words in self.kinds) and len(self.kinds) > 1
        return kind if alone else f"{kind} {self.word}".strip()

    def keys(self, kind: str) -> Iterator[Declared]:
        """The keys that a kind has."""
        return (own for own in keys(self.record(kind)) if own.key.of(kind))

    def ways(self, kind: str) -> Iterator[tuple[str, Form, str]]:
        """All names of these keys, with what stands there and what it means."""
        for own in self.keys(kind):
            yield own.name, own.key.form, own.key.doc
            yield from ((o.name, o.form, o.doc) for o in own.key.others if not o.only or kind in o.only)

    def make(self, said: Any, given: Given, path: Path, **where: Any) -> Any:
        """The record of what a file says at a path; ``where`` are fields that are no keys."""
        kind = getattr(said, self.selector) if self.selector else self.words[0]
        for own in self.keys(kind):
            ways = {own.name: own.key.form, **{other.name: other.form for other in own.key.others}}
            for name, form in ways.items():
                if own.settable and name in said.model_fields_set:
                    where[own.field] = form.make(getattr(said, name), given, (*path, name))
        return self.record(kind)(**where)

    def kind(self, record: Any) -> str:
        """The word for the kind of a record."""
        kind = getattr(record, self.selector) if self.selector else self.words[0]
        return str(kind.value if isinstance(kind, Enum) else kind)

    def written(self, record: Any, deforming: Collection[str] = ()) -> dict[str, str]:
        """The keys of a record with their texts: what its kind has, and is not as if left out."""
        kind, found = self.kind(record), dict[str, str]()
        for own in keys(type(record)):
            found |= own.written(getattr(record, own.field), kind, deforming)
        return found

    def table(self, *kinds: str) -> Iterator[str]:
        """Rows of the manual, of some kinds or of all: key, what it means and which kinds have it, default."""
        words = kinds or self.words
        having: dict[str, list[str]] = {}
        for kind in words:
            for name, _, _ in self.ways(kind):
                having.setdefault(name, []).append(kind)
        for name, of in having.items():
            doc = next(doc for own, _, doc in self.ways(of[0]) if own == name)
            without = [word for word in words if word not in of]
            among = (
                ""
                if not without
                else f"; of {_quoted(of)}"
                if len(of) <= len(without)
                else f"; not of {_quoted(without)}"
            )
            own = next((own for own in self.keys(of[0]) if own.name == name), None)
            bare = "" if own is None else own.key.form.write(own.default, ()) if not own.needs(of[0]) else ""
            default = (
                "required" if own is not None and own.needs(of[0]) else f"`{_WHOLE.sub('', bare)}`" if bare else ""
            )
            yield f"| `{name}` | {doc}{among} | {default} |"


def _quoted(words: list[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


_WHOLE = re.compile(r"(?<=\d)\.0\b")
"""The end of whole numbers as they are written."""
