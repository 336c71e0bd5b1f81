"""The numbers of a rod as its steps read them: what is structural, what differs from step to step, and the rest."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.spatial.step_pose import stumpff_terms
from symdyn.dynamics.tree.map_steps import MapVariant
from symdyn.dynamics.tree.rod_steps import RodVariant, SoftVariant, rest_name
from symdyn.model.mapped import MapBody
from symdyn.model.rod import Rod, SoftBody


def soft_variant(body: SoftBody, derivatives: int) -> SoftVariant:
    """What is structural about the steps of a body whose poses may be differentiated so often."""
    return MapVariant(body.tables.formulas) if isinstance(body, MapBody) else rod_variant(body, derivatives)


def soft_numbers(body: SoftBody, variant: SoftVariant) -> list[Sequence[float]]:
    """The rows of its table."""
    if isinstance(variant, RodVariant):
        assert isinstance(body, Rod)
        return [numbers_at(body, variant, step) for step in range(body.steps)]
    assert isinstance(body, MapBody)
    return list(body.tables.columns)


def soft_rests(body: SoftBody, variant: SoftVariant) -> dict[str, float]:
    """Constants that all its steps share."""
    return rests_of(body, variant) if isinstance(body, Rod) and isinstance(variant, RodVariant) else {}


def rod_variant(rod: Rod, derivatives: int) -> RodVariant:
    """What is structural about the steps of a rod whose poses may be differentiated so often."""
    steps, moments = range(len(rod.moments)), range(len(rod.moments[0].reference))
    entries = tuple(
        (moment, coordinate, row)
        for moment in moments
        for coordinate in range(rod.count)
        for row in rod.tables.moved[coordinate]
        if any(rod.moment(step, moment, coordinate, row) != 0.0 for step in steps)
    )
    varying = tuple(
        (moment, row)
        for moment in moments
        for row in range(6)
        if len({own.reference[moment][row] for own in rod.moments}) > 1
    )
    return RodVariant(
        len(moments), rod.count, stumpff_terms(rod.turn, derivatives), entries, varying, rod.turn, rod.thins
    )


def numbers_at(rod: Rod, variant: RodVariant, step: int) -> list[float]:
    """The row of a step in the rod's table."""
    rests = (rod.moments[step].reference[moment][row] for moment, row in variant.varying)
    found = [*(rod.moment(step, *entry) for entry in variant.entries), *rests]
    if not variant.thins:
        return found
    stretch = rod.stretch(step)
    return [*found, *rod.tables.steps[step].across, *(stretch[row] for row in variant.thins)]


def rests_of(rod: Rod, variant: RodVariant) -> dict[str, float]:
    """Entries of b* that all steps share."""
    rest, shared = rod.moments[0].reference, set(variant.rest_names())
    places = ((moment, row) for moment in range(variant.moments) for row in range(6))
    return {name: rest[moment][row] for moment, row in places if (name := rest_name(moment, row)) in shared}
