"""Rollouts of a compiled module from Python: one C call for all steps, and one for the gradient."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError
from symdyn.interface.manifest import Manifest, SolverEntry
from symdyn.interface.rollout_calls import RolloutRows
from symdyn.interface.rollouts import Rollout, RolloutCode, RolloutGradient
from symdyn.toolchain.arrays import place_of, vector
from symdyn.toolchain.entry_points import POINTER, SIZE, entry_point

Array = NDArray[Any]


class Rollouts:
    """Both C functions of a module, and reading of their arguments."""

    def __init__(self, library: ctypes.CDLL, entry: SolverEntry, manifest: Manifest) -> None:
        self.entry, self.dtype = entry, np.dtype(manifest.dtype)
        rows = RolloutRows.of(manifest)
        self.nq, self.nv, self.driving, self.given = rows.q.size, rows.v.size, rows.driving, rows.given
        self.count, self.memory = rows.count, rows.memory
        scalar = ctypes.c_double if self.dtype == np.float64 else ctypes.c_float
        held = [POINTER] * len(self.given)
        self._run = entry_point(library, entry.c_name, SIZE, *[POINTER] * 3, scalar, *held, POINTER, POINTER)
        slopes = (own.signature.outputs for own in manifest.functions if own.python_name == "step_adjoint")
        self.by_length = any(item.name == "g_h" for outputs in slopes for item in outputs)
        results = [POINTER] * (5 + bool(self.count) + self.by_length)
        self._back = entry_point(library, f"{entry.c_name}_gradient", SIZE, POINTER, POINTER, scalar, *held, *results)

    @property
    def names(self) -> str:
        """What stays as it is during a rollout, in words."""
        return "".join(f", {item.name}" for item in self.given)

    def run(
        self, name: str, q: ArrayLike, v: ArrayLike, u: ArrayLike, given: tuple[ArrayLike, ...], h: float
    ) -> Rollout:
        """States after steps with the inputs ``u`` (n, nu)."""
        state = [
            vector(name, own, value, (size,), self.dtype) for own, value, size in (("q", q, self.nq), ("v", v, self.nv))
        ]
        inputs, held, length = self._inputs(name, u), self._held(name, given), _positive(name, h)
        n, row = len(inputs), self.nq + self.nv + self.memory
        X, work = np.empty((n + 1, row), self.dtype), np.empty(self.entry.work_size, self.dtype)
        code = self._run(n, *map(place_of, (*state, inputs)), length, *map(place_of, (*held, X, work)))
        q_end = self.nq + self.nv
        return Rollout(X[:, : self.nq], X[:, self.nq : q_end], X[:, q_end:], RolloutCode(code))

    def back(
        self,
        name: str,
        rollout: Rollout,
        u: ArrayLike,
        given: tuple[ArrayLike, ...],
        h: float,
        l_x: ArrayLike,
        l_u: ArrayLike | None,
    ) -> RolloutGradient:
        """The gradient of a sum of costs with the derivatives l_x (n + 1, 2 nv) and l_u (n, nu)."""
        inputs, held, length = self._inputs(name, u), self._held(name, given), _positive(name, h)
        n = len(inputs)
        if rollout.code is not RolloutCode.DONE:
            raise RequestError(f"{name}: the rollout ended with {rollout.code.name}, so it has no gradient")
        rows = np.concatenate([rollout.q, rollout.v, rollout.memory], axis=1)
        X = vector(name, "X", rows, (n + 1, self.nq + self.nv + self.memory), self.dtype)
        by_x = vector(name, "l_x", l_x, (n + 1, 2 * self.nv), self.dtype)
        by_u = None if l_u is None else vector(name, "l_u", l_u, inputs.shape, self.dtype)
        x, g_u, p = (np.empty(shape, self.dtype) for shape in (2 * self.nv, inputs.shape, self.count))
        work = np.empty(self.entry.work_size, self.dtype)
        g_h = np.empty(1, self.dtype)
        found = [x, g_u, *([p] if self.count else []), *([g_h] if self.by_length else []), work]
        slopes = [place_of(by_x), None if by_u is None else place_of(by_u)]
        code = RolloutCode(
            self._back(n, place_of(X), place_of(inputs), length, *map(place_of, held), *slopes, *map(place_of, found))
        )
        if code is not RolloutCode.DONE:
            raise RequestError(f"{name}: the gradient is not finite, or a step of the rollout has no derivatives")
        return RolloutGradient(x[: self.nv], x[self.nv :], g_u, p, float(g_h[0]) if self.by_length else None)

    def _inputs(self, name: str, u: ArrayLike) -> Array:
        return vector(name, "u", u, (np.shape(u)[0] if np.ndim(u) else 0, *self.driving.shape), self.dtype)

    def _held(self, name: str, given: tuple[ArrayLike, ...]) -> list[Array]:
        if len(given) != len(self.given):
            raise RequestError(f"{name}: expected q, v, u{self.names}, got {len(given)} arrays beside q, v and u")
        pairs = zip(self.given, given, strict=True)
        return [vector(name, item.name, value, item.shape, self.dtype) for item, value in pairs]


def _positive(name: str, h: float) -> float:
    if not 0.0 < h < float("inf"):
        raise RequestError(f"{name}: h is a number above 0, got {h!r}")
    return float(h)


def load_rollouts(library: ctypes.CDLL, entry: SolverEntry, manifest: Manifest) -> dict[str, Callable[..., Any]]:
    """``rollout`` and ``rollout_gradient`` of a compiled module."""
    own = Rollouts(library, entry, manifest)

    def rollout(q: ArrayLike, v: ArrayLike, u: ArrayLike, *given: ArrayLike, h: float) -> Rollout:
        return own.run("rollout", q, v, u, given, h)

    def rollout_gradient(
        found: Rollout, u: ArrayLike, *given: ArrayLike, h: float, l_x: ArrayLike, l_u: ArrayLike | None = None
    ) -> RolloutGradient:
        return own.back("rollout_gradient", found, u, given, h, l_x, l_u)

    rollout.__doc__ = (
        f"States after one step, two steps, ..: ``rollout(q, v, u{own.names}, h=)``, u (n, {own.driving.size}).\n\n"
        "Returns a ``Rollout``: q, v, memory, code."
    )
    rollout_gradient.__doc__ = (
        f"The gradient of a sum of costs: ``rollout_gradient(rollout, u{own.names}, h=, l_x=, l_u=)``.\n\n"
        f"l_x (n + 1, {2 * own.nv}) holds derivatives by moves (dq, dv) of each state, l_u (n, {own.driving.size}) "
        "those by inputs alone. Returns a ``RolloutGradient``: q, v, u, p, h."
    )
    return {"rollout": rollout, "rollout_gradient": rollout_gradient}
