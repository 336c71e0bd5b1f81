"""Natural modes of whole robots, against closed forms, beams, and differences of inverse dynamics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn import api
from symdyn.analysis.statics.modes import _conditions as conditions
from symdyn.analysis.statics.modes import _mode as scaled_mode
from symdyn.analysis.statics.modes import _solved as solved_modes
from symdyn.description.flexible import Flexible
from symdyn.errors import ModelError, RequestError
from symdyn.model.rod_modes import rod_modes
from symdyn.robot.robot import Robot
from symdyn.shapes.modes import beam_modes

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

Array = NDArray[np.float64]
G = 9.81
PENDULUM = """
name: pendulum
parameters: {load: {value: 0, runtime: true}}
links:
  base:
  bob: {mass: 2 + load, com: [0, 0, -0.3], inertia: {xx: 0.05, yy: 0.05, zz: 0.05}}
joints:
  swing: {type: revolute, parent: base, child: bob, axis: [0, 1, 0], losses: {damping: 0.4}}
"""
ARM = """
name: arm
gravity: [0, 0, 0]
links:
  base:
  upper: {mass: 2, com: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  lower: {mass: 1, com: [0.2, 0, 0], inertia: {xx: 0.01, yy: 0.03, zz: 0.03}}
joints:
  shoulder: {type: revolute, parent: base, child: upper, axis: [0, 0, 1]}
  elbow: {type: revolute, parent: upper, child: lower, translation: [0.6, 0, 0], axis: [0, 0, 1]}
"""
SWING = """
name: parallelogram
links:
  ground:
  left: {mass: 0.7, com: [0, 0, -0.2], inertia: {xx: 0.01, yy: 0.02, zz: 0.01}}
  seat: {mass: 3, com: [0.3, 0, -0.1], inertia: {xx: 0.1, yy: 0.2, zz: 0.1}}
  right: {mass: 0.7, com: [0, 0, -0.2], inertia: {xx: 0.01, yy: 0.02, zz: 0.01}}
joints:
  a: {type: revolute, parent: ground, child: left, axis: [0, 1, 0]}
  b: {type: revolute, parent: left, child: seat, translation: [0, 0, -0.5], axis: [0, 1, 0]}
  c: {type: revolute, parent: ground, child: right, translation: [1, 0, 0], axis: [0, 1, 0]}
loops:
  pin: {between: [{link: seat, point: [1, 0, 0]}, {link: right, point: [0, 0, -0.5]}], kind: revolute, axis: [0, 1, 0]}
"""
BLADE = """
name: blade
gravity: [0, 0, 0]
links:
  base:
  blade:
    mass: 0.1
    flexible: {length: 1.5, mass_per_length: 2, bending_stiffness: {y: 40, z: 90}, modes: {bend_y: 2, bend_z: 2}}
joints:
  hub: {type: revolute, parent: base, child: blade, axis: [0, 0, 1]}
"""
ROD = """
name: rod
gravity: [0, 0, 0]
links:
  base:
  rod:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.005}
      material: {density: 1000, youngs_modulus: 1e7, poisson_ratio: 0.5}
      strain: {curvature_y: 4, curvature_z: 4}
joints:
  mount: {type: fixed, parent: base, child: rod}
