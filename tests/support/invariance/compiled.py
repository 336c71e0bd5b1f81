"""Functions of robots and of their twins as compiled C computes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import symdyn
from support.invariance.twins import Evaluator, asked
from symdyn.functions.catalogue import CATALOGUE
from symdyn.options import RequestOptions
from symdyn.robot import Robot


def compiled_evaluator(functions: Sequence[str], layout: str) -> Evaluator:
    """An evaluator that compiles some functions of a robot at once, in one layout."""
    modules: dict[tuple[int, tuple[str, ...]], Any] = {}

    def evaluator(robot: Robot, function: str, options: RequestOptions) -> Any:
        if function not in functions:
            from support.invariance.twins import float_evaluator

            return float_evaluator(robot, function, options)
        words: dict[str, Any] = {}
        for own in functions:
            words |= asked(robot, CATALOGUE[own])
        words |= options
        key = (id(robot), tuple(words.get("prescribed", ())))
        if key not in modules:
            modules[key] = symdyn.compile(robot, list(functions), layout=layout, **words)
        call = getattr(modules[key], function)
        signature = modules[key].signature(function)

        def called(given: Mapping[str, list[float]]) -> Mapping[str, Any]:
            found = call(*(np.reshape(given[own.name], own.shape) for own in signature.inputs))
            outputs = found if isinstance(found, tuple) else (found,)
            return {own.name: np.ravel(value) for own, value in zip(signature.outputs, outputs, strict=True)}

        return called

    return evaluator
