"""Natural modes of a rod at rest that is held at its root and carries nothing: K phi = omega^2 M phi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symdyn.description.soft import Soft, Strain
from symdyn.errors import ModelError
from symdyn.model.clamped_rod import ClampedRod, clamped_rod

Array = np.ndarray[Any, Any]
_STILL = 1e-12
_COUPLED = 1e-9
"""Entries of K and M, scaled to diagonals of 1, below which coordinates have nothing to do with each other."""


@dataclass(frozen=True, slots=True, eq=False)
class RodMode:
    """One mode.

    Attributes
    ----------
    frequency
        Without losses [rad/s].
    damping
        Ratio of critical damping, 0 without losses. Above 1 the mode creeps back.
    strains
        Shares of the strains that are active in it in its elastic energy, the largest first; they add up to 1.
    shape
        Of all ends of steps, how far they move and, in the last three columns, turn, in the root's axes (steps, 6):
        scaled to 1 m of the largest move, to 1 rad where nothing but turns is left, or to a coordinate of 1 where the
        centre line rests.
    coordinates
        What the rod's coordinates are then (n,).
    """

    frequency: float
    damping: float
    strains: tuple[tuple[str, float], ...]
    shape: Array
    coordinates: Array


@dataclass(frozen=True, slots=True)
class RodModes:
    """The modes of a rod, the slowest first; ``places`` [m] are those of the ends of its steps along it."""

    places: tuple[float, ...]
    modes: tuple[RodMode, ...]


def rod_modes(soft: Soft) -> RodModes:
    """The modes of a rod whose stations are known, and whose matter has numbers.

    Coordinates that have nothing to do with each other are solved for apart, so that modes of equal frequency in two
    planes stay in these planes.
    """
    from symdyn.shapes.rod import rod_tables

    assert soft.stations is not None
    tables = rod_tables(soft, soft.stations)
    at_rest = clamped_rod(tables, np.zeros((1, soft.coordinates)))
    at_rest = replace(at_rest, moves=at_rest.moves[list(tables.chain)])
    stiffness, damping, mass = np.array(tables.stiffness), np.array(tables.damping), at_rest.mass[0]
    found: list[RodMode] = []
    for own in _apart(stiffness, mass):
        block = np.ix_(own, own)
        try:
            root = np.linalg.inv(np.linalg.cholesky(mass[block]))
        except np.linalg.LinAlgError as failure:
            raise ModelError("its mass matrix at rest is singular; give more stations") from failure
        squares, vectors = np.linalg.eigh(root @ stiffness[block] @ root.T)
        for square, vector in zip(squares.tolist(), (root.T @ vectors).T, strict=True):
            coordinates = np.zeros(len(mass))
            coordinates[own] = vector
            frequency = float(np.sqrt(max(square, 0.0)))
            ratio = float(vector @ damping[block] @ vector) / (2.0 * frequency) if frequency else 0.0
            strains = _shares(soft, tables.moved, stiffness, coordinates)
            found.append(_scaled(frequency, ratio, strains, at_rest, coordinates))
    places = np.cumsum([tables.steps[number].length for number in tables.chain])
    return RodModes(tuple(places.tolist()), tuple(sorted(found, key=lambda mode: mode.frequency)))


def _apart(stiffness: Array, mass: Array) -> list[list[int]]:
    """Coordinates in groups that neither K nor M couples."""
    coupled = np.zeros(mass.shape, bool)
    for matrix in (stiffness, mass):
        scale = np.sqrt(np.diag(matrix))
        coupled |= np.abs(matrix) > _COUPLED * np.outer(scale, scale)
    left, found = set(range(len(mass))), []
    while left:
        group, edge = set(), {min(left)}
        while edge:
            group |= edge
            edge = {int(j) for i in edge for j in np.flatnonzero(coupled[i])} - group
        found.append(sorted(group))
        left -= group
    return found


def _shares(
    soft: Soft, moved: Sequence[Sequence[int]], stiffness: Array, coordinates: Array
) -> tuple[tuple[str, float], ...]:
    """Elastic energy by strain; that of a coupled coordinate goes by its own name."""
    names = [own.strain.value for own in soft.strains for _ in range(own.count)]
    names += [*(own.name for own in soft.coupled), *("section" for _ in soft.section_shapes)]
    energies = coordinates * (stiffness @ coordinates)
    found: dict[str, float] = {}
    for name, energy in zip(names, energies.tolist(), strict=True):
        found[name] = found.get(name, 0.0) + energy
    total = sum(found.values())
    order = {strain.value: place for place, strain in enumerate(Strain)}
    ranked = sorted(found.items(), key=lambda item: (-round(item[1] / total, 9), order.get(item[0], len(order))))
    return tuple((name, energy / total) for name, energy in ranked)


def _scaled(
    frequency: float, damping: float, strains: tuple[tuple[str, float], ...], at_rest: ClampedRod, coordinates: Array
) -> RodMode:
    shape = at_rest.moves @ coordinates
    length = float(np.max(np.linalg.norm(shape[:, :3], axis=1)))
    turn = float(np.max(np.linalg.norm(shape[:, 3:], axis=1)))
    moves = length > _COUPLED * turn
    scale, tip = (length, shape[-1][:3]) if moves else (turn, shape[-1][3:])
    if scale <= _STILL * np.max(np.abs(coordinates)):  # sections breathe, and the line of their centres rests
        scale, tip = float(np.max(np.abs(coordinates))), coordinates
    sign = -1.0 if tip[np.argmax(np.abs(tip))] < 0.0 else 1.0
    return RodMode(frequency, damping, strains, sign * shape / scale, sign * coordinates / scale)
