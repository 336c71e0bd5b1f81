"""The same function as a casadi.Function, as a SymPy matrix, as a recursion on floats and as a program."""

from __future__ import annotations

import math
from dataclasses import replace

import casadi
import numpy as np
import pytest
import sympy
from support.robots.kinds import MOVING
from support.robots.random_trees import make_robot
from support.robots.small import Y, described, joint, loaded, massive, point_mass, single, torque
from support.states import random_inputs

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Elastic, JointKind, Link, Losses, Mimic, Spring
from symdyn.errors import RequestError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.robot.robot import Robot


@pytest.fixture(params=["pinocchio", "spatial"])
def zoo(request: pytest.FixtureRequest) -> Robot:
    """Every joint kind with followers, losses and run-time parameters."""
    kinds = [JointKind.REVOLUTE, *MOVING, JointKind.FIXED, JointKind.REVOLUTE]
    description = make_robot([index // 2 for index in range(len(kinds))], kinds, 12, floating=True)
    names = ["gravity.z", f"{next(link.name for link in description.links if link.inertial)}.mass"]
    return loaded(description, joint_losses=True, runtime=names, convention=request.param)


def test_symbolic_equals_recursion_and_program(zoo: Robot) -> None:
    function = symdyn.symbolic(zoo, "inverse_dynamics", external_wrenches="world")
    signature = CATALOGUE["inverse_dynamics"].signature(zoo.model, Request("world"))
    assert isinstance(function, casadi.Function)
    assert function.name_in() == [argument.name for argument in signature.inputs] == ["q", "v", "a", "f_ext", "p"]
    assert [function.size1_in(k) for k in range(5)] == [argument.size for argument in signature.inputs]
    assert function.name_out() == ["tau"]
    inputs = random_inputs(zoo, signature, np.random.default_rng(0))
    reference = api.float_recursion(zoo, "inverse_dynamics", external_wrenches="world")(inputs)["tau"]
    value = np.array(function(*inputs.values())).ravel()
    assert value == pytest.approx(reference, rel=1e-12, abs=1e-12)
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(zoo, ["inverse_dynamics"], layout=layout, external_wrenches="world")
        tau = evaluate_program(program, FloatAlgebra(), inputs)["tau"]
        assert tau == pytest.approx(reference, rel=1e-12, abs=1e-12)


def test_symbolic_can_be_differentiated() -> None:
    robot = symdyn.load_example("pendulum")
    function = symdyn.symbolic(robot, "inverse_dynamics")
    q = casadi.SX.sym("q")
    slope = casadi.Function("slope", [q], [casadi.jacobian(function(q, 0.0, 0.0), q)])
    assert float(slope(0.3)) == pytest.approx(9.81 * 0.5 * math.cos(0.3))


def test_closed_form_of_a_pendulum_with_symbols() -> None:
    description = described(
        [Link("base"), point_mass("bob", 2.0, (0.0, 0.0, -0.5))],
        [joint("swing", JointKind.REVOLUTE, "base", "bob", axis=Y)],
    )
    robot = loaded(description, runtime=["bob.mass", "bob.com.z", "gravity.z"])
    form = symdyn.closed_form(robot, "inverse_dynamics")
    q, a = (sympy.Symbol(f"{letter}_swing", real=True) for letter in "qa")
    m, z, g = (sympy.Symbol(name, real=True) for name in ("bob.mass", "bob.com.z", "gravity.z"))
    assert form.shape == (1, 1)
    assert sympy.nsimplify(sympy.expand(form[0] - (m * z**2 * a + m * g * z * sympy.sin(q)))) == 0


def test_closed_form_of_a_double_pendulum_is_the_textbook() -> None:
    m1, m2, l1, l2 = sympy.Rational(3, 2), sympy.Rational(3, 4), sympy.Rational(1, 2), sympy.Rational(5, 4)
    links = [
        Link("base"),
        point_mass("one", float(m1), (0.0, 0.0, -float(l1))),
        point_mass("two", float(m2), (0.0, 0.0, -float(l2))),
    ]
    joints = [
        joint("one", JointKind.REVOLUTE, "base", "one", axis=Y),
        joint("two", JointKind.REVOLUTE, "one", "two", (0.0, 0.0, -float(l1)), axis=Y),
    ]
    robot = loaded(described(links, joints), gravity=(0.0, 0.0, -8.0))
    form = symdyn.closed_form(robot, "inverse_dynamics")
    rows = [f"{letter}_{name}" for letter in "qva" for name in ("one", "two")]
    q1, q2, v1, v2, a1, a2 = (sympy.Symbol(row, real=True) for row in rows)
    c, h = m2 * l1 * l2 * sympy.cos(q2), m2 * l1 * l2 * sympy.sin(q2)
    m12, weight2 = m2 * l2**2 + c, m2 * 8 * l2 * sympy.sin(q1 + q2)
    m11 = (m1 + m2) * l1**2 + m2 * l2**2 + 2 * c
    weight1 = (m1 + m2) * 8 * l1 * sympy.sin(q1) + weight2
    expected = sympy.Matrix(
        [
            m11 * a1 + m12 * a2 - h * (2 * v1 * v2 + v2**2) + weight1,
            m12 * a1 + m2 * l2**2 * a2 + h * v1**2 + weight2,
        ]
    )
    difference = sympy.nsimplify(form - expected)
    assert difference.applyfunc(lambda entry: sympy.simplify(sympy.expand_trig(entry))) == sympy.zeros(2, 1)


def test_closed_form_has_wrenches_by_name() -> None:
    form = symdyn.closed_form(
        loaded(single(JointKind.PRISMATIC, massive("body", 2.0))), "inverse_dynamics", external_wrenches="body"
    )
    fz = sympy.Symbol("f_ext_body,fz", real=True)
    assert sympy.diff(form[0], fz) == -1


def test_recursion_on_floats_is_flat_by_name() -> None:
    call = api.float_recursion(symdyn.load_example("pendulum"), "inverse_dynamics")
    assert call({"q": [0.0], "v": [1.0], "a": [3.0]}) == {"tau": [pytest.approx(1.0)]}


@pytest.mark.parametrize("kind", MOVING)
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_the_plain_recursion_agrees(kind: JointKind, convention: str) -> None:
    description = make_robot([0, 1, 1, 2], [kind, JointKind.REVOLUTE, kind, JointKind.PRISMATIC], 3, True, mimics=False)
    joints = tuple(replace(item, elastic=None, loads=()) for item in description.joints)
    robot = loaded(replace(description, joints=joints), convention=convention)
    rng = np.random.default_rng(8)
    q, v = robot.random_state(rng)
    a = rng.standard_normal(robot.nv)
    plain = plain_inverse_dynamics(robot.model, FloatAlgebra(), q.tolist(), v.tolist(), a.tolist())
    assert plain == pytest.approx(torque(robot, q, v, a), rel=1e-12, abs=1e-12)


def test_the_plain_recursion_tells_what_it_does_not_know() -> None:
    lossy = loaded(single(JointKind.REVOLUTE, losses=Losses(0.1)), joint_losses=True)
    runtime = loaded(single(JointKind.REVOLUTE), runtime=["body.mass"])
    joints = [
        joint("a", JointKind.REVOLUTE, "base", "one"),
        joint("j", JointKind.REVOLUTE, "base", "two", mimic=Mimic("a")),
    ]
    mimic = loaded(described([Link("base"), massive("one"), massive("two")], joints))
    elastic = loaded(single(JointKind.REVOLUTE, elastic=Elastic(1.0)))
    sprung = loaded(single(JointKind.REVOLUTE, loads=(Spring(1.0),)))
    for robot in (lossy, runtime, mimic, elastic, sprung):
        with pytest.raises(RequestError, match="joint 'j': the plain recursion knows no mimic joints, losses or"):
            plain_inverse_dynamics(robot.model, FloatAlgebra(), [0.1], [0.2], [0.3])
