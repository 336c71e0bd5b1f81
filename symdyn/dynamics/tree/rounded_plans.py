"""Plans run on floats that know their rounding errors: values, and how large they would be if nothing cancelled.

A decision about rank or zero is made by these sizes. Constants of a plan have been computed, too. An entry of a
rotation that is neither 0 nor +-1 has the error of a unit vector, and an entry of an offset that of its length.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.rounded import Rounded, RoundedAlgebra
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, OTHER_AXES, OTHER_OFFSET
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.plan.plan import Constant, Plan, Visit
from symdyn.plan.run import run_plan

_TURNS = frozenset((*ROTATION, *AXES, *OTHER_AXES))
_OFFSETS = (TRANSLATION, OFFSET, OTHER_OFFSET)
_EXACT = (-1.0, 0.0, 1.0)


def rounded_outputs(plan: Plan, inputs: Mapping[str, Sequence[float]]) -> dict[str, list[Rounded]]:
    """What a plan gives, with errors.

    Parameters
    ----------
    plan
        What to run.
    inputs
        Flat numbers per input field, which count as rounded once; inputs that the plan does not ask for may be there.

    Returns
    -------
    Flat numbers per output field.

    Raises
    ------
    ZeroDivisionError, ValueError
        As from the same plan over floats.
    """
    algebra, names = RoundedAlgebra(), {field.name for field in plan.fields}
    given = {name: [algebra.constant(x) for x in values] for name, values in inputs.items() if name in names}
    sweeps = tuple(replace(sweep, visits=tuple(map(_with_errors, sweep.visits))) for sweep in plan.sweeps)
    found = run_plan(replace(plan, sweeps=sweeps), algebra, given)
    return {
        name: [x if isinstance(x, Rounded) else algebra.constant(x) for x in values] for name, values in found.items()
    }


def _with_errors(visit: Visit) -> Visit:
    """The visit with errors in its constants; zeros stay plain."""
    known = {name: value for name, value in visit.constants.items() if isinstance(value, float) and value}
    errors = {name: float(value not in _EXACT) for name, value in known.items() if name in _TURNS}
    for names in _OFFSETS:
        length = math.hypot(*(known.get(name, 0.0) for name in names))
        errors |= {name: length for name in names if name in known}
    constants: dict[str, Constant | Rounded] = dict(visit.constants)
    constants |= {name: Rounded(value, errors.get(name, abs(value))) for name, value in known.items()}
    return replace(visit, constants=constants)  # type: ignore[arg-type]
