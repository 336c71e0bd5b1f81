"""Bodies of C functions: constants, kernels and loops as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symdyn.emit.arguments import WIDTH, wrap_items
from symdyn.emit.c.dialect import DIALECTS, FUSED_MACRO, PAIR_FUNCTION, PAIRS_FUNCTION, ROUNDED_MACRO, pairs_at_once
from symdyn.emit.c.kernels import CPrinter
from symdyn.emit.c.lanes_dialect import lane_functions
from symdyn.emit.c.limbs_body import LimbWriter
from symdyn.emit.c.loops import APART, INDEPENDENT, INLINED, lane_counts
from symdyn.emit.contents import C_SCOPE
from symdyn.emit.names import Mangler, comment
from symdyn.emit.tree.form_kernel import form_kernel
from symdyn.emit.tree.loops import Tree, direct_names
from symdyn.tape.program import Buffer, BufferKind, vector_lanes

_TABLES, _INDEX_TABLES = Mangler(prefix="table_"), Mangler(prefix="index_")


@dataclass(frozen=True, slots=True)
class Unit:
    """What the template of one C file loops over.

    ``lane_counts`` are the numbers of lanes of its loops over them, and ``vector_lanes`` those of its longest vector.
    """

    constants: tuple[str, ...]
    kernels: tuple[tuple[str, ...], ...]
    body: tuple[str, ...]
    buffers_used: frozenset[str]
    lane_counts: tuple[int, ...] = ()
    vector_lanes: int = 1

    @property
    def lane_functions(self) -> frozenset[str]:
        """The functions of lanes that the file needs."""
        return lane_functions(line for lines in self.kernels for line in lines)

    @property
    def aligns(self) -> bool:
        """Whether the function moves its workspace to a whole vector, which it may do without loops over lanes."""
        return any("(uintptr_t)" in line for line in self.body)

    @property
    def has_independent_loops(self) -> bool:
        """Whether the file needs the macro of independent loops."""
        return any(line.strip() == INDEPENDENT for line in self.body)

    @property
    def has_pieces(self) -> bool:
        """Whether the file needs the macro of kernels that stay functions of their own."""
        return any(line.startswith(APART) for lines in self.kernels for line in lines)

    @property
    def has_inlined_kernels(self) -> bool:
        """Whether the file needs the macro of kernels that must become part of their loops."""
        return any(line.startswith(INLINED) for lines in self.kernels for line in lines)

    @property
    def uses_pairs(self) -> bool:
        """Whether the file needs the function of sine-cosine pairs; that of several angles calls it too."""
        return self._calls(PAIR_FUNCTION) or self.uses_several_pairs

    @property
    def uses_several_pairs(self) -> bool:
        """Whether the file needs the function of the sines and cosines of several angles."""
        return self._calls(PAIRS_FUNCTION)

    @property
    def uses_fma(self) -> bool:
        """Whether the file needs the macro of fused multiply-adds."""
        fuses = any(calls_macros(lines) for lines in (self.body, *self.kernels))
        needed = ("fma", "sine_cosine", "add_products")
        return fuses or self.uses_pairs or any(name.startswith(needed) for name in self.lane_functions)

    def _calls(self, function: str) -> bool:
        return any(f" = {function}(" in line for lines in (self.body, *self.kernels) for line in lines)


def calls_macros(lines: Iterable[str]) -> bool:
    """Whether some lines need the macros of ``c/fma.c.jinja``."""
    return any(f"{macro}(" in line for line in lines for macro in (FUSED_MACRO, ROUNDED_MACRO))


def form_unit(tree: Tree, scalar: str) -> Unit:
    """The body of a function over ``double`` or ``float``."""
    program, direct = tree.program, tree.direct
    places = {buffer.name: array_name(buffer) for buffer in program.buffers}
    if direct is not None:
        kernel = form_kernel(direct.tape, *tree.direct_places(), pairs_at_once(scalar))
        lines = CPrinter(kernel, direct_names(direct.call, places), scalar).print()
        kernels: tuple[tuple[str, ...], ...] = ()
    else:
        writer = LimbWriter(tree, scalar, places)
        lines = writer.lines(tree.body)
        kernels = tuple(writer.kernels.values())
    prologue, constants = _workspace_lines(tree, scalar, places), constant_lines(tree, scalar, places)
    counts, whole = lane_counts(program), vector_lanes(program)
    return Unit(tuple(constants), kernels, (*prologue, *lines), tree.used, counts, whole)


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
