"""One algorithm per file, written as sweeps that make a Plan."""
