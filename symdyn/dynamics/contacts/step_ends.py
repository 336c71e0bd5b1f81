"""How the position after a step, and the velocity in axes at its end, move with q and with the velocity w of the step.

Moves of q are along rows of v at both ends. With E = exp(h w) of the turn and T its right Jacobian, a free joint that
moves straight has

    dx' = E^T (dx + dtheta x h v + h dv),    dtheta' = E^T dtheta + T h domega
    v' = E^T v,    dv' = E^T dv + v' x T h domega

in the axes of its body; in fixed axes, with the place x and x' = x + h (v + omega x x),

    dtheta' = E dtheta + E T h domega,    dx' = (dx + dtheta x x) + h (dv + domega x x + omega x (dx + dtheta x x))

less dtheta' x x', and v' = v - omega x (x' - x).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import rotation_of, stumpff
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, product, scale, skew, times, transpose
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.interface.stepping import ROWS, Rates
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Mode, Port, Step, Sweep, Visit

END_FIELDS = ("end_by_q", "end_by_v", "turned_by_q", "turned_by_v")
"""Outputs, (nv, nv): moves of q_next by moves of q and by w, moves of v_next by both; blocks of joints whose rows of q
do not move at the rates of v alone, and zero elsewhere."""
_ONE: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_NONE: Matrix = ((0.0,) * 3,) * 3
_MOST = 6
_ROW_PORTS = tuple(f"{name}_{row}" for name in END_FIELDS for row in range(_MOST))


def step_end(rates: Rates, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: the four blocks."""
    q, w, h = reads["q"], reads["w"], reads["h"][0]
    if rates is Rates.PLANAR:
        blocks = _planar(algebra, w, h)
    elif rates in (Rates.SPHERICAL, Rates.SPHERICAL_MUJOCO):
        back, right = _turn(algebra, scale(h, w))
        blocks = (back, _scaled(h, right), _NONE, _ONE)
    else:
        parts = {Rates.FREE: _free, Rates.FREE_MUJOCO: _free_mujoco, Rates.FREE_SPATIAL: _free_spatial}
        blocks = parts[rates](algebra, q, w, h)
    return {
        f"{name}_{row}": list(block_row)
        for name, block in zip(END_FIELDS, blocks, strict=True)
        for row, block_row in enumerate(block)
    }


