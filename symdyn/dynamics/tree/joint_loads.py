"""What a joint itself does to its coordinates: followers scale them, and losses act on them.

Losses and their slopes count as part of tau in inverse dynamics.

With the joint's own rate w (the multiplier times the leader's rate, for a mimic joint):
tau_loss = d w + F tanh(w / v_s), or d w + F sign(w) where no velocity scale v_s is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from symdyn.dynamics.tree.tree import BodyVariant
from symdyn.scalars.algebra import Algebra, Scalar


class Driven(Protocol):
    """A variant that tells whether its joint follows another one's rows, scaled by a multiplier."""

    @property
    def mimic(self) -> bool:
        """Whether it does."""


def own_coordinates(variant: Driven, constants: Mapping[str, Scalar], q: Sequence[Scalar]) -> list[Scalar]:
    """The joint's own coordinates from the rows of q that move it."""
    return [constants["multiplier"] * q[0] + constants["offset"]] if variant.mimic else list(q)


def own_rates(variant: Driven, constants: Mapping[str, Scalar], rates: Sequence[Scalar]) -> list[Scalar]:
    """Rates (or their rates) of the joint's own coordinates from the rows of v (or a) that move it."""
    return [constants["multiplier"] * rate for rate in rates] if variant.mimic else list(rates)


def losses(
    variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], v: Sequence[Scalar]
) -> list[Scalar]:
    """Loss forces of a joint's own coordinates [N m or N], before a mimic joint's multiplier is applied.

    ``v`` holds the rows of v that move the joint; the constants are those of ``tree.LOSS`` and ``multiplier``.
    """
    found: list[Scalar] = []
    for own in own_rates(variant, constants, v):
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
    for own in own_rates(variant, constants, v):
        slope: Scalar = constants["damping"] if variant.damped else 0.0
        if variant.friction == "smooth":
            share = algebra.function("tanh", constants["velocity_rate"] * own)
            slope = slope + constants["friction"] * constants["velocity_rate"] * (1.0 - share * share)
        found.append(slope)
    return found


def bias_free_accelerations(free: Sequence[bool], given: Sequence[Scalar]) -> list[Scalar]:
    """Accelerations of a joint's rows as the bias has them: the prescribed ones, and zero."""
    return [0.0 if is_free else value for is_free, value in zip(free, given, strict=True)]
