"""Whether text is an expression in x that can be computed all along a beam or rod."""

from __future__ import annotations

import math

from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.text.position import shown
from symdyn.errors import DescriptionError


def expression_fault(
    text: str, start: float, end: float, *, positive: bool, remedy: str = "", largest: float = math.inf
) -> str | None:
    """What is wrong with an expression from ``start`` to ``end`` [m], to be said after naming it.

    It is finite there, not beyond ``largest`` and, on request, positive. ``remedy`` is as for
    :meth:`BeamExpression.fault`. None where nothing is wrong.
    """
    try:
        expression = BeamExpression(text)
    except DescriptionError as failure:
        return f"is no expression in x: {failure}"
    if expression.names:
        return f"holds the name {shown(expression.names[0])}, which has no value"
    wrong = expression.fault(start, end, positive=positive, remedy=remedy)
    if wrong is None:
        value, place = expression.largest(start, end)
        if value > largest:
            return f"is {value:g} in magnitude at x = {place:.6g}, beyond {largest:g}"
    return wrong
