"""The robots of the rails: five made of numbers or text here, the others shipped with symdyn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import symdyn
from symdyn.description.checks.check import check
from symdyn.description.control.costs import FramePose, InputCost, StateCost
from symdyn.description.control.problem import OptimalControlProblem
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Mimic, Placement, RobotDescription
from symdyn.robot.robot import Robot

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
LEG = (X, Y, Y)
LONG_LEG = (Z, X, Y, Y, Y, X)
ARM = (Y, X, Z, Y, Z, Y, X)
ROD = """
    soft:
      length: 0.3
      axis: [0, 0, 1]
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000, viscosity: 1e3}
      strain: {curvature_y: 1, curvature_z: 0}
      stations: 3"""
SOFT_PAIR = f"""format: 1
name: soft_pair
links:
  ground:
  left:{ROD}
  right:{ROD}
joints:
  slide: {{type: prismatic, parent: ground, child: left, axis: [1, 0, 0]}}
  turn: {{type: continuous, parent: ground, child: right, translation: [0.1, 0, 0], axis: [0, 1, 0]}}
loops:
  tips: {{between: [left.tip, right.tip], kind: spherical, close: true}}
actuators: [slide, turn]
"""
"""Two rods whose tips are joined: a robot with rods, loops and actuators in one."""
FLOOR = "obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}}}"
BALL = f"""format: 1
name: ball
floating_base: true
links: {{ball: {{mass: 1, inertia: {{xx: 4e-3, yy: 4e-3, zz: 4e-3}}, collision: {{skin: {{sphere: 0.1}}}}}}}}
{FLOOR}
contacts: {{ground: {{of: ball.skin, with: floor, friction: 0.5, restitution: 0.3}}}}
"""
HOPPER = f"""format: 1
name: hopper
floating_base: true
links:
  body: {{mass: 2, inertia: {{xx: 0.02, yy: 0.02, zz: 0.03}}, collision: {{box: {{box: [0.2, 0.1, 0.1]}}}}}}
  leg:
    mass: 0.3
    com: [0, 0, -0.1]
    inertia: {{xx: 1e-3, yy: 1e-3, zz: 1e-4}}
    collision: {{foot: {{sphere: 0.02, at: [0, 0, -0.2]}}}}
joints:
  hip: {{type: revolute, parent: body, child: leg, axis: [0, 1, 0], limits: {{lower: -1, upper: 1}}}}
{FLOOR}
contacts:
  feet: {{of: leg.foot, with: floor, friction: 0.8}}
  trunk: {{of: body.box, with: floor, friction: 0.4}}
