"""Programs that every back end must get right: all operations, awkward constants, and loops of every kind."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Gather, Loop, Program, Trips
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.interface.signature import Argument, Signature

NAMES = (
    "every_operation",
    "awkward_constants",
    "looped",
    "triangular",
    "product_remainder",
    "overlapping",
    "nothing_moves",
    "many_alike_loops",
)
"""All programs here that compute numbers, by name."""
ODD_ROBOT = 'arm */ "x" \\ ??/ `|` é\n2'
ODD_JOINTS = ("a-b", "a_b", "*/ #include <x>", "elbow", '"""', "sin")


def argument(name: str, size: int, unit: str = "rad", rows: Sequence[str] = ()) -> Argument:
    """A vector with made-up row names."""
    return Argument(
        name, (size,), (tuple(rows) or tuple(f"{name}{index}" for index in range(size)),), (unit,), f"the {name}"
    )


class TapeBuilder:
    """Appends instructions and hands back their positions."""

    def __init__(self, name: str, inputs: Sequence[Port], outputs: Sequence[Port]) -> None:
        self.name, self.inputs, self.outputs = name, tuple(inputs), tuple(outputs)
        self.ops: list[Op] = []

    def input(self, port: int, element: int) -> int:
        self.ops.append(Op("input", source=(port, element)))
        return len(self.ops) - 1

    def constant(self, value: float) -> int:
        self.ops.append(Op("constant", literal=value, varying=False))
        return len(self.ops) - 1

    def op(self, code: str, *args: int, varying: bool = True) -> int:
        self.ops.append(Op(code, args, varying=varying))
        return len(self.ops) - 1

    def tape(self, *results: Sequence[int], description: str = "") -> Tape:
        return Tape(
            self.name,
            self.inputs,
            self.outputs,
            tuple(self.ops),
            tuple(tuple(port) for port in results),
            description=description,
        )


def straight(tape: Tape, function: str, dtype: str = "float64", robot: str = "toy") -> Program:
    """One call of one tape, its ports the arguments of the function."""
    inputs = tuple(argument(port.name, port.width, port.unit, port.origins) for port in tape.inputs)
    outputs = tuple(argument(port.name, port.width, port.unit) for port in tape.outputs)
    buffers = tuple(Buffer(item.name, BufferKind.IN, item.size) for item in inputs)
    buffers += tuple(Buffer(item.name, BufferKind.OUT, item.size) for item in outputs)
    call = Call(
        tape.name, tuple(Affine(item.name, 0) for item in inputs), tuple(Affine(item.name, 0) for item in outputs)
    )
    signature = Signature(robot, function, inputs, outputs, "A function of this robot", {"convention": "pinocchio"})
    return Program(signature, buffers, (tape,), (call,), dtype)


def every_operation(dtype: str = "float64") -> Program:
    """Each code once over x (in [0.1, 0.9]), and its result beside all others in y."""
    codes = [code for code in OPS if code not in ("input", "constant", "sincos", "sin_of", "cos_of", "product")]
    width = len(codes) + 4
    build = TapeBuilder("all", [Port("x", 4, "rad", ("a-b", "*/", "elbow", "sin"))], [Port("y", width, "1")])
    x = [build.input(0, index) for index in range(4)]
    repeated = build.input(0, 1)
    first, second = build.op("less", x[0], x[1]), build.op("less", x[2], x[3])
    one, zero = build.constant(1.0), build.constant(0.0)
    results = []
    for code in codes:
        truth = code in ("not", "and", "or")
        operands = (first, second, first) if truth else (first, x[0], repeated) if code == "select" else tuple(x[:3])
        value = build.op(code, *operands[: OPS[code].operands], varying=code != "lane_sum")
        results.append(build.op("select", value, one, zero) if OPS[code].boolean else value)
    pair = build.op("sincos", x[3])
    results += [build.op("sin_of", pair), build.op("cos_of", pair)]
    lone = build.op("sincos", x[2])
    results += [build.op("cos_of", lone), x[3]]
    build.op("exp", x[0])  # reaches no result
    return straight(build.tape(results), "every_operation", dtype)


