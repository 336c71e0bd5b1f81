"""Rates of states, residuals and their Jacobians: against the functions they are composed of, and differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.looped_checks import against_oracle
from support.robots.driven import SMALL
from support.robots.looped import five_bar, four_bar, standing
from support.robots.table import TREES
from support.solver_checks import Posed

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.errors import RequestError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.model.joints import FREE, FREE_SPATIAL, PLANAR, SPHERICAL
from symdyn.robot.robot import Robot

pytestmark = [
    pytest.mark.optimised,
    pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"),
]
NAMES = ("state_derivative", "state_jacobian", "implicit_residual", "implicit_jacobian")


def tree(name: str) -> Robot:
    """A random tree of the tests."""
    own = TREES[name]
    return api.from_description(own.described(), **own.options)


def driven() -> Robot:
    """A four-bar with two motors, losses and a mass that is given at run time."""
    described = four_bar()
    motors = replace(described.actuation, actuators=("input", "output"))
    return api.from_description(replace(described, actuation=motors), joint_losses=True, runtime=["coupler.mass"])


ROBOTS: dict[str, Callable[[], Robot]] = {
    "thrown": lambda: tree("verified thrown"),
    "spatial tree": lambda: tree("verified tree"),
    "chain": lambda: tree("verified chain"),
    "spatial fork": lambda: tree("verified fork"),
    "four-bar": lambda: api.from_description(four_bar()),
    "five-bar": lambda: api.from_description(five_bar()),
    "standing": lambda: api.from_description(standing()),
    "driven four-bar": driven,
    "pulled": lambda: api.loads(SMALL, "yaml"),
    **{name: lambda name=name: symdyn.load_example(name) for name in ("cable_manipulator", "mixed_arm")},  # type: ignore[misc]
}


@cache
def robot(name: str) -> Robot:
    """By name."""
    return ROBOTS[name]()


def slow(*case: Any) -> Any:
    return pytest.param(*case, marks=pytest.mark.slow)


STATES = [
    ("spatial tree", {"external_wrenches": "body"}),
    ("four-bar", {"stabilisation": 0.3}),
    slow("thrown", {"external_wrenches": "world"}),
    slow("thrown", {"prescribed": 2}),
    slow("chain", {}),
    slow("spatial fork", {"prescribed": 1}),
    slow("five-bar", {"prescribed": 4}),
    slow("standing", {"switched": ["left_foot"]}),
    slow("standing", {"stabilisation": 0.5, "external_wrenches": "body"}),
    slow("driven four-bar", {"inputs": "actuators", "stabilisation": 0.4}),
    slow("driven four-bar", {"inputs": "actuators", "prescribed": 3}),
    slow("mixed_arm", {}),
]
"""Robots with options; with ``prescribed``, each so many rows of v, from the first on."""
MOTIONS = [
    ("spatial tree", {"external_wrenches": "body"}),
    ("four-bar", {}),
    slow("thrown", {"external_wrenches": "world"}),
    slow("chain", {}),
    slow("spatial fork", {}),
    slow("standing", {"switched": ["right_foot"]}),
    slow("driven four-bar", {"inputs": "actuators"}),
    slow("mixed_arm", {}),
    slow("cable_manipulator", {"inputs": "actuators"}),
]


@pytest.mark.parametrize(("name", "options"), STATES)
def test_states(name: str, options: dict[str, Any]) -> None:
    own = robot(name)
    if "prescribed" in options:
        options = {**options, "prescribed": list(own.velocity_names[:: options["prescribed"]])}
    posed = Posed(own, **options)
    posed.check_rate()
    posed.check_jacobian()


@pytest.mark.slow
def test_states_of_tendons() -> None:
    """A stiff rod with tendons and chambers: differences over steps of 1e-3 lose more digits."""
    posed = Posed(robot("pulled"), inputs="actuators")
    posed.check_rate()
    posed.check_jacobian(1e-7)


@pytest.mark.parametrize(("name", "options"), MOTIONS)
def test_motions(name: str, options: dict[str, Any]) -> None:
    posed = Posed(robot(name), **options)
    posed.check_residual()
    posed.check_matrix()


@pytest.mark.parametrize("kind", [FREE, FREE_SPATIAL, PLANAR, SPHERICAL], ids=lambda kind: kind.value)
def test_rates_of_joints_are_derivatives_of_their_moves(kind: Any) -> None:
    rng = np.random.default_rng(5)
    q = rng.standard_normal(len(kind.coordinates.q))
    if kind.quaternion:
        q[-4:] /= np.linalg.norm(q[-4:])
    v = rng.standard_normal(len(kind.coordinates.v))
    h = 1e-5
    wanted = (kind.integrate(q, h * v) - kind.integrate(q, -h * v)) / (2.0 * h)
    assert kind.speeds(FloatAlgebra(), list(q), list(v)) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_agrees_where_loops_may_be_open(name: str) -> None:
    own = api.from_description(five_bar())
    loop = own.model.loops[0].constraint.name
    against_oracle(own, name, switched=[loop], **({"stabilisation": 0.5} if name.startswith("state") else {}))


def test_arguments() -> None:
    own = robot("four-bar")
    found = {name: requests(own.model, [name])[0] for name in NAMES}
    told = {name: entry.signature(own.model, request) for name, (entry, request) in found.items()}
    assert [item.name for item in told["state_derivative"].inputs] == ["y", "tau"]
    assert [item.name for item in told["implicit_jacobian"].inputs] == ["q", "v", "a", "tau", "lambda", "c"]
    nq, nv, m = own.nq, own.nv, len(own.model.loop_row_names)
    assert [item.shape for item in told["state_jacobian"].outputs] == [(nq + nv, nq + nv), (nq + nv, nv)]
    assert told["implicit_jacobian"].outputs[0].shape == (nv + m, nv + m)
    assert told["state_derivative"].outputs[0].element_names[nq] == f"rate of {own.velocity_names[0]}"
    ((entry, request),) = requests(own.model, ["state_derivative"], prescribed=[own.velocity_names[0]])
    assert entry.recorded(entry.signature(own.model, request).options) == {"prescribed": (own.velocity_names[0],)}


def test_what_is_of_loops_is_refused_without_them() -> None:
    own = robot("spatial tree")
    entry = CATALOGUE["state_derivative"]
    ((_, request),) = requests(own.model, [entry.name], stabilisation=0.1)
    with pytest.raises(RequestError, match="'state_derivative' with stabilisation needs closed loops, and robot"):
        entry.signature(own.model, request)
    with pytest.raises(RequestError, match="switched loop 'gate' is unknown"):
        requests(own.model, ["implicit_residual"], switched=["gate"])
    with pytest.raises(RequestError, match="function 'hybrid_dynamics' needs prescribed="):
        requests(own.model, ["state_derivative", "hybrid_dynamics"])
