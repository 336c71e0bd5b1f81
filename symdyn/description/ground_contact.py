"""All collision shapes of a robot against the plane z = 0."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.description.collision import Collision, Obstacle, Shape
from symdyn.description.contact_pairs import slot_points
from symdyn.description.file_pairs import still_links
from symdyn.description.rigid_contact import Part, RigidContact
from symdyn.description.robot import RobotDescription
from symdyn.errors import DescriptionError

GROUND = "ground"
_FRICTION = 0.8


def on_ground(
    robot: RobotDescription, replaced: Collection[str] = (), *, floating_base: bool | None
) -> RobotDescription:
    """The robot with all shapes of links that move against the ground.

    Parameters
    ----------
    robot
        The robot; shapes under ``collision``, and those fitted to its meshes, come before those of its file by the same
        name.
    replaced
        Links whose shapes under ``collision`` stand for all shapes that the file gives them.
    floating_base
        As for :func:`symdyn.load`; links that nothing moves stand still.

    Raises
    ------
    DescriptionError
        No shape at all.
    """
    source = robot.source or robot.name
    still = still_links(robot, floating_base)
    plane, parts, links, count = Shape("plane"), list[Part](), [], 0
    for link in robot.links:
        shapes = {collision.name: collision for collision in link.collision}
        for geometry in link.geometry if link.name not in still and link.name not in replaced else ():
            if geometry.name in shapes:
                continue
            if isinstance(geometry, Collision) and geometry.shape.kind != plane.kind:
                shapes[geometry.name] = geometry
        links.append(replace(link, collision=tuple(shapes.values())))
        if link.name not in still and not link.deforms:
            parts += [Part(link.name, name) for name in shapes]
            count += sum(len(slot_points(collision.shape, plane)) for collision in shapes.values())
        elif link.soft is not None:
            parts.append(Part(link.name))
    if not parts:
        raise DescriptionError(
            f"{source}: contacts='ground': no moving link has a collision shape; give a file of contacts with shapes "
            f"under collision{', or free the base by floating_base=True' if still else ''}"
        )
    radius = None if any(link.soft is not None and link.soft.section.radius for link in links) else 0.0
    ground = RigidContact(GROUND, tuple(parts), (Part(shape=GROUND),), _FRICTION, radius=radius)
    note = f"contacts='ground': {len(parts)} shapes may touch the plane z = 0 at {count} points, with friction 0.8"
    if still:
        note += "; the base stands still, and floating_base=True (--floating-base) frees it"
    return replace(
        robot,
        links=tuple(links),
        acting=(*robot.acting, ground),
        contact=replace(robot.contact, obstacles=(*robot.contact.obstacles, Obstacle(GROUND, plane))),
        warnings=(*robot.warnings, note),
    )
