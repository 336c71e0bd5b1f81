"""Exact derivatives of time derivatives of solutions: central differences of these with fifty digits."""

from __future__ import annotations

from dataclasses import replace

from mpmath import mp

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.matrices import Real
from symdyn.verify.oracle.exact import Exact, TruthFunction, joined
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference


def order_slopes_of(solved: TruthFunction, partials: TruthFunction, known: str) -> TruthFunction:
    """The truth of derivatives of a solution and its time derivatives, from the truths of these and of its partials.

    ``known`` is the input that holds what is given with its derivatives. Outputs follow each other by what is found,
    then by q, v and what is given, each row by row of each order.

    Errors of an entry are measured against a thousandth of the largest of its matrix at the least, and those by q
    against the size of what is differentiated, per radian: its terms may cancel. Each order solves the system of order
    0, so that sizes of its partial derivatives tell by how much the solution raises errors.
    """

    def slopes(setting: Setting, inputs: Inputs) -> Exact:
        exact, nv, count = in_reals(inputs), setting.tree.nv, setting.order + 1
        by = ["q", known] if known == "V" else ["q", "v", known]
        if setting.inputs == "actuators" and known != "V":
            by = ["q", "v", "U", *(["A"] if setting.prescribed else [])]
        if len(setting.axes) > len(by):  # the names along the multipliers, which an input A is taken for
            setting = replace(setting, held=setting.axes[len(by)][1])
        rows = len(setting.held)
        widths = {name: len(exact[name]) // count if name in "TUA" else nv for name in by}

        def values(state: dict[str, list[Real]]) -> list[Real]:
            return solved(setting, state).values

        def changes(name: str) -> list[list[Real]]:
            ways = perturbations(setting, exact, name)
            return [central_difference(lambda h, at=change: values(at(h)), step) for change, step in ways]  # type: ignore[misc]

        reach = solved(setting, exact).scales
        columns = {name: changes(name) for name in by}
        sizes = {0: nv, count * nv: rows} if len(reach) > count * nv else {0: nv}
        raised = _raised(setting, _at_order_zero(setting, exact, known), partials, list(sizes.values()))
        parts = []
        for (first, size), factor in zip(sizes.items(), raised, strict=True):
            for name, width in widths.items():
                for k in range(count):
                    start = first + k * size
                    for begin in range(0, len(columns[name]), width):
                        own = columns[name][begin : begin + width]
                        matrix = [column[start + row] for row in range(size) for column in own]
                        least = CANCELLATION * max(map(abs, matrix))
                        size_of = [reach[start + row] if name == "q" else least for row in range(size)]
                        floors = [max(least, floor) for floor in size_of for _ in range(width)]
                        parts.append(
                            Exact(matrix, [factor * max(abs(x), y) for x, y in zip(matrix, floors, strict=True)])
                        )
        return joined(parts)

    return slopes


def _at_order_zero(setting: Setting, inputs: dict[str, list[Real]], known: str) -> dict[str, list[Real]]:
    """The inputs of partial derivatives of order 0."""
    count, nv = setting.order + 1, setting.tree.nv
    plain = {name: x for name, x in inputs.items() if name not in "VTUA"}
    if known == "V":
        plain |= {"v": inputs["V"][:nv], "a": inputs["V"][nv : 2 * nv]}
    plain |= {own: inputs[name][: len(inputs[name]) // count] for name, own in _PLAIN.items() if name in inputs}
    return plain


_PLAIN = {"T": "tau", "U": "u", "A": "a", "f_ext": "f_ext"}
"""Inputs of order 0, by those that hold them with their derivatives."""


def _raised(setting: Setting, inputs: dict[str, list[Real]], partials: TruthFunction, sizes: list[int]) -> list[Real]:
    """How much larger the terms of partial derivatives of each quantity are than these, at the most; 1 at least."""
    found, nv, np = partials(setting, inputs), setting.tree.nv, len(setting.parameter_names)
    widths = [nv, nv, nv, *([np] if np else [])]
    if setting.inputs == "actuators" and "u" in inputs:
        widths[2:3] = [len(inputs["u"]), *([nv] if setting.prescribed else [])]
    raised, start = [], 0
    for size in sizes:
        factor = mp.mpf(1)
        for width in widths:
            own = slice(start, start + size * width)
            start = own.stop
            largest = max(map(abs, found.values[own]))
            if largest:
                factor = max(factor, max(found.scales[own]) / largest)
        raised.append(factor)
    return raised
