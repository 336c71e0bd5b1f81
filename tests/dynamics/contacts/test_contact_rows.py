"""Gaps, rows and the problem of rigid contact: against fifty digits, differences, dense equations, in all layouts."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, modules_agree, programs_agree, truth_agrees
from support.robots.touching import TEXTS

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
LAYOUTS = ("unrolled", "split", "rolled", "split-lanes", "rolled-lanes")
FUNCTIONS = ("contact_gaps", "contact_jacobian", "contact_problem", "contact_system", "contact_factors")
RIM_SIDES = [f"wheel[{number}]" for number in (1, 2, 4, 5)]
"""Points of a rim beside the lowest: they are other points of the rim while it turns, which no row follows."""


@cache
def robot(name: str) -> Robot:
    return symdyn.loads(TEXTS[name](), "yaml")


def call(name: str, function: str, given: dict[str, Any], **options: Any) -> dict[str, np.ndarray]:
    model = robot(name)
    inputs = inputs_of(model, function, **options) | {key: list(map(float, value)) for key, value in given.items()}
    result = api.float_recursion(model, function, **options)(inputs)
    return {key: np.array(value) for key, value in result.items()}


def state(name: str, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    model = robot(name)
    q, v = model.random_state(rng)
    q = 0.3 * q if model.model.rods else q
    p = np.nan_to_num(model.runtime_defaults, nan=1.0)
    return {"q": q, "v": v, "tau": rng.normal(size=model.nv), "h": [2e-3], **({"p": p} if p.size else {})}


ROUNDED = [
    pytest.param(name, function, marks=() if function == "contact_system" or name == "pairs" else pytest.mark.slow)
    for name in TEXTS
    for function in FUNCTIONS
]
"""Each function of one robot and one function of each robot at each change, because the system has all others in it."""


@pytest.mark.parametrize(("name", "function"), ROUNDED)
def test_the_recursion_is_right_to_rounding(name: str, function: str) -> None:
    options = {"external_wrenches": "world"} if function == "contact_problem" else {}
    for seed in (3, 4):
        model = robot(name)
        given = inputs_of(model, function, seed, **options)
        assert truth_agrees(model, function, given, **options)


def test_inputs_of_actuators_make_the_forces() -> None:
    linkage = robot("linkage")
    for function in ("contact_problem", "contact_system"):
        assert truth_agrees(linkage, function, inputs_of(linkage, function, 3, inputs="actuators"), inputs="actuators")


def test_a_wrong_entry_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The truth shares no code with the kernels: a normal that is turned by 1e-9 fails."""
    from symdyn.dynamics.contacts import slots

    exact = slots.away_from

    def tilted(*given: Any) -> Any:
        result = exact(*given)
        x, y, z = result.normal
        return type(result)(result.distance, [x + 1e-9 * y, y - 1e-9 * x, z])

    monkeypatch.setattr(slots, "away_from", tilted)
    assert not truth_agrees(robot("pairs"), "contact_jacobian", inputs_of(robot("pairs"), "contact_jacobian", 3))


@pytest.mark.parametrize("name", TEXTS)
def test_normals_are_slopes_of_gaps(name: str) -> None:
    """Central differences along ``integrate``: 1e-8 bounds what second differences of 1e-6 leave."""
    model, given, step = robot(name), state(name, 5), 1e-6
    J = call(name, "contact_jacobian", given)["J"].reshape(-1, model.nv)

    def gaps(move: np.ndarray) -> np.ndarray:
        return call(name, "contact_gaps", given | {"q": model.integrate(given["q"], move)})["gap"]

    slopes = np.array([gaps(step * e) - gaps(-step * e) for e in np.eye(model.nv)]).T / (2 * step)
    kept = [place for place, slot in enumerate(model.model.contacts.slot_names) if slot not in RIM_SIDES]
    normals = J[2 : 3 * len(slopes) : 3]
    assert np.abs(normals[kept] - slopes[kept]).max() < 1e-8
    assert np.abs(slopes[kept]).max() > 0.1


@pytest.mark.parametrize("name", TEXTS)
def test_frames_are_right_handed_and_points_are_on_surfaces(name: str) -> None:
    given = state(name, 6)
    result = call(name, "contact_gaps", given)
    normals = result["normal"].reshape(-1, 3)
    turns = 1 + max(map(len, surfaces_below(robot(name))))  # each rotation on the way of a surface rounds once more
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=4e-16 * turns, rtol=0)
    assert len(result["gap"]) == len(normals) == len(result["point"].reshape(-1, 3))


