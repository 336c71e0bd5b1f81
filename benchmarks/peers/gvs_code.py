"""The C of peers/gvs_recursion.py as code to be timed beside symdyn's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca
from peers.gvs_recursion import Cone, forward_dynamics, inverse_dynamics, mass_matrix

from symdyn.algebra.scalars.casadi_sx import casadi_c_source
from symdyn.analysis.compare.measurement import Code, casadi_code

NAME = "rival"
LARGEST = 60_000
"""Instructions beyond which gcc -O3 takes many minutes for one straight line."""
PIECE = 4_000
"""Statements of a piece."""


def gvs_code(function: str, order: int = 0) -> Code:
    """A function of the catalogue for the cone, one of RIVALS; inputs and outputs in the catalogue's order.

    A straight line that is too long for gcc is cut into functions.
    """
    cone = Cone()
    rows = [ca.SX.sym(f"row{row}", len(cone.strains)) for row in range(INPUTS[function] + order)]
    outputs = ca.vertcat(*(ca.vec(ca.densify(own)) for own in RIVALS[function](cone, rows, order)))
    made = ca.Function(NAME, rows, [outputs], {"cse": True})
    source = casadi_c_source(made)
    if source.operations > LARGEST:
        source = replace(source, text=_cut(source.text))
    return casadi_code(source, NAME, [len(cone.strains)] * len(rows), outputs.shape[0])


def _cut(text: str) -> str:
    """The only function of CasADi's C, cut into pieces that share their variables in memory."""
    head = text.index("static int casadi_f0")
    start = text.index("{\n", head) + 2
    end = text.index("  return 0;\n", start)
    lines = [own for own in text[start:end].splitlines() if not own.startswith("  casadi_real ")]
    lines = [re.sub(r"\ba(\d+)\b", lambda found: f"a[{int(found[1])}]", own) for own in lines]
    variables = 1 + max(int(found) for own in lines for found in re.findall(r"\ba\[(\d+)\]", own))
    parameters = "const casadi_real** arg, casadi_real** res, casadi_real* restrict a"
    pieces, called = [], [f"  static casadi_real a[{variables}];"]
    for first in range(0, len(lines), PIECE):
        name = f"piece_{first // PIECE}"
        body = "\n".join(lines[first : first + PIECE])
        pieces.append(f"static __attribute__((noinline)) void {name}({parameters}) {{\n{body}\n}}\n")
        called.append(f"  {name}(arg, res, a);")
    return "".join([text[:head], *pieces, text[head:start], "\n".join(called), "\n", text[end:]])


def _inverse_dynamics(cone: Cone, rows: Sequence[Any], order: int) -> list[Any]:
    """With time derivatives, each order by forward mode from the one before."""
    inputs, rates = ca.vertcat(*rows), ca.vertcat(*rows[1:], ca.SX(len(cone.strains), 1))
    found = [inverse_dynamics(cone, *rows[:3])]
    for _ in range(order):
        found = ca.cse([*found, ca.densify(ca.jtimes(found[-1], inputs, rates))])
    return found


def _mass_matrix(cone: Cone, rows: Sequence[Any], order: int) -> list[Any]:
    lower = mass_matrix(cone, rows[0])
    return [ca.vertcat(*(lower[max(i, j)][min(i, j)] for i in range(len(lower)) for j in range(len(lower))))]


def _inverse_dynamics_partials(cone: Cone, rows: Sequence[Any], order: int) -> list[Any]:
    tau = ca.cse(inverse_dynamics(cone, *rows))
    by_state = (ca.jacobian(tau, row).T for row in rows[:2])
    return [*by_state, *_mass_matrix(cone, rows, order)]


INPUTS = {
    "inverse_dynamics": 3,
    "mass_matrix": 1,
    "forward_dynamics": 3,
    "inverse_dynamics_partials": 3,
    "inverse_dynamics_time_derivatives": 3,
}
"""Inputs of n rows, where ``order`` is 0."""

RIVALS: dict[str, Callable[[Cone, Sequence[Any], int], list[Any]]] = {
    "inverse_dynamics": _inverse_dynamics,
    "mass_matrix": _mass_matrix,
    "forward_dynamics": lambda cone, rows, _: [forward_dynamics(cone, *rows)],
    "inverse_dynamics_partials": _inverse_dynamics_partials,
    "inverse_dynamics_time_derivatives": _inverse_dynamics,
}
