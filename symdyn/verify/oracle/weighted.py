"""Exact gradients and Hessians of weighted solutions, from exact partial derivatives of these solutions.

A gradient is the product of the weights with partial derivatives. A Hessian is the rate of the gradient along
body-frame moves of q and along v, by central differences.
"""

from __future__ import annotations

from mpmath import mp

from symdyn.verify.base.matrices import Real
from symdyn.verify.oracle.exact import Exact, TruthFunction, joined
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import in_reals
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.second_order import Change, along_moves, along_speeds, floored_block, roots_of
from symdyn.verify.oracle.setting import Inputs, Setting

_STEP = mp.ldexp(1, -42)
"""With fifty digits the error of the formula and that of rounding stay near 1e-20."""


def gradient_of(partials: TruthFunction, given: bool = True) -> TruthFunction:
    """The truth of an adjoint function, from that of the partial derivatives of the same dynamics.

    ``given`` says whether there is an input besides q and v by which they are differentiated.
    """

    def gradient(setting: Setting, inputs: Inputs) -> Exact:
        exact, nv = in_reals(inputs), setting.tree.nv
        weights = [exact.pop("lambda"), exact.pop("kappa", [])]
        slopes = partials(setting, exact)
        widths = [nv, nv, *([nv] if given else [])]
        if setting.inputs == "actuators":
            widths = [nv, nv, len(exact["u"]), *([nv] if setting.prescribed else [])]
        columns = sum(widths) + len(setting.parameter_names)
        if (setting.parameter_names,) in setting.axes:
            widths.append(len(setting.parameter_names))
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


def hessian_of(partials: TruthFunction, given: bool = True) -> TruthFunction:
    """The truth of H_qq, H_qv, H_vv and, as H_qa, by what is given; of H_qq and H_qv where nothing is."""
    gradient = gradient_of(partials, given)

    def hessian(setting: Setting, inputs: Inputs) -> Exact:
        exact, nv = in_reals(inputs), setting.tree.nv

        def rates(change: Change) -> tuple[list[Real], list[Real]]:
            ahead, behind = (gradient(setting, change(exact, sign * _STEP)) for sign in (1, -1))
            values, sizes = (
                [(x - y) / (2 * _STEP) for x, y in zip(*pair, strict=True)]
                for pair in ((ahead.values, behind.values), (ahead.scales, behind.scales))
            )
            return values, [abs(x) + abs(y) for x, y in zip(values, sizes, strict=True)]

        by_moves = [rates(change) for change in along_moves(setting)]
        by_speeds = [rates(change) for change in along_speeds(setting)] if given else []
        rows = range(nv)
        blocks = [
            tuple([[own[part][row] for own in by_moves] for row in rows] for part in range(2)),
            tuple([own[part][nv : 2 * nv] for own in by_moves] for part in range(2)),
        ]
        if given:
            blocks.append(tuple([[own[part][nv + row] for own in by_speeds] for row in rows] for part in range(2)))
            blocks.append(tuple([own[part][2 * nv :] for own in by_moves] for part in range(2)))
        roots = roots_of(mass_terms(robot_pose(setting, exact["q"], exact))[0])
        return joined([floored_block(values, sizes, roots) for values, sizes in blocks])

    return hessian
