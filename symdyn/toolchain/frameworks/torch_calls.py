"""Functions of a compiled module as operators of PyTorch, with the compiled derivatives as their backward pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdyn.compiler.emit.extension import describe
from symdyn.compiler.emit.results import result_of
from symdyn.errors import RequestError
from symdyn.interface.contact_calls import GUESS, PARTIALS, STEP
from symdyn.interface.derivatives import COORDINATES, SLOPES
from symdyn.interface.rollout_calls import RolloutRows, has_rollouts, rollout_calls, steps_of
from symdyn.interface.rollouts import ROLLOUT, RolloutStates
from symdyn.interface.stepping import CONTACTS
from symdyn.toolchain.frameworks.contact_calls import (
    given_to_partials,
    of_one_state,
    refuse_second,
    refuse_slopes,
    result_kind,
    with_guess,
)
from symdyn.toolchain.frameworks.moves import has_quaternions, moves_apart, unit
from symdyn.toolchain.frameworks.offered import Given, Relatives, coordinates_place, installed, refuse_uncompiled
from symdyn.toolchain.frameworks.step_rules import STEP as MOVED_BY_STEP
from symdyn.toolchain.frameworks.torch_operators import along_moves, by_inputs, by_rows, each, registered, summed
from symdyn.toolchain.frameworks.torch_steps import rollout_operator, step_backward
from symdyn.toolchain.maker import CompiledFunctions

_OPERATORS: dict[str, Any] = {}
"""Operators by the names that PyTorch knows: it takes a name once in a process, and makes derivatives by a maker."""


def over_torch(module: CompiledFunctions, name: str) -> Callable[..., Any]:
    """A function of a module as one of PyTorch; see :meth:`symdyn.toolchain.module.Module.torch`."""
    refuse_uncompiled(module, "torch")
    rolled = name == ROLLOUT and has_rollouts(module.manifest)
    torch = installed("torch", "torch")
    if not hasattr(torch.library, "register_vmap"):
        raise RequestError(f"module.torch needs PyTorch 2.5 or later, and PyTorch {torch.__version__} is installed")
    relatives = Relatives(module)
    return _rollout(relatives, torch) if rolled else _public(relatives, torch, name)


def _public(relatives: Relatives, torch: Any, name: str) -> Callable[..., Any]:
    """What the user calls: it checks, broadcasts, and gives quaternions the length 1."""
    manifest = relatives.module.manifest
    entry, number = relatives.entry(name), getattr(torch, manifest.dtype)
    place, rows = coordinates_place(entry), relatives.rows(name)
    kind = result_kind(relatives, name, result_of(entry.signature), lambda tensor: tensor.detach().to(torch.int32))
    operator = _operator(relatives, torch, name)
    given = Given(entry, manifest.dtype, torch, _reader(torch, name, number))

    def call(*positional: Any, **named: Any) -> Any:
        arrays = given.arrays(positional, with_guess(entry.signature.inputs, positional, named, manifest.dtype))
        if has_quaternions(rows):
            assert place is not None
            arrays[place] = unit(torch, rows, arrays[place], torch.Tensor.detach)
        found = operator(*arrays)
        return found[0] if kind is None else kind(*found)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = describe(entry)
    return call


def _reader(torch: Any, name: str, number: Any) -> Callable[[Any], Any]:
    """What makes a tensor of what was given."""

    def read(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return torch.as_tensor(value, dtype=number)
        if value.device.type not in ("cpu", "meta"):
            raise RequestError(
                f"{name}: module.torch calls code for CPUs, and a tensor is on '{value.device}'; take it from there by "
                ".cpu()"
            )
        return value

    return read


def _rollout(relatives: Relatives, torch: Any) -> Callable[..., RolloutStates]:
    """A rollout of any number of steps, with the adjoint rollout as its backward pass."""
    module, manifest = relatives.module, relatives.module.manifest
    own, number = RolloutRows.of(manifest), getattr(torch, manifest.dtype)
    contacts = manifest.asked["rollout"] == CONTACTS
    rows = relatives.rows(PARTIALS if contacts else MOVED_BY_STEP)
    read, nq, end = _reader(torch, ROLLOUT, number), own.q.size, own.q.size + own.v.size
    operator = rollout_operator(relatives, torch, rows, _OPERATORS)

    def call(*positional: Any, **named: Any) -> RolloutStates:
        n = steps_of(own, lambda value: tuple(np.shape(value)), positional, named)
        arrays = Given(rollout_calls(manifest, n)[0], manifest.dtype, torch, read).arrays(positional, named)
        if has_quaternions(rows):
            arrays[0] = unit(torch, rows, arrays[0], torch.Tensor.detach)
        X, code = operator(*arrays)
        return RolloutStates(X[..., :nq], X[..., nq:end], X[..., end:].detach(), code.detach().to(torch.int32))

    call.__name__ = call.__qualname__ = ROLLOUT
    call.__doc__ = module.__dict__[ROLLOUT].__doc__
    return call


def _operator(relatives: Relatives, torch: Any, name: str) -> Any:
    """The operator of tensors whose leading dimensions broadcast, quaternions of length one; it gives a list."""
    holder, entry = relatives.holder(name), relatives.entry(name)
    made_by = "" if relatives.module.maker is None else "_with_maker"
    known = f"symdyn::{entry.c_name}_{holder.manifest.content_hash[:16]}{made_by}"
    if known in _OPERATORS:
        return _OPERATORS[known]
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    if name in (STEP, PARTIALS):
        _OPERATORS[known] = contact_operator(relatives, torch, holder, name, known, _operator)
        return _OPERATORS[known]
    compiled = getattr(holder, name)

    def value(*tensors: Any) -> list[Any]:
        found = compiled(*(tensor.detach().numpy() for tensor in tensors))
        return [torch.as_tensor(own) for own in (found if len(outputs) > 1 else (found,))]

    def shapes(*_: Any) -> list[tuple[int, ...]]:
        return [own.shape for own in outputs]

    backward = (
        step_backward(relatives, torch, _operator) if name == MOVED_BY_STEP else _backward(relatives, torch, name)
    )
    _OPERATORS[known] = registered(torch, known, inputs, value, shapes, backward)
    return _OPERATORS[known]


def _backward(relatives: Relatives, torch: Any, name: str) -> Callable[..., tuple[Any, ...]]:
    """What makes gradients by the inputs of gradients by the outputs."""
    inputs = relatives.entry(name).signature.inputs

    def backward(ctx: Any, gradients: Sequence[Any]) -> tuple[Any, ...]:
        tensors, wanted = (
            ctx.saved_tensors[: len(inputs)],
            [place for place in range(len(inputs)) if ctx.needs_input_grad[place]],
        )
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
                    pull = by_rows(torch, rows, tensors[place], pull)
                found[place] = summed(pull, tensors[place].shape)
        return tuple(found)

    return backward


def contact_operator(
    relatives: Relatives,
    torch: Any,
    holder: CompiledFunctions,
    name: str,
    known: str,
    operator: Callable[..., Any],
) -> Any:
    """The operator of a step, or of its derivatives, by the name that PyTorch knows; it gives a list."""
    signature = relatives.entry(name).signature
    value = each(torch, signature.inputs, of_one_state(holder, name))
    backward = _step_backward(relatives, torch, operator) if name == STEP else _refusing
    return registered(
        torch, known, signature.inputs, value, lambda *_: [item.shape for item in signature.outputs], backward
    )


def _refusing(*_: Any) -> tuple[Any, ...]:
    refuse_second()


def _step_backward(relatives: Relatives, torch: Any, operator: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    """What makes gradients by the inputs of a step of gradients by q_next, v_next and impulses."""
    inputs, rows = relatives.entry(STEP).signature.inputs, relatives.rows(STEP)
    names, size = [item.name for item in inputs], relatives.entry(STEP).signature.input("v").size

    def backward(ctx: Any, gradients: Sequence[Any]) -> tuple[Any, ...]:
        tensors, outputs = ctx.saved_tensors[: len(inputs)], ctx.saved_tensors[len(inputs) :]
        wanted = [place for place, name in enumerate(names) if ctx.needs_input_grad[place] and name != GUESS]
        pulls: dict[str, Any] = {}
        if wanted:
            slopes = relatives.slopes(STEP)
            assert slopes is not None, "steps have them"
            refuse_slopes(slopes, inputs, wanted)
            by_q = gradients[0]
            by_q = along_moves(torch, rows, outputs[0], by_q, size) if moves_apart(rows) else by_q
            by_end = (by_q, *gradients[1:3])
            matrices = operator(relatives, torch, slopes.function)(*given_to_partials(inputs, tensors, outputs))
            for place in wanted:
                parts = [
                    torch.einsum("...ij,...i->...j", matrices[slopes.places[row, place]], pull)
                    for row, pull in enumerate(by_end)
                ]
                pulls[names[place]] = sum(parts[1:], parts[0])
        return by_inputs(torch, rows, names, dict(zip(names, tensors, strict=True)), pulls)

    return backward
