"""Results of kernels that no call reads are dropped: what a sweep keeps for others, and no other wants.

A step writes whole rows, a body's motion for instance, of which its readers may need a part: of the products of angular
velocities those alone that meet an offset of the next joint. In straight-line code the rest vanishes by itself.
Kernels in loops are made one by one, so that the question is asked of the program as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.tape.evaluate import flat_calls, resolve
from symdyn.compiler.tape.program import BufferKind, Call, Loop, Program, Statement
from symdyn.compiler.tape.tape import Port, Tape

_GIVEN = -1
"""Stands for the result that a scalar holds before any call has written it."""

_Seen = dict[tuple[int, tuple[int, ...]], None]
"""Number of a port's first scalar, and the results that its scalars hold when a call reaches it."""

_Kept = tuple[tuple[int, ...], ...]
"""Which scalars a tape keeps, port by port."""


def drop_unread(program: Program) -> Program:
    """The program with kernels that compute only what is read, and the ports, loads and stores that this leaves.

    A result is read if one call of its tape stores it where a later call reads it, for a result that is read itself,
    or adds to it for such a result, and if it is left in an output of the program.
    """
    inputs = _numbers([tape.inputs for tape in program.tapes])
    outputs = _numbers([tape.outputs for tape in program.tapes])
    read, added, left = _followed(program, inputs, outputs)
    sources, before = _by_scalar(read), _by_scalar(added)
    needs = [needed for tape, firsts in zip(program.tapes, inputs, strict=True) for needed in _needs(tape, firsts)]
    live, wanted = {_GIVEN}, set[int]()
    whole = {tape.name for tape in program.tapes if tape.over_series is not None}
    for tape, firsts in zip(program.tapes, outputs, strict=True):
        if tape.name in whole:  # all coefficients of a series are computed at once
            for port, first in zip(tape.outputs, firsts, strict=True):
                left += range(first, first + port.width)
    while left:
        result = left.pop()
        if result in live:
            continue
        live.add(result)
        left += before.get(result, ())
        for element in needs[result]:
            if element not in wanted:
                wanted.add(element)
                left += sources.get(element, ())
    if len(live) > len(needs):  # all results, and what is given
        return program
    unstored = {element for element, results in sources.items() if not live.issuperset(results)} - wanted
    kept = {
        tape.name: (
            _kept(tape.inputs, first_inputs, lambda element: element not in unstored),
            _kept(tape.outputs, first_outputs, lambda result: result in live),
        )
        for tape, first_inputs, first_outputs in zip(program.tapes, inputs, outputs, strict=True)
    }
    return replace(
        program,
        tapes=tuple(
            tape if tape.name in whole else _narrowed(tape, *kept[tape.name])
            for tape in program.tapes
            if any(kept[tape.name][1])
        ),
        body=tuple(_rebound(program.body, kept)),
    )


def _numbers(tapes: Sequence[Sequence[Port]]) -> list[tuple[int, ...]]:
    """The number of the first scalar of each port, counted through all tapes."""
    numbers, total = [], 0
    for ports in tapes:
        firsts = []
        for port in ports:
            firsts.append(total)
            total += port.width
        numbers.append(tuple(firsts))
    return numbers


def _followed(
    program: Program, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]
) -> tuple[_Seen, _Seen, list[int]]:
    """What calls find at their inputs and where they add, and the results that the outputs hold in the end."""
    tables = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
    held = {buffer.name: [_GIVEN] * buffer.size for buffer in program.buffers_of(BufferKind.WORKSPACE, BufferKind.OUT)}
    ports = {
        tape.name: (tuple(zip(tape.inputs, reads, strict=True)), tuple(zip(tape.outputs, writes, strict=True)))
        for tape, reads, writes in zip(program.tapes, inputs, outputs, strict=True)
    }
    read: _Seen = {}
    added: _Seen = {}
    for call, indices in flat_calls(program.body, tables):
        reads, writes = ports[call.tape]
        for (port, first), address in zip(reads, call.inputs, strict=True):
            memory = held.get(address.buffer)
            if memory is not None:
                read[first, _found(memory, port, resolve(address, tables, indices))] = None
        for (port, first), address in zip(writes, call.outputs, strict=True):
            memory, start = held[address.buffer], resolve(address, tables, indices)
            if port.accumulate:
                added[first, _found(memory, port, start)] = None
            if port.places:
                for result, place in enumerate(port.places, first):
                    memory[start + place] = result
            else:
                memory[start : start + port.width] = range(first, first + port.width)
    left = {result for buffer in program.buffers_of(BufferKind.OUT) for result in held[buffer.name]}
    return read, added, sorted(left)


