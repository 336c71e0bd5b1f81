"""The gradient of the weighted solution of R(x, z) = 0: of lambda^T w + kappa^T l, l being the multipliers.

The solution w has accelerations a_F of free rows F and forces f_P of prescribed rows P. With mu_P = lambda_P,

    M_FF mu_F + A_F^T nu = -lambda_F - M_FP lambda_P,    A_F mu_F = kappa - A_P lambda_P

is solved with the factor of forward dynamics, because K = dR/dz is symmetric but for signs. The gradient by x is that
of mu^T R1 + nu^T R2 at fixed z: one sweep back, in O(n). No Jacobian is formed. M lambda_P and A lambda_P are gradients
of lambda_P^T R1 by a and by l. Source: Griewank & Walther 2008, chapter 15, for adjoints of implicit functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.actuation.input_slopes import less_given
from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.equations.residual_gradient import gradient_plan
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.station_bias import More, Solution, balance_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.contracted_jacobian import SLOPES, ContractedJacobian
from symdyn.dynamics.loops.multipliers import ordered_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.contracted_view import Made, step_fields
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.derivatives import MULTIPLIER_WEIGHTS, WEIGHTS
from symdyn.plan.compose import begun_alike, kept_apart, outputs_as_state, places_written, renamed, wanted
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

SOLUTION, MULTIPLIERS, ERRORS = "solution", "multipliers", "acceleration"
_SECOND = {"rest": "weights_left", SOLUTION: "mu", MULTIPLIERS: "minus_nu", ERRORS: "errors_left"}
"""Fields of the second solution, by those of the first."""


def adjoint_plan(problem: Problem, name: str, by_given: str, parameters: bool = False, solved: bool = False) -> Plan:
    """The plan of gradients from q, v, what is given, lambda, (nv,), and with loops kappa, (m,).

    Parameters
    ----------
    problem
        The equations.
    name
        Of the function.
    by_given
        Output for the gradient by ``problem.given``, (nv,). With actuators' inputs u there are g_u, (na,), and g_a,
        (nv,), where accelerations are prescribed, in its place.
    parameters
        Whether there is g_p, (np,), the gradient by run-time parameters.
    solved
        Whether all rows of ``SOLUTION`` are an output too, those that no gradient rests on among them.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity.
    """
    return AdjointSystem(problem).plan(name, by_given, parameters, solved)


class AdjointSystem:
    """Fields and sweeps of both solutions and of the sweeps back, in order."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.model = problem, problem.model
        self.count, self.rows = problem.model.nv, problem.rows
        self.free = sorted(problem.free)
        self.prescribed = [row for row in range(self.count) if row not in problem.free]
        self.by_v = "g_v"
        """The field of the gradient of the residual by v."""
        self.fields: dict[str, Field] = {}
        self.sweeps: list[Sweep] = []

    def plan(self, name: str, by_given: str, parameters: bool = False, solved: bool = False) -> Plan:
        """The plan of the function."""
        problem, model, count = self.problem, self.model, self.count
        given = {problem.given: count} if problem.given else {}
        self.declare(FieldKind.INPUT, {"q": model.nq, "v": count, **given, WEIGHTS: count})
        self.declare(FieldKind.INPUT, {MULTIPLIER_WEIGHTS: self.rows})
        self.declare(
            FieldKind.STATE, dict.fromkeys(("known", "bias", "weights_left", "mu", "by_acceleration", SOLUTION), count)
        )
        self.declare(FieldKind.STATE, dict.fromkeys((MULTIPLIERS, ERRORS, "minus_nu", "errors_left"), self.rows))
        self.declare(FieldKind.STATE, {SLOPES: self.rows * count, "nu": self.rows})
        outputs = {"g_q": count, "g_v": count}
        if problem.actuated:
            outputs |= {"g_u": len(model.actuator_inputs), **({"g_a": count} if self.prescribed else {})}
        elif by_given:
            outputs[by_given] = count
        by = [*(["u"] if problem.actuated else []), *(["p"] if parameters else [])]
        self.declare(FieldKind.OUTPUT, outputs | ({"g_p": len(model.slots.names)} if parameters else {}))
        self._second(self.solve())
        acceleration = self._merged("whole_acceleration", SOLUTION, "known")
        mu = self._merged("whole_mu", "mu", WEIGHTS)
        self.signed("nu", {"minus_nu": -1}, range(self.rows))
        weights = {"tau": mu, **({"constraint_residual": "nu"} if self.rows else {})}
        linked = {name: name for name in ("g_q", *(f"g_{x}" for x in by))}
        gradients = linked | {"g_v": self.by_v, "g_a": "by_acceleration"}
        self.take(self._back("back", acceleration, weights, gradients, by))
        self.complete("" if problem.actuated else by_given)
        sweeps = tuple(sweep for sweep in self.sweeps if sweep.visits)
        if solved:
            self.fields[SOLUTION] = replace(self.fields[SOLUTION], kind=FieldKind.OUTPUT)
        plan = Plan(name, tuple(self.fields.values()), sweeps, tuple(body.name for body in model.bodies), model.parent)
        if problem.actuated:
            plan = driven_plan(model, plan, problem.given, self.prescribed)
        return begun_alike(wanted(plan))

    def complete(self, by_given: str) -> None:
        """Add gradients by what is given, or, where that has no name, by accelerations beside inputs."""
        if by_given:
            self.signed(by_given, {"mu": -1}, self.free)
        self.signed(by_given or "g_a", {"by_acceleration": 1}, self.prescribed)

    def declare(self, kind: FieldKind, sizes: Mapping[str, int]) -> None:
        """Add fields that have a size; state is zero where nothing is written."""
        self.fields |= {
            name: Field(name, kind, size, sparse=kind is FieldKind.STATE) for name, size in sizes.items() if size
        }

    def take(self, made: Made) -> None:
        """Add sweeps, and fields that are not there yet."""
        self.fields = {field.name: field for field in made[0]} | self.fields
        self.sweeps += made[1]

    def solution(self, jacobian: Made) -> Solution:
        """What takes forces, and accelerations of errors, to accelerations and multipliers."""
        if not self.rows:
            return Solution.of(self.model, self.free, SOLUTION)
        tree, written = ConstraintSet(TreePlan(self.model)), places_written(jacobian[1], SLOPES)

        def more(elimination: AbaLayout) -> More:
            jacobian = ContractedJacobian(tree, elimination, SLOPES, written)
            fields, once, each = ordered_sweeps(jacobian, MULTIPLIERS, SOLUTION, None)
            return More([*fields, *jacobian.fields()], [*jacobian.sweeps(), *once], each)

        return Solution.of(self.model, self.free, SOLUTION, more)

    def solve(self) -> Solution:
        """Add what solves the equations, and return what solved them."""
        bias = self.problem.residual(exerted=False, jacobian=bool(self.rows))
        known, rest, _ = balance_sweeps(self.model, self.problem.free, self.problem.given, SOLUTION)
        linked = {"a": "known", "tau": "bias", "constraint_residual": ERRORS, "A": SLOPES}
        fields, sweeps = kept_apart(
            bias.fields, bias.sweeps, "bias", ("ground", *step_fields(TreePlan(self.model))), linked
        )
        solution = self.solution((fields, sweeps))
        self.take((solution.fields, [known]))
        self.take((fields, [*sweeps, rest, *solution.factor, *solution.solve]))
        return solution

    def _second(self, solution: Solution) -> None:
        """Add what solves for mu_F and -nu."""
        weights, kappa = {WEIGHTS: -1}, {MULTIPLIER_WEIGHTS: -1}
        if self.prescribed:
            self.declare(FieldKind.STATE, {"prescribed_weights": self.count})
            self.signed("prescribed_weights", {WEIGHTS: 1}, self.prescribed)
            outputs = {"g_a": "weights_by_mass", "g_lambda": "weights_by_jacobian"}
            self.declare(FieldKind.STATE, {"weights_by_mass": self.count, "weights_by_jacobian": self.rows})
            by = ["u"] if self.problem.actuated else []
            self.take(self._back("product", "known", {"tau": "prescribed_weights"}, outputs, by))
            weights["weights_by_mass"], kappa["weights_by_jacobian"] = -1, -1
        self.signed("weights_left", weights, self.free)
        self.signed("errors_left", kappa, range(self.rows))
        self.sweeps += renamed(solution.solve, _SECOND)

    def _merged(self, name: str, free: str, prescribed: str) -> str:
        """The field of a vector of which free rows are in one field, and prescribed ones in another."""
        if not self.prescribed:
            return free
        self.declare(FieldKind.STATE, {name: self.count})
        self.signed(name, {free: 1}, self.free)
        self.signed(name, {prescribed: 1}, self.prescribed)
        return name

    def _back(
        self,
        name: str,
        acceleration: str,
        weights: Mapping[str, str],
        outputs: Mapping[str, str],
        by: Sequence[str],
    ) -> Made:
        """Fields and sweeps of the gradient of residuals times fields of weights, at a field of accelerations."""
        problem, model = self.problem, self.model
        tree = TreePlan(model, problem.external, kept=True)
        residual = problem.residual(tree=tree)
        if problem.actuated:
            residual = less_given(model, problem.free, residual, range(len(model.actuator_inputs)))
        others = [*(["lambda"] if self.rows else []), *by]
        plan = gradient_plan(f"residual_{name}", tree, residual, weights, others)
        names = {"lambda": MULTIPLIERS, "a": acceleration, "u": "u"} | {own: own for own in weights.values()}
        return kept_apart(outputs_as_state(plan.fields), plan.sweeps, name, ("ground",), {**names, **outputs})

    def signed(self, target: str, terms: Mapping[str, int], rows: Iterable[int]) -> None:
        """Add the sweep that writes rows of the sum of fields, each with its sign."""
        sweep = signed_sum(target, terms, rows)
        self.sweeps += [sweep] if sweep.visits else []


def signed_sum(target: str, terms: Mapping[str, int], rows: Iterable[int]) -> Sweep:
    """The sweep that writes rows of the sum of at most two fields, each with its sign, to another field."""
    ports = {f"x{number}": name for number, name in enumerate(terms)} | {"total": target}
    visits = (
        Visit(-1, tuple(terms.values()), {}, {port: Access(name, row, 1) for port, name in ports.items()})
        for row in rows
    )
    return Sweep(_SUM, tuple(visits), vector=True)


def _signed_sum(signs: tuple[int, ...], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    total: Scalar = 0.0
    for number, sign in enumerate(signs):
        term = reads[f"x{number}"][0]
        total = total + term if sign > 0 else total - term
    return {"total": [total]}


_SUM = Step(
    "signed_sum", _signed_sum, (*(Port(f"x{number}", Mode.READ) for number in range(2)), Port("total", Mode.WRITE))
)
