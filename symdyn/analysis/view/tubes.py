"""Tubes along rods and beams, and the tendons and chambers that run along rods."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from symdyn.analysis.view.scene import Anchor, Array, BeamShapes, BeamSource, Colour, Line, RodSource, Tube
from symdyn.description.actuation import Chamber
from symdyn.description.flexible import Direction, Flexible
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.soft import Section, Soft
from symdyn.model.model import Model
from symdyn.model.values import Values
from symdyn.shapes.modes import beam_modes

FINE, BEAM_POINTS, SLENDER = 4, 17, 1.0 / 70.0
TENDON, CHAMBER = (30, 30, 30), (20, 130, 120)
ABOVE = 1.01
"""How far above the skin chambers are drawn, so that they are seen."""


def between(x: Array, poses: Array, places: Array) -> Array:
    """Poses (n, m, 4, 4) at ``places`` (m,) of a line with ``poses`` (n, k, 4, 4) at ``x`` (k,).

    Origins by cubics with the x axes as slopes, so that they pass through all given ones; axes by the nearest rotation
    to the mean.
    """
    low = np.clip(np.searchsorted(x, places, side="right") - 1, 0, len(x) - 2)
    step = x[low + 1] - x[low]
    s = ((places - x[low]) / step)[:, None]
    a, b = poses[:, low], poses[:, low + 1]
    found = np.zeros((len(poses), len(places), 4, 4))
    chord = np.linalg.norm(b[..., :3, 3] - a[..., :3, 3], axis=-1, keepdims=True)
    h00, h10, h01, h11 = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2
    found[..., :3, 3] = h00 * a[..., :3, 3] + h01 * b[..., :3, 3]
    found[..., :3, 3] += chord * (h10 * a[..., :3, 0] + h11 * b[..., :3, 0])
    u, _, v = np.linalg.svd(a[..., :3, :3] * (1 - s)[..., None] + b[..., :3, :3] * s[..., None])
    found[..., :3, :3] = u @ v
    found[..., 3, 3] = 1.0
    return found


def sides_of(section: Section, x: float) -> tuple[float, float]:
    """Half axes [m] of a section at rest; of one that is given by numbers, of the circle with its area."""
    if section.shape == "rectangle":
        return BeamExpression(section.width).at(x) / 2.0, BeamExpression(section.height).at(x) / 2.0
    if section.shape == "numbers":
        radius = float(np.sqrt(BeamExpression(section.area).at(x) / np.pi))
    else:
        radius = section.outer_radius(x)
    return radius, radius


def rod_line(
    model: Model, values: Values, link: str, soft: Soft, frames: Array, stations: Array
) -> tuple[Array, Array]:
    """Places (k,) [m] and poses (n, k, 4, 4) of a rod's root and stations."""
    own = [row for row, (rod, _) in enumerate(model.stations) if rod.link == link]
    nodes = [rod.nodes[number].x for rod, number in model.stations if rod.link == link]
    root = root_of(values, soft)
    return np.array([0.0, *nodes]), np.concatenate([(frames @ root)[:, None], stations[:, own]], axis=1)


def root_of(values: Values, body: Soft | Flexible) -> Array:
    """The pose (4, 4) of a deformable body's root in its link."""
    root = np.eye(4)
    root[:3, :3], root[:3, 3] = body.placement.rotation, values.translation(body.placement, "")
    return root


def rod_tube(link: str, soft: Soft, x: Array, poses: Array, bending: Array, root: Array, rows: list[int]) -> Tube:
    """The tube of a rod from its root (4, 4), through the stations ``rows``; ``bending`` (n, k) are values at ``x``."""
    places = np.unique(np.concatenate([np.linspace(a, b, FINE + 1) for a, b in pairwise(x) if b > a]))
    sides = np.array([sides_of(soft.section, float(place)) for place in places])
    shown = np.stack([np.interp(places, x, row) for row in bending])
    source = RodSource(link, root, tuple(rows), x, places)
    return Tube(link, between(x, poses, places), sides, shown, source=source)


def tendon_line(link: str, name: str, x: Array, poses: Array, y: str, z: str, ends: tuple[float, float]) -> Line:
    """The line of a tendon's strand along a rod."""
    places = np.linspace(*ends, 33)
    across = [[0.0, BeamExpression(y).at(float(s)), BeamExpression(z).at(float(s)), 1.0] for s in places]
    return _along(link, name, x, poses, places, np.array(across), TENDON)


