"""The cross-section of a rod at a place along it: area and second moments."""

from __future__ import annotations

from dataclasses import dataclass

from mpmath import mp

from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.soft import Material, Section
from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real, Vector


@dataclass(frozen=True, slots=True)
class SectionNumbers:
    """Area [m^2], torsion constant, and second moments [m^4]: ``about_y`` is the integral of z^2."""

    area: Real
    torsion: Real
    about_y: Real
    about_z: Real

    def moduli(self, material: Material, shear_factors: tuple[float, float]) -> Vector:
        """The six diagonal entries of what takes strains to stresses, per unit of Young's modulus."""
        shear = 1 / (2 * (1 + mp.mpf(material.poisson_ratio)))
        along_y, along_z = (mp.mpf(factor) * shear * self.area for factor in shear_factors)
        return [shear * self.torsion, self.about_y, self.about_z, self.area, along_y, along_z]

    @property
    def losses(self) -> Vector:
        """The six diagonal entries of what takes rates of strain to stresses, per unit of viscosity."""
        return [self.torsion, 3 * self.about_y, 3 * self.about_z, 3 * self.area, self.area, self.area]


def value_at(text: str, x: Real) -> Real:
    """An expression in ``x`` [m]."""
    return mp.mpf(BeamExpression(text).over(x, mp))


def section_at(section: Section, x: Real) -> SectionNumbers:
    """The section at x [m] from the root.

    Raises
    ------
    VerificationError
        A shape that the oracle does not know.
    """
    match section.shape:
        case "circle":
            return _ring(value_at(section.radius, x), mp.mpf(0))
        case "ring":
            return _ring(value_at(section.radius, x), value_at(section.inner_radius, x))
        case "rectangle":
            width, height = value_at(section.width, x), value_at(section.height, x)
            about_y, about_z = width * height**3 / 12, height * width**3 / 12
            return SectionNumbers(width * height, rectangle_torsion(width, height), about_y, about_z)
        case "numbers":
            given = (section.area, section.second_moment_x, section.second_moment_y, section.second_moment_z)
            return SectionNumbers(*(value_at(text, x) for text in given))
    raise VerificationError(f"section '{section.shape}': expected circle, ring, rectangle or numbers")


def _ring(outer: Real, inner: Real) -> SectionNumbers:
    second = mp.pi * (outer**4 - inner**4) / 4
    return SectionNumbers(mp.pi * (outer**2 - inner**2), 2 * second, second, second)


def rectangle_torsion(width: Real, height: Real) -> Real:
    """Saint-Venant's torsion constant.

    With sides a >= b it is ``a b^3 (1/3 - 64 b / (pi^5 a) sum tanh(n pi a / 2 b) / n^5)`` over odd n. The tangents are
    ``1 - 2 / (exp(n pi a / b) + 1)``, and the ones add up to 31/32 zeta(5); what is left falls by 535 at least from one
    term to the next.
    """
    long, short = max(width, height), min(width, height)
    ratio, n, total = long / short, 1, mp.mpf(31) / 32 * mp.zeta(5)
    rest = mp.mpf(1)
    while rest > mp.eps:
        rest = 2 / (n**5 * (mp.exp(n * mp.pi * ratio) + 1))
        total -= rest
        n += 2
    return long * short**3 * (mp.mpf(1) / 3 - 64 * total / (mp.pi**5 * ratio))
