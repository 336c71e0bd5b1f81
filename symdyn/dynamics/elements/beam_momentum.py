"""Momentum, kinetic energy and first moments of flexible links beside those of the bodies that carry them.

A carrier has the mass of what bends on it (see ``beam_shape``), so that what is missing is what d' adds: with the
coupling wrenches (H_k; integral r x s_k dm) per coordinate and the modal mass matrix m,

    momentum      sum (H_k; integral r x s_k dm) d_k'
    energy        V . that + 1/2 d' . m d'
    first moment  sum H_i e_i, and its rate sum H_i e_i'

The ground carries no body: there a link counts with its moment at rest, and its mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.symmetric import combined
from symdyn.algebra.spatial.transform import turned_halves
from symdyn.algebra.spatial.vectors import add, dot, matrix_from, subtract
from symdyn.dynamics.tree.beam_shape import (
    BeamVariant,
    coupling,
    first_names,
    firsts,
    modal_mass,
)
from symdyn.dynamics.tree.bindings import BoundStep, ConstantsOf, Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import SHAPE, Place, Q, V, whole
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints.bending import amplitude_rates, amplitudes, weighted
from symdyn.plan.plan import Access, Binding, Sweep

_AT_REST = ("mass", "rest_x", "rest_y", "rest_z")


def beam_momentum(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: the momentum (linear; angular) that its bending adds to its carrier's."""
    return {"momentum": combined(coupling(variant.kind, constants, reads), reads["v"], 6)}


