"""Mass matrix and inertia of a rod: sums over its stations, in the axes of its root about the root's origin.

With g_k the pose of station k, M_k its inertia seen from the root, S_k = Ad(g_k) D (dOmega/db) B the twist that each
coordinate gives it against the station before, and J_k = J_(k-1) + S_k (Mathew et al., eqs. 5 and 6),

    D = sum J_k^T M_k J_k,    U = sum M_k J_k,    I_0 = sum M_k

are the mass matrix of the rod's coordinates, their wrenches on the carrier, and the inertia that is added to the
carrier's. Where a station needs no other, stations run in lanes, and so do columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.articulated import ArticulatedInertia
from symdyn.algebra.spatial.exponent import exponent_rates
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.inertia import Inertia, inertia_from
from symdyn.algebra.spatial.rotations import IDENTITY, General, Identity
from symdyn.algebra.spatial.step_pose import Tangent, far_twist
from symdyn.algebra.spatial.transform import Pose, Transform, pose_from
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, matrix_from, scale, times
from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.dynamics.tree.rod_steps import RodVariant
from symdyn.model.bind import FIRST_MOMENT, SECOND_MOMENT
from symdyn.model.joints.rod_tip import LANES
from symdyn.plan.plan import Mode, Port, Step

MOMENTS = (*FIRST_MOMENT, *SECOND_MOMENT)
"""Constants of the carrier that change as the rod bends."""
INERTIA = 10
"""Scalars of an inertia: mass, first and second moments."""


@dataclass(frozen=True, slots=True)
class ColumnsVariant:
    """What is structural about the columns of a rod: ``moved`` are the (moment, row) that any coordinate changes.

    After the moments comes the stretch that makes sections thinner, with one row.
    """

    steps: RodVariant
    moved: tuple[tuple[int, int], ...]


def rod_place(first: bool, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station, outward: its pose in the root's frame."""
    own = pose_from(reads["step"])
    return {"place": (own if first else pose_from(reads["before"]).times(own)).scalars()}


def rod_station(variant: ColumnsVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: of each station the twists that moments give it and, where requested, its inertia, at the root."""
    kept, size = reads["kept"], 6 * variant.steps.moments
    moments = [kept[start : start + 6] for start in range(0, size, 6)]
    omega, tangent = kept[size : size + 6], Tangent(*kept[size + 6 : size + 10])
    place = pose_from(reads["place"])
    twists: list[Scalar] = []
    for moment, row in variant.moved:
        units: list[list[Scalar]] = [
            [float((moment, row) == (n, entry)) for entry in range(6)] for n in range(len(moments))
        ]
        if moment == len(moments):  # the stretch, which changes the first moment along y and z
            units[0][1:3] = kept[-2:]
        rate = exponent_rates(algebra, list(zip(moments, units, strict=True)))[1]
        twists += _at_root(place, far_twist(tangent, omega, rate))
    writes: dict[str, Sequence[Scalar]] = {"twists": twists}
    if "section" in reads:
        mass, *spread = scale(reads["density"][0], reads["section"]) if "density" in reads else reads["section"]
        # A section lies in its y z plane: of its second moments only yy and zz are not zero.
        section = Inertia(mass, [0.0] * 3, (0.0, 0.0, 0.0, spread[0], 0.0, spread[1]))
        seen = section.seen_from_parent(Transform(IDENTITY, General(place.rotation), place.position))
        writes["inertia"] = seen.scalars()
    return writes


def _at_root(place: Pose, twist: Vector) -> list[Scalar]:
    """A twist (v; omega) of a station in its own axes, at the root's origin in the root's axes."""
    turning = times(place.rotation, twist[3:])
    return [*add(times(place.rotation, twist[:3]), cross(place.position, turning)), *turning]


def rod_column(slots: tuple[int, ...], algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station and column: what it grows by; ``slots`` are the twists that any column of its chunk has."""
    twists = [reads["twists"][6 * slot : 6 * slot + 6] for slot in slots]
    found: list[Scalar] = [0.0] * 6
    for twist, weight in zip(twists, reads["weights"], strict=True):
        found = [entry + weight * part for entry, part in zip(found, twist, strict=True)]
    return {"column": found}


def rod_side(slots: tuple[int, ...], algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per mass point of a section and column: that of its station, and what it grows by."""
    return {"side": add(reads["column"], rod_column(slots, algebra, constants, reads)["column"])}


def rod_wrench(_: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station and column: the wrench (f; n) that accelerates the station with it, and fluid around it."""
    wrench = inertia_from(reads["inertia"]).momentum(reads["column"])
    if "added" in reads:
        wrench = add(wrench, ArticulatedInertia(reads["added"]).times(reads["column"]))
    return {"wrench": wrench, "coupling": wrench}


def rod_masses(_: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station and row: J^T M J with the columns of a chunk."""
    wrenches = [reads["wrenches"][place::LANES] for place in range(LANES)]
    return {"masses": [dot(reads["column"], wrench) for wrench in wrenches]}


def rod_total(_: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the inertia of all stations."""
    return {"total": reads["inertia"]}


def rod_weight(first: bool, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: what its inertia adds to the moments of the carrier; ``first`` if nothing bends on it before."""
    moments = inertia_from(reads["total"]).seen_from_parent(root_of(constants)).scalars()[1:]
    if first:
        moments = [constants[name] + change for name, change in zip(MOMENTS, moments, strict=True)]
    return {"bent": moments}


ROOT = tuple(f"E{row}{column}" for row in range(3) for column in range(3))
ORIGIN = ("lx", "ly", "lz")


def root_of(constants: Mapping[str, Scalar]) -> Transform:
    """The root's frame in the carrier."""
    return Transform(matrix_from([constants[name] for name in ROOT]), Identity(), [constants[name] for name in ORIGIN])


def rod_coupling(_: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod and column: the wrench on the carrier, in the carrier's frame."""
    return {"root_wrench": wrench_in_parent(root_of(constants), reads["coupling"])}


def rod_end(_: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod and column: how it moves the tip's origin, in the root's axes."""
    column, place = reads["column"], reads["place"]
    return {"tip": [*add(column[:3], cross(column[3:], place[9:])), *column[3:]]}


def rod_pose(_: object, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the pose of the tip."""
    return {"tip": reads["place"]}


def _step(kernel: object, reads: str, writes: str = "", adds: str = "") -> Step:
    modes = ((reads, Mode.READ), (writes, Mode.WRITE), (adds, Mode.ADD))
    ports = chain.from_iterable([Port(port, mode) for port in names.split()] for names, mode in modes)
    return Step(kernel.__name__, kernel, tuple(ports))  # type: ignore[attr-defined, arg-type]


PLACE = _step(rod_place, "step before", "place")
STATION = _step(rod_station, "kept place section density", "twists inertia")
COLUMN = _step(rod_column, "twists weights", "", "column")
SIDE = _step(rod_side, "twists weights column", "side")
WRENCH = _step(rod_wrench, "inertia added column", "wrench", "coupling")
MASSES = _step(rod_masses, "column wrenches", "", "masses")
TOTAL = _step(rod_total, "inertia", "", "total")
WEIGHT = _step(rod_weight, "total", "", "bent")
COUPLING = _step(rod_coupling, "coupling", "root_wrench")
END = _step(rod_end, "column place", "tip")
POSE_STEP = _step(rod_pose, "place", "tip")
