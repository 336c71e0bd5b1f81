"""Elimination of a cluster: bodies that share coordinates, taken as one joint with many frames.

Seen from the parent P that the whole cluster hangs on, unit acceleration of row r asks for the wrench U_r (6,) at P and
the forces D_rs at all rows of the cluster. Inside, U and D grow from the leaves to P as in the composite-body method;
an acceleration A of P then meets

    F = I A + sum_r U_r a_r + p,    tau_r = U_r^T A + sum_s D_rs a_s + t_r

and the free rows are eliminated one by one, the last first (L D L^T), with d = -1 / D_rr, g = d U_r, l_s = d D_sr,
and u = t - tau:

    D_st <- D_st + l_s D_rt,   U_s <- U_s + l_s U_r,   I <- I + g U_r^T,   u_s <- u_s + l_s u_r,   p <- p + g u_r

The columns of a joint that follows others are those of its leaders' rows: tau = G^T tau_full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.articulated import ArticulatedInertia
from symdyn.algebra.spatial.vectors import Vector, add, dot
from symdyn.dynamics.elements.tip import TipColumn
from symdyn.dynamics.forward_dynamics.elimination import GAIN_SIZE, Direction

Column = Direction | TipColumn
Columns = Mapping[int, Sequence[Scalar]]
"""A wrench (f; n), (6,), per row of the cluster."""


@dataclass(frozen=True, slots=True)
class ClusterBlock:
    """What a cluster shows its parent: I in its frame, U per row, and D."""

    inertia: ArticulatedInertia | None
    columns: Columns
    matrix: Sequence[Sequence[Scalar]]


def gain_size(rows: int) -> int:
    """Scalars that a row keeps for the solution: d, g (6,), and l towards every row of the cluster."""
    return GAIN_SIZE + rows


def add_body(
    inertia: ArticulatedInertia,
    below: Columns,
    matrix: list[list[Scalar]],
    columns: Sequence[Column],
    rows: Sequence[int],
) -> Columns:
    """Let a body's own rows move it and all that it carries.

    Parameters
    ----------
    inertia
        Of the body and all that it carries.
    below
        U of the rows that move bodies behind this one, at its origin.
    matrix
        D, added to in place.
    columns, rows
        The columns of S of the body's joint, and the cluster's rows that they belong to.

    Returns
    -------
    U of all rows that move the body or bodies behind it, at its origin.
    """
    own = [column.wrench(inertia) for column in columns]
    for place, row in enumerate(rows):
        for other, wrench in below.items():
            shared = columns[place].share(wrench)
            matrix[row][other] = matrix[row][other] + shared
            matrix[other][row] = matrix[other][row] + shared
        matrix[row][row] = matrix[row][row] + columns[place].share(own[place])
        for before in range(place):
            shared = columns[before].share(own[place])
            matrix[row][rows[before]] = matrix[row][rows[before]] + shared
            matrix[rows[before]][row] = matrix[rows[before]][row] + shared
    wrenches = dict(below)
    for row, wrench in zip(rows, own, strict=True):
        wrenches[row] = add(wrenches[row], wrench) if row in wrenches else wrench
    return wrenches


def eliminate_rows(block: ClusterBlock, free: Sequence[bool]) -> tuple[ArticulatedInertia | None, list[list[Scalar]]]:
    """The inertia that the parent feels once the free rows give way, and what the solution needs of every row."""
    count = len(free)
    matrix = [list(row) for row in block.matrix]
    columns = {row: list(wrench) for row, wrench in block.columns.items()}
    inertia = block.inertia
    gain_rows: list[list[Scalar]] = [[0.0] * gain_size(count) for _ in free]
    left = list(range(count))
    for row in reversed(range(count)):
        if not free[row]:
            continue
        left.remove(row)
        d = -1.0 / matrix[row][row]
        wrench = columns[row]
        gain = [d * x for x in wrench]
        slopes: list[Scalar] = [0.0] * count
        for other in left:
            slopes[other] = d * matrix[other][row]
        for other in left:
            columns[other] = [x + slopes[other] * y for x, y in zip(columns[other], wrench, strict=True)]
            for second in left:
                if second <= other:
                    entry = matrix[other][second] + slopes[other] * matrix[second][row]
                    matrix[other][second] = matrix[second][other] = entry
        if inertia is not None:
            inertia = inertia.plus_product(gain, wrench)
        gain_rows[row] = [d, *gain, *slopes]
    for row in left:
        gain_rows[row][1:GAIN_SIZE] = columns[row]
    return inertia, gain_rows


def aba_bias_rows(
    wrench: Vector, rests: Sequence[Scalar], free: Sequence[bool], gain_rows: Sequence[Vector]
) -> tuple[list[Scalar], list[Scalar]]:
    """Inward half of the solution.

    Parameters
    ----------
    wrench
        Bias wrench p of the whole cluster and all that it carries, at the parent, (6,).
    rests
        Per row t - tau, or t where the acceleration is prescribed.
    free, gains
        As for :func:`eliminate_rows`.

    Returns
    -------
    Per row d u, or the force t of a prescribed row; and the wrench p that the parent feels.
    """
    rests, carried = list(rests), list(wrench)
    drives: list[Scalar] = [0.0] * len(rests)
    for row in reversed(range(len(free))):
        if not free[row]:
            continue
        d, gain, slopes = gain_rows[row][0], gain_rows[row][1:GAIN_SIZE], gain_rows[row][GAIN_SIZE:]
        drives[row] = d * rests[row]
        carried = [x + g * rests[row] for x, g in zip(carried, gain, strict=True)]
        for other in range(len(free)):
            if other < row or not free[other]:
                rests[other] = rests[other] + slopes[other] * rests[row]
    for row, is_free in enumerate(free):
        if not is_free:
            drives[row] = rests[row]
    return drives, carried


def aba_acceleration_rows(
    motion: Vector, drives: Sequence[Scalar], free: Sequence[bool], gain_rows: Sequence[Vector]
) -> list[Scalar]:
    """Outward half: per row the acceleration, or the force of a prescribed row, for the parent's acceleration."""
    found: list[Scalar] = [
        joint_force_residual + (0.0 if is_free else dot(gain[1:GAIN_SIZE], motion))
        for joint_force_residual, is_free, gain in zip(drives, free, gain_rows, strict=True)
    ]
    for row, is_free in enumerate(free):
        if not is_free:
            continue
        gain, slopes = gain_rows[row][1:GAIN_SIZE], gain_rows[row][GAIN_SIZE:]
        found[row] = drives[row] + dot(gain, motion)
        for other in range(row):
            if free[other]:
                found[row] = found[row] + slopes[other] * found[other]
    return found
