"""Frozen dataclasses whose methods are compiled when they are first called.

``dataclasses.dataclass`` writes and compiles some seven methods per class while a module is imported. That takes half a
millisecond per class, and a process that loads one robot calls few of them on several hundred classes. Here a class
gets its fields, slots and refusal to be changed at once. Its ``__init__``, ``__repr__``, ``__eq__`` and ``__hash__``
wait until they are looked up. A class that derives from such a record is made by the decorator of this file too.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

_PARAMETERS = "__dataclass_params__"
_OPTIONS = {"frozen", "slots", "eq", "kw_only"}
"""Options of records whose methods can wait."""


class _Later:
    """Stands for a method of a class until it is looked up; then the method takes its place."""

    def __init__(self, record: type, name: str) -> None:
        self.record = record
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method = _METHODS[self.name](self.record)
        setattr(self.record, self.name, method)
        return method.__get__(instance, owner)


class _Factory:
    """What a signature shows as the default of a field that a factory makes."""

    def __repr__(self) -> str:
        return "<factory>"


def _initialiser(record: type) -> Callable[..., None]:
    """What ``dataclasses`` writes as ``__init__`` of a frozen class, without compiling its refusals beside it."""
    names: dict[str, Any] = {"set_": object.__setattr__, "absent_": _Factory()}
    first, later, lines = list[str](), list[str](), list[str]()
    for field in dataclasses.fields(record):
        value = default = field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"make_{field.name}"] = field.default_factory
            default = "absent_"
            value = f"make_{field.name}() if {field.name} is absent_ else {field.name}"
            value = value if field.init else f"make_{field.name}()"
        elif field.default is not dataclasses.MISSING:
            default = f"default_{field.name}"
            names[default] = field.default
            value = value if field.init else default
        elif not field.init:
            continue
        if field.init:
            (later if field.kw_only else first).append(f"{field.name}={default}" if default != field.name else default)
        lines.append(f"  set_(self_, {field.name!r}, {value})")
    if hasattr(record, "__post_init__"):
        lines.append("  self_.__post_init__()")
    given = ", ".join(["self_", *first, *(["*", *later] if later else [])])
    outer = f"def make({', '.join(names)}):\n def __init__({given}):\n"
    made: dict[str, Any] = {}
    text = "".join((outer, "\n".join(lines or ["  pass"]), "\n return __init__"))
    exec(text, vars(sys.modules[record.__module__]), made)  # noqa: S102, as dataclasses does with names of fields
    method: Callable[..., None] = made["make"](**names)
    method.__qualname__ = f"{record.__qualname__}.__init__"
    method.__annotations__ = {field.name: field.type for field in dataclasses.fields(record) if field.init}
    method.__annotations__["return"] = None
    return method


def _of_twin(name: str, **options: bool) -> Callable[[type], Any]:
    """What makes a method as ``dataclasses`` does, by a class that has the same fields."""
    make: Callable[[type], type] = dataclasses.dataclass(**{"init": False, "repr": False, "eq": False, **options})

    def method(record: type) -> Any:
        fields = dataclasses.fields(record)
        words = {
            "__module__": record.__module__,
            "__qualname__": record.__qualname__,
            "__annotations__": {field.name: field.type for field in fields},
            "__doc__": record.__doc__,
            **{field.name: field for field in fields},
        }
        return vars(make(type(record.__name__, (), words)))[name]

    return method


_METHODS = {
    "__init__": _initialiser,
    "__repr__": _of_twin("__repr__", repr=True),
    "__eq__": _of_twin("__eq__", eq=True),
    "__hash__": _of_twin("__hash__", unsafe_hash=True),
}


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _refuse_changes(record: Any) -> None:
    """Refuse changes of a record as ``dataclasses`` does; its subclasses may have attributes of their own."""
    names = frozenset(vars(record)["__dataclass_fields__"])

    def change(self: object, name: str, value: object) -> None:
        if type(self) is record or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(record, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        if type(self) is record or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(record, self).__delattr__(name)

    for name, method in (("__setattr__", change), ("__delattr__", delete)):
        setattr(record, name, method)


def _dataclass(given: type | None = None, /, **options: Any) -> Any:
    if given is None:
        return partial(_dataclass, **options)
    foreign = any(vars(base)[_PARAMETERS].frozen for base in given.__mro__[1:] if _PARAMETERS in vars(base))
    if foreign or not options.get("frozen") or not options.keys() <= _OPTIONS or not given.__doc__:
        return dataclasses.dataclass(given, **options)
    compared = options.get("eq", True)
    waiting = [name for name in ("__init__", "__repr__") if name not in vars(given)]
    waiting += ["__eq__"] if compared and "__eq__" not in vars(given) else []
    # A class that defines __eq__ has __hash__ = None, which it did not write.
    waiting += ["__hash__"] if compared and vars(given).get("__hash__") is None else []
    pickled = {"__getstate__": _state, "__setstate__": _set_state} if options.get("slots") else {}
    pickled = {name: method for name, method in pickled.items() if name not in vars(given)}
    # To dataclasses the class can be changed; so it writes no refusals, nor asks for them of classes that derive.
    record: Any = dataclasses.dataclass(given, init=False, repr=False, **{**options, "frozen": False, "eq": False})
    for name in waiting:
        setattr(record, name, _Later(record, name))
    for name, method in pickled.items():
        setattr(record, name, method)
    _refuse_changes(record)
    return record


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass
