"""What a generated Python module says about its functions: docstrings, and signatures as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, all_argument_lines, count_lines, option_lines, total, wrap_items
from symdyn.compiler.emit.contents import Function
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.results import result_of
from symdyn.interface.signature import Signature

PYTHON_SCOPE = Mangler(reserved=frozenset({"work", "out", "states", "DTYPE", "CHUNK", "signature"}))
"""Parameters of Python functions; the reserved ones are the generated module's own."""


def documentation(function: Function) -> list[str]:
    """Docstring lines on a function's arguments and cost."""
    lines = all_argument_lines(function.signature, PYTHON_SCOPE.name)
    lines += option_lines(function.signature)
    return [*lines, "Operations per state:", *(f"    {line}" for line in count_lines(function.counts, WIDTH - 4))]


def result_context(signatures: Iterable[Signature]) -> list[dict[str, Any]]:
    """The named tuples of functions with several outputs, and their fields: what they hold, and if that is a scalar."""
    found = ((signature.function, result_of(signature)) for signature in signatures)
    return [
        {
            "name": result.name,
            "function": function,
            "fields": [(name, comment(output.description), not output.shape) for name, output in result.fields],
        }
        for function, result in found
        if result is not None
    ]


def title(signature: Signature) -> str:
    """First line of a function's docstring."""
    text = comment(signature.description or signature.function)
    return text if text.endswith(".") else f"{text}."


def signature_lines(functions: Iterable[Function]) -> list[str]:
    """The table of signatures as a Python display: strings and numbers only, escaped to ASCII."""
    lines = ["{"]
    for function in functions:
        data: dict[str, Any] = {
            **function.signature.to_dict(),
            "counts": dict(sorted(function.counts.items())),
            "operations": total(function.counts),
        }
        lines.append(f"    {function.name!a}: {{")
        for key, value in data.items():
            if key in ("inputs", "outputs"):
                lines.append(f"        {key!a}: [")
                for argument in value:
                    lines += _display(argument, 12)
                lines.append("        ],")
            else:
                lines.append(f"        {key!a}: {value!a},")
        lines.append("    },")
    return [*lines, "}"]


def _display(argument: Mapping[str, Any], indent: int) -> list[str]:
    pad = " " * indent
    lines = [pad + "{"]
    for key, value in argument.items():
        if key == "rows":
            lines.append(f"{pad}    'rows': [")
            for names in value:
                lines += [f"{pad}        [", *_wrapped(names, indent + 12), f"{pad}        ],"]
            lines.append(f"{pad}    ],")
        elif key == "units":
            lines += [f"{pad}    'units': [", *_wrapped(value, indent + 8), f"{pad}    ],"]
        else:
            lines.append(f"{pad}    {key!a}: {value!a},")
    return [*lines, pad + "},"]


def _wrapped(names: Iterable[str], indent: int) -> list[str]:
    return [" " * indent + line for line in wrap_items(map(ascii, names), WIDTH - indent)]
