"""A function before any language: loops, calls and kernels, which back ends print."""
