"""The rate of joint forces taken apart, in closed form (Ali et al. 2026, proposition 1).

    tau' = M v'' + hbar' + g' + tau_ext',    hbar' = M' v' + h'

Forces are a sum of what motion causes, of weight and of what wrenches cause, each of which is a recursion of its own on
time series of order 1: motion without gravity, with v'' = 0; weight at rest; wrenches at rest without weight. Losses
and springs are forces of motion, and their rates are part of hbar'.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.equations.free_base_series import FreeBases
from symdyn.dynamics.equations.inverse_orders import along_motion, inverse_dynamics_time_derivatives_plan
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.kinematics.series_coordinates import output_sweeps, scalar_sweep
from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.contracted_view import of_whole_robot
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model, without_springs
from symdyn.plan.compose import kept_apart, vanishing
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep

_ORDER = 1
_ROWS = 3
"""Rows of the trajectory: v, v' and v'' = 0."""


def without_jerk(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v: v, v' and v'' = 0."""
    return {"V": [*reads["v"], *reads["a"], 0.0]}


def force_rate(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v: the rate of a force as an output."""
    return {"rate": reads["force"]}


_TRAJECTORY = Step("without_jerk", without_jerk, (Port("v", Mode.READ), Port("a", Mode.READ), Port("V", Mode.WRITE)))
_RATE = Step("force_rate", force_rate, (Port("force", Mode.READ), Port("rate", Mode.WRITE)))


def inverse_dynamics_rate_terms_plan(model: Model, external: str = "") -> Plan:
    """The plan of M (nv, nv), hbar_dot (nv), g_dot (nv), and tau_ext_dot (nv) where wrenches act, from q, v and a.

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext and their rates, (2, nbodies, 6): body, world, or empty.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest.
    """
    nv, weightless = model.nv, replace(model, gravity=(0.0, 0.0, 0.0))
    moved = inverse_dynamics_time_derivatives_plan(weightless, _ORDER)
    parts = {
        "hbar_dot": vanishing(moved.fields, moved.sweeps, ("ground",)),
        "g_dot": _at_rest(_bare(model), ()),
    }
    if external:
        parts["tau_ext_dot"] = _at_rest(_bare(weightless), ("ground",), external)
    inertia = of_whole_robot(mass_matrix_plan(model), model)

    made = [Field("v", FieldKind.INPUT, nv), Field("a", FieldKind.INPUT, nv), Field("V", FieldKind.STATE, nv, _ROWS)]
    made += inertia.fields
    trajectory = ((Access("v", row, 1), Access("a", row, 1), Access("V", row, _ROWS, nv)) for row in range(nv))
    sweeps = [scalar_sweep(_TRAJECTORY, None, repeat(-1), trajectory), *inertia.sweeps]
    for name, (own, work) in parts.items():
        forces = f"{name}_forces"
        found, done = kept_apart(own, work, name, (), {"V": "V", "tau": forces})
        rates = [(Access(forces, _ORDER * nv + row, 1), Access(name, row, 1)) for row in range(nv)]
        made += [*found, Field(forces, FieldKind.STATE, nv, _ORDER + 1), Field(name, FieldKind.OUTPUT, nv)]
        sweeps += [*done, scalar_sweep(_RATE, None, repeat(-1), rates)]
    fields = tuple({field.name: field for field in made}.values())  # q and p belong to all
    return Plan("inverse_dynamics_rate_terms", fields, tuple(sweeps), inertia.bodies, inertia.parent)


def _bare(model: Model) -> Model:
    """The robot without losses, rotors and springs."""
    return replace(without_springs(model), joint_losses=False)


def _at_rest(model: Model, zero: Collection[str], external: str = "") -> tuple[Sequence[Field], Sequence[Sweep]]:
    """Forces of inverse dynamics at v = 0 and a = 0, and their rates as q moves; ``zero`` names what else vanishes."""
    tree = TreePlan(model, external)
    plain = inverse_dynamics_plan(model, external, tree)
    sweeps, rates = tree.rods.at_rest(plain.sweeps)
    fields, sweeps = vanishing(plain.fields, sweeps, {"v", "a", *rates, *zero})
    still = replace(plain, fields=tuple(fields), sweeps=tuple(sweeps))
    forces = output_sweeps("tau", model.velocity_bodies, _ORDER + 1)
    lifted = along_motion(FreeBases(tree, ()), still, _ORDER, [forces], still=True)
    return lifted.fields, lifted.sweeps
