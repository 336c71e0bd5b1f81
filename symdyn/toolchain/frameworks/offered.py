"""What functions of a framework are made of: a module, its relatives, and the arguments of one function."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.compiler.emit.extension import expected_shape, row_hint
from symdyn.errors import RequestError
from symdyn.interface.contact_calls import PARTIALS, STEP, called
from symdyn.interface.derivatives import COORDINATES, SLOPES
from symdyn.interface.distribution import installing
from symdyn.interface.manifest import FunctionEntry
from symdyn.interface.stepping import CONTACT_SLOPES, CONTACTS, CoordinateRows
from symdyn.toolchain.frameworks.moves import coordinates, moves_apart
from symdyn.toolchain.frameworks.slopes import (
    CURVATURES,
    Curvature,
    Slopes,
    curvature_of,
    has_three,
    slopes_of,
    slopes_of_step,
)
from symdyn.toolchain.given import bound
from symdyn.toolchain.maker import CompiledFunctions, Maker


def installed(package: str, extra: str) -> Any:
    """The package.

    Raises
    ------
    RequestError
        It is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as failure:
        raise RequestError(f"module.{package} needs the package {package} ({failure}); {installing(extra)}") from None


def refuse_uncompiled(module: CompiledFunctions, method: str) -> None:
    """Raise a RequestError for a module that runs no C of its own."""
    target = module.manifest.target
    if not module.is_compiled:
        instead = "its functions are JAX's already" if target == "jax" else "compile the robot with target='c'"
        raise RequestError(
            f"module.{method} calls C that was compiled for Python, and this module has target '{target}'; {instead}"
        )


class Relatives:
    """The functions that a module has, and those that its maker adds: derivatives, and the same over JAX."""

    def __init__(self, module: CompiledFunctions) -> None:
        self.module = module
        self._rows: tuple[CoordinateRows, ...] | None = None

    def rows(self, name: str) -> tuple[CoordinateRows, ...]:
        """How rows of the q of a function change with rows of v; none where it takes no q.

        Raises
        ------
        RequestError
            It takes some rows of q only, and the robot has quaternions among them.
        """
        taken = next((own for own in self.entry(name).signature.inputs if own.name == COORDINATES), None)
        if taken is None:
            return ()
        if self._rows is None:
            self._rows = self._maker("to know which rows of q are quaternions").rows()
        if taken.size == coordinates(self._rows):
            return self._rows
        if moves_apart(self._rows):
            raise RequestError(
                f"{name} takes {taken.size} of the {coordinates(self._rows)} rows of q, and robot "
                f"{self.module.manifest.robot!r} has joints whose rows of q and v differ; frameworks have no form of it"
            )
        return ()

    def holder(self, name: str) -> CompiledFunctions:
        """The compiled module that has a function of the catalogue: this one, or one that is made now."""
        if called(self.module.manifest, name) is not None:
            return self.module
        if name == PARTIALS:
            raise RequestError(
                f"derivatives of a step with contacts need the function '{CONTACT_SLOPES}': compile the robot "
                f"by symdyn.compile(robot, ['{CONTACT_SLOPES}'], steppers=['{CONTACTS}'])"
            )
        return self._maker(f"the function '{name}' too").make(name, "c")

    def entry(self, name: str) -> FunctionEntry:
        """What the manifest says of a function."""
        found = called(self.holder(name).manifest, name)
        assert found is not None, "its holder has it"
        return found

    def over_jax(self, name: str) -> Any:
        """A function of the catalogue as symdyn writes it over JAX."""
        return getattr(self._maker(f"'{name}' over JAX too").make(name, "jax"), name)

    def slopes(self, name: str) -> Slopes | None:
        """The analytic derivatives of a function; None where the catalogue has none."""
        if name == STEP:
            return slopes_of_step(self.entry(name).signature, self.entry(PARTIALS).signature)
        if name not in SLOPES:
            return None
        return slopes_of(self.entry(name).signature, self.entry(SLOPES[name]).signature)

    def curvature(self, name: str) -> Curvature | None:
        """The analytic derivatives of a function of derivatives; None where the catalogue has none of this form."""
        if name not in CURVATURES or not has_three(self.entry(name).signature):
            return None
        return curvature_of(self.entry(name).signature, self.entry(CURVATURES[name]).signature)

    def _maker(self, what: str) -> Maker:
        if self.module.maker is None:
            raise RequestError(
                f"this module of {self.module.manifest.robot!r} knows its functions and not its robot, and needs "
                f"{what}; compile the robot in this process by symdyn.compile, or open a folder that symdyn.generate "
                "wrote"
            )
        return self.module.maker


class Given:
    """The arrays that one call of a function was given, read and checked in the framework's own types.

    ``xp`` has the framework's array functions, ``read`` makes an array of what was given.
    """

    def __init__(self, entry: FunctionEntry, dtype: str, xp: Any, read: Any) -> None:
        self.name = entry.python_name
        self.inputs = entry.signature.inputs
        self.dtype = dtype
        self._xp = xp
        self._read = read

    def arrays(self, positional: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """All inputs with the same leading dimensions.

        Raises
        ------
        RequestError
            An argument that is missing or unknown, of another shape or type than the compiled function takes, or
            leading dimensions that do not broadcast.
        """
        given = bound(self.name, self.inputs, positional, named)
        arrays = [self._checked(argument, value) for argument, value in zip(self.inputs, given, strict=True)]
        leads = [
            tuple(array.shape[: array.ndim - len(argument.shape)])
            for argument, array in zip(self.inputs, arrays, strict=True)
        ]
        try:
            lead = tuple(self._xp.broadcast_shapes(*leads))
        except (ValueError, RuntimeError):
            said = ", ".join(f"'{own.name}' {own_lead}" for own, own_lead in zip(self.inputs, leads, strict=True))
            raise RequestError(f"{self.name}: leading dimensions do not broadcast: {said}") from None
        return [
            array if own == lead else self._xp.broadcast_to(array, (*lead, *argument.shape))
            for argument, array, own in zip(self.inputs, arrays, leads, strict=True)
        ]

    def _checked(self, argument: Any, value: Any) -> Any:
        label = f"{self.name}: argument '{argument.name}'"
        try:
            array = self._read(value)
        except (TypeError, ValueError, RuntimeError) as failure:
            raise RequestError(
                f"{label} is not an array of numbers; expected {self.dtype} of shape {expected_shape(argument)}"
            ) from failure
        found = str(array.dtype).removeprefix("torch.")
        if found != self.dtype:
            raise RequestError(
                f"{label} has dtype {found}, and this module computes in {self.dtype}; pass {self.dtype}, or compile "
                f"with dtype='{found}'"
                if found in ("float32", "float64")
                else f"{label} has dtype {found}, expected {self.dtype}"
            )
        lead = array.ndim - len(argument.shape)
        if lead < 0 or tuple(array.shape[lead:]) != argument.shape:
            raise RequestError(
                f"{label} has shape {tuple(array.shape)}, expected {expected_shape(argument)}{row_hint(argument)}"
            )
        return array


def coordinates_place(entry: FunctionEntry) -> int | None:
    """The place of q among the inputs of a function."""
    places = [place for place, own in enumerate(entry.signature.inputs) if own.name == COORDINATES]
    return places[0] if places else None
