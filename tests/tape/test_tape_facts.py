"""Counting, showing, and small facts of tapes, buffers and programs."""

from __future__ import annotations

import pytest
from support.tapes import call, program_of, tape_of

from symdyn.compiler.tape.ops import BOOLEAN_OPERANDS, OPS
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Loop, Trips, has_trips
from symdyn.compiler.tape.show import show_op, uses_of
from symdyn.compiler.tape.tape import Op, Port, Tape, operation_total

NAMED = Tape(
    "swing",
    (Port("q", 2, "rad", ("elbow", "wrist")), Port("p", 1)),
    (Port("tau", 1), Port("sum", 1, accumulate=True)),
    (
        Op("input", source=(0, 1)),
        Op("input", source=(1, 0)),
        Op("constant", literal=0.1, varying=False),
        Op("mul", (0, 2)),
        Op("fma", (0, 1, 3)),
        Op("neg", (4,)),
    ),
    ((5,), (3,)),
)


def test_the_definition_of_an_operation() -> None:
    cost = {code: info.cost for code, info in OPS.items()}
    assert [cost[code] for code in ("add", "sub", "mul", "div", "sqrt", "neg", "sin", "cos")] == [1] * 8
    assert (cost["fma"], cost["sincos"]) == (2, 2)
    assert {code for code, number in cost.items() if number == 0} == {"input", "constant", "sin_of", "cos_of"}
    assert all(number == 1 for code, number in cost.items() if number not in (0, 2)), cost
    assert {code for code, number in cost.items() if number == 2} == {"fma", "fms", "fnma", "sincos"}


def test_facts_of_the_table() -> None:
    assert {code for code, info in OPS.items() if info.commutative} == {
        "add",
        "mul",
        "min",
        "max",
        "equal",
        "and",
        "or",
    }
    assert {code for code, info in OPS.items() if info.boolean} == {"less", "less_equal", "equal", "not", "and", "or"}
    assert set(BOOLEAN_OPERANDS) == {"not", "and", "or"}
    assert {code for code, info in OPS.items() if info.operands == 3} == {"fma", "fms", "fnma", "select"}


def test_counts_of_a_tape_include_accumulation() -> None:
    assert NAMED.counts() == {"mul": 1, "fma": 1, "neg": 1, "add": 1}
    assert operation_total(NAMED.counts()) == 5
    pair = tape_of(("x", 0), ("sincos", 0), ("sin_of", 1), ("cos_of", 1), ("add", 2, 3))
    assert operation_total(pair.counts()) == 3


def test_counts_of_a_program_multiply_by_loops() -> None:
    two = tape_of(("x", 0), ("add", 0, 0), ("mul", 1, 0), width=1, name="two")
    inner = Loop(3, (call("two", Affine("x", 0, (0, 0)), Affine("y", 0, (0, 0))),))
    beside = call("two", Affine("x", 0, (0,)), Affine("y", 0, (0,)))
    body: list[Call | Loop] = [Loop(5, (inner, beside)), call("two", Affine("x", 0), Affine("y", 0))]
    program = program_of([two], body, 1, 1)
    assert [times for _, times in program.calls()] == [15, 5, 1]
    assert program.counts() == {"add": 21, "mul": 21}


def test_counts_of_a_program_sum_over_unequal_rows() -> None:
    two = tape_of(("x", 0), ("add", 0, 0), ("mul", 1, 0), width=1, name="two")
    again = call("two", Affine("x", 0), Affine("y", 0))
    row = Loop(Trips(1, (0, 2)), (again, Loop(2, (again,))))  # 1 + 3 + 5 runs
    looked_up = Loop(Trips(0, (1,), "runs"), (again,))  # 4 + 0
    tables = [Buffer("runs", BufferKind.INDEX, 1, 2, "index", values=(4, 0))]
    program = program_of([two], [Loop(2, (Loop(3, (row,)), looked_up, again))], 1, 1, tables)
    assert [times for _, times in program.calls()] == [18, 36, 4, 2]
    assert program.counts() == {"add": 60, "mul": 60}
    assert has_trips(program.body) and not has_trips((Loop(2, (again,)), again))


def test_shown_instructions() -> None:
    assert [show_op(NAMED, position) for position in range(len(NAMED.ops))] == [
        "%0 = input q[1]  # wrist",
        "%1 = input p[0]",
        "%2 = 0.1",
        "%3 = mul %0 %2",
        "%4 = fma %0 %1 %3",
        "%5 = neg %4",
    ]


def test_uses_of_an_origin() -> None:
    assert uses_of(NAMED, "wrist") == ([0], [3, 4])
    assert uses_of(NAMED, "p[0]") == ([1], [4])
    assert uses_of(NAMED, "elbow") == ([], [])


def test_ports_and_their_names() -> None:
    assert [NAMED.inputs[0].origin(0), NAMED.inputs[1].origin(0)] == ["elbow", "p[0]"]
    with pytest.raises(AssertionError):
        Port("q", 2, origins=("elbow",))


def test_with_args_keeps_everything_else() -> None:
    op = Op("neg", (3,), varying=False)
    assert op.with_args((3,)) is op
    assert op.with_args((4,)) == Op("neg", (4,), varying=False)


def test_buffers_of_a_program() -> None:
    copy = tape_of(("x", 0), width=1, name="copy")
    buffers = [
        Buffer("t", BufferKind.TABLE, 2, 1, values=(0.5, 1.5)),
        Buffer("i", BufferKind.INDEX, 1, 2, "index", values=(0, 1)),
        Buffer("w", BufferKind.WORKSPACE, 3, 2),
        Buffer("lanes", BufferKind.WORKSPACE, 3, 2, lanes=4),
    ]
    program = program_of([copy], [Call("copy", (Affine("x", 0),), (Affine("y", 0),))], 1, 1, buffers)
    assert program.work_size == 6 + 24 + 3  # a vector of 4 begins within 3 scalars
    assert program.buffer("w").size == 6 and program.tape("copy") is copy
    assert [buffer.name for buffer in program.buffers_of(BufferKind.TABLE, BufferKind.IN)] == ["x", "t"]
    single = program.with_dtype("float32")
    assert (single.dtype, single.tapes[0].dtype) == ("float32", "float32")
    assert {buffer.name: buffer.dtype for buffer in single.buffers}["i"] == "index"
    assert {buffer.dtype for buffer in single.buffers if buffer.name != "i"} == {"float32"}
    assert program.buffer("x").dtype == "float64"
