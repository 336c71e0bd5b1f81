"""What ``symdyn view`` refuses in one line, before it needs any optional package."""

from __future__ import annotations

from pathlib import Path

import pytest

from symdyn.cli.main import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--html", "page.txt"], "the file ends in one of .html"),
        (["--video", "film.avi"], "the file ends in one of .gif, .mp4"),
        (["--picture", "missing_folder/a.png"], "folder that exists"),
        (["--fps", "0"], "1 to 240"),
        (["--trajectory", "run.npz", "--q", "swing=1"], "leave one of them out"),
    ],
)
def test_refusals_are_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "pendulum", *words]) == 2
    error = capsys.readouterr().err.strip()
    assert "Traceback" not in error
    assert said in " ".join(error.split())


def test_malformed_trajectory_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(b"no archive")
    words = ["view", "pendulum", "--trajectory", str(path), "--picture", str(tmp_path / "a.png")]
    assert main(words) == 2
    assert "expected an .npz file" in " ".join(capsys.readouterr().err.split())
