"""What stays the same while a function is checked at many states: the robot, its load options, and what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.interface.signature import HELD_ROWS, Argument, Signature, option_names, option_word
from symdyn.verify.base.matrices import Real, Vector, vector
from symdyn.verify.oracle.laws import unasked_forces
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.tree import Tree, public_tree
from symdyn.verify.oracle.truth import DIGITS, STANDARD_GRAVITY, inverse_dynamics

Inputs = Mapping[str, Sequence[Any]]
"""Flat values by argument name: doubles, or ``mpmath.mpf`` where a truth is differentiated."""
_LOAD_OPTIONS = ("floating_base", "locked_joints", "joint_losses", "convention", "gravity")


_OF_LOOPS = {"kappa": 0, "Lambda": 1, "lambda": 0, "e": 0, "A": 0, "bias": 0, "delassus": 0, "dlambda_dq": 0}
_OF_LOOPS |= {"impulses": 0, "dimpulses_dq": 0, "dLambda_dq": 1}
"""Arguments with a row per row of the loops' errors, and along which of their axes."""
_OF_VELOCITIES = {"v": -1, "V": -1, "a": -1, "r": 0, "dr_dx": 0, "u": -1}
"""Arguments with a row per row of v, and along which of their axes."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A robot with its load options, and the options of one function.

    ``parameter_names`` are the rows of p; ``external`` names the axes of f_ext or is empty; ``prescribed`` holds the
    rows of v whose acceleration is given; ``factorization`` tells which Coriolis matrix is meant; ``order`` is the
    highest time derivative; ``inputs`` tells whether forces are given, or inputs of actuators;
    ``weights`` are those of rows of v, where they are known numbers; ``unknown`` holds
    the numbers of the inputs of actuators that are looked for. ``held`` names rows of the loops' errors, ``actuated``
    are the rows of v that have forces, and ``objective`` and ``stabilisation`` are those of robots with loops.
    ``switched`` are names of loops that hold or not, and ``axes`` per output and axis the names along it.
    ``frames`` are those that were chosen, none for all. ``feedback`` tells whether what actuators do without input is
    no part of forces.
    """

    description: RobotDescription
    tree: Tree
    load_options: Mapping[str, Any]
    parameter_names: tuple[str, ...] = ()
    external: str = ""
    prescribed: tuple[int, ...] = ()
    factorization: str = "christoffel"
    order: int = 0
    inputs: str = "forces"
    weights: tuple[float, ...] = ()
    unknown: tuple[int, ...] = ()
    held: tuple[str, ...] = ()
    stabilisation: float | None = None
    actuated: tuple[int, ...] | None = None
    objective: str = "torque"
    switched: tuple[str, ...] = ()
    axes: tuple[tuple[tuple[str, ...], ...], ...] = ()
    frames: tuple[str, ...] = ()
    feedback: bool = False

    @property
    def spatial(self) -> bool:
        """Whether the base moves by its right-invariant twist (omega; v), and wrenches are [moment; force]."""
        return bool(self.load_options.get("convention") == "spatial")

    @property
    def with_losses(self) -> bool:
        """Whether joint losses count."""
        return bool(self.load_options.get("joint_losses", False))

    def quantities(self, inputs: Inputs) -> Quantities:
        """The robot's numbers at the run-time parameters of a state."""
        return Quantities(self.description, self.given(inputs))

    def given(self, inputs: Inputs) -> dict[str, Any]:
        """Run-time parameters by name."""
        return dict(zip(self.parameter_names, inputs.get("p", ()), strict=True))

    def gravity(self, quantities: Quantities) -> Vector:
        """Gravity in the world frame [m/s^2]."""
        chosen = self.load_options.get("gravity")
        default = self.description.gravity or STANDARD_GRAVITY
        return quantities.all(chosen if chosen is not None else default, "gravity", "xyz")

    def wrenches(self, inputs: Inputs) -> list[Vector] | None:
        """The rows of f_ext, where the function takes it."""
        if not self.external:
            return None
        rows = inputs["f_ext"]
        return [vector(rows[first : first + 6]) for first in range(0, len(rows), 6)]

    def force(self, inputs: Inputs, *, v: Sequence[Any] | None = None, a: Sequence[Any] | None = None) -> list[Real]:
        """``tau`` of the oracle's inverse dynamics at a state, wrenches included.

        The state's own v and a stand where none are given.
        """
        v = inputs["v"] if v is None else v
        needed = inverse_dynamics(
            self.description,
            inputs["q"],
            v,
            inputs["a"] if a is None else a,
            external_wrenches=self.wrenches(inputs),
            frame=self.external or "body",
            parameters=self.given(inputs),
            **self.load_options,
        )
        if not self.feedback:
            return needed
        with mp.workdps(DIGITS):
            given = unasked_forces(self.description, self.tree, vector(inputs["q"]), vector(v))
            return [own - mp.fsum(force[row] for _, force in given) for row, own in enumerate(needed)]


