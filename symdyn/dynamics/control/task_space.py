"""Inertia and bias of frames, and operational-space control (Khatib 1987).

With M = L^T D L along the branches (``mass_matrix.inverse``), half-solutions y = L^-T J^T and z = L^-T f give

    S = J M^-1 J^T = sum_k y_k y_k^T / D_k,    J M^-1 f = sum_k y_k z_k / D_k

No row of M^-1 is made. A row k of v has half-solutions of those frames alone that it moves, or that rows behind it do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, add, dot, subtract
from symdyn.dynamics.control.residuals import frame_columns_of
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.kinematics.frame_orders import forward_kinematics_time_derivatives_plan
from symdyn.dynamics.kinematics.series_coordinates import scalar_sweep
from symdyn.dynamics.loops.proximal import Factor
from symdyn.dynamics.mass_matrix.inverse import PUSH, mass_factor_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.branch_rows import BranchRows
from symdyn.dynamics.tree.contracted_view import of_whole_robot
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contracted import contracted
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, vanishing, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

_SIX, _LOWER = 6, 21
"""Rows of a frame, and entries of the lower triangle of its inertia."""


def _copied(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"copy": reads["entries"]}


def _left_force(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"force": subtract(reads["bias"], reads["given"]) if "given" in reads else reads["bias"]}


def _add_block(same: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v and pair of frames: what the row adds to S; of one frame the lower triangle."""
    own = [reads["weight"][0] * x for x in reads["own"]]
    pairs = ((row, other) for row in range(_SIX) for other in range(row + 1 if same else _SIX))
    return {"block": [own[row] * reads["other"][other] for row, other in pairs]}


