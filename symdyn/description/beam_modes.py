"""The keys of a file that give the shapes which a beam may take, what holds them and how they are damped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from symdyn.description.beam_shapes import MOST_MODES, Basis, Direction, Modes, Profile, hub_about_bending
from symdyn.description.declared import Group, Key, Part, Said, by_member, keyed, nested
from symdyn.description.forms import (
    ALONG,
    FIXED,
    POINT,
    SCALAR,
    along_of,
    choice,
    each,
    entries,
    filled,
    quantity,
    scalar,
    shortened,
    whole,
)
from symdyn.description.quantities.written import along, listed, mapping, number
from symdyn.description.text.validation import Path, kind_of, refusal

STIFFNESS_KEYS: dict[Direction, Path] = {
    Direction.BEND_Y: ("bending_stiffness", "y"),
    Direction.BEND_Z: ("bending_stiffness", "z"),
    Direction.TORSION: ("torsional_stiffness",),
    Direction.AXIAL: ("axial_stiffness",),
}
_WAYS = ("bending along y", "bending along z", "twist about x", "stretch along x")
_GIVEN = (Basis.EXPRESSIONS, Basis.TABLE)
"""Those that ``shapes`` gives; ``basis`` names the others."""


def _written_profile(profile: Profile, deforming: Collection[str] = ()) -> str:
    if len(profile.ends) == 1:
        return along(profile.values[0])
    steps = zip(profile.ends, profile.values, strict=True)
    texts = (mapping({"to": number(end), "value": along(value)}) for end, value in steps)
    return mapping({"steps": f"[{', '.join(texts)}]"})


_PLAIN = scalar(
    lambda value: along_of(value, "a number, an expression in x, or steps"),
    SCALAR,
    along,
    lambda raw, given, path: given.profile(ALONG.make(raw, given, path)),
)
_STEPS = Key(
    filled(
        each(
            nested(
                keyed(
                    "Step",
                    "A stretch of the beam.",
                    {
                        "to": Key(FIXED, "distance of its far end from the beam's root [m]"),
                        "value": Key(
                            replace(_PLAIN, make=ALONG.make),
                            "number or expression in x, the distance from the beam's root",
                        ),
                    },
                    required=("to", "value"),
                )
            )
        )
    ),
    "from the root on; the last one ends at length",
)
_STEPWISE = nested(
    keyed("Steps", "A quantity that changes from stretch to stretch.", {"steps": _STEPS}, required=("steps",))
)
PROFILE = replace(
    shortened(
        _PLAIN,
        replace(_STEPWISE, make=lambda raw, given, path: given.profile(_STEPWISE.make(raw, given, path).steps)),
    ),
    write=_written_profile,
)
"""A quantity along the beam."""


def _planes(said: Said) -> str:
    return "expected steps, or y and z" if ("steps" in said) == ("y" in said or "z" in said) else ""


_BENDING = nested(
    keyed(
        "BendingStiffness",
        "One value per plane, or the stretches of one for both.",
        {
            "y": Key(PROFILE, "E I against deflection along y"),
            "z": Key(PROFILE, "E I against deflection along z"),
            "steps": _STEPS,
        },
        _planes,
    )
)


def _bending(raw: Any, given: Any, path: Path) -> dict[str, Profile]:
    found = _BENDING.make(raw, given, path)
    if found.steps is not None:
        return dict.fromkeys("yz", given.profile(found.steps))
    return {axis: own for axis in "yz" if (own := getattr(found, axis)) is not None}


def _basis(value: object) -> Basis:
    if value in (Basis.EXPRESSIONS.value, Basis.TABLE.value):
        raise refusal("give such shapes under 'shapes', and leave basis out")
    return Basis(_NAMED.read(value))


def _shapes(value: object) -> Any:
    if not isinstance(value, list):
        raise refusal(f"expected a list of expressions in x, or stations and samples, got {kind_of(value)}")
    return entries(value, _PLAIN.read)


def _ratios(value: object) -> Any:
    return entries(value, quantity) if isinstance(value, list) else quantity(value)


def _made_ratios(raw: Any, given: Any, path: Path) -> Any:
    return (POINT if isinstance(raw, list) else FIXED).make(raw, given, path)


def _expressions(raw: Any, given: Any, path: Path) -> dict[str, Any]:
    texts = tuple(ALONG.make(own, given, (*path, place)) for place, own in enumerate(raw))
    if not texts:
        raise given.refusal(path, " is an empty list; expected at least one entry")
    return {"basis": Basis.EXPRESSIONS, "count": len(texts), "functions": texts}


def _sampled(raw: Any, given: Any, path: Path) -> dict[str, Any]:
    table = _TABLE.make(raw, given, path)
    if not table.samples:
        raise given.refusal((*path, "samples"), " is an empty list; expected at least one entry")
    ends = (*table.stations[:-1], *map(given.snapped, table.stations[-1:]))
    return {"basis": Basis.TABLE, "count": len(table.samples), "stations": ends, "samples": table.samples}


_NUMBERS = {"type": "array", "items": SCALAR, "minItems": 1}
_NAMED = choice([basis.value for basis in Basis if basis not in _GIVEN])
_KIND = scalar(_basis, _NAMED.json, lambda basis: str(basis.value))
_COUNTS = by_member(
    Direction,
    "Modes",
    "How many shapes each direction has; 0 leaves the beam rigid in it.",
    whole("a number of modes", 0, MOST_MODES),
    ("deflection along y", "deflection along z", "turn about x", "displacement along x"),
    0,
)
_BASES = by_member(Direction, "Basis", "The kind of shapes per direction; clamped-free if left out.", _KIND, _WAYS)
_LIST = replace(each(FIXED), make=POINT.make)
_TABLE = nested(
    keyed(
        "Table",
        "Sampled shapes, joined by splines.",
        {
            "stations": Key(_LIST, "distances from the beam's root [m], from 0 to length, ascending"),
            "samples": Key(each(_LIST), "one list per shape: its values at the stations"),
        },
        required=("stations", "samples"),
    )
)
_SHAPES = by_member(
    Direction,
    "Shapes",
    "Shapes in place of a basis: expressions in x, or tables.",
    shortened(scalar(_shapes, {**_NUMBERS, "maxItems": MOST_MODES}, str, _expressions), replace(_TABLE, make=_sampled)),
    _WAYS,
)
_RATIO = scalar(_ratios, {"anyOf": [SCALAR, _NUMBERS]}, listed, _made_ratios)
_RATIOS = by_member(
    Direction, "Ratios", "Damping ratios per direction: one for all its modes, or one for each.", _RATIO, _WAYS
)
_TIMES = by_member(Direction, "Times", "Retardation times per direction [s].", FIXED, _WAYS)
_DAMPING = nested(
    keyed(
        "Damping",
        "Damping of the beam's own motion; each direction has one kind at most.",
        {
            "ratio": Key(
                shortened(_RATIO, _RATIOS), "fraction of critical damping, for all modes, per mode, or per direction"
            ),
            "retardation_time": Key(
                shortened(FIXED, _TIMES),
                "of a Kelvin-Voigt material [s]: damping matrix = time * stiffness matrix",
            ),
        },
    )
)
_INERTIA = nested(
    keyed(
        "SectionInertia",
        "Second moments of the mass of a cross-section [kg m].",
        {axis: Key(PROFILE, f"integral of density * {axis}^2 over the section") for axis in "yz"},
        required=("y", "z"),
    )
)
_MOMENTS = nested(
    keyed(
        "HubInertia",
        "Moments of inertia of the hub about the beam's axes, through the centre of the root section [kg m^2].",
        {
            "x": Key(FIXED, "about the beam"),
            "y": Key(FIXED, "about y, as bend_z turns it"),
            "z": Key(FIXED, "about z, as bend_y turns it"),
        },
        default=0.0,
    )
)


def _per(value: Any, direction: Direction) -> Any:
    """What is said for a direction, by itself or for all."""
    return dict(value).get(direction) if _apart(value) else value


def _apart(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(own, tuple) for own in value)


def _modes(said: Said, given: Any, path: Path) -> dict[str, Any]:
    counts, shapes, basis = dict(said.get("modes", ())), dict(said.get("shapes", ())), said.get("basis", ())
    damping = said.get("damping")
    damped = {} if damping is None else {"damping_ratios": damping.ratio, "retardation_time": damping.retardation_time}
    found, unused = [], []
    for direction in Direction:
        name, kind = direction.value, _per(basis, direction)
        own = shapes.get(direction) or {"basis": kind or Basis.CLAMPED_FREE, "count": counts.get(direction, 0)}
        if direction in shapes:
            if kind is not None:
                words = f" means nothing for {name}, whose shapes are given; name it for the other directions alone"
                raise given.refusal((*path, "basis", *((name,) if _apart(basis) else ())), words)
            if counts.get(direction, own["count"]) != own["count"]:
                words = f" is {counts[direction]}, and shapes has {own['count']}; leave it out"
                raise given.refusal((*path, "modes", name), words)
        if own["count"]:
            own = own | {key: value for key, given_ in damped.items() if (value := _per(given_, direction)) is not None}
            if isinstance(own.get("damping_ratios"), float):
                own["damping_ratios"] = (own["damping_ratios"],) * own["count"]
            found.append(Modes(direction, stiffness=_stiffness(said, direction, given, path), **own))
        elif direction not in counts:
            unused.append(direction)
    told = {("basis",): basis, ("damping", "ratio"): damped.get("damping_ratios")}
    told[("damping", "retardation_time")] = damped.get("retardation_time")
    for direction in unused if found else ():  # a beam without any mode has a worse fault
        for key, value in told.items():
            if _apart(value) and _per(value, direction) is not None:
                words = f" means nothing without modes of {direction.value}; give some, or delete it"
                raise given.refusal((*path, *key, direction.value), words)
    inertia = said.get("section_inertia")
    return {"modes": tuple(found), "section_inertia": None if inertia is None else (inertia.y, inertia.z)}


def _stiffness(said: Said, direction: Direction, given: Any, path: Path) -> Profile:
    keys = STIFFNESS_KEYS[direction]
    value = said.get(str(keys[0]))
    if not isinstance(value, dict):
        keys = keys[:1]
    else:
        value = value.get(str(keys[1]))
    if value is None:
        raise given.refusal(path, f": {'.'.join(map(str, keys))} is missing; modes of {direction.value} need it")
    found: Profile = value
    return found


def _hub(said: Said, given: Any, path: Path) -> dict[str, Any]:
    hub = said.get("hub_inertia", 0.0)
    if isinstance(hub, float):
        return {"hub_inertia": hub_about_bending(hub, _modes(said, given, path)["modes"])}
    return {"hub_inertia": (hub.x, hub.y, hub.z)}


def _hub_line(beam: Any, deforming: Collection[str]) -> dict[str, str]:
    moments = beam.hub_inertia
    if not any(moments):
        return {}
    one = max(moments)
    of_axes = {axis: number(value) for axis, value in zip("xyz", moments, strict=True) if value != 0.0}
    return {"hub_inertia": number(one) if moments == hub_about_bending(one, beam.modes) else mapping(of_axes)}


def _mode_lines(beam: Any, deforming: Collection[str]) -> dict[str, str]:
    return dict(_lines(beam.modes, beam.section_inertia))


def _lines(modes: Sequence[Modes], inertia: tuple[Profile, Profile] | None) -> Iterator[tuple[str, str]]:
    stiffness = {own.direction: _written_profile(own.stiffness) for own in modes}
    bending = {keys[1]: stiffness[own] for own, keys in STIFFNESS_KEYS.items() if own in stiffness and len(keys) > 1}
    if bending:
        same = len(bending) > 1 and bending["y"] == bending["z"]
        yield "bending_stiffness", bending["y"] if same else mapping({str(axis): own for axis, own in bending.items()})
    yield from (
        (str(keys[0]), stiffness[own]) for own, keys in STIFFNESS_KEYS.items() if own in stiffness and not keys[1:]
    )
    if inertia is not None:
        yield "section_inertia", mapping(dict(zip("yz", map(_written_profile, inertia), strict=True)))
    plain = [own for own in modes if own.basis not in _GIVEN]
    if plain:
        yield "modes", _COUNTS.write([(own.direction, own.count) for own in plain], ())
        yield "basis", _BASES.write([(own.direction, own.basis) for own in plain], ())
    shapes = {own.direction.value: _written_shapes(own) for own in modes if own.basis in _GIVEN}
    if shapes:
        yield "shapes", mapping(shapes)
    ratios = [(own.direction, own.damping_ratios) for own in modes if own.damping_ratios]
    times = [(own.direction, own.retardation_time) for own in modes if own.retardation_time != 0.0]
    damping = {"ratio": _RATIOS.write(ratios, ())} if ratios else {}
    damping |= {"retardation_time": _TIMES.write(times, ())} if times else {}
    if damping:
        yield "damping", mapping(damping)


def _written_shapes(own: Modes) -> str:
    if own.basis is Basis.EXPRESSIONS:
        return f"[{', '.join(map(along, own.functions))}]"
    return mapping({"stations": listed(own.stations), "samples": f"[{', '.join(map(listed, own.samples))}]"})


MODES = Group(
    (
        Part(
            "bending_stiffness",
            shortened(
                replace(_PLAIN, make=lambda raw, given, path: dict.fromkeys("yz", _PLAIN.make(raw, given, path))),
                replace(_BENDING, make=_bending),
            ),
            "E I along the beam [N m^2], for both planes, or as `{y: .., z: ..}`; bending needs it",
        ),
        Part("torsional_stiffness", PROFILE, "G J along the beam [N m^2]; torsion needs it"),
        Part("axial_stiffness", PROFILE, "E A along the beam [N]; axial needs it"),
        Part(
            "section_inertia",
            _INERTIA,
            "`y` and `z`, along the beam: integrals of density y^2 and density z^2 over the section [kg m]; torsion "
            "needs it",
        ),
        Part(
            "modes",
            _COUNTS,
            f"number of shapes per direction: `bend_y`, `bend_z`, `torsion`, `axial`; 0 to {MOST_MODES}, 0 if left out",
        ),
        Part(
            "basis",
            shortened(_KIND, _BASES),
            "the kind of shapes, for all directions or per direction; `clamped-free` if left out",
        ),
        Part("shapes", _SHAPES, "per direction: your own shapes, instead of `modes` and `basis`"),
        Part("damping", _DAMPING, "`ratio` or `retardation_time`, see below"),
    ),
    _modes,
    _mode_lines,
)
HUB = Group(
    (
        Part(
            "hub_inertia",
            shortened(FIXED, _MOMENTS),
            "of the basis `pinned-hub`: about the axes of its planes, or `{x: .., y: .., z: ..}` [kg m^2]; 0",
        ),
    ),
    _hub,
    _hub_line,
)
