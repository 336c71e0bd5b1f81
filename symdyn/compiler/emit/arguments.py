"""Signatures in words: what each scalar of an argument is called and in which unit, wrapped for comments."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from symdyn.compiler.emit.names import comment
from symdyn.compiler.tape.tape import operation_total
from symdyn.interface.signature import Argument, Signature

WIDTH = 100
BY_PLACE = "/"
"""What Python writes behind parameters that are given by their place alone."""


def wrap_items(items: Iterable[str], width: int) -> list[str]:
    """Items joined by commas, on lines of at most ``width`` characters unless one item alone is longer."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= width:
            lines[-1] += f", {item}"
        else:
            if lines:
                lines[-1] += ","
            lines.append(item)
    return lines


def call_lines(function: str, arguments: Iterable[str], end: str = "") -> list[str]:
    """A call on lines of at most ``WIDTH`` characters, the later ones indented."""
    lines = wrap_items(arguments, WIDTH - 4)
    first = "".join(lines[:1])
    if not lines or (len(lines) == 1 and len(function) + len(first) + 2 <= WIDTH):
        return [f"{function}({first}){end}"]
    return [f"{function}(", *(f"    {line}" for line in lines[:-1]), f"    {lines[-1]}){end}"]


def parameters(names: Sequence[str]) -> list[str]:
    """Parameters of a Python signature: one whose name is a word of Python is given by its place, and all before it."""
    by_place = max((place for place, name in enumerate(names, 1) if keyword.iskeyword(name)), default=0)
    texts = [f"{name}_" if keyword.iskeyword(name) else name for name in names]
    return [*texts[:by_place], BY_PLACE, *texts[by_place:]] if by_place else texts


def option_lines(signature: Signature) -> list[str]:
    """What was asked of a function, one option per line; several names are joined by commas."""
    texts = {name: value if isinstance(value, str) else ", ".join(value) for name, value in signature.options.items()}
    return [f"{comment(name)}: {comment(text)}" for name, text in sorted(texts.items())]


def shape_text(argument: Argument) -> str:
    """Shape as in ``tau[7]`` or ``M[7][7]``, empty for a scalar."""
    return "".join(f"[{extent}]" for extent in argument.shape)


def row_items(argument: Argument) -> list[list[str]]:
    """Per axis, what each index stands for; where units differ along a vector, its entries carry them."""
    axes = [[f"{index} {comment(name)}" for index, name in enumerate(axis)] for axis in argument.rows]
    if len(axes) == 1 and len(set(argument.units)) > 1:
        return [[entry + _bracket(unit) for entry, unit in zip(axes[0], argument.units, strict=True)]]
    return axes


def unit_text(argument: Argument) -> str:
    """Unit of all elements, or the units that occur in an array of two or more axes; empty where the rows tell them."""
    units = [unit for unit in dict.fromkeys(argument.units) if unit]
    if len(set(argument.units)) > 1:
        return "" if len(argument.shape) == 1 else "; ".join(map(comment, units)) + "; each in the manifest"
    return "".join(map(comment, units))


def argument_lines(argument: Argument, direction: str, name: str, width: int = WIDTH) -> list[str]:
    """One argument for a doc comment: a heading, then its rows indented by four."""
    unit = unit_text(argument)
    heading = f"{direction:<3} {name}{shape_text(argument)}" + (f" [{unit}]" if unit else "")
    if argument.description:
        heading += f": {comment(argument.description)}"
    lines = [heading]
    for number, items in enumerate(row_items(argument)):
        if items:
            lead = f"axis {number}: " if len(argument.shape) > 1 else ""
            for line in wrap_items(items, width - 4 - len(lead)):
                lines.append(f"    {lead}{line}")
                lead = " " * len(lead)
    return lines


def all_argument_lines(signature: Signature, name: Callable[[str], str]) -> list[str]:
    """All arguments for a doc comment, the inputs first, by their names in the language."""
    lines: list[str] = []
    for direction, group in (("in", signature.inputs), ("out", signature.outputs)):
        for argument in group:
            lines += argument_lines(argument, direction, name(argument.name))
    return lines


def count_lines(counts: Mapping[str, int], width: int) -> list[str]:
    """Operation counts, ``1347 (add 520, mul 640, ...)``, on lines; ``0`` for a function that only copies."""
    kinds = [f"{code} {number}" for code, number in sorted(counts.items())]
    if not kinds:
        return ["0"]
    kinds[0] = f"{total(counts)} ({kinds[0]}"
    kinds[-1] += ")"
    return wrap_items(kinds, width)


def count_text(counts: Mapping[str, int]) -> str:
    """Operation counts on one line."""
    return " ".join(count_lines(counts, WIDTH))


def total(counts: Mapping[str, int]) -> int:
    """All operations, in the project's counting."""
    return operation_total(Counter(counts))


def _bracket(unit: str) -> str:
    return f" [{comment(unit)}]" if unit else ""
