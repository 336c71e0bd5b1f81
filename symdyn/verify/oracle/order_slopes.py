"""Exact derivatives of time derivatives of shared forces: central differences of these with fifty digits."""

from __future__ import annotations

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.matrices import Real
from symdyn.verify.oracle.constrained_derivatives import constrained_inverse_dynamics_time_derivatives
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference


def constrained_inverse_dynamics_time_derivatives_partials(setting: Setting, inputs: Inputs) -> Exact:
    """``dtau_dq``, ``dtau_dV``, ``dLambda_dq`` and ``dLambda_dV``, row by row of each order.

    Errors of an entry are measured against a thousandth of the largest of its matrix at the least, and those by q
    against the size of what is differentiated, per radian: its terms may cancel.
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
                    parts.append(Exact(matrix, [max(abs(x), y) for x, y in zip(matrix, floors, strict=True)]))
    return joined(parts)
