"""Which layout a function gets: one line, pieces or loops, the latter two also with limbs in lanes, or the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from symdyn.compiler.passes.program.cut import in_pieces
from symdyn.compiler.passes.program.fuse import fused
from symdyn.compiler.tape.program import Program, lane_loops
from symdyn.compiler.tape.tape import Tape, operation_total
from symdyn.errors import RequestError
from symdyn.interface import cpus
from symdyn.interface.cpus import Cpu
from symdyn.interface.guesses import hint
from symdyn.interface.signature import Signature
from symdyn.interface.targets import IN_LANES, LAYOUTS, C, Target
from symdyn.plan.plan import Plan
from symdyn.tracing.cost import Cost, estimate, instructions
from symdyn.tracing.lanes.columns_in_lanes import columns_in_lanes
from symdyn.tracing.lanes.lanes_written_out import lanes_written_out
from symdyn.tracing.lanes.limbs_in_lanes import limbs_in_lanes
from symdyn.tracing.rolled.rolled import trace_rolled
from symdyn.tracing.split.series import runs_on_series
from symdyn.tracing.split.split import trace_split
from symdyn.tracing.unrolled.unrolled import program_of, trace_unrolled

UNROLLED_UP_TO = 3000
"""Operations up to which ``auto`` tries one straight line.

Compilers take time that grows faster than its length: forward dynamics' derivatives of a quadruped, 22000 operations,
take gcc 11 s in one line and 2 s in pieces.
"""

_LINE_UP_TO = 1200
"""Operations up to which a tape stays one straight line; a longer one is cut into pieces, which compile faster."""

PIECE_LENGTH = 1000
"""Operations of a piece of the split layout.

By length 500, 700, 1000 and 1400: forward dynamics of a quadruped 396, 394, 380, 374 ns; of a 38-DoF humanoid 1343,
1316, 1311, 1296; its inverse dynamics 676, 637, 627, 635. Pieces compile in a third of the time of one line.
"""

SPLIT_UP_TO, SPLIT_LANES_UP_TO = 15000, 30000
"""Instructions up to which ``auto`` writes pieces, without and with limbs in lanes; beyond it loops, whose size does
not grow with the robot."""

FEW_VISITS = 400
"""Visits of a plan up to which pieces are made first; loops, which take less time to make, first tell of larger ones
whether pieces are worth trying."""

_PIECES_OF_LOOPS, _RUNNING_OF_LOOPS, _CODE_OF_LOOPS = 0.75, 0.5, 0.8
"""Part of the operations of loops that pieces have at least, of their time, and of their code with each run of a kernel
written out.

Pieces know the zeros of single bodies, share what kernels have in common, and keep values in registers. Of 30 functions
in both they have 0.9 to 1.1, 0.5 to 0.9 and 0.8 to 1.1.
"""

_ALONE = {"split": 0.8, "rolled": 0.9}
"""Part of the time of lanes that run one after the other which the same layout without lanes takes at least: 0.83 and
0.92 of 13 functions."""

_LINE_OF_PIECES = 0.8
"""Part of the time of pieces that one line takes at least, of 26 functions."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A program, and why it has its layout."""

    program: Program
    reason: str


def trace(
    plan: Plan,
    signature: Signature,
    layout: str,
    optimise: Callable[[Program], Program],
    target: Target = C,
    cpu: Cpu = cpus.DEFAULT,
    dtype: str = "float64",
) -> Program:
    """A program in a layout; parameters are those of :func:`choose`."""
    return choose(plan, signature, layout, optimise, target, cpu, dtype).program


def choose(
    plan: Plan,
    signature: Signature,
    layout: str,
    optimise: Callable[[Program], Program],
    target: Target = C,
    cpu: Cpu = cpus.DEFAULT,
    dtype: str = "float64",
) -> Choice:
    """A program in a layout.

    Parameters
    ----------
    plan, signature
        What to compute, and its interface.
    layout
        One of LAYOUTS; ``auto`` makes as many of them as it takes to choose.
    optimise
        The pass pipeline.
    target
        The language. ``auto`` puts limbs in lanes, and visits have any, in those with vectors alone: others gain from
        neither. A target may have a rule of its own.
    cpu, dtype
        The processor and the numbers for which ``auto`` estimates what a call costs.

    Raises
    ------
    RequestError
        An unknown layout, or one that the target cannot be written in.
    """
    if layout not in target.layouts:
        fault = f"is not there for target '{target.name}'" if layout in LAYOUTS else "is unknown"
        raise RequestError(
            f"layout '{layout}' {fault}; choose one of {', '.join(target.layouts)}{hint(layout, target.layouts)}"
        )
    maker, lanes = _Maker(signature, optimise), target.vectors
    plan = plan if lanes else lanes_written_out(plan)
    if layout != "auto":
        if layout.endswith(IN_LANES):
            plan = limbs_in_lanes(plan) or (columns_in_lanes(plan) if layout == f"split{IN_LANES}" else None) or plan
        return Choice(maker.program(plan, layout), "asked for")
    if target.one_line_up_to is not None:
        return _line_or_loops(plan, maker, target.one_line_up_to)
    return _Search(plan, limbs_in_lanes(plan) if lanes else None, maker, cpu, dtype, lanes).choice()


