"""What users give for slots of contact that are filled at run time, checked; it imports no room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symdyn.errors import RequestError
from symdyn.interface.contact_solving import EMPTY_SLOT, TOUCHING_COLUMNS, UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray


def empty_touching(count: int) -> NDArray[Any]:
    """So many empty slots, (count, 10)."""
    import numpy as np

    return np.tile(np.array(EMPTY_SLOT), (count, 1))


def check_touching(place: str, touching: NDArray[Any], bodies: Sequence[str]) -> None:
    """Refuse rows (n, 10) of which one is no contact of two of the bodies, or of one with the ground.

    Raises
    ------
    RequestError
        The first such row, and what of it is wrong.
    """
    import numpy as np

    for number, row in enumerate(touching):
        a, b, *rest = (float(x) for x in row)
        if a == -1.0:  # an empty slot
            continue
        where, last = f"{place}touching[{number}]", len(bodies) - 1
        named = f"0 to {last} are {', '.join(bodies)}"
        if a not in range(len(bodies)):
            raise RequestError(f"{where}: a is {a:g}; it is the number of a body, or -1 of an empty slot: {named}")
        if b not in range(-1, len(bodies)):
            raise RequestError(f"{where}: b is {b:g}; it is the number of a body, or -1 of the ground: {named}")
        if a == b:
            raise RequestError(f"{where}: a and b are both '{bodies[int(a)]}'; a contact is between two bodies")
        for name, x in zip(TOUCHING_COLUMNS[2:], rest, strict=True):
            if not np.isfinite(x):
                raise RequestError(f"{where}: {name} is {x:g}; numbers of a slot that is not empty are finite")
        squared = float(np.dot(rest[3:6], rest[3:6]))
        if not abs(squared - 1.0) <= UNIT:
            raise RequestError(
                f"{where}: the normal has length {squared**0.5:.9g}; it is 1, out of b: divide it by its length"
            )
        if rest[7] < 0.0:
            raise RequestError(f"{where}: friction is {rest[7]:g}; it is at least 0")
