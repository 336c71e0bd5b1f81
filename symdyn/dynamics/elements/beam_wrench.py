"""What the motion of a flexible link asks of the body that carries it, and of its own coordinates.

The carrier moves with (omega; alpha, a, U = [alpha] + [omega]^2), as a rigid body of the bent link's moments (see
``beam_shape``). The link's motion against it, u' = sum s_i e_i' and u'' = sum s_i e_i'', adds, with
P = sum C~_i e_i' and Q_i = sum_j D_ij e_j',

    force      sum H_i e_i'' + 2 omega x sum H_i e_i'
    moment     sum (integral r x s_i dm) e_i'' + 2 (tr(P) omega - P omega)
    amplitude  eps_i = H_i . a + <U, C~_i> + sum_j tr(D_ij) e_j'' + 2 <[omega], Q_i>

and tau_d = (de/dd)^T eps. These are Lagrange's equations of T(V, d, d') in the quasi-velocities V of the carrier
(Boltzmann-Hamel); Mohan & Saha, eqs. 22 to 24, with the factor 2 that (24b) lost.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, scale, times
from symdyn.dynamics.elements.base import ROW
from symdyn.dynamics.tree.beam_shape import (
    BeamVariant,
    combined,
    first_names,
    firsts,
    lever,
    second_names,
    shape_from,
    summed,
    trace_names,
    trace_of,
)
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.joint_loads import bias_free_accelerations
from symdyn.dynamics.tree.kinematics import BodyMotion, motion_from
from symdyn.dynamics.tree.places import MOTION, SHAPE, WRENCH, A, Q, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import Flexure
from symdyn.model.joints.bending import amplitude_bends, amplitude_rates, per_coordinate, weighted
from symdyn.plan.plan import Sweep


def beam_wrench(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: forces of its coordinates, and the wrench on its carrier that it adds by moving."""
    kind = variant.kind
    d, rates = reads["q"], reads["v"]
    given = reads.get("a", [0.0] * kind.rows)
    accelerations = bias_free_accelerations(variant.free, given) if variant.free else given
    motion = motion_from(reads["motion"])
    omega = motion.omega
    shape, first = shape_from(kind, reads["shape"]), firsts(kind, constants)
    e_rate = amplitude_rates(kind.pairs, d, rates)
    e_second = amplitude_rates(kind.pairs, d, accelerations)
    curved = amplitude_bends(kind.pairs, rates)
    e_second = [
        *e_second[: kind.rows],
        *(plain + bend for plain, bend in zip(e_second[kind.rows :], curved, strict=True)),
    ]
    writes: dict[str, Sequence[Scalar]] = {}
    if variant.writes_forces:
        forces = [[eps] for eps in _amplitude_forces(kind, constants, motion, (shape, first), (e_rate, e_second))]
        writes["tau"] = [row[0] for row in per_coordinate(kind, d, forces)]
    if variant.carried:
        turned = scale(2.0, cross(omega, weighted(first, e_rate)))
        force = add(weighted(first, e_second), turned)
        pulled = summed(shape, e_rate)
        trace = pulled[0][0] + pulled[1][1] + pulled[2][2]
        swung = [trace * x - y for x, y in zip(omega, times(pulled, omega), strict=True)]
        moment = add(weighted([lever(matrix) for matrix in shape], e_second), scale(2.0, swung))
        writes["wrench"] = [*force, *moment]
    return writes


def _amplitude_forces(
    kind: Flexure,
    constants: Mapping[str, Scalar],
    motion: BodyMotion,
    shape: tuple[Sequence[Matrix], Sequence[Vector]],
    rates: tuple[Sequence[Scalar], Sequence[Scalar]],
) -> list[Scalar]:
    """Eps per amplitude, from C~ and H, and from e' and e''."""
    swept, forces = combined(kind, constants, rates[0]), []
    for i, (second, first) in enumerate(zip(*shape, strict=True)):
        eps = _inner(motion.u, second) + dot(first, motion.acceleration) + 2.0 * dot(lever(swept[i]), motion.omega)
        for j, rate in enumerate(rates[1]):
            eps = eps + trace_of(constants, i, j) * rate
        forces.append(eps)
    return forces


def _inner(a: Sequence[Sequence[Scalar]], b: Sequence[Sequence[Scalar]]) -> Scalar:
    """Sum of the products of two matrices' entries."""
    total: Scalar = 0.0
    for row, other in zip(a, b, strict=True):
        for x, y in zip(row, other, strict=True):
            total = total + x * y
    return total


_BEAM = step(
    beam_wrench,
    q=read(Q),
    v=read(V),
    a=read(A, when=lambda b: not (b.free and all(b.free))),
    shape=read(SHAPE),
    motion=read(MOTION.above),
    tau=add_to(ROW),
    wrench=add_to(WRENCH.above, when=lambda b: b.carried),
)


def beam_sweeps(tree: TreePlan, field: str = "tau", acceleration: str = "a", free: Collection[int] = ()) -> list[Sweep]:
    """Sweeps that add flexible links' forces to a field of nv rows and their wrenches to ``wrench``.

    They read q, v, an acceleration, and the field ``motion`` of all bodies, and run before wrenches are handed inward.

    Parameters
    ----------
    tree
        The robot.
    field
        Rows as in v; empty where they are not requested.
    acceleration
        The field of accelerations, (nv,).
    free
        Rows of v whose accelerations count as zero, whatever is in that field.
    """

    def variant(tree: TreePlan, index: int) -> BeamVariant:
        unknown = tuple(row in free for row in tree.v(index).places)
        return replace(tree.beams.variant(index), writes_forces=bool(field), free=unknown if any(unknown) else ())

    def constants(tree: TreePlan, index: int) -> dict[str, float]:
        kind = tree.beams.kind(index)
        return tree.beams.constants(index, (*first_names(kind), *second_names(kind), *trace_names(kind)))

    bodies = [index for index in tree.model.beams if field or tree.beams.variant(index).carried]
    sweep = _BEAM.over(tree, bodies, variant, constants, tau=field, a=acceleration)
    return [sweep] if bodies else []
