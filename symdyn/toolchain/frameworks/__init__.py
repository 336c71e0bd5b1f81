"""Functions of a compiled module as functions of JAX and of PyTorch, which these trace and differentiate."""
