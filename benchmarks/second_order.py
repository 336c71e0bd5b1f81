"""Second-order functions beside CasADi's derivatives of the same recursions: operations, code and time per call.

usage: python benchmarks/second_order.py [--robot NAME] [--functions NAME ...] [--layouts NAME ...] [--orders N ...]
       python benchmarks/second_order.py --large [NAME ...]
       python benchmarks/second_order.py --tensors [NAME ...]

Subjects take turns within one run: thread CPU time per call from inside C, one core, the same compiler flags. Weighted
functions are of a robot whose velocities are the rates of its coordinates, partials of time derivatives of any. With
``--large`` it tells how long the weighted Hessian of forward dynamics of large robots takes to make and to compile.
With ``--tensors`` the rival is Pinocchio's ComputeRNEASecondOrderDerivatives in C++, which has all four tensors: one
weighted Hessian is a contraction of them, and as many as the robot has rows of v are all that they hold.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers.timed_codes import (
    ROUNDS,
    STATES,
    Contender,
    prepare,
    time_derivatives_task,
    time_in_turn,
    time_with_programs,
)

import symdyn
from symdyn.analysis.compare.casadi_rivals import by_coordinates_code, rate_partials_code, weighted_code
from symdyn.analysis.compare.contestants import symdyn_code
from symdyn.analysis.compare.measurement import Code, generated_code
from symdyn.analysis.compare.task import DYNAMICS, Task, find_subject
from symdyn.generation import pipeline
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.flags import function_flags
from symdyn.toolchain.run_commands import Command, run_commands
from symdyn.tracing.layout import LAYOUTS

WEIGHTED = ("inverse_dynamics_adjoint", "inverse_dynamics_weighted_hessian", "forward_dynamics_weighted_hessian")
TARGETS = {"forward_dynamics_weighted_hessian": 0.25}
"""The largest shares of CasADi's time that are asked for, of seven_dof_arm."""
RATES = "inverse_dynamics_time_derivatives_partials"
RATE_TARGETS = {2: 0.4}
"""The same by order, of aerial_manipulator, which has seven bodies."""
RIVAL = "CasADi"
TOLERANCE = 1e-10
"""Of the largest second derivative, between ours and Pinocchio's: sums of some hundred products."""
LARGE = "forward_dynamics_weighted_hessian"
LARGE_S, PATIENCE_S = 60, 300
"""Seconds in which a large robot's is to be made and compiled, and after which a compiler is stopped."""


def main() -> int:
    """Measure and print; fails where results differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robot", default="seven_dof_arm")
    parser.add_argument("--functions", nargs="*", choices=WEIGHTED, default=WEIGHTED, metavar="NAME")
    parser.add_argument("--orders", nargs="*", type=int, default=[0, 1, 2], metavar="N", help="of partials of rates")
    parser.add_argument("--rates-robot", default="aerial_manipulator")
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=["auto"], metavar="NAME")
    parser.add_argument("--large", nargs="*", metavar="NAME", help="robots of example-robot-data (talos_reduced)")
    parser.add_argument("--tensors", nargs="*", metavar="NAME", help="robots of revolute joints (ur5 panda7)")
    asked = parser.parse_args()
    if asked.tensors is not None:
        for name in asked.tensors or ["ur5", "panda7"]:
            of_tensors(name)
        return 0
    if asked.large is not None:
        for name in asked.large or ["talos_reduced"]:
            of_large(name)
        return 0
    robot = _robot(asked.robot)
    for function in asked.functions:
        rng = np.random.default_rng(0)
        q = np.array([robot.random_state(rng)[0] for _ in range(STATES)])
        states = np.hstack([q, rng.uniform(-1.0, 1.0, (STATES, 3 * robot.nv))])
        task = Task(robot, find_subject(function, with_orders=False), 0, states)
        ours = [prepare(layout, partial(symdyn_code, task, layout), states) for layout in asked.layouts]
        rival = prepare(RIVAL, partial(weighted_code, task), states)
        report(f"{function} of {robot.name}", ours, rival, TARGETS.get(function))
    for order in asked.orders:
        of_rates(symdyn.load_example(asked.rates_robot), order, asked.layouts)
    return 0


def _robot(name: str) -> symdyn.Robot:
    """A shipped example, or a robot of example-robot-data, such as panda7."""
    if name in symdyn.examples():
        return symdyn.load_example(name)
    from peers.robots import ROBOTS, symdyn_robot

    return symdyn_robot(ROBOTS[name])


def of_rates(robot: symdyn.Robot, order: int, layouts: Sequence[str]) -> None:
    """Partials of time derivatives beside CasADi's Jacobian of the jtimes chain."""
    task = time_derivatives_task(robot, DYNAMICS[0], order)
    ours = [prepare(layout, partial(_ours, robot, RATES, layout, order=order), task.states) for layout in layouts]
    rival = prepare(RIVAL, partial(rate_partials_code, task), task.states)
    report(f"{RATES}, r = {order}, of {robot.name}", ours, rival, RATE_TARGETS.get(order))


