"""Generated C for lanes of states gives what the evaluator gives, for every code, loop and length of vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.compilers import each_of
from support.lane_batches import Batches, build
from support.sample_programs import NAMES

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.tree.varying import varying_buffers
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Program
from symdyn.compiler.tape.tape import Port
from symdyn.interface.manifest import Manifest
from symdyn.interface.signature import Signature

TOLERANCE = {"float64": 1e-13, "float32": 2e-5}
STATES = 21
"""Two blocks of doubles and a rest, a block of floats and a rest."""

# Passing vectors longer than the processor's registers by value has no ABI, which matters to no static function of
# clang's; gcc for x86 is held to the registers' length.
LENGTHS: tuple[Any, ...] = (
    [],
    ["-DSYMDYN_VECTOR_BYTES=0"],
    *(
        pytest.param([f"-DSYMDYN_VECTOR_BYTES={size}", "-Wno-psabi"], marks=pytest.mark.slow, id=str(size))
        for size in (16, 32, 64)
    ),
)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wvla", "-Werror"]

pytestmark = pytest.mark.needs_cc


def drawn(program: Program, rng: np.random.Generator, states: int) -> dict[str, np.ndarray]:
    return {
        item.name: rng.uniform(0.1, 0.9, (1 if item.name == "p" else states, item.size)).astype(program.dtype)
        for item in program.signature.inputs
    }


def expected(program: Program, inputs: dict[str, np.ndarray], state: int) -> dict[str, np.ndarray]:
    one = {name: array[0 if name == "p" else state].tolist() for name, array in inputs.items()}
    return {name: np.asarray(values) for name, values in evaluate_program(program, FloatAlgebra(), one).items()}


def check(rows: dict[str, np.ndarray], program: Program, inputs: dict[str, np.ndarray], states: Sequence[int]) -> None:
    tolerance = TOLERANCE[program.dtype]
    for state in states:
        for name, target in expected(program, inputs, state).items():
            np.testing.assert_allclose(rows[name][state], target, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("length", LENGTHS, ids=lambda flags: "c" if flags else "own")
def test_lanes_equal_the_evaluator(
    samples: ModuleType, write_module: Callable[..., Path], compiler: str, dtype: str, length: list[str]
) -> None:
    programs = {name: getattr(samples, name)(dtype) for name in NAMES}
    folder = write_module(programs.values())
    library = build([folder], folder / "lanes.so", compiler, ["-O1", *WARNINGS, *length])
    manifest = Manifest.from_json((folder / "manifest.json").read_text())
    rng = np.random.default_rng(11)
    for name, program in programs.items():
        batches = Batches(library, manifest, manifest.function(name))
        if name == "product_remainder":  # of a product that is exact in doubles
            inputs = {"x": np.tile(np.array([[1.0 + 2.0**-12, 1.0 + 2.0**-12]], dtype), (STATES, 1))}
        else:
            inputs = drawn(program, rng, STATES)
        check(batches.in_blocks(inputs, STATES), program, inputs, range(0, STATES, 4))
        check(batches.contiguous(inputs, STATES), program, inputs, (0, STATES - 1))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_any_number_of_states(samples: ModuleType, write_module: Callable[..., Path], dtype: str) -> None:
    program = samples.looped(dtype)
    folder = write_module([program])
    library = build([folder], folder / "lanes.so", flags=["-O1"])
    manifest = Manifest.from_json((folder / "manifest.json").read_text())
    batches = Batches(library, manifest, manifest.functions[0])
    inputs = drawn(program, np.random.default_rng(12), 40)
    for states in (*range(2 * batches.lanes + 2), 40):
        some = {name: array if name == "p" else array[:states] for name, array in inputs.items()}
        if states:
            check(batches.in_blocks(some, states), program, some, (0, states - 1))
            check(batches.contiguous(some, states), program, some, range(states))
        else:
            assert batches.contiguous(some, 0)["tau"].size == 0


def test_without_the_macro_batches_need_no_lanes(
    samples: ModuleType, write_module: Callable[..., Path], compiled: Callable[..., Any]
) -> None:
    """The files of single states link by themselves, and their batch form needs one state's workspace only."""
    program = samples.looped()
    folder = write_module([program])
    for path in folder.glob("*_lanes.c"):
        path.unlink()
    inputs = drawn(program, np.random.default_rng(13), 9)
    got = compiled(folder).call("looped", inputs, states=9)
    check({name: array.reshape(9, -1) for name, array in got.items()}, program, inputs, range(9))


