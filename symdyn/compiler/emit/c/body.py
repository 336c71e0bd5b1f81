"""Bodies of C functions: constants, kernels and loops as lines of text."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.c.dialect import DIALECTS
from symdyn.compiler.emit.c.limbs_body import LimbWriter
from symdyn.compiler.emit.c.loops import lane_counts
from symdyn.compiler.emit.c.unit import Unit
from symdyn.compiler.emit.contents import C_SCOPE
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.tree.loops import Tree
from symdyn.compiler.tape.program import Buffer, BufferKind, vector_lanes
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
