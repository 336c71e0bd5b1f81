"""No pass, and not all of them together, may double the error of what they optimise."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from mpmath import mp

import symdyn
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.compiler.passes.pipeline import PIPELINE
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.tape import Op, Tape

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "pass_accuracy.py"
CASES = [
    (robot, function)
    for robot in ("seven_dof_arm", "aerial_manipulator")
    for function in ("inverse_dynamics", "forward_dynamics", "mass_matrix")
]

needs_extended_precision = pytest.mark.skipif(
    np.finfo(np.longdouble).eps >= 1e-18, reason="this machine's long double is a double"
)


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    specification = importlib.util.spec_from_file_location("pass_accuracy", BENCHMARK)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["pass_accuracy"] = module
    specification.loader.exec_module(module)
    return module


@needs_extended_precision
@pytest.mark.parametrize(("name", "function"), CASES)
def test_no_pass_doubles_the_error(benchmark: ModuleType, name: str, function: str) -> None:
    effects = list(benchmark.effects(symdyn.load_example(name), function))
    assert [effect.name for effect in effects] == [*(item.name for item in PIPELINE), "all passes"]
    assert benchmark.LIMIT == 2.0
    for effect in effects:
        assert 0.01 < effect.before < 50.0
        assert effect.growth <= benchmark.LIMIT, effect


@needs_extended_precision
def test_the_reference_is_right_to_far_more_digits(benchmark: ModuleType) -> None:
    robot = symdyn.load_example("aerial_manipulator")
    tape = benchmark.traced(robot, "forward_dynamics")
    inputs = [port[:5] for port in benchmark.random_inputs(robot, tape, seed=1)]
    truth = benchmark.values(tape, inputs, np.longdouble)
    with mp.workdps(40):
        for state, row in enumerate(truth):
            exact = evaluate_tape(
                tape, MpmathAlgebra(40), [[mp.mpf(x) for x in port[state].tolist()] for port in inputs]
            )
            # a long double is the sum of two doubles
            found = [mp.mpf(float(x)) + mp.mpf(float(x - np.longdouble(float(x)))) for x in row]
            error = mp.norm([a - b for a, b in zip(found, exact[0], strict=True)]) / mp.norm(exact[0])
            assert error < 2.0**-60


@needs_extended_precision
def test_a_pass_that_cancels_is_found_out(benchmark: ModuleType) -> None:
    robot = symdyn.load_example("seven_dof_arm")
    tape = benchmark.traced(robot, "inverse_dynamics")
    inputs = benchmark.random_inputs(robot, tape, seed=1)
    truth = benchmark.values(tape, inputs, np.longdouble)
    plain = benchmark.percentile(tape, inputs, truth)
    assert benchmark.percentile(_with_detours(tape), inputs, truth) > benchmark.LIMIT * plain


def _with_detours(tape: Tape) -> Tape:
    """Every result r as (r + 1000) - 1000."""
    count = len(tape.ops)
    detours = [Op("constant", literal=1000.0, varying=False)]
    results = []
    for result in tape.results[0]:
        detours += [Op("add", (result, count)), Op("sub", (count + len(detours), count))]
        results.append(count + len(detours) - 1)
    assert all(op.code in OPS for op in detours)
    return Tape(tape.name, tape.inputs, tape.outputs, (*tape.ops, *detours), (tuple(results),))
