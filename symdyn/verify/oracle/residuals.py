"""Exact residuals of the equations of motion, and how they change as q, v and a move together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mpmath import mp

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.dense import Rows, flat
from symdyn.verify.base.matrices import Real, transpose, vector
from symdyn.verify.oracle.accelerations import driven
from symdyn.verify.oracle.coriolis import coriolis_matrix
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.force_terms import load_terms
from symdyn.verify.oracle.joint_forces import inverse_dynamics
from symdyn.verify.oracle.loops import slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import in_reals
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.switched import loop_of_row
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row


def implicit_residual(setting: Setting, inputs: Inputs) -> Exact:
    """``R`` of a motion, of the forces that are given, and of multipliers."""
    exact = in_reals(inputs)
    needed = inverse_dynamics(setting, exact)
    more = _other_sizes(setting, exact)
    terms = needed.terms
    sizes = [x + y for x, y in zip(needed.scales, more, strict=True)]
    values = _residual(setting, exact)
    if terms is None:
        return Exact(values, sizes)
    return Exact(values, sizes, lambda: [x + y for x, y in zip(terms(), more, strict=True)])


def implicit_jacobian(setting: Setting, inputs: Inputs) -> Exact:
    """``S``, bordered by the slopes of errors where the robot has loops."""
    exact, nv = in_reals(inputs), setting.tree.nv
    c_q, c_v, c_a = exact["c"]
    columns = []
    for row in range(nv):
        unit = unit_row(nv, row)

        def at(h: Real, d: Sequence[Real] = unit) -> list[Real]:
            state = {
                "q": moved(setting, exact["q"], d, c_q * h),
                "v": [x + c_v * h * own for x, own in zip(exact["v"], d, strict=True)],
                "a": [x + c_a * h * own for x, own in zip(exact["a"], d, strict=True)],
            }
            return _residual(setting, {**exact, **state})

        columns.append(central_difference(at))
    S, sizes = transpose(columns), _sizes(setting, exact)
    sizes = [[max(abs(x), own) for x, own in zip(*rows, strict=True)] for rows in zip(S, sizes, strict=True)]
    if not setting.held:
        return Exact(flat(S), flat(sizes))
    A, A_sizes = slopes(setting, exact)
    on = _holding(setting, exact)
    A, A_sizes = ([[x * own for x in row] for row, own in zip(listed, on, strict=True)] for listed in (A, A_sizes))
    whole = [[*row, *(-own[place] for own in A)] for place, row in enumerate(S)]
    whole_sizes = [[*row, *(own[place] for own in A_sizes)] for place, row in enumerate(sizes)]
    for place, (slope, own) in enumerate(zip(A, A_sizes, strict=True)):
        ones = [mp.mpf(place == other) * (1 - on[place]) for other in range(len(A))]
        whole.append([*slope, *ones])
        whole_sizes.append([*own, *ones])
    return Exact(flat(whole), flat(whole_sizes))


def _holding(setting: Setting, inputs: Inputs) -> list[Real]:
    """Per row of the loops' errors 1 where it holds, 0 where it is let go."""
    switches = dict(zip(setting.switched, inputs.get("active", ()), strict=True))
    loops = loop_of_row(setting.description)
    return [mp.mpf(2 * switches.get(loops[row], mp.mpf(1)) > 1) for row in setting.held]


def _given(setting: Setting, inputs: Inputs) -> list[Real]:
    return driven(setting, inputs) or vector(inputs["tau"])


def _residual(setting: Setting, inputs: Inputs) -> list[Real]:
    pulled = [mp.mpf(0)] * setting.tree.nv
    if setting.held:
        A, _ = slopes(setting, inputs)
        multipliers = [x * own for x, own in zip(inputs["lambda"], _holding(setting, inputs), strict=True)]
        pulled = [mp.fdot(column, multipliers) for column in zip(*A, strict=True)]
    needed, given = setting.force(inputs), _given(setting, inputs)
    return [x - y - z for x, y, z in zip(needed, given, pulled, strict=True)]


def _other_sizes(setting: Setting, inputs: Inputs) -> list[Real]:
    """The sizes of the terms beside those of inverse dynamics."""
    found = [abs(x) for x in _given(setting, inputs)]
    if setting.held:
        sizes = slopes(setting, inputs)[1]
        largest = [abs(x) for x in inputs["lambda"]]
        found = [x + mp.fdot(own, largest) for x, own in zip(found, zip(*sizes, strict=True), strict=True)]
    return found


def _sizes(setting: Setting, inputs: Inputs) -> Rows:
    """What errors of S are measured against: terms of M, twice those of C, and a share of forces per radian."""
    nv = setting.tree.nv
    c_q, c_v, c_a = (abs(x) for x in inputs["c"])
    M, M_sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
    C = coriolis_matrix(replace(setting, factorization="christoffel"), inputs).scales
    roots = [mp.sqrt(M[row][row]) or mp.mpf(1) for row in range(nv)]
    forces = load_terms(setting, inputs, inputs["a"])
    forces = [x + y for x, y in zip(forces, _other_sizes(setting, inputs), strict=True)]
    largest = max(x / root for x, root in zip(forces, roots, strict=True)) / max(roots)
    return [
        [
            c_a * M_sizes[row][column]
            + 2 * c_v * C[row * nv + column]
            + c_q * CANCELLATION * largest * roots[row] * roots[column]
            for column in range(nv)
        ]
        for row in range(nv)
    ]
