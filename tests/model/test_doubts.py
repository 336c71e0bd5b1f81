"""What is odd about a robot once it is known how it was loaded."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn.errors import DescriptionError, SymdynWarning

HUB = """
format: 1
name: boom
links:
  base: {{mass: 1.0, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  arm:
    flexible: {{length: 1.0, mass_per_length: 0.5, bending_stiffness: 900.0, modes: {{bend_y: 1}}, basis: pinned-hub}}
joints:
  root: {{type: {kind}, parent: base, child: arm{axis}}}
"""


def warned(folder: Path, kind: str, **options: Any) -> tuple[str, ...]:
    path = folder / "boom.yaml"
    path.write_text(HUB.format(kind=kind, axis="" if kind == "fixed" else ", axis: [0, 0, 1]"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.load(path, **options).warnings


@pytest.mark.parametrize(
    ("kind", "options"), [("fixed", {}), ("prismatic", {}), ("revolute", {"locked_joints": {"root": 0.1}})]
)
def test_a_hub_that_nothing_turns_is_told_of(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    (warning,) = warned(tmp_path, kind, **options)
    assert "link 'arm': basis pinned-hub is of a hub that is free to turn, and no joint turns this link" in warning
    with pytest.raises(DescriptionError, match=r"no joint turns this link.*\(strict\)"):
        warned(tmp_path, kind, strict=True, **options)


@pytest.mark.parametrize(("kind", "options"), [("revolute", {}), ("fixed", {"floating_base": True})])
def test_one_that_a_joint_or_a_free_root_turns_is_not(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    assert warned(tmp_path, kind, strict=True, **options) == ()
