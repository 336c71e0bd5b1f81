"""Functions of rows and their derivatives, as programs, against CasADi's own of the same function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.by_rows import derivatives, filled, random_inputs, value
from support.robots.driven import SMALL

import symdyn
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.tree.check import check_program
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import BufferKind, Program
from symdyn.errors import RequestError, SymdynWarning
from symdyn.generation.casadi_functions import with_derivatives
from symdyn.interface.options import GenerateOptions
from symdyn.interface.signature import HELD_INPUTS
from symdyn.robot.robot import Robot

ROLES = ("", "jac_", "adj1_", "jac_adj1_")


def programs(robot: Robot, function: str, **options: Any) -> list[Program]:
    asked = GenerateOptions.checked([function], target="casadi", hessian=True, **options)
    return list(with_derivatives(robot.model, asked))


FLOATING = """
format: 1
name: floating
floating_base: true
links:
  base: {mass: 2.0, com: [0.1, 0, 0.05], inertia: {xx: 0.03, yy: 0.04, zz: 0.05, xy: 0.01}}
  arm: {mass: 0.5, com: [0, 0.1, -0.2], inertia: {xx: 0.02, yy: 0.02, zz: 0.01}}
joints:
  hip: {type: continuous, parent: base, child: arm, translation: [0.1, 0, -0.1], axis: [0, 1, 0]}
"""


def floating() -> Robot:
    return symdyn.loads(FLOATING, "yaml")


ROBOTS = {
    "double_pendulum": lambda: symdyn.load_example("double_pendulum"),
    "elastic_arm": lambda: symdyn.load_example("elastic_arm"),
    "floating": floating,
    "mujoco": lambda: symdyn.loads(FLOATING, "yaml", convention="mujoco"),
    "spatial": lambda: symdyn.loads(FLOATING, "yaml", convention="spatial"),
    "aerial_manipulator": lambda: symdyn.load_example("aerial_manipulator"),
    "flexible_single_link": lambda: symdyn.load_example("flexible_single_link"),
}


def errors(robot: Robot, function: str, seed: int = 0, **options: Any) -> dict[str, float]:
    """The largest error of each program's outputs, relative to the largest entry of each."""
    made = programs(robot, function, **options)
    assert [program.signature.function for program in made] == [role + function for role in ROLES]
    own = made[0].signature
    asked = {name: value for name, value in options.items() if name != "layout"}
    expected = derivatives(robot, function, own.inputs, own.outputs, **asked)
    numbers = random_inputs(expected["symbols"], seed)
    worst = {}
    for program in made:
        check_program(program)
        read = program.buffers_of(BufferKind.IN, BufferKind.PARAM)
        given = {buffer.name: numbers[buffer.name].flatten(order="F").tolist() for buffer in read}
        found = evaluate_program(program, FloatAlgebra(), given)
        for output in program.signature.outputs:
            if "_out_" in output.name:
                assert program.patterns[output.name].size == 0
                continue
            truth = value(expected["found"][output.name], expected["symbols"], numbers)
            matrix = filled(program.patterns[output.name], found.get(output.name, []))
            assert matrix.shape == truth.shape
            worst[output.name] = float(np.abs(matrix - truth).max() / max(1.0, np.abs(truth).max()))
    return worst


@pytest.mark.parametrize(
    ("robot", "function"),
    [
        ("double_pendulum", "inverse_dynamics"),
        ("double_pendulum", "mass_matrix"),
        ("elastic_arm", "inverse_dynamics"),
        ("elastic_arm", "forward_dynamics"),
        ("floating", "forward_dynamics"),
        ("floating", "state_derivative"),
        ("mujoco", "inverse_dynamics"),
        ("spatial", "inverse_dynamics"),
        pytest.param("mujoco", "forward_dynamics", marks=pytest.mark.slow),
        pytest.param("mujoco", "state_derivative", marks=pytest.mark.slow),
        pytest.param("spatial", "forward_dynamics", marks=pytest.mark.slow),
        pytest.param("spatial", "state_derivative", marks=pytest.mark.slow),
        pytest.param("aerial_manipulator", "inverse_dynamics", marks=pytest.mark.slow),
        pytest.param("aerial_manipulator", "forward_dynamics", marks=pytest.mark.slow),
        pytest.param("flexible_single_link", "inverse_dynamics", marks=pytest.mark.slow),
    ],
)
def test_values_and_both_derivatives_are_those_that_casadi_finds(robot: str, function: str) -> None:
    worst = errors(ROBOTS[robot](), function)
    assert max(worst.values()) < 1e-12, worst


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize(
    ("robot", "function", "options"),
    [
        ("floating", "hybrid_dynamics", {"prescribed": ("hip",)}),
        ("five_bar", "constrained_hybrid_dynamics", {"prescribed": ("left_shoulder",)}),
        ("five_bar", "constrained_inverse_dynamics", {}),
        ("five_bar", "constrained_inverse_dynamics", {"objective": "force"}),
        ("five_bar", "impulse_dynamics", {}),
    ],
)
def test_derivatives_of_mixed_and_looped_problems_are_those_that_casadi_finds(
    robot: str, function: str, options: dict[str, Any]
) -> None:
    made = ROBOTS[robot]() if robot in ROBOTS else symdyn.load_example(robot)
    assert max(errors(made, function, **options).values()) < 1e-11  # loops are solved with a proximal shift


