"""Origins moved along joint axes: offsets vanish, forces stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.bind import INERTIA, TRANSLATION, BodyConstants, baked_body
from symdyn.model.joint_origins import slid
from symdyn.model.joints import HELICAL, PRISMATIC, REVOLUTE
from symdyn.model.joints.cylindrical import CYLINDRICAL
from symdyn.model.model import Model
from symdyn.plan.run import run_plan


def constants(model: Model) -> list[BodyConstants | None]:
    return [baked_body(model, body) for body in model.bodies]


def offsets(bodies: list[BodyConstants | None]) -> list[list[float]]:
    return [[body.values[name] for name in TRANSLATION] for body in bodies if body is not None]


def shoulder_elbow_wrist() -> RobotDescription:
    """Three parallel axes, each link beside the last one, as in many arms; then one across."""
    joints = [
        joint("lift", JointKind.REVOLUTE, "base", "upper", (0.0, 0.1, 0.0), axis=Y),
        joint("bend", JointKind.REVOLUTE, "upper", "lower", (0.0, -0.12, 0.4), axis=Y),
        joint("tilt", JointKind.REVOLUTE, "lower", "hand", (0.0, 0.09, 0.3), axis=Y),
        joint("roll", JointKind.REVOLUTE, "hand", "tool", (0.0, 0.0, 0.05)),
    ]
    return described([Link("base"), *(massive(name) for name in ("upper", "lower", "hand", "tool"))], joints)


def test_sideways_steps_of_parallel_axes_vanish() -> None:
    model = loaded(shoulder_elbow_wrist()).model
    before, after = offsets(constants(model)), offsets(slid(model, constants(model))[0])
    assert [sum(entry != 0.0 for entry in row) for row in before[1:]] == [2, 2, 1]
    # What is left of the steps sideways stands at the last axis, which lies across.
    assert [sum(entry != 0.0 for entry in row) for row in after[1:]] == [1, 1, 1]


@settings(max_examples=20)
@given(robots(max_joints=8))
def test_offsets_never_gain_entries_and_moves_are_along_the_axis(description: RobotDescription) -> None:
    model = loaded(description).model
    given_ = constants(model)
    moved, shifts = slid(model, given_)
    for body, before, after, shift in zip(model.bodies, given_, moved, shifts, strict=True):
        assert before is not None and after is not None
        assert shift == 0.0 or body.joint.kind in (REVOLUTE, PRISMATIC, HELICAL, CYLINDRICAL)
        assert after.values["m"] == before.values["m"]
        assert after.values["hz"] == pytest.approx(
            before.values["hz"] - shift * before.values["m"], rel=1e-12, abs=1e-12
        )
        # h x and h y do not change by a shift along z; neither does any moment about it.
        for name in ("hx", "hy", "Sxx", "Sxy", "Syy"):
            assert after.values[name] == pytest.approx(before.values[name], rel=1e-12, abs=1e-15)
    entries = [sum(entry != 0.0 for row in offsets(found)[1:] for entry in row) for found in (given_, moved)]
    assert entries[1] <= entries[0] + sum(body.parent < 0 for body in model.bodies)


def test_bodies_on_run_time_parameters_stay() -> None:
    model = loaded(shoulder_elbow_wrist(), runtime=["hand.mass"]).model
    given_ = constants(model)
    moved, shifts = slid(model, given_)
    assert moved[2] is None and shifts[1:3] == [0.0, 0.0]
    before, after = given_[1], moved[1]  # the body that carries it
    assert before is not None and after is not None
    assert {name: after.values[name] for name in INERTIA} == {name: before.values[name] for name in INERTIA}


def test_an_axis_nearly_across_an_offset_asks_for_no_long_shift() -> None:
    """The file's 1.5707963 for a right angle leaves an axis 2.7e-8 off: a shift by 1e7 m would clear an offset."""
    joints = [
        joint("lift", JointKind.REVOLUTE, "base", "upper"),
        joint("bend", JointKind.REVOLUTE, "upper", "lower", (0.3, 0.0, 0.0), axis=(2.7e-8, 0.0, 1.0)),
        joint("tilt", JointKind.REVOLUTE, "lower", "hand", (0.2, 0.0, 0.0), axis=X),
    ]
    model = loaded(described([Link("base"), *(massive(name) for name in ("upper", "lower", "hand"))], joints)).model
    _, shifts = slid(model, constants(model))
    assert max(map(abs, shifts)) <= 0.5 + 1e-12


def test_a_frame_does_not_move_for_nothing_under_wrenches() -> None:
    """Of two ways to clear the same entries, one leaves the frame on which f_ext acts."""
    model = loaded(shoulder_elbow_wrist()).model
    free, loaded_ = (slid(model, constants(model), applied)[1] for applied in (False, True))
    assert sum(shift != 0.0 for shift in loaded_) <= sum(shift != 0.0 for shift in free)
    assert any(loaded_)


def at_rest(
    model: Model, bodies: list[BodyConstants | None], _: bool
) -> tuple[list[BodyConstants | None], list[float]]:
    """In place of ``slid``: no frame moves."""
    return list(bodies), [0.0] * len(model.bodies)


HIDING = (
    "inverse_dynamics",
    "gravity",
    "bias",
    "mass_matrix",
    "coriolis_matrix",
    "kinetic_energy",
    "inverse_dynamics_partials",
)
"""Functions with nothing to invert, so that rounding is all that may differ."""
OF_MASS = ("centroidal_momentum", "centroidal_momentum_matrix")
"""Of the same kind, but without a meaning where nothing that moves has mass."""


