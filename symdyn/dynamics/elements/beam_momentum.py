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

from symdyn.dynamics.tree.beam_shape import (
    BeamVariant,
    coupling,
    first_names,
    firsts,
    modal_mass,
    trace_names,
)
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints.bending import amplitude_rates, amplitudes, weighted
from symdyn.plan import Access, Binding, Constant, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_at_offset
from symdyn.spatial.symmetric import combined
from symdyn.spatial.transform import turned_halves
from symdyn.spatial.vectors import add, dot, matrix_from, subtract

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_AT_REST = ("mass", "rest_x", "rest_y", "rest_z")


def beam_momentum(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: the momentum (linear; angular) that its bending adds to its carrier's."""
    return {"momentum": combined(coupling(variant.kind, constants, reads), reads["v"], 6)}


def beam_energy(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: the kinetic energy that its bending adds; its carrier's twist is (v; omega)."""
    rates, twist = reads["v"], reads["twist"]
    added = beam_momentum(variant, algebra, constants, reads)["momentum"]
    own: Scalar = 0.0
    for rate, row in zip(rates, modal_mass(variant.kind, constants, reads["q"]), strict=True):
        for other, mass in zip(rates, row, strict=True):
            own = own + rate * (mass * other)
    return {"energy": [dot(twist, added) + 0.5 * own]}


def beam_moment(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: what its bending adds to its carrier's first moment, and the rate of that."""
    first, pairs = firsts(variant.kind, constants), variant.kind.pairs
    writes: dict[str, Sequence[Scalar]] = {}
    if variant.felt:
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


_SHAPE = (Port("q", Mode.READ), Port("shape", Mode.READ), Port("v", Mode.READ))
_MOMENTUM = Step("beam_momentum", beam_momentum, (*_SHAPE, Port("momentum", Mode.ADD)))
_ENERGY = Step("beam_energy", beam_energy, (*_SHAPE, Port("twist", Mode.READ), Port("energy", Mode.ADD)))
_MOMENT = Step(
    "beam_moment",
    beam_moment,
    (Port("q", Mode.READ), Port("v", Mode.READ), Port("moment", Mode.ADD), Port("rate", Mode.ADD)),
)
_GROUND = Step("ground_moment", ground_moment, (Port("q", Mode.READ), Port("first", Mode.ADD)))


def beam_momentum_sweeps(tree: TreePlan, momentum: Callable[[int], Binding]) -> list[Sweep]:
    """Sweeps that add to the momentum (linear; angular) of each carrier, which ``momentum`` tells by its index."""
    visits = [
        _visit(tree, index, {"v": tree.v(index), "momentum": momentum(tree.model.bodies[index].parent)})
        for index in tree.model.beams
    ]
    return [Sweep(_MOMENTUM, tuple(visits))] if visits else []


def beam_energy_sweeps(tree: TreePlan, twist: Callable[[int], Binding], energy: Access) -> list[Sweep]:
    """Sweeps that add to the kinetic energy; ``twist`` tells (v; omega) of a body by its index, or the ground's."""
    visits = [
        _visit(tree, index, {"v": tree.v(index), "twist": twist(tree.model.bodies[index].parent), "energy": energy})
        for index in tree.model.beams
    ]
    return [Sweep(_ENERGY, tuple(visits))] if visits else []


def beam_column_sweeps(tree: TreePlan, world: Callable[[int], Binding], matrix: str) -> list[Sweep]:
    """Sweeps that add to the columns of a matrix of momenta (6, nv) about ``center``; ``world`` are bodies' poses."""
    nv, visits = tree.model.nv, []
    for index in tree.model.beams:
        rows = tree.v(index)
        bindings: dict[str, Binding] = {
            "world": world(tree.model.bodies[index].parent),
            "center": Access("center", 0, 3),
        }
        columns = {f"column{place}": Access(matrix, row, 6, nv) for place, row in enumerate(rows.places)}
        visits.append(_visit(tree, index, bindings | columns))
    ports = (*_SHAPE, Port("world", Mode.READ), Port("center", Mode.READ))
    columns_ports = (Port(f"column{place}", Mode.ADD) for place in range(tree.model.most_rows))
    step = Step("beam_columns", momentum_columns_of_beam, (*ports, *columns_ports))
    return [Sweep(step, tuple(visits))] if visits else []


def beam_moment_sweeps(
    tree: TreePlan, total: float | None, moment: Callable[[int], Binding | None], rate: Callable[[int], Binding | None]
) -> list[Sweep]:
    """Sweeps that add to first moments of carriers and to their rates, where these are asked for.

    Parameters
    ----------
    tree
        The robot.
    total
        The mass that moments are divided by, None where they are not.
    moment, rate
        Where those of a carrier lie, by its index or -1 for the ground; None where nobody asks.
    """
    visits = []
    for index in tree.model.beams:
        carrier = tree.model.bodies[index].parent
        kind = tree.beams.kind(index)
        bindings: dict[str, Binding] = {"q": tree.q(index)}
        places = {"moment": moment(carrier), "rate": rate(carrier)}
        bindings |= {name: place for name, place in places.items() if place is not None}
        if places["rate"] is not None:
            bindings["v"] = tree.v(index)
        share = 1.0 if total is None else 1.0 / total
        constants = {name: share * value for name, value in tree.beams.constants(index, first_names(kind)).items()}
        variant = BeamVariant(kind, carrier >= 0, felt=places["moment"] is not None)
        visits.append(Visit(index, variant, constants, bindings))
    return [Sweep(_MOMENT, tuple(visits))] if visits else []


def ground_moment_sweeps(tree: TreePlan, first: Access) -> list[Sweep]:
    """Sweeps that add masses and first moments of flexible links on the ground to a field of four scalars."""
    visits = []
    for index in tree.model.beams:
        beam = tree.model.bodies[index].beam
        if beam is None or tree.model.bodies[index].parent >= 0:
            continue
        constants: dict[str, Constant] = dict(zip(_AT_REST, beam.at_rest[:4], strict=True))
        constants |= tree.beams.constants(index, first_names(tree.beams.kind(index)))
        visits.append(Visit(index, tree.beams.variant(index), constants, {"q": tree.q(index), "first": first}))
    return [Sweep(_GROUND, tuple(visits))] if visits else []


def _visit(tree: TreePlan, index: int, bindings: Mapping[str, Binding]) -> Visit:
    variant = tree.beams.variant(index)
    names = (*first_names(variant.kind), *trace_names(variant.kind))
    own = {"q": tree.q(index), "shape": tree.beams.shape(index)}
    return Visit(index, variant, tree.beams.constants(index, names), {**own, **bindings})
