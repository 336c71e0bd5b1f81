"""From a description to the indexed tree: order, lumping of fixed links, alignment of axes, coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from symdyn.algebra.spatial.rotations import IDENTITY
from symdyn.description.robot import Joint, JointKind, RobotDescription
from symdyn.errors import ModelError
from symdyn.model.actuation import model_actuation
from symdyn.model.bodies import ModelFrame
from symdyn.model.clusters import find_clusters
from symdyn.model.contact_layout import contact_layout
from symdyn.model.growing_tree import GrowingTree, Place
from symdyn.model.joints import FREE, FREE_MUJOCO, FREE_SPATIAL
from symdyn.model.load_options import STANDARD_GRAVITY, LoadOptions
from symdyn.model.lock import lock_joints
from symdyn.model.loop import model_loops
from symdyn.model.model import Model
from symdyn.model.parameter_slots import choose_slots
from symdyn.model.place_acting import place_acting, standing, stations_of
from symdyn.model.place_beams import Tips
from symdyn.model.place_contacts import place_contacts
from symdyn.model.values import Values, known_values

ROOT_JOINT = "root"
_FREE = {"pinocchio": FREE, "spatial": FREE_SPATIAL, "mujoco": FREE_MUJOCO}
"""The free base of each convention."""


def build_model(robot: RobotDescription, options: LoadOptions) -> Model:
    """The indexed tree of a robot.

    Bodies come depth first, siblings sorted by joint name; links fixed to each other are one body, named by the link
    nearest the root, and remain frames.

    Raises
    ------
    ModelError
        An option that does not fit the robot: unknown locked joint or run-time name; no moving joint.
    """
    robot = lock_joints(robot, options.locked_joints or {}, options.runtime, options.convention)
    gravity = next(g for g in (options.gravity, robot.gravity, STANDARD_GRAVITY) if g is not None)
    slots = choose_slots(robot, options.runtime, known_values(robot, gravity))
    usual = [1.0 if value is None else value for value in slots.defaults]
    tips = Tips(Values(robot.parameters, slots, p=usual))
    tree = _walked(robot, options, tips)
    place_acting(tree, tips, robot)
    place_contacts(tree, robot, partial(stations_of, tips, robot))
    if not tree.bodies:
        raise ModelError(
            f"robot '{robot.name}' has no moving joint; give it one, or free its base: "
            "floating_base=True, on the command line --floating-base"
        )
    lost = {f"{joint.name}.{loss}" for joint in robot.joints for loss in ("damping", "friction")}
    for name in options.runtime:
        if name in lost and not options.joint_losses:
            raise ModelError(
                f"run-time parameter '{name}' has no effect while joint losses are left out; add joint_losses=True "
                "(on the command line --joint-losses)"
            )
    bodies = tips.on_bodies(tree.resolved())
    model = Model(
        name=robot.name,
        bodies=bodies,
        clusters=find_clusters(bodies, tuple(tips.rods)),
        frames=tuple(_frames(robot, tree, tips)),
        nq=tree.nq,
        nv=tree.nv,
        gravity=gravity,
        convention=options.convention,
        joint_losses=options.joint_losses,
        slots=slots,
        parameters=robot.parameters,
        rods=tuple(tips.rods),
        actuation=model_actuation(robot, bodies, tips.rods),
        loops=model_loops(robot, bodies),
        contacts=contact_layout(robot, bodies, options.joint_losses),
        control=robot.control,
    )
    for names in (model.coordinate_names, model.velocity_names):
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise ModelError(
                f"two coordinates of robot '{robot.name}' would be called '{repeated}'; rename the joint that has this "
                "name, or that takes it by its suffix"
            )
    return model


def _walked(robot: RobotDescription, options: LoadOptions, tips: Tips) -> GrowingTree:
    """The tree, depth first from the root, siblings in byte order of their joints' names, without recursion.

    In MuJoCo's convention siblings keep the file's order, as they do there. What hangs on the tip of a flexible link
    comes before what hangs on its root.
    """
    tree, place = GrowingTree(options.convention), Place(-1)
    links = {link.name: link for link in robot.links}
    children: dict[str, list[Joint]] = {}
    siblings = sorted(robot.joints, key=lambda joint: joint.name.encode())
    for joint in reversed(robot.joints if options.convention == "mujoco" else siblings):
        children.setdefault(joint.parent, []).append(joint)
    if robot.floating_base if options.floating_base is None else options.floating_base:
        base = Joint(ROOT_JOINT, JointKind.FLOATING, "", robot.root)
        indexed = tree.joint(base, ROOT_JOINT, _FREE[options.convention])
        place = tree.add_body(robot.root, place, indexed, IDENTITY)
    pending: list[tuple[Joint, Place]] = []

    def reach(name: str, reached: Place) -> None:
        tree.add_link(links[name], reached)
        tips.bend(tree, links[name], reached)
        for moves in (False, True):
            hung = (below for below in children.get(name, []) if below.at.moves is moves)
            pending.extend((below, standing(tree, tips, name, below.at)) for below in hung)

    reach(robot.root, place)
    while pending:  # a joint is attached when it is visited, so that rows and bodies are numbered depth first
        joint, place = pending.pop()
        reach(joint.child, tree.attach(joint, place))
    return tree


def _frames(robot: RobotDescription, tree: GrowingTree, tips: Tips) -> Iterator[ModelFrame]:
    """The frame of every link, and of its tip where it has one, then the extra frames."""
    for link in robot.links:
        yield tree.places[link.name].frame(link.name)
        if link.name in tips.places:
            tip = tips.places[link.name]
            yield tip.frame(tree.bodies[tip.body].name)
    for frame in robot.frames:
        yield standing(tree, tips, frame.link, frame.at).beyond(frame.placement).frame(frame.name)
