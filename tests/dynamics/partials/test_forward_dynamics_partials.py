"""Partial derivatives of forward and hybrid dynamics against differences of the dynamics themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from support.agreement import inputs_of
from support.robots.kinds import R
from support.robots.random_trees import make_robot
from support.robots.table import TREES, with_inertials, with_velocity_scale
from support.rotation import in_turn
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

# Fourth-order differences with a step of 1e-3: truncation 1e-12 of the fifth derivative, which velocities of order one
# make some thousand times the value, and 1e-13 of rounding.
TOLERANCE = 1e-8
STEP = 1e-3


pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


SHAPES = {
    "branches": "branched",
    "floating": "floating pair",
    "spatial": "spatial fork",
    "followers": "turning followers",
}


@cache
def robot(name: str) -> Robot:
    tree = TREES[SHAPES[name]]
    return api.from_description(
        with_velocity_scale(with_inertials(tree.described()), 1.0), joint_losses=True, **tree.options
    )


def differences(loaded: Robot, function: str, options: RequestOptions, inputs: dict[str, list[float]], by: str):
    """Jacobian of the dynamics by one input."""
    call = api.float_recursion(loaded, function, **options)
    width = loaded.nv if by == "q" else len(inputs[by])

    def value(step: NDArray[np.float64]) -> NDArray[np.float64]:
        at = np.asarray(inputs[by], dtype=float)
        changed = loaded.integrate(at, step) if by == "q" else at + step
        (found,) = call({**inputs, by: [float(item) for item in changed]}).values()
        return np.asarray(found, dtype=float)

    columns = []
    for column in range(width):
        step = np.zeros(width)
        step[column] = STEP
        near, far = value(step) - value(-step), value(2 * step) - value(-2 * step)
        columns.append((8 * near - far) / (12 * STEP))
    return np.array(columns).T


@pytest.mark.parametrize(("name", "axes"), in_turn(list(SHAPES), [None, "body", "world"]))
def test_forward_dynamics(name: str, axes: str | None) -> None:
    _compare(robot(name), "forward_dynamics", {"external_wrenches": axes}, "a", "tau")


@pytest.mark.parametrize(("name", "every"), in_turn(list(SHAPES), [2, 3, 1]))
def test_hybrid_dynamics(name: str, every: int) -> None:
    loaded = robot(name)
    options: RequestOptions = {"prescribed": loaded.velocity_names[::every], "external_wrenches": "world"}
    _compare(loaded, "hybrid_dynamics", options, "w", "u")


def _compare(loaded: Robot, function: str, options: RequestOptions, found: str, given: str) -> None:
    partials = f"{function}_partials"
    ((entry, request),) = requests(loaded.model, [partials], **options)
    signature = entry.signature(loaded.model, request)
    inputs = random_inputs(loaded, signature, np.random.default_rng(4))
    outputs = api.float_recursion(loaded, partials, **options)(inputs)
    assert list(outputs) == [argument.name for argument in signature.outputs]
    for argument in signature.outputs:
        by = argument.name.removeprefix(f"d{found}_d")
        assert by in ("q", "v", given, "p")
        expected = differences(loaded, function, options, inputs, by)
        value = np.reshape(outputs[argument.name], argument.shape)
        assert np.linalg.norm(value - expected) <= TOLERANCE * max(1.0, np.linalg.norm(expected)), argument.name


def test_no_prescribed_row_is_forward_dynamics() -> None:
    loaded = robot("branches")
    inputs = inputs_of(loaded, "forward_dynamics_partials", seed=5)
    forward = api.float_recursion(loaded, "forward_dynamics_partials")(inputs)
    inputs["u"] = inputs.pop("tau")
    hybrid = api.float_recursion(loaded, "hybrid_dynamics_partials", prescribed=())(inputs)
    assert list(forward.values()) == list(hybrid.values())


def test_a_singular_mass_matrix_is_refused() -> None:
    made = make_robot([0, 1], [R, R], seed=1, drives=False, mimics=False)
    bare = replace(made, links=(*made.links[:2], replace(made.links[2], inertial=None)))
    loaded = api.from_description(bare)
    with pytest.raises(ModelError, match=made.joints[1].name):
        api.programs(loaded, ["forward_dynamics_partials"])


def test_long_sums_are_added_piece_by_piece() -> None:
    """A base that carries 45 bodies, by numpy's products; no kernel multiplies rows as long as the robot."""
    tree = symdyn.load_example("aerial_tree", branches=3, bodies_per_branch=15)
    rng = np.random.default_rng(11)
    q, v = (list(part) for part in tree.random_state(rng))
    tau = [float(value) for value in rng.standard_normal(tree.nv)]
    (program,) = api.programs(tree, ["forward_dynamics_partials"], layout="rolled")
    assert all(sum(port.width for port in tape.inputs) <= 100 for tape in program.tapes)
    found = evaluate_program(program, FloatAlgebra(), {"q": q, "v": v, "tau": tau})
    a = api.float_recursion(tree, "forward_dynamics")({"q": q, "v": v, "tau": tau})["a"]
    slopes = api.float_recursion(tree, "inverse_dynamics_partials")({"q": q, "v": v, "a": a})
    dq, dv, mass = (np.reshape(slopes[name], (tree.nv, tree.nv)) for name in ("dtau_dq", "dtau_dv", "dtau_da"))
    for name, expected in (
        ("da_dq", -np.linalg.solve(mass, dq)),
        ("da_dv", -np.linalg.solve(mass, dv)),
        ("da_dtau", np.linalg.inv(mass)),
    ):
        assert relative_error(found[name], expected.ravel()) <= 1e-8, name
