"""Motors behind springs along a trajectory of the links: the whole robot's own dynamics, a closed form, refusals."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from support.robots.kinds import P, R
from support.robots.small import X, described, joint, loaded, massive, single
from support.robots.sprung import OF_ELASTIC_JOINTS, sprung
from support.robots.table import TREES, with_losses
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Actuator, Elastic, Link, Losses, RobotDescription
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.model.link_side import link_side, motor_side
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import error_in_u, output_blocks
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

Array = NDArray[np.float64]
# units of 2^-53, normwise per order and unit, as for inverse dynamics
LIMIT = 200.0
ROTOR = Actuator(armature=0.3)


@cache
def robot(name: str) -> Robot:
    """Two elastic joints with losses, one of which another joint follows, and one in a robot that floats."""
    if name == "branched":
        plain = TREES["elastic"].described()
        joints = [
            replace(item, actuator=None, elastic=Elastic(30.0, 0.0, ROTOR)) if index in (1, 2) else item
            for index, item in enumerate(plain.joints)
        ]
        return loaded(with_losses(sprung(replace(plain, joints=tuple(joints)))), **TREES["elastic"].options)
    floating = TREES["elastic and floating"]
    return loaded(sprung(floating.described()), **floating.options)


def drawn(name: str, order: int, external: str | None, seed: int = 3) -> tuple[Any, dict[str, list[float]]]:
    ((entry, request),) = requests(robot(name).model, [OF_ELASTIC_JOINTS], order=order, external_wrenches=external)
    signature = entry.signature(robot(name).model, request)
    return signature, random_inputs(robot(name), signature, np.random.default_rng(seed))


def found(name: str, order: int, external: str | None, inputs: dict[str, list[float]]) -> dict[str, Array]:
    """Outputs, one row per order."""
    recursion = api.float_recursion(robot(name), OF_ELASTIC_JOINTS, order=order, external_wrenches=external)
    return {output: np.reshape(values, (order + 1, -1)) for output, values in recursion(inputs).items()}


def rows_of(name: str) -> tuple[list[int], list[int], list[int], list[int]]:
    """Rows of the motors and of all others, among q and among v."""
    q, v = robot(name).coordinate_names, robot(name).velocity_names
    motors = [[row for row, own in enumerate(names) if own.endswith(".motor")] for names in (q, v)]
    return (
        motors[0],
        [row for row in range(len(q)) if row not in motors[0]],
        motors[1],
        [row for row in range(len(v)) if row not in motors[1]],
    )


def whole(name: str, order: int, external: str | None, inputs: dict[str, list[float]]) -> tuple[Array, Array]:
    """q, and V to ``order + 1``, of links and motors; the motors' from the function at two orders more."""
    own, nv = robot(name), robot(name).nv
    q_motors, q_links, v_motors, v_links = rows_of(name)
    # V beyond the orders that theta rests on may be anything
    longer = {**inputs, "V": inputs["V"] + [7.0] * (2 * len(v_links))}
    if external:
        longer["f_ext"] = inputs["f_ext"] + [7.0] * (2 * 6 * len(own.body_names))
    theta = found(name, order + 2, external, longer)["theta"]
    q, V = np.zeros(own.nq), np.zeros((order + 2, nv))
    q[q_links], q[q_motors] = inputs["q"], theta[0]
    V[:, v_links] = np.reshape(inputs["V"], (order + 4, -1))[: order + 2]
    V[:, v_motors] = theta[1 : order + 3]
    return q, V


CASES = [("branched", 3, "world"), ("branched", 0, None), ("floating", 2, "body")]


