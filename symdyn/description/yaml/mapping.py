"""What all mappings of symdyn's YAML have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from symdyn.description.text.position import hint
from symdyn.description.text.validation import refusal
from symdyn.description.yaml.scalars import Matrix, Vector


class YamlMapping(BaseModel):
    """Base of all mappings: keys are those declared, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            fields = [item.alias or name for name, item in cls.model_fields.items()]
            known = ", ".join(fields)
            for key in data:
                if key not in fields:
                    remedy = _home(cls, key) or hint(key, fields) or f"; known keys are {known}"
                    problem = f"{_UNKNOWN}{remedy}"
                    raise PydanticCustomError("description", "{problem}", {"problem": problem, "key": key})
        return data


def chosen(said: YamlMapping, kinds: Sequence[str]) -> str:
    """The only key among ``kinds`` that a mapping has.

    Raises
    ------
    PydanticCustomError
        None of them is there, several are, or the one has no value.
    """
    found = [kind for kind in kinds if kind in said.model_fields_set]
    if len(found) != 1:
        raise refusal(f"expected one of {', '.join(kinds[:-1])} and {kinds[-1]}")
    if getattr(said, found[0]) is None:
        raise refusal(f"{found[0]} has no value; give its numbers")
    return found[0]


def unknown_key(error: Any) -> tuple[int | str, ...]:
    """The path of the unknown key that one entry of ``ValidationError.errors()`` tells of; empty for other entries."""
    told = error.get("ctx", {})
    return (*error["loc"], told["key"]) if str(told.get("problem", "")).startswith(_UNKNOWN) else ()


_UNKNOWN = "unknown key"


def _home(mapping: type[YamlMapping], key: object) -> str:
    """Below which keys of a mapping a key is known, as the end of a message; nothing where it is nowhere."""
    homes = list(dict.fromkeys(_homes(mapping, key)))
    return f"; it is a key of {' and of '.join(homes)}, so write it below" if homes else ""


def _homes(mapping: type[YamlMapping], key: object) -> Iterator[str]:
    for name, item in mapping.model_fields.items():
        own = item.alias or name
        for inner in (found for part in (item.annotation, *item.metadata) for found in _mappings(part)):
            if any(key == (other.alias or field) for field, other in inner.model_fields.items()):
                yield own
            yield from (f"{own}.{deeper}" for deeper in _homes(inner, key))


def _mappings(annotation: Any) -> Iterator[type[YamlMapping]]:
    """The mappings that a value may be by its type, those within lists and by names left out."""
    annotation = getattr(annotation, "long", annotation)
    annotation = getattr(annotation, "model", annotation)
    if isinstance(annotation, type) and issubclass(annotation, YamlMapping):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, UnionType):
        for part in get_args(annotation):
            yield from _mappings(part)


class OrientedYaml(YamlMapping):
    """Something with an orientation, given one way or the other."""

    rpy: Vector | None = Field(None, description="roll, pitch, yaw about fixed axes [rad]: Rz(yaw) Ry(pitch) Rx(roll)")
    rotation: Matrix | None = Field(None, description="rows of the rotation matrix, instead of rpy")

    @model_validator(mode="after")
    def _one_orientation(self) -> OrientedYaml:
        if self.rpy is not None and self.rotation is not None:
            raise refusal("rpy and rotation say the same thing twice; keep one")
        return self
