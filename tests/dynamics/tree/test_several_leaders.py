"""Joints that follow several others, against the same robot without them: q_full = G q + g, tau = G^T tau_full.

Nothing of the map is shared with what is tested: the whole robot moves by coordinates of its own, and G is built here.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.kinds import H, P, R, S
from support.robots.small import X, Y, described, joint, massive
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Actuator, Joint, Losses, Mimic, Spring
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

LIMIT = 1e-12
"""Some thousand roundings; solutions with M have its condition number, some hundred here."""
LOSSY = {"losses": Losses(0.2, 0.1, 0.05), "actuator": Actuator(armature=0.3)}


def joints() -> list[Joint]:
    """Followers of three leaders and of two, in, before and behind them; rows of leaders lie apart."""
    return [
        joint("a", R, "base", "l1", (0.1, 0.0, 0.2), Y, **LOSSY),
        joint("ball", S, "l1", "l2", (0.1, 0.3, 0.2)),
        joint("b", P, "l2", "l3", (0.1, 0.0, 0.2), X, **LOSSY),
        joint(
            "c",
            R,
            "l3",
            "l4",
            (0.1, 0.4, 0.2),
            Y,
            mimic=Mimic("a", -0.7, 0.3, (("d", 1.2), ("b", 0.6))),
            loads=(Spring(20.0, 0.1),),
            **LOSSY,
        ),
        joint("d", R, "l4", "l5", (0.1, 0.0, 0.3), X, **LOSSY),
        joint(
            "e",
            H,
            "base",
            "l6",
            (0.1, 0.0, 0.3),
            X,
            pitch=0.2,
            mimic=Mimic("d", -0.7, 0.3, (("b", 0.5),)),
            loads=(Spring(10.0, 0.0),),
            **LOSSY,
        ),
        joint("f", R, "l6", "l7", (0.1, 0.0, 0.3), Y, **LOSSY),
    ]


@dataclass(frozen=True)
class Pair:
    """A robot, the same without followers, and the map between them, with a state."""

    led: Robot
    full: Robot
    G: Array
    q: Array
    full_q: Array
    V: Array
    """v, v', .. of the first, (5, nv)."""

    def of(self, name: str, **options: Any) -> tuple[dict[str, Array], dict[str, Array]]:
        """What both give at the state."""
        states = [
            {"q": q, "v": V[0], "a": V[1], "V": V} for q, V in ((self.q, self.V), (self.full_q, self.V @ self.G.T))
        ]
        pairs = zip((self.led, self.full), states, strict=True)
        led, full = (evaluated(robot, name, state, **options) for robot, state in pairs)
        return led, full


def evaluated(robot: Robot, name: str, state: dict[str, Array], **options: Any) -> dict[str, Array]:
    """The outputs of a function by the float recursion, in their shapes."""
    ((entry, request),) = requests(robot.model, [name], **options)
    signature = entry.signature(robot.model, request)
    inputs = {item.name: np.ravel(state[item.name])[: item.size].tolist() for item in signature.inputs}
    found = api.float_recursion(robot, name, **options)(inputs)
    return {item.name: np.reshape(found[item.name], item.shape) for item in signature.outputs}


@cache
def pair(bare: bool = False) -> Pair:
    own = joints()
    if bare:
        own = [replace(item, losses=Losses(), actuator=None, loads=()) for item in own]
    rng = random.Random(1)
    moments = (0.2, 0.01, 0.02, 0.3, 0.01, 0.25)
    names = ("base", *(f"l{place}" for place in range(1, 8)))
    links = [massive(name, rng.uniform(1.0, 2.0), (0.1, 0.05, -0.1 * rng.random()), moments) for name in names]
    free = [replace(item, mimic=None) for item in own]
    led, full = (symdyn.from_description(described(links, item), joint_losses=not bare) for item in (own, free))
    mimics = {item.name: item.mimic for item in own if item.mimic is not None}

    def mapped(rows: tuple[str, ...], from_rows: tuple[str, ...]) -> Array:
        found = np.zeros((len(rows), len(from_rows)))
        for place, row in enumerate(rows):
            for leader, gain in mimics[row].terms if row in mimics else ((row, 1.0),):
                found[place, from_rows.index(leader)] = gain
        return found

    draws = np.random.default_rng(0)
    q, _ = led.random_state(draws)
    offsets = [mimics[row].offset if row in mimics else 0.0 for row in full.coordinate_names]
    full_q = mapped(full.coordinate_names, led.coordinate_names) @ q + offsets
    V = draws.uniform(-1.0, 1.0, (5, led.nv))
    return Pair(led, full, mapped(full.velocity_names, led.velocity_names), q, full_q, V)


def forces(full: Array, G: Array) -> Array:
    """Of one force per row, first or last."""
    return full @ G if full.ndim == 1 or full.shape[-1] == len(G) else G.T @ full


def blocks(full: Array, G: Array) -> Array:
    """Of matrices between rows."""
    return G.T @ full @ G


def columns(full: Array, G: Array) -> Array:
    """Of matrices with a column per row."""
    return full @ G


def same(full: Array, G: Array) -> Array:
    """Of what does not know of rows."""
    return full


