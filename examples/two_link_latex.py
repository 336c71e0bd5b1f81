"""What are the equations of motion of a two-link arm? Closed forms with masses and lengths as symbols, and LaTeX."""

from __future__ import annotations

import sympy

import symdyn
from symdyn.generation.closed_forms import latex_equations

SYMBOLS = ["upper_mass", "upper_length", "lower_mass", "lower_length", "gravity.z"]


def main() -> None:
    robot = symdyn.load_example("double_pendulum", runtime=SYMBOLS)
    mass = symdyn.closed_form(robot, "mass_matrix")
    gravity = symdyn.closed_form(robot, "gravity")

    # Uniform rods: the textbook's moments of inertia are m l^2 / 3 about their ends.
    m1, l1, m2, l2, g = (sympy.Symbol(name, real=True) for name in SYMBOLS)
    q1, q2 = (sympy.Symbol(f"q_{name}", real=True) for name in ("shoulder", "elbow"))
    coupling = m2 * (l2**2 / 3 + l1 * l2 * sympy.cos(q2) / 2)
    first = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * sympy.cos(q2))
    expected = sympy.Matrix([[first, coupling], [coupling, m2 * l2**2 / 3]])
    assert (mass - expected).expand() == sympy.zeros(2, 2)
    lower = -g * m2 * l2 * sympy.sin(q1 + q2) / 2
    upper = -g * (m1 / 2 + m2) * l1 * sympy.sin(q1)
    assert (gravity - sympy.Matrix([upper + lower, lower])).expand() == sympy.zeros(2, 1)

    for equation in latex_equations(robot, ["mass_matrix", "coriolis_matrix", "gravity"]):
        print(equation)
    print("equal to the textbook's")


if __name__ == "__main__":
    main()
