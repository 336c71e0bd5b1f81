"""Functions of the catalogue as functions of rows, with the derivatives that are known in closed form.

For tools that differentiate by every row of every input, such as CasADi: quaternions are divided by their lengths, and
derivatives by q are by its rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from symdyn.dynamics.equations.by_rows import SecondOrder, by_rows_plan, normalised_plan, second_by_rows_plan
from symdyn.dynamics.equations.residual_gradient import GRADIENTS
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request, is_driven
from symdyn.interface.derivatives import (
    ADJOINTS,
    COORDINATES,
    HESSIANS,
    MULTIPLIER_WEIGHTS,
    SLOPES,
    WEIGHTS,
    curvature_name,
    slope_name,
)
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.compose import wanted
from symdyn.plan.plan import FieldKind, Plan

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ByRows:
    """A plan, its interface, and where derivatives are: per pair (of, by) an output, and whether it is transposed.

    Of a gradient ``of`` is empty; of second derivatives it is the input by which was differentiated first. There ``by``
    also names weights, whose outputs ``weighed`` tells.
    """

    plan: Plan
    signature: Signature
    blocks: Mapping[Pair, tuple[str, bool]]
    weighed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Second:
    """The pairs of inputs by which second derivatives are not zero, and what they are of.

    ``of`` has the inputs of weights by outputs.
    """

    of: Mapping[str, str]
    inputs: tuple[str, ...]
    blocks: tuple[Pair, ...]


_BY_STATE: tuple[Pair, ...] = (("q", "q"), ("q", "v"), ("v", "v"))
_BY_FORCES, _BY_MIXED, _BY_MOTION = ((*_BY_STATE, ("q", known)) for known in ("tau", "u", "a"))
_SECOND: Mapping[str, _Second] = {
    "inverse_dynamics": _Second(
        {"tau": WEIGHTS},
        ("q", "v", "a"),
        _BY_MOTION,
    ),
    "forward_dynamics": _Second(
        {"a": WEIGHTS},
        ("q", "v", "tau"),
        _BY_FORCES,
    ),
    "constrained_forward_dynamics": _Second(
        {"a": WEIGHTS, "lambda": MULTIPLIER_WEIGHTS},
        ("q", "v", "tau"),
        _BY_FORCES,
    ),
    "hybrid_dynamics": _Second({"w": WEIGHTS}, ("q", "v", "u"), _BY_MIXED),
    "constrained_hybrid_dynamics": _Second({"w": WEIGHTS, "lambda": MULTIPLIER_WEIGHTS}, ("q", "v", "u"), _BY_MIXED),
    "constrained_inverse_dynamics": _Second(
        {"tau": WEIGHTS, "lambda": MULTIPLIER_WEIGHTS}, ("q", "v", "a"), _BY_MOTION
    ),
    "impulse_dynamics": _Second(
        {"v_plus": WEIGHTS, "impulses": MULTIPLIER_WEIGHTS}, ("q", "v"), (("q", "q"), ("q", "v"))
    ),
}


def value_by_rows(model: Model, entry: CatalogueEntry, request: Request) -> ByRows:
    """A function itself."""
    return ByRows(normalised_plan(model, entry.plan(model, request)), entry.signature(model, request), {})


def jacobian_by_rows(model: Model, entry: CatalogueEntry, request: Request) -> ByRows | None:
    """Its first derivatives; None where they are not known in closed form."""
    known = SLOPES.get(entry.name)
    signature = entry.signature(model, request)
    if known is None or not _are_vectors(signature):
        return None
    partials = CATALOGUE[known]
    plan = partials.plan(model, request)
    names = {
        (of.name, by.name): slope_name(known, of.name, by.name) for of in signature.outputs for by in signature.inputs
    }
    made = {field.name for field in plan.fields_of(FieldKind.OUTPUT)}
    blocks = {pair: (name, False) for pair, name in names.items() if name in made}
    rows = {own.name: own.size for own in signature.outputs}
    by_q = {name: rows[of] for (of, by), (name, _) in blocks.items() if by == COORDINATES}
    return _made(by_rows_plan(model, plan, by_q), partials.signature(model, request), blocks)


def gradient_by_rows(model: Model, entry: CatalogueEntry, request: Request) -> ByRows | None:
    """The gradient of its output weighed by lambda; None where it is not known in closed form."""
    known = _second(entry, request)
    if not _has_second(known, entry, model, request):
        return None
    assert known is not None
    blocks = {("", name): (f"g_{name}", True) for name in known.inputs}
    adjoint = CATALOGUE[ADJOINTS[entry.name]]
    plan = by_rows_plan(model, adjoint.plan(model, request), {GRADIENTS[COORDINATES]: 1})
    return _made(plan, adjoint.signature(model, request), blocks, known.of)


def second_by_rows(model: Model, entry: CatalogueEntry, request: Request) -> ByRows | None:
    """The derivatives of that gradient by the inputs and by lambda; None where they are not known in closed form."""
    known = _second(entry, request)
    if not _has_second(known, entry, model, request):
        return None
    assert known is not None
    hessian = CATALOGUE[HESSIANS[entry.name]]
    partials = CATALOGUE[SLOPES[entry.name]].plan(model, request)
    given = SecondOrder(known.of, known.inputs, known.blocks, partials, hessian.plan(model, request))
    blocks = {(x, y): (curvature_name(x, y), False) for x, y in known.blocks}
    blocks |= {(y, x): (curvature_name(x, y), True) for x, y in known.blocks if x != y}
    blocks |= {
        (x, weights): (slope_name(SLOPES[entry.name], of, x), True)
        for of, weights in known.of.items()
        for x in known.inputs
    }
    return _made(second_by_rows_plan(model, given), hessian.signature(model, request), blocks, known.of)


def _second(entry: CatalogueEntry, request: Request) -> _Second | None:
    """What is known, by the inputs that were asked for."""
    known = _SECOND.get(entry.name)
    if known is None or not is_driven(request):
        return known
    inputs, pairs = ("u" if name == "tau" else name for name in known.inputs), known.blocks
    return replace(known, inputs=tuple(inputs), blocks=tuple((x, "u" if y == "tau" else y) for x, y in pairs))


def _has_second(known: _Second | None, entry: CatalogueEntry, model: Model, request: Request) -> bool:
    """Whether there is a form for what was asked: of those inputs, and of options that the second derivatives take."""
    if known is None:
        return False
    given = {own.name for own in entry.signature(model, request).inputs}
    return set(known.inputs) <= given


def _are_vectors(signature: Signature) -> bool:
    """Whether outputs have one axis, so that rows of their derivatives are theirs."""
    return all(len(own.shape) == 1 for own in signature.outputs)


def _made(
    plan: Plan,
    signature: Signature,
    blocks: Mapping[Pair, tuple[str, bool]],
    weights: Mapping[str, str] = MappingProxyType({}),
) -> ByRows:
    """The record, with outputs that are told by their sizes alone, and without those that no block is."""
    asked = {name for name, _ in blocks.values()}
    fields = tuple(
        replace(own, kind=FieldKind.STATE) if own.kind is FieldKind.OUTPUT and own.name not in asked else own
        for own in plan.fields
    )
    plan = replace(plan, fields=fields)
    outputs = tuple(
        Argument(own.name, (own.size,), (_numbers(own.size),), ("",), "") for own in plan.fields_of(FieldKind.OUTPUT)
    )
    weighed = {name: of for of, name in weights.items()}
    return ByRows(wanted(plan), replace(signature, outputs=outputs), blocks, weighed)


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))
