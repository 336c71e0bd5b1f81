"""Records of the YAML format, each key declared once: what it is, how it reads and is written, and which kinds have it.

A record is a frozen dataclass whose fields are annotated with a :class:`Key`. From that follow the reader and its
refusals (``yaml.declared_schema``), the line of YAML, the JSON Schema, run-time numbers with their units, and the
manual's table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, make_dataclass
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

from symdyn.description.forms import Form, said_by, word_of
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import mapping
from symdyn.description.text.validation import Path


@dataclass(frozen=True, slots=True)
class Other:
    """A second key for a field: its form makes all of the value, and writes nothing where it cannot say it."""

    name: str
    form: Form
    doc: str
    only: tuple[str, ...] = ()


Said = Mapping[str, Any]
"""What a file gives by key."""
Check = Callable[[Said], str]
"""Words for what cannot be said together; nothing where all is well."""


def _sound(said: Said) -> str:
    return ""


def apart(words: str, *sides: Collection[str]) -> Check:
    """Keys of these sides exclude each other: some of all of them are refused with these words."""
    return lambda said: words if all(any(key in said for key in side) for side in sides) else ""


def all_of(*checks: Check) -> Check:
    """The first words of some checks."""
    return lambda said: next((words for check in checks if (words := check(said))), "")


@dataclass(frozen=True, slots=True)
class Part:
    """A key of a :class:`Group`: what files call it, its form, its meaning, whether it may not be missing, kinds."""

    name: str
    form: Form
    doc: str
    needed: bool = False
    only: tuple[str, ...] = ()

    def of(self, kind: str) -> bool:
        """Whether a kind has it, which all do if none are named."""
        return not self.only or kind in self.only


@dataclass(frozen=True, slots=True)
class Group:
    """Keys that make some fields of a record together, in the annotation of one of these.

    Parameters
    ----------
    parts
        The keys.
    make
        Those fields by name, from the values of all keys that a file gives the record, a reader and a path.
    write
        Keys with their texts, from the record and the names of links that deform.
    check
        What is wrong with all that a file says of the record.
    after
        The field that it follows where the record is written.
    """

    parts: tuple[Part, ...]
    make: Callable[[Said, Any, Path], dict[str, Any]]
    write: Callable[[Any, Collection[str]], dict[str, str]]
    check: Check = _sound
    after: str = ""


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
        What to do where it is missing, if it may not be, with ``<kind>`` for its kind; such keys are written always.
    by
        The kinds that need it, all if none are named.
    unit
        Of its number, which may then be a run-time parameter; ``sliding`` on a joint that slides, if another.
    entries
        Names of the entries with their units, where the value is several such numbers.
    least, above
        Bounds of its number: at least the one, above the other.
    others
        Keys that stand for the same, in this order where the record is written.
    always
        Whether it is written even with its default.
    name
        What files call it, if not as the field is called.
    after
        The field that it follows where the record is written, if not the one before it.
    """

    form: Form
    doc: str
    only: tuple[str, ...] = ()
    needed: str = ""
    by: tuple[str, ...] = ()
    unit: str = ""
    sliding: str = ""
    entries: tuple[tuple[str, str], ...] = ()
    least: float = -math.inf
    above: float = -math.inf
    others: tuple[Other, ...] = ()
    always: bool = False
    name: str = ""
    after: str = ""

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

    def ways(self, kind: str) -> Iterator[tuple[str, Form, str]]:
        """All its names, with what stands there and what it means."""
        yield self.name, self.key.form, self.key.doc
        yield from ((own.name, own.form, own.doc) for own in self.key.others if not own.only or kind in own.only)


def keys(record: Any) -> tuple[Declared, ...]:
    """The keys of a record that stand for themselves, in the order in which it is written."""
    return tuple(own for own in _keys(record) if isinstance(own, Declared))


def groups(record: Any) -> tuple[Group, ...]:
    """The others."""
    return tuple(own for own in _keys(record) if isinstance(own, Group))


@cache
def _keys(record: Any) -> tuple[Declared | Group, ...]:
    found: dict[str, Declared | Group] = {}
    own = {each.name: each for each in fields(record)}
    for name, hinted in get_type_hints(record, include_extras=True).items():
        inner = get_args(hinted)[0] if get_origin(hinted) is ClassVar else hinted
        for key in (part for part in getattr(inner, "__metadata__", ()) if isinstance(part, Key | Group)):
            item = own.get(name)
            made = MISSING if item is None or item.default_factory is MISSING else item.default_factory()
            default = made if item is None or made is not MISSING else item.default
            found[name] = key if isinstance(key, Group) else Declared(name, key, default, item is not None)
    order = list(found)
    for name, each in found.items():
        after = each.after if isinstance(each, Group) else each.key.after
        if after:
            order.remove(name)
            order.insert(order.index(after) + 1, name)
    return tuple(found[name] for name in order)


def numbers(record: Any) -> dict[str, Number]:
    """The numbers of a record that may be run-time parameters, of those that its kind has."""
    found: dict[str, Number] = {}
    for own in _numeric(record):
        value = getattr(record, own.field)
        ends = [f"{own.name}.{entry}" for entry, _ in own.key.entries]
        found |= dict(zip(ends, value, strict=True)) if ends else {own.name: value}
    return found


def units(record: Any, slides: bool = False) -> dict[str, str]:
    """The units of these numbers, on a joint that slides or on anything else."""
    found: dict[str, str] = {}
    for own in _numeric(record):
        of_entries = {f"{own.name}.{entry}": unit for entry, unit in own.key.entries}
        found |= of_entries or {own.name: (slides and own.key.sliding) or own.key.unit}
    return found


def _numeric(record: Any) -> Iterator[Declared]:
    kind = word_of(getattr(record, "kind", ""))
    return (own for own in keys(type(record)) if (own.key.unit or own.key.entries) and own.key.of(kind))


