"""Impacts: loops that close in no time, against the equations, energies, differences and the oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.looped_checks import random_robot, verified
from support.robots.looped import Y, bar, five_bar, four_bar, standing
from support.robots.quadruped import quadruped
from support.soft_calls import call

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Loop, LoopKind
from symdyn.description.robot import Actuator, Elastic, Joint, JointKind, Link, RobotDescription, Spring
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
STEP = 1e-3
"""Of sixth-order differences."""
Made = Callable[[], RobotDescription]


def driven() -> RobotDescription:
    """A five-bar with a gear, a rotor, a spring and an elastic joint; of these the rotors and the gear tell."""
    described = five_bar()
    rotor = Actuator(rotor_inertia=1e-5, gear_ratio=30.0)
    more = [{"actuator": rotor, "loads": (Spring(9.0, 0.2),)}, {}, {"elastic": Elastic(50.0, 0.1, rotor)}, {}]
    joints = tuple(replace(joint, **own) for joint, own in zip(described.joints, more, strict=True))
    acting = (*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2))
    return replace(described, joints=joints, acting=acting)


def struck(own: Robot) -> dict[str, np.ndarray]:
    """A state, and how much each loop gives back."""
    rng = np.random.default_rng(3)
    q, v = own.random_state(rng)
    return {"q": q, "v": v, "restitution": rng.uniform(0.0, 1.0, len(own.model.loops))}


def after(own: Robot, given: dict[str, np.ndarray], function: str = "impulse_dynamics") -> list[np.ndarray]:
    """What an impact does, with restitution where it is given."""
    options = {"restitution": "input"} if "restitution" in given else {}
    ((entry, request),) = requests(own.model, [function], **options)
    outputs = entry.signature(own.model, request).outputs
    found = api.float_recursion(own, function, **options)({name: list(map(float, x)) for name, x in given.items()})
    return [np.reshape(found[each.name], each.shape) for each in outputs]


def per_row(own: Robot, shares: np.ndarray) -> np.ndarray:
    return np.repeat(shares, [len(loop.rows) for loop in own.model.loops])


@pytest.mark.parametrize("made", [four_bar, driven, pytest.param(quadruped, marks=pytest.mark.slow)])
def test_equations_hold(made: Made) -> None:
    """M (v+ - v) = A^T Lambda and A v+ = -e A v; energy is lost by the impulses' work at the mean velocity."""
    own = api.from_description(made())
    given = struck(own)
    q, v = given["q"], given["v"]
    found, impulses = after(own, given)
    M, A = call(own, "mass_matrix", q=q)[0], call(own, "constraint_jacobian", q=q)[0]
    size = abs(M @ v).max() + abs(A.T @ impulses).max()
    assert M @ (found - v) == pytest.approx(A.T @ impulses, abs=1e-12 * size)
    assert A @ found == pytest.approx(-per_row(own, given["restitution"]) * (A @ v), abs=1e-12 * abs(A @ v).max())
    lost = 0.5 * impulses @ (A @ (v + found))
    energies = [call(own, "kinetic_energy", q=q, v=each)[0].item() for each in (found, v)]
    assert energies[0] - energies[1] == pytest.approx(lost, abs=1e-12 * energies[1])


def test_velocities_that_keep_loops_closed_stay() -> None:
    own = api.from_description(standing())
    q, v = own.random_state(np.random.default_rng(1))
    once, _ = after(own, {"q": q, "v": v})
    again, impulses = after(own, {"q": q, "v": once})
    assert again == pytest.approx(once, abs=1e-12 * abs(once).max()) and impulses == pytest.approx(0.0, abs=1e-12)
    energies = [call(own, "kinetic_energy", q=q, v=each)[0].item() for each in (once, v - once, v)]
    assert energies[0] + energies[1] == pytest.approx(energies[2], rel=1e-12)  # the metric of M: Carnot's theorem


def test_momentum_of_what_no_loop_ties_to_the_ground_is_kept() -> None:
    """Two free bodies are hooked together: they go on as one, with the momentum of both."""
    links = (bar("first", 0.4, 2.0), bar("second", 0.3, 3.0))
    joint = Joint("between", JointKind.FLOATING, "first", "second")
    hook = Loop("hook", (Site("first"), Site("second", point=(0.1, 0.0, 0.0))), LoopKind.FIXED, (Y, Y), close=True)
    described = RobotDescription("pair", links, (joint,), acting=(hook,), floating_base=True)
    own = api.from_description(described)
    q = own.neutral()
    v = np.random.default_rng(2).standard_normal(own.nv)
    found, _ = after(own, {"q": q, "v": v})
    before, later = (call(own, "centroidal_momentum", q=q, v=each)[0] for each in (v, found))
    assert later == pytest.approx(before, abs=1e-13 * abs(before).max())
    assert call(own, "constraint_jacobian", q=q)[0] @ found == pytest.approx(0.0, abs=1e-13)


