"""Loads of links and joints in the YAML format: a key each, with the numbers of its kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from symdyn.description.loads import Load
from symdyn.description.text.validation import Path
from symdyn.description.yaml.schema import JointYaml, LinkYaml
from symdyn.description.yaml.values import YamlValues


def read_loads(
    owner: LinkYaml | JointYaml, kinds: Iterable[type[Load]], values: YamlValues, path: Path
) -> tuple[Load, ...]:
    """The loads among the keys of a link or joint, in the order of ``kinds``."""
    given = [(kind, load) for kind in kinds if (load := getattr(owner, kind.key)) is not None]
    return tuple(
        kind(*(values.fold(getattr(load, item.name), (*path, kind.key, item.name)) for item in fields(kind)))
        for kind, load in given
    )
