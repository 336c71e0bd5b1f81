"""Bodies of C functions that work on several states at once, one per lane of a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.compiler.emit.c.arrays import WIDTH
from symdyn.compiler.emit.c.body import array_name, constant_lines
from symdyn.compiler.emit.c.loops import KERNELS, LoopWriter
from symdyn.compiler.emit.c.unit import Unit
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.tree.form_kernel import form_kernel
from symdyn.compiler.emit.tree.kernel import Access, Kernel, Place
from symdyn.compiler.emit.tree.loops import Run, Tree
from symdyn.compiler.emit.tree.varying import spread_of, varying_buffers, varying_ops
from symdyn.compiler.tape.program import Address, BufferKind, Program


def lane_count(scalar: str) -> int:
    """States of a block, whatever the processor: 64 bytes per element, one cache line and one vector of AVX-512."""
    return 8 if scalar == "double" else 16


@dataclass(frozen=True, slots=True)
class LanesUnit(Unit):
    """A file over lanes: ``varying`` names the buffers with a value per lane.

    ``lane_work`` and ``shared_work`` count the scalars of workspace of all lanes, and of what they share.
    """

    varying: frozenset[str] = frozenset()
    lane_work: int = 0
    shared_work: int = 0

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
    writer = _LanesWriter(tree, scalar, places, varying)
    body = writer.body()
    lane_work, shared_work = workspace_sizes(program, scalar, varying)
    return LanesUnit(
        tuple(constant_lines(tree, scalar, places)),
        tuple(writer.kernels.values()),
        (*_workspace_lines(tree, scalar, places, varying), *body),
        tree.used,
        frozenset(writer.needs),
        varying=varying,
        lane_work=lane_work,
        shared_work=shared_work,
    )


class _LanesWriter(LoopWriter):
    """Loops and kernels over lanes; a kernel is written once for each way in which its ports lie.

    Inputs and outputs lie in blocks. Of the workspace, vectors use no more than they are wide, so that it stays in the
    cache.
    """

    marks_free_loops = False  # each operation is a vector by itself

    def __init__(self, tree: Tree, scalar: str, places: Mapping[str, str], varying: frozenset[str]) -> None:
        super().__init__(tree, scalar, places)
        self.varying = varying
        self.in_vectors = frozenset()
        self.names: dict[tuple[str, tuple[Access, ...]], str] = {}
        self._access = {
            buffer.name: Access.CLOSE if buffer.kind is BufferKind.WORKSPACE else Access.BESIDE
            for buffer in tree.program.buffers
            if buffer.name in varying
        }

    def _spacing(self, buffer: str) -> str:
        access = self._access.get(buffer, Access.SCALAR)
        return {Access.BESIDE: f"{lane_count(self.scalar)} * ", Access.CLOSE: f"{WIDTH} * "}.get(access, "")

    def _kernel(self, run: Run) -> str:
        tape, call = run.tape, run.call
        accesses = [self._access.get(address.buffer, Access.SCALAR) for address in (*call.inputs, *call.outputs)]
        key = (tape.name, tuple(accesses))
        if key not in self.names:
            earlier = sum(name == tape.name for name, _ in self.names)
            name = KERNELS.name(f"{tape.name} {earlier + 1}" if earlier else tape.name)
            self.names[key] = name
            self._write(run, name, self.form(run))
        return self.names[key]

    def form(self, run: Run, inputs: Sequence[Place] = (), outputs: Sequence[Place] = ()) -> Kernel:
        """The kernel of a call; what differs from lane to lane lies side by side."""
        spread = spread_of(run.call, self.varying)
        ways = self._places(inputs, run.call.inputs), self._places(outputs, run.call.outputs)
        return form_kernel(run.tape, *ways, varying=varying_ops(run.tape, spread.inputs))

    def _places(self, places: Sequence[Place], addresses: Sequence[Address]) -> list[Place]:
        """Places of one state as those of a block."""
        pairs = zip(places or [Place()] * len(addresses), addresses, strict=True)
        return [
            replace(place, access=self._access[address.buffer], stride=lane_count(self.scalar))
            if address.buffer in self.varying
            else place
            for place, address in pairs
        ]


def _workspace_lines(tree: Tree, scalar: str, places: Mapping[str, str], varying: frozenset[str]) -> list[str]:
    lines: list[str] = []
    ends = {True: 0, False: 0}
    for buffer in tree.program.buffers_of(BufferKind.WORKSPACE):
        varies = buffer.name in varying
        if buffer.name in tree.used:
            note = f" /* {comment(buffer.description)} */" if buffer.description else ""
            start = ends[varies]
            offset = f" + {f'{WIDTH} * ' if varies else ''}{start}" if start else ""
            lines.append(f"{scalar} *const {places[buffer.name]} = {'work' if varies else 'shared'}{offset};{note}")
        ends[varies] += buffer.size
    return lines
