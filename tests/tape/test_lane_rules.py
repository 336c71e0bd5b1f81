"""What verify_lanes refuses of loops over lanes, one breach per case, and how much workspace lanes need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from support.tapes import call, program_of, tape_of

from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Gather, Loop, Program, Trips
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_lanes, verify_program
from symdyn.errors import InternalError

NEG = tape_of(("x", 0), ("neg", 0), width=1, name="neg")
PAIR = Tape("pair", (Port("x", 2, places=(0, 4)),), (Port("y", 1),), (Op("input"),), ((0,),))
APART = replace(PAIR, name="apart", inputs=(Port("x", 2, places=(0, 3)),))
ADDS = replace(NEG, name="adds", outputs=(Port("y", 1, accumulate=True),))
BOTH = Tape("both", (Port("x", 1),), (Port("y", 1), Port("z", 1, accumulate=True)), (Op("input"),), ((0,), (0,)))
TAPES = (NEG, PAIR, APART, ADDS, BOTH)
OWN = Buffer("own", BufferKind.WORKSPACE, 1, 4, lanes=4)
WORK = Buffer("w", BufferKind.WORKSPACE, 8)
INDEX = Buffer("i", BufferKind.INDEX, 1, 3, values=(0, 4, 2))
WHOLE = Buffer("j", BufferKind.INDEX, 1, 2, values=(0, 4))
LANES = 3


def lanes(tape: str, source: Affine | Gather, *targets: Affine | Gather, count: int = LANES) -> Loop:
    return Loop(count, (Call(tape, (source,), targets),), lanes=count)


def program(*body: Call | Loop) -> Program:
    return program_of(TAPES, body, 16, 16, [OWN, WORK, INDEX, WHOLE])


X, Y = Affine("x", 0, (1,)), Affine("y", 0, (1,))
CALL = call("neg", X, Y)
REFUSED: dict[str, tuple[str, Sequence[Call | Loop]]] = {
    "two numbers of lanes in one buffer": (
        "loops over 3 and 2 lanes in 'own'",
        [
            lanes("neg", X, Affine("own", 0, (1,))),
            Loop(2, (lanes("neg", Affine("x", 0, (0, 1)), Affine("own", 4, (0, 1)), count=2),)),
        ],
    ),
    "more lanes than fit": ("5 lanes do not fit into 'own'", [lanes("neg", X, Affine("own", 0, (1,)), count=5)]),
    "more runs than lanes": ("a loop over 3 lanes is no single call", [replace(lanes("neg", X, Y), count=4)]),
    "runs that are not known": ("over 3 lanes is no single call", [replace(lanes("neg", X, Y), count=Trips(3))]),
    "two calls": ("over 3 lanes is no single call", [Loop(3, (CALL, CALL), lanes=3)]),
    "a loop inside": ("over 3 lanes is no single call", [Loop(3, (Loop(1, (CALL,)),), lanes=3)]),
    "lanes two apart": ("port 'x' does not find the lanes of 'own'", [lanes("neg", Affine("own", 0, (2,)), Y)]),
    "written in between": ("port 'y' does not find the lanes of 'own'", [lanes("neg", X, Affine("own", 2, (1,)))]),
    "a scalar in between": ("port 'x' does not find", [lanes("apart", Affine("own", 0, (1,)), Y)]),
    "loops around that advance by less than a vector": (
        "port 'x' does not find",
        [Loop(2, (lanes("neg", Affine("own", 0, (2, 1)), Affine("y", 0, (3, 1))),))],
    ),
    "an index in between": (
        "port 'x' does not find",
        [Loop(2, (lanes("neg", Gather("own", "i", 1, (1,), (0, 1)), Affine("y", 0, (3, 1))),))],
    ),
    "a shift in between": (
        "port 'x' does not find",
        [Loop(2, (lanes("neg", Gather("own", "j", 0, (1,), (0, 1), shift=2), Affine("y", 0, (3, 1))),))],
    ),
    "one place written by two": ("lanes of 'neg' write to one place, \\('y', 5\\)", [lanes("neg", X, Affine("y", 5))]),
    "read where another lane writes, in the second run of a loop": (
        r"lane 0 of 'neg' reads \('w', 2\)",
        [Loop(2, (lanes("neg", Gather("w", "i", 1, (1,), (0, 0)), Affine("w", 0, (0, 1))),))],
    ),
    "written and added to": (
        r"lanes of 'both' write and add to \('y', 1\)",
        [lanes("both", X, Y, Affine("y", 1))],
    ),
    "read where another lane writes": (
        r"lane 0 of 'neg' reads \('w', 1\), which another one changes",
        [lanes("neg", Affine("w", 1, (1,)), Affine("w", 0, (1,)))],
    ),
    "read by all where one writes": (
        r"lane 0 of 'neg' reads \('w', 2\), which another one",
        [lanes("neg", Affine("w", 2), Affine("w", 0, (1,)))],
    ),
    "read where all add": (r"lane 0 of 'adds' reads \('w', 0\)", [lanes("adds", Affine("w", 0), Affine("w", 0))]),
    "read where another adds": (
        r"lane 1 of 'adds' reads \('w', 0\)",
        [lanes("adds", Affine("w", 5, (-5,)), Affine("w", 0, (1,)))],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_breach_is_refused(case: str) -> None:
    message, body = REFUSED[case]
    with pytest.raises(InternalError, match=message):
        verify_lanes(program(*body))


ACCEPTED: dict[str, Sequence[Call | Loop]] = {
    "no lanes": [Loop(3, (call("neg", X, Affine("y", 0)),))],
    "evenly spaced in other buffers": [lanes("neg", Affine("x", 1, (5,)), Affine("y", 2, (3,)))],
    "next to each other": [lanes("pair", Affine("own", 4, (1,)), Affine("own", 0, (1,)))],
    "one place for all": [lanes("neg", Affine("own", 5), Y)],
    "its own place": [lanes("neg", Affine("w", 0, (1,)), Affine("w", 0, (1,)))],
    "its own place added to": [lanes("adds", Affine("w", 0, (1,)), Affine("w", 0, (1,)))],
    "a sum of all": [lanes("adds", X, Affine("w", 0))],
    "as far as the loop around says": [
        Loop(2, (lanes("neg", Affine("own", 0, (4, 1)), Gather("own", "j", 0, (1,), (0, 1), shift=8)),))
    ],
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_lanes_may_do_is_accepted(case: str) -> None:
    verify_lanes(program(*ACCEPTED[case]))


def test_a_whole_program_is_checked() -> None:
    """What is refused here is legal but for its lanes."""
    body = [lanes("neg", Affine("x", 0, (1,)), Affine("y", 0))]
    legal = program_of([NEG], [*body, *(call("neg", X, Affine("y", place)) for place in range(4))], buffers=())
    with pytest.raises(InternalError, match="write to one place"):
        verify_program(legal)
    verify_program(replace(legal, body=legal.body[1:]))


@pytest.mark.parametrize(
    ("buffers", "size"),
    [
        ((), 0),
        ((WORK,), 8),
        ((OWN,), 16 + 3),
        ((WORK, OWN), 8 + 16 + 3),
        ((WORK, replace(OWN, kind=BufferKind.TABLE, values=(0.0,) * 16)), 8),
        ((replace(OWN, rows=1), replace(OWN, name="second", lanes=8)), 4 + 32 + 3),  # vectors of 4 fit into both
    ],
)
def test_workspace_may_begin_at_a_whole_vector(buffers: tuple[Buffer, ...], size: int) -> None:
    assert program_of([NEG], [], buffers=buffers).work_size == size