@dataclass(frozen=True, slots=True)
class Family:
    """Records that a mapping of the file may be: ``kinds`` are the words of the key ``selector`` for each of them.

    ``word`` is what messages call any of them. Without a selector there is one record, of one kind at most. ``check``
    says what is wrong with what a file gives.
    """

    word: str
    kinds: tuple[tuple[type, tuple[str, ...]], ...]
    selector: str = ""
    check: Check = _sound

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
        """All names of keys that a kind has, with what stands there and what it means."""
        for own in _keys(self.record(kind)):
            if isinstance(own, Group):
                yield from ((part.name, part.form, part.doc) for part in own.parts if part.of(kind))
            elif own.key.of(kind):
                yield from own.ways(kind)

    def required(self, kind: str) -> Iterator[str]:
        """The keys that a kind cannot be without, in no way."""
        yield from (own.name for own in self.keys(kind) if own.needs(kind) and not own.key.by)
        yield from self._needed(kind)

    def bare(self, kind: str) -> Iterator[str]:
        """Those of them that are missed without a remedy."""
        yield from (own.name for own in self.keys(kind) if own.bare)
        yield from self._needed(kind)

    def _needed(self, kind: str) -> Iterator[str]:
        parts = (part for own in groups(self.record(kind)) for part in own.parts)
        yield from (part.name for part in parts if part.needed and part.of(kind))

    def fault(self, said: Said, kind: str) -> str:
        """What is wrong with all that a file says of a record; nothing if nothing is."""
        return all_of(*(own.check for own in groups(self.record(kind))), self.check)(said)

    def make(self, said: Any, given: Any, path: Path, **where: Any) -> Any:
        """The record of what a file says at a path; ``where`` are fields that are no keys."""
        texts = said_by(said)
        kind = texts[self.selector] if self.selector else self.words[0]
        plain = {name: own for own in self.keys(kind) for name, _, _ in own.ways(kind)}
        told = [(name, form) for name, form, _ in self.ways(kind) if name in texts]
        told = [(name, form) for name, form in told if name not in plain or plain[name].settable]
        made = {name: form.make(texts[name], given, (*path, name)) for name, form in told}
        where |= {own.field: made[name] for name, own in plain.items() if name in made}
        for group in groups(self.record(kind)):
            where |= group.make(made, given, path)
        return self.record(kind)(**where)

    def kind(self, record: Any) -> str:
        """The word for the kind of a record."""
        field = next((own.field for own in keys(type(record)) if own.name == self.selector), "")
        return word_of(getattr(record, field) if field else self.words[0])

    def written(self, record: Any, deforming: Collection[str] = ()) -> dict[str, str]:
        """The keys of a record with their texts: what its kind has, and is not as if left out."""
        kind, found = self.kind(record), dict[str, str]()
        for own in _keys(self.record(kind)):
            if isinstance(own, Group):
                found |= own.write(record, deforming)
            else:
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
            few = len(of) <= len(without)
            among = f"; {'' if few else 'not '}of {_quoted(of if few else without)}" if without else ""
            own = next((own for own in self.keys(of[0]) if own.name == name), None)
            part = any(name == own.name for group in groups(self.record(of[0])) for own in group.parts)
            default = "required" if name in self.required(of[0]) else "none" if own or part else ""
            if own is not None and own.default not in _NOTHING and default == "none":
                usual = own.key.form.write(own.default, ())
                default = default if usual == "{}" else f"`{_WHOLE.sub('', usual)}`"
            yield f"| `{name}` | {doc}{among} | {default} |"


def _quoted(words: list[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


_NOTHING = (MISSING, None, "", (), math.inf, -math.inf)
"""Defaults that go without saying."""
_WHOLE = re.compile(r"(?<=\d)\.0\b")
"""The end of whole numbers as they are written."""


def family(record: type, word: str = "", check: Check = _sound) -> Family:
    """The family of one record."""
    return Family(word, ((record, ()),), check=check)


def keyed(
    name: str,
    doc: str,
    own: Mapping[str, Key],
    check: Check = _sound,
    required: Collection[str] = (),
    default: Any = None,
    usual: Mapping[str, Any] = MappingProxyType({}),
) -> Family:
    """Keys of a mapping that no record has: the fields are the values of those that are there, and ``default``.

    ``usual`` has values of those that have another default, by their fields.
    """
    hints = {key: Annotated[Any, of] for key, of in own.items()}
    given = [(key, hints[key]) if key in required else (key, hints[key], usual.get(key, default)) for key in own]
    # With a text of its own no signature is made for one.
    record = make_dataclass(name, given, namespace={"__doc__": doc}, frozen=True, kw_only=True)
    return family(record, check=check)


def nested(inner: Family) -> Form:
    """A mapping of a family within another."""
    return Form(lambda of: of(inner), inner.make, lambda value, deforming: mapping(inner.written(value, deforming)))


def by_member(members: type[Enum], name: str, doc: str, form: Form, docs: Collection[str], default: Any = None) -> Form:
    """A mapping with a key for each member of an enumeration, which the record has as pairs in their order."""
    own = {member.value: Key(form, words) for member, words in zip(members, docs, strict=True)}
    inner = keyed(name, doc, own, default=default)

    def make(raw: Any, given: Any, path: Path) -> tuple[tuple[Enum, Any], ...]:
        found = inner.make(raw, given, path)
        return tuple((each, getattr(found, each.value)) for each in members if each.value in raw.model_fields_set)

    def write(pairs: Iterable[tuple[Enum, Any]], deforming: Collection[str]) -> str:
        return mapping({each.value: form.write(value, deforming) for each, value in pairs})

    return Form(lambda of: of(inner), make, write)
