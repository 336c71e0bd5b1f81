"""The families of functions: an entry of the catalogue per problem of dynamics and operator."""

from __future__ import annotations

from symdyn.functions.adjoints import (
    ADJOINT,
    WEIGHTED_HESSIAN,
    constrained_inverse_adjoint,
    constrained_inverse_weighted_hessian,
    impulse_adjoint,
    impulse_weighted_hessian,
    inverse_adjoint,
    inverse_weighted_hessian,
)
from symdyn.functions.partials import (
    PARTIALS,
    constrained_inverse_partials_plan,
    force_jacobians,
    impulse_dynamics_partials_plan,
    inverse_partials_plan,
)
from symdyn.functions.problems import (
    CONSTRAINED_FORWARD,
    CONSTRAINED_HYBRID,
    CONSTRAINED_INVERSE,
    FORWARD,
    HYBRID,
    IMPULSE,
    INVERSE,
)
from symdyn.functions.request import Request, is_driven
from symdyn.functions.time_derivatives import (
    TIME_DERIVATIVES,
    TIME_DERIVATIVES_PARTIALS,
    constrained_force_order_partials_plan,
    constrained_force_orders_plan,
    force_order_partials_plan,
    force_orders_plan,
)
from symdyn.functions.values import SOLUTION, constrained_inverse_plan, impulse_plan, inverse_plan

_OF_FORCES = "Nganga & Wensing 2023, for the weights as a virtual velocity; Griewank & Walther 2008, chapter 3"

_MOTION = "M a + bias = tau + A^T lambda, A a = -(e'' at a = 0) - 2 e' / T - e / T^2"

_SLOPES = "M da - A^T dlambda = dtau - d(inverse_dynamics - A^T lambda), A da = -d(e'' + 2 e' / T + e / T^2)"

_TAYLOR = "Griewank & Walther 2008, chapter 13, for the method"


def _forces(request: Request) -> str:
    return "inputs u of actuators" if is_driven(request) else "joint forces tau"


def _inputs(request: Request) -> str:
    return "inputs u" if is_driven(request) else "joint forces"


