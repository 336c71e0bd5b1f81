"""Pieces on whole time series, whose coefficients run side by side: which visits do, and the kernels that they make.

A timeless kernel does the same on whole series as on numbers, as long as it adds and multiplies: its tape is that of
order 0, and every instruction takes series. Sines and cosines of coordinates are found before, one coefficient after
the other, by the recurrence that any series has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call
from symdyn.compiler.tape.series import CODES, expanded
from symdyn.compiler.tape.tape import Op, OverSeries, Port, Tape, places_from_first
from symdyn.plan.plan import Access, Given, Mode, Plan, SeriesForm, Step, Sweep, Visit
from symdyn.tracing.rolled.kernels import without_unused_inputs
from symdyn.tracing.unrolled.from_casadi import trace_casadi

LEAST = 3
"""Coefficients from which on series may lie in lanes; two make a vector of which a product uses three quarters."""

SINES = "series_sines"
"""The workspace of the sines and cosines of coordinates."""

_PAIR, _ANGLES = ("sin", "cos"), "angles"


def runs_on_series(plan: Plan) -> bool:
    """Whether visits of a plan, all in a row, may run on whole series.

    Their kernels add and multiply alone, and nothing is in lanes.
    """
    if any(visit.lanes > 1 for sweep in plan.sweeps for visit in sweep.visits):
        return False
    known: dict[object, bool] = {}
    flags = [on_series(sweep) for sweep in plan.sweeps]
    runs = [number for number, whole in enumerate(flags) if whole]
    fits = all(_fits(sweep.step, visit, known) for sweep in compress(plan.sweeps, flags) for visit in sweep.visits)
    return bool(runs) and fits and runs[-1] - runs[0] < len(runs) and _is_closed(plan, flags)


def on_series(sweep: Sweep) -> bool:
    """Whether all visits of a sweep know how to run on whole series."""
    return all(visit.on_series is not None for visit in sweep.visits)


def _fits(step: Step, visit: Visit, known: dict[object, bool]) -> bool:
    """Whether a visit takes and makes whole series by sums and products."""
    assert visit.on_series is not None
    if visit.on_series.size < LEAST:
        return False
    key = (step.name, visit.variant, tuple(visit.bindings), tuple(visit.constants))
    if key not in known:
        known[key] = _adds_and_multiplies(step, visit)
    return known[key]


def _adds_and_multiplies(step: Step, visit: Visit) -> bool:
    """Whether a kernel adds and multiplies series; of what it reads as it lies, it may take sines and cosines."""
    algebra, written = CasadiAlgebra(), list[Any]()
    symbols: list[Any] = []

    def read(access: Access, place: int, form: SeriesForm | None) -> Any:
        symbols.extend(algebra.symbols("x", 1))
        return symbols[-1]

    run_on_series(step, visit, algebra, read, lambda access, place, value, added: written.append(value))
    tape = trace_casadi("tried", [(Port("reads", len(symbols)), symbols)], [(Port("writes", len(written)), written)])
    return all(op.code in CODES or _is_of_input(op, tape) for op in tape.ops)


def _is_of_input(op: Op, tape: Tape) -> bool:
    return op.code in _PAIR and tape.ops[op.args[0]].code == "input"


def _is_closed(plan: Plan, flags: Sequence[bool]) -> bool:
    """Whether visits on whole series write all coefficients that other visits read of their fields."""
    pairs = list(zip(plan.sweeps, flags, strict=True))
    longer = {
        access.field
        for sweep, fits in pairs
        for visit in sweep.visits
        for name, access in visit.bindings.items()
        if fits and isinstance(access, Access) and sweep.step.port(name).mode is not Mode.READ
        if visit.on_series is None or any(form.size > visit.on_series.size for _, form in visit.on_series.ports[name])
    }
    others = [visit for sweep, fits in pairs if not fits for visit in sweep.visits]
    return not any(isinstance(own, Access) and own.field in longer for visit in others for own in _places(visit))


def _places(visit: Visit) -> Iterator[object]:
    yield from visit.bindings.values()
    yield from visit.constants.values()


Flags = Mapping[str, bytearray]
"""A flag per scalar of each field."""

Read = Callable[[Access, int, SeriesForm | None], Any]
Write = Callable[[Access, int, Any, SeriesForm | None], None]


def run_on_series(step: Step, visit: Visit, algebra: CasadiAlgebra, read: Read, write: Write) -> None:
    """Run a step's kernel with one symbol per series; places are those of the first coefficients.

    ``read`` gets the form of the series, and None for what is constant in time; ``write`` gets it where it adds.
    """
    own = visit.on_series
    assert own is not None
    modes = {port.name: port.mode for port in step.ports}
    reads: dict[str, Sequence[Any]] = {}
    for name, binding in visit.bindings.items():
        if isinstance(binding, Given):
            reads[name] = binding.values
        elif modes[name] is Mode.READ:
            reads[name] = [read(binding, binding.offset + start, form) for start, form in own.ports[name]]
    constants = {
        name: read(value, value.offset, None) if isinstance(value, Access) else value
        for name, value in visit.constants.items()
    }
    for name, values in step.kernel(own.variant, algebra, constants, reads).items():
        access = visit.bindings[name]
        assert isinstance(access, Access)
        for (start, form), value in zip(own.ports[name], values, strict=True):
            write(access, access.offset + start, value, form if modes[name] is Mode.ADD else None)


@dataclass(frozen=True, slots=True)
class SeriesCalls:
    """Kernels of visits on whole series: the sines and cosines that they need, and then the kernel itself."""

    tapes: tuple[Tape, ...]
    calls: tuple[Call, ...]
    buffers: tuple[Buffer, ...]


def traced_on_series(name: str, visits: Sequence[tuple[Step, Visit]], is_set: Flags, live: Flags) -> SeriesCalls:
    """The kernel of some visits on whole series.

    Parameters
    ----------
    name
        What its tapes are called.
    visits
        What to do, in order.
    is_set, live
        Per scalar of a field whether it has a value before, so that sums add to it, and whether it is needed later.
    """
    algebra = CasadiAlgebra()
    first = visits[0][1].on_series
    assert first is not None
    size = first.size
    made: dict[tuple[str, int], Any] = {}
    loaded: dict[tuple[str, int], tuple[Any, SeriesForm | None]] = {}

    def read(access: Access, place: int, form: SeriesForm | None) -> Any:
        key = access.field, place
        if key in made:
            return made[key]
        if key not in loaded:
            loaded[key] = algebra.symbols(f"{access.field}_{place}", 1)[0], form
        return loaded[key][0]

    def write(access: Access, place: int, value: Any, added: SeriesForm | None) -> None:
        key = access.field, place
        sums = added is not None and (key in made or is_set[access.field][place])
        made[key] = read(access, place, added) + value if sums else value

    for step, visit in visits:
        run_on_series(step, visit, algebra, read, write)
    kept = {key: value for key, value in made.items() if any(live[key[0]][key[1] : key[1] + size])}
    inputs = _ports({key: own for key, (own, form) in loaded.items() if form is not None and not form.by_rate}, True)
    inputs += _ports({key: own for key, (own, form) in loaded.items() if form is None}, False)
    angles = {key: own for key, (own, form) in loaded.items() if form is not None and form.by_rate}
    inputs += [(Port(_ANGLES, len(angles)), list(angles.values()), Affine("", 0))] if angles else []
    outputs = _ports(kept, True)
    tape = trace_casadi(
        f"{name}_over_series",
        [(port, symbols) for port, symbols, _ in inputs],
        [(port, values) for port, values, _ in outputs],
        ", ".join(dict.fromkeys(step.name.replace("_", " ") for step, _ in visits)),
    )
    tape, used = without_unused_inputs(tape)
    addresses = [inputs[number][2] for number in used]
    tapes, calls, buffers = list[Tape](), list[Call](), list[Buffer]()
    if angles and tape.inputs[-1].name == _ANGLES:
        forms = [loaded[key][1] for key in angles]
        tape, needed = _with_sines(tape, len(addresses) - 1)
        sines, call = _sines(f"{name}_sines", list(angles), forms, needed, size - 1)
        tapes, calls = [sines], [call]
        buffers = [Buffer(SINES, BufferKind.WORKSPACE, size, len(needed))]
        addresses[-1] = Affine(SINES, 0)
        places = tuple(size * number for number in range(len(needed)))
        tape = replace(tape, inputs=(*tape.inputs[:-1], Port(SINES, len(needed), places=places)))
    over = expanded(OverSeries(size, _narrowed(tape)))
    call = Call(over.name, tuple(addresses), tuple(address for *_, address in outputs))
    return SeriesCalls((*tapes, over), (*calls, call), tuple(buffers))


def _narrowed(tape: Tape) -> Tape:
    """The tape with ports of those series alone that it reads: what was cancelled may not be written yet."""
    found = sorted({op.source for op in tape.ops if op.code == "input"})
    moved: dict[tuple[int, int], tuple[int, int]] = {}
    ports = []
    for number, port in enumerate(tape.inputs):
        elements = [element for own, element in found if own == number]
        moved |= {(number, element): (number, place) for place, element in enumerate(elements)}
        ports.append(replace(port, width=len(elements), places=tuple(map(port.place, elements))))
    ops = tuple(op._replace(source=moved[op.source]) if op.code == "input" else op for op in tape.ops)
    return replace(tape, inputs=tuple(ports), ops=ops)


def _ports(values: Mapping[tuple[str, int], Any], varying: bool) -> list[tuple[Port, list[Any], Affine]]:
    """A port per field, with its values and its address."""
    found = []
    for field in dict.fromkeys(field for field, _ in values):
        places = sorted(place for own, place in values if own == field)
        port = Port(field, len(places), varying=varying, places=places_from_first(places))
        found.append((port, [values[field, place] for place in places], Affine(field, places[0])))
    return found


def _with_sines(tape: Tape, number: int) -> tuple[Tape, list[tuple[int, str]]]:
    """The tape with an input for each sine or cosine, or coordinate itself, that it takes of a port's elements."""
    needed: dict[tuple[int, str], int] = {}
    ops: list[Op] = []
    read = {argument for op in tape.ops if op.code not in _PAIR for argument in op.args}
    read.update(result for results in tape.results for result in results)
    for position, op in enumerate(tape.ops):
        angle = tape.ops[op.args[0]] if op.code in _PAIR else op
        if angle.code == "input" and angle.source[0] == number and (op.code in _PAIR or position in read):
            key = angle.source[1], op.code if op.code in _PAIR else ""
            op = Op("input", source=(number, needed.setdefault(key, len(needed))))
        ops.append(op)
    port = replace(tape.inputs[number], width=len(needed))
    return drop_unused(replace(tape, ops=tuple(ops), inputs=(*tape.inputs[:number], port))), list(needed)


def _sines(
    name: str,
    keys: Sequence[tuple[str, int]],
    forms: Sequence[SeriesForm | None],
    needed: Sequence[tuple[int, str]],
    order: int,
) -> tuple[Tape, Call]:
    """The kernel that finds all coefficients of what is ``needed`` of coordinates, and its call."""
    inner = CasadiAlgebra()
    algebra = TaylorAlgebra(inner, order)
    inputs, addresses, values = [], [], dict[tuple[int, str], Any]()
    for number, ((field, place), form) in enumerate(zip(keys, forms, strict=True)):
        assert form is not None
        symbols = inner.symbols(f"{field}_{place}", form.size)
        inputs.append((Port(f"{field}_{place}", form.size), symbols))
        addresses.append(Affine(field, place))
        series = form.loaded(algebra, symbols)
        values[number, ""] = series
        values[number, "sin"], values[number, "cos"] = algebra.sin_cos(series)
    found = [values[key].coefficient(k) for key in needed for k in range(order + 1)]
    tape = trace_casadi(name, inputs, [(Port(SINES, len(found)), found)], "series of sines and cosines")
    return tape, Call(name, tuple(addresses), (Affine(SINES, 0),))
