"""Visits born with lanes give one result: float recursion, evaluator, C in every length of vectors, NumPy and JAX."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.born_lanes import INPUTS, MANY, STATIONS, born_plan, born_signature
from support.plain_jax import load_plainly
from support.sample_programs import TapeBuilder, argument

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.c import kernels
from symdyn.compiler.passes.pipeline import finish, optimise
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Loop, Program, lane_loops
from symdyn.compiler.tape.tape import Port
from symdyn.compiler.tape.verify import verify_program
from symdyn.interface.signature import Signature
from symdyn.plan.run import run_plan
from symdyn.tracing.layout import LAYOUTS, trace
from symdyn.tracing.split import pieces

TOLERANCE = {"float64": 1e-13, "float32": 2e-5}
_QUICK = {("own", "float64"), ("32", "float32")}
LENGTHS = {"own": ["-march=native"], "c": ["-DSYMDYN_VECTOR_BYTES=0"], "32": ["-mavx2", "-mfma"], "16": []}


def traced(layout: str, dtype: str = "float64", function: str = "born") -> Program:
    signature = replace(born_signature(), function=function)
    return verify_program(finish(trace(born_plan(), signature, layout, optimise)).with_dtype(dtype))


def drawn(seed: int = 5) -> dict[str, list[float]]:
    return {"x": np.random.default_rng(seed).uniform(-1.0, 1.0, INPUTS).astype(np.float32).tolist()}


def expected(inputs: dict[str, list[float]]) -> list[float]:
    return run_plan(born_plan(), FloatAlgebra(), inputs)["y"]


@pytest.fixture(autouse=True)
def _loops_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "LOOPS_FROM", 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_means_the_same(layout: str) -> None:
    inputs = drawn()
    program = traced(layout)
    np.testing.assert_allclose(evaluate_program(program, FloatAlgebra(), inputs)["y"], expected(inputs), rtol=1e-13)
    counts = {loop.lanes for loop in lane_loops(program.body)}
    assert counts >= (set() if program.layout == "unrolled" else {STATIONS, MANY})


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("length", "dtype"),
    [
        pytest.param(length, dtype, marks=() if (length, dtype) in _QUICK else pytest.mark.slow)
        for length in LENGTHS
        for dtype in TOLERANCE
    ],
)
def test_compiled_lanes(
    write_module: Callable[..., Path], compiled: Callable[..., Any], dtype: str, length: str
) -> None:
    """One state and batches, in all layouts; workspace is NaN before each call."""
    programs = [traced(layout, dtype, f"born{number}") for number, layout in enumerate(LAYOUTS)]
    module = compiled(write_module(programs), flags=["-O1", *LENGTHS[length]])
    rows = [drawn(seed)["x"] for seed in range(11)]
    wanted = [expected({"x": row}) for row in rows]
    tolerance = TOLERANCE[dtype]
    for program in programs:
        function = program.signature.function
        one = module.call(function, {"x": rows[0]})["y"]
        np.testing.assert_allclose(one, wanted[0], rtol=tolerance, atol=tolerance)
        several = module.call(function, {"x": np.array(rows)}, states=11)["y"]
        np.testing.assert_allclose(several, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.needs_cc
def test_sums_that_wait_for_a_loop_are_the_same(
    write_module: Callable[..., Path], compiled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, sums and products both."""
    programs, flags = (
        [traced("rolled"), traced("split", function="pieces")],
        ["-O1", "-march=native", "-ffp-contract=off"],
    )
    rows = np.array([drawn(seed)["x"] for seed in range(5)])

    def results() -> list[Any]:
        module = compiled(write_module(programs), flags=flags)
        return [module.call(own.signature.function, {"x": rows}, states=5)["y"] for own in programs]

    at_once = results()
    monkeypatch.setattr(kernels, "_LEAST", 1)
    text = (write_module(programs) / "toy_born.c").read_text()
    assert re.search(r"= lanes_add_\d+\(\w+\[\w+_sums_rows\[i\]\]", text)
    assert re.search(r"= lanes_add_products_\d+\(\w+\[\w+_products_rows\[i\]\]", text)
    np.testing.assert_array_equal(results(), at_once)


