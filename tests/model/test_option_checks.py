"""Options of load: what is taken as a number, a list or a switch, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support.robots.small import loaded, single

from symdyn import api
from symdyn.description.robot import JointKind
from symdyn.errors import ModelError
from symdyn.model.load_options import LoadOptions, checked_options

DEFAULTS: dict[str, Any] = {
    "floating_base": None,
    "locked_joints": {},
    "runtime": (),
    "joint_losses": False,
    "convention": "pinocchio",
    "gravity": None,
}


def checked(**changes: Any) -> LoadOptions:
    return checked_options(**{**DEFAULTS, **changes})


def test_the_defaults() -> None:
    assert checked() == LoadOptions(locked_joints={})


@pytest.mark.parametrize(
    "value", [0.5, Fraction(1, 2), np.float32(0.5), np.float64(0.5), np.array(0.5), np.longdouble(0.5)]
)
def test_any_real_number_is_one(value: Any) -> None:
    options = checked(locked_joints={"j": value, "k": [value, 1]}, gravity=[value, 0, np.int64(-1)])
    assert options.locked_joints == {"j": 0.5, "k": (0.5, 1.0)}
    assert options.gravity == (0.5, 0.0, -1.0)
    assert all(type(item) is float for item in (*options.gravity, options.locked_joints["j"]))


def test_arrays_are_lists() -> None:
    options = checked(locked_joints={"k": np.array([0.1, 0.2])}, gravity=np.zeros(3), runtime=["a.mass"])
    assert options.locked_joints == {"k": (0.1, 0.2)}
    assert (options.gravity, options.runtime) == ((0.0, 0.0, 0.0), ("a.mass",))


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"floating_base": "yes"}, "floating_base is True, False or None, got 'yes'"),
    ({"floating_base": np.array([1, 0])}, r"floating_base is True, False or None, got array\(\[1, 0\]\)"),
    ({"floating_base": 1}, "floating_base is True, False or None, got 1"),
    ({"floating_base": np.int64(0)}, "floating_base is True, False or None, got "),
    ({"joint_losses": 1.0}, "joint_losses is True or False, got 1.0"),
    ({"joint_losses": np.array([True, False])}, "joint_losses is True or False, got array"),
    ({"joint_losses": "yes"}, "joint_losses is True or False, got 'yes'"),
    ({"convention": np.array(["pinocchio", "spatial"])}, "convention .* is unknown; choose one of pinocchio, spatial"),
    ({"convention": "drake"}, "convention 'drake' is unknown; choose one of pinocchio, spatial"),
    ({"runtime": "a.mass"}, r"runtime is a list of names such as \['forearm.mass'\], got 'a.mass'"),
    ({"runtime": 3}, r"runtime is a list of names .*, got 3"),
    ({"runtime": [3]}, r"runtime is a list of names .*, got \[3\]"),
    ({"locked_joints": ["j"]}, r"locked_joints maps names to coordinates, .*, got \['j'\]"),
    ({"locked_joints": {"j": True}}, "locked joint 'j': expected a number, or one per coordinate, got True"),
    ({"locked_joints": {"j": "0.5"}}, "locked joint 'j': expected a number, or one per coordinate, got '0.5'"),
    ({"locked_joints": {"j": [0.5, "a"]}}, "locked joint 'j': expected a number"),
    ({"locked_joints": {"j": []}}, "locked joint 'j': expected a number"),
    ({"locked_joints": {"j": 1j}}, "locked joint 'j': expected a number"),
    ({"gravity": (0.0, 0.0)}, r"gravity is three finite numbers in m/s\^2, got \(0.0, 0.0\)"),
    ({"gravity": (0.0, 0.0, float("nan"))}, "gravity is three finite numbers"),
    ({"gravity": (0.0, float("inf"), 0.0)}, "gravity is three finite numbers"),
    ({"gravity": 9.81}, "gravity is three finite numbers"),
    ({"gravity": "abc"}, "gravity is three finite numbers"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_refused_options(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        checked(**changes)
    with pytest.raises(ModelError, match=f"^bench.yaml: {message}"):
        loaded(single(JointKind.REVOLUTE), **changes)


@pytest.mark.parametrize("option", ["strict", "repair"])
def test_flags_of_reading_are_flags(option: str) -> None:
    description = single(JointKind.REVOLUTE)
    with pytest.raises(ModelError, match=f"{option} is True or False, got array"):
        api.from_description(description, **{option: np.zeros(2)})
    with pytest.raises(ModelError, match=f"{option} is True or False, got 1"):
        api.from_description(description, **{option: 1})
    assert api.from_description(description, **{option: np.False_}).nq == 1
