"""The catalogue of functions: each one is a signature and the plan that computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symdyn.errors import RequestError
from symdyn.functions.inverse_dynamics import inverse_dynamics_signature
from symdyn.model.model import Model
from symdyn.plan import Plan
from symdyn.recursion.newton_euler import inverse_dynamics_plan
from symdyn.signature import Signature

EXTERNAL_WRENCHES = (None, "body", "world")


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """How to make a function for a model; ``external`` names the axes of f_ext or is empty."""

    name: str
    sentence: str
    signature: Callable[[Model, str], Signature]
    plan: Callable[[Model, str], Plan]
    has_order: bool = False
    """Whether the function takes a number of time derivatives."""


CATALOGUE: dict[str, CatalogueEntry] = {
    entry.name: entry
    for entry in (
        CatalogueEntry(
            "inverse_dynamics",
            "Joint forces for a motion: q, v, a -> tau.",
            inverse_dynamics_signature,
            inverse_dynamics_plan,
        ),
    )
}


def find_functions(
    names: Sequence[str], order: int = 0, external_wrenches: str | None = None
) -> tuple[CatalogueEntry, ...]:
    """The entries of some functions, in the order asked for.

    Raises
    ------
    RequestError
        No name, an unknown or repeated one, an order where the function has none, or unknown axes of wrenches.
    """
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise RequestError(f"functions is a list of at least one name, got {names!r}; try ['inverse_dynamics']")
    for name in names:
        if name not in CATALOGUE:
            raise RequestError(f"function '{name}' is not in the catalogue; it has {', '.join(CATALOGUE)}")
    if len(set(names)) != len(names):
        raise RequestError(f"functions are named twice in {list(names)}; name each once")
    if order < 0 or order != int(order):
        raise RequestError(f"order is a whole number from 0, got {order!r}")
    for name in names:
        if order > 0 and not CATALOGUE[name].has_order:
            raise RequestError(f"function '{name}' has no time derivatives, so order must be 0, got {order}")
    if external_wrenches not in EXTERNAL_WRENCHES:
        raise RequestError(f"external_wrenches is None, 'body' or 'world', got {external_wrenches!r}")
    return tuple(CATALOGUE[name] for name in names)
