"""Explain what was chosen for a robot's functions, and what each choice saves: bodies, passes, layouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Unpack

from symdyn.errors import InternalError
from symdyn.functions.catalogue import requests
from symdyn.functions.entry import CatalogueEntry, Request, RequestOptions
from symdyn.model.body_choices import BodyChoice, body_choices
from symdyn.model.model import Model
from symdyn.passes.drop_unused import drop_unused
from symdyn.passes.pipeline import PIPELINE, optimise
from symdyn.production import planned
from symdyn.robot import Robot
from symdyn.signature import Signature
from symdyn.tape.program import BufferKind, Call, Loop, Program, Statement
from symdyn.tape.tape import operation_total
from symdyn.tracing.layout import NARROW, SPLIT_UP_TO, UNROLLED_UP_TO, trace

INSTRUCTION_CACHE = 32 * 1024
"""Bytes of first-level instruction cache that the layouts were tuned for; x86-64 cores have had as many for long."""

_BYTES = {"operation": 7.3, "scalar": 4.2, "lone pair": 690.0, "pair": 330.0, "pairs": 1800.0, "call": 95.0}
"""Bytes of machine code and tables per operation, scalar that a kernel or piece stores, sine-cosine pair that is alone
in its kernel or has company, for having company at all, and per call in the source. Least relative squares over five
functions of an arm, of a free base with two arms and of trees of 21 and 51 bodies in three layouts, function and batch
function together: within 25 % of each of 54 and 10 % of half of them (gcc 12.2, -O3 -march=native, with AVX-512); pairs
in company from three functions of four robots, of which each is met within 9 %. Straight lines have 10 to 33 bytes per
operation, long ones the fewest.
"""


@dataclass(frozen=True, slots=True)
class PassEffect:
    """Operations that a function needs after one pass; ``sentence`` says what the pass does."""

    name: str
    sentence: str
    operations: int


@dataclass(frozen=True, slots=True)
class LayoutOption:
    """A layout that was tried: its operations before and after the passes, and its estimated size in machine code.

    ``text_bytes`` counts code and tables, as built by gcc for x86-64; see ``_BYTES`` for how well it is known.
    """

    layout: str
    traced: int
    operations: int
    text_bytes: int

    @property
    def cache_share(self) -> float:
        """Estimated size by that of the instruction cache."""
        return self.text_bytes / INSTRUCTION_CACHE


@dataclass(frozen=True, slots=True)
class FunctionExplanation:
    """What was chosen for one function.

    Attributes
    ----------
    name
        As in the catalogue.
    layout, reason
        The layout, and the rule by which it was chosen.
    tried
        The layouts that were made to choose one of them, in that order; the one asked for where one was.
    as_described, frames_moved, operations
        Operations in this layout with bodies as the robot file has them; with frames moved along joint axes; and with
        inertia counted with parents as well, which is what is generated.
    moves_bodies
        Whether it is one of the functions that hide frames and wrenches, and there was something to move.
    traced, passes
        Operations before the passes, and after each of them.
    counts
        Operations by kind.
    kernels
        Kernels that loops share by what they are for: each is a structural class of bodies. Empty without loops.
    loops, pieces
        Loops in the source, and straight-line pieces outside of kernels.
    workspace
        Scalars of scratch.
    """

    name: str
    layout: str
    reason: str
    tried: tuple[LayoutOption, ...]
    as_described: int
    frames_moved: int
    operations: int
    moves_bodies: bool
    traced: int
    passes: tuple[PassEffect, ...]
    counts: Mapping[str, int]
    kernels: Mapping[str, int]
    loops: int
    pieces: int
    workspace: int

    @property
    def effective_passes(self) -> tuple[PassEffect, ...]:
        """Those that changed the number of operations."""
        before = [self.traced, *(item.operations for item in self.passes)]
        changes = [after != count for count, after in pairwise(before)]
        return tuple(item for item, changed in zip(self.passes, changes, strict=True) if changed)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The choices for a robot: per body (as the functions have it that hide frames and wrenches), and per function."""

    robot: str
    bodies: tuple[BodyChoice, ...]
    functions: tuple[FunctionExplanation, ...]


def explain_functions(
    robot: Robot, functions: Sequence[str], layout: str = "auto", **asked: Unpack[RequestOptions]
) -> Explanation:
    """Trace some functions as ``generate`` does, and tell what was chosen; errors are those of ``generate``."""
    wanted = requests(robot.model, functions, **asked)
    loaded = any(request.external for _, request in wanted)
    return Explanation(
        robot.name,
        tuple(body_choices(robot.model, loaded)),
        tuple(_explain(robot, entry, request, layout) for entry, request in wanted),
    )


