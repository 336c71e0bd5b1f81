"""A problem at its nodes; and nodes whose states hold the inputs of the step before, for changes of inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.control.robot_nodes import RobotNodes

Array = NDArray[np.float64]


class Nodes(Protocol):
    """A problem at its nodes: x = (q, v), n rows of (dq, dv), m of u, y what is given; node N is the last."""

    @property
    def count(self) -> int:
        """N."""

    def step(self, x: Array, u: Array, y: Array) -> Array:
        """The state after a step."""

    def slopes(self, x: Array, u: Array, y: Array) -> tuple[Array, Array, Array]:
        """The state after a step, A (n, n) and B (n, m)."""

    def cost(self, k: int, x: Array, u: Array, y: Array) -> float:
        """The cost of a node."""

    def cost_slopes(self, k: int, x: Array, u: Array, y: Array) -> tuple[float, Array, Array, Array, Array, Array]:
        """Cost, l_x (n,), l_u (m,), l_xx (n, n), l_ux (m, n), l_uu (m, m)."""

    def curvature(self, x: Array, u: Array, y: Array, weights: Array) -> tuple[Array, Array, Array]:
        """Second derivatives of a step times multipliers l: by x, by u and x, by u."""

    def moved(self, x: Array, dx: Array) -> Array:
        """The state moved along its tangent."""

    def difference(self, x: Array, other: Array) -> Array:
        """The move from x to another state."""


@dataclass(slots=True)
class RatedNodes:
    """Nodes of a robot with x = (q, v, b), where b are ``m`` inputs of the step before: b_(k+1) = u_k."""

    nodes: RobotNodes
    m: int

    @property
    def count(self) -> int:
        """Steps."""
        return self.nodes.count

    def _parts(self, x: Array) -> tuple[Array, Array]:
        return x[: len(x) - self.m], x[len(x) - self.m :]

    def step(self, x: Array, u: Array, y: Array) -> Array:
        """The state after a step."""
        return np.concatenate([self.nodes.step(self._parts(x)[0], u, y), u])

    def slopes(self, x: Array, u: Array, y: Array) -> tuple[Array, Array, Array]:
        """The state after a step, A and B."""
        ahead, A, B = self.nodes.slopes(self._parts(x)[0], u, y)
        n, m = len(A), self.m
        wide = np.zeros((n + m, n + m))
        wide[:n, :n] = A
        return np.concatenate([ahead, u]), wide, np.concatenate([B, np.eye(m)])

    def cost(self, k: int, x: Array, u: Array, y: Array) -> float:
        """The cost of a node."""
        own, before = self._parts(x)
        return self.nodes.cost(k, own, u, y, before)

    def cost_slopes(self, k: int, x: Array, u: Array, y: Array) -> tuple[float, Array, Array, Array, Array, Array]:
        """Cost, l_x, l_u, l_xx, l_ux, l_uu."""
        own, before = self._parts(x)
        cost, lx, lu, lxx, lux, luu = self.nodes.cost_slopes(k, own, u, y, before)
        n, m, more = len(lx), self.m, self.nodes.named_slopes(k, own, u, y, before)
        wide = np.zeros((n + m, n + m))
        wide[:n, :n] = lxx
        wide[n:, n:] = more.get("l_bb", 0.0)
        across = np.hstack([lux, np.zeros((m, m)) + more.get("l_ub", 0.0)])
        return cost, np.concatenate([lx, np.zeros(m) + more.get("l_b", 0.0)]), lu, wide, across, luu

    def curvature(self, x: Array, u: Array, y: Array, weights: Array) -> tuple[Array, Array, Array]:
        """Second derivatives of a step, weighted by multipliers of the state after it: those by x, by u and x, by u."""
        n, m = len(weights) - self.m, self.m
        lxx, lux, luu = self.nodes.curvature(self._parts(x)[0], u, y, weights[:n])
        wide = np.zeros((n + m, n + m))
        wide[:n, :n] = lxx
        return wide, np.hstack([lux, np.zeros((m, m))]), luu

    def moved(self, x: Array, dx: Array) -> Array:
        """The state moved along its tangent."""
        (own, before), (move, db) = self._parts(x), self._parts(dx)
        return np.concatenate([self.nodes.moved(own, move), before + db])

    def difference(self, x: Array, other: Array) -> Array:
        """The move from x to another state."""
        (own, before), (end, after) = self._parts(x), self._parts(other)
        return np.concatenate([self.nodes.difference(own, end), after - before])
