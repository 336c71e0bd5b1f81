"""Exact derivatives of time derivatives of shared forces: central differences of these with fifty digits."""

from __future__ import annotations

from mpmath import mp

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.matrices import Real
from symdyn.verify.oracle.constrained_derivatives import constrained_inverse_dynamics_time_derivatives
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.shared_partials import constrained_inverse_dynamics_partials
from symdyn.verify.oracle.tangent import central_difference


def constrained_inverse_dynamics_time_derivatives_partials(setting: Setting, inputs: Inputs) -> Exact:
    """``dtau_dq``, ``dtau_dV``, ``dLambda_dq`` and ``dLambda_dV``, row by row of each order.

    Errors of an entry are measured against a thousandth of the largest of its matrix at the least, and those by q
    against the size of what is differentiated, per radian: its terms may cancel. Each order solves the system of order
    0, so that sizes of its partial derivatives tell by how much the solution raises errors.
    """
    exact, nv, rows = in_reals(inputs), setting.tree.nv, len(setting.held)
    sizes = {"tau": nv, "lambda": rows}
    first = {"tau": 0, "lambda": (setting.order + 1) * nv}

    def solved(state: dict[str, list[Real]]) -> list[Real]:
        return constrained_inverse_dynamics_time_derivatives(setting, state).values

    def changes(by: str) -> list[list[Real]]:
        ways = perturbations(setting, exact, by)
        return [central_difference(lambda h, at=change: solved(at(h)), step) for change, step in ways]  # type: ignore[misc]

    reach = constrained_inverse_dynamics_time_derivatives(setting, exact).scales
    columns = {by: changes(by) for by in ("q", "V")}
    raised = _raised(setting, exact)
    parts = []
    for of, size in sizes.items():
        for by in ("q", "V"):
            for k in range(setting.order + 1):
                start = first[of] + k * size
                for begin in range(0, len(columns[by]), nv):
                    matrix = [column[start + row] for row in range(size) for column in columns[by][begin : begin + nv]]
                    least = CANCELLATION * max(map(abs, matrix))
                    size_of = [reach[start + row] if by == "q" else least for row in range(size)]
                    floors = [max(least, own) for own in size_of for _ in range(nv)]
                    scales = [raised[of] * max(abs(x), y) for x, y in zip(matrix, floors, strict=True)]
                    parts.append(Exact(matrix, scales))
    return joined(parts)


def _raised(setting: Setting, inputs: dict[str, list[Real]]) -> dict[str, Real]:
    """How much larger the terms of partial derivatives of tau and of lambda are than these, at the most; 1 at least."""
    nv, rows, V = setting.tree.nv, len(setting.held), inputs["V"]
    others = {name: x for name, x in inputs.items() if name != "V"}
    if "f_ext" in others:
        others["f_ext"] = others["f_ext"][: len(others["f_ext"]) // (setting.order + 1)]
    partials = constrained_inverse_dynamics_partials(setting, {**others, "v": V[:nv], "a": V[nv : 2 * nv]})
    widths = (nv, nv, nv, *([len(setting.parameter_names)] if setting.parameter_names else []))
    found, start = {}, 0
    for of, size in (("tau", nv), ("lambda", rows)):
        found[of] = mp.mpf(1)
        for width in widths:
            own = slice(start, start + size * width)
            start = own.stop
            largest = max(map(abs, partials.values[own]))
            if largest:
                found[of] = max(found[of], max(partials.scales[own]) / largest)
    return found
