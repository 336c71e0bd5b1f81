"""Quantities with their time derivatives: names, units, arguments and signatures of functions that have an order."""

from __future__ import annotations

from symdyn.functions import arguments
from symdyn.functions.request import Request
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED, MOVED, FramePolicy
from symdyn.model.model import Model

_WITH_PRIMES = 3
"""From this derivative on, a name has its order in brackets instead of as many primes."""


def order_name(symbol: str, order: int) -> str:
    """Name of a derivative: ``v``, ``v'``, ``v''``, ``v(3)``, ``v(4)`` .."""
    return symbol + ("'" * order if order < _WITH_PRIMES else f"({order})")


def rate_unit(unit: str, order: int) -> str:
    """Unit of a derivative by time: ``rad/s`` becomes ``rad/s^2``, ``m/s^2`` ``m/s^3``, and ``N m`` ``N m/s``."""
    base, divided, exponent = unit.partition("/s")
    power = order + (int(exponent.removeprefix("^") or 1) if divided else 0)
    return f"{base}/s^{power}" if power > 1 else f"{base}/s" if power else base


def with_rates(plain: Argument, symbol: str, name: str, rows: int, description: str) -> Argument:
    """A quantity and its derivatives, (rows, ..), of one order per row.

    Parameters
    ----------
    plain
        The quantity itself.
    symbol
        What the derivatives are called, with primes or a number.
    name, description
        Of the argument that holds them.
    rows
        How many there are, the quantity itself counted.
    """
    units = tuple(rate_unit(unit, order) for order in range(rows) for unit in plain.element_units)
    orders = tuple(order_name(symbol, order) for order in range(rows))
    return Argument(name, (rows, *plain.shape), (orders, *plain.rows), units, description)


def velocity_rates(model: Model, highest: int) -> Argument:
    """V, (highest + 1, nv): the velocities v and their derivatives, each component on its own."""
    described = "velocities and their time derivatives, row by row"
    return with_rates(arguments.velocities(model), "v", "V", highest + 1, described)


def external_rates(model: Model, request: Request, rows: int, of: str = "the time derivatives") -> tuple[Argument, ...]:
    """f_ext and its derivatives, (rows, nbodies, 6), where it is asked for."""
    if not request.external:
        return ()
    wrenches = arguments.external_wrenches(model, request.external)
    return (with_rates(wrenches, "f_ext", "f_ext", rows, f"{wrenches.description}, and {of} of its components"),)


def rates_signature(
    model: Model,
    request: Request,
    function: str,
    inputs: tuple[Argument, ...],
    outputs: tuple[Argument, ...],
    description: str,
    feels_gravity: bool = True,
) -> Signature:
    """As :func:`arguments.signature`, with the derivatives of f_ext and with the order among the options."""
    external, order = external_rates(model, request, request.order + 1), str(request.order)
    return arguments.signature(
        model, request, function, inputs, outputs, description, feels_gravity, external, order=order
    )


def frames_of(request: Request) -> FramePolicy:
    """The published recursions in the world's frame work on the bodies as they are described."""
    return AS_DESCRIBED if request.formulation == "spatial" else MOVED
