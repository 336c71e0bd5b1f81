"""The tree of a model under construction: bodies in the order in which they are met, and rows of q and v for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from symdyn.algebra.spatial.rotations import IDENTITY, Matrix3, snapped
from symdyn.algebra.spatial.vectors import product, transpose
from symdyn.description.robot import Elastic, Inertial, Joint, JointKind, Limits, Link, Load, Placement
from symdyn.errors import ModelError
from symdyn.model.bodies import Body, ModelFrame, ModelJoint, PlacedInertial, PlacedLoad
from symdyn.model.drives import drive_of
from symdyn.model.joints import JointModel
from symdyn.model.joints.described import joint_chain
from symdyn.model.joints.following import Following
from symdyn.model.joints.rotor import Rotor
from symdyn.model.parameter_names import Way, rotation_along
from symdyn.model.rod_matter import Factors

NO_NUMBERS: Mapping[str, float] = MappingProxyType({})
MOTOR = ".motor"
"""What the coordinate of an elastic joint's motor adds to the joint's name."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a body (-1: the ground), and the way from that body's public frame."""

    body: int
    way: Way = ()

    def beyond(self, placement: Placement, joint: str = "") -> Place:
        """A place behind one more placement, whose leaves the joint names."""
        return Place(self.body, (*self.way, (placement, joint)))

    def frame(self, name: str) -> ModelFrame:
        """A public frame here."""
        return ModelFrame(name, self.body, self.way)

    @property
    def rotation(self) -> Matrix3:
        """Axes of the place in those of the body's public frame."""
        return rotation_along(self.way)


