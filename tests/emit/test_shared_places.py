"""Ports of one call that lie in one buffer: stores wait for the end of a kernel only where places are shared.

Arithmetic is checked against the evaluator of programs, which reads all inputs of a call before it writes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from support.lane_batches import Batches, build

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.tree.calls import shared_ports
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Gather, Loop, Program
from symdyn.compiler.tape.tape import Port
from symdyn.interface.manifest import Manifest
from symdyn.interface.signature import Signature

SIZE = 12


def _program(samples: ModuleType, read: int, written: Affine | Gather, count: int) -> Program:
    """A copy z of x, then ``count`` runs of a kernel that writes the sums and differences of two scalars of z to z.

    Run i reads z[read + i] and z[read + i + 1].
    """
    copy = samples.TapeBuilder("copied", [Port("x", SIZE)], [Port("z", SIZE)])
    copied = copy.tape([copy.input(0, place) for place in range(SIZE)])
    own = samples.TapeBuilder("pair", [Port("a", 2)], [Port("b", 2)])
    first = own.op("add", own.input(0, 0), own.input(0, 1))
    second = own.op("sub", own.input(0, 0), own.input(0, 1))
    pair = own.tape([first, second])
    back = replace(copied, name="given")
    buffers = (
        Buffer("x", BufferKind.IN, SIZE),
        Buffer("z", BufferKind.WORKSPACE, SIZE),
        Buffer("starts", BufferKind.INDEX, 3, values=(8, 9, 1)),
        Buffer("y", BufferKind.OUT, SIZE),
    )
    body = (
        Call("copied", (Affine("x", 0),), (Affine("z", 0),)),
        Loop(count, (Call("pair", (Affine("z", read, (1,)),), (written,)),)),
        Call("given", (Affine("z", 0),), (Affine("y", 0),)),
    )
    arguments = samples.argument("x", SIZE), samples.argument("y", SIZE)
    signature = Signature("toy", "pairs", arguments[:1], arguments[1:], "Pairs")
    return Program(signature, buffers, (copied, pair, back), body, layout="rolled")


APART = 0, Affine("z", 3, (2,)), 4
"""In run i the places i, i + 1 are read, and 2 i + 3, 2 i + 4 written."""

PLACES = {
    "apart": (APART, False),
    "the same": ((0, Affine("z", 0, (1,)), 4), True),
    "one of two": ((0, Affine("z", 1, (1,)), 4), True),
    "in the last run": ((2, Affine("z", 7, (0,)), 5), True),
    "by a table": ((0, Gather("z", "starts", 0, (1,)), 2), False),
    "by a table, in its last entry": ((0, Gather("z", "starts", 0, (1,)), 3), True),
}


@pytest.mark.parametrize("case", PLACES)
def test_ports_share_places_of_some_run(samples: ModuleType, case: str) -> None:
    places, shared = PLACES[case]
    assert shared_ports(_program(samples, *places)) == ({"pair": frozenset({0})} if shared else {})


@pytest.mark.parametrize(("second", "shared"), [(4, False), (3, True)])
def test_ports_of_other_lanes_share_places(samples: ModuleType, second: int, shared: bool) -> None:
    """Lane i adds to the places i and ``second`` + i of z: of four lanes, the last one meets the first from 3 on."""
    own = samples.TapeBuilder("twice", [Port("a", 1)], [Port(name, 1, accumulate=True) for name in "bc"])
    tape = own.tape([own.input(0, 0), own.op("neg", own.input(0, 0))])
    buffers = Buffer("x", BufferKind.IN, 4), Buffer("z", BufferKind.OUT, SIZE)
    call = Call("twice", (Affine("x", 0, (1,)),), (Affine("z", 0, (1,)), Affine("z", second, (1,))))
    arguments = samples.argument("x", 4), samples.argument("z", SIZE)
    signature = Signature("toy", "added", arguments[:1], arguments[1:], "Sums")
    program = Program(signature, buffers, (tape,), (Loop(4, (call,), lanes=4),), layout="rolled-lanes")
    assert shared_ports(program) == ({"twice": frozenset({0, 1})} if shared else {})


@pytest.mark.needs_cc
@pytest.mark.parametrize("case", PLACES)
def test_c_reads_before_it_writes_over(samples: ModuleType, write_module: Callable[..., Path], case: str) -> None:
    places, shared = PLACES[case]
    program = _program(samples, *places)
    folder = write_module([program])
    text = (folder / "toy_pairs.c").read_text()
    head = text[text.index("kernel_pair(") :].partition(")")[0]
    assert ("restrict" in head) is not shared
    library = build([folder], folder / "pairs.so", flags=["-O3"])
    manifest = Manifest.from_json((folder / "manifest.json").read_text())
    inputs = {"x": np.random.default_rng(1).uniform(-1.0, 1.0, (9, SIZE))}
    found = Batches(library, manifest, manifest.functions[0]).in_blocks(inputs, 9)["y"]
    for state in range(9):
        wanted = evaluate_program(program, FloatAlgebra(), {"x": inputs["x"][state].tolist()})
        assert found[state].tolist() == wanted["y"]


@pytest.mark.parametrize("layout", ["rolled", "rolled-lanes"])
def test_recursions_store_a_body_s_motion_at_once(layout: str) -> None:
    """The motions of parent and body are rows of one array, which are never the same."""
    robot = symdyn.load_example("aerial_tree")
    (program,) = api.programs(robot, ["inverse_dynamics_time_derivatives"], layout=layout, order=2)
    written = {call.outputs[1].buffer for call, _ in program.calls() if call.tape == "rnea_forward_2"}
    assert written & {call.inputs[-1].buffer for call, _ in program.calls() if call.tape == "rnea_forward_2"}
    assert not any(name.startswith("rnea") for name in shared_ports(program))
