"""Compiled functions called by JAX, beside the JAX target and ``jax.pure_callback``: forward dynamics and its gradient.

usage: python benchmarks/jax_external.py [--robot NAME] [--states N] [--steps N] [--layout L ...] [--csv FILE]

Contestants: ``ffi`` is ``module.jax``. ``callback`` calls the same compiled functions by ``jax.pure_callback``, values
and partials, with the same rule for tangents. ``jax`` is the JAX target, once per layout. Every one computes a state, a
batch of states and the gradient of a rollout of semi-implicit Euler steps by all forces and the first state, jitted on
the CPU. Times are the least of several rounds, of the processor; ``first`` is the time until the first gradient,
tracing and XLA's compiler included, and ``build`` that of symdyn and the C compiler in a cache that was empty.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import tempfile
import timeit
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

ROUNDS = 5
COLUMNS = ("contestant", "state_us", "batch_us", "rollout_ms", "first_s", "build_s", "error")
WIDTHS = (16, 11, 11, 12, 10, 10, 11)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robot", default="seven_dof_arm")
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--layout", nargs="+", default=["auto", "split"], help="of the JAX target")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the figures there")
    asked = parser.parse_args()
    os.environ |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_ENABLE_X64": "1"}
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SYMDYN_CACHE_DIR"] = cache
        rows = measured(asked.robot, asked.states, asked.steps, asked.layout)
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return 0


def measured(name: str, states: int, steps: int, layouts: list[str]) -> list[tuple[str, ...]]:
    """The rows of the table, printed as they are found."""
    import symdyn

    robot = symdyn.load_example(name)
    rng = np.random.default_rng(1)
    batch = [np.stack(rows) for rows in zip(*(robot.random_state(rng) for _ in range(states)), strict=True)]
    batch.append(rng.standard_normal((states, robot.nv)))
    forces = rng.standard_normal((steps, robot.nv))
    contestants: dict[str, Callable[[], Any]] = {"ffi": lambda: by_ffi(robot), "callback": lambda: by_callback(robot)}
    for layout in layouts:
        contestants[f"jax, {layout}"] = lambda layout=layout: by_target(robot, layout)
    _show(COLUMNS)
    found, truth = [], None
    for label, make in contestants.items():
        start = _processor()
        call = make()
        build = _processor() - start
        figures, gradient = _figures(call, batch, forces)
        truth = gradient if truth is None else truth
        pairs = zip(gradient, truth, strict=True)
        error = max(float(np.abs(own - wanted).max() / np.abs(wanted).max()) for own, wanted in pairs)
        found.append((label, *figures, f"{build:.2f}", f"{error:.1e}"))
        _show(found[-1])
    return found


def by_ffi(robot: Any) -> Any:
    """``module.jax``; the partials are compiled along."""
    import symdyn

    module = symdyn.compile(robot, ["forward_dynamics", "forward_dynamics_partials"])
    module.jax("forward_dynamics_partials")
    return module.jax("forward_dynamics")


def by_callback(robot: Any) -> Any:
    """The same functions by ``jax.pure_callback``; symdyn finds them in its cache."""
    import jax
    import jax.numpy as jnp

    import symdyn

    module = symdyn.compile(robot, ["forward_dynamics", "forward_dynamics_partials"])

    def called(function: Any, shapes: list[tuple[int, ...]], *given: Any) -> Any:
        lead = given[0].shape[:-1]
        types = tuple(jax.ShapeDtypeStruct((*lead, *shape), jnp.float64) for shape in shapes)
        return jax.pure_callback(lambda *arrays: _tuple(function(*arrays)), types, *given, vmap_method="broadcast_all")

    square = (robot.nv, robot.nv)

    @jax.custom_jvp
    def value(*given: Any) -> Any:
        return called(module.forward_dynamics, [(robot.nv,)], *given)[0]

    @value.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        matrices = called(module.forward_dynamics_partials, [square] * 3, *primals)
        terms = [jnp.einsum("...ij,...j->...i", *pair) for pair in zip(matrices, tangents, strict=True)]
        return value(*primals), sum(terms)

    return value


def by_target(robot: Any, layout: str) -> Any:
    """The JAX target."""
    import symdyn

    return symdyn.compile(robot, ["forward_dynamics"], target="jax", layout=layout).forward_dynamics


def _tuple(found: Any) -> tuple[Any, ...]:
    return tuple(found) if isinstance(found, tuple) else (found,)


def _figures(call: Any, batch: list[Any], forces: Any) -> tuple[list[str], list[Any]]:
    import jax

    single, several = jax.device_put([rows[0] for rows in batch]), jax.device_put(batch)
    one = jax.jit(call)
    gradient = jax.jit(jax.grad(rollout(call), (0, 1, 2)))
    start = process_time()
    found = jax.block_until_ready(gradient(forces, single[0], single[1]))
    first = process_time() - start
    times = [
        _seconds(lambda: jax.block_until_ready(one(*single))) * 1e6,
        _seconds(lambda: jax.block_until_ready(one(*several))) * 1e6 / len(batch[0]),
        _seconds(lambda: jax.block_until_ready(gradient(forces, single[0], single[1]))) * 1e3,
    ]
    return [*(f"{time:.3f}" for time in times), f"{first:.2f}"], [np.asarray(own) for own in found]


def rollout(call: Any) -> Callable[[Any, Any, Any], Any]:
    """The sum of squares along a rollout of 10 ms steps."""
    import jax

    def loss(forces: Any, q: Any, v: Any) -> Any:
        def step(state: Any, tau: Any) -> Any:
            v = state[1] + 0.01 * call(*state, tau)
            q = state[0] + 0.01 * v
            return (q, v), (q**2).sum()

        return jax.lax.scan(step, (q, v), forces)[1].sum()

    return loss


def _processor() -> float:
    """Seconds of this process, and of the compilers that it ran."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def _seconds(call: Callable[[], Any]) -> float:
    call()
    timer = timeit.Timer(call, timer=process_time)
    once = max(timer.timeit(1), 1e-6)
    number = max(1, int(0.1 / once))
    return min(timer.repeat(ROUNDS, number)) / number


def _show(cells: tuple[str, ...]) -> None:
    print("".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True)), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
