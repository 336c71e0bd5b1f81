"""What is odd about a robot once it is known how it was loaded; one sentence each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from symdyn.description.checks.external_loads import acting_place
from symdyn.description.flexible import Basis
from symdyn.description.load_settings import Lock
from symdyn.description.loops import Loop
from symdyn.description.robot import Attachment, RobotDescription, Vector3
from symdyn.description.text.notice import Notice, doubt
from symdyn.description.text.position import on_line, shown
from symdyn.model.beyond_limits import locked_beyond_limits
from symdyn.model.joints.described import velocity_units
from symdyn.model.loop import ModelLoop
from symdyn.model.model import Model
from symdyn.model.velocity_rows import cite


def doubts(description: RobotDescription, model: Model, floats: bool, locked: Mapping[str, Lock]) -> Iterator[str]:
    """Losses that are left out, rows of loops that follow from others, hubs that nothing turns, children at roots.

    ``floats`` tells whether the root is free, ``locked`` where joints are locked, which may be beyond their limits.
    """
    if not model.joint_losses:
        yield from _left_out(model)
    yield from _dropped(model)
    yield from _at_the_root(description)
    if said := locked_beyond_limits(description.joints, locked):
        yield doubt(f"joints are locked beyond their limits: {said}", "{joint} locked beyond limits")
    turned = _turned(description, floats, locked)
    for link in description.links:
        modes = link.flexible.modes if link.flexible is not None else ()
        if link.name not in turned and any(mode.basis is Basis.PINNED_HUB for mode in modes):
            yield (
                f"{on_line(link.line)}link {shown(link.name)}: basis pinned-hub is of a hub that is free to turn, and "
                "no joint turns this link; take clamped-free, or pinned-pinned where the link carries two hinges"
            )


def _left_out(model: Model) -> Iterator[str]:
    losses = [(body.joint.joint, body.joint.losses) for body in model.bodies]
    lossy = [name for name, loss in losses if loss is not None and (loss.damping != 0.0 or loss.friction != 0.0)]
    if lossy:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(lossy))
        said = (
            f"damping and friction of joint {names} are left out of tau; load with joint_losses=True (on the command "
            "line --joint-losses) to include them"
        )
        yield Notice(said, "losses of {joint}", len(set(lossy)))


def _dropped(model: Model) -> Iterator[str]:
    for loop in model.loops:
        if loop.dropped:
            rows = ", ".join(loop.dropped) or ("0" if loop.velocity_rows else "")
            what, verb = ("row", "follows") if len(loop.dropped) == 1 else ("rows", "follow")
            yield doubt(
                f"{cite(loop.constraint)}: {what} {rows or 'of the coupling'} {verb} from others in all positions; "
                "left out, with multipliers of zero, as is usual for planar mechanisms",
                "{loop} with rows that follow from others",
            )
        if near := loop.near_rows:
            what, verb, their = ("row", "follows", "it has") if len(near) == 1 else ("rows", "follow", "they have")
            yield doubt(
                f"{cite(loop.constraint)}: {what} {', '.join(near)} {verb} from others but for the decimals of axes "
                f"and points; {their} no multiplier, so that dynamics are those of exact axes",
                "{loop} with rows that nearly follow from others",
            )
        if slight := loop.slight_rows:
            what, verb, they = ("row", "follows", "it") if len(slight) == 1 else ("rows", "follow", "they")
            locks, taken = f"kind {loop.kind} may lock the robot", _without(loop)
            yield doubt(
                f"{cite(loop.constraint)}: {what} {', '.join(slight)} {verb} from others but for 1e-3 or less; {they} "
                f"hold{'s' if they == 'it' else ''}, so that {locks}: take {taken}, or axes and points with six "
                "decimals",
                f"loop {shown(loop.constraint.name)} of {locks} (take {taken})",
            )


def _without(loop: ModelLoop) -> str:
    """A kind that leaves rows free which nearly follow from others."""
    free = {*loop.slight_rows, *loop.near_rows, *loop.dropped}
    kinds = loop.constraint.kind.looser if isinstance(loop.constraint, Loop) else ()
    return next((f"kind {kind.value}" for kind in kinds if free.isdisjoint(kind.rows)), "a kind such as point_on_line")


def _at_the_root(description: RobotDescription) -> Iterator[str]:
    """What moves with the tip of a rod or beam and stands at its root, which is most likely not meant."""
    hosts = {link.name for link in description.links if link.deforms and link.deformable is None}
    hung: list[tuple[str, str, Attachment | float, Vector3, int | None]]
    hung = [
        (f"joint {shown(own.name)}", own.parent, own.at, own.placement.translation, own.line)
        for own in description.joints
    ]
    hung += [
        (f"frame {shown(own.name)}", own.link, own.at, own.placement.translation, None) for own in description.frames
    ]
    for acting in description.acting:
        line = acting.line
        hung += [(acting_place(acting), site.link, site.at, site.point, line) for site in acting.stands if site.link]
    for name, link, at, translation, line in hung:
        if link in hosts and at is Attachment.TIP and all(number == 0.0 for number in translation):
            yield doubt(
                f"{on_line(line)}{name} moves with the tip of link {shown(link)} and stands at its root; its place is "
                "counted from the link's frame at rest: give it the tip's place or at: end, or fix it by at: root",
                "{place} at the root of a tip's link",
            )


def _turned(description: RobotDescription, floats: bool, locked: Collection[str]) -> set[str]:
    """Links that some joint turns."""
    found = {description.root} if floats else set()
    # what hangs on a link that bends turns with its tip
    yielding = {link.name for link in description.links if link.flexible is not None}
    below: dict[str, list[str]] = {}
    for joint in description.joints:
        below.setdefault(joint.parent, []).append(joint.child)
        still = "rad/s" not in velocity_units(joint) or joint.name in locked
        if not still or (joint.parent in yielding and joint.at.moves):
            found.add(joint.child)
    waiting = list(found)
    while waiting:
        for child in below.get(waiting.pop(), []):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found
