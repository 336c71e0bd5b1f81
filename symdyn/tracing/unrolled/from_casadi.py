"""From CasADi SX expressions to a Tape: the instruction list of an SX function, read one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi

from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.errors import InternalError

_UNARY = {
    casadi.OP_NEG: "neg",
    casadi.OP_SQRT: "sqrt",
    casadi.OP_SIN: "sin",
    casadi.OP_COS: "cos",
    casadi.OP_TAN: "tan",
    casadi.OP_ASIN: "asin",
    casadi.OP_ACOS: "acos",
    casadi.OP_ATAN: "atan",
    casadi.OP_SINH: "sinh",
    casadi.OP_COSH: "cosh",
    casadi.OP_TANH: "tanh",
    casadi.OP_EXP: "exp",
    casadi.OP_LOG: "log",
    casadi.OP_FABS: "abs",
    casadi.OP_SIGN: "sign",
}
_BINARY = {
    casadi.OP_ADD: "add",
    casadi.OP_SUB: "sub",
    casadi.OP_MUL: "mul",
    casadi.OP_DIV: "div",
    casadi.OP_POW: "pow",
    casadi.OP_CONSTPOW: "pow",
    casadi.OP_ATAN2: "atan2",
    casadi.OP_FMIN: "min",
    casadi.OP_FMAX: "max",
    casadi.OP_LT: "less",
    casadi.OP_LE: "less_equal",
    casadi.OP_EQ: "equal",
    casadi.OP_AND: "and",
    casadi.OP_OR: "or",
}
_TRUTH = frozenset({"less", "less_equal", "equal", "not", "and", "or"})


class _Recorder:
    """Appends instructions; CasADi's truth values are numbers, so conversions are inserted where the two meet."""

    def __init__(self) -> None:
        self.ops: list[Op] = []

    def emit(self, code: str, *args: int) -> int:
        ops = self.ops
        ops.append(Op(code, args, 0.0, (0, 0), True in [ops[argument].varying for argument in args]))
        return len(ops) - 1

    def constant(self, value: float) -> int:
        self.ops.append(Op("constant", literal=value, varying=False))
        return len(self.ops) - 1

    def truth(self, position: int) -> int:
        if self.ops[position].code in _TRUTH:
            return position
        return self.emit("not", self.emit("equal", position, self.constant(0.0)))

    def number(self, position: int) -> int:
        if self.ops[position].code not in _TRUTH:
            return position
        return self.emit("select", position, self.constant(1.0), self.constant(0.0))


def _negated_equal(recorder: _Recorder, x: int, y: int) -> int:
    return recorder.emit("not", recorder.emit("equal", x, y))


_COMPOSED: dict[int, Callable[..., int]] = {
    casadi.OP_SQ: lambda recorder, x: recorder.emit("mul", x, x),
    casadi.OP_TWICE: lambda recorder, x: recorder.emit("add", x, x),
    casadi.OP_INV: lambda recorder, x: recorder.emit("div", recorder.constant(1.0), x),
    casadi.OP_NE: _negated_equal,
}


def trace_casadi(
    name: str,
    inputs: Sequence[tuple[Port, Sequence[casadi.SX]]],
    outputs: Sequence[tuple[Port, Sequence[Any]]],
    description: str = "",
) -> Tape:
    """The tape that computes output expressions from input symbols.

    Parameters
    ----------
    name
        The tape's name.
    inputs
        Each input port with its symbols.
    outputs
        Each output port with its expressions or numbers.
    description
        One line for the emitted kernel.

    Returns
    -------
    A tape in CasADi's order of instructions (depth first from the outputs), before any pass.
    """
    columns = [casadi.vertcat(*symbols) for _, symbols in inputs]
    rows = [casadi.densify(casadi.vertcat(*map(_expression, items))) for _, items in outputs]
    function = casadi.Function("traced", columns, rows, {"live_variables": False})
    recorder = _Recorder()
    place: dict[int, int] = {}
    results: list[list[int]] = [[-1] * port.width for port, _ in outputs]
    for index in range(function.n_instructions()):
        code = function.instruction_id(index)
        source, target = function.instruction_input(index), function.instruction_output(index)
        if code == casadi.OP_INPUT:
            varying = inputs[source[0]][0].varying
            recorder.ops.append(Op("input", source=(source[0], source[1]), varying=varying))
            place[target[0]] = len(recorder.ops) - 1
        elif code == casadi.OP_OUTPUT:
            results[target[0]][target[1]] = recorder.number(place[source[0]])
        elif code == casadi.OP_CONST:
            place[target[0]] = recorder.constant(function.instruction_constant(index))
        else:
            place[target[0]] = _instruction(recorder, code, [place[argument] for argument in source])
    return Tape(
        name,
        tuple(port for port, _ in inputs),
        tuple(port for port, _ in outputs),
        tuple(recorder.ops),
        tuple(tuple(found) for found in results),
        description=description,
    )


def _expression(value: Any) -> casadi.SX:
    return value if isinstance(value, casadi.SX) else casadi.SX(value)


def _instruction(recorder: _Recorder, code: int, arguments: list[int]) -> int:
    if code == casadi.OP_IF_ELSE_ZERO:
        condition = recorder.truth(arguments[0])
        return recorder.emit("select", condition, recorder.number(arguments[1]), recorder.constant(0.0))
    if code == casadi.OP_NOT:
        return recorder.emit("not", recorder.truth(arguments[0]))
    if code in (casadi.OP_AND, casadi.OP_OR):
        return recorder.emit(_BINARY[code], *(recorder.truth(argument) for argument in arguments))
    numbers = [recorder.number(argument) for argument in arguments]
    if code in _COMPOSED:
        return _COMPOSED[code](recorder, *numbers)
    if code in _UNARY:
        return recorder.emit(_UNARY[code], numbers[0])
    if code in _BINARY:
        return recorder.emit(_BINARY[code], *numbers)
    if code == casadi.OP_ASSIGN:
        return numbers[0]
    raise InternalError(f"CasADi instruction {code} has no tape code; please report the function that uses it")
