"""Generated C on microcontrollers equals the Program evaluator in doubles, and asks for nothing that they lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.robots.limbed import with_limbs
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import lane_loops
from symdyn.description.robot import JointKind
from symdyn.generation import pipeline
from symdyn.robot.robot import Robot

# Relative to the norm, inputs rounded to the dtype first: less than a hundred units of roundoff (2^-24, 2^-53). The arm
# loses up to twelve.
TOLERANCE = {"float32": 5e-6, "float64": 1e-14}
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
STATES = 19

pytestmark = pytest.mark.cross


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize(
    ("machine", "dtype"), [("cortex-m4", "float32"), ("cortex-m7", "float32"), ("cortex-m7", "float64")]
)
def test_seven_dof_arm(
    generated: Callable[..., Any], emulated: Callable[..., Any], machine: str, dtype: str, layout: str
) -> None:
    robot = api.load_example("seven_dof_arm")
    module = generated("arm", robot, FUNCTIONS, layout=layout, dtype=dtype)
    _check(emulated(machine, [module], STATES), robot, module)


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("layout", ["split-lanes", "rolled-lanes"])
@pytest.mark.parametrize(("machine", "lengths"), [("cortex-m4", ()), ("cortex-m7", (16,))])
def test_limbs_in_lanes(
    generated: Callable[..., Any], emulated: Callable[..., Any], machine: str, lengths: tuple[int, ...], layout: str
) -> None:
    """Of one limb at a time, as these cores have no vectors, and of vectors that the compiler takes apart."""
    kinds = [JointKind.REVOLUTE, JointKind.PRISMATIC]
    robot = api.from_description(with_limbs([0, 1], kinds, limbs=5, seed=4))
    module = generated("limbs", robot, FUNCTIONS, layout=layout, dtype="float32")
    assert all(lane_loops(made.body) for made in module.programs)
    _check(emulated(machine, [module], STATES, lengths), robot, module)


def _check(program: Any, robot: Robot, module: Any) -> None:
    dtype = module.manifest.dtype
    rng = np.random.default_rng(5)
    inputs = {}
    for entry in module.manifest.functions:
        drawn = [random_inputs(robot, entry.signature, rng) for _ in range(STATES)]
        inputs[entry.c_name] = {
            item.name: np.array([one[item.name] for one in drawn], dtype) for item in entry.signature.inputs
        }
    found = program.run(inputs)
    exact = pipeline.programs(robot, FUNCTIONS, layout="unrolled")
    for entry, reference in zip(module.manifest.functions, exact, strict=True):
        (output,) = entry.signature.outputs
        for state in range(STATES):
            one = {name: rows[state].tolist() for name, rows in inputs[entry.c_name].items()}
            target = evaluate_program(reference, FloatAlgebra(), one)[output.name]
            for way in program.ways:
                error = relative_error(found[entry.c_name][way][output.name][state], target)
                assert error <= TOLERANCE[dtype], (way, state)
        if dtype == "float32":
            # Doubles would go through the compiler's software routines on a core whose unit knows floats alone.
            taken = program.undefined(entry.c_name)
            assert taken <= {"sinf", "cosf", "sqrtf"}, taken
