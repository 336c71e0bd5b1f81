"""The functions along a rod that its strains are made of, and the keys of a file that name them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from symdyn.description.declared import Group, Key, Part, Said, by_member, keyed, nested
from symdyn.description.forms import ALONG, FIXED, POINT, choice, each, filled, named, scalar, shortened, whole
from symdyn.description.quantities.written import along, block, listed, mapping, number, text
from symdyn.description.text.validation import Path, refusal

MOST_FUNCTIONS = 24
"""Per strain: polynomials of higher degree than this need more stations than any use of theirs repays."""


class Strain(Enum):
    """A strain of the rod, in the section's axes: x along the centre line. Rows of the strain field in this order."""

    TWIST = "twist"
    CURVATURE_Y = "curvature_y"
    CURVATURE_Z = "curvature_z"
    STRETCH = "stretch"
    SHEAR_Y = "shear_y"
    SHEAR_Z = "shear_z"

    @property
    def angular(self) -> bool:
        """Whether it turns sections: it is in rad/m, and its functions are divided by the rod's length."""
        return self in (Strain.TWIST, Strain.CURVATURE_Y, Strain.CURVATURE_Z)


class StrainBasis(Enum):
    """The functions of x that a strain is made of; s = x / length."""

    LEGENDRE = "legendre"  # shifted to the rod, P_k(2 s - 1), k = 0 .. degree
    MONOMIAL = "monomial"  # s^k
    CHEBYSHEV = "chebyshev"  # T_k(2 s - 1)
    FOURIER = "fourier"  # 1, then cos(2 pi k s) and sin(2 pi k s), k = 1 .. degree
    PIECEWISE_CONSTANT = "piecewise_constant"  # 1 on one of equal pieces
    PIECEWISE_LINEAR = "piecewise_linear"  # hats on the ends of equal pieces
    GAUSSIAN = "gaussian"  # exp(-((x - centre) / width)^2)
    EXPRESSIONS = "expressions"  # expressions in x


@dataclass(frozen=True, slots=True)
class StrainFunctions:
    """The functions of one strain, a coordinate each.

    ``count`` is their number. ``centres`` [m] and ``width`` [m] are of Gaussian ones, ``functions`` expressions in
    ``x`` [m] as plain text that was checked. Coordinates of angular strains are in rad: all functions of these, of
    every basis, are divided by the rod's length. Those of linear strains have no unit.
    """

    strain: Strain
    basis: StrainBasis
    count: int
    centres: tuple[float, ...] = ()
    width: float = 0.0
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoupledStrains:
    """A coordinate that moves several strains at once: ``functions`` has an expression in ``x`` [m] for each.

    They are divided by the rod's length where the strain is angular.
    """

    name: str
    functions: tuple[tuple[Strain, str], ...]


CONSTANT = "constant"
"""A basis of the file alone: the first function of Legendre's."""
_COUNTED = {
    **dict.fromkeys(("legendre", "monomial", "chebyshev", CONSTANT, "fourier"), ("degree",)),
    **dict.fromkeys(("piecewise_constant", "piecewise_linear"), ("pieces",)),
    "gaussian": ("centres", "width"),
}
"""Bases that a file may name, and what completes each."""
_BY_DEGREE = tuple(basis for basis, completing in _COUNTED.items() if completing == ("degree",))
"""Those that may stand for all strains at once."""


def _basis(value: object) -> str:
    if value == StrainBasis.EXPRESSIONS.value:
        raise refusal("give such functions under 'functions', and leave basis out")
    return str(_BASIS.read(value))


def _common_basis(value: object) -> str:
    if isinstance(value, str) and value in _COUNTED and value not in _BY_DEGREE:
        raise refusal(f"{value} needs more than a degree; name it under each strain, with the keys that it needs")
    return str(_COMMON.read(value))


