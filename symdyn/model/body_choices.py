"""What is chosen for each body before a plan is made, and where it is left as it is described, why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from symdyn.model.bind import BodyConstants, baked_body
from symdyn.model.joint_origins import AXIAL, slid
from symdyn.model.joints import MotionKind
from symdyn.model.model import Model
from symdyn.model.regroup import MOVABLE, regrouped
from symdyn.spatial.rotations import Matrix3

GROUND = "the ground"
BEST_PLACE = "stands best where it is"
"""Why a frame stays that could move."""
_UNTURNED: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


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
    hz first moments; Sxx .. Szz second moments of its mass) that are counted with the parent, ``shift`` [m] how far its
    frame slid along its joint's axis. Where there is none of either, ``inertia_stays`` and ``frame_stays`` say why.
    """

    name: str
    parent: str
    joint: str
    motion: MotionKind
    moved: tuple[str, ...]
    inertia_stays: str
    shift: float
    frame_stays: str
    turn: Turn

    @property
    def changes(self) -> str:
        """``3 parameters moved to link2; frame moved by 0.1 m along the axis of joint3``; empty where all stays."""
        said = []
        if self.moved:
            said.append(f"{counted(len(self.moved), 'parameter')} moved to {self.parent}")
        if self.shift:
            said.append(f"frame moved by {self.shift:.6g} m along the axis of {self.joint}")
        return "; ".join(said)


def body_choices(model: Model, loaded: bool = False, regroups: bool = True, slides: bool = True) -> list[BodyChoice]:
    """The choices for every body that has a frame, in recursion order.

    Parameters
    ----------
    model
        The robot.
    loaded
        Whether wrenches act on the bodies, which makes moved frames dearer.
    regroups, slides
        Whether the function hides transmitted wrenches, and frames.
    """
    baked = [baked_body(model, body) for body in model.bodies]
    shifts = [0.0] * len(baked)
    moved: list[tuple[str, ...]] = [()] * len(baked)
    bodies = baked
    if slides:
        bodies, shifts = slid(model, bodies, loaded)
    if regroups:
        _, moved = regrouped(model, bodies)
    holders: dict[int, str] = {}
    for body, constants in zip(model.bodies, baked, strict=True):
        if constants is None and body.joint.kind is not MotionKind.ROTOR:
            holders.setdefault(body.parent, body.name)
    return [
        BodyChoice(
            body.name,
            model.bodies[body.parent].name if body.parent >= 0 else GROUND,
            body.joint.joint,
            body.joint.kind,
            moved[index],
            "" if moved[index] else _why_inertia_stays(model, baked, index, regroups),
            shifts[index],
            "" if shifts[index] else _why_frame_stays(model, baked, index, slides, holders.get(index, "")),
            turn_of(body.rotation),
        )
        for index, body in enumerate(model.bodies)
        if body.joint.kind is not MotionKind.ROTOR
    ]


def turn_of(rotation: Matrix3) -> Turn:
    """The kind of a constant rotation."""
    if rotation == _UNTURNED:
        return Turn.NONE
    structural = all(entry in (0.0, 1.0, -1.0) for row in rotation for entry in row)
    return Turn.SIGNED_PERMUTATION if structural else Turn.GENERAL


def _why_inertia_stays(model: Model, baked: Sequence[BodyConstants | None], index: int, regroups: bool) -> str:
    body = model.bodies[index]
    if not (regroups and model.regroups):
        return "inertia is left as described"
    if baked[index] is None:
        return "rests on run-time parameters"
    if body.joint.kind not in MOVABLE:
        return f"a {body.joint.kind.value} joint feels all of it"
    if body.parent >= 0 and baked[body.parent] is None:
        return f"{model.bodies[body.parent].name} rests on run-time parameters"
    return "what could be moved is zero"


def _why_frame_stays(model: Model, baked: Sequence[BodyConstants | None], index: int, slides: bool, holder: str) -> str:
    """The reason; ``holder`` is the first body it carries that rests on run-time parameters, or empty."""
    if not (slides and model.slides):
        return "frames are left as described"
    if model.bodies[index].joint.kind not in AXIAL:
        return f"a {model.bodies[index].joint.kind.value} joint has no axis to slide along"
    if baked[index] is None:
        return "rests on run-time parameters"
    return f"carries {holder}, which rests on run-time parameters" if holder else BEST_PLACE
