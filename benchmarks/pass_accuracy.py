"""What each pass does to rounding: the 99th percentile of the error over 1000 random states before and after it.

usage: python benchmarks/pass_accuracy.py

Errors are normwise, ||y - y*|| / ||y*|| per output and state, in units of 2^-53. y is a tape in doubles, each
instruction rounded by itself; y* is the traced tape before any pass, in NumPy's long double. That is precise enough:
its unit roundoff is 2^-64 on x86-64 and 2^-113 on aarch64, so that what it gets wrong is 2000 times smaller than what
is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symdyn
from symdyn.compiler.passes.pipeline import PIPELINE
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.tape import Tape
from symdyn.functions.catalogue import requests
from symdyn.tracing.unrolled.unrolled import trace_unrolled

ROBOTS = ("seven_dof_arm", "aerial_manipulator")
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
STATES = 1000
LIMIT = 2.0
"""By how much a pass, or all of them, may raise the 99th percentile."""

Array = NDArray[Any]
_FUNCTIONS: dict[str, Callable[..., Any]] = {"sqrt": np.sqrt, "sin": np.sin, "cos": np.cos}


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays of one number per state as the scalars of a tape."""

    dtype: type[np.floating[Any]]

    def constant(self, value: float) -> Any:
        """The double, exactly."""
        return self.dtype(value)

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine."""
        return np.sin(x), np.cos(x)

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function by its code."""
        return _FUNCTIONS[name](*arguments)

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """No function measured here compares."""
        raise NotImplementedError(code)

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """No function measured here chooses."""
        raise NotImplementedError("select")


@dataclass(frozen=True, slots=True)
class Effect:
    """The 99th percentile of the error, in units of 2^-53, before and after a pass, or all of them."""

    name: str
    before: float
    after: float

    @property
    def growth(self) -> float:
        """What the pass multiplies the error by."""
        return self.after / self.before


def values(tape: Tape, inputs: Sequence[Array], dtype: type[np.floating[Any]]) -> Array:
    """The outputs of a tape, one row per state; ``inputs`` has a row per state for each port."""
    columns = [[port[:, element].astype(dtype) for element in range(port.shape[1])] for port in inputs]
    outputs = [value for port in evaluate_tape(tape, Arrays(dtype), columns) for value in port]
    return np.stack([np.broadcast_to(np.asarray(value, dtype), len(inputs[0])) for value in outputs], axis=1)


def percentile(tape: Tape, inputs: Sequence[Array], truth: Array) -> float:
    """99th percentile over the states, in units of 2^-53."""
    errors = np.linalg.norm((values(tape, inputs, np.float64) - truth).astype(float), axis=1)
    return float(np.percentile(errors / np.linalg.norm(truth.astype(float), axis=1), 99) * 2**53)


def traced(robot: symdyn.Robot, function: str) -> Tape:
    """One straight line before any pass."""
    ((entry, request),) = requests(robot.model, [function])
    program = trace_unrolled(entry.plan(robot.model, request), entry.signature(robot.model, request))
    return program.tapes[0]


def random_inputs(robot: symdyn.Robot, tape: Tape, seed: int) -> list[Array]:
    """Angles in a turn, a base's place in a cube, unit quaternions; all else in [-3, 3]."""
    rng = np.random.default_rng(seed)
    inputs = []
    for port in tape.inputs:
        drawn = rng.uniform(
            -np.pi if port.name == "q" else -3.0, np.pi if port.name == "q" else 3.0, (STATES, port.width)
        )
        if port.name == "q" and robot.nq > robot.nv:
            drawn[:, 3:7] /= np.linalg.norm(drawn[:, 3:7], axis=1, keepdims=True)
        inputs.append(drawn)
    return inputs


def effects(robot: symdyn.Robot, function: str, seed: int = 5) -> Iterator[Effect]:
    """Each pass, where the others before it have been, and ``all passes``."""
    assert np.finfo(np.longdouble).eps < 1e-18, "this machine's long double is a double"
    tape = traced(robot, function)
    inputs = random_inputs(robot, tape, seed)
    truth = values(tape, inputs, np.longdouble)
    first = last = percentile(tape, inputs, truth)
    for item in PIPELINE:
        tape = item.run(tape)
        before, last = last, percentile(tape, inputs, truth)
        yield Effect(item.name, before, last)
    yield Effect("all passes", first, last)


def main() -> int:
    """Print a line per robot and function; fails where an error grows beyond the limit."""
    print(f"99th percentile over {STATES} states, in units of 2^-53; growth by pass where it is not 1.00")
    passed = True
    for name in ROBOTS:
        robot = symdyn.load_example(name)
        for function in FUNCTIONS:
            *steps, whole = effects(robot, function)
            grown = ", ".join(f"{step.name} {step.growth:.2f}" for step in steps if abs(step.growth - 1.0) >= 0.005)
            growth = f"{whole.before:7.2f} -> {whole.after:7.2f}  {whole.growth:.2f}"
            print(f"{name:20}{function:18}{growth}  ({grown})", flush=True)
            passed = passed and all(step.growth <= LIMIT for step in (*steps, whole))
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
