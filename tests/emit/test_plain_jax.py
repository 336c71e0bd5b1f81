"""The text of JAX modules computes the evaluator's numbers, without JAX: a stand-in carries it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.plain_jax import load_plainly
from support.sample_programs import NAMES

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Loop, Program
from symdyn.compiler.tape.tape import Port
from symdyn.interface.signature import Signature

Load = Callable[..., ModuleType]


@pytest.fixture
def load_jax(write_module: Callable[..., Path]) -> Load:
    def load(*programs: Program) -> ModuleType:
        return load_plainly(write_module(programs, target="jax") / "python" / "toy_jax.py")

    return load


def outputs_of(program: Program, module: ModuleType, inputs: dict[str, Any]) -> list[Any]:
    found = getattr(module, program.signature.function)(**inputs)
    return list(found) if len(program.signature.outputs) > 1 else [found]


def evaluated(program: Program, inputs: dict[str, Any]) -> list[Sequence[float]]:
    found = evaluate_program(program, FloatAlgebra(), {name: value.tolist() for name, value in inputs.items()})
    return [found[item.name] for item in program.signature.outputs]


@pytest.mark.parametrize("name", NAMES)
def test_numbers(samples: ModuleType, load_jax: Load, name: str) -> None:
    program = getattr(samples, name)()
    module = load_jax(program)
    rng = np.random.default_rng(5)
    for _ in range(2):
        inputs = {item.name: rng.uniform(0.1, 0.9, item.size) for item in program.signature.inputs}
        found = outputs_of(program, module, inputs)
        for item, got, wanted in zip(program.signature.outputs, found, evaluated(program, inputs), strict=True):
            assert got.shape == item.shape and got.dtype == np.float64
            # fma is a product in two parts here: a hair from one rounding where the sum cancels
            np.testing.assert_allclose(np.ravel(got), wanted, rtol=1e-14, atol=1e-15)


def test_functions_of_one_module_keep_their_own_tables(samples: ModuleType, load_jax: Load) -> None:
    programs = [samples.looped(), samples.triangular(), samples.overlapping()]
    module = load_jax(*programs)
    rng = np.random.default_rng(6)
    for program in programs:
        inputs = {item.name: rng.uniform(0.1, 0.9, item.size) for item in program.signature.inputs}
        for got, wanted in zip(outputs_of(program, module, inputs), evaluated(program, inputs), strict=True):
            np.testing.assert_allclose(np.ravel(got), wanted, rtol=1e-14, atol=1e-15)


def test_leading_dimensions_broadcast(samples: ModuleType, load_jax: Load) -> None:
    program = samples.looped()
    module = load_jax(program)
    rng = np.random.default_rng(7)
    q, p = rng.uniform(0.1, 0.9, (2, 3, 6)), rng.uniform(0.1, 0.9, (3, 1))
    whole = module.looped(q, p)
    for place in np.ndindex(2, 3):
        for many, one in zip(whole, module.looped(q[place], p[place[1]]), strict=True):
            np.testing.assert_array_equal(many[place], one)


def test_kernels_are_not_handed_what_they_do_not_read(samples: ModuleType, load_jax: Load) -> None:
    build = samples.TapeBuilder("pick", [Port("left", 1), Port("right", 1)], [Port("y", 1)])
    tape = build.tape([build.op("mul", build.input(1, 0), build.constant(3.0))])
    call = Call("pick", (Affine("x", 0, (1,)), Affine("x", 2, (1,))), (Affine("y", 0, (1,)),))
    inputs, outputs = (samples.argument("x", 4),), (samples.argument("y", 2),)
    program = Program(
        Signature("toy", "picked", inputs, outputs, "Some of x"),
        (Buffer("x", BufferKind.IN, 4), Buffer("y", BufferKind.OUT, 2)),
        (tape,),
        (Loop(2, (call,)),),
        "float64",
        "rolled",
    )
    np.testing.assert_array_equal(load_jax(program).picked([0.5, 1.0, 2.0, 4.0]), [6.0, 12.0])


def test_the_only_kernel_reads_where_its_inputs_begin(samples: ModuleType, load_jax: Load) -> None:
    """Its statements are those of the function, over arguments from their start."""
    build = samples.TapeBuilder("ratio", [Port("left", 1), Port("right", 1)], [Port("y", 1)])
    tape = build.tape([build.op("div", build.input(0, 0), build.input(1, 0))])
    call = Call("ratio", (Affine("x", 1), Affine("x", 3)), (Affine("y", 0),))
    signature = Signature("toy", "ratio", (samples.argument("x", 4),), (samples.argument("y", 1),), "Some of x")
    buffers = (Buffer("x", BufferKind.IN, 4), Buffer("y", BufferKind.OUT, 1))
    module = load_jax(Program(signature, buffers, (tape,), (call,), "float64", "rolled"))
    np.testing.assert_array_equal(module.ratio([0.5, 1.0, 2.0, 4.0]), [0.25])
