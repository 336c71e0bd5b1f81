"""Keys of contacts in files, by penalty and rigid ones, and which of the two a file means."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import fields
from functools import cache
from typing import Annotated, Any

from symdyn.description.attachment import AT
from symdyn.description.contact import Contact, Surface
from symdyn.description.declared import Family, Key, Said, keyed
from symdyn.description.forms import (
    CONSTANT,
    FLAG,
    FOLDED,
    NAME,
    SCALAR,
    TRIPLE,
    Form,
    Short,
    quantity,
    scalar,
    vector,
)
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import listed, mapping, number, text
from symdyn.description.surfaces import SURFACE, read_surface, written_surface
from symdyn.description.text.validation import Path, kind_of, refusal
from symdyn.description.yaml.words import SECTION

PART: Family = keyed(
    "Part",
    "A shape on a link, both by name.",
    {"link": Key(NAME, "the link"), "shape": Key(NAME, "its shape under collision; all of them if left out")},
    required=("link",),
)
_PART_JSON: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"link": {"type": "string"}, "shape": {"type": "string"}},
            "required": ["link"],
            "additionalProperties": False,
        },
    ]
}
_SHORT_JSON = {"anyOf": [{"type": "string"}, {"type": "array", "items": _PART_JSON, "minItems": 1}]}


def is_mapping(raw: Any) -> bool:
    """Whether a value of a contact is a mapping of the file, and no name or list."""
    return hasattr(raw, "model_fields_set")


@cache
def _parts(of: Callable[[Any], Any]) -> Callable[[object], list[Any]]:
    from pydantic import TypeAdapter

    return TypeAdapter(list[Annotated[Any, Short(_part, {"type": "string"}, of(PART))]]).validate_python


def _part(value: object) -> str | None:
    if isinstance(value, dict):
        return None
    if not isinstance(value, str):
        raise refusal(f"expected a name, or a mapping with link and shape, got {kind_of(value)}")
    return value


def _or_parts(long: Family) -> Callable[[Callable[[Any], Any]], Any]:
    """The type of a name, a list of names and of links with shapes, or a mapping of a family."""

    def type_of(of: Callable[[Any], Any]) -> Any:
        def read(value: object) -> Any:
            if isinstance(value, dict | str):
                return value if isinstance(value, str) else None
            if not isinstance(value, list) or not value:
                raise refusal(f"expected a name, or a list of shapes, got {kind_of(value)}")
            return tuple(_parts(of)(value))

        return Annotated[Any, Short(read, _SHORT_JSON, of(long))]

    return type_of


def _of(raw: Any, given: Any, path: Path) -> str | tuple[Any, ...]:
    """A name, or names and parts."""
    return raw if isinstance(raw, str) else (raw,) if is_mapping(raw) else tuple(raw)


def _against(raw: Any, given: Any, path: Path) -> Any:
    """A surface, or what contacts may also be of."""
    return read_surface(raw, given, path) if is_mapping(raw) else _of(raw, given, path)


def _parts_text(value: Any, deforming: Collection[str] = ()) -> str:
    if isinstance(value, str):
        return text(value)
    texts = (text(own) if isinstance(own, str) else mapping(PART.written(own)) for own in value)
    return f"[{', '.join(texts)}]"


def _against_text(value: Any, deforming: Collection[str]) -> str:
    return mapping(written_surface(value)) if isinstance(value, Surface) else _parts_text(value)


def _radius(value: object) -> Number | None:
    return None if value == SECTION else quantity(value)


def _radius_text(value: Number | None) -> str:
    return SECTION if value is None else number(value)


_OF_PENALTIES = ("stiffness", "exponent", "damping", "velocity_scale", "at")


def is_rigid(said: Any) -> bool:
    """Whether what a file says of a contact is an exact one, and no penalty."""
    return _rigid({name: getattr(said, name) for name in said.model_fields_set})


def _rigid(said: Said) -> bool:
    return bool(said.get("rigid")) or ("stiffness" not in said and not is_mapping(said["with"]))


def _fault(said: Said) -> str:
    if _rigid(said):
        strange = next((key for key in _OF_PENALTIES if key in said), "")
        words = f"{strange} is of contacts by penalty; leave it out of a rigid contact, or leave out rigid"
        return words if strange else ""
    if not is_mapping(said["with"]):
        return (
            "with stiffness it is a penalty against a surface, such as with: {plane: {}}; leave stiffness out for "
            "a rigid contact"
        )
    if not isinstance(said["of"], str):
        return "of: a contact with stiffness is of one link or frame; leave stiffness out for a rigid one"
    strange = next((key for key in ("restitution", "compliance") if key in said), "")
    if strange:
        return f"{strange} is of rigid contacts; leave it out, or write rigid: true without stiffness"
    return "" if "stiffness" in said else "stiffness is missing; give it, or write rigid: true"


_USUAL = {own.name: own.default for own in fields(Contact)}
CONTACT: Family = keyed(
    "Contact",
    "Shapes on links, or spheres along a soft one, against surfaces: rigid, or with stiffness a penalty.",
    {
        "of": Key(
            Form(_or_parts(PART), _of, _parts_text),
            "a soft link, a rigid one, or an extra frame; rigid contacts also take lists of {link: .., shape: ..}, or "
            "link.shape",
        ),
        "at": Key(AT, "one place on a soft or flexible link, as for frames; with stiffness"),
        "point": Key(scalar(vector, TRIPLE, listed), "the sphere's centre in the link's axes [m]"),
        "radius": Key(
            scalar(_radius, SCALAR, _radius_text),
            "of the spheres [m], or section: that of the rod's round sections",
        ),
        "surface": Key(
            Form(_or_parts(SURFACE), _against, _against_text),
            "what they touch: a surface, or of rigid contacts obstacles and shapes on links",
            name="with",
        ),
        "rigid": Key(FLAG, "a rigid contact, as is any with an obstacle or a shape and no stiffness"),
        "restitution": Key(FOLDED, "of rigid contacts, from 0 to 1"),
        "compliance": Key(FOLDED, "of rigid contacts, per point [m/N]"),
        "stiffness": Key(FOLDED, "[N/m^exponent], per metre of a soft link"),
        "exponent": Key(CONSTANT, "of the depth, from 1 to 12 in halves"),
        "damping": Key(FOLDED, "factor 1 + damping * rate of depth [s/m]"),
        "friction": Key(FOLDED, "tangential force per normal force"),
        "velocity_scale": Key(CONSTANT, "by which friction is smooth at rest [m/s]"),
        "start": Key(CONSTANT, "of a soft link: [m] from the root; 0 if left out", name="from"),
        "end": Key(CONSTANT, "of a soft link: [m]; its length if left out", name="to"),
    },
    _fault,
    required=("of", "surface"),
    usual={key: _USUAL[key] for key in ("radius", "exponent", "damping", "friction", "velocity_scale")}
    | {"rigid": False, "restitution": 0.0, "compliance": 0.0},
)
"""A contact of either kind; :func:`is_rigid` tells which."""