class GrowingTree:
    """Bodies, and what stands on them, as a walk from the root meets them."""

    def __init__(self, convention: str = "") -> None:
        self._convention = convention
        self.bodies: list[Body] = []
        self.places: dict[str, Place] = {}
        """Of links by name."""
        self.nq = 0
        self.nv = 0
        self._rows = 0
        self._inner = 0
        self._inertials: dict[int, list[PlacedInertial]] = {}
        self._loads: dict[int, list[PlacedLoad]] = {}
        self._leaders: dict[str, ModelJoint] = {}

    def joint(self, joint: Joint, label: str, kind: JointModel) -> ModelJoint:
        """Index a joint; followers wait for their leader's rows until the walk is over."""
        known = {"pitch": joint.pitch}
        numbers = tuple((name, known[name]) for name in kind.constants if name in known)
        made = ModelJoint(joint.name, label, kind, self.nq, self.nv, numbers, limits=joint.limits, losses=joint.losses)
        if joint.mimic is not None:
            leaders, gains = zip(*joint.mimic.terms, strict=True)
            following = Following(kind, len(leaders))
            led = zip(following.coordinate_map.constants, (*gains, joint.mimic.offset), strict=True)
            return replace(made, kind=following, numbers=(*numbers, *led), leaders=leaders)
        self.nq += len(made.coordinates.q)
        self.nv += len(made.coordinates.v)
        self._leaders[label] = made
        return made

    def deforming_joint(self, name: str, label: str, kind: JointModel) -> ModelJoint:
        """Index the coordinates of a deformable body as a joint; no losses of joints act on them."""
        return replace(self.joint(Joint(name, JointKind.FIXED, label, name), label, kind), losses=None)

    def inner_joint(self, label: str, kind: JointModel) -> ModelJoint:
        """Index a joint of which the rows follow from those of a rod."""
        rows, self._inner = kind.coordinates, self._inner + 1
        place = self._inner - 1
        return ModelJoint(label, label, kind, len(rows.q) * place, len(rows.v) * place, inner=True)

    def add_body(self, name: str, place: Place, joint: ModelJoint, alignment: Matrix3, public: bool = True) -> Place:
        """Append a body that hangs at ``place`` (the joint's placement included there), and return its frame's place.

        ``alignment`` takes the joint's axes to those of its public frame.
        """
        parent_alignment = self.bodies[place.body].alignment if place.body >= 0 else IDENTITY
        turned = snapped(product(product(transpose(parent_alignment), place.rotation), alignment))
        row = self._rows if public else None
        self._rows += public
        self.bodies.append(
            Body(name, place.body, joint, turned, parent_alignment, alignment, place.way, inertials=(), row=row)
        )
        return Place(len(self.bodies) - 1)

    def attach(self, joint: Joint, place: Place) -> Place:
        """Add the body or bodies that a joint moves; a fixed joint only lengthens the chain of placements."""
        reached = place.beyond(joint.placement, joint.name)
        chain = joint_chain(joint, self._convention)
        for number, part in enumerate(chain, 1):
            last = number == len(chain)
            label = joint.name if len(chain) == 1 else f"{joint.name}.{number}"
            alignment, indexed = part.model.aligned(part.axis), self._driven(joint, label, part.model)
            reached = self.add_body(joint.child if last else label, reached, indexed, alignment, public=last)
            reached = reached if last else reached.beyond(Placement())
        limits = joint.limits or Limits()
        for load in joint.loads:
            self.add_loads(joint.name, (load,), reached, load.bounds(limits.lower, limits.upper))
        if joint.elastic is not None:
            self._add_rotor(joint, joint.elastic, reached)
        return reached

    def _driven(self, joint: Joint, label: str, kind: JointModel) -> ModelJoint:
        """Index a joint; behind a spring, losses and the effort limit are the motor's."""
        made = self.joint(joint, label, kind)
        if joint.elastic is None:
            return replace(made, actuator=drive_of(joint)[0])
        limits = replace(joint.limits, effort=math.inf) if joint.limits is not None else None
        return replace(made, losses=None, limits=limits)

    def _add_rotor(self, joint: Joint, elastic: Elastic, place: Place) -> None:
        """Append the motor of an elastic joint, whose row follows that of the link's coordinate."""
        link = self.bodies[place.body]
        indexed = replace(
            self.joint(joint, joint.name + MOTOR, Rotor(link.joint.coordinates.q_units[0])),
            limits=Limits(effort=joint.limits.effort) if joint.limits is not None else None,
            actuator=elastic.actuator,
            elastic=elastic,
        )
        self.add_body(joint.name + MOTOR, place, indexed, link.alignment, public=False)

    def add_link(self, link: Link, place: Place) -> None:
        """Record a link's frame, inertial and loads on its body."""
        self.places[link.name] = place
        if link.inertial is not None:
            self.add_inertial(link.name, link.inertial, place)
        self.add_loads(link.name, link.loads, place)

    def add_inertial(self, name: str, inertial: Inertial, place: Place, factors: Factors = ()) -> None:
        """Record an inertial on its body; the ground's counts for nothing."""
        if place.body >= 0:
            self._inertials.setdefault(place.body, []).append(PlacedInertial(name, inertial, place.way, factors))

    def add_loads(self, owner: str, loads: Iterable[Load], place: Place, own: Mapping[str, float] = NO_NUMBERS) -> None:
        """Record loads on a body, with numbers of their place; those on the ground move nothing."""
        placed = [PlacedLoad(owner, load, place.way, tuple(own.items())) for load in loads]
        self._loads.setdefault(place.body, []).extend(placed)

    def add_gauged(self, owner: str, load: Load, place: Place, gauge: int, own: Mapping[str, float]) -> None:
        """Record a load on a body with numbers of its place, and the body that tells a radius there."""
        other = (gauge, Place(gauge).way)
        self._loads.setdefault(place.body, []).append(
            PlacedLoad(owner, load, place.way, tuple(own.items()), other=other)
        )

    def add_pair(
        self, owner: str, load: Load, first: Place, second: Place, sizes: Mapping[str, float] = NO_NUMBERS
    ) -> None:
        """Record a load between two places on the body of one that moves; between two on one body it does nothing."""
        if first.body == second.body:
            return
        own, other = (first, second) if first.body >= 0 else (second, first)
        placed = PlacedLoad(
            owner, load, own.way, tuple(sizes.items()), other=(other.body, other.way), first=own is first
        )
        self._loads.setdefault(own.body, []).append(placed)

    def resolved(self) -> list[Body]:
        """Bodies with followers pointed at their leaders' rows, inertials and loads attached.

        Raises
        ------
        ModelError
            A joint that mimics one without a coordinate.
        """
        return [
            replace(
                body,
                joint=_follower(body.joint, self._leaders),
                inertials=tuple(self._inertials.get(index, ())),
                loads=tuple(self._loads.get(index, ())),
            )
            for index, body in enumerate(self.bodies)
        ]


def _follower(joint: ModelJoint, leaders: Mapping[str, ModelJoint]) -> ModelJoint:
    """The joint, with the rows of its leaders if it has any."""
    if not joint.leaders:
        return joint
    for name in joint.leaders:
        if name not in leaders:
            raise ModelError(f"joint '{joint.joint}' mimics '{name}', which owns no coordinate; lock both or neither")
    led = tuple((leaders[name].q_index, leaders[name].v_index) for name in joint.leaders)
    return replace(joint, q_index=led[0][0], v_index=led[0][1], led=led)
