"""Bounds of torques along a motion, by the numbers of the robot's file: what room they leave, and its slopes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.identification.columns import Columns
from symdyn.generation.generate import compile
from symdyn.interface.records import dataclass

Array = NDArray[np.float64]
_HALVINGS = 40


@dataclass(frozen=True)
class Efforts:
    """Torques of a robot up to ``limits`` (nv,), which are infinite where there is no bound."""

    columns: Columns
    limits: Array

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Rows of tau that are bounded."""
        return np.flatnonzero(np.isfinite(np.broadcast_to(self.limits, self.columns.robot.nv)))

    @cached_property
    def _partials(self) -> Any:
        return compile(self.columns.robot, ["inverse_dynamics_partials"], lanes=False)

    def room(self, q: Array, v: Array, a: Array) -> Array:
        """Shares of the limits that torques leave in both directions, flat; at least 0 within the bounds."""
        shares = self.columns.torques(q, v, a)[:, self.rows] / self.limits[self.rows]
        return np.stack([1.0 - shares, 1.0 + shares]).ravel()

    def slopes(self, motion: tuple[Array, ...], moves: tuple[Array, ...]) -> Array:
        """Derivatives of :meth:`room` by coefficients of the motion.

        Parameters
        ----------
        motion
            q, v and a (n, nv).
        moves
            How q, v and a of each joint change with its own coefficients: (n, k) each.

        Returns
        -------
        (2 n rows, nv k): coefficients joint by joint.
        """
        count, nv = motion[1].shape
        by = self._partials.inverse_dynamics_partials(*motion)
        found = sum(
            part[:, self.rows, :, None] * move[:, None, None, :] for part, move in zip(by[:3], moves, strict=True)
        )
        shares = (found / self.limits[self.rows, None, None]).reshape(count * len(self.rows), nv * moves[0].shape[1])
        return np.concatenate([-shares, shares])

    def share_within(self, centre: Array, moving: tuple[Array, ...]) -> float:
        """The largest found share of a motion about a centre (nv,) that stays within the bounds; 0 where none does."""
        if not self.rows.size or self._held(centre, moving, 1.0):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self._held(centre, moving, middle) else (low, middle)
        return low

    def _held(self, centre: Array, moving: tuple[Array, ...], share: float) -> bool:
        q, v, a = (share * part for part in moving)
        return bool(self.room(centre + q, v, a).min() >= 0.0)