def squares(samples: ModuleType) -> Program:
    """One kernel on what all lanes share, and on what differs: w = p^2, y = q^2, then z = w^2 and y += w^2."""
    build_tape = samples.TapeBuilder("square", [Port("x", 2)], [Port("y", 2)])
    loads = [build_tape.input(0, 0), build_tape.input(0, 1)]
    square = build_tape.tape([build_tape.op("mul", load, load) for load in loads])
    build_tape = samples.TapeBuilder("add square", [Port("x", 2)], [Port("y", 2, accumulate=True)])
    loads = [build_tape.input(0, 0), build_tape.input(0, 1)]
    added = build_tape.tape([build_tape.op("mul", load, load) for load in loads])
    inputs = (samples.argument("q", 2), samples.argument("p", 2))
    outputs = (samples.argument("y", 2), samples.argument("z", 2))
    buffers = (
        Buffer("q", BufferKind.IN, 2),
        Buffer("p", BufferKind.PARAM, 2),
        Buffer("y", BufferKind.OUT, 2),
        Buffer("z", BufferKind.OUT, 2),
        Buffer("w", BufferKind.WORKSPACE, 2),
        Buffer("u", BufferKind.WORKSPACE, 2),
    )
    body = (
        Call("square", (Affine("p", 0),), (Affine("w", 0),)),
        Call("square", (Affine("q", 0),), (Affine("u", 0),)),
        Call("square", (Affine("u", 0),), (Affine("y", 0),)),
        Call("square", (Affine("w", 0),), (Affine("z", 0),)),
        Call("add square", (Affine("w", 0),), (Affine("y", 0),)),
    )
    signature = Signature("toy", "squares", inputs, outputs, "Fourth powers")
    return Program(signature, buffers, (square, added), body, layout="rolled")


def test_what_all_lanes_share_is_computed_once(samples: ModuleType, write_module: Callable[..., Path]) -> None:
    program = squares(samples)
    assert varying_buffers(program) == {"q", "y", "z", "u"}
    folder = write_module([program])
    text = (folder / "toy_squares_lanes.c").read_text()
    assert "static void kernel_square(const double *restrict x, double *restrict y)" in text
    assert text.count("static void kernel_square") == 4  # one from the inputs, one from the workspace
    kernels = [text.split(f"static void kernel_square{name}(")[1] for name in ("", "_x20_2", "_x20_4")]
    shared, per_lane, spread = kernels
    assert "lanes" not in shared[: shared.index("}")]
    assert "const lanes v0 = lanes_load(x);" in per_lane[: per_lane.index("}")]
    assert "lanes_store(y, lanes_spread(v2));" in spread[: spread.index("}")]
    header = (folder / "toy.h").read_text()
    assert "#define TOY_SQUARES_LANES_WORK 25 " in header  # u per lane, w once, and up to seven to a cache line
    assert "#define TOY_SQUARES_BATCH_WORK 73 " in header
    library = build([folder], folder / "lanes.so", flags=["-O1"])
    manifest = Manifest.from_json((folder / "manifest.json").read_text())
    inputs = drawn(program, np.random.default_rng(14), 11)
    batches = Batches(library, manifest, manifest.functions[0])
    check(batches.in_blocks(inputs, 11), program, inputs, range(11))
    check(batches.contiguous(inputs, 11), program, inputs, range(11))


def test_sums_of_products_are_rounded_once(samples: ModuleType, write_module: Callable[..., Path]) -> None:
    """In vectors of processors that do so, as in the evaluator: what x y leaves beside its rounded value, exactly."""
    build_tape = samples.TapeBuilder("left", [Port("x", 3)], [Port("y", 3)])
    x, y, product = (build_tape.input(0, place) for place in range(3))
    negated = build_tape.op("neg", product)
    left = [build_tape.op(code, x, y, z) for code, z in (("fma", negated), ("fms", product), ("fnma", product))]
    program: Program = samples.straight(build_tape.tape(left), "left")
    folder = write_module([program])
    library = build([folder], folder / "lanes.so", flags=["-O1", "-march=native", *WARNINGS])
    manifest = Manifest.from_json((folder / "manifest.json").read_text())
    factors = np.random.default_rng(15).uniform(0.1, 0.9, (STATES, 2))
    rows = np.column_stack([factors, factors[:, 0] * factors[:, 1]])
    found = Batches(library, manifest, manifest.functions[0]).in_blocks({"x": rows}, STATES)["y"]
    exact = [float(Fraction(x) * Fraction(y) - Fraction(product)) for x, y, product in rows.tolist()]
    np.testing.assert_array_equal(found, np.outer(exact, [1.0, 1.0, -1.0]))
    assert np.count_nonzero(exact) > STATES // 2
