"""The same robot in units of other sizes: every number of its description, and of its results, by its dimension."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.invariance.by_rows import ByRows
from support.invariance.twins import float_evaluator
from support.robots.kinds import MIXED_UNITS, ONE_COORDINATE, SLIDING, S, U
from symdyn import api
from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact import Contact
from symdyn.description.external_loads import Acting, Entries, Site
from symdyn.description.flexible import Flexible, Profile
from symdyn.description.fluid import Buoyancy
from symdyn.description.loads import Load
from symdyn.description.loops import Coupling, Loop
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import (
    Actuation,
    Actuator,
    Elastic,
    Frame,
    Inertial,
    Joint,
    JointKind,
    Link,
    Losses,
    Placement,
)
from symdyn.description.soft import Material, Section, Soft, Strain
from symdyn.robot.robot import Robot

_PART = re.compile(r"/?(?:\([^()]*\)|[A-Za-z0-9.]+)(?:\^[0-9.]+)?")
"""Of a unit: what is multiplied, or divided by."""


@dataclass(frozen=True)
class Units:
    """Lengths, masses and times become numbers that are so many times larger."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def size(self, unit: str) -> float:
        """By what a number with a unit is multiplied; units as signatures write them, read from the left."""
        force = self.mass * self.length / self.time**2
        known = {"m": self.length, "kg": self.mass, "s": self.time, "rad": 1.0, "N": force, "J": force * self.length}
        known |= {"W": force * self.length / self.time, "Pa": force / self.length**2}
        found = 1.0
        for part in _PART.findall(unit):
            within = part.lstrip("/")
            atom, _, power = (within, "", "") if within.startswith("(") else within.partition("^")
            size = self.size(atom[1:-1]) if atom.startswith("(") else (1.0 if atom == "1" else known[atom])
            size = size ** float(power or 1.0)
            found = found / size if part.startswith("/") else found * size
        return found

    def text(self, expression: str, unit: str) -> str:
        """An expression in x [m] for a number with a unit."""
        if not expression:
            return expression
        return f"{self.size(unit)!r}*({re.sub(r'(?<![A-Za-z_])x(?![A-Za-z_0-9])', f'(x/{self.length!r})', expression)})"

    def number(self, own: Any, unit: str) -> Any:
        """A number, or an expression over places and motions."""
        if not isinstance(own, Expression):
            return own * self.size(unit)
        scales = {"p": "m", "v": "m/s", "w": "rad/s"}

        def scaled(found: re.Match[str]) -> str:
            name = found.group(0)
            return f"({name}/{self.size('m' if name == 'x' else scales[name[0]])!r})"

        return Expression(
            f"{self.size(unit)!r}*({re.sub(r'(?<![A-Za-z_])(?:[pvw][xyz]|x)(?![A-Za-z_0-9])', scaled, own.text)})"
        )


def scaled_units(robot: Robot, units: Units, q: NDArray[np.float64]) -> ByRows | None:
    """None where the robot has bodies given by maps, rows of expressions, parameters or locked joints.

    The first robot is without the losses of joints whose one coefficient has two units. If rows of the loops depend on
    each other at q, the least multipliers of inverse dynamics depend on units: N and N m are summed. What they do, A^T
    lambda, is compared in tau. Derivatives of tau have a meaning along closed motions alone there, and are left out.
    """
    description, options = robot.description, dict(robot.load_options())
    rolling = any(getattr(own, "kind", "") == "pfaffian" for own in description.acting)
    if robot.runtime_parameters or rolling or options["locked_joints"]:
        return None
    if any(own.deformable is not None for own in description.links):
        return None
    if any(own.kind in MIXED_UNITS and own.losses != Losses() for own in description.joints):
        joints = (replace(own, losses=Losses()) if own.kind in MIXED_UNITS else own for own in description.joints)
        description = replace(description, joints=tuple(joints))
        robot = api.from_description(description, **options)
    kinds = {own.name: own.kind for own in description.joints}
    rows = {name: unit for own in robot.constraints for name, unit in zip(own.rows, own.units, strict=True)}
    changed = replace(
        description,
        links=tuple(_link(own, units) for own in description.links),
        joints=tuple(_joint(own, kinds, units) for own in description.joints),
        frames=tuple(_frame(own, units) for own in description.frames),
        gravity=None,
        actuation=_actuation(description.actuation, units),
        acting=tuple(_acting(own, kinds, rows, units) for own in description.acting),
        load=replace(description.load, locked_joints=()),
    )
    options["gravity"] = [units.size("m/s^2") * float(entry) for entry in options["gravity"]]
    return ByRows(robot, api.from_description(changed, **options), size=units.size, regular=not _depend(robot, q))


