"""Dense equations of robots with loops, with fifty digits: all matrices by the oracle, solved here.

Rows of loops that depend on each other are allowed: of all multipliers those are taken that are least in the metric of
the diagonal of S = A M^-1 A^T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from mpmath import mp

from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.trajectory import Trajectory
from symdyn.verify.oracle.truths import TRUTHS

_LEAST = "1e-12"
"""Squared singular value of the rows of A, relative to the largest, below which rows depend on each other."""

Inputs = Mapping[str, Sequence[Any]]


@cache
def setting(robot: Robot, function: str) -> Setting:
    """What the oracle needs to know of a function without options."""
    ((entry, request),) = requests(robot.model, [function])
    return setting_of(robot.description, entry.signature(robot.model, request), robot.load_options())


@dataclass(frozen=True, slots=True)
class Dense:
    """M a + b = tau + A^T lambda and A a = -bias at a state."""

    M: Any
    b: Any
    A: Any
    bias: Any

    @classmethod
    def at(cls, robot: Robot, inputs: Inputs) -> Dense:
        """That of q and v, floats or of fifty digits."""

        def rows(function: str, **more: Any) -> list[Any]:
            return TRUTHS[function](setting(robot, function), {**inputs, **more}).values

        count = robot.nv
        return cls(
            _folded(rows("mass_matrix"), count),
            mp.matrix(rows("inverse_dynamics", a=[mp.mpf(0)] * count)),
            _folded(rows("constraint_jacobian"), count),
            mp.matrix(rows("constraint_bias")),
        )

    def forward(self, tau: Sequence[Any]) -> tuple[Any, Any]:
        """The accelerations, and the multipliers."""
        inverse = mp.inverse(self.M)
        moved, free = inverse * self.A.T, inverse * (mp.matrix(list(map(mp.mpf, tau))) - self.b)
        S = self.A * moved
        count = S.rows
        sizes = [mp.sqrt(S[row, row]) for row in range(count)]
        scaled = mp.matrix([[S[i, j] / (sizes[i] * sizes[j]) for j in range(count)] for i in range(count)])
        right = mp.matrix([own / size for own, size in zip(-(self.A * free + self.bias), sizes, strict=True)])
        values, ways = mp.eigsy(scaled)
        shares, most = ways.T * right, max(values)
        kept = [share / x if x > mp.mpf(_LEAST) * most else mp.mpf(0) for share, x in zip(shares, values, strict=True)]
        found = ways * mp.matrix(kept)
        multipliers = mp.matrix([own / size for own, size in zip(found, sizes, strict=True)])
        return free + moved * multipliers, multipliers


def _folded(flat: Sequence[Any], columns: int) -> Any:
    return mp.matrix([list(flat[row : row + columns]) for row in range(0, len(flat), columns)])


class Timed(Trajectory):
    """A motion that also tells the time, as ``t``."""

    def at(self, t: Any) -> Inputs:
        return {**super().at(t), "t": [t]}


def derivatives(
    robot: Robot, q: Sequence[float], V: Sequence[Sequence[float]], T: Sequence[Sequence[float]]
) -> list[tuple[list[float], list[float]]]:
    """Accelerations and multipliers of :class:`Dense` with their time derivatives, along a motion.

    V, (r + 2, nv), are v and its derivatives there, T, (r + 1, nv), forces and theirs.
    """

    def moved(state: Inputs) -> list[Any]:
        (t,) = state["t"]
        tau = [mp.fsum(mp.mpf(x) * t**k / mp.factorial(k) for k, x in enumerate(own)) for own in zip(*T, strict=True)]
        a, multipliers = Dense.at(robot, {"q": state["q"], "v": state["v"]}).forward(tau)
        return [*a, *multipliers]

    with mp.workdps(50):
        motion = Timed(setting(robot, "inverse_dynamics"), {"q": q, "V": [x for row in V for x in row]})
        orders = motion.derivatives(len(T) - 1, moved)
    return [(list(map(float, own[: robot.nv])), list(map(float, own[robot.nv :]))) for own in orders]
