"""Algorithm 2 of Ali et al. (2026): joint forces and their derivatives from momenta in the world's frame.

    W_j^(k) = Pi_j^(k + 1) - W_app^(k) - M_j^(k) G + sum over children W_i^(k)
    Q_j^(k) = sum binom(k, i) (S_j^(k - i))^T W_j^(i)

with the momentum Pi = M V and the gravity twist G = (g; 0). This is the published recursion, line by line, kept as a
second implementation that shares neither series nor body frames with the first. Because moments are about the world's
origin, what a joint feels is a difference that loses digits in proportion to the robot's distance from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import SIZE
from symdyn.algebra.spatial.symmetric import unpacked
from symdyn.algebra.spatial.vectors import Vector, add, subtract, times
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.world_frame.kinematics import kinematics_sweep
from symdyn.dynamics.world_frame.loads import load_sweeps, loaded
from symdyn.dynamics.world_frame.sums import at_orders, force_sum, inertia_rate, momentum_sum, side_by_side
from symdyn.dynamics.world_frame.world_tree import PLACE, UPWARD, SpatialTree, SpatialVariant, world_inertia
from symdyn.model.model import Model
from symdyn.plan.plan import Constant, FieldKind, Plan


def weight(inertia: Sequence[Scalar], upward: Vector) -> list[Scalar]:
    """``-M G``, the wrench that holds a body (or its derivative, from that of M) against gravity -``upward``."""
    return times(unpacked(inertia, SIZE), [*upward, 0.0, 0.0, 0.0])


def spatial_forces(variant: SpatialVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: wrenches that a body and all behind it need, and the joint's forces, orders 0 .. r."""
    orders = range(variant.order + 1)
    twists = at_orders(reads["twists"], SIZE)
    inertias = [world_inertia(constants, reads["place"])]
    carried = at_orders(reads["carried"], SIZE) if variant.carries else []
    external = at_orders(reads["applied"], SIZE) if variant.loaded else []
    wrenches = []
    for k in orders:
        inertias.append(inertia_rate(twists, inertias, k + 1))
        wrench = add(momentum_sum(inertias, twists, k + 1, k + 1), weight(inertias[k], reads["upward"]))
        if variant.loaded:
            wrench = subtract(wrench, external[k])
        wrenches.append(add(wrench, carried[k]) if variant.carries else wrench)
    screws = variant.screws(constants, reads, variant.order + 1)
    forces = [variant.coordinate_map.forces(force_sum(screws, wrenches, k, k), constants) for k in orders]
    writes: dict[str, Sequence[Scalar]] = {f"tau{row}": own for row, own in enumerate(zip(*forces, strict=True))}
    if variant.transmits:
        writes["parent_carried"] = side_by_side([wrenches])
    return writes


def spatial_inverse_dynamics_time_derivatives_plan(model: Model, order: int, external: str = "") -> Plan:
    """The plan of tau, tau', .. tau^(r), (r + 1, nv), from q and V = v, v', .. v^(r+1), (r + 2, nv).

    Parameters
    ----------
    model
        The robot.
    order
        r, from 0.
    external
        Axes of the wrenches f_ext and their derivatives, (r + 1, nbodies, 6): body, world, or empty.

    Raises
    ------
    ModelError
        A joint has losses, a rotor or a spring, or a load acts on a body.
    """
    tree, rows = SpatialTree(model, external, order), order + 1
    forces = step(
        spatial_forces,
        place=read(PLACE.own),
        screws=read(tree.of_joint("screws", SIZE, 0, rows), when=lambda b: not b.resting),
        twists=read(tree.row("twists", SIZE, 0, rows + 1)),
        upward=read(UPWARD),
        applied=read(tree.row("applied", SIZE, 0, rows).where(loaded), when=lambda b: b.loaded),
        carried=read(tree.row("carried", SIZE, 0, rows), when=lambda b: b.carries),
        tau=add_to(tree.at_orders("tau", FieldKind.OUTPUT, rows)),
        parent_carried=add_to(tree.above(tree.row("carried", SIZE, 0, rows))),
    )

    def constants(_: TreePlan, index: int) -> dict[str, Constant]:
        multipliers = tree.constants(index, tree.joint(index).kind.coordinate_map.multipliers)
        return tree.home.inertia(index) | tree.resting_screws(index) | multipliers

    inward = forces.over(tree, reversed(tree.links), tree.variants(order), more=constants)
    sweeps = [kinematics_sweep(tree), *load_sweeps(tree, 0, order, keeps=False), inward]
    return tree.plan("inverse_dynamics_time_derivatives", sweeps)