@pytest.mark.parametrize("function", ["forward_kinematics", "gravity", "jacobians"])
def test_functions_without_partials_are_differentiated_from_their_tapes(function: str) -> None:
    worst = errors(floating(), function)
    assert max(worst.values()) < 1e-12, worst


SOFT = """
format: 1
name: soft_finger
links:
  base: {mass: 1.0, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.02}
      material: {youngs_modulus: 1.0e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_z: 1}
      stations: 2
joints:
  shoulder: {type: continuous, parent: base, child: arm, axis: [0, 0, 1]}
"""


@pytest.mark.slow
def test_a_soft_rod_has_its_derivatives_in_loops() -> None:
    worst = errors(symdyn.loads(SOFT, "yaml"), "inverse_dynamics", layout="rolled")
    assert max(worst.values()) < 1e-12, worst


@pytest.mark.slow
def test_inputs_of_actuators_stand_for_forces() -> None:
    """A tendon whose pull turns with the rod, a motor, a chamber and a strain at rest."""
    worst = errors(symdyn.loads(SMALL, "yaml"), "forward_dynamics", inputs="actuators")
    assert max(worst.values()) < 1e-12, worst


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_each_layout_is_stored_by_columns(layout: str) -> None:
    worst = errors(floating(), "inverse_dynamics", layout=layout)
    assert max(worst.values()) < 1e-12, worst


def test_loops_give_accelerations_and_multipliers() -> None:
    with pytest.warns(SymdynWarning, match="left out"):
        robot = symdyn.load_example("four_bar")
    worst = errors(robot, "constrained_forward_dynamics", stabilisation=0.5)
    assert max(worst.values()) < 1e-11, worst
    gradient = programs(robot, "constrained_forward_dynamics")[2]
    assert {own.name for own in gradient.signature.inputs} >= {"adj_a", "adj_lambda"}


def test_a_quaternion_may_be_stretched_without_effect() -> None:
    program, slopes, *_ = programs(floating(), "inverse_dynamics")
    rng = np.random.default_rng(3)
    given = {own.name: rng.normal(size=own.size).tolist() for own in program.signature.inputs}
    stretched = {**given, "q": [*given["q"][:3], *(2.5 * x for x in given["q"][3:7]), *given["q"][7:]]}
    one, other = (evaluate_program(program, FloatAlgebra(), own)["tau"] for own in (given, stretched))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    found = evaluate_program(slopes, FloatAlgebra(), given)
    by_q = filled(slopes.patterns["jac_tau_q"], found["jac_tau_q"])
    np.testing.assert_allclose(by_q[:, 3:7] @ given["q"][3:7], 0.0, atol=1e-12)
    assert np.abs(by_q[:, 3:7]).max() > 0.1


def test_zeros_of_a_branched_robot_are_not_stored() -> None:
    robot = symdyn.load_example("quadruped")
    _, slopes = with_derivatives(robot.model, GenerateOptions.checked(["inverse_dynamics"], target="casadi"))
    legs = [slopes.patterns["jac_tau_a"].entries, slopes.patterns["jac_tau_v"].entries]
    assert all(len(entries) < 0.75 * robot.nv**2 for entries in legs)


def with_mass() -> Robot:
    return symdyn.load_example("double_pendulum", runtime=["lower.mass"])


@pytest.mark.parametrize(
    ("function", "asked"),
    [
        ("inverse_dynamics", {"external_wrenches": "body"}),
        ("forward_dynamics", {}),
        ("state_derivative", {}),
    ],
)
def test_derivatives_are_by_all_inputs(function: str, asked: dict[str, Any]) -> None:
    made = programs(with_mass(), function, **asked)
    assert HELD_INPUTS not in made[0].signature.options
    by = {own.name for own in made[0].signature.inputs if own.name in ("f_ext", "p")}
    assert by == ({"f_ext", "p"} if asked else {"p"})
    (output,) = made[0].signature.outputs
    assert all(made[1].patterns[f"jac_{output.name}_{name}"].size for name in by)
    worst = errors(with_mass(), function, **asked)
    assert max(worst.values()) < 1e-12, worst


def test_inputs_without_derivatives_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdyn.generation.casadi_functions.TAPE_UP_TO", 3)
    with pytest.warns(SymdynWarning, match=r"by f_ext, p and takes them as zero: .* without hessian .* by p$"):
        value_of, slopes, *_ = programs(with_mass(), "inverse_dynamics", external_wrenches="body")
    assert value_of.signature.options[HELD_INPUTS] == ("f_ext", "p")
    assert slopes.patterns["jac_tau_f_ext"].size == 0
    first, slopes = with_derivatives(with_mass().model, GenerateOptions.checked(["inverse_dynamics"], target="casadi"))
    assert HELD_INPUTS not in first.signature.options
    assert slopes.patterns["jac_tau_p"].size == 2


def test_a_long_function_comes_without_derivatives_and_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdyn.generation.casadi_functions.TAPE_UP_TO", 3)
    with pytest.warns(SymdynWarning, match="no first derivatives of mass_matrix"):
        made = programs(symdyn.load_example("double_pendulum"), "mass_matrix")
    assert [program.signature.function for program in made] == ["mass_matrix"]


def test_float32_and_other_targets_are_refused() -> None:
    robot = symdyn.load_example("pendulum")
    with pytest.raises(RequestError, match="CasADi computes with float64"):
        programs(robot, "gravity", dtype="float32")
    with pytest.raises(RequestError, match="hessian is of targets"):
        symdyn.compile(robot, ["gravity"], hessian=True)
