"""A robot's problem at its nodes, by functions of a compiled module or of the Python target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.optimal_control import (
    BEFORE,
    COST_FUNCTIONS,
    CURVED,
    MADE,
    NEWTON_STEPS,
    NUMBERS,
    STEP,
    STEP_CURVATURE,
    STEP_MATRICES,
)
from symdyn.model import coordinates
from symdyn.model.model import Model

Array = NDArray[np.float64]
NODE_FUNCTIONS = (STEP, STEP_MATRICES, *COST_FUNCTIONS)
"""What a module needs."""


@dataclass(slots=True)
class RobotNodes:
    """Nodes of ``count`` steps of length ``h``; y of a node are all inputs that are given, one after the other."""

    model: Model
    module: Any
    count: int
    h: float
    _a: Array = field(init=False, default_factory=lambda: np.zeros(0))
    """The acceleration of the last implicit step: the guess of the next one."""

    @property
    def nq(self) -> int:
        """Rows of q."""
        return self.model.nq

    @property
    def given(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Names and shapes of what is given."""
        called = (self.module.signature(name) for name in NODE_FUNCTIONS)
        found = {item.name: item.shape for own in called for item in own.inputs if item.name not in MADE}
        return tuple(found.items())

    def _arguments(
        self, name: str, x: Array, u: Array, y: Array, weights: Array | None = None, before: Array | None = None
    ) -> list[Array]:
        known = {"q": x[: self.nq], "v": x[self.nq :], "tau": u, "u": u, "h": np.asarray(self.h)}
        known |= {"a": self._a, "a_guess": self._a, WEIGHTS: weights if weights is not None else self._a}
        known[BEFORE] = u if before is None else before
        at = 0
        for own, shape in self.given:
            size = int(np.prod(shape))
            known[own], at = y[at : at + size].reshape(shape), at + size
        return [np.asarray(known[item.name]) for item in self.module.signature(name).inputs]

    def step(self, x: Array, u: Array, y: Array) -> Array:
        """The state after a step."""
        implicit = any(item.name == "a_guess" for item in self.module.signature(STEP).inputs)
        if implicit and (self._a.size == 0 or not np.isfinite(self._a).all()):
            self._a = np.zeros(self.model.nv)
        for _ in range(NEWTON_STEPS):
            q, v, *a = getattr(self.module, STEP)(*self._arguments(STEP, x, u, y))
            if not implicit:
                return np.concatenate([q, v])
            moved, size = self.h**2 * np.abs(a[0] - self._a).max(), self.h**2 * np.abs(a[0]).max()
            self._a = np.asarray(a[0])
            if moved <= NUMBERS["float64"].newton * max(1.0, size):
                return np.concatenate([q, v])
        return np.full(self.nq + self.model.nv, np.nan)

    def slopes(self, x: Array, u: Array, y: Array) -> tuple[Array, Array, Array]:
        """The state after a step, A and B."""
        ahead = self.step(x, u, y)
        A, B = getattr(self.module, STEP_MATRICES)(*self._arguments(STEP_MATRICES, x, u, y))[:2]
        return ahead, A, B

    def cost(self, k: int, x: Array, u: Array, y: Array, before: Array | None = None) -> float:
        """The cost of a node; ``before`` are the inputs of the step before it."""
        name = COST_FUNCTIONS[0 if k < self.count else 2]
        return float(getattr(self.module, name)(*self._arguments(name, x, u, y, before=before)))

    def named_slopes(self, k: int, x: Array, u: Array, y: Array, before: Array | None) -> dict[str, Any]:
        """Derivatives of the cost of a node by names."""
        name = COST_FUNCTIONS[1 if k < self.count else 3]
        values = getattr(self.module, name)(*self._arguments(name, x, u, y, before=before))
        names = (item.name for item in self.module.signature(name).outputs)
        return dict(zip(names, values, strict=True))

    def cost_slopes(
        self, k: int, x: Array, u: Array, y: Array, before: Array | None = None
    ) -> tuple[float, Array, Array, Array, Array, Array]:
        """Cost, l_x, l_u, l_xx, l_ux, l_uu."""
        own = self.named_slopes(k, x, u, y, before)
        lx = np.concatenate([own["l_q"], own["l_v"]])
        return float(own["l"]), lx, own.get("l_u", np.zeros(len(u))), *_blocks(own, self.model.nv, len(u))

    def curvature(self, x: Array, u: Array, y: Array, weights: Array) -> tuple[Array, Array, Array]:
        """Second derivatives of a step, weighted by multipliers of the state after it: those by x, by u and x, by u."""
        n, m = self.model.nv, len(u)
        rows = self.h * (self.h * weights[:n] + weights[n:])
        values = getattr(self.module, STEP_CURVATURE)(*self._arguments(STEP_CURVATURE, x, u, y, rows))
        names = (CURVED[item.name] for item in self.module.signature(STEP_CURVATURE).outputs)
        return _blocks(dict(zip(names, values, strict=True)), n, m)

    def moved(self, x: Array, dx: Array) -> Array:
        """The state moved along its tangent."""
        nv = self.model.nv
        return np.concatenate([coordinates.integrate(self.model, x[: self.nq], dx[:nv]), x[self.nq :] + dx[nv:]])

    def difference(self, x: Array, other: Array) -> Array:
        """The move from x to another state."""
        move = coordinates.difference(self.model, x[: self.nq], other[: self.nq])
        return np.concatenate([move, other[self.nq :] - x[self.nq :]])


def _blocks(own: Mapping[str, Array], n: int, m: int) -> tuple[Array, Array, Array]:
    """Second derivatives by x, by u and x, and by u, of what there is of them by names."""
    none, across = np.zeros((n, n)), np.zeros((n, m))
    l_qv = own.get("l_qv", none)
    lxx = np.block([[own.get("l_qq", none), l_qv], [l_qv.T, own.get("l_vv", none)]])
    lux = np.hstack([own.get("l_qu", across).T, own.get("l_vu", across).T])
    return lxx, lux, own.get("l_uu", np.zeros((m, m)))
