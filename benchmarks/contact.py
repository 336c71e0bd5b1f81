"""Rigid contacts: steps of a quadruped beside MuJoCo's, and hard problems beside Pinocchio's solvers.

    python benchmarks/contact.py            # all
    python benchmarks/contact.py quadruped  # Go2 with spherical feet: stands, drops, trots; its times over MuJoCo's
    python benchmarks/contact.py rivals     # standing: times of all rivals, and residuals in the exact law
    python benchmarks/contact.py humanoid   # talos on eight corners of its soles: stands, drops, is pushed
    python benchmarks/contact.py problems   # random problems: share of them that is solved

Drake runs where DRAKE_PYTHON names an interpreter that has it, such as one of an environment of its own.
Times are CPU times of steps of 1 ms, the best of five rounds in which symdyn's and MuJoCo's follow each other in one
process, so that their ratios count. MuJoCo does more in a step than contacts and dynamics: collisions, sensors. On a
slope gravity is tilted. A robot that MuJoCo holds by soft contacts creeps; how far both move in the second of two
seconds is in the table.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import yaml
from peers.robots import data_file

import symdyn
from symdyn.analysis.contacts import solve
from symdyn.analysis.contacts.solve import solve_rows
from symdyn.interface.contact_solving import NUMBERS, ContactCode, SetKind

LEGS = ("FL", "FR", "RL", "RR")
RADIUS, FRICTION, SLOPE = 0.022, 0.8, 0.3
SOURCE = "go2_description/urdf/go2.urdf"
FLAGS = ["-O3", "-march=native", "-std=c99", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
STEPS, ROUNDS = 2000, 5
SCENES = {"stand": (0.333, 0.0), "drop": (0.45, 0.0), "trot": (0.333, 1.0)}
"""Heights of the base at the start [m], and how far thighs and calves swing, as in ``peers/contact_scene.c``."""
PROBLEMS = ((18, 4), (18, 8), (36, 16), (18, 16), (6, 4), (6, 12))


def quadruped(slope: float) -> symdyn.Robot:
    """Go2 with a sphere at each foot, above the plane z = 0, with gravity tilted by an angle."""
    described = yaml.safe_load(symdyn.load(data_file(SOURCE), floating_base=True).to_yaml())
    for leg in LEGS:
        described["links"][f"{leg}_foot"]["collision"] = {"ball": {"sphere": RADIUS}}
    feet = [{"link": f"{leg}_foot", "shape": "ball"} for leg in LEGS]
    described["obstacles"] = {"floor": {"plane": {"normal": [0, 0, 1], "point": [0, 0, 0]}}}
    described["contacts"] = {"feet": {"of": feet, "with": "floor", "friction": FRICTION}}
    described["contact_options"] = {"tolerance": 6e-11}  # of the weight times the step: 1e-11 N s
    described["gravity"] = [9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)]
    return symdyn.loads(yaml.safe_dump(described, sort_keys=False), format="yaml")


def built(slope: float, folder: Path) -> Path:
    """The program of ``peers/contact_scene.c`` with the robot's C."""
    place = symdyn.generate(
        quadruped(slope), ["contact_slopes"], out=folder / "go2", steppers=["contacts"], name="quadruped"
    )
    scene = Path(__file__).parent / "peers" / "contact_scene.c"
    functions = [f"quadruped_{name}.c" for name in ("contact_factors", "contact_slopes", "step_contacts")]
    subprocess.run(["gcc", *FLAGS, "-I.", *functions, str(scene), "-o", "scene", "-lm"], cwd=place, check=True)
    return place / "scene"


def ours(program: Path) -> dict[str, list[float]]:
    """Figures of scenes by name."""
    text = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {name: list(map(float, rest)) for name, *rest in map(str.split, text.splitlines())}


Variant = tuple[str, float]
VARIANTS: tuple[Variant, ...] = tuple((cone, ratio) for cone in ("pyramidal", "elliptic") for ratio in (1.0, 100.0))
"""MuJoCo's cones, and the ratio of stiffness across to along the normal."""