AWKWARD = (
    -0.0,
    0.0,
    1e-300,
    1 / 3,
    3.141592653589793,
    1e22,
    -2.5,
    5e-324,
    1.7976931348623157e308,
    0.1,
    -1.0,
    123456789.0,
)
AWKWARD_SINGLE = (
    -0.0,
    0.0,
    1e-30,
    1 / 3,
    3.141592653589793,
    1e22,
    -2.5,
    1e-45,
    3.4028234663852886e38,
    0.1,
    -1.0,
    16777217.0,
)


def awkward_constants(dtype: str = "float64") -> Program:
    """Constants as results, as operands, under a minus sign, and in nested selections."""
    constants = AWKWARD if dtype == "float64" else AWKWARD_SINGLE
    build = TapeBuilder("constants", [Port("x", 2)], [Port("y", 2 * len(constants)), Port("z", 5)])
    places = [build.constant(value) for value in constants]
    x = [build.input(0, 0), build.input(0, 1)]
    negated = [build.op("neg", place) for place in places]
    less, equal = build.op("less", x[0], places[10]), build.op("equal", x[1], places[1])
    inner = build.op("select", less, places[3], places[6])
    outer = build.op("select", equal, build.op("select", build.op("not", less), places[9], inner), inner)
    z = [
        outer,
        build.op("sub", x[0], places[6]),
        build.op("mul", places[6], x[1]),
        build.op("min", places[10], x[0]),
        build.op("sign", build.op("mul", x[0], places[0])),
    ]
    return straight(build.tape(places + negated, z), "awkward_constants", dtype)


def _chain_kernels() -> tuple[Tape, Tape, Tape, Tape]:
    set_up = TapeBuilder("set up", [], [Port("f", 12), Port("total", 1)])
    zero = set_up.constant(0.0)
    down = TapeBuilder("down", [Port("c", 2), Port("q", 1), Port("g", 1)], [Port("state", 2)])
    angle = down.input(1, 0)
    pair = down.op("sincos", angle)
    scaled = down.op("mul", down.input(0, 0), down.op("sin_of", pair))
    shifted = down.op("fma", down.input(0, 1), down.op("cos_of", pair), down.input(2, 0))
    up = TapeBuilder("up-1", [Port("state", 2), Port("f", 2)], [Port("tau", 1), Port("f", 2, accumulate=True)])
    product = up.op("mul", up.input(0, 0), up.input(1, 1))
    force = up.op("add", product, up.input(1, 0))
    swapped = (up.input(1, 1), up.input(1, 0))
    grid = TapeBuilder("grid", [Port("s", 2), Port("t", 2)], [Port("m", 1), Port("total", 1, accumulate=True)])
    term = grid.op("add", grid.input(0, 0), grid.op("mul", grid.input(1, 1), grid.constant(0.5)))
    return (
        set_up.tape([zero] * 12, [zero], description="all forces to nothing */"),
        down.tape([scaled, shifted]),
        up.tape([force], swapped),
        grid.tape([term], [term]),
    )


