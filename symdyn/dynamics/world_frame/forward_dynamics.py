"""Algorithms 3 and 4 of Ali et al. (2026): forward and hybrid dynamics with time derivatives, in the world's frame.

Place, screws and inertia at t = 0 outward; the articulated inertia inward, once; then for every order the bias inward
and the solution outward. Forward dynamics is hybrid dynamics in which every force is given. The wording of the paper is
kept; joints with several coordinates, some of them prescribed, need no more than D in place of a scalar.
"""

from __future__ import annotations

from collections.abc import Collection

from symdyn.dynamics.world_frame.articulated import ARTICULATED, BIAS, SOLUTION, STATE
from symdyn.dynamics.world_frame.kinematics import motion_fields, place_bindings, place_constants
from symdyn.dynamics.world_frame.loads import load_fields, load_sweeps
from symdyn.dynamics.world_frame.world_tree import INERTIA_SIZE, SpatialTree, SpatialVariant, refuse_followers, state
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Constant, Field, FieldKind, Plan, Sweep, Visit
from symdyn.spatial.motion import SIZE


def spatial_forward_dynamics_time_derivatives_plan(model: Model, order: int, external: str = "") -> Plan:
    """The plan of A = a, a', .. a^(r), (r + 1, nv), from q, v and T = tau, tau', .. tau^(r), (r + 1, nv).

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
        A joint has losses, a rotor or a spring, or follows another one.
    """
    return _plan(model, "forward_dynamics_time_derivatives", range(model.nv), order, external, "T", "A")


def spatial_hybrid_dynamics_time_derivatives_plan(
    model: Model, free: Collection[int], order: int, external: str = ""
) -> Plan:
    """The plan of W, (r + 1, nv), from q, v and U, (r + 1, nv).

    Parameters
    ----------
    model, order, external
        As for :func:`spatial_forward_dynamics_time_derivatives_plan`.
    free
        Rows of v whose force is given: U holds tau^(k) there and a^(k) elsewhere, and W the other one of the two.
    """
    return _plan(model, "hybrid_dynamics_time_derivatives", free, order, external, "U", "W")


def _plan(model: Model, name: str, free: Collection[int], order: int, external: str, given: str, found: str) -> Plan:
    refuse_followers(model)
    sweeps = _Sweeps(SpatialTree(model, external, order), frozenset(free), given, found)
    fields = [
        Field("q", FieldKind.INPUT, model.nq),
        Field("v", FieldKind.INPUT, model.nv),
        Field(given, FieldKind.INPUT, (order + 1) * model.nv),
        *sweeps.fields(),
        Field(found, FieldKind.OUTPUT, (order + 1) * model.nv),
    ]
    return Plan(
        name,
        tuple(fields),
        tuple(sweeps.all()),
        tuple(body.name for body in model.bodies),
        model.parent,
        order,
    )


