"""Scenes: poses and tubes against the functions of the robot, shapes against closed forms, and files of motions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.camera import Camera, usual_camera
from symdyn.analysis.view.motion import Motion, read_motion, resampled
from symdyn.analysis.view.shapes import capsule, inertia_ellipsoid, inertia_shape
from symdyn.cli.main import main
from symdyn.errors import RequestError


def test_pendulum_hangs_by_its_angle() -> None:
    """The frame at the tip turns about the pivot, whose height does not change."""
    robot = symdyn.load_example("pendulum")
    angles = np.array([0.0, 0.7, -1.3])
    tip = scene_of(robot, angles[:, None]).frames["tip"]
    start = tip[0, :3, 3]
    for angle, pose in zip(angles, tip, strict=True):
        # Rounding of one sine and cosine.
        assert np.linalg.norm(pose[:3, 3]) == pytest.approx(np.linalg.norm(start), abs=1e-14)
        turned = np.arccos(np.clip(pose[:3, 3] @ start / (start @ start), -1.0, 1.0))
        assert turned == pytest.approx(abs(angle), abs=1e-7)  # arccos loses half of the digits near 1


def test_tube_of_a_beam_ends_where_the_next_link_begins() -> None:
    robot = symdyn.load_example("canadarm")
    rng = np.random.default_rng(4)
    q = robot.integrate(robot.neutral(), 0.2 * rng.standard_normal((3, robot.nv)))
    scene = scene_of(robot, q)
    ends = {tube.name: tube.poses[:, -1, :3, 3] for tube in scene.tubes}
    for link in ("link_1", "link_2"):
        # Shapes come from another path than the tape's constants: rounding of 15 m and of mode shapes.
        np.testing.assert_allclose(ends[link], scene.frames[f"{link}.tip"][:, :3, 3], atol=1e-11)


def test_tube_of_a_rod_passes_through_its_stations() -> None:
    robot = symdyn.load_example("cable_manipulator")
    rng = np.random.default_rng(5)
    q = 0.3 * rng.standard_normal(robot.nq)
    (found,) = symdyn.api.float_recursion(robot, "station_poses")({"q": q.tolist()}).values()
    stations = np.array([float(number) for number in found]).reshape(-1, 4, 4)
    (tube,) = scene_of(robot, q).tubes
    apart = np.linalg.norm(tube.poses[0, :, None, :3, 3] - stations[None, :, :3, 3], axis=-1)
    assert apart.min(axis=0).max() < 1e-14  # the same points, to rounding of half a metre


def test_a_rod_that_turns_beyond_its_bound_is_not_drawn() -> None:
    robot = symdyn.load_example("cable_manipulator")
    q = np.zeros((3, robot.nq))
    q[1, robot.coordinate_names.index("arm.curvature_y[0]")] = 50.0
    with pytest.raises(RequestError, match=r"no pose at position 1 of q; soft link 'arm' turns by .* raise it or give"):
        scene_of(robot, q)


def test_surface_keeps_its_distance_from_the_centre_line() -> None:
    robot = symdyn.load_example("cable_manipulator")
    (tube,) = scene_of(robot, robot.neutral()).tubes
    distance = np.linalg.norm(tube.surface(0) - tube.poses[0, :, None, :3, 3], axis=-1)
    np.testing.assert_allclose(distance, np.repeat(tube.sides[:, :1], distance.shape[1], axis=1), atol=1e-14)


def test_ellipsoid_has_the_moments_that_it_was_made_of() -> None:
    half = np.array([0.3, 0.2, 0.1])
    mass = 2.0
    turn = np.linalg.qr(np.random.default_rng(6).standard_normal((3, 3)))[0]
    moments = turn @ np.diag(mass / 5.0 * ((half**2).sum() - half**2)) @ turn.T
    axes, found = inertia_ellipsoid(mass, moments)
    np.testing.assert_allclose(axes @ np.diag(found**2) @ axes.T, turn @ np.diag(half**2) @ turn.T, atol=1e-14)


def test_slender_inertia_is_a_box_with_the_same_moments() -> None:
    """The box of a uniform bar is the bar; its moments, summed over tetrahedra of its faces, are those given."""
    half, mass = np.array([0.5, 0.03, 0.02]), 1.7
    moments = np.diag(mass / 3.0 * ((half**2).sum() - half**2))
    vertices, faces = inertia_shape(np.array([0.1, 0.0, 0.0]), mass, moments, 1e-6)
    np.testing.assert_allclose(np.sort(np.abs(vertices - [0.1, 0, 0]).max(axis=0)), np.sort(half), atol=1e-14)
    corners = vertices[faces] - [0.1, 0.0, 0.0]
    volumes = np.einsum("ki,ki->k", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    # Second moments of a tetrahedron from the origin: V/20 (sum of squares of corners + square of their sum).
    second = (volumes[:, None] / 20.0 * ((corners**2).sum(axis=1) + corners.sum(axis=1) ** 2)).sum(axis=0)
    found = mass / volumes.sum() * (second.sum() - second)
    np.testing.assert_allclose(found, np.diag(moments), rtol=1e-12)


def test_faces_of_a_capsule_look_outwards() -> None:
    vertices, faces = capsule(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.2)
    corners = vertices[faces]
    volume = np.einsum("ki,ki->k", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
    exact = np.pi * 0.2**2 * (1.0 + 4.0 / 3.0 * 0.2)
    assert 0.9 * exact < volume < exact  # a polyhedron inside of it, with 14 sides


def test_camera_sees_its_target_in_the_middle_and_height_upwards() -> None:
    camera = Camera(np.array([0.0, -5.0, 0.0]), np.zeros(3), 2.0 * np.arctan(0.5))
    pixels, depth = camera.project(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), 800, 600)
    # A plane 5 m off is 5 m high: 120 pixels per metre.
    np.testing.assert_allclose(pixels, [[400.0, 300.0], [400.0, 180.0], [520.0, 300.0]], atol=1e-9)
    np.testing.assert_allclose(depth, 5.0)


@pytest.mark.parametrize("seen_from", [(0.0, -2.0, 0.0), (1.0, 0.0, 0.5), (0.0, 0.0, 3.0), (0.0, 0.0, -1.0)])
def test_eye_is_where_the_scene_says(seen_from: tuple[float, float, float]) -> None:
    scene = scene_of(symdyn.load_example("pendulum"), np.zeros((1, 1)))
    whole, near = (usual_camera(replace(scene, seen_from=seen_from, zoom=zoom)) for zoom in (1.0, 2.0))
    away = near.position - scene.centre
    # Straight up and down are tilted by 1e-3, so that the picture has an upward direction: 5e-7 of the cosine.
    assert away @ seen_from / np.linalg.norm(away) / np.linalg.norm(seen_from) == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(whole.position - scene.centre) == pytest.approx(2.0 * np.linalg.norm(away))
    corner = scene.centre + 0.3 * scene.size * np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.isfinite(near.project(corner, 800, 600)[0]).all()


@pytest.mark.parametrize("words", [("--from", "0", "0", "0"), ("--from", "nan", "0", "1"), ("--zoom", "0")])
def test_an_eye_nowhere_is_refused(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "pendulum", "--picture", str(tmp_path / "view.png"), *words]) == 2
    assert f"{words[0]} " in capsys.readouterr().err


def test_resampled_motion_turns_at_constant_speed() -> None:
    robot = symdyn.load_example("pendulum")
    times, q = resampled(robot, Motion(np.array([1.0, 2.0]), np.array([[0.0], [1.0]])), 4.0)
    np.testing.assert_allclose(times, [0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(q[:, 0], times)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"t": [0.0, 1.0]}, "'q' is missing"),
        ({"t": [0.0, 1.0], "q": [[0.0, 1.0]]}, "needs t"),
        ({"t": [1.0, 0.0], "q": [[0.0], [1.0]]}, "rise"),
        ({"t": [0.0, 1.0], "q": [[0.0], [np.nan]]}, "finite"),
        ({"t": np.array([None, None]), "q": [[0.0], [1.0]]}, "numbers"),
    ],
)
def test_malformed_motions_are_refused(arrays: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "motion.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match=said):
        read_motion(symdyn.load_example("pendulum"), path)


def test_files_that_hold_no_arrays_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "motion.npz"
    for data in (b"", b"no archive", b"PK\x03\x04broken"):
        path.write_bytes(data)
        with pytest.raises(RequestError, match=r"expected an \.npz file|not an \.npz file"):
            read_motion(symdyn.load_example("pendulum"), path)
    with pytest.raises(RequestError, match="cannot be read"):
        read_motion(symdyn.load_example("pendulum"), tmp_path / "none.npz")


def test_walls_stand_where_contacts_are() -> None:
    robot = symdyn.load_example("cylinder_contact")
    (wall,) = scene_of(robot, robot.neutral()).walls
    np.testing.assert_allclose(np.hypot(*wall.points[:, :2].T), 0.15, atol=1e-14)
    assert wall.points[:, 2].min() < -0.5 and wall.points[:, 2].max() > 0.0
    outwards = np.cross(*(wall.points[wall.faces[:, k]] - wall.points[wall.faces[:, 0]] for k in (1, 2)))
    assert (np.einsum("ij,ij->i", outwards[:, :2], wall.points[wall.faces].mean(axis=1)[:, :2]) > 0.0).all()


def test_a_post_has_ends() -> None:
    """Seen along its axis, a cylinder without ends has no area."""
    text = """