MAPPED: list[tuple[str, Callable[[Array, Array], Array], dict[str, Any]]] = [
    ("inverse_dynamics", forces, {}),
    ("gravity", forces, {}),
    ("bias", forces, {}),
    ("inverse_dynamics_regressor", lambda full, G: G.T @ full, {}),
    ("mass_matrix", blocks, {}),
    ("coriolis_matrix", blocks, {}),
    ("coriolis_matrix", blocks, {"factorization": "lemma1"}),
    ("inverse_dynamics_partials", blocks, {}),
    ("jacobians", columns, {}),
    ("jacobians_time_derivative", columns, {}),
    ("centroidal_momentum_matrix", columns, {}),
    ("inverse_dynamics_time_derivatives", columns, {"order": 2}),
    *(
        (name, same, {})
        for name in ("forward_kinematics", "center_of_mass", "center_of_mass_velocity", "centroidal_momentum")
    ),
    *((name, same, {}) for name in ("kinetic_energy", "potential_energy")),
    ("forward_kinematics_time_derivatives", same, {"order": 2}),
]


@pytest.mark.parametrize(("name", "map_", "options"), MAPPED, ids=lambda item: item if isinstance(item, str) else "")
def test_functions_of_the_whole_robot_project(name: str, map_: Callable[..., Array], options: dict[str, Any]) -> None:
    robots = pair()
    led, full = robots.of(name, **options)
    assert led
    for output, found in led.items():
        expected = map_(full[output], robots.G)
        assert found.shape == expected.shape
        assert relative_error(found.ravel(), expected.ravel()) <= LIMIT, output


def test_the_world_frame_projects() -> None:
    robots = pair(bare=True)
    led, _ = robots.of("inverse_dynamics_time_derivatives", order=2, formulation="spatial")
    _, full = robots.of("inverse_dynamics_time_derivatives", order=2)
    assert relative_error(led["tau"].ravel(), (full["tau"] @ robots.G).ravel()) <= LIMIT


def test_forward_and_hybrid_dynamics_give_back_what_inverse_dynamics_takes() -> None:
    robots, prescribed = pair(), ("b", "f")
    state = {"q": robots.q, "v": robots.V[0], "a": robots.V[1], "V": robots.V}
    given = [name in prescribed for name in robots.led.velocity_names]
    T = evaluated(robots.led, "inverse_dynamics_time_derivatives", state, order=2)["tau"]
    A = robots.V[1:4]
    state |= {"tau": T[0], "T": T, "u": np.where(given, A[0], T[0]), "U": np.where(given, A, T)}
    for name, expected, options in (
        ("forward_dynamics", A[0], {}),
        ("forward_dynamics_time_derivatives", A, {"order": 2}),
        ("hybrid_dynamics", np.where(given, T[0], A[0]), {"prescribed": prescribed}),
        ("hybrid_dynamics_time_derivatives", np.where(given, T, A), {"prescribed": prescribed, "order": 2}),
    ):
        (found,) = evaluated(robots.led, name, state, **options).values()
        assert relative_error(found.ravel(), expected.ravel()) <= LIMIT, name
    inverse = evaluated(robots.led, "mass_matrix_inverse", state)["M_inverse"]
    mass = evaluated(robots.led, "mass_matrix", state)["M"]
    np.testing.assert_allclose(inverse @ mass, np.eye(robots.led.nv), atol=LIMIT)
    slopes = evaluated(robots.led, "forward_dynamics_partials", state)
    partials = evaluated(robots.led, "inverse_dynamics_partials", state)
    for by in ("dq", "dv"):
        expected = -inverse @ partials[f"dtau_{by}"]
        assert relative_error(slopes[f"da_{by}"].ravel(), expected.ravel()) <= LIMIT, by


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_partials"])
def test_layouts_agree(layout: Any, name: str) -> None:
    robots = pair()
    state = {"q": robots.q, "v": robots.V[0], "a": robots.V[1], "tau": robots.V[2]}
    (program,) = api.programs(robots.led, [name], layout=layout)
    inputs = {item.name: state[item.name].tolist() for item in program.signature.inputs}
    found = evaluate_program(program, FloatAlgebra(), inputs)
    for output, expected in evaluated(robots.led, name, state).items():
        assert relative_error(found[output], expected.ravel()) <= LIMIT, output


@pytest.mark.needs_cc
def test_compiled_loops_agree() -> None:
    robots = pair()
    compiled = symdyn.compile(robots.led, ["inverse_dynamics"], layout="rolled")
    (tau,) = evaluated(robots.led, "inverse_dynamics", {"q": robots.q, "v": robots.V[0], "a": robots.V[1]}).values()
    assert relative_error(compiled.inverse_dynamics(robots.q, robots.V[0], robots.V[1]), tau) <= LIMIT


def test_the_spatial_formulation_refuses_to_solve() -> None:
    with pytest.raises(ModelError, match=r"joint 'c' of robot .* follows 'a' and 'd' and 'b'"):
        api.programs(pair(bare=True).led, ["forward_dynamics_time_derivatives"], order=1, formulation="spatial")