@pytest.mark.parametrize(("name", "order", "external"), CASES)
def test_the_whole_robot_moves_so_under_the_motors_torques(name: str, order: int, external: str | None) -> None:
    """No force acts on the links' side of the springs, and the motors' rows are the torques, at every order."""
    own = robot(name)
    _, inputs = drawn(name, order, external)
    out = found(name, order, external, inputs)
    q, V = whole(name, order, external, inputs)
    given = {"q": q.tolist(), "V": V.ravel().tolist()}
    if external:
        given["f_ext"] = inputs["f_ext"][: (order + 1) * 6 * len(own.body_names)]
    if "p" in inputs:
        given["p"] = inputs["p"]
    recursion = api.float_recursion(own, "inverse_dynamics_time_derivatives", order=order, external_wrenches=external)
    tau = np.reshape(recursion(given)["tau"], (order + 1, own.nv))
    _, _, motors, links = rows_of(name)
    elastic = [links.index(row - 1) for row in motors]
    expected = out["tau_link"].copy()
    expected[:, elastic] = 0.0
    for k in range(order + 1):  # what cancels on the links' rows is as large as the springs' forces
        size = max(1.0, float(np.abs(out["tau_link"][k]).max()))
        assert np.abs(tau[k, links] - expected[k]).max() <= 1e-11 * size
        assert np.abs(tau[k, motors] - out["tau_motor"][k]).max() <= 1e-11 * size


def test_forward_dynamics_gives_the_trajectory_back() -> None:
    name, order, external = CASES[1]
    _, inputs = drawn(name, order, external)
    out = found(name, order, external, inputs)
    q, V = whole(name, order, external, inputs)
    _, _, motors, links = rows_of(name)
    tau = np.zeros(robot(name).nv)
    tau[links] = out["tau_link"][0]
    tau[[row - 1 for row in motors]] = 0.0
    tau[motors] = out["tau_motor"][0]
    a = api.float_recursion(robot(name), "forward_dynamics")({"q": q.tolist(), "v": V[0].tolist(), "tau": tau.tolist()})
    assert relative_error(a["a"], V[1].tolist()) <= 1e-10


@pytest.mark.parametrize(("name", "order", "external"), [CASES[0], CASES[2]])
def test_against_fifty_digits(name: str, order: int, external: str | None) -> None:
    signature, inputs = drawn(name, order, external, seed=5)
    rows = [value for output in found(name, order, external, inputs).values() for value in output.ravel().tolist()]
    exact = find_truth(OF_ELASTIC_JOINTS)(
        make_setting(robot(name).description, signature, robot(name).load_options()), inputs
    )
    assert error_in_u(rows, exact.values, output_blocks(signature.outputs), scales=exact.scales) <= LIMIT


@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_layouts_agree(layout: str) -> None:
    name, _, external = CASES[0]
    _, inputs = drawn(name, 1, external)
    (program,) = api.programs(robot(name), [OF_ELASTIC_JOINTS], layout=layout, order=1, external_wrenches=external)
    values = evaluate_program(program, FloatAlgebra(), inputs)
    for output, expected in found(name, 1, external, inputs).items():
        assert relative_error(values[output], expected.ravel().tolist()) <= 1e-13, output


def pendulum(elastic: Elastic, losses: Losses = Losses()) -> RobotDescription:  # noqa: B008
    """A rod about a horizontal axis, behind a spring: J = 0.7 kg m^2, m g l = 10 N m."""
    rod = massive("rod", 2.0, (0.0, 0.5, 0.0), (0.2, 0.0, 0.0, 0.2, 0.0, 0.2))
    return described([Link("base"), rod], [joint("j", R, "base", "rod", axis=X, elastic=elastic, losses=losses)])


