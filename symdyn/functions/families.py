"""The families of functions: an entry of the catalogue per problem of dynamics and operator."""

from __future__ import annotations

from symdyn.dynamics.equations.residual_gradient import inverse_dynamics_adjoint_plan
from symdyn.dynamics.equations.residual_hessian import inverse_dynamics_weighted_hessian_plan
from symdyn.functions.adjoints import ADJOINT, WEIGHTED_HESSIAN
from symdyn.functions.problems import CONSTRAINED_FORWARD, CONSTRAINED_HYBRID, FORWARD, HYBRID, INVERSE

_OF_FORCES = "Nganga & Wensing 2023, for the weights as a virtual velocity; Griewank & Walther 2008, chapter 3"

ENTRIES = (
    ADJOINT.of(
        INVERSE,
        lambda model, request: inverse_dynamics_adjoint_plan(model, request.external),
        description="Gradient of a weighted sum of the joint forces tau by position, velocity and acceleration.",
        equation="g_x = lambda^T dtau_dx for x = q, v, a; g_a = M lambda",
        source=_OF_FORCES,
    ),
    WEIGHTED_HESSIAN.of(
        INVERSE,
        lambda model, request: inverse_dynamics_weighted_hessian_plan(model, request.external),
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
)
