"""Contact with the radius that sections have: forces are slopes of the penalty's work; where it is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.robots.sections import breathing, carried, thinning, touching

from symdyn import api
from symdyn.description.external_loads import Site
from symdyn.description.robot import Attachment, RobotDescription
from symdyn.description.soft import SectionShape, Soft
from symdyn.errors import DescriptionError
from symdyn.robot.robot import Robot
from symdyn.shapes.rod_nodes import node_shares

GROWS = SectionShape("0.01*(1 + x)")
POINT, AXIS = np.array([0.0, 0.0, 0.3]), np.array([2.0, 3.0, 6.0]) / 7.0
STEP = 1e-5


def stiff(soft: Soft) -> RobotDescription:
    described = touching(soft, damping=0.0, friction=0.0)
    return replace(described, acting=described.acting[:1])


def work(robot: Robot, soft: Soft, q: np.ndarray) -> float:
    """Of a floor, with the radius as the rod's formulas say it."""
    (poses,) = api.float_recursion(robot, "station_poses")({"q": q.tolist()}).values()
    rod = robot.description.links[1].soft
    assert rod is not None and rod.stations is not None
    total = 0.0
    nodes = zip(robot.model.rods[0].nodes, node_shares(rod, rod.stations), strict=True)
    for pose, (node, (share, _)) in zip(np.reshape(poses, (-1, 4, 4)), nodes, strict=True):
        radius = 0.02 - 0.02 * node.x
        if soft.volume_preserving:
            radius /= np.sqrt(1.0 + q[3])
        else:
            radius += 0.01 * (1 + node.x) * q[4]
        depth = radius - AXIS @ (pose[:3, 3] - POINT)
        total += share * 4e4 * max(depth, 0.0) ** 3 / 3.0
    return total


@pytest.mark.parametrize("soft", [breathing((GROWS,)), thinning()], ids=["shape", "thin"])
def test_forces_are_slopes_of_the_work(soft: Soft) -> None:
    robot, free = api.from_description(stiff(soft)), api.from_description(carried(soft))
    q = np.array([0.3, 0.4, -0.5, 0.15, *([0.2] * len(soft.section_shapes)), 0.1])
    state = {"q": q.tolist(), "v": [0.0] * len(q), "a": [0.0] * len(q)}
    (with_floor,), (without,) = (
        api.float_recursion(model, "inverse_dynamics")(state).values() for model in (robot, free)
    )
    rows = np.eye(len(q)) * STEP
    slopes = [(work(robot, soft, q + row) - work(robot, soft, q - row)) / (2 * STEP) for row in rows]
    needed = np.array(with_floor) - np.array(without)
    assert work(robot, soft, q) > 0.0 and abs(needed[3]) > 0.0 and abs(needed[-2]) > 0.0
    assert needed == pytest.approx(slopes, rel=1e-7, abs=1e-7 * np.abs(slopes).max())


def test_the_radius_is_that_between_root_and_tip() -> None:
    described = touching(thinning())
    for at in (Attachment.TIP, Attachment.ROOT):
        one = replace(described.acting[2], site=Site("arm", at))
        with pytest.raises(DescriptionError, match=r"contact 'one': radius: the section there deforms, and is told at"):
            api.from_description(replace(described, acting=(one,)))
