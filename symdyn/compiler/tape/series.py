"""Kernels on truncated Taylor series: what one instruction on whole series means for their coefficients.

In a tape over series, a varying value is a series of ``size`` normalised coefficients, and a uniform one is a number
that is constant in time. A product of series is a convolution, summed in the order of the coefficients of its first
factor; sums, and products with numbers, act on each coefficient. A number that is added concerns the first one alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from symdyn.compiler.tape.builder import TapeBuilder
from symdyn.compiler.tape.tape import Op, OverSeries, Port, Tape

CODES: frozenset[str] = frozenset({"input", "constant", "add", "sub", "neg", "mul", "fma", "fms", "fnma"})
"""What a tape over series may hold; the fused ones by the last pass alone."""

_CHAIN = {"mul": "fma", "fma": "fma", "fms": "fma", "fnma": "fnma"}
"""How a product of series goes on after its first term."""


def expanded(over: OverSeries) -> Tape:
    """The tape over single coefficients, which remembers the one over series."""
    over = replace(over, tape=_shifted_last(over.tape))
    tape, expander = over.tape, _Expander(over)
    for op in tape.ops:
        expander.add(op)
    results = tuple(
        tuple([place for result in results for place in expander.coefficients(result)]) for results in tape.results
    )
    inputs = tuple(_widened(port, over.size) if port.varying else port for port in tape.inputs)
    outputs = tuple(_widened(port, over.size) for port in tape.outputs)
    return replace(
        tape, inputs=inputs, outputs=outputs, ops=tuple(expander.builder.ops), results=results, over_series=over
    )


def _widened(port: Port, size: int) -> Port:
    """The port of all coefficients."""
    places = tuple([port.place(index) + k for index in range(port.width) for k in range(size)])
    return Port(port.name, len(places), port.unit, places=() if places == tuple(range(len(places))) else places)


def _shifted_last(tape: Tape) -> Tape:
    """The tape with the factor that more products read behind the other, for its coefficients are then moved once."""
    readers = Counter(
        argument
        for op in tape.ops
        if op.code in _CHAIN and all(tape.ops[factor].varying for factor in op.args[:2])
        for argument in op.args[:2]
    )
    ops = [
        op.with_args((op.args[1], op.args[0], *op.args[2:]))
        if op.code in _CHAIN and readers[op.args[0]] > readers[op.args[1]]
        else op
        for op in tape.ops
    ]
    return replace(tape, ops=tuple(ops))


class _Expander:
    """Instructions on coefficients, made from those on series one after the other."""

    def __init__(self, over: OverSeries) -> None:
        self.builder = TapeBuilder()
        self._over = over
        self._values: list[tuple[int, ...]] = []

    def coefficients(self, position: int) -> tuple[int, ...]:
        """Positions of all coefficients of a value."""
        own = self._values[position]
        return own if len(own) > 1 else (*own, *[self.builder.constant(0.0) for _ in range(self._over.size - 1)])

    def add(self, op: Op) -> None:
        """The next instruction."""
        assert op.code in CODES, op.code
        values = [self._values[argument] for argument in op.args]
        if op.code in ("input", "constant"):
            self._values.append(self._leaf(op))
        elif not op.varying:
            self._values.append((self.builder.emit(op.code, *[own[0] for own in values]),))
        elif op.code in _CHAIN and len(values[0]) > 1 and len(values[1]) > 1:
            self._values.append(self._product(op.code, *values))
        else:
            self._values.append(tuple([self._coefficient(op.code, values, k) for k in range(self._over.size)]))

    def _leaf(self, op: Op) -> tuple[int, ...]:
        if not op.varying:
            return (self.builder.append(op),)
        port, element = op.source
        size = self._over.size
        return tuple([self.builder.append(op._replace(source=(port, size * element + k))) for k in range(size)])

    def _coefficient(self, code: str, values: Sequence[tuple[int, ...]], k: int) -> int:
        """Coefficient k of what acts on each; numbers have none but the first."""
        if k == 0:
            return self.builder.emit(code, *[own[0] for own in values])
        series = [len(own) > 1 for own in values]
        own = [coefficients[min(k, len(coefficients) - 1)] for coefficients in values]
        match code:
            case "add" | "sub" if not all(series):
                if series[0]:
                    return own[0]
                return own[1] if code == "add" else self.builder.emit("neg", own[1])
            case "fma" | "fms" | "fnma" if not series[2]:
                product = self.builder.emit("mul", own[0], own[1])
                return self.builder.emit("neg", product) if code == "fnma" else product
            case "fma" | "fms" | "fnma" if not any(series[:2]):
                return self.builder.emit("neg", own[2]) if code == "fms" else own[2]
        return self.builder.emit(code, *own)

    def _product(
        self, code: str, first: tuple[int, ...], second: tuple[int, ...], start: tuple[int, ...] = ()
    ) -> tuple[int, ...]:
        """All coefficients of a product of series, with what it is added to."""
        emit, found = self.builder.emit, []
        for k in range(self._over.size):
            if start and (k == 0 or len(start) > 1):
                total = emit(code, first[0], second[k], start[k])
            else:
                total = emit("mul", first[0], second[k])
                total = emit("neg", total) if code == "fnma" else total
            for j in range(1, k + 1):
                total = emit(_CHAIN[code], first[j], second[k - j], total)
            found.append(total)
        return tuple(found)
