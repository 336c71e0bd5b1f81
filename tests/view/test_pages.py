"""Data of pages: arrays keep their bits, rotations their axes, names are no markup; refusals of ``play``."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.view import live
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.live import Played, bodies_of, live_data, suited
from symdyn.analysis.view.packed import TYPES, packed
from symdyn.analysis.view.page import page_of, recorded
from symdyn.analysis.view.play import state_of
from symdyn.cli.main import main
from symdyn.errors import RequestError
from symdyn.interface.target_rows import quaternions


def unpacked(text: str) -> Any:
    """What a page reads, by the words of ``packed``."""
    data = gzip.decompress(base64.b64decode(text))
    (length,) = struct.unpack_from("<I", data)
    start = -(-(4 + length) // 8) * 8

    def found(value: Any) -> Any:
        if isinstance(value, list):
            return [found(own) for own in value]
        if isinstance(value, dict) and "$" in value:
            kind, offset, count = value["$"]
            return np.frombuffer(data, TYPES[kind], count, start + offset)
        return {name: found(own) for name, own in value.items()} if isinstance(value, dict) else value

    return found(json.loads(data[4 : 4 + length]))


def test_arrays_keep_their_bits() -> None:
    given = {"a": np.array([0.1, -0.0, 1e-310, np.pi]), "b": [np.arange(3, dtype=np.uint32), "ä"], "c": b"wasm!"}
    text = packed(given)
    assert text == packed(given), "the same each time"
    found = unpacked(text)
    assert found["a"].tobytes() == given["a"].tobytes()
    assert found["b"][0].tolist() == [0, 1, 2]
    assert found["b"][1] == "ä"
    assert found["c"].tobytes() == b"wasm!"


def test_quaternions_turn_as_their_matrices() -> None:
    rng = np.random.default_rng(1)
    axes = rng.normal(size=(200, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    axes[:3] = np.eye(3)
    angles = np.concatenate([[np.pi] * 3, rng.uniform(-np.pi, np.pi, 197)])
    cross = np.zeros((200, 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -axes[:, 2], axes[:, 1], -axes[:, 0]
    cross -= np.swapaxes(cross, 1, 2)
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    turns = np.eye(3) + sine * cross + (1.0 - cosine) * cross @ cross  # Rodrigues' formula
    expected = np.concatenate([axes * np.sin(angles / 2.0)[:, None], np.cos(angles / 2.0)[:, None]], axis=-1)
    found = quaternions(turns)
    np.testing.assert_allclose(np.abs((found * expected).sum(axis=-1)), 1.0, atol=1e-14)


def test_a_recorded_motion_begins_and_ends_with_the_motion() -> None:
    robot = symdyn.load_example("pendulum")
    times = np.arange(101) / 100.0
    motion = recorded(scene_of(robot, times[:, None], times))
    assert motion["times"][[0, -1]].tolist() == [0.0, 1.0]
    assert np.diff(motion["times"]).min() > 1.0 / 31.0 - 0.011
    assert motion["frames"].shape == (len(motion["times"]), len(robot.frame_names), 7)


def test_names_are_no_markup() -> None:
    bad = "</script><b>&"
    text = f"""
name: "{bad}"
links:
  base:
  "{bad}":
    mass: 1.0
    com: [0, 0, -0.3]
    inertia: {{xx: 0.01, yy: 0.01, zz: 0.001}}
joints:
  joint: {{type: revolute, parent: base, child: "{bad}", axis: [0, 1, 0]}}
"""
    robot = symdyn.loads(text, "yaml")
    page = page_of(scene_of(robot, robot.neutral()[None]))
    assert "<b>" not in page
    assert page.count("</script>") == page.count("<script")


def test_methods_suit_robots() -> None:
    expected = {"seven_dof_arm": "rk4", "canadarm": "generalised-alpha", "cable_manipulator": "generalised-alpha"}
    for name, method in expected.items():
        assert suited(symdyn.load_example(name)) == method


def test_a_page_knows_inputs_and_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    exports: list[str] = []

    def compiled(files: Any, manifest: Any, exported: Any, progress: Any = None) -> bytes:
        exports.extend(exported)
        return b"\0asm"

    monkeypatch.setattr(live, "wasm_module", compiled)
    robot = symdyn.load_example("elastic_arm")
    played = Played.of(robot, "rk4", 1e-4)
    q, v = state_of(played.robot, {"shoulder": 0.3}, {"elbow": -1.0})
    data = live_data(played, scene_of(played.robot, q[None]), q, v)
    assert [own["name"] for own in data["inputs"]] == ["tau", "f_ext", "p"]
    gravity = data["inputs"][2]
    assert gravity["start"].tolist() == [0.0, 0.0, -9.81]
    assert [own["name"] for own in gravity["rows"]] == ["gravity.x", "gravity.y", "gravity.z"]
    assert "elastic_arm_step_rk4" in exports
    bodies = bodies_of(played.robot)
    for frame, body in enumerate(bodies):
        if body >= 0:
            assert played.robot.frame_names[data["origins"][body]] in played.robot.body_names
            assert bodies[data["origins"][body]] == body, frame
    assert data["q"][list(played.robot.coordinate_names).index("shoulder")] == 0.3
    assert data["h"] == 1e-4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "dop853"}, "method is 'rk4' or "),
        ({"step": 0.0}, "step: expected a positive number"),
        ({"step": np.nan}, "step: expected a positive number"),
        ({"q": [0.0, 0.0]}, "q"),
        ({"v": [0.0, 0.0]}, "v of robot"),
        ({"path": "page.txt"}, ".html"),
    ],
)
def test_what_cannot_be_played_is_refused(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / given.pop("path", "page.html")
    with pytest.raises(RequestError, match=said):
        symdyn.play(symdyn.load_example("pendulum"), path, **given)
    assert not path.exists()


def test_play_says_that_it_compiles_and_where_meshes_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """zig is silent for a minute or two where it never compiled; capsules in place of meshes are no surprise."""
    pytest.importorskip("ziglang")

    def compiled(files: Any, manifest: Any, exported: Any, progress: Any) -> bytes:
        progress(0, 0)
        return b"\0asm"

    monkeypatch.setattr(live, "wasm_module", compiled)
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="rod.stl"/></geometry></visual></link>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/></joint></robot>'
    )
    words = ["play", str(tmp_path / "arm.urdf"), "--html", str(tmp_path / "page.html")]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "compiling to WebAssembly; the first time on a machine takes a minute or two" in shown.err
    assert "links with meshes, drawn as capsules here: 1; --mesh-folder FOLDER shows" in shown.out
    assert main(["--quiet", *words]) == 0 and "WebAssembly" not in capsys.readouterr().err


def test_without_zig_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "ziglang" else known(name, *rest)
    )
    assert main(["play", "pendulum", "--html", str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr().err
    assert "ziglang" in said
    assert "[cc]" in said
    assert said.count("\n") == 1
