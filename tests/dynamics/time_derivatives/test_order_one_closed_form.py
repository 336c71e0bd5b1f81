"""Proposition 1 and lemma 1 of Ali et al. 2026 term by term, and the same terms as derivatives of forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.oracles.grouped_recursion import Array, Grouped, ad, diagonal, grouped
from support.robots.kinds import R
from support.robots.small import loaded, single
from support.robots.soft_trees import soft_arm
from support.robots.table import TREES, with_losses
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Losses
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

TERMS = "inverse_dynamics_rate_terms"
# Some hundred roundings of products of large numbers that meet in world axes, far from the bodies.
TOLERANCE = 1e-12

SHAPES = {"aerial": "", "branches": "branches of one coordinate", "chain": "chain of one coordinate"}


@cache
def robot(name: str) -> Robot:
    if not SHAPES[name]:
        return symdyn.load_example("aerial_manipulator", convention="spatial")
    tree = TREES[SHAPES[name]]
    return loaded(tree.described(mimics=False, drives=False), **tree.options)


def drawn(name: str, external: str | None = None, seed: int = 2) -> dict[str, Array]:
    ((entry, request),) = requests(robot(name).model, [TERMS], external_wrenches=external)
    inputs = random_inputs(robot(name), entry.signature(robot(name).model, request), np.random.default_rng(seed))
    return {key: np.array(values) for key, values in inputs.items()}


def terms(own: Robot, inputs: dict[str, Array], external: str | None = None) -> dict[str, Array]:
    recursion = api.float_recursion(own, TERMS, external_wrenches=external)
    return {key: np.array(rows) for key, rows in recursion({k: x.tolist() for k, x in inputs.items()}).items()}


def close(found: Array, expected: Array) -> bool:
    return relative_error(np.ravel(found).tolist(), np.ravel(expected).tolist()) <= TOLERANCE


def motion_rate(tree: Grouped, v: Array, a: Array) -> Array:
    """Equation (16), with S' for ad S."""
    G_c, G_p, M, ad_V, S_dot = tree.G_c, tree.G_p, tree.M, tree.ad_V(v), tree.S_dot(v)
    V = G_p @ tree.S @ v
    dV = G_p @ (tree.S @ a + S_dot @ v)
    ad_dV = diagonal([ad(twist) for twist in dV.reshape(-1, 6)])
    momentum_rate = M @ dV - ad_V.T @ M @ V
    S_ddot = tree.turned(ad_dV, tree.S) + tree.turned(ad_V, S_dot)
    known = G_p @ (2.0 * S_dot @ a + S_ddot @ v)
    second = M @ (known - ad_V @ dV) - 2.0 * ad_V.T @ momentum_rate - (ad_dV + ad_V @ ad_V).T @ M @ V
    return S_dot.T @ G_c @ momentum_rate + tree.S.T @ G_c @ second


def weight_rate(tree: Grouped, v: Array) -> Array:
    """Equations (17) and (18)."""
    inner = tree.M @ tree.ad_V(v) + tree.ad_V(v).T @ tree.M
    return tree.S.T @ tree.G_c @ inner @ tree.G - tree.S_dot(v).T @ tree.G_c @ tree.M @ tree.G


def applied_rate(tree: Grouped, v: Array, wrench: Array, wrench_rate: Array) -> Array:
    """Equation (19)."""
    applied = tree.to_world @ wrench
    own = tree.ad_V(v).T @ applied - tree.to_world @ wrench_rate
    return tree.S.T @ tree.G_c @ own - tree.S_dot(v).T @ tree.G_c @ applied


@pytest.mark.parametrize("name", SHAPES)
def test_proposition_1(name: str) -> None:
    """The last term with wrenches in body axes that change."""
    inputs = drawn(name, "body")
    tree, v, a = grouped(robot(name), inputs["q"]), inputs["v"], inputs["a"]
    found = terms(robot(name), inputs, "body")
    assert close(found["M"], tree.M_bar)
    assert close(found["hbar_dot"], motion_rate(tree, v, a))
    assert close(found["g_dot"], weight_rate(tree, v))
    assert close(found["tau_ext_dot"], applied_rate(tree, v, *inputs["f_ext"].reshape(2, -1)))


