"""Which loops may be written as conditions: those that run at most once, and in which nothing follows their index."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from symdyn.compiler.emit.tree.loops import is_condition
from symdyn.compiler.tape.program import Affine, Call, Gather, Loop, Program, Statement, Trips

STILL = Call("take", (Affine("x", 0, (1, 0)),), (Affine("y", 0, (1,)),))


def condition(program: Program, *body: Statement, index: str = "chosen") -> bool:
    return is_condition(program, Loop(Trips(0, (1,), index), body), 1)


@pytest.fixture
def program(samples: ModuleType) -> Program:
    return samples.triangular()


def test_what_runs_at_most_once_is_a_condition(program: Program) -> None:
    assert condition(program, STILL) and condition(program, STILL, Loop(2, (STILL,)))
    assert not condition(program, STILL, index="runs")
    assert not is_condition(program, Loop(1, (STILL,)), 1)
    assert not is_condition(program, Loop(Trips(0, (1,)), (STILL,)), 1)


@pytest.mark.parametrize("depth", [0, 1])
def test_one_address_that_moves_is_enough(program: Program, depth: int) -> None:
    moving = [
        replace(STILL, inputs=(Affine("x", 0, (0, 1)),)),
        replace(STILL, outputs=(Affine("y", 0, (1, 1)),)),
        replace(STILL, inputs=(Gather("x", "last", 0, (1, 1)),)),
        replace(STILL, inputs=(Gather("x", "last", 0, (1, 0), (0, 1)),)),
    ]
    for call in moving:
        assert not condition(program, Loop(2, (STILL, call)) if depth else call, STILL)
    assert not condition(program, Loop(Trips(0, (0, 1)), (STILL,)))
