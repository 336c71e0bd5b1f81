"""Outward: each body's motion and how it answers to its joint. Inward: what moves behind each joint, as one body.

A composite is the inertia, the momentum matrix (see ``moment_matrices``) and, for partials, the wrench of all that a
joint carries, in the axes of the joint's own body: ten, twelve and six scalars. Partials take momenta twice, because
2 S r' is what they need of r'.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.dynamics.partials.composite_motion_steps import (
    INERTIA_SIZE,
    LOAD_SIZE,
    VariedBody,
    answer_of_body,
    hand_over,
    momentum_size,
    twist_size,
)
from symdyn.dynamics.partials.varied_motion import Purpose
from symdyn.dynamics.tree.external_wrenches import external_constants
from symdyn.dynamics.tree.kinematics import MOTION_SIZE
from symdyn.dynamics.tree.tree import JOINT, TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit
from symdyn.spatial.rotations import UNTURNED

_OUTWARD = Step(
    "answer_of_body",
    answer_of_body,
    (
        *(Port(name, Mode.READ) for name in ("q", "v", "a", "f_ext", "parent", "parent_velocity", "orientation")),
        *(Port(name, Mode.WRITE) for name in ("pose", "motion", "velocity", "own_orientation", "twists")),
        *(Port(name, Mode.WRITE) for name in ("inertia", "momentum", "wrench", "load")),
    ),
)
_INWARD = Step(
    "hand_over",
    hand_over,
    (
        *(Port(name, Mode.READ) for name in ("pose", "inertia", "momentum", "wrench", "load")),
        *(Port(f"parent_{name}", Mode.ADD) for name in ("inertia", "momentum", "wrench", "load")),
    ),
)


def composite_motion_sweeps(
    tree: TreePlan, purpose: Purpose, acceleration: str = "a"
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that leave each body's pose, answers (``twists``) and composite in state fields.

    Parameters
    ----------
    tree
        The robot; it may be regrouped.
    purpose
        What the composites are for; a Coriolis matrix needs no accelerations.
    acceleration
        The field of nv scalars that holds the acceleration, an input or one that earlier sweeps have filled.
    """
    count, starts = len(tree.model.bodies), column_starts(tree)
    fields = [
        Field("velocity", FieldKind.STATE, 6, tree.depth_rows),
        Field("twists", FieldKind.STATE, twist_size(purpose), starts[-1]),
        Field("inertia", FieldKind.STATE, INERTIA_SIZE, count),
        Field("momentum", FieldKind.STATE, momentum_size(purpose), count),
    ]
    if purpose is Purpose.PARTIALS:
        fields.append(Field("motion", FieldKind.STATE, MOTION_SIZE, tree.depth_rows))
        fields.append(Field("wrench", FieldKind.STATE, 6, count))
        if tree.external == "world":
            fields.append(Field("orientation", FieldKind.STATE, 9, tree.depth_rows))
            fields.append(Field("load", FieldKind.STATE, LOAD_SIZE, count))
    outward = tuple(_outward_visit(tree, purpose, acceleration, starts, index) for index in tree.links)
    inward = tuple(
        _inward_visit(tree, purpose, index) for index in reversed(tree.links) if tree.variant(index).transmits
    )
    return fields, [Sweep(_OUTWARD, outward), Sweep(_INWARD, inward)]


def column_starts(tree: TreePlan) -> list[int]:
    """Place of each body's first column among those of all bodies (mimic joints have their own), and their number."""
    starts = [0]
    for index in range(len(tree.model.bodies)):
        starts.append(starts[-1] + tree.v(index).count)
    return starts


def composite(tree: TreePlan, purpose: Purpose, index: int) -> dict[str, Binding]:
    """A body's composite, by the names of the ports that read it."""
    size = momentum_size(purpose)
    found: dict[str, Binding] = {
        "inertia": Access("inertia", INERTIA_SIZE * index, INERTIA_SIZE),
        "momentum": Access("momentum", size * index, size),
    }
    if purpose is Purpose.PARTIALS:
        found["wrench"] = Access("wrench", 6 * index, 6)
        if tree.external == "world":
            found["load"] = Access("load", LOAD_SIZE * index, LOAD_SIZE)
    return found


def twists(tree: TreePlan, purpose: Purpose, starts: Sequence[int], index: int) -> Access:
    """The answers of a body's columns."""
    size = twist_size(purpose)
    return Access("twists", size * starts[index], size * tree.v(index).count)


def _outward_visit(tree: TreePlan, purpose: Purpose, acceleration: str, starts: Sequence[int], index: int) -> Visit:
    body, variant = tree.model.bodies[index], tree.variant(index)
    bindings: dict[str, Binding] = {
        "q": tree.q(index),
        "v": tree.v(index),
        "parent_velocity": Given((0.0,) * 6) if body.parent < 0 else tree.along_path("velocity", 6, body.parent),
        "pose": tree.pose(index),
        "velocity": tree.along_path("velocity", 6, index),
        "twists": twists(tree, purpose, starts, index),
        **composite(tree, purpose, index),
    }
    names: tuple[str, ...] = (*ROTATION, *TRANSLATION, *INERTIA, *JOINT)
    if purpose is Purpose.PARTIALS:
        bindings |= {
            "a": tree.v(index, acceleration),
            "parent": tree.parent_motion(index),
            "motion": tree.along_path("motion", MOTION_SIZE, index),
        }
        if tree.external == "world":
            above = Given(UNTURNED) if body.parent < 0 else tree.along_path("orientation", 9, body.parent)
            bindings |= {"orientation": above, "own_orientation": tree.along_path("orientation", 9, index)}
        if variant.external:
            bindings["f_ext"] = tree.external_wrench(index)
        names += external_constants(variant)
    return Visit(index, VariedBody(variant, purpose), tree.constants(index, names), bindings)


def _inward_visit(tree: TreePlan, purpose: Purpose, index: int) -> Visit:
    own, above = composite(tree, purpose, index), composite(tree, purpose, tree.model.bodies[index].parent)
    bindings: dict[str, Binding] = {
        "pose": tree.pose(index),
        **own,
        **{f"parent_{name}": place for name, place in above.items()},
    }
    constants = tree.constants(index, (*ROTATION, *TRANSLATION))
    return Visit(index, VariedBody(tree.variant(index), purpose), constants, bindings)
