"""Time derivatives of any order: the same sweeps over truncated Taylor series."""
