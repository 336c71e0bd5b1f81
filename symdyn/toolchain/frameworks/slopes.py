"""Which output of a derivative function is which derivative of a function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.interface.contact_calls import PARTIALS, STEP_ENDS
from symdyn.interface.derivatives import HESSIANS, SLOPES, WEIGHTS, curvature_name, slope_name
from symdyn.interface.signature import Signature

CURVATURES: Mapping[str, str] = {SLOPES[name]: hessian for name, hessian in HESSIANS.items()}
"""Derivative functions, and those that compute derivatives of weighted rows of their outputs."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """Outputs of a derivative function by (place of the output, place of the input) of what is differentiated.

    An input of which one output has no derivative is not among them.
    """

    function: str
    places: Mapping[tuple[int, int], int]

    def by(self, place: int) -> bool:
        """Whether all outputs have derivatives by that input."""
        return any(own == place for _, own in self.places)


def slopes_of(signature: Signature, derivatives: Signature) -> Slopes:
    """Find the derivatives of a function among the outputs of another."""
    found = {output.name: number for number, output in enumerate(derivatives.outputs)}
    places: dict[tuple[int, int], int] = {}
    for column, given in enumerate(signature.inputs):
        names = [slope_name(derivatives.function, own.name, given.name) for own in signature.outputs]
        matrices = len(given.shape) == 1 and all(len(own.shape) == 1 for own in signature.outputs)
        if matrices and all(name in found for name in names):
            places |= {(row, column): found[name] for row, name in enumerate(names)}
    return Slopes(derivatives.function, places)


def slopes_of_step(step: Signature, partials: Signature) -> Slopes:
    """Find the derivatives of a step with rigid contacts: of q_next along rows of v, of v_next and of impulses."""
    numbers = {output.name: number for number, output in enumerate(partials.outputs)}
    places = {
        (row, column): numbers[f"d{of}_d{given.name}"]
        for row, of in enumerate(STEP_ENDS)
        for column, given in enumerate(step.inputs)
        if f"d{of}_d{given.name}" in numbers
    }
    return Slopes(PARTIALS, places)


@dataclass(frozen=True, slots=True)
class Curvature:
    """Second derivatives of weighted rows, as derivatives of matrices d<row>_d<x> by inputs y.

    ``places`` holds by (place of the matrix, place of the input y) the place among the outputs of ``function``, and
    whether that output has y first; what is not among them is 0. ``inputs`` are those that matrices are derivatives by.
    """

    function: str
    inputs: tuple[int, ...]
    places: Mapping[tuple[int, int], tuple[int, bool]]


def has_three(derivatives: Signature) -> bool:
    """Whether the outputs are derivatives by the first three inputs, and none more."""
    return [own.name.rpartition("_d")[2] for own in derivatives.outputs] == [own.name for own in derivatives.inputs[:3]]


def curvature_of(derivatives: Signature, hessian: Signature) -> Curvature | None:
    """Find the derivatives of three matrices by q, v and a third input; None where the inputs are others."""
    inputs = [own.name for own in derivatives.inputs]
    by = inputs[:3]
    found = {output.name: number for number, output in enumerate(hessian.outputs)}
    if [own.name for own in hessian.inputs if own.name != WEIGHTS] != inputs:
        return None
    places: dict[tuple[int, int], tuple[int, bool]] = {}
    for row, x in enumerate(by):
        for column, y in enumerate(by):
            if curvature_name(x, y) in found:
                places[row, column] = found[curvature_name(x, y)], False
            elif curvature_name(y, x) in found:
                places[row, column] = found[curvature_name(y, x)], True
    return Curvature(hessian.function, tuple(range(len(by))), places)
