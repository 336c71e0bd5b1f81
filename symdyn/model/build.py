"""From a description to the indexed tree: order, lumping of fixed links, alignment of axes, coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.description.robot import (
    Attachment,
    Elastic,
    Joint,
    JointKind,
    Limits,
    Link,
    Placement,
    RobotDescription,
)
from symdyn.errors import ModelError
from symdyn.model.drives import drive_of
from symdyn.model.flexible_link import TIP, flexure_numbers, flexure_of, link_integrals
from symdyn.model.joints import FREE, FREE_SPATIAL, JointModel
from symdyn.model.joints.described import joint_chain
from symdyn.model.joints.rotor import Rotor
from symdyn.model.load_options import STANDARD_GRAVITY, LoadOptions
from symdyn.model.lock import lock_joints
from symdyn.model.model import Body, Model, ModelFrame, ModelJoint, PlacedInertial, find_clusters
from symdyn.model.parameter_slots import choose_slots
from symdyn.model.place_beams import BeamPlace, numbers_of, with_beams
from symdyn.model.values import Values, known_values
from symdyn.scalars.floats import FloatAlgebra
from symdyn.spatial.rotations import IDENTITY, Matrix3, snapped
from symdyn.spatial.vectors import product, times, transpose

ROOT_JOINT = "root"
MOTOR = ".motor"
"""What the coordinate of an elastic joint's motor adds to the joint's name."""


@dataclass(slots=True)
class _Place:
    """A link's place while the tree is walked: its body, and the placements from that body's public frame."""

    body: int
    steps: tuple[Placement, ...]
    leaves: tuple[str, ...]


class _Builder:
    """The tree under construction."""

    def __init__(self, robot: RobotDescription, options: LoadOptions) -> None:
        self.robot = robot
        self.options = options
        self.bodies: list[Body] = []
        self.inertials: dict[int, list[PlacedInertial]] = {}
        self.tips: dict[str, ModelFrame] = {}
        self.frames: dict[str, ModelFrame] = {}
        self.bent: dict[str, ModelFrame] = {}
        self.beams: dict[int, BeamPlace] = {}
        self.leaders: dict[str, ModelJoint] = {}
        self.nq = 0
        self.nv = 0
        self.rows = 0

    def joint(self, joint: Joint, label: str, kind: JointModel) -> ModelJoint:
        """Index a joint; followers wait for their leader's rows until the walk is over."""
        made = ModelJoint(
            joint.name, label, kind, self.nq, self.nv, joint.pitch, limits=joint.limits, losses=joint.losses
        )
        if joint.mimic is not None:
            return replace(made, mimic=joint.mimic.joint, multiplier=joint.mimic.multiplier, offset=joint.mimic.offset)
        self.nq += len(made.coordinates.q)
        self.nv += len(made.coordinates.v)
        self.leaders[label] = made
        return made

    def driven_joint(self, joint: Joint, label: str, kind: JointModel) -> ModelJoint:
        """Index a joint; behind a spring, losses and the effort limit are the motor's."""
        made = replace(self.joint(joint, label, kind), spring=joint.spring)
        if joint.elastic is None:
            return replace(made, actuator=drive_of(joint)[0])
        limits = replace(joint.limits, effort=math.inf) if joint.limits is not None else None
        return replace(made, losses=None, limits=limits)

    def add_rotor(self, joint: Joint, elastic: Elastic, link: int) -> None:
        """Append the motor of an elastic joint, whose row follows that of the link's coordinate."""
        indexed = replace(
            self.joint(joint, joint.name + MOTOR, Rotor(self.bodies[link].joint.coordinates.q_units[0])),
            pitch=0.0,
            limits=Limits(effort=joint.limits.effort) if joint.limits is not None else None,
            actuator=elastic.actuator,
            elastic=elastic,
        )
        still = self.bodies[link].alignment
        self.add_body(joint.name + MOTOR, _Place(link, (), ()), indexed, IDENTITY, still, public=False)

    def add_body(
        self, name: str, place: _Place, joint: ModelJoint, rotation: Matrix3, alignment: Matrix3, public: bool = True
    ) -> int:
        """Append a body that hangs at ``place`` (the joint's placement included there)."""
        parent_alignment = self.bodies[place.body].alignment if place.body >= 0 else IDENTITY
        turned = snapped(product(product(transpose(parent_alignment), rotation), alignment))
        self.bodies.append(
            Body(
                name=name,
                parent=place.body,
                joint=joint,
                rotation=turned,
                parent_alignment=parent_alignment,
                alignment=alignment,
                steps=place.steps,
                leaves=place.leaves,
                inertials=(),
                row=self.rows if public else None,
            )
        )
        self.rows += public
        return len(self.bodies) - 1

    def attach(self, joint: Joint, place: _Place) -> _Place:
        """Add the body or bodies that a joint moves; a fixed joint only lengthens the chain of placements."""
        reached = _Place(place.body, (*place.steps, joint.placement), (*place.leaves, joint.name))
        chain = joint_chain(joint)
        for number, part in enumerate(chain, 1):
            last = number == len(chain)
            label = joint.name if len(chain) == 1 else f"{joint.name}.{number}"
            rotation, alignment = _chain_rotation(reached.steps), part.model.aligned(part.axis)
            indexed = self.driven_joint(joint, label, part.model)
            body = self.add_body(joint.child if last else label, reached, indexed, rotation, alignment, public=last)
            reached = _Place(body, (), ()) if last else _Place(body, (Placement(),), ("",))
        if joint.elastic is not None:
            self.add_rotor(joint, joint.elastic, reached.body)
        return reached

    def add_link(self, link: Link, place: _Place) -> None:
        """Record a link's frame and inertial on its body."""
        self.frames[link.name] = ModelFrame(link.name, place.body, place.steps, place.leaves)
        if link.inertial is not None and place.body >= 0:
            placed = PlacedInertial(link.name, link.inertial, place.steps, place.leaves)
            self.inertials.setdefault(place.body, []).append(placed)

    def bend(self, link: Link, place: _Place) -> _Place:
        """Where things on the tip of a link stand: on a body of its own where the link is flexible."""
        if link.flexible is None:
            return place
        integrals = link_integrals(link.name, link.flexible)
        kind, axes = flexure_of(integrals)
        root = link.flexible.placement
        start, reach = numbers_of(root), times(root.rotation, integrals.tip)
        x, y, z = (a + b for a, b in zip(start, reach, strict=True))
        tip, back = Placement((x, y, z)), Placement((-x, -y, -z))
        name = link.name + TIP
        made = self.joint(Joint(name, JointKind.FIXED, link.name, name), link.name, kind)
        indexed = replace(made, losses=None, numbers=flexure_numbers(kind, axes, integrals))
        at_tip = _Place(place.body, (*place.steps, tip), (*place.leaves, ""))
        alignment = snapped(product(root.rotation, axes))
        body = self.add_body(name, at_tip, indexed, _chain_rotation(place.steps), alignment)
        self.beams[body] = BeamPlace(link.name, integrals, (*place.steps, root), (*place.leaves, ""))
        self.tips[link.name] = ModelFrame(name, body, (), ())
        self.bent[link.name] = ModelFrame(link.name, body, (back,), ("",))
        return _Place(body, (back,), ("",))

    def walk(self) -> None:
        """Depth first from the root, siblings in byte order of their joints' names, without recursion.

        What hangs on the tip of a flexible link comes before what hangs on its root.
        """
        links = {link.name: link for link in self.robot.links}
        children: dict[str, list[Joint]] = {}
        for joint in sorted(self.robot.joints, key=lambda joint: joint.name.encode(), reverse=True):
            children.setdefault(joint.parent, []).append(joint)
        place = _Place(-1, (), ())
        floating = self.options.floating_base
        if self.robot.floating_base if floating is None else floating:
            kind: JointModel = FREE_SPATIAL if self.options.convention == "spatial" else FREE
            base = Joint(ROOT_JOINT, JointKind.FLOATING, "", self.robot.root)
            indexed = self.joint(base, ROOT_JOINT, kind)
            place = _Place(self.add_body(self.robot.root, place, indexed, IDENTITY, IDENTITY), (), ())
        pending: list[tuple[Joint, _Place]] = []

        def reach(link: Link, reached: _Place) -> None:
            self.add_link(link, reached)
            places = {Attachment.ROOT: reached, Attachment.TIP: self.bend(link, reached)}
            for attached, found in places.items():
                pending.extend((below, found) for below in children.get(link.name, []) if below.at is attached)

        reach(links[self.robot.root], place)
        while pending:  # a joint is attached when it is visited, so that rows and bodies are numbered depth first
            joint, place = pending.pop()
            reach(links[joint.child], self.attach(joint, place))

    def resolved_bodies(self) -> tuple[Body, ...]:
        """Bodies with followers pointed at their leaders' rows and inertials attached."""
        resolved = []
        for index, body in enumerate(self.bodies):
            joint = body.joint
            if joint.mimic is not None:
                leader = self.leaders.get(joint.mimic)
                if leader is None:
                    raise ModelError(
                        f"joint '{joint.joint}' mimics '{joint.mimic}', which owns no coordinate; lock both or neither"
                    )
                joint = replace(joint, q_index=leader.q_index, v_index=leader.v_index)
            resolved.append(replace(body, joint=joint, inertials=tuple(self.inertials.get(index, ()))))
        return tuple(resolved)


