"""What follows from a step that is said once: its ports, its fields, its visits, and a plan of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.robots.random_trees import make_robot
from support.robots.small import loaded

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.robot import JointKind
from symdyn.dynamics.tree.bindings import add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.places import TAU, Q, Rows, V, known, whole
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Field, FieldKind, Given, Mode, Port
from symdyn.plan.run import run_plan

HEIGHT = Rows("height", 1, known((10.0,)), on_path=True)
LOAD = Rows("load", 1)


def _rise(transmits: bool, _: Any, constants: Mapping[str, float], reads: Mapping[str, Sequence[float]]) -> Any:
    height = reads["above"][0] + reads["q"][0]
    writes = {"height": [height], "load": [height]}
    return writes | {"inner": [1.0]} if transmits else writes


def _hand_on(transmits: bool, _: Any, __: Mapping[str, float], reads: Mapping[str, Sequence[float]]) -> Any:
    return {"tau": reads["load"]} | ({"above": reads["load"]} if transmits else {})


def _transmits(tree: TreePlan, body: int) -> bool:
    return tree.variant(body).transmits


RISE = step(
    _rise,
    name="rise",
    variant=_transmits,
    inner=write(whole("inner", 1), when=lambda transmits: transmits),
    q=read(Q),
    above=read(HEIGHT.above),
    height=write(HEIGHT.own),
    load=write(LOAD.own),
)
HAND_ON = step(_hand_on, variant=_transmits, load=read(LOAD.own), above=add_to(LOAD.above), tau=add_to(TAU))


@pytest.fixture
def tree() -> TreePlan:
    """The ground carries body 0, which carries bodies 1 and 2."""
    return TreePlan(loaded(make_robot([0, 1, 1], [JointKind.REVOLUTE] * 3, 4)).model)


def test_a_step_has_the_ports_in_the_order_in_which_they_are_said(tree: TreePlan) -> None:
    made = RISE.over(tree, tree.links).step
    assert made.name == "rise"
    assert made.ports[:3] == (Port("inner", Mode.WRITE), Port("q", Mode.READ), Port("above", Mode.READ))


def test_a_port_is_bound_where_its_variant_has_it(tree: TreePlan) -> None:
    first, second, third = RISE.over(tree, tree.links).visits
    assert "inner" not in first.bindings and "inner" in second.bindings
    assert first.bindings["above"] == Given((10.0,))
    assert second.bindings["above"] == third.bindings["above"] == first.bindings["height"] == Access("height", 0, 1)
    assert list(second.bindings)[-1] == "inner"


def test_a_place_may_be_for_some_trees_only(tree: TreePlan) -> None:
    placed = step(_hand_on, variant=_transmits, load=read(LOAD.own.where(lambda tree: bool(tree.external))))
    for external, count in (("", 0), ("body", 1)):
        sweep = placed.over(TreePlan(tree.model, external), [0])
        assert len(sweep.fields) == len(sweep.visits[0].bindings) == count


def test_a_sweep_declares_its_fields_with_the_names_that_it_is_given(tree: TreePlan) -> None:
    sweep = HAND_ON.over(tree, tree.links, tau="spring")
    assert [field.name for field in declared_by([sweep])] == ["load", "spring"]
    assert [visit.bindings["tau"] for visit in sweep.visits] == [Access("spring", row, 1) for row in range(3)]


def test_a_port_that_a_step_does_not_have_cannot_be_moved(tree: TreePlan) -> None:
    with pytest.raises(AssertionError):
        HAND_ON.over(tree, tree.links, torque="spring")


def test_a_plan_has_the_fields_of_its_sweeps_and_runs(tree: TreePlan) -> None:
    sweeps = [RISE.over(tree, tree.links), HAND_ON.over(tree, reversed(tree.links))]
    plan = plan_of("sums", tree, sweeps)
    assert [field.name for field in plan.fields_of(FieldKind.STATE)] == ["inner", "height", "load"]
    assert plan.field("height").rows == 2 and plan.field("load").rows == 3
    assert plan.bodies == tuple(body.name for body in tree.model.bodies)
    tau = run_plan(plan, FloatAlgebra(), {"q": [1.0, 2.0, 3.0]})["tau"]
    assert tau == [11.0 + 13.0 + 14.0, 13.0, 14.0]


def test_a_caller_may_declare_a_field_otherwise_and_state_that_nobody_touches_is_left_out(tree: TreePlan) -> None:
    sweeps = [RISE.over(tree, [0]), HAND_ON.over(tree, (), tau="unread")]
    plan = plan_of("heights", tree, sweeps, [Field("load", FieldKind.OUTPUT, 3)])
    names = [(field.name, field.kind) for field in plan.fields]
    declared = [("load", FieldKind.OUTPUT), ("q", FieldKind.INPUT), ("height", FieldKind.STATE)]
    assert names == [*declared, ("unread", FieldKind.OUTPUT)]  # an output that nobody writes is zero


def test_sweeps_that_are_kept_apart_do_not_declare_their_old_names(tree: TreePlan) -> None:
    sweeps = [RISE.over(tree, tree.links)]
    fields, moved = kept_apart(declared_by(sweeps), sweeps, "twin", ())
    plan = plan_of("twins", tree, [*moved, step(_hand_on, v=read(V)).over(tree, ())], fields)
    assert [field.name for field in plan.fields_of(FieldKind.STATE)] == ["twin_inner", "twin_height", "twin_load"]