"""
INERTIA = 0.05 + 2 * 0.09


def made(text: str, **options: object) -> Robot:
    return symdyn.loads(text, "yaml", **options)  # type: ignore[arg-type]


def kinds(found: symdyn.statics.Modes) -> list[str]:
    return [mode.kind for mode in found.modes]


@pytest.mark.parametrize("angle", [0.0, 0.7, -1.2])
def test_a_pendulum_swings_as_its_closed_form_says(angle: float) -> None:
    found = symdyn.modes(made(PENDULUM), [angle])
    (mode,) = found.modes
    assert mode.frequency == pytest.approx(math.sqrt(2 * G * 0.3 * math.cos(angle) / INERTIA), rel=1e-13)
    assert mode.hertz == mode.frequency / (2 * math.pi) and (mode.growth, mode.damping) == (0.0, 0.0)
    assert mode.shares == (("swing", 1.0),) and found.stable
    assert found.forces == pytest.approx([2 * G * 0.3 * math.sin(angle)], abs=1e-14)


def test_a_pendulum_upside_down_falls() -> None:
    found = symdyn.modes(made(PENDULUM), [math.pi])
    assert kinds(found) == ["unstable"] and not found.stable
    assert found.modes[0].growth == pytest.approx(math.sqrt(2 * G * 0.3 / INERTIA), rel=1e-13)


def test_a_payload_counts() -> None:
    found = symdyn.modes(made(PENDULUM), p=[3.0])
    assert found.modes[0].frequency == pytest.approx(math.sqrt(5 * G * 0.3 / (0.05 + 5 * 0.09)), rel=1e-13)


def test_losses_damp() -> None:
    """I x'' + d x' + m g l x = 0"""
    found = symdyn.modes(made(PENDULUM, joint_losses=True))
    frequency = math.sqrt(2 * G * 0.3 / INERTIA)
    assert found.modes[0].frequency == pytest.approx(frequency, rel=1e-13)
    assert found.modes[0].damping == pytest.approx(0.4 / (2 * INERTIA * frequency), rel=1e-12)
    assert sorted(found.poles, key=lambda pole: pole.imag) == pytest.approx(
        sorted(np.roots([INERTIA, 0.4, 2 * G * 0.3]), key=lambda pole: pole.imag), rel=1e-12
    )


def mass_of_arm(elbow: float) -> Array:
    """M of the arm by hand."""
    coupling = 0.6 * 0.2 * math.cos(elbow)
    last = 0.03 + 0.04
    first = 0.02 + 2 * 0.09 + 0.36 + last + 2 * coupling
    return np.array([[first, last + coupling], [last + coupling, last]])


def test_an_arm_with_elastic_joints_is_an_eigenproblem_written_by_hand() -> None:
    """Rows shoulder, its motor, elbow, its motor: springs K between each pair, rotors B, and M of the links."""
    K, B, D = (900.0, 200.0), (0.5, 0.1), (3.0, 0.8)
    robot = made(ARM)
    for name, stiffness, armature, damping in zip(("shoulder", "elbow"), K, B, D, strict=True):
        robot = robot.with_elastic_joint(name, stiffness, damping, armature=armature)
    found = symdyn.modes(robot, [0.3, 0.3, 0.8, 0.8])
    assert found.rows == ("shoulder", "shoulder.motor", "elbow", "elbow.motor")
    M = np.diag([0.0, B[0], 0.0, B[1]])
    M[np.ix_([0, 2], [0, 2])] = mass_of_arm(0.8)
    spring = np.array([[1.0, -1.0], [-1.0, 1.0]])
    stiffness, damping = np.zeros((4, 4)), np.zeros((4, 4))
    for place in range(2):
        block = np.ix_([2 * place, 2 * place + 1], [2 * place, 2 * place + 1])
        stiffness[block], damping[block] = K[place] * spring, D[place] * spring
    assert found.mass == pytest.approx(M, rel=1e-12) and found.stiffness == pytest.approx(stiffness, rel=1e-12)
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, stiffness)).real)
    assert kinds(found) == ["rigid", "rigid", "swings", "swings"]
    assert [mode.frequency for mode in found.modes[2:]] == pytest.approx(np.sqrt(squares[2:]), rel=1e-10)
    zero = np.zeros((4, 4))
    first_order = np.block([[zero, np.eye(4)], [-np.linalg.solve(M, stiffness), -np.linalg.solve(M, damping)]])
    swinging = [np.sort_complex(poles[np.abs(poles) > 1e-3]) for poles in (found.poles, np.linalg.eigvals(first_order))]
    assert swinging[0] == pytest.approx(swinging[1], rel=1e-8)
    for mode in found.modes[2:]:
        assert stiffness @ mode.shape == pytest.approx(mode.frequency**2 * M @ mode.shape, rel=1e-8, abs=1e-8)


