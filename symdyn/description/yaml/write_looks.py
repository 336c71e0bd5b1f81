"""How links look, written in symdyn's YAML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdyn.description.quantities.placement import IDENTITY, Placement
from symdyn.description.quantities.written import listed, mapping, matrix, number, text
from symdyn.description.visual import Visual

_ORIGIN = (0.0, 0.0, 0.0)
_UNSCALED = (1.0, 1.0, 1.0)


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
    if own.colour is not None:
        entries["colour"] = listed(own.colour if own.colour[3] != 1.0 else own.colour[:3])
    return entries | placed(own.placement)


def mesh_scale(scale: Sequence[float]) -> dict[str, str]:
    """The entry of a mesh's factors, where they are not 1."""
    return {} if tuple(scale) == _UNSCALED else {"scale": listed(scale)}


def placed(at: Placement) -> dict[str, str]:
    """The entries of a placement, where it is not the identity."""
    entries = {} if at.translation == _ORIGIN else {"at": listed(at.translation)}
    return entries if at.rotation == IDENTITY else entries | {"rotation": matrix(at.rotation)}
