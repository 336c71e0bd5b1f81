"""Modulus, losses and density of rods at run time: as if they were baked, as the truth has them, and their partials."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.agreement import asked, flat, inputs_of, modules_agree, programs_agree, truth_agrees
from support.parts import OF_EVERY_ROBOT, OF_SOFT_LINKS
from support.soft_calls import MADE
from support.states import relative_error

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

ASKED = {
    "arm": {"youngs_modulus": 4.1e5, "viscosity": 333.0, "density": 777.0},
    "finger": {"density": 1500.0, "retardation_time": 0.02, "youngs_modulus": 1.7e5},
    "thumb": {"viscosity": 12.5, "density": 999.5},
}
"""Quantities of each rod, none of them as the file has it; the thumb has no losses there."""
QUICK = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "center_of_mass", "elastic_forces", "potential_energy")
FUNCTIONS = [
    pytest.param(which, name, marks=() if which == "arm" and name in QUICK else pytest.mark.slow)
    for which, names in (("arm", (*OF_EVERY_ROBOT, *OF_SOFT_LINKS)), ("tree", ("forward_dynamics", "coriolis_matrix")))
    for name in names
]
ALL = tuple(f"{link}.material.{key}" for link, keys in ASKED.items() for key in keys)

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def names_of(description: RobotDescription) -> tuple[str, ...]:
    soft = {link.name for link in description.links if link.soft}
    return tuple(name for name in ALL if name.split(".")[0] in soft)


def changed(description: RobotDescription) -> RobotDescription:
    """The robot whose file has the numbers of ASKED."""
    links = []
    for link in description.links:
        material = None if link.soft is None else replace(link.soft.material, **ASKED[link.name])
        soft = None if link.soft is None or material is None else replace(link.soft, material=material)
        links.append(replace(link, soft=soft))
    return replace(description, links=tuple(links))


@cache
def pair(which: str) -> tuple[Robot, Robot, list[float]]:
    """A robot with run-time parameters, the one with their values in its file, and the values."""
    plain = MADE[which]()
    names = names_of(plain)
    values = [float(ASKED[link][key]) for link, _, key in (name.split(".") for name in names)]
    open_ = api.from_description(plain, runtime=names, joint_losses=True)
    return open_, api.from_description(changed(plain), joint_losses=True), values


@pytest.mark.parametrize(("which", "function"), FUNCTIONS)
def test_values_given_at_run_time_are_as_good_as_baked(which: str, function: str) -> None:
    open_, baked, values = pair(which)
    inputs = inputs_of(baked, function, **asked(baked, function))
    expected = api.float_recursion(baked, function, **asked(baked, function))(inputs)
    found = api.float_recursion(open_, function, **asked(open_, function))({**inputs, "p": values})
    for name, value in expected.items():
        assert relative_error(found[name], value) <= 1e-11, name
        assert not np.allclose(inputs["q" if "q" in inputs else "y"], 0.0)


@pytest.mark.parametrize("function", ["inverse_dynamics", pytest.param("forward_dynamics", marks=pytest.mark.slow)])
@pytest.mark.parametrize("which", ["arm", pytest.param("tree", marks=pytest.mark.slow)])
def test_partials_by_matter_are_slopes(which: str, function: str) -> None:
    robot, _, values = pair(which)
    inputs = inputs_of(robot, function, **asked(robot, function)) | {"p": values}
    slopes = api.float_recursion(robot, f"{function}_partials")(inputs)
    name = "dtau_dp" if function == "inverse_dynamics" else "da_dp"
    found = np.reshape(slopes[name], (robot.nv, len(values)))
    value = api.float_recursion(robot, function)
    for column, number in enumerate(values):
        # tau is linear in each of them, accelerations nearly so
        step = number * (0.5 if function == "inverse_dynamics" else 1e-5)
        ends = []
        for sign in (1.0, -1.0):
            moved = list(values)
            moved[column] += sign * step
            ends.append(flat(value({**inputs, "p": moved})))
        expected = (ends[0] - ends[1]) / (2.0 * step)
        assert np.max(np.abs(expected)) > 0.0
        scale = max(float(np.max(np.abs(expected))), 1e-9 * float(np.max(np.abs(ends[0]))) / number)
        assert np.max(np.abs(found[:, column] - expected)) <= 1e-6 * scale, robot.runtime_parameters[column]


@pytest.mark.parametrize(
    ("which", "function"),
    [
        ("arm", "inverse_dynamics"),
        *(
            pytest.param(which, name, marks=pytest.mark.slow)
            for which, name in (
                ("tree", "potential_energy"),
                ("arm", "inverse_dynamics_partials"),
                ("floating", "centroidal_momentum"),
            )
        ),
    ],
)
def test_the_truth_agrees(which: str, function: str) -> None:
    robot, _, values = pair(which)
    assert truth_agrees(robot, function, nominal=dict(zip(robot.runtime_parameters, values, strict=True)))


def test_loads_and_matter_of_two_models_have_steps_of_their_own() -> None:
    # forward dynamics sees the robot with stations and without them, where bodies have other numbers
    robot, _, _ = pair("tree")
    ((entry, request),) = requests(robot.model, ["forward_dynamics"])
    sweeps = entry.plan(robot.model, request).sweeps
    names = [sweep.step.name for sweep in sweeps if "matter" in sweep.step.name and sweep.visits]
    assert sorted(names) == ["bind_matter", "bind_matter_of_tips"]


def test_every_layout_agrees_with_the_recursion() -> None:
    robot, _, values = pair("floating")
    inputs = inputs_of(robot, "inverse_dynamics") | {"p": values}
    programs_agree(robot, "inverse_dynamics", ("split", "rolled"), inputs, tolerance=1e-12)


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.parametrize(("which", "layout"), [("arm", "unrolled"), ("tree", "rolled")])
def test_every_target_and_layout(which: str, layout: str) -> None:
    robot, _, values = pair(which)
    functions = ["forward_dynamics", *(["center_of_mass"] if which == "arm" else [])]
    given = {function: inputs_of(robot, function) | {"p": values} for function in functions}
    for function, inputs in given.items():
        programs_agree(robot, function, (layout,), inputs, tolerance=1e-9)
    modules_agree(robot, functions, layout, given, tolerance=1e-9)


@pytest.mark.parametrize(
    ("which", "runtime", "words"),
    [
        ("arm", ["arm.material.retardation_time"], "viscosity and retardation_time both give its losses"),
        ("tree", ["thumb.material.viscosity", "thumb.material.retardation_time"], "both give its losses"),
        ("arm", ["arm.material.poisson_ratio"], "'arm.material.poisson_ratio' is not a quantity of robot 'arm'"),
    ],
)
def test_what_cannot_be_given_is_refused(which: str, runtime: list[str], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        api.from_description(MADE[which](), runtime=runtime)
