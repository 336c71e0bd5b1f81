"""The key ``soft`` of a YAML link to a Soft: all values fixed, expressions of x alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symdyn.description.checks.section_shapes import PLACES
from symdyn.description.checks.soft import faults
from symdyn.description.declared import family
from symdyn.description.soft import (
    SECTIONS,
    CoupledStrains,
    Material,
    SectionShape,
    Soft,
    Strain,
    StrainBasis,
    StrainFunctions,
)
from symdyn.description.text.validation import Path
from symdyn.description.yaml.read_slender import SlenderReader
from symdyn.description.yaml.soft_schema import (
    FunctionsYaml,
    SectionShapeYaml,
    SoftYaml,
    StrainsAlongYaml,
    StrainYaml,
)
from symdyn.description.yaml.soft_values import BY_DEGREE, CONSTANT
from symdyn.description.yaml.values import YamlValues

_NEEDED = {
    **dict.fromkeys(BY_DEGREE, ("degree",)),
    StrainBasis.PIECEWISE_CONSTANT.value: ("pieces",),
    StrainBasis.PIECEWISE_LINEAR.value: ("pieces",),
    StrainBasis.GAUSSIAN.value: ("centres", "width"),
}
"""What completes a basis."""


def read_soft(soft: SoftYaml, values: YamlValues, path: Path) -> Soft:
    """The rod of a link.

    Parameters
    ----------
    soft
        What the file says.
    values
        The document's values, whose scope knows its parameters.
    path
        Where ``soft`` stands in the document.

    Raises
    ------
    DescriptionError
        A value that depends on a run-time parameter, an unknown name, a key that is missing or means nothing, a rod
        that cannot be.
    """
    rod = _RodReader(soft, values, path).rod()
    for keys, words in faults(rod):
        raise values.refusal(values.nearest((*path, *keys)), words)
    return rod


class _RodReader(SlenderReader):
    kind, thing = "soft", "rod"

    def __init__(self, soft: SoftYaml, values: YamlValues, path: Path) -> None:
        super().__init__(values, path)
        self._soft = soft

    def rod(self) -> Soft:
        soft = self._soft
        return Soft(
            length=self._fixed(soft.length, "length"),
            section=SECTIONS.make(soft.section, self, (*self._path, "section")),
            material=family(Material).make(soft.material, self, (*self._path, "material")),
            strains=tuple(self._strains(soft.strain or StrainYaml())),
            coupled=tuple(
                CoupledStrains(name, tuple(self._expressions(given, "coupled", name)))
                for name, given in soft.coupled.items()
            ),
            reference=() if soft.reference is None else tuple(self._expressions(soft.reference, "reference")),
            placement=self._placement(soft),
            stations=soft.stations,
            magnus=soft.magnus,
            substeps=soft.substeps,
            max_turn_per_step=self._fixed(soft.max_turn_per_step, "max_turn_per_step"),
            section_shapes=tuple(
                self._section_shape(given, "section_shapes", number) for number, given in enumerate(soft.section_shapes)
            ),
            section_law=soft.section_law,
            volume_preserving=soft.volume_preserving,
        )

    def _section_shape(self, given: SectionShapeYaml, *keys: int | str) -> SectionShape:
        path, scope = (*self._path, *keys, "radius"), self._values.scope
        for name in PLACES:
            if name in given.radius.names and name in (*scope.constants, *scope.open):
                raise self._refusal(f": {name} is a place in the section here; rename the parameter", *keys, "radius")
        self._check_fixed(given.radius.names, given.radius.text, path)
        with self._values.at(path):
            text = given.radius.bound(scope.constants, PLACES).text
        start, end = self._list(given.on, *keys, "on")
        return SectionShape(text, start, end)

    def _strains(self, strains: StrainYaml) -> Iterator[StrainFunctions]:
        common_taken = False
        for strain in Strain:
            given: FunctionsYaml | None = getattr(strains, strain.value)
            if given is not None:
                common_taken |= given.basis is None and given.functions is None
                yield StrainFunctions(strain, **self._functions(given, "strain", strain.value))
        if self._soft.basis is not None and not common_taken:
            raise self._refusal(" means nothing: no strain leaves its basis open; delete it", "basis")

    def _functions(self, given: FunctionsYaml, *keys: str) -> dict[str, Any]:
        said = [key for key in ("degree", "pieces", "centres", "width") if getattr(given, key) is not None]
        if given.functions is not None:
            if given.basis is not None or said:
                beside = ", ".join(["basis"] * (given.basis is not None) + said)
                raise self._refusal(f" say it all; leave out {beside}, or the functions", *keys, "functions")
            texts = tuple(
                self._bound(each, *keys, "functions", number).text for number, each in enumerate(given.functions)
            )
            return {"basis": StrainBasis.EXPRESSIONS, "count": len(texts), "functions": texts}
        basis = given.basis or self._soft.basis or StrainBasis.LEGENDRE.value
        needed = _NEEDED[basis]
        for key in said:
            if key not in needed:
                raise self._refusal(f" means nothing for basis {basis}; delete it, or name another basis", *keys, key)
        for key in needed:
            if getattr(given, key) is None and basis != CONSTANT:
                raise self._refusal(f": {key} is missing; basis {basis} needs it", *keys)
        return self._counted(basis, given, *keys)

    def _counted(self, basis: str, given: FunctionsYaml, *keys: str) -> dict[str, Any]:
        degree = given.degree or 0
        if basis == CONSTANT:
            if degree > 0:
                raise self._refusal(f": basis constant has degree 0, not {degree}; give 0, or another basis", *keys)
            return {"basis": StrainBasis.LEGENDRE, "count": 1}
        found: dict[str, Any] = {"basis": StrainBasis(basis), "count": degree + 1}
        match found["basis"]:
            case StrainBasis.FOURIER:
                found["count"] = 2 * degree + 1
            case StrainBasis.PIECEWISE_CONSTANT:
                found["count"] = given.pieces
            case StrainBasis.PIECEWISE_LINEAR:
                found["count"] = (given.pieces or 0) + 1
            case StrainBasis.GAUSSIAN:
                centres = self._list(given.centres or (), *keys, "centres")
                width = self._fixed(given.width or 0.0, *keys, "width")
                found |= {"count": len(centres), "centres": centres, "width": width}
        return found

    def _expressions(self, given: StrainsAlongYaml, *keys: str) -> Iterator[tuple[Strain, str]]:
        for strain in Strain:
            expression = getattr(given, strain.value)
            if expression is not None:
                yield strain, self._bound(expression, *keys, strain.value).text