def _add_product(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v and frame: what the row adds to J M^-1 f."""
    pushed = reads["weight"][0] * reads["force"][0]
    return {"product": [pushed * x for x in reads["own"]]}


def _factored(blocks: Vector, eps: Vector) -> Factor:
    """That of S with eps on its diagonal."""
    count = len(eps) // _SIX
    matrix: list[list[Scalar]] = []
    for row in range(_SIX * count):
        frame, own = divmod(row, _SIX)
        entries: list[Scalar] = []
        for other in range(frame):
            first = _block(frame, other) + _SIX * own
            entries += blocks[first : first + _SIX]
        first = _block(frame, frame) + own * (own + 1) // 2
        entries += blocks[first : first + own + 1]
        entries[-1] = entries[-1] + eps[row]
        matrix.append(entries)
    return Factor.of(matrix, more=[0.0] * len(matrix))


def _block(frame: int, other: int) -> int:
    """Where the entries of a pair of frames begin."""
    return frame * _LOWER + frame * (frame - 1) // 2 * _SIX**2 + other * _SIX**2


def _find_inertia(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    factor, size = _factored(reads["blocks"], reads["eps"]), len(reads["eps"])
    columns = [factor.solved([float(row == column) for row in range(size)]) for column in range(size)]
    return {"inertia": [columns[min(row, other)][max(row, other)] for row in range(size) for other in range(size)]}


def _find_force(wants: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: L (J M^-1 f - J' v), or with the acceleration that is wanted."""
    right = subtract(reads["product"], reads["turned"])
    if wants:
        right = add(right, reads["wanted"])
    return {"found": _factored(reads["blocks"], reads["eps"]).solved(right)}


def _task_torque(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"tau": [dot(reads["column"], reads["found"])]}


def _ports(**modes: Mode) -> tuple[Port, ...]:
    return tuple(Port(name, mode) for name, mode in modes.items())


_COPY = Step("copied", _copied, _ports(entries=Mode.READ, copy=Mode.WRITE))
_LEFT = Step("left_force", _left_force, _ports(bias=Mode.READ, given=Mode.READ, force=Mode.WRITE))
_BLOCK = Step("add_block", _add_block, _ports(weight=Mode.READ, own=Mode.READ, other=Mode.READ, block=Mode.ADD))
_PRODUCT = Step("add_product", _add_product, _ports(weight=Mode.READ, own=Mode.READ, force=Mode.READ, product=Mode.ADD))
_INERTIA = Step("task_inertia", _find_inertia, _ports(blocks=Mode.READ, eps=Mode.READ, inertia=Mode.WRITE))
_FORCE = Step(
    "task_force",
    _find_force,
    _ports(blocks=Mode.READ, eps=Mode.READ, product=Mode.READ, turned=Mode.READ, wanted=Mode.READ, found=Mode.WRITE),
)
_TORQUE = Step("task_torque", _task_torque, _ports(column=Mode.READ, found=Mode.READ, tau=Mode.ADD))


class _TaskSpace:
    """Fields and sweeps of a function of the chosen frames, as they are added.

    Parameters
    ----------
    model
        The robot with these frames alone.
    moves
        Whether v is an input.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.count = model, len(model.frames)
        self.fields: dict[str, Field] = {}
        self.sweeps: list[Sweep] = []
        self.rows = BranchRows({})
        self.moving: Sequence[Sequence[int]] = ()
        """Per frame the rows of v that move it."""
        self.halved: list[list[int]] = []
        """Per frame the rows of v that have a half-solution."""

    def declare(self, kind: FieldKind, **sizes: int) -> None:
        """Fields by name, with one row each."""
        self.fields |= {name: Field(name, kind, size, sparse=kind is FieldKind.STATE) for name, size in sizes.items()}

    def include(self, plan: Plan, prefix: str, **linked: str) -> None:
        """Another plan, whose inputs and outputs may have other names here."""
        fields, sweeps = kept_apart(plan.fields, plan.sweeps, prefix, (), linked)
        self.fields = {**{field.name: field for field in fields}, **self.fields}
        self.sweeps += sweeps

    def add_jacobian(self) -> None:
        """The field ``J``, and which rows move which frame."""
        nv = self.model.nv
        plan, self.moving = frame_columns_of(AS_DESCRIBED.view(self.model))
        self.declare(FieldKind.STATE, J=_SIX * self.count * nv)
        self.include(plan, "jacobian", J="J")

    def add_rates(self) -> None:
        """The field ``twists``: rows of J v, then of J' v."""
        nv = self.model.nv
        self.declare(FieldKind.STATE, path=2 * nv, poses=16 * self.count, twists=2 * _SIX * self.count)
        places = ((Access("v", row, 1), Access("path", row, 1)) for row in range(nv))
        self.sweeps.append(scalar_sweep(_COPY, None, (-1,) * nv, places))
        plan = forward_kinematics_time_derivatives_plan(AS_DESCRIBED.view(self.model), 1)
        self.include(plan, "rates", V="path", X="poses", V_WF="twists")

    def add_force(self, given: str = "") -> None:
        """The field ``force``: what forces are short of by the bias, less those of the input ``given``."""
        nv, plan = self.model.nv, inverse_dynamics_plan(self.model)
        fields, sweeps = vanishing(plan.fields, plan.sweeps, ("a",))
        self.declare(FieldKind.STATE, bias=nv, force=nv)
        self.include(replace(plan, fields=tuple(fields), sweeps=tuple(sweeps)), "bias", tau="bias")
        visits = []
        for row in range(nv):
            more = {"given": Access(given, row, 1)} if given else {}
            visits.append(
                Visit(-1, None, {}, {"bias": Access("bias", row, 1), "force": Access("force", row, 1), **more})
            )
        self.sweeps.append(Sweep(_LEFT, tuple(visits)))

    def add_whitened(self, forced: bool) -> None:
        """The field ``blocks`` of S, and ``product`` where forces act."""
        model, count = self.model, self.count
        small = TreePlan(contracted(model))
        rows, fields, sweeps = mass_factor_sweeps(small, range(model.nv))
        self.rows = rows
        self.halved = []
        for moving in self.moving:
            reached = set(moving).union(*(rows.ways[row] for row in moving))
            self.halved.append([row for row in rows.ways if row in reached])
        size = _SIX * count
        sweeps += [sweep for sweep in self._solved(forced) if sweep.visits]
        given = [Field("J", FieldKind.STATE, size * model.nv)]
        given += [Field("force", FieldKind.STATE, model.nv)] if forced else []
        whitened = Field("whitened", FieldKind.STATE, size, model.nv, sparse=True)
        plan = of_whole_robot(plan_of("half", small, sweeps, [*fields, *given, whitened]), model)
        self.declare(FieldKind.STATE, blocks=_block(count, 0))
        linked = {"J": "J", "blocks": "blocks"}
        if forced:
            self.declare(FieldKind.STATE, product=size)
            linked |= {"force": "force", "product": "product"}
        self.include(plan, "half", **linked)

    def _solved(self, forced: bool) -> Iterator[Sweep]:
        """Sweeps that make half-solutions of J^T and of the force, and sum their products."""
        rows, order = self.rows, list(self.rows.ways)
        copies = [(self._column(frame, row), self._half(frame, row)) for frame, row in self._pairs(self.moving)]
        yield scalar_sweep(_COPY, None, (-1,) * len(copies), copies)
        pushes = []
        for row in reversed(order):
            for position, other in enumerate(rows.ways[row][:-1]):
                factor = rows.at("inverse", row, position)
                for frame, halved in enumerate(self.halved):
                    if row in halved:
                        pushes.append((factor, self._half(frame, row), self._half(frame, other)))
                if forced:
                    pushes.append((factor, Access("force", row, 1), Access("force", other, 1)))
        yield scalar_sweep(PUSH, "update", (-1,) * len(pushes), pushes)
        blocks, products = [], []
        for row in order:
            shown = [frame for frame, halved in enumerate(self.halved) if row in halved]
            weight = rows.one("weight", row)
            for frame in shown:
                own = self._half(frame, row)
                for other in (other for other in shown if other <= frame):
                    size = _LOWER if frame == other else _SIX**2
                    block = Access("blocks", _block(frame, other), size)
                    blocks.append(
                        _bound(frame == other, weight=weight, own=own, other=self._half(other, row), block=block)
                    )
                if forced:
                    product = Access("product", _SIX * frame, _SIX)
                    products.append(
                        _bound(None, weight=weight, own=own, force=Access("force", row, 1), product=product)
                    )
        yield Sweep(_BLOCK, tuple(blocks))
        yield Sweep(_PRODUCT, tuple(products))

    def add_force_of_task(self, found: str, wanted: str = "") -> None:
        """The field ``found``, rows of frames: L (J M^-1 f - J' v), and L times the input ``wanted``."""
        size = _SIX * self.count
        bindings: dict[str, Binding] = {"blocks": Access("blocks", 0, self.fields["blocks"].size)}
        bindings |= {"eps": Access("eps", 0, size), "product": Access("product", 0, size)}
        bindings |= {"turned": Access("twists", size, size), "found": Access(found, 0, size)}
        if wanted:
            bindings["wanted"] = Access(wanted, 0, size)
        self.sweeps.append(Sweep(_FORCE, (Visit(-1, bool(wanted), {}, bindings),)))

    def add_torque(self, found: str, start: str, tau: str) -> None:
        """The output ``tau``: the input ``start``, and J^T times ``found``."""
        begun = [(Access(start, row, 1), Access(tau, row, 1)) for row in range(self.model.nv)]
        self.sweeps.append(scalar_sweep(_COPY, None, (-1,) * len(begun), begun))
        pairs = self._pairs(self.moving)
        places = [
            (self._column(frame, row), Access(found, _SIX * frame, _SIX), Access(tau, row, 1)) for frame, row in pairs
        ]
        self.sweeps.append(scalar_sweep(_TORQUE, None, (-1,) * len(places), places))

    def plan(self, name: str) -> Plan:
        """The plan of all that was added."""
        bodies = tuple(body.name for body in self.model.bodies)
        sweeps = tuple(sweep for sweep in self.sweeps if sweep.visits)
        return wanted(Plan(name, tuple(self.fields.values()), sweeps, bodies, self.model.parent))

    def _pairs(self, rows: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
        return [(frame, row) for frame, own in enumerate(rows) for row in own]

    def _column(self, frame: int, row: int) -> Access:
        return Access("J", _SIX * self.model.nv * frame + row, _SIX, self.model.nv)

    def _half(self, frame: int, row: int) -> Access:
        return Access("whitened", _SIX * (self.count * row + frame), _SIX)


def _bound(variant: bool | None, **bindings: Binding) -> Visit:
    """A visit of no body."""
    return Visit(-1, variant, {}, bindings)


def task_inertia_plan(model: Model) -> Plan:
    """The plan of (J M^-1 J^T + diag(eps))^-1, both triangles, of all rows of the frames, from q and eps."""
    task = _TaskSpace(model)
    task.add_jacobian()
    task.add_whitened(False)
    size = _SIX * task.count
    task.declare(FieldKind.INPUT, eps=size)
    task.declare(FieldKind.OUTPUT, inertia=size**2)
    blocks = Access("blocks", 0, task.fields["blocks"].size)
    visit = _bound(None, blocks=blocks, eps=Access("eps", 0, size), inertia=Access("inertia", 0, size**2))
    task.sweeps.append(Sweep(_INERTIA, (visit,)))
    return task.plan("task_inertia")


def task_bias_plan(model: Model) -> Plan:
    """The plan of L (J M^-1 bias - J' v), (nframes, 6), from q, v and eps, with L of :func:`task_inertia_plan`."""
    task = _TaskSpace(model)
    task.add_jacobian()
    task.add_rates()
    task.add_force()
    task.add_whitened(True)
    size = _SIX * task.count
    task.declare(FieldKind.INPUT, eps=size)
    task.declare(FieldKind.OUTPUT, mu=size)
    task.add_force_of_task("mu")
    return task.plan("task_bias")


def operational_space_control_plan(model: Model) -> Plan:
    """The plan of tau = J^T (L a_d + mu) + (1 - J^T L J M^-1) tau_0 from q, v, a_d, tau_0 and eps.

    That is tau_0 + J^T L (a_d - J' v + J M^-1 (bias - tau_0)), for which L is not made.
    """
    task = _TaskSpace(model)
    task.add_jacobian()
    task.add_rates()
    task.add_force("tau_0")
    task.add_whitened(True)
    size = _SIX * task.count
    task.declare(FieldKind.INPUT, a_d=size, tau_0=model.nv, eps=size)
    task.declare(FieldKind.OUTPUT, tau=model.nv)
    task.declare(FieldKind.STATE, task_force=size)
    task.add_force_of_task("task_force", "a_d")
    task.add_torque("task_force", "tau_0", "tau")
    return task.plan("operational_space_control")
