"""What one piece of code costs: operations, size, seconds to make and to compile, time per call, and its results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.timing import casadi_timing_harness, timing_harness
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.toolchain.timing import time_c_calls

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.algebra.scalars.casadi_sx import CasadiSource

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Code:
    """C sources with the harness that times their function; ``standard`` tells C99 without extensions."""

    sources: Sequence[SourceFile]
    harness: SourceFile
    output_size: int
    work_size: int
    operations: int
    standard: bool = True


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured; None where a contestant has no such figure.

    Attributes
    ----------
    operations
        Of one call: in symdyn's counting; for CasADi its instructions that compute.
    c_bytes
        Machine code and constants.
    generation_s, compile_s
        Wall-clock seconds from the robot to sources, and of the compiler.
    nanoseconds
        Per call: median thread CPU time over batches, from inside C where there is C.
    outputs
        Results at each state, (states, scalars of all outputs).
    """

    operations: int | None
    c_bytes: int | None
    generation_s: float
    compile_s: float | None
    nanoseconds: float
    outputs: Array


def measure_code(make: Callable[[], Code], states: Array) -> Figures:
    """Make code, compile it and time it at states, (states, scalars of all inputs)."""
    begin = time.perf_counter()
    code = make()
    generation = time.perf_counter() - begin
    timed = time_c_calls(code.sources, code.harness, states, code.output_size, code.work_size, standard=code.standard)
    return Figures(
        code.operations, timed.text_bytes, generation, timed.compile_seconds, timed.nanoseconds, timed.outputs
    )


def generated_code(files: Sequence[SourceFile], function: str) -> Code:
    """The C of a generated module that holds one function."""
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    entry = manifest.function(function)
    sources = [file for file in files if file.path in (*manifest.sources, manifest.header)]
    size = sum(output.size for output in entry.signature.outputs)
    return Code(sources, timing_harness(entry), size, entry.work_size, entry.operations)


def casadi_code(source: CasadiSource, name: str, input_sizes: Sequence[int], output_size: int) -> Code:
    """The C that CasADi wrote for a function with one output."""
    return Code(
        [SourceFile(f"{name}.c", source.text)],
        casadi_timing_harness(name, input_sizes),
        output_size,
        source.work_size,
        source.operations,
        standard=False,
    )