def test_a_rod_that_catches_a_peg() -> None:
    """A bar of length l that turns freely at w and is caught at its other end: by hand, w+ from both moments."""
    links = (Link("ground"), bar("rod", 1.0, 3.0))
    joint = Joint("slide", JointKind.PLANAR, "ground", "rod", axis=(0.0, 0.0, 1.0))
    peg = Loop("peg", (Site("rod"), Site()), LoopKind.SPHERICAL, close=True)
    own = api.from_description(RobotDescription("rod", links, (joint,), acting=(peg,)))
    v = np.array([0.4, -1.5, 2.0])  # of its end at the origin, and w
    (speeds, impulses), turning = after(own, {"q": np.zeros(3), "v": v}), 3.0 / 12.0
    # about the peg: m c x (v_c) + I w = (I + m / 4) w+, with v_c = v + w x c
    wanted = (3.0 * 0.5 * (v[1] + 0.5 * v[2]) + turning * v[2]) / (turning + 3.0 / 4.0)
    assert speeds == pytest.approx([0.0, 0.0, wanted], abs=1e-14)
    assert impulses == pytest.approx([-3.0 * v[0], 3.0 * (0.5 * wanted - v[1] - 0.5 * v[2])], abs=1e-14)


def differences(value: Callable[[np.ndarray], np.ndarray], count: int) -> np.ndarray:
    """The Jacobian of a function of moves, at none."""
    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    columns = [
        sum(w * (value(k * STEP * move) - value(-k * STEP * move)) for k, w in weights.items()) / (60.0 * STEP)
        for move in np.eye(count)
    ]
    return np.array(columns).T


@pytest.mark.parametrize("made", [four_bar, pytest.param(driven, marks=pytest.mark.slow)])
def test_partials_are_differences(made: Made) -> None:
    own = api.from_description(made())
    given = struck(own)
    found = after(own, given, "impulse_dynamics_partials")

    def moved(**changed: np.ndarray) -> np.ndarray:
        return np.concatenate(after(own, given | changed))

    by_q = differences(lambda move: moved(q=own.integrate(given["q"], move)), own.nv)
    by_v = differences(lambda move: moved(v=given["v"] + move), own.nv)
    assert np.vstack(found[::2]) == pytest.approx(by_q, abs=1e-9 * abs(by_q).max())
    assert np.vstack(found[1::2]) == pytest.approx(by_v, abs=1e-9 * abs(by_v).max())


@pytest.mark.slow
def test_partials_by_parameters_are_differences() -> None:
    runtime = ["coupler.mass", "elbow.translation.x", "gravity.z"]
    own = api.from_description(four_bar(), runtime=runtime)
    given = struck(own) | {"p": np.array([1.5, 0.2, -9.8])}
    found = after(own, given, "impulse_dynamics_partials")
    wanted = differences(lambda move: np.concatenate(after(own, given | {"p": given["p"] + move})), 3)
    assert np.vstack([found[2], found[5]]) == pytest.approx(wanted, abs=1e-9 * abs(wanted).max())
    assert not found[2][:, 2].any()  # weight does nothing in no time


def test_the_oracle_agrees() -> None:
    options = {"restitution": "input", "switched": ["pin"]}
    verified(api.from_description(four_bar()), ("impulse_dynamics",), 1, **options)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_the_oracle_agrees_on_random_trees(seed: int) -> None:
    own = random_robot(seed)
    assert own is not None
    functions = ("impulse_dynamics", *(["impulse_dynamics_partials"] if seed == 3 else []))
    verified(own, functions, 1, restitution="input", switched=[loop.constraint.name for loop in own.model.loops])


@pytest.mark.parametrize("layout", [pytest.param("unrolled", marks=pytest.mark.slow), "split", "rolled"])
def test_evaluated_code_agrees(layout: str) -> None:
    agree("impulse_dynamics", four_bar, layout, compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "layout"),
    [
        ("impulse_dynamics", "unrolled"),
        ("impulse_dynamics_partials", "split"),
        ("impulse_dynamics", "rolled"),
        ("impulse_dynamics_partials", "rolled"),
    ],
)
def test_compiled_code_agrees(function: str, layout: str) -> None:
    agree(function, driven, layout)


def agree(function: str, made: Made, layout: str, compiled: bool = True) -> None:
    """Programs, and C and Python modules, against the recursion."""
    own, options = api.from_description(made()), {"restitution": "input", "layout": layout}
    given = struck(own)
    wanted = after(own, given, function)
    (program,) = api.programs(own, [function], **options)
    ((entry, request),) = requests(own.model, [function], restitution="input")
    signature = entry.signature(own.model, request)
    evaluated = evaluate_program(program, FloatAlgebra(), {key: list(map(float, x)) for key, x in given.items()})
    found = [[np.reshape(evaluated[each.name], each.shape) for each in signature.outputs]]
    for target in ("c", "python") if compiled else ():
        module = symdyn.compile(own, [function], target=target, **options)
        found.append(getattr(module, function)(*(given[each.name] for each in signature.inputs)))
    for outputs in found:
        for value, expected in zip(outputs, wanted, strict=True):
            assert value == pytest.approx(expected, abs=1e-12 * abs(expected).max(initial=1.0))
