"""Partial derivatives by automatic differentiation of a function's own program: the rival of the analytic ones."""

from __future__ import annotations

from typing import Unpack

from symdyn.compiler.autodiff.jacobian import jacobian
from symdyn.compiler.passes.pipeline import finish, optimise_tape, simplify_tape
from symdyn.compiler.passes.program.flatten import flatten
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Program
from symdyn.compiler.tape.tape import Tape
from symdyn.compiler.tape.verify import verify_program
from symdyn.dynamics.kinematics.coordinate_rates import RATES, coordinate_rates_plan
from symdyn.errors import RequestError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Argument, Signature
from symdyn.interface.targets import PYTHON
from symdyn.model.model import Model
from symdyn.robot.robot import Robot
from symdyn.tracing.unrolled.unrolled import trace_unrolled

PARTIALS = "_partials"


def autodiff_program(
    robot: Robot, function: str, mode: str, layout: str = "unrolled", **asked: Unpack[RequestOptions]
) -> Program:
    """A function's partial derivatives as straight-line code, by automatic differentiation instead of analysis.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`.
    function
        A function with partials in the catalogue, such as ``"inverse_dynamics"``.
    mode
        ``"forward"`` or ``"reverse"``; see :func:`symdyn.compiler.autodiff.jacobian.jacobian`.
    layout
        Layout of the program that is differentiated.

    Returns
    -------
    A program with the signature of ``<function>_partials``, so that it can be emitted, compiled and timed in its place.

    Raises
    ------
    RequestError
        A function without partials, an unknown mode, layout or option.
    """
    from symdyn.tracing.layout import trace

    partials = function + PARTIALS
    if partials not in CATALOGUE:
        known = [name.removesuffix(PARTIALS) for name in CATALOGUE if name.endswith(PARTIALS)]
        raise RequestError(
            f"function '{function}' has no partials in the catalogue; there are those of {', '.join(known)}"
        )
    ((entry, request),) = requests(robot.model, [function], **asked)
    signature = CATALOGUE[partials].signature(robot.model, request)
    plan, interface = entry.plan(robot.model, request), entry.signature(robot.model, request)
    differentiated = trace(plan, interface, layout, lambda program: program, target=PYTHON)
    primal = simplify_tape(flatten(differentiated))
    (output,) = primal.outputs
    prefix = f"d{output.name}_d"
    inputs = [argument.name.removeprefix(prefix) for argument in signature.outputs]
    tape = jacobian(primal, [output.name], inputs, mode, directions={"q": rates_tape(robot.model)})
    return verify_program(finish(one_call(optimise_tape(tape), signature)))


def rates_tape(model: Model) -> Tape:
    """The tape q -> N, (nq, nv): how the coordinates change along body-frame perturbations."""
    names = Signature(
        model.name,
        RATES,
        (Argument("q", (model.nq,), (model.coordinate_names,), ("",), "coordinates"),),
        (Argument(RATES, (model.nq, model.nv), (model.coordinate_names, model.velocity_names), ("",), "rates"),),
        "Coordinate rates per body-frame perturbation.",
    )
    return trace_unrolled(coordinate_rates_plan(model), names).tapes[0]


def one_call(tape: Tape, signature: Signature) -> Program:
    """A program that calls one tape on the arguments of a signature."""
    places = {argument.name: argument for argument in (*signature.inputs, *signature.outputs)}
    assert {port.name for port in (*tape.inputs, *tape.outputs)} == set(places), signature
    buffers = [
        Buffer(
            port.name,
            BufferKind.PARAM if port.name == "p" else BufferKind.IN,
            port.width,
            description=places[port.name].description,
        )
        for port in tape.inputs
    ]
    buffers += [
        Buffer(port.name, BufferKind.OUT, port.width, description=places[port.name].description)
        for port in tape.outputs
    ]
    call = Call(
        tape.name,
        tuple(Affine(port.name, 0) for port in tape.inputs),
        tuple(Affine(port.name, 0) for port in tape.outputs),
    )
    return Program(signature, tuple(buffers), (tape,), (call,), tape.dtype)
