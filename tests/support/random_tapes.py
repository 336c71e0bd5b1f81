"""Random tapes: sums, products, signs, safe functions and quotients, small powers, comparisons and selections."""

from __future__ import annotations

from hypothesis import strategies as st

from support.tapes import Line, tape_of
from symdyn.compiler.tape.tape import Tape

CONSTANTS = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -0.25, 0.1, -1.7)
KINDS = ("add", "sub", "mul", "neg", "constant", "function", "div", "pow", "select", "fma")
SAFE = ("sin", "cos", "atan", "tanh", "abs")
INPUTS = 4


@st.composite
def tapes(draw: st.DrawFn) -> Tape:
    """Sums, products, signs, safe functions, safe quotients, small powers, comparisons; some results repeated."""
    lines: list[Line] = [("x", element) for element in range(INPUTS)]
    numbers = list(range(INPUTS))
    for _ in range(draw(st.integers(1, 25))):
        kind = draw(st.sampled_from(KINDS))
        a, b, c = (draw(st.sampled_from(numbers)) for _ in range(3))
        match kind:
            case "constant":
                lines.append((draw(st.sampled_from(CONSTANTS)),))
            case "function":
                lines.append((draw(st.sampled_from(SAFE)), a))
            case "div":  # by a constant, or by 2 + |b|
                if draw(st.booleans()):
                    lines += [(draw(st.sampled_from((1.0, -1.0, 4.0, -0.5, 3.0))),), ("div", a, len(lines))]
                else:
                    lines += [(2.0,), ("abs", b), ("add", len(lines), len(lines) + 1), ("div", a, len(lines) + 2)]
            case "pow":
                lines += [(draw(st.sampled_from((1.0, 2.0, 3.0))),), ("pow", a, len(lines))]
            case "select":
                lines += [("less", a, b), ("not", len(lines)), ("select", len(lines) + 1, b, c)]
            case "neg":
                lines.append(("neg", a))
            case "fma":
                lines.append(("fma", a, b, c))
            case _:
                lines.append((kind, a, b))
        numbers.append(len(lines) - 1)
    chosen = draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=3))
    return tape_of(*lines, width=INPUTS, results=[*chosen, numbers[-1]])
