"""Declared records as pydantic models: their keys, those of each kind, and the JSON Schema by kinds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Annotated, Any, ClassVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, create_model, model_validator
from pydantic_core import CoreSchema, core_schema

from symdyn.description.declared import Family
from symdyn.description.forms import Form, choice, said_by
from symdyn.description.text.validation import misplaced, refusal
from symdyn.description.yaml.mapping import YamlMapping


class DeclaredYaml(YamlMapping):
    """Base of the models of all families."""

    family: ClassVar[Family]

    @model_validator(mode="after")
    def _fits_its_kind(self) -> DeclaredYaml:
        family, said = self.family, said_by(self)
        kind = getattr(self, family.selector) if family.selector else family.words[0]
        for own in family.keys(kind):
            ways = [name for name in (*(other.name for other in own.key.others), own.name) if name in said]
            if len(ways) > 1:
                raise refusal(f"{' and '.join(ways)} say the same thing twice; keep one")
            if own.name not in said and own.needs(kind) and (not ways or own.key.by):
                remedy = own.key.needed.replace("<kind>", kind)
                raise refusal(f"{own.name} is missing{remedy and '; '}{remedy}")
        words = family.fault(said, kind)
        if words:
            raise refusal(words)
        known = {name for name, _, _ in family.ways(kind)}
        for name in (name for name in type(self).model_fields if name in said and name not in known):
            kinds = [word for word in family.words if any(name == own for own, _, _ in family.ways(word))]
            if len(kinds) == 1:
                words = f" is for {family.selector}: {kinds[0]}; leave it out of a {family.called(kind)}"
                raise misplaced(name, words)
            raise misplaced(name, f" means nothing on a {family.called(kind)}; leave it out")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Keys by kinds, so that editors offer those that the file's kind has."""
        found = handler(schema)
        family, whole = cls.family, handler.resolve_ref_schema(found)
        properties = whole["properties"]
        for name in (name for name, own in properties.items() if family.selector or own.get("default") is None):
            properties[name].pop("default", None)
        if family.selector:
            del whole["properties"]
            kinds: dict[tuple[str, ...], list[str]] = {}
            for kind in family.words:
                kinds.setdefault(tuple(dict.fromkeys(name for name, _, _ in family.ways(kind))), []).append(kind)
            del whole["type"], whole["additionalProperties"], whole["required"]
            whole["anyOf"] = [
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {name: properties[name] for name in names}
                    | {name: _given(properties[name]) for name in required}
                    | {family.selector: {**properties[family.selector], "enum": words}},
                    "required": required,
                }
                for names, words in kinds.items()
                for required in [list(family.required(words[0]))]
            ]
        return found


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a key that must have a value."""
    ways = [own for own in schema.get("anyOf", ()) if own != {"type": "null"}]
    if len(ways) == len(schema.get("anyOf", ())):
        return schema
    rest = {name: own for name, own in schema.items() if name != "anyOf"}
    return {**rest, **ways[0]} if len(ways) == 1 else {**rest, "anyOf": ways}


@dataclass(frozen=True, slots=True)
class Lazily:
    """Marks what is a mapping of a family; its model is made when the first file has one."""

    family: Family

    @property
    def model(self) -> type[DeclaredYaml]:
        """The model."""
        return schema_of(self.family)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(lambda value: self.model.model_validate(value))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        model = self.model
        # The handler knows this schema alone; what it belongs to gives each model a definition of its own.
        schemas: Any = handler.generate_json_schema  # type: ignore[attr-defined]
        found: dict[str, Any] = schemas.generate_inner(
            {**model.__pydantic_core_schema__, "ref": f"{model.__module__}.{model.__name__}:{id(model)}"}
        )
        return found


@dataclass(frozen=True, slots=True)
class Formed:
    """Marks what a form reads."""

    form: Form

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.form.type(declared))


def declared(family: Family) -> Any:
    """The pydantic type of a mapping."""
    return Annotated[Any, Lazily(family)]


def _shown(usual: object) -> bool:
    """Whether a default is a number that JSON has."""
    return isinstance(usual, bool | int | float) and isfinite(usual)


@cache
def schema_of(family: Family) -> type[DeclaredYaml]:
    """The model of a family, which is made once."""
    fields: dict[str, Any] = {}
    everywhere = [set(family.bare(kind)) for kind in family.words]
    required = set.intersection(*everywhere)
    for kind in family.words:
        shown: dict[str, Any] = {own.name: own.default for own in family.keys(kind) if not own.key.others}
        for name, form, doc in (way for way in family.ways(kind) if way[0] not in fields):
            usual = shown.get(name)
            plain = all(_shown(own) for own in (usual if isinstance(usual, tuple) else [usual]))
            told = {"default": list(usual) if isinstance(usual, tuple) else usual} if plain and usual != () else None
            default: Any = ... if name in required else None
            item = Field(default, description=doc, json_schema_extra=told)
            fields[name] = form.type(declared), item
    if family.selector:
        fields[family.selector] = (choice(family.words).type(declared), fields[family.selector][1])
    first = family.kinds[0][0]
    doc = (first.__doc__ or "").partition("\n\n")[0]
    kind = "" if family.selector else family.words[0].title()
    model = create_model(f"{kind}{first.__name__}Yaml", __base__=DeclaredYaml, __doc__=doc, **fields)
    model.family = family
    return model
