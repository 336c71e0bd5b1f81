"""Whether inertia that rests on run-time parameters is regrouped, decided for each function by operations."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from symdyn.algebra.scalars.counted import CountingAlgebra, CountLimitError
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.model.bind import baked_body
from symdyn.model.body_choices import body_choices
from symdyn.model.model import Model
from symdyn.plan.plan import FieldKind
from symdyn.plan.run import run_plan

COUNTED_UP_TO = 200_000
"""Operations, needed or not, up to which a function is counted: about two seconds. Robots of hundreds of bodies with
run-time parameters leave these bodies as they are described."""

PAYS = 0.98
"""Share of the operations that must not be exceeded for anything to change. What is made from p waits in memory until
it is used, where numbers lie ready: with the ten parameters of an arm's last link (ns of single calls on one machine)
inverse dynamics took 110 with 639 operations and 115 with 629, forward dynamics 193 with 1250 and 197 with 1235. Where
this share was kept, thirty functions of two robots took from 0.55 to 1.01 of the time, half of them less than 0.92.
"""


@lru_cache(maxsize=16)
def with_cheapest_regrouping(model: Model, entry: CatalogueEntry, request: Request) -> Model:
    """The model with the ``runtime_givers`` that leave a function the fewest operations, if these are enough fewer.

    Compared are four ways: bodies that rest on p as they are described; taking what their children can give; giving as
    well; and so do all bodies above them that have received something. What is computed from p counts, once per call.

    Parameters
    ----------
    model
        The robot. Where it has ``runtime_givers``, these are kept.
    entry, request
        The function, and how it is asked for.

    Raises
    ------
    ModelError
        The robot has no such function.
    """
    plain, *others = regroupings(model, entry, request)
    most = _operations(plain, entry, request) if others else None
    if most is None:
        return model
    best, fewest = plain, PAYS * most
    for candidate in others:
        operations = _operations(candidate, entry, request)
        if operations is not None and operations < fewest:
            best, fewest = candidate, operations
    return best


def regroupings(model: Model, entry: CatalogueEntry, request: Request) -> tuple[Model, ...]:
    """The model, and with each choice of ``runtime_givers`` where a function does not show what these change.

    Parameters
    ----------
    model, entry, request
        As for ``with_cheapest_regrouping``.
    """
    on_p = frozenset(index for index, body in enumerate(model.bodies) if baked_body(model, body) is None)
    if not on_p or model.runtime_givers is not None:
        return (model,)
    everyone = frozenset(range(len(model.bodies)))
    if _changes(model, entry, request) == _changes(replace(model, runtime_givers=everyone), entry, request):
        return (model,)
    choices = dict.fromkeys((frozenset[int](), on_p, everyone))
    return (model, *(replace(model, runtime_givers=givers) for givers in choices))


def _changes(model: Model, entry: CatalogueEntry, request: Request) -> list[str]:
    return [choice.changes for choice in body_choices(entry.view(model, request), bool(request.external))]


def _operations(model: Model, entry: CatalogueEntry, request: Request) -> int | None:
    """Operations of a straight line, None for one that is too long to be counted."""
    plan = entry.plan(model, request)
    algebra = CountingAlgebra(COUNTED_UP_TO)
    inputs = {field.name: algebra.variables(field.size) for field in plan.fields_of(FieldKind.INPUT)}
    try:
        outputs = run_plan(plan, algebra, inputs)
    except CountLimitError:
        return None
    return algebra.total(value for values in outputs.values() for value in values)
