"""Closed loops: what constrained dynamics cost, beside the tree, CasADi's C of a dense KKT, and Pinocchio in C++.

usage: python benchmarks/closed_loops.py [section ...]

calls     a planar five-bar, and a quadruped whose four feet are held to points of the world: time per call, operations,
          bytes. All subjects of a robot take turns within five rounds: thread CPU time from inside C, on one core, the
          same flags. CasADi's is the C of peers/dense_kkt.py
partials  of the quadruped, beside Pinocchio's constraintDynamics and computeConstraintDynamicsDerivatives

Results are compared before times are printed. Pinocchio's settings are its own: no regularisation, one iteration. Its
lcaba, which is newer, needs mu > 0 and leaves an error that its iterations make smaller; both are printed.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers.looped import FOOT, five_bar, quadruped
from peers.measure import HEADER, Subject
from peers.missing import PeerMissingError
from peers.targets import LOOP_NANOSECONDS, LOOP_RATIOS
from peers.timed_codes import Contender, prepare, time_with_programs

import symdyn
from symdyn.analysis.compare.measurement import Code, generated_code
from symdyn.errors import SymdynWarning
from symdyn.generation import pipeline

Array = NDArray[np.float64]
ROUNDS = 5
STATES = 64
SWEEPS = (1, 3)
"""Iterations of lcaba."""
CONSTRAINED, FREE = "constrained_forward_dynamics", "forward_dynamics"
PARTIALS = "constrained_forward_dynamics_partials"
TOLERANCE = 1e-9
"""Of the largest result: M and S are inverted."""


def main() -> int:
    """Measure and print; fails where results differ, not where a bound is missed."""
    sections: dict[str, Callable[[], None]] = {"calls": calls, "partials": partials}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="section", help=f"among {', '.join(sections)}; default all")
    asked = parser.parse_args()
    unknown = [name for name in asked.sections if name not in sections]
    if unknown:
        parser.error(f"unknown section {unknown[0]}; choose among {', '.join(sections)}")
    warnings.simplefilter("ignore", SymdynWarning)
    print(f"{platform.machine()}; {HEADER}; load {os.getloadavg()[0]:.1f}")
    for name in asked.sections or sections:
        print(f"\n== {name}", flush=True)
        sections[name]()
    return 0


def calls() -> None:
    """Forward dynamics of both robots."""
    robot = five_bar()
    rng = np.random.default_rng(0)
    states = np.array([[*robot.random_state(rng)[0], *rng.uniform(-1.0, 1.0, 2 * robot.nv)] for _ in range(STATES)])
    tree, held = (_prepared(robot, function, states) for function in (FREE, CONSTRAINED))
    time_with_programs([tree, held], [], ROUNDS)
    for contender in (tree, held):
        print(f"five_bar: {_described(contender)}")
    print(LOOP_NANOSECONDS.verdict(held.nanoseconds, "constrained forward dynamics, ns: "))

    robot = quadruped()
    with tempfile.TemporaryDirectory() as made:
        peer, matched, why = _pinocchio(robot, CONSTRAINED, Path(made))
        states = _states(robot) if matched is None else matched.symdyn
        tree, held = (_prepared(robot, function, states) for function in (FREE, CONSTRAINED))
        rivals, missing = _casadi(robot, states)
        newer = [
            replace(subject, outputs=robot.nv, arguments=(*subject.arguments, str(sweeps)), runs=[])
            for subject in peer
            for sweeps in SWEEPS
        ]
        time_with_programs([tree, held, *rivals], [*peer, *newer], ROUNDS)
    for contender in (tree, held, *rivals):
        print(f"quadruped: {_described(contender)}")
    for rival in rivals:
        _agree("CasADi", rival.timed.outputs(), held.timed.outputs())
    print(LOOP_RATIOS["tree"].verdict(held.nanoseconds / tree.nanoseconds, "of its tree's: "))
    for rival in rivals:
        print(LOOP_RATIOS["CasADi"].verdict(held.nanoseconds / rival.nanoseconds, "of CasADi's dense KKT: "))
    for subject in peer:
        _agree("Pinocchio", _reordered(subject, matched, robot, 1), held.timed.outputs())
        print(f"Pinocchio C++: {subject.nanoseconds:.0f} ns")
        print(LOOP_RATIOS["Pinocchio"].verdict(held.nanoseconds / subject.nanoseconds, "of Pinocchio's: "))
    for subject in newer:
        assert subject.results is not None and matched is not None
        expected = held.timed.outputs()[:, : robot.nv]
        error = np.abs(subject.results[:, matched.tau_rows] - expected).max() / np.abs(expected).max()
        sweeps, ratio = subject.arguments[-1], held.nanoseconds / subject.nanoseconds
        print(
            f"Pinocchio lcaba, iterations {sweeps}: {subject.nanoseconds:.0f} ns, off by {error:.0e}; ours {ratio:.3g}"
        )
    for reason in (missing, why):
        print(reason, end="\n" if reason else "")


def partials() -> None:
    """Partial derivatives of the quadruped's."""
    robot = quadruped()
    with tempfile.TemporaryDirectory() as made:
        both, matched, why = _pinocchio(robot, PARTIALS, Path(made))
        alone, _, _ = _pinocchio(robot, CONSTRAINED, Path(made))
        states = _states(robot) if matched is None else matched.symdyn
        layouts = ("auto", "split-lanes")
        ours = [_prepared(robot, PARTIALS, states, layout) for layout in layouts]
        time_with_programs(ours, [*both, *alone], ROUNDS)
    for contender in ours:
        print(f"quadruped: {_described(contender)}")
    for whole, dynamics in zip(both, alone, strict=True):
        _agree("Pinocchio", _reordered(whole, matched, robot, 2), ours[0].timed.outputs())
        rest, own = whole.nanoseconds - dynamics.nanoseconds, min(each.nanoseconds for each in ours)
        print(f"Pinocchio C++: {dynamics.nanoseconds:.0f} ns, and with derivatives {whole.nanoseconds:.0f} ns")
        print(LOOP_RATIOS["partials"].verdict(own / rest, "of computeConstraintDynamicsDerivatives alone: "))
        print(f"of both, since ours solves too: {own / whole.nanoseconds:.3g}")
    print(why, end="\n" if why else "")


