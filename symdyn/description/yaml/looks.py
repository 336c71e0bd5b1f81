"""How links look, in symdyn's YAML: shapes for viewers, of which dynamics knows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.description.quantities.placement import Placement
from symdyn.description.text.validation import Path
from symdyn.description.visual import Visual, clear_colour
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
    colour = None if said.colour is None else clear_colour([*said.colour, 1.0][:4])
    if said.mesh is not None:
        scale = values.numbers(said.scale or _UNSCALED, (*path, "scale"))
        return Visual("mesh", scale, placement, said.mesh, colour=colour)
    kind = chosen(said, LOOKS)
    given: Any = getattr(said, kind)
    numbers = [given] if kind == "sphere" else given
    size = tuple(values.number(entry, (*path, kind)) for entry in numbers)
    if min(size) <= 0.0:
        raise values.refusal((*path, kind), f": expected lengths above 0, got {' '.join(f'{x:g}' for x in size)}")
    return Visual(kind, size, placement, colour=colour)