class _Recorder:
    """The pass pipeline, with a record of every program that went through it."""

    def __init__(self) -> None:
        self.options: list[LayoutOption] = []
        self.passes: dict[str, tuple[PassEffect, ...]] = {}

    def __call__(self, program: Program) -> Program:
        traced = _needed(program)
        effects = []
        for item in PIPELINE:
            program = replace(program, tapes=tuple(item.run(tape) for tape in program.tapes))
            effects.append(PassEffect(item.name, item.sentence, _needed(program)))
        option = LayoutOption(program.layout, traced, operation_total(program.counts()), estimated_bytes(program))
        self.options.append(option)
        self.passes[program.layout] = tuple(effects)
        return program


def _needed(program: Program) -> int:
    """Operations on which outputs rest; those that a pass leaves behind unused are not told against it."""
    return operation_total(replace(program, tapes=tuple(drop_unused(tape) for tape in program.tapes)).counts())


def estimated_bytes(program: Program) -> int:
    """Machine code and tables of a program on x86-64, within some 25 %."""
    total = _BYTES["call"] * sum(1 for _ in program.calls())
    if any(tape.counts()["sincos"] > 1 for tape in program.tapes):
        total += _BYTES["pairs"]
    for tape in program.tapes:
        counts = tape.counts()
        pairs = counts.pop("sincos", 0)
        total += _BYTES["operation"] * operation_total(counts) + _BYTES["pair" if pairs > 1 else "lone pair"] * pairs
        total += _BYTES["scalar"] * sum(port.width for port in tape.outputs)
    return round(total)


def _explain(robot: Robot, entry: CatalogueEntry, request: Request, layout: str) -> FunctionExplanation:
    signature = entry.signature(robot.model, request)
    recorder = _Recorder()
    program = trace(planned(robot, robot.model, entry, request), signature, layout, recorder)
    tried = {option.layout: option for option in recorder.options}
    chosen = tried[program.layout]
    as_described = frames_moved = chosen.operations
    moves_bodies = signature.options["regrouping"] != "none"
    if moves_bodies:
        unregrouped = replace(robot.model, regroups=False)
        frames_moved = _operations(robot, unregrouped, entry, request, program.layout)
        as_described = _operations(robot, replace(unregrouped, slides=False), entry, request, program.layout)
    looped = _looped(program.body)
    kernels = [tape.name for tape in program.tapes if program.layout == "rolled" or tape.name in looped]
    return FunctionExplanation(
        entry.name,
        program.layout,
        "asked for" if layout != "auto" else layout_reason(program.layout, tried, signature),
        tuple(recorder.options),
        as_described,
        frames_moved,
        chosen.operations,
        moves_bodies,
        chosen.traced,
        recorder.passes[program.layout],
        dict(sorted(program.counts().items())),
        dict(Counter(name.rpartition("_")[0] for name in kernels)),
        _loop_count(program.body),
        len(program.tapes) - len(kernels),
        sum(buffer.size for buffer in program.buffers_of(BufferKind.WORKSPACE)),
    )


def _operations(robot: Robot, model: Model, entry: CatalogueEntry, request: Request, layout: str) -> int:
    plan = planned(robot, model, entry, request)
    return operation_total(trace(plan, entry.signature(model, request), layout, optimise).counts())


def layout_reason(chosen: str, tried: Mapping[str, LayoutOption], signature: Signature) -> str:
    """The rule of ``tracing/layout.py`` by which ``auto`` took a layout."""
    outputs = sum(argument.size for argument in signature.outputs)
    if "split" not in tried:
        return f"{tried['rolled'].operations} operations in loops: too many to try pieces (SPLIT_UP_TO {SPLIT_UP_TO})"
    pieces = tried["split"].operations
    each = f"{pieces / outputs:.1f} operations per output" if outputs else "no output"
    if chosen == "rolled" and pieces > SPLIT_UP_TO:
        return f"{pieces} operations in pieces, above SPLIT_UP_TO {SPLIT_UP_TO}: loops do not grow with the robot"
    if chosen == "split" and pieces > NARROW * outputs:
        return f"{each}, above NARROW {NARROW}: pieces follow the sweeps along the robot"
    if chosen == "split" and pieces > UNROLLED_UP_TO:
        return f"{pieces} operations, above UNROLLED_UP_TO {UNROLLED_UP_TO}: pieces stay short"
    if chosen == "unrolled" and pieces <= UNROLLED_UP_TO:
        return f"{pieces} operations, up to UNROLLED_UP_TO {UNROLLED_UP_TO}, and {each}, up to NARROW {NARROW}"
    raise InternalError(f"layout '{chosen}' of '{signature.function}' was chosen by none of the rules known here")


def _looped(statements: Sequence[Statement], within: bool = False) -> set[str]:
    """Tapes that are called within loops."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, Call):
            found |= {statement.tape} if within else set()
        else:
            found |= _looped(statement.body, True)
    return found


def _loop_count(statements: Sequence[Statement]) -> int:
    return sum(1 + _loop_count(statement.body) for statement in statements if isinstance(statement, Loop))
