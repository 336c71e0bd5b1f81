"""Expressions in x as a robot file gives them: one spelling for each, so that what is written is read as the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from symdyn.description.actuation import Actuation
from symdyn.description.flexible import Flexible, Profile
from symdyn.description.mapped import MATERIAL, Mapped
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.soft import SECTION_KEYS, Soft, Strain


def spelt_beam(beam: Flexible) -> Flexible:
    """A sound beam with all expressions in the reader's spelling."""
    inertia = beam.section_inertia
    return replace(
        beam,
        mass_per_length=_profile(beam.mass_per_length),
        modes=tuple(
            replace(modes, stiffness=_profile(modes.stiffness), functions=_all(modes.functions)) for modes in beam.modes
        ),
        section_inertia=None if inertia is None else (_profile(inertia[0]), _profile(inertia[1])),
    )


def spelt_rod(rod: Soft) -> Soft:
    """A sound rod with all expressions in the reader's spelling."""
    section = rod.section
    spelt: dict[str, Any] = {key: _one(getattr(section, key)) for key in SECTION_KEYS[section.shape]}
    return replace(
        rod,
        section=replace(section, **spelt),
        strains=tuple(replace(own, functions=_all(own.functions)) for own in rod.strains),
        coupled=tuple(replace(own, functions=_by_strain(own.functions)) for own in rod.coupled),
        reference=_by_strain(rod.reference),
    )


def spelt_mapped(body: Mapped) -> Mapped:
    """A sound body given by its map with all expressions in the reader's spelling."""
    free = (*MATERIAL, *body.rows, *body.parameters)
    x, y, z, energy, density = (
        MapExpression(text).bound({}, free).text if text else ""
        for text in (*body.map, body.energy, body.energy_density)
    )
    return replace(body, map=(x, y, z), energy=energy, energy_density=density)


def spelt_actuation(actuation: Actuation) -> Actuation:
    """Sound tendons and chambers with all expressions in the reader's spelling."""
    return replace(
        actuation,
        tendons=tuple(
            replace(tendon, strands=tuple(replace(own, y=_one(own.y), z=_one(own.z)) for own in tendon.strands))
            for tendon in actuation.tendons
        ),
        chambers=tuple(
            replace(own, area=_one(own.area), moment_y=_one(own.moment_y), moment_z=_one(own.moment_z))
            for own in actuation.chambers
        ),
    )


def _profile(profile: Profile) -> Profile:
    return replace(profile, values=_all(profile.values))


def _by_strain(functions: Iterable[tuple[Strain, str]]) -> tuple[tuple[Strain, str], ...]:
    return tuple((strain, _one(text)) for strain, text in functions)


def _all(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_one, texts))


def _one(text: str) -> str:
    return BeamExpression(text).bound({}).text
