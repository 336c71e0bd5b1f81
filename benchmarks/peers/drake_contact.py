"""Drake stands a quadruped on a plane: time of a step, how far it creeps, and the exact law's residual. A program.

``python drake_contact.py ROBOT.urdf SLOPE FRICTION`` with an interpreter that has Drake; ``contact.py`` runs it.
"""

from __future__ import annotations

import json
import math
import sys
import time

import numpy as np
from pydrake.all import (
    CoulombFriction,
    DiagramBuilder,
    DiscreteContactApproximation,
    HalfSpace,
    JacobianWrtVariable,
    MultibodyPlant,
    Parser,
    PdControllerGains,
    RigidTransform,
    SceneGraph,
    Simulator,
)

H, STAND = 1e-3, (0.0, 0.8, -1.5)


def run(path: str, slope: float, friction: float, approximation: str) -> dict[str, float]:
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(time_step=H))
    scene = builder.AddSystem(SceneGraph())
    plant.RegisterAsSourceForSceneGraph(scene)
    plant.set_discrete_contact_approximation(getattr(DiscreteContactApproximation, approximation))
    Parser(plant).AddModels(path)
    rub = CoulombFriction(friction, friction)
    for body in (plant.get_body(index) for index in plant.GetBodyIndices(plant.GetModelInstanceByName("quadruped"))):
        for shape in plant.GetCollisionGeometriesForBody(body):
            properties = scene.model_inspector().GetProximityProperties(shape)
            properties.UpdateProperty("material", "coulomb_friction", rub)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", rub)
    plant.mutable_gravity_field().set_gravity_vector([9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)])
    joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
    driven = [joint for joint in joints if joint.num_velocities() == 1]
    for joint in driven:
        motor = plant.AddJointActuator(f"{joint.name()}_servo", joint, 23.7)
        motor.set_controller_gains(PdControllerGains(p=150.0, d=5.0))
    plant.Finalize()
    builder.Connect(scene.get_query_output_port(), plant.get_geometry_query_input_port())
    builder.Connect(plant.get_geometry_pose_output_port(), scene.get_source_pose_port(plant.get_source_id()))
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    wanted = {
        joint.name(): STAND[0 if "hip" in joint.name() else 1 if "thigh" in joint.name() else 2] for joint in driven
    }
    order = [plant.get_joint_actuator(index).joint() for index in plant.GetJointActuatorIndices()]
    for joint in driven:
        joint.set_angle(context, wanted[joint.name()])
    (base,) = (plant.get_body(index) for index in plant.GetFloatingBaseBodies())
    plant.SetFreeBodyPose(context, base, RigidTransform([0.0, 0.0, 0.333]))
    asked = np.concatenate([[wanted[joint.name()] for joint in order], np.zeros(len(order))])
    plant.get_desired_state_input_port(plant.GetModelInstanceByName("quadruped")).FixValue(context, asked)
    simulator.AdvanceTo(1.0)
    place, spent = plant.EvalBodyPoseInWorld(context, base).translation()[:2].copy(), []
    for batch in range(50):
        begin = time.thread_time()
        simulator.AdvanceTo(1.0 + 0.02 * (batch + 1))
        spent.append((time.thread_time() - begin) / 20 * 1e6)
    moved = float(np.linalg.norm(plant.EvalBodyPoseInWorld(context, base).translation()[:2] - place))
    result = plant.get_contact_results_output_port().Eval(context)
    rows, impulses = [], []
    for number in range(result.num_point_pair_contacts()):
        pair = result.point_pair_contact_info(number)
        body = plant.get_body(pair.bodyB_index())
        sign = 1.0
        if body.index() == plant.world_body().index():
            body, sign = plant.get_body(pair.bodyA_index()), -1.0
        pose = plant.EvalBodyPoseInWorld(context, body)
        point = pose.inverse() @ pair.contact_point()
        world = plant.world_frame()
        rows.append(
            plant.CalcJacobianTranslationalVelocity(
                context, JacobianWrtVariable.kV, body.body_frame(), point, world, world
            )
        )
        impulses.append(sign * H * pair.contact_force())
    mass = plant.CalcMassMatrix(context)
    jacobian = np.vstack(rows)
    return {
        "median": float(np.median(spent)),
        "moved": moved,
        "c": (jacobian @ plant.GetVelocities(context)).tolist(),
        "diagonal": np.diag(jacobian @ np.linalg.solve(mass, jacobian.T)).tolist(),
        "impulses": np.concatenate(impulses).tolist(),
    }


def main() -> None:
    path, slope, friction = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    print(json.dumps({name: run(path, slope, friction, name) for name in ("kSap", "kLagged", "kSimilar")}))


if __name__ == "__main__":
    main()
