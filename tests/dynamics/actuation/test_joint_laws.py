"""Actuators of joints with gears and laws: every function that is given inputs, against the oracle and closed forms."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import programs_agree, truth_agrees
from support.robots.geared import GEARED, LENGTHENED, VARIED
from support.states import random_inputs

import symdyn
from symdyn import api
from symdyn.analysis.simulation.limits import effort_bounds
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError, ModelError, RequestError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@cache
def robot(locked: bool = False, coupled: bool = False, text: str = GEARED) -> Robot:
    options: dict[str, Any] = {"locked_joints": {"swing": 0.3, "yaw": -0.2}} if locked else {}
    text = text + COUPLED * coupled
    return api.from_description(parse_yaml(text.encode(), "geared.yaml"), joint_losses=True, **options)


COUPLED = "loops: {tie: {kind: coupling, terms: {yaw: 1, swing: -0.5}}}\n"
DRIVEN = [
    name
    for name, entry in CATALOGUE.items()
    if "inputs" in entry.takes and not name.startswith("contact_") and "hessian" not in name
]
QUICK = ("forward_dynamics", "statics_residual", "implicit_residual", "constrained_forward_dynamics")
CASES = [
    *(pytest.param(name, {"inputs": "actuators"}, marks=[] if name in QUICK else pytest.mark.slow) for name in DRIVEN),
    ("inverse_actuation", {}),
    ("actuation_matrix", {}),
]
FINDING = {"prescribed": ("yaw", "lift"), "unknown": ("servo", "bowden"), "inputs": "actuators"}
"""An input that is looked for acts on two rows, one of which is prescribed."""


def check(name: str, asked: dict[str, Any], own: Robot) -> None:
    assert truth_agrees(own, name, **asked)


@pytest.mark.parametrize(("name", "asked"), CASES)
def test_every_function_is_right(name: str, asked: dict[str, Any], text: str = GEARED) -> None:
    takes = CATALOGUE[name].takes
    if "prescribed" in CATALOGUE[name].demands:
        asked = asked | {"prescribed": ("yaw", "socket.wx")}
    check(name, asked | ({"order": 1} if "order" in takes else {}), robot(coupled="constrained" in name, text=text))


VARIED_QUICK = ("forward_dynamics", "forward_dynamics_partials", "hybrid_dynamics", "implicit_jacobian")
VARIED_CASES = [
    *(
        pytest.param(name, {"inputs": "actuators"}, marks=[] if name in VARIED_QUICK else pytest.mark.slow)
        for name in DRIVEN
    ),
    ("inverse_actuation", {}),
    ("actuation_matrix", {}),
]


@pytest.mark.parametrize(("name", "asked"), VARIED_CASES)
def test_gains_may_depend_on_lengths_and_rates(name: str, asked: dict[str, Any]) -> None:
    test_every_function_is_right(name, asked, VARIED)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forward_dynamics_weighted_hessian", "constrained_forward_dynamics_weighted_hessian"])
def test_second_derivatives_know_gains_by_lengths(name: str) -> None:
    check(name, {"inputs": "actuators"}, robot(coupled="constrained" in name, text=LENGTHENED))


@pytest.mark.parametrize("name", ["forward_dynamics_weighted_hessian", "constrained_forward_dynamics_weighted_hessian"])
def test_second_derivatives_by_rates_and_inputs_are_refused(name: str) -> None:
    own = robot(coupled="constrained" in name, text=VARIED)
    with pytest.raises(ModelError, match=f"{name} .* has no derivatives by v, then u, and those of input 'servo'"):
        api.float_recursion(own, name, inputs="actuators")


PENDULUM = """
name: pendulum
links: {base: , rod: {mass: 1, com: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.1, zz: 0.01}}}
joints: {pin: {type: revolute, parent: base, child: rod, axis: [0, 1, 0]}}
actuators: [{name: servo, joints: {pin: 1}, gain: [1, 0.5, 0]}]
"""


def test_higher_orders_in_the_world_frame_refuse_gains_that_vary() -> None:
    asked: dict[str, Any] = {"inputs": "actuators", "formulation": "spatial", "order": 1}
    own = symdyn.loads(PENDULUM, "yaml")
    with pytest.raises(RequestError, match=r"that of input 'servo' .* depends on its length or rate"):
        api.float_recursion(own, "forward_dynamics_time_derivatives", **asked)
    servo = symdyn.loads(PENDULUM.replace("gain: [1, 0.5, 0]", "bias: [0, -1, 0]"), "yaml")
    with pytest.raises(ModelError, match="actuators of robot 'pendulum' act without input"):
        api.float_recursion(servo, "forward_dynamics_time_derivatives", **asked)


@pytest.mark.parametrize("text", [GEARED, VARIED], ids=["geared", "varied"])
@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_programs_agree_with_the_recursion(layout: str, text: str) -> None:
    programs_agree(robot(text=text), "forward_dynamics", (layout,), inputs="actuators")


SLOW = [pytest.param(f"hybrid_dynamics_{kind}", marks=pytest.mark.slow) for kind in ("partials", "time_derivatives")]


@pytest.mark.parametrize("text", [GEARED, VARIED], ids=["geared", "varied"])
@pytest.mark.parametrize("name", ["hybrid_dynamics", *SLOW])
def test_inputs_are_found(name: str, text: str) -> None:
    check(name, FINDING | ({"order": 2} if "order" in CATALOGUE[name].takes else {}), robot(text=text))


@pytest.mark.parametrize("text", [GEARED, VARIED], ids=["geared", "varied"])
@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_actuation", "actuation_matrix"])
def test_lengths_of_locked_joints_stay(name: str, text: str) -> None:
    own = robot(locked=True, text=text)
    assert [item.name for item in own.model.actuator_inputs] == ["bowden", "motor", "rod", "spin"]
    check(name, {"inputs": "actuators"} if "inputs" in CATALOGUE[name].takes else {}, own)


def test_forces_are_all_that_acts() -> None:
    """M a + h(q, v) = tau has no law of any actuator, and tau = B u + b(q, v) where inputs are given."""
    own = robot()
    ((_, request),) = requests(own.model, ["forward_dynamics"], inputs="actuators")
    signature = CATALOGUE["forward_dynamics"].signature(own.model, request)
    state = random_inputs(own, signature, np.random.default_rng(4))
    q, v, u = (np.array(state[name]) for name in ("q", "v", "u"))
    rows = {name: row for row, name in enumerate(own.velocity_names)}
    bare = api.from_description(parse_yaml(GEARED.partition("actuators:")[0].encode(), "bare.yaml"), joint_losses=True)
    tau = np.zeros(own.nv)
    laws = {
        "servo": ({"yaw": 2.0}, 40, (0.5, -40, -3)),
        "bowden": ({"lift": 0.7, "swing": -1.2}, 5, (0.1, -6, -0.4)),
        "motor": ({_motor(own): 3.0}, 1, (0, 0, -0.2)),
        "rod": ({"lift": 1.5 * 0.3, "swing": 1.5 * -0.2}, 2, (0 - 8 * 1.5 * 0.05, -8, -0.3)),
        "spin": ({"socket.wx": 0.3, "socket.wy": -0.5, "socket.wz": 0.8}, 1, (0.2, 0, -0.6)),
    }
    inputs = dict(zip([item.name for item in own.model.actuator_inputs], u, strict=True))
    tau[rows["swing"]] += inputs["swing"]
    for name, (factors, gain, (b0, b1, b2)) in laws.items():
        at = [rows[row] for row in factors]
        J = np.array(list(factors.values()))
        length = J @ q[at] if b1 else 0.0
        tau[at] += J * (gain * inputs[name] + b0 + b1 * length + b2 * (J @ v[at]))
    given = {"q": state["q"], "v": state["v"], "tau": tau.tolist()}
    (expected,) = api.float_recursion(bare, "forward_dynamics")(given).values()
    (found,) = api.float_recursion(own, "forward_dynamics", inputs="actuators")(state).values()
    assert np.abs(np.subtract(found, expected)).max() < 1e-10 * np.abs(expected).max()
    (plain,) = api.float_recursion(own, "forward_dynamics")(given).values()
    assert plain == expected


def _motor(own: Robot) -> str:
    return next(name for name in own.velocity_names if name.startswith("twist") and name != "twist")


def test_efforts_of_joints_bound_inputs_of_their_motors() -> None:
    start = GEARED.partition("actuators:")[0].replace("losses: {damping: 0.3}", "limits: {effort: 12}")
    law = "{name: a, joints: {yaw: 2}, "
    laws = law + "gain: 3}", law + "bias: [0, -1, 0]}", law + "gain: [3, 1, 0]}"
    for said, bound in zip(laws, (2.0, np.inf, np.inf), strict=True):
        own = symdyn.loads(f"{start}actuators: [{said}, lift]\n", "yaml")
        assert effort_bounds(own, "actuators", {}).tolist() == [bound, np.inf]
    both = symdyn.loads(f"{start}actuators: [{laws[0]}, yaw]\n", "yaml")
    assert effort_bounds(both, "actuators", {})[0] == np.inf


@pytest.mark.parametrize("text", [GEARED, VARIED], ids=["geared", "varied"])
def test_the_text_is_the_same_robot(text: str) -> None:
    said = parse_yaml(text.encode(), "geared.yaml")
    again = parse_yaml(write_yaml(said).encode(), "geared.yaml")
    assert again.actuation == said.actuation
    assert api.from_description(again, joint_losses=True).model == robot(text=text).model


REFUSED = {
    "joints: {elbow: 2}}": "joint 'elbow' is unknown",
    "joints: {yaw: [1, 2, 3]}}": "joint 'yaw' is revolute; expected 1 factor, got 3",
    "joints: {socket: 2}}": "joint 'socket' is spherical; expected 3 factors, got 1",
    "joints: {socket: [1, 0, 0]}, bias: [0, 1, 0]}": "depends on its length, which a spherical joint does not have",
    "joints: {socket: [1, 0, 0]}, gain: [1, 1, 0]}": "does not have; leave out the second number of gain",
    "joints: {yaw: 1}, gain: [1, 2]}": "gain",
    "joints: {}}": "joints is an empty mapping; expected at least one entry",
    "joints: {yaw: 1}, gain: L}": "L",
    "rest: yaw, joints: {yaw: 1}}": "expected 'rest' with a soft link's strain, or 'name' and 'joints'",
    "gain: 2}": "expected 'rest' with a soft link's strain, or 'name' and 'joints'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(DescriptionError) as failure:
        symdyn.loads(GEARED.partition("actuators:")[0] + f"actuators:\n  - {{name: own, {text}\n", "yaml")
    assert REFUSED[text] in str(failure.value)


def test_an_actuator_needs_a_name_of_its_own() -> None:
    start = GEARED.partition("actuators:")[0]
    with pytest.raises(DescriptionError, match="an actuator of joints has a name"):
        symdyn.loads(start + "actuators: [{joints: {yaw: 1}}]\n", "yaml")
    twice = "actuators: [{name: own, joints: {yaw: 1}}, {name: own, joints: {lift: 1}}]\n"
    with pytest.raises(DescriptionError, match="'own'"):
        symdyn.loads(start + twice, "yaml")


def test_absent_actuators_are_told_where_inputs_are_asked_for() -> None:
    text = GEARED.partition("actuators:")[0] + "actuators: [yaw]\nabsent_actuators: [\"'m' is a muscle\"]\n"
    own = symdyn.loads(text, "yaml")
    assert symdyn.loads(own.to_yaml(), "yaml").description.actuation == own.description.actuation
    with pytest.raises(ModelError, match="has some that symdyn does not have: 'm' is a muscle; change them"):
        api.float_recursion(own, "forward_dynamics", inputs="actuators")
    with pytest.raises(ModelError, match="'m' is a muscle"):
        api.float_recursion(own, "inverse_actuation")
