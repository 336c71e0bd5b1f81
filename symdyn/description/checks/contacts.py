"""Whether rigid contacts, the shapes that they are between, and their settings can be as they are described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from symdyn.description.checks.inertia import LARGEST, check_range
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.rotation import unit_vector
from symdyn.description.collision import LINK_SHAPES, MOST_POINTS, OBSTACLE_SHAPES, SEQUENTIAL, Shape
from symdyn.description.contact_pairs import SURFACES_ON_LINKS, slot_points
from symdyn.description.loads import Stop
from symdyn.description.quantities.expression import Expression
from symdyn.description.rigid_contact import SEGMENT, Part, RigidContact, rigid_contacts, shape_of, shapes_of
from symdyn.description.robot import RobotDescription
from symdyn.description.soft import Soft
from symdyn.description.text.position import at, hint, shown
from symdyn.errors import DescriptionError
from symdyn.interface.contact_solving import TOUCHING

INLINE = ("plane", "cylinder", "sphere")
"""Shapes of surfaces that contacts may have without a name."""
_ALONG_NORMAL = 1e-12
"""Speed along a plane's normal, over the speed, that rounding may leave."""


def check_contact_shapes(description: RobotDescription) -> None:
    """Refuse shapes on links, obstacles and settings that cannot be.

    Raises
    ------
    DescriptionError
        A number out of range, a name that is there twice, stops on a joint whose limits are rows.
    """
    values, source, contact = known_values(description), description.source, description.contact
    for link in description.links:
        for name, count in Counter(collision.name for collision in link.collision).items():
            if count > 1 or not name:
                raise DescriptionError(
                    f"{at(source, link.line)}: link {shown(link.name)}: shape {shown(name)} under collision is there "
                    f"{count} times; names of shapes are not empty and not repeated"
                )
        for collision in link.collision:
            place = f"{at(source, collision.line)}: link {shown(link.name)}: collision.{collision.name}"
            _check_shape(collision.shape, LINK_SHAPES, values, place)
            if collision.shape.inside:
                raise DescriptionError(f"{place}: only obstacles have an inside")
    for name, count in Counter(obstacle.name for obstacle in contact.obstacles).items():
        if count > 1 or not name:
            raise DescriptionError(f"{source}: obstacle {shown(name)} is there {count} times; give each its own name")
    for obstacle in contact.obstacles:
        place = f"{at(source, obstacle.line)}: obstacle {shown(obstacle.name)}"
        _check_shape(obstacle.shape, OBSTACLE_SHAPES, values, place)
        speeds = [value_of(component, values, place) for component in obstacle.velocity]
        moves = any(speed != 0.0 for speed in speeds)
        if moves and obstacle.shape.kind != "plane":
            raise DescriptionError(f"{place}: velocity is that of a plane along itself; leave it out")
        if None not in speeds:
            along = sum(float(speed or 0.0) * n for speed, n in zip(speeds, obstacle.shape.axis, strict=True))
            if abs(along) > _ALONG_NORMAL * sum(abs(speed or 0.0) for speed in speeds):
                raise DescriptionError(
                    f"{place}: velocity has {along:g} m/s along the normal; the surface moves along itself alone"
                )
    _check_settings(description)


def _check_settings(description: RobotDescription) -> None:
    contact, source = description.contact, description.source
    options = contact.options
    for name in ("exit_velocity", "impact_velocity", "tolerance"):
        number = getattr(options, name)
        if not 0.0 <= number <= LARGEST or (name == "tolerance" and number == 0.0):
            least = "above 0" if name == "tolerance" else "at least 0"
            raise DescriptionError(f"{source}: contact_options.{name} is {number:g}; it is {least}")
    if options.max_contacts < 1:
        raise DescriptionError(f"{source}: contact_options.max_contacts is {options.max_contacts}; it is at least 1")
    if not 0 <= options.runtime_slots <= MOST_POINTS:
        raise DescriptionError(
            f"{source}: contact_options.runtime_slots is {options.runtime_slots}; it is from 0 to {MOST_POINTS}"
        )
    if options.runtime_slots and options.impacts == SEQUENTIAL:
        raise DescriptionError(
            f"{source}: contact_options has impacts: sequential and runtime_slots, whose pairs of bodies nobody knows "
            "before; leave one of the two out"
        )
    if options.runtime_slots and any(acting.name == TOUCHING for acting in rigid_contacts(description)):
        raise DescriptionError(
            f"{source}: contact {shown(TOUCHING)} has the name of slots that are filled at run time; give it another"
        )
    restitution = contact.limit_restitution
    if not 0.0 <= restitution <= 1.0:
        raise DescriptionError(f"{source}: limits.restitution is {restitution:g}; it is from 0 to 1")
    for joint in description.joints if contact.limits else ():
        if any(isinstance(load, Stop) for load in joint.loads):
            raise DescriptionError(
                f"{at(source, joint.line)}: joint {shown(joint.name)} has stops, and limits: {{rigid: true}} makes its "
                "range a row; keep one of the two"
            )


