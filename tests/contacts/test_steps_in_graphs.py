"""Steps with rigid contacts as functions of CasADi: values and derivatives of the compiled step, by rows of q."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError

pytestmark = [pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"), pytest.mark.needs_cc]
H = 2e-3
BALL = """
name: ball
parameters: {mu: {value: 0.4, runtime: true}}
links:
  world: {}
  ball: {mass: 1.2, com: [0.01, 0, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.025}, collision: {skin: {sphere: 0.1}}}
joints: {free: {type: floating, parent: world, child: ball}}
obstacles: {floor: {plane: {normal: [0.1, 0.05, 1]}, velocity: [0.05, -0.1, 0]}}
contacts: {skin: {of: ball.skin, with: floor, friction: mu, compliance: 1e-5}}
"""
MOVES = {"slides": [0.3, 0.1, -0.2, 0.1, 0.2, 0.3], "sticks": [0.0] * 6, "flies": [0.0, 0.0, 300.0, 0.0, 0.0, 0.0]}


@pytest.fixture(scope="module")
def module() -> Any:
    return symdyn.compile(
        symdyn.loads(BALL, format="yaml"), ["contact_slopes"], steppers=["contacts"], lanes=False, layout="rolled"
    )


def state(module: Any, name: str) -> list[np.ndarray]:
    """q, whose quaternion is no unit, v, tau, p, guess, in the order of the function."""
    turn = 1.3 * np.array([0.1, -0.2, 0.05, np.sqrt(1.0 - 0.0525)])
    q = np.concatenate([[0.01, -0.02, 0.099], turn])
    given = {
        "q": q,
        "v": np.array(MOVES[name]),
        "tau": np.full(6, 0.1),
        "p": np.array([4.0 if name == "sticks" else 0.4]),
        "guess": np.zeros(3),
    }
    names = [argument.name for argument in module.signature("contact_step").inputs]
    return [given[name] for name in names if name != "h"]


@pytest.mark.parametrize(("name", "expected"), [("slides", 2), ("sticks", 1), ("flies", 0)])
def test_casadi_calls_and_differentiates_a_step(module: Any, name: str, expected: int) -> None:
    function = module.casadi("contact_step", h=H)
    given = state(module, name)
    result = function(*given)
    q = given[0] / np.where(np.arange(7) < 3, 1.0, 1.3)
    in_c = module.contact_step(q, *given[1:-1], h=H)
    for one, other in zip(result[:4], in_c[:4], strict=True):
        assert np.abs(np.array(one).ravel() - other).max() <= 1e-15 * max(1.0, np.abs(other).max())
    assert in_c.state[0] == expected and float(result[4][5]) == in_c.report.code == 0
    symbols = [ca.MX.sym(f"x{place}", len(array)) for place, array in enumerate(given)]
    outputs = function.call(symbols)
    rng, checked = np.random.default_rng(4), 0
    for of in range(3):
        for by in range(len(given) - 1):
            wide, tall = len(given[by]), function.size1_out(of)
            seed, weight = rng.normal(size=wide), rng.normal(size=tall)
            slopes = [
                ca.jacobian(outputs[of], symbols[by]),
                ca.jtimes(outputs[of], symbols[by], ca.DM(seed)),
                ca.jtimes(outputs[of], symbols[by], ca.DM(weight), True),
            ]
            matrix, forward, backward = map(np.array, ca.Function("slopes", symbols, slopes)(*given))
            assert np.abs(forward.ravel() - matrix @ seed).max() < 1e-12 * max(1.0, np.abs(matrix).max())
            assert np.abs(backward.ravel() - matrix.T @ weight).max() < 1e-12 * max(1.0, np.abs(matrix).max())
            differences = np.empty((tall, wide))
            for place in range(wide):
                ends = []
                for sign in (1.0, -1.0):
                    moved = [array.copy() for array in given]
                    moved[by][place] += sign * 1e-6
                    ends.append(np.array(function(*moved)[of]).ravel())
                differences[:, place] = (ends[0] - ends[1]) / 2e-6
            # differences of 1e-6 keep some nine digits of the largest result, which is 300 m/s in flight
            assert np.abs(differences - matrix).max() < 1e-8 * max(1.0, np.abs(in_c.v_next).max()), (of, by)
            checked += 1
    assert checked == 12


def test_what_is_refused(module: Any) -> None:
    for h in (0.0, float("nan"), ca.MX.sym("h")):
        with pytest.raises(RequestError, match="length of the step is a number"):
            module.casadi("contact_step", h=h)
    with pytest.raises(RequestError, match="which CasADi cannot open"):
        module.casadi("contact_slopes")
    assert [argument.name for argument in module.signature("contact_step").outputs] == [
        "q_next",
        "v_next",
        "impulses",
        "state",
        "report",
    ]
