"""How links look, in symdyn's YAML: shapes for viewers, of which dynamics knows nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symdyn.description.quantities.placement import IDENTITY, Placement
from symdyn.description.quantities.written import listed, mapping, matrix, number, text
from symdyn.description.text.validation import Path
from symdyn.description.visual import Visual
from symdyn.description.yaml.looks_schema import LOOKS, VisualYaml
from symdyn.description.yaml.mapping import chosen
from symdyn.description.yaml.values import YamlValues

_ORIGIN = (0.0, 0.0, 0.0)
_UNSCALED = (1.0, 1.0, 1.0)


def read_visuals(said: Sequence[VisualYaml], path: Path, values: YamlValues) -> tuple[Visual, ...]:
    """The shapes by which a link is shown.

    Raises
    ------
    DescriptionError
        A length that is not above 0, or no number.
    """
    return tuple(_visual(own, (*path, place), values) for place, own in enumerate(said))


def _visual(said: VisualYaml, path: Path, values: YamlValues) -> Visual:
    at = values.numbers(said.at or _ORIGIN, (*path, "at"))
    placement = Placement(at, values.rotation(said, path))
    if said.mesh is not None:
        return Visual("mesh", values.numbers(said.scale or _UNSCALED, (*path, "scale")), placement, said.mesh)
    kind = chosen(said, LOOKS)
    given: Any = getattr(said, kind)
    numbers = [given] if kind == "sphere" else given
    size = tuple(values.number(entry, (*path, kind)) for entry in numbers)
    if min(size) <= 0.0:
        raise values.refusal((*path, kind), f": expected lengths above 0, got {' '.join(f'{x:g}' for x in size)}")
    return Visual(kind, size, placement)


def visual_lines(visuals: Sequence[Visual]) -> Iterator[str]:
    """Lines of the shapes by which a link is shown, but for those that could not be read."""
    sound = [own for own in visuals if not own.fault]
    if sound:
        yield "visuals:"
        yield from (f"  - {mapping(_entries(own))}" for own in sound)


def _entries(own: Visual) -> dict[str, str]:
    if own.shape == "mesh":
        entries = {"mesh": text(own.address)} | mesh_scale(own.size)
    else:
        entries = {own.shape: number(own.size[0]) if own.shape == "sphere" else listed(own.size)}
    return entries | placed(own.placement)


def mesh_scale(scale: Sequence[float]) -> dict[str, str]:
    """The entry of a mesh's factors, where they are not 1."""
    return {} if tuple(scale) == _UNSCALED else {"scale": listed(scale)}


def placed(at: Placement) -> dict[str, str]:
    """The entries of a placement, where it is not the identity."""
    entries = {} if at.translation == _ORIGIN else {"at": listed(at.translation)}
    return entries if at.rotation == IDENTITY else entries | {"rotation": matrix(at.rotation)}
