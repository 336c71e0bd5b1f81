"""Jacobians by automatic differentiation of a tape: the independent rival of the analytic partial derivatives.

Reverse mode: what each output owes to each value travels back, from the outputs to the inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from symdyn.compiler.autodiff.forward_mode import push_tangents
from symdyn.compiler.autodiff.local_derivatives import CHOICES, CONSTANT_CODES, slopes
from symdyn.compiler.passes.program.flatten import flatten, inline
from symdyn.compiler.tape.builder import ArithmeticBuilder
from symdyn.compiler.tape.program import Program
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.errors import RequestError

Adjoint = dict[int, int]
"""Per output scalar the position of its derivative by a value; an absent one is structurally 0."""


def pull_adjoints(
    builder: ArithmeticBuilder, ops: Sequence[Op], results: Sequence[int], wanted: Sequence[int]
) -> dict[int, Adjoint]:
    """Differentiate all results by all wanted inputs in one sweep back.

    Parameters
    ----------
    builder
        Holds the values; the derivatives are appended to it.
    ops
        The instructions to differentiate, at the same positions as in the builder.
    results
        Positions of the output scalars; their number in this list names them in an :data:`Adjoint`.
    wanted
        Positions of inputs.

    Returns
    -------
    Per wanted input its adjoint. An instruction passes (its adjoint) * (slope by operand) on to each operand. What does
    not rest on a wanted input gets no adjoint, and where one is structurally zero nothing is appended.
    """
    active = _resting_on(ops, wanted)
    adjoints: list[Adjoint] = [{} for _ in ops]
    for number, result in enumerate(results):
        if active[result]:
            adjoints[result][number] = builder.constant(1.0)
    for position in range(len(ops) - 1, -1, -1):
        op, adjoint = ops[position], adjoints[position]
        if not adjoint or op.code == "input":
            continue
        if op.code in CHOICES:
            _pass_to_choice(builder, op, adjoint, adjoints, active)
            continue
        places = {place for place, argument in enumerate(op.args) if active[argument]}
        for operand, slope in slopes(builder, op.code, position, op.args, places):
            for number, share in adjoint.items():
                _accumulate(builder, adjoints[operand], number, builder.product(slope, share))
    return {position: adjoints[position] for position in wanted}


def _resting_on(ops: Sequence[Op], wanted: Sequence[int]) -> list[bool]:
    chosen = set(wanted)
    active: list[bool] = []
    for position, op in enumerate(ops):
        passes = op.code not in CONSTANT_CODES and any(active[argument] for argument in op.args)
        active.append(passes or position in chosen)
    return active


def _accumulate(builder: ArithmeticBuilder, adjoint: Adjoint, number: int, term: int) -> None:
    total = builder.sum(adjoint[number], term) if number in adjoint else term
    if builder.literal(total) == 0.0:
        adjoint.pop(number, None)
    else:
        adjoint[number] = total


def _pass_to_choice(
    builder: ArithmeticBuilder, op: Op, adjoint: Adjoint, adjoints: Sequence[Adjoint], active: Sequence[bool]
) -> None:
    condition, if_true, if_false = CHOICES[op.code](builder, op.args)
    left, right = op.args[if_true], op.args[if_false]
    zero = builder.constant(0.0)
    for number, share in list(adjoint.items()):
        if left == right:
            _accumulate(builder, adjoints[left], number, share)
            continue
        if active[left]:
            _accumulate(builder, adjoints[left], number, builder.choice(condition, share, zero))
        if active[right]:
            _accumulate(builder, adjoints[right], number, builder.choice(condition, zero, share))


MODES = ("forward", "reverse")

_ALONG_ELEMENTS: Mapping[str, Tape] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Block:
    """The directions of one input: ``rates[element][column]`` holds positions, absent where structurally zero."""

    name: str
    elements: tuple[int, ...]
    rates: tuple[Mapping[int, int], ...]
    columns: int


def jacobian(
    source: Program | Tape,
    outputs: Sequence[str],
    inputs: Sequence[str],
    mode: str,
    directions: Mapping[str, Tape] = _ALONG_ELEMENTS,
    keep_outputs: bool = False,
) -> Tape:
    """The tape that computes the Jacobians of some outputs with respect to some inputs.

    Parameters
    ----------
    source
        What to differentiate; a program is flattened first. Optimise it before: the derivative reuses its values, and
        what it computes twice is differentiated twice.
    outputs, inputs
        Names of ports.
    mode
        ``"forward"`` (cost grows with the number of directions) or ``"reverse"`` (with the number of outputs).
    directions
        Per input x of width n a tape that gives the directions of differentiation N, (n, k) row-major, as its one
        output, from ports named as the source's. The columns of the Jacobian are then dy/dx N; without, N is the unit
        matrix and every element of x is varied by itself.
    keep_outputs
        Also compute the outputs themselves.

    Returns
    -------
    A tape with the inputs of the source, the chosen outputs where asked for, and for every output y (slowest) and input
    x a port ``dy_dx``, the Jacobian in row-major order. Structurally zero entries are constants. Before any pass.

    Raises
    ------
    RequestError
        An unknown mode, output or input.

    References
    ----------
    Griewank & Walther 2008, Evaluating Derivatives, chapter 3.
    """
    if mode not in MODES:
        raise RequestError(f"mode of differentiation is 'forward' or 'reverse', got '{mode}'")
    tape = flatten(source) if isinstance(source, Program) else source
    _check_names(tape, outputs, inputs)
    builder = ArithmeticBuilder()
    places = [
        [
            builder.append(Op("input", source=(port, element), varying=tape.inputs[port].varying))
            for element in range(width)
        ]
        for port, width in enumerate(port.width for port in tape.inputs)
    ]
    values = dict(zip((port.name for port in tape.outputs), inline(builder, tape, places), strict=True))
    primal = tuple(builder.ops)
    given = dict(zip((port.name for port in tape.inputs), places, strict=True))
    blocks = [_block(builder, name, given, directions.get(name)) for name in inputs]
    results = [result for name in outputs for result in values[name]]
    entries = (_forward if mode == "forward" else _reverse)(builder, primal, results, blocks)
    zero = builder.constant(0.0)
    kept = [port for port in tape.outputs if keep_outputs and port.name in outputs]
    ports = [Port(port.name, port.width, port.unit, port.origins, port.varying) for port in kept]
    lists = [tuple(values[port.name]) for port in kept]
    row = 0
    for name in outputs:
        width = len(values[name])
        for number, block in enumerate(blocks):
            ports.append(Port(f"d{name}_d{block.name}", width * block.columns))
            lists.append(
                tuple(
                    entries[index][number].get(column, zero)
                    for index in range(row, row + width)
                    for column in range(block.columns)
                )
            )
        row += width
    return Tape(
        f"{tape.name}_jacobian",
        tape.inputs,
        tuple(ports),
        tuple(builder.ops),
        tuple(lists),
        tape.dtype,
        tape.description,
    )


def _check_names(tape: Tape, outputs: Sequence[str], inputs: Sequence[str]) -> None:
    for kind, asked, ports in (("output", outputs, tape.outputs), ("input", inputs, tape.inputs)):
        known = [port.name for port in ports]
        for name in asked:
            if name not in known:
                raise RequestError(f"'{tape.name}' has no {kind} '{name}'; it has {', '.join(known)}")


def _block(
    builder: ArithmeticBuilder, name: str, given: Mapping[str, Sequence[int]], directions: Tape | None
) -> _Block:
    elements = tuple(given[name])
    if directions is None:
        one = builder.constant(1.0)
        return _Block(name, elements, tuple({place: one} for place in range(len(elements))), len(elements))
    ((*flat,),) = inline(builder, directions, [given[port.name] for port in directions.inputs])
    columns = len(flat) // len(elements)
    assert columns * len(elements) == len(flat), (name, len(flat), len(elements))
    rates = tuple(
        {
            column: flat[place * columns + column]
            for column in range(columns)
            if builder.literal(flat[place * columns + column]) != 0.0
        }
        for place in range(len(elements))
    )
    return _Block(name, elements, rates, columns)


Entries = list[list[dict[int, int]]]
"""Per output scalar and block, the position of the entry in each column that is not structurally zero."""


def _forward(
    builder: ArithmeticBuilder, primal: Sequence[Op], results: Sequence[int], blocks: Sequence[_Block]
) -> Entries:
    seeds: dict[int, dict[int, int]] = {}
    offsets = []
    offset = 0
    for block in blocks:
        offsets.append(offset)
        for element, rates in zip(block.elements, block.rates, strict=True):
            seeds[element] = {offset + column: rate for column, rate in rates.items()}
        offset += block.columns
    tangents = push_tangents(builder, primal, seeds)
    return [
        [
            {
                column: tangents[result][start + column]
                for column in range(block.columns)
                if start + column in tangents[result]
            }
            for start, block in zip(offsets, blocks, strict=True)
        ]
        for result in results
    ]


def _reverse(
    builder: ArithmeticBuilder, primal: Sequence[Op], results: Sequence[int], blocks: Sequence[_Block]
) -> Entries:
    wanted = [element for block in blocks for element in block.elements]
    adjoints = pull_adjoints(builder, primal, results, wanted)
    entries: Entries = []
    for number in range(len(results)):
        entries.append([])
        for block in blocks:
            found: dict[int, int] = {}
            for element, rates in zip(block.elements, block.rates, strict=True):
                share = adjoints[element].get(number)
                for column, rate in rates.items() if share is not None else ():
                    assert share is not None
                    term = builder.product(share, rate)
                    found[column] = builder.sum(found[column], term) if column in found else term
            entries[-1].append(found)
    return entries