limits: {{rigid: true}}
"""
"""A sphere, and a free body with a leg that stops at its limits, on a floor."""
GRASP = Path(__file__).resolve().parents[2] / "examples" / "ground" / "gripper.yaml"


def robots() -> dict[str, Callable[[], Robot]]:
    """How to make each robot, by name."""
    return {
        "seven_dof_arm": lambda: symdyn.load_example("seven_dof_arm"),
        "hand": _hand,
        "quadruped": _quadruped,
        "humanoid": _humanoid,
        "gripper": _gripper,
        "elastic_arm": lambda: symdyn.load_example("elastic_arm"),
        "canadarm": lambda: symdyn.load_example("canadarm"),
        "mixed_arm": lambda: symdyn.load_example("mixed_arm"),
        "parametric_arm": lambda: symdyn.load_example("seven_dof_arm", runtime=["hand.mass", "link_3.com.x"]),
        "five_bar": lambda: symdyn.load_example("five_bar"),
        "parametric_five_bar": lambda: symdyn.load_example("five_bar", runtime=["fore_mass", "left_upper.mass"]),
        "slider_crank": lambda: symdyn.load_example("slider_crank"),
        "standing_quadruped": lambda: symdyn.load_example("quadruped"),
        "stewart_platform": lambda: symdyn.load_example("stewart_platform"),
        "tentacle": lambda: symdyn.load_example("gaussian_tentacle"),
        "cable_manipulator": lambda: symdyn.load_example("cable_manipulator"),
        "soft_pair": lambda: symdyn.loads(SOFT_PAIR, "yaml"),
        "reaching_pendulum": lambda: _reaching(symdyn.load_example("double_pendulum")),
        "reaching_elastic": lambda: _reaching(symdyn.load_example("elastic_arm")),
        "reaching_gripper": lambda: _reaching(_gripper()),
        "ball": lambda: symdyn.loads(BALL, "yaml"),
        "hopper": lambda: symdyn.loads(HOPPER, "yaml"),
        "grasp": lambda: symdyn.load(GRASP),
    }


def _hand() -> Robot:
    """A fixed palm with four fingers of four joints."""
    fingers = [_limb(f"finger{k}", "palm", (0.03 * k, 0.01, 0.09), (Z, Y, Y, Y), 0.05, 0.08) for k in range(4)]
    return _robot("hand", "palm", fingers, floating=False)


def _quadruped() -> Robot:
    """A free trunk with four legs of three joints."""
    corners = [(x, y) for x in (0.2, -0.2) for y in (0.15, -0.15)]
    legs = [_limb(f"leg{k}", "trunk", (x, y, 0.0), LEG, 0.25, 1.1) for k, (x, y) in enumerate(corners)]
    return _robot("quadruped", "trunk", legs, floating=True)


def _humanoid() -> Robot:
    """A free pelvis with two legs of six joints, a waist of two, and on it two arms of seven and a head of two."""
    limbs = [_limb(f"leg{k}", "pelvis", (0.0, y, -0.05), LONG_LEG, 0.2, 2.3) for k, y in enumerate((0.09, -0.09))]
    limbs.append(_limb("waist", "pelvis", (0.0, 0.0, 0.1), (Z, Y), 0.1, 7.0))
    limbs += [_limb(f"arm{k}", "waist2", (0.0, y, 0.3), ARM, 0.12, 1.2) for k, y in enumerate((0.2, -0.2))]
    limbs.append(_limb("head", "waist2", (0.0, 0.0, 0.4), (Z, Y), 0.08, 0.9))
    return _robot("humanoid", "pelvis", limbs, floating=True)


def _gripper() -> Robot:
    """Three joints and a hand whose second finger, and both tips, follow the first finger."""
    wrist = list(_limb("wrist", "base", (0.0, 0.0, 0.1), (Z, Y, X), 0.15, 0.9))
    first = list(_limb("left", "wrist3", (0.0, 0.04, 0.1), (X, X), 0.05, 0.1))
    second = list(_limb("right", "wrist3", (0.0, -0.04, 0.1), (X, X), 0.05, 0.1))
    follow = {"left2": 0.6, "right1": -1.0, "right2": -0.6}
    limbs = [
        [(link, _following(joint, follow.get(link.name))) for link, joint in limb] for limb in (wrist, first, second)
    ]
    return _robot("gripper", "base", limbs, floating=False)


def _following(joint: Joint, multiplier: float | None) -> Joint:
    return joint if multiplier is None else replace(joint, mimic=Mimic("to_left1", multiplier, 0.05))


def _limb(
    name: str, parent: str, start: Sequence[float], axes: Sequence[Sequence[float]], length: float, mass: float
) -> Iterator[tuple[Link, Joint]]:
    """Links ``name1``, ``name2``, .. with the joints that carry them; masses fall by a tenth from one to the next."""
    place = tuple(start)
    for number, axis in enumerate(axes, 1):
        m = mass * 0.9**number
        moments = (0.02 * m, 0.001 * m, -0.0005 * m, 0.018 * m, 0.0008 * m, 0.006 * m)
        inertial = Inertial(m, moments, Placement((0.01, 0.3 * length, -0.4 * length)))
        link = Link(f"{name}{number}", inertial)
        yield (
            link,
            Joint(f"to_{link.name}", JointKind.REVOLUTE, parent, link.name, Placement(place), axis=tuple(axis)),  # type: ignore[arg-type]
        )
        parent, place = link.name, (0.0, 0.1 * length, -length)


def _robot(name: str, root: str, limbs: Iterable[Iterable[tuple[Link, Joint]]], floating: bool) -> Robot:
    pairs = [pair for limb in limbs for pair in limb]
    body = Link(root, Inertial(6.0, (0.09, 0.001, 0.002, 0.08, -0.001, 0.07), Placement((0.01, 0.0, 0.02))))
    links, joints = zip(*pairs, strict=True)
    description = RobotDescription(name, (body, *links), tuple(joints), floating_base=floating, source=name)
    return symdyn.from_description(check(description))


def _reaching(robot: Robot) -> Robot:
    """The robot with costs of its last frame's pose, of the state and of inputs."""
    tip = FramePose(robot.frame_names[-1], weight="input", end=10.0)
    state = StateCost(q="input", v=0.0, weights={"q": 0.5, "v": 0.25}, end={"q": 2.0, "v": 1.0})
    return robot.with_control(OptimalControlProblem([tip, state, InputCost(weight=0.125)]))
