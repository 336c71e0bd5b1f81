"""Exact derivatives of implicit steps, by differences of the equations of motion within a step, with fifty digits.

    F(q, v, u, a) = R(q (+) theta h w, w, a, u),    w = v + theta h a

F is differenced as a whole, and the implicit function theorem gives what the acceleration of the step does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

from symdyn.verify.base.dense import Rows, flat, inverse, magnitudes, matrix_product, matrix_sum, solution_scales
from symdyn.verify.base.matrices import Real, add, scale, transpose, vector
from symdyn.verify.oracle.accelerations import driven
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.force_terms import load_terms
from symdyn.verify.oracle.loops import slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import in_reals, inverse_dynamics_partials, perturbations
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.residuals import implicit_residual
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.steps import Ends, asked_of, integrated, pulled_back
from symdyn.verify.oracle.tangent import central_difference

State = dict[str, list[Real]]
SINGULAR = ("S = dF/da", "take a shorter step")


def newton_step(theta: Real, setting: Setting, inputs: Inputs) -> Exact:
    """q_next, v_next and the corrected acceleration."""
    state = in_reals(inputs)
    (h,), a = state.pop("h"), state.pop("a_guess")
    state["a"] = a
    S, sizes = _by(setting, state, h, theta, "a"), mass_sizes(setting, state)
    left, reach = (
        [[x] for x in equations(setting, state, h, theta)],
        [[x] for x in sizes_felt(setting, state, h, theta)],
    )
    back = inverse(S, *SINGULAR)
    change = matrix_product(back, left)
    terms = solution_scales(matrix_sum(magnitudes(S), sizes), back, change, reach)
    found = [own - x for own, (x,) in zip(a, change, strict=True)]
    whole = Exact(found, [abs(own) + size for own, (size,) in zip(a, terms, strict=True)])
    return joined([*_ends(setting, {**state, "a": found}, h, theta, whole.scales), whole])


def partials(theta: Real, setting: Setting, inputs: Inputs) -> Exact:
    """q_next, v_next, V, U, and P where there are parameters."""
    state, h, rows = _rows(theta, setting, inputs)
    ends = _ends(setting, state, h, theta, [abs(x) for x in state["a"]])
    return joined([*ends, *(Exact(flat(values), flat(sizes)) for values, sizes in rows)])


def matrices(theta: Real, setting: Setting, inputs: Inputs) -> Exact:
    """A, B and, where gradients by parameters are asked for, P."""
    return asked_of(setting, _matrices(theta, setting, inputs))


def adjoint(theta: Real, setting: Setting, inputs: Inputs) -> Exact:
    """Products of weights of the state after a step with its derivatives."""
    given = {name: own for name, own in inputs.items() if name != "lambda"}
    return pulled_back(setting, _matrices(theta, setting, given), vector(inputs["lambda"]))


def _matrices(theta: Real, setting: Setting, inputs: Inputs) -> list[tuple[Rows, Rows]]:
    """A, B and, with parameters, derivatives of the next state by these."""
    state, h, rows = _rows(theta, setting, inputs)
    velocity = add(state["v"], scale(theta * h, state["a"]))
    return Ends(setting, state["q"], h, velocity, theta).matrices(rows)


def residual_partials(setting: Setting, inputs: Inputs) -> Exact:
    """R, and its derivatives by q, v, a, inputs of actuators and parameters."""
    state, nv = in_reals(inputs), setting.tree.nv
    needed = inverse_dynamics_partials(setting, {name: own for name, own in state.items() if name not in ("tau", "u")})
    by_state = [_plain(setting, state, name) for name in ("q", "v", "a")]
    found, start = [implicit_residual(setting, state)], 0
    names = ["q", "v", "a", *(["u"] if setting.inputs == "actuators" else [])]
    names += ["p"] if setting.parameter_names else []
    for name in names:
        values = by_state["qva".index(name)] if name in "qva" else _plain(setting, state, name)
        sizes = magnitudes(values)
        if name in "qva":
            own = needed.scales[start : start + nv * nv]
            start += nv * nv
            sizes = [[max(x, own[row * nv + k]) for k, x in enumerate(line)] for row, line in enumerate(sizes)]
        else:
            largest = max(flat(sizes), default=mp.mpf(0))
            sizes = [[max(x, largest / 1000) for x in line] for line in sizes]
        found.append(Exact(flat(values), flat(sizes)))
    return joined(found)


def _rows(theta: Real, setting: Setting, inputs: Inputs) -> tuple[State, Real, list[tuple[Rows, Rows]]]:
    """The state, the length, and V, U and P with the sizes of their terms."""
    state, nv = in_reals(inputs), setting.tree.nv
    (h,) = state.pop("h")
    S, sizes = _by(setting, state, h, theta, "a"), mass_sizes(setting, state)
    back = inverse(S, *SINGULAR)
    weights, parts = matrix_sum(magnitudes(S), sizes), []
    given = "u" if setting.inputs == "actuators" else "tau"
    largest = max(sizes_felt(setting, state, h, theta))
    for name in ("q", "v", given, *(["p"] if setting.parameter_names else [])):
        side = _by(setting, state, h, theta, name)
        # forces that cancel in derivatives by moves are as large as they are, per radian; by v, less by the length
        floor = {"q": largest, "v": largest * h}.get(name, mp.mpf(0)) / 1000
        found = matrix_product(back, side)
        reach = solution_scales(weights, back, found, [[abs(x) + floor for x in row] for row in side])
        values = [scale(-h, row) for row in found]
        own = [scale(h, row) for row in reach]
        if name == "v":
            for row in range(nv):
                values[row][row] += 1
                own[row] = [x + (row == column) for column, x in enumerate(own[row])]
        parts.append((values, own))
    (by_q, q_sizes), (by_v, v_sizes), *others = parts
    V = [[*x, *y] for x, y in zip(by_q, by_v, strict=True)]
    return state, h, [(V, [[*x, *y] for x, y in zip(q_sizes, v_sizes, strict=True)]), *others]


def _ends(setting: Setting, state: State, h: Real, theta: Real, reach: Sequence[Real]) -> list[Exact]:
    velocity = add(state["v"], scale(theta * h, state["a"]))
    sizes = [abs(x) + h * y for x, y in zip(state["v"], reach, strict=True)]
    found = add(state["v"], scale(h, state["a"]))
    return Ends(setting, state["q"], h, velocity, theta).states(Exact(found, sizes))


def equations(setting: Setting, state: State, h: Real, theta: Real) -> list[Real]:
    """F of a state."""
    return _plain_residual(setting, _within(setting, state, h, theta))


def _within(setting: Setting, state: State, h: Real, theta: Real) -> State:
    w = add(state["v"], scale(theta * h, state["a"]))
    return {**state, "q": integrated(setting, state["q"], scale(theta * h, w)), "v": w}


def _plain_residual(setting: Setting, state: State) -> list[Real]:
    given = driven(setting, state) or state["tau"]
    found = [x - y for x, y in zip(setting.force(state), given, strict=True)]
    if not setting.held:
        return found
    pulled = zip(*slopes(setting, state)[0], strict=True)
    return [x - mp.fdot(column, state["lambda"]) for x, column in zip(found, pulled, strict=True)]


def sizes_felt(setting: Setting, state: State, h: Real, theta: Real) -> list[Real]:
    """The sizes of the terms of F."""
    within = _within(setting, state, h, theta)
    given = driven(setting, within) or within["tau"]
    return [x + abs(y) for x, y in zip(load_terms(setting, within, within["a"]), given, strict=True)]


def mass_sizes(setting: Setting, state: State) -> Rows:
    """The sizes of the terms of the mass matrix."""
    return mass_terms(robot_pose(setting, state["q"], state))[1]


def _by(setting: Setting, state: State, h: Real, theta: Real, name: str) -> Rows:
    """Derivatives of F by one of its inputs, (nv, ..)."""
    return columns(setting, state, name, lambda own: equations(setting, own, h, theta))


def _plain(setting: Setting, state: State, name: str) -> Rows:
    """Derivatives of R by one of its inputs, (nv, ..)."""
    return columns(setting, state, name, lambda own: _plain_residual(setting, own))


def columns(setting: Setting, state: State, name: str, function: Callable[[State], Sequence[Real]]) -> Rows:
    """Derivatives of a function of a state by one of its inputs."""
    if name in ("q", "v", "p"):
        listed: list[tuple[Any, Real | None]] = list(perturbations(setting, state, name))
    else:
        listed = [(_moved(state, name, place), None) for place in range(len(state[name]))]
    found = []
    for at, step in listed:
        own = {} if step is None else {"step": step}
        found.append(central_difference(lambda d, at=at: function(at(d)), **own))  # type: ignore[misc]
    return transpose(found)


def _moved(state: State, name: str, place: int) -> Callable[[Real], State]:
    return lambda d: {**state, name: [x + d * (k == place) for k, x in enumerate(state[name])]}
