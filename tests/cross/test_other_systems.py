"""Generated C for other systems and processors: built by zig, run by wine and QEMU, with the bits of its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.states import random_inputs

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
STATES = 19

pytestmark = [pytest.mark.cross, pytest.mark.every_case, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]


@pytest.mark.parametrize(
    ("machine", "layout", "lengths"),
    [
        ("aarch64", "auto", (0, 64)),
        ("aarch64", "rolled-lanes", (0, 64)),
        *((machine, "auto", ()) for machine in ("aarch64-zig", "riscv64-zig", "windows-zig", "windows-fma-zig")),
    ],
)
def test_the_same_doubles_as_everywhere(
    generated: Callable[..., Any], emulated: Callable[..., Any], machine: str, layout: str, lengths: tuple[int, ...]
) -> None:
    """Bit by bit those of the evaluator of the machine's class, and so of x86-64 here (tests/equivalence)."""
    robots = {name: api.load_example(name) for name in ("seven_dof_arm", "aerial_manipulator")}
    modules = [generated(name, robot, FUNCTIONS, layout=layout) for name, robot in robots.items()]
    program = emulated(machine, modules, STATES, lengths)
    algebra = FloatAlgebra(fused=program.machine.fused)
    rng = np.random.default_rng(3)
    inputs = {}
    for robot, module in zip(robots.values(), modules, strict=True):
        for entry in module.manifest.functions:
            drawn = [random_inputs(robot, entry.signature, rng) for _ in range(STATES)]
            inputs[entry.c_name] = {
                item.name: np.array([one[item.name] for one in drawn]) for item in entry.signature.inputs
            }
    found = program.run(inputs)
    for module in modules:
        for entry, made in zip(module.manifest.functions, module.programs, strict=True):
            for state in (0, STATES - 1):
                one = {name: rows[state].tolist() for name, rows in inputs[entry.c_name].items()}
                for name, target in evaluate_program(made, algebra, one).items():
                    for way in program.ways:
                        values = np.asarray(found[entry.c_name][way][name][state], float)
                        assert values.tobytes() == np.array(target).tobytes(), (entry.c_name, way, state)
            for way in program.ways:
                for name, rows in found[entry.c_name][way].items():
                    first = found[entry.c_name][program.ways[0]][name]
                    assert np.array_equal(rows, first), (entry.c_name, way, name)
