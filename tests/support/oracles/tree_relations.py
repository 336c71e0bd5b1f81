"""What must hold between truths on a tree of links of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp

from support.oracles.exact_results import matrix, values
from symdyn.verify.base.dense import matrix_times
from symdyn.verify.base.matrices import add, rate, rotation_rate
from symdyn.verify.oracle.motion import robot_motion
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tangent import central_difference, moved


def christoffels(setting: Setting, inputs: dict[str, list]) -> list[Any]:
    """Christoffel's Coriolis matrix from slopes of the mass matrix, row by row; rows of v are rates of coordinates."""
    nv, slopes = setting.tree.nv, []
    for row in range(nv):
        direction = [mp.mpf(row == other) for other in range(nv)]
        slopes.append(
            central_difference(
                lambda h, d=direction: values(  # type: ignore[misc]
                    "mass_matrix", setting, {"q": moved(setting, inputs["q"], d, h)}
                )
            )
        )

    def symbol(i: int, j: int, k: int) -> Any:
        return (slopes[k][i * nv + j] + slopes[j][i * nv + k] - slopes[i][j * nv + k]) / 2

    return [sum(symbol(i, j, k) * inputs["v"][k] for k in range(nv)) for i in range(nv) for j in range(nv)]


def energies_along(setting: Setting, inputs: dict[str, list]) -> Callable[[Any], list]:
    """Energies a short time later."""

    def energies(h: Any) -> list:
        v = inputs["v"]
        q = moved(setting, inputs["q"], v, h)
        later = {**inputs, "q": q, "v": [x + h * y for x, y in zip(v, inputs["a"], strict=True)]}
        return values("kinetic_energy", setting, later) + values("potential_energy", setting, later)

    return energies


def check_frames(setting: Setting, inputs: dict[str, list], names: Sequence[str], agree: Callable[..., None]) -> None:
    """Frames of links, of all but two, are where they move, and follow their Jacobians."""
    nv = setting.tree.nv
    q, v, a = (inputs[name] for name in ("q", "v", "a"))
    motion = robot_motion(setting.description, setting.tree, setting.quantities(inputs), q, v, a, setting.spatial)
    J, J_rate = (matrix(name, setting, inputs, nv) for name in ("jacobians", "jacobians_time_derivative"))
    X = values("forward_kinematics", setting, inputs)
    assert len(J) == 6 * (len(names) + 2) and len(X) == 16 * (len(names) + 2)
    for index, name in enumerate(names):
        moving = motion.links[name]
        pose = X[16 * index : 16 * index + 16]
        agree(pose[3:12:4], moving.origin[0], 1e-40)
        turned = [pose[4 * row + column] for row in range(3) for column in range(3)]
        agree(turned, [x for row in moving.rotation[0] for x in row], 1e-40)
        speed, turning = rate(moving.origin), rotation_rate(moving.rotation)
        rows, rates = J[6 * index : 6 * index + 6], J_rate[6 * index : 6 * index + 6]
        agree(matrix_times(rows, v), [*speed[0], *turning[0]])
        agree(add(matrix_times(rows, a), matrix_times(rates, v)), [*speed[1], *turning[1]])
