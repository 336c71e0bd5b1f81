"""Flexible links as deformable bodies; the mechanics are in ``beam_wrench`` and ``beam_momentum``.

``settling`` is what the accelerations of a flexible link, once they are found, ask of the body that carries it. It is
for time series that go order by order: coefficients of lower orders are known, and the wrench on the carrier is linear
in the coefficient that was looked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.symmetric import combined
from symdyn.dynamics.elements.beam_momentum import (
    beam_column_sweeps,
    beam_energy_sweeps,
    beam_moment_sweeps,
    beam_momentum_sweeps,
    ground_moment_sweeps,
)
from symdyn.dynamics.elements.beam_wrench import beam_sweeps
from symdyn.dynamics.tree.beam_shape import BeamVariant, coupling, first_names
from symdyn.dynamics.tree.bindings import add_to, read, step
from symdyn.dynamics.tree.places import SHAPE, WRENCH, Q, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Sweep


def settle_beam(
    variant: BeamVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
) -> Mapping[str, Sequence[Scalar]]:
    """Step per flexible link that is eliminated together with its carrier: what its accelerations ask of that."""
    shares = coupling(variant.kind, constants, reads)
    sought = [x if is_free else 0.0 for x, is_free in zip(reads["accelerations"], variant.free, strict=True)]
    return {"wrench": combined(shares, sought, 6)}


_SETTLE = step(settle_beam, q=read(Q), shape=read(SHAPE), accelerations=read(V), wrench=add_to(WRENCH.above))


def beam_settling_sweeps(
    tree: TreePlan, accelerations: str, free: Collection[int], wrench: str, cluster_of: Mapping[int, int]
) -> list[Sweep]:
    """Sweeps that add to the wrenches of carriers; see :class:`symdyn.dynamics.elements.deformable.Deformable`."""

    def variant(tree: TreePlan, body: int) -> BeamVariant:
        return BeamVariant(tree.beams.kind(body), carried=True, free=tuple(row in free for row in tree.v(body).places))

    bodies = [body for body in tree.model.beams if cluster_of.get(tree.model.bodies[body].parent) == cluster_of[body]]
    sweep = _SETTLE.over(
        tree,
        bodies,
        variant,
        lambda tree, body: tree.beams.constants(body, first_names(tree.beams.kind(body))),
        accelerations=accelerations,
        wrench=wrench,
    )
    return [sweep] if bodies else []


class Beam:
    """A :class:`symdyn.dynamics.elements.deformable.Deformable`."""

    wrenches = staticmethod(beam_sweeps)
    settling = staticmethod(beam_settling_sweeps)
    momenta = staticmethod(beam_momentum_sweeps)
    kinetic_energies = staticmethod(beam_energy_sweeps)
    momentum_columns = staticmethod(beam_column_sweeps)
    first_moments = staticmethod(beam_moment_sweeps)
    ground_moments = staticmethod(ground_moment_sweeps)
