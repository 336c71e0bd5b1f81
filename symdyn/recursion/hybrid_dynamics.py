"""Forward dynamics, and hybrid dynamics, of which forward and inverse dynamics are the ends.

Outward: the wrench of every body in the motion with the prescribed accelerations and zero elsewhere, gravity included
(recursive Newton-Euler). Inward and outward: the articulated-body solution for what is missing. Because the bias takes
the velocity products along the whole tree, the solution carries none, and needs no I^A c (Featherstone 2008, chapter 7,
has them; Kim 2012, tables 3 and 4, is the hybrid form).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.model.joints import pose_size
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit, places_written
from symdyn.recursion.articulated_body import factor_sweeps, solve_sweeps
from symdyn.recursion.articulated_steps import Reads, Writes, bias_free_accelerations
from symdyn.recursion.beam_wrench import beam_sweeps
from symdyn.recursion.eliminated_tree import Elimination
from symdyn.recursion.external_wrenches import external_constants
from symdyn.recursion.kinematics import MOTION_SIZE
from symdyn.recursion.newton_euler import body_wrench
from symdyn.recursion.springs import spring_sweeps
from symdyn.recursion.tree import JOINT, BodyVariant, TreePlan
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import subtract

_UNTURNED = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class BiasVariant:
    """A body's variant, and which rows of its joint have no acceleration in the bias."""

    body: BodyVariant
    free: tuple[bool, ...]