def test_an_elastic_pendulum() -> None:
    """tau_link = J q'' + m g l cos q, with friction in the motor, by SymPy."""
    stiffness, order = 80.0, 1
    bench = loaded(
        pendulum(Elastic(stiffness, 0.0, Actuator(2e-4, 40.0)), Losses(0.3, 0.2, 0.5)),
        gravity=(0.0, 0.0, -10.0),
        joint_losses=True,
    )
    q, V = 0.4, [1.5, -0.7, 2.0, 0.3, -1.1]
    t = sympy.Symbol("t")
    path = sympy.Rational(2, 5) + sum(
        sympy.nsimplify(value) * t**power / sympy.factorial(power) for power, value in enumerate(V, 1)
    )
    link = sympy.Rational(7, 10) * path.diff(t, 2) + 10 * sympy.cos(path)
    theta = path + link / 80
    speed = theta.diff(t)
    motor = sympy.Rational(32, 100) * theta.diff(t, 2) + link
    motor += sympy.Rational(3, 10) * speed + sympy.tanh(2 * speed) / 5
    out = api.float_recursion(bench, OF_ELASTIC_JOINTS, order=order)({"q": [q], "V": V})
    for name, form in (("tau_link", link), ("theta", theta), ("tau_motor", motor)):
        expected = [float(form.diff(t, k).subs(t, 0).evalf(30)) for k in range(order + 1)]
        assert out[name] == pytest.approx(expected, rel=1e-12), name


def test_a_stiff_spring_leaves_the_arm_with_a_rotor() -> None:
    kind, q, V = single(R), [0.3], [0.8, 1.5, -0.4, 0.9]
    rigid = loaded(replace(kind, joints=(replace(kind.joints[0], actuator=ROTOR),)))
    stiff = loaded(replace(kind, joints=(replace(kind.joints[0], elastic=Elastic(1e9, 0.0, ROTOR)),)))
    out = api.float_recursion(stiff, OF_ELASTIC_JOINTS)({"q": q, "V": V})
    tau = api.float_recursion(rigid, "inverse_dynamics")({"q": q, "v": V[:1], "a": V[1:2]})["tau"]
    assert out["tau_motor"] == pytest.approx(tau, rel=1e-7)
    assert out["theta"] == pytest.approx(q, rel=1e-6)
    assert out["tau_link"][0] == pytest.approx(tau[0] - 0.3 * V[1], rel=1e-12)


def test_stiffness_and_rotor_at_run_time() -> None:
    baked = loaded(pendulum(Elastic(80.0, 0.0, ROTOR)))
    names = ["j.stiffness", "j.armature"]
    asked = loaded(pendulum(Elastic(5.0, 0.0, Actuator(armature=9.0))), runtime=names)
    given = {"q": [0.3], "V": [0.8, 1.5, -0.4, 0.9, 2.0]}
    expected = api.float_recursion(baked, OF_ELASTIC_JOINTS, order=1)(given)
    out = api.float_recursion(asked, OF_ELASTIC_JOINTS, order=1)({**given, "p": [80.0, 0.3]})
    for name, values in expected.items():
        assert out[name] == pytest.approx(values, rel=1e-14), name


def test_links_and_motors_bind_their_own_parameters() -> None:
    arm = symdyn.load_example("elastic_arm", runtime=("shoulder.gear_ratio", "elbow.rotor_inertia"))
    (program,) = api.programs(arm, [OF_ELASTIC_JOINTS], layout="rolled", order=1)
    inputs = random_inputs(arm, program.signature, np.random.default_rng(5))
    values = evaluate_program(program, FloatAlgebra(), inputs)
    for output, expected in api.float_recursion(arm, OF_ELASTIC_JOINTS, order=1)(inputs).items():
        assert relative_error(values[output], expected) <= 1e-13, output


@pytest.mark.needs_cc
def test_compiled() -> None:
    bench = loaded(pendulum(Elastic(80.0, 0.0, ROTOR)))
    module = symdyn.compile(bench, [OF_ELASTIC_JOINTS], order=1)
    V = np.array([[0.8], [1.5], [-0.4], [0.9], [2.0]])
    expected = api.float_recursion(bench, OF_ELASTIC_JOINTS, order=1)({"q": [0.3], "V": V.ravel().tolist()})
    for values, reference in zip(
        module.elastic_joint_inverse_dynamics_time_derivatives([0.3], V), expected.values(), strict=True
    ):
        assert values.shape == (2, 1)
        assert values.ravel().tolist() == pytest.approx(reference, rel=1e-14)


