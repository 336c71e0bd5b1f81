"""Records whose methods wait behave as classes that ``dataclasses`` makes at once."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from dataclasses import field
from typing import Any, ClassVar

import pytest

import symdyn  # noqa: F401  imports most of its records
from symdyn.interface import records


@records.dataclass(frozen=True, slots=True)
class Point:
    """Two numbers, where some have defaults."""

    origin: ClassVar[float] = 0.0
    x: float
    y: float = 2.0
    names: tuple[str, ...] = field(default_factory=tuple, compare=False)
    length: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", abs(self.x) + abs(self.y))


@dataclasses.dataclass(frozen=True, slots=True)
class PlainPoint:
    """The same by dataclasses."""

    origin: ClassVar[float] = 0.0
    x: float
    y: float = 2.0
    names: tuple[str, ...] = field(default_factory=tuple, compare=False)
    length: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", abs(self.x) + abs(self.y))


@records.dataclass(frozen=True, slots=True, kw_only=True)
class Marked(Point):
    """A point with a mark, which is named."""

    mark: str
    weight: float = field(default=1.0, init=False)


@records.dataclass(frozen=True)
class Open:
    """A record with a dict, an equality of its own and no hash."""

    x: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Open)


@records.dataclass(frozen=True, eq=False)
class Identical(Open):
    """Equal as what it derives from says."""

    y: float = 0.0


def test_methods_are_those_of_dataclasses() -> None:
    mine, plain = Point(1.0, names=("a",)), PlainPoint(1.0, names=("a",))
    assert repr(mine) == repr(plain).replace("PlainPoint", "Point")
    assert hash(mine) == hash(plain)
    assert mine == Point(1.0, 2.0) and mine != Point(1.0, 3.0) and mine != plain
    assert str(inspect.signature(Point)) == str(inspect.signature(PlainPoint))
    assert dataclasses.asdict(mine) == dataclasses.asdict(plain)
    assert Point.__match_args__ == PlainPoint.__match_args__
    assert dataclasses.replace(mine, x=5.0) == Point(5.0)
    assert Point.__init__.__qualname__ == "Point.__init__"
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]


@pytest.mark.parametrize("made", [Point(1.0), Marked(3.0, 4.0, mark="m"), Open(1.0)])
def test_no_record_is_changed(made: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        made.x = 2.0
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del made.x


@pytest.mark.parametrize("made", [Point(1.0, names=("n",)), Marked(3.0, mark="m")])
def test_records_are_copied_and_pickled(made: Any) -> None:
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other == made and other.names == made.names and other.length == made.length
    assert not hasattr(made, "__dict__")


def test_records_derive_from_records() -> None:
    made = Marked(3.0, mark="m")
    assert (made.x, made.y, made.mark, made.weight, made.length) == (3.0, 2.0, "m", 1.0, 5.0)
    assert repr(made) == "Marked(x=3.0, y=2.0, names=(), mark='m', weight=1.0)"
    assert made != Point(3.0)
    with pytest.raises(TypeError, match="positional"):
        Marked(3.0, 2.0, (), "m")  # type: ignore[misc]


def test_methods_of_the_class_stay() -> None:
    assert Open(1.0) == Open(2.0) and hash(Open(1.0)) == hash((1.0,))
    assert Identical(1.0, 2.0) == Identical(3.0, 4.0)
    assert repr(Identical(1.0)) == "Identical(x=1.0, y=0.0)"


def test_subclasses_that_are_no_records_have_their_own_attributes() -> None:
    class Noted(Open):
        pass

    made = Noted(1.0)
    made.note = "n"  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.x = 2.0  # type: ignore[misc]


def test_every_imported_record_takes_what_dataclasses_would_take() -> None:
    """Of each class the parameters, against those of a class that dataclasses makes of its fields."""
    seen = 0
    for module in [found for name, found in sys.modules.items() if name.startswith("symdyn.")]:
        for made in vars(module).values():
            if (
                not isinstance(made, type)
                or made.__module__ != module.__name__
                or "__dataclass_fields__" not in vars(made)
            ):
                continue
            fields = dataclasses.fields(made)
            words: dict[str, Any] = {each.name: each for each in fields}
            words |= {"__annotations__": {each.name: each.type for each in fields}, "__module__": made.__module__}
            plain = dataclasses.dataclass(frozen=True)(type(made.__name__, (), words))
            if not inspect.isfunction(made.__init__) or "make" in made.__init__.__qualname__:
                continue
            assert str(inspect.signature(made)) == str(inspect.signature(plain)), made
            seen += 1
    assert seen > 150
