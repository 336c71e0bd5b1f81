"""What no call reads is dropped from kernels: by hand, and on random trees, where not a bit of the outputs may move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.states import random_inputs
from support.tapes import call, lines_of, program_of, tape_of

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.program.drop_unread import drop_unread
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Loop, Program
from symdyn.compiler.tape.tape import Port, Tape
from symdyn.compiler.tape.verify import verify_program
from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.tracing.rolled.rolled import trace_rolled

WORK = Buffer("w", BufferKind.WORKSPACE, 3, 4)


def three_products(name: str = "three", adds: bool = False) -> Tape:
    """Products of neighbours among four scalars."""
    loads = [("x", place) for place in range(4)]
    products = [("mul", place, place + 1) for place in range(3)]
    tape = tape_of(*loads, *products, results=(4, 5, 6), name=name)
    return replace(tape, outputs=(Port("y", 3, accumulate=adds),))


def ends(name: str = "ends") -> Tape:
    """The sum of the first and the last of three scalars."""
    return tape_of(("x", 0), ("x", 1), ("x", 2), ("add", 0, 2), width=3, name=name)


def outputs(program: Program, x: list[float]) -> list[float]:
    return evaluate_program(verify_program(program), FloatAlgebra(), {"x": x})["y"]


def test_a_product_that_nobody_reads_is_not_made() -> None:
    body = [call("three", Affine("x", 0), Affine("w", 0)), call("ends", Affine("w", 0), Affine("y", 0))]
    program = program_of([three_products(), ends()], body, y=1, buffers=[WORK])
    made, read = drop_unread(program).tapes
    assert lines_of(made) == [("x", 0), ("x", 1), ("x", 2), ("x", 3), ("mul", 0, 1), ("mul", 2, 3)]
    assert made.outputs == (Port("y", 2, places=(0, 2)),) and made.inputs == (Port("x", 4),)
    assert read.inputs == (Port("x", 2, places=(0, 2)),) and lines_of(read) == [("x", 0), ("x", 1), ("add", 0, 1)]
    assert outputs(drop_unread(program), [2.0, 3.0, 5.0, 7.0]) == [41.0]


def test_what_one_call_of_a_tape_needs_is_made_by_all() -> None:
    middle = tape_of(("x", 1), width=3, name="middle")
    body = [
        Loop(2, (call("three", Affine("x", 0, (1,)), Affine("w", 0, (3,))),)),
        call("ends", Affine("w", 0), Affine("y", 0)),
        call("middle", Affine("w", 3), Affine("y", 1)),
    ]
    program = program_of([three_products(), ends(), middle], body, x=5, y=2, buffers=[WORK])
    assert len(drop_unread(program).tape("three").results[0]) == 3
    assert outputs(drop_unread(program), [2.0, 3.0, 5.0, 7.0, 11.0]) == [41.0, 35.0]


def test_what_is_overwritten_before_it_is_read_is_not_made_and_its_call_is_gone() -> None:
    body = [
        Loop(3, (call("early", Affine("x", 0), Affine("w", 0)),)),
        call("late", Affine("x", 1), Affine("w", 0)),
        call("ends", Affine("w", 0), Affine("y", 0)),
    ]
    program = program_of([three_products("early"), three_products("late"), ends()], body, x=5, y=1, buffers=[WORK])
    done = drop_unread(program)
    assert [tape.name for tape in done.tapes] == ["late", "ends"] and len(done.body) == 2
    assert outputs(done, [2.0, 3.0, 5.0, 7.0, 11.0]) == outputs(program, [2.0, 3.0, 5.0, 7.0, 11.0]) == [92.0]


def test_sums_keep_every_term_of_what_is_read_and_lose_the_others() -> None:
    body = [
        call("first", Affine("x", 0), Affine("w", 0)),
        call("more", Affine("x", 1), Affine("w", 0)),
        call("ends", Affine("w", 0), Affine("y", 0)),
    ]
    tapes = [three_products("first"), three_products("more", adds=True), ends()]
    done = drop_unread(program_of(tapes, body, x=5, y=1, buffers=[WORK]))
    assert [port.places for tape in done.tapes[:2] for port in tape.outputs] == [(0, 2), (0, 2)]
    assert done.tape("more").outputs[0].accumulate
    assert outputs(done, [2.0, 3.0, 5.0, 7.0, 11.0]) == [6.0 + 35.0 + 15.0 + 77.0]


def test_what_feeds_only_itself_is_not_made() -> None:
    body = [
        call("three", Affine("x", 0), Affine("w", 0)),
        Loop(2, (call("step", Affine("w", 0, (3,)), Affine("w", 3, (3,))),)),
        call("ends", Affine("w", 6), Affine("y", 0)),
    ]
    step = tape_of(("x", 0), ("x", 1), ("x", 2), ("mul", 0, 0), ("add", 1, 0), ("mul", 2, 0), width=3, name="step")
    step = replace(step, outputs=(Port("y", 3),), results=((3, 4, 5),))
    program = program_of([three_products(), step, ends()], body, y=1, buffers=[WORK])
    done = drop_unread(program)
    assert [line[0] for line in lines_of(done.tape("step"))] == ["x", "x", "mul", "mul"]  # the sum feeds sums alone
    assert outputs(done, [2.0, 3.0, 5.0, 7.0]) == outputs(program, [2.0, 3.0, 5.0, 7.0])


def test_a_program_without_waste_is_left_as_it_is() -> None:
    program = program_of([ends()], [call("ends", Affine("x", 0), Affine("y", 0))], x=3, y=1)
    assert drop_unread(program) is program


FUNCTIONS = ("inverse_dynamics", "forward_dynamics_time_derivatives", "jacobians", "inverse_dynamics_partials")


@settings(max_examples=12)
@given(robots(max_joints=6), st.sampled_from(FUNCTIONS), st.integers(0, 2**32 - 1))
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_not_a_bit_of_the_outputs_of_loops_moves(description: RobotDescription, function: str, seed: int) -> None:
    robot = api.from_description(description)
    entry, request = CATALOGUE[function], Request(order=1 if "time" in function else 0)
    signature = entry.signature(robot.model, request)
    try:
        plan = entry.plan(robot.model, request)
    except ModelError:  # a massless leaf, which has no forward dynamics
        assume(False)
    program = trace_rolled(plan, signature)
    done = verify_program(drop_unread(program))
    inputs = random_inputs(robot, signature, np.random.default_rng(seed))
    assert evaluate_program(done, FloatAlgebra(), inputs) == evaluate_program(program, FloatAlgebra(), inputs)
    assert sum(done.counts().values()) <= sum(program.counts().values())
    again = drop_unread(done)
    assert again.counts() == done.counts()


@pytest.mark.parametrize("order", [0, 3, 5])
def test_loops_compute_little_that_pieces_do_without(order: int) -> None:
    asked = {"functions": ["inverse_dynamics_time_derivatives"], "order": order}
    robot = api.load_example("aerial_manipulator")
    pieces, loops = (
        api.cost(robot, layout=layout, **asked)["inverse_dynamics_time_derivatives"]["total"]
        for layout in ("split", "rolled")
    )
    assert loops <= 1.06 * pieces
