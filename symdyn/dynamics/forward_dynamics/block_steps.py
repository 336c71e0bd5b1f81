"""The steps around ``block_elimination``: between a deformable body's tip and its blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import top_term
from symdyn.algebra.spatial.articulated import ENTRIES, ArticulatedInertia
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.vectors import add, times
from symdyn.dynamics.elements.listed import tip_of
from symdyn.dynamics.elements.tip import DeformableTip, MovedTip, TipColumn
from symdyn.dynamics.forward_dynamics.aba_steps import own_inertia, pose_in
from symdyn.dynamics.forward_dynamics.block_elimination import COLUMN, LANES, block_products, block_step, in_lanes
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.plan.plan import Step

Chunk = tuple[int, ...]
"""The rows of the tip's joint in a chunk."""


@dataclass(frozen=True, slots=True)
class BlockVariant:
    """What is structural about a tip that is eliminated block by block.

    ``size`` is the number of rows of a chunk, those of the unit matrix included; ``free`` and ``prescribed`` are the
    chunks of free and of prescribed rows; the flags are those of ``ClusterVariant`` and ``Member``. ``straight`` says
    that the columns and masses of its rows are constants.
    """

    body: BodyVariant
    size: int
    free: tuple[Chunk, ...]
    prescribed: tuple[Chunk, ...]
    moves: bool
    responds: bool
    transmits: bool
    hands_on: bool
    straight: bool

    @property
    def tip(self) -> DeformableTip:
        """What the body shows."""
        tip = tip_of(self.body.kind)
        assert tip is not None
        return tip

    def moved(self, constants: Mapping[str, Scalar], reads: Reads) -> MovedTip:
        """The tip at the pose of its joint."""
        return MovedTip(self.tip, constants, pose_in(self.body, reads))

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """Of all rows, the free ones first."""
        return (*self.free, *self.prescribed)


def block_columns(variant: BlockVariant, tip: Sequence[TipColumn]) -> list[Scalar]:
    """The columns of the rows, per chunk and scalar the lanes: how a row moves the tip, and how it turns it."""
    columns = [[*column.move, *column.slope] for column in tip]
    return [
        entry
        for chunk in variant.chunks
        for place in range(COLUMN)
        for entry in in_lanes([columns[row][place] for row in chunk])
    ]


