"""Places in the workspace of an optimal-control solver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symdyn.interface.optimal_control import CURVED, ControlSettings, ImplicitKind
from symdyn.interface.signature import Argument, Signature

_DERIVATIVES = ("l", "l_q", "l_v", "l_u", "l_qq", "l_qv", "l_vv", "l_uu", "l_qu", "l_vu", "l_b", "l_bb", "l_ub")


def cost_places(signature: Signature, curved: Iterable[Argument] = ()) -> dict[str, Any]:
    """Where derivatives of a node's cost begin, None of those that it has not, and their ``size`` in all.

    ``curved`` are second derivatives of its step, which are added to those of the cost.
    """
    found: dict[str, Any] = dict.fromkeys(_DERIVATIVES)
    size = 0
    for name, own in ((item.name, item.size) for item in signature.outputs):
        found[name], size = size, size + own
    for item in curved:
        if found[CURVED[item.name]] is None:
            found[CURVED[item.name]], size = size, size + item.size
    return {**found, "size": size}


def workspace(
    settings: ControlSettings,
    sizes: tuple[int, int, int],
    stage: int,
    given: Mapping[str, int],
    called: int,
    bend: int = 0,
) -> tuple[list[tuple[str, int]], int]:
    """Names and first scalars of the parts, and the size of all; ``sizes`` are rows of q, v and u.

    ``stage``, ``given`` and ``bend`` are scalars of a node's cost, of what is given, and of second derivatives of a
    step.
    """
    nq, nv, nu = sizes
    rated, rates = settings.rated, nu if settings.rated else 0
    nodes, state, moves = settings.nodes, nq + nv, 2 * nv + rates
    rows = moves if settings.theta is None else nv
    sides = len(settings.sides)
    parts = {
        "memory": 11,
        "measured": state,
        **given,
        "x": state * (nodes + 1),
        **({"before": nu} if rated else {}),
        "u": nu * nodes,
        "gains": nu * moves * nodes,
        **_implicit(settings, nv, nu),
        "x_tried": state * (nodes + 1),
        **({"before_tried": nu} if rated else {}),
        "u_tried": nu * nodes,
        "gap": moves * (nodes + 1),
        "A": rows * moves * nodes,
        "B": rows * nu * nodes,
        "cost": stage * (nodes + 1),
        **({"multipliers": moves * (nodes + 1), "weights": nv, "bend": bend * nodes} if settings.curvature else {}),
        "K": nu * moves * nodes,
        "k": nu * nodes,
        "dx": moves * (nodes + 1),
        "du": nu * nodes,
        **(dict.fromkeys(("s", "z", "s_move", "z_move", "pull_s", "sigma_s"), sides * nodes) if sides else {}),
        **({"du_new": nu * nodes, "L": nu * nu * nodes, "qu": nu} if sides else {}),
        **({"pull_u": nu * nodes, "sigma_u": nu * nodes} if settings.inputs else {}),
        **({"pull_r": nu * nodes, "sigma_r": nu * nodes} if settings.rates else {}),
        **({"pull_x": moves * nodes, "sigma_x": moves * nodes} if settings.states else {}),
        "P": moves * moves,
        "p": moves,
        "Q": moves * moves,
        "qx": moves,
        "Quu": nu * nu,
        **({} if settings.theta is None else {"G": nv * nv, "S": nv * nv, "Z": nv * moves}),
        **({"slopes": 2 * nv * rows} if rated and settings.implicit is not ImplicitKind.RESIDUAL else {}),
        **({"C": nu * nv, "CB": nu * nu} if rated and settings.theta is not None else {}),
        "W": rows * moves,
        "WB": rows * nu,
        "r": moves,
        "pull": nv,
        "ahead": state,
        **(_in_lanes(nodes, nq, nv, given) if settings.lanes else {}),
        "move": moves,
        "rest": called,
    }
    places, at = [], 0
    for name, size in parts.items():
        places.append((name, at))
        at += size
    return places, at


def _in_lanes(nodes: int, nq: int, nv: int, given: Mapping[str, int]) -> dict[str, int]:
    """Places of states, of what is given at each node, and of results, one array for all nodes."""
    sizes = {"q": nq, "v": nv, "h": 1, "q_next": nq, "v_next": nv, "l": 1, **given}
    return {f"lanes_{name}": size * nodes for name, size in sizes.items()}


def _implicit(settings: ControlSettings, nv: int, nu: int) -> dict[str, int]:
    """Places of implicit steps: accelerations of nodes, the factors of their Newton matrices, and parts of one."""
    nodes = settings.nodes
    if settings.implicit is None:
        return {}
    found = {"a": nv * nodes, "a_tried": nv * nodes, "left": nv}
    if settings.implicit is ImplicitKind.RESIDUAL:
        found |= {"newton": nv * nv * nodes, "order": nv * nodes, "stage": 2 * nv}
        found |= {f"by_{x}": nv * nv for x in "qva"} | {"by_u": nv * nu}
    return found
