"""Exact hybrid dynamics whose prescribed accelerations come from inputs that are looked for, and its derivatives.

With P the prescribed rows, F the others, and inputs K known and U unknown, all rows of the equations of motion are one
system, ``[M_F, -B_U] (a_F; u_U) = B_K u_K - b - M_P a_P``. Its derivative k by time has the same matrix, and so have
its partial derivatives.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mpmath import mp

from symdyn.verify.base.dense import Rows, flat, inverse, magnitudes, matrix_product, matrix_times, solution_scales
from symdyn.verify.base.matrices import Real, in_rows, vector
from symdyn.verify.oracle.acceleration_derivatives import SMALL
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.laws import rated
from symdyn.verify.oracle.mass_matrix import mass_rows, mass_terms
from symdyn.verify.oracle.partial_derivatives import driven_columns, force_columns, perturbations
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference
from symdyn.verify.oracle.trajectory import Trajectory

_UNTOLD = (
    "the matrix of accelerations and of inputs that are looked for",
    "these are not determined; look for inputs that move the prescribed rows, as many as there are of these",
)


@dataclass(frozen=True, slots=True)
class _System:
    """The equations of motion at a position: ``W`` is the inverse of [M_F, -B_U], ``felt`` has the sizes of its terms.

    ``M`` and ``B`` are whole, with the sizes of their terms.
    """

    setting: Setting
    free: tuple[int, ...]
    M: Rows
    M_sizes: Rows
    B: Rows
    B_sizes: Rows
    felt: Rows
    W: Rows

    @classmethod
    def at(cls, setting: Setting, inputs: Inputs) -> _System:
        nv = setting.tree.nv
        free = tuple(row for row in range(nv) if row not in setting.prescribed)
        M, M_sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
        made = actuation_matrix(setting, inputs)
        count = len(made.values) // nv
        B, B_sizes = (in_rows(own, count) for own in (made.values, made.scales))
        system = [[*(M[row][k] for k in free), *(-B[row][k] for k in setting.unknown)] for row in range(nv)]
        felt = [[*(M_sizes[row][k] for k in free), *(B_sizes[row][k] for k in setting.unknown)] for row in range(nv)]
        return cls(setting, free, M, M_sizes, B, B_sizes, felt, inverse(system, *_UNTOLD))

    @property
    def known(self) -> list[int]:
        return [number for number in range(len(self.B[0])) if number not in self.setting.unknown]

    def solved(self, right: Rows, terms: Rows) -> tuple[Rows, Rows]:
        """Solutions (a_F; u_U) for columns, and what their errors are measured against."""
        found = matrix_product(self.W, right)
        return found, solution_scales(self.felt, self.W, found, terms)

    def whole(self, found: Sequence[Real], a: Sequence[Real], u: Sequence[Real]) -> tuple[list[Real], list[Real]]:
        """Accelerations and inputs, of which some are given and others found."""
        accelerations, inputs = list(a), list(u)
        for row, value in zip(self.free, found, strict=False):
            accelerations[row] = value
        for number, value in zip(self.setting.unknown, found[len(self.free) :], strict=True):
            inputs[number] = value
        return accelerations, inputs


def hybrid_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``w`` and the unknown inputs, from u of the known ones and a of the prescribed rows."""
    system, (found, scales, terms) = _solved_at(setting, inputs)
    zeros = [[mp.mpf(0)] * len(own) for own in (inputs["a"], inputs["u"])]
    w, u = system.whole(found, vector(inputs["a"]), vector(inputs["u"]))
    w_scales, u_scales = system.whole(scales, *zeros)
    reached = [max(abs(value), size) for value, size in zip(u, u_scales, strict=True)]
    for row in setting.prescribed:
        w[row] = mp.fdot(system.B[row], u)
        w_scales[row] = terms[row] + mp.fdot(system.B_sizes[row], reached)
    return Exact([*w, *found[len(system.free) :]], [*w_scales, *scales[len(system.free) :]])