def surfaces_below(model: Robot) -> list[list[int]]:
    """Per slot the bodies that turn its surface, from the root."""
    from symdyn.dynamics.contacts.slots import placed_slots
    from symdyn.dynamics.tree.tree import TreePlan

    tree = TreePlan(model.model)
    return [sorted(tree.path(placed.surface_body)) if placed.surface_body >= 0 else [] for placed in placed_slots(tree)]


def test_segments_of_a_straight_rod_are_the_rod() -> None:
    """At rest the least gap is that of two straight lines, from the x axis to the other's end at (0.1, 0.1, 0.3)."""
    text = TEXTS["rods"]().replace("radius: section, friction: 0.4", "radius: 0.01, friction: 0.4")
    model = symdyn.loads(text, "yaml")
    gap = api.float_recursion(model, "contact_gaps")({"q": [0.0] * model.nq})["gap"]
    names = model.model.contact_layout.slot_names
    crossing = [x for x, name in zip(gap, names, strict=True) if name.startswith("cross")]
    assert min(crossing) == pytest.approx(np.hypot(0.1, 0.3) - 0.02, abs=1e-15)
    (slot_gap,) = (x for x, name in zip(gap, names, strict=True) if name == "self")
    # the first and last of three Gauss stations stand for 5/18 each, and 4/9 is between them
    assert slot_gap == pytest.approx(0.3 * 4 / 9 - 0.02, abs=1e-15)


@pytest.mark.parametrize("name", TEXTS)
def test_the_problem_is_that_of_dense_equations(name: str) -> None:
    """M + h D + h^2 K from the robot's other functions; slopes by differences of 1e-5, so that 1e-7 may be left."""
    model, given = robot(name), state(name, 7)
    nv, h, step = model.nv, given["h"][0], 1e-5
    result = call(name, "contact_system", given)
    J = call(name, "contact_jacobian", given)["J"].reshape(-1, nv)
    base = {key: given[key] for key in given if key in ("q", "v", "p")}

    def slopes(function: str, key: str) -> np.ndarray:
        def at(move: np.ndarray) -> np.ndarray:
            moved = model.integrate(given["q"], move) if key == "q" else given["v"] + move
            return call(name, function, base | {key: moved})["tau"]

        matrix = np.array([at(step * e) - at(-step * e) for e in np.eye(nv)]).T / (2 * step)
        return 0.5 * (matrix + matrix.T)

    dry = model.model.contact_layout.dry
    K, D = slopes("elastic_forces", "q"), slopes("damping_forces", "v")
    bias = call(name, "bias", base)["tau"]
    for row in dry:  # what is smooth elsewhere is no part of this problem
        losses = model.model.bodies[row.body].joint.losses
        assert losses is not None
        moved = np.zeros(nv)
        for column, gain in row.slopes:
            moved[column] = gain
        rate = np.tanh(moved @ given["v"] / losses.velocity_scale)
        bias -= losses.friction * rate * moved
        D -= losses.friction * (1.0 - rate**2) / losses.velocity_scale * np.outer(moved, moved)
    M = call(name, "mass_matrix", base)["M"].reshape(nv, nv)
    names = model.velocity_names
    for start in (place for place, row in enumerate(names) if row.endswith(".vx")):
        # a free body moves straight in the axes at the start of the step; component-wise its v changes by -omega x v
        planar = names[start + 2].endswith(".omega")
        moving, turning = ([0, 1], [5]) if planar else ([0, 1, 2], [3, 4, 5])
        twist = np.zeros(6)
        twist[moving + turning] = given["v"][start : start + len(moving + turning)]
        columns = [start + place for place in moving]
        bias += M[:, columns] @ np.cross(twist[:3], twist[3:])[moving]
    Mh = M + h * D + h * h * K
    free = given["v"] + np.linalg.solve(Mh, h * (given["tau"] - bias - h * K @ given["v"]))
    same(result["v_free"], free, 1e-7)
    response = np.linalg.solve(Mh, J.T).T
    same(result["response"], response.ravel(), 1e-7)
    G = result["delassus"].reshape(len(J), len(J))
    same(G, J @ response.T, 1e-7)
    assert np.array_equal(G, G.T)
    same(result["c_free"], J @ free + shifts(name, given, J, result["gap"]), 1e-6)


def same(result: np.ndarray, expected: np.ndarray, part: float) -> None:
    assert np.abs(result - expected).max() <= part * max(1.0, np.abs(expected).max())


