"""Actuators of MJCF files: accelerations by their inputs beside MuJoCo, and what is told of those that are absent."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from support.mjcf_random import random_model
from support.mjcf_twins import Twin

import symdyn
from symdyn.api import float_recursion
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import ModelError, SymdynWarning

pytestmark = pytest.mark.peers


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log where it runs."""
    monkeypatch.chdir(tmp_path)


def read(text: str, **options: object) -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(text, "mjcf", **options)  # type: ignore[arg-type]


ABSENT = ": absent where forces are given, which are then all that acts: "
BALL = """<mujoco><worldbody><site name="s"/>
  <body name="b" pos="0 0 0.3"><joint name="j" type="ball"/><geom type="box" size="0.1 0.2 0.1"/></body>
</worldbody><actuator><general name="idle" joint="j" gear="1 0 0"/>{}</actuator></mujoco>"""


def test_an_actuator_with_several_inputs_is_one_actuator() -> None:
    """Inputs and actuators are counted by lists of their own."""
    text = BALL.format('<orientation name="turn" joint="j" kp="5"/><motor name="m" joint="j" gear="0 1 0"/>')
    robot = read(text)
    (told,) = (warning for warning in robot.warnings if "actuator" in warning)
    assert told == "1 actuator that acts without input" + ABSENT + "'turn'"
    with pytest.raises(ModelError, match="actuator 'turn': its gain is of kind 4"):
        float_recursion(robot, "forward_dynamics", inputs="actuators")
    left = read(text, strict=False)
    assert [own.name for own in left.model.actuator_inputs] == ["idle", "m"]
    assert any("actuator 'turn'" in warning and "left out" in warning for warning in left.warnings)


ACTING = {
    "position": '<position name="own" joint="j" kp="3"/>',
    "velocity": '<velocity name="own" joint="j" kv="3"/>',
    "bias": '<general name="own" joint="j" biastype="affine" biasprm="1 0 0"/>',
    "filtered": '<general name="own" joint="j" dyntype="filter" dynprm="0.1"/>',
    "muscle": '<muscle name="own" joint="j" lengthrange="0 1"/>',
}
IDLE = {
    "motor": '<motor name="own" joint="j"/>',
    "damper": '<damper name="own" joint="j" kv="2" ctrlrange="0 1"/>',
}
HINGE = """<mujoco><option>{}</option><worldbody>
  <body name="b"><joint name="j"/><geom type="capsule" size="0.1 0.2"/></body>
</worldbody><actuator>{}</actuator></mujoco>"""


@pytest.mark.parametrize("name", [*ACTING, *IDLE])
def test_what_acts_without_input_is_named(name: str) -> None:
    told = " ".join(read(HINGE.format("", (ACTING | IDLE)[name])).warnings)
    assert (ABSENT + "'own'" in told) == (name in ACTING)


@pytest.mark.parametrize("option", ['<flag actuation="disable"/>', ""])
def test_actuators_that_are_switched_off_do_not_act(option: str) -> None:
    text = HINGE.format(option, ACTING["position"].replace("/>", ' group="3"/>'))
    told = read(text if option else text.replace("<option>", '<option actuatorgroupdisable="3">')).warnings
    assert not any("actuator" in warning for warning in told if "turns off" not in warning)


def test_actuators_of_groups_that_are_off_are_told() -> None:
    text = HINGE.format("", ACTING["position"].replace("/>", ' group="3"/>'))
    told = read(text.replace("<option>", '<option actuatorgroupdisable="3">')).warnings
    assert "1 actuator of groups that actuatorgroupdisable turns off: not read" in told
    assert not any("turns off" in warning for warning in read(text).warnings)


def test_that_equations_do_not_depend_on_it_is_said_of_what_never_acts() -> None:
    text = HINGE.format("", ACTING["position"]).replace("</mujoco>", '<sensor><jointpos joint="j"/></sensor></mujoco>')
    told = [warning for warning in read(text).warnings if "do not depend on them" in warning]
    assert told == ["1 sensor: not modelled; the equations do not depend on them"]


TOLERANCE = 1e-10
"""Of the largest acceleration: servos of 400 N m/rad on inertia of 0.01 kg m^2 lose four digits of sixteen."""


