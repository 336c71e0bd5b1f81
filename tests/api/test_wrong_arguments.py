"""Everything public, given what it cannot take: a sentence in an error of symdyn, and never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
import symdyn.api
import symdyn.statics
from symdyn import Horizon, InputCost, OptimalControlProblem, StateCost
from symdyn.errors import InternalError, SymdynError

NAN = float("nan")
WRONG: dict[str, Any] = {
    "None": None,
    "a number": 1.5,
    "nan": NAN,
    "minus one": -1,
    "a word": "x",
    "an empty word": "",
    "a zero byte": "a\0b",
    "bytes": b"x",
    "an empty list": [],
    "names": ["x"],
    "a list of None": [None],
    "ragged": [[1, 2], [3]],
    "a mapping": {"x": 1},
    "an object": object(),
    "a complex number": 1j,
    "an array of nan": np.array([NAN, NAN]),
    "an array of another shape": np.zeros(7),
    "an array of text": np.array(["a", "b"]),
}
ARM = "double_pendulum"
TEXT = """\
<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>
"""
LOADING = (
    "floating_base",
    "locked_joints",
    "runtime",
    "joint_losses",
    "convention",
    "gravity",
    "strict",
    "repair",
    "loops",
)
ASKED = (
    "order",
    "external_wrenches",
    "prescribed",
    "factorization",
    "formulation",
    "inputs",
    "weights",
    "unknown",
    "actuated",
    "objective",
    "stabilisation",
    "switched",
    "restitution",
)
Call = Callable[..., Any]


@cache
def arm() -> symdyn.Robot:
    """The robot of all calls."""
    return symdyn.load_example(ARM)


@cache
def linkage() -> symdyn.Robot:
    """A robot with a loop."""
    return symdyn.load_example("four_bar")


@cache
def arm_with_problem() -> symdyn.Robot:
    """A robot with a problem of optimal control."""
    costs = [StateCost(q=[0.5, 0.1], v=0.0, weights={"q": 1.0, "v": 0.1}), InputCost(weight=0.1)]
    return arm().with_control(OptimalControlProblem(costs=costs, horizon=Horizon(3, 0.05)))


@cache
def module() -> Any:
    """A Python module of it, which needs no compiler."""
    return symdyn.compile(arm(), ["inverse_dynamics"], target="python")


def no_motion(**given: Any) -> Any:
    """What ``simulate`` checks before it compiles."""
    from symdyn.analysis.simulation.given import given_events, given_inputs, given_times
    from symdyn.analysis.simulation.given_motions import given_prescribed
    from symdyn.analysis.simulation.methods import given_method

    asked: dict[str, Any] = {"inputs": None, "drive": "forces", "hold": "zero", "prescribed": None, "events": None}
    asked |= {"t": 1.0, "method": "dop853", **given}
    given_times(asked["t"])
    given_method(asked["method"])
    inputs, _ = given_inputs(arm(), asked["inputs"], asked["drive"], asked["hold"], 0.0, 1.0)
    inputs(0.0, np.zeros(2), np.zeros(2))
    given_prescribed(arm(), asked["prescribed"], 0.0, 1.0)
    return given_events(asked["events"])


Z, Z3, STILL = np.zeros(2), np.zeros(3), np.zeros((9, 2))
CALLS: dict[str, tuple[Call, tuple[str, ...], Mapping[str, Any]]] = {
    "load": (symdyn.load, ("path",), {}),
    "loads": (symdyn.loads, ("text", "format"), {"text": TEXT, "format": "urdf"}),
    "options of loads": (symdyn.loads, LOADING, {"text": TEXT, "format": "urdf"}),
    "locked_joints": (lambda j: symdyn.loads(TEXT, "urdf", locked_joints={"j": j}), ("j",), {}),
    "load_example": (symdyn.load_example, ("name",), {}),
    "aerial_tree": (
        lambda **size: symdyn.load_example("aerial_tree", **size),
        ("bodies_per_branch", "branches"),
        {"bodies_per_branch": 1, "branches": 1},
    ),
    "from_description": (symdyn.from_description, ("description",), {}),
    "integrate": (lambda **given: arm().integrate(**given), ("q", "dv"), {"q": Z, "dv": Z}),
    "difference": (lambda **given: arm().difference(**given), ("q0", "q1"), {"q0": Z, "q1": Z}),
    "random_state": (lambda rng: arm().random_state(rng), ("rng",), {}),
    "close": (lambda **given: linkage().close(**given), ("q0", "hold", "p"), {"q0": np.zeros(3)}),
    "project": (lambda **given: linkage().project(**given), ("q", "v", "p"), {"q": np.zeros(3), "v": np.zeros(3)}),
    "symbolic": (symdyn.symbolic, ("robot", "function", *ASKED), {"robot": arm, "function": "gravity"}),
    "closed_form": (symdyn.closed_form, ("robot", "function"), {"robot": arm, "function": "gravity"}),
    "generate": (
        symdyn.generate,
        ("robot", "functions", "out", "target", "layout", "dtype", "steppers", "solvers"),
        {"robot": arm, "functions": ["gravity"], "out": "made"},
    ),
    "compile": (symdyn.compile, ("robot", "functions", "target"), {"robot": arm, "functions": ["gravity"]}),
    "trace": (symdyn.api.trace, ("robot", "name"), {"robot": arm, "name": "elbow"}),
    "verify": (symdyn.api.verify, ("folder",), {}),
    "states of verify": (symdyn.api.verify, ("states", "seed", "progress"), {"folder": "nowhere"}),
    "compare": (symdyn.api.compare, ("robot", "function"), {"robot": arm, "function": "gravity"}),
    "simulate": (
        no_motion,
        ("t", "inputs", "method", "drive", "hold", "prescribed", "events"),
        {},
    ),
    "robot of simulate": (symdyn.simulate, ("robot", "progress"), {"robot": arm, "t": -1.0}),
    "inputs of simulate": (lambda u: no_motion(inputs=lambda t: u), ("u",), {}),
    "table of simulate": (lambda u: no_motion(inputs=([0.0, 2.0], u)), ("u",), {}),
    "motion of simulate": (lambda x: no_motion(prescribed={"elbow": lambda t: x}), ("x",), {}),
    "equilibrium": (symdyn.equilibrium, ("robot",), {}),
    "load of equilibrium": (
        symdyn.equilibrium,
        ("u", "q0", "steps", "inputs", "external_wrenches", "f_ext", "p"),
        {"robot": arm, "prescribed": ["nobody"]},
    ),
    "path": (symdyn.statics.path, ("robot",), {"u": [0.0, 0.0]}),
    "inverse_statics": (symdyn.statics.inverse_statics, ("robot",), {"q": Z}),
    "Trajectory.load": (symdyn.Trajectory.load, ("path", "robot"), {"path": "nowhere.npz"}),
    "options of load": (
        lambda **given: symdyn.load_example(ARM, **given),
        ("folders", "xacro_args", "joint_stops", "package_paths", "ignore", "contacts"),
        {},
    ),
    "options of compile": (
        lambda **given: symdyn.compile(arm(), ["gravity"], **given),
        ("lanes", "rollout", "name", "hessian", "check", "effort", "problem", "cpu", "frames", "tasks", "step"),
        {"target": "python"},
    ),
    "rollout": (
        symdyn.rollout,
        ("robot", "q", "v", "u", "h", "method", "p", "inputs", "target"),
        {"robot": arm, "q": Z, "v": Z, "u": np.zeros((2, 2)), "h": 0.01, "target": "python"},
    ),
    "contact_step": (
        symdyn.contact_step,
        ("robot", "q", "v", "tau", "h", "guess", "p", "effort"),
        {"robot": arm, "q": Z, "v": Z, "h": 0.01},
    ),
    "modes": (symdyn.modes, ("robot", "q", "u", "hold", "inputs", "p"), {"robot": arm}),
    "contacts of equilibrium": (symdyn.equilibrium, ("target", "contacts"), {"robot": arm, "target": "python"}),
    "identify": (
        symdyn.identify,
        ("joints", "deviations", "consistent", "prior", "prior_weight", "p", "lowpass", "rate"),
        {"robot": arm, "q": STILL, "v": STILL, "a": STILL, "tau": STILL, "deviations": [-1.0, 1.0]},
    ),
    "excitation": (
        symdyn.excitation,
        ("joints", "lower", "upper", "velocity", "acceleration", "deviations", "p", "effort", "starts", "harmonics"),
        {"robot": arm, "steps": -1},
    ),
    "inverse_kinematics": (
        symdyn.inverse_kinematics,
        ("robot", "goals", "q0", "weights", "limits", "tolerance", "max_iterations", "seed", "p", "target"),
        {"robot": arm, "goals": {"tip:position": Z3}, "target": "python", "max_iterations": 1, "q0": Z},
    ),
    "differential_ik": (
        symdyn.differential_ik,
        ("robot", "goals", "q", "h", "v_0", "weights", "damping", "limits", "p", "target"),
        {"robot": arm, "goals": {"tip:position": Z3}, "q": Z, "h": 0.01, "target": "python"},
    ),
    "soft_inverse_kinematics": (symdyn.soft_inverse_kinematics, ("goals", "u0"), {"robot": arm, "goals": {"tip": Z}}),
    "optimal_control": (
        symdyn.optimal_control,
        ("robot", "problem", "q", "v", "targets", "u", "iterations", "p", "target"),
        {"robot": arm_with_problem, "target": "python", "iterations": 1},
    ),
    "export_ocp": (symdyn.export_ocp, ("problem", "to", "out", "u"), {"robot": arm_with_problem, "targets": Z}),
    "export_fmu": (symdyn.export_fmu, ("robot", "out", "stepper", "binary"), {"robot": arm, "weights": "x"}),
    "load_problem": (symdyn.load_problem, ("path",), {}),
    "play": (symdyn.play, ("path",), {"robot": arm}),
    "start of play": (
        symdyn.play,
        ("q", "v", "method", "step"),
        {"robot": arm, "path": "x.html", "mesh_folders": [""]},
    ),
    "orders of compare": (symdyn.api.compare, ("orders", "budget_s"), {"robot": arm, "function": "x"}),
    "open": (symdyn.open, ("folder", "trust", "check"), {"folder": "nowhere"}),
    "frame": (lambda name: arm().frame(name), ("name",), {}),
    "state": (lambda **given: arm().state(**given), ("q", "v"), {}),
    "to_yaml": (lambda looks: arm().to_yaml(looks), ("looks",), {}),
    "a function": (lambda **given: module().inverse_dynamics(**given), ("q", "v", "a"), {"q": Z, "v": Z, "a": Z}),
    "signature": (lambda name: module().signature(name), ("name",), {}),
    "set_threads": (lambda count: module().set_threads(count), ("count",), {}),
}


def with_robot(good: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with the robots that they name by functions."""
    return {key: value() if key == "robot" else value for key, value in good.items()}


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("call", CALLS)
def test_what_cannot_be_taken_is_refused_in_words(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made").mkdir()
    function, names, good = CALLS[call]
    good = with_robot(good)
    refused = 0
    for name in names:
        for what, wrong in WRONG.items():
            try:
                function(**{**good, name: wrong})
            except SymdynError as failure:
                assert not isinstance(failure, InternalError), (name, what, failure)
                words = ("folder", "installed")  # where what a call needs is not, as its arguments are looked at later
                assert isinstance(failure, ValueError) or any(map(str(failure).__contains__, words)), (name, what)
                refused += 1
            except Exception as failure:
                pytest.fail(f"{call}({name}={what}): {type(failure).__name__}: {failure}")
    assert refused >= 8 * len(names)


FLAGS = (
    ("options of loads", "floating_base"),
    ("options of loads", "joint_losses"),
    ("options of loads", "strict"),
    ("options of loads", "repair"),
    ("options of load", "joint_stops"),
    ("options of compile", "lanes"),
    ("options of compile", "hessian"),
    ("options of compile", "check"),
    ("open", "trust"),
    ("open", "check"),
    ("states of verify", "trust"),
    ("contacts of equilibrium", "contacts"),
    ("identify", "consistent"),
    ("inverse_kinematics", "limits"),
    ("differential_ik", "limits"),
    ("export_fmu", "binary"),
    ("to_yaml", "looks"),
)


@pytest.mark.parametrize(("call", "flag"), FLAGS)
def test_a_flag_is_true_or_false(call: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    function, _, good = CALLS[call]
    good = with_robot(good)
    for wrong in ("a", "", "False", 2, -1, 0.5, [], [True], np.zeros(2), np.array([True]), {"x": 1}, b"x", 1j):
        with pytest.raises(SymdynError, match=f"^(<text>: )?{flag} is True( or |, )False") as refusal:
            function(**{**good, flag: wrong})
        assert f"got {wrong!r}" in str(refusal.value)


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize(
    ("call", "guess"),
    [
        (lambda: symdyn.load_example("pendulm"), "'pendulum'"),
        (lambda: symdyn.load_example(ARM, gravty=(0, 0, -1)), "'gravity'"),
        (lambda: symdyn.loads(TEXT, "udrf"), "'urdf'"),
        (lambda: symdyn.loads(TEXT, "urdf", gravty=(0, 0, -1)), "'gravity'"),
        (lambda: symdyn.loads(TEXT, "urdf", convention="pinochio"), "'pinocchio'"),
        (lambda: symdyn.compile(arm(), ["gravty"]), "'gravity'"),
        (lambda: symdyn.compile(arm(), ["gravity"], ordr=1), "'order'"),
        (lambda: symdyn.compile(arm(), ["gravity"], layout="rolld"), "'rolled'"),
        (lambda: symdyn.compile(arm(), ["gravity"], dtype="float63"), "'float64'"),
        (lambda: symdyn.compile(arm(), ["gravity"], target="pyton"), "'python'"),
        (lambda: symdyn.generate(arm(), ["gravity"], out="x", steppers=["dop835"]), "'dop853'"),
        (lambda: symdyn.generate(arm(), ["gravity"], out="x", solvers=["static"]), "'statics'"),
        (lambda: symdyn.compile(arm(), ["gravity"], external_wrenches="wrld"), "'world'"),
        (lambda: symdyn.compile(arm(), ["hybrid_dynamics"], prescribed=["elbw"]), "'elbow'"),
        (lambda: module().invers_dynamics, "'inverse_dynamics'"),
        (lambda: linkage().close(linkage().neutral(), hold=["elbw"]), "'elbow'"),
        (lambda: no_motion(method="dop835"), "'dop853'"),
        (lambda: no_motion(drive="force"), "'forces'"),
        (lambda: no_motion(hold="zeros"), "'zero'"),
        (lambda: symdyn.equilibrium(arm(), {"elbw": 1.0}), "'elbow'"),
        (lambda: symdyn.equilibrium(arm(), inputs="force"), "'forces'"),
        (lambda: symdyn.api.trace(arm(), "elbw"), "'elbow'"),
    ],
)
def test_misspelt_words_are_guessed(call: Call, guess: str) -> None:
    with pytest.raises(SymdynError, match="did you mean") as refusal:
        call()
    assert f"did you mean {guess}?" in str(refusal.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: symdyn.optimal_control(arm_with_problem(), targets=[0.1], target="python"), "is given no targets"),
        (lambda: symdyn.play(arm(), "no_such_folder/x.html"), "the folder of 'no_such_folder.x.html' does not exist"),
        (lambda: symdyn.inverse_kinematics(arm(), {"tip:position": Z3}, p=[1.0], target="python"), "p of robot"),
        (lambda: symdyn.excitation(arm(), deviations=[1.0, -1.0]), "deviations of robot .* above 0 per row of v"),
    ],
)
def test_what_has_no_meaning_is_refused(call: Call, words: str) -> None:
    with pytest.raises(SymdynError, match=words):
        call()
