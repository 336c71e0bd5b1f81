"""Every link and every beam of a robot in motion: Taylor series in time of where they are, in the world frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.flexible import Flexible
from symdyn.description.robot import RobotDescription
from symdyn.verify.base.curves import PartialVelocity, joint_curve, partial_velocities
from symdyn.verify.base.matrices import (
    Matrix,
    MatrixSeries,
    Real,
    Vector,
    VectorSeries,
    add,
    identity,
    nearest_rotation,
    product,
    scale,
    series_product,
    series_times,
    subtract,
    times,
    vector,
    zeros,
)
from symdyn.verify.oracle.beam import Beam
from symdyn.verify.oracle.flexure import flexure_curve, flexure_velocities
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.tree import Tree


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """A link's frame in the world: series of its rotation and origin, and the places of the joints that carry it.

    ``path`` holds indices into ``Tree.places``, from the root outwards.
    """

    rotation: MatrixSeries
    origin: VectorSeries
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BeamMotion:
    """A beam in motion: the frame of its root section, and the series of its coordinates.

    ``link`` is the link that bends, whose joints carry the frame; the coordinates' rows of v begin at ``v_row``.
    """

    beam: Beam
    link: str
    frame: LinkMotion
    v_row: int
    d: VectorSeries


@dataclass(frozen=True, slots=True)
class RobotMotion:
    """Every link of a robot in motion, and the partial velocities of its joints in world axes.

    The tips of beams count among the links.
    """

    links: Mapping[str, LinkMotion]
    partials: tuple[tuple[PartialVelocity, ...], ...]
    """Per place and row of v: angular velocity and velocity of the child's origin."""
    beams: tuple[BeamMotion, ...]
    tips: Mapping[str, Vector]
    """Where the tips of beams are at rest, by name, in the frames of the links that bend."""


def robot_motion(
    description: RobotDescription,
    tree: Tree,
    quantities: Quantities,
    q: Sequence[Real],
    v: Sequence[Real],
    a: Sequence[Real],
    spatial: bool = False,
    order: int = 2,
) -> RobotMotion:
    """The motion of every link along the trajectory through (q, v, a), in the world frame, up to ``order`` in time."""
    turned = [identity(), zeros(), zeros()][: order + 1]
    still = LinkMotion(turned, [vector((0, 0, 0)) for _ in turned], ())
    links, partials = {description.root: still}, []
    beams: list[BeamMotion] = []
    tips: dict[str, Vector] = {}
    for index, place in enumerate(tree.places):
        joint = place.joint
        base = still if place.implicit else links[joint.parent]
        own_q, own_v, own_a = place.coordinates(q), place.velocities(v), place.velocities(a)
        local: list[PartialVelocity] = []
        if place.flexible is not None:
            beam, axes, root = place.beam, *beam_placement(quantities, place.flexible)
            d = [own_q, own_v, scale(mp.mpf(1) / 2, own_a)][: order + 1]
            beams.append(BeamMotion(beam, joint.parent, _moved(base, axes, root), place.v_row, d))
            tips[joint.child] = add(root, times(axes, beam.tip.place))
            started = _moved(base, identity(), tips[joint.child])
            curve, local = flexure_curve(beam, axes, d), flexure_velocities(beam, axes, own_q)
        else:
            right_invariant = spatial and place.implicit
            translation = quantities.all(joint.placement.translation, f"{joint.name}.translation", "xyz")
            translation = subtract(translation, tips.get(joint.parent, vector((0, 0, 0))))
            started = _moved(base, nearest_rotation([vector(row) for row in joint.placement.rotation]), translation)
            curve = joint_curve(joint, own_q, own_v, own_a, spatial=right_invariant)
            if place.names_body:
                local = partial_velocities(joint, own_q, spatial=right_invariant)
        R_WJ = started.rotation
        carried = series_times(R_WJ, curve.translation)  # products are cut at the order of the shorter factor
        origin = [add(start, moved) for start, moved in zip(started.origin, carried, strict=True)]
        path = (*base.path, index) if place.names_body else base.path
        links[joint.child] = LinkMotion(series_product(R_WJ, curve.rotation), origin, path)
        partials.append(
            tuple(PartialVelocity(times(R_WJ[0], part.angular), times(R_WJ[0], part.linear)) for part in local)
        )
    return RobotMotion(links, tuple(partials), tuple(beams), tips)


def beam_placement(quantities: Quantities, flexible: Flexible) -> tuple[Matrix, Vector]:
    """Rotation and position of a beam's frame in its link's."""
    placement = flexible.placement
    position = [quantities(number, "") for number in placement.translation]  # a beam has no leaves of its own
    return nearest_rotation([vector(row) for row in placement.rotation]), position


def _moved(base: LinkMotion, rotation: Matrix, translation: Vector) -> LinkMotion:
    """A frame that is fixed to another."""
    origins = zip(base.origin, base.rotation, strict=True)
    return LinkMotion(
        [product(coefficient, rotation) for coefficient in base.rotation],
        [add(origin, times(turning, translation)) for origin, turning in origins],
        base.path,
    )
