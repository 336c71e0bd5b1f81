"""Which function of the catalogue has the derivatives of another, and what they are called; it imports no room."""

from __future__ import annotations

from collections.abc import Mapping

COORDINATES = "q"
"""The input that moves along the joints' own axes."""

WEIGHTS = "lambda"
"""The input of second derivatives that says how much each row counts."""

MULTIPLIER_WEIGHTS = "kappa"
"""The same for multipliers."""

_OF_STATES = "state_jacobian"

_SOLVED = (
    "inverse_dynamics",
    "forward_dynamics",
    "hybrid_dynamics",
    "constrained_forward_dynamics",
    "constrained_hybrid_dynamics",
    "constrained_inverse_dynamics",
    "impulse_dynamics",
)
"""Problems with all kinds of derivatives."""

SLOPES: Mapping[str, str] = {name: f"{name}_partials" for name in _SOLVED} | {"state_derivative": _OF_STATES}
"""Functions with analytic derivatives, and those that compute them."""

HESSIANS: Mapping[str, str] = {name: f"{name}_weighted_hessian" for name in _SOLVED}
"""Functions with analytic second derivatives, and those that compute them, of rows times weights."""

ADJOINTS: Mapping[str, str] = {name: f"{name}_adjoint" for name in _SOLVED}
"""Functions with analytic gradients of their rows times weights, and those that compute them."""


def slope_name(function: str, of: str, by: str) -> str:
    """What a function of ``SLOPES`` calls the derivative of an output by an input."""
    return f"d_d{by}" if function == _OF_STATES else f"d{of}_d{by}"


def curvature_name(x: str, y: str) -> str:
    """What a function of ``HESSIANS`` calls the second derivative by two inputs; one of both orders is there."""
    return f"H_{x}{y}"