def _depend(robot: Robot, q: NDArray[np.float64]) -> bool:
    """Whether rows of the loops follow from others there."""
    if not robot.constraints:
        return False
    given = {"q": list(map(float, q)), "p": list(map(float, robot.runtime_defaults))}
    rows = np.reshape(float_evaluator(robot, "constraint_jacobian", {})(given)["A"], (-1, robot.nv))
    singular = np.linalg.svd(rows / np.linalg.norm(rows, axis=1, keepdims=True))[1]
    return len(rows) > robot.nv or bool(singular[-1] < 1e-7 * singular[0])


def _placed(own: Placement, units: Units) -> Placement:
    x, y, z = (units.number(entry, "m") for entry in own.translation)
    return replace(own, translation=(x, y, z))


def _link(own: Link, units: Units) -> Link:
    inertial = own.inertial
    if inertial is not None:
        moments = tuple(units.number(entry, "kg m^2") for entry in inertial.moments)
        inertial = Inertial(units.number(inertial.mass, "kg"), moments, _placed(inertial.placement, units))  # type: ignore[arg-type]
    return replace(
        own,
        inertial=inertial,
        flexible=None if own.flexible is None else _flexible(own.flexible, units),
        soft=None if own.soft is None else _soft(own.soft, units),
    )


def _joint(own: Joint, kinds: Mapping[str, JointKind], units: Units) -> Joint:
    way = "m" if own.kind in SLIDING else "rad"
    force = "N" if way == "m" else "N m"
    inertia = "kg" if way == "m" else "kg m^2"
    number = units.number
    limits, mimic, losses = own.limits, own.mimic, own.losses
    if limits is not None:
        at, rate, effort = (units.size(unit) for unit in (way, f"{way}/s", force))
        limits = replace(
            limits,
            lower=limits.lower * at,
            upper=limits.upper * at,
            velocity=limits.velocity * rate,
            effort=limits.effort * effort,
        )
    if mimic is not None:

        def factor(name: str) -> float:
            return units.size(way) / units.size("m" if kinds[name] in SLIDING else "rad")

        terms = [(name, value * factor(name)) for name, value in mimic.terms]
        mimic = replace(mimic, multiplier=terms[0][1], offset=mimic.offset * units.size(way), others=tuple(terms[1:]))
    single = own.kind in (*ONE_COORDINATE, S, U)
    if single:
        losses = Losses(
            number(losses.damping, f"{force} s/{way}"),
            number(losses.friction, force),
            losses.velocity_scale * units.size(f"{way}/s"),
        )

    def rotor(drive: Actuator) -> Actuator:
        armature = None if drive.armature is None else number(drive.armature, inertia)
        return replace(drive, rotor_inertia=number(drive.rotor_inertia, inertia), armature=armature)

    elastic = own.elastic
    if elastic is not None:
        elastic = Elastic(
            number(elastic.stiffness, f"{force}/{way}"),
            number(elastic.damping, f"{force} s/{way}"),
            rotor(elastic.actuator),
        )
    return replace(
        own,
        placement=_placed(own.placement, units),
        pitch=own.pitch * units.length,
        limits=limits,
        losses=losses,
        mimic=mimic,
        actuator=None if own.actuator is None else rotor(own.actuator),
        elastic=elastic,
        loads=tuple(_load(load, own, units) for load in own.loads),
    )


def _load(own: Load, joint: Joint, units: Units) -> Load:
    known = own.units(joint.kind in SLIDING)
    changes = {name: units.number(value, known[own.leaf(name)]) for name, value in own.numbers.items()}
    return replace(own, **changes)  # type: ignore[type-var]


def _frame(own: Frame, units: Units) -> Frame:
    at = own.at * units.length if isinstance(own.at, float) else own.at
    return replace(own, placement=_placed(own.placement, units), at=at)


def _profile(own: Profile, unit: str, units: Units) -> Profile:
    return Profile(tuple(end * units.length for end in own.ends), tuple(units.text(text, unit) for text in own.values))


def _flexible(own: Flexible, units: Units) -> Flexible:
    modes = tuple(
        replace(
            mode,
            stiffness=_profile(mode.stiffness, "N" if mode.direction.value == "axial" else "N m^2", units),
            retardation_time=mode.retardation_time * units.time,
            functions=tuple(units.text(text, "1") for text in mode.functions),
            stations=tuple(station * units.length for station in mode.stations),
        )
        for mode in own.modes
    )
    section = own.section_inertia
    return replace(
        own,
        length=own.length * units.length,
        mass_per_length=_profile(own.mass_per_length, "kg/m", units),
        modes=modes,
        placement=_placed(own.placement, units),
        section_inertia=None if section is None else tuple(_profile(each, "kg m", units) for each in section),  # type: ignore[arg-type]
        tip_mass=own.tip_mass * units.mass,
        tip_inertia=own.tip_inertia * units.size("kg m^2"),
        hub_inertia=tuple(entry * units.size("kg m^2") for entry in own.hub_inertia),  # type: ignore[arg-type]
    )


