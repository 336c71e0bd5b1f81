"""Units of FMI 3.0: their rates, derivatives and steps are those of the compiled functions, bit for bit."""

from __future__ import annotations

import ctypes
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.fmi import DISCARD, ERROR, OK, Description, Instance, unpacked
from support.robots.turning import turning

import symdyn
from symdyn.toolchain.fmu import pack

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]


class Made:
    """A packed unit, its library, and the compiled functions that it wraps."""

    def __init__(self, robot: Any, folder: Path, stepper: str = "dop853") -> None:
        self.robot = robot
        generated = symdyn.generate(robot, ["state_derivative"], out=folder / "made", target="fmu", steppers=[stepper])
        self.path = pack(generated, binary=True)
        self.description = Description.read(self.path)
        self.library = unpacked(self.path, folder / "unpacked")
        self.module = symdyn.compile(
            robot, ["state_derivative", "state_jacobian", "forward_dynamics"], lanes=False, steppers=[stepper]
        )
        self.ny = robot.nq + robot.nv
        self.states = list(range(1, 1 + self.ny))
        self.rates = list(range(1 + self.ny, 1 + 2 * self.ny))
        self.inputs = list(range(1 + 2 * self.ny, 1 + 2 * self.ny + robot.nv))

    def instance(self, steps: bool = False) -> Instance:
        """A new one."""
        return Instance(self.library, self.description.token, steps)


FREE = """
format: 1
name: hull
floating_base: true
links:
  hull: {mass: 2.0, com: [0.1, 0, 0.02], inertia: {xx: 0.03, yy: 0.04, zz: 0.05}}
  rotor: {mass: 0.4, com: [0, 0.05, 0], inertia: {xx: 0.002, yy: 0.003, zz: 0.004}}
joints:
  spin: {type: continuous, parent: hull, child: rotor, axis: [0, 0, 1], translation: [0.2, 0, 0]}
"""


