"""Actuators of MJCF files: what is told of those that are absent."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import symdyn
from symdyn.errors import SymdynWarning

pytestmark = pytest.mark.peers


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log where it runs."""
    monkeypatch.chdir(tmp_path)


def read(text: str, **options: object) -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(text, "mjcf", **options)  # type: ignore[arg-type]


BALL = """<mujoco><worldbody><site name="s"/>
  <body name="b" pos="0 0 0.3"><joint name="j" type="ball"/><geom type="box" size="0.1 0.2 0.1"/></body>
</worldbody><actuator><general name="idle" joint="j" gear="1 0 0"/>{}</actuator></mujoco>"""


def test_an_actuator_with_several_inputs_is_one_actuator() -> None:
    """Inputs and actuators are counted by lists of their own."""
    robot = read(BALL.format('<orientation name="turn" joint="j" kp="5"/><motor name="m" joint="j" gear="0 1 0"/>'))
    (told,) = (warning for warning in robot.warnings if "actuator" in warning)
    assert told.startswith("3 actuators: ")
    assert told.endswith("absent although they act without input: 'turn'")


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
    assert ("absent although they act without input: 'own'" in told) == (name in ACTING)


@pytest.mark.parametrize("option", ['<flag actuation="disable"/>', ""])
def test_actuators_that_are_switched_off_do_not_act(option: str) -> None:
    text = HINGE.format(option, ACTING["position"].replace("/>", ' group="3"/>'))
    told = read(text if option else text.replace("<option>", '<option actuatorgroupdisable="3">')).warnings
    assert not any("actuator" in warning for warning in told if "turns off" not in warning)


def test_that_equations_do_not_depend_on_it_is_said_of_what_never_acts() -> None:
    text = HINGE.format("", ACTING["position"]).replace("</mujoco>", '<sensor><jointpos joint="j"/></sensor></mujoco>')
    told = [warning for warning in read(text).warnings if "do not depend on them" in warning]
    assert told == ["1 sensor: not modelled; the equations do not depend on them"]
