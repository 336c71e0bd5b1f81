"""Closed forms of planar arms are those of textbooks, term by term, and their LaTeX is safe."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from support.robots.small import Z, described, joint, loaded, massive

import symdyn
from symdyn import api
from symdyn.description.robot import JointKind, Link
from symdyn.errors import RequestError
from symdyn.generation.closed_forms import closed_forms, latex_equations, parameter_latex
from symdyn.robot.robot import Robot


def planar_arm() -> Robot:
    """Two links in the x-y plane, gravity along y; masses, lengths, centres and moments of inertia are symbols."""
    links = [Link("base")]
    links += [massive(name, 1.0, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.2)) for name in ("one", "two")]
    joints = [
        joint("first", JointKind.REVOLUTE, "base", "one", axis=Z),
        joint("second", JointKind.REVOLUTE, "one", "two", (0.5, 0.0, 0.0), axis=Z),
    ]
    own = [f"{name}.{leaf}" for name in ("one", "two") for leaf in ("mass", "com.x", "inertia.zz")]
    return loaded(
        described(links, joints), gravity=(0.0, -9.81, 0.0), runtime=[*own, "second.translation.x", "gravity.y"]
    )


def symbols(*names: str) -> list[sympy.Symbol]:
    return [sympy.Symbol(name, real=True) for name in names]


M1, R1, I1, M2, R2, I2, L1, G = symbols(
    *("one.mass", "one.com.x", "one.inertia.zz", "two.mass", "two.com.x", "two.inertia.zz"),
    *("second.translation.x", "gravity.y"),
)
Q1, Q2, V1, V2 = symbols("q_first", "q_second", "v_first", "v_second")


def test_the_mass_matrix_is_the_textbook_s() -> None:
    # Spong, Hutchinson & Vidyasagar 2006, section 7.3
    form = symdyn.closed_form(planar_arm(), "mass_matrix")
    m12 = M2 * R2 * (R2 + L1 * sympy.cos(Q2)) + I2
    assert form == sympy.Matrix(
        [
            [M1 * R1**2 + I1 + I2 + M2 * (L1**2 + R2**2 + 2 * L1 * R2 * sympy.cos(Q2)), m12],
            [m12, M2 * R2**2 + I2],
        ]
    )


def test_the_coriolis_matrix_is_the_textbook_s() -> None:
    h = -M2 * L1 * R2 * sympy.sin(Q2)
    form = symdyn.closed_form(planar_arm(), "coriolis_matrix")
    assert form == sympy.Matrix([[h * V2, h * (V1 + V2)], [-h * V1, 0]])


def test_gravity_is_the_textbook_s() -> None:
    form = symdyn.closed_form(planar_arm(), "gravity")
    lower = M2 * R2 * sympy.cos(Q1 + Q2)
    assert form == sympy.Matrix([-G * (lower + (M1 * R1 + M2 * L1) * sympy.cos(Q1)), -G * lower])


def test_inverse_dynamics_orders_by_accelerations_and_velocities() -> None:
    form = symdyn.closed_form(planar_arm(), "inverse_dynamics")
    a1, a2 = symbols("a_first", "a_second")
    mass, gravity = symdyn.closed_form(planar_arm(), "mass_matrix"), symdyn.closed_form(planar_arm(), "gravity")
    h = M2 * L1 * R2
    first = a1 * mass[0, 0] + a2 * mass[0, 1] - h * (2 * V1 * V2 + V2**2) * sympy.sin(Q2) + gravity[0]
    second = a1 * mass[1, 0] + a2 * mass[1, 1] + h * V1**2 * sympy.sin(Q2) + gravity[1]
    assert form == sympy.Matrix([first, second])


def test_the_inverse_of_the_mass_matrix_is_cleared_of_elimination() -> None:
    robot = planar_arm()
    inverse = symdyn.closed_form(robot, "mass_matrix_inverse")
    product = inverse * symdyn.closed_form(robot, "mass_matrix")
    generic = {symbol: 2.0 + 0.7 * place for place, symbol in enumerate(sorted(product.free_symbols, key=str))}
    for angle in (0.3, 1.7):
        assert np.array(product.subs({**generic, Q2: angle}), dtype=float) == pytest.approx(np.eye(2), abs=1e-12)
    assert all(str(entry).count("(") < 20 for entry in inverse)


@pytest.mark.parametrize("name", ["double_pendulum", "canadarm_rigid", "elastic_arm"])
@pytest.mark.parametrize("function", ["inverse_dynamics", "mass_matrix", "kinetic_energy", "inverse_dynamics_partials"])
def test_shipped_robots_have_the_values_of_the_recursion(name: str, function: str) -> None:
    robot = symdyn.load_example(name)
    forms = closed_forms(robot, function)
    rng = np.random.default_rng(2)
    q, v = robot.random_state(rng)
    inputs = {"q": q.tolist(), "v": v.tolist(), "a": rng.standard_normal(robot.nv).tolist()}
    rows = {"q": robot.coordinate_names, "v": robot.velocity_names, "a": robot.velocity_names}
    values = {
        sympy.Symbol(f"{letter}_{row}", real=True): inputs[letter][place]
        for letter, names in rows.items()
        for place, row in enumerate(names)
    }
    (program,) = api.programs(robot, [function], layout="unrolled")
    wanted = {argument.name: inputs[argument.name] for argument in program.signature.inputs}
    expected = api.float_recursion(robot, function)(wanted)
    for output, form in zip(program.signature.outputs, forms, strict=True):
        found = [float(entry.subs(values)) for entry in form]
        assert found == pytest.approx(expected[output.name], rel=1e-11, abs=1e-11)


def test_a_function_of_several_outputs_gives_several_matrices() -> None:
    forms = symdyn.closed_form(symdyn.load_example("pendulum"), "inverse_dynamics_partials")
    assert isinstance(forms, tuple) and [form.shape for form in forms] == [(1, 1)] * 3
    assert symdyn.closed_form(symdyn.load_example("pendulum"), "forward_kinematics").shape[1] == 4


def test_large_robots_are_told_so() -> None:
    with pytest.raises(RequestError, match=r"closed form of mass_matrix of robot 'seven_dof_arm': .* small robots"):
        symdyn.closed_form(symdyn.load_example("seven_dof_arm"), "mass_matrix")


def test_latex_of_a_pendulum() -> None:
    robot = symdyn.load_example("pendulum", gravity=(0.0, 0.0, -8.0))
    gravity, energy = latex_equations(robot, ["gravity", "kinetic_energy"])
    assert gravity == r"g(q) = 4 \sin{\left(q_{1} \right)}"
    assert energy == r"T(q, \dot q) = \frac{\dot q_{1}^{2}}{6}"


def test_latex_numbers_coordinates_and_names_parameters() -> None:
    robot = symdyn.load_example("double_pendulum", runtime=["lower_mass", "lower_length"])
    (mass,) = latex_equations(robot, ["mass_matrix"])
    assert r"\frac{m_{\mathrm{lower}} l_{\mathrm{lower}}^{2}}{3}" in mass and r"\cos{\left(q_{2} \right)}" in mass
    (partial, _, _) = latex_equations(robot, ["inverse_dynamics_partials"])[:3]
    assert partial.startswith(r"\mathrm{dtau\_dq} = \left[\begin{matrix}")


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("forearm.mass", r"m_{\mathrm{forearm}}"),
        ("m.inertia.xx", "I_{xx, m}"),
        ("a.b.com.x", r"c_{x, \mathrm{a.b}}"),
        ("elbow.spring_damping", r"D_{\mathrm{elbow}}"),
        ("gravity.z", "g_{z}"),
        ("upper_length", r"l_{\mathrm{upper}}"),
        ("l1", "l_{1}"),
        ("m_2", "m_{2}"),
        ("rho", r"\rho"),
        ("theta_12", r"\theta_{12}"),
        ("payload", r"\mathrm{payload}"),
        (r"\input{x}$", r"\mathrm{\backslash input\{x\}\$}"),
        ("50 % #1", r"\mathrm{50\ \%\ \#1}"),
        ("a^b~c&d", r"\mathrm{a\hat{\ }b\sim c\&d}"),
    ],
)
def test_names_become_latex_that_they_cannot_leave(name: str, latex: str) -> None:
    assert parameter_latex(name) == latex
