"""Exact partial derivatives: central differences of the fifty-digit inverse dynamics, and implicit differentiation.

Along body-frame perturbations of q, with v, a and the components of f_ext held fixed. Inverse dynamics r(q, v, a, p)
makes the equations of motion ``r = tau``; differentiated, ``M da = dtau - r_q dq - r_v dv - r_p dp`` gives the
derivatives of forward dynamics, and row by row those of hybrid dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mpmath import mp

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.dense import (
    Rows,
    block,
    flat,
    magnitudes,
    matrix_product,
    matrix_sum,
    negative,
    solution_scales,
    zero_matrix,
)
from symdyn.verify.base.matrices import Real, length, vector
from symdyn.verify.oracle.accelerations import Solved, driven, known_rows, solve
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.coriolis import coriolis_matrix
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.force_terms import load_terms
from symdyn.verify.oracle.laws import rated
from symdyn.verify.oracle.mass_matrix import mass_rows, mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import STEP, central_difference, moved, unit_row

Perturbation = Callable[[Real], dict[str, list[Real]]]
"""A state's inputs with one thing moved by a step."""


def inverse_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """dtau_dq, dtau_dv, dtau_da, and dtau_dp where the robot has run-time parameters.

    The derivatives of ``C v`` by v are sums of the terms of C, twice each, in which these may cancel.
    """
    exact = in_reals(inputs)
    M, sizes = mass_terms(robot_pose(setting, exact["q"], exact))
    roots = [mp.sqrt(M[row][row]) or mp.mpf(1) for row in range(len(M))]
    by_q = floored(force_columns(setting, exact, "q", exact["a"]), roots, roots)
    by_v = floored(force_columns(setting, exact, "v", exact["a"]), roots, roots, _turned(setting, exact["v"], sizes))
    terms = coriolis_matrix(replace(setting, factorization="christoffel"), exact).scales
    parts = [by_q, Exact(by_v.values, [max(own, 2 * size) for own, size in zip(by_v.scales, terms, strict=True)])]
    parts.append(summed(flat(M), flat(sizes)))
    if setting.parameter_names:
        columns = force_columns(setting, exact, "p", exact["a"])
        ones = [mp.mpf(1)] * len(columns[0])
        parts.append(floored(columns, roots, ones, parameter_terms(setting, exact)))
    return joined(parts)


def parameter_terms(setting: Setting, inputs: Inputs) -> Rows:
    """The sizes of the terms of dtau_dp (nv, np): those by which the sizes of tau's terms change with a parameter."""
    exact = in_reals(inputs)
    columns = [
        central_difference(lambda h, at=perturbed: load_terms(setting, at(h), exact["a"]), step)  # type: ignore[misc]
        for perturbed, step in perturbations(setting, exact, "p")
    ]
    return [[abs(size) for size in row] for row in zip(*columns, strict=True)]


def _turned(setting: Setting, v: Sequence[Real], sizes: Rows) -> Rows:
    """The sizes of terms of dtau_dv that cancel where tips turn.

    The motion of a tip is reckoned in its own axes. As these turn at the rate w of its slopes, each force on what hangs
    there gains Coriolis terms of 2 w times its mass terms, which vanish again in the beam's axes.
    """
    rate = mp.mpf(0)
    for place in setting.tree.places:
        if place.bends:
            speeds = place.velocities(v)
            turns = map(length, place.beam.tip_turns) if place.flexible is not None else place.steepest
            rate += mp.fsum(abs(speed) * turn for speed, turn in zip(speeds, turns, strict=True))
    return [[2 * rate * size for size in row] for row in sizes]


def floored(matrix: Rows, rows: Sequence[Real], columns: Sequence[Real], terms: Rows | None = None) -> Exact:
    """A matrix whose entries are measured against a thousandth of its largest at the least.

    What entry is largest is asked after scaling rows and columns as the roots of M's diagonal are: that takes the units
    away. A block of derivatives may vanish in every state because terms cancel that do not vanish themselves; ``terms``
    are the sizes of those, where they are known.
    """
    largest = max(
        abs(value) / (left * right)
        for row, left in zip(matrix, rows, strict=True)
        for value, right in zip(row, columns, strict=True)
    )
    floors = [CANCELLATION * largest * left * right for left in rows for right in columns]
    if terms is not None:
        floors = [max(pair) for pair in zip(floors, flat(terms), strict=True)]
    return summed(flat(matrix), floors)


def forward_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """da_dq, da_dv, da_dtau, and da_dp where the robot has run-time parameters."""
    return _implicit(setting, in_reals(inputs), "tau")


def hybrid_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of w by q, v and u, and by p where the robot has run-time parameters."""
    return _implicit(setting, in_reals(inputs), "u")


def _implicit(setting: Setting, inputs: dict[str, list[Real]], known: str) -> Exact:
    solved = solve(setting, inputs, known_rows(setting, inputs, known))
    reached = [abs(value) for value in solved.acceleration]
    terms = max((mp.fdot(row, reached) for row in solved.mass_sizes), default=mp.mpf(0))
    parts = []
    for name in ("q", "v", "p"):
        if name == "p":
            parts += _by_known(setting, inputs, solved)  # after q and v
            if not setting.parameter_names:
                break
        force = force_columns(setting, inputs, name, solved.acceleration, terms)
        uncertain = zero_matrix(len(force), len(force[0])) if name == "v" else _felt(setting, inputs, name, solved)
        if setting.inputs == "actuators" and (name != "v" or rated(setting.description)):
            pulled = driven_columns(setting, inputs, name)
            force, uncertain = matrix_sum(force, negative(pulled)), matrix_sum(uncertain, magnitudes(pulled))
        parts.append(_response(setting, solved, force, uncertain))
    return joined(parts)


def driven_columns(setting: Setting, inputs: dict[str, list[Real]], name: str) -> Rows:
    """Derivatives of the forces of inputs by p or the rows of q's tangent, as columns; of free rows alone."""
    nothing = mp.mpf(0)
    columns = []
    for perturbed, step in perturbations(setting, inputs, name):
        found = central_difference(lambda h, at=perturbed: driven(setting, at(h)), step)  # type: ignore[misc]
        columns.append([nothing if row in setting.prescribed else value for row, value in enumerate(found)])
    return [list(row) for row in zip(*columns, strict=True)]


