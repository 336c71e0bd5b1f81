"""Elimination of many rows at once, block by block: the joint of a flexible link's tip with more rows than a few.

With the columns S of the joint, the inertia I that it moves, the link's own mass D_0 and its coupling U_0 to the
parent, rows are ordered as the free ones, the prescribed ones, and the six directions of the parent's acceleration, so
that all that is requested is one symmetric matrix, of which the free rows F are eliminated:

    K = (D  U^T; U  I_P),   D = S^T I S + D_0,   U = X I S + U_0,   I_P = X I X^T,   K_FF = L E L^T,
    K_RF = L_R E L^T,   K_RC <- K_RC - L_R E L_C^T

where X leads wrenches to the parent. What is left of I_P is what the parent feels. A solution starts from the rests
u = t - tau and the wrench p,

    L y_F = u_F,   u_R <- u_R - L_R y_F,   then outward   L^T a_F = -E^-1 y_F - L_P^T A,   t_C = u_C + U_C^T A.

Rows go in chunks of eight, which are the lanes of the visits here: a visit per block of K and of L, as n^3 / 3072 of
them instead of n^3 / 6 updates of single entries. A chunk has as many rows as all others; what it lacks are rows of the
unit matrix, and the lanes behind them are rows of zeros, so that no lane holds anything but numbers that take part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.vectors import Vector
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Mode, Port, Step

LANES = 8
"""Rows of a chunk, with those that fill it up."""
COLUMN = 6
"""Scalars of a column of S, and of a wrench."""


def block_products(left: Sequence[Scalar], right: Sequence[Scalar], start: Scalar = 0.0) -> Scalar:
    """A number and a sum of products."""
    for x, y in zip(left, right, strict=True):
        start = start + x * y
    return start


def _wrenches(_: Any, __: Any, ___: Any, reads: Reads) -> Writes:
    """I times a row's column."""
    inertia = reads["inertia"]
    return {"wrench": [block_products(inertia[COLUMN * k : COLUMN * (k + 1)], reads["column"]) for k in range(COLUMN)]}


def _entries(columns: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """A row of a block of D."""
    wrenches = [reads["wrenches"][place::LANES] for place in range(columns)]
    return {
        "entries": [
            block_products(reads["column"], wrench, mass)
            for wrench, mass in zip(wrenches, reads["masses"], strict=True)
        ]
    }


def _couplings(columns: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """One direction of a block of U."""
    return {
        "coupled": [
            block_products(reads["carried"], reads["columns"][place::LANES], own)
            for place, own in zip(range(columns), reads["own"], strict=True)
        ]
    }


def _pivots(size: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """L E L^T of a block on the diagonal: L below the diagonal, row by row, and -E^-1."""
    lower: list[list[Scalar]] = []
    pivots: list[Scalar] = []
    scaled: list[list[Scalar]] = []
    for row in range(size):
        lower.append([])
        scaled.append([])
        for column in range(row + 1):
            entry = reads["entries"][LANES * column + row]
            for before in range(column):
                entry = entry + scaled[row][before] * lower[column][before]
            if column == row:
                pivots.append(-1.0 / entry)
            else:
                scaled[row].append(-entry)
                lower[row].append(scaled[row][column] * pivots[column])
    return {"lower": [x for found in lower for x in found], "pivots": pivots}


def row_of(lower: Sequence[Scalar], row: int) -> Sequence[Scalar]:
    """Row of a unit lower triangle that is stored row by row, without the diagonal."""
    start = row * (row - 1) // 2
    return lower[start : start + row]


def _panel(size: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """A row of L below a block on the diagonal, and of -L E."""
    scaled: list[Scalar] = []
    for column in range(size):
        entry = reads["entries"][column]
        for x, y in zip(scaled, row_of(reads["lower"], column), strict=True):
            entry = entry + x * y
        scaled.append(-entry)
    return {"scaled": scaled, "factor": [x * pivot for x, pivot in zip(scaled, reads["pivots"], strict=True)]}


def _update(columns: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """A row of a block of K once the free rows of another one give way."""
    return {
        "left": [
            block_products(reads["scaled"], reads["factor"][place::LANES], entry)
            for place, entry in zip(range(columns), reads["entries"], strict=True)
        ]
    }


def _forward(size: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """-y of a chunk: its rests, the earlier chunks' taken off, with L y = u."""
    solved: list[Scalar] = []
    for row in range(size):
        rest = reads["rest"][row]
        for x, y in zip(solved, row_of(reads["lower"], row), strict=True):
            rest = rest + x * y
        solved.append(-rest)
    return {"solved": solved}


def _handed(_: Any, __: Any, ___: Any, reads: Reads) -> Writes:
    """What -y of a chunk adds to the rest of a later row."""
    return {"rest": [block_products(reads["factor"], reads["solved"])]}


def _lifted(size: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """What the accelerations of later rows add to what drives the rows of a chunk."""
    moved = [-x for x in reads["moved"]]
    return {
        "joint_force_residual": [
            block_products(reads["factor"][LANES * row :][: len(moved)], moved) for row in range(size)
        ]
    }


def _backward(size: int, __: Any, ___: Any, reads: Reads) -> Writes:
    """The accelerations of a chunk's rows, with L^T a = z."""
    found: list[Scalar] = [0.0] * size
    for row in reversed(range(size)):
        total = reads["joint_force_residual"][row]
        for other in range(row + 1, size):
            total = total - row_of(reads["lower"], other)[row] * found[other]
        found[row] = total
    return {"moved": found}


def block_step(name: str, kernel: Any, reads: str, writes: str = "", adds: str = "") -> Step:
    """A step of blocks, with the names of its ports."""
    modes = ((reads, Mode.READ), (writes, Mode.WRITE), (adds, Mode.ADD))
    return Step(f"block_{name}", kernel, tuple(Port(port, mode) for names, mode in modes for port in names.split()))


WRENCHES = block_step("wrenches", _wrenches, "inertia column", "wrench")
ENTRIES = block_step("entries", _entries, "column wrenches masses", "entries")
COUPLINGS = block_step("couplings", _couplings, "carried columns own", "coupled")
PIVOTS = block_step("pivots", _pivots, "entries", "lower pivots")
PANEL = block_step("panel", _panel, "entries lower pivots", "scaled factor")
UPDATE = block_step("update", _update, "scaled factor entries", "left")
FORWARD = block_step("forward", _forward, "rest lower", "solved")
HAND_ON = block_step("hand_on", _handed, "factor solved", "", "rest")
LIFT = block_step("lift", _lifted, "factor moved", "", "joint_force_residual")
BACKWARD = block_step("backward", _backward, "joint_force_residual lower", "moved")


def in_lanes(vector: Vector) -> list[Scalar]:
    """A wrench, or a column, filled up with zeros to the lanes of a chunk."""
    return [*vector, *[0.0] * (LANES - len(vector))]