_BASIS, _COMMON = choice(_COUNTED), choice(_BY_DEGREE)
_DEGREE = whole("a degree", 0, MOST_FUNCTIONS - 1)
_FUNCTIONS = keyed(
    "Functions",
    "The functions of x that a strain is made of, a coordinate each.",
    {
        "basis": Key(scalar(_basis, _BASIS.json, text), "that of the rod if left out"),
        "degree": Key(_DEGREE, "of legendre, monomial, chebyshev and fourier"),
        "pieces": Key(
            whole("a number of pieces", 1, MOST_FUNCTIONS),
            "of piecewise_constant and piecewise_linear, of equal length",
        ),
        "centres": Key(filled(replace(each(FIXED), make=POINT.make)), "of gaussian: distances from the root [m]"),
        "width": Key(FIXED, "of gaussian: exp(-((x - centre) / width)**2) [m]"),
        "functions": Key(filled(each(ALONG)), "expressions in x, in place of a basis"),
    },
)
_OF_A_DEGREE = replace(_DEGREE, make=lambda raw, given, path: _FUNCTIONS.record("")(degree=raw))
_STRAIN = by_member(
    Strain,
    "Strain",
    "Which strains the rod has, each by a degree of the rod's basis or by its own functions; others it has not.",
    shortened(_OF_A_DEGREE, nested(_FUNCTIONS)),
    (*(f"turn about {axis} per length" for axis in "xyz"), *(f"along {axis}" for axis in "xyz")),
)
_ALONG = by_member(
    Strain,
    "StrainsAlong",
    "An expression in x for some of the strains.",
    ALONG,
    (*(f"about {axis} [rad/m]" for axis in "xyz"), *(f"along {axis}" for axis in "xyz")),
)


def _strains(said: Said, given: Any, path: Path) -> dict[str, Any]:
    common, strains = said.get("basis"), said.get("strain", ())
    if common is not None and not any(own.basis is None and own.functions is None for _, own in strains):
        raise given.refusal((*path, "basis"), " means nothing: no strain leaves its basis open; delete it")
    return {
        "strains": tuple(
            StrainFunctions(strain, **_functions(own, common, given, (*path, "strain", strain.value)))
            for strain, own in strains
        )
    }


def _functions(own: Any, common: str | None, given: Any, path: Path) -> dict[str, Any]:
    said = [key for key in ("degree", "pieces", "centres", "width") if getattr(own, key) is not None]
    if own.functions is not None:
        if own.basis is not None or said:
            beside = ", ".join(["basis"] * (own.basis is not None) + said)
            raise given.refusal((*path, "functions"), f" say it all; leave out {beside}, or the functions")
        return {"basis": StrainBasis.EXPRESSIONS, "count": len(own.functions), "functions": own.functions}
    basis = own.basis or common or StrainBasis.LEGENDRE.value
    for key in said:
        if key not in _COUNTED[basis]:
            raise given.refusal((*path, key), f" means nothing for basis {basis}; delete it, or name another basis")
    for key in _COUNTED[basis]:
        if key not in said and basis != CONSTANT:
            raise given.refusal(path, f": {key} is missing; basis {basis} needs it")
    if basis == CONSTANT:
        if own.degree:
            raise given.refusal(path, f": basis constant has degree 0, not {own.degree}; give 0, or another basis")
        return {"basis": StrainBasis.LEGENDRE, "count": 1}
    found = {"basis": StrainBasis(basis), "count": _count(basis, own)}
    return found | ({"centres": own.centres, "width": own.width} if basis == StrainBasis.GAUSSIAN.value else {})


def _count(basis: str, own: Any) -> int:
    match StrainBasis(basis):
        case StrainBasis.FOURIER:
            return 2 * int(own.degree) + 1
        case StrainBasis.PIECEWISE_CONSTANT:
            return int(own.pieces)
        case StrainBasis.PIECEWISE_LINEAR:
            return int(own.pieces) + 1
        case StrainBasis.GAUSSIAN:
            return len(own.centres)
        case _:
            return int(own.degree) + 1


def _written(own: StrainFunctions) -> str:
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


def _strain_lines(rod: Any, deforming: Collection[str]) -> dict[str, str]:
    return {"strain": block({own.strain.value: _written(own) for own in rod.strains})} if rod.strains else {}


def _coupled(raw: Any, given: Any, path: Path) -> tuple[CoupledStrains, ...]:
    return tuple(CoupledStrains(name, functions) for name, functions in named(_ALONG).make(raw, given, path))


STRAINS = Group(
    (
        Part("strain", _STRAIN, "the functions of each strain, see below; or `coupled`"),
        Part(
            "basis",
            scalar(_common_basis, _COMMON.json, text),
            f"for strains that name none: {', '.join(f'`{own}`' for own in _BY_DEGREE)}; `legendre` if left out",
        ),
    ),
    _strains,
    _strain_lines,
)
COUPLED = Key(
    replace(
        named(_ALONG),
        make=_coupled,
        write=lambda value, deforming: block({text(own.name): _ALONG.write(own.functions, ()) for own in value}),
    ),
    "coordinates that move several strains at once, by name",
)
REFERENCE = Key(_ALONG, "the strain at rest, by expressions in x; straight and not stretched if left out")