def _along(link: str, name: str, x: Array, poses: Array, places: Array, local: Array, colour: Colour) -> Line:
    """The line through points (k, 4) of the sections of a rod at ``places`` (k,)."""
    points = np.einsum("nkij,kj->nki", between(x, poses, places), local)[..., :3]
    anchors = [
        Anchor((own[0], own[1], own[2]), tube=link, place=place)
        for place, own in zip(places.tolist(), local.tolist(), strict=True)
    ]
    return Line(name, points, colour, tuple(anchors))


def chamber_line(link: str, chamber: Chamber, soft: Soft, x: Array, poses: Array) -> Line:
    """The outline of a chamber, on the skin above it: an arc at either end, and both edges."""
    ends = np.array([chamber.start, chamber.end])
    arcs = np.array([np.linspace(*_angles(chamber, float(end)), 13) for end in ends])
    edge = np.linspace(chamber.start, chamber.end, 17)
    shares = np.linspace(0.0, 1.0, len(edge))[:, None] * (arcs[1] - arcs[0]) + arcs[0]
    places = np.concatenate([np.full(13, ends[0]), edge, np.full(13, ends[1]), edge[::-1]])
    angles = np.concatenate([arcs[0], shares[:, -1], arcs[1, ::-1], shares[::-1, 0]])
    sides = ABOVE * np.array([sides_of(soft.section, float(place)) for place in places])
    local = np.stack([0 * angles, np.cos(angles) * sides[:, 0], np.sin(angles) * sides[:, 1], 0 * angles + 1], axis=-1)
    return _along(link, f"{chamber.name}/chamber", x, poses, places, local, CHAMBER)


def _angles(chamber: Chamber, x: float) -> tuple[float, float]:
    """Between which angles a chamber lies in a section; of one told by its area, as a circle of it would."""
    if chamber.angles[0] != chamber.angles[1]:
        return chamber.angles
    area, y, z = (BeamExpression(own).at(x) for own in (chamber.area, chamber.moment_y, chamber.moment_z))
    away, radius = float(np.hypot(y, z)) / area, float(np.sqrt(area / np.pi))
    if radius >= away:
        return 0.0, 2.0 * np.pi
    middle, half = float(np.arctan2(z, y)), float(np.arcsin(radius / away))
    return middle - half, middle + half


def beam_tube(
    values: Values, link: str, beam: Flexible, amplitudes: dict[str, Array], frames: Array, rows: dict[str, list[int]]
) -> Tube:
    """The tube of a flexible link; ``amplitudes`` (n, count) by direction, from ``rows`` of q. Curvature colours it."""
    x = np.linspace(0.0, beam.length, BEAM_POINTS)
    moved = np.zeros((len(frames), BEAM_POINTS, 3)) + np.stack([x, 0 * x, 0 * x], axis=-1)
    slopes, curved = np.zeros_like(moved), np.zeros(moved.shape[:2])
    turned = np.zeros(moved.shape[:2])
    known = []
    for shapes in beam_modes(beam):
        q = amplitudes[shapes.direction.value]
        table = np.array([[np.broadcast_to(one(x, order), x.shape) for one in shapes.shapes] for order in (0, 1, 2)])
        known.append(BeamShapes(shapes.direction.value, tuple(rows[shapes.direction.value]), table))
        if shapes.direction is Direction.TORSION:
            turned = q @ table[0]
            continue
        row = {Direction.AXIAL: 0, Direction.BEND_Y: 1, Direction.BEND_Z: 2}[shapes.direction]
        moved[..., row] += q @ table[0]
        slopes[..., row] += q @ table[1]
        if row:
            curved += (q @ table[2]) ** 2
    if beam.stiffening:
        halves = (slopes[..., 1:] ** 2).sum(axis=-1) / 2.0
        short = np.cumsum((halves[:, 1:] + halves[:, :-1]) / 2.0 * np.diff(x), axis=1)
        moved[:, 1:, 0] -= short
    local = np.zeros((*moved.shape[:2], 4, 4))
    along = slopes + np.array([1.0, 0.0, 0.0])
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    y = np.stack([0 * turned, np.cos(turned), np.sin(turned)], axis=-1)
    y = y - (y * along).sum(axis=-1, keepdims=True) * along
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    local[..., :3, 0], local[..., :3, 1], local[..., :3, 2] = along, y, np.cross(along, y)
    local[..., :3, 3], local[..., 3, 3] = moved, 1.0
    root = root_of(values, beam)
    sides = np.full((BEAM_POINTS, 2), SLENDER * beam.length)
    source = BeamSource(link, root, x, tuple(known), beam.stiffening)
    return Tube(link, (frames @ root)[:, None] @ local, sides, np.sqrt(curved), source=source)
