"""Bodies and joints of a compiled model to links and joints."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.description.external_loads import Site
from symdyn.description.fluid import Buoyancy
from symdyn.description.load_settings import LoadSettings
from symdyn.description.loads import BallSpring, Load, Spring
from symdyn.description.mjcf.placements import about, after, along, between, placed, rotation_of
from symdyn.description.mjcf.record import BodyRecord, JointRecord, MjJoint, ModelRecord, Triple, unlike
from symdyn.description.mjcf.refusals import Refusals
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Actuator, Inertial, Joint, JointKind, Limits, Link, Losses, Mimic
from symdyn.description.text.notice import LIMITS, Notice, doubt
from symdyn.description.text.position import on_line

WORLD = "world"
_ORIGIN: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Tree:
    """Links and joints; ``names`` has the link of each body, by its number."""

    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Taken:
    """Names that are taken: of links and frames, and of joints."""

    links: set[str]
    joints: set[str]

    def joint(self, name: str) -> str:
        """A name for a joint that the file does not have."""
        found = unlike(name, self.joints)
        self.joints.add(found)
        return found


def tree_of(model: ModelRecord, mimics: Mapping[str, Mimic], frames: Collection[str], refusals: Refusals) -> Tree:
    """The tree of all bodies, of which the world is the root.

    A body of several joints hangs on massless links, one for each joint but the last. Where the last turns about a
    point that is not the body's origin there is one more, and the body is fixed to it. Names that are made here are
    unlike those of bodies, joints and ``frames``.
    """
    names = tuple(body.name for body in model.bodies)
    taken, links, joints = (
        _Taken({*names, *frames}, {joint.name for joint in model.joints}),
        [Link(names[0])],
        list[Joint](),
    )
    for body, name in zip(model.bodies[1:], names[1:], strict=True):
        parent = names[body.parent]
        for joint, massless in _chain(body, parent, mimics, refusals, taken):
            joints.append(joint)
            if massless:
                links.append(Link(joint.child))
        links.append(Link(name, _inertial(body), refusals.line("body", name)))
    return Tree(tuple(links), tuple(joints), names)


def lifts_of(model: ModelRecord, runtime: Collection[str], refusals: Refusals) -> Iterator[Buoyancy]:
    """What takes a share of bodies' weight away: the buoyancy of as many cubic metres at 1 kg/m^3 as that is kg.

    That is of the mass and centre of mass in the file: those of such bodies may not be known at ``runtime`` alone.
    """
    for body in model.bodies[1:] if model.passive else ():
        free = next((joint for joint in body.joints if joint.kind is MjJoint.FREE), None)
        if free is not None and any(free.armature) and body.gravcomp > 0.0 and any(body.ipos):
            said = "gravcomp acts at its centre of mass, and the armature of its free joint at its origin"
            refusals.refuse("body", body.name, said)
        elif body.gravcomp > 0.0 and (told := [name for name in runtime if name in _weighing(body.name)]):
            said = f"gravcomp takes off the weight that the file gives, and {told[0]} is known at run time alone"
            refusals.refuse("body", body.name, said)
        elif body.gravcomp > 0.0 and body.mass:
            yield Buoyancy(f"fluid.{body.name}", Site(body.name, point=body.ipos), 1.0, body.gravcomp * body.mass)


def _weighing(name: str) -> set[str]:
    """Names of the quantities on which the weight of a body and its place rest."""
    return {f"{name}.{quantity}" for quantity in ("mass", "com.x", "com.y", "com.z")}


def standing_settings(model: ModelRecord, joints: Sequence[Joint], refusals: Refusals) -> LoadSettings:
    """Bodies that are moved from outside stand still where the file draws them, unless the caller frees them."""
    moved = [body.name for body in model.bodies if body.mocap]
    held = [joint.name for joint in joints if joint.kind is JointKind.FLOATING and joint.child in moved]
    if held:
        said = f"{', '.join(held)}: moved from outside (mocap), and held at rest; locked_joints={{}} frees them"
        refusals.warnings.append(Notice(said, "{mocap body} held at rest", len(held)))
    return LoadSettings(locked_joints=tuple((name, _UNMOVED) for name in held))


_UNMOVED = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def _inertial(body: BodyRecord) -> Inertial | None:
    if not body.mass and not any(body.inertia):
        return None
    xx, yy, zz = body.inertia
    return Inertial(body.mass, (xx, 0.0, 0.0, yy, 0.0, zz), placed(body.ipos, body.iquat))


def _chain(
    body: BodyRecord, parent: str, mimics: Mapping[str, Mimic], refusals: Refusals, taken: _Taken
) -> Iterator[tuple[Joint, bool]]:
    """The joints from a body's parent to it, and whether each ends at a link that is no body."""
    at = placed(body.pos, body.quat)
    if not body.joints:
        kind = JointKind.FLOATING if body.mocap else JointKind.FIXED
        yield Joint(taken.joint(body.name), kind, parent, body.name, at, line=refusals.line("body", body.name)), False
        return
    stood: Triple = _ORIGIN
    """Where the frame before stands, in the body's axes from its origin."""
    for number, joint in enumerate(body.joints, 1):
        anchor = joint.pos if joint.kind in (MjJoint.HINGE, MjJoint.BALL) else _ORIGIN
        ends = number == len(body.joints) and not any(anchor)
        child = body.name if ends else unlike(f"{body.name}.{joint.name}", taken.links)
        taken.links.add(child)
        reached = Placement() if joint.kind is MjJoint.FREE else _reached(joint, after(at, between(stood, anchor)))
        yield _joint(joint, parent, child, reached, mimics.get(joint.name), refusals), not ends
        at, stood, parent = Placement(), anchor, child
    if parent != body.name:
        yield (
            Joint(
                taken.joint(f"{body.name}.origin"),
                JointKind.FIXED,
                parent,
                body.name,
                Placement(between(stood, _ORIGIN)),
            ),
            False,
        )


