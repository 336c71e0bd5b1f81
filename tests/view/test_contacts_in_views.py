"""Obstacles, collision shapes and arrows of contact forces in scenes, against their own numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.contact_history import ContactHistory
from symdyn.analysis.simulation.trajectory import Trajectory
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.forces import COLOURS, LONGEST, force_axis, forces_of_loops, with_forces
from symdyn.analysis.view.picture import picture
from symdyn.errors import RequestError
from symdyn.generation.pipeline import array_recursion

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
        tip = line.points[1, 1]
        assert tip == pytest.approx(LONGEST * scene.size * np.array([1.0, 0.0, 2.0]) / np.sqrt(5.0))
        pytest.importorskip("PIL")
        seen = np.asarray(picture(with_forces(scene, motion), 1))
        colour = np.array(COLOURS[word][1])
        assert (np.abs(seen.astype(int) - colour).max(axis=-1) < 12).sum() > 20


def test_arrows_show_through_what_is_before_them() -> None:
    """An arrow within a ball changes the ball's pixels towards its own colour; a thin line there is not seen."""
    pytest.importorskip("PIL")
    motion = _moved([1, 0, 0, 0])
    assert motion.robot is not None
    scene = scene_of(motion.robot, motion.q, motion.t)
    (arrow,) = with_forces(scene, motion).lines
    inside = replace(arrow, points=0.1 * arrow.points / np.abs(arrow.points).max() * 0.5)
    scene = replace(scene, centre=np.zeros(3), size=0.3)
    plain, thin, broad = (
        np.asarray(picture(replace(scene, lines=lines), 1), dtype=int)
        for lines in ((), (replace(inside, width=2.0),), (inside,))
    )
    assert np.array_equal(plain, thin)
    changed = np.abs(plain - broad).max(axis=-1) > 30  # smoothing changes what is beside an edge by less
    nearer = np.abs(broad - arrow.colour).sum(axis=-1) < np.abs(plain - arrow.colour).sum(axis=-1)
    assert changed.sum() > 100 and nearer[changed].all()


LOOPS = ("four_bar", "stewart_platform", "parallel_robot", "quadruped")
"""Pins of a plane, balls, soft legs on a platform, and feet that stand."""


@pytest.mark.parametrize("name", LOOPS)
def test_arrows_of_loops_are_what_their_multipliers_exert(name: str) -> None:
    """The virtual work of the forces at the places that a scene draws is A^T lambda, by differences of the places."""
    robot = symdyn.load_example(name)
    q = robot.close(robot.neutral())
    rows = [row for loop in robot.model.loops for row in loop.rows]
    forces = np.array([force_axis(row) is not None for row in rows])
    multipliers = np.where(forces, np.random.default_rng(3).normal(size=len(rows)), 0.0)
    made = np.broadcast_to(q, (2, robot.nq)), np.zeros((2, robot.nv)), np.zeros((2, robot.nv))
    names = (robot.coordinate_names, robot.velocity_names, robot.model.loop_row_names, robot.velocity_names)
    motion = Trajectory(
        robot.name, "", "auto", *names, np.array([0.0, 1.0]), *made, np.array([multipliers] * 2), np.zeros((2, 0)),
        np.zeros(2), np.zeros(2), robot=robot,
    )  # fmt: skip
    scene = scene_of(robot, q)
    found = {force.name: force for force in forces_of_loops(scene, motion)}
    assert len(found) == len(robot.model.loops)
    moves = np.array([robot.integrate(q, way * 1e-6 * np.eye(robot.nv)) for way in (1.0, -1.0)])
    ahead, back = (scene_of(robot, moved) for moved in moves)
    work = np.zeros(robot.nv)
    for line, first, last in zip(scene.lines, ahead.lines, back.lines, strict=True):
        if line.loop:
            apart = np.diff((first.points - last.points)[:, ::-1], axis=1)[:, 0] / 2e-6
            work += apart @ found[f"{line.name}/force"].forces[0]
            assert found[f"{line.name}/force"].points[0] == pytest.approx(line.points[0, 0])
    (jacobian,) = array_recursion(robot, "constraint_jacobian")({"q": q[None], "p": np.zeros((1, 0))}).values()
    assert work == pytest.approx(jacobian[0].reshape(len(rows), -1).T @ multipliers, abs=1e-8)
    arrows = [line for line in with_forces(scene, motion).lines if line.name.endswith("/force")]
    longest = max(np.linalg.norm(line.points[0, 1] - line.points[0, 0]) for line in arrows)
    assert longest == pytest.approx(LONGEST * scene.size)


def test_the_grid_lies_on_a_level_floor() -> None:
    robot = symdyn.loads(ROOM, format="yaml")
    scene = scene_of(robot, robot.neutral())
    assert scene.ground == pytest.approx(-0.1, abs=2e-3 * scene.size)


def test_forces_of_motions_without_contacts_are_refused() -> None:
    motion = _moved([1, 0, 0, 0])
    assert motion.robot is not None
    scene = scene_of(motion.robot, motion.q, motion.t)
    for still in (None, replace(motion, contacts=None)):
        with pytest.raises(RequestError, match="forces are of a motion with rigid contacts or closed loops"):
            with_forces(scene, still)
