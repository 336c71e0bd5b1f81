"""Lengths of tendons, volumes of chambers, and what inputs do, from strains at the points of a quadrature.

The actuation matrix is the difference quotient of lengths and volumes: what a tension does to a coordinate follows from
its power alone.

Rods whose sections deform: how far their matter moves, and volumes of chambers, which pass ray by ray.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from mpmath import mp

from symdyn.description.actuation import Chamber, JointActuator, RestStrain, Strand
from symdyn.description.soft import SectionShape
from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real, Vector, add, cross, length, scale, vector
from symdyn.verify.base.quadrature import rule
from symdyn.verify.oracle.exact import Exact, forwards, summed
from symdyn.verify.oracle.laws import law_columns
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.rod_section import value_at
from symdyn.verify.oracle.rod_shapes import around, change_of_radius
from symdyn.verify.oracle.rod_springs import rod_matrices
from symdyn.verify.oracle.rod_strains import reference_strain, strain_columns
from symdyn.verify.oracle.rod_thinning import stretch_columns
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row

Strained = Callable[[Place, Chamber, Sequence[Real]], Iterator[tuple[Real, Real, Vector]]]


def bulging_volume(place: Place, chamber: Chamber, q: Sequence[Real], strained: Strained) -> Real:
    """The integral over sections of how fast their points move along the axis."""
    soft = place.soft
    assert soft is not None
    amplitudes = place.coordinates(q)[soft.strain_coordinates :]
    first, last = (mp.mpf(angle) for angle in chamber.angles)
    total = mp.mpf(0)
    for x, weight, strain in strained(place, chamber, q):
        outer, inner = (value_at(text, x) for text in chamber.radii(soft.section.radius))
        radius = value_at(soft.section.radius, x)

        def passed(phi: Real) -> Vector:
            changes = (change_of_radius(own, x, phi) for own in soft.section_shapes)  # noqa: B023
            ratio = 1 + mp.fdot(amplitudes, list(changes)) / radius  # noqa: B023
            lever = cross(strain[:3], [mp.mpf(0), mp.cos(phi), mp.sin(phi)])[0]  # noqa: B023
            near, far = inner * ratio, outer * ratio  # noqa: B023
            return [strain[3] * (far**2 - near**2) / 2 + lever * (far**3 - near**3) / 3]  # noqa: B023

        total += weight * around(soft, passed, (first, last))[0]
    return total


def thins(place: Place) -> bool:
    """Whether a rod's sections get thinner as it stretches."""
    return place.soft is not None and place.soft.volume_preserving


def widening(place: Place, q: Sequence[Real], x: Real, at: Sequence[Real] = ()) -> Real:
    """How much farther from the axis than at rest the matter of a section at x [m] is, in the direction of ``at``."""
    soft = place.soft
    assert soft is not None
    own = place.coordinates(q)
    if thins(place):
        return 1 / mp.sqrt(1 + mp.fdot(stretch_columns(soft, x), own))
    if not soft.section_shapes:
        return mp.mpf(1)
    changes = [_change(shape, x, mp.atan2(at[1], at[0])) for shape in soft.section_shapes]
    return 1 + mp.fdot(own[soft.strain_coordinates :], changes) / value_at(soft.section.radius, x)


def _change(shape: SectionShape, x: Real, phi: Real) -> Real:
    """Of the radius, where bumps that end flat have no value too."""
    try:
        return change_of_radius(shape, x, phi)
    except ZeroDivisionError:
        return mp.mpf(0)


def tendon_lengths(setting: Setting, inputs: Inputs) -> Exact:
    """Per tendon the integral of how fast the cable's place moves along the rod."""
    return forwards(_lengths(setting, vector(inputs["q"])))


def chamber_volumes(setting: Setting, inputs: Inputs) -> Exact:
    """Per chamber the integral of its area times how fast its centroid moves along the rod's axis."""
    return forwards(_volumes(setting, vector(inputs["q"])))


def actuation_matrix(setting: Setting, inputs: Inputs) -> Exact:
    """Row by row what one unit of each input does: by the rates of ``-l`` and ``V``, measured against columns."""
    driven, q = setting.description.actuation, vector(inputs["q"])
    rows = range(setting.tree.nv)
    v = vector(inputs["v"]) if "v" in inputs else [mp.mpf(0)] * len(rows)

    def slopes(values: Callable[[Setting, Sequence[Real]], Vector]) -> list[list[Real]]:
        return [central_difference(partial(_moved_values, setting, q, row, values)) for row in rows]

    shorter, wider = slopes(_lengths), slopes(_volumes)
    columns: list[list[Real]] = []
    tendons = {tendon.name: place for place, tendon in enumerate(driven.tendons)}
    chambers = {chamber.name: place for place, chamber in enumerate(driven.chambers)}
    for name in driven.actuators:
        if isinstance(name, RestStrain):
            columns += _rest_columns(setting, inputs, name)
        elif isinstance(name, JointActuator):
            columns += law_columns(setting.tree, name, q, v)
        elif name in tendons:
            columns.append([-own[tendons[name]] for own in shorter])
        elif name in chambers:
            columns.append([own[chambers[name]] for own in wider])
        else:
            columns += [unit_row(setting.tree.nv, row) for row in _joint_rows(setting, name)]
    values = [column[row] for row in rows for column in columns]
    sizes = [max(map(abs, column)) for column in columns]
    return summed(values, [size for _ in rows for size in sizes])