def shifts(name: str, given: dict[str, Any], J: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """The rows s as CONTACT's law states them, row by row."""
    model, h, v = robot(name), given["h"][0], given["v"]
    layout, s = model.model.contact_layout, np.zeros(len(J))
    exit_velocity, impact = layout.options.exit_velocity, layout.options.impact_velocity
    rows = [(3 * place + 2, slot.contact.restitution) for place, slot in enumerate(layout.slots)]
    rows += [(layout.first_limit + place, layout.limit_restitution) for place in range(len(layout.limits))]
    for slot_gap, (row, share) in zip(gap, rows, strict=True):
        approach = J[row] @ v
        s[row] = max(slot_gap / h, -exit_velocity)
        if share and approach < -impact and slot_gap + h * approach < 0:
            s[row] = share * approach
    for place, slot in enumerate(layout.slots):
        if any(slot.velocity):
            n = call(name, "contact_gaps", given)["normal"].reshape(-1, 3)[place]
            t1 = np.array([1 - n[0] ** 2 / (1 + n[2]), -n[0] * n[1] / (1 + n[2]), -n[0]])
            s[3 * place : 3 * place + 2] = -t1 @ slot.velocity, -np.cross(n, t1) @ slot.velocity
    if layout.loop_names:
        s[layout.loops :] = call(name, "constraint_error", {"q": given["q"]})["e"] / h
    return s


def test_restitution_acts_at_predicted_impacts_alone() -> None:
    """A ball that falls: away from the floor, near it, slowly, and in it."""
    text = (
        "name: ball\nfloating_base: true\nlinks:\n  ball: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, collision: {b: "
        "{sphere: 0.1}}}\nobstacles: {floor: {plane: {}}}\ncontacts: {c: {of: ball.b, with: floor, restitution: 0.5}}\n"
    )
    model = symdyn.loads(text, "yaml")
    run = api.float_recursion(model, "contact_system")
    q, h = model.neutral(), 1e-3
    for height, speed, expected in ((0.2, -1.0, 100.0), (0.1005, -1.0, -0.5), (0.1005, -0.04, 0.5), (0.05, 0.0, -0.2)):
        q[2] = height
        v = np.array([0.0, 0.0, speed, 0.0, 0.0, 0.0])
        given = {"q": q.tolist(), "v": v.tolist(), "tau": [0, 0, 9.81, 0, 0, 0], "h": [h]}
        result = run(given)
        assert result["c_free"][2] == pytest.approx(speed + expected, abs=1e-12)


SLOW = pytest.mark.slow
QUICK = {("linkage", "contact_problem"), ("elastic", "contact_factors"), ("linkage", "contact_gaps")}
QUICK |= {("followers", "contact_system"), ("rods", "contact_gaps")}
CASES = [
    pytest.param(name, function, marks=() if (name, function) in QUICK else SLOW)
    for name in TEXTS
    for function in FUNCTIONS
]


@pytest.mark.parametrize(("name", "function"), CASES)
def test_all_layouts_agree(name: str, function: str) -> None:
    # Tangents jump where a normal is horizontal, as one of the rods' is to rounding at the usual state.
    seed = 12 if name == "rods" else 11
    programs_agree(robot(name), function, LAYOUTS, inputs_of(robot(name), function, seed), tolerance=1e-10)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("name", "layout"),
    [("linkage", "auto"), pytest.param("pairs", "rolled", marks=SLOW), pytest.param("rod", "rolled", marks=SLOW)],
)
def test_compiled_and_emitted_code_agree(name: str, layout: str) -> None:
    modules_agree(robot(name), FUNCTIONS, layout, tolerance=1e-10)


@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_code_has_the_bits_of_the_program(layout: str) -> None:
    """To the last bit, with products rounded once where the processor can fuse them, and twice elsewhere."""
    linkage = robot("linkage")
    for function in FUNCTIONS:
        given = inputs_of(linkage, function)
        (program,) = api.programs(linkage, [function], layout=layout)
        twice, once = (evaluate_program(program, FloatAlgebra(fused), given) for fused in (False, True))
        module = symdyn.compile(linkage, FUNCTIONS, layout=layout, lanes=False)
        signature = module.signature(function)
        result = getattr(module, function)(*(np.reshape(given[item.name], item.shape) for item in signature.inputs))
        for output, rows in zip(signature.outputs, result if isinstance(result, tuple) else (result,), strict=True):
            same_bits = [np.array_equal(np.ravel(rows), expected[output.name]) for expected in (once, twice)]
            assert any(same_bits), (function, output.name)


def test_contacts_act_in_their_functions_alone() -> None:
    """Programs of other functions have the operations and the numbers of the robot without contacts."""
    with_contacts = robot("pairs")
    text = TEXTS["pairs"]()
    without = symdyn.loads(text[: text.index("obstacles:")], "yaml")
    for function in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        (first,), (second,) = (api.programs(model, [function], layout="rolled") for model in (with_contacts, without))
        assert first.body == second.body and first.tapes == second.tapes
