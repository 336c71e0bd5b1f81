"""How does a controller in C++ call the functions? Computed torque of an arm with Eigen, compiled here and run.

usage: python examples/control_in_cpp.py [INCLUDE]

INCLUDE is the folder with Eigen, by default /usr/include/eigen3. Without a compiler or Eigen the program is only shown.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import symdyn

CONTROLLER = """
#include <Eigen/Core>
#include <cstdio>

#include "seven_dof_arm.hpp"

using Vector = Eigen::Matrix<double, 7, 1>;

int main()
{
  const Vector goal = Vector::LinSpaced(-0.5, 0.5);
  const double dt = 1e-3;
  Vector q = Vector::Zero(), v = Vector::Zero(), a, tau;
  for (int step = 0; step <= 3000; ++step) {
    if (step % 500 == 0) {
      std::printf("%.1f s: farthest from the goal %9.2e rad\\n", step * dt, (q - goal).cwiseAbs().maxCoeff());
    }
    seven_dof_arm::inverse_dynamics(q, v, 25.0 * (goal - q) - 10.0 * v, tau); // what the controller asks for
    seven_dof_arm::forward_dynamics(q, v, tau, a);                            // the arm
    v += dt * a;
    q += dt * v;
  }
}
"""


def main() -> None:
    eigen = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/include/eigen3")
    with tempfile.TemporaryDirectory() as scratch:
        robot = symdyn.load_example("seven_dof_arm")
        functions = ["inverse_dynamics", "forward_dynamics"]
        folder = symdyn.generate(robot, functions, target="cpp", out=Path(scratch) / "arm")
        source, program = Path(scratch) / "controller.cpp", Path(scratch) / "controller"
        source.write_text(CONTROLLER, encoding="utf-8")
        if shutil.which("g++") is None or not (eigen / "Eigen/Core").is_file():
            print(CONTROLLER)
            print("g++ or Eigen is missing here, so that this was not run")
            return
        objects = []
        for path in sorted(folder.glob("*.c")):
            objects.append(str(path.with_suffix(".o")))
            flags = ["-std=c99", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-tree-slp-vectorize"]
            subprocess.run(["gcc", *flags, "-c", str(path), "-o", objects[-1]], check=True)
        flags = ["-std=c++17", "-O2", f"-I{folder}", "-isystem", str(eigen)]
        subprocess.run(["g++", *flags, str(source), *objects, "-lm", "-o", str(program)], check=True)
        sys.stdout.flush()
        subprocess.run([str(program)], check=True)


if __name__ == "__main__":
    main()
