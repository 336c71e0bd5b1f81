"""Moving a configuration along a direction of its tangent space, exactly enough to differentiate along it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mpmath import mp

from symdyn.description.robot import JointKind
from symdyn.verify.base.curves import (
    QUATERNION_AT,
    quaternion_product,
    quaternion_rotation,
    rotation_about,
    scalar_first,
    scalar_last,
)
from symdyn.verify.base.matrices import Real, Vector, add, cross, length, scale, times
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.setting import Inputs, Setting

STEP = mp.ldexp(1, -53)
"""Of central differences: with fifty digits both the error of the formula and that of rounding stay near 1e-32."""
NOISE = mp.ldexp(1, -140)
"""Changes relative to the largest value that are rounding and nothing else (fifty digits are 2^-166)."""


def moved(setting: Setting, q: Sequence[Real], direction: Sequence[Real], step: Real) -> list[Real]:
    """The configuration ``step`` along a direction: a velocity in the convention of v.

    Parameters
    ----------
    setting
        The robot.
    q
        Where to start.
    direction
        One row per row of v.
    step
        How far.
    """
    found = list(q)
    for place in setting.tree.places:
        if place.owns_rows:
            nq, nv = place.rows
            own = list(q[place.q_row : place.q_row + nq])
            along = scale(step, direction[place.v_row : place.v_row + nv])
            angular_first = setting.spatial and place.implicit
            found[place.q_row : place.q_row + nq] = _moved_joint(place, own, along, angular_first)
            if place.joint.elastic is not None:
                found[place.q_row + 1] += step * direction[place.v_row + 1]
    return found


def _moved_joint(place: Place, q: list[Real], along: Vector, angular_first: bool) -> list[Real]:
    kind = place.joint.kind
    if place.mujoco and kind in QUATERNION_AT:
        at, own = QUATERNION_AT[kind], scalar_last(kind, q)
        return scalar_first(kind, [*add(own[:at], along[:at]), *quaternion_product(own[at:], exponential(along[at:]))])
    match kind:
        case JointKind.SPHERICAL:
            return quaternion_product(q, exponential(along))
        case JointKind.PLANAR:
            turning = rotation_about((0.0, 0.0, 1.0), q[2], mp.mpf(0), mp.mpf(0))[0]
            shift = times(turning, [along[0], along[1], mp.mpf(0)])
            return [q[0] + shift[0], q[1] + shift[1], q[2] + along[2]]
        case JointKind.FLOATING:
            first, second = along[:3], along[3:]
            linear, angular = (second, first) if angular_first else (first, second)
            if angular_first:
                return [
                    *add(q[:3], add(linear, cross(angular, q[:3]))),
                    *quaternion_product(exponential(angular), q[3:]),
                ]
            still = [[mp.mpf(0)] * 3] * 2
            turning = quaternion_rotation(q[3:], still, body_axes=True)[0]
            return [*add(q[:3], times(turning, linear)), *quaternion_product(q[3:], exponential(angular))]
    return add(q, along)


def exponential(angle: Sequence[Real]) -> list[Real]:
    """The unit quaternion (x, y, z, w) of a rotation vector."""
    size = length(angle)
    if not size:
        return [mp.mpf(0)] * 3 + [mp.mpf(1)]
    return [*scale(mp.sin(size / 2) / size, angle), mp.cos(size / 2)]


def unit_row(size: int, row: int) -> list[Real]:
    """A row of the unit matrix."""
    return [mp.mpf(place == row) for place in range(size)]


def central_difference(
    function: Callable[[Real], Sequence[Real]], step: Real = STEP, terms: Real | None = None
) -> list[Real]:
    """The derivative at 0 of a function of one number, ``(f(h) - f(-h)) / 2h``.

    What is left of rounding where nothing changes counts as the zero that it stands for; ``terms`` is the size of what
    the function's values are sums of, where that cancels in all of them.
    """
    forth, back = function(step), function(-step)
    noise = NOISE * max((abs(value) for value in (*forth, *back)), default=mp.mpf(0))
    if terms is not None:
        noise = max(noise, NOISE * terms)
    changes = [ahead - behind for ahead, behind in zip(forth, back, strict=True)]
    return [change / (2 * step) if abs(change) > noise else mp.mpf(0) for change in changes]


def along_motion(setting: Setting, inputs: Inputs, function: Callable[[list[Real]], Sequence[Real]]) -> list[Real]:
    """The time derivative of a function of q while the robot moves with the state's v."""
    v = [mp.mpf(value) for value in inputs["v"]]
    q = [mp.mpf(value) for value in inputs["q"]]
    return central_difference(lambda step: function(moved(setting, q, v, step)))
