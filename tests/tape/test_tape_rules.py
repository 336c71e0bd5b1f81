"""What verify_tape and verify_program refuse: one breach per case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from support.tapes import Line, call, program_of, tape_of

from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Gather, Loop, Program, Trips
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_program, verify_tape
from symdyn.errors import InternalError

X0: Line = ("x", 0)
X = Op("input", source=(0, 0))
UNIFORM = Op("input", source=(0, 0), varying=False)


def tape(ops: Sequence[Op], results: Sequence[tuple[int, ...]] = ((0,),), outputs: int = 1) -> Tape:
    return Tape("k", (Port("x", 2),), (Port("y", outputs),), tuple(ops), tuple(results))


BROKEN_TAPES: list[tuple[str, Tape]] = [
    (r"tape 'k', instruction 1 \(cube\): unknown code; please report", tape([X, Op("cube", (0,))])),
    (r"instruction 1 \(add\): expected 2 arguments, got 1", tape([X, Op("add", (0,))])),
    (r"instruction 1 \(add\): an argument is not an earlier one", tape([X, Op("add", (0, 1))])),
    (r"instruction 1 \(neg\): an argument is not an earlier one", tape([X, Op("neg", (-1,))])),
    (r"instruction 0 \(constant\): constant inf is not finite", tape([Op("constant", literal=math.inf)])),
    (r"constant nan is not finite", tape([Op("constant", literal=math.nan)])),
    (r"instruction 0 \(input\): input port 1 does not exist", tape([Op("input", source=(1, 0))])),
    (r"instruction 0 \(input\): input port -1 does not exist", tape([Op("input", source=(-1, 0))])),
    (r"instruction 0 \(input\): element 2 lies outside its port", tape([Op("input", source=(0, 2))])),
    (r"element -1 lies outside its port", tape([Op("input", source=(0, -1))])),
    (r"instruction 1 \(neg\): uniform from varying", tape([X, Op("neg", (0,), varying=False)])),
    (r"instruction 1 \(lane_sum\): a lane sum is uniform", tape([X, Op("lane_sum", (0,))])),
    (r"tape 'k': one result list per output port", tape([X], ())),
    (r"output 'y': expected 2 results, got 1", tape([X], ((0,),), 2)),
    (r"output 'y': result 1 does not exist", tape([X], ((1,),))),
    (r"output 'y': result -1 does not exist", tape([X], ((-1,),))),
    (r"output 'y': a result is not a number", tape([X, Op("less", (0, 0))], ((1,),))),
    (r"output 'y': a result is not a number", tape([X, Op("sincos", (0,))], ((1,),))),
    (r"argument 0 is a pair, expected a number", tape([X, Op("sincos", (0,)), Op("neg", (1,))])),
    (r"argument 0 is a number, expected a pair", tape([X, Op("sin_of", (0,))])),
    (r"argument 1 is a truth, expected a number", tape([X, Op("less", (0, 0)), Op("add", (0, 1))])),
    (r"argument 0 is a number, expected a truth", tape([X, Op("select", (0, 0, 0))])),
    (r"argument 2 is a truth, expected a number", tape([X, Op("less", (0, 0)), Op("select", (1, 0, 1))])),
    (r"\(and\): argument 1 is a number, expected a truth", tape([X, Op("less", (0, 0)), Op("and", (1, 0))])),
    (r"\(not\): argument 0 is a number, expected a truth", tape([X, Op("not", (0,))])),
    (r"\(equal\): argument 0 is a truth, expected a number", tape([X, Op("less", (0, 0)), Op("equal", (1, 0))])),
]


@pytest.mark.parametrize(("message", "broken"), BROKEN_TAPES)
def test_a_broken_tape_is_refused(message: str, broken: Tape) -> None:
    with pytest.raises(InternalError, match=message) as caught:
        verify_tape(broken)
    assert caught.value.exit_code == 1


def test_legal_tapes_are_returned() -> None:
    lanes = tape([X, Op("lane_sum", (0,), varying=False), Op("neg", (1,), varying=False), UNIFORM], ((2,),))
    assert verify_tape(lanes) is lanes
    logic = tape_of(X0, ("less", 0, 0), ("not", 1), ("or", 1, 2), ("select", 3, 0, 0))
    assert verify_tape(logic) is logic


NEG = tape_of(X0, ("neg", 0), width=1, name="neg1")
ADDING = replace(NEG, name="adding", outputs=(Port("y", 1, accumulate=True),))
GOOD = call("neg1", Affine("x", 0), Affine("y", 0))
TABLE = Buffer("t", BufferKind.TABLE, 1, 2, values=(1.0, 2.0))
INDEX = Buffer("i", BufferKind.INDEX, 1, 2, "index", values=(0, 3))
LEGAL = replace(INDEX, values=(0, 1))
WORK = Buffer("w", BufferKind.WORKSPACE, 2)


def one(*body: Call | Loop, tapes: Sequence[Tape] = (NEG, ADDING), buffers: Sequence[Buffer] = ()) -> Program:
    return program_of(tapes, body, 2, 1, buffers)


BROKEN_PROGRAMS: list[tuple[str, Program]] = [
    ("names of buffers and tapes are not unique", one(GOOD, tapes=[NEG, NEG])),
    ("names of buffers and tapes are not unique", one(GOOD, buffers=[Buffer("neg1", BufferKind.WORKSPACE, 1)])),
    (r"tape 'k', instruction 1 \(add\)", one(GOOD, tapes=[NEG, tape([X, Op("add", (0,))])])),
    ("buffer 't': its values do not fill it", one(GOOD, buffers=[replace(TABLE, rows=3)])),
    ("buffer 'i': its values do not fill it", one(GOOD, buffers=[replace(INDEX, values=(0,))])),
    ("program: tape 'gone' does not exist", one(GOOD, call("gone", Affine("x", 0), Affine("y", 0)))),
    ("call of 'neg1': expected one address per port", one(Call("neg1", (), (Affine("y", 0),)))),
    ("port 'x': gather needs an index buffer", one(call("neg1", Gather("x", "gone", 0), Affine("y", 0)))),
    (r"call of 'neg1' at \(\), port 'x': buffer 'z' does not exist", one(call("neg1", Affine("z", 0), Affine("y", 0)))),
    (
        "port 'x': gather needs an index buffer",
        one(Call("neg1", (Gather("x", "t", 0),), (Affine("y", 0),)), buffers=[TABLE]),
    ),
    ("port 'x': element 2 lies outside 'x'", one(call("neg1", Affine("x", 2), Affine("y", 0)))),
    ("port 'x': element -1 lies outside 'x'", one(call("neg1", Affine("x", -1), Affine("y", 0)))),
    (
        r"call of 'neg1' at \(2,\), port 'x': element 2 lies outside 'x'",
        one(Loop(3, (call("neg1", Affine("x", 0, (1,)), Affine("y", 0, (0,))),))),
    ),
    (
        r"at \(1,\), port 'x': element 3 lies outside 'x'",
        one(Loop(2, (Call("neg1", (Gather("x", "i", 0, (1,)),), (Affine("y", 0, (0,)),)),)), buffers=[INDEX]),
    ),
    (
        r"at \(1,\), port 'x': element 4 lies outside 'x'",
        one(Loop(2, (Call("neg1", (Gather("x", "i", 0, (1,), (1,)),), (Affine("y", 0, (0,)),)),)), buffers=[INDEX]),
    ),
    (
        r"at \(2,\), port 'x': entry 2 lies outside its index table",
        one(Loop(3, (Call("neg1", (Gather("x", "i", 0, (1,)),), (Affine("y", 0, (0,)),)),)), buffers=[LEGAL]),
    ),
    (
        r"number of runs at \(2,\): it is negative",
        one(Loop(3, (Loop(Trips(1, (-1,)), (call("neg1", Affine("x", 0), Affine("y", 0)),)),))),
    ),
    (
        r"number of runs at \(2,\): entry 2 lies outside its index table",
        one(Loop(3, (Loop(Trips(0, (1,), "i"), (call("neg1", Affine("x", 0), Affine("y", 0)),)),)), buffers=[LEGAL]),
    ),
    (
        r"number of runs at \(0,\): 't' is no index table",
        one(Loop(3, (Loop(Trips(0, (0,), "t"), (call("neg1", Affine("x", 0), Affine("y", 0)),)),)), buffers=[TABLE]),
    ),
    ("port 'y': 'x' is read-only", one(GOOD, call("neg1", Affine("x", 0), Affine("x", 0)))),
    ("port 'y': 't' is read-only", one(GOOD, call("neg1", Affine("x", 0), Affine("t", 0)), buffers=[TABLE])),
    ("port 'x': 'w' is used before it is written", one(call("neg1", Affine("w", 0), Affine("y", 0)), buffers=[WORK])),
    ("port 'y': 'y' is used before it is written", one(call("adding", Affine("x", 0), Affine("y", 0)))),
    (
        "port 'x': 'w' is used before it is written",
        one(call("neg1", Affine("x", 0), Affine("w", 0)), call("neg1", Affine("w", 1), Affine("y", 0)), buffers=[WORK]),
    ),
    ("output 'y': not all of it is written", one()),
]


@pytest.mark.parametrize(("message", "broken"), BROKEN_PROGRAMS)
def test_a_broken_program_is_refused(message: str, broken: Program) -> None:
    with pytest.raises(InternalError, match=message):
        verify_program(broken)


def test_legal_programs_are_returned() -> None:
    through = one(
        call("neg1", Affine("x", 1), Affine("w", 1)),
        call("neg1", Affine("w", 1), Affine("y", 0)),
        call("adding", Affine("t", 1), Affine("y", 0)),
        buffers=[WORK, TABLE, replace(INDEX, values=(0, 1))],
    )
    assert verify_program(through) is through
    row = Loop(Trips(1, (-1,)), (call("neg1", Affine("x", 1, (0, -1)), Affine("y", 0)),))
    conditional = Loop(Trips(0, (1,), "i"), (call("neg1", Affine("x", 0), Affine("y", 0)),))
    rows = one(Loop(2, (row, conditional)), buffers=[LEGAL])
    assert verify_program(rows) is rows
