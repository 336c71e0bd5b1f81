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


ROD = """
format: 1
name: rod
links:
  arm:
    soft:
      length: 0.4
      section: {{shape: circle, radius: 0.02}}
      material: {{youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}}
      strain: {{curvature_z: 1}}
      stations: 3
  hand: {{mass: 0.1}}
joints:
  wrist: {{type: fixed, parent: arm, child: hand{where}}}
"""


ORIGIN = ", translation: [0, 0, 0]"


def test_what_acts_at_the_root_and_moves_with_a_tip_is_told_of() -> None:
    more = "loads:\n  push: {link: arm, point: [0, 0, 0], force: [0, 1, 0]}\n"
    with pytest.raises(
        DescriptionError, match="line 16: load 'push' moves with the tip of link 'arm' and stands at its"
    ):
        symdyn.loads(ROD.format(where=", at: end") + more, format="yaml", strict=True)


def test_what_moves_with_a_tip_and_stands_at_the_root_is_told_of() -> None:
    with pytest.raises(DescriptionError, match="joint 'wrist' moves with the tip of link 'arm' and stands at its root"):
        symdyn.loads(ROD.format(where=ORIGIN), format="yaml", strict=True)
    more = "frames:\n  eye: {link: arm, translation: [0, 0, 0]}\n"
    with pytest.warns(SymdynWarning) as told:
        symdyn.loads(ROD.format(where=ORIGIN) + more, format="yaml")
    assert "doubtful: 2 places at the root of a tip's link; " in str(told[0].message)


@pytest.mark.parametrize("where", [", at: root", ", at: end", ", translation: [0.4, 0, 0]"])
def test_what_stands_where_it_is_fixed_is_not(where: str) -> None:
    assert symdyn.loads(ROD.format(where=where), format="yaml", strict=True).warnings == ()
