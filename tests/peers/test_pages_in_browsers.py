"""Pages opened in a headless Chromium: no error, a motion that is seen, and the tip where forward kinematics has it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page
from support.played import chromium, opened

import symdyn
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.camera import usual_camera
from symdyn.analysis.view.page import save_page
from symdyn.analysis.view.scene import Solid
from symdyn.analysis.view.shapes import ellipsoid
from symdyn.api import float_recursion

pytestmark = pytest.mark.peers

Array = NDArray[np.float64]
TIMES = np.arange(601) / 60.0


def swinging_links(t: Array) -> tuple[symdyn.Robot, Array]:
    robot = symdyn.load_example("double_pendulum")
    return robot, np.stack([np.sin(t), 0.5 * np.cos(2.0 * t)], axis=-1)


def closed_form_tip(q: Array) -> Array:
    """The tip of the double pendulum in the plane, (x, z) = -sum l (sin, cos) of sums of angles."""
    lengths = [0.8, 0.5]
    angles = np.cumsum(q)
    down = np.stack([-np.sin(angles), np.zeros(2), -np.cos(angles)], axis=-1)
    return np.asarray(lengths @ down)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def shown_at(page: Page, time: float) -> Array:
    """The pixels (height, width, 3) of the canvas at a time."""
    page.evaluate("(time) => { symdyn.source.running = false; symdyn.source.seek(time); }", time)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return np.asarray(Image.open(io.BytesIO(page.locator("#view").screenshot())).convert("RGB"), dtype=float)


def test_a_page_shows_the_motion(browser: Any, tmp_path: Path) -> None:
    """10 s at 60 Hz; a ball just beyond the tip, which nothing hides, tells by its pixels where the tip is seen."""
    robot, q = swinging_links(TIMES)
    scene = scene_of(robot, q, TIMES)
    radius = 0.03 * scene.size
    beyond = np.array([0.0, 0.0, -1.2 * radius])  # the links hang along -z
    ball = ellipsoid(beyond, np.eye(3), np.full(3, radius))
    scene = replace(scene, solids=(*scene.solids, Solid("ball", "tip", *ball, (255, 0, 255))))
    path = tmp_path / "page.html"
    save_page(scene, path)
    assert path.stat().st_size < 5e6

    with opened(browser, path) as own:
        canvas = own.page.locator("#view").bounding_box()
        frames = [shown_at(own.page, time) for time in (0.0, TIMES[-1])]
        assert not own.said, own.said
    assert canvas is not None
    for number, image in ((0, frames[0]), (len(TIMES) - 1, frames[1])):
        ball_is = (image[..., 0] - image[..., 1] > 40.0) & (image[..., 2] - image[..., 1] > 40.0)
        rows, columns = np.nonzero(ball_is)
        assert len(rows) > 50, "the ball is seen"
        forward = float_recursion(robot, "forward_kinematics")({"q": q[number].tolist()})
        poses = np.array([float(x) for x in next(iter(forward.values()))]).reshape(-1, 4, 4)
        pose = poses[robot.frame_names.index("tip")]
        np.testing.assert_allclose(pose[:3, 3], closed_form_tip(q[number]), atol=1e-12)
        place = pose[:3, :3] @ beyond + pose[:3, 3]
        camera = usual_camera(scene)
        # A page that is higher than wide looks from further off, so that the whole motion is seen.
        back = max(1.0, canvas["height"] / canvas["width"])
        camera = replace(camera, position=camera.target + back * (camera.position - camera.target))
        (expected,), _ = camera.project(place[None], canvas["width"], canvas["height"])
        away = np.hypot(columns.mean() + 0.5 - expected[0], rows.mean() + 0.5 - expected[1])
        assert away <= 3.0, f"the tip is {away:.1f} pixels from where forward kinematics has it"
    first, last = frames
    assert np.ptp(first, axis=(0, 1)).min() > 100.0, "the canvas is not blank"
    assert (np.abs(first - last).max(axis=-1) > 30.0).sum() > 500, "the motion is seen"


def test_the_page_of_a_bending_rod_is_small(tmp_path: Path) -> None:
    """10 s at 60 Hz of a rod whose 24 coordinates all move."""
    robot = symdyn.load_example("cable_manipulator")
    rows = np.arange(robot.nq)
    q = 0.4 * np.sin(np.outer(TIMES, 1.0 + 0.1 * rows) + 0.5) / (1.0 + rows)
    save_page(scene_of(robot, q, TIMES), tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 5e6
