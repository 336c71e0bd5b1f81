"""Move what a program reads and writes to other places of its arguments: matrices by columns, zeros left out.

Only addresses change. Where a port's scalars keep their distances in every run of a call, its address moves, and its
scalars lie further apart; else each scalar becomes a port of its own. An address that no longer grows evenly with the
loops around is looked up in a table of indices.

Addresses that are found from where they lead in every run of the loops around.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from symdyn.compiler.passes.program.zeros import may_be_nonzero
from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.tape.evaluate import resolve
from symdyn.compiler.tape.pattern import Pattern, Stored, matrix_shape
from symdyn.compiler.tape.program import (
    Address,
    Affine,
    Buffer,
    BufferKind,
    Call,
    Gather,
    Loop,
    Program,
    Statement,
    inner_runs,
)
from symdyn.compiler.tape.tape import Port, Tape
from symdyn.interface.signature import Signature

Runs = Sequence[tuple[int, ...]]
"""The indices of the loops around a statement, per run."""


class Addresses:
    """Finds addresses, and keeps the tables of indices that some of them need."""

    def __init__(self, tables: Mapping[str, Sequence[float]]) -> None:
        self.tables = tables
        self.indexing: dict[tuple[int, ...], Buffer] = {}

    def fitting(self, buffer: str, starts: Sequence[int], runs: Runs) -> Address:
        """The address that means ``starts[k]`` at the indices ``runs[k]`` of the loops around."""
        depth, at = len(runs[0]), dict(zip(runs, starts, strict=True))
        strides = []
        for level in range(depth):
            nexts = ((run, (*run[:level], run[level] + 1, *run[level + 1 :])) for run in runs)
            strides.append(next((at[after] - at[run] for run, after in nexts if after in at), 0))
        base = starts[0] - sum(stride * index for stride, index in zip(strides, runs[0], strict=True))
        even = Affine(buffer, base, tuple(strides))
        if all(resolve(even, self.tables, run) == start for run, start in at.items()):
            return even
        extents = [max(run[level] for run in runs) + 1 for level in range(depth)]
        steps = [1] * depth
        for level in range(depth - 2, -1, -1):
            steps[level] = steps[level + 1] * extents[level + 1]
        values = [0] * (steps[0] * extents[0])
        for run, start in at.items():
            values[sum(step * index for step, index in zip(steps, run, strict=True))] = start
        key = tuple(values)
        if key not in self.indexing:
            name = f"stored_{len(self.indexing)}"
            self.indexing[key] = Buffer(name, BufferKind.INDEX, 1, len(key), values=key)
        return Gather(buffer, self.indexing[key].name, 0, tuple(steps))


def stored_by_columns(
    program: Program,
    signature: Signature,
    inputs: Mapping[str, Stored],
    outputs: Mapping[str, Stored],
    dense: bool = False,
) -> Program:
    """The program of another signature, whose arguments are stored by columns.

    Parameters
    ----------
    program
        Without lanes, not yet with fused products.
    signature
        Its new arguments. Of its outputs, those that are not in ``outputs`` have no entry that is stored, and so have
        inputs that the program does not read.
    inputs
        Per new input, those that the program reads, the input of the program that it is.
    outputs
        Per new output what it is made of. An output of the program may go to several places.
    dense
        Whether zeros are stored, too.

    Returns
    -------
    The program with the ``patterns`` of its arguments: of outputs without what is zero by structure.
    """
    return _Mover(program, signature, inputs, outputs, dense).moved()


class _Mover:
    def __init__(
        self,
        program: Program,
        signature: Signature,
        inputs: Mapping[str, Stored],
        outputs: Mapping[str, Stored],
        dense: bool,
    ) -> None:
        self.program, self.signature, self.inputs, self.outputs = program, signature, inputs, outputs
        self.tapes = {tape.name: tape for tape in program.tapes}
        self.tables = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
        self.live = {
            name: {place for place, flag in enumerate(flags) if flag or dense}
            for name, flags in may_be_nonzero(program).items()
        }
        self.sources = {stored.buffer: name for name, stored in inputs.items()}
        self.targets: dict[str, list[str]] = {buffer.name: [] for buffer in program.buffers_of(BufferKind.OUT)}
        for name, stored in outputs.items():
            self.targets[stored.buffer].append(name)
        self.made: dict[tuple[str, tuple[Port, ...], tuple[Port, ...]], Tape] = {}
        self.addresses = Addresses(self.tables)

    def moved(self) -> Program:
        while self._spread():
            pass
        patterns = {name: self._pattern(stored) for name, stored in self.outputs.items()}
        self.places = {
            name: {entry: place for place, entry in enumerate(pattern.entries)} for name, pattern in patterns.items()
        }
        body = self._statements(self.program.body, [()])
        empty = {
            argument.name: Pattern(*matrix_shape(argument.shape), ())
            for argument in (*self.signature.inputs, *self.signature.outputs)
        }
        read = {
            argument.name: Pattern.dense(*matrix_shape(argument.shape))
            for argument in self.signature.inputs
            if argument.name in self.inputs
        }
        kept = [
            replace(buffer, name=self.sources.get(buffer.name, buffer.name))
            for buffer in self.program.buffers
            if buffer.kind is not BufferKind.OUT
        ]
        outs = [
            Buffer(argument.name, BufferKind.OUT, patterns[argument.name].size, dtype=self.program.dtype)
            for argument in self.signature.outputs
            if argument.name in patterns
        ]
        return replace(
            self.program,
            signature=self.signature,
            buffers=(*kept, *outs, *self.addresses.indexing.values()),
            tapes=tuple(self.made.values()),
            body=body,
            patterns={**empty, **read, **patterns},
        )

    def _pattern(self, stored: Stored) -> Pattern:
        live = self.live[stored.buffer]
        entries = (entry for place, entry in enumerate(stored.to) if place in live)
        return Pattern.of(stored.rows, stored.columns, entries)

    def _spread(self) -> bool:
        """Keep what lies in the same scalar of a port as something that is kept, in other runs; or what is read."""
        grown = False
        for call, runs in self._calls(self.program.body, [()]):
            tape = self.tapes[call.tape]
            for ports, addresses, reads in ((tape.inputs, call.inputs, True), (tape.outputs, call.outputs, False)):
                for port, address in zip(ports, addresses, strict=True):
                    if address.buffer not in self.live or not self.targets[address.buffer]:
                        continue
                    live = self.live[address.buffer]
                    starts = [resolve(address, self.tables, run) for run in runs]
                    for index in range(port.width):
                        lying = {start + port.place(index) for start in starts}
                        if not lying <= live and (reads or lying & live):
                            live |= lying
                            grown = True
        return grown

    def _calls(self, statements: Sequence[Statement], runs: Runs) -> Iterator[tuple[Call, Runs]]:
        for statement in statements:
            if isinstance(statement, Call):
                yield statement, runs
            else:
                yield from self._calls(statement.body, list(inner_runs(statement, self.tables, runs)))

    def _statements(self, statements: Sequence[Statement], runs: Runs) -> tuple[Statement, ...]:
        made: list[Statement] = []
        for statement in statements:
            if isinstance(statement, Loop):
                body = self._statements(statement.body, list(inner_runs(statement, self.tables, runs)))
                made += [replace(statement, body=body)] if body else []
            elif runs:
                call = self._call(statement, runs)
                made += [call] if call.outputs else []
        return tuple(made)

    def _call(self, call: Call, runs: Runs) -> Call:
        tape = self.tapes[call.tape]
        ins, sources = list[tuple[Port, Address]](), dict[tuple[int, int], tuple[int, int]]()
        for number, (port, address) in enumerate(zip(tape.inputs, call.inputs, strict=True)):
            for own, moved, elements in self._read(port, address, runs):
                sources |= {(number, element): (len(ins), place) for place, element in enumerate(elements)}
                ins.append((own, moved))
        outs, results = list[tuple[Port, Address]](), list[tuple[int, ...]]()
        for port, address, found in zip(tape.outputs, call.outputs, tape.results, strict=True):
            for own, moved, elements in self._written(port, address, runs):
                outs.append((own, moved))
                results.append(tuple(found[element] for element in elements))
        key = tape.name, _apart(port for port, _ in ins), _apart(port for port, _ in outs)
        if key not in self.made:
            ops = tuple(op._replace(source=sources[op.source]) if op.code == "input" else op for op in tape.ops)
            twin = sum(name == tape.name for name, _, _ in self.made)
            name = f"{tape.name}_{twin + 1}" if twin else tape.name
            made = replace(tape, name=name, inputs=key[1], outputs=key[2], ops=ops, results=tuple(results))
            self.made[key] = drop_unused(made)
        return Call(self.made[key].name, tuple(own for _, own in ins), tuple(own for _, own in outs))

    def _read(self, port: Port, address: Address, runs: Runs) -> list[tuple[Port, Address, list[int]]]:
        if self.targets.get(address.buffer):
            name = self.targets[address.buffer][0]
            return self._parts(port, address, runs, name, self._stored(name))
        if address.buffer in self.sources:
            name = self.sources[address.buffer]
            to = self.inputs[name].to
            if to == tuple(range(len(to))):
                return [(port, replace(address, buffer=name), list(range(port.width)))]
            return self._parts(port, address, runs, name, dict(enumerate(to)))
        return [(port, address, list(range(port.width)))]

    def _written(self, port: Port, address: Address, runs: Runs) -> list[tuple[Port, Address, list[int]]]:
        if address.buffer not in self.targets:
            return [(port, address, list(range(port.width)))]
        parts = []
        for name in self.targets[address.buffer]:
            parts += self._parts(port, address, runs, name, self._stored(name))
        return parts

    def _stored(self, name: str) -> dict[int, int]:
        """Where the scalars of an output's buffer lie that are stored."""
        stored, places = self.outputs[name], self.places[name]
        live = self.live[stored.buffer]
        return {place: places[entry] for place, entry in enumerate(stored.to) if place in live}

    def _parts(
        self, port: Port, address: Address, runs: Runs, buffer: str, to: Mapping[int, int]
    ) -> list[tuple[Port, Address, list[int]]]:
        """The ports that a port becomes where scalar k of its buffer lies at ``to[k]`` of another, or is not stored."""
        starts = [resolve(address, self.tables, run) for run in runs]
        kept = [index for index in range(port.width) if starts[0] + port.place(index) in to]
        if not kept:
            return []
        lying = [[to[start + port.place(index)] for index in kept] for start in starts]
        first = lying[0]
        if all(place - row[0] == one - first[0] for row in lying for place, one in zip(row, first, strict=True)):
            least = min(range(len(kept)), key=lambda index: first[index])
            places = [place - first[least] for place in first]
            found = self.addresses.fitting(buffer, [row[least] for row in lying], runs)
            return [(_part(port, kept, () if places == list(range(len(kept))) else tuple(places)), found, kept)]
        return [
            (
                _part(port, [index], (), f"{port.name}_{index}"),
                self.addresses.fitting(buffer, [row[number] for row in lying], runs),
                [index],
            )
            for number, index in enumerate(kept)
        ]


def _apart(ports: Iterable[Port]) -> tuple[Port, ...]:
    """The ports, each with a name of its own."""
    made: dict[str, Port] = {}
    for port in ports:
        name = port.name
        while name in made:
            name += "_"
        made[name] = replace(port, name=name)
    return tuple(made.values())


def _part(port: Port, kept: Sequence[int], places: tuple[int, ...], name: str = "") -> Port:
    origins = tuple(port.origins[index] for index in kept) if port.origins else ()
    return replace(port, name=name or port.name, width=len(kept), origins=origins, places=places)
