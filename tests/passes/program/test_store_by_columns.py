"""Arguments are moved to columns without their zeros, whatever the layout, and loops may look places up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.tapes import call, program_of, tape_of

import symdyn
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.api import programs
from symdyn.compiler.passes.program.store_by_columns import stored_by_columns
from symdyn.compiler.passes.program.zeros import may_be_nonzero
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.pattern import Pattern, Stored
from symdyn.compiler.tape.program import Affine, Program
from symdyn.compiler.tape.verify import verify_program


def mass_matrix(layout: str) -> Program:
    (program,) = programs(symdyn.load_example("quadruped"), ["mass_matrix"], layout=layout, target="python")
    return program


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_entries_that_are_not_zero_come_by_columns(layout: str) -> None:
    program = mass_matrix(layout)
    (output,) = program.signature.outputs
    given = {own.name: np.linspace(-1.0, 1.0, own.size).tolist() for own in program.signature.inputs}
    matrix = np.array(evaluate_program(program, FloatAlgebra(), given)["M"]).reshape(output.shape)
    inputs = {own.name: Stored.matrix(own.name, own.size, 1) for own in program.signature.inputs}
    for transposed in (False, True):
        stored = {"M": Stored.matrix("M", *output.shape, transposed)}
        moved = verify_program(stored_by_columns(program, program.signature, inputs, stored))
        pattern = moved.patterns["M"]
        flat = (matrix.T if transposed else matrix).flatten(order="F")
        found = evaluate_program(moved, FloatAlgebra(), given)["M"]
        np.testing.assert_array_equal(found, flat[list(pattern.entries)])
        rest = np.delete(flat, list(pattern.entries))
        assert rest.size > 100 and not rest.any()  # legs do not feel each other
        assert moved.counts() == program.counts()


def test_an_output_may_go_to_two_places() -> None:
    program = mass_matrix("rolled")
    (output,) = program.signature.outputs
    both = replace(program.signature, outputs=(output, replace(output, name="N")))
    stored = {"M": Stored.matrix("M", *output.shape), "N": Stored.matrix("M", *output.shape, transposed=True)}
    (q,) = program.signature.inputs
    moved = verify_program(stored_by_columns(program, both, {"q": Stored.matrix("q", q.size, 1)}, stored, dense=True))
    found = evaluate_program(moved, FloatAlgebra(), {"q": np.linspace(-1.0, 1.0, q.size).tolist()})
    matrix, other = (np.array(found[name]).reshape(output.shape) for name in "MN")
    np.testing.assert_array_equal(matrix, other.T)


def test_what_is_zero_is_found_through_loops() -> None:
    flags = np.array(may_be_nonzero(mass_matrix("rolled"))["M"]).reshape(18, 18)
    assert (flags == flags.T).all()
    assert flags.sum() < 0.7 * flags.size
    assert flags.diagonal().all() and not flags[6:9, 9:].any()


def test_a_pattern_is_told_as_casadi_does() -> None:
    pattern = Pattern.of(3, 2, [4, 0, 2])
    assert (pattern.starts, pattern.row_numbers, pattern.is_dense) == ((0, 2, 3), (0, 2, 1), False)
    assert Pattern.dense(2, 2).is_dense and Pattern.dense(2, 2).entries == (0, 1, 2, 3)


def test_the_angle_of_no_height_is_not_zero() -> None:
    kernel = tape_of(("x", 0), (0.0,), ("atan2", 1, 0), ("atan", 1), width=1, results=[2, 3], name="turn")
    program = verify_program(program_of([kernel], [call("turn", Affine("x", 0), Affine("y", 0))], 1, 2, []))
    assert evaluate_program(program, FloatAlgebra(), {"x": [-1.0]})["y"] == [np.pi, 0.0]
    assert may_be_nonzero(program)["y"] == [True, False]