SERVOS = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="l" axis="0 1 0" damping=".2"/>
<geom type="box" size=".1 .05 .03" density="800" contype="0" conaffinity="0"/>
<body name="b" pos=".2 0 0"><joint name="f" axis="0 1 0"/>
<geom type="box" size=".1 .05 .03" density="800" contype="0" conaffinity="0"/></body></body></worldbody>
<actuator><position joint="l" kp="50" kv="3" gear="2"/><velocity joint="f" kv="5"/>
<general joint="l" gainprm="10" biastype="affine" biasprm="0 -20 -1" gear="3"/>
<damper joint="f" kv="4" ctrlrange="0 1"/>
<general joint="f" gaintype="affine" gainprm="1 -2 0.3" gear="1.5"/></actuator></mujoco>"""


def test_a_damper_multiplies_its_rate_by_its_input(tmp_path: Path) -> None:
    """Its column of B depends on v, and so do derivatives of the acceleration."""
    (tmp_path / "model.xml").write_text(SERVOS)
    twin = Twin(tmp_path / "model.xml")
    assert [own.rated for own in twin.robot.model.actuator_inputs] == [False, False, False, True, True]
    assert max(map(twin.driven, range(5))) < TOLERANCE
    B = float_recursion(twin.robot, "actuation_matrix")({"q": [0.1, 0.4], "v": [0.7, -2.0]})["B"]
    assert B[8:] == pytest.approx([8.0, 1.5 * (1.0 - 2.0 * 1.5 * 0.4 - 0.3 * 1.5 * 2.0)], rel=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_accelerations_by_inputs_are_mujocos(seed: int, tmp_path: Path) -> None:
    """Servos act where inputs are given, and are no part of what forces do."""
    (tmp_path / "model.xml").write_text(random_model(seed, "actuators"))
    twin = Twin(tmp_path / "model.xml")
    assert twin.robot.model.actuator_inputs
    assert twin.driven(seed) < TOLERANCE
    assert twin.compare(seed).force < TOLERANCE


def test_the_text_of_yaml_has_the_same_actuators() -> None:
    robot = read(random_model(1, "actuators"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        again = symdyn.loads(write_yaml(robot.resolved()), "yaml")
    assert again.model == robot.model
    assert len(again.model.actuator_inputs) > 4


REFUSED = {
    "filtered": "it has an activation state",
    "muscle": "it has an activation state and its gain is of kind 2, neither fixed nor affine",
}
CLAMPED = '<position name="own" joint="j" kp="3" forcerange="-1 1"/>'


@pytest.mark.parametrize("name", REFUSED)
def test_actuators_that_are_unlike_ours_are_refused_where_inputs_are_asked_for(name: str) -> None:
    text = HINGE.format("", (ACTING | IDLE)[name])
    with pytest.raises(ModelError, match=f"actuator 'own': {REFUSED[name]}"):
        float_recursion(read(text), "forward_dynamics", inputs="actuators")
    left = read(text, strict=False)
    assert not left.model.actuator_inputs
    assert any("actuator 'own'" in warning and "it is left out" in warning for warning in left.warnings)


def test_clamps_of_servos_are_refused_and_those_of_motors_are_bounds_of_inputs() -> None:
    with pytest.raises(ModelError, match="actuator 'own': its force is clamped"):
        float_recursion(read(HINGE.format("", CLAMPED)), "forward_dynamics", inputs="actuators")
    left = read(HINGE.format("", CLAMPED), strict=False)
    assert [own.name for own in left.model.actuator_inputs] == ["own"]
    motor = read(HINGE.format("", '<motor name="own" joint="j" forcerange="-1 1"/>'))
    assert [own.name for own in motor.model.actuator_inputs] == ["own"]


RANGED = "1 actuator with a ctrlrange, forcerange or actuatorfrcrange: inputs and forces are taken as given: 'own'"


def test_ranges_of_inputs_and_forces_are_told() -> None:
    """Inputs are taken as given, also where MuJoCo would clamp them or a motor's force."""
    for own in ('ctrlrange="-1 1"', 'forcerange="-2 2"'):
        told = read(HINGE.format("", f'<motor name="own" joint="j" {own}/>')).warnings
        assert RANGED in told
    clamped = HINGE.format("", IDLE["motor"]).replace('"j"/>', '"j" actuatorfrcrange="-2 2"/>', 1)
    assert RANGED in read(clamped).warnings
    assert not any("ctrlrange" in warning for warning in read(HINGE.format("", IDLE["motor"])).warnings)


def test_a_flag_takes_all_actuators_away() -> None:
    robot = read(HINGE.format('<flag actuation="disable"/>', ACTING["position"]))
    assert not robot.description.actuation.actuators
