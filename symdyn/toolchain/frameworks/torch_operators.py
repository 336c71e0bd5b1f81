"""Operators of PyTorch made of functions of tensors: their shapes, leading dimensions and gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdyn.interface.derivatives import COORDINATES
from symdyn.interface.signature import Argument
from symdyn.interface.stepping import CoordinateRows
from symdyn.toolchain.frameworks.moves import moves, moves_apart, rates


def registered(
    torch: Any,
    name: str,
    inputs: Sequence[Argument],
    value: Callable[..., list[Any]],
    shapes: Callable[..., Sequence[tuple[int, ...]]],
    backward: Callable[..., tuple[Any, ...]],
) -> Any:
    """The operator of tensors whose leading dimensions broadcast; it gives a list.

    ``shapes`` tells those of its outputs for given tensors. ``backward`` finds inputs and outputs in what is saved.
    """
    schema = f"({', '.join(f'Tensor x{place}' for place in range(len(inputs)))}) -> Tensor[]"

    def fake(*tensors: Any) -> list[Any]:
        lead = torch.broadcast_shapes(*leads(inputs, tensors))
        return [tensors[0].new_empty((*lead, *own)) for own in shapes(*tensors)]

    def batched(info: Any, dims: Sequence[int | None], *tensors: Any) -> tuple[list[Any], list[int]]:
        axes = max(len(lead) for lead in leads(inputs, tensors))
        wide = []
        for own, dim, tensor in zip(inputs, dims, tensors, strict=True):
            if dim is not None:
                first = tensor.movedim(dim, 0)
                missing = axes - (first.ndim - len(own.shape))
                tensor = first.reshape(first.shape[0], *[1] * missing, *first.shape[1:])
            wide.append(tensor)
        found = made(*wide)
        return found, [0] * len(found)

    made = torch.library.custom_op(name, value, mutates_args=(), device_types="cpu", schema=schema)
    made.register_fake(fake)
    made.register_vmap(batched)
    made.register_autograd(backward, setup_context=_remember)
    return made


def _remember(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
    ctx.save_for_backward(*inputs, *output)


def by_rows(torch: Any, rows: Sequence[CoordinateRows], q: Any, pull: Any) -> Any:
    """E(q)^T g: a gradient along the robot's axes as one by the rows of q."""
    size = q.shape[-1]
    lead = torch.broadcast_shapes(q.shape[:-1], pull.shape[:-1])
    each = torch.eye(size, dtype=q.dtype).expand(*lead, size, size)
    return torch.einsum("...iv,...v->...i", moves(torch, rows, q.expand(*lead, size)[..., None, :], each), pull)


def summed(gradient: Any, shape: Sequence[int]) -> Any:
    """A gradient of broadcast inputs as one of what was given."""
    extra = gradient.ndim - len(shape)
    gradient = gradient.sum(tuple(range(extra))) if extra else gradient
    alike = [axis for axis, length in enumerate(shape) if length == 1 and gradient.shape[axis] != 1]
    return gradient.sum(alike, keepdim=True) if alike else gradient


def leads(inputs: Sequence[Argument], tensors: Sequence[Any]) -> list[tuple[int, ...]]:
    """The leading dimensions of each tensor or array."""
    return [tuple(tensor.shape[: tensor.ndim - len(own.shape)]) for own, tensor in zip(inputs, tensors, strict=True)]


def along_moves(torch: Any, rows: Sequence[CoordinateRows], q: Any, pull: Any, size: int) -> Any:
    """N(q)^T g: a gradient by the rows of q as one along the robot's axes, of which there are so many."""
    lead = torch.broadcast_shapes(q.shape[:-1], pull.shape[:-1])
    each = torch.eye(size, dtype=q.dtype).expand(*lead, size, size)
    place = q.expand(*lead, q.shape[-1])[..., None, :].expand(*lead, size, q.shape[-1])
    return torch.einsum("...vi,...i->...v", rates(torch, rows, place, each), pull)


def by_inputs(
    torch: Any, rows: Sequence[CoordinateRows], names: Sequence[str], given: Any, pulls: Any
) -> tuple[Any, ...]:
    """Gradients along the robot's axes as those of what was given; None where there are none."""
    found: list[Any] = []
    for name in names:
        pull = pulls.get(name)
        if pull is not None:
            pull = by_rows(torch, rows, given[name], pull) if name == COORDINATES and moves_apart(rows) else pull
            pull = summed(pull, given[name].shape)
        found.append(pull)
    return tuple(found)


def each(torch: Any, inputs: Sequence[Any], function: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """A function of arrays of one rollout for tensors with leading dimensions, which broadcast."""

    def value(*tensors: Any) -> list[Any]:
        arrays = [tensor.detach().numpy() for tensor in tensors]
        lead, flat = np.broadcast_shapes(*leads(inputs, arrays)), []
        for own, item in zip(arrays, inputs, strict=True):
            shape = own.shape[own.ndim - len(item.shape) :]
            flat.append(np.broadcast_to(own, (*lead, *shape)).reshape(-1, *shape))
        found = [function(*given) for given in zip(*flat, strict=True)]
        return [torch.as_tensor(np.stack(own).reshape((*lead, *own[0].shape))) for own in zip(*found, strict=True)]

    return value