_SECTION = {"radius": "m", "inner_radius": "m", "width": "m", "height": "m", "area": "m^2"}
_SECTION |= {f"second_moment_{axis}": "m^4" for axis in "xyz"}


def _soft(own: Soft, units: Units) -> Soft:
    section = replace(
        own.section, **{name: units.text(getattr(own.section, name), unit) for name, unit in _SECTION.items()}
    )
    matter, number = own.material, units.number
    material = Material(
        number(matter.youngs_modulus, "Pa"),
        matter.poisson_ratio,
        number(matter.density, "kg/m^3"),
        number(matter.viscosity, "Pa s"),
        number(matter.retardation_time, "s"),
    )
    assert isinstance(section, Section)

    def rate(strain: Strain) -> str:
        return "rad/m" if strain.angular else "1"

    strains = tuple(
        replace(
            each,
            centres=tuple(centre * units.length for centre in each.centres),
            width=each.width * units.length,
            functions=tuple(units.text(text, "1") for text in each.functions),
        )
        for each in own.strains
    )
    coupled = tuple(
        replace(each, functions=tuple((strain, units.text(text, "1")) for strain, text in each.functions))
        for each in own.coupled
    )
    return replace(
        own,
        length=own.length * units.length,
        section=section,
        material=material,
        strains=strains,
        coupled=coupled,
        reference=tuple((strain, units.text(text, rate(strain))) for strain, text in own.reference),
        placement=_placed(own.placement, units),
        marks=tuple(mark * units.length for mark in own.marks),
        section_shapes=tuple(replace(each, radius=units.text(each.radius, "m")) for each in own.section_shapes),
    )


def _actuation(own: Actuation, units: Units) -> Actuation:
    def part(each: Any, **texts: str) -> Any:
        changes: dict[str, Any] = {name: units.text(getattr(each, name), unit) for name, unit in texts.items()}
        return replace(each, start=each.start * units.length, end=each.end * units.length, **changes)

    tendons = tuple(
        replace(tendon, strands=tuple(part(strand, y="m", z="m") for strand in tendon.strands))
        for tendon in own.tendons
    )
    walls = {"area": "m^2", "moment_y": "m^3", "moment_z": "m^3", "skin": "m", "wall": "m"}
    return replace(own, tendons=tendons, chambers=tuple(part(each, **walls) for each in own.chambers))


def _site(own: Site, units: Units) -> Site:
    at = own.at * units.length if isinstance(own.at, float) else own.at
    x, y, z = (units.number(entry, "m") for entry in own.point)
    return replace(own, at=at, point=(x, y, z))


def _acting(own: Acting, kinds: Mapping[str, JointKind], rows: Mapping[str, str], units: Units) -> Acting:
    changes: dict[str, Any] = {}
    for field in fields(own):  # type: ignore[arg-type]
        if field.name in ("start", "end", "radius") and getattr(own, field.name) is not None:
            changes[field.name] = getattr(own, field.name) * units.length
        elif field.name == "velocity_scale":
            changes["velocity_scale"] = own.velocity_scale * units.size("m/s")
        elif field.name == "site":
            changes["site"] = _site(own.site, units)
        elif field.name == "between":
            changes["between"] = tuple(_site(site, units) for site in own.pair)
    if isinstance(own, Entries):
        changes["entries"] = tuple(
            units.number(entry, unit) for entry, unit in zip(own.entries, _entry_units(own), strict=True)
        )
    elif isinstance(own, Bushing):
        known = own.units(False)
        for name in ("stiffness", "damping", "translation"):
            values = getattr(own, name)
            keys = [key for key in known if key.startswith(name)]
            changes[name] = tuple(units.number(value, known[key]) for value, key in zip(values, keys, strict=True))
    elif isinstance(own, Strut | Buoyancy | Loop):
        known = own.units(False)
        changes |= {name: units.number(value, known[name]) for name, value in own.numbers.items()}
    elif isinstance(own, Contact):
        known = own.units(False)
        changes |= {name: units.number(value, known[name]) for name, value in own.numbers.items()}
        surface = own.surface
        x, y, z = (entry * units.length for entry in surface.point)
        changes["surface"] = replace(surface, point=(x, y, z), radius=surface.radius * units.length)
    elif isinstance(own, Coupling):
        row = units.size(rows[next(name for name in rows if name.startswith(own.name))])

        def factor(name: str) -> float:
            return row / units.size("m" if kinds[name] in SLIDING else "rad")

        changes["terms"] = tuple((name, value * factor(name)) for name, value in own.terms)
        changes["offset"] = own.offset * row
    return replace(own, **changes)  # type: ignore[type-var]


def _entry_units(own: Entries) -> list[str]:
    """Units of all six entries, whether they are numbers or not."""
    plain = replace(own, entries=(0.0,) * 6)  # type: ignore[type-var]
    return list(plain.units(False).values())
