"""Loops in sequences of calls: periods, nesting, even strides, index tables; and never another order of calls."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from symdyn.compiler.tape.evaluate import flat_calls, resolve
from symdyn.compiler.tape.program import Affine, Call, Gather, Loop, Statement
from symdyn.tracing.rolled.flat_calls import MAX_PERIOD, FlatCall
from symdyn.tracing.rolled.loops import LoopFinder


def flat(tape: str, source: int, target: int) -> FlatCall:
    return FlatCall(tape, (("x", source),), (("y", target),))


def unrolled(finder: LoopFinder, statements: Sequence[Statement]) -> list[FlatCall]:
    """The calls that statements mean, one by one."""
    tables = {buffer.name: buffer.values for buffer in finder.buffers()}
    found = []
    for call, indices in flat_calls(statements, tables):
        sides = [
            tuple((address.buffer, resolve(address, tables, indices)) for address in side)
            for side in (call.inputs, call.outputs)
        ]
        found.append(FlatCall(call.tape, sides[0], sides[1]))
    return found


def found(calls: Sequence[FlatCall]) -> tuple[Statement, ...]:
    finder = LoopFinder()
    statements = finder.statements(calls)
    assert unrolled(finder, statements) == list(calls)
    return statements


def test_no_calls() -> None:
    assert found([]) == ()


def test_a_single_call_stays_one() -> None:
    assert found([flat("a", 3, 4)]) == (Call("a", (Affine("x", 3),), (Affine("y", 4),)),)


def test_period_one() -> None:
    (loop,) = found([flat("a", 10 - 2 * k, 3 * k) for k in range(5)])
    assert loop == Loop(5, (Call("a", (Affine("x", 10, (-2,)),), (Affine("y", 0, (3,)),)),))


def test_two_calls_are_a_loop_already() -> None:
    (loop,) = found([flat("a", 0, 0), flat("a", 7, 1)])
    assert isinstance(loop, Loop) and loop.count == 2


def test_periods_two_and_three() -> None:
    for period in (2, 3):
        calls = [flat("abc"[k % period], k, 2 * k) for k in range(4 * period)]
        (loop,) = found(calls)
        assert isinstance(loop, Loop)
        assert loop.count == 4 and [item.tape for item in loop.body if isinstance(item, Call)] == list("abc"[:period])
        assert loop.body[0] == Call("a", (Affine("x", 0, (period,)),), (Affine("y", 0, (2 * period,)),))


def test_a_pattern_in_a_sequence() -> None:
    calls = [flat("z", 0, 0), *(flat("ab"[k % 2], k, k) for k in range(6)), flat("c", 9, 9)]
    first, loop, last = found(calls)
    assert isinstance(first, Call) and isinstance(loop, Loop) and isinstance(last, Call)
    assert loop.count == 3


def test_buffers_are_part_of_the_pattern() -> None:
    other = FlatCall("a", (("z", 0),), (("y", 0),))
    statements = found([flat("a", 0, 0), other, flat("a", 1, 1), other])
    assert len(statements) == 1 and isinstance(statements[0], Loop) and len(statements[0].body) == 2


def test_uneven_addresses_use_a_table_that_is_stored_once() -> None:
    places = [5, 0, 3, 1]
    finder = LoopFinder()
    calls = [flat("a", place, k) for k, place in enumerate(places)]
    again = [flat("b", place, 4 + k) for k, place in enumerate(places)]
    statements = [*finder.statements(calls), *finder.statements(again)]
    assert unrolled(finder, statements) == calls + again
    (table,) = finder.buffers()
    assert (table.values, table.size) == (tuple(places), 4)
    for loop in statements:
        assert isinstance(loop, Loop) and isinstance(loop.body[0], Call)
        assert loop.body[0].inputs == (Gather("x", table.name, 0, (1,)),)


LINKS = MAX_PERIOD + 4  # more than one loop body may hold


def branching(starts: Sequence[int], links: int) -> list[FlatCall]:
    """Branches, each of one call and then a chain of equal ones."""
    calls = []
    for start in starts:
        calls.append(flat("base", start, 100 + start))
        calls += [flat("link", start + k, start + 2 * k) for k in range(links)]
    return calls


def test_long_equal_branches_become_loops_of_loops() -> None:
    (outer,) = found(branching((0, 50, 100), LINKS))
    assert isinstance(outer, Loop) and outer.count == 3
    base, inner = outer.body
    assert base == Call("base", (Affine("x", 0, (50,)),), (Affine("y", 100, (50,)),))
    assert inner == Loop(LINKS, (Call("link", (Affine("x", 0, (50, 1)),), (Affine("y", 0, (50, 2)),)),))


def test_short_branches_become_one_body() -> None:
    (loop,) = found(branching((0, 50, 100), 4))
    assert isinstance(loop, Loop) and (loop.count, len(loop.body)) == (3, 5)


def test_long_branches_that_do_not_advance_evenly_stay_apart() -> None:
    statements = found(branching((0, 50, 125), LINKS))
    assert [type(statement) for statement in statements] == [Call, Loop] * 3


def test_inner_tables_of_their_own_keep_branches_apart() -> None:
    uneven = [0, 1, 3, *range(4, LINKS + 1)]
    calls = []
    for start in (0, 50):
        calls.append(flat("base", start, start))
        calls += [flat("link", start + place, start + k) for k, place in enumerate(uneven)]
    assert [type(statement) for statement in found(calls)] == [Call, Loop] * 2


def test_equal_tables_nest() -> None:
    uneven = [0, 1, 3, *range(4, LINKS + 1)]
    calls = []
    for start in (0, 50):
        calls.append(flat("base", start, start))
        calls += [flat("link", place, start + k) for k, place in enumerate(uneven)]
    (outer,) = found(calls)
    assert isinstance(outer, Loop) and isinstance(outer.body[1], Loop)
    inner = outer.body[1].body[0]
    assert isinstance(inner, Call) and inner.inputs == (Gather("x", "index_0", 0, (0, 1)),)


def test_three_levels() -> None:
    calls = []
    for i in range(2):
        for j in range(LINKS):
            calls.append(flat("m", 100 * i + 10 * j, 50 + 70 * i + 3 * j))
            calls += [flat("k", 100 * i + 10 * j + k, 7 * i + j + k) for k in range(LINKS)]
        calls.append(flat("t", 9 + i, 8 * i))
    (outer,) = found(calls)
    assert isinstance(outer, Loop) and isinstance(outer.body[0], Loop) and isinstance(outer.body[0].body[1], Loop)
    innermost = outer.body[0].body[1].body[0]
    assert innermost == Call("k", (Affine("x", 0, (100, 10, 1)),), (Affine("y", 0, (7, 1, 1)),))
    assert len(_calls([outer])) == 3


def _calls(statements: Sequence[Statement]) -> list[Call]:
    found_calls: list[Call] = []
    for statement in statements:
        found_calls += _calls(statement.body) if isinstance(statement, Loop) else [statement]
    return found_calls


@settings(max_examples=120)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 3)), max_size=24))
def test_any_sequence_keeps_its_calls_in_order(items: list[tuple[str, int, int]]) -> None:
    found([flat(tape, 5 * position + source, target) for position, (tape, source, target) in enumerate(items)])


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(-2, 2), st.integers(-3, 3)), min_size=1, max_size=4),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_nested_patterns_keep_their_calls(pattern: list[tuple[str, int, int]], inner: int, outer: int) -> None:
    calls = [
        flat(tape, 100 + 13 * i + stride * j, 50 + shift * i + j)
        for i in range(outer)
        for j in range(inner)
        for tape, stride, shift in pattern
    ]
    assert len(_calls(found(calls))) <= len(calls)
