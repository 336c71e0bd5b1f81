"""The gradient of a weighted state after an implicit step, without the Jacobian of the step.

With weights (l_q, l_v) of moves of q+ and of v+, m = e h D^T l_q, and R of the equations of motion at the stage,

    S^T y = theta m + e l_v,    g_q = T^T l_q - h T*^T R_q^T y,    g_v = M y / theta + (1 - e / theta) l_v,
    g_u = -h R_u^T y,         g_p = -h R_p^T y,       g_h = (e T^T l_q - theta h T*^T R_q^T y)^T w + (M y)^T a

S is the matrix of Newton's method, factored once by reflections. R_p^T y is one sweep back, for any number of
parameters. Source: Griewank & Walther 2008, chapter 15, for adjoints of implicit functions.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.actuation.input_slopes import less_given
from symdyn.dynamics.control.implicit_steps import NEWTON, TURNED, VELOCITY, ImplicitStep
from symdyn.dynamics.control.orthogonal import OrthogonalFactor
from symdyn.dynamics.control.residual_partials import SLOPES
from symdyn.dynamics.control.step_adjoint import FELT, SCALED, WEIGHED, pull_back_sweep
from symdyn.dynamics.control.step_moves import BY_LENGTH, advance_sweep, dot_sweep, lengthened, turning_joints
from symdyn.dynamics.equations.residual_gradient import gradient_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.derivatives import WEIGHTS
from symdyn.plan.compose import kept_apart, outputs_as_state
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

_Y_OF_LOOPS = "y_of_loops"
_Y, _BY_STAGE, _BY_INPUTS, _BY_MASS, _BY_PARAMETERS = "y", "by_stage", "by_inputs", "by_mass", "by_parameters"


def weigh_velocity(own: tuple[float, float], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: x / theta + (1 - e / theta) l_v."""
    theta, part = own
    return {"end": [(1.0 / theta) * reads["x"][0] + (1.0 - part / theta) * reads["l_v"][0]]}


_WEIGH = Step("weigh_velocity", weigh_velocity, (Port("x", Mode.READ), Port("l_v", Mode.READ), Port("end", Mode.WRITE)))


def implicit_adjoint_plan(own: ImplicitStep, parameters: bool, by_length: bool = False) -> Plan:
    """The plan of (q, v, u, h, a, lambda) -> g_q, g_v, g_u[, g_p][, g_h], lambda (2 nv,), where a makes R vanish."""
    model, nv, problem = own.model, own.model.nv, own.problem
    every, y, n = range(own.count), MatrixField(_Y, 1), own.count
    fields, sweeps = own.system({})
    sweeps.append(pull_back_sweep(model, VELOCITY, own.part, own.theta, long=False))
    factor = OrthogonalFactor(MatrixField(NEWTON, n))
    sweeps += [*factor.factoring(), factor.solving(MatrixField(SCALED, 1), y, [0], transposed=True)]

    turning = [row for joint in turning_joints(model) for row in joint.v_places]
    straight = [row for row in range(nv) if row not in turning]
    by = {x: f"residual_{name}" for x, name in SLOPES.items()}
    for field, rows in ((by["q"], straight), (TURNED, turning)):
        sweeps += product_sweeps(
            Transposed(field, nv), y, MatrixField(_BY_STAGE, 1), rows, {0: every} if rows else {}, negative=True
        )
    sweeps.append(advance_sweep(nv, WEIGHED, _BY_STAGE, "g_q"))
    of_mass = "g_v" if own.theta == 1.0 else _BY_MASS
    sweeps += product_sweeps(Transposed(by["a"], nv), y, MatrixField(of_mass, 1), range(nv), {0: every})
    if own.theta != 1.0:
        places = (("x", _BY_MASS, 0), ("l_v", WEIGHTS, nv), ("end", "g_v", 0))
        visits = (
            Visit(-1, (own.theta, own.part), {}, {at: Access(name, row + by, 1) for at, name, by in places})
            for row in range(nv)
        )
        sweeps.append(Sweep(_WEIGH, tuple(visits), vector=True))

    outputs = {"g_q": nv, "g_v": nv, "g_u": len(model.actuator_inputs) if problem.actuated else nv}
    source = _Y
    if problem.actuated:
        source, columns = _BY_INPUTS, outputs["g_u"]
        sweeps += product_sweeps(
            Transposed(by["u"], columns), y, MatrixField(_BY_INPUTS, 1), range(columns), {0: range(nv)}, negative=True
        )
    sweeps.append(lengthened(MatrixField(source, 1), MatrixField("g_u", 1), range(outputs["g_u"]), 1))
    if parameters:
        outputs["g_p"] = len(model.slots.names)
        more, back = _by_parameters(own)
        fields, sweeps = [*fields, *more], [*sweeps, *back]
        found = MatrixField(_BY_PARAMETERS, 1)
        sweeps.append(lengthened(found, MatrixField("g_p", 1), range(outputs["g_p"]), 1, part=-1.0))
    if by_length:
        outputs[BY_LENGTH] = 1
        sweeps += [
            dot_sweep(nv, WEIGHED, VELOCITY, own.part),
            dot_sweep(nv, _BY_STAGE, VELOCITY, own.theta, long=True),
            dot_sweep(nv, of_mass, own.acceleration),
        ]
    fields += [Field(WEIGHTS, FieldKind.INPUT, 2 * nv)]
    fields += [Field(name, FieldKind.STATE, nv) for name in (WEIGHED, FELT, _BY_STAGE, _BY_MASS)]
    fields += [Field(name, FieldKind.STATE, n, sparse=True) for name in (SCALED, _Y)]
    fields.append(Field(_BY_INPUTS, FieldKind.STATE, max(1, outputs["g_u"]), sparse=True))
    return own.planned("step_adjoint", fields, sweeps, outputs)


def _by_parameters(own: ImplicitStep) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps of R_p^T y at the stage."""
    problem, model = own.problem, own.model
    tree = TreePlan(model, problem.external, kept=True)
    residual, by = problem.residual(tree=tree), ["p"]
    if problem.actuated:
        residual, by = less_given(model, problem.free, residual, range(len(model.actuator_inputs))), ["u", "p"]
    weights = {"tau": _Y, **({"constraint_residual": _Y_OF_LOOPS} if problem.rows else {})}
    plan = gradient_plan("residual_back", tree, residual, weights, by)
    linked = own.linked | {"g_p": _BY_PARAMETERS, _Y: _Y, _Y_OF_LOOPS: _Y_OF_LOOPS}
    kept, found = kept_apart(outputs_as_state(plan.fields), plan.sweeps, "back", (), linked)
    return [*kept, Field(_BY_PARAMETERS, FieldKind.STATE, len(model.slots.names), sparse=True)], own.placed(
        found, {_Y_OF_LOOPS: _Y}
    )
