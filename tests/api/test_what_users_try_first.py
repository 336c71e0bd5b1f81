"""What users write before they have read a page: names of files, seeds, texts, misspelt names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import DescriptionError, RequestError
from symdyn.robot.shipped.catalogue import PAPER_NAMES, example_path

URDF = """<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture(scope="module")
def pendulum_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with example_path("pendulum") as path:
        copy = tmp_path_factory.mktemp("robots") / "pendulum.yaml"
        copy.write_text(path.read_text())
    return copy


@pytest.mark.unit
def test_a_file_may_stand_for_its_robot(pendulum_file: Path, tmp_path: Path) -> None:
    module = symdyn.compile(pendulum_file, ["gravity"], target="python")
    robot = symdyn.load(pendulum_file)
    q = np.array([0.3])
    assert module.gravity(q) == symdyn.compile(robot, ["gravity"], target="python").gravity(q)
    assert symdyn.generate(str(pendulum_file), ["gravity"], target="python", out=tmp_path / "made").is_dir()
    assert symdyn.symbolic(pendulum_file, "gravity").n_in() == 1
    assert symdyn.closed_form(pendulum_file, "gravity").shape == (1, 1)


@pytest.mark.unit
@pytest.mark.parametrize("wrong", [None, 3, {"robot": 1}])
def test_what_is_no_robot_is_refused(wrong: Any) -> None:
    with pytest.raises(RequestError, match=r"expected a robot of symdyn\.load, or the name of its file"):
        symdyn.compile(wrong, ["gravity"])


@pytest.mark.unit
def test_a_seed_may_stand_for_its_generator() -> None:
    robot = symdyn.load_example("double_pendulum")
    by_seed, by_generator = robot.random_state(4), robot.random_state(np.random.default_rng(4))
    assert all(np.array_equal(a, b) for a, b in zip(by_seed, by_generator, strict=True))
    assert robot.random_state()[0].shape == (2,)


@pytest.mark.unit
@pytest.mark.parametrize("wrong", ["zero", -1, 0.5])
def test_what_is_no_seed_is_refused(wrong: Any) -> None:
    with pytest.raises(RequestError, match="rng is a NumPy generator or a seed"):
        symdyn.load_example("pendulum").random_state(wrong)


@pytest.mark.unit
def test_texts_are_read_by_loads(pendulum_file: Path) -> None:
    robot = symdyn.loads(URDF, "urdf", gravity=(0.0, 0.0, -1.0))
    assert (robot.name, robot.nq, robot.model.gravity) == ("one", 1, (0.0, 0.0, -1.0))
    text = pendulum_file.read_text()
    own = symdyn.loads(text, format="yaml", strict=True)
    assert replace(own.description, source="pendulum.yaml") == symdyn.load(pendulum_file).description


@pytest.mark.unit
def test_a_text_is_no_name_of_a_file() -> None:
    for text in (URDF, "name: arm\nlinks: []\n", "<robot/>"):
        with pytest.raises(RequestError, match=r"symdyn\.loads\(text, format="):
            symdyn.load(text)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("text", "format", "told"), [(URDF, "sdf", "format is 'urdf' or 'yaml'"), (3, "urdf", "takes text")]
)
def test_loads_refuses_other_formats_and_things(text: Any, format: str, told: str) -> None:
    with pytest.raises(RequestError, match=told):
        symdyn.loads(text, format)


@pytest.mark.unit
def test_faults_of_a_text_tell_their_line() -> None:
    with pytest.raises(DescriptionError, match=r"<text>:2"):
        symdyn.loads('<robot name="a">\n<link/></robot>', "urdf")


@pytest.mark.unit
def test_misspelt_names_are_guessed() -> None:
    robot = symdyn.load_example("pendulum")
    with pytest.raises(RequestError, match="did you mean 'inverse_dynamics'"):
        symdyn.compile(robot, ["inverse_dynamic"])
    with pytest.raises(RequestError, match="did you mean 'double_pendulum'"):
        symdyn.load_example("duble_pendulum")


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("name", PAPER_NAMES)
def test_names_of_papers_are_shipped_robots(name: str) -> None:
    assert name not in symdyn.examples() and PAPER_NAMES[name] in symdyn.examples()
    assert symdyn.load_example(name).name == symdyn.load_example(PAPER_NAMES[name]).name
