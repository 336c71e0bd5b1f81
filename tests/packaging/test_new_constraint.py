"""A new constraint between two places is one class and its name: every operator on every problem follows.

On a copy of the package, a point stays on a saddle; what operators give is held against each other's differences.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.trial import Trial

ROWS, KINDS = "dynamics/loops/constraint_rows.py", "description/loops.py"
MOST = 40
"""Statements that the class may have."""
CLASS = '''
@dataclass(frozen=True, slots=True)
class Saddle(ConstraintRow):
    """The first origin stays on the surface z = x y of the second place, in metres."""

    def error(self, at: Relative) -> Scalar:
        """z - x y."""
        return at.apart[2] - at.apart[0] * at.apart[1]

    def wrench(self, at: Relative) -> tuple[Vector, Vector]:
        """The normal of the surface."""
        return [-1.0 * at.apart[1], -1.0 * at.apart[0], 1.0], _NONE

    def curvature(self, at: Relative, nu: Vector, omega: Vector) -> Scalar:
        """-2 x' y'."""
        return -2.0 * (nu[0] * nu[1])


'''

SLIDER = """
import numpy as np

from symdyn.functions.catalogue import CATALOGUE, requests

robot = loads('''
format: 1
name: slider
links:
  ground:
  x: {mass: 0.5, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  y: {mass: 0.7, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  z: {mass: 1.1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  jx: {type: prismatic, parent: ground, child: x, axis: [1, 0, 0]}
  jy: {type: prismatic, parent: x, child: y, axis: [0, 1, 0]}
  jz: {type: prismatic, parent: y, child: z, axis: [0, 0, 1]}
loops:
  surface: {between: [z, ground], kind: on_saddle}
''')
x, y, dx, dy = 0.3, -0.7, 0.5, 1.1
q, v = [x, y, x * y], [dx, dy, dx * y + x * dy]
"""

MOTION = """
assert loads(robot.to_yaml()).to_yaml() == robot.to_yaml()
tau = [1.0, 2.0, 3.0]
found = float_recursion(robot, "constrained_forward_dynamics")({"q": q, "v": v, "tau": tau})
a, (multiplier,) = found["a"], found["lambda"]
near([a[2]], [a[0] * y + 2.0 * dx * dy + x * a[1]])
# M a + gravity = tau + J^T lambda, with the masses that each axis moves
near([2.3 * a[0], 1.8 * a[1], 1.1 * (a[2] + 9.81)], [
    tau[0] - y * multiplier, tau[1] - x * multiplier, tau[2] + multiplier
])
"""

OPERATORS = """
def made(name):
    # A function of arrays by name, with its options.
    options = {"prescribed": ["jx"], "order": 1, "actuated": ["jx", "jy"]}
    asked = {own: value for own, value in options.items() if own in CATALOGUE[name].takes}
    ((entry, request),) = requests(robot.model, [name], **asked)
    signature, run = entry.signature(robot.model, request), float_recursion(robot, name, **asked)

    def called(given):
        found = run({own.name: np.ravel(given[own.name]).tolist() for own in signature.inputs})
        return {own.name: np.reshape(found[own.name], own.shape) for own in signature.outputs}

    return called, signature

def slopes(function, given, by, h=1e-5):
    # Central differences of all outputs, flat, by an input; of order h^2 and u / h, 1e-10 each
    columns = []
    for place in range(given[by].size):
        ends = []
        for sign in (1.0, -1.0):
            moved = dict(given)
            moved[by] = given[by].copy()
            moved[by].flat[place] += sign * h
            ends.append(function(moved))
        columns.append({name: np.ravel(ends[0][name] - ends[1][name]) / (2.0 * h) for name in ends[0]})
    return {name: np.stack([own[name] for own in columns], axis=-1) for name in columns[0]}

def alike(found, wanted, what):
    size = max(1.0, np.abs(wanted).max())
    assert np.abs(np.reshape(found, wanted.shape) - wanted).max() < 1e-7 * size, (what, found, wanted)

