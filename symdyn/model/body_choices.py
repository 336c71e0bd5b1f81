"""What is chosen for each body before a plan is made, and where it is left as it is described, why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from symdyn.algebra.scalars.affine import Affine
from symdyn.algebra.spatial.rotations import IDENTITY, Matrix3
from symdyn.model.hidden_bodies import HiddenBodies, hidden_bodies
from symdyn.model.joint_origins import offset_is_known
from symdyn.model.joints import JointModel
from symdyn.model.model import Model

GROUND = "the ground"
BEST_PLACE = "stands best where it is"
"""Why a frame stays that could move."""
ON_P = "rests on run-time parameters"
OF_SOFT_LINK = "the tip of a soft link has no axis"
CARRIES = "carries a link that bends"


def counted(number: int, thing: str) -> str:
    """``1 frame``, ``3 frames``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


class Turn(Enum):
    """The constant rotation between a body's frame and its parent's, by what turning a vector costs."""

    NONE = "none"
    SIGNED_PERMUTATION = "signed permutation"  # swaps and signs of components: free or a negation
    GENERAL = "general"  # products


@dataclass(frozen=True, slots=True)
class BodyChoice:
    """How one moving body is counted and placed.

    ``parent`` is the ground's name for a body that hangs on it. ``moved`` holds the inertial constants (m mass; hx, hy,
    hz first moments; Sxx .. Szz second moments of its mass) that are counted with the parent, ``from_p`` those of them
    that are computed from run-time parameters, ``shift`` [m] how far its frame slid along its joint's axis. Where
    nothing moved, ``inertia_stays`` and ``frame_stays`` say why.
    """

    name: str
    parent: str
    joint: str
    motion: JointModel
    moved: tuple[str, ...]
    inertia_stays: str
    shift: float
    frame_stays: str
    turn: Turn
    from_p: tuple[str, ...] = ()

    @property
    def changes(self) -> str:
        """``3 parameters moved to link2; frame moved by 0.1 m along the axis of joint3``; empty where all stays."""
        said = []
        if self.moved:
            share = "" if len(self.from_p) == len(self.moved) else f"{len(self.from_p)} of them "
            origin = f" ({share}from p, at run time)" if self.from_p else ""
            said.append(f"{counted(len(self.moved), 'parameter')} moved to {self.parent}{origin}")
        if self.shift:
            said.append(f"frame moved by {self.shift:.6g} m along the axis of {self.joint}")
        return "; ".join(said)


def body_choices(model: Model, loaded: bool = False) -> list[BodyChoice]:
    """The choices for every body that has a frame, in recursion order.

    Parameters
    ----------
    model
        The robot, as a function has it.
    loaded
        Whether wrenches act on the bodies, which makes moved frames dearer.
    """
    hidden = hidden_bodies(model, loaded)
    moved, shifts = hidden.moved, hidden.shifts
    holders: dict[int, str] = {}
    stations = {index for index in model.links if model.bodies[index].joint.inner and model.bodies[index].row is None}
    shown = [index for index in model.links if index not in stations]
    for index in model.links:
        if not offset_is_known(hidden.constants[index]):
            holders.setdefault(model.bodies[index].parent, model.bodies[index].name)
    return [
        BodyChoice(
            body.name,
            _carrier(model, index),
            body.joint.joint,
            body.joint.kind,
            moved[index],
            "" if moved[index] else _why_inertia_stays(model, hidden, index),
            shifts[index],
            "" if shifts[index] else _why_frame_stays(model, hidden, index, holders.get(index, "")),
            turn_of(body.rotation),
            hidden.from_p[index],
        )
        for index, body in ((index, model.bodies[index]) for index in shown)
    ]


def _carrier(model: Model, index: int) -> str:
    """The body that another one hangs on; of the tip of a soft link, what carries that."""
    body = model.bodies[index]
    while body.joint.inner and body.parent >= 0 and model.bodies[body.parent].joint.inner:
        body = model.bodies[body.parent]
    return model.bodies[body.parent].name if body.parent >= 0 else GROUND


def turn_of(rotation: Matrix3) -> Turn:
    """The kind of a constant rotation."""
    if rotation == IDENTITY:
        return Turn.NONE
    structural = all(entry in (0.0, 1.0, -1.0) for row in rotation for entry in row)
    return Turn.SIGNED_PERMUTATION if structural else Turn.GENERAL


def _why_inertia_stays(model: Model, hidden: HiddenBodies, index: int) -> str:
    body, own = model.bodies[index], hidden.constants[index]
    if not model.regroups:
        return "inertia is left as described"
    if body.joint.inner:
        return OF_SOFT_LINK
    if body.carried:
        return CARRIES
    names = body.joint.kind.unfelt
    if own is None or any(isinstance(own.values[name], Affine) for name in names):
        return ON_P
    if not names:
        return f"a {body.joint.kind.value} joint feels all of it"
    if body.parent >= 0 and hidden.constants[body.parent] is None:
        return f"{model.bodies[body.parent].name} {ON_P}"
    return "what could be moved is zero"


def _why_frame_stays(model: Model, hidden: HiddenBodies, index: int, holder: str) -> str:
    """The reason; ``holder`` is the first body it carries that rests on run-time parameters, or empty."""
    if not model.slides:
        return "frames are left as described"
    if model.bodies[index].joint.inner:
        return OF_SOFT_LINK
    if not model.bodies[index].joint.kind.axial:
        return f"a {model.bodies[index].joint.kind.value} joint has no axis to slide along"
    if model.bodies[index].carried:
        return CARRIES
    if not offset_is_known(hidden.constants[index]):
        return ON_P
    return f"carries {holder}, which {ON_P}" if holder else BEST_PLACE
