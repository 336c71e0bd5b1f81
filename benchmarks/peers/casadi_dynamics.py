"""The rival: Featherstone's recursions written plainly in CasADi SX, and automatic differentiation of them.

The recursions are those of symdyn compare and the mass matrix beside them; then ``casadi.cse``. The counts of SX
instructions in docs/benchmarks.md show that this is as strong as tracing Pinocchio's own algorithms over SX. Forward
dynamics is the shorter of articulated bodies and of solving with a sparsely factorised mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra, casadi_function
from symdyn.analysis.compare.casadi_rivals import Graph, jacobians
from symdyn.analysis.compare.plain_articulated_body import plain_forward_dynamics
from symdyn.analysis.compare.plain_mass_matrix import (
    plain_mass_matrix,
    plain_mass_matrix_inverse,
    solved_forward_dynamics,
)
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.robot.robot import Robot


def casadi_rival(robot: Robot, name: str) -> Any | None:
    """A function of symdyn's catalogue, (q, v, u) to its outputs, row-major; None where there is no plain rival."""
    model, algebra = robot.model, CasadiAlgebra()
    q, v, u = algebra.symbols("q", robot.nq), algebra.symbols("v", robot.nv), algebra.symbols("u", robot.nv)

    def made(outputs: Sequence[Sequence[Any]]) -> Any:
        names = [f"out{place}" for place in range(len(outputs))]
        shaped = [(flat, (len(flat),)) for flat in outputs]
        return casadi_function("rival", ["q", "v", "u"], [q, v, u], names, shaped)

    def partials(dynamics: str, recursion: Callable[..., Sequence[Any]]) -> Any:
        return made(jacobians(model, Graph(algebra, q, [v, u], recursion(model, algebra, q, v, u)), dynamics))

    def matrix(rows: Sequence[Sequence[Any]]) -> Any:
        return made([list(chain(*rows))])

    def forward() -> Any:
        ways = (plain_forward_dynamics, solved_forward_dynamics)
        return min((made([way(model, algebra, q, v, u)]) for way in ways), key=lambda found: found.n_instructions())

    rivals: dict[str, Callable[[], Any]] = {
        "inverse_dynamics": lambda: made([plain_inverse_dynamics(model, algebra, q, v, u)]),
        "forward_dynamics": forward,
        "mass_matrix": lambda: matrix(plain_mass_matrix(model, algebra, q)),
        "mass_matrix_inverse": lambda: matrix(plain_mass_matrix_inverse(model, algebra, q)),
        "inverse_dynamics_partials": lambda: partials("inverse_dynamics", plain_inverse_dynamics),
        "forward_dynamics_partials": lambda: partials("forward_dynamics", plain_forward_dynamics),
    }
    return rivals[name]() if name in rivals else None