def step_end_by_length(rates: Rates, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: the move of its coordinates, and that of its velocity in axes at the end, by h."""
    q, w, h = reads["q"], reads["w"], reads["h"][0]
    match rates:
        case Rates.PLANAR:
            sine, cosine = algebra.sin_cos(h * w[2])
            x, y = cosine * w[0] + sine * w[1], cosine * w[1] - sine * w[0]
            return {"end": [x, y, w[2]], "turned": [y * w[2], -1.0 * (x * w[2]), 0.0]}
        case Rates.FREE:
            back, _right = _turn(algebra, scale(h, w[3:]))
            v = times(back, w[:3])
            return {"end": [*v, *w[3:]], "turned": [*cross(v, w[3:]), 0.0, 0.0, 0.0]}
        case Rates.FREE_SPATIAL:
            place, omega = q[:3], w[:3]
            speed = add(w[3:], cross(omega, place))
            lever = add(place, scale(h, speed))
            end = [*omega, *add(speed, scale(-1.0, cross(omega, lever)))]
            return {"end": end, "turned": [0.0, 0.0, 0.0, *scale(-1.0, cross(omega, speed))]}
    return {"end": list(w)}


def _turn(algebra: Algebra, x: Vector) -> tuple[Matrix, Matrix]:
    """E^T and T of a turn x: 1 - c_2 [x] + c_3 [x]^2."""
    c = stumpff(algebra, dot(x, x))
    once = skew(x)
    twice = product(once, once)
    right = [[_ONE[i][j] - c[2] * once[i][j] + c[3] * twice[i][j] for j in range(3)] for i in range(3)]
    return transpose(rotation_of(x, c).entries), right


def _free(algebra: Algebra, _: Vector, w: Vector, h: Scalar) -> tuple[Matrix, ...]:
    v, omega = w[:3], w[3:]
    back, right = _turn(algebra, scale(h, omega))
    turned, moved = times(back, v), _scaled(h, right)
    carried = product(back, _scaled(-h, skew(v)))
    end_by_q = _blocks(back, carried, _NONE, back)
    end_by_v = _blocks(_scaled(h, back), _NONE, _NONE, moved)
    return (
        end_by_q,
        end_by_v,
        _blocks(_NONE, _NONE, _NONE, _NONE),
        _blocks(back, product(skew(turned), moved), _NONE, _ONE),
    )


def _free_mujoco(algebra: Algebra, _: Vector, w: Vector, h: Scalar) -> tuple[Matrix, ...]:
    back, right = _turn(algebra, scale(h, w[3:]))
    none = _blocks(_NONE, _NONE, _NONE, _NONE)
    end_by_v = _blocks(_scaled(h, _ONE), _NONE, _NONE, _scaled(h, right))
    return _blocks(_ONE, _NONE, _NONE, back), end_by_v, none, _blocks(_ONE, _NONE, _NONE, _ONE)


def _free_spatial(algebra: Algebra, q: Vector, w: Vector, h: Scalar) -> tuple[Matrix, ...]:
    place, v, omega = q[:3], w[3:], w[:3]
    back, right = _turn(algebra, scale(h, omega))
    there = transpose(back)
    shift = scale(h, add(v, cross(omega, place)))
    at, spin, end = skew(place), skew(omega), skew(add(place, shift))
    # how the place and its shift move, by (theta; x) and by (omega; v)
    moved = (_scaled(-1.0, at), _ONE)
    shifted_by_q = [_scaled(h, product(spin, axis)) for axis in moved]
    shifted_by_v = [_scaled(h, axis) for axis in moved]
    left = _scaled(h, product(there, right))
    end_by_q = _blocks(
        there, _NONE, _sum(_sum(moved[0], shifted_by_q[0]), product(end, there)), _sum(_ONE, shifted_by_q[1])
    )
    end_by_v = _blocks(left, _NONE, _sum(shifted_by_v[0], product(end, left)), shifted_by_v[1])
    turned_by_q = _blocks(_NONE, _NONE, *(_scaled(-1.0, product(spin, axis)) for axis in shifted_by_q))
    by_omega = _sum(skew(shift), _scaled(-1.0, product(spin, shifted_by_v[0])))
    by_speed = _sum(_ONE, _scaled(-1.0, product(spin, shifted_by_v[1])))
    return end_by_q, end_by_v, turned_by_q, _blocks(_ONE, _NONE, by_omega, by_speed)


def _planar(algebra: Algebra, w: Vector, h: Scalar) -> tuple[Matrix, ...]:
    sine, cosine = algebra.sin_cos(h * w[2])
    x, y = cosine * w[0] + sine * w[1], cosine * w[1] - sine * w[0]
    back = ((cosine, sine), (-1.0 * sine, cosine))
    # dtheta x h v = h dtheta (-v_y, v_x), seen from the end
    end_by_q = [[*back[0], -1.0 * (h * y)], [*back[1], h * x], [0.0, 0.0, 1.0]]
    end_by_v = [[*scale(h, back[0]), 0.0], [*scale(h, back[1]), 0.0], [0.0, 0.0, h]]
    return end_by_q, end_by_v, _NONE, [[*back[0], h * y], [*back[1], -1.0 * (h * x)], [0.0, 0.0, 1.0]]


def _scaled(factor: Scalar, matrix: Matrix) -> Matrix:
    return [scale(factor, row) for row in matrix]


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return [add(x, y) for x, y in zip(a, b, strict=True)]


def _blocks(a: Matrix, b: Matrix, c: Matrix, d: Matrix) -> Matrix:
    upper = [[*x, *y] for x, y in zip(a, b, strict=True)]
    return [*upper, *([*x, *y] for x, y in zip(c, d, strict=True))]


_STEP_END = Step(
    "step_end",
    step_end,
    (*(Port(name, Mode.READ) for name in ("q", "w", "h")), *(Port(name, Mode.WRITE) for name in _ROW_PORTS)),
)


def ends_sweep(model: Model, velocity: str) -> list[Sweep]:
    """The sweep that fills the four outputs from q, h and the field of w; none where all joints are scalars."""
    visits = []
    for joint in model.independent_joints:
        rates = joint.kind.coordinate_rates
        if rates is Rates.EQUAL:
            continue
        first, (width, count) = joint.v_rows.start, ROWS[rates]
        bindings: dict[str, Binding] = {
            "q": Access("q", joint.q_rows.start, width),
            "w": Access(velocity, first, count),
            "h": Access("h", 0, 1),
        }
        bindings |= {
            f"{name}_{row}": Access(name, (first + row) * model.nv + first, count)
            for name in END_FIELDS
            for row in range(count)
        }
        visits.append(Visit(-1, rates, {}, bindings))
    return [Sweep(_STEP_END, tuple(visits))] if visits else []


LENGTH_FIELDS = ("end_by_h", "turned_by_h")
"""Outputs, (nv,): moves of q_next and of v_next by the length of the step at fixed w."""
_TURNING = (Rates.PLANAR, Rates.FREE, Rates.FREE_SPATIAL)
_END_BY_LENGTH = Step(
    "step_end_by_length",
    step_end_by_length,
    (*(Port(name, Mode.READ) for name in ("q", "w", "h")), *(Port(name, Mode.WRITE) for name in ("end", "turned"))),
)


def length_sweep(model: Model, velocity: str) -> Sweep:
    """The sweep that fills ``end_by_h`` and ``turned_by_h`` from q, h and the field of w."""
    visits = []
    for joint in model.independent_joints:
        rates, rows = joint.kind.coordinate_rates, joint.v_rows
        first, count = rows.start, rows.stop - rows.start
        bindings: dict[str, Binding] = {
            "q": Access("q", joint.q_rows.start, joint.q_rows.stop - joint.q_rows.start),
            "w": Access(velocity, first, count),
            "h": Access("h", 0, 1),
            "end": Access(LENGTH_FIELDS[0], first, count),
        }
        if rates in _TURNING:
            bindings["turned"] = Access(LENGTH_FIELDS[1], first, count)
        visits.append(Visit(-1, rates, {}, bindings))
    return Sweep(_END_BY_LENGTH, tuple(visits))


def block_rows(model: Model) -> Sequence[tuple[int, int]]:
    """First row of v and number of rows of the joints that have blocks."""
    kinds = ((joint.kind.coordinate_rates, joint.v_rows.start) for joint in model.independent_joints)
    return [(first, ROWS[rates][1]) for rates, first in kinds if rates is not Rates.EQUAL]
