"""A beam to the key ``flexible`` of symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile, hub_about_bending
from symdyn.description.quantities.placement import IDENTITY
from symdyn.description.quantities.written import along, flag, listed, mapping, matrix, number

_ORIGIN = (0.0, 0.0, 0.0)


def flexible_lines(beam: Flexible) -> Iterator[str]:
    """Lines ``key: value`` of a beam, of what differs from the defaults."""
    yield f"length: {number(beam.length)}"
    if beam.placement.translation != _ORIGIN:
        yield f"start: {listed(beam.placement.translation)}"
    if beam.placement.rotation != IDENTITY:
        yield f"rotation: {matrix(beam.placement.rotation)}"
    yield f"mass_per_length: {_profile(beam.mass_per_length)}"
    yield from _stiffnesses({modes.direction: _profile(modes.stiffness) for modes in beam.modes})
    if beam.section_inertia is not None:
        y, z = beam.section_inertia
        yield f"section_inertia: {mapping({'y': _profile(y), 'z': _profile(z)})}"
    yield from _shapes(beam)
    yield from _damping(beam)
    for key, value in (
        ("tip_mass", beam.tip_mass),
        ("tip_inertia", beam.tip_inertia),
    ):
        if value != 0.0:
            yield f"{key}: {number(value)}"
    yield from _hub(beam)
    if beam.stiffening:
        yield f"stiffening: {flag(True)}"


def _hub(beam: Flexible) -> Iterator[str]:
    moments = beam.hub_inertia
    if any(moments):
        one = max(moments)
        plain = moments == hub_about_bending(one, beam.modes)
        of_axes = {axis: number(value) for axis, value in zip("xyz", moments, strict=True) if value != 0.0}
        yield f"hub_inertia: {number(one) if plain else mapping(of_axes)}"


def _stiffnesses(stiffness: dict[Direction, str]) -> Iterator[str]:
    bending = {
        axis: stiffness[direction]
        for axis, direction in (("y", Direction.BEND_Y), ("z", Direction.BEND_Z))
        if direction in stiffness
    }
    if len(bending) == 2 and bending["y"] == bending["z"]:
        yield f"bending_stiffness: {bending['y']}"
    elif bending:
        yield f"bending_stiffness: {mapping(bending)}"
    for key, direction in (("torsional_stiffness", Direction.TORSION), ("axial_stiffness", Direction.AXIAL)):
        if direction in stiffness:
            yield f"{key}: {stiffness[direction]}"


def _shapes(beam: Flexible) -> Iterator[str]:
    counts: dict[str, str] = {}
    bases: dict[str, str] = {}
    shapes: dict[str, str] = {}
    for modes in beam.modes:
        name = modes.direction.value
        if modes.basis in (Basis.EXPRESSIONS, Basis.TABLE):
            shapes[name] = _given(modes)
        else:
            counts[name] = str(modes.count)
            bases[name] = modes.basis.value
    if counts:
        yield f"modes: {mapping(counts)}"
        yield f"basis: {mapping(bases)}"
    if shapes:
        yield f"shapes: {mapping(shapes)}"


def _given(modes: Modes) -> str:
    if modes.basis is Basis.EXPRESSIONS:
        return "[" + ", ".join(along(function) for function in modes.functions) + "]"
    samples = "[" + ", ".join(listed(row) for row in modes.samples) + "]"
    return mapping({"stations": listed(modes.stations), "samples": samples})


def _damping(beam: Flexible) -> Iterator[str]:
    ratios = {modes.direction.value: listed(modes.damping_ratios) for modes in beam.modes if modes.damping_ratios}
    times = {
        modes.direction.value: number(modes.retardation_time) for modes in beam.modes if modes.retardation_time != 0.0
    }
    entries = {"ratio": mapping(ratios)} if ratios else {}
    if times:
        entries["retardation_time"] = mapping(times)
    if entries:
        yield f"damping: {mapping(entries)}"


def _profile(profile: Profile) -> str:
    if len(profile.ends) == 1:
        return along(profile.values[0])
    steps = (
        mapping({"to": number(end), "value": along(value)})
        for end, value in zip(profile.ends, profile.values, strict=True)
    )
    return mapping({"steps": "[" + ", ".join(steps) + "]"})
