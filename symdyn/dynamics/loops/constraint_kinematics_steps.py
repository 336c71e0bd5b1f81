"""Steps of loops: where their places stand to each other, what their rows exert on bodies, and how errors change.

The first place A is seen in the axes of the second, B: for places that are fixed in two bodies,

    R = R_B^T R_A,    p = R_B^T (o_A - o_B),    nu = R v_A - v_B - omega_B x p,    omega = R omega_A - omega_B

with velocities in the axes of their own places. Accelerations may be measured against any frame that both bodies ride
in, so that those with gravity in them do:

    nu'    = R a_A - a_B - U_B p - 2 omega_B x nu,    U_B = [alpha_B] + [omega_B]^2
    omega' = R alpha_A - alpha_B - omega_B x omega
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.motion import motion_at_offset
from symdyn.algebra.spatial.transform import Pose, pose_from
from symdyn.algebra.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_from,
    product,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.dynamics.loops.constraint_activation import if_held
from symdyn.dynamics.loops.constraint_rows import ROWS, Relative
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.body_state import moved_twist
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.kinematics import motion_from, moved_by_joint
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, OTHER_AXES, OTHER_OFFSET


@dataclass(frozen=True, slots=True)
class PairVariant:
    """What is structural about a loop: its rows, whether the visit's body has the first place, and which body moves.

    ``switched`` loops hold or not.
    """

    rows: tuple[str, ...]
    first: bool
    moves: bool
    other_moves: bool
    switched: bool = False


def chain_pose(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the pose of a body in the axes of an anchor, from its parent's."""
    x_pc = frame_in_parent(constants, variant.kind.placed(reads.get("pose", ())))
    above = pose_from(reads["above"])
    turned = [x_pc.turn.transpose_times(row) for row in product(above.rotation, x_pc.fixed)]
    at = add(above.position, times(above.rotation, x_pc.origin))
    return {"reach": Pose(turned, at).scalars()}


