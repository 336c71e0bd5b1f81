"""The compiler, which knows no robots: tapes, passes, automatic differentiation, emission."""