def _held_rows(signature: Signature) -> tuple[str, ...]:
    """Names of the rows of the loops' errors; the accelerations A of other functions come with multipliers."""
    if signature.function.startswith("contact_"):  # their matrices have rows of other kinds too
        return option_names(signature.options, HELD_ROWS)
    told = {own.name: own for own in (*signature.inputs, *signature.outputs)}
    found = (told[name].rows[axis] for name, axis in _OF_LOOPS.items() if name in told)
    return next(found, ())


def make_setting(description: RobotDescription, signature: Signature, load_options: Mapping[str, Any]) -> Setting:
    """The setting of a function, from its signature and from what ``symdyn.load`` was told.

    Raises
    ------
    VerificationError
        A prescribed velocity that the robot does not have.
    """
    chosen = {name: load_options[name] for name in _LOAD_OPTIONS if load_options.get(name) is not None}
    arguments = {argument.name: argument for argument in signature.inputs}
    everything = {**arguments, **{argument.name: argument for argument in signature.outputs}}
    rows = (everything[name].rows[axis] for name, axis in _OF_VELOCITIES.items() if name in everything)
    names = next(rows, ())
    asked, weights = (option_names(signature.options, name) for name in ("prescribed", "weights"))
    unknown = next((name for name in asked if name not in names), None)
    if unknown is not None:
        raise VerificationError(f"function '{signature.function}' prescribes '{unknown}', which is no row of v")
    return Setting(
        description,
        public_tree(description, chosen.get("floating_base"), chosen.get("locked_joints"), chosen.get("convention")),
        chosen,
        arguments["p"].element_names if "p" in arguments else (),
        option_word(signature.options, "external_wrenches", "") if "f_ext" in arguments else "",
        tuple(names.index(name) for name in asked),
        option_word(signature.options, "factorization", "christoffel"),
        int(option_word(signature.options, "order", "0")),
        option_word(signature.options, "inputs", "forces"),
        tuple(map(float, weights)) if weights != ("input",) else (),
        tuple(_inputs_of(arguments).index(name) for name in option_names(signature.options, "unknown")),
        _held_rows(signature),
        float(option_word(signature.options, "stabilisation", "nan")) if "stabilisation" in signature.options else None,
        tuple(names.index(name) for name in option_names(signature.options, "actuated"))
        if "actuated" in signature.options
        else None,
        option_word(signature.options, "objective", "torque"),
        option_names(signature.options, "switched"),
        tuple(own.rows for own in signature.outputs),
        option_names(signature.options, "frames"),
        option_word(signature.options, "inputs", "forces") == "actuators" or signature.function == "inverse_actuation",
    )


def _inputs_of(arguments: Mapping[str, Argument]) -> tuple[str, ...]:
    """Names of the inputs of actuators, of which there may be a row per order."""
    return arguments["u"].rows[0] if "u" in arguments else arguments["U"].rows[1]
