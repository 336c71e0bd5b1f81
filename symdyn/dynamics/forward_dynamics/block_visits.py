"""Visits of the steps of ``block_elimination`` and ``block_steps``, for a tip whose rows are eliminated in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symdyn.dynamics.elements.tip import tip_constants, tip_reads
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
from symdyn.dynamics.forward_dynamics.block_places import COLUMNS, MASSES, REST, SOLVED, BlockPlace, whole
from symdyn.dynamics.forward_dynamics.block_steps import LOAD, RELEASE, parts_step, respond_step, settle_step
from symdyn.dynamics.forward_dynamics.eliminated_tree import ClusterPlace, Elimination
from symdyn.dynamics.tree.tree import JOINT, LOSS
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.plan import Access, Binding, Constant, Step, Visit
from symdyn.spatial.articulated import SIZE

Made = Iterator[tuple[Step, Visit]]


def release_block_visits(elimination: Elimination, place: ClusterPlace) -> Made:
    """Elimination of the tip's free rows."""
    (body,) = place.bodies
    blocks = elimination.blocks[body]
    variant = blocks.variant

    def looped(step: Step, structure: int, bindings: Mapping[str, Binding], lanes: int = LANES) -> tuple[Step, Visit]:
        return step, Visit(body, structure, {}, bindings, lanes)

    yield _parts(elimination, place, blocks)
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
        felt = Access("articulated", SIZE * place.parent, SIZE)
        bindings = {"whole": whole(blocks.entries(blocks.base, blocks.base)), "parent_articulated": felt}
        yield RELEASE, Visit(body, variant, {}, bindings)


def _parts(elimination: Elimination, place: ClusterPlace, blocks: BlockPlace) -> tuple[Step, Visit]:
    (body,) = place.bodies
    tree, variant = elimination.tree, blocks.variant
    bindings: dict[str, Binding] = {
        "inertia": blocks.plain("block_inertia", 0, COLUMN**2),
        **elimination.pose(body),
        **tip_reads(tree, body),
    }
    if elimination.felt(body):
        bindings["articulated"] = Access("articulated", SIZE * body, SIZE)
    if not variant.straight:
        sizes = blocks.sizes()
        bindings |= {name: whole(blocks.lanes(name, 0, sizes[name])) for name in (COLUMNS, MASSES) if sizes[name]}
        bindings = {name.removeprefix("block_"): binding for name, binding in bindings.items()}
    if variant.transmits:
        bindings["carried"] = whole(blocks.lanes("block_carried", 0, COLUMN))
        for chunk in range(blocks.base):
            bindings[f"coupling_{chunk}"] = whole(blocks.entries(blocks.base, chunk))
    if variant.moves:
        bindings["whole"] = whole(blocks.entries(blocks.base, blocks.base))
    names = (*ROTATION, *TRANSLATION, *JOINT, *INERTIA)
    constants = {**tree.constants(body, names), **tip_constants(tree, body, variant.straight)}
    return parts_step(blocks.base), Visit(body, variant, constants, bindings)


def absorb_block_visits(
    elimination: Elimination, place: ClusterPlace, given: str, found: str, rates: str, wrench: str
) -> Made:
    """Inward half of the solution; fields as in ``aba.solve_sweeps``."""
    (body,) = place.bodies
    blocks, tree = elimination.blocks[body], elimination.tree
    variant = blocks.variant
    bindings: dict[str, Binding] = {
        "given": tree.v(body, given),
        **elimination.pose(body),
        "wrench": Access(wrench, 6 * body, 6),
        "rest": whole(blocks.lanes(REST, 0, blocks.base + variant.transmits)),
    }
    if variant.body.lossy:
        bindings["v"] = tree.v(body, rates)
    constants = tree.constants(body, (*ROTATION, *TRANSLATION, *JOINT, *LOSS))
    yield LOAD, Visit(body, variant, constants, bindings)
    for chunk in blocks.free:
        rest = Access(REST, blocks.lanes(REST, chunk, 1).offset, variant.size)
        solved = blocks.per_row(SOLVED, chunk)
        forward: dict[str, Binding] = {"rest": rest, "lower": blocks.lower(chunk), "solved": solved}
        yield FORWARD, Visit(body, variant.size, {}, forward)
        for row in blocks.behind(chunk):
            bindings = {"factor": blocks.factor(row, chunk), "solved": solved, "rest": blocks.lanes(REST, row, 1)}
            yield HAND_ON, Visit(body, None, {}, bindings, LANES)
    bindings = {
        f"rest_{number}": Access(REST, blocks.lanes(REST, chunk, 1).offset, blocks.rows(chunk))
        for number, chunk in enumerate(blocks.held)
    }
    if place.responds:
        sizes = blocks.sizes()
        for port, field in (("solved", SOLVED), ("pivots", "block_pivots")):
            bindings |= {port: blocks.plain(field, 0, sizes[field])} if sizes[field] else {}
        bindings["drive"] = blocks.plain("block_drive", 0, sizes["block_drive"])
    else:
        bindings["found"] = tree.v(body, found)
    if variant.transmits:
        bindings["rest"] = Access(REST, blocks.lanes(REST, blocks.base, 1).offset, COLUMN)
        bindings["parent_wrench"] = Access(wrench, 6 * place.parent, 6)
    yield settle_step(len(blocks.held)), Visit(body, variant, {}, bindings)


def respond_block_visits(elimination: Elimination, place: ClusterPlace, found: str) -> Made:
    """Outward half of the solution."""
    (body,) = place.bodies
    blocks, tree = elimination.blocks[body], elimination.tree
    variant, change = blocks.variant, elimination.change(place)
    for chunk in reversed(blocks.free):
        drive, moved = blocks.per_row("block_drive", chunk), blocks.per_row("block_moved", chunk)
        for row in blocks.behind(chunk):
            if row in blocks.held or (row == blocks.base and not variant.moves):
                continue
            felt = change if row == blocks.base else blocks.per_row("block_moved", row)
            lift = {"factor": whole(blocks.factor(row, chunk)), "moved": felt, "drive": drive}
            yield LIFT, Visit(body, variant.size, {}, lift)
        backward: dict[str, Binding] = {"drive": drive, "lower": blocks.lower(chunk), "moved": moved}
        yield BACKWARD, Visit(body, variant.size, {}, backward)
    sizes = blocks.sizes()
    bindings: dict[str, Binding] = {
        **elimination.pose(body),
        "change": change,
        "drive": blocks.plain("block_drive", 0, sizes["block_drive"]),
        "found": tree.v(body, found),
    }
    if sizes["block_moved"]:
        bindings["moved"] = blocks.plain("block_moved", 0, sizes["block_moved"])
    if variant.moves:
        bindings |= {
            f"coupling_{number}": whole(blocks.entries(blocks.base, chunk)) for number, chunk in enumerate(blocks.held)
        }
    if variant.hands_on:
        bindings["own_change"] = elimination.own_change(body)
    constants: dict[str, Constant] = tree.constants(body, (*ROTATION, *TRANSLATION, *JOINT))
    yield respond_step(len(blocks.held)), Visit(body, variant, constants, bindings)
