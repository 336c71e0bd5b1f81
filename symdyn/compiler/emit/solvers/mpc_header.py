"""What the header says of an optimal-control solver: its types and functions."""

from __future__ import annotations

from typing import Any, Protocol

from symdyn.compiler.emit.arguments import WIDTH, argument_lines, wrap_items
from symdyn.compiler.emit.contents import Function
from symdyn.compiler.emit.solvers.solver import code_lines
from symdyn.compiler.emit.steppers.contents import held_name
from symdyn.interface.optimal_control import ControlCode, ControlSettings
from symdyn.interface.signature import Argument

_MEANINGS = {
    ControlCode.DONE: "converged, or a sample whose quadratic program is solved",
    ControlCode.ITERATIONS: "the bound on iterations was reached; the plan is usable",
    ControlCode.QP_ITERATIONS: "that of the quadratic program was reached; the plan is usable",
    ControlCode.REGULARISATION: "no regularisation makes the quadratic program convex",
    ControlCode.LINE_SEARCH: "no step lowers the merit function",
    ControlCode.STEP_FAILED: "the step of a node has no finite result",
    ControlCode.NOT_FINITE: "an infinity or NaN was given, or a cost is one",
}


class Described(Protocol):
    """A solver as the header needs it."""

    @property
    def c_name(self) -> str:
        """Stem of its functions."""

    @property
    def settings(self) -> ControlSettings:
        """The problem."""

    @property
    def called(self) -> tuple[Function, ...]:
        """Functions that it calls."""

    @property
    def given(self) -> tuple[Argument, ...]:
        """What stays as it is during a call."""

    @property
    def nq(self) -> int:
        """Rows of q."""

    @property
    def nv(self) -> int:
        """Rows of v."""

    @property
    def driving(self) -> Argument:
        """The inputs."""

    @property
    def work_size(self) -> int:
        """Scalars of workspace."""


def parameters(own: Described, scalar: str) -> dict[str, list[str]]:
    """Those of its functions, on lines."""
    state = [f"const {scalar} *q", f"const {scalar} *v"]
    held = [f"const {scalar} *{held_name(item)}" for item in own.given]
    u, report, work = f"{scalar} *u", f"{own.c_name}_report *report", f"{scalar} *work"
    texts = {
        "start": [*state, f"const {u}", work],
        "solve": [*state, *held, "int iterations", u, report, work],
        "prepare": [*held, work],
        "feedback": [*state, u, f"{scalar} *K", report, work],
        "plan": [f"const {work}", f"{scalar} *X", f"{scalar} *U"],
        "gains": [f"const {work}", f"{scalar} *K"],
    }
    return {name: wrap_items(items, WIDTH - 4) for name, items in texts.items()}


def preamble(c_name: str) -> list[str]:
    """Types of the header."""
    return [
        *code_lines(c_name, _MEANINGS, "How a call ended. After codes above 2 the plan is the last good one."),
        "/** Of a call: iterations, those of quadratic programs in all, the node of a failure or -1. Before the",
        " * last step the cost, and the sum of gaps and of violations of hard limits of states; decrease is the",
        " * change of the cost that the quadratic model expects of it. */",
        "typedef struct {",
        "  int code, iterations, qp_iterations, node;",
        "  double cost, gap, decrease;",
        f"}} {c_name}_report;",
    ]


def declared(own: Described, scalar: str) -> list[dict[str, Any]]:
    """Its functions in the header."""
    texts, told = parameters(own, scalar), _documentation(own)
    results = {"solve": "int", "prepare": "int", "feedback": "int"}
    return [
        {
            "name": f"{own.c_name}_{name}",
            "result": results.get(name, "void"),
            "parameters": texts[name],
            "title": told[name][0],
            "documentation": told[name][1:],
        }
        for name in texts
    ]


def _documentation(own: Described) -> dict[str, list[str]]:
    nq, nv, nu, nodes = own.nq, own.nv, own.driving.size, own.settings.nodes
    state = [f"in  q[{nq}], v[{nv}]: the state"]
    held = [line for item in own.given for line in argument_lines(item, "in", held_name(item))]
    work = [f"work[{own.work_size}]: the plan and scratch, kept from call to call"]
    first = f"out u[{nu}]: inputs of the first step, within their limits whatever happens"
    called = ", ".join(function.c_name for function in own.called)
    return {
        "start": [
            "a plan that stays at a state with constant inputs.",
            "Nothing else may be called before it.",
            *state,
            f"in  u[{nu}]: inputs, such as gravity's forces",
            *work,
        ],
        "solve": [
            "iterations from the plan until it converges.",
            "Multiple shooting, Gauss-Newton; the quadratic program of an iteration by an interior point.",
            f"{nodes} steps of {own.settings.step!r} s. It calls {called}.",
            *state,
            *held,
            "in  iterations: at most",
            first,
            "out report: how it ended, as its result is",
            *work,
        ],
        "prepare": [
            "shift the plan by a step and linearise about it, before the next state is measured.",
            *held,
            *work,
        ],
        "feedback": [
            "inputs for a measured state, after prepare: one quadratic program, and a search along its step.",
            *state,
            first,
            f"out K[{nu}][{2 * nv}]: gains of u on moves (dq, dv) of the state from the plan's first",
            "out report: how it ended, as its result is",
            *work,
        ],
        "plan": [
            "the plan.",
            f"out X[{nodes + 1}][{nq + nv}]: states (q, v)",
            f"out U[{nodes}][{nu}]: inputs",
        ],
        "gains": [
            "gains of the plan.",
            f"out K[{nodes}][{nu}][{2 * nv}]: of inputs on moves (dq, dv) of states from the plan",
        ],
    }
