"""Structural classes: which bodies share a kernel, which zeros are known, and what the tables hold."""

from __future__ import annotations

import pytest
from support.robots.small import GENERIC, QUARTER_ABOUT_Z, X, Y, Z, described, joint, loaded, massive

from symdyn import api
from symdyn.compiler.tape.program import BufferKind, Loop, Program
from symdyn.compiler.tape.verify import verify_program
from symdyn.description.robot import JointKind, Link, Matrix3, Vector3
from symdyn.errors import RequestError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.plan.plan import Access, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.robot.robot import Robot
from symdyn.tracing.layout import trace
from symdyn.tracing.rolled.rolled import trace_rolled
from symdyn.tracing.unrolled.structure import Knowledge, Source, slot_of_number

TILTED: Matrix3 = ((0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6))


def chain(places: list[Vector3], turns: list[Matrix3] | None = None, axis: tuple[float, float, float] = Z) -> Robot:
    """Revolute links at these places, with inertias of no special value."""
    links, joints, parent = [Link("base")], [], "base"
    for index, place in enumerate(places):
        name = f"link{index}"
        scaled = tuple((1.0 + 0.01 * index) * value for value in GENERIC)
        links.append(massive(name, 2.0 + 0.1 * index, (0.1, -0.2 - 0.01 * index, 0.3), scaled))
        turned = turns[index] if turns else TILTED
        joints.append(joint(f"j{index:02}", JointKind.REVOLUTE, parent, name, place, axis, turned))
        parent = name
    return loaded(described(links, joints))


def rolled(robot: Robot, external: str = "") -> Program:
    entry = CATALOGUE["inverse_dynamics"]
    return verify_program(
        trace_rolled(entry.plan(robot.model, Request(external)), entry.signature(robot.model, Request(external)))
    )


def kernels(program: Program, stem: str) -> int:
    return sum(tape.name.startswith(stem) for tape in program.tapes)


def test_numbers_of_a_kind() -> None:
    assert [slot_of_number(value) for value in (0.0, -0.0, 1.0, -1.0)] == [0.0, 0.0, 1.0, -1.0]
    assert slot_of_number(0.5) is Source.COLUMN and slot_of_number(-1.0000000001) is Source.COLUMN


@pytest.mark.parametrize("count", [6, 30])
def test_equal_shapes_share_a_kernel_however_many(count: int) -> None:
    program = rolled(chain([(0.1, 0.2, 0.3 + 0.01 * index) for index in range(count)]))
    # Outward: the first link hangs on the still ground; the second on a parent that turns about one axis only.
    assert kernels(program, "rnea_forward") <= 4
    # Inward: the last link's wrench is not yet added to; the first has nobody to hand it to.
    assert kernels(program, "rnea_backward") <= 3
    assert len(program.body) <= 8
    loops = [statement for statement in program.body if isinstance(statement, Loop)]
    assert max(loop.count for loop in loops) >= count - 4


def test_zeros_and_ones_split_classes() -> None:
    places: list[Vector3] = [(0.1, 0.2, 0.3)] * 8
    plain = kernels(rolled(chain(places)), "rnea_forward")
    places[5] = (0.1, 0.0, 0.3)
    assert kernels(rolled(chain(places)), "rnea_forward") == plain + 1
    turned = [TILTED] * 8
    turned[5] = QUARTER_ABOUT_Z
    assert kernels(rolled(chain([(0.1, 0.2, 0.3)] * 8, turned)), "rnea_forward") > plain


def test_tables_hold_the_numbers_that_are_not_structural() -> None:
    program = rolled(chain([(0.1, 0.2, 0.3)] * 6))
    tables = program.buffers_of(BufferKind.TABLE)
    assert tables and all(value not in (0.0, 1.0, -1.0) for table in tables for value in table.values)
    by_name = {table.name: table for table in tables}
    for tape in program.tapes:
        if f"{tape.name}_constants" in by_name:
            port = tape.inputs[0]
            assert (port.name, port.varying) == ("constants", False)
            assert port.width == by_name[f"{tape.name}_constants"].width
            assert len(set(port.origins)) == port.width


def test_rows_of_equal_bodies_are_stored_once() -> None:
    links, joints = [Link("base")], []
    for index in range(6):
        links.append(massive(f"l{index}"))
        joints.append(joint(f"j{index}", JointKind.FLOATING, "base", f"l{index}", turned=TILTED))
    program = rolled(loaded(described(links, joints)))
    assert kernels(program, "rnea_forward") == 1
    (table,) = (t for t in program.buffers_of(BufferKind.TABLE) if t.name.startswith("rnea_forward"))
    assert table.rows == 1
    (loop,) = (s for s in program.body if isinstance(s, Loop) and s.count == 6 and "rnea_forward" in str(s))
    (call,) = loop.body
    assert [address.strides for address in call.inputs if address.buffer == table.name] == [(0,)]  # type: ignore[union-attr]


