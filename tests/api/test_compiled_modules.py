"""Compiled and Python modules through the public door: calls, signatures, the cache, and their cost beside a rival."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.robots.kinds import MOVING
from support.robots.random_trees import make_robot
from support.robots.small import loaded, massive, single, torque

import symdyn
from symdyn import api
from symdyn.analysis.compare import demonstration
from symdyn.description.robot import JointKind
from symdyn.robot.robot import Robot


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is taken from, or left in, the user's cache."""
    monkeypatch.setenv("SYMDYN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def zoo() -> Robot:
    """Every joint kind once, floating, with losses and a run-time mass."""
    description = make_robot([index // 2 for index in range(len(MOVING))], list(MOVING), 21, floating=True)
    link = next(link.name for link in description.links if link.inertial)
    return loaded(description, joint_losses=True, runtime=[f"{link}.mass"])


@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_a_compiled_module_equals_the_recursion(zoo: Robot, layout: str) -> None:
    module = symdyn.compile(zoo, ["inverse_dynamics"], layout=layout, external_wrenches="body")
    rng = np.random.default_rng(2)
    states = [zoo.random_state(rng) for _ in range(3)]
    q, v = np.array([q for q, _ in states]), np.array([v for _, v in states])
    a = rng.standard_normal((3, zoo.nv))
    f_ext = rng.standard_normal((3, len(zoo.body_names), 6))
    tau = module.inverse_dynamics(q, v, a, f_ext, zoo.runtime_defaults)
    assert tau.shape == (3, zoo.nv)
    for k in range(3):
        reference = torque(zoo, q[k], v[k], a[k], "body", f_ext=f_ext[k].ravel(), p=zoo.runtime_defaults)
        assert tau[k] == pytest.approx(reference, rel=1e-11, abs=1e-11)
    signature = module.signature("inverse_dynamics")
    assert [argument.name for argument in signature.inputs] == ["q", "v", "a", "f_ext", "p"]
    assert signature.inputs[-1].rows == (zoo.runtime_parameters,)


@pytest.mark.needs_cc
def test_a_second_build_is_taken_from_the_cache(own_cache: Path) -> None:
    robot = symdyn.load_example("pendulum")
    first, module = api.build(robot, ["inverse_dynamics"])
    again, _ = api.build(robot, ["inverse_dynamics"])
    assert first is not None and again is not None
    assert (first.from_cache, again.from_cache) == (False, True)
    assert len(list((own_cache / "entries").iterdir())) == 1
    assert float(module.inverse_dynamics([0.0], [0.0], [3.0])[0]) == pytest.approx(1.0)
    api.build(robot, ["inverse_dynamics"], dtype="float32")
    assert len(list((own_cache / "entries").iterdir())) == 2


def test_the_python_target_needs_no_build(own_cache: Path) -> None:
    robot = symdyn.load_example("double_pendulum")
    built, module = api.build(robot, ["inverse_dynamics"], target="python")
    assert built is None and not (own_cache / "entries").exists()
    q, v, a = [0.4, -1.1], [1.3, 0.6], [-2.0, 3.5]
    assert module.inverse_dynamics(q, v, a) == pytest.approx(torque(robot, q, v, a), rel=1e-13)


@pytest.mark.needs_cc
def test_measurements_beside_the_rival(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, "_PYTHON_CALLS", 200)
    found = api.demo_measurements(symdyn.load_example("double_pendulum"))
    assert list(found) == ["symdyn unrolled", "symdyn rolled", "CasADi C"]
    assert (
        found["symdyn unrolled"]["operations"]
        == api.cost(symdyn.load_example("double_pendulum"), ["inverse_dynamics"], layout="unrolled")[
            "inverse_dynamics"
        ]["total"]
    )
    for row, figures in found.items():
        assert list(figures) == [
            "operations",
            "c_bytes",
            "generation_s",
            "compile_s",
            "ns_per_c_call",
            "ns_per_python_call",
        ]
        for name, value in figures.items():
            if (row, name) == ("CasADi C", "ns_per_python_call"):
                assert value is None
            else:
                assert value is not None and value > 0.0, (row, name)


@pytest.mark.needs_cc
def test_robots_that_the_rival_does_not_know_are_measured_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration, "_PYTHON_CALLS", 50)
    robot = loaded(single(JointKind.REVOLUTE, massive("body")), runtime=["body.mass"])
    assert list(api.demo_measurements(robot)) == ["symdyn unrolled", "symdyn rolled"]
