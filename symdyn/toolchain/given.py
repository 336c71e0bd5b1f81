"""Arguments of a call, by place and by name, in the order of the inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.compiler.emit.extension import argument_names
from symdyn.errors import RequestError
from symdyn.interface.signature import Argument


def bound(
    name: str, inputs: Sequence[Argument], positional: Sequence[Any], named: Mapping[str, Any], also: str = ""
) -> list[Any]:
    """What was given for each input.

    ``name`` is the function's, for messages; ``also`` what it takes besides.

    Raises
    ------
    RequestError
        Too many arrays, an unknown name, one given twice, one missing.
    """
    takes = argument_names(inputs) + also
    if len(positional) > len(inputs):
        raise RequestError(
            f"{name}: expected at most {len(inputs)} arrays ({argument_names(inputs)}), got {len(positional)} "
            "positional arguments"
        )
    given = {argument.name: value for argument, value in zip(inputs, positional, strict=False)}
    for own, value in named.items():
        if all(own != argument.name for argument in inputs):
            raise RequestError(f"{name}: unknown argument '{own}'; it takes {takes}")
        if own in given:
            raise RequestError(f"{name}: argument '{own}' was given twice")
        given[own] = value
    for argument in inputs:
        if argument.name not in given:
            raise RequestError(f"{name}: argument '{argument.name}' is missing; it takes {takes}")
    return [given[argument.name] for argument in inputs]
