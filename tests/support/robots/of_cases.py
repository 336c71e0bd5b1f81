"""The robots of the tables in ``tests/cases``, by name; small, so that a truth to fifty digits is soon computed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from support.robots.acted import ACTED, acted
from support.robots.controlled import at_run_time, constant, exactly, of_quantities
from support.robots.driven import SMALL
from support.robots.flexible_examples import clamped, planar, spatial
from support.robots.geared import GEARED, LENGTHENED, VARIED
from support.robots.loop_chains import KINDS, chain_text
from support.robots.looped import five_bar, four_bar, standing
from support.robots.mapped_bodies import bag, growing_segment, membrane, on_a_joint
from support.robots.parallelogram import parallelogram
from support.robots.random_acting import acted_upon
from support.robots.rolling import DISC, MIXED, SLEIGH
from support.robots.sections import breathing, carried, driven, hose, pulled, thin_hose, thinning, touching
from support.robots.soft_looped import bent_rod, parallel_rods
from support.robots.soft_trees import soft_arm
from support.robots.sprung import sprung
from support.robots.table import TREES, with_losses
from support.robots.touching import PAIRS
from symdyn import api
from symdyn.description.loops import Coupling
from symdyn.description.robot import Losses, RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import SymdynWarning
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

FOOT = """
name: foot
parameters: {mu: {value: 0.5, runtime: true}}
links:
  base:
  leg: {mass: 1, com: [0.1, 0, 0.05], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  toe: {mass: 0.2, com: [0, 0.1, 0], inertia: {xx: 0.01, yy: 0.012, zz: 0.01}, collision: {ball: {sphere: 0.03}}}
joints:
  slide: {type: prismatic, parent: base, child: leg, axis: [0, 0.6, 0.8], limits: {lower: -1, upper: 1}}
  turn: {type: spherical, parent: leg, child: toe, translation: [0.1, 0, -0.2]}
obstacles:
  floor: {plane: {normal: [0.1, 0, 1], point: [0, 0, -0.3]}}
contacts:
  sole: {of: toe.ball, with: floor, friction: mu, restitution: 0.5}
limits: {rigid: true, restitution: 0.2}
"""
"""One rigid contact and one range."""
SKEW = (1.0, -2.0, -9.0)
"""Gravity with no zero."""


def _tree(name: str, elastic: bool = False, **options: Any) -> Robot:
    """A random tree with losses; a mass, a place, gravity and all springs between links are inputs."""
    tree = TREES[name]
    description = with_losses(tree.described(), Losses(0.3, 0.2, 0.05))
    description = sprung(description) if elastic else description
    springs = [f"{joint.name}.spring" for joint in description.joints if joint.loads]
    own = [f"{spring}.{part}" for spring in springs for part in ("stiffness", "rest")]
    moving = next(link.name for link in description.links[1:] if link.inertial is not None)
    runtime = (f"{moving}.mass", f"{moving}.com.y", "gravity.z", *own)
    return _described(description, **{"gravity": SKEW, "runtime": runtime, **tree.options, **options})


def _described(description: RobotDescription, **options: Any) -> Robot:
    return api.from_description(description, **{"joint_losses": True, **options})


def _read(text: str, **options: Any) -> Robot:
    """What a file says, and nothing else, unless told."""
    description = parse_yaml(text.encode(), "case.yaml")
    return api.from_description(description, **options) if options else robot_of(description)


def _geared_loop() -> RobotDescription:
    """A five-bar with a gear."""
    described = five_bar()
    return replace(described, acting=(*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2)))


def _acted_tree(name: str, seed: int) -> Robot:
    tree = TREES[name]
    return _described(acted_upon(with_losses(tree.described()), seed, 5), **{"gravity": SKEW, **tree.options})


def _example(name: str, **options: Any) -> Robot:
    return api.load_example(name, **options)


ROBOTS: dict[str, Callable[[], Robot]] = {
    # rigid trees, of which all joints have a kind of their own, followers, springs, rotors and losses among them
    "tree": lambda: _tree("verified tree"),
    "fork": lambda: _tree("verified fork"),
    "thrown": lambda: _tree("verified thrown"),
    "chain": lambda: _tree("verified chain"),
    "elastic chain": lambda: _tree("verified chain", elastic=True),
    "elastic tree": lambda: _tree("verified tree", elastic=True),
    "followers": lambda: _tree("followers"),
    "body twist": lambda: _tree("body twist"),
    "ball": lambda: _tree("thrown with a ball"),
    "spatial fork": lambda: _tree("spatial fork"),
    "branches": lambda: _tree("branches of one coordinate"),
    "double_pendulum": lambda: _example("double_pendulum"),
    "seven_dof_arm": lambda: _example("seven_dof_arm"),
    "elastic_arm": lambda: _example("elastic_arm"),
    # with problems of optimal control; those of trees without parameters may refer to gravity
    "steered tree": lambda: at_run_time(_tree("verified tree")),
    "steered ball": lambda: at_run_time(_tree("thrown with a ball")),
    "steered fork": lambda: constant(_described(TREES["verified fork"].described(), gravity=SKEW)),
    "steered thrown": lambda: constant(_described(TREES["verified thrown"].described(), gravity=SKEW)),
    "weighed tree": lambda: of_quantities(_tree("verified tree", elastic=True)),
    "weighed thrown": lambda: of_quantities(_described(TREES["verified thrown"].described(), gravity=SKEW)),
    "weighed beam": lambda: of_quantities(_described(planar(), gravity=SKEW)),
    "weighed rod": lambda: of_quantities(_described(soft_arm(), gravity=SKEW)),
    "curved thrown": lambda: exactly(_described(TREES["verified thrown"].described(), gravity=SKEW)),
    "curved fork": lambda: exactly(_described(TREES["verified fork"].described(), gravity=SKEW, convention="spatial")),
    "curved arm": lambda: of_quantities(_example("double_pendulum"), "exact"),
    "steered beam": lambda: constant(_described(planar(), gravity=SKEW)),
    "steered rod": lambda: constant(_described(soft_arm(), gravity=SKEW)),
    # beams
    "planar": lambda: _described(planar(), gravity=SKEW, runtime=("wheel.mass", "spin.translation.x")),
    "elastic planar": lambda: _described(sprung(planar()), gravity=SKEW, runtime=("wheel.mass",)),
    "spatial": lambda: _described(spatial(), gravity=SKEW, convention="spatial", runtime=("hand.com.y", "gravity.z")),
    "clamped": lambda: _described(clamped(), gravity=SKEW, runtime=("boom.mass", "yaw.translation.y")),
    # rods, sections and maps
    "rod": lambda: _described(soft_arm(), gravity=SKEW, runtime=("nail.mass", "gravity.z")),
    "elastic rod": lambda: _described(sprung(soft_arm()), gravity=SKEW),
    "hose": lambda: _described(
        carried(hose(), breathing()), gravity=SKEW, convention="spatial", runtime=("arm.material.youngs_modulus",)
    ),
    "thin hose": lambda: _described(carried(thin_hose(), thinning()), gravity=SKEW, convention="spatial"),
    "cone": lambda: _described(carried(breathing()), gravity=SKEW, runtime=("hand.mass", "arm.material.density")),
    "elastic cone": lambda: _described(
        carried(breathing(section_law="green_lagrange")), gravity=SKEW, runtime=("arm.material.youngs_modulus",)
    ),
    "thin": lambda: _described(carried(thinning()), gravity=SKEW, runtime=("hand.mass", "arm.material.density")),
    "touching": lambda: _described(touching(breathing()), gravity=SKEW, runtime=("floor.stiffness",)),
    "touching thin": lambda: _described(touching(thinning()), gravity=SKEW, convention="spatial"),
    "membrane": lambda: _described(on_a_joint(membrane(quadrature=(2, 2, 1))), gravity=SKEW, runtime=("hand.mass",)),
    "growing": lambda: _described(
        on_a_joint(growing_segment()), gravity=SKEW, convention="spatial", runtime=("gravity.z",)
    ),
    "bag": lambda: _described(on_a_joint(bag()), gravity=SKEW),
    # what acts from outside
    "acted": lambda: _described(acted("rigid"), runtime=ACTED["rigid"][1]),
    "acted floating": lambda: _described(
        acted("rigid"), runtime=ACTED["rigid"][1], floating_base=True, convention="spatial"
    ),
    "acted soft": lambda: _described(acted("soft"), runtime=ACTED["soft"][1]),
    "acted tree": lambda: _acted_tree("verified tree", 3),
    "acted chain": lambda: _acted_tree("verified chain", 8),
    "pairs": lambda: _read(PAIRS),
    "foot": lambda: _read(FOOT),
    "touched": lambda: _read(FOOT + "contact_options: {runtime_slots: 2}\n"),
    # actuators
    "geared": lambda: _read(GEARED),
    "varied": lambda: _read(VARIED),
    "lengthened": lambda: _read(LENGTHENED),
    "small": lambda: _read(SMALL),
    "driven": lambda: _described(driven(breathing()), gravity=SKEW, convention="spatial", runtime=("gravity.z",)),
    "pulled": lambda: _described(pulled(breathing()), gravity=SKEW),
    "pulled hose": lambda: _described(pulled(thin_hose()), gravity=SKEW),
    "pulled thin": lambda: _described(pulled(thinning()), gravity=SKEW, convention="spatial"),
    # loops
    **{f"{kind} loop": lambda kind=kind: _read(chain_text(kind)) for kind in KINDS},  # type: ignore[misc]
    "four_bar": lambda: _described(four_bar(), gravity=SKEW, runtime=("crank.mass", "gravity.x")),
    "five_bar": lambda: _example("five_bar"),
    "geared loop": lambda: _described(_geared_loop()),
    "parallelogram": lambda: _described(parallelogram()),
    "standing": lambda: _described(standing(1), gravity=SKEW),
    "sleigh": lambda: _read(SLEIGH),
    "disc": lambda: _read(DISC),
    "rolling": lambda: _read(MIXED),
    "parallel rods": lambda: _described(parallel_rods()),
    "bent rod": lambda: _described(bent_rod()),
}


@cache
def robot_of_case(name: str) -> Robot:
    """One of these; that a robot has something of which symdyn warns is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return ROBOTS[name]()
