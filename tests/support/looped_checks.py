"""Random robots with loops, and functions of them against the oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.robots.looped import with_loops
from support.robots.random_trees import make_robot
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.loops import LoopKind
from symdyn.description.robot import JointKind
from symdyn.errors import ModelError, VerificationError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.harness.verify import verify_functions
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.truths import find_truth

KINDS = list(LoopKind)
Array = NDArray[np.float64]
STEP = 1e-3
"""Of sixth-order differences: their error is 1e-18 of the seventh derivative, and that of rounding 1e-13."""


def evaluator(robot: Robot, function: str, **options: Any) -> Callable[..., list[Array]]:
    """A function in floats: from its inputs, its outputs in their shapes."""
    ((entry, request),) = requests(robot.model, [function], **options)
    signature = entry.signature(robot.model, request)
    recursion = api.float_recursion(robot, function, **options)

    def evaluated(**given: Any) -> list[Array]:
        found = recursion({own.name: [float(x) for x in np.ravel(given[own.name])] for own in signature.inputs})
        return [np.reshape(found[own.name], own.shape) for own in signature.outputs]

    return evaluated


def differences(value: Callable[[Array], Array], count: int, length: float = STEP) -> Array:
    """The Jacobian of a function of moves, at none, by moves of so many rad or m."""
    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    columns = [
        sum(w * (value(k * length * move) - value(-k * length * move)) for k, w in weights.items()) / (60.0 * length)
        for move in np.eye(count)
    ]
    return np.array(columns).T


def against_oracle(own: Robot, name: str, seed: int = 8, **options: Any) -> None:
    """A function against fifty digits at a random state: each output to 1e-11 of its largest entry."""
    ((entry, request),) = requests(own.model, [name], **options)
    signature, rng = entry.signature(own.model, request), np.random.default_rng(seed)
    given = dict(zip("qv", own.random_state(rng), strict=True))
    for argument in signature.inputs:
        if argument.name not in given:
            given[argument.name] = rng.uniform(0.5, 1.5, argument.size)
    setting = setting_of(own.description, signature, own.load_options())
    exact = find_truth(name)(setting, {key: list(map(float, values)) for key, values in given.items()})
    start = 0
    for found in evaluator(own, name, **options)(**given):
        wanted = np.array([float(x) for x in exact.values[start : start + found.size]])
        assert abs(found.ravel() - wanted).max() <= 1e-11 * abs(wanted).max()
        start += found.size
    assert start == len(exact.values)


def layouts_agree(own: Robot, name: str, **options: Any) -> None:
    """Programs of all layouts give what the recursion in floats gives."""
    ((entry, request),) = requests(own.model, [name], **options)
    signature, rng = entry.signature(own.model, request), np.random.default_rng(7)
    inputs = {argument.name: list(rng.uniform(0.5, 1.5, argument.size)) for argument in signature.inputs}
    inputs |= dict(zip("qv", map(list, own.random_state(rng)), strict=True))
    wanted = api.float_recursion(own, name, **options)(inputs)
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(own, [name], layout=layout, **options)
        found = evaluate_program(program, FloatAlgebra(), inputs)
        for output, values in wanted.items():
            missed = abs(np.array(found[output]) - values).max()
            assert missed <= 1e-11 * abs(np.array(values)).max(), (layout, output)


def random_robot(seed: int) -> Robot | None:
    """A tree with one loop of a kind that the seed tells and one of a random kind; None if one is impossible."""
    drawn, floating = random.Random(seed), seed % 3 != 0
    parents, kinds = [drawn.randrange(link + 1) for link in range(4)], drawn.choices(list(JointKind), k=4)
    described = make_robot(parents, kinds, seed, floating)
    loops = with_loops(described, seed, (KINDS[seed % 9], drawn.choice(KINDS)))
    try:
        return api.from_description(
            replace(described, acting=loops),
            floating_base=floating,
            convention=("pinocchio", "spatial")[seed % 2],
        )
    except ModelError as failure:
        assert "two places on one body" in str(failure) or "can never be closed" in str(failure)
        return None


def verified(robot: Robot, functions: tuple[str, ...], states: int, **options: object) -> None:
    """Check the float recursion of some functions."""
    for function in functions:
        ((entry, request),) = requests(robot.model, [function], **options)
        try:
            recursion = api.float_recursion(robot, function, **options)
        except ModelError as failure:
            assert "nothing resists" in str(failure)
            continue

        def rows(inputs: dict[str, list[float]], recursion=recursion) -> list[float]:  # type: ignore[no-untyped-def]
            return [x for found in recursion(inputs).values() for x in found]

        signature = entry.signature(robot.model, request)
        try:
            report = verify_functions(
                robot.description, [signature], {function: {"float": rows}}, robot.load_options(), states=states
            )
        except VerificationError as failure:
            assert "in every state" in str(failure)
            continue
        assert report.passed, report.results