def test_numpy_and_jax(
    tmp_path: Path, write_module: Callable[..., Path], load_numpy: Callable[[Path], ModuleType]
) -> None:
    inputs = drawn()
    programs = [traced(layout, function=layout) for layout in ("unrolled", "split", "rolled")]
    module = load_numpy(write_module(programs, target="python"))
    plain_jax = load_plainly(write_module(programs, target="jax") / "python" / "toy_jax.py")
    for program in programs:
        for one in (module, plain_jax):
            found = getattr(one, program.signature.function)(np.array(inputs["x"]))
            np.testing.assert_allclose(found, expected(inputs), rtol=1e-13)


@pytest.mark.needs_cc
def test_vectors_are_as_long_as_registers(
    write_module: Callable[..., Path], compile_quietly: Callable[..., str]
) -> None:
    """Two of 32 bytes on AVX2, never one of 64: gcc makes such a vector of many single moves there."""
    folder = write_module([traced("rolled")])
    flags = {"32": ["-mavx2", "-mfma"], "64": ["-mavx512f"], "16": []}
    for size, chosen in flags.items():
        text = compile_quietly(["gcc", "-E", "-P", *chosen, "toy_born.c"], folder)
        assert f"vector_size({size})" in re.sub(r"\s", "", text)
        assert set(re.findall(r"vector_size\((\d+)\)", text)) == {size}


def test_what_is_left_over_repeats_a_lane(write_module: Callable[..., Path]) -> None:
    """The chain writes lane by lane, so that vectors find nothing behind the last lane and take that lane again."""
    text = (write_module([traced("rolled")]) / "toy_born.c").read_text()
    kernel = text[text.index("void kernel_meet") :]
    reads = dict(re.findall(r"= (lanes_\w+)\((\w+)", kernel[: kernel.index("\n}\n")]))
    assert {kind for kind, port in reads.items() if port == "chain"} == {"lanes_gather_5"}
    assert reads["lanes_load"] == "own"


def from_place_to_place() -> Program:
    """One tape over three lanes that reads and writes buffers with lanes as well as without."""
    twice, kept = (TapeBuilder(name, [Port("x", 2, places=(0, 4))], [Port("y", 2, places=(0, 4))]) for name in "tk")
    doubled = [twice.op("add", twice.input(0, place), twice.input(0, place)) for place in (0, 1)]
    tapes = (twice.tape(doubled), kept.tape([kept.input(0, 0), kept.input(0, 1)]))
    ways = (("x", "a"), ("a", "b"), ("b", "y"))
    loops = [Loop(3, (Call("t", (Affine(x, 0, (1,)),), (Affine(y, 0, (1,)),)),), lanes=3) for x, y in ways]
    buffers = [Buffer("x", BufferKind.IN, 8), Buffer("y", BufferKind.OUT, 8)]
    buffers += [Buffer(name, BufferKind.WORKSPACE, 1, 2, lanes=4) for name in "ab"]
    signature = Signature("toy", "places", (argument("x", 8),), (argument("y", 8),), "y = 8 x, and x behind the lanes")
    beside = Call("k", (Affine("x", 3),), (Affine("y", 3),))
    return verify_program(Program(signature, tuple(buffers), tapes, (beside, *loops), layout="rolled"))


@pytest.mark.needs_cc
def test_one_tape_on_buffers_with_lanes_and_without(
    write_module: Callable[..., Path], compiled: Callable[..., Any]
) -> None:
    program, x = from_place_to_place(), [float(place + 1) for place in range(8)]
    wanted = evaluate_program(program, FloatAlgebra(), {"x": x})["y"]
    assert wanted == [8.0, 16.0, 24.0, 4.0, 40.0, 48.0, 56.0, 8.0]
    module = compiled(write_module([program]), flags=["-O1", "-march=native"])
    np.testing.assert_array_equal(module.call("places", {"x": x})["y"], wanted)