name: ball
links: {ground: , ball: {mass: 1.0, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}}
joints: {fall: {type: prismatic, axis: [0, 0, 1], parent: ground, child: ball}}
contacts:
  post: {of: ball, radius: 0.1, with: {cylinder: {axis: [0, 1, 0], point: [0.5, 0, -1], radius: 0.2}}, stiffness: 1e4}
"""
    (post,) = scene_of(symdyn.loads(text, "yaml"), np.array([0.0])).walls
    corners = post.points[post.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0
    volume = np.einsum("ij,ij->", corners.mean(axis=1), normals) / 3.0  # of what the faces enclose, normals outwards
    disc = 24 * 0.2**2 * np.sin(2.0 * np.pi / 48)
    assert volume == pytest.approx(disc * np.ptp(post.points[:, 1]), rel=1e-12)
    assert np.abs(normals[:, 1]).sum() == pytest.approx(2.0 * disc, rel=1e-12)


def test_a_plane_and_a_sphere_are_walls() -> None:
    text = """
name: ball
links: {ground: , ball: {mass: 1.0, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}}
joints: {fall: {type: prismatic, axis: [0, 0, 1], parent: ground, child: ball}}
contacts:
  slope: {of: ball, radius: 0.1, with: {plane: {normal: [0.6, 0, 0.8], point: [0, 0, -1]}}, stiffness: 1e4}
  bowl: {of: ball, radius: 0.1, with: {sphere: {center: [0, 0, 2], radius: 0.5, inside: true}}, stiffness: 1e4}
