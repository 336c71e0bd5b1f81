"""Surfaces in the world as files have them, the same for contacts and for obstacles: planes, cylinders, spheres."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from symdyn.description.contact import Surface
from symdyn.description.declared import Check, Family, Key, Said, keyed
from symdyn.description.forms import CONSTANT, CONSTANTS, DIRECTION, FLAG, Form
from symdyn.description.quantities.written import mapping
from symdyn.description.text.validation import Path

_FIELDS = {"normal": "axis", "center": "point"}
"""Fields of a surface that are called otherwise on some of them."""


def one_of_them(kinds: Collection[str]) -> Check:
    """What is wrong unless a file gives exactly one of some keys, with a value."""
    *others, last = kinds

    def check(said: Said) -> str:
        found = [kind for kind in kinds if kind in said]
        if len(found) != 1:
            return f"expected one of {', '.join(others)} and {last}"
        return f"{found[0]} has no value; give its numbers" if said[found[0]] is None else ""

    return check


def or_none(form: Form) -> Form:
    """A value, or a key without one, which is refused beside all that stands there."""
    return Form(lambda of: form.type(of) | None, form.make, form.write)


def surface_forms(point: Form, length: Form) -> dict[str, Form]:
    """The forms of all kinds of surfaces, by the forms of their points and of their radii."""
    origin, radius = Surface("").point, Key(length, "[m]")
    inside = Key(FLAG, "the robot is in it")
    return {
        "plane": _form(
            "plane",
            "A plane with matter behind it.",
            {"normal": Key(DIRECTION, "out of the matter, of any length"), "point": Key(point, "on the plane [m]")},
            {"normal": Surface("").axis, "point": origin},
        ),
        "cylinder": _form(
            "cylinder",
            "A cylinder without ends.",
            {
                "axis": Key(DIRECTION, "along it, of any length"),
                "point": Key(point, "on its axis [m]"),
                "radius": radius,
                "inside": inside,
            },
            {"point": origin, "inside": False},
        ),
        "sphere": _form(
            "sphere",
            "A sphere.",
            {"center": Key(point, "[m]"), "radius": radius, "inside": inside},
            {"center": origin, "inside": False},
        ),
    }


def _form(shape: str, doc: str, own: Mapping[str, Key], usual: Mapping[str, Any]) -> Form:
    family = keyed(shape.title(), doc, own, required=own.keys() - usual.keys(), usual=usual)

    def make(raw: Any, given: Any, path: Path) -> Surface:
        found = family.make(raw, given, path)
        return Surface(shape, **{_FIELDS.get(name, name): getattr(found, name) for name in own})

    def write(surface: Surface, deforming: Collection[str]) -> str:
        values = {name: getattr(surface, _FIELDS.get(name, name)) for name in own}
        return mapping({name: key.form.write(values[name], deforming) for name, key in own.items()})

    return Form(lambda of: of(family), make, write)


def surface_key(shape: str) -> str:
    """What a surface of a kind is called where it is one key of several."""
    return "a plane and its normal" if shape == "plane" else f"inside or outside of a {shape}"


_RESTING = surface_forms(CONSTANTS, CONSTANT)
SURFACE: Family = keyed(
    "Surface",
    "A surface that rests in the world.",
    {shape: Key(or_none(form), surface_key(shape)) for shape, form in _RESTING.items()},
    one_of_them(tuple(_RESTING)),
)
"""The key of its kind, with what tells where it lies."""


def read_surface(said: Any, given: Any, path: Path) -> Surface:
    """The surface that a mapping of :data:`SURFACE` means, by a reader of values at a path."""
    found: Surface = next(own for own in vars(SURFACE.make(said, given, path)).values() if own is not None)
    return found


def written_surface(surface: Surface) -> dict[str, str]:
    """The key of such a mapping with its text; numbers may be expressions."""
    return {surface.shape: _RESTING[surface.shape].write(surface, ())}