def looped(dtype: str = "float64", robot: str = "toy") -> Program:
    """Loops one and two deep, backwards too, over tables, gathers, a workspace, parameters and accumulated outputs."""
    set_up, down, up, grid = _chain_kernels()
    buffers = (
        Buffer("q", BufferKind.IN, 6, dtype=dtype),
        Buffer("p", BufferKind.PARAM, 1, dtype=dtype),
        Buffer("tau", BufferKind.OUT, 6, dtype=dtype),
        Buffer("m", BufferKind.OUT, 12, dtype=dtype),
        Buffer("total", BufferKind.OUT, 1, dtype=dtype),
        Buffer("state", BufferKind.WORKSPACE, 2, 6, dtype, description="one row per body"),
        Buffer("f", BufferKind.WORKSPACE, 2, 6, dtype),
        Buffer("numbers", BufferKind.TABLE, 2, 6, dtype, values=tuple(0.3 - 0.1 * index for index in range(12))),
        Buffer("order", BufferKind.INDEX, 1, 6, values=(3, 1, 5, 0, 4, 2), description="where each body's angle is"),
        Buffer("far", BufferKind.INDEX, 1, 1, values=(70000,)),
        Buffer("unused", BufferKind.TABLE, 1, 1, dtype, values=(1.0,)),
    )
    body = (
        Call("set up", (), (Affine("f", 0), Affine("total", 0))),
        Loop(
            6,
            (
                Call(
                    "down",
                    (Affine("numbers", 0, (2,)), Gather("q", "order", 0, (1,)), Affine("p", 0)),
                    (Affine("state", 0, (2,)),),
                ),
                Call(
                    "up-1",
                    (Affine("state", 0, (2,)), Affine("numbers", 0, (2,))),
                    (Affine("tau", 5, (-1,)), Affine("f", 0)),
                ),
            ),
        ),
        Loop(
            3,
            (
                Loop(
                    4,
                    (
                        Call(
                            "grid",
                            (Affine("state", 10, (-4, 0)), Affine("f", 0, (0, 2))),
                            (Affine("m", 3, (4, -1)), Affine("total", 0)),
                        ),
                    ),
                ),
            ),
        ),
        Loop(0, (Call("set up", (), (Affine("f", 0), Affine("total", 0))),)),
    )
    signature = Signature(
        robot,
        "looped",
        (argument("q", 6, rows=ODD_JOINTS), argument("p", 1, "kg", ("forearm.mass",))),
        (
            argument("tau", 6, "N m", ODD_JOINTS),
            Argument("m", (3, 4), (("r0", "r1", "r2"), ("c0", "c1", "c2", "c3")), ("kg",), "a grid"),
            Argument("total", (), (), ("J",), "sum of the grid"),
        ),
        "Loops of every kind",
    )
    return Program(signature, buffers, (set_up, down, up, grid), body, dtype, "rolled")


def triangular(dtype: str = "float64") -> Program:
    """Rows of unequal length: an affine number of runs, numbers from a table, a condition, and gathers that advance."""
    take = TapeBuilder("take", [Port("x", 1)], [Port("y", 1)])
    add = TapeBuilder("add", [Port("x", 1), Port("w", 1)], [Port("y", 1, accumulate=True)])
    halve = TapeBuilder("halve", [Port("y", 1)], [Port("z", 1)])
    tapes = (
        take.tape([take.input(0, 0)]),
        add.tape([add.op("product", add.input(0, 0), add.input(1, 0))]),
        halve.tape([halve.op("mul", halve.input(0, 0), halve.constant(0.5))]),
    )
    buffers = (
        Buffer("x", BufferKind.IN, 5, dtype=dtype),
        Buffer("y", BufferKind.OUT, 5, dtype=dtype),
        Buffer("z", BufferKind.OUT, 5, dtype=dtype),
        Buffer("w", BufferKind.TABLE, 1, 5, dtype, values=(0.5, -1.0, 2.0, 0.25, 3.0)),
        Buffer("runs", BufferKind.INDEX, 1, 5, values=(0, 2, 1, 0, 3), description="numbers of runs"),
        Buffer("chosen", BufferKind.INDEX, 1, 5, values=(1, 0, 0, 1, 1), description="rows that are halved"),
        Buffer("last", BufferKind.INDEX, 1, 5, values=(1, 2, 3, 4, 5)),
    )
    row = (
        Call("take", (Affine("x", 0, (1,)),), (Affine("y", 0, (1,)),)),
        Call("take", (Affine("x", 4, (-1,)),), (Affine("z", 0, (1,)),)),
        Loop(
            Trips(0, (1,)),
            (Call("add", (Affine("x", -1, (1, -1)), Affine("w", 0, (0, 1))), (Affine("y", 0, (1, 0)),)),),
        ),
        Loop(
            Trips(0, (1,), "runs"),
            (Call("add", (Gather("x", "last", 0, (1, 0), (0, -1), -1), Affine("w", 4)), (Affine("y", 0, (1, 0)),)),),
        ),
        Loop(
            Trips(0, (1,), "chosen"),
            (
                Call("halve", (Affine("y", 0, (1, 0)),), (Affine("z", 0, (1, 0)),)),
                Loop(
                    2,
                    (Call("add", (Affine("x", 0, (0, 0, 2)), Affine("w", 0, (1, 0))), (Affine("z", 0, (1, 0)),)),),
                ),
            ),
        ),
        Loop(Trips(0, (1,), "chosen"), (Call("take", (Affine("x", 0, (0, 1)),), (Affine("y", 0, (1, 3)),)),)),
    )
    signature = Signature(
        "toy", "triangular", (argument("x", 5),), (argument("y", 5), argument("z", 5)), "Rows of a triangle"
    )
    return Program(signature, buffers, tapes, (Loop(5, row),), dtype, "rolled")


