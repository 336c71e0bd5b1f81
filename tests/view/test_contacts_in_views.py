"""Obstacles, collision shapes and arrows of contact forces in scenes, against their own numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.trajectory import ContactHistory, Trajectory
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.forces import COLOURS, LONGEST, with_forces
from symdyn.analysis.view.picture import picture
from symdyn.errors import RequestError

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
ROOM = """
name: room
links:
  world: {}
  ball: {mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {skin: {sphere: 0.1}}}
  rod:
    mass: 1
    inertia: {xx: 0.01, yy: 0.01, zz: 0.01}
    collision: {pin: {cylinder: [[0, 0, 0], [0.3, 0, 0]], radius: 0.05}}
joints:
  x: {type: prismatic, parent: world, child: ball, axis: [1, 0, 0]}
  y: {type: prismatic, parent: world, child: rod, axis: [0, 1, 0], translation: [0, 0, 1]}
obstacles:
  floor: {plane: {normal: [0, 0, 1], point: [0, 0, -0.1]}}
  block: {box: {size: [0.2, 0.4, 0.6], at: [1, 0, 0]}}
  knob: {sphere: {center: [2, 0, 0], radius: 0.3}}
  bar: {capsule: {ends: [[0, 1, 0], [0, 2, 0]], radius: 0.2}}
contacts: {skin: {of: ball.skin, with: [floor, block, knob, bar]}}
"""


def _volume(points: np.ndarray, faces: np.ndarray) -> float:
    """Within a closed mesh whose faces are seen from outside anticlockwise; negative where they are turned."""
    return float(np.linalg.det(points[faces]).sum() / 6.0)


def test_obstacles_and_collision_shapes_are_drawn() -> None:
    """A wall per obstacle at its place; closed meshes with the volumes of their shapes, but for corners of polygons."""
    robot = symdyn.loads(ROOM, format="yaml")
    scene = scene_of(robot, robot.neutral())
    block, bar, *_ = sorted(scene.walls, key=lambda wall: len(wall.points))[1:3]
    assert len(scene.walls) == 4
    assert _volume(block.points, block.faces) == pytest.approx(0.2 * 0.4 * 0.6)
    assert np.ptp(block.points, axis=0) == pytest.approx([0.2, 0.4, 0.6]) and block.points.mean(axis=0)[0] == 1.0
    assert bar.points.min(axis=0)[1] < 1.0
    solids = {solid.frame: solid for solid in scene.solids}
    rod = solids["rod"]
    assert np.ptp(rod.vertices, axis=0) == pytest.approx([0.3, 0.1, 0.1], rel=0.02)
    assert 0.95 < _volume(rod.vertices, rod.faces) / (np.pi * 0.05**2 * 0.3) < 1.0
    assert np.ptp(solids["ball"].vertices, axis=0) == pytest.approx([0.2] * 3, rel=0.03)


def _moved(states: list[int]) -> Trajectory:
    """A made motion of two times: nothing, then the normal impulse 2 and the tangent 1 of the first slot."""
    robot = symdyn.loads(ROOM, format="yaml")
    idle, names = np.zeros((2, 2)), robot.model.contact_layout.slot_names
    impulses, points, normals = np.zeros((2, 12)), np.zeros((2, 4, 3)), np.zeros((2, 4, 3))
    impulses[1, :3], normals[..., 2] = (1.0, 0.0, 2.0), 1.0
    history = ContactHistory(
        names,
        robot.model.contact_layout.row_names,
        impulses,
        np.array([[0] * 4, states]),
        np.array([0.0, 1e-3]),
        np.ones((2, 4)),
        points,
        normals,
    )
    rows = (robot.coordinate_names, robot.velocity_names, (), robot.velocity_names)
    return Trajectory(
        robot.name, "", "contacts", *rows, np.array([0.0, 1.0]), idle, idle, idle, np.zeros((2, 0)), idle,
        np.zeros(2), np.zeros(2), robot=robot, contacts=history,
    )  # fmt: skip


def test_arrows_are_forces_in_the_colour_of_the_state() -> None:
    """Only the contact that has a force has an arrow, along (1, 0, 2), as long as the longest may be."""
    for state, word in ((1, "sticks"), (2, "slides")):
        motion = _moved([state, 0, 0, 0])
        assert motion.robot is not None
        scene = scene_of(motion.robot, motion.q, motion.t)
        (line,) = with_forces(scene, motion).lines
        assert line.colour == COLOURS[word][1]
        assert not line.points[0].any()
        tip = line.points[1, 1]
        assert tip == pytest.approx(LONGEST * scene.size * np.array([1.0, 0.0, 2.0]) / np.sqrt(5.0))
        pytest.importorskip("PIL")
        seen = np.asarray(picture(with_forces(scene, motion), 1))
        colour = np.array(COLOURS[word][1])
        assert (np.abs(seen.astype(int) - colour).max(axis=-1) < 12).sum() > 20


def test_forces_of_motions_without_contacts_are_refused() -> None:
    motion = _moved([1, 0, 0, 0])
    assert motion.robot is not None
    scene = scene_of(motion.robot, motion.q, motion.t)
    for still in (None, replace(motion, contacts=None)):
        with pytest.raises(RequestError, match="forces are of a motion with rigid contacts"):
            with_forces(scene, still)
