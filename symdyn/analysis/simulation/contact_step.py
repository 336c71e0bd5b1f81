"""One step with rigid contacts in NumPy, by functions that need no compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.contacts.partials import step_partials_by
from symdyn.analysis.contacts.step import contact_step_by, impacts_by
from symdyn.analysis.simulation.closure import Closure
from symdyn.analysis.simulation.system import Prescribed
from symdyn.errors import RequestError
from symdyn.generation.called_functions import contact_sets
from symdyn.generation.generate import compile as compiled
from symdyn.interface.argument_arrays import given_shape
from symdyn.interface.argument_words import given_choice, given_flag, given_positive
from symdyn.interface.contact_solving import EFFORTS, ContactCode, ContactPartials, ContactStep, given_states
from symdyn.interface.rollouts import BY_LENGTH
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS, CONTACT_SLOPES, CONTACT_SYSTEM
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_parameters, given_position, given_touching, given_velocity

Array = NDArray[np.float64]


def contact_step(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None,
    h: float,
    guess: ArrayLike | None,
    p: ArrayLike | None,
    effort: str,
    touching: ArrayLike | None = None,
) -> ContactStep:
    """See :func:`symdyn.contact_step`."""
    _refuse_without(robot)
    sets, owner = contact_sets(robot, effort=given_choice("effort", effort, EFFORTS)), f"robot '{robot.name}'"
    position, velocity, length = given_position(robot.model, q), given_velocity(robot.model, v), given_positive("h", h)
    force = np.zeros(robot.nv) if tau is None else given_shape(f"tau of {owner}", tau, (robot.nv,))
    start = np.zeros(sets.rows) if guess is None else given_shape(f"guess of {owner}", guess, (sets.rows,))
    still = Still(robot, _module(robot), given_parameters(robot.model, p))
    given = (*given_touching(robot.model, touching), *still.parameters(0.0))
    system = still.module.contact_system(position, velocity, force, length, *given)
    return closed(still, contact_step_by(system, robot.model, sets, position, velocity, length, start))


def closed(still: Still, step: ContactStep) -> ContactStep:
    """The step with loops closed again where it ends."""
    robot = still.robot
    if not robot.constraints or step.report.code is ContactCode.NOT_FINITE:
        return step
    y = Closure(still).closed(0.0, np.concatenate([step.q_next, step.v_next]))
    return step._replace(q_next=y[: robot.nq], v_next=y[robot.nq :])


def contact_step_partials(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None,
    h: float,
    impulses: ArrayLike,
    state: ArrayLike,
    p: ArrayLike | None,
    touching: ArrayLike | None = None,
    by_length: bool = False,
) -> ContactPartials:
    """See :func:`symdyn.contact_step_partials`."""
    _refuse_without(robot)
    sets, owner = contact_sets(robot), f"robot '{robot.name}'"
    position, velocity, length = given_position(robot.model, q), given_velocity(robot.model, v), given_positive("h", h)
    force = np.zeros(robot.nv) if tau is None else given_shape(f"tau of {owner}", tau, (robot.nv,))
    pressed = given_shape(f"impulses of {owner}", impulses, (sets.rows,))
    states = given_states(state, len(sets.names))
    given = given_touching(robot.model, touching)
    given += (given_parameters(robot.model, p),) if robot.runtime_parameters else ()
    function = _slopes(robot, BY_LENGTH if given_flag("by_length", by_length) else None).contact_slopes
    impacts = None
    if sets.impacting is not None:
        impacts = impacts_by(_module(robot).contact_system(position, velocity, force, length, *given), sets, length)

    def slopes_at(impulses: Array) -> Mapping[str, Array]:
        result: Mapping[str, Array] = function(position, velocity, force, length, impulses, *given)._asdict()
        return result

    return step_partials_by(slopes_at, sets.kinds, length, pressed, states, impacts)


def _refuse_without(robot: Robot) -> None:
    if not robot.model.contact_layout:
        raise RequestError(
            f"robot '{robot.name}' has no rigid contacts, limits or dry joints; add 'contacts' without stiffness"
        )


@lru_cache(maxsize=8)
def _module(robot: Robot) -> Any:
    names = [CONTACT_SYSTEM, *(CONSTRAINT_FUNCTIONS if robot.constraints else ())]
    return compiled(robot, names, target="python")


@lru_cache(maxsize=8)
def _slopes(robot: Robot, gradient: str | None) -> Any:
    return compiled(robot, [CONTACT_SLOPES], target="python", gradient=gradient)


@dataclass(frozen=True, eq=False)
class Still:
    """A robot in one state, as its loops are closed."""

    robot: Robot
    module: Any
    values: Array
    prescribed: Mapping[str, Prescribed] = field(default_factory=dict)
    """Joints that stay where they are."""

    def p(self, t: float) -> Array:
        """Run-time parameters."""
        return self.values

    def parameters(self, t: float) -> tuple[Array, ...]:
        """These as functions take them."""
        return (self.values,) if self.robot.runtime_parameters else ()

    def moved(self, t: float, y: Array) -> Array:
        """The state itself."""
        return y

    def unit(self, y: Array) -> Array:
        """The state itself: steps leave quaternions of length one."""
        return y
