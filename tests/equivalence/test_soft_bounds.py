"""A step that turns too far makes NaN of all that rests on it, in every language; up to there all is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.rods import functions, holding, rod

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.soft import Strain
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.optimised
WIDEST = 0.9
ON_POSES = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix_inverse",
    "gravity",
    "kinetic_energy",
    "potential_energy",
    "center_of_mass",
    "inverse_dynamics_partials",
    "inverse_dynamics_time_derivatives",
)


def bent() -> Robot:
    """A rod whose longest step turns WIDEST where its one coordinate is :func:`limit`."""
    soft = rod(functions(Strain.CURVATURE_Z, 1), stations=2, max_turn_per_step=WIDEST)
    return api.from_description(holding(soft))


def limit(robot: Robot) -> float:
    (own,) = robot.model.rods
    return WIDEST * 0.5 / max(step.length for step in own.tables.steps)


def inputs_at(q: float) -> dict[str, list[float]]:
    return {"q": [q], "v": [0.3], "a": [-0.4], "tau": [0.2], "V": [0.3, -0.4, 0.1]}


@pytest.mark.parametrize("function", ON_POSES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_beyond_the_bound_nothing_is_a_number(function: str, sign: float) -> None:
    robot = bent()
    options = {"order": 1} if function.endswith("time_derivatives") else {}
    recursion = api.float_recursion(robot, function, **options)
    inside, outside = (recursion(inputs_at(sign * share * limit(robot))) for share in (1.0 - 1e-9, 1.0 + 1e-9))
    for name in inside:
        assert np.all(np.isfinite(np.ravel(inside[name]))), name
        assert np.all(np.isnan(np.ravel(outside[name]))), name


def test_frames_behind_the_step_are_nan_and_others_are_not() -> None:
    robot = bent()
    poses = api.float_recursion(robot, "forward_kinematics")(inputs_at(1.01 * limit(robot)))["X"]
    of_link, of_tip = np.reshape(poses, (2, 4, 4))
    assert np.array_equal(of_link, np.eye(4))
    assert np.all(np.isnan(of_tip[:2, :2])) and np.all(np.isnan(of_tip[:2, 3]))


def test_strain_and_matter_need_no_steps() -> None:
    robot = bent()
    far, near = inputs_at(1.5 * limit(robot)), inputs_at(0.5 * limit(robot))
    for name in ("elastic_forces", "station_strains"):
        recursion = api.float_recursion(robot, name)
        (one,), (other,) = recursion(far).values(), recursion(near).values()
        rest = np.array(recursion(inputs_at(0.0))[next(iter(recursion(far)))])
        assert np.array(one) - rest == pytest.approx(3.0 * (np.array(other) - rest), rel=1e-12)


def test_a_larger_bound_takes_more_terms_and_changes_no_number() -> None:
    near, robot = bent(), bent()
    (link,) = robot.description.links
    assert link.soft is not None
    far = api.from_description(holding(replace(link.soft, max_turn_per_step=np.pi)))
    inputs = inputs_at(0.99 * limit(robot))
    for function in ("inverse_dynamics", "forward_dynamics", "gravity"):
        (one,), (other,) = (api.float_recursion(own, function)(inputs).values() for own in (near, far))
        assert one == pytest.approx(other, rel=1e-14)
    beyond = api.float_recursion(far, "inverse_dynamics")(inputs_at(3.0 * limit(robot)))["tau"]
    assert np.all(np.isfinite(beyond))


def test_programs_say_so_in_every_layout() -> None:
    robot = bent()
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(robot, ["inverse_dynamics"], layout=layout)
        for share, wrong in ((0.999, False), (1.001, True)):
            found = evaluate_program(program, FloatAlgebra(), inputs_at(share * limit(robot)))["tau"]
            assert np.isnan(found[0]) == wrong, layout


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("target", "layout", "dtype"),
    [
        ("python", "rolled", "float64"),
        pytest.param("c", "rolled", "float64", marks=pytest.mark.slow),
        pytest.param("c", "unrolled", "float32", marks=pytest.mark.slow),
    ],
)
def test_generated_code_says_so(target: str, layout: str, dtype: str) -> None:
    robot = bent()
    module = symdyn.compile(robot, ["inverse_dynamics", "mass_matrix"], target=target, layout=layout, dtype=dtype)
    q = limit(robot) * np.array([[0.999], [1.001], [-0.999], [-1.001], *[[0.1]] * 15])
    wrong = np.array([False, True, False, True, *[False] * 15])
    still = np.zeros_like(q)
    assert np.array_equal(np.isnan(module.inverse_dynamics(q, still, still))[:, 0], wrong)
    assert np.array_equal(np.isnan(module.mass_matrix(q))[:, 0, 0], wrong)
    assert np.isnan(module.inverse_dynamics(q[1], still[0], still[0]))


def test_headers_tell_stations_and_bounds() -> None:
    (given,) = api.programs(bent(), ["gravity"])
    said = given.signature.options["stations of a"]
    assert isinstance(said, str) and said.startswith("2, error ")
    assert said.endswith("3 steps of Magnus order 6, NaN where one turns more than 0.9 rad")
    (found,) = api.programs(api.from_description(holding(rod())), ["gravity"])
    number, error = str(found.signature.options["stations of a"]).partition(";")[0].split(", ")
    assert int(number) > 2 and 0.0 < float(error.removeprefix("error ")) <= 1e-6


def test_stations_that_were_found_make_the_same_texts_again(tmp_path: Path) -> None:
    """robot.yaml gives the stations that were found: `verify` runs a folder only where its robot makes it again."""
    robot = api.from_description(holding(rod()))
    again = symdyn.loads(robot.to_yaml(), format="yaml")
    first, second = (
        symdyn.generate(own, ["gravity"], out=tmp_path / side) for side, own in (("a", robot), ("b", again))
    )
    names = [path.name for path in first.iterdir() if path.is_file()]
    assert "manifest.json" in names
    assert all((first / name).read_text() == (second / name).read_text() for name in names)
