"""Cross-sections of a rod: area, second moments and the torsion constant along it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np

from symdyn.description.quantities.placement import Number
from symdyn.description.soft import Material, Section, Strain
from symdyn.errors import InternalError
from symdyn.shapes.formula import evaluate, read_formula
from symdyn.shapes.strain_basis import STRAIN_ROWS

_EXPONENTIALS = 16
"""Terms of Saint-Venant's series that leave out less than 1e-40: each is exp(-2 pi) of the one before."""


class SectionMoments(NamedTuple):
    """Area [m^2] and moments [m^4] of a section: the torsion constant, and the second moments about y and z."""

    area: Any
    torsion: Any
    about_y: Any
    about_z: Any

    def by_row(self) -> tuple[Any, ...]:
        """What resists each strain, in the order of STRAIN_ROWS, without the material."""
        return self.area, self.area, self.area, self.torsion, self.about_y, self.about_z


def section_moments(section: Section) -> Callable[[Any], SectionMoments]:
    """The moments as a function of x [m], which is an mpmath number or a NumPy array."""
    if section.shape not in _SHAPES:
        raise InternalError(f"section of shape '{section.shape}' has no moments here; please report the rod's file")
    shape, names = _SHAPES[section.shape]
    formulas = [read_formula(getattr(section, name)) for name in names]
    return lambda x: shape(*(evaluate(formula, x) for formula in formulas))


def stiffness_by_row(section: Section, material: Material) -> tuple[float, ...]:
    """What a section's moments are multiplied by to its stiffness, in the order of STRAIN_ROWS [Pa]."""
    youngs = known(material.youngs_modulus)
    shear = youngs / (2.0 * (1.0 + material.poisson_ratio))
    along_y, along_z = section.shear_factors
    return youngs, along_y * shear, along_z * shear, shear, youngs, youngs


def viscosity_by_row(section: Section, material: Material) -> tuple[float, ...]:
    """What a section's moments are multiplied by to its losses, in the order of STRAIN_ROWS [Pa s]."""
    if material.retardation_time != 0.0:
        return tuple(known(material.retardation_time) * own for own in stiffness_by_row(section, material))
    lengthening = {STRAIN_ROWS[strain] for strain in (Strain.STRETCH, Strain.CURVATURE_Y, Strain.CURVATURE_Z)}
    return tuple((3.0 if row in lengthening else 1.0) * known(material.viscosity) for row in range(6))


def known(number: Number) -> float:
    """A number of a rod's matter, of which nothing is an expression when tables are made."""
    if not isinstance(number, float | int):
        raise InternalError(f"a rod's tables need a number in place of '{number.text}'; please report the rod's file")
    return number


def rectangle_torsion(width: Any, height: Any) -> Any:
    """The torsion constant of a rectangle by Saint-Venant's series, right to some 1e-15 [m^4].

    With a the longer side, J = a b^3 / 3 - 64 b^4 / pi^5 sum tanh(n pi a / 2 b) / n^5 over odd n, of which the sum of
    1 / n^5 is 31 zeta(5) / 32 and the rest falls off as exp(-n pi).
    """
    precise = isinstance(width, mpmath.mpf)
    longer, shorter = (
        (max(width, height), min(width, height)) if precise else (np.maximum(width, height), np.minimum(width, height))
    )
    pi, exponential = (mpmath.mp.pi, mpmath.exp) if precise else (np.pi, np.exp)
    total = 31 * mpmath.zeta(5) / 32 if precise else 31 * float(mpmath.zeta(5)) / 32
    for n in range(1, 2 * _EXPONENTIALS, 2):
        falling = exponential(-n * pi * (longer / shorter))
        total = total - 2 * falling / ((1 + falling) * n**5)
    return longer * shorter**3 / 3 - 64 * shorter**4 / pi**5 * total


def _circle(radius: Any) -> SectionMoments:
    pi = _pi(radius)
    second = pi * radius**4 / 4
    return SectionMoments(pi * radius**2, 2 * second, second, second)


def _ring(radius: Any, inner: Any) -> SectionMoments:
    pi, hollow = _pi(radius), radius**2 - inner**2
    second = pi * hollow * (radius**2 + inner**2) / 4
    return SectionMoments(pi * hollow, 2 * second, second, second)


def _rectangle(width: Any, height: Any) -> SectionMoments:
    area = width * height
    return SectionMoments(area, rectangle_torsion(width, height), area * height**2 / 12, area * width**2 / 12)


def _pi(x: Any) -> Any:
    return mpmath.mp.pi if isinstance(x, mpmath.mpf) else np.pi


_SHAPES: dict[str, tuple[Callable[..., SectionMoments], tuple[str, ...]]] = {
    "circle": (_circle, ("radius",)),
    "ring": (_ring, ("radius", "inner_radius")),
    "rectangle": (_rectangle, ("width", "height")),
    "numbers": (SectionMoments, ("area", "second_moment_x", "second_moment_y", "second_moment_z")),
}
