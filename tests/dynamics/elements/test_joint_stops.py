"""Stops at the limits of joints: closed forms, the oracle, every function and layout, and what is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import betainc
from support.agreement import asked, inputs_of, modules_agree, programs_agree, truth_agrees
from support.parts import OF_EVERY_ROBOT

import symdyn
from symdyn import api
from symdyn.description.loads import Stop
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import DescriptionError, ModelError
from symdyn.functions.catalogue import requests
from symdyn.functions.request import Request
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
Array = NDArray[np.float64]
REQUEST = Request()

ARM = """
name: stopped
links:
  base: {}
  a: {mass: 1.0, com: [0.3, 0, 0.1], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  b: {mass: 0.5, com: [0.2, 0.1, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  c: {mass: 0.4, com: [0.1, 0, 0], inertia: {xx: 0.02, yy: 0.02, zz: 0.03}}
  d: {mass: 0.3, com: [0.1, 0, 0.2], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
joints:
  turn: {type: revolute, parent: base, child: a, axis: [0, 1, 0], limits: {lower: -1.0, upper: 0.5}, STOPS: TURN}
  slide: {type: prismatic, parent: a, child: b, axis: [1, 0, 0], limits: {upper: 0.3}, STOPS: SLIDE}
  follow: {type: revolute, parent: b, child: c, axis: [0, 0, 1], translation: [0.3, 0, 0], mimic: {joint: turn,
    multiplier: -1.5, offset: 0.2}, limits: {lower: -0.6}, STOPS: FOLLOW}
  soft: {type: revolute, parent: c, child: d, axis: [0, 1, 1], limits: {lower: -0.2, upper: 0.1}, STOPS: SOFT,
    elastic: {stiffness: 50.0, damping: 0.5, rotor_inertia: 0.01, gear_ratio: 3.0}}
"""
STOPS = {
    "TURN": (300.0, 20.0, 0.5),
    "SLIDE": (900.0, 0.0, 0.4),
    "FOLLOW": (100.0, 7.0, 0.8),
    "SOFT": (200.0, 3.0, 0.6),
}
BOUNDS = {"TURN": (-1.0, 0.5), "SLIDE": (-np.inf, 0.3), "FOLLOW": (-0.6, np.inf), "SOFT": (-0.2, 0.1)}
GAINS = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [-1.5, 0, 0, 0], [0, 0, 1.0, 0]])
OFFSETS = np.array([0.0, 0.0, 0.2, 0.0])
NUMBERS = ("stiffness", "damping", "width")
LEAVES = tuple(f"{name}.stops.{part}" for name in ("turn", "soft") for part in NUMBERS)


def text(stops: bool = True) -> str:
    found = ARM
    for name, numbers in STOPS.items():
        said = f"stops: {{stiffness: {numbers[0]}, damping: {numbers[1]}, width: {numbers[2]}}}"
        found = found.replace(f", STOPS: {name}", f", {said}" if stops else "")
    return found


@cache
def arm(stops: bool = True, runtime: tuple[str, ...] = ()) -> Robot:
    return robot_of(parse_yaml(text(stops).encode(), "stopped.yaml"), runtime=runtime)


def called(robot: Robot, function: str, asked: Any = None, **inputs: Any) -> dict[str, Array]:
    given = {name: [float(x) for x in np.ravel(value)] for name, value in inputs.items()}
    return {name: np.array(x) for name, x in api.float_recursion(robot, function, **(asked or {}))(given).items()}


def pressed(x: float, width: float) -> tuple[float, float, float]:
    """How far a stop is engaged, by the incomplete beta function; its integral, and that of the integral."""
    share, past = min(max(x / width, 0.0), 1.0), max(x - width, 0.0)
    way = width * quad(lambda u: betainc(5, 5, u), 0.0, share, epsabs=1e-14)[0]
    work = width**2 * quad(lambda u: (share - u) * betainc(5, 5, u), 0.0, share, epsabs=1e-14)[0]
    return float(betainc(5, 5, share)), way + past, work + past * (way + 0.5 * past)


def stop_forces(q: Array, v: Array) -> tuple[Array, Array, float]:
    """Forces of springs and of dampers of all stops in the rows of v, and their energy."""
    own, rates = GAINS @ q + OFFSETS, GAINS @ v
    spring, damper, energy = np.zeros(4), np.zeros(4), 0.0
    for row, (name, (K, D, width)) in enumerate(STOPS.items()):
        for sign, x in ((1.0, own[row] - BOUNDS[name][1]), (-1.0, BOUNDS[name][0] - own[row])):
            engaged, way, work = pressed(x, width)
            spring += GAINS[row] * sign * K * way
            damper += GAINS[row] * D * engaged * rates[row]
            energy += K * work
    return spring, damper, energy


def states(count: int, seed: int = 1) -> list[tuple[Array, Array, Array]]:
    """Within limits, over the width, and beyond it."""
    rng = np.random.default_rng(seed)
    drawn = [(rng.uniform(-1.5, 1.5, 4), 2.0 * rng.standard_normal(4), rng.standard_normal(4)) for _ in range(count)]
    assert arm().velocity_names == ("turn", "slide", "soft", "soft.motor")
    return drawn


@pytest.mark.parametrize("function", ["inverse_dynamics", "bias", "elastic_forces", "damping_forces"])
def test_forces_are_those_of_the_equation(function: str) -> None:
    for q, v, a in states(6):
        spring, damper, _ = stop_forces(q, v)
        wanted = {"elastic_forces": spring, "damping_forces": damper}.get(function, spring + damper)
        given = {"q": q, "v": v, "a": a}
        names = [own.name for own in requests(arm().model, [function])[0][0].signature(arm().model, REQUEST).inputs]
        found, bare = (called(own, function, **{x: given[x] for x in names})["tau"] for own in (arm(), arm(False)))
        assert found - bare == pytest.approx(wanted, rel=1e-11, abs=1e-11 * abs(found).max())


def test_energy_is_that_of_the_springs() -> None:
    for q, v, _ in states(6, 2):
        found, bare = (called(own, "potential_energy", q=q)["energy"] for own in (arm(), arm(False)))
        assert found - bare == pytest.approx(stop_forces(q, v)[2], rel=1e-11)


def test_nothing_acts_within_the_limits() -> None:
    """Exactly nothing, up to the limits themselves, in slopes too."""
    limits = arm().limits
    for q in (arm().neutral(), np.array([0.5, 0.3, 0.1, 5.0]), np.array([-0.2, -9.0, -0.2, -5.0])):
        inside = (limits.lower <= q) & (q <= limits.upper)
        assert inside.all() and GAINS[2] @ q + 0.2 >= -0.6
        for function in ("inverse_dynamics", "potential_energy", "inverse_dynamics_partials"):
            given = {"q": q, "v": np.ones(4), "a": np.ones(4)}
            given = {"q": q} if function == "potential_energy" else given
            found, bare = (called(own, function, **given) for own in (arm(), arm(False)))
            for name, value in found.items():
                assert np.array_equal(value, bare[name]), (function, name)


def test_partials_are_slopes_of_the_forces() -> None:
    """Central differences of the closed form, of sixth order: 1e-18 / 1e-13 as steps of 1e-3 have it."""
    weights, step = {1: 45.0, 2: -9.0, 3: 1.0}, 1e-3
    for q, v, a in states(4, 3):
        found, bare = (called(own, "inverse_dynamics_partials", q=q, v=v, a=a) for own in (arm(), arm(False)))
        for name, by_q in (("dtau_dq", 1.0), ("dtau_dv", 0.0)):
            columns = []
            for unit in np.eye(4):
                ends = [
                    w * side * sum(stop_forces(q + by_q * s * unit, v + (1.0 - by_q) * s * unit)[:2])
                    for k, w in weights.items()
                    for side, s in ((1.0, k * step), (-1.0, -k * step))
                ]
                columns.append(sum(ends) / (60.0 * step))
            added = (found[name] - bare[name]).reshape(4, 4)
            assert added == pytest.approx(np.array(columns).T, abs=1e-5 * abs(added).max())


def test_four_derivatives_exist_at_both_ends_of_the_width() -> None:
    """Slopes of the limit and of the width's end from both sides, of the polynomial itself."""
    rise = np.polynomial.Polynomial([0.5, *(x for k in (315, -420, 378, -180, 35) for x in (k / 256.0, 0.0))][:10])
    assert [rise(-1.0), rise(1.0)] == [0.0, 1.0]
    for order in range(1, 5):
        assert [rise.deriv(order)(-1.0), rise.deriv(order)(1.0)] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert abs(rise.deriv(5)(1.0)) > 1.0


QUICK = ("forward_dynamics", "inverse_dynamics_partials", "potential_energy", "inverse_dynamics_adjoint")
BY_ORACLE = sorted(set(OF_EVERY_ROBOT) - {"implicit_jacobian", "state_jacobian"})


@pytest.mark.parametrize(
    "name", [own if own in QUICK else pytest.param(own, marks=pytest.mark.slow) for own in BY_ORACLE]
)
def test_every_function_agrees_with_the_oracle(name: str) -> None:
    robot = arm(runtime=LEAVES) if "regressor" not in name else arm()
    options = asked(robot, name, 2)
    inputs = inputs_of(robot, name, **options)
    if "q" in inputs:
        inputs["q"] = np.random.default_rng(5).uniform(-1.2, 1.2, len(inputs["q"])).tolist()
    assert truth_agrees(robot, name, inputs, **options)


@pytest.mark.parametrize("layout", ["split", "rolled"])
@pytest.mark.parametrize(
    "function", [own if own in QUICK else pytest.param(own, marks=pytest.mark.slow) for own in sorted(OF_EVERY_ROBOT)]
)
def test_every_function_agrees_in_every_layout(function: str, layout: str) -> None:
    robot = arm(runtime=LEAVES)
    options = asked(robot, function)
    inputs = inputs_of(robot, function, **options)
    if "q" in inputs:
        inputs["q"] = [2.0 * x for x in inputs["q"]]
    programs_agree(robot, function, (layout,), inputs, **options)


@pytest.mark.needs_cc
def test_compiled_and_python_code_agree_with_the_recursion() -> None:
    robot = arm(runtime=LEAVES)
    functions = ["inverse_dynamics", "forward_dynamics", "potential_energy", "inverse_dynamics_partials"]
    given = {function: inputs_of(robot, function) for function in functions}
    for inputs in given.values():
        inputs["q"] = [2.0 * x for x in inputs["q"]]
    modules_agree(robot, functions, "rolled", given)


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_orders_beyond_the_kinks_are_refused(function: str) -> None:
    """Dampers allow four derivatives, springs five."""
    name = f"{function}_time_derivatives"
    requests(arm().model, [name], order=4)
    with pytest.raises(ModelError, match=r"stop 'turn' of 'stopped' has 4 time derivatives where it begins, and 5 are"):
        api.cost(arm(), [name], order=5)
    bare = text().replace("damping: 20.0", "damping: 0").replace("damping: 7.0", "damping: 0")
    undamped = robot_of(parse_yaml(bare.replace("damping: 3.0", "damping: 0").encode(), "undamped.yaml"))
    assert api.cost(undamped, [name], order=5)[name]["total"] > 0
    with pytest.raises(
        ModelError, match=r"has 5 time derivatives where it begins, and 6 are .*; load the robot without"
    ):
        api.cost(undamped, [name], order=6)


def test_files_say_it_again() -> None:
    written = arm().to_yaml()
    assert "stops: {stiffness: 300.0, damping: 20.0, width: 0.5}" in written
    again = parse_yaml(written.encode(), "again.yaml")
    assert [joint.loads for joint in again.joints] == [joint.loads for joint in arm().description.joints]
    short = parse_yaml(text(False).replace("upper: 0.3}", "upper: 0.3}, stops: {stiffness: 5}").encode(), "s.yaml")
    assert next(joint.loads for joint in short.joints if joint.name == "slide") == (Stop(5.0, 0.0, 0.01),)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "limits: {upper: 0.3}, ",
            "",
            r"joint 'slide' has stops and no limits to put them at; give limits lower, upper",
        ),
        ("limits: {upper: 0.3}", "limits: {velocity: 1.0}", r"joint 'slide' has stops and no limits"),
        ("{lower: -1.0, upper: 0.5}", "{lower: 1.0, upper: 0.5}", r"lower limit 1 lies above its upper limit 0.5"),
        ("stiffness: 900.0", "stiffness: -1", r"joint 'slide': stops stiffness is -1; it is at least 0"),
        ("damping: 20.0", "damping: -1", r"joint 'turn': stops damping is -1; it is at least 0"),
        ("width: 0.4", "width: 0", r"joint 'slide': stops width is 0; it is above 0"),
        ("stiffness: 900.0, ", "", r"stiffness"),
        ("width: 0.4", "depth: 0.4", r"depth"),
        ("type: prismatic", "type: spherical", r"means nothing on a spherical joint"),
    ],
)
def test_what_is_refused(old: str, new: str, words: str) -> None:
    assert old in text()
    with pytest.raises(DescriptionError, match=words):
        parse_yaml(text().replace(old, new, 1).encode(), "bad.yaml")


def test_stops_of_a_loaded_robot() -> None:
    robot = api.from_description(arm(False).description).with_stops(["turn", "slide"], {"turn": 7.0, "slide": 9.0}, 0.5)
    assert {joint.name: joint.loads for joint in robot.description.joints if joint.loads} == {
        "turn": (Stop(7.0, 0.5, 0.01),),
        "slide": (Stop(9.0, 0.5, 0.01),),
    }
    assert next(j for j in robot.with_stops("turn", 1.0, width=2.0).description.joints if j.name == "turn").loads == (
        Stop(1.0, 0.0, 2.0),
    )


def test_stops_that_are_asked_for_on_loading() -> None:
    """Their numbers follow from inertia and effort."""
    said = text(False).replace("{upper: 0.3}", "{upper: 0.3, effort: 80.0}")
    said = said.replace("{lower: -0.2, upper: 0.1}", "{lower: -0.2, upper: 0.1}, stops: {stiffness: 5}")
    robot = symdyn.loads(said, "yaml", joint_stops=True)
    found = {joint.name: joint.loads for joint in robot.description.joints}
    assert found["soft"] == (Stop(5.0, 0.0, 0.01),)
    (turn,), (slide,), (follow,) = (found[name] for name in ("turn", "slide", "follow"))
    assert isinstance(turn, Stop) and isinstance(slide, Stop) and isinstance(follow, Stop)
    assert (turn.width, slide.width, follow.width) == (0.015, 0.01, 0.01)
    mass = called(arm(False), "mass_matrix", q=arm().neutral())["M"].reshape(4, 4)
    assert isinstance(turn.stiffness, float) and isinstance(follow.stiffness, float)
    assert 0.9 < turn.stiffness / (mass[0, 0] * (np.pi / 0.02) ** 2) < 3.0
    assert follow.stiffness == pytest.approx(turn.stiffness / 1.5**2, rel=5e-3)  # rounded to three digits
    assert slide.stiffness == max(8000.0, float(f"{mass[1, 1] * (np.pi / 0.02) ** 2:.3g}"))
    again = symdyn.loads(robot.to_yaml(), "yaml")
    assert [joint.loads for joint in again.description.joints] == [joint.loads for joint in robot.description.joints]
    locked = symdyn.loads(said, "yaml", joint_stops=True, locked_joints={"turn": 0.1})
    assert [bool(joint.loads) for joint in locked.description.joints] == [False, True, False, True]


def test_stops_of_joints_without_inertia_are_refused() -> None:
    said = """
name: still
links: {base: {}, a: {}}
joints:
  turn: {type: revolute, parent: base, child: a, axis: [0, 1, 0], limits: {upper: 0.5}}
"""
    with pytest.raises(ModelError, match=r"joint_stops: joint 'turn' moves no inertia and has no limit of effort"):
        symdyn.loads(said, "yaml", joint_stops=True)
    unknown = said.replace("a: {}", "a: {mass: m, com: [1, 0, 0]}").replace(
        "links:", "parameters: {m: {runtime: true}}\nlinks:"
    )
    with pytest.raises(ModelError, match=r"rests on a run-time parameter without a value"):
        symdyn.loads(unknown, "yaml", joint_stops=True)


@pytest.mark.slow
def test_a_folder_verifies(tmp_path: Path) -> None:
    """With the balance of energy and the chain rule, beyond limits and within them; not where stops just rise."""
    functions = ["inverse_dynamics", "inverse_dynamics_partials", "kinetic_energy", "potential_energy"]
    place = symdyn.generate(
        arm(), [*functions, "state_derivative", "state_jacobian"], out=tmp_path / "out", target="python"
    )
    report = api.verify(place, states=6)
    assert report.passed
    checked = {own.identity for own in report.identities}
    assert {
        "(T + U)' = tau . v - losses",
        "tau' = dtau_dq v + dtau_dv a + dtau_da a'",
        "y'' = state_jacobian y'",
    } <= checked
