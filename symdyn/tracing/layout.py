"""Which layout a function gets: one line, pieces or loops, the latter two also with limbs in lanes, or the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from symdyn.compiler.passes.program.cut import in_pieces
from symdyn.compiler.passes.program.fuse import fused
from symdyn.compiler.tape.program import Program, call_of, lane_loops
from symdyn.compiler.tape.tape import Tape, operation_total
from symdyn.errors import RequestError
from symdyn.interface.guesses import hint
from symdyn.interface.signature import Signature
from symdyn.interface.targets import IN_LANES, LAYOUTS, C, Target
from symdyn.plan.plan import FieldKind, Plan
from symdyn.tracing.lanes.lanes_written_out import lanes_written_out
from symdyn.tracing.lanes.limbs_in_lanes import limbs_in_lanes
from symdyn.tracing.rolled.rolled import trace_rolled
from symdyn.tracing.split.split import trace_split
from symdyn.tracing.unrolled.unrolled import program_of, trace_unrolled

UNROLLED_UP_TO = 1200
"""Operations up to which ``auto`` writes one straight line of functions with many outputs."""

NARROW = 40
"""Operations per output from which a function is written in the order of its sweeps at any length.

One line is ordered from the outputs backwards, pieces go along the robot. In nanoseconds, one line against pieces:
inverse dynamics of a 7-DoF arm (99 per output) 128 / 111, of a quadruped (64) 254 / 215, of a 38-DoF humanoid
(97) 809 / 627; forward dynamics of a quadruped (138) 428 / 378; but mass matrix of an arm (10) 94 / 106, its Jacobians
(7) 176 / 184, the inverse of its mass matrix (20) 144 / 151.
"""

PIECE_LENGTH = 1000
"""Operations of a piece of the split layout.

By length 500, 700, 1000 and 1400: forward dynamics of a quadruped 396, 394, 380, 374 ns; of a 38-DoF humanoid 1343,
1316, 1311, 1296; its inverse dynamics 676, 637, 627, 635. Pieces compile in a third of the time of one line.
"""

SPLIT_UP_TO = 15000
"""Operations up to which ``auto`` writes pieces; beyond it loops, whose size does not grow with the robot.

Loops do more: they know nothing of the zeros of single bodies, and share nothing between kernels. Forward dynamics with
five derivatives of 7 bodies is 10841 operations in pieces and 1585 ns, in loops 16386 and 2344 ns.
"""

FEW_VISITS = 400
"""Visits of a plan up to which pieces are made at once; loops, which take less time to make, first tell of larger ones
whether pieces are worth trying."""

_ROLLED_EXCESS = 2
"""By how much the operations of loops may exceed those of pieces."""

SPLIT_LANES_UP_TO = 6000
"""Instructions up to which ``auto`` writes pieces in lanes where it would write loops without.

Inverse dynamics of 101 bodies, in pieces and loops with their limbs in lanes, ns (kB of code): 632 (38) and 769 (19);
with one derivative, 4000 instructions, 1452 (77) and 1786 (24); with two 2534 (117) and 2661 (35).
"""

SPLIT_LANES_SHARE, ROLLED_LANES_SHARE = 0.87, 0.7
"""Part of the instructions that pieces and loops may keep with limbs in lanes to be worth it.

