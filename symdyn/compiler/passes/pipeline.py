"""The passes, in order, each with one sentence; the only place that knows the order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from symdyn.compiler.passes.program.drop_unread import drop_unread
from symdyn.compiler.passes.tape.absorb_signs import absorb_signs
from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.passes.tape.fold_constants import fold_constants
from symdyn.compiler.passes.tape.fuse_products import fuse_products
from symdyn.compiler.passes.tape.order_sums import order_sums
from symdyn.compiler.passes.tape.pair_sincos import pair_sincos
from symdyn.compiler.passes.tape.propagate_identities import propagate_identities
from symdyn.compiler.passes.tape.reduce_strength import reduce_strength
from symdyn.compiler.passes.tape.schedule import schedule
from symdyn.compiler.passes.tape.share_divisions import share_divisions
from symdyn.compiler.passes.tape.share_subexpressions import share_subexpressions
from symdyn.compiler.tape.program import Program
from symdyn.compiler.tape.series import expanded
from symdyn.compiler.tape.tape import Tape


@dataclass(frozen=True, slots=True)
class Pass:
    """A rewrite Tape -> Tape with a name and one sentence."""

    name: str
    run: Callable[[Tape], Tape]
    sentence: str


@dataclass(frozen=True, slots=True)
class ProgramPass:
    """A rewrite Program -> Program with a name and one sentence: what does not follow from single tapes."""

    name: str
    run: Callable[[Program], Program]
    sentence: str


PROGRAM_PIPELINE: tuple[ProgramPass, ...] = (
    ProgramPass("drop_unread", drop_unread, "Drop results of kernels that no call reads."),
)
"""Run before the passes on tapes, which then have less to do."""

PIPELINE: tuple[Pass, ...] = (
    Pass("fold_constants", fold_constants, "Compute what rests on constants alone."),
    Pass("reduce_strength", reduce_strength, "Write small powers and division by powers of two as products."),
    Pass("propagate_identities", propagate_identities, "Drop zeros and ones, and move minus signs into sums."),
    Pass("absorb_signs", absorb_signs, "Put the minus signs that are left into constant factors."),
    Pass("share_subexpressions", share_subexpressions, "Compute equal expressions once."),
    Pass("share_divisions", share_divisions, "Divide by each divisor once: the others take its reciprocal."),
    Pass("drop_unused", drop_unused, "Drop what no output needs."),
    Pass("order_sums", order_sums, "Add up the terms of a sum in the order in which they become available."),
    Pass("pair_sincos", pair_sincos, "Evaluate sine and cosine of one angle as a pair."),
    Pass("schedule", schedule, "Order instructions so that few wait, and few values are held meanwhile."),
)
"""Cheap rewrites first, so that sharing sees one spelling of each expression; equal divisors are one before divisions
are shared; what is unused is gone before sums look at who reads their parts, and before sines are paired. The order of
instructions comes last."""

FUSE = Pass("fuse_products", fuse_products, "Spell sums with products as fused multiply-adds.")
"""The last pass of all, after long lines are cut into pieces: a product and its sum must be in one piece."""

_ORDERS = (order_sums, schedule)


def optimise_tape(tape: Tape, after_each: Callable[[Tape], Tape] | None = None) -> Tape:
    """Run the pipeline on a tape; ``after_each`` (such as ``verify_tape``) sees every intermediate tape.

    Sums and products of series obey the same laws as those of numbers, so that the passes work on whole series.
    """
    if tape.over_series is not None:
        over = tape.over_series
        return expanded(replace(over, tape=optimise_tape(over.tape, after_each)))
    for item in PIPELINE:
        tape = item.run(tape)
        if after_each is not None:
            tape = after_each(tape)
    return tape


def simplify_tape(tape: Tape) -> Tape:
    """Run the passes for a tape that is to be differentiated: sums keep their order, by which equal ones are found."""
    for item in PIPELINE:
        if item.run not in _ORDERS:
            tape = item.run(tape)
    return tape


def optimise(program: Program) -> Program:
    """Run the passes on a program, then those on its tapes."""
    for item in PROGRAM_PIPELINE:
        program = item.run(program)
    return replace(program, tapes=tuple(optimise_tape(tape) for tape in program.tapes))


def finish(program: Program) -> Program:
    """Run the last pass on a program in its layout, unless it asks for products that are rounded by themselves."""
    if not program.fp_contract:
        return program
    return replace(program, tapes=tuple(map(_finished, program.tapes)))


def _finished(tape: Tape) -> Tape:
    over = tape.over_series
    return FUSE.run(tape) if over is None else expanded(replace(over, tape=FUSE.run(over.tape)))
