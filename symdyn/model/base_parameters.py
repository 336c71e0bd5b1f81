"""Base parameters: the combinations of inertial parameters that joint forces can tell apart (Gautier & Khalil 1990).

tau = Y phi is linear in the ten inertial parameters of every body, but the columns of Y depend on each other. Going
through them from the root on, a column is kept where no sum of the kept ones gives it. Each kept column stands for
one base parameter: its own standard parameter, plus a share of every standard parameter whose column depends on it.
The dependencies are found at random states, all to be trusted alike, since Y is analytic: what holds at random states
holds at all. The rules of :mod:`symdyn.model.hidden_bodies` are the part of this that holds for a joint kind alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import ModelError
from symdyn.model import coordinates
from symdyn.model.model import Model

Array = NDArray[np.float64]
Regressor = Callable[[Mapping[str, list[float]]], Sequence[float]]
"""Y, row-major, from inputs q, v, a and p by name."""

DEPENDENT = 1e-9
"""Share of a column that may remain after taking off the kept ones for it to count as their sum, and of the length that
it would have if nothing cancelled for it to count as zero. Rounding leaves some 1e-13; what a robot file's rounded
angles leave (pi/2 to twelve digits) is beyond any measurement."""
_ROUNDED = 1e-13
"""Of the length that a column would have if nothing cancelled: what rounding may leave beside the kept ones."""
_SIZED = 3
"""States at which it is told how large entries would be."""


@dataclass(frozen=True, slots=True)
class BaseParameter:
    """A combination that forces can tell: (standard parameter, coefficient), the kept one first with coefficient 1."""

    terms: tuple[tuple[str, float], ...]

    @property
    def name(self) -> str:
        """The standard parameter that it is named after."""
        return self.terms[0][0]

    def __str__(self) -> str:
        shown = self.name
        for name, coefficient in self.terms[1:]:
            sign = "-" if coefficient < 0.0 else "+"
            size = f"{abs(coefficient):.6g}"
            shown += f" {sign} {name}" if size == "1" else f" {sign} {size}*{name}"
        return shown


@dataclass(frozen=True, slots=True)
class BaseParameters:
    """The base parameters of a robot, and the standard parameters that no force depends on."""

    base: tuple[BaseParameter, ...]
    unidentifiable: tuple[str, ...]

    @property
    def alone(self) -> tuple[str, ...]:
        """Standard parameters that can be identified by themselves."""
        return tuple(item.name for item in self.base if len(item.terms) == 1)


def base_parameters(
    model: Model, names: Sequence[str], regressor: Regressor, seed: int = 0, sizes: Regressor | None = None
) -> BaseParameters:
    """The base parameters of a robot.

    Parameters
    ----------
    model
        The robot; run-time parameters of its geometry take their default values.
    names
        The standard parameters, one per column of the regressor.
    regressor
        Evaluates Y(q, v, a).
    seed
        Draws the states, positions beyond the joints' limits among them.
    sizes
        Evaluates how large the entries of Y would be if nothing cancelled, so that no unit and no frame decides which
        columns are zero; by default as large as the largest column.

    Raises
    ------
    ModelError
        A run-time parameter without default value.
    """
    found = stacked(model, len(names), regressor, np.random.default_rng(seed))
    if sizes is None:
        return independent_parameters(names, found)
    rows = _SIZED * model.nv
    full = stacked(model, len(names), sizes, np.random.default_rng(seed), _SIZED)
    shares = np.linalg.norm(found[:rows], axis=0) / np.maximum(np.linalg.norm(full, axis=0), np.finfo(float).tiny)
    return independent_parameters(names, found, shares)


def stacked(
    model: Model, columns: int, regressor: Regressor, rng: np.random.Generator, states: int | None = None
) -> Array:
    """Regressors at random states, one below the other: by default two rows for every column, and ten states."""
    slots = model.slots
    for name, default in zip(slots.names, slots.defaults, strict=True):
        if default is None:
            raise ModelError(
                f"base parameters of robot '{model.name}': run-time parameter '{name}' has no default value; "
                "give it one in the robot file"
            )
    inputs = {"p": [float(value) for value in slots.defaults if value is not None]} if slots.names else {}
    found, reach = [], _reach(model)
    for _ in range(10 + math.ceil(2 * columns / model.nv) if states is None else states):
        q = coordinates.integrate(model, coordinates.neutral(model), reach * rng.uniform(-3.0, 3.0, model.nv))
        v, a = reach * rng.standard_normal((2, model.nv))
        state = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
        found.append(np.reshape(np.array(regressor(state | inputs), dtype=np.float64), (model.nv, columns)))
    return np.vstack(found)


def _reach(model: Model) -> Array:
    """Per row of v 1, or for a flexible link the usual amplitude, which turns its tip by no more than a joint turns."""
    found = np.ones(model.nv)
    for joint in model.independent_joints:
        found[joint.v_rows] = joint.kind.usual(dict(joint.numbers))
    return found


def independent_parameters(names: Sequence[str], regressor: Array, shares: Array | None = None) -> BaseParameters:
    """Base parameters from a regressor (rows, len(names)) with many more rows than columns.

    Earlier names are kept before later ones. ``shares`` are the lengths of columns relative to those that they would
    have if nothing cancelled; by default relative to the largest column.
    """
    # R of a QR factorisation has the same dependencies between columns, in fewer rows.
    triangle = np.linalg.qr(regressor, mode="r")
    lengths = np.linalg.norm(triangle, axis=0)
    told = lengths / max(float(lengths.max(initial=0.0)), np.finfo(float).tiny) if shares is None else shares
    felt = told > DEPENDENT
    scaled = triangle / np.where(felt, lengths, 1.0)
    least = np.maximum(DEPENDENT, _ROUNDED / np.where(felt, told, 1.0))
    kept, others = _split(scaled, np.flatnonzero(felt), least)
    parts = np.linalg.lstsq(scaled[:, kept], scaled[:, others], rcond=None)[0]
    parts[np.abs(parts) <= 10.0 * DEPENDENT] = 0.0
    base = []
    for row, own in enumerate(kept):
        partners = [
            (names[other], float(parts[row, column] * lengths[other] / lengths[own]))
            for column, other in enumerate(others)
            if parts[row, column] != 0.0
        ]
        base.append(BaseParameter(((names[own], 1.0), *partners)))
    return BaseParameters(tuple(base), tuple(name for name, is_felt in zip(names, felt, strict=True) if not is_felt))


def _split(columns: Array, order: NDArray[np.intp], least: Array) -> tuple[list[int], list[int]]:
    """Columns of unit length that are independent of the kept ones before them, and the others, by Gram-Schmidt.

    More than ``least`` is left of independent ones.
    """
    directions = np.empty((columns.shape[0], len(order)))
    kept: list[int] = []
    others: list[int] = []
    for place in order:
        basis = directions[:, : len(kept)]
        rest = columns[:, place]
        for _ in range(2):  # the second time takes off what rounding has left the first time
            rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > least[place]:
            directions[:, len(kept)] = rest / size
            kept.append(int(place))
        else:
            others.append(int(place))
    return kept, others
