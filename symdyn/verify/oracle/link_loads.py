"""What loads at the frames of links take, and what acts on a robot from outside, in its motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from symdyn.description.loads import Load
from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real, Vector
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion
from symdyn.verify.oracle.outer_wrenches import outer_wrenches
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.tree import Tree

Needed = Callable[[Mapping[str, Real], LinkMotion], tuple[Vector, Vector]]
"""Force and moment in world axes, at the origin of the link's frame, that motion needs against a load."""
NEEDED: dict[type[Load], Needed] = {}


def link_loads(
    description: RobotDescription, tree: Tree, quantities: Quantities, motion: RobotMotion, gravity: Vector
) -> Iterator[tuple[LinkMotion, Vector, Vector]]:
    """Per load of a link its link's motion, force and moment; then what acts from outside, likewise.

    Raises
    ------
    VerificationError
        A kind of load that is not known here.
    """
    for link in description.links:
        for load in link.loads:
            if type(load) not in NEEDED:
                raise VerificationError(
                    f"the {load.key} of link '{link.name}' is none of the loads that can be verified "
                    f"({', '.join(kind.key for kind in NEEDED) or 'none'}); verify the robot without it"
                )
            numbers = {
                name: quantities(number, f"{link.name}.{load.key}.{name}") for name, number in load.numbers.items()
            }
            yield motion.links[link.name], *NEEDED[type(load)](numbers, motion.links[link.name])
    yield from outer_wrenches(description, tree, quantities, motion, gravity)


def unloaded(description: RobotDescription) -> RobotDescription:
    """The robot without loads on links, and without what acts from outside, but for what stores energy."""
    acting = tuple(own for own in description.acting if own.weighs)
    return replace(description, links=tuple(replace(link, loads=()) for link in description.links), acting=acting)
