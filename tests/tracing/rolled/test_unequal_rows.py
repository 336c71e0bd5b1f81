"""Rows of calls that are not equally long become one loop over rows, and never in another order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import inertial, make_robot
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program, flat_calls, resolve
from symdyn.compiler.tape.program import Affine, Call, Gather, Loop, Statement, Trips, has_trips
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.robot.shipped.aerial_tree import aerial_tree
from symdyn.tracing.rolled.flat_calls import FlatCall
from symdyn.tracing.rolled.loops import LoopFinder

ROWS = 30


def flat(tape: str, source: int, target: int) -> FlatCall:
    return FlatCall(tape, (("x", source),), (("y", target),))


def found(calls: Sequence[FlatCall], independent: bool = False) -> tuple[tuple[Statement, ...], LoopFinder]:
    finder = LoopFinder()
    statements = finder.statements(calls, independent)
    tables = {buffer.name: buffer.values for buffer in finder.buffers()}
    meant = []
    for call, indices in flat_calls(statements, tables):
        sides = [
            tuple((address.buffer, resolve(address, tables, indices)) for address in side)
            for side in (call.inputs, call.outputs)
        ]
        meant.append(FlatCall(call.tape, sides[0], sides[1]))
    assert meant == list(calls)
    return statements, finder


def calls_of(statements: Sequence[Statement]) -> list[Call]:
    made: list[Call] = []
    for statement in statements:
        made += calls_of(statement.body) if isinstance(statement, Loop) else [statement]
    return made


def triangle(first: int = 0, rows: int = ROWS) -> list[FlatCall]:
    """Row k: its start, then k links on the way back to the first."""
    calls = []
    for k in range(rows):
        calls.append(flat("start", first + k, 100 * k + first))
        calls += [flat("link", first + k - j, 100 * (k - j) + k) for j in range(1, k + 1)]
    return calls


def test_a_triangle_needs_no_tables() -> None:
    (loop,), finder = found(triangle())
    assert finder.buffers() == ()
    start = Call("start", (Affine("x", 0, (1,)),), (Affine("y", 0, (100,)),))
    link = Call("link", (Affine("x", -1, (1, -1)),), (Affine("y", -100, (101, -100)),))
    assert loop == Loop(ROWS, (start, Loop(Trips(0, (1,)), (link,))))


def test_a_triangle_from_its_long_side() -> None:
    rows = [[flat("link", j, 40 * k + j) for j in range(ROWS - k)] for k in range(ROWS)]
    calls = [call for k, row in enumerate(rows) for call in (flat("start", k, k), *row)]
    (loop,), finder = found(calls)
    assert isinstance(loop, Loop) and isinstance(loop.body[1], Loop) and finder.buffers() == ()
    assert loop.body[1].count == Trips(ROWS, (-1,))


def test_equal_branches_become_a_loop_over_triangles() -> None:
    (outer,), finder = found([call for branch in range(4) for call in triangle(1000 * branch, 12)])
    assert isinstance(outer, Loop) and outer.count == 4
    (rows,) = outer.body
    assert isinstance(rows, Loop) and rows.count == 12 and finder.buffers() == ()
    assert isinstance(rows.body[1], Loop) and rows.body[1].count == Trips(0, (0, 1))


def test_branches_of_unequal_depth_look_their_numbers_up() -> None:
    depths = (9, 14, 5, 12, 12, 7)
    starts = [sum(depths[:branch]) for branch in range(len(depths))]
    calls = [call for start, depth in zip(starts, depths, strict=True) for call in triangle(start, depth)]
    statements, finder = found(calls)
    assert len(calls_of(statements)) == 2
    described = {buffer.description for buffer in finder.buffers()}
    assert described == {"numbers of runs", "offsets of scalars"}
    assert max(buffer.size for buffer in finder.buffers()) <= sum(depths)


def test_what_only_some_rows_have_runs_zero_times_in_the_others() -> None:
    calls = []
    for k in range(ROWS):
        calls += [flat("start", k, k), flat("abc"[k % 3], k, k)]
        calls += [flat("link", k + 2 * j, 50 * k + j) for j in range(k)]
        calls += [flat("end", k, 7 * k)] if k % 4 == 1 else []
    statements, finder = found(calls)
    assert sorted(call.tape for call in calls_of(statements)) == ["a", "b", "c", "end", "link", "start"]
    (loop,) = statements
    assert isinstance(loop, Loop)
    conditions = [item.count for item in loop.body if isinstance(item, Loop) and item.body[0].tape != "link"]  # type: ignore[union-attr]
    tables = {buffer.name: buffer.values for buffer in finder.buffers()}
    for condition in conditions:
        assert isinstance(condition, Trips) and {condition.at(tables, (k,)) for k in range(ROWS)} == {0, 1}


def test_neighbours_under_one_condition_share_it() -> None:
    calls = []
    for k in range(ROWS):
        calls.append(flat("start", k, k))
        calls += [flat("p", k, k), flat("q", k, k), flat("r", k, k)] if k % 3 == 0 else []
        calls += [flat("link", j, 40 * k + j) for j in range(k + 1)]
    (loop,), _ = found(calls)
    assert isinstance(loop, Loop) and len(loop.body) == 3
    condition = loop.body[1]
    assert isinstance(condition, Loop) and [call.tape for call in calls_of(condition.body)] == ["p", "q", "r"]


def test_patterns_of_three_kinds_in_every_phase() -> None:
    calls = []
    for k in range(ROWS):
        calls.append(flat("start", k, 99 * k))
        calls += [flat("abc"[j % 3], j, 100 * j + k) for j in reversed(range(k))]
    statements, _ = found(calls)
    assert len(calls_of(statements)) <= 7


def test_uneven_starts_and_even_steps_share_a_table_per_row() -> None:
    places = [(7 * k) % ROWS for k in range(ROWS)]
    calls = []
    for k, place in enumerate(places):
        calls.append(flat("start", 100 * place, k))
        calls += [flat("link", 100 * place + 3 * j, 40 * k + j) for j in range(k)]
    statements, finder = found(calls)
    gathers = [address for call in calls_of(statements) for address in call.inputs if isinstance(address, Gather)]
    assert [gather.steps for gather in gathers] == [(), (0, 3)]
    assert len({gather.index for gather in gathers}) == 1
    assert {buffer.size for buffer in finder.buffers()} == {ROWS}


def test_repetitions_of_free_order_are_even_and_their_rows_are_in_order() -> None:
    calls = []
    for k in range(ROWS):
        calls.append(flat(f"set{k % 2}", 17 * k * k, 100 * k))
        calls += [flat(f"add{k % 5}", 17 * k * k + 2 * j, 100 * k + j) for j in range(k % 7 + 2)]
    statements, _ = found(calls, independent=True)
    assert len(calls_of(statements)) < 20

    def check(items: Sequence[Statement], repeats: bool) -> None:
        for item in items:
            if isinstance(item, Loop):
                check(item.body, item.independent)
            elif repeats:
                for address in (*item.inputs, *item.outputs):
                    assert isinstance(address, Affine) or address.strides[-1] == 0

    (loop,) = statements
    assert isinstance(loop, Loop) and not loop.independent
    check(statements, False)


def test_what_has_no_rows_stays_as_it_is() -> None:
    rng = np.random.default_rng(4)
    calls = [flat(f"k{number}", place, place) for place, number in enumerate(rng.permutation(40))]
    statements, finder = found(calls)
    assert [type(statement) for statement in statements] == [Call] * 40
    assert finder.buffers() == ()


def test_small_triangles_stay_rows() -> None:
    statements, _ = found(triangle(rows=5))
    assert not has_trips(statements)


def test_tables_are_no_larger_than_the_code_that_they_save() -> None:
    rng = np.random.default_rng(8)
    calls = []
    for k in range(6):
        calls += [flat("start", k, k)] + [
            flat("link", int(place), int(place)) for place in rng.permutation(400)[: 50 + k]
        ]
    statements, finder = found(calls)
    assert len(calls_of(statements)) == 12  # a table of 6 x 55 for each address costs more than ten calls
    assert all(buffer.size < 60 for buffer in finder.buffers())


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 3), st.sampled_from(("", "s", "st")), st.sampled_from(("", "e"))),
        min_size=8,
        max_size=30,
    ),
    st.integers(-3, 3),
    st.integers(0, 5),
    st.booleans(),
)
def test_any_rows_keep_their_calls_in_order(
    rows: list[tuple[int, int, str, str]], stride: int, shift: int, independent: bool
) -> None:
    calls = []
    for k, (count, phase, before, after) in enumerate(rows):
        kinds = [*before, *("abc"[(phase + j) % 3] for j in range(count)), *after]
        calls += [
            flat(kind, 100 + k * shift + stride * j, 200 + 31 * k + j * j * (k % 2)) for j, kind in enumerate(kinds)
        ]
    found(calls, independent)


@pytest.mark.parametrize("function", ["mass_matrix", "mass_matrix_inverse", "coriolis_matrix", "jacobians"])
def test_long_branches_give_short_code_and_the_same_numbers(function: str) -> None:
    robot = api.from_description(aerial_tree(9, 3))
    (program,) = api.programs(robot, [function], layout="rolled")
    assert has_trips(program.body)
    calls = list(program.calls())
    assert 4 * len(calls) < sum(times for _, times in calls)
    inputs = random_inputs(robot, program.signature, np.random.default_rng(3))
    reference = api.float_recursion(robot, function)(inputs)
    values = evaluate_program(program, FloatAlgebra(), inputs)
    for name, value in reference.items():
        assert relative_error(values[name], value) <= 1e-12, name


UNEQUAL = [0, 1, 2, 3, 4, 5, 6, 7, 3, 9, 10, 11, 12, 5, 14, 15, 16, 0, 18, 19, 20, 21, 22, 23, 24, 19, 26, 27]
"""Parents of a tree with branches of 2 to 9 links."""


def with_inertia(description: RobotDescription) -> RobotDescription:
    """The same robot with an inertial on every link, so that its mass matrix has an inverse."""
    rng = random.Random(5)
    links = tuple(replace(link, inertial=link.inertial or inertial(rng)) for link in description.links)
    return replace(description, links=links)


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize(
    "kinds", [(JointKind.REVOLUTE,), (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.REVOLUTE)]
)
def test_unequal_branches_give_the_same_numbers(kinds: tuple[JointKind, ...]) -> None:
    description = make_robot(UNEQUAL, [kinds[place % len(kinds)] for place in range(len(UNEQUAL))], seed=2)
    robot = api.from_description(with_inertia(description))
    (program,) = api.programs(robot, ["mass_matrix_inverse"], layout="rolled")
    assert has_trips(program.body)
    inputs = random_inputs(robot, program.signature, np.random.default_rng(6))
    reference = api.float_recursion(robot, "mass_matrix_inverse")(inputs)
    values = evaluate_program(program, FloatAlgebra(), inputs)
    for name, value in reference.items():
        assert relative_error(values[name], value) <= 1e-12, name
