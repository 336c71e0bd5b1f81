"""Forward dynamics, and hybrid dynamics, of which forward and inverse dynamics are the ends.

Outward: the wrench of every body in the motion with the prescribed accelerations and zero elsewhere, gravity included
(recursive Newton-Euler). Inward and outward: the articulated-body solution for what is missing. Because the bias takes
the velocity products along the whole tree, the solution carries none, and needs no I^A c (Featherstone 2008, chapter 7,
has them; Kim 2012, tables 3 and 4, is the hybrid form).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import subtract
from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.external_wrench import AXES_ABOVE, OWN_AXES, external_constants, external_port
from symdyn.dynamics.elements.listed import DEFORMABLES, element_sweeps, load_sweeps
from symdyn.dynamics.forward_dynamics.station_bias import Bias, factor_of, station_bias, takes_forces_alone
from symdyn.dynamics.inverse_dynamics.rnea import rnea_forward
from symdyn.dynamics.tree.bindings import Reads, Writes, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.joint_loads import bias_free_accelerations
from symdyn.dynamics.tree.places import MOTION, POSE, WRENCH, A, Q, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.model.model import Model
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit


@dataclass(frozen=True, slots=True)
class BiasVariant:
    """A body's variant, and which rows of its joint have no acceleration in the bias."""

    body: BodyVariant
    free: tuple[bool, ...]


def bias_wrench(variant: BiasVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: as ``rnea.body_wrench``, with zero for the accelerations that are not given."""
    given = reads["given"] if "given" in reads else [0.0] * len(variant.free)
    motion = {**reads, "a": bias_free_accelerations(variant.free, given)}
    return rnea_forward(variant.body, algebra, constants, motion)


BIAS = step(
    bias_wrench,
    q=read(Q),
    v=read(V),
    given=read(A, when=lambda b: not all(b.free)),
    f_ext=external_port(lambda b: b.body),
    parent=read(MOTION.above),
    pose=write(POSE, when=lambda b: b.body.kind.stored),
    motion=write(MOTION.own),
    wrench=write(WRENCH.own),
    orientation=AXES_ABOVE,
    own_orientation=OWN_AXES,
    constants=lambda b: (*ROTATION, *TRANSLATION, *INERTIA, *b.body.kind.constants, *external_constants(b.body)),
)


def hybrid_dynamics_plan(
    model: Model,
    name: str,
    free: Collection[int],
    given: str,
    found: str,
    external: str = "",
    reused: bool = False,
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
    reused
        Whether the solution serves other forces too.
    """
    tree = TreePlan(model, external)
    bias = bias_sweeps(tree, free, given, found, reused)
    solution = factor_of(tree, free, bias.net, found, bias.wrench)
    sweeps = (*bias.before, *solution.factor, *solution.solve, *bias.after)
    fields = [*tree.fields(), *declared_by(bias.before), *solution.fields, *bias.fields]
    return plan_of(name, tree, sweeps, [*fields, Field(found, FieldKind.OUTPUT, model.nv)], bias.binding)


def bias_sweeps(tree: TreePlan, free: Collection[int], given: str, found: str, reused: bool = False) -> Bias:
    """The motion with the prescribed accelerations and zero elsewhere, and what it and springs leave to a solution.

    With rods, and where the solution is ``reused`` for other forces, all is left as forces; else as wrenches, too.
    """
    if takes_forces_alone(tree.model, reused):
        return station_bias(tree, free, given, found)

    def biased(tree: TreePlan, body: int) -> BiasVariant:
        return BiasVariant(tree.variant(body), tuple(row in free for row in tree.joint(body).v_places))

    moved = [BIAS.over(tree, tree.links, biased, given=given), *load_sweeps(tree)]
    fields, between, after, net = balance_springs(
        tree, free, given, found, DEFORMABLES.wrenches(tree, "spring", given, free)
    )
    return Bias([*moved, *between], net, after, fields)


def _net(sprung: bool, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"net": subtract(reads["given"], reads["spring"]) if sprung else reads["given"]}


def _spring(_: str, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"found": reads["spring"]}


_NET = Step("net_force", _net, (Port("given", Mode.READ), Port("spring", Mode.READ), Port("net", Mode.WRITE)))
_SPRING = Step("add_spring", _spring, (Port("spring", Mode.READ), Port("found", Mode.ADD)))


def balance_springs(
    tree: TreePlan, free: Collection[int], given: str, found: str, deformed: Sequence[Sweep] = ()
) -> tuple[list[Field], list[Sweep], list[Sweep], str]:
    """What springs and deformable bodies change: fields, sweeps, and the field of forces that the solution must take.

    Springs are taken off the given forces of free rows, and added to the forces found for prescribed rows.

    Parameters
    ----------
    tree
        The robot.
    free
        Rows of v whose force is given.
    given, found
        Fields (nv,) of what is given, and of what is found.
    deformed
        Sweeps that add the forces of deformable bodies to the field ``spring``, (nv,).

    Returns
    -------
    Fields; sweeps that run once the bias has filled ``motion`` and ``wrench``, and before the solution; sweeps that run
    after it; and the field of forces.
    """
    sweeps = [*element_sweeps(tree, "spring", Gives.FORCE), *deformed]
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