def beam_energy(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: the kinetic energy that its bending adds; its carrier's twist is (v; omega)."""
    rates, twist = reads["v"], reads["twist"]
    added = beam_momentum(variant, algebra, constants, reads)["momentum"]
    quadratic: Scalar = 0.0
    for rate, row in zip(rates, modal_mass(variant.kind, constants, reads["q"]), strict=True):
        for other, mass in zip(rates, row, strict=True):
            quadratic = quadratic + rate * (mass * other)
    return {"energy": [dot(twist, added) + 0.5 * quadratic]}


def beam_moment(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: what its bending adds to its carrier's first moment, and the rate of that."""
    first, pairs = firsts(variant.kind, constants), variant.kind.pairs
    writes: dict[str, Sequence[Scalar]] = {}
    if variant.writes_forces:
        writes["moment"] = weighted(first, amplitudes(pairs, reads["q"]))
    if "v" in reads:
        writes["rate"] = weighted(first, amplitude_rates(pairs, reads["q"], reads["v"]))
    return writes


def ground_moment(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link on the ground: its mass and first moment."""
    first = beam_moment(variant, algebra, constants, reads)["moment"]
    return {"first": [constants["mass"], *add([constants[name] for name in _AT_REST[1:]], first)]}


def momentum_columns_of_beam(
    variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step per flexible link: what its bending adds to its columns of the matrix of centroidal momentum."""
    rotation, at = matrix_from(reads["world"][:9]), reads["world"][9:]
    arm = subtract(at, reads["center"])
    writes = {}
    for place, wrench in enumerate(coupling(variant.kind, constants, reads)):
        writes[f"column{place}"] = wrench_at_offset(turned_halves(rotation, wrench), arm)
    return writes


def _sweeps(
    tree: TreePlan,
    per_beam: BoundStep,
    constants: ConstantsOf = lambda tree, index: tree.beams.coupling_constants(index),
) -> list[Sweep]:
    """Those of a step per flexible link, none where there is no such link; its constants are H and T."""
    return [per_beam.over(tree, tree.model.beams, more=constants)] if tree.model.beams else []


def _at_carrier(place: Callable[[int], Binding | None]) -> Place:
    """What ``place`` tells of the body that carries a link."""
    return Place("", lambda tree, index, field: place(tree.model.bodies[index].parent))


def _variant(tree: TreePlan, index: int) -> BeamVariant:
    return tree.beams.variant(index)


def beam_momentum_sweeps(tree: TreePlan, momentum: Callable[[int], Binding]) -> list[Sweep]:
    """Sweeps that add to the momentum (linear; angular) of each carrier, which ``momentum`` tells by its index."""
    to = add_to(_at_carrier(momentum))
    return _sweeps(tree, step(beam_momentum, variant=_variant, q=read(Q), shape=read(SHAPE), v=read(V), momentum=to))


def beam_energy_sweeps(tree: TreePlan, twist: Callable[[int], Binding], energy: Access) -> list[Sweep]:
    """Sweeps that add to the kinetic energy; ``twist`` tells (v; omega) of a body by its index, or the ground's."""
    per_beam = step(
        beam_energy,
        variant=_variant,
        q=read(Q),
        shape=read(SHAPE),
        v=read(V),
        twist=read(_at_carrier(twist)),
        energy=add_to(_at_carrier(lambda _: energy)),
    )
    return _sweeps(tree, per_beam)


def beam_column_sweeps(tree: TreePlan, world: Callable[[int], Binding], matrix: str) -> list[Sweep]:
    """Sweeps that add to the columns of a matrix of momenta (6, nv) about ``center``; ``world`` are bodies' poses."""

    def columns(tree: TreePlan, index: int, field: str) -> list[Binding]:
        return [Access(matrix, row, 6, tree.model.nv) for row in tree.v(index).places]

    per_beam = step(
        momentum_columns_of_beam,
        name="beam_columns",
        variant=_variant,
        q=read(Q),
        shape=read(SHAPE),
        world=read(_at_carrier(world)),
        center=read(whole("center", 3)),
        column=add_to(Place("", columns, per_row=True)),
    )
    return _sweeps(tree, per_beam)


def beam_moment_sweeps(
    tree: TreePlan, total: float | None, moment: Callable[[int], Binding | None], rate: Callable[[int], Binding | None]
) -> list[Sweep]:
    """Sweeps that add to first moments of carriers and to their rates, where these are requested.

    Parameters
    ----------
    tree
        The robot.
    total
        The mass that moments are divided by, None where they are not.
    moment, rate
        Where those of a carrier lie, by its index or -1 for the ground; None where nobody asks.
    """
    share = 1.0 if total is None else 1.0 / total

    def variant(tree: TreePlan, index: int) -> BeamVariant:
        return replace(tree.beams.variant(index), writes_forces=moment(tree.model.bodies[index].parent) is not None)

    def constants(tree: TreePlan, index: int) -> dict[str, float]:
        numbers = tree.beams.constants(index, first_names(tree.beams.kind(index)))
        return {name: share * value for name, value in numbers.items()}

    def rates(tree: TreePlan, index: int, field: str) -> Access | None:
        return None if rate(tree.model.bodies[index].parent) is None else tree.v(index)

    per_beam = step(
        beam_moment,
        variant=variant,
        q=read(Q),
        moment=add_to(_at_carrier(moment)),
        rate=add_to(_at_carrier(rate)),
        v=read(Place("v", rates)),
    )
    return _sweeps(tree, per_beam, constants)


def ground_moment_sweeps(tree: TreePlan, first: Access) -> list[Sweep]:
    """Sweeps that add masses and first moments of flexible links on the ground to a field of four scalars."""

    def constants(tree: TreePlan, index: int) -> dict[str, float]:
        at_rest = dict(zip(_AT_REST, tree.beams.beam(index).at_rest[:4], strict=True))
        return at_rest | tree.beams.constants(index, first_names(tree.beams.kind(index)))

    grounded = [index for index in tree.model.beams if tree.model.bodies[index].parent < 0]
    per_beam = step(ground_moment, variant=_variant, q=read(Q), first=add_to(_at_carrier(lambda _: first)))
    return [per_beam.over(tree, grounded, more=constants)] if grounded else []
