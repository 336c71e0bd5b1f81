"""Closed loops against Pinocchio's constrained dynamics, and against MuJoCo's equality constraints.

MuJoCo's are soft. With R, its regularisation of each row, its constraint forces f solve (S + R) f = a_ref - J a_free.
J' v is left out there, so that states at rest compare: J is A in other axes, and f follows from our M and forward
dynamics once R is known. As R goes to nothing, accelerations go to ours.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from support.mujoco_models import model_text, numbers, with_inertias
from support.pinocchio.trees import description_peer
from support.pinocchio.twins import Array, relative
from support.robots.looped import COUPLER, ROCKER, four_bar, four_bar_closed, standing
from support.soft_calls import call

from symdyn import api
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

SOLVED, SOLVED_PARTIALS = 1e-10, 1e-9
"""What comes of M^-1 and S^-1 takes their condition numbers on top of rounding."""


def _held(peer: Any, link: str, point: tuple[float, ...], other: str = "", at: tuple[float, ...] = ()) -> Any:
    """A point of a link that is held to one of another, or to the world."""
    own, inside = _placed(peer, link)
    first = inside * pin.SE3(np.eye(3), np.array(point))
    if not other:
        return pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, peer.model, own, first, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
    joint, place = _placed(peer, other)
    second = place * pin.SE3(np.eye(3), np.array(at))
    return pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, peer.model, own, first, joint, second, pin.ReferenceFrame.LOCAL
    )


def _placed(peer: Any, link: str) -> tuple[int, Any]:
    frame = peer.model.frames[peer.model.getFrameId(link)]
    return frame.parentJoint, frame.placement


def _constrained(peer: Any, held: list[Any], at: dict[str, Array], settings: Any) -> tuple[Array, Array, list[Array]]:
    """Accelerations, multipliers, and the derivatives of both by q, v and tau, in symdyn's order of v."""
    model, data = peer.model, peer.model.createData()
    q, v, tau = peer.spread(at["q"]), peer.expansion @ at["v"], peer.expansion @ at["tau"]
    models, kept = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.extend(held)
    kept.extend([own.createData() for own in held])
    pin.initConstraintDynamics(model, data, models, kept)
    a = peer.expansion.T @ pin.constraintDynamics(model, data, q, v, tau, models, kept, settings)
    multipliers = np.array(data.lambda_c)
    pin.computeConstraintDynamicsDerivatives(model, data, models, kept, settings)
    G = peer.expansion
    by_state = [G.T @ each @ G for each in (data.ddq_dq, data.ddq_dv, data.ddq_dtau)]
    return a, multipliers, by_state + [each @ G for each in (data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau)]


def test_a_quadruped_on_four_feet_in_pinocchio() -> None:
    """Points that are held to the world: accelerations, forces in the world's axes, and all their derivatives."""
    peer = description_peer(standing(4))
    held = [
        _held(peer, loop.constraint.between[0].link, loop.constraint.between[0].point)
        for loop in peer.robot.model.loops
    ]
    rng = np.random.default_rng(0)
    for q, v, _ in zip(*peer.states(6), strict=True):
        at = {"q": q, "v": v, "tau": rng.uniform(-5.0, 5.0, peer.robot.nv)}
        a, multipliers, derivatives = _constrained(peer, held, at, pin.ProximalSettings(1e-14, 0.0, 1))
        found = call(peer.robot, "constrained_forward_dynamics", **at)
        assert relative(found[0], a) < SOLVED
        assert relative(found[1], multipliers) < SOLVED
        ours = call(peer.robot, "constrained_forward_dynamics_partials", **at)
        for own, other in zip(ours, derivatives, strict=True):
            assert relative(own.reshape(other.shape), other) < SOLVED_PARTIALS


def test_a_four_bar_in_pinocchio() -> None:
    """Two links that meet: Pinocchio has a third row, across the plane, which its proximal steps pass over."""
    peer = description_peer(four_bar())
    held = [_held(peer, "coupler", (COUPLER, 0.0, 0.0), "rocker", (ROCKER, 0.0, 0.0))]
    rng = np.random.default_rng(1)
    for crank in rng.uniform(-3.0, 3.0, 10):
        at = _moving(peer.robot, crank, rng)
        a, _, _ = _constrained(peer, held, at, pin.ProximalSettings(1e-14, 1e-6, 50))
        assert relative(call(peer.robot, "constrained_forward_dynamics", **at)[0], a) < 1e-8


def _moving(robot: Robot, crank: float, rng: np.random.Generator) -> dict[str, Array]:
    q = four_bar_closed(crank)
    slopes = call(robot, "constraint_jacobian", q=q)[0].reshape(-1, robot.nv)
    v = np.linalg.svd(slopes)[2][-1] * rng.uniform(0.5, 2.0)
    return {"q": q, "v": v, "tau": rng.uniform(-2.0, 2.0, robot.nv)}


@pytest.mark.parametrize("width", [0.9, 0.9999])
def test_a_four_bar_in_mujoco(width: float) -> None:
    """An equality of two points, at rest where it is closed; ``width`` is solimp's, which tells R."""
    description = four_bar()
    robot = api.from_description(description)
    text = _with_pin(model_text(description), width)
    model = with_inertias(mujoco.MjModel.from_xml_string(text), description)
    model.opt.tolerance, model.opt.iterations = 0.0, 200
    data = mujoco.MjData(model)
    rows = [model.joint(name).qposadr[0] for name in robot.velocity_names]
    rng = np.random.default_rng(2)
    for crank in rng.uniform(-3.0, 3.0, 5):
        q, tau = four_bar_closed(crank), rng.uniform(-2.0, 2.0, robot.nv)
        data.qpos[rows], data.qvel[:], data.qfrc_applied[rows] = q, 0.0, tau
        mujoco.mj_forward(model, data)
        J = data.efc_J.reshape(data.nefc, model.nv)[:, rows]
        A = call(robot, "constraint_jacobian", q=q)[0].reshape(-1, robot.nv)
        assert np.allclose(J.T @ J, A.T @ A, atol=1e-12), "the same two directions, in other axes; the third is zero"
        (M,), (free,) = call(robot, "mass_matrix", q=q), call(robot, "forward_dynamics", q=q, v=0 * q, tau=tau)
        inverse = np.linalg.inv(M.reshape(A.shape[1], -1))
        S = J @ inverse @ J.T + np.diag(data.efc_R)
        force = np.linalg.solve(S, data.efc_aref - J @ free)
        assert relative(data.qacc[rows], free + inverse @ J.T @ force) < 1e-9
        rigid = call(robot, "constrained_forward_dynamics", q=q, v=0 * q, tau=tau)[0]
        assert relative(data.qacc[rows], rigid) < 3.0 * (1.0 - width) / width


def _with_pin(text: str, width: float) -> str:
    """The tree's file with constraints, and one that holds two sites."""
    place = {"coupler": (COUPLER, 0.0, 0.0), "rocker": (ROCKER, 0.0, 0.0)}
    for link, point in place.items():
        head = f'<body name="link {link}"'
        start = text.index(">", text.index(head)) + 1
        text = text[:start] + f'<site name="{link}" pos="{numbers(point)}"/>' + text[start:]
    soft = f'solref="0.02 1" solimp="{width} {width} 0.001"'
    pinned = f'<equality><connect site1="coupler" site2="rocker" {soft}/></equality>'
    return text.replace('constraint="disable" ', "").replace("</mujoco>", f"{pinned}</mujoco>")
