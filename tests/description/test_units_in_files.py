"""Units of parameters are those of SI, and values that are off by the factor of a unit are told."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import pytest

import symdyn
from symdyn.description.checks.units import check_unit
from symdyn.errors import DescriptionError, SymdynWarning

ROD = """
name: rod
parameters:
  L: {value: %s, unit: "%s"}
links:
  base:
  arm:
    soft:
      length: L
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: %s, poisson_ratio: 0.5, density: %s}
      strain: {curvature_y: 1}
joints:
  root: {type: fixed, parent: base, child: arm}
"""
_HINGE = (
    '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"'
    ' ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="%s"><parent link="a"/><child link="b"/>'
    '<limit lower="-%s" upper="%s" velocity="1" effort="1"/></joint></robot>'
)


@pytest.mark.parametrize(
    ("value", "unit", "remedy"),
    [
        ("250", "mm", "write 0.25, or the expression 250/1000, with unit m"),
        ("250", "g", "write 0.25, or the expression 250/1000, with unit kg"),
        ("90", "deg", r"write the expression 90\*pi/180, with unit rad"),
        ("5 + 1", "GPa", r"write the expression \(5 \+ 1\)\*1e9, with unit Pa"),
        ("1", "kg/cm^3", "1 cm is 1/100 m: write the value in SI"),
        ("1", "cubits", "write the value in these"),
        ("1", "%", "write the value in these"),
    ],
)
def test_a_unit_that_is_not_si_is_refused_with_the_remedy(value: str, unit: str, remedy: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^<text>:4: parameter 'L': unit is '{re.escape(unit)}'.*; {remedy}"):
        symdyn.loads(ROD % (value, unit, "1e6", "1000"), "yaml")


@pytest.mark.parametrize(
    "unit", ["", "-", "m", "kg m^2", "N/m^1.5", "N m s/rad", "Nm/rad", "kg·m²", "m/s2", "1/s", "m/(s rad)", "kg*m**2"]
)
def test_products_of_si_are_units(unit: str) -> None:
    check_unit(unit, 1.0)


def test_what_the_remedy_says_is_read() -> None:
    robot = symdyn.loads(ROD % ("250/1000", "m", "1e6", "1000"), "yaml")
    assert robot.description.parameters[0].value == 0.25
    with pytest.raises(DescriptionError, match="parameter 'L': unit is 'mm'"):
        symdyn.from_description(
            replace(robot.description, parameters=(replace(robot.description.parameters[0], unit="mm"),))
        )


@pytest.mark.parametrize(
    ("modulus", "density", "told"),
    [("1.2", "1000", "youngs_modulus is 1.2 Pa.*1 MPa is 1e6"), ("1e6", "1.1", r"density is 1.1 kg/m\^3.*1000")],
)
def test_a_material_that_does_not_exist_is_told(modulus: str, density: str, told: str) -> None:
    with pytest.warns(SymdynWarning, match=told):
        symdyn.loads(ROD % ("0.25", "m", modulus, density), "yaml")


def test_limits_in_degrees_are_told() -> None:
    with pytest.warns(SymdynWarning, match="joint 'j': limits -180 and 180 are in rad, many turns"):
        symdyn.loads(_HINGE % ("revolute", "180", "180"), "urdf")


@pytest.mark.parametrize(("kind", "limit"), [("revolute", "1e16"), ("revolute", "6.2"), ("prismatic", "180")])
def test_limits_that_stand_for_none_or_are_lengths_are_not_told(kind: str, limit: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        symdyn.loads(_HINGE % (kind, limit, limit), "urdf")
