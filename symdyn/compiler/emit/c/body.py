"""Bodies of C functions: constants, kernels and loops as lines of text."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.compiler.emit.c.arrays import FIRST_LANE
from symdyn.compiler.emit.c.arrays import WIDTH as LANES
from symdyn.compiler.emit.c.dialect import DIALECTS
from symdyn.compiler.emit.c.loops import KERNELS, LoopWriter, lane_counts
from symdyn.compiler.emit.c.unit import Unit
from symdyn.compiler.emit.contents import C_SCOPE
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.tree.form_kernel import form_kernel
from symdyn.compiler.emit.tree.kernel import Access, Place
from symdyn.compiler.emit.tree.loops import For, Run, Tree
from symdyn.compiler.emit.tree.varying import varying_ops
from symdyn.compiler.tape.lane_padding import unfilled
from symdyn.compiler.tape.program import Address, Affine, Buffer, BufferKind, vector_lanes
from symdyn.plan.plan import lane_spacing

_TABLES, _INDEX_TABLES = Mangler(prefix="table_"), Mangler(prefix="index_")


def form_unit(tree: Tree, scalar: str) -> Unit:
    """The body of a function over ``double`` or ``float``."""
    program, places = tree.program, {buffer.name: array_name(buffer) for buffer in tree.program.buffers}
    writer = LimbWriter(tree, scalar, places)
    body = writer.body()
    sizes = {tape.over_series.size for tape in program.tapes if tape.over_series is not None}
    assert len(sizes) <= 1, sizes
    return Unit(
        tuple(constant_lines(tree, scalar, places)),
        tuple(writer.kernels.values()),
        (*_workspace_lines(tree, scalar, places), *body),
        tree.used,
        frozenset(writer.needs),
        program.alignment > 1,
        lane_counts(program),
        max([vector_lanes(program), *map(lane_spacing, sizes)]),
        max(sizes, default=0),
    )


def array_name(buffer: Buffer) -> str:
    """What a buffer is called in C."""
    if buffer.kind is BufferKind.TABLE:
        return _TABLES.name(buffer.name)
    if buffer.kind is BufferKind.INDEX:
        return _INDEX_TABLES.name(buffer.name)
    if buffer.kind is BufferKind.WORKSPACE:
        return Mangler(prefix="work_").name(buffer.name)
    return C_SCOPE.name(buffer.name)


def _workspace_lines(tree: Tree, scalar: str, places: Mapping[str, str]) -> list[str]:
    lines, start, program = [], 0, tree.program
    workspace, whole = program.buffers_of(BufferKind.WORKSPACE), program.alignment
    if whole > 1:
        lines.append(f"work += (0 - (uintptr_t)work) / sizeof(*work) & ({whole} - 1); /* to a whole vector */")
    for buffer in sorted(workspace, key=lambda buffer: -buffer.lanes):
        if buffer.name in tree.used:
            note = f" /* {comment(buffer.description)} */" if buffer.description else ""
            offset = f" + {start}" if start else ""
            lines.append(f"{scalar} *const {places[buffer.name]} = work{offset};{note}")
        start += buffer.size
    return lines


def constant_lines(tree: Tree, scalar: str, places: Mapping[str, str]) -> list[str]:
    """The tables that a file uses."""
    lines: list[str] = []
    for buffer in tree.tables:
        if buffer.description:
            lines.append(f"/* {comment(buffer.description)} */")
        if buffer.kind is BufferKind.TABLE:
            kind = scalar
            literal = DIALECTS[scalar].literal
            values = [literal(value) for value in buffer.values]
        else:
            kind = "unsigned short" if max(buffer.values) < 2**16 else "unsigned int"
            values = [str(int(value)) for value in buffer.values]
        lines.append(f"static const {kind} {places[buffer.name]}[{buffer.size}] = {{")
        lines += [f"  {line}" for line in wrap_items(values, WIDTH - 4)]
        lines.append("};")
    return lines


class LimbWriter(LoopWriter):
    """Loops of a program whose loops over lanes advance by whole vectors."""

    def __init__(self, tree: Tree, scalar: str, places: Mapping[str, str]) -> None:
        super().__init__(tree, scalar, places)
        program = tree.program
        self._lanes = {buffer.name: buffer.lanes for buffer in program.buffers}
        self._unfilled = unfilled(program)
        self._needs_lane: dict[str, bool] = {}
        self._written: dict[str, dict[tuple[Place, ...], str]] = {}

    def _loop(self, loop: For) -> list[str]:
        if loop.lanes == 1:
            return super()._loop(loop)
        (run,) = loop.body
        assert isinstance(run, Run)
        name, index = self._limb_kernel(run, loop.lanes), f"i{loop.level}"
        texts = [*([index] if self._needs_lane[name] else []), *self._pointers(run)]
        lines = [f"for (size_t {index} = 0; {index} < {loop.lanes}; {index} += {LANES}) {{"]
        return [*lines, *(f"  {line}" for line in call_lines(name, texts, ";")), "}"]

    def _limb_kernel(self, run: Run, count: int) -> str:
        """The kernel's name; the first call with such places writes it."""
        tape, call = run.tape, run.call
        inputs = [self._place(address, count, True, Access.SCALAR) for address in call.inputs]
        outputs = [
            self._place(address, count, port.accumulate, Access.SUM)
            for port, address in zip(tape.outputs, call.outputs, strict=True)
        ]
        known = self._written.setdefault(tape.name, {})
        name = KERNELS.name(f"{tape.name} {len(known) + 1}" if known else tape.name)
        name = known.setdefault((*inputs, *outputs), name)
        if name not in self.kernels:
            varying = varying_ops(tape, [_lane_stride(address) != 0 for address in call.inputs])
            read = [place for port, place in enumerate(inputs) if port in run.read]
            self._needs_lane[name] = any(place.needs_lane for place in (*read, *outputs))
            before = (f"const size_t {FIRST_LANE}",) if self._needs_lane[name] else ()
            self._write(run, name, form_kernel(tape, inputs, outputs, varying=varying), before)
        return name

    def _place(self, address: Address, count: int, loads: bool, shared: Access) -> Place:
        """Where ``count`` lanes find the scalars of a port; lanes left over find no number where none was put."""
        stride, lanes = _lane_stride(address), self._lanes[address.buffer]
        if lanes > 1 and stride and not (loads and count < lanes and address.buffer in self._unfilled):
            return Place(access=Access.BESIDE)
        return Place(access=Access.APART if stride else shared, stride=stride, lanes=count)


def _lane_stride(address: Address) -> int:
    """By how much an address advances from lane to lane: the last loop around it."""
    return address.strides[-1] if isinstance(address, Affine) else address.steps[-1]