def _check_shape(shape: Shape, kinds: tuple[str, ...], values: dict[str, float], place: str) -> None:
    if shape.kind not in kinds:
        raise DescriptionError(f"{place}: {shown(shape.kind)} is none of {', '.join(kinds)}")
    for name, number in shape.numbers:
        check_range(place, name, value_of(number, values, place))
    radius = value_of(shape.radius, values, place)
    round_ones = ("sphere", "capsule", "cylinder")
    if shape.kind in round_ones and radius is not None and not 0.0 < radius <= LARGEST:
        raise DescriptionError(f"{place}: radius is {radius:g} m; it is above 0")
    if shape.kind == "box" and min(shape.size) <= 0.0:
        raise DescriptionError(f"{place}: a box has edges above 0 m, got {' '.join(f'{x:g}' for x in shape.size)}")
    if shape.kind == "hull" and not 1 <= len(shape.points) <= MOST_POINTS:
        raise DescriptionError(f"{place}: a hull has 1 to {MOST_POINTS} vertices, got {len(shape.points)}")
    if unit_vector(shape.axis) is None:
        raise DescriptionError(f"{place}: the axis points nowhere; give a direction such as [0, 0, 1]")
    two = shape.kind == "capsule" or (shape.kind == "cylinder" and kinds is LINK_SHAPES)
    if two:
        first, second = ([value_of(component, values, place) for component in point] for point in shape.points)
        if first == second and None not in first:
            raise DescriptionError(f"{place}: both ends of the axis are one point; give two, or a sphere")


def check_rigid_contact(
    acting: RigidContact, description: RobotDescription, values: Mapping[str, float], place: str
) -> None:
    """Refuse a rigid contact between what does not exist or what no kernel knows, or with a number out of range.

    Raises
    ------
    DescriptionError
        Any of these.
    """
    known = dict(values)
    for name, number in acting.numbers.items():
        value = value_of(number, known, place)
        most = 1.0 if name == "restitution" else LARGEST
        if value is not None and not 0.0 <= value <= most:
            raise DescriptionError(
                f"{place}: {name} is {value:g}; it is {'from 0 to 1' if name == 'restitution' else 'at least 0'}"
            )
    if not acting.of or not acting.against:
        raise DescriptionError(f"{place}: expected at least one shape in 'of', and one in 'with'")
    rods = {link.name: link.soft for link in description.links if link.soft is not None}
    along = [part for part in acting.of if not part.shape and part.inline is None]
    for part in along:
        _check_along(acting, part, rods, known, place)
    rods_against = [part for part in acting.against if part.link in rods and not part.shape and part.inline is None]
    for part in rods_against:
        _check_along(acting, part, rods, known, place)
    if rods_against and (acting.part is not None or isinstance(acting.radius, Expression)):
        raise DescriptionError(
            f"{place}: against soft links all of both are segments, of one radius that is a number; leave out from, to "
            "and run-time parameters"
        )
    if not along and acting.part is not None:
        raise DescriptionError(f"{place}: from and to are of a contact all along a soft link; leave them out")
    if len(acting.of) > 1 and any(part.inline for part in acting.of):
        raise DescriptionError(f"{place}: a sphere at a point is alone in its contact; give it a name under collision")
    if len(acting.against) > 1 and any(part.inline for part in acting.against):
        raise DescriptionError(f"{place}: a surface without a name is alone in its contact; give obstacles")
    if any(part.inline and part.link for part in acting.against) or any(not part.link for part in acting.of):
        raise DescriptionError(f"{place}: 'of' are shapes on links, 'with' shapes on links or obstacles, all by name")
    for part in (*acting.of, *acting.against):
        _check_part(part, description, place)
    for first in acting.of:
        for second in acting.against:
            _check_pair(first, second, description, known, place)