def test_signature() -> None:
    signature, _ = drawn("floating", 2, "body")
    own, links = robot("floating"), link_side(robot("floating").model)
    motors = [name for name in own.coordinate_names if name.endswith(".motor")]
    tau_link, theta, tau_motor = signature.outputs
    assert [argument.name for argument in signature.inputs] == ["q", "V", "f_ext", "p"]
    assert signature.input("V").shape == (6, links.nv)
    assert signature.input("f_ext").shape == (5, len(own.body_names), 6)
    assert (tau_link.shape, theta.shape, tau_motor.shape) == ((3, links.nv), (3, len(motors)), (3, len(motors)))
    assert list(theta.rows[1]) == list(tau_motor.rows[1]) == motors
    assert theta.rows[0] == ("theta", "theta'", "theta''")
    assert set(signature.input("q").element_names) == set(own.coordinate_names) - set(motors)


def test_a_sliding_motor_counts_in_metres() -> None:
    rail = single(P, elastic=Elastic(100.0, 0.0, ROTOR))
    ((entry, request),) = requests(loaded(rail).model, [OF_ELASTIC_JOINTS], order=1)
    tau_link, theta, tau_motor = entry.signature(loaded(rail).model, request).outputs
    assert (tau_link.units, theta.units, tau_motor.units) == (("N", "N/s"), ("m", "m/s"), ("N", "N/s"))


def test_the_two_sides_of_the_springs() -> None:
    model = robot("branched").model
    links, motors = link_side(model), motor_side(model)
    assert links.nv + motors.nv == model.nv
    assert motors.nv == 2
    (follower,) = (body.joint for body in links.bodies if body.joint.leaders)
    assert f"{links.velocity_names[follower.v_index]}.motor" in motors.velocity_names
    assert [name for name in model.velocity_names if name not in motors.velocity_names] == list(links.velocity_names)
    assert links.body_names == model.body_names
    assert [frame.name for frame in links.frames] == list(model.frame_names)
    assert all(body.parent < index for index, body in enumerate(links.bodies))
    assert [joint.v_index for joint in motors.independent_joints] == [0, 1]


def refusal(bench: Robot, **asked: Any) -> str:
    with pytest.raises(ModelError) as caught:
        api.float_recursion(bench, OF_ELASTIC_JOINTS, **asked)
    return str(caught.value)


def test_refusals() -> None:
    assert "needs elastic joints, and robot 'bench' has none" in refusal(loaded(single(R)))
    damped = refusal(loaded(pendulum(Elastic(80.0, 0.5, ROTOR))), order=1)
    assert damped.startswith("bench.yaml: elastic joint 'j' of 'bench' has damping in its spring")
    assert "differential equation" in damped
    assert "set the damping under 'elastic' to 0" in damped
    asked = loaded(pendulum(Elastic(80.0, 0.0, ROTOR)), runtime=["j.spring_damping"])
    assert "leave 'j.spring_damping' out of runtime" in refusal(asked)
    assert "has stiffness 0" in refusal(loaded(pendulum(Elastic(0.0, 0.0, ROTOR))))
    sharp = pendulum(Elastic(80.0, 0.0, ROTOR), Losses(0.1, 0.2, 0.0))
    assert "joint 'j' of 'bench' has friction without a velocity scale" in refusal(loaded(sharp, joint_losses=True))


def test_the_shipped_arm_has_what_it_takes() -> None:
    arm = symdyn.load_example("elastic_arm")
    ((entry, request),) = requests(arm.model, [OF_ELASTIC_JOINTS], order=1)
    signature = entry.signature(arm.model, request)
    assert [argument.shape for argument in signature.inputs] == [(2,), (5, 2)]
    assert [argument.shape for argument in signature.outputs] == [(2, 2), (2, 1), (2, 1)]
