"""How large entries of a robot's regressor would be if nothing cancelled, for decisions about its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symdyn.dynamics.tree.rounded_plans import rounded_outputs
from symdyn.functions.catalogue import requests
from symdyn.model.model import Model


def regressor_sizes(model: Model) -> Callable[[Mapping[str, list[float]]], list[float]]:
    """What gives them, row-major, from inputs q, v, a and p by name."""
    ((entry, request),) = requests(model, ["inverse_dynamics_regressor"])
    plan = entry.plan(model, request)
    return lambda inputs: [x.size for x in rounded_outputs(plan, inputs)["Y"]]