def chain_twist(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the twist of a body against an anchor, in its own axes, from its parent's."""
    pose = variant.kind.placed(reads.get("pose", ()))
    return {"twist": moved_twist(variant.kind, constants, pose, reads["v"], reads["above"])}


def relative_pose(variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: R and p, and the errors."""
    own = _stood(constants, reads["own"], OFFSET, AXES)
    other = _stood(constants, reads["other"], OTHER_OFFSET, OTHER_AXES)
    first, second = (own, other) if variant.first else (other, own)
    back = transpose(second.rotation)
    turn = product(back, first.rotation)
    apart = times(back, subtract(first.position, second.position))
    at = _relative(algebra, constants, turn, apart)
    errors = [ROWS[row].error(at) for row in variant.rows]
    return {"related": Pose(turn, apart).scalars(), "error": if_held(algebra, reads, errors)}


def constraint_wrench(variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: per row the wrench (f; n) on both bodies, in their frames, that a multiplier of one exerts."""
    at = _related(algebra, constants, reads)
    ends = ((OFFSET, AXES), (OTHER_OFFSET, OTHER_AXES))
    first, second = ([constants[name] for name in offset] for offset, _ in (ends if variant.first else ends[::-1]))
    own, other = (matrix_from([constants[name] for name in axes]) for _, axes in ends)
    into_first = product(own if variant.first else other, transpose(at.turn))
    into_second = other if variant.first else own
    on_first: list[Scalar] = []
    on_second: list[Scalar] = []
    for force, moment in (ROWS[row].wrench(at) for row in variant.rows):
        on_first += _wrench(into_first, first, force, moment)
        on_second += _wrench(into_second, second, scale(-1.0, force), scale(-1.0, add(moment, cross(at.apart, force))))
    found = (on_first, on_second) if variant.first else (on_second, on_first)
    sides = zip(("own", "other"), found, (variant.moves, variant.other_moves), strict=True)
    return {f"on_{end}": if_held(algebra, reads, wrenches) for end, wrenches, moves in sides if moves}


def along(variant: PairVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: the rates of its errors, as powers of what its rows exert along twists."""
    ends = [
        (reads[on], reads[twist]) for on, twist in (("on_own", "twist"), ("on_other", "other_twist")) if on in reads
    ]
    rates = []
    for start in range(0, 6 * len(variant.rows), 6):
        powers = [dot(wrenches[start : start + 6], twist) for wrenches, twist in ends]
        rates.append(powers[0] + powers[1] if len(powers) > 1 else powers[0])
    return {"rate": rates}


def constraint_acceleration(
    variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step per loop: the rates of its errors, and how these accelerate."""
    at = _related(algebra, constants, reads)
    own = _Moving.of(constants, reads["twist"], reads["motion"], OFFSET, AXES)
    other = _Moving.of(constants, reads["other_twist"], reads["other_motion"], OTHER_OFFSET, OTHER_AXES)
    first, second = (own, other) if variant.first else (other, own)
    turn, apart = at.turn, at.apart
    nu = subtract(subtract(times(turn, first.velocity), second.velocity), cross(second.turning, apart))
    omega = subtract(times(turn, first.turning), second.turning)
    nu_rate = subtract(subtract(times(turn, first.acceleration), second.acceleration), times(second.u, apart))
    nu_rate = subtract(nu_rate, scale(2.0, cross(second.omega, nu)))
    omega_rate = subtract(subtract(times(turn, first.alpha), second.alpha), cross(second.omega, omega))
    rates, accelerations = [], []
    for row in map(ROWS.__getitem__, variant.rows):
        force, moment = row.wrench(at)
        rates.append(dot(force, nu) + dot(moment, omega))
        accelerations.append(dot(force, nu_rate) + dot(moment, omega_rate) + row.curvature(at, nu, omega))
    return {"rate": if_held(algebra, reads, rates), "acceleration": if_held(algebra, reads, accelerations)}


def pass_by(variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: the rates of its errors alone."""
    at = _related(algebra, constants, reads)
    own = _twist(constants, reads["twist"], OFFSET, AXES)
    other = _twist(constants, reads["other_twist"], OTHER_OFFSET, OTHER_AXES)
    first, second = (own, other) if variant.first else (other, own)
    nu = subtract(subtract(times(at.turn, first[0]), second[0]), cross(second[1], at.apart))
    omega = subtract(times(at.turn, first[1]), second[1])
    wrenches = [ROWS[row].wrench(at) for row in variant.rows]
    return {"rate": if_held(algebra, reads, [dot(force, nu) + dot(moment, omega) for force, moment in wrenches])}


def move(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: joint pose and body motion, where no coordinate accelerates; stations of rods have rates yet."""
    stored = variant.kind.pose(algebra, reads["q"], constants)
    pose = variant.kind.placed(stored)
    still = reads["a"] if "a" in reads else [0.0] * len(variant.kind.coordinates.v)
    joint = variant.kind.motion(pose, reads["v"], still, constants)
    motion, _ = moved_by_joint(motion_from(reads["parent"]), frame_in_parent(constants, pose), joint)
    return {"pose": stored, "motion": motion.scalars()}


@dataclass(frozen=True, slots=True)
class _Moving:
    """A place in its own axes: velocity and turning against the anchor, all else as its body's motion has it."""

    velocity: Vector
    turning: Vector
    omega: Vector
    alpha: Vector
    u: Matrix
    acceleration: Vector

    @classmethod
    def of(
        cls, constants: Mapping[str, Scalar], twist: Vector, row: Vector, offset: Sequence[str], axes: Sequence[str]
    ) -> _Moving:
        back = transpose(matrix_from([constants[name] for name in axes]))
        arm = [constants[name] for name in offset]
        motion, moved = motion_from(row), motion_at_offset(twist, arm)
        return cls(
            times(back, moved[:3]),
            times(back, moved[3:]),
            times(back, motion.omega),
            times(back, motion.alpha),
            product(product(back, motion.u), transpose(back)),
            times(back, add(motion.acceleration, times(motion.u, arm))),
        )


def _stood(constants: Mapping[str, Scalar], row: Vector, offset: Sequence[str], axes: Sequence[str]) -> Pose:
    body = pose_from(row)
    arm, own = [constants[name] for name in offset], matrix_from([constants[name] for name in axes])
    return Pose(product(body.rotation, own), add(body.position, times(body.rotation, arm)))


def _twist(
    constants: Mapping[str, Scalar], twist: Vector, offset: Sequence[str], axes: Sequence[str]
) -> tuple[Vector, Vector]:
    """Velocity and turning of a place against the anchor, in its own axes."""
    back = transpose(matrix_from([constants[name] for name in axes]))
    moved = motion_at_offset(twist, [constants[name] for name in offset])
    return times(back, moved[:3]), times(back, moved[3:])


def _related(algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Relative:
    found = pose_from(reads["related"])
    return _relative(algebra, constants, found.rotation, found.position)


def _relative(algebra: Algebra, constants: Mapping[str, Scalar], turn: Matrix, apart: Vector) -> Relative:
    return Relative(algebra, turn, apart, constants.get("distance", 0.0))


def _wrench(into: Matrix, offset: Vector, force: Vector, moment: Vector) -> list[Scalar]:
    return wrench_at_offset([*times(into, force), *times(into, moment)], offset)
