"""Where what acts on a robot stands: the motion of places on links, of extra frames and of sections of rods."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.description.external_loads import Site
from symdyn.description.robot import Attachment, Number, RobotDescription
from symdyn.verify.base.matrices import (
    Matrix,
    Vector,
    identity,
    nearest_rotation,
    product,
    rotation_rate,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion, beam_placement, moved
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.rod_motion import section_curves
from symdyn.verify.oracle.rod_sections import node_name
from symdyn.verify.oracle.tree import Tree, tip_name


def site_motion(
    description: RobotDescription, tree: Tree, quantities: Quantities, motion: RobotMotion, site: Site
) -> LinkMotion:
    """The motion of a place."""
    if site.frame in description.tips:
        return motion.links[tip_name(description.tips[site.frame])]
    if site.frame:
        frame = next(own for own in description.frames if own.name == site.frame)
        turning = nearest_rotation([vector(row) for row in frame.placement.rotation])
        return standing(tree, quantities, motion, frame.link, frame.at, turning, frame.placement.translation)[1]
    return standing(tree, quantities, motion, site.link, site.at, identity(), site.point)[1]


def spin(moving: LinkMotion) -> Vector:
    """Angular velocity in the world."""
    return rotation_rate(moving.rotation)[0]


def standing(
    tree: Tree,
    quantities: Quantities,
    motion: RobotMotion,
    link: str,
    at: Attachment | float,
    turning: Matrix,
    point: Sequence[Number],
) -> tuple[str, LinkMotion]:
    """A frame on a link: what carries it, and its motion; in a section it is parallel to the link's frame at rest."""
    arm = [quantities(number, "") for number in point]
    if isinstance(at, float):
        place = next(own for own in tree.rods if own.joint.parent == link)
        assert place.soft is not None
        index = min(range(len(place.rod.nodes)), key=lambda k: abs(place.rod.nodes[k].x - at))
        axes, _ = beam_placement(quantities, place.soft)
        straight = section_curves(place.rod, [[0 * place.rod.nodes[0].x] * place.rod.size])[index].rotation[0]
        parallel, carrier = transpose(product(axes, straight)), node_name(link, index)
        return carrier, moved(motion.links[carrier], product(parallel, turning), times(parallel, arm))
    if at.moves and tip_name(link) in motion.tips:
        link = tip_name(link)
        arm = subtract(arm, motion.tips[link]) if at is Attachment.TIP else arm
    return link, moved(motion.links[link], turning, arm)
