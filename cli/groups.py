"""Verbs whose parameters are whole records: on the command line, each field of a record is an option of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol, get_args, get_origin, get_type_hints

import typer


@dataclass(frozen=True, slots=True)
class Without:
    """``Annotated[Record, Without("field")]``: the verb does not offer these fields; they keep their defaults."""

    names: tuple[str, ...]


class Applied(Protocol):
    """A record of what all verbs are told."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init__(self, **told: Any) -> None: ...

    def apply(self) -> None:
        """Do what it says."""


Declared = dict[str, Any]
"""How the command line offers a field, where the record does not say it: an ``Annotated`` type, and the default."""


def grouped(run: Callable[..., None], declared: Declared, common: type[Applied] | None = None) -> Callable[..., None]:
    """The verb as typer takes it: with one parameter per field of each record, in the records' places.

    A field whose metadata have ``help`` becomes an option of its name, with the ``choices`` that they list. The options
    of ``common`` come last, and are applied before the verb runs.
    """
    parameters: list[inspect.Parameter] = []
    records: dict[str, tuple[type[Any], list[str]]] = {}
    hints = get_type_hints(run, include_extras=True)
    for parameter in inspect.signature(run).parameters.values():
        record, left_out = _record(hints[parameter.name])
        if record is None:
            parameters.append(_keyword(parameter.name, hints[parameter.name], parameter.default))
            continue
        offered = [item for item in fields(record) if item.name not in left_out]
        records[parameter.name] = (record, [item.name for item in offered])
        types = get_type_hints(record, include_extras=True)
        parameters += [_keyword(item.name, *_offer(item, types[item.name], declared)) for item in offered]

    shared = [item.name for item in fields(common)] if common is not None else []
    if common is not None:
        types = get_type_hints(common, include_extras=True)
        parameters += [_keyword(item.name, *_offer(item, types[item.name], declared)) for item in fields(common)]

    def verb(**given: Any) -> None:
        if common is not None:
            common(**{name: given.pop(name) for name in shared}).apply()
        for name, (record, names) in records.items():
            given[name] = record(**{item: given.pop(item) for item in names})
        run(**given)

    verb.__doc__ = run.__doc__
    verb.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    verb.__annotations__ = {item.name: item.annotation for item in parameters}
    return verb


def _record(hint: Any) -> tuple[type[Any] | None, tuple[str, ...]]:
    """The record that a parameter is, and the fields that the verb leaves out."""
    if get_origin(hint) is Annotated:
        kind, *marks = get_args(hint)
        left_out = [name for mark in marks if isinstance(mark, Without) for name in mark.names]
        return (kind, tuple(left_out)) if is_dataclass(kind) and isinstance(kind, type) else (None, ())
    return (hint, ()) if is_dataclass(hint) and isinstance(hint, type) else (None, ())


def _offer(item: Field[Any], kind: Any, declared: Declared) -> tuple[Any, Any]:
    """The type and the default of a field's option."""
    if item.name in declared:
        return declared[item.name]  # type: ignore[no-any-return]
    default = None if item.default is MISSING else item.default
    if "help" not in item.metadata:
        return kind, default
    flag, choices = f"--{item.name.replace('_', '-')}", item.metadata.get("choices", ())
    if choices:
        kind = Literal[choices] | None
    elif tuple in (get_origin(part) for part in get_args(kind)):
        return Annotated[list[str] | None, typer.Option(flag, metavar="NAME", help=item.metadata["help"])], default
    return Annotated[kind, typer.Option(flag, help=item.metadata["help"])], default


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
