"""Adaptive Gauss-Legendre quadrature along a beam, for products of all functions that are integrated there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from symdyn.errors import DescriptionError

Array = np.ndarray[Any, Any]
SETTLED = 1e-14
"""Change of any product's integral by halving a panel, relative to the factors' norms, that is taken as none."""
_ORDER = 20
_LEVELS = 48
_PANELS = 4096
_NODES, _WEIGHTS = legendre.leggauss(_ORDER)


def _running_weights() -> Array:
    """Integrals from -1 to each node (rows) of the polynomials that are one at a node and zero at the others."""
    vander = legendre.legvander(_NODES, _ORDER - 1)
    integrals = np.stack(
        [legendre.legval(_NODES, legendre.legint(np.eye(_ORDER)[k], lbnd=-1)) for k in range(_ORDER)], axis=-1
    )
    return np.asarray(integrals @ np.linalg.inv(vander))


_RUNNING = _running_weights()


@dataclass(frozen=True, slots=True, eq=False)
class Quadrature:
    """Nodes and weights from the root to the tip, panel by panel."""

    nodes: Array
    weights: Array
    half_widths: Array
    """Of the panels, (panels,)."""

    def integral(self, values: Array) -> Array:
        """Integral over the beam of values at the nodes, (..., nodes)."""
        return np.asarray(values @ self.weights)

    def running(self, values: Array) -> Array:
        """Integral from the root to each node, (..., nodes)."""
        panels = values.reshape(*values.shape[:-1], len(self.half_widths), _ORDER)
        inside = (panels @ _RUNNING.T) * self.half_widths[:, None]
        whole = (panels @ _WEIGHTS) * self.half_widths
        before = np.cumsum(whole, axis=-1) - whole
        return np.asarray((inside + before[..., None]).reshape(values.shape))


def adaptive_quadrature(ends: tuple[float, ...], factors: Callable[[Array], Array], name: str) -> Quadrature:
    """Quadrature that integrates the product of any two rows of ``factors(nodes)`` to rounding.

    Parameters
    ----------
    ends
        Far ends [m] of the stretches on which all factors are smooth.
    factors
        Values (rows, nodes) at nodes.
    name
        Of the beam's part, for messages.

    Raises
    ------
    DescriptionError
        Values that are not finite, or integrals that do not settle.
    """
    bounds = np.array((0.0, *ends))
    panels = np.stack([bounds[:-1], bounds[1:]], axis=-1)
    done: list[Array] = []
    coarse = _grams(panels, factors, name)
    scale: Array | None = None
    for _ in range(_LEVELS):
        middle = panels.mean(axis=-1)
        halves = np.stack([panels[:, 0], middle, middle, panels[:, 1]], axis=-1).reshape(-1, 2)
        fine = _grams(halves, factors, name)
        scale = _norms(coarse, fine) if scale is None else scale
        change = np.abs(fine[0::2] + fine[1::2] - coarse) / np.outer(scale, scale)
        settled = change.max(axis=(1, 2)) <= SETTLED
        kept = np.repeat(settled, 2)
        done.append(halves[kept])
        panels, coarse = halves[~kept], fine[~kept]
        if not len(panels):
            return _assembled(np.concatenate(done))
        if len(panels) > _PANELS:
            break
    raise DescriptionError(
        f"{name}: integrals do not settle near x = {panels[0, 0]:.6g} m; its profiles or shapes vary too sharply: "
        f"write them as steps or as smooth formulas"
    )


def _places(panels: Array) -> tuple[Array, Array]:
    half = 0.5 * (panels[:, 1] - panels[:, 0])
    return panels[:, :1] + half[:, None] * (_NODES + 1.0), half


def _grams(panels: Array, factors: Callable[[Array], Array], name: str) -> Array:
    nodes, half = _places(panels)
    with np.errstate(all="ignore"):
        values = factors(nodes.ravel())
    finite = np.isfinite(values).all(axis=0)
    if not finite.all():
        raise DescriptionError(f"{name}: no finite value at x = {nodes.ravel()[~finite][0]:.6g} m")
    values = values.reshape(len(values), len(panels), _ORDER)
    return np.asarray(np.einsum("ipn,jpn,pn->pij", values, values, half[:, None] * _WEIGHTS, optimize=True))


def _norms(coarse: Array, fine: Array) -> Array:
    """Norms of the factors by panels of two sizes: a function such as P_20 is zero at all nodes of the coarse ones."""
    first, second = (np.einsum("pii->i", grams) for grams in (coarse, fine))
    return np.asarray(np.sqrt(np.maximum(np.where(first < 0.5 * second, second, first), np.finfo(float).tiny)))


def _assembled(panels: Array) -> Quadrature:
    panels = panels[np.argsort(panels[:, 0])]
    nodes, half = _places(panels)
    return Quadrature(nodes.ravel(), (half[:, None] * _WEIGHTS).ravel(), half)