def bias_wrench(variant: BiasVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: as ``newton_euler.body_wrench``, with zero for the accelerations that are not given."""
    given = reads["given"] if "given" in reads else [0.0] * len(variant.free)
    motion = {**reads, "a": bias_free_accelerations(variant.free, given)}
    return body_wrench(variant.body, algebra, constants, motion)


_BIAS = Step(
    "bias_wrench",
    bias_wrench,
    (
        Port("q", Mode.READ),
        Port("v", Mode.READ),
        Port("given", Mode.READ),
        Port("f_ext", Mode.READ),
        Port("parent", Mode.READ),
        Port("orientation", Mode.READ),
        Port("pose", Mode.WRITE),
        Port("motion", Mode.WRITE),
        Port("own_orientation", Mode.WRITE),
        Port("wrench", Mode.WRITE),
    ),
)


def bias_sweep(tree: TreePlan, free: Collection[int], given: str) -> tuple[list[Field], Sweep]:
    """The outward sweep that fills ``pose``, and ``wrench`` with every body's own bias wrench.

    Parameters
    ----------
    tree
        The robot.
    free
        Rows of v without acceleration in the bias.
    given
        Field (nv,) that holds the accelerations of the others.
    """
    fields = [
        Field("motion", FieldKind.STATE, MOTION_SIZE, tree.depth_rows),
        Field("wrench", FieldKind.STATE, 6, len(tree.model.bodies)),
    ]
    if tree.external == "world":
        fields.append(Field("orientation", FieldKind.STATE, 9, tree.depth_rows))
    return fields, Sweep(_BIAS, tuple(_bias_visit(tree, index, free, given) for index in tree.links))


def hybrid_dynamics_plan(
    model: Model, name: str, free: Collection[int], given: str, found: str, external: str = ""
) -> Plan:
    """The plan of a function (q, v, given[, f_ext][, p]) -> found.

    Parameters
    ----------
    model
        The robot.
    name
        Of the function.
    free
        Rows of v whose force is given; the acceleration of the others is.
    given, found
        Names of the input and of the output, (nv,).
    external
        Axes of f_ext: body, world, or empty.
    """
    tree = TreePlan(model, external)
    elimination = Elimination(tree, free)
    bias_fields, bias = bias_sweep(tree, free, given)
    spring_fields, between, after, net = balance_springs(
        tree, free, given, found, beam_sweeps(tree, "spring", given, free)
    )
    solve_fields, solve = solve_sweeps(elimination, net, found)
    fields = (
        Field("q", FieldKind.INPUT, model.nq),
        Field("v", FieldKind.INPUT, model.nv),
        Field(given, FieldKind.INPUT, model.nv),
        *tree.fields(),
        *bias_fields,
        *elimination.factor_fields(),
        *solve_fields,
        *spring_fields,
        Field(found, FieldKind.OUTPUT, model.nv),
    )
    return Plan(
        name,
        fields,
        (*tree.binding_sweeps(), bias, *between, *factor_sweeps(elimination), *solve, *after),
        tuple(body.name for body in model.bodies),
        model.parent,
    )


def forward_dynamics_plan(model: Model, external: str = "") -> Plan:
    """The plan of a = FD(q, v, tau): hybrid dynamics with every row free."""
    return hybrid_dynamics_plan(model, "forward_dynamics", range(model.nv), "tau", "a", external)


def _net(sprung: bool, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"net": subtract(reads["given"], reads["spring"]) if sprung else reads["given"]}


def _spring(_: str, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"found": reads["spring"]}


_NET = Step("net_force", _net, (Port("given", Mode.READ), Port("spring", Mode.READ), Port("net", Mode.WRITE)))
_SPRING = Step("add_spring", _spring, (Port("spring", Mode.READ), Port("found", Mode.ADD)))


def balance_springs(
    tree: TreePlan, free: Collection[int], given: str, found: str, beams: Sequence[Sweep] = ()
) -> tuple[list[Field], list[Sweep], list[Sweep], str]:
    """What springs and flexible links change: fields, sweeps, and the field of forces that the solution must take.

    Parameters
    ----------
    tree
        The robot.
    free
        Rows of v whose force is given.
    given, found
        Fields (nv,) of what is given, and of what is found.
    beams
        Sweeps that add the forces of flexible links to the field ``spring``, (nv,).

    Returns
    -------
    Fields; sweeps that run once the bias has filled ``motion`` and ``wrench``, and before the solution; sweeps that run
    after it; and the field of forces.

    Springs are taken off the given forces of free rows, and added to the forces found for prescribed rows.
    """
    sweeps = [*spring_sweeps(tree, "spring"), *beams]
    if not sweeps:
        return [], [], [], given
    count = tree.model.nv
    sprung = places_written(sweeps, "spring")
    net, after = [], []
    for row in range(count):
        spring, entry = Access("spring", row, 1), Access(given, row, 1)
        taken: dict[str, Binding] = {"spring": spring} if row in sprung and row in free else {}
        net.append(Visit(-1, bool(taken), {}, {"given": entry, **taken, "net": Access("net", row, 1)}))
        if row in sprung and row not in free:
            after.append(Visit(-1, "spring", {}, {"spring": spring, "found": Access(found, row, 1)}))
    fields = [Field("spring", FieldKind.STATE, count), Field("net", FieldKind.STATE, count)]
    added = [Sweep(_SPRING, tuple(after), vector=True)] if after else []
    return fields, [*sweeps, Sweep(_NET, tuple(net), vector=True)], added, "net"


def _bias_visit(tree: TreePlan, index: int, free: Collection[int], given: str) -> Visit:
    body = tree.model.bodies[index]
    joint = body.joint
    unknown = tuple(row in free for row in range(joint.v_index, joint.v_index + len(joint.coordinates.v)))
    variant = BiasVariant(tree.variant(index), unknown)
    bindings: dict[str, Binding] = {
        "q": tree.q(index),
        "v": tree.v(index),
        "parent": tree.parent_motion(index),
        "motion": tree.along_path("motion", MOTION_SIZE, index),
        "wrench": Access("wrench", 6 * index, 6),
    }
    if pose_size(joint.kind):
        bindings["pose"] = tree.pose(index)
    if not all(unknown):
        bindings["given"] = tree.v(index, given)
    if tree.external == "world":
        above = Given(_UNTURNED) if body.parent < 0 else tree.along_path("orientation", 9, body.parent)
        bindings |= {"orientation": above, "own_orientation": tree.along_path("orientation", 9, index)}
    if variant.body.external:
        bindings["f_ext"] = tree.external_wrench(index)
    names = (*ROTATION, *TRANSLATION, *INERTIA, *JOINT, *external_constants(variant.body))
    return Visit(index, variant, tree.constants(index, names), bindings)
