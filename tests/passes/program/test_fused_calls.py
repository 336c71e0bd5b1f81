"""Calls joined into one: what is stored, which numbers become constants, and where a joined call ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from support.tapes import call, program_of, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.program.fuse import fused
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Loop, Program, Statement, call_of
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_program

X = [1.5, -2.0, 3.0, 0.25, 7.0, -0.5]
NEG = tape_of(("x", 0), ("neg", 0), width=1, name="neg")
TWICE = tape_of(("x", 0), ("add", 0, 0), width=1, name="twice")
SUM_UP = replace(TWICE, name="sum_up", outputs=(Port("y", 1, accumulate=True),))
MIXED = Tape(
    "mixed",
    (Port("a", 1), Port("b", 2, places=(0, 2))),
    (Port("y", 1),),
    (Op("input"), Op("input", source=(1, 0)), Op("input", source=(1, 1)), Op("mul", (0, 1)), Op("add", (3, 2))),
    ((4,),),
)
"""y = a b0 + b1."""
TAPES = (NEG, TWICE, SUM_UP, MIXED)
LANES = 3


def in_lanes(tape: str, sources: Sequence[Affine], target: Affine) -> Loop:
    """A call that runs once per lane; addresses have the stride from lane to lane."""
    return Loop(LANES, (Call(tape, tuple(sources), (target,)),), lanes=LANES)


def work(size: int) -> Buffer:
    return Buffer("w", BufferKind.WORKSPACE, 1, size)


def joined(body: Sequence[Statement], buffers: Sequence[Buffer] = (), y: int = 1) -> Program:
    """The fused program, which gives what the calls one by one give."""
    program = verify_program(program_of(TAPES, body, len(X), y, buffers))  # type: ignore[arg-type]
    found = verify_program(fused(program))
    expected = evaluate_program(program, FloatAlgebra(), {"x": X})
    assert evaluate_program(found, FloatAlgebra(), {"x": X}) == expected
    assert expected["y"].count(None) == 0
    return found


def widths(tape: Tape) -> tuple[dict[str, int], dict[str, int]]:
    """Scalars that a tape takes and gives, by port."""
    inputs, outputs = ({port.name: port.width for port in ports} for ports in (tape.inputs, tape.outputs))
    return inputs, outputs


def test_only_what_is_read_later_is_stored() -> None:
    body = [
        call("twice", Affine("x", 4), Affine("w", 0)),
        call("neg", Affine("w", 0), Affine("w", 1)),  # read by a call that is joined with it
        call("twice", Affine("w", 1), Affine("y", 2)),
        Loop(2, (call("neg", Affine("w", 0), Affine("y", 0, (1,))),)),
    ]
    program = joined(body, [work(2)], y=3)
    assert [tape.name for tape in program.tapes] == ["part_0", "neg"]
    part = program.tapes[0]
    assert widths(part) == ({"x": 1}, {"w": 1, "y": 1})
    assert (part.inputs[0].unit, part.inputs[0].origins) == ("1", ("x4",))
    assert dict(zip(("w", "y"), call_of(program.body[0]).outputs, strict=True)) == {
        "w": Affine("w", 0),
        "y": Affine("y", 2),
    }


def test_workspace_that_nobody_reads_vanishes() -> None:
    body = [call("twice", Affine("x", 0), Affine("w", 0)), call("neg", Affine("w", 0), Affine("y", 0))]
    program = joined(body, [work(1)])
    assert program.buffers_of(BufferKind.WORKSPACE) == () and len(program.body) == 1
    assert widths(program.tapes[0]) == ({"x": 1}, {"y": 1})


def test_what_a_later_call_adds_to_is_stored() -> None:
    body = [
        call("neg", Affine("x", 1), Affine("w", 0)),
        Loop(2, (call("sum_up", Affine("x", 0, (1,)), Affine("w", 0)),)),
        call("neg", Affine("w", 0), Affine("y", 0)),
    ]
    program = joined(body, [work(1)])
    assert [widths(tape)[1] for tape in program.tapes[:2]] == [{"w": 1}, {"y": 1}]


def test_additions_of_one_call_after_another_are_sums() -> None:
    body = [
        call("neg", Affine("x", 1), Affine("y", 0)),
        call("sum_up", Affine("x", 2), Affine("y", 0)),
        call("sum_up", Affine("x", 3), Affine("y", 0)),
    ]
    (part,) = joined(body).tapes
    assert not part.outputs[0].accumulate
    assert part.counts() == {"neg": 1, "add": 4}


def test_values_of_lanes_are_joined_over_the_first_one() -> None:
    body = [
        in_lanes("twice", [Affine("x", 0, (1,))], Affine("w", 0, (1,))),
        in_lanes("neg", [Affine("w", 0, (1,))], Affine("y", 0, (1,))),
    ]
    program = joined(body, [work(LANES)], y=LANES)
    (loop,) = program.body
    assert isinstance(loop, Loop) and loop.lanes == LANES
    (part,) = program.tapes
    assert widths(part) == ({"x": 1}, {"y": 1}) and part.inputs[0].varying
    assert call_of(loop).inputs == (Affine("x", 0, (1,)),)


def test_numbers_that_all_lanes_share_are_constants() -> None:
    values = (5.0, 5.0, 5.0, 5.0, 3.0, 4.0, 2.0, 2.0, 5.0, 6.0, 6.0, 7.0)
    table = Buffer("t", BufferKind.TABLE, 1, 3, lanes=4, values=values)
    far = replace(MIXED, inputs=(Port("a", 1), Port("b", 2, places=(0, 4))))
    body = [in_lanes("mixed", [Affine("x", 0, (1,)), Affine("t", 0, (1,))], Affine("y", 0, (1,)))]
    program = verify_program(program_of([far], body, len(X), LANES, [table]))
    found = verify_program(fused(program))
    expected = [5.0 * x + b for x, b in zip(X, (3.0, 4.0, 2.0), strict=False)]
    assert evaluate_program(found, FloatAlgebra(), {"x": X})["y"] == expected
    (part,) = found.tapes
    assert [op.literal for op in part.ops if op.code == "constant"] == [5.0]
    assert widths(part)[0] == {"x": 1, "t": 1}
    assert call_of(found.body[0]).inputs[1] == Affine("t", 4, (1,))


def test_a_number_of_one_lane_more_is_no_reason_to_load() -> None:
    """What fills up a vector may differ."""
    table = Buffer("t", BufferKind.TABLE, 1, 1, lanes=4, values=(5.0, 5.0, 5.0, 9.0))
    body = [in_lanes("neg", [Affine("t", 0, (1,))], Affine("y", 0, (1,)))]
    found = joined(body, [table], y=LANES)
    assert [buffer.name for buffer in found.buffers] == ["x", "y"] and found.tapes[0].inputs == ()


def test_additions_of_lanes_to_one_place_end_a_run() -> None:
    start = call("neg", Affine("x", 5), Affine("w", 0))
    adds = in_lanes("sum_up", [Affine("x", 0, (1,))], Affine("w", 0))
    reads = in_lanes("twice", [Affine("w", 0)], Affine("y", 0, (1,)))
    program = joined([start, adds, adds, reads], [work(1)], y=LANES)
    assert [isinstance(item, Loop) for item in program.body] == [False, True, True]
    adding = program.tapes[1]
    assert adding.outputs == (Port("w", 1, accumulate=True),)  # both additions at once
    assert not program.tapes[2].inputs[0].varying


def test_additions_of_lanes_that_nobody_reads_end_no_run() -> None:
    start = call("neg", Affine("x", 5), Affine("y", 0))
    adds = in_lanes("sum_up", [Affine("x", 0, (1,))], Affine("y", 0))
    other = in_lanes("twice", [Affine("x", 3, (1,))], Affine("y", 1, (1,)))
    program = joined([start, adds, other], y=1 + LANES)
    assert len(program.body) == 2
    assert [(port.name, port.accumulate) for port in program.tapes[1].outputs] == [("y", False), ("y_2", True)]


def test_additions_of_lanes_to_places_of_their_own_are_sums() -> None:
    body = [
        in_lanes("neg", [Affine("x", 0, (1,))], Affine("y", 0, (1,))),
        in_lanes("sum_up", [Affine("x", 3, (1,))], Affine("y", 0, (1,))),
    ]
    (part,) = joined(body, y=LANES).tapes
    assert [port.accumulate for port in part.outputs] == [False]


def test_what_another_lane_wrote_is_no_value_of_this_one() -> None:
    body = [
        in_lanes("twice", [Affine("x", 0, (1,))], Affine("w", 0, (1,))),
        in_lanes("neg", [Affine("w", 0)], Affine("y", 0, (1,))),  # of the first lane, in all lanes
    ]
    program = joined(body, [work(LANES)], y=LANES)
    assert len(program.body) == 2
    assert widths(program.tapes[0])[1] == {"w": 1} and program.tapes[1].inputs[0].varying is False


def test_ports_of_one_buffer_are_numbered() -> None:
    table = Buffer("t", BufferKind.TABLE, 3, values=(1.0, 2.0, 3.0))
    body = [
        in_lanes("twice", [Affine("x", 0, (1,))], Affine("y", 0, (1,))),
        in_lanes("mixed", [Affine("t", 0, (1,)), Affine("x", 2)], Affine("y", LANES, (1,))),
    ]
    (part,) = joined(body, [table], y=2 * LANES).tapes
    assert [(port.name, port.varying, port.origins) for port in part.inputs] == [
        ("x", True, ("x0",)),
        ("x_2", False, ("x2", "x4")),
        ("t", True, ()),
    ]
    assert part.inputs[1].places == (0, 2) and part.outputs[0].places == (0, 3)


def test_other_loops_stay_as_they_are() -> None:
    loop = Loop(2, (call("neg", Affine("x", 0, (1,)), Affine("y", 0, (1,))),))
    program = joined([loop], y=2)
    assert program.body == (loop,) and program.tapes == (NEG,)