def _chain_rotation(steps: Sequence[Placement]) -> Matrix3:
    turned: Matrix3 = IDENTITY
    for step in steps:
        turned = snapped(product(turned, step.rotation))
    return turned


def build_model(robot: RobotDescription, options: LoadOptions) -> Model:
    """The indexed tree of a robot.

    Bodies come depth first, siblings sorted by joint name; links fixed to each other are one body, named by the link
    nearest the root, and remain frames.

    Raises
    ------
    ModelError
        An option that does not fit the robot: unknown locked joint or run-time name; no moving joint.
    """
    robot = lock_joints(robot, options.locked_joints or {}, options.runtime)
    builder = _Builder(robot, options)
    builder.walk()
    if not builder.bodies:
        raise ModelError(
            f"robot '{robot.name}' has no moving joint; give it one, or free its base: "
            "floating_base=True, on the command line --floating-base"
        )
    gravity = next(g for g in (options.gravity, robot.gravity, STANDARD_GRAVITY) if g is not None)
    for name in options.runtime:
        if name.endswith((".damping", ".friction")) and not options.joint_losses:
            raise ModelError(
                f"run-time parameter '{name}' has no effect while joint losses are left out; add joint_losses=True"
            )
    slots = choose_slots(robot, options.runtime, known_values(robot, gravity))
    bodies = with_beams(builder.resolved_bodies(), builder.beams, Values(robot.parameters, slots, FloatAlgebra(), ()))
    links = [frame for link in robot.links for frame in (builder.frames[link.name], builder.tips.get(link.name))]
    frames = tuple(frame for frame in links if frame is not None)
    model = Model(
        name=robot.name,
        bodies=bodies,
        clusters=find_clusters(bodies),
        frames=frames + _extra_frames(robot, builder.frames, builder.bent),
        nq=builder.nq,
        nv=builder.nv,
        gravity=gravity,
        convention=options.convention,
        joint_losses=options.joint_losses,
        slots=slots,
        parameters=robot.parameters,
    )
    for names in (model.coordinate_names, model.velocity_names):
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise ModelError(
                f"two coordinates of robot '{robot.name}' would be called '{repeated}'; rename the joint that has this "
                "name, or that takes it by its suffix"
            )
    return model


def _extra_frames(
    robot: RobotDescription, links: Mapping[str, ModelFrame], bent: Mapping[str, ModelFrame]
) -> tuple[ModelFrame, ...]:
    """The extra frames; ``bent`` are the frames of flexible links as their tips carry them, parallel to the links'."""
    found = []
    for frame in robot.frames:
        place = bent.get(frame.link, links[frame.link]) if frame.at is Attachment.TIP else links[frame.link]
        found.append(ModelFrame(frame.name, place.body, (*place.steps, frame.placement), (*place.leaves, "")))
    return tuple(found)
