"""FMI 3.0: a robot as a unit of simulation tools, for their solvers or with a stepper of its own."""

from symdyn.compiler.emit.fmu.files import emit

__all__ = ["emit"]
