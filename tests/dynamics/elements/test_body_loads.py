"""Loads on bodies: two kinds that are made here, one that asks for the twist and one that asks for the axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.agreement import asked, programs_agree
from support.parts import OF_EVERY_ROBOT
from support.robots.flexible import two_links
from support.robots.small import X, Y, Z, described, joint, loaded, massive, single

from symdyn import api
from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.vectors import add, cross, matrix_from, scale, times, transpose
from symdyn.description.declared import Key
from symdyn.description.forms import FOLDED
from symdyn.description.loads import Load
from symdyn.description.quantities.placement import Number
from symdyn.description.robot import JointKind, Mimic, RobotDescription
from symdyn.dynamics.elements import listed
from symdyn.dynamics.elements.base import Element, Gives, body_of, over_loads
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import ORIENTATION, TWIST, WRENCH
from symdyn.dynamics.tree.tree_loads import OFFSET
from symdyn.errors import DescriptionError, ModelError, VerificationError
from symdyn.robot.robot import Robot
from symdyn.verify.oracle import link_loads, truth
from symdyn.verify.oracle.motion import LinkMotion

Array = NDArray[np.float64]
PUSH = np.array([3.0, -2.0, 5.0])


@dataclass(frozen=True, slots=True)
class Oil(Load):
    """Drag at a link's frame: f = -linear v, n = -angular omega."""

    key = "oil"
    words = "drag"
    title = "drag of links"
    strengths = ("linear", "angular")
    linear: Annotated[Number, Key(FOLDED, "", unit="N s/m", least=0.0)]
    angular: Annotated[Number, Key(FOLDED, "", unit="N m s/rad", least=0.0, always=True)] = 0.0


@dataclass(frozen=True, slots=True)
class Wind(Load):
    """A force at a link's frame, constant in the world, of which ``share`` times PUSH is felt."""

    key = "wind"
    words = "wind"
    title = "wind on links"
    strengths = ("share",)
    share: Annotated[Number, Key(FOLDED, "", unit="1")]