def test_motors_with_brakes() -> None:
    robot = made(ARM).with_elastic_joint("elbow", 200.0, armature=0.1)
    found = symdyn.modes(robot, hold=["shoulder", "elbow.motor"])
    assert found.frequencies == pytest.approx([math.sqrt(200.0 / 0.07) / (2 * math.pi)], rel=1e-12)
    assert found.modes[0].shape[[0, 2]].tolist() == [0.0, 0.0]


def test_a_parallelogram_swings_as_one_pendulum() -> None:
    """Its seat moves on a circle: the loop's force, half the weight, is part of the stiffness."""
    found = symdyn.modes(made(SWING))
    weight = G * (2 * 0.7 * 0.2 + 3 * 0.5)
    inertia = 2 * (0.02 + 0.7 * 0.04) + 3 * 0.25
    assert len(found.modes) == 1 and found.forces == pytest.approx(np.zeros(3), abs=1e-12)
    assert found.modes[0].frequency == pytest.approx(math.sqrt(weight / inertia), rel=1e-12)
    assert found.modes[0].shape * math.sqrt(inertia) == pytest.approx(np.array([1.0, -1.0, 1.0]), rel=1e-12)
    assert symdyn.modes(made(SWING), hold=["a"]).modes == ()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_coordinate_that_takes_part_most_is_positive(sign: float) -> None:
    """Eigenvectors come with either sign; of (1, -3), where x^T M x is 4, the scaled shape is (-1, 3) / 2."""
    mass = np.diag([0.4, 0.4])
    found = scaled_mode(("a", "b"), mass, np.zeros((2, 2)), 2.0j, sign * np.array([1.0, -3.0]))
    assert found.shape == pytest.approx([-0.5, 1.5], rel=1e-14)
    assert [name for name, _ in found.shares] == ["b", "a"]
    assert [share for _, share in found.shares] == pytest.approx([0.9, 0.1], rel=1e-14)


def test_a_beam_on_a_hub_that_is_held_has_the_modes_of_a_clamped_beam() -> None:
    robot = made(BLADE)
    beam = next(link.flexible for link in robot.description.links if link.flexible is not None)
    assert isinstance(beam, Flexible)
    wanted = sorted(frequency for shapes in beam_modes(beam) for frequency in shapes.frequencies)
    found = symdyn.modes(robot, hold=["hub"])
    assert [mode.frequency for mode in found.modes] == pytest.approx(wanted, rel=1e-10)
    assert all(mode.shares[0][1] > 0.9999 for mode in found.modes)
    turning = symdyn.modes(robot)
    assert kinds(turning) == ["rigid", "swings", "swings", "swings", "swings"]
    assert turning.frequencies[1:] == pytest.approx(np.sort(turning.frequencies[1:]))


def test_a_slender_rod_is_a_cantilever_of_euler_and_bernoulli() -> None:
    robot = made(ROD)
    area, second = math.pi * 0.005**2, math.pi * 0.005**4 / 4
    found = symdyn.modes(robot)
    for place, root in enumerate((1.87510407, 4.69409113)):
        wanted = root**2 * math.sqrt(1e7 * second / (1000 * area * 0.5**4))
        pair = [mode.frequency for mode in found.modes[2 * place : 2 * place + 2]]
        assert pair == pytest.approx([wanted, wanted], rel=2e-3)
    soft = next(link.soft for link in robot.description.links if link.soft is not None)
    of_rod = [mode.frequency for mode in rod_modes(soft).modes]
    assert [mode.frequency for mode in found.modes] == pytest.approx(of_rod, rel=1e-9)


