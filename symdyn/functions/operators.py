"""Operators on problems of dynamics: each makes one entry of the catalogue per problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import LOOPS
from symdyn.functions.problems import MOTION, DynamicsProblem
from symdyn.functions.rates import frames_of, rates_signature
from symdyn.functions.request import Request, free_rows
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import MOVED
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

_TAKES = (
    *("external_wrenches", "prescribed", "actuated", "weights", "objective", "formulation", "order"),
    *("inputs", "unknown", "stabilisation", "restitution", "switched", "gradient"),
)
"""Options in the order in which the catalogue lists them."""
Arguments = Callable[[DynamicsProblem, Model, Request], Iterable[Argument]]


def inputs(problem: DynamicsProblem, model: Model, request: Request) -> tuple[Argument, ...]:
    """q, v, what is given, and what is constant beside it: the inputs of a solution and of its partial derivatives."""
    state = (arguments.coordinates(model), arguments.velocities(model))
    return (*state, *problem.given(model, request), *problem.constant(model, request))


@dataclass(frozen=True, slots=True)
class Operator:
    """What is computed of the solution of a problem.

    Attributes
    ----------
    suffix
        What the function's name has after that of the problem.
    inputs, outputs
        Its arguments.
    plan
        The algorithm, from the problem, the robot and the name of the function.
    sentence, description, equation, source
        Words of the catalogue and, as ``description``, of the header; see :class:`CatalogueEntry`.
    adds, leaves
        Options that it takes besides those of the problem, and options of the problem that it does not take.
    """

    suffix: str
    inputs: Arguments
    outputs: Arguments
    plan: Callable[[DynamicsProblem, Model, Request, str], Plan]
    sentence: str | Callable[[DynamicsProblem], str] = ""
    description: str | Callable[[DynamicsProblem, Model, Request], str] = ""
    equation: str | Callable[[DynamicsProblem], str] = ""
    source: str = ""
    adds: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()

    def of(self, problem: DynamicsProblem, **changes: Any) -> CatalogueEntry:
        """The entry of the catalogue for a problem; ``changes`` are attributes that differ for it alone."""
        own = replace(self, **changes)
        name = f"{problem.name}_{own.suffix}" if own.suffix else problem.name
        takes = tuple(sorted({*problem.takes, *own.adds} - set(own.leaves), key=_TAKES.index))
        made = rates_signature if "order" in takes else arguments.signature

        def signature(model: Model, request: Request) -> Signature:
            return made(
                model,
                request,
                name,
                tuple(own.inputs(problem, model, request)),
                tuple(own.outputs(problem, model, request)),
                _text(own.description, problem, model, request),
                problem.feels_gravity,
            )

        return CatalogueEntry(
            name,
            _text(own.sentence, problem),
            signature,
            lambda model, request: own.plan(problem, model, request, name),
            equation=_text(own.equation, problem),
            source=own.source,
            takes=takes,
            demands=tuple(option for option in takes if option == "prescribed"),
            frames=frames_of if "formulation" in takes else MOVED,
            needs=LOOPS if problem.looped else None,
            solves=None if problem.known == MOTION else free_rows,
            looped=problem.looped,
        )


def _text(said: str | Callable[..., str], *of: Any) -> str:
    return said if isinstance(said, str) else said(*of)
