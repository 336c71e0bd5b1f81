"""Exact gradients of weighted solutions: products of the weights with exact partial derivatives."""

from __future__ import annotations

from mpmath import mp

from symdyn.verify.oracle.exact import Exact, TruthFunction, joined
from symdyn.verify.oracle.partial_derivatives import in_reals
from symdyn.verify.oracle.setting import Inputs, Setting


def gradient_of(partials: TruthFunction) -> TruthFunction:
    """The truth of an adjoint function, from that of the partial derivatives of the same dynamics."""

    def gradient(setting: Setting, inputs: Inputs) -> Exact:
        exact, nv = in_reals(inputs), setting.tree.nv
        weights = [exact.pop("lambda"), exact.pop("kappa", [])]
        slopes = partials(setting, exact)
        widths = [nv, nv, nv]
        if setting.inputs == "actuators":
            widths = [nv, nv, len(exact["u"]), *([nv] if setting.prescribed else [])]
        columns = sum(widths) + len(setting.parameter_names)
        starts = (0, nv * columns)
        found = []
        for number, width in enumerate(widths):
            values, scales = [mp.mpf(0)] * width, [mp.mpf(0)] * width
            for own, start in zip(weights, starts, strict=True):
                first = start + len(own) * sum(widths[:number])
                for row, weight in enumerate(own):
                    for column in range(width):
                        place = first + row * width + column
                        values[column] += weight * slopes.values[place]
                        scales[column] += abs(weight) * slopes.scales[place]
            found.append(Exact(values, scales))
        return joined(found)

    return gradient
