"""Lengths of tendons, volumes of chambers, and what inputs do, from strains at the points of a quadrature.

The actuation matrix is the difference quotient of lengths and volumes: what a tension does to a coordinate follows from
its power alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from mpmath import mp

from symdyn.description.actuation import Chamber, JointActuator, RestStrain, Strand
from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real, Vector, add, cross, length, scale, vector
from symdyn.verify.base.quadrature import rule
from symdyn.verify.oracle.bulging import bulging_volume, thins, widening
from symdyn.verify.oracle.exact import Exact, forwards, summed
from symdyn.verify.oracle.laws import law_columns
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.rod_section import value_at
from symdyn.verify.oracle.rod_springs import rod_matrices
from symdyn.verify.oracle.rod_strains import reference_strain, strain_columns
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row


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
