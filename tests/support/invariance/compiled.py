"""Functions of robots and of their twins as compiled C computes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import symdyn
from support.invariance.twins import Evaluator, asked
from symdyn.functions.catalogue import CATALOGUE
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

BATCH, AT = 19, 5
"""How many states a batch has, all the same, and which one is looked at."""


def compiled_evaluator(functions: Sequence[str], layout: str) -> Evaluator:
    """An evaluator that compiles some functions of a robot at once, in one layout, with the options of the first call.

    They are called for a batch, which goes through the lanes of states.
    """
    modules: dict[int, Any] = {}

    def evaluator(robot: Robot, function: str, options: RequestOptions) -> Any:
        if function not in functions:
            from support.invariance.twins import float_evaluator

            return float_evaluator(robot, function, options)
        if id(robot) not in modules:
            words: dict[str, Any] = {}
            for own in functions:
                words |= asked(robot, CATALOGUE[own], options.get("external_wrenches") or "body")
            modules[id(robot)] = symdyn.compile(robot, list(functions), layout=layout, **(words | options))
        call = getattr(modules[id(robot)], function)
        signature = modules[id(robot)].signature(function)

        def called(given: Mapping[str, list[float]]) -> Mapping[str, Any]:
            found = call(*(np.stack([np.reshape(given[own.name], own.shape)] * BATCH) for own in signature.inputs))
            outputs = found if isinstance(found, tuple) else (found,)
            return {own.name: np.ravel(value[AT]) for own, value in zip(signature.outputs, outputs, strict=True)}

        return called

    return evaluator
