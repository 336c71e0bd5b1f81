"""Explain what was chosen for a robot's functions, and what each choice saves: bodies, passes, layouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from symdyn.compiler.passes.pipeline import PIPELINE, PROGRAM_PIPELINE, finish, optimise
from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.tape.program import BufferKind, Call, Loop, Program, Statement, lane_loops
from symdyn.compiler.tape.tape import operation_total
from symdyn.functions.catalogue import chosen
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.generation.pipeline import chosen_model, planned, settled
from symdyn.interface.cpus import Cpu, find_cpu
from symdyn.interface.options import GenerateOptions
from symdyn.interface.targets import find_target
from symdyn.model.body_choices import BodyChoice, body_choices
from symdyn.model.model import Model
from symdyn.robot.robot import Robot
from symdyn.toolchain.object_size import INSTRUCTION_CACHE
from symdyn.tracing.cost import estimate
from symdyn.tracing.layout import choose, trace


@dataclass(frozen=True, slots=True)
class PassEffect:
    """Operations that a function needs after one pass; ``sentence`` says what the pass does."""

    name: str
    sentence: str
    operations: int


@dataclass(frozen=True, slots=True)
class LayoutOption:
    """A layout that was tried: its operations before and after the passes, and its estimated size in machine code.

    ``instructions`` are the operations with those of all limbs that run side by side counted once. ``text_bytes``
    counts code and tables, as built by gcc for x86-64, within some 30 %; see :mod:`symdyn.tracing.cost`.
    """

    layout: str
    traced: int
    operations: int
    instructions: int
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
    from_p
        Bodies of which inertia that rests on p is counted with the parent, at run time. They are chosen for each
        function by the operations that they save.
    traced, passes
        Operations before the passes, and after each of them.
    counts
        Operations by kind.
    kernels
        Kernels that loops share by what they are for: each is a structural class of bodies. Empty without loops.
    loops, pieces
        Loops over bodies in the source, and straight-line pieces outside of kernels.
    limbs
        Limbs of the robot that run side by side, one per lane; 1 if none do.
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
    from_p: tuple[BodyChoice, ...]
    traced: int
    passes: tuple[PassEffect, ...]
    counts: Mapping[str, int]
    kernels: Mapping[str, int]
    loops: int
    pieces: int
    limbs: int
    workspace: int

    @property
    def effective_passes(self) -> tuple[PassEffect, ...]:
        """Those that changed the number of operations."""
        before = [self.traced, *(item.operations for item in self.passes)]
        changes = [after != count for count, after in pairwise(before)]
        return tuple(item for item, changed in zip(self.passes, changes, strict=True) if changed)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The choices for a robot: per body (as the functions have it that hide frames and wrenches), and per function.

    Where functions differ in what they regroup at run time, ``bodies`` are those of the first that does.
    """

    robot: str
    bodies: tuple[BodyChoice, ...]
    functions: tuple[FunctionExplanation, ...]


def explain_functions(robot: Robot, options: GenerateOptions) -> Explanation:
    """Trace some functions as ``generate`` does, and tell what was chosen; errors are those of ``generate``."""
    options = settled(options)
    wanted = [(entry, request, chosen_model(robot, entry, request)) for entry, request in chosen(robot.model, options)]
    loaded = any(request.external for _, request, _ in wanted)
    regrouping = (model for _, _, model in wanted if model.runtime_givers is not None)
    return Explanation(
        robot.name,
        tuple(body_choices(next(regrouping, robot.model), loaded)),
        tuple(_explain(robot, model, entry, request, options) for entry, request, model in wanted),
    )


class _Recorder:
    """The pass pipeline, with a record of every program that went through it."""

    def __init__(self, cpu: Cpu, dtype: str) -> None:
        self._cpu, self._dtype = cpu, dtype
        self.options: list[LayoutOption] = []
        self.passes: dict[str, tuple[PassEffect, ...]] = {}

    def __call__(self, program: Program) -> Program:
        traced = _needed(program)
        effects = []
        for whole in PROGRAM_PIPELINE:
            program = whole.run(program)
            effects.append(PassEffect(whole.name, whole.sentence, _needed(program)))
        for item in PIPELINE:
            program = replace(program, tapes=tuple(item.run(tape) for tape in program.tapes))
            effects.append(PassEffect(item.name, item.sentence, _needed(program)))
        operations = operation_total(program.counts())
        cost = estimate(program, self._cpu, self._dtype)
        size = round(cost.code_bytes + cost.table_bytes)
        option = LayoutOption(program.layout, traced, operations, cost.operations, size)
        self.options.append(option)
        self.passes[program.layout] = tuple(effects)
        return program


def _needed(program: Program) -> int:
    """Operations on which outputs rest; those that a pass leaves behind unused are not told against it."""
    return operation_total(replace(program, tapes=tuple(drop_unused(tape) for tape in program.tapes)).counts())


def _explain(
    robot: Robot, model: Model, entry: CatalogueEntry, request: Request, options: GenerateOptions
) -> FunctionExplanation:
    signature = entry.signature(model, request)
    cpu = find_cpu(options.cpu)
    recorder = _Recorder(cpu, options.dtype)
    plan, target = planned(robot, model, entry, request), find_target(options.target)
    choice = choose(plan, signature, options.layout, recorder, target, cpu, options.dtype)
    program = finish(choice.program)
    tried = {option.layout: option for option in recorder.options}
    chosen = tried[program.layout]
    as_described = frames_moved = chosen.operations
    choices = body_choices(entry.view(model, request), bool(request.external))
    moves_bodies = any(body.changes for body in choices)
    if moves_bodies:
        unregrouped = replace(model, regroups=False)
        frames_moved = _operations(robot, unregrouped, entry, request, program.layout)
        as_found = replace(unregrouped, slides=False, runtime_givers=None)
        as_described = _operations(robot, as_found, entry, request, program.layout)
    looped = _looped(program.body)
    kernels = [tape.name for tape in program.tapes if program.layout.startswith("rolled") or tape.name in looped]
    return FunctionExplanation(
        entry.name,
        program.layout,
        choice.reason,
        tuple(recorder.options),
        as_described,
        frames_moved,
        chosen.operations,
        moves_bodies,
        tuple(body for body in choices if body.from_p),
        chosen.traced,
        recorder.passes[program.layout],
        dict(sorted(program.counts().items())),
        dict(Counter(name.rpartition("_")[0] for name in kernels)),
        _loop_count(program.body),
        len(program.tapes) - len(kernels),
        max((loop.lanes for loop in lane_loops(program.body)), default=1),
        sum(buffer.size for buffer in program.buffers_of(BufferKind.WORKSPACE)),
    )


def _operations(robot: Robot, model: Model, entry: CatalogueEntry, request: Request, layout: str) -> int:
    plan = planned(robot, model, entry, request)
    return operation_total(trace(plan, entry.signature(model, request), layout, optimise).counts())


def _looped(statements: Sequence[Statement], within: bool = False) -> set[str]:
    """Tapes that are called within loops over bodies."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, Call):
            found |= {statement.tape} if within else set()
        else:
            found |= _looped(statement.body, within or statement.lanes == 1)
    return found


def _loop_count(statements: Sequence[Statement]) -> int:
    loops = [statement for statement in statements if isinstance(statement, Loop)]
    return sum((loop.lanes == 1) + _loop_count(loop.body) for loop in loops)