def _reached(joint: JointRecord, at: Placement) -> Placement:
    """Where a joint stands such that its coordinate is MuJoCo's, which has its reference where the file draws it."""
    if not joint.reference or not joint.alone:
        return at
    if joint.kind is MjJoint.SLIDE:
        return after(at, along(joint.axis, -joint.reference))
    return after(at, _ORIGIN, rotation_of(about(joint.axis, -joint.reference)))


def _joint(
    joint: JointRecord, parent: str, child: str, at: Placement, mimic: Mimic | None, refusals: Refusals
) -> Joint:
    kind, line = _KINDS[joint.kind], refusals.line("joint", joint.name)
    if joint.kind is MjJoint.HINGE and joint.range is None:
        kind = JointKind.CONTINUOUS
    found = Joint(joint.name, kind, parent, child, at, losses=_losses(joint, refusals), line=line)
    if joint.kind is not MjJoint.FREE:
        rotor = Actuator(armature=joint.armature[0]) if joint.armature[0] else None
        found = replace(found, actuator=rotor, loads=_spring(joint))
    if not joint.alone:
        if joint.range is not None:
            said = f"joint '{joint.name}': range of a {joint.kind.name.lower()} joint is not read"
            refusals.warnings.append(Notice(on_line(line) + said, LIMITS))
        return found
    return replace(
        found,
        axis=joint.axis,
        limits=_limits(joint),
        mimic=mimic,
    )


def _spring(joint: JointRecord) -> tuple[Load, ...]:
    """The spring beside a joint; a ball's is at rest where the file draws it, as MuJoCo has it."""
    if not joint.stiffness:
        return ()
    return (Spring(joint.stiffness, joint.rest),) if joint.alone else (BallSpring(joint.stiffness),)


_KINDS = {
    MjJoint.FREE: JointKind.FLOATING,
    MjJoint.BALL: JointKind.SPHERICAL,
    MjJoint.SLIDE: JointKind.PRISMATIC,
    MjJoint.HINGE: JointKind.REVOLUTE,
}


def _losses(joint: JointRecord, refusals: Refusals) -> Losses:
    damping, friction = joint.damping[0], joint.frictionloss[0]
    for what, entries in (("damping", joint.damping), ("frictionloss", joint.frictionloss)):
        if len(set(entries)) > 1:
            refusals.refuse("joint", joint.name, f"{what} differs between its degrees of freedom")
    if joint.kind is MjJoint.FREE and friction:
        refusals.refuse("joint", joint.name, "frictionloss of a free joint would depend on the axes of its velocity")
        return Losses(damping)
    if friction:
        said = (
            f"joint '{joint.name}': frictionloss is read as F tanh(v / velocity_scale); MuJoCo holds the joint "
            "by a constraint"
        )
        refusals.warnings.append(doubt(on_line(refusals.line("joint", joint.name)) + said, "frictionloss of {joint}"))
    return Losses(damping, friction)


def _limits(joint: JointRecord) -> Limits | None:
    if joint.range is None and joint.force_range is None:
        return None
    found = Limits() if joint.range is None else Limits(*joint.range)
    return found if joint.force_range is None else replace(found, effort=max(map(abs, joint.force_range)))
