"""The intermediate representation: straight-line kernels (Tape) and the loops that call them (Program)."""
