"""What is structural about a body, and where its frame stands in its parent's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, matrix_from, times
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel, JointPose


@dataclass(frozen=True, slots=True)
class BodyVariant:
    """Everything structural about a body: what a kernel may branch on.

    ``friction`` is none, smooth (F tanh(v / v_s)) or sharp (F sign(v)); ``external`` names the axes of f_ext or is
    empty, and its rows start with the moment where ``angular_first``; ``transmits`` says whether the parent moves;
    ``geared`` whether the joint has a rotor inertia (the constant ``armature``, which adds armature * a to tau);
    ``shifted`` whether f_ext acts elsewhere than at the frame's origin (see ``elements.external_wrench``).
    """

    kind: JointModel
    damped: bool = False
    friction: str = "none"
    external: str = ""
    angular_first: bool = False
    transmits: bool = True
    geared: bool = False
    shifted: bool = False

    @property
    def lossy(self) -> bool:
        """Whether tau has loss terms."""
        return self.damped or self.friction != "none"


def placement_of(constants: Mapping[str, Scalar]) -> tuple[Matrix, Vector]:
    """Constant rotation E and origin l of a joint frame in the parent's frame."""
    return matrix_from([constants[name] for name in ROTATION]), [constants[name] for name in TRANSLATION]


def frame_in_parent(constants: Mapping[str, Scalar], pose: JointPose) -> Transform:
    """X_PC of a body in its parent: R_PC = E R and p_PC = l + E d, for a joint's pose (R, d)."""
    rotation, origin = placement_of(constants)
    moved = origin if pose.translation is None else add(origin, times(rotation, pose.translation))
    return Transform(rotation, pose.rotation, moved)
