"""Exact control laws, and what frames weigh: dense equations of the pose, with fifty digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.robot import JointKind
from symdyn.verify.base.curves import (
    QUATERNION_AT,
    quaternion_product,
    quaternion_rotation,
    rotation_about,
    scalar_last,
)
from symdyn.verify.base.dense import (
    Rows,
    flat,
    inverse,
    magnitudes,
    matrix_product,
    matrix_sum,
    matrix_times,
)
from symdyn.verify.base.matrices import (
    Matrix,
    Real,
    Vector,
    add,
    identity,
    in_rows,
    length,
    product,
    scale,
    scale_matrix,
    skew,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.frame_motion import jacobians, jacobians_time_derivative
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting

_SINGULAR = ("J M^-1 J^T + eps", "the frames' rows depend on each other; give eps above 0")


@dataclass(frozen=True, slots=True)
class _Task:
    """J, M^-1, J M^-1, L, and the sizes of terms of S = L^-1."""

    J: Rows
    W: Rows
    moved: Rows
    L: Rows
    S_sizes: Rows
    M_sizes: Rows

    @classmethod
    def at(cls, setting: Setting, inputs: Inputs) -> _Task:
        nv = setting.tree.nv
        M, M_sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
        J, W = in_rows(jacobians(setting, inputs).values, nv), inverse(M)
        moved = matrix_product(J, W)
        S = matrix_product(moved, transpose(J))
        reach = magnitudes(moved)
        sizes = matrix_product(reach, matrix_product(M_sizes, transpose(reach)))
        leaned = matrix_product(magnitudes(J), transpose(reach))
        sizes = matrix_sum(sizes, matrix_sum(leaned, transpose(leaned)))
        for row, own in enumerate(vector(inputs["eps"])):
            S[row][row] += own
            sizes[row][row] += abs(own)
        return cls(J, W, moved, inverse(S, *_SINGULAR), sizes, M_sizes)

    def force(self, setting: Setting, inputs: Inputs, given: Vector, wanted: Vector) -> Exact:
        """``L (wanted - J' v + J M^-1 (bias - given))``."""
        nv, v = setting.tree.nv, vector(inputs["v"])
        rates = jacobians_time_derivative(setting, inputs)
        turned = matrix_times(in_rows(rates.values, nv), v)
        bias = setting.force(inputs, a=[mp.mpf(0)] * nv)
        left = subtract(bias, given)
        right = add(subtract(wanted, turned), matrix_times(self.moved, left))
        found = matrix_times(self.L, right)
        pushed = add([abs(x) for x in bias], [abs(x) for x in given])
        pushed = add(pushed, matrix_times(self.M_sizes, [abs(x) for x in matrix_times(self.W, left)]))
        terms = add([abs(x) for x in wanted], matrix_times(in_rows(rates.scales, nv), [abs(x) for x in v]))
        terms = add(terms, matrix_times(magnitudes(self.moved), pushed))
        terms = add(terms, matrix_times(self.S_sizes, [abs(x) for x in found]))
        return Exact(found, matrix_times(magnitudes(self.L), terms))


def task_inertia(setting: Setting, inputs: Inputs) -> Exact:
    """``(J M^-1 J^T + eps)^-1``."""
    task = _Task.at(setting, inputs)
    reach = magnitudes(task.L)
    return Exact(flat(task.L), flat(matrix_product(reach, matrix_product(task.S_sizes, reach))))


def task_bias(setting: Setting, inputs: Inputs) -> Exact:
    """``L (J M^-1 bias - J' v)``."""
    task = _Task.at(setting, inputs)
    return task.force(setting, inputs, [mp.mpf(0)] * setting.tree.nv, [mp.mpf(0)] * len(task.J))


def operational_space_control(setting: Setting, inputs: Inputs) -> Exact:
    """``J^T (L a_d + mu) + (1 - J^T L J M^-1) tau_0``."""
    task, given = _Task.at(setting, inputs), vector(inputs["tau_0"])
    found = task.force(setting, inputs, given, vector(inputs["a_d"]))
    across = transpose(task.J)
    sizes = add([abs(x) for x in given], matrix_times(magnitudes(across), found.scales))
    return Exact(add(given, matrix_times(across, found.values)), sizes)


def computed_torque(setting: Setting, inputs: Inputs) -> Exact:
    """Inverse dynamics of ``a_d + K_d (v_d - v) + K_p (q_d (-) q)``, against the size of its terms."""
    off = difference(setting, vector(inputs["q"]), vector(inputs["q_d"]))
    v, v_d, a_d, K_p, K_d = (vector(inputs[name]) for name in ("v", "v_d", "a_d", "K_p", "K_d"))
    rows = zip(off, v, v_d, a_d, K_p, K_d, strict=True)
    a = [asked + gain * (ahead - own) + stiff * far for far, own, ahead, asked, stiff, gain in rows]
    rows = zip(off, v, v_d, a_d, K_p, K_d, strict=True)
    terms = [
        abs(asked) + abs(gain) * (abs(ahead) + abs(own)) + abs(stiff) * abs(far)
        for far, own, ahead, asked, stiff, gain in rows
    ]
    M_sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))[1]
    tau = setting.force(inputs, a=a)
    return Exact(tau, add([abs(x) for x in tau], matrix_times(M_sizes, terms)))