class _Sweeps:
    """The sweeps of one plan, and where their ports lie."""

    def __init__(self, tree: SpatialTree, free: frozenset[int], given: str, found: str) -> None:
        self._tree, self._free, self._given, self._found = tree, free, given, found

    def fields(self) -> list[Field]:
        tree = self._tree
        bodies, columns, orders = len(tree.model.bodies), tree.column_count, tree.order + 1
        return [
            *tree.shared_fields(),
            *motion_fields(tree),
            *load_fields(tree, keeps=tree.order > 0),
            state("inertias", INERTIA_SIZE * orders, bodies),
            state("rates", orders, columns),
            state("carried_inertia", INERTIA_SIZE, bodies),
            state("articulated", INERTIA_SIZE, bodies),
            state("factor", tree.factor_size, 1),
            state("images", SIZE, columns),
            state("gains", SIZE, columns),
            state("known", SIZE, bodies),
            state("bias", SIZE, bodies),
            state("carried", SIZE * orders, bodies),
            state("alone", 1, columns),
            state("wrenches", SIZE * orders, bodies),
        ]

    def all(self) -> list[Sweep]:
        tree = self._tree
        outward, inward = tree.links, tuple(reversed(tree.links))
        sweeps = [
            *tree.first_sweeps(),
            Sweep(STATE, tuple(self._state_visit(index) for index in outward)),
            Sweep(ARTICULATED, tuple(self._articulated_visit(index) for index in inward)),
        ]
        for k in range(tree.order + 1):
            sweeps += load_sweeps(tree, k, k, keeps=tree.order > 0)
            sweeps.append(Sweep(BIAS, tuple(self._bias_visit(index, k) for index in inward)))
            sweeps.append(Sweep(SOLUTION, tuple(self._solution_visit(index, k) for index in outward)))
        return sweeps

    def _variant(self, index: int, k: int) -> SpatialVariant:
        return self._tree.spatial_variant(index, k, self._free, last=k == self._tree.order)

    def _state_visit(self, index: int) -> Visit:
        tree, variant = self._tree, self._tree.spatial_variant(index, 0, self._free)
        bindings = place_bindings(tree, index)
        bindings |= {
            "v": tree.v(index),
            "parent_twist": tree.parent_twists(index, 0, 1),
            "twist": tree.row("twists", index, SIZE),
            "inertia": tree.row("inertias", index, INERTIA_SIZE),
            "rates": tree.of_joint("rates", index, 1),
        }
        if not variant.resting:
            bindings["screws"] = tree.of_joint("screws", index, SIZE)
        return Visit(index, variant, place_constants(tree, index) | tree.home.inertia(index), bindings)

    def _articulated_visit(self, index: int) -> Visit:
        tree, variant = self._tree, self._tree.spatial_variant(index, 0, self._free)
        count = len(variant.free_columns)
        bindings: dict[str, Binding] = {
            "inertia": tree.row("inertias", index, INERTIA_SIZE),
            "articulated": self._body("articulated", index, INERTIA_SIZE),
        }
        if variant.carries:
            bindings["carried_inertia"] = self._body("carried_inertia", index, INERTIA_SIZE)
        if count:
            bindings["factor"] = tree.factor(index, count)
            bindings |= self._screws(variant, index, 1)
        if variant.transmits:
            parent = tree.model.bodies[index].parent
            bindings["parent_inertia"] = self._body("carried_inertia", parent, INERTIA_SIZE)
            if count:
                bindings |= {name: tree.of_free_columns(name, index, SIZE, count) for name in ("images", "gains")}
        constants: dict[str, Constant] = tree.resting_screws(index) if count else {}
        return Visit(index, variant, constants, bindings)

    def _bias_visit(self, index: int, k: int) -> Visit:
        tree, variant = self._tree, self._variant(index, k)
        count = len(variant.free_columns)
        bindings: dict[str, Binding] = {
            "given": tree.at_order(self._given, index, k),
            "upward": tree.upward(),
            "twists": tree.row("twists", index, SIZE, 0, k + 1),
            "inertias": tree.row("inertias", index, INERTIA_SIZE, 0, k + 1),
            "rates": tree.of_joint("rates", index, 1, 0, k + 1),
            "articulated": self._body("articulated", index, INERTIA_SIZE),
            "known": self._body("known", index, SIZE),
            "bias": self._body("bias", index, SIZE),
            **self._screws(variant, index, k + 1),
        }
        if k > 0:
            bindings["wrenches"] = tree.row("wrenches", index, SIZE, 0, k)
        if variant.loaded:
            bindings["applied"] = tree.row("applied", index, SIZE, k)
        if variant.carries:
            bindings["carried"] = tree.row("carried", index, SIZE, k)
        if count:
            bindings["factor"] = tree.factor(index, count)
            bindings["alone"] = tree.of_free_columns("alone", index, 1, count)
        if variant.transmits:
            bindings["parent_carried"] = tree.row("carried", tree.model.bodies[index].parent, SIZE, k)
            if count:
                bindings["images"] = tree.of_free_columns("images", index, SIZE, count)
        if not variant.last:
            bindings["next_inertia"] = tree.row("inertias", index, INERTIA_SIZE, k + 1)
            if not variant.resting:
                bindings["next_screws"] = tree.of_joint("screws", index, SIZE, k + 1)
        return Visit(index, variant, tree.resting_screws(index), bindings)

    def _solution_visit(self, index: int, k: int) -> Visit:
        tree, variant = self._tree, self._variant(index, k)
        count, given = len(variant.free_columns), bool(variant.given_columns)
        bindings: dict[str, Binding] = {
            "given": tree.at_order(self._given, index, k),
            "parent_twist": tree.parent_twists(index, k + 1, 1),
            "known": self._body("known", index, SIZE),
            "result": tree.at_order(self._found, index, k),
            **self._screws(variant, index, k + 1 if given else 1),
        }
        if count:
            bindings["alone"] = tree.of_free_columns("alone", index, 1, count)
            if variant.transmits:
                bindings["gains"] = tree.of_free_columns("gains", index, SIZE, count)
        if given or not variant.last:
            bindings["articulated"] = self._body("articulated", index, INERTIA_SIZE)
            bindings["bias"] = self._body("bias", index, SIZE)
        if given and k > 0:
            bindings["wrenches"] = tree.row("wrenches", index, SIZE, 0, k)
        if not variant.last:
            bindings["next_wrench"] = tree.row("wrenches", index, SIZE, k)
            bindings["next_rates"] = tree.of_joint("rates", index, 1, k + 1)
        if variant.carries or not variant.last:
            bindings["next_twist"] = tree.row("twists", index, SIZE, k + 1)
        return Visit(index, variant, tree.resting_screws(index), bindings)

    def _screws(self, variant: SpatialVariant, index: int, orders: int) -> dict[str, Binding]:
        return {} if variant.resting else {"screws": self._tree.of_joint("screws", index, SIZE, 0, orders)}

    @staticmethod
    def _body(field: str, index: int, width: int) -> Access:
        return Access(field, width * index, width)
