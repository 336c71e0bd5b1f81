"""Arguments as CasADi names and orders them, and where the scalars of row-major arrays lie there."""

from __future__ import annotations

from dataclasses import replace

from symdyn.compiler.tape.pattern import Stored, matrix_shape
from symdyn.interface.signature import Argument


def flat(name: str, size: int) -> Argument:
    """An argument of which the size alone is told."""
    return Argument(name, (size,), (tuple(map(str, range(size))),), ("",), "")


def named(prefix: str, argument: Argument) -> Argument:
    """The argument with something before its name."""
    return replace(argument, name=f"{prefix}{argument.name}")


def given_out(argument: Argument) -> Argument:
    """The input by which CasADi gives what the function gave; nobody reads it."""
    return named("out_", argument)


def seeded(argument: Argument) -> Argument:
    """The input that weighs an output."""
    return named("adj_", argument)


def block(role: str, of: Argument, by: Argument) -> Argument:
    """The derivatives of the scalars of one argument by those of another, each in the order of columns."""
    names = _in_columns(of), _in_columns(by)
    described = f"derivatives of {of.name} by {by.name}"
    return Argument(f"{role}_{of.name}_{by.name}", (of.size, by.size), names, ("",), described)


def _in_columns(argument: Argument) -> tuple[str, ...]:
    order = whole("", argument).to
    names = argument.element_names
    return tuple(names[element] for element in sorted(range(len(order)), key=order.__getitem__))


def whole(buffer: str, argument: Argument) -> Stored:
    """A row-major argument as one matrix by columns."""
    return Stored.matrix(buffer, *matrix_shape(argument.shape))


def derivatives(buffer: str, of: Argument, by: Argument, transposed: bool) -> Stored:
    """A row-major matrix (of, by), or its transpose, whose rows and columns are put in the order of columns."""
    rows, columns = whole("", of).to, whole("", by).to
    if transposed:
        to = [column * of.size + row for column in columns for row in rows]
    else:
        to = [column * of.size + row for row in rows for column in columns]
    return Stored(buffer, of.size, by.size, tuple(to))
