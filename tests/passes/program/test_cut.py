"""A straight line cut into pieces: the same results from bounded pieces, whatever crosses the cuts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.program.cut import CARRIED, CARRIED_LANES, in_pieces
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Loop, Program
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_program
from symdyn.interface.signature import Argument, Signature

WIDTH = 5


def argument(name: str, width: int) -> Argument:
    names = tuple(f"{name}{place}" for place in range(width))
    return Argument(name, (width,), (names,), ("m",) * width, name)


def whole(ops: list[Op], results: tuple[int, ...]) -> Program:
    """A program of one call: ``x`` (WIDTH) and the parameters ``p`` (2) to ``y``."""
    signature = Signature("r", "f", (argument("x", WIDTH), argument("p", 2)), (argument("y", len(results)),), "test")
    ports = (Port("x", WIDTH, "m", signature.inputs[0].element_names), Port("p", 2, varying=False))
    tape = Tape("f", ports, (Port("y", len(results)),), tuple(ops), (results,))
    buffers = (
        Buffer("x", BufferKind.IN, WIDTH),
        Buffer("p", BufferKind.PARAM, 2),
        Buffer("y", BufferKind.OUT, len(results)),
    )
    call = Call("f", (Affine("x", 0), Affine("p", 0)), (Affine("y", 0),))
    return verify_program(Program(signature, buffers, (tape,), (call,), layout="split"))


def drawn(seed: int, count: int) -> Program:
    """A random line of sums, products, pairs, comparisons and choices."""
    rng = random.Random(seed)
    ops = [Op("input", source=(0, place)) for place in range(WIDTH)]
    ops += [Op("input", source=(1, place), varying=False) for place in range(2)]
    ops += [Op("constant", literal=0.5, varying=False), Op("constant", literal=-1.25, varying=False)]
    numbers, truths = list(range(len(ops))), []
    while len(ops) < count:
        code = rng.choice(("add", "sub", "mul", "less", "select", "sincos"))
        a, b = rng.choice(numbers[-30:]), rng.choice(numbers)
        varying = ops[a].varying or ops[b].varying
        if code == "sincos":
            ops += [Op("sincos", (a,), varying=ops[a].varying)]
            pair = len(ops) - 1
            ops += [Op(half, (pair,), varying=ops[a].varying) for half in ("sin_of", "cos_of")]
            numbers += [pair + 1, pair + 2]
        elif code == "select":
            if truths:
                ops.append(Op("select", (truths[-1], a, b)))
                numbers.append(len(ops) - 1)
        else:
            ops.append(Op(code, (a, b), varying=varying))
            (truths if code == "less" else numbers).append(len(ops) - 1)
    return whole(ops, (*numbers[-6:], 1, 7))


def cost(tape: Tape) -> int:
    return sum(OPS[op.code].cost for op in tape.ops)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("length", [7, 40, 150])
def test_pieces_give_what_the_line_gives(seed: int, length: int) -> None:
    program = drawn(seed, 400)
    pieces = verify_program(in_pieces(program, length))
    inputs = {"x": [0.3, -1.1, 0.7, 2.0, -0.4], "p": [1.5, -0.25]}
    assert evaluate_program(pieces, FloatAlgebra(), inputs) == evaluate_program(program, FloatAlgebra(), inputs)
    assert sum(map(cost, pieces.tapes)) == cost(program.tapes[0])


def test_pieces_are_bounded_and_places_are_used_again() -> None:
    ops = [Op("input", source=(0, place)) for place in range(WIDTH)]
    for place in range(600):
        ops.append(Op("mul" if place % 3 else "add", (len(ops) - 1, len(ops) - 2)))
    pieces = in_pieces(whole(ops, (len(ops) - 1,)), 50)
    assert 12 <= len(pieces.tapes) <= 20 and all(cost(tape) <= 50 for tape in pieces.tapes)
    assert pieces.buffer(CARRIED).size == 4  # two values cross each cut, and no piece writes where it reads
    assert pieces.tapes[0].inputs[0].origins == ("x3", "x4")


def test_pieces_keep_off_buffers_of_other_names() -> None:
    program = drawn(2, 400)
    taken = Buffer(CARRIED, BufferKind.WORKSPACE, 1)
    pieces = verify_program(in_pieces(replace(program, buffers=(*program.buffers, taken)), 40))
    inputs = {"x": [0.3, -1.1, 0.7, 2.0, -0.4], "p": [1.5, -0.25]}
    assert evaluate_program(pieces, FloatAlgebra(), inputs) == evaluate_program(program, FloatAlgebra(), inputs)


def test_short_lines_stay_whole() -> None:
    program = drawn(1, 60)
    assert in_pieces(program, 1000) is program


def test_no_cut_separates_a_truth_value_from_its_use() -> None:
    """Choices all the way rest on the first comparison, so that there is no place to cut."""
    ops = [Op("input", source=(0, place)) for place in range(WIDTH)]
    ops.append(Op("less", (0, 1)))
    truth = len(ops) - 1
    for _ in range(100):
        ops.append(Op("add", (len(ops) - 1 if len(ops) > truth + 1 else 0, 2)))
        ops.append(Op("select", (truth, len(ops) - 1, 3)))
    pieces = verify_program(in_pieces(whole(ops, (len(ops) - 1,)), 20))
    assert len(pieces.tapes) == 1


LANES, SPACING = 3, 4


def in_lanes(line: Program, in_place: bool = False) -> Program:
    """The line once per lane on a copy of the arguments in lanes; ``in_place``, it writes where it reads."""
    (tape,), results = line.tapes, line.tapes[0].outputs[0].width
    copy = Tape(
        "copy", (Port("x", WIDTH),), (Port("own", WIDTH, places=PLACES),), _loads(WIDTH), (tuple(range(WIDTH)),)
    )
    tape = replace(tape, inputs=(replace(tape.inputs[0], origins=(), places=PLACES), tape.inputs[1]))
    target = Affine("y", 0, (results,))
    after = []
    if in_place:
        back = replace(copy, name="back", inputs=copy.outputs, outputs=(Port("y", WIDTH),))
        tape = replace(tape, outputs=copy.outputs, results=(tape.results[0][:WIDTH],))
        target, after = Affine("own", 0, (1,)), [Call("back", (Affine("own", 0, (1,)),), (Affine("y", 0, (WIDTH,)),))]
        results = WIDTH
    signature = Signature(
        "r", "f", (argument("x", LANES * WIDTH), argument("p", 2)), (argument("y", LANES * results),), "test"
    )
    buffers = (
        Buffer("x", BufferKind.IN, LANES * WIDTH),
        Buffer("p", BufferKind.PARAM, 2),
        Buffer("y", BufferKind.OUT, LANES * results),
        Buffer("own", BufferKind.WORKSPACE, WIDTH, lanes=SPACING),
    )
    calls = (
        Call("copy", (Affine("x", 0, (WIDTH,)),), (Affine("own", 0, (1,)),)),
        Call(tape.name, (Affine("own", 0, (1,)), Affine("p", 0, (0,))), (target,)),
        *after,
    )
    body = tuple(Loop(LANES, (item,), lanes=LANES) for item in calls)
    tapes = (copy, tape, back) if in_place else (copy, tape)
    return verify_program(Program(signature, buffers, tapes, body, layout="split-lanes"))


PLACES = tuple(range(0, WIDTH * SPACING, SPACING))


def _loads(count: int) -> tuple[Op, ...]:
    return tuple(Op("input", source=(0, place)) for place in range(count))


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_pieces_in_lanes_give_what_the_line_gives(seed: int, in_place: bool) -> None:
    line = drawn(seed, 300)
    program = in_lanes(line, in_place)
    pieces = verify_program(in_pieces(program, 40))
    rng = random.Random(seed)
    inputs = {"x": [rng.uniform(-2.0, 2.0) for _ in range(LANES * WIDTH)], "p": [1.5, -0.25]}
    expected: list[float] = []
    for lane in range(LANES):
        one = {"x": inputs["x"][WIDTH * lane : WIDTH * (lane + 1)], "p": inputs["p"]}
        expected += evaluate_program(line, FloatAlgebra(), one)["y"][: WIDTH if in_place else None]
    assert evaluate_program(pieces, FloatAlgebra(), inputs)["y"] == expected
    made = [tape for tape in pieces.tapes if tape.name.startswith("piece")]
    assert len(made) >= 5 and all(isinstance(item, Loop) and item.lanes == LANES for item in pieces.body)
    assert [buffer.name for buffer in pieces.buffers if buffer not in program.buffers] == [CARRIED_LANES]
    carried = pieces.buffer(CARRIED_LANES)
    assert (carried.lanes, carried.width) == (SPACING, 1) and pieces.work_size == 20 + 4 * carried.rows + 3


def test_pieces_in_lanes_bring_their_own_places() -> None:
    """Lanes that lie apart in arguments alone: no buffer tells how far apart values of all lanes are."""
    line = drawn(4, 300)
    results = line.tapes[0].outputs[0].width
    signature = Signature(
        "r", "f", (argument("x", LANES * WIDTH), argument("p", 2)), (argument("y", LANES * results),), "test"
    )
    buffers = (
        Buffer("x", BufferKind.IN, LANES * WIDTH),
        Buffer("p", BufferKind.PARAM, 2),
        Buffer("y", BufferKind.OUT, LANES * results),
    )
    call = Call("f", (Affine("x", 0, (WIDTH,)), Affine("p", 0, (0,))), (Affine("y", 0, (results,)),))
    body = (Loop(LANES, (call,), lanes=LANES),)
    program = verify_program(Program(signature, buffers, line.tapes, body, layout="split-lanes"))
    pieces = verify_program(in_pieces(program, 40))
    assert pieces.buffer(CARRIED_LANES).lanes == SPACING
    inputs = {"x": [0.1 * place - 0.7 for place in range(LANES * WIDTH)], "p": [0.5, 2.0]}
    assert evaluate_program(pieces, FloatAlgebra(), inputs) == evaluate_program(program, FloatAlgebra(), inputs)


def test_straight_and_laned_calls_have_places_of_their_own() -> None:
    """And loops that are none over lanes stay as they are."""
    line = drawn(2, 300)
    laned = in_lanes(line)
    (tape,) = line.tapes
    once = replace(tape, name="once", inputs=(replace(tape.inputs[0], origins=()), tape.inputs[1]))
    loop = Loop(2, (Call("neg", (Affine("x", 0, (1,)),), (Affine("y", 0, (1,)),)),))
    neg = Tape("neg", (Port("x", 1),), (Port("y", 1),), (Op("input"), Op("neg", (0,))), ((1,),))
    results = tape.outputs[0].width
    body = (*laned.body, Call("once", (Affine("x", 1), Affine("p", 0)), (Affine("y", results),)), loop)
    program = verify_program(replace(laned, tapes=(*laned.tapes, once, neg), body=body))
    pieces = verify_program(in_pieces(program, 40))
    inputs = {"x": [0.1 * place - 0.7 for place in range(LANES * WIDTH)], "p": [0.5, 2.0]}
    assert evaluate_program(pieces, FloatAlgebra(), inputs) == evaluate_program(program, FloatAlgebra(), inputs)
    assert pieces.buffer(CARRIED).lanes == 1 and pieces.buffer(CARRIED_LANES).lanes == SPACING
    assert pieces.body[-1] is loop
    names = [tape.name for tape in pieces.tapes if tape.name.startswith("piece")]
    assert names == [f"piece_{number}" for number in range(len(names))]


def test_a_place_is_written_once_nobody_reads_it_any_longer() -> None:
    """Results are there in the first piece, and what lies in their places is read in the last one."""
    ops = [*_loads(2), Op("add", (0, 1))]
    for _ in range(30):
        ops.append(Op("mul", (len(ops) - 1, len(ops) - 1)))
    ops += [Op("add", (len(ops) - 1, 0)), Op("sub", (len(ops), 1))]
    tape = Tape("k", (Port("x", 2),), (Port("y", 2), Port("last", 1)), tuple(ops), ((2, 1), (len(ops) - 1,)))
    signature = Signature("r", "f", (argument("x", 2),), (argument("y", 2), argument("last", 1)), "test")
    copy = Tape("copy", (Port("x", 2),), (Port("y", 2),), _loads(2), ((0, 1),))
    buffers = (
        Buffer("x", BufferKind.IN, 2),
        Buffer("y", BufferKind.OUT, 2),
        Buffer("last", BufferKind.OUT, 1),
        Buffer("w", BufferKind.WORKSPACE, 2),
    )
    body = (
        Call("copy", (Affine("x", 0),), (Affine("w", 0),)),
        Call("k", (Affine("w", 0),), (Affine("w", 0), Affine("last", 0))),
        Call("copy", (Affine("w", 0),), (Affine("y", 0),)),
    )
    program = verify_program(Program(signature, buffers, (copy, tape), body, layout="split"))
    pieces = verify_program(in_pieces(program, 8))
    found = evaluate_program(pieces, FloatAlgebra(), {"x": [0.75, 0.2]})
    power = 0.75 + 0.2
    for _ in range(30):
        power = power * power
    assert found == {"y": [0.75 + 0.2, 0.2], "last": [(power + 0.75) - 0.2]}
    read, written = ({place: _pieces_at(pieces, place, ports) for place in range(2)} for ports in ("inputs", "outputs"))
    for place in range(2):
        assert written[place] == [max(read[place])]
    assert min(read[0]) == 0 and max(read[0]) >= 3


def _pieces_at(program: Program, place: int, ports: str) -> list[int]:
    """Numbers of the pieces that read, or write, a place of w."""
    found = []
    for number, item in enumerate(program.body[1:-1]):
        assert isinstance(item, Call)
        for port, address in zip(getattr(program.tape(item.tape), ports), getattr(item, ports), strict=True):
            if address.buffer == "w" and place in [address.base + port.place(index) for index in range(port.width)]:
                found.append(number)
    return found