def _check_along(
    acting: RigidContact, part: Part, rods: Mapping[str, Soft], values: dict[str, float], place: str
) -> None:
    soft = rods.get(part.link)
    if soft is None:
        raise DescriptionError(
            f"{place}: link {shown(part.link)} is no soft link; name one of its shapes under collision"
        )
    if acting.radius is None and not soft.section.radius:
        raise DescriptionError(f"{place}: radius: only sections of a soft link that are round have one; give a number")
    if acting.radius is None and soft.deforms:
        raise DescriptionError(
            f"{place}: radius: sections of link {shown(part.link)} deform, and rigid contacts have spheres that do "
            "not; give a number, or a contact with stiffness"
        )
    radius = None if acting.radius is None else value_of(acting.radius, values, place)
    if radius is not None and not 0.0 <= radius <= LARGEST:
        raise DescriptionError(f"{place}: radius is {radius:g} m; it is at least 0")
    start = 0.0 if acting.start is None else acting.start
    end = soft.length if acting.end is None else acting.end
    if not 0.0 <= start < end <= soft.length:
        raise DescriptionError(
            f"{place}: from {start:g} m to {end:g} m is no part of link {shown(part.link)}; expected "
            f"0 <= from < to <= {soft.length:g} m, its length"
        )


def _check_part(part: Part, description: RobotDescription, place: str) -> None:
    links = {link.name: link for link in description.links}
    if part.link and part.link not in links:
        raise DescriptionError(f"{place}: link {shown(part.link)} does not exist{hint(part.link, links)}")
    if part.link and links[part.link].deforms and (part.shape or part.inline is not None):
        raise DescriptionError(
            f"{place}: link {shown(part.link)} deforms, and shapes are of rigid links; fix a link to its tip, or name "
            "the soft link alone for spheres at its stations"
        )
    inline = part.inline
    if inline is not None and inline.kind not in (("sphere",) if part.link else INLINE):
        where = "a sphere at a point" if part.link else "a plane, cylinder or sphere"
        raise DescriptionError(f"{place}: a shape of the contact alone is {where}; name the {inline.kind} elsewhere")
    if shape_of(description, part) is None:
        names = [named.name for named in (links[part.link].collision if part.link else description.contact.obstacles)]
        what = f"link {shown(part.link)} has no shape" if part.link else "there is no obstacle"
        raise DescriptionError(f"{place}: {what} {shown(part.shape)}{hint(part.shape, names)}")


def _check_pair(first: Part, second: Part, description: RobotDescription, values: dict[str, float], place: str) -> None:
    moving, surface = shapes_of(description, first, second)
    assert moving is not None and surface is not None
    on_link = bool(second.link)
    if on_link and surface.kind not in SURFACES_ON_LINKS:
        raise DescriptionError(
            f"{place}: {_named(second)} is a {surface.kind}; other links' shapes "
            f"touch {', '.join(SURFACES_ON_LINKS)} alone: exchange 'of' and 'with', or give it another shape"
        )
    if first.link and first.link == second.link and moving is not SEGMENT:
        raise DescriptionError(f"{place}: {_named(first)} and {_named(second)} are on one link; they cannot move apart")
    if not slot_points(moving, surface):
        inside = " inside" if surface.inside else ""
        raise DescriptionError(
            f"{place}: a {moving.kind} against a {surface.kind}{inside} ({_named(first)}, {_named(second)}) is "
            "not modelled; give the link spheres, capsules or a hull in its place"
        )
    radius, hollow = value_of(moving.radius, values, place), value_of(surface.radius, values, place)
    if surface.inside and radius is not None and hollow is not None and hollow <= radius:
        raise DescriptionError(
            f"{place}: {_named(second)} has a radius of {hollow:g} m; what is inside needs more than its own, "
            f"{radius:g} m"
        )


def _named(part: Part) -> str:
    if part.link:
        return shown(f"{part.link}.{part.shape}" if part.shape else part.link)
    return f"obstacle {shown(part.shape)}" if part.shape else "the surface"
