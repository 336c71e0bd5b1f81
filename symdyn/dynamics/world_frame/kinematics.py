"""Algorithm 1 of Ali et al. (2026): displacements, joint screws and twists of all bodies, with their derivatives.

    F_j = F_p exp([Y_j] q_j),    S_j = Ad_F_j Y_j
    S_j^(k) = sum binom(k - 1, i) ad_V_j^(i) S_j^(k - 1 - i)
    V_j^(k) = V_p^(k) + sum binom(k, i) S_j^(i) v_j^(k - i)

Joints with several coordinates have the same form: their screws are fixed in the child body, and what stands for the
exponential is the element of SE(3) that the coordinates name. The paper's base has S = 1, fixed in the world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import SIZE, adjoint
from symdyn.algebra.spatial.transform import Pose, pose_from
from symdyn.algebra.spatial.vectors import Vector, add
from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.places import Q
from symdyn.dynamics.world_frame.home import HOME_POINT, HOME_ROTATION, named_pose
from symdyn.dynamics.world_frame.sums import at_orders, screw_rate, side_by_side, twist_sum
from symdyn.dynamics.world_frame.world_tree import PLACE, SpatialTree, SpatialVariant
from symdyn.plan.plan import Constant, FieldKind, Sweep


def displacement(
    variant: SpatialVariant, algebra: Algebra, constants: Mapping[str, Scalar], q: Sequence[Scalar]
) -> Pose:
    """How a joint at coordinates q has moved all that hangs on it, seen in the world while the rest is at q = 0."""
    home = named_pose(constants, HOME_ROTATION, HOME_POINT) if variant.kind.quaternion else None
    return variant.kind.displacement(algebra, variant.home_screws(constants), home, q)


def placed(
    variant: SpatialVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> tuple[Pose, list[list[Scalar]]]:
    """F and S of a body, from its parent's F and the joint's coordinates."""
    q = variant.coordinate_map.coordinates(reads["q"], constants)
    place = pose_from(reads["parent_place"]).times(displacement(variant, algebra, constants, q))
    home = variant.home_screws(constants)
    return place, home if variant.resting else [adjoint(place, column) for column in home]


def spatial_kinematics(
    variant: SpatialVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Outward step: place, screws to order r, and twists to order r + 1, with r the variant's order."""
    place, screws_now = placed(variant, algebra, constants, reads)
    orders = zip(*(values for name, values in reads.items() if name.startswith("V")), strict=True)
    rates: list[Vector] = [variant.coordinate_map.rates(order, constants) for order in orders]
    above = at_orders(reads["parent_twists"], SIZE)
    screws, twists = [screws_now], [add(above[0], twist_sum([screws_now], rates, 0))]
    for k in range(1, variant.order + 2):
        still = [[0.0] * SIZE for _ in screws_now]
        screws.append(still if variant.resting else screw_rate(twists, screws, k))
        twists.append(add(above[k], twist_sum(screws, rates, k)))
    writes: dict[str, Sequence[Scalar]] = {"place": place.scalars(), "twists": side_by_side([twists])}
    if not variant.resting:
        writes["screws"] = side_by_side(screws[: variant.order + 1])
    return writes


def place_constants(tree: SpatialTree, index: int) -> dict[str, Constant]:
    """Constants that :func:`placed` reads."""
    pose = tree.home.pose(index) if tree.joint(index).kind.quaternion else {}
    led = tree.constants(index, tree.joint(index).kind.coordinate_map.constants)
    return tree.home.screws(index) | pose | led


def kinematics_sweep(tree: SpatialTree) -> Sweep:
    """The outward sweep that fills ``place``, ``screws`` and ``twists`` from q and V, (r + 2, nv)."""
    rows = tree.order + 2
    kinematics = step(
        spatial_kinematics,
        q=read(Q),
        V=read(tree.at_orders("V", FieldKind.INPUT, rows)),
        parent_place=read(PLACE.above),
        parent_twists=read(tree.parent_twists(0, rows)),
        place=write(PLACE.own),
        screws=write(tree.of_joint("screws", SIZE, 0, rows - 1), when=lambda b: not b.resting),
        twists=write(tree.row("twists", SIZE, 0, rows)),
    )
    return kinematics.over(
        tree, tree.links, tree.variants(tree.order), more=lambda _, index: place_constants(tree, index)
    )
