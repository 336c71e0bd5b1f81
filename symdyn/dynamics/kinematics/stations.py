"""Where the stations of soft links stand, and how much they are strained.

The strain at a station is xi = xi* + Phi q, with g' = g xi for its pose g (Mathew et al., eq. 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.kinematics.frame_kinematics import world_pose_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of, read, step, write
from symdyn.dynamics.tree.places import WORLD, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.frame_policy import check_described
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Plan


@dataclass(frozen=True, slots=True)
class StrainAtVariant:
    """What is structural about the strain at a station: the rows that each coordinate moves, and the order of rows."""

    moved: tuple[tuple[int, ...], ...]
    angular_first: bool


def station_pose(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station: its homogeneous pose in the world, 4 x 4 row-major."""
    turned, at = reads["world"][:9], reads["world"][9:]
    rows = [[*turned[start : start + 3], place] for start, place in zip((0, 3, 6), at, strict=True)]
    return {"X": [*rows[0], *rows[1], *rows[2], 0.0, 0.0, 0.0, 1.0]}


def station_strain(variant: StrainAtVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station: its strain xi* + Phi q."""
    strain: list[Scalar] = [constants[f"rest{row}"] for row in range(6)]
    for coordinate, rows in enumerate(variant.moved):
        for row in rows:
            strain[row] = strain[row] + constants[f"phi{coordinate}_{row}"] * reads["q"][coordinate]
    return {"strain": [*strain[3:], *strain[:3]] if variant.angular_first else strain}


def _body(tree: TreePlan, station: int) -> int:
    rod, number = tree.model.stations[station]
    return rod.stations[rod.nodes[number].step]


def _output(field: str, width: int) -> Place:
    return Place(
        field,
        lambda tree, station, name: Access(name, width * station, width),
        lambda tree, name: Field(name, FieldKind.OUTPUT, width * len(tree.model.stations)),
    )


def _functions(tree: TreePlan, station: int) -> dict[str, float]:
    rod, number = tree.model.stations[station]
    node = rod.nodes[number]
    owned = zip(rod.tables.moved, node.functions, strict=False)  # coordinates of sections come last
    return {
        **{f"rest{row}": value for row, value in enumerate(node.reference)},
        **{
            f"phi{coordinate}_{row}": value
            for coordinate, (rows, values) in enumerate(owned)
            for row, value in zip(rows, values, strict=True)
        },
    }


def _strained(tree: TreePlan, station: int) -> StrainAtVariant:
    rod, _ = tree.model.stations[station]
    return StrainAtVariant(rod.tables.moved[: rod.strains], tree.model.convention == "spatial")


_POSE = step(
    station_pose,
    variant=lambda tree, station: None,
    body=_body,
    world=read(WORLD.own.by(_body)),
    X=write(_output("X", 16)),
)
_STRAIN = step(
    station_strain,
    variant=_strained,
    body=_body,
    q=read(Place("q", lambda tree, station, field: tree.q(tree.model.stations[station][0].owner))),
    strain=write(_output("strain", 6)),
)


def station_poses_plan(model: Model) -> Plan:
    """The plan of X(q), (ns, 4, 4): homogeneous poses of the stations' sections in the world."""
    check_described(model)
    tree = TreePlan(model)
    shown = _POSE.over(tree, range(len(model.stations)))
    return plan_of("station_poses", tree, [*world_pose_sweeps(tree)[1], shown], binding=tree.parameter_sweeps())


def station_strains_plan(model: Model) -> Plan:
    """The plan of the strains xi(q), (ns, 6), of the stations' sections."""
    tree = TreePlan(model)
    sweep = _STRAIN.over(tree, range(len(model.stations)), more=_functions)
    return plan_of("station_strains", tree, [sweep], [Field("q", FieldKind.INPUT, model.nq)], binding=())
