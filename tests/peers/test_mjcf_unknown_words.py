"""No unknown attribute or element of MJCF is passed over, and ``ignore`` goes on without what it names."""

from __future__ import annotations

import random
import string
import warnings
from pathlib import Path

import pytest
from lxml import etree

import symdyn
from symdyn.errors import DescriptionError, SymdynWarning

pytestmark = pytest.mark.peers

MODEL = """<mujoco model="m"><compiler angle="radian"/><option gravity="0 0 -9.81"><flag gravity="enable"/></option>
<default><joint damping="1"/></default><asset><material name="grey"/></asset>
<worldbody><body name="rod"><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/><joint name="swing" axis="0 1 0"/>
<geom name="shape" size="0.1"/><site name="end"/><frame pos="1 0 0"><camera name="eye"/>
<replicate count="2"><geom size="0.1"/></replicate></frame>
<body name="tip" pos="0 0 1"><joint name="turn"/><geom size="0.1"/></body></body></worldbody>
<tendon><fixed name="pull"><joint joint="swing" coef="1"/></fixed></tendon>
<equality><joint joint1="turn" joint2="swing"/></equality>
<sensor><jointpos joint="swing"/></sensor></mujoco>"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log where it runs."""
    monkeypatch.chdir(tmp_path)


def read(text: str, *ignore: str) -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(text, "mjcf", ignore=ignore)


PLACES = [number for number, _ in enumerate(etree.fromstring(MODEL).iter())]


@pytest.mark.parametrize("place", PLACES)
def test_an_unknown_word_is_refused_in_every_element(place: int) -> None:
    letters = random.Random(place)
    name = "".join(letters.choices(string.ascii_lowercase, k=7))
    root = etree.fromstring(MODEL)
    element = list(root.iter())[place]
    element.set(name, "1")
    attribute = etree.tostring(root, encoding="unicode")
    del element.attrib[name]
    etree.SubElement(element, name)
    for text in (attribute, etree.tostring(root, encoding="unicode")):
        with pytest.raises(
            DescriptionError, match=r"unrecognized (attribute|element)|unrecognized model element"
        ) as raised:
            read(text)
        assert name in str(raised.value)
    if not place % 9:
        robot = read(text, name)
        assert robot.model == read(MODEL).model
        assert any(name in told and "is left out, as asked" in told for told in robot.warnings)


def test_what_cannot_be_read_goes_by_its_name() -> None:
    text = MODEL.replace('name="pull"', 'name="pull" frictionloss="2"').replace("<option", '<option density="1.2"')
    with pytest.raises(DescriptionError, match="density"):
        read(text)
    with pytest.raises(DescriptionError, match="frictionloss of a tendon"):
        read(text, "density")
    robot = read(text, "density", "frictionloss")
    assert sum("is left out, as asked" in told for told in robot.warnings) == 2
    assert robot.model == read(MODEL).model
