"""What a robot file says of its own loading."""

from __future__ import annotations

from dataclasses import dataclass

Lock = float | tuple[float, ...]
"""Coordinate of a joint [rad or m], or its rows of q in order."""
CONVENTIONS = ("pinocchio", "spatial", "mujoco")


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """Options of ``symdyn.load`` that hold where the caller gives none.

    ``floating_base`` and ``gravity`` are properties of the description itself. ``locked_joints`` are pairs of name and
    coordinates, in order.
    """

    locked_joints: tuple[tuple[str, Lock], ...] = ()
    runtime: tuple[str, ...] = ()
    joint_losses: bool = False
    convention: str = CONVENTIONS[0]
