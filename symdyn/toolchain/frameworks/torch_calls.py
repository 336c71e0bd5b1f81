"""Functions of a compiled module as operators of PyTorch, with the compiled derivatives as their backward pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdyn.compiler.emit.extension import describe
from symdyn.compiler.emit.results import result_of
from symdyn.errors import RequestError
from symdyn.interface.contact_calls import PARTIALS, STEP
from symdyn.interface.derivatives import COORDINATES, SLOPES
from symdyn.interface.signature import Argument
from symdyn.interface.stepping import CoordinateRows
from symdyn.toolchain.frameworks.moves import has_quaternions, moves, moves_apart, unit
from symdyn.toolchain.frameworks.offered import Given, Relatives, coordinates_place, installed, refuse_uncompiled
from symdyn.toolchain.maker import CompiledFunctions

_OPERATORS: dict[str, Any] = {}
"""Operators by the names that PyTorch knows: it takes a name once in a process, and makes derivatives by a maker."""


def over_torch(module: CompiledFunctions, name: str) -> Callable[..., Any]:
    """A function of a module as one of PyTorch; see :meth:`symdyn.toolchain.module.Module.torch`."""
    refuse_uncompiled(module, "torch")
    if name in (STEP, PARTIALS):
        raise RequestError(f"{name}: PyTorch has no form of steps with contacts; module.jax has one with derivatives")
    torch = installed("torch", "torch")
    if not hasattr(torch.library, "register_vmap"):
        raise RequestError(f"module.torch needs PyTorch 2.5 or later, and PyTorch {torch.__version__} is installed")
    return _public(Relatives(module), torch, name)


def _public(relatives: Relatives, torch: Any, name: str) -> Callable[..., Any]:
    """What the user calls: it checks, broadcasts, and gives quaternions the length 1."""
    manifest = relatives.module.manifest
    entry, number = manifest.function(name), getattr(torch, manifest.dtype)
    place, result = coordinates_place(entry), result_of(entry.signature)
    rows = relatives.rows(name)
    kind = relatives.module.__dict__[result.name] if result is not None else None
    operator = _operator(relatives, torch, name)

    def read(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return torch.as_tensor(value, dtype=number)
        if value.device.type not in ("cpu", "meta"):
            raise RequestError(
                f"{name}: module.torch calls code for CPUs, and a tensor is on '{value.device}'; take it from there by "
                ".cpu()"
            )
        return value

    given = Given(entry, manifest.dtype, torch, read)

    def call(*positional: Any, **named: Any) -> Any:
        arrays = given.arrays(positional, named)
        if has_quaternions(rows):
            assert place is not None
            arrays[place] = unit(torch, rows, arrays[place])
        found = operator(*arrays)
        return found[0] if kind is None else kind(*found)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = describe(entry)
    return call


def _operator(relatives: Relatives, torch: Any, name: str) -> Any:
    """The operator of tensors whose leading dimensions broadcast, quaternions of length one; it gives a list."""
    holder = relatives.holder(name)
    entry = holder.manifest.function(name)
    made_by = "" if relatives.module.maker is None else "_with_maker"
    known = f"symdyn::{entry.c_name}_{holder.manifest.content_hash[:16]}{made_by}"
    if known in _OPERATORS:
        return _OPERATORS[known]
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    compiled = getattr(holder, name)
    schema = f"({', '.join(f'Tensor x{place}' for place in range(len(inputs)))}) -> Tensor[]"

    def value(*tensors: Any) -> list[Any]:
        found = compiled(*(tensor.detach().numpy() for tensor in tensors))
        return [torch.as_tensor(own) for own in (found if len(outputs) > 1 else (found,))]

    def fake(*tensors: Any) -> list[Any]:
        lead = torch.broadcast_shapes(*_leads(inputs, tensors))
        return [tensors[0].new_empty((*lead, *own.shape)) for own in outputs]

    def batched(info: Any, dims: Sequence[int | None], *tensors: Any) -> tuple[list[Any], list[int]]:
        axes = max(len(lead) for lead in _leads(inputs, tensors))
        wide = []
        for own, dim, tensor in zip(inputs, dims, tensors, strict=True):
            if dim is not None:
                first = tensor.movedim(dim, 0)
                missing = axes - (first.ndim - len(own.shape))
                tensor = first.reshape(first.shape[0], *[1] * missing, *first.shape[1:])
            wide.append(tensor)
        return made(*wide), [0] * len(outputs)

    made = torch.library.custom_op(known, value, mutates_args=(), device_types="cpu", schema=schema)
    made.register_fake(fake)
    made.register_vmap(batched)
    made.register_autograd(_backward(relatives, torch, name), setup_context=_remember)
    _OPERATORS[known] = made
    return made


def _remember(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _backward(relatives: Relatives, torch: Any, name: str) -> Callable[..., tuple[Any, ...]]:
    """What makes gradients by the inputs of gradients by the outputs."""
    inputs = relatives.entry(name).signature.inputs

    def backward(ctx: Any, gradients: Sequence[Any]) -> tuple[Any, ...]:
        tensors, wanted = ctx.saved_tensors, [place for place in range(len(inputs)) if ctx.needs_input_grad[place]]
        slopes = relatives.slopes(name)
        for place in wanted:
            if slopes is None or not slopes.by(place):
                raise RequestError(
                    f"{name} has no compiled derivatives by '{inputs[place].name}'; PyTorch differentiates "
                    f"{', '.join(SLOPES)} once, by their vectors; module.jax differentiates all, any number of times"
                )
        found: list[Any] = [None] * len(inputs)
        if slopes is not None and wanted:
            matrices = _operator(relatives, torch, slopes.function)(*tensors)
            for place in wanted:
                pulls = [
                    torch.einsum("...ij,...i->...j", matrices[number], gradients[row])
                    for (row, column), number in slopes.places.items()
                    if column == place
                ]
                pull = sum(pulls[1:], pulls[0])
                rows = relatives.rows(name) if inputs[place].name == COORDINATES else ()
                if moves_apart(rows):
                    pull = _by_rows(torch, rows, tensors[place], pull)
                found[place] = _summed(pull, tensors[place].shape)
        return tuple(found)

    return backward


def _by_rows(torch: Any, rows: Sequence[CoordinateRows], q: Any, pull: Any) -> Any:
    """E(q)^T g: a gradient along the robot's axes as one by the rows of q."""
    size = q.shape[-1]
    lead = torch.broadcast_shapes(q.shape[:-1], pull.shape[:-1])
    each = torch.eye(size, dtype=q.dtype).expand(*lead, size, size)
    return torch.einsum("...iv,...v->...i", moves(torch, rows, q.expand(*lead, size)[..., None, :], each), pull)


def _summed(gradient: Any, shape: Sequence[int]) -> Any:
    """A gradient of broadcast inputs as one of what was given."""
    extra = gradient.ndim - len(shape)
    gradient = gradient.sum(tuple(range(extra))) if extra else gradient
    alike = [axis for axis, length in enumerate(shape) if length == 1 and gradient.shape[axis] != 1]
    return gradient.sum(alike, keepdim=True) if alike else gradient


def _leads(inputs: Sequence[Argument], tensors: Sequence[Any]) -> list[tuple[int, ...]]:
    return [tuple(tensor.shape[: tensor.ndim - len(own.shape)]) for own, tensor in zip(inputs, tensors, strict=True)]
