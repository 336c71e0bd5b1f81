"""What equality saturation (egglog) saves on small kernels: arithmetic instructions, with a * b + c counted as one.

usage: python benchmarks/equality_saturation.py [rounds] [matches per rule and round]

Needs ``pip install egglog``, which symdyn itself does not use. Each kernel's values are checked at random points.
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace

import egglog
from egglog import EGraph
from equalities import Number, rules
from peers.robots import ROBOTS, symdyn_robot

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.pipeline import simplify_tape
from symdyn.compiler.tape.builder import TapeBuilder
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.generation import pipeline

CASES = (
    ("ur5", "inverse_dynamics", "rolled"),
    ("ur5", "forward_dynamics", "rolled"),
    ("ur5", "mass_matrix", "unrolled"),
)
ARITHMETIC = ("add", "sub", "mul", "neg")


def kernels(robot: str, function: str, layout: str) -> Iterator[Tape]:
    """The tapes of a function without the passes that only order instructions."""
    (program,) = pipeline.programs(symdyn_robot(ROBOTS[robot]), [function], layout)
    for tape in program.tapes:
        yield _arithmetic_part(simplify_tape(tape))


def _arithmetic_part(tape: Tape) -> Tape:
    """Other instructions become inputs, and what they rest on results, so that nothing is lost."""
    ops: list[Op] = []
    results: list[int] = []
    elements = 0
    for op in tape.ops:
        if op.code in (*ARITHMETIC, "constant"):
            ops.append(op)
            continue
        results += [argument for argument in op.args if tape.ops[argument].code in ARITHMETIC]
        ops.append(Op("input", source=(0, elements)))
        elements += 1
    results += [position for port in tape.results for position in port if tape.ops[position].code in ARITHMETIC]
    results = list(dict.fromkeys(results))
    return Tape(tape.name, (Port("x", elements),), (Port("y", len(results)),), tuple(ops), (tuple(results),))


def saturated(tape: Tape, rounds: int, matches: int) -> Tape:
    """The cheapest equal tape that is found after some rounds of rewriting."""
    values: list[Number] = []
    for op in tape.ops:
        args = [values[argument] for argument in op.args]
        match op.code:
            case "input":
                values.append(Number.leaf(str(op.source[1])))
            case "constant":
                values.append(Number(op.literal))
            case "neg":
                values.append(-args[0])
            case "add":
                values.append(args[0] + args[1])
            case "sub":
                values.append(args[0] - args[1])
            case "mul":
                values.append(args[0] * args[1])
    wanted = [values[position] for position in tape.results[0]]
    root = wanted[-1]
    for value in reversed(wanted[:-1]):
        root = Number.both(value, root)
    graph = EGraph()
    root = graph.let("root", root)
    equalities, fused = rules()
    graph.run(egglog.run(equalities, scheduler=egglog.back_off(match_limit=matches)) * rounds)
    graph.run(egglog.run(fused) * 1)
    return _read(tape, graph.extract(root, cost_model=egglog.greedy_dag_cost_model()))


def _read(tape: Tape, root: Number) -> Tape:
    """An extracted expression as a tape; fused instructions are written as a product and a sum."""
    builder, table = TapeBuilder(share=True), dict[int, int]()
    functions = {Number.__add__: "add", Number.__sub__: "sub", Number.__mul__: "mul", Number.__neg__: "neg"}

    def place(value: Number) -> int:
        key = hash(value)  # expressions compare as equations, not as keys
        if key not in table:
            table[key] = make(value)
        return table[key]

    def make(value: Number) -> int:
        function = egglog.get_callable_fn(value)
        args = egglog.get_callable_args(value) or ()
        if function == Number.leaf:
            return builder.append(Op("input", source=(0, int(str(egglog.get_literal_value(args[0]))))))
        if function in functions:
            return builder.emit(functions[function], *(place(item) for item in args))
        if function in (Number.plus_product, Number.minus_product, Number.product_less):
            product, other = builder.emit("mul", place(args[0]), place(args[1])), place(args[2])
            if function == Number.product_less:
                return builder.emit("sub", product, other)
            return builder.emit("add" if function == Number.plus_product else "sub", other, product)
        return builder.constant(float(str(egglog.get_literal_value(args[0]))))

    results: list[int] = []
    while egglog.get_callable_fn(root) == Number.both:
        first, root = egglog.get_callable_args(root, Number.both)
        results.append(place(first))
    results.append(place(root))
    return simplify_tape(replace(tape, ops=tuple(builder.ops), results=(tuple(results),)))


def instructions(tape: Tape) -> int:
    """Arithmetic instructions, a product that one sum alone needs counted with the sum."""
    uses = [0] * len(tape.ops)
    for op in tape.ops:
        for argument in op.args:
            uses[argument] += 1
    for position in tape.results[0]:
        uses[position] += 1
    total = sum(op.code in ARITHMETIC for op in tape.ops)
    for op in tape.ops:
        fusable = [argument for argument in op.args if uses[argument] == 1 and tape.ops[argument].code == "mul"]
        total -= op.code in ("add", "sub") and bool(fusable)
    return total


def _attempt(tape: Tape, rounds: int, matches: int) -> Tape | None:
    """The saturated tape, or None where egglog finds no expression for a result (its library then panics)."""
    try:
        return saturated(tape, rounds, matches)
    except BaseException as failure:
        if type(failure).__name__ != "PanicException":
            raise
        return None


def _check(tape: Tape, found: Tape, rng: random.Random) -> None:
    x = [rng.uniform(-1.0, 1.0) for _ in range(tape.inputs[0].width)]
    pairs = zip(*(evaluate_tape(item, FloatAlgebra(), [x])[0] for item in (tape, found)), strict=True)
    if not all(abs(left - right) <= 1e-12 * (1.0 + abs(left)) for left, right in pairs):
        raise SystemExit(f"{tape.name}: values differ")


def main(rounds: int = 3, matches: int = 500) -> int:
    """Print a line per kernel: operations, and instructions before and after 1, 2, ... rounds."""
    sys.setrecursionlimit(100_000)
    print(f"{'kernel':55}{'operations':>11}{'instructions, and after each round':>36}{'seconds':>9}")
    rng = random.Random(1)
    for robot, function, layout in CASES:
        for tape in kernels(robot, function, layout):
            operations = sum(op.code in ARITHMETIC for op in tape.ops)
            if not operations:
                continue
            start, counts = time.process_time(), [str(instructions(tape))]
            for number in range(1, rounds + 1):
                found = _attempt(tape, number, matches)
                if found is not None:
                    _check(tape, found, rng)
                counts.append("-" if found is None else str(instructions(found)))
            seconds = time.process_time() - start
            name = f"{robot} {function} {layout}: {tape.name}"
            print(f"{name:55}{operations:>11}{' '.join(counts):>36}{seconds:9.1f}", flush=True)
    return 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main(*(int(argument) for argument in sys.argv[1:])))