def one_line(tape: Tape, signature: Signature, optimise: Callable[[Program], Program]) -> Program:
    """A program of a tape whose ports are arguments; a long one is cut into pieces."""
    program = optimise(program_of(tape, signature))
    if operation_total(program.counts()) <= _LINE_UP_TO:
        return program
    return in_pieces(replace(program, layout="split"), PIECE_LENGTH)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes optimised programs of one function."""

    signature: Signature
    optimise: Callable[[Program], Program]

    def program(self, plan: Plan, layout: str) -> Program:
        """A plan in a layout; whether it runs in lanes follows from the plan."""
        match layout.removesuffix(IN_LANES):
            case "unrolled":
                return self.optimise(trace_unrolled(plan, self.signature))
            case "rolled":
                return self.optimise(replace(trace_rolled(plan, self.signature), layout=layout))
        on_series = layout.endswith(IN_LANES) and runs_on_series(plan)
        lines = fused(trace_split(plan, self.signature, on_series))
        return in_pieces(self.optimise(replace(lines, layout=layout)), PIECE_LENGTH)


def _line_or_loops(plan: Plan, maker: _Maker, most: int) -> Choice:
    """Loops, or one line where they are short."""
    rolled = maker.program(plan, "rolled")
    operations = instructions(rolled)
    if operations > most:
        return Choice(rolled, f"{operations} operations in loops, above one_line_up_to {most} of the target")
    reason = f"{operations} operations in loops, up to one_line_up_to {most} of the target"
    return Choice(maker.program(plan, "unrolled"), reason)


class _Search:
    """Makes the layouts that may be the fastest, and takes the one whose estimated cost is least.

    What was made bounds what was not: loops do the work of pieces, without their misses of the instruction cache;
    pieces do part of the work of loops, with more code; and limbs one after the other do what lanes do, one at a time.
    """

    def __init__(self, plan: Plan, limbs: Plan | None, maker: _Maker, cpu: Cpu, dtype: str, vectors: bool) -> None:
        in_lanes = plan if limbs is None and vectors and runs_on_series(plan) else limbs
        self._plans = {"": plan} if in_lanes is None else {IN_LANES: in_lanes, "": plan}
        self._never = f"rolled{IN_LANES}" if limbs is None else ""  # series lie in lanes in pieces alone
        self._maker, self._cpu, self._dtype = maker, cpu, dtype
        self._made: dict[str, tuple[Program, Cost]] = {}
        self._least: dict[str, Cost] = {}
        self._left_out: dict[str, str] = {}

    def choice(self) -> Choice:
        """The best of what was tried, and why."""
        visits = sum(len(sweep.visits) for sweep in self._plans[""].sweeps)
        forms = ("rolled", "split") if visits > FEW_VISITS else ("split", "rolled")
        for lanes, plan in self._plans.items():
            for form in forms:
                if f"{form}{lanes}" != self._never:
                    self._try(form, lanes, plan)
        self._try_one_line(self._plans[""])
        best = min(reversed(self._allowed), key=self._ns)  # of equal ones the line, which comes last
        told = [f"{self._ns(best):.0f} ns are estimated on {self._cpu.name}"]
        told += [f"{layout} {self._ns(layout):.0f}" for layout in self._allowed if layout != best]
        told += [f"{layout} {why}" for layout, why in self._left_out.items()]
        return Choice(self._made[best][0], ", ".join(told))

    @property
    def _allowed(self) -> list[str]:
        return [layout for layout in self._made if layout not in self._left_out]

    def _ns(self, layout: str) -> float:
        return self._made[layout][1].nanoseconds

    def _make(self, layout: str, plan: Plan) -> Cost:
        program = self._maker.program(plan, layout)
        self._made[layout] = program, estimate(program, self._cpu, self._dtype)
        return self._made[layout][1]

    def _try(self, form: str, lanes: str, plan: Plan) -> None:
        layout = f"{form}{lanes}"
        limit = inf if form == "rolled" else SPLIT_LANES_UP_TO if lanes else SPLIT_UP_TO
        least = self._bound(form, lanes)
        if least is not None:
            self._least[layout] = least
        if least is not None and self._allowed and least.nanoseconds >= min(map(self._ns, self._allowed)):
            self._left_out[layout] = f"at least {least.nanoseconds:.0f}"
            return
        if least is None or least.operations <= limit:
            self._least[layout] = self._make(layout, plan)
        found = self._least[layout]
        if found.operations > limit:
            self._left_out[layout] = f"has {found.operations} operations, above {limit}"

    def _bound(self, form: str, lanes: str) -> Cost | None:
        """A cost that a layout has at least, by what was made before; None where nothing tells."""
        bounds = []
        other = f"{_OTHER[form]}{lanes}"
        if other in self._least:
            cost = self._least[other]
            if form == "rolled":
                bounds.append(cost.without_misses())
            else:
                bounds.append(cost.share(_PIECES_OF_LOOPS, _RUNNING_OF_LOOPS).written_out(_CODE_OF_LOOPS))
        if not lanes and f"{form}{IN_LANES}" in self._made:
            alone = estimate(self._made[f"{form}{IN_LANES}"][0], self._cpu, self._dtype, side_by_side=False)
            bounds.append(alone.share(1.0, _ALONE[form]))
        return max(bounds, key=lambda cost: cost.nanoseconds) if bounds else None

    def _try_one_line(self, plan: Plan) -> None:
        """One line in place of pieces that may be the fastest, where they are few and no visits run in lanes."""
        if "split" not in self._allowed or lane_loops(self._made["split"][0].body):
            return
        pieces = self._made["split"][1]
        if pieces.operations > UNROLLED_UP_TO:
            self._left_out["unrolled"] = f"has some {pieces.operations} operations, above {UNROLLED_UP_TO}"
        elif pieces.nanoseconds * _LINE_OF_PIECES >= min(map(self._ns, self._allowed)):
            self._left_out["unrolled"] = f"at least {pieces.nanoseconds * _LINE_OF_PIECES:.0f}"
        else:
            self._make("unrolled", plan)


_OTHER = {"split": "rolled", "rolled": "split"}
