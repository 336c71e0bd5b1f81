"""Stubs beside Python modules: what editors and type checkers know of their functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from symdyn.compiler.emit.arguments import BY_PLACE, all_argument_lines, parameters
from symdyn.compiler.emit.docstrings import result_context, title
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.results import result_of
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.signature import Argument, Signature


def emit_stub(
    module: str,
    robot: str,
    version: str,
    dtype: str,
    kind: Literal["numpy", "jax", "extension"],
    signatures: Sequence[Signature],
    parameter: Callable[[str], str] = str,
) -> SourceFile:
    """The stub of a module.

    Parameters
    ----------
    module
        Its name.
    robot, version, dtype
        The robot's name, the version of symdyn, and the type of numbers.
    kind
        Which kind of module it is.
    signatures
        Of its functions.
    parameter
        Gives the name that an input has in this module. One whose name is a word of Python is given by its place.

    Returns
    -------
    ``python/<module>.pyi``.
    """
    context = {
        "robot": comment(robot),
        "version": version,
        "dtype": dtype,
        "kind": kind,
        "results": result_context(signatures),
        "functions": [_function(signature, parameter) for signature in signatures],
    }
    return SourceFile(f"python/{module}.pyi", render("python/STUB.pyi.jinja", context))


def _function(signature: Signature, parameter: Callable[[str], str]) -> dict[str, Any]:
    documentation = all_argument_lines(signature, str)
    result, several = result_of(signature), ", ".join(["_Array"] * len(signature.outputs))
    return {
        "name": signature.function,
        "parameters": [
            name if name == BY_PLACE else f"{name}: _Given"
            for name in parameters([parameter(argument.name) for argument in signature.inputs])
        ],
        "title": title(signature),
        "documentation": documentation,
        "result": _type(signature.outputs[0]) if result is None else result.name,
        "out": f"_Array | tuple[{several}]" if result is None else f"tuple[{several}]",
    }


def _type(output: Argument) -> str:
    """A scalar is a number for one state, and an array for several."""
    return "_Array" if output.shape else "_Number"
