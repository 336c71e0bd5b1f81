"""Loads of links and joints in the YAML format: a key each, with the numbers of its kind."""

from __future__ import annotations

from collections.abc import Iterable

from symdyn.description.declared import family
from symdyn.description.loads import Load
from symdyn.description.text.validation import Path
from symdyn.description.yaml.schema import JointYaml, LinkYaml
from symdyn.description.yaml.values import YamlValues


def read_loads(
    owner: LinkYaml | JointYaml, kinds: Iterable[type[Load]], values: YamlValues, path: Path
) -> tuple[Load, ...]:
    """The loads among the keys of a link or joint, in the order of ``kinds``."""
    given = [(kind, load) for kind in kinds if (load := getattr(owner, kind.key)) is not None]
    return tuple(family(kind).make(load, values, (*path, kind.key)) for kind, load in given)
