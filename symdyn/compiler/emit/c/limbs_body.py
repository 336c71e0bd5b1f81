"""Kernels that work on several alike things at once, such as limbs of the robot, within one call of a C function."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.emit.arguments import call_lines
from symdyn.compiler.emit.c.arrays import FIRST_LANE, WIDTH
from symdyn.compiler.emit.c.loops import KERNELS, LoopWriter
from symdyn.compiler.emit.tree.form_kernel import form_kernel
from symdyn.compiler.emit.tree.kernel import Access, Place
from symdyn.compiler.emit.tree.loops import For, Run, Tree
from symdyn.compiler.emit.tree.varying import varying_ops
from symdyn.compiler.tape.lane_padding import unfilled
from symdyn.compiler.tape.program import Address, Affine


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
        lines = [f"for (size_t {index} = 0; {index} < {loop.lanes}; {index} += {WIDTH}) {{"]
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
