"""What users give for q, v, p and names of coordinates of a robot, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from symdyn.errors import ArgumentError, RequestError
from symdyn.interface.argument_arrays import given_numbers, given_rows
from symdyn.interface.argument_words import given_names, parted
from symdyn.interface.guesses import hint
from symdyn.robot import named_states

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from symdyn.model.model import Model

    Array = NDArray[np.float64]


def given_coordinates(model: Model, name: str, value: ArrayLike) -> Array:
    """Positions (..., nq), quaternions unit; a RequestError otherwise."""
    from symdyn.model import coordinates

    q = given_rows(name, _owner(model), value, model.nq)
    fault = coordinates.quaternion_fault(model, q)
    if fault is not None:
        raise RequestError(f"{name} of {_owner(model)}: {fault}")
    return q


def given_rates(model: Model, name: str, value: ArrayLike) -> Array:
    """Rates (..., nv); a RequestError otherwise."""
    return given_rows(name, _owner(model), value, model.nv)


def given_position(model: Model, q: ArrayLike | Mapping[str, ArrayLike], name: str = "q") -> Array:
    """One position (nq,), quaternions unit; a RequestError otherwise, which calls it by its ``name``."""
    if isinstance(q, Mapping):
        q = named_states.position(model, name, q)
    return _single(model, name, given_coordinates(model, name, q))


def warn_beyond_limits(model: Model, name: str, q: Array) -> None:
    """Warn where one position (nq,) is beyond limits of joints."""
    from symdyn.model.beyond_limits import beyond_limits
    from symdyn.warning import warn

    if said := beyond_limits(model, q.tolist()):
        warn(f"{name} of {_owner(model)} is beyond limits: {said}")


def given_velocity(model: Model, v: ArrayLike | Mapping[str, ArrayLike]) -> Array:
    """One velocity (nv,); a RequestError otherwise."""
    if isinstance(v, Mapping):
        v = named_states.velocity(model, "v", v)
    return _single(model, "v", given_rates(model, "v", v))


def given_parameters(model: Model, p: ArrayLike | None) -> Array:
    """Run-time parameters (np,), by default their usual values; a RequestError where one has none."""
    import numpy as np

    names, defaults = model.slots.names, model.slots.defaults
    if p is None:
        unknown = [name for name, value in zip(names, defaults, strict=True) if value is None]
        if unknown:
            raise RequestError(
                f"run-time parameter '{unknown[0]}' of {_owner(model)} has no value; give p (--parameter)"
            )
        p = np.array(defaults, dtype=np.float64)
    return given_rows("p", _owner(model), p, len(names))


def given_touching(model: Model, touching: ArrayLike | None) -> tuple[Array, ...]:
    """What fills slots of contact at run time, (n, 10), by default nothing; no array of robots without such slots.

    Raises
    ------
    RequestError
        Another shape, a row that is no contact, something for a robot without such slots.
    """
    import numpy as np

    from symdyn.interface.contact_solving import TOUCHING_COLUMNS
    from symdyn.interface.touching import check_touching, empty_touching

    count = model.contacts.runtime
    if not count:
        if touching is None:
            return ()
        raise RequestError(
            f"touching: {_owner(model)} has no slots that are filled at run time; give it some by "
            "contact_options: {runtime_slots: 8}"
        )
    if touching is None:
        return (empty_touching(count),)
    found = given_numbers(f"touching of {_owner(model)}", touching)
    if found.shape != (count, len(TOUCHING_COLUMNS)):
        raise RequestError(
            f"touching of {_owner(model)}: expected {(count, len(TOUCHING_COLUMNS))}, a row per slot with "
            f"{', '.join(TOUCHING_COLUMNS)}, got {found.shape}; a is -1 in empty slots"
        )
    check_touching(f"{_owner(model)}: ", found, model.body_names)
    return (np.ascontiguousarray(found),)


def check_not_filled(model: Model, what: str) -> None:
    """Refuse robots with slots that are filled at run time, where nothing fills these."""
    if model.contacts.runtime:
        raise RequestError(
            f"{what} fill no slots at run time, and {_owner(model)} has {model.contacts.runtime}; leave runtime_slots "
            "out of contact_options, or take steps by contact_step, the stepper 'contacts', or simulate"
        )


def given_generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """A generator of random numbers, also from its seed; a RequestError otherwise."""
    import numpy as np

    try:
        return np.random.default_rng("a flag" if isinstance(rng, bool) else rng)  # type: ignore[arg-type]
    except (TypeError, ValueError) as failure:
        raise ArgumentError(
            f"rng is a NumPy generator or a seed, a whole number from 0, got {rng!r}; try np.random.default_rng(0)"
        ) from failure


def given_tolerance(tolerance: Any) -> float:
    """An error of loops that may be left, 0 by default; a RequestError where it is below 0 or no number."""
    if tolerance is None:
        return 0.0
    number = isinstance(tolerance, int | float) and not isinstance(tolerance, bool)
    if not (number and 0.0 <= tolerance < float("inf")):
        raise RequestError(f"tolerance is an error of loops [m or rad], a number from 0, got {tolerance!r}")
    return float(tolerance)


def check_pulling(model: Model, u: Array, when: str = "") -> None:
    """Pass inputs (..., n) of actuators; a RequestError for a tension or a pressure below 0."""
    for place, own in enumerate(model.actuator_inputs):
        least = u[..., place].min() if own.of in ("tendon", "chamber") else 0.0
        if least < 0.0:
            what = "tension" if own.of == "tendon" else "pressure"
            found = f"{what} '{own.name}' of {_owner(model)} is {least:g} {own.unit}{when}"
            raise RequestError(f"{found}; it cannot be below 0")


def named_rows(model: Model, names: Iterable[str]) -> set[int]:
    """Rows of v by the names of these, of rows of q, or of joints, several also with commas.

    Raises
    ------
    RequestError
        A name of none of them.
    """
    known = {name: {row} for row, name in enumerate(model.velocity_names)}
    for joint in model.independent_joints:
        rows = set(range(joint.v_rows.start, joint.v_rows.stop))
        known.setdefault(joint.label, rows)
        for suffix in joint.coordinates.q:
            known.setdefault(joint.label + suffix, rows)
    found: set[int] = set()
    for name in parted(given_names("hold", names, model.velocity_names[0]), known):
        if name not in known:
            raise RequestError(f"coordinate '{name}' of {_owner(model)} does not exist{hint(name, known)}")
        found |= known[name]
    return found


def _owner(model: Model) -> str:
    return f"robot '{model.name}'"


def _single(model: Model, name: str, value: Array) -> Array:
    if value.ndim != 1:
        raise RequestError(f"{name} of {_owner(model)}: expected shape ({value.shape[-1]},), got {value.shape}")
    return value
