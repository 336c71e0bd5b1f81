"""TinyMPC as a controller: a problem by the first line of standard input, then a state per line for an input each.

Run by a Python of its own with tinympc. A line of output has the inputs, the processor time of the call [us], its
iterations, and whether its tolerances were met.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib import metadata

import numpy as np
import tinympc


def main() -> None:
    """Set up, then solve for each state."""
    written = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the library prints a line per call
    asked = json.loads(sys.stdin.readline())
    solver = tinympc.TinyMPC()
    matrices = [np.array(asked[name]) for name in "ABQR"]
    solver.setup(
        *matrices,
        asked["steps"] + 1,
        rho=asked["rho"],
        max_iter=asked["iterations"],
        abs_pri_tol=1e-4,
        abs_dua_tol=1e-4,
    )
    states, inputs = np.full(len(asked["A"]), 1e10), np.array(asked["bounds"])
    solver.set_bound_constraints(-states, states, *inputs)
    solver.update_settings(en_state_bound=False, en_input_bound=True, check_termination=1)
    print(json.dumps({"version": metadata.version("tinympc")}), file=written, flush=True)
    for line in sys.stdin:
        x = np.array(json.loads(line))
        begun = time.thread_time()
        solver.set_x0(x)
        u = solver.solve()["controls"]
        spent = 1e6 * (time.thread_time() - begun)
        found = solver._solver.solution
        told = {"u": np.clip(u, *inputs).tolist(), "us": spent, "iterations": found.iter, "solved": bool(found.solved)}
        print(json.dumps(told), file=written, flush=True)


if __name__ == "__main__":
    main()
