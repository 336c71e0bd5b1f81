"""Backward passes of steps and of rollouts for PyTorch: the adjoint of a step, and the adjoint rollout in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symdyn.errors import RequestError
from symdyn.interface.derivatives import COORDINATES, WEIGHTS
from symdyn.interface.rollout_calls import LENGTH, RolloutRows, rollout_calls
from symdyn.interface.rollouts import ROLLOUT, Rollout, RolloutCode
from symdyn.interface.signature import PARAMETERS
from symdyn.interface.stepping import CoordinateRows
from symdyn.toolchain.frameworks.moves import moves_apart
from symdyn.toolchain.frameworks.offered import Relatives
from symdyn.toolchain.frameworks.step_rules import ACCELERATION, ADJOINT, GUESS, KNOWN, STEP
from symdyn.toolchain.frameworks.torch_operators import along_moves, by_inputs, each, registered


def step_backward(relatives: Relatives, torch: Any, operator: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    """What makes gradients by the inputs of a step of gradients by the state after it."""
    signature = relatives.entry(STEP).signature
    names, outputs = [own.name for own in signature.inputs], [own.name for own in signature.outputs]
    known, size = [name for name in names if name in KNOWN], signature.input("v").size

    def backward(ctx: Any, gradients: Sequence[Any]) -> tuple[Any, ...]:
        given = dict(zip([*names, *outputs], ctx.saved_tensors, strict=True))
        wanted = [name for place, name in enumerate(names) if ctx.needs_input_grad[place] and name != GUESS]
        refuse_others(STEP, wanted, known)
        rows, (by_q, by_v) = relatives.rows(STEP), gradients[:2]
        by_q = along_moves(torch, rows, given["q_next"], by_q, size) if moves_apart(rows) else by_q
        shift = gradients[2] / given[LENGTH][..., None] if ACCELERATION in outputs else 0.0  # v_next = v + h a
        at = {**given, WEIGHTS: torch.cat([by_q, by_v + shift], -1)}
        found = operator(relatives, torch, ADJOINT)(
            *(at[own.name] for own in relatives.entry(ADJOINT).signature.inputs)
        )
        pulls = dict(zip(known, found, strict=False))
        pulls["v"] = pulls["v"] - shift
        return by_inputs(torch, rows, names, given, pulls)

    return backward


def refuse_others(function: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    """Raise a RequestError for inputs by which there are no derivatives."""
    for name in wanted:
        if name not in known:
            raise RequestError(
                f"{function}: there are no derivatives by '{name}' in PyTorch; those by {', '.join(known)} exist. Take "
                "it for a constant, as by detach()"
            )


def rollout_operator(relatives: Relatives, torch: Any, rows: Sequence[CoordinateRows], known: dict[str, Any]) -> Any:
    """The operator of a rollout: rows of states, and how it ended."""
    module, own = relatives.module, RolloutRows.of(relatives.module.manifest)
    entry, back = rollout_calls(module.manifest, 0)
    content = f"symdyn::{entry.c_name}_{module.manifest.content_hash[:16]}"
    if content in known:
        return known[content]
    forward, pulled = (module.__dict__[item.python_name] for item in (entry, back))
    nq, end, count = own.q.size, own.q.size + own.v.size, len(own.given)

    def states(q: Any, v: Any, u: Any, *others: Any) -> list[Any]:
        found = forward(q, v, u, *others[:count], h=float(others[count]))
        return [np.concatenate([found.q, found.v, found.memory], 1), np.asarray(float(found.code), q.dtype)]

    def gradient(X: Any, u: Any, *others: Any) -> list[Any]:
        found = Rollout(X[:, :nq], X[:, nq:end], X[:, end:], RolloutCode.DONE)
        *given, h, l_x = others
        g = pulled(found, u, *given, h=float(h), l_x=l_x)
        return [np.concatenate([g.q, g.v]), g.u, *([g.p] if own.count else [])]

    def shapes(_: Any, __: Any, u: Any, *___: Any) -> list[tuple[int, ...]]:
        return [(u.shape[-2] + 1, own.row), ()]

    def shapes_back(_: Any, u: Any, *__: Any) -> list[tuple[int, ...]]:
        return [(2 * own.v.size,), (u.shape[-2], own.driving.size), *([(own.count,)] if own.count else [])]

    def refuse(*_: Any) -> tuple[Any, ...]:
        raise RequestError(f"{back.python_name}: rollouts have no second derivatives; differentiate once")

    inputs = entry.signature.inputs
    names = [item.name for item in inputs]
    taken, name = back.signature.inputs, f"{content}_gradient"
    once = registered(torch, name, taken, each(torch, taken, gradient), shapes_back, refuse)
    differentiated = [COORDINATES, "v", own.driving.name, *([PARAMETERS] if own.count else [])]

    def backward(ctx: Any, gradients: Sequence[Any]) -> tuple[Any, ...]:
        given = dict(zip([*names, "X", "code"], ctx.saved_tensors, strict=True))
        wanted = [name for place, name in enumerate(names) if ctx.needs_input_grad[place]]
        refuse_others(ROLLOUT, wanted, differentiated)
        by_q, by_v = gradients[0][..., :nq], gradients[0][..., nq:end]
        if moves_apart(rows):
            by_q = along_moves(torch, rows, given["X"][..., :nq], by_q, own.v.size)
        held = [given[name] for name in names[2:]]
        start, *others = once(given["X"], *held, torch.cat([by_q, by_v], -1))
        size = own.v.size
        pulls = dict(zip(differentiated, [start[..., :size], start[..., size:], *others], strict=True))
        return by_inputs(torch, rows, names, given, pulls)

    known[content] = registered(torch, content, inputs, each(torch, inputs, states), shapes, backward)
    return known[content]
