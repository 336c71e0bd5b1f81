"""A rollout as a function of CasADi: external C, with the adjoint rollout in reverse and matrices of steps forward.

CasADi differentiates by rows of q, and the C by moves along rows of v. So the C takes a move z of the first state and
gives moves w of all states, which are zero here and carry the derivatives: z = E(q) (q - q'), q_k = q'_k + N(q'_k) w_k,
where a prime marks what is not differentiated.
"""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.casadi_rollout import emit_rollout, rollout_name
from symdyn.errors import RequestError
from symdyn.interface.contact_calls import STEP as CONTACT_STEP
from symdyn.interface.rollout_calls import GRADIENT, RolloutRows
from symdyn.interface.rollouts import ONE_STEP, ROLLOUT
from symdyn.interface.stepping import CONTACTS
from symdyn.toolchain.casadi_externals import opened
from symdyn.toolchain.frameworks.casadi_rows import of_row_changes, of_rows
from symdyn.toolchain.frameworks.casadi_steps import checked_casadi
from symdyn.toolchain.frameworks.moves import moves_apart
from symdyn.toolchain.frameworks.offered import Relatives
from symdyn.toolchain.frameworks.step_rules import MATRICES, STEP
from symdyn.toolchain.maker import CompiledFunctions
from symdyn.toolchain.steppers import addresses_apart


def rollout_over_casadi(module: CompiledFunctions, n: int = 0, h: float = 0.0, **options: Any) -> Any:
    """The rollout of n steps of length h as a ``casadi.Function``; see :meth:`symdyn.toolchain.module.Module.casadi`.

    Raises
    ------
    RequestError
        No number or length of steps, numbers of another type than float64, or CasADi is not installed.
    """
    ca = checked_casadi(module, ROLLOUT, h)
    if type(n) is not int or n < 1:
        raise RequestError(f"{ROLLOUT} for CasADi: n is the number of steps, 1 or more, got {n!r}")
    return _rolled(ca, module, n, float(h), options)


def _rolled(ca: Any, module: CompiledFunctions, n: int, h: float, options: dict[str, Any]) -> Any:
    """The graph of a rollout of n steps, around external C."""
    manifest, own = module.manifest, RolloutRows.of(module.manifest)
    relatives, contacts = Relatives(module), manifest.asked["rollout"] == CONTACTS
    rows = relatives.rows(CONTACT_STEP if contacts else STEP)
    apart = addresses_apart(str(module.path), manifest)
    places = [apart[name][0] for name in (ROLLOUT, GRADIENT)]
    matrices = None if contacts else relatives.entry(MATRICES)
    if matrices is not None:
        places.append(relatives.holder(MATRICES).addresses()[MATRICES][0])
    path = opened(module, emit_rollout(manifest, n, h, matrices), places)
    external = ca.external(rollout_name(manifest, n), path, options)
    nq, nv = own.q.size, own.v.size
    q, v, u = ca.MX.sym("q", nq), ca.MX.sym("v", nv), ca.MX.sym(own.driving.name, own.driving.size, n)
    given = [ca.MX.sym(item.name, item.size) for item in own.given]
    kept = ca.MX.sym("kept", nq)
    still = ca.Function("still", [kept], [kept], {"is_diff_in": [False], "never_inline": True})
    first = still(of_rows(ca, rows, nv, "unit", q))
    z = ca.mtimes(of_rows(ca, rows, nv, "moves", still(q)), q - still(q))
    states, w, velocities, X, code = external(first, z, v, u, *given)
    if moves_apart(rows):
        at, move = ca.MX.sym("at", nq), ca.MX.sym("move", nv)
        turned = ca.mtimes(of_row_changes(ca, rows, nq, nv, "rates")(at), move)
        w = ca.Function("turned", [at, move], [turned]).map(n + 1)(states, w)
    outputs = [states + w, velocities, X[nq + nv :, :], code]
    names = ["q", "v", own.driving.name, *(item.name for item in own.given)]
    return ca.Function(ROLLOUT, [q, v, u, *given], outputs, names, ["q_all", "v_all", "memory", "code"])


def one_step_over_casadi(module: CompiledFunctions, h: float = 0.0, **options: Any) -> Any:
    """A step of length h as a ``casadi.Function``: a rollout of one, whose reverse mode is ``step_adjoint``.

    See :meth:`symdyn.toolchain.module.Module.casadi`.

    Raises
    ------
    RequestError
        As for :func:`rollout_over_casadi`.
    """
    ca = checked_casadi(module, ONE_STEP, h)
    rolled = _rolled(ca, module, 1, float(h), options)
    names = rolled.name_in()
    given = [rolled.mx_in(place) for place in range(len(names))]
    q, v, memory, code = rolled(*given)
    outputs = {"q_next": q[:, 1], "v_next": v[:, 1], "memory": memory[:, 0], "code": code}
    return ca.Function(ONE_STEP, given, list(outputs.values()), names, list(outputs))