def _response(setting: Setting, solved: Solved, force: Rows, uncertain: Rows) -> Exact:
    """What the unknowns do when the force that the motion takes grows by columns, the known rows held.

    ``uncertain`` bounds, in units of u, what the working precision of the acceleration does to those columns.
    """
    nv, width = len(force), len(force[0])
    every = range(width)
    terms = matrix_sum(magnitudes(force), uncertain)
    answer, sizes = zero_matrix(nv, width), zero_matrix(nv, width)
    if solved.free:
        coefficients = block(solved.mass_sizes, solved.free, solved.free)
        right = block(force, solved.free, every)
        found = negative(matrix_product(solved.inverse_free, right))
        found_sizes = solution_scales(coefficients, solved.inverse_free, found, block(terms, solved.free, every))
        for row, values, scales in zip(solved.free, found, found_sizes, strict=True):
            answer[row], sizes[row] = values, scales
    for row in setting.prescribed:
        coupling = [solved.mass[row][column] for column in solved.free]
        for column in every:
            moved_free = [answer[place][column] for place in solved.free]
            reached = [sizes[place][column] for place in solved.free]
            answer[row][column] = force[row][column] + mp.fdot(coupling, moved_free)
            sizes[row][column] = terms[row][column] + mp.fdot([abs(value) for value in coupling], reached)
    return Exact(flat(answer), flat(sizes))


def _by_known(setting: Setting, inputs: dict[str, list[Real]], solved: Solved) -> list[Exact]:
    """Derivatives by tau where it is given, by a where that is prescribed; by inputs apart where these are given."""
    nv = setting.tree.nv
    by_a = zero_matrix(nv, nv)
    for row in range(nv):
        for column in setting.prescribed:
            by_a[row][column] = solved.mass[row][column]
    if setting.inputs == "actuators":
        B, count = actuation_matrix(setting, inputs).values, len(inputs["u"])
        by_u = [B[row * count : (row + 1) * count] for row in range(nv)]
        for row in setting.prescribed:
            by_u[row] = [mp.mpf(0)] * count
        asked = [negative(by_u), *([by_a] if setting.prescribed else [])]
        return [_response(setting, solved, force, zero_matrix(nv, len(force[0]))) for force in asked]
    for row in solved.free:
        by_a[row][row] = mp.mpf(-1)  # a larger given tau leaves that much less to the motion
    return [_response(setting, solved, by_a, zero_matrix(nv, nv))]


def force_columns(
    setting: Setting, inputs: dict[str, list[Real]], name: str, a: Sequence[Real], terms: Real | None = None
) -> Rows:
    """Derivatives of the inverse dynamics at acceleration a by the rows of q's tangent, v or p, as columns.

    ``terms`` is the size of the forces M a where what else there is may take them off.
    """
    columns = []
    for perturbed, step in perturbations(setting, inputs, name):
        columns.append(central_difference(lambda h, at=perturbed: setting.force(at(h), a=a), step, terms))  # type: ignore[misc]
    return [list(row) for row in zip(*columns, strict=True)]


def _felt(setting: Setting, inputs: dict[str, list[Real]], name: str, solved: Solved) -> Rows:
    """``|dM/dx| s`` per row x of q or p, with s the size that errors of the acceleration are measured against."""
    sizes = [solved.scales[row] if row in solved.free else mp.mpf(0) for row in range(setting.tree.nv)]
    columns = []
    for perturbed, step in perturbations(setting, inputs, name):

        def entries(h: Real, at: Perturbation = perturbed) -> list[Real]:
            state = at(h)
            return flat(mass_rows(robot_pose(setting, state["q"], state)))

        rate = central_difference(entries, step)
        nv = setting.tree.nv
        columns.append([mp.fdot([abs(x) for x in rate[row * nv : row * nv + nv]], sizes) for row in range(nv)])
    return [list(row) for row in zip(*columns, strict=True)]


def perturbations(setting: Setting, inputs: dict[str, list[Real]], name: str) -> list[tuple[Perturbation, Real]]:
    """For each row of q's tangent, v or p: the inputs as a function of the step, and the step to take."""
    if name == "q":
        return [
            (lambda h, d=direction: {**inputs, "q": moved(setting, inputs["q"], d, h)}, STEP)  # type: ignore[misc]
            for direction in (unit_row(setting.tree.nv, row) for row in range(setting.tree.nv))
        ]

    def shifted(row: int) -> Perturbation:
        return lambda h: {**inputs, name: [x + h * (place == row) for place, x in enumerate(inputs[name])]}

    # A parameter may be as small as a moment of inertia, and enters expressions by its logarithm or root.
    return [(shifted(row), STEP * (abs(x) or 1) if name == "p" else STEP) for row, x in enumerate(inputs[name])]


def in_reals(inputs: Inputs) -> dict[str, list[Real]]:
    """The inputs, exactly."""
    return {name: vector(values) for name, values in inputs.items()}
