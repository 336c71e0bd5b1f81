"""The strain energy of a rod whose sections deform, by Green's and Lagrange's strain, as points of its matter.

A point (x, y, z) of the straight rod at rest stands at d = (0, y, z) + sum e_i s_i in its section's frame. The slopes
of its place, in these axes, are

    F = (xi_lin + xi_ang x d + sum e_i ds_i/dx,  (0, 1, 0) + sum e_i ds_i/dy,  (0, 0, 1) + sum e_i ds_i/dz)

and E = (F^T F - 1)/2, W = sum of weights times lambda/2 tr(E)^2 + mu E:E. F holds products of a strain and an e_i, so
that W is a polynomial of degree 8. Points are those of the stations along the rod, three along each ray, which are
exact, and Gauss points around.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from symdyn.description.soft import TURN, SectionShape, Soft
from symdyn.shapes.formula import evaluate, read_formula
from symdyn.shapes.gauss_rule import gauss_rule
from symdyn.shapes.section import known
from symdyn.shapes.section_shapes import arcs, ratio_at
from symdyn.shapes.strain_basis import strain_field
from symdyn.shapes.tables import SectionEnergy

ALONG_RAYS = 3
AROUND, LEAST_AROUND = 16, 4
"""Gauss points of a whole turn, and of the shortest arc."""
_STEP = 1e-30


def around_count(width: float) -> int:
    """Gauss points of an arc [rad]."""
    return max(LEAST_AROUND, int(np.ceil(AROUND * width / TURN - 1e-9)))


@lru_cache(maxsize=16)
def section_energy(soft: Soft, stations: int) -> SectionEnergy:
    """The points of a rod with a number of stations per piece."""
    field = strain_field(soft)
    youngs, ratio = known(soft.material.youngs_modulus), soft.material.poisson_ratio
    mu, lam = youngs / (2.0 * (1.0 + ratio)), youngs * ratio / ((1.0 + ratio) * (1.0 - 2.0 * ratio))
    found = []
    for start, end in pairwise((0.0, *soft.pieces)):
        places, shares = _rule(stations)
        for x, along in zip(start + (end - start) * places, (end - start) * shares, strict=True):
            strains = [float(value) for own in field(np.array([x])) for (value,) in own]
            outer = float(evaluate(read_formula(soft.section.radius), np.array([x]))[0])
            hole = soft.section.inner_radius
            inner = float(evaluate(read_formula(hole), np.array([x]))[0]) if hole else 0.0
            for phi, width, rays in _around(soft, x):
                nodes, layers = _rule(ALONG_RAYS)
                for rho, layer in zip(inner + (outer - inner) * nodes, (outer - inner) * layers, strict=True):
                    weight = along * width * rho * layer
                    way = np.array([np.cos(phi), np.sin(phi)])
                    shapes = [entry for ray in rays for entry in _displaced(ray, rho, phi)]
                    found.append((weight * lam, weight * mu, *(rho * way).tolist(), *strains, *shapes))
    return SectionEnergy(field.moved, len(soft.section_shapes), tuple(found))


def _rule(count: int) -> tuple[Any, Any]:
    nodes = np.array([[float(entry) for entry in node] for node in gauss_rule(count)])
    return nodes[:, 0], nodes[:, 1]


def _around(soft: Soft, x: float) -> list[tuple[float, float, list[tuple[float, float, float]]]]:
    """Angles, weights, and per shape b/R with its slopes by phi and by x."""
    found = []
    for arc in arcs(soft.section_shapes):
        places, shares = _rule(around_count(arc.end - arc.start))
        turns = dict(arc.shapes)
        for place, share in zip(places.tolist(), shares.tolist(), strict=True):
            phi = arc.start + (arc.end - arc.start) * place
            rays = [
                _ray(own, soft, x, phi + turns[number]) if number in turns else (0.0, 0.0, 0.0)
                for number, own in enumerate(soft.section_shapes)
            ]
            found.append((phi, (arc.end - arc.start) * share, rays))
    return found


def _ray(shape: SectionShape, soft: Soft, x: float, phi: float) -> tuple[float, float, float]:
    value = ratio_at(soft, shape, x, phi).real
    by_phi = ratio_at(soft, shape, x, complex(phi, _STEP)).imag / _STEP
    by_x = ratio_at(soft, shape, complex(x, _STEP), phi).imag / _STEP
    return value, by_phi, by_x


def _displaced(ray: tuple[float, float, float], rho: float, phi: float) -> list[float]:
    """s, ds/dx, ds/dy and ds/dz, two components each, of s = rho g (cos phi, sin phi)."""
    value, by_phi, by_x = ray
    out, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    by_rho, by_arc = value * out, by_phi * out + value * across
    parts = (rho * value * out, rho * by_x * out, out[0] * by_rho - out[1] * by_arc, out[1] * by_rho + out[0] * by_arc)
    return [float(entry) for part in parts for entry in part]


def stiffness_at_rest(energy: SectionEnergy) -> Any:
    """The second derivatives of the energy by all coordinates, at rest (n, n)."""
    table, own = np.array(energy.points), sum(map(len, energy.moved))
    y, z, zero = table[:, 2], table[:, 3], 0.0 * table[:, 2]
    columns, place = [], 4
    for rows in energy.moved:
        first = [zero, zero, zero]
        for row in rows:
            value, place = table[:, place], place + 1
            arms = {3: (zero, -z, y), 4: (z, zero, zero), 5: (-y, zero, zero)}
            unit = arms.get(row) or tuple(np.ones_like(y) if row == axis else zero for axis in range(3))
            first = [entry + value * arm for entry, arm in zip(first, unit, strict=True)]
        columns.append([first, [zero] * 3, [zero] * 3])
    for shape in range(energy.shapes):
        parts = table[:, 4 + own + 8 * shape : 12 + own + 8 * shape].T
        columns.append([[zero, *parts[2 * k + 2 : 2 * k + 4]] for k in range(3)])
    slopes = np.array(columns)  # coordinate, column of F, component, point
    strains = 0.5 * (slopes + np.swapaxes(slopes, 1, 2))
    traces = np.einsum("iaap->ip", strains)
    return np.einsum("p,ip,jp->ij", table[:, 0], traces, traces) + 2.0 * np.einsum(
        "p,iabp,jabp->ij", table[:, 1], strains, strains
    )
