"""Handlers around the compiled C by which XLA, and so JAX, calls it on arrays in memory."""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.called_steps import rollout_context, step_context
from symdyn.compiler.emit.extension import c_string, checked_head, expected_shape
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.rollout_calls import calls_apart, sizes_of_a_step
from symdyn.interface.signature import PARAMETERS

_SCALARS = {"float64": ("double", "XLA_FFI_DataType_F64"), "float32": ("float", "XLA_FFI_DataType_F32")}


def handler_name(entry: FunctionEntry) -> str:
    """The C name of a function's handler; with ``_elsewhere`` that of what refuses other devices than processors."""
    return f"{entry.c_name}_xla"


def emit_handlers(manifest: Manifest) -> SourceFile:
    """Write the C file of the handlers of all functions of a manifest.

    It holds no dynamics: ``<identifier>_bind`` tells it where the compiled functions are, and
    ``<identifier>_set_threads`` how many threads a batch may use. Each handler checks types and sizes of its arrays.

    Returns
    -------
    SourceFile
        ``<identifier>_xla.c``; it includes the headers that come with jaxlib.

    Raises
    ------
    VerificationError
        The manifest is not one that symdyn writes.
    """
    head = checked_head(manifest)
    scalar, xla_type = _SCALARS[manifest.dtype]
    entries = (*manifest.functions, *calls_apart(manifest))
    sizes = [(0,) * _arrays(entry) for entry in manifest.functions] + list(sizes_of_a_step(manifest))
    signatures = [entry.signature for entry in entries]
    context = {
        **head,
        "scalar": scalar,
        "xla_type": xla_type,
        "max_arguments": max(len(signature.inputs) + len(signature.outputs) for signature in signatures),
        "functions": [
            _function(entry, number, manifest, more)
            for number, (entry, more) in enumerate(zip(entries, sizes, strict=True))
        ],
    }
    return SourceFile(f"{manifest.identifier}_xla.c", render("xla/HANDLERS.c.jinja", context))


def _arrays(entry: FunctionEntry) -> int:
    return len(entry.signature.inputs) + len(entry.signature.outputs)


def _function(entry: FunctionEntry, number: int, manifest: Manifest, more: tuple[int, ...]) -> dict[str, Any]:
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    both = (*inputs, *outputs)
    step, rollout = step_context(entry), rollout_context(entry, more)
    apart = step is not None or rollout is not None
    places = [place for place, own in enumerate(inputs) if own.name == PARAMETERS and not apart]
    sizes, lengths = ", ".join(str(own.size) for own in both), ", ".join(map(str, more))
    misfits = ",\n      ".join(
        c_string(
            f"{entry.python_name}: array '{own.name}' is not {manifest.dtype} of shape {expected_shape(own)} with the "
            "leading dimensions of the others"
        )
        for own in both
    )
    head = ", ".join(
        [
            str(len(inputs)),
            str(len(outputs)),
            str(places[0] if places else -1),
            str(rollout["series"] if rollout else -1),
            str(int(entry.work_size)),
            str(int(entry.batch_work_size)),
            f"{int(entry.operations)}.0",
            f"call_{number}",
            "NULL" if apart else f"batch_{number}",
        ]
    )
    elsewhere = (
        f"{entry.python_name} of {manifest.robot!r} is compiled for processors, and these arrays are on another "
        "device; put them on jax.devices('cpu')[0], or take symdyn.compile(robot, [...], target='jax')"
    )
    return {
        "step": step,
        "rollout": rollout,
        "apart": apart,
        "types": ", ".join([*["const scalar *"] * len(inputs), *["scalar *"] * len(outputs), "scalar *"]),
        "places": ", ".join(f"a[{place}]" for place in range(len(both))),
        "entry": f"{{{head},\n     {{{sizes}}},\n     {{{lengths}}},\n     {{{misfits}}}}}",
        "handler": handler_name(entry),
        "elsewhere": c_string(elsewhere),
    }
