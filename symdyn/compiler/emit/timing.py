"""A C file that times a function from inside, for measurements that Python's call would hide."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.manifest import FunctionEntry

TIMING_FUNCTION = "symdyn_time_calls"
FILE_NAME = "timing.c"


def timing_harness(entry: FunctionEntry) -> SourceFile:
    """The harness of a generated function of doubles; a state is its inputs one after the other."""
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    starts = [0, *accumulate(argument.size for argument in inputs)]
    places = [0, *accumulate(argument.size for argument in outputs)]
    arguments = [f"x + {start}" for start in starts[:-1]] + [f"out + {place}" for place in places[:-1]] + ["work"]
    types = ["const double *"] * len(inputs) + ["double *"] * (len(outputs) + 1)
    return call_harness(
        f"void {entry.c_name}({', '.join(types)});", f"{entry.c_name}({', '.join(arguments)});", starts[-1]
    )


def casadi_timing_harness(name: str, sizes: Sequence[int]) -> SourceFile:
    """The harness of a function in CasADi's C interface with one output; ``sizes`` are those of its inputs."""
    starts = [0, *accumulate(sizes)]
    pointers = " ".join(f"arg[{index}] = x + {start};" for index, start in enumerate(starts[:-1]))
    return call_harness(
        f"int {name}(const double **, double **, long long *, double *, int);",
        f"{{ const double *arg[64]; double *res[64]; {pointers} res[0] = out; {name}(arg, res, 0, work, 0); }}",
        starts[-1],
    )


def call_harness(declaration: str, call: str, stride: int | str, scalar: str = "double") -> SourceFile:
    """The harness of any call in C: one state after another at ``x``, results to ``out``, scratch in ``work``.

    ``stride`` is the number of scalars from one state to the next, or a C expression for it.
    """
    context = {"declaration": declaration, "call": call, "stride": stride, "scalar": scalar}
    return SourceFile(FILE_NAME, render("timing/HARNESS.c.jinja", context))
