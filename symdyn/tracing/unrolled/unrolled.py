"""The unrolled layout: one kernel for the whole robot, with its numbers baked in, so that zeros and ones vanish."""

from __future__ import annotations

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Program
from symdyn.compiler.tape.tape import Port, Tape
from symdyn.interface.signature import Argument, Signature
from symdyn.plan.plan import FieldKind, Plan
from symdyn.plan.run import run_plan
from symdyn.tracing.unrolled.from_casadi import trace_casadi

PARAMETER_INPUT = "p"
"""The input that holds run-time parameters."""


def port_of(argument: Argument) -> Port:
    """The port of an argument, with the user's names of its scalars."""
    units = set(argument.units)
    return Port(
        argument.name, argument.size, units.pop() if len(units) == 1 else "", argument.element_names, varying=True
    )


def argument_buffer(argument: Argument, kind: BufferKind) -> Buffer:
    """The buffer of an argument."""
    kind = BufferKind.PARAM if kind is BufferKind.IN and argument.name == PARAMETER_INPUT else kind
    return Buffer(argument.name, kind, argument.size, description=argument.description)


def trace_unrolled(plan: Plan, signature: Signature) -> Program:
    """One call of one tape.

    The plan's input and output fields are the signature's arguments, by name. An argument that nothing depends on has
    no field, such as v of the constraint bias where all loops are couplings.
    """
    algebra = CasadiAlgebra()
    symbols = {argument.name: algebra.symbols(argument.name, argument.size) for argument in signature.inputs}
    read = {field.name: symbols[field.name] for field in plan.fields_of(FieldKind.INPUT)}
    results = run_plan(plan, algebra, read)
    tape = trace_casadi(
        signature.function,
        [(port_of(argument), symbols[argument.name]) for argument in signature.inputs],
        [(port_of(argument), results[argument.name]) for argument in signature.outputs],
        signature.description,
    )
    return program_of(tape, signature)


def program_of(tape: Tape, signature: Signature) -> Program:
    """One call of a tape whose ports are the arguments of the signature, in their order."""
    inputs = [argument_buffer(argument, BufferKind.IN) for argument in signature.inputs]
    outputs = [argument_buffer(argument, BufferKind.OUT) for argument in signature.outputs]
    call = Call(
        tape.name,
        tuple(Affine(buffer.name, 0) for buffer in inputs),
        tuple(Affine(buffer.name, 0) for buffer in outputs),
    )
    return Program(signature, (*inputs, *outputs), (tape,), (call,), layout="unrolled")
