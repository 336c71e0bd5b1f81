"""The C that times a function: each argument at its place, and from one state to the next all inputs of one."""

from __future__ import annotations

import re
from types import ModuleType

from symdyn.compiler.emit.timing import casadi_timing_harness, timing_harness
from symdyn.interface.manifest import FunctionEntry


def stride(text: str) -> int:
    (found,) = re.findall(r"x = in \+ (\d+) \* state;", text)
    return int(found)


def test_arguments_of_a_generated_function(samples: ModuleType) -> None:
    signature = samples.looped().signature  # q (6), p (1); tau (6), J (3, 4), energy
    sizes = [item.size for item in signature.outputs]
    assert [item.size for item in signature.inputs] == [6, 1] and sizes == [6, 12, 1]
    text = timing_harness(FunctionEntry(signature, "toy_looped", "looped", 9, "rolled", {}, 0)).text
    assert "void toy_looped(const double *, const double *, double *, double *, double *, double *);" in text
    assert "toy_looped(x + 0, x + 6, out + 0, out + 6, out + 18, work);" in text
    assert stride(text) == 7


def test_arguments_of_a_function_of_casadi() -> None:
    text = casadi_timing_harness("f", [6, 3, 2]).text
    assert re.findall(r"arg\[(\d)\] = x \+ (\d+);", text) == [("0", "0"), ("1", "6"), ("2", "9")]
    assert "f(arg, res, 0, work, 0);" in text and stride(text) == 11
