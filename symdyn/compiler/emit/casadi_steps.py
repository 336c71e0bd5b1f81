"""C by which CasADi calls a step with rigid contacts of a compiled module, and the step's derivatives."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from symdyn.compiler.emit.called_steps import step_context
from symdyn.compiler.emit.extension import checked_head
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.contact_calls import step_calls
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.signature import Argument


def emit_steps(manifest: Manifest) -> SourceFile:
    """Write the C file of the external functions of the steps of a manifest, in ``float64``.

    It holds no dynamics: ``<identifier>_bind`` tells it where the compiled functions are. Matrices are transposed.

    Raises
    ------
    VerificationError
        The manifest is not one that symdyn writes.
    """
    context = {
        **checked_head(manifest),
        "functions": [_function(entry) for entry in step_calls(manifest)],
    }
    return SourceFile(f"{manifest.identifier}_steps_casadi.c", render("casadi/STEPS.c.jinja", context))


def external_name(entry: FunctionEntry) -> str:
    """The name by which CasADi finds a function."""
    return f"{entry.c_name}_casadi"


def _function(entry: FunctionEntry) -> dict[str, Any]:
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    offsets = list(accumulate((own.size for own in outputs), initial=0))
    return {
        "step": step_context(entry),
        "name": external_name(entry),
        "sizes": [own.size for own in (*inputs, *outputs)],
        "zeros": max(own.size for own in inputs),
        "inputs": [_shaped(own) for own in inputs],
        "outputs": [_shaped(own) for own in outputs],
        "outputs_at": [(len(inputs) + number, offsets[number]) for number in range(len(outputs))],
        "results": offsets[-1],
        "work": offsets[-1] + entry.work_size,
    }


def _shaped(own: Argument) -> tuple[str, int, int]:
    """The name, and the shape of the transposed array."""
    *first, last = own.shape or (1,)
    return (own.name, last, first[0]) if first else (own.name, last, 1)
