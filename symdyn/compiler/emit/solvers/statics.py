"""The search for a rest as C: Newton's method over the functions of statics, and load steps where it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS, Function
from symdyn.compiler.emit.solvers.solver import RobotSolver
from symdyn.compiler.emit.steppers.contents import call_of, closing_work, held_name, loop_rows_of
from symdyn.compiler.emit.steppers.coordinates import rate_lines
from symdyn.compiler.emit.steppers.loops import loops_context
from symdyn.compiler.emit.steppers.spelling import number, spelling
from symdyn.interface.signature import Argument
from symdyn.interface.solving import (
    SOFT_INVERSE_KINEMATICS,
    STATICS,
    STATICS_FUNCTIONS,
    given_to_statics,
)

TITLE = "a position at rest near a given one."
_LIMITS = {
    "double": {
        "small": 1e-9,
        "rounding": 1e-16,
        "rate": 0.3,
        "near": 0.5,
        "left": 1e-7,
        "closed": 1e-9,
        "dependent": 1e-12,
        "nothing": 1e-14,
        "least": 1e-4,
    },
    "float": {
        "small": 1e-4,
        "rounding": 1e-8,
        "rate": 0.3,
        "near": 0.5,
        "left": 1e-3,
        "closed": 1e-5,
        "dependent": 1e-5,
        "nothing": 1e-7,
        "least": 1e-3,
    },
}
"""Those of doubles are of ``symdyn.analysis.statics.newton``. A move of ``rounding``, relative to q or 1, changes
nothing; moves that fall slower than by ``rate`` get a new matrix."""
_ITERATIONS, _HALVINGS = 100, 12
_SOUGHT = {"q": "q", "lambda": "press"}


@dataclass(frozen=True, slots=True)
class StaticsSolver(RobotSolver):
    """The search of one robot."""

    kind = STATICS
    verb = "solve_"
    template = "c/SOLVE_STATICS.c.jinja"
    title = TITLE

    @property
    def called(self) -> tuple[Function, ...]:
        """What is left of the forces, and its slopes."""
        return tuple(map(self.function, STATICS_FUNCTIONS))

    @property
    def given(self) -> tuple[Argument, ...]:
        """Inputs that stay as they are."""
        return given_to_statics(self.called[0].signature)

    @property
    def driven(self) -> bool:
        """Whether inputs of actuators are given."""
        return any(item.name == "u" for item in self.given)

    @property
    def nq(self) -> int:
        """Rows of q."""
        return self.called[0].signature.input("q").size

    @property
    def nv(self) -> int:
        """Rows of v."""
        return self.called[0].signature.outputs[0].size

    @property
    def unknowns(self) -> int:
        """Moves, or forces of prescribed rows, and multipliers."""
        return self.nv + loop_rows_of(self.constraints)

    @property
    def press_at(self) -> int:
        """Where multipliers begin among what is looked for."""
        return self.nq + (self.nv if self.solving.prescribed else 0)

    @property
    def place(self) -> int:
        """Scalars of what is looked for: q, forces where rows are prescribed, multipliers."""
        return self.press_at + loop_rows_of(self.constraints)

    @property
    def work_size(self) -> int:
        """Scalars of workspace: three places, what is left at the start, those of a search, and of functions."""
        n, (residual, slopes) = self.unknowns, self.called
        outputs = sum(item.size for item in slopes.signature.outputs)
        rest = [residual.program.work_size, outputs + slopes.program.work_size, self.nv]
        search = 2 * self.place + 9 * n + n * n + max(rest)
        closing = closing_work(self.constraints, self.nq, self.nv) if self.constraints else 0
        return 2 * self.place + n + max(search, closing)

    @property
    def inputs(self) -> int:
        """The number of inputs by which slopes of rests are wanted; 0 where nobody calls them."""
        if SOFT_INVERSE_KINEMATICS not in self.solving.solvers:
            return 0
        return next((item.size for item in self.given if item.name == "u"), 0)

    @property
    def parameters(self) -> list[str]:
        """Those of the C function, on lines."""
        return _parameters(self)

    @property
    def slopes_parameters(self) -> list[str]:
        """Those of the function of slopes of rests by inputs, on lines."""
        scalar = SCALARS[self.contents.dtype]
        names = ["q", *map(held_name, self.given), *(["lambda"] if self.constraints else [])]
        texts = [*(f"const {scalar} *{name}" for name in names), f"{scalar} *D", f"{scalar} *work"]
        return wrap_items(texts, WIDTH - 4)

    @property
    def slopes_declared(self) -> dict[str, Any]:
        """The function of slopes of rests by inputs in the header, without its result."""
        loops = loop_rows_of(self.constraints)
        return {
            "name": f"{self.c_name}_slopes",
            "title": "how a rest changes with inputs of actuators.",
            "documentation": [
                "K D = B with the derivatives K of forces at rest and the actuation matrix B, loops closed.",
                f"in  q[{self.nq}]: the rest",
                *(f"in  {held_name(item)}[{item.size}]: see {self.c_name}" for item in self.given),
                *([f"in  lambda[{loops}]: multipliers of the loops there"] if loops else []),
                f"out D[{self.nv}, {self.inputs}]: moves of q along rows of v by inputs",
                f"work[{self.work_size}]: scratch, contents undefined before and after",
            ],
            "parameters": self.slopes_parameters,
        }

    @property
    def documentation(self) -> list[str]:
        """Lines of the comment in the header."""
        return _documentation(self)

    def context(self, codes: dict[str, Any]) -> dict[str, Any]:
        """What the template needs."""
        return _context(self, codes)


def _parameters(solver: StaticsSolver) -> list[str]:
    scalar = SCALARS[solver.contents.dtype]
    outputs = [
        "q_rest",
        *(["forces"] if solver.solving.prescribed else []),
        *(["lambda"] if solver.constraints else []),
    ]
    texts = [f"const {scalar} *{name}" for name in ("q", *map(held_name, solver.given))]
    texts += ["size_t max_iterations", *(f"{scalar} *{name}" for name in outputs), "size_t *counts", f"{scalar} *work"]
    return wrap_items(texts, WIDTH - 4)


def _documentation(solver: StaticsSolver) -> list[str]:
    residual, nq, nv = solver.called[0], solver.nq, solver.nv
    called = ", ".join(function.c_name for function in (*solver.called, *solver.constraints))
    lines = [
        "Newton's method with steps that are halved until what is left gets less, and load steps where it fails.",
        "A dense LU in the workspace; its factors are kept while moves fall fast.",
        f"It calls {called}.",
        f"in  q[{nq}]: where the search starts; quaternions are brought to length 1" + _and_loops(solver),
        *(f"in  {held_name(item)}[{item.size}]: see {residual.c_name}" for item in solver.given),
        "in  max_iterations: of Newton's method, in all; 1000 leave room for load steps",
        f"out q_rest[{nq}]: the position at rest",
    ]
    if solver.solving.prescribed:
        lines.append(f"out forces[{nv}]: generalised forces that hold the prescribed rows; 0 in others")
    if solver.constraints:
        lines.append(f"out lambda[{loop_rows_of(solver.constraints)}]: multipliers of the loops")
    return [
        *lines,
        "out counts[3]: iterations, Jacobians, shares of the load at which a rest was found, 1 without load steps",
        f"work[{solver.work_size}]: scratch, contents undefined before and after",
    ]


def _context(solver: StaticsSolver, codes: dict[str, Any]) -> dict[str, Any]:
    scalar, prescribed = SCALARS[solver.contents.dtype], solver.solving.prescribed
    spell, (residual, slopes) = spelling(scalar), solver.called
    own = _SOUGHT | ({"tau": "force"} if prescribed else {})
    looped = bool(solver.constraints)
    left = ["left", f"left + {solver.nv}"] if looped else ["left"]
    places, at = [], 0
    for item in slopes.signature.outputs:
        places.append(f"rest + {at}" if at else "rest")
        at += item.size
    return {
        **solver.head,
        **codes,
        **solver.searching(solver.nq, solver.given, settles=True),
        "nq": solver.nq,
        "nv": solver.nv,
        "unknowns": solver.unknowns,
        "place": solver.place,
        "press_at": solver.press_at,
        "driven": solver.driven,
        "prescribed": prescribed,
        "free": wrap_items(["false" if row in prescribed else "true" for row in range(solver.nv)], WIDTH - 2),
        "rates": rate_lines(solver.solving.rows, scalar, spell),
        "loops": loops_context(solver.constraints, scalar, False, prescribed) if looped else None,
        "residual": call_of(residual, left, "rest", own),
        "slopes": call_of(slopes, places, f"rest + {at}", own),
        "growth": number(1.5, scalar),
        "limits": {
            **{name: number(value, scalar) for name, value in _LIMITS[scalar].items()},
            "iterations": _ITERATIONS,
            "halvings": _HALVINGS,
        },
        "parameters": solver.parameters,
        "slopes_parameters": solver.slopes_parameters,
        "inputs": {"count": solver.inputs, "at": at - solver.nv * solver.inputs} if solver.inputs else None,
    }


def _and_loops(solver: StaticsSolver) -> str:
    return " and loops closed first" if solver.constraints else " first"
