"""Operators on problems of dynamics: each makes one entry of the catalogue per problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import LOOPS
from symdyn.functions.problems import DynamicsProblem
from symdyn.functions.request import Request
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

Arguments = Callable[[DynamicsProblem, Model, Request], Sequence[Argument]]


@dataclass(frozen=True, slots=True)
class Operator:
    """What is computed of the solution of a problem.

    Attributes
    ----------
    suffix
        What the function's name has after that of the problem.
    inputs
        The inputs besides q, v and what is given: weights, for instance.
    outputs
        The outputs.
    plan
        The algorithm, from the problem, the robot and the name of the function.
    sentence, description, equation, source
        Words of the catalogue and, as ``description``, of the header; see :class:`CatalogueEntry`.
    leaves
        Options of the problem that it does not take.
    """

    suffix: str
    inputs: Arguments
    outputs: Arguments
    plan: Callable[[DynamicsProblem, Model, Request, str], Plan]
    sentence: Callable[[DynamicsProblem], str]
    description: Callable[[DynamicsProblem, Model, Request], str]
    equation: Callable[[DynamicsProblem], str]
    source: str
    leaves: tuple[str, ...] = ()

    def of(
        self,
        problem: DynamicsProblem,
        plan: Callable[[Model, Request], Plan] | None = None,
        *,
        description: str = "",
        equation: str = "",
        source: str = "",
    ) -> CatalogueEntry:
        """The entry of the catalogue for a problem; what is given replaces what the operator has for all of them."""
        name = f"{problem.name}_{self.suffix}"
        takes = tuple(option for option in problem.takes if option not in self.leaves)

        def signature(model: Model, request: Request) -> Signature:
            state = (arguments.coordinates(model), arguments.velocities(model), *problem.given(model, request))
            inputs, outputs = self.inputs(problem, model, request), self.outputs(problem, model, request)
            header = description or self.description(problem, model, request)
            return arguments.signature(model, request, name, (*state, *inputs), tuple(outputs), header)

        return CatalogueEntry(
            name,
            self.sentence(problem),
            signature,
            plan or (lambda model, request: self.plan(problem, model, request, name)),
            equation=equation or self.equation(problem),
            source=source or self.source,
            takes=takes,
            demands=tuple(option for option in takes if option == "prescribed"),
            needs=LOOPS if problem.looped else None,
            solves=problem.free,
        )