def oil_wrench(_: str, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    at, twist = [constants[name] for name in OFFSET], reads["twist"]
    force = scale(constants["linear"], add(twist[:3], cross(twist[3:], at)))
    return {"wrench": wrench_at_offset([*force, *scale(constants["angular"], twist[3:])], at)}


def wind_wrench(_: str, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    force = times(transpose(matrix_from(reads["orientation"])), scale(-constants["share"], PUSH.tolist()))
    return {"wrench": wrench_at_offset([*force, 0.0, 0.0, 0.0], [constants[name] for name in OFFSET])}


def element(kernel: Any, kind: type[Load], **ports: Any) -> Element:
    wrench = add_to(WRENCH.own.by(body_of))
    made = step(kernel, variant=lambda tree, load: kind.key, body=body_of, wrench=wrench, **ports)
    return Element(kind.key, {Gives.WRENCH: over_loads(made, kind, "wrench")})


@pytest.fixture(autouse=True)
def elements(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    more = (
        element(oil_wrench, Oil, twist=read(TWIST.own.by(body_of))),
        element(wind_wrench, Wind, orientation=read(ORIENTATION.own.by(body_of))),
    )
    monkeypatch.setattr(listed, "ELEMENTS", (*listed.ELEMENTS, *more))
    yield
    arm.cache_clear()


LOADED: dict[str, tuple[Load, ...]] = {
    "b": (Oil(4.0, 0.7), Wind(1.0)),
    "fin": (Oil(2.0),),
    "d": (Oil(1.5, 0.2), Wind(-0.5)),
    "e": (Wind(0.3),),
}


def description(loads: bool = True) -> RobotDescription:
    """Two branches with a follower, a slider and a ball; a link that is fixed beside the axis of its body."""
    links = [
        replace(massive(name), loads=LOADED.get(name, ()) if loads else ())
        for name in ("base", "a", "b", "fin", "c", "d", "e")
    ]
    joints = [
        joint("one", JointKind.REVOLUTE, "base", "a", axis=Y),
        joint("two", JointKind.PRISMATIC, "a", "b", (0.1, 0.2, 0.0), axis=X),
        joint("held", JointKind.FIXED, "b", "fin", (0.2, -0.3, 0.4)),
        joint("three", JointKind.REVOLUTE, "a", "c", (0.3, 0.0, 0.1), axis=Z),
        joint("four", JointKind.SPHERICAL, "c", "d", (0.0, 0.1, 0.2)),
        joint("follow", JointKind.REVOLUTE, "c", "e", (0.1, 0.1, 0.6), axis=X, mimic=Mimic("three", -2.0, 0.3)),
    ]
    return described(links, joints)


@cache
def arm(loads: bool = True, floating: bool = False, convention: str = "pinocchio", **more: Any) -> Robot:
    return loaded(description(loads), floating_base=floating, convention=convention, **more)


ROBOTS = [(False, "pinocchio"), (True, "pinocchio"), (True, "spatial")]


def called(robot: Robot, function: str, asked: dict[str, Any] | None = None, **inputs: Any) -> dict[str, Array]:
    flat = {name: np.ravel(value).tolist() for name, value in inputs.items()}
    found = api.float_recursion(robot, function, **(asked or {}))(flat)
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def load_forces(robot: Robot, q: Array, v: Array) -> Array:
    """J^T of what each load takes at the frame of its link, by which tau is larger."""
    jacobians = called(robot, "jacobians", q=q)["J"].reshape(-1, 6, robot.model.nv)
    tau = np.zeros(robot.model.nv)
    for name, loads in LOADED.items():
        moved, turned = np.split(jacobians[robot.model.frame_names.index(name)], 2)
        for load in loads:
            if isinstance(load, Oil):
                tau += load.linear * moved.T @ moved @ v + load.angular * turned.T @ turned @ v
            if isinstance(load, Wind):
                tau -= moved.T @ (load.share * PUSH)
    return tau


def state(robot: Robot, seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return (*robot.random_state(rng), rng.standard_normal(robot.model.nv))


@pytest.mark.parametrize(("floating", "convention"), ROBOTS)
def test_loads_take_their_wrenches(floating: bool, convention: str) -> None:
    robot, bare = arm(True, floating, convention), arm(False, floating, convention)
    q, v, a = state(robot, 1)
    found, plain = (called(item, "inverse_dynamics", q=q, v=v, a=a)["tau"] for item in (robot, bare))
    assert found - plain == pytest.approx(load_forces(robot, q, v), rel=1e-10, abs=1e-10)
    (weight,), (bare_weight,) = (called(item, "gravity", q=q).values() for item in (robot, bare))
    assert weight.tolist() == bare_weight.tolist()
    assert called(robot, "forward_dynamics", q=q, v=v, tau=found)["a"] == pytest.approx(a, rel=1e-8, abs=1e-8)
    first = np.arange(robot.model.nv) % 2 == 0
    asked = {"prescribed": tuple(np.array(robot.velocity_names)[first])}
    mixed = called(robot, "hybrid_dynamics", asked, q=q, v=v, u=np.where(first, a, found))["w"]
    assert mixed == pytest.approx(np.where(first, found, a), rel=1e-8, abs=1e-8)


def test_a_load_beyond_a_link_that_bends() -> None:
    """tau is J^T of the drag, and what forward dynamics and the series find leads back."""
    bent, order = two_links(), 1
    links = [replace(item, loads=(Oil(3.0, 0.4),) if item.flexible is not None else ()) for item in bent.links]
    robot, plain = loaded(replace(bent, links=tuple(links))), loaded(bent)
    q, v, a = state(robot, 7)
    q = 0.1 * q
    tau, without = (called(item, "inverse_dynamics", q=q, v=v, a=a)["tau"] for item in (robot, plain))
    jacobians = called(robot, "jacobians", q=q)["J"].reshape(-1, 6, robot.model.nv)
    frames = [jacobians[robot.model.frame_names.index(item.name)] for item in links if item.loads]
    expected = sum(3.0 * J[:3].T @ J[:3] @ v + 0.4 * J[3:].T @ J[3:] @ v for J in frames)
    assert len(frames) == 2 and tau - without == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert called(robot, "forward_dynamics", q=q, v=v, tau=tau)["a"] == pytest.approx(a, rel=1e-7, abs=1e-7)
    V = np.random.default_rng(8).standard_normal((order + 2, robot.model.nv))
    series = called(robot, "inverse_dynamics_time_derivatives", {"order": order}, q=q, V=V)["tau"]
    back = called(robot, "forward_dynamics_time_derivatives", {"order": order}, q=q, v=V[0], T=series)["A"]
    assert back == pytest.approx(np.ravel(V[1:]), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_the_oracle_agrees(convention: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = arm(True, True, convention)
    q, v, a = state(robot, 6)
    with pytest.raises(VerificationError, match="the oil of link 'b' is none of the loads that can be verified"):
        truth.inverse_dynamics(robot.description, q, v, a, floating_base=True, convention=convention)

    def oil(numbers: Mapping[str, Any], link: LinkMotion) -> tuple[list[Any], list[Any]]:
        spin = np.array(link.rotation[1]) @ np.array(link.rotation[0]).T
        omega = [spin[2][1], spin[0][2], spin[1][0]]
        return [numbers["linear"] * x for x in link.origin[1]], [numbers["angular"] * x for x in omega]

    def wind(numbers: Mapping[str, Any], _: LinkMotion) -> tuple[list[Any], list[Any]]:
        return [-numbers["share"] * x for x in PUSH.tolist()], [0, 0, 0]

    monkeypatch.setattr(link_loads, "NEEDED", {Oil: oil, Wind: wind})
    exact = truth.inverse_dynamics(robot.description, q, v, a, floating_base=True, convention=convention)
    tau = called(robot, "inverse_dynamics", q=q, v=v, a=a)["tau"]
    assert tau == pytest.approx([float(value) for value in exact], rel=1e-12, abs=1e-12)


def test_joint_wrenches_hold_the_loads_too() -> None:
    q, v, a = state(arm(), 2)
    tau, wrenches = (called(arm(), name, q=q, v=v, a=a) for name in ("inverse_dynamics", "joint_wrenches"))
    rows = wrenches["F"].reshape(-1, 6)
    first = rows[arm().body_names.index("a")]
    assert tau["tau"][arm().velocity_names.index("one")] == pytest.approx(first[4], rel=1e-12)


@pytest.mark.parametrize(("floating", "convention"), ROBOTS)
def test_partials_are_those_of_the_forces(floating: bool, convention: str) -> None:
    robot, h = arm(True, floating, convention), 1e-6
    q, v, a = state(robot, 3)
    found = called(robot, "inverse_dynamics_partials", q=q, v=v, a=a)
    count, slopes = robot.model.nv, {"dtau_dq": list[Array](), "dtau_dv": list[Array]()}
    for unit in h * np.eye(count):
        ends = {"dtau_dq": [(robot.integrate(q, s * unit), v) for s in (1, -1)]}
        ends["dtau_dv"] = [(q, v + s * unit) for s in (1, -1)]
        for name, (one, other) in ends.items():
            high, low = (called(robot, "inverse_dynamics", q=p, v=w, a=a)["tau"] for p, w in (one, other))
            slopes[name].append((high - low) / (2 * h))
    for name, columns in slopes.items():
        assert found[name].reshape(count, count) == pytest.approx(np.array(columns).T, rel=1e-5, abs=1e-5), name
    tau = called(robot, "inverse_dynamics", q=q, v=v, a=a)["tau"]
    forward = called(robot, "forward_dynamics_partials", q=q, v=v, tau=tau)
    mass = called(robot, "mass_matrix", q=q)["M"].reshape(count, count)
    assert -mass @ forward["da_dv"].reshape(count, count) == pytest.approx(
        found["dtau_dv"].reshape(count, count), rel=1e-7, abs=1e-7
    )


@pytest.mark.parametrize(("floating", "convention"), ROBOTS)
def test_time_derivatives_are_those_of_the_forces(floating: bool, convention: str) -> None:
    robot, order, h = arm(True, floating, convention), 2, 1e-4
    q, rng = state(robot, 4)[0], np.random.default_rng(4)
    V = rng.standard_normal((order + 2, robot.model.nv)) * 0.5
    asked = {"order": order}
    name = "inverse_dynamics_time_derivatives"
    tau = called(robot, name, asked, q=q, V=V)["tau"].reshape(order + 1, -1)
    assert tau[0] == pytest.approx(called(robot, "inverse_dynamics", q=q, v=V[0], a=V[1])["tau"], rel=1e-11)
    ends = []
    for t in (h, -h):
        moved = robot.integrate(q, t * V[0] + t * t / 2 * V[1])
        v, a = V[0] + t * V[1] + t * t / 2 * V[2], V[1] + t * V[2] + t * t / 2 * V[3]
        ends.append(called(robot, name, {"order": 1}, q=moved, V=[v, a, V[2] + t * V[3]])["tau"].reshape(2, -1))
    assert tau[1:] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-5, abs=1e-5)
    back = called(robot, "forward_dynamics_time_derivatives", asked, q=q, v=V[0], T=tau)["A"]
    assert back == pytest.approx(np.ravel(V[1:]), rel=1e-7, abs=1e-7)


RUNTIME = ("b.oil.linear", "d.wind.share", "held.translation.y", "b.mass")
QUICK = ("inverse_dynamics", "forward_dynamics", "joint_wrenches")
FUNCTIONS = sorted(set(OF_EVERY_ROBOT) - {"forward_kinematics_time_derivatives"})


@pytest.mark.parametrize(
    "function", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in FUNCTIONS]
)
def test_every_function_agrees_in_every_layout(function: str) -> None:
    robot = arm(runtime=RUNTIME)
    options = asked(robot, function, wrenches="world")
    programs_agree(robot, function, ("split", "rolled"), **options)


def test_numbers_at_run_time_are_the_baked_ones() -> None:
    robot, (q, v, a) = arm(runtime=RUNTIME), state(arm(), 5)
    assert robot.model.slots.units[:2] == ("N s/m", "1")
    p = robot.runtime_defaults
    found = called(robot, "inverse_dynamics", q=q, v=v, a=a, p=p)["tau"]
    assert found == pytest.approx(called(arm(), "inverse_dynamics", q=q, v=v, a=a)["tau"], rel=1e-12)
    slopes = called(robot, "inverse_dynamics_partials", q=q, v=v, a=a, p=p)["dtau_dp"].reshape(-1, 4)
    for row, h in enumerate(1e-6 * np.eye(4)):
        high, low = (called(robot, "inverse_dynamics", q=q, v=v, a=a, p=p + s * h)["tau"] for s in (1, -1))
        assert slopes[:, row] == pytest.approx((high - low) / 2e-6, rel=1e-6, abs=1e-6)


def test_loads_without_sense_are_refused() -> None:
    for wrong, words in (
        (replace(massive("body"), loads=(Oil(-1.0),)), "link 'body': oil linear is -1; it is at least 0"),
        (replace(massive("body"), loads=(Oil(1.0), Oil(2.0))), "link 'body' has oil twice"),
    ):
        with pytest.raises(DescriptionError, match=words):
            loaded(single(JointKind.REVOLUTE, wrong))
    with pytest.raises(ModelError, match="has wind, which the spatial formulation does not cover"):
        api.programs(arm(), ["inverse_dynamics_time_derivatives"], order=1, formulation="spatial")
