"""C by which CasADi calls a rollout of a compiled module, with its adjoint rollout and its forward derivatives."""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.extension import checked_head
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.rollout_calls import LENGTH, RolloutRows, rollout_calls
from symdyn.interface.signature import PARAMETERS, Argument

_BEFORE = 4
"""Inputs q, z, v and u."""


def rollout_name(manifest: Manifest, n: int) -> str:
    """The name by which CasADi finds a rollout of n steps."""
    return f"{rollout_calls(manifest, n)[0].c_name}_{n}_casadi"


def emit_rollout(manifest: Manifest, n: int, h: float, matrices: FunctionEntry | None) -> SourceFile:
    """Write the C file of the external functions of rollouts of n steps of length h, in ``float64``.

    It holds no dynamics: ``<identifier>_bind`` tells it where the rollout, its gradient and the matrices of a step are.

    Raises
    ------
    VerificationError
        The manifest is not one that symdyn writes.
    """
    head = checked_head(manifest)
    own, entry = RolloutRows.of(manifest), rollout_calls(manifest, n)[0]
    name = rollout_name(manifest, n)
    nq, nv, nu, held = own.q.size, own.v.size, own.driving.size, len(own.given)
    inputs = [("q", nq, 1), ("z", nv, 1), ("v", nv, 1), (own.driving.name, nu, n)]
    inputs += [(item.name, item.size, 1) for item in own.given]
    outputs = [("q_all", nq, n + 1), ("w_all", nv, n + 1), ("v_all", nv, n + 1), ("X", own.row, n + 1), ("code", 1, 1)]
    nominal = [*inputs, *(_before("out", item) for item in outputs)]
    work, moves = entry.work_size, 2 * nv
    rest = 0 if matrices is None else sum(item.size for item in matrices.signature.outputs) + matrices.work_size
    functions = [
        (name, inputs, outputs, (n + 1) * own.row + work),
        (
            f"adj1_{name}",
            [*nominal, *(_before("adj", item) for item in outputs)],
            [_before("adj", item) for item in inputs],
            moves * (n + 2) + nu * n + own.count + work,
        ),
    ]
    if matrices is not None:
        seeds = [_before("fwd", item) for item in inputs]
        found = [_before("fwd", item) for item in outputs]
        functions.append((f"fwd1_{name}", [*nominal, *seeds], found, 2 * moves + rest))
    context = {
        **head,
        "name": name,
        "n": n,
        "h": repr(h),
        "nq": nq,
        "nv": nv,
        "nu": nu,
        "np": own.count,
        "row": own.row,
        "held": held,
        "p_at": next((_BEFORE + k for k, item in enumerate(own.given) if item.name == PARAMETERS), 0),
        "others": [(_BEFORE + k, item.size) for k, item in enumerate(own.given) if item.name != PARAMETERS],
        "zeros": max(rows * columns for _, rows, columns in nominal),
        "matrices": None if matrices is None else _called(matrices, own),
        "functions": functions,
    }
    return SourceFile(f"{name}.c", render("casadi/ROLLOUT.c.jinja", context))


def _before(word: str, item: tuple[str, int, int]) -> tuple[str, int, int]:
    name, rows, columns = item
    return f"{word}_{name}", rows, columns


def _called(matrices: FunctionEntry, own: RolloutRows) -> dict[str, Any]:
    """The call of the matrices of a step at state q."""
    places = {"q": "q", "v": "q + NQ", own.driving.name: "u", LENGTH: "&h", "a": "q + NQ + NV"}
    places |= {item.name: f"given(arg[{_BEFORE + k}])" for k, item in enumerate(own.given)}
    inputs: tuple[Argument, ...] = matrices.signature.inputs
    outputs = [item.name for item in matrices.signature.outputs]
    return {
        "types": ", ".join([*["const scalar *"] * len(inputs), *["scalar *"] * len(outputs), "scalar *"]),
        "places": ", ".join([*(places[item.name] for item in inputs), *outputs]),
    }