def difference(setting: Setting, start: Sequence[Real], end: Sequence[Real]) -> Vector:
    """``end (-) start``: the rows of v that lead from one position to the other in unit time, the shortest way."""
    found = [mp.mpf(0)] * setting.tree.nv
    for place in setting.tree.places:
        if place.owns_rows:
            nq, nv = place.rows
            own, other = (list(q[place.q_row : place.q_row + nq]) for q in (start, end))
            found[place.v_row : place.v_row + nv] = _apart(place, own, other, setting.spatial and place.implicit)
            if place.joint.elastic is not None:
                found[place.v_row + 1] = end[place.q_row + 1] - start[place.q_row + 1]
    return found


def _apart(place: Place, start: list[Real], end: list[Real], angular_first: bool) -> Vector:
    kind = place.joint.kind
    if kind is JointKind.PLANAR:
        turn = end[2] - start[2]
        back = transpose(rotation_about((0.0, 0.0, 1.0), start[2], mp.mpf(0), mp.mpf(0))[0])
        moved = times(back, [end[0] - start[0], end[1] - start[1], mp.mpf(0)])
        return [*constant_velocity([mp.mpf(0), mp.mpf(0), turn], moved)[:2], turn]
    if kind not in QUATERNION_AT:
        return subtract(end, start)
    at = QUATERNION_AT[kind]
    if place.mujoco:
        start, end = scalar_last(kind, start), scalar_last(kind, end)
    own, other, shift = start[at:], end[at:], subtract(end[:at], start[:at])
    if angular_first:
        turn = rotation_vector(quaternion_product(other, _conjugate(own)))
        return [*turn, *constant_velocity(turn, subtract(end[:3], times(_matrix(turn), start[:3])))]
    turn = rotation_vector(quaternion_product(_conjugate(own), other))
    if place.mujoco or not at:
        return [*shift, *turn]
    still = [[mp.mpf(0)] * 3] * 2
    back = transpose(quaternion_rotation(own, still, body_axes=True)[0])
    return [*constant_velocity(turn, times(back, shift)), *turn]


def rotation_vector(quaternion: Sequence[Real]) -> Vector:
    """The shortest rotation vector of a quaternion (x, y, z, w) of any length."""
    *u, c = quaternion if quaternion[3] >= 0 else scale(-1, quaternion)
    sine = length(u)
    return scale(2 * mp.atan2(sine, c) / sine, u) if sine else [mp.mpf(0)] * 3


def _conjugate(quaternion: Sequence[Real]) -> list[Real]:
    return [*scale(-1, quaternion[:3]), quaternion[3]]


def _matrix(turn: Vector) -> Matrix:
    """Rodrigues' formula."""
    angle = length(turn)
    if not angle:
        return identity()
    around = skew(turn)
    parts = scale_matrix(mp.sin(angle) / angle, around), product(around, around)
    squared = scale_matrix((1 - mp.cos(angle)) / angle**2, parts[1])
    return matrix_sum(identity(), matrix_sum(parts[0], squared))


def constant_velocity(turn: Vector, point: Vector) -> Vector:
    """The constant velocity, seen in turning axes, that leads to a point in unit time: ``V(turn)^-1 point``."""
    angle = length(turn)
    if not angle:
        return list(point)
    around = skew(turn)
    first = scale_matrix((1 - mp.cos(angle)) / angle**2, around)
    second = scale_matrix((angle - mp.sin(angle)) / angle**3, product(around, around))
    V = matrix_sum(identity(), matrix_sum(first, second))
    return matrix_times(inverse(V, "a whole turn", "turn less"), point)
