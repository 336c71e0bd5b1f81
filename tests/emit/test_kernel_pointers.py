"""Kernels take pointers to scalars only: gcc 12 makes of other pointers arguments that the two sides align differently.

It turns a pointer to a vector of lesser alignment into a vector passed by value. From the ninth on these lie on the
stack, where the caller leaves room for one alignment and the callee looks for another, so that the next pointer is half
of a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from support.compilers import each_of
from support.lane_batches import Batches, build
from support.robots.limbed import with_limbs

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Loop, Program
from symdyn.compiler.tape.tape import Port
from symdyn.description.robot import JointKind
from symdyn.functions.catalogue import CATALOGUE
from symdyn.interface.manifest import Manifest
from symdyn.interface.signature import Signature

MANY, WIDE = 10, 7
"""Pointers to one vector each, more than there are registers for; and pointers to several before them, an odd number of
which lies on the stack."""

FUNCTION = re.compile(r"^(?:static |void |inline |SEPARATE |INLINED |[a-z_]+ )*\w+\(([^;{]*)\)\s*\{", re.MULTILINE)
VECTORS = re.compile(r"\b(lanes|lanes_at|lane_bits|angles|angle_bits)\b[^,]*\*")


def _many_pointers(samples: ModuleType) -> Program:
    """A long kernel with a pointer per scalar, called from two places, so that it stays a function."""
    ins = [Port(f"w{k}", 3) for k in range(WIDE)] + [Port(f"a{k}", 1) for k in range(MANY)]
    outs = [Port(f"o{k}", 1) for k in range(MANY)]
    kernel = samples.TapeBuilder("many", ins, outs)
    values = [kernel.input(port, 0) for port in range(WIDE, WIDE + MANY)]
    total = values[0]
    for port in range(WIDE):
        for index in range(3):
            total = kernel.op("sub", kernel.input(port, index), total)
    for turn in range(40):  # too long to be copied into both places
        for value in values[1:]:
            total = kernel.op("fma", value, kernel.constant(0.5 + 0.01 * turn), total)
        total = kernel.op("mul", total, kernel.constant(0.1))
    tape = kernel.tape(*([kernel.op("add", total, value)] for value in values[:MANY]))
    halve = samples.TapeBuilder("halve", [Port("x", 1)], [Port("y", 1)])
    halved = halve.tape([halve.op("mul", halve.input(0, 0), halve.constant(0.5))])
    buffers = (
        Buffer("x", BufferKind.IN, MANY + 3),
        Buffer("z", BufferKind.WORKSPACE, MANY + 3),
        Buffer("y", BufferKind.OUT, 4 * MANY),
    )

    def call(first: int, start: int) -> tuple[Call, ...]:
        """What lies behind the last pointer has just been computed, so that gcc hands on the value in its place."""
        last = Affine("z", first + MANY - 1, (1,))
        reads = [Affine("x", first, (1,))] * WIDE + [Affine("x", first + k, (1,)) for k in range(MANY - 1)]
        writes = [Affine("y", start + k, (MANY,)) for k in range(MANY)]
        halves = Call("halve", (Affine("x", first + MANY - 1, (1,)),), (last,))
        return halves, Call("many", (*reads, last), tuple(writes))

    body = (Loop(2, call(0, 0)), Loop(2, call(1, 2 * MANY)))
    argument = samples.argument
    signature = Signature("toy", "many", (argument("x", MANY + 3),), (argument("y", 4 * MANY),), "Many")
    return Program(signature, buffers, (tape, halved), body, layout="rolled")


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("level", ["-O2", "-O3"])
def test_many_pointers_arrive(
    samples: ModuleType, write_module: Callable[..., Path], compiler: str, level: str
) -> None:
    program = _many_pointers(samples)
    folder = write_module([program])
    flags = [level, "-DSYMDYN_VECTOR_BYTES=16", "-DSYMDYN_FUSED=0"]
    library = build([folder], folder / "many.so", compiler, flags)
    manifest = Manifest.from_json((folder / "manifest.json").read_text())
    states = 11
    inputs = {"x": np.random.default_rng(1).uniform(0.1, 0.9, (states, MANY + 3))}
    found = Batches(library, manifest, manifest.functions[0]).in_blocks(inputs, states)["y"]
    for state in range(states):
        wanted = evaluate_program(program, FloatAlgebra(fused=False), {"x": inputs["x"][state].tolist()})
        assert found[state].tolist() == wanted["y"]


SHORT = ("inverse_dynamics", "mass_matrix", "forward_dynamics")


@pytest.mark.parametrize("names", [SHORT, pytest.param(tuple(CATALOGUE), marks=pytest.mark.slow)], ids=["some", "all"])
def test_no_file_hands_on_pointers_to_vectors(names: tuple[str, ...]) -> None:
    """Three functions in both layouts; all functions in one of them, in turn."""
    limbs = with_limbs([0, 1], [JointKind.REVOLUTE, JointKind.SPHERICAL], 3, seed=4)
    robot = api.from_description(limbs, joint_losses=True)
    seen = 0
    for place, name in enumerate(names):
        layouts = ("split-lanes", "rolled-lanes")
        for layout in layouts if names is SHORT else layouts[place % 2 :: 2]:
            options = {"prescribed": robot.velocity_names[:2]} if "prescribed" in CATALOGUE[name].takes else {}
            if CATALOGUE[name].needs is not None:  # this robot has none
                continue
            for file in api.sources(robot, [name], layout=layout, **options):
                if file.path.endswith(".c"):
                    heads = FUNCTION.findall(file.text)
                    seen += len(heads)
                    assert not [head for head in heads if VECTORS.search(head)], file.path
    assert seen > (40 if names is SHORT else 20) * len(names)
