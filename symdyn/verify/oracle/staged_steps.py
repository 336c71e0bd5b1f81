"""Exact steps of several stages, and derivatives of them as a whole by differences, with fifty digits.

The classical method of Runge and Kutta moves coordinates by exponentials: those of its last stage begin where the
second one is, and two moves lead to the end. The method of Alexander meets the equations of motion at two stages, with
the accelerations that are given there; the implicit function theorem tells how these change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from symdyn.verify.base.dense import Rows, flat, inverse, magnitudes, matrix_product, matrix_sum, solution_scales
from symdyn.verify.base.matrices import Real, Vector, add, scale, transpose, vector
from symdyn.verify.oracle.control import difference
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.implicit_steps import SINGULAR, State, columns, equations, mass_sizes, newton_step, sizes_felt
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.steps import SOLVED, SemiImplicitStep, asked_of, integrated, pulled_back
from symdyn.verify.oracle.tangent import STEP, central_difference, unit_row


@dataclass(frozen=True, slots=True)
class Staged:
    """A step as a function of its state, and the derivatives of that by what is given.

    ``ends`` gives q_next and v_next; ``rows`` gives A, B and, with parameters, P, with the sizes of their terms.
    """

    step: Callable[[Setting, Inputs], Exact]
    rows: Callable[[Setting, State], list[tuple[Rows, Rows]]]
    ends: Callable[[Setting, State], tuple[list[Real], Vector]]

    def partials(self, setting: Setting, inputs: Inputs) -> Exact:
        """q_next, v_next, V, U, and P where there are parameters."""
        state, nv = in_reals(inputs), setting.tree.nv
        q, v = self.ends(setting, state)
        return joined(
            [Exact(list(part), [1 + abs(x) for x in part]) for part in (q, v)]
            + [Exact(flat(values[nv:]), flat(sizes[nv:])) for values, sizes in self.rows(setting, state)]
        )

    def matrices(self, setting: Setting, inputs: Inputs) -> Exact:
        """A, B and, where gradients by parameters are asked for, P."""
        return asked_of(setting, self.rows(setting, in_reals(inputs)))

    def adjoint(self, setting: Setting, inputs: Inputs) -> Exact:
        """Products of weights of the state after a step with its derivatives."""
        given = in_reals({name: own for name, own in inputs.items() if name != "lambda"})
        return pulled_back(setting, self.rows(setting, given), vector(inputs["lambda"]))


def _given(setting: Setting) -> list[str]:
    names = ["q", "v", "u" if setting.inputs == "actuators" else "tau"]
    return [*names, *(["p"] if setting.parameter_names else [])]


def _blocks(setting: Setting, columns_by: Callable[[str], tuple[Rows, Rows]]) -> list[tuple[Rows, Rows]]:
    """A of the columns by q and v, and the others as they are."""
    by_q, by_v, *others = (columns_by(name) for name in _given(setting))
    A, sizes = (
        [[*x, *y] for x, y in zip(first, second, strict=True)] for first, second in zip(by_q, by_v, strict=True)
    )
    return [(A, sizes), *others]


def _rk4_ends(setting: Setting, state: State) -> tuple[list[Real], Vector]:
    q, v, (h,) = state["q"], state["v"], state["h"]
    nv = setting.tree.nv

    def acceleration(at: Sequence[Real], velocity: Vector) -> Vector:
        own = {name: given for name, given in state.items() if name != "h"} | {"q": list(at), "v": velocity}
        return SOLVED[bool(setting.held)][0](setting, own).values[:nv]

    def along(at: Sequence[Real], *parts: tuple[int, Vector]) -> list[Real]:
        """A move by h / 12 times a sum of so many times velocities."""
        total = [h * mp.fsum(part * own[row] for part, own in parts) / 12 for row in range(nv)]
        return integrated(setting, at, total)

    a = acceleration(q, v)
    v_2, q_2 = add(v, scale(h / 2, a)), along(q, (6, v))
    a_2 = acceleration(q_2, v_2)
    v_3, q_3 = add(v, scale(h / 2, a_2)), along(q, (6, v_2))
    a_3 = acceleration(q_3, v_3)
    v_4, q_4 = add(v, scale(h, a_3)), along(q_2, (12, v_3), (-6, v))
    a_4 = acceleration(q_4, v_4)
    middle = along(q, (3, v), (2, v_2), (2, v_3), (-1, v_4))
    q_next = along(middle, (-1, v), (2, v_2), (2, v_3), (3, v_4))
    v_next = [x + h / 6 * (b + 2 * c + 2 * d + e) for x, b, c, d, e in zip(v, a, a_2, a_3, a_4, strict=True)]
    return q_next, v_next


def _rk4_step(setting: Setting, inputs: Inputs) -> Exact:
    state = in_reals(inputs)
    q, v = _rk4_ends(setting, state)
    own = SemiImplicitStep.at(setting, inputs).ends()
    return joined(
        [
            Exact(list(found), [max(abs(x), y) for x, y in zip(found, floor.scales, strict=True)])
            for found, floor in zip((q, v), own, strict=True)
        ]
    )


def _rk4_rows(setting: Setting, state: State) -> list[tuple[Rows, Rows]]:
    end = _rk4_ends(setting, state)
    floors = SemiImplicitStep.at(setting, state).matrices()  # terms of its first stage are as large
    by: dict[str, Rows] = {}
    for name in _given(setting):
        by[name] = transpose(
            [
                central_difference(lambda d, at=at: off(setting, end, _rk4_ends(setting, at(d))), step, _SIZE)  # type: ignore[misc]
                for at, step in perturbations(setting, state, name)
            ]
        )
    found = _blocks(setting, lambda name: (by[name], magnitudes(by[name])))
    return [
        (
            values,
            [[max(x, y) for x, y in zip(own, floor, strict=True)] for own, floor in zip(sizes, least, strict=True)],
        )
        for (values, sizes), (_, least) in zip(found, floors, strict=True)
    ]


def off(setting: Setting, start: tuple[list[Real], Vector], end: tuple[list[Real], Vector]) -> Vector:
    """Moves of q along rows of v from one state to another, then changes of v."""
    return [*difference(setting, start[0], end[0]), *(y - x for x, y in zip(start[1], end[1], strict=True))]


_SIZE = mp.mpf(1)
"""What moves are seen against: less than rounding of it is none."""


def _gamma() -> Real:
    return 1 - 1 / mp.sqrt(2)


def _between(setting: Setting, state: State) -> State:
    """The state at which the second map begins, and its accelerations."""
    nv, (h,), part = setting.tree.nv, state["h"], 1 - _gamma()
    a = state["a"][:nv]
    velocity = add(state["v"], scale(_gamma() * h, a))
    q, v = integrated(setting, state["q"], scale(part * h, velocity)), add(state["v"], scale(part * h, a))
    return {**state, "q": q, "v": v, "a": state["a"][nv:]}


def _sdirk2_ends(setting: Setting, state: State) -> tuple[list[Real], Vector]:
    second, (h,) = _between(setting, state), state["h"]
    v = add(second["v"], scale(_gamma() * h, second["a"]))
    return integrated(setting, second["q"], scale(_gamma() * h, v)), v


def _sdirk2_step(setting: Setting, inputs: Inputs) -> Exact:
    state, nv = in_reals(inputs), setting.tree.nv
    guess, gamma = state.pop("a_guess"), _gamma()
    first = newton_step(gamma, setting, {**state, "a_guess": guess[:nv]})
    a = first.values[-nv:]
    middle = _between(setting, {**state, "a": [*a, *guess[nv:]]})
    second = newton_step(
        gamma, setting, {name: own for name, own in middle.items() if name != "a"} | {"a_guess": guess[nv:]}
    )
    whole = [*a, *second.values[-nv:]]
    sizes = [*first.scales[-nv:], *second.scales[-nv:]]
    (h,) = state["h"]
    q, v = _sdirk2_ends(setting, {**state, "a": whole})
    reach = [abs(x) + h * (y + z) for x, y, z in zip(state["v"], sizes, sizes[nv:], strict=False)]
    largest = max(reach)
    ends = [
        Exact(q, [1 + abs(x) + h * largest for x in q]),
        Exact(v, [max(abs(x), y) for x, y in zip(v, reach, strict=True)]),
    ]
    return joined([*ends, Exact(whole, sizes)])


def both_stages(setting: Setting, state: State, h: Real) -> Vector:
    """What is left of the equations of motion at both stages of the method of Alexander, of a state without h."""
    nv, gamma = setting.tree.nv, _gamma()
    second = {name: given for name, given in _between(setting, {**state, "h": [h]}).items() if name != "h"}
    first = {**state, "a": state["a"][:nv]}
    return [*equations(setting, first, h, gamma), *equations(setting, second, h, gamma)]


def _sdirk2_rows(setting: Setting, state: State) -> list[tuple[Rows, Rows]]:
    nv, (h,), gamma = setting.tree.nv, state["h"], _gamma()
    own = {name: given for name, given in state.items() if name != "h"}

    def both(at: State) -> Vector:
        return both_stages(setting, at, h)

    S = columns(setting, own, "a", both)
    masses = mass_sizes(setting, own)
    sizes = [[*([x if k < nv else mp.mpf(0) for k, x in enumerate([*row, *row])])] for row in masses]
    sizes += [[*row, *row] for row in mass_sizes(setting, {**own, "q": _between(setting, state)["q"]})]
    back, weights = inverse(S, *SINGULAR), matrix_sum(magnitudes(S), sizes)
    largest = max(sizes_felt(setting, {**own, "a": own["a"][:nv]}, h, gamma))
    end = _sdirk2_ends(setting, state)

    def by(name: str) -> tuple[Rows, Rows]:
        side = columns(setting, own, name, both)
        floor = {"q": largest, "v": largest * h}.get(name, mp.mpf(0)) / 1000
        change = matrix_product(back, side)
        reach = solution_scales(weights, back, change, [[abs(x) + floor for x in row] for row in side])
        found, terms = [], []
        moves = perturbations(setting, state, name) if name in "qvp" else [(lambda d: state, None)] * len(state[name])
        for column, (at, step) in enumerate(moves):
            along = [-row[column] for row in change]

            def moved(d: Real, at: Any = at, along: Vector = along) -> Vector:
                there = at(d)
                return off(setting, end, _sdirk2_ends(setting, {**there, "a": add(there["a"], scale(d, along))}))

            found.append(central_difference(moved, STEP if step is None else step, _SIZE))
            own_reach = [h * (row[column] + other[column]) for row, other in zip(reach, reach[nv:], strict=False)]
            unit = unit_row(nv, column) if name in "qv" else [mp.mpf(0)] * nv
            unit_v = unit if name == "v" else [mp.mpf(0)] * nv
            above = [abs(x) + h * y for x, y in zip(found[-1], own_reach, strict=False)]
            terms.append([*above, *add(own_reach, unit_v)])
        return transpose(found), transpose(terms)

    return _blocks(setting, by)


METHODS = {
    "rk4": Staged(_rk4_step, _rk4_rows, _rk4_ends),
    "sdirk2": Staged(_sdirk2_step, _sdirk2_rows, _sdirk2_ends),
}
"""By the names that requests have for them."""
