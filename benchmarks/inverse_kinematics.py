"""Inverse kinematics of a seven-joint arm: the generated solver, and the same method on Pinocchio, in one run.

Usage: python benchmarks/inverse_kinematics.py [--poses 2000]

Reachable poses of the Panda's hand at random, 20 starts each, within joint limits, to an error of 1e-8. The solver runs
in a C program that times each pose by the thread's CPU clock. Pinocchio's placements, Jacobians and logarithms run in a
loop of NumPy, on the same poses and starts, so that its time holds the interpreter's. Its last line has the calls of an
evaluation alone. Then differential inverse kinematics, within joint and velocity limits, for random twists there.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pinocchio as pin
from peers.robots import ROBOTS, pinocchio_model, symdyn_robot
from scipy.spatial.transform import Rotation

import symdyn
from symdyn.toolchain.find_compiler import find_compiler

STARTS, FRAME = 20, "panda_hand"
PROGRAMS = Path(__file__).parent / "peers"
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include "thread_clock.h"
#include "%(robot)s.h"
int main(int argc, char **argv)
{
  const int n = atoi(argv[2]), nq = %(nq)d, starts = %(starts)d;
  double *x = malloc(sizeof *x * n * (7 + nq * starts) + sizeof *x * 2 * nq);
  static double work[%(upper)s_SOLVE_INVERSE_KINEMATICS_WORK];
  FILE *f = fopen(argv[1], "rb");
  const double ones[6] = { 1, 1, 1, 1, 1, 1 };
  if (fread(x, sizeof *x, n * (7 + nq * starts) + 2 * nq, f) == 0) return 1;
  const double *lower = x, *upper = x + nq, *pose = upper + nq, *q = pose + 7 * n;
  for (int k = 0; k < n; ++k) {
    double found[%(nq)d], error, best = 1e30;
    size_t counts[3];
    int code = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double t = now();
      code = %(robot)s_solve_inverse_kinematics(q + k * nq * starts, starts, pose + 7 * k, ones, lower, upper, 1e-8, 50,
                                                found, &error, counts, work);
      const double spent = now() - t;
      best = spent < best ? spent : best;
    }
    printf("%%d %%.17g %%zu %%zu %%zu\n", code, best, counts[0], counts[1], counts[2]);
  }
  return argc > 9;
}
"""

DIFFERENTIAL = r"""
#include <stdio.h>
#include <stdlib.h>
#include "thread_clock.h"
#include "panda.h"
int main(int argc, char **argv)
{
  const int n = atoi(argv[2]);
  double *x = malloc(sizeof *x * (n * 13 + 21));
  static double work[PANDA_SOLVE_DIFFERENTIAL_IK_WORK];
  FILE *f = fopen(argv[1], "rb");
  const double ones[6] = { 1, 1, 1, 1, 1, 1 }, still[7] = { 0 };
  double slow[7], fast[7], v[7];
  if (fread(x, sizeof *x, n * 13 + 21, f) == 0) return 1;
  const double *lower = x, *upper = x + 7, *twists = x + 21, *q = twists + 6 * n;
  for (int i = 0; i < 7; ++i) fast[i] = x[14 + i], slow[i] = -fast[i];
  for (int k = 0; k < n; ++k) {
    double best = 1e30;
    size_t factors;
    int code = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double t = now();
      for (int again = 0; again < 10; ++again)
        code = panda_solve_differential_ik(q + 7 * k, twists + 6 * k, still, ones, slow, fast, lower, upper, 1e-6,
                                           0.01, v, &factors, work);
      const double spent = (now() - t) / 10;
      best = spent < best ? spent : best;
    }
    printf("%d %.17g %zu\n", code, best, factors);
  }
  return argc > 9;
}
"""


def built(out: object, folder: str, text: str) -> str:
    """A program around the generated C."""
    Path(folder, "main.c").write_text(text)
    sources = [*Path(str(out)).glob("*.c"), Path(folder, "main.c")]
    names = [str(file) for file in sources if "lanes" not in file.name]
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-D_GNU_SOURCE", f"-I{out}", f"-I{PROGRAMS}"]
    subprocess.run([*find_compiler().command, *flags, *names, "-lm", "-o", f"{folder}/main"], check=True)
    return f"{folder}/main"


def differential(count: int, rng: np.random.Generator) -> None:
    """Print times of differential inverse kinematics."""
    robot = symdyn_robot(ROBOTS["panda7"])
    limits, twists = robot.limits, rng.standard_normal((count, 6))
    q = rng.uniform(limits.lower, limits.upper, (count, 7))
    with tempfile.TemporaryDirectory() as folder:
        asked = {"frames": [FRAME], "solvers": ["differential_ik"], "name": "panda"}
        out = symdyn.generate(robot, ["jacobians"], out=f"{folder}/arm", **asked)
        given = [limits.lower, limits.upper, limits.velocity, twists.ravel(), q.ravel()]
        Path(folder, "given.bin").write_bytes(np.concatenate(given).tobytes())
        run = [built(out, folder, DIFFERENTIAL), f"{folder}/given.bin", str(count)]
        lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
    code, spent, factors = np.array(lines, float).reshape(-1, 3).T
    print(
        f"differential median {np.median(spent):.2f} us, mean {spent.mean():.2f}, 99 % {np.quantile(spent, 0.99):.2f}; "
        f"{factors.mean():.1f} factors, {np.mean(code == 0):.2%} solved"
    )


