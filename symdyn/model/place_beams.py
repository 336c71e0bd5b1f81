"""Beams put on the bodies that carry them, once the tree and the run-time parameters are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.description.robot import Placement
from symdyn.errors import ModelError
from symdyn.model.bind import composed
from symdyn.model.flexible_link import Beam, seen_from
from symdyn.model.model import Body
from symdyn.model.values import Values
from symdyn.shapes.integrals import BeamIntegrals
from symdyn.spatial.rotations import IDENTITY, snapped
from symdyn.spatial.vectors import product, times, transpose


@dataclass(frozen=True, slots=True)
class BeamPlace:
    """A flexible link's integrals in its beam's axes, and the way from its carrier's public frame to the beam's."""

    link: str
    integrals: BeamIntegrals
    steps: tuple[Placement, ...]
    leaves: tuple[str, ...]


def numbers_of(placement: Placement) -> list[float]:
    """The translation of a placement that rests on no parameter [m]."""
    return [float(entry) for entry in placement.translation if isinstance(entry, float | int)]


def with_beams(bodies: Sequence[Body], beams: Mapping[int, BeamPlace], values: Values) -> tuple[Body, ...]:
    """The bodies with each beam on its tip, and its mass at rest on its carrier.

    Raises
    ------
    ModelError
        The way from the carrier to a beam rests on a run-time parameter.
    """
    found = list(bodies)
    for tip, place in beams.items():
        carrier = found[tip].parent
        alignment = found[carrier].alignment if carrier >= 0 else IDENTITY
        for step, leaf in zip(place.steps, place.leaves, strict=True):
            names = (f"{leaf}.translation.{axis}" if leaf else "" for axis in "xyz")
            if values.depends(list(zip(step.translation, names, strict=True))):
                raise ModelError(
                    f"flexible link '{place.link}' is fixed to the body that carries it by joint '{leaf}', whose "
                    "translation is a run-time parameter; flexible links are baked: give it as a number"
                )
        rotation, origin = composed(values, place.steps, place.leaves)
        back = transpose(alignment)
        x, y, z = times(back, origin)
        beam = Beam(place.link, seen_from(place.integrals, snapped(product(back, rotation)), (x, y, z)))
        found[tip] = replace(found[tip], beam=beam)
        if carrier >= 0:
            found[carrier] = replace(found[carrier], carried=(*found[carrier].carried, beam.at_rest))
    return tuple(found)