@cache
def figures_of(slope: float) -> tuple[dict[str, list[float]], dict[Variant, dict[str, float]]]:
    """Figures of symdyn and of MuJoCo: times are the best of rounds in which these follow each other."""
    models = {variant: mujoco_model(slope, *variant) for variant in VARIANTS}
    with tempfile.TemporaryDirectory() as folder:
        program = built(slope, Path(folder))
        first, found = ours(program), {variant: theirs(model) for variant, model in models.items()}
        for _ in range(ROUNDS - 1):
            for name, (best, *_) in ours(program).items():
                first[name][0] = min(first[name][0], best)
            for variant, model in models.items():
                again = theirs(model)
                found[variant] |= {name: min(found[variant][name], again[name]) for name in ("standing", *SCENES)}
    return first, found


def mujoco_model(slope: float, cone: str, impratio: float) -> Any:
    """The same robot in MuJoCo, with the same servos."""
    import mujoco

    text = re.sub(r"<(visual|collision)>.*?</\1>", "", data_file(SOURCE).read_text(), flags=re.DOTALL)
    text = re.sub(r"<(visual|collision)\s.*?</\1>", "", text, flags=re.DOTALL)
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    base = spec.bodies[1]
    base.add_freejoint()
    for leg in LEGS:
        foot = spec.body(f"{leg}_foot")
        foot.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0], friction=[FRICTION, 0, 0], mass=0.0)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[FRICTION, 0, 0])
    for joint in [joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_HINGE]:
        motor = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_position(kp=150.0, kv=5.0)
        motor.forcelimited, motor.forcerange = True, [-23.7, 23.7]
    spec.option.timestep, spec.option.impratio = 1e-3, impratio
    spec.option.gravity = [9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)]
    spec.option.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    return spec.compile()


def theirs(model: Any) -> dict[str, float]:
    """MuJoCo's times of a step [us], where the robot stands and in scenes of 2000 steps.

    Also how far it moves in the second of two seconds of standing [m], and the residual in the exact law [N s].
    """
    import mujoco
    from mujoco import rollout

    data = mujoco.MjData(model)
    stand = np.tile([0.0, 0.8, -1.5], 4)
    data.qpos[2], data.qpos[7:], data.ctrl[:] = 0.333, stand, stand
    mujoco.mj_step(model, data, nstep=1000)
    before, spent = data.qpos[:2].copy(), []
    for _ in range(50):
        begin = time.thread_time()
        mujoco.mj_step(model, data, nstep=20)
        spent.append((time.thread_time() - begin) / 20 * 1e6)
    moved, residual = float(np.linalg.norm(data.qpos[:2] - before)), _mujoco_residual(model, data)
    found = {"standing": float(np.median(spent)), "moved": moved, "residual": residual}
    phase = 4.0 * np.pi * 1e-3 * np.arange(STEPS)[:, None] + np.repeat([0.0, np.pi, np.pi, 0.0], 3)
    for name, (height, swing) in SCENES.items():
        mujoco.mj_resetData(model, data)
        data.qpos[2], data.qpos[7:] = height, stand
        state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        lifted = np.tile([0.0, 0.25, 0.0], 4) * np.sin(phase) - np.tile([0.0, 0.0, 0.5], 4) * np.maximum(
            0.0, np.sin(phase)
        )
        control = (stand + swing * lifted)[None]
        begin = time.thread_time()
        rollout.rollout(model, data, state[None], control)
        found[name] = (time.thread_time() - begin) / STEPS * 1e6
    return found