@settings(max_examples=20)
@given(
    robots(max_joints=8),
    st.sampled_from(("pinocchio", "spatial")),
    st.sampled_from(("", "body", "world")),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_functions_that_hide_frames_give_the_same(
    description: RobotDescription, convention: str, external: str, runtime: bool, seed: int
) -> None:
    names = [f"{link.name}.mass" for link in description.links if link.inertial is not None][1:3]
    robot = loaded(description, convention=convention, runtime=names if runtime else [])
    model = robot.model
    rng = np.random.default_rng(seed)
    weighs = any(placed.inertial.mass for body in model.bodies for placed in body.inertials)
    for entry in (CATALOGUE[name] for name in (*HIDING, *(OF_MASS if weighs else ()))):
        requests = [Request(external if "external_wrenches" in entry.takes else "")]
        if "factorization" in entry.takes:
            requests.append(Request(factorization="lemma1"))
        for request in requests:
            inputs = random_inputs(robot, entry.signature(model, request), rng)
            moved = run_plan(entry.plan(model, request), FloatAlgebra(), inputs)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("symdyn.model.hidden_bodies.slid", at_rest)
                plain = run_plan(entry.plan(model, request), FloatAlgebra(), inputs)
            assert list(moved) == list(plain)
            for name, values in moved.items():
                assert relative_error(values, plain[name]) <= 1e-12, (entry.name, name)


@pytest.mark.parametrize("external", ["", "body", "world"])
@pytest.mark.parametrize("prescribed", [(), (1,)])
def test_solutions_are_the_same_wherever_frames_stand(external: str, prescribed: tuple[int, ...]) -> None:
    arm = shoulder_elbow_wrist()
    robot = loaded(described([massive("base"), *arm.links[1:]], arm.joints), floating_base=True)
    rng = np.random.default_rng(7)
    names = ["forward_dynamics", "forward_dynamics_partials", "mass_matrix_inverse"]
    for name in ["hybrid_dynamics", "hybrid_dynamics_partials"] if prescribed else names:
        entry = CATALOGUE[name]
        request = Request(external if "external_wrenches" in entry.takes else "", prescribed)
        inputs = random_inputs(robot, entry.signature(robot.model, request), rng)
        moved = run_plan(entry.plan(robot.model, request), FloatAlgebra(), inputs)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("symdyn.model.hidden_bodies.slid", at_rest)
            plain = run_plan(entry.plan(robot.model, request), FloatAlgebra(), inputs)
        for output, values in moved.items():
            assert relative_error(values, plain[output]) <= 1e-11, (name, output)


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize("external", ["body", "world"])
def test_wrenches_on_moved_frames_in_every_layout(layout: str, external: str) -> None:
    robot = loaded(shoulder_elbow_wrist())
    for name in ("inverse_dynamics", "inverse_dynamics_partials"):
        (program,) = api.programs(robot, [name], layout=layout, external_wrenches=external)
        inputs = random_inputs(robot, program.signature, np.random.default_rng(11))
        expected = api.float_recursion(robot, name, external_wrenches=external)(inputs)
        for output, values in evaluate_program(program, FloatAlgebra(), inputs).items():
            assert relative_error(values, expected[output]) <= 1e-13, (name, output)


def test_moved_frames_are_told() -> None:
    robot = loaded(shoulder_elbow_wrist())
    said = "12 inertial parameters are counted with the parent body; 3 frames move along joint axes"
    for name in ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_partials", "kinetic_energy"):
        assert CATALOGUE[name].signature(robot.model, Request()).options["regrouping"] == said
    lemma = CATALOGUE["coriolis_matrix"].signature(robot.model, Request(factorization="lemma1"))
    assert lemma.options["regrouping"] == "3 frames move along joint axes"
    for name in ("jacobians", "joint_wrenches", "potential_energy"):
        assert CATALOGUE[name].signature(robot.model, Request()).options["regrouping"] == "none"


def test_the_constant_of_a_wrench_is_read_only_where_the_frame_moved() -> None:
    model = loaded(shoulder_elbow_wrist()).model
    tree, shifts = TreePlan(model, "body"), slid(model, constants(model), True)[1]
    assert [tree.variant(index).shifted for index in tree.links] == [shift != 0.0 for shift in shifts]
    assert [tree.constants(index, ("shift",))["shift"] for index in tree.links] == shifts
    assert not any(TreePlan(model).variant(index).shifted for index in tree.links)


@settings(max_examples=20)
@given(robots(max_joints=8), st.integers(0, 2**32 - 1))
def test_the_mass_matrix_stays(description: RobotDescription, seed: int) -> None:
    robot = loaded(description)
    q, _ = robot.random_state(np.random.default_rng(seed))
    still = [0.0] * robot.nv
    tau = api.float_recursion(robot, "inverse_dynamics")
    M = np.array(api.float_recursion(robot, "mass_matrix")({"q": q.tolist()})["M"]).reshape(robot.nv, robot.nv)
    a = np.random.default_rng(seed).standard_normal(robot.nv)
    started, held = (np.array(tau({"q": q.tolist(), "v": still, "a": rates})["tau"]) for rates in (a.tolist(), still))
    assert M @ a == pytest.approx(started - held, rel=1e-10, abs=1e-10 * max(1.0, float(np.abs(held).max())))


def test_the_tree_regroups_after_moving() -> None:
    model = loaded(shoulder_elbow_wrist()).model
    tree = TreePlan(model)
    for index in tree.links:
        assert tree.constants(index, ("m", "hz", "Szz")) == {"m": 0.0, "hz": 0.0, "Szz": 0.0}