ENTRIES = (
    SOLUTION.of(
        INVERSE,
        plan=inverse_plan,
        sentence="Joint forces for a motion: q, v, a -> tau.",
        description="Joint forces tau that give the robot acceleration a at position q and velocity v.",
        equation="tau = M(q) a + C(q, v) v + g(q) - sum J_i^T f_ext_i",
        source="Luh, Walker & Paul 1980; Kim 2012, table 2",
    ),
    SOLUTION.of(
        FORWARD,
        sentence="Motion that joint forces cause: q, v, tau -> a.",
        description=lambda _, __, request: (
            f"Acceleration a that {_forces(request)} give the robot at position q and velocity v."
        ),
        equation="M(q) a = tau - bias(q, v) + sum J_i^T f_ext_i",
        source="Featherstone 1983; Featherstone 2008, chapter 7; Kim 2012, table 3",
    ),
    SOLUTION.of(
        HYBRID,
        sentence="Forces of prescribed rows and accelerations of the others: q, v, u -> w.",
        description=lambda _, __, request: (
            "Forces of the rows whose acceleration is prescribed, and accelerations of the others"
            + (", with the inputs that give these forces." if request.unknown else ".")
        ),
        equation="tau = M(q) a + bias(q, v) - sum J_i^T f_ext_i, for tau_i where a_i is given and for a_i elsewhere",
        source="Featherstone 2008, section 9.2; Kim 2012, table 4",
    ),
    SOLUTION.of(
        CONSTRAINED_FORWARD,
        sentence="Motion that joint forces cause where loops are closed: q, v, tau -> a, lambda.",
        description=lambda _, __, request: (
            f"Acceleration a that {_forces(request)} give the robot with its loops closed, and the multipliers lambda "
            "of these."
        ),
        equation=_MOTION,
        source="Kim 2012, eqs. 67 to 69",
    ),
    SOLUTION.of(
        CONSTRAINED_HYBRID,
        sentence="Forces of prescribed rows, accelerations of the others, where loops are closed: q, v, u -> w, "
        "lambda.",
        description="Forces of the rows whose acceleration is prescribed, accelerations of the others, and multipliers "
        "lambda.",
        equation=_MOTION,
        source="Kim 2012, eqs. 72 to 80",
    ),
    SOLUTION.of(
        CONSTRAINED_INVERSE,
        plan=constrained_inverse_plan,
        sentence="Forces of actuated rows that a motion needs where loops are closed: q, v, a -> tau, lambda.",
        description="Forces tau of the actuated rows that a motion needs where loops are closed, and the multipliers "
        "lambda.",
        equation="tau + A^T lambda = inverse_dynamics(q, v, a), tau = 0 in passive rows where loops can give that; of "
        "such tau that of the least tau^T W tau, with W = 1, or diag(weights), or that of the least |lambda|",
        source="Kim 2012, eqs. 56 to 66",
    ),
    SOLUTION.of(
        IMPULSE,
        plan=impulse_plan,
        sentence="Velocities after loops close in no time, and their impulses: q, v -> v_plus, impulses.",
        description="Velocities v_plus after loops close in no time, from those before, v, and the impulses Lambda of "
        "the loops.",
        equation="M (v_plus - v) = A^T Lambda, A v_plus = -e A v, with e = 0, or diag(restitution) by loops",
        source="Featherstone 2008, section 11.7; Kim 2012, section 3.2, for the method",
    ),
    PARTIALS.of(
        INVERSE,
        plan=inverse_partials_plan,
        outputs=force_jacobians,
        description="Partial derivatives of the joint forces tau by position, velocity and acceleration.",
        equation="d tau = dtau_dq dq + dtau_dv dv + dtau_da da, dq along body-frame perturbations of q",
        source="Carpentier & Mansard 2018; Singh, Russell & Wensing 2022",
    ),
    PARTIALS.of(
        FORWARD,
        sentence="Derivatives of the acceleration: q, v, tau -> da_dq, da_dv, da_dtau.",
        description="Partial derivatives of the acceleration that forward dynamics finds.",
        equation="da_dx = -M^-1 dtau_dx at the solved acceleration for x = q, v; da_dtau = M^-1",
        source="Carpentier & Mansard 2018; Singh, Russell & Wensing 2022",
    ),
    PARTIALS.of(
        HYBRID,
        sentence="Derivatives of what hybrid dynamics finds: q, v, u -> dw_dq, dw_dv, dw_du.",
        description=lambda _, __, request: (
            "Partial derivatives of the forces and accelerations that hybrid dynamics finds"
            + (", and of the inputs that give them." if request.unknown else ".")
        ),
        equation="da_F = M_FF^-1 (dtau_F - dtau_F/dx dx - M_FP da_P), dtau_P = dtau_P/dx dx + M_PF da_F + M_PP da_P",
        source="Kim 2012, section 4; Carpentier & Mansard 2018",
    ),
    PARTIALS.of(
        CONSTRAINED_FORWARD,
        sentence="Derivatives of the acceleration and the multipliers where loops are closed: q, v, tau -> da_dq, "
        "da_dv, da_dtau, dlambda_dq, dlambda_dv, dlambda_dtau.",
        description="Partial derivatives of the acceleration and of the multipliers that constrained forward dynamics "
        "finds.",
        equation=f"{_SLOPES}, both at the solved a and lambda",
        source="Carpentier & Mansard 2018, with multipliers",
    ),
    PARTIALS.of(
        CONSTRAINED_HYBRID,
        sentence="Derivatives of what constrained hybrid dynamics finds: q, v, u -> dw_dq, dw_dv, dw_du, dlambda_dq, "
        "dlambda_dv, dlambda_du.",
        description="Partial derivatives of what constrained hybrid dynamics finds: forces, accelerations and "
        "multipliers.",
        equation=f"{_SLOPES}, for da of free rows, dtau of prescribed ones, and dlambda",
        source="Carpentier & Mansard 2018, with multipliers; Kim 2012, section 4",
    ),
    PARTIALS.of(
        CONSTRAINED_INVERSE,
        plan=constrained_inverse_partials_plan,
        sentence="Derivatives of the forces of actuated rows and of the multipliers where loops are closed: q, v, a -> "
        "dtau_dq, dtau_dv, dtau_da, dlambda_dq, dlambda_dv, dlambda_da.",
        description="Partial derivatives of the forces of actuated rows and of the multipliers that constrained "
        "inverse dynamics finds.",
        equation="d(tau + A^T lambda) = d(inverse_dynamics), dtau = 0 in passive rows, and d(A y) = 0 with "
        "y = W tau in actuated rows, or d(A y) = dlambda with y = 0 there; constant weights",
        source="Kim 2012, eqs. 56 to 66, differentiated",
    ),
    PARTIALS.of(
        IMPULSE,
        plan=impulse_dynamics_partials_plan,
        sentence="Derivatives of velocities after an impact and of its impulses: q, v -> dv_plus_dq, dv_plus_dv, "
        "dimpulses_dq, dimpulses_dv.",
        description="Partial derivatives of the velocities after an impact and of its impulses.",
        equation="M dv_plus - A^T dLambda = M dv - d(M (v_plus - v) - A^T Lambda), "
        "A dv_plus = -e A dv - d(A v_plus + e A v), d by q and p at the solved v_plus and Lambda",
        source="Carpentier & Mansard 2018, for the method",
    ),
    TIME_DERIVATIVES.of(
        INVERSE,
        plan=force_orders_plan,
        adds=("formulation", "order"),
        sentence="Joint forces and their time derivatives to order r: q, V = v, v', .. v^(r+1) -> tau, tau', .. "
        "tau^(r).",
        description="Joint forces tau, and their time derivatives, that move the robot along a trajectory.",
        equation="tau^(k) = (d/dt)^k inverse_dynamics(q(t), v(t), v'(t)),  k = 0 .. r",
        source=f"Ali et al. 2026, algorithms 1 and 2, for the problem and for the spatial formulation; {_TAYLOR} in "
        "body frames",
    ),
    TIME_DERIVATIVES.of(
        FORWARD,
        adds=("formulation", "order"),
        sentence="Motion that joint forces cause, with time derivatives to order r: q, v, T = tau, tau', .. tau^(r) -> "
        "A.",
        description=lambda _, __, request: (
            f"Accelerations a, and their time derivatives, that {_inputs(request)} and their derivatives give the "
            "robot."
        ),
        equation="A_k = (d/dt)^k a,  M(q) a = tau - bias(q, v) + sum J_i^T f_ext_i,  k = 0 .. r",
        source="Ali et al. 2026, algorithm 3 and lemma 2, for the problem, its leading operator and the spatial "
        f"formulation; {_TAYLOR} in body frames",
    ),
    TIME_DERIVATIVES.of(
        HYBRID,
        adds=("formulation", "order"),
        sentence="Forces of prescribed rows, accelerations of the others, and their derivatives: q, v, U = u, .. u^(r) "
        "-> W.",
        description=lambda _, __, request: (
            "Forces of prescribed rows, accelerations of the others, "
            + ("the inputs that give these forces, and their" if request.unknown else "and the")
            + f" time derivatives{'' if request.unknown else ' of both'}."
        ),
        equation="tau^(k) = (d/dt)^k (M(q) a + bias(q, v) - sum J_i^T f_ext_i), for tau_i where a_i is given and for "
        "a_i elsewhere",
        source=f"Ali et al. 2026, algorithm 4, for the problem and the spatial formulation; {_TAYLOR} in body frames",
    ),
    TIME_DERIVATIVES.of(
        CONSTRAINED_FORWARD,
        sentence="Motion that joint forces cause where loops are closed, with time derivatives to order r: q, v, T = "
        "tau, tau', .. tau^(r) -> A, Lambda.",
        description=lambda _, __, request: (
            f"Accelerations a, and their time derivatives, that {_inputs(request)} and their derivatives give the "
            "robot with its loops closed, and the multipliers lambda of these."
        ),
        equation=f"(d/dt)^k of {_MOTION},  k = 0 .. r",
        source=f"Kim 2012, eqs. 67 to 69, for order 0; {_TAYLOR}",
    ),
    TIME_DERIVATIVES.of(
        CONSTRAINED_HYBRID,
        sentence="Forces of prescribed rows, accelerations of the others, and their derivatives, where loops are "
        "closed: q, v, U = u, .. u^(r) -> W, Lambda.",
        description="Forces of prescribed rows, accelerations of the others, and multipliers lambda, with time "
        "derivatives.",
        equation=f"(d/dt)^k of {_MOTION},  k = 0 .. r",
        source=f"Kim 2012, eqs. 72 to 80, for order 0; {_TAYLOR}",
    ),
    TIME_DERIVATIVES.of(
        CONSTRAINED_INVERSE,
        plan=constrained_force_orders_plan,
        sentence="Forces of actuated rows that a trajectory needs where loops are closed, with time derivatives to "
        "order r: q, V = v, v', .. v^(r+1) -> tau, Lambda.",
        description="Forces tau of the actuated rows, and their time derivatives, that a trajectory needs where loops "
        "are closed, and the multipliers lambda.",
        equation="tau^(k) and lambda^(k) = (d/dt)^k constrained_inverse_dynamics(q(t), v(t), v'(t)),  k = 0 .. r",
        source=f"Kim 2012, eqs. 56 to 66, for order 0; {_TAYLOR}",
    ),
    TIME_DERIVATIVES_PARTIALS.of(
        INVERSE,
        plan=force_order_partials_plan,
        sentence="Derivatives of joint forces and of their time derivatives: q, V = v, v', .. v^(r+1) -> dtau_dq, "
        "dtau_dV.",
        description="Partial derivatives of the joint forces tau and of their time derivatives along a trajectory.",
        equation="d tau^(k) = dtau_dq[k] dq + sum over j of dtau_dV[k, j] dv^(j),  k = 0 .. r, j = 0 .. r + 1",
        source="Carpentier & Mansard 2018, on time series (Griewank & Walther 2008, chapter 13)",
    ),
    TIME_DERIVATIVES_PARTIALS.of(FORWARD),
    TIME_DERIVATIVES_PARTIALS.of(HYBRID),
    TIME_DERIVATIVES_PARTIALS.of(CONSTRAINED_FORWARD),
    TIME_DERIVATIVES_PARTIALS.of(CONSTRAINED_HYBRID),
    TIME_DERIVATIVES_PARTIALS.of(
        CONSTRAINED_INVERSE,
        plan=constrained_force_order_partials_plan,
        sentence="Derivatives of forces of actuated rows and multipliers where loops are closed, and of their time "
        "derivatives: q, V = v, v', .. v^(r+1) -> dtau_dq, dtau_dV, dLambda_dq, dLambda_dV.",
        description="Partial derivatives of what constrained inverse dynamics finds, and of its time derivatives, "
        "along a trajectory.",
        equation="d tau^(k) = dtau_dq[k] dq + sum over j of dtau_dV[k, j] dv^(j), and so for lambda,  k = 0 .. r, "
        "j = 0 .. r + 1",
        source="Kim 2012, eqs. 56 to 66, differentiated, on time series (Griewank & Walther 2008, chapter 13)",
    ),
    ADJOINT.of(
        INVERSE,
        plan=inverse_adjoint,
        description="Gradient of a weighted sum of the joint forces tau by position, velocity and acceleration.",
        equation="g_x = lambda^T dtau_dx for x = q, v, a; g_a = M lambda",
        source=_OF_FORCES,
    ),
    WEIGHTED_HESSIAN.of(
        INVERSE,
        plan=inverse_weighted_hessian,
        description="Second derivatives of a weighted sum of the joint forces tau; those by v, a and by a, a are zero.",
        source=_OF_FORCES,
    ),
    WEIGHTED_HESSIAN.of(FORWARD),
    WEIGHTED_HESSIAN.of(HYBRID),
    WEIGHTED_HESSIAN.of(CONSTRAINED_FORWARD),
    WEIGHTED_HESSIAN.of(CONSTRAINED_HYBRID),
    ADJOINT.of(FORWARD, equation="g_x = lambda^T da_dx for x = q, v, tau; g_tau = M^-1 lambda"),
    ADJOINT.of(HYBRID),
    ADJOINT.of(CONSTRAINED_FORWARD),
    ADJOINT.of(CONSTRAINED_HYBRID),
    ADJOINT.of(CONSTRAINED_INVERSE, plan=constrained_inverse_adjoint),
    WEIGHTED_HESSIAN.of(CONSTRAINED_INVERSE, plan=constrained_inverse_weighted_hessian),
    ADJOINT.of(
        IMPULSE,
        plan=impulse_adjoint,
    ),
    WEIGHTED_HESSIAN.of(
        IMPULSE,
        plan=impulse_weighted_hessian,
    ),
)
