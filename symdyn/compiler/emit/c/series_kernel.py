"""Kernels over series as lines of C: each value is a whole series, whose coefficients lie in vectors."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.emit.c.dialect import DIALECTS
from symdyn.compiler.emit.c.unit import INLINED, functions_of
from symdyn.compiler.emit.tree.kernel import Kind
from symdyn.compiler.tape.ops import FUSED
from symdyn.compiler.tape.tape import OverSeries

_LANES = {"mul": "lanes_fma", "fma": "lanes_fma", "fms": "lanes_fms", "fnma": "lanes_fnma"}
"""The functions of lanes that products of series call besides ``lanes_fma``."""


class SeriesPrinter:
    """The lines of a kernel; ``needs`` is what they call, functions of ``c/series.c.jinja`` above all."""

    def __init__(self, over: OverSeries, names: tuple[Sequence[str], Sequence[str]], scalar: str) -> None:
        self._tape, self._names = over.tape, names
        self._plain = DIALECTS[scalar]
        self._text: list[str] = []
        self.needs = {INLINED}

    def print(self) -> list[str]:
        """The lines of the kernel's body: a store follows its value."""
        lines: list[str] = []
        stores = self._stores()
        for position, op in enumerate(self._tape.ops):
            if op.code == "constant":
                self._text.append(self._plain.literal(op.literal))
            else:
                kind = "struct series" if op.varying else self._plain.types[Kind.NUMBER]
                lines.append(f"const {kind} v{position} = {self._value(position)};")
                self._text.append(f"v{position}")
            lines += [f"{self._call('store', place, self._series(position))};" for place in stores.get(position, ())]
        return lines

    def _stores(self) -> dict[int, list[str]]:
        """Where values go."""
        found: dict[int, list[str]] = {}
        for name, port, results in zip(self._names[1], self._tape.outputs, self._tape.results, strict=True):
            for element, result in enumerate(results):
                found.setdefault(result, []).append(_from(name, port.place(element)))
        return found

    def _value(self, position: int) -> str:
        op = self._tape.ops[position]
        if op.code == "input":
            port, element = op.source
            name, place = self._names[0][port], self._tape.inputs[port].place(element)
            return self._call("load", _from(name, place)) if op.varying else f"{name}[{place}]"
        if not op.varying:
            spelling = self._plain.operations[op.code]
            self.needs |= functions_of([spelling])
            return spelling.format(*[self._operand(argument) for argument in op.args])
        if op.code not in FUSED and op.code != "mul":
            return self._call(op.code, *map(self._series, op.args))
        self.needs |= {"lanes_fma", _LANES[op.code]}
        first, second, *rest = op.args
        numbers = [argument for argument in (first, second) if not self._tape.ops[argument].varying]
        if len(numbers) != 1:
            return self._call(op.code, *map(self._series, op.args))
        (series,) = {first, second} - set(numbers)
        if op.code != "mul":
            self.needs.add("lanes_spread")
        return self._call(f"{op.code}_scaled", self._text[numbers[0]], *map(self._series, (series, *rest)))

    def _operand(self, position: int) -> str:
        text = self._text[position]
        return f"({text})" if text[0] == "-" else text

    def _series(self, position: int) -> str:
        """A value as a series."""
        text = self._text[position]
        return text if self._tape.ops[position].varying else self._call("of", text)

    def _call(self, function: str, *arguments: str) -> str:
        self.needs.add(f"series_{function}")
        return f"series_{function}({', '.join(arguments)})"


def _from(name: str, place: int) -> str:
    return f"{name} + {place}" if place else name
