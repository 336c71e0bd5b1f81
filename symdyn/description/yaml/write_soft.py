"""A rod to the key ``soft`` of symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.declared import family
from symdyn.description.quantities.placement import IDENTITY
from symdyn.description.quantities.written import along, listed, mapping, matrix, number, text
from symdyn.description.soft import (
    SECTION_LAWS,
    SECTIONS,
    TURN,
    Material,
    SectionShape,
    Soft,
    Strain,
    StrainBasis,
    StrainFunctions,
)

_ORIGIN = (0.0, 0.0, 0.0)


def soft_lines(rod: Soft) -> Iterator[str]:
    """Lines ``key: value`` of a rod, of what differs from the defaults."""
    yield f"length: {number(rod.length)}"
    if rod.placement.translation != _ORIGIN:
        yield f"start: {listed(rod.placement.translation)}"
    if rod.placement.rotation != IDENTITY:
        yield f"rotation: {matrix(rod.placement.rotation)}"
    yield f"section: {mapping(SECTIONS.written(rod.section))}"
    yield f"material: {mapping(family(Material).written(rod.material))}"
    if rod.strains:
        yield "strain:"
        yield from (f"  {own.strain.value}: {_functions(own)}" for own in rod.strains)
    if rod.coupled:
        yield "coupled:"
        yield from (f"  {text(own.name)}: {_along(own.functions)}" for own in rod.coupled)
    if rod.reference:
        yield f"reference: {_along(rod.reference)}"
    if rod.section_shapes:
        yield "section_shapes:"
        yield from (f"  - {_shape(own)}" for own in rod.section_shapes)
    if rod.section_law != SECTION_LAWS[0]:
        yield f"section_law: {rod.section_law}"
    if rod.volume_preserving:
        yield "volume_preserving: true"
    if rod.stations is not None:
        yield f"stations: {rod.stations}"
    yield f"magnus: {rod.magnus}"
    if rod.substeps != 1:
        yield f"substeps: {rod.substeps}"
    if rod.max_turn_per_step != 1.0:
        yield f"max_turn_per_step: {number(rod.max_turn_per_step)}"


def _shape(own: SectionShape) -> str:
    entries = {"radius": along(own.radius)}
    if (own.start, own.end) != (0.0, TURN):
        entries["on"] = listed((own.start, own.end))
    return mapping(entries)


def _functions(own: StrainFunctions) -> str:
    match own.basis:
        case StrainBasis.LEGENDRE:
            return str(own.count - 1)
        case StrainBasis.EXPRESSIONS:
            return mapping({"functions": "[" + ", ".join(map(along, own.functions)) + "]"})
        case StrainBasis.GAUSSIAN:
            given = {"centres": listed(own.centres), "width": number(own.width)}
        case StrainBasis.PIECEWISE_CONSTANT:
            given = {"pieces": str(own.count)}
        case StrainBasis.PIECEWISE_LINEAR:
            given = {"pieces": str(own.count - 1)}
        case StrainBasis.FOURIER:
            given = {"degree": str(own.count // 2)}
        case _:
            given = {"degree": str(own.count - 1)}
    return mapping({"basis": own.basis.value, **given})


def _along(functions: tuple[tuple[Strain, str], ...]) -> str:
    return mapping({strain.value: along(function) for strain, function in functions})
