"""Exact steps of a robot, and their derivatives: exponentials of matrices move coordinates, with fifty digits.

Rows of velocities follow from exact accelerations and their exact partial derivatives; those of positions are central
differences of moves, seen from where the step gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.robot import JointKind
from symdyn.verify.base.curves import QUATERNION_AT, quaternion_product, quaternion_rotation, scalar_first, scalar_last
from symdyn.verify.base.dense import Rows, flat, magnitudes, matrix_product, matrix_sum, matrix_times, zero_matrix
from symdyn.verify.base.matrices import Real, Vector, add, in_rows, scale, skew, times, transpose, vector
from symdyn.verify.oracle.accelerations import forward_dynamics
from symdyn.verify.oracle.constrained import constrained_forward_dynamics
from symdyn.verify.oracle.constrained_partials import constrained_forward_dynamics_partials
from symdyn.verify.oracle.control import difference
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.partial_derivatives import forward_dynamics_partials, in_reals
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference, exponential, moved, unit_row

SOLVED = {
    False: (forward_dynamics, forward_dynamics_partials),
    True: (constrained_forward_dynamics, constrained_forward_dynamics_partials),
}
"""What finds accelerations and their derivatives, by whether loops hold."""


def step(setting: Setting, inputs: Inputs) -> Exact:
    """q_next and v_next."""
    return joined(SemiImplicitStep.at(setting, inputs).ends())


def step_partials(setting: Setting, inputs: Inputs) -> Exact:
    """q_next, v_next, and derivatives of v_next by states, by what is given and by parameters."""
    own = SemiImplicitStep.at(setting, inputs)
    return joined([*own.ends(), *(Exact(flat(values), flat(sizes)) for values, sizes in own.velocity_rows())])


def step_matrices(setting: Setting, inputs: Inputs) -> Exact:
    """A, B and, where gradients by parameters are asked for, P."""
    return asked_of(setting, SemiImplicitStep.at(setting, inputs).matrices())


def step_adjoint(setting: Setting, inputs: Inputs) -> Exact:
    """Products of weights of the state after a step with its derivatives."""
    own = SemiImplicitStep.at(setting, {name: given for name, given in inputs.items() if name != "lambda"})
    return pulled_back(setting, own.matrices(), vector(inputs["lambda"]))


def asked_of(setting: Setting, matrices: Sequence[tuple[Rows, Rows]]) -> Exact:
    """A, B and, where gradients by parameters are asked for, P."""
    return joined([Exact(flat(values), flat(sizes)) for values, sizes in _asked(setting, matrices)])


def _asked(setting: Setting, matrices: Sequence[tuple[Rows, Rows]]) -> Sequence[tuple[Rows, Rows]]:
    return matrices[: 2 + any(setting.parameter_names in own[-1:] for own in setting.axes)]


def pulled_back(setting: Setting, matrices: Sequence[tuple[Rows, Rows]], weights: Vector) -> Exact:
    """Products of weights with A, B and, where gradients by parameters are asked for, those by these."""
    found, nv = [], setting.tree.nv
    for number, (values, sizes) in enumerate(_asked(setting, matrices)):
        total = matrix_times(transpose(values), weights)
        reach = matrix_times(transpose(sizes), [abs(x) for x in weights])
        parts = (slice(0, nv), slice(nv, 2 * nv)) if number == 0 else (slice(None),)
        found += [Exact(total[part], reach[part]) for part in parts]
    return joined(found)


@dataclass(frozen=True, slots=True)
class Ends:
    """Where a step starts, its length, the velocity that moves coordinates, and theta."""

    setting: Setting
    q: Sequence[Real]
    h: Real
    moving: Sequence[Real]
    theta: Real = 1.0

    def states(self, velocity: Exact) -> list[Exact]:
        """q_next and v_next, from the latter."""
        end = integrated(self.setting, self.q, scale(self.h, self.moving))
        sizes = _move_sizes(self.setting, self.q, scale(self.h, velocity.scales))
        return [Exact(end, [max(abs(x), size) for x, size in zip(end, sizes, strict=True)]), velocity]

    def matrices(self, rows: Sequence[tuple[Rows, Rows]]) -> list[tuple[Rows, Rows]]:
        """A, B and, with parameters, derivatives of the next state by these, with the sizes of their terms."""
        nv, found = self.setting.tree.nv, []
        T, D = move_slopes(self.setting, self.q, self.moving, self.h)
        rest = [scale(1 - self.theta, row) for row in D]
        spread = [scale(self.theta, row) for row in D]
        for number, (values, sizes) in enumerate(rows):
            start = zero_matrix(nv, len(values[0]))
            if number == 0:
                start = [[*x, *y] for x, y in zip(T, rest, strict=True)]
            above = matrix_sum(start, matrix_product(spread, values))
            reach = matrix_sum(magnitudes(start), matrix_product(magnitudes(spread), sizes))
            found.append(([*above, *values], [*reach, *sizes]))
        return found


@dataclass(frozen=True, slots=True)
class SemiImplicitStep:
    """A semi-implicit step: where it starts, how long it is, and the velocity that it ends with."""

    setting: Setting
    state: dict[str, list[Real]]
    h: Real
    velocity: Exact

    @classmethod
    def at(cls, setting: Setting, inputs: Inputs) -> SemiImplicitStep:
        """The step from a state."""
        state = in_reals(inputs)
        (h,) = state.pop("h")
        solved = SOLVED[bool(setting.held)][0](setting, state)
        nv, v = setting.tree.nv, state["v"]
        values = add(v, scale(h, solved.values[:nv]))
        sizes = [abs(x) + h * size for x, size in zip(v, solved.scales[:nv], strict=True)]
        return cls(setting, state, h, Exact(values, sizes))

    def ends(self) -> list[Exact]:
        """q_next and v_next."""
        return Ends(self.setting, self.state["q"], self.h, self.velocity.values).states(self.velocity)

    def velocity_rows(self) -> list[tuple[Rows, Rows]]:
        """V, U, and P where there are parameters, with the sizes of their terms."""
        setting, nv = self.setting, self.setting.tree.nv
        found = SOLVED[bool(setting.held)][1](setting, self.state)
        given = len(self.state["u"]) if setting.inputs == "actuators" else nv
        widths, start, parts = [nv, nv, given, len(setting.parameter_names)], 0, []
        for width in widths:
            own = slice(start, start + nv * width)
            if width:
                blocks = (in_rows(scale(self.h, listed[own]), width) for listed in (found.values, found.scales))
                parts.append(tuple(blocks))
            start = own.stop
        (by_q, q_sizes), (by_v, v_sizes), *others = parts
        for row in range(nv):
            by_v[row][row] += 1
            v_sizes[row][row] += 1
        V = [[*x, *y] for x, y in zip(by_q, by_v, strict=True)]
        V_sizes = [[*x, *y] for x, y in zip(q_sizes, v_sizes, strict=True)]
        return [(V, V_sizes), *((values, sizes) for values, sizes in others)]

    def matrices(self) -> list[tuple[Rows, Rows]]:
        """A, B and, with parameters, derivatives of the next state by these, with the sizes of their terms."""
        return Ends(self.setting, self.state["q"], self.h, self.velocity.values).matrices(self.velocity_rows())


def move_slopes(setting: Setting, q: Sequence[Real], velocity: Sequence[Real], h: Real) -> tuple[Rows, Rows]:
    """How the end of a move by h times a velocity changes with where it starts, and with the velocity."""
    nv, whole = setting.tree.nv, scale(h, velocity)
    end = integrated(setting, q, whole)

    def off(start: Sequence[Real], move: Sequence[Real]) -> Vector:
        return difference(setting, end, integrated(setting, start, move))

    rows = [unit_row(nv, row) for row in range(nv)]
    by_q = [central_difference(lambda d, own=own: off(moved(setting, q, own, d), whole)) for own in rows]  # type: ignore[misc]
    by_velocity = [central_difference(lambda d, own=own: off(q, add(whole, scale(d * h, own)))) for own in rows]  # type: ignore[misc]
    return transpose(by_q), transpose(by_velocity)


def integrated(setting: Setting, q: Sequence[Real], move: Sequence[Real]) -> list[Real]:
    """The configuration after a constant velocity ``move``, in the convention of v, has acted for unit time."""
    found = list(q)
    for place in setting.tree.places:
        if place.owns_rows:
            nq, nv = place.rows
            own, along = list(q[place.q_row : place.q_row + nq]), list(move[place.v_row : place.v_row + nv])
            found[place.q_row : place.q_row + nq] = _integrated(place, own, along, setting.spatial and place.implicit)
            if place.joint.elastic is not None:
                found[place.q_row + 1] += move[place.v_row + 1]
    return found


def _integrated(place: Place, q: list[Real], along: Vector, angular_first: bool) -> list[Real]:
    kind = place.joint.kind
    if kind is JointKind.PLANAR:
        turned, shift = _screw([mp.mpf(0), mp.mpf(0), along[2]], [along[0], along[1], mp.mpf(0)])
        del turned
        about, _ = _screw([mp.mpf(0), mp.mpf(0), q[2]], [mp.mpf(0)] * 3)
        x, y, _ = times(about, shift)
        return [q[0] + x, q[1] + y, q[2] + along[2]]
    if kind not in QUATERNION_AT:
        return add(q, along)
    at = QUATERNION_AT[kind]
    if place.mujoco:
        own = scalar_last(kind, q)
        return scalar_first(kind, [*add(own[:at], along[:at]), *quaternion_product(own[at:], exponential(along[at:]))])
    if kind is JointKind.SPHERICAL:
        return quaternion_product(q, exponential(along))
    linear, angular = (along[3:], along[:3]) if angular_first else (along[:3], along[3:])
    turned, shift = _screw(angular, linear)
    if angular_first:
        return [*add(times(turned, q[:3]), shift), *quaternion_product(exponential(angular), q[3:])]
    axes = quaternion_rotation(q[3:], [[mp.mpf(0)] * 3] * 2, body_axes=True)[0]
    return [*add(q[:3], times(axes, shift)), *quaternion_product(q[3:], exponential(angular))]


def _screw(angular: Vector, linear: Vector) -> tuple[Rows, Vector]:
    """Rotation and translation of the exponential of a twist: the power series of its matrix."""
    matrix = mp.matrix([[*row, x] for row, x in zip(skew(angular), linear, strict=True)] + [[mp.mpf(0)] * 4])
    pose = mp.expm(matrix, method="taylor")
    return [[pose[i, j] for j in range(3)] for i in range(3)], [pose[i, 3] for i in range(3)]


def _move_sizes(setting: Setting, q: Sequence[Real], move: Sequence[Real]) -> list[Real]:
    """The sizes of the terms of coordinates after a move of these sizes."""
    found = [abs(x) for x in q]
    for place in setting.tree.places:
        if not place.owns_rows:
            continue
        kind, (nq, nv) = place.joint.kind, place.rows
        along = [abs(x) for x in move[place.v_row : place.v_row + nv]]
        first = place.q_row
        if kind is JointKind.PLANAR or kind in QUATERNION_AT:
            at = QUATERNION_AT.get(kind, 2)
            turning = along[:3] if setting.spatial and place.implicit else along[at:]
            turn, reach = mp.fsum(turning), mp.fsum(along) - mp.fsum(turning)
            about = 1 + turn
            place_size = mp.fsum(found[first : first + at])
            for row in range(nq):
                found[first + row] = (place_size + reach) * about if row < at else found[first + row] + about
        else:
            for row in range(nq):
                found[first + row] += along[row]
            if place.joint.elastic is not None:
                found[first + 1] += abs(move[place.v_row + 1])
    return found
