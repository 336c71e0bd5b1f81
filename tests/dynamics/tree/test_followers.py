"""What steps ask of joints that follow others."""

from __future__ import annotations

from support.robots.kinds import R
from support.robots.small import described, joint, loaded, massive

from symdyn.description.robot import Mimic
from symdyn.functions.catalogue import CATALOGUE, requests


def test_offsets_are_read_by_steps_that_make_poses_alone() -> None:
    """A number that a step does not read would tell its structural classes apart."""
    joints = [
        joint("lead", R, "base", "a"),
        joint("one", R, "a", "b", mimic=Mimic("lead", 0.5, 0.2)),
        joint("two", R, "b", "c", mimic=Mimic("lead", -2.0)),
    ]
    robot = loaded(described([massive(name) for name in ("base", "a", "b", "c")], joints))
    asked = set()
    for name, entry in CATALOGUE.items():
        if entry.needs is not None:
            continue
        options = {"order": 1} if "order" in entry.takes else {}
        options |= {"prescribed": ("lead",)} if "prescribed" in entry.takes else {}
        ((found, request),) = requests(robot.model, [name], **options)
        for sweep in found.plan(robot.model, request).sweeps:
            offsets = [visit for visit in sweep.visits if any("offset" in constant for constant in visit.constants)]
            made = [any(port.startswith("q") for port in visit.bindings) for visit in offsets]
            assert all(made), (name, sweep.step.name)
            asked |= {sweep.step.name} if offsets else set()
    assert {"rnea_forward", "gather", "world_pose"} <= asked
