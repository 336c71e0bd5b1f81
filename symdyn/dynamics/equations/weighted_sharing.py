"""Gradient and second derivatives of weighted shared forces: of W = w^T tau + kappa^T lambda, where loops are closed.

As in ``inverse_partials``, r = ID - A^T lambda is what the tree needs beside the loops, and y is W_a r in actuated rows
and -mu in passive ones. With beta and rho that solve the transposed system, which is the same one,

    K beta + A_p alpha = kappa - A_a w_a,    A_p^T beta = 0,    rho_a = w_a + W_a A_a^T beta,    rho_p = alpha

the gradient is that of rho^T r + beta^T A y at fixed rho, beta, lambda and y: one sweep back, in O(n). Let D be its
second derivatives, and k_i = d(A^T beta), m_i = d(A rho) along the i-th move of q. One more solution for each move,

    K beta_i + A_p alpha_i = -m_i - A_a W_a k_ia,    A_p^T beta_i = -k_ip,    rho_ia = W_a (k_ia + A_a^T beta_i)

gives what lambda and y add when they follow the state: with t = dr and s = d(A y), B_ix = rho_i^T t_x + beta_i^T s_x,

    H_qq = D_qq + B_qq + B_qq^T,    H_qv = D_qv + B_qv,    H_qa = D_qa + B_qa,    H_vv = D_vv

Where multipliers are made the least, K = 1, y_a = 0, and terms with W_a vanish. H_va and H_aa are zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import scale, subtract
from symdyn.dynamics.equations.adjoint import signed_sum
from symdyn.dynamics.equations.inverse_partials import ALONG, FORCE, SharingSystem, responses, weights_of
from symdyn.dynamics.equations.residual_gradient import gradient_plan
from symdyn.dynamics.equations.residual_hessian import (
    POSES_VARIED,
    VARIED,
    symmetric_sweep,
    weighted_hessian_sweeps,
)
from symdyn.dynamics.loops.force_distribution import TORQUE, ShareVariant, Sharing
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.derivatives import MULTIPLIER_WEIGHTS, WEIGHTS
from symdyn.plan.compose import begun_alike, kept_apart, outputs_as_state, wanted
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

_WEIGHTS = {FORCE: "rho", ALONG: "beta"}
"""Weights of residuals."""


class WeightedSharing(SharingSystem):
    """The solution, and derivatives of a weighted sum of it."""

    def adjoint(self, name: str, parameters: bool = False) -> Plan:
        """The plan of (q, v, a, lambda, kappa[, weights][, f_ext][, p]) -> g_q, g_v, g_a, and g_p if requested."""
        self._weigh()
        by = ["p"] if parameters else []
        for number, (plan, linked) in enumerate(self._gradients(by=by)):
            outputs = {own.name: f"{own.name}_{number}" for own in plan.fields_of(FieldKind.OUTPUT)}
            self.fields += [
                replace(own, name=outputs[own.name]) for own in outputs_as_state(plan.fields_of(FieldKind.OUTPUT))
            ]
            self._add(*kept_apart(plan.fields, plan.sweeps, f"back_{number}", ("ground",), linked | outputs))
        sizes = {**dict.fromkeys("qva", self.count), **dict.fromkeys(by, len(self.model.slots.names))}
        for x, size in sizes.items():
            output, parts = f"g_{x}", self.parts[:1] if x in "va" else self.parts
            self.fields.append(Field(output, FieldKind.OUTPUT, size))
            self.sweeps.append(signed_sum(output, {f"{output}_{part}": 1 for part in parts}, range(size)))
        return begun_alike(wanted(plan_of(name, self.tree, self.sweeps, self.fields)))

    def hessian(self, name: str) -> Plan:
        """The plan of (q, v, a, lambda, kappa[, weights][, f_ext][, p]) -> H_qq, H_qv, H_vv, H_qa."""
        self._weigh()
        count, every = self.count, range(self.count)
        for number, (plan, linked) in enumerate(self._gradients(POSES_VARIED)):
            self._add(*weighted_hessian_sweeps(self.tree, plan, linked, label=f"_{number}"))
        whole = MatrixField(f"{VARIED['qq']}_0", count)
        if len(self.parts) > 1:
            whole = self.state("whole_qq", count, count)
            terms = {f"{VARIED['qq']}_{part}": 1 for part in self.parts}
            self.sweeps.append(signed_sum(whole.field, terms, range(count**2)))
        rho, beta = self.state("rho_along", count, count), self.state("beta_along", count, self.rows)
        self.sweeps.append(self._following(rho, beta))
        self.state("B_qq", count, count)
        for by, target, plus in (
            ("q", "B_qq", None),
            ("v", "H_qv", Transposed(f"{VARIED['vq']}_0", count)),
            ("a", "H_qa", Transposed(f"{VARIED['aq']}_0", count)),
        ):
            slope, drawn = self.slopes(by, count)
            half: MatrixField | None = plus
            if drawn:
                half = self.state(f"{target}_along", count, count)
                self.sweeps += product_sweeps(beta, slope.error, half, every, slope.error_rows, plus)
            self.sweeps += product_sweeps(rho, slope.force, MatrixField(target, count), every, slope.force_rows, half)
        self.sweeps.append(symmetric_sweep(self.model, whole.field, "H_qq", "B_qq"))
        self.sweeps.append(symmetric_sweep(self.model, f"{VARIED['vv']}_0", "H_vv"))
        self.fields += [Field(f"H_{by}", FieldKind.OUTPUT, count**2) for by in ("qq", "qv", "vv", "qa")]
        return begun_alike(wanted(plan_of(name, self.tree, self.sweeps, self.fields)))

    @property
    def parts(self) -> range:
        """Numbers of the plans of residuals that count."""
        return range(1 if self.variant.unique else len(self.residuals()))

    def _weigh(self) -> None:
        """Add what solves for lambda, y, rho and beta."""
        self.solve()
        sizes = {WEIGHTS: self.count, MULTIPLIER_WEIGHTS: self.rows}
        self.fields += [Field(name, FieldKind.INPUT, size) for name, size in sizes.items()]
        self.state("rho", self.count, 1)
        self.state("beta", self.rows, 1)
        bindings = {
            **self.factor,
            "by_tau": Access(WEIGHTS, 0, self.count),
            "by_lambda": Access(MULTIPLIER_WEIGHTS, 0, self.rows),
            "need": Access("rho", 0, self.count),
            "draw": Access("beta", 0, self.rows),
        }
        self.sweeps.append(Sweep(_WEIGH, (Visit(-1, self.variant, {}, bindings),)))

    def _gradients(self, derivatives: int = 3, by: Sequence[str] = ()) -> list[tuple[Plan, dict[str, str]]]:
        """Plans of gradients of rho^T r + beta^T A y, and fields of their inputs."""
        found = []
        for number in self.parts:
            tree = TreePlan(self.model, self.external if number == 0 else "", kept=True, derivatives=derivatives)
            own = self.residuals(tree)[number]
            inputs = {field.name for field in own.plan.fields_of(FieldKind.INPUT)}
            counts, others = {out: _WEIGHTS[what] for out, what in own.outputs.items()}, ["lambda", "y"]
            if self.variant.unique:
                counts, others = {"tau": _WEIGHTS[FORCE]}, ["lambda"]
            others = [x for x in (*others, *by) if x in inputs]
            plan = gradient_plan(f"sharing_{number}", tree, own.plan, counts, others)
            found.append((plan, {**own.linked, **{field: field for field in ("y", *counts.values())}}))
        return found

    def _add(self, fields: Sequence[Field], sweeps: Sequence[Sweep]) -> None:
        """Add state that is not there yet, and sweeps."""
        known = {field.name for field in self.fields}
        self.fields += [field for field in outputs_as_state(fields) if field.name not in known]
        self.sweeps += sweeps

    def _following(self, rho: MatrixField, beta: MatrixField) -> Sweep:
        """The sweep that solves for rho_i and beta_i, move by move."""
        count, visits = self.count, []
        pulled = MatrixField(f"{VARIED['vq']}_1" if len(self.parts) > 1 else "D_yq_0", count)
        by_lambda = MatrixField("D_lambdaq_0", count)
        for move in range(count):
            bindings = {**self.factor, **self.weighed, "by_lambda": by_lambda.column(move, 0, self.rows)}
            if not self.variant.unique:
                bindings["by_y"] = pulled.column(move, 0, count)
            bindings |= {"need": rho.row(move, 0, count), "draw": beta.row(move, 0, self.rows)}
            visits.append(Visit(-1, self.variant, {}, bindings))
        return Sweep(_FOLLOW, tuple(visits))


def weigh_forces(variant: ShareVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: rho and beta, from weights of tau and of lambda."""
    sharing = Sharing.loaded(variant, reads["slopes"], reads["sharing"])
    right = list(reads["by_lambda"])
    for row, column in zip(variant.active, sharing.active, strict=True):
        right = subtract(right, scale(reads["by_tau"][row], column))
    need, draw = responses(variant, sharing, right, [0.0] * len(variant.passive))
    for row in variant.active:
        need[row] = reads["by_tau"][row] + need[row]
    return {"need": need, "draw": draw}


def follow_move(variant: ShareVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per move of q: rho_i and beta_i, from -m_i and k_i."""
    sharing = Sharing.loaded(variant, reads["slopes"], reads["sharing"])
    k = reads.get("by_y", [0.0] * len(variant.actuated))
    right = list(reads["by_lambda"])
    for row, column in zip(variant.active, sharing.pulled, strict=False):
        right = subtract(right, scale(k[row], column))
    need, draw = responses(variant, sharing, right, [-k[row] for row in variant.passive])
    if variant.objective == TORQUE:
        weights = weights_of(variant, reads)
        for row in variant.active:
            need[row] = need[row] + weights[row] * k[row]
    return {"need": need, "draw": draw}


_WEIGH = Step(
    "weigh_forces",
    weigh_forces,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "sharing", "by_tau", "by_lambda")),
        *(Port(name, Mode.WRITE) for name in ("need", "draw")),
    ),
)
_FOLLOW = Step(
    "follow_move",
    follow_move,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "sharing", "weights", "by_lambda", "by_y")),
        *(Port(name, Mode.WRITE) for name in ("need", "draw")),
    ),
)