def of_large(name: str) -> None:
    """Seconds of the wall clock to make and compile the weighted Hessian of a large robot's forward dynamics."""
    from peers.robots import ROBOTS, symdyn_robot

    robot = symdyn_robot(ROBOTS[name])
    task = Task(robot, find_subject(LARGE, with_orders=False), 0, np.empty((0, robot.nq + 3 * robot.nv)))
    print(f"{LARGE} of {name}, {robot.nv} rows of v; asked for: within {LARGE_S} s, where {RIVAL}'s does not compile")
    subjects: tuple[tuple[str, Callable[[], Code]], ...] = (
        ("auto", lambda: symdyn_code(task)),
        (RIVAL, lambda: by_coordinates_code(task)),
    )
    for subject, make in subjects:
        begin = time.perf_counter()
        code = make()
        made = time.perf_counter() - begin
        print(
            f"  {subject:16}{code.operations:8} operations{_text_bytes(code) / 1e6:8.1f} MB of C{made:7.1f} s to make, "
            f"{_compiled(code)}",
            flush=True,
        )


def of_tensors(name: str) -> None:
    """One weighted Hessian beside all of Pinocchio's tensors, of which it must be the contraction."""
    from peers.measure import Subject
    from peers.peer_programs import pinocchio_second_order_program
    from peers.robots import ROBOTS, model_text, pinocchio_model, random_states, symdyn_robot

    robot, model = symdyn_robot(ROBOTS[name]), pinocchio_model(ROBOTS[name])
    states, n = random_states(robot, model), robot.nv
    weights = np.random.default_rng(0).uniform(-1.0, 1.0, (len(states.symdyn), n))
    task = Task(robot, find_subject(WEIGHTED[1], with_orders=False), 0, np.hstack([states.symdyn, weights]))
    own = prepare("auto", partial(symdyn_code, task), task.states)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "model.txt")
        path.write_text(model_text(model, ()))
        program = pinocchio_second_order_program()
        rival = Subject("Pinocchio C++", program, states.pinocchio, n, n, 4 * n**3, (str(path),))
        time_with_programs([own], [rival], ROUNDS)
    assert rival.results is not None
    # by tensor, page, column, row: moves of q are columns of d2tau_dqdv, in spite of its header, pages of d2tau_dadq
    tensors = rival.results.reshape(-1, 4, n, n, n)[:, :, states.tau_rows][:, :, :, states.tau_rows]
    found = np.einsum("stpcr,sr->stpc", tensors[..., states.tau_rows], weights)
    found[:, 2] = found[:, 2].transpose(0, 2, 1)
    hessians = own.timed.outputs().reshape(-1, 4, n, n)
    error = np.abs(found[:, [0, 2, 1, 3]] - hessians).max() / np.abs(hessians).max()
    if not error < TOLERANCE:
        raise SystemExit(f"{rival.name} differs by {error:.1e} of the largest result")
    print(
        f"{WEIGHTED[1]} of {name}: {own.nanoseconds:.0f} ns, {own.operations} operations; {rival.name}, all tensors: "
        f"{rival.nanoseconds:.0f} ns; ours {own.nanoseconds / rival.nanoseconds:.3g} of it, one per row "
        f"{n * own.nanoseconds / rival.nanoseconds:.3g}; least of the rounds {own.undisturbed:.0f} and "
        f"{min(rival.runs):.0f} ns; largest difference {error:.0e}"
    )


def _text_bytes(code: Code) -> int:
    return sum(len(source.text) for source in code.sources if source.path.endswith(".c"))


def _compiled(code: Code) -> str:
    """What became of compiling the functions, with the flags of a generated module."""
    compiler = find_compiler()
    flags = function_flags(compiler, text_bytes=_text_bytes(code), exported=True, foreign=not code.standard)
    with tempfile.TemporaryDirectory() as place:
        for source in code.sources:
            path = Path(place, source.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source.text)
        begin = time.perf_counter()
        for source in code.sources:
            if source.path.endswith(".c"):
                command = Command((*compiler.command, *flags, "-c", source.path, "-o", "code.o"), Path(place))
                [outcome] = run_commands([command], timeout=PATIENCE_S, workers=1)
                if outcome.code is None:
                    return f"stopped after {PATIENCE_S} s of compiling"
                if outcome.code:
                    told = outcome.output.strip().splitlines()[0][:80]
                    return f"the compiler fails after {time.perf_counter() - begin:.0f} s: {told}"
        return f"{time.perf_counter() - begin:.1f} s to compile"


def report(title: str, ours: Sequence[Contender], rival: Contender, target: float | None) -> None:
    """Time all in turn and print what they take, as shares of the rival's."""
    time_in_turn([*ours, rival])
    print(title + (f"; asked for: at most {target} of {rival.name}'s time" if target else ""))
    for own in (*ours, rival):
        print(
            f"  {own.name:16}{own.operations:8} operations{own.timed.text_bytes / 1e3:8.1f} kB"
            f"{own.generation_s:7.1f} s to make{own.compile_s:7.1f} s to compile{own.nanoseconds:10.0f} ns, "
            f"{own.operations / rival.operations:.2f} of operations, {own.nanoseconds / rival.nanoseconds:.2f} of time",
            flush=True,
        )


def _ours(robot: symdyn.Robot, function: str, layout: str, **options: Any) -> Code:
    return generated_code(pipeline.sources(robot, [function], layout=layout, **options), function)


if __name__ == "__main__":
    raise SystemExit(main())