def _found(memory: Sequence[int], port: Port, start: int) -> tuple[int, ...]:
    if port.places:
        return tuple([memory[start + place] for place in port.places])
    return tuple(memory[start : start + port.width])


def _by_scalar(seen: _Seen) -> dict[int, set[int]]:
    """The results that each scalar was seen to hold."""
    results: dict[int, set[int]] = {}
    for first, found in seen:
        for number, result in enumerate(found, first):
            results.setdefault(number, set()).add(result)
    return results


def _needs(tape: Tape, firsts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The input elements on which each result rests, in the order of the results."""
    elements: list[int] = []
    masks: list[int] = []
    for op in tape.ops:
        mask = 0
        if op.code == "input":
            mask = 1 << len(elements)
            elements.append(firsts[op.source[0]] + op.source[1])
        for argument in op.args:
            mask |= masks[argument]
        masks.append(mask)
    for results in tape.results:
        for result in results:
            yield tuple(compress(elements, map(int, f"{masks[result]:b}"[::-1])))


def _kept(ports: Sequence[Port], firsts: Sequence[int], wanted: Callable[[int], bool]) -> _Kept:
    return tuple(
        tuple([element for element in range(port.width) if wanted(first + element)])
        for port, first in zip(ports, firsts, strict=True)
    )


def _narrowed(tape: Tape, inputs: _Kept, outputs: _Kept) -> Tape:
    """The tape with ports of the kept scalars alone; a port without any is gone."""
    results = [
        tuple([found[element] for element in kept]) for found, kept in zip(tape.results, outputs, strict=True) if kept
    ]
    used = drop_unused(replace(tape, outputs=_ports(tape.outputs, outputs), results=tuple(results)))
    places: dict[tuple[int, int], tuple[int, int]] = {}
    for number, kept in enumerate(item for item in enumerate(inputs) if item[1]):
        port, elements = kept
        places |= {(port, element): (number, place) for place, element in enumerate(elements)}
    ops = tuple([op._replace(source=places[op.source]) if op.code == "input" else op for op in used.ops])
    return replace(used, inputs=_ports(tape.inputs, inputs), ops=ops)


def _ports(ports: Sequence[Port], kept: _Kept) -> tuple[Port, ...]:
    return tuple(_part(port, elements) for port, elements in zip(ports, kept, strict=True) if elements)


def _part(port: Port, elements: Sequence[int]) -> Port:
    """A port with some of its scalars, at the same address."""
    if len(elements) == port.width:
        return port
    places = tuple(port.place(element) for element in elements)
    return replace(
        port,
        width=len(elements),
        origins=tuple(port.origins[element] for element in elements) if port.origins else (),
        places=() if places == tuple(range(len(places))) else places,
    )


def _rebound(statements: Sequence[Statement], kept: Mapping[str, tuple[_Kept, _Kept]]) -> Iterator[Statement]:
    """Calls without the addresses of ports that are gone; without the calls, and loops, that do nothing any more."""
    for statement in statements:
        if isinstance(statement, Loop):
            body = tuple(_rebound(statement.body, kept))
            if body:
                yield replace(statement, body=body)
            continue
        inputs, outputs = kept[statement.tape]
        if any(outputs):
            yield Call(
                statement.tape,
                tuple(address for address, elements in zip(statement.inputs, inputs, strict=True) if elements),
                tuple(address for address, elements in zip(statement.outputs, outputs, strict=True) if elements),
            )