def _mujoco_residual(model: Any, data: Any) -> float:
    """The exact law's residual of one more step: its impulses, and the velocities that it ends with."""
    import mujoco

    h, rows, impulses = model.opt.timestep, [], []
    mujoco.mj_forward(model, data)
    for number, contact in enumerate(data.contact):
        force, jacobian = np.zeros(6), np.zeros((3, model.nv))
        mujoco.mj_contactForce(model, data, number, force)
        body = model.geom_bodyid[contact.geom2] or model.geom_bodyid[contact.geom1]
        mujoco.mj_jac(model, data, jacobian, None, contact.pos, body)
        normal, first, second = contact.frame.reshape(3, 3)
        turned = np.array([first, second, normal])
        rows.append(turned @ jacobian)
        impulses.append(h * force[[1, 2, 0]])
    jacobian, inverse = np.vstack(rows), np.zeros((3 * len(rows), model.nv))
    mujoco.mj_solveM(model, data, inverse, jacobian)
    diagonal = np.einsum("ij,ij->i", jacobian, inverse)
    mujoco.mj_step(model, data)
    return law_residual(jacobian @ data.qvel, diagonal, np.full(len(rows), FRICTION), np.concatenate(impulses))


def drakes(slope: float) -> dict[str, tuple[float, float, float]]:
    """Drake's times [us], moves [m] and residuals [N s] by its approximations; nothing where there is no Drake."""
    interpreter = os.environ.get("DRAKE_PYTHON")
    if not interpreter:
        return {}
    text = re.sub(r"<visual>.*?</visual>", "", quadruped(slope).to_urdf().urdf, flags=re.DOTALL)
    text = re.sub(r'<collision name="(?!ball)[^"]*">.*?</collision>', "", text, flags=re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quadruped.urdf"
        path.write_text(re.sub(r'<robot name="[^"]*"', '<robot name="quadruped"', text))
        program = Path(__file__).parent / "peers" / "drake_contact.py"
        command = [interpreter, str(program), str(path), repr(slope), repr(FRICTION)]
        said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    figures = {}
    for name, said_value in said.items():
        c, diagonal, impulses = (np.array(said_value[key]) for key in ("c", "diagonal", "impulses"))
        residual = law_residual(c, diagonal, np.full(len(c) // 3, FRICTION), impulses)
        figures[name[1:]] = said_value["median"], said_value["moved"], residual
    return figures


def show_rivals() -> None:
    """Print times and residuals of all, standing on the level and on a slope, and Pinocchio's on the same problems."""
    for slope in (0.0, SLOPE):
        print(f"Go2 stands, slope {slope} rad: us per step, ours / theirs, moved in 1 s, residual in the exact law")
        figures, rivals = figures_of(slope)
        stands = figures["stand_median"][0]
        print(f"  symdyn {stands:8.2f}         {figures['stand'][5]:.1e} m  {figures['stand'][4]:.1e} N s")
        for (cone, impratio), rival in rivals.items():
            figures_in_law = rival["standing"], rival["moved"], rival["residual"]
            _show_rival(f"MuJoCo, {cone}, impratio {impratio:g}", stands, figures_in_law)
        for name, by_drake in drakes(slope).items():
            _show_rival(f"Drake, {name}", stands, by_drake)
    problems = quadruped_problems()
    print(
        f"{len(problems)} problems of a trot of Go2: us per problem alone, worst residual; weight times step 0.15 N s"
    )
    for solver in ("ADMM", "PGS"):
        spent, worst = [], 0.0
        for matrix, free in problems:
            friction = np.full(len(free) // 3, FRICTION)
            impulses, by_drake = _pinocchio(matrix, free, friction, solver)
            spent.append(by_drake)
            worst = max(worst, _residual(matrix, free, friction, impulses))
        print(f"  Pinocchio, {solver}: {float(np.median(spent)):.1f} us, {worst:.1e} N s")
    worst = 0.0
    for matrix, free in problems:
        friction = np.full(len(free) // 3, FRICTION)
        result = solve_rows(matrix, free, [SetKind.CONE] * len(friction), friction, tolerance=1e-12)
        worst = max(worst, _residual(matrix, free, friction, result.x))
    print(f"  symdyn: part of the step above, {worst:.1e} N s")


def _show_rival(name: str, stands: float, figures: tuple[float, float, float]) -> None:
    median, moved, residual = figures
    print(f"  {name:32} {median:8.2f}  {stands / median:.3f}  {moved:.1e} m  {residual:.1e} N s")


def quadruped_problems(count: int = 60) -> list[tuple[np.ndarray, np.ndarray]]:
    """Delassus matrices and free velocities of the contacts that press in steps of a trot."""
    robot = quadruped(0.0)
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    q, v, guess, problems = robot.neutral(), np.zeros(18), None, []
    stand, sway = np.tile([0.0, 0.8, -1.5], 4), np.repeat([0.0, np.pi, np.pi, 0.0], 3)
    q[2], q[7:] = 0.333, stand
    for number in range(20 * count):
        swing = np.sin(4.0 * np.pi * 1e-3 * number + sway)
        wanted = stand + np.tile([0.0, 0.25, 0.0], 4) * swing - np.tile([0.0, 0.0, 0.5], 4) * np.maximum(0.0, swing)
        tau = np.concatenate([np.zeros(6), np.clip(150.0 * (wanted - q[7:]) - 5.0 * v[6:], -23.7, 23.7)])
        step = module.contact_step(q, v, tau, h=1e-3, guess=guess)
        pressed = np.repeat(step.impulses[2::3] > 0.0, 3)
        if number % 20 == 19 and pressed.any():
            _, delassus, c_free = module.contact_problem(q, v, tau, 1e-3)
            problems.append((np.ascontiguousarray(delassus[np.ix_(pressed, pressed)]), c_free[pressed]))
        q, v, guess = step.q_next, step.v_next, step.impulses
    return problems


def show_quadruped() -> None:
    """Print figures on the level and on a slope, and the largest ratios of times to MuJoCo's."""
    standing, moving = list[float](), list[float]()
    for slope in (0.0, SLOPE):
        result, rivals = figures_of(slope)
        print(f"Go2, friction {FRICTION}, slope {slope} rad; us per step with its servo; Newton; moved in 1 s")
        for name in (*SCENES, "landings"):
            mean, newton, most, failed, worst, moved = result[name]
            print(
                f"  symdyn {name:8} {mean:6.2f}  mean {newton:.2f}, most {most:.0f}, "
                f"unsolved {failed:.0f}, residual {worst:.1e} N s  {moved:.1e} m"
            )
        stands = result["stand_median"][0]
        print(f"  symdyn, standing, median of 50 batches of 20: {stands:.2f} us")
        slow = result["partials"][0]
        print(f"  symdyn, its derivatives, best of 30 batches: {slow:.2f} us, {slow / stands:.1f} steps")
        print("  MuJoCo: us standing, moves in 1 s, ours / theirs; whole scenes: us, ours / theirs")
        for (cone, impratio), rival in rivals.items():
            standing.append(stands / rival["standing"])
            ratios = {name: result[name][0] / rival[name] for name in SCENES}
            moving += ratios.values()
            scenes = "; ".join(f"{name} {rival[name]:.2f}, {ratio:.3f}" for name, ratio in ratios.items())
            first = f"{rival['standing']:.2f}, {rival['moved']:.1e} m, {standing[-1]:.3f}"
            print(f"  {cone:9} impratio {impratio:3g}: {first}; {scenes}")
    for name, ratios_of, most in (("standing", standing, 0.15), ("whole scenes", moving, 0.25)):
        met = "met" if max(ratios_of) <= most else "missed"
        print(f"ours / theirs, {name}: {min(ratios_of):.3f} to {max(ratios_of):.3f}; at most {most} asked: {met}")


CROUCH = {"leg_3": -0.411354, "leg_4": 0.859395, "leg_5": -0.448041, "arm_4": -0.525366, "arm_7": 0.1}
CORNERS = [(x, y, -0.102) for x in (-0.1, 0.1) for y in (-0.06, 0.06)]


def posture(joint: str) -> float:
    """The angle of a joint of the humanoid that crouches."""
    part, _, number, *_ = [*joint.split("_"), "", ""]
    return CROUCH.get(f"{part}_{number}", 0.0)


def humanoid(slope: float) -> symdyn.Robot:
    """Talos with four small spheres at the corners of each sole, and springs and dampers in all joints."""
    text = symdyn.load(data_file("talos_data/robots/talos_reduced.urdf"), floating_base=True).to_yaml()
    described, feet = yaml.safe_load(text), []
    for side in ("left", "right"):
        link = f"leg_{side}_6_link"
        shapes = {f"corner{number}": {"sphere": 0.005, "at": list(at)} for number, at in enumerate(CORNERS)}
        described["links"][link]["collision"] = shapes
        feet += [{"link": link, "shape": shape} for shape in shapes]
    for name, joint in described["joints"].items():
        if joint["type"] != "fixed":
            strong = name.startswith(("leg", "torso"))
            joint["spring"] = {"stiffness": 1500.0 if strong else 100.0, "rest": posture(name)}
            joint["losses"] = {"damping": 30.0 if strong else 3.0}
    described["obstacles"] = {"floor": {"plane": {"normal": [0, 0, 1], "point": [0, 0, 0]}}}
    described["contacts"] = {"feet": {"of": feet, "with": "floor", "friction": FRICTION}}
    described["gravity"] = [9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)]
    return symdyn.loads(yaml.safe_dump(described, sort_keys=False), format="yaml")


def show_humanoid(steps: int = 1500) -> None:
    """Print the share of steps that is solved to 1e-9 N s, and the worst residual."""
    for slope in (0.0, 0.2):
        robot = humanoid(slope)
        module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
        start = robot.neutral()
        for joint in robot.model.independent_joints:
            if joint.q_rows.stop - joint.q_rows.start == 1:
                start[joint.q_rows] = posture(joint.joint)
        for scene, height in (("stands", 1.02), ("drops", 1.12), ("is pushed", 1.02)):
            q, v, guess, reports = start.copy(), np.zeros(robot.model.nv), None, []
            q[2], rng, tau = height, np.random.default_rng(1), np.zeros(robot.model.nv)
            for number in range(steps):
                if scene == "is pushed" and number % 300 in (0, 50):
                    tau[:3] = 200.0 * rng.normal(size=3) if number % 300 == 0 else 0.0
                step = module.contact_step(q, v, tau, h=1e-3, guess=guess)
                q, v, guess = step.q_next, step.v_next, step.impulses
                reports.append(step.report)
            residuals = np.array([report.residual for report in reports])
            newton, swept = [report.newton for report in reports], sum(report.sweeps > 0 for report in reports)
            print(
                f"  talos {scene:9} slope {slope}: to 1e-9 N s {100.0 * np.mean(residuals <= 1e-9):.2f} %, "
                f"worst {residuals.max():.1e}; Newton mean {np.mean(newton):.2f}, most {max(newton)}; swept in {swept}"
            )


def random_problem(rng: np.random.Generator, nv: int, contacts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass ratios to 1000, normals everywhere, friction of 0.1 to 1.2."""
    turn = np.linalg.qr(rng.normal(size=(nv, nv)))[0]
    inverse = turn @ np.diag(10.0 ** rng.uniform(-1.0, 2.0, nv)) @ turn.T
    rows, free = rng.normal(size=(3 * contacts, nv)), rng.normal(size=nv)
    matrix = rows @ inverse @ rows.T
    return 0.5 * (matrix + matrix.T), rows @ free, rng.uniform(0.1, 1.2, contacts)


def show_problems(count: int = 200, theirs_count: int = 50) -> None:
    """Print the share of random problems that is solved, from cold starts: by A alone, with B, and with B and C."""
    print(f"random problems, {count} each: solved to 1e-10 of an impulse; {theirs_count} of Pinocchio's to 1e-6")
    no_bursts = replace(NUMBERS["float64"], bursts=0)
    for nv, contacts in PROBLEMS:
        rng, kinds = np.random.default_rng(0), [SetKind.CONE] * contacts
        solved = dict.fromkeys(("A", "A, B", "A, B, C", "ADMM", "PGS"), 0.0)
        for number in range(count):
            matrix, free, friction = random_problem(rng, nv, contacts)
            size = float(np.abs(free).max() / np.diag(matrix).mean())
            for name, effort in (("A", "newton"), ("A, B", "full"), ("A, B, C", "full")):
                numbers = no_bursts if name == "A, B" else NUMBERS["float64"]
                with mock.patch.object(solve, "_NUMBERS", numbers):
                    result = solve_rows(matrix, free, kinds, friction, tolerance=1e-10 * size, effort=effort)
                solved[name] += (result.code is ContactCode.SOLVED) / count
            for solver in ("ADMM", "PGS") if number < theirs_count else ():
                impulses = _pinocchio(matrix, free, friction, solver)[0]
                solved[solver] += (_residual(matrix, free, friction, impulses) < 1e-6 * size) / theirs_count
        shares = "; ".join(f"{name} {100 * share:.1f} %" for name, share in solved.items())
        print(f"  {nv:2} velocities, {contacts:2} contacts: {shares}")


def _pinocchio(matrix: np.ndarray, free: np.ndarray, friction: np.ndarray, solver: str) -> tuple[np.ndarray, float]:
    """Impulses, and the time of the solver alone [us]."""
    import pinocchio as pin

    model = pin.buildSampleModelManipulator()
    constraints, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in friction:
        contact = pin.PointContactConstraintModel(model, 1)
        contact.setFriction(float(mu))
        constraint = pin.ConstraintModel(contact)
        constraints.append(constraint)
        data.append(constraint.createData())
    method = getattr(pin, f"{solver}ConstraintSolver")(len(free))
    settings, result = getattr(pin, f"{solver}SolverSettings")(), getattr(pin, f"{solver}SolverResult")()
    settings.max_iterations = 3000
    settings.absolute_complementarity_tol = settings.absolute_feasibility_tol = 1e-9 * np.abs(free).max()
    settings.relative_complementarity_tol = settings.relative_feasibility_tol = 0.0
    operator = pin.DelassusOperatorDense(matrix)
    begin = time.thread_time()
    method.solve(operator, free, constraints, data, settings, result)
    spent = (time.thread_time() - begin) * 1e6
    impulses = np.zeros(len(free))
    result.retrievePrimalSolution(impulses)
    return impulses, spent


def _residual(matrix: np.ndarray, free: np.ndarray, friction: np.ndarray, impulses: np.ndarray) -> float:
    """The law's residual max |F| at impulses."""
    return law_residual(matrix @ impulses + free, np.diag(matrix), friction, impulses)


def law_residual(c: np.ndarray, diagonal: np.ndarray, friction: np.ndarray, impulses: np.ndarray) -> float:
    """The law's residual max |F| at impulses and velocities of contacts, rows t1, t2, n."""
    worst = 0.0
    for scale, row_slice, slip, mu in zip(
        diagonal.reshape(-1, 3).max(axis=1), impulses.reshape(-1, 3), c.reshape(-1, 3), friction, strict=True
    ):
        z = row_slice - slip / scale
        normal, length = max(z[2], 0.0), float(np.hypot(z[0], z[1]))
        pull = z[:2] * min(1.0, mu * normal / length if length > 0.0 else 1.0)
        worst = max(worst, abs(row_slice[2] - normal), float(np.abs(row_slice[:2] - pull).max()))
    return worst


if __name__ == "__main__":
    warnings.simplefilter("ignore", symdyn.SymdynWarning)
    wanted = sys.argv[1:] or ["quadruped", "rivals", "humanoid", "problems"]
    if "quadruped" in wanted:
        show_quadruped()
    if "rivals" in wanted:
        show_rivals()
    if "humanoid" in wanted:
        show_humanoid()
    if "problems" in wanted:
        show_problems()
