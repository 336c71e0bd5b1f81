"""What back ends ask of a program beyond its legality."""

from __future__ import annotations

from symdyn.compiler.tape.program import Buffer, BufferKind, Program
from symdyn.compiler.tape.verify import verify_program
from symdyn.errors import InternalError
from symdyn.interface.signature import PARAMETERS

ARGUMENT_KINDS = (BufferKind.IN, BufferKind.PARAM, BufferKind.OUT)
_INDEX_LIMIT = 2**32


def check_program(program: Program) -> None:
    """Refuse a program whose generated code could touch memory that is not its own.

    Raises
    ------
    InternalError
        An illegal program (see :mod:`symdyn.compiler.tape.verify`), an argument buffer that disagrees with the
        signature, an output without a buffer, or an index that is no small whole number.
    """
    verify_program(program)
    name, signature = program.signature.function, program.signature
    for buffer in program.buffers:
        if buffer.kind in ARGUMENT_KINDS:
            _check_argument(program, buffer)
        if buffer.kind is BufferKind.INDEX:
            for value in buffer.values:
                if not isinstance(value, int) or not 0 <= value < _INDEX_LIMIT:
                    raise InternalError(
                        f"{name}: index table '{buffer.name}' holds {value!r}, expected a small integer"
                    )
    given = {buffer.name for buffer in program.buffers_of(BufferKind.OUT)}
    for argument in signature.outputs:
        if argument.name not in given and program.stored(argument):
            raise InternalError(f"{name}: no buffer for the output '{argument.name}'")


def _check_argument(program: Program, buffer: Buffer) -> None:
    name, signature = program.signature.function, program.signature
    group = signature.outputs if buffer.kind is BufferKind.OUT else signature.inputs
    sizes = [program.stored(argument) for argument in group if argument.name == buffer.name]
    if sizes != [buffer.size]:
        raise InternalError(f"{name}: buffer '{buffer.name}' has {buffer.size} scalars, the signature says {sizes}")
    if buffer.kind is not BufferKind.OUT and (buffer.kind is BufferKind.PARAM) != (buffer.name == PARAMETERS):
        raise InternalError(f"{name}: run-time parameters, and only they, are called '{PARAMETERS}'")
