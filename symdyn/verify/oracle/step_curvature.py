"""Exact second derivatives of a weighted state after a step: differences of its exact gradient, with fifty digits.

A gradient has errors of some 1e-32, so that it is differenced with a longer step. Along a direction of the state, the
acceleration of an implicit step goes as the implicit function theorem tells. The Hessian is the symmetric part.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.interface.stepping import IMPLICIT_STEPS
from symdyn.verify.base.dense import Rows, flat, inverse, matrix_product
from symdyn.verify.base.matrices import Real, Vector, add, scale, transpose
from symdyn.verify.oracle import implicit_steps, staged_steps, steps
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.held import method_of
from symdyn.verify.oracle.partial_derivatives import in_reals
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row

_STEP = mp.ldexp(1, -38)
"""Of differences: h^2 and 1e-32 / h are both below 1e-20."""


def weighted_hessian(setting: Setting, inputs: Inputs) -> Exact:
    """H_xx, H_xu and H_uu."""
    state, nv = in_reals(inputs), setting.tree.nv
    given = "u" if setting.inputs == "actuators" else "tau"
    size = 2 * nv + len(state[given])
    slopes = _accelerations(setting, state, given)
    start = _gradient(setting, state)
    columns = []
    for k in range(size):
        unit = unit_row(size, k)

        def along(d: Real, unit: Sequence[Real] = unit, k: int = k) -> Vector:
            at = {**state, "q": moved(setting, state["q"], unit[:nv], d)}
            at["v"] = add(state["v"], scale(d, unit[nv : 2 * nv]))
            at[given] = add(state[given], scale(d, unit[2 * nv :]))
            if slopes is not None:
                at["a"] = add(state["a"], scale(d, [row[k] for row in slopes]))
            return _gradient(setting, at).values[:size]

        columns.append(central_difference(along, _STEP, mp.mpf(1)))
    H = [
        [(x + y) / 2 for x, y in zip(row, other, strict=True)]
        for row, other in zip(columns, transpose(columns), strict=True)
    ]
    least = max(start.scales)
    parts = (slice(0, 2 * nv), slice(0, 2 * nv)), (slice(0, 2 * nv), slice(2 * nv, size)), (slice(2 * nv, size),) * 2
    found = []
    for rows, across in parts:
        values = flat([row[across] for row in H[rows]])
        found.append(Exact(values, [max(abs(x), least) for x in values]))
    return joined(found)


def _gradient(setting: Setting, state: Inputs) -> Exact:
    method = method_of(setting)
    if own := staged_steps.METHODS.get(method):
        return own.adjoint(setting, state)
    theta = IMPLICIT_STEPS.get(method)
    if theta is None:
        return steps.step_adjoint(setting, state)
    return implicit_steps.adjoint(mp.mpf(theta), setting, state)


def _accelerations(setting: Setting, state: implicit_steps.State, given: str) -> Rows | None:
    """How accelerations of a step change with moves of q, with v and with what is given; of explicit ones nothing."""
    own = {name: x for name, x in state.items() if name not in ("h", "lambda")}
    (h,), theta = state["h"], IMPLICIT_STEPS.get(method_of(setting))
    if "a" not in own:
        return None

    def left(at: implicit_steps.State) -> Vector:
        if theta is None:
            return staged_steps.both_stages(setting, at, h)
        return implicit_steps.equations(setting, at, h, mp.mpf(theta))

    def by(name: str) -> Rows:
        return implicit_steps.columns(setting, own, name, left)

    back = inverse(by("a"), *implicit_steps.SINGULAR)
    sides = [by(name) for name in ("q", "v", given)]
    whole = [[x for side in rows for x in side] for rows in zip(*sides, strict=True)]
    return [scale(mp.mpf(-1), row) for row in matrix_product(back, whole)]
