"""Which torques bring an arm to a pose in a second? Gradient descent through a rollout in JAX.

``module.jax`` gives the compiled forward dynamics to JAX, with analytic derivatives. It needs JAX (``pip install
".[jax]"`` in a checkout).
"""

from __future__ import annotations

from needs import needs

needs(__file__, "jax")

import sys
from time import perf_counter

import numpy as np

import symdyn

STEPS, STEP, TURNS = 100, 0.01, 400
NAMES = ("forward_dynamics", "inverse_dynamics")
GOAL = np.array([0.3, 0.4, -0.2, 1.0, 0.1, 0.5, 0.0])


def main() -> int:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, [name + end for name in NAMES for end in ("", "_partials")])
    forward_dynamics, inverse_dynamics = map(module.jax, NAMES)
    rest = jnp.zeros(robot.nv)

    def end(pushes: jax.Array) -> tuple[jax.Array, jax.Array]:
        def step(state: tuple[jax.Array, jax.Array], push: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
            q, v = state
            torques = inverse_dynamics(q, rest, push)  # what holds the arm, and pushes it from rest [rad/s^2]
            v = v + STEP * forward_dynamics(q, v, torques)
            return (q + STEP * v, v), None

        return jax.lax.scan(step, (rest, rest), pushes)[0]

    def miss(pushes: jax.Array) -> jax.Array:
        q, v = end(pushes)
        return ((q - GOAL) ** 2).sum() + 0.1 * (v**2).sum() + 1e-6 * (pushes**2).sum()

    descend = jax.jit(jax.value_and_grad(miss))
    pushes, mean, square = np.zeros((STEPS, robot.nv)), 0.0, 0.0
    start = perf_counter()
    for turn in range(1, TURNS + 1):  # Adam, with steps that shrink
        value, slope = map(np.asarray, descend(pushes))
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        pushes = pushes - 0.2 * (1 - turn / TURNS) * (mean / (1 - 0.9**turn)) / (
            np.sqrt(square / (1 - 0.999**turn)) + 1e-9
        )
        if turn in (1, 100, 200, TURNS):
            print(f"turn {turn:4}: misses by {float(value):.6f}")
    print(f"{turn} gradients of {STEPS} steps in {perf_counter() - start:.2f} s, JAX's compiler included")
    q, v = map(np.asarray, end(pushes))
    print(f"farthest joint {np.abs(q - GOAL).max():.4f} rad from the pose, fastest {np.abs(v).max():.4f} rad/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
