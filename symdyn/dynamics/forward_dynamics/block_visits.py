"""Visits of the steps of ``block_elimination`` and ``block_steps``, for a tip whose rows are eliminated in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symdyn.algebra.spatial.articulated import SIZE
from symdyn.dynamics.elements.tip import tip_constants, tip_reads
from symdyn.dynamics.forward_dynamics.aba_layout import ClusterPlace
from symdyn.dynamics.forward_dynamics.block_elimination import (
    BACKWARD,
    COLUMN,
    COUPLINGS,
    ENTRIES,
    FORWARD,
    HAND_ON,
    LANES,
    LIFT,
    PANEL,
    PIVOTS,
    UPDATE,
    WRENCHES,
)
from symdyn.dynamics.forward_dynamics.block_places import COLUMNS, MASSES, REST, SOLVED, whole
from symdyn.dynamics.forward_dynamics.block_steps import LOAD, RELEASE, aba_acceleration_step, parts_step, settle_step
from symdyn.dynamics.tree.tree import LOSS
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.plan.plan import Access, Binding, Step, Visit

Made = Iterator[tuple[Step, Visit]]


def aba_inertia_block_visits(place: ClusterPlace) -> Made:
    """Elimination of the tip's free rows."""
    body, blocks = place.bodies[0], place.blocks
    variant = blocks.variant

    def looped(step: Step, structure: int, bindings: Mapping[str, Binding], lanes: int = LANES) -> tuple[Step, Visit]:
        return step, Visit(body, structure, {}, bindings, lanes)

    yield _parts(place)
    for chunk in blocks.free:
        column = blocks.lanes(COLUMNS, COLUMN * chunk, COLUMN)
        bindings = {"inertia": blocks.plain("block_inertia", 0, COLUMN**2), "column": column}
        yield looped(WRENCHES, 0, {**bindings, "wrench": blocks.lanes("block_wrenches", COLUMN * chunk, COLUMN)})
    for row, chunk in blocks.blocks():
        if chunk in blocks.free and row != blocks.base:
            entries = {
                "column": blocks.lanes(COLUMNS, COLUMN * row, COLUMN),
                "wrenches": whole(blocks.lanes("block_wrenches", COLUMN * chunk, COLUMN)),
                "masses": blocks.masses(row, chunk),
                "entries": blocks.entries(row, chunk),
            }
            yield looped(ENTRIES, variant.size, entries)
    if variant.transmits:
        for chunk in range(blocks.base):
            coupled = blocks.entries(blocks.base, chunk)
            bindings = {
                "carried": blocks.lanes("block_carried", 0, COLUMN),
                "columns": whole(blocks.lanes(COLUMNS, COLUMN * chunk, COLUMN)),
            }
            yield looped(COUPLINGS, blocks.rows(chunk), {**bindings, "own": coupled, "coupled": coupled})
    for chunk in blocks.free:
        diagonal = {"lower": blocks.lower(chunk), "pivots": blocks.per_row("block_pivots", chunk)}
        yield looped(PIVOTS, variant.size, {"entries": whole(blocks.entries(chunk, chunk)), **diagonal}, lanes=1)
        for row in blocks.behind(chunk):
            panel = {"entries": blocks.entries(row, chunk), **diagonal}
            yield looped(
                PANEL, variant.size, {**panel, "scaled": blocks.scaled(row), "factor": blocks.factor(row, chunk)}
            )
        for row, other in blocks.blocks():
            if other > chunk:
                entries = {"entries": blocks.entries(row, other), "left": blocks.entries(row, other)}
                factor = whole(blocks.factor(other, chunk))
                yield looped(UPDATE, blocks.rows(other), {"scaled": blocks.scaled(row), "factor": factor, **entries})
    if variant.moves:
        moved_access = Access("articulated", SIZE * place.parent, SIZE)
        bindings = {"whole": whole(blocks.entries(blocks.base, blocks.base)), "parent_articulated": moved_access}
        yield RELEASE, Visit(body, variant, {}, bindings)


def _there(**bindings: Binding | None) -> dict[str, Binding]:
    """Those that are there."""
    return {port: binding for port, binding in bindings.items() if binding is not None}