What is not in lanes loads one value here and there. Share and times without and with lanes, ns: inverse dynamics of a
quadruped 0.30, 142 / 61; of a 38-DoF humanoid 0.58, 518 / 315; its Coriolis matrix 0.87, 2206 / 1797; the inverse of
its mass matrix 0.99, 2438 / 2330; its inverse dynamics' derivatives in loops 0.79, 4300 / 5522.
"""

LANES_SAVE = 40
"""Instructions that lanes must save, since values go through memory from trunk to limbs and back: the mass matrix of
7 bodies takes 48 ns with 144 instructions, and 53 ns with 122 in lanes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A program, and why it has its layout."""

    program: Program
    reason: str


def trace(
    plan: Plan, signature: Signature, layout: str, optimise: Callable[[Program], Program], target: Target = C
) -> Program:
    """A program in a layout; parameters are those of :func:`choose`."""
    return choose(plan, signature, layout, optimise, target).program


def choose(
    plan: Plan, signature: Signature, layout: str, optimise: Callable[[Program], Program], target: Target = C
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
            plan = limbs_in_lanes(plan) or plan
        return Choice(maker.program(plan, layout), "asked for")
    if target.one_line_up_to is not None:
        return _line_or_loops(plan, maker, target.one_line_up_to)
    limbs = limbs_in_lanes(plan) if lanes else None
    if limbs is not None and _is_large(plan):
        loops = _loops_in_lanes(limbs, maker)
        if loops is not None:
            return loops
    plain = _best_without_lanes(plan, maker)
    return plain if limbs is None else _best_with_lanes(plain, limbs, maker)


def one_line(tape: Tape, signature: Signature, optimise: Callable[[Program], Program]) -> Program:
    """A program of a tape whose ports are arguments; a long one is cut into pieces."""
    program = optimise(program_of(tape, signature))
    if operation_total(program.counts()) <= UNROLLED_UP_TO:
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
        lines = fused(trace_split(plan, self.signature))
        return in_pieces(self.optimise(replace(lines, layout=layout)), PIECE_LENGTH)


def _line_or_loops(plan: Plan, maker: _Maker, most: int) -> Choice:
    """Loops, or one line where they are short."""
    rolled = maker.program(plan, "rolled")
    operations = instructions(rolled)
    if operations > most:
        return Choice(rolled, f"{operations} operations in loops, above one_line_up_to {most} of the target")
    reason = f"{operations} operations in loops, up to one_line_up_to {most} of the target"
    return Choice(maker.program(plan, "unrolled"), reason)


def _is_large(plan: Plan) -> bool:
    return sum(len(sweep.visits) for sweep in plan.sweeps) > FEW_VISITS


def _loops_in_lanes(limbs: Plan, maker: _Maker) -> Choice | None:
    """Loops with limbs in lanes, if no pieces are worth trying and lanes pay; without, operations are as many."""
    laned = maker.program(limbs, f"rolled{IN_LANES}")
    before, after = operation_total(laned.counts()), instructions(laned)
    if before <= _ROLLED_EXCESS * SPLIT_UP_TO or not SPLIT_LANES_UP_TO < after <= ROLLED_LANES_SHARE * before:
        return None
    share = f"{after} instructions with limbs in lanes, {before} without"
    too_many = f"too many to try pieces (SPLIT_UP_TO {SPLIT_UP_TO}, SPLIT_LANES_UP_TO {SPLIT_LANES_UP_TO})"
    return Choice(laned, f"{share}, up to ROLLED_LANES_SHARE {ROLLED_LANES_SHARE}, and {too_many}")


def _best_without_lanes(plan: Plan, maker: _Maker) -> Choice:
    rolled: Program | None = None
    if _is_large(plan):
        rolled = maker.program(plan, "rolled")
        operations = instructions(rolled)
        if operations > _ROLLED_EXCESS * SPLIT_UP_TO:
            reason = f"{operations} operations in loops: too many to try pieces (SPLIT_UP_TO {SPLIT_UP_TO})"
            return Choice(rolled, reason)
    split = maker.program(plan, "split")
    operations = instructions(split)
    if operations > SPLIT_UP_TO:
        reason = f"{operations} operations in pieces, above SPLIT_UP_TO {SPLIT_UP_TO}: loops do not grow with the robot"
        return Choice(rolled or maker.program(plan, "rolled"), reason)
    if any(field.kind is FieldKind.TABLE and field.lanes > 1 for field in plan.fields):
        # a rod of 24 coordinates, pieces and loops: forward dynamics 63613 and 46897 operations, 1.55 and 1.07 us
        rolled = rolled or maker.program(plan, "rolled")
        loops = instructions(rolled)
        if loops <= operations:
            return Choice(rolled, f"{loops} instructions in loops, {operations} in pieces, over stations side by side")
    outputs = sum(argument.size for argument in maker.signature.outputs)
    each = f"{operations / outputs:.1f} operations per output" if outputs else "no output"
    if operations > NARROW * outputs:
        return Choice(split, f"{each}, above NARROW {NARROW}: pieces follow the sweeps along the robot")
    if lane_loops(split.body):
        return Choice(split, "visits run in lanes: a straight line has none")
    if operations > UNROLLED_UP_TO:
        return Choice(split, f"{operations} operations, above UNROLLED_UP_TO {UNROLLED_UP_TO}: pieces stay short")
    reason = f"{operations} operations, up to UNROLLED_UP_TO {UNROLLED_UP_TO}, and {each}, up to NARROW {NARROW}"
    return Choice(maker.program(plan, "unrolled"), reason)


def _best_with_lanes(plain: Choice, limbs: Plan, maker: _Maker) -> Choice:
    loops = plain.program.layout == "rolled"
    if loops:
        rolled = maker.program(limbs, f"rolled{IN_LANES}")
        loops = instructions(rolled) > SPLIT_LANES_UP_TO
    laned = rolled if loops else maker.program(limbs, f"split{IN_LANES}")
    before, after = instructions(plain.program), instructions(laned)
    name, limit = ("ROLLED", ROLLED_LANES_SHARE) if loops else ("SPLIT", SPLIT_LANES_SHARE)
    share = f"{after} instructions with limbs in lanes, {before} without"
    if before - after < LANES_SAVE:
        return replace(plain, reason=f"{plain.reason}; {share}, fewer by less than LANES_SAVE {LANES_SAVE}")
    if after > limit * before:
        return replace(plain, reason=f"{plain.reason}; {share}, above {name}_LANES_SHARE {limit}")
    return Choice(laned, f"{share}, up to {name}_LANES_SHARE {limit}; without lanes: {plain.reason}")


def instructions(program: Program) -> int:
    """Operations of one call, those that run for several lanes at once counted once."""
    totals = {tape.name: operation_total(tape.counts()) for tape in program.tapes}
    lanes = {call_of(loop).tape: loop.lanes for loop in lane_loops(program.body)}
    return sum(totals[call.tape] * times // lanes.get(call.tape, 1) for call, times in program.calls())
