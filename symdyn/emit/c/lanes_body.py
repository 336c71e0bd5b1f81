"""Bodies of C functions that work on several states at once, one per lane of a vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symdyn.emit.c.body import array_name, calls_macros, constant_lines
from symdyn.emit.c.kernels import CPrinter
from symdyn.emit.c.lanes_dialect import lane_functions
from symdyn.emit.c.loops import (
    APART,
    INDEPENDENT,
    KERNELS,
    LoopWriter,
)
from symdyn.emit.names import comment
from symdyn.emit.tree.form_kernel import form_kernel
from symdyn.emit.tree.kernel import Access, Place
from symdyn.emit.tree.loops import Run, Tree, direct_names
from symdyn.emit.tree.varying import Spread, spread_of, varying_buffers, varying_ops
from symdyn.tape.program import BufferKind, Program


def lane_count(scalar: str) -> int:
    """States of a block, whatever the processor: 64 bytes per element, one cache line and one vector of AVX-512."""
    return 8 if scalar == "double" else 16


@dataclass(frozen=True, slots=True)
class LanesUnit:
    """What the template of a lanes file loops over.

    ``functions`` names the functions of lanes that the code calls, ``varying`` the buffers with a value per lane;
    ``lane_work`` and ``shared_work`` count the scalars of workspace of all lanes, and of what they share.
    """

    constants: tuple[str, ...]
    kernels: tuple[tuple[str, ...], ...]
    body: tuple[str, ...]
    buffers_used: frozenset[str]
    functions: frozenset[str]
    uses_pairs: bool
    fuses_scalars: bool
    varying: frozenset[str]
    lane_work: int
    shared_work: int

    @property
    def uses_fma(self) -> bool:
        """Whether the file needs the macro of fused multiply-adds."""
        return self.fuses_scalars or self.uses_pairs or not self.functions.isdisjoint({"fma", "sine_cosine"})

    @property
    def has_pieces(self) -> bool:
        """Whether the file needs the macro of kernels that stay functions of their own."""
        return any(line.startswith(APART) for lines in self.kernels for line in lines)

    @property
    def work_size(self) -> int:
        """Scalars of workspace of one block, without what alignment takes."""
        return self.lane_work + self.shared_work


def workspace_sizes(program: Program, scalar: str, varying: frozenset[str]) -> tuple[int, int]:
    """Scalars of workspace of a block: those of buffers with one value per lane, and those that all lanes share."""
    sizes = {True: 0, False: 0}
    for buffer in program.buffers_of(BufferKind.WORKSPACE):
        sizes[buffer.name in varying] += buffer.size
    return lane_count(scalar) * sizes[True], sizes[False]


def form_lanes(tree: Tree, scalar: str) -> LanesUnit:
    """The body of a function over blocks of states; pointers go to the first lanes of a block."""
    program = tree.program
    places = {buffer.name: array_name(buffer) for buffer in program.buffers}
    varying = varying_buffers(program)
    if tree.direct is not None:
        lines = _direct_lines(tree, tree.direct, scalar, places, varying)
        kernels: tuple[tuple[str, ...], ...] = ()
    else:
        writer = _LanesWriter(tree, scalar, places, varying)
        lines = [line for line in writer.lines(tree.body) if line.strip() != INDEPENDENT]
        kernels = tuple(writer.kernels.values())
    prologue = _workspace_lines(tree, scalar, places, varying)
    lane_work, shared_work = workspace_sizes(program, scalar, varying)
    text = [line for group in (*kernels, lines) for line in group]
    return LanesUnit(
        tuple(constant_lines(tree, scalar, places)),
        kernels,
        (*prologue, *lines),
        tree.used,
        lane_functions(text),
        any(" = sine_cosine(" in line for line in text),
        calls_macros(text),
        varying,
        lane_work,
        shared_work,
    )


def _direct_lines(tree: Tree, run: Run, scalar: str, places: Mapping[str, str], varying: frozenset[str]) -> list[str]:
    spread = spread_of(run.call, varying)
    inputs, outputs = (
        [_place(place, scalar, varies) for place, varies in zip(own, vary, strict=True)]
        for own, vary in zip(tree.direct_places(), (spread.inputs, spread.outputs), strict=True)
    )
    kernel = form_kernel(run.tape, inputs, outputs, varying=varying_ops(run.tape, spread.inputs))
    return CPrinter(kernel, direct_names(run.call, places), scalar).print()


def _place(place: Place, scalar: str, varies: bool) -> Place:
    """A place of one state as that of a block, if its values differ from lane to lane."""
    return replace(place, access=Access.BESIDE, stride=lane_count(scalar)) if varies else place


class _LanesWriter(LoopWriter):
    """Loops and kernels over lanes; a kernel is written once for each way in which its ports are shared by lanes."""

    def __init__(self, tree: Tree, scalar: str, places: Mapping[str, str], varying: frozenset[str]) -> None:
        super().__init__(tree, scalar, places)
        self.varying = varying
        self.in_vectors = frozenset()  # each operation is a vector by itself
        self.names: dict[tuple[str, Spread], str] = {}

    def _spacing(self, buffer: str) -> str:
        return f"{lane_count(self.scalar)} * " if buffer in self.varying else ""

    def _kernel(self, run: Run) -> str:
        tape, spread = run.tape, spread_of(run.call, self.varying)
        key = (tape.name, spread)
        if key not in self.names:
            earlier = sum(name == tape.name for name, _ in self.names)
            name = KERNELS.name(f"{tape.name} {earlier + 1}" if earlier else tape.name)
            self.names[key] = name
            inputs, outputs = (
                [_place(Place(), self.scalar, varies) for varies in own] for own in (spread.inputs, spread.outputs)
            )
            kernel = form_kernel(tape, inputs, outputs, varying=varying_ops(tape, spread.inputs))
            self._write(run, name, kernel)
        return self.names[key]


def _workspace_lines(tree: Tree, scalar: str, places: Mapping[str, str], varying: frozenset[str]) -> list[str]:
    lines: list[str] = []
    ends = {True: 0, False: 0}
    for buffer in tree.program.buffers_of(BufferKind.WORKSPACE):
        varies = buffer.name in varying
        if buffer.name in tree.used:
            note = f" /* {comment(buffer.description)} */" if buffer.description else ""
            start = ends[varies]
            offset = f" + {f'{lane_count(scalar)} * ' if varies else ''}{start}" if start else ""
            lines.append(f"{scalar} *const {places[buffer.name]} = {'work' if varies else 'shared'}{offset};{note}")
        ends[varies] += buffer.size
    return lines