def test_known_zeros_make_small_kernels() -> None:
    # Axes parallel to gravity and to each other: a plane in which only omega_z and a vertical weight remain.
    planar = rolled(chain([(0.5, 0.0, 0.0)] * 4, [((1.0, 0.0, 0.0), Y, Z)] * 4))
    general = rolled(chain([(0.5, 0.0, 0.0)] * 4))
    assert sum(planar.counts().values()) < 0.5 * sum(general.counts().values())


def test_read_ports_that_vanish_are_not_passed() -> None:
    program = rolled(chain([(0.1, 0.2, 0.3)] * 3))
    first = next(tape for tape in program.tapes if tape.name == "rnea_forward_0")
    assert "parent" not in [port.name for port in first.inputs]
    for tape in program.tapes:
        used = {op.source[0] for op in tape.ops if op.code == "input"}
        assert used == set(range(len(tape.inputs))), tape.name


def _plan() -> Plan:
    def kernel(variant, algebra, constants, reads):  # type: ignore[no-untyped-def]
        return {"out": [constants["k"] * reads["x"][0], 0.0 * reads["x"][0]]}

    step = Step("scale", kernel, (Port("x", Mode.READ), Port("out", Mode.ADD)))
    fields = (Field("x", FieldKind.INPUT, 2), Field("s", FieldKind.STATE, 2), Field("y", FieldKind.OUTPUT, 2))
    visits = tuple(
        Visit(k, "v", {"k": value}, {"x": Access("x", k, 1), "out": Access("s", 0, 2)})
        for k, value in enumerate((0.5, 1.0))
    )
    return Plan("p", fields, (Sweep(step, visits),), ("a", "b"), (-1, 0))


def test_knowledge_of_zeros_and_of_what_is_written() -> None:
    plan = _plan()
    (sweep,) = plan.sweeps
    first, second = sweep.visits
    knowledge = Knowledge(plan)
    key = knowledge.key(sweep.step, first)
    assert key.constants == (("k", Source.COLUMN),) and key.accumulates == ()
    knowledge.record(sweep.step, first, {"out": (False, True)})
    assert (knowledge.slot("s", (0,)), knowledge.slot("s", (1,))) == (Source.PORT, 0.0)
    key = knowledge.key(sweep.step, second)
    assert key.constants == (("k", 1.0),) and key.accumulates == ("out",)
    knowledge.record(sweep.step, second, {"out": (True, False)})
    assert (knowledge.slot("s", (0,)), knowledge.slot("s", (1,))) == (Source.PORT, Source.PORT)


def test_given_values_are_structure_or_columns() -> None:
    step = Step("s", lambda *_: {}, (Port("x", Mode.READ),))
    visit = Visit(0, "v", {}, {"x": Given((0.0, 9.81, 1.0))})
    assert Knowledge(_plan()).key(step, visit).reads == (("x", (0.0, Source.COLUMN, 1.0)),)


def test_an_overwritten_zero_is_known_again() -> None:
    plan = _plan()
    step = Step("set", lambda *_: {}, (Port("out", Mode.WRITE),))
    visit = Visit(0, "v", {}, {"out": Access("s", 0, 2)})
    knowledge = Knowledge(plan)
    knowledge.record(step, visit, {"out": (False, False)})
    knowledge.record(step, visit, {"out": (True, False)})
    assert (knowledge.slot("s", (0,)), knowledge.slot("s", (1,))) == (0.0, Source.PORT)


def test_layouts() -> None:
    entry = CATALOGUE["inverse_dynamics"]
    robot = chain([(0.1, 0.2, 0.3)] * 3, axis=X)
    plan, signature = entry.plan(robot.model, Request()), entry.signature(robot.model, Request())
    with pytest.raises(RequestError, match="layout 'looped' is unknown; choose one of auto, unrolled, split, rolled"):
        trace(plan, signature, "looped", lambda program: program)
    for layout in ("unrolled", "split", "rolled"):
        assert trace(plan, signature, layout, lambda program: program).layout == layout


def test_auto_chooses_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = chain([(0.1, 0.2, 0.3)] * 5)

    def chosen(function: str) -> str:
        return api.programs(robot, [function])[0].layout

    def cost(function: str, layout: str) -> int:
        return api.cost(robot, [function], layout=layout)[function]["total"]

    assert chosen("mass_matrix") == "unrolled"
    monkeypatch.setattr("symdyn.tracing.layout.UNROLLED_UP_TO", cost("mass_matrix", "split") - 1)
    assert chosen("mass_matrix") == "split"
    monkeypatch.setattr("symdyn.tracing.layout.SPLIT_UP_TO", cost("mass_matrix", "split") - 1)
    assert chosen("mass_matrix") == "rolled"