checked = 0
for problem in ("constrained_forward_dynamics", "constrained_hybrid_dynamics", "constrained_inverse_dynamics",
                "impulse_dynamics"):
    value, signature = made(problem)
    rng = np.random.default_rng(7)
    given = {own.name: rng.normal(size=own.shape) for own in signature.inputs}
    given["q"], given["v"] = np.array(q), np.array(v)
    plain, outputs = value(given), [own.name for own in signature.outputs]
    by = {own: slopes(value, given, own) for own in given}
    found, _ = made(f"{problem}_partials")
    for name, slope in found(given).items():
        of, along = name[1:].split("_d")
        alike(slope, by[along][of], name)
        checked += 1
    gradient, adjoint = made(f"{problem}_adjoint")
    weights = {own.name: rng.normal(size=own.shape) for own in adjoint.inputs if own.name not in given}
    assert list(weights) == ["lambda", "kappa"]
    weighed = list(zip(weights.values(), outputs))
    for name, vector in gradient({**given, **weights}).items():
        along = name.removeprefix("g_")
        alike(vector, sum(weight @ by[along][of] for weight, of in weighed), name)
        checked += 1
    hessian, _ = made(f"{problem}_weighted_hessian")
    for name, matrix in hessian({**given, **weights}).items():
        one = next(own for own in sorted(given, key=len, reverse=True) if name.endswith(own))
        other = name.removeprefix("H_").removesuffix(one)
        alike(matrix, slopes(gradient, {**given, **weights}, one)[f"g_{other}"], name)
        checked += 1
    if problem == "impulse_dynamics":
        continue
    # Along q(t), v(t) and what is given at t, the rates of the solution are its differences.
    rates, signature = made(f"{problem}_time_derivatives")
    (series,) = [own for own in signature.inputs if own.name not in given]
    steady = {"q": given["q"], "v": given["v"], series.name: rng.normal(size=series.shape)}
    if series.name == "V":
        steady["V"][0] = given["v"]
    steady = {own.name: steady[own.name] for own in signature.inputs}
    found = rates(steady)
    inputs = set(given) - {"q", "v"}
    (known,) = inputs
    if series.name == "V":
        start, change = steady["V"][1], steady["V"][2]
        a = start
    else:
        start, change = steady[series.name][:2]
        plain = value({**given, known: start})
        a = plain["a"] if problem == "constrained_forward_dynamics" else np.where(
            np.array([own == "jx" for own in robot.velocity_names]), start, plain["w"])
    ends = []
    h = 1e-5
    for t in (h, -h):
        at = {"q": given["q"] + t * given["v"] + 0.5 * t * t * a, "v": given["v"] + t * a, known: start + t * change}
        ends.append(value(at))
    plain = value({**given, known: start})
    for name, own in zip(outputs, found.values()):
        alike(own[0], plain[name], (problem, name))
        alike(own[1], (ends[0][name] - ends[1][name]) / (2.0 * h), (problem, name, "rate"))
        checked += 1
    partials, signature = made(f"{problem}_time_derivatives_partials")
    for name, slope in partials(steady).items():
        of, along = name[1:].split("_d")
        differences = slopes(rates, steady, along)[of]
        order, m = found[of].shape
        wanted = differences.reshape(order, m, *steady[along].shape)
        if wanted.ndim == 4:
            wanted = wanted.transpose(0, 2, 1, 3)
        alike(slope, wanted, (problem, name))
        checked += 1
assert checked == 6 + 3 + 4 + 2 + 6 + 6 + 3 + 4 + 2 + 6 + 6 + 3 + 4 + 2 + 4 + 4 + 2 + 2, checked
"""


def add_saddle(trial: Trial) -> None:
    """The class, the name of its row, and the kind of loop that has this row."""
    trial.put(ROWS, "def _third(", CLASS)
    trial.change(ROWS, '    "distance": Distance(),', '    "distance": Distance(),\n    "saddle": Saddle(),')
    trial.put(KINDS, '    DISTANCE = "distance"', '    ON_SADDLE = "on_saddle"\n')
    trial.put(KINDS, "    LoopKind.DISTANCE: (", '    LoopKind.ON_SADDLE: ("saddle",),\n')


def test_the_class_is_short() -> None:
    assert sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(CLASS))) <= MOST


@pytest.mark.slow
@pytest.mark.every_case
def test_a_new_constraint_is_one_class(tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    add_saddle(trial)
    trial.run(SLIDER + MOTION + OPERATORS)
    assert trial.touched == {ROWS, KINDS}
