"""Exact statics: forces at rest from the oracle's inverse dynamics, loops' errors, and central differences of both."""

from __future__ import annotations

from mpmath import mp

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.dense import Rows
from symdyn.verify.base.matrices import Real, transpose
from symdyn.verify.oracle.accelerations import driven
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.force_terms import weight_terms
from symdyn.verify.oracle.loops import constraint_error, slopes
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference


def statics_residual(setting: Setting, inputs: Inputs) -> Exact:
    """``r`` and, where the robot has loops, ``e``."""
    values, sizes = _left(setting, at_rest(setting, inputs))
    forces = summed(values, sizes)
    return joined([forces, constraint_error(setting, inputs)]) if setting.held else forces


def at_rest(setting: Setting, inputs: Inputs) -> dict[str, list[Real]]:
    """The inputs in reals, with a v and an a of zeros."""
    still = [mp.mpf(0)] * setting.tree.nv
    return {**in_reals(inputs), "v": still, "a": still}


def _left(setting: Setting, inputs: dict[str, list[Real]]) -> tuple[list[Real], list[Real]]:
    """``r``, and the sizes of the terms that it is a sum of."""
    nv, needed = setting.tree.nv, setting.force(inputs)
    left, sizes = list(needed), weight_terms(setting, inputs)
    taken = [driven(setting, inputs) or [mp.mpf(0)] * nv]
    if "tau" in inputs:
        rows = setting.prescribed if setting.inputs == "actuators" else range(nv)
        taken.append([inputs["tau"][row] if row in rows else mp.mpf(0) for row in range(nv)])
    if setting.held:
        A, _ = slopes(setting, inputs)
        taken += [[own * x for own in row] for row, x in zip(A, inputs["lambda"], strict=True)]
    for part in taken:
        left = [x - y for x, y in zip(left, part, strict=True)]
        sizes = [x + abs(y) for x, y in zip(sizes, part, strict=True)]
    return left, sizes


def statics_jacobian(setting: Setting, inputs: Inputs) -> Exact:
    """``dr_dx``, ``dr_dlambda`` and ``de_dx`` with loops, ``dr_du`` with inputs of actuators."""
    state, nv = at_rest(setting, inputs), setting.tree.nv
    moves = list(perturbations(setting, state, "q"))
    by_q = transpose([central_difference(lambda h, at=at: _left(setting, at(h))[0], step) for at, step in moves])  # type: ignore[misc]
    terms = transpose([_terms(setting, at, step) for at, step in moves])
    for row in setting.prescribed:
        for own in range(nv):
            by_q[own][row], terms[own][row] = mp.mpf(-(own == row)), mp.mpf(0)
    parts = [_matrix(by_q, terms)]
    if setting.held:
        A, A_sizes = slopes(setting, state)
        parts.append(_matrix([[-x for x in row] for row in transpose(A)], transpose(A_sizes)))
        parts.append(_errors(setting, state))
    if setting.inputs == "actuators":
        B = actuation_matrix(setting, state)
        parts.append(Exact([-x for x in B.values], B.scales))
    return joined(parts)


def _terms(setting: Setting, at, step: Real) -> list[Real]:  # type: ignore[no-untyped-def]
    """The sizes by which those of the terms of r change with a move."""
    return [abs(x) for x in central_difference(lambda h: _left(setting, at(h))[1], step)]


def _errors(setting: Setting, state: dict[str, list[Real]]) -> Exact:
    """``de_dx``: how errors change with moves of q that are free."""
    moves = list(perturbations(setting, state, "q"))
    columns = [
        central_difference(lambda h, at=at: constraint_error(setting, at(h)).values, step)  # type: ignore[misc]
        for at, step in moves
    ]
    _, sizes = slopes(setting, state)
    for row in setting.prescribed:
        columns[row] = [mp.mpf(0)] * len(setting.held)
    return _matrix(transpose(columns), sizes)


def _matrix(values: Rows, terms: Rows) -> Exact:
    """Entries measured against their terms, and against a thousandth of the largest at the least."""
    floor = CANCELLATION * max((abs(x) for row in values for x in row), default=mp.mpf(0))
    flat = [x for row in values for x in row]
    return summed(flat, [max(x, floor) for row in terms for x in row])
