"""Kernels that work on several alike things at once, such as limbs of the robot, within one call of a C function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symdyn.emit.arguments import call_lines
from symdyn.emit.c_dialect import DIALECTS
from symdyn.emit.c_loops import KERNELS, Form, LoopWriter, Parameter, port_names
from symdyn.emit.lane_sums import FIRST_LANE, SharedByLanes, waiting
from symdyn.emit.lanes_dialect import LanesBesideEachOther, lane_types, lanes_of, spread_results
from symdyn.emit.statements import Kernel, Place, form_kernel
from symdyn.emit.tree import For, Run, Tree
from symdyn.tape.lane_padding import unfilled
from symdyn.tape.program import Address, Affine, Program, lane_loops
from symdyn.tape.tape import Tape

WIDTH = "WIDTH"
"""Lanes of a vector."""


@dataclass(frozen=True, slots=True)
class LanesApart(Place):
    """In a buffer without lanes, ``stride`` scalars from one lane to the next.

    ``suffix`` tells the functions for this number of lanes from those for others.
    """

    stride: int = 0
    suffix: str = ""

    def element(self, index: int) -> str:
        """Text of one value per lane."""
        return f"lanes_gather{self.suffix}({self._first(index)}, {self.stride}, {FIRST_LANE})"

    def store(self, index: int, sign: str, value: str) -> str:
        """The statement that sets one value per lane, or adds to them."""
        text = value if sign == "=" else f"{self.element(index)} + {value}"
        return f"lanes_scatter{self.suffix}({self._first(index)}, {self.stride}, {FIRST_LANE}, {text});"

    def add_product(self, index: int, factors: tuple[str, str], fused: str) -> str:
        """The statement that adds one product per lane."""
        return self.store(index, "=", fused.format(*factors, self.element(index)))

    def _first(self, index: int) -> str:
        return f"{self.array} + {index}" if index else self.array


def lane_counts(program: Program) -> tuple[int, ...]:
    """The numbers of lanes of a program's loops over them, the least first."""
    return tuple(sorted({loop.lanes for loop in lane_loops(program.body)}))


def lanes_suffix(count: int, counts: tuple[int, ...]) -> str:
    """What the functions for so many lanes have behind their names; nothing where a file has no others."""
    return f"_{count}" if len(counts) > 1 else ""


class LimbWriter(LoopWriter):
    """Loops of a program whose loops over lanes advance by whole vectors."""

    def __init__(self, tree: Tree, scalar: str, places: Mapping[str, str]) -> None:
        super().__init__(tree, scalar, places)
        program = tree.program
        self._lanes = {buffer.name: buffer.lanes for buffer in program.buffers}
        self._counts = lane_counts(program)
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
        ins, outs = port_names(tape)
        inputs = [self._parameter(name, address, count, True) for name, address in zip(ins, call.inputs, strict=True)]
        outputs = [
            self._parameter(name, address, count, port.accumulate)
            for name, port, address in zip(outs, tape.outputs, call.outputs, strict=True)
        ]
        written = [item.place for item in outputs]
        places = (*(item.place for item in inputs), *written)
        known = self._written.setdefault(tape.name, {})
        name = known.setdefault(places, KERNELS.name(f"{tape.name} {len(known) + 1}" if known else tape.name))
        if name not in self.kernels:
            lanes = lanes_of(tape, self.scalar, tuple(_lane_stride(address) != 0 for address in call.inputs))
            kernel = form_kernel(tape, DIALECTS[self.scalar], [item.place for item in inputs], lanes)
            kernel = spread_results(tape, kernel, lanes, (True,) * len(outputs))
            read = [item.place for port, item in enumerate(inputs) if port in run.read]
            needs = any(isinstance(place, LanesApart) for place in read)
            needs = needs or any(not isinstance(place, LanesBesideEachOther) for place in written)
            self._needs_lane[name] = needs
            before = (f"const size_t {FIRST_LANE}",) if needs else ()
            if tape.name not in self.shared:  # or sums would be in another order than the places they add to want
                outputs = [_postponed(tape, kernel, port, own) for port, own in enumerate(outputs)]
            self._write(run, Form(name, kernel, inputs, outputs, lane_types(self.scalar), before))
        return name

    def _parameter(self, name: str, address: Address, count: int, loads: bool) -> Parameter:
        """What a kernel of ``count`` lanes takes for a port; lanes left over find no number where none was put."""
        stride, lanes = _lane_stride(address), self._lanes[address.buffer]
        suffix = lanes_suffix(count, self._counts)
        if lanes > 1 and stride and not (loads and count < lanes and address.buffer in self._unfilled):
            place: Place = LanesBesideEachOther(name)
        elif stride:
            place = LanesApart(name, stride=stride, suffix=suffix)
        else:
            place = SharedByLanes(name, suffix=suffix)
        return Parameter(place, f"{self.scalar} *")


def _postponed(tape: Tape, kernel: Kernel, port: int, output: Parameter) -> Parameter:
    """An output of which many elements wait for a loop."""
    if not isinstance(output.place, SharedByLanes):
        return output
    sums, products = waiting(tape, kernel, port)
    return replace(output, place=replace(output.place, sums=sums, products=products))


def _lane_stride(address: Address) -> int:
    """By how much an address advances from lane to lane: the last loop around it."""
    return address.strides[-1] if isinstance(address, Affine) else address.steps[-1]
