"""Exact partial derivatives of inverse dynamics of robots with closed loops, with fifty digits.

The linear system that shares forces between actuated rows (``constrained.Sharing``) is differenced entry by entry along
body-frame perturbations of q, along v, a and p, and solved once more:  S dx = db - dS x.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.dense import flat, inverse, magnitudes, matrix_times
from symdyn.verify.base.matrices import Real, in_rows, transpose
from symdyn.verify.oracle.constrained import Sharing
from symdyn.verify.oracle.dependence import BORDERED
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.partial_derivatives import Perturbation, in_reals, perturbations
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference


def constrained_inverse_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of tau and then of lambda, by q, v, a, and p where the robot has run-time parameters.

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in this state, or passive rows do.
    """
    exact = in_reals(inputs)
    shared = _Shared(setting, exact)
    found = [shared.along(name) for name in "qvap" if name != "p" or setting.parameter_names]
    return joined([*(forces for forces, _ in found), *(multipliers for _, multipliers in found)])


class _Shared:
    """The system at a state, solved."""

    def __init__(self, setting: Setting, inputs: dict[str, list[Real]]) -> None:
        self._setting, self._inputs = setting, inputs
        self._at = Sharing.at(setting, inputs)
        self._inverse = inverse(self._at.system, *BORDERED)
        self._found = matrix_times(self._inverse, self._at.right)
        self._scales = self._at.scales(self._inverse, self._found, self._at.terms)

    def along(self, name: str) -> tuple[Exact, Exact]:
        """Derivatives of tau and of lambda by an input."""
        columns = [self._column(name, at, step) for at, step in perturbations(self._setting, self._inputs, name)]
        values, sizes = (transpose([column[place] for column in columns]) for place in range(2))
        nv = self._setting.tree.nv
        parts = ((values[:nv], sizes[:nv]), (values[nv:], sizes[nv:]))
        forces, multipliers = (Exact(flat(own), flat(scales)) for own, scales in parts)
        return forces, multipliers

    def _column(self, name: str, perturbed: Perturbation, step: Real) -> tuple[list[Real], list[Real]]:
        start, nv, size = self._at, self._setting.tree.nv, len(self._at.right)
        count = len(start.A)

        def terms_of(h: Real) -> list[Real]:
            at = Sharing.at(self._setting, perturbed(h))
            return [*at.right, *at.required, *flat(at.system), *flat(at.A)]

        rate = central_difference(terms_of, step)
        right, required, entries = rate[:size], rate[size : size + nv], rate[size + nv :]
        system = in_rows(entries[: size**2], size)
        slopes = in_rows(entries[size**2 :], nv)
        moved = matrix_times(system, self._found)
        felt = matrix_times(magnitudes(system), self._scales)
        terms = [x + y for x, y in zip(self._floored(name, right, start.terms), felt, strict=True)]
        found = matrix_times(self._inverse, [x - y for x, y in zip(right, moved, strict=True)])
        scales = start.scales(self._inverse, found, terms)
        tau, sizes = [mp.mpf(0)] * nv, [mp.mpf(0)] * nv
        reach = self._floored(name, required, start.reach)
        for row in start.actuated:
            tau[row] = required[row]
            sizes[row] = reach[row]
            for place in range(count):
                tau[row] -= slopes[place][row] * self._found[place] + start.A[place][row] * found[place]
                sizes[row] += abs(slopes[place][row]) * self._scales[place] + start.A_sizes[place][row] * scales[place]
        return [*tau, *found[:count]], [*sizes, *scales[:count]]

    def _floored(self, name: str, rates: Sequence[Real], terms: Sequence[Real]) -> list[Real]:
        """Sizes of derivatives, which may vanish because terms cancel: those of positions do so per radian."""
        if name in "qv":
            return [max(abs(x), y) for x, y in zip(rates, terms, strict=True)]
        least = CANCELLATION * max(map(abs, rates))
        return [max(abs(x), least) for x in rates]