def product_remainder(dtype: str = "float64") -> Program:
    """What a rounded product leaves over: zero where a fused multiply-add is rounded twice."""
    build = TapeBuilder("remainder", [Port("x", 2)], [Port("y", 1)])
    x = [build.input(0, 0), build.input(0, 1)]
    negated = build.op("neg", build.op("mul", *x))
    return straight(build.tape([build.op("fma", *x, negated)]), "product_remainder", dtype)


def overlapping(dtype: str = "float64") -> Program:
    """A kernel that adds to the places that it reads: every load must come before every store."""
    start = TapeBuilder("start", [Port("x", 3)], [Port("y", 3)])
    loads = [start.input(0, index) for index in range(3)]
    turn = TapeBuilder("turn", [Port("y", 3)], [Port("y", 3, accumulate=True)])
    turned = [turn.input(0, (index + 1) % 3) for index in range(3)]
    call = (Affine("y", 0),)
    signature = Signature("toy", "overlapping", (argument("x", 3),), (argument("y", 3),), "y = x, then y += turned y")
    return Program(
        signature,
        (Buffer("x", BufferKind.IN, 3, dtype=dtype), Buffer("y", BufferKind.OUT, 3, dtype=dtype)),
        (start.tape(loads), turn.tape(turned)),
        (Call("start", (Affine("x", 0),), call), Loop(2, (Call("turn", call, call),))),
        dtype,
        "rolled",
    )


def nothing_moves(dtype: str = "float64") -> Program:
    """Empty arguments: a robot whose joints are all fixed."""
    build = TapeBuilder("still", [Port("q", 0)], [Port("tau", 0), Port("energy", 1)])
    energy = build.constant(2.5)
    return straight(build.tape([], [energy]), "nothing_moves", dtype)


def many_alike_loops(dtype: str = "float64") -> Program:
    """So many loops of two forms, forward and backward and inside of another one, that each form becomes a function."""
    build = TapeBuilder("square", [Port("x", 2)], [Port("y", 1)])
    square = build.tape([build.op("mul", build.input(0, 0), build.input(0, 1))])

    def loop(count: int, start: int, step: int, place: int, outer: tuple[int, ...] = ()) -> Loop:
        read, written = Affine("x", start, (*outer, step)), Affine("y", place, (*(3 * own for own in outer), 1))
        return Loop(count, (Call("square", (read,), (written,)),), independent=True)

    alike = [loop(3, number % 4, 1, 3 * number) if number % 2 else loop(3, 5, -1, 3 * number) for number in range(70)]
    outer = Loop(2, (loop(3, 0, 1, 210, (1,)),))
    signature = Signature(
        "toy", "many_alike_loops", (argument("x", 7),), (argument("y", 216),), "products of neighbours"
    )
    buffers = (Buffer("x", BufferKind.IN, 7, dtype=dtype), Buffer("y", BufferKind.OUT, 216, dtype=dtype))
    return Program(signature, buffers, (square,), (*alike, outer), dtype, "rolled")


ALL = (
    every_operation,
    awkward_constants,
    looped,
    triangular,
    product_remainder,
    overlapping,
    nothing_moves,
    many_alike_loops,
)
"""Makers of all programs, each taking the dtype."""
