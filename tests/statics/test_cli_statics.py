"""``symdyn statics``: its tables, its files, and its refusals."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.analysis.view.motion import PATH_TIME, read_motion
from symdyn.cli.main import main

pytestmark = pytest.mark.needs_cc


def test_a_pendulum_rests(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "rest.npz"
    assert main(["statics", "pendulum", "--start", "swing=0.3", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "swing" in said and "stable; residual" in said
    with np.load(out) as found:
        assert found["q"] == pytest.approx([0.0], abs=1e-12) and found["stable"]


def test_a_prescribed_angle_shows_its_torque(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statics", "pendulum", "--prescribe", "swing=0.5"]) == 0
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["prescribed", "row", "force", "unit"] in told
    assert any(line[:1] == ["swing"] and line[-2:] == ["N", "m"] for line in told)


def test_run_time_parameters_are_told_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    held = ["statics", "pendulum", "--runtime", "rod.mass", "--prescribe", "swing=0.5"]
    said = []
    for words in ([], ["--parameter", "rod.mass=2"]):
        assert main([*held, *words]) == 0
        said.append(float(capsys.readouterr().out.split("swing")[-1].split()[0]))
    (own,) = symdyn.load_example("pendulum", runtime=["rod.mass"]).runtime_defaults
    assert said[1] == pytest.approx(said[0] * 2.0 / own)
    assert main([*held, "--parameter", "rod.mas=2"]) == 2
    assert "there are rod.mass" in capsys.readouterr().err
    assert main(["statics", "pendulum", "--parameter", "rod.mass=2"]) == 2
    assert "no run-time parameters; --runtime makes some" in capsys.readouterr().err


def test_a_path_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["statics", "pendulum", "--input", "swing=0.1", "--path"]) == 0
    assert "the whole load was reached" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--input", "swing"], "expected NAME=VALUE with a finite number"),
        (["--input", "wrist=1"], "input 'wrist' of robot 'pendulum' does not exist; there are swing"),
        (["--prescribe", "wrist=1"], "--prescribe wrist: there are swing"),
        (["--input", "swing=1", "--input", "swing=2"], "'swing' is named twice"),
        (["--out", "rest.txt"], "the file ends in .npz"),
        (["--input", "swing=1e6"], "finds no rest beyond"),
    ],
)
def test_failures_are_one_line(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["statics", "pendulum", *words]) == 2
    said = capsys.readouterr().err
    assert message in said and said.startswith("error: ") and said.count("\n") == 1


def test_what_was_found_before_is_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A curve whose corrections fail beyond a tenth of the load: the points before that are rests of the pendulum."""
    curve = importlib.import_module("symdyn.analysis.statics.path")._Curve
    ahead = curve.ahead
    monkeypatch.setattr(curve, "ahead", lambda own, at, step: None if at.share + step > 0.1 else ahead(own, at, step))
    out = tmp_path / "path.npz"
    assert main(["statics", "pendulum", "--input", "swing=0.1", "--path", "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "cannot be followed beyond 0.1 of the load, near row 'swing'" in said and said.count("\n") == 1
    kept = np.load(out)
    assert len(kept["load_factors"]) > 2 and kept["load_factors"][-1] == pytest.approx(0.1, abs=1e-6)
    robot = symdyn.load_example("pendulum")
    rests = [symdyn.equilibrium(robot, [0.1 * share]).q for share in kept["load_factors"]]
    assert kept["q"] == pytest.approx(np.array(rests), abs=1e-9)


def test_files_of_rests_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("PIL")

    def run(*words: object) -> int:
        return main([*map(str, words)])

    asked, line, rest = ("statics", "pendulum", "--input", "swing=0.5"), tmp_path / "path.npz", tmp_path / "rest.npz"
    assert run(*asked, "--path", "--out", line, "--picture", tmp_path / "path.png") == 0
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")
    robot, q = symdyn.load_example("pendulum"), np.load(line)["q"]
    motion = read_motion(robot, line)
    assert np.array_equal(motion.q, q) and len(q) > 3 and (motion.t[0], motion.t[-1]) == (0.0, PATH_TIME)
    assert run("view", "pendulum", "--trajectory", line, "--html", tmp_path / "path.html") == 0
    assert (tmp_path / "path.html").stat().st_size > 1000
    assert run(*asked, "--out", rest, "--picture", tmp_path / "rest.png") == 0
    assert run("view", "pendulum", "--trajectory", rest, "--picture", tmp_path / "seen.png") == 0
    assert (tmp_path / "seen.png").read_bytes() == (tmp_path / "rest.png").read_bytes()
    assert run("view", "double_pendulum", "--trajectory", rest, "--picture", tmp_path / "no.png") == 2
    assert "needs q (n, 2) of rests, got (1, 1)" in capsys.readouterr().err
    assert run(*asked, "--picture", tmp_path / "rest.txt") == 2
    assert "--picture" in capsys.readouterr().err


def test_tips_and_frames_are_shown_and_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "rest.npz"
    assert main(["statics", "pendulum", "--prescribe", "swing=0.5", "--out", str(out)]) == 0
    (shown,) = (line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("tip"))
    assert [float(word) for word in shown[1:]] == pytest.approx(
        [-np.sin(0.5), 0.0, -np.cos(0.5), 0.0, 0.5, 0.0], abs=1e-5
    )
    with np.load(out) as found:
        place = found["frame_names"].tolist().index("tip")
        assert found["frames"][place, :3, 3] == pytest.approx([-np.sin(0.5), 0.0, -np.cos(0.5)], abs=1e-12)
