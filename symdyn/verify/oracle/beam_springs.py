"""What resists the bending of a beam: the second derivative of its strain energy, and damping."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.description.flexible import HUB_AXIS, Basis, Direction, Flexible, Modes
from symdyn.verify.base.dense import Rows, matrix_product, zero_matrix
from symdyn.verify.base.matrices import Real
from symdyn.verify.base.quadrature import Rule
from symdyn.verify.oracle.beam_shapes import BENDING, Family, profile_at, strain_order


def family_springs(flexible: Flexible, family: Family, rule: Rule) -> tuple[Rows, Rows]:
    """Stiffness and damping of the coordinates of one direction.

    Parameters
    ----------
    flexible
        The link.
    family
        The direction's shapes s: stiffness is the integral of E I s_k'' s_l'', or of G J s_k' s_l', E A s_k' s_l'.
    rule
        Nodes and weights that integrate along the whole beam.
    """
    size = len(family.shapes)
    K, M = zero_matrix(size, size), zero_matrix(size, size)
    for x, weight in rule:
        _add_products(K, weight * profile_at(family.modes.stiffness, x), family.values(x, strain_order(family)))
        _add_products(M, weight * _inertia(flexible, family, x), family.values(x, 0))
    _add_ends(M, flexible, family)
    if family.modes.basis is Basis.PINNED_HUB:
        _free_hub(M, flexible, family, rule)
    return K, _damping(family.modes, K, M)


def _inertia(flexible: Flexible, family: Family, x: Real) -> Real:
    """Mass per length, or moment of inertia per length about the beam's axis."""
    if family.modes.direction is not Direction.TORSION:
        return profile_at(flexible.mass_per_length, x)
    return mp.fsum(profile_at(profile, x) for profile in flexible.section_inertia or ())


def _add_ends(M: Rows, flexible: Flexible, family: Family) -> None:
    """What the boundary conditions of a basis add to the masses of its modes."""
    bends, tip = family.modes.direction in BENDING, mp.mpf(flexible.length)
    if family.modes.basis is Basis.CLAMPED_TIP_MASS:
        load = flexible.tip_inertia if family.modes.direction is Direction.TORSION else flexible.tip_mass
        _add_products(M, mp.mpf(load), family.values(tip, 0))
        if bends:
            _add_products(M, mp.mpf(flexible.tip_inertia), family.values(tip, 1))


def _free_hub(M: Rows, flexible: Flexible, family: Family, rule: Rule) -> None:
    """Take from the masses of shapes seen from a hub what that hub swings back, where nothing holds it.

    With its turn a free coordinate of inertia I and coupling c to the shapes, the masses become ``M - c c^T / I``.
    """
    inertia = mp.mpf(flexible.hub_inertia[HUB_AXIS[family.modes.direction]])
    coupled = [mp.mpf(0)] * len(M)
    for x, weight in rule:
        mass = weight * _inertia(flexible, family, x)
        inertia += mass * x**2
        coupled = [total + mass * x * value for total, value in zip(coupled, family.values(x, 0), strict=True)]
    _add_products(M, -1 / inertia, coupled)


def _add_products(total: Rows, weight: Real, values: Sequence[Real]) -> None:
    for row, left in enumerate(values):
        for column, right in enumerate(values):
            total[row][column] += weight * left * right


def _damping(modes: Modes, K: Rows, M: Rows) -> Rows:
    """Of a Kelvin-Voigt material, or with a ratio for each mode of this direction alone.

    With the solutions w, u of ``K u = w^2 M u`` and u^T M u = 1, the ratios z make ``D = sum 2 z w (M u) (M u)^T``.
    """
    size = len(K)
    if not modes.damping_ratios:
        return [[mp.mpf(modes.retardation_time) * value for value in row] for row in K]
    lower = mp.cholesky(mp.matrix(M))
    inward = mp.inverse(lower)
    squares, vectors = mp.eigsy(inward * mp.matrix(K) * inward.T)  # ascending
    ratios = [mp.mpf(ratio) for ratio in modes.damping_ratios]
    weights = [2 * ratio * mp.sqrt(square) for ratio, square in zip(ratios, squares, strict=True)]
    turned = lower * vectors
    columns = [[turned[row, mode] for mode in range(size)] for row in range(size)]
    weighted = [[value * weight for value, weight in zip(row, weights, strict=True)] for row in columns]
    return matrix_product(weighted, [list(row) for row in zip(*columns, strict=True)])
