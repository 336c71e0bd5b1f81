"""Wrenches that the sections of soft links transmit.

That of a station is what the part of the rod before it exerts on its section and on all beyond (``joint_wrenches``),
whatever carries it: elastic stress, losses, the coordinates' own forces, and what holds strains that no coordinate
moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdyn.algebra.spatial.rotations import IDENTITY
from symdyn.algebra.spatial.vectors import entries_of
from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.inverse_dynamics.joint_wrenches import TransmissionVariant, inward_step, transmission
from symdyn.dynamics.inverse_dynamics.rnea import wrench_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import ALIGNMENT, TreePlan
from symdyn.model.frame_policy import check_described
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Plan


def station_wrenches_plan(model: Model, external: str = "") -> Plan:
    """The plan of the wrenches F(q, v, a), (ns, 6), that the stations' sections transmit.

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext that the environment applies at the body frames' origins: body, world, or empty.
    """
    check_described(model)
    tree, row = TreePlan(model, external), dict(_rows(model))

    def transmitted(tree: TreePlan, index: int) -> TransmissionVariant:
        return transmission(tree, index, public=index in row)

    def own_axes(_: TreePlan, index: int) -> dict[str, float]:
        return dict(zip(ALIGNMENT, entries_of(IDENTITY), strict=True)) if index in row else {}

    place = Place(
        "F",
        lambda tree, index, field: Access(field, 6 * row[index], 6) if index in row else None,
        lambda tree, field: Field(field, FieldKind.OUTPUT, 6 * len(row)),
    )
    inward = inward_step(place, transmitted).over(tree, reversed(tree.links), more=own_axes)
    return plan_of("station_wrenches", tree, (*wrench_sweeps(tree), *DEFORMABLES.wrenches(tree, ""), inward))


def _rows(model: Model) -> Iterator[tuple[int, int]]:
    """Bodies of stations, with the rows that they are shown in."""
    bodies: Sequence[int] = [rod.stations[rod.nodes[number].step] for rod, number in model.stations]
    return ((body, row) for row, body in enumerate(bodies))
