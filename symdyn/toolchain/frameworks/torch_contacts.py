"""Steps with rigid contacts as operators of PyTorch, with their derivatives by C as the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdyn.interface.contact_calls import GUESS, STEP
from symdyn.toolchain.frameworks.contact_calls import (
    given_to_partials,
    of_one_state,
    refuse_second,
    refuse_slopes,
)
from symdyn.toolchain.frameworks.moves import moves_apart
from symdyn.toolchain.frameworks.offered import Relatives
from symdyn.toolchain.frameworks.torch_operators import along_moves, by_inputs, each, registered
from symdyn.toolchain.maker import CompiledFunctions


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