def _solved_at(setting: Setting, inputs: Inputs) -> tuple[_System, tuple[list[Real], list[Real], list[Real]]]:
    """The system at a state; its solution, scales of that, and sizes of terms of the right-hand side."""
    system, nv = _System.at(setting, inputs), setting.tree.nv
    b = setting.force(inputs, a=[mp.mpf(0)] * nv)
    u, a, known = vector(inputs["u"]), vector(inputs["a"]), system.known
    given = [
        mp.fsum(system.B[row][k] * u[k] for k in known)
        - b[row]
        - mp.fsum(system.M[row][k] * a[k] for k in setting.prescribed)
        for row in range(nv)
    ]
    terms = [
        abs(b[row])
        + mp.fsum(system.B_sizes[row][k] * abs(u[k]) for k in known)
        + mp.fsum(system.M_sizes[row][k] * abs(a[k]) for k in setting.prescribed)
        for row in range(nv)
    ]
    found, scales = system.solved([[x] for x in given], [[x] for x in terms])
    return system, (flat(found), flat(scales), terms)


def hybrid_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of w by q, v, u, a, and p where there are run-time parameters; then those of the unknown inputs."""
    exact = {name: vector(values) for name, values in inputs.items()}
    system, (found, scales, _) = _solved_at(setting, exact)
    a, u = system.whole(found, exact["a"], exact["u"])
    at = {**exact, "a": a, "u": u}
    size = max((mp.fdot(row, [abs(value) for value in a]) for row in system.M_sizes), default=mp.mpf(0))
    parts = []
    for name in ("q", "v", "u", "a", *(["p"] if setting.parameter_names else [])):
        force, pulled = _columns(system, at, name, size)
        uncertain = _uncertain(system, at, name, scales)
        left = [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(force, pulled, strict=True)]
        terms = [
            [abs(x) + abs(y) + z for x, y, z in zip(*rows, strict=True)]
            for rows in zip(force, pulled, uncertain, strict=True)
        ]
        parts.append(_answered(system, left, terms, pulled))
    return joined([*(w for w, _ in parts), *(of_inputs for _, of_inputs in parts)])


def _columns(system: _System, at: dict[str, list[Real]], name: str, size: Real) -> tuple[Rows, Rows]:
    """What moves of a thing change of inverse dynamics, and of B u, with all of a and u held that are not the thing."""
    setting, nv = system.setting, system.setting.tree.nv
    if name in "ua":
        asked = system.known if name == "u" else setting.prescribed
        matrix = system.B if name == "u" else system.M
        made = [[own if k in asked else mp.mpf(0) for k, own in enumerate(row)] for row in matrix]
        nothing = [[mp.mpf(0)] * len(made[0]) for _ in range(nv)]
        return (nothing, made) if name == "u" else (made, nothing)
    force = force_columns(setting, at, name, at["a"], size)
    if name == "v" and not rated(setting.description):
        return force, [[mp.mpf(0)] * nv for _ in range(nv)]
    return force, driven_columns(replace(setting, prescribed=()), at, name)


def _uncertain(system: _System, at: dict[str, list[Real]], name: str, scales: Sequence[Real]) -> Rows:
    """What errors of the solution, of the size ``scales``, do to these columns."""
    setting, nv = system.setting, system.setting.tree.nv
    if name not in "qp" and not (name == "v" and rated(setting.description)):
        return [[mp.mpf(0)] * (len(system.B[0]) if name == "u" else nv) for _ in range(nv)]
    a, u = system.whole(scales, [mp.mpf(0)] * nv, [mp.mpf(0)] * len(at["u"]))
    columns = []
    for perturbed, step in perturbations(setting, at, name):

        def entries(h: Real, state: dict[str, list[Real]]) -> list[Real]:
            return [*flat(mass_rows(robot_pose(setting, state["q"], state))), *actuation_matrix(setting, state).values]

        rates = [abs(x) for x in central_difference(lambda h, own=perturbed: entries(h, own(h)), step)]  # type: ignore[misc]
        of_mass, of_inputs = in_rows(rates[: nv**2], nv), in_rows(rates[nv**2 :], len(u))
        columns.append([mp.fdot(x, a) + mp.fdot(y, u) for x, y in zip(of_mass, of_inputs, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def _answered(system: _System, left: Rows, terms: Rows, pulled: Rows) -> tuple[Exact, Exact]:
    """What w and the unknown inputs do when motion takes ``left`` more than B u, of which B u gives ``pulled``."""
    setting, width = system.setting, len(left[0])
    found, sizes = system.solved([[-x for x in row] for row in left], terms)
    count = len(system.free)
    w, w_sizes = ([[mp.mpf(0)] * width for _ in left] for _ in range(2))
    for place, row in enumerate(system.free):
        w[row], w_sizes[row] = found[place], sizes[place]
    for row in setting.prescribed:
        B, B_sizes = ([own[row][k] for k in setting.unknown] for own in (system.B, system.B_sizes))
        changed = matrix_product([B], found[count:])[0]
        reached = matrix_product([B_sizes], sizes[count:])[0]
        w[row] = [x + y for x, y in zip(pulled[row], changed, strict=True)]
        w_sizes[row] = [x + y for x, y in zip(terms[row], reached, strict=True)]
    return Exact(flat(w), flat(w_sizes)), Exact(flat(found[count:]), flat(sizes[count:]))


def hybrid_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``w`` and its derivatives, (r + 1, nv), then those of the unknown inputs, (r + 1, nu)."""
    system = _System.at(setting, inputs)
    found, scales = _orders(system, inputs, [])
    if setting.order:
        signs = random.Random(0)
        errors = [[signs.choice((-1, 1)) * mp.mpf(SMALL) * size for size in row[1]] for row in scales]
        moved, _ = _orders(system, inputs, errors)
        scales = [
            tuple(
                [max(size, abs(x - y) / mp.mpf(SMALL)) for size, x, y in zip(*own, strict=True)]
                for own in zip(*rows, strict=True)
            )
            for rows in zip(scales, moved, found, strict=True)
        ]
    w, u = (Exact(flat([row[k] for row in found]), flat([row[k] for row in scales])) for k in (0, 2))
    return joined([w, u])