def _prepared(robot: symdyn.Robot, function: str, states: Array, layout: str = "auto") -> Contender:
    def make() -> Code:
        return generated_code(pipeline.sources(robot, [function], layout=layout), function)

    return prepare(f"{function}, {layout}", make, states)


def _casadi(robot: symdyn.Robot, states: Array) -> tuple[list[Contender], str]:
    try:
        from peers.dense_kkt import dense_kkt_code
    except ImportError:
        return [], "CasADi: missing; install the extra 'compare'"
    return [prepare("CasADi C of a dense KKT", partial(dense_kkt_code, robot), states)], ""


def _pinocchio(robot: symdyn.Robot, function: str, folder: Path) -> tuple[list[Subject], Any, str]:
    """The peer with states that it shares with symdyn, or why there is none."""
    try:
        from peers.peer_programs import pinocchio_loops_program
        from peers.robots import model_of, model_text, random_states

        program = pinocchio_loops_program()
    except (ImportError, PeerMissingError) as failure:
        return [], None, f"Pinocchio: missing; {str(failure)[:100]}"
    model = model_of(robot.description)
    states, text = random_states(robot, model), model_text(model, ())
    feet = [loop.constraint.between[0].link for loop in robot.model.loops]
    joints = {joint.child: joint.name for joint in robot.description.joints}
    numbers = " ".join(map(repr, (*np.eye(3).ravel().tolist(), *FOOT)))
    path = folder / "held.txt"
    path.write_text(text + "".join(f"{model.getJointId(joints[foot])} {numbers}\n" for foot in feet))
    rows = 3 * len(feet)
    count = (model.nv + rows) * (3 * model.nv if function == PARTIALS else 1)
    arguments = (function, str(path), str(len(feet)))
    return [Subject("Pinocchio C++", program, states.pinocchio, model.nq, model.nv, count, arguments)], states, ""


def _reordered(subject: Subject, states: Any, robot: symdyn.Robot, axes: int) -> Array:
    """Pinocchio's results with rows of v in symdyn's order; ``axes`` is 2 where there are columns of v too."""
    assert subject.results is not None
    rows = len(robot.model.loop_row_names)
    found, start = [], 0
    for height in (robot.nv,) * (3 if axes == 2 else 1) + (rows,) * (3 if axes == 2 else 1):
        width = robot.nv if axes == 2 else 1
        part = subject.results[:, start : start + height * width].reshape(-1, height, width)
        part = part[:, states.tau_rows] if height == robot.nv else part
        found.append((part[:, :, states.tau_rows] if axes == 2 else part).reshape(len(part), -1))
        start += height * width
    return np.hstack(found)


def _agree(name: str, found: Array, expected: Array) -> None:
    error = np.abs(found - expected).max() / np.abs(expected).max()
    if not error < TOLERANCE:
        raise SystemExit(f"{name} differs by {error:.1e} of the largest result")


def _states(robot: symdyn.Robot) -> Array:
    rng = np.random.default_rng(0)
    return np.array([[*robot.random_state(rng)[0], *rng.uniform(-1.0, 1.0, 2 * robot.nv)] for _ in range(STATES)])


def _described(contender: Contender) -> str:
    least = statistics.median(contender.runs)
    return f"{contender.name}: {least:.0f} ns, {contender.operations} operations, {contender.timed.text_bytes} bytes"


if __name__ == "__main__":
    raise SystemExit(main())
