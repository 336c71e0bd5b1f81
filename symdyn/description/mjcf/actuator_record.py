"""Actuators of a compiled model: what drives which joints, by which law, and what of it symdyn does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from symdyn.description.mjcf.record import ModelRecord, Triple

_FIXED, _AFFINE = 0, 1
"""mjGAIN_FIXED and mjGAIN_AFFINE; mjBIAS_NONE and mjBIAS_AFFINE have the same numbers."""


class MjTransmission(IntEnum):
    """What actuators act on, by MuJoCo's numbers; those of later versions are refused by their number."""

    JOINT = 0
    JOINTINPARENT = 1
    SLIDERCRANK = 2
    TENDON = 3
    SITE = 4
    BODY = 5


@dataclass(frozen=True, slots=True)
class ActuatorRecord:
    """An actuator with the force (g0 + g1 l + g2 l') ctrl + b0 + b1 l + b2 l' along its length l.

    ``clamped`` tells whether its force has a range, or that of its joint or tendon, and ``bounded`` whether its input
    has. ``faults`` tells what else it has, by which it is no actuator of symdyn; ``acts`` whether it has a force at
    ctrl = 0.
    """

    name: str
    transmission: int
    target: int
    gear: tuple[float, ...]
    gain: Triple
    bias: Triple
    clamped: bool
    bounded: bool
    acts: bool
    faults: tuple[str, ...]


def actuators_of(model: ModelRecord) -> tuple[ActuatorRecord, ...]:
    """All actuators that are not switched off."""
    if "ACTUATION" in model.disabled:
        return ()
    groups, fields = int(model.fields["disableactuator"]), model.fields
    numbers = range(len(fields["actuator_trntype"]))
    return tuple(_actuator(model, own) for own in numbers if not _off(groups, fields["actuator_group"][own]))


def _off(groups: int, group: int) -> bool:
    return 0 <= group <= _LAST_GROUP and bool(groups & (1 << group))


_LAST_GROUP = 30


def _actuator(model: ModelRecord, number: int) -> ActuatorRecord:
    f = model.fields
    gain = _law(f["actuator_gaintype"][number], f["actuator_gainprm"][number])
    if f["actuator_gaintype"][number] == _FIXED:
        gain = gain[0], 0.0, 0.0
    bias = _law(f["actuator_biastype"][number], f["actuator_biasprm"][number])
    if f["actuator_biastype"][number] == _FIXED:
        bias = 0.0, 0.0, 0.0
    faults = tuple(_faults(model, number))
    place = f["actuator_outadr"][number] if "actuator_outadr" in f else number
    return ActuatorRecord(
        model.names("actuator")[number],
        f["actuator_trntype"][number],
        f["actuator_trnid"][number][0],
        tuple(f["actuator_gear"][place]),
        gain,
        bias,
        bool(f["actuator_forcelimited"][number]) or _clamps(model, number),
        bool(f["actuator_ctrllimited"][number]),
        any(bias) or bool(faults),
        faults,
    )


def _clamps(model: ModelRecord, number: int) -> bool:
    """Whether what it acts on clamps the force of all actuators."""
    f, kind = model.fields, model.fields["actuator_trntype"][number]
    target = f["actuator_trnid"][number][0]
    if kind in (MjTransmission.JOINT, MjTransmission.JOINTINPARENT):
        return model.joints[target].force_range is not None
    limited = f.get("tendon_actfrclimited", ())
    return kind == MjTransmission.TENDON and bool(limited) and bool(limited[target])


def _law(kind: int, numbers: list[float]) -> Triple:
    """What multiplies 1, the length and its rate; nothing where the law is another."""
    return (numbers[0], numbers[1], numbers[2]) if kind in (_FIXED, _AFFINE) else (0.0, 0.0, 0.0)


def _faults(model: ModelRecord, number: int) -> Iterator[str]:
    """What has no counterpart, whatever the actuator acts on."""
    f = model.fields
    if f["actuator_dyntype"][number] or (f["actuator_actnum"][number] if "actuator_actnum" in f else 0):
        yield "it has an activation state"
    for part in ("gain", "bias"):
        kind = f[f"actuator_{part}type"][number]
        if kind not in (_FIXED, _AFFINE):
            yield f"its {part} is of kind {kind}, neither fixed nor affine"
    if "actuator_delay" in f and f["actuator_delay"][number]:
        yield f"its input acts {f['actuator_delay'][number]:g} s later"
    for count, what in (("ctrlnum", "inputs"), ("outnum", "forces")):
        own = f[f"actuator_{count}"][number] if f"actuator_{count}" in f else 1
        if own != 1:
            yield f"it has {own} {what}"
