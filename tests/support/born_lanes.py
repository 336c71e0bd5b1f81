"""A plan written by hand whose visits have lanes from the start: stations along a rod, and what is done with them.

Stations work side by side, a chain goes from one to the next, and they meet again; another group has 12 of them, so
that lanes exceed a vector. The bodies are a base with three limbs, which can be put in lanes besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.interface.signature import Argument, Signature
from symdyn.plan.plan import (
    Access,
    Binding,
    Constant,
    Field,
    FieldKind,
    Given,
    Mode,
    Plan,
    Port,
    Step,
    Sweep,
    Visit,
    lane_spacing,
)

STATIONS, MANY, LIMBS = 5, 12, 3
INPUTS, OUTPUTS = 2 * MANY, 3 * STATIONS + MANY + 3 * LIMBS + 2
SPACING, WIDE = lane_spacing(STATIONS), lane_spacing(MANY)

Reads = Mapping[str, Sequence[Any]]


def _local(_: Any, algebra: Any, constants: Mapping[str, Any], reads: Reads) -> dict[str, list[Any]]:
    sine, cosine = algebra.sin_cos(reads["x"][0])
    first = constants["k"] * sine + constants["f"] * reads["x"][1]
    second = constants["m"] * cosine + reads["numbers"][0] * reads["shared"][0]
    return {"own": [first, second], "sum": [first * second]}


def _chain(_: Any, __: Any, ___: Any, reads: Reads) -> dict[str, list[Any]]:
    return {"next": [0.5 * reads["before"][0] + reads["own"][0] * reads["own"][1]]}


def _meet(_: Any, algebra: Any, ___: Any, reads: Reads) -> dict[str, list[Any]]:
    larger = algebra.compare("less", reads["chain"][0], reads["own"][0])
    chosen = algebra.select(larger, reads["own"][0], reads["chain"][0])
    return {"out": [chosen + reads["sum"][0]], "more": [reads["sum"][0] * reads["chain"][0]]}


def _many(_: Any, __: Any, constants: Mapping[str, Any], reads: Reads) -> dict[str, list[Any]]:
    value = constants["gain"] * reads["x"][0] * reads["x"][0]
    return {"own": [value], "sum": [value - reads["x"][0]]}


def _entry(_: Any, __: Any, ___: Any, reads: Reads) -> dict[str, list[Any]]:
    return {"entry": [reads["left"][0] * reads["right"][0]]}


def _copy(_: Any, __: Any, constants: Mapping[str, Any], reads: Reads) -> dict[str, list[Any]]:
    return {"out": [constants["k"] * reads["x"][0] + reads["more"][0]]}


def _step(name: str, kernel: Any, reads: str, writes: str = "", adds: str = "") -> Step:
    modes = ((reads, Mode.READ), (writes, Mode.WRITE), (adds, Mode.ADD))
    return Step(name, kernel, tuple(Port(port, mode) for names, mode in modes for port in names.split()))


LOCAL = _step("local", _local, "x shared numbers", "own", "sum")
CHAIN = _step("chain", _chain, "before own", "next")
MEET = _step("meet", _meet, "chain own sum", "out more")
MANY_OF = _step("many", _many, "x", "own", "sum")
ENTRY = _step("entry", _entry, "left right", "entry")
COPY = _step("copy", _copy, "x more", "out")

_NUMBERS = (0.7, -1.3, 2.1, 0.4, 1.9)


def _filled(rows: Sequence[Sequence[float]], spacing: int) -> tuple[float, ...]:
    """Numbers per lane, the last one repeated behind the lanes."""
    return tuple(number for row in rows for number in (*row, *[row[-1]] * (spacing - len(row))))


FIELDS = (
    Field("x", FieldKind.INPUT, INPUTS),
    Field(
        "weights",
        FieldKind.TABLE,
        3,
        values=_filled([_NUMBERS, _NUMBERS[::-1], [2.5] * STATIONS], SPACING),
        lanes=SPACING,
    ),
    Field("lengths", FieldKind.TABLE, STATIONS, values=(0.1, 0.2, 0.3, 0.4, 0.5)),
    Field("gains", FieldKind.TABLE, 1, values=_filled([[0.25 * lane - 1.0 for lane in range(MANY)]], WIDE), lanes=WIDE),
    Field("local", FieldKind.STATE, 2, lanes=SPACING),
    Field("chained", FieldKind.STATE, 1, lanes=SPACING),
    Field("squares", FieldKind.STATE, 1, lanes=WIDE),
    Field("sum", FieldKind.STATE, 2),
    Field("twice", FieldKind.STATE, STATIONS),
    Field("limb", FieldKind.STATE, LIMBS),
    Field("y", FieldKind.OUTPUT, OUTPUTS),
)


def _beside(field: str, place: int = 0, count: int = 1, spacing: int = SPACING) -> Access:
    """Scalars of a field with lanes."""
    return Access(field, place * spacing, count, spacing, 1)


def _in_lanes(step: Step, lanes: int, bindings: dict[str, Binding], **constants: Constant) -> Visit:
    return Visit(0, "station", constants, bindings, lanes)


def born_plan(limbs: bool = True) -> Plan:
    """x -> y; ``limbs`` adds bodies that are alike, each with a visit of its own."""
    local = _in_lanes(
        LOCAL,
        STATIONS,
        {
            "x": Access("x", 0, 2, 1, 2),
            "shared": Access("x", 3, 1),
            "numbers": Access("weights", 2 * SPACING, 1, SPACING, 1),
            "own": _beside("local", 0, 2),
            "sum": Access("sum", 0, 1),
        },
        k=Access("weights", 0, 1, lane=1),
        m=Access("lengths", 0, 1, lane=1),
        f=Access("weights", SPACING, 1, lane=1),
    )
    again = _in_lanes(  # the same step with its numbers further apart: a kernel of its own
        LOCAL,
        STATIONS,
        {**local.bindings, "x": Access("x", 1, 2, 1, 3), "own": Access("y", 0, 2, STATIONS, 1)},
        k=Access("weights", SPACING, 1, lane=1),
        m=Access("lengths", 0, 1, lane=1),
        f=Access("weights", 0, 1, lane=1),
    )
    chain = [
        Visit(
            0,
            None,
            {},
            {
                "before": Access("chained", lane - 1, 1) if lane else Given((0.75,)),
                "own": Access("local", lane, 2, SPACING),
                "next": Access("chained", lane, 1),
            },
        )
        for lane in range(STATIONS)
    ]
    start = 2 * STATIONS
    meet = _in_lanes(
        MEET,
        STATIONS,
        {
            "chain": _beside("chained"),
            "own": _beside("local", 0, 2),
            "sum": Access("sum", 0, 1),
            "out": Access("y", start, 1, lane=1),
            "more": Access("twice", 0, 1, lane=1),
        },
    )
    start += STATIONS
    many = _in_lanes(
        MANY_OF,
        MANY,
        {"x": Access("x", 0, 1, lane=2), "own": _beside("squares", spacing=WIDE), "sum": Access("sum", 1, 1)},
        gain=Access("gains", 0, 1, lane=1),
    )
    entries = [
        Visit(
            -1,
            None,
            {},
            {
                "left": _beside("squares", spacing=WIDE),
                "right": Access("twice", 0, 1),
                "entry": Access("y", start, 1, lane=1),
            },
            MANY,
        )
    ]
    start += MANY
    limb = [
        Visit(
            2 * number + 1,
            None,
            {"k": 1.5 + number},
            {"x": Access("x", number, 1), "more": Access("sum", 1, 1), "out": Access("limb", number, 1)},
        )
        for number in range(LIMBS)
    ]
    tip = [
        Visit(
            2 * number + 2,
            None,
            {"k": 0.5},
            {"x": Access("limb", number, 1), "more": Access("twice", 1, 1), "out": Access("y", start + number, 1)},
        )
        for number in range(LIMBS)
    ]
    sweeps = [Sweep(LOCAL, (local, again)), Sweep(CHAIN, tuple(chain)), Sweep(MEET, (meet,)), Sweep(MANY_OF, (many,))]
    sweeps += [Sweep(ENTRY, tuple(entries), vector=True)]
    parent = (-1,)
    if limbs:
        sweeps += [Sweep(COPY, tuple(limb)), Sweep(COPY, tuple(tip))]
        parent = (-1, 0, 1, 0, 3, 0, 5)
    names = tuple(f"body{body}" for body in range(len(parent)))
    return Plan("born", FIELDS, tuple(sweeps), names, parent)


def born_signature() -> Signature:
    """The interface of :func:`born_plan`."""
    arguments = [
        Argument(name, (size,), (tuple(f"{name}{row}" for row in range(size)),), ("1",), name)
        for name, size in (("x", INPUTS), ("y", OUTPUTS))
    ]
    return Signature("bench", "born", (arguments[0],), (arguments[1],), "Stations side by side")
