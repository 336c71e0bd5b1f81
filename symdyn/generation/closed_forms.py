"""Closed forms of small robots as a textbook prints them: SymPy matrices, and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from symdyn.errors import RequestError
from symdyn.functions.catalogue import requests
from symdyn.generation.pipeline import planned
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Signature
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from symdyn.algebra.scalars.sympy_expr import SympyMatrix

PRODUCTS = 30_000
"""Products of terms after which a closed form is given up, some seconds; a planar arm of three links needs hundreds."""

_LETTERS = {"q": "q", "v": r"\dot q", "a": r"\ddot q", "tau": r"\tau", "f_ext": "f"}
_TITLES = {
    "inverse_dynamics": r"\tau",
    "forward_dynamics": r"\ddot q",
    "mass_matrix": "M(q)",
    "mass_matrix_inverse": "M(q)^{-1}",
    "coriolis_matrix": r"C(q, \dot q)",
    "gravity": "g(q)",
    "bias": r"b(q, \dot q)",
    "kinetic_energy": r"T(q, \dot q)",
    "potential_energy": "U(q)",
}
_QUANTITIES = {
    "mass": "m",
    "com": "c",
    "inertia": "I",
    "translation": "l",
    "length": "l",
    "damping": "d",
    "friction": "F",
    "armature": "B",
    "rotor_inertia": "J",
    "gear_ratio": "N",
    "stiffness": "K",
    "spring_damping": "D",
    "spring.stiffness": "k",
    "spring.rest": r"\bar q",
}
_GREEK = frozenset(
    (
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "eta",
        "theta",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "rho",
        "sigma",
        "omega",
    )
)
_SPECIAL = {"\\": r"\backslash ", "~": r"\sim ", "^": r"\hat{\ }", " ": r"\ "}


def closed_forms(robot: Robot, function: str, **asked: Unpack[RequestOptions]) -> tuple[SympyMatrix, ...]:
    """A function of the catalogue as SymPy matrices, one per output, in textbook form.

    Sines and cosines are of sums of angles, or squared; accelerations, velocities and forces stand first, with their
    coefficients in parentheses; common factors are pulled out.

    Raises
    ------
    RequestError
        An unknown function, or a robot too large for closed forms.
    """
    from symdyn.algebra.scalars.sympy_expr import sympy_matrix, textbook_expression
    from symdyn.algebra.scalars.trigonometric_algebra import TrigonometricAlgebra

    ((entry, request),) = requests(robot.model, [function], **asked)
    signature = entry.signature(robot.model, request)
    algebra = TrigonometricAlgebra(PRODUCTS)
    names = symbol_names(signature)
    leading = [row for name, rows in names.items() if name not in ("q", "p") for row in rows]
    inputs = {name: [algebra.symbol(row) for row in rows] for name, rows in names.items()}
    try:
        outputs = run_plan(planned(robot, robot.model, entry, request), algebra, inputs)
        return tuple(
            sympy_matrix(
                [textbook_expression(algebra.lifted(scalar), leading) for scalar in outputs[output.name]], output.shape
            )
            for output in signature.outputs
        )
    except RequestError as failure:
        raise RequestError(f"closed form of {function} of robot '{robot.name}': {failure}") from None


def symbol_names(signature: Signature) -> dict[str, list[str]]:
    """Names of the symbols, per input: ``q_elbow``, ``v_elbow``; run-time parameters go by their own names."""
    return {
        argument.name: [
            row if argument.name == "p" else f"{argument.name}_{row}" for row in argument.element_names or ("",)
        ]
        for argument in signature.inputs
    }


def latex_equations(robot: Robot, functions: Sequence[str], **asked: Unpack[RequestOptions]) -> list[str]:
    r"""Functions as LaTeX equations, ``M(q) = \left[...\right]``, one per output.

    Coordinates are numbered by their rows from 1: the first one is q_1. Other symbols carry the names of the robot file
    as subscripts, escaped.

    Raises
    ------
    RequestError
        As of :func:`closed_forms`.
    """
    from symdyn.algebra.scalars.sympy_expr import latex_of

    found = []
    for function in functions:
        ((entry, request),) = requests(robot.model, [function], **asked)
        signature = entry.signature(robot.model, request)
        names = symbol_names(signature)
        spelled = {name: parameter_latex(name) for name in names.get("p", ())}
        for argument, rows in names.items():
            letter = _LETTERS.get(argument, argument)
            spelled |= {name: f"{letter}_{{{row}}}" for row, name in enumerate(rows, 1) if argument != "p"}
        for output, matrix in zip(signature.outputs, closed_forms(robot, function, **asked), strict=True):
            alone = len(signature.outputs) == 1 and function in _TITLES
            title = _TITLES[function] if alone else rf"\mathrm{{{escaped(output.name)}}}"
            found.append(f"{title} = {latex_of(matrix, spelled)}")
    return found


def parameter_latex(name: str) -> str:
    r"""LaTeX of a run-time parameter.

    ``forearm.mass`` and ``forearm_mass`` are m_{\mathrm{forearm}}, ``forearm.com.x`` is c_{x, \mathrm{forearm}}, ``l1``
    and ``l_1`` are l_{1}, and ``gravity.z`` is g_{z}.
    """
    *owner, quantity, axes = ("", *name.split("."))
    if quantity == "gravity" and owner == [""]:
        return f"g_{{{axes}}}"
    if quantity in _QUANTITIES and owner[1:]:
        return f"{_QUANTITIES[quantity]}_{{{axes}, {_word('.'.join(owner[1:]))}}}"
    found = re.fullmatch(rf"(.+?)[._]({'|'.join(map(re.escape, _QUANTITIES))})", name)
    if found is not None:
        return f"{_QUANTITIES[found[2]]}_{{{_word(found[1])}}}"
    found = re.fullmatch(r"([A-Za-z]+?)_?([0-9]+|(?<=_)[A-Za-z0-9])", name, re.ASCII)
    stem, index = found.groups() if found is not None else (name, "")
    head = rf"\{stem}" if stem in _GREEK else _word(stem)
    return f"{head}_{{{index}}}" if index else head


def escaped(name: str) -> str:
    """A name from a robot file inside mathematical text; it cannot end it."""
    return "".join(_SPECIAL.get(char, f"\\{char}" if char in "{}_#$%&" else char) for char in name)


def _word(name: str) -> str:
    return name if len(name) == 1 or name.isdigit() else rf"\mathrm{{{escaped(name)}}}"
