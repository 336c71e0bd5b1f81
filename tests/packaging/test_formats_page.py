"""The page of formats and targets says what code is generated for, and which joints each format has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn import api
from symdyn.errors import RequestError, SymdynError
from symdyn.generation.pipeline import emitted, traced
from symdyn.interface.options import GenerateOptions
from symdyn.interface.targets import TARGETS

pytestmark = [pytest.mark.unit, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
PAGE = (Path(__file__).resolve().parents[2] / "docs/formats-and-targets.md").read_text(encoding="utf-8")


def table(before: str) -> dict[str, dict[str, str]]:
    """The first table after some words, by row and column."""
    lines = PAGE[PAGE.index(before) :].split("\n| | ", 1)[1].split("\n\n", 1)[0].splitlines()
    head, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in (f" | {lines[0]}", *lines[2:]))
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


FLOATING = """
name: floating
floating_base: true
links:
  base: {mass: 2.0, com: [0.1, 0, 0.05], inertia: {xx: 0.03, yy: 0.04, zz: 0.05, xy: 0.01}}
"""
ROD = """
name: finger
links:
  base: {mass: 1.0, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.02}
      material: {youngs_modulus: 1.0e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_z: 1}
      stations: 2
joints:
  shoulder: {type: continuous, parent: base, child: arm, axis: [0, 0, 1]}
"""
DRIVEN = """
name: driven
links:
  base:
  arm: {mass: 1.0, com: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  hinge: {type: continuous, parent: base, child: arm, axis: [0, 1, 0]}
actuators: [hinge]
"""
KINDS: Mapping[str, tuple[Any, dict[str, Any]]] = {
    "rigid robots": (lambda: symdyn.load_example("pendulum"), {}),
    "flexible links": (lambda: symdyn.load_example("flexible_single_link"), {}),
    "soft links": (lambda: symdyn.loads(ROD, "yaml"), {}),
    "closed loops": (lambda: symdyn.load_example("four_bar"), {}),
    "inputs of actuators": (lambda: symdyn.loads(DRIVEN, "yaml"), {"inputs": "actuators"}),
    "run-time parameters": (lambda: symdyn.load_example("double_pendulum", runtime=["upper.mass"]), {}),
    "external wrenches": (lambda: symdyn.load_example("pendulum"), {"external_wrenches": "body"}),
    "convention `spatial`": (lambda: symdyn.loads(FLOATING, "yaml", convention="spatial"), {}),
    "convention `mujoco`": (lambda: symdyn.loads(FLOATING, "yaml", convention="mujoco"), {}),
}
OPTIONS: Mapping[str, dict[str, Any]] = {
    "`float32`": {"dtype": "float32"},
    "steppers": {"steppers": ["rk4"]},
    "second derivatives of all inputs, `hessian=True`": {"hessian": True},
}


TOLD = table("A test generates code")


def test_every_target_has_a_column_and_every_row_a_test() -> None:
    assert list(TOLD) == [*KINDS, *OPTIONS]
    assert all(list(row) == [f"`{name}`" for name in TARGETS] for row in TOLD.values())


@pytest.mark.parametrize("kind", KINDS)
def test_each_target_takes_robots_of_each_kind(kind: str) -> None:
    made, options = KINDS[kind]
    robot = made()
    asked = GenerateOptions.checked(["state_derivative"], target="fmu", layout="rolled", **options)
    programs = tuple(traced(robot, asked))  # which are the same for all but CasADi, which takes derivatives along
    for target in TARGETS:
        if target == "casadi":
            files = api.sources(robot, ["forward_dynamics"], target=target, layout="rolled", **options)
        else:
            files = emitted(robot, programs, replace(asked, target=target))
        assert any(file.path.endswith((".c", ".py")) for file in files)
        assert TOLD[kind][f"`{target}`"] == "yes"


@pytest.mark.parametrize("option", OPTIONS)
def test_each_target_takes_or_refuses_an_option(option: str) -> None:
    robot = symdyn.load_example("pendulum")
    for target in TARGETS:
        try:
            api.sources(robot, ["state_derivative", "forward_dynamics"], target=target, **OPTIONS[option])
        except RequestError:
            assert TOLD[option][f"`{target}`"] == "refused"
        else:
            assert TOLD[option][f"`{target}`"] == "yes"


JOINTS = {
    "revolute, continuous, prismatic, fixed, floating joints": (
        "revolute",
        "continuous",
        "prismatic",
        "fixed",
        "floating",
    ),
    "planar joints": ("planar",),
    "spherical joints": ("spherical",),
    "universal joints": ("universal",),
    "helical joints": ("helical",),
    "cylindrical joints": ("cylindrical",),
}


@pytest.mark.parametrize("row", JOINTS)
def test_the_joints_of_urdf_and_yaml(row: str) -> None:
    cells = table("## Formats in")[row]
    for kind in JOINTS[row]:
        assert reads(urdf(kind), "urdf") is (cells["URDF"] == "yes"), kind
        assert reads(yaml(kind), "yaml") is (cells["[YAML](yaml-format.md)"] == "yes"), kind


def reads(text: str, format: str) -> bool:
    try:
        symdyn.loads(text, format)
    except SymdynError:
        return False
    return True


def urdf(kind: str) -> str:
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
    return (
        f'<robot name="r"><link name="a"/><link name="b">{mass}</link><joint name="j" type="{kind}"><parent link="a"/>'
        f'<child link="b"/>{limit}</joint><link name="c">{mass}</link><joint name="k" type="continuous">'
        '<parent link="b"/><child link="c"/></joint></robot>'
    )


def yaml(kind: str) -> str:
    more = {"helical": ", pitch: 0.1", "universal": ", second_axis: [0, 1, 0]"}.get(kind, "")
    axis = "" if kind in ("fixed", "floating", "spherical") else ", axis: [1, 0, 0]"
    return (
        "{name: r, links: {a: , b: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, c: {mass: 1}}, joints: {"
        f"j: {{type: {kind}, parent: a, child: b{axis}{more}}}, "
        "k: {type: prismatic, parent: b, child: c, axis: [1, 0, 0]}}}"
    )