@pytest.mark.parametrize("name", SHAPES)
def test_proposition_1_as_printed_holds_while_the_base_is_at_rest(name: str) -> None:
    """In (16) to (19) the paper writes ad S for S', which turns the columns of the base too."""
    inputs = drawn(name, "body")
    printed = replace(grouped(robot(name), inputs["q"]), base_turns=True)
    for resting in (True, False):
        v = inputs["v"].copy()
        v[:6] *= not resting
        found = terms(robot(name), {**inputs, "v": v}, "body")
        expected = {
            "hbar_dot": motion_rate(printed, v, inputs["a"]),
            "g_dot": weight_rate(printed, v),
            "tau_ext_dot": applied_rate(printed, v, *inputs["f_ext"].reshape(2, -1)),
        }
        for term, value in expected.items():
            assert close(found[term], value) == resting, term


@pytest.mark.parametrize("name", SHAPES)
def test_lemma_1(name: str) -> None:
    """Equation (21), and M' - 2 C skew, with M' from the same matrices."""
    inputs = drawn(name)
    q, v = inputs["q"], inputs["v"]
    tree = grouped(robot(name), q)
    S, S_dot, G_c, G_p, ad_V = tree.S, tree.S_dot(v), tree.G_c, tree.G_p, tree.ad_V(v)
    C_lemma = S.T @ G_c @ tree.M @ G_p @ S_dot - S.T @ G_c @ ad_V.T @ tree.M @ G_p @ S
    recursion = api.float_recursion(robot(name), "coriolis_matrix", factorization="lemma1")
    found = np.reshape(recursion({"q": q.tolist(), "v": v.tolist()})["C"], C_lemma.shape)
    assert close(found, C_lemma)
    inner = S_dot.T @ G_c @ tree.M @ G_p @ S
    M_dot = inner + inner.T - S.T @ G_c @ (tree.M @ ad_V + ad_V.T @ tree.M) @ G_p @ S
    rest = M_dot - 2.0 * found
    assert np.abs(M_dot).max() > 0.1
    assert np.abs(rest + rest.T).max() <= TOLERANCE * max(1.0, float(np.abs(M_dot).max()))


def furnished(convention: str) -> Robot:
    """A robot with losses, rotors, springs, a ball joint and run-time parameters."""
    return loaded(
        with_losses(TREES["with a ball"].described()),
        joint_losses=True,
        convention=convention,
        runtime=["gravity.x", "link2.mass"],
    )


def soft(convention: str) -> Robot:
    """A rod between two joints, with run-time parameters."""
    return loaded(soft_arm(), joint_losses=True, convention=convention, runtime=["gravity.x", "nail.mass"])


@pytest.mark.parametrize("made", [furnished, soft])
@pytest.mark.parametrize("external", [None, "world"])
@pytest.mark.parametrize("convention", ["spatial", "pinocchio"])
def test_the_terms_and_the_jerk_make_the_rate_of_the_forces(
    convention: str, external: str | None, made: Callable[[str], Robot]
) -> None:
    own, rng = made(convention), np.random.default_rng(6)
    ((entry, request),) = requests(own.model, [TERMS], external_wrenches=external)
    inputs = {key: np.array(x) for key, x in random_inputs(own, entry.signature(own.model, request), rng).items()}
    jerk = rng.standard_normal(own.nv)
    found = terms(own, inputs, external)
    whole = {key: inputs[key].tolist() for key in ("q", "f_ext", "p") if key in inputs}
    whole["V"] = [*inputs["v"], *inputs["a"], *jerk]
    rates = api.float_recursion(own, "inverse_dynamics_time_derivatives", order=1, external_wrenches=external)
    total = found["M"].reshape(own.nv, own.nv) @ jerk + found["hbar_dot"] + found["g_dot"]
    if external:
        total = total + found["tau_ext_dot"]
    assert ("tau_ext_dot" in found) == (external is not None)
    assert close(total, np.array(rates(whole)["tau"])[own.nv :])


