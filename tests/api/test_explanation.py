"""Explanations tell what the generator does, number by number."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from support.robots.small import described, joint, loaded

import symdyn
from symdyn import api
from symdyn.compiler.passes.pipeline import PIPELINE, PROGRAM_PIPELINE
from symdyn.compiler.tape.program import BufferKind
from symdyn.compiler.tape.tape import operation_total
from symdyn.description.robot import JointKind, Link
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.generation.report import LayoutOption
from symdyn.interface.cpus import DEFAULT
from symdyn.interface.targets import TARGETS
from symdyn.robot.robot import Robot
from symdyn.tracing.cost import estimate

PASSES = (*PROGRAM_PIPELINE, *PIPELINE)


@pytest.fixture(scope="module")
def arm() -> Robot:
    """Seven revolute joints."""
    return symdyn.load_example("seven_dof_arm")


@pytest.mark.parametrize("layout", ["auto", "unrolled", "split", "rolled"])
def test_it_tells_of_the_program_that_is_generated(arm: Robot, layout: str) -> None:
    (program,) = api.programs(arm, ["mass_matrix"], layout=layout)
    explanation = api.explain(arm, ["mass_matrix"], layout=layout)
    (told,) = explanation.functions
    assert explanation.robot == "seven_dof_arm" and [body.name for body in explanation.bodies] == list(arm.body_names)
    assert (told.name, told.layout) == ("mass_matrix", program.layout)
    assert dict(told.counts) == dict(program.counts()) and told.operations == operation_total(program.counts())
    assert told.workspace == sum(buffer.size for buffer in program.buffers_of(BufferKind.WORKSPACE))
    assert sum(told.kernels.values()) + told.pieces == len(program.tapes)
    assert [option.layout for option in told.tried] == (["split", "unrolled"] if layout == "auto" else [layout])
    assert (told.reason == "asked for") is (layout != "auto")
    assert told.tried[-1].operations == told.operations
    cost = estimate(program, DEFAULT)
    size = cost.code_bytes + cost.table_bytes  # pieces are cut after the passes
    assert abs(told.tried[-1].text_bytes / size - 1.0) <= 0.05


def test_every_pass_is_told_and_the_last_leaves_what_is_generated(arm: Robot) -> None:
    (told,) = api.explain(arm, ["inverse_dynamics"], layout="unrolled").functions
    assert [(item.name, item.sentence) for item in told.passes] == [(item.name, item.sentence) for item in PASSES]
    assert told.passes[-1].operations == told.operations
    counts = [told.traced, *(item.operations for item in told.passes)]
    changed = [item.name for item, one, other in zip(PASSES, counts, counts[1:], strict=False) if one != other]
    assert [item.name for item in told.effective_passes] == changed
    assert "pair_sincos" not in changed  # it shares sines and cosines, which cost the same alone


def test_sliding_and_regrouping_each_save_operations(arm: Robot) -> None:
    hidden, shown = api.explain(arm, ["inverse_dynamics", "joint_wrenches"], layout="rolled").functions
    assert hidden.moves_bodies and hidden.as_described > hidden.frames_moved > hidden.operations
    assert not shown.moves_bodies and shown.as_described == shown.frames_moved == shown.operations
    (lemma,) = api.explain(arm, ["coriolis_matrix"], layout="rolled", factorization="lemma1").functions
    assert lemma.as_described > lemma.frames_moved == lemma.operations  # it moves frames alone


def test_loops_and_structural_classes() -> None:
    robot = symdyn.load_example("aerial_tree", bodies_per_branch=3)
    (program,) = api.programs(robot, ["inverse_dynamics"], layout="rolled")
    (told,) = api.explain(robot, ["inverse_dynamics"], layout="rolled").functions
    assert told.loops > 0 and told.pieces == 0 and told.workspace > 0
    assert {f"{step}_{number}" for step, many in told.kernels.items() for number in range(many)} == {
        tape.name for tape in program.tapes
    }


def test_wrenches_change_which_frames_move(arm: Robot) -> None:
    free, pushed = (
        api.explain(arm, ["inverse_dynamics"], layout="rolled", external_wrenches=axes) for axes in (None, "body")
    )
    signature = CATALOGUE["inverse_dynamics"].signature(arm.model, Request(external="body"))
    told = {f"regrouping of {body.name}": body.changes for body in pushed.bodies if body.changes}
    assert told.items() <= signature.options.items()
    assert pushed.functions[0].operations > free.functions[0].operations


@pytest.mark.parametrize(
    ("name", "function", "chosen", "beside"),
    [
        ("pendulum", "mass_matrix", "unrolled", "split 0"),
        ("double_pendulum", "jacobians", "unrolled", "rolled at least"),
        ("seven_dof_arm", "inverse_dynamics", "unrolled", "rolled at least"),
        ("aerial_manipulator", "jacobians_time_derivative", "split-lanes", "rolled-lanes at least"),
        ("aerial_manipulator", "inverse_dynamics", "split-lanes", "split at least"),
        ("aerial_tree", "inverse_dynamics", "split-lanes", "rolled-lanes at least"),
        ("cable_manipulator", "mass_matrix", "rolled", "split "),
    ],
)
def test_what_auto_takes_of_shipped_robots(name: str, function: str, chosen: str, beside: str) -> None:
    (told,) = api.explain(symdyn.load_example(name), [function]).functions
    assert told.layout == chosen and beside in told.reason


def test_the_estimated_size_by_the_cache() -> None:
    assert LayoutOption("split", 2, 1, 1, 16 * 1024).cache_share == 0.5


def test_errors_are_those_of_generate(arm: Robot) -> None:
    with pytest.raises(RequestError, match="function 'rnea' is not in the catalogue"):
        api.explain(arm, ["rnea"])
    with pytest.raises(RequestError, match="layout 'loops' is unknown"):
        api.explain(arm, ["mass_matrix"], layout="loops")
    for target, said in (
        ("rust", f"is not known; expected one of {', '.join(sorted(TARGETS))}"),
        (["c"], "target is a name such as 'c', got"),
    ):
        with pytest.raises(RequestError, match=said):
            api.explain(arm, ["mass_matrix"], target=target)  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        api.explain(arm, ["gravity"], layout="rolled").robot = ""  # type: ignore[misc]


def test_a_function_that_the_robot_does_not_have_is_refused_with_its_file() -> None:
    massless = loaded(described([Link("base"), Link("one")], [joint("hinge", JointKind.REVOLUTE, "base", "one")]))
    refusal = r"^bench\.yaml: joint 'hinge' of robot 'bench': nothing resists"
    with pytest.raises(ModelError, match=refusal):
        api.explain(massless, ["forward_dynamics"])
    for ask in (api.symbolic, api.closed_form, api.float_recursion):
        with pytest.raises(ModelError, match=refusal):
            ask(massless, "forward_dynamics")
