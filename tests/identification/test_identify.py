"""Identification against data whose parameters are known, and against moments of point masses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.identification.columns import columns_of
from symdyn.analysis.identification.consistent import pseudo_inertia, standard_of
from symdyn.analysis.identification.excitation import Bounds, Efforts, _effort_constraint, _Search, _start
from symdyn.analysis.identification.fit import base_of
from symdyn.analysis.identification.fourier import Fourier
from symdyn.errors import RequestError, SolverError
from symdyn.functions.regressor import STANDARD_PARAMETERS, standard_parameter_names
from symdyn.model.base_parameters import base_parameters

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
JOINTS = ["viscous", "coulomb", "rotor"]
NOISE = np.array([0.05, 0.02])
TRUTH = {"viscous": 0.3, "coulomb": 0.5, "rotor": 0.02}
TWO = """
format: 1
name: two
links:
  base:
  upper: {mass: 2.0, com: [0.02, 0.01, -0.2], inertia: {xx: 0.03, yy: 0.031, zz: 0.004}}
  fore: {mass: 1.2, com: [0.01, 0.03, -0.15], inertia: {xx: 0.012, yy: 0.011, zz: 0.002}}
  tool: {mass: 0.3, com: [0, 0.01, 0], inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
joints:
  shoulder: {type: continuous, parent: base, child: upper, axis: [0, 1, 0]}
  elbow: {type: continuous, parent: upper, child: fore, axis: [1, 0, 0], translation: [0, 0, -0.4]}
  flange: {type: fixed, parent: fore, child: tool, translation: [0, 0.02, -0.3]}
"""


@pytest.fixture(scope="module")
def arm() -> Any:
    """Two joints, three links, two of which are one body."""
    return symdyn.loads(TWO, format="yaml")


@pytest.fixture(scope="module")
def measured(arm: Any) -> tuple[Any, ...]:
    """A motion, and torques with friction, rotors and noise that the file does not have."""
    rng = np.random.default_rng(4)
    q, v, a = symdyn.excitation(arm, duration=6.0, harmonics=3, steps=15).at(np.linspace(0.0, 6.0, 400))
    return q, v, a, _torques(arm, q, v, a) + NOISE * rng.standard_normal(v.shape)


def _torques(arm: Any, q: Any, v: Any, a: Any) -> Any:
    module = symdyn.compile(arm, ["inverse_dynamics", "inverse_dynamics_regressor"], lanes=False)
    friction = TRUTH["viscous"] * v + TRUTH["coulomb"] * np.tanh(v / 0.01)
    return module.inverse_dynamics(q, v, a) + friction + TRUTH["rotor"] * a


def _fresh(arm: Any) -> tuple[Any, ...]:
    """States that no fit has seen."""
    rng = np.random.default_rng(9)
    q, v = (np.array(part) for part in zip(*(arm.random_state(rng) for _ in range(50)), strict=True))
    return q, v, rng.standard_normal(v.shape)


@pytest.mark.needs_cc
def test_base_parameters_of_noisy_torques(arm: Any, measured: tuple[Any, ...]) -> None:
    """Within 4 standard deviations; 22 normal variables stay within with a probability of 0.998."""
    found = symdyn.identify(arm, *measured)
    truth = found.expected.copy()
    for row, item in enumerate(found.base):
        truth[row] += sum(share * TRUTH.get(name.rpartition(".")[2], 0.0) for name, share in item.terms)
    assert np.all(np.abs(found.values - truth) < 4.0 * found.deviations)
    np.testing.assert_allclose(found.noise, NOISE, rtol=0.1)
    fresh = _fresh(arm)
    error = found.predict(*fresh) - _torques(arm, *fresh)
    assert np.sqrt(np.mean(error**2)) < NOISE.min()
    assert found.condition < 50.0
    lines = str(found).splitlines()
    assert len(lines) == len(found.base) + 3 and lines[1].startswith(f"  {found.base[0]}: {found.values[0]:.6g} +- ")


@pytest.mark.needs_cc
def test_what_torques_show_is_what_info_says(arm: Any, measured: tuple[Any, ...]) -> None:
    """Without columns of joints the base parameters are those of ``info --base-parameters``."""
    found = symdyn.identify(arm, *measured, joints=[])
    names = standard_parameter_names(arm.model)
    recursion = symdyn.api.float_recursion(arm, "inverse_dynamics_regressor")
    target = base_parameters(arm.model, names, lambda inputs: recursion(inputs)["Y"])
    assert [str(item) for item in found.base] == [str(item) for item in target.base]


@pytest.mark.needs_cc
@pytest.mark.parametrize("prior", ["entropic", "frobenius"])
def test_consistent_parameters(arm: Any, measured: tuple[Any, ...], prior: str) -> None:
    """Pseudo-inertias without negative eigenvalues, friction and rotors not below 0; the robot of them predicts."""
    found = symdyn.identify(arm, *measured, consistent=True, prior=prior)
    for body in arm.body_names:
        sizes = np.linalg.eigvalsh(found.pseudo_inertia(body))
        assert sizes[0] > -1e-9 * sizes[-1]
    assert all(value > -1e-9 for name, value in found.parameters.items() if name.rpartition(".")[2] in TRUTH)
    fresh = _fresh(arm)
    predicted = found.predict(*fresh)
    assert np.sqrt(np.mean((predicted - _torques(arm, *fresh)) ** 2)) < NOISE.min()
    module = symdyn.compile(found.robot(), ["inverse_dynamics"], lanes=False)
    np.testing.assert_allclose(module.inverse_dynamics(*fresh), predicted, rtol=0, atol=1e-10)


@pytest.mark.needs_cc
def test_impossible_torques_give_possible_bodies(arm: Any, measured: tuple[Any, ...]) -> None:
    """Torques of a body of negative mass: estimates follow them, and consistent parameters do not."""
    q, v, a, _ = measured
    columns = columns_of(arm, [], np.zeros(0))
    bad = columns.known.copy()
    bad[columns.names.index("fore.m")] = -1.0
    bad[columns.names.index("fore.hz")] = 0.3
    tau = columns.matrix(q, v, a) @ bad
    found = symdyn.identify(arm, q, v, a, tau, joints=[], deviations=20.0 * NOISE, consistent=True)
    for body in arm.body_names:
        sizes = np.linalg.eigvalsh(found.pseudo_inertia(body))
        assert sizes[0] > -1e-9 * sizes[-1]
    assert found.parameters["fore.m"] > 0.0


@pytest.mark.needs_cc
@pytest.mark.parametrize("name", ["double_pendulum", pytest.param("elastic_arm", marks=pytest.mark.slow)])
def test_the_files_numbers_are_those_of_the_columns(name: str) -> None:
    """tau(q, v, a) less gravity's and springs' part at rest is linear in what the file says, with no remainder."""
    robot = symdyn.load_example(name)
    columns = columns_of(robot, ["viscous", "coulomb", "rotor"], np.zeros(0))
    rng = np.random.default_rng(2)
    q = np.array([robot.random_state(rng)[0] for _ in range(5)])
    v, a = rng.standard_normal((2, 5, robot.nv))
    # What does not depend on v and a, such as springs, is the same in both.
    rest = columns.torques(q, 0.0 * v, 0.0 * a) - columns.matrix(q, 0.0 * v, 0.0 * a) @ columns.known
    found = columns.matrix(q, v, a) @ columns.known + rest
    target = columns.torques(q, v, a)
    np.testing.assert_allclose(found, target, rtol=0, atol=1e-12 * np.abs(target).max())


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "joints"),
    [("flexible_single_link", JOINTS), ("elastic_arm", JOINTS), ("two_with_friction", ["viscous"])],
)
def test_robots_of_parameters_predict_as_the_fit(name: str, joints: list[str]) -> None:
    """Payloads of flexible links, motors behind springs, and friction that the file has and does not use."""
    if name == "two_with_friction":
        text = TWO.replace("axis: [1, 0, 0], translation", "losses: {friction: 1.5}, axis: [1, 0, 0], translation")
        robot = symdyn.loads(text, format="yaml")
    else:
        robot = symdyn.load_example(name)
    rng = np.random.default_rng(5)
    q = np.array([robot.random_state(rng)[0] for _ in range(300)])
    v, a = rng.standard_normal((2, 300, robot.nv))
    module = symdyn.compile(robot, ["inverse_dynamics"], lanes=False)
    tau = module.inverse_dynamics(q, v, a) + 1e-3 * rng.standard_normal(v.shape)
    found = symdyn.identify(robot, q, v, a, tau, joints=joints, consistent=True)
    again = symdyn.loads(found.robot().to_yaml(), format="yaml")
    changed = symdyn.compile(again, ["inverse_dynamics"], lanes=False)
    target = found.predict(q, v, a)
    np.testing.assert_allclose(changed.inverse_dynamics(q, v, a), target, rtol=0, atol=1e-8 * np.abs(target).max())


@pytest.mark.needs_cc
def test_torques_without_noise(arm: Any, measured: tuple[Any, ...]) -> None:
    """As anyone tries first: base parameters to 1e-9, and consistent ones are found."""
    q, v, a, _ = measured
    tau = symdyn.compile(arm, ["inverse_dynamics"], lanes=False).inverse_dynamics(q, v, a)
    found = symdyn.identify(arm, q, v, a, tau, consistent=True)
    np.testing.assert_allclose(found.values, found.expected, rtol=0, atol=1e-9)
    assert abs(found.parameters["fore.m"] - 1.5) < 1e-3


def test_pseudo_inertia_of_point_masses() -> None:
    """P is the sum of m (r; 1) (r; 1)^T."""
    rng = np.random.default_rng(6)
    masses, places = rng.uniform(0.1, 1.0, 5), rng.standard_normal((5, 3))
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, places, strict=True))
    entries = [inertia["xyz".index(name[1]), "xyz".index(name[2])] for name in STANDARD_PARAMETERS[4:]]
    standard = [masses.sum(), *(masses @ places), *entries]
    ends = np.concatenate([places, np.ones((5, 1))], axis=1)
    np.testing.assert_allclose(pseudo_inertia(standard), (masses[:, None] * ends).T @ ends, rtol=0, atol=1e-14)
    np.testing.assert_allclose(standard_of(pseudo_inertia(standard)), standard, rtol=0, atol=1e-14)


@pytest.mark.needs_cc
def test_gradient_of_the_information(arm: Any) -> None:
    """Against central differences of step 1e-6, whose error is 1e-8 of the slopes."""
    columns = columns_of(arm, ["viscous", "coulomb", "rotor", "offset"], np.zeros(0))
    search = _Search(columns, Fourier(5.0, 3), np.array([1.0, 0.5]))
    x = 0.3 * np.random.default_rng(1).standard_normal(search.free.shape[1] * arm.nv)
    _, slope = search.objective(x)
    steps = 1e-6 * np.eye(len(x))
    target = [(search.objective(x + step)[0] - search.objective(x - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(slope, target, rtol=0, atol=1e-6 * np.abs(slope).max())


@pytest.mark.needs_cc
def test_excitation_stays_within_its_bounds_and_pays(arm: Any) -> None:
    """At rest at both ends; it shows more than each of 20 random motions that go as far as the bounds allow."""
    edges = np.full(2, -1.0), np.full(2, 0.5), np.full(2, 1.5), np.full(2, 4.0)
    found = symdyn.excitation(arm, 6.0, 3, JOINTS, *edges, starts=2)
    q, v, a = found.at(np.linspace(0.0, 6.0, 2001))
    assert q.min() > -1.0 - 1e-9 and q.max() < 0.5 + 1e-9
    assert np.abs(v).max() < 1.5 * (1 + 1e-3) and np.abs(a).max() < 4.0 * (1 + 1e-3)
    assert np.abs([v[0], v[-1], a[0], a[-1]]).max() < 1e-9
    columns = columns_of(arm, JOINTS, np.zeros(0))
    kept = [columns.names.index(item.name) for item in base_of(columns)[0]]

    def size(motion: tuple[Any, ...]) -> float:
        rows = columns.matrix(*motion)[..., kept].reshape(-1, len(kept))
        return float(np.linalg.slogdet(rows.T @ rows)[1])

    search, rng, times = _Search(columns, Fourier(6.0, 3), np.ones(2)), np.random.default_rng(3), np.linspace(0, 6, 200)
    random = [search.coefficients(_start(search, Bounds(*edges), rng, share=1.0 - 1e-9)) for _ in range(20)]
    others = [size(tuple(part @ own.T for part in Fourier(6.0, 3).rows(times))) for own in random]
    assert size(found.at(times)) > max(others)


@pytest.mark.needs_cc
def test_slopes_of_torques(arm: Any) -> None:
    """Against central differences of step 1e-6."""
    search = _Search(columns_of(arm, [], np.zeros(0)), Fourier(5.0, 3), np.ones(2))
    bound = _effort_constraint(search, Efforts(search.columns, np.array([np.inf, 7.0])))
    x = 0.3 * np.random.default_rng(1).standard_normal(search.free.shape[1] * arm.nv)
    steps = 1e-6 * np.eye(len(x))
    target = np.array([(bound["fun"](x + step) - bound["fun"](x - step)) / 2e-6 for step in steps]).T
    slopes = bound["jac"](x)
    assert slopes.shape == (2 * len(search.times), len(x))
    np.testing.assert_allclose(slopes, target, rtol=0, atol=1e-7 * np.abs(slopes).max())


@pytest.mark.needs_cc
def test_excitation_stays_within_torques(arm: Any) -> None:
    """Limits of the file and those asked for hold between samples; without them the motion goes beyond, and shows more.

    Where no torque holds the arm there is no motion.
    """
    times, module = np.linspace(0.0, 6.0, 1001), symdyn.compile(arm, ["inverse_dynamics"], lanes=False)
    limited = symdyn.loads(TWO.replace("axis: [1, 0, 0]", "axis: [1, 0, 0], limits: {effort: 2}"), format="yaml")
    asked: dict[str, Any] = {"duration": 6.0, "harmonics": 3, "steps": 25}
    free, own, both = (
        symdyn.excitation(arm, **asked),
        symdyn.excitation(limited, **asked),
        symdyn.excitation(arm, **asked, effort=[5.0, 2.0]),
    )
    most = [np.abs(module.inverse_dynamics(*motion.at(times))).max(axis=0) for motion in (free, own, both)]
    assert most[0][0] > 8.0 and most[0][1] > 2.5
    assert most[1][1] <= 2.0 * (1 + 1e-3) and most[1][0] > 8.0
    assert np.all(most[2] <= np.array([5.0, 2.0]) * (1 + 1e-3))
    assert free.information > own.information > both.information
    unbounded = symdyn.excitation(limited, **asked, effort=np.inf)
    np.testing.assert_array_equal(unbounded.coefficients, free.coefficients)
    with pytest.raises(SolverError, match="also of torques"):
        symdyn.excitation(arm, **(asked | {"steps": 2}), effort=1e-3, lower=[1.0, 1.0], upper=[1.5, 1.5])
    with pytest.raises(RequestError, match="effort of robot 'two' is a bound above 0"):
        symdyn.excitation(arm, **asked, effort=[1.0, 0.0])


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"q": np.zeros((3, 5))}, "shape"),
        ({"tau": np.zeros((3, 2))}, "one row per time"),
        ({"joints": ["rust"]}, "joints are some of"),
        ({"deviations": [1.0, 0.0]}, "above 0"),
        ({"prior": "flat"}, "prior is"),
        ({"prior_weight": 0.0}, "prior_weight"),
    ],
)
def test_wrong_arguments(arm: Any, change: dict[str, Any], words: str) -> None:
    state = np.zeros((4, 2))
    given = {"q": state, "v": state, "a": state, "tau": state} | change
    with pytest.raises(RequestError, match=words):
        symdyn.identify(arm, **given)


@pytest.mark.needs_cc
def test_motions_that_show_too_little(arm: Any) -> None:
    """Rest, a single joint that moves, too few rows: the message names parameters."""
    rng = np.random.default_rng(0)
    still = np.zeros((50, 2))
    with pytest.raises(RequestError, match=r"does not (show|tell) base parameter"):
        symdyn.identify(arm, still, still, still, still)
    few = rng.standard_normal((3, 2))
    with pytest.raises(RequestError, match="longer motion"):
        symdyn.identify(arm, few, few, few, few)
    with pytest.raises(SolverError, match="wider bounds"):
        symdyn.excitation(arm, duration=6.0, harmonics=2, steps=3, velocity=1e-9)
    with pytest.raises(RequestError, match="closed loops"):
        symdyn.identify(symdyn.load_example("four_bar"), np.zeros((1, 3)), *[np.zeros((1, 3))] * 3)
