"""The split layout: bounded pieces, stored values, known numbers, loops over strided entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.c.body import form_unit
from symdyn.compiler.emit.c.unit import APART, INDEPENDENT, INLINED
from symdyn.compiler.emit.tree.loops import form_tree
from symdyn.compiler.passes.pipeline import optimise
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Loop, Program
from symdyn.compiler.tape.verify import verify_program
from symdyn.interface.signature import Argument, Signature
from symdyn.plan.compose import cleared, kept_apart
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.tracing.split import pieces
from symdyn.tracing.split.split import trace_split

COUNT = 20


def _kernel(variant: str, _: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    (x,) = reads["x"]
    if variant == "first":
        return {"y": [constants["k"] * x], "zero": [0.0]}
    return {"y": [constants["k"] * x + reads["zero"][0] * x]}


_SCALE = Step("scale", _kernel, (Port("x", Mode.READ), Port("zero", Mode.READ), Port("y", Mode.WRITE)))
_FIRST = Step("first", _kernel, (Port("x", Mode.READ), Port("y", Mode.WRITE), Port("zero", Mode.WRITE)))


def _add(_: str, __: Any, ___: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {"sum": [reads["row"][0] * reads["column"][0] + reads["row"][1] * reads["column"][1]]}


_PAIRS = Step("pairs", _add, (Port("row", Mode.READ), Port("column", Mode.READ), Port("sum", Mode.WRITE)))


def _plan(vector: bool) -> Plan:
    """A chain y_k = k x_{k-1}, then products of a (COUNT, 2) with a (2, COUNT) matrix made of it."""
    chain_visits = [
        Visit(
            k,
            "later",
            {"k": 1.0 + 0.5 * k},
            {"x": Access("y", k - 1, 1), "zero": Access("zero", 0, 1), "y": Access("y", k, 1)},
        )
        for k in range(1, 2 * COUNT)
    ]
    first = Visit(
        0, "first", {"k": 1.5}, {"x": Access("x", 0, 1), "y": Access("y", 0, 1), "zero": Access("zero", 0, 1)}
    )
    pairs = tuple(
        Visit(
            -1,
            "pair",
            {},
            {
                "row": Access("y", 2 * i, 2),
                "column": Access("y", j, 2, COUNT),
                "sum": Access("z", (COUNT + 1) * i + j, 1),
            },
        )
        for i in range(COUNT)
        for j in range(COUNT)
    )
    fields = (
        Field("x", FieldKind.INPUT, 1),
        Field("y", FieldKind.STATE, 2 * COUNT),
        Field("zero", FieldKind.STATE, 1),
        Field("z", FieldKind.OUTPUT, COUNT * (COUNT + 1)),
    )
    sweeps = (Sweep(_FIRST, (first,)), Sweep(_SCALE, tuple(chain_visits)), Sweep(_PAIRS, pairs, vector))
    return Plan("products", fields, sweeps, ("body",), (-1,))


def _argument(name: str, size: int) -> Argument:
    return Argument(name, (size,), (tuple(str(index) for index in range(size)),), ("",), name)


def _split(plan: Plan) -> Program:
    signature = Signature("r", "f", (_argument("x", 1),), (_argument("z", COUNT * (COUNT + 1)),), "")
    return verify_program(optimise(trace_split(plan, signature)))


@pytest.mark.parametrize("vector", [False, True])
def test_pieces_and_loops_equal_the_plan(vector: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_OPERATIONS", 7)
    plan = _plan(vector)
    reference = run_plan(plan, FloatAlgebra(), {"x": [0.01]})["z"]
    program = _split(plan)
    assert np.allclose(evaluate_program(program, FloatAlgebra(), {"x": [0.01]})["z"], reference, rtol=1e-15)
    assert reference[COUNT] == 0.0 == reference[2 * COUNT + 1]  # between the rows, where no visit writes
    straight = [tape for tape in program.tapes if tape.name.startswith("piece")]
    assert len(straight) > 4
    assert all(sum(tape.counts().values()) <= 7 for tape in straight)


def test_known_numbers_pass_from_piece_to_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_OPERATIONS", 7)
    program = _split(_plan(True))
    assert program.counts()["mul"] == 2 * COUNT + 2 * COUNT**2, "0 * x must have vanished in every piece"
    assert "zero" not in [buffer.name for buffer in program.buffers]


def test_entries_of_a_matrix_become_loops_of_free_order() -> None:
    program = _split(_plan(True))
    outer = [statement for statement in program.body if isinstance(statement, Loop) and statement.count == COUNT]
    (loop,) = [item for item in outer if isinstance(item.body[0], Loop)]
    (inner,) = loop.body
    assert isinstance(inner, Loop) and inner.count == COUNT and inner.independent
    unit = form_unit(form_tree(program), "double")
    assert {INDEPENDENT, INLINED} <= unit.needs


def test_few_entries_stay_straight_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "LOOPS_FROM", COUNT * COUNT + 10 * COUNT)
    assert not any(isinstance(statement, Loop) for statement in _split(_plan(True)).body)


def test_long_pieces_stay_functions_of_their_own() -> None:
    robot = api.load_example("aerial_tree", bodies_per_branch=4)
    (program,) = api.programs(robot, ["inverse_dynamics"], layout="split")
    assert len(program.tapes) >= 2
    assert APART in form_unit(form_tree(program), "double").needs


def test_only_untouched_entries_are_cleared() -> None:
    plan = cleared(_plan(True))
    clears = [sweep for sweep in plan.sweeps if sweep.step.name == "clear"]
    places = [place for sweep in clears for visit in sweep.visits for place in visit.bindings["entries"].places]  # type: ignore[union-attr]
    assert places == [COUNT + (COUNT + 1) * row for row in range(COUNT)]
    assert cleared(plan).sweeps == plan.sweeps


def test_algorithms_kept_apart_share_what_is_named() -> None:
    plan = _plan(False)
    fields, sweeps = kept_apart(plan.fields, plan.sweeps, "own", ("zero",), {"z": "products"})
    assert [field.name for field in fields] == ["x", "own_y", "zero"]
    touched = {
        access.field
        for sweep in sweeps
        for visit in sweep.visits
        for access in visit.bindings.values()
        if isinstance(access, Access)
    }
    assert touched == {"x", "own_y", "zero", "products"}
