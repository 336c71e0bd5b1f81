"""Every back end gives the evaluator's numbers on programs with all operations, awkward constants and all loops."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.compilers import each_of
from support.sample_programs import NAMES

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program

EXACT = ("awkward_constants", "product_remainder", "overlapping", "nothing_moves")  # no elementary function in them
TOLERANCE = {"float64": 4e-15, "float32": 2e-6}  # a few roundings of a short chain of operations


def draw(program: Program, rng: np.random.Generator, states: int | None = None) -> dict[str, Any]:
    """Inputs in (0.1, 0.9), where every elementary function is defined; p is one vector."""
    shape = () if states is None else (states,)
    dtype = np.dtype(program.dtype)
    return {
        item.name: rng.uniform(0.1, 0.9, (() if item.name == "p" else shape) + (item.size,)).astype(dtype)
        for item in program.signature.inputs
    }


def expected(program: Program, inputs: Mapping[str, Any]) -> dict[str, list[float]]:
    """What is rounded as by processors without fused multiply-adds, which the C here is compiled for, and by NumPy."""
    return evaluate_program(
        program, FloatAlgebra(fused=False), {name: [float(x) for x in value] for name, value in inputs.items()}
    )


def assert_close(got: Mapping[str, Any], wanted: Mapping[str, Sequence[float]], name: str, dtype: str) -> None:
    assert got.keys() == wanted.keys()
    for key, values in wanted.items():
        value = np.asarray(got[key], float).reshape(-1)
        target = np.asarray(values, float)
        if name in EXACT and dtype == "float64":
            assert value.tobytes() == target.tobytes(), (key, value, target)  # signs of zeros included
        else:
            np.testing.assert_allclose(value, target, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_compiled_c(
    samples: ModuleType, write_module: Callable[..., Path], compiled: Callable[..., Any], compiler: str, dtype: str
) -> None:
    programs = {name: getattr(samples, name)(dtype) for name in NAMES}
    folder = compiled(write_module(programs.values()), compiler)
    rng = np.random.default_rng(1)
    for name, program in programs.items():
        for _ in range(5):
            inputs = draw(program, rng)
            assert_close(folder.call(name, inputs), expected(program, inputs), name, dtype)


@pytest.mark.needs_cc
def test_compiled_batch_steps_through_states_and_shares_parameters(
    samples: ModuleType, write_module: Callable[..., Path], compiled: Callable[..., Any]
) -> None:
    program = samples.looped()
    folder = compiled(write_module([program]))
    inputs = draw(program, np.random.default_rng(2), 4)
    got = folder.call("looped", inputs, states=4)
    for state in range(4):
        one = {"q": inputs["q"][state], "p": inputs["p"]}
        assert_close({key: value[state] for key, value in got.items()}, expected(program, one), "looped", "float64")
    assert folder.call("looped", inputs, states=0)["tau"].shape == (0, 6)


@pytest.mark.needs_cc
def test_sanitizers_find_nothing(samples: ModuleType, write_module: Callable[..., Path]) -> None:
    folder = write_module([getattr(samples, name)() for name in NAMES])
    calls = []
    for number, name in enumerate(NAMES):
        signature = getattr(samples, name)().signature
        arguments = (*signature.inputs, *signature.outputs)
        arrays = [f"double a{number}_{i}[{max(1, item.size)}] = {{0.5}};" for i, item in enumerate(arguments)]
        names = [f"a{number}_{i}" for i in range(len(arguments))]
        calls += [*arrays, f"double w{number}[TOY_{name.upper()}_WORK + 1];"]
        calls.append(f"toy_{name}({', '.join(names)}, TOY_{name.upper()}_WORK ? w{number} : NULL);")
    (folder / "main.c").write_text(
        '#include "toy.h"\nint main(void)\n{\n  ' + "\n  ".join(calls) + "\n  return 0;\n}\n"
    )
    sources = [path.name for path in sorted(folder.glob("*.c"))]
    flags = ["-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["gcc", *flags, *sources, "-o", "checked", "-lm"], cwd=folder, check=True, timeout=120)
    done = subprocess.run(["./checked"], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_numpy_module(
    samples: ModuleType,
    write_module: Callable[..., Path],
    load_numpy: Callable[[Path], ModuleType],
    name: str,
    dtype: str,
) -> None:
    program = getattr(samples, name)(dtype)
    module = load_numpy(write_module([program], "python"))
    rng = np.random.default_rng(3)
    outputs = [item.name for item in program.signature.outputs]
    for states in (None, 1, 3):
        inputs = draw(program, rng, states)
        got = getattr(module, name)(**inputs)
        results = dict(zip(outputs, got if len(outputs) > 1 else [got], strict=True))
        for state in range(states or 1):
            one = {key: value if states is None or key == "p" else value[state] for key, value in inputs.items()}
            found = {key: value if states is None else value[state] for key, value in results.items()}
            assert_close(found, expected(program, one), name, dtype)
            assert all(value.dtype == dtype for value in results.values())
