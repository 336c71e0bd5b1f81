"""What MJCF may hold and symdyn cannot have: refused by name, or left out with a warning where the caller says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symdyn.description.mjcf.actuator_record import MjTransmission, actuators_of
from symdyn.description.mjcf.record import EqualityRecord, JointRecord, MjEquality, MjJoint, ModelRecord
from symdyn.description.text.notice import Notice
from symdyn.description.text.position import at, on_line, shown
from symdyn.errors import DescriptionError

_WAY_OUT = "remove it, or leave it out by strict=False, on the command line --no-strict"


class Refusals:
    """What is refused of a model.

    Parameters
    ----------
    source
        The file, for messages.
    lenient
        Whether what changes forces or motions is left out with a warning.
    line
        The line of an element by its tag and name, where known.
    """

    def __init__(self, source: str, lenient: bool, line: Callable[[str, str], int | None]) -> None:
        self._source, self.lenient, self.line = source, lenient, line
        self.warnings: list[str] = []

    def place(self, tag: str, name: str) -> str:
        """What messages call an element."""
        return f"{tag} {shown(name)}"

    def refuse(self, tag: str, name: str, said: str) -> None:
        """Refuse what an element asks for, or note that it is left out."""
        line = self.line(tag, name)
        if not self.lenient:
            raise DescriptionError(f"{at(self._source, line)}: {self.place(tag, name)}: {said}; {_WAY_OUT}")
        self.leave_out(tag, name, said, line)

    def leave_out(self, tag: str, name: str, said: str, line: int | None) -> None:
        """Note that what an element asks for is left out."""
        text = f"{on_line(line)}{self.place(tag, name)}: {said}; it is left out"
        self.warnings.append(Notice(text, "{element that changes forces or motions}"))


def check_model(model: ModelRecord, refusals: Refusals) -> None:
    """Refuse forces and motions of a whole model that symdyn does not have."""
    fields = model.fields
    if fields["nflex"]:
        refusals.refuse("flex", str(fields["nflex"]), "bodies that deform are not read from MJCF")
    for body in model.bodies:
        if body.gravcomp < 0.0:
            refusals.refuse("body", body.name, f"gravcomp {body.gravcomp:g} adds to gravity; expected at least 0")
    compensated = any(body.gravcomp for body in model.bodies) and model.passive
    for number, name in enumerate(model.names("joint")):
        if compensated and model.odd(number, "jnt_actgravcomp"):
            refusals.refuse("joint", name, "actuatorgravcomp counts gravcomp among the forces of actuators")
    for number, name in enumerate(model.names("actuator")):
        found = model.odd(number, "actuator_armature", "actuator_damping", "actuator_dampingpoly")
        if found:
            words = ", ".join(kind.removeprefix("actuator_") for kind in found)
            refusals.refuse("actuator", name, f"{words} of an actuator; give it to the joint")
    for joint in model.joints:
        _check_joint(joint, refusals)


def _check_joint(joint: JointRecord, refusals: Refusals) -> None:
    for name in joint.odd:
        refusals.refuse("joint", joint.name, f"{name.partition('_')[2]} makes a nonlinear force, which is not read")
    if joint.alone:
        return
    kind = joint.kind.name.lower()
    if joint.kind is MjJoint.BALL and len(set(joint.armature)) == 1:
        return
    uneven = 0.0 if len(set(joint.armature)) == 1 else max(joint.armature)
    for what, value in (("stiffness", joint.stiffness), ("armature", uneven)):
        if value:
            said = f"{what} of a {kind} joint: only hinges, slides and balls have one here"
            refusals.refuse("joint", joint.name, said)


def check_equality(own: EqualityRecord, model: ModelRecord, refusals: Refusals) -> bool:
    """Whether an equality can be read; refuses one that cannot."""
    if own.kind not in tuple(MjEquality):
        refusals.refuse("equality", own.name, f"equalities of kind {own.kind} are not read")
        return False
    if own.kind == MjEquality.WELD and not own.data[_TORQUE_SCALE]:
        refusals.refuse("equality", own.name, "torquescale 0 lets the bodies turn; write it as <connect>")
        return False
    if own.kind in (MjEquality.JOINT, MjEquality.TENDON) and any(own.data[2:5]):
        powers = " ".join(f"{number:g}" for number in own.data[:5])
        what = MjEquality(own.kind).name.lower()
        refusals.refuse("equality", own.name, f"polycoef {powers}: {what}s follow others by a line, not by powers")
        return False
    if own.kind == MjEquality.TENDON:
        for tendon in (own.first, own.second):
            if tendon >= 0 and model.pulled(tendon) is None:
                name = shown(model.names("tendon")[tendon])
                refusals.refuse(
                    "equality", own.name, f"tendon {name} is spatial: only those of joints are coupled here"
                )
                return False
    return True


_TORQUE_SCALE = 10
"""Where a weld has it among its data."""


def summary_of(model: ModelRecord) -> Iterator[str]:
    """Notices of what is not modelled, each with what that changes."""
    touching = sum(
        bool(first or second)
        for first, second in zip(model.fields["geom_contype"], model.fields["geom_conaffinity"], strict=True)
    )
    limited = model.fields.get("tendon_limited", [])
    forced = ("stiffness", "damping", "armature", "frictionloss")
    pulled = {own for own in range(len(limited)) if model.odd(own, *(f"tendon_{kind}" for kind in forced))}
    pulled |= {own.target for own in actuators_of(model) if own.transmission == MjTransmission.TENDON}
    pushing = "without them bodies pass through each other"
    idle = "the equations do not depend on them"
    counts = (
        ("sensor", model.fields["nsensor"], idle),
        ("keyframe", model.fields["nkey"], idle),
        ("moving camera", sum(not camera.fixed for camera in model.cameras), idle),
        ("tendon without force", sum(not own for number, own in enumerate(limited) if number not in pulled), idle),
        ("tendon with a range", sum(map(bool, limited)), "without them lengths have no limits"),
        ("contact geom", touching, pushing),
        ("contact pair", model.fields["npair"], pushing),
    )
    yield from _actuator_notices(model)
    for noun, count, said in counts:
        if count:
            first, _, rest = noun.partition(" ") if noun.startswith("tendon") else (noun, "", "")
            text = f"{count} {first}{'s' * (count != 1)}{' ' * bool(rest)}{rest}: not modelled; {said}"
            yield Notice(text, f"{{{first}}}{' ' * bool(rest)}{rest}", count)
    if any(not equality.active for equality in model.equalities):
        yield Notice("equalities that are not active are left out", "{equality that is not active}")


def _actuator_notices(model: ModelRecord) -> Iterator[str]:
    off = len(model.names("actuator")) - len(actuators_of(model))
    if off and "ACTUATION" not in model.disabled:
        text = f"{off} actuator{'s' * (off != 1)} of groups that actuatorgroupdisable turns off: not read"
        yield Notice(text, "{actuator} that is turned off", off)
    ranged = [own.name for own in actuators_of(model) if own.bounded or own.clamped]
    if ranged:
        told = "actuator" if len(ranged) == 1 else "actuators"
        said = "with a ctrlrange, forcerange or actuatorfrcrange"
        text = f"{len(ranged)} {told} {said}: inputs and forces are taken as given: {', '.join(map(shown, ranged))}"
        yield Notice(text, f"{{actuator}} {said}", len(ranged))
    acting = [own.name for own in actuators_of(model) if own.acts]
    if acting:
        told = "actuator that acts" if len(acting) == 1 else "actuators that act"
        text = (
            f"{len(acting)} {told} without input: absent where forces are given, which are then all that acts: "
            f"{', '.join(map(shown, acting))}"
        )
        yield Notice(text, "{actuator} that act without input", len(acting))