def block_masses(variant: BlockVariant, masses: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """D_0 in blocks: of free rows on and below the diagonal, then of prescribed ones; with rows of the unit matrix."""
    size, last = variant.size, variant.free[-1] if variant.free else ()
    found: list[Scalar] = []
    for number, chunk in enumerate(variant.chunks):
        for before, columns in enumerate(variant.free[: number + 1]):
            for column in range(size):
                inside = column < len(columns)
                entries = [masses[row][columns[column]] if inside else 0.0 for row in chunk]
                lanes = in_lanes(entries)
                if not inside and columns is last and before == number:
                    lanes[column] = 1.0
                found += lanes
    return found


def block_parts(variant: BlockVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: what moves with the tip, as its rows and the parent feel it."""
    inertia = own_inertia(constants)
    if "articulated" in reads:
        inertia = inertia.plus(ArticulatedInertia(reads["articulated"]))
    tip = variant.moved(constants, reads)
    inertia, columns = tip.inertia(inertia), tip.columns()
    axes = columns[0].axes
    still: list[Scalar] = [0.0] * 3
    units = [[float(place == axis) for place in range(3)] for axis in range(3)]
    wrenches = [inertia.times([*unit, *still]) for unit in units]
    wrenches += [inertia.times([*still, *axis]) for axis in axes]
    joint_forces = [[*wrench[:3], *times(axes, wrench[3:])] for wrench in wrenches]
    writes: dict[str, Sequence[Scalar]] = {
        "inertia": [wrench[place] for place in range(COLUMN) for wrench in joint_forces]
    }
    if not variant.straight:
        writes["columns"] = block_columns(variant, columns)
        if variant.free:
            writes["masses"] = block_masses(variant, tip.own_mass(reads))
    if variant.transmits:
        carried = [wrench_in_parent(tip.frame(), wrench) for wrench in wrenches]
        writes["carried"] = [entry for wrench in carried for entry in in_lanes(wrench)]
        own = tip.coupling(reads)
        for number, chunk in enumerate(variant.chunks):
            size = variant.size if number < len(variant.free) else len(chunk)
            rows = [own[row] for row in chunk] + [[0.0] * COLUMN] * (size - len(chunk))
            writes[f"coupling_{number}"] = [entry for wrench in rows for entry in in_lanes(wrench)]
    if variant.moves:
        whole = inertia.seen_from_parent(tip.frame())
        writes["whole"] = [entry for place in range(COLUMN) for entry in in_lanes(whole.column(place))]
    return writes


def block_inertia(_: BlockVariant, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the inertia that the parent feels."""
    return {"parent_articulated": [reads["whole"][LANES * row + column] for row, column in ENTRIES]}


def block_load(variant: BlockVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the rests of the rows, chunk by chunk, and the wrench that the parent feels."""
    tip = variant.moved(constants, reads)
    wrench = tip.wrench(reads["wrench"])
    joint_forces = [column.share(wrench) for column in tip.columns()]
    if variant.body.lossy:
        joint_forces = add(joint_forces, losses(variant.body, algebra, constants, reads["v"]))
    rests: list[Scalar] = []
    for chunk in variant.free:
        rests += in_lanes([top_term(joint_forces[row] - reads["given"][row]) for row in chunk])
    for chunk in variant.prescribed:
        rests += in_lanes([joint_forces[row] for row in chunk])
    if variant.transmits:
        rests += in_lanes(wrench_in_parent(tip.frame(), wrench))
    return {"rest": rests}


def block_settle(variant: BlockVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: what drives the rows, and the wrench on the parent."""
    prescribed = [
        reads[f"rest_{number}"][place] for number, chunk in enumerate(variant.prescribed) for place in range(len(chunk))
    ]
    writes: dict[str, Sequence[Scalar]] = {}
    if variant.responds:
        pivots, solved = reads.get("pivots", ()), reads.get("solved", ())
        writes["joint_force_residual"] = [*(-(x * y) for x, y in zip(pivots, solved, strict=True)), *prescribed]
    else:
        found: list[Scalar] = [0.0] * len(prescribed)
        for row, force in zip((row for chunk in variant.prescribed for row in chunk), prescribed, strict=True):
            found[row] = force
        writes["found"] = found
    if variant.transmits:
        writes["parent_wrench"] = reads["rest"]
    return writes


def block_acceleration(variant: BlockVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: what the rows do, and the acceleration of the tip."""
    found: list[Scalar] = [0.0] * sum(map(len, variant.chunks))
    rates: list[Scalar] = list(found)
    for number, chunk in enumerate(variant.free):
        for place, row in enumerate(chunk):
            found[row] = rates[row] = reads["moved"][variant.size * number + place]
    start = variant.size * len(variant.free)
    for number, chunk in enumerate(variant.prescribed):
        for place, row in enumerate(chunk):
            force = reads["joint_force_residual"][start]
            if variant.moves:
                column = reads[f"coupling_{number}"][LANES * place :][:COLUMN]
                force = block_products(column, reads["acceleration_change"], force)
            found[row], start = force, start + 1
    writes: dict[str, Sequence[Scalar]] = {"found": found}
    if variant.hands_on:
        writes["own_change"] = variant.moved(constants, reads).motion(reads["acceleration_change"], rates)
    return writes


RELEASE = block_step("inertia_pass", block_inertia, "whole", "", "parent_articulated")
LOAD = block_step("load", block_load, "given v pose wrench", "rest")


def _numbered(name: str, count: int) -> str:
    return " ".join(f"{name}_{number}" for number in range(count))


def parts_step(chunks: int) -> Step:
    """The first step of a tip with so many chunks of rows."""
    writes = f"inertia columns masses carried {_numbered('coupling', chunks)} whole"
    return block_step("parts", block_parts, "pose articulated q shape", writes)


def settle_step(prescribed: int) -> Step:
    """The last step inward, with so many chunks of prescribed rows."""
    reads = f"solved pivots {_numbered('rest', prescribed)} rest"
    return block_step("settle", block_settle, reads, "joint_force_residual found", "parent_wrench")


def aba_acceleration_step(prescribed: int) -> Step:
    """The last step outward, with so many chunks of prescribed rows."""
    reads = f"pose acceleration_change moved joint_force_residual {_numbered('coupling', prescribed)}"
    return block_step("acceleration_pass", block_acceleration, reads, "found own_change")