@pytest.fixture(scope="module")
def free(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A body on a free base: a quaternion in its state."""
    robot = symdyn.loads(FREE, format="yaml")
    return Made(robot, tmp_path_factory.mktemp("free"))


def _state(made: Made, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    q, v = made.robot.random_state(rng)
    return np.concatenate([q, v]), rng.standard_normal(made.robot.nv)


def test_rates_and_derivatives_are_those_of_the_functions(free: Made) -> None:
    """The unit holds the same code, built for the processor that it chooses: bits on this one."""
    unit = free.instance()
    y, tau = _state(free, 1)
    assert unit.set([*free.states, *free.inputs], np.concatenate([y, tau])) == OK
    unit.initialise()
    np.testing.assert_array_equal(unit.get(free.rates), free.module.state_derivative(y, tau))
    d_dy, d_dtau = free.module.state_jacobian(y, tau)
    jacobian = np.hstack([d_dy, d_dtau])
    knowns = [*free.states, *free.inputs]
    columns = [
        unit.derivative("GetDirectionalDerivative", free.rates, [known], np.ones(1), free.ny) for known in knowns
    ]
    np.testing.assert_array_equal(np.transpose(columns), jacobian)
    rows = [unit.derivative("GetAdjointDerivative", [rate], knowns, np.ones(1), len(knowns)) for rate in free.rates]
    np.testing.assert_array_equal(rows, jacobian)
    seed = np.random.default_rng(2).standard_normal(len(knowns))
    found = unit.derivative("GetDirectionalDerivative", free.rates, knowns, seed, free.ny)
    np.testing.assert_allclose(found, jacobian @ seed, rtol=0, atol=1e-12 * np.abs(jacobian).max())


def test_steps_are_those_of_the_stepper(free: Made) -> None:
    """A step of co-simulation is one call of the stepper, at the tolerance that initialisation tells.

    The unit's stepper is built for any processor of a kind, where its sums of products round twice.
    """
    unit = free.instance(steps=True)
    y, tau = _state(free, 3)
    assert unit.set([*free.states, *free.inputs], np.concatenate([y, tau])) == OK
    unit.initialise(1e-9)
    assert unit.step(0.0, 0.1) == (OK, 0.1)
    end = free.module.advance_dop853(y[: free.robot.nq], y[free.robot.nq :], tau, times=[0, 0.1], rtol=1e-9, atol=1e-9)
    target = np.concatenate([end.q[-1], end.v[-1]])
    np.testing.assert_allclose(unit.get(free.states), target, rtol=0, atol=1e-13 * np.abs(target).max())
    assert unit.get([0])[0] == 0.1


def test_states_are_kept_and_brought_back(free: Made) -> None:
    """By pointer and as bytes; a second instance knows nothing of the first."""
    first, second = free.instance(), free.instance()
    at_start = second.get(free.states)
    y, _ = _state(free, 5)
    assert first.set(free.states, y) == OK
    np.testing.assert_array_equal(second.get(free.states), at_start)
    kept, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert first.call("GetFMUState", ctypes.byref(kept)) == OK
    assert first.call("SerializedFMUStateSize", kept, ctypes.byref(size)) == OK
    held = (ctypes.c_uint8 * size.value)()
    assert first.call("SerializeFMUState", kept, held, size) == OK
    again = ctypes.c_void_p()
    assert second.call("DeserializeFMUState", held, size, ctypes.byref(again)) == OK
    assert second.call("SetFMUState", again) == OK
    np.testing.assert_array_equal(second.get(free.states), y)
    assert second.call("Reset") == OK
    np.testing.assert_array_equal(second.get(free.states), at_start)
    for unit, pointer in ((first, kept), (second, again)):
        assert unit.call("FreeFMUState", ctypes.byref(pointer)) == OK
        unit.library.fmi3FreeInstance(ctypes.c_void_p(unit.pointer))


def test_what_is_wrong_is_refused(free: Made) -> None:
    """With a message each: a token of another unit, variables that cannot be set, states in which no rates exist."""
    assert not Instance(free.library, "another", steps=False).pointer
    unit = free.instance()
    assert unit.set([free.rates[0]], np.zeros(1)) == ERROR
    assert unit.set([10_000], np.zeros(1)) == ERROR
    unit.initialise()
    assert unit.step(0.0, 0.1)[0] == ERROR
    assert unit.call("GetInt32", None, ctypes.c_size_t(0), None, ctypes.c_size_t(0)) == ERROR
    bad = np.full(free.ny, np.nan)
    assert unit.call("SetContinuousStates", ctypes.c_void_p(bad.ctypes.data), ctypes.c_size_t(free.ny)) == OK
    rates = np.empty(free.ny)
    asked = ctypes.c_void_p(rates.ctypes.data), ctypes.c_size_t(free.ny)
    assert unit.call("GetContinuousStateDerivatives", *asked) == DISCARD
    assert len(unit.messages) == 5
    steps = free.instance(steps=True)
    steps.initialise()
    assert steps.step(0.0, -1.0)[0] == ERROR
    assert steps.set([free.states[0]], np.zeros(1)) == ERROR
    assert len(steps.messages) == 2


def test_a_packed_unit_is_the_same_every_time(free: Made) -> None:
    """Of the folder's files, without dates."""
    first = free.path.read_bytes()
    assert pack(free.path.parent, binary=True).read_bytes() == first
    with zipfile.ZipFile(free.path) as archive:
        names = archive.namelist()
    assert "modelDescription.xml" in names
    assert "sources/buildDescription.xml" in names
    assert not any("lanes" in name for name in names)


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    """A file of the unit's name that symdyn did not write."""
    made = symdyn.generate(symdyn.load_example("pendulum"), ["state_derivative"], out=tmp_path / "made", target="fmu")
    (made / "pendulum.fmu").write_bytes(b"mine")
    with pytest.raises(symdyn.SymdynError, match="somebody else"):
        pack(made, binary=False)
    assert (made / "pendulum.fmu").read_bytes() == b"mine"
    symdyn.generate(symdyn.load_example("pendulum"), ["state_derivative"], out=made, target="python")
    assert (made / "pendulum.fmu").read_bytes() == b"mine"


def test_a_unit_goes_with_the_files_that_it_was_packed_of(tmp_path: Path) -> None:
    robot, folder = symdyn.load_example("pendulum"), tmp_path / "made"
    for name, target, units in (("", "fmu", ["pendulum"]), ("swing", "fmu", ["swing"]), ("", "python", [])):
        symdyn.generate(robot, ["state_derivative"], out=folder, target=target, name=name or None)
        assert [path.stem for path in folder.glob("*.fmu")] == units


@pytest.mark.slow
@pytest.mark.parametrize("name", ["canadarm", "elastic_arm", "cable_manipulator", "four_bar", "mujoco"])
def test_robots_of_every_kind(name: str, tmp_path: Path) -> None:
    """Rates and derivatives bit for bit; a step as above, through Newton's matrix of condition 1e3."""
    robot = turning(name) if name == "mujoco" else symdyn.load_example(name)
    made = Made(robot, tmp_path, "generalised-alpha")
    unit = made.instance()
    y = unit.get(made.states)
    if name == "mujoco":  # quaternions with the real part first: of the free base and of a ball
        np.testing.assert_array_equal(y[: robot.nq], robot.neutral())
        y = np.concatenate(robot.random_state(3))
        assert unit.set(made.states, y) == OK
    tau = 1e-3 * np.random.default_rng(7).standard_normal(made.robot.nv)
    assert unit.set(made.inputs, tau) == OK
    unit.initialise()
    np.testing.assert_array_equal(unit.get(made.rates), made.module.state_derivative(y, tau))
    d_dy, _ = made.module.state_jacobian(y, tau)
    found = unit.derivative("GetDirectionalDerivative", made.rates, [made.states[-1]], np.ones(1), made.ny)
    np.testing.assert_array_equal(found, d_dy[:, -1])
    steps = made.instance(steps=True)
    assert steps.set([*made.inputs, made.description.references["stepper.h"]], np.array([*tau, 1e-3])) == OK
    assert steps.set(made.states, y) == OK
    steps.initialise()
    assert steps.step(0.0, 0.01) == (OK, 0.01)
    nq = made.robot.nq
    end = made.module.advance_generalised_alpha(y[:nq], y[nq:], tau, times=[0.0, 0.01], h=1e-3)
    target = np.concatenate([end.q[-1], end.v[-1]])
    np.testing.assert_allclose(steps.get(made.states), target, rtol=0, atol=1e-10 * np.abs(target).max())


POST = """
name: post
gravity: [0, 0, 0]
links: {ground: {}, ball: {mass: 0.5}}
joints: {x: {type: prismatic, parent: ground, child: ball, axis: [1, 0, 0]}}
contacts: {post: {of: ball, radius: 0.1, with: {sphere: {center: [5, 0, 0], radius: 0.1}}, stiffness: 1e5}}
"""


def _thrown(unit: Instance) -> None:
    assert unit.set([1, 2], np.array([0.0, 1.0])) == OK
    unit.initialise()


def test_contacts_are_met_and_told(tmp_path: Path) -> None:
    """One step of co-simulation comes back from a post; gaps are event indicators; long fixed steps are discarded."""
    made = Made(symdyn.loads(POST, format="yaml"), tmp_path)
    unit = made.instance(steps=True)
    _thrown(unit)
    assert unit.step(0.0, 20.0) == (OK, 20.0)
    assert unit.get([2])[0] == pytest.approx(-1.0, abs=3e-4)
    unit = made.instance()
    _thrown(unit)
    count, found = ctypes.c_size_t(), np.empty(1)
    assert unit.call("GetNumberOfEventIndicators", ctypes.byref(count)) == OK and count.value == 1
    for place, gap in ((0.0, 4.8), (4.9, -0.1), (5.5, 0.3)):
        state = np.array([place, 1.0])
        assert unit.call("SetContinuousStates", ctypes.c_void_p(state.ctypes.data), ctypes.c_size_t(2)) == OK
        assert unit.call("GetEventIndicators", ctypes.c_void_p(found.ctypes.data), count) == OK
        assert found[0] == pytest.approx(gap)
        assert unit.get([made.description.references["gap.post"]])[0] == found[0]
    assert unit.call("GetEventIndicators", ctypes.c_void_p(found.ctypes.data), ctypes.c_size_t(2)) == ERROR
    fixed = Made(symdyn.loads(POST, format="yaml"), tmp_path / "fixed", "rk4")
    unit = fixed.instance(steps=True)
    assert unit.set([fixed.description.references["stepper.h"]], np.array([9.0])) == OK
    _thrown(unit)
    assert unit.step(0.0, 9.0)[0] == DISCARD
    assert unit.set([fixed.description.references["stepper.h"]], np.array([1e-3])) == OK
    assert unit.step(0.0, 9.0)[0] == OK
    assert unit.set([fixed.description.references["stepper.h"]], np.array([-1.0])) == OK
    assert unit.step(9.0, 1.0)[0] == DISCARD
    contact, settings = unit.messages
    assert "a contact begins and ends within a step" in contact and "not above 0" in settings


PUCK = """
name: puck
links: {ground: {}, slide: {}, puck: {mass: 0.5, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}}
joints:
  x: {type: prismatic, parent: ground, child: slide, axis: [1, 0, 0]}
  z: {type: prismatic, parent: slide, child: puck, axis: [0, 0, 1]}
contact_options: {runtime_slots: 1}
"""


def test_slots_that_a_tool_fills_are_inputs_of_steps(tmp_path: Path) -> None:
    """An empty slot, then a floor that the tool finds before each step: steps are those of the compiled stepper."""
    robot = symdyn.loads(PUCK, format="yaml")
    path = symdyn.export_fmu(robot, tmp_path / "puck.fmu")
    references = Description.read(path).references
    slot = [reference for name, reference in references.items() if name.startswith("touching.")]
    assert len(slot) == 10
    unit = Instance(unpacked(path, tmp_path / "unpacked"), Description.read(path).token, steps=True)
    states, h = [1, 2, 3, 4], 1e-3
    state = np.array([0.0, 0.0102, 1.0, -1.0])
    assert unit.set(states, state) == OK
    unit.initialise()
    np.testing.assert_array_equal(unit.get(slot), [-1, -1, 0, 0, 0, 0, 0, 1, 0, 0])
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    touching = np.array([[-1.0, -1, 0, 0, 0, 0, 0, 1, 0, 0]])
    for number in range(40):
        if number:
            touching = np.array([[1.0, -1, state[0], 0, 0, 0, 0, 1, state[1], 0.4]])
            assert unit.set(slot, touching.ravel()) == OK
        found = module.advance_contacts(state[:2], state[2:], np.zeros(2), touching, times=[0.0, h], h=h)
        state = np.concatenate([found.q[-1], found.v[-1]])
        assert unit.step(number * h, h)[0] == OK
        np.testing.assert_allclose(unit.get(states), state, rtol=0.0, atol=1e-12)  # its h is a difference of times
    assert abs(state[1]) < 1e-9
    assert state[2] == pytest.approx(1.0 - 0.4 * (1.0 + 9.81 * 0.04), abs=1e-6)  # by the impulse of the normal
    wrong = np.array([9.0, -1, 0, 0, 0, 0, 0, 1, 0, 0.4])
    assert unit.set(slot, wrong) == OK
    assert unit.step(40 * h, h)[0] == DISCARD