def test_the_stiffness_is_the_difference_of_inverse_dynamics() -> None:
    """A column with a beam and an elastic joint, a spring and losses: Richardson's differences of tau."""
    robot = symdyn.load_example("mixed_arm", joint_losses=True)
    robot = robot.with_spring(robot.velocity_names[0], 12.0, rest=0.4)
    q, _ = robot.random_state(4)
    found = symdyn.modes(robot, q)
    recursion = api.float_recursion(robot, "inverse_dynamics")
    still = np.zeros(robot.nv)

    def torques(dq: Array, v: Array) -> Array:
        given = {"q": robot.integrate(q, dq).tolist(), "v": v.tolist(), "a": still.tolist(), "p": []}
        return np.array(recursion(given)["tau"])

    def slope(call: object, row: int) -> Array:
        step = np.eye(robot.nv)[row]
        rough = [(call(h * step) - call(-h * step)) / (2 * h) for h in (2e-3, 1e-3, 5e-4)]  # type: ignore[operator]
        finer = [(4 * rough[k + 1] - rough[k]) / 3 for k in range(2)]
        return np.asarray((16 * finer[1] - finer[0]) / 15)

    for row in range(robot.nv):
        by_q, by_v = slope(lambda d: torques(d, still), row), slope(lambda d: torques(still, d), row)
        scale_q, scale_v = max(1.0, np.abs(found.stiffness).max()), max(1.0, np.abs(found.damping).max())
        assert found.stiffness[:, row] == pytest.approx(by_q, abs=1e-9 * scale_q)
        assert found.damping[:, row] == pytest.approx(by_v, abs=1e-6 * scale_v)


def test_a_robot_adrift_has_six_rigid_modes() -> None:
    text = ARM.replace("  base:\n", "  base: {mass: 5, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n")
    robot = made(text, floating_base=True, locked_joints={"shoulder": 0.0}).with_spring("elbow", 50.0)
    assert kinds(symdyn.modes(robot)) == [*["rigid"] * 6, "swings"]


def test_refusals() -> None:
    arm = made(ARM)
    with pytest.raises(ModelError, match=r"mass matrix is singular.*give it inertia, or hold it"):
        symdyn.modes(arm.with_elastic_joint("elbow", 100))
    with pytest.raises(RequestError, match="did you mean 'elbow'"):
        symdyn.modes(arm, hold=["elbo"])
    with pytest.raises(RequestError, match=r"hold is a list of names such as \['elbow', 'shoulder'\]"):
        symdyn.modes(arm, hold="elbow,shoulder")
    with pytest.raises(RequestError, match="expected"):
        symdyn.modes(arm, [0.0])


@pytest.mark.parametrize(("apart", "unit"), [(1.0, 1.0), (1e-2, 1.0), (1e-3, 1.0), (1.0, 2.0**-40), (1.0, 2.0**40)])
def test_free_moves_beside_stiffness_that_is_not_symmetric(apart: float, unit: float) -> None:
    """Squares of frequencies 0, 1 and 4 units, at small angles: rounding of the zero grows with their condition."""
    turn = np.linalg.qr(np.sqrt(np.arange(9.0).reshape(3, 3)) + np.eye(3))[0]
    shapes = turn @ [[1.0, 1.0, 1.0], [0.0, apart, 2.0 * apart], [0.2 * apart, 0.0, apart]]
    stiffness = shapes @ np.diag([0.0, 1.0, 4.0]) @ np.linalg.inv(shapes)
    found, poles = solved_modes(unit * stiffness, np.zeros((3, 3)))
    frequencies = sorted(abs(root) / np.sqrt(unit) for root, _ in found)
    assert frequencies[0] == 0.0
    np.testing.assert_allclose(frequencies[1:], [1.0, 2.0], rtol=1e-6)
    assert sorted(np.abs(poles))[:2] == [0.0, 0.0]


def test_conditions_of_eigenvalues() -> None:
    """The lengths of left eigenvectors beside right ones of length one; none where these depend on each other."""
    tilt = 1e-3
    found = conditions(np.array([[1.0, math.cos(tilt)], [0.0, math.sin(tilt)]]))
    np.testing.assert_allclose(found, [1.0 / math.sin(tilt), 1.0 / math.sin(tilt)], rtol=1e-12)
    lean = conditions(np.array([[1.0, 1.0, 0.0], [0.0, tilt, 0.0], [0.0, 0.0, 2.0]]))
    np.testing.assert_allclose(lean, [math.hypot(1.0, 1.0 / tilt), 1.0 / tilt, 0.5], rtol=1e-12)
    assert np.all(np.isinf(conditions(np.ones((2, 2)))))
