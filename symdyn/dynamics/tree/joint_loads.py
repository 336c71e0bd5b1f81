"""What a joint itself does to its own coordinates: losses, which count as part of tau in inverse dynamics.

With a rate w of an own coordinate: tau_loss = d w + F tanh(w / v_s), or d w + F sign(w) where no velocity scale v_s is
given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.tree.body_variant import BodyVariant


def losses(
    variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], v: Sequence[Scalar]
) -> list[Scalar]:
    """Loss forces per own coordinate of a joint [N m or N].

    ``v`` holds the rows of v that move the joint; the constants are those of ``tree.LOSS`` and of the joint's columns.
    """
    found: list[Scalar] = []
    for own in variant.kind.coordinate_map.rates(v, constants):
        lost: Scalar = constants["damping"] * own if variant.damped else 0.0
        if variant.friction == "smooth":
            lost = lost + constants["friction"] * algebra.function("tanh", constants["velocity_rate"] * own)
        elif variant.friction == "sharp":
            lost = lost + constants["friction"] * algebra.function("sign", own)
        found.append(lost)
    return found


def loss_slopes(
    variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], v: Sequence[Scalar]
) -> list[Scalar]:
    """Derivatives of :func:`losses` by the own rates, d + F / v_s (1 - tanh^2(w / v_s)); sharp friction counts 0."""
    found: list[Scalar] = []
    for own in variant.kind.coordinate_map.rates(v, constants):
        slope: Scalar = constants["damping"] if variant.damped else 0.0
        if variant.friction == "smooth":
            share = algebra.function("tanh", constants["velocity_rate"] * own)
            slope = slope + constants["friction"] * constants["velocity_rate"] * (1.0 - share * share)
        found.append(slope)
    return found


def bias_free_accelerations(free: Sequence[bool], given: Sequence[Scalar]) -> list[Scalar]:
    """Accelerations of a joint's rows as the bias has them: the prescribed ones, and zero."""
    return [0.0 if is_free else value for is_free, value in zip(free, given, strict=True)]
