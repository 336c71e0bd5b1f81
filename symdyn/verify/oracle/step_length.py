"""The exact derivative of a weighted state after a step by the length of the step, behind its other derivatives."""

from __future__ import annotations

from mpmath import mp

from symdyn.interface.stepping import IMPLICIT_STEPS, SDIRK2
from symdyn.verify.base.dense import inverse, matrix_times
from symdyn.verify.base.matrices import Real, Vector, add, scale, vector
from symdyn.verify.oracle import implicit_steps, staged_steps
from symdyn.verify.oracle.exact import Exact, TruthFunction, joined
from symdyn.verify.oracle.held import method_of
from symdyn.verify.oracle.partial_derivatives import in_reals
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.steps import SemiImplicitStep, integrated
from symdyn.verify.oracle.tangent import central_difference


def step_equations(setting: Setting, inputs: Inputs) -> Exact:
    """q_next, v_next, and what is left of the equations of motion at the stages of a step."""
    state, nv, theta = in_reals(inputs), setting.tree.nv, IMPLICIT_STEPS.get(method_of(setting))
    own, (h,) = {name: x for name, x in state.items() if name != "h"}, state["h"]
    if method_of(setting) == SDIRK2:
        q, v = _ends(setting, state)
        left = staged_steps.both_stages(setting, own, h)
        gamma = 1 - 1 / mp.sqrt(2)
        felt = implicit_steps.sizes_felt(setting, {**own, "a": own["a"][:nv]}, h, gamma)
        felt += implicit_steps.sizes_felt(setting, {**own, "a": own["a"][nv:]}, h, gamma)
    else:
        v = add(state["v"], scale(h, state["a"]))
        along = v if theta is None else add(state["v"], scale(mp.mpf(theta) * h, state["a"]))
        q = integrated(setting, state["q"], scale(h, along))
        part, length = (mp.mpf(0), mp.mpf(0)) if theta is None else (mp.mpf(theta), h)
        left = implicit_steps.equations(setting, own, length, part)
        felt = implicit_steps.sizes_felt(setting, own, length, part)
    reach = [abs(x) + h * abs(y) for x, y in zip(state["v"], state["a"], strict=False)]
    ends = [Exact(q, [1 + abs(x) for x in q]), Exact(v, [max(abs(x), y) for x, y in zip(v, reach, strict=True)])]
    return joined([*ends, Exact(left, [max(abs(x), y) for x, y in zip(left, felt, strict=True)])])


def with_length(gradient: TruthFunction) -> TruthFunction:
    """A gradient, and where it is an output, g_h: differences of states, with accelerations as their equations tell."""

    def compute(setting: Setting, inputs: Inputs) -> Exact:
        found = gradient(setting, inputs)
        return joined([found, _by_length(setting, inputs)]) if () in setting.axes else found

    return compute


def _by_length(setting: Setting, inputs: Inputs) -> Exact:
    state = in_reals({name: own for name, own in inputs.items() if name != "lambda"})
    weights, (h,) = vector(inputs["lambda"]), state["h"]
    slopes = _accelerations(setting, state) if "a" in state else []
    start = _ends(setting, state)

    def moved(d: Real) -> Vector:
        at = {**state, "h": [h + d]}
        if slopes:
            at["a"] = add(state["a"], scale(d, slopes))
        return staged_steps.off(setting, start, _ends(setting, at))

    rates = central_difference(moved, terms=mp.mpf(1))
    gained = [abs(end - begin) / h for begin, end in zip(state["v"], start[1], strict=True)]
    speeds = [abs(x) + abs(y) for x, y in zip(state["v"], start[1], strict=True)]
    sizes = [abs(x) + y for x, y in zip(rates, (*speeds, *gained), strict=True)]
    return Exact([mp.fdot(weights, rates)], [mp.fdot(map(abs, weights), sizes)])


def _ends(setting: Setting, state: implicit_steps.State) -> tuple[list[Real], Vector]:
    if own := staged_steps.METHODS.get(method_of(setting)):
        return own.ends(setting, state)
    theta, (h,) = IMPLICIT_STEPS.get(method_of(setting)), state["h"]
    if theta is None:
        q, v = SemiImplicitStep.at(setting, state).ends()
        return q.values, v.values
    along = add(state["v"], scale(mp.mpf(theta) * h, state["a"]))
    return integrated(setting, state["q"], scale(h, along)), add(state["v"], scale(h, state["a"]))


def _accelerations(setting: Setting, state: implicit_steps.State) -> Vector:
    """How accelerations of a step change with its length."""
    own, theta = {name: x for name, x in state.items() if name != "h"}, IMPLICIT_STEPS.get(method_of(setting))

    def left(at: implicit_steps.State, h: Real) -> Vector:
        if theta is None:
            return staged_steps.both_stages(setting, at, h)
        return implicit_steps.equations(setting, at, h, mp.mpf(theta))

    (h,) = state["h"]
    S = implicit_steps.columns(setting, own, "a", lambda at: left(at, h))
    longer = central_difference(lambda d: left(own, h + d))
    return scale(mp.mpf(-1), matrix_times(inverse(S, *implicit_steps.SINGULAR), longer))
