"""Generated C on a 64-bit ARM equals the Program evaluator: random trees, every layout and length of vectors."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.robots.kinds import MOVING
from support.robots.limbed import with_limbs
from support.robots.random_trees import inertial, make_robot
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import lane_loops
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.robot.robot import Robot

# Some hundreds of units of roundoff (2^-53, 2^-24) relative to the norm: ten times less than tests/equivalence allows,
# as these trees are smaller. They lose up to some twenty.
TOLERANCE = {"float64": 1e-13, "float32": 2e-5}
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
RATES = ("inverse_dynamics_time_derivatives",)
SEEDS = {"unrolled": (1, 2), "split": (8, 9, 14), "rolled": (6, 12)}  # together every kind of joint
LIMBS = {  # two joints each, for vectors that they fill and that they do not fill
    "split-lanes": {3: (JointKind.REVOLUTE, JointKind.SPHERICAL), 5: (JointKind.REVOLUTE, JointKind.PRISMATIC)},
    "rolled-lanes": {2: (JointKind.UNIVERSAL, JointKind.REVOLUTE), 5: (JointKind.REVOLUTE, JointKind.PLANAR)},
}
STATES = 19
CHECKED = (0, 7, 15, STATES - 1)
LENGTHS = (0, 64)  # bytes, beside the 16 of NEON: one lane, and a whole block

pytestmark = [pytest.mark.cross, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]


def _tree(seed: int) -> Robot:
    """Two to four joints of any kind."""
    rng = random.Random(seed)
    count = rng.randint(2, 4)
    parents = [rng.randint(max(0, index - 3), index) for index in range(count)]
    kinds = [rng.choice((*MOVING, JointKind.REVOLUTE, JointKind.REVOLUTE)) for _ in range(count)]
    return _complete(make_robot(parents, kinds, seed, floating=seed % 3 == 0), f"tree{seed}", rng)


def _limbed(limbs: int, kinds: Sequence[JointKind]) -> Robot:
    """Limbs on a floating base, on a neck, or on the ground."""
    description = with_limbs([0, 1], list(kinds), limbs, seed=limbs, floating=limbs == 2, neck=limbs == 3)
    return _complete(description, f"limbs{limbs}", random.Random(limbs))


def _complete(description: RobotDescription, name: str, rng: random.Random) -> Robot:
    """Links with inertials and smooth friction, so that every function has a value."""
    links = []
    for link in description.links:
        found = link.inertial
        while found is None:
            found = inertial(rng)
        links.append(replace(link, inertial=found))
    joints = tuple(replace(joint, losses=replace(joint.losses, velocity_scale=0.05)) for joint in description.joints)
    description = replace(description, name=name, links=tuple(links), joints=joints)
    return api.from_description(description, joint_losses=True)


def _renamed(robot: Robot, name: str) -> Robot:
    return api.from_description(replace(robot.description, name=name), joint_losses=True)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("layout", [*SEEDS, *LIMBS])
def test_random_trees(generated: Callable[..., Any], emulated: Callable[..., Any], layout: str, dtype: str) -> None:
    modules, robots = [], []
    limbed = [_limbed(limbs, kinds) for limbs, kinds in LIMBS.get(layout, {}).items()]
    order = 1 if limbed else 2
    for robot in limbed or map(_tree, SEEDS[layout]):
        rates = _renamed(robot, f"{robot.name}_rates")
        modules.append(generated(robot.name, robot, FUNCTIONS, layout=layout, dtype=dtype))
        modules.append(generated(rates.name, rates, RATES, layout=layout, dtype=dtype, order=order))
        robots += [robot, rates]
    if limbed:
        assert all(lane_loops(made.body) for module in modules for made in module.programs)
    program = emulated("aarch64", modules, STATES, LENGTHS)
    rng = np.random.default_rng(11)
    inputs = {}
    for robot, module in zip(robots, modules, strict=True):
        for entry in module.manifest.functions:
            drawn = [random_inputs(robot, entry.signature, rng) for _ in range(STATES)]
            inputs[entry.c_name] = {
                item.name: np.array([one[item.name] for one in drawn], dtype) for item in entry.signature.inputs
            }
    found = program.run(inputs)
    for module in modules:
        for entry, made in zip(module.manifest.functions, module.programs, strict=True):
            for state in CHECKED:
                one = {name: rows[state].tolist() for name, rows in inputs[entry.c_name].items()}
                for name, target in evaluate_program(made, FloatAlgebra(), one).items():
                    for way in program.ways:
                        error = relative_error(found[entry.c_name][way][name][state], target)
                        assert error <= TOLERANCE[dtype], (entry.c_name, way, state)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_angles_of_any_size(generated: Callable[..., Any], emulated: Callable[..., Any], dtype: str) -> None:
    """Some lanes of a vector go to the library and their neighbours do not."""
    robot = api.load_example("pendulum")
    module = generated("pendulum", robot, ["inverse_dynamics"], dtype=dtype)
    angles = np.array(
        [0.0, -0.5, 1e5, 3.0, 1.00001e5, -1e5, 7e4, 1e9, 1e22, -1e30] + [0.1 * k for k in range(9)], dtype
    )
    program = emulated("aarch64", [module], len(angles), LENGTHS)
    (entry,), (made,) = module.manifest.functions, module.programs
    inputs = {item.name: np.zeros((len(angles), 1), dtype) for item in entry.signature.inputs}
    inputs["q"] = angles[:, None]
    found = program.run({entry.c_name: inputs})[entry.c_name]
    still = {"v": [0.0], "a": [0.0]}
    target = [evaluate_program(made, FloatAlgebra(), {"q": [q], **still})["tau"] for q in angles.tolist()]
    limit = 10 * float(np.finfo(dtype).eps) * float(np.abs(target).max())
    for way in program.ways:
        np.testing.assert_allclose(found[way]["tau"], target, rtol=0.0, atol=limit)


@pytest.mark.parametrize(("dtype", "shape"), [("float64", "2d"), ("float32", "4s")])
def test_blocks_are_multiplied_in_whole_vectors(
    generated: Callable[..., Any], emulated: Callable[..., Any], dtype: str, shape: str
) -> None:
    robot = api.load_example("double_pendulum")
    module = generated("double_pendulum", robot, ["inverse_dynamics"], layout="unrolled", dtype=dtype)
    program = emulated("aarch64", [module], states=1)
    name = module.manifest.functions[0].c_name
    multiplied = re.compile(rf"\bfml[as]\s+v\d+\.{shape}")
    assert len(multiplied.findall(program.instructions(name, "lanes"))) > 10
    # single states have vectors of angles
    assert multiplied.search(program.instructions(name, "plain"))
