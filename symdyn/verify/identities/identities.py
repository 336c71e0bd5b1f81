"""Identities that the functions of one module must satisfy among themselves, and what each leaves over at its worst."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symdyn.interface.signature import Argument, option_word
from symdyn.verify.base.compare import limit_in_u
from symdyn.verify.harness.report import IdentityResult
from symdyn.verify.harness.states import verification_states
from symdyn.verify.identities.bench import Bench, Values
from symdyn.verify.identities.inertia_identities import (
    force_is_affine,
    forward_of_inverse,
    hybrid_of_inverse,
    inverse_is_inverse,
    symmetric_and_positive,
)
from symdyn.verify.identities.loop_identities import (
    error_acceleration,
    error_rate,
    forward_of_shared,
    multipliers_hold,
    virtual_work,
)
from symdyn.verify.identities.motion_identities import chain_rule, energy_balance, skew_symmetric
from symdyn.verify.identities.solver_identities import (
    inertia_of_step,
    inverse_of_rate,
    residual_of_force,
    slopes_of_rate,
)
from symdyn.verify.identities.step_identities import forward_steps, hybrid_steps, inverse_steps

FEW = 3
"""States for identities that call a recursion in Python once per coordinate."""


@dataclass(frozen=True, slots=True)
class Identity:
    """An identity, the functions that it needs, and its residual at a state in units of u; None tells nothing there.

    ``factor`` times the limit of a single function (``limit_in_u``) is tolerated: several results meet in one identity,
    each with its own error.
    """

    name: str
    needs: tuple[str, ...]
    residual: Callable[[Bench, Values], float | None]
    factor: float = 4.0
    states: int = 12


IDENTITIES = (
    Identity("forward_dynamics(inverse_dynamics(a)) = a", ("inverse_dynamics", "forward_dynamics"), forward_of_inverse),
    Identity("hybrid_dynamics inverts inverse_dynamics", ("inverse_dynamics", "hybrid_dynamics"), hybrid_of_inverse),
    Identity("M symmetric, positive definite", ("mass_matrix",), symmetric_and_positive),
    Identity("inverse_dynamics(a) = M a + inverse_dynamics(0)", ("inverse_dynamics", "mass_matrix"), force_is_affine),
    Identity("M^-1 M = 1", ("mass_matrix", "mass_matrix_inverse"), inverse_is_inverse),
    Identity("M' - 2 C skew-symmetric", ("mass_matrix", "coriolis_matrix"), skew_symmetric),
    Identity("(T + U)' = tau . v - losses", ("inverse_dynamics", "kinetic_energy", "potential_energy"), energy_balance),
    Identity(
        "tau' = dtau_dq v + dtau_dv a + dtau_da a'", ("inverse_dynamics", "inverse_dynamics_partials"), chain_rule
    ),
    Identity("inverse_dynamics_partials = complex steps", ("inverse_dynamics_partials",), inverse_steps, states=FEW),
    Identity("forward_dynamics_partials = complex steps", ("forward_dynamics_partials",), forward_steps, states=FEW),
    Identity("hybrid_dynamics_partials = complex steps", ("hybrid_dynamics_partials",), hybrid_steps, states=FEW),
    Identity("inverse_dynamics(state_derivative) = tau", ("state_derivative", "inverse_dynamics"), inverse_of_rate),
    Identity("y'' = state_jacobian y'", ("state_derivative", "state_jacobian"), slopes_of_rate),
    Identity(
        "implicit_residual = inverse_dynamics - tau", ("implicit_residual", "inverse_dynamics"), residual_of_force
    ),
    Identity("implicit_jacobian at c = (0, 0, 1) is M", ("implicit_jacobian", "mass_matrix"), inertia_of_step),
)
"""Those of any robot, in the order of the report."""

_TIED = ("inverse_dynamics", "constraint_jacobian")
LOOP_IDENTITIES = (
    Identity("e' = A v", ("constraint_error", "constraint_jacobian"), error_rate),
    Identity("(A v)' = A a + bias", ("constraint_jacobian", "constraint_bias"), error_acceleration),
    Identity(
        "inverse_dynamics(a) = tau + A^T lambda, A a = -bias",
        ("constrained_forward_dynamics", "constraint_error", "constraint_bias", *_TIED),
        multipliers_hold,
    ),
    Identity(
        "constrained_forward_dynamics(constrained_inverse_dynamics(a)) = a",
        ("constrained_forward_dynamics", "constrained_inverse_dynamics", *_TIED),
        forward_of_shared,
    ),
    Identity(
        "w . (tau - inverse_dynamics(a)) = 0 where A w = 0", ("constrained_inverse_dynamics", *_TIED), virtual_work
    ),
)
"""Those of robots with closed loops, which follow."""


def check_identities(
    bench: Bench, evaluator: str, nominal: Mapping[str, float], states: int, seed: int = 0
) -> tuple[IdentityResult, ...]:
    """Every identity whose functions the module has, with forces given, at its worst over some random states.

    Parameters
    ----------
    bench
        The module.
    evaluator
        What the module is called in the report.
    nominal
        Run-time parameters, which keep these values: random ones might be no robot's. 1 where absent.
    states, seed
        Number of random states (an identity takes no more than it asks for), and the seed that draws them.
    """
    told = {name: option_word(own.options, "inputs", "forces") for name, own in bench.signatures.items()}
    # those by inputs of actuators have no tau, and those whose loops may be let go no state that tells of these
    plain = {
        name for name, inputs in told.items() if inputs == "forces" and "switched" not in bench.signatures[name].options
    }
    asked = [identity for identity in (*IDENTITIES, *LOOP_IDENTITIES) if set(identity.needs) <= plain]
    drawn = _states(bench, nominal, min(states, max(identity.states for identity in IDENTITIES)), seed)
    results = []
    for identity in asked:
        chosen = drawn[: identity.states]
        left = ((label, identity.residual(bench, values)) for label, values in chosen)
        found = [(label, residual) for label, residual in left if residual is not None]
        worst, where = -1.0, ""
        for label, residual in found:
            if not residual <= worst:
                worst, where = residual, label
        tolerance = identity.factor * limit_in_u(bench.setting.tree.depth)
        if found:
            results.append(IdentityResult(identity.name, evaluator, len(found), worst, where, tolerance))
    return tuple(results)


def _states(bench: Bench, nominal: Mapping[str, float], states: int, seed: int) -> list[tuple[str, Values]]:
    import numpy as np

    nv, nq = bench.nv, bench.setting.tree.nq
    sizes = {"q": nq, "v": nv, "a": nv, "jerk": nv, "tau": nv, "u": nv}
    arguments = [
        Argument(name, (size,), (tuple(str(row) for row in range(size)),), ("",), "") for name, size in sizes.items()
    ]
    others = {item.name: item for signature in bench.signatures.values() for item in signature.inputs}
    arguments += [others[name] for name in ("f_ext", "weights") if name in others]
    given = {"p": np.array([nominal.get(name, 1.0) for name in bench.setting.parameter_names])} if "p" in others else {}
    drawn = verification_states(bench.setting.tree, arguments, {}, states, seed, bench.dtype)[-states:]
    return [
        (state.label, {**{name: np.array(values) for name, values in state.inputs.items()}, **given}) for state in drawn
    ]
