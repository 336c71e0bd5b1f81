"""What a number is: floats, CasADi SX, SymPy, mpmath."""