_Order = tuple[list[Real], ...]
"""Of one order: w, the solution (a_F; u_U), and the unknown inputs."""


def _orders(system: _System, inputs: Inputs, errors: Rows) -> tuple[list[_Order], list[_Order]]:
    """What is found at every order, and its scales; ``errors`` are added to solutions, where given."""
    setting, nv, count = system.setting, system.setting.tree.nv, len(system.free)
    given, driven = in_rows(vector(inputs["A"]), nv), in_rows(vector(inputs["U"]), len(system.B[0]))
    V, U = [vector(inputs["v"])], list[list[Real]]()
    found, scales = list[_Order](), list[_Order]()
    for k, (held, known) in enumerate(zip(given, driven, strict=True)):
        a, u = system.whole([mp.mpf(0)] * nv, held, known)
        moving = Trajectory(setting, {**inputs, "V": [*flat(V), *a]})
        bias = moving.derivatives(k, setting.force)[k]
        rates = moving.derivatives(k, lambda state: actuation_matrix(setting, state).values)

        def pulled(last: Sequence[Real], k: int = k, rates: Rows = rates) -> list[Real]:
            by_order = [in_rows(own, len(last)) for own in rates]
            inputs_to = [*U, last]
            terms = ([mp.binomial(k, j) * x for x in matrix_times(by_order[j], inputs_to[k - j])] for j in range(k + 1))
            return [mp.fsum(own) for own in zip(*terms, strict=True)]

        needed = [x - y for x, y in zip(pulled(u), bias, strict=True)]
        sizes = [mp.fdot(row, [abs(x) for x in held]) for row in magnitudes(system.M_sizes)]
        terms = [abs(x) + abs(y) + z for x, y, z in zip(pulled(u), bias, sizes, strict=True)]
        solved, solved_scales = system.solved([[x] for x in needed], [[x] for x in terms])
        own, own_scales = flat(solved), flat(solved_scales)
        moved = [x + y for x, y in zip(own, errors[k], strict=True)] if errors else own
        a, u = system.whole(moved, held, known)
        zeros = [mp.mpf(0)] * nv, [mp.mpf(0)] * len(u)
        a_scales, u_scales = system.whole(own_scales, *zeros)
        reached = matrix_times(system.B_sizes, u_scales)
        w, forces = list(a), pulled(u)
        for row in setting.prescribed:
            w[row], a_scales[row] = forces[row], terms[row] + reached[row]
        V.append(a)
        U.append(u)
        found.append((w, moved, moved[count:]))
        scales.append((a_scales, own_scales, own_scales[count:]))
    return found, scales
