"""Complex numbers as scalars, to differentiate a recursion by a step into the imaginary direction.

For a real-analytic f, ``Im f(x + i h) / h`` is f'(x) up to h^2 f'''/6 (Squire and Trapp 1998): no difference is taken,
so h may be so small that its square is nothing beside 1, and the derivative is as exact as the recursion itself.
"""

from __future__ import annotations

import cmath
import math

STEP = 2.0**-100
"""Its square times anything of interest is below roundoff; the product of two imaginary parts does not underflow."""


class ComplexAlgebra:
    """Python's complex doubles (see ``symdyn.algebra.scalars.algebra``); what branches looks at the real part."""

    def constant(self, value: float) -> complex:
        """The number itself."""
        return complex(value)

    def sin_cos(self, x: complex) -> tuple[complex, complex]:
        """Sine and cosine."""
        return cmath.sin(x), cmath.cos(x)

    def function(self, name: str, *arguments: complex) -> complex:
        """An elementary function by its tape code, continued from the real axis."""
        values = [complex(value) for value in arguments]
        x = values[0]
        match name:
            case "abs":
                return x if x.real >= 0.0 else -x
            case "sign":
                return complex((x.real > 0.0) - (x.real < 0.0))
            case "min":
                return x if x.real < values[1].real else values[1]
            case "max":
                return x if x.real > values[1].real else values[1]
            case "fma":
                return x * values[1] + values[2]
            case "pow":
                return _power(x, values[1])
            case "atan2":
                return _angle(x, values[1])
        result: complex = getattr(cmath, name)(x)
        return result

    def compare(self, code: str, left: complex, right: complex) -> bool:
        """Truth of a comparison of real parts."""
        a, b = complex(left).real, complex(right).real
        return a < b if code == "less" else a <= b if code == "less_equal" else a == b

    def select(self, condition: bool, if_true: complex, if_false: complex) -> complex:
        """One of two values."""
        return if_true if condition else if_false


def _power(base: complex, exponent: complex) -> complex:
    """To first order in the imaginary parts: cmath's power of a negative base leaves the real axis."""
    value = math.pow(base.real, exponent.real)
    slope = exponent.real * math.pow(base.real, exponent.real - 1.0) * base.imag if exponent.real else 0.0
    if exponent.imag:
        slope += value * math.log(base.real) * exponent.imag
    return complex(value, slope)


def _angle(y: complex, x: complex) -> complex:
    size = y.real * y.real + x.real * x.real
    return complex(math.atan2(y.real, x.real), (x.real * y.imag - y.real * x.imag) / size)