def _rest_columns(setting: Setting, inputs: Inputs, rest: RestStrain) -> list[list[Real]]:
    """Per coordinate what a rod that rests elsewhere does: what holds its strain is K (q - rest)."""
    columns = []
    for place in setting.tree.rods:
        assert place.soft is not None
        link, (stiffness, _) = place.joint.parent, rod_matrices(place, setting.quantities(inputs))
        for number, row in enumerate(place.soft.rows):
            if rest.names(f"{link}.{row}", link):
                column = [mp.mpf(0)] * setting.tree.nv
                column[place.v_row : place.v_row + len(stiffness)] = [own[number] for own in stiffness]
                columns.append(column)
    return columns


def _moved_values(
    setting: Setting,
    q: Sequence[Real],
    row: int,
    values: Callable[[Setting, Sequence[Real]], Vector],
    step: Real,
) -> Vector:
    return values(setting, moved(setting, q, unit_row(setting.tree.nv, row), step))


def _joint_rows(setting: Setting, name: str) -> list[int]:
    """Rows of v that a joint's motor drives; none of a locked joint."""
    for place in setting.tree.places:
        if place.joint.name == name and not place.bends and place.owns_rows:
            if place.joint.elastic is not None:
                return [place.v_row + 1]
            return list(range(place.v_row, place.v_row + place.rows[1]))
    return []


def _lengths(setting: Setting, q: Sequence[Real]) -> Vector:
    return [
        mp.fsum(
            weight * length(_along(_rod(setting, strand.link), strand, q, x, strain))
            for strand in tendon.strands
            for x, weight, strain in _strained(_rod(setting, strand.link), strand, q)
        )
        for tendon in setting.description.actuation.tendons
    ]


def _along(rod: Place, strand: Strand, q: Sequence[Real], x: Real, strain: Vector) -> Vector:
    """How the cable's place moves per metre of the rod, in the section's axes."""

    def part(text: str, at: Real) -> Real:
        return value_at(text, at) * widening(rod, q, at, [value_at(own, at) for own in (strand.y, strand.z)])

    place = [mp.mpf(0), *(part(text, x) for text in (strand.y, strand.z))]
    slope = [mp.mpf(0), *(mp.diff(partial(part, text), x) for text in (strand.y, strand.z))]
    return add(add(strain[3:], cross(strain[:3], place)), slope)


def _volumes(setting: Setting, q: Sequence[Real]) -> Vector:
    found = []
    for chamber in setting.description.actuation.chambers:
        terms = []
        rod = _rod(setting, chamber.link)
        if chamber.wall and not thins(rod):
            found.append(bulging_volume(rod, chamber, q, _strained))
            continue
        for x, weight, strain in _strained(rod, chamber, q):
            area = value_at(chamber.area, x)
            centroid = [mp.mpf(0), value_at(chamber.moment_y, x) / area, value_at(chamber.moment_z, x) / area]
            ratio = widening(rod, q, x) if thins(rod) else mp.mpf(1)
            area, centroid = ratio**2 * area, scale(ratio, centroid)
            terms.append(weight * area * add(strain[3:], cross(strain[:3], centroid))[0])
        found.append(mp.fsum(terms))
    return found


def _rod(setting: Setting, link: str) -> Place:
    for place in setting.tree.rods:
        if place.joint.parent == link:
            return place
    raise VerificationError(f"link '{link}' is no soft link of robot '{setting.description.name}'")


def _strained(place: Place, part: Strand | Chamber, q: Sequence[Real]) -> Iterator[tuple[Real, Real, Vector]]:
    """Points along a part of a rod: their places, weights and strains (turns; stretches)."""
    soft = place.soft
    assert soft is not None and soft.stations is not None
    inner = [mp.mpf(end) for end in soft.pieces if part.start < end < part.end]
    for start, end in pairwise([mp.mpf(part.start), *inner, mp.mpf(part.end)]):
        for x, weight in rule(start, end, soft.stations):
            strain = reference_strain(soft, x)
            for coordinate, column in zip(place.coordinates(q), strain_columns(soft, x), strict=False):
                strain = add(strain, scale(coordinate, column))
            yield x, weight, strain
