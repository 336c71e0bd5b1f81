"""What ``auto`` takes, by estimated costs within limits of size, and the reason that is told."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

import symdyn
from symdyn.compiler.passes.pipeline import optimise
from symdyn.compiler.tape.program import BufferKind, Program, lane_loops
from symdyn.compiler.tape.tape import operation_total
from symdyn.functions.catalogue import requests
from symdyn.interface import targets
from symdyn.interface.cpus import CPUS, DEFAULT
from symdyn.interface.targets import LAYOUTS
from symdyn.robot.robot import Robot
from symdyn.tracing import layout
from symdyn.tracing.cost import estimate, instructions
from symdyn.tracing.layout import Choice, choose


def chosen(robot: Robot, function: str, target: str = "c", asked: str = "auto", cpu: str = DEFAULT.name) -> Choice:
    ((entry, request),) = requests(robot.model, [function])
    return choose(
        entry.plan(robot.model, request),
        entry.signature(robot.model, request),
        asked,
        optimise,
        targets.find_target(target),
        CPUS[cpu],
    )


@pytest.fixture(scope="module")
def arm() -> Robot:
    """Seven revolute joints."""
    return symdyn.load_example("seven_dof_arm")


@pytest.fixture(scope="module")
def tree() -> Robot:
    """A base with five branches of three bodies."""
    return symdyn.load_example("aerial_tree", bodies_per_branch=3)


@pytest.mark.parametrize(
    ("limits", "name", "reason"),
    [
        ({}, "unrolled", "ns are estimated on x86-64-v3, split "),
        ({"UNROLLED_UP_TO": 300}, "split", r"unrolled has some \d+ operations, above 300"),
        ({"SPLIT_UP_TO": 250}, "rolled", r"split has \d+ operations, above 250"),
        ({"SPLIT_UP_TO": 250, "FEW_VISITS": 10}, "rolled", r"split has \d+ operations, above 250"),  # by its bound
    ],
)
def test_the_limits_without_lanes(
    arm: Robot, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], name: str, reason: str
) -> None:
    for limit, value in limits.items():
        monkeypatch.setattr(layout, limit, value)
    found = chosen(arm, "inverse_dynamics")
    assert found.program.layout == name and re.search(reason, found.reason), found.reason


@pytest.mark.parametrize(
    ("limits", "cpu", "name", "reason"),
    [
        ({}, "x86-64-v3", "split-lanes", "ns are estimated on x86-64-v3, rolled-lanes at least"),
        ({"SPLIT_LANES_UP_TO": 100}, "x86-64-v3", "rolled-lanes", r"split-lanes has \d+ operations, above 100"),
        ({"SPLIT_LANES_UP_TO": 100}, "x86-64-v4", "rolled-lanes", r"split-lanes has \d+ operations, above 100"),
        ({}, "cortex-m7", "unrolled", "ns are estimated on cortex-m7, split-lanes "),
    ],
)
def test_the_limits_with_lanes(
    tree: Robot, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], cpu: str, name: str, reason: str
) -> None:
    for limit, value in limits.items():
        monkeypatch.setattr(layout, limit, value)
    found = chosen(tree, "inverse_dynamics", cpu=cpu)
    assert found.program.layout == name and re.search(reason, found.reason), found.reason
    assert bool(lane_loops(found.program.body)) is name.endswith("-lanes")


@pytest.mark.parametrize("cpu", ["x86-64-v3", "cortex-m7"])
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("double_pendulum", "inverse_dynamics_partials"),
        ("seven_dof_arm", "jacobians"),
        ("aerial_manipulator", "inverse_dynamics"),
        ("aerial_manipulator", "mass_matrix"),
        pytest.param("quadruped", "inverse_dynamics_partials", marks=pytest.mark.slow),
        pytest.param("quadruped", "jacobians", marks=pytest.mark.slow),
    ],
)
def test_no_layout_that_was_left_out_is_better(name: str, function: str, cpu: str) -> None:
    made = {item: programs_of(name, function, item) for item in LAYOUTS[1:]}
    limits = {"split": layout.SPLIT_UP_TO, "unrolled": layout.UNROLLED_UP_TO}
    costs = {item: estimate(program, CPUS[cpu]) for item, program in made.items()}
    allowed = [cost.nanoseconds for item, cost in costs.items() if cost.operations <= limits.get(item, 30000)]
    best = chosen(symdyn.load_example(name), function, cpu=cpu)
    assert estimate(best.program, CPUS[cpu]).nanoseconds == min(allowed), best.reason


@cache
def programs_of(name: str, function: str, asked: str) -> Program:
    return chosen(symdyn.load_example(name), function, asked=asked).program


def test_layouts_that_cannot_win_are_not_made(tree: Robot) -> None:
    made: list[str] = []

    def recorded(program: Program) -> Program:
        made.append(program.layout)
        return optimise(program)

    ((entry, request),) = requests(tree.model, ["inverse_dynamics"])
    found = choose(entry.plan(tree.model, request), entry.signature(tree.model, request), "auto", recorded)
    assert made == ["split-lanes"] == [found.program.layout]


def test_languages_without_vectors_keep_limbs_one_after_the_other(tree: Robot) -> None:
    assert chosen(tree, "inverse_dynamics", target="python").program.layout == "unrolled"
    assert {item.layout for item in symdyn.api.programs(tree, ["inverse_dynamics"], target="python")} == {"unrolled"}


@pytest.mark.parametrize(
    ("more", "name", "reason"),
    [(0, "unrolled", "up to one_line_up_to"), (-1, "rolled", "above one_line_up_to")],
)
def test_jax_takes_loops_where_one_line_is_long(
    arm: Robot, monkeypatch: pytest.MonkeyPatch, more: int, name: str, reason: str
) -> None:
    operations = instructions(chosen(arm, "mass_matrix", "jax", "rolled").program)
    known = {**targets.TARGETS, "jax": replace(targets.JAX, one_line_up_to=operations + more)}
    monkeypatch.setattr(targets, "TARGETS", known)
    found = chosen(arm, "mass_matrix", "jax")
    assert found.program.layout == name and f"{operations} operations in loops, {reason}" in found.reason
    assert not lane_loops(found.program.body)


def test_targets_choose_for_themselves(arm: Robot, tree: Robot) -> None:
    layouts = {
        target: [program.layout for program in symdyn.api.programs(arm, ["inverse_dynamics", "gravity"], target=target)]
        for target in ("c", "python", "jax")
    }
    assert layouts == {
        "c": ["unrolled", "unrolled"],
        "python": ["unrolled", "unrolled"],
        "jax": ["rolled", "unrolled"],
    }
    small = symdyn.load_example("double_pendulum")
    assert symdyn.api.programs(small, ["inverse_dynamics"], target="jax")[0].layout == "unrolled"
    assert chosen(tree, "inverse_dynamics", "jax").program.layout == "rolled"
    assert chosen(tree, "inverse_dynamics", "jax", "split").program.layout == "split"  # as asked


def test_operations_count_every_vector_once(tree: Robot) -> None:
    plain, laned = (chosen(tree, "inverse_dynamics", asked=name).program for name in ("rolled", "rolled-lanes"))
    assert {instructions(plain, width) for width in (1, 4, 8)} == {operation_total(plain.counts())}
    wide, half, narrow, single = (instructions(laned, width) for width in (8, 4, 2, 1))
    branch = half - wide  # five of them: one vector of eight, two of four, three of two
    assert (half, narrow, single) == (wide + branch, wide + 2 * branch, wide + 4 * branch) and wide < single / 3
    assert chosen(tree, "inverse_dynamics", asked="rolled").reason == "asked for"


def test_vectors_and_registers_decide(tree: Robot) -> None:
    program = chosen(tree, "inverse_dynamics", asked="split-lanes").program
    times = [estimate(program, CPUS[name]).running for name in ("x86-64-v4", "x86-64-v3", "x86-64-v2", "cortex-m7")]
    assert sorted(times) == times
    arms = chosen(symdyn.load_example("aerial_manipulator"), "inverse_dynamics", asked="split-lanes").program
    single, double = (estimate(arms, CPUS["x86-64-v2"], dtype) for dtype in ("float32", "float64"))
    assert single.running == double.running  # two arms fill a vector of either
    single, double = (estimate(program, CPUS["x86-64-v2"], dtype) for dtype in ("float32", "float64"))
    assert single.running < double.running


def test_code_beyond_the_instruction_cache_costs(arm: Robot) -> None:
    short, long = (
        estimate(chosen(arm, name, asked="split").program, DEFAULT)
        for name in ("mass_matrix", "forward_dynamics_partials")
    )
    assert short.nanoseconds == short.running and long.nanoseconds > 1.1 * long.running
    assert short.code_bytes < 10_000 and long.code_bytes > 40_000


def test_tables_are_no_code(arm: Robot) -> None:
    rolled = chosen(arm, "mass_matrix", asked="rolled").program
    longer = tuple(
        replace(buffer, values=2 * buffer.values) if buffer.kind is BufferKind.TABLE else buffer
        for buffer in rolled.buffers
    )
    cost, larger = estimate(rolled, DEFAULT), estimate(replace(rolled, buffers=longer), DEFAULT)
    constants = sum(len(buffer.values) for buffer in rolled.buffers_of(BufferKind.TABLE))
    assert larger.table_bytes - cost.table_bytes == 8 * constants > 0
    assert larger.code_bytes == cost.code_bytes


def test_results_beyond_the_data_cache_make_code_dearer(arm: Robot) -> None:
    cost = replace(estimate(chosen(arm, "mass_matrix", asked="split").program, DEFAULT), code_bytes=100_000.0)
    assert cost.result_bytes == 8 * 7 * 7
    missed = cost.nanoseconds - cost.running
    assert replace(cost, result_bytes=32_000).nanoseconds - cost.running == pytest.approx(missed, rel=1e-12)
    assert replace(cost, result_bytes=64_000).nanoseconds - cost.running == pytest.approx(1.5 * missed, rel=1e-12)
    short = replace(cost, code_bytes=10_000.0, result_bytes=10**6)
    assert short.nanoseconds == short.running
