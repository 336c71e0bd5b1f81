"""Pairs of shapes that a robot file lets touch, as rigid contacts: with obstacles where a shape stands in the world."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from symdyn.description.collision import OBSTACLE_SHAPES, Collision, Obstacle, OfferedPair, Shape
from symdyn.description.contact_pairs import SURFACES_ON_LINKS, slot_points
from symdyn.description.quantities.placement import Matrix3, Placement, Vector3
from symdyn.description.rigid_contact import Part, RigidContact
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.description.text.notice import NOT_TOUCHING, Notice
from symdyn.description.text.position import shown
from symdyn.errors import DescriptionError

ASKED = "contacts='file'"
_LENIENT = "leave it out by strict=False, on the command line --no-strict"
_FITTED = "in a file of contacts write file_pairs: true, and collision: {{{link}: {{tip: {{sphere: 0.02}}}}}}"


def still_links(robot: RobotDescription, floating_base: bool | None) -> dict[str, Placement]:
    """The links that stand still in the world, with their places."""
    if floating_base or robot.floating_base:
        return {}
    placements = {robot.root: Placement()}
    frontier = [robot.root]
    while frontier:
        above = frontier.pop()
        for joint in robot.joints:
            if joint.kind is JointKind.FIXED and joint.parent == above:
                placements[joint.child] = _after(placements[above], joint.placement)
                frontier.append(joint.child)
    return placements


def _after(first: Placement, second: Placement) -> Placement:
    columns = [_turned(first.rotation, [row[way] for row in second.rotation]) for way in range(3)]
    a, b, c = ((columns[0][row], columns[1][row], columns[2][row]) for row in range(3))
    return Placement(_moved(first, second.translation), (a, b, c))


def _turned(rotation: Matrix3, vector: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (sum(entry * part for entry, part in zip(row, vector, strict=True)) for row in rotation)
    return x, y, z


def _moved(at: Placement, point: Vector3) -> Vector3:
    turned = _turned(at.rotation, [float(x) for x in point])  # type: ignore[arg-type]
    x, y, z = (float(start) + x for start, x in zip(at.translation, turned, strict=True))  # type: ignore[arg-type]
    return x, y, z


def _in_world(shape: Shape, at: Placement) -> Shape:
    columns = [_turned(at.rotation, [row[way] for row in shape.rotation]) for way in range(3)]
    a, b, c = ((columns[0][row], columns[1][row], columns[2][row]) for row in range(3))
    points = tuple(_moved(at, point) for point in shape.points)
    return replace(shape, points=points, rotation=(a, b, c), axis=_turned(at.rotation, shape.axis))


def _stays(warning: str) -> bool:
    """Whether a warning is not of pairs that are contacts now."""
    return not (isinstance(warning, Notice) and warning.brief in NOT_TOUCHING)


@dataclass(frozen=True, slots=True)
class _End:
    """A shape of a pair; ``still`` where it stands in the world."""

    link: str
    shape: Collision
    still: Placement | None

    @property
    def label(self) -> str:
        """What messages call it."""
        return shown(f"{self.link}.{self.shape.name}")

    @property
    def part(self) -> Part:
        """It as a shape of its link."""
        return Part(self.link, self.shape.name)

    @property
    def may_be_touched(self) -> bool:
        """Whether it may be the surface of a pair; a cylinder in the world has ends, which those of obstacles lack."""
        kinds = SURFACES_ON_LINKS if self.still is None else OBSTACLE_SHAPES[:-1]
        return self.shape.shape.kind in kinds


def contacts_of_file(
    robot: RobotDescription, replaced: Collection[str] = (), *, floating_base: bool | None, lenient: bool
) -> RobotDescription:
    """The robot with contacts between the pairs of shapes that its own file lets touch.

    Parameters
    ----------
    robot
        The robot; shapes under ``collision`` come before those of the file by the same name.
    replaced
        Links whose shapes under ``collision`` stand for all shapes that the file gives them.
    floating_base
        As for :func:`symdyn.load`.
    lenient
        Leave out, with a warning, pairs that no kernel knows and friction that rigid contacts do not have.

    Raises
    ------
    DescriptionError
        A pair that cannot be, or none at all.
    """
    made = _Pairs(robot, frozenset(replaced), still_links(robot, floating_base), lenient)
    for pair in robot.offered:
        made.add(pair)
    return made.robot()


class _Pairs:
    def __init__(
        self, robot: RobotDescription, replaced: frozenset[str], still: dict[str, Placement], lenient: bool
    ) -> None:
        self._robot, self._replaced, self._still, self._lenient = robot, replaced, still, lenient
        self._links = {link.name: link for link in robot.links}
        self._used: dict[str, dict[str, Collision]] = {link.name: {} for link in robot.links}
        self._obstacles: dict[str, Obstacle] = {obstacle.name: obstacle for obstacle in robot.contact.obstacles}
        self._standing: dict[tuple[str, str], str] = {}
        self._of: dict[tuple[Part, float], list[Part]] = {}
        self._met: dict[tuple[Part, Part], tuple[_End, _End, float]] = {}
        self._left: list[str] = []
        self._points = 0
        self._source = robot.source or robot.name

    def add(self, pair: OfferedPair) -> None:
        """A pair of the file, or of shapes that stand for its own."""
        named = f"{shown('.'.join(pair.first))} and {shown('.'.join(pair.second))}"
        if pair.beyond and not self._lenient:
            raise self._refusal(f"{named}: {pair.beyond}, which rigid contacts do not have; {_LENIENT}")
        if pair.beyond:
            self._left.append(f"{named}: {pair.beyond}")
        for first in self._ends(*pair.first):
            for second in self._ends(*pair.second):
                key = (first.part, second.part)
                before = self._met.get(key)
                self._met[key] = (first, second, max(pair.friction, before[2] if before else 0.0))

    def _refusal(self, said: str) -> DescriptionError:
        return DescriptionError(f"{self._source}: {ASKED}: {said}")

    def _ends(self, link: str, name: str) -> Iterator[_End]:
        its_link, still = self._links[link], self._still.get(link)
        if link in self._replaced:
            yield from (_End(link, shape, still) for shape in its_link.collision)
            return
        shapes = {shape.name: shape for shape in (*its_link.geometry, *its_link.collision)}
        collision = shapes[name]
        if isinstance(collision, Collision):
            yield _End(link, collision, still)
        elif collision.address:
            raise self._refusal(
                f"{shown(f'{link}.{name}')} is a mesh, and contacts are between simple shapes; in a file of contacts "
                f"write file_pairs: true, and collision: {{{link}: fit sphere}}, or {{{link}: {{hull: 16}}}}"
            )
        else:
            raise self._refusal(f"{shown(f'{link}.{name}')}: {collision.fault}; {_FITTED.format(link=link)}")

    def _join(self, first: _End, second: _End, friction: float) -> None:
        orders = ((moving, surface) for moving, surface in ((second, first), (first, second)) if surface.may_be_touched)
        known = ((m, s, slot_points(m.shape.shape, s.shape.shape)) for m, s in orders)
        moving, surface, points = next((pair for pair in known if pair[2]), (first, second, ()))
        if not points:
            kinds = f"a {first.shape.shape.kind} and a {second.shape.shape.kind}"
            said = f"{first.label} and {second.label}: {kinds} have no kernel"
            if not self._lenient:
                raise self._refusal(f"{said}; {_LENIENT}, or {_FITTED.format(link=first.link)}")
            self._left.append(said)
            return
        of = self._of.setdefault((self._surface(surface), friction), [])
        if (part := self._part(moving)) not in of:
            of.append(part)
            self._points += len(points)

    def _part(self, end: _End) -> Part:
        self._used[end.link][end.shape.name] = end.shape
        return end.part

    def _surface(self, end: _End) -> Part:
        if end.still is None:
            return self._part(end)
        key = (end.link, end.shape.name)
        if key not in self._standing:
            name = end.shape.name if end.shape.name not in self._obstacles else f"{end.link}.{end.shape.name}"
            self._standing[key] = name
            self._obstacles[name] = Obstacle(name, _in_world(end.shape.shape, end.still), line=end.shape.line)
        return Part(shape=self._standing[key])

    def robot(self) -> RobotDescription:
        """The robot with all pairs."""
        for first, second, friction in self._met.values():
            self._join(first, second, friction)
        if not self._of:
            raise self._refusal("no two shapes of the file may touch; use contacts='ground', or a file of contacts")
        groups: dict[tuple[tuple[Part, ...], float], list[Part]] = {}
        for (surface, friction), of in self._of.items():
            groups.setdefault((tuple(of), friction), []).append(surface)
        taken, acting = {element.name for element in self._robot.acting}, list(self._robot.acting)
        for (parts, friction), against in groups.items():
            usual = name = ".".join(part for part in ("contact", against[0].link, against[0].shape) if part)
            while name in taken:
                name = f"{usual}~{len(taken)}"
            taken.add(name)
            acting.append(RigidContact(name, parts, tuple(against), friction))
        return replace(
            self._robot,
            links=tuple(map(self._shaped, self._robot.links)),
            acting=tuple(acting),
            contact=replace(self._robot.contact, obstacles=tuple(self._obstacles.values())),
            warnings=(*filter(_stays, self._robot.warnings), *self._notes()),
        )

    def _shaped(self, link: Link) -> Link:
        known = {collision.name for collision in link.collision}
        more = (collision for name, collision in self._used[link.name].items() if name not in known)
        return replace(link, collision=(*link.collision, *more))

    def _notes(self) -> Iterator[str]:
        count = sum(map(len, self._of.values()))
        yield (
            f"{ASKED}: {count} pairs of shapes may touch at {self._points} points; solref, solimp, margin and gap are "
            "left out, because these contacts are rigid"
        )
        if self._left:
            more = f", and {len(self._left) - 1} more" if len(self._left) > 1 else ""
            yield f"{ASKED}: left out: {self._left[0]}{more}"
