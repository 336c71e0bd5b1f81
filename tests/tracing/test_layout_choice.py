"""The rules by which ``auto`` takes a layout, each at its border, and the reason that is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

import symdyn
from symdyn.compiler.passes.pipeline import optimise
from symdyn.compiler.tape.program import lane_loops
from symdyn.compiler.tape.tape import operation_total
from symdyn.functions.catalogue import requests
from symdyn.interface import targets
from symdyn.robot.robot import Robot
from symdyn.tracing import layout
from symdyn.tracing.layout import Choice, choose, instructions


def chosen(robot: Robot, function: str, target: str = "c", asked: str = "auto") -> Choice:
    ((entry, request),) = requests(robot.model, [function])
    return choose(
        entry.plan(robot.model, request),
        entry.signature(robot.model, request),
        asked,
        optimise,
        targets.find_target(target),
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
    ("function", "limits", "name", "reason"),
    [
        ("inverse_dynamics", {"SPLIT_UP_TO": 250, "FEW_VISITS": 10}, "rolled", "too many to try pieces"),
        ("inverse_dynamics", {"SPLIT_UP_TO": 500, "FEW_VISITS": 10}, "rolled", "above SPLIT_UP_TO 500"),
        ("inverse_dynamics", {"SPLIT_UP_TO": 500}, "rolled", "above SPLIT_UP_TO 500"),
        ("inverse_dynamics", {}, "split", "above NARROW 40"),
        ("mass_matrix", {"UNROLLED_UP_TO": 300}, "split", "above UNROLLED_UP_TO 300"),
        ("mass_matrix", {}, "unrolled", "up to UNROLLED_UP_TO 1200"),
    ],
)
def test_the_rules_without_lanes(
    arm: Robot, monkeypatch: pytest.MonkeyPatch, function: str, limits: dict[str, int], name: str, reason: str
) -> None:
    for limit, value in limits.items():
        monkeypatch.setattr(layout, limit, value)
    found = chosen(arm, function)
    assert (found.program.layout, reason in found.reason) == (name, True), found.reason


@pytest.mark.parametrize(
    ("limits", "name", "reason"),
    [
        ({}, "split-lanes", "up to SPLIT_LANES_SHARE 0.87"),
        ({"SPLIT_LANES_SHARE": 0.1}, "split", "above SPLIT_LANES_SHARE 0.1"),
        ({"LANES_SAVE": 5000}, "split", "less than LANES_SAVE 5000"),
        (
            {"SPLIT_UP_TO": 500, "SPLIT_LANES_UP_TO": 100, "FEW_VISITS": 9},
            "rolled-lanes",
            "too many to try pieces (SPLIT_UP_TO 500",
        ),
        ({"SPLIT_UP_TO": 500}, "split-lanes", "up to SPLIT_LANES_SHARE 0.87"),
        ({"SPLIT_UP_TO": 500, "SPLIT_LANES_UP_TO": 100}, "rolled-lanes", "up to ROLLED_LANES_SHARE 0.7"),
        ({"SPLIT_UP_TO": 500, "SPLIT_LANES_UP_TO": 100, "ROLLED_LANES_SHARE": 0.1}, "rolled", "ROLLED_LANES_SHARE 0.1"),
    ],
)
def test_the_rules_with_lanes(
    tree: Robot, monkeypatch: pytest.MonkeyPatch, limits: dict[str, float], name: str, reason: str
) -> None:
    for limit, value in limits.items():
        monkeypatch.setattr(layout, limit, value)
    found = chosen(tree, "inverse_dynamics")
    assert (found.program.layout, reason in found.reason) == (name, True), found.reason
    assert bool(lane_loops(found.program.body)) is name.endswith("-lanes")


def test_languages_without_vectors_keep_limbs_one_after_the_other(tree: Robot) -> None:
    assert chosen(tree, "inverse_dynamics", target="python").program.layout == "split"
    assert {item.layout for item in symdyn.api.programs(tree, ["inverse_dynamics"], target="python")} == {"split"}


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
        "c": ["split", "unrolled"],
        "python": ["split", "unrolled"],
        "jax": ["rolled", "unrolled"],
    }
    small = symdyn.load_example("double_pendulum")
    assert symdyn.api.programs(small, ["inverse_dynamics"], target="jax")[0].layout == "unrolled"
    assert chosen(tree, "inverse_dynamics", "jax").program.layout == "rolled"
    assert chosen(tree, "inverse_dynamics", "jax", "split").program.layout == "split"  # as asked


def test_instructions_count_all_lanes_once(tree: Robot) -> None:
    plain, laned = (chosen(tree, "inverse_dynamics", asked=name).program for name in ("rolled", "rolled-lanes"))
    total = operation_total(plain.counts())
    assert instructions(plain) == total and total / 5 < instructions(laned) < total / 3  # five branches and a base
    assert chosen(tree, "inverse_dynamics", asked="rolled").reason == "asked for"