@pytest.mark.parametrize("made", [furnished, soft])
@pytest.mark.parametrize("convention", ["spatial", "pinocchio"])
def test_weight_and_springs_are_told_apart(convention: str, made: Callable[[str], Robot]) -> None:
    """g' is the slope of the gravity function; springs and losses are in hbar', which gravity does not touch."""
    own, rng = made(convention), np.random.default_rng(8)
    ((entry, request),) = requests(own.model, [TERMS])
    inputs = {key: np.array(x) for key, x in random_inputs(own, entry.signature(own.model, request), rng).items()}
    gravity, h = api.float_recursion(own, "gravity"), 1e-3

    def at(step: float) -> Array:
        q = own.integrate(inputs["q"], step * inputs["v"])
        return np.array(gravity({"q": q.tolist(), "p": inputs["p"].tolist()})["tau"])

    slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    found = terms(own, inputs)
    assert relative_error(found["g_dot"].tolist(), slope.tolist()) <= 1e-9
    heavier = terms(own, {**inputs, "p": inputs["p"] + np.array([5.0, 0.0])})
    assert heavier["hbar_dot"].tolist() == found["hbar_dot"].tolist()
    assert not close(heavier["g_dot"], found["g_dot"])


def test_an_arm_without_anything_to_turn() -> None:
    """About a vertical axis: M is constant, so that damping alone has a rate, and weight none."""
    own = loaded(single(R, losses=Losses(damping=0.4, friction=0.0, velocity_scale=0.0)), joint_losses=True)
    found = terms(own, {"q": np.array([0.3]), "v": np.array([2.0]), "a": np.array([-1.5])})
    assert found["hbar_dot"].tolist() == pytest.approx([0.4 * -1.5], rel=1e-14)
    assert found["g_dot"].tolist() == [0.0]


def test_rolled_code_does_not_grow_with_the_tree() -> None:
    sizes = []
    for count in (9, 12):
        tree = symdyn.load_example("aerial_tree", branches=2, bodies_per_branch=count)
        (program,) = api.programs(tree, [TERMS], layout="rolled")
        sizes.append(sum(len(tape.ops) for tape in program.tapes))
    assert sizes[1] == sizes[0]


def test_each_term_binds_its_own_parameters() -> None:
    """Losses rest on p where motion is told, and do not count where weight is."""
    arm = symdyn.load_example("seven_dof_arm", runtime=("link_7.mass", "joint_1.damping"), joint_losses=True)
    (program,) = api.programs(arm, [TERMS], layout="rolled")
    inputs = random_inputs(arm, program.signature, np.random.default_rng(3))
    found = evaluate_program(program, FloatAlgebra(), inputs)
    expected = api.float_recursion(arm, TERMS)(inputs)
    assert all(relative_error(found[name], values) <= TOLERANCE for name, values in expected.items())


def test_signature() -> None:
    own = furnished("pinocchio")
    ((entry, request),) = requests(own.model, [TERMS], external_wrenches="body")
    signature = entry.signature(own.model, request)
    assert [argument.name for argument in signature.inputs] == ["q", "v", "a", "f_ext", "p"]
    assert signature.input("f_ext").shape == (2, len(own.body_names), 6)
    assert signature.input("f_ext").rows[0] == ("f_ext", "f_ext'")
    names = ["M", "hbar_dot", "g_dot", "tau_ext_dot"]
    assert [argument.name for argument in signature.outputs] == names
    assert all(set(argument.units) <= {"N m/s", "N/s"} for argument in signature.outputs[1:])


def test_friction_that_jumps_is_refused() -> None:
    sharp = loaded(single(R, losses=Losses(0.1, 0.2, 0.0)), joint_losses=True)
    with pytest.raises(ModelError, match="friction without a velocity scale"):
        api.float_recursion(sharp, TERMS)