def rival(model: object, frame: int, target: object, starts: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Levenberg and Marquardt's method on Pinocchio, in NumPy: the same damping, limits and restarts."""
    data = model.createData()

    def error(q: np.ndarray) -> np.ndarray:
        pin.framesForwardKinematics(model, data, q)
        return pin.log6(target.actInv(data.oMf[frame])).vector

    for start in starts:
        q, damping = np.clip(start, lower, upper), 1e-2
        e = error(q)
        for _ in range(50):
            if e @ e <= 1e-16:
                return True
            J = pin.Jlog6(target.actInv(data.oMf[frame])) @ pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
            matrix, gradient = J.T @ J, J.T @ e
            free = ~(((q <= lower) & (gradient > 0)) | ((q >= upper) & (gradient < 0)))
            for _ in range(8):
                move = np.zeros(len(q))
                system = matrix[np.ix_(free, free)] + damping * np.eye(free.sum())
                move[free] = -np.linalg.solve(system, gradient[free])
                tried = np.clip(q + move, lower, upper)
                after = error(tried)
                if after @ after < e @ e:
                    q, e, damping = tried, after, max(0.1 * damping, 1e-8)
                    break
                damping *= 4.0
            else:
                break
    return False


def main() -> None:
    """Print both, and how many poses were reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--rival-poses", type=int, default=100)
    said = parser.parse_args()
    chosen = ROBOTS["panda7"]
    robot, rng = symdyn_robot(chosen), np.random.default_rng(1)
    lower, upper = robot.limits.lower, robot.limits.upper
    kinematics = symdyn.compile(robot, ["forward_kinematics"], frames=[FRAME])
    q = rng.uniform(lower, upper, (said.poses, robot.nq))
    X = kinematics.forward_kinematics(q)[:, 0]
    starts = rng.uniform(lower, upper, (said.poses, STARTS, robot.nq))
    starts[:, 0] = 0.5 * (lower + upper)
    poses = np.hstack([X[:, :3, 3], Rotation.from_matrix(X[:, :3, :3]).as_quat()])
    with tempfile.TemporaryDirectory() as folder:
        asked = {"tasks": [FRAME], "solvers": ["inverse_kinematics"], "name": "panda"}
        out = symdyn.generate(robot, ["task_errors"], out=f"{folder}/arm", **asked)
        Path(folder, "given.bin").write_bytes(np.concatenate([lower, upper, poses.ravel(), starts.ravel()]).tobytes())
        names = {"robot": "panda", "upper": "PANDA", "nq": robot.nq, "starts": STARTS}
        run = [built(out, folder, PROGRAM % names), f"{folder}/given.bin", str(said.poses)]
        lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
    code, spent, iterations, evaluations, tried = np.array(lines, float).reshape(-1, 5).T
    share = 100 * np.mean(code == 0)
    print(f"{said.poses} poses, {STARTS} starts: {share:.2f} % reached, {np.mean(tried > 1):.1%} restart")
    print(
        f"symdyn       median {np.median(spent):.1f} us, mean {spent.mean():.1f}, 99 % {np.quantile(spent, 0.99):.1f}; "
        f"{np.median(iterations):.0f} iterations, {1e3 * spent.sum() / evaluations.sum():.0f} ns an evaluation"
    )
    model = pinocchio_model(chosen)
    frame, times, reached = model.getFrameId(FRAME), [], 0
    for k in range(min(said.rival_poses, said.poses)):
        begun = time.thread_time()
        reached += rival(model, frame, pin.SE3(X[k]), starts[k], lower, upper)
        times.append(1e6 * (time.thread_time() - begun))
    print(f"pinocchio    median {np.median(times):6.0f} us in NumPy, {reached} of {len(times)} reached")
    data, target, at = model.createData(), pin.SE3(X[0]), q[1]
    begun = time.thread_time()
    for _ in range(2000):
        pin.framesForwardKinematics(model, data, at)
        pin.computeFrameJacobian(model, data, at, frame, pin.LOCAL)
        pin.Jlog6(target.actInv(data.oMf[frame]))
        pin.log6(target.actInv(data.oMf[frame]))
    print(f"pinocchio    {1e9 * (time.thread_time() - begun) / 2000:.0f} ns an evaluation, calls from Python included")
    differential(said.poses, rng)


if __name__ == "__main__":
    main()