"""
    slope, bowl = scene_of(symdyn.loads(text, "yaml"), np.array([0.0])).walls
    np.testing.assert_allclose((slope.points - [0.0, 0.0, -1.0]) @ [0.6, 0.0, 0.8], 0.0, atol=1e-14)
    outwards = np.cross(*(slope.points[slope.faces[:, k]] - slope.points[slope.faces[:, 0]] for k in (1, 2)))
    assert (outwards @ [0.6, 0.0, 0.8] > 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(bowl.points - [0.0, 0.0, 2.0], axis=1), 0.5, atol=1e-14)


def test_chambers_are_outlined_on_the_skin() -> None:
    robot = symdyn.load_example("bulging_arm")
    scene = scene_of(robot, robot.neutral())
    (tube,) = (own for own in scene.tubes if own.name == "middle")
    (line,) = (own for own in scene.lines if own.name == "middle_1/chamber")
    root = np.linalg.inv(tube.poses[0, 0])
    x, y, z = (line.points[0] @ root[:3, :3].T + root[:3, 3]).T
    np.testing.assert_allclose(np.hypot(y, z), 1.01 * tube.sides[0, 0], atol=1e-12)
    assert z.min() > -1e-12 and x.min() == pytest.approx(0.0, abs=1e-12) and x.max() == pytest.approx(0.2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_loops_in_the_middle_of_rods_are_drawn() -> None:
    """The ribs of the finger are pinned to sections of its sides."""
    robot = symdyn.load_example("fin_ray_finger")
    scene = scene_of(robot, robot.close(robot.neutral()))
    loops = [line for line in scene.lines if line.name.endswith("/loop")]
    assert len(loops) == len(robot.constraints)
    assert max(np.linalg.norm(line.points[0, 0] - line.points[0, 1]) for line in loops) < 1e-9


@pytest.mark.parametrize("place", ["{link: arm, point: [0.1, 0, 0.4]}", "{link: arm, at: end}", "arm.tip"])
def test_loops_at_tips_are_drawn_where_the_tip_is(place: str) -> None:
    robot = symdyn.loads(
        f"""name: held
links:
  arm:
    flexible:
      length: 0.4
      axis: [0, 0, 1]
      start: [0.1, 0, 0]
      mass_per_length: 1
      bending_stiffness: 10
      modes: {{bend_y: 1}}
loops:
  pin: {{kind: point_on_plane, axis: [0, 1, 0], between: [{place}, {{world: [1, 0, 0]}}]}}
""",
        "yaml",
    )
    scene = scene_of(robot, np.array([[0.0], [0.05]]))
    (line,) = (own for own in scene.lines if own.name == "pin/loop")
    np.testing.assert_allclose(line.points[:, 0], scene.frames["arm.tip"][:, :3, 3], rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("name", ["bulging_arm", "four_bar"])
def test_poses_of_many_positions_are_those_of_each(name: str) -> None:
    """Arrays of positions go through the recursion once; so 300 positions of a large robot are no work."""
    robot, rng = symdyn.load_example(name), np.random.default_rng(7)
    q = 0.005 * rng.standard_normal((300, robot.nq))
    scene = scene_of(robot, q)
    for number in (0, 1, 299):
        alone = scene_of(robot, q[number])
        for frame, poses in alone.frames.items():
            np.testing.assert_allclose(scene.frames[frame][number], poses[0], rtol=0, atol=1e-15)
        for mine, other in zip(scene.tubes, alone.tubes, strict=True):
            np.testing.assert_allclose(mine.poses[number], other.poses[0], rtol=0, atol=1e-15)
    (each,) = symdyn.api.float_recursion(robot, "forward_kinematics")({"q": q[1].tolist()}).values()
    np.testing.assert_allclose(
        np.array([*scene.frames.values()])[:, 1].ravel(), [float(x) for x in each], rtol=0, atol=1e-14
    )