def _parts(place: ClusterPlace) -> tuple[Step, Visit]:
    body, blocks, tree = place.bodies[0], place.blocks, place.elimination.tree
    variant, sizes = blocks.variant, blocks.sizes()
    loaded = () if variant.straight else tuple(name for name in (COLUMNS, MASSES) if sizes[name])
    chunks = range(blocks.base if variant.transmits else 0)
    bindings = {
        "inertia": blocks.plain("block_inertia", 0, COLUMN**2),
        "pose": tree.pose(body),
        **tip_reads(tree, body),
        **_there(
            articulated=Access("articulated", SIZE * body, SIZE) if place.elimination.loads_others(body) else None
        ),
        **{name.removeprefix("block_"): whole(blocks.lanes(name, 0, sizes[name])) for name in loaded},
        **_there(carried=whole(blocks.lanes("block_carried", 0, COLUMN)) if variant.transmits else None),
        **{f"coupling_{chunk}": whole(blocks.entries(blocks.base, chunk)) for chunk in chunks},
        **_there(whole=whole(blocks.entries(blocks.base, blocks.base)) if variant.moves else None),
    }
    names = (*ROTATION, *TRANSLATION, *variant.body.kind.column_constants, *INERTIA)
    constants = {**tree.constants(body, names), **tip_constants(tree, body, variant.straight)}
    return parts_step(blocks.base), Visit(body, variant, constants, bindings)


def aba_bias_block_visits(place: ClusterPlace, given: str, found: str, rates: str, wrench: str) -> Made:
    """Inward half of the solution; fields as in ``aba.aba_bias_sweeps``."""
    body, blocks, tree = place.bodies[0], place.blocks, place.elimination.tree
    variant, sizes = blocks.variant, blocks.sizes()
    load = {
        "given": tree.v(body, given),
        "pose": tree.pose(body),
        "wrench": Access(wrench, 6 * body, 6),
        "rest": whole(blocks.lanes(REST, 0, blocks.base + variant.transmits)),
        **_there(v=tree.v(body, rates) if variant.body.lossy else None),
    }
    constants = tree.constants(body, (*ROTATION, *TRANSLATION, *variant.body.kind.column_constants, *LOSS))
    yield LOAD, Visit(body, variant, constants, load)
    for chunk in blocks.free:
        solved = blocks.per_row(SOLVED, chunk)
        forward = {"rest": blocks.rest(chunk), "lower": blocks.lower(chunk), "solved": solved}
        yield FORWARD, Visit(body, variant.size, {}, forward)
        for row in blocks.behind(chunk):
            handed = {"factor": blocks.factor(row, chunk), "solved": solved, "rest": blocks.lanes(REST, row, 1)}
            yield HAND_ON, Visit(body, None, {}, handed, LANES)
    settled = {
        **{f"rest_{number}": blocks.rest(chunk) for number, chunk in enumerate(blocks.prescribed)},
        **_there(
            solved=blocks.plain(SOLVED, 0, sizes[SOLVED]) if place.responds and sizes[SOLVED] else None,
            pivots=blocks.plain("block_pivots", 0, sizes[SOLVED]) if place.responds and sizes[SOLVED] else None,
            joint_force_residual=blocks.plain("block_drive", 0, sizes["block_drive"]) if place.responds else None,
            found=None if place.responds else tree.v(body, found),
            rest=blocks.rest(blocks.base) if variant.transmits else None,
            parent_wrench=Access(wrench, 6 * place.parent, 6) if variant.transmits else None,
        ),
    }
    yield settle_step(len(blocks.prescribed)), Visit(body, variant, {}, settled)


def aba_acceleration_block_visits(place: ClusterPlace, found: str) -> Made:
    """Outward half of the solution."""
    body, blocks, tree = place.bodies[0], place.blocks, place.elimination.tree
    variant, acceleration_change, sizes = blocks.variant, place.elimination.acceleration_change(place), blocks.sizes()
    for chunk in reversed(blocks.free):
        joint_force_residual, moved = blocks.per_row("block_drive", chunk), blocks.per_row("block_moved", chunk)
        for row in blocks.behind(chunk):
            if row not in blocks.prescribed and (row != blocks.base or variant.moves):
                moved_access = acceleration_change if row == blocks.base else blocks.per_row("block_moved", row)
                lift = {
                    "factor": whole(blocks.factor(row, chunk)),
                    "moved": moved_access,
                    "joint_force_residual": joint_force_residual,
                }
                yield LIFT, Visit(body, variant.size, {}, lift)
        backward = {"joint_force_residual": joint_force_residual, "lower": blocks.lower(chunk), "moved": moved}
        yield BACKWARD, Visit(body, variant.size, {}, backward)
    coupled = enumerate(blocks.prescribed if variant.moves else ())
    bindings = {
        "pose": tree.pose(body),
        "acceleration_change": acceleration_change,
        "joint_force_residual": blocks.plain("block_drive", 0, sizes["block_drive"]),
        "found": tree.v(body, found),
        **_there(moved=blocks.plain("block_moved", 0, sizes["block_moved"]) if sizes["block_moved"] else None),
        **{f"coupling_{number}": whole(blocks.entries(blocks.base, chunk)) for number, chunk in coupled},
        **_there(own_change=place.elimination.own_change(body) if variant.hands_on else None),
    }
    constants = tree.constants(body, (*ROTATION, *TRANSLATION, *variant.body.kind.column_constants))
    yield aba_acceleration_step(len(blocks.prescribed)), Visit(body, variant, constants, bindings)
