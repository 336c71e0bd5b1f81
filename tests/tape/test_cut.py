"""A straight line cut into pieces: the same results from bounded pieces, whatever crosses the cuts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from symdyn.scalars.floats import FloatAlgebra
from symdyn.signature import Argument, Signature
from symdyn.tape.cut import CARRIED, in_pieces
from symdyn.tape.evaluate import evaluate_program
from symdyn.tape.ops import OPS
from symdyn.tape.program import Affine, Buffer, BufferKind, Call, Program
from symdyn.tape.tape import Op, Port, Tape
from symdyn.tape.verify import verify_program

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
