"""Operators on problems of dynamics: each makes one entry of the catalogue per problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import LOOPS
from symdyn.functions.problems import DynamicsProblem
from symdyn.functions.request import Request, free_rows
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

_MOTION = "a"
"""What is given where forces are found; everything else solves for accelerations."""
Arguments = Callable[[DynamicsProblem, Model, Request], Sequence[Argument]]


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
        Words of the catalogue and, as ``description``, of the header; see :class:`CatalogueEntry`. Where they are not
        the same for all problems, rows say them.
    leaves
        Options of the problem that it does not take.
    """

    suffix: str
    inputs: Arguments
    outputs: Arguments
    plan: Callable[[DynamicsProblem, Model, Request, str], Plan]
    sentence: Callable[[DynamicsProblem], str] = lambda problem: ""
    description: Callable[[DynamicsProblem, Model, Request], str] = lambda problem, model, request: ""
    equation: Callable[[DynamicsProblem], str] = lambda problem: ""
    source: str = ""
    leaves: tuple[str, ...] = ()

    def of(
        self,
        problem: DynamicsProblem,
        plan: Callable[[Model, Request], Plan] | None = None,
        *,
        sentence: str = "",
        description: str | Callable[[Request], str] = "",
        equation: str = "",
        source: str = "",
    ) -> CatalogueEntry:
        """The entry of the catalogue for a problem; what is given replaces what the operator has for all of them."""
        name = f"{problem.name}_{self.suffix}" if self.suffix else problem.name
        takes = tuple(option for option in problem.takes if option not in self.leaves)

        def signature(model: Model, request: Request) -> Signature:
            said = description if isinstance(description, str) else description(request)
            return arguments.signature(
                model,
                request,
                name,
                tuple(self.inputs(problem, model, request)),
                tuple(self.outputs(problem, model, request)),
                said or self.description(problem, model, request),
                problem.feels_gravity,
            )

        return CatalogueEntry(
            name,
            sentence or self.sentence(problem),
            signature,
            plan or (lambda model, request: self.plan(problem, model, request, name)),
            equation=equation or self.equation(problem),
            source=source or self.source,
            takes=takes,
            demands=tuple(option for option in takes if option == "prescribed"),
            needs=LOOPS if problem.looped else None,
            solves=None if problem.known == _MOTION else free_rows,
        )
