"""How many stations a rod needs, where its file leaves that open, and whether its steps turn too far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from symdyn.description.soft import Soft
from symdyn.errors import ModelError
from symdyn.model.clamped_rod import ClampedRod, clamped_rod

Array = np.ndarray[Any, Any]
ENOUGH = 1e-6
"""Change of mass matrix, weight and tip by twice as many stations that is taken as none."""
USUAL_TURN, USUAL_STRAIN = 1.5, 0.1
"""Usual states: what twist and either curvature turn over the rod's length [rad], and how large linear strains are."""
_STATES, _SEED, _SAMPLES = 20, 14, 65
_LADDER = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_MOST_NODES, _SINGULAR = 256, 1e12


@dataclass(frozen=True, slots=True)
class Stations:
    """Gauss points per piece of a rod.

    Attributes
    ----------
    number
        How many.
    error
        The relative change by twice as many, in usual states.
    turn
        The most that a step turns in usual states [rad].
    mass_condition
        Condition number of the mass matrix at rest, all coordinates scaled to a mass of 1.
    """

    number: int
    error: float
    turn: float
    mass_condition: float


@lru_cache(maxsize=64)
def rod_stations(soft: Soft) -> Stations:
    """The stations that a rod was given, or as few as will do: doubling them changes nothing by more than ENOUGH.

    Raises
    ------
    ModelError
        Steps that turn more than ``soft.max_turn_per_step`` in usual states, stations too few to tell coordinates
        apart, or none that are enough.
    DescriptionError
        Whatever :func:`symdyn.shapes.rod.rod_tables` refuses.
    """
    pieces = len(soft.pieces)
    ladder = [number for number in _LADDER if number == _LADDER[0] or number * pieces <= _MOST_NODES]
    for number in ladder if soft.stations is None else [soft.stations]:
        found = assessed(soft, number)
        if soft.stations is None and found.error > ENOUGH:
            continue
        if found.turn <= soft.max_turn_per_step and found.mass_condition <= _SINGULAR:
            return found
    _refuse_wide(soft, found)
    if found.mass_condition > _SINGULAR:
        raise ModelError(
            f"{found.number} stations per piece do not tell the rod's {soft.coordinates} coordinates apart: its mass "
            f"matrix at rest has the condition number {found.mass_condition:.1e}; give more stations, or leave them "
            "out to have them found"
        )
    raise ModelError(
        f"no number of stations up to {ladder[-1]} per piece will do: twice as many still change the mass matrix, the "
        f"weight or the tip by {found.error:.1e}; choose 'magnus: 6', smoother functions or sections, or give "
        "'stations'"
    )


def assessed(soft: Soft, number: int) -> Stations:
    """What a number of stations is worth."""
    coarse, fine = _usual(soft, number), _usual(soft, 2 * number)
    at_rest = clamped_rod(_tables(soft, number), np.zeros((1, soft.coordinates))).mass[0]
    scale = np.sqrt(np.diag(at_rest))
    condition = float(np.linalg.cond(at_rest / np.outer(scale, scale)))
    return Stations(number, _change(soft, coarse, fine), coarse.turn, condition)


def usual_states(soft: Soft) -> Array:
    """Random states (states, n), the same for every number of stations; the first is at rest."""
    from symdyn.shapes.section_radii import section_reach
    from symdyn.shapes.strain_basis import strain_field

    field = strain_field(soft)
    values = field((np.arange(_SAMPLES) + 0.5) / _SAMPLES * soft.length)
    shares = np.bincount([row for rows in field.moved for row in rows], minlength=6)
    reach = [
        min(
            (USUAL_TURN / soft.length if row > 2 else USUAL_STRAIN) / (np.max(np.abs(value)) * np.sqrt(shares[row]))
            for row, value in zip(rows, own, strict=True)
        )
        for rows, own in zip(field.moved, values, strict=True)
    ]
    reach += section_reach(soft)
    drawn = np.random.default_rng(_SEED).uniform(-1.0, 1.0, (_STATES, len(reach))) * np.array(reach)
    return np.vstack([np.zeros((1, len(reach))), drawn])


@lru_cache(maxsize=16)
def _usual(soft: Soft, number: int) -> ClampedRod:
    return clamped_rod(_tables(soft, number), usual_states(soft))


def _tables(soft: Soft, number: int) -> Any:
    from symdyn.shapes.rod import rod_tables

    return rod_tables(soft, number)


def _change(soft: Soft, coarse: ClampedRod, fine: ClampedRod) -> float:
    """The largest change, relative to the mass and weight of what moves the same strains, and to the length."""
    tables = _tables(soft, 2)
    diagonals = np.einsum("sii->si", fine.mass)
    scale = np.empty_like(diagonals)
    for rows in set(tables.moved):
        alike = [i for i, own in enumerate(tables.moved) if own == rows and i < soft.strain_coordinates]
        alike = alike or list(range(soft.strain_coordinates, soft.coordinates))
        scale[:, alike] = np.sqrt(np.max(diagonals[:, alike], axis=1, keepdims=True))
    changes = (
        (coarse.mass - fine.mass) / (scale[:, :, None] * scale[:, None, :]),
        (coarse.weight - fine.weight) / (scale[:, :, None] * np.sqrt(tables.mass)),
        coarse.rotation - fine.rotation,
        (coarse.position - fine.position) / soft.length,
    )
    return max(float(np.max(np.abs(change))) for change in changes)


def _refuse_wide(soft: Soft, found: Stations) -> None:
    if found.turn > soft.max_turn_per_step:
        more = int(np.ceil(soft.substeps * found.turn / soft.max_turn_per_step))
        raise ModelError(
            f"a step of the rod turns {found.turn:.3g} rad where twist and curvatures turn the rod by up to "
            f"{USUAL_TURN:g} rad each, expected at most max_turn_per_step, {soft.max_turn_per_step:g} rad; use more "
            f"stations than {found.number} per piece, 'substeps: {more}', or a larger max_turn_per_step"
        )
