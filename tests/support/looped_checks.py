"""Random robots with loops, and functions of them against the oracle."""

from __future__ import annotations

import random
from dataclasses import replace

from support.robots.looped import with_loops
from support.robots.random_trees import make_robot
from symdyn import api
from symdyn.description.loops import LoopKind
from symdyn.description.robot import JointKind
from symdyn.errors import ModelError, VerificationError
from symdyn.functions.catalogue import requests
from symdyn.robot import Robot
from symdyn.verify.harness.verify import verify_functions

KINDS = list(LoopKind)


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
            assert "singular in every state" in str(failure)
            continue
        assert report.passed, report.results
