"""The languages that can be asked for, and all that the rest of symdyn knows of each. A new one is a line here.

This file imports no room. A target names its back ends: each is a room ``symdyn.compiler.emit.<name>`` that holds
``emit(contents)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.errors import RequestError
from symdyn.interface.guesses import hint

IN_LANES = "-lanes"
LAYOUTS = ("auto", "unrolled", "split", "rolled", f"split{IN_LANES}", f"rolled{IN_LANES}")
"""In the last two, limbs of the robot that are alike run side by side; without such limbs they are as those before."""

DTYPES = ("float64", "float32")

COMMON = ("README.md", "robot.yaml")
"""Files that every target writes."""


def _nothing(options: object) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class PythonModule:
    """The module in Python that a target writes to ``python/``."""

    kind: str
    """What a module that is loaded from it is said to run."""
    title: str
    """What it is called in reports."""
    suffix: str = ""
    """What its name adds to the robot's identifier."""
    package: str = ""
    """The package that it needs beside NumPy, which is also the extra that brings it."""


OVER_NUMPY = PythonModule("python", "Python")
OVER_JAX = PythonModule("jax", "JAX", "_jax", "jax")


@dataclass(frozen=True, slots=True)
class Target:
    """What a target writes beside the robot, the manifest and the README, and how the rest of symdyn handles it."""

    name: str
    title: str
    """The language in words, for the command line and the README."""
    back_ends: tuple[str, ...]
    """Rooms of ``symdyn.compiler.emit`` that write its files, in order; with ``c`` among them it is compiled."""
    files: tuple[str, ...]
    """The files that a manifest may list. ``*`` stands for the robot's identifier, alone or with an underscore and
    more."""
    pages: tuple[str, ...]
    """Templates of the README's sections that say how it is called."""
    python: PythonModule = OVER_NUMPY
    layouts: tuple[str, ...] = LAYOUTS
    """The layouts that it can be written in."""
    dtypes: tuple[str, ...] = DTYPES
    """The numbers that it can compute with."""
    vectors: bool = False
    """Whether the language has vectors: ``auto`` puts limbs in lanes, and visits have any, in such ones alone."""
    one_line_up_to: int | None = None
    """Operations of loops up to which ``auto`` writes one straight line, with loops above. Without it the rules of
    ``tracing/layout.py`` hold."""
    words: frozenset[str] = frozenset()
    """Words that no name may be, beside those of C, C++ and Python. Names are the same in all targets."""
    beside: Callable[[Any], Sequence[str]] = _nothing
    """Names of the functions that are generated beside those that are asked for."""
    functions: tuple[str, ...] = ("inverse_dynamics",)
    """What the command line generates where nobody says."""
    tells_start: bool = False
    """Whether its files tell a state of the robot to start from."""
    tells_events: bool = False
    """Whether its files tell where contacts begin and end."""
    arrays: str = "row-major"
    """How arrays lie, in the README's words."""
    products: tuple[str, ...] = ()
    """Endings of files that are packed of all these, named by the robot's identifier."""
    opened_by: str = ""
    """The tool that opens the library that is made of it. It takes derivatives from there, too."""

    @property
    def is_compiled(self) -> bool:
        """Whether a compiler is needed before it can be called from Python."""
        return self.has_c or bool(self.opened_by)

    @property
    def has_c(self) -> bool:
        """Whether C files are among what is written, so that it can be compiled and have steppers."""
        return "c" in self.back_ends

    @property
    def headers(self) -> tuple[str, ...]:
        """Endings of the headers that are installed."""
        return tuple(file[1:] for file in self.files if re.fullmatch(r"\*\.h(pp)?", file))

    def may_write(self, path: str, identifier: str) -> bool:
        """Whether a folder of this target may hold a file of that path, for a robot of that identifier."""
        own = rf"{re.escape(identifier)}(_[A-Za-z0-9_]*)?"
        patterns = (re.escape(pattern).replace(r"\*", own) for pattern in self.files)
        return path in COMMON or any(re.fullmatch(pattern, path, re.ASCII) for pattern in patterns)


JAX_LINE_UP_TO = 150
"""Operations of one line in JAX.

XLA joins a line into loops over the states of a batch, and does the same sums again in each of them: how often is hard
to foresee. Microseconds of JAX per state in batches of 1000, one line / pieces / loops, and processor seconds to
the first result (``benchmarks/jax_layouts.py``): inverse dynamics of a double pendulum (34 operations) 0.06 / 0.09 /
0.13 and 0.2 / 0.1 / 0.3, of a 7-DoF arm (614) 30 / 30 / 1.7 and 0.5 / 0.6 / 1.8, of a quadruped (1362) 2.5 / 3.8 / 5.2
and 1.7 / 1.5 / 1.5; its mass matrix (1118) 8.2 / 8.2 / 5.9 and 2.3 / 2.3 / 2.4; its forward dynamics (3429) 12 / 344 /
9.3 and 12 / 10 / 4.7. Forward dynamics of the arm 89 / 3.2 / 3.6 and 5.5 / 5.7 / 3.7.
One state at a time takes longer in loops: 14 / 14 / 63 of the arm.
"""

_PYTHON_FILES = ("python/*.py", "python/*.pyi")
_C_FILES = ("*.h", "*.c", "CMakeLists.txt", *_PYTHON_FILES)
_C_PAGES = ("c/README.md.jinja", "python/README.md.jinja")

C = Target("c", "C99, and Python over NumPy", ("c", "python"), _C_FILES, _C_PAGES, vectors=True)
CPP = Target(
    "cpp",
    "C++17 over C99, and Python over NumPy",
    ("c", "python", "cpp"),
    ("*.hpp", *_C_FILES),
    ("cpp/README.md.jinja", *_C_PAGES),
    vectors=True,
    words=frozenset({"std", "Eigen"}),
)
PYTHON = Target("python", "Python over NumPy", ("python",), _PYTHON_FILES, ("python/README.md.jinja",))
JAX = Target(
    "jax",
    "Python over JAX",
    ("jax",),
    _PYTHON_FILES,
    ("jax/README.md.jinja",),
    OVER_JAX,
    one_line_up_to=JAX_LINE_UP_TO,
    words=frozenset({"jax", "jaxlib", "jnp", "lax"}),
)
CASADI = Target(
    "casadi",
    "C99 for CasADi's external functions",
    ("casadi",),
    ("*.h", "*.c", "jac_*.c", "adj1_*.c", "jac_adj1_*.c", "CMakeLists.txt"),
    ("casadi/README.md.jinja",),
    arrays="stored by columns",
    dtypes=DTYPES[:1],
    opened_by="casadi",
)
_MOTION = ("state_derivative", "state_jacobian")
FMU = Target(
    "fmu",
    "FMI 3.0 around C",
    ("c", "python", "fmu"),
    (*_C_FILES, "modelDescription.xml", "buildDescription.xml"),
    (*_C_PAGES, "fmu/README.md.jinja"),
    vectors=True,
    beside=lambda options: _MOTION,
    functions=_MOTION,
    tells_start=True,
    tells_events=True,
    products=(".fmu",),
    dtypes=DTYPES[:1],
)
TARGETS: Mapping[str, Target] = {target.name: target for target in (C, CPP, PYTHON, JAX, CASADI, FMU)}


def find_target(name: str) -> Target:
    """The target of that name.

    Raises
    ------
    RequestError
        An unknown name.
    """
    if name not in tuple(TARGETS):
        meant = hint(name.replace("+", "p"), TARGETS)
        raise RequestError(f"target '{name}' is not known; expected one of {', '.join(sorted(TARGETS))}{meant}")
    return TARGETS[name]
