"""Optimal control as C: multiple shooting with a bounded quadratic program per iteration, and samples in real time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.arguments import call_lines
from symdyn.compiler.emit.c.lanes_body import form_lanes, lane_count
from symdyn.compiler.emit.c.lanes_files import batch_work, lane_context
from symdyn.compiler.emit.contents import SCALARS, Function
from symdyn.compiler.emit.solvers.differences import COTANGENT, difference_lines
from symdyn.compiler.emit.solvers.mpc_header import declared, parameters, preamble
from symdyn.compiler.emit.solvers.mpc_places import cost_places, workspace
from symdyn.compiler.emit.solvers.solver import RobotSolver
from symdyn.compiler.emit.steppers.contents import call_of, held_name
from symdyn.compiler.emit.steppers.coordinates import normalise_lines
from symdyn.compiler.emit.steppers.moves import move_helpers, move_lines
from symdyn.compiler.emit.steppers.spelling import number, spelling
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.optimal_control import (
    BEFORE,
    CURVED,
    IN_LANES,
    MPC,
    NEWTON_STEPS,
    NUMBERS,
    QP_ITERATIONS,
    RESIDUAL,
    RESIDUAL_PARTIALS,
    STEP,
    STEP_MATRICES,
    STEP_PARTIALS,
    ControlCode,
    ControlSettings,
    ImplicitKind,
)
from symdyn.interface.signature import PARAMETERS, Argument, Signature

_OWN = {
    "q": "q",
    "v": "v",
    "tau": "u",
    "u": "u",
    "h": "h",
    "a_guess": "guess",
    "a": "a",
    WEIGHTS: "weights",
    BEFORE: "before",
}
"""What the solver calls the inputs that it makes itself."""


_IN_VECTORS = ("load", "store", "spread", "fma", "fnma")
"""What products of matrices do with vectors."""


@dataclass(frozen=True, slots=True)
class MpcSolver(RobotSolver):
    """The solver of one robot's problem."""

    kind = MPC
    template = "c/MPC.c.jinja"
    title = "plans within limits by multiple shooting, and samples of them in real time."

    @property
    def settings(self) -> ControlSettings:
        """The problem."""
        assert self.solving.control is not None
        return self.solving.control

    @property
    def called(self) -> tuple[Function, ...]:
        """Functions that it calls."""
        return tuple(map(self.function, self.settings.called))

    @property
    def given(self) -> tuple[Argument, ...]:
        """Inputs of those that stay as they are, such as targets."""
        found = {item.name: item for function in self.called for item in function.signature.inputs}
        return tuple(item for name, item in found.items() if name not in _OWN)

    @property
    def moving(self) -> Signature:
        """What moves the robot: its step, or the residual of one."""
        return self.called[0].signature

    @property
    def nq(self) -> int:
        """Rows of q."""
        return self.moving.input("q").size

    @property
    def nv(self) -> int:
        """Rows of v."""
        return self.moving.input("v").size

    @property
    def driving(self) -> Argument:
        """The inputs."""
        return next(item for item in self.moving.inputs if item.name in ("tau", "u"))

    @property
    def curved(self) -> tuple[Argument, ...]:
        """Second derivatives of a step."""
        name = self.settings.curvature
        return self.function(name).signature.outputs if name else ()

    @property
    def places(self) -> tuple[list[tuple[str, int]], int]:
        """Places in the workspace, and its size."""
        called = max(map(self._work_of, self.called))
        curved = self.curved
        stage = cost_places(self.function("stage_cost_derivatives").signature, curved)
        sizes = (self.nq, self.nv, self.driving.size)
        given = {f"given_{held_name(item)}": item.size for item in self.given}
        bend = sum(item.size for item in curved)
        return workspace(self.settings, sizes, stage["size"], given, called, bend)

    def _in_batch(self, function: Function) -> bool:
        return self.settings.lanes and function.name in IN_LANES

    def _work_of(self, function: Function) -> int:
        """Scalars of workspace and of unused results of a call, or of one for all nodes."""
        scalar, outputs = SCALARS[self.contents.dtype], sum(item.size for item in function.signature.outputs)
        if not self._in_batch(function):
            return function.program.work_size + outputs
        used = {STEP: outputs, "stage_cost": outputs}.get(function.name, 0)
        unused = (outputs - used) * self.settings.nodes
        return batch_work(function, form_lanes(function.tree, scalar).work_size, scalar) + unused

    @property
    def work_size(self) -> int:
        """Scalars of workspace, which holds the plan between calls."""
        return self.places[1]

    @property
    def preamble(self) -> list[str]:
        """Types of the header."""
        return preamble(self.c_name)

    @property
    def declared(self) -> list[dict[str, Any]]:
        """Its functions in the header."""
        return declared(self, SCALARS[self.contents.dtype])

    def context(self, _: dict[str, Any]) -> dict[str, Any]:
        """What the template needs."""
        contents, settings, scalar = self.contents, self.settings, SCALARS[self.contents.dtype]
        numbers = NUMBERS[contents.dtype]
        places, size = self.places
        sides = settings.sides
        count = len(sides) * settings.nodes
        own, last = (self.function(f"{name}_cost_derivatives").signature for name in ("stage", "end"))
        stage, end, curved = cost_places(own, self.curved), cost_places(last), list(self._bent())
        held = [held_name(item) for item in self.given]
        theta, dense = settings.theta or 0.0, settings.theta is None
        tolerance = max(settings.tolerance, NUMBERS[contents.dtype].tolerance if scalar == "float" else 0.0)
        kept = 0.0 if dense else (1.0 - theta) * settings.step
        return {
            **self.head,
            **lane_context(frozenset(_IN_VECTORS), scalar, self._lanes(scalar)),
            **(self._turning(scalar) if dense else {}),
            "code": f"{self.c_name}_code",
            "report": f"{self.c_name}_report",
            "codes": {code.name.lower(): f"{self.c_name.upper()}_{code.name}" for code in ControlCode},
            "nodes": settings.nodes,
            "nq": self.nq,
            "nv": self.nv,
            "nu": self.driving.size,
            "dense": dense,
            "lanes": settings.lanes,
            "shared": [held_name(item) for item in self.given if item.name == PARAMETERS],
            **self._implicit(scalar),
            "step": number(settings.step, scalar),
            "move": "" if dense else number(theta * settings.step, scalar),
            "kept": number(kept, scalar) if kept else "",
            "held": held,
            "held_sizes": [(held_name(item), item.size) for item in self.given],
            "places": places,
            "at": dict(places),
            "work_size": size,
            "stage": stage,
            "end": end,
            "ends_alike": all(stage[own] == end[own] for own in ("l_q", "l_v", "l_qq", "l_qv", "l_vv")),
            "sides": [list(self._side(side, scalar)) for side in sides],
            "input_sides": len(settings.inputs),
            "rate_sides": len(settings.rates),
            "state_sides": len(settings.states),
            "open_sides": bool(settings.rates or settings.states),
            "kinds": [
                end for end, own in (("u", settings.inputs), ("r", settings.rates), ("x", settings.states)) if own
            ],
            "rated": settings.rated,
            "fixed": [(row, number(value, scalar)) for row, value in settings.fixed],
            "calls": self._calls(stage, end),
            "curved": [{**item, "to": stage[CURVED[item["name"]]]} for item in curved],
            "bend": sum(item["size"] for item in curved),
            "solved": "solve_curved(w, &held" if curved else "solve_program(w, w->memory[REGULARISATION]",
            "parameters": parameters(self, scalar),
            "globalise": settings.globalise,
            "numbers": {
                **{
                    name: number(getattr(numbers, name), scalar)
                    for name in (
                        "qp",
                        "sample",
                        "gap",
                        "rounding",
                        "closed",
                        "newton",
                        "rate",
                        "least",
                        "most",
                        "boundary",
                        "bent",
                    )
                },
                **{
                    name: number(getattr(numbers, name), scalar)
                    for name in ("armijo", "merit", "full", "even", "stalled", "strayed")
                },
                "tolerance": number(tolerance, "double"),
                "gap": number(numbers.gap, "double"),
                "cold": number(numbers.cold[1], scalar),
                "loose": number(numbers.loose, scalar),
                "share": number(numbers.exact / count if count else 0.0, scalar),
                "warm": number(numbers.warm[1], scalar),
                "restart": number(numbers.restart[1], scalar),
                "tenth": number(0.1, scalar),
                "rise": number(10.0, scalar),
                "follow": number(numbers.follow / count if count else 0.0, scalar),
                "mean": number(1.0 / count if count else 0.0, scalar),
                "damping": number(numbers.damping[0], scalar),
                "undamped": number(numbers.damping[1], scalar),
                "overdamped": number(numbers.damping[2], scalar),
                "allowed": number(numbers.gap, scalar),
                "short": numbers.short,
                "halvings": numbers.halvings,
                "newton_steps": NEWTON_STEPS,
                "qp_iterations": QP_ITERATIONS,
                "sample_iterations": settings.qp_iterations,
            },
        }

    def _lanes(self, scalar: str) -> int:
        """Lanes of vectors in products of matrices: no more than a row of them has."""
        most, columns = lane_count(scalar), 2 * self.nv
        return max(2, min(most, 1 << (columns.bit_length() - 1)))

    def _given_in_lanes(self, item: Argument) -> str:
        """What is given at run time: parameters once for all nodes, the rest for each."""
        name = held_name(item)
        return f"held->{name}" if item.name == PARAMETERS else f"w->lanes_given_{name}"

    def _bent(self) -> Iterator[dict[str, Any]]:
        """Second derivatives of a step by name, size, and where they begin."""
        at = 0
        for item in self.curved:
            yield {"name": item.name, "size": item.size, "at": at}
            at += item.size

    def _implicit(self, scalar: str) -> dict[str, Any]:
        """Numbers of implicit steps."""
        own, theta = self.settings, self.settings.method_theta
        whole = theta == 1.0
        return {
            "implicit": own.implicit.value if own.implicit else "",
            "per_step": number(1.0 / own.step, scalar),
            "part": number(theta * own.step, scalar),
            "shown_theta": "" if whole else f"{theta:g} ",
            "per_theta": "" if whole else f"{number(1.0 / theta, scalar)} * ",
            "rest_of_theta": number(1.0 - 1.0 / theta, scalar),
            "driven": self.driving.name == "u",
        }

    def _turning(self, scalar: str) -> dict[str, Any]:
        """How positions move, and what leads from one to another."""
        rows, spell = self.solving.rows, spelling(scalar)
        return {
            **move_helpers(rows, scalar),
            "atan2": "atan2" if scalar == "double" else "atan2f",
            "moves": move_lines(rows, scalar, spell),
            "normalise": normalise_lines(rows, scalar, spell),
            "differences": difference_lines(rows, scalar, spell),
            "cotangent": [number(term, scalar) for term in reversed(COTANGENT)],
        }

    def _side(self, side: Any, scalar: str) -> Iterator[str]:
        """Numbers of one side of a limit."""
        numbers = NUMBERS[self.contents.dtype]
        yield from (str(side.row), str(side.at))
        shares = [own[0] * side.span for own in (numbers.cold, numbers.warm, numbers.restart)]
        for own in (float(side.sign), side.bound, side.soft, *shares):
            yield number(own, scalar)

    def _calls(self, stage: dict[str, Any], end: dict[str, Any]) -> dict[str, list[str]]:
        """Calls of functions, on lines."""

        def called(name: str, outputs: list[str], scratch: int = 0) -> list[str]:
            rest = f"rest + {scratch}" if scratch else "rest"
            return call_of(self.function(name), outputs, rest, _OWN)

        def slopes(name: str, before: list[str]) -> list[str]:
            outputs = self.function(name).signature.outputs
            beside = outputs[len(before) + 2 :]
            made = "w->slopes" if self.settings.rated else "A"
            return called(name, [*before, made, "B", *("rest" for _ in beside)], sum(item.size for item in beside))

        def cost(name: str, own: dict[str, Any]) -> list[str]:
            return called(name, [f"c + {own[item.name]}" for item in self.function(name).signature.outputs])

        after = ["ahead", "ahead + NQ"]

        def batch(name: str, u: str, outputs: list[str], scratch: int = 0) -> list[str]:
            function, made = self.function(name), {"q": "w->lanes_q", "v": "w->lanes_v", "h": "w->lanes_h"}
            made |= {"tau": u, "u": u}
            given = [made.get(item.name) or self._given_in_lanes(item) for item in function.signature.inputs]
            return call_lines(f"{function.c_name}_batch", ["NODES", *given, *outputs, f"rest + {scratch}"], ";")

        def all_slopes(name: str, before: list[str]) -> list[str]:
            beside = self.function(name).signature.outputs[len(before) + 2 :]
            scratch = self.settings.nodes * sum(item.size for item in beside)
            return batch(name, "w->u", [*before, "w->A", "w->B", *("rest" for _ in beside)], scratch)

        costs = {
            "stage_cost": called("stage_cost", ["&l"]),
            "end_cost": called("end_cost", ["&l"]),
            "stage_slopes": cost("stage_cost_derivatives", stage),
            "end_slopes": cost("end_cost_derivatives", end),
        }
        if self.settings.curvature:
            costs["curvature"] = called(self.settings.curvature, [f"own + {item['at']}" for item in self._bent()])
        implicit = self.settings.implicit
        if implicit is ImplicitKind.RESIDUAL:
            outputs = self.function(RESIDUAL_PARTIALS).signature.outputs
            parts = {"R": "w->left", **{f"R_{x}": f"w->by_{x}" for x in "qvau"}}
            beside = [item for item in outputs if item.name not in parts]
            named = [parts.get(item.name, "rest") for item in outputs]
            partials = called(RESIDUAL_PARTIALS, named, sum(item.size for item in beside))
            return {**costs, "residual": called(RESIDUAL, ["left"]), "residual_slopes": partials}
        step = called(STEP, [*after, "a"] if implicit else after)
        dense, first = self.settings.theta is None, [] if implicit else step
        if self.settings.lanes:
            ends = ["w->lanes_q_next", "w->lanes_v_next"]
            costs["stage_costs"] = batch("stage_cost", "u", ["w->lanes_l"])
            costs["steps"] = batch(STEP, "u", ends)
            apart = dense and [*batch(STEP, "w->u", ends), *all_slopes(STEP_MATRICES, [])]
            costs["all_slopes"] = apart or all_slopes(STEP_PARTIALS, ends)
        return {
            **costs,
            "step": step,
            "slopes": [*first, *slopes(STEP_MATRICES, [])] if dense else slopes(STEP_PARTIALS, after),
        }
